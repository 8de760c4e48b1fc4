//! `allocbox-to-stack`: promotes boxes that do not escape to stack allocations.
//!
//! ```text
//!   %1 = alloc_box ${ var Builtin.Int64 }, var, name "x"
//!   %2 = begin_borrow [lexical] [var_decl] %1
//!   %3 = project_box %2, 0
//!   store %0 to [trivial] %3
//!   end_borrow %2
//!   destroy_value %1
//! ---
//!   %1 = alloc_stack [lexical] [var_decl] $Builtin.Int64, var, name "x", type $Builtin.Int64
//!   store %0 to [trivial] %1
//!   dealloc_stack %1
//! ```
//!
//! Closures that do not escape and private callees take the address instead of the box; the pass specializes their functions.
//!
//! | file | what it does |
//! |---|---|
//! | [`uses`] | escape analysis of a box, and the functions it is passed to |
//! | [`specialize`] | specialized functions that take addresses |
//! | [`addresses`] | replacement of the uses of a box by an address |
//! | [`releases`] | the final releases of a box |
//! | [`rewrite`] | replacement of a box by a stack allocation |

mod addresses;
mod releases;
mod rewrite;
mod specialize;
mod uses;

use silkit_analysis::{Components, DeadEnds};
use silkit_base::Entity;
use silkit_ir::{FunctionFlags, FunctionId, Inst, Opcode, Release};
use silkit_pass::{ModuleContext, Pass};
use silkit_transform::stack_nesting::fix_stack_nesting;
use specialize::Specialized;
use uses::Uses;

pub(super) const PASS: Pass<'static> =
    Pass::module("allocbox-to-stack", "Puts the contents of boxes that do not escape on the stack", &run)
        .mandatory();

pub(super) const MANDATORY: Pass<'static> = Pass::module(
    "mandatory-allocbox-to-stack",
    "Puts the contents of boxes that do not escape on the stack, with static accesses (Swift 6.3)",
    &run_mandatory,
)
.mandatory();

pub(super) const LEGACY: Pass<'static> = Pass::module(
    "legacy-allocbox-to-stack",
    "Puts the contents of boxes that do not escape on the stack, as Swift 6.2 does",
    &run_legacy,
)
.mandatory();

/// What the pass of a release does beside the promotion.
#[derive(Clone, Copy)]
struct Variant {
    /// Turns a copy out of the memory, directly before its end, into a move, and lets functions be deleted of which only
    /// specializations are called (up to Swift 6.2).
    is_legacy: bool,
    /// Makes dynamic accesses of the memory static.
    makes_static: bool,
}

fn run(cx: &mut ModuleContext<'_>) {
    let is_legacy = cx.program().release() < Release::V6_3;
    promote_all(cx, Variant { is_legacy, makes_static: false });
}

fn run_mandatory(cx: &mut ModuleContext<'_>) {
    promote_all(cx, Variant { is_legacy: false, makes_static: true });
}

fn run_legacy(cx: &mut ModuleContext<'_>) {
    promote_all(cx, Variant { is_legacy: true, makes_static: false });
}

fn promote_all(cx: &mut ModuleContext<'_>, variant: Variant) {
    let mut specialized = Specialized::new(variant);
    let mut next = 0;
    // The copies of functions come last.
    while next < cx.module().functions.len() {
        let id = FunctionId::from_index(next);
        next += 1;
        let function = &cx.module().functions[id];
        if function.has(FunctionFlags::CANONICAL) {
            continue;
        }
        let Some(body) = &function.body else { continue };
        let boxes: Vec<Inst> =
            body.insts().filter(|&inst| body.inst(inst).opcode == Opcode::AllocBox).collect();
        if !boxes.is_empty() && !promote(cx, id, boxes, &mut specialized) {
            break;
        }
    }
    if !specialized.functions.is_empty() {
        let module = cx.module_mut();
        module.scopes.append(&mut specialized.scopes);
        module.place_before(&specialized.functions);
    }
}

/// Promotes the boxes of a function that do not escape. Returns false if no more may be changed.
fn promote(
    cx: &mut ModuleContext<'_>,
    id: FunctionId,
    boxes: Vec<Inst>,
    specialized: &mut Specialized,
) -> bool {
    let addresses = cx.program().addresses();
    let (mut promoted, mut passed, mut may_continue) = (Vec::new(), Vec::new(), true);
    let function = &cx.module().functions[id];
    let body = function.body.as_ref().filter(|_| !function.has_ossa());
    let regions = body.map(|body| (DeadEnds::compute(body), Components::compute(body)));
    for allocation in boxes {
        let Some(more) = Uses::of_box(cx.module(), addresses, id, allocation) else { continue };
        if regions.as_ref().is_some_and(|(dead_ends, components)| {
            cx.module().functions[id].body.as_ref().is_some_and(|body| {
                let taken = specialize::blocks_of_ends(body, id, &more, addresses);
                releases::leaks(body, allocation, taken, dead_ends, components)
            })
        }) {
            continue;
        }
        may_continue = cx.may_change();
        if !may_continue {
            break;
        }
        passed.extend(more);
        promoted.push(allocation);
    }
    if promoted.is_empty() {
        return may_continue;
    }
    specialize::pass_addresses(cx, &passed, specialized);
    cx.count("boxes promoted", promoted.len() as u64);
    let declarations = cx.declarations();
    let function = &mut cx.module_mut().functions[id];
    let (has_ossa, sig) = (function.has_ossa(), function.ty.ty().as_function().and_then(|ty| ty.sig));
    let Some(body) = &mut function.body else { return may_continue };
    let (dead_ends, components) = (DeadEnds::compute(body), Components::compute(body));
    for &allocation in promoted.iter().rev() {
        rewrite::replace(body, allocation, declarations, sig, (&dead_ends, &components), specialized.variant);
    }
    // Where allocations were not nested before either, they stay so.
    _ = fix_stack_nesting(body, has_ossa);
    may_continue
}
