//! Inference of an instruction's result types from its operands, its attributes and known declarations. Types that
//! cannot be inferred are unknown.

use crate::NONE;
use crate::body::{Body, Inst};
use crate::decl_ref::DeclRef;
use crate::generated::Opcode;
use crate::info::{Computed, ResultRule, Results};
use crate::semantics::calls::{closure_type, into_substituted, with_arguments, without_parameters, yields};
use crate::semantics::conventions::{Addresses, Conventions};
use silkit_base::Symbol;
use silkit_types::{
    BoxType, FnFlags, MetatypeRepr, ParamConvention, ParamFlags, RefStorage, SilType, Type, TypeFacts,
    TypeKind,
};

/// Returns the result types of an instruction: at least one if its kind has one result, none if the number of results
/// is not known.
pub fn result_types(body: &Body, inst: Inst, facts: &dyn TypeFacts) -> Vec<SilType> {
    inferred_types(body, inst, facts).unwrap_or_default()
}

/// Returns the result types of an instruction; `None` if their number is not known.
pub fn inferred_types(body: &Body, inst: Inst, facts: &dyn TypeFacts) -> Option<Vec<SilType>> {
    let info = body.info(inst);
    match info.result {
        ResultRule::None => Some(Vec::new()),
        ResultRule::Computed(rule) if info.results == Results::Several => several(body, inst, rule, facts),
        _ => Some(vec![result_type(body, inst, facts)]),
    }
}

/// Returns the result type of an instruction with one result.
pub fn result_type(body: &Body, inst: Inst, facts: &dyn TypeFacts) -> SilType {
    let spec = |i: u8| operand_type(body, inst, i as usize);
    let attr = |i: u8| match body.words(inst)[i as usize] {
        // `end_apply` from a compiler in which coroutines have no results.
        NONE => SilType::object(Type::void()),
        word => SilType::from_u32(word),
    };
    match body.info(inst).result {
        ResultRule::None => SilType::unknown(),
        ResultRule::SameAs(i) => spec(i),
        ResultRule::ObjectOf(i) => spec(i).to_object(),
        ResultRule::Type(i) => attr(i),
        ResultRule::AddressOf(i) => attr(i).to_address(),
        ResultRule::Fixed(name) => SilType::object(fixed(name)),
        ResultRule::Computed(rule) => computed(body, inst, rule, facts).unwrap_or_else(SilType::unknown),
    }
}

fn fixed(name: &'static str) -> Type {
    match name.strip_prefix("Builtin.") {
        Some(builtin) => Type::builtin(builtin),
        // The only fixed type that is not a builtin is the pair that `classify_bridge_object` returns.
        None => Type::tuple(&[Type::builtin("Int1"), Type::builtin("Int1")]),
    }
}

/// Returns the type `T` of `Builtin.Borrow<T>`.
fn borrowed_type(ty: Type) -> Option<Type> {
    match ty.kind() {
        TypeKind::Builtin(name, arguments) if *name == "Borrow" => arguments.first().copied(),
        _ => None,
    }
}

/// Returns the type of the first operand of a specification.
fn operand_type(body: &Body, inst: Inst, spec: usize) -> SilType {
    let start = body.operand_range(inst, spec).start;
    body.operands(inst).get(start).map_or_else(SilType::unknown, |o| body.value(o.value).ty)
}

