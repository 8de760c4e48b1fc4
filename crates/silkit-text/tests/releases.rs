//! The forms that some releases of Swift do not have: each is read, printed as it was read, and tells the release.

use silkit_ir::{Module, Release};
use silkit_text::dialect::{self, Form};
use silkit_text::{PrintOptions, parse_module, print_module};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

const DECLARATIONS: &str = "import Builtin
import Swift

class K {
  init()
}

class D : K {
}

protocol P {
  func m()
}

protocol Q {
  var x: Int { get set }
}

enum E {
  case a(K)
  case b
}
";

const V6_3: Release = Release::V6_3;
const V6_4: Release = Release::V6_4;
const V6_5: Release = Release::V6_5;

fn parsed(text: &str) -> Module {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    parsed.module
}

fn printed(module: &Module) -> String {
    let options = PrintOptions { types: true, ..PrintOptions::default() };
    let text = print_module(module, &options, &|_| None);
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim_end().to_owned() + "\n")
        .collect()
}

/// Returns a function with these arguments and instructions. A line that begins with `bb` is a label.
fn function(attributes: &str, arguments: &[&str], lines: &[&str]) -> String {
    let own = |ty: &str| match ty.split_once(' ') {
        Some(("@guaranteed", ty)) if attributes.contains("ossa") => format!("@guaranteed ${ty}"),
        Some(("@guaranteed", ty)) => format!("${ty}"),
        Some(("@in" | "@in_guaranteed" | "@inout", ty)) => format!("$*{ty}"),
        _ => format!("${ty}"),
    };
    let head: Vec<String> =
        arguments.iter().enumerate().map(|(at, ty)| format!("%{at} : {}", own(ty))).collect();
    let head = if head.is_empty() { String::new() } else { format!("({})", head.join(", ")) };
    let mut text =
        format!("sil {attributes}@f : $@convention(thin) ({}) -> () {{\nbb0{head}:\n", arguments.join(", "));
    for line in lines {
        let indent = if line.starts_with("bb") || line.starts_with(' ') { "" } else { "  " };
        text += &format!("{indent}{line}\n");
    }
    text + "  %99 = tuple ()\n  return %99 : $()\n}\n"
}

/// A release, the stage, the attributes and arguments of a function, and its lines.
type Body = (Release, &'static str, &'static str, &'static [&'static str], &'static [&'static str]);

