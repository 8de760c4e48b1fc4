//! Rows of the table of builtins.

use super::{OperandOwnership, RuntimeEffects, StackEffect, ValueOwnership};
use crate::builtin_name::BuiltinTypes;
use crate::release::Releases;

/// One row of the table of builtins.
#[derive(Debug)]
pub struct BuiltinInfo {
    /// The name, without the type suffixes of an overloaded builtin.
    pub name: &'static str,
    /// The name in the reference compiler.
    pub id: &'static str,
    /// The type suffixes that the name may have.
    pub types: BuiltinTypes,
    /// Its effect on the stack.
    pub stack: StackEffect,
    /// True if it may access memory.
    pub reads_and_writes: bool,
    /// The ownership constraint of its operands.
    pub operands: OperandOwnership,
    /// The ownership constraint of the last operand.
    pub last: OperandOwnership,
    /// Ownership constraints of individual operands that differ from `operands`.
    pub at: &'static [(usize, OperandOwnership)],
    /// The ownership of the result.
    pub result: ValueOwnership,
    /// The runtime effects that it may have.
    pub runtime: RuntimeEffects,
    /// The releases of Swift that have it.
    pub releases: Releases,
}

impl BuiltinInfo {
    /// Returns the builtin with this name, which may have type suffixes: `add_Int64`.
    pub fn find(name: &str) -> Option<&'static BuiltinInfo> {
        let table = crate::generated::BUILTINS;
        let mut name = name;
        loop {
            if let Ok(at) = table.binary_search_by(|b| b.name.cmp(name)) {
                return Some(&table[at]);
            }
            name = name.rsplit_once('_')?.0;
        }
    }

    /// Returns the ownership constraint of an operand, given the number of operands.
    pub fn operand(&self, index: usize, count: usize) -> OperandOwnership {
        match self.at.iter().find(|(at, _)| *at == index) {
            Some((_, ownership)) => *ownership,
            None if index + 1 == count => self.last,
            None => self.operands,
        }
    }
}
