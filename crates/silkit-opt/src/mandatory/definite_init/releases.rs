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
use super::object::Storage;
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
    /// Replaces a release by the destruction of the initialized elements. The release itself is moved to where all of
    /// the object is initialized.
    pub(super) fn divide(&self, cx: &mut FunctionContext<'_>, release: Inst) {
        let whole = match self.plan.object.storage {
            Storage::Address => self.destroy_memory(cx, release, None),
            Storage::Box => {
                let owner = cx.body().operand_value(release, 0);
                let place = place_in_box(cx, release);
                if self.plan.object.is_derived && place == release {
                    self.destroy_memory(cx, release, Some(owner))
                } else {
                    if let Some(whole) = self.destroy_memory(cx, place, None) {
                        cx.at(Point::Before(whole)).destroy_addr(self.plan.base());
                    }
                    cx.at(Point::Before(release)).dealloc_box(owner);
                    None
                }
            }
            Storage::Object => self.destroy_object(cx, release),
        };
        match whole {
            Some(whole) if whole == release => {}
            Some(whole) => cx.edit().move_inst(release, Point::Before(whole)),
            None => cx.edit().remove(release),
        }
    }

    /// Destroys memory before an instruction, as far as it is partially initialized, and deallocates the box that it is
    /// in, if that is given. Returns the instruction before which all of the memory has to be destroyed.
    fn destroy_memory(
        &self,
        cx: &mut FunctionContext<'_>,
        before: Inst,
        owner: Option<Value>,
    ) -> Option<Inst> {
        let object = &self.plan.object;
        if !object.is_derived {
            self.destroy_elements(cx, before);
            return None;
        }
        let passed = object.stored().end;
        match (self.state.of(passed), self.control) {
            (ElementState::Initialized, _) => self.destroy_restored(cx, before, owner),
            (ElementState::Conditional, Some(control)) => {
                let diamond = control.test(cx, passed, before);
                let whole = self.destroy_restored(cx, diamond.then, owner);
                self.deallocate_derived(cx, diamond.otherwise, owner);
                whole
            }
            _ => {
                self.deallocate_derived(cx, before, owner);
                None
            }
        }
    }

    /// Returns the instruction before which `self` has to be destroyed after the call of the superclass's initializer, if
    /// it is back in memory. If it is not, the box is deallocated.
    fn destroy_restored(
        &self,
        cx: &mut FunctionContext<'_>,
        before: Inst,
        owner: Option<Value>,
    ) -> Option<Inst> {
        let restored = self.plan.object.stored().end + 1;
        let (then, otherwise) = match (self.state.of(restored), self.control) {
            (ElementState::Initialized, _) => (Some(before), None),
            (ElementState::Conditional, Some(control)) => {
                let diamond = control.test(cx, restored, before);
                (Some(diamond.then), Some(diamond.otherwise))
            }
            _ => (None, Some(before)),
        };
        if let (Some(otherwise), Some(owner)) = (otherwise, owner) {
            cx.at(Point::Before(otherwise)).dealloc_box(owner);
        }
        then
    }

    /// Deallocates a partially initialized `self` that is in memory.
    fn deallocate_derived(&self, cx: &mut FunctionContext<'_>, before: Inst, owner: Option<Value>) {
        self.destroy_elements(cx, before);
        let mut builder = cx.at(Point::Before(before));
        let qualifier = Some(LoadQualifier::Take);
        let value = builder.build(Load { qualifier, ..Load::new(self.plan.base()) });
        deallocate(&mut builder, self.plan, value);
        if let Some(owner) = owner {
            builder.dealloc_box(owner);
        }
    }

    /// Deallocates an object before an instruction. Returns the instruction before which the object has to be destroyed.
    fn destroy_object(&self, cx: &mut FunctionContext<'_>, before: Inst) -> Option<Inst> {
        let object = &self.plan.object;
        let is_conditional = object.all().any(|element| self.state.of(element) == ElementState::Conditional);
        let control = self.control.filter(|_| is_conditional);
        let diamond = control.map(|control| control.test_all(cx, before));
        let end = diamond.as_ref().map_or(before, |diamond| diamond.otherwise);
        self.destroy_elements(cx, end);
        deallocate(&mut cx.at(Point::Before(end)), self.plan, object.value);
        diamond.map(|diamond| diamond.then)
    }

    /// Destroys the initialized elements before an instruction.
    fn destroy_elements(&self, cx: &mut FunctionContext<'_>, before: Inst) {
        for element in self.plan.object.destroyed() {
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
    let Some((property, rest)) = object.elements[element as usize].split_first() else {
        builder.destroy_addr(base);
        return;
    };
    let borrow = match object.is_derived {
        true => builder.load_borrow(base),
        false => builder.begin_borrow(object.value),
    };
    let property = object.project(builder, borrow, std::slice::from_ref(property));
    let access = builder.begin_access(AccessKind::Deinit, AccessEnforcement::Static, property);
    let address = object.project(builder, access, rest);
    builder.destroy_addr(address);
    builder.end_access(access);
    builder.end_borrow(borrow);
}
