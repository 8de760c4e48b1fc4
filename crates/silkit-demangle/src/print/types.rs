//! Types other than those of functions.

use super::Printer;
use crate::node::{Kind, NodeId};

impl Printer<'_> {
    pub(super) fn type_node(&mut self, node: NodeId, kind: Kind) {
        use Kind::*;
        match kind {
            k if self.is_function(k) => self.labelled_function(None, node),
            ImplFunctionType => self.impl_function(node),
            GlobalActorFunctionType => {
                self.push("@");
                self.nth(node, 0);
                self.push(" ");
            }
            NonIsolatedCallerFunctionType => self.push("nonisolated(nonsending) "),
            IsolatedAnyFunctionType => self.push("@isolated(any) "),
            BoundGenericStructure
            | BoundGenericEnum
            | BoundGenericClass
            | BoundGenericProtocol
            | BoundGenericTypeAlias
            | BoundGenericOtherNominalType => self.bound(node),
            Tuple => self.enclosed(node, "(", ")"),
            Pack => self.enclosed(node, "Pack{", "}"),
            SILPackDirect => self.enclosed(node, "@direct Pack{", "}"),
            SILPackIndirect => self.enclosed(node, "@indirect Pack{", "}"),
            TupleElement => {
                if let Some(name) = self.tree.child_of(node, TupleElementName) {
                    self.payload(name);
                    self.push(": ");
                }
                if let Some(ty) = self.tree.child_of(node, Type) {
                    self.node(ty);
                }
                if self.tree.child_of(node, VariadicMarker).is_some() {
                    self.push("...");
                }
            }
            PackExpansion => {
                self.push("repeat ");
                self.nth(node, 0);
            }
            PackElement => {
                self.push("/* level: ");
                self.nth(node, 1);
                self.push(" */ each ");
                self.nth(node, 0);
            }
            TypeList => self.children(node, ""),
            Metatype | ExistentialMetatype => self.metatype(node, kind),
            ProtocolList => self.protocols(node, None),
            ProtocolListWithClass => {
                let superclass = self.child(node, 1);
                let list = self.tree.children(node)[0];
                self.protocols(list, superclass);
            }
            ProtocolListWithAnyObject => {
                let tree = self.tree;
                let list = self.child(tree.children(node)[0], 0);
                let protocols = list.map_or(&[][..], |l| tree.children(l));
                if !protocols.is_empty() {
                    self.list(protocols, " & ");
                    self.push(" & ");
                }
                self.push("Swift.AnyObject");
            }
            ConstrainedExistential => {
                self.push("any ");
                self.nth(node, 0);
                self.push("<");
                self.nth(node, 1);
                self.push(">");
            }
            ConstrainedExistentialRequirementList => self.children(node, ", "),
            ConstrainedExistentialSelf => self.push("Self"),
            ExtendedExistentialTypeShape => {
                let generic = self.tree.children(node).len() > 1;
                self.push("existential shape for ");
                if generic {
                    self.nth(node, 0);
                    self.push(" ");
                }
                self.push("any ");
                self.nth(node, usize::from(generic));
            }
            DynamicSelf => self.push("Self"),
            ErrorType => self.push("<ERROR TYPE>"),
            BuiltinTuple => self.push("Builtin.TheTupleType"),
            BuiltinFixedArray => {
                self.push("Builtin.FixedArray<");
                self.children(node, ", ");
                self.push(">");
            }
            OpaqueReturnType => self.push("some"),
            OpaqueType => {
                self.nth(node, 0);
                self.push(".");
                self.nth(node, 1);
            }
            _ => self.boxed_or_sugared(node, kind),
        }
    }

    fn boxed_or_sugared(&mut self, node: NodeId, kind: Kind) {
        use Kind::*;
        match kind {
            SILBoxTypeWithLayout => {
                if let Some(signature) = self.child(node, 1) {
                    self.node(signature);
                    self.push(" ");
                }
                self.nth(node, 0);
                if let Some(arguments) = self.child(node, 2) {
                    self.push(" <");
                    self.children(arguments, ", ");
                    self.push(">");
                }
            }
            SILBoxLayout => {
                self.push("{");
                for (n, &field) in self.tree.children(node).iter().enumerate() {
                    self.push(if n == 0 { " " } else { ", " });
                    self.node(field);
                }
                self.push(" }");
            }
            SILBoxMutableField => {
                self.push("var ");
                self.nth(node, 0);
            }
            SILBoxImmutableField => {
                self.push("let ");
                self.nth(node, 0);
            }
            SugaredOptional => {
                self.in_parentheses_if_needed(node, 0);
                self.push("?");
            }
            SugaredArray => self.enclosed(node, "[", "]"),
            SugaredDictionary => {
                self.push("[");
                self.children(node, " : ");
                self.push("]");
            }
            SugaredInlineArray => {
                self.push("[");
                self.children(node, " of ");
                self.push("]");
            }
            SugaredParen => self.enclosed(node, "(", ")"),
            _ => self.children(node, ""),
        }
    }

    fn enclosed(&mut self, node: NodeId, open: &str, close: &str) {
        self.push(open);
        self.children(node, ", ");
        self.push(close);
    }

    /// Returns true if a type needs no parentheses before a suffix.
    fn is_simple(&self, node: NodeId) -> bool {
        use Kind::*;
        match self.kind(node) {
            Type => self.child(node, 0).is_some_and(|inner| self.is_simple(inner)),
            ProtocolList => self.child(node, 0).is_some_and(|list| self.tree.children(list).len() <= 1),
            ProtocolListWithAnyObject => self
                .child(node, 0)
                .and_then(|list| self.child(list, 0))
                .is_some_and(|list| self.tree.children(list).is_empty()),
            AssociatedTypeRef
            | BoundGenericClass
            | BoundGenericEnum
            | BoundGenericStructure
            | BoundGenericProtocol
            | BoundGenericTypeAlias
            | BoundGenericOtherNominalType
            | BuiltinTypeName
            | BuiltinTuple
            | BuiltinFixedArray
            | Class
            | DependentGenericType
            | DependentMemberType
            | DependentGenericParamType
            | DynamicSelf
            | Enum
            | ErrorType
            | ExistentialMetatype
            | Metatype
            | MetatypeRepresentation
            | Module
            | Tuple
            | Pack
            | SILPackDirect
            | SILPackIndirect
            | ConstrainedExistentialRequirementList
            | ConstrainedExistentialSelf
            | Protocol
            | SILBoxType
            | SILBoxTypeWithLayout
            | Structure
            | OtherNominalType
            | TypeAlias
            | TypeList
            | LabelList
            | SugaredOptional
            | SugaredArray
            | SugaredDictionary
            | SugaredInlineArray
            | SugaredParen
            | Integer
            | NegativeInteger => true,
            _ => false,
        }
    }

    fn in_parentheses_if_needed(&mut self, node: NodeId, index: usize) {
        let Some(ty) = self.child(node, index) else { return };
        let simple = self.is_simple(ty);
        if !simple {
            self.push("(");
        }
        self.node(ty);
        if !simple {
            self.push(")");
        }
    }

    /// Returns the name of the standard library type with sugar for this number of arguments.
    fn sugared(&self, node: NodeId) -> Option<&'static str> {
        if !self.sugar {
            return None;
        }
        let nominal = self.child(node, 0).and_then(|t| self.child(t, 0))?;
        let module = self.child(nominal, 0).filter(|&m| self.kind(m) == Kind::Module)?;
        let name = self.child(nominal, 1).filter(|&n| self.kind(n) == Kind::Identifier)?;
        if self.tree.text(module) != Some("Swift") {
            return None;
        }
        let arguments = self.child(node, 1).map_or(0, |list| self.tree.children(list).len());
        match (self.kind(node), self.tree.text(name)?, arguments) {
            (Kind::BoundGenericEnum, "Optional", 1) => Some("Optional"),
            (Kind::BoundGenericEnum, "ImplicitlyUnwrappedOptional", 1) => Some("ImplicitlyUnwrappedOptional"),
            (Kind::BoundGenericStructure, "Array", 1) => Some("Array"),
            (Kind::BoundGenericStructure, "Dictionary", 2) => Some("Dictionary"),
            _ => None,
        }
    }

    fn bound(&mut self, node: NodeId) {
        let tree = self.tree;
        let Some(list) = self.child(node, 1) else { return };
        match self.sugared(node) {
            Some(name @ ("Optional" | "ImplicitlyUnwrappedOptional")) => {
                self.in_parentheses_if_needed(list, 0);
                self.push(if name == "Optional" { "?" } else { "!" });
                return;
            }
            Some(name) => {
                self.push("[");
                self.children(list, if name == "Array" { "" } else { " : " });
                self.push("]");
                return;
            }
            None => {}
        }
        if self.kind(node) == Kind::BoundGenericProtocol {
            self.children(list, "");
            self.push(" as ");
            self.nth(node, 0);
            return;
        }
        self.nth(node, 0);
        self.push("<");
        self.list(tree.children(list), ", ");
        self.push(">");
    }

    fn metatype(&mut self, node: NodeId, kind: Kind) {
        let last = self.tree.children(node).len().saturating_sub(1);
        if last > 0 {
            self.nth(node, 0);
            self.push(" ");
        }
        if kind == Kind::Metatype {
            self.in_parentheses_if_needed(node, last);
        } else {
            self.nth(node, last);
        }
        let existential = kind == Kind::Metatype
            && self.child(node, last).is_some_and(|ty| {
                let inner = self.child(ty, 0).map(|inner| self.kind(inner));
                matches!(
                    inner,
                    Some(
                        Kind::ProtocolList
                            | Kind::ProtocolListWithClass
                            | Kind::ProtocolListWithAnyObject
                            | Kind::ExistentialMetatype
                    )
                )
            });
        self.push(if existential { ".Protocol" } else { ".Type" });
    }

    fn protocols(&mut self, node: NodeId, superclass: Option<NodeId>) {
        let tree = self.tree;
        let protocols = self.child(node, 0).map_or(&[][..], |list| tree.children(list));
        if let Some(superclass) = superclass {
            self.node(superclass);
            self.push(" & ");
            self.list(protocols, " & ");
        } else if protocols.is_empty() {
            self.push("Any");
        } else {
            self.list(protocols, " & ");
        }
    }
}
