//! Cases for each kind of memory.

use crate::testing::changed;

/// Returns the enforcements of the accesses in a module, in order.
fn chosen(functions: &str) -> Vec<String> {
    let head = "sil_stage raw\nimport Builtin\nimport Swift\nclass C { var x: Int }\n\
        sil_global @g : $Int\n\
        sil @keep : $@convention(thin) (@owned { var Int }) -> ()\n\
        sil @call : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> ()) -> ()\n";
    let text = changed("access-enforcement-selection", &[], &format!("{head}{functions}"));
    let accesses = text.lines().filter_map(|line| line.split("begin_access [modify] [").nth(1));
    accesses.map(|rest| rest.split(']').next().unwrap_or_default().to_owned()).collect()
}

fn access(name: &str, address: &str) -> String {
    format!("%{name} = begin_access [modify] [unknown] {address}\nend_access %{name}\n")
}

const END: &str = "%r = tuple ()\nreturn %r\n}\n";

#[test]
fn arguments_and_the_stack_are_static() {
    let text = format!(
        "sil [ossa] @f : $@convention(thin) (@inout Int, @in Int) -> () {{\nbb0(%0 : $*Int, %1 : $*Int):\n\
         %2 = alloc_stack $Int\n{}{}{}dealloc_stack %2\n{END}",
        access("a", "%0"),
        access("b", "%1"),
        access("c", "%2")
    );
    assert_eq!(chosen(&text), ["static"; 3]);
}

#[test]
fn captured_boxes_are_dynamic() {
    let text = format!(
        "sil [ossa] @f : $@convention(thin) (@guaranteed {{ var Int }}) -> () {{\nbb0(%0 : @guaranteed ${{ var Int }}):\n\
         %1 = project_box %0, 0\n{}{END}",
        access("a", "%1")
    );
    assert_eq!(chosen(&text), ["dynamic"]);
}

/// Returns a function with a box and accesses, with code inserted at two points.
fn with_box(before: &str, after: &str) -> String {
    format!(
        "sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> () {{\nbb0(%0 : $Builtin.Int1):\n\
         %1 = alloc_box ${{ var Int }}\n%2 = mark_uninitialized [var] %1\n%3 = begin_borrow [lexical] %2\n\
         %4 = project_box %3, 0\n{before}{after}end_borrow %3\ndestroy_value %2\n{END}"
    )
}

const ESCAPE: &str = "%k = function_ref @keep : $@convention(thin) (@owned { var Int }) -> ()\n\
    %l = copy_value %3\n%m = apply %k(%l) : $@convention(thin) (@owned { var Int }) -> ()\n";

#[test]
fn a_box_is_dynamic_once_it_escaped() {
    assert_eq!(chosen(&with_box(&access("a", "%4"), &access("b", "%4"))), ["static", "static"]);
    let text = with_box(&format!("{}{ESCAPE}", access("a", "%4")), &access("b", "%4"));
    assert_eq!(chosen(&text), ["static", "dynamic"]);
}

#[test]
fn a_box_may_escape_during_an_access() {
    let text = with_box(&format!("%a = begin_access [modify] [unknown] %4\n{ESCAPE}end_access %a\n"), "");
    assert_eq!(chosen(&text), ["dynamic"]);
}

#[test]
fn escapes_reach_later_blocks_and_loops() {
    let text = with_box(
        &format!("br bb1\nbb1:\n{}cond_br %0, bb2, bb3\nbb2:\n{ESCAPE}br bb1\nbb3:\n", access("a", "%4")),
        &access("b", "%4"),
    );
    assert_eq!(chosen(&text), ["dynamic", "dynamic"]);
}

/// Returns a closure that captures a variable, with its caller.
fn closure(before: &str) -> String {
    let closure = format!(
        "sil [ossa] @closure : $@convention(thin) (@inout_aliasable Int) -> () {{\nbb0(%0 : @closureCapture $*Int):\n{}{END}",
        access("c", "%0")
    );
    let call = "%c = function_ref @closure : $@convention(thin) (@inout_aliasable Int) -> ()\n\
        %d = partial_apply [callee_guaranteed] %c(%4) : $@convention(thin) (@inout_aliasable Int) -> ()\n\
        %e = convert_escape_to_noescape [not_guaranteed] %d to $@noescape @callee_guaranteed () -> ()\n\
        %f = function_ref @call : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> ()) -> ()\n\
        %g = apply %f(%e) : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> ()) -> ()\n\
        destroy_value %e\ndestroy_value %d\n";
    format!("{closure}{}", with_box(before, call))
}

#[test]
fn closures_are_called_while_others_may_access() {
    assert_eq!(chosen(&closure("")), ["static"]);
    assert_eq!(chosen(&closure(ESCAPE)), ["dynamic"]);
}

#[test]
fn closures_that_call_themselves_are_dynamic() {
    let text = format!(
        "sil [ossa] @f : $@convention(thin) (@inout_aliasable Int) -> () {{\nbb0(%0 : @closureCapture $*Int):\n{}\
         %c = function_ref @f : $@convention(thin) (@inout_aliasable Int) -> ()\n\
         %d = apply %c(%0) : $@convention(thin) (@inout_aliasable Int) -> ()\n{END}",
        access("a", "%0")
    );
    assert_eq!(chosen(&text), ["dynamic"]);
}

#[test]
fn what_is_decided_stays() {
    let text = format!(
        "sil [ossa] @f : $@convention(thin) (@inout Int) -> () {{\nbb0(%0 : $*Int):\n\
         %1 = begin_access [modify] [dynamic] %0\nend_access %1\n{END}"
    );
    assert_eq!(chosen(&text), ["dynamic"]);
}
