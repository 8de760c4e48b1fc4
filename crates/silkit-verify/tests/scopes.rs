//! Scopes and stack discipline at their corners: dead ends, moves, coroutines; and their cost.

use silkit_text::decl::declarations;
use silkit_types::decl::{DeclTable, Declarations};
use silkit_verify::{VerifyOptions, verify};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Returns the rules that a module breaks, in order.
fn broken(text: &str) -> Vec<&'static str> {
    broken_with(text, Declarations::new(DeclTable::new(), Vec::new()))
}

/// Returns the rules that a module breaks, in order, with its declarations.
fn checked(text: &str) -> Vec<&'static str> {
    broken_with(text, declarations(&silkit_text::parse_module(text).module))
}

fn broken_with(text: &str, declarations: Declarations) -> Vec<&'static str> {
    let text = format!("sil_stage canonical\n\nimport Builtin\n\n{text}");
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:#?}\n{text}", parsed.errors);
    let report = verify(&parsed.module, &declarations, Some(parsed.source(&text)), &VerifyOptions::default());
    report.findings.iter().map(|f| f.rule.id.as_str()).collect()
}

/// Returns a function with a condition `%c` and an address `%p`.
fn function(blocks: &str) -> String {
    format!(
        "sil @f : $@convention(thin) (Builtin.Int1, @inout Builtin.Int64) -> () {{\n\
         bb0(%c : $Builtin.Int1, %p : $*Builtin.Int64):\n{blocks}}}\n"
    )
}

const ALLOC: &str = "%a = alloc_stack $Builtin.Int64\n";
const DEALLOC: &str = "dealloc_stack %a : $*Builtin.Int64\n";
const RETURN: &str = "%r = tuple ()\nreturn %r : $()\n";

#[test]
fn paths_into_a_dead_end_may_disagree() {
    let both = |before: &str, left: &str, right: &str, end: &str| {
        function(&format!(
            "{before}cond_br %c, bb1, bb2\nbb1:\n{left}br bb3\nbb2:\n{right}br bb3\nbb3:\n{end}unreachable\n"
        ))
    };
    assert!(broken(&both("", ALLOC, "", "")).is_empty());
    assert!(broken(&both(ALLOC, DEALLOC, "", "")).is_empty());
    // What both bring along may go.
    assert!(broken(&both(ALLOC, "", "", DEALLOC)).is_empty());
    // What is allocated there nests as anywhere.
    let inner = "%i = alloc_stack $Builtin.Int32\ndealloc_stack %i : $*Builtin.Int32\n";
    assert!(broken(&both(ALLOC, DEALLOC, "", inner)).is_empty());
    // What one of them has deallocated may not go again, nor what is under something that only one has.
    assert_eq!(broken(&both(ALLOC, DEALLOC, "", DEALLOC)), ["SIL0202"]);
    let other = "%b = alloc_stack $Builtin.Int32\n";
    assert_eq!(broken(&both(ALLOC, other, "", DEALLOC)), ["SIL0211"]);
    let access = "%x = begin_access [read] [static] %p : $*Builtin.Int64\n";
    assert!(broken(&both(access, "end_access %x : $*Builtin.Int64\n", "", "")).is_empty());
}

#[test]
fn an_endless_loop_keeps_the_stack() {
    let wrap = |inside: &str, turn: &str| {
        function(&format!("{inside}br bb1\nbb1:\n{turn}cond_br %c, bb2, bb3\nbb2:\nbr bb1\nbb3:\nbr bb1\n"))
    };
    assert!(broken(&wrap(ALLOC, "")).is_empty());
    assert!(broken(&wrap("", &format!("{ALLOC}{DEALLOC}"))).is_empty());
    assert_eq!(broken(&wrap("", ALLOC)), ["SIL0203"]);
    assert_eq!(broken(&wrap(ALLOC, DEALLOC)), ["SIL0202"]);
    // Two ways in that disagree.
    let two = |turn: &str| {
        function(&format!(
            "cond_br %c, bb1, bb2\nbb1:\n{ALLOC}br bb3\nbb2:\nbr bb4\nbb3:\nbr bb4\nbb4:\n{turn}br bb3\n"
        ))
    };
    assert!(broken(&two("")).is_empty());
}

