//! The pattern engine with lists of its own: the order of visits, what edits cause, dead code, names.

use silkit_ir::instructions::{Builtin, IntegerLiteral, TupleExtract};
use silkit_ir::{Inst, Opcode, Value};
use silkit_pass::testing::code;
use silkit_pass::{FunctionContext, Limit, Pass, PassOutcome, Runner, Stream};
use silkit_transform::patterns::{Engine, Pattern, PatternList, Pipelines, Rewriter};

const ONE: Pipelines = Pipelines::nth(0);
const OTHER: Pipelines = Pipelines::nth(1);

type Set = for<'p> fn(Engine<'p>) -> Engine<'p>;
type Apply = fn(&mut Rewriter<'_, '_>, Inst);

const fn pattern(opcode: Opcode, name: &'static str, apply: Apply) -> Pattern {
    Pattern { opcode, name, pipelines: ONE, apply }
}

/// Runs an engine on a function with one parameter, `%0 : $Builtin.Int64`, and returns the instructions that remain.
fn run_with(patterns: &[Pattern], set: Set, limit: Option<Limit>, body: &str) -> (Vec<String>, PassOutcome) {
    let text = format!(
        "sil_stage canonical\nimport Builtin\nstruct S {{ var a: Builtin.Int64 }}\n\
         sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {{\nbb0(%0 : $Builtin.Int64):\n{body}}}\n"
    );
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let list = PatternList::of(patterns, ONE);
    let run = |cx: &mut FunctionContext<'_>| set(Engine::new(&list)).run(cx);
    let pass = Pass::function("patterns", "", &run);
    let outcome = Runner::new().limit(limit).run(&mut module, &declarations, &[pass.into()]);
    let report = silkit_verify::verify(&module, &declarations, None, &Default::default());
    let printed = code(&module);
    assert!(report.findings.is_empty(), "{:?}\n{printed}", report.findings);
    let lines = printed.lines().skip_while(|line| !line.starts_with("bb0")).skip(1);
    (lines.take_while(|line| *line != "}").map(|line| line.trim().to_owned()).collect(), outcome)
}

fn run(patterns: &[Pattern], body: &str) -> (Vec<String>, PassOutcome) {
    run_with(patterns, |engine| engine, None, body)
}

/// Returns what patterns printed.
fn trace(outcome: &PassOutcome) -> String {
    outcome.output.text(Stream::Out).trim().to_owned()
}

/// Prints the name of a builtin or the kind of another instruction, and changes nothing.
fn visit(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let builtin = rw.body().view_as::<Builtin>(inst).map(|builtin| builtin.name.as_str());
    let name = builtin.unwrap_or(rw.body().info(inst).name);
    rw.context().print(&format!("{name} "));
}

/// Replaces an extract of a tuple by the element.
fn fold(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let extract: TupleExtract = rw.body().view_as(inst).expect("a tuple_extract");
    let tuple = rw.body().defining_inst(extract.operand).filter(|&def| rw.is(def, Opcode::Tuple));
    if let Some(tuple) = tuple.filter(|_| rw.may_change()) {
        let element = rw.body().operand_value(tuple, extract.field as usize);
        rw.replace(inst, element);
    }
}

fn operand(rw: &Rewriter<'_, '_>, inst: Inst) -> Value {
    rw.body().operand_value(inst, 0)
}

const CHAIN: &str = "\
  %1 = tuple (%0, %0)
  %2 = tuple_extract %1, 0
  %3 = builtin \"xor_Int64\"(%2, %0) : $Builtin.Int64
  %4 = builtin \"or_Int64\"(%2, %3) : $Builtin.Int64
  return %4
";

