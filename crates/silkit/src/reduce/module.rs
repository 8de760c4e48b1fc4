//! Reduction of module entities: bodies, tables, variables, Swift declarations, attributes.

use super::Shrink;
use crate::extract::{
    declarations_besides_imports, extract, extract_minimal, keep_swift, map_declarations,
    without_inherited_types,
};
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::{
    Block, ClassRef, Function, FunctionAttributes, FunctionEffects, FunctionFlags, Inst, Loc, Module,
    VTableEntry, WitnessEntry, WitnessTable, WitnessTableOf,
};

/// An item that may be removed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// Everything that bodies do not need, including all tables.
    Unneeded,
    /// The unreferenced functions and globals.
    UnneededDeclarations,
    /// The unneeded Swift declarations.
    UnneededSwift,
    /// The body of a function, and the function itself if it is not referenced.
    Body(Symbol),
    Global(Symbol),
    Initializer(Symbol),
    VTable(ClassRef),
    VTableEntry(ClassRef, VTableEntry),
    WitnessTable(WitnessTableOf),
    WitnessEntry(WitnessTableOf, WitnessEntry),
    DefaultWitnessTable(WitnessTableOf),
    /// All tables of the kinds that are removed as one item.
    OtherTables,
    /// A Swift declaration, by its text.
    SwiftDeclaration(Box<str>),
    /// The inheritance clause of a Swift declaration, by the text of the declaration.
    InheritedTypes(Box<str>),
    /// The lines of a member of a Swift declaration.
    SwiftMember(Box<str>),
    /// The attributes of a function.
    Attributes(Symbol),
    /// Debug scopes and the locations of instructions.
    DebugInfo,
    /// The code after a block, which ends with `unreachable` instead.
    Rest(Symbol, Block),
    /// All successors of a block except for the one with this index.
    OtherEdges(Symbol, Block, u32),
    /// An argument of a block.
    Argument(Symbol, Block, u32),
    /// Branches between blocks that are each other's only neighbour.
    Branches(Symbol),
    /// An instruction.
    Inst(Symbol, Inst),
    /// An operand, by index.
    Operand(Symbol, Inst, u32),
}

/// The reductions of module entities.
pub(super) const SHRINKS: &[Shrink] = &[
    Shrink { items: "modules", list: |_| vec![Item::Unneeded], drop: drop_unneeded },
    Shrink { items: "function bodies", list: bodies, drop: drop_bodies },
    Shrink { items: "tables", list: tables, drop: drop_tables },
    Shrink { items: "table entries", list: entries, drop: drop_entries },
    Shrink {
        items: "declarations",
        list: |_| vec![Item::UnneededDeclarations],
        drop: |module, _| drop_unneeded_declarations(module),
    },
    Shrink { items: "global variables", list: globals, drop: drop_globals },
    Shrink { items: "Swift declarations", list: |_| vec![Item::UnneededSwift], drop: drop_unneeded_swift },
    Shrink {
        items: "Swift declarations, one by one",
        list: swift_declarations,
        drop: drop_swift_declarations,
    },
    Shrink { items: "inheritance clauses", list: clauses, drop: drop_clauses },
    Shrink { items: "members of Swift declarations", list: swift_members, drop: drop_swift_members },
    Shrink {
        items: "debug locations",
        list: |_| vec![Item::DebugInfo],
        drop: |module, _| drop_debug_info(module),
    },
    Shrink { items: "attributes", list: attributes, drop: drop_attributes },
];

fn has_body(function: &&Function) -> bool {
    function.body.is_some()
}

fn has_tables(module: &Module) -> bool {
    !module.vtables.is_empty()
        || !module.witness_tables.is_empty()
        || !module.default_witness_tables.is_empty()
}

fn swift_bytes(module: &Module) -> usize {
    module.swift.iter().map(|swift| swift.text.len()).sum()
}

/// Returns the number of entities in a module other than bodies.
fn count(module: &Module) -> usize {
    let tables = module.vtables.len() + module.witness_tables.len() + module.default_witness_tables.len();
    let others = module.properties.len() + module.coverage_maps.len() + module.default_override_tables.len();
    tables + others + module.functions.len() + module.globals.len() + swift_bytes(module)
}

fn drop_unneeded(module: &mut Module, _: &[Item]) -> bool {
    let before = count(module);
    let whole = std::mem::take(module);
    let kept: FxHashSet<Symbol> = whole.functions.values().filter(has_body).map(|f| f.name).collect();
    *module = extract_minimal(whole, |name| kept.contains(&Symbol::from(name)));
    count(module) < before
}

fn drop_unneeded_declarations(module: &mut Module) -> bool {
    let before = count(module);
    let whole = std::mem::take(module);
    *module = extract(whole, |_| true);
    count(module) < before
}

