//! Reduction: each kind of thing is left out where it is not needed, and nothing else is.

use silkit::reduce::{CannotReduce, Reducer, Reduction};
use std::time::Instant;

const ONE: Reducer = Reducer { threads: 1, verify: true, deadline: None };

fn reduce(reducer: Reducer, text: &str, fails: impl Fn(&str) -> bool + Sync) -> Reduction {
    let module = silkit::read("t.sil", text.as_bytes()).expect("the input reads");
    reducer.reduce(module, |text| Ok::<bool, ()>(fails(text)), |_| {}).expect("the input fails")
}

/// Returns the text without comments and empty lines.
fn reduced(text: &str, needle: &str) -> Vec<String> {
    let text = reduce(ONE, text, |text| needle.split('&').all(|part| text.contains(part))).text;
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim().to_owned());
    code.filter(|line| !line.is_empty() && line != "sil_stage raw").collect()
}

const FUNCTIONS: &str = "\
sil [ossa] @caller : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @callee : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  %2 = tuple ()
  return %2
}
sil [noinline] [ossa] @callee : $@convention(thin) () -> () {
bb0:
  %0 = integer_literal $Builtin.Int1, -1
  cond_fail %0, \"boom\"
  %2 = tuple ()
  return %2
}
sil @unused : $@convention(thin) () -> ()
";

#[test]
fn functions_and_attributes_go() {
    let expected = [
        "sil [ossa] @callee : $@convention(thin) () -> () {",
        "bb0:",
        "cond_fail undef : $Builtin.Int1, \"boom\"",
        "unreachable",
        "}",
    ];
    assert_eq!(reduced(FUNCTIONS, "boom")[..], expected);
}

#[test]
fn a_callee_becomes_a_declaration() {
    let text = reduced(FUNCTIONS, "function_ref @callee").join("\n");
    assert!(
        text.contains("sil @callee : $@convention(thin) () -> ()\n") || text.ends_with("() -> ()"),
        "{text}"
    );
    assert!(!text.contains("boom") && !text.contains("@unused"), "{text}");
}

const CONTROL_FLOW: &str = "\
sil @f : $@convention(thin) (Builtin.Int1, Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int64):
  cond_br %0, bb1, bb2
bb1:
  br bb3(%1 : $Builtin.Int64)
bb2:
  %4 = integer_literal $Builtin.Int64, 77
  br bb3(%4 : $Builtin.Int64)
bb3(%6 : $Builtin.Int64):
  return %6 : $Builtin.Int64
}
";

#[test]
fn blocks_arguments_and_branches_go() {
    let expected = [
        "sil @f : $@convention(thin) (Builtin.Int1, Builtin.Int64) -> Builtin.Int64 {",
        "bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int64):",
        "return undef : $Builtin.Int64",
        "}",
    ];
    assert_eq!(reduced(CONTROL_FLOW, "return")[..], expected);
    let text = reduced(CONTROL_FLOW, "77").join("\n");
    assert!(text.contains("77") && text.contains("unreachable") && !text.contains("bb1"), "{text}");
    // What is used stays, whatever way it is reached.
    let text = reduced(CONTROL_FLOW, "cond_br").join("\n");
    assert!(text.contains("cond_br undef") && !text.contains("bb3"), "{text}");
}

const OWNERSHIP: &str = "\
class C {}
class D : C {}
sil @use : $@convention(thin) (@guaranteed C) -> ()
sil [ossa] @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : @guaranteed $C):
  %1 = copy_value %0
  %2 = begin_borrow %1
  %3 = function_ref @use : $@convention(thin) (@guaranteed C) -> ()
  %4 = apply %3(%2) : $@convention(thin) (@guaranteed C) -> ()
  end_borrow %2
  destroy_value %1
  %7 = tuple ()
  return %7
}
";

#[test]
fn copies_and_borrows_go_with_their_ends() {
    let text = reduced(OWNERSHIP, "apply&function_ref&return").join("\n");
    assert!(
        !text.contains("copy_value") && !text.contains("begin_borrow") && !text.contains("destroy_value"),
        "{text}"
    );
    assert!(
        text.contains("class C") && !text.contains("class D"),
        "declarations that are needed stay: {text}"
    );
}

#[test]
fn no_new_violation_comes_in() {
    // Without its destruction the copy would be a leak.
    let keep = "copy_value&return";
    let text = reduced(OWNERSHIP, keep).join("\n");
    assert!(text.contains("destroy_value"), "{text}");
    let careless = Reducer { verify: false, ..ONE };
    let text = reduce(careless, OWNERSHIP, |text| keep.split('&').all(|part| text.contains(part))).text;
    assert!(!text.contains("destroy_value"), "{text}");
}

