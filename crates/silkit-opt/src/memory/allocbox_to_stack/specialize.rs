//! Specialization of functions: box parameters become address parameters.

use super::Variant;
use super::addresses::{check_once, make_accesses_static, references};
use super::uses::Passed;
use silkit_analysis::ossa::{Liveness, UseKind};
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::conventions::{Addresses, ApplySite, Conventions};
use silkit_ir::instructions::{DestroyValue, FunctionRef, MoveOnlyCheckKind, ProjectBox, StrongRelease};
use silkit_ir::{
    Block, Body, Function, FunctionFlags, FunctionId, Inst, Module, Opcode, Ownership, Point, Scope,
    ScopeIndex, ScopeOverlay, Serialized, Value, ValueDef,
};
use silkit_mangle::boxes_to_addresses;
use silkit_pass::ModuleContext;
use silkit_transform::argument_specialization;
use silkit_transform::callee::{self, NewCallee};
use silkit_types::decl::Declarations;
use silkit_types::{FunctionType, ParamConvention, TypeKind};

/// The semantics attribute of a function that may be deleted when it is unused, regardless of its linkage.
const DELETE_IF_UNUSED: &str = "sil.optimizer.delete_if_unused";

/// The functions and debug scopes added to the module.
pub(super) struct Specialized {
    pub(super) variant: Variant,
    /// The specialized functions, each with its original.
    pub(super) functions: Vec<(FunctionId, FunctionId)>,
    /// The debug scopes to add to the module.
    pub(super) scopes: Vec<Scope>,
    /// The indices of the existing debug scopes.
    index: Option<ScopeIndex>,
}

impl Specialized {
    pub(super) fn new(variant: Variant) -> Self {
        Self { variant, functions: Vec::new(), scopes: Vec::new(), index: None }
    }
}

/// Specializes the callees of calls and closures that take boxes.
pub(super) fn pass_addresses(cx: &mut ModuleContext<'_>, passed: &[Passed], specialized: &mut Specialized) {
    // What gets several boxes is changed once, after all that it calls.
    let mut sites: FxHashMap<(FunctionId, Inst), (usize, Vec<usize>)> = FxHashMap::default();
    for (at, one) in passed.iter().enumerate() {
        let (last, arguments) = sites.entry((one.function, one.site)).or_default();
        *last = at;
        arguments.push(one.argument);
    }
    let mut sites: Vec<(usize, Vec<usize>)> = sites.into_values().collect();
    sites.sort_unstable_by_key(|(last, _)| *last);
    for (last, mut arguments) in sites {
        let Passed { function, site, callee, .. } = passed[last];
        arguments.sort_unstable();
        arguments.dedup();
        let addresses = cx.program().addresses();
        let serialized = cx.module().functions[function].attributes.serialized;
        let Some(name) = specialize(cx, callee, &arguments, serialized, addresses, specialized) else {
            continue;
        };
        change_site(cx, function, site, name, &arguments, addresses);
    }
}

/// Specializes a function to take addresses instead of boxes, unless the specialization exists. Returns its name.
fn specialize(
    cx: &mut ModuleContext<'_>,
    original: FunctionId,
    arguments: &[usize],
    serialized: Serialized,
    addresses: Addresses,
    specialized: &mut Specialized,
) -> Option<Symbol> {
    let declarations = cx.declarations();
    let module = cx.module_mut();
    let function = &module.functions[original];
    let count = function.body.as_ref()?.entry_arguments().len();
    let is_passed: Vec<bool> = (0..count).map(|index| arguments.contains(&index)).collect();
    let is_serialized = serialized != Serialized::No;
    let name = Symbol::new(&boxes_to_addresses(function.name.as_str(), &is_passed, is_serialized));
    if module.functions.find(&name).is_none() {
        let ty = specialized_type(function, arguments, addresses, declarations)?;
        let index = specialized.index.get_or_insert_with(|| ScopeIndex::new(&module.scopes));
        let mut scopes = ScopeOverlay { module: &module.scopes, index, new: &mut specialized.scopes };
        let mut copy = argument_specialization::copy(function, name, ty, serialized, &mut scopes);
        take_addresses(&mut copy, arguments, declarations, specialized.variant);
        specialized.functions.push((module.functions.push(copy), original));
    }
    let attributes = &mut module.functions[original].attributes;
    if specialized.variant.is_legacy && !attributes.has_semantics(DELETE_IF_UNUSED) {
        attributes.semantics.push(Symbol::new(DELETE_IF_UNUSED));
    }
    Some(name)
}

/// Returns the function type with addresses instead of boxes.
fn specialized_type(
    function: &Function,
    arguments: &[usize],
    addresses: Addresses,
    declarations: &Declarations,
) -> Option<FunctionType> {
    let old = function.ty.ty().as_function()?;
    let conventions = Conventions::new(old, addresses);
    let mut ty = old.clone();
    for &argument in arguments {
        let param = &mut ty.params[conventions.param_of_argument(argument)?];
        let TypeKind::Box(layout) = param.ty.kind() else { return None };
        param.ty = silkit_ir::box_field(layout, 0, declarations)?;
        param.convention = ParamConvention::InoutAliasable;
    }
    Some(ty)
}

