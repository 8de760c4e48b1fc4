//! `stack-protection`: adds stack protectors to functions with stack allocations that may overflow, in the function or in
//! callees that get the address.
//!
//! ```text
//! sil @g : $@convention(thin) (@inout Builtin.Int64) -> () {
//! bb0(%0 : $*Builtin.Int64):
//!   %1 = address_to_pointer [stack_protection] %0 to $Builtin.RawPointer
//!   %2 = pointer_to_address %1 to $*Builtin.Int64
//!   %3 = integer_literal $Builtin.Int64, 1
//!   store %3 to %2
//!   %5 = tuple ()
//!   return %5
//! }
//! sil @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = alloc_stack $Builtin.Int64
//!   %1 = function_ref @g : $@convention(thin) (@inout Builtin.Int64) -> ()
//!   %2 = apply %1(%0) : $@convention(thin) (@inout Builtin.Int64) -> ()
//!   dealloc_stack %0
//!   %4 = tuple ()
//!   return %4
//! }
//! ---
//! sil @g : $@convention(thin) (@inout Builtin.Int64) -> () {
//! bb0(%0 : $*Builtin.Int64):
//!   %1 = address_to_pointer [stack_protection] %0 to $Builtin.RawPointer
//!   %2 = pointer_to_address %1 to $*Builtin.Int64
//!   %3 = integer_literal $Builtin.Int64, 1
//!   store %3 to %2
//!   %5 = tuple ()
//!   return %5
//! }
//! sil [stack_protection] @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = alloc_stack $Builtin.Int64
//!   %1 = function_ref @g : $@convention(thin) (@inout Builtin.Int64) -> ()
//!   %2 = apply %1(%0) : $@convention(thin) (@inout Builtin.Int64) -> ()
//!   dealloc_stack %0
//!   %4 = tuple ()
//!   return %4
//! }
//! ```
//!
//! Calls of a `function_ref` and closures that capture the address are followed. Each argument of a function is visited once,
//! with all calls of that function.
//!
//! With `-enable-move-inout-stack-protector`, the callers of a function are protected only if all origins of an address are
//! known. Otherwise the function moves the value to a temporary of its own if it can, and is protected itself.

use super::stack_sources::{Movable, Sources, has_stack_builtin, passed_sources, sources, unsafe_addresses};
use super::temporaries::move_to_temporaries;
use silkit_analysis::calls::FunctionUses;
use silkit_analysis::{BodyView, ProgramView};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::attributes::FunctionFlags;
use silkit_ir::{FunctionId, Inst, Opcode};
use silkit_pass::{ModuleContext, Pass, options};

pub(super) const PASS: Pass<'static> = Pass::module(
    "stack-protection",
    "Adds stack protectors to functions with stack allocations that may overflow in a callee",
    &run,
)
.with_options(&[options::WMO, options::MOVE_INOUT])
.mandatory();

fn run(cx: &mut ModuleContext<'_>) {
    let plan = Plan::new(&cx.program(), cx.options().is_on(options::MOVE_INOUT));
    let declarations = cx.declarations();
    for id in cx.module().functions.keys().collect::<Vec<_>>() {
        let movable = plan.movable.get(&id).map_or(&[][..], |values| values);
        let is_protected =
            cx.module().functions[id].attributes.flags.contains(FunctionFlags::STACK_PROTECTION);
        if movable.is_empty() && (is_protected || !plan.protected.contains(&id)) {
            continue;
        }
        if !cx.may_change() {
            return;
        }
        let function = &mut cx.module_mut().functions[id];
        function.attributes.flags.insert(FunctionFlags::STACK_PROTECTION);
        let has_ossa = function.has_ossa();
        let body = function.body.as_mut();
        let moved = body.map_or(0, |body| move_to_temporaries(body, declarations, movable, has_ossa));
        cx.count("functions protected", 1);
        cx.count("values moved", moved);
    }
}

/// The functions to change.
#[derive(Default)]
struct Plan {
    /// The functions that need a stack protector.
    protected: FxHashSet<FunctionId>,
    /// The values that functions move to temporaries, in the order of their first use.
    movable: FxHashMap<FunctionId, Vec<Movable>>,
}

