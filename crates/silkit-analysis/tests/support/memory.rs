//! What analyses of memory say: aliases, storage, locations, escapes.

use super::{Names, Subject, each_view, list, optional};
use silkit_analysis::access::{AccessScopes, AccessStorage, accessed_addresses, closures_of, find, uses};
use silkit_analysis::alias::{BasePath, Relation};
use silkit_analysis::escape::{AnyEscape, Direction};
use silkit_analysis::memory::{Locations, RootKind, is_opaque, memory_use, switched_edges};
use silkit_analysis::ossa::{AddressLiveRange, Borrows, projected_address};
use silkit_analysis::{BodyView, Component, Effects, ProjectionPath};
use silkit_ir::conventions::Conventions;
use silkit_ir::{Inst, Opcode, Value};

/// Returns the letters of effects on memory and ownership.
pub(crate) fn effects(effects: Effects) -> String {
    let letters =
        [(Effects::READ, 'r'), (Effects::WRITE, 'w'), (Effects::COPY, 'c'), (Effects::DESTROY, 'd')];
    letters.iter().filter(|(effect, _)| effects.contains(*effect)).map(|(_, letter)| letter).collect()
}

/// Values that hold or are addresses, in order.
fn pointers(view: &BodyView<'_>, names: &Names) -> Vec<Value> {
    names
        .all_values()
        .iter()
        .copied()
        .filter(|&v| !view.holds_nothing(v) || view.ty(v).is_address())
        .collect()
}

fn addresses(view: &BodyView<'_>, names: &Names) -> Vec<Value> {
    names.all_values().iter().copied().filter(|&v| view.ty(v).is_address()).collect()
}

/// Returns what each use of an address does to the memory there, as the table says it and as each analysis takes it.
pub(crate) fn address_use(input: &str) -> String {
    each_view(&Subject::parse(input), |view, names| {
        let body = view.body;
        let mut text = String::new();
        for operand in body.insts().flat_map(|inst| body.operand_ids(inst)) {
            let data = body.operand(operand);
            if !view.ty(data.value).is_address() {
                continue;
            }
            let accessed = accessed_addresses(view, data.user).contains(&operand);
            text += &format!(
                "{} {}: {:?}{}{}{}\n",
                names.operand(body, operand),
                body.info(data.user).name,
                body.address_use(operand),
                if accessed { ", accessed" } else { "" },
                if is_opaque(body.inst(data.user).opcode) { ", opaque" } else { "" },
                if projected_address(body, operand).is_some() { ", projects" } else { "" },
            );
        }
        text
    })
}

/// Returns where addresses begin, how pairs of values are related, and what instructions do to each address.
pub(crate) fn alias(input: &str) -> String {
    each_view(&Subject::parse(input), |view, names| {
        let aliases = view.aliases();
        let mut text = String::new();
        for address in addresses(view, names) {
            let BasePath { base, path, .. } = aliases.base_path(address);
            let object = optional(base.object(view.body).map(|v| names.value(v)));
            let known = if base.has_known_kind() { "" } else { "?" };
            let itself = if aliases.meets_itself(address) { "" } else { ", never itself" };
            text += &format!(
                "{}: {}{known} of {object}, path {path}{itself}\n",
                names.value(address),
                base.kind_name()
            );
        }
        let values = pointers(view, names);
        let others = names.all_values().iter().filter(|value| !values.contains(value));
        for (&a, &b) in others.zip(values.iter().cycle()) {
            assert_eq!([aliases.relation(a, b), aliases.relation(b, a)], [Relation::NoPointer; 2]);
        }
        for (at, &a) in values.iter().enumerate() {
            let row = values[at + 1..].iter().map(|&b| {
                let (relation, back) = (aliases.relation(a, b), aliases.relation(b, a));
                assert_eq!(relation.may_alias(), aliases.may_alias(a, b));
                let turned = if back.may_alias() == relation.may_alias() { "" } else { "!" };
                let mark = if relation.may_alias() { "=" } else { "" };
                format!("{}{mark}{turned}{}", names.value(b), relation.rule().replace("may-alias", ""))
            });
            text += &format!("{} and {}\n", names.value(a), list(row));
        }
        for inst in view.body.insts() {
            let row = addresses(view, names).into_iter().filter_map(|address| {
                let found = aliases.memory(inst, address);
                assert_eq!(aliases.may_read(inst, address), found.contains(Effects::READ));
                assert_eq!(aliases.may_write(inst, address), found.contains(Effects::WRITE));
                (!found.is_empty()).then(|| format!("{}:{}", names.value(address), effects(found)))
            });
            let row: Vec<String> = row.collect();
            if !row.is_empty() {
                text += &format!("{}: {}\n", names.inst(inst), row.join(" "));
            }
        }
        text
    })
}

