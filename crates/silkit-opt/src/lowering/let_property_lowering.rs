//! `let-property-lowering`: inserts `end_init_let_ref` after a class initializer has initialized all `let`
//! properties, and marks accesses to them elsewhere as immutable.
//!
//! `end_init_let_ref` follows the last initialization of a `let` property on each path. Later uses of the object use
//! its result, so that property accesses through it can be `[immutable]`.
//!
//! ```text
//! class C { final let x: Builtin.Int64 }
//! sil [ossa] @f : $@convention(method) (@owned C, Builtin.Int64) -> @owned C {
//! bb0(%0 : @owned $C, %1 : $Builtin.Int64):
//!   %2 = mark_uninitialized [rootself] %0
//!   %3 = begin_borrow %2
//!   %4 = ref_element_addr %3, #C.x
//!   store %1 to [trivial] %4
//!   end_borrow %3
//!   return %2
//! }
//! sil [ossa] @g : $@convention(method) (@guaranteed C) -> Builtin.Int64 {
//! bb0(%0 : @guaranteed $C):
//!   %1 = ref_element_addr %0, #C.x
//!   %2 = load [trivial] %1
//!   return %2
//! }
//! ---
//! sil [ossa] @f : $@convention(method) (@owned C, Builtin.Int64) -> @owned C {
//! bb0(%0 : @owned $C, %1 : $Builtin.Int64):
//!   %2 = mark_uninitialized [rootself] %0
//!   %3 = begin_borrow %2
//!   %4 = ref_element_addr %3, #C.x
//!   store %1 to [trivial] %4
//!   end_borrow %3
//!   %7 = end_init_let_ref %2
//!   return %7
//! }
//! sil [ossa] @g : $@convention(method) (@guaranteed C) -> Builtin.Int64 {
//! bb0(%0 : @guaranteed $C):
//!   %1 = ref_element_addr [immutable] %0, #C.x
//!   %2 = load [trivial] %1
//!   return %2
//! }
//! ```

use silkit_analysis::{BodyView, Dominators, InstRange, Joins};
use silkit_base::FxHashSet;
use silkit_ir::instructions::{AccessKind, AnyInst, MarkUninitialized, RefElementAddr, UninitializedKind};
use silkit_ir::{Inst, Opcode, Operand, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::ssa_updater::SsaUpdater;
use silkit_types::decl::DeclFlags;

pub(super) const PASS: Pass<'static> = Pass::function(
    "let-property-lowering",
    "Inserts `end_init_let_ref` and marks `let` property accesses outside of initializers immutable",
    &run,
)
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let marks: Vec<Inst> = cx.body().insts().filter(|&inst| marks_object(&cx.view(), inst)).collect();
    for mark in marks {
        if cx.may_change() {
            end_initialization(cx, mark);
            cx.count("initializations completed", 1);
        }
    }
    let is_fixed = |&inst: &Inst| {
        let Some(address) = cx.body().view_as::<RefElementAddr>(inst) else { return false };
        // As in the reference, a copy or a cast of the object is one whose properties do not change.
        let root = match cx.body().defining_inst(address.operand).map(|inst| cx.body().view(inst)) {
            Some(AnyInst::BeginBorrow(borrow)) => borrow.operand,
            // The object of a class with a superclass is in memory.
            Some(AnyInst::LoadBorrow(load)) => load.address,
            _ => address.operand,
        };
        let is_in_initializer = cx.body().def_as::<MarkUninitialized>(root).is_some();
        !address.immutable && !is_in_initializer && is_let(&cx.view(), address)
    };
    let fixed: Vec<Inst> = cx.body().insts().filter(is_fixed).collect();
    for address in fixed {
        if cx.may_change() {
            cx.edit().set_flag(address, "immutable", true);
            cx.count("properties marked immutable", 1);
        }
    }
}

/// Returns true if an instruction marks an object whose properties this function initializes itself.
fn marks_object(view: &BodyView<'_>, inst: Inst) -> bool {
    let Some(MarkUninitialized { kind, operand }) = view.body.view_as(inst) else { return false };
    let ty = view.body.value(operand).ty;
    let initializes = matches!(
        kind,
        UninitializedKind::Rootself
            | UninitializedKind::Crossmodulerootself
            | UninitializedKind::Derivedself
            | UninitializedKind::Derivedselfonly
    );
    initializes && !ty.is_address() && view.declarations().is_class(ty.ty()) == Some(true)
}

