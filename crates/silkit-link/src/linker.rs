//! Linking: loads the bodies of functions that a module references from a library.
//!
//! ```text
//! sil shared @shared : $@convention(thin) () -> ()
//! ---
//! sil shared [canonical] [ossa] @shared : $@convention(thin) () -> () {
//! ```
//!
//! The functions that a loaded body references are linked in turn.

use crate::library::{self, LibrarySource};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::instructions as inst;
use silkit_ir::{
    Body, ClassRef, Conformance, DeclRef, FunctionId, Inst, Linkage, Module, Opcode, VTable, WitnessEntry,
    WitnessTable, WitnessTableOf, references,
};
use silkit_types::decl::Declarations;
use silkit_types::{RequirementKind, SilType, Substitution, Type, TypeKind};

/// The functions to link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Functions that the module must emit itself, since no other module does.
    Needed,
    /// All reachable functions with a body.
    All,
}

/// Links the functions of a module. Returns the number of loaded bodies.
pub fn link(
    module: &mut Module,
    declarations: &Declarations,
    library: &dyn LibrarySource,
    mode: Mode,
) -> usize {
    let mut linker = Linker::new(module, declarations, library, mode);
    let all: Vec<FunctionId> = linker.module.functions.keys().collect();
    for id in all {
        match linker.module.functions[id].body {
            Some(_) => linker.work.push(id),
            None => linker.function(linker.module.functions[id].name),
        }
        linker.finish();
    }
    linker.count
}

/// Loads the body of a function from a library, with the functions that the module must emit for it. Returns its id.
pub fn load(
    module: &mut Module,
    declarations: &Declarations,
    library: &dyn LibrarySource,
    name: Symbol,
) -> Option<FunctionId> {
    let id = library::load(module, declarations, library, name)?;
    let mut linker = Linker::new(module, declarations, library, Mode::Needed);
    linker.work.push(id);
    linker.finish();
    Some(id)
}

/// Links the witness tables of the module in which function passes look up callees: for each call of a method of a type that
/// is known, all methods of the table, with the functions that the module must emit for them. Returns true if a body was
/// loaded.
///
/// ```text
///   %1 = witness_method $Int, #Equatable."==" : …
///   %2 = apply %1<Int>(%3, %4, %5) : …
/// sil_witness_table public_external Int: Equatable module Swift {
///   method #Equatable."==": … : @equal
/// }
/// sil hidden_external [serialized] @equal : …
/// ---
/// sil shared [serialized] [ossa] @equal : … {
/// ```
pub fn link_witnesses(module: &mut Module, declarations: &Declarations, library: &dyn LibrarySource) -> bool {
    let mut called: Vec<(Symbol, Symbol)> = Vec::new();
    let mut seen: FxHashSet<(SilType, DeclRef)> = FxHashSet::default();
    for body in module.functions.values().filter_map(|function| function.body.as_ref()) {
        for inst in body.insts() {
            let site = ApplySite::new(body, inst, Addresses::default()).filter(ApplySite::is_full);
            let lookup = site.and_then(|site| body.def_as::<inst::WitnessMethod>(site.callee()));
            if let Some(lookup) = lookup
                && seen.insert((lookup.lookup, lookup.member))
            {
                called.extend(conformance_of_lookup(declarations, lookup));
            }
        }
    }
    if called.is_empty() {
        return false;
    }
    let mut linker = Linker::new(module, declarations, library, Mode::Needed);
    for conformance in called {
        linker.witnesses(conformance);
    }
    linker.finish();
    linker.count > 0
}

/// Returns the paths of the type and the protocol of a method lookup; `None` if the type is not known.
pub fn conformance_of_lookup(
    declarations: &Declarations,
    lookup: inst::WitnessMethod,
) -> Option<(Symbol, Symbol)> {
    let ty = lookup.lookup.ty();
    let TypeKind::Named(_) = ty.kind() else { return None };
    let protocol = lookup.member.owner_path()?;
    let protocol = declarations.path_of(Type::nominal(protocol.as_str())).unwrap_or(protocol);
    Some((declarations.path_of(ty)?, protocol))
}

/// Loads the witness table of a conformance from a library, by the paths of type and protocol, with all functions
/// reachable from it. Returns true if the module did not have it.
pub fn load_witness_table(
    module: &mut Module,
    declarations: &Declarations,
    library: &dyn LibrarySource,
    (ty, protocol): (Symbol, Symbol),
) -> bool {
    if !library::load_witness_table(module, library, ty, protocol) {
        return false;
    }
    let Some(table) = library.witness_table(ty, protocol) else { return true };
    let methods: Vec<Symbol> = methods(&table).collect();
    let mut linker = Linker::new(module, declarations, library, Mode::All);
    methods.into_iter().for_each(|method| linker.function(method));
    linker.finish();
    true
}