/// Replaces the box arguments of a function by address arguments.
fn take_addresses(
    function: &mut Function,
    arguments: &[usize],
    declarations: &Declarations,
    variant: Variant,
) {
    let Some(body) = &mut function.body else { return };
    for &index in arguments {
        let argument = body.entry_arguments()[index];
        let TypeKind::Box(layout) = body.value(argument).ty.ty().kind() else { continue };
        let Some(field) = silkit_ir::box_field(layout, 0, declarations) else { continue };
        let address = silkit_types::SilType::address(field);
        if variant.makes_static {
            make_accesses_static(body, argument);
        }
        for inst in references(body, argument).into_iter().rev() {
            match body.inst(inst).opcode {
                Opcode::ProjectBox => body.edit().replace(inst, argument),
                _ => body.edit().remove(inst),
            }
        }
        let flags = body.value(argument).arg_flags;
        let mut editor = body.edit();
        editor.set_type(argument, address);
        editor.set_argument_ownership(argument, Ownership::None, flags);
        let kind = match layout.fields.first().is_some_and(|field| field.mutable) {
            true => MoveOnlyCheckKind::ConsumableAndAssignable,
            false => MoveOnlyCheckKind::NoConsumeOrAssign,
        };
        check_once(body, argument, kind, declarations);
    }
}

/// Replaces a call or a closure by one of the specialized function.
fn change_site(
    cx: &mut ModuleContext<'_>,
    function: FunctionId,
    site: Inst,
    name: Symbol,
    arguments: &[usize],
    addresses: Addresses,
) {
    let declarations = cx.declarations();
    let module: &mut Module = cx.module_mut();
    let Some(ty) = module.functions.by_key(&name).map(Function::type_of_reference) else { return };
    let has_ossa = module.functions[function].has(FunctionFlags::OSSA);
    let Some(body) = &mut module.functions[function].body else { return };
    let Some(apply) = ApplySite::new(body, site, addresses) else { return };
    let (old, is_full, substitutions) = (apply.callee(), apply.is_full(), apply.substitutions());
    let applied: Vec<Value> = apply.arguments().collect();
    let boxes: Vec<(usize, bool)> = arguments
        .iter()
        .filter_map(|&argument| apply.applied_of_argument(argument))
        .map(|at| (at, takes(body, &apply, site, at)))
        .collect();
    let mut passed = applied.clone();
    for &(at, _) in &boxes {
        // Next to the definition, as the allocation is replaced.
        let point = match body.def(applied[at]) {
            ValueDef::Result(inst, _) => Point::After(inst),
            _ => Point::Before(site),
        };
        passed[at] = body.builder_at(point, declarations).build(ProjectBox::new(applied[at], 0));
    }
    let reference = body.builder_at(Point::Before(site), declarations).function_ref(name, ty);
    let new = NewCallee { callee: reference, ty, substitutions: &substitutions, arguments: &passed };
    callee::change(&mut body.edit(), site, &new);
    if let Some(reference) = body.defining_inst(old).filter(|_| !body.is_used(old)) {
        debug_assert!(body.view_as::<FunctionRef>(reference).is_some());
        body.edit().remove(reference);
    }
    let released: Vec<Value> =
        boxes.iter().filter(|(_, is_taken)| *is_taken).map(|&(at, _)| applied[at]).collect();
    if released.is_empty() {
        return;
    }
    for point in ends(body, site, is_full) {
        for &value in &released {
            let loc = body.inst(site).loc;
            let mut builder = body.builder_at(point, declarations);
            builder.set_default_loc(loc);
            match has_ossa {
                true => _ = builder.build(DestroyValue::new(value)),
                false => _ = builder.build(StrongRelease::new(value)),
            }
        }
    }
}

/// Returns true if a call or a closure takes a box that it is applied to.
fn takes(body: &Body, apply: &ApplySite<'_>, site: Inst, applied: usize) -> bool {
    match apply.is_full() {
        true => apply.convention_of_applied(applied).is_some_and(|convention| convention.is_consumed()),
        false => !body.has_flag(site, "on_stack"),
    }
}

/// Returns the blocks where the calls and closures of a function end that take a box.
pub(super) fn blocks_of_ends(
    body: &Body,
    function: FunctionId,
    passed: &[Passed],
    addresses: Addresses,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    for passed in passed.iter().filter(|passed| passed.function == function) {
        let Some(apply) = ApplySite::new(body, passed.site, addresses) else { continue };
        let applied = apply.applied_of_argument(passed.argument);
        if applied.is_some_and(|applied| takes(body, &apply, passed.site, applied)) {
            blocks.extend(ends(body, passed.site, apply.is_full()).into_iter().map(|point| match point {
                Point::Before(inst) | Point::After(inst) => body.inst_block(inst),
                Point::Start(block) | Point::End(block) => block,
            }));
        }
    }
    blocks
}

/// Returns the points where the boxes consumed by a call or a closure are released: after the call, or after the last
/// use of the closure on each path.
fn ends(body: &Body, site: Inst, is_full: bool) -> Vec<Point> {
    let Some(closure) = body.first_result(site).filter(|_| !is_full) else {
        return silkit_transform::closures::after_call(body, site);
    };
    let mut liveness = Liveness::of_value(body, closure);
    let mut work = vec![closure];
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            liveness.use_at(body, user, UseKind::Regular);
            if matches!(body.inst(user).opcode, Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MoveValue) {
                work.extend(body.results(user));
            }
        }
    }
    let boundary = liveness.boundary(body);
    let mut points = Vec::new();
    for last in boundary.last_users {
        match body.is_terminator(last) {
            false => points.push(Point::After(last)),
            true => points.extend(body.successors(last).map(Point::Start)),
        }
    }
    points.extend(boundary.edges.into_iter().map(Point::Start));
    points
}