#[test]
fn the_way_out_counts() {
    let leak = function(&format!(
        "{ALLOC}cond_br %c, bb1, bb2\nbb1:\n{DEALLOC}br bb3\nbb2:\nbr bb3\nbb3:\n{RETURN}"
    ));
    assert_eq!(broken(&leak), ["SIL0201"]);
    let nested = function(&format!(
        "{ALLOC}%b = alloc_stack $Builtin.Int32\n{DEALLOC}dealloc_stack %b : $*Builtin.Int32\n{RETURN}"
    ));
    assert_eq!(broken(&nested), ["SIL0210"]);
    // Accesses overlap as they like.
    let accesses = function(&format!(
        "%x = begin_access [read] [static] %p : $*Builtin.Int64\n\
         %y = begin_access [read] [static] %p : $*Builtin.Int64\n\
         end_access %x : $*Builtin.Int64\nend_access %y : $*Builtin.Int64\n{RETURN}"
    ));
    assert!(broken(&accesses).is_empty());
    // Ends in blocks that are not reached are nobody's concern.
    let unreached =
        function(&format!("{ALLOC}{DEALLOC}{RETURN}bb1:\n{DEALLOC}br bb2\nbb2:\n{DEALLOC}br bb1\n"));
    assert!(broken(&unreached).is_empty());
}

#[test]
fn the_compiler_moves_memory_that_it_deallocates() {
    let builtin = |moved: &str, operand: &str| {
        function(&format!(
            "%n = integer_literal $Builtin.Word, 8\n\
             %a = builtin \"stackAlloc\"(%n : $Builtin.Word, %n : $Builtin.Word, %n : $Builtin.Word) : $Builtin.RawPointer\n\
             {moved}%d = builtin \"stackDealloc\"({operand} : $Builtin.RawPointer) : $()\n{RETURN}"
        ))
    };
    let ossa = |text: String| text.replace("sil @f", "sil [ossa] @f");
    assert!(broken(&builtin("", "%a")).is_empty());
    assert!(broken(&ossa(builtin("%m = move_value [var_decl] %a : $Builtin.RawPointer\n", "%m"))).is_empty());
    let indexed = "%m = index_raw_pointer %a : $Builtin.RawPointer, %n : $Builtin.Word\n";
    assert_eq!(broken(&builtin(indexed, "%m")), ["SIL0205", "SIL0201"]);
}

