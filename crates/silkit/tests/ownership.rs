//! The ownership of values and operands, against SIL that the reference accepts.

mod inputs;

use silkit::ir::conventions::Addresses;
use silkit::ir::ownership::{BodyOwnership, OwnershipContext};
use silkit::text::parse_module;
use std::collections::BTreeMap;

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
    for function in module.functions.values().filter(|f| f.has_ossa()) {
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

#[test]
fn what_the_reference_printed_satisfies_every_constraint() {
    // The smaller half is enough to meet every kind of use.
    let mut counts = Counts::default();
    for (_, text) in inputs::all(400_000) {
        check(&text, &mut counts);
    }
    eprintln!("{} uses are known, {} are not: {:#?}", counts.known, counts.unknown, counts.open);
    assert!(counts.known > 100 && counts.unknown * 100 < counts.known, "little is known");
    assert!(counts.wrong.is_empty(), "{:#?}", counts.wrong);
}
