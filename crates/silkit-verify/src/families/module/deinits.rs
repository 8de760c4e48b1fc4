//! Deinits of noncopyable types.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_text::SourceEntity;
use silkit_types::ParamConvention;
use silkit_types::decl::{DeclFlags, Lookup};

pub(super) const RULES: &[&Rule] = &[&DEINIT_TAKES_TYPE];

static DEINIT_TAKES_TYPE: Rule = Rule {
    id: RuleId::new("SIL0643"),
    name: "DeinitTakesType",
    severity: Severity::Error,
    summary: "A `sil_moveonlydeinit` is the one of a type with a `deinit`, and its function consumes a value of the type",
    details: "\
The deinit consumes the value that is destroyed: it is the function's last parameter. Only noncopyable
structs and enums have such a table; that of a class is in its vtable.",
    failing: "\
struct S : ~Copyable {
  deinit
}
struct T {}
sil @deinit : $@convention(method) (@owned T) -> () {
bb0(%0 : $T):
  %1 = tuple ()
  return %1
}
sil_moveonlydeinit S {
  @deinit
}
",
    corrected: "\
struct S : ~Copyable {
  deinit
}
sil @deinit : $@convention(method) (@owned S) -> () {
bb0(%0 : $S):
  %1 = tuple ()
  return %1
}
sil_moveonlydeinit S {
  @deinit
}
",
    check: Check::Module(deinit_takes_type),
};

fn deinit_takes_type(cx: &ModuleVerifier<'_>) {
    let mut seen = FxHashMap::default();
    for (index, deinit) in cx.module.deinits.iter().enumerate() {
        // A specialized type has a table of its own beside that of the generic type.
        let Some(nominal) = deinit.nominal() else { continue };
        let entity = SourceEntity::Deinit(index);
        if let Some(first) = seen.insert(nominal, entity)
            && !cx.declarations.own().is_printed_by_compiler
        {
            let message = format!("`{}` has two deinit tables", nominal);
            let finding = cx.finding(&DEINIT_TAKES_TYPE, Owner::Module, place::entity(cx, entity), message);
            // The reference does not check it.
            cx.report(finding.also(place::entity(cx, first), "the first is here").warning());
        } else if let Some(message) = has_none(cx, nominal).or_else(|| keeps(cx, deinit.function)) {
            // The reference does not check it.
            let finding = cx.finding(&DEINIT_TAKES_TYPE, Owner::Module, place::entity(cx, entity), message);
            cx.report(finding.warning());
            continue;
        }
        if let Lookup::Known(decl) = cx.declarations.lookup_nominal(nominal)
            && cx.declarations.own().get(decl.path).is_some()
            && decl.is_class()
        {
            let message = format!("a class has no deinit table, but `{}` is one", nominal);
            let place = place::entity(cx, SourceEntity::Deinit(index));
            // The reference does not check it.
            cx.report(cx.finding(&DEINIT_TAKES_TYPE, Owner::Module, place, message).warning());
            continue;
        }
        let Some(function) = cx.function(deinit.function) else { continue };
        let Some(taken) = function.ty.ty().as_function().and_then(|ty| ty.params.last()) else { continue };
        let Some(decl) = cx.declarations.nominal_of(taken.ty) else { continue };
        let name = decl.path.as_str();
        let wanted = nominal.as_str();
        // The table may name the type without its module or the types that it is declared in.
        let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
        if last(name) != last(wanted) {
            let message = format!("`@{}` takes `{}`, not `{wanted}`", deinit.function, taken.ty);
            let place = place::entity(cx, SourceEntity::Deinit(index));
            // The reference does not check it.
            cx.report(cx.finding(&DEINIT_TAKES_TYPE, Owner::Module, place, message).warning());
        }
    }
}

/// Returns an error about a struct or enum that the file declares without a `deinit`.
fn has_none(cx: &ModuleVerifier<'_>, nominal: Symbol) -> Option<String> {
    let Lookup::Known(decl) = cx.declarations.lookup_nominal(nominal) else { return None };
    let own = cx.declarations.own();
    let is_closed = own.get(decl.path).is_some() && !own.is_printed_by_compiler && !decl.is_class();
    (is_closed && !decl.flags.contains(DeclFlags::HAS_DEINIT))
        .then(|| format!("`{nominal}` has a deinit table, but declares no `deinit`"))
}

/// Returns an error about a function that does not consume its last parameter.
fn keeps(cx: &ModuleVerifier<'_>, name: Symbol) -> Option<String> {
    use ParamConvention as P;
    let taken = cx.function(name)?.ty.ty().as_function()?.params.last()?;
    let is_kept = matches!(taken.convention, P::Guaranteed | P::InGuaranteed | P::Inout | P::InoutAliasable);
    is_kept.then(|| format!("`@{name}` does not consume the `{}` that it takes", taken.ty))
}
