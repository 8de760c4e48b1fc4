//! The types of an instruction's results, from its operands, its attributes and what is known
//! about declarations. Where that does not suffice, a type is unknown.

use crate::NONE;
use crate::body::{Body, Inst};
use crate::calls::{closure_type, direct_result, substituted, yields};
use crate::decl_ref::DeclRef;
use crate::info::{Computed, ResultRule, Results};
use silkit_types::{BoxType, MetatypeRepr, RefStorage, SilType, Type, TypeFacts, TypeKind};

/// The types of the results of an instruction; at least one for an instruction with one result.
pub fn result_types(body: &Body, inst: Inst, facts: &dyn TypeFacts) -> Vec<SilType> {
    let info = body.info(inst);
    let spec = |i: u8| operand_type(body, inst, i as usize);
    let attr = |i: u8| SilType::from_u32(body.words(inst)[i as usize]);
    let one = match info.result {
        ResultRule::None => return Vec::new(),
        ResultRule::SameAs(i) => spec(i),
        ResultRule::ObjectOf(i) => spec(i).to_object(),
        ResultRule::Type(i) => attr(i),
        ResultRule::AddressOf(i) => attr(i).to_address(),
        ResultRule::Fixed(name) => SilType::object(fixed(name)),
        ResultRule::Computed(rule) if info.results == Results::Several => {
            return several(body, inst, rule, facts).unwrap_or_default();
        }
        ResultRule::Computed(rule) => computed(body, inst, rule, facts).unwrap_or_else(SilType::unknown),
    };
    vec![one]
}

fn fixed(name: &'static str) -> Type {
    match name.strip_prefix("Builtin.") {
        Some(builtin) => Type::builtin(builtin),
        // The one fixed type that is no builtin is the pair that `classify_bridge_object` gives.
        None => Type::tuple(&[Type::builtin("Int1"), Type::builtin("Int1")]),
    }
}

/// The type of the first operand of a specification.
fn operand_type(body: &Body, inst: Inst, spec: usize) -> SilType {
    let start = body.operand_range(inst, spec).start;
    body.operands(inst).get(start).map_or_else(SilType::unknown, |o| body.value(o.value).ty)
}

/// The word of an attribute by its name.
fn word(body: &Body, inst: Inst, name: &str) -> Option<u32> {
    let index = body.info(inst).attrs.iter().position(|a| a.name == name)?;
    Some(body.words(inst)[index]).filter(|&w| w != NONE)
}

