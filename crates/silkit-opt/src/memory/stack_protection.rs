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

use super::stack_sources::{Sources, has_stack_builtin, sources, unsafe_addresses};
use silkit_analysis::BodyView;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::attributes::FunctionFlags;
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{FunctionId, Inst};
use silkit_pass::{ModuleContext, Pass};

pub(super) const PASS: Pass<'static> = Pass::module(
    "stack-protection",
    "Adds stack protectors to functions with stack allocations that may overflow in a callee",
    &run,
)
.mandatory();

fn run(cx: &mut ModuleContext<'_>) {
    for id in functions_to_protect(cx) {
        if !cx.may_change() {
            return;
        }
        cx.module_mut().functions[id].attributes.flags.insert(FunctionFlags::STACK_PROTECTION);
        cx.count("functions protected", 1);
    }
}

/// Returns the functions that need a stack protector and have none, in module order.
fn functions_to_protect(cx: &ModuleContext<'_>) -> Vec<FunctionId> {
    let program = cx.program();
    let mut search = Search::default();
    let mut calls: FxHashMap<Symbol, Vec<(FunctionId, Inst)>> = FxHashMap::default();
    for id in program.module.functions.keys() {
        let Some(view) = program.body_view(id) else { continue };
        if has_stack_builtin(view.body) {
            search.found.insert(id);
        }
        for sources in unsafe_addresses(&view) {
            search.add(id, sources);
        }
        for inst in view.body.insts() {
            if let Some(callee) = callee(&view, inst) {
                calls.entry(callee).or_default().push((id, inst));
            }
        }
    }
    while let Some((function, argument)) = search.work.pop() {
        let name = program.module.functions[function].name;
        for &(caller, call) in calls.get(&name).into_iter().flatten() {
            let Some(view) = program.body_view(caller) else { continue };
            let Some(site) = view.apply_site(call) else { continue };
            if let Some(operand) = site.operand_of_argument(argument) {
                search.add(caller, sources(&view, view.body.operand_value(call, operand)));
            }
        }
    }
    let is_new = |id: &FunctionId| {
        !program.module.functions[*id].attributes.flags.contains(FunctionFlags::STACK_PROTECTION)
            && search.found.contains(id)
    };
    program.module.functions.keys().filter(is_new).collect()
}

/// Returns the function that an apply site references directly.
fn callee(view: &BodyView<'_>, inst: Inst) -> Option<Symbol> {
    let site = view.apply_site(inst)?;
    view.body.def_as::<FunctionRef>(site.callee()).map(|reference| reference.function)
}

#[derive(Default)]
struct Search {
    found: FxHashSet<FunctionId>,
    /// The arguments whose origins in callers are not known yet.
    work: Vec<(FunctionId, usize)>,
    seen: FxHashSet<(FunctionId, usize)>,
}

impl Search {
    fn add(&mut self, function: FunctionId, sources: Sources) {
        if sources.is_on_stack {
            self.found.insert(function);
        }
        for argument in sources.arguments {
            if self.seen.insert((function, argument)) {
                self.work.push((function, argument));
            }
        }
    }
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
