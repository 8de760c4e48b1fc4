//! Repeated calls of the getter of a lazy property.
//!
//! The first call stores the value. A later call is inlined, and its test whether there is a value is removed:
//!
//! ```text
//!   %3 = apply %1(%0) : $@convention(method) (@guaranteed C) -> Int
//! ---
//!   %3 = ref_element_addr %0, #C.storage
//!   %4 = load [trivial] %3
//!   %5 = unchecked_enum_data %4, #Optional.some!enumelt
//!   br bb1(%5)
//! ```

use silkit_analysis::BodyView;
use silkit_ir::instructions::SwitchEnum;
use silkit_ir::{Block, Body, DeclRef, FunctionId, Inst, Point, SpecialPurpose, Value};
use silkit_pass::FunctionContext;
use silkit_transform::unreachable::remove_unreachable_blocks;
use silkit_transform::{inliner, merge_blocks};

/// Returns the getter of a lazy property of a class that an instruction calls, if repeated calls can be inlined: it begins with a
/// test of the stored optional. A struct may be overwritten between two calls.
pub(super) fn getter(view: &BodyView<'_>, call: Inst) -> Option<FunctionId> {
    let (body, program) = (view.body, view.program);
    let id = program.module.functions.find(&body.called_function(call)?)?;
    let callee = &program.module.functions[id];
    let site = view.apply_site(call)?;
    if callee.attributes.purpose != Some(SpecialPurpose::LazyGetter)
        || view.function.has_ossa() && !callee.has_ossa()
        || site.arguments().next().is_none_or(|argument| body.value(argument).ty.is_address())
    {
        return None;
    }
    let source = program.definition(id).body()?;
    let (tested, _, some) = test(source, source.entry_block()?)?;
    let is_optional = view.declarations().optional_payload(source.value(tested).ty.ty()).is_some();
    (is_optional && source.arguments(some).len() == 1).then_some(id)
}

/// Returns the optional that is tested at the end of a block, the case with a payload, and its block.
fn test(body: &Body, block: Block) -> Option<(Value, DeclRef, Block)> {
    let SwitchEnum { operand, cases, .. } = body.view_as(body.terminator(block)?)?;
    let is_some = |case: &DeclRef| case.name().is_some_and(|name| name == "some");
    cases.iter().find(|(case, _)| is_some(case)).map(|(case, block)| (operand, case, block))
}

/// Inlines repeated calls of getters.
pub(super) fn inline(cx: &mut FunctionContext<'_>, calls: Vec<Inst>) {
    let mut is_changed = false;
    for call in calls {
        let Some(callee) = getter(&cx.view(), call).filter(|_| cx.may_change()) else { continue };
        let block = cx.body().inst_block(call);
        let request = inliner::Request::of_call(cx, call, callee);
        if request.is_none_or(|request| inliner::inline_blocks(cx, request).is_err()) {
            continue;
        }
        cx.count("calls of lazy getters inlined", 1);
        let entry = cx.body().terminator(block).and_then(|branch| cx.body().successors(branch).next());
        let context = cx.ownership_context();
        if let Some(entry) = entry {
            merge_blocks::merge_into_predecessor(cx.body_mut(), context, entry);
        }
        let Some((optional, case, target)) = test(cx.body(), block) else { continue };
        let Some(switch) = cx.body().terminator(block) else { continue };
        let mut builder = cx.at(Point::Before(switch));
        let value = builder.unchecked_enum_data(optional, case);
        builder.remove(switch);
        builder.move_to(Point::End(block));
        builder.br(target, &[value]);
        is_changed = true;
    }
    if is_changed {
        remove_unreachable_blocks(cx.body_mut());
    }
}
