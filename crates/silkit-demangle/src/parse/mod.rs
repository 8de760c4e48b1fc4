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

/// The maximum number of nodes of a tree; the longest real symbols have some thousands.
const MAX_NODES: usize = 1 << 20;
/// The maximum number of repetitions of a substitution by one operator.
const MAX_REPEAT: u64 = 2048;

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

/// Parses a symbol to `tree`, which is complete only if the result is `Some`.
pub(crate) fn symbol(symbol: &str, tree: &mut Tree, lists: &mut Lists) -> Option<()> {
    let (start, grammar) = prefix(symbol)?;
    tree.start(symbol.len());
    lists.clear();
    let labels_in_types = grammar == Grammar::LabelsInTypes;
    let mut parser = Parser { text: symbol, pos: start, tree, lists, labels_in_types };
    if grammar == Grammar::Old {
        let root = old::symbol(&mut parser)?;
        parser.tree.set_root(root);
        return Some(());
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
    Some(())
}

pub(super) struct Parser<'a> {
    text: &'a str,
    pos: usize,
    tree: &'a mut Tree,
    lists: &'a mut Lists,
    labels_in_types: bool,
}

/// The lists of a parser.
#[derive(Default)]
pub(crate) struct Lists {
    stack: Vec<NodeId>,
    substitutions: Vec<NodeId>,
    /// Words of identifiers, as ranges of the tree's text.
    words: Vec<(u32, u32)>,
    /// The children of nodes that are not complete, those of the last node last.
    parts: Vec<NodeId>,
}

impl Lists {
    fn clear(&mut self) {
        self.stack.clear();
        self.substitutions.clear();
        self.words.clear();
        self.parts.clear();
    }

    /// Returns the capacity of the largest list.
    pub(crate) fn capacity(&self) -> usize {
        self.stack.capacity().max(self.substitutions.capacity()).max(self.parts.capacity())
    }
}

impl Parser<'_> {
    /// Moves markers before the nodes that they apply to, and returns the root.
    fn finish(&mut self) -> Option<NodeId> {
        let suffix = self.pop(Kind::Suffix);
        if self.lists.stack.is_empty() {
            return None;
        }
        let start = self.run_start(Kind::is_mark);
        for at in 0..start {
            let node = self.without_type(self.lists.stack[at])?;
            self.lists.parts.push(node);
        }
        // The nodes below a forwarder become its children; other markers are siblings, the topmost one first.
        let mut below = start;
        for at in start..self.lists.stack.len() {
            let mark = self.lists.stack[at];
            if matches!(self.kind(mark), Kind::PartialApplyForwarder | Kind::PartialApplyObjCForwarder) {
                let marks = self.lists.stack[below..at].iter().rev().copied();
                let node = self.tree.with_children(mark, marks.chain(self.lists.parts.drain(..)));
                self.lists.parts.push(node);
                below = at + 1;
            }
        }
        let marks = self.lists.stack[below..].iter().rev().copied();
        let children = marks.chain(self.lists.parts.drain(..)).chain(suffix);
        Some(self.tree.add_of(Kind::Global, Payload::None, children))
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

    /// Returns the index of the lowest of the nodes on top of the stack that pass a test.
    fn run_start(&self, test: impl Fn(Kind) -> bool) -> usize {
        let stack = &self.lists.stack;
        stack.len() - stack.iter().rev().take_while(|&&node| test(self.kind(node))).count()
    }

    /// Moves the nodes on top of the stack that pass a test to the parts, in text order. Returns the index of the
    /// first.
    fn pop_run(&mut self, test: impl Fn(Kind) -> bool) -> usize {
        let start = self.run_start(test);
        let lists = &mut *self.lists;
        let first = lists.parts.len();
        lists.parts.extend(lists.stack.drain(start..));
        first
    }

    /// Moves elements up to the one with the first-element marker to the parts, in text order. Returns the index of
    /// the first.
    fn pop_list(&mut self, mut element: impl FnMut(&mut Self) -> Option<NodeId>) -> Option<usize> {
        let start = self.lists.parts.len();
        if self.pop(Kind::EmptyList).is_some() {
            return Some(start);
        }
        loop {
            let first = self.pop(Kind::FirstElementMarker).is_some();
            let part = element(self)?;
            self.lists.parts.push(part);
            if first {
                self.lists.parts[start..].reverse();
                return Some(start);
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

    /// Returns a node whose children are the parts from an index on.
    fn node_from(&mut self, kind: Kind, start: usize) -> NodeId {
        self.tree.add_of(kind, Payload::None, self.lists.parts.drain(start..))
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

    /// Returns a type node whose children come one by one.
    fn typed_of(&mut self, kind: Kind, children: impl IntoIterator<Item = NodeId>) -> NodeId {
        let node = self.node_of(kind, children);
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
