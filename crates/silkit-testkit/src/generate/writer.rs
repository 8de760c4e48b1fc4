//! The state of a function under construction: its text, and the values that are available at its end.

use super::Profile;
use super::calls::Signature;
use super::types::Ty;
use crate::random::Random;
use std::fmt::Display;

/// An entity with a lifetime or an address.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) kind: Kind,
    /// The entities that must outlive this one, and that are not written or consumed before.
    pub(super) bases: Vec<u32>,
}

/// The kind of an entity, which determines how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A trivial value.
    Trivial,
    /// An owned value, which must be consumed.
    Owned,
    /// A borrow scope.
    Borrow,
    /// A guaranteed value that ends with its base: a guaranteed argument, or a part of a borrowed value.
    Forwarded,
    /// Memory, initialized or not.
    Memory { is_init: bool, role: Role },
    /// An on-stack closure.
    StackClosure,
    /// A value yielded by a coroutine, until the coroutine ends.
    Lent { token: String },
}

/// The origin of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A stack slot.
    Slot,
    /// An access to its base.
    Access { modifies: bool },
    /// Memory yielded by a coroutine, until the coroutine ends.
    Lent { token: String },
    /// The slot that a borrowed value is stored to.
    Borrowed { slot: String },
    /// An argument, with its state at the exits.
    Argument { is_result: bool, ends_init: bool, is_mutable: bool },
}

impl Entity {
    /// Returns true if the entity is a value that can be copied.
    pub(super) fn is_value(&self) -> bool {
        !matches!(self.kind, Kind::Memory { .. } | Kind::StackClosure)
    }

    /// Returns true if the entity must end in stack order.
    fn is_on_stack(&self) -> bool {
        matches!(
            self.kind,
            Kind::Memory { role: Role::Slot | Role::Lent { .. } | Role::Borrowed { .. }, .. }
                | Kind::StackClosure
                | Kind::Lent { .. }
        )
    }
}

/// The values that are available at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Env {
    pub(super) ints: Vec<String>,
    pub(super) bools: Vec<String>,
    pub(super) entities: Vec<Entity>,
}

/// The control flow after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Ended,
}

/// A block with arguments that several branches lead to.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) label: String,
    pub(super) is_used: bool,
    /// The number of integers that branches to the block pass, followed by the types of owned values.
    pub(super) ints: usize,
    pub(super) owned: Vec<Ty>,
    /// The state of the entities that are still live in the block.
    pub(super) env: Env,
}

/// A function under construction.
pub(super) struct Writer<'a> {
    pub(super) random: &'a mut Random,
    pub(super) profile: &'a Profile,
    pub(super) callees: &'a [Signature],
    pub(super) text: String,
    pub(super) env: Env,
    /// The index of the first entity that may be consumed: earlier ones outlive the region.
    pub(super) floor: usize,
    /// The exits of the enclosing loops, innermost last.
    pub(super) loops: Vec<Exit>,
    /// The exits of the function: return and, if it throws, throw.
    pub(super) returns: Exit,
    pub(super) throws: Option<Exit>,
    /// The maximum number of executions of this point, and the number of instructions that the function executes so
    /// far.
    pub(super) times: u64,
    pub(super) cost: u64,
    pub(super) depth: usize,
    /// The entities that are arguments of the call under construction: they must not be changed or ended.
    pub(super) pinned: Vec<u32>,
    /// The values without ownership of non-trivial types.
    pub(super) none: Vec<String>,
    values: u32,
    blocks: u32,
    ids: u32,
}

impl<'a> Writer<'a> {
    pub(super) fn new(random: &'a mut Random, profile: &'a Profile, callees: &'a [Signature]) -> Self {
        let exit =
            Exit { label: "bb1".to_owned(), is_used: false, ints: 1, owned: Vec::new(), env: Env::default() };
        Writer {
            random,
            profile,
            callees,
            text: String::new(),
            env: Env::default(),
            floor: 0,
            loops: Vec::new(),
            returns: exit,
            throws: None,
            times: 1,
            cost: 0,
            depth: 0,
            pinned: Vec::new(),
            none: Vec::new(),
            values: 0,
            blocks: 3,
            ids: 0,
        }
    }

    /// Writes an instruction without results.
    pub(super) fn line(&mut self, text: impl Display) {
        self.cost += self.times;
        self.text += &format!("  {text}\n");
    }

