//! Generic parameters, signatures, requirements, associated types, opaque types, conformances.

use super::Parser;
use crate::node::{Kind, NodeId};

/// The subject of a requirement.
#[derive(Clone, Copy)]
enum Subject {
    Param,
    AssociatedType,
    AssociatedTypeAtDepth,
    Substitution,
}

#[derive(Clone, Copy)]
enum Constraint {
    Protocol,
    Inverse,
    BaseClass,
    SameType,
    SameShape,
    Layout,
}

/// Returns the meaning of the letter after `R`.
fn requirement_kind(letter: u8) -> Option<(Constraint, Subject)> {
    use Constraint::*;
    use Subject::*;
    Some(match letter {
        b'b' => (BaseClass, Param),
        b'c' => (BaseClass, AssociatedType),
        b'C' => (BaseClass, AssociatedTypeAtDepth),
        b'B' => (BaseClass, Substitution),
        b's' => (SameType, Param),
        b't' => (SameType, AssociatedType),
        b'T' => (SameType, AssociatedTypeAtDepth),
        b'S' => (SameType, Substitution),
        b'l' => (Layout, Param),
        b'm' => (Layout, AssociatedType),
        b'M' => (Layout, AssociatedTypeAtDepth),
        b'L' => (Layout, Substitution),
        b'p' => (Protocol, AssociatedType),
        b'P' => (Protocol, AssociatedTypeAtDepth),
        b'Q' => (Protocol, Substitution),
        b'h' => (SameShape, Param),
        b'i' => (Inverse, Param),
        b'j' => (Inverse, AssociatedType),
        b'J' => (Inverse, AssociatedTypeAtDepth),
        b'I' => (Inverse, Substitution),
        _ => return None,
    })
}

