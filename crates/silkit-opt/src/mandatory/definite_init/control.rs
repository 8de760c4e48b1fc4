//! The control variable of an object: a bit for each element, which is set when the element is initialized.
//!
//! ```text
//!   %1 = alloc_stack $Builtin.Int2
//!   %4 = integer_literal $Builtin.Int2, 0
//!   store %4 to [trivial] %1            // after the mark: no element is initialized
//!   …
//!   %7 = integer_literal $Builtin.Int2, -2
//!   %8 = load [trivial] %1
//!   %9 = builtin "or_Int2"(%8, %7) : $Builtin.Int2
//!   store %9 to [trivial] %1            // before the second element is initialized
//! ```

use super::object::Storage;
use super::plan::{Plan, Write};
use super::releases;
use silkit_ir::instructions::{AllocStack, Load, LoadQualifier, Store, StoreQualifier};
use silkit_ir::{Builder, Inst, Point, Value};
use silkit_pass::FunctionContext;
use silkit_types::{SilType, Type};
use std::ops::Range;

/// A control variable.
pub(super) struct ControlVariable {
    address: Value,
    bits: u32,
}

/// The blocks of a conditional statement that was inserted before an instruction.
pub(super) struct Diamond {
    /// The branch at the end of the block that is executed if the condition holds.
    pub(super) then: Inst,
    /// The branch at the end of the other block.
    pub(super) otherwise: Inst,
}

fn integer(bits: u32) -> SilType {
    SilType::object(Type::builtin(&format!("Int{bits}")))
}

fn load(builder: &mut Builder<'_>, address: Value) -> Value {
    builder.build(Load { qualifier: Some(LoadQualifier::Trivial), ..Load::new(address) })
}

impl ControlVariable {
    /// Inserts the control variable of an object: its allocation, its initialization, and a deallocation before each
    /// exit of the function.
    pub(super) fn insert(cx: &mut FunctionContext<'_>, plan: &Plan, exits: &[Inst]) -> Self {
        let bits = plan.bits();
        let entry = cx.body().entry_block().expect("invariant: a function with a mark has a block");
        let mut builder = cx.at(Point::Start(entry));
        let address = builder.alloc_stack(integer(bits));
        let control = Self { address, bits };
        for &exit in exits {
            cx.at(Point::Before(exit)).dealloc_stack(address);
        }
        let after = plan.projection.and_then(|address| cx.body().defining_inst(address));
        let mut builder = cx.at(Point::After(after.unwrap_or(plan.object.mark)));
        let zero = builder.integer_literal(integer(bits), "0");
        control.store(&mut builder, zero);
        if plan.object.storage == Storage::Address {
            let memory = cx.body().operand_value(plan.object.mark, 0);
            let allocation = cx.body().defining_inst(memory);
            if let Some(allocation) =
                allocation.filter(|&inst| cx.body().view_as::<AllocStack>(inst).is_some())
            {
                cx.edit().set_flag(allocation, "dynamic_lifetime", true);
            }
        }
        control
    }

    fn store(&self, builder: &mut Builder<'_>, value: Value) {
        let qualifier = Some(StoreQualifier::Trivial);
        builder.build(Store { qualifier, ..Store::new(value, self.address) });
    }

    fn builtin(&self, builder: &mut Builder<'_>, name: &str, args: &[Value], ty: SilType) -> Value {
        builder.builtin(format!("{name}_Int{}", self.bits).as_str(), &[][..], args, ty)
    }

    /// Sets the bits of elements.
    pub(super) fn set(&self, builder: &mut Builder<'_>, elements: Range<u32>) {
        let ty = integer(self.bits);
        // The literal is signed: the highest bit counts negative.
        let low = 1i128 << elements.start;
        let mask = if elements.end == self.bits { -low } else { (1i128 << elements.end) - low };
        let mut value = builder.integer_literal(ty, mask.to_string().as_str());
        if elements.start != 0 || elements.end != self.bits {
            let old = load(builder, self.address);
            value = self.builtin(builder, "or", &[old, value], ty);
        }
        self.store(builder, value);
    }

    /// Reads the bit of an element.
    fn bit(&self, builder: &mut Builder<'_>, element: u32) -> Value {
        let mut value = load(builder, self.address);
        if element != 0 {
            let ty = integer(self.bits);
            let count = builder.integer_literal(ty, element.to_string().as_str());
            value = self.builtin(builder, "lshr", &[value, count], ty);
        }
        match self.bits {
            1 => value,
            bits => {
                let name = format!("trunc_Int{bits}_Int1");
                builder.builtin(name.as_str(), &[][..], &[value][..], integer(1))
            }
        }
    }

    /// Inserts a conditional statement before an instruction whose condition is the bit of an element.
    pub(super) fn test(&self, cx: &mut FunctionContext<'_>, element: u32, before: Inst) -> Diamond {
        let bit = self.bit(&mut cx.at(Point::Before(before)), element);
        split(cx, bit, before)
    }

    /// Inserts a conditional statement before an instruction whose condition is that all bits are set.
    pub(super) fn test_all(&self, cx: &mut FunctionContext<'_>, before: Inst) -> Diamond {
        let mut builder = cx.at(Point::Before(before));
        let value = load(&mut builder, self.address);
        let all = builder.integer_literal(integer(self.bits), "-1");
        let is_all = self.builtin(&mut builder, "cmp_eq", &[value, all], integer(1));
        split(cx, is_all, before)
    }

    /// Records before an instruction that it initializes elements. Those that it may replace are destroyed first.
    pub(super) fn record_write(
        &self,
        cx: &mut FunctionContext<'_>,
        plan: &Plan,
        inst: Inst,
        write: Write,
        elements: Range<u32>,
    ) {
        if write == Write::Replace {
            for element in elements.clone() {
                self.destroy_if_set(cx, plan, element, inst);
            }
        }
        if write.initializes() {
            self.set(&mut cx.at(Point::Before(inst)), elements);
        }
    }

    /// Destroys an element before an instruction if its bit is set.
    pub(super) fn destroy_if_set(
        &self,
        cx: &mut FunctionContext<'_>,
        plan: &Plan,
        element: u32,
        before: Inst,
    ) {
        let diamond = self.test(cx, element, before);
        releases::destroy_element(&mut cx.at(Point::Before(diamond.then)), plan, element);
    }
}

/// Inserts a conditional statement before an instruction.
fn split(cx: &mut FunctionContext<'_>, condition: Value, before: Inst) -> Diamond {
    let loc = cx.body().inst(before).loc;
    let from = cx.body().inst_block(before);
    let mut edit = cx.edit();
    let rest = edit.split_block(before);
    let blocks = edit.insert_blocks_after(from, 2);
    let (then, otherwise) = (blocks[0], blocks[1]);
    let diamond = Diamond {
        then: edit.insert_branch(then, rest, &[], loc),
        otherwise: edit.insert_branch(otherwise, rest, &[], loc),
    };
    let mut builder = cx.at(Point::End(from));
    builder.set_default_loc(loc);
    builder.cond_br(condition, then, &[][..], otherwise, &[][..]);
    diamond
}
