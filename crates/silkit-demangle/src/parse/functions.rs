//! Function types, formal and lowered.

use super::Parser;
use crate::node::{Kind, NodeId};

impl Parser<'_> {
    /// Parses a function type. The node contains the annotations in print order, then parameters, then the result.
    pub(super) fn function_type(&mut self, kind: Kind, clang: Option<NodeId>) -> Option<NodeId> {
        use Kind::*;
        let mut children: Vec<NodeId> = clang.into_iter().collect();
        children.extend(self.pop(SendingResultFunctionType));
        children.extend(self.pop_if(|k| {
            matches!(k, GlobalActorFunctionType | IsolatedAnyFunctionType | NonIsolatedCallerFunctionType)
        }));
        children.extend(self.pop(DifferentiableFunctionType));
        children.extend(self.pop_if(|k| matches!(k, ThrowsAnnotation | TypedThrowsAnnotation)));
        children.extend(self.pop(ConcurrentFunctionType));
        children.extend(self.pop(AsyncAnnotation));
        for part in [ArgumentTuple, ReturnType] {
            let ty = match self.pop(EmptyList) {
                Some(_) => self.typed(Tuple, &[]),
                None => self.pop(Type)?,
            };
            children.push(self.node(part, &[ty]));
        }
        Some(self.typed(kind, &children))
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
        let mut labels = Vec::with_capacity(count.min(64));
        if self.labels_in_types {
            // Swift 4.0 stores labels in the tuple, where the printer finds them.
            return if is_tuple { None } else { Some(self.leaf(LabelList)) };
        }
        let mut named = false;
        for _ in 0..count {
            let label = self.pop_any()?;
            named |= match self.kind(label) {
                Identifier => true,
                FirstElementMarker => false,
                _ => return None,
            };
            labels.push(label);
        }
        labels.reverse();
        if !named {
            labels.clear();
        }
        Some(self.node(LabelList, &labels))
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
        let mut children = Vec::new();
        if self.eat(b's') {
            let mut parts = self.impl_substitutions()?;
            parts.insert(0, self.pop(Kind::DependentGenericSignature)?);
            children.push(self.node(Kind::ImplPatternSubstitutions, &parts));
        }
        if self.eat(b'I') {
            let parts = self.impl_substitutions()?;
            children.push(self.node(Kind::ImplInvocationSubstitutions, &parts));
        }
        let signature = self.pop(Kind::DependentGenericSignature);
        if signature.is_some() {
            // Pseudogeneric signatures print like others.
            self.eat(b'P');
        }
        self.impl_attributes(&mut children)?;
        children.extend(signature);
        let mut slots = Vec::new();
        self.impl_slots(&mut slots)?;
        // The types were pushed in order, so that the type of the last slot is on top.
        for slot in slots.iter_mut().rev() {
            slot.parts.push(self.pop(Kind::Type)?);
        }
        for slot in slots {
            children.push(self.node(slot.kind, &slot.parts));
        }
        Some(self.typed(Kind::ImplFunctionType, &children))
    }

    /// Returns the single type list of a substitution, and its conformances.
    fn impl_substitutions(&mut self) -> Option<Vec<NodeId>> {
        let (levels, conformances) = self.generic_arguments()?;
        let [types] = &levels[..] else { return None };
        let list = self.node(Kind::TypeList, types);
        Some([list].into_iter().chain(conformances).collect())
    }

    fn impl_attributes(&mut self, out: &mut Vec<NodeId>) -> Option<()> {
        let attribute = |p: &mut Self, text: &str| p.name(Kind::ImplAttribute, text);
        if self.eat(b'e') {
            out.push(attribute(self, "@escaping"));
        }
        if self.eat(b'A') {
            out.push(attribute(self, "@isolated(any)"));
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
            out.push(attribute(self, text));
        }
        let callee = match self.next()? {
            b'y' => "@callee_unowned",
            b'g' => "@callee_guaranteed",
            b'x' => "@callee_owned",
            b't' => "@convention(thin)",
            _ => return None,
        };
        out.push(attribute(self, callee));
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
            out.push(attribute(self, &text));
        }
        let coroutine = match self.peek() {
            b'A' => Some("@yield_once"),
            b'I' => Some("@yield_once_2"),
            b'G' => Some("@yield_many"),
            _ => None,
        };
        if let Some(text) = coroutine {
            self.pos += 1;
            out.push(attribute(self, text));
        }
        if self.eat(b'h') {
            out.push(attribute(self, "@Sendable"));
        }
        if self.eat(b'H') {
            out.push(attribute(self, "@async"));
        }
        if self.eat(b'T') {
            out.push(self.leaf(Kind::ImplSendingResult));
        }
        Some(())
    }

    fn impl_slots(&mut self, slots: &mut Vec<Slot>) -> Option<()> {
        while let Some(convention) = param_convention(self.peek()) {
            self.pos += 1;
            let mut parts = vec![self.name(Kind::ImplConvention, convention)];
            for (letter, text) in [
                (b'w', "@noDerivative"),
                (b'T', "sending"),
                (b'I', "isolated"),
                (b'L', "sil_implicit_leading_param"),
            ] {
                if self.eat(letter) {
                    parts.push(self.name(Kind::ImplParameterAttribute, text));
                }
            }
            slots.push(Slot { kind: Kind::ImplParameter, parts });
        }
        while let Some(convention) = result_convention(self.peek()) {
            self.pos += 1;
            let parts = self.impl_result(convention);
            slots.push(Slot { kind: Kind::ImplResult, parts });
        }
        while self.eat(b'Y') {
            let convention = param_convention(self.next()?)?;
            let parts = self.impl_result(convention);
            slots.push(Slot { kind: Kind::ImplYield, parts });
        }
        if self.eat(b'z') {
            let convention = result_convention(self.next()?)?;
            let parts = self.impl_result(convention);
            slots.push(Slot { kind: Kind::ImplErrorResult, parts });
        }
        self.eat(b'_').then_some(())
    }

    fn impl_result(&mut self, convention: &str) -> Vec<NodeId> {
        let mut parts = vec![self.name(Kind::ImplConvention, convention)];
        if self.eat(b'w') {
            parts.push(self.name(Kind::ImplParameterAttribute, "@noDerivative"));
        }
        parts
    }
}

/// A parameter or result whose type is still on the stack.
pub(super) struct Slot {
    kind: Kind,
    parts: Vec<NodeId>,
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