#[test]
fn instructions_are_visited_in_order_and_again_when_they_change() {
    /// Changes the builtins that `return` depends on, the first one first.
    fn change(rw: &mut Rewriter<'_, '_>, inst: Inst) {
        let or = rw.body().defining_inst(operand(rw, inst)).expect("an instruction");
        let xor = rw.body().defining_inst(rw.body().operand_value(or, 1)).expect("an instruction");
        let argument = rw.body().entry_arguments()[0];
        if operand(rw, xor) != argument && rw.may_change() {
            for inst in [xor, or] {
                let first = rw.body().operand_id(inst, 0);
                // Directly, not by a method of the rewriter.
                rw.edit().set_operand(first, argument);
            }
        }
    }
    let patterns = [
        pattern(Opcode::Return, "visit return", visit),
        pattern(Opcode::Return, "change builtins", change),
        pattern(Opcode::Builtin, "visit builtin", visit),
    ];
    let (insts, outcome) = run(&patterns, CHAIN);
    assert_eq!(trace(&outcome), "xor_Int64 or_Int64 return or_Int64 xor_Int64");
    // What lost its last use is dead, with its operands.
    assert_eq!(insts.len(), 3, "{insts:?}");
    let counts: Vec<_> = outcome.counts.iter().map(|((_, name), number)| (*name, *number)).collect();
    assert_eq!(counts, [("change builtins", 1), ("dead instructions removed", 2)]);
}

#[test]
fn created_instructions_are_visited_the_last_one_first() {
    fn create(rw: &mut Rewriter<'_, '_>, inst: Inst) {
        let value = operand(rw, inst);
        if rw.body().defining_inst(value).is_none() && rw.may_change() {
            let ty = rw.ty(value);
            let mut builder = rw.before(inst);
            let one = builder.builtin("and_Int64", &[][..], &[value, value][..], ty);
            let two = builder.builtin("shl_Int64", &[][..], &[one, value][..], ty);
            let first = rw.body().operand_id(inst, 0);
            rw.set_operand(first, two);
        }
    }
    let patterns = [
        pattern(Opcode::Return, "create", create),
        pattern(Opcode::Return, "visit return", visit),
        pattern(Opcode::Builtin, "visit builtin", visit),
    ];
    // The first pattern has transformed, so the second one is not tried before the next visit.
    assert_eq!(trace(&run(&patterns, "  return %0\n").1), "return shl_Int64 and_Int64");
}

#[test]
fn the_first_pattern_that_transforms_is_the_last_one_tried() {
    let patterns = [
        pattern(Opcode::TupleExtract, "visit", visit),
        pattern(Opcode::TupleExtract, "fold", fold),
        pattern(Opcode::TupleExtract, "never", |_, _| panic!("the instruction is gone")),
        Pattern { pipelines: OTHER, ..pattern(Opcode::Builtin, "other", |_, _| panic!("another pipeline")) },
    ];
    let (insts, outcome) = run(&patterns, CHAIN);
    assert_eq!(trace(&outcome), "tuple_extract");
    assert_eq!(insts[0], "%1 = builtin \"xor_Int64\"(%0, %0) : $Builtin.Int64");
    assert_eq!(insts.len(), 3, "the tuple is dead: {insts:?}");
}

#[test]
fn a_limit_ends_between_transformations_and_states_the_name() {
    let patterns = [pattern(Opcode::TupleExtract, "fold", fold)];
    for (changes, size, name) in
        [(0, 5, None), (1, 4, Some("fold")), (2, 3, Some("dead instructions removed"))]
    {
        let limit = Some(Limit { runs: 1, changes: Some(changes) });
        let (insts, outcome) = run_with(&patterns, |engine| engine, limit, CHAIN);
        assert_eq!((insts.len(), outcome.runs[0].changes), (size, changes), "{insts:?}");
        assert_eq!(outcome.runs[0].last_change, name);
    }
}

#[test]
fn unvisited_edits_cause_no_visits_but_leave_no_dead_code() {
    fn create(rw: &mut Rewriter<'_, '_>, inst: Inst) {
        if operand(rw, inst) != rw.body().entry_arguments()[0] && rw.may_change() {
            let (argument, first) = (rw.body().entry_arguments()[0], rw.body().operand_id(inst, 0));
            // Before and after, edits do cause visits.
            let ty = rw.ty(argument);
            rw.before(inst).builtin("and_Int64", &[][..], &[argument, argument][..], ty);
            rw.unvisited(|rw| {
                rw.before(inst).builtin("shl_Int64", &[][..], &[argument, argument][..], ty);
                rw.set_operand(first, argument);
            });
        }
    }
    let patterns = [
        pattern(Opcode::Return, "create", create),
        pattern(Opcode::Return, "visit return", visit),
        pattern(Opcode::Builtin, "visit builtin", visit),
    ];
    let (insts, outcome) = run(&patterns, CHAIN);
    assert_eq!(trace(&outcome), "xor_Int64 or_Int64 and_Int64");
    assert_eq!(insts, ["return %0"]);
}

