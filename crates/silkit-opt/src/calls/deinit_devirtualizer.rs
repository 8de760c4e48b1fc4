//! `deinit-devirtualizer`: replaces destroys of non-copyable structs and enums by calls of their deinitializers.
//!
//! ```text
//!   destroy_value %0                                 // of a struct with a `deinit`
//! ---
//!   %1 = function_ref @deinit : $@convention(method) (@owned File) -> ()
//!   %2 = apply %1(%0) : $@convention(method) (@owned File) -> ()
//! ```
//!
//! A value without `deinit`, or whose `deinit` is dropped, is destroyed memberwise:
//!
//! ```text
//!   destroy_value %0                                 // of a struct of two files
//! ---
//!   (%1, %2) = destructure_struct %0
//!   destroy_value %1                                 // and these again
//!   destroy_value %2
//! ```

use silkit_base::Symbol;
use silkit_ir::conventions::{Addresses, ArgumentConvention, Conventions};
use silkit_ir::instructions::{self as inst, AnyInst, Apply, DropDeinit, LoadQualifier, StoreQualifier};
use silkit_ir::{ArgFlags, Block, DeclRef, Function, Inst, Linkage, Ownership, Point, Value};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::destroy::{cases, field_ref, has_deinit, parts};
use silkit_transform::devirtualize::generic_arguments;
use silkit_types::decl::NominalKind;
use silkit_types::{SilType, Type};

pub(super) const PASS: Pass<'static> = Pass::function(
    "deinit-devirtualizer",
    "Replaces destroys of noncopyable values by calls of their deinitializers",
    &run,
);

fn run(cx: &mut FunctionContext<'_>) {
    if !cx.function().has_ossa() {
        return;
    }
    let is_destruction =
        |&inst: &Inst| matches!(cx.body().view(inst), AnyInst::DestroyValue(_) | AnyInst::DestroyAddr(_));
    let mut work: Vec<Inst> = cx.body().insts().filter(is_destruction).collect();
    work.reverse();
    while let Some(destruction) = work.pop() {
        let Some(how) = DestroyReplacement::of(cx, destruction) else { continue };
        if !cx.may_change() {
            return;
        }
        let mut parts = match how {
            DestroyReplacement::Call(deinit) => call(cx, destruction, &deinit),
            DestroyReplacement::End => end(cx, destruction),
            DestroyReplacement::Fields(fields) => fields_of(cx, destruction, &fields),
            DestroyReplacement::Cases(cases) => cases_of(cx, destruction, &cases),
        };
        parts.reverse();
        work.extend(parts);
        cx.edit().remove(destruction);
        cx.count("destroys devirtualized", 1);
    }
}

/// The replacement of a destroy.
enum DestroyReplacement {
    /// A call of the deinitializer.
    Call(Deinit),
    /// Only the end of the lifetime: no part needs a destroy.
    End,
    /// Destroys of the fields.
    Fields(Vec<(DeclRef, SilType)>),
    /// A destroy of the payload of each case.
    Cases(Vec<(DeclRef, Option<SilType>)>),
}

/// A deinitializer.
struct Deinit {
    name: Symbol,
    ty: SilType,
    takes_address: bool,
}

impl DestroyReplacement {
    fn of(cx: &FunctionContext<'_>, destruction: Inst) -> Option<Self> {
        let operand = cx.body().operand_value(destruction, 0);
        let ty = cx.body().value(operand).ty.ty();
        let declarations = cx.declarations();
        let decl = declarations.nominal_of(ty)?;
        let is_value = matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
        if !is_value || declarations.is_move_only(ty, cx.view().signature()) != Some(true) {
            return None;
        }
        if has_deinit(declarations, ty) && !drops_deinit(cx, operand) {
            return deinit(cx, ty).map(Self::Call);
        }
        match decl.kind {
            NominalKind::Struct => {
                let fields = parts(declarations, ty)?.into_iter();
                let fields: Vec<_> = fields
                    .map(|(name, part)| (field_ref(declarations, ty, name), SilType::object(part)))
                    .collect();
                let is_plain = fields.iter().all(|&(_, ty)| is_trivial(cx, ty));
                Some(if is_plain { Self::End } else { Self::Fields(fields) })
            }
            _ => {
                let cases = cases(declarations, ty)?;
                let is_plain = cases.iter().all(|&(_, ty)| ty.is_none_or(|ty| is_trivial(cx, ty)));
                Some(if is_plain { Self::End } else { Self::Cases(cases) })
            }
        }
    }
}

fn is_trivial(cx: &FunctionContext<'_>, ty: SilType) -> bool {
    cx.declarations().is_trivial(ty.ty(), cx.view().signature()) == Some(true)
}

/// Returns true if the deinitializer of a value was dropped.
fn drops_deinit(cx: &FunctionContext<'_>, value: Value) -> bool {
    cx.body().def_as::<DropDeinit>(cx.body().look_through_ownership(value)).is_some()
}

