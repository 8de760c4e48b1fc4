//! Types that the text leaves out print as the compiler spells them.

use silkit_text::{PrintOptions, parse_module, print_module};

/// Prints a module with the types of operands, after it was printed without them.
fn typed(text: &str) -> String {
    let print = |text: &str, types| {
        let parsed = parse_module(text);
        assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
        print_module(&parsed.module, &PrintOptions { types, ..PrintOptions::default() }, &|_| None)
    };
    print(&print(text, false), true)
}

/// Checks that lines are printed with types, and that they stay when types are read.
fn check(text: &str, lines: &[&str]) {
    let printed = typed(text);
    for line in lines {
        assert!(printed.contains(line), "no {line:?} in\n{printed}");
    }
    assert_eq!(typed(&printed), printed);
}

#[test]
fn same_type_requirements_name_the_simplest_type() {
    let text = "import Swift\n\
        sil @f : $@convention(thin) <T where T : Sequence> (@in_guaranteed T) -> @owned Array<T.Element>\n\
        sil @g : $@convention(thin) <S, E where S : Sequence, E == S.Element> (@in_guaranteed S) -> () {\n\
        bb0(%0 : $*S):\n\
        \x20 %1 = function_ref @f : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 %2 = apply %1<S>(%0) : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 fix_lifetime %2\n\
        \x20 unreachable\n}\n\
        sil @h : $@convention(method) <Self where Self : StringProtocol> (@in_guaranteed Self) -> () {\n\
        bb0(%0 : $*Self):\n\
        \x20 %1 = function_ref @f : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 %2 = apply %1<Self>(%0) : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 fix_lifetime %2\n\
        \x20 unreachable\n}\n\
        sil @i : $@convention(method) <S where S : Sequence, S.Element == Bool> (@in_guaranteed S, @in_guaranteed S.Iterator) -> () {\n\
        bb0(%0 : $*S, %1 : $*S.Iterator):\n\
        \x20 %2 = function_ref @f : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 %3 = apply %2<S>(%0) : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 fix_lifetime %3\n\
        \x20 %5 = function_ref @n : $@convention(thin) <τ_0_0 where τ_0_0 : IteratorProtocol> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 %6 = apply %5<S.Iterator>(%1) : $@convention(thin) <τ_0_0 where τ_0_0 : IteratorProtocol> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Element>\n\
        \x20 fix_lifetime %6\n\
        \x20 unreachable\n}\n\
        sil @n : $@convention(thin) <T where T : IteratorProtocol> (@in_guaranteed T) -> @owned Array<T.Element>\n";
    check(
        text,
        &[
            // A parameter before a member.
            "fix_lifetime %2 : $Array<E>",
            // What the protocol says.
            "fix_lifetime %2 : $Array<Character>",
            // What the signature says, directly and by way of a requirement of `Sequence`.
            "fix_lifetime %3 : $Array<Bool>",
            "fix_lifetime %6 : $Array<Bool>",
        ],
    );
}

#[test]
fn members_of_nameless_parameters_stand_behind_parentheses() {
    let text = "import Swift\n\
        sil @f : $@convention(thin) <T where T : Sequence> (@in_guaranteed T) -> @owned Array<T.Iterator>\n\
        sil @g : $@convention(thin) <E><τ_1_0 where τ_1_0 : Sequence> (@in_guaranteed τ_1_0, @in_guaranteed E) -> () {\n\
        bb0(%0 : $*τ_1_0, %1 : $*E):\n\
        \x20 %2 = function_ref @f : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Iterator>\n\
        \x20 %3 = apply %2<τ_1_0>(%0) : $@convention(thin) <τ_0_0 where τ_0_0 : Sequence> (@in_guaranteed τ_0_0) -> @owned Array<τ_0_0.Iterator>\n\
        \x20 fix_lifetime %3\n\
        \x20 unreachable\n}\n";
    check(text, &["fix_lifetime %3 : $Array<(τ_1_0).Iterator>"]);
}

