//! The tables of a file: interned entities with indices local to the file.

use crate::body::Shape;
use crate::codec::Codec;
use crate::sink::Sink;
use silkit_base::{FxHashMap, FxHashSet, Interned, Symbol};
use silkit_ir::{DebugVarData, DeclRef, KeyPathData, Opcode};
use silkit_types::{GenericSig, SilType, Type};

/// A table of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    Symbols,
    Decls,
    Types,
    Signatures,
    LoweredTypes,
    Variables,
    KeyPaths,
    Opcodes,
}

/// The number of tables.
pub(crate) const TABLES: usize = 8;

impl Table {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Table::Symbols => "strings",
            Table::Decls => "declaration references",
            Table::Types => "types",
            Table::Signatures => "generic signatures",
            Table::LoweredTypes => "lowered types",
            Table::Variables => "debug variables",
            Table::KeyPaths => "key path patterns",
            Table::Opcodes => "instructions",
        }
    }

    /// Writes the contents of an entry.
    pub(crate) fn write_entry(self, raw: u32, sink: &mut Sink<'_>) {
        match self {
            // Strings have a section with its own format.
            Table::Symbols => {}
            Table::Decls => DeclRef::from_u32(raw).data().write(sink),
            Table::Types => Type::from_u32(raw).kind().write(sink),
            Table::Signatures => GenericSig::from_u32(raw).data().write(sink),
            Table::LoweredTypes => {
                let ty = SilType::from_u32(raw);
                ty.is_address().write(sink);
                ty.ty().write(sink);
            }
            Table::Variables => DebugVarData::of(Interned::from_u32(raw)).write(sink),
            Table::KeyPaths => KeyPathData::of(Interned::from_u32(raw)).write(sink),
            Table::Opcodes => crate::layout::write_opcode(opcode(raw), sink),
        }
    }
}

pub(crate) fn opcode(raw: u32) -> Opcode {
    Opcode::ALL[raw as usize]
}

/// The number of references to each entity, in order of first occurrence.
#[derive(Default)]
struct Counts {
    index: FxHashMap<u32, u32>,
    entries: Vec<(u32, u32)>,
}

/// The entities that a module references, with the number of references.
#[derive(Default)]
pub(crate) struct Census {
    counts: [Counts; TABLES],
    shape_index: FxHashMap<Shape, u32>,
    shapes: Vec<(Shape, u32)>,
    /// Entities that were found and not visited yet.
    fresh: Vec<Node>,
}

impl Census {
    pub(crate) fn count(&mut self, table: Table, raw: u32) {
        let Counts { index, entries } = &mut self.counts[table as usize];
        let next = entries.len() as u32;
        let at = *index.entry(raw).or_insert(next);
        if at == next {
            entries.push((raw, 0));
            self.fresh.push((table, raw));
        }
        entries[at as usize].1 += 1;
    }

    pub(crate) fn count_shape(&mut self, shape: &Shape) {
        if let Some(&at) = self.shape_index.get(shape) {
            self.shapes[at as usize].1 += 1;
            return;
        }
        self.shape_index.insert(shape.clone(), self.shapes.len() as u32);
        self.shapes.push((shape.clone(), 1));
        shape.write(&mut Sink::count(self));
    }

    /// Counts the references of the entries, and assigns an index to every entry.
    pub(crate) fn finish(mut self) -> (Numbering, Order) {
        while let Some((table, raw)) = self.fresh.pop() {
            table.write_entry(raw, &mut Sink::count(&mut self));
        }
        let mut order = Order::default();
        for (ordered, counts) in order.tables.iter_mut().zip(&mut self.counts) {
            // The sort is stable: entries with equal counts stay in order of first occurrence.
            counts.entries.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            ordered.extend(counts.entries.iter().map(|&(raw, _)| raw));
        }
        order.nodes = parts_first(&order);
        let of = |wanted: Table| order.nodes.iter().filter(move |n| n.0 == wanted).map(|n| n.1);
        let (types, signatures) = (of(Table::Types).collect(), of(Table::Signatures).collect());
        order.tables[Table::Types as usize] = types;
        order.tables[Table::Signatures as usize] = signatures;
        self.shapes.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        order.shapes = self.shapes.into_iter().map(|(shape, _)| shape).collect();
        let numbers = |entries: &Vec<u32>| (0..).zip(entries).map(|(n, &raw)| (raw, n)).collect();
        let numbering = Numbering {
            tables: std::array::from_fn(|table| numbers(&order.tables[table])),
            shapes: order.shapes.iter().cloned().zip(0..).collect(),
        };
        (numbering, order)
    }
}

/// A type or a generic signature.
pub(crate) type Node = (Table, u32);

/// The entries of the tables, in order.
#[derive(Default)]
pub(crate) struct Order {
    tables: [Vec<u32>; TABLES],
    /// Types and generic signatures, each after its parts.
    pub(crate) nodes: Vec<Node>,
    pub(crate) shapes: Vec<Shape>,
}

impl Order {
    pub(crate) fn entries(&self, table: Table) -> &[u32] {
        &self.tables[table as usize]
    }

    pub(crate) fn strings(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.entries(Table::Symbols).iter().map(|&raw| Symbol::from_u32(raw).as_str())
    }
}

/// Returns types and signatures in order, but each after its parts.
fn parts_first(order: &Order) -> Vec<Node> {
    let mut done: FxHashSet<(u32, bool)> = FxHashSet::default();
    let key = |(table, raw): Node| (raw, table == Table::Types);
    let mut nodes = Vec::new();
    let roots = |table: Table| order.entries(table).iter().map(move |&raw| (table, raw));
    let mut stack: Vec<(Node, Vec<Node>)> = Vec::new();
    for root in roots(Table::Types).chain(roots(Table::Signatures)) {
        if !done.contains(&key(root)) {
            stack.push((root, parts(root)));
        }
        while let Some((node, open)) = stack.last_mut() {
            if let Some(part) = open.pop() {
                if !done.contains(&key(part)) {
                    stack.push((part, parts(part)));
                }
                continue;
            }
            let node = *node;
            stack.pop();
            if done.insert(key(node)) {
                nodes.push(node);
            }
        }
    }
    nodes
}

fn parts((table, raw): Node) -> Vec<Node> {
    let mut parts = Vec::new();
    table.write_entry(raw, &mut Sink::list(&mut parts));
    parts.retain(|part| matches!(part.0, Table::Types | Table::Signatures));
    parts
}

/// The index in the file of each interned entity.
pub(crate) struct Numbering {
    tables: [FxHashMap<u32, u32>; TABLES],
    shapes: FxHashMap<Shape, u32>,
}

impl Numbering {
    #[inline]
    pub(crate) fn get(&self, table: Table, raw: u32) -> u32 {
        self.tables[table as usize][&raw]
    }

    pub(crate) fn shape(&self, shape: &Shape) -> u32 {
        self.shapes[shape]
    }
}