/// Returns the name of the layout for a letter, with the number of its arguments.
pub(super) fn layout(letter: u8) -> Option<(&'static str, usize)> {
    Some(match letter {
        b'U' => ("_UnknownLayout", 0),
        b'R' => ("_RefCountedObject", 0),
        b'N' => ("_NativeRefCountedObject", 0),
        b'C' => ("AnyObject", 0),
        b'D' => ("_NativeClass", 0),
        b'T' => ("_Trivial", 0),
        b'B' => ("_BridgeObject", 0),
        b'e' => ("_Trivial", 1),
        b'E' => ("_Trivial", 2),
        b'm' => ("_TrivialAtMost", 1),
        b'M' => ("_TrivialAtMost", 2),
        b'S' => ("_TrivialStride", 1),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn param_type(&mut self, depth: u64, index: u64) -> NodeId {
        let depth = self.number(Kind::Index, depth);
        let index = self.number(Kind::Index, index);
        self.node(Kind::DependentGenericParamType, &[depth, index])
    }

    pub(super) fn generic_param(&mut self) -> Option<NodeId> {
        if self.eat(b'd') {
            let depth = self.index()?.checked_add(1)?;
            let index = self.index()?;
            return Some(self.param_type(depth, index));
        }
        if self.eat(b'z') {
            return Some(self.param_type(0, 0));
        }
        if self.eat(b's') {
            return Some(self.leaf(Kind::ConstrainedExistentialSelf));
        }
        let index = self.index()?.checked_add(1)?;
        Some(self.param_type(0, index))
    }

    pub(super) fn generic_signature(&mut self, counted: bool) -> Option<NodeId> {
        let start = self.lists.parts.len();
        let add = |p: &mut Self, count| {
            let count = p.number(Kind::DependentGenericParamCount, count);
            p.lists.parts.push(count);
        };
        if counted {
            while !self.eat(b'l') {
                let count = if self.eat(b'z') { 0 } else { self.index()?.checked_add(1)? };
                add(self, count);
            }
        } else {
            add(self, 1);
        }
        self.pop_run(Kind::is_requirement);
        Some(self.node_from(Kind::DependentGenericSignature, start))
    }

    pub(super) fn requirement(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.peek() {
            b'v' => {
                self.pos += 1;
                let param = self.generic_param()?;
                let ty = self.type_of(param);
                return Some(self.node(DependentGenericParamPackMarker, &[ty]));
            }
            b'V' => {
                self.pos += 1;
                let param = self.generic_param()?;
                let param = self.type_of(param);
                let ty = self.pop(Type)?;
                return Some(self.node(DependentGenericParamValueMarker, &[param, ty]));
            }
            _ => {}
        }
        let (constraint, subject) = match requirement_kind(self.peek()) {
            Some(kind) => {
                self.pos += 1;
                kind
            }
            None => (Constraint::Protocol, Subject::Param),
        };
        let inverse = if matches!(constraint, Constraint::Inverse) { Some(self.index_node()?) } else { None };
        let subject = match subject {
            Subject::Param => {
                let param = self.generic_param()?;
                self.type_of(param)
            }
            Subject::AssociatedType => {
                let param = self.generic_param()?;
                let member = self.member_of(Some(param))?;
                self.substitutable(member)
            }
            Subject::AssociatedTypeAtDepth => {
                let param = self.generic_param()?;
                let member = self.member_at_depth(Some(param))?;
                self.substitutable(member)
            }
            Subject::Substitution => self.pop(Type)?,
        };
        let (kind, object) = match constraint {
            Constraint::Protocol => (DependentGenericConformanceRequirement, self.pop_protocol()?),
            Constraint::Inverse => (DependentGenericInverseConformanceRequirement, inverse?),
            Constraint::BaseClass => (DependentGenericConformanceRequirement, self.pop(Type)?),
            Constraint::SameType => (DependentGenericSameTypeRequirement, self.pop(Type)?),
            Constraint::SameShape => (DependentGenericSameShapeRequirement, self.pop(Type)?),
            Constraint::Layout => {
                let (name, numbers) = layout(self.next()?)?;
                let name = self.name(Identifier, name);
                let start = self.lists.parts.len();
                self.lists.parts.extend([subject, name]);
                for _ in 0..numbers {
                    let number = self.index_node()?;
                    self.lists.parts.push(number);
                }
                return Some(self.node_from(DependentGenericLayoutRequirement, start));
            }
        };
        Some(self.node(kind, &[subject, object]))
    }

    fn pop_assoc_type_name(&mut self) -> Option<NodeId> {
        let protocol = self.pop(Kind::Type);
        if let Some(protocol) = protocol
            && self.child(protocol, 0).is_none_or(|p| self.kind(p) != Kind::Protocol)
        {
            return None;
        }
        let name = self.pop(Kind::Identifier)?;
        Some(self.node_of(Kind::DependentAssociatedTypeRef, [name].into_iter().chain(protocol)))
    }

    fn pop_base(&mut self, base: Option<NodeId>) -> Option<NodeId> {
        match base {
            Some(base) => Some(self.type_of(base)),
            None => self.pop(Kind::Type),
        }
    }

    /// Parses an associated type of a parameter, or of the type on the stack.
    fn member_of(&mut self, base: Option<NodeId>) -> Option<NodeId> {
        let name = self.pop_assoc_type_name()?;
        let base = self.pop_base(base)?;
        Some(self.typed(Kind::DependentMemberType, &[base, name]))
    }

    fn member_at_depth(&mut self, base: Option<NodeId>) -> Option<NodeId> {
        let names = self.pop_list(Self::pop_assoc_type_name)?;
        let mut ty = self.pop_base(base)?;
        for at in names..self.lists.parts.len() {
            ty = self.typed(Kind::DependentMemberType, &[ty, self.lists.parts[at]]);
        }
        self.lists.parts.truncate(names);
        Some(ty)
    }

    pub(super) fn pop_assoc_type_path(&mut self) -> Option<NodeId> {
        let names = self.pop_list(Self::pop_assoc_type_name)?;
        Some(self.node_from(Kind::AssocTypePath, names))
    }

    pub(super) fn assoc_type_name(&mut self) -> Option<NodeId> {
        self.pop_assoc_type_name()
    }

    /// Parses `Q…`: associated types, packs, opaque types.
    pub(super) fn archetype(&mut self) -> Option<NodeId> {
        use Kind::*;
        let ty = match self.next()? {
            b'a' => {
                let name = self.pop(Identifier)?;
                let base = self.pop_type_child()?;
                self.typed(AssociatedTypeRef, &[base, name])
            }
            b'O' => {
                let context = self.pop_context()?;
                return Some(self.node(OpaqueReturnTypeOf, &[context]));
            }
            b'o' => self.opaque_type()?,
            b'r' => return Some(self.typed(OpaqueReturnType, &[])),
            b'R' => {
                let index = self.index_node()?;
                return Some(self.typed(OpaqueReturnType, &[index]));
            }
            b'u' => return Some(self.typed(OpaqueReturnType, &[])),
            b'U' => {
                let index = self.index_node()?;
                return Some(self.typed(OpaqueReturnType, &[index]));
            }
            b'x' => self.member_of(None)?,
            b'X' => self.member_at_depth(None)?,
            b'y' => {
                let param = self.generic_param()?;
                self.member_of(Some(param))?
            }
            b'Y' => {
                let param = self.generic_param()?;
                self.member_at_depth(Some(param))?
            }
            b'z' => {
                let param = self.param_type(0, 0);
                self.member_of(Some(param))?
            }
            b'Z' => {
                let param = self.param_type(0, 0);
                self.member_at_depth(Some(param))?
            }
            b'p' => {
                let count = self.pop_type_child()?;
                let pattern = self.pop_type_child()?;
                return Some(self.typed(PackExpansion, &[pattern, count]));
            }
            b'e' => {
                let pack = self.pop(Type)?;
                let level = self.index_node()?;
                return Some(self.typed(PackElement, &[pack, level]));
            }
            b'P' => return self.pack(Pack),
            b'S' => {
                let kind = match self.next()? {
                    b'd' => SILPackDirect,
                    b'i' => SILPackIndirect,
                    _ => return None,
                };
                return self.pack(kind);
            }
            _ => return None,
        };
        Some(self.substitutable(ty))
    }

    fn opaque_type(&mut self) -> Option<NodeId> {
        let index = self.index_node()?;
        let (levels, retroactive) = self.generic_arguments()?;
        let name = self.pop_any()?;
        self.lists.parts[levels..].reverse();
        let arguments = self.node_from(Kind::TypeList, levels);
        Some(self.typed_of(Kind::OpaqueType, [name, index, arguments].into_iter().chain(retroactive)))
    }

    pub(super) fn pop_protocol_conformance(&mut self) -> Option<NodeId> {
        let signature = self.pop(Kind::DependentGenericSignature);
        let module = self.pop_module()?;
        let protocol = self.pop_protocol()?;
        let mut ty = self.pop(Kind::Type);
        let mut behavior = None;
        if ty.is_none() {
            behavior = self.pop(Kind::Identifier);
            ty = self.pop(Kind::Type);
        }
        let mut ty = ty?;
        if let Some(signature) = signature {
            ty = self.typed(Kind::DependentGenericType, &[signature, ty]);
        }
        Some(self.node_of(Kind::ProtocolConformance, [ty, protocol, module].into_iter().chain(behavior)))
    }

    fn pop_any_conformance(&mut self) -> Option<NodeId> {
        use Kind::*;
        self.pop_if(|k| {
            matches!(
                k,
                ConcreteProtocolConformance
                    | PackProtocolConformance
                    | DependentProtocolConformanceRoot
                    | DependentProtocolConformanceInherited
                    | DependentProtocolConformanceAssociated
                    | DependentProtocolConformanceOpaque
            )
        })
    }

    fn pop_dependent_conformance(&mut self) -> Option<NodeId> {
        use Kind::*;
        self.pop_if(|k| {
            matches!(
                k,
                DependentProtocolConformanceRoot
                    | DependentProtocolConformanceInherited
                    | DependentProtocolConformanceAssociated
                    | DependentProtocolConformanceOpaque
            )
        })
    }

    fn pop_conformance_list(&mut self) -> Option<NodeId> {
        let list = self.pop_list(Self::pop_any_conformance)?;
        Some(self.node_from(Kind::AnyProtocolConformanceList, list))
    }

    /// Parses the index of a conformance: 0 is reserved and 1 means unknown.
    fn conformance_index(&mut self) -> Option<NodeId> {
        let index = self.index()?;
        Some(match index.checked_sub(2) {
            Some(known) => self.number(Kind::Index, known),
            None => self.leaf(Kind::Index),
        })
    }

    pub(super) fn retroactive_conformance(&mut self) -> Option<NodeId> {
        let index = self.index_node()?;
        let conformance = self.pop_any_conformance()?;
        Some(self.node(Kind::RetroactiveConformance, &[index, conformance]))
    }

    /// Parses `H…`: runtime conformances and records.
    pub(super) fn conformance(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.next()? {
            b'A' => {
                let index = self.conformance_index()?;
                let protocol = self.pop_protocol()?;
                let ty = self.pop(Type)?;
                let associated = self.node(DependentAssociatedConformance, &[ty, protocol]);
                let base = self.pop_dependent_conformance()?;
                Some(self.node(DependentProtocolConformanceAssociated, &[base, associated, index]))
            }
            b'C' => {
                let conditions = self.pop_conformance_list()?;
                let reference = self.pop_if(|k| {
                    matches!(k, ProtocolConformanceRefInTypeModule | ProtocolConformanceRefInProtocolModule)
                });
                let reference = match reference {
                    Some(reference) => reference,
                    None => {
                        let module = self.pop_module()?;
                        let protocol = self.pop_protocol()?;
                        self.node(ProtocolConformanceRefInOtherModule, &[protocol, module])
                    }
                };
                let ty = self.pop(Type)?;
                Some(self.node(ConcreteProtocolConformance, &[ty, reference, conditions]))
            }
            b'D' => {
                let index = self.conformance_index()?;
                let protocol = self.pop_protocol()?;
                let ty = self.pop(Type)?;
                Some(self.node(DependentProtocolConformanceRoot, &[ty, protocol, index]))
            }
            b'I' => {
                let index = self.conformance_index()?;
                let protocol = self.pop_protocol()?;
                let base = self.pop_dependent_conformance()?;
                Some(self.node(DependentProtocolConformanceInherited, &[base, protocol, index]))
            }
            b'O' => {
                let ty = self.pop(Type)?;
                let base = self.pop_dependent_conformance()?;
                Some(self.node(DependentProtocolConformanceOpaque, &[base, ty]))
            }
            b'P' => {
                let protocol = self.pop_protocol()?;
                Some(self.node(ProtocolConformanceRefInTypeModule, &[protocol]))
            }
            b'p' => {
                let protocol = self.pop_protocol()?;
                Some(self.node(ProtocolConformanceRefInProtocolModule, &[protocol]))
            }
            b'X' => {
                let list = self.pop_conformance_list()?;
                Some(self.node(PackProtocolConformance, &[list]))
            }
            b'c' => {
                let conformance = self.pop_protocol_conformance()?;
                Some(self.node(ProtocolConformanceDescriptorRecord, &[conformance]))
            }
            b'n' => self.with_type(NominalTypeDescriptorRecord),
            b'o' => {
                let entity = self.pop_any()?;
                Some(self.node(OpaqueTypeDescriptorRecord, &[entity]))
            }
            b'r' => {
                let protocol = self.pop_protocol()?;
                Some(self.node(ProtocolDescriptorRecord, &[protocol]))
            }
            b'F' => Some(self.leaf(AccessibleFunctionRecord)),
            _ => None,
        }
    }
}
