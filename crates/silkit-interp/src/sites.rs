//! Additional data of operations.

use crate::instance::{BindId, InstanceId};
use crate::native::{BuiltinFn, NativeFn};
use crate::op::{Pc, Slot};
use crate::types::TypeId;
use silkit_base::Symbol;
use silkit_ir::{Block, DeclRef, Inst};
use silkit_layout::Ty;
use silkit_types::{GenericSig, ParamConvention, Type};
use std::rc::Rc;

/// Bytes that are copied within a frame, or from one to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) len: u32,
}

/// A block that is translated when it is reached.
#[derive(Clone, Debug)]
pub(crate) struct LazySite {
    pub(crate) instance: InstanceId,
    pub(crate) block: Block,
    pub(crate) bind: BindId,
    /// The operation that leads there, to be mended.
    pub(crate) from: Option<(Pc, Branch)>,
}

/// Selects one of the branches of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Branch {
    First,
    Second,
    Table(u32, usize),
}

/// A table of a switch: constants or cases, and where each leads.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    pub(crate) ty: TypeId,
    /// Values of a `switch_value` in the frame; for a `switch_enum` one entry a case.
    pub(crate) values: Vec<Slot>,
    pub(crate) targets: Vec<Pc>,
    pub(crate) default: Pc,
    /// The bytes of a value.
    pub(crate) len: u32,
}

/// The callee.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// An instance.
    Instance(InstanceId),
    /// A function of the runtime.
    Native(NativeFn),
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    /// The callee of a direct call.
    pub(crate) callee: Option<Callee>,
    /// The value that is called, where the callee is one.
    pub(crate) value: Slot,
    /// True if the value has a context.
    pub(crate) is_thick: bool,
    /// The method that is called.
    pub(crate) method: Option<MethodSite>,
    /// The arguments.
    pub(crate) args: Box<[Move]>,
    /// The bytes of the arguments in the callee's frame.
    pub(crate) args_len: u32,
    /// The result.
    pub(crate) result: Slot,
    /// The continuation after an error, and the slot of the error.
    pub(crate) error_to: Pc,
    pub(crate) error: Slot,
    /// The generic arguments.
    pub(crate) types: Rc<[Ty]>,
    /// The name of the function, for messages and native functions.
    pub(crate) name: Symbol,
}

/// A method that the class of an object, or a metatype, decides about.
#[derive(Clone, Debug)]
pub(crate) struct MethodSite {
    /// The object or metatype.
    pub(crate) receiver: Slot,
    pub(crate) is_metatype: bool,
    pub(crate) member: DeclRef,
    pub(crate) formal: Option<Type>,
    pub(crate) types: Rc<[Ty]>,
    /// The last lookup result.
    pub(crate) cache: Vec<(Ty, InstanceId)>,
}

/// A closure that is made.
#[derive(Clone, Debug)]
pub(crate) struct ClosureSite {
    pub(crate) callee: Option<Callee>,
    pub(crate) value: Slot,
    pub(crate) is_thick: bool,
    pub(crate) method: Option<MethodSite>,
    pub(crate) captures: Rc<[Capture]>,
    /// The slot of each captured value.
    pub(crate) from: Box<[Slot]>,
    pub(crate) size: u32,
    pub(crate) align: u32,
    pub(crate) on_stack: bool,
    pub(crate) to: Slot,
    pub(crate) name: Symbol,
}

/// One captured value of a closure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// Its offset in the context.
    pub(crate) offset: u32,
    /// Its type; of what is captured by address the type in memory.
    pub(crate) ty: TypeId,
    pub(crate) how: CaptureKind,
}

/// The way in which a value is captured and passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CaptureKind {
    /// The value; the callee borrows it.
    Borrowed,
    /// The value; the callee consumes a copy.
    Consumed,
    /// The value, taken from an address; the callee borrows its address.
    BorrowedAddress,
    /// The value, taken from an address; the callee consumes a copy at an address.
    ConsumedAddress,
    /// An address.
    Address,
}

