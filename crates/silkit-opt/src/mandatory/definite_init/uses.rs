//! The uses of marked memory: what each needs, initializes or destroys.

use super::object::{Object, Storage};
use silkit_analysis::BodyView;
use silkit_ir::conventions::{Addresses, ApplySite, ArgumentConvention};
use silkit_ir::instructions::{AnyInst, UninitializedKind};
use silkit_ir::{AddressUse, Body, DeclRef, Inst, Operand, Value, ValueDef};
use silkit_types::{Convention, TypeKind};
use std::ops::Range;

/// How a use needs initialized memory. This decides the words of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Loads the value.
    Load,
    /// Reads the value through its address.
    Read,
    /// Passes the address to a call that reads it.
    Argument,
    /// Passes the address to a call that may write to it.
    Inout,
    /// Calls a method that may write to it.
    InoutSelf,
    /// Converts the address to a pointer.
    Pointer,
    /// Is captured by a local function that is defined there.
    FunctionDefinition,
    /// Captures the address, or uses it in another way.
    Capture,
    /// Uses a reference to `self`.
    Reference,
    /// Forms the address of a property that another initializer initializes.
    Property,
}

/// The effect of a use on the elements that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UseKind {
    /// Needs initialized memory. A release does not follow where the value is moved out.
    Needs(Need),
    /// Needs initialized memory, and has effects on it that are not understood.
    Unknown,
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
    /// Returns true if the use initializes its elements.
    fn initializes(self) -> bool {
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
        matches!(self, Self::Needs(_) | Self::Unknown | Self::AssignsByAccessor)
    }
}

/// A use of marked memory.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) inst: Inst,
    pub(super) kind: UseKind,
    pub(super) elements: Range<u32>,
    /// How the operand refers to the memory.
    pub(super) level: Level,
}

impl Use {
    /// Returns true if the elements are taken for initialized afterwards. Some uses that need initialized memory are
    /// counted, as in the reference, so that the uses after them are no further errors.
    pub(super) fn initializes(&self) -> bool {
        match self.kind {
            UseKind::Needs(Need::Argument | Need::Pointer) | UseKind::AssignsPart => true,
            UseKind::Needs(Need::Inout | Need::InoutSelf) => self.level != Level::Properties,
            kind => kind.initializes(),
        }
    }
}

/// How a value refers to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// It is the box.
    Box,
    /// It is the object.
    Object,
    /// It is a borrow, a copy or a cast of the object.
    Reference,
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
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) uses: Vec<Use>,
    /// A projection of the box.
    pub(super) projection: Option<Value>,
    /// True if there are other projections.
    pub(super) has_more_projections: bool,
}

/// Collects the uses of an object. Returns `None` if one of them is not understood.
pub(super) fn collect(view: &BodyView<'_>, object: &Object) -> Option<Uses> {
    let level = match object.storage {
        Storage::Box => Level::Box,
        Storage::Object => Level::Object,
        Storage::Address => address_level(object),
    };
    let found = Uses::default();
    let work = vec![(object.value, level, object.all())];
    let mut collector = Collector { view, object, found, work, depth: 0 };
    collector.collect()?;
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

/// The collection of uses in a function, or in a closure in it.
pub(super) struct Collector<'v> {
    pub(super) view: &'v BodyView<'v>,
    pub(super) object: &'v Object,
    pub(super) found: Uses,
    /// The values whose uses have to be collected, and how they refer to the memory.
    pub(super) work: Vec<(Value, Level, Range<u32>)>,
    /// The number of closures around the body.
    pub(super) depth: u32,
}

