//! The linked modules of a program.

use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{ClassRef, Function, FunctionId, Global, GlobalId, Module, ThunkKind, VTable, VTableId};
use silkit_layout::{ModuleId, ModuleInfo, Nominal, Target, World};
use silkit_text::decl::{Dialect, parse_decls};
use silkit_types::decl::DeclTable;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Declarations of the C types that the library imports, in Swift.
const SHIMS: &str = include_str!("shims.swift");

/// Runtime functions that are implemented in SIL because they yield.
const COROUTINES: &str = include_str!("shims.sil");

/// A module with an index of its symbols. Several programs can share it.
pub struct ProgramModule {
    /// The SIL and the declarations of the module.
    pub info: Arc<ModuleInfo>,
    functions: FxHashMap<Symbol, FunctionId>,
    globals: FxHashMap<Symbol, u32>,
    bodies: Option<Arc<Bodies>>,
}

/// Reads a function with its body.
pub type ReadFunction = Box<dyn Fn(FunctionId) -> Option<Function> + Send + Sync>;

/// The functions of a module, whose bodies are read at their first use.
struct Bodies {
    read: ReadFunction,
    known: Vec<OnceLock<Function>>,
}

impl fmt::Debug for ProgramModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProgramModule").field(&self.info.name).finish()
    }
}

impl ProgramModule {
    /// Indexes a module. `name` is the name of the Swift module.
    pub fn new(name: &str, module: Module) -> Self {
        let text = module.swift_text();
        let mut decls = parse_decls(&text, 0..text.len(), Dialect::Sil).table;
        decls.follow_aliases();
        let functions =
            module.functions.iter().filter(|(_, f)| f.body.is_some()).map(|(id, f)| (f.name, id)).collect();
        let globals = module.globals.values().enumerate().map(|(i, g)| (g.name, i as u32)).collect();
        let info = ModuleInfo { name: Symbol::new(name), sil: Arc::new(module), decls, text };
        Self { info: Arc::new(info), functions, globals, bodies: None }
    }

    /// Indexes a module whose functions have empty bodies. `read` returns a function with its body at the function's
    /// first use.
    pub fn with_bodies(name: &str, module: Module, read: ReadFunction) -> Self {
        let known = std::iter::repeat_with(OnceLock::new).take(module.functions.len()).collect();
        let mut linked = Self::new(name, module);
        linked.bodies = Some(Arc::new(Bodies { read, known }));
        linked
    }

    /// Returns true if the module declares a type with this name.
    pub fn declares(&self, name: Symbol) -> bool {
        self.info.decls.get(name).is_some_and(|e| e.nominal.is_some() || e.alias.is_some())
    }

    /// Returns a function with its body.
    pub fn function(&self, id: FunctionId) -> &Function {
        let header = &self.info.sil.functions[id];
        let known = self.bodies.as_ref().and_then(|b| Some((b, b.known.get(id.as_u32() as usize)?)));
        match known {
            Some((bodies, known)) if header.body.is_some() => known.get_or_init(|| {
                (bodies.read)(id).unwrap_or_else(|| Function { body: None, ..header.clone() })
            }),
            _ => header,
        }
    }