fn storage(names: &Names, storage: &AccessStorage) -> String {
    let value = optional(storage.value.map(|v| names.value(v)));
    let reference = if storage.is_reference() { " reference" } else { "" };
    format!("{} {:?} of {value}{reference}", storage.kind_name(), storage.kind)
}

/// Returns the storage of each address, and the uses of it.
pub(crate) fn access(input: &str) -> String {
    each_view(&Subject::parse(input), |view, names| {
        let mut text = String::new();
        for address in addresses(view, names) {
            for (how, scopes) in [("through", AccessScopes::Through), ("stop", AccessScopes::StopAt)] {
                let Some(found) = find(view, address, scopes) else {
                    text += &format!("{} {how}: none\n", names.value(address));
                    continue;
                };
                let path = optional(found.path.as_ref().map(|path| path.to_string()));
                let (storage_name, base) =
                    (storage(names, &found.storage), optional(found.base.map(|v| names.value(v))));
                text += &format!("{} {how}: {storage_name}, from {base} by {path}\n", names.value(address));
                if let Some(path) = found.path.filter(|_| scopes == AccessScopes::Through) {
                    let mut all: Vec<String> = uses(view, found.storage, &path)
                        .iter()
                        .map(|u| format!("{}={:?}", names.operand(view.body, u.operand), u.overlap))
                        .collect();
                    all.sort();
                    text += &format!("  uses: {}\n", list(all));
                }
            }
        }
        for inst in view.body.insts() {
            let accessed = accessed_addresses(view, inst);
            if !accessed.is_empty() {
                let operands = list(accessed.into_iter().map(|o| names.operand(view.body, o)));
                text += &format!("{} accesses {operands}\n", names.inst(inst));
            }
        }
        for &value in names.all_values() {
            if view.ty(value).ty().as_function().is_some() {
                text +=
                    &format!("closures {}: {}\n", names.value(value), names.insts(closures_of(view, value)));
            }
        }
        text
    })
}

/// Returns the trees of memory of a body, and what is done to them.
pub(crate) fn locations(input: &str) -> String {
    each_view(&Subject::parse(input), |view, names| {
        let found = Locations::compute(view);
        let mut text = String::new();
        for root in &found.roots {
            let kind = match root.kind {
                RootKind::Argument(convention, role) => format!("{convention:?} {role:?}"),
                RootKind::Allocation(inst) => names.inst(inst),
                RootKind::Yielded(convention, inst) => format!("{convention:?} {}", names.inst(inst)),
            };
            text += &format!("root {} {kind}\n", names.value(root.value));
            for at in root.locations.clone() {
                let location = &found.locations[at as usize];
                let parent = optional(location.parent.map(|p| p.to_string()));
                let parts = if found.has_parts(at) { " with parts" } else { "" };
                assert_eq!(found.root_of(at).value, root.value);
                text += &format!(
                    "  location {at}: {} in {parent}, leaves {:?}{parts}\n",
                    names.value(location.value),
                    location.leaves
                );
            }
            let addresses = &found.addresses[root.addresses.start as usize..root.addresses.end as usize];
            text += &format!(
                "  addresses: {}\n",
                list(addresses.iter().map(|(v, at)| format!("{}={at}", names.value(*v))))
            );
            for access in &found.accesses[root.accesses.start as usize..root.accesses.end as usize] {
                let owns = if access.owns { " owning" } else { "" };
                assert_eq!(view.body.operand(access.operand).user, access.inst);
                text += &format!(
                    "  {} at {}{owns}: needs {:?} leaves {:?} {:?}{}\n",
                    names.operand(view.body, access.operand),
                    access.location,
                    access.effect.needs,
                    access.effect.leaves,
                    access.effect.on_edges,
                    if access.effect.changes { " changes" } else { "" }
                );
            }
        }
        let leaf = |(at, leaf): (usize, &silkit_analysis::memory::Leaf)| {
            let (owns, known) = (if leaf.owns { "+" } else { "" }, if leaf.is_known { "" } else { "?" });
            format!("{at}:{}{owns}{known}", leaf.location)
        };
        text += &format!("leaves: {}\n", list(found.leaves.iter().enumerate().map(leaf)));
        for (value, operand) in &found.left_out {
            text += &format!(
                "left out {} for {}\n",
                names.value(*value),
                optional(operand.map(|o| names.operand(view.body, o)))
            );
        }
        for inst in view.body.insts() {
            let edges = switched_edges(view, inst);
            if !edges.is_empty() {
                text += &format!("{} switches edges {edges:?}\n", names.inst(inst));
            }
        }
        for address in addresses(view, names) {
            for operand in view.body.uses(address) {
                let shown = memory_use(view, operand).map(|u| {
                    let derived = u.derived.map(|(v, how)| format!(" {how:?} {}", names.value(v)));
                    format!("{:?} {:?} {:?}{}", u.needs, u.leaves, u.on_edges, derived.unwrap_or_default())
                });
                text += &format!("use {}: {}\n", names.operand(view.body, operand), optional(shown));
            }
        }
        text
    })
}

