//! What passes are made of, each alone: what comes out is legal SIL.

use silkit::analysis::{Dominators, Joins};
use silkit::ir::conventions::{Addresses, ApplySite};
use silkit::ir::instructions::FunctionRef;
use silkit::ir::{Inst, Module, Opcode, Operand, Ownership};
use silkit::pass::{FunctionContext, Pass, Runner};
use silkit::text::parse_module;
use silkit::transform::inliner::{self, CannotInline};
use silkit::transform::ssa_updater::{CannotPass, SsaUpdater};
use silkit::transform::{borrowed_from, delete, merge_blocks};

const PRELUDE: &str = "\
sil_stage canonical
import Builtin
import Swift
class Node {}
sil @look : $@convention(thin) (@guaranteed Node) -> ()
sil @eat : $@convention(thin) (@owned Node) -> ()
";

fn legal(module: &Module) {
    let declarations = silkit::declarations(module);
    let report = silkit::verify::verify(module, &declarations, None, &Default::default());
    assert!(report.findings.is_empty(), "{:?}\n{}", report.findings, silkit::print(module));
}

/// Returns the functions of a file, which work on, without comments.
fn changed(text: &str, work: &(dyn Fn(&mut FunctionContext<'_>) + Sync)) -> String {
    let parsed = parse_module(&format!("{PRELUDE}{text}"));
    assert_eq!(parsed.errors, []);
    let mut module = parsed.module;
    let declarations = silkit::declarations(&module);
    let run = |cx: &mut FunctionContext<'_>| work(cx);
    Runner::new().run(&mut module, &declarations, &[Pass::function("work", "", &run).into()]);
    legal(&module);
    let printed = silkit::print(&module);
    let code = printed.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    let lines: Vec<&str> = code.filter(|line| !line.is_empty()).collect();
    let start = lines.iter().position(|line| line.ends_with('{') && line.contains("@f :")).unwrap_or(0);
    lines[start + 1..].join("\n") + "\n"
}

/// Takes the results of `def` for the definitions of a variable, and the uses of the function's first argument for its uses.
fn update(cx: &mut FunctionContext<'_>, def: Opcode, ownership: Ownership) -> Result<usize, CannotPass> {
    let body = cx.body();
    let placeholder = body.entry_arguments()[0];
    let uses: Vec<Operand> = body.uses(placeholder).collect();
    let mut variable = SsaUpdater::new(body.value(placeholder).ty, ownership);
    for inst in body.insts().filter(|&inst| body.inst(inst).opcode == def) {
        body.results(inst).for_each(|value| variable.define(body.inst_block(inst), value));
    }
    let dominators = Dominators::compute(body);
    let mut joins = Joins::compute(body, &dominators);
    let made = variable.rewrite(cx.body_mut(), &dominators, &mut joins, &uses)?;
    if ownership == Ownership::Guaranteed {
        cx.body_mut().update_reborrow_flags();
        borrowed_from::complete(cx);
    }
    Ok(made.len())
}

/// Returns the same for trivial values, which literals define.
fn updated(text: &str, phis: usize) -> String {
    changed(text, &|cx| {
        assert_eq!(update(cx, Opcode::IntegerLiteral, Ownership::None), Ok(phis));
    })
}

const SIGNATURE: &str = "sil [ossa] @f : $@convention(thin) (Builtin.Int64, Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int64, %c : $Builtin.Int1):
";

#[test]
fn phis_are_made_where_values_meet_that_are_used() {
    let text = "\
  %1 = integer_literal $Builtin.Int64, 1
  debug_value %0, let, name \"one\"
  cond_br %c, bb1, bb2
bb1:
  %2 = integer_literal $Builtin.Int64, 2
  debug_value %0, let, name \"two\"
  %3 = integer_literal $Builtin.Int64, 3
  br bb3
bb2:
  debug_value %0, let, name \"still one\"
  br bb3
bb3:
  debug_value %0, let, name \"three or one\"
  cond_br %c, bb4, bb5
bb4:
  %4 = integer_literal $Builtin.Int64, 4
  br bb6
bb5:
  br bb6
bb6:
  %r = tuple ()
  return %r
}
";
    let expected = "\
bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int1):
  %2 = integer_literal $Builtin.Int64, 1
  debug_value %2, let, name \"one\"
  cond_br %1, bb1, bb2
bb1:
  %5 = integer_literal $Builtin.Int64, 2
  debug_value %5, let, name \"two\"
  %7 = integer_literal $Builtin.Int64, 3
  br bb3(%7)
bb2:
  debug_value %2, let, name \"still one\"
  br bb3(%2)
bb3(%11 : $Builtin.Int64):
  debug_value %11, let, name \"three or one\"
  cond_br %1, bb4, bb5
bb4:
  %14 = integer_literal $Builtin.Int64, 4
  br bb6
bb5:
  br bb6
bb6:
  %17 = tuple ()
  return %17
}
";
    assert_eq!(updated(&format!("{SIGNATURE}{text}"), 1), expected);
}

