//! Kinds of costs, and the costs of an instruction.

use bitflags::bitflags;
use silkit::analysis::BodyView;
use silkit::ir::info::{AddressUse, ApplyKind, Role};
use silkit::ir::instructions::{AllocRef, AllocRefDynamic};
use silkit::ir::{Body, Inst, Opcode, RuntimeEffects};

bitflags! {
    /// The costs of an instruction.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct CostKinds: u32 {
        /// Increments a reference count.
        const RETAIN = 1;
        /// Decrements a reference count.
        const RELEASE = 1 << 1;
        /// Copies a value whose parts may be reference-counted, in memory or in OSSA.
        const COPY = 1 << 2;
        /// Destroys a value whose parts may be reference-counted, in memory or in OSSA.
        const DESTROY = 1 << 3;
        /// Allocates a box: a captured variable, or an indirect payload of an enum.
        const BOX = 1 << 4;
        /// Allocates an instance of a class.
        const OBJECT = 1 << 5;
        /// Allocates the context of a closure.
        const CLOSURE = 1 << 6;
        /// Allocates a box for an existential value: an error, or a value that does not fit into the inline buffer.
        const EXISTENTIAL = 1 << 7;
        /// Allocates the storage of an array.
        const ARRAY = 1 << 8;
        /// Allocates other heap memory: raw memory, key paths, tasks, side tables of weak references, blocks.
        const MEMORY = 1 << 9;
        /// Calls a runtime function that may take a lock.
        const LOCK = 1 << 10;
        /// Checks at run time that an access is exclusive.
        const EXCLUSIVITY = 1 << 11;
        /// Calls a method through the table of a class, or through Objective-C.
        const CLASS_CALL = 1 << 12;
        /// Calls a requirement through a witness table.
        const WITNESS_CALL = 1 << 13;
        /// Calls a function value.
        const VALUE_CALL = 1 << 14;
        /// Looks up a type or a conformance at run time.
        const CAST = 1 << 15;
        /// Needs type metadata.
        const METADATA = 1 << 16;
        /// Checks that a global variable is initialized.
        const ONCE = 1 << 17;

        /// Reference counting.
        const COUNTING = Self::RETAIN.bits() | Self::RELEASE.bits() | Self::COPY.bits() | Self::DESTROY.bits();
        /// Allocations on the heap.
        const ALLOCATION = Self::BOX.bits() | Self::OBJECT.bits() | Self::CLOSURE.bits() | Self::EXISTENTIAL.bits()
            | Self::ARRAY.bits() | Self::MEMORY.bits();
    }
}

/// The names of the kinds in reports and budgets, in the order of their bits.
pub const KIND_NAMES: [&str; 18] = [
    "retain",
    "release",
    "copy",
    "destroy",
    "box",
    "object",
    "closure",
    "existential",
    "array",
    "memory",
    "lock",
    "exclusivity",
    "class_call",
    "witness_call",
    "value_call",
    "cast",
    "metadata",
    "once",
];

impl CostKinds {
    /// Returns the indices of the kinds in [`KIND_NAMES`].
    pub fn indices(self) -> impl Iterator<Item = usize> {
        self.iter().map(|kind| kind.bits().trailing_zeros() as usize)
    }

    /// Returns the kind with a name.
    pub fn named(name: &str) -> Option<Self> {
        let at = KIND_NAMES.iter().position(|kind| *kind == name)?;
        Some(Self::from_bits_truncate(1 << at))
    }

    /// Returns the costs of an instruction itself, without those of its callees.
    ///
    /// They follow from the columns `role`, `runtime` and `apply` of the instruction table.
    pub fn of(view: &BodyView<'_>, inst: Inst) -> Self {
        let body = view.body;
        let mut kinds = Self::empty();
        if body.info(inst).apply == Some(ApplyKind::Full) {
            kinds |= called(view, inst);
        }
        // Of most instructions the upper bound of the table is empty already.
        if body.info(inst).runtime.is_empty() && body.inst(inst).opcode != Opcode::Builtin {
            return kinds;
        }
        kinds | runtime(body, inst, view.runtime(inst))
    }
}

