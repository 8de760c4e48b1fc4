//! `sil-thunk-lowering`: lowers `thunk` to a partial application of a function that calls its last argument.
//!
//! ```text
//! sil @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
//! sil @f : $@convention(thin) () -> @owned @callee_guaranteed (Builtin.Int64) -> Builtin.Int64 {
//! bb0:
//!   %0 = function_ref @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
//!   %1 = thunk [identity] %0() : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
//!   return %1
//! }
//! ---
//! sil @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
//! sil shared [thunk] @fTTI : $@convention(thin) (Builtin.Int64, @guaranteed @convention(thin) (Builtin.Int64) -> Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64, %1 : $@convention(thin) (Builtin.Int64) -> Builtin.Int64):
//!   %2 = apply %1(%0) : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
//!   return %2
//! }
//! sil @f : $@convention(thin) () -> @owned @callee_guaranteed (Builtin.Int64) -> Builtin.Int64 {
//! bb0:
//!   %0 = function_ref @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
//!   %1 = function_ref @fTTI : $@convention(thin) (Builtin.Int64, @guaranteed @convention(thin) (Builtin.Int64) -> Builtin.Int64) -> Builtin.Int64
//!   %2 = partial_apply [callee_guaranteed] %1(%0) : $@convention(thin) (Builtin.Int64, @guaranteed @convention(thin) (Builtin.Int64) -> Builtin.Int64) -> Builtin.Int64
//!   return %2
//! }
//! ```
//!
//! The name is that of the function with the `thunk` and `TTI`. Thunks of one type share a function; the functions
//! for further types are numbered: `fTTI1`. (The reference does not accept them.)

use silkit_base::{FxHashMap, Symbol};
use silkit_ir::conventions::{Addresses, Conventions};
use silkit_ir::instructions::{
    AbortApply, Apply, BeginApply, EndApply, PartialApply, Return, Throw, ThrowAddr, Thunk, TryApply, Unwind,
    Yield,
};
use silkit_ir::{
    ArgFlags, Body, Builder, Function, Inst, Linkage, LocData, Opcode, Ownership, Point, Scope, ScopeParent,
    SourceLoc, ThunkKind, Value,
};
use silkit_pass::{FunctionContext, Pass};
use silkit_types::decl::Declarations;
use silkit_types::{
    CalleeConvention, Convention, FnFlags, FunctionType, GenericParamDecl, GenericSig, Param,
    ParamConvention, ParamFlags, SilType, Type, TypeKind,
};

pub(super) const PASS: Pass<'static> =
    Pass::function("sil-thunk-lowering", "Lowers `thunk` instructions to partial applications", &run)
        .mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let body = cx.body();
    let insts: Vec<Inst> = body.insts().filter(|&inst| body.inst(inst).opcode == Opcode::Thunk).collect();
    let mut thunks = Thunks::default();
    for inst in insts {
        if !cx.may_change() {
            break;
        }
        thunks.lower(cx, inst);
        cx.count("thunks lowered", 1);
    }
}

/// The functions of the thunks of a function: their names and types by the types of the callees.
#[derive(Default)]
struct Thunks {
    made: FxHashMap<SilType, (Symbol, SilType)>,
}

impl Thunks {
    /// Lowers one `thunk`.
    fn lower(&mut self, cx: &mut FunctionContext<'_>, inst: Inst) {
        let Some(Thunk { callee, ty, .. }) = cx.body().view_as(inst) else { return };
        let Some((name, thunk_type)) = self.made.get(&ty).copied().or_else(|| self.make(cx, ty)) else {
            return;
        };
        let Some(Thunk { subs, .. }) = cx.body().view_as(inst) else { return };
        let types: Vec<Type> = subs.iter().collect();
        let Some(old) = cx.body().first_result(inst) else { return };
        let result = cx.body().value(old).ty;
        let mut builder = cx.at(Point::Before(inst));
        let reference = builder.function_ref(name, thunk_type);
        let captures = [callee];
        let apply = PartialApply {
            callee_guaranteed: true,
            ..PartialApply::new(reference, &types[..], &captures[..], thunk_type)
        };
        let closure = builder.build_typed(apply, &[result]).expect("invariant: the application fits");
        builder.replace(inst, closure);
    }

