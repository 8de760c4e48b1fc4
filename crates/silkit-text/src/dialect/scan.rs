//! Finds the forms of a module that some releases of Swift do not have.

use super::forms::{
    self, ACCESSORS, CONFORMANCES, FUNCTIONS, GLOBALS, KEYWORDS, LOCAL, Row, SPECIALIZED_DEINIT,
    SPECIALIZED_TABLE, TRANSFORM, TYPES,
};
use super::{Form, FormKind, FoundForm, instruction};
use crate::body::custom::is_local;
use silkit_base::{FxHashSet, Interned, Symbol};
use silkit_ir::info::AttrKind;
use silkit_ir::{
    Body, ClassRef, DebugVarData, DeclRef, Inst, InstInfo, Module, NONE, Opcode, Release, Releases,
    WitnessEntry,
};
use silkit_types::{SilType, Type};
use std::collections::BTreeMap;

/// Receives the forms of a module.
pub(super) trait Sink {
    /// Receives a form that only these releases have, and the entity that has it.
    fn found(&mut self, releases: Releases, form: impl FnOnce() -> Form, owner: Option<Symbol>);
}

/// Each form, with its first owner.
#[derive(Default)]
pub(super) struct Forms(BTreeMap<Form, Symbol>);

impl Sink for Forms {
    fn found(&mut self, _: Releases, form: impl FnOnce() -> Form, owner: Option<Symbol>) {
        self.0.entry(form()).or_insert_with(|| owner.unwrap_or_else(|| Symbol::new("")));
    }
}

impl Forms {
    pub(super) fn into_found(self) -> Vec<FoundForm> {
        self.0.into_iter().map(|(form, owner)| FoundForm { form, owner }).collect()
    }
}

impl Sink for Releases {
    fn found(&mut self, releases: Releases, _: impl FnOnce() -> Form, _: Option<Symbol>) {
        *self = self.and(releases);
    }
}

/// Passes the forms of a module to a sink.
pub(super) fn scan(module: &Module, sink: &mut impl Sink) {
    Scan { sink, types: FxHashSet::default(), owner: None }.module(module);
}

struct Scan<'s, S> {
    sink: &'s mut S,
    /// Types that were scanned, with their parts.
    types: FxHashSet<Type>,
    owner: Option<Symbol>,
}

/// Returns the form of a flag that is newer than its instruction.
pub(super) fn flag(info: &InstInfo, bit: u8, since: Release) -> Form {
    let name = info.flags.get(usize::from(bit)).copied().unwrap_or_default();
    Form::new(FormKind::Flag, format!("{} [{name}]", info.name), Releases::since(since))
}

