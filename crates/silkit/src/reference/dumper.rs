//! The output of `-ownership-dumper`: the ownership constraints of operands and the ownership of results.

use super::ReferenceRenderer;
use super::ownership::{constraint, kind};
use silkit_ir::conventions::Addresses;
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{Function, Module};
use silkit_types::TypeFacts;
use std::fmt::Write;

/// Returns the ownership of operands and results in all functions, in the reference's format. Entries that depend on
/// unknown types are omitted.
pub fn dump_ownership(module: &Module, facts: &dyn TypeFacts, addresses: Addresses) -> String {
    module.functions.values().map(|function| dump_function(module, function, facts, addresses)).collect()
}

fn dump_function(
    module: &Module,
    function: &Function,
    facts: &dyn TypeFacts,
    addresses: Addresses,
) -> String {
    let Some(body) = &function.body else { return String::new() };
    let ownership = BodyOwnership::new(body, OwnershipContext::new(function, facts, addresses));
    let dump = ReferenceRenderer::new(module).dump(body);
    let mut out = format!("*** Dumping Function: '{}'\n", function.name.as_str());
    for inst in body.insts() {
        let _ = write!(out, "Visiting: {}", dump.inst(inst, ""));
        let operands = body.operand_ids(inst).filter_map(|o| Some((o, ownership.operand(o)?)));
        for (i, (operand, how)) in operands.enumerate() {
            out.push_str(if i == 0 { "Ownership Constraint:\n" } else { "" });
            let (number, wanted) = (body.operand_index(operand), constraint(how.constraint()));
            let _ = writeln!(out, "Op #: {number}\nConstraint: {wanted}");
        }
        for (i, value) in body.results(inst).enumerate() {
            out.push_str(if i == 0 { "Results Ownership Kinds:\n" } else { "" });
            let _ = write!(out, "Result: {}", dump.value(value, ""));
            if let Some(owned) = ownership.value(value) {
                let _ = writeln!(out, "Kind: {}", kind(owned));
            }
        }
    }
    out
}
