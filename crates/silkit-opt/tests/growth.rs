//! The run time of passes grows linearly with their input, whatever its shape.
//!
//! `cargo test --release -p silkit-opt --test growth -- --ignored --nocapture` shows times.

use silkit_ir::Module;
use silkit_opt::PASSES;
use silkit_pass::{PassOptions, Runner};
use silkit_testkit::growth::{check_times, worked};
use silkit_text::decl::{Dialect, parse_decls, with_stdlib};
use silkit_text::parse_module;
use silkit_types::decl::Declarations;
use std::fmt::Write;
use std::time::Duration;

const PRELUDE: &str = "\
sil_stage canonical
import Builtin
import Swift
import SwiftOnoneSupport
class Node { @_hasStorage final let x: Builtin.Int64 { get }
 func m() }
struct Pair { var a: Builtin.Int64
 var b: Builtin.Int64 }
enum Two { case a
 case b }
sil @look : $@convention(thin) (@guaranteed Node) -> ()
sil @make : $@convention(thin) () -> @owned Node
sil @stop : $@convention(thin) () -> Never
sil @node_m : $@convention(method) (@guaranteed Node) -> ()
sil [_semantics \"bool.literal_init\"] @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool
sil @$sSayxSicig : $@convention(method) <τ_0_0> (Int, @guaranteed Array<τ_0_0>) -> @out τ_0_0
sil_vtable Node {
  #Node.m: (Node) -> () -> () : @node_m
}
";

const RETURN: &str = "%r = tuple ()\nreturn %r : $()\n}\n";

fn function(attributes: &str, body: &str) -> String {
    let sig = "$@convention(thin) (Builtin.Int1, Builtin.Int64, @owned Node) -> ()";
    let args = "bb0(%c : $Builtin.Int1, %i : $Builtin.Int64, %o : @owned $Node):";
    let args = if attributes.contains("ossa") { args.to_owned() } else { args.replace("@owned ", "") };
    format!("sil {attributes} @f : {sig} {{\n{args}\n{body}")
}

/// Puts a number in the place of each `#`, but of those before names: `%a#`, `#Node.x`.
fn numbered(text: &str, number: usize) -> String {
    let mut parts = text.split('#');
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.starts_with(|c: char| c.is_ascii_uppercase()) {
            true => found.push('#'),
            false => found += &number.to_string(),
        }
        found += part;
    }
    found
}

/// Loops around loops, each with one block before the inner one and one behind, which goes back: two blocks each.
fn loops(n: usize, before: &str, behind: &str) -> String {
    let mut body = String::from("br h0\n");
    for i in 0..n {
        let next = if i + 1 < n { format!("h{}", i + 1) } else { format!("l{i}") };
        _ = writeln!(body, "h{i}:\n{}br {next}", numbered(before, i));
    }
    for i in (0..n).rev() {
        let next = if i == 0 { "last".to_owned() } else { format!("l{}", i - 1) };
        _ = writeln!(
            body,
            "l{i}:\n{}cond_br %c, h{i}x, l{i}x\nh{i}x:\nbr h{i}\nl{i}x:\nbr {next}",
            numbered(behind, i)
        );
    }
    body + "last:\n"
}

/// Branches in a row: four blocks each.
fn branches(n: usize, before: &str, then: &str, behind: &str) -> String {
    let mut body = String::new();
    for i in 0..n {
        _ = writeln!(
            body,
            "{}cond_br %c, t{i}, e{i}\nt{i}:\n{}br j{i}\ne{i}:\nbr j{i}\nj{i}:\n{}",
            numbered(before, i),
            numbered(then, i),
            numbered(behind, i)
        );
    }
    body
}

/// Branches within branches: four blocks each.
fn nested(n: usize, before: &str, behind: &str) -> String {
    let mut body = String::new();
    for i in 0..n {
        _ = writeln!(body, "{}cond_br %c, t{i}, e{i}\nt{i}:", numbered(before, i));
    }
    for i in (0..n).rev() {
        _ = writeln!(body, "br j{i}\ne{i}:\nbr j{i}\nj{i}:\n{}", numbered(behind, i));
    }
    body
}

