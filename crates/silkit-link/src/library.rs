//! Libraries: declarations and bodies of other modules that passes load into the module.

use silkit_base::{FxHashSet, Symbol};
use silkit_ir::effects::FunctionEffects;
use silkit_ir::{
    Body, ClassRef, Conformance, Function, FunctionFlags, FunctionId, Global, Inst, Linkage, LocData, Module,
    NONE, Serialized, SourceLoc, VTable, WitnessEntry, WitnessTable, WitnessTableOf, references,
};
use silkit_types::decl::Declarations;
use std::sync::Arc;

/// Declarations and bodies of other modules, read on demand.
pub trait LibrarySource: Sync {
    /// Returns a function without its body; [`Function::body`] is an empty body if it has one.
    fn header(&self, name: Symbol) -> Option<Function>;

    /// Returns true if there is a function with a body.
    fn has_body(&self, name: Symbol) -> bool {
        self.header(name).is_some_and(|function| function.body.is_some())
    }

    /// Returns a function with its body.
    fn function(&self, name: Symbol) -> Option<Function>;

    /// Returns true if other modules may have a copy of the body of a function, as [`is_copyable`] says, given the
    /// declarations of such a module.
    fn is_copyable(&self, name: Symbol, declarations: &Declarations) -> bool {
        is_copyable(self, name, declarations)
    }

    /// Returns a global variable without its initializer.
    fn global(&self, name: Symbol) -> Option<Global>;

    /// Returns the witness table of a conformance, by [`WitnessTable::lookup_paths`].
    fn witness_table(&self, ty: Symbol, protocol: Symbol) -> Option<Arc<WitnessTable>>;

    /// Returns the vtable of a class, by the path of the class.
    fn vtable(&self, class: Symbol) -> Option<Arc<VTable>>;
}

/// A module as a library.
#[derive(Debug)]
pub struct ModuleLibrary<'a> {
    module: &'a Module,
    declarations: Declarations,
}

impl<'a> ModuleLibrary<'a> {
    /// Creates a library of the entities of a module with its declarations.
    pub fn new(module: &'a Module, declarations: Declarations) -> Self {
        Self { module, declarations }
    }
}

impl LibrarySource for ModuleLibrary<'_> {
    fn header(&self, name: Symbol) -> Option<Function> {
        let function = self.module.functions.by_key(&name)?;
        Some(Function { body: function.body.is_some().then(Body::default), ..function.header() })
    }

    fn function(&self, name: Symbol) -> Option<Function> {
        self.module.functions.by_key(&name).cloned()
    }

    fn global(&self, name: Symbol) -> Option<Global> {
        self.module.globals.by_key(&name).cloned()
    }

    fn witness_table(&self, ty: Symbol, protocol: Symbol) -> Option<Arc<WitnessTable>> {
        let path = |ty| self.declarations.path_of(ty);
        let is_wanted = |table: &&WitnessTable| match &table.of {
            WitnessTableOf::Conformance(Conformance::Normal { ty: own, protocol: of, .. }) => {
                path(*own) == Some(ty) && path(*of) == Some(protocol)
            }
            _ => false,
        };
        self.module.witness_tables.values().find(is_wanted).cloned().map(Arc::new)
    }

    fn vtable(&self, class: Symbol) -> Option<Arc<VTable>> {
        self.module.vtables.by_key(&ClassRef::Name(class)).cloned().map(Arc::new)
    }
}

/// Declares a function of a library in a module, unless the module has it. Returns its id; `None` if the library has
/// no such function.
pub fn declare(module: &mut Module, library: &dyn LibrarySource, name: Symbol) -> Option<FunctionId> {
    if let Some(known) = module.functions.find(&name) {
        return Some(known);
    }
    let mut function = library.header(name)?;
    let is_client_emitted = matches!(function.linkage, Linkage::PublicNonAbi | Linkage::Shared);
    function.body = None;
    function.linkage = if is_client_emitted { Linkage::HiddenExternal } else { Linkage::Default };
    function.attributes.flags.remove(FunctionFlags::OSSA | FunctionFlags::CANONICAL);
    serialize_as(module, &mut function.attributes.serialized);
    Some(module.functions.push(function))
}

/// Returns true if other modules may have a copy of the body of a function.
///
/// A compiled module carries the bodies that are serialized, and those that its clients emit themselves. A printed module
/// no longer says what was serialized. A public body is then used as far as it is valid elsewhere: types of a resilient
/// library, whose layout its clients do not know, have no object values there. `hidden` and `private` bodies are not used.
pub fn is_copyable<L: LibrarySource + ?Sized>(
    library: &L,
    name: Symbol,
    declarations: &Declarations,
) -> bool {
    let Some(header) = library.header(name).filter(|_| library.has_body(name)) else { return false };
    match header.linkage {
        Linkage::PublicNonAbi | Linkage::PackageNonAbi | Linkage::Shared | Linkage::SharedExternal => true,
        _ if header.attributes.serialized != Serialized::No => true,
        Linkage::Hidden | Linkage::HiddenExternal | Linkage::Private => false,
        _ => {
            library.function(name).is_some_and(|function| has_only_loadable_objects(&function, declarations))
        }
    }
}