impl Plan {
    fn new(program: &ProgramView<'_>, moves: bool) -> Self {
        let mut plan = Self::default();
        let mut search = Search::default();
        let mut addresses = Vec::new();
        for id in program.module.functions.keys() {
            let Some(view) = program.body_view(id) else { continue };
            if has_stack_builtin(view.body) {
                plan.protected.insert(id);
            }
            for address in unsafe_addresses(&view) {
                let sources = sources(&view, address);
                if sources.is_on_stack {
                    plan.protected.insert(id);
                }
                if !sources.arguments.is_empty() {
                    let arguments: Vec<usize> =
                        sources.arguments.iter().map(|&argument| search.node(id, argument)).collect();
                    addresses.push((id, arguments, Movable::at(&view, address).filter(|_| moves)));
                }
            }
        }
        if addresses.is_empty() {
            return plan;
        }
        search.follow_callers(program);
        let is_unknown = if moves { search.unknown() } else { vec![false; search.nodes.len()] };
        let mut work: Vec<usize> = Vec::new();
        for (id, arguments, movable) in addresses {
            if arguments.iter().all(|&node| !is_unknown[node]) {
                work.extend(arguments);
            } else if let Some(movable) = movable {
                plan.movable.entry(id).or_default().push(movable);
            }
        }
        let mut seen = vec![false; search.nodes.len()];
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                plan.protected.extend(&search.nodes[at].on_stack_of);
                work.extend(&search.nodes[at].origins);
            }
        }
        plan
    }
}

/// An argument of a function through which an address may be passed.
#[derive(Default)]
struct Node {
    /// The callers that pass memory on their stacks.
    on_stack_of: Vec<FunctionId>,
    /// The arguments of callers that they pass on.
    origins: Vec<usize>,
    /// True if a caller, or the origin of what it passes, is not known.
    is_unknown: bool,
}

/// The arguments of functions, linked with the arguments of callers that may be passed.
#[derive(Default)]
struct Search {
    nodes: Vec<Node>,
    arguments: Vec<(FunctionId, usize)>,
    at: FxHashMap<(FunctionId, usize), usize>,
}

impl Search {
    /// Returns the node of an argument.
    fn node(&mut self, function: FunctionId, argument: usize) -> usize {
        *self.at.entry((function, argument)).or_insert_with(|| {
            self.nodes.push(Node::default());
            self.arguments.push((function, argument));
            self.nodes.len() - 1
        })
    }

    /// Adds what callers pass, and what their callers pass to them.
    fn follow_callers(&mut self, program: &ProgramView<'_>) {
        let uses = FunctionUses::new(program);
        let mut next = 0;
        while let Some(&(function, argument)) = self.arguments.get(next) {
            let mut node = Node { is_unknown: uses.is_used_elsewhere(function), ..Node::default() };
            for reference in uses.of(function) {
                let Some(view) = program.body_view(reference.function) else { continue };
                node.is_unknown |= view.body.inst(reference.inst).opcode != Opcode::FunctionRef;
                for user in view.body.results(reference.inst).flat_map(|value| view.body.users(value)) {
                    match passed(&view, reference.inst, user, argument) {
                        Some(sources) => self.add(&mut node, reference.function, &sources),
                        None => node.is_unknown = true,
                    }
                }
            }
            self.nodes[next] = node;
            next += 1;
        }
    }

    fn add(&mut self, node: &mut Node, caller: FunctionId, sources: &Sources) {
        node.is_unknown |= !sources.are_known;
        if sources.is_on_stack {
            node.on_stack_of.push(caller);
        }
        node.origins.extend(sources.arguments.iter().map(|&argument| self.node(caller, argument)));
    }

    /// Returns for each node whether an origin of the address, however far away, is unknown.
    fn unknown(&self) -> Vec<bool> {
        let mut passed_to: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            node.origins.iter().for_each(|&origin| passed_to[origin].push(at));
        }
        let mut is_unknown = vec![false; self.nodes.len()];
        let mut work: Vec<usize> = (0..self.nodes.len()).filter(|&at| self.nodes[at].is_unknown).collect();
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut is_unknown[at], true) {
                work.extend(&passed_to[at]);
            }
        }
        is_unknown
    }
}