impl Collector<'_> {
    /// Collects the uses of the values in the worklist, and of their projections directly after each of these. Returns
    /// `None` if one of them is not understood.
    pub(super) fn collect(&mut self) -> Option<()> {
        // The operands that are left at each depth, the next one last.
        let mut open: Vec<(Vec<Operand>, Level, Range<u32>)> = Vec::new();
        loop {
            for (value, level, elements) in self.work.drain(..).rev() {
                let mut operands: Vec<Operand> = self.view.body.uses(value).collect();
                // As in the reference: the oldest use of an object is the first one, the newest use of an address.
                if !matches!(level, Level::Object | Level::Reference | Level::Derived) {
                    operands.reverse();
                }
                open.push((operands, level, elements));
            }
            let Some((operands, level, elements)) = open.last_mut() else { return Some(()) };
            let (level, elements) = (*level, elements.clone());
            match operands.pop() {
                Some(operand) => self.visit(operand, level, elements)?,
                None => drop(open.pop()),
            }
        }
    }

    fn visit(&mut self, operand: Operand, level: Level, elements: Range<u32>) -> Option<()> {
        match level {
            Level::Box => self.of_box(operand),
            Level::Object | Level::Reference => self.of_object(operand, level),
            Level::Derived => self.of_derived(operand),
            _ => self.of_address(operand, level, elements),
        }
    }

    pub(super) fn add(&mut self, inst: Inst, kind: UseKind, elements: Range<u32>, level: Level) {
        self.found.uses.push(Use { inst, kind, elements, level });
    }

    /// Follows the result of an instruction.
    fn follow(&mut self, inst: Inst, level: Level, elements: Range<u32>) {
        self.work.extend(self.view.body.first_result(inst).map(|value| (value, level, elements)));
    }

    /// Adds the uses of an assignment by an `init` accessor. In a delegating initializer only the setter is called, for
    /// which the reference chooses no mode.
    fn add_accessor(&mut self, inst: Inst, property: DeclRef, level: Level) -> Option<()> {
        let need = UseKind::Needs(Need::Read);
        if self.object.properties.is_empty() {
            self.add(inst, need, self.object.all(), level);
            return Some(());
        }
        let accessor = self.object.init_accessor(self.view.declarations(), property)?;
        self.add(inst, UseKind::AssignsByAccessor, 0..0, level);
        for name in &accessor.storage.initializes {
            let elements = self.object.properties.get(name)?.clone();
            self.add(inst, UseKind::InitializesByAccessor, elements, Level::Elements);
        }
        for name in &accessor.storage.accesses {
            let elements = self.object.properties.get(name)?.clone();
            self.add(inst, need, elements, Level::Elements);
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
                self.found.has_more_projections |= self.found.projection.replace(address).is_some();
                self.follow(inst, address_level(self.object), self.object.all());
            }
            AnyInst::BeginBorrow(_) => self.follow(inst, Level::Box, 0..0),
            // As in the reference, such a box is released whatever its state: `allocbox-to-stack` has removed it before.
            AnyInst::DestroyValue(_) if self.object.kind == UninitializedKind::Derivedself => {}
            AnyInst::DestroyValue(_) | AnyInst::StrongRelease(_) => {
                self.add(inst, UseKind::Destroys, self.object.all(), Level::Box);
            }
            // As in the reference, other uses of the box need nothing: captures are preceded by uses of the address.
            _ => {}
        }
        Some(())
    }

    fn of_object(&mut self, operand: Operand, level: Level) -> Option<()> {
        let body = self.view.body;
        let inst = body.operand(operand).user;
        let all = self.object.all();
        match body.view(inst) {
            AnyInst::RefElementAddr(address) => {
                let name = address.field.name();
                let property = name.and_then(|name| self.object.properties.get(&name)).cloned();
                match property {
                    Some(elements) => self.follow(inst, Level::Elements, elements),
                    None => self.add(inst, UseKind::Needs(Need::Property), all, level),
                }
            }
            AnyInst::BeginBorrow(_)
            | AnyInst::CopyValue(_)
            | AnyInst::Upcast(_)
            | AnyInst::UncheckedRefCast(_) => {
                if !self.is_closure_of_assignment(inst) {
                    self.follow(inst, Level::Reference, 0..0);
                }
            }
            AnyInst::EndBorrow(_) | AnyInst::DebugValue(_) | AnyInst::ValueMetatype(_) => {}
            AnyInst::ClassMethod(_)
            | AnyInst::SuperMethod(_)
            | AnyInst::ObjCMethod(_)
            | AnyInst::ObjCSuperMethod(_)
            | AnyInst::WitnessMethod(_) => {}
            AnyInst::DestroyValue(_) if level == Level::Reference => {}
            AnyInst::Store(store) if self.puts_back(store.source, store.destination) => {}
            AnyInst::DestroyValue(_) => self.add(inst, UseKind::Destroys, all, level),
            AnyInst::AssignOrInit(assignment) => self.add_accessor(inst, assignment.property, level)?,
            AnyInst::PartialApply(_) if self.is_closure_of_assignment(inst) => {}
            AnyInst::PartialApply(_)
                if !self.object.is_derived && self.add_closure(operand, inst, level, &all) => {}
            _ if self.delegates(operand, inst) => {
                self.add(inst, UseKind::Delegates, 0..self.object.stored().end + 1, level);
            }
            _ => self.add(inst, UseKind::Needs(Need::Reference), all, level),
        }
        Some(())
    }

    fn of_derived(&mut self, operand: Operand) -> Option<()> {
        let body = self.view.body;
        let inst = body.operand(operand).user;
        let (all, stored) = (self.object.all(), self.object.stored());
        match body.view(inst) {
            AnyInst::Store(store) if store.destination == body.operand(operand).value => {
                match body.def(store.source) {
                    _ if self.puts_back(store.source, store.destination) => {}
                    // The object that the caller has allocated.
                    ValueDef::Argument(block, _) if Some(block) == body.entry_block() => {}
                    _ => self.add(inst, UseKind::Restores, stored.end + 1..all.end, Level::Derived),
                }
            }
            AnyInst::Load(_) | AnyInst::LoadBorrow(_) => self.follow(inst, Level::Reference, 0..0),
            AnyInst::BeginAccess(_) => self.follow(inst, Level::Derived, all),
            AnyInst::EndAccess(_)
            | AnyInst::EndBorrow(_)
            | AnyInst::DebugValue(_)
            | AnyInst::DeallocStack(_) => {}
            AnyInst::DestroyAddr(_) => self.add(inst, UseKind::Destroys, all, Level::Derived),
            _ => match self.effect(operand, inst, Level::Elements) {
                UseKind::Needs(_) => self.add(inst, UseKind::Needs(Need::Reference), all, Level::Derived),
                _ => self.add(inst, UseKind::Unknown, all, Level::Derived),
            },
        }
        Some(())
    }

    /// Returns true if a store puts back what was taken from the same memory: an argument of the call of an initializer
    /// failed, so that the call did not happen.
    fn puts_back(&self, mut source: Value, destination: Value) -> bool {
        while let ValueDef::Result(inst, _) = self.view.body.def(source) {
            source = match self.view.body.view(inst) {
                AnyInst::UncheckedRefCast(cast) => cast.operand,
                AnyInst::Upcast(cast) => cast.operand,
                AnyInst::Load(load) => return load.address == destination,
                _ => return false,
            };
        }
        false
    }

    /// Returns true if an instruction passes `self` to the initializer of the superclass or to one that this initializer
    /// delegates to.
    fn delegates(&self, operand: Operand, inst: Inst) -> bool {
        let site = self.view.apply_site(inst).filter(ApplySite::is_full);
        let convention = site.and_then(|site| passed(self.view.body, &site, operand));
        self.object.is_derived
            && convention.is_some_and(ArgumentConvention::is_consumed)
            && calls_initializer(self.view.body, inst)
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
                match self.object.kind {
                    // All of `self` has to be initialized for this.
                    UninitializedKind::Delegatingself => {
                        self.add(inst, UseKind::Needs(Need::Read), elements, Level::Elements);
                    }
                    _ => self.follow(inst, level, elements),
                }
            }
            AnyInst::TupleElementAddr(part) => {
                let (level, elements) = match level {
                    Level::Elements => (level, self.tuple_element(part.operand, part.field, elements)?),
                    _ => (Level::Part, elements),
                };
                self.follow(inst, level, elements);
            }
            // The payload is the value of the enum as far as initialization is concerned.
            AnyInst::InitEnumDataAddr(_) | AnyInst::UncheckedTakeEnumDataAddr(_) if elements.len() <= 1 => {
                let level = if level == Level::Properties { Level::Elements } else { level };
                self.follow(inst, level, elements);
            }
            AnyInst::InjectEnumAddr(_) | AnyInst::InitExistentialAddr(_) if level != Level::Part => {
                self.add(inst, UseKind::Initializes, elements, level);
            }
            AnyInst::BeginAccess(_) | AnyInst::MarkUnresolvedNonCopyableValue(_) => {
                self.follow(inst, level, elements);
            }
            AnyInst::EndAccess(_)
            | AnyInst::EndBorrow(_)
            | AnyInst::DebugValue(_)
            | AnyInst::DeallocStack(_) => {}
            AnyInst::DestroyAddr(_) if level == Level::Part => return None,
            AnyInst::DestroyAddr(_) => self.add(inst, UseKind::Destroys, elements, level),
            // In a delegating initializer, only the setter is called, for which the reference chooses no mode.
            AnyInst::AssignByWrapper(_) if level == Level::Part => {
                self.add(inst, UseKind::Needs(Need::Read), elements, level);
            }
            AnyInst::AssignByWrapper(_) => self.add(inst, UseKind::AssignsWrapped, elements, level),
            AnyInst::AssignOrInit(assignment) => self.add_accessor(inst, assignment.property, level)?,
            AnyInst::PartialApply(_) if self.is_closure_of_assignment(inst) => {}
            AnyInst::PartialApply(_) if self.add_closure(operand, inst, level, &elements) => {}
            // Only the result of an initializer is `self` of a delegating initializer.
            _ if self.object.kind == UninitializedKind::Delegatingself
                && level != Level::Part
                && matches!(self.effect(operand, inst, level), UseKind::Initializes)
                && !calls_initializer(body, inst) =>
            {
                self.add(inst, UseKind::Needs(Need::Read), elements, level);
            }
            _ => {
                let kind = match self.effect(operand, inst, level) {
                    UseKind::Needs(_) if self.object.kind == UninitializedKind::Delegatingself => {
                        UseKind::Needs(Need::Read)
                    }
                    kind => kind,
                };
                self.add(inst, kind, elements, level);
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

    /// Returns the effect of an instruction on the elements at an address.
    fn effect(&self, operand: Operand, inst: Inst, level: Level) -> UseKind {
        let body = self.view.body;
        // A part of an element is assigned, an element may be initialized.
        let writes = |kind| if level == Level::Part { UseKind::AssignsPart } else { kind };
        match body.address_use(operand) {
            AddressUse::Initialize | AddressUse::Overwrite => writes(UseKind::Initializes),
            AddressUse::InitializeOrAssign | AddressUse::Assign => writes(UseKind::Assigns),
            AddressUse::Call | AddressUse::Capture => {
                let site = self.view.apply_site(inst);
                let convention = site.as_ref().and_then(|site| passed(body, site, operand));
                match (site, convention) {
                    (_, None) | (None, _) => UseKind::Unknown,
                    (_, Some(ArgumentConvention::Out)) => {
                        let is_try = matches!(body.view(inst), AnyInst::TryApply(_));
                        writes(if is_try { UseKind::InitializesOnSuccess } else { UseKind::Initializes })
                    }
                    (Some(site), _) if !site.is_full() => UseKind::Needs(Need::Capture),
                    (Some(site), Some(convention)) if convention.is_mutating() => {
                        UseKind::Needs(if is_self(body, &site, operand) {
                            Need::InoutSelf
                        } else {
                            Need::Inout
                        })
                    }
                    _ => UseKind::Needs(Need::Argument),
                }
            }
            AddressUse::Forget
            | AddressUse::Destroy
            | AddressUse::Deinitialize
            | AddressUse::InitializeOnSuccess
            | AddressUse::WritePart
            | AddressUse::ProjectToInitialize
            | AddressUse::Unknown => UseKind::Unknown,
            _ => UseKind::Needs(need(body, inst)),
        }
    }
}

