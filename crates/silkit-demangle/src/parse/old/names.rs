//! Identifiers, modules, protocols, substitutions.

use super::OldParser;
use crate::node::{Kind, NodeId};
use crate::parse::names::operator_text;
use crate::punycode;

/// The types of the standard library with a letter after `S`.
const STANDARD: &[(u8, Kind, &str)] = &[
    (b'a', Kind::Structure, "Array"),
    (b'b', Kind::Structure, "Bool"),
    (b'c', Kind::Structure, "UnicodeScalar"),
    (b'd', Kind::Structure, "Double"),
    (b'f', Kind::Structure, "Float"),
    (b'i', Kind::Structure, "Int"),
    (b'P', Kind::Structure, "UnsafePointer"),
    (b'p', Kind::Structure, "UnsafeMutablePointer"),
    (b'Q', Kind::Enum, "ImplicitlyUnwrappedOptional"),
    (b'q', Kind::Enum, "Optional"),
    (b'R', Kind::Structure, "UnsafeBufferPointer"),
    (b'r', Kind::Structure, "UnsafeMutableBufferPointer"),
    (b'S', Kind::Structure, "String"),
    (b'u', Kind::Structure, "UInt"),
    (b'V', Kind::Structure, "UnsafeRawPointer"),
    (b'v', Kind::Structure, "UnsafeMutableRawPointer"),
];

impl OldParser<'_, '_> {
    /// Parses an identifier of a kind, or of the kind of its operator marker if that is allowed.
    pub(super) fn identifier(&mut self, kind: Option<Kind>) -> Option<NodeId> {
        let punycoded = self.p.eat(b'X');
        let operator = self.p.eat(b'o');
        let kind = match (operator, kind) {
            (false, kind) => kind.unwrap_or(Kind::Identifier),
            (true, Some(_)) => return None,
            (true, None) => match self.p.next()? {
                b'p' => Kind::PrefixOperator,
                b'P' => Kind::PostfixOperator,
                b'i' => Kind::InfixOperator,
                _ => return None,
            },
        };
        let length = usize::try_from(self.p.natural()?).ok()?;
        let written = self.p.text.get(self.p.pos..self.p.pos.checked_add(length)?)?;
        self.p.pos += length;
        let mut name = if punycoded { punycode::decode(written)? } else { written.to_string() };
        if name.is_empty() {
            return None;
        }
        if operator {
            name = operator_text(&name)?;
        }
        Some(self.p.name(kind, &name))
    }

    /// Parses the name of a declaration: local, private or plain.
    pub(super) fn decl_name(&mut self) -> Option<NodeId> {
        let (kind, first) = if self.p.eat(b'L') {
            (Kind::LocalDeclName, self.index_node()?)
        } else if self.p.eat(b'P') {
            (Kind::PrivateDeclName, self.identifier(None)?)
        } else {
            return self.identifier(None);
        };
        let name = self.identifier(None)?;
        Some(self.p.node(kind, &[first, name]))
    }

    /// Parses a substitution after `S`.
    pub(super) fn substitution(&mut self) -> Option<NodeId> {
        let letter = self.p.peek();
        let module = match letter {
            b'o' => Some("__C"),
            b'C' => Some("__C_Synthesized"),
            _ => None,
        };
        if let Some(name) = module {
            self.p.pos += 1;
            return Some(self.p.name(Kind::Module, name));
        }
        if let Some(&(_, kind, name)) = STANDARD.iter().find(|row| row.0 == letter) {
            self.p.pos += 1;
            let ty = self.p.swift_type(kind, name);
            return self.p.child(ty, 0);
        }
        let index = usize::try_from(self.p.index()?).ok()?;
        self.p.lists.substitutions.get(index).copied()
    }

    pub(super) fn swift_module(&mut self) -> NodeId {
        self.p.name(Kind::Module, "Swift")
    }

    pub(super) fn module(&mut self) -> Option<NodeId> {
        if self.p.eat(b's') {
            return Some(self.swift_module());
        }
        if self.p.eat(b'S') {
            return self.substitution().filter(|&n| self.p.kind(n) == Kind::Module);
        }
        let module = self.identifier(Some(Kind::Module))?;
        Some(self.p.substitutable(module))
    }

    /// Parses a protocol as a type. Its first `S` may refer to the protocol or its module.
    pub(super) fn protocol(&mut self) -> Option<NodeId> {
        let protocol = if self.p.eat(b'S') {
            let named = self.substitution()?;
            match self.p.kind(named) {
                Kind::Protocol => named,
                Kind::Module => self.protocol_in(named)?,
                _ => return None,
            }
        } else if self.p.eat(b's') {
            let module = self.swift_module();
            self.protocol_in(module)?
        } else {
            self.declaration(Kind::Protocol)?
        };
        Some(self.p.type_of(protocol))
    }

    pub(super) fn protocol_in(&mut self, module: NodeId) -> Option<NodeId> {
        let name = self.decl_name()?;
        Some(self.substitutable(Kind::Protocol, &[module, name]))
    }

    /// Parses a nominal type: its context and name.
    pub(super) fn declaration(&mut self, kind: Kind) -> Option<NodeId> {
        let context = self.context()?;
        let name = self.decl_name()?;
        Some(self.substitutable(kind, &[context, name]))
    }

    /// Parses a conformance: a type, its protocol, and its context.
    pub(super) fn conformance(&mut self) -> Option<NodeId> {
        let ty = self.ty()?;
        let protocol = self.protocol()?;
        let context = self.context()?;
        Some(self.p.node(Kind::ProtocolConformance, &[ty, protocol, context]))
    }
}
