//! Spellings in dumps of whole packages, each of which prints as it was read.

use silkit_text::{PrintOptions, parse_module, print_module};

/// Returns what a module prints as without the comments behind code, and checks that this prints the same again.
fn printed(text: &str, types: bool) -> String {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    let options = PrintOptions { types, ..PrintOptions::default() };
    let printed = print_module(&parsed.module, &options, &|_| None);
    let again = print_module(&parse_module(&printed).module, &options, &|_| None);
    assert_eq!(printed, again);
    printed
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim_end().to_owned() + "\n")
        .collect()
}

/// Checks that these lines of a text print as they are.
fn keeps(text: &str, lines: &[&str]) {
    let printed = printed(text, false);
    for line in lines {
        assert!(text.contains(line), "no {line:?} in the input");
        assert!(printed.contains(&format!("{line}\n")), "no {line:?} in\n{printed}");
    }
}

#[test]
fn generic_parameters_hide_types_without_arguments_only() {
    let ty = "$@convention(method) <Wrapped, Range where Wrapped : Collection, Range == Range<Wrapped.Index>> (@in_guaranteed Range, Range<Int>) -> ()";
    keeps(&format!("import Swift\nsil @f : {ty}\n"), &[&format!("sil @f : {ty}")]);
}

#[test]
fn kinds_of_distributed_methods_have_an_address() {
    let formal = "(isolated D) -> () -> ()";
    let entry = format!("  #D.m!distributed(0x5653ed127318): {formal} : @m");
    let call = format!(
        "  %1 = class_method %0, #D.m!distributed_thunk(0x5653ed127318) : {formal}, $@convention(method) (@sil_isolated @guaranteed D) -> ()"
    );
    let text = format!(
        "import Builtin\ndistributed actor D {{\n  distributed func m()\n}}\n\
         sil @m : $@convention(method) (@sil_isolated @guaranteed D) -> ()\n\
         sil @f : $@convention(thin) (@guaranteed D) -> () {{\nbb0(%0 : $D):\n{call}\n  unreachable\n}}\n\
         sil_vtable D {{\n{entry}\n}}\n"
    );
    keeps(&text, &[&entry, &call]);
}

#[test]
fn dependences_of_formal_results() {
    let lookup = |formal: &str| {
        format!(
            "  %1 = witness_method $τ_0_0, #P.view : {formal} : $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> @lifetime(borrow address_for_deps 0) @owned S"
        )
    };
    for result in ["@lifetime(borrow 0) () -> S", "@lifetime(copy 0, copy 1) @Sendable (S) -> S"] {
        let line = lookup(&format!("<Self where Self : P> (borrowing Self) -> {result}"));
        let text = format!(
            "import Builtin\nstruct S : ~Escapable {{\n}}\nprotocol P {{\n  func view() -> S\n}}\n\
             sil @f : $@convention(thin) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> () {{\n\
             bb0(%0 : $*τ_0_0):\n{line}\n  unreachable\n}}\n"
        );
        keeps(&text, &[&line]);
    }
}

#[test]
fn witnesses_of_compiled_functions_keep_the_names_of_parameters() {
    let line = |function: &str, name: &str| {
        format!(
            "  %0 = differentiability_witness_function [vjp] [reverse] [parameters 0] [results 0] <{name} where {name} : Differentiable> @{function} : $@convention(thin) <{name}> (@in_guaranteed {name}) -> @out {name}"
        )
    };
    let text = |line: &str| {
        format!(
            "import Builtin\nimport _Differentiation\nsil @f : $@convention(thin) () -> () {{\nbb0:\n{line}\n  unreachable\n}}\n"
        )
    };
    let compiled = line("$s1m1fyxxlF", "Element");
    keeps(&text(&compiled), &[&compiled]);
    // What somebody wrote becomes canonical, as in the reference.
    let printed = printed(&text(&line("f", "Element")), false);
    assert!(printed.contains(&line("f", "τ_0_0")), "{printed}");
}

#[test]
fn the_metatype_of_a_thrown_error() {
    let text = |ty: &str| {
        format!(
            "import Builtin\nimport Swift\nsil @f : $@convention(thin) () -> () {{\nbb0:\n  %0 = metatype $@thick {ty}\n  unreachable\n}}\n"
        )
    };
    for ty in ["Error.Type", "any Error.Type", "(any Error).Type"] {
        keeps(&text(ty), &[&format!("  %0 = metatype $@thick {ty}")]);
    }
}

