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

/// The release of an object at a point with a state.
pub(super) struct Release<'a> {
    pub(super) plan: &'a Plan,
    pub(super) control: Option<&'a ControlVariable>,
    /// The state of the elements before the release.
    pub(super) state: &'a State,
}

impl Release<'_> {
    /// Replaces a release by the destruction of the initialized elements.
    pub(super) fn divide(&self, cx: &mut FunctionContext<'_>, release: Inst) {
        match self.plan.object.storage {
            Storage::Address => self.destroy_memory(cx, release),
            Storage::Box => {
                self.destroy_memory(cx, place_in_box(cx, release));
                let owner = cx.body().operand_value(release, 0);
                cx.at(Point::Before(release)).dealloc_box(owner);
            }
            Storage::Object => self.destroy_object(cx, release),
        }
        cx.edit().remove(release);
    }

    /// Destroys memory before an instruction, as far as it is initialized.
    fn destroy_memory(&self, cx: &mut FunctionContext<'_>, before: Inst) {
        let object = &self.plan.object;
        if !object.is_derived {
            return self.destroy_elements(cx, before);
        }
        let passed = object.stored().end;
        match (self.state.of(passed), self.control) {
            (ElementState::Initialized, _) => self.destroy_restored(cx, before),
            (ElementState::Conditional, Some(control)) => {
                let diamond = control.test(cx, passed, before);
                self.destroy_restored(cx, diamond.then);
                self.deallocate_derived(cx, diamond.otherwise);
            }
            _ => self.deallocate_derived(cx, before),
        }
    }

    /// Destroys `self` after the call of the superclass's initializer, if it is back in memory.
    fn destroy_restored(&self, cx: &mut FunctionContext<'_>, before: Inst) {
        let restored = self.plan.object.stored().end + 1;
        let point = match (self.state.of(restored), self.control) {
            (ElementState::Initialized, _) => before,
            (ElementState::Conditional, Some(control)) => control.test(cx, restored, before).then,
            _ => return,
        };
        cx.at(Point::Before(point)).destroy_addr(self.plan.base());
    }

    /// Deallocates a partially initialized `self` that is in memory.
    fn deallocate_derived(&self, cx: &mut FunctionContext<'_>, before: Inst) {
        self.destroy_elements(cx, before);
        let mut builder = cx.at(Point::Before(before));
        let qualifier = Some(LoadQualifier::Take);
        let value = builder.build(Load { qualifier, ..Load::new(self.plan.base()) });
        deallocate(&mut builder, self.plan, value);
    }

    /// Destroys or deallocates an object before an instruction.
    fn destroy_object(&self, cx: &mut FunctionContext<'_>, before: Inst) {
        let object = &self.plan.object;
        let is_conditional = object.all().any(|element| self.state.of(element) == ElementState::Conditional);
        let mut end = before;
        if let Some(control) = self.control.filter(|_| is_conditional) {
            let diamond = control.test_all(cx, before);
            cx.at(Point::Before(diamond.then)).destroy_value(object.value);
            end = diamond.otherwise;
        }
        self.destroy_elements(cx, end);
        deallocate(&mut cx.at(Point::Before(end)), self.plan, object.value);
    }

    /// Destroys the initialized elements before an instruction.
    fn destroy_elements(&self, cx: &mut FunctionContext<'_>, before: Inst) {
        for element in self.plan.object.stored() {
            match (self.state.of(element), self.control) {
                (ElementState::Initialized, _) => {
                    destroy_element(&mut cx.at(Point::Before(before)), self.plan, element);
                }
                (ElementState::Conditional, Some(control)) => {
                    control.destroy_if_set(cx, self.plan, element, before);
                }
                _ => {}
            }
        }
    }
}

/// Returns the instruction before which the memory in a box is destroyed: the borrow of the box must not have ended.
///
/// The reference destroys the elements of a tuple after the end of the borrow.
fn place_in_box(cx: &FunctionContext<'_>, release: Inst) -> Inst {
    let before = cx.body().prev_inst(release);
    before.filter(|&inst| matches!(cx.body().view(inst), AnyInst::EndBorrow(_))).unwrap_or(release)
}

/// Deallocates an object whose stored properties are not initialized.
fn deallocate(builder: &mut Builder<'_>, plan: &Plan, value: Value) {
    let metatype = SilType::object(Type::new(TypeKind::Metatype(MetatypeRepr::Thick, plan.object.ty)));
    let metatype = match plan.object.is_delegating() {
        // The caller may have allocated an object of a subclass.
        true => builder.value_metatype(metatype, value),
        false => builder.metatype(metatype),
    };
    builder.dealloc_partial_ref(value, metatype);
}

/// Destroys an element.
pub(super) fn destroy_element(builder: &mut Builder<'_>, plan: &Plan, element: u32) {
    let object = &plan.object;
    let base = plan.base();
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
