//! Memory lifetime at its corners: paths, parts, enums, dead ends.

use silkit_verify::{Finding, MemoryFault, MemoryFaultKind, ReferenceMessage, VerifyOptions, verify};
use std::fmt::Write;

const HEAD: &str = "sil_stage canonical\n\nimport Builtin\nimport Swift\n\n\
    class Node {}\n\
    struct Pair { var left: Node\n var right: Node }\n\
    struct Mixed { var node: Node\n var count: Builtin.Int64 }\n\
    enum Tree { case leaf\n case count(Builtin.Int64)\n case node(Node) }\n\
    sil @read : $@convention(thin) <T> (@in_guaranteed T) -> ()\n\
    sil @reads_left : $@convention(thin) (@in_guaranteed Pair) -> () {\n[%0: read s0.v**]\n[global: ]\n}\n\
    sil @reads_nothing : $@convention(thin) (@in_guaranteed Pair) -> () {\n[global: ]\n}\n";

fn findings(text: &str) -> Vec<Finding> {
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:#?}\n{text}", parsed.errors);
    let declarations = silkit_text::decl::declarations(&parsed.module);
    verify(&parsed.module, &declarations, Some(parsed.source(text)), &VerifyOptions::default()).findings
}

fn fault(finding: &Finding) -> MemoryFault {
    match finding.reference_messages[..] {
        [ReferenceMessage::Memory(fault)] => fault,
        _ => panic!("it is about memory: {finding:#?}"),
    }
}

/// Returns the rules that an `[ossa]` function breaks, in order. It has the owned nodes `%x` and `%y`, the address of
/// one that it may take, `%in`, a tree that it may take, `%tree`, and a condition `%c`; what it does not mention is
/// not there.
fn broken(blocks: &str) -> Vec<&'static str> {
    findings(&module(blocks)).iter().filter(|f| f.is_error()).map(|f| f.rule.id.as_str()).collect()
}

fn module(blocks: &str) -> String {
    let all = [
        ("%in", "@in Node", "$*Node"),
        ("%tree", "@in Tree", "$*Tree"),
        ("%x", "@owned Node", "@owned $Node"),
        ("%y", "@owned Node", "@owned $Node"),
        ("%i", "Builtin.Int64", "$Builtin.Int64"),
        ("%c", "Builtin.Int1", "$Builtin.Int1"),
    ];
    let is_named = |name: &str| {
        let ends = |c: char| !c.is_ascii_alphanumeric();
        blocks.match_indices(name).any(|(at, _)| blocks[at + name.len()..].starts_with(ends))
    };
    let used: Vec<_> = all.iter().filter(|(name, ..)| is_named(name)).collect();
    let params: Vec<&str> = used.iter().map(|a| a.1).collect();
    let arguments: Vec<String> = used.iter().map(|(name, _, ty)| format!("{name} : {ty}")).collect();
    let label = if used.is_empty() { "bb0:".to_owned() } else { format!("bb0({}):", arguments.join(", ")) };
    format!(
        "{HEAD}sil [ossa] @f : $@convention(thin) ({}) -> () {{\n{label}\n{blocks}}}\n",
        params.join(", ")
    )
}

const RETURN: &str = "%r = tuple ()\nreturn %r : $()\n";

/// Returns a stack allocation `%a` of a type around some instructions.
fn allocated(ty: &str, inside: &str) -> String {
    format!("%a = alloc_stack ${ty}\n{inside}dealloc_stack %a : $*{ty}\n{RETURN}")
}

/// Two branches that meet again.
fn both(before: &str, left: &str, right: &str, end: &str) -> String {
    format!("{before}cond_br %c, bb1, bb2\nbb1:\n{left}br bb3\nbb2:\n{right}br bb3\nbb3:\n{end}")
}

const DESTROY_IN: &str = "destroy_addr %in : $*Node\n";

#[test]
fn paths_agree_unless_nothing_leaves_them() {
    assert_eq!(broken(&both("", DESTROY_IN, "", RETURN)), ["SIL0506"]);
    assert!(broken(&both("", DESTROY_IN, DESTROY_IN, RETURN)).is_empty());
    assert!(broken(&both("", DESTROY_IN, "", "unreachable\n")).is_empty());
    // What is destroyed on the way round is not there again.
    let wrap = |turn: &str| format!("br bb1\nbb1:\n{turn}cond_br %c, bb2, bb3\nbb2:\nbr bb1\nbb3:\n{RETURN}");
    assert_eq!(broken(&wrap(DESTROY_IN)), ["SIL0506"]);
    // Nobody leaves an endless loop.
    assert!(broken(&format!("br bb1\nbb1:\n{DESTROY_IN}br bb1\n")).is_empty());
}

