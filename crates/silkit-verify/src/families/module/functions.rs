//! Functions: names, linkage and bodies.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::effects::Escape;
use silkit_ir::{Function, FunctionFlags, Linkage, Serialized, SilStage};
use silkit_text::SourceEntity;
use silkit_types::Convention;

pub(super) const RULES: &[&Rule] = &[
    &NAME_ONCE,
    &DEFINITION_HAS_BODY,
    &HIDDEN_EXTERNAL_BODY,
    &SERIALIZED_LINKAGE,
    &REPLACED_IS_DECLARED,
    &EFFECTS_OF_ARGUMENTS,
];

static NAME_ONCE: Rule = Rule {
    id: RuleId::new("SIL0601"),
    name: "NameOnce",
    severity: Severity::Error,
    summary: "A name is defined once in the module",
    details: "\
A reference by name must be unambiguous, and the linker accepts one symbol of each name. Rename one of
the two; a definition needs no declaration beside it.",
    failing: "\
sil @f : $@convention(thin) () -> ()
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Module(name_once),
};

fn name_once(cx: &ModuleVerifier<'_>) {
    for (id, function) in cx.module.functions.iter() {
        let Some(first) = cx.program.function_id(function.name).filter(|first| *first != id) else {
            continue;
        };
        let message = format!("`@{}` is defined twice", function.name);
        cx.report(
            cx.finding(&NAME_ONCE, Owner::Function(id), Place::Whole, message)
                .also(Place::Function(first), "the first is here"),
        );
    }
    let globals = &cx.module.globals;
    for (id, global) in globals.iter() {
        let (kind, other) = match (globals.find(&global.name), cx.program.function_id(global.name)) {
            (Some(first), _) if first != id => {
                ("a second variable", place::entity(cx, SourceEntity::Global(first)))
            }
            (_, Some(function)) => ("a function and a variable", Place::Function(function)),
            _ => continue,
        };
        let message = format!("`@{}` names {kind}", global.name);
        let place = place::entity(cx, SourceEntity::Global(id));
        let finding = cx.finding(&NAME_ONCE, Owner::Global(id), place, message);
        cx.report(finding.also(other, "the other is here"));
    }
}

static DEFINITION_HAS_BODY: Rule = Rule {
    id: RuleId::new("SIL0602"),
    name: "DefinitionHasBody",
    severity: Severity::Error,
    summary: "A function whose linkage is not external has a body, and so does a witness table",
    details: "\
Such a linkage means that the function is defined in this module. Declare a function of another module
with the external form of the linkage, or without linkage, or add a body.",
    failing: "\
sil hidden @f : $@convention(thin) () -> ()
",
    corrected: "\
sil hidden_external @f : $@convention(thin) () -> ()
",
    check: Check::Module(definition_has_body),
};

fn definition_has_body(cx: &ModuleVerifier<'_>) {
    for (id, function) in cx.module.functions.iter() {
        let is_definition = function.linkage != Linkage::Default && !function.linkage.is_external();
        // Functions that a Clang declaration defines have their body elsewhere.
        let convention = function.ty.ty().as_function().map(|f| f.convention);
        let is_foreign = function.attributes.clang.is_some()
            || function.attributes.asmname.is_some()
            || matches!(convention, Some(Convention::C | Convention::CxxMethod | Convention::ObjCMethod));
        if function.body.is_some() || !is_definition || is_foreign {
            continue;
        }
        let spelled = function.linkage.spelling();
        let message = format!("`@{}` is `{spelled}`, so it is defined here, but has no body", function.name);
        let external = spelled.trim_end_matches("_non_abi").trim_end_matches("non_abi");
        let external = if external.is_empty() { "public" } else { external };
        cx.report(
            cx.finding(&DEFINITION_HAS_BODY, Owner::Function(id), Place::Whole, message)
                .note(format!("declare it as `{external}_external` or without a linkage, or give it a body")),
        );
    }
    for (id, table) in cx.module.witness_tables.iter() {
        let is_definition = !matches!(table.linkage, Linkage::Default | Linkage::Public);
        if table.entries.is_none() && is_definition && !table.linkage.is_external() {
            let spelled = table.linkage.spelling();
            let message =
                format!("the witness table is `{spelled}`, so it is defined here, but has no entries");
            let place = place::entity(cx, SourceEntity::WitnessTable(id));
            cx.report(cx.finding(&DEFINITION_HAS_BODY, Owner::Module, place, message));
        }
    }
}