fn computed(body: &Body, inst: Inst, rule: Computed, facts: &dyn TypeFacts) -> Option<SilType> {
    let operand = || operand_type(body, inst, 0);
    let base = || operand().ty();
    Some(match rule {
        Computed::Tuple => match body.word(inst, "type") {
            Some(ty) => SilType::from_u32(ty),
            None => {
                let types: Vec<Type> =
                    body.operands(inst).iter().map(|o| body.value(o.value).ty.ty()).collect();
                if types.iter().any(|t| t.is_unknown()) {
                    return None;
                }
                SilType::object(match types[..] {
                    [one] => Type::one_tuple(one),
                    _ => Type::tuple(&types),
                })
            }
        },
        Computed::TupleElement => {
            let index = body.word(inst, "field")? as usize;
            // An element of a `@moveOnly` tuple is not `@moveOnly`.
            let TypeKind::Tuple(elements) = unwrap_move_only(base()).kind() else { return None };
            operand().with_type(elements.get(index)?.ty)
        }
        Computed::StructField | Computed::ClassField => {
            let name = DeclRef::from_u32(body.word(inst, "field")?).name()?;
            let ty = facts.stored_field(base(), name)?;
            let ty = if rule == Computed::StructField { wrapped_as(operand().ty(), ty) } else { ty };
            let is_address = rule == Computed::ClassField || operand().is_address();
            SilType::new(ty, is_address)
        }
        Computed::EnumPayload => {
            let case = DeclRef::from_u32(body.word(inst, "element")?).name()?;
            operand()
                .with_type(wrapped_as(base(), enum_payload(unwrap_move_only(base()), case.as_str(), facts)?))
        }
        Computed::BoxField => {
            let index = body.word(inst, "field").unwrap_or(0) as usize;
            let TypeKind::Box(layout) = base().kind() else { return None };
            SilType::address(box_field(layout, index, facts)?)
        }
        Computed::Referent => match base().kind() {
            TypeKind::Storage(_, inner) => SilType::object(*inner),
            _ => return None,
        },
        Computed::WeakStorage => SilType::object(Type::new(TypeKind::Storage(RefStorage::Weak, base()))),
        Computed::UnownedStorage => {
            SilType::object(Type::new(TypeKind::Storage(RefStorage::Unowned, base())))
        }
        Computed::WrapMoveOnly => operand().with_type(Type::new(TypeKind::MoveOnly(base()))),
        Computed::UnwrapMoveOnly => operand().with_type(unwrap_move_only(base())),
        Computed::Vector => {
            let first = operand().ty();
            let count = Type::new(TypeKind::Integer(body.operands(inst).len().to_string().as_str().into()));
            SilType::object(Type::new(TypeKind::Builtin("FixedArray".into(), Box::new([count, first]))))
        }
        Computed::VectorBase => match base().kind() {
            TypeKind::Builtin(name, arguments) if *name == "FixedArray" => {
                SilType::address(*arguments.get(1)?)
            }
            _ => return None,
        },
        Computed::Borrow => {
            SilType::object(Type::new(TypeKind::Builtin("Borrow".into(), Box::new([base()]))))
        }
        Computed::BorrowReferent => SilType::object(borrowed_type(base())?),
        Computed::BorrowReferentAddress => SilType::address(borrowed_type(base())?),
        Computed::BlockStorage => match base().kind() {
            TypeKind::BlockStorage(inner) => SilType::address(*inner),
            _ => return None,
        },
        Computed::CastTarget => SilType::object(lowered(Type::from_u32(body.word(inst, "target")?))),
        Computed::ExistentialPayload => {
            SilType::address(lowered(SilType::from_u32(body.word(inst, "concrete")?).ty()))
        }
        Computed::OpaqueIsolation => {
            SilType::object(Type::optional(Type::new(TypeKind::Any(Type::nominal("Actor")))))
        }
        Computed::Differentiable | Computed::Linear => SilType::object(differentiable(body, inst, base())?),
        Computed::DifferentiableExtract | Computed::LinearExtract => {
            // The types of the derivatives do not follow from the function type alone.
            let is_original = body.word(inst, "extractee") == Some(0);
            let mut function = base().as_function().filter(|_| is_original)?.clone();
            function.differentiable = None;
            function.params.iter_mut().for_each(|p| p.flags.remove(ParamFlags::NO_DERIVATIVE));
            SilType::object(Type::new(TypeKind::Function(Box::new(function))))
        }
        Computed::Apply | Computed::PartialApply | Computed::Thunk => call(body, inst, rule, facts)?,
        _ => return None,
    })
}

/// Returns the function type that is differentiable with respect to the parameters in the instruction.
fn differentiable(body: &Body, inst: Inst, original: Type) -> Option<Type> {
    let mut function = original.as_function()?.clone();
    let is_linear = body.inst(inst).opcode == Opcode::LinearFunction;
    function.differentiable = Some(Symbol::new(if is_linear { "_linear" } else { "reverse" }));
    let parameters = body.list(body.word(inst, "parameters")?);
    for (i, param) in function.params.iter_mut().enumerate() {
        param.flags.set(ParamFlags::NO_DERIVATIVE, !parameters.contains(&(i as u32)));
    }
    Some(Type::new(TypeKind::Function(Box::new(function))))
}

fn addresses(facts: &dyn TypeFacts) -> Addresses {
    if facts.has_opaque_values() { Addresses::Opaque } else { Addresses::Lowered }
}

fn call(body: &Body, inst: Inst, rule: Computed, facts: &dyn TypeFacts) -> Option<SilType> {
    if rule == Computed::Apply {
        return body.with_callee(inst, facts, |function, types| {
            types.direct_result(Conventions::new(function, addresses(facts)))
        });
    }
    let function = SilType::from_u32(body.word(inst, "type")?).ty().as_function()?;
    let args = body.word(inst, "subs").filter(|_| function.sig.is_some()).unwrap_or(NONE);
    let function = body.with_types(args, |args| with_arguments(function.clone(), args, facts))?;
    if rule == Computed::Thunk {
        return closure_type(&function, 0, true, false, false).map(SilType::object);
    }
    let has = |name| body.has_flag(inst, name);
    let bound = body.operand_range(inst, 1).len();
    closure_type(&function, bound, has("callee_guaranteed"), has("on_stack"), has("isolated_any"))
        .map(SilType::object)
}