/// The instructions of each release.
const BODIES: &[Body] = &[
    (
        V6_3,
        "canonical",
        "",
        &["@in_guaranteed Builtin.FixedArray<4, Int>"],
        &["%1 = vector_base_addr %0 : $*Builtin.FixedArray<4, Int>"],
    ),
    (V6_3, "raw", "[ossa] ", &["@guaranteed K"], &["%1 = unchecked_ownership %0 : $K"]),
    (V6_3, "canonical", "", &[], &["%0 = alloc_stack [non_nested] $Int", "dealloc_stack %0 : $*Int"]),
    (V6_3, "canonical", "", &[], &["%0 = alloc_pack_metadata [non_nested] $()"]),
    (V6_3, "canonical", "", &[], &["%0 = alloc_ref [stack] [non_nested] $K"]),
    (
        V6_3,
        "canonical",
        "",
        &["@thick K.Type"],
        &["%1 = alloc_ref_dynamic [stack] [non_nested] %0 : $@thick K.Type, $K"],
    ),
    (V6_3, "canonical", "", &[], &["%0 = alloc_box [inferred_immutable] ${ var K }"]),
    (
        V6_3,
        "canonical",
        "",
        &["@callee_guaranteed (K) -> ()", "@guaranteed K"],
        &[
            "%2 = partial_apply [callee_guaranteed] [on_stack] [non_nested] %0(%1) : $@callee_guaranteed (K) -> ()",
        ],
    ),
    (
        V6_4,
        "canonical",
        "",
        &["@callee_guaranteed (K) -> ()", "@guaranteed K"],
        &[
            "%2 = partial_apply [callee_guaranteed] [nonisolated_nonsending] %0(%1) : $@callee_guaranteed (K) -> ()",
        ],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["@callee_guaranteed (K) -> ()", "@guaranteed K"],
        &["%2 = partial_apply [callee_guaranteed] [called_once] %0(%1) : $@callee_guaranteed (K) -> ()"],
    ),
    (
        V6_4,
        "canonical",
        "[ossa] ",
        &["@guaranteed K"],
        &[
            "%1 = make_borrow %0 : $K",
            "%2 = dereference_borrow %1 : $Builtin.Borrow<K>",
            "end_borrow %2 : $K",
        ],
    ),
    (
        V6_4,
        "canonical",
        "",
        &["@in_guaranteed K"],
        &[
            "%1 = make_addr_borrow %0 : $*K",
            "%2 = dereference_addr_borrow %1 : $Builtin.Borrow<K>",
            "fix_lifetime %2 : $*K",
        ],
    ),
    (
        V6_4,
        "canonical",
        "",
        &["@in_guaranteed K"],
        &[
            "%1 = alloc_stack $Builtin.Borrow<K>",
            "init_borrow_addr %1 : $*Builtin.Borrow<K> with %0 : $*K",
            "%3 = dereference_borrow_addr %1 : $*Builtin.Borrow<K>",
            "fix_lifetime %3 : $*K",
            "dealloc_stack %1 : $*Builtin.Borrow<K>",
        ],
    ),
    (
        V6_4,
        "canonical",
        "",
        &["@in_guaranteed E"],
        &[
            "%1 = alloc_stack $E",
            "%2 = unchecked_borrow_enum_data_addr %0 : $*E, #E.a!enumelt in %1 : $*E",
            "fix_lifetime %2 : $*K",
            "dealloc_stack %1 : $*E",
            "%5 = unchecked_inplace_enum_data_addr %0 : $*E, #E.a!enumelt",
            "fix_lifetime %5 : $*K",
        ],
    ),
    (V6_5, "raw", "", &["@guaranteed K"], &["diagnose [unpermitted_copy] %0 : $K"]),
    (V6_5, "raw", "", &["@guaranteed K"], &["end_formal_scope %0 : $K"]),
    (
        V6_5,
        "canonical",
        "",
        &["@guaranteed any P"],
        &[
            "%1 = open_com_existential %0 : $any P to $@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self",
        ],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["@guaranteed K"],
        &["%1 = com_method %0 : $K, #P.m, $@convention(com_method) (@guaranteed K) -> ()"],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["Builtin.RawPointer", "@in Int"],
        &[
            "await_detached_continuation %0 : $Builtin.RawPointer, %1 : $*Int, resume bb1, error bb2",
            "bb1:",
            "br bb3",
            "bb2:",
            "br bb3",
            "bb3:",
        ],
    ),
    (
        V6_4,
        "canonical",
        "",
        &["Builtin.RawPointer", "Builtin.Word"],
        &[
            "%2 = pointer_to_address %0 : $Builtin.RawPointer to [strict] $*Int",
            "%3 = index_addr [projection] %2 : $*Int, %1 : $Builtin.Word",
            "%4 = index_addr [stack_protection] [projection] %2 : $*Int, %1 : $Builtin.Word",
        ],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["@in_guaranteed K"],
        &[
            "checked_cast_addr_br test_only K in %0 : $*K to D, bb1, bb2 !true_count(7) !false_count(3)",
            "bb1:",
            "br bb3",
            "bb2:",
            "br bb3",
            "bb3:",
        ],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["Builtin.RawPointer"],
        &["%1 = raw_pointer_to_ref [immortal] %0 : $Builtin.RawPointer to $K"],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["@in_guaranteed K", "@inout D"],
        &[
            "unconditional_checked_cast_addr [prohibit_isolated_conformances] [copy] K in %0 : $*K to D in %1 : $*D",
        ],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["Int", "Int"],
        &[
            "debug_value (%0 : $Int, %1 : $Int), let, name \"pair\", type $(Int, Int), transform {",
            "bb0(%0 : $Int, %1 : $Int):",
            "  %2 = alloc_pack $Pack{Int}",
            "  %3 = string_literal utf8 \"}\"",
            "  %2 = tuple (%0 : $Int, %1 : $Int)",
            "  return %2 : $(Int, Int)",
            "  }",
        ],
    ),
    (
        V6_5,
        "canonical",
        "",
        &[],
        &[
            "debug_value [trace] (), let, name \"one\", type $Builtin.Int64, transform {",
            "bb0:",
            "  %0 = integer_literal $Builtin.Int64, 1",
            "  return %0 : $Builtin.Int64",
            "  }",
        ],
    ),
    (
        V6_5,
        "canonical",
        "",
        &["Int"],
        &["debug_value %0 : $Int, let, name \"x\", type $(Int, Int), transform { ... }"],
    ),
    (
        V6_4,
        "raw",
        "",
        &[
            "Int",
            "@inout Int",
            "@callee_guaranteed (Int) -> @out Int",
            "@callee_guaranteed (Int, @inout Int) -> ()",
        ],
        &[
            "assign_or_init #x, local %1 : $*Int, value %0 : $Int, init %2 : $@callee_guaranteed (Int) -> @out Int, set %3 : $@callee_guaranteed (Int, @inout Int) -> ()",
        ],
    ),
    (
        V6_4,
        "canonical",
        "",
        &["@in_guaranteed K"],
        &[
            "%1 = witness_method $K, #Q.x!yielding_mutate : <Self where Self : Q> (inout Self) -> @yield_once () yields (inout Int) -> () : $@yield_once_2 @convention(witness_method: Q) <τ_0_0 where τ_0_0 : Q> (@inout τ_0_0) -> @yields @inout Int",
        ],
    ),
];

