//! `lower-tuple-addr-constructor`: lowers `tuple_addr_constructor` to stores of the elements, and removes
//! `ignored_use`.
//!
//! A tuple that was only destructured for this instruction is stored as a whole.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64, @in Builtin.Int64) -> @out (Builtin.Int64, Builtin.Int64) {
//! bb0(%0 : $*(Builtin.Int64, Builtin.Int64), %1 : $Builtin.Int64, %2 : $*Builtin.Int64):
//!   tuple_addr_constructor [init] %0 with (%1, %2)
//!   %4 = tuple ()
//!   return %4
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64, @in Builtin.Int64) -> @out (Builtin.Int64, Builtin.Int64) {
//! bb0(%0 : $*(Builtin.Int64, Builtin.Int64), %1 : $Builtin.Int64, %2 : $*Builtin.Int64):
//!   %3 = tuple_element_addr %0, 0
//!   store %1 to [trivial] %3
//!   %5 = tuple_element_addr %0, 1
//!   copy_addr [take] %2 to [init] %5
//!   %7 = tuple ()
//!   return %7
//! }
//! ```

use silkit_ir::instructions::{CopyAddr, InitQualifier, Store, StoreQualifier, TupleAddrConstructor};
use silkit_ir::{Body, Builder, Inst, Opcode, Point, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, SilType, TypeKind};

pub(super) const PASS: Pass<'static> = Pass::function(
    "lower-tuple-addr-constructor",
    "Lowers `tuple_addr_constructor` to stores of the elements",
    &run,
)
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let is_candidate = |&inst: &Inst| {
        matches!(cx.body().inst(inst).opcode, Opcode::IgnoredUse | Opcode::TupleAddrConstructor)
    };
    let insts: Vec<Inst> = cx.body().insts().filter(is_candidate).collect();
    for inst in insts {
        if !cx.may_change() {
            return;
        }
        if cx.body().inst(inst).opcode == Opcode::TupleAddrConstructor {
            lower(cx, inst);
            cx.count("tuples stored", 1);
        } else {
            cx.edit().remove(inst);
            cx.count("uses removed", 1);
        }
    }
}

fn lower(cx: &mut FunctionContext<'_>, constructor: Inst) {
    let sig = cx.view().signature();
    let declarations = cx.declarations();
    let Some(TupleAddrConstructor { qualifier, destination, elements }) = cx.body().view_as(constructor)
    else {
        return;
    };
    let elements: Vec<Value> = elements.iter().collect();
    let is_init = qualifier == InitQualifier::Init;
    let store = Storing { declarations, sig, is_init };
    if let Some(taken_apart) = whole_tuple(cx.body(), destination, &elements) {
        let tuple = cx.body().operand_value(taken_apart, 0);
        let mut builder = cx.at(Point::Before(constructor));
        store.element(&mut builder, tuple, destination);
        builder.remove(constructor);
        builder.remove(taken_apart);
        return;
    }
    if cx.body().value(destination).ty.ty().tuple_leaf_count() != elements.len() {
        // The type of the memory is not known.
        return;
    }
    let mut builder = cx.at(Point::Before(constructor));
    store.tuple(&mut builder, destination, &mut elements.into_iter());
    builder.remove(constructor);
}

/// Returns the `destructure_tuple` whose results are exactly the elements and have no other uses, if its operand has
/// the stored type.
fn whole_tuple(body: &Body, destination: Value, elements: &[Value]) -> Option<Inst> {
    let taken_apart = body.defining_inst(*elements.first()?)?;
    let is_candidate = body.inst(taken_apart).opcode == Opcode::DestructureTuple
        && body.results(taken_apart).eq(elements.iter().copied())
        && elements.iter().all(|&element| body.has_single_use(element))
        && body.value(body.operand_value(taken_apart, 0)).ty.ty() == body.value(destination).ty.ty();
    is_candidate.then_some(taken_apart)
}

/// The operations that store values to memory.
struct Storing<'d> {
    declarations: &'d Declarations,
    sig: Option<GenericSig>,
    /// True if the memory is uninitialized before.
    is_init: bool,
}

