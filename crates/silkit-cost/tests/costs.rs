//! Costs of SIL that the compiler printed with debug information for `examples/inventory.swift`, and of small bodies.

use silkit::ir::Module;
use silkit::types::decl::Declarations;
use silkit_cost::{CostKinds, CostReport, Reason, Snapshot, compare, explain, read_budget, write_budget};

fn example() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/inventory.debug.sil");
    std::fs::read_to_string(path).expect("the example")
}

fn analyzed(text: &str) -> (Module, Declarations, CostReport) {
    let module = silkit::read("test.sil", text.as_bytes()).expect("valid SIL");
    let declarations = silkit::declarations_of(&module, None, &[]);
    let report = CostReport::new(&module, &declarations);
    (module, declarations, report)
}

fn demangled(symbol: &str) -> String {
    silkit::comment_name(symbol).unwrap_or_else(|| symbol.to_owned())
}

fn snapshot(text: &str) -> Snapshot {
    let (module, declarations, report) = analyzed(text);
    Snapshot::new(&module, &declarations, &report, &demangled)
}

/// Returns the kinds and reasons of the costs on a line.
fn reasons(text: &str, line: u32) -> Vec<(CostKinds, Reason, String)> {
    let (module, declarations, report) = analyzed(text);
    let is_there = |o: &&silkit_cost::Operation| o.place.is_some_and(|place| place.position.line == line);
    let of_line: Vec<_> = report.operations.iter().filter(is_there).copied().collect();
    let causes = explain(&module, &declarations, &of_line, &demangled);
    causes.into_iter().flatten().map(|cause| (cause.kinds, cause.reason, cause.text)).collect()
}

#[test]
fn each_count_and_allocation_of_the_program_has_a_line() {
    let (_, _, report) = analyzed(&example());
    let (ways, without) = report.ways();
    assert_eq!(without, 0);
    assert!(ways.iter().sum::<usize>() > 20, "{ways:?}");
    let lines = report.lines();
    let line = |number: u32| lines.iter().find(|line| line.line == number).expect("the line has costs");
    // `newest = item`, and `items.append(item)`.
    assert_eq!(line(29).counts.total(CostKinds::RETAIN), 1);
    assert_eq!(line(30).counts.total(CostKinds::RETAIN), 1);
    assert_eq!(line(30).counts.total(CostKinds::EXCLUSIVITY), 1);
    assert_eq!(line(44).counts.total(CostKinds::BOX), 1);
    assert_eq!(line(45).counts.total(CostKinds::CLOSURE), 1);
    // The objects are created by the initializer, which is inlined into these lines.
    assert_eq!(line(64).counts.total(CostKinds::OBJECT), 1);
    assert_eq!(line(65).counts.total(CostKinds::OBJECT), 1);
    // The calls in loops.
    assert_eq!(line(37).counts.total_in_loops(CostKinds::CLASS_CALL), 1);
    assert_eq!(line(54).counts.total_in_loops(CostKinds::WITNESS_CALL), 1);
}

#[test]
fn retains_have_the_reason_of_their_own_use() {
    let text = example();
    let stored = reasons(&text, 29);
    let is_stored = |(kinds, reason, text): &(CostKinds, Reason, String)| {
        *kinds == CostKinds::RETAIN
            && *reason == Reason::Stored
            && text.contains("property `Inventory.newest`")
    };
    assert!(stored.iter().any(is_stored), "{stored:?}");
    let passed = reasons(&text, 30);
    assert!(
        passed.iter().any(|(kinds, reason, _)| (*kinds, *reason) == (CostKinds::RETAIN, Reason::PassedOwned))
    );
    let boxed = reasons(&text, 44);
    assert_eq!(boxed.first().map(|(_, reason, _)| *reason), Some(Reason::Captured));
    assert!(boxed[0].2.contains("variable `count` is captured by escaping closure"), "{boxed:?}");
}

const KINDS: &str = "\
sil_stage canonical
import Builtin
import Swift

class C {}

sil @f : $@convention(thin) (Int, @guaranteed C) -> () {
bb0(%0 : $Int, %1 : $C):
  %2 = alloc_stack $Int
  %3 = begin_access [modify] [dynamic] %2
  store %0 to %3
  end_access %3
  dealloc_stack %2
  %6 = alloc_ref [stack] $C
  dealloc_stack_ref %6
  %8 = alloc_ref $C
  strong_retain %8
  strong_release %8
  %11 = alloc_stack $Any
  %12 = init_existential_addr %11, $Int
  store %0 to %12
  destroy_addr %11
  dealloc_stack %11
  retain_value %0
  %17 = tuple ()
  return %17
}
";

#[test]
fn stack_memory_and_trivial_values_cost_nothing() {
    let (_, _, report) = analyzed(KINDS);
    let total = report.total();
    assert_eq!(total.total(CostKinds::ALLOCATION), 1, "{:?}", report.operations);
    assert_eq!(total.total(CostKinds::OBJECT), 1);
    // A dynamic exclusivity check takes no lock; the lock is that of the metadata of the existential value.
    assert_eq!((total.total(CostKinds::EXCLUSIVITY), total.total(CostKinds::LOCK)), (1, 1));
    assert_eq!((total.total(CostKinds::RETAIN), total.total(CostKinds::RELEASE)), (1, 1));
    assert_eq!(total.total(CostKinds::DESTROY), 1);
}

#[test]
fn a_budget_reads_back_and_locates_what_is_new() {
    let text = KINDS.replace("  strong_release %8\n", "");
    let budget = write_budget(&snapshot(&text));
    assert_eq!(budget, write_budget(&snapshot(&text)));
    let read = read_budget(&budget).expect("a budget");
    assert!(compare(&read, &snapshot(&text)).changes.is_empty());
    let comparison = compare(&read, &snapshot(KINDS));
    let [change] = comparison.changes.as_slice() else { panic!("{comparison:?}") };
    assert_eq!((change.kind_name(), change.all, change.is_regression()), ("release", (0, 1), true));
    assert_eq!(change.new.len(), 1);
    assert!(!compare(&snapshot(KINDS), &read).changes[0].is_regression());
}

#[test]
fn budgets_do_not_depend_on_numbers_and_order() {
    let other = "sil @g : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    let renumbered = KINDS.replace("%8", "%408").replace("sil @f", &format!("{other}\nsil @f"));
    let moved = format!("{KINDS}\n{other}");
    assert_eq!(write_budget(&snapshot(&renumbered)), write_budget(&snapshot(&moved)));
}

#[test]
fn what_is_no_budget_is_refused() {
    for (text, message) in [
        ("version = 2", "version 2 is not supported"),
        ("", "`version` is missing"),
        ("version = 1\n[functions.f]\nretain = -1", "`retain` is not a number"),
        ("version = 1\n[functions.f]\nretains = 1", "unknown kind `retains`"),
        ("version = 1\n[functions.f]\nplaces = [\"x\"]", "a place is not `KIND: REASON`"),
        ("version = [", ""),
    ] {
        let error = read_budget(text).expect_err("no budget").to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}