    /// Writes an instruction with one result, and returns the result's name.
    pub(super) fn def(&mut self, text: impl Display) -> String {
        let name = self.fresh();
        self.line(format_args!("{name} = {text}"));
        name
    }

    /// Returns a new value name.
    pub(super) fn fresh(&mut self) -> String {
        self.values += 1;
        format!("%{}", self.values - 1)
    }

    /// Returns a new label.
    pub(super) fn label(&mut self) -> String {
        self.blocks += 1;
        format!("bb{}", self.blocks - 1)
    }

    /// Begins a block.
    pub(super) fn start(&mut self, label: &str, arguments: &[String]) {
        let list = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
        self.text += &format!("\n{label}{list}:\n");
    }

    /// Returns true if the function is in OSSA.
    pub(super) fn ossa(&self) -> bool {
        self.profile.ossa
    }

    /// Returns one text in OSSA and another one in non-OSSA.
    pub(super) fn either(&self, ossa: &'static str, lowered: &'static str) -> &'static str {
        if self.ossa() { ossa } else { lowered }
    }

    /// Adds an entity, and returns its id.
    pub(super) fn add(&mut self, name: impl Into<String>, ty: Ty, kind: Kind, bases: Vec<u32>) -> u32 {
        self.ids += 1;
        let name = name.into();
        match (ty, &kind) {
            (Ty::Int, Kind::Trivial) => self.env.ints.push(name),
            _ => self.env.entities.push(Entity { id: self.ids, name, ty, kind, bases }),
        }
        self.ids
    }

    /// Adds a value, which is owned if its type is non-trivial.
    pub(super) fn add_value(&mut self, name: impl Into<String>, ty: Ty) -> u32 {
        let kind = if ty.is_trivial() { Kind::Trivial } else { Kind::Owned };
        self.add(name, ty, kind, Vec::new())
    }

    /// Returns true if an owned value is known to have no ownership, such as an enum case without payload.
    pub(super) fn is_none(&self, entity: &Entity) -> bool {
        self.none.contains(&entity.name)
    }

    /// Marks indirect results as uninitialized at the exit, as for a throw.
    pub(super) fn forget_results(&mut self) {
        for entity in &mut self.env.entities {
            let Kind::Memory { role, .. } = &mut entity.kind else { continue };
            if let Role::Argument { is_result: true, ends_init, .. } = role {
                *ends_init = false;
            }
        }
    }

    /// Returns true if another entity depends on an entity.
    pub(super) fn is_locked(&self, id: u32) -> bool {
        self.pinned.contains(&id) || self.env.entities.iter().any(|e| e.bases.contains(&id))
    }

    /// Returns true if memory can be written: initialized memory is assigned, or its value consumed.
    pub(super) fn is_writable(&self, entity: &Entity) -> bool {
        let is_mutable = match &entity.kind {
            Kind::Memory { role, .. } => !matches!(
                role,
                Role::Access { modifies: false }
                    | Role::Borrowed { .. }
                    | Role::Argument { is_mutable: false, .. }
            ),
            _ => false,
        };
        is_mutable && !self.is_locked(entity.id)
    }

    /// Returns true if memory is initialized and can be read.
    pub(super) fn is_readable(&self, entity: &Entity) -> bool {
        let is_modified = |e: &Entity| {
            let writes = matches!(
                e.kind,
                Kind::Memory { role: Role::Access { modifies: true } | Role::Lent { .. }, .. }
            );
            writes && e.bases.contains(&entity.id)
        };
        matches!(entity.kind, Kind::Memory { is_init: true, .. })
            && !self.env.entities.iter().any(is_modified)
    }

    /// Returns a random entity for which the predicate holds.
    pub(super) fn choose(&mut self, mut holds: impl FnMut(&Self, &Entity) -> bool) -> Option<Entity> {
        let entities = self.env.entities.iter();
        let found: Vec<&Entity> = entities.filter(|e| holds(self, e)).collect();
        let index = self.random.below(found.len());
        found.get(index).map(|&e| e.clone())
    }

    /// Sets whether memory is initialized.
    pub(super) fn set_init(&mut self, id: u32, init: bool) {
        let entity = self.env.entities.iter_mut().find(|e| e.id == id);
        if let Some(Entity { kind: Kind::Memory { is_init, .. }, .. }) = entity {
            *is_init = init;
        }
    }

    /// Removes an entity without ending it, which the caller does.
    pub(super) fn remove(&mut self, id: u32) {
        self.env.entities.retain(|e| e.id != id);
    }

    /// Returns true if an entity can end now: no other entity depends on it, and it is on top of the stack if it is
    /// in stack order.
    pub(super) fn can_end(&self, index: usize) -> bool {
        let entity = &self.env.entities[index];
        index >= self.floor
            && !self.is_locked(entity.id)
            && !(entity.is_on_stack() && self.env.entities[index + 1..].iter().any(Entity::is_on_stack))
    }

    /// Ends the entities from an index on.
    pub(super) fn close_to(&mut self, length: usize) {
        while self.env.entities.len() > length {
            self.end(self.env.entities.len() - 1);
        }
    }

    /// Ends one entity.
    pub(super) fn end(&mut self, index: usize) {
        let entity = self.env.entities[index].clone();
        match &entity.kind {
            Kind::Trivial | Kind::Forwarded => {}
            Kind::Owned => self.destroy(&entity.name, entity.ty),
            Kind::Borrow => self.end_borrow(&entity.name),
            Kind::Memory { is_init, role } => {
                match role {
                    Role::Slot if *is_init && (!entity.ty.is_trivial() || self.random.chance(1, 3)) => {
                        self.line(format_args!("destroy_addr {}", entity.name));
                    }
                    Role::Slot | Role::Borrowed { .. } => {}
                    Role::Argument { ends_init, .. } => self.bring_to(&entity, *ends_init),
                    Role::Access { .. } | Role::Lent { .. } => self.bring_to(&entity, true),
                }
                match role {
                    Role::Slot => self.line(format_args!("dealloc_stack {}", entity.name)),
                    Role::Access { .. } => self.line(format_args!("end_access {}", entity.name)),
                    Role::Borrowed { slot } => {
                        self.end_borrow(&entity.name);
                        self.line(format_args!("dealloc_stack {slot}"));
                    }
                    Role::Lent { token } => self.end_coroutine(token),
                    Role::Argument { .. } => {}
                }
            }
            Kind::StackClosure if self.ossa() => self.line(format_args!("destroy_value {}", entity.name)),
            Kind::StackClosure => self.line(format_args!("dealloc_stack {}", entity.name)),
            Kind::Lent { token } => self.end_coroutine(token),
        }
        self.remove(entity.id);
    }

    fn end_coroutine(&mut self, token: &str) {
        if self.random.chance(1, 6) {
            self.line(format_args!("abort_apply {token}"));
        } else {
            self.def(format_args!("end_apply {token} as $()"));
        }
    }

    /// Brings the remaining memory to the state of another environment.
    pub(super) fn restore(&mut self, wanted: &Env) {
        // Restored memory must not be moved from again.
        self.pinned = self.env.entities.iter().map(|e| e.id).collect();
        for index in 0..self.env.entities.len().min(wanted.entities.len()) {
            if let Kind::Memory { is_init, .. } = wanted.entities[index].kind {
                let entity = self.env.entities[index].clone();
                self.bring_to(&entity, is_init);
            }
        }
        self.pinned.clear();
    }

    /// Initializes or deinitializes memory.
    fn bring_to(&mut self, memory: &Entity, wanted: bool) {
        match memory.kind {
            Kind::Memory { is_init: false, .. } if wanted => self.initialize(memory),
            Kind::Memory { is_init: true, .. } if !wanted => {
                self.line(format_args!("destroy_addr {}", memory.name));
                self.set_init(memory.id, false);
            }
            _ => {}
        }
    }

    /// Branches to an exit of a loop or of the function, after ending all entities that are not live there.
    pub(super) fn leave(&mut self, exit: &Exit, ints: &[String], owned: &[String]) {
        let wanted = exit.env.clone();
        self.close_to(wanted.entities.len());
        self.restore(&wanted);
        let arguments: Vec<&str> = ints.iter().chain(owned).map(String::as_str).collect();
        self.jump(&exit.label, &arguments);
    }

    /// Branches to a block.
    pub(super) fn jump(&mut self, label: &str, arguments: &[impl AsRef<str>]) {
        let list: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let list = if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
        self.line(format_args!("br {label}{list}"));
    }
}
