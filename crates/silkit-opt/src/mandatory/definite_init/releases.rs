//! Releases of memory that is not, or not completely, initialized.
//!
//! ```text
//!   destroy_value %0                                  // an object with properties `a`, initialized, and `b`
//! ---
//!   %1 = begin_borrow %0
//!   %2 = ref_element_addr %1, #C.a
//!   %3 = begin_access [deinit] [static] %2
//!   destroy_addr %3
//!   end_access %3
//!   end_borrow %1
//!   %7 = metatype $@thick C.Type
//!   dealloc_partial_ref %0, %7
//! ```

use super::control::ControlVariable;
use super::object::{Step, Storage};
use super::plan::Plan;
use super::states::{ElementState, State};
use silkit_ir::instructions::{AccessEnforcement, AccessKind, AnyInst};
use silkit_ir::{Builder, Inst, Point};
use silkit_pass::FunctionContext;
use silkit_types::{MetatypeRepr, SilType, Type, TypeKind};

/// Replaces a release by the destruction of the initialized elements.
pub(super) fn divide(
    cx: &mut FunctionContext<'_>,
    plan: &Plan,
    control: Option<&ControlVariable>,
    release: Inst,
    state: &State,
) {
    match plan.object.storage {
        Storage::Address => destroy_elements(cx, plan, control, release, state),
        Storage::Box => {
            destroy_elements(cx, plan, control, place_in_box(cx, release), state);
            let owner = cx.body().operand_value(release, 0);
            cx.at(Point::Before(release)).dealloc_box(owner);
        }
        Storage::Object => return divide_object(cx, plan, control, release, state),
    }
    cx.edit().remove(release);
}

/// Returns the instruction before which the memory in a box is destroyed: the borrow of the box must not have ended.
///
/// The reference destroys the elements of a tuple after the end of the borrow.
fn place_in_box(cx: &FunctionContext<'_>, release: Inst) -> Inst {
    let before = cx.body().prev_inst(release);
    before.filter(|&inst| matches!(cx.body().view(inst), AnyInst::EndBorrow(_))).unwrap_or(release)
}

fn divide_object(
    cx: &mut FunctionContext<'_>,
    plan: &Plan,
    control: Option<&ControlVariable>,
    release: Inst,
    state: &State,
) {
    let is_conditional = plan.object.all().any(|element| state.of(element) == ElementState::Conditional);
    let mut end = release;
    if let Some(control) = control.filter(|_| is_conditional) {
        let diamond = control.test_all(cx, release);
        let body = cx.body();
        let (Some(then), Some(otherwise)) =
            (body.terminator(diamond.then), body.terminator(diamond.otherwise))
        else {
            return;
        };
        cx.at(Point::Before(then)).destroy_value(plan.object.value);
        end = otherwise;
    }
    destroy_elements(cx, plan, control, end, state);
    let mut builder = cx.at(Point::Before(end));
    let metatype = Type::new(TypeKind::Metatype(MetatypeRepr::Thick, plan.object.ty));
    let metatype = builder.metatype(SilType::object(metatype));
    builder.dealloc_partial_ref(plan.object.value, metatype);
    cx.edit().remove(release);
}

/// Destroys the initialized elements before an instruction.
fn destroy_elements(
    cx: &mut FunctionContext<'_>,
    plan: &Plan,
    control: Option<&ControlVariable>,
    before: Inst,
    state: &State,
) {
    for element in plan.object.all() {
        match (state.of(element), control) {
            (ElementState::Initialized, _) => {
                destroy_element(&mut cx.at(Point::Before(before)), plan, element);
            }
            (ElementState::Conditional, Some(control)) => {
                control.destroy_if_set(cx, plan, element, before);
            }
            _ => {}
        }
    }
}

/// Destroys an element.
pub(super) fn destroy_element(builder: &mut Builder<'_>, plan: &Plan, element: u32) {
    let object = &plan.object;
    let base = plan.projection.unwrap_or(object.value);
    if object.storage != Storage::Object {
        let address = object.project(builder, base, &object.elements[element as usize]);
        builder.destroy_addr(address);
        return;
    }
    let (property, rest): (&[Step], &[Step]) = object.elements[element as usize].split_at(1);
    let borrow = builder.begin_borrow(object.value);
    let property = object.project(builder, borrow, property);
    let access = builder.begin_access(AccessKind::Deinit, AccessEnforcement::Static, property);
    let address = object.project(builder, access, rest);
    builder.destroy_addr(address);
    builder.end_access(access);
    builder.end_borrow(borrow);
}
