//! Function types, formal and lowered.

use crate::generics::GenericSig;
use crate::kind::Type;
use bitflags::bitflags;
use silkit_base::Symbol;

/// A function type. The same structure represents both levels: formal types use labels and ownership specifiers,
/// lowered ones conventions (SIL.md, "Function Types").
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// True if this is a lowered SIL function type.
    pub lowered: bool,
    /// Attributes of the type.
    pub flags: FnFlags,
    /// The calling convention.
    pub convention: Convention,
    /// The convention for the context of a thick function.
    pub callee: CalleeConvention,
    /// The argument of `@differentiable(…)`; the empty symbol if it has none.
    pub differentiable: Option<Symbol>,
    /// The clang type of `@convention(c, cType: "…")`.
    pub clang_type: Option<Symbol>,
    /// The global actor attribute of a formal type: `@MainActor`.
    pub global_actor: Option<Type>,
    /// The function's own generic signature.
    pub sig: Option<GenericSig>,
    /// The parameters.
    pub params: Box<[Param]>,
    /// The lifetime dependences of all results: the text in `@lifetime(…)` before them.
    pub result_lifetime: Option<Symbol>,
    /// The values that a coroutine yields.
    pub yields: Box<[Yield]>,
    /// The results; a formal type has exactly one.
    pub results: Box<[ResultInfo]>,
    /// The error result of a lowered type, or the type of a formal `throws(E)`.
    pub error: Option<ResultInfo>,
    /// The signature of `@substituted <…>`.
    pub pattern_sig: Option<GenericSig>,
    /// The arguments of `for <…>`.
    pub pattern_args: Box<[Type]>,
}

bitflags! {
    /// Attributes of a function type.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct FnFlags: u32 {
        /// `@noescape`.
        const NOESCAPE = 1;
        /// `@escaping`.
        const ESCAPING = 1 << 1;
        /// `@async`, or `async` of a formal type.
        const ASYNC = 1 << 2;
        /// `@Sendable`.
        const SENDABLE = 1 << 3;
        /// `@pseudogeneric`.
        const PSEUDOGENERIC = 1 << 4;
        /// `@isolated(any)`.
        const ISOLATED_ANY = 1 << 5;
        /// `@yield_once`.
        const YIELD_ONCE = 1 << 6;
        /// `@yield_once_2`.
        const YIELD_ONCE_2 = 1 << 7;
        /// `@yield_many`.
        const YIELD_MANY = 1 << 8;
        /// `@unimplementable`.
        const UNIMPLEMENTABLE = 1 << 9;
        /// `@autoclosure`.
        const AUTOCLOSURE = 1 << 10;
        /// `throws` of a formal type, typed or not.
        const THROWS = 1 << 11;
        /// `rethrows` of a formal type.
        const RETHROWS = 1 << 12;
        /// `@concurrent`.
        const CONCURRENT = 1 << 13;
        /// `nonisolated(nonsending)`.
        const NONISOLATED_NONSENDING = 1 << 14;
        /// `-> sending T` of a formal type.
        const SENDING_RESULT = 1 << 15;
        /// `@caller_isolated` (Swift 6.4).
        const CALLER_ISOLATED = 1 << 16;
        /// `@called(atMostOnce)` (Swift 6.5).
        const CALLED_AT_MOST_ONCE = 1 << 17;
        /// `@called(exactlyOnce)` (Swift 6.5).
        const CALLED_EXACTLY_ONCE = 1 << 18;
        /// `@called(once)`, the spelling before `atMostOnce` and `exactlyOnce`.
        const CALLED_ONCE = 1 << 19;
    }
}

/// `@convention(…)` (SIL.md, "Calling Convention").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Convention {
    /// The default: a thick function, not spelled.
    Thick,
    /// `@convention(thick)`, spelled out.
    ExplicitThick,
    /// `@convention(swift)`, spelled out.
    Swift,
    /// `@convention(thin)`.
    Thin,
    /// `@convention(method)`.
    Method,
    /// `@convention(witness_method: P)`.
    WitnessMethod(Type),
    /// `@convention(c)`.
    C,
    /// `@convention(objc_method)`.
    ObjCMethod,
    /// `@convention(block)`.
    Block,
    /// `@convention(closure)`.
    Closure,
    /// `@convention(cxx_method)`.
    CxxMethod,
    /// `@convention(com_method)` (Swift 6.5).
    ComMethod,
    /// `@convention(keypath_accessor_getter)`.
    KeyPathGetter,
    /// `@convention(keypath_accessor_setter)`.
    KeyPathSetter,
    /// `@convention(keypath_accessor_equals)`.
    KeyPathEquals,
    /// `@convention(keypath_accessor_hash)`.
    KeyPathHash,
}

