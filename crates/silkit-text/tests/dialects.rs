//! Spellings of other compilers than Swift 6.2, each with what it prints as (docs/dialects.md).

use silkit_text::{PrintOptions, parse_module, print_module};

/// Returns the text that a module prints as, without the comments behind code.
fn printed(text: &str) -> String {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    let printed = print_module(&parsed.module, &PrintOptions::default(), &|_| None);
    let again = print_module(&parse_module(&printed).module, &PrintOptions::default(), &|_| None);
    assert_eq!(printed, again);
    printed
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim_end().to_owned() + "\n")
        .collect()
}

/// Checks that a text, which has these lines, prints with these lines instead.
fn check(text: &str, lines: &[&str]) {
    let printed = printed(text);
    for line in lines {
        assert!(printed.contains(&format!("{line}\n")), "no {line:?} in\n{printed}");
    }
}

#[test]
fn end_apply_without_a_type() {
    let function = |end: &str| {
        format!(
            "sil @g : $@yield_once @convention(thin) () -> @yields Builtin.Int1\n\
             sil @f : $@convention(thin) () -> () {{\n\
             bb0:\n\
             \x20 %0 = function_ref @g : $@yield_once @convention(thin) () -> @yields Builtin.Int1\n\
             \x20 (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields Builtin.Int1\n\
             \x20 {end}\n\
             \x20 %4 = tuple ()\n\
             \x20 return %4 : $()\n}}\n"
        )
    };
    check(&function("end_apply %2"), &["  end_apply %2"]);
    check(&function("end_apply %2 : $Builtin.SILToken"), &["  end_apply %2"]);
    check(&function("%3 = end_apply %2 as $()"), &["  %3 = end_apply %2 as $()"]);
    // With a result it is that of a newer compiler.
    check(&function("%3 = end_apply %2"), &["  %3 = end_apply %2 as $()"]);
}

#[test]
fn dependent_conformances_without_a_type() {
    let text = "protocol P {\n  associatedtype A : P\n}\n\
        struct S<T> {\n}\n\
        sil_witness_table <T where T : P> S<T>: P module main {\n\
        \x20 associated_type_protocol (A: P): dependent\n\
        \x20 associated_type A: T\n\
        \x20 conditional_conformance (T: P): dependent\n\
        \x20 conditional_conformance (T: P): dependent T\n}\n";
    check(
        text,
        &[
            "  associated_type_protocol (A: P): dependent",
            "  associated_type A: T",
            "  conditional_conformance (T: P): dependent",
            "  conditional_conformance (T: P): dependent T",
        ],
    );
}

const CLASSES: &str = "class C {\n  init()\n}\nclass D : C {\n}\n";

/// Returns a function with an argument of class `C` and these instructions.
fn function(lines: &[&str]) -> String {
    let body: String = lines
        .iter()
        .map(|l| if l.starts_with("bb") { format!("{l}\n") } else { format!("  {l}\n") })
        .collect();
    format!(
        "{CLASSES}sil @f : $@convention(thin) (@guaranteed C) -> () {{\nbb0(%0 : $C):\n{body}  unreachable\n}}\n"
    )
}