#[test]
fn calls_with_a_bare_metatype_keep_the_bare_protocol() {
    let text = |ty: &str, argument: &str| {
        format!(
            "import Builtin\nimport Swift\nsil @g : $@convention(thin) <T where T : Error> (@thick T.Type) -> ()\n\
             sil @f : $@convention(thin) () -> () {{\nbb0:\n  %0 = metatype $@thick {ty}\n\
             \x20 %1 = function_ref @g : $@convention(thin) <τ_0_0 where τ_0_0 : Error> (@thick τ_0_0.Type) -> ()\n\
             \x20 %2 = apply %1<{argument}>(%0) : $@convention(thin) <τ_0_0 where τ_0_0 : Error> (@thick τ_0_0.Type) -> ()\n\
             \x20 unreachable\n}}\n"
        )
    };
    let call = |argument: &str| {
        format!(
            "  %2 = apply %1<{argument}>(%0) : $@convention(thin) <τ_0_0 where τ_0_0 : Error> (@thick τ_0_0.Type) -> ()"
        )
    };
    keeps(&text("Error.Type", "Error"), &[&call("Error")]);
    keeps(&text("Error.Type", "any Error"), &[&call("any Error")]);
    // Otherwise the name of a protocol denotes the existential type, as in the reference.
    let printed = printed(&text("(any Error).Type", "Error"), false);
    assert!(printed.contains(&call("any Error")), "{printed}");
}

#[test]
fn specializations_of_templates_keep_the_names_of_c_types() {
    let text = |ty: &str| {
        format!(
            "import Builtin\nimport Swift\nstruct Own<T> {{\n}}\nsil @f : $@convention(thin) () -> () {{\nbb0:\n  %0 = alloc_stack $*{ty}\n  unreachable\n}}\n"
        )
        .replace("$*", "$")
    };
    for ty in ["cx.Box<CInt>", "Box<CChar>", "std.vector<CInt, std.allocator<CInt>>"] {
        keeps(&text(ty), &[&format!("  %0 = alloc_stack ${ty}")]);
    }
    for (ty, wanted) in [
        ("Own<CInt>", "Own<Int32>"),
        ("Optional<CChar>", "Optional<Int8>"),
        ("cx.Box<Float64>", "cx.Box<Double>"),
    ] {
        let printed = printed(&text(ty), false);
        assert!(printed.contains(&format!("  %0 = alloc_stack ${wanted}\n")), "{printed}");
    }
}

#[test]
fn compositions_are_in_the_order_of_the_compiler() {
    let text = |ty: &str| {
        format!(
            "import Builtin\nimport Swift\nprotocol A {{\n}}\nprotocol P {{\n}}\nprotocol Q : AnyObject {{\n}}\n\
             protocol N : ~Copyable {{\n}}\nclass C {{\n}}\nclass D<T> {{\n}}\n\
             sil @f : $@convention(thin) (@in_guaranteed Optional<any {ty}>) -> ()\n"
        )
    };
    for (ty, wanted) in [
        ("P & A", "A & P"),
        ("Q & P & A", "A & P & Q"),
        ("P & C", "C & P"),
        ("Q & D<Int> & A", "D<Int> & A & Q"),
        ("AnyObject & Q & P", "P & Q & AnyObject"),
        ("~Copyable & N", "N & ~Copyable"),
        ("P & A & P", "A & P"),
        ("P & Sendable & A", "A & Sendable & P"),
    ] {
        let printed = printed(&text(ty), false);
        assert!(printed.contains(&format!("(@in_guaranteed Optional<any {wanted}>)")), "{ty}: {printed}");
    }
}

#[test]
fn packs_of_indices_have_formal_elements() {
    let line = "  %0 = scalar_pack_index 0 of $Pack{@Sendable () async -> Int, (Int) throws -> String}";
    let text = format!(
        "import Builtin\nimport Swift\nsil @f : $@convention(thin) () -> () {{\nbb0:\n{line}\n  unreachable\n}}\n"
    );
    keeps(&text, &[line]);
}

#[test]
fn properties_of_opaque_types() {
    let text = "import Builtin\nprotocol P {\n}\nstruct S {\n  @_hasStorage let stored: some P { get }\n}\n\
        sil @f : $@convention(thin) (@in_guaranteed S) -> Builtin.Int64 {\nbb0(%0 : $*S):\n\
        \x20 %1 = struct_element_addr %0 : $*S, #S.stored\n  %2 = load %1 : $*Builtin.Int64\n  return %2 : $Builtin.Int64\n}\n";
    let printed = printed(text, true);
    assert!(printed.contains("  %2 = load %1 : $*Builtin.Int64\n"), "{printed}");
}

