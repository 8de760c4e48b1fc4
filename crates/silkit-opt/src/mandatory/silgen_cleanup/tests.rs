//! Cases for each change.

use crate::testing::changed;

/// Returns the body of a raw function in OSSA after the pass, with variables kept or not.
fn cleaned(switches: &[&str], signature: &str, entry: &str, insts: &str) -> String {
    cleaned_in("raw", "[ossa]", switches, signature, entry, insts)
}

/// Returns the body of a function after the pass, for a stage, with or without OSSA.
fn cleaned_in(
    stage: &str,
    ossa: &str,
    switches: &[&str],
    signature: &str,
    entry: &str,
    insts: &str,
) -> String {
    let arguments = if entry.is_empty() { String::new() } else { format!("({entry})") };
    let text = changed(
        "silgen-cleanup",
        switches,
        &format!(
            "sil_stage {stage}\nimport Builtin\nimport Swift\nclass C {{}}\nstruct One {{ var c: C }}\n\
             struct Two {{ var a: Int\n var c: C }}\nenum Either {{ case number(Builtin.Int64)\n case object(C) }}\n\
             struct Nested {{ var one: One }}\n\
             sil @use : $@convention(thin) (@guaranteed C) -> ()\n\
             sil {ossa} @f : $@convention(thin) {signature} {{\nbb0{arguments}:\n{insts}\n}}\n"
        ),
    );
    let body = &text[text.find("bb0").expect("a body")..];
    body.lines().skip(1).map(str::trim).filter(|line| *line != "}").collect::<Vec<_>>().join("\n")
}

