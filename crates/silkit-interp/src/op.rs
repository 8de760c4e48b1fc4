//! The operations that function bodies are translated to. Operands are frame slots: byte offsets from the start of the frame.

use crate::types::TypeId;

pub(crate) use crate::memory::Write;
pub(crate) use crate::number_op::{FloatCmp, FloatOp, FloatUnary, IntOp, IntUnary};

/// A slot of a frame: a byte offset from its start.
pub(crate) type Slot = u32;
/// The index of an operation in the code.
pub(crate) type Pc = u32;

/// The program counter of code that does not exist.
pub(crate) const NO_PC: Pc = u32::MAX;

/// An operation of the interpreter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Begins a block with `count` instructions.
    Enter {
        count: u32,
    },
    /// Counts an execution of an instruction.
    Observe {
        site: u32,
    },
    /// Counts a store that changes the contents of memory.
    ObserveStore {
        from: Slot,
        address: Slot,
        ty: TypeId,
    },
    /// Jumps unconditionally.
    Jump {
        to: Pc,
    },
    /// Translates a block and continues there.
    Lazy {
        site: u32,
    },
    JumpIf {
        condition: Slot,
        then: Pc,
        otherwise: Pc,
    },
    /// Jumps to the target of the constant that equals a value.
    Switch {
        table: u32,
        value: Slot,
    },
    /// Jumps to the target of the case of an enum.
    SwitchEnum {
        table: u32,
        value: Slot,
    },
    SwitchEnumAddr {
        table: u32,
        address: Slot,
    },
    /// Jumps if a word is zero.
    JumpIfZero {
        word: Slot,
        zero: Pc,
        other: Pc,
    },
    /// Jumps if a byte is zero.
    JumpIfZeroByte {
        byte: Slot,
        zero: Pc,
        other: Pc,
    },

    Const8 {
        to: Slot,
        low: u32,
        high: u32,
    },
    Const1 {
        to: Slot,
        value: u8,
    },
    /// Writes constant bytes of the pool.
    Const {
        to: Slot,
        bytes: u32,
    },
    Zero {
        to: Slot,
        len: u32,
    },
    Copy8 {
        to: Slot,
        from: Slot,
    },
    Copy16 {
        to: Slot,
        from: Slot,
    },
    Copy1 {
        to: Slot,
        from: Slot,
    },
    Copy {
        to: Slot,
        from: Slot,
        len: u32,
    },
    /// Performs several copies in parallel, given by a list in the pool.
    Move {
        list: u32,
    },

    AddO64 {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    SubO64 {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Add64 {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    And64 {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Eq64 {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Slt64 {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Ult64 {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Int {
        op: IntOp,
        bits: u8,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Unary {
        op: IntUnary,
        bits: u8,
        to: Slot,
        a: Slot,
    },
    /// Changes the width of an integer.
    Resize {
        signed: bool,
        from_bits: u8,
        to_bits: u8,
        to: Slot,
        from: Slot,
    },
    /// Changes the width of an integer and sets a flag if the value changed.
    CheckedTrunc {
        from_signed: bool,
        to_signed: bool,
        from_bits: u8,
        to_bits: u8,
        to: Slot,
        from: Slot,
    },
    Float {
        op: FloatOp,
        bits: u8,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    FloatUnary {
        op: FloatUnary,
        bits: u8,
        to: Slot,
        a: Slot,
    },
    FloatCmp {
        op: FloatCmp,
        bits: u8,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    FloatFma {
        bits: u8,
        args: u32,
        to: Slot,
    },
    FloatResize {
        from_bits: u8,
        to_bits: u8,
        to: Slot,
        from: Slot,
    },
    FloatToInt {
        signed: bool,
        from_bits: u8,
        to_bits: u8,
        to: Slot,
        from: Slot,
    },
    IntToFloat {
        signed: bool,
        from_bits: u8,
        to_bits: u8,
        to: Slot,
        from: Slot,
    },
    /// Executes an operation on vectors, given by a site of the pool.
    Vector {
        site: u32,
    },

    /// Traps if the condition is true.
    CondFail {
        condition: Slot,
        message: u32,
    },
    /// Ends the program with a trap.
    Trap {
        message: u32,
    },
    Unreachable,
    /// Stops at an operation that is not supported or needs something that is missing; the reason is in the table.
    Unsupported {
        what: u32,
    },
    /// Reports a use of `undef`.
    Undef,

    AddAddress {
        to: Slot,
        from: Slot,
        offset: u32,
    },
    IndexAddress {
        to: Slot,
        base: Slot,
        index: Slot,
        stride: u16,
    },
    /// Computes the aligned address after the end of an object or an array.
    TailAddress {
        site: u32,
    },

    Load8 {
        to: Slot,
        address: Slot,
    },
    Load1 {
        to: Slot,
        address: Slot,
    },
    Load {
        to: Slot,
        address: Slot,
        ty: TypeId,
    },
    /// Loads a copy of a value.
    LoadCopy {
        to: Slot,
        address: Slot,
        ty: TypeId,
    },
    /// Loads a value and leaves the memory uninitialized.
    LoadTake {
        to: Slot,
        address: Slot,
        ty: TypeId,
    },
    Store8 {
        from: Slot,
        address: Slot,
    },
    Store1 {
        from: Slot,
        address: Slot,
    },
    Store {
        from: Slot,
        address: Slot,
        ty: TypeId,
    },
    StoreAssign {
        write: Write,
        from: Slot,
        address: Slot,
        ty: TypeId,
    },
    CopyAddr {
        take: bool,
        write: Write,
        from: Slot,
        to: Slot,
        ty: TypeId,
    },
    DestroyAddr {
        address: Slot,
        ty: TypeId,
    },
    /// Destroys the value at an address if there is one.
    DestroyIfAny {
        address: Slot,
        ty: TypeId,
    },
    /// Writes 1 if memory contains a value, otherwise 0.
    HoldsValue {
        to: Slot,
        address: Slot,
        ty: TypeId,
    },
    LoadWeak {
        take: bool,
        to: Slot,
        address: Slot,
        ty: TypeId,
    },
    StoreWeak {
        init: bool,
        from: Slot,
        address: Slot,
        ty: TypeId,
    },
    LoadUnowned {
        take: bool,
        to: Slot,
        address: Slot,
        ty: TypeId,
    },
    StoreUnowned {
        init: bool,
        from: Slot,
        address: Slot,
        ty: TypeId,
    },

    AllocStack {
        to: Slot,
        ty: TypeId,
    },
    /// Allocates stack memory that is deallocated when the frame returns, if not before.
    AllocTemporary {
        to: Slot,
        ty: TypeId,
    },
    DeallocStack {
        address: Slot,
    },
    AllocBytes {
        to: Slot,
        size: u32,
        align: u32,
    },
    AllocBox {
        to: Slot,
        site: u32,
    },
    AllocRef {
        site: u32,
    },
    DeallocRef {
        object: Slot,
        stack: bool,
    },
    DeallocPartial {
        object: Slot,
        metatype: Slot,
    },
    DeallocBox {
        object: Slot,
    },
    AllocErrorBox {
        to: Slot,
        ty: TypeId,
    },
    /// Computes the address of the value in an error box.
    ProjectErrorBox {
        to: Slot,
        from: Slot,
    },
    AllocGlobal {
        global: u32,
    },
    GlobalAddr {
        to: Slot,
        global: u32,
    },

    Retain {
        object: Slot,
    },
    Release {
        object: Slot,
    },
    RetainValue {
        value: Slot,
        ty: TypeId,
    },
    ReleaseValue {
        value: Slot,
        ty: TypeId,
    },
    UnownedRetain {
        object: Slot,
        change: i32,
    },
    /// Retains the object of an unowned reference. Fails if the object was deinitialized.
    StrongFromUnowned {
        to: Slot,
        from: Slot,
        ty: TypeId,
    },
    IsUnique {
        to: Slot,
        address: Slot,
    },
    IsUniqueValue {
        to: Slot,
        value: Slot,
    },

    /// Sets the tag of an enum in the frame.
    Inject {
        value: Slot,
        ty: TypeId,
        case: u32,
    },
    /// Removes the tag from an enum in the frame, so that only the payload remains.
    Project {
        value: Slot,
        ty: TypeId,
        case: u32,
    },
    InjectAddr {
        address: Slot,
        ty: TypeId,
        case: u32,
    },
    /// Removes the tag from an enum in memory, so that only the payload remains.
    ProjectAddr {
        address: Slot,
        ty: TypeId,
        case: u32,
    },
    SelectEnum {
        site: u32,
        to: Slot,
    },

    InitExistential {
        tables: u8,
        to: Slot,
        container: Slot,
        ty: TypeId,
    },
    DeinitExistential {
        container: Slot,
    },
    /// Opens an existential and continues with code for its dynamic type.
    Open {
        site: u32,
    },
    OpenPack {
        site: u32,
    },
    /// Computes the metatype of the dynamic type of an existential, an object or a container.
    DynamicType {
        site: u32,
    },
    Cast {
        site: u32,
    },

    Call {
        site: u32,
    },
    CallValue {
        site: u32,
    },
    CallMethod {
        site: u32,
    },
    CallNative {
        site: u32,
    },
    Return {
        from: Slot,
        len: u32,
    },
    Throw {
        from: Slot,
        len: u32,
    },
    Yield {
        site: u32,
    },
    BeginCoroutine {
        site: u32,
    },
    EndApply {
        site: u32,
        abort: bool,
    },
    Unwind,
    Closure {
        site: u32,
    },
    /// Looks up the code of a method by the class of an object.
    MethodOf {
        site: u32,
    },

    BeginAccess {
        site: u32,
    },
    EndAccess {
        address: Slot,
    },
    BeginUnpaired {
        site: u32,
    },
    EndUnpaired {
        buffer: Slot,
    },
    BindMemory {
        to: Slot,
    },
    /// Executes a builtin with more operands than fit in an operation, given by a site of the pool.
    Builtin {
        site: u32,
    },
    /// Creates a key path.
    KeyPath {
        site: u32,
    },
    PackElement {
        to: Slot,
        pack: Slot,
        index: Slot,
        set: bool,
    },
    GetContinuation {
        site: u32,
    },
    AwaitContinuation {
        site: u32,
    },
    /// Switches to another executor.
    Hop {
        executor: Slot,
    },
    /// Checks that an enum in the frame has the case whose payload is used.
    CheckCase {
        value: Slot,
        ty: TypeId,
        case: u32,
    },
    /// Checks that an enum in memory has the case whose payload is used.
    CheckCaseAddr {
        address: Slot,
        ty: TypeId,
        case: u32,
    },
    /// Reports a write through an address that may only be read.
    WriteToReadOnly {
        message: u32,
        is_access: bool,
    },
    /// Does nothing. A debugger can stop here.
    Nop,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_stay_small() {
        assert!(size_of::<Op>() <= 16, "{}", size_of::<Op>());
    }
}