fn is_let(view: &BodyView<'_>, address: RefElementAddr) -> bool {
    let ty = view.body.value(address.operand).ty.ty();
    view.class_property(ty, address.field).is_some_and(|(_, field)| field.flags.contains(DeclFlags::LET))
}

/// Returns the `let` property of an object that an address is projected from.
fn let_property(view: &BodyView<'_>, address: Value) -> Option<RefElementAddr> {
    use Opcode as O;
    let follows = |opcode| {
        matches!(
            opcode,
            O::BeginAccess | O::StructElementAddr | O::TupleElementAddr | O::MarkUnresolvedNonCopyableValue
        )
    };
    let property: RefElementAddr = view.body.def_as(view.body.look_through(address, follows))?;
    is_let(view, property).then_some(property)
}

/// Returns the instructions from the mark to the last initialization of a `let` property on each path.
fn initialization<'b>(view: &BodyView<'b>, mark: Inst, object: Value) -> InstRange<'b> {
    let body = view.body;
    let mut range = InstRange::new(body, mark);
    range.insert(mark);
    let mut borrows = Vec::new();
    for inst in body.insts() {
        let destination = match body.view(inst) {
            AnyInst::Assign(assign) => assign.destination,
            AnyInst::Store(store) => store.destination,
            AnyInst::CopyAddr(copy) => copy.destination,
            // A failing initializer destroys the initialized properties.
            AnyInst::BeginAccess(access) if access.kind == AccessKind::Deinit => access.address,
            AnyInst::BeginBorrow(borrow) if body.look_through_class_casts(borrow.operand) == object => {
                borrows.push(inst);
                continue;
            }
            _ => continue,
        };
        let property = let_property(view, destination);
        if property.is_some_and(|property| body.look_through_class_casts(property.operand) == object) {
            range.insert(inst);
        }
    }
    // A borrow that begins during initialization continues to borrow the uninitialized object.
    for borrow in borrows {
        if range.contains(borrow) {
            for user in body.results(borrow).flat_map(|value| body.users(value)) {
                if body.ends_scope(user).is_some() {
                    range.insert(user);
                }
            }
        }
    }
    range
}

