//! Deinits of noncopyable types.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::rule::{Check, Rule};
use silkit_diag::RuleId;
use silkit_text::SourceEntity;
use silkit_types::decl::Lookup;

pub(super) const RULES: &[&Rule] = &[&DEINIT_TAKES_TYPE];

static DEINIT_TAKES_TYPE: Rule = Rule {
    id: RuleId::new("SIL0643"),
    name: "DeinitTakesType",
    summary: "The function of a `sil_moveonlydeinit` takes a value of the type",
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
    for (index, deinit) in cx.module.deinits.iter().enumerate() {
        if let Lookup::Known(decl) = cx.declarations.lookup_nominal(deinit.nominal)
            && cx.declarations.own().get(decl.path).is_some()
            && decl.is_class()
        {
            let message = format!("a class has no deinit table, but `{}` is one", deinit.nominal);
            let place = place::entity(cx, SourceEntity::Deinit(index));
            // The reference does not check it.
            cx.report(cx.finding(&DEINIT_TAKES_TYPE, Owner::Module, place, message).warning());
            continue;
        }
        let Some(function) = cx.function(deinit.function) else { continue };
        let Some(taken) = function.ty.ty().as_function().and_then(|ty| ty.params.last()) else { continue };
        let Some(decl) = cx.declarations.nominal_of(taken.ty) else { continue };
        let name = decl.path.as_str();
        let wanted = deinit.nominal.as_str();
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