#[test]
fn arguments_that_are_the_same_are_used_in_loops_too() {
    let text = "\
  %1 = integer_literal $Builtin.Int64, 1
  br bb1(%1)
bb1(%2 : $Builtin.Int64):
  debug_value %0, let, name \"x\"
  cond_br %c, bb2, bb3
bb2:
  %3 = integer_literal $Builtin.Int64, 3
  br bb4(%3)
bb3:
  br bb4(%2)
bb4(%4 : $Builtin.Int64):
  cond_br %c, bb5, bb6
bb5:
  br bb1(%4)
bb6:
  debug_value %0, let, name \"y\"
  %r = tuple ()
  return %r
}
";
    let found = updated(&format!("{SIGNATURE}{text}"), 0);
    assert!(found.contains("bb1(%4 : $Builtin.Int64):\n  debug_value %4, let, name \"x\""), "{found}");
    assert!(found.contains("bb4(%10 : $Builtin.Int64):"), "{found}");
    assert!(found.contains("debug_value %10, let, name \"y\""), "{found}");
}

#[test]
fn loops_that_define_nothing_need_no_phi() {
    let text = "\
  %1 = integer_literal $Builtin.Int64, 1
  br bb1
bb1:
  debug_value %0, let, name \"x\"
  cond_br %c, bb2, bb3
bb2:
  br bb1
bb3:
  %r = tuple ()
  return %r
}
";
    let found = updated(&format!("{SIGNATURE}{text}"), 0);
    assert!(found.contains("bb1:\n  debug_value %2, let"), "{found}");
}

#[test]
fn edges_that_pass_nothing_are_told() {
    let text = "\
sil [ossa] @f : $@convention(thin) (Builtin.Int64, Optional<Builtin.Int64>) -> () {
bb0(%0 : $Builtin.Int64, %c : $Optional<Builtin.Int64>):
  %1 = integer_literal $Builtin.Int64, 1
  switch_enum %c, case #Optional.none!enumelt: bb1, default bb2
bb2(%p : $Optional<Builtin.Int64>):
  %2 = integer_literal $Builtin.Int64, 2
  br bb1
bb1:
  debug_value %0, let, name \"x\"
  %r = tuple ()
  return %r
}
";
    let mut module = parse_module(&format!("{PRELUDE}{text}")).module;
    let declarations = silkit::declarations(&module);
    let run = |cx: &mut FunctionContext<'_>| {
        let before = cx.body().changes_since(Default::default());
        assert!(update(cx, Opcode::IntegerLiteral, Ownership::None).is_err());
        assert_eq!(cx.body().changes_since(Default::default()), before);
    };
    Runner::new().run(&mut module, &declarations, &[Pass::function("work", "", &run).into()]);
}

#[test]
fn phis_own_what_they_take() {
    let text = "\
sil [ossa] @f : $@convention(thin) (@guaranteed Node, Builtin.Int1) -> () {
bb0(%0 : @guaranteed $Node, %c : $Builtin.Int1):
  cond_br %c, bb1, bb2
bb1:
  %1 = alloc_ref $Node
  br bb3
bb2:
  %2 = alloc_ref $Node
  br bb3
bb3:
  %3 = function_ref @look : $@convention(thin) (@guaranteed Node) -> ()
  %4 = apply %3(%0) : $@convention(thin) (@guaranteed Node) -> ()
  fix_lifetime %0
  %r = tuple ()
  return %r
}
";
    let found = changed(text, &|cx| {
        assert_eq!(update(cx, Opcode::AllocRef, Ownership::Owned), Ok(1));
        let phi = cx.body().arguments(cx.body().blocks().nth(3).expect("a block"))[0];
        let fix = |&inst: &Inst| cx.body().inst(inst).opcode == Opcode::FixLifetime;
        let fix = cx.body().insts().find(fix).expect("a fix_lifetime");
        let mut builder = cx.at(silkit::ir::Point::After(fix));
        builder.destroy_value(phi);
    });
    assert!(found.contains("br bb3(%3)\n"), "{found}");
    assert!(found.contains("bb3(%7 : @owned $Node):"), "{found}");
}

