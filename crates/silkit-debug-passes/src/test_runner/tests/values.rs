//! Tests of single queries about values.

use super::{Test, TestFn};
use silkit_analysis::DeadEnds;
use silkit_analysis::ossa::Borrows;
use silkit_ir::{ArgFlags, Opcode, Ownership, ValueDef};
use silkit_transform::delete;
use silkit_transform::lifetime_completion::complete_at_last_uses;

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("deleter_delete_if_dead", deleter_delete_if_dead),
    ("get_ownership_kind", get_ownership_kind),
    ("has_pointer_escape", has_pointer_escape),
    ("is_lexical", is_lexical),
    ("is_sil_trivial", is_sil_trivial),
    ("ossa_lifetime_completion", ossa_lifetime_completion),
];

fn get_ownership_kind(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("", value);
    let kind = match test.ownership().value(value) {
        Some(Ownership::Owned) => "owned",
        Some(Ownership::Guaranteed) => "guaranteed",
        Some(Ownership::Unowned) => "unowned",
        _ => "none",
    };
    test.print(format!("OwnershipKind: {kind}\n"));
    Ok(())
}

fn is_sil_trivial(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("", value);
    let is_trivial = test.ownership().is_trivial(test.body().value(value).ty.to_object()) == Some(true);
    test.print(if is_trivial { " is trivial\n" } else { " is not trivial\n" });
    Ok(())
}

fn has_pointer_escape(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("", value);
    let escapes = {
        let ownership = test.ownership();
        Borrows::new(test.body(), &ownership).has_pointer_escape(value)
    };
    test.print(format!("{escapes}\n"));
    Ok(())
}

/// Prints whether a value has a lexical lifetime.
fn is_lexical(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("", value);
    let body = test.body();
    let found = match body.def(value) {
        ValueDef::Argument(block, _) if body.is_entry_block(block) => {
            let data = body.value(value);
            let sig = test.function().ty.ty().as_function().and_then(|f| f.sig);
            let by_type = test.cx.declarations().is_lexical(data.ty.ty(), sig) != Some(false);
            data.arg_flags.contains(ArgFlags::LEXICAL)
                || (by_type && !data.arg_flags.contains(ArgFlags::EAGER_MOVE))
        }
        ValueDef::Result(inst, _) => {
            matches!(body.inst(inst).opcode, Opcode::MoveValue | Opcode::BeginBorrow)
                && body.has_flag(inst, "lexical")
        }
        _ => false,
    };
    test.print(format!("{found}\n"));
    Ok(())
}

/// Deletes a dead instruction.
fn deleter_delete_if_dead(test: &mut Test<'_, '_>) -> Result<(), String> {
    let inst = test.instruction()?;
    let text = test.dump().inst(inst, "");
    test.print(format!("Deleting-if-dead {text}"));
    let count = test.with_context(|cx| delete::dead(cx, [inst]));
    test.print(format!("deleteIfDead returned {}\n", u32::from(count > 0)));
    test.print_function();
    Ok(())
}

/// Completes the lifetime of a value after its last uses.
fn ossa_lifetime_completion(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let boundary = test.arguments.text()?.to_owned();
    if boundary != "liveness" {
        return Err(format!("unknown boundary `{boundary}`; expected `liveness`"));
    }
    test.print_value(&format!("OSSA lifetime completion on {boundary} boundary: "), value);
    test.with_context(|cx| {
        let dead_ends = cx.get::<DeadEnds>();
        complete_at_last_uses(cx, value, &dead_ends);
    });
    test.print_function();
    Ok(())
}
