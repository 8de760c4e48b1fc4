//! Where entities stand in the text that they were read from, and what is made of that.

use silkit_base::Entity as _;
use silkit_diag::SourceMap;
use silkit_ir::{FunctionId, GlobalId, Module, Opcode, Point};
use silkit_text::{FileLocations, ParsedModule, PrintOptions, SourceEntity, parse_module, print_module};
use silkit_types::NoFacts;
use std::sync::Arc;

const TEXT: &str = "\
sil_stage canonical
import Builtin
sil_global @v : $Builtin.Int64 = {
  %initval = integer_literal $Builtin.Int64, 1
}
sil @g : $@convention(thin) () -> ()
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%c : $Builtin.Int1):
  cond_br %c, later, bb2
bb2:
  %g = function_ref @g : $@convention(thin) () -> ()
  %r = apply %g() : $@convention(thin) () -> (), loc \"a.swift\":3:4
  br later
later:
  (%a, %b) = destructure_tuple %t : $(Builtin.Int1, Builtin.Int1)
  %t = tuple (%c : $Builtin.Int1, %c : $Builtin.Int1)
  specify_test \"name %t\"
  %u = tuple ()
  return %u : $Builtin.Int1
}
";

fn parsed() -> ParsedModule {
    let parsed = parse_module(TEXT);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed
}

fn function(module: &Module, name: &str) -> FunctionId {
    module.functions.iter().find(|(_, f)| f.name == name).expect("the function").0
}

#[test]
fn every_part_of_a_body_has_its_place() {
    let parsed = parsed();
    let id = function(&parsed.module, "f");
    let (body, map) = (parsed.module.functions[id].body.as_ref(), parsed.source_map.function(id));
    let (body, map) = (body.expect("a body"), map.expect("places"));
    let insts: Vec<&str> = body
        .insts()
        .map(|inst| TEXT[map.inst(inst).expect("a place") as usize..].split(' ').next().unwrap_or_default())
        .collect();
    assert_eq!(insts, ["cond_br", "%g", "%r", "br", "(%a,", "%t", "specify_test", "%u", "return"]);
    let labels: Vec<&str> = body
        .blocks()
        .map(|block| {
            TEXT[map.block(block).expect("a place") as usize..].split(['(', ':']).next().unwrap_or("")
        })
        .collect();
    assert_eq!(labels, ["bb0", "bb2", "later"]);
    let [stated] = map.stated_types() else { panic!("{:?}", map.stated_types()) };
    assert_eq!(stated.ty.to_string(), "$Builtin.Int1");
    assert!(TEXT[stated.at as usize..].starts_with("%u : $Builtin.Int1\n}"));
    let named = map.named_value("t".into()).and_then(|value| body.defining_inst(value));
    assert_eq!(named.map(|inst| body.inst(inst).opcode), Some(Opcode::Tuple));
    assert_eq!(map.named_value("c".into()), None, "no test names it");
}

#[test]
fn every_entity_has_its_place() {
    let parsed = parsed();
    let texts: Vec<(SourceEntity, &str)> = parsed
        .source_map
        .entities()
        .iter()
        .map(|placed| (placed.entity, TEXT[placed.range.as_usize()].split(" :").next().unwrap_or_default()))
        .collect();
    let (f, g) = (function(&parsed.module, "f"), function(&parsed.module, "g"));
    let expected = [
        (SourceEntity::Stage, "sil_stage canonical"),
        (SourceEntity::Swift(0), "import Builtin"),
        (SourceEntity::Global(GlobalId::from_index(0)), "sil_global @v"),
        (SourceEntity::Function(g), "sil @g"),
        (SourceEntity::Function(f), "sil @f"),
    ];
    assert_eq!(texts, expected);
    let name = parsed.source_map.function_name(f).expect("a place");
    assert_eq!(&TEXT[name.as_usize()], "@f");
    let initializer =
        parsed.module.globals[GlobalId::from_index(0)].initializer.as_ref().expect("an initializer");
    let literal = initializer.insts().next().expect("an instruction");
    let at =
        parsed.source_map.global(GlobalId::from_index(0)).and_then(|map| map.inst(literal)).expect("a place");
    assert!(TEXT[at as usize..].starts_with("%initval"));
}

#[test]
fn what_was_made_later_has_no_place() {
    let ParsedModule { mut module, source_map, .. } = parsed();
    let id = function(&module, "f");
    let body = module.functions[id].body.as_mut().expect("a body");
    let first = body.insts().next().expect("an instruction");
    let made = body.builder_at(Point::Before(first), &NoFacts).debug_step();
    let block = body.edit().append_block();
    let map = source_map.function(id).expect("places");
    assert_eq!((map.inst(made), map.block(block)), (None, None));
    assert!(map.inst(first).is_some());
    let new = module.functions.push(module.functions[id].clone());
    assert!(source_map.function(new).is_none() && source_map.function_name(new).is_none());
    assert!(source_map.global(GlobalId::from_index(1)).is_none());
}

/// What the reference's parser does, and its builders: an instruction without `loc` stands in the file.
#[test]
fn instructions_get_the_locations_of_their_places() {
    let ParsedModule { mut module, source_map, .. } = parsed();
    let mut sources = SourceMap::new();
    let file = sources.add("x.sil", TEXT).expect("a file");
    let file = sources.file(file).expect("a file");
    let locations = FileLocations::assign(&mut module, &source_map, file);
    let id = function(&module, "f");
    let body = module.functions[id].body.as_mut().expect("a body");
    let call = body.insts().find(|&inst| body.inst(inst).opcode == Opcode::Branch).expect("a branch");
    body.builder_at(Point::Before(call), &NoFacts).debug_step();
    let mut options =
        PrintOptions { debug_info: true, locations: Some(Arc::new(locations)), ..PrintOptions::default() };
    let printed = print_module(&module, &options, &|_| None);
    for line in [
        "// g, loc \"x.sil\":6:6, scope 0",
        "sil_scope 1 { loc \"x.sil\":7:6 parent @f : $@convention(thin) (Builtin.Int1) -> () }",
        "  cond_br %0, bb2, bb1, loc \"x.sil\":9:3, scope 1",
        "  %2 = function_ref @g : $@convention(thin) () -> (), loc \"x.sil\":11:8, scope 1",
        "  %3 = apply %2() : $@convention(thin) () -> (), loc \"a.swift\":3:4, scope 1",
        "  debug_step , loc \"x.sil\":13:3, scope 1",
        "  (%6, %7) = destructure_tuple %8, loc \"x.sil\":15:14, scope 1",
    ] {
        assert!(printed.lines().any(|printed| printed.starts_with(line)), "{line}\n{printed}");
    }
    options.debug_info = false;
    options.verbose = true;
    let printed = print_module(&module, &options, &|_| None);
    for comment in ["// id: %1; line:9:3:sil\n", "// user: %3; line:11:8:sil\n", "// <invalid loc>\n"] {
        assert!(printed.contains(comment), "{comment}\n{printed}");
    }
}
