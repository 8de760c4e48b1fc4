//! Memory: stack slots, accesses, loads and stores of all kinds.

use super::library::type_of;
use super::types::{STORED, Ty};
use super::writer::{Entity, Kind, Role, Writer};

impl Writer<'_> {
    /// Loads a copy of the value in memory.
    pub(super) fn load_copy(&mut self, address: &str, ty: Ty) -> String {
        match (self.ossa(), ty.is_trivial()) {
            (true, true) => self.def(format_args!("load [trivial] {address}")),
            (true, false) => self.def(format_args!("load [copy] {address}")),
            (false, _) => {
                let value = self.def(format_args!("load {address}"));
                self.copy(&value, ty)
            }
        }
    }

    /// Takes the value in memory, which becomes uninitialized.
    pub(super) fn load_take(&mut self, address: &str, ty: Ty) -> String {
        match (self.ossa(), ty.is_trivial()) {
            (true, true) => self.def(format_args!("load [trivial] {address}")),
            (true, false) => self.def(format_args!("load [take] {address}")),
            (false, _) => self.def(format_args!("load {address}")),
        }
    }

    /// Stores to uninitialized memory.
    pub(super) fn store_init(&mut self, value: &str, address: &str, ty: Ty) {
        let qualifier = match (self.ossa(), ty.is_trivial()) {
            (false, _) => "",
            (true, true) => "[trivial] ",
            (true, false) => "[init] ",
        };
        self.line(format_args!("store {value} to {qualifier}{address}"));
    }

    /// Assigns to initialized memory.
    fn store_again(&mut self, value: &str, address: &str, ty: Ty) {
        if ty.is_trivial() {
            self.store_init(value, address, ty);
        } else if !self.ossa() {
            let old = self.def(format_args!("load {address}"));
            self.store_init(value, address, ty);
            self.destroy(&old, ty);
        } else if self.random.chance(1, 2) {
            self.line(format_args!("store {value} to [assign] {address}"));
        } else {
            self.line(format_args!("destroy_addr {address}"));
            self.store_init(value, address, ty);
        }
    }

    /// Initializes uninitialized memory.
    pub(super) fn initialize(&mut self, memory: &Entity) {
        let (name, ty) = (&memory.name, memory.ty);
        let other = self.choose(|w, e| e.ty == ty && e.id != memory.id && w.is_readable(e));
        match (other, self.random.below(6)) {
            (Some(other), 0) => self.line(format_args!("copy_addr {} to [init] {name}", other.name)),
            (Some(other), 1) => {
                let callee_type = type_of("copy_in_memory");
                let callee = self.def(format_args!("function_ref @copy_in_memory : ${callee_type}"));
                let arguments = format!("({name}, {})", other.name);
                self.def(format_args!("apply {callee}<{}>{arguments} : ${callee_type}", ty.sil()));
            }
            (Some(other), 2) if self.is_writable(&other) => {
                self.line(format_args!("copy_addr [take] {} to [init] {name}", other.name));
                self.set_init(other.id, false);
            }
            _ if ty == Ty::Counter => self.initialize_counter(name),
            (_, 3) if !ty.fields().is_empty() => {
                for &(field, field_type) in ty.fields() {
                    let value = self.make(field_type);
                    let part = self.def(format_args!("struct_element_addr {name}, #{}.{field}", ty.sil()));
                    self.store_init(&value, &part, field_type);
                }
            }
            (_, 3 | 4) if !ty.cases().is_empty() => self.inject(name, ty),
            _ => {
                let value = self.make(ty);
                self.store_init(&value, name, ty);
            }
        }
        self.set_init(memory.id, true);
    }

    fn inject(&mut self, address: &str, ty: Ty) {
        let Some(&(case, payload)) = self.random.pick(ty.cases()) else { return };
        let element = format!("#{}.{case}!enumelt", ty.sil());
        if let Some(payload) = payload {
            let value = self.make(payload);
            let part = self.def(format_args!("init_enum_data_addr {address}, {element}"));
            self.store_init(&value, &part, payload);
        }
        self.line(format_args!("inject_enum_addr {address}, {element}"));
    }

    fn initialize_counter(&mut self, address: &str) {
        let (ty, field) = if self.random.chance(1, 2) { ("Small", Ty::Int) } else { ("Large", Ty::Cell) };
        let value = self.make(field);
        let concrete = self.def(format_args!("struct ${ty} ({value})"));
        let inner = self.def(format_args!("init_existential_addr {address}, ${ty}"));
        self.store_init(&concrete, &inner, field);
    }

    /// Allocates a stack slot, which is usually initialized.
    pub(super) fn new_slot(&mut self) -> bool {
        let ty = self.random.pick(&STORED).copied().unwrap_or(Ty::Int);
        self.slot(ty, true);
        true
    }

    /// Allocates a stack slot, which may be left uninitialized.
    pub(super) fn slot(&mut self, ty: Ty, may_init: bool) -> Entity {
        let variable = if self.random.chance(1, 4) { ", var, name \"v\"" } else { "" };
        let name = self.def(format_args!("alloc_stack ${}{variable}", ty.sil()));
        let kind = Kind::Memory { is_init: false, role: Role::Slot };
        let id = self.add(name.clone(), ty, kind.clone(), Vec::new());
        let entity = Entity { id, name, ty, kind, bases: Vec::new() };
        if may_init && self.random.chance(4, 5) {
            self.initialize(&entity);
        }
        entity
    }

    /// Writes to memory.
    pub(super) fn write(&mut self) -> bool {
        let Some(memory) = self.choose(|w, e| w.is_writable(e)) else { return false };
        let Kind::Memory { is_init, .. } = memory.kind else { return false };
        if !is_init {
            self.initialize(&memory);
            return true;
        }
        let (name, ty) = (&memory.name, memory.ty);
        let other = self.choose(|w, e| e.ty == ty && e.id != memory.id && w.is_readable(e));
        if let Some(other) = other.filter(|_| ty.is_address_only() || self.random.chance(1, 4)) {
            self.line(format_args!("copy_addr {} to {name}", other.name));
        } else if ty.is_address_only() {
            return false;
        } else if !ty.fields().is_empty() && self.random.chance(1, 2) {
            let (field, field_type) = self.random.pick(ty.fields()).copied().unwrap_or(("x", Ty::Int));
            let value = self.make(field_type);
            let part = self.def(format_args!("struct_element_addr {name}, #{}.{field}", ty.sil()));
            self.store_again(&value, &part, field_type);
        } else {
            let value = self.make(ty);
            self.store_again(&value, name, ty);
        }
        true
    }

    /// Reads memory: loads a copy, or borrows.
    pub(super) fn read(&mut self) -> bool {
        let readable = |w: &Self, e: &Entity| w.is_readable(e) && !e.ty.is_address_only();
        let Some(memory) = self.choose(readable) else { return false };
        let (name, ty) = (&memory.name, memory.ty);
        if let Some(&(field, field_type)) = self.random.pick(ty.fields())
            && self.random.chance(1, 2)
        {
            let part = self.def(format_args!("struct_element_addr {name}, #{}.{field}", ty.sil()));
            let value = self.load_copy(&part, field_type);
            self.add_value(value, field_type);
        } else if ty.is_trivial() || self.random.chance(1, 2) {
            let value = self.load_copy(name, ty);
            self.add_value(value, ty);
        } else {
            let load = self.either("load_borrow", "load");
            let value = self.def(format_args!("{load} {name}"));
            self.add(value, ty, Kind::Borrow, vec![memory.id]);
        }
        true
    }

    /// Takes or destroys the value in memory.
    pub(super) fn deinitialize(&mut self) -> bool {
        let full = |w: &Self, e: &Entity| w.is_writable(e) && w.is_readable(e);
        let Some(memory) = self.choose(full) else { return false };
        if memory.ty.is_address_only() || self.random.chance(1, 3) {
            self.line(format_args!("destroy_addr {}", memory.name));
        } else {
            let value = self.load_take(&memory.name, memory.ty);
            self.add_value(value, memory.ty);
        }
        self.set_init(memory.id, false);
        true
    }

    /// Begins an access to a slot.
    pub(super) fn begin_access(&mut self) -> bool {
        let initialized = |w: &Self, e: &Entity| {
            w.is_readable(e) && matches!(&e.kind, Kind::Memory { role: Role::Slot, .. })
        };
        let Some(memory) = self.choose(initialized) else { return false };
        let modifies = !self.is_locked(memory.id) && self.random.chance(1, 2);
        let kind = if modifies { "modify" } else { "read" };
        let name = self.def(format_args!("begin_access [{kind}] [static] {}", memory.name));
        let kind = Kind::Memory { is_init: true, role: Role::Access { modifies } };
        self.add(name, memory.ty, kind, vec![memory.id]);
        true
    }

    /// Stores a borrowed value to a new slot.
    pub(super) fn store_borrow(&mut self) -> bool {
        let usable = |w: &Self, e: &Entity| {
            let is_borrowed = matches!(e.kind, Kind::Borrow | Kind::Forwarded);
            e.kind == Kind::Owned && !w.ossa() || is_borrowed && STORED.contains(&e.ty)
        };
        let Some(value) = self.choose(usable) else { return false };
        let slot = self.def(format_args!("alloc_stack ${}", value.ty.sil()));
        let name = if self.ossa() {
            self.def(format_args!("store_borrow {} to {slot}", value.name))
        } else {
            self.line(format_args!("store {} to {slot}", value.name));
            slot.clone()
        };
        let kind = Kind::Memory { is_init: true, role: Role::Borrowed { slot } };
        self.add(name, value.ty, kind, vec![value.id]);
        true
    }

    /// Reads and writes the global variable, a field of an object, or the content of a box.
    pub(super) fn shared_memory(&mut self) -> bool {
        let usable = |_: &Self, e: &Entity| {
            matches!(e.ty, Ty::Cell | Ty::Box)
                && matches!(e.kind, Kind::Owned | Kind::Borrow | Kind::Forwarded)
        };
        match self.choose(usable).filter(|_| self.random.chance(3, 4)) {
            Some(object) => self.with_borrow(&object, |w, name| {
                let address = match object.ty {
                    Ty::Box => w.def(format_args!("project_box {name}, 0")),
                    _ => w.def(format_args!("ref_element_addr {name}, #Cell.value")),
                };
                w.short_access(&address);
            }),
            None => {
                let address = self.def("global_addr @total : $*Builtin.Int64");
                self.short_access(&address);
            }
        }
        true
    }

    fn short_access(&mut self, address: &str) {
        let modifies = self.random.chance(1, 2);
        let kind = if modifies { "modify" } else { "read" };
        let added = self.int();
        let access = self.def(format_args!("begin_access [{kind}] [dynamic] {address}"));
        let value = self.load_copy(&access, Ty::Int);
        if modifies {
            let sum = self.def(format_args!("builtin \"add_Int64\"({value}, {added}) : $Builtin.Int64"));
            self.store_init(&sum, &access, Ty::Int);
        }
        self.line(format_args!("end_access {access}"));
        self.env.ints.push(value);
    }
}
