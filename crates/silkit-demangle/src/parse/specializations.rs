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
        if self.eat(b'r') {
            let changed = self.leaf(RepresentationChanged);
            self.lists.parts.push(changed);
            self.specialization_attributes()?;
            return Some(self.node_from(FunctionSignatureSpecialization, start));
        }
        self.specialization_attributes()?;
        let mut params = Vec::new();
        while !self.eat(b'_') {
            params.push((FunctionSignatureSpecializationParam, self.signature_param()?));
        }
        if !self.eat(b'n') {
            params.push((FunctionSignatureSpecializationReturn, self.signature_param()?));
        }
        // The operands of the kinds precede the operator, the operands of the last kind on top.
        for part in params.iter_mut().rev().flat_map(|(_, param)| param.iter_mut().rev()) {
            self.signature_operands(part)?;
        }
        for (kind, param) in params {
            let node = self.node(kind, &param.concat());
            self.lists.parts.push(node);
        }
        Some(self.node_from(FunctionSignatureSpecialization, start))
    }

    /// Pops the operands of one kind, and appends them to its part.
    fn signature_operands(&mut self, part: &mut Vec<NodeId>) -> Option<()> {
        let what = part.first().and_then(|&kind| self.tree.text(kind)).unwrap_or_default();
        let is_string = what.starts_with("[Constant Propagated String");
        let most_types = match what {
            "[Constant Propagated Struct : " => {
                part.push(self.pop(Kind::Type)?);
                return Some(());
            }
            "[Constant Propagated KeyPath : " => 2,
            _ if what.starts_with("[Closure") => usize::MAX,
            _ if is_string || what.ends_with("Function : ") || what.ends_with("Global : ") => 0,
            _ => return Some(()),
        };
        let at = part.len();
        while part.len() - at < most_types
            && let Some(ty) = self.pop(Kind::Type)
        {
            part.push(ty);
        }
        let name = self.pop(Kind::Identifier)?;
        let text = self.tree.text(name)?;
        let text = if is_string { text.strip_prefix('_').unwrap_or(text) } else { text }.to_string();
        part.push(self.name(Kind::ParamPayload, &text));
        part[at..].reverse();
        Some(())
    }

    /// Parses the kind of one argument, in the words in which it prints. A constant struct has a part for itself and
    /// one for each constant in it.
    fn signature_param(&mut self) -> Option<Vec<Vec<NodeId>>> {
        let text = match self.next()? {
            b'n' => return Some(Vec::new()),
            b'p' => {
                let is_struct = self.peek() == b'S';
                let mut parts = vec![self.constant()?];
                while is_struct && self.at_constant() {
                    parts.push(self.constant()?);
                }
                return Some(parts);
            }
            b'C' => {
                let argument = self.digits()?;
                return Some(vec![vec![self.name(Kind::ParamKind, "[Same As Argument "), argument]]);
            }
            b'c' => "[Closure Propagated : ".to_string(),
            b'e' => self.flags("Existential To Protocol Constrained Generic", b"DGOX")?,
            b'd' => self.flags("Dead", b"GOX")?,
            b'g' => self.flags("Owned To Guaranteed", b"X")?,
            b'o' => self.flags("Guaranteed To Owned", b"X")?,
            b'x' => "Exploded".to_string(),
            b'i' => "Value Promoted from Box".to_string(),
            b's' => "Stack Promoted from Box".to_string(),
            b'r' => "InOut Converted to Out".to_string(),
            _ => return None,
        };
        Some(vec![vec![self.name(Kind::ParamKind, &text)]])
    }

    /// Returns true if a constant of a struct follows rather than the kind of the next argument.
    fn at_constant(&self) -> bool {
        let next = self.text.as_bytes().get(self.pos + 1);
        match self.peek() {
            b'S' | b'f' | b'g' | b'k' => true,
            b'i' | b'd' => next.is_some_and(u8::is_ascii_digit),
            b's' => matches!(next, Some(b'b' | b'w' | b'c')),
            _ => false,
        }
    }

    /// Parses the kind of a constant, with the number or the encoding that follows it.
    fn constant(&mut self) -> Option<Vec<NodeId>> {
        let kind = |p: &mut Self, text: &str| p.name(Kind::ParamKind, text);
        Some(match self.next()? {
            b'f' => vec![kind(self, "[Constant Propagated Function : ")],
            b'g' => vec![kind(self, "[Constant Propagated Global : ")],
            b'k' => vec![kind(self, "[Constant Propagated KeyPath : ")],
            b'S' => vec![kind(self, "[Constant Propagated Struct : ")],
            b'i' => vec![kind(self, "[Constant Propagated Integer : "), self.digits()?],
            b'd' => vec![kind(self, "[Constant Propagated Float : "), self.digits()?],
            b's' => {
                let encoding = match self.next()? {
                    b'b' => "u8",
                    b'w' => "u16",
                    b'c' => "objc",
                    _ => return None,
                };
                let kind = kind(self, "[Constant Propagated String : ");
                vec![kind, self.name(Kind::ParamPayload, encoding)]
            }
            _ => return None,
        })
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
