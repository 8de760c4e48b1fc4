//! Errors and warnings that passes report about programs, on files of cases.

use silkit_ir::{FunctionId, Module};
use silkit_opt::PASSES;
use silkit_pass::{Problem, ProblemLocation, Runner, parse_pipeline};
use silkit_text::{ModuleSourceMap, parse_module};

/// The declarations and functions that all cases use.
const HEAD: &str = include_str!("diagnostics/definite_init.sil");

silkit_testkit::case_files! { "tests/diagnostics":
    definite_init: definite_init_problems;
}

/// Returns the problems that `definite-init` finds, in the order of their lines.
fn definite_init_problems(case: &str) -> String {
    let text = format!("{HEAD}{case}\n");
    let parsed = parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}\n{case}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let steps = parse_pipeline("definite-init", |tag| PASSES.find(tag)).expect("a pass");
    let outcome = Runner::new().run(&mut module, &declarations, &steps);
    let source = Source { text: &text, map: &parsed.source_map, module: &module };
    let mut found: Vec<(usize, String)> = outcome.problems.iter().map(|p| source.describe(p)).collect();
    found.sort();
    found.into_iter().map(|(_, lines)| lines).collect()
}

/// A parsed text.
struct Source<'a> {
    text: &'a str,
    map: &'a ModuleSourceMap,
    module: &'a Module,
}

impl Source<'_> {
    /// Returns the line of a problem in its case, and its description.
    fn describe(&self, problem: &Problem) -> (usize, String) {
        let name = problem.function.expect("a function");
        let function = self.module.functions.find(&name).expect("a function of the module");
        let at = self.offset(function, &problem.place);
        let line = self.text[HEAD.len()..at].lines().count();
        let mut lines = format!("{line}: {} at {}: {}\n", problem.severity, self.word(at), problem.message);
        for (place, message) in &problem.notes {
            let word = self.word(self.offset(function, place));
            lines.push_str(&format!("  note at {word}: {message}\n"));
        }
        (line, lines)
    }

    /// Returns the offset of an opcode or of a part of a declaration.
    fn offset(&self, function: FunctionId, place: &ProblemLocation) -> usize {
        if let Some(range) = place.declaration {
            let range = self.map.swift_range(self.module, self.text, range).expect("a range in the text");
            return range.start as usize;
        }
        let inst = place.inst.expect("an instruction");
        let start = self.map.function(function).and_then(|map| map.inst(inst)).expect("a position") as usize;
        let line = self.text[start..].lines().next().unwrap_or_default();
        start + line.find(" = ").map_or(0, |at| at + 3)
    }

    /// Returns the word at an offset.
    fn word(&self, at: usize) -> &str {
        let is_end = |c: char| !c.is_alphanumeric() && c != '_';
        self.text[at..].split(is_end).next().unwrap_or_default()
    }
}
