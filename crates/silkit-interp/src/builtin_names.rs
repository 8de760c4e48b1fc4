//! Parses the names of builtins: `sadd_with_overflow_Int64` is an operation followed by its operand types.

use crate::op::{FloatCmp, FloatOp, FloatUnary, IntOp, IntUnary};
use silkit_layout::{Builtin, Ty, TyKind, builtin};

/// The parsed name of a builtin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    /// The name without its type suffix.
    pub(crate) base: &'a str,
    /// The types of the suffix.
    pub(crate) types: Vec<Ty>,
}

/// Parses the name of a builtin.
pub(crate) fn parse(name: &str) -> Name<'_> {
    let mut base = name;
    let mut types = Vec::new();
    while let Some((rest, last)) = base.rsplit_once('_') {
        let Some(ty) = builtin(last) else { break };
        types.insert(0, ty);
        base = rest;
    }
    Name { base, types }
}

impl Name<'_> {
    /// Returns the width in bits of the integer type at an index. A pointer has the width of an address.
    pub(crate) fn int(&self, at: usize) -> Option<u8> {
        match self.types.get(at)?.kind() {
            TyKind::Builtin(Builtin::Int(bits)) => {
                u8::try_from(*bits).ok().filter(|bits| (1..=128).contains(bits))
            }
            TyKind::Builtin(Builtin::IntLiteral) => Some(128),
            TyKind::Builtin(Builtin::RawPointer) => Some(64),
            _ => None,
        }
    }

    /// Returns the width in bits of the floating-point type at an index.
    pub(crate) fn float(&self, at: usize) -> Option<u8> {
        match self.types.get(at)?.kind() {
            TyKind::Builtin(Builtin::Float(bits)) => u8::try_from(*bits).ok(),
            _ => None,
        }
    }

    /// Returns true if the first type is a vector.
    pub(crate) fn is_vector(&self) -> bool {
        let is = |t: &Ty| matches!(t.kind(), TyKind::Builtin(Builtin::Vector(..)));
        self.types.first().is_some_and(is)
    }
}

/// Returns the binary integer operation with this name.
pub(crate) fn int_op(base: &str) -> Option<IntOp> {
    use IntOp as I;
    Some(match base {
        "add" => I::Add,
        "sub" => I::Sub,
        "mul" => I::Mul,
        "udiv" => I::UDiv,
        "sdiv" => I::SDiv,
        "udiv_exact" => I::UDivExact,
        "sdiv_exact" => I::SDivExact,
        "urem" => I::URem,
        "srem" => I::SRem,
        "and" => I::And,
        "or" | "stringObjectOr" => I::Or,
        "xor" => I::Xor,
        "shl" => I::Shl,
        "lshr" => I::LShr,
        "ashr" => I::AShr,
        "sadd_with_overflow" => I::SAddO,
        "uadd_with_overflow" => I::UAddO,
        "ssub_with_overflow" => I::SSubO,
        "usub_with_overflow" => I::USubO,
        "smul_with_overflow" => I::SMulO,
        "umul_with_overflow" => I::UMulO,
        "cmp_eq" => I::Eq,
        "cmp_ne" => I::Ne,
        "cmp_slt" => I::Slt,
        "cmp_sle" => I::Sle,
        "cmp_sgt" => I::Sgt,
        "cmp_sge" => I::Sge,
        "cmp_ult" => I::Ult,
        "cmp_ule" => I::Ule,
        "cmp_ugt" => I::Ugt,
        "cmp_uge" => I::Uge,
        _ => return None,
    })
}

/// Returns the unary integer operation with this name.
pub(crate) fn int_unary(base: &str) -> Option<IntUnary> {
    Some(match base {
        "int_ctlz" => IntUnary::Ctlz,
        "int_cttz" => IntUnary::Cttz,
        "int_ctpop" => IntUnary::Ctpop,
        "int_bswap" => IntUnary::Bswap,
        "int_bitreverse" => IntUnary::BitReverse,
        _ => return None,
    })
}

/// Returns the binary floating-point operation with this name.
pub(crate) fn float_op(base: &str) -> Option<FloatOp> {
    Some(match base {
        "fadd" => FloatOp::Add,
        "fsub" => FloatOp::Sub,
        "fmul" => FloatOp::Mul,
        "fdiv" => FloatOp::Div,
        "frem" => FloatOp::Rem,
        "int_copysign" => FloatOp::CopySign,
        "int_minnum" => FloatOp::Minimum,
        "int_maxnum" => FloatOp::Maximum,
        "int_pow" => FloatOp::Power,
        _ => return None,
    })
}

/// Returns the unary floating-point operation with this name.
pub(crate) fn float_unary(base: &str) -> Option<FloatUnary> {
    Some(match base {
        "fneg" => FloatUnary::Neg,
        "int_fabs" => FloatUnary::Abs,
        "int_ceil" => FloatUnary::Ceil,
        "int_floor" => FloatUnary::Floor,
        "int_trunc" => FloatUnary::Trunc,
        "int_rint" | "int_nearbyint" | "int_roundeven" => FloatUnary::Rint,
        "int_round" => FloatUnary::Round,
        "int_sqrt" => FloatUnary::Sqrt,
        "int_sin" => FloatUnary::Sin,
        "int_cos" => FloatUnary::Cos,
        "int_exp" => FloatUnary::Exp,
        "int_exp2" => FloatUnary::Exp2,
        "int_log" => FloatUnary::Log,
        "int_log10" => FloatUnary::Log10,
        "int_log2" => FloatUnary::Log2,
        _ => return None,
    })
}

/// Returns the floating-point comparison with this name.
pub(crate) fn float_cmp(base: &str) -> Option<FloatCmp> {
    use FloatCmp as C;
    Some(match base.strip_prefix("fcmp_")? {
        "oeq" => C::Oeq,
        "ogt" => C::Ogt,
        "oge" => C::Oge,
        "olt" => C::Olt,
        "ole" => C::Ole,
        "one" => C::One,
        "ord" => C::Ord,
        "ueq" => C::Ueq,
        "ugt" => C::Ugt,
        "uge" => C::Uge,
        "ult" => C::Ult,
        "ule" => C::Ule,
        "une" => C::Une,
        "uno" => C::Uno,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let name = parse("s_to_u_checked_trunc_IntLiteral_Int32");
        assert_eq!((name.base, name.int(0), name.int(1)), ("s_to_u_checked_trunc", Some(128), Some(32)));
        assert_eq!(parse("is_same_metatype").base, "is_same_metatype");
        assert!(parse("sext_Vec4xInt1_Vec4xInt64").is_vector());
        assert_eq!(parse("cmpxchg_seqcst_seqcst_Word").base, "cmpxchg_seqcst_seqcst");
    }
}
