//! Copies of bodies, blocks and functions, on the shipped examples and, where it is there, on the corpus.

mod inputs;

use silkit::ir::instructions::{Apply, Return};
use silkit::ir::{Block, Body, Cloner, LocData, Module, Opcode, Point, ScopeIndex, ScopeMap, ScopeOverlay};
use silkit::text::{PrintOptions, parse_module, print_module};
use silkit::types::{NoFacts, SilType, Substitution, Type};

fn print(module: &Module) -> String {
    let options = PrintOptions { types: true, debug_info: true, ..PrintOptions::default() };
    print_module(module, &options, &|_| None)
}

/// Puts a copy of each body in its place.
fn with_copies(module: &Module) -> Module {
    let mut copy = module.clone();
    let bodies = copy.functions.values_mut().filter_map(|f| f.body.as_mut());
    for body in bodies.chain(copy.globals.values_mut().filter_map(|g| g.initializer.as_mut())) {
        *body = Cloner::of(body).body();
    }
    copy
}

fn check_copies(most: u64) {
    let mut bodies = 0;
    for (name, text) in inputs::all(most) {
        let module = parse_module(&text).module;
        let (want, got) = (print(&module), print(&with_copies(&module)));
        if let Some((want, got)) = want.lines().zip(got.lines()).find(|(want, got)| want != got) {
            panic!("{name}: a copy prints\n{got}\nand not\n{want}");
        }
        assert_eq!(want.len(), got.len(), "{name}");
        bodies += module.functions.values().filter(|f| f.body.is_some()).count();
    }
    eprintln!("{bodies} bodies");
    assert!(bodies > 100, "{bodies}");
}

#[test]
fn a_copy_of_every_body_prints_as_the_body() {
    check_copies(600_000);
}

#[test]
#[ignore = "the whole corpus takes a while"]
fn a_copy_of_every_body_of_the_corpus_prints_as_the_body() {
    check_copies(u64::MAX);
}

#[test]
fn a_copy_of_a_body_that_is_wrong_is_as_wrong() {
    let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  br bb7(%9)\nbb1:\n  %1 = copy_value %8\n  return %1\n}\n";
    let module = parse_module(text).module;
    assert_eq!(print(&module), print(&with_copies(&module)));
}

fn block(body: &Body, index: usize) -> Block {
    body.blocks().nth(index).expect("a block")
}

