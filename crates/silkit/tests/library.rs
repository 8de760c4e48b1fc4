//! The code that docs/library.md shows, run.

use silkit::analysis::{AnalysisCache, Dominators, ProgramFacts, ProgramView};
use silkit::base::Symbol;
use silkit::ir::conventions::{Addresses, ApplySite};
use silkit::ir::info::Role;
use silkit::ir::instructions::{
    AnyInst, FunctionRef, Load, LoadQualifier, Store, StoreQualifier, StructElementAddr,
};
use silkit::ir::{Body, Cloner, Function, Inst, Module, Point};
use silkit::text::{Dump, PrintOptions, print_module};
use std::path::Path;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const POINTS: &str = "sil_stage canonical
import Swift

struct Point { var x: Int; var y: Int }

sil [ossa] @add : $@convention(thin) (Int, Int) -> Int

sil [ossa] @sum : $@convention(thin) (@in_guaranteed Point) -> Int {
bb0(%0 : $*Point):
  %1 = struct_element_addr %0, #Point.x
  %2 = load [trivial] %1
  %3 = struct_element_addr %0, #Point.y
  %4 = load [trivial] %3
  %5 = function_ref @add : $@convention(thin) (Int, Int) -> Int
  %6 = apply %5(%2, %4) : $@convention(thin) (Int, Int) -> Int
  return %6
}
";

#[test]
fn the_guide_shows_this_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_to_string(root.join("docs/library.md")).expect("the guide");
    let flat = |text: &str| text.lines().map(|l| l.trim().to_owned() + "\n").collect::<String>();
    let here = flat(include_str!("library.rs"));
    let mut blocks = 0;
    for language in ["```rust\n", "```sil\n"] {
        for block in guide.split(language).skip(1).filter_map(|b| b.split("```").next()) {
            assert!(here.contains(&flat(block)), "no test runs\n{block}");
            blocks += 1;
        }
    }
    assert!(blocks >= 10, "{blocks}");
}

fn sum(module: &mut Module) -> &mut Body {
    module.functions.values_mut().find_map(|f| f.body.as_mut()).expect("a body")
}

#[test]
fn reading_views_and_roles() -> Outcome {
    let mut module = silkit::read("points.sil", POINTS.as_bytes())?;
    for function in module.functions.values() {
        let Some(body) = &function.body else { continue };
        for block in body.blocks() {
            for inst in body.block_insts(block) {
                println!("{} in {block} of @{}", body.info(inst).name, function.name);
            }
        }
    }

    let body: &Body = sum(&mut module);
    let load = body.insts().nth(1).expect("the first load");
    let loaded = body.first_result(load).expect("its result");
    assert_eq!(body.users(loaded).count(), 1);
    assert_eq!(body.value(loaded).ty.to_string(), "$Int");
    assert_eq!(body.defining_inst(loaded), Some(load));

    match body.view(load) {
        AnyInst::Load(Load { address, qualifier: Some(LoadQualifier::Trivial) }) => {
            let place: StructElementAddr = body.def_as(address).expect("the place of a field");
            assert_eq!(place.field.to_string(), "#Point.x");
        }
        other => panic!("{other:?}"),
    }

    let field = body.insts().next().expect("struct_element_addr");
    assert!(body.is_address_projection(field));
    let address = body.first_result(field).expect("an address");
    let follows = |role| matches!(role, Role::Projection(_) | Role::Cast(_) | Role::Marker(_));
    assert_eq!(body.origin(address, follows).root, body.entry_arguments()[0]);

    let call = body.insts().find(|&i| body.info(i).apply.is_some()).expect("the call");
    let site = ApplySite::new(body, call, Addresses::Lowered).expect("an apply site");
    let callee: FunctionRef = body.def_as(site.callee()).expect("function_ref");
    assert_eq!((callee.function.as_str(), site.applied_count()), ("add", 2));
    assert_eq!(site.operand_of_applied(0), Some(1));
    Ok(())
}