impl<S: Sink> Scan<'_, S> {
    fn add(&mut self, releases: Releases, form: impl FnOnce() -> Form) {
        self.sink.found(releases, form, self.owner);
    }

    fn add_since(&mut self, kind: FormKind, (spelling, since): (&str, Release)) {
        let releases = Releases::since(since);
        self.add(releases, || Form::new(kind, spelling, releases));
    }

    fn rows<T>(&mut self, kind: FormKind, rows: &[Row<T>], value: &T) {
        for row in rows.iter().filter(|row| (row.is_in)(value)) {
            self.add_since(kind, (row.spelling, row.since));
        }
    }

    fn module(&mut self, module: &Module) {
        for global in module.globals.values() {
            self.owner = Some(global.name);
            self.rows(FormKind::GlobalAttribute, GLOBALS, &global.attributes);
        }
        for function in module.functions.values() {
            self.owner = Some(function.name);
            self.rows(FormKind::FunctionAttribute, FUNCTIONS, &function.attributes);
            self.ty(function.ty.ty());
            if let Some(body) = &function.body {
                self.body(body);
            }
        }
        self.tables(module);
    }

    fn tables(&mut self, module: &Module) {
        for table in module.vtables.values() {
            self.owner = Some(match table.class {
                ClassRef::Name(name) => name,
                ClassRef::Type(ty) => Symbol::new(&ty.to_string()),
            });
            if !table.conformances.is_empty() {
                self.add_since(FormKind::Table, CONFORMANCES);
            }
            for entry in &table.entries {
                self.declaration(entry.method);
                entry.formal.into_iter().for_each(|ty| self.ty(ty));
            }
        }
        for table in module.witness_tables.values().chain(module.default_witness_tables.values()) {
            self.owner = None;
            if table.attributes.is_specialized {
                self.add_since(FormKind::Table, SPECIALIZED_TABLE);
            }
            for entry in table.entries.iter().flatten() {
                if let WitnessEntry::Method(requirement, formal, _) = entry {
                    self.declaration(*requirement);
                    formal.iter().for_each(|&ty| self.ty(ty));
                }
            }
        }
        for deinit in module.deinits.iter().filter(|deinit| deinit.nominal().is_none()) {
            self.owner = Some(deinit.function);
            self.add_since(FormKind::Table, SPECIALIZED_DEINIT);
        }
    }

    fn body(&mut self, body: &Body) {
        for inst in body.insts() {
            let info = body.info(inst);
            if info.releases != Releases::ALL {
                self.add(info.releases, || {
                    Form::new(FormKind::Instruction, instruction(info), info.releases)
                });
            }
            let flags = body.inst(inst).flags;
            for &(bit, since) in info.newer_flags.iter().filter(|(bit, _)| flags & 1 << bit != 0) {
                self.add(Releases::since(since), || flag(info, bit, since));
            }
            match info.opcode {
                Opcode::Builtin => self.builtin(body, inst),
                Opcode::AssignOrInit if is_local(body, inst) => self.add_since(FormKind::Flag, LOCAL),
                _ => {}
            }
            for &(opcode, attribute, word, since) in KEYWORDS.iter().filter(|row| row.0 == info.opcode) {
                if body.keyword(inst, attribute) == Some(word) {
                    self.add(Releases::since(since), || forms::keyword(opcode, word, since));
                }
            }
            for (attr, &word) in info.attrs.iter().zip(body.words(inst)) {
                self.word(body, attr.kind, word);
            }
            for value in body.results(inst) {
                self.ty(body.value(value).ty.ty());
            }
        }
    }

    fn builtin(&mut self, body: &Body, inst: Inst) {
        let Some(builtin) = silkit_ir::ownership::builtin(body, inst) else { return };
        if builtin.releases != Releases::ALL {
            self.add(builtin.releases, || Form::new(FormKind::Builtin, builtin.name, builtin.releases));
        }
    }

    fn word(&mut self, body: &Body, kind: AttrKind, word: u32) {
        if word == NONE {
            return;
        }
        match kind {
            AttrKind::SilType | AttrKind::OptSilType => self.ty(SilType::from_u32(word).ty()),
            AttrKind::Type | AttrKind::OptType => self.ty(Type::from_u32(word)),
            AttrKind::ListType => body.list(word).iter().for_each(|&word| self.ty(Type::from_u32(word))),
            AttrKind::Decl => self.declaration(DeclRef::from_u32(word)),
            AttrKind::DebugVar if DebugVarData::of(Interned::from_u32(word)).transform.is_some() => {
                self.add_since(FormKind::DebugVariable, TRANSFORM);
            }
            _ => {}
        }
    }

    fn declaration(&mut self, declaration: DeclRef) {
        for kind in &declaration.data().kinds {
            if let Some(&row) = ACCESSORS.iter().find(|(name, _)| *kind == *name) {
                self.add_since(FormKind::Accessor, row);
            }
        }
    }

    /// Scans a type and its parts that were not scanned yet.
    fn ty(&mut self, ty: Type) {
        if !self.types.insert(ty) {
            return;
        }
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            self.rows(FormKind::Type, TYPES, ty.kind());
            ty.kind().for_each_part(&mut |part| {
                if self.types.insert(part) {
                    pending.push(part);
                }
            });
        }
    }
}