/// Returns the same with other values.
fn again(text: &str) -> String {
    text.replace("#", "#y")
}

/// Returns the text of a shape with about so many blocks.
type Text = fn(usize) -> String;

const OBJECT: &str = "strong_release %o : $Node\n";
const OWNED: &str = "destroy_value %o : $Node\n";
const SLOT: &str = "%s# = alloc_stack $Node\n%k# = copy_value %o : $Node\nstore %k# to [init] %s# : $*Node\n";
const SLOT_END: &str = "destroy_addr %s# : $*Node\ndealloc_stack %s# : $*Node\n";
const ADD: &str = "%d# = builtin \"xor_Int64\"(%i : $Builtin.Int64, %i : $Builtin.Int64) : $Builtin.Int64\n";

/// Returns the shapes, by name.
fn shapes() -> Vec<(&'static str, Text)> {
    [shapes_of_dead_code(), shapes_of_memory(), shapes_of_control(), shapes_of_calls()].concat()
}

/// Returns the shapes of dead and live code.
fn shapes_of_dead_code() -> Vec<(&'static str, Text)> {
    vec![
        ("dead code in nested loops", |n| {
            function("[ossa]", &(loops(n / 4, ADD, &again(ADD)) + OWNED + RETURN))
        }),
        ("live code in nested loops", |n| {
            function("", &(loops(n / 4, "cond_fail %c : $Builtin.Int1, \"x\"\n", ADD) + OBJECT + RETURN))
        }),
        ("dead branches in a row", |n| {
            function("", &(branches(n / 3, ADD, &again(ADD), "") + OBJECT + RETURN))
        }),
        ("dead methods of one table", |n| {
            let (mut members, mut functions, mut entries) = (String::new(), String::new(), String::new());
            for i in 0..n {
                _ = writeln!(members, "private func m{i}()");
                _ = writeln!(
                    functions,
                    "sil private @m{i} : $@convention(method) (@guaranteed Wide) -> () {{\nbb0(%0 : $Wide):\n\
                     %r = tuple ()\nreturn %r : $()\n}}"
                );
                _ = writeln!(entries, "  #Wide.m{i}: (Wide) -> () -> () : @m{i}");
            }
            format!("private class Wide {{\n{members}}}\n{functions}sil_vtable Wide {{\n{entries}}}\n")
        }),
        ("boxes that branches copy", |n| {
            let make =
                "%b# = alloc_box ${ var Builtin.Int64 }\n%k# = copy_value %b# : ${ var Builtin.Int64 }\n";
            let ends =
                "destroy_value %k# : ${ var Builtin.Int64 }\ndestroy_value %b# : ${ var Builtin.Int64 }\n";
            function("[ossa]", &(branches(n / 3, make, "", ends) + OWNED + RETURN))
        }),
        ("dead branches within each other", |n| function("", &(nested(n / 3, ADD, "") + OBJECT + RETURN))),
        ("dead branches within each other, copies", |n| {
            let copy = "%k# = copy_value %o : $Node\n";
            function("[ossa]", &(nested(n / 3, copy, "destroy_value %k# : $Node\n") + OWNED + RETURN))
        }),
        ("borrows within each other", |n| {
            let mut body = String::from("%b0 = begin_borrow %o : $Node\n");
            (1..n).for_each(|i| _ = writeln!(body, "%b{i} = begin_borrow %b{} : $Node", i - 1));
            (0..n).rev().for_each(|i| _ = writeln!(body, "end_borrow %b{i} : $Node"));
            function("[ossa]", &(body + OWNED + RETURN))
        }),
        ("closures in one block", |n| {
            let closure = "%k# = copy_value %o : $Node\n\
                           %p# = partial_apply [callee_guaranteed] %q(%k#) : $@convention(thin) (@guaranteed Node) -> ()\n\
                           %a# = apply %p#() : $@callee_guaranteed () -> ()\n\
                           destroy_value %p# : $@callee_guaranteed () -> ()\n";
            let mut body =
                String::from("%q = function_ref @look : $@convention(thin) (@guaranteed Node) -> ()\n");
            (0..n).for_each(|i| body += &numbered(closure, i));
            function("[ossa]", &(body + OWNED + RETURN))
        }),
    ]
}

