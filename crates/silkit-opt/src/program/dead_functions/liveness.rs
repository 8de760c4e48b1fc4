//! Liveness of functions and tables of a program.

use silkit_analysis::ProgramView;
use silkit_analysis::calls::Visibility;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::instructions::{ClassMethod, SuperMethod, WitnessMethod};
use silkit_ir::{
    Body, DeclRef, Function, FunctionFlags, GlobalId, KeyPathComponent, Linkage, Module, Opcode, VTableEntry,
    WitnessEntry, references,
};
use silkit_types::Convention;

/// The live functions and global variables.
pub(super) struct Liveness<'a> {
    module: &'a Module,
    alive: FxHashSet<Symbol>,
    /// The functions whose bodies are to be visited.
    work: Vec<Symbol>,
    /// The implementations of methods without known live callers.
    waiting: FxHashMap<DeclRef, Vec<Symbol>>,
}

impl<'a> Liveness<'a> {
    /// Computes the live entities of a program.
    pub(super) fn of(program: &ProgramView<'a>) -> Self {
        let module = program.module;
        let mut this =
            Self { module, alive: FxHashSet::default(), work: Vec::new(), waiting: FxHashMap::default() };
        this.functions(program.is_whole_module());
        this.tables(program.visibility());
        for id in module.globals.keys() {
            this.global(id, program.is_whole_module());
        }
        while let Some(name) = this.work.pop() {
            this.spread(name);
        }
        this
    }

    /// Returns true if an entity with this name is live.
    pub(super) fn contains(&self, name: Symbol) -> bool {
        self.alive.contains(&name)
    }

    fn mark(&mut self, name: Symbol) {
        if self.alive.insert(name) {
            self.work.push(name);
        }
    }

    fn functions(&mut self, is_whole_module: bool) {
        for function in self.module.functions.values() {
            if is_anchor(function, is_whole_module) {
                self.mark(function.name);
            }
        }
    }

    fn global(&mut self, id: GlobalId, is_whole_module: bool) {
        let global = &self.module.globals[id];
        let is_defined_elsewhere = !is_internal(global.linkage, is_whole_module);
        if is_defined_elsewhere {
            self.mark(global.name);
        }
    }

    /// Marks the entries of tables. Implementations of methods whose callers are all known wait for a live caller.
    fn tables(&mut self, visibility: Visibility<'_>) {
        let module = self.module;
        for table in module.vtables.values() {
            for entry in &table.entries {
                self.method(entry.method, entry.function, is_always_called(entry), visibility);
            }
        }
        for table in module.witness_tables.values().chain(module.default_witness_tables.values()) {
            for entry in table.entries.iter().flatten() {
                if let WitnessEntry::Method(requirement, _, Some(function)) = *entry {
                    self.method(requirement, function, false, visibility);
                }
            }
        }
        module.default_override_tables.iter().flat_map(|t| &t.entries).for_each(|entry| self.mark(entry.3));
        for witness in &module.differentiability_witnesses {
            self.mark(witness.function);
            witness.derivatives.iter().flatten().for_each(|derivative| self.mark(derivative.1));
        }
        for component in module.properties.iter().filter_map(|property| property.component.as_ref()) {
            self.component(component);
        }
        module.deinits.iter().for_each(|deinit| self.mark(deinit.function));
    }

    fn method(&mut self, method: DeclRef, function: Symbol, is_called: bool, visibility: Visibility<'_>) {
        if is_called || visibility.may_be_called_elsewhere(method) {
            self.mark(function);
        } else {
            self.waiting.entry(method).or_default().push(function);
        }
    }

    fn component(&mut self, component: &KeyPathComponent) {
        references::of_component(component, &mut |name| self.mark(name));
        if let KeyPathComponent::Computed { id: silkit_ir::KeyPathId::Method(method, ..), .. } = component {
            self.call(*method);
        }
    }

    /// Marks the implementations of a called method.
    fn call(&mut self, method: DeclRef) {
        for function in self.waiting.remove(&method).unwrap_or_default() {
            self.mark(function);
        }
    }

    /// Marks the references of a live entity.
    fn spread(&mut self, name: Symbol) {
        let module = self.module;
        if let Some(function) = module.functions.by_key(&name) {
            references::of_header(function, &mut |name| self.mark(name));
            function.body.iter().for_each(|body| self.body(body));
        }
        if let Some(body) = module.globals.by_key(&name).and_then(|global| global.initializer.as_ref()) {
            self.body(body);
        }
    }

    fn body(&mut self, body: &Body) {
        for inst in body.insts() {
            references::of_inst(body, inst, &mut |name| self.mark(name));
            let method = match body.inst(inst).opcode {
                Opcode::ClassMethod => body.view_as::<ClassMethod>(inst).map(|lookup| lookup.member),
                Opcode::SuperMethod => body.view_as::<SuperMethod>(inst).map(|lookup| lookup.member),
                Opcode::WitnessMethod => body.view_as::<WitnessMethod>(inst).map(|lookup| lookup.member),
                Opcode::KeyPath => {
                    self.key_path(body, inst);
                    None
                }
                _ => None,
            };
            method.into_iter().for_each(|method| self.call(method));
        }
    }

    fn key_path(&mut self, body: &Body, inst: silkit_ir::Inst) {
        let Some(pattern) = body.view_as::<silkit_ir::instructions::KeyPath<'_>>(inst) else { return };
        for component in &silkit_ir::KeyPathData::of(pattern.pattern).components {
            self.component(component);
        }
    }
}

/// Returns true if an entity with this linkage cannot be referenced in another file or module.
fn is_internal(linkage: Linkage, is_whole_module: bool) -> bool {
    match linkage {
        Linkage::Private | Linkage::Shared => true,
        Linkage::Hidden => is_whole_module,
        Linkage::PublicExternal
        | Linkage::PackageExternal
        | Linkage::HiddenExternal
        | Linkage::SharedExternal => true,
        Linkage::Default | Linkage::Public | Linkage::PublicNonAbi => false,
        Linkage::Package | Linkage::PackageNonAbi => false,
    }
}

/// Returns true if a function is live even without references.
fn is_anchor(function: &Function, is_whole_module: bool) -> bool {
    let is_declared_elsewhere = function.body.is_none() && function.linkage == Linkage::Default;
    let is_objc = function.ty.ty().as_function().is_some_and(|ty| ty.convention == Convention::ObjCMethod);
    (!is_declared_elsewhere && !is_internal(function.linkage, is_whole_module))
        || is_objc
        || function.has(FunctionFlags::DYNAMICALLY_REPLACEABLE)
        // Kept for debuggers.
        || (function.body.is_some() && !function.is_optimized())
        || function.attributes.specializations.iter().any(|specialization| specialization.is_exported)
        || function.attributes.dynamic_replacement_for.is_some()
        || function.attributes.ref_adhoc_requirement_witness.is_some()
}

/// Returns true if the runtime calls a method.
fn is_always_called(entry: &VTableEntry) -> bool {
    let kinds = &entry.method.data().kinds;
    kinds.iter().any(|kind| matches!(kind.as_str(), "deallocator" | "isolateddeallocator" | "ivardestroyer"))
}
