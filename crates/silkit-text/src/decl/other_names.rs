//! Types of other modules and of functions that the compiler prints like types of the top level.
//!
//! SIL spells `Foundation.JSONEncoder`, a `JSONEncoder` of the module and one inside of a function alike. The mangled
//! names of functions say which types occur in a module.

use silkit_base::{FxHashSet, Symbol};
use silkit_demangle::{Kind, NodeId, Tree};
use silkit_ir::Module;
use silkit_types::decl::DeclTable;

/// The module of declarations that are imported from C.
const C: &str = "__C";

/// Returns the names of types that are not of the top level of the module, but printed as if they were: those that a
/// function declares, and those of imported modules that the module declares as well.
pub(super) fn declared_elsewhere(module: &Module, own: &DeclTable) -> FxHashSet<Symbol> {
    let imported = own.imports.iter().map(|module| module.as_str());
    let foreign = imported.filter(|module| !matches!(*module, "Builtin" | "Swift" | "SwiftShims"));
    let names = Names { own, imports: foreign.collect() };
    let mut found = FxHashSet::default();
    for function in module.functions.values() {
        let symbol = function.name.as_str();
        if names.may_tell(symbol)
            && let Some(tree) = silkit_demangle::parse(symbol)
        {
            found.extend(tree.nodes().filter_map(|node| names.elsewhere(&tree, node)));
        }
    }
    found
}

struct Names<'a> {
    own: &'a DeclTable,
    /// The imported modules whose declarations are not known. They may export those of modules such as
    /// `FoundationEssentials`.
    imports: Vec<&'static str>,
}

impl Names<'_> {
    /// Returns true if a mangled name may contain a type that is not of the top level of the module.
    fn may_tell(&self, symbol: &str) -> bool {
        super::is_mangled(Symbol::new(symbol))
            && (has_local_name(symbol)
                || symbol.contains("So")
                || self.imports.iter().any(|module| symbol.contains(module)))
    }

    /// Returns the name of a type of another module or of a function.
    fn elsewhere(&self, tree: &Tree, node: NodeId) -> Option<Symbol> {
        let is_type = matches!(
            tree.kind(node),
            Kind::Structure | Kind::Class | Kind::Enum | Kind::Protocol | Kind::TypeAlias
        );
        let (context, name) = (tree.child(node, 0).filter(|_| is_type)?, tree.child(node, 1)?);
        if tree.kind(name) == Kind::LocalDeclName {
            return tree.children(name).iter().find_map(|&part| tree.text(part)).map(Symbol::new);
        }
        let module = tree.text(context).filter(|_| tree.kind(context) == Kind::Module)?;
        let is_foreign = module == C || self.imports.iter().any(|import| module.starts_with(import));
        let name = Symbol::new(tree.text(name).filter(|_| is_foreign)?);
        self.own.get(name).is_some_and(|entry| entry.nominal.is_some()).then_some(name)
    }
}

/// Returns true if a mangled name may contain the name of a local declaration: `L_`, `L0_`.
fn has_local_name(symbol: &str) -> bool {
    symbol
        .match_indices('L')
        .any(|(at, _)| symbol[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('_'))
}