/// The convention for the context of a thick function during a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CalleeConvention {
    /// The default, not spelled.
    Unowned,
    /// `@callee_owned`.
    Owned,
    /// `@callee_guaranteed`.
    Guaranteed,
}

/// One parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Param {
    /// The convention by which the argument is passed.
    pub convention: ParamConvention,
    /// Further attributes.
    pub flags: ParamFlags,
    /// The label of a formal parameter.
    pub label: Option<Symbol>,
    /// Its lifetime dependences: the text in `@lifetime(…)`.
    pub lifetime: Option<Symbol>,
    /// The type.
    pub ty: Type,
}

impl Param {
    /// Returns the type of the argument: the elements of a variadic parameter are passed as an array.
    pub fn passed_type(&self) -> Type {
        if self.flags.contains(ParamFlags::VARIADIC) {
            Type::named(None, Symbol::new("Array"), [self.ty].into())
        } else {
            self.ty
        }
    }
}

/// The convention by which an argument is passed (SIL.md, "Parameter conventions"), or the ownership specifier of a
/// formal parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamConvention {
    /// Trivial or unowned; not spelled.
    Unowned,
    /// `@owned`.
    Owned,
    /// `@guaranteed`.
    Guaranteed,
    /// `@in`.
    In,
    /// `@in_guaranteed`.
    InGuaranteed,
    /// `@in_constant`.
    InConstant,
    /// `@in_cxx`.
    InCxx,
    /// `@inout`.
    Inout,
    /// `@inout_aliasable`.
    InoutAliasable,
    /// `@pack_owned`.
    PackOwned,
    /// `@pack_guaranteed`.
    PackGuaranteed,
    /// `@pack_inout`.
    PackInout,
    /// `inout T` of a formal type.
    FormalInout,
    /// `__owned T` of a formal type.
    FormalOwned,
    /// `__shared T` of a formal type.
    FormalShared,
    /// `borrowing T`.
    Borrowing,
    /// `consuming T`.
    Consuming,
}

bitflags! {
    /// Attributes of a parameter beside its convention.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct ParamFlags: u32 {
        /// `@noDerivative`.
        const NO_DERIVATIVE = 1;
        /// `@sil_sending`, or `sending` of a formal type.
        const SENDING = 1 << 1;
        /// `@sil_isolated`, or `isolated` of a formal type.
        const ISOLATED = 1 << 2;
        /// `@sil_implicit_leading_param`.
        const IMPLICIT_LEADING = 1 << 3;
        /// `_const`.
        const CONST = 1 << 4;
        /// `T...`.
        const VARIADIC = 1 << 5;
        /// `@autoclosure` of a formal parameter.
        const AUTOCLOSURE = 1 << 6;
        /// An explicit empty label: `_: T`.
        const EXPLICIT_NO_LABEL = 1 << 8;
        /// `@_addressable`.
        const ADDRESSABLE = 1 << 9;
        /// `@_inheritActorContext`.
        const INHERIT_ACTOR_CONTEXT = 1 << 10;
        /// The flags are spelled as in lowered types (`@sil_sending` instead of `sending`).
        const SIL = 1 << 11;
    }
}

/// A value yielded by a coroutine; it has the conventions of a parameter.
pub type Yield = Param;

/// One result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ResultInfo {
    /// The convention by which the value is returned.
    pub convention: ResultConvention,
    /// Further attributes.
    pub flags: ResultFlags,
    /// Its lifetime dependences: the text in `@lifetime(…)`.
    pub lifetime: Option<Symbol>,
    /// The type.
    pub ty: Type,
}

/// The convention by which a result is returned (SIL.md, "Result conventions").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResultConvention {
    /// Trivial or unowned; not spelled.
    Unowned,
    /// `@owned`.
    Owned,
    /// `@out`; as an error `@error_indirect`.
    Out,
    /// `@pack_out`.
    PackOut,
    /// `@unowned_inner_pointer`.
    UnownedInnerPointer,
    /// `@autoreleased`.
    Autoreleased,
    /// `@guaranteed`.
    Guaranteed,
    /// `@guaranteed_address`.
    GuaranteedAddress,
    /// `@inout`.
    Inout,
}

bitflags! {
    /// Attributes of a result beside its convention.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct ResultFlags: u32 {
        /// `@noDerivative`.
        const NO_DERIVATIVE = 1;
        /// `@sil_sending`.
        const SENDING = 1 << 1;
    }
}