    /// Adds the function for callees of a type. Returns its name and type.
    fn make(&mut self, cx: &mut FunctionContext<'_>, callee: SilType) -> Option<(Symbol, SilType)> {
        let ty = type_of_thunk(callee)?;
        let is_free = |name: Symbol| {
            cx.program().function_id(name).is_none() && self.made.values().all(|&(made, _)| made != name)
        };
        let name = free_name(cx.function().name, is_free);
        let parent = Some(ScopeParent::Function(name, ty));
        let scope = cx.add_scope(Scope { id: 0, loc: Some(SourceLoc::NOWHERE), parent, inlined_at: None });
        let sig = cx.function().ty.ty().as_function().and_then(|ty| ty.sig);
        let names = sig.map(|sig| &sig.data().params[..]).unwrap_or_default();
        let (addresses, declarations) = (cx.program().addresses(), cx.declarations());
        let function = function(name, (ty, callee), names, scope, addresses, declarations);
        cx.add_function_before(function, cx.id());
        self.made.insert(callee, (name, ty));
        Some((name, ty))
    }
}

/// Returns a name for a thunk that is not taken.
fn free_name(function: Symbol, is_free: impl Fn(Symbol) -> bool) -> Symbol {
    let name = format!("{function}TTI");
    let numbered = (1..).map(|number| Symbol::new(&format!("{name}{number}")));
    let mut names = std::iter::once(Symbol::new(&name)).chain(numbered);
    names.find(|&name| is_free(name)).expect("invariant: some number is not taken")
}

/// Returns the type of the function that calls a function of this type, its last argument.
fn type_of_thunk(callee: SilType) -> Option<SilType> {
    let mut ty: FunctionType = callee.ty().as_function()?.clone();
    ty.convention = Convention::Thin;
    ty.callee = CalleeConvention::Unowned;
    ty.flags.remove(FnFlags::NOESCAPE);
    let function = Param {
        convention: ParamConvention::Guaranteed,
        flags: ParamFlags::empty(),
        label: None,
        lifetime: None,
        ty: callee.ty(),
    };
    ty.params = ty.params.iter().copied().chain([function]).collect();
    Some(SilType::object(Type::new(TypeKind::Function(Box::new(ty)))))
}

/// Returns the function of a thunk with a type, for a callee with another type. As in the reference, its generic parameters are
/// called as those of the function that uses it, but not in the type of the callee.
fn function(
    name: Symbol,
    (ty, callee): (SilType, SilType),
    names: &[GenericParamDecl],
    scope: u32,
    addresses: Addresses,
    declarations: &Declarations,
) -> Function {
    let renamed = SilType::object(renamed(ty.ty(), names));
    let mut function = Function::new(name, renamed);
    function.linkage = Linkage::Shared;
    function.attributes.thunk = Some(ThunkKind::Thunk);
    let mut body = Body::new();
    let loc = body.edit().new_loc(LocData { source: Some(SourceLoc::NOWHERE), scope });
    let mut builder = body.builder(declarations);
    let entry = builder.append_entry_block(&function, addresses);
    builder.set_default_loc(loc);
    let mut arguments: Vec<Value> = builder.arguments(entry).to_vec();
    let called = arguments.pop().expect("invariant: a thunk takes the callee");
    builder.set_type(called, callee);
    if let Some(ty) = renamed.ty().as_function() {
        let conventions = Conventions::new(ty, addresses);
        Call { callee: called, ty: callee, arguments: &arguments, conventions }.build(&mut builder);
    }
    function.body = Some(body);
    function
}