fn runtime(body: &Body, inst: Inst, effects: RuntimeEffects) -> CostKinds {
    use CostKinds as K;
    use RuntimeEffects as R;
    let mut kinds = K::empty();
    if effects.intersects(R::COUNT | R::RELEASE) {
        kinds |= match body.role(inst) {
            Role::Retain(_) => K::RETAIN,
            Role::Release(_) => K::RELEASE,
            Role::Copy(_) => K::COPY,
            Role::Destruction(_) => K::DESTROY,
            _ => counted(body, inst, effects),
        };
    }
    if effects.contains(R::ALLOCATE) {
        kinds |= allocated(body, inst);
    }
    kinds.set(K::LOCK, effects.intersects(R::LOCK));
    kinds.set(K::EXCLUSIVITY, effects.contains(R::EXCLUSIVITY));
    kinds.set(K::CAST, effects.contains(R::CAST));
    kinds.set(K::METADATA, effects.contains(R::METADATA));
    kinds.set(K::ONCE, effects.contains(R::ONCE));
    kinds
}

/// Returns the kinds of an instruction that counts references beside something else: loads, stores and copies.
fn counted(body: &Body, inst: Inst, effects: RuntimeEffects) -> CostKinds {
    let takes = body.uses_address(inst, |using| using == AddressUse::Take);
    let ends = effects.contains(RuntimeEffects::RELEASE);
    // A store that releases replaces a value, and copies none.
    let copies = match body.inst(inst).opcode {
        Opcode::Store | Opcode::Assign | Opcode::DestroyNotEscapedClosure => false,
        _ => !takes && effects.contains(RuntimeEffects::COUNT),
    };
    let mut kinds = CostKinds::empty();
    kinds.set(CostKinds::COPY, copies);
    kinds.set(CostKinds::DESTROY, ends);
    kinds
}

fn allocated(body: &Body, inst: Inst) -> CostKinds {
    match body.inst(inst).opcode {
        Opcode::AllocBox => CostKinds::BOX,
        Opcode::PartialApply => CostKinds::CLOSURE,
        Opcode::AllocExistentialBox
        | Opcode::InitExistentialAddr
        | Opcode::InitExistentialValue
        | Opcode::OpenExistentialAddr => CostKinds::EXISTENTIAL,
        Opcode::AllocRef | Opcode::AllocRefDynamic if is_array(body, inst) => CostKinds::ARRAY,
        Opcode::AllocRef | Opcode::AllocRefDynamic => CostKinds::OBJECT,
        _ => CostKinds::MEMORY,
    }
}

/// Returns true if an instruction allocates the storage of an array: an object of the library's class with elements.
fn is_array(body: &Body, inst: Inst) -> bool {
    let ty = match body.inst(inst).opcode {
        Opcode::AllocRef => body.view_as::<AllocRef<'_>>(inst).map(|alloc| alloc.ty),
        _ => body.view_as::<AllocRefDynamic<'_>>(inst).map(|alloc| alloc.ty),
    };
    let has_elements = body.operands(inst).len() > body.type_operands(inst).len();
    has_elements && ty.is_some_and(|ty| ty.ty().to_string().starts_with("_ContiguousArrayStorage"))
}

/// Returns the kind of a call, by the origin of its callee.
fn called(view: &BodyView<'_>, inst: Inst) -> CostKinds {
    let body = view.body;
    let Some(site) = view.apply_site(inst) else { return CostKinds::empty() };
    let callee = body.function_origin(site.callee(), |_, _| true);
    match body.defining_inst(callee).map(|inst| body.inst(inst).opcode) {
        Some(Opcode::FunctionRef | Opcode::PreviousDynamicFunctionRef) => CostKinds::empty(),
        Some(Opcode::ClassMethod | Opcode::SuperMethod | Opcode::ObjCMethod | Opcode::ObjCSuperMethod) => {
            CostKinds::CLASS_CALL
        }
        Some(Opcode::WitnessMethod) => CostKinds::WITNESS_CALL,
        _ => CostKinds::VALUE_CALL,
    }
}
