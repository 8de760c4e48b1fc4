//! The parser of mangled names: a stack machine, since the mangling is postfix (Mangling.rst). The prefix mangling
//! used before Swift 4 is in [`old`].
//!
//! Every operator consumes characters and pops its operands. The work is bounded by the length of the symbol, except
//! for repeated substitutions, which are bounded by a maximum number of nodes.

mod entities;
mod functions;
mod generics;
mod names;
mod old;
mod specializations;
mod thunks;
mod types;

use crate::node::{Kind, NodeId, Payload, Tree};
use std::cell::Cell;

/// The maximum number of nodes of a tree; the longest real symbols have some thousands.
const MAX_NODES: usize = 1 << 20;
/// The maximum number of repetitions of a substitution by one operator.
const MAX_REPEAT: u64 = 2048;

/// The maximum length of a list whose memory is kept.
const MOST_KEPT: usize = 1 << 12;

/// The grammar that a prefix selects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Postfix, labels separate from types: since Swift 4.2.
    Stable,
    /// Postfix, labels as part of the types: Swift 4.0.
    LabelsInTypes,
    /// Prefix: before Swift 4.
    Old,
}

/// The prefixes of mangled names; the first match is used.
const PREFIXES: &[(&str, Grammar)] = &[
    ("$s", Grammar::Stable),
    ("_$s", Grammar::Stable),
    ("$S", Grammar::Stable),
    ("_$S", Grammar::Stable),
    ("$e", Grammar::Stable),
    ("_$e", Grammar::Stable),
    ("@__swiftmacro_", Grammar::Stable),
    ("_T0", Grammar::LabelsInTypes),
    ("_T", Grammar::Old),
];

/// Returns the length of the prefix of a mangled name, or `None` if it is not a Swift name.
pub(crate) fn prefix(symbol: &str) -> Option<(usize, Grammar)> {
    PREFIXES.iter().find(|(p, _)| symbol.starts_with(p)).map(|&(p, grammar)| (p.len(), grammar))
}

/// Parses a symbol.
pub(crate) fn symbol(symbol: &str) -> Option<Tree> {
    let (start, grammar) = prefix(symbol)?;
    let mut parser = Parser {
        text: symbol,
        pos: start,
        tree: Tree::for_symbol(symbol.len()),
        lists: LISTS.take(),
        labels_in_types: grammar == Grammar::LabelsInTypes,
    };
    parser.lists.clear();
    if grammar == Grammar::Old {
        return old::symbol(parser);
    }
    while parser.pos < symbol.len() {
        let node = parser.operator()?;
        parser.lists.stack.push(node);
        if parser.tree.len() > MAX_NODES {
            return None;
        }
    }
    let root = parser.finish()?;
    parser.tree.set_root(root);
    parser.lists.keep();
    Some(parser.tree)
}

pub(super) struct Parser<'a> {
    text: &'a str,
    pos: usize,
    tree: Tree,
    lists: Lists,
    labels_in_types: bool,
}

/// The lists of a parser, whose memory is kept for the next symbol of the thread.
#[derive(Default)]
struct Lists {
    stack: Vec<NodeId>,
    substitutions: Vec<NodeId>,
    /// Words of identifiers, as ranges of the tree's text.
    words: Vec<(u32, u32)>,
}

thread_local! {
    static LISTS: Cell<Lists> = Cell::default();
}

impl Lists {
    fn clear(&mut self) {
        self.stack.clear();
        self.substitutions.clear();
        self.words.clear();
    }

    /// Keeps the memory for the next symbol, unless it is that of a huge one.
    fn keep(self) {
        if self.stack.capacity().max(self.substitutions.capacity()) <= MOST_KEPT {
            LISTS.set(self);
        }
    }
}