fn end_initialization(cx: &mut FunctionContext<'_>, mark: Inst) {
    let Some(object) = cx.body().first_result(mark) else { return };
    let view = cx.view();
    let range = initialization(&view, mark, object);
    let mut points: Vec<Point> = range.ends().map(Point::After).collect();
    let mut exits = FxHashSet::default();
    points.extend(range.exits().filter(|&exit| exits.insert(exit)).map(Point::Before));
    let is_later = |&operand: &Operand| !range.contains_or_ends(cx.body().operand(operand).user);
    let uses: Vec<Operand> = cx.body().uses(object).filter(is_later).collect();
    let mut updater = SsaUpdater::new(cx.body().value(object).ty, Ownership::Owned);
    updater.define(cx.body().inst_block(mark), object);
    let mut ends = Vec::new();
    for point in points {
        let ended = cx.at(point).end_init_let_ref(object);
        updater.define(cx.body().point_block(point), ended);
        ends.extend(cx.body().defining_inst(ended));
    }
    let dominators = cx.get::<Dominators>().detach(cx.body());
    let mut joins = Joins::compute(cx.body(), &dominators);
    let has_changed = updater.rewrite(cx.body_mut(), &dominators, &mut joins, &uses).is_ok();
    if !has_changed {
        // An edge that cannot pass the object would have to: the object stays mutable.
        ends.into_iter().for_each(|end| cx.edit().remove(end));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    const HEAD: &str = "sil_stage raw\nimport Builtin\nimport Swift\n\
        struct S { var a: Builtin.Int64\n var b: Builtin.Int64 }\n\
        class C { final let x: Builtin.Int64\n final let s: S\n final var v: Builtin.Int64 }\n";

    /// Returns the body of a method with a `C`, a number and a condition after the pass.
    fn lowered(convention: &str, insts: &str) -> String {
        let text = changed(
            "let-property-lowering",
            &[],
            &format!(
                "{HEAD}sil [ossa] @f : $@convention(method) (@{convention} C, Builtin.Int64, Builtin.Int1) -> () {{\n\
                 bb0(%0 : @{convention} $C, %1 : $Builtin.Int64, %2 : $Builtin.Int1):\n{insts}\n}}\n"
            ),
        );
        text[text.find("bb0(").expect("a body")..].to_owned()
    }

    const END: &str = "destroy_value %m\n%r = tuple ()\nreturn %r";

    #[test]
    fn objects_without_let_properties_are_initialized_at_once() {
        let text = lowered("owned", &format!("%m = mark_uninitialized [rootself] %0\n{END}"));
        assert!(text.contains("%4 = end_init_let_ref %3\n  destroy_value %4"), "{text}");
    }

    #[test]
    fn other_kinds_of_marks_stay() {
        let text = lowered("owned", &format!("%m = mark_uninitialized [delegatingself] %0\n{END}"));
        assert!(!text.contains("end_init_let_ref"), "{text}");
    }

    #[test]
    fn parts_of_properties_count_and_variables_do_not() {
        let text = lowered(
            "owned",
            &format!(
                "%m = mark_uninitialized [rootself] %0\n\
                 %4 = ref_element_addr %m, #C.s\n%5 = begin_access [init] [static] %4\n\
                 %6 = struct_element_addr %5, #S.a\nassign %1 to [init] %6\nend_access %5\n\
                 %7 = ref_element_addr %m, #C.v\nassign %1 to [init] %7\n{END}"
            ),
        );
        let end = text.find("end_init_let_ref").expect("an end");
        assert!(text.find("#S.a").is_some_and(|at| at < end), "{text}");
        assert!(text.find("#C.v").is_some_and(|at| at > end), "{text}");
    }

    #[test]
    fn properties_that_are_destroyed_again_count() {
        let destroy = |address: &str| {
            lowered(
                "owned",
                &format!(
                    "%m = mark_uninitialized [rootself] %0\n%4 = ref_element_addr %m, #C.x\n\
                     assign %1 to [init] %4\n%6 = ref_element_addr %m, #C.x\n{address}\n{END}"
                ),
            )
        };
        let text = destroy("%7 = begin_access [deinit] [static] %6\ndestroy_addr %7\nend_access %7");
        assert!(!text.contains("[immutable]"), "{text}");
        let text = destroy("%7 = begin_access [read] [static] %6\nend_access %7");
        assert!(text.contains("[immutable]"), "{text}");
    }

    #[test]
    fn paths_meet_in_phis() {
        let set = |borrow: &str, address: &str| {
            format!(
                "%{borrow} = begin_borrow %m\n%{address} = ref_element_addr %{borrow}, #C.x\n\
                 assign %1 to [init] %{address}\nend_borrow %{borrow}\nbr bb3\n"
            )
        };
        let text = lowered(
            "owned",
            &format!(
                "%m = mark_uninitialized [rootself] %0\ncond_br %2, bb1, bb2\nbb1:\n{}bb2:\n{}bb3:\n\
                 %9 = ref_element_addr %m, #C.x\n%10 = load [trivial] %9\n{END}",
                set("4", "5"),
                set("6", "7")
            ),
        );
        assert_eq!(text.matches("end_borrow").count(), 2);
        assert_eq!(text.matches("end_init_let_ref").count(), 2);
        assert!(text.contains("bb3(%17 : @owned $C):\n  %18 = ref_element_addr [immutable] %17"), "{text}");
    }

    #[test]
    fn paths_that_leave_the_initialization_end_it() {
        let text = lowered(
            "owned",
            &format!(
                "%m = mark_uninitialized [rootself] %0\ncond_br %2, bb1, bb2\nbb1:\n\
                 %5 = ref_element_addr %m, #C.x\nassign %1 to [init] %5\n{END}\n\
                 bb2:\ndestroy_value %m\nunreachable"
            ),
        );
        let left = text.split("bb2:\n").nth(1).expect("the block");
        assert!(left.contains(" = end_init_let_ref %3\n  destroy_value %"), "{text}");
    }

    #[test]
    fn properties_of_whole_objects_are_immutable() {
        let text = lowered(
            "guaranteed",
            "%3 = ref_element_addr %0, #C.x\n%4 = ref_element_addr %0, #C.v\n%r = tuple ()\nreturn %r",
        );
        assert!(
            text.contains("[immutable] %0, #C.x") && text.contains("ref_element_addr %0, #C.v"),
            "{text}"
        );
    }
}
