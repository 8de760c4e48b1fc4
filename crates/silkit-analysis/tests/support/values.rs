//! What analyses of values and of ownership say.

use super::{Names, Subject, each_view, list, optional, with_borrows, with_view};
use silkit_analysis::alias::TypeRules;
use silkit_analysis::ossa::{
    BlockLiveness, Borrows, Boundary, Def, Extent, FieldLiveness, Incomplete, Interior, Liveness, UseKind,
    Variable, enclosed_phis, leaf_count,
};
use silkit_analysis::{
    ArrayCall, DeadEnds, Dominators, Epilogue, EpilogueKind, Induction, RcIdentity, destruction_may_store,
};
use silkit_ir::conventions::{Addresses, Conventions};
use silkit_ir::{Body, Inst, Value};
use silkit_testkit::cases::table;
use silkit_types::Type;

/// Induction variables with their steps, and the phi of each value that is part of one.
pub(crate) fn induction(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let found = Induction::compute(body);
    let mut text = String::new();
    for &value in names.all_values() {
        if let Some(step) = found.step(value) {
            let (add, increment) = (names.inst(step.add), names.inst(step.increment));
            text += &format!("{} counts by {increment} at {add}\n", names.value(value));
        }
        if let Some(header) = found.header(value) {
            text += &format!("{} is part of {}\n", names.value(value), names.value(header));
        }
    }
    text
}

/// Returns the values whose reference count another value has.
pub(crate) fn rc_identity(input: &str) -> String {
    let subject = Subject::parse(input);
    with_view(&subject, |view| {
        let names = Names::of(view.body);
        let dominators = Dominators::compute(view.body);
        let identity = RcIdentity::new(view, &dominators);
        let mut text = String::new();
        for &value in names.all_values() {
            let (source, root) = (identity.source(value), identity.root(value));
            if source.is_some() || root != value {
                let source = optional(source.map(|v| names.value(v)));
                text += &format!("{}: from {source}, root {}\n", names.value(value), names.value(root));
            }
        }
        text
    })
}

/// Returns the last retains and releases of a function.
pub(crate) fn epilogue(input: &str) -> String {
    let subject = Subject::parse(input);
    with_view(&subject, |view| {
        let body = view.body;
        let names = Names::of(body);
        let dominators = Dominators::compute(body);
        let epilogue = Epilogue::new(*view, RcIdentity::new(view, &dominators));
        let mut text = format!("returned: {}\n", names.insts(epilogue.returned()));
        for (argument, releases) in epilogue.released_arguments() {
            text += &format!("released {}: {}\n", names.value(argument), names.insts(releases));
        }
        let asked = subject.questions.iter().flatten().map(|word| names.find_value(word));
        for value in body.entry_arguments().iter().copied().chain(asked) {
            let mut retains = epilogue.last(value, EpilogueKind::Retain);
            let mut releases = epilogue.last(value, EpilogueKind::Release);
            retains.sort_unstable();
            releases.sort_unstable();
            if !retains.is_empty() || !releases.is_empty() {
                let (retains, releases) = (names.insts(retains), names.insts(releases));
                text += &format!("last of {}: retains {retains}, releases {releases}\n", names.value(value));
            }
        }
        text
    })
}

/// Returns what calls do to arrays.
pub(crate) fn array_calls(input: &str) -> String {
    let subject = Subject::parse(input);
    with_view(&subject, |view| {
        let names = Names::of(view.body);
        let mut text = String::new();
        for call in view.body.insts().filter_map(|i| ArrayCall::of(view, i)) {
            let value = |value: Option<Value>| optional(value.map(|v| names.value(v)));
            let (array, index) = (value(call.array), value(call.index));
            text += &format!("{}: {:?} array {array} index {index}\n", names.inst(call.inst), call.kind);
        }
        text
    })
}

/// For each argument of the function: whether the end of its value may store, and the number of its leaves.
pub(crate) fn types(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let row = |&value: &Value| {
        let ty = body.value(value).ty;
        let stores = destruction_may_store(&subject.declarations, ty.ty());
        let stores = if stores { "may store" } else { "" };
        [Names::of(body).value(value), stores.to_owned(), leaf_count(ty, &subject.declarations).to_string()]
    };
    table(["value", "end", "leaves"], body.entry_arguments().iter().map(row))
}

