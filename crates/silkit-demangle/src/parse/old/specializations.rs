//! `_TTS…`: specializations of functions.

use super::OldParser;
use crate::node::{Kind, NodeId};

/// The meanings of option letters, in the order in which they are mangled and printed.
const OPTIONS: &[(u8, &str)] =
    &[(b'd', "Dead"), (b'g', "Owned To Guaranteed"), (b'o', "Guaranteed To Owned"), (b's', "Exploded")];

impl OldParser<'_, '_> {
    pub(super) fn specialization(&mut self) -> Option<NodeId> {
        use Kind::*;
        let kind = match self.p.next()? {
            b'g' => GenericSpecialization,
            b'r' => GenericSpecializationNotReAbstracted,
            b'f' => FunctionSignatureSpecialization,
            _ => return None,
        };
        let mut parts = Vec::new();
        if self.p.eat(b'q') {
            parts.push(self.p.leaf(IsSerialized));
        }
        parts.push(self.pass()?);
        parts.extend(if kind == FunctionSignatureSpecialization {
            self.until_end(Self::signature_param)?
        } else {
            self.until_end(Self::generic_param)?
        });
        Some(self.p.node(kind, &parts))
    }

    /// Parses the replacement type of a parameter, and its conformances.
    fn generic_param(&mut self) -> Option<NodeId> {
        let mut parts = vec![self.ty()?];
        parts.extend(self.until_end(Self::conformance)?);
        Some(self.p.node(Kind::GenericSpecializationParam, &parts))
    }

    fn signature_param(&mut self) -> Option<NodeId> {
        let mut parts = Vec::new();
        if self.eat_word("n_") {
            // The argument is unchanged.
        } else if self.eat_word("cp") {
            self.constant(&mut parts)?;
        } else if self.eat_word("cl") {
            parts.push(self.what("[Closure Propagated : "));
            parts.push(self.payload()?);
            // The list ends at an entity that is not a type, which is dropped.
            while !matches!(self.p.peek(), 0 | b'_')
                && let Some(ty) = self.ty()
            {
                parts.push(ty);
            }
            self.expect_word("_")?;
        } else if self.eat_word("i_") {
            parts.push(self.what("Value Promoted from Box"));
        } else if self.eat_word("k_") {
            parts.push(self.what("Stack Promoted from Box"));
        } else if self.eat_word("r_") {
            parts.push(self.what("InOut Converted to Out"));
        } else {
            let options: Vec<&str> =
                OPTIONS.iter().filter(|row| self.p.eat(row.0)).map(|&(_, words)| words).collect();
            self.expect_word("_")?;
            if options.is_empty() {
                return None;
            }
            parts.push(self.what(&options.join(" and ")));
        }
        Some(self.p.node(Kind::FunctionSignatureSpecializationParam, &parts))
    }

    fn what(&mut self, words: &str) -> NodeId {
        self.p.name(Kind::ParamKind, words)
    }

    fn payload(&mut self) -> Option<NodeId> {
        self.identifier(Some(Kind::ParamPayload))
    }

    /// Parses a constant up to its underscore.
    fn constant(&mut self, parts: &mut Vec<NodeId>) -> Option<()> {
        if self.eat_word("fr") {
            parts.push(self.what("[Constant Propagated Function : "));
            parts.push(self.payload()?);
        } else if self.eat_word("g") {
            parts.push(self.what("[Constant Propagated Global : "));
            parts.push(self.payload()?);
        } else if self.eat_word("i") {
            parts.push(self.what("[Constant Propagated Integer : "));
            parts.push(self.literal()?);
        } else if self.eat_word("fl") {
            parts.push(self.what("[Constant Propagated Float : "));
            parts.push(self.literal()?);
        } else if self.eat_word("se") {
            let encoding = match self.p.next()? {
                b'0' => "u8",
                b'1' => "u16",
                _ => return None,
            };
            self.expect_word("v")?;
            parts.push(self.what("[Constant Propagated String : "));
            parts.push(self.p.name(Kind::ParamPayload, encoding));
            parts.push(self.payload()?);
        } else {
            return None;
        }
        self.expect_word("_")
    }

    /// Parses a literal, which ends at the next underscore.
    fn literal(&mut self) -> Option<NodeId> {
        let rest = self.p.text.get(self.p.pos..)?;
        let text = rest.split('_').next().unwrap_or(rest);
        self.p.pos += text.len();
        Some(self.p.name(Kind::ParamPayload, text))
    }
}
