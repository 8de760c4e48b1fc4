//! Transformations of lifetimes.

use super::changed;
use silkit_analysis::{DeadEnds, Dominators};
use silkit_ir::{Inst, Opcode};
use silkit_transform::borrowed_copies::{CopyPlace, canonicalize_argument};
use silkit_transform::canonical_lifetime::{
    LexicalValues, LifetimeFacts, Limits, canonicalize, canonicalize_to, copied,
};
use silkit_transform::lifetime_completion::complete_at_last_uses;

/// Updates the lists of guaranteed phis: `renew` or `complete`.
pub(crate) fn borrowed_from(input: &str) -> String {
    changed(input, &|cx, _, questions| {
        for word in questions.iter().flatten() {
            match word.as_str() {
                "renew" => silkit_transform::borrowed_from::renew(cx),
                "complete" => silkit_transform::borrowed_from::complete(cx),
                other => panic!("unknown word `{other}`"),
            }
        }
    })
}

/// Ends values after their last uses: `%1 %2`.
pub(crate) fn lifetime_completion(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        let dead_ends = cx.get::<DeadEnds>();
        for word in questions.iter().flatten() {
            let has_changed = complete_at_last_uses(cx, names.find_value(word), &dead_ends);
            cx.print(&format!("{word}: {has_changed}\n"));
        }
    })
}

/// Folds the calls at the ends of borrow scopes: `%1`.
pub(crate) fn lexical_destroy_folding(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let Some(borrow) = cx.body().defining_inst(names.find_value(word)) else { continue };
            let has_changed = silkit_transform::lexical_destroy_folding::fold(cx, borrow);
            cx.print(&format!("{word}: {has_changed}\n"));
        }
    })
}

/// Shrinks the scopes of borrows: `%1`.
pub(crate) fn shrink_borrow_scope(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let Some(borrow) = cx.body().defining_inst(names.find_value(word)) else { continue };
            let shrunk = silkit_transform::shrink_borrow_scope::shrink(cx, borrow);
            let (ends, copies) = (shrunk.replaced.len(), shrunk.copies.len());
            cx.print(&format!("{word}: {ends} ends replaced, {copies} copies rewritten\n"));
            shrunk.replaced.into_iter().for_each(|end| cx.edit().remove(end));
        }
    })
}

/// Canonicalizes lifetimes: `canonical %1`, `longest %1`, `ends %1 bb0.1`; tells the source of `copied %2`, and which
/// values are `lexical`.
pub(crate) fn canonical_lifetime(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        let is_access = |&inst: &Inst| {
            matches!(cx.body().inst(inst).opcode, Opcode::BeginAccess | Opcode::BeginUnpairedAccess)
        };
        let mut facts = LifetimeFacts {
            dominators: cx.get::<Dominators>(),
            dead_ends: cx.get::<DeadEnds>(),
            has_accesses: cx.body().insts().any(|inst| is_access(&inst)),
            lexical: LexicalValues::of(cx.body()),
        };
        for words in questions {
            let value = |at: usize| names.find_value(&words[at]);
            match words[0].as_str() {
                "canonical" => canonicalize(cx, value(1), &mut facts),
                "longest" => {
                    let limits = Limits { is_longest: true, ..Limits::default() };
                    canonicalize_to(cx, value(1), &mut facts, limits);
                }
                "ends" => {
                    let ends: Vec<Inst> = words[2..].iter().map(|word| names.find_inst(word)).collect();
                    let limits = Limits { ends: &ends, ..Limits::default() };
                    canonicalize_to(cx, value(1), &mut facts, limits);
                }
                "copied" => {
                    let of = copied(cx, value(1)).map_or("-".to_owned(), |value| names.value(value));
                    cx.print(&format!("{} is a copy of {of}\n", words[1]));
                }
                "lexical" => {
                    let body = cx.body();
                    let all = names.all_values().iter().copied();
                    let lexical = names.values(all.filter(|&value| facts.lexical.contains(body, value)));
                    cx.print(&format!("lexical: {lexical}\n"));
                }
                other => panic!("unknown word `{other}`"),
            }
        }
    })
}

/// Replaces the result of one instruction by that of another where that is possible: `bb0.4 bb0.2`.
pub(crate) fn replace_borrowed(input: &str) -> String {
    use silkit_transform::replace_borrowed::{can_be_replaced, replace};
    changed(input, &|cx, names, questions| {
        for words in questions {
            let [old, new] = [0, 1].map(|at| names.find_inst(&words[at]));
            let [value, other] = [old, new].map(|inst| cx.body().first_result(inst).expect("a result"));
            let can_be = can_be_replaced(&cx.view(), value, other);
            cx.print(&format!("{} by {}: {can_be}\n", words[0], words[1]));
            if can_be {
                replace(cx, old, other);
            }
        }
    })
}

/// Ends what is alive in dead ends.
pub(crate) fn dead_end_lifetimes(input: &str) -> String {
    changed(input, &|cx, _, _| {
        let count = silkit_transform::dead_end_lifetimes::complete(cx);
        cx.print(&format!("ends: {count}\n"));
    })
}

/// Canonicalizes the copies of arguments: `%0`, or `+%0` if consumed copies stay in place.
pub(crate) fn borrowed_copies(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let (value, place) = match word.strip_prefix('+') {
                Some(value) => (value, CopyPlace::InPlace),
                None => (word.as_str(), CopyPlace::AtUse),
            };
            let has_changed = canonicalize_argument(cx, names.find_value(value), place);
            cx.print(&format!("{word}: {has_changed}\n"));
        }
    })
}