impl FunctionType {
    /// Creates a lowered function type with this convention and without parameters, results or attributes.
    pub fn lowered(convention: Convention) -> Self {
        Self {
            lowered: true,
            flags: FnFlags::empty(),
            convention,
            callee: CalleeConvention::Unowned,
            differentiable: None,
            clang_type: None,
            global_actor: None,
            sig: None,
            params: Box::default(),
            result_lifetime: None,
            yields: Box::default(),
            results: Box::default(),
            error: None,
            pattern_sig: None,
            pattern_args: Box::default(),
        }
    }

    /// Returns the types of the parameters, yields, results and the error, in this order.
    pub fn component_types(&self) -> impl Iterator<Item = Type> + '_ {
        let params = self.params.iter().chain(&self.yields).map(|p| p.ty);
        params.chain(self.results.iter().chain(&self.error).map(|r| r.ty))
    }

    /// Returns true if this is the type of a coroutine.
    pub fn is_coroutine(&self) -> bool {
        self.flags.intersects(FnFlags::YIELD_ONCE | FnFlags::YIELD_ONCE_2 | FnFlags::YIELD_MANY)
    }

    /// Returns true if the function is async.
    pub fn is_async(&self) -> bool {
        self.flags.contains(FnFlags::ASYNC)
    }
}

impl ParamConvention {
    /// Returns true if this is an ownership specifier of a formal parameter.
    pub fn is_formal(self) -> bool {
        use ParamConvention as P;
        matches!(self, P::FormalInout | P::FormalOwned | P::FormalShared | P::Borrowing | P::Consuming)
    }

    /// Returns true if the argument is passed as an address (unless the module has opaque values).
    pub fn is_indirect(self) -> bool {
        use ParamConvention as P;
        matches!(
            self,
            P::In
                | P::InGuaranteed
                | P::InConstant
                | P::InCxx
                | P::Inout
                | P::InoutAliasable
                | P::PackOwned
                | P::PackGuaranteed
                | P::PackInout
        )
    }

    /// Returns the spelling of the attribute or specifier; empty for [`ParamConvention::Unowned`].
    pub fn spelling(self) -> &'static str {
        use ParamConvention as P;
        match self {
            P::Unowned => "",
            P::Owned => "@owned",
            P::Guaranteed => "@guaranteed",
            P::In => "@in",
            P::InGuaranteed => "@in_guaranteed",
            P::InConstant => "@in_constant",
            P::InCxx => "@in_cxx",
            P::Inout => "@inout",
            P::InoutAliasable => "@inout_aliasable",
            P::PackOwned => "@pack_owned",
            P::PackGuaranteed => "@pack_guaranteed",
            P::PackInout => "@pack_inout",
            P::FormalInout => "inout",
            P::FormalOwned => "__owned",
            P::FormalShared => "__shared",
            P::Borrowing => "borrowing",
            P::Consuming => "consuming",
        }
    }
}

impl ResultConvention {
    /// Returns true if the result is returned through an address.
    pub fn is_indirect(self) -> bool {
        matches!(self, Self::Out | Self::PackOut)
    }

    /// Returns the spelling of the attribute; empty for [`ResultConvention::Unowned`].
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Unowned => "",
            Self::Owned => "@owned",
            Self::Out => "@out",
            Self::PackOut => "@pack_out",
            Self::UnownedInnerPointer => "@unowned_inner_pointer",
            Self::Autoreleased => "@autoreleased",
            Self::Guaranteed => "@guaranteed",
            Self::GuaranteedAddress => "@guaranteed_address",
            Self::Inout => "@inout",
        }
    }
}

impl Convention {
    /// Returns the text between the parentheses of `@convention(…)`; `None` for the default convention.
    pub fn spelling(self) -> Option<&'static str> {
        use Convention as C;
        Some(match self {
            C::Thick => return None,
            C::ExplicitThick => "thick",
            C::Swift => "swift",
            C::Thin => "thin",
            C::Method => "method",
            C::WitnessMethod(_) => "witness_method",
            C::C => "c",
            C::ObjCMethod => "objc_method",
            C::Block => "block",
            C::Closure => "closure",
            C::CxxMethod => "cxx_method",
            C::ComMethod => "com_method",
            C::KeyPathGetter => "keypath_accessor_getter",
            C::KeyPathSetter => "keypath_accessor_setter",
            C::KeyPathEquals => "keypath_accessor_equals",
            C::KeyPathHash => "keypath_accessor_hash",
        })
    }
}