impl Storing<'_> {
    /// Stores elements to the leaves of a tuple, from left to right.
    fn tuple(&self, builder: &mut Builder<'_>, place: Value, elements: &mut dyn Iterator<Item = Value>) {
        // The remaining leaves, the next one last. Nesting of types is finite.
        let mut work: Vec<(Value, u32, SilType)> = Vec::new();
        push_parts(builder, place, &mut work);
        while let Some((tuple, index, ty)) = work.pop() {
            let at = builder.tuple_element_addr(tuple, index);
            if matches!(ty.ty().kind(), TypeKind::Tuple(_)) {
                push_parts(builder, at, &mut work);
            } else if let Some(element) = elements.next() {
                self.element(builder, element, at);
            }
        }
    }

    /// Stores one value, or moves it out of its memory.
    fn element(&self, builder: &mut Builder<'_>, element: Value, place: Value) {
        let ty = builder.value(element).ty;
        if ty.is_address() {
            builder.build(CopyAddr { take: true, init: self.is_init, ..CopyAddr::new(element, place) });
            return;
        }
        let is_trivial = self.declarations.is_trivial(ty.ty(), self.sig) == Some(true);
        let qualifier = match self.is_init {
            _ if is_trivial => StoreQualifier::Trivial,
            true => StoreQualifier::Init,
            false => StoreQualifier::Assign,
        };
        builder.build(Store { qualifier: Some(qualifier), ..Store::new(element, place) });
    }
}

fn push_parts(builder: &Builder<'_>, place: Value, work: &mut Vec<(Value, u32, SilType)>) {
    let ty = builder.value(place).ty;
    if let TypeKind::Tuple(parts) = ty.ty().kind() {
        let parts = parts.iter().enumerate().rev();
        work.extend(parts.map(|(index, part)| (place, index as u32, SilType::address(part.ty))));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the body, after the pass, of a function with a tuple, a copy of it and memory for one.
    fn lowered(ty: &str, insts: &str) -> String {
        let text = changed(
            "lower-tuple-addr-constructor",
            &[],
            &format!(
                "sil_stage raw\nimport Builtin\nimport Swift\nclass C {{}}\n\
                 sil [ossa] @f : $@convention(thin) (@owned {ty}, @inout {ty}, @in C) -> () {{\n\
                 bb0(%0 : @owned ${ty}, %1 : $*{ty}, %2 : $*C):\n{insts}\n%r = tuple ()\nreturn %r\n}}\n"
            ),
        );
        let body = &text[text.find("bb0(").expect("a body")..];
        let lines = body.lines().skip(1).map(str::trim).take_while(|line| !line.ends_with("= tuple ()"));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_tuple_taken_apart_for_this_is_stored_whole() {
        let apart = "(%3, %4) = destructure_tuple %0\n";
        let text = lowered("(C, C)", &format!("{apart}tuple_addr_constructor [assign] %1 with (%3, %4)"));
        assert_eq!(text, "store %0 to [assign] %1");
        let text = lowered("(C, C)", &format!("{apart}tuple_addr_constructor [init] %1 with (%4, %3)"));
        assert!(text.contains("tuple_element_addr %1, 0\nstore %4 to [init] %5"), "{text}");
        let used = "debug_value %3, let, name \"x\"\n";
        let text = lowered("(C, C)", &format!("{apart}{used}tuple_addr_constructor [init] %1 with (%3, %4)"));
        assert!(text.contains("destructure_tuple"), "{text}");
    }

    #[test]
    fn nested_elements_are_reached_step_by_step() {
        let insts = "(%3, %4) = destructure_tuple %0\n(%5, %6) = destructure_tuple %4\n\
                     tuple_addr_constructor [init] %1 with (%3, %5, %6)";
        let text = lowered("(C, (C, C))", insts);
        assert!(text.contains("%9 = tuple_element_addr %1, 1\n%10 = tuple_element_addr %9, 0"), "{text}");
    }

    #[test]
    fn elements_in_memory_are_moved() {
        let text = lowered(
            "(C, C)",
            "(%3, %4) = destructure_tuple %0\ndestroy_value %4\n\
                                      tuple_addr_constructor [assign] %1 with (%3, %2)",
        );
        assert!(text.contains("store %3 to [assign]") && text.contains("copy_addr [take] %2 to %"), "{text}");
    }

    #[test]
    fn memory_of_unknown_type_is_kept() {
        let text = changed(
            "lower-tuple-addr-constructor",
            &[],
            "sil_stage raw\nimport Builtin\nimport Swift\nclass C {}\n\
             sil [ossa] @f : $@convention(thin) (@owned C, @owned C, @inout Unknown) -> () {\n\
             bb0(%0 : @owned $C, %1 : @owned $C, %2 : $*Unknown):\n%3 = struct_element_addr %2, #Unknown.pair\n\
             tuple_addr_constructor [assign] %3 with (%0, %1)\n%r = tuple ()\nreturn %r\n}\n",
        );
        assert!(text.contains("tuple_addr_constructor [assign] %3 with (%0, %1)"), "{text}");
    }

    #[test]
    fn ignored_uses_go() {
        assert_eq!(lowered("(C, C)", "ignored_use %0\ndestroy_value %0"), "destroy_value %0");
    }
}
