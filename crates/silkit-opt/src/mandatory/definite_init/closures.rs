//! Implicit closures, such as the right side of `&&`.
//!
//! They are transparent functions, and are called where they are written. So a closure that captures `self` needs only
//! what its body reads:
//!
//! ```text
//!   %3 = partial_apply %2(%1)     // %1 is `self` with properties `x` and `y`; the closure loads `x`
//! ```

use super::uses::{Collector, Level, Need, Use, UseKind, Uses, passed};
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::{Function, FunctionFlags, Inst, Operand};
use std::ops::Range;

/// The maximum depth of nested implicit closures.
const DEEPEST: u32 = 16;

impl Collector<'_> {
    /// Adds the uses in an implicit closure that captures an operand. Returns false if the instruction creates no such
    /// closure, or the closure does more than reading.
    pub(super) fn add_closure(
        &mut self,
        operand: Operand,
        inst: Inst,
        level: Level,
        elements: &Range<u32>,
    ) -> bool {
        let Some(needed) = self.needed_by_closure(operand, inst, level, elements) else { return false };
        for elements in needed {
            self.add(inst, UseKind::Needs(Need::Read), elements, Level::Elements);
        }
        true
    }

    /// Returns the elements that an implicit closure reads.
    fn needed_by_closure(
        &self,
        operand: Operand,
        inst: Inst,
        level: Level,
        elements: &Range<u32>,
    ) -> Option<Vec<Range<u32>>> {
        let body = self.view.body;
        let program = self.view.program;
        let site = ApplySite::new(body, inst, Addresses::Lowered).filter(|site| !site.is_full())?;
        passed(body, &site, operand)?;
        let name = body.called_function(inst)?;
        let view = program.body_view(program.function_id(name)?)?;
        if self.depth >= DEEPEST || !is_implicit(view.function) {
            return None;
        }
        let argument = site.argument_of_operand(body.operand_index(operand))?;
        let captured = *view.body.entry_arguments().get(argument)?;
        let level = if level == Level::Object { Level::Reference } else { level };
        let mut inner = Collector {
            view: &view,
            object: self.object,
            found: Uses::default(),
            work: vec![(captured, level, elements.clone())],
            depth: self.depth + 1,
        };
        inner.collect()?;
        inner.found.uses.into_iter().map(read).collect()
    }
}

/// Returns true if a function is the body of an implicit closure.
fn is_implicit(function: &Function) -> bool {
    function.attributes.flags.contains(FunctionFlags::TRANSPARENT)
}

/// Returns the elements of a use if it only reads them.
fn read(using: Use) -> Option<Range<u32>> {
    match using.kind {
        UseKind::Needs(Need::Load | Need::Read | Need::Argument | Need::Reference) => Some(using.elements),
        _ => None,
    }
}