struct Linker<'a> {
    module: &'a mut Module,
    declarations: &'a Declarations,
    library: &'a dyn LibrarySource,
    mode: Mode,
    /// Functions whose bodies are to be visited.
    work: Vec<FunctionId>,
    /// The visited conformances, as paths of type and protocol.
    seen: FxHashSet<(Symbol, Symbol)>,
    classes: FxHashSet<Symbol>,
    /// The methods in the module's own witness tables.
    tables: Option<FxHashMap<(Symbol, Symbol), Vec<Symbol>>>,
    count: usize,
}

/// An entity that a body depends on.
enum Dependency {
    Function(Symbol),
    Conformance(Type, Type),
    Class(Type),
}

impl<'a> Linker<'a> {
    fn new(
        module: &'a mut Module,
        declarations: &'a Declarations,
        library: &'a dyn LibrarySource,
        mode: Mode,
    ) -> Self {
        let (seen, classes) = (FxHashSet::default(), FxHashSet::default());
        Self { module, declarations, library, mode, work: Vec::new(), seen, classes, tables: None, count: 0 }
    }

    /// Links the references of all functions that have not been visited.
    fn finish(&mut self) {
        while let Some(id) = self.work.pop() {
            self.body(id);
        }
    }

    /// Loads the body of a function from the library if it is needed.
    fn function(&mut self, name: Symbol) {
        let known = self.module.functions.by_key(&name);
        let is_needed = match (self.mode, known) {
            (_, Some(function)) if function.body.is_some() => false,
            (Mode::All, _) => true,
            (Mode::Needed, Some(function)) => matches!(
                function.linkage,
                Linkage::Shared
                    | Linkage::SharedExternal
                    | Linkage::HiddenExternal
                    | Linkage::PackageExternal
            ),
            (Mode::Needed, None) => false,
        };
        if is_needed && let Some(id) = library::load(self.module, self.declarations, self.library, name) {
            self.count += 1;
            self.work.push(id);
        }
    }

    fn body(&mut self, id: FunctionId) {
        let mut needs = Vec::new();
        if let Some(body) = &self.module.functions[id].body {
            for inst in body.insts() {
                self.needs(body, inst, &mut needs);
            }
        }
        for need in needs {
            match need {
                Dependency::Function(name) => self.function(name),
                Dependency::Conformance(ty, protocol) => self.conformance(ty, protocol),
                Dependency::Class(ty) => self.class(ty),
            }
        }
    }