/// Returns the shapes of memory on the stack.
fn shapes_of_memory() -> Vec<(&'static str, Text)> {
    vec![
        ("slots in a row", |n| function("[ossa]", &(branches(n / 3, SLOT, "", SLOT_END) + OWNED + RETURN))),
        ("slots within each other", |n| {
            function("[ossa]", &(nested(n / 3, SLOT, SLOT_END) + OWNED + RETURN))
        }),
        ("slots in loops", |n| function("[ossa]", &(loops(n / 4, SLOT, SLOT_END) + OWNED + RETURN))),
        ("one slot, stored in loops", |n| {
            let slot = "%s = alloc_stack $Node\nstore %o to [init] %s : $*Node\n";
            let store = "%k# = load [copy] %s : $*Node\nstore %k# to [assign] %s : $*Node\n";
            let end = "destroy_addr %s : $*Node\ndealloc_stack %s : $*Node\n";
            function("[ossa]", &(slot.to_owned() + &loops(n / 4, store, &again(store)) + end + RETURN))
        }),
        ("one slot, stored in branches", |n| {
            let slot = "%s = alloc_stack $Builtin.Int64\nstore %i to [trivial] %s : $*Builtin.Int64\n";
            let store =
                "%k# = load [trivial] %s : $*Builtin.Int64\nstore %k# to [trivial] %s : $*Builtin.Int64\n";
            let end = "dealloc_stack %s : $*Builtin.Int64\n";
            let body = branches(n / 3, "", store, "");
            function("[ossa]", &(slot.to_owned() + &body + end + OWNED + RETURN))
        }),
        ("marked memory that branches initialize", |n| {
            let mark = "%s# = alloc_stack $Node\n%m# = mark_uninitialized [var] %s# : $*Node\n";
            let assign = "%k# = copy_value %o : $Node\nassign %k# to %m# : $*Node\n";
            let end = "destroy_addr %m# : $*Node\ndealloc_stack %s# : $*Node\n";
            function("[ossa]", &(branches(n / 6, mark, assign, end) + OWNED + RETURN))
        }),
        ("marked memory that loops initialize", |n| {
            let mark = "%s = alloc_stack $Node\n%m = mark_uninitialized [var] %s : $*Node\n";
            let assign = "%k# = copy_value %o : $Node\nassign %k# to %m : $*Node\n";
            let end = "destroy_addr %m : $*Node\ndealloc_stack %s : $*Node\n";
            let body = loops(n / 4, assign, &again(assign));
            function("[ossa]", &(mark.to_owned() + &body + end + OWNED + RETURN))
        }),
        ("raw memory and accesses", |n| {
            let raw = "%s# = alloc_stack $Builtin.Int64\n%m# = mark_uninitialized [var] %s# : $*Builtin.Int64\n\
                       assign %i to [init] %m# : $*Builtin.Int64\n\
                       %a# = begin_access [modify] [unknown] %m# : $*Builtin.Int64\n\
                       %v# = load [trivial] %a# : $*Builtin.Int64\nend_access %a# : $*Builtin.Int64\n\
%b# = begin_access [read] [static] %m# : $*Builtin.Int64\nend_access %b# : $*Builtin.Int64\n\
                       dealloc_stack %s# : $*Builtin.Int64\n\
                       %t# = alloc_stack $(Builtin.Int64, Builtin.Int64)\n\
                       tuple_addr_constructor [init] %t# : $*(Builtin.Int64, Builtin.Int64) with (%i : $Builtin.Int64, %v# : $Builtin.Int64)\n\
                       dealloc_stack %t# : $*(Builtin.Int64, Builtin.Int64)\n";
            function("[ossa]", &(branches(n / 3, raw, "", "") + OWNED + RETURN))
        }),
        ("stack memory out of order, pointers", |n| {
            let memory = "%s# = alloc_stack $Builtin.Int64\n%t# = alloc_stack $Builtin.Int64\n\
                          %p# = address_to_pointer [stack_protection] %s# : $*Builtin.Int64 to $Builtin.RawPointer\n\
                          %q# = pointer_to_address %p# : $Builtin.RawPointer to $*Builtin.Int64\n\
                          store %i to %q# : $*Builtin.Int64\n\
                          dealloc_stack %s# : $*Builtin.Int64\ndealloc_stack %t# : $*Builtin.Int64\n";
            function("", &(branches(n / 3, memory, "", "") + OBJECT + RETURN))
        }),
        ("structs on the stack", |n| {
            let pair = "%s# = alloc_stack $Pair\n\
                        %a# = struct_element_addr %s# : $*Pair, #Pair.a\nstore %i to %a# : $*Builtin.Int64\n\
                        %b# = struct_element_addr %s# : $*Pair, #Pair.b\nstore %i to %b# : $*Builtin.Int64\n\
                        %v# = load %a# : $*Builtin.Int64\nfix_lifetime %v# : $Builtin.Int64\n\
                        dealloc_stack %s# : $*Pair\n";
            function("", &(branches(n / 3, pair, "", "") + OBJECT + RETURN))
        }),
    ]
}

