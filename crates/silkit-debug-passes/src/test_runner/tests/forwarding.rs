//! Tests of forwarding and conventions.

use super::{Test, TestFn};
use silkit_analysis::ossa::Borrows;
use silkit_base::FxHashSet;
use silkit_ir::conventions::{ArgumentConvention, ArgumentRole, Conventions};
use silkit_ir::{Operand, Ownership, Value};
use silkit_types::GenericSig;

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("argument_conventions", argument_conventions),
    ("forwarding_def_use_test", forwarding_def_use),
    ("forwarding_use_def_test", forwarding_use_def),
    ("partial_apply_print_on_stack_lifetime_ends", on_stack_lifetime_ends),
    ("print-type-lowering", print_type_lowering),
    ("print_ast_type_lowering", print_type_lowering),
];

/// An end of the forward-extended lifetime of a value.
enum LeafUse {
    /// A use that does not forward the value.
    Use(Operand),
    /// A forwarded value without uses.
    Dead(Value, Operand),
}

/// A pending step of a walk along forwarded values.
enum Step {
    Use(Operand),
    /// A value, and the operand that was forwarded to it.
    Value(Value, Operand),
}

fn forwarding_def_use(test: &mut Test<'_, '_>) -> Result<(), String> {
    let root = test.value()?;
    let mut leaves = Vec::new();
    {
        let ownership = test.ownership();
        let (body, borrows) = (test.body(), Borrows::new(test.body(), &ownership));
        let mut seen = FxHashSet::default();
        // Depth first, in the order of uses and results.
        let uses = |value: Value| body.uses(value).map(Step::Use).collect::<Vec<_>>().into_iter().rev();
        let mut work: Vec<Step> = uses(root).collect();
        while let Some(step) = work.pop() {
            let operand = match step {
                Step::Use(operand) => operand,
                Step::Value(value, operand) => {
                    match body.is_used(value) {
                        true => work.extend(uses(value)),
                        false => leaves.push(LeafUse::Dead(value, operand)),
                    }
                    continue;
                }
            };
            let forwards = borrows.using(operand).is_some_and(|how| how.is_forwarding());
            let forwarded = if forwards { borrows.forwarded_values(operand) } else { Vec::new() };
            let forwarded = forwarded.into_iter().filter(|&v| !borrows.has(v, Ownership::None));
            let forwarded: Vec<Value> = forwarded.collect();
            if forwarded.is_empty() {
                leaves.push(LeafUse::Use(operand));
            }
            let new: Vec<Value> = forwarded.into_iter().filter(|&v| seen.insert(v)).collect();
            work.extend(new.into_iter().rev().map(|value| Step::Value(value, operand)));
        }
    }
    for leaf in leaves {
        match leaf {
            LeafUse::Use(operand) => {
                let text = test.operand_text(operand);
                test.print(format!("USE: {text}"));
            }
            LeafUse::Dead(value, operand) => {
                let (value, text) = (test.dump().value(value, ""), test.operand_text(operand));
                test.print(format!("USE: dead value: {}from: {text}", value.trim_end_matches('\n')));
            }
        }
    }
    Ok(())
}

fn forwarding_use_def(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let mut introducers = {
        let ownership = test.ownership();
        Borrows::new(test.body(), &ownership).origins(value)
    };
    introducers.reverse();
    for introducer in introducers {
        test.print_value("INTRODUCER: ", introducer);
    }
    Ok(())
}

fn on_stack_lifetime_ends(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    let ends = {
        let ownership = test.ownership();
        let borrows = Borrows::new(test.body(), &ownership);
        let closure = test.body().defining_inst(value).ok_or("the test expects a closure")?;
        borrows.closure_ends(closure)
    };
    for &end in &ends {
        test.print_operand(end);
    }
    test.print(format!("returned: {}\n", !ends.is_empty()));
    Ok(())
}

