//! A test of live ranges of values in memory.

use super::{Test, TestFn};
use crate::printers::access_dump::base;
use crate::printers::ranges::of_insts;
use silkit_analysis::alias::base_path;
use silkit_analysis::ossa::{AddressLiveRange, Borrows};
use silkit_ir::conventions::Conventions;
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_text::{Dump, PrintOptions, print_global};

pub(super) const TESTS: &[(&str, TestFn)] = &[("address_ownership_live_range", address_ownership_live_range)];

fn address_ownership_live_range(test: &mut Test<'_, '_>) -> Result<(), String> {
    let address = test.value()?;
    let at = test.instruction()?;
    let text = shown(test, address, at);
    test.print(text);
    Ok(())
}

fn shown(test: &Test<'_, '_>, address: Value, at: Inst) -> String {
    let (body, dump) = (test.body(), test.dump());
    let found = test.with_view(|view| base_path(view, address).base);
    let mut text = format!(
        "Address: {}Base: {}Begin: {}",
        dump.value(address, ""),
        base(body, &dump, found),
        dump.inst(at, "")
    );
    let ownership = test.ownership();
    let borrows = Borrows::new(body, &ownership);
    let conventions = Conventions::of(test.function(), test.addresses());
    text += &match AddressLiveRange::of(&borrows, conventions.as_ref(), found, at) {
        None => "Error: indeterminate live range\n".to_owned(),
        Some(AddressLiveRange::Caller(value)) => format!("liveOut: {}", dump.value(value, "")),
        Some(AddressLiveRange::Global(name)) => {
            let global = test.cx.module().globals.by_key(&name);
            let printed = |global| {
                print_global(test.cx.module(), global, &PrintOptions::default(), test.cx.printing().demangle)
            };
            format!("global: {}\n\n", global.map(printed).unwrap_or_default().trim_end())
        }
        Some(AddressLiveRange::Local(value, range)) => {
            format!("local: {}{}", dump.value(value, ""), of_insts(&dump, &range))
        }
        Some(AddressLiveRange::Owned(value, range)) => {
            format!("owned: {}{}", dump.value(value, ""), of_insts(&dump, &range))
        }
        Some(AddressLiveRange::Borrowed(ranges)) => {
            let ranges: Vec<String> = ranges
                .iter()
                .map(|(value, range)| {
                    let range = of_insts(&dump, range);
                    format!("borrow: {}\n{}", introducer(body, &dump, *value), range.trim_end_matches('\n'))
                })
                .collect();
            ranges.concat() + "\n"
        }
    };
    text
}

/// Returns a borrow introducer in the reference's format.
fn introducer(body: &Body, dump: &Dump<'_>, value: Value) -> String {
    let text = dump.value(value, "");
    let text = text.trim_end_matches('\n');
    let kind = match body.defining_inst(value).map(|inst| body.inst(inst).opcode) {
        None if body.is_phi(value) => return format!("reborrow(SIL.Phi(value: {text}))"),
        None => "functionArgument",
        Some(Opcode::LoadBorrow) => "loadBorrow",
        Some(Opcode::BeginApply) => "beginApply",
        Some(Opcode::UncheckedOwnershipConversion) => "uncheckOwnershipConversion",
        Some(_) => "beginBorrow",
    };
    format!("{kind}({text})")
}
