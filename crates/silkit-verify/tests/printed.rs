//! Modules that the compiler printed, in which nothing is wrong.
//!
//! A module counts as printed if at least half of its functions have mangled names: `printed` adds enough of them.

use silkit_text::decl::declarations;
use silkit_verify::{VerifyOptions, verify};

/// Returns the findings in a module.
fn found(text: &str) -> Vec<String> {
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:#?}\n{text}", parsed.errors);
    let declarations = declarations(&parsed.module);
    let report = verify(&parsed.module, &declarations, Some(parsed.source(text)), &VerifyOptions::default());
    report.findings.iter().map(|f| format!("{}: {}", f.rule.id.as_str(), f.message)).collect()
}

/// Returns the module as the compiler prints it.
fn printed(text: &str) -> String {
    let functions = text.matches("\nsil ").count() + 1;
    let more: String =
        (0..functions).map(|i| format!("sil @$s1m2f{i}yyF : $@convention(thin) () -> ()\n")).collect();
    format!("sil_stage canonical\n\nimport Builtin\nimport Swift\nimport SwiftShims\n\n{text}\n{more}")
}

/// Checks that nothing is found in a module that the compiler printed.
fn is_fine(text: &str) {
    let text = printed(text);
    assert_eq!(found(&text), Vec::<String>::new(), "{text}");
}

/// Checks that a rule holds in what somebody wrote.
fn breaks(rule: &str, text: &str) {
    let text = format!("sil_stage canonical\n\nimport Builtin\nimport Swift\n\n{text}");
    let found = found(&text);
    assert!(found.iter().any(|f| f.starts_with(rule)), "{found:?} in\n{text}");
}

#[test]
fn conformances_may_follow_from_protocols_of_modules_that_are_not_imported() {
    let table = "sil_witness_table S: Equatable module m {\n  method #Equatable.\"==\": <Self where Self : Equatable> (Self.Type) -> (Self, Self) -> Bool : nil\n}\n";
    // `import` of a module that clients need not see is not printed.
    is_fine(&format!("struct S : StoredError {{\n}}\n{table}"));
    is_fine(&format!(
        "extension Outer {{\n  struct S : Swift.Sendable {{\n  }}\n}}\nstruct S : Outer.Part {{\n}}\n{table}"
    ));
    breaks("SIL0615", &format!("struct S {{\n}}\n{table}"));
}

#[test]
fn nested_types_hide_the_protocols_that_they_conform_to() {
    is_fine(
        "protocol Style {\n}\nstruct Date {\n  struct Style {\n  }\n}\nextension Date.Style : Style {\n}\n\
         sil_witness_table Date.Style: Style module m {\n}\n",
    );
    is_fine(
        "struct Outer {\n  struct KeyPath<A, B> {\n    @_hasStorage let path: any KeyPath<A, B> & Sendable { get }\n  }\n}\n\
         sil [ossa] @$s1m1gyyF : $@convention(thin) (@guaranteed Outer.KeyPath<Int, Bool>) -> () {\n\
         bb0(%0 : @guaranteed $Outer.KeyPath<Int, Bool>):\n\
         \x20 %1 = struct_extract %0, #Outer.KeyPath.path\n\
         \x20 %2 = open_existential_ref %1 to $@opened(\"01234567-89AB-CDEF-0123-000000000000\", any KeyPath<Int, Bool> & Sendable) Self\n\
         \x20 %3 = tuple ()\n  return %3\n}\n",
    );
}

#[test]
fn accessors_of_bit_fields_have_their_body_elsewhere() {
    let accessor = "sil shared @$So4bitsa$a$setter : $@convention(c) (UInt32) -> ()\n";
    is_fine(accessor);
    breaks("SIL0602", "sil shared @f : $@convention(thin) (UInt32) -> ()\n");
}

#[test]
fn fields_of_unions_are_stored_after_the_access() {
    let function = |cast: &str, address: &str| {
        format!(
            "sil [ossa] @$s1m1uyyF : $@convention(thin) (@inout Builtin.Int64, Builtin.Int64) -> () {{\n\
             bb0(%0 : $*Builtin.Int64, %1 : $Builtin.Int64):\n\
             \x20 %2 = begin_access [modify] [static] %0\n  end_access %2\n{cast}\
             \x20 store %1 to [trivial] {address}\n  %9 = tuple ()\n  return %9\n}}\n"
        )
    };
    is_fine(&function("  %4 = unchecked_addr_cast %2 to $*Builtin.Int64\n", "%4"));
    breaks("SIL0240", &function("", "%2"));
}