static HIDDEN_EXTERNAL_BODY: Rule = Rule {
    id: RuleId::new("SIL0603"),
    name: "HiddenExternalBody",
    severity: Severity::Error,
    summary: "A `hidden_external` function has no body, and such a global variable no initializer",
    details: "\
It is defined in another file of the same Swift module, and files do not share bodies. A
`public_external` function, in contrast, may have a copy of its body here.",
    failing: "\
sil hidden_external @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil hidden @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Module(hidden_external_body),
};

fn hidden_external_body(cx: &ModuleVerifier<'_>) {
    for (id, function) in cx.module.functions.iter() {
        // The compiler prints serialized bodies, which are copies of definitions in other modules.
        if function.linkage != Linkage::HiddenExternal || function.body.is_none() || is_serialized(function) {
            continue;
        }
        let message = format!("`@{}` is `hidden_external`, but has a body", function.name);
        cx.report(cx.finding(&HIDDEN_EXTERNAL_BODY, Owner::Function(id), Place::Whole, message));
    }
    for (id, global) in cx.module.globals.iter() {
        let is_defined_elsewhere =
            global.linkage == Linkage::HiddenExternal && global.attributes.serialized == Serialized::No;
        if is_defined_elsewhere && global.initializer.is_some() {
            let message = format!("`@{}` is `hidden_external`, but has an initializer", global.name);
            let place = place::entity(cx, SourceEntity::Global(id));
            cx.report(cx.finding(&HIDDEN_EXTERNAL_BODY, Owner::Global(id), place, message));
        }
    }
}

static SERIALIZED_LINKAGE: Rule = Rule {
    id: RuleId::new("SIL0606"),
    name: "SerializedLinkage",
    severity: Severity::Error,
    summary: "A `hidden` or `private` function is not serialized; a `non_abi` function is",
    details: "\
`[serialized]` lets other modules copy the body. They cannot refer to a `hidden` or `private` function,
so its body has no use there: make it `shared`, or remove the attribute. A `non_abi` function, on the
other hand, exists in other modules only as such a copy.",
    failing: "\
sil private [serialized] @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil shared [serialized] @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Module(serialized_linkage),
};

fn serialized_linkage(cx: &ModuleVerifier<'_>) {
    use Linkage as L;
    // The compiler prints canonical SIL after it serialized the functions and dropped the attribute.
    let is_printed_late =
        cx.declarations.own().is_printed_by_compiler && cx.module.stage == Some(SilStage::Canonical);
    let is_module_serialized = cx.module.is_serialized || is_printed_late;
    for (id, function) in cx.module.functions.iter().filter(|(_, f)| f.body.is_some()) {
        let spelled = function.linkage.spelling();
        let message = match (function.linkage, is_serialized(function)) {
            (L::Hidden | L::Private, true) => format!("`@{}` is `{spelled}`, but serialized", function.name),
            (L::PublicNonAbi | L::PackageNonAbi, false) if !is_module_serialized => {
                format!("`@{}` is `{spelled}`, but not serialized", function.name)
            }
            _ => continue,
        };
        cx.report(cx.finding(&SERIALIZED_LINKAGE, Owner::Function(id), Place::Whole, message));
    }
}

/// Returns true if clients of the module, or of the package, may copy the body.
pub(super) fn is_serialized(function: &Function) -> bool {
    function.attributes.serialized != Serialized::No
}

