//! Generic signatures, parameters, requirements, associated types, conformances.

use super::Printer;
use crate::node::{Kind, NodeId};

/// Returns the name of an invertible protocol by its bit.
fn invertible(bit: u64) -> Option<&'static str> {
    match bit {
        0 => Some("Swift.Copyable"),
        1 => Some("Swift.Escapable"),
        _ => None,
    }
}

impl Printer<'_> {
    pub(super) fn is_generic(&self, kind: Kind) -> bool {
        use Kind::*;
        matches!(
            kind,
            DependentGenericType
                | DependentGenericSignature
                | DependentGenericParamCount
                | DependentGenericParamType
                | DependentGenericParamPackMarker
                | DependentGenericParamValueMarker
                | DependentMemberType
                | DependentAssociatedTypeRef
                | AssociatedTypeRef
                | AssocTypePath
                | DependentGenericConformanceRequirement
                | DependentGenericSameTypeRequirement
                | DependentGenericSameShapeRequirement
                | DependentGenericLayoutRequirement
                | DependentGenericInverseConformanceRequirement
                | ProtocolConformance
                | ConcreteProtocolConformance
                | PackProtocolConformance
                | AnyProtocolConformanceList
                | DependentProtocolConformanceRoot
                | DependentProtocolConformanceInherited
                | DependentProtocolConformanceAssociated
                | DependentProtocolConformanceOpaque
                | DependentAssociatedConformance
                | ProtocolConformanceRefInTypeModule
                | ProtocolConformanceRefInProtocolModule
                | ProtocolConformanceRefInOtherModule
                | RetroactiveConformance
        )
    }

    pub(super) fn generic(&mut self, node: NodeId, kind: Kind) {
        use Kind::*;
        match kind {
            DependentGenericType => {
                let signature = self.tree.children(node)[0];
                let packs = self.enter(signature);
                self.node(signature);
                if let Some(inner) = self.child(node, 1) {
                    if self.needs_space(inner) {
                        self.push(" ");
                    }
                    self.node(inner);
                }
                self.packs.truncate(packs);
            }
            DependentGenericSignature => self.signature(node),
            DependentGenericParamType => {
                let number = |n| self.child(node, n).and_then(|i| self.tree.index(i)).unwrap_or_default();
                let (depth, index) = (number(0), number(1));
                self.param_name(depth, index);
            }
            DependentMemberType => {
                self.nth(node, 0);
                self.push(".");
                self.nth(node, 1);
            }
            AssociatedTypeRef => {
                self.nth(node, 0);
                self.push(".");
                self.nth(node, 1);
            }
            DependentAssociatedTypeRef => {
                if let Some(protocol) = self.child(node, 1) {
                    self.node(protocol);
                    self.push(".");
                }
                self.nth(node, 0);
            }
            AssocTypePath => self.children(node, "."),
            DependentGenericConformanceRequirement => self.pair(node, ": "),
            DependentGenericSameTypeRequirement => self.pair(node, " == "),
            DependentGenericSameShapeRequirement => {
                self.nth(node, 0);
                self.push(".shape == ");
                self.nth(node, 1);
                self.push(".shape");
            }
            DependentGenericInverseConformanceRequirement => {
                self.nth(node, 0);
                self.push(": ~");
                let bit = self.child(node, 1).and_then(|i| self.tree.index(i)).unwrap_or_default();
                match invertible(bit) {
                    Some(name) => self.push(name),
                    None => {
                        self.push("Swift.<bit ");
                        self.number(bit);
                        self.push(">");
                    }
                }
            }
            DependentGenericLayoutRequirement => {
                self.nth(node, 0);
                self.push(": ");
                self.nth(node, 1);
                if self.child(node, 2).is_some() {
                    self.push("(");
                    self.nth(node, 2);
                    if self.child(node, 3).is_some() {
                        self.push(", ");
                        self.nth(node, 3);
                    }
                    self.push(")");
                }
            }
            ProtocolConformance => self.conformance(node),
            _ => self.runtime_conformance(node, kind),
        }
    }

    fn pair(&mut self, node: NodeId, between: &str) {
        self.nth(node, 0);
        self.push(between);
        self.nth(node, 1);
    }

    /// Records the pack parameters of a signature. Returns the length to truncate to afterwards.
    pub(super) fn enter(&mut self, signature: NodeId) -> usize {
        let mark = self.packs.len();
        for &child in self.tree.children(signature) {
            if self.kind(child) == Kind::DependentGenericParamPackMarker {
                self.packs.extend(self.marked(child));
            }
        }
        mark
    }

    /// Returns the parameter that a marker refers to.
    fn marked(&self, marker: NodeId) -> Option<(u64, u64)> {
        let param = self.child(marker, 0).and_then(|t| self.child(t, 0))?;
        let number = |n| self.child(param, n).and_then(|i| self.tree.index(i));
        Some((number(0)?, number(1)?))
    }

    fn signature(&mut self, node: NodeId) {
        let tree = self.tree;
        let children = tree.children(node);
        let counts =
            children.iter().take_while(|&&c| self.kind(c) == Kind::DependentGenericParamCount).count();
        self.push("<");
        for (depth, &count) in (0u64..).zip(&children[..counts]) {
            if depth > 0 {
                self.push("><");
            }
            for index in 0..tree.index(count).unwrap_or_default() {
                if index > 0 {
                    self.push(", ");
                }
                if index >= 128 {
                    self.push("...");
                    break;
                }
                // The reference looks for a marker with depth and index exchanged; the text must be the same.
                let is_marked = |marker| {
                    children.iter().any(|&c| self.kind(c) == marker && self.marked(c) == Some((index, depth)))
                };
                let (pack, value) = (
                    is_marked(Kind::DependentGenericParamPackMarker),
                    is_marked(Kind::DependentGenericParamValueMarker),
                );
                if pack {
                    self.push("each ");
                }
                if value {
                    self.push("let ");
                }
                self.param_name(depth, index);
            }
        }
        let requirements = children[counts..].iter().copied().filter(|&c| {
            !matches!(
                tree.kind(c),
                Kind::DependentGenericParamPackMarker | Kind::DependentGenericParamValueMarker
            )
        });
        if self.full {
            let mut separator = " where ";
            for requirement in requirements {
                self.push(separator);
                self.node(requirement);
                separator = ", ";
            }
        }
        self.push(">");
    }

    /// Prints `A`, `B`, … `AA`, followed by the depth from the second level on.
    fn param_name(&mut self, depth: u64, index: u64) {
        let mut rest = index;
        loop {
            let letter = u8::try_from(rest % 26).unwrap_or_default();
            self.out.push(char::from(b'A' + letter));
            rest /= 26;
            if rest == 0 {
                break;
            }
        }
        if depth > 0 {
            self.number(depth);
        }
    }

    fn conformance(&mut self, node: NodeId) {
        let tree = self.tree;
        if let Some(behavior) = self.child(node, 3) {
            self.push("property behavior storage of ");
            self.nth(node, 2);
            self.push(" in ");
            self.nth(node, 0);
            self.push(" : ");
            self.nth(node, 1);
            let _ = behavior;
            return;
        }
        self.nth(node, 0);
        if self.full {
            self.push(" : ");
            self.nth(node, 1);
            self.push(" in ");
            if let Some(&module) = tree.children(node).get(2) {
                self.node(module);
            }
        }
    }

    fn runtime_conformance(&mut self, node: NodeId, kind: Kind) {
        use Kind::*;
        let indexed = |p: &mut Self, n: usize| {
            if let Some(index) = p.child(node, n).and_then(|i| p.tree.index(i)) {
                p.push("#");
                p.number(index);
                p.push(" ");
            }
        };
        match kind {
            ConcreteProtocolConformance => {
                self.push("concrete protocol conformance ");
                self.nth(node, 0);
                self.push(" to ");
                self.nth(node, 1);
                let conditions = self.child(node, 2).filter(|&c| !self.tree.children(c).is_empty());
                if let Some(conditions) = conditions {
                    self.push(" with conditional requirements: ");
                    self.node(conditions);
                }
            }
            PackProtocolConformance => {
                self.push("pack protocol conformance ");
                self.children(node, "");
            }
            AnyProtocolConformanceList => {
                let tree = self.tree;
                let list = tree.children(node);
                if !list.is_empty() {
                    self.push("(");
                    self.list(list, ", ");
                    self.push(")");
                }
            }
            DependentProtocolConformanceRoot => {
                self.push("dependent root protocol conformance ");
                indexed(self, 2);
                self.pair(node, " to ");
            }
            DependentProtocolConformanceInherited => {
                self.push("dependent inherited protocol conformance ");
                indexed(self, 2);
                self.pair(node, " to ");
            }
            DependentProtocolConformanceAssociated => {
                self.push("dependent associated protocol conformance ");
                indexed(self, 2);
                self.pair(node, " to ");
            }
            DependentProtocolConformanceOpaque => {
                self.push("opaque result conformance ");
                self.pair(node, " of ");
            }
            DependentAssociatedConformance => {
                self.push("dependent associated conformance ");
                self.children(node, "");
            }
            ProtocolConformanceRefInTypeModule => {
                self.push("protocol conformance ref (type's module) ");
                self.nth(node, 0);
            }
            ProtocolConformanceRefInProtocolModule => {
                self.push("protocol conformance ref (protocol's module) ");
                self.nth(node, 0);
            }
            ProtocolConformanceRefInOtherModule => {
                self.push("protocol conformance ref (retroactive) ");
                self.nth(node, 0);
            }
            RetroactiveConformance => {
                self.push("retroactive @ ");
                self.nth(node, 0);
                self.nth(node, 1);
            }
            _ => self.children(node, ""),
        }
    }
}