#[test]
fn phis_of_borrows_say_from_what_they_are() {
    let text = "\
sil [ossa] @f : $@convention(thin) (@guaranteed Node, @owned Node, @owned Node, Builtin.Int1) -> () {
bb0(%0 : @guaranteed $Node, %a : @owned $Node, %b : @owned $Node, %c : $Builtin.Int1):
  cond_br %c, bb1, bb2
bb1:
  %1 = begin_borrow %a
  br bb3
bb2:
  %2 = begin_borrow %b
  br bb3
bb3:
  %3 = function_ref @look : $@convention(thin) (@guaranteed Node) -> ()
  %4 = apply %3(%0) : $@convention(thin) (@guaranteed Node) -> ()
  fix_lifetime %0
  destroy_value %a
  destroy_value %b
  %r = tuple ()
  return %r
}
";
    let parsed = parse_module(&format!("{PRELUDE}{text}"));
    let mut module = parsed.module;
    let declarations = silkit::declarations(&module);
    let run = |cx: &mut FunctionContext<'_>| {
        let body = cx.body();
        let placeholder = body.entry_arguments()[0];
        let fix = body.insts().find(|&inst| body.inst(inst).opcode == Opcode::FixLifetime).expect("one");
        let mut builder = cx.at(silkit::ir::Point::After(fix));
        builder.end_borrow(placeholder);
        assert_eq!(update(cx, Opcode::BeginBorrow, Ownership::Guaranteed), Ok(1));
    };
    Runner::new().run(&mut module, &declarations, &[Pass::function("work", "", &run).into()]);
    legal(&module);
    let found = silkit::print(&module);
    assert!(found.contains(": @reborrow $Node):"), "{found}");
    assert!(found.contains(" = borrowed %"), "{found}");
}

#[test]
fn blocks_in_a_row_become_one() {
    let text = "\
sil [ossa] @f : $@convention(thin) (@owned Node, Builtin.Int1) -> () {
bb0(%0 : @owned $Node, %1 : $Builtin.Int1):
  %2 = begin_borrow %0
  br bb1(%2)
bb1(%4 : @reborrow $Node):
  %5 = borrowed %4 from (%0)
  fix_lifetime %5
  end_borrow %5
  br bb2(%0)
bb2(%9 : @owned $Node):
  cond_br %1, bb3, bb4
bb3:
  br bb5
bb4:
  br bb5
bb5:
  destroy_value %9
  br bb6
bb6:
  %15 = tuple ()
  return %15
}
";
    let expected = "\
bb0(%0 : @owned $Node, %1 : $Builtin.Int1):
  %2 = begin_borrow %0
  fix_lifetime %2
  end_borrow %2
  cond_br %1, bb1, bb2
bb1:
  br bb3
bb2:
  br bb3
bb3:
  destroy_value %0
  %9 = tuple ()
  return %9
}
";
    let merge = |cx: &mut FunctionContext<'_>| {
        assert_eq!(merge_blocks::merge_all(cx.body_mut()), 3);
        assert_eq!(merge_blocks::merge_all(cx.body_mut()), 0);
        cx.body().verify_integrity().expect("links are right");
    };
    assert_eq!(changed(text, &merge), expected);
}

/// Inlines the first call of a function whose callee has a body.
fn inline_first(module: &mut Module, name: &str) -> Result<(), CannotInline> {
    let declarations = silkit::declarations(module);
    let result = std::sync::Mutex::new(None);
    let inline = |cx: &mut FunctionContext<'_>| {
        if cx.function().name != name {
            return;
        }
        let (body, program) = (cx.body(), cx.program());
        let found = body.insts().find_map(|inst| {
            let site = ApplySite::new(body, inst, Addresses::Lowered)?;
            let callee = program.function_id(body.def_as::<FunctionRef>(site.callee())?.function)?;
            program.module.functions[callee].body.is_some().then_some((inst, callee))
        });
        let (call, callee) = found.expect("a call");
        *result.lock().expect("one thread") = Some(inliner::inline(cx, call, callee));
    };
    let pass = Pass::function("inline-first", "Inlines one call", &inline).mandatory();
    Runner::new().run(module, &declarations, &[pass.into()]);
    result.into_inner().expect("one thread").expect("the function is there")
}