/// Returns the shapes of control flow and of single instructions.
fn shapes_of_control() -> Vec<(&'static str, Text)> {
    vec![
        ("critical edges, dead ends, loops without preheaders", |n| {
            let mut body = String::new();
            for i in 0..n / 8 {
                _ = writeln!(
                    body,
                    "cond_br %c, j{i}, t{i}\nt{i}:\ncond_br %c, j{i}, u{i}\nu{i}:\ncond_br %c, d{i}, s{i}\n\
                     d{i}:\ncond_fail %c : $Builtin.Int1, \"x\"\nunreachable\n\
                     s{i}:\nswitch_enum undef : $Two, case #Two.a!enumelt: j{i}, case #Two.b!enumelt: h{i}\n\
                     h{i}:\ncond_br %c, h{i}, j{i}\n\
                     j{i}:\ncond_br %c, g{i}, k{i}\ng{i}:\ncond_br %c, g{i}, k{i}\nk{i}:"
                );
            }
            function("", &(body + OBJECT + RETURN))
        }),
        ("phis of the same value, of pairs, of borrows", |n| {
            let mut body = String::new();
            for i in 0..n / 6 {
                _ = writeln!(
                    body,
                    "%p{i} = struct $Pair (%i : $Builtin.Int64, %i : $Builtin.Int64)\n\
                     cond_br %c, t{i}, e{i}\nt{i}:\nbr j{i}(%i : $Builtin.Int64, %i : $Builtin.Int64, %p{i} : $Pair)\n\
                     e{i}:\nbr j{i}(%i : $Builtin.Int64, %i : $Builtin.Int64, %p{i} : $Pair)\n\
                     j{i}(%a{i} : $Builtin.Int64, %d{i} : $Builtin.Int64, %q{i} : $Pair):\n\
                     %x{i} = struct_extract %q{i} : $Pair, #Pair.a\nfix_lifetime %x{i} : $Builtin.Int64\n\
                     fix_lifetime %a{i} : $Builtin.Int64\nfix_lifetime %d{i} : $Builtin.Int64\n\
                     %b{i} = begin_borrow [lexical] %o : $Node\n%w{i} = begin_borrow %o : $Node\n\
                     br r{i}(%w{i} : $Node)\nr{i}(%y{i} : @guaranteed $Node):\n\
                     end_borrow %y{i} : $Node\nend_borrow %b{i} : $Node"
                );
            }
            function("[ossa]", &(body + OWNED + RETURN))
        }),
        ("checks, calls that never return, literals", |n| {
            let checks = "%d# = builtin \"xor_Int1\"(%c : $Builtin.Int1, %c : $Builtin.Int1) : $Builtin.Int1\n\
                          cond_fail %c : $Builtin.Int1, \"x\"\ncond_fail %d# : $Builtin.Int1, \"x\"\n\
                          %k# = integer_literal $Builtin.Int1, -1\n%e# = metatype $@thin Bool.Type\n\
                          %f# = function_ref @literal : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool\n\
                          %b# = apply %f#(%k#, %e#) : $@convention(method) (Builtin.Int1, @thin Bool.Type) -> Bool\n\
                          %v# = struct_extract %b# : $Bool, #Bool._value\ncond_br %v#, y#, z#\ny#:\nbr w#\nz#:\nbr w#\nw#:\n";
            let stop = "%g# = function_ref @stop : $@convention(thin) () -> Never\n\
                        %u# = apply %g#() : $@convention(thin) () -> Never\n";
            function("[ossa]", &(branches(n / 6, checks, stop, "") + OWNED + RETURN))
        }),
        ("wrappers of values that are only moved", |n| {
            let moved = "%w# = copyable_to_moveonlywrapper [owned] %i : $Builtin.Int64\n\
                         %m# = move_value [lexical] [var_decl] %w# : $@moveOnly Builtin.Int64\n\
                         debug_value %m# : $@moveOnly Builtin.Int64, let, name \"x\"\n\
                         destroy_value %m# : $@moveOnly Builtin.Int64\n";
            function("[ossa]", &(branches(n / 3, moved, "", "") + OWNED + RETURN))
        }),
        ("hops to actors, optional actors and thunks", |n| {
            let code = "%k# = copy_value %a\nhop_to_executor %k#\nhop_to_executor %a\nhop_to_executor %p\n\
                        %f# = function_ref @make : $@convention(thin) () -> @owned Node\n\
                        %t# = thunk [identity] %f#() : $@convention(thin) () -> @owned Node\ndestroy_value %t#\n";
            format!(
                "sil [ossa] @f : $@convention(thin) @async (Builtin.Int1, @guaranteed any Actor, @guaranteed Optional<any Actor>) -> () {{\n\
                 bb0(%c : $Builtin.Int1, %a : @guaranteed $any Actor, %p : @guaranteed $Optional<any Actor>):\n{}{RETURN}",
                branches(n / 8, code, "hop_to_executor %k#\n", "destroy_value %k#\n")
            )
        }),
        ("variables, steps and hops in asynchronous code", |n| {
            let code = "debug_value [moveable_value_debuginfo] %i, let, (name \"x\", loc \"a.swift\":1:1)\n\
                        hop_to_executor %x\n%s# = alloc_stack $Builtin.Int64\n\
                        debug_step, loc \"a.swift\":2:2\nstore %i to [trivial] %s#, loc \"a.swift\":2:2\n\
                        hop_to_executor %x\ndealloc_stack %s#\n";
            format!(
                "sil [ossa] @f : $@convention(thin) @async (Builtin.Int1, Builtin.Int64, Builtin.Executor) -> () {{\n\
                 bb0(%c : $Builtin.Int1, %i : $Builtin.Int64, %x : $Builtin.Executor):\n{}{RETURN}",
                branches(n / 6, code, "", "")
            )
        }),
    ]
}

