//! `function-stack-protection`: requests stack protectors for functions that create pointers to stack memory and may
//! write through them.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int64) -> () {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_stack $Builtin.Int64
//!   %2 = address_to_pointer [stack_protection] %1 to $Builtin.RawPointer
//!   %3 = pointer_to_address %2 to $*Builtin.Int64
//!   store %0 to %3
//!   dealloc_stack %1
//!   %6 = tuple ()
//!   return %6
//! }
//! ---
//! sil [stack_protection] @f : $@convention(thin) (Builtin.Int64) -> () {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_stack $Builtin.Int64
//!   %2 = address_to_pointer [stack_protection] %1 to $Builtin.RawPointer
//!   %3 = pointer_to_address %2 to $*Builtin.Int64
//!   store %0 to %3
//!   dealloc_stack %1
//!   %6 = tuple ()
//!   return %6
//! }
//! ```

use super::stack_sources::{Movable, has_stack_builtin, sources, unsafe_addresses};
use super::temporaries::move_to_temporaries;
use silkit_ir::attributes::FunctionFlags;
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_pass::options;

pub(super) const PASS: Pass<'static> = Pass::function(
    "function-stack-protection",
    "Requests stack protectors for functions that may write through pointers to stack memory",
    &run,
)
.with_options(&[options::MOVE_INOUT])
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let moves = cx.options().is_on(options::MOVE_INOUT);
    let view = cx.view();
    let mut needs_protection = has_stack_builtin(view.body);
    let mut movable = Vec::new();
    for address in unsafe_addresses(&view) {
        needs_protection |= sources(&view, address).is_on_stack;
        movable.extend(Movable::at(&view, address).filter(|_| moves));
    }
    let has_protection = cx.function().attributes.flags.contains(FunctionFlags::STACK_PROTECTION);
    needs_protection &= !has_protection;
    if (!needs_protection && movable.is_empty()) || !cx.may_change() {
        return;
    }
    let has_ossa = cx.function().has_ossa();
    let (body, declarations) = cx.body_mut_with_declarations();
    let moved = move_to_temporaries(body, declarations, &movable, has_ossa);
    cx.function_mut().attributes.flags.insert(FunctionFlags::STACK_PROTECTION);
    cx.count("functions protected", 1);
    cx.count("values moved", moved);
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns true if a function with these instructions is protected.
    fn is_protected(insts: &str) -> bool {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nimport Swift\nclass C {{ @_hasStorage var i: Builtin.Int64 }}\n\
             sil @use : $@convention(thin) (Builtin.RawPointer) -> ()\n\
             sil @f : $@convention(thin) (Builtin.Int64, @inout Builtin.Int64, Builtin.Word) -> () {{\n\
             bb0(%0 : $Builtin.Int64, %1 : $*Builtin.Int64, %2 : $Builtin.Word):\n{insts}\n%r = tuple ()\nreturn %r\n}}\n"
        );
        changed("function-stack-protection", &[], &text).contains("sil [stack_protection] @f")
    }

    const POINTER: &str = "%4 = address_to_pointer [stack_protection] %3 to $Builtin.RawPointer\n";
    const USE: &str = "%5 = function_ref @use : $@convention(thin) (Builtin.RawPointer) -> ()\n\
        %6 = apply %5(%4) : $@convention(thin) (Builtin.RawPointer) -> ()\n";

    #[test]
    fn pointers_that_are_passed_on_need_it() {
        let slot = "%3 = alloc_stack $Builtin.Int64\n";
        assert!(is_protected(&format!("{slot}{POINTER}{USE}dealloc_stack %3")));
        let unsafe_pointer = POINTER.replace("[stack_protection] ", "");
        assert!(!is_protected(&format!("{slot}{unsafe_pointer}{USE}dealloc_stack %3")));
        assert!(!is_protected(&format!("{}{USE}", POINTER.replace("%3", "%1"))));
    }

    #[test]
    fn reading_needs_none() {
        let reads = "%3 = alloc_stack $Builtin.Int64\n%4 = index_addr [stack_protection] %3, %2\n%5 = load %4\n\
            copy_addr %4 to %1\n";
        assert!(!is_protected(&format!("{reads}dealloc_stack %3")));
        assert!(is_protected(&format!("{reads}copy_addr %1 to %4\ndealloc_stack %3")));
    }

    #[test]
    fn copying_from_the_pointer_needs_none() {
        let copy = |to: &str, from: &str| {
            format!(
                "%3 = alloc_stack $Builtin.Int64\n{POINTER}%5 = alloc_stack $Builtin.Int64\n\
                 %6 = address_to_pointer %5 to $Builtin.RawPointer\n%7 = integer_literal $Builtin.Int64, 8\n\
                 %8 = integer_literal $Builtin.Int1, 0\n\
                 %9 = builtin \"int_memcpy_RawPointer_RawPointer_Int64\"({to}, {from}, %7, %8) : $()\n\
                 %10 = builtin \"int_memmove_RawPointer_RawPointer_Int64\"({to}, {from}, %7, %8) : $()\n\
                 dealloc_stack %5\ndealloc_stack %3"
            )
        };
        assert!(!is_protected(&copy("%6", "%4")) && is_protected(&copy("%4", "%6")));
    }

    #[test]
    fn addresses_behind_pointers_are_followed() {
        let behind = |cast: &str| {
            format!(
                "%8 = alloc_stack $Builtin.Int64\n%9 = address_to_pointer %8 to $Builtin.RawPointer\n{cast}\n\
                 {POINTER}{USE}dealloc_stack %8"
            )
        };
        assert!(is_protected(&behind("%3 = pointer_to_address %9 to [strict] $*Builtin.Int64")));
        assert!(!is_protected(&behind("%3 = index_addr %8, %2")));
        assert!(!is_protected(&behind("%3 = unchecked_addr_cast %8 to $*Builtin.Int64")));
    }

    #[test]
    fn objects_on_the_stack_need_it() {
        let object = |stack: &str, end: &str| {
            format!(
                "%8 = alloc_ref {stack} $C\n%9 = ref_element_addr %8, #C.i\n\
                 %3 = begin_access [modify] [static] %9\n{POINTER}{USE}end_access %3\n{end} %8"
            )
        };
        assert!(is_protected(&object("[stack]", "dealloc_stack_ref")));
        assert!(!is_protected(&object("", "strong_release")));
    }

    #[test]
    fn the_builtin_needs_it() {
        let insts = |name: &str| {
            format!(
                "%3 = builtin \"{name}\"(%2, %2, %2) : $Builtin.RawPointer\n\
                 %4 = builtin \"stackDealloc\"(%3) : $()"
            )
        };
        assert!(is_protected(&insts("stackAlloc")) && !is_protected(&insts("unprotectedStackAlloc")));
    }
}