    fn needs(&self, body: &Body, inst: Inst, needs: &mut Vec<Dependency>) {
        references::of_inst(body, inst, &mut |name| needs.push(Dependency::Function(name)));
        if let Some(site) = ApplySite::new(body, inst, Addresses::default()) {
            self.substitutions(site, needs);
            return;
        }
        let opcode = body.inst(inst).opcode;
        let classes = self.mode == Mode::All;
        match opcode {
            Opcode::AllocRef if classes => {
                needs.extend(body.view_as::<inst::AllocRef<'_>>(inst).map(|a| Dependency::Class(a.ty.ty())));
            }
            Opcode::Metatype if classes => {
                let instance = |ty: SilType| match ty.ty().kind() {
                    TypeKind::Metatype(_, instance) => Some(*instance),
                    _ => None,
                };
                let ty = body.view_as::<inst::Metatype>(inst).and_then(|m| instance(m.ty));
                needs.extend(ty.map(Dependency::Class));
            }
            Opcode::InitExistentialAddr => {
                if let Some(init) = body.view_as::<inst::InitExistentialAddr>(inst) {
                    existential(init.concrete.ty(), body.value(init.operand).ty.ty(), needs);
                }
            }
            Opcode::InitExistentialValue => {
                if let Some(init) = body.view_as::<inst::InitExistentialValue>(inst) {
                    existential(init.concrete.ty(), init.ty.ty(), needs);
                }
            }
            Opcode::InitExistentialRef => {
                if let Some(init) = body.view_as::<inst::InitExistentialRef>(inst) {
                    existential(init.concrete.ty(), init.ty.ty(), needs);
                }
            }
            Opcode::AllocExistentialBox => {
                if let Some(alloc) = body.view_as::<inst::AllocExistentialBox>(inst) {
                    existential(alloc.concrete.ty(), alloc.ty.ty(), needs);
                }
            }
            _ => {}
        }
    }

    /// Adds the conformances in the substitutions of a call.
    fn substitutions(&self, site: ApplySite<'_>, needs: &mut Vec<Dependency>) {
        let Some(sig) = site.callee_type().ty().as_function().and_then(|ty| ty.sig) else { return };
        let args = site.substitutions();
        if args.len() != sig.data().params.len() {
            return;
        }
        let subst = Substitution { sig, args: &args };
        let member = |base: Type, name: Symbol| self.declarations.member_type(base, name);
        let bounds =
            sig.data().params.iter().zip(&args).filter_map(|(param, &arg)| Some((arg, param.bound?)));
        let bounds: Vec<(Type, Type)> = bounds.collect();
        let requirements = sig.data().requirements.iter().filter(|r| r.kind == RequirementKind::Conforms);
        let requirements = requirements.map(|r| (r.subject.substitute(subst, &member), r.constraint));
        for (ty, protocol) in bounds.into_iter().chain(requirements) {
            each_protocol(protocol, &mut |protocol| needs.push(Dependency::Conformance(ty, protocol)));
        }
    }

    /// Links the methods in the witness table of a conformance of this module.
    fn conformance(&mut self, ty: Type, protocol: Type) {
        let (Some(ty), Some(protocol)) = (self.declarations.path_of(ty), self.declarations.path_of(protocol))
        else {
            return;
        };
        self.witnesses((ty, protocol));
    }

    /// Links the methods in the witness table of a conformance of this module, by the paths of type and protocol.
    fn witnesses(&mut self, conformance: (Symbol, Symbol)) {
        if !self.seen.insert(conformance) {
            return;
        }
        let declarations = self.declarations;
        let module = &*self.module;
        let tables = self.tables.get_or_insert_with(|| methods_by_conformance(module, declarations));
        for function in tables.get(&conformance).cloned().unwrap_or_default() {
            self.function(function);
        }
    }

    /// Links the methods of a class and its superclasses.
    fn class(&mut self, ty: Type) {
        let mut at = Some(ty);
        // Bounds the walk, since invalid classes may inherit from each other.
        for _ in 0..64 {
            let Some(ty) = at else { return };
            let Some(path) = self.declarations.path_of(ty) else { return };
            if !self.classes.insert(path) {
                return;
            }
            let methods = |table: &VTable| table.entries.iter().map(|entry| entry.function).collect();
            let methods: Vec<Symbol> = match self.module.vtables.by_key(&ClassRef::Name(path)) {
                Some(own) => methods(own),
                None => self.library.vtable(path).map_or(Vec::new(), |table| methods(&table)),
            };
            methods.into_iter().for_each(|method| self.function(method));
            at = self.declarations.superclass(ty);
        }
    }
}

fn methods_by_conformance(
    module: &Module,
    declarations: &Declarations,
) -> FxHashMap<(Symbol, Symbol), Vec<Symbol>> {
    let mut tables = FxHashMap::default();
    for table in module.witness_tables.values() {
        let WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. }) = &table.of else {
            continue;
        };
        let methods: Vec<Symbol> = methods(table).collect();
        if let (Some(ty), Some(protocol)) = (declarations.path_of(*ty), declarations.path_of(*protocol)) {
            tables.insert((ty, protocol), methods);
        }
    }
    tables
}

/// Returns the functions in a witness table.
fn methods(table: &WitnessTable) -> impl Iterator<Item = Symbol> + '_ {
    table.entries.iter().flatten().filter_map(|entry| match entry {
        WitnessEntry::Method(_, _, function) => *function,
        _ => None,
    })
}

/// Adds the conformances that are needed to put a type into an existential.
fn existential(concrete: Type, existential: Type, needs: &mut Vec<Dependency>) {
    each_protocol(existential, &mut |protocol| needs.push(Dependency::Conformance(concrete, protocol)));
}

fn each_protocol(ty: Type, f: &mut dyn FnMut(Type)) {
    match ty.kind() {
        TypeKind::Any(inner) | TypeKind::Paren(inner) => each_protocol(*inner, f),
        TypeKind::Composition(parts) => parts.iter().for_each(|&part| each_protocol(part, f)),
        TypeKind::Named(_) => f(ty),
        _ => {}
    }
}
