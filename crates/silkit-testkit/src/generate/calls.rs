//! Calls: of generated functions, of methods, of closures and of coroutines.

use super::library::type_of;
use super::types::{CLOSURE, Ty};
use super::writer::{Entity, Kind, Role, Writer};

/// A parameter of a generated function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Int,
    Owned(Ty),
    Guaranteed(Ty),
    Inout(Ty),
    InGuaranteed(Ty),
    In(Ty),
    Out(Ty),
}

impl Parameter {
    /// Returns the convention and the type, as spelled in a function type.
    fn sil(self) -> String {
        match self {
            Parameter::Int => "Builtin.Int64".to_owned(),
            Parameter::Owned(ty) => format!("@owned {}", ty.sil()),
            Parameter::Guaranteed(ty) => format!("@guaranteed {}", ty.sil()),
            Parameter::Inout(ty) => format!("@inout {}", ty.sil()),
            Parameter::InGuaranteed(ty) => format!("@in_guaranteed {}", ty.sil()),
            Parameter::In(ty) => format!("@in {}", ty.sil()),
            Parameter::Out(ty) => format!("@out {}", ty.sil()),
        }
    }
}

/// The type of a generated function.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: String,
    /// The parameters: an indirect result, if there is one, comes first.
    pub(super) parameters: Vec<Parameter>,
    /// The type of an owned result beside the integer that every function returns.
    pub(super) owned: Option<Ty>,
    pub(super) throws: bool,
    /// The maximum number of instructions that a call executes.
    pub(super) cost: u64,
}

impl Signature {
    /// Returns the function's type, without `$`.
    pub(super) fn ty(&self) -> String {
        let is_out = |p: &&Parameter| matches!(p, Parameter::Out(_));
        let parameters: Vec<String> =
            self.parameters.iter().filter(|p| !is_out(p)).map(|p| p.sil()).collect();
        let mut results: Vec<String> = self.parameters.iter().filter(is_out).map(|p| p.sil()).collect();
        results.push(Ty::Int.sil().to_owned());
        results.extend(self.owned.map(|ty| format!("@owned {}", ty.sil())));
        results.extend(self.throws.then(|| "@error any Error".to_owned()));
        let results =
            if let [result] = &results[..] { result.clone() } else { format!("({})", results.join(", ")) };
        format!("@convention(thin) ({}) -> {results}", parameters.join(", "))
    }

    /// Returns the type of the direct results.
    pub(super) fn result(&self) -> String {
        match self.owned {
            Some(ty) => format!("({}, {})", Ty::Int.sil(), ty.sil()),
            None => Ty::Int.sil().to_owned(),
        }
    }
}

