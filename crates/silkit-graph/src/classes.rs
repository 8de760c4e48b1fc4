//! The type graph of a module: superclasses and conformances.

use super::{Edge, Graph, GraphKind, Node};
use silkit_base::FxHashMap;
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{Type, TypeKind};

/// Returns the class hierarchy: an edge from each class to its superclass, and a weak edge from each type to the
/// protocols that it conforms to.
pub fn classes(declarations: &Declarations) -> Graph {
    let mut graph = Graph { title: "classes".to_owned(), kind: GraphKind::Classes, ..Graph::default() };
    let mut nodes: FxHashMap<String, usize> = FxHashMap::default();
    let mut node = |graph: &mut Graph, id: &str, text: &dyn Fn() -> String, is_external: bool| {
        *nodes.entry(id.to_owned()).or_insert_with(|| {
            graph.nodes.push(Node { id: id.to_owned(), lines: vec![text().into()], is_external });
            graph.nodes.len() - 1
        })
    };
    let own = declarations.own();
    let mut inherited: Vec<(usize, Type)> = Vec::new();
    for (path, entry) in own.entries() {
        let parents = entry.nominal.iter().flat_map(|n| n.inherited.iter());
        let added = entry.extensions.iter().flat_map(|x| x.inherited.iter());
        let parents: Vec<Type> = parents.chain(added).copied().collect();
        if entry.nominal.is_none() && parents.is_empty() {
            continue;
        }
        let text = || {
            let kind = entry.nominal.as_ref().map_or("extension", |n| match n.kind {
                NominalKind::Struct => "struct",
                NominalKind::Class => "class",
                NominalKind::Actor => "actor",
                NominalKind::Enum => "enum",
                NominalKind::Protocol => "protocol",
            });
            format!("{kind} {path}")
        };
        let from = node(&mut graph, path.as_str(), &text, entry.nominal.is_none());
        inherited.extend(parents.into_iter().map(|parent| (from, parent)));
    }
    for (from, parent) in inherited {
        let parts = match parent.kind() {
            TypeKind::Inverse(_) => continue,
            TypeKind::Composition(parts) => parts.to_vec(),
            _ => vec![parent],
        };
        for part in parts {
            let path = declarations.path_of(part);
            let id = path.map_or_else(|| part.to_string(), |p| p.as_str().to_owned());
            let to = node(&mut graph, &id, &|| id.clone(), true);
            let is_weak = declarations.is_class(part) != Some(true);
            graph.edges.push(Edge { from, to, label: String::new(), is_weak });
        }
    }
    graph
}
