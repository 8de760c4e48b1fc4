//! `use-prespecialized`: replaces calls of generic functions by calls of the specializations that the library ships
//! for unoptimized code.
//!
//! ```text
//! %1 = function_ref @$sSayxSicig : $@convention(method) <τ_0_0> (Int, @guaranteed Array<τ_0_0>) -> @out τ_0_0
//! %2 = apply %1<Int>(%0, %3, %4) : $@convention(method) <τ_0_0> (Int, @guaranteed Array<τ_0_0>) -> @out τ_0_0
//! ---
//! %1 = function_ref @$sSayxSicigSi_Tg5 : $@convention(method) (Int, @guaranteed Array<Int>) -> Int
//! %2 = apply %1(%3, %4) : $@convention(method) (Int, @guaranteed Array<Int>) -> Int
//! store %2 to %0
//! ```
//!
//! The specialization takes and returns loadable values directly that the generic function takes and returns
//! indirectly. The library is `SwiftOnoneSupport`; modules that do not import it are not
//! changed. `--pipeline onone` imports it, as the compiler does in builds without optimization.

mod call;

use silkit_base::Symbol;
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{Function, Inst};
use silkit_mangle::{Naming, generic_specialization};
use silkit_pass::{FunctionContext, Pass, options};
use silkit_types::{Type, TypeKind};

pub(super) const PASS: Pass<'static> = Pass::function(
    "use-prespecialized",
    "Replaces calls of generic functions by calls of the standard library's prespecializations",
    &run,
)
.with_options(&[options::IMPLICIT_IMPORT]);

/// The module with the specializations.
const LIBRARY: &str = "SwiftOnoneSupport";

/// The names of its functions, sorted: the output of `silkit nm` for the serialized module of Swift 6.2.3.
const NAMES: &str = include_str!("onone_support.names");

fn run(cx: &mut FunctionContext<'_>) {
    let is_imported = cx.declarations().own().imports.iter().any(|module| *module == LIBRARY)
        || cx.options().text(options::IMPLICIT_IMPORT) == LIBRARY;
    if !is_imported {
        return;
    }
    let calls: Vec<Inst> = cx.body().insts().filter(|&inst| cx.body().info(inst).apply.is_some()).collect();
    for call in calls {
        let Some(name) = specialization(cx, call) else { continue };
        let Some(specialized) = call::SpecializedInterface::of(cx, call) else { continue };
        if !cx.may_change() {
            return;
        }
        if cx.program().function(name).is_none() {
            cx.add_function(Function::new(name, specialized.ty()));
        }
        specialized.apply(cx, call, name);
        cx.count("calls specialized", 1);
    }
}

/// Returns the name of the library's specialization for a call.
fn specialization(cx: &FunctionContext<'_>, call: Inst) -> Option<Symbol> {
    let site = cx.view().apply_site(call)?;
    let types = site.substitutions();
    if types.is_empty() || types.iter().any(|&ty| has_archetype(ty)) {
        return None;
    }
    let function = cx.body().def_as::<FunctionRef>(site.callee())?.function;
    let name = generic_specialization(function.as_str(), &types, cx.declarations(), &Naming::default())?;
    let is_known = cx.program().function(Symbol::new(&name)).is_some() || is_in_library(&name);
    is_known.then(|| Symbol::new(&name))
}

/// Returns true if the library has a function with this name.
fn is_in_library(name: &str) -> bool {
    // Binary search in the text: continue at the line in the middle.
    let mut rest = NAMES;
    while !rest.is_empty() {
        let middle = rest.len() / 2;
        let start = rest[..middle].rfind('\n').map_or(0, |at| at + 1);
        let end = rest[start..].find('\n').map_or(rest.len(), |at| start + at);
        match rest[start..end].cmp(name) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => rest = rest.get(end + 1..).unwrap_or_default(),
            std::cmp::Ordering::Greater => rest = &rest[..start],
        }
    }
    false
}

/// Returns true if a type contains an archetype.
fn has_archetype(ty: Type) -> bool {
    ty.any_part(&|part| {
        matches!(
            part.kind(),
            TypeKind::Param { .. }
                | TypeKind::Member(..)
                | TypeKind::Opened { .. }
                | TypeKind::OpenedElement { .. }
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        assert!(NAMES.lines().all(is_in_library));
        assert!(NAMES.lines().zip(NAMES.lines().skip(1)).all(|(a, b)| a < b));
        let first = NAMES.lines().next().expect("a name");
        assert!(!is_in_library("$s") && !is_in_library("$sz") && !is_in_library(&first[1..]));
    }
}