#[test]
fn bounds_of_packs_are_repeated() {
    let text = "protocol P {\n}\nsil @f : $@convention(thin) <each T : P, U : P> (@pack_guaranteed Pack{repeat each T}, @in_guaranteed U) -> ()\n";
    let printed = printed(text, false);
    assert!(printed.contains("<each T, U where repeat each T : P, U : P>"), "{printed}");
}

#[test]
fn packs_without_elements() {
    let line = "  %0 = alloc_stack $Product<>";
    let text = format!(
        "import Builtin\nstruct Product<each T> {{\n}}\nsil @f : $@convention(thin) () -> () {{\nbb0:\n{line}\n  unreachable\n}}\n"
    );
    keeps(&text, &[line]);
}

#[test]
fn existential_types_state_primary_associated_types() {
    let opened =
        "@opened(\"01234567-89AB-CDEF-0123-000000000000\", any Store<Builtin.Int64, Builtin.Int8>) Self";
    let method = "$@convention(witness_method: Store) <τ_0_0 where τ_0_0 : Store> (@in_guaranteed τ_0_0) -> @owned Box<τ_0_0.Value, τ_0_0.Other>";
    let result = format!("$Box<Builtin.Int8, {opened}.Other>");
    let text = format!(
        "import Builtin\nprotocol Store<Key, Value> {{\n  associatedtype Key\n  associatedtype Value\n  associatedtype Other\n  func m() -> Box<Value, Other>\n}}\n\
         class Box<T, U> {{\n}}\n\
         sil @f : $@convention(thin) (@in_guaranteed any Store<Builtin.Int64, Builtin.Int8>) -> () {{\n\
         bb0(%0 : $*any Store<Builtin.Int64, Builtin.Int8>):\n\
         \x20 %1 = open_existential_addr immutable_access %0 to $*{opened}\n\
         \x20 %2 = witness_method ${opened}, #Store.m : <Self where Self : Store> (Self) -> () -> Box<Self.Value, Self.Other>, %1 : $*{opened} : {method}\n\
         \x20 %3 = apply %2<{opened}>(%1) : {method}\n  strong_release %3\n  unreachable\n}}\n"
    );
    let printed = printed(&text, true);
    assert!(printed.contains(&format!("  strong_release %3 : {result}\n")), "{printed}");
}

#[test]
fn the_case_that_a_default_covers_has_backticks_if_it_is_a_keyword() {
    let comment = |case: &str| {
        let text = format!(
            "enum K {{ case normal, `{case}` }}\nsil @f : $@convention(thin) (K) -> () {{\nbb0(%0 : $K):\n  \
             switch_enum %0, case #K.normal!enumelt: bb1, default bb2\nbb1:\n  unreachable\nbb2:\n  unreachable\n}}\n"
        );
        let printed = print_module(&parse_module(&text).module, &PrintOptions::default(), &|_| None);
        printed.split_once("// #K.").and_then(|(_, rest)| Some(rest.split_once("!enumelt")?.0.to_owned()))
    };
    for keyword in ["class", "default", "Any", "self", "throws", "subscript", "deinit"] {
        assert_eq!(comment(keyword), Some(format!("`{keyword}`")));
    }
    for name in ["init", "open", "Type", "some", "get", "async", "classes"] {
        assert_eq!(comment(name).as_deref(), Some(name));
    }
}

#[test]
fn the_signature_of_a_key_path_is_one_list_for_all_depths() {
    let line = |sig: &str, outer: &str| {
        format!(
            "  %0 = keypath $KeyPath<Pair<A, N>, N>, {sig} (root $Pair<τ_0_0, {outer}>; stored_property #Pair.second : ${outer}) <A, N>"
        )
    };
    let text = |line: &str| {
        format!(
            "import Swift\nprotocol P {{\n}}\nstruct Pair<First, Second> {{\n  @_hasStorage var second: Second {{ get set }}\n}}\n\
             sil @f : $@convention(method) <A><N where N : P> () -> () {{\nbb0:\n{line}\n  unreachable\n}}\n"
        )
    };
    let deep = line("<τ_0_0, τ_1_0 where τ_1_0 : P>", "τ_1_0");
    keeps(&text(&deep), &[&deep]);
    let flat = line("<τ_0_0, τ_0_1 where τ_0_1 : P>", "τ_0_1");
    keeps(&text(&flat), &[&flat]);
    // Names state no depth: they are numbered.
    let named = printed(&text(&line("<T, U where U : P>", "U").replace("Pair<τ_0_0", "Pair<T")), false);
    assert!(named.contains(&flat), "{named}");
}