#[test]
fn lowered_types_have_no_sugar() {
    let text = "import Swift\n\
        sil @f : $@convention(thin) <T> () -> @owned Array<T>\n\
        sil @g : $@convention(thin) () -> () {\n\
        bb0:\n\
        \x20 %0 = function_ref @f : $@convention(thin) <τ_0_0> () -> @owned Array<τ_0_0>\n\
        \x20 %1 = apply %0<[Int?]>() : $@convention(thin) <τ_0_0> () -> @owned Array<τ_0_0>\n\
        \x20 fix_lifetime %1\n\
        \x20 unreachable\n}\n";
    check(text, &["apply %0<[Int?]>()", "fix_lifetime %1 : $Array<Array<Optional<Int>>>"]);
}

#[test]
fn functions_are_stored_as_the_declaration_abstracts_them() {
    let text = "import Swift\n\
        struct Box<T, U> {\n\
        \x20 @_hasStorage let plain: (Int) -> Bool { get }\n\
        \x20 @_hasStorage let mapping: (T, T, UnsafePointer<U>) throws -> U { get }\n\
        \x20 @_hasStorage let opt: ((T) -> ())? { get }\n\
        \x20 @_hasStorage let value: T { get }\n\
        \x20 @_hasStorage let nested: ((T) -> Bool, @escaping () -> U) -> T { get }\n\
        }\n\
        sil @g : $@convention(thin) (@guaranteed Box<(String, inout Int) -> Int, Bool>, @guaranteed Box<Int, Bool>) -> () {\n\
        bb0(%0 : $Box<(String, inout Int) -> Int, Bool>, %1 : $Box<Int, Bool>):\n\
        \x20 %2 = struct_extract %1, #Box.plain\n\
        \x20 fix_lifetime %2\n\
        \x20 %4 = struct_extract %1, #Box.mapping\n\
        \x20 fix_lifetime %4\n\
        \x20 %6 = struct_extract %1, #Box.opt\n\
        \x20 fix_lifetime %6\n\
        \x20 %8 = struct_extract %0, #Box.value\n\
        \x20 fix_lifetime %8\n\
        \x20 %10 = struct_extract %1, #Box.nested\n\
        \x20 fix_lifetime %10\n\
        \x20 unreachable\n}\n";
    check(
        text,
        &[
            "fix_lifetime %2 : $@callee_guaranteed (Int) -> Bool",
            "fix_lifetime %4 : $@callee_guaranteed @substituted <τ_0_0, τ_0_1, τ_0_2, τ_0_3> (@in_guaranteed τ_0_0, @in_guaranteed τ_0_1, UnsafePointer<τ_0_2>) -> (@out τ_0_3, @error any Error) for <Int, Int, Bool, Bool>",
            "fix_lifetime %6 : $Optional<@callee_guaranteed @substituted <τ_0_0> (@in_guaranteed τ_0_0) -> () for <Int>>",
            "fix_lifetime %8 : $@callee_guaranteed @substituted <τ_0_0, τ_0_1, τ_0_2> (@in_guaranteed τ_0_0, @inout τ_0_1) -> @out τ_0_2 for <String, Int, Int>",
            "fix_lifetime %10 : $@callee_guaranteed @substituted <τ_0_0, τ_0_1, τ_0_2> (@guaranteed @noescape @callee_guaranteed @substituted <τ_0_0> (@in_guaranteed τ_0_0) -> Bool for <τ_0_0>, @guaranteed @callee_guaranteed @substituted <τ_0_0> () -> @out τ_0_0 for <τ_0_1>) -> @out τ_0_2 for <Int, Bool, Int>",
        ],
    );
}

