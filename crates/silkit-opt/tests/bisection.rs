//! Bisection finds the pass run, and the transformation in it, that breaks something.

use silkit_base::Symbol;
use silkit_ir::Opcode;
use silkit_opt::PASSES;
use silkit_pass::{BisectResult, Bisection, Limit, PassOptions, Runner, parse_pipeline};

const SLOTS: &str = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = tuple ()
  return %1
}
sil @g : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = alloc_stack $Builtin.Int1
  %2 = alloc_stack $Builtin.Int1
  %3 = alloc_stack $Builtin.Int1
  store %0 to %1
  store %0 to %2
  store %0 to %3
  %7 = load %1
  cond_fail %7, \"one\"
  %9 = load %2
  cond_fail %9, \"two\"
  %11 = load %3
  cond_fail %11, \"three\"
  dealloc_stack %3
  dealloc_stack %2
  dealloc_stack %1
  %16 = tuple ()
  return %16
}
";

fn search(pipeline: &str, is_good: impl Fn(usize) -> bool) -> BisectResult {
    let module = silkit_text::parse_module(SLOTS).module;
    let declarations = silkit_text::decl::with_stdlib(Default::default());
    let steps = parse_pipeline(pipeline, |tag| PASSES.find(tag)).expect("a pipeline");
    let options = PassOptions::default();
    let bisection =
        Bisection { module: &module, declarations: &declarations, steps: &steps, options, library: None };
    let verdict = bisection.search(|module| {
        let bodies = module.functions.values().filter_map(|f| f.body.as_ref());
        let slots = bodies.flat_map(|b| b.insts().map(|i| b.inst(i).opcode));
        Ok::<bool, ()>(is_good(slots.filter(|&opcode| opcode == Opcode::AllocStack).count()))
    });
    verdict.expect("the judge has no errors")
}

#[test]
fn run_function_and_transformation_are_found() {
    for (least, change) in [(3, 1), (2, 2), (1, 3)] {
        let BisectResult::Found(found) = search("dce,mem2reg,dce", |slots| slots >= least) else {
            panic!("it is found")
        };
        assert_eq!((found.run.tag.as_str(), found.runs), ("mem2reg", 6));
        assert_eq!(found.run.function.map(Symbol::as_str), Some("g"));
        assert_eq!(found.change, Some(change));
        let lost = |line: &&str| line.starts_with("-  ") && line.contains("alloc_stack $");
        let made = |line: &&str| line.starts_with("+  ") && line.contains("alloc_stack $");
        let lines = || found.difference.lines();
        assert_eq!(lines().filter(lost).count() - lines().filter(made).count(), 1, "{}", found.difference);
    }
}

#[test]
fn a_web_of_dead_values_is_one_transformation() {
    let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = struct $Int1 (%0)
  %2 = tuple (%1, %1)
  debug_value %2, let, name \"x\"
  cond_br %0, bb1, bb2
bb1:
  %5 = builtin \"xor_Int1\"(%0, %0) : $Builtin.Int1
  br bb3
bb2:
  %7 = builtin \"or_Int1\"(%0, %0) : $Builtin.Int1
  br bb3
bb3:
  %9 = builtin \"and_Int1\"(%0, %0) : $Builtin.Int1
  %10 = tuple ()
  return %10
}
struct Int1 { var value: Builtin.Int1 }
";
    let module = silkit_text::parse_module(text).module;
    let declarations = silkit_text::decl::with_stdlib(Default::default());
    let steps = parse_pipeline("dce", |tag| PASSES.find(tag)).expect("a pipeline");
    let options = PassOptions::default();
    let bisection =
        Bisection { module: &module, declarations: &declarations, steps: &steps, options, library: None };
    for (lost, change) in [(Opcode::Struct, 1), (Opcode::CondBranch, 2)] {
        let verdict = bisection.search(|module| {
            let mut bodies = module.functions.values().filter_map(|f| f.body.as_ref());
            Ok::<bool, ()>(bodies.any(|b| b.insts().any(|i| b.inst(i).opcode == lost)))
        });
        let Ok(BisectResult::Found(found)) = verdict else { panic!("it is found") };
        assert_eq!(found.change, Some(change), "{}", found.difference);
    }
}

