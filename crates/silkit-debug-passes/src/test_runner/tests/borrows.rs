//! Tests of enclosing values.

use super::{Test, TestFn};
use silkit_analysis::ossa::{Borrows, enclosed_phis};
use silkit_ir::{Body, Opcode, Value, ValueDef};

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("borrow_introducers", borrow_introducers),
    ("enclosing_values", enclosing_values),
    ("find_borrow_introducers", find_borrow_introducers),
    ("find_enclosing_defs", find_enclosing_defs),
];

/// Prints the borrow introducers of a guaranteed value with their kinds.
fn borrow_introducers(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    test.print_value("Borrow introducers for: ", value);
    let introducers = introducers(test, value);
    for introducer in introducers {
        let text = test.dump().value(introducer, "");
        let text = text.trim_end();
        let body = test.body();
        let shown = match body.def(introducer) {
            ValueDef::Argument(block, _) if body.is_entry_block(block) => format!("functionArgument({text})"),
            ValueDef::Argument(..) => format!("reborrow(SIL.Phi(value: {text}))"),
            ValueDef::Result(inst, _) => {
                let kind = match body.inst(inst).opcode {
                    Opcode::LoadBorrow => "loadBorrow",
                    Opcode::BeginApply => "beginApply",
                    Opcode::UncheckedOwnershipConversion => "uncheckOwnershipConversion",
                    _ => "beginBorrow",
                };
                format!("{kind}({text})")
            }
            ValueDef::Undef | ValueDef::Pending => continue,
        };
        test.print(format!("{shown}\n"));
    }
    Ok(())
}

/// Prints the values that a value's lifetime depends on; an owned value depends on itself.
fn find_borrow_introducers(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    test.print("Introducers:\n");
    let introducers = introducers(test, value);
    print_values(test, &introducers);
    Ok(())
}

fn introducers(test: &Test<'_, '_>, value: Value) -> Vec<Value> {
    let ownership = test.ownership();
    Borrows::new(test.body(), &ownership).introducers(value)
}

fn enclosing_values(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    let of = test.dump().value(value, "");
    test.print(format!("Enclosing values for: {of}"));
    let ownership = test.ownership();
    let enclosing = Borrows::new(test.body(), &ownership).enclosing(value);
    print_values(test, &enclosing);
    Ok(())
}

/// Prints enclosing values computed from the edges of phis, ignoring `borrowed … from` instructions.
fn find_enclosing_defs(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    test.print("Enclosing Defs:\n");
    let ownership = test.ownership();
    let borrows = Borrows::new(test.body(), &ownership).with_unmarked_reborrows();
    let of_phi = enclosed_phis(&borrows).into_iter().find(|phi| phi.phi == value);
    let mut enclosing = match borrowed_reborrow(test.body(), &borrows, value) {
        Some(reborrow) => vec![reborrow],
        None => of_phi.map_or_else(|| borrows.enclosing(value), |phi| phi.enclosing),
    };
    // The reference finds preceding values first.
    enclosing.reverse();
    print_values(test, &enclosing);
    Ok(())
}

/// Returns the reborrow that a `borrowed … from` forwards.
fn borrowed_reborrow(body: &Body, borrows: &Borrows<'_>, value: Value) -> Option<Value> {
    let inst = body.defining_inst(value).filter(|&inst| body.inst(inst).opcode == Opcode::BorrowedFrom)?;
    let phi = body.operand_value(inst, 0);
    borrows.is_reborrow(phi).then_some(phi)
}

fn print_values(test: &mut Test<'_, '_>, values: &[Value]) {
    for &value in values {
        let text = test.dump().value(value, "");
        test.print(text);
    }
}