fn several(body: &Body, inst: Inst, rule: Computed, facts: &dyn TypeFacts) -> Option<Vec<SilType>> {
    let operand = operand_type(body, inst, 0);
    match rule {
        Computed::BeginCowMutation => Some(vec![SilType::object(Type::builtin("Int1")), operand]),
        Computed::DestructureTuple => match unwrap_move_only(operand.ty()).kind() {
            TypeKind::Tuple(elements) => Some(elements.iter().map(|e| operand.with_type(e.ty)).collect()),
            _ => None,
        },
        Computed::DestructureStruct => {
            let part = |ty| operand.with_type(wrapped_as(operand.ty(), ty));
            Some(facts.stored_fields(operand.ty())?.into_iter().map(part).collect())
        }
        Computed::BeginApply => {
            let function = SilType::from_u32(body.word(inst, "type")?).ty();
            let args = body.word(inst, "subs").unwrap_or(NONE);
            let function = without_parameters(function.as_function()?);
            let function = body.with_types(args, |args| into_substituted(function, args, facts))?;
            let mut types = yields(&function);
            if facts.has_opaque_values() {
                for (ty, value) in types.iter_mut().zip(&function.yields) {
                    let stays =
                        matches!(value.convention, ParamConvention::Inout | ParamConvention::InoutAliasable);
                    *ty = SilType::new(ty.ty(), ty.is_address() && stays);
                }
            }
            let token = SilType::object(Type::builtin("SILToken"));
            types.push(token);
            if function.flags.contains(FnFlags::YIELD_ONCE_2) {
                types.push(token.to_address());
            }
            Some(types)
        }
        _ => None,
    }
}

/// Returns the payload type of an enum case. `Optional` is known without its declaration.
fn enum_payload(base: Type, case: &str, facts: &dyn TypeFacts) -> Option<Type> {
    match base.kind() {
        TypeKind::Named(n) if n.parent.is_none() && n.name == "Optional" && case == "some" => {
            n.args.first().copied()
        }
        TypeKind::Optional(payload) if case == "some" => Some(*payload),
        _ => facts.enum_payload(base, case.into()),
    }
}

/// Returns the type of a field of a box, with what its generic parameters stand for.
pub fn box_field(layout: &BoxType, index: usize, facts: &dyn TypeFacts) -> Option<Type> {
    let field = layout.fields.get(index)?.ty;
    match layout.sig {
        None => Some(field),
        Some(sig) => {
            let subst = silkit_types::Substitution { sig, args: &layout.args };
            Some(field.substitute(subst, &|base, name| facts.member_type(base, name)))
        }
    }
}

/// Returns the type of a part: a field or payload of a `@moveOnly` value is `@moveOnly` as well.
fn wrapped_as(whole: Type, part: Type) -> Type {
    match whole.kind() {
        TypeKind::MoveOnly(_) => Type::new(TypeKind::MoveOnly(part)),
        _ => part,
    }
}

fn unwrap_move_only(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::MoveOnly(inner) => *inner,
        TypeKind::Box(_) => ty.map(&mut unwrap_move_only),
        _ => ty,
    }
}

/// Returns the lowered form of a formal type under its own abstraction pattern: metatypes become thick, in tuples and
/// optionals as well.
pub(crate) fn lowered(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Metatype(MetatypeRepr::Formal, instance) => {
            Type::new(TypeKind::Metatype(MetatypeRepr::Thick, *instance))
        }
        // In `any P.Type`, the metatype is spelled inside the existential.
        TypeKind::Any(inner) => match inner.kind() {
            TypeKind::Metatype(MetatypeRepr::Formal, p) => {
                Type::new(TypeKind::Metatype(MetatypeRepr::Thick, Type::new(TypeKind::Any(*p))))
            }
            _ => ty,
        },
        TypeKind::Tuple(_) | TypeKind::Optional(_) => ty.map(&mut lowered),
        // The payload of an optional is lowered; the generic arguments of other types stay formal.
        TypeKind::Named(n) if n.parent.is_none() && n.name == "Optional" => ty.map(&mut lowered),
        TypeKind::Paren(inner) => lowered(*inner),
        _ => ty,
    }
}
