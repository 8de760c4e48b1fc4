//! The encoding of types.

use crate::codec::{flags, record, variants};
use silkit_types::{
    BoxField, BoxType, CalleeConvention, Convention, FnFlags, FunctionType, GenericParamDecl, MetatypeRepr,
    NamedType, Param, ParamConvention, ParamFlags, RefStorage, Requirement, RequirementKind,
    ResultConvention, ResultFlags, ResultInfo, SigData, TupleElement, TypeKind,
};

variants! {
    TypeKind {
        0 = Unknown,
        1 = Builtin(name, args),
        2 = Named(named),
        3 = Param { name, depth, index },
        4 = Member(base, name),
        5 = Tuple(elements),
        6 = Function(function),
        7 = Metatype(repr, instance),
        8 = ProtocolMetatype(repr, instance),
        9 = Any(constraint),
        10 = Some(constraint),
        11 = Composition(members),
        12 = Inverse(protocol),
        13 = Optional(payload),
        14 = ImplicitlyUnwrapped(payload),
        15 = Array(element),
        16 = Dictionary(key, value),
        17 = InlineArray(count, element),
        18 = Paren(inner),
        19 = Box(layout),
        20 = Pack { direct, elements },
        21 = PackExpansion(pattern),
        22 = PackElement(pack),
        23 = Opened { id, existential, interface },
        24 = OpenedElement { id, interface },
        25 = OpaqueResult { decl, index, interface },
        26 = Storage(kind, referent),
        27 = BlockStorage(capture),
        28 = MoveOnly(inner),
        29 = DynamicSelf(class),
        30 = Integer(digits),
        31 = Attributed(attribute, inner),
    }

    MetatypeRepr { 0 = Formal, 1 = Thin, 2 = Thick, 3 = ObjC }
    RefStorage { 0 = Weak, 1 = Unowned, 2 = Unmanaged }

    Convention {
        0 = Thick,
        1 = ExplicitThick,
        2 = Swift,
        3 = Thin,
        4 = Method,
        5 = WitnessMethod(protocol),
        6 = C,
        7 = ObjCMethod,
        8 = Block,
        9 = Closure,
        10 = CxxMethod,
        11 = KeyPathGetter,
        12 = KeyPathSetter,
        13 = KeyPathEquals,
        14 = KeyPathHash,
        15 = ComMethod,
    }

    CalleeConvention { 0 = Unowned, 1 = Owned, 2 = Guaranteed }

    ParamConvention {
        0 = Unowned,
        1 = Owned,
        2 = Guaranteed,
        3 = In,
        4 = InGuaranteed,
        5 = InConstant,
        6 = InCxx,
        7 = Inout,
        8 = InoutAliasable,
        9 = PackOwned,
        10 = PackGuaranteed,
        11 = PackInout,
        12 = FormalInout,
        13 = FormalOwned,
        14 = FormalShared,
        15 = Borrowing,
        16 = Consuming,
    }

    ResultConvention {
        0 = Unowned,
        1 = Owned,
        2 = Out,
        3 = PackOut,
        4 = UnownedInnerPointer,
        5 = Autoreleased,
        6 = Guaranteed,
        7 = GuaranteedAddress,
        8 = Inout,
    }

    RequirementKind { 0 = Conforms, 1 = SameType, 2 = Layout }
}

record! {
    NamedType { parent, name, args }
    TupleElement { label, ty, variadic }
    BoxType { sig, captures_generics, fields, args }
    BoxField { mutable, ty }
    FunctionType {
        lowered, flags, convention, callee, differentiable, clang_type, global_actor, sig, params,
        result_lifetime, yields, results, error, pattern_sig, pattern_args,
    }
    Param { convention, flags, label, lifetime, ty }
    ResultInfo { convention, flags, lifetime, ty }
    SigData { params, requirements }
    GenericParamDecl { name, depth, index, is_pack, value_type, bound, attribute }
    Requirement { kind, depth, is_repeat, subject, constraint }
}

flags! { FnFlags ParamFlags ResultFlags }
