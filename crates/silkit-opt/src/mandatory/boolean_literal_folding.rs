//! `boolean-literal-folding`: folds branches on the literals `true` and `false`, so that definite initialization
//! ignores the path that is never taken.
//!
//! ```text
//! sil [_semantics "bool.literal_init"] @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool
//! sil [ossa] @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = integer_literal $Builtin.Int1, -1
//!   %1 = metatype $@thin Bool.Type
//!   %2 = function_ref @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool
//!   %3 = apply %2(%0, %1) : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool
//!   %4 = struct_extract %3, #Bool._value
//!   cond_br %4, bb1, bb2
//! bb1:
//!   %6 = tuple ()
//!   return %6
//! bb2:
//!   unreachable
//! }
//! ---
//! sil [_semantics "bool.literal_init"] @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool
//! sil [ossa] @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = integer_literal $Builtin.Int1, -1
//!   %1 = metatype $@thin Bool.Type
//!   %2 = function_ref @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool
//!   %3 = apply %2(%0, %1) : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool
//!   %4 = struct_extract %3, #Bool._value
//!   br bb1
//! bb1:
//!   %6 = tuple ()
//!   return %6
//! }
//! ```

use silkit_ir::instructions::{Apply, Branch, CondBranch, FunctionRef, IntegerLiteral, StructExtract};
use silkit_ir::{Inst, Point, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::unreachable;

pub(super) const PASS: Pass<'static> =
    Pass::function("boolean-literal-folding", "Folds branches on boolean literals", &run).mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let terminators: Vec<Inst> = cx.body().blocks().filter_map(|block| cx.body().terminator(block)).collect();
    let mut has_changed = false;
    for branch in terminators {
        let Some(CondBranch { condition, true_target, true_args, false_target, false_args, .. }) =
            cx.body().view_as(branch)
        else {
            continue;
        };
        let Some(is_true) = literal(cx, condition) else { continue };
        let (target, args) = if is_true { (true_target, true_args) } else { (false_target, false_args) };
        let args: Vec<Value> = args.iter().collect();
        if !cx.may_change() {
            break;
        }
        let block = cx.body().inst_block(branch);
        let loc = cx.body().inst(branch).loc;
        cx.edit().remove(branch);
        let mut builder = cx.at(Point::End(block));
        builder.set_default_loc(loc);
        builder.build(Branch::new(target, &args[..]));
        cx.count("branches folded", 1);
        has_changed = true;
    }
    if has_changed {
        unreachable::remove_unreachable_blocks(cx.body_mut());
    }
}

/// Returns the value of a condition that is a `true` or `false` literal.
fn literal(cx: &FunctionContext<'_>, condition: Value) -> Option<bool> {
    let body = cx.body();
    let call: Apply<'_> = body.def_as(body.def_as::<StructExtract>(condition)?.operand)?;
    let callee = cx.program().function_id(body.def_as::<FunctionRef>(call.callee)?.function)?;
    if !cx.program().module.functions[callee].has_semantics("bool.literal_init") || call.args.len() != 2 {
        return None;
    }
    let value = body.def_as::<IntegerLiteral>(call.args.iter().next()?)?.value;
    Some(value != "0")
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    fn folded(semantics: &str, condition: &str) -> String {
        changed(
            "boolean-literal-folding",
            &[],
            &format!(
                "sil_stage raw\nimport Builtin\nimport Swift\n\
                 sil {semantics} @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool\n\
                 sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 {{\nbb0(%0 : $Builtin.Int1):\n\
                 {condition}\n\
                 %2 = metatype $@thin Bool.Type\n\
                 %3 = function_ref @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool\n\
                 %4 = apply %3(%1, %2) : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool\n\
                 %5 = struct_extract %4, #Bool._value\n\
                 cond_br %5, bb1(%0), bb2\nbb1(%7 : $Builtin.Int1):\nreturn %7\nbb2:\nunreachable\n}}\n"
            ),
        )
    }

    const SEMANTICS: &str = "[_semantics \"bool.literal_init\"]";

    #[test]
    fn literals_choose_a_way_with_its_arguments() {
        let text = folded(SEMANTICS, "%1 = integer_literal $Builtin.Int1, -1");
        assert!(text.contains("br bb1(%0)") && !text.contains("bb2"), "{text}");
        let text = folded(SEMANTICS, "%1 = integer_literal $Builtin.Int1, 0");
        assert!(text.contains("br bb1\n") && !text.contains("return"), "{text}");
    }

    #[test]
    fn other_conditions_stay() {
        assert!(folded("", "%1 = integer_literal $Builtin.Int1, -1").contains("cond_br"));
        let text = folded(SEMANTICS, "%1 = builtin \"xor_Int1\"(%0, %0) : $Builtin.Int1");
        assert!(text.contains("cond_br"), "{text}");
    }
}