/// Returns the origins of what a call of a referenced function, or a closure of it, passes for an argument; `None` if a
/// closure does not capture it, and for other uses of the reference.
fn passed(view: &BodyView<'_>, reference: Inst, user: Inst, argument: usize) -> Option<Sources> {
    let body = view.body;
    let site = view.apply_site(user).filter(|site| body.first_result(reference) == Some(site.callee()))?;
    let operand = site.operand_of_argument(argument)?;
    Some(passed_sources(view, body.operand_value(user, operand)))
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the names of the protected functions of a module with two callees that write through their arguments.
    fn protected(callers: &str) -> String {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nimport Swift\nclass B {{}}\n\
             class C : B {{ @_hasStorage var i: Builtin.Int64 }}\nstruct W {{ @_hasStorage var c: C }}\n\
             sil @use : $@convention(thin) (Builtin.RawPointer) -> ()\n\
             sil @address : $@convention(thin) (Builtin.Int64, @inout Builtin.Int64) -> () {{\n\
             bb0(%0 : $Builtin.Int64, %1 : $*Builtin.Int64):\n{}\
             sil @object : $@convention(thin) (@guaranteed W) -> () {{\nbb0(%0 : $W):\n\
             %8 = struct_extract %0, #W.c\n%1 = ref_element_addr %8, #C.i\n{}{callers}",
            [POINTER, END].concat(),
            [POINTER, END].concat()
        );
        let text = changed("stack-protection", &[], &text);
        let names = text.lines().filter(|line| line.contains("[stack_protection] @"));
        names.filter_map(|line| line.split(['@', ' ']).nth(3)).collect::<Vec<_>>().join(" ")
    }

    const POINTER: &str = "%2 = address_to_pointer [stack_protection] %1 to $Builtin.RawPointer\n\
        %3 = function_ref @use : $@convention(thin) (Builtin.RawPointer) -> ()\n\
        %4 = apply %3(%2) : $@convention(thin) (Builtin.RawPointer) -> ()\n";
    const END: &str = "%r = tuple ()\nreturn %r\n}\n";
    const ADDRESS: &str = "$@convention(thin) (Builtin.Int64, @inout Builtin.Int64) -> ()";

    fn passes(address: &str) -> String {
        format!(
            "%c = function_ref @address : {ADDRESS}\n%i = integer_literal $Builtin.Int64, 1\n\
             %d = apply %c(%i, {address}) : {ADDRESS}\n"
        )
    }

    fn function(name: &str, insts: &str) -> String {
        format!("sil @{name} : $@convention(thin) () -> () {{\nbb0:\n{insts}{END}")
    }

    #[test]
    fn callers_of_callees_are_found() {
        let slot = "%0 = alloc_stack $Builtin.Int64\n";
        let end = "dealloc_stack %0\n";
        let direct = function("f", &format!("{slot}{}{end}", passes("%0")));
        assert_eq!(protected(&direct), "f");
        let between = format!(
            "sil @g : $@convention(thin) (@inout Builtin.Int64) -> () {{\nbb0(%0 : $*Builtin.Int64):\n{}{END}",
            passes("%0")
        );
        let call = "%c = function_ref @g : $@convention(thin) (@inout Builtin.Int64) -> ()\n\
            %d = apply %c(%0) : $@convention(thin) (@inout Builtin.Int64) -> ()\n";
        assert_eq!(protected(&between), "");
        assert_eq!(protected(&(between + &function("f", &format!("{slot}{call}{end}")))), "f");
        assert_eq!(protected(&function("f", &format!("{slot}{end}"))), "");
    }

    #[test]
    fn captured_addresses_count_and_others_do_not() {
        let closure = |captured: &str, ty: &str| {
            format!(
                "%0 = alloc_stack $Builtin.Int64\n%1 = function_ref @address : {ADDRESS}\n\
                 %2 = partial_apply [callee_guaranteed] [on_stack] %1({captured}) : {ADDRESS}\n{ty}\
                 dealloc_stack %2\ndealloc_stack %0\n"
            )
        };
        assert_eq!(protected(&function("f", &closure("%0", ""))), "f");
        let call = "%i = integer_literal $Builtin.Int64, 1\n\
            %3 = apply %2(%i, %0) : $@noescape @callee_guaranteed (Builtin.Int64, @inout Builtin.Int64) -> ()\n";
        assert_eq!(protected(&function("f", &closure("", call))), "");
    }

    #[test]
    fn objects_are_followed_through_structs() {
        let object = |stack: &str, end: &str| {
            let ty = "$@convention(thin) (@guaranteed W) -> ()";
            function(
                "f",
                &format!(
                    "%0 = alloc_ref {stack} $C\n%1 = upcast %0 to $B\n%2 = unchecked_ref_cast %1 to $C\n\
                     %3 = struct $W (%2)\n%4 = function_ref @object : {ty}\n%5 = apply %4(%3) : {ty}\n{end} %0\n"
                ),
            )
        };
        assert_eq!(protected(&object("[stack]", "dealloc_stack_ref")), "f");
        assert_eq!(protected(&object("", "strong_release")), "");
    }

    #[test]
    fn pointers_of_the_function_itself_count() {
        let own = "%1 = alloc_stack $Builtin.Int64\n".to_owned() + POINTER + "dealloc_stack %1\n";
        assert_eq!(protected(&function("f", &own)), "f");
        let builtin = "%0 = integer_literal $Builtin.Word, 8\n\
            %1 = builtin \"stackAlloc\"(%0, %0, %0) : $Builtin.RawPointer\n\
            %2 = builtin \"stackDealloc\"(%1) : $()\n";
        assert_eq!(protected(&function("f", builtin)), "f");
    }
}
