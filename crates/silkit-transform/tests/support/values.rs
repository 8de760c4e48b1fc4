//! Transformations of values: deletion, destruction, SSA form, variables.

use super::changed;
use silkit_analysis::testing::list;
use silkit_analysis::{Dominators, Joins};
use silkit_ir::{Operand, Ownership, Point, Value};
use silkit_transform::counting::Counting;
use silkit_transform::inst_simplify::{Simplified, simplified};
use silkit_transform::ssa_updater::{CannotPass, SsaUpdater};
use silkit_transform::variable_names::VariableNames;
use silkit_transform::variables::{StoredVariables, auto_generated, keep_stored};
use silkit_transform::{borrowed_from, delete as removal, destroy as destruction};

/// Removes instructions that are `dead`, or instructions `with-users` or `with-debug-uses`: `dead bb0.1 bb0.2`; `trivial`
/// says which instructions are trivially dead.
pub(crate) fn delete(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for words in questions {
            let insts: Vec<_> = words[1..].iter().map(|word| names.find_inst(word)).collect();
            match words[0].as_str() {
                "dead" => {
                    let count = removal::dead(cx, insts);
                    cx.print(&format!("{count} removed\n"));
                }
                "with-users" => insts.into_iter().for_each(|inst| removal::with_users(cx.body_mut(), inst)),
                "with-debug-uses" => insts.into_iter().for_each(|inst| removal::with_debug_uses(cx, inst)),
                "trivial" => {
                    let view = cx.view();
                    let dead = view.body.insts().filter(|&inst| removal::is_trivially_dead(&view, inst));
                    let said = format!("trivially dead: {}\n", names.insts(dead));
                    cx.print(&said);
                }
                other => panic!("unknown word `{other}`"),
            }
        }
    })
}

/// Returns for each instruction the value that its result is, where that is known.
pub(crate) fn inst_simplify(input: &str) -> String {
    changed(input, &|cx, names, _| {
        let mut text = String::new();
        for inst in cx.body().insts() {
            if let Some(Simplified::Value(value)) = simplified(&cx.view(), inst) {
                text += &format!("{} is {}\n", names.inst(inst), names.value(value));
            }
        }
        cx.print(&text);
    })
}

/// Retains and releases each argument.
pub(crate) fn counting(input: &str) -> String {
    changed(input, &|cx, names, _| {
        let sig = cx.function().ty.ty().as_function().and_then(|ty| ty.sig);
        let arguments = cx.body().entry_arguments().to_vec();
        for argument in arguments {
            let how = Counting::of(cx.declarations(), cx.body().value(argument).ty, sig);
            cx.print(&format!("{}: {how:?}\n", names.value(argument)));
            let entry = cx.body().entry_block().expect("an entry");
            let last = cx.body().last_inst(entry).expect("a terminator");
            let mut builder = cx.at(Point::Before(last));
            how.retain(&mut builder, argument);
            how.release(&mut builder, argument);
        }
    })
}

/// Destroys values before the last instruction and tells how: `destroy %0` in the better way, `parts %0`, `whole %0`;
/// `retain %0` retains it part by part, `empty %0` creates an empty value of that type.
pub(crate) fn destroy(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        let sig = cx.function().ty.ty().as_function().and_then(|ty| ty.sig);
        let has_ossa = cx.function().has_ossa();
        let declarations = cx.declarations();
        for words in questions {
            for word in &words[1..] {
                let value = names.find_value(word);
                let ty = cx.body().value(value).ty;
                let is_expanded = destruction::is_expanded(declarations, ty.ty(), sig);
                let is_hidden = destruction::is_hidden(declarations, ty.ty());
                let parts = destruction::parts(declarations, ty.ty()).map_or("-".to_owned(), |parts| {
                    list(parts.into_iter().map(|(name, ty)| format!("{name}:{ty:?}")))
                });
                cx.print(&format!("{word}: expanded {is_expanded}, hidden {is_hidden}, parts {parts}\n"));
                let entry = cx.body().entry_block().expect("an entry");
                let last = cx.body().last_inst(entry).expect("a terminator");
                let mut builder = cx.at(Point::Before(last));
                match words[0].as_str() {
                    "destroy" => {
                        destruction::destroy(&mut builder, value, declarations, sig, has_ossa, is_expanded);
                    }
                    "whole" => {
                        destruction::destroy(&mut builder, value, declarations, sig, has_ossa, false);
                    }
                    "parts" => {
                        destruction::destroy_parts(&mut builder, value, declarations, sig, has_ossa);
                    }
                    "retain" => destruction::retain_parts(&mut builder, value, declarations, sig),
                    "empty" => {
                        let empty = destruction::empty_value(&mut builder, ty, declarations);
                        builder.fix_lifetime(empty);
                    }
                    other => panic!("unknown word `{other}`"),
                }
            }
        }
    })
}

