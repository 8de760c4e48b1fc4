//! The instruction table against the facts of the reference, where they are present.

use silkit::ir::Opcode;
use silkit::ir::info::Results;
use std::path::{Path, PathBuf};

fn facts(name: &str) -> Option<String> {
    let shared = std::env::var_os("SILKIT_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let text = std::fs::read_to_string(shared.join("spec/facts").join(name)).ok();
    if text.is_none() {
        eprintln!("skipped: {name} is not there");
    }
    text
}

#[test]
fn every_kind_is_declared_as_the_reference_has_it() {
    let Some(text) = facts("instructions.csv") else { return };
    let mut seen = 0;
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let [class, name, results, _, memory, releasing] = columns[..] else { panic!("bad row {line}") };
        let info = Opcode::from_name(name).unwrap_or_else(|| panic!("{name} is missing")).info();
        assert_eq!(format!("{}Inst", info.class), class);
        let expected = match results {
            "one value" => Results::One,
            "several values" => Results::Several,
            "terminator" => Results::Terminator,
            _ => Results::None,
        };
        assert_eq!(info.results, expected, "{name}");
        assert_eq!(format!("{:?}", info.memory), memory, "{name}");
        assert_eq!(info.may_release, releasing == "MayRelease", "{name}");
        seen += 1;
    }
    assert_eq!(seen, Opcode::ALL.len());
}

#[test]
fn constant_ownership_is_as_the_reference_has_it() {
    let Some(text) = facts("operand_ownership.csv") else { return };
    for line in text.lines().skip(1).filter(|l| l.starts_with("instruction,")) {
        let columns: Vec<&str> = line.split(',').collect();
        let info = Opcode::ALL.iter().map(|o| o.info()).find(|i| i.class == columns[2]);
        let info = info.unwrap_or_else(|| panic!("{} is missing", columns[2]));
        assert_eq!(format!("{:?}", info.operand_ownership), columns[1], "{}", info.name);
    }
}

#[test]
fn names_lead_back_to_their_kind() {
    for opcode in Opcode::ALL {
        assert_eq!(Opcode::from_name(opcode.info().name), Some(opcode));
        assert_eq!(opcode.info().opcode, opcode);
    }
}

#[test]
fn every_kind_has_a_reference_page_whose_example_reads() {
    let mut bad = Vec::new();
    for info in Opcode::ALL.iter().map(|o| o.info()) {
        assert!(info.summary.ends_with('.') && !info.details.is_empty(), "{} lacks text", info.name);
        assert!(
            info.see.iter().all(|name| Opcode::from_name(name).is_some()),
            "{} names unknown kinds",
            info.name
        );
        assert!(info.example.contains(info.name), "the example of {} does not show it", info.name);
        let text = if info.example.contains("sil_global") {
            format!("{}\n", info.example)
        } else {
            format!("sil [ossa] @example : $@convention(thin) () -> () {{\nbb0:\n{}\n}}\n", info.example)
        };
        let parsed = silkit::text::parse_module(&text);
        // An example is a fragment: what it uses need not be in it.
        let wrong = parsed.errors.iter().find(|e| !e.message.starts_with("use of undefined"));
        if let Some(error) = wrong {
            bad.push(format!("{}: {} in\n{}", info.name, error.message, info.example));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
