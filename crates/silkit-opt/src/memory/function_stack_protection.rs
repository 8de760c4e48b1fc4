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

use silkit_base::FxHashSet;
use silkit_ir::attributes::FunctionFlags;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> = Pass::function(
    "function-stack-protection",
    "Requests stack protectors for functions that may write through pointers to stack memory",
    &run,
)
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let has_protection = cx.function().attributes.flags.contains(FunctionFlags::STACK_PROTECTION);
    if has_protection || !cx.body().insts().any(|inst| needs_protection(cx.body(), inst)) {
        return;
    }
    if cx.may_change() {
        cx.function_mut().attributes.flags.insert(FunctionFlags::STACK_PROTECTION);
        cx.count("functions protected", 1);
    }
}

/// Returns true if a write through the result of an instruction may overflow a stack allocation.
fn needs_protection(body: &Body, inst: Inst) -> bool {
    match body.view(inst) {
        AnyInst::Builtin(builtin) => builtin.name == "stackAlloc",
        AnyInst::AddressToPointer(cast) => {
            cast.stack_protection && is_on_stack(body, cast.operand) && is_written_through(body, inst)
        }
        AnyInst::IndexAddr(index) => {
            index.stack_protection && is_on_stack(body, index.base) && is_written_through(body, inst)
        }
        _ => false,
    }
}

/// Returns true if an address is in a stack allocation or in an object on the stack. As in the reference, the
/// derivation is not followed through indices and casts of addresses.
fn is_on_stack(body: &Body, address: Value) -> bool {
    let mut at = address;
    // Invalid SIL may define values in terms of each other.
    for _ in 0..body.inst_bound() {
        at = match body.defining_inst(at).map(|inst| body.view(inst)) {
            Some(AnyInst::AllocStack(_)) => return true,
            Some(AnyInst::AllocRef(object)) => return object.stack,
            Some(AnyInst::AllocRefDynamic(object)) => return object.stack,
            Some(AnyInst::BeginAccess(access)) => access.address,
            Some(AnyInst::StructElementAddr(part)) => part.operand,
            Some(AnyInst::TupleElementAddr(part)) => part.operand,
            Some(AnyInst::RefElementAddr(part)) => part.operand,
            Some(AnyInst::RefTailAddr(part)) => part.operand,
            Some(AnyInst::MarkDependence(mark)) => mark.value,
            Some(AnyInst::Upcast(cast)) => cast.operand,
            Some(AnyInst::UncheckedRefCast(cast)) => cast.operand,
            Some(AnyInst::EndInitLetRef(end)) => end.operand,
            _ => return false,
        };
    }
    false
}

/// Returns true unless the result of an instruction is only used for reading.
fn is_written_through(body: &Body, inst: Inst) -> bool {
    let mut work: Vec<Value> = body.results(inst).collect();
    let mut seen: FxHashSet<Value> = work.iter().copied().collect();
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            match body.inst(user).opcode {
                Opcode::Load
                | Opcode::LoadBorrow
                | Opcode::DebugValue
                | Opcode::FixLifetime
                | Opcode::EndAccess
                | Opcode::DeallocStack => {}
                Opcode::CopyAddr if body.operand_value(user, 1) != value => {}
                Opcode::PointerToAddress
                | Opcode::AddressToPointer
                | Opcode::BeginAccess
                | Opcode::StructElementAddr
                | Opcode::TupleElementAddr
                | Opcode::IndexAddr
                | Opcode::UncheckedAddrCast
                | Opcode::MarkDependence => {
                    work.extend(body.results(user).filter(|&value| seen.insert(value)));
                }
                _ => return true,
            }
        }
    }
    false
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
