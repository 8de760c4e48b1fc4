//! Tests of access bases, storages and access paths.

use super::{Test, TestFn};
use crate::printers::access_dump::base;
use crate::printers::storage::StoragePrinter;
use silkit_analysis::access::{AccessPathWithBase, AccessScopes, find};
use silkit_analysis::alias::base_path;
use silkit_ir::{Body, Opcode, Value};

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("accesspath", accesspath),
    ("compute_access_storage", compute_access_storage),
    ("get_access_base", get_access_base),
    ("get_typed_access_address", get_typed_access_address),
    ("swift_get_access_base", swift_get_access_base),
];

fn find_access(test: &Test<'_, '_>, address: Value) -> Option<AccessPathWithBase> {
    test.with_view(|view| find(view, address, AccessScopes::Through))
}

/// Prints the access base of an address.
fn accesspath(test: &mut Test<'_, '_>) -> Result<(), String> {
    let address = test.value()?;
    test.print_function();
    test.print_value("Access path for: ", address);
    match find_access(test, address).and_then(|found| found.base) {
        Some(base) => test.print_value("  base: ", base),
        None => test.print("  base: unidentified\n"),
    }
    Ok(())
}

/// Prints the storage of an address, which is the same for all accesses to it.
fn compute_access_storage(test: &mut Test<'_, '_>) -> Result<(), String> {
    let address = test.value()?;
    test.print_function();
    test.print_value("Address: ", address);
    let shown = match find_access(test, address) {
        Some(found) => test.with_view(|view| StoragePrinter::new(test.cx, *view).storage(&found.storage)),
        None => "INVALID\n".to_owned(),
    };
    test.print(shown);
    Ok(())
}

fn get_access_base(test: &mut Test<'_, '_>) -> Result<(), String> {
    let address = test.value()?;
    test.print_function();
    test.print_value("Address: ", address);
    match find_access(test, address).and_then(|found| found.base) {
        Some(base) => test.print_value("Base: ", base),
        None => test.print("Base: unidentified\n"),
    }
    Ok(())
}

/// Prints the typed access address that the argument is projected from.
fn get_typed_access_address(test: &mut Test<'_, '_>) -> Result<(), String> {
    let address = test.value()?;
    test.print_function();
    test.print_value("Address: ", address);
    let found = typed_access_address(test.body(), address);
    test.print_value("Access: ", found);
    Ok(())
}

/// Returns the address from which projections lead to another one.
fn typed_access_address(body: &Body, address: Value) -> Value {
    let mut address = address;
    // Invalid SIL may define values in terms of each other.
    for _ in 0..=body.inst_bound() {
        let Some(def) = body.defining_inst(address) else { break };
        let is_projection = matches!(
            body.inst(def).opcode,
            Opcode::StructElementAddr
                | Opcode::TupleElementAddr
                | Opcode::IndexAddr
                | Opcode::TailAddr
                | Opcode::InitEnumDataAddr
                | Opcode::UncheckedTakeEnumDataAddr
                | Opcode::OpenExistentialAddr
        );
        if !is_projection {
            break;
        }
        address = body.operand_value(def, 0);
    }
    address
}

fn swift_get_access_base(test: &mut Test<'_, '_>) -> Result<(), String> {
    let address = test.value()?;
    test.print_value("Address: ", address);
    let found = test.with_view(|view| base_path(view, address).base);
    let shown = base(test.body(), &test.dump(), found);
    test.print(format!("Base: {shown}"));
    Ok(())
}
