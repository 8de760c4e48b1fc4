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

/// A module in which several functions declare local types of the same name, divided.
pub(crate) struct Division {
    /// The functions that belong to no context, with their tables.
    pub(crate) rest: Module,
    /// The contexts.
    pub(crate) contexts: Vec<Context>,
    /// The names of the local types that only one of the contexts declares, and the index of this context.
    homes: FxHashMap<Symbol, usize>,
    /// The names of the local types that the module also declares outside of functions, and the contexts that declare
    /// local types of these names.
    shadowing: FxHashSet<(Symbol, usize)>,
}

impl Division {
    /// Returns true if a context declares a local type with the name of a type outside of functions.
    pub(crate) fn shadows(&self, name: Symbol, context: usize) -> bool {
        self.shadowing.contains(&(name, context))
    }

    /// Returns true if a context declares a type of a name that no other context declares. `except` is the context that
    /// is not meant.
    pub(crate) fn declares(&self, name: Symbol, except: Option<usize>) -> bool {
        self.homes.get(&name).is_some_and(|home| Some(*home) != except)
    }
}

/// Divides a module in which several functions declare local types of the same name, or a function declares a local type
/// with the name of a type of the module, of which `is_global` is true. Returns `None` if there are no such types, or if
/// functions outside of those that declare them use the name of local types.
pub(crate) fn divided(module: &Module, is_global: &dyn Fn(Symbol) -> bool) -> Option<Division> {
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
    let is_shared =
        |name: &str, of: &FxHashSet<&str>| of.len() > 1 || !of.is_empty() && is_global(Symbol::new(name));
    let shared: FxHashSet<Symbol> =
        declared.iter().filter(|(name, of)| is_shared(name, of)).map(|(name, _)| Symbol::new(name)).collect();
    if shared.is_empty() {
        return None;
    }
    let mut contexts: Vec<&str> =
        declared.iter().filter(|(name, of)| is_shared(name, of)).flat_map(|(_, of)| of).copied().collect();
    // A function inside of another one comes first: it is the narrower context.
    contexts.sort_by_key(|name| (std::cmp::Reverse(name.len()), *name));
    contexts.dedup();
    let mut of: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (symbol, name) in &names {
        if let Some(at) = contexts.iter().position(|context| is_inside(name, context)) {
            of.insert(*symbol, at);
        }
    }
    let (mut homes, mut shadowing) = (FxHashMap::default(), FxHashSet::default());
    for (&name, of) in &declared {
        let places = contexts.iter().enumerate().filter(|(_, context)| of.contains(*context));
        let symbol = Symbol::new(name);
        match (is_shared(name, of), is_global(symbol)) {
            (false, _) => homes.extend(places.map(|(at, _)| (symbol, at))),
            (true, true) => shadowing.extend(places.map(|(at, _)| (symbol, at))),
            (true, false) => {}
        }
    }
    let parts = Parts { module, of, shared, homes };
    let rest = parts.part(None);
    let local = parts.shared.iter().copied().filter(|name| !is_global(*name)).collect();
    if uses(&rest, &local) {
        return None;
    }
    let of_context =
        |(at, name): (usize, &&str)| Context { name: (*name).to_owned(), module: parts.part(Some(at)) };
    let contexts = contexts.iter().enumerate().map(of_context).collect();
    Some(Division { rest, contexts, homes: parts.homes, shadowing })
}

/// Returns true if a demangled name is that of a context, or of something inside of it. The context of top-level code has
/// an empty name.
fn is_inside(name: &str, context: &str) -> bool {
    if context.is_empty() {
        return name == "main" || name.ends_with(" in ");
    }
    name.strip_suffix(context).is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
        || name.contains(&format!(" in {context}"))
}

/// What divides a module.
struct Parts<'a> {
    module: &'a Module,
    /// The contexts of functions.
    of: FxHashMap<Symbol, usize>,
    /// The names of the types that several contexts declare.
    shared: FxHashSet<Symbol>,
    /// The contexts of the other local types.
    homes: FxHashMap<Symbol, usize>,
}

impl Parts<'_> {
    /// Returns the functions and tables of one context, or of none.
    fn part(&self, context: Option<usize>) -> Module {
        let mut part = self.module.clone();
        for function in part.functions.values_mut().filter(|f| !self.is_in(context, f.name)) {
            function.body = None;
        }
        part.vtables.retain(|table| match &table.class {
            ClassRef::Name(name) => self
                .has_table(context, *name, || table.entries.iter().any(|e| self.is_in(context, e.function))),
            _ => context.is_none(),
        });
        part.witness_tables.retain(|table| match subject(table) {
            Some(name) => self.has_table(context, name, || {
                let mut functions = table.entries.iter().flatten().filter_map(|entry| match entry {
                    WitnessEntry::Method(_, _, function) => *function,
                    _ => None,
                });
                functions.next().is_some_and(|function| self.is_in(context, function))
            }),
            _ => context.is_none(),
        });
        part.default_witness_tables.retain(|_| context.is_none());
        part.deinits.retain(|deinit| {
            let is_in = || self.is_in(context, deinit.function);
            deinit.nominal().map_or_else(is_in, |nominal| self.has_table(context, nominal, is_in))
        });
        part
    }

    fn is_in(&self, context: Option<usize>, function: Symbol) -> bool {
        self.of.get(&function).copied() == context
    }

    /// Returns true if a table of the type `name` belongs to a context. If several contexts declare types of this name,
    /// the functions of the table decide.
    fn has_table(&self, context: Option<usize>, name: Symbol, has_own: impl Fn() -> bool) -> bool {
        match self.shared.contains(&name) {
            true => has_own(),
            false => self.homes.get(&name).copied() == context,
        }
    }
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
    ty.any_part(&|part| match part.kind() {
        TypeKind::Named(n) => n.parent.is_none() && names.contains(&n.name),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn contexts_contain_what_is_declared_inside_of_them() {
        assert!(is_inside("f()", "f()"));
        assert!(is_inside("x.getter in T #1 in closure #1 in f()", "f()"));
        assert!(!is_inside("x.getter in T #1 in g()", "f()"));
        assert!(!is_inside("T.f()", "f()"));
    }

    #[test]
    fn the_context_of_top_level_code_contains_the_main_function() {
        assert!(is_inside("main", ""));
        assert!(is_inside("x.getter in T #1 in ", ""));
        assert!(is_inside("closure #1 in ", ""));
        assert!(!is_inside("x.getter in T #1 in f()", ""));
        assert!(!is_inside("f()", ""));
    }
}