fn drop_unneeded_swift(module: &mut Module, _: &[Item]) -> bool {
    let before = swift_bytes(module) + module.deinits.len();
    keep_swift(module);
    swift_bytes(module) + module.deinits.len() < before
}

fn bodies(module: &Module) -> Vec<Item> {
    module.functions.values().filter(has_body).map(|f| Item::Body(f.name)).collect()
}

fn drop_bodies(module: &mut Module, items: &[Item]) -> bool {
    let dropped: FxHashSet<&str> = items
        .iter()
        .filter_map(|i| if let Item::Body(name) = i { Some(name.as_str()) } else { None })
        .collect();
    let whole = std::mem::take(module);
    let is_kept = |name: &str| !dropped.contains(name);
    *module = if has_tables(&whole) { extract(whole, is_kept) } else { extract_minimal(whole, is_kept) };
    true
}

fn tables(module: &Module) -> Vec<Item> {
    let vtables = module.vtables.values().map(|t| Item::VTable(t.class));
    let witnesses = module.witness_tables.values().map(|t| Item::WitnessTable(t.of.clone()));
    let defaults = module.default_witness_tables.values().map(|t| Item::DefaultWitnessTable(t.of.clone()));
    vtables.chain(witnesses).chain(defaults).chain([Item::OtherTables]).collect()
}

fn drop_tables(module: &mut Module, items: &[Item]) -> bool {
    let before = count(module);
    for item in items {
        if *item == Item::OtherTables {
            module.default_override_tables.clear();
            module.differentiability_witnesses.clear();
            module.properties.clear();
            module.coverage_maps.clear();
            module.deinits.clear();
        }
    }
    let classes: FxHashSet<ClassRef> =
        items.iter().filter_map(|i| if let Item::VTable(class) = i { Some(*class) } else { None }).collect();
    let of = |pick: fn(&Item) -> Option<&WitnessTableOf>| -> FxHashSet<&WitnessTableOf> {
        items.iter().filter_map(pick).collect()
    };
    let witnesses = of(|i| if let Item::WitnessTable(of) = i { Some(of) } else { None });
    let defaults = of(|i| if let Item::DefaultWitnessTable(of) = i { Some(of) } else { None });
    module.vtables.retain(|t| !classes.contains(&t.class));
    module.witness_tables.retain(|t| !witnesses.contains(&t.of));
    module.default_witness_tables.retain(|t| !defaults.contains(&t.of));
    count(module) < before
}

fn entries(module: &Module) -> Vec<Item> {
    let vtables = module.vtables.values();
    let methods = vtables.flat_map(|t| t.entries.iter().map(|e| Item::VTableEntry(t.class, e.clone())));
    let of = |t: &WitnessTable| {
        let entries: Vec<Item> =
            t.entries.iter().flatten().map(|e| Item::WitnessEntry(t.of.clone(), e.clone())).collect();
        entries
    };
    methods.chain(module.witness_tables.values().flat_map(of)).collect()
}

fn drop_entries(module: &mut Module, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        match item {
            Item::VTableEntry(class, entry) => {
                if let Some(table) = module.vtables.by_key_mut(class) {
                    let before = table.entries.len();
                    table.entries.retain(|e| e != entry);
                    is_changed |= table.entries.len() < before;
                }
            }
            Item::WitnessEntry(of, entry) => {
                if let Some(entries) = module.witness_tables.by_key_mut(of).and_then(|t| t.entries.as_mut()) {
                    let before = entries.len();
                    entries.retain(|e| e != entry);
                    is_changed |= entries.len() < before;
                }
            }
            _ => {}
        }
    }
    is_changed
}

fn globals(module: &Module) -> Vec<Item> {
    let initialized = module.globals.values().filter(|g| g.initializer.is_some());
    let initializers: Vec<Item> = initialized.map(|g| Item::Initializer(g.name)).collect();
    module.globals.values().map(|g| Item::Global(g.name)).chain(initializers).collect()
}

fn drop_globals(module: &mut Module, items: &[Item]) -> bool {
    let mut dropped: FxHashSet<Symbol> = FxHashSet::default();
    let mut is_changed = false;
    for item in items {
        match item {
            Item::Global(name) => _ = dropped.insert(*name),
            Item::Initializer(name) => {
                if let Some(global) = module.globals.by_key_mut(name) {
                    is_changed |= global.initializer.take().is_some();
                }
            }
            _ => {}
        }
    }
    let before = module.globals.len();
    module.globals.retain(|g| !dropped.contains(&g.name));
    is_changed || module.globals.len() < before
}

/// Returns the Swift declarations other than imports, which tell where the remaining names come from.
fn declared(module: &Module) -> impl Iterator<Item = &str> {
    module.swift.iter().flat_map(|swift| declarations_besides_imports(&swift.text))
}