#[test]
fn in_a_dead_end_only_the_block_of_the_allocation_is_checked() {
    let (make, end) = ("%a = alloc_stack $Node\n", "destroy_addr %a : $*Node\ndealloc_stack %a : $*Node\n");
    assert_eq!(broken(&format!("{make}{end}unreachable\n")), ["SIL0501"]);
    assert!(broken(&format!("{make}br bb1\nbb1:\n{end}unreachable\n")).is_empty());
    assert_eq!(broken(&format!("br bb1\nbb1:\n{make}{end}br bb1\n")), ["SIL0501"]);
    assert!(broken(&format!("br bb1\nbb1:\n{make}br bb2\nbb2:\n{end}br bb1\n")).is_empty());
}

#[test]
fn a_mistake_on_a_path_is_told_with_the_path() {
    let text = module(&both("", "", DESTROY_IN, &format!("br bb4\nbb4:\n{DESTROY_IN}{RETURN}")));
    let found = findings(&text);
    let ids: Vec<&str> = found.iter().map(|f| f.rule.id.as_str()).collect();
    assert_eq!(ids, ["SIL0506"]);
    assert_eq!(fault(&found[0]).kind, MemoryFaultKind::PathsDisagree);

    let found = findings(&module(&format!("{DESTROY_IN}br bb1\nbb1:\nbr bb2\nbb2:\n{DESTROY_IN}{RETURN}")));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path.len(), 3, "{found:#?}");
    assert_eq!(fault(&found[0]).kind, MemoryFaultKind::NotInitialized);
    assert!(found[0].related.iter().any(|(_, text)| text == "taken or destroyed here"), "{found:#?}");
}

#[test]
fn a_whole_is_its_parts() {
    let left = "%l = struct_element_addr %a : $*Pair, #Pair.left\n";
    let right = "%g = struct_element_addr %a : $*Pair, #Pair.right\n";
    let store = |value: &str, to: &str| format!("store {value} to [init] {to} : $*Node\n");
    let (x, y) = (store("%x", "%l"), store("%y", "%g"));
    let destroy = "destroy_addr %a : $*Pair\n";
    assert!(broken(&allocated("Pair", &format!("{left}{right}{x}{y}{destroy}"))).is_empty());
    assert_eq!(broken(&allocated("Pair", &format!("{left}{x}{destroy}"))), ["SIL0501"]);
    // A part that is left is a leak.
    assert_eq!(
        broken(&allocated("Pair", &format!("{left}{right}{x}{y}destroy_addr %l : $*Node\n"))),
        ["SIL0503"]
    );
    // Bits need not be there to destroy what owns something, but to read them.
    let mixed = "%l = struct_element_addr %a : $*Mixed, #Mixed.node\nstore %x to [init] %l : $*Node\n";
    assert!(broken(&allocated("Mixed", &format!("{mixed}destroy_addr %a : $*Mixed\n"))).is_empty());
    let load = "%v = load [take] %a : $*Mixed\ndestroy_value %v : $Mixed\n";
    assert_eq!(broken(&allocated("Mixed", &format!("{mixed}{load}"))), ["SIL0501"]);
}

#[test]
fn an_enum_that_owns_nothing_need_not_be_destroyed() {
    let leaf = "inject_enum_addr %a : $*Tree, #Tree.leaf!enumelt\n";
    assert!(broken(&allocated("Tree", leaf)).is_empty());
    let count = "%p = init_enum_data_addr %a : $*Tree, #Tree.count!enumelt\nstore %i to [trivial] %p : $*Builtin.Int64\n\
                 inject_enum_addr %a : $*Tree, #Tree.count!enumelt\n";
    assert!(broken(&allocated("Tree", count)).is_empty());
    let node = "%p = init_enum_data_addr %a : $*Tree, #Tree.node!enumelt\nstore %x to [init] %p : $*Node\n\
                inject_enum_addr %a : $*Tree, #Tree.node!enumelt\n";
    assert_eq!(broken(&allocated("Tree", node)), ["SIL0503"]);
    assert!(broken(&allocated("Tree", &format!("{node}destroy_addr %a : $*Tree\n"))).is_empty());
    // It may be made again.
    assert!(broken(&allocated("Tree", &format!("{leaf}{node}destroy_addr %a : $*Tree\n"))).is_empty());

    let switch = |node: &str, other: &str| {
        format!(
            "switch_enum_addr %tree : $*Tree, case #Tree.node!enumelt: bb1, default bb2\n\
             bb1:\n{node}br bb3\nbb2:\n{other}br bb3\nbb3:\n{RETURN}"
        )
    };
    let destroy = "destroy_addr %tree : $*Tree\n";
    assert!(broken(&switch(destroy, "")).is_empty());
    assert!(broken(&switch(destroy, destroy)).is_empty());
    assert_eq!(broken(&switch("", destroy)), ["SIL0506"]);
    assert_eq!(broken(&switch("", "")), ["SIL0504"]);
}