#[test]
fn types_of_other_modules_follow_from_their_uses() {
    let text = "import Swift\nimport Elsewhere\n\
        sil @take : $@convention(thin) <T> (@in_guaranteed T, Bool) -> ()\n\
        sil @g : $@convention(thin) (@in_guaranteed Far, @guaranteed Near) -> Int {\n\
        bb0(%0 : $*Far, %1 : $Near):\n\
        \x20 %2 = struct_element_addr %0, #Far.raw\n\
        \x20 %3 = struct_element_addr %2, #UInt16._value\n\
        \x20 %4 = load %3\n\
        \x20 %5 = struct_element_addr %0, #Far.flag\n\
        \x20 %6 = load %5\n\
        \x20 %7 = function_ref @take : $@convention(thin) <τ_0_0> (@in_guaranteed τ_0_0, Bool) -> ()\n\
        \x20 %8 = apply %7<Far>(%0, %6) : $@convention(thin) <τ_0_0> (@in_guaranteed τ_0_0, Bool) -> ()\n\
        \x20 %9 = ref_element_addr %1, #Near.count\n\
        \x20 %10 = load %9\n\
        \x20 br bb1(%10)\n\
        bb1(%12 : $Int):\n\
        \x20 return %12\n}\n";
    check(
        text,
        &[
            "struct_element_addr %2 : $*UInt16, #UInt16._value",
            "load %3 : $*Builtin.Int16",
            "load %5 : $*Bool",
            "load %9 : $*Int",
        ],
    );
}

/// Text may contradict itself where fields are not declared: what is printed with types is read as the same.
#[test]
fn definitions_decide_against_uses() {
    let prefix = "sil_stage canonical\nstruct Q {}\nstruct P { var q: Q }\nstruct S { var p: P }\nclass C {}\n\
        sil @f : $@convention(thin) (@owned C, Q) -> () {\nbb0(%0 : $C, %1 : $Q):\n";
    let cases = [
        // The field is not declared: its type follows from a use, and those of its parts from their declarations.
        (
            "%2 = ref_element_addr %0, #C.x\n%3 = struct_element_addr %2, #S.p\nstore %1 to %3\n\
             %5 = struct_element_addr %3, #P.q\n%6 = load %5\nstore %6 to %2\nunreachable\n}\n",
            ["struct_element_addr %2 : $*S", "store %1 to %3 : $*P", "store %6 to %2 : $*S"],
        ),
        // The type of the field is known only from what is stored to the address of a part.
        (
            "%2 = ref_element_addr %0, #C.x\n%3 = load %2\n%4 = struct_extract %3, #P.q\n\
             %5 = alloc_stack $C\nstore %3 to %5\nstore %4 to %5\nunreachable\n}\n",
            ["%3 = load %2 : $*C", "struct_extract %3 : $C", "store %4 to %5 : $*C"],
        ),
        // A use before the definition states another type than the definition.
        (
            "br bb2\nbb1:\nfix_lifetime %3 : $C\nunreachable\nbb2:\n%2 = struct $P (%1)\n\
             %3 = struct_extract %2, #P.q\nbr bb1\n}\n",
            ["fix_lifetime %6 : $Q", "struct $P (%1 : $Q)", "struct_extract %5 : $P"],
        ),
    ];
    for (body, lines) in cases {
        check(&format!("{prefix}{body}"), &lines);
    }
}

#[test]
fn stored_functions_of_modules_with_frozen_types_are_known_without_own_types() {
    let text = "import Swift\n\
        @frozen struct F { @_hasStorage let of: @Sendable (Int) -> Bool { get }\n\
        \x20 @_hasStorage let own: (G) -> Bool { get } }\n\
        struct G { @_hasStorage let x: Int { get } }\n\
        sil [ossa] @f : $@convention(thin) (@guaranteed F) -> () {\n\
        bb0(%0 : @guaranteed $F):\n\
        \x20 %1 = struct_extract %0, #F.of\n\
        \x20 fix_lifetime %1\n\
        \x20 %3 = struct_extract %0, #F.own\n\
        \x20 fix_lifetime %3\n\
        \x20 unreachable\n}\n";
    check(
        text,
        &[
            "fix_lifetime %1 : $@Sendable @callee_guaranteed (Int) -> Bool",
            "fix_lifetime %3 : $Builtin.SILUnknown",
        ],
    );
}

