//! Transformations of calls and closures, and linking.

use super::changed;
use silkit_analysis::testing::{Names, list};
use silkit_ir::{Inst, Point};
use silkit_pass::FunctionContext;
use silkit_transform::callee::{self, NewCallee};
use silkit_transform::closures::{DeadCaptures, KnownCallee, delete_dead, delete_dead_box, keep_alive};
use silkit_transform::{devirtualize as methods, lexical as lifetimes, redundant_borrow as borrows};

/// Tells the callee of a call, `known bb0.1`, or calls it `direct bb0.1`; deletes `dead bb0.1` closures, and a `box bb0.2`
/// by its load.
pub(crate) fn closures(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for words in questions {
            let inst = names.find_inst(&words[1]);
            let mut removed = Vec::new();
            let said = match words[0].as_str() {
                "known" => known(cx, names, inst),
                "direct" => direct(cx, inst),
                "dead" => {
                    let is_deleted =
                        delete_dead(cx, inst, DeadCaptures::Early, &mut |_, inst| removed.push(inst));
                    format!("{is_deleted}: {}", names.insts(removed))
                }
                "box" => {
                    let stored = delete_dead_box(cx, inst, &mut |_, inst| removed.push(inst));
                    let stored = stored.map_or("-".to_owned(), |value| names.value(value));
                    format!("{stored}: {}", names.insts(removed))
                }
                other => panic!("unknown word `{other}`"),
            };
            cx.print(&format!("{}: {said}\n", words[1]));
        }
    })
}

fn known(cx: &FunctionContext<'_>, names: &Names, call: Inst) -> String {
    let Some(callee) = KnownCallee::of(cx, call) else { return "-".to_owned() };
    let function = cx.program().module.functions[callee.function].name;
    let closure = callee.closure.map_or("-".to_owned(), |inst| names.inst(inst));
    let conventions = list(callee.captures.iter().map(|convention| format!("{convention:?}")));
    format!(
        "@{function} with {}, captured {} as {conventions}, closure {closure}, takes memory {}",
        names.values(callee.arguments.iter().copied()),
        names.values(callee.captured().iter().copied()),
        callee.takes_memory(cx.body()),
    )
}

/// Calls the function of a closure directly.
fn direct(cx: &mut FunctionContext<'_>, call: Inst) -> String {
    let Some(mut known) = KnownCallee::of(cx, call) else { return "-".to_owned() };
    keep_alive(cx, call, &mut known);
    let function = &cx.program().module.functions[known.function];
    let (name, ty) = (function.name, function.ty);
    let mut builder = cx.at(Point::Before(call));
    let callee = builder.function_ref(name, ty);
    let (substitutions, arguments) = (&known.substitutions[..], &known.arguments[..]);
    callee::change(&mut builder, call, &NewCallee { callee, ty, substitutions, arguments });
    format!("@{name}")
}

/// Calls methods directly: `bb0.1`.
pub(crate) fn devirtualize(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let call = names.find_inst(word);
            let target = methods::target(cx, call);
            cx.print(&format!("{word}: {}\n", if target.is_some() { "known" } else { "-" }));
            if let Some(target) = target {
                target.call(cx, call);
            }
        }
    })
}

/// Calls something else: `change bb0.1 %2 %3` with the callee and the arguments, or `replace`.
pub(crate) fn callee(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for words in questions {
            let call = names.find_inst(&words[1]);
            let values: Vec<_> = words[2..].iter().map(|word| names.find_value(word)).collect();
            let (callee, ty) = (values[0], cx.body().value(values[0]).ty);
            let new = NewCallee { callee, ty, substitutions: &[], arguments: &values[1..] };
            let mut builder = cx.at(Point::Before(call));
            match words[0].as_str() {
                "change" => callee::change(&mut builder, call, &new),
                "replace" => {
                    let made = callee::replace_apply(&mut builder, call, &new);
                    let is_new = made.is_some_and(|made| made != call);
                    cx.print(&format!("{}: {is_new}\n", words[1]));
                }
                other => panic!("unknown word `{other}`"),
            }
        }
    })
}

/// Removes borrows: `bb0.1`.
pub(crate) fn redundant_borrow(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let is_removed = borrows::remove(cx, names.find_inst(word));
            cx.print(&format!("{word}: {is_removed}\n"));
        }
    })
}

/// Prints the values with lexical lifetimes.
pub(crate) fn lexical(input: &str) -> String {
    changed(input, &|cx, names, _| {
        let is_lexical =
            |&value: &_| lifetimes::is_lexical(cx.function(), cx.body(), cx.declarations(), value);
        let found = names.values(names.all_values().iter().copied().filter(is_lexical));
        cx.print(&format!("lexical: {found}\n"));
    })
}
