//! Instruction simplification: peephole rewrites, one file for each kind of instruction.
//!
//! Each file declares its [`Rule`]; [`RULES`] lists every rule once. [`driver`] applies the rules of a pipeline with one
//! worklist. A rule works with a [`Rewriter`], which does not depend on the driver, so that other passes with a
//! worklist can apply the same rules.

mod address_scope;
mod alloc_ref_dynamic;
mod alloc_stack;
mod apply;
mod begin_borrow;
mod begin_cow_mutation;
mod branch;
mod bridge_object;
mod builtin;
mod checked_cast_addr_br;
mod checked_cast_br;
mod cond_br;
mod cond_fail;
mod convert_escape_to_noescape;
mod copy_value;
mod counting;
mod debug_step;
mod destroy_value;
mod destructure;
mod driver;
mod empty_collection;
mod fix_lifetime;
mod forwarding;
mod global_value;
mod init_enum_data_addr;
mod key_path;
mod key_path_access;
mod load;
mod load_borrow;
mod opened;
mod partial_apply;
mod pointer_to_address;
mod rewriter;
mod struct_extract;
mod switch_enum;
mod tuple_extract;
mod type_value;
mod unchecked_enum_data;
mod unchecked_ref_cast;
mod unconditional_checked_cast;
mod witness_method;

pub(crate) use address_scope::address_users;
use bitflags::bitflags;
use rewriter::Rewriter;
use silkit_ir::{Inst, Opcode};
use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[driver::ONONE, driver::LATE_ONONE, driver::FULL];

bitflags! {
    /// The pipelines in which a rule applies.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Pipelines: u8 {
        /// `onone-simplification` and `late-onone-simplification`.
        const ONONE = 1;
        /// `simplification`.
        const FULL = 1 << 1;
        /// All pipelines.
        const ALL = Self::ONONE.bits() | Self::FULL.bits();
    }
}

/// The simplification of one kind of instruction.
pub(crate) struct Rule {
    /// The kind of instruction.
    pub(crate) opcode: Opcode,
    /// The pipelines that apply the rule.
    pub(crate) pipelines: Pipelines,
    /// Simplifies an instruction of this kind, if possible.
    pub(crate) simplify: fn(&mut Rewriter<'_, '_>, Inst),
}

impl Rule {
    /// Creates a rule that applies in all pipelines.
    pub(crate) const fn always(opcode: Opcode, simplify: fn(&mut Rewriter<'_, '_>, Inst)) -> Self {
        Self { opcode, pipelines: Pipelines::ALL, simplify }
    }

    /// Creates a rule for optimized code only.
    pub(crate) const fn optimized(opcode: Opcode, simplify: fn(&mut Rewriter<'_, '_>, Inst)) -> Self {
        Self { opcode, pipelines: Pipelines::FULL, simplify }
    }
}

/// All rules; each kind of instruction has at most one.
pub(crate) const RULES: &[Rule] = &[
    alloc_ref_dynamic::RULE,
    alloc_stack::RULE,
    apply::APPLY,
    apply::BEGIN_APPLY,
    apply::TRY_APPLY,
    begin_borrow::RULE,
    begin_cow_mutation::RULE,
    branch::RULE,
    bridge_object::CLASSIFY,
    bridge_object::FROM_VALUE,
    builtin::RULE,
    checked_cast_addr_br::RULE,
    checked_cast_br::RULE,
    cond_br::RULE,
    cond_fail::RULE,
    convert_escape_to_noescape::RULE,
    copy_value::RULE,
    counting::RELEASE_VALUE,
    counting::RETAIN_VALUE,
    counting::STRONG_RELEASE,
    counting::STRONG_RETAIN,
    debug_step::RULE,
    destroy_value::RULE,
    destructure::DESTRUCTURE_STRUCT,
    destructure::DESTRUCTURE_TUPLE,
    destructure::TUPLE,
    fix_lifetime::RULE,
    global_value::RULE,
    init_enum_data_addr::RULE,
    key_path::RULE,
    load::RULE,
    load_borrow::RULE,
    partial_apply::RULE,
    pointer_to_address::RULE,
    struct_extract::RULE,
    switch_enum::RULE,
    tuple_extract::RULE,
    type_value::RULE,
    unchecked_enum_data::RULE,
    unchecked_ref_cast::RULE,
    unconditional_checked_cast::RULE,
    witness_method::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_one_rule() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[index + 1..].iter().all(|other| other.opcode != rule.opcode), "{:?}", rule.opcode);
        }
    }
}