/// Rewrites the uses of `%0` to uses of a variable: `define %2 %3` are its definitions, `at bb1 %2` is one of another
/// block, `none`, `owned` or `guaranteed` the ownership of its phis. With `ends`, definitions take effect at the end of
/// their blocks only.
pub(crate) fn ssa_updater(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        let body = cx.body();
        let placeholder = body.entry_arguments()[0];
        let uses: Vec<Operand> = body.uses(placeholder).collect();
        let mut ownership = Ownership::None;
        let mut is_at_ends = false;
        let mut definitions = Vec::new();
        for words in questions {
            match words[0].as_str() {
                "define" => definitions.extend(words[1..].iter().map(|word| {
                    let value = names.find_value(word);
                    let block = match body.def(value) {
                        silkit_ir::ValueDef::Argument(block, _) => block,
                        _ => body.inst_block(body.defining_inst(value).expect("a result")),
                    };
                    (block, value)
                })),
                "at" => definitions.push((names.find_block(&words[1]), names.find_value(&words[2]))),
                "owned" => ownership = Ownership::Owned,
                "guaranteed" => ownership = Ownership::Guaranteed,
                "none" => {}
                "ends" => is_at_ends = true,
                other => panic!("unknown word `{other}`"),
            }
        }
        let mut variable = SsaUpdater::new(body.value(placeholder).ty, ownership);
        if is_at_ends {
            variable = variable.defining_at_ends();
        }
        definitions.into_iter().for_each(|(block, value)| variable.define(block, value));
        let dominators = Dominators::compute(body);
        let mut joins = Joins::compute(body, &dominators);
        let said = match variable.rewrite(cx.body_mut(), &dominators, &mut joins, &uses) {
            Ok(made) => format!("{} phis\n", made.len()),
            Err(CannotPass(block)) => format!("cannot pass to {}\n", names.block(block)),
        };
        if ownership == Ownership::Guaranteed {
            cx.body_mut().update_reborrow_flags();
            borrowed_from::complete(cx);
        }
        cx.print(&said);
    })
}

/// Prints the names of all values; with `calls` also those that methods return.
pub(crate) fn variable_names(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        let names_calls = questions.iter().flatten().any(|word| word == "calls");
        let mut text = String::new();
        let found = VariableNames { view: cx.view(), names_calls };
        for &value in names.all_values() {
            let name = found.of(value).map(|n| format!("`{}` of {}", n.name, names.value(n.root)));
            text += &format!("{}: {}\n", names.value(value), name.unwrap_or_else(|| "-".to_owned()));
        }
        cx.print(&text);
    })
}

/// Keeps the variables of an allocation at a store: `keep ALLOCATION STORE`.
pub(crate) fn variables(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for words in questions {
            let (allocation, store) = (names.find_inst(&words[1]), names.find_inst(&words[2]));
            let variables = StoredVariables::of(cx.body(), allocation);
            let source: Value = cx.body().operand_value(store, 0);
            let loc = auto_generated(cx.body_mut(), store);
            let is_same = loc == cx.body().inst(store).loc;
            let (body, declarations) = cx.body_mut_with_declarations();
            keep_stored(body, declarations, store, source, &variables);
            cx.print(&format!("own location: {is_same}\n"));
        }
    })
}
