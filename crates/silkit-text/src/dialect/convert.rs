//! Conversion of a module to the forms of another release of Swift.

use super::{FoundForm, forms_of, release_of};
use silkit_ir::info::AttrKind;
use silkit_ir::{Body, InlineStrategy, Inst, Module, NONE, Release};
use silkit_types::Type;

/// Converts a module to the forms of a release. Forms that have an equal there change; the others are returned, and
/// then the module is not of that release.
///
/// | form | up to 6.2 | from 6.3 |
/// |---|---|---|
/// | inlined in optimized builds | `[always_inline]` | `[heuristic_always_inline]` |
/// | a box that is never written | no flag | `alloc_box [inferred_immutable]` |
/// | types in substitution lists | as written: `<[T]>` | canonical: `<Array<T>>` |
///
/// ```
/// use silkit_ir::Release;
/// use silkit_text::{dialect, parse_module, print_module};
/// let mut module = parse_module("sil [heuristic_always_inline] @f : $@convention(thin) () -> ()\n").module;
/// assert_eq!(dialect::release_of(&module), Release::V6_3);
/// assert!(dialect::convert(&mut module, Release::V6_2).is_empty());
/// assert!(print_module(&module, &Default::default(), &|_| None).contains("sil [always_inline] @f"));
/// ```
#[must_use]
pub fn convert(module: &mut Module, to: Release) -> Vec<FoundForm> {
    let from = release_of(module);
    let (is_old, will_be_old) = (from < Release::V6_3, to < Release::V6_3);
    if !will_be_old {
        each_body(module, canonical_substitutions);
    }
    if from == to {
        return Vec::new();
    }
    if is_old && !will_be_old {
        strategies(module, InlineStrategy::Always, InlineStrategy::HeuristicAlways);
    } else if !is_old && will_be_old {
        strategies(module, InlineStrategy::HeuristicAlways, InlineStrategy::Always);
        each_body(module, without_inferred_immutability);
    }
    let mut left = forms_of(module);
    left.retain(|found| !found.form.releases().contains(to));
    left
}

fn strategies(module: &mut Module, from: InlineStrategy, to: InlineStrategy) {
    for function in module.functions.values_mut() {
        if function.attributes.inline == Some(from) {
            function.attributes.inline = Some(to);
        }
    }
}

fn each_body(module: &mut Module, change: fn(&mut Body, Inst)) {
    for function in module.functions.values_mut() {
        if let Some(body) = function.body.as_mut() {
            let insts: Vec<Inst> = body.insts().collect();
            insts.into_iter().for_each(|inst| change(body, inst));
        }
    }
}

/// Replaces the types in the substitution list of a call by types without sugar.
fn canonical_substitutions(body: &mut Body, inst: Inst) {
    let attrs = body.info(inst).attrs;
    let Some(at) = attrs.iter().position(|attr| attr.kind == AttrKind::ListType) else { return };
    let list = body.words(inst)[at];
    if list == NONE {
        return;
    }
    let types: Vec<Type> = body.list(list).iter().map(|&word| Type::from_u32(word)).collect();
    let canonical: Vec<Type> = types.iter().map(|ty| ty.desugared()).collect();
    if canonical != types {
        let words: Vec<u32> = canonical.iter().map(|ty| ty.as_u32()).collect();
        let mut editor = body.edit();
        let list = editor.new_list(&words);
        editor.set_word(inst, at, list);
    }
}

fn without_inferred_immutability(body: &mut Body, inst: Inst) {
    if body.has_flag(inst, "inferred_immutable") {
        body.edit().set_flag(inst, "inferred_immutable", false);
    }
}
