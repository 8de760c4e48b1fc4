//! Tests of the variables that values come from.

use super::{Test, TestFn};
use silkit_analysis::ossa::Borrows;
use silkit_base::FxHashSet;
use silkit_ir::{Body, Opcode, Value};

pub(super) const TESTS: &[(&str, TestFn)] = &[("variable_introducer", variable_introducer)];

/// Prints the values that introduce the variables from which a value is copied, borrowed, loaded or forwarded.
fn variable_introducer(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("Variable introducers of: ", value);
    let found = introducers(test, value);
    let shown: Vec<String> =
        found.into_iter().map(|v| test.dump().value(v, "").trim_end_matches('\n').to_owned()).collect();
    test.print(format!("[{}]\n", shown.join(", ")));
    Ok(())
}

fn introducers(test: &Test<'_, '_>, value: Value) -> Vec<Value> {
    let ownership = test.ownership();
    let (body, borrows) = (test.body(), Borrows::new(test.body(), &ownership));
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        let above = sources(&borrows, body, value);
        if above.is_empty() {
            found.push(value);
        }
        work.extend(above.into_iter().rev());
    }
    found
}

/// Returns the values that a value comes from; nothing if it introduces a variable.
fn sources(borrows: &Borrows<'_>, body: &Body, value: Value) -> Vec<Value> {
    let first = |inst| vec![body.operand_value(inst, 0)];
    if let Some(inst) = body.defining_inst(value) {
        match body.inst(inst).opcode {
            Opcode::MoveValue | Opcode::BeginBorrow if body.has_flag(inst, "var_decl") => return Vec::new(),
            Opcode::MoveValue
            | Opcode::BeginBorrow
            | Opcode::CopyValue
            | Opcode::ExplicitCopyValue
            | Opcode::Load
            | Opcode::LoadBorrow
            | Opcode::MarkDependence
            | Opcode::StoreBorrow
            | Opcode::StructElementAddr
            | Opcode::TupleElementAddr
            | Opcode::InitEnumDataAddr
            | Opcode::UncheckedTakeEnumDataAddr
            | Opcode::IndexAddr
            | Opcode::TailAddr => return first(inst),
            _ => {}
        }
    }
    if body.value(value).ty.is_address() || borrows.is_phi_or_unreachable(value) {
        return Vec::new();
    }
    borrows.forwarding_operands(value).map(|operand| body.operand(operand).value).collect()
}
