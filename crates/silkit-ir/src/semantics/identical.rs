//! Identical instructions: instructions of the same kind with the same attributes, flags, result types and operands.

use crate::body::{Body, Inst, Value};
use crate::generated::Opcode;
use silkit_types::SilType;

/// Everything that identifies an instruction except its operands, its location and its forwarding ownership.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InstShape {
    opcode: Opcode,
    flags: u8,
    operands: usize,
    words: Box<[u32]>,
    results: Box<[SilType]>,
}

impl InstShape {
    /// Returns the shape with the attributes ignored.
    pub fn without_attributes(self) -> Self {
        Self { words: Box::default(), ..self }
    }

    /// Returns the shape with some flags ignored. Names of flags that the instruction does not have are ignored.
    pub fn without_flags(self, names: &[&str]) -> Self {
        let bits = names.iter().filter_map(|name| self.opcode.info().flag(name));
        let flags = bits.fold(self.flags, |flags, bit| flags & !(1 << bit));
        Self { flags, ..self }
    }

    /// Returns the shape with other types of the results.
    pub fn with_result_types(self, map: impl FnMut(SilType) -> SilType) -> Self {
        Self { results: self.results.into_iter().map(map).collect(), ..self }
    }
}

impl Body {
    /// Returns the shape of an instruction.
    pub fn shape(&self, inst: Inst) -> InstShape {
        let data = self.inst(inst);
        let mut words = Vec::new();
        for (attr, &word) in self.info(inst).attrs.iter().zip(self.words(inst)) {
            if attr.kind.is_list() && word != crate::NONE {
                let list = self.list(word);
                words.push(list.len() as u32);
                words.extend_from_slice(list);
            } else {
                words.push(word);
            }
        }
        InstShape {
            opcode: data.opcode,
            flags: data.flags,
            operands: self.operands(inst).len(),
            words: words.into(),
            results: self.results(inst).map(|value| self.value(value).ty).collect(),
        }
    }

    /// Returns true if two instructions are identical. `is_same` compares operands.
    pub fn is_identical(&self, a: Inst, b: Inst, mut is_same: impl FnMut(Value, Value) -> bool) -> bool {
        self.inst(a).opcode == self.inst(b).opcode
            && self.shape(a) == self.shape(b)
            && self.operands(a).iter().zip(self.operands(b)).all(|(a, b)| is_same(a.value, b.value))
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::{IntegerLiteral, Tuple};
    use crate::{Body, Point};
    use silkit_types::{NoFacts, SilType, Type};

    #[test]
    fn kind_attributes_types_and_operands_count() {
        let ty = |name: &str| SilType::object(Type::builtin(name));
        let mut body = Body::new();
        let mut b = body.builder(&NoFacts);
        let entry = b.append_block();
        b.move_to(Point::End(entry));
        let mut literal = |name: &str, value: &str| b.integer_literal(ty(name), value);
        let values =
            [literal("Int64", "1"), literal("Int64", "1"), literal("Int64", "2"), literal("Int32", "1")];
        let tuples = [[0, 1], [1, 0], [0, 2]].map(|[x, y]| b.build(Tuple::new(&[values[x], values[y]][..])));
        let inst = |value| body.defining_inst(value).expect("an instruction");
        let same = |x: usize, y: usize| body.is_identical(inst(values[x]), inst(values[y]), |_, _| true);
        assert!(same(0, 1) && !same(0, 2) && !same(0, 3));
        assert!(body.view_as::<IntegerLiteral>(inst(values[0])).is_some());
        let equal = |x: usize, y: usize| {
            body.is_identical(inst(tuples[x]), inst(tuples[y]), |a, b| {
                body.is_identical(inst(a), inst(b), |_, _| false)
            })
        };
        assert!(
            equal(0, 1) && !equal(0, 2) && !body.is_identical(inst(tuples[0]), inst(values[0]), |_, _| true)
        );
    }
}
