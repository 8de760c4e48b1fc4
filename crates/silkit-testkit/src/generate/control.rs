//! Control flow: all kinds of branches, loops, and exits.

use super::library::type_of;
use super::types::{OWNED, Ty};
use super::writer::{Entity, Env, Exit, Flow, Kind, Writer};

/// A successor block of a terminator, and the values that it receives.
struct Arm {
    label: String,
    receives: Receives,
}

/// The values that a block receives from the terminator before it.
#[derive(Clone)]
enum Receives {
    Nothing,
    Value(Ty),
    Guaranteed(Ty, u32),
    /// The operand of the terminator, which is still owned: only in non-OSSA.
    Whole(String, Ty),
    /// The results of a call.
    Results(Box<super::calls::Signature>),
    /// An error, which is destroyed. The call has not initialized the memory of its indirect results.
    Error(Vec<u32>),
    /// The payload of an enum in memory, which is taken.
    Payload {
        memory: Entity,
        case: String,
        ty: Ty,
    },
}

impl Receives {
    /// Returns how a possibly non-trivial value is received; `base` ends its lifetime if it is not owned.
    fn part(ty: Ty, base: &Entity) -> Receives {
        if base.kind == Kind::Owned || ty.is_trivial() {
            Receives::Value(ty)
        } else {
            Receives::Guaranteed(ty, base.id)
        }
    }
}

