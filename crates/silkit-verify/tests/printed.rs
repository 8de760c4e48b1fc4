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

#[test]
fn tables_name_nested_protocols_without_the_types_around_them() {
    let module = |inherited: &str| {
        format!(
            "struct Outer {{\n  protocol Part {{\n    func m()\n  }}\n  struct Wheel{inherited} {{\n    func m()\n  }}\n}}\n\
             sil_witness_table Outer.Wheel: Part module m {{\n  method #Outer.Part.m: <Self where Self : Outer.Part> (Self) -> () -> () : nil\n}}\n"
        )
    };
    is_fine(&module(" : Outer.Part"));
    breaks("SIL0615", &module(""));
}

#[test]
fn nested_types_are_named_with_their_whole_path() {
    // A subclass inherits a nested type that is called like one of the top level.
    let module = |ty: &str| {
        format!(
            "class Leaf {{\n}}\nclass Tree {{\n  class Leaf : Tree {{\n  }}\n}}\n\
             class Oak : Tree {{\n  @_hasStorage final var own: {ty} {{ get set }}\n}}\n\
             sil [ossa] @$s1m3OakC3ownAA4LeafCvg : $@convention(method) (@guaranteed Oak) -> @owned Leaf {{\n\
             bb0(%0 : @guaranteed $Oak):\n\
             \x20 %1 = ref_element_addr %0, #Oak.own\n  %2 = load [copy] %1\n  return %2\n}}\n"
        )
    };
    is_fine(&module("Leaf"));
    assert!(found(&printed(&module("Tree.Leaf"))).iter().any(|f| f.starts_with("SIL0320")));
    breaks("SIL0320", &module("Leaf").replace("$s", ""));
}

#[test]
fn an_alias_of_an_associated_type_may_be_called_like_a_type() {
    let module = |alias: &str, of: &str| {
        format!(
            "class Item {{\n}}\nclass Other {{\n}}\nprotocol P {{\n  associatedtype Item\n}}\n\
             class Bag {{\n  @_hasStorage final var first: {of} {{ get set }}\n}}\nextension Bag : P {{\n  typealias {alias} = Other\n}}\n\
             sil [ossa] @$s1m3BagC5firstAA4ItemCvg : $@convention(method) (@guaranteed Bag) -> @owned Item {{\n\
             bb0(%0 : @guaranteed $Bag):\n\
             \x20 %1 = ref_element_addr %0, #Bag.first\n  %2 = load [copy] %1\n  return %2\n}}\n"
        )
    };
    is_fine(&module("Item", "Item"));
    assert!(found(&printed(&module("Thing", "Other"))).iter().any(|f| f.starts_with("SIL0320")));
    breaks("SIL0320", &module("Item", "Item").replace("$s", ""));
}

#[test]
fn a_generic_parameter_may_be_called_like_a_type() {
    let function = |param: &str| {
        format!(
            "struct Meter {{\n  @_hasStorage var value: Float {{ get set }}\n}}\n\
             sil [ossa] @$s1m5MeterV3setyyxSBRzlF : $@convention(method) <{param} where {param} : BinaryFloatingPoint> (@in_guaranteed {param}, @inout Meter) -> () {{\n\
             bb0(%0 : $*{param}, %1 : $*Meter):\n\
             \x20 %2 = struct_element_addr %1, #Meter.value\n  %3 = load [trivial] %2\n\
             \x20 %4 = alloc_stack ${param}\n  store %3 to [trivial] %4\n  dealloc_stack %4\n\
             \x20 %6 = tuple ()\n  return %6\n}}\n"
        )
    };
    is_fine(&function("Float"));
    assert!(found(&printed(&function("Number"))).iter().any(|f| f.starts_with("SIL0303")));
}

#[test]
fn a_class_may_be_called_like_the_protocol_of_errors() {
    let function = |class: &str| {
        format!(
            "final class {class}<T> {{\n  init()\n}}\n\
             sil [ossa] @$s1m4makeyyF : $@convention(thin) () -> @owned {class}<Int> {{\n\
             bb0:\n  %0 = alloc_ref ${class}<Int>\n  return %0\n}}\n"
        )
    };
    is_fine(&function("Error"));
    breaks("SIL0306", &function("Fault").replace("Fault<Int>", "Error").replace("<Int>", ""));
}

