//! The printer of trees, in full or simplified form.
//!
//! A context prints before its entity (`a.S.f`) if possible, and after it if the entity's name contains spaces or a
//! type (`closure #1 () -> () in a.f() -> ()`). In this case the print function returns the context, to be printed
//! afterwards.

mod entities;
mod functions;
mod generics;
mod thunks;
mod types;

use crate::node::{Kind, NodeId, Tree};
use std::fmt::Write;

/// The maximum nesting that is printed; symbols of compilers are far below it.
const MAX_DEPTH: usize = 768;
/// The maximum length of the text: with substitutions, a short symbol can expand exponentially.
const MAX_TEXT: usize = 1 << 20;

/// The level of detail of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Style {
    /// All details: `a.S.f(x: Swift.Int) -> Swift.String`.
    #[default]
    Full,
    /// Without modules, types, contexts of extensions and kinds of specializations: `S.f(x:)`.
    Simplified,
}

/// Returns `out` with the text of a tree appended. With `sugar`, `Swift.Array<A>` prints as `[A]`.
pub(crate) fn text(tree: &Tree, style: Style, sugar: bool, out: String) -> String {
    let mut printer = Printer {
        tree,
        full: style == Style::Full,
        sugar,
        out,
        depth: 0,
        specialized: false,
        packs: Vec::new(),
    };
    printer.node(tree.root());
    printer.out
}

pub(super) struct Printer<'a> {
    tree: &'a Tree,
    full: bool,
    sugar: bool,
    out: String,
    depth: usize,
    /// True if `specialized` was printed, which is done once.
    specialized: bool,
    /// The pack parameters of the enclosing signatures, by depth and index.
    packs: Vec<(u64, u64)>,
}

impl Printer<'_> {
    fn kind(&self, node: NodeId) -> Kind {
        self.tree.kind(node)
    }

    fn child(&self, node: NodeId, index: usize) -> Option<NodeId> {
        self.tree.child(node, index)
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn number(&mut self, number: u64) {
        let _ = write!(self.out, "{number}");
    }

    /// Prints the text of a node.
    fn payload(&mut self, node: NodeId) {
        let tree = self.tree;
        self.push(tree.text(node).unwrap_or_default());
    }

    /// Prints a child if it exists.
    fn nth(&mut self, node: NodeId, index: usize) {
        if let Some(child) = self.child(node, index) {
            self.node(child);
        }
    }

    fn list(&mut self, nodes: &[NodeId], separator: &str) {
        for (n, &node) in nodes.iter().enumerate() {
            if n > 0 {
                self.push(separator);
            }
            self.node(node);
        }
    }

    fn children(&mut self, node: NodeId, separator: &str) {
        let tree = self.tree;
        self.list(tree.children(node), separator);
    }

    fn node(&mut self, node: NodeId) {
        self.node_as(node, false);
    }

    /// Prints a node, as a prefix if `prefix` is set. Returns the context that remains to be printed.
    fn node_as(&mut self, node: NodeId, prefix: bool) -> Option<NodeId> {
        if self.depth >= MAX_DEPTH || self.out.len() > MAX_TEXT {
            self.push("<<too complex>>");
            return None;
        }
        self.depth += 1;
        let rest = self.any(node, prefix);
        self.depth -= 1;
        rest
    }

    fn any(&mut self, node: NodeId, prefix: bool) -> Option<NodeId> {
        use Kind::*;
        let kind = self.kind(node);
        if let Some(words) = kind.words() {
            self.push(words);
            self.nth(node, 0);
            if matches!(kind, OutlinedCopy | OutlinedConsume)
                && let Some(signature) = self.child(node, 1)
            {
                self.node(signature);
            }
            return None;
        }
        if kind.is_context() && kind != Module || kind == BoundGenericFunction {
            return self.declaration(node, prefix);
        }
        match kind {
            Global => self.children(node, ""),
            Type => return self.node_as(self.child(node, 0)?, prefix),
            TypeMangling => self.type_mangling(node),
            Suffix => {
                if self.full {
                    self.push(" with unmangled suffix \"");
                    self.payload(node);
                    self.push("\"");
                }
            }
            Module => {
                if self.full {
                    self.payload(node);
                }
            }
            Identifier
            | TupleElementName
            | BuiltinTypeName
            | ImplAttribute
            | ImplConvention
            | ImplParameterAttribute
            | MetatypeRepresentation
            | ClangType
            | AutoDiffFunctionKind => self.payload(node),
            Index | Integer => self.number(self.tree.index(node).unwrap_or_default()),
            NegativeInteger => {
                self.push("-");
                self.number(self.tree.index(node).unwrap_or_default());
            }
            EmptyList => self.push(" empty-list "),
            FirstElementMarker => self.push(" first-element-marker "),
            VariadicMarker => self.push(" variadic-marker "),
            ThrowsAnnotation => self.push(" throws"),
            TypedThrowsAnnotation => {
                self.push(" throws(");
                self.nth(node, 0);
                self.push(")");
            }
            AsyncAnnotation => self.push(" async"),
            InfixOperator | PrefixOperator | PostfixOperator => {
                self.payload(node);
                self.push(match kind {
                    InfixOperator => " infix",
                    PrefixOperator => " prefix",
                    _ => " postfix",
                });
            }
            LocalDeclName => {
                self.nth(node, 1);
                self.push(" #");
                let index = self.child(node, 0).and_then(|i| self.tree.index(i)).unwrap_or_default();
                self.number(index.saturating_add(1));
            }
            PrivateDeclName => self.private_name(node),
            RelatedEntityDeclName => {
                self.push("related decl '");
                self.nth(node, 0);
                self.push("' for ");
                self.nth(node, 1);
            }
            k if self.is_generic(k) => self.generic(node, kind),
            k if self.is_derived(k) => self.derived(node, kind),
            _ => self.type_node(node, kind),
        }
        None
    }

    fn private_name(&mut self, node: NodeId) {
        if let Some(name) = self.child(node, 1) {
            if self.full {
                self.push("(");
            }
            self.node(name);
            if self.full {
                self.push(" in ");
                self.nth(node, 0);
                self.push(")");
            }
        } else if self.full {
            self.push("(in ");
            self.nth(node, 0);
            self.push(")");
        }
    }

    fn type_mangling(&mut self, node: NodeId) {
        if self.kind(self.tree.children(node)[0]) == Kind::LabelList {
            let labels = self.child(node, 0);
            let ty = self.child(node, 1).and_then(|t| self.child(t, 0));
            if let Some(ty) = ty {
                self.labelled_function(labels, ty);
            }
        } else {
            self.nth(node, 0);
        }
    }
}