impl CaptureKind {
    pub(crate) fn of(convention: ParamConvention, on_stack: bool) -> Self {
        use ParamConvention as P;
        match convention {
            P::Inout | P::InoutAliasable | P::PackGuaranteed | P::PackOwned | P::PackInout => Self::Address,
            P::InGuaranteed | P::InConstant if on_stack => Self::Address,
            P::InGuaranteed => Self::BorrowedAddress,
            P::In | P::InConstant | P::InCxx => Self::ConsumedAddress,
            P::Owned => Self::Consumed,
            _ => Self::Borrowed,
        }
    }
}

/// The code and context layout of a closure.
#[derive(Clone, Debug)]
pub(crate) struct ClosureShape {
    pub(crate) target: CodeTarget,
    pub(crate) captures: Rc<[Capture]>,
    pub(crate) owns: bool,
    /// The offset of the called closure in the context, if there is one.
    pub(crate) inner: Option<u32>,
}

/// The meaning of a code address.
#[derive(Clone, Debug)]
pub(crate) enum CodeTarget {
    Instance(InstanceId),
    Native(NativeFn, Symbol, Rc<[Ty]>),
    /// The closure whose value is captured last.
    Captured,
    /// A closure by its shape.
    Closure(u32),
}

/// An allocation of an object.
#[derive(Clone, Debug)]
pub(crate) struct AllocSite {
    pub(crate) class: Ty,
    pub(crate) size: u32,
    pub(crate) align: u32,
    /// The elements after the object: their stride, alignment, and where their number is.
    pub(crate) tails: Box<[(u32, u32, Slot)]>,
    /// The metatype, where it decides about the class.
    pub(crate) metatype: Option<Slot>,
    pub(crate) on_stack: bool,
    pub(crate) to: Slot,
}

/// The data of an instruction that opens a type.
#[derive(Clone, Debug)]
pub(crate) struct OpenSite {
    pub(crate) instance: InstanceId,
    pub(crate) inst: Inst,
    pub(crate) bind: BindId,
    pub(crate) kind: OpenKind,
    pub(crate) id: Symbol,
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) mutable: bool,
    /// The code for the types that were opened here.
    pub(crate) cache: Vec<(Ty, Pc)>,
}

/// The kind of existential that is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpenKind {
    Opaque,
    Class,
    Metatype,
    Error,
}

/// The data of an instruction that opens pack elements.
#[derive(Clone, Debug)]
pub(crate) struct OpenPackSite {
    pub(crate) instance: InstanceId,
    pub(crate) inst: Inst,
    pub(crate) bind: BindId,
    pub(crate) id: Symbol,
    pub(crate) index: Slot,
    pub(crate) sig: Option<GenericSig>,
    pub(crate) args: Rc<[Ty]>,
    pub(crate) cache: Vec<(usize, Pc)>,
}

/// A question for the type of a value at run time.
#[derive(Clone, Debug)]
pub(crate) struct DynamicTypeSite {
    pub(crate) kind: DynamicKind,
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) len: u32,
}

/// Whose type is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DynamicKind {
    /// An object's.
    Object,
    /// The type of the content of an opaque container at an address.
    Container,
    /// The type of an error in a box.
    Error,
    /// The metatype that an existential metatype at an address or in a container holds.
    MetatypeContainer,
}

/// A checked cast.
#[derive(Clone, Debug)]
pub(crate) struct CastSite {
    pub(crate) source: Ty,
    pub(crate) target: Ty,
    pub(crate) source_info: TypeId,
    pub(crate) target_info: TypeId,
    /// True if operands are addresses.
    pub(crate) by_address: bool,
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) exact: bool,
    pub(crate) take: CastTake,
    pub(crate) unconditional: bool,
    /// The continuation on success.
    pub(crate) success: Pc,
    pub(crate) failure: Pc,
}

/// The effect of a cast on its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CastTake {
    Always,
    OnSuccess,
    Copy,
    Never,
}

/// An access of which exclusivity is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessSite {
    pub(crate) address: Slot,
    pub(crate) buffer: Option<Slot>,
    pub(crate) modifies: bool,
    pub(crate) no_nested_conflict: bool,
    pub(crate) is_dynamic: bool,
}

/// The beginning of a coroutine: the call, and where its yields go.
#[derive(Clone, Debug)]
pub(crate) struct BeginSite {
    pub(crate) call: u32,
    pub(crate) yields: Box<[(Slot, u32)]>,
    pub(crate) token: Slot,
}