/// The builtins of each release: the name, the arguments and the result.
const BUILTINS: &[(Release, &str, &[&str], &str)] = &[
    (V6_3, "finishAsyncLet", &["Builtin.RawPointer", "Builtin.RawPointer"], "()"),
    (V6_3, "taskAddCancellationHandler", &["@callee_guaranteed () -> ()"], "Builtin.RawPointer"),
    (V6_3, "taskRemoveCancellationHandler", &["Builtin.RawPointer"], "()"),
    (
        V6_3,
        "taskAddPriorityEscalationHandler",
        &["@callee_guaranteed (UInt8, UInt8) -> ()"],
        "Builtin.RawPointer",
    ),
    (V6_3, "taskRemovePriorityEscalationHandler", &["Builtin.RawPointer"], "()"),
    (V6_3, "addTaskLocalValue\"<Int>", &["Builtin.RawPointer", "@in Int"], "Builtin.RawPointer"),
    (V6_3, "removeTaskLocalValue", &["Builtin.RawPointer"], "()"),
    (V6_3, "taskLocalValuePush\"<Int>", &["Builtin.RawPointer", "@in Int"], "()"),
    (V6_3, "taskLocalValuePop", &[], "()"),
    (
        V6_3,
        "interleave_Vec4xInt32",
        &["Builtin.Vec4xInt32", "Builtin.Vec4xInt32"],
        "(Builtin.Vec4xInt32, Builtin.Vec4xInt32)",
    ),
    (
        V6_3,
        "deinterleave_Vec4xInt32",
        &["Builtin.Vec4xInt32", "Builtin.Vec4xInt32"],
        "(Builtin.Vec4xInt32, Builtin.Vec4xInt32)",
    ),
    (V6_3, "prepareInitialization", &["@inout Int"], "()"),
    (V6_4, "taskCancellationShieldPush", &[], "Builtin.Int1"),
    (V6_4, "taskCancellationShieldPop", &[], "()"),
    (V6_4, "infinite_loop_true_condition", &[], "Builtin.Int1"),
    (V6_4, "dereferenceable", &["Builtin.RawPointer", "Builtin.Word"], "Builtin.RawPointer"),
    (
        V6_4,
        "gepProjection\"<Int>",
        &["Builtin.RawPointer", "Builtin.Word", "@thick Int.Type"],
        "Builtin.RawPointer",
    ),
    (V6_4, "markDependence\"<K, K>", &["@guaranteed K", "@guaranteed K"], "K"),
    (V6_4, "makeBorrow\"<K>", &["@guaranteed K"], "Builtin.Borrow<K>"),
    (V6_4, "dereferenceBorrow\"<K>", &["Builtin.Borrow<K>"], "K"),
    (V6_4, "borrowAt\"<K>", &["Builtin.RawPointer"], "K"),
    (V6_5, "createDetachedContinuation", &[], "Builtin.RawPointer"),
    (V6_5, "resumeDetachedContinuationReturning", &["Builtin.RawPointer"], "()"),
    (V6_5, "destroyDetachedContinuation", &["Builtin.RawPointer"], "()"),
];

