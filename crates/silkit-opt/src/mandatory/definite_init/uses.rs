//! The uses of marked memory: what each needs, initializes or destroys.

use super::object::{Object, Storage};
use silkit_analysis::BodyView;
use silkit_ir::conventions::{ApplySite, ArgumentConvention};
use silkit_ir::instructions::{AnyInst, LoadQualifier};
use silkit_ir::{AddressUse, Body, DeclRef, Inst, Operand, Value, ValueDef};
use silkit_types::TypeKind;
use std::ops::Range;

/// The effect of a use on the elements that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UseKind {
    /// Needs initialized memory. A release does not follow where the value is moved out.
    Needs,
    /// Initializes memory.
    Initializes,
    /// Initializes memory on the first edge of a terminator.
    InitializesOnSuccess,
    /// Initializes or assigns: the state of the memory decides.
    Assigns,
    /// Assigns a part of an element, which must be initialized.
    AssignsPart,
    /// Destroys the memory, as far as it is initialized.
    Destroys,
    /// Passes `self` to the initializer of the superclass, which needs the stored properties.
    Delegates,
    /// Stores the `self` that the initializer of the superclass has returned.
    Restores,
    /// Assigns through a property wrapper, which replaces the wrapper or sets the wrapped value.
    AssignsWrapped,
    /// Assigns by an `init` accessor or a setter. It has no elements; those that the `init` accessor initializes are in
    /// uses of the next kind, one for each property, which follow.
    AssignsByAccessor,
    /// Initializes a property by an `init` accessor.
    InitializesByAccessor,
}

impl UseKind {
    /// Returns true if the elements are initialized afterwards.
    pub(super) fn initializes(self) -> bool {
        use UseKind as U;
        matches!(
            self,
            U::Initializes
                | U::Assigns
                | U::Delegates
                | U::Restores
                | U::AssignsWrapped
                | U::InitializesByAccessor
        )
    }

    /// Returns true if the instruction does this before it writes any of its elements.
    pub(super) fn comes_first(self) -> bool {
        matches!(self, Self::Needs | Self::AssignsByAccessor)
    }
}

/// A use of marked memory.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) inst: Inst,
    pub(super) kind: UseKind,
    pub(super) elements: Range<u32>,
}

/// How a value refers to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// It is the box.
    Box,
    /// It is the object, or a borrow of it.
    Object,
    /// It is the address of `self` of a class with a superclass.
    Derived,
    /// It is the address of all of `self`, which is divided into properties.
    Properties,
    /// It is the address of elements, which are divided at tuples.
    Elements,
    /// It is the address of a part of an element.
    Part,
}

/// The uses of an object, and the address in its box.
#[derive(Debug)]
pub(super) struct Uses {
    pub(super) uses: Vec<Use>,
    /// The projection of the box that dominates the others.
    pub(super) projection: Option<Value>,
}

/// Collects the uses of an object. Returns `None` if one of them is not understood.
pub(super) fn collect(view: &BodyView<'_>, object: &Object) -> Option<Uses> {
    let level = match object.storage {
        Storage::Box => Level::Box,
        Storage::Object => Level::Object,
        Storage::Address => address_level(object),
    };
    let found = Uses { uses: Vec::new(), projection: None };
    let mut collector = Collector { view, object, found, work: vec![(object.value, level, object.all())] };
    while let Some((value, level, elements)) = collector.work.pop() {
        for operand in view.body.uses(value) {
            match level {
                Level::Box => collector.of_box(operand)?,
                Level::Object => collector.of_object(operand)?,
                Level::Derived => collector.of_derived(operand)?,
                _ => collector.of_address(operand, level, elements.clone())?,
            }
        }
    }
    Some(collector.found)
}

/// Returns how the address of the whole memory refers to it.
fn address_level(object: &Object) -> Level {
    match object.properties.is_empty() {
        _ if object.is_derived => Level::Derived,
        true => Level::Elements,
        false => Level::Properties,
    }
}

struct Collector<'v> {
    view: &'v BodyView<'v>,
    object: &'v Object,
    found: Uses,
    work: Vec<(Value, Level, Range<u32>)>,
}