#[test]
fn a_violation_of_the_input_may_stay() {
    let leak = OWNERSHIP.replace("  destroy_value %1\n", "");
    let has_leak = |text: &str| {
        let parsed = silkit::text::parse_module(text);
        let declarations = silkit::declarations(&parsed.module);
        let report = silkit::verify::verify(&parsed.module, &declarations, None, &Default::default());
        report.findings.iter().any(|finding| finding.rule.id.as_str() == "SIL0402")
    };
    let reduction = reduce(ONE, &leak, has_leak);
    assert!(reduction.text.contains("copy_value") && !reduction.text.contains("apply"), "{}", reduction.text);
    assert!(reduction.is_complete);
}

const TABLES: &str = "\
class C { func f() ; func g() ; deinit }
sil @f : $@convention(method) (@guaranteed C) -> ()
sil @g : $@convention(method) (@guaranteed C) -> ()
sil_global hidden @variable : $Builtin.Int64
sil_global hidden @other : $Builtin.Int64 = {
  %initval = integer_literal $Builtin.Int64, 5
}
sil_vtable C {
  #C.f: (C) -> () -> () : @f
  #C.g: (C) -> () -> () : @g
}
";

#[test]
fn tables_entries_and_globals_go() {
    let text = reduced(TABLES, "sil_vtable&#C.g").join("\n");
    assert!(text.contains("@g") && !text.contains("@f") && !text.contains("sil_global"), "{text}");
    let text = reduced(TABLES, "@other").join("\n");
    assert!(
        !text.contains("sil_vtable") && !text.contains("initval") && !text.contains("@variable"),
        "{text}"
    );
}

// The signature mentions all of these types, and the check needs the field of one.
const DECLARED: &str = "\
import Builtin
import Swift
struct Inner {
  var x: Builtin.Int64
}
protocol Named {
}
extension Inner : Named {
  struct Nested {
    var y: Builtin.Int8 {
      get
    }
  }
  var name: Builtin.Int64 {
    get
  }
}
struct Outer {
  var inner: Inner
  var computed: Builtin.Int64 {
    get
  }
}
sil @f : $@convention(thin) (Outer, Inner) -> () {
bb0(%0 : $Outer, %1 : $Inner):
  %2 = struct_extract %0, #Outer.inner
  %3 = tuple ()
  return %3
}
";

#[test]
fn swift_declarations_and_members_go() {
    let text = reduced(DECLARED, "struct_extract %0").join("\n");
    let begin =
        "import Builtin\nimport Swift\nstruct Inner {\n}\nstruct Outer {\nvar inner: Inner\n}\nsil @f";
    assert!(text.starts_with(begin), "{text}");
}

#[test]
fn each_swift_declaration_goes_by_itself_and_clauses_go() {
    // `Value` stays because the check asks for it; what it inherits, and what that mentions, is not needed.
    let text = "import Builtin\nimport Swift\nprotocol Base {\n}\nprotocol Named : Base {\n}\nstruct Value : Named {\n}\n\
        sil @f : $@convention(thin) (Value) -> () {\nbb0(%0 : $Value):\n  return undef : $()\n}\n";
    let text = reduced(text, "struct Value&bb0(%0 : $Value)").join("\n");
    assert!(text.starts_with("import Builtin\nimport Swift\nstruct Value {\n}\nsil @f"), "{text}");
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let fails = |text: &str| text.contains("apply") && text.contains("return");
    let one = reduce(ONE, OWNERSHIP, fails);
    for threads in [2, 5] {
        assert_eq!(reduce(Reducer { threads, ..ONE }, OWNERSHIP, fails).text, one.text);
    }
}

#[test]
fn what_was_reached_in_time_is_given() {
    let late = Reducer { deadline: Some(Instant::now()), ..ONE };
    let reduction = reduce(late, FUNCTIONS, |text| text.contains("boom"));
    assert!(!reduction.is_complete && reduction.text.contains("boom"));
}

#[test]
fn input_that_does_not_fail_and_a_check_without_an_answer_are_errors() {
    let module = || silkit::read("t.sil", FUNCTIONS.as_bytes()).expect("the input reads");
    let succeeds = ONE.reduce(module(), |_| Ok::<bool, &str>(false), |_| {}).err();
    assert_eq!(succeeds, Some(CannotReduce::Succeeds));
    let unanswered = ONE.reduce(module(), |_| Err("broken"), |_| {}).err();
    assert_eq!(unanswered, Some(CannotReduce::Unanswered("broken")));
}