fn argument_conventions(test: &mut Test<'_, '_>) -> Result<(), String> {
    let (name, ty) = (test.function().name, test.function().ty);
    test.print(format!("Conventions for function: {}\n{ty}\n\n", name.as_str()));
    let Some(conventions) = Conventions::of(test.function(), test.addresses()) else { return Ok(()) };
    for argument in 0..conventions.argument_count() {
        let what = match conventions.role(argument) {
            Some(ArgumentRole::IndirectResult(_)) => "indirect result",
            Some(ArgumentRole::IndirectError) => "indirect error",
            Some(ArgumentRole::Param(_)) | None => "parameter",
        };
        let how = conventions.convention(argument).map_or("unknown", convention_name);
        test.print(format!("[{argument}] {what:>16}: {how}\n"));
    }
    Ok(())
}

fn convention_name(convention: ArgumentConvention) -> &'static str {
    use ArgumentConvention as A;
    match convention {
        A::Out => "indirectOut",
        A::In => "indirectIn",
        A::InGuaranteed => "indirectInGuaranteed",
        A::InCxx => "indirectInCXX",
        A::Inout => "indirectInout",
        A::InoutAliasable => "indirectInoutAliasable",
        A::Owned => "directOwned",
        A::Guaranteed => "directGuaranteed",
        A::Unowned => "directUnowned",
        A::PackOut => "packOut",
        A::PackOwned => "packOwned",
        A::PackGuaranteed => "packGuaranteed",
        A::PackInout => "packInout",
    }
}

/// Prints the type lowering properties of a type; `unknown` if they are not known.
fn print_type_lowering(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let ty = test.body().value(value).ty;
    let sig: Option<GenericSig> = test.function().ty.ty().as_function().and_then(|f| f.sig);
    let declarations = test.cx.declarations();
    let found = declarations.properties(ty.ty(), sig);
    let ty = if found.address_only == Some(false) { ty.to_object() } else { ty };
    let has_pack = declarations.holds_pack(ty.ty());
    let has_fixed_size = found.address_only.map(|yes| !yes);
    let lines = [
        ("isTrivial", found.trivial),
        ("isFixedABI", has_fixed_size),
        ("isAddressOnly", found.address_only),
        ("isResilient", Some(false)),
        ("isTypeExpansionSensitive", Some(false)),
        ("isInfinite", Some(false)),
        ("isOrContainsRawPointer", found.holds_pointer),
        ("isLexical", found.trivial.map(|yes| !yes)),
        ("isOrContainsPack", has_pack),
    ];
    test.print(format!("Type Lowering for lowered type: {ty}.\nExpansion: Maximal\n"));
    for (name, answer) in lines {
        let answer = answer.map_or_else(|| "unknown".to_owned(), |yes| yes.to_string());
        test.print(format!("{name}: {answer}.\n"));
    }
    test.print("\n");
    Ok(())
}

impl Test<'_, '_> {
    /// Returns an operand as a line: its index and its user.
    fn operand_text(&self, operand: Operand) -> String {
        let body = self.body();
        let user = self.dump().inst(body.operand(operand).user, "");
        format!("operand #{} of {user}", body.operand_index(operand))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn type_parameters_and_packs_may_be_pointers() {
        let text = "\
sil_stage canonical
import Builtin
import Swift
protocol P {}
sil [ossa] @f : $@convention(thin) <T, each U> (@inout T, @inout any P, @pack_inout Pack{repeat each U}) -> () {
bb0(%0 : $*T, %1 : $*any P, %2 : $*Pack{repeat each U}):
  specify_test \"print-type-lowering %0\"
  specify_test \"print-type-lowering %1\"
  specify_test \"print-type-lowering %2\"
  %r = tuple ()
  return %r : $()
}
";
        let printed = printed("test-runner", Stream::Out, text);
        let found: Vec<&str> =
            printed.lines().filter_map(|line| line.strip_prefix("isOrContainsRawPointer: ")).collect();
        assert_eq!(found, ["true.", "false.", "true."]);
    }
}