/// The yielded values of a coroutine, and its continuations.
#[derive(Clone, Debug)]
pub(crate) struct YieldSite {
    pub(crate) values: Box<[(Slot, u32)]>,
    pub(crate) resume: Pc,
    pub(crate) unwind: Pc,
}

/// The end of a coroutine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndSite {
    pub(crate) token: Slot,
    pub(crate) result: Slot,
}

/// A value that a case of an enum selects.
#[derive(Clone, Debug)]
pub(crate) struct SelectSite {
    pub(crate) ty: TypeId,
    pub(crate) value: Slot,
    pub(crate) by_address: bool,
    /// The place of the value for each case.
    pub(crate) choices: Vec<Option<Slot>>,
    pub(crate) default: Option<Slot>,
    pub(crate) len: u32,
}

/// An operation on vectors.
#[derive(Clone, Debug)]
pub(crate) struct VectorSite {
    pub(crate) name: Symbol,
    pub(crate) types: Box<[Ty]>,
    pub(crate) args: Box<[(Slot, u32)]>,
    pub(crate) to: Slot,
    pub(crate) len: u32,
}

/// A builtin.
#[derive(Clone, Debug)]
pub(crate) struct BuiltinSite {
    pub(crate) run: BuiltinFn,
    pub(crate) name: Symbol,
    pub(crate) types: Rc<[Ty]>,
    pub(crate) args: Box<[Slot]>,
    pub(crate) to: Slot,
}

/// The address after elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TailSite {
    pub(crate) to: Slot,
    pub(crate) base: Slot,
    pub(crate) count: Slot,
    pub(crate) stride: u32,
    pub(crate) align: u32,
}

/// A key path literal.
#[derive(Clone, Debug)]
pub(crate) struct KeyPathSite {
    /// The class as far as the literal tells: what is settable decides it.
    pub(crate) class: Ty,
    /// The components, each with the type that it leads to.
    pub(crate) components: Rc<[(ComponentShape, Ty)]>,
    /// The captured values: where they are, their types, and whether these are addresses.
    pub(crate) operands: Rc<[(Slot, TypeId, bool)]>,
    /// The destination of the key path.
    pub(crate) to: Slot,
    /// The object, where nothing is captured and it was made before.
    pub(crate) made: u64,
}

/// One component of a key path.
#[derive(Clone, Debug)]
pub(crate) enum ComponentShape {
    /// A part of a struct, tuple or object.
    Stored { class: bool, mutable: bool, offset: u64 },
    /// `?` (0), the wrapping at the end of a chain (1), `!` (2).
    Optional(u32),
    /// A property with accessors, or a subscript.
    Computed(Box<ComputedShape>),
}

/// A property with accessors, or a subscript.
#[derive(Clone, Debug)]
pub(crate) struct ComputedShape {
    /// The flags that say what kind the id is of.
    pub(crate) kind: u32,
    /// The identity of the component, which equality compares.
    pub(crate) id: u64,
    pub(crate) getter: CodeTarget,
    pub(crate) setter: Option<CodeTarget>,
    /// True if the setter changes the value around the property.
    pub(crate) is_mutating: bool,
    /// The operands that it captures, and the type that they have together.
    pub(crate) indices: Option<(Rc<[u32]>, Ty)>,
    pub(crate) equals: Option<CodeTarget>,
    pub(crate) hash: Option<CodeTarget>,
}

/// A global variable.
#[derive(Clone, Debug)]
pub(crate) struct GlobalSite {
    pub(crate) name: Symbol,
    pub(crate) address: u64,
}

/// A continuation that is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContinuationSite {
    /// The slot of the address of the value; without one the value goes to the frame.
    pub(crate) address: Option<Slot>,
    pub(crate) ty: TypeId,
    pub(crate) to: Slot,
}

/// A continuation that is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AwaitSite {
    pub(crate) continuation: Slot,
    pub(crate) value: Option<Slot>,
    pub(crate) error: Slot,
    pub(crate) next: Pc,
    pub(crate) error_to: Pc,
}