#[test]
fn types_of_derivatives_may_be_stated() {
    let function = "sil @$s1m1dyyF : $@convention(thin) (@guaranteed @differentiable(reverse) @callee_guaranteed (Float) -> Float) -> () {\n\
         bb0(%0 : $@differentiable(reverse) @callee_guaranteed (Float) -> Float):\n\
         \x20 %1 = differentiable_function_extract [vjp] %0 as $@callee_guaranteed (Float) -> (Float, @owned @callee_guaranteed (Float) -> Float)\n\
         \x20 %2 = tuple ()\n  return %2\n}\n";
    let text = printed(&format!("import _Differentiation\n{function}"));
    assert!(!found(&text).iter().any(|f| f.starts_with("SIL0134")), "{:?}", found(&text));
    breaks("SIL0134", &function.replace("$s1m1dyyF", "d"));
}

#[test]
fn bundles_of_specialized_functions_keep_their_type() {
    let function = "sil @$s1m1byyF : $@convention(thin) (@guaranteed @callee_guaranteed (Float) -> Float) -> () {\n\
         bb0(%0 : $@callee_guaranteed (Float) -> Float):\n\
         \x20 %1 = differentiable_function [parameters 0] [results 0] %0 : $@callee_guaranteed (Float) -> Float\n\
         \x20 fix_lifetime %1 : $@differentiable(reverse) @callee_guaranteed (Float) -> @out Float\n\
         \x20 %3 = tuple ()\n  return %3\n}\n";
    let text = printed(&format!("import _Differentiation\n{function}"));
    assert!(!found(&text).iter().any(|f| f.starts_with("SIL0121")), "{:?}", found(&text));
    breaks("SIL0121", &function.replace("$s1m1byyF", "b"));
}

#[test]
fn accessors_of_weak_properties_pass_strong_references() {
    is_fine(
        "class C {\n}\nstruct S {\n  @_hasStorage weak var w: C? { get set }\n  @_hasStorage unowned var u: C { get set }\n}\n\
         sil @$s1m1gyyK : $@convention(keypath_accessor_getter) (@in_guaranteed S) -> @out Optional<C>\n\
         sil @$s1m1hyyK : $@convention(keypath_accessor_getter) (@in_guaranteed S) -> @out C\n\
         sil_property #S.w (gettable_property $Optional<C>,  id ##S.w, getter @$s1m1gyyK : $@convention(keypath_accessor_getter) (@in_guaranteed S) -> @out Optional<C>)\n\
         sil_property #S.u (gettable_property $C,  id ##S.u, getter @$s1m1hyyK : $@convention(keypath_accessor_getter) (@in_guaranteed S) -> @out C)\n",
    );
}

#[test]
fn specializations_keep_derived_effects() {
    let function = "sil @$s1m1eyyF : $@convention(thin) () -> () {\n[%0: noescape **]\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    is_fine(function);
    // Names of Embedded Swift have another prefix.
    let embedded = printed(function).replace("@$s", "@$e");
    assert_eq!(found(&embedded), Vec::<String>::new(), "{embedded}");
    breaks("SIL0692", &function.replace("$s1m1eyyF", "e"));
}

#[test]
fn the_type_of_a_thrown_error_is_that_of_any_error() {
    let function = "sil @$s1m1tyyF : $@convention(thin) () -> () {\nbb0:\n  %0 = metatype $@thick Error.Type\n  %1 = tuple ()\n  return %1\n}\n";
    is_fine(function);
    breaks("SIL0343", &function.replace("Error.Type", "any Error.Type"));
}

#[test]
fn serialized_modules_do_not_say_what_is_variadic() {
    let type_ = "struct Path {\n  func appending(_ components: [String]) -> Path\n  func appending(_ components: [String]) -> Path\n}\n";
    is_fine(type_);
    breaks("SIL0628", type_);
    let declarations = format!("sil_stage raw\n\nimport Builtin\nimport Swift\nimport SwiftShims\n\n{type_}");
    assert_eq!(found(&declarations), Vec::<String>::new());
}