/// Returns true if no object value of a body has a type that is address-only in the module with these declarations.
fn has_only_loadable_objects(function: &Function, declarations: &Declarations) -> bool {
    let Some(body) = &function.body else { return false };
    let sig = function.ty.ty().as_function().and_then(|ty| ty.sig);
    let results = body.insts().flat_map(|inst| body.results(inst));
    let values = results.chain(body.blocks().flat_map(|block| body.arguments(block)).copied());
    let mut seen = FxHashSet::default();
    let mut objects = values.map(|value| body.value(value).ty).filter(|ty| !ty.is_address());
    !objects.any(|ty| seen.insert(ty) && declarations.is_address_only(ty.ty(), sig) == Some(true))
}

/// Loads the body of a function from a library into a module, with declarations of the entities that it references.
/// Returns the id of the function; `None` if the library has no body that [`is_copyable`], or the module already has one.
///
/// Functions that clients emit themselves (`non_abi`, `shared`) become `shared`, other functions become
/// `public_external`. In a module that was serialized, nothing is:
///
/// ```text
/// sil hidden_external [serialized] @f : $@convention(thin) () -> ()
/// ---
/// sil shared [serialized] [ossa] @f : $@convention(thin) () -> () {
/// ```
pub fn load(
    module: &mut Module,
    declarations: &Declarations,
    library: &dyn LibrarySource,
    name: Symbol,
) -> Option<FunctionId> {
    let known = module.functions.find(&name);
    if known.is_some_and(|id| module.functions[id].body.is_some()) {
        return None;
    }
    if !library.is_copyable(name, declarations) {
        return None;
    }
    let mut function = library.function(name)?;
    let body = function.body.as_mut()?;
    leave_source(body);
    function.linkage = match function.linkage {
        Linkage::PublicNonAbi | Linkage::PackageNonAbi | Linkage::Shared | Linkage::SharedExternal => {
            Linkage::Shared
        }
        Linkage::Hidden | Linkage::HiddenExternal => Linkage::HiddenExternal,
        Linkage::Package | Linkage::PackageExternal => Linkage::PackageExternal,
        _ => Linkage::PublicExternal,
    };
    function.attributes.flags.set(FunctionFlags::CANONICAL, module.is_raw());
    // What modules emit themselves was serialized, also where the printed library no longer says so.
    if function.linkage == Linkage::Shared && function.attributes.serialized == Serialized::No {
        function.attributes.serialized = Serialized::Fully;
    }
    serialize_as(module, &mut function.attributes.serialized);
    let mut named = Vec::new();
    references::of_body(body, &mut |name| named.push(name));
    let id = match known {
        Some(known) => {
            // Keep the attributes and the known effects of the declaration.
            let mut attributes = module.functions[known].attributes.clone();
            attributes.serialized = function.attributes.serialized;
            let of_body = FunctionFlags::OSSA | FunctionFlags::CANONICAL;
            attributes.flags =
                attributes.flags.difference(of_body) | function.attributes.flags.intersection(of_body);
            function.attributes = attributes;
            let effects = std::mem::take(&mut module.functions[known].effects);
            if effects != FunctionEffects::default() {
                function.effects = effects;
            }
            module.functions[known] = function;
            known
        }
        None => module.functions.push(function),
    };
    for name in named {
        if module.functions.find(&name).is_none() && module.globals.find(&name).is_none() {
            declare_any(module, library, name);
        }
    }
    Some(id)
}

/// Removes source locations and debug scopes, which belong to the other module.
fn leave_source(body: &mut Body) {
    body.map_scopes(|_| NONE);
    let insts: Vec<Inst> = body.insts().collect();
    let mut editor = body.edit();
    let nowhere = editor.new_loc(LocData { source: Some(SourceLoc::NOWHERE), scope: NONE });
    for inst in insts {
        editor.set_loc(inst, nowhere);
    }
}

/// Declares a function or a global variable of a library in a module.
fn declare_any(module: &mut Module, library: &dyn LibrarySource, name: Symbol) {
    if declare(module, library, name).is_none()
        && let Some(mut global) = library.global(name)
    {
        global.initializer = None;
        if global.linkage != Linkage::Shared {
            global.linkage = Linkage::PublicExternal;
        }
        global.attributes.serialized = Serialized::No;
        module.globals.push(global);
    }
}

/// Loads the witness table of a conformance, by the paths of type and protocol, with declarations of its methods.
/// Returns true if the module did not have it with entries.
pub fn load_witness_table(
    module: &mut Module,
    library: &dyn LibrarySource,
    ty: Symbol,
    protocol: Symbol,
) -> bool {
    let Some(table) = library.witness_table(ty, protocol) else { return false };
    let known = module.witness_tables.find(&table.of);
    if known.is_some_and(|id| module.witness_tables[id].entries.is_some()) {
        return false;
    }
    let methods = table.entries.iter().flatten().filter_map(|entry| match entry {
        WitnessEntry::Method(_, _, function) => *function,
        _ => None,
    });
    for method in methods {
        declare(module, library, method);
    }
    let linkage = match table.linkage {
        Linkage::Shared => Linkage::Shared,
        _ => Linkage::PublicExternal,
    };
    let mut table = WitnessTable { linkage, ..(*table).clone() };
    serialize_as(module, &mut table.attributes.serialized);
    match known {
        Some(id) => module.witness_tables[id] = table,
        None => _ = module.witness_tables.push(table),
    }
    true
}

/// Adapts an entity of the library to its new module: after serialization, nothing is serialized.
fn serialize_as(module: &Module, serialized: &mut Serialized) {
    if module.is_serialized {
        *serialized = Serialized::No;
    }
}