static REPLACED_IS_DECLARED: Rule = Rule {
    id: RuleId::new("SIL0620"),
    name: "ReplacedIsDeclared",
    severity: Severity::Error,
    summary: "The target of a dynamic replacement is declared as replaceable, with the same type",
    details: "\
`[dynamic_replacement_for \"g\"]` states that the function replaces `@g` at run time: callers of `@g` call
the function instead. A declaration, `sil [dynamically_replacable] @g : $…`, states the type of `@g`. A
`[transparent]` function is inlined everywhere, so it is not replaceable.",
    failing: "\
sil [dynamic_replacement_for \"g\"] @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil [dynamically_replacable] @g : $@convention(thin) () -> ()
sil [dynamic_replacement_for \"g\"] @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Module(replaced_is_declared),
};

fn replaced_is_declared(cx: &ModuleVerifier<'_>) {
    for (id, function) in cx.module.functions.iter() {
        if function.has(FunctionFlags::DYNAMICALLY_REPLACEABLE) && function.has(FunctionFlags::TRANSPARENT) {
            let message =
                format!("`@{}` is `[transparent]`, so its calls are inlined and not replaced", function.name);
            cx.report(cx.finding(&REPLACED_IS_DECLARED, Owner::Function(id), Place::Whole, message));
        }
        let absent =
            function.attributes.ref_adhoc_requirement_witness.filter(|name| cx.function(*name).is_none());
        if let Some(name) = absent {
            let message = format!("`@{}` names the witness `@{name}`, which is not declared", function.name);
            cx.report(cx.finding(&REPLACED_IS_DECLARED, Owner::Function(id), Place::Whole, message));
        }
        let Some(name) = function.attributes.dynamic_replacement_for else { continue };
        let Some(replaced) = cx.function(name) else {
            let message = format!("`@{}` replaces `@{name}`, which is not declared", function.name);
            cx.report(cx.finding(&REPLACED_IS_DECLARED, Owner::Function(id), Place::Whole, message));
            continue;
        };
        let why = if !replaced.has(FunctionFlags::DYNAMICALLY_REPLACEABLE) {
            "is not `[dynamically_replacable]`"
        } else if cx.declarations.same_type(function.ty.ty(), replaced.ty.ty(), None) == Some(false) {
            "has another type"
        } else {
            continue;
        };
        let message = format!("`@{}` replaces `@{name}`, which {why}", function.name);
        // The reference does not check it.
        let finding = cx.finding(&REPLACED_IS_DECLARED, Owner::Function(id), Place::Whole, message).warning();
        cx.report(match cx.program.function_id(name) {
            Some(replaced) => finding.also(Place::Function(replaced), "it is declared here"),
            None => finding,
        });
    }
}

static EFFECTS_OF_ARGUMENTS: Rule = Rule {
    id: RuleId::new("SIL0692"),
    name: "EffectsOfArguments",
    severity: Severity::Error,
    summary: "The effects of a function name its arguments",
    details: "\
`[%0: noescape **]` tells about the first argument, which may be an indirect result. Passes look effects up by
the number of the argument, so those of others are never used.",
    failing: "\
sil @f : $@convention(thin) (Builtin.NativeObject) -> () {
[%1: noescape **]
[global: ]
bb0(%0 : $Builtin.NativeObject):
  %1 = tuple ()
  return %1 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.NativeObject) -> () {
[%0: noescape **]
[global: ]
bb0(%0 : $Builtin.NativeObject):
  %1 = tuple ()
  return %1 : $()
}
",
    check: Check::Module(effects_of_arguments),
};

fn effects_of_arguments(cx: &ModuleVerifier<'_>) {
    // The compiler copies derived effects to specializations with fewer arguments.
    if cx.declarations.own().is_printed_by_compiler {
        return;
    }
    for (id, function) in cx.module.functions.iter().filter(|(_, f)| !f.effects.is_empty()) {
        // What the source code states, `noescape!`, outlives an argument that specialization removes.
        let escapes = function.effects.escapes.iter().filter(|escape| escape.is_derived);
        let escapes = escapes.flat_map(|escape| match escape.to {
            Escape::Argument { argument, .. } => [Some(escape.argument), Some(argument)],
            _ => [Some(escape.argument), None],
        });
        let affected = function.effects.side.iter().map(|side| side.arguments.len().checked_sub(1));
        let Some(last) = escapes.chain(affected).flatten().max() else { continue };
        let entry = function.body.as_ref().and_then(|body| Some(body.arguments(body.entry_block()?).len()));
        let of_type = || {
            let ty = function.ty.ty().as_function()?;
            // Whether values of some types are passed by address depends on the module.
            Some(ty.params.len() + ty.results.len() + usize::from(ty.error.is_some()))
        };
        let Some(count) = entry.or_else(of_type).filter(|&count| last >= count) else { continue };
        let message = format!("the effects name argument {last}, but `@{}` has {count}", function.name);
        // The reference does not check it.
        cx.report(cx.finding(&EFFECTS_OF_ARGUMENTS, Owner::Function(id), Place::Whole, message).warning());
    }
}

#[cfg(test)]
mod tests {
    use crate::{VerifyOptions, verify};

    #[test]
    fn functions_of_a_serialized_module_need_not_say_that_they_are() {
        let text = "sil_stage canonical\n\
                    sil non_abi @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0 : $()\n}\n";
        let mut parsed = silkit_text::parse_module(text);
        let declarations = silkit_text::decl::declarations(&parsed.module);
        for (is_serialized, expected) in [(false, &["SIL0606"][..]), (true, &[])] {
            parsed.module.is_serialized = is_serialized;
            let report = verify(&parsed.module, &declarations, None, &VerifyOptions::default());
            let found: Vec<_> = report.findings.iter().map(|f| f.rule.id.as_str()).collect();
            assert_eq!(found, expected);
        }
    }
}
