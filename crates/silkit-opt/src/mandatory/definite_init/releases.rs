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
use silkit_ir::instructions::{AccessEnforcement, AccessKind, AnyInst, Load, LoadQualifier};
use silkit_ir::{Builder, Inst, Point, Value};
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
        Storage::Address => destroy_memory(cx, plan, control, release, state),
        Storage::Box => {
            destroy_memory(cx, plan, control, place_in_box(cx, release), state);
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

/// Destroys memory before an instruction, as far as it is initialized.
fn destroy_memory(
    cx: &mut FunctionContext<'_>,
    plan: &Plan,
    control: Option<&ControlVariable>,
    before: Inst,
    state: &State,
) {
    let object = &plan.object;
    if !object.is_derived {
        return destroy_elements(cx, plan, control, before, state);
    }
    let passed = object.stored().end;
    match (state.of(passed), control) {
        (ElementState::Initialized, _) => destroy_restored(cx, plan, control, before, state),
        (ElementState::Conditional, Some(control)) => {
            let diamond = control.test(cx, passed, before);
            let body = cx.body();
            let (then, otherwise) = (body.terminator(diamond.then), body.terminator(diamond.otherwise));
            if let (Some(then), Some(otherwise)) = (then, otherwise) {
                destroy_restored(cx, plan, Some(control), then, state);
                deallocate_derived(cx, plan, Some(control), otherwise, state);
            }
        }
        _ => deallocate_derived(cx, plan, control, before, state),
    }
}

/// Destroys `self` after the call of the superclass's initializer, if it is back in memory.
fn destroy_restored(
    cx: &mut FunctionContext<'_>,
    plan: &Plan,
    control: Option<&ControlVariable>,
    before: Inst,
    state: &State,
) {
    let restored = plan.object.stored().end + 1;
    let address = plan.projection.unwrap_or(plan.object.value);
    match (state.of(restored), control) {
        (ElementState::Initialized, _) => _ = cx.at(Point::Before(before)).destroy_addr(address),
        (ElementState::Conditional, Some(control)) => {
            let diamond = control.test(cx, restored, before);
            if let Some(end) = cx.body().terminator(diamond.then) {
                cx.at(Point::Before(end)).destroy_addr(address);
            }
        }
        _ => {}
    }
}

/// Deallocates a partially initialized `self` that is in memory.
fn deallocate_derived(
    cx: &mut FunctionContext<'_>,
    plan: &Plan,
    control: Option<&ControlVariable>,
    before: Inst,
    state: &State,
) {
    destroy_elements(cx, plan, control, before, state);
    let address = plan.projection.unwrap_or(plan.object.value);
    let mut builder = cx.at(Point::Before(before));
    let qualifier = Some(LoadQualifier::Take);
    let value = builder.build(Load { qualifier, ..Load::new(address) });
    deallocate(&mut builder, plan, value);
}

/// Deallocates an object whose stored properties are not initialized.
fn deallocate(builder: &mut Builder<'_>, plan: &Plan, value: Value) {
    let metatype = Type::new(TypeKind::Metatype(MetatypeRepr::Thick, plan.object.ty));
    let metatype = builder.metatype(SilType::object(metatype));
    builder.dealloc_partial_ref(value, metatype);
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
    deallocate(&mut cx.at(Point::Before(end)), plan, plan.object.value);
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
    for element in plan.object.stored() {
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
    if object.storage != Storage::Object && !object.is_derived {
        let address = object.project(builder, base, &object.elements[element as usize]);
        builder.destroy_addr(address);
        return;
    }
    let (property, rest): (&[Step], &[Step]) = object.elements[element as usize].split_at(1);
    let borrow = match object.is_derived {
        true => builder.load_borrow(base),
        false => builder.begin_borrow(object.value),
    };
    let property = object.project(builder, borrow, property);
    let access = builder.begin_access(AccessKind::Deinit, AccessEnforcement::Static, property);
    let address = object.project(builder, access, rest);
    builder.destroy_addr(address);
    builder.end_access(access);
    builder.end_borrow(borrow);
}
