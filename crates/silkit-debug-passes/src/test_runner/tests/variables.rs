//! Tests of local variables: reaching accesses.

use super::{Test, TestFn};
use silkit_analysis::ossa::{Borrows, UnknownAccess, Variable, VariableAccess};
use silkit_ir::Inst;
use silkit_ir::conventions::Conventions;

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("local_variable_reachable_uses", reachable_uses),
    ("local_variable_reaching_assignments", reaching_assignments),
];

fn reachable_uses(test: &mut Test<'_, '_>) -> Result<(), String> {
    let Some((variable, inst)) = variable(test, "### Modify: ")? else { return Ok(()) };
    let found = variable.uses_after(test.body(), inst);
    print_found(test, found, "!!! Reachable escape\n", "### Reachable access:\n");
    Ok(())
}

fn reaching_assignments(test: &mut Test<'_, '_>) -> Result<(), String> {
    let Some((variable, inst)) = variable(test, "### Instruction: ")? else { return Ok(()) };
    let found = variable.assignments_before(test.body(), inst);
    print_found(test, found, "!!! Reaching escape\n", "### Reachable assignments:\n");
    Ok(())
}

/// Returns and prints the variable and the instruction of the arguments; `None` if a use of the variable is not
/// understood.
fn variable(test: &mut Test<'_, '_>, what: &str) -> Result<Option<(Variable, Inst)>, String> {
    let allocation = test.value()?;
    let inst = test.instruction()?;
    test.print_value("### Allocation: ", allocation);
    let variable = {
        let ownership = test.ownership();
        let borrows = Borrows::new(test.body(), &ownership);
        let conventions = Conventions::of(test.function(), test.addresses());
        Variable::of(&borrows, conventions.as_ref(), allocation)
    };
    let Some(variable) = variable else {
        test.print("No reachability\n");
        return Ok(None);
    };
    test.print_value("### Access map:\nAccess map for: ", allocation);
    for access in variable.accesses() {
        test.print(format!("assign: {}, ", access.is_assignment));
        print_access(test, access);
    }
    test.print_inst(what, inst);
    Ok(Some((variable, inst)))
}

fn print_found(
    test: &mut Test<'_, '_>,
    found: Result<Vec<VariableAccess>, UnknownAccess>,
    escapes: &str,
    title: &str,
) {
    match found {
        Err(UnknownAccess) => test.print(escapes),
        Ok(found) => {
            test.print(title);
            test.print(if found.is_empty() { "\n" } else { "" });
            found.iter().for_each(|access| print_access(test, access));
        }
    }
}

fn print_access(test: &mut Test<'_, '_>, access: &VariableAccess) {
    match access.inst {
        Some(inst) => test.print_inst(access.kind.name(), inst),
        None => test.print(format!("{}\n", access.kind.name())),
    }
}