#[test]
fn the_cost_is_linear() {
    // Every allocation spans all that are made after it, and one is never deallocated.
    let count = 30_000;
    let mut blocks = String::from("br bb1\n");
    for i in 1..=count {
        write!(blocks, "bb{i}:\n%a{i} = alloc_stack $Builtin.Int32\n%x{i} = begin_access [read] [static] %p : $*Builtin.Int64\nbr bb{}\n", i + 1).expect("a string");
    }
    for i in (1..=count).rev() {
        let block = 2 * count + 1 - i;
        let dealloc =
            if i == count { String::new() } else { format!("dealloc_stack %a{i} : $*Builtin.Int32\n") };
        write!(blocks, "bb{block}:\nend_access %x{i} : $*Builtin.Int64\n{dealloc}br bb{}\n", block + 1)
            .expect("a string");
    }
    write!(blocks, "bb{}:\n{RETURN}", 2 * count + 1).expect("a string");
    let start = Instant::now();
    assert_eq!(broken(&function(&blocks))[0], "SIL0201");
    // Generous: one by one, the scopes take minutes.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn the_cost_of_deallocations_out_of_order_is_linear() {
    // First in, first out: all but the last deallocation are in the wrong order.
    let count = 30_000;
    let allocs = (0..count).map(|i| format!("%a{i} = alloc_stack $Builtin.Int32\n"));
    let deallocs = (0..count).map(|i| format!("dealloc_stack %a{i} : $*Builtin.Int32\n"));
    let text = function(&format!("{}{RETURN}", allocs.chain(deallocs).collect::<String>()));
    let start = Instant::now();
    let found = broken(&text);
    assert_eq!(found.len(), count - 1);
    assert!(found.iter().all(|&rule| rule == "SIL0210"));
    // Generous: a new list for each takes minutes, and gigabytes.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Returns a function with two allocations, of which the first is deallocated first.
fn crossed(first: &str, second: &str) -> String {
    function(&format!(
        "%a = alloc_stack {first}$Builtin.Int64\n%b = alloc_stack {second}$Builtin.Int32\n\
         {DEALLOC}dealloc_stack %b : $*Builtin.Int32\n{RETURN}"
    ))
}

#[test]
fn allocations_that_do_not_nest_end_in_any_order() {
    assert_eq!(broken(&crossed("", "")), ["SIL0210"]);
    assert!(broken(&crossed("[non_nested] ", "")).is_empty());
    assert!(broken(&crossed("", "[non_nested] ")).is_empty());
    // They still end once, on every path.
    let alloc = "%a = alloc_stack [non_nested] $Builtin.Int64\n";
    assert_eq!(broken(&function(&format!("{alloc}{RETURN}"))), ["SIL0201"]);
    assert_eq!(broken(&function(&format!("{alloc}{DEALLOC}{DEALLOC}{RETURN}"))), ["SIL0202"]);
    let one_path =
        format!("{alloc}cond_br %c, bb1, bb2\nbb1:\n{DEALLOC}br bb3\nbb2:\nbr bb3\nbb3:\n{RETURN}");
    assert_eq!(broken(&function(&one_path)), ["SIL0201"]);
}

#[test]
fn builtins_of_tasks_are_stack_allocations() {
    let body = |lines: &str| {
        format!(
            "sil @f : $@convention(thin) @async (Builtin.RawPointer, @guaranteed @callee_guaranteed () -> ()) -> () {{\n\
             bb0(%p : $Builtin.RawPointer, %c : $@callee_guaranteed () -> ()):\n{lines}{RETURN}}}\n"
        )
    };
    let add = "%h = builtin \"taskAddCancellationHandler\"(%c : $@callee_guaranteed () -> ()) : $Builtin.RawPointer\n";
    let remove = "%e = builtin \"taskRemoveCancellationHandler\"(%h : $Builtin.RawPointer) : $()\n";
    assert!(broken(&body(&format!("{add}{remove}"))).is_empty());
    assert_eq!(broken(&body(add)), ["SIL0201"]);
    assert_eq!(broken(&body(&format!("{add}{ALLOC}{remove}{DEALLOC}"))), ["SIL0210"]);
    let start = "%t = builtin \"startAsyncLetWithLocalBuffer\"<Builtin.Int64>(%p : $Builtin.RawPointer, %p : $Builtin.RawPointer) : $Builtin.RawPointer\n";
    let finish =
        "%w = builtin \"finishAsyncLet\"(%t : $Builtin.RawPointer, %p : $Builtin.RawPointer) : $()\n";
    assert!(broken(&body(&format!("{start}{finish}"))).is_empty());
    assert_eq!(broken(&body(&format!("{start}{ALLOC}{finish}{DEALLOC}"))), ["SIL0210"]);
    // Up to Swift 6.2, a call finishes an `async let`.
    assert!(broken(&body(start)).is_empty());
    // What is no allocation cannot be removed.
    let other = "%e = builtin \"taskRemoveCancellationHandler\"(%p : $Builtin.RawPointer) : $()\n";
    assert_eq!(broken(&body(other)).len(), 1);
}

#[test]
fn a_buffer_that_is_sealed_may_be_a_struct_around_it() {
    let seal = |ty: &str| {
        format!(
            "class C {{ }}\nstruct S {{ @_hasStorage var c: C }}\nstruct T {{ @_hasStorage var i: Builtin.Int64 }}\n\
             sil @f : $@convention(thin) (@owned {ty}) -> @owned {ty} {{\nbb0(%0 : ${ty}):\n\
             %1 = end_cow_mutation %0 : ${ty}\nreturn %1 : ${ty}\n}}\n"
        )
    };
    assert!(checked(&seal("C")).is_empty() && checked(&seal("S")).is_empty());
    assert!(checked(&seal("T")).contains(&"SIL0345"));
}

#[test]
fn a_call_may_return_an_address() {
    let get = |convention: &str, rest: &str| {
        format!(
            "sil @g : $@convention(method) (@inout Builtin.Int64) -> {convention} Builtin.Int64\n\
             sil @f : $@convention(thin) (@inout Builtin.Int64) -> Builtin.Int64 {{\nbb0(%0 : $*Builtin.Int64):\n\
             %1 = function_ref @g : $@convention(method) (@inout Builtin.Int64) -> {convention} Builtin.Int64\n\
             %2 = apply %1(%0) : $@convention(method) (@inout Builtin.Int64) -> {convention} Builtin.Int64\n{rest}}}\n"
        )
    };
    let load = "%3 = load %2 : $*Builtin.Int64\nreturn %3 : $Builtin.Int64\n";
    assert!(broken(&get("@inout", load)).is_empty());
    assert!(broken(&get("@guaranteed_address", load)).is_empty());
}