const INLINE: &str = "sil_stage canonical
import Builtin
import Swift
sil_scope 1 { loc \"a.swift\":1:6 parent @callee : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 }
sil_scope 2 { loc \"a.swift\":2:6 parent 1 }
sil_scope 3 { loc \"b.swift\":1:6 parent @deep : $@convention(thin) () -> () inlined_at 2 }
sil_scope 4 { loc \"c.swift\":1:6 parent @caller : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 }
sil @callee : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  debug_value %0, let, (name \"x\", loc \"a.swift\":1:9, scope 1), loc \"a.swift\":1:9, scope 1
  cond_br %0, bb1, bb2, loc \"a.swift\":2:6, scope 2
bb1:
  %3 = integer_literal $Builtin.Int1, 0, loc \"b.swift\":1:6, scope 3
  br bb3(%3), loc \"a.swift\":3:6, scope 2
bb2:
  br bb3(%0), loc \"a.swift\":4:6, scope 2
bb3(%6 : $Builtin.Int1):
  return %6, loc \"a.swift\":5:6, scope 1
}
sil @caller : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  %1 = function_ref @callee : $@convention(thin) (Builtin.Int1) -> Builtin.Int1, loc \"c.swift\":2:6, scope 4
  %2 = apply %1(%0) : $@convention(thin) (Builtin.Int1) -> Builtin.Int1, loc \"c.swift\":2:6, scope 4
  return %2, loc \"c.swift\":3:6, scope 4
}
";

#[test]
fn inlines_a_call_with_its_scopes() {
    let mut module = parse_module(INLINE).module;
    let [callee, caller] =
        ["callee", "caller"].map(|n| module.functions.find(&n.into()).expect("a function"));
    let source = module.functions[callee].body.clone().expect("a body");
    let (index, mut new) = (ScopeIndex::new(&module.scopes), Vec::new());
    let body = module.functions[caller].body.as_mut().expect("a body");
    let call = body.insts().find(|&i| body.inst(i).opcode == Opcode::Apply).expect("a call");
    let at = body.loc(body.inst(call).loc).expect("a location");
    let mut scopes = ScopeOverlay { module: &module.scopes, index: &index, new: &mut new };
    let map = ScopeMap::inline(&mut scopes, source.used_scopes(), at.scope);

    let args = body.view_as::<Apply<'_>>(call).expect("a call").args.to_vec();
    let result = body.first_result(call).expect("a result");
    let mut editor = body.edit();
    let next = editor.next_inst(call).expect("a terminator");
    let rest = editor.split_block(next);
    let before = editor.inst_block(call);
    let mut cloner = Cloner::of(&source).with_scopes(&map);
    let copies = cloner.blocks(&mut editor, &source.blocks().collect::<Vec<_>>(), before);
    let entry = copies[0];
    // The entry's parameters are values here, no arguments.
    for (index, &arg) in args.iter().enumerate().rev() {
        editor.replace_all_uses(editor.arguments(entry)[index], arg);
        editor.remove_argument(entry, index);
    }
    let exit = cloner.inst(source.insts().last().expect("return")).expect("a copy");
    let returned = editor.view_as::<Return>(exit).expect("a return").operand;
    let loc = editor.inst(call).loc;
    editor.remove(exit);
    editor.insert_branch(copies[3], rest, &[], loc);
    editor.insert_branch(before, entry, &[], loc);
    editor.replace_all_uses(result, returned);
    editor.remove(call);
    editor.verify_integrity().unwrap_or_else(|e| panic!("{e}"));
    module.scopes.append(&mut new);

    let printed = print(&module);
    let tail = &printed[printed.find("sil @caller").expect("the caller")..];
    for line in [
        "debug_value %0 : $Builtin.Int1, let, (name \"x\", loc \"a.swift\":1:9, scope 5), loc \"a.swift\":1:9, scope 5",
        "cond_br %0, bb2, bb3, loc \"a.swift\":2:6, scope 6",
        "integer_literal $Builtin.Int1, 0, loc \"b.swift\":1:6, scope 7",
        "br bb5, loc \"c.swift\":2:6, scope 4",
    ] {
        assert!(tail.contains(line), "{line}\n{tail}");
    }
    let scopes: Vec<_> = module.scopes[4..].iter().map(|s| (s.id, s.inlined_at)).collect();
    assert_eq!(scopes, [(5, Some(4)), (6, Some(4)), (7, Some(6))]);
    assert!(parse_module(&printed).errors.is_empty(), "{printed}");
}

const GENERIC: &str = "import Swift
protocol P {}
sil [ossa] @generic : $@convention(thin) <T, U where T : P> (@in_guaranteed T, @guaranteed Optional<U>) -> @out T {
bb0(%0 : $*T, %1 : $*T, %2 : @guaranteed $Optional<U>):
  %3 = function_ref @use : $@convention(thin) <τ_0_0> (@in_guaranteed τ_0_0) -> @thick τ_0_0.Type
  %4 = apply %3<T>(%1) : $@convention(thin) <τ_0_0> (@in_guaranteed τ_0_0) -> @thick τ_0_0.Type
  %5 = alloc_stack $(T, Array<U>), let, name \"x\"
  dealloc_stack %5
  copy_addr %1 to [init] %0
  %8 = metatype $@thick T.Type
  %9 = tuple ()
  return %9
}
sil @use : $@convention(thin) <τ_0_0> (@in_guaranteed τ_0_0) -> @thick τ_0_0.Type
";

#[test]
fn a_copy_can_have_other_types() {
    let mut module = parse_module(GENERIC).module;
    let id = module.functions.find(&"generic".into()).expect("a function");
    let function = &mut module.functions[id];
    let ty = function.ty.ty().as_function().expect("a function type");
    let args = [Type::nominal("Int"), Type::nominal("String")];
    let subst = Substitution { sig: ty.sig.expect("a signature"), args: &args };
    let body = function.body.as_ref().expect("a body");
    let copy = Cloner::of(body).with_substitution(subst, &NoFacts).body();
    let new = silkit::ir::substituted(ty, &args, &NoFacts).expect("as many arguments");
    function.body = Some(copy);
    function.ty = SilType::object(Type::new(silkit::types::TypeKind::Function(Box::new(new))));
    let printed = print(&module);
    for line in [
        "sil [ossa] @generic : $@convention(thin) (@in_guaranteed Int, @guaranteed Optional<String>) -> @out Int {",
        "bb0(%0 : $*Int, %1 : $*Int, %2 : @guaranteed $Optional<String>):",
        "apply %3<Int>(%1) : $@convention(thin) <τ_0_0> (@in_guaranteed τ_0_0) -> @thick τ_0_0.Type",
        "alloc_stack $(Int, Array<String>), let, name \"x\"",
        "metatype $@thick Int.Type",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    assert!(parse_module(&printed).errors.is_empty(), "{printed}");
}

const VARIADIC: &str = "import Swift
struct Box<each T> { var v: (repeat each T) }
sil [ossa] @variadic : $@convention(thin) <U, each T> (@pack_guaranteed Pack{repeat each T}, @thin Box<repeat each T>.Type) -> () {
bb0(%0 : $*Pack{repeat each T}, %1 : $@thin Box<repeat each T>.Type):
  %2 = alloc_stack $(repeat Optional<each T>)
  dealloc_stack %2
  %4 = alloc_stack $Box<U, repeat Box<repeat each T, each T>, repeat U>
  dealloc_stack %4
  %6 = alloc_pack $Pack{U, repeat each T}
  dealloc_pack %6
  %8 = function_ref @callee : $@convention(thin) <each τ_0_0> (@pack_guaranteed Pack{repeat each τ_0_0}) -> ()
  %9 = apply %8<Pack{repeat each T}>(%0) : $@convention(thin) <each τ_0_0> (@pack_guaranteed Pack{repeat each τ_0_0}) -> ()
  %10 = integer_literal $Builtin.Word, 0
  %11 = dynamic_pack_index %10 of $Pack{repeat each T}
  %12 = open_pack_element %11 of <each T> at <Pack{repeat each T}>, shape $each T, uuid \"01234567-89AB-CDEF-0123-0000000000FF\"
  %13 = pack_element_get %11 of %0 as $*@pack_element(\"01234567-89AB-CDEF-0123-0000000000FF\") each T
  %14 = metatype $@thick ((repeat each T) -> ()).Type
  return %9
}
sil @callee : $@convention(thin) <each τ_0_0> (@pack_guaranteed Pack{repeat each τ_0_0}) -> ()
";

/// Returns the lines of a copy for packs of these elements.
fn variadic(elements: &[Type]) -> String {
    let mut module = parse_module(VARIADIC).module;
    let id = module.functions.find(&"variadic".into()).expect("a function");
    let function = &mut module.functions[id];
    let sig = function.ty.ty().as_function().and_then(|ty| ty.sig).expect("a signature");
    let pack = Type::new(silkit::types::TypeKind::Pack { direct: false, elements: elements.into() });
    let args = [Type::nominal("Bool"), pack];
    let body = function.body.as_ref().expect("a body");
    function.body =
        Some(Cloner::of(body).with_substitution(Substitution { sig, args: &args }, &NoFacts).body());
    print(&module)
}

#[test]
fn packs_are_expanded() {
    let printed = variadic(&[Type::nominal("Int"), Type::nominal("String")]);
    for line in [
        "bb0(%0 : $*Pack{Int, String}, %1 : $@thin Box<Int, String>.Type):",
        "alloc_stack $(Optional<Int>, Optional<String>)",
        "alloc_stack $Box<Bool, Box<Int, String, Int>, Box<Int, String, String>, repeat Bool>",
        "alloc_pack $Pack{Bool, Int, String}",
        "apply %8<Pack{Int, String}>(%0)",
        "dynamic_pack_index %10 of $Pack{Int, String}",
        "of <each T> at <Pack{Int, String}>, shape $each T, uuid",
        "pack_element_get %11 of %0 : $*Pack{Int, String} as $*@pack_element(\"01234567-89AB-CDEF-0123-0000000000FF\") each T",
        "metatype $@thick ((Int, String) -> ()).Type",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    let printed = variadic(&[]);
    for line in ["alloc_stack $()", "alloc_stack $Box<Bool, repeat Bool>", "alloc_pack $Pack{Bool}"] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    let printed = variadic(&[Type::nominal("Int")]);
    assert!(printed.contains("alloc_stack $Optional<Int>"), "{printed}");
    // What would be too large is unknown, and not even tried.
    let printed = variadic(&vec![Type::nominal("Int"); 100_000]);
    assert!(printed.contains("alloc_stack $Builtin.SILUnknown"), "{}", printed.len());
}

const OPENED: &str = "import Swift
protocol P {}
sil @f : $@convention(thin) (@in_guaranteed any P) -> () {
bb0(%0 : $*any P):
  br bb1
bb1:
  br bb2
bb2:
  %3 = open_existential_addr immutable_access %0 to $*@opened(\"01234567-89AB-CDEF-0123-0000000000FF\", any P) Self
  br bb3
bb3:
  %5 = alloc_stack $@opened(\"01234567-89AB-CDEF-0123-0000000000FF\", any P) Self
  copy_addr %3 to [init] %5
  dealloc_stack %5
  cond_br undef, bb2, bb4
bb4:
  %9 = tuple ()
  return %9
}
";

#[test]
fn a_second_copy_opens_types_of_its_own() {
    let mut module = parse_module(OPENED).module;
    let id = module.functions.find(&"f".into()).expect("a function");
    let body = module.functions[id].body.as_mut().expect("a body");
    // Uses before their definitions.
    let region = [block(body, 3), block(body, 2)];
    let mut cloner = Cloner::within();
    for _ in 0..2 {
        let after = body.last_block().expect("a block");
        let copies = cloner.blocks(&mut body.edit(), &region, after);
        assert_eq!(body.single_successor(copies[1]), Some(copies[0]), "edges inside go to copies");
        let exits: Vec<Block> = body.block_successors(copies[0]).collect();
        assert_eq!(exits, [copies[1], block(body, 4)], "edges out go where they went");
    }
    body.verify_integrity().unwrap_or_else(|e| panic!("{e}"));
    for (open, slot) in [(2, 3), (6, 5), (8, 7)] {
        let slot = body.first_inst(block(body, slot)).expect("alloc_stack");
        let open = body.first_inst(block(body, open)).expect("open_existential_addr");
        let opener = body.first_result(open).expect("an address");
        assert_eq!(body.type_operands(slot).iter().map(|o| o.value).collect::<Vec<_>>(), [opener]);
        let copied = body.next_inst(slot).expect("copy_addr");
        assert_eq!(body.operand_value(copied, 0), opener);
    }
    let printed = print(&module);
    for id in ["0000000000FF", "000000000100", "000000000101"] {
        assert_eq!(printed.matches(id).count(), 4, "{id}\n{printed}");
    }
}

#[test]
fn a_function_goes_into_another_module_with_what_it_needs() {
    let from = parse_module(INLINE).module;
    let mut into = parse_module(
        "import Builtin\nsil_scope 7 { loc \"z.swift\":1:1 parent @z : $@convention(thin) () -> () }\n\
         sil @z : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple (), loc \"z.swift\":1:1, scope 7\n  return %0\n}\n\
         sil @caller : $@convention(thin) (Builtin.Int1) -> Builtin.Int1\n",
    )
    .module;
    let declared = into.functions.find(&"caller".into());
    let id = into.import_function(&from, from.functions.find(&"caller".into()).expect("a function"));
    assert_eq!(Some(id), declared, "the declaration becomes the definition");
    let names: Vec<&str> = into.functions.values().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["z", "caller", "callee"]);
    assert!(into.functions.values().last().expect("a function").body.is_none());
    assert_eq!(into.scopes.iter().map(|s| s.id).collect::<Vec<_>>(), [7, 8]);
    let body = into.functions[id].body.as_ref().expect("a body");
    let loc: LocData = body.loc(body.inst(body.insts().next().expect("one")).loc).expect("a location");
    assert_eq!(loc.scope, 8);
    assert_eq!(into.import_function(&from, from.functions.find(&"caller".into()).expect("a function")), id);
    assert!(parse_module(&print(&into)).errors.is_empty());
}

#[test]
fn one_instruction_is_copied_with_other_operands() {
    let mut module = parse_module(INLINE).module;
    let id = module.functions.find(&"caller".into()).expect("a function");
    let body = module.functions[id].body.as_mut().expect("a body");
    let call = body.insts().nth(1).expect("the call");
    let (arg, result) = (body.arguments(block(body, 0))[0], body.first_result(call).expect("a result"));
    let mut cloner = Cloner::within();
    cloner.map_value(arg, result);
    let copy = cloner.inst_at(&mut body.edit(), call, Point::After(call));
    assert_eq!(body.view_as::<Apply<'_>>(copy).expect("a call").args.to_vec(), [result]);
}