/// The declarations, globals and tables of each release, one line or table each.
const ENTITIES: &[(Release, &str)] = &[
    (V6_3, "sil [heuristic_always_inline] @f : $@convention(thin) () -> ()"),
    (V6_3, "sil [manual_ownership] [perf_constraint] @f : $@convention(thin) () -> ()"),
    (V6_3, "sil [used] [section \"s\"] [asmname \"a\"] @f : $@convention(thin) () -> ()"),
    (V6_4, "sil [weak_imported] [export_interface] [available 10.1] @f : $@convention(thin) () -> ()"),
    (V6_4, "sil [export_implementation] [noinline] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [distributed_proxy_adapter_thunk] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [no_locks] [no_sanitize_address] [perf_constraint] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [no_sanitize_thread] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [no_sanitize_memtag] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [opaque] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [stage=canonical] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [stage=raw] @f : $@convention(thin) () -> ()"),
    (V6_5, "sil [stage=lowered] @f : $@convention(thin) () -> ()"),
    (V6_3, "sil_global [let] [used] [asmname \"a\"] [section \"s\"] @g : $Int"),
    (V6_4, "sil_global [let] [used] [export_interface] @g : $Int"),
    (V6_4, "sil_global [export_implementation] @g : $Int"),
    (V6_3, "sil @f : $@convention(thin) (@guaranteed K) -> @guaranteed K"),
    (V6_3, "sil @f : $@convention(thin) (@in_guaranteed K) -> @guaranteed_address K"),
    (V6_3, "sil @f : $@convention(thin) (@inout K) -> @inout K"),
    (
        V6_4,
        "sil @f : $@convention(thin) @caller_isolated @Sendable @async (@sil_isolated @sil_implicit_leading_param @guaranteed Builtin.ImplicitActor) -> ()",
    ),
    (
        V6_5,
        "sil @f : $@convention(thin) (@owned @noescape @called(atMostOnce) @callee_owned () -> (), @owned @called(exactlyOnce) @callee_owned () -> (), @owned @called(once) @callee_owned () -> ()) -> ()",
    ),
    (V6_5, "sil @f : $@convention(com_method) (Int, @guaranteed K) -> ()"),
    (
        V6_5,
        "sil_vtable K {\n  conformance K: P module M\n  no_conformance Q\n  #K.init!allocator: (K.Type) -> () -> K : @i\n}",
    ),
    (V6_3, "sil_witness_table [specialized] D: P module M {\n}"),
    (V6_5, "sil_moveonlydeinit $Array<Int> {\n  @d\n}"),
    (
        V6_3,
        "sil_default_witness_table Q {\n  method #Q.x!borrow: <Self where Self : Q> (Self) -> () -> Int : @b\n}",
    ),
    (
        V6_3,
        "sil_default_witness_table Q {\n  method #Q.x!mutate: <Self where Self : Q> (inout Self) -> () -> Int : @b\n}",
    ),
    (
        V6_4,
        "sil_default_witness_table Q {\n  method #Q.x!yielding_borrow: <Self where Self : Q> (Self) -> () -> () : @b\n}",
    ),
];

