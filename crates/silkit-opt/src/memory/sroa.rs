//! `sroa`, `early-sroa`: splits structs and tuples on the stack into their parts (scalar replacement of aggregates).
//!
//! ```text
//!   %1 = alloc_stack $Range<Int>
//!   store %0 to [trivial] %1
//!   %3 = struct_element_addr %1, #Range.lowerBound
//!   %4 = load [trivial] %3
//!   dealloc_stack %1
//! ---
//!   %1 = alloc_stack $Int
//!   %2 = alloc_stack $Int
//!   (%3, %4) = destructure_struct %0
//!   store %3 to [trivial] %1
//!   store %4 to [trivial] %2
//!   %7 = load [trivial] %1
//!   dealloc_stack %2
//!   dealloc_stack %1
//! ```
//!
//! An allocation is split if it is only loaded, stored to and projected, and if it is projected or an aggregate is
//! stored to it.

use silkit_base::Symbol;
use silkit_ir::instructions::{
    self as inst, AllocStack, AnyInst, DebugValue, LoadQualifier, StoreQualifier, StructElementAddr,
    TupleElementAddr,
};
use silkit_ir::{Body, DebugVarData, Inst, LocData, Opcode, Ownership, Point, SourceLoc, Value};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::destroy::{field_ref, is_expanded, parts};
use silkit_transform::variables::{self, VariablePart};
use silkit_types::{GenericSig, SilType, TypeKind};

pub(super) const PASS: Pass<'static> =
    Pass::function("sroa", "Splits stack allocations of structs and tuples into their fields", &all);

/// The same pass, for use before calls with semantics are inlined.
pub(super) const EARLY: Pass<'static> = Pass::function(
    "early-sroa",
    "Splits stack allocations of structs and tuples into their fields, except strings",
    &early,
);

fn all(cx: &mut FunctionContext<'_>) {
    run(cx, true);
}

fn early(cx: &mut FunctionContext<'_>) {
    run(cx, false);
}

fn run(cx: &mut FunctionContext<'_>, splits_semantic_types: bool) {
    let sig = cx.view().signature();
    let ty_of = |body: &Body, inst| body.view_as::<AllocStack>(inst).map(|slot| slot.ty);
    let mut work: Vec<Inst> = cx
        .body()
        .insts()
        .filter(|&inst| ty_of(cx.body(), inst).is_some_and(|ty| is_expanded(cx.declarations(), ty.ty(), sig)))
        .collect();
    while let Some(slot) = work.pop() {
        let Some(ty) = ty_of(cx.body(), slot) else { continue };
        let is_kept = !splits_semantic_types && has_semantics(cx, ty);
        let Some(split) = SplitAllocation::of(cx, slot, ty).filter(|_| !is_kept) else { continue };
        if !cx.may_change() {
            return;
        }
        work.extend(split.perform(cx, sig));
        cx.count("allocations split", 1);
    }
}

/// Returns true if there are calls with semantics for values of this type.
fn has_semantics(cx: &FunctionContext<'_>, ty: SilType) -> bool {
    cx.declarations().path_of(ty.ty()).is_some_and(|path| path == "String")
}

/// An allocation that can be split.
struct SplitAllocation {
    slot: Inst,
    ty: SilType,
    /// The parts: field names (empty for tuple elements) and types.
    parts: Vec<(Symbol, SilType)>,
    loads: Vec<Inst>,
    stores: Vec<Inst>,
    /// The projections, with the index of the projected part.
    projections: Vec<(Inst, usize)>,
    deallocations: Vec<Inst>,
    variables: Vec<Inst>,
}