impl Writer<'_> {
    /// Returns a generated function that can be called here without running for too long.
    pub(super) fn callee(&mut self, throws: bool) -> Option<Signature> {
        let (cost, times, limit) = (self.cost, self.times, self.profile.cost);
        let fits = |s: &&Signature| s.throws == throws && cost + s.cost * times <= limit;
        let callees: Vec<&Signature> = self.callees.iter().filter(fits).collect();
        self.random.pick(&callees).map(|&s| s.clone())
    }

    /// Prepares the arguments of a call.
    /// Returns their names, and for those in memory whether it is a result, and the entity.
    pub(super) fn arguments(&mut self, signature: &Signature) -> (Vec<String>, Vec<(bool, u32)>) {
        self.cost += signature.cost * self.times;
        let mut names = Vec::new();
        let mut memories = Vec::new();
        for &parameter in &signature.parameters {
            names.push(match parameter {
                Parameter::Int => self.int(),
                Parameter::Owned(ty) => self.make(ty),
                Parameter::Guaranteed(ty) => {
                    let value = self.guaranteed(ty);
                    self.pinned.push(value.id);
                    value.name
                }
                Parameter::Inout(ty) => self.memory_argument(ty, true, true, &mut memories),
                Parameter::In(ty) => self.memory_argument(ty, true, true, &mut memories),
                Parameter::InGuaranteed(ty) => self.memory_argument(ty, true, false, &mut memories),
                Parameter::Out(ty) => self.memory_argument(ty, false, true, &mut memories),
            });
        }
        self.pinned.clear();
        let in_memory =
            |p: &&Parameter| !matches!(p, Parameter::Int | Parameter::Owned(_) | Parameter::Guaranteed(_));
        let parameters = signature.parameters.iter().filter(in_memory);
        let mut ends = Vec::new();
        for (parameter, id) in parameters.zip(memories) {
            match parameter {
                Parameter::Out(_) => self.set_init(id, true),
                Parameter::In(_) => self.set_init(id, false),
                _ => {}
            }
            ends.push((matches!(parameter, Parameter::Out(_)), id));
        }
        (names, ends)
    }

    fn guaranteed(&mut self, ty: Ty) -> Entity {
        if let Some(value) = self.choose(|_, e| e.ty == ty && e.is_value()) {
            return value;
        }
        let name = self.make(ty);
        let id = self.add_value(name.clone(), ty);
        Entity { id, name, ty, kind: Kind::Owned, bases: Vec::new() }
    }

    fn memory_argument(&mut self, ty: Ty, init: bool, writes: bool, memories: &mut Vec<u32>) -> String {
        let fits = |w: &Self, e: &Entity| {
            let Kind::Memory { is_init, .. } = e.kind else { return false };
            let is_free = !w.pinned.contains(&e.id) && is_init == init && w.is_readable(e) == init;
            e.ty == ty && is_free && (w.is_writable(e) || !writes)
        };
        let memory = self.choose(fits).unwrap_or_else(|| {
            let memory = self.slot(ty, false);
            if init {
                self.initialize(&memory);
            }
            memory
        });
        memories.push(memory.id);
        self.pinned.push(memory.id);
        memory.name
    }

    /// Calls a generated function.
    pub(super) fn call_generated(&mut self) -> bool {
        let Some(callee) = self.callee(false) else { return false };
        let (arguments, _) = self.arguments(&callee);
        let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let result = self.call(&callee.name, &callee.ty(), &names);
        self.add_results(&callee, result);
        true
    }

    /// Adds the direct results of a call.
    pub(super) fn add_results(&mut self, callee: &Signature, result: String) {
        let Some(ty) = callee.owned else {
            self.env.ints.push(result);
            return;
        };
        let (number, value) = if self.ossa() {
            let names = (self.fresh(), self.fresh());
            self.line(format_args!("({}, {}) = destructure_tuple {result}", names.0, names.1));
            names
        } else {
            let number = self.def(format_args!("tuple_extract {result}, 0"));
            (number, self.def(format_args!("tuple_extract {result}, 1")))
        };
        self.env.ints.push(number);
        self.add_value(value, ty);
    }

    /// Computes an integer from a value: calls a method or a closure, or reads a field.
    pub(super) fn observe(&mut self) -> bool {
        let usable = |w: &Self, e: &Entity| {
            let types = [Ty::Cell, Ty::Leaf, Ty::Closure, Ty::Shape, Ty::Counter, Ty::Point, Ty::Signal];
            let is_noescape = e.kind == Kind::StackClosure;
            types.contains(&e.ty) && (e.is_value() || is_noescape || e.ty == Ty::Counter && w.is_readable(e))
        };
        let Some(entity) = self.choose(usable) else { return false };
        let number = self.int();
        let result = match (entity.ty, &entity.kind) {
            (Ty::Closure, Kind::StackClosure) if self.random.chance(1, 2) => {
                self.call_library("call_in_place", &[&entity.name])
            }
            (Ty::Closure, Kind::StackClosure) => {
                self.def(format_args!("apply {}({number}) : $@noescape {CLOSURE}", entity.name))
            }
            (Ty::Closure, _) if self.random.chance(1, 3) => {
                self.call_library("call_closure", &[&entity.name, &number])
            }
            (Ty::Closure, _) => self.with_borrow(&entity, |w, closure| {
                w.def(format_args!("apply {closure}({number}) : ${CLOSURE}"))
            }),
            (Ty::Shape, _) => self.with_borrow(&entity, Self::area),
            (Ty::Counter, _) => self.count(&entity.name),
            (Ty::Point, _) => self.def(format_args!("struct_extract {}, #Point.y", entity.name)),
            (Ty::Signal, _) => self.select(&entity.name),
            (ty, _) => self.with_borrow(&entity, |w, object| w.rank(object, ty)),
        };
        self.env.ints.push(result);
        true
    }

    fn rank(&mut self, object: &str, ty: Ty) -> String {
        let object = if ty == Ty::Leaf {
            self.def(format_args!("upcast {object} to $Cell"))
        } else {
            object.to_owned()
        };
        let convention = type_of("cell_rank");
        let method = self.def(format_args!(
            "class_method {object}, #Cell.rank : (Cell) -> () -> Builtin.Int64, ${convention}"
        ));
        self.def(format_args!("apply {method}({object}) : ${convention}"))
    }

    fn select(&mut self, signal: &str) -> String {
        let (a, b) = (self.int(), self.int());
        self.def(format_args!(
            "select_enum {signal}, case #Signal.go!enumelt: {a}, default {b} : $Builtin.Int64"
        ))
    }

    /// Returns a new opened archetype of a protocol.
    fn opened(&mut self, protocol: &str) -> String {
        let number = self.fresh();
        let number = number.trim_start_matches('%').to_owned();
        // The identifier must be unique in the module, since its functions share opened types.
        let function = self.callees.len();
        format!("@opened(\"01234567-89AB-CDEF-{function:0>4}-{number:0>12}\", any {protocol}) Self")
    }

    fn area(&mut self, shape: &str) -> String {
        let opened = self.opened("Shape");
        let object = self.def(format_args!("open_existential_ref {shape} to ${opened}"));
        self.witness(&object, &opened, &format!("${opened}"), "Shape", "area", "@guaranteed")
    }

    fn count(&mut self, address: &str) -> String {
        let opened = self.opened("Counter");
        let inner = self.def(format_args!("open_existential_addr immutable_access {address} to $*{opened}"));
        self.witness(&inner, &opened, &format!("$*{opened}"), "Counter", "count", "@in_guaranteed")
    }

    fn witness(
        &mut self,
        object: &str,
        opened: &str,
        ty: &str,
        protocol: &str,
        method: &str,
        convention: &str,
    ) -> String {
        let callee_type = format!(
            "@convention(witness_method: {protocol}) <τ_0_0 where τ_0_0 : {protocol}> ({convention} τ_0_0) -> Builtin.Int64"
        );
        let requirement = format!("<Self where Self : {protocol}> (Self) -> () -> Builtin.Int64");
        let callee = self.def(format_args!(
            "witness_method ${opened}, #{protocol}.{method} : {requirement}, {object} : {ty} : ${callee_type}"
        ));
        self.def(format_args!("apply {callee}<{opened}>({object}) : ${callee_type}"))
    }

    /// Writes a closure on the stack that captures a guaranteed value.
    pub(super) fn stack_closure(&mut self) -> bool {
        let usable = |_: &Self, e: &Entity| {
            matches!(e.ty, Ty::Cell | Ty::Box) && matches!(e.kind, Kind::Borrow | Kind::Forwarded)
        };
        let Some(captured) = self.choose(usable) else { return false };
        let function = if captured.ty == Ty::Box { "add_to_box" } else { "add_rank" };
        let ty = type_of(function);
        let callee = self.def(format_args!("function_ref @{function} : ${ty}"));
        let name = self.def(format_args!(
            "partial_apply [callee_guaranteed] [on_stack] {callee}({}) : ${ty}",
            captured.name
        ));
        self.add(name, Ty::Closure, Kind::StackClosure, vec![captured.id]);
        true
    }

    /// Begins a coroutine that lends a value or an address.
    pub(super) fn begin_coroutine(&mut self) -> bool {
        let usable = |_: &Self, e: &Entity| matches!(e.ty, Ty::Cell | Ty::Pair) && e.is_value();
        let Some(base) = self.choose(usable) else { return false };
        let function = if base.ty == Ty::Pair { "lend_left" } else { "lend_value" };
        let ty = type_of(function);
        let callee = self.def(format_args!("function_ref @{function} : ${ty}"));
        let (lent, token) = (self.fresh(), self.fresh());
        self.line(format_args!("({lent}, {token}) = begin_apply {callee}({}) : ${ty}", base.name));
        if base.ty == Ty::Pair {
            self.add(lent, Ty::Cell, Kind::Lent { token }, vec![base.id]);
        } else {
            let kind = Kind::Memory { is_init: true, role: Role::Lent { token } };
            self.add(lent, Ty::Int, kind, vec![base.id]);
        }
        true
    }
}