/// Which arguments of the function may refer to one object, and which types of theirs may be those of accesses to one place.
pub(crate) fn type_rules(input: &str) -> String {
    let subject = Subject::parse(input);
    with_view(&subject, |view| {
        let names = Names::of(view.body);
        let rules = TypeRules { declarations: view.declarations(), signature: view.signature() };
        let arguments = view.body.entry_arguments();
        let ty = |value: Value| view.ty(value).ty();
        let with = |a: Value, may: &dyn Fn(Type, Type) -> bool| {
            let others = arguments.iter().copied().filter(|&b| {
                assert_eq!(may(ty(a), ty(b)), may(ty(b), ty(a)));
                b != a && may(ty(a), ty(b))
            });
            names.values(others)
        };
        let row = |&a: &Value| {
            let objects = with(a, &|x, y| rules.references_may_alias(x, y));
            [names.value(a), ty(a).to_string(), objects, with(a, &|x, y| rules.accesses_may_alias(x, y))]
        };
        table(["value", "type", "one object", "one place"], arguments.iter().map(row))
    })
}

fn liveness_name(liveness: BlockLiveness) -> &'static str {
    match liveness {
        BlockLiveness::Dead => "dead",
        BlockLiveness::Within => "within",
        BlockLiveness::Out => "out",
    }
}

fn def(names: &Names, def: Def) -> String {
    match def {
        Def::Inst(inst) => names.inst(inst),
        Def::Argument(value) => names.value(value),
    }
}

fn boundary(names: &Names, body: &Body, boundary: &Boundary) -> String {
    format!(
        "  last users: {}\n  edges: {}\n  dead defs: {}\n  behind: {}\n",
        names.insts(boundary.last_users.iter().copied()),
        names.blocks(boundary.edges.iter().copied()),
        list(boundary.dead_defs.iter().map(|&d| def(names, d))),
        names.insts(boundary.insertion_points(body))
    )
}

fn shown(names: &Names, body: &Body, liveness: &Liveness) -> String {
    let blocks = liveness.blocks().iter();
    let blocks = blocks.map(|&b| format!("{} {}", names.block(b), liveness_name(liveness.block(b))));
    let kind = |kind: UseKind| match kind {
        UseKind::NonUse => "extends",
        UseKind::Ending => "ends",
        UseKind::Regular => "uses",
    };
    let users = liveness.users().iter().map(|&(user, how)| {
        assert_eq!(liveness.user(user), Some(how));
        format!("{} {}", names.inst(user), kind(how))
    });
    format!(
        "  defs: {}\n  blocks: {}\n  users: {}\n{}  inside: {}\n",
        list(liveness.defs().iter().map(|&d| def(names, d))),
        blocks.collect::<Vec<_>>().join(", "),
        users.collect::<Vec<_>>().join(", "),
        boundary(names, body, &liveness.boundary(body)),
        names.insts(body.insts().filter(|&i| liveness.contains(body, i)))
    )
}

fn incomplete(found: Incomplete) -> &'static str {
    match found {
        Incomplete::Complete => "complete",
        Incomplete::Reborrowed => "reborrowed",
        Incomplete::Escaping => "escaping",
        Incomplete::Unknown => "unknown",
    }
}

fn insts<'a>(names: &'a Names, words: &'a [String]) -> impl Iterator<Item = Inst> + 'a {
    words.iter().map(|word| names.find_inst(word))
}