/// Dead values, phis and branches that only go together.
const DEAD: &str = "\
sil_stage canonical
import Builtin
class C {}
sil [ossa] @f : $@convention(thin) (@guaranteed C, Builtin.Int1, Builtin.Int64) -> () {
bb0(%0 : @guaranteed $C, %1 : $Builtin.Int1, %2 : $Builtin.Int64):
  %s = builtin \"add_Int64\"(%2, %2) : $Builtin.Int64
  cond_br %1, bb1, bb2
bb1:
  %t = copy_value %0
  %u = builtin \"sub_Int64\"(%s, %2) : $Builtin.Int64
  br bb3(%t, %u)
bb2:
  %v = copy_value %0
  br bb3(%v, %s)
bb3(%p : @owned $C, %q : $Builtin.Int64):
  fix_lifetime %0
  %x = builtin \"xor_Int64\"(%q, %2) : $Builtin.Int64
  destroy_value %p
  %b = begin_borrow %0
  cond_br %1, bb4, bb5
bb4:
  end_borrow %b
  br bb6(%2)
bb5:
  %y = builtin \"or_Int64\"(%2, %2) : $Builtin.Int64
  end_borrow %b
  br bb6(%y)
bb6(%r : $Builtin.Int64):
  fix_lifetime %0
  %c = copy_value %0
  br bb7(%c)
bb7(%d : @owned $C):
  destroy_value %d
  %e = tuple ()
  return %e
}
";

/// After each number of changes the program is valid, and has fewer instructions than before.
#[test]
fn any_part_of_what_is_dead_may_go() {
    let pass = PASSES.find("dce").expect("a pass");
    let mut sizes = Vec::new();
    for count in 0..5 {
        let mut module = silkit_text::parse_module(DEAD).module;
        let declarations = silkit_text::decl::declarations(&module);
        let limit = Limit { runs: 1, changes: Some(count) };
        Runner::new().limit(Some(limit)).run(&mut module, &declarations, &[pass.into()]);
        let options = silkit_verify::VerifyOptions::default();
        let report = silkit_verify::verify(&module, &declarations, None, &options);
        let text = silkit_text::print_module(&module, &Default::default(), &|_| None);
        assert!(report.findings.is_empty(), "{count}: {:?}\n{text}", report.findings);
        let body = module.functions.values().find_map(|f| f.body.as_ref()).expect("a body");
        sizes.push(body.insts().count());
    }
    assert_eq!(sizes, [23, 15, 9, 7, 7]);
}

#[test]
fn what_no_pass_breaks_is_told_apart() {
    assert!(matches!(search("mem2reg", |_| true), BisectResult::Never));
    assert!(matches!(search("mem2reg", |slots| slots == 0), BisectResult::Always));
}

#[test]
fn the_name_of_the_transformation_is_stated() {
    let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = integer_literal $Builtin.Int1, 0
  cond_fail %1, \"never\"
  %3 = tuple (%0, %1)
  %4 = tuple_extract %3, 0
  cond_fail %4, \"sometimes\"
  %6 = tuple ()
  return %6
}
";
    let module = silkit_text::parse_module(text).module;
    let declarations = silkit_text::decl::with_stdlib(Default::default());
    let steps = parse_pipeline("dce,simplification", |tag| PASSES.find(tag)).expect("a pipeline");
    let options = PassOptions::default();
    let bisection =
        Bisection { module: &module, declarations: &declarations, steps: &steps, options, library: None };
    for (lost, change, name) in [
        (Opcode::CondFail, 1, "cond_fail of false"),
        (Opcode::TupleExtract, 2, "tuple_extract of tuple"),
        (Opcode::IntegerLiteral, 3, "dead instructions removed"),
    ] {
        let least = if lost == Opcode::CondFail { 2 } else { 1 };
        let verdict = bisection.search(|module| {
            let mut bodies = module.functions.values().filter_map(|f| f.body.as_ref());
            let count = |b: &silkit_ir::Body| b.insts().filter(|&i| b.inst(i).opcode == lost).count();
            Ok::<bool, ()>(bodies.any(|b| count(b) >= least))
        });
        let Ok(BisectResult::Found(found)) = verdict else { panic!("it is found") };
        assert_eq!((found.change, found.name), (Some(change), Some(name)), "{}", found.difference);
    }
}
