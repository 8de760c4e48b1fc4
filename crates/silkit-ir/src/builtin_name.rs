//! The names of builtins: a base name, followed by types or a memory ordering if the builtin is overloaded.

use crate::info::BuiltinInfo;

/// The type suffixes that the name of a builtin may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltinTypes {
    /// No suffix.
    None,
    /// Any types, which are ignored.
    Any,
    /// Arbitrary text, such as the name of a build setting.
    Text,
    /// One integer.
    Integer,
    /// One integer type, or a vector of it.
    IntegerOrVector,
    /// One floating-point type, or a vector of it.
    FloatOrVector,
    /// One integer, `RawPointer`, or a vector of integers.
    IntegerPointerOrVector,
    /// `IntLiteral`.
    Literal,
    /// Two integer types, or vectors of them; the second is narrower.
    Narrower,
    /// Like [`Self::Narrower`], or two types of the same width.
    NarrowerOrSame,
    /// Two integer types, or vectors of them; the second is wider.
    Wider,
    /// Like [`Self::Wider`], or two types of the same width.
    WiderOrSame,
    /// Two floating-point types, or vectors of them; the second is narrower.
    NarrowerFloat,
    /// Two floating-point types, or vectors of them; the second is wider.
    WiderFloat,
    /// A floating-point number and an integer, or vectors of them.
    FloatToInteger,
    /// An integer and a floating-point number, or vectors of them.
    IntegerToFloat,
    /// An integer type and a floating-point type of the same width, in any order, or vectors of them.
    SameBits,
    /// Two integer types; the second is not wider.
    Truncation,
    /// Like [`Self::Truncation`], or `IntLiteral` and an integer type.
    LiteralTruncation,
    /// `IntLiteral` and a floating-point number.
    LiteralToFloat,
    /// A vector and `Int32`.
    ExtractedElement,
    /// A vector, its element and `Int32`.
    InsertedElement,
    /// A vector and a vector of `Int32`.
    Shuffle,
    /// `Int1` and any type, or vectors of them.
    Selection,
    /// The ordering of a fence.
    Fence,
    /// The ordering and the type of an atomic load.
    AtomicLoad,
    /// The ordering and the type of an atomic store.
    AtomicStore,
    /// The operation, the ordering and the type of an atomic update.
    AtomicUpdate,
    /// Two orderings and the type of an atomic exchange.
    AtomicExchange,
}

impl BuiltinInfo {
    /// Returns true if `name`, which begins with this builtin's name, has a valid suffix: `_Int64` in `add_Int64`.
    pub fn has_name(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(self.name) else { return false };
        match rest.strip_prefix('_') {
            None if rest.is_empty() => allows(self.types, &[]),
            None => false,
            Some(rest) => allows(self.types, &rest.split('_').collect::<Vec<_>>()),
        }
    }
}

/// A scalar type as spelled in the name of a builtin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    /// An integer with a minimum and a maximum width in bits, which differ for `Word`.
    Integer(u32, u32),
    Literal,
    Float(u32),
    RawPointer,
    Object,
}

/// A scalar, or a vector with this number of elements.
type Spelled = (Option<u32>, Scalar);

/// A width that exceeds that of every integer type.
const TOO_WIDE: u32 = 1 << 16;

fn scalar(word: &str) -> Option<Scalar> {
    match word {
        "Word" => return Some(Scalar::Integer(32, 64)),
        "IntLiteral" => return Some(Scalar::Literal),
        "RawPointer" => return Some(Scalar::RawPointer),
        "NativeObject" | "BridgeObject" | "UnknownObject" => return Some(Scalar::Object),
        _ => {}
    }
    if let Some(bits) = word.strip_prefix("Int") {
        let bits: u32 = bits.parse().ok()?;
        return (1..TOO_WIDE).contains(&bits).then_some(Scalar::Integer(bits, bits));
    }
    let bits = word.strip_prefix("FPIEEE")?.parse().ok()?;
    matches!(bits, 16 | 32 | 64 | 80 | 128).then_some(Scalar::Float(bits))
}

fn spelled(word: &str) -> Option<Spelled> {
    match word.strip_prefix("Vec").and_then(|rest| rest.split_once('x')) {
        Some((count, element)) => Some((Some(count.parse().ok()?), scalar(element)?)),
        None => Some((None, scalar(word)?)),
    }
}

fn allows(types: BuiltinTypes, words: &[&str]) -> bool {
    use BuiltinTypes as T;
    match types {
        T::None => return words.is_empty(),
        T::Text => return !words.is_empty(),
        T::Fence | T::AtomicLoad | T::AtomicStore | T::AtomicUpdate | T::AtomicExchange => {
            return atomic(types, words).is_some();
        }
        _ => {}
    }
    let Some(spelled) = words.iter().map(|w| spelled(w)).collect::<Option<Vec<Spelled>>>() else {
        return false;
    };
    match spelled[..] {
        _ if types == T::Any => true,
        [(lanes, one)] => allows_one(types, lanes.is_some(), one),
        [(lanes, from), (same, to)] if lanes == same => allows_two(types, lanes, from, to),
        [(None, Scalar::Integer(1, 1)), _] => types == T::Selection,
        [(Some(_), _), (None, index)] => types == T::ExtractedElement && index == Scalar::Integer(32, 32),
        [(Some(_), _), (Some(_), index)] => types == T::Shuffle && index == Scalar::Integer(32, 32),
        [(Some(_), element), (None, one), (None, Scalar::Integer(32, 32))] => {
            types == T::InsertedElement && one == element
        }
        _ => false,
    }
}