#[test]
fn parts_of_move_only_values_are_move_only_but_elements_of_tuples() {
    let text = "import Builtin\n\
        class C {}\n\
        struct Pair { var number: Builtin.Int64\n var object: C }\n\
        enum Shape { case number(Builtin.Int64)\n case object(C) }\n\
        sil @f : $@convention(thin) (Pair, @inout Pair, (Builtin.Int64, C), Shape, @inout Shape) -> () {\n\
        bb0(%0 : $Pair, %1 : $*Pair, %2 : $(Builtin.Int64, C), %3 : $Shape, %4 : $*Shape):\n\
        \x20 %5 = copyable_to_moveonlywrapper [owned] %0\n\
        \x20 %6 = struct_extract %5, #Pair.number\n\
        \x20 (%7, %8) = destructure_struct %5\n\
        \x20 %9 = copyable_to_moveonlywrapper_addr %1\n\
        \x20 %10 = struct_element_addr %9, #Pair.number\n\
        \x20 %11 = copyable_to_moveonlywrapper [owned] %2\n\
        \x20 %12 = tuple_extract %11, 0\n\
        \x20 (%13, %14) = destructure_tuple %11\n\
        \x20 %15 = copyable_to_moveonlywrapper [owned] %3\n\
        \x20 %16 = unchecked_enum_data %15, #Shape.number!enumelt\n\
        \x20 %17 = copyable_to_moveonlywrapper_addr %4\n\
        \x20 %18 = init_enum_data_addr %17, #Shape.object!enumelt\n\
        \x20 fix_lifetime %6\n\
        \x20 fix_lifetime %7\n\
        \x20 fix_lifetime %8\n\
        \x20 fix_lifetime %10\n\
        \x20 fix_lifetime %12\n\
        \x20 fix_lifetime %14\n\
        \x20 fix_lifetime %16\n\
        \x20 fix_lifetime %18\n\
        \x20 unreachable\n}\n";
    check(
        text,
        &[
            "fix_lifetime %6 : $@moveOnly Builtin.Int64",
            "fix_lifetime %7 : $@moveOnly Builtin.Int64",
            "fix_lifetime %8 : $@moveOnly C",
            "fix_lifetime %10 : $*@moveOnly Builtin.Int64",
            "fix_lifetime %12 : $Builtin.Int64",
            "fix_lifetime %14 : $C",
            "fix_lifetime %16 : $@moveOnly Builtin.Int64",
            "fix_lifetime %18 : $*@moveOnly C",
        ],
    );
}

#[test]
fn a_tuple_of_one_expansion_has_no_label() {
    let text = "import Builtin\nimport Swift\n\
        struct Zip<each T> { var all: (repeat each T) }\n\
        sil @f : $@convention(thin) <each T> (@inout Zip<repeat each T>, @inout Zip<repeat Array<each T>>) -> () {\n\
        bb0(%0 : $*Zip<repeat each T>, %1 : $*Zip<repeat Array<each T>>):\n\
        \x20 %2 = struct_element_addr %0, #Zip.all\n\
        \x20 %3 = struct_element_addr %1, #Zip.all\n\
        \x20 fix_lifetime %2\n\
        \x20 fix_lifetime %3\n\
        \x20 unreachable\n}\n";
    check(text, &["fix_lifetime %2 : $*(repeat each T)", "fix_lifetime %3 : $*(repeat Array<each T>)"]);
}