    /// Returns the module with declarations of its local types, and a module for each function that declares local
    /// types of a name that is not unique. Returns nothing if the module has no local types.
    fn with_local_types(&self, libraries: &[Arc<ProgramModule>]) -> Vec<Self> {
        // A local type hides the type of its name in a library.
        let local = crate::local_names::local_types(&self.info.sil);
        let is_known = |own: &DeclTable, name: Symbol| {
            let declares =
                |decls: &DeclTable| decls.get(name).is_some_and(|e| e.nominal.is_some() || e.alias.is_some());
            declares(own) || !local.contains(&name) && libraries.iter().any(|l| declares(&l.info.decls))
        };
        let none = DeclTable::default();
        let is_global = |name| self.info.decls.get(name).is_some_and(|e| e.nominal.is_some());
        let divided = crate::local_contexts::divided(&self.info.sil, &is_global);
        let Some(mut division) = divided else {
            let added = crate::local_types::declarations(
                &self.info.sil,
                &self.info.decls,
                &|name| is_known(&none, name),
                &|_| true,
            );
            return if added.is_empty() { Vec::new() } else { vec![self.declaring(&added)] };
        };
        let added = crate::local_types::declarations(
            &division.rest,
            &self.info.decls,
            &|name| is_known(&none, name) || division.declares(name, None),
            &|f| division.contexts.iter().all(|context| !context.contains(f)),
        );
        let rest = std::mem::take(&mut division.rest);
        let contexts = std::mem::take(&mut division.contexts);
        let own = Self { bodies: self.bodies.clone(), ..Self::new(self.info.name.as_str(), rest) };
        let own = own.declaring(&added);
        let mut all = Vec::with_capacity(contexts.len() + 1);
        for (at, part) in contexts.into_iter().enumerate() {
            let name = format!("{}.{}", self.info.name, part.name);
            let added = crate::local_types::declarations(
                &part.module,
                &none,
                &|name| {
                    let is_elsewhere = is_known(&own.info.decls, name) || division.declares(name, Some(at));
                    is_elsewhere && !division.shadows(name, at)
                },
                &|f| part.contains(f),
            );
            let module = Module { swift: Vec::new(), ..part.module };
            let module = Self { globals: FxHashMap::default(), ..Self::new(&name, module) };
            all.push(module.declaring(&added));
        }
        all.insert(0, own);
        all
    }

    /// Returns the module with more declarations.
    fn declaring(&self, added: &str) -> Self {
        let text = format!("{}\n{added}", self.info.text);
        let mut decls = parse_decls(&text, 0..text.len(), Dialect::Sil).table;
        decls.follow_aliases();
        let info = ModuleInfo { name: self.info.name, sil: self.info.sil.clone(), decls, text };
        Self {
            info: Arc::new(info),
            functions: self.functions.clone(),
            globals: self.globals.clone(),
            bodies: self.bodies.clone(),
        }
    }

    /// Guesses the name of the Swift module of SIL from its witness tables and symbols.
    pub fn guess_name(module: &Module) -> Option<String> {
        use silkit_ir::{Conformance, WitnessTableOf};
        let mut names: FxHashMap<Symbol, usize> = FxHashMap::default();
        for table in module.witness_tables.values() {
            if let WitnessTableOf::Conformance(Conformance::Normal { module, .. }) = &table.of
                && table.entries.is_some()
            {
                *names.entry(*module).or_default() += 1;
            }
        }
        // The symbol of a reabstraction thunk begins with any type: `$s7ElementSTQz…` converts `τ_0_0.Element`.
        let is_thunk = |f: &Function| f.attributes.thunk == Some(ThunkKind::Reabstraction);
        let is_own = |f: &&Function| f.body.is_some() && !f.linkage.is_external() && !is_thunk(f);
        let declared = module.functions.values().filter(is_own);
        for name in declared.filter_map(|f| module_of_symbol(f.name.as_str())) {
            *names.entry(Symbol::new(name)).or_default() += 1;
        }
        let most = names.into_iter().filter(|(name, _)| *name != "Swift" || is_library(module));
        most.max_by_key(|(name, count)| (*count, std::cmp::Reverse(name.as_str())))
            .map(|(name, _)| name.to_string())
    }
}

/// Returns true if SIL is the standard library, which does not import itself.
fn is_library(module: &Module) -> bool {
    module
        .swift
        .iter()
        .any(|s| s.text.contains("struct Int :") || s.text.contains("protocol _ArrayBufferProtocol"))
}

/// Returns the module in a mangled name: `main` of `$s4main3fooyyF`.
pub(crate) fn module_of_symbol(symbol: &str) -> Option<&str> {
    let rest = silkit_ir::without_mangling_prefix(symbol)?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let len: usize = rest.get(..digits)?.parse().ok()?;
    rest.get(digits..digits + len)
}

/// A function of a program: its module and its number in that module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionRef {
    /// The module.
    pub module: ModuleId,
    /// The function.
    pub function: FunctionId,
}

/// The declarations of the standard library that SIL needs without it: weak references, casts and failable initializers
/// are optional.
const CORE: &str = "@frozen enum Optional<Wrapped> where Wrapped : ~Copyable, Wrapped : ~Escapable {
  case none
  case some(Wrapped)
}";