/// Returns where values live. Questions: `simple %V`, `linear %V`, `extended %V`, `interior %V`, `address %V`,
/// `uses %V I…`, `several DEF… with I…`, `inside %V with %W`: whether the uses of another value are in the life.
pub(crate) fn liveness(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let mut text = String::new();
    with_borrows(&subject, |borrows| {
        for words in &subject.questions {
            text += &format!("{}\n", words.join(" "));
            let value = || names.find_value(&words[1]);
            let mut found = Incomplete::Complete;
            let mut liveness = if words[0] == "several" {
                Liveness::of_several()
            } else {
                Liveness::of_value(body, value())
            };
            match words[0].as_str() {
                "simple" | "inside" => found = borrows.add_simple_uses(&mut liveness, value()),
                "linear" => borrows.add_linear_uses(&mut liveness, value()),
                "extended" => {
                    liveness = Liveness::of_several();
                    borrows.add_extended_uses(&mut liveness, value());
                }
                "interior" => {
                    let uses = borrows.interior_uses(value(), Extent::default());
                    found = borrows.add_interior_uses(&mut liveness, &uses);
                }
                "address" => found = borrows.add_address_uses(&mut liveness, value()),
                "uses" => insts(&names, &words[2..]).for_each(|i| liveness.use_at(body, i, UseKind::Regular)),
                "several" => {
                    let split = words.iter().position(|w| w == "with").expect("with");
                    for word in &words[1..split] {
                        let def = match word.starts_with('%') {
                            true => Def::of(body, names.find_value(word)).expect("a definition"),
                            false => Def::Inst(names.find_inst(word)),
                        };
                        liveness.define(body, def);
                    }
                    let kinds = [UseKind::NonUse, UseKind::Regular, UseKind::Ending];
                    for word in &words[split + 1..] {
                        let kind = kinds[word.len() - word.trim_end_matches('!').len()];
                        liveness.use_at(body, names.find_inst(word.trim_end_matches('!')), kind);
                    }
                }
                other => panic!("unknown question `{other}`"),
            }
            text += &shown(&names, body, &liveness);
            text += &format!("  {}\n", incomplete(found));
            if words[0] == "inside" {
                let uses: Vec<_> = body.uses(names.find_value(&words[3])).collect();
                let holds = liveness.contains_uses(body, &DeadEnds::compute(body), &uses);
                text += &format!("  contains the uses of {}: {holds}\n", words[3]);
            }
        }
    });
    text
}

/// Borrows: what each value depends on, and what ends the scopes that operands begin.
pub(crate) fn borrows(input: &str) -> String {
    each_view(&Subject::parse(input), |view, names| {
        let (body, ownership) = (view.body, view.all_ownership());
        let borrows = &Borrows::new(body, &ownership);
        let mut text = String::new();
        for &value in names.all_values() {
            text += &borrows_of(borrows, names, value);
        }
        let operands = names.all_values().iter().flat_map(|&v| body.uses(v));
        for operand in operands {
            if borrows.begins_scope(operand) {
                let found = borrows.scope_ends(operand);
                let ends = list(found.ends.iter().map(|&o| names.operand(body, o)));
                let escapes = if found.escapes { ", escapes" } else { "" };
                text += &format!("scope {}: ends {ends}{escapes}\n", names.operand(body, operand));
            }
        }
        for phi in enclosed_phis(borrows) {
            let enclosing = names.values(phi.enclosing);
            text += &format!("enclosing {}: {enclosing}, {} rounds\n", names.value(phi.phi), phi.rounds);
        }
        text
    })
}

fn borrows_of(borrows: &Borrows<'_>, names: &Names, value: Value) -> String {
    let body = borrows.body;
    let unmarked = borrows.with_unmarked_reborrows();
    let mut facts = Vec::new();
    let mut fact = |holds: bool, name: &str| facts.extend(holds.then(|| name.to_owned()));
    fact(borrows.is_phi_or_unreachable(value), "phi");
    fact(borrows.is_reborrow(value), "reborrow");
    fact(unmarked.is_reborrow(value), "reborrow if unmarked");
    fact(borrows.introduces_borrow(value), "introduces");
    fact(borrows.has_pointer_escape(value), "has a pointer escape");
    let mut values = |name: &str, values: Vec<Value>| {
        if !values.is_empty() && values != [value] {
            facts.push(format!("{name} {}", names.values(values)));
        }
    };
    values("listed", borrows.listed(value));
    values("introducers", borrows.introducers(value));
    values("enclosing", borrows.enclosing(value));
    values("origins", borrows.origins(value));
    values("inner phis", borrows.inner_adjacent_phis(value));
    values("forwarded from", borrows.forwarding_operands(value).map(|o| body.operand(o).value).collect());
    match facts.is_empty() {
        true => String::new(),
        false => format!("{}: {}\n", names.value(value), facts.join(", ")),
    }
}

