//! Specializations, and the functions of automatic differentiation.

use super::Parser;
use crate::node::{Kind, NodeId, Payload};

impl Parser<'_> {
    /// Parses a specialization: `T` and one of `f g G B s i p P t`.
    pub(super) fn specialization(&mut self, letter: u8) -> Option<NodeId> {
        use Kind::*;
        let start = self.lists.parts.len();
        let mut letter = letter;
        while letter == b't' {
            let index = self.natural().map_or(0, |n| n + 1);
            let dropped = self.number(DroppedArgument, index);
            self.lists.parts.push(dropped);
            letter = self.next()?;
        }
        let dropped = self.lists.parts.len() - start;
        let kind = match letter {
            b'g' => GenericSpecialization,
            b'G' => GenericSpecializationNotReAbstracted,
            b'B' => GenericSpecializationInResilienceDomain,
            b's' => GenericSpecializationPrespecialized,
            b'i' => InlinedGenericFunction,
            b'p' => GenericPartialSpecialization,
            b'P' => GenericPartialSpecializationNotReAbstracted,
            b'f' => {
                self.lists.parts.truncate(start);
                return self.signature_specialization();
            }
            _ => return None,
        };
        self.specialization_attributes()?;
        // The dropped arguments are mangled first, and printed after the attributes.
        self.lists.parts[start..].rotate_left(dropped);
        if matches!(kind, GenericPartialSpecialization | GenericPartialSpecializationNotReAbstracted) {
            let ty = self.pop(Type)?;
            let param = self.node(GenericSpecializationParam, &[ty]);
            self.lists.parts.push(param);
            return Some(self.node_from(kind, start));
        }
        let types = self.pop_list(|p| p.pop(Type))?;
        for at in types..self.lists.parts.len() {
            self.lists.parts[at] = self.node(GenericSpecializationParam, &[self.lists.parts[at]]);
        }
        Some(self.node_from(kind, start))
    }

    /// Parses the attributes of a specialization to parts.
    fn specialization_attributes(&mut self) -> Option<()> {
        if self.eat(b'q') {
            let serialized = self.leaf(Kind::IsSerialized);
            self.lists.parts.push(serialized);
        }
        if self.eat(b'a') {
            let removed = self.leaf(Kind::AsyncRemoved);
            self.lists.parts.push(removed);
        }
        let pass = self.next().filter(u8::is_ascii_digit)?;
        let pass = self.number(Kind::SpecializationPassID, u64::from(pass - b'0'));
        self.lists.parts.push(pass);
        Some(())
    }

    fn signature_specialization(&mut self) -> Option<NodeId> {
        use Kind::*;
        let start = self.lists.parts.len();
        self.specialization_attributes()?;
        let mut params = Vec::new();
        while !self.eat(b'_') {
            params.push((FunctionSignatureSpecializationParam, self.signature_param()?));
        }
        if !self.eat(b'n') {
            params.push((FunctionSignatureSpecializationReturn, self.signature_param()?));
        }
        // The operands of the kinds precede the operator, the operand of the last kind on top.
        for (_, param) in params.iter_mut().rev() {
            let Some(&kind) = param.first() else { continue };
            let what = self.tree.text(kind).unwrap_or_default();
            let (is_string, is_closure) =
                (what.starts_with("[Constant Propagated String"), what.starts_with("[Closure"));
            let takes_types = is_closure || what == "[Constant Propagated KeyPath : ";
            if !(takes_types || is_string || what.ends_with("Function : ") || what.ends_with("Global : ")) {
                continue;
            }
            let at = param.len();
            while let Some(ty) = self.pop(Type) {
                if !takes_types {
                    return None;
                }
                param.push(ty);
            }
            let name = self.pop(Identifier)?;
            let text = self.tree.text(name)?;
            let text = if is_string { text.strip_prefix('_').unwrap_or(text) } else { text }.to_string();
            param.push(self.name(ParamPayload, &text));
            param[at..].reverse();
        }
        for (kind, param) in params {
            let node = self.node(kind, &param);
            self.lists.parts.push(node);
        }
        Some(self.node_from(FunctionSignatureSpecialization, start))
    }

    /// Parses the kind of one argument, in the words in which it prints.
    fn signature_param(&mut self) -> Option<Vec<NodeId>> {
        let kind = |p: &mut Self, text: &str| p.name(Kind::ParamKind, text);
        let mut parts = Vec::new();
        match self.next()? {
            b'n' => {}
            b'c' => parts.push(kind(self, "[Closure Propagated : ")),
            b'p' => match self.next()? {
                b'f' => parts.push(kind(self, "[Constant Propagated Function : ")),
                b'g' => parts.push(kind(self, "[Constant Propagated Global : ")),
                b'k' => parts.push(kind(self, "[Constant Propagated KeyPath : ")),
                b'i' => {
                    parts.push(kind(self, "[Constant Propagated Integer : "));
                    parts.push(self.digits()?);
                }
                b'd' => {
                    parts.push(kind(self, "[Constant Propagated Float : "));
                    parts.push(self.digits()?);
                }
                b's' => {
                    let encoding = match self.next()? {
                        b'b' => "u8",
                        b'w' => "u16",
                        b'c' => "objc",
                        _ => return None,
                    };
                    parts.push(kind(self, "[Constant Propagated String : "));
                    parts.push(self.name(Kind::ParamPayload, encoding));
                }
                _ => return None,
            },
            b'e' => {
                let text = self.flags("Existential To Protocol Constrained Generic", b"DGOX")?;
                parts.push(kind(self, &text));
            }
            b'd' => {
                let text = self.flags("Dead", b"GOX")?;
                parts.push(kind(self, &text));
            }
            b'g' => {
                let text = self.flags("Owned To Guaranteed", b"X")?;
                parts.push(kind(self, &text));
            }
            b'o' => {
                let text = self.flags("Guaranteed To Owned", b"X")?;
                parts.push(kind(self, &text));
            }
            b'x' => parts.push(kind(self, "Exploded")),
            b'i' => parts.push(kind(self, "Value Promoted from Box")),
            b's' => parts.push(kind(self, "Stack Promoted from Box")),
            b'r' => parts.push(kind(self, "InOut Converted to Out")),
            _ => return None,
        }
        Some(parts)
    }

    fn flags(&mut self, first: &str, letters: &[u8]) -> Option<String> {
        let mut text = first.to_string();
        for &letter in letters {
            if self.eat(letter) {
                text.push_str(match letter {
                    b'D' => " and Dead",
                    b'G' => " and Owned To Guaranteed",
                    b'O' => " and Guaranteed To Owned",
                    _ => " and Exploded",
                });
            }
        }
        Some(text)
    }

    fn digits(&mut self) -> Option<NodeId> {
        let start = self.pos;
        while self.peek().is_ascii_digit() {
            self.pos += 1;
        }
        let text = &self.text[start..self.pos];
        (!text.is_empty()).then(|| self.name(Kind::ParamPayload, text))
    }

    /// Parses the index subsets of parameters and results, `S` and `U`.
    fn index_subset(&mut self) -> Option<NodeId> {
        let start = self.pos;
        while matches!(self.peek(), b'S' | b'U') {
            self.pos += 1;
        }
        let text = &self.text[start..self.pos];
        (!text.is_empty()).then(|| self.name(Kind::IndexSubset, text))
    }

    fn autodiff_kind(&mut self) -> Option<NodeId> {
        let letter = self.next()?;
        let text = match letter {
            b'f' => "forward-mode derivative",
            b'r' => "reverse-mode derivative",
            b'd' => "differential",
            b'p' => "pullback",
            _ => return None,
        };
        let payload = self.tree.keep(text);
        Some(self.tree.add(Kind::AutoDiffFunctionKind, payload, &[]))
    }

    /// Pops all nodes as the differentiated entity.
    fn rest_of_stack(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.lists.stack)
    }

    /// Parses `TJ…`.
    pub(super) fn autodiff(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.peek() {
            b'S' => {
                self.pos += 1;
                let kind = self.autodiff_kind()?;
                let params = self.index_subset()?;
                self.eat(b'p').then_some(())?;
                let results = self.index_subset()?;
                self.eat(b'r').then_some(())?;
                let subset = self.index_subset()?;
                self.eat(b'P').then_some(())?;
                let mut parts = self.rest_of_stack();
                parts.extend([kind, params, results, subset]);
                Some(self.node(AutoDiffSubsetParametersThunk, &parts))
            }
            b'O' => {
                self.pos += 1;
                let kind = self.autodiff_kind()?;
                let signature = self.pop(DependentGenericSignature);
                let to = self.pop(Type)?;
                let from = self.pop(Type)?;
                Some(self.node_of(
                    AutoDiffSelfReorderingReabstractionThunk,
                    [from, to].into_iter().chain(signature).chain([kind]),
                ))
            }
            b'V' => {
                self.pos += 1;
                self.autodiff_function(AutoDiffDerivativeVTableThunk)
            }
            _ => self.autodiff_function(AutoDiffFunction),
        }
    }

    fn autodiff_function(&mut self, kind: Kind) -> Option<NodeId> {
        let signature = self.pop(Kind::DependentGenericSignature);
        let mut parts = self.rest_of_stack();
        parts.extend(signature);
        parts.push(self.autodiff_kind()?);
        parts.push(self.index_subset()?);
        self.eat(b'p').then_some(())?;
        parts.push(self.index_subset()?);
        self.eat(b'r').then_some(())?;
        Some(self.node(kind, &parts))
    }

    /// Parses `WJ…`.
    pub(super) fn differentiability_witness(&mut self) -> Option<NodeId> {
        let signature = self.pop(Kind::DependentGenericSignature);
        let mut parts = self.rest_of_stack();
        let letter = self.next().filter(|c| b"dlfr".contains(c))?;
        parts.push(self.tree.add(Kind::Index, Payload::Index(u64::from(letter)), &[]));
        parts.push(self.index_subset()?);
        self.eat(b'p').then_some(())?;
        parts.push(self.index_subset()?);
        self.eat(b'r').then_some(())?;
        parts.extend(signature);
        Some(self.node(Kind::DifferentiabilityWitness, &parts))
    }
}