/// Returns the shapes of objects, calls and functions.
fn shapes_of_calls() -> Vec<(&'static str, Text)> {
    vec![
        ("objects and calls in branches", |n| {
            let make = "%f# = function_ref @make : $@convention(thin) () -> @owned Node\n\
                        %n# = apply %f#() : $@convention(thin) () -> @owned Node\n";
            let look = "%g# = function_ref @look : $@convention(thin) (@guaranteed Node) -> ()\n\
                        %b# = begin_borrow %n# : $Node\n\
                        %u# = apply %g#(%b#) : $@convention(thin) (@guaranteed Node) -> ()\nend_borrow %b# : $Node\n";
            let body = branches(n / 3, make, look, "destroy_value %n# : $Node\n");
            function("[ossa]", &(body + OWNED + RETURN))
        }),
        ("methods and properties of new objects", |n| {
            let object = "%n# = alloc_ref $Node\n\
                          %m# = class_method %n# : $Node, #Node.m : (Node) -> () -> (), $@convention(method) (@guaranteed Node) -> ()\n\
                          %u# = apply %m#(%n#) : $@convention(method) (@guaranteed Node) -> ()\n\
                          %p# = ref_element_addr %n# : $Node, #Node.x\n%v# = load %p# : $*Builtin.Int64\n\
                          strong_release %n# : $Node\n";
            function("", &(branches(n / 3, object, "", "") + OBJECT + RETURN))
        }),
        ("generic calls", |n| {
            let call = "%g# = function_ref @$sSayxSicig : $@convention(method) <τ_0_0> (Int, @guaranteed Array<τ_0_0>) -> @out τ_0_0\n\
                        %s# = alloc_stack $Int\n\
                        %u# = apply %g#<Int>(%s#, undef, undef) : $@convention(method) <τ_0_0> (Int, @guaranteed Array<τ_0_0>) -> @out τ_0_0\n\
                        dealloc_stack %s# : $*Int\n";
            function("", &(branches(n / 3, call, "", "") + OBJECT + RETURN))
        }),
        ("classes and serialized functions", |n| {
            let mut text = String::new();
            for i in 0..n {
                _ = writeln!(
                    text,
                    "private class K{i} {{ func m() }}\n\
                     sil [serialized] @k{i} : $@convention(method) (@guaranteed K{i}) -> () {{\nbb0(%0 : $K{i}):\n\
                     %r = tuple ()\nreturn %r : $()\n}}\n\
                     sil private [_semantics \"sil.optimizer.delete_if_unused\"] @d{i} : $@convention(thin) () -> () {{\nbb0:\n\
                     %r = tuple ()\nreturn %r : $()\n}}\n\
                     sil_vtable K{i} {{\n  #K{i}.m: (K{i}) -> () -> () : @k{i}\n}}"
                );
            }
            text
        }),
        ("functions that call each other", |n| {
            let mut text = String::new();
            for i in 0..n {
                _ = writeln!(
                    text,
                    "sil @f{i} : $@convention(thin) (@guaranteed Node) -> () {{\nbb0(%0 : $Node):\n\
                     %1 = function_ref @f{} : $@convention(thin) (@guaranteed Node) -> ()\n\
                     %2 = apply %1(%0) : $@convention(thin) (@guaranteed Node) -> ()\nreturn %2 : $()\n}}",
                    (i + 1) % n
                );
            }
            text
        }),
        ("calls that are always inlined", |n| {
            let mut text = String::from(
                "sil [always_inline] [ossa] @once : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {\n\
                 bb0(%0 : $Builtin.Int64):\nreturn %0 : $Builtin.Int64\n}\n",
            );
            let call = "%f# = function_ref @once : $@convention(thin) (Builtin.Int64) -> Builtin.Int64\n\
                        %a# = apply %f#(%i) : $@convention(thin) (Builtin.Int64) -> Builtin.Int64\n";
            text += &function(
                "[ossa]",
                &((0..n).map(|i| numbered(call, i)).collect::<String>() + OWNED + RETURN),
            );
            text
        }),
        ("values with a deinitializer", |n| {
            let mut text = String::from(
                "struct File : ~Copyable { var n: Node\n deinit }\n\
                 sil @open : $@convention(thin) () -> @owned File\n\
                 sil @close : $@convention(method) (@owned File) -> ()\n\
                 sil_moveonlydeinit File {\n  @close\n}\n",
            );
            let call = "%f# = function_ref @open : $@convention(thin) () -> @owned File\n\
                        %a# = apply %f#() : $@convention(thin) () -> @owned File\ndestroy_value %a# : $File\n";
            text += &function(
                "[ossa]",
                &((0..n).map(|i| numbered(call, i)).collect::<String>() + OWNED + RETURN),
            );
            text
        }),
        ("functions in a row", |n| {
            let mut text = String::from("sil @f0 : $@convention(thin) (@guaranteed Node) -> ()\n");
            for i in 0..n {
                _ = writeln!(
                    text,
                    "sil @f{} : $@convention(thin) (@guaranteed Node) -> () {{\nbb0(%0 : $Node):\n\
                     %1 = function_ref @f{i} : $@convention(thin) (@guaranteed Node) -> ()\n\
                     %2 = apply %1(%0) : $@convention(thin) (@guaranteed Node) -> ()\nreturn %2 : $()\n}}",
                    i + 1
                );
            }
            text
        }),
    ]
}