#[test]
fn variadic_parameters_are_arrays() {
    let formal = "(D.Type) -> ((Any, Any)...) -> D";
    is_fine(&format!(
        "class D {{\n  init(pairs: (Any, Any)...)\n}}\n\
         sil @$s1m1DCfC : $@convention(method) (@owned Array<(Any, Any)>, @thick D.Type) -> @owned D\n\
         sil_vtable D {{\n  #D.init!allocator: {formal} : @$s1m1DCfC\n}}\n"
    ));
}

#[test]
fn serialized_tables_lack_the_entries_of_functions_that_are_not_exported() {
    let tables = |attribute: &str| {
        format!(
            "class B {{\n  func f()\n  func g()\n}}\nclass D : B {{\n}}\n\
             sil @$s1m1BC1fyyF : $@convention(method) (@guaranteed B) -> ()\n\
             sil @$s1m1BC1gyyF : $@convention(method) (@guaranteed B) -> ()\n\
             sil_vtable {attribute}B {{\n  #B.f: (B) -> () -> () : @$s1m1BC1fyyF\n  #B.g: (B) -> () -> () : @$s1m1BC1gyyF\n}}\n\
             sil_vtable {attribute}D {{\n  #B.f: (B) -> () -> () : @$s1m1BC1fyyF [inherited]\n}}\n"
        )
    };
    let raw = |attribute: &str| found(&printed(&tables(attribute)).replace("canonical", "raw"));
    assert_eq!(raw("[serialized] "), Vec::<String>::new());
    assert!(raw("").iter().any(|f| f.starts_with("SIL0619")), "{:?}", raw(""));
}

#[test]
fn overrides_of_generic_methods_are_called_as_these_are() {
    let function = |formal: &str, ty: &str| {
        format!(
            "class Base<T> {{\n  func m(_ t: T) -> T\n  init()\n}}\n\
             class Over : Base<Int> {{\n  override func m(_ t: Int) -> Int\n  override init()\n}}\n\
             class Plain {{\n  func m(_ t: Int) -> Int\n  init()\n}}\n\
             class Under : Plain {{\n  override func m(_ t: Int) -> Int\n  override init()\n}}\n\
             sil @f : $@convention(thin) (@guaranteed {formal}) -> () {{\nbb0(%0 : ${formal}):\n\
             \x20 %1 = class_method %0 : ${formal}, #{formal}.m : ({formal}) -> (Int) -> Int, $@convention(method) {ty}\n\
             \x20 %2 = tuple ()\n  return %2 : $()\n}}\n"
        )
    };
    is_fine(&function("Over", "(@in_guaranteed Int, @guaranteed Over) -> @out Int"));
    breaks("SIL0346", &function("Under", "(@in_guaranteed Int, @guaranteed Under) -> @out Int"));
}

#[test]
fn destroyers_of_the_properties_of_nested_classes() {
    let table = |entry: &str| {
        format!(
            "class Outer {{\n  class Inner {{\n    init()\n  }}\n  init()\n}}\n\
             sil @e : $@convention(method) (@guaranteed Outer.Inner) -> ()\n\
             sil_vtable Inner {{\n  {entry} : @e\n}}\n"
        )
    };
    is_fine(&table("#Outer.Inner!ivardestroyer"));
    breaks("SIL0625", &table("#Outer.Inner.m: (Outer.Inner) -> () -> ()"));
}

#[test]
fn the_object_header_of_embedded_swift_has_other_fields() {
    let function = |ty: &str| {
        format!(
            "import SwiftShims\nsil @f : $@convention(thin) (Builtin.RawPointer) -> () {{\nbb0(%0 : $Builtin.RawPointer):\n\
             \x20 %1 = pointer_to_address %0 to [strict] $*{ty}\n  %2 = struct_element_addr %1, #{ty}.refcount\n\
             \x20 %3 = tuple ()\n  return %3\n}}\n"
        )
    };
    is_fine(&function("HeapObject"));
    breaks("SIL0332", &function("UInt8"));
}