#[test]
fn a_switch_on_a_copy_tells_about_the_memory() {
    let switch = |value: &str| {
        format!(
            "%v = load [copy] %tree : $*Tree\n{value}\n\
             switch_enum %w : $Tree, case #Tree.node!enumelt: bb1, case #Tree.count!enumelt: bb2, case #Tree.leaf!enumelt: bb3\n\
             bb1(%n : @owned $Node):\ndestroy_value %n : $Node\ndestroy_addr %tree : $*Tree\nbr bb4\n\
             bb2(%k : $Builtin.Int64):\nbr bb4\nbb3:\nbr bb4\nbb4:\n{RETURN}"
        )
    };
    assert!(broken(&switch("%w = move_value %v : $Tree")).is_empty());
    let other = "destroy_value %v : $Tree\n%w = enum $Tree, #Tree.node!enumelt, %x : $Node";
    assert_eq!(broken(&switch(other)), ["SIL0506"]);
}

#[test]
fn what_is_not_understood_is_left_out() {
    let escapes = "%p = address_to_pointer %a : $*Node to $Builtin.RawPointer\n";
    let store = "store %x to [init] %a : $*Node\n";
    assert_eq!(broken(&allocated("Node", store)), ["SIL0503"]);
    assert!(broken(&allocated("Node", &format!("{store}{escapes}"))).is_empty());
    let dynamic = allocated("Node", store).replace("alloc_stack $", "alloc_stack [dynamic_lifetime] $");
    assert!(broken(&dynamic).is_empty());
    // A type that nobody declares may be trivial, or have no bits.
    let strange = findings(&module(&allocated("Node", "").replace("Node", "Stranger")));
    assert_eq!(strange.iter().map(|f| f.rule.id.as_str()).collect::<Vec<_>>(), ["SIL0363"]);
    // Without ownership in values there is none in memory.
    let text = module(&allocated("Node", "")).replace("[ossa] ", "");
    assert!(findings(&text).is_empty());
}

#[test]
fn effects_say_what_a_callee_reads() {
    let call = |callee: &str, before: &str, after: &str| {
        let ty = "$@convention(thin) (@in_guaranteed Pair) -> ()";
        allocated(
            "Pair",
            &format!("{before}%f = function_ref @{callee} : {ty}\n%z = apply %f(%a) : {ty}\n{after}"),
        )
    };
    let (left, right) = (
        "%l = struct_element_addr %a : $*Pair, #Pair.left\nstore %x to [init] %l : $*Node\n",
        "%l = struct_element_addr %a : $*Pair, #Pair.right\nstore %x to [init] %l : $*Node\n",
    );
    let destroy = "destroy_addr %l : $*Node\n";
    assert!(broken(&call("reads_nothing", "", "")).is_empty());
    assert!(broken(&call("reads_left", left, destroy)).is_empty());
    let other = "%o = struct_element_addr %a : $*Pair, #Pair.left\n";
    assert_eq!(broken(&call("reads_left", &format!("{other}{right}"), destroy)), ["SIL0501"]);
}

#[test]
fn each_mistake_is_told_once() {
    let load = "%v = load [copy] %a : $*Node\ndestroy_value %v : $Node\n";
    let again = load.replace("%v", "%w");
    assert_eq!(broken(&allocated("Node", &format!("{load}{again}"))), ["SIL0501"]);
    let stores = "store %x to [init] %a : $*Node\nstore %y to [init] %a : $*Node\ndestroy_addr %a : $*Node\n";
    assert_eq!(broken(&allocated("Node", stores)), ["SIL0502"]);
}