/// Returns the options that a pass needs to do anything.
fn options(tag: &str) -> PassOptions {
    let mut options = PassOptions::default();
    match tag {
        "prune-vtables" => options.set("wmo", ""),
        "sil-debuginfo-gen" => options.set("sil-based-debuginfo", "growth"),
        "sil-lexical-lifetime-eliminator" => options.set("enable-lexical-lifetimes", "false"),
        _ => {}
    }
    options
}

/// The passes that change none of the shapes: they take functions from a library, or only report errors.
const IDLE: [&str; 3] = ["mandatory-linker", "performance-linker", "yield-once-check"];

/// Returns the tags of all passes.
fn tags() -> Vec<&'static str> {
    PASSES.sorted().iter().map(|pass| pass.tag).collect()
}

/// A file that was read.
struct Input {
    module: Module,
    declarations: Declarations,
}

impl Input {
    fn new(text: &str) -> Self {
        let parsed = parse_module(&format!("{PRELUDE}{text}"));
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
        let swift: Vec<&str> = parsed.module.swift.iter().map(|s| &*s.text).collect();
        let swift = swift.join("\n");
        let declarations = with_stdlib(parse_decls(&swift, 0..swift.len(), Dialect::Sil).table);
        Self { module: parsed.module, declarations }
    }