/// Interior uses of the values of the questions, with each extent.
pub(crate) fn interior(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let plain = Extent::default();
    let extents = [
        ("ends", plain),
        ("scopes", Extent { enters_scopes: true, ..plain }),
        ("accesses", Extent { enters_accesses: true, ..plain }),
        ("dependences", Extent { follows_dependences: true, ..plain }),
    ];
    with_borrows(&subject, |borrows| {
        let mut text = String::new();
        for word in subject.questions.iter().flatten() {
            for (name, extent) in extents {
                text += &format!("{word} {name}:\n");
                for found in borrows.interior_uses(names.find_value(word), extent) {
                    text += &match found {
                        Interior::Use(inst, UseKind::Ending) => format!("  end {}\n", names.inst(inst)),
                        Interior::Use(inst, _) => format!("  use {}\n", names.inst(inst)),
                        Interior::Scope(scope) => {
                            let memory = if scope.is_of_memory { " of memory" } else { "" };
                            format!(
                                "  scope{memory} {} by {}\n",
                                names.value(scope.value),
                                names.inst(scope.begin)
                            )
                        }
                        Interior::PassedOn(inst) => format!("  passed on {}\n", names.inst(inst)),
                        Interior::Escape(inst) => format!("  escape {}\n", names.inst(inst)),
                        Interior::Endless(inst) => format!("  endless {}\n", names.inst(inst)),
                    };
                }
            }
        }
        text
    })
}

/// Returns the accesses to the variables of the questions: all, and those before and after each of them.
pub(crate) fn variables(input: &str) -> String {
    let subject = Subject::parse(input);
    let (function, body) = subject.function();
    let names = Names::of(body);
    let conventions = Conventions::of(function, Addresses::Lowered);
    let mut text = String::new();
    let accesses = |found: &[silkit_analysis::ossa::VariableAccess]| {
        list(found.iter().map(|access| {
            let assigns = if access.is_assignment { "=" } else { "" };
            format!("{}{assigns}({})", access.kind.name(), optional(access.inst.map(|i| names.inst(i))))
        }))
    };
    with_borrows(&subject, |borrows| {
        for word in subject.questions.iter().flatten() {
            let Some(variable) = Variable::of(borrows, conventions.as_ref(), names.find_value(word)) else {
                text += &format!("{word}: not understood\n");
                continue;
            };
            text += &format!("{word}: {}\n", accesses(variable.accesses()));
            for inst in variable.accesses().iter().filter_map(|a| a.inst) {
                let shown =
                    |found: Result<Vec<_>, _>| found.map_or("escapes".to_owned(), |found| accesses(&found));
                text +=
                    &format!("  after {}: {}\n", names.inst(inst), shown(variable.uses_after(body, inst)));
                let before = variable.assignments_before(body, inst);
                text += &format!("  before {}: {}\n", names.inst(inst), shown(before));
            }
        }
    });
    text
}

/// Liveness of the parts of the first argument: `COUNT`, then `use START..END I` or `end START..END I`.
pub(crate) fn fields(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let mut liveness = FieldLiveness::of_several(0);
    for words in &subject.questions {
        let range = |word: &str| {
            let (start, end) = word.split_once("..").expect("a range");
            start.parse().expect("a number")..end.parse().expect("a number")
        };
        match words[0].as_str() {
            "value" => {
                let count = words[2].parse().expect("a number");
                liveness =
                    FieldLiveness::of_value(body, names.find_value(&words[1]), count, range(&words[3]));
            }
            "several" => liveness = FieldLiveness::of_several(words[1].parse().expect("a number")),
            "define" => liveness.define(body, Def::Inst(names.find_inst(&words[2])), range(&words[1])),
            "use" => liveness.use_at(body, names.find_inst(&words[2]), UseKind::Regular, range(&words[1])),
            "end" => liveness.use_at(body, names.find_inst(&words[2]), UseKind::Ending, range(&words[1])),
            other => panic!("unknown word `{other}`"),
        }
    }
    let mut text = format!("leaves: {}\n", liveness.leaves().len());
    for &block in liveness.blocks() {
        let leaves = list(liveness.block(block).map(|how| liveness_name(how).to_owned()));
        text += &format!("{}: {leaves}\n", names.block(block));
    }
    text += &format!("users: {}\n", names.insts(liveness.users().iter().copied()));
    let boundary = liveness.boundary(body);
    let mut rows =
        |what: &str, place: String, leaves: &[usize]| text += &format!("{what} {place}: {leaves:?}\n");
    boundary.last_users.iter().for_each(|(i, leaves)| rows("last user", names.inst(*i), leaves));
    boundary.edges.iter().for_each(|(b, leaves)| rows("edge", names.block(*b), leaves));
    boundary.dead_defs.iter().for_each(|(d, leaves)| rows("dead def", def(&names, *d), leaves));
    text
}
