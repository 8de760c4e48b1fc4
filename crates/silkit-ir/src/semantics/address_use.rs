//! Effects of instructions on the memory at their address operands.
//!
//! The column `address_use` of the instruction table declares the effect for each operand that can be an address:
//!
//! ```toml
//! address_use = "source: by_take, destination: by_init"    # of copy_addr
//! ```
//!
//! [`Body::address_use`] answers for an instance. Everything that reasons about memory (alias analysis, accesses,
//! escapes, memory lifetime, side effects, the verifier) starts from this answer. An analysis that must be less
//! precise, as the reference is, states that exception itself.

use crate::body::{Body, Inst, Operand};
use crate::info::{AddressRule, AddressUse, AttrKind};

impl Body {
    /// Returns the effect of the user of an operand on the memory at this operand, which must be an address.
    pub fn address_use(&self, operand: Operand) -> AddressUse {
        let inst = self.operand(operand).user;
        match self.operand_spec(operand) {
            Some(spec) => self.address_use_of(inst, spec),
            // A type-dependent operand: used only for the type that it opened.
            None => AddressUse::Mention,
        }
    }

    /// Returns true if an instruction has an address operand whose use satisfies `is`.
    pub fn uses_address(&self, inst: Inst, is: impl Fn(AddressUse) -> bool) -> bool {
        (0..self.info(inst).operands.len()).any(|spec| is(self.address_use_of(inst, spec)))
    }

    fn address_use_of(&self, inst: Inst, spec: usize) -> AddressUse {
        match self.info(inst).operands[spec].address {
            AddressRule::Always(using) => using,
            AddressRule::ByTake if self.has_flag_or_qualifier(inst, "take") => AddressUse::Take,
            AddressRule::ByTake => AddressUse::Read,
            AddressRule::ByInit if self.has_flag_or_qualifier(inst, "init") => AddressUse::Initialize,
            AddressRule::ByInit if self.info(inst).flag("init").is_some() => AddressUse::Assign,
            AddressRule::ByInit => match self.keyword(inst, "qualifier") {
                Some("assign") => AddressUse::Assign,
                _ => AddressUse::Overwrite,
            },
            AddressRule::ByCopy if self.has_flag(inst, "copy") => AddressUse::Read,
            AddressRule::ByCopy => AddressUse::Take,
            AddressRule::ByConsumption => match self.keyword(inst, "consumption") {
                Some("take_always") => AddressUse::Take,
                Some("take_on_success") => AddressUse::TakeOnSuccess,
                _ => AddressUse::Read,
            },
        }
    }

    fn has_flag_or_qualifier(&self, inst: Inst, word: &str) -> bool {
        self.has_flag(inst, word) || self.keyword(inst, "qualifier") == Some(word)
    }

    /// Returns the keyword of an attribute, by its name in the table.
    pub fn keyword(&self, inst: Inst, attribute: &str) -> Option<&'static str> {
        let attrs = self.info(inst).attrs;
        let at = attrs.iter().position(|attr| attr.name == attribute)?;
        let AttrKind::Choice(words, _) = attrs[at].kind else { return None };
        words.get(self.words(inst)[at] as usize).copied()
    }
}