impl Writer<'_> {
    /// Generates statements until a budget is used up.
    pub(super) fn region(&mut self, budget: usize) {
        let mut left = budget;
        while left > 0 {
            let nests = self.depth < self.profile.depth && left >= 4;
            if nests && self.random.chance(self.profile.control, 24) {
                let inner = 2 + self.random.below(left - 2);
                left -= inner;
                self.depth += 1;
                if self.times <= 64 && self.random.chance(1, 3) {
                    self.repeat(inner);
                } else {
                    self.branch(inner);
                }
                self.depth -= 1;
            } else {
                left -= 1;
                self.statement();
            }
        }
    }

    /// Generates the successor blocks of a terminator, and their join block.
    fn branch(&mut self, budget: usize) {
        let outer_floor = self.floor;
        let arms = self.terminator();
        self.floor = self.hand_over();
        let mut start = self.env.clone();
        let mut behind = start.clone();
        behind.entities.truncate(self.floor);
        let label = self.label();
        let ints = self.random.below(3);
        let owned = self.merged_types();
        let join = Exit { label, is_used: false, ints, owned, env: behind };
        let reborrow = self.reborrowed(&join.env);
        let mut falls = false;
        let count = arms.len();
        for (index, arm) in arms.into_iter().enumerate() {
            self.env = std::mem::take(&mut start);
            start = self.env.clone();
            self.begin_arm(arm);
            let must_fall = index + 1 == count && !falls;
            if !self.random.chance(1, 4) {
                self.region(budget / count);
            }
            if must_fall || self.ends(self.profile.exits) == Flow::On {
                falls = true;
                self.finish_arm(&join, reborrow.as_ref());
            }
        }
        self.floor = outer_floor;
        self.begin_join(join, reborrow);
    }

    fn finish_arm(&mut self, join: &Exit, reborrow: Option<&Entity>) {
        let Some(base) = reborrow else {
            let (ints, owned) = self.passed(join);
            return self.leave(join, &ints, &owned);
        };
        let (mut ints, owned) = self.passed(join);
        self.close_to(join.env.entities.len());
        self.restore(&join.env);
        let borrow = self.borrow(&base.name, base.ty);
        ints.extend(owned);
        ints.push(borrow);
        self.jump(&join.label, &ints);
    }

    /// Returns the values that a branch to an exit passes.
    fn passed(&mut self, exit: &Exit) -> (Vec<String>, Vec<String>) {
        let floor = std::mem::replace(&mut self.floor, exit.env.entities.len());
        let ints = (0..exit.ints).map(|_| self.int()).collect();
        let owned = exit.owned.iter().map(|&ty| self.make(ty)).collect();
        self.floor = floor;
        (ints, owned)
    }

    fn begin_join(&mut self, join: Exit, reborrow: Option<Entity>) {
        let phi = reborrow.map(|base| (self.fresh(), base));
        let extra: Vec<String> =
            phi.iter().map(|(name, base)| format!("{name} : @guaranteed ${}", base.ty.sil())).collect();
        self.enter(join, &extra);
        if let Some((name, base)) = phi {
            let borrowed = self.def(format_args!("borrowed {name} from ({})", base.name));
            self.add(borrowed, base.ty, Kind::Borrow, vec![base.id]);
        }
    }

    /// Begins the block of an exit, with its arguments.
    fn enter(&mut self, exit: Exit, extra: &[String]) {
        self.env = exit.env;
        let mut arguments = Vec::new();
        for _ in 0..exit.ints {
            let name = self.fresh();
            arguments.push(format!("{name} : $Builtin.Int64"));
            self.env.ints.push(name);
        }
        for ty in exit.owned {
            let name = self.fresh();
            arguments.push(format!("{name} : {}${}", self.either("@owned ", ""), ty.sil()));
            self.add(name, ty, Kind::Owned, Vec::new());
        }
        arguments.extend_from_slice(extra);
        self.start(&exit.label, &arguments);
    }

    /// Returns the types of owned values that the arms of a branch create.
    fn merged_types(&mut self) -> Vec<Ty> {
        let count = if self.random.chance(1, 2) { 0 } else { 1 + self.random.below(2) };
        (0..count).map(|_| self.random.pick(&OWNED).copied().unwrap_or(Ty::Cell)).collect()
    }

    /// Returns an owned value that all arms of a branch borrow, so that the borrow scopes meet in a phi.
    fn reborrowed(&mut self, behind: &Env) -> Option<Entity> {
        if !self.ossa() || !self.random.chance(1, 5) {
            return None;
        }
        let is_owned = |e: &&Entity| e.kind == Kind::Owned && !self.is_none(e);
        let owned: Vec<&Entity> = behind.entities.iter().filter(is_owned).collect();
        self.random.pick(&owned).map(|&e| e.clone())
    }

    /// Selects the entities that each arm of a branch ends or passes on. They are moved to the top. Returns the
    /// number of the other entities.
    fn hand_over(&mut self) -> usize {
        let count = self.env.entities.len();
        let free: Vec<u32> = (self.floor..count)
            .filter(|&i| self.env.entities[i].kind == Kind::Owned && self.can_end(i))
            .map(|i| self.env.entities[i].id)
            .collect();
        for id in free {
            if self.random.chance(1, 2)
                && let Some(index) = self.env.entities.iter().position(|e| e.id == id)
            {
                let entity = self.env.entities.remove(index);
                self.env.entities.push(entity);
            }
        }
        if self.random.chance(1, 3) { count } else { count - self.random.below(count - self.floor + 1) }
    }

    /// May leave the region: to the end of a loop or of the function, or into a dead end.
    fn ends(&mut self, chance: usize) -> Flow {
        if !self.random.chance(chance, 24) {
            return Flow::On;
        }
        match self.random.below(4) {
            0 | 1 if !self.loops.is_empty() => {
                let index = self.random.below(self.loops.len());
                self.loops[index].is_used = true;
                let exit = self.loops[index].clone();
                let (ints, owned) = self.passed(&exit);
                self.leave(&exit, &ints, &owned);
            }
            0 if self.throws.is_some() => {
                if let Some(mut exit) = self.throws.take() {
                    exit.is_used = true;
                    self.forget_results();
                    let (ints, owned) = self.passed(&exit);
                    self.leave(&exit, &ints, &owned);
                    self.throws = Some(exit);
                }
            }
            1 | 2 => {
                self.returns.is_used = true;
                let exit = self.returns.clone();
                let (ints, owned) = self.passed(&exit);
                self.leave(&exit, &ints, &owned);
            }
            _ => self.dead_end(),
        }
        Flow::Ended
    }

    /// Terminates the program. Live values may be left.
    fn dead_end(&mut self) {
        let code = self.int();
        let leaves = self.env.entities.iter().all(|e| matches!(e.kind, Kind::Owned | Kind::Trivial));
        if !leaves || self.random.chance(1, 2) {
            self.close_to(0);
        }
        self.call("halt", "@convention(thin) (Builtin.Int64) -> Never", &[&code]);
        if self.random.chance(1, 4) {
            let label = self.label();
            self.jump(&label, &[""; 0]);
            self.start(&label, &[]);
            self.sink_literal();
            self.jump(&label, &[""; 0]);
        } else {
            self.line("unreachable");
        }
    }

    fn sink_literal(&mut self) {
        let number = self.literal(13);
        self.call("sink", "@convention(thin) (Builtin.Int64) -> ()", &[&number]);
    }

    /// Generates a loop with at most four iterations.
    fn repeat(&mut self, budget: usize) {
        let (outer_floor, outer_times) = (self.floor, self.times);
        let limit = self.int();
        let mask = self.literal(3);
        let limit = self.def(format_args!("builtin \"and_Int64\"({limit}, {mask}) : $Builtin.Int64"));
        let one = self.literal(1);
        let ints = self.random.below(3);
        let owned = self.merged_types();
        // The counter, the integers, the owned values.
        let mut arguments = vec![self.literal(0)];
        arguments.extend((0..ints).map(|_| self.int()));
        for &ty in &owned {
            arguments.push(self.make(ty));
        }
        let header =
            Exit { label: self.label(), is_used: true, ints: 1 + ints, owned, env: self.env.clone() };
        self.jump(&header.label, &arguments);
        let exit = Exit { label: self.label(), ints, ..header.clone() };
        self.loops.push(Exit { is_used: false, ..exit.clone() });
        self.times *= 4;
        self.floor = header.env.entities.len();
        let first = header.env.ints.len();
        self.enter(header.clone(), &[]);
        let counter = self.env.ints[first].clone();
        if self.random.chance(1, 2) {
            self.check_first(&header, &exit, (&counter, &one, &limit), budget);
        } else {
            self.check_last(&header, &exit, (&counter, &one, &limit), budget);
        }
        self.loops.pop();
        self.times = outer_times;
        self.floor = outer_floor;
        self.enter(exit, &[]);
    }

    /// Generates a loop with the check before its body: `while`.
    fn check_first(&mut self, header: &Exit, exit: &Exit, count: (&str, &str, &str), budget: usize) {
        let (body, out) = (self.label(), self.label());
        let continues =
            self.def(format_args!("builtin \"cmp_slt_Int64\"({}, {}) : $Builtin.Int1", count.0, count.2));
        self.line(format_args!("cond_br {continues}, {body}, {out}"));
        let start = self.env.clone();
        self.start(&body, &[]);
        self.region(budget);
        let next = self.next(count);
        let (mut ints, owned) = self.passed(exit);
        ints.insert(0, next);
        self.leave(header, &ints, &owned);
        self.env = start;
        self.start(&out, &[]);
        let (ints, owned) = self.passed(exit);
        self.leave(exit, &ints, &owned);
    }

    /// Generates a loop with the check after its body: `repeat while`.
    fn check_last(&mut self, header: &Exit, exit: &Exit, count: (&str, &str, &str), budget: usize) {
        self.region(budget);
        let next = self.next(count);
        let continues =
            self.def(format_args!("builtin \"cmp_slt_Int64\"({next}, {}) : $Builtin.Int1", count.2));
        let (ints, owned) = self.passed(exit);
        self.close_to(exit.env.entities.len());
        self.restore(&exit.env);
        let (latch, out) = (self.label(), self.label());
        self.line(format_args!("cond_br {continues}, {latch}, {out}"));
        self.start(&latch, &[]);
        let mut arguments = vec![next];
        arguments.extend(ints.iter().chain(&owned).cloned());
        self.jump(&header.label, &arguments);
        self.start(&out, &[]);
        self.jump(&exit.label, &arguments[1..]);
    }

    fn next(&mut self, count: (&str, &str, &str)) -> String {
        self.def(format_args!("builtin \"add_Int64\"({}, {}) : $Builtin.Int64", count.0, count.1))
    }
}