fn allows_one(types: BuiltinTypes, is_vector: bool, ty: Scalar) -> bool {
    use BuiltinTypes as T;
    match (types, ty) {
        (T::Integer, Scalar::Integer(..)) | (T::Literal, Scalar::Literal) => !is_vector,
        (T::IntegerPointerOrVector, Scalar::RawPointer) => !is_vector,
        (T::IntegerOrVector | T::IntegerPointerOrVector, Scalar::Integer(..)) => true,
        (T::FloatOrVector, Scalar::Float(_)) => true,
        _ => false,
    }
}

fn allows_two(types: BuiltinTypes, lanes: Option<u32>, from: Scalar, to: Scalar) -> bool {
    use BuiltinTypes as T;
    use Scalar::{Float, Integer, Literal};
    match (from, to) {
        (Integer(least, _), Integer(to_least, most)) => match types {
            T::Narrower => least > most,
            T::NarrowerOrSame => least >= most,
            T::Wider | T::WiderOrSame => is_wider(from, to, types == T::WiderOrSame),
            T::Truncation | T::LiteralTruncation => lanes.is_none() && least >= most,
            T::Shuffle => (to_least, most) == (32, 32) && lanes.is_some(),
            T::Selection => least == 1,
            _ => false,
        },
        (_, Integer(32, 32)) if lanes.is_some() && types == T::Shuffle => true,
        (Integer(1, 1), _) if types == T::Selection => true,
        (Integer(bits, most), Float(float)) => match types {
            T::IntegerToFloat => true,
            T::SameBits => bits == float && most == float,
            _ => false,
        },
        (Float(float), Integer(bits, most)) => match types {
            T::FloatToInteger => true,
            T::SameBits => bits == float && most == float,
            _ => false,
        },
        (Float(bits), Float(to)) => match types {
            T::NarrowerFloat => bits > to,
            T::WiderFloat => bits < to,
            _ => false,
        },
        (Literal, Integer(..)) => types == T::LiteralTruncation && lanes.is_none(),
        (Literal, Float(_)) => types == T::LiteralToFloat && lanes.is_none(),
        _ => false,
    }
}

fn is_wider(from: Scalar, to: Scalar, or_same: bool) -> bool {
    match (from, to) {
        (Scalar::Integer(_, most), Scalar::Integer(least, _)) => most < least || (or_same && most == least),
        _ => false,
    }
}

