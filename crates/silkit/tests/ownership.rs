//! The ownership of values and operands, against SIL that the reference accepts.

use silkit::ir::conventions::Addresses;
use silkit::ir::ownership::{BodyOwnership, OwnershipContext};
use silkit::text::parse_module;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Default, Debug)]
struct Counts {
    known: usize,
    unknown: usize,
    /// What contradicts, with the first place.
    wrong: BTreeMap<String, (usize, String)>,
    /// What is not known.
    open: BTreeMap<String, (usize, String)>,
}

fn check(text: &str, counts: &mut Counts) {
    let module = parse_module(text).module;
    let facts = silkit::declarations(&module);
    for function in module.functions.values().filter(|f| f.has_attribute("ossa")) {
        let Some(body) = &function.body else { continue };
        let ownership = BodyOwnership::new(body, OwnershipContext::new(function, &facts, Addresses::Lowered));
        for inst in body.insts() {
            for (index, operand) in body.operand_ids(inst).enumerate() {
                let value = ownership.value(body.operand(operand).value);
                let used = ownership.operand(operand);
                let place = format!("@{} {inst}", function.name);
                let key = format!("{} {index}: {value:?} as {used:?}", body.info(inst).name);
                let (Some(value), Some(used)) = (value, used) else {
                    counts.unknown += 1;
                    counts.open.entry(key).or_insert((0, place)).0 += 1;
                    continue;
                };
                counts.known += 1;
                if !used.constraint().allows(value) {
                    counts.wrong.entry(key).or_insert((0, place)).0 += 1;
                }
            }
        }
    }
}

/// The text of a file, compressed or not.
fn read(path: &Path) -> Option<String> {
    if path.extension().is_some_and(|e| e == "zst") {
        let output = Command::new("zstd").args(["-q", "-d", "-c", "--long=27"]).arg(path).output().ok()?;
        return output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned());
    }
    std::fs::read_to_string(path).ok()
}

fn sil_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|p| p.to_string_lossy().contains(".sil"));
    files.sort();
    files
}

#[test]
fn what_the_reference_printed_satisfies_every_constraint() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = sil_files(&root.join("examples"));
    let shared = std::env::var_os("SILKIT_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let corpus = sil_files(&shared.join("corpus/packages"));
    if corpus.is_empty() {
        eprintln!("skipped: the corpus is not there");
    }
    // The smaller half is enough to meet every kind of use.
    files.extend(corpus.into_iter().filter(|p| p.metadata().is_ok_and(|m| m.len() < 400_000)));
    let mut counts = Counts::default();
    for text in files.iter().filter_map(|p| read(p)) {
        check(&text, &mut counts);
    }
    eprintln!("{} uses are known, {} are not: {:#?}", counts.known, counts.unknown, counts.open);
    assert!(counts.known > 100 && counts.unknown * 100 < counts.known, "little is known");
    assert!(counts.wrong.is_empty(), "{:#?}", counts.wrong);
}