/// A linked program: its modules, of which the first is the module of the program itself.
pub struct Program {
    /// The declarations of the modules.
    pub world: World,
    modules: Vec<Arc<ProgramModule>>,
    vtables: FxHashMap<Nominal, (ModuleId, u32)>,
    deinits: FxHashMap<Nominal, Symbol>,
    replacements: FxHashMap<Symbol, Symbol>,
    /// The names in the object file of functions and globals that SIL calls otherwise.
    object_names: FxHashMap<Symbol, Symbol>,
    default_tables: FxHashMap<Nominal, (ModuleId, u32)>,
    /// Functions that replace others.
    patches: FxHashMap<FunctionRef, Function>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("modules", &self.modules).finish_non_exhaustive()
    }
}

impl Program {
    /// Links modules. The first is the module of the program itself.
    pub fn link(modules: Vec<Arc<ProgramModule>>) -> Self {
        let mut modules = modules;
        modules.extend(shims());
        if !modules.iter().skip(1).any(|module| module.info.name == "Swift") {
            let core = ProgramModule::new("Swift", Module::default()).declaring(CORE);
            modules.push(Arc::new(core));
        }
        if let Some((own, libraries)) = modules.split_first() {
            let mut parts = own.with_local_types(libraries).into_iter().map(Arc::new);
            if let Some(own) = parts.next() {
                modules[0] = own;
                modules.extend(parts);
            }
        }
        let world = World::new(modules.iter().map(|m| m.info.clone()).collect(), Target::X86_64_LINUX);
        let mut program = Self {
            world,
            modules,
            vtables: FxHashMap::default(),
            deinits: FxHashMap::default(),
            replacements: FxHashMap::default(),
            object_names: FxHashMap::default(),
            default_tables: FxHashMap::default(),
            patches: FxHashMap::default(),
        };
        for number in 0..program.modules.len() as u32 {
            program.collect(ModuleId(number));
        }
        program
    }

    fn collect(&mut self, id: ModuleId) {
        let sil = self.modules[id.0 as usize].info.sil.clone();
        for (index, table) in sil.vtables.values().enumerate() {
            if let Some(path) = class_path(table)
                && let Some(nominal) = self.nominal_named(id, path)
            {
                self.vtables.entry(nominal).or_insert((id, index as u32));
            }
        }
        for (index, table) in sil.default_witness_tables.values().enumerate() {
            if let silkit_ir::WitnessTableOf::Protocol(ty) = &table.of
                && let Some(nominal) = self.nominal_named(id, Symbol::new(&ty.to_string()))
            {
                self.default_tables.entry(nominal).or_insert((id, index as u32));
            }
        }
        for deinit in &sil.deinits {
            let nominal = deinit.nominal().and_then(|name| self.nominal_named(id, name));
            if let Some(nominal) = nominal {
                self.deinits.entry(nominal).or_insert(deinit.function);
            }
        }
        for function in sil.functions.values() {
            if let Some(original) =
                function.attributes.dynamic_replacement_for.filter(|_| function.body.is_some())
            {
                self.replacements.insert(original, function.name);
            }
            self.object_names.extend(function.attributes.asmname.map(|name| (function.name, name)));
        }
        let globals = sil.globals.values();
        self.object_names
            .extend(globals.filter_map(|global| Some((global.name, global.attributes.asmname?))));
    }

    /// Returns the name in the object file of a function or a global. Since Swift 6.3, SIL calls a C function by a
    /// mangled name, and its attribute `[asmname]` has the name that the runtime and other modules define.
    pub fn object_name(&self, symbol: Symbol) -> Symbol {
        self.object_names.get(&symbol).copied().unwrap_or(symbol)
    }

    /// Returns the declared type with a dotted path, as a table spells it.
    pub fn nominal_named(&self, from: ModuleId, path: Symbol) -> Option<Nominal> {
        self.world.find_nominal(from, path).or_else(|| {
            let (module, rest) = path.as_str().split_once('.')?;
            let module = self.world.module_named(Symbol::new(module))?;
            self.world.find_nominal(module, Symbol::new(rest))
        })
    }

    /// Returns a module.
    pub fn module(&self, id: ModuleId) -> &ProgramModule {
        &self.modules[id.0 as usize]
    }