    /// Returns true if a pass changes the input.
    fn is_changed_by(&self, tag: &str) -> bool {
        let pass = PASSES.find(tag).expect("a pass");
        let runner = Runner::new().options(options(tag));
        let outcome = runner.run(&mut self.module.clone(), &self.declarations, &[pass.into()]);
        outcome.runs.iter().any(|run| run.has_changed)
    }

    /// Returns how long a pass takes: the best of some tries.
    fn time(&self, tag: &str, tries: usize) -> Duration {
        let pass = PASSES.find(tag).expect("a pass");
        let once = || {
            let mut module = self.module.clone();
            let runner = Runner::new().options(options(tag));
            let start = worked();
            let outcome = runner.run(&mut module, &self.declarations, &[pass.into()]);
            assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
            worked().saturating_sub(start)
        };
        (0..tries).map(|_| once()).min().unwrap_or_default()
    }
}

// One test: what runs at once would be measured, too.
#[test]
fn every_pass_has_a_shape_that_it_works_on() {
    let inputs: Vec<Input> = shapes().into_iter().map(|(_, text)| Input::new(&text(24))).collect();
    let is_idle = |tag: &&str| !inputs.iter().any(|input| input.is_changed_by(tag));
    let idle: Vec<&str> = tags().into_iter().filter(is_idle).collect();
    assert_eq!(idle, IDLE);
}

#[test]
fn costs_grow_as_the_input() {
    let mut wrong = Vec::new();
    for (name, text) in shapes() {
        let (small, large) = (Input::new(&text(1_000)), Input::new(&text(4_000)));
        let measure = |tag: &str, tries| [&small, &large].map(|input| input.time(tag, tries));
        let tags = tags().into_iter().filter(|tag| check_times(|tries| measure(tag, tries)).is_err());
        wrong.extend(tags.map(|tag| format!("{tag}: {name}")));
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
#[ignore = "shows times"]
fn figures() {
    for (name, text) in shapes() {
        let inputs = [4_000, 8_000, 16_000].map(|n| Input::new(&text(n)));
        for tag in tags() {
            let times = |runs| inputs.each_ref().map(|input| input.time(tag, runs).as_secs_f64() * 1e3);
            let mut best = times(2);
            // A doubling that costs much more than twice as much is measured again, since disturbances end.
            if best[1] / best[0] > 2.4 || best[2] / best[1] > 2.4 {
                let again = times(4);
                best = std::array::from_fn(|at| best[at].min(again[at]));
            }
            let [a, b, c] = best;
            println!("{name:42} {tag:28} {a:9.1} {b:9.1} {c:9.1} ms  ×{:.2} ×{:.2}", b / a, c / b);
        }
    }
}