impl Writer<'_> {
    /// Generates a terminator with several successors.
    fn terminator(&mut self) -> Vec<Arm> {
        let arms = match self.random.below(8) {
            0 => Some(self.switch_value()),
            1 | 2 => self.switch_enum(),
            3 => self.switch_enum_addr(),
            4 => self.checked_cast(),
            5 => self.try_apply(),
            _ => None,
        };
        arms.unwrap_or_else(|| {
            let condition = self.boolean();
            let arms = [(); 2].map(|()| Arm { label: self.label(), receives: Receives::Nothing });
            self.line(format_args!("cond_br {condition}, {}, {}", arms[0].label, arms[1].label));
            arms.into()
        })
    }

    fn arm(&mut self, receives: Receives) -> Arm {
        Arm { label: self.label(), receives }
    }

    fn switch_value(&mut self) -> Vec<Arm> {
        let value = self.int();
        let mask = self.literal(3);
        let value = self.def(format_args!("builtin \"and_Int64\"({value}, {mask}) : $Builtin.Int64"));
        let count = 1 + self.random.below(3);
        let literals: Vec<String> = (0..count).map(|number| self.literal(number)).collect();
        let arms: Vec<Arm> = (0..=count).map(|_| self.arm(Receives::Nothing)).collect();
        let cases: String = literals
            .iter()
            .zip(&arms)
            .map(|(literal, arm)| format!("case {literal}: {}, ", arm.label))
            .collect();
        self.line(format_args!(
            "switch_value {value} : $Builtin.Int64, {cases}default {}",
            arms[count].label
        ));
        arms
    }

    fn switch_enum(&mut self) -> Option<Vec<Arm>> {
        let usable = |w: &Self, e: &Entity| {
            let index = w.env.entities.iter().position(|other| other.id == e.id);
            let is_free = e.kind != Kind::Owned || index.is_some_and(|index| w.can_end(index));
            let has_ownership = e.ty.is_trivial() || !w.is_none(e);
            !e.ty.cases().is_empty() && e.is_value() && is_free && has_ownership
        };
        let entity = self.choose(usable)?;
        if entity.kind == Kind::Owned {
            self.remove(entity.id);
        }
        let cases = entity.ty.cases();
        let has_default = self.random.chance(1, 3);
        let hidden = if has_default { 1 + self.random.below(cases.len() - 1) } else { 0 };
        let shown = cases.len() - hidden;
        let mut arms = Vec::new();
        let mut text = String::new();
        for &(case, payload) in &cases[..shown] {
            let receives = payload.map_or(Receives::Nothing, |ty| Receives::part(ty, &entity));
            arms.push(self.arm(receives));
            let label = &arms[arms.len() - 1].label;
            text += &format!(", case #{}.{case}!enumelt: {label}", entity.ty.sil());
        }
        if has_default {
            // The default block receives the payload of the only remaining case, or the whole value.
            let receives = match (self.ossa(), hidden, cases[shown].1) {
                (true, 1, Some(ty)) => Receives::part(ty, &entity),
                (true, 1, None) => Receives::Nothing,
                (true, ..) => Receives::part(entity.ty, &entity),
                _ if entity.kind == Kind::Owned => Receives::Whole(entity.name.clone(), entity.ty),
                _ => Receives::Nothing,
            };
            arms.push(self.arm(receives));
            text += &format!(", default {}", arms[arms.len() - 1].label);
        }
        self.line(format_args!("switch_enum {}{text}", entity.name));
        Some(arms)
    }

    fn switch_enum_addr(&mut self) -> Option<Vec<Arm>> {
        let memory = self.choose(|w, e| w.is_readable(e) && !e.ty.cases().is_empty())?;
        let can_take = self.is_writable(&memory);
        let mut arms = Vec::new();
        let mut text = String::new();
        for &(case, payload) in memory.ty.cases() {
            let case = format!("#{}.{case}!enumelt", memory.ty.sil());
            let receives = match payload {
                Some(ty) if can_take => Receives::Payload { memory: memory.clone(), case: case.clone(), ty },
                _ => Receives::Nothing,
            };
            arms.push(self.arm(receives));
            text += &format!(", case {case}: {}", arms[arms.len() - 1].label);
        }
        self.line(format_args!("switch_enum_addr {}{text}", memory.name));
        Some(arms)
    }

    fn checked_cast(&mut self) -> Option<Vec<Arm>> {
        let usable = |w: &Self, e: &Entity| {
            let index = w.env.entities.iter().position(|other| other.id == e.id);
            let is_free = e.kind != Kind::Owned || index.is_some_and(|index| w.can_end(index));
            e.ty == Ty::Cell && e.is_value() && is_free
        };
        let entity = self.choose(usable)?;
        let types = (Receives::part(Ty::Leaf, &entity), Receives::part(Ty::Cell, &entity));
        let types = match &entity.kind {
            _ if self.ossa() => types,
            Kind::Owned => (types.0, Receives::Whole(entity.name.clone(), Ty::Cell)),
            _ => (types.0, Receives::Nothing),
        };
        if entity.kind == Kind::Owned {
            self.remove(entity.id);
        }
        let arms = vec![self.arm(types.0), self.arm(types.1)];
        let targets = format!("{}, {}", arms[0].label, arms[1].label);
        self.line(format_args!("checked_cast_br Cell in {} to Leaf, {targets}", entity.name));
        Some(arms)
    }

    fn try_apply(&mut self) -> Option<Vec<Arm>> {
        let callee = self.callee(true);
        let mut outs = Vec::new();
        let (name, ty, arguments, results) = match callee {
            Some(callee) => {
                let (arguments, memories) = self.arguments(&callee);
                outs.extend(memories.into_iter().filter(|memory| memory.0).map(|memory| memory.1));
                (callee.name.clone(), callee.ty(), arguments, Receives::Results(Box::new(callee)))
            }
            None => {
                let arguments = vec![self.int()];
                ("may_throw".to_owned(), type_of("may_throw").to_owned(), arguments, Receives::Value(Ty::Int))
            }
        };
        let callee = self.def(format_args!("function_ref @{name} : ${ty}"));
        let arms = vec![self.arm(results), self.arm(Receives::Error(outs))];
        let (normal, error) = (&arms[0].label, &arms[1].label);
        self.line(format_args!(
            "try_apply {callee}({}) : ${ty}, normal {normal}, error {error}",
            arguments.join(", ")
        ));
        Some(arms)
    }

    /// Begins the block of an arm.
    fn begin_arm(&mut self, arm: Arm) {
        let (owned, guaranteed) = (self.either("@owned ", ""), self.either("@guaranteed ", ""));
        match arm.receives {
            Receives::Nothing => self.start(&arm.label, &[]),
            Receives::Whole(name, ty) => {
                self.start(&arm.label, &[]);
                self.add_value(name, ty);
            }
            Receives::Value(ty) => {
                let name = self.fresh();
                let ownership = if ty.is_trivial() { "" } else { owned };
                self.start(&arm.label, &[format!("{name} : {ownership}${}", ty.sil())]);
                self.add_value(name, ty);
            }
            Receives::Guaranteed(ty, base) => {
                let name = self.fresh();
                self.start(&arm.label, &[format!("{name} : {guaranteed}${}", ty.sil())]);
                self.add(name, ty, Kind::Forwarded, vec![base]);
            }
            Receives::Results(callee) => {
                let name = self.fresh();
                let ownership = if callee.owned.is_some() { owned } else { "" };
                self.start(&arm.label, &[format!("{name} : {ownership}${}", callee.result())]);
                self.add_results(&callee, name);
            }
            Receives::Error(outs) => {
                outs.into_iter().for_each(|memory| self.set_init(memory, false));
                let name = self.fresh();
                self.start(&arm.label, &[format!("{name} : {owned}$any Error")]);
                self.destroy(&name, Ty::Shape);
            }
            Receives::Payload { memory, case, ty } => {
                self.start(&arm.label, &[]);
                let part = self.def(format_args!("unchecked_take_enum_data_addr {}, {case}", memory.name));
                let value = self.load_take(&part, ty);
                self.set_init(memory.id, false);
                self.add_value(value, ty);
            }
        }
    }
}
