//! Operations on integers and floating-point numbers.

/// A binary operation on integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum IntOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    UDivExact,
    SDivExact,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    SAddO,
    UAddO,
    SSubO,
    USubO,
    SMulO,
    UMulO,
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

/// A unary operation on an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum IntUnary {
    Ctlz,
    Cttz,
    Ctpop,
    Bswap,
    BitReverse,
}

/// A binary operation on floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    CopySign,
    Minimum,
    Maximum,
    Power,
}

/// A unary operation on a floating-point number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum FloatUnary {
    Neg,
    Abs,
    Ceil,
    Floor,
    Trunc,
    Rint,
    Round,
    Sqrt,
    Sin,
    Cos,
    Exp,
    Exp2,
    Log,
    Log10,
    Log2,
}

/// A comparison of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum FloatCmp {
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
}