impl SplitAllocation {
    fn of(cx: &FunctionContext<'_>, slot: Inst, ty: SilType) -> Option<Self> {
        let body = cx.body();
        let parts = parts(cx.declarations(), ty.ty())?;
        let parts = parts.into_iter().map(|(name, part)| (name, SilType::object(part))).collect();
        let (loads, stores, deallocations) = (Vec::new(), Vec::new(), Vec::new());
        let (projections, variables) = (Vec::new(), Vec::new());
        let mut split = Self { slot, ty, parts, loads, stores, projections, deallocations, variables };
        let address = body.first_result(slot)?;
        for user in body.users(address) {
            match body.view(user) {
                AnyInst::Load(_) => split.loads.push(user),
                AnyInst::Store(store) if store.destination == address => split.stores.push(user),
                AnyInst::DeallocStack(_) => split.deallocations.push(user),
                AnyInst::DebugValue(_) => split.variables.push(user),
                AnyInst::StructElementAddr(StructElementAddr { field, .. }) => {
                    let index = cx.declarations().field_index(ty.ty(), field.name()?)?;
                    split.projections.push((user, index as usize));
                }
                AnyInst::TupleElementAddr(TupleElementAddr { field, .. }) => {
                    split.projections.push((user, field as usize));
                }
                _ => return None,
            }
        }
        // An aggregate that was just created need not be destructured.
        let is_aggregate = |&store: &Inst| {
            let source = body.defining_inst(body.operand_value(store, 0));
            source.is_some_and(|inst| matches!(body.inst(inst).opcode, Opcode::Struct | Opcode::Tuple))
        };
        (!split.projections.is_empty() || split.stores.iter().any(is_aggregate)).then_some(split)
    }

    /// Splits the allocation. Returns the new allocations.
    fn perform(&self, cx: &mut FunctionContext<'_>, sig: Option<GenericSig>) -> Vec<Inst> {
        let has_ossa = cx.function().has_ossa();
        let slots = self.allocate(cx);
        for &load in &self.loads {
            let qualifier = cx.body().view_as::<inst::Load>(load).and_then(|load| load.qualifier);
            let declarations = cx.declarations();
            let mut builder = cx.at(Point::Before(load));
            let mut values = Vec::new();
            for (&slot, &(_, ty)) in slots.iter().zip(&self.parts) {
                let is_trivial = declarations.is_trivial(ty.ty(), sig) == Some(true);
                let qualifier = if has_ossa && is_trivial { Some(LoadQualifier::Trivial) } else { qualifier };
                values.push(builder.build(inst::Load { qualifier, ..inst::Load::new(slot) }));
            }
            let whole = self.whole(cx, load, &values);
            cx.edit().replace(load, whole);
        }
        for &store in &self.stores {
            self.store(cx, store, &slots, sig);
        }
        for &(projection, index) in &self.projections {
            cx.edit().replace(projection, slots[index]);
        }
        for &deallocation in &self.deallocations {
            let mut builder = cx.at(Point::Before(deallocation));
            slots.iter().rev().for_each(|&slot| _ = builder.dealloc_stack(slot));
            builder.remove(deallocation);
        }
        for &variable in &self.variables {
            self.variable(cx, variable, &slots);
        }
        cx.edit().remove(self.slot);
        slots.into_iter().filter_map(|slot| cx.body().defining_inst(slot)).collect()
    }

    fn part(&self, cx: &FunctionContext<'_>, index: usize) -> VariablePart {
        match self.ty.ty().kind() {
            TypeKind::Tuple(_) => VariablePart::Element(index),
            _ => VariablePart::Field(field_ref(cx.declarations(), self.ty.ty(), self.parts[index].0)),
        }
    }

