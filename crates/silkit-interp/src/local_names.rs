//! Demangled names of members of local types.

use crate::violation::demangled;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::Module;

/// The parts of the demangled name of a member of a local type, such as `x.getter in T #1 in f()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LocalMember<'a> {
    /// The member: `x.getter`.
    pub(crate) member: &'a str,
    /// The name of the type: `T`.
    pub(crate) owner: &'a str,
    /// The number of the type among the types of this name in the function.
    pub(crate) number: &'a str,
    /// The function that declares the type: `f()`.
    pub(crate) context: &'a str,
}

impl<'a> LocalMember<'a> {
    /// Returns the parts of a demangled name, or `None` if it does not name a member of a local type.
    pub(crate) fn parse(name: &'a str) -> Option<Self> {
        let (member, rest) = name.split_once(" in ")?;
        let (owner, rest) = rest.split_once(" #")?;
        let (number, context) = rest.split_once(" in ")?;
        // The thunks of key paths name the root too: `key path getter for x in T #1 in f() : T #1 in f()<Int>`.
        let context = context.split_once(" : ").map_or(context, |(context, _)| context);
        Some(Self { member, owner, number, context })
    }
}

/// Returns the names of the local types that have members with bodies in a module.
pub(crate) fn local_types(module: &Module) -> FxHashSet<Symbol> {
    let with_body = module.functions.values().filter(|f| f.body.is_some() && f.name.as_str().contains('L'));
    let owner = |symbol: Symbol| LocalMember::parse(&demangled(symbol)).map(|m| Symbol::new(m.owner));
    with_body.filter_map(|f| owner(f.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_divided_into_their_parts() {
        let name = "variable initialization expression of x in T #2 in closure #1 in A.f(_:)";
        let parts = LocalMember::parse(name).expect("a member of a local type");
        assert_eq!(parts.member, "variable initialization expression of x");
        assert_eq!((parts.owner, parts.number), ("T", "2"));
        assert_eq!(parts.context, "closure #1 in A.f(_:)");
    }

    #[test]
    fn the_root_of_a_key_path_is_not_a_part_of_the_context() {
        let name = "key path getter for x in T #1 in f() : T #1 in f()<Int>";
        let parts = LocalMember::parse(name).expect("a member of a local type");
        assert_eq!((parts.owner, parts.context), ("T", "f()"));
    }

    #[test]
    fn other_functions_are_no_members_of_local_types() {
        assert_eq!(LocalMember::parse("A.f(_:)"), None);
        assert_eq!(LocalMember::parse("closure #1 in A.f(_:)"), None);
        assert_eq!(LocalMember::parse("local #1 () -> () in f()"), None);
    }
}