/// Returns all cases: the release, the text and the lines that print as they are.
fn cases() -> Vec<(Release, String, Vec<String>)> {
    let mut all = Vec::new();
    for (release, stage, attributes, arguments, lines) in BODIES {
        let body = function(attributes, arguments, lines);
        let wanted = body.lines().filter(|line| lines.contains(&line.trim_start()) || lines.contains(line));
        let wanted = wanted.map(str::to_owned).collect();
        all.push((*release, format!("sil_stage {stage}\n\n{DECLARATIONS}\n{body}"), wanted));
    }
    for (release, name, arguments, result) in BUILTINS {
        let quote = if name.contains('"') { "" } else { "\"" };
        let own = |(at, ty): (usize, &&str)| match ty.split_once(' ') {
            Some(("@in" | "@inout", ty)) => format!("%{at} : $*{ty}"),
            Some(("@guaranteed", ty)) => format!("%{at} : ${ty}"),
            _ => format!("%{at} : ${ty}"),
        };
        let operands: Vec<String> = arguments.iter().enumerate().map(own).collect();
        let count = arguments.len();
        let line = format!("%{count} = builtin \"{name}{quote}({}) : ${result}", operands.join(", "));
        let body = function("", arguments, &[&line]);
        all.push((
            *release,
            format!("sil_stage canonical\n\n{DECLARATIONS}\n{body}"),
            vec![format!("  {line}")],
        ));
    }
    let lines =
        ["bb0(%0 : $*K):", "  %1 = load_borrow %0 : $*K", "  return_borrow %1 : $K from_scopes (%1 : $K)"];
    let body = format!(
        "sil [ossa] @f : $@convention(thin) (@in_guaranteed K) -> @guaranteed K {{\n{}\n}}\n",
        lines.join("\n")
    );
    let lines = lines.map(str::to_owned).to_vec();
    all.push((V6_3, format!("sil_stage canonical\n\n{DECLARATIONS}\n{body}"), lines));
    for (release, entity) in ENTITIES {
        let lines = entity.lines().map(str::to_owned).collect();
        all.push((*release, format!("sil_stage canonical\n\n{DECLARATIONS}\n{entity}\n"), lines));
    }
    all
}

#[test]
fn every_form_is_read_and_printed_and_tells_its_release() {
    for (release, text, lines) in cases() {
        let module = parsed(&text);
        let printed_text = printed(&module);
        for line in &lines {
            assert!(printed_text.contains(&format!("{line}\n")), "no {line:?} in\n{printed_text}");
        }
        assert_eq!(printed(&parsed(&printed_text)), printed_text);
        let releases = dialect::releases_of(&module);
        assert_eq!(releases.since, Some(release), "{:?} of\n{text}", dialect::forms_of(&module));
        assert_eq!(dialect::release_of(&module), release);
    }
}

#[test]
fn every_form_of_the_tables_has_a_case() {
    let found: BTreeSet<Form> = cases()
        .iter()
        .flat_map(|(_, text, _)| dialect::forms_of(&parsed(text)))
        .map(|found| found.form)
        .collect();
    for form in dialect::forms().into_iter().filter(|form| form.since.is_some()) {
        assert!(found.contains(&form), "no case has {form}");
    }
}

#[test]
fn forms_that_are_gone_tell_the_last_release() {
    let body = function(
        "",
        &["Builtin.RawPointer"],
        &["%1 = builtin \"endAsyncLet\"(%0 : $Builtin.RawPointer) : $()"],
    );
    let text = format!("sil_stage canonical\n\nimport Builtin\n\n{body}");
    let releases = dialect::releases_of(&parsed(&text));
    assert_eq!((releases.since, releases.until), (None, Some(Release::V6_2)));
    assert_eq!(dialect::release_of(&parsed(&text)), Release::V6_2);
}

#[test]
fn a_name_behind_a_module_selector() {
    let text = "import Swift\n\nsil @f : $@convention(thin) (Swift::Int, Array<Swift::Int>) -> Swift::Optional<Int>\n";
    assert!(printed(&parsed(text)).contains("(Int, Array<Int>) -> Optional<Int>\n"));
}

/// Returns the text of a module after its conversion to a release, or the forms that have no equal there.
fn converted(text: &str, to: Release) -> Result<String, Vec<String>> {
    let mut module = parsed(text);
    let left = dialect::convert(&mut module, to);
    match left.is_empty() {
        true => Ok(printed(&module)),
        false => Err(left.iter().map(|found| format!("{}: {}", found.owner, found.form)).collect()),
    }
}

