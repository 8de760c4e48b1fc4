//! Tables and the smaller entities, whose text may be laid out in any way.

use silkit_text::{format_module, parse_module, print_module};

const DECLARATIONS: &str = "\
sil_stage canonical
import Builtin
import Swift
class C { func m(); deinit }
class D : C { override func m(); deinit }
protocol B { }
protocol P : B { associatedtype A : B; func p(); static func q() -> Self }
struct S : P { typealias A = T; func p(); static func q() -> S
  @_hasStorage var x: Int { get set } }
struct T : B { }
struct G<X> { var x: X }
extension G : B where X : B { }
struct M : ~Copyable { deinit }
";

/// One of each kind, with the entries that a table of its kind has.
const ENTITIES: &[&str] = &[
    "sil_vtable C {
  #C.m: (C) -> () -> () : @mm
  #C.deinit!deallocator: @md
}",
    "sil_vtable [serialized] D {
  #C.m: @dm [override] [nonoverridden]
  #C.n: @MainActor (C) -> () -> () : hidden @dn [inherited]
  #C.o: @Sendable @MainActor (C) -> () -> () : @do
  #C.g: <T> (C) -> (T) -> () : @dg
  #D.deinit!deallocator: @dd
}",
    "sil_witness_table hidden [serialized] S: P module M {
  base_protocol B: S: B module M
  associated_type A: T
  associated_conformance (A: B): T: B module M
  method #P.p: <Self where Self : P> (Self) -> () -> () : @sp
  method #P.p: @sp
  method #P.p: @MainActor (S) -> () -> () : @sp
  method #P.q: nil
}",
    "sil_witness_table <X where X : B> G<X>: B module M {
  conditional_conformance (X: B): dependent
  associated_conformance (X: B): dependent X
  method #P.q: @sq
}",
    "sil_default_witness_table hidden P {
  no_default
  method #P.p: @dp
  no_default
}",
    "sil_default_override_table D {
  #D.m: #C.m: @dm
  #D.m: #C.m: <T> (C) -> (T) -> () : @dm
  #D.m: #C.m: @dm
}",
    "sil_moveonlydeinit [serialized] M {
  @mdeinit
}",
    "sil_property #S.x ()",
    "sil_property #S.x (stored_property #S.x : $Int)",
    "sil_coverage_map \"a.swift\" \"f\" \"f\" 12 {
  1:2 -> 3:4 : 0
  2:2 -> 2:9 : ((0 + 1) - 2)
  2:5 -> 2:9 : zero
  3:1 -> 3:9 : skipped
}",
    "sil_differentiability_witness hidden [serialized] [reverse] [parameters 0 1] [results 0] @f : $@convention(thin) (Float, Float) -> Float {
  jvp: @j : $@convention(thin) (Float) -> (Float, @owned @callee_guaranteed (Float) -> Float)
  vjp: @v : $@convention(thin) (Float) -> (Float, @owned @callee_guaranteed (Float) -> Float)
}",
    "sil_scope 1 { loc \"a.swift\":1:2 parent @md : $@convention(method) (@owned C) -> () }",
    "sil_global hidden [serialized] @g : $Int = {
  %0 = integer_literal $Builtin.Int64, 1
  %initval = struct $Int (%0)
}",
    "sil hidden [serialized] [_semantics \"a b\"] [available 10.1] @ff : $@convention(thin) (Int) -> () {
[%0: noescape **, read v**]
[global: read]
bb0(%0 : $Int):
  %1 = tuple ()
  return %1 : $()
}",
];

fn printed(text: &str) -> String {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
    print_module(&parsed.module, &Default::default(), &|_| None)
}

/// Returns the words of an entity with a separator between them; strings stay whole.
fn laid_out(entity: &str, separator: &str) -> String {
    let mut text = String::new();
    let mut in_string = false;
    for word in entity.split_whitespace() {
        text.push_str(if text.is_empty() {
            ""
        } else if in_string {
            " "
        } else {
            separator
        });
        text.push_str(word);
        in_string ^= word.matches('"').count() % 2 == 1;
    }
    text
}

#[test]
fn entities_are_read_in_any_layout() {
    let after = "sil @after : $@convention(thin) () -> ()";
    for entity in ENTITIES {
        let expected = printed(&format!("{DECLARATIONS}{entity}\n{after}\n"));
        for separator in [" ", "\n", "\r\n  ", " /* } { \" */ ", " // } { \" ]\n"] {
            let text = format!("{DECLARATIONS}{}\n{after}\n", laid_out(entity, separator));
            assert_eq!(printed(&text), expected, "{text}");
            let formatted = format_module(&text, &Default::default(), &|_| None).expect("no errors");
            assert_eq!(printed(&formatted), expected, "{formatted}");
        }
        let one_line = laid_out(entity, " ");
        for text in [
            format!("{DECLARATIONS}{one_line} {after}\n"),
            format!("{DECLARATIONS}{}\n{after}\n", one_line.replace(" { ", "{").replace(" }", "}")),
        ] {
            assert_eq!(printed(&text), expected, "{text}");
        }
    }
}

#[test]
fn an_unknown_attribute_is_kept_on_one_line() {
    let text = "sil [frobnicate\n  a // b\n  \"//  c\" /* d */ 1/2] @f : $@convention(thin) () -> ()\n";
    assert!(printed(text).contains("sil [frobnicate a \"//  c\" 1/2] @f"), "{}", printed(text));
}

#[test]
fn what_is_wrong_in_a_table_is_located() {
    for (text, place, message) in [
        ("sil_vtable C { #C.m @f }", "@f", "expected `:`"),
        ("sil_vtable C { #C.m: @f #C.n: }", "}", "expected a type"),
        (
            "sil_witness_table S: P module M { method #P.p: @f\n  metod #P.q: @g }",
            "#P.q",
            "unknown entry `metod` of a witness table",
        ),
        ("sil_coverage_map \"a\" \"b\" \"c\" 1 { 1:2 -> 3:4 : (0 + 1 }", "}", "expected `-`"),
        ("sil_coverage_map \"a\" \"b\" \"c\" 1 { 1:2 - 3:4 : 0 }", "- 3", "expected `->`"),
        ("sil_coverage_map \"a\" \"b\" \"c\" 1 { 1:2 -> 3:4 : 0 1 }", "}", "expected `:`"),
        (
            "sil [transparent\nsil @g : $@convention(thin) () -> ()",
            "[",
            "unterminated attribute: expected `]`",
        ),
        ("sil [transparent", "[", "unterminated attribute: expected `]`"),
    ] {
        let parsed = parse_module(text);
        let error = parsed.errors.first().expect(text);
        assert_eq!(
            (error.range.start as usize, &*error.message),
            (text.find(place).expect(place), message),
            "{text}"
        );
    }
}

/// Types that differentiation synthesizes stay after the witnesses, whatever attributes they have.
#[test]
fn synthesized_types_keep_their_place() {
    let witness = "// differentiability witness for f\nsil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Float) -> Float\n\n";
    for attributes in ["", "@usableFromInline\n@frozen ", "@frozen "] {
        let text = format!("sil_stage canonical\n\n{witness}{attributes}enum _AD__f__Pred {{\n}}\n\n");
        assert_eq!(printed(&text).trim_end(), text.trim_end(), "{attributes}");
    }
}
