//! The instruction table against the facts of the reference, where they are present.

use silkit::ir::generated::BUILTINS;
use silkit::ir::info::{Results, Role};
use silkit::ir::{Opcode, Release};
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
    let of_the_release = |opcode: &&Opcode| opcode.info().releases.contains(Release::V6_2);
    assert_eq!(seen, Opcode::ALL.iter().filter(of_the_release).count());
}

#[test]
fn roles_are_as_the_classes_of_the_reference() {
    let Some(text) = facts("instructions.csv") else { return };
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let info =
            Opcode::from_name(columns[1]).unwrap_or_else(|| panic!("{} is missing", columns[1])).info();
        let parent = columns[3];
        assert_eq!(parent == "AllocationInst", info.role == Role::Allocation, "{}", info.name);
        assert_eq!(parent == "DeallocationInst", matches!(info.role, Role::Deallocation(_)), "{}", info.name);
        // The reference counts two kinds of autorelease among these.
        let counts = matches!(info.role, Role::Retain(_) | Role::Release(_));
        assert_eq!(
            parent == "RefCountingInst" && !info.name.contains("autorelease"),
            counts,
            "{}",
            info.name
        );
        assert_eq!(parent == "TermInst", info.opcode.is_terminator(), "{}", info.name);
        if parent == "IndexingInst" {
            assert!(matches!(info.role, Role::Projection(_)), "{}", info.name);
        }
    }
}

#[test]
fn constant_ownership_is_as_the_reference_has_it() {
    let Some(text) = facts("operand_ownership.csv") else { return };
    for line in text.lines().skip(1).filter(|l| l.starts_with("instruction,")) {
        let columns: Vec<&str> = line.split(',').collect();
        let info = Opcode::ALL.iter().map(|o| o.info()).find(|i| i.class == columns[2]);
        let info = info.unwrap_or_else(|| panic!("{} is missing", columns[2]));
        // All that it can have is the operand that its type depends on. The reference answers "no use" for
        // such an operand before it asks for the kind of the instruction.
        if info.opcode == Opcode::WitnessMethod {
            continue;
        }
        for operand in info.operands {
            assert_eq!(
                format!("{:?}", operand.ownership),
                format!("Always({})", columns[1]),
                "{}",
                info.name
            );
        }
    }
    for line in text.lines().skip(1).filter(|l| l.starts_with("builtin,")) {
        let columns: Vec<&str> = line.split(',').collect();
        let info = BUILTINS.iter().find(|b| b.id == columns[2]);
        let info = info.unwrap_or_else(|| panic!("{} is missing", columns[2]));
        assert_eq!(format!("{:?}", info.operands), columns[1], "{}", info.name);
    }
}

#[test]
fn ownership_of_values_is_as_the_reference_has_it() {
    let Some(text) = facts("value_ownership.csv") else { return };
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let [rule, ownership, class] = columns[..] else { panic!("bad row {line}") };
        if rule == "constant_ownership_builtin" {
            let info =
                BUILTINS.iter().find(|b| b.id == class).unwrap_or_else(|| panic!("{class} is missing"));
            assert_eq!(format!("{:?}", info.result), ownership, "{}", info.name);
            continue;
        }
        let info = Opcode::ALL.iter().map(|o| o.info()).find(|i| i.class == class);
        let info = info.unwrap_or_else(|| panic!("{class} is missing"));
        let found = format!("{:?}", info.value_ownership);
        match rule {
            "constant_or_none_ownership_inst" => {
                assert_eq!(found, format!("{ownership}OrNone"), "{}", info.name)
            }
            "forwarding_ownership_inst" => assert!(found.starts_with("Forwarded"), "{}", info.name),
            _ => assert_eq!(found, ownership, "{}", info.name),
        }
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
        assert!(info.example.contains(info.spelling), "the example of {} does not show it", info.name);
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