#[test]
fn mangled_names_say_that_a_name_means_a_type_of_another_module() {
    // `Coder` is an enum of the module and a class of `Kit`; `S` a struct of the module and one of a function.
    let module = |symbol: &str| {
        format!(
            "import Kit\nenum Coder {{\n}}\n\
             sil {symbol} : $@convention(method) (@thick Coder.Type) -> @owned Coder\n\
             sil [ossa] @$s1m3useyyF : $@convention(thin) (@owned Coder) -> () {{\n\
             bb0(%0 : @owned $Coder):\n  destroy_value %0\n  %2 = tuple ()\n  return %2\n}}\n"
        )
    };
    is_fine(&module("@$s3Kit5CoderCACycfC"));
    assert!(!found(&printed(&module("@$s1m5CoderOACycfC"))).is_empty());
    let local = |symbol: &str| {
        format!(
            "struct S {{\n}}\nsil {symbol} : $@convention(thin) () -> ()\n\
             sil [ossa] @$s1m3putyyF : $@convention(thin) (S) -> @owned any Error {{\n\
             bb0(%0 : $S):\n  %1 = alloc_existential_box $any Error, $S\n\
             \x20 %2 = project_existential_box $S in %1\n  store %0 to [trivial] %2\n  return %1\n}}\n"
        )
    };
    is_fine(&local("@$s1m1fyyF1SL_VADycfC"));
    assert!(found(&printed(&local("@$s1m1fyyF"))).iter().any(|f| f.starts_with("SIL0347")));
}

#[test]
fn vtables_of_nested_classes_have_a_short_name() {
    let module = |destroyer: &str| {
        format!(
            "class Part {{\n  init()\n}}\nclass Whole {{\n  func m()\n  init()\n  class Part : Whole {{\n    override func m()\n  }}\n}}\n\
             sil @$s1m5WholeC1myyF : $@convention(method) (@guaranteed Whole) -> ()\n\
             sil @$s1m5WholeC4PartC1myyF : $@convention(method) (@guaranteed Whole.Part) -> ()\n\
             sil @$s1m5WholeC4PartCfD : $@convention(method) (@owned Whole.Part) -> ()\n\
             sil_vtable Whole {{\n  #Whole.m: (Whole) -> () -> () : @$s1m5WholeC1myyF\n}}\n\
             sil_vtable Part {{\n  #Whole.m: (Whole) -> () -> () : @$s1m5WholeC4PartC1myyF [override]\n\
             \x20 #{destroyer}.deinit!deallocator: @$s1m5WholeC4PartCfD\n}}\n"
        )
    };
    is_fine(&module("Whole.Part"));
    assert!(found(&printed(&module("Part"))).iter().any(|f| f.starts_with("SIL0619")));
}

#[test]
fn variadic_functions_that_replace_a_parameter_take_arrays() {
    let function = |ty: &str| {
        format!(
            "struct Box<T> {{\n  @_hasStorage var f: T {{ get set }}\n}}\n\
             sil [ossa] @$s1m3boxyyF : $@convention(thin) (@guaranteed Box<(Int...) -> Bool>) -> @owned @callee_guaranteed @substituted <τ_0_0, τ_0_1> (@in_guaranteed τ_0_0) -> @out τ_0_1 for <{ty}, Bool> {{\n\
             bb0(%0 : @guaranteed $Box<(Int...) -> Bool>):\n\
             \x20 %1 = struct_extract %0, #Box.f\n  %2 = copy_value %1\n  return %2\n}}\n"
        )
    };
    is_fine(&function("Array<Int>"));
    breaks("SIL0320", &function("Int"));
}

#[test]
fn stored_functions_take_sent_arguments_and_the_actor_of_the_caller() {
    let module = |formal: &str, lowered: &str| {
        format!(
            "class C {{\n}}\nstruct Box {{\n  @_hasStorage let f: {formal} {{ get }}\n}}\n\
             sil [ossa] @$s1m3boxyyF : $@convention(method) (@guaranteed Box) -> @owned {lowered} {{\n\
             bb0(%0 : @guaranteed $Box):\n\
             \x20 %1 = struct_extract %0, #Box.f\n  %2 = copy_value %1\n  return %2\n}}\n"
        )
    };
    is_fine(&module("(sending C) -> ()", "@callee_guaranteed (@sil_sending @owned C) -> ()"));
    breaks("SIL0320", &module("(sending C) -> ()", "@callee_guaranteed (@sil_sending @guaranteed C) -> ()"));
    is_fine(&module("() -> sending C", "@callee_guaranteed () -> @sil_sending @owned C"));
    breaks("SIL0320", &module("() -> sending C", "@callee_guaranteed () -> @sil_sending @out C"));
    let actor = "@sil_isolated @sil_implicit_leading_param @guaranteed Builtin.ImplicitActor";
    let formal = "nonisolated(nonsending) (Int) async -> ()";
    is_fine(&module(formal, &format!("@async @callee_guaranteed ({actor}, Int) -> ()")));
    breaks("SIL0320", &module(formal, "@async @callee_guaranteed (Int) -> ()"));
}