    fn allocate(&self, cx: &mut FunctionContext<'_>) -> Vec<Value> {
        let Some(slot) = cx.body().view_as::<AllocStack>(self.slot) else { return Vec::new() };
        // The variable has the location of the whole allocation; the parts are compiler-generated.
        let place = cx.body().loc(cx.body().inst(self.slot).loc);
        let declared = place.and_then(|place| place.source).filter(|source| !source.is_auto);
        let file = Some(Symbol::new("<compiler-generated>"));
        let made = SourceLoc { file, line: 0, column: 0, is_auto: true, is_inlined: false };
        let loc = place.map(|place| cx.edit().new_loc(LocData { source: Some(made), ..place }));
        let part_of = |cx: &FunctionContext<'_>, index| {
            let data = DebugVarData::of(slot.var?);
            let loc = data.loc.or(declared);
            let var = DebugVarData { loc, parenthesized: loc.is_some(), ..data.clone() }.intern();
            Some(variables::part(var, self.ty, &self.part(cx, index)))
        };
        let mut slots = Vec::new();
        for (index, &(_, ty)) in self.parts.iter().enumerate() {
            let var = part_of(cx, index);
            let part = AllocStack { ty, var, var_decl: false, moveable_value_debuginfo: false, ..slot };
            let mut builder = cx.at(Point::Before(self.slot));
            if let Some(loc) = loc {
                builder.set_default_loc(loc);
            }
            slots.push(builder.build(part));
        }
        if slots.is_empty() && slot.var.is_some() {
            let mut builder = cx.at(Point::Before(self.slot));
            let nothing = builder.undef(self.ty.to_address());
            builder.build(DebugValue { var: slot.var, ..DebugValue::new(nothing) });
        }
        slots
    }

    /// Creates an aggregate from values that were loaded by parts.
    fn whole(&self, cx: &mut FunctionContext<'_>, at: Inst, values: &[Value]) -> Value {
        let ty = self.ty.to_object();
        let mut builder = cx.at(Point::Before(at));
        match ty.ty().kind() {
            TypeKind::Tuple(elements) => {
                let is_labelled = elements.iter().any(|element| element.label.is_some());
                let tuple = inst::Tuple { ty: is_labelled.then_some(ty), ..inst::Tuple::new(values) };
                builder.build_typed(tuple, &[ty]).expect("invariant: a tuple of these parts fits")
            }
            _ => builder.struct_(ty, values),
        }
    }

    fn store(&self, cx: &mut FunctionContext<'_>, store: Inst, slots: &[Value], sig: Option<GenericSig>) {
        let Some(inst::Store { source, qualifier, .. }) = cx.body().view_as(store) else { return };
        let (has_ossa, declarations) = (cx.function().has_ossa(), cx.declarations());
        let is_tuple = matches!(self.ty.ty().kind(), TypeKind::Tuple(_));
        // A value without ownership may have a non-trivial type.
        let is_free = cx.ownership().value(source) == Some(Ownership::None);
        let fields: Vec<VariablePart> = (0..slots.len()).map(|index| self.part(cx, index)).collect();
        let mut builder = cx.at(Point::Before(store));
        let values: Vec<Value> = match has_ossa {
            true if is_tuple => builder.destructure_tuple(source),
            true => builder.destructure_struct(source),
            false => fields
                .iter()
                .map(|part| match *part {
                    VariablePart::Element(index) => builder.tuple_extract(source, index as u32),
                    VariablePart::Field(field) => builder.struct_extract(source, field),
                })
                .collect(),
        };
        for ((value, &slot), &(_, ty)) in values.into_iter().zip(slots).zip(&self.parts) {
            let is_trivial = declarations.is_trivial(ty.ty(), sig) == Some(true);
            let is_trivial =
                has_ossa && (is_trivial || is_free && qualifier == Some(StoreQualifier::Trivial));
            let qualifier = if is_trivial { Some(StoreQualifier::Trivial) } else { qualifier };
            builder.build(inst::Store { qualifier, ..inst::Store::new(value, slot) });
        }
        builder.remove(store);
    }

    /// Sets the fragment of a debug variable for each new allocation.
    fn variable(&self, cx: &mut FunctionContext<'_>, variable: Inst, slots: &[Value]) {
        let Some(old) = cx.body().view_as::<DebugValue>(variable) else { return };
        for (index, &slot) in slots.iter().enumerate() {
            let var = Some(variables::part(
                old.var.unwrap_or_else(|| DebugVarData::default().intern()),
                self.ty,
                &self.part(cx, index),
            ));
            let mut builder = cx.at(Point::Before(variable));
            builder.build(DebugValue { var, ..DebugValue::new(slot) });
        }
        if slots.is_empty() {
            let mut builder = cx.at(Point::Before(variable));
            let operand = builder.undef(self.ty.to_address());
            builder.build(DebugValue { var: old.var, ..DebugValue::new(operand) });
        }
        debug_assert_eq!(cx.body().inst(variable).opcode, Opcode::DebugValue);
        cx.edit().remove(variable);
    }
}