#[test]
fn an_instruction_is_revisited_after_the_edits_before() {
    fn change(rw: &mut Rewriter<'_, '_>, inst: Inst) {
        let or = rw.body().defining_inst(operand(rw, inst)).expect("an instruction");
        let xor = rw.body().defining_inst(rw.body().operand_value(or, 1)).expect("an instruction");
        if operand(rw, xor) != rw.body().entry_arguments()[0] && rw.may_change() {
            let (argument, first) = (rw.body().entry_arguments()[0], rw.body().operand_id(xor, 0));
            rw.set_operand(first, argument);
            rw.revisit(or);
            let result = operand(rw, inst);
            rw.edit().set_operands(inst, &[&[argument]]);
            rw.edit().set_operands(inst, &[&[result]]);
        }
    }
    let patterns = [
        pattern(Opcode::Return, "visit return", visit),
        pattern(Opcode::Return, "change", change),
        pattern(Opcode::Builtin, "visit builtin", visit),
    ];
    let (_, outcome) = run(&patterns, CHAIN);
    assert_eq!(trace(&outcome), "xor_Int64 or_Int64 return return or_Int64 xor_Int64");
}

#[test]
fn definitions_with_fewer_uses_are_visited_on_request() {
    let patterns =
        [pattern(Opcode::Tuple, "visit tuple", visit), pattern(Opcode::TupleExtract, "fold", fold)];
    let body = "\
  %1 = tuple (%0, %0)
  %2 = tuple_extract %1, 0
  debug_value %1, let, name \"x\"
  return %2
";
    let not: Set = |engine| engine.keeps_debug_info(true);
    let visits: Set = |engine| engine.keeps_debug_info(true).visits_definitions(true);
    for (set, expected) in [(not, "tuple"), (visits, "tuple tuple")] {
        let (insts, outcome) = run_with(&patterns, set, None, body);
        assert_eq!(trace(&outcome), expected);
        assert_eq!(insts.len(), 3, "the variable keeps the tuple: {insts:?}");
    }
    assert_eq!(run(&patterns, body).0, ["return %0"], "the variable does not count");
}

#[test]
fn dead_code_is_removed_in_one_backward_pass() {
    // `bb1` precedes the block that it comes from in the layout.
    let body = "\
  %1 = struct $S (%0)
  %2 = struct_extract %1, #S.a
  br bb2
bb1:
  %4 = struct_extract %6, #S.a
  debug_value %4, let, name \"x\"
  return %0
bb2:
  %6 = struct $S (%0)
  br bb1
";
    let (insts, outcome) = run(&[], body);
    // As in the reference, the struct was passed when its user was found dead.
    assert_eq!(insts.iter().filter(|line| line.contains("struct $S")).count(), 1, "{insts:?}");
    assert_eq!(outcome.counts.values().sum::<u64>(), 3);
    assert_eq!(outcome.counts[&("patterns".to_owned(), "dead instructions removed")], 3);
}

#[test]
fn unreachable_blocks_are_removed_and_branches_visited() {
    fn decide(rw: &mut Rewriter<'_, '_>, inst: Inst) {
        let is_literal = rw.body().def_as::<IntegerLiteral>(operand(rw, inst)).is_some();
        if is_literal && rw.may_change() {
            let (block, target) =
                (rw.body().inst_block(inst), rw.body().successors(inst).next().expect("a successor"));
            rw.remove(inst);
            rw.edit().insert_branch(block, target, &[], silkit_ir::Loc::NONE);
        }
    }
    let patterns =
        [pattern(Opcode::CondBranch, "decide", decide), pattern(Opcode::Branch, "visit br", visit)];
    let body = "\
  %1 = integer_literal $Builtin.Int1, -1
  cond_br %1, bb1, bb2
bb1:
  br bb3
bb2:
  br bb3
bb3:
  return %0
";
    let (insts, outcome) = run(&patterns, body);
    assert_eq!(insts.iter().filter(|line| line.starts_with("br ")).count(), 2, "{insts:?}");
    // The new branch, those that stand there, and after the removal those that are left.
    assert_eq!(trace(&outcome), "br br br br br");
    assert_eq!(outcome.counts[&("patterns".to_owned(), "blocks removed")], 1);
}
