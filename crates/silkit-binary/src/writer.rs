//! The writer of modules.

use crate::body;
use crate::codec::Codec;
use crate::container::{Section, assemble, checksum};
use crate::entities::{write_functions, write_globals, write_rest, write_vtables, write_witness_tables};
use crate::error::WriteError;
use crate::sink::Sink;
use crate::tables::{Census, Order, Table};
use rayon::prelude::*;
use silkit_ir::{Body, Module};

/// Returns the binary form of a module. The output is deterministic.
///
/// # Errors
/// Returns an error if an instruction does not match the instruction table, which does not happen for parsed modules,
/// or if the file would be larger than 4 GiB.
pub fn write_module(module: &Module) -> Result<Vec<u8>, WriteError> {
    write_module_of(module, "")
}

/// Returns the binary form of a module with the name of its source text, for [`crate::Reader::source`].
///
/// # Errors
/// Returns the errors of [`write_module`], and an error if the name is longer than 64 KiB.
pub fn write_module_of(module: &Module, source: &str) -> Result<Vec<u8>, WriteError> {
    let bodies: Vec<(&str, &Body)> = bodies(module).collect();
    let mut census = Census::default();
    write_functions(module, &mut Sink::count(&mut census));
    write_globals(module, &mut Sink::count(&mut census));
    write_vtables(module, &mut Sink::count(&mut census));
    write_witness_tables(module, &mut Sink::count(&mut census));
    write_rest(module, &mut Sink::count(&mut census));
    for (owner, body) in &bodies {
        body::write(body, &mut Sink::count(&mut census)).map_err(|m| WriteError::unfit(owner, &m))?;
    }
    let (numbering, order) = census.finish();
    let written: Vec<Vec<u8>> = bodies
        .par_iter()
        .map(|(owner, body)| {
            let mut sink = Sink::number_by(&numbering);
            body::write(body, &mut sink).map_err(|m| WriteError::unfit(owner, &m))?;
            Ok(sink.bytes)
        })
        .collect::<Result<_, _>>()?;
    let sections = Section::ALL.map(|section| {
        let mut sink = Sink::number_by(&numbering);
        write_section(section, module, &order, &written, &mut sink);
        section.store(sink.bytes, true)
    });
    assemble(concat!("silkit ", env!("CARGO_PKG_VERSION")), source, &sections)
        .ok_or_else(WriteError::too_large)
}

/// Returns all bodies with the names of their owners, in the order of the file.
fn bodies(module: &Module) -> impl Iterator<Item = (&str, &Body)> {
    let functions = module.functions.values().filter_map(|f| Some((f.name.as_str(), f.body.as_ref()?)));
    let globals = module.globals.values().filter_map(|g| Some((g.name.as_str(), g.initializer.as_ref()?)));
    functions.chain(globals)
}

fn write_section(section: Section, module: &Module, order: &Order, bodies: &[Vec<u8>], sink: &mut Sink<'_>) {
    match section {
        Section::Strings => {
            sink.entries(order.strings(), |sink, text| sink.raw(text.as_bytes()));
        }
        Section::Decls => write_table(Table::Decls, order, sink),
        Section::Types => {
            sink.entries(&order.nodes, |sink, &(table, raw)| {
                (table == Table::Signatures).write(sink);
                table.write_entry(raw, sink);
            });
        }
        Section::LoweredTypes => write_table(Table::LoweredTypes, order, sink),
        Section::Variables => write_table(Table::Variables, order, sink),
        Section::KeyPaths => write_table(Table::KeyPaths, order, sink),
        Section::Instructions => {
            let opcodes = order.entries(Table::Opcodes);
            sink.length(opcodes.len());
            opcodes.iter().for_each(|&raw| Table::Opcodes.write_entry(raw, sink));
        }
        Section::Shapes => {
            sink.length(order.shapes.len());
            order.shapes.iter().for_each(|shape| shape.write(sink));
        }
        Section::Functions => write_functions(module, sink),
        Section::Globals => write_globals(module, sink),
        Section::VTables => write_vtables(module, sink),
        Section::WitnessTables => write_witness_tables(module, sink),
        Section::Rest => write_rest(module, sink),
        Section::Index => {
            sink.length(bodies.len());
            for body in bodies {
                sink.raw(&checksum(body).to_le_bytes());
                sink.length(body.len());
            }
        }
        Section::Bodies => bodies.iter().for_each(|body| sink.raw(body)),
    }
}

fn write_table(table: Table, order: &Order, sink: &mut Sink<'_>) {
    sink.entries(order.entries(table), |sink, &raw| table.write_entry(raw, sink));
}