/// Returns a type with the names of generic parameters replaced.
fn renamed(ty: Type, names: &[GenericParamDecl]) -> Type {
    let name_of =
        |depth: u16, index: u16| names.iter().find(|p| (p.depth, p.index) == (depth, index)).map(|p| p.name);
    match ty.kind() {
        TypeKind::Param { name, depth, index } => {
            let name = name_of(*depth, *index).unwrap_or(*name);
            Type::new(TypeKind::Param { name, depth: *depth, index: *index })
        }
        TypeKind::Function(function) => {
            let mut function = function.map(&mut |part| renamed(part, names));
            function.sig = function.sig.map(|sig| {
                let mut data = sig.data().clone();
                for param in &mut data.params {
                    param.name = name_of(param.depth, param.index).unwrap_or(param.name);
                }
                for requirement in &mut data.requirements {
                    requirement.subject = renamed(requirement.subject, names);
                    requirement.constraint = renamed(requirement.constraint, names);
                }
                GenericSig::new(data)
            });
            Type::new(TypeKind::Function(Box::new(function)))
        }
        _ => ty.map(&mut |part| renamed(part, names)),
    }
}

/// The call in a thunk.
struct Call<'a> {
    callee: Value,
    /// The type of the callee.
    ty: SilType,
    arguments: &'a [Value],
    /// The conventions of the thunk, which returns what the callee returns.
    conventions: Conventions<'a>,
}

impl Call<'_> {
    /// Builds the call, and returns what it returns.
    fn build(&self, builder: &mut Builder<'_>) {
        let types = own_parameters(self.conventions.ty.sig);
        if self.conventions.ty.is_coroutine() {
            self.coroutine(builder, &types);
        } else if self.conventions.ty.error.is_some() {
            self.throwing(builder, &types);
        } else {
            let result = [self.conventions.direct_result_type()];
            let call = Apply::new(self.callee, &types[..], self.arguments, self.ty);
            let value = builder.build_typed(call, &result).expect("invariant: the call fits");
            builder.build(Return::new(value));
        }
    }

    fn throwing(&self, builder: &mut Builder<'_>, types: &[Type]) {
        let [normal, error] = [(); 2].map(|()| builder.append_block());
        builder.build(TryApply::new(self.callee, types, self.arguments, self.ty, normal, error));
        let result = self.conventions.direct_result_type();
        let value = builder.add_argument(normal, result, Ownership::None, ArgFlags::empty());
        at_end(builder, normal).build(Return::new(value));
        match &self.conventions.ty.error {
            Some(thrown) if !self.conventions.has_indirect_error() => {
                let ty = SilType::object(thrown.ty);
                let value = builder.add_argument(error, ty, Ownership::None, ArgFlags::empty());
                at_end(builder, error).build(Throw::new(value));
            }
            _ => _ = at_end(builder, error).build(ThrowAddr::new()),
        }
    }

    fn coroutine(&self, builder: &mut Builder<'_>, types: &[Type]) {
        let token = SilType::token();
        let results: Vec<SilType> = self.conventions.yield_types().into_iter().chain([token]).collect();
        let call = BeginApply::new(self.callee, types, self.arguments, self.ty);
        let mut yielded = builder.build_typed(call, &results).expect("invariant: the call fits");
        let Some(token) = yielded.pop() else { return };
        let [resume, unwind] = [(); 2].map(|()| builder.append_block());
        builder.build(Yield::new(&yielded[..], resume, unwind));
        let end = EndApply { ty: Some(self.conventions.direct_result_type()), ..EndApply::new(token) };
        let value = at_end(builder, resume).build(end);
        builder.build(Return::new(value));
        at_end(builder, unwind).build(AbortApply::new(token));
        builder.build(Unwind::new());
    }
}

/// Moves a builder to the end of an empty block.
fn at_end<'a, 'b>(builder: &'a mut Builder<'b>, block: silkit_ir::Block) -> &'a mut Builder<'b> {
    builder.move_to(Point::End(block));
    builder
}

/// Returns the generic parameters of a signature, as the arguments of a call in a function with the same signature.
fn own_parameters(sig: Option<GenericSig>) -> Vec<Type> {
    let params = sig.map(|sig| &sig.data().params[..]).unwrap_or_default();
    let param = |p: &GenericParamDecl| {
        let param = Type::new(TypeKind::Param { name: p.name, depth: p.depth, index: p.index });
        if !p.is_pack {
            return param;
        }
        let each = Type::new(TypeKind::PackExpansion(Type::new(TypeKind::PackElement(param))));
        Type::new(TypeKind::Pack { direct: false, elements: Box::new([each]) })
    };
    params.iter().map(param).collect()
}
