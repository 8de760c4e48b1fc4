//! The mangling used before Swift 4, with the prefix `_T` (but not `_T0`). It is a prefix grammar, which is parsed by
//! recursive descent.
//!
//! The resulting tree has the same form as for the newer grammars. Recursion is limited, and every node takes at
//! least one character, so that the work is bounded by the length of the symbol.

mod entities;
mod generics;
mod names;
mod specializations;
mod types;

use super::Parser;
use super::thunks::{simple_metadata, simple_witness, value_witness_name};
use crate::node::{Kind, NodeId, Payload};

/// The maximum nesting of the grammar.
const MAX_DEPTH: usize = 1024;

/// The letters before a global that are markers for the whole symbol.
const MARKS: &[(&str, Kind)] = &[
    ("To", Kind::ObjCAttribute),
    ("TO", Kind::NonObjCAttribute),
    ("TD", Kind::DynamicAttribute),
    ("Td", Kind::DirectMethodReferenceAttribute),
    ("TV", Kind::VTableAttribute),
];

/// Parses a symbol after its prefix. Returns the root.
pub(super) fn symbol(p: &mut Parser<'_>) -> Option<NodeId> {
    let mut old = OldParser { p, depth: 0 };
    let mut children = Vec::new();
    if old.eat_word("TS") {
        loop {
            children.push(old.specialization()?);
            // The specialized function does not share substitutions with the specialization.
            old.p.lists.substitutions.clear();
            if !old.eat_word("_TTS") {
                break;
            }
        }
        old.expect_word("_T")?;
    } else if let Some(&(_, kind)) = MARKS.iter().find(|(letters, _)| old.eat_word(letters)) {
        children.push(old.p.leaf(kind));
    }
    children.push(old.global()?);
    // Single bytes were consumed, so that the rest may begin inside a character.
    let rest = old.p.text.get(old.p.pos..)?;
    if !rest.is_empty() {
        let payload = old.p.tree.keep(rest);
        children.push(old.p.tree.add(Kind::Suffix, payload, &[]));
    }
    Some(old.p.node(Kind::Global, &children))
}

/// A recursive-descent parser that uses the cursor, nodes and substitutions of the stack machine.
struct OldParser<'p, 'a> {
    p: &'p mut Parser<'a>,
    depth: usize,
}

impl OldParser<'_, '_> {
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.p.text.as_bytes()[self.p.pos..].starts_with(word.as_bytes());
        if found {
            self.p.pos += word.len();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Option<()> {
        self.eat_word(word).then_some(())
    }

    /// Parses one level deeper, within the depth limit.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Parses elements up to the terminating underscore.
    fn until_end(&mut self, mut element: impl FnMut(&mut Self) -> Option<NodeId>) -> Option<Vec<NodeId>> {
        let mut list = Vec::new();
        while !self.p.eat(b'_') {
            list.push(element(self)?);
        }
        Some(list)
    }

    fn substitutable(&mut self, kind: Kind, children: &[NodeId]) -> NodeId {
        let node = self.p.node(kind, children);
        self.p.substitutable(node)
    }

    fn with_type(&mut self, kind: Kind) -> Option<NodeId> {
        let ty = self.ty()?;
        Some(self.p.node(kind, &[ty]))
    }

    fn with_conformance(&mut self, kind: Kind) -> Option<NodeId> {
        let conformance = self.conformance()?;
        Some(self.p.node(kind, &[conformance]))
    }

    /// Parses an entity at the top level.
    fn global(&mut self) -> Option<NodeId> {
        let start = self.p.pos;
        match self.p.next()? {
            b'M' => self.metadata(),
            b'P' if self.p.eat(b'A') => self.partial_apply(),
            b't' => self.with_type(Kind::TypeMangling),
            b'w' => {
                let letters = [self.p.next()?, self.p.next()?];
                let name = self.p.name(Kind::Identifier, value_witness_name(letters)?);
                let ty = self.ty()?;
                Some(self.p.node(Kind::ValueWitness, &[name, ty]))
            }
            b'W' => self.witness(),
            b'T' => self.thunk(),
            _ => {
                self.p.pos = start;
                self.entity()
            }
        }
    }

    fn metadata(&mut self) -> Option<NodeId> {
        let letter = self.p.peek();
        if letter == b'p' {
            self.p.pos += 1;
            let protocol = self.protocol()?;
            return Some(self.p.node(Kind::ProtocolDescriptor, &[protocol]));
        }
        if !b"PaLmnf".contains(&letter) {
            return self.with_type(Kind::TypeMetadata);
        }
        self.p.pos += 1;
        let (kind, _) = simple_metadata(letter)?;
        self.with_type(kind)
    }

    fn partial_apply(&mut self) -> Option<NodeId> {
        let kind =
            if self.p.eat(b'o') { Kind::PartialApplyObjCForwarder } else { Kind::PartialApplyForwarder };
        if !self.eat_word("__T") {
            return Some(self.p.leaf(kind));
        }
        let applied = self.deeper(Self::global)?;
        Some(self.p.node(kind, &[applied]))
    }

    fn witness(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.p.next()? {
            b'V' => self.with_type(ValueWitnessTable),
            b'v' => {
                let directness = match self.p.next()? {
                    b'd' => "direct ",
                    b'i' => "indirect ",
                    _ => return None,
                };
                let directness = self.p.name(Identifier, directness);
                let entity = self.entity()?;
                Some(self.p.node(FieldOffset, &[directness, entity]))
            }
            letter @ (b'P' | b'G' | b'I' | b'a') => {
                let (kind, _) = simple_witness(letter)?;
                self.with_conformance(kind)
            }
            letter @ (b'l' | b'L') => {
                let ty = self.ty()?;
                let conformance = self.conformance()?;
                let kind = if letter == b'l' {
                    LazyProtocolWitnessTableAccessor
                } else {
                    LazyProtocolWitnessTableCacheVariable
                };
                Some(self.p.node(kind, &[ty, conformance]))
            }
            b't' => {
                let conformance = self.conformance()?;
                let name = self.decl_name()?;
                Some(self.p.node(AssociatedTypeMetadataAccessor, &[conformance, name]))
            }
            b'T' => {
                let conformance = self.conformance()?;
                let name = self.decl_name()?;
                let protocol = self.protocol()?;
                Some(self.p.node(AssociatedTypeWitnessTableAccessor, &[conformance, name, protocol]))
            }
            _ => None,
        }
    }

    fn thunk(&mut self) -> Option<NodeId> {
        let kind = match self.p.next()? {
            b'R' => Kind::ReabstractionThunkHelper,
            b'r' => Kind::ReabstractionThunk,
            b'W' => {
                let conformance = self.conformance()?;
                let entity = self.entity()?;
                return Some(self.p.node(Kind::ProtocolWitness, &[conformance, entity]));
            }
            _ => return None,
        };
        let signature = if self.p.eat(b'G') { Some(self.signature()?) } else { None };
        // The target type is mangled first, and the source type is printed first.
        let to = self.ty()?;
        let from = self.ty()?;
        let parts: Vec<NodeId> = [from, to].into_iter().chain(signature).collect();
        Some(self.p.node(kind, &parts))
    }

    fn index_node(&mut self) -> Option<NodeId> {
        self.p.index_node()
    }

    fn pass(&mut self) -> Option<NodeId> {
        let pass = self.p.next()?;
        let index = Payload::Index(u64::from(pass.wrapping_sub(b'0')));
        Some(self.p.tree.add(Kind::SpecializationPassID, index, &[]))
    }
}