/// Returns the deinitializer of a type if it may be called from here.
fn deinit(cx: &FunctionContext<'_>, ty: Type) -> Option<Deinit> {
    let (declarations, module) = (cx.declarations(), cx.program().module);
    let path = declarations.path_of(ty)?;
    let is_of = |nominal: Symbol| {
        nominal == path || declarations.path_of(Type::nominal(nominal.as_str())) == Some(path)
    };
    let table = module.deinits.iter().find(|table| table.nominal().is_some_and(is_of))?;
    let function = cx.program().function(table.function)?;
    if matches!(function.linkage, Linkage::Shared | Linkage::SharedExternal) && function.body.is_none() {
        return None;
    }
    let takes_address = takes_address(function)?;
    Some(Deinit { name: function.name, ty: function.type_of_reference(), takes_address })
}

fn takes_address(function: &Function) -> Option<bool> {
    let conventions = Conventions::of(function, Addresses::Lowered)?;
    conventions.convention(conventions.self_argument()?).map(ArgumentConvention::is_indirect)
}

fn call(cx: &mut FunctionContext<'_>, destruction: Inst, deinit: &Deinit) -> Vec<Inst> {
    let value = cx.body().operand_value(destruction, 0);
    let ty = cx.body().value(value).ty;
    let mut substitutions = Vec::new();
    generic_arguments(ty.ty(), &mut substitutions);
    let mut builder = cx.at(Point::Before(destruction));
    let callee = builder.function_ref(deinit.name, deinit.ty);
    let mut slot = None;
    let argument = match (ty.is_address(), deinit.takes_address) {
        (true, false) => {
            let qualifier = Some(LoadQualifier::Take);
            builder.build(inst::Load { qualifier, ..inst::Load::new(value) })
        }
        (false, true) => {
            let made = *slot.insert(builder.alloc_stack(ty));
            let qualifier = Some(StoreQualifier::Init);
            builder.build(inst::Store { qualifier, ..inst::Store::new(value, made) });
            made
        }
        _ => value,
    };
    builder.build(Apply::new(callee, &substitutions[..], &[argument][..], deinit.ty));
    if let Some(slot) = slot {
        builder.dealloc_stack(slot);
    }
    Vec::new()
}

fn end(cx: &mut FunctionContext<'_>, destruction: Inst) -> Vec<Inst> {
    let value = cx.body().operand_value(destruction, 0);
    cx.at(Point::Before(destruction)).end_lifetime(value);
    Vec::new()
}

/// Destroys the fields of a struct. Returns the new destroys.
fn fields_of(cx: &mut FunctionContext<'_>, destruction: Inst, fields: &[(DeclRef, SilType)]) -> Vec<Inst> {
    let value = cx.body().operand_value(destruction, 0);
    let is_address = cx.body().value(value).ty.is_address();
    let is_plain: Vec<bool> = fields.iter().map(|&(_, ty)| is_trivial(cx, ty)).collect();
    let mut builder = cx.at(Point::Before(destruction));
    let mut made = Vec::new();
    let owned = if is_address { Vec::new() } else { builder.destructure_struct(value) };
    for (index, &(field, _)) in fields.iter().enumerate().filter(|&(index, _)| !is_plain[index]) {
        made.push(match is_address {
            true => {
                let part = builder.struct_element_addr(value, field);
                builder.destroy_addr(part)
            }
            false => builder.destroy_value(owned[index]),
        });
    }
    made
}

/// Destroys the payload of an enum. Returns the new destroys.
fn cases_of(
    cx: &mut FunctionContext<'_>,
    destruction: Inst,
    cases: &[(DeclRef, Option<SilType>)],
) -> Vec<Inst> {
    let value = cx.body().operand_value(destruction, 0);
    let is_address = cx.body().value(value).ty.is_address();
    let is_plain: Vec<bool> = cases.iter().map(|&(_, ty)| ty.is_none_or(|ty| is_trivial(cx, ty))).collect();
    let switch = cx.body().inst_block(destruction);
    let loc = cx.body().inst(destruction).loc;
    let rest = cx.edit().split_block(destruction);
    let mut made = Vec::new();
    let mut targets: Vec<(DeclRef, Block)> = Vec::new();
    for (&(case, payload), &is_plain) in cases.iter().zip(&is_plain) {
        let block = cx.edit().insert_block_after(switch);
        targets.push((case, block));
        let mut builder = cx.at(Point::End(block));
        builder.set_default_loc(loc);
        match payload {
            Some(_) if is_address && !is_plain => {
                let part = builder.unchecked_take_enum_data_addr(value, case);
                made.push(builder.destroy_addr(part));
            }
            Some(payload) if !is_address => {
                let ownership = if is_plain { Ownership::None } else { Ownership::Owned };
                let part = builder.add_argument(block, payload, ownership, ArgFlags::empty());
                if !is_plain {
                    made.push(builder.destroy_value(part));
                }
            }
            _ => {}
        }
        builder.insert_branch(block, rest, &[], loc);
    }
    let mut builder = cx.at(Point::End(switch));
    builder.set_default_loc(loc);
    match is_address {
        true => builder.switch_enum_addr(value, &targets[..]),
        false => builder.switch_enum(value, &targets[..]),
    };
    made
}