impl Parser<'_> {
    /// Moves markers before the nodes that they apply to, and returns the root.
    fn finish(&mut self) -> Option<NodeId> {
        let suffix = self.pop(Kind::Suffix);
        // Most symbols are one entity.
        if let [node] = self.lists.stack[..]
            && !self.kind(node).is_mark()
        {
            let node = self.without_type(node)?;
            return Some(self.node_of(Kind::Global, [node].into_iter().chain(suffix)));
        }
        let mut levels = vec![(None, Vec::new())];
        while let Some(mark) = self.pop_if(Kind::is_mark) {
            let top = levels.last_mut().expect("invariant: there is a level");
            if matches!(self.kind(mark), Kind::PartialApplyForwarder | Kind::PartialApplyObjCForwarder) {
                levels.push((Some(mark), Vec::new()));
            } else {
                top.1.push(mark);
            }
        }
        for node in std::mem::take(&mut self.lists.stack) {
            let node = self.without_type(node)?;
            levels.last_mut().expect("invariant: there is a level").1.push(node);
        }
        let mut root = None;
        while let Some((mark, children)) = levels.pop() {
            match mark {
                Some(mark) => {
                    let node = self.tree.with_children(mark, &children);
                    levels.last_mut().expect("invariant: the first level has no mark").1.push(node);
                }
                None if children.is_empty() => return None,
                None => root = Some(self.node_of(Kind::Global, children.into_iter().chain(suffix))),
            }
        }
        root
    }

    /// Returns what a type node holds; another node itself.
    fn without_type(&self, node: NodeId) -> Option<NodeId> {
        if self.kind(node) == Kind::Type { self.child(node, 0) } else { Some(node) }
    }

    fn operator(&mut self) -> Option<NodeId> {
        let byte = self.next()?;
        match byte {
            b'0'..=b'9' => {
                self.pos -= 1;
                self.identifier()
            }
            b'A' => self.substitution(),
            b'B' => self.builtin_type(),
            b'C' => self.nominal(Kind::Class),
            b'D' => self.debugger_type(),
            b'E' => self.extension(),
            b'F' => self.function(),
            b'G' => self.bound_generic_type(),
            b'H' => self.conformance(),
            b'I' => self.impl_function_type(),
            b'K' => Some(self.leaf(Kind::ThrowsAnnotation)),
            b'L' => self.local_name(),
            b'M' => self.metadata(),
            b'N' => self.with_type(Kind::TypeMetadata),
            b'O' => self.nominal(Kind::Enum),
            b'P' => self.nominal(Kind::Protocol),
            b'Q' => self.archetype(),
            b'R' => self.requirement(),
            b'S' => self.standard_substitution(),
            b'T' => self.thunk(),
            b'V' => self.nominal(Kind::Structure),
            b'W' => self.witness(),
            b'X' => self.special_type(),
            b'Y' => self.type_annotation(),
            b'Z' => {
                let entity = self.pop_if(Kind::is_entity)?;
                Some(self.node(Kind::Static, &[entity]))
            }
            b'a' => self.nominal(Kind::TypeAlias),
            b'c' => self.function_type(Kind::FunctionType, None),
            b'd' => Some(self.leaf(Kind::VariadicMarker)),
            b'f' => self.function_entity(),
            b'g' => self.retroactive_conformance(),
            b'h' => self.modified_type(Kind::Shared),
            b'i' => self.subscript(),
            b'l' => self.generic_signature(false),
            b'm' => {
                let ty = self.pop(Kind::Type)?;
                Some(self.typed(Kind::Metatype, &[ty]))
            }
            b'n' => self.modified_type(Kind::Owned),
            b'o' => self.operator_name(),
            b'p' => {
                let list = self.protocol_list()?;
                Some(self.typed(Kind::ProtocolList, &[list]))
            }
            b'q' => {
                let param = self.generic_param()?;
                Some(self.type_of(param))
            }
            b'r' => self.generic_signature(true),
            b's' => Some(self.name(Kind::Module, "Swift")),
            b't' => self.tuple(),
            b'u' => {
                let signature = self.pop(Kind::DependentGenericSignature)?;
                let ty = self.pop(Kind::Type)?;
                Some(self.typed(Kind::DependentGenericType, &[signature, ty]))
            }
            b'v' => {
                let variable = self.entity(Kind::Variable)?;
                self.accessor(variable)
            }
            b'w' => self.value_witness(),
            b'x' => {
                let param = self.param_type(0, 0);
                Some(self.type_of(param))
            }
            b'y' => Some(self.leaf(Kind::EmptyList)),
            b'z' => self.modified_type(Kind::InOut),
            b'_' => Some(self.leaf(Kind::FirstElementMarker)),
            b'$' => self.integer_type(),
            b'.' => {
                let rest = &self.text[self.pos - 1..];
                self.pos = self.text.len();
                let payload = self.tree.keep(rest);
                Some(self.tree.add(Kind::Suffix, payload, &[]))
            }
            _ => None,
        }
    }

    // Characters.

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.pos).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.text.as_bytes().get(self.pos).copied()?;
        self.pos += 1;
        Some(byte)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && self.pos < self.text.len();
        self.pos += usize::from(found);
        found
    }

    /// Parses an optional natural number.
    fn natural(&mut self) -> Option<u64> {
        let start = self.pos;
        let mut number = 0u64;
        while let digit @ b'0'..=b'9' = self.peek() {
            number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            if number > u64::from(u32::MAX) {
                return None;
            }
            self.pos += 1;
        }
        (self.pos > start).then_some(number)
    }

    /// Parses an index: `_` is 0, `N_` is N+1.
    fn index(&mut self) -> Option<u64> {
        if self.eat(b'_') {
            return Some(0);
        }
        let number = self.natural()?;
        self.eat(b'_').then_some(number + 1)
    }

    fn index_node(&mut self) -> Option<NodeId> {
        let index = self.index()?;
        Some(self.number(Kind::Index, index))
    }

    // Stack operations.

    fn kind(&self, node: NodeId) -> Kind {
        self.tree.kind(node)
    }

    fn child(&self, node: NodeId, index: usize) -> Option<NodeId> {
        self.tree.child(node, index)
    }

    fn pop_any(&mut self) -> Option<NodeId> {
        self.lists.stack.pop()
    }

    fn pop(&mut self, kind: Kind) -> Option<NodeId> {
        self.pop_if(|k| k == kind)
    }

    fn pop_if(&mut self, test: impl Fn(Kind) -> bool) -> Option<NodeId> {
        let top = *self.lists.stack.last()?;
        if !test(self.kind(top)) {
            return None;
        }
        self.lists.stack.pop()
    }

    /// Pops a type and returns its child.
    fn pop_type_child(&mut self) -> Option<NodeId> {
        let ty = self.pop(Kind::Type)?;
        self.child(ty, 0)
    }

    /// Pops elements up to the one with the first-element marker, and returns them in text order.
    fn pop_list(&mut self, mut element: impl FnMut(&mut Self) -> Option<NodeId>) -> Option<Vec<NodeId>> {
        let mut list = Vec::new();
        if self.pop(Kind::EmptyList).is_some() {
            return Some(list);
        }
        loop {
            let first = self.pop(Kind::FirstElementMarker).is_some();
            list.push(element(self)?);
            if first {
                list.reverse();
                return Some(list);
            }
        }
    }

    // Node construction.

    fn node(&mut self, kind: Kind, children: &[NodeId]) -> NodeId {
        self.tree.add(kind, Payload::None, children)
    }

    /// Returns a node whose children come one by one.
    fn node_of(&mut self, kind: Kind, children: impl IntoIterator<Item = NodeId>) -> NodeId {
        self.tree.add_of(kind, Payload::None, children)
    }

    fn leaf(&mut self, kind: Kind) -> NodeId {
        self.node(kind, &[])
    }

    fn name(&mut self, kind: Kind, text: &str) -> NodeId {
        let payload = self.tree.keep(text);
        self.tree.add(kind, payload, &[])
    }

    fn number(&mut self, kind: Kind, index: u64) -> NodeId {
        self.tree.add(kind, Payload::Index(index), &[])
    }

    fn type_of(&mut self, node: NodeId) -> NodeId {
        self.node(Kind::Type, &[node])
    }

    /// Returns a type node with these children.
    fn typed(&mut self, kind: Kind, children: &[NodeId]) -> NodeId {
        let node = self.node(kind, children);
        self.type_of(node)
    }

    /// Returns a node around the type on the stack.
    fn with_type(&mut self, kind: Kind) -> Option<NodeId> {
        let ty = self.pop(Kind::Type)?;
        Some(self.node(kind, &[ty]))
    }

    /// Returns a type node around the type on the stack: `inout`, `@noDerivative` and others.
    fn modified_type(&mut self, kind: Kind) -> Option<NodeId> {
        let ty = self.pop_type_child()?;
        Some(self.typed(kind, &[ty]))
    }

    /// Records a node for later substitutions.
    fn substitutable(&mut self, node: NodeId) -> NodeId {
        self.lists.substitutions.push(node);
        node
    }
}