#[test]
fn loops_that_end_in_one_place_are_followed() {
    // Dominance frontiers are small where there are few of them, and of quadratic size where there are many.
    let nested = |loops: usize, inside: &str| {
        let mut blocks = String::from("%a = alloc_stack $Node\nbr bb1\n");
        for i in 1..=loops {
            let _ = writeln!(blocks, "bb{i}:\nbr bb{}", i + 1);
        }
        let _ = writeln!(blocks, "bb{}:\n{inside}br end{loops}", loops + 1);
        for i in (1..=loops).rev() {
            let _ = writeln!(blocks, "end{i}:\ncond_br %c, again{i}, end{}\nagain{i}:\nbr bb{i}", i - 1);
        }
        broken(&format!("{blocks}end0:\ndealloc_stack %a : $*Node\n{DESTROY_IN}{RETURN}"))
    };
    let store = "copy_addr %in to [init] %a : $*Node\n";
    let destroy = "destroy_addr %a : $*Node\n";
    for loops in [1, 2, 60] {
        assert!(nested(loops, &format!("{store}{destroy}")).is_empty());
        assert_eq!(nested(loops, store), ["SIL0506", "SIL0503"]);
        assert_eq!(nested(loops, destroy), ["SIL0501"]);
        assert_eq!(nested(loops, DESTROY_IN), ["SIL0506", "SIL0501"]);
    }
}

#[test]
fn memory_is_there_until_its_borrow_ends() {
    let borrowed = |inside: &str, after: &str| {
        let begin = "%b = load_borrow %in : $*Node\n";
        findings(&module(&format!("{begin}{inside}end_borrow %b : $Node\n{after}{RETURN}")))
    };
    assert!(borrowed("", DESTROY_IN).is_empty());
    let found = borrowed(DESTROY_IN, "");
    let told: Vec<_> = found.iter().map(|f| f.message.as_str()).collect();
    assert!(told.contains(&"the argument `%in` is not initialized when its borrow ends"), "{told:?}");
}

#[test]
fn a_block_that_takes_as_it_ends_is_told_of_once() {
    let call = "%f = function_ref @may_take : $@convention(thin) (@in Node) -> @error any Error\n\
                try_apply %f(%in) : $@convention(thin) (@in Node) -> @error any Error, normal bb3, error bb4\n";
    let text = module(&format!(
        "cond_br %c, bb1, bb2\nbb1:\n{call}bb2:\n%u = tuple ()\nbr bb3(%u : $())\n\
         bb3(%n : $()):\n{RETURN}bb4(%e : @owned $any Error):\nunreachable\n"
    ));
    let declared = "sil @may_take : $@convention(thin) (@in Node) -> @error any Error\n";
    let found = findings(&text.replace("sil [ossa] @f", &format!("{declared}sil [ossa] @f")));
    let found: Vec<_> = found.iter().filter(|f| f.rule.id.as_str() == "SIL0506").collect();
    let [finding] = found[..] else { panic!("{found:#?}") };
    let told: Vec<&str> = finding.related.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(told, ["uninitialized on the path from here", "passed here"]);
}

#[test]
fn values_without_bits_are_not_stored() {
    let function = |ty: &str| {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nimport Swift\nclass K {{}}\nstruct E : ~Copyable {{}}\n{ty}\n\
             sil @write : $@convention(thin) (@inout N) -> ()\n\
             sil [ossa] @f : $@convention(thin) () -> () {{\nbb0:\n%a = alloc_stack $N\n\
             %w = function_ref @write : $@convention(thin) (@inout N) -> ()\n\
             %u = apply %w(%a) : $@convention(thin) (@inout N) -> ()\n\
             destroy_addr %a : $*N\ndealloc_stack %a : $*N\n{RETURN}}}\n"
        );
        let found = findings(&text);
        found.iter().any(|finding| finding.rule.id.as_str() == "SIL0501")
    };
    for empty in
        ["struct N : ~Copyable {}", "struct N : ~Copyable { var e: E }", "struct N : ~Copyable { var u: () }"]
    {
        assert!(!function(empty), "{empty}");
    }
    for full in [
        "class N {}",
        "struct N : ~Copyable { var x: Builtin.Int64 }",
        "struct N : ~Copyable { var e: E\n var k: K }",
        "enum N : ~Copyable { case a }",
    ] {
        assert!(function(full), "{full}");
    }
}
