//! Sites: the data of operations that does not fit in them.

use crate::frame::StackOrder;
use crate::instance::{BindId, InstanceId};
use crate::native::{BuiltinFn, NativeFn};
use crate::op::{Pc, Slot};
use crate::types::TypeId;
use silkit_base::Symbol;
use silkit_ir::{Block, DeclRef, Inst};
use silkit_layout::Ty;
use silkit_types::{GenericSig, ParamConvention, Type};
use std::rc::Rc;

/// A copy of bytes within a frame or from one frame to another.
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
    /// The operation that jumps to the block. Its branch is patched after the translation.
    pub(crate) from: Option<(Pc, Branch)>,
}

/// One of the branches of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Branch {
    First,
    Second,
    Table(u32, usize),
}

/// The table of a switch: constants or cases, and the target of each.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    pub(crate) ty: TypeId,
    /// The slots of the compared values of a `switch_value`; one entry per case for a `switch_enum`.
    pub(crate) values: Vec<Slot>,
    pub(crate) targets: Vec<Pc>,
    pub(crate) default: Pc,
    /// The size of a value in bytes.
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
    /// The slot of the called function value, if the callee is not known statically.
    pub(crate) value: Slot,
    /// True if the function value has a context.
    pub(crate) is_thick: bool,
    /// The method that is called.
    pub(crate) method: Option<MethodSite>,
    /// The arguments.
    pub(crate) args: Box<[Move]>,
    /// The slots of the arguments of a native function.
    pub(crate) slots: Rc<[Slot]>,
    /// The number of bytes of the arguments in the callee's frame.
    pub(crate) args_len: u32,
    /// The slot of the result.
    pub(crate) result: Slot,
    /// The continuation after an error, and the slot of the error.
    pub(crate) error_to: Pc,
    pub(crate) error: Slot,
    /// The generic arguments.
    pub(crate) types: Rc<[Ty]>,
    /// The name of the function, for messages and native functions.
    pub(crate) name: Symbol,
}

/// A dynamically dispatched method: the class of an object or a metatype selects the implementation.
#[derive(Clone, Debug)]
pub(crate) struct MethodSite {
    /// The object or metatype.
    pub(crate) receiver: Slot,
    pub(crate) is_metatype: bool,
    pub(crate) member: DeclRef,
    pub(crate) formal: Option<Type>,
    pub(crate) types: Rc<[Ty]>,
    /// The cached results of lookups.
    pub(crate) cache: Vec<(Ty, InstanceId)>,
}

impl MethodSite {
    /// Returns the implementation for a class, if it was looked up before.
    pub(crate) fn cached(&self, class: Ty) -> Option<InstanceId> {
        self.cache.iter().find(|(c, _)| *c == class).map(|(_, id)| *id)
    }
}

/// The creation of a closure.
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
    /// When its context is deallocated, if that is on the stack.
    pub(crate) on_stack: Option<StackOrder>,
    pub(crate) to: Slot,
    pub(crate) name: Symbol,
}

/// A captured value of a closure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// The offset of the value in the context.
    pub(crate) offset: u32,
    /// The type of the value. For a value that is captured by address, this is the type in memory.
    pub(crate) ty: TypeId,
    pub(crate) how: CaptureKind,
}

/// The way in which a value is captured and passed to the callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CaptureKind {
    /// Captures a value that the callee borrows.
    Borrowed,
    /// Captures a value of which the callee consumes a copy.
    Consumed,
    /// Captures a value taken from an address. The callee borrows the address of the captured value.
    BorrowedAddress,
    /// Captures a value taken from an address. The callee consumes a copy at an address.
    ConsumedAddress,
    /// Captures an address.
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
    /// The closure that is the last captured value.
    Captured,
    /// A closure, by the index of its shape.
    Closure(u32),
}

/// An allocation of an object.
#[derive(Clone, Debug)]
pub(crate) struct AllocSite {
    pub(crate) class: Ty,
    pub(crate) size: u32,
    pub(crate) align: u32,
    /// The tail-allocated elements: their stride, their alignment, and the slot of their count.
    pub(crate) tails: Box<[(u32, u32, Slot)]>,
    /// The slot of the metatype, if the class is dynamic.
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
    /// The code by opened type (inline cache).
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

/// A query of the dynamic type of a value.
#[derive(Clone, Debug)]
pub(crate) struct DynamicTypeSite {
    pub(crate) kind: DynamicKind,
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) len: u32,
}

/// The kind of value whose dynamic type is queried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DynamicKind {
    /// The class of an object.
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

/// A memory access whose exclusivity is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessSite {
    pub(crate) address: Slot,
    pub(crate) buffer: Option<Slot>,
    pub(crate) modifies: bool,
    pub(crate) no_nested_conflict: bool,
    pub(crate) is_dynamic: bool,
    /// See [`crate::frame::Access::exclusive`].
    pub(crate) exclusive: u32,
}

/// The beginning of a coroutine: the call, and the slots and sizes of the yielded values.
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
    /// The slot of the value for each case.
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

/// The address after the last of a number of elements.
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
    /// The static class of the key path literal. The dynamic class depends on which components are settable.
    pub(crate) class: Ty,
    /// The components, each with the type of its value.
    pub(crate) components: Rc<[(ComponentShape, Ty)]>,
    /// The captured values: their slots, their types, and true if the slot contains the address of the value.
    pub(crate) operands: Rc<[(Slot, TypeId, bool)]>,
    /// The destination of the key path.
    pub(crate) to: Slot,
    /// The key path object, if it was created before and captures nothing; otherwise 0.
    pub(crate) made: u64,
}

/// A component of a key path.
#[derive(Clone, Debug)]
pub(crate) enum ComponentShape {
    /// A stored property of a struct or class, or an element of a tuple.
    Stored { class: bool, mutable: bool, offset: u64 },
    /// Optional chaining `?` (0), the wrapping at the end of a chain (1), or forced unwrapping `!` (2).
    Optional(u32),
    /// A property with accessors, or a subscript.
    Computed(Box<ComputedShape>),
}

/// A property with accessors, or a subscript.
#[derive(Clone, Debug)]
pub(crate) struct ComputedShape {
    /// The flags that encode the kind of the id.
    pub(crate) kind: u32,
    /// The identity of the component, which is compared for equality.
    pub(crate) id: u64,
    pub(crate) getter: CodeTarget,
    pub(crate) setter: Option<CodeTarget>,
    /// True if the setter mutates the base value.
    pub(crate) is_mutating: bool,
    /// The indices of the captured operands, and the type that combines them.
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

/// The creation of a continuation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContinuationSite {
    /// The slot of the address that the value is written to; `None` if the value is written to the frame.
    pub(crate) address: Option<Slot>,
    pub(crate) ty: TypeId,
    pub(crate) to: Slot,
}

/// The data of an `await_async_continuation`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AwaitSite {
    pub(crate) continuation: Slot,
    pub(crate) value: Option<Slot>,
    pub(crate) error: Slot,
    pub(crate) next: Pc,
    pub(crate) error_to: Pc,
}
