//! Generic signatures, parameters and dependent member types.

use super::OldParser;
use crate::node::{Kind, NodeId};
use crate::parse::generics::layout;

impl OldParser<'_, '_> {
    /// Parses a signature: the number of parameters for each depth, and requirements: `R…r`, or only `r`.
    pub(super) fn signature(&mut self) -> Option<NodeId> {
        use Kind::*;
        let mut children = Vec::new();
        while !matches!(self.p.peek(), b'R' | b'r') {
            let count = if self.p.eat(b'z') { 0 } else { self.p.index()? + 1 };
            children.push(self.p.number(DependentGenericParamCount, count));
        }
        if children.is_empty() {
            children.push(self.p.number(DependentGenericParamCount, 1));
        }
        if self.p.next()? == b'R' {
            while !self.p.eat(b'r') {
                children.push(self.requirement()?);
            }
        }
        Some(self.p.node(DependentGenericSignature, &children))
    }

    fn requirement(&mut self) -> Option<NodeId> {
        use Kind::*;
        let subject = if self.p.eat(b'w') {
            self.member()?
        } else if self.p.eat(b'W') {
            self.member_path()?
        } else {
            self.param()?
        };
        let subject = self.p.type_of(subject);
        let object = match self.p.peek() {
            b'z' => {
                self.p.pos += 1;
                let ty = self.ty()?;
                return Some(self.p.node(DependentGenericSameTypeRequirement, &[subject, ty]));
            }
            b'l' => {
                self.p.pos += 1;
                return self.layout_requirement(subject);
            }
            b'C' => self.ty()?,
            b'S' => {
                self.p.pos += 1;
                let named = self.substitution()?;
                let object = match self.p.kind(named) {
                    Protocol | Class => named,
                    Module => self.protocol_in(named)?,
                    _ => return None,
                };
                self.p.type_of(object)
            }
            _ => self.protocol()?,
        };
        Some(self.p.node(DependentGenericConformanceRequirement, &[subject, object]))
    }

    fn layout_requirement(&mut self, subject: NodeId) -> Option<NodeId> {
        let (name, numbers) = match self.p.next()? {
            // The reference parses this letter and prints nothing for it.
            b'B' => ("", 0),
            letter @ (b'U' | b'R' | b'N' | b'T' | b'E' | b'e' | b'M' | b'm') => layout(letter)?,
            _ => return None,
        };
        let mut parts = vec![subject, self.p.name(Kind::Identifier, name)];
        for n in 0..numbers {
            if n > 0 {
                self.expect_word("_")?;
            }
            let number = self.p.natural()?;
            parts.push(self.p.number(Kind::Index, number));
        }
        Some(self.p.node(Kind::DependentGenericLayoutRequirement, &parts))
    }

    pub(super) fn param(&mut self) -> Option<NodeId> {
        if self.p.eat(b'x') {
            return Some(self.p.param_type(0, 0));
        }
        let depth = if self.p.eat(b'd') { self.p.index()? + 1 } else { 0 };
        let index = self.p.index()? + u64::from(depth == 0);
        Some(self.p.param_type(depth, index))
    }

    fn member_of(&mut self, base: NodeId) -> Option<NodeId> {
        let base = self.p.type_of(base);
        let name = if self.p.eat(b'S') {
            self.substitution().filter(|&n| self.p.kind(n) == Kind::DependentAssociatedTypeRef)?
        } else {
            let protocol = if self.p.eat(b'P') { Some(self.protocol()?) } else { None };
            let name = self.identifier(None)?;
            let parts: Vec<NodeId> = [name].into_iter().chain(protocol).collect();
            self.substitutable(Kind::DependentAssociatedTypeRef, &parts)
        };
        Some(self.p.node(Kind::DependentMemberType, &[base, name]))
    }

    /// Parses an associated type of a parameter.
    pub(super) fn member(&mut self) -> Option<NodeId> {
        let base = self.param()?;
        self.member_of(base)
    }

    /// Parses an associated type of an associated type, and so on.
    pub(super) fn member_path(&mut self) -> Option<NodeId> {
        let mut base = self.param()?;
        let mut length = 0;
        while !self.p.eat(b'_') {
            // The depth of the tree is the length of the chain.
            length += 1;
            if length > super::MAX_DEPTH {
                return None;
            }
            base = self.member_of(base)?;
        }
        Some(base)
    }

    /// Parses an associated type after `Q`.
    pub(super) fn archetype(&mut self) -> Option<NodeId> {
        let root = match self.p.next()? {
            b'Q' => self.deeper(Self::archetype)?,
            b'S' => self.substitution()?,
            b's' => self.swift_module(),
            _ => return None,
        };
        let name = self.identifier(None)?;
        Some(self.substitutable(Kind::AssociatedTypeRef, &[root, name]))
    }
}
