//! Code that computes the executor of an actor, for `lower-hop-to-actor`.
//!
//! ```text
//!   %1 = witness_method $F, #Actor.unownedExecutor!getter : <Self where Self : Actor> (Self) -> () -> UnownedSerialExecutor : $@convention(witness_method: Actor) <τ_0_0 where τ_0_0 : Actor> (@guaranteed τ_0_0) -> UnownedSerialExecutor
//!   %2 = apply %1<F>(%0) : $@convention(witness_method: Actor) <τ_0_0 where τ_0_0 : Actor> (@guaranteed τ_0_0) -> UnownedSerialExecutor
//!   %3 = struct_extract %2, #UnownedSerialExecutor.executor
//! ```

use silkit_base::Symbol;
use silkit_ir::instructions::{
    Apply, BeginBorrow, Branch, Builtin, EndBorrow, Enum, MarkDependence, OpenExistentialRef, StructExtract,
    SwitchEnum, UncheckedEnumData, WitnessMethod,
};
use silkit_ir::{ArgFlags, Block, Body, Builder, DeclRef, Inst, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_text::{Cursor, GenericEnv, parse_sil_type, parse_type};
use silkit_types::decl::{DeclFlags, NominalKind};
use silkit_types::{SilType, Type, TypeKind};

/// Where the executor of an actor comes from.
#[derive(Clone, Copy)]
enum Source {
    /// The value is the executor.
    Itself,
    /// The storage of the default executor.
    Default,
    /// The implementation of `unownedExecutor` for this protocol.
    Witness(Symbol),
    /// The same for the type in an existential.
    Opened(Symbol),
}

/// Computes executors of actors.
#[derive(Default)]
pub(super) struct Executors {
    /// The number of the next opened type.
    next_id: u64,
}

impl Executors {
    /// Returns true if a value is an optional executor.
    pub(super) fn is_lowered(&self, cx: &FunctionContext<'_>, actor: Value) -> bool {
        payload(cx, actor).is_some_and(is_executor)
    }

    /// Returns true if the executor of an actor can be computed. That of an optional actor is optional.
    pub(super) fn can_lower(&self, cx: &FunctionContext<'_>, actor: Value, may_be_optional: bool) -> bool {
        match payload(cx, actor) {
            Some(ty) => may_be_optional && source(cx, ty).is_some(),
            None => source(cx, cx.body().value(actor).ty.ty()).is_some(),
        }
    }

    /// Inserts code before an instruction that computes the executor of an actor, as an optional on request.
    pub(super) fn lower(
        &mut self,
        cx: &mut FunctionContext<'_>,
        before: Inst,
        actor: Value,
        as_optional: bool,
    ) -> Value {
        if let Some(ty) = payload(cx, actor) {
            return self.optional(cx, before, actor, ty);
        }
        let ty = cx.body().value(actor).ty.ty();
        let source = source(cx, ty).expect("invariant: the executor can be computed");
        let mut builder = cx.at(Point::Before(before));
        let executor = self.plain(&mut builder, actor, source);
        let executor = if as_optional { some(&mut builder, executor) } else { executor };
        match source {
            Source::Itself => executor,
            _ => builder.build(MarkDependence::new(executor, actor)),
        }
    }

    /// The executor of an optional actor: none if there is no actor.
    fn optional(&mut self, cx: &mut FunctionContext<'_>, before: Inst, actor: Value, ty: Type) -> Value {
        let source = source(cx, ty).expect("invariant: the executor can be computed");
        let has_ossa = cx.function().has_ossa();
        let is_owned = has_ossa && cx.ownership().value(actor) != Some(Ownership::Guaranteed);
        let loc = cx.body().inst(before).loc;
        let borrow = is_owned.then(|| cx.at(Point::Before(before)).build(BeginBorrow::new(actor)));
        let borrowed = borrow.unwrap_or(actor);
        let start = cx.body().inst_block(before);
        let end = cx.edit().split_block(before);
        let blocks = cx.edit().insert_blocks_after(start, 2);
        let [present, absent]: [Block; 2] = blocks.try_into().expect("invariant: two blocks were inserted");

        let mut builder = cx.at(Point::End(start));
        builder.set_default_loc(loc);
        let cases = [(case("some"), present)];
        let switch = builder
            .build(SwitchEnum { default_target: Some(absent), ..SwitchEnum::new(borrowed, &cases[..]) });
        if !has_ossa {
            builder.set_forwarding(switch, Some(Ownership::Owned));
        }
        let optional = SilType::object(Type::optional(executor_type()));
        let result = builder.add_argument(end, optional, Ownership::None, ArgFlags::empty());
        builder.move_to(Point::End(present));
        builder.set_default_loc(loc);
        let actor_type = SilType::object(ty);
        let present_actor = match has_ossa {
            true => builder.add_argument(present, actor_type, Ownership::Guaranteed, ArgFlags::empty()),
            false => builder.build(UncheckedEnumData::new(borrowed, case("some"))),
        };
        let executor = self.plain(&mut builder, present_actor, source);
        let executor = some(&mut builder, executor);
        builder.build(Branch::new(end, &[executor][..]));
        builder.move_to(Point::End(absent));
        builder.set_default_loc(loc);
        let none = builder.build(Enum::new(optional, case("none")));
        builder.build(Branch::new(end, &[none][..]));

        builder.move_to(Point::Before(before));
        let marked = builder.build(MarkDependence::new(result, borrowed));
        if let Some(borrow) = borrow {
            builder.build(EndBorrow::new(borrow));
        }
        marked
    }

    /// The executor of an actor that is there.
    fn plain(&mut self, builder: &mut Builder<'_>, actor: Value, source: Source) -> Value {
        let ty = builder.value(actor).ty;
        match source {
            Source::Itself => actor,
            Source::Default => {
                let executor = SilType::object(executor_type());
                let name = "buildDefaultActorExecutorRef";
                builder.build(Builtin::new(name, &[ty.ty()][..], &[actor][..], executor))
            }
            Source::Witness(protocol) => {
                let opened = match ty.ty().kind() {
                    TypeKind::Opened { id, .. } => builder.opened_value(*id),
                    _ => None,
                };
                ask(builder, actor, opened, protocol)
            }
            Source::Opened(protocol) => {
                let id = self.fresh_id(builder.body());
                let interface = Type::new(TypeKind::Param { name: Symbol::new("Self"), depth: 0, index: 0 });
                let opened = Type::new(TypeKind::Opened { id, existential: ty.ty(), interface });
                let value = builder.build(OpenExistentialRef::new(actor, SilType::object(opened)));
                ask(builder, value, Some(value), protocol)
            }
        }
    }

    /// Returns an id that the body does not use.
    fn fresh_id(&mut self, body: &Body) -> Symbol {
        loop {
            let id = Symbol::new(&format!("00000000-0000-0000-0000-{:012X}", self.next_id));
            self.next_id += 1;
            if body.opened_value(id).is_none() {
                return id;
            }
        }
    }
}

/// Calls the getter of `unownedExecutor` and takes the executor out of its result.
fn ask(builder: &mut Builder<'_>, actor: Value, opened: Option<Value>, protocol: Symbol) -> Value {
    let ty = builder.value(actor).ty;
    let text = format!(
        "$@convention(witness_method: {protocol}) <τ_0_0 where τ_0_0 : {protocol}> (@guaranteed τ_0_0) \
         -> UnownedSerialExecutor"
    );
    let getter = parse_sil_type(&mut Cursor::new(&text), &mut GenericEnv::default())
        .expect("invariant: the type of a getter can be parsed");
    let text = format!("<Self where Self : {protocol}> (Self) -> () -> UnownedSerialExecutor");
    let formal = parse_type(&mut Cursor::new(&text), &mut GenericEnv::default(), false)
        .expect("invariant: the type of a getter can be parsed");
    let member = DeclRef::of(&[protocol.as_str(), "unownedExecutor"]).with_kind("getter");
    let method = builder.build(WitnessMethod {
        formal: Some(formal),
        opened,
        ..WitnessMethod::new(ty, member, getter)
    });
    let wrapper = SilType::object(Type::nominal("UnownedSerialExecutor"));
    let (types, arguments) = ([ty.ty()], [actor]);
    let call = Apply::new(method, &types[..], &arguments[..], getter);
    let executor = builder.build_typed(call, &[wrapper]).expect("invariant: the call fits");
    let field = DeclRef::of(&["UnownedSerialExecutor", "executor"]);
    builder
        .build_typed(StructExtract::new(executor, field), &[SilType::object(executor_type())])
        .expect("invariant: the field fits")
}

/// Wraps an executor in an optional.
fn some(builder: &mut Builder<'_>, executor: Value) -> Value {
    let ty = SilType::object(Type::optional(executor_type()));
    builder.build(Enum { payload: Some(executor), ..Enum::new(ty, case("some")) })
}

/// Returns the type in an optional value.
fn payload(cx: &FunctionContext<'_>, value: Value) -> Option<Type> {
    let declarations = cx.declarations();
    declarations.optional_payload(declarations.resolve(cx.body().value(value).ty.ty()))
}

/// Returns how the executor of a type of actors is computed; `None` if it is not known to be one.
fn source(cx: &FunctionContext<'_>, ty: Type) -> Option<Source> {
    if is_executor(ty) {
        return Some(Source::Itself);
    }
    let ty = cx.declarations().resolve(ty);
    match ty.kind() {
        TypeKind::Any(constraint) => protocol_of(cx, *constraint).map(Source::Opened),
        TypeKind::Composition(_) => protocol_of(cx, ty).map(Source::Opened),
        TypeKind::Opened { existential, .. } => match existential.kind() {
            TypeKind::Any(constraint) => protocol_of(cx, *constraint).map(Source::Witness),
            _ => protocol_of(cx, *existential).map(Source::Witness),
        },
        TypeKind::Param { .. } | TypeKind::Member(..) => {
            let sig = cx.view().signature()?;
            let constraint = |&protocol: &Symbol| cx.declarations().parameter_conforms(ty, protocol, sig);
            let class = || cx.declarations().superclass_bound(ty, sig).flatten();
            let protocol = protocols().into_iter().find(constraint);
            protocol.or_else(|| protocol_of(cx, class()?)).map(Source::Witness)
        }
        _ => {
            let Some(decl) = cx.declarations().nominal_of(ty) else {
                return protocol_of(cx, ty).map(Source::Opened);
            };
            match decl.kind {
                NominalKind::Protocol => protocol_of(cx, ty).map(Source::Opened),
                NominalKind::Actor
                    if decl.is_default_actor() && !decl.flags.contains(DeclFlags::RESILIENT_MODULE) =>
                {
                    Some(Source::Default)
                }
                _ => protocol_of(cx, ty).map(Source::Witness),
            }
        }
    }
}

/// Returns the protocol of actors that a nominal type or a composition conforms to.
fn protocol_of(cx: &FunctionContext<'_>, ty: Type) -> Option<Symbol> {
    if let TypeKind::Composition(parts) = ty.kind() {
        return parts.iter().find_map(|&part| protocol_of(cx, part));
    }
    let [local, distributed] = protocols();
    // The module that declares the protocol may be unknown.
    if let TypeKind::Named(named) = ty.kind()
        && let Some(protocol) = protocols().into_iter().find(|&protocol| protocol == named.name)
    {
        return Some(protocol);
    }
    let decl = cx.declarations().nominal_of(ty)?;
    match decl.kind {
        NominalKind::Actor if decl.flags.contains(DeclFlags::DISTRIBUTED) => Some(distributed),
        NominalKind::Actor => Some(local),
        _ => [local, distributed].into_iter().find(|&p| cx.declarations().conforms(ty, p) == Some(true)),
    }
}

fn protocols() -> [Symbol; 2] {
    ["Actor", "DistributedActor"].map(Symbol::new)
}

fn is_executor(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Builtin(name, _) if *name == "Executor")
}

fn executor_type() -> Type {
    Type::builtin("Executor")
}

fn case(name: &str) -> DeclRef {
    DeclRef::of(&["Optional", name]).with_kind("enumelt")
}