/// Returns how an instruction that only uses the value at an address needs it. As in the reference, what is not listed
/// here is taken for a capture.
fn need(body: &Body, inst: Inst) -> Need {
    match body.view(inst) {
        AnyInst::Load(_) | AnyInst::LoadBorrow(_) => Need::Load,
        AnyInst::AddressToPointer(_) => Need::Pointer,
        AnyInst::MarkFunctionEscape(_) => Need::FunctionDefinition,
        AnyInst::CopyAddr(_)
        | AnyInst::LoadWeak(_)
        | AnyInst::LoadUnowned(_)
        | AnyInst::OpenExistentialAddr(_)
        | AnyInst::SelectEnumAddr(_)
        | AnyInst::SwitchEnumAddr(_)
        | AnyInst::Yield(_) => Need::Read,
        _ => Need::Capture,
    }
}

/// Returns true if an instruction calls an initializer. In tests of the reference, `superinit` and `selfinit` stand for
/// initializers.
fn calls_initializer(body: &Body, inst: Inst) -> bool {
    if let Some(name) = body.called_function(inst) {
        let name = name.as_str();
        let mangled = silkit_ir::without_mangling_prefix(name).map(|rest| rest.trim_end_matches("TO"));
        return mangled.is_some_and(|name| name.ends_with("fc") || name.ends_with("fC"))
            || matches!(name, "superinit" | "selfinit");
    }
    called_method(body, inst)
        .is_some_and(|method| method.data().kinds.iter().any(|kind| *kind == "initializer"))
}

/// Returns the method that a call looks up.
pub(super) fn called_method(body: &Body, site: Inst) -> Option<DeclRef> {
    let callee = ApplySite::new(body, site, Addresses::Lowered)?.callee();
    body.looked_up_member(body.defining_inst(body.callee_origin(callee))?)
}

/// Returns the convention by which an operand is passed.
pub(super) fn passed(body: &Body, site: &ApplySite<'_>, operand: Operand) -> Option<ArgumentConvention> {
    site.convention_of_operand(body.operand_index(operand))
}

/// Returns true if an operand is `self` of a method that is called.
fn is_self(body: &Body, site: &ApplySite<'_>, operand: Operand) -> bool {
    let argument = site.argument_of_operand(body.operand_index(operand));
    site.callee_conventions().is_some_and(|conventions| {
        let is_method = matches!(
            conventions.ty.convention,
            Convention::Method
                | Convention::WitnessMethod(_)
                | Convention::ObjCMethod
                | Convention::CxxMethod
        );
        is_method && argument.is_some() && argument == conventions.self_argument()
    })
}