#[test]
fn parts_are_loaded_in_their_order() {
    let text = cleaned(
        &[],
        "(@in_guaranteed Two) -> (Int, @owned C)",
        "%0 : $*Two",
        "%1 = load_borrow %0\n%2 = struct_extract %1, #Two.c\n%3 = copy_value %2\n\
         %4 = struct_extract %1, #Two.a\nend_borrow %1\n%6 = tuple (%4, %3)\nreturn %6",
    );
    let expected = "%1 = struct_element_addr %0, #Two.a\n%2 = load [trivial] %1\n\
        %3 = struct_element_addr %0, #Two.c\n%4 = load_borrow %3\n%5 = copy_value %4\nend_borrow %4\n";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn parts_of_copies_are_copied() {
    let text = cleaned(
        &[],
        "(@in_guaranteed Two) -> @owned C",
        "%0 : $*Two",
        "%1 = load [copy] %0\n%2 = begin_borrow %1\n%3 = struct_extract %2, #Two.c\n%4 = copy_value %3\n\
         end_borrow %2\ndestroy_value %1\nreturn %4",
    );
    let expected = "%1 = struct_element_addr %0, #Two.c\n%2 = load [copy] %1\n%3 = copy_value %2\n\
        destroy_value %2\nreturn %3";
    assert_eq!(text, expected);
}

#[test]
fn aggregates_that_are_used_whole_are_loaded_whole() {
    let text = cleaned(
        &[],
        "(@in_guaranteed (Int, Int)) -> (Int, Int)",
        "%0 : $*(Int, Int)",
        "%1 = load [trivial] %0\n%2 = tuple_extract %1, 0\nreturn %1",
    );
    assert!(text.starts_with("%1 = load [trivial] %0"), "{text}");
}

#[test]
fn variables_are_kept_without_optimization() {
    let clean = |address: &str| {
        cleaned(
            &["opt-mode=none"],
            "(@inout (Int, Int)) -> Int",
            "%0 : $*(Int, Int)",
            &format!("{address}\ndebug_value %1, let, name \"x\"\n%2 = tuple_extract %1, 0\nreturn %2"),
        )
    };
    let text = clean("%1 = load [trivial] %0");
    assert!(text.contains("debug_value %0, let, name \"x\", expr op_deref"), "{text}");
    let text = clean("%s = alloc_stack $(Int, Int)\n%1 = load [trivial] %s\ndealloc_stack %s");
    assert!(text.contains("debug_value %1, let, name \"x\"\n"), "{text}");
}

#[test]
fn what_was_taken_apart_to_borrow_stays_whole() {
    let clean = |options: &[&str], variable: &str, borrow: &str| {
        let body = format!(
            "(%1, %2) = destructure_tuple %0\n{variable}\n{borrow}\ndestroy_value %2\ndestroy_value %1\n\
             %r = tuple ()\nreturn %r"
        );
        cleaned(options, "(@owned (C, C)) -> ()", "%0 : @owned $(C, C)", &body).contains("destructure_tuple")
    };
    let (variable, borrow) = ("debug_value %1, let, name \"x\"", "%3 = begin_borrow %1\nend_borrow %3");
    assert!(!clean(&[], "", borrow) && clean(&[], "", "") && !clean(&[], variable, borrow));
    assert!(clean(&["opt-mode=none"], variable, borrow));
}

#[test]
fn stores_to_the_only_property_are_broadened() {
    let text = cleaned(
        &[],
        "(@owned C) -> @out Nested",
        "%0 : $*Nested, %1 : @owned $C",
        "%2 = struct_element_addr %0, #Nested.one\n%3 = struct_element_addr %2, #One.c\n\
         store %1 to [init] %3\n%r = tuple ()\nreturn %r",
    );
    assert!(
        text.starts_with("%2 = struct $One (%1)\n%3 = struct $Nested (%2)\nstore %3 to [init] %0"),
        "{text}"
    );
    let text = cleaned(
        &[],
        "(@owned C) -> @out Two",
        "%0 : $*Two, %1 : @owned $C",
        "%3 = struct_element_addr %0, #Two.c\nstore %1 to [init] %3\n%r = tuple ()\nreturn %r",
    );
    assert!(text.contains("store %1 to [init] %2"), "{text}");
}

#[test]
fn borrows_go_where_the_base_fits() {
    let body = "%1 = begin_borrow %0\ndebug_value %1, let, name \"x\"\n\
        %2 = function_ref @use : $@convention(thin) (@guaranteed C) -> ()\n\
        %3 = apply %2(%1) : $@convention(thin) (@guaranteed C) -> ()\nend_borrow %1\ndestroy_value %0\nreturn %3";
    let text = cleaned(&[], "(@owned C) -> ()", "%0 : @owned $C", body);
    assert!(text.contains("debug_value %0, let") && text.contains("apply %2(%0)"), "{text}");
    let lexical = body.replace("begin_borrow", "begin_borrow [lexical]");
    assert!(cleaned(&[], "(@owned C) -> ()", "%0 : @owned $C", &lexical).contains("begin_borrow"));
    let extract = "%1 = begin_borrow %0\n%2 = struct_extract %1, #One.c\n%3 = copy_value %2\nend_borrow %1\n";
    let text = cleaned(
        &[],
        "(@guaranteed One) -> @owned C",
        "%0 : @guaranteed $One",
        &format!("{extract}return %3"),
    );
    assert!(text.starts_with("%1 = struct_extract %0"), "{text}");
    let owned = format!("{extract}destroy_value %0\nreturn %3");
    let text = cleaned(&[], "(@owned One) -> @owned C", "%0 : @owned $One", &owned);
    assert!(text.contains("begin_borrow"), "{text}");
}

#[test]
fn copies_that_are_only_destroyed_go() {
    let body = "%1 = copy_value %0\ndestroy_value %1\n%r = tuple ()\nreturn %r";
    let text = cleaned(&[], "(@guaranteed C) -> ()", "%0 : @guaranteed $C", body);
    assert!(!text.contains("copy_value"), "{text}");
    let variable = body.replace("destroy", "debug_value %1, let, name \"x\"\ndestroy");
    let text = cleaned(&["opt-mode=none"], "(@guaranteed C) -> ()", "%0 : @guaranteed $C", &variable);
    assert!(text.contains("copy_value"), "{text}");
    let text = cleaned(&[], "(@guaranteed C) -> ()", "%0 : @guaranteed $C", &variable);
    assert!(!text.contains("copy_value"), "{text}");
    let body = "%1 = load [copy] %0\n%2 = copy_value %1\ndestroy_value %2\ndestroy_value %1\n%r = tuple ()\nreturn %r";
    let text = cleaned(&[], "(@inout C) -> ()", "%0 : $*C", body);
    assert!(!text.contains("load"), "{text}");
    let body = "%1 = struct_extract %0, #One.c\n%2 = copy_value %1\n%r = tuple ()\nreturn %r";
    let text = cleaned(&[], "(@guaranteed One) -> ()", "%0 : @guaranteed $One", body);
    assert_eq!(text, "%1 = tuple ()\nreturn %1");
}

#[test]
fn memory_is_destroyed_instead_of_taken_from() {
    let clean = |unused: &str| {
        let body = format!(
            "%1 = alloc_stack $One\nstore %0 to [init] %1\n%3 = load [take] %1\n{unused}\ndealloc_stack %1\n\
             %r = tuple ()\nreturn %r"
        );
        cleaned(&[], "(@owned One) -> ()", "%0 : @owned $One", &body)
    };
    let copied = clean("%4 = copy_value %3\ndestroy_value %4\ndestroy_value %3");
    let expected = "%1 = alloc_stack $One\nstore %0 to [init] %1\ndestroy_addr %1\ndealloc_stack %1\n\
        %5 = tuple ()\nreturn %5";
    assert_eq!(copied, expected);
    assert_eq!(clean("%4 = begin_borrow %3\nend_borrow %4\ndestroy_value %3"), expected);
    let taken_apart = "(%4) = destructure_struct %3\n%5 = begin_borrow %4\nend_borrow %5\ndestroy_value %4";
    assert_eq!(clean(taken_apart), expected);
    assert!(clean("destroy_value %3").contains("load [take]"));
}

#[test]
fn values_that_are_only_borrowed_go() {
    let borrow = "%2 = begin_borrow %1\nend_borrow %2\ndestroy_value %1\n%r = tuple ()\nreturn %r";
    let text = cleaned(
        &[],
        "(@guaranteed C) -> ()",
        "%0 : @guaranteed $C",
        &format!("%1 = copy_value %0\n{borrow}"),
    );
    assert_eq!(text, "%1 = tuple ()\nreturn %1");
    let text =
        cleaned(&[], "(@owned C) -> ()", "%0 : @owned $C", &format!("%1 = struct $One (%0)\n{borrow}"));
    assert!(text.starts_with("destroy_value %0"), "{text}");
}

#[test]
fn guaranteed_phis_stay_borrowed() {
    let body = "br b1(%0)\nb1(%1 : @guaranteed $C):\n%2 = borrowed %1 from (%0)\n%3 = copy_value %2\n\
        destroy_value %3\n%r = tuple ()\nreturn %r";
    let text = cleaned(&[], "(@guaranteed C) -> ()", "%0 : @guaranteed $C", body);
    assert!(text.contains("= borrowed") && !text.contains("copy_value"), "{text}");
}

#[test]
fn accesses_in_which_nothing_is_accessed_go() {
    let access = "%1 = struct_element_addr %0, #One.c\n%2 = begin_access [modify] [unknown] %1\n";
    let clean = |inside: &str| {
        let body = format!("{access}{inside}end_access %2\n%r = tuple ()\nreturn %r");
        cleaned(&[], "(@inout One) -> ()", "%0 : $*One", &body)
    };
    assert_eq!(clean(""), "%1 = tuple ()\nreturn %1");
    let text = clean("debug_value %2, let, name \"x\", expr op_deref\n");
    assert!(text.contains("debug_value %1, let, name \"x\"") && !text.contains("access"), "{text}");
    let text = clean("fix_lifetime %2\n");
    assert!(text.contains("begin_access") && text.contains("end_access"), "{text}");
}

#[test]
fn metatypes_of_values_are_arguments() {
    let body = "%1 = metatype $@thin One.Type\n%2 = metatype $@thin Two.Type\nreturn %1";
    let text = cleaned(&[], "(@thin One.Type) -> @thin One.Type", "%0 : $@thin One.Type", body);
    assert_eq!(text, "%1 = metatype $@thin Two.Type\nreturn %0");
}

#[test]
fn functions_without_ownership_are_cleaned() {
    let clean = |stage: &str, insts: &str| {
        let insts = format!("{insts}\n%r = tuple ()\nreturn %r");
        let text =
            cleaned_in(stage, "", &[], "(@inout One, @inout Two) -> ()", "%0 : $*One, %1 : $*Two", &insts);
        text.strip_suffix("return %3").or(text.strip_suffix("return %2")).unwrap_or(&text).to_owned()
    };
    let load = "%2 = load %1\n%3 = struct_extract %2, #Two.a\nfix_lifetime %3";
    assert!(
        clean("raw", load).starts_with("%2 = struct_element_addr %1, #Two.a\n%3 = load %2\nfix_lifetime %3")
    );
    assert_eq!(clean("raw", "%2 = load %1"), "%2 = load %1\n%3 = tuple ()\n");
    assert_eq!(clean("canonical", "%2 = load %1"), "%2 = tuple ()\n");
    let access = "%2 = begin_access [read] [dynamic] %0\nend_access %2";
    assert_eq!(clean("canonical", access), "%2 = tuple ()\n");
    let load = "%2 = begin_access [read] [dynamic] %0\n%3 = load %2\nend_access %2";
    assert!(clean("canonical", load).starts_with("%2 = begin_access [read] [dynamic] %0\nend_access %2\n"));
}

#[test]
fn equal_values_are_reused() {
    let parts = "%1 = struct $One (%0)\ndebug_value %1, let, name \"x\"\n%2 = struct_extract %1, #One.c\n\
        fix_lifetime %2\n%r = tuple ()\nreturn %r";
    let clean =
        |stage| cleaned_in(stage, "[ossa]", &[], "(@guaranteed C) -> ()", "%0 : @guaranteed $C", parts);
    assert!(clean("raw").starts_with("%1 = struct $One (%0)"), "{}", clean("raw"));
    let variable = "debug_value %0, let, name \"x\", type $One, expr op_fragment:#One.c\nfix_lifetime %0\n";
    assert!(clean("canonical").starts_with(variable), "{}", clean("canonical"));
}

#[test]
fn constants_stay_known_to_the_debugger() {
    let clean = |number: &str| {
        let insts = format!(
            "%1 = integer_literal $Builtin.Int8, {number}\ndebug_value %1, let, name \"x\"\n\
             %2 = tuple (%1, %1)\n%3 = tuple_extract %2, 0\n%r = tuple ()\nreturn %r"
        );
        cleaned(&[], "() -> ()", "", &insts)
    };
    assert!(clean("4").starts_with("debug_value undef : $Builtin.Int8, let, name \"x\", expr op_constu:4\n"));
    assert!(clean("-1").contains("expr op_consts:255\n"));
}

#[test]
fn unused_forwarding_goes_from_canonical_sil() {
    let clean = |stage: &str, options: &[&str], cast: &str, between: &str| {
        let insts = format!("%1 = {cast}\n{between}destroy_value %1\n%r = tuple ()\nreturn %r");
        cleaned_in(stage, "[ossa]", options, "(@owned C) -> ()", "%0 : @owned $C", &insts)
    };
    let made = "struct $One (%0)";
    let gone = "destroy_value %0\n%2 = tuple ()\nreturn %2";
    assert_eq!(clean("canonical", &[], made, "debug_value %1, let, name \"x\"\n"), gone);
    assert!(clean("raw", &[], made, "").starts_with("%1 = struct"));
    assert!(clean("canonical", &["opt-mode=none"], made, "").starts_with("%1 = struct"));
    assert!(clean("canonical", &[], made, "fix_lifetime %1\n").starts_with("%1 = struct"));
    let cast = "unchecked_ref_cast %0 to $AnyObject";
    let copied = "%1 = copy_value %0\ndestroy_value %0\ndestroy_value %1\n%4 = tuple ()\nreturn %4";
    assert_eq!(clean("canonical", &[], cast, ""), copied);
    assert!(clean("canonical", &[], "move_value %0", "").starts_with("%1 = move_value"));
}

#[test]
fn trivial_payloads_are_not_destroyed() {
    let insts = "%1 = enum $Either, #Either.number!enumelt, %0\ndestroy_value %1\n%r = tuple ()\nreturn %r";
    let body = cleaned_in("canonical", "[ossa]", &[], "(Builtin.Int64) -> ()", "%0 : $Builtin.Int64", insts);
    assert_eq!(body, "%1 = tuple ()\nreturn %1");
}

#[test]
fn unused_loads_go_from_canonical_sil() {
    let clean = |load: &str, end: &str| {
        let insts = format!("%1 = {load} %0\n{end} %1\n%r = tuple ()\nreturn %r");
        cleaned_in("canonical", "[ossa]", &[], "(@inout C) -> ()", "%0 : $*C", &insts)
    };
    assert_eq!(clean("load_borrow", "end_borrow"), "%1 = tuple ()\nreturn %1");
    assert_eq!(clean("load [copy]", "destroy_value"), "%1 = tuple ()\nreturn %1");
}

#[test]
fn borrows_of_variables_stay_in_raw_sil() {
    let clean = |stage: &str, flag: &str| {
        let insts = format!("%1 = begin_borrow [{flag}] %0\nend_borrow %1\n%r = tuple ()\nreturn %r");
        let text = cleaned_in(stage, "[ossa]", &[], "(@guaranteed C) -> ()", "%0 : @guaranteed $C", &insts);
        text.contains("begin_borrow")
    };
    assert!(clean("raw", "var_decl") && clean("raw", "fixed") && !clean("raw", "pointer_escape"));
    assert!(!clean("canonical", "var_decl") && clean("canonical", "lexical"));
}

#[test]
fn copies_are_split_only_if_each_borrow_extracts_one_part() {
    let clean = |insts: &str| {
        let insts = format!("%1 = load [copy] %0\n{insts}\ndestroy_value %1\n%r = tuple ()\nreturn %r");
        cleaned(&[], "(@in_guaranteed Two) -> ()", "%0 : $*Two", &insts)
    };
    let borrow = |insts: &str| format!("%2 = begin_borrow %1\n{insts}\nend_borrow %2");
    let part = "%3 = struct_extract %2, #Two.c\nfix_lifetime %3";
    let split = "%1 = struct_element_addr %0, #Two.c\n%2 = load [copy] %1\nfix_lifetime %2\ndestroy_value %2\n\
                 %5 = tuple ()\nreturn %5";
    assert_eq!(clean(&borrow(part)), split);
    for kept in [
        borrow(&format!("{part}\n%4 = struct_extract %2, #Two.a\nfix_lifetime %4")),
        format!("{}\n%4 = begin_borrow %1\nend_borrow %4", borrow(part)),
        borrow(&format!("debug_value %2, let, name \"x\"\n{part}")),
        part.replace("%2", "%1"),
    ] {
        assert!(clean(&kept).starts_with("%1 = load [copy] %0"), "{kept}");
    }
}

#[test]
fn a_part_of_a_copy_that_nothing_uses_is_not_loaded() {
    let insts = "%1 = load [copy] %0\n%2 = begin_borrow %1\n%3 = struct_extract %2, #Two.c\nend_borrow %2\n\
                 destroy_value %1\n%r = tuple ()\nreturn %r";
    let text = cleaned(&[], "(@in_guaranteed Two) -> ()", "%0 : $*Two", insts);
    assert_eq!(text, "%1 = tuple ()\nreturn %1");
    let borrowed =
        "%1 = load_borrow %0\n%2 = struct_extract %1, #Two.c\nend_borrow %1\n%r = tuple ()\nreturn %r";
    let text = cleaned(&[], "(@in_guaranteed Two) -> ()", "%0 : $*Two", borrowed);
    assert!(text.contains("#Two.c\n%2 = load_borrow %1\nend_borrow %2"), "{text}");
}