#[test]
fn instructions_of_earlier_compilers() {
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["%1 = alloc_stack $C", "debug_value_addr %1 : $*C, var, name \"x\", argno 1"],
            &["  debug_value %1, var, name \"x\", argno 1, expr op_deref"],
        ),
        (
            &["debug_value [moved] %0 : $C, let, name \"x\""],
            &["  debug_value [moveable_value_debuginfo] %0, let, name \"x\""],
        ),
        (
            &["%1 = alloc_stack [lexical] [moved] $C"],
            &["  %1 = alloc_stack [lexical] [moveable_value_debuginfo] $C"],
        ),
        (&["%1 = alloc_ref [stack] $C", "dealloc_ref [stack] %1 : $C"], &["  dealloc_stack_ref %1"]),
        (&["%1 = alloc_ref $C", "dealloc_ref %1 : $C"], &["  dealloc_ref %1"]),
        (&["set_deallocating %0 : $C"], &["  %1 = begin_dealloc_ref %0 of %0"]),
        (&["set_deallocating [nonatomic] %0 : $C"], &["  %1 = begin_dealloc_ref %0 of %0"]),
        (
            &[
                "%1 = alloc_stack $C",
                "%2 = alloc_stack $C",
                "copy_addr [take] %1 to [initialization] %2 : $*C",
            ],
            &["  copy_addr [take] %1 to [init] %2"],
        ),
        (
            &["checked_cast_br [exact] %0 : $C to D, bb1, bb2", "bb1(%2 : $D):", "br bb2", "bb2:"],
            &["  checked_cast_br [exact] C in %0 to D, bb1, bb2"],
        ),
        (
            &[
                "%1 = metatype $@thick C.Type",
                "checked_cast_br %1 : $@thick C.Type to D.Type, bb1, bb2",
                "bb1(%2 : $@thick D.Type):",
                "br bb2",
                "bb2:",
            ],
            &["  checked_cast_br C.Type in %1 to D.Type, bb1, bb2"],
        ),
        (
            &["checked_cast_value_br C in %0 : $C to D, bb1, bb2", "bb1(%2 : $D):", "br bb2", "bb2:"],
            &["  checked_cast_br C in %0 to D, bb1, bb2"],
        ),
        (
            &["%1 = unconditional_checked_cast_value C in %0 : $C to D"],
            &["  %1 = unconditional_checked_cast %0 to D"],
        ),
        (&["test_specification \"trace\""], &["  specify_test \"trace\""]),
        (
            &["%1 = mark_must_check [no_copy] %0 : $C"],
            &["  %1 = mark_unresolved_non_copyable_value [no_consume_or_assign] %0"],
        ),
        (
            &["%1 = mark_must_check [no_implicit_copy] %0 : $C"],
            &["  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0"],
        ),
        (
            &["%1 = copy_unmanaged_value undef : $@sil_unmanaged C"],
            &["  %1 = strong_copy_unmanaged_value undef : $@sil_unmanaged C"],
        ),
        (
            &["%1 = copy_unowned_value undef : $@sil_unowned C"],
            &["  %1 = strong_copy_unowned_value undef : $@sil_unowned C"],
        ),
        (
            &["%1 = is_escaping_closure [objc] undef : $@callee_guaranteed () -> ()"],
            &["  %1 = destroy_not_escaped_closure [objc] undef : $@callee_guaranteed () -> ()"],
        ),
    ];
    for (older, newer) in cases {
        check(&function(older), newer);
    }
}

#[test]
fn opened_types_without_their_interface() {
    let text = "protocol P {\n}\n\
        sil @f : $@convention(thin) (@in_guaranteed P) -> () {\n\
        bb0(%0 : $*P):\n\
        \x20 %1 = open_existential_addr immutable_access %0 : $*P to $*@opened(\"00000000-0000-0000-0000-000000000001\") P\n\
        \x20 unreachable\n}\n";
    check(
        text,
        &[
            "  %1 = open_existential_addr immutable_access %0 to $*@opened(\"00000000-0000-0000-0000-000000000001\", any P) Self",
        ],
    );
}

#[test]
fn functions_that_may_be_serialized() {
    check(
        "sil [serializable] @f : $@convention(thin) () -> ()\n",
        &["sil [serialized] @f : $@convention(thin) () -> ()"],
    );
}

#[test]
fn integer_generic_parameters() {
    let text = "import Swift\nstruct Vec<let N : Int> {\n}\n\
        sil @f : $@convention(thin) <let N : Int where N == 2> (Vec<N>) -> ()\n\
        sil @g : $@convention(thin) <let N : Int, T where N == -1, T : AnyObject> (Vec<-1>, @guaranteed T) -> ()\n\
        sil @h : $@convention(thin) (Vec<4>) -> ()\n";
    check(
        text,
        &[
            "sil @f : $@convention(thin) <let N : Int where N == 2> (Vec<N>) -> ()",
            "sil @g : $@convention(thin) <let N : Int, T where N == -1, T : AnyObject> (Vec<-1>, @guaranteed T) -> ()",
            "sil @h : $@convention(thin) (Vec<4>) -> ()",
        ],
    );
    // In declarations as well.
    let text = "import Swift\nstruct Vec<let N : Int> {\n}\nextension Vec where N == 2 {\n  func f()\n}\nsil_stage raw\n";
    check(text, &["extension Vec where N == 2 {"]);
}