#[test]
fn building() -> Outcome {
    let mut module = silkit::read("points.sil", POINTS.as_bytes())?;
    let facts = silkit::declarations(&module);

    let int = silkit::sil_type("$Builtin.Int64")?;
    let ty = silkit::sil_type("$@convention(thin) () -> Builtin.Int64")?;
    let mut one = Function::new("one", ty);
    let mut body = Body::new();
    let mut b = body.builder(&facts);
    b.append_entry_block(&one, Addresses::Lowered);
    let slot = b.alloc_stack(int);
    let literal = b.integer_literal(int, "1");
    b.build(Store { qualifier: Some(StoreQualifier::Trivial), ..Store::new(literal, slot) });
    let value = b.build(Load { qualifier: Some(LoadQualifier::Trivial), ..Load::new(slot) });
    b.dealloc_stack(slot);
    b.return_(value);
    one.body = Some(body);

    module.functions.push(one);
    let text = silkit::print(&module);
    assert!(text.contains("  %3 = load [trivial] %0                          // user: %5"), "{text}");
    assert!(silkit::read("again.sil", text.as_bytes()).is_ok(), "{text}");

    let body = sum(&mut module);
    let number = body.first_result(body.insts().nth(1).expect("a load")).expect("its result");
    let mut b = body.builder(&facts);
    b.move_to(Point::End(b.entry_block().expect("a block")));
    let exit = b.insts().last().expect("return");
    b.move_to(Point::Before(exit));
    let error = b.try_build(Load::new(number)).expect_err("a number is not an address");
    assert_eq!(
        error.to_string(),
        "cannot build `load`: its operand `address` has type `$Int`, which is not an address; \
         store it first or use the instruction for the other category"
    );
    Ok(())
}

#[test]
fn editing_cloning_and_printing() -> Outcome {
    let mut module = silkit::read("points.sil", POINTS.as_bytes())?;
    let facts = silkit::declarations(&module);
    let body = sum(&mut module);
    let entry = body.entry_block().expect("a block");
    let whole = body.arguments(entry)[0];
    let loads: Vec<Inst> = body.insts().filter(|&i| body.view_as::<Load>(i).is_some()).collect();

    let mut b = body.builder_at(Point::Start(entry), &facts);
    let point = b.build(Load { qualifier: Some(LoadQualifier::Trivial), ..Load::new(whole) });
    for load in loads {
        let Some(Load { address, .. }) = b.view_as(load) else { continue };
        let Some(StructElementAddr { field, .. }) = b.def_as(address) else { continue };
        let part = b.struct_extract(point, field);
        b.replace(load, part);
        let projection = b.defining_inst(address).expect("struct_element_addr");
        b.remove(projection);
    }

    let function = module.functions.values().last().expect("@sum").clone();
    let body = function.body.as_ref().expect("a body");
    let copy = Cloner::of(body).body();
    let name = Symbol::new("sum_copy");
    module.functions.push(Function { name, body: Some(copy), ..function });

    let text = silkit::print(&module);
    assert!(text.contains("%1 = load [trivial] %0                          // users: %3, %2"));

    let without_comments = print_module(&module, &PrintOptions::default(), &|_| None);
    for line in ["  %2 = struct_extract %1, #Point.x ", "sil [ossa] @sum_copy : "] {
        assert!(without_comments.contains(line), "{without_comments}");
    }
    assert!(silkit::read("again.sil", text.as_bytes()).is_ok());
    Ok(())
}

#[test]
fn analyses() -> Outcome {
    let mut module = silkit::read("points.sil", POINTS.as_bytes())?;
    let body: &Body = sum(&mut module);
    let entry = body.entry_block().expect("a block");
    let insts: Vec<Inst> = body.insts().collect();
    let load = insts[1];
    let [x, y] = [insts[0], insts[2]].map(|inst| body.first_result(inst).expect("an address"));

    let declarations = silkit::declarations(&module);
    let facts = ProgramFacts::new(false);
    let program = ProgramView::new(&module, &declarations, &facts);
    let id = program.function_id("sum".into()).expect("@sum");
    let cache = AnalysisCache::default();
    let view = program.body_view(id).expect("a body").with_cache(&cache);

    let dominators = view.get::<Dominators>();
    assert!(dominators.of(view.body).dominates(entry, entry));
    let aliases = view.aliases();
    assert!(!aliases.may_alias(x, y), "two fields do not overlap");
    assert!(aliases.may_read(load, x) && !aliases.may_read(load, y));
    Ok(())
}

#[test]
fn an_instruction_and_its_line() {
    let parsed = silkit::text::parse_module(POINTS);
    let (id, function) = parsed.module.functions.iter().last().expect("@sum");
    let body = function.body.as_ref().expect("a body");
    let places = parsed.source_map.function(id).expect("its places");
    let dump = Dump::new(&parsed.module, body, &silkit::comment_name);
    for inst in body.insts() {
        let line = 1 + POINTS[..places.inst(inst).expect("a place") as usize].matches('\n').count();
        print!("{}", dump.inst(inst, &format!("{line:>4} ")));
    }

    let first = body.insts().next().expect("an instruction");
    assert!(dump.inst(first, "  10 ").starts_with("  10   %1 = struct_element_addr %0 : $*Point, #Point.x"));
    assert!(POINTS.lines().nth(9).is_some_and(|line| line.contains("struct_element_addr %0, #Point.x")));
}
