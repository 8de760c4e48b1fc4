//! Induction variables: phis to which a literal is added in each iteration.

use silkit_base::{FxHashMap, strong_components};
use silkit_ir::ownership::builtin;
use silkit_ir::{Body, Inst, Opcode, Value, ValueDef};

/// The update of an induction variable in each iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InductionStep {
    /// The checked addition.
    pub add: Inst,
    /// The literal that is added.
    pub increment: Inst,
}

/// The induction variables of a body.
///
/// An induction variable is a cycle of definitions: one phi, one `sadd_with_overflow` of a literal, and the
/// extraction of the sum.
#[derive(Clone, Debug, Default)]
pub struct Induction {
    steps: FxHashMap<Value, InductionStep>,
    /// The phi of each value that is part of a cycle.
    headers: FxHashMap<Value, Value>,
}

impl Induction {
    /// Computes the induction variables of a body.
    pub fn compute(body: &Body) -> Self {
        let mut this = Self::default();
        let arguments = body.blocks().flat_map(|b| body.arguments(b)).copied();
        let phis = arguments.filter(|&v| body.is_phi(v));
        let sources = |value| sources(body, value).into_iter();
        strong_components(body.value_bound(), phis, sources, |circle| this.add(body, circle));
        this
    }

    fn add(&mut self, body: &Body, circle: &[Value]) {
        if circle.len() < 2 {
            return;
        }
        let (mut phi, mut step) = (None, None);
        for &value in circle {
            match body.def(value) {
                ValueDef::Argument(..) if phi.is_none() => phi = Some(value),
                ValueDef::Result(inst, _) => match body.inst(inst).opcode {
                    Opcode::TupleExtract => {}
                    Opcode::Builtin if step.is_none() => match addition(body, inst) {
                        Some(found) => step = Some(found),
                        None => return,
                    },
                    _ => return,
                },
                _ => return,
            }
        }
        if let (Some(phi), Some(step)) = (phi, step) {
            self.steps.insert(phi, step);
            self.headers.extend(circle.iter().map(|&value| (value, phi)));
        }
    }

    /// Returns the step of a phi if it is an induction variable.
    pub fn step(&self, phi: Value) -> Option<InductionStep> {
        self.steps.get(&phi).copied()
    }

    /// Returns the phi of the cycle that a value is part of.
    pub fn header(&self, value: Value) -> Option<Value> {
        self.headers.get(&value).copied()
    }
}

/// Returns the values that a value is computed from.
fn sources(body: &Body, value: Value) -> Vec<Value> {
    match body.def(value) {
        ValueDef::Result(inst, _) => body.operands(inst).iter().map(|o| o.value).collect(),
        ValueDef::Argument(..) if body.is_phi(value) => body.phi_values(value),
        _ => Vec::new(),
    }
}

/// Returns a checked addition with a literal on either side.
fn addition(body: &Body, inst: Inst) -> Option<InductionStep> {
    builtin(body, inst).filter(|b| b.id == "SAddOver")?;
    let operands = body.operands(inst).iter().take(2);
    let increment = operands
        .filter_map(|o| body.defining_inst(o.value))
        .find(|&i| body.inst(i).opcode == Opcode::IntegerLiteral)?;
    Some(InductionStep { add: inst, increment })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_of_a_phi_and_an_addition_counts() {
        let text = "\
sil @f : $@convention(thin) (Builtin.Int32, Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int32, %1 : $Builtin.Int1):
  %2 = integer_literal $Builtin.Int32, 1
  %3 = integer_literal $Builtin.Int1, -1
  br bb1(%0, %0)
bb1(%5 : $Builtin.Int32, %6 : $Builtin.Int32):
  %7 = builtin \"sadd_with_overflow_Int32\"(%2, %5, %3) : $(Builtin.Int32, Builtin.Int1)
  %8 = tuple_extract %7, 0
  %9 = builtin \"sadd_with_overflow_Int32\"(%6, %5, %3) : $(Builtin.Int32, Builtin.Int1)
  %10 = tuple_extract %9, 0
  cond_br %1, bb1(%8, %10), bb2
bb2:
  unreachable
}
";
        let module = silkit_text::parse_module(text).module;
        let body = module.functions.values().find_map(|f| f.body.as_ref()).expect("a body");
        let found = Induction::compute(body);
        let block = body.blocks().nth(1).unwrap();
        let [counter, sum] = body.arguments(block) else { panic!("two arguments") };
        let step = found.step(*counter).expect("an induction variable");
        assert_eq!(body.inst(step.increment).opcode, Opcode::IntegerLiteral);
        let members: Vec<Value> = body.block_insts(block).flat_map(|i| body.results(i)).collect();
        let headers: Vec<_> = members.iter().map(|&v| found.header(v)).collect();
        assert_eq!(headers, [Some(*counter), Some(*counter), None, None]);
        assert_eq!(found.step(*sum), None);
    }
}
