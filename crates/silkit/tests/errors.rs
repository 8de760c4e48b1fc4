//! Bad input is reported with its place, several findings in one run.

use silkit::text::parse_module;

/// Returns the findings as `line:column message`.
fn findings(text: &str) -> Vec<String> {
    let parsed = parse_module(text);
    let place = |offset: usize| {
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        (line, offset - before.rfind('\n').map_or(0, |n| n + 1) + 1)
    };
    let show = |e: &silkit::text::SyntaxError| {
        let (line, column) = place(e.range.start as usize);
        let help = e.help.as_ref().map_or(String::new(), |h| format!(" ({h})"));
        format!("{line}:{column} {}{help}", e.message)
    };
    parsed.errors.iter().map(show).collect()
}

#[test]
fn several_findings_in_one_run() {
    let text = "\
sil_stage canonical
sil_stage raw
sil @f : $@convention(thin) (Int) -> Int {
bb0(%0 : $Int):
  %1 = struct_extrct %0, #Int._value
  %2 = integer_literal $Builtin.Int64
  br bb9
}
sil @g : $@convention(thn) () -> ()
";
    assert_eq!(
        findings(text),
        [
            "2:1 `sil_stage` is given twice",
            "5:8 unknown instruction `struct_extrct` (did you mean `struct_extract`?)",
            "6:38 expected `,`",
            "7:6 use of undefined block `bb9`",
            "9:23 unknown convention `thn` (did you mean `thin`?)",
        ]
    );
}

#[test]
fn braces_without_blocks_declare() {
    let text = "sil_stage raw\n\n// f\nsil @f : $@convention(thin) () -> () {\n[global: read]\n} // end sil function 'f'\n\n";
    let module = parse_module(text).module;
    assert!(module.functions.values().all(|f| f.body.is_none() && !f.effects.is_empty()));
    assert!(silkit::print(&module).starts_with(text));
}

#[test]
fn values_are_defined_once_and_before_they_end() {
    let text = "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  %0 = tuple ()
  return %7
}
";
    assert_eq!(findings(text), ["4:3 value `%0` is defined twice", "5:10 use of undefined value `%7`"]);
}

#[test]
fn ownership_is_spelled_where_functions_have_it() {
    let text = "\
sil @f : $@convention(thin) (@owned C) -> () {
bb0(%0 : @owned $C):
  unreachable
}
sil [ossa] @g : $@convention(thin) (@owned C) -> () {
bb0(%0 : @owned @guaranteed $C):
  unreachable
}
sil @h : $Builtin.Int64
sil @i : $@convention(thin) () -> () {
  unreachable
}
";
    assert_eq!(
        findings(text),
        [
            "2:10 `@owned` is for arguments in `[ossa]` functions",
            "6:17 expected one ownership kind for the argument, found two",
            "9:10 expected the type of a function, such as `$@convention(thin) () -> ()`",
            "11:3 expected a block label before the first instruction",
        ]
    );
}

#[test]
fn an_address_of_an_address_is_no_type() {
    let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = alloc_stack $**Int\n}\n";
    assert_eq!(findings(text), ["3:22 `$**T` is not a type: addresses do not nest"]);
}

#[test]
fn nesting_is_bounded() {
    let deep =
        format!("sil @f : $@convention(thin) ({}Int{}) -> ()\n", "[".repeat(50_000), "]".repeat(50_000));
    assert_eq!(findings(&deep).len(), 1);
}

#[test]
fn a_body_that_never_closes() {
    assert_eq!(
        findings("sil @f : $@convention(thin) () -> () {\nbb0:\n"),
        ["1:38 unterminated body: expected `}`"]
    );
}

#[test]
fn a_string_that_never_closes() {
    let found = findings("sil_coverage_map \"a\" \"b 0 {\n}\n");
    assert_eq!(found, ["1:22 unterminated string"]);
}