    /// Returns the function with a body and this symbol, or with its name in the object file.
    pub fn find(&self, symbol: Symbol) -> Option<FunctionRef> {
        self.defined(symbol).or_else(|| {
            let name = self.object_name(symbol);
            (name != symbol).then(|| self.defined(name))?
        })
    }

    fn defined(&self, symbol: Symbol) -> Option<FunctionRef> {
        self.modules.iter().enumerate().find_map(|(i, m)| {
            let function = *m.functions.get(&symbol)?;
            Some(FunctionRef { module: ModuleId(i as u32), function })
        })
    }

    /// Returns a function.
    pub fn function(&self, at: FunctionRef) -> &Function {
        if !self.patches.is_empty()
            && let Some(patch) = self.patches.get(&at)
        {
            return patch;
        }
        self.module(at.module).function(at.function)
    }

    /// Replaces a function by another one with the same header.
    pub fn patch(&mut self, at: FunctionRef, function: Function) {
        self.patches.insert(at, function);
    }

    /// Removes the replacements of functions.
    pub fn remove_patches(&mut self) {
        self.patches.clear();
    }

    /// Returns the declaration of a function that no module defines.
    pub fn declaration(&self, symbol: Symbol) -> Option<&Function> {
        let of = |m: &Arc<ProgramModule>| m.info.sil.functions.values().position(|f| f.name == symbol);
        let (module, at) = self.modules.iter().find_map(|m| Some((m, of(m)?)))?;
        module.info.sil.functions.values().nth(at)
    }

    /// Returns the function that replaces a dynamically replaceable one.
    pub fn replacement(&self, symbol: Symbol) -> Option<Symbol> {
        self.replacements.get(&symbol).copied()
    }

    /// Returns a global variable, preferably one with an initializer.
    pub fn global(&self, name: Symbol) -> Option<(ModuleId, &Global)> {
        let found = self.modules.iter().enumerate().filter_map(|(i, m)| {
            let at = *m.globals.get(&name)?;
            Some((ModuleId(i as u32), &m.info.sil.globals[GlobalId::from_u32(at)]))
        });
        let all: Vec<_> = found.collect();
        let initialized = all.iter().find(|(_, g)| g.initializer.is_some()).copied();
        let elsewhere = || {
            let other = self.object_name(name);
            (other != name).then(|| self.global(other))?
        };
        initialized.or_else(elsewhere).or(all.first().copied())
    }

    /// Returns the vtable of a class.
    pub fn vtable(&self, class: Nominal) -> Option<(ModuleId, &VTable)> {
        let (module, at) = *self.vtables.get(&class)?;
        Some((module, &self.module(module).info.sil.vtables[VTableId::from_u32(at)]))
    }

    /// Returns the deinit of a move-only type.
    pub fn deinit(&self, nominal: Nominal) -> Option<Symbol> {
        self.deinits.get(&nominal).copied()
    }
}

/// Returns the dotted path of the class of a vtable. The header of a vtable has only the last name of the path, but the
/// entry of the deinit has the complete path.
fn class_path(table: &VTable) -> Option<Symbol> {
    let ClassRef::Name(name) = &table.class else { return None };
    let own = table.entries.iter().filter_map(|e| e.method.data().path.split_last().map(|(_, path)| path));
    let path = { own }.rfind(|path| path.last() == Some(name));
    Some(path.map_or(*name, |path| {
        let names: Vec<&str> = path.iter().map(|n| n.as_str()).collect();
        Symbol::new(&names.join("."))
    }))
}

fn shims() -> [Arc<ProgramModule>; 2] {
    let mut decls = parse_decls(SHIMS, 0..SHIMS.len(), Dialect::Sil).table;
    decls.follow_aliases();
    let info = ModuleInfo {
        name: Symbol::new("__C"),
        sil: Arc::new(Module::default()),
        decls,
        text: SHIMS.to_owned(),
    };
    let types = ProgramModule {
        info: Arc::new(info),
        functions: FxHashMap::default(),
        globals: FxHashMap::default(),
        bodies: None,
    };
    let coroutines = ProgramModule::new("__Runtime", silkit_text::parse_module(COROUTINES).module);
    [Arc::new(types), Arc::new(coroutines)]
}