#[test]
fn members_of_pack_elements_stand_behind_parentheses() {
    let text = "import Swift\npublic struct Zip<each S> where repeat each S : Sequence {\n\
        \x20 typealias Element = (repeat (each S).Element)\n  typealias One = Int\n}\n\
        protocol HasE {\n  associatedtype Element\n}\n\
        sil @f : $@convention(method) <T where T : HasE> (@in T) -> @owned ContiguousArray<T.Element>\n\
        sil [ossa] @g : $@convention(thin) <each S where repeat each S : Sequence> (@in Zip<repeat each S>) -> () {\n\
        bb0(%0 : $*Zip<repeat each S>):\n\
        \x20 %1 = function_ref @f : $@convention(method) <τ_0_0 where τ_0_0 : HasE> (@in τ_0_0) -> @owned ContiguousArray<τ_0_0.Element>\n\
        \x20 %2 = apply %1<Zip<repeat each S>>(%0) : $@convention(method) <τ_0_0 where τ_0_0 : HasE> (@in τ_0_0) -> @owned ContiguousArray<τ_0_0.Element>\n\
        \x20 destroy_value %2\n  unreachable\n}\n\
        sil [ossa] @h : $@convention(thin) (@in Zip<Array<Int>, Array<Bool>>) -> () {\n\
        bb0(%0 : $*Zip<Array<Int>, Array<Bool>>):\n\
        \x20 %1 = function_ref @f : $@convention(method) <τ_0_0 where τ_0_0 : HasE> (@in τ_0_0) -> @owned ContiguousArray<τ_0_0.Element>\n\
        \x20 %2 = apply %1<Zip<Array<Int>, Array<Bool>>>(%0) : $@convention(method) <τ_0_0 where τ_0_0 : HasE> (@in τ_0_0) -> @owned ContiguousArray<τ_0_0.Element>\n\
        \x20 destroy_value %2\n  unreachable\n}\n";
    check(
        text,
        &[
            "destroy_value %2 : $ContiguousArray<(repeat (each S).Element)>",
            "destroy_value %2 : $ContiguousArray<(Int, Bool)>",
        ],
    );
}

#[test]
fn operands_of_key_paths_have_no_types() {
    let text = "import Swift\n\
        struct Row { subscript(i: Int) -> Int { get } }\n\
        sil @get : $@convention(keypath_accessor_getter) (@in_guaranteed Row, @in_guaranteed Int) -> @out Int\n\
        sil @eq : $@convention(keypath_accessor_equals) (@in_guaranteed Int, @in_guaranteed Int) -> Bool\n\
        sil @hash : $@convention(keypath_accessor_hash) (@in_guaranteed Int) -> Int\n\
        sil @f : $@convention(thin) (Int) -> () {\n\
        bb0(%0 : $Int):\n\
        \x20 %1 = keypath $KeyPath<Row, Int>, (root $Row; gettable_property $Int, id @get : $@convention(keypath_accessor_getter) (@in_guaranteed Row, @in_guaranteed Int) -> @out Int, getter @get : $@convention(keypath_accessor_getter) (@in_guaranteed Row, @in_guaranteed Int) -> @out Int, indices [%$0 : $Int : $Int], indices_equals @eq : $@convention(keypath_accessor_equals) (@in_guaranteed Int, @in_guaranteed Int) -> Bool, indices_hash @hash : $@convention(keypath_accessor_hash) (@in_guaranteed Int) -> Int) (%0)\n\
        \x20 fix_lifetime %1\n\
        \x20 unreachable\n}\n";
    check(text, &["-> Int) (%0)", "fix_lifetime %1 : $KeyPath<Row, Int>"]);
}

#[test]
fn the_bridge_of_embedded_swift_holds_a_native_reference() {
    let extracted = |prefix: &str| {
        let text = format!(
            "import Builtin\nimport Swift\nclass C {{\n}}\nsil @{prefix}4main1fyyF : $@convention(thin) (@guaranteed _BridgeStorage<C>) -> () {{\n\
             bb0(%0 : $_BridgeStorage<C>):\n  %1 = struct_extract %0, #_BridgeStorage.rawValue\n  debug_value %1, let, name \"c\"\n  unreachable\n}}\n"
        );
        let parsed = parse_module(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let function = parsed.module.functions.values().next().unwrap();
        let body = function.body.as_ref().unwrap();
        let first = body.insts().next().unwrap();
        body.value(body.first_result(first).unwrap()).ty.to_string()
    };
    assert_eq!(extracted("$s"), "$Builtin.BridgeObject");
    assert_eq!(extracted("$e"), "$C");
}
