//! Definitions by the lexical index are those of the IR: for every `%n` in programs.

use silkit_ide::{Document, TokenIndex, TokenKind, TokenRole};
use silkit_ir::{Body, Inst, Value, ValueDef};
use silkit_testkit::{generate, or_skip, shared};
use silkit_text::{BodySourceMap, parse_module};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

/// The number of files of the corpus that are compared.
const FILES: usize = 20;

/// Returns where the IR defines the values that each instruction uses and defines, by the start of the instruction.
fn by_instruction(body: &Body, map: &BodySourceMap) -> BTreeMap<usize, (BTreeSet<Place>, usize)> {
    let place = |value: Value| match body.def(value) {
        ValueDef::Result(inst, number) => map.inst(inst).map(|at| (at as usize, usize::from(number))),
        ValueDef::Argument(block, number) => map.block(block).map(|at| (at as usize, usize::from(number))),
        ValueDef::Undef | ValueDef::Pending => None,
    };
    let used = |inst: Inst| {
        // Values that open types are operands without a name in the text.
        let own = body.operands(inst).len() - body.type_operands(inst).len();
        body.operands(inst).iter().take(own).filter_map(|operand| place(operand.value)).collect()
    };
    let insts = body.insts();
    insts.filter_map(|i| Some((map.inst(i)? as usize, (used(i), body.results(i).len())))).collect()
}

/// The start of an instruction or label, and the number of the value among those that it defines.
type Place = (usize, usize);

/// Compares all values of a text. Returns the number of compared names.
fn compare(name: &str, text: &str) -> usize {
    let parsed = parse_module(text);
    let document = Document::new(text);
    let tokens: &TokenIndex = document.tokens();
    let mut compared = 0;
    for (id, function) in parsed.module.functions.iter() {
        let (Some(body), Some(map)) = (&function.body, parsed.source_map.function(id)) else { continue };
        let of_insts = by_instruction(body, map);
        let labels: BTreeSet<usize> = body.blocks().filter_map(|b| Some(map.block(b)? as usize)).collect();
        let starts: BTreeSet<usize> = of_insts.keys().chain(&labels).copied().collect();
        let Some(scope) = starts.first().and_then(|first| tokens.scope_at(*first)) else { continue };
        let start_of = |at: usize| starts.range(..=at).next_back().copied();
        // The place of a definition is computed from the tokens before it.
        let mut places: BTreeMap<usize, Place> = BTreeMap::new();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let values = || tokens.tokens_of(scope).iter().filter(|token| token.kind == TokenKind::Value);
        for token in values().filter(|token| token.role == TokenRole::Definition) {
            let Some(start) = start_of(token.start as usize) else { continue };
            let count = counts.entry(start).or_default();
            places.insert(token.start as usize, (start, *count));
            *count += 1;
        }
        let mut used: BTreeMap<usize, BTreeSet<Place>> = BTreeMap::new();
        for token in values().filter(|token| token.role == TokenRole::Use) {
            // Effects before the body name arguments by their numbers.
            let Some(start) = start_of(token.start as usize) else { continue };
            let at = token.start as usize;
            let definition = document.definition(at).map(|range| range.start as usize);
            let place = definition.and_then(|definition| places.get(&definition));
            let place =
                place.unwrap_or_else(|| panic!("{name}: no definition of {} at {at}", token.text(text)));
            used.entry(start).or_default().insert(*place);
            compared += 1;
        }
        for (start, (of_ir, results)) in &of_insts {
            let line = text[*start..].lines().next().unwrap_or_default();
            let of_text = used.remove(start).unwrap_or_default();
            assert_eq!(of_text, *of_ir, "{name}: `{line}`");
            assert_eq!(counts.get(start).copied().unwrap_or(0), *results, "{name}: results of `{line}`");
        }
        assert!(used.keys().all(|start| labels.contains(start)), "{name}: uses outside instructions");
    }
    compared
}

#[test]
fn definitions_of_generated_programs_are_those_of_the_ir() {
    for seed in 0..20 {
        let text = generate::generate(seed, &generate::Profile::of_seed(seed));
        assert!(compare(&format!("seed {seed}"), &text) > 10, "{text}");
    }
}

#[test]
fn definitions_of_the_corpus_are_those_of_the_ir() {
    let folder = or_skip!(shared::folder("corpus/packages"));
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort_by_key(|path| path.metadata().map(|m| m.len()).unwrap_or(0));
    let mut compared = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "zst")).take(FILES) {
        let output = Command::new("zstd").args(["-dc", "--long=27"]).arg(path).output().expect("zstd starts");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        compared += compare(&path.display().to_string(), &text);
    }
    assert!(compared > 100_000, "{compared}");
    eprintln!("{compared} names in {FILES} files");
}