#[test]
fn demangled_names_are_recognized() {
    let errors = |text: &str| {
        let errors = parse_module(text).errors;
        errors
            .iter()
            .map(|e| format!("{}; {}", e.message, e.help.as_deref().unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let told = "the name is demangled: text such as `main.f() -> ()` does not tell where it ends; give the SIL as `swiftc` prints it, without `swift-demangle`";
    let function = "sil @main.f() -> () : $@convention(thin) () -> ()\n";
    assert_eq!(errors(function), [told]);
    let table = "class C {\n  func m()\n}\nsil_vtable C {\n  #C.m: (C) -> () -> () : @main.C.m() -> ()\n}\n";
    assert_eq!(errors(table), [told]);
    assert_eq!(errors(&function.replace("f() -> ()", "f")), Vec::<String>::new());
}

#[test]
fn the_contents_of_an_existential_are_of_a_swift_type() {
    for ty in [
        "(Builtin.Int64) throws -> Builtin.Int64",
        "(Builtin.Int64) throws(E) -> Builtin.Int64",
        "(inout Builtin.Int64) async throws(E) -> Builtin.Int64",
        "(a: Builtin.Int64, b: () throws(E) -> ())",
        "() throws(E) -> () throws(E) -> ()",
        "@convention(c) (Builtin.Int64) -> ()",
        "@callee_guaranteed (Builtin.Int64) -> @error any Error",
    ] {
        let line = format!("  %1 = init_existential_addr %0, ${ty}");
        let text = format!(
            "import Builtin\nimport Swift\nstruct E : Error {{\n}}\nsil @f : $@convention(thin) () -> @out Any {{\nbb0(%0 : $*Any):\n{line}\n  unreachable\n}}\n"
        );
        keeps(&text, &[&line]);
    }
}

#[test]
fn the_member_of_an_opened_type_keeps_its_parentheses_in_what_a_compiler_printed() {
    let id = "01234567-89AB-CDEF-0123-000000000000";
    let text = |name: &str, member: &str| {
        String::from(
            "import Builtin\nimport Swift\nprotocol P {\n  associatedtype I : P\n}\nsil @NAME : $@convention(thin) (@in_guaranteed any P) -> () {\nbb0(%0 : $*any P):\n  %1 = open_existential_addr immutable_access %0 to $*@opened(\"ID\", any P) Self\n  %2 = alloc_stack $MEMBER\n  unreachable\n}\n"
        )
        .replace("NAME", name)
        .replace("MEMBER", member)
        .replace("ID", id)
    };
    for member in [
        "@opened(\"ID\", any P) Self.I",
        "(@opened(\"ID\", any P) Self).I",
        "(@opened(\"ID\", any P) Self).I.I",
        "Optional<(@opened(\"ID\", any P) Self).I>",
    ] {
        let line = format!("  %2 = alloc_stack ${member}").replace("ID", id);
        keeps(&text("$s4main1fyyF", member), &[&line]);
        // Swift 6.2 reads the parentheses, and does not print them.
        let plain = line.replace("(@opened", "@opened").replace("Self)", "Self");
        let by_hand = text("f", member);
        assert!(printed(&by_hand, false).contains(&plain), "{by_hand}");
        let module = parse_module(&text("$s4main1fyyF", member)).module;
        let body = module.functions.values().next().and_then(|f| f.body.as_ref()).unwrap();
        let ty =
            body.insts().nth(1).map(|inst| body.value(body.first_result(inst).unwrap()).ty.ty()).unwrap();
        assert!(!ty.canonical().to_string().contains("(@opened"), "{ty}");
    }
}

#[test]
fn a_type_may_be_called_as_the_module_of_builtins() {
    let line = "  %1 = metatype $@thin Builtin.Type";
    let text = format!(
        "import Builtin\nstruct Builtin {{\n}}\nsil @f : $@convention(thin) () -> () {{\nbb0:\n{}\n  unreachable\n}}\n",
        line.replace("%1", "%0")
    );
    keeps(&text, &[&line.replace("%1", "%0")]);
}
