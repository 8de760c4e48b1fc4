//! Values: arithmetic, owned values, borrows, and observation of values.

use super::library::type_of;
use super::types::{CLOSURE, OWNED, Ty};
use super::writer::{Entity, Kind, Writer};

const OPERATIONS: [&str; 6] = ["add", "sub", "mul", "and", "or", "xor"];
const COMPARISONS: [&str; 6] = ["eq", "ne", "slt", "sge", "ult", "ugt"];

impl Writer<'_> {
    /// Returns an integer: an existing one, or a literal.
    pub(super) fn int(&mut self) -> String {
        if self.random.chance(1, 5) {
            let number = self.random.below(100);
            return self.literal(number);
        }
        // Recent values are used most.
        let ints = &self.env.ints;
        let recent = &ints[ints.len().saturating_sub(1 + self.random.below(12))..];
        match self.random.pick(recent) {
            Some(name) => name.clone(),
            None => self.literal(1),
        }
    }

    /// Generates an integer literal.
    pub(super) fn literal(&mut self, number: usize) -> String {
        self.def(format_args!("integer_literal $Builtin.Int64, {number}"))
    }

    /// Generates a comparison, or returns the result of one.
    pub(super) fn boolean(&mut self) -> String {
        if self.random.chance(1, 4)
            && let Some(name) = self.random.pick(&self.env.bools)
        {
            return name.clone();
        }
        let (a, b) = (self.int(), self.int());
        let operation = self.random.pick(&COMPARISONS).copied().unwrap_or("eq");
        let name = self.def(format_args!("builtin \"cmp_{operation}_Int64\"({a}, {b}) : $Builtin.Int1"));
        self.env.bools.push(name.clone());
        name
    }

    /// Generates a binary integer operation.
    pub(super) fn arithmetic(&mut self) -> bool {
        let (a, b) = (self.int(), self.int());
        let operation = self.random.pick(&OPERATIONS).copied().unwrap_or("add");
        let name = self.def(format_args!("builtin \"{operation}_Int64\"({a}, {b}) : $Builtin.Int64"));
        self.env.ints.push(name);
        true
    }

    /// Generates an addition with an overflow check that cannot fail.
    pub(super) fn checked_arithmetic(&mut self) -> bool {
        let (value, mask) = (self.int(), self.literal(255));
        let small = self.def(format_args!("builtin \"and_Int64\"({value}, {mask}) : $Builtin.Int64"));
        let yes = self.def("integer_literal $Builtin.Int1, -1");
        let pair = self.def(format_args!(
            "builtin \"sadd_with_overflow_Int64\"({small}, {mask}, {yes}) : $(Builtin.Int64, Builtin.Int1)"
        ));
        let (sum, overflows) = if self.ossa() && self.random.chance(1, 2) {
            let names = (self.fresh(), self.fresh());
            self.line(format_args!("({}, {}) = destructure_tuple {pair}", names.0, names.1));
            names
        } else {
            (
                self.def(format_args!("tuple_extract {pair}, 0")),
                self.def(format_args!("tuple_extract {pair}, 1")),
            )
        };
        self.line(format_args!("cond_fail {overflows}, \"arithmetic overflow\""));
        self.env.ints.push(sum);
        true
    }

    /// Generates a call of the sink, which makes values observable.
    pub(super) fn sink(&mut self) -> bool {
        let value = self.int();
        self.call("sink", "@convention(thin) (Builtin.Int64) -> ()", &[&value]);
        true
    }

    /// Generates a call of a function by name, and returns the name of the result.
    pub(super) fn call(&mut self, name: &str, ty: &str, arguments: &[&str]) -> String {
        let callee = self.def(format_args!("function_ref @{name} : ${ty}"));
        self.def(format_args!("apply {callee}({}) : ${ty}", arguments.join(", ")))
    }

    /// Generates a call of a library function.
    pub(super) fn call_library(&mut self, name: &str, arguments: &[&str]) -> String {
        self.call(name, type_of(name), arguments)
    }

    /// Generates a copy.
    pub(super) fn copy(&mut self, name: &str, ty: Ty) -> String {
        if ty.is_trivial() {
            return name.to_owned();
        }
        if self.ossa() {
            return self.def(format_args!("copy_value {name}"));
        }
        let retain = if ty.is_reference() { "strong_retain" } else { "retain_value" };
        self.line(format_args!("{retain} {name}"));
        name.to_owned()
    }

    /// Destroys an owned value.
    pub(super) fn destroy(&mut self, name: &str, ty: Ty) {
        let destroy = match (self.ossa(), ty.is_reference()) {
            (true, _) => "destroy_value",
            (false, true) => "strong_release",
            (false, false) => "release_value",
        };
        self.line(format_args!("{destroy} {name}"));
    }

    /// Begins a borrow scope.
    pub(super) fn borrow(&mut self, name: &str, ty: Ty) -> String {
        if !self.ossa() {
            return name.to_owned();
        }
        let flag = if ty != Ty::Box && self.random.chance(1, 5) { "[lexical] " } else { "" };
        self.def(format_args!("begin_borrow {flag}{name}"))
    }

    /// Ends a borrow scope.
    pub(super) fn end_borrow(&mut self, name: &str) {
        if self.ossa() {
            self.line(format_args!("end_borrow {name}"));
        }
    }

    /// Calls a function with a guaranteed value of an entity: the value itself, or a new borrow of it.
    pub(super) fn with_borrow<R>(&mut self, entity: &Entity, then: impl FnOnce(&mut Self, &str) -> R) -> R {
        if entity.kind != Kind::Owned {
            return then(self, &entity.name);
        }
        let borrow = self.borrow(&entity.name, entity.ty);
        let result = then(self, &borrow);
        self.end_borrow(&borrow);
        result
    }

    /// Returns a new value of a type, owned if its type is non-trivial: an existing or a constructed one.
    pub(super) fn make(&mut self, ty: Ty) -> String {
        if ty == Ty::Int {
            return self.int();
        }
        match self.random.below(4) {
            0 => self.take_one(ty),
            1 => self.copy_one(ty),
            _ => None,
        }
        .unwrap_or_else(|| self.construct(ty))
    }

    /// Consumes an owned value without dependents.
    pub(super) fn take_one(&mut self, ty: Ty) -> Option<String> {
        let owned = |e: &Entity| e.ty == ty && matches!(e.kind, Kind::Owned | Kind::Trivial);
        let indices = 0..self.env.entities.len();
        let free: Vec<usize> = indices.filter(|&i| owned(&self.env.entities[i]) && self.can_end(i)).collect();
        let entity = self.env.entities[*self.random.pick(&free)?].clone();
        if entity.kind == Kind::Owned {
            self.remove(entity.id);
        }
        Some(entity.name)
    }

    /// Copies a value, or the value in memory.
    fn copy_one(&mut self, ty: Ty) -> Option<String> {
        let usable = |w: &Self, e: &Entity| e.ty == ty && (e.is_value() || w.is_readable(e));
        let entity = self.choose(usable)?;
        Some(if entity.is_value() { self.copy(&entity.name, ty) } else { self.load_copy(&entity.name, ty) })
    }

    /// Generates the construction of a value from its parts.
    fn construct(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Point | Ty::Pair | Ty::Mixed => {
                let parts: Vec<String> = ty.fields().iter().map(|&(_, field)| self.make(field)).collect();
                self.def(format_args!("struct ${} ({})", ty.sil(), parts.join(", ")))
            }
            Ty::Couple => {
                let (cell, number) = (self.make(Ty::Cell), self.int());
                self.def(format_args!("tuple ({cell}, {number})"))
            }
            Ty::Signal | Ty::Maybe | Ty::Choice => {
                let case = self.random.pick(ty.cases()).copied();
                let (case, payload) = case.unwrap_or(("none", None));
                let value = payload.map(|ty| format!(", {}", self.make(ty))).unwrap_or_default();
                let name = self.def(format_args!("enum ${0}, #{0}.{case}!enumelt{value}", ty.sil()));
                let is_none = payload.is_none_or(Ty::is_trivial) && !ty.is_trivial();
                if is_none { self.without_ownership(name, ty) } else { name }
            }
            Ty::Cell if self.random.chance(1, 5) => {
                let leaf = self.make(Ty::Leaf);
                self.def(format_args!("upcast {leaf} to $Cell"))
            }
            Ty::Cell if self.random.chance(1, 3) => self.new_cell(),
            Ty::Shape => {
                let square = self.make(Ty::Square);
                self.def(format_args!("init_existential_ref {square} : $Square : $Square, $any Shape"))
            }
            Ty::Closure => self.closure(),
            Ty::Box => self.new_box(),
            Ty::Leaf => self.make_object("make_leaf"),
            Ty::Square => self.make_object("make_square"),
            Ty::Cell | Ty::Int | Ty::Counter => self.make_object("make_cell"),
        }
    }

    /// Returns a value without ownership, or an owned copy of it.
    fn without_ownership(&mut self, name: String, ty: Ty) -> String {
        if self.ossa() && self.random.chance(1, 2) {
            return self.copy(&name, ty);
        }
        self.none.push(name.clone());
        name
    }

    fn make_object(&mut self, maker: &str) -> String {
        let number = self.int();
        self.call_library(maker, &[&number])
    }

    fn new_cell(&mut self) -> String {
        let number = self.int();
        let cell = self.def("alloc_ref $Cell");
        let borrow = self.borrow(&cell, Ty::Cell);
        let field = self.def(format_args!("ref_element_addr {borrow}, #Cell.value"));
        self.store_init(&number, &field, Ty::Int);
        self.end_borrow(&borrow);
        cell
    }

    fn new_box(&mut self) -> String {
        let number = self.int();
        let object = self.def("alloc_box ${ var Builtin.Int64 }");
        let borrow = self.borrow(&object, Ty::Box);
        let field = self.def(format_args!("project_box {borrow}, 0"));
        self.store_init(&number, &field, Ty::Int);
        self.end_borrow(&borrow);
        object
    }

    fn closure(&mut self) -> String {
        let (name, capture) = match self.random.below(4) {
            0 => {
                let callee = self.def(format_args!("function_ref @double : ${}", type_of("double")));
                let name = self.def(format_args!("thin_to_thick_function {callee} to ${CLOSURE}"));
                return self.without_ownership(name, Ty::Closure);
            }
            1 => ("add_number", self.int()),
            2 => ("add_to_box", self.make(Ty::Box)),
            _ => ("add_rank", self.make(Ty::Cell)),
        };
        let ty = type_of(name);
        let callee = self.def(format_args!("function_ref @{name} : ${ty}"));
        self.def(format_args!("partial_apply [callee_guaranteed] {callee}({capture}) : ${ty}"))
    }

    /// Adds a new value of a random type.
    pub(super) fn new_value(&mut self) -> bool {
        let types = [&OWNED[..], &[Ty::Point, Ty::Signal]].concat();
        let ty = self.random.pick(&types).copied().unwrap_or(Ty::Cell);
        let name = self.make(ty);
        self.add_value(name, ty);
        true
    }

    /// Copies or moves a value, or declares a variable with it.
    pub(super) fn copy_or_move(&mut self) -> bool {
        let usable = |_: &Self, e: &Entity| e.is_value() && !e.ty.is_trivial();
        let Some(entity) = self.choose(usable) else { return false };
        match self.random.below(4) {
            0 => {
                let number = self.random.below(100);
                self.line(format_args!("debug_value {}, let, name \"v{number}\"", entity.name));
            }
            1 if self.ossa() => {
                let Some(name) = self.take_one(entity.ty) else { return false };
                let flag = if self.random.chance(1, 2) { "[lexical] " } else { "" };
                let moved = self.def(format_args!("move_value {flag}{name}"));
                if self.none.contains(&name) {
                    self.none.push(moved.clone());
                }
                self.add_value(moved, entity.ty);
            }
            2 => {
                self.line(format_args!("fix_lifetime {}", entity.name));
            }
            _ => {
                let copy = self.copy(&entity.name, entity.ty);
                self.add_value(copy, entity.ty);
            }
        }
        true
    }

    /// Begins a borrow scope.
    pub(super) fn begin_borrow(&mut self) -> bool {
        let usable = |_: &Self, e: &Entity| e.kind == Kind::Owned;
        let Some(entity) = self.choose(usable) else { return false };
        let borrow = self.borrow(&entity.name, entity.ty);
        if self.is_none(&entity) {
            self.none.push(borrow.clone());
        }
        self.add(borrow, entity.ty, Kind::Borrow, vec![entity.id]);
        true
    }

    /// Ends an entity before the end of its region.
    pub(super) fn end_early(&mut self) -> bool {
        let can_end = |&index: &usize| {
            let kind = &self.env.entities[index].kind;
            self.can_end(index) && !matches!(kind, Kind::Trivial | Kind::Forwarded)
        };
        let free: Vec<usize> = (0..self.env.entities.len()).filter(can_end).collect();
        let Some(&index) = self.random.pick(&free) else { return false };
        self.end(index);
        true
    }

    /// Destructures a value: an owned one is consumed, and the parts of a guaranteed one are guaranteed.
    pub(super) fn take_apart(&mut self) -> bool {
        let usable = |_: &Self, e: &Entity| {
            e.is_value() && (matches!(e.ty, Ty::Pair | Ty::Mixed | Ty::Couple | Ty::Point | Ty::Leaf))
        };
        let Some(entity) = self.choose(usable) else { return false };
        let index = self.env.entities.iter().position(|e| e.id == entity.id);
        let is_owned = entity.kind == Kind::Owned;
        if is_owned && !index.is_some_and(|index| self.can_end(index)) {
            return false;
        }
        if is_owned {
            self.remove(entity.id);
        }
        let parts = match entity.ty {
            Ty::Leaf => vec![(self.def(format_args!("upcast {} to $Cell", entity.name)), Ty::Cell)],
            Ty::Couple => self.extract(&entity, "tuple", &[("0", Ty::Cell), ("1", Ty::Int)]),
            ty => self.extract(&entity, "struct", ty.fields()),
        };
        for (name, ty) in parts {
            if is_owned || ty.is_trivial() {
                self.add_value(name, ty);
            } else {
                self.add(name, ty, Kind::Forwarded, vec![entity.id]);
            }
        }
        true
    }

    fn extract(&mut self, entity: &Entity, what: &str, fields: &[(&'static str, Ty)]) -> Vec<(String, Ty)> {
        let is_owned = entity.kind == Kind::Owned;
        if self.ossa() && (is_owned || self.random.chance(1, 2)) {
            let parts: Vec<(String, Ty)> = fields.iter().map(|&(_, ty)| (self.fresh(), ty)).collect();
            let names: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
            self.line(format_args!("({}) = destructure_{what} {}", names.join(", "), entity.name));
            return parts;
        }
        let field_name = |name: &str| match what {
            "tuple" => name.to_owned(),
            _ => format!("#{}.{name}", entity.ty.sil()),
        };
        let mut parts = Vec::new();
        for &(name, ty) in fields {
            let field = field_name(name);
            parts.push((self.def(format_args!("{what}_extract {}, {field}", entity.name)), ty));
        }
        parts
    }
}