#[test]
fn forms_with_an_equal_are_converted() {
    let call = |attribute: &str, list: &str| {
        let line = format!("%1 = apply %0<{list}>() : $@convention(thin) <τ_0_0> () -> ()");
        let body = function(attribute, &["@convention(thin) <τ_0_0> () -> ()"], &[&line]);
        format!("sil_stage canonical\n\nimport Swift\n\n{body}")
    };
    let old = call("[always_inline] ", "[Int]");
    let new = converted(&old, Release::V6_3).unwrap();
    assert!(new.contains("sil [heuristic_always_inline] @f") && new.contains("%0<Array<Int>>()"), "{new}");
    assert_eq!(converted(&old, Release::V6_2).unwrap(), printed(&parsed(&old)));
    let back = converted(&new, Release::V6_2).unwrap();
    assert!(back.contains("sil [always_inline] @f") && back.contains("%0<Array<Int>>()"), "{back}");
    // Parameters keep their names.
    let generic = function("<T>", &["@convention(thin) <τ_0_0> () -> ()"], &[]);
    let generic = generic.replace("sil <T>@f : $@convention(thin) (", "sil @f : $@convention(thin) <T> (");
    let line = "  %1 = apply %0<[T?]>() : $@convention(thin) <τ_0_0> () -> ()\n  %99 = tuple";
    let generic =
        format!("sil_stage canonical\n\nimport Swift\n\n{}", generic.replace("  %99 = tuple", line));
    assert!(converted(&generic, Release::V6_3).unwrap().contains("%0<Array<Optional<T>>>()"));
    // Also in a module that is of 6.3 already.
    let mixed = call("[asmname \"a\"] ", "[Int?]");
    assert!(converted(&mixed, Release::V6_3).unwrap().contains("%0<Array<Optional<Int>>>()"));
    // In 6.3 it is the strategy of `@inline(always)`.
    let strict = call("[always_inline] [asmname \"a\"] ", "Int");
    assert_eq!(converted(&strict, Release::V6_4).unwrap(), printed(&parsed(&strict)));
    let body = function(
        "",
        &[],
        &["%0 = alloc_box [inferred_immutable] ${ var Int }", "dealloc_box %0 : ${ var Int }"],
    );
    let old = converted(&format!("sil_stage raw\n\nimport Swift\n\n{body}"), Release::V6_2).unwrap();
    assert!(old.contains("%0 = alloc_box ${ var Int }"), "{old}");
}

#[test]
fn forms_without_an_equal_are_named() {
    let text = "import Swift\n\nsil [asmname \"a\"] @f : $@convention(thin) () -> ()\n";
    let left = converted(text, Release::V6_2).unwrap_err();
    assert_eq!(left, ["f: the attribute of functions `asmname` (Swift 6.3 and later)"]);
    let body = function(
        "",
        &["Builtin.RawPointer"],
        &["%1 = builtin \"endAsyncLet\"(%0 : $Builtin.RawPointer) : $()"],
    );
    let left = converted(&format!("import Builtin\n\n{body}"), Release::V6_3).unwrap_err();
    assert_eq!(left, ["f: the builtin `endAsyncLet` (Swift up to 6.2)"]);
}

#[test]
fn the_page_lists_the_forms() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mark = "cargo test -p silkit-text --test releases` -->\n";
    let (head, rest) = page.split_once(mark).unwrap();
    let (_, tail) = rest.split_once("<!-- end -->").unwrap();
    let mut table = String::from("\n| kind | form | releases |\n|---|---|---|\n");
    for form in dialect::forms() {
        writeln!(table, "| {} | `{}` | {} |", form.kind.name(), form.spelling, form.releases()).unwrap();
    }
    let fresh = format!("{head}{mark}{table}\n<!-- end -->{tail}");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert!(
        page == fresh,
        "docs/dialects.md is not fresh: run `UPDATE_EXPECT=1 cargo test -p silkit-text --test releases`"
    );
}