/// Parses the suffix words of an atomic builtin.
fn atomic(types: BuiltinTypes, words: &[&str]) -> Option<()> {
    use BuiltinTypes as T;
    /// The operations of `atomicrmw`.
    const UPDATES: &[&str] =
        &["xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"];
    let mut words = words;
    let mut next = |is_wanted: &dyn Fn(&str) -> bool| {
        let (first, rest) = words.split_first().filter(|(first, _)| is_wanted(first))?;
        words = rest;
        Some(*first)
    };
    let one_of = |all: &'static [&'static str]| move |word: &str| all.contains(&word);
    if types == T::AtomicUpdate {
        next(&one_of(UPDATES))?;
    }
    let success = next(&match types {
        T::Fence => one_of(&["acquire", "release", "acqrel", "seqcst"]),
        T::AtomicLoad => one_of(&["unordered", "monotonic", "acquire", "seqcst"]),
        T::AtomicStore => one_of(&["unordered", "monotonic", "release", "seqcst"]),
        T::AtomicUpdate => one_of(&["unordered", "monotonic", "acquire", "release", "acqrel", "seqcst"]),
        _ => one_of(&["monotonic", "acquire", "release", "acqrel", "seqcst"]),
    })?;
    if types == T::AtomicExchange {
        next(&match success {
            "seqcst" => one_of(&["monotonic", "acquire", "seqcst"]),
            "acqrel" | "acquire" => one_of(&["monotonic", "acquire"]),
            _ => one_of(&["monotonic"]),
        })?;
        next(&one_of(&["weak"]));
    }
    if types != T::Fence {
        next(&one_of(&["volatile"]));
    }
    next(&one_of(&["singlethread"]));
    if types == T::Fence {
        return words.is_empty().then_some(());
    }
    let [ty] = words else { return None };
    match spelled(ty)? {
        (None, Scalar::Integer(..) | Scalar::RawPointer) => Some(()),
        (None, Scalar::Float(_)) => (types != T::AtomicUpdate).then_some(()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_name(name: &str) -> bool {
        BuiltinInfo::find(name).is_some_and(|builtin| builtin.has_name(name))
    }

    /// Checks the suffixes of names against the answers of Swift 6.2.3.
    #[test]
    fn names_end_as_their_builtins_do() {
        for name in "add_Int64 add_Word add_Vec2xInt64 add_Int7 fadd_FPIEEE80 cmp_eq_RawPointer urem_Int8 ptrtoint_Word \
            trunc_Word_Int1 trunc_Int128_Word trunc_Vec2xInt64_Vec2xInt32 zext_Word_Int128 zext_Int16_Word \
            truncOrBitCast_Word_Int32 truncOrBitCast_Int64_Word zextOrBitCast_Word_Int64 zextOrBitCast_Int32_Word \
            zextOrBitCast_Int64_Int64 s_to_s_checked_trunc_IntLiteral_Word s_to_s_checked_trunc_Int64_Int64 \
            u_to_s_checked_trunc_Word_Int32 u_to_s_checked_trunc_Int64_Word itofp_with_overflow_IntLiteral_FPIEEE80 \
            bitcast_Int64_FPIEEE64 bitcast_FPIEEE80_Int80 bitcast_Vec2xInt64_Vec2xFPIEEE64 sitofp_Word_FPIEEE64 \
            fptosi_Vec2xFPIEEE64_Vec2xInt64 fpext_FPIEEE64_FPIEEE128 fptrunc_Vec2xFPIEEE64_Vec2xFPIEEE32 \
            extractelement_Vec2xFPIEEE64_Int32 insertelement_Vec2xInt64_Int64_Int32 select_Int1_Int64 \
            select_Int1_RawPointer select_Int1_Vec2xInt64 select_Vec2xInt1_Vec2xInt64 select_Vec2xInt1_Vec2xFPIEEE64 \
            shufflevector_Vec4xInt8_Vec4xInt32 shufflevector_Vec4xInt8_Vec2xInt32 fence_acqrel \
            fence_seqcst_singlethread atomicload_seqcst_volatile_singlethread_Int64 atomicload_unordered_FPIEEE64 \
            atomicstore_release_RawPointer atomicrmw_umin_seqcst_volatile_Int8 atomicrmw_add_unordered_Int8 \
            atomicrmw_xchg_seqcst_RawPointer cmpxchg_seqcst_seqcst_weak_volatile_singlethread_Int64 \
            cmpxchg_acqrel_acquire_Int8 ifdef_FOO ifdef_foo_bar sizeof sizeof_Int64 int_expect_Int1 destroyArray \
            generic_add createAsyncTask stringObjectOr_Int64 wordAtIndex_IntLiteral freeze_Vec2xInt64"
            .split_whitespace()
        {
            assert!(is_name(name), "{name}");
        }
        for name in "add add_FPIEEE64 add_Int0 add_Int65537 add_Vec2xRawPointer fadd_Int64 fadd_FPIEEE7 urem_Vec2xInt64 \
            cmp_eq_NativeObject trunc_Int64_Word trunc_Word_Int32 trunc_Int32_Int64 trunc_Vec2xInt64_Vec4xInt32 \
            trunc_IntLiteral_Int8 zext_Int32_Word zext_Word_Int64 truncOrBitCast_Int32_Word truncOrBitCast_Word_Int64 \
            truncOrBitCast_Word_Word zextOrBitCast_Int64_Word zextOrBitCast_Int64_Int32 sextOrBitCast_Word_Word \
            s_to_s_checked_trunc_Int32_Int64 s_to_s_checked_trunc_Vec2xInt64_Vec2xInt32 \
            u_to_u_checked_trunc_IntLiteral_Int8 fpext_FPIEEE64_FPIEEE64 inttoptr_Vec2xInt64 freeze_FPIEEE64 \
            extractelement_Vec2xInt64_Int64 extractelement_Int64_Int32 insertelement_Vec2xInt64_Int32_Int32 \
            select_Int64_Int64 select_Int1 select_Vec2xInt1_Vec4xInt64 shufflevector_Vec4xInt8_Int32 \
            shufflevector_Vec4xInt8_Vec4xInt64 fence_monotonic fence_seqcst_volatile fence_foo \
            atomicload_release_Int64 atomicload_seqcst_singlethread_volatile_Int64 atomicload_seqcst_Vec2xInt64 \
            atomicstore_acquire_Int64 atomicrmw_fadd_seqcst_FPIEEE64 atomicrmw_xchg_seqcst_FPIEEE32 \
            atomicrmw_umin_seqcst_singlethread_volatile_Int8 cmpxchg_seqcst_Int64 cmpxchg_acquire_seqcst_Int64 \
            cmpxchg_seqcst_release_Int64 cmpxchg_monotonic_unordered_Int64 cmpxchg_release_acquire_Int64 \
            cmpxchg_seqcst_seqcst_volatile_weak_Int64 destroyArray_Int64 generic_add_Int64 ispod_foo load retain \
            nonexistent_Int64"
            .split_whitespace()
        {
            assert!(!is_name(name), "{name}");
        }
    }
}
