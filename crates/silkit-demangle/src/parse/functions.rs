//! Function types, formal and lowered.

use super::Parser;
use crate::node::{Kind, NodeId, Payload};

impl Parser<'_> {
    /// Parses a function type. The node contains the annotations in print order, then parameters, then the result.
    pub(super) fn function_type(&mut self, kind: Kind, clang: Option<NodeId>) -> Option<NodeId> {
        use Kind::*;
        let annotations = [
            clang,
            self.pop(SendingResultFunctionType),
            self.pop_if(|k| {
                matches!(k, GlobalActorFunctionType | IsolatedAnyFunctionType | NonIsolatedCallerFunctionType)
            }),
            self.pop(DifferentiableFunctionType),
            self.pop_if(|k| matches!(k, ThrowsAnnotation | TypedThrowsAnnotation)),
            self.pop(ConcurrentFunctionType),
            self.pop(AsyncAnnotation),
        ];
        let arguments = self.tuple_of_function(ArgumentTuple)?;
        let result = self.tuple_of_function(ReturnType)?;
        Some(self.typed_of(kind, annotations.into_iter().flatten().chain([arguments, result])))
    }

    /// Pops the parameters or the result of a function, where an empty list is an empty tuple.
    fn tuple_of_function(&mut self, kind: Kind) -> Option<NodeId> {
        let ty = match self.pop(Kind::EmptyList) {
            Some(_) => self.typed(Kind::Tuple, &[]),
            None => self.pop(Kind::Type)?,
        };
        Some(self.node(kind, &[ty]))
    }

    /// Returns the parameter labels of a function with parameters.
    pub(super) fn param_labels(&mut self, ty: NodeId) -> Option<NodeId> {
        use Kind::*;
        if !self.labels_in_types && self.pop(EmptyList).is_some() {
            return Some(self.leaf(LabelList));
        }
        let mut function = self.child(ty, 0).filter(|_| self.kind(ty) == Type)?;
        if self.kind(function) == DependentGenericType {
            let inner = self.child(function, 1)?;
            function = self.child(inner, 0)?;
        }
        if !matches!(self.kind(function), FunctionType | NoEscapeFunctionType) {
            return None;
        }
        let arguments = self.tree.child_of(function, ArgumentTuple)?;
        let params = self.child(arguments, 0)?;
        let params = self.child(params, 0)?;
        let is_tuple = self.kind(params) == Tuple;
        let count = if is_tuple { self.tree.children(params).len() } else { 1 };
        if count == 0 {
            return None;
        }
        if self.labels_in_types {
            // Swift 4.0 stores labels in the tuple, where the printer finds them.
            return if is_tuple { None } else { Some(self.leaf(LabelList)) };
        }
        let mut named = false;
        let start = self.lists.parts.len();
        for _ in 0..count {
            let label = self.pop_any();
            named |= match label.map(|label| self.kind(label)) {
                Some(Identifier) => true,
                Some(FirstElementMarker) => false,
                _ => {
                    self.lists.parts.truncate(start);
                    return None;
                }
            };
            self.lists.parts.extend(label);
        }
        if named {
            self.lists.parts[start..].reverse();
        } else {
            self.lists.parts.truncate(start);
        }
        Some(self.node_from(LabelList, start))
    }

    /// Parses a raw Itanium mangling after its length.
    pub(super) fn clang_type(&mut self) -> Option<NodeId> {
        let length = usize::try_from(self.natural()?).ok()?;
        let text = self.text.get(self.pos..self.pos.checked_add(length)?)?;
        self.pos += length;
        Some(self.name(Kind::ClangType, text))
    }

    /// Parses `I…_`: a lowered function type. Its types precede it, in the order of its parameters and results.
    pub(super) fn impl_function_type(&mut self) -> Option<NodeId> {
        let start = self.lists.parts.len();
        if self.eat(b's') {
            let (list, conformances) = self.impl_substitutions()?;
            let signature = self.pop(Kind::DependentGenericSignature)?;
            let parts = [signature, list].into_iter().chain(conformances);
            let node = self.node_of(Kind::ImplPatternSubstitutions, parts);
            self.lists.parts.push(node);
        }
        if self.eat(b'I') {
            let (list, conformances) = self.impl_substitutions()?;
            let node =
                self.node_of(Kind::ImplInvocationSubstitutions, [list].into_iter().chain(conformances));
            self.lists.parts.push(node);
        }
        let signature = self.pop(Kind::DependentGenericSignature);
        if signature.is_some() {
            // Pseudogeneric signatures print like others.
            self.eat(b'P');
        }
        self.impl_attributes()?;
        self.lists.parts.extend(signature);
        let attributes = self.lists.parts.len();
        let mut slots = Vec::new();
        self.impl_slots(&mut slots)?;
        // The types were pushed in order, so that the type of the last slot is on top.
        let types = self.lists.stack.len().checked_sub(slots.len())?;
        if self.lists.stack[types..].iter().any(|&ty| self.kind(ty) != Kind::Type) {
            return None;
        }
        let nodes = self.lists.parts.len();
        let mut first = attributes;
        for (n, slot) in slots.into_iter().enumerate() {
            let parts = self.lists.parts[first..slot.end].iter().copied();
            let children = parts.chain([self.lists.stack[types + n]]);
            let node = self.tree.add_of(slot.kind, Payload::None, children);
            self.lists.parts.push(node);
            first = slot.end;
        }
        self.lists.stack.truncate(types);
        self.lists.parts.drain(attributes..nodes);
        let node = self.node_from(Kind::ImplFunctionType, start);
        Some(self.type_of(node))
    }

    /// Returns the single type list of a substitution, and its conformances.
    fn impl_substitutions(&mut self) -> Option<(NodeId, Option<NodeId>)> {
        let (levels, conformances) = self.generic_arguments()?;
        let [list] = self.lists.parts[levels..] else { return None };
        self.lists.parts.truncate(levels);
        Some((list, conformances))
    }

    fn impl_attributes(&mut self) -> Option<()> {
        let attribute = |p: &mut Self, text: &str| p.part(Kind::ImplAttribute, text);
        if self.eat(b'e') {
            attribute(self, "@escaping");
        }
        if self.eat(b'A') {
            attribute(self, "@isolated(any)");
        }
        let differentiable = match self.peek() {
            b'd' => Some("@differentiable"),
            b'l' => Some("@differentiable(_linear)"),
            b'f' => Some("@differentiable(_forward)"),
            b'r' => Some("@differentiable(reverse)"),
            _ => None,
        };
        if let Some(text) = differentiable {
            self.pos += 1;
            attribute(self, text);
        }
        let callee = match self.next()? {
            b'y' => "@callee_unowned",
            b'g' => "@callee_guaranteed",
            b'x' => "@callee_owned",
            b't' => "@convention(thin)",
            _ => return None,
        };
        attribute(self, callee);
        // A single `z` begins the error result.
        let clang =
            self.peek() == b'z' && matches!(self.text.as_bytes().get(self.pos + 1), Some(b'B' | b'C'));
        self.pos += usize::from(clang);
        let convention = match self.peek() {
            b'B' => Some("block"),
            b'C' => Some("c"),
            b'M' if !clang => Some("method"),
            b'O' if !clang => Some("objc_method"),
            b'K' if !clang => Some("closure"),
            b'W' if !clang => Some("witness_method"),
            _ => None,
        };
        if let Some(name) = convention {
            self.pos += 1;
            let text = if clang {
                let ty = self.clang_type()?;
                let ty = self.tree.text(ty)?;
                format!("@convention({name}, mangledCType: \"{ty}\")")
            } else {
                format!("@convention({name})")
            };
            attribute(self, &text);
        }
        let coroutine = match self.peek() {
            b'A' => Some("@yield_once"),
            b'I' => Some("@yield_once_2"),
            b'G' => Some("@yield_many"),
            _ => None,
        };
        if let Some(text) = coroutine {
            self.pos += 1;
            attribute(self, text);
        }
        if self.eat(b'h') {
            attribute(self, "@Sendable");
        }
        if self.eat(b'H') {
            attribute(self, "@async");
        }
        if self.eat(b'T') {
            let part = self.leaf(Kind::ImplSendingResult);
            self.lists.parts.push(part);
        }
        Some(())
    }

    fn impl_slots(&mut self, slots: &mut Vec<Slot>) -> Option<()> {
        while let Some(convention) = param_convention(self.peek()) {
            self.pos += 1;
            self.part(Kind::ImplConvention, convention);
            for (letter, text) in [
                (b'w', "@noDerivative"),
                (b'T', "sending"),
                (b'I', "isolated"),
                (b'L', "sil_implicit_leading_param"),
            ] {
                if self.eat(letter) {
                    self.part(Kind::ImplParameterAttribute, text);
                }
            }
            slots.push(Slot { kind: Kind::ImplParameter, end: self.lists.parts.len() });
        }
        while let Some(convention) = result_convention(self.peek()) {
            self.pos += 1;
            let slot = self.impl_result(Kind::ImplResult, convention);
            slots.push(slot);
        }
        while self.eat(b'Y') {
            let convention = param_convention(self.next()?)?;
            let slot = self.impl_result(Kind::ImplYield, convention);
            slots.push(slot);
        }
        if self.eat(b'z') {
            let convention = result_convention(self.next()?)?;
            let slot = self.impl_result(Kind::ImplErrorResult, convention);
            slots.push(slot);
        }
        self.eat(b'_').then_some(())
    }

    fn impl_result(&mut self, kind: Kind, convention: &str) -> Slot {
        self.part(Kind::ImplConvention, convention);
        if self.eat(b'w') {
            self.part(Kind::ImplParameterAttribute, "@noDerivative");
        }
        Slot { kind, end: self.lists.parts.len() }
    }

    /// Adds a leaf with a text to the parts.
    fn part(&mut self, kind: Kind, text: &str) {
        let part = self.name(kind, text);
        self.lists.parts.push(part);
    }
}

/// A parameter or result whose type is still on the stack.
pub(super) struct Slot {
    kind: Kind,
    /// The end of its attributes in the parts, where the attributes of the next one begin.
    end: usize,
}

fn param_convention(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'i' => "@in",
        b'c' => "@in_constant",
        b'l' => "@inout",
        b'b' => "@inout_aliasable",
        b'n' => "@in_guaranteed",
        b'X' => "@in_cxx",
        b'x' => "@owned",
        b'g' => "@guaranteed",
        b'e' => "@deallocating",
        b'y' => "@unowned",
        b'v' => "@pack_owned",
        b'p' => "@pack_guaranteed",
        b'm' => "@pack_inout",
        _ => return None,
    })
}

fn result_convention(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'r' => "@out",
        b'o' => "@owned",
        b'd' => "@unowned",
        b'u' => "@unowned_inner_pointer",
        b'a' => "@autoreleased",
        b'k' => "@pack_out",
        b'l' => "@guaranteed_address",
        b'g' => "@guaranteed",
        b'm' => "@inout",
        _ => return None,
    })
}
