//! The types that instructions expect of their operands. They are evidence for the type of a value that its
//! definition does not determine, such as a property of a type of another module.

use crate::body::{Body, Inst, Operand, Value};
use crate::decl_ref::DeclRef;
use crate::generated::Opcode;
use crate::info::{ApplyKind, ResultRule};
use crate::semantics::calls::{substituted, with_arguments};
use crate::semantics::conventions::{Addresses, ApplySite, Conventions};
use silkit_types::{SilType, Type, TypeFacts, TypeKind};

/// Returns the type that the uses of a value expect; `None` if no use determines it.
pub fn expected_type(body: &Body, value: Value, facts: &dyn TypeFacts) -> Option<SilType> {
    body.uses(value).find_map(|operand| expected_operand_type(body, operand, facts))
}

/// Returns the type that an instruction expects of an operand.
pub fn expected_operand_type(body: &Body, operand: Operand, facts: &dyn TypeFacts) -> Option<SilType> {
    by_operand(body, operand, facts).filter(|ty| is_known(ty.ty()))
}

fn by_operand(body: &Body, operand: Operand, facts: &dyn TypeFacts) -> Option<SilType> {
    let inst = body.operand(operand).user;
    let index = body.operand_index(operand);
    let spec = body.operand_spec(operand)? as u8;
    let known = |ty: SilType| Some(ty).filter(|ty| !ty.is_unknown());
    let result = || known(body.value(body.first_result(inst)?).ty);
    match body.info(inst).result {
        ResultRule::SameAs(of) if of == spec => return result(),
        ResultRule::ObjectOf(of) if of == spec => return Some(result()?.to_address()),
        _ => {}
    }
    let other = |i: usize| known(body.value(body.operands(inst).get(i)?.value).ty);
    let is_first = index == 0;
    match body.inst(inst).opcode {
        Opcode::Store | Opcode::StoreBorrow | Opcode::Assign if is_first => Some(other(1)?.to_object()),
        Opcode::Store | Opcode::StoreBorrow | Opcode::Assign => Some(other(0)?.to_address()),
        Opcode::CopyAddr | Opcode::ExplicitCopyAddr => other(1 - index.min(1)),
        Opcode::StructExtract => Some(SilType::object(owner(body, inst, facts)?)),
        Opcode::StructElementAddr => Some(SilType::address(owner(body, inst, facts)?)),
        Opcode::Struct => {
            let fields = facts.stored_fields(SilType::from_u32(body.word(inst, "type")?).ty())?;
            fields.get(index).copied().map(SilType::object)
        }
        Opcode::Enum => {
            let case = DeclRef::from_u32(body.word(inst, "element")?).name()?;
            let ty = SilType::from_u32(body.word(inst, "type")?).ty();
            facts.enum_payload(ty, case).map(SilType::object)
        }
        Opcode::Branch => {
            let target = body.successors(inst).next()?;
            known(body.value(*body.arguments(target).get(index)?).ty)
        }
        _ => applied(body, operand, facts),
    }
}

/// Returns the type that a callee expects for an applied argument.
fn applied(body: &Body, operand: Operand, facts: &dyn TypeFacts) -> Option<SilType> {
    let addresses = if facts.has_opaque_values() { Addresses::Opaque } else { Addresses::Lowered };
    let site = ApplySite::of_operand(body, operand, addresses)?;
    let argument = site.argument_of_operand(body.operand_index(operand))?;
    let function = site.callee_type().ty().as_function()?;
    let function = match site.kind {
        ApplyKind::Full => substituted(function, &site.substitutions(), facts)?,
        ApplyKind::Partial => with_arguments(function.clone(), &site.substitutions(), facts)?,
    };
    Conventions::new(&function, addresses).argument_type(argument)
}

/// Returns the type that declares the property of an instruction, if that type is not generic.
fn owner(body: &Body, inst: Inst, facts: &dyn TypeFacts) -> Option<Type> {
    facts.plain_nominal(DeclRef::from_u32(body.word(inst, "field")?).owner_path()?)
}

fn is_known(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Unknown => false,
        _ => {
            let mut known = true;
            ty.map(&mut |part| {
                known = known && is_known(part);
                part
            });
            known
        }
    }
}