#[test]
fn conformances_may_be_unavailable() {
    let module = |attribute: &str, protocol: &str| {
        format!(
            "protocol P {{\n}}\nprotocol Q {{\n}}\nstruct S {{\n}}\n{attribute}extension S : {protocol} {{\n}}\n\
             sil_witness_table S: P module m {{\n}}\n"
        )
    };
    is_fine(&module("@available(*, unavailable)\n", "P"));
    is_fine(&module("", "P"));
    breaks("SIL0615", &module("@available(*, unavailable)\n", "Q"));
}

#[test]
fn methods_in_backticks_may_be_called_deinit() {
    let module = |entry: &str| {
        format!(
            "class C {{\n  func `deinit`()\n}}\n\
             sil @$s1m1CC6deinityyF : $@convention(method) (@guaranteed C) -> ()\n\
             sil_vtable C {{\n  {entry} : @$s1m1CC6deinityyF\n}}\n"
        )
    };
    is_fine(&module("#C.`deinit`: (C) -> () -> ()"));
    breaks("SIL0626", &module("#C.deinit!deallocator"));
}

#[test]
fn opened_values_are_named_after_they_were_consumed() {
    let id = "01234567-89AB-CDEF-0123-000000000000";
    let function = |use_: &str| {
        format!(
            "protocol P : AnyObject {{\n  func m()\n}}\n\
             sil [ossa] @$s1m4openyyF : $@convention(thin) (@owned any P) -> () {{\n\
             bb0(%0 : @owned $any P):\n\
             \x20 %1 = open_existential_ref %0 to $@opened(\"{id}\", any P) Self\n  destroy_value %1\n{use_}\
             \x20 %4 = tuple ()\n  return %4\n}}\n"
        )
    };
    let lookup = format!(
        "  %3 = witness_method $@opened(\"{id}\", any P) Self, #P.m : <Self where Self : P> (Self) -> () -> (), %1 : $@opened(\"{id}\", any P) Self : $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@guaranteed τ_0_0) -> ()\n"
    );
    is_fine(&function(&lookup));
    breaks("SIL0404", &function("  fix_lifetime %1\n"));
}

#[test]
fn expansions_repeat_whole_compositions() {
    is_fine(
        "protocol P<A> {\n  associatedtype A\n}\nprotocol Q {\n}\n\
         sil [ossa] @$s1m4packyyF : $@convention(thin) <each T> (@in_guaranteed (repeat any P<each T> & Q)) -> () {\n\
         bb0(%0 : $*(repeat any P<each T> & Q)):\n\
         \x20 %1 = integer_literal $Builtin.Word, 0\n\
         \x20 %2 = dynamic_pack_index %1 of $Pack{repeat any P<each T> & Q}\n\
         \x20 %3 = open_pack_element %2 of <each T> at <Pack{repeat each T}>, shape $each T, uuid \"01234567-89AB-CDEF-0123-000000000000\"\n\
         \x20 %4 = tuple_pack_element_addr %2 of %0 as $*any P<@pack_element(\"01234567-89AB-CDEF-0123-000000000000\") each T> & Q\n\
         \x20 %5 = tuple ()\n  return %5\n}\n",
    );
}

#[test]
fn a_module_with_nothing_but_main_is_printed() {
    let main = "sil @main : $@convention(c) (Int32, UnsafeMutablePointer<Optional<UnsafeMutablePointer<Int8>>>) -> Int32\n";
    let module = |import: &str| {
        format!(
            "sil_stage canonical\n\nimport Builtin\nimport Swift\n{import}\nstruct S {{\n  var x: Int {{ get _modify }}\n  var x: Int {{ get }}\n}}\n{main}"
        )
    };
    assert_eq!(found(&module("import SwiftShims\n")), Vec::<String>::new());
    assert!(!found(&module("")).is_empty());
}

#[test]
fn types_of_several_functions_may_have_one_name() {
    let table = "sil_witness_table private S: P module m {\n}\n";
    let module = |tables: &str| format!("protocol P {{\n}}\nstruct S {{\n}}\n{tables}");
    is_fine(&module(&format!("{table}{table}")));
    assert!(found(&printed(&module(table))).iter().any(|f| f.starts_with("SIL0615")));
}

#[test]
fn old_compilers_state_how_many_argument_lists_are_applied() {
    let module = |member: &str| {
        format!(
            "class C {{\n  func m()\n}}\nsil @m : $@convention(method) (@guaranteed C) -> ()\n\
             sil @f : $@convention(thin) (@guaranteed C) -> () {{\nbb0(%0 : $C):\n\
             \x20 %1 = class_method %0 : $C, {member} : (C) -> () -> (), $@convention(method) (@guaranteed C) -> ()\n\
             \x20 %2 = tuple ()\n  return %2 : $()\n}}\n\
             sil_vtable C {{\n  {member}: (C) -> () -> () : @m\n}}\n"
        )
    };
    is_fine(&module("#C.m!1"));
    breaks("SIL0625", &module("#C.m!one"));
    breaks("SIL0344", &module("#C.m!one"));
}