/// Returns which values escape, by their paths and in both directions.
pub(crate) fn escape(input: &str) -> String {
    each_view(&Subject::parse(input), |view, names| {
        let escapes = view.escapes();
        let anything = ProjectionPath::of(Component::Anything);
        let mut text = String::new();
        for value in pointers(view, names) {
            let ask = |path, direction| escapes.escapes(value, path, direction, &mut AnyEscape);
            let answers = [
                ("up", ask(ProjectionPath::EMPTY, Direction::Up)),
                ("down", ask(ProjectionPath::EMPTY, Direction::Down)),
                ("all", ask(anything, Direction::Down)),
                ("in", ask(view.addresses_in(value), Direction::Up)),
                (
                    "soon",
                    escapes.escapes_within(value, ProjectionPath::EMPTY, Direction::Up, &mut AnyEscape, 3),
                ),
            ];
            let escaping = answers.iter().filter(|(_, answer)| *answer).map(|(name, _)| (*name).to_owned());
            text += &format!("{} ({}): {}\n", names.value(value), view.addresses_in(value), list(escaping));
        }
        text
    })
}

/// Returns how long memory holds what addresses lead to, asked at every use of an address.
pub(crate) fn live_range(input: &str) -> String {
    each_view(&Subject::parse(input), |view, names| {
        let ownership = view.all_ownership();
        let borrows = Borrows::new(view.body, &ownership);
        let conventions = Conventions::of(view.function, view.addresses());
        let mut text = String::new();
        let ask = |address: Value, at: Inst| {
            let base = view.aliases().base_path(address).base;
            let range = AddressLiveRange::of(&borrows, conventions.as_ref(), base, at);
            let Some(range) = range else { return "not known".to_owned() };
            let covered = names.insts(view.body.insts().filter(|&i| range.covers(i)));
            match range {
                AddressLiveRange::Caller(v) => format!("caller {}", names.value(v)),
                AddressLiveRange::Global(name) => format!("global {name}"),
                AddressLiveRange::Local(v, _) => format!("local {}: {covered}", names.value(v)),
                AddressLiveRange::Owned(v, _) => format!("owned {}: {covered}", names.value(v)),
                AddressLiveRange::Borrowed(all) => {
                    format!("borrowed {}: {covered}", names.values(all.into_iter().map(|(v, _)| v)))
                }
            }
        };
        for address in addresses(view, names) {
            for operand in view.body.uses(address) {
                let user = view.body.operand(operand).user;
                if !matches!(view.body.inst(user).opcode, Opcode::EndAccess | Opcode::DeallocStack) {
                    text += &format!(
                        "{} at {}: {}\n",
                        names.value(address),
                        names.inst(user),
                        ask(address, user)
                    );
                }
            }
        }
        text
    })
}