#[test]
fn a_name_denotes_what_its_own_file_declares() {
    let text = |declaration: &str| {
        format!(
            "sil_stage canonical\n\n{declaration}\n\n\
             sil @f : $@convention(thin) (@in_guaranteed Shape, Array<Shape>) -> @out Shape\n"
        )
    };
    let line = "sil @f : $@convention(thin) (@in_guaranteed any Shape, Array<any Shape>) -> @out any Shape";
    check(&text("protocol Shape {\n}"), &[line]);
    let line = "sil @f : $@convention(thin) (@in_guaranteed Shape, Array<Shape>) -> @out Shape";
    check(&text("struct Shape {\n}"), &[line]);
    let line = "sil @f : $@convention(thin) (@in_guaranteed Int, Array<Int>) -> @out Int";
    check(&text("typealias Shape = Int"), &[line]);
}

/// The forms that Swift 6.3 adds, as it prints them.
#[test]
fn forms_of_swift_6_3() {
    let function = |signature: &str, lines: &[&str]| {
        format!(
            "sil_stage raw\n\nimport Builtin\n\nclass C {{\n}}\n\nsil [ossa] @f : $@convention(thin) {signature} {{\n{}\n}}\n",
            lines.join("\n")
        )
    };
    for (signature, argument, line) in [
        ("() -> ()", "", "%1 = alloc_stack [non_nested] [dynamic_lifetime] [lexical] [var_decl] $C"),
        ("() -> ()", "", "%1 = alloc_ref [stack] [non_nested] $C"),
        ("() -> ()", "", "%1 = alloc_pack_metadata [non_nested] $()"),
        (
            "() -> ()",
            "",
            "%1 = alloc_box [dynamic_lifetime] [reflection] [pointer_escape] [inferred_immutable] [moveable_value_debuginfo] ${ var C }",
        ),
        (
            "(@inout Builtin.FixedArray<4, C>) -> ()",
            "(%0 : $*Builtin.FixedArray<4, C>)",
            "%1 = vector_base_addr %0",
        ),
        ("(@guaranteed C) -> ()", "(%0 : @guaranteed $C)", "%1 = unchecked_ownership %0"),
        (
            "(Builtin.Vec4xInt32) -> ()",
            "(%0 : $Builtin.Vec4xInt32)",
            "%1 = builtin \"interleave_Vec4xInt32\"(%0, %0) : $(Builtin.Vec4xInt32, Builtin.Vec4xInt32)",
        ),
        (
            "(Builtin.RawPointer) -> ()",
            "(%0 : $Builtin.RawPointer)",
            "%1 = builtin \"finishAsyncLet\"(%0, %0) : $()",
        ),
    ] {
        let entry = format!("bb0{argument}:");
        let line = format!("  {line}");
        let lines = [&entry, &line, "  %9 = tuple ()", "  return %9 : $()"];
        check(
            &function(signature, &lines),
            &[&line.replace("%1", if argument.is_empty() { "%0" } else { "%1" })],
        );
    }
    let lines = ["bb0(%0 : $*C):", "  %1 = load_borrow %0", "  return_borrow %1 from_scopes (%1)"];
    check(&function("(@in_guaranteed C) -> @guaranteed C", &lines), &lines[1..]);
    let lines = ["bb0(%0 : @guaranteed $C):", "  return_borrow %0 from_scopes ()"];
    check(&function("(@guaranteed C) -> @guaranteed C", &lines), &lines[1..]);
}

#[test]
fn attributes_of_swift_6_3() {
    let globals = "sil_global [let] [used] [asmname \"a\"] [section \"s\"] @g : $Int";
    let text = format!("sil_stage canonical\n\nimport Swift\n\n{globals}\n");
    check(&text, &[globals]);
}