/// Returns a function of a file after its first call was inlined, without comments.
fn inlined(text: &str, name: &str) -> String {
    let parsed = parse_module(&format!("{PRELUDE}{text}"));
    assert_eq!(parsed.errors, []);
    let mut module = parsed.module;
    legal(&module);
    assert_eq!(inline_first(&mut module, name), Ok(()));
    legal(&module);
    let printed = silkit::print(&module);
    let code = printed.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    let lines: Vec<&str> = code.filter(|line| !line.is_empty()).collect();
    let is_start = |line: &&str| line.contains(&format!("@{name} :")) && line.ends_with('{');
    let start = lines.iter().position(is_start).expect("the function");
    let end = lines[start..].iter().position(|line| line.starts_with('}')).expect("its end");
    lines[start + 1..start + end].join("\n") + "\n"
}

#[test]
fn a_call_that_may_throw_is_inlined() {
    let text = r#"
sil @err : $@convention(thin) (@guaranteed Node) -> (@owned Node, @error any Error)
sil [ossa] @t : $@convention(thin) (@guaranteed Node, @owned Node, Builtin.Int1) -> (@owned Node, @error any Error) {
bb0(%0 : @guaranteed $Node, %1 : @owned $Node, %2 : $Builtin.Int1):
  cond_br %2, bb1, bb2
bb1:
  %f = function_ref @err : $@convention(thin) (@guaranteed Node) -> (@owned Node, @error any Error)
  try_apply %f(%0) : $@convention(thin) (@guaranteed Node) -> (@owned Node, @error any Error), normal bb3, error bb4
bb3(%n : @owned $Node):
  destroy_value %1
  br bb5(%n)
bb4(%e : @owned $any Error):
  destroy_value %1
  throw %e
bb2:
  br bb5(%1)
bb5(%z : @owned $Node):
  return %z
}
sil [ossa] @f : $@convention(thin) (@owned Node, @owned Node, Builtin.Int1) -> (@owned Node, @error any Error) {
bb0(%0 : @owned $Node, %1 : @owned $Node, %2 : $Builtin.Int1):
  %3 = function_ref @t : $@convention(thin) (@guaranteed Node, @owned Node, Builtin.Int1) -> (@owned Node, @error any Error)
  try_apply %3(%0, %1, %2) : $@convention(thin) (@guaranteed Node, @owned Node, Builtin.Int1) -> (@owned Node, @error any Error), normal bb1, error bb2
bb1(%5 : @owned $Node):
  destroy_value %0
  return %5
bb2(%8 : @owned $any Error):
  destroy_value %0
  throw %8
}
"#;
    let expected = r#"bb0(%0 : @owned $Node, %1 : @owned $Node, %2 : $Builtin.Int1):
  %3 = begin_borrow %0
  cond_br %2, bb1, bb2
bb1:
  %5 = function_ref @err : $@convention(thin) (@guaranteed Node) -> (@owned Node, @error any Error)
  try_apply %5(%3) : $@convention(thin) (@guaranteed Node) -> (@owned Node, @error any Error), normal bb3, error bb4
bb2:
  br bb5(%1)
bb3(%8 : @owned $Node):
  destroy_value %1
  br bb5(%8)
bb4(%11 : @owned $any Error):
  destroy_value %1
  end_borrow %3
  destroy_value %0
  throw %11
bb5(%16 : @owned $Node):
  end_borrow %3
  destroy_value %0
  return %16
"#;
    assert_eq!(inlined(text, "f"), expected);
}