fn computed(body: &Body, inst: Inst, rule: Computed, facts: &dyn TypeFacts) -> Option<SilType> {
    let operand = || operand_type(body, inst, 0);
    let base = || operand().ty();
    Some(match rule {
        Computed::Tuple => match word(body, inst, "type") {
            Some(ty) => SilType::from_u32(ty),
            None => {
                let types: Vec<Type> =
                    body.operands(inst).iter().map(|o| body.value(o.value).ty.ty()).collect();
                if types.iter().any(|t| t.is_unknown()) {
                    return None;
                }
                SilType::object(Type::tuple(&types))
            }
        },
        Computed::TupleElement => {
            let index = word(body, inst, "field")? as usize;
            let TypeKind::Tuple(elements) = base().kind() else { return None };
            operand().with_type(elements.get(index)?.ty)
        }
        Computed::StructField | Computed::ClassField => {
            let name = DeclRef::from_u32(word(body, inst, "field")?).name()?;
            let ty = facts.stored_field(base(), name)?;
            let is_address = rule == Computed::ClassField || operand().is_address();
            SilType::new(ty, is_address)
        }
        Computed::EnumPayload => {
            let case = DeclRef::from_u32(word(body, inst, "element")?).name()?;
            operand().with_type(enum_payload(base(), case.as_str(), facts)?)
        }
        Computed::BoxField => {
            let index = word(body, inst, "field").unwrap_or(0) as usize;
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
        Computed::BlockStorage => match base().kind() {
            TypeKind::BlockStorage(inner) => SilType::address(*inner),
            _ => return None,
        },
        Computed::CastTarget => SilType::object(lowered(Type::from_u32(word(body, inst, "target")?))),
        Computed::ExistentialPayload => {
            SilType::address(lowered(SilType::from_u32(word(body, inst, "concrete")?).ty()))
        }
        Computed::OpaqueIsolation => {
            SilType::object(Type::optional(Type::new(TypeKind::Any(Type::nominal("Actor")))))
        }
        Computed::Apply | Computed::PartialApply | Computed::Thunk => call(body, inst, rule, facts)?,
        _ => return None,
    })
}

fn call(body: &Body, inst: Inst, rule: Computed, facts: &dyn TypeFacts) -> Option<SilType> {
    let function = SilType::from_u32(word(body, inst, "type")?).ty();
    let args = body.type_list(word(body, inst, "subs").unwrap_or(NONE));
    let function = substituted(function.as_function()?, &args, facts)?;
    Some(SilType::object(match rule {
        Computed::Apply => direct_result(&function),
        Computed::Thunk => Type::new(TypeKind::Function(Box::new(function))),
        _ => {
            let flags = body.inst(inst).flags;
            let has = |name| {
                body.info(inst).flags.iter().position(|f| *f == name).is_some_and(|i| flags & 1 << i != 0)
            };
            let bound = body.operand_range(inst, 1).len();
            closure_type(&function, bound, has("callee_guaranteed"), has("on_stack"), has("isolated_any"))?
        }
    }))
}

fn several(body: &Body, inst: Inst, rule: Computed, facts: &dyn TypeFacts) -> Option<Vec<SilType>> {
    let operand = operand_type(body, inst, 0);
    match rule {
        Computed::BeginCowMutation => Some(vec![SilType::object(Type::builtin("Int1")), operand]),
        Computed::DestructureTuple => match operand.ty().kind() {
            TypeKind::Tuple(elements) => Some(elements.iter().map(|e| operand.with_type(e.ty)).collect()),
            _ => None,
        },
        Computed::DestructureStruct => {
            Some(facts.stored_fields(operand.ty())?.into_iter().map(|t| operand.with_type(t)).collect())
        }
        Computed::BeginApply => {
            let function = SilType::from_u32(word(body, inst, "type")?).ty();
            let args = body.type_list(word(body, inst, "subs").unwrap_or(NONE));
            let function = substituted(function.as_function()?, &args, facts)?;
            let mut types = yields(&function);
            types.push(SilType::object(Type::builtin("SILToken")));
            Some(types)
        }
        _ => None,
    }
}

/// The payload of a case; `Optional` is known without its declaration.
fn enum_payload(base: Type, case: &str, facts: &dyn TypeFacts) -> Option<Type> {
    match base.kind() {
        TypeKind::Named(n) if n.parent.is_none() && n.name == "Optional" && case == "some" => {
            n.args.first().copied()
        }
        TypeKind::Optional(payload) if case == "some" => Some(*payload),
        _ => facts.enum_payload(base, case.into()),
    }
}

fn box_field(layout: &BoxType, index: usize, facts: &dyn TypeFacts) -> Option<Type> {
    let field = layout.fields.get(index)?.ty;
    match layout.sig {
        None => Some(field),
        Some(sig) => {
            let subst = silkit_types::Substitution { sig, args: &layout.args };
            Some(field.substitute(subst, &|base, name| facts.member_type(base, name)))
        }
    }
}

fn unwrap_move_only(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::MoveOnly(inner) => *inner,
        TypeKind::Box(_) => ty.map(&mut unwrap_move_only),
        _ => ty,
    }
}

/// The lowered form of a formal type whose abstraction is its own: metatypes become thick.
pub(crate) fn lowered(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Metatype(MetatypeRepr::Formal, instance) => {
            Type::new(TypeKind::Metatype(MetatypeRepr::Thick, *instance))
        }
        // `any P.Type` is spelled with the metatype inside.
        TypeKind::Any(inner) => match inner.kind() {
            TypeKind::Metatype(MetatypeRepr::Formal, p) => {
                Type::new(TypeKind::Metatype(MetatypeRepr::Thick, Type::new(TypeKind::Any(*p))))
            }
            _ => ty,
        },
        TypeKind::Tuple(_) => ty.map(&mut lowered),
        TypeKind::Paren(inner) => lowered(*inner),
        _ => ty,
    }
}