impl Collector<'_> {
    fn add(&mut self, inst: Inst, kind: UseKind, elements: Range<u32>) {
        self.found.uses.push(Use { inst, kind, elements });
    }

    /// Adds the uses of an assignment by an `init` accessor. In a delegating initializer only the setter is called, for
    /// which the reference chooses no mode.
    fn add_accessor(&mut self, inst: Inst, property: DeclRef) -> Option<()> {
        if self.object.properties.is_empty() {
            self.add(inst, UseKind::Needs, self.object.all());
            return Some(());
        }
        let accessor = self.object.init_accessor(self.view.declarations(), property)?;
        self.add(inst, UseKind::AssignsByAccessor, 0..0);
        for name in &accessor.storage.initializes {
            let elements = self.object.properties.get(name)?.clone();
            self.add(inst, UseKind::InitializesByAccessor, elements);
        }
        for name in &accessor.storage.accesses {
            let elements = self.object.properties.get(name)?.clone();
            self.add(inst, UseKind::Needs, elements);
        }
        Some(())
    }

    /// Returns true if an instruction is the closure of an initializer or setter whose only caller is an assignment,
    /// which decides whether it is called, or a capture of such closures.
    fn is_closure_of_assignment(&self, inst: Inst) -> bool {
        let body = self.view.body;
        let (mut work, mut has_assignment) = (vec![inst], false);
        while let Some(inst) = work.pop() {
            for user in body.first_result(inst).into_iter().flat_map(|value| body.users(value)) {
                match body.view(user) {
                    AnyInst::AssignByWrapper(_) | AnyInst::AssignOrInit(_) => has_assignment = true,
                    AnyInst::DestroyValue(_) => {}
                    AnyInst::PartialApply(_) => work.push(user),
                    _ => return false,
                }
            }
        }
        has_assignment
    }

    fn of_box(&mut self, operand: Operand) -> Option<()> {
        let body = self.view.body;
        let inst = body.operand(operand).user;
        match body.view(inst) {
            AnyInst::ProjectBox(_) => {
                let address = body.first_result(inst)?;
                // Several projections would need the one that dominates all releases.
                if self.found.projection.replace(address).is_some() {
                    return None;
                }
                self.work.push((address, address_level(self.object), self.object.all()));
            }
            AnyInst::BeginBorrow(_) => self.work.push((body.first_result(inst)?, Level::Box, 0..0)),
            AnyInst::EndBorrow(_) | AnyInst::DebugValue(_) | AnyInst::DeallocBox(_) => {}
            AnyInst::DestroyValue(_) | AnyInst::StrongRelease(_) => {
                self.add(inst, UseKind::Destroys, self.object.all());
            }
            AnyInst::CopyValue(_) | AnyInst::PartialApply(_) if self.is_closure_of_assignment(inst) => {}
            _ => self.add(inst, UseKind::Needs, self.object.all()),
        }
        Some(())
    }

    fn of_object(&mut self, operand: Operand) -> Option<()> {
        let body = self.view.body;
        let inst = body.operand(operand).user;
        let all = self.object.all();
        match body.view(inst) {
            AnyInst::RefElementAddr(address) => {
                let name = address.field.name();
                let property = name.and_then(|name| self.object.properties.get(&name)).cloned();
                match (property, body.first_result(inst)) {
                    (Some(elements), Some(address)) => self.work.push((address, Level::Elements, elements)),
                    _ => self.add(inst, UseKind::Needs, all),
                }
            }
            AnyInst::BeginBorrow(_) => {
                self.work.extend(body.first_result(inst).map(|borrow| (borrow, Level::Object, 0..0)));
            }
            AnyInst::EndBorrow(_) | AnyInst::DebugValue(_) => {}
            AnyInst::DestroyValue(_) => self.add(inst, UseKind::Destroys, all),
            AnyInst::AssignOrInit(assignment) => self.add_accessor(inst, assignment.property)?,
            AnyInst::ValueMetatype(_) | AnyInst::PartialApply(_) if self.is_closure_of_assignment(inst) => {}
            _ => self.add(inst, UseKind::Needs, all),
        }
        Some(())
    }

    fn of_derived(&mut self, operand: Operand) -> Option<()> {
        let body = self.view.body;
        let inst = body.operand(operand).user;
        let (all, stored) = (self.object.all(), self.object.stored());
        match body.view(inst) {
            AnyInst::Store(store) => match body.def(store.source) {
                // The object that the caller has allocated.
                ValueDef::Argument(block, _) if Some(block) == body.entry_block() => {}
                _ => self.add(inst, UseKind::Restores, stored.end + 1..all.end),
            },
            AnyInst::Load(load) if load.qualifier == Some(LoadQualifier::Take) => {
                let call = self.delegation(body.first_result(inst)?)?;
                self.add(call, UseKind::Delegates, 0..stored.end + 1);
            }
            AnyInst::LoadBorrow(_) => self.work.push((body.first_result(inst)?, Level::Object, 0..0)),
            AnyInst::BeginAccess(_) => self.work.push((body.first_result(inst)?, Level::Derived, all)),
            AnyInst::EndAccess(_) | AnyInst::DebugValue(_) | AnyInst::DeallocStack(_) => {}
            AnyInst::DestroyAddr(_) => self.add(inst, UseKind::Destroys, all),
            _ if self.effect(operand, inst, Level::Elements)? == UseKind::Needs => {
                self.add(inst, UseKind::Needs, all);
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the call that a value is passed to, through casts, if this is its only use.
    fn delegation(&self, value: Value) -> Option<Inst> {
        let body = self.view.body;
        let mut value = value;
        for _ in 0..body.inst_bound() {
            let mut users = body.users(value);
            let user = users.next().filter(|_| users.next().is_none())?;
            match body.view(user) {
                AnyInst::Upcast(_) | AnyInst::UncheckedRefCast(_) => value = body.first_result(user)?,
                _ => return self.view.apply_site(user).filter(ApplySite::is_full).map(|_| user),
            }
        }
        None
    }

    fn of_address(&mut self, operand: Operand, level: Level, elements: Range<u32>) -> Option<()> {
        let body = self.view.body;
        let inst = body.operand(operand).user;
        match body.view(inst) {
            AnyInst::StructElementAddr(part) => {
                let (level, elements) = match level {
                    Level::Properties => {
                        (Level::Elements, self.object.properties.get(&part.field.name()?)?.clone())
                    }
                    _ => (Level::Part, elements),
                };
                self.work.push((body.first_result(inst)?, level, elements));
            }
            AnyInst::TupleElementAddr(part) => {
                let (level, elements) = match level {
                    Level::Elements => (level, self.tuple_element(part.operand, part.field, elements)?),
                    _ => (Level::Part, elements),
                };
                self.work.push((body.first_result(inst)?, level, elements));
            }
            AnyInst::BeginAccess(_) | AnyInst::MarkUnresolvedNonCopyableValue(_) => {
                self.work.push((body.first_result(inst)?, level, elements));
            }
            AnyInst::EndAccess(_)
            | AnyInst::EndBorrow(_)
            | AnyInst::DebugValue(_)
            | AnyInst::DeallocStack(_) => {}
            AnyInst::DestroyAddr(_) if level == Level::Part => return None,
            AnyInst::DestroyAddr(_) => self.add(inst, UseKind::Destroys, elements),
            // In a delegating initializer, only the setter is called, for which the reference chooses no mode.
            AnyInst::AssignByWrapper(_) if level == Level::Part => self.add(inst, UseKind::Needs, elements),
            AnyInst::AssignByWrapper(_) => self.add(inst, UseKind::AssignsWrapped, elements),
            AnyInst::AssignOrInit(assignment) => self.add_accessor(inst, assignment.property)?,
            AnyInst::PartialApply(_) if self.is_closure_of_assignment(inst) => {}
            _ => {
                let kind = self.effect(operand, inst, level)?;
                self.add(inst, kind, elements);
            }
        }
        Some(())
    }

    /// Returns the elements of a tuple's element.
    fn tuple_element(&self, tuple: Value, index: u32, elements: Range<u32>) -> Option<Range<u32>> {
        let ty = self.view.ty(tuple).ty();
        let TypeKind::Tuple(parts) = ty.kind() else { return None };
        let mut counts = parts.iter().map(|part| part.ty.tuple_leaf_count() as u32);
        let start = elements.start + counts.by_ref().take(index as usize).sum::<u32>();
        let end = start + counts.next()?;
        (end <= elements.end).then_some(start..end)
    }

    /// Returns the effect of an instruction on the elements at an address; `None` if it is not understood.
    fn effect(&self, operand: Operand, inst: Inst, level: Level) -> Option<UseKind> {
        let body = self.view.body;
        // A part of an element is assigned, an element may be initialized.
        let writes = |kind| if level == Level::Part { UseKind::AssignsPart } else { kind };
        Some(match body.address_use(operand) {
            AddressUse::Initialize | AddressUse::Overwrite => writes(UseKind::Initializes),
            AddressUse::InitializeOrAssign | AddressUse::Assign => writes(UseKind::Assigns),
            AddressUse::Call | AddressUse::Capture => {
                let site = self.view.apply_site(inst)?;
                match passed(body, &site, operand)? {
                    ArgumentConvention::Out if matches!(body.view(inst), AnyInst::TryApply(_)) => {
                        writes(UseKind::InitializesOnSuccess)
                    }
                    ArgumentConvention::Out => writes(UseKind::Initializes),
                    _ => UseKind::Needs,
                }
            }
            AddressUse::Forget
            | AddressUse::Destroy
            | AddressUse::Deinitialize
            | AddressUse::InitializeOnSuccess
            | AddressUse::WritePart
            | AddressUse::ProjectToInitialize
            | AddressUse::Unknown => return None,
            _ => UseKind::Needs,
        })
    }
}

/// Returns the convention by which an operand is passed.
fn passed(body: &Body, site: &ApplySite<'_>, operand: Operand) -> Option<ArgumentConvention> {
    site.convention_of_operand(body.operand_index(operand))
}