/// Replaces Swift declarations, or drops those for which `map` returns `None`. Returns true if the module shrank.
fn map_swift(module: &mut Module, map: impl Fn(&str) -> Option<String>) -> bool {
    let before = swift_bytes(module);
    for swift in &mut module.swift {
        swift.text = map_declarations(&swift.text, &map).into();
    }
    module.swift.retain(|swift| !swift.text.is_empty());
    swift_bytes(module) < before
}

fn swift_declarations(module: &Module) -> Vec<Item> {
    declared(module).map(|text| Item::SwiftDeclaration(text.into())).collect()
}

fn drop_swift_declarations(module: &mut Module, items: &[Item]) -> bool {
    let dropped: FxHashSet<&str> = items
        .iter()
        .filter_map(|i| if let Item::SwiftDeclaration(text) = i { Some(&**text) } else { None })
        .collect();
    map_swift(module, |text| (!dropped.contains(text)).then(|| text.to_owned()))
}

fn clauses(module: &Module) -> Vec<Item> {
    let inheriting = declared(module).filter(|text| without_inherited_types(text).is_some());
    inheriting.map(|text| Item::InheritedTypes(text.into())).collect()
}

fn drop_clauses(module: &mut Module, items: &[Item]) -> bool {
    let dropped: FxHashSet<&str> = items
        .iter()
        .filter_map(|i| if let Item::InheritedTypes(text) = i { Some(&**text) } else { None })
        .collect();
    map_swift(module, |text| {
        let cut = if dropped.contains(text) { without_inherited_types(text) } else { None };
        Some(cut.unwrap_or_else(|| text.to_owned()))
    })
}

/// Returns the member that begins with the first line of `text`, up to the line that closes its last brace.
fn first_member(text: &str) -> Option<&str> {
    if !text.starts_with([' ', '\t']) {
        return None;
    }
    let (mut open, mut end) = (0usize, 0);
    for line in text.split_inclusive('\n') {
        open += line.matches('{').count();
        open = open.checked_sub(line.matches('}').count())?;
        end += line.len();
        if open == 0 {
            return Some(&text[..end]);
        }
    }
    None
}

fn swift_members(module: &Module) -> Vec<Item> {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for swift in &module.swift {
        let mut at = 0;
        for line in swift.text.split_inclusive('\n') {
            seen.extend(first_member(&swift.text[at..]));
            at += line.len();
        }
    }
    let mut members: Vec<&str> = seen.into_iter().collect();
    // Large members first, since they contain others.
    members.sort_unstable_by_key(|member| (std::cmp::Reverse(member.len()), *member));
    members.into_iter().map(|member| Item::SwiftMember(member.into())).collect()
}

fn drop_swift_members(module: &mut Module, items: &[Item]) -> bool {
    let dropped: FxHashSet<&str> = items
        .iter()
        .filter_map(|i| if let Item::SwiftMember(text) = i { Some(&**text) } else { None })
        .collect();
    let mut is_changed = false;
    for swift in &mut module.swift {
        let (mut kept, mut rest) = (String::new(), &*swift.text);
        while let Some(line) = rest.split_inclusive('\n').next() {
            let is_dropped = |member: &&str| dropped.contains(member);
            match first_member(rest).filter(is_dropped) {
                Some(member) => rest = &rest[member.len()..],
                None => {
                    kept.push_str(line);
                    rest = &rest[line.len()..];
                }
            }
        }
        if kept.len() < swift.text.len() {
            swift.text = kept.into();
            is_changed = true;
        }
    }
    is_changed
}

fn drop_debug_info(module: &mut Module) -> bool {
    let mut is_changed = !module.scopes.is_empty();
    for body in module.functions.values_mut().filter_map(|f| f.body.as_mut()) {
        let located: Vec<Inst> = body.insts().filter(|&inst| body.inst(inst).loc != Loc::NONE).collect();
        is_changed |= !located.is_empty();
        located.into_iter().for_each(|inst| body.edit().set_loc(inst, Loc::NONE));
    }
    module.scopes.clear();
    is_changed
}

/// Returns the attributes that a function needs for its unchanged body.
fn fewest_attributes(function: &Function) -> FunctionAttributes {
    let flags = function.attributes.flags & FunctionFlags::OSSA;
    FunctionAttributes { flags, ..FunctionAttributes::default() }
}

fn attributes(module: &Module) -> Vec<Item> {
    let has_more =
        |f: &&Function| f.attributes != fewest_attributes(f) || f.effects != FunctionEffects::default();
    module.functions.values().filter(has_more).map(|f| Item::Attributes(f.name)).collect()
}

fn drop_attributes(module: &mut Module, items: &[Item]) -> bool {
    for item in items {
        if let Item::Attributes(name) = item
            && let Some(function) = module.functions.by_key_mut(name)
        {
            function.attributes = fewest_attributes(function);
            function.effects = FunctionEffects::default();
        }
    }
    true
}
