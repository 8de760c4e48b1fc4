//! Local types of one name in several functions. SIL names a local type without the function that declares it.
//!
//! The functions that declare such types, and everything inside of them, become modules of their own, each with its own
//! declarations.

use crate::local_names::LocalMember;
use crate::violation::demangled;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::{ClassRef, Conformance, Function, Module, WitnessEntry, WitnessTable, WitnessTableOf};
use silkit_types::{Type, TypeKind};

/// The functions that belong to a function that declares local types.
pub(crate) struct Context {
    /// The demangled name of the function.
    pub(crate) name: String,
    /// The SIL of these functions, with their tables. The other functions have no bodies.
    pub(crate) module: Module,
}

impl Context {
    /// Returns true if a function belongs to the context.
    pub(crate) fn contains(&self, function: &Function) -> bool {
        is_inside(&demangled(function.name), &self.name)
    }
}

/// Returns the remaining module and the contexts of a module in which several functions declare local types of the same
/// name. Returns `None` if there are none, or if the remaining functions use such a name.
pub(crate) fn divided(module: &Module) -> Option<(Module, Vec<Context>)> {
    let names: Vec<(Symbol, String)> =
        module.functions.values().map(|f| (f.name, demangled(f.name))).collect();
    let mut declared: FxHashMap<&str, FxHashSet<&str>> = FxHashMap::default();
    for (symbol, name) in &names {
        if symbol.as_str().contains('L')
            && let Some(LocalMember { owner, context, .. }) = LocalMember::parse(name)
        {
            declared.entry(owner).or_default().insert(context);
        }
    }
    declared.retain(|_, contexts| contexts.len() > 1);
    if declared.is_empty() {
        return None;
    }
    let mut contexts: Vec<&str> = declared.values().flatten().copied().collect();
    // A function inside of another one comes first: it is the narrower context.
    contexts.sort_by_key(|name| (std::cmp::Reverse(name.len()), *name));
    contexts.dedup();
    let mut of: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (symbol, name) in &names {
        if let Some(at) = contexts.iter().position(|context| is_inside(name, context)) {
            of.insert(*symbol, at);
        }
    }
    let shared: FxHashSet<Symbol> = declared.keys().map(|name| Symbol::new(name)).collect();
    let rest = part(module, &of, None, &shared);
    if uses(&rest, &shared) {
        return None;
    }
    let parts = contexts
        .iter()
        .enumerate()
        .map(|(at, name)| Context { name: (*name).to_owned(), module: part(module, &of, Some(at), &shared) });
    Some((rest, parts.collect()))
}

/// Returns true if a demangled name is that of a context, or of something inside of it.
fn is_inside(name: &str, context: &str) -> bool {
    name.strip_suffix(context).is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
        || name.contains(&format!(" in {context}"))
}

/// Returns the functions and tables of one context, or of none.
fn part(
    module: &Module,
    of: &FxHashMap<Symbol, usize>,
    context: Option<usize>,
    shared: &FxHashSet<Symbol>,
) -> Module {
    let is_own = |function: Symbol| of.get(&function).copied() == context;
    let mut part = module.clone();
    for function in part.functions.values_mut().filter(|f| !is_own(f.name)) {
        function.body = None;
    }
    part.vtables.retain(|table| match &table.class {
        ClassRef::Name(name) if shared.contains(name) => table.entries.iter().any(|e| is_own(e.function)),
        _ => context.is_none(),
    });
    part.witness_tables.retain(|table| match subject(table) {
        Some(name) if shared.contains(&name) => {
            let mut functions = table.entries.iter().flatten().filter_map(|entry| match entry {
                WitnessEntry::Method(_, _, function) => *function,
                _ => None,
            });
            functions.next().is_some_and(is_own)
        }
        _ => context.is_none(),
    });
    part.default_witness_tables.retain(|_| context.is_none());
    part.deinits.retain(|deinit| match context {
        Some(_) => shared.contains(&deinit.nominal) && is_own(deinit.function),
        None => !shared.contains(&deinit.nominal),
    });
    part
}

/// Returns the name of the type of a witness table.
fn subject(table: &WitnessTable) -> Option<Symbol> {
    match &table.of {
        WitnessTableOf::Conformance(Conformance::Normal { ty, .. }) => match ty.kind() {
            TypeKind::Named(n) if n.parent.is_none() => Some(n.name),
            _ => None,
        },
        _ => None,
    }
}

/// Returns true if a body of a module uses a type with one of these names.
fn uses(module: &Module, names: &FxHashSet<Symbol>) -> bool {
    module.functions.values().filter_map(|f| f.body.as_ref()).any(|body| {
        let results = body.insts().flat_map(|inst| body.results(inst));
        let arguments = body.blocks().flat_map(|block| body.arguments(block).to_vec());
        results.chain(arguments).any(|value| mentions(body.value(value).ty.ty(), names))
    })
}

fn mentions(ty: Type, names: &FxHashSet<Symbol>) -> bool {
    if let TypeKind::Named(n) = ty.kind()
        && n.parent.is_none()
        && names.contains(&n.name)
    {
        return true;
    }
    let mut found = false;
    ty.kind().for_each_part(&mut |part| found |= mentions(part, names));
    found
}