#[test]
fn a_coroutine_is_inlined() {
    let text = r#"
sil [ossa] @co : $@yield_once @convention(thin) (@guaranteed Node) -> @yields @guaranteed Node {
bb0(%0 : @guaranteed $Node):
  %a = alloc_stack $Builtin.Int64
  yield %0, resume bb1, unwind bb2
bb1:
  dealloc_stack %a
  %r = tuple ()
  return %r
bb2:
  dealloc_stack %a
  unwind
}
sil [ossa] @g : $@convention(thin) (@owned Node, Builtin.Int1) -> () {
bb0(%0 : @owned $Node, %1 : $Builtin.Int1):
  %3 = function_ref @co : $@yield_once @convention(thin) (@guaranteed Node) -> @yields @guaranteed Node
  (%4, %5) = begin_apply %3(%0) : $@yield_once @convention(thin) (@guaranteed Node) -> @yields @guaranteed Node
  fix_lifetime %4
  cond_br %1, bb1, bb2
bb1:
  %e = end_apply %5 as $()
  br bb3
bb2:
  abort_apply %5
  br bb3
bb3:
  destroy_value %0
  %r = tuple ()
  return %r
}
"#;
    let expected = r#"bb0(%0 : @owned $Node, %1 : $Builtin.Int1):
  %2 = begin_borrow %0
  %3 = alloc_stack $Builtin.Int64
  fix_lifetime %2
  cond_br %1, bb1, bb2
bb1:
  dealloc_stack %3
  %7 = tuple ()
  end_borrow %2
  br bb3
bb2:
  dealloc_stack %3
  end_borrow %2
  br bb3
bb3:
  destroy_value %0
  %14 = tuple ()
  return %14
"#;
    assert_eq!(inlined(text, "g"), expected);
}

#[test]
fn a_generic_call_is_inlined() {
    let text = r#"
sil [ossa] @s : $@convention(thin) <T> (@in_guaranteed T, @thick T.Type) -> @out T {
bb0(%0 : $*T, %1 : $*T, %2 : $@thick T.Type):
  copy_addr %1 to [init] %0
  %r = tuple ()
  return %r
}
sil [ossa] @h : $@convention(thin) (@owned Node) -> () {
bb0(%0 : @owned $Node):
  %a = alloc_stack $Node
  %b = alloc_stack $Node
  store %0 to [init] %a
  %m = metatype $@thick Node.Type
  %3 = function_ref @s : $@convention(thin) <T> (@in_guaranteed T, @thick T.Type) -> @out T
  %4 = apply %3<Node>(%b, %a, %m) : $@convention(thin) <T> (@in_guaranteed T, @thick T.Type) -> @out T
  destroy_addr %a
  destroy_addr %b
  dealloc_stack %b
  dealloc_stack %a
  return %4
}
"#;
    let expected = r#"bb0(%0 : @owned $Node):
  %1 = alloc_stack $Node
  %2 = alloc_stack $Node
  store %0 to [init] %1
  %4 = metatype $@thick Node.Type
  copy_addr %1 to [init] %2
  %6 = tuple ()
  destroy_addr %1
  destroy_addr %2
  dealloc_stack %2
  dealloc_stack %1
  return %6
"#;
    assert_eq!(inlined(text, "h"), expected);
}

#[test]
fn what_nothing_needs_goes_with_what_it_needed() {
    let text = "\
sil [ossa] @f : $@convention(thin) (@guaranteed Node, @owned Node, @owned Node) -> () {
bb0(%0 : @guaranteed $Node, %1 : @owned $Node, %2 : @owned $Node):
  %3 = copy_value %0
  debug_value %3, let, name \"x\"
  %5 = begin_borrow %3
  %6 = begin_borrow %5
  end_borrow %6
  end_borrow %5
  destroy_value %3
  %10 = tuple (%1, %2)
  debug_value %10, let, name \"y\"
  %12 = copy_value %10
  destroy_value %10
  destroy_value %12
  %16 = tuple ()
  return %16
}
";
    let expected = "\
bb0(%0 : @guaranteed $Node, %1 : @owned $Node, %2 : @owned $Node):
  debug_value %0, let, name \"x\"
  destroy_value %1
  destroy_value %2
  %6 = tuple ()
  return %6
}
";
    let delete = |cx: &mut FunctionContext<'_>| {
        let body = cx.body();
        let borrow = body.insts().filter(|&i| body.inst(i).opcode == Opcode::BeginBorrow).last();
        let copy = body.insts().filter(|&i| body.inst(i).opcode == Opcode::CopyValue).last();
        assert_eq!(delete::dead(cx, borrow.into_iter().chain(copy)), 5);
    };
    assert_eq!(changed(text, &delete), expected);
}
