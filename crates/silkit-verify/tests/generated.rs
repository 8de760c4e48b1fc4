//! Generated programs are valid: the verifier finds nothing, and the reference accepts them where it is installed.
//!
//! `SILKIT_SEEDS=500` checks so many programs of each profile; the default keeps the test short.

use silkit_testkit::generate::{Profile, generate};
use silkit_testkit::{or_skip, shared, verdict::ReferenceVerdicts};
use silkit_text::{decl::declarations, parse_module};
use silkit_verify::{VerifyOptions, verify};
use std::collections::BTreeSet;

fn profiles() -> [Profile; 6] {
    [
        Profile::new(),
        Profile::new().lowered(),
        Profile::control_flow(),
        Profile::ownership(),
        Profile::memory(),
        Profile::memory().lowered(),
    ]
}

fn seeds(default: u64) -> std::ops::Range<u64> {
    let wanted = std::env::var("SILKIT_SEEDS").ok().and_then(|n| n.parse().ok());
    0..wanted.unwrap_or(default)
}

#[test]
fn the_verifier_finds_nothing() {
    for profile in profiles() {
        for seed in seeds(16) {
            let text = generate(seed, &profile);
            let parsed = parse_module(&text);
            assert!(parsed.errors.is_empty(), "seed {seed}, {profile:?}: {:?}", parsed.errors);
            let report = verify(
                &parsed.module,
                &declarations(&parsed.module),
                Some(parsed.source(&text)),
                &VerifyOptions::default(),
            );
            let first = report.findings.first();
            assert!(first.is_none(), "seed {seed}, {profile:?}: {first:?}");
        }
    }
}

#[test]
fn the_reference_accepts_them() {
    let verdicts = ReferenceVerdicts::new(or_skip!(shared::ReferenceTools::find()), None).expect("a folder");
    for profile in profiles() {
        for seed in seeds(2) {
            let text = generate(seed, &profile);
            let verdict = verdicts.verdict(&text).expect("the reference runs");
            assert_eq!(verdict, None, "seed {seed}, {profile:?}");
        }
    }
}

/// The kinds of instructions that few programs have, but all of them together.
#[test]
fn programs_are_varied() {
    let mut missing: BTreeSet<&str> = BTreeSet::from([
        "abort_apply",
        "alloc_box",
        "alloc_ref",
        "begin_apply",
        "borrowed",
        "checked_cast_br",
        "class_method",
        "cond_fail",
        "copy_addr",
        "copy_value",
        "destroy_addr",
        "destructure_struct",
        "destructure_tuple",
        "end_apply",
        "fix_lifetime",
        "global_addr",
        "init_enum_data_addr",
        "init_existential_addr",
        "init_existential_ref",
        "inject_enum_addr",
        "load_borrow",
        "move_value",
        "open_existential_addr",
        "open_existential_ref",
        "partial_apply",
        "project_box",
        "select_enum",
        "store_borrow",
        "struct_element_addr",
        "struct_extract",
        "switch_enum",
        "switch_enum_addr",
        "switch_value",
        "thin_to_thick_function",
        "throw",
        "try_apply",
        "unchecked_take_enum_data_addr",
        "unreachable",
        "upcast",
        "witness_method",
    ]);
    for seed in 0..40 {
        let text = generate(seed, &Profile::new());
        // The library that every program carries does not count.
        let own = text.split("sil [ossa] @function_0").nth(1).unwrap_or_default();
        let words: BTreeSet<&str> = own.split([' ', '\n', '(']).collect();
        missing.retain(|name| !words.contains(name));
    }
    assert_eq!(missing, BTreeSet::new());
}
