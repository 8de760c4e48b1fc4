//! Walks from a value to the values that it is derived from.
//!
//! Dominance allows values in unreachable blocks to be defined in terms of each other, so a walk along definitions may
//! return to where it was. Every such walk uses [`chain`], which ends then.

use crate::body::{Body, Inst, Value};
use crate::generated::Opcode;

/// Returns `first`, and after each item the one that `next` computes from it. Ends where `next` returns `None`, or when
/// the items repeat. Every item of a circle is returned at least once, some of them more often.
pub fn chain<T, F>(first: T, next: F) -> Chain<T, F>
where
    T: Copy + PartialEq,
    F: FnMut(T) -> Option<T>,
{
    Chain { last: None, first: Some(first), mark: first, steps: 0, most: 1, next }
}

/// An iterator along a chain. See [`chain`].
///
/// It finds circles with Brent's algorithm: an item is kept for comparison while twice as many others pass as before.
#[derive(Clone, Debug)]
pub struct Chain<T, F> {
    first: Option<T>,
    last: Option<T>,
    /// The item that the following ones are compared with.
    mark: T,
    /// The number of steps since the mark.
    steps: usize,
    /// The number of steps after which the mark moves.
    most: usize,
    next: F,
}

impl<T, F> Iterator for Chain<T, F>
where
    T: Copy + PartialEq,
    F: FnMut(T) -> Option<T>,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.last = match self.first.take() {
            Some(first) => Some(first),
            None => {
                let item = (self.next)(self.last?).filter(|item| *item != self.mark);
                self.steps += 1;
                if let Some(item) = item
                    && self.steps == self.most
                {
                    (self.mark, self.steps, self.most) = (item, 0, self.most.saturating_mul(2));
                }
                item
            }
        };
        self.last
    }
}

impl Body {
    /// Returns a value and the values that it is derived from, in the order of a walk along definitions: `step` returns
    /// the operand of an instruction to continue with. Ends at block arguments, and at circles in unreachable blocks.
    pub fn chain<'a>(
        &'a self,
        value: Value,
        mut step: impl FnMut(Inst) -> Option<Value> + 'a,
    ) -> impl Iterator<Item = Value> + 'a {
        chain(value, move |value| step(self.defining_inst(value)?))
    }

    /// Returns the value that a value is derived from by instructions of the kinds that `follows` accepts, which
    /// forward their first operand. For a circle in unreachable blocks, it is one of its values.
    pub fn look_through(&self, value: Value, mut follows: impl FnMut(Opcode) -> bool) -> Value {
        let step = |inst| follows(self.inst(inst).opcode).then(|| self.operand_value(inst, 0));
        self.chain(value, step).last().unwrap_or(value)
    }

    /// Returns the value before copies, borrows and moves.
    pub fn look_through_ownership(&self, value: Value) -> Value {
        use Opcode as O;
        self.look_through(value, |opcode| matches!(opcode, O::CopyValue | O::BeginBorrow | O::MoveValue))
    }

    /// Returns the reference before conversions to other classes, copies and borrows.
    pub fn look_through_class_casts(&self, reference: Value) -> Value {
        use Opcode as O;
        let follows =
            |opcode| matches!(opcode, O::Upcast | O::UncheckedRefCast | O::CopyValue | O::BeginBorrow);
        self.look_through(reference, follows)
    }
}

#[cfg(test)]
mod tests {
    use super::chain;

    /// Returns the items of a chain over numbers, in which `next[i]` follows `i`.
    fn items(next: &[usize], first: usize) -> Vec<usize> {
        chain(first, |at| next.get(at).copied()).collect()
    }

    #[test]
    fn a_chain_ends_where_there_is_no_next_item() {
        assert_eq!(items(&[1, 2, 3], 0), [0, 1, 2, 3]);
        assert_eq!(items(&[], 0), [0]);
    }

    #[test]
    fn a_chain_ends_at_a_circle() {
        for tail in 0..20 {
            for length in 1..20 {
                let next: Vec<usize> =
                    (0..tail + length).map(|i| if i + 1 < tail + length { i + 1 } else { tail }).collect();
                let found = items(&next, 0);
                assert!(next.iter().all(|item| found.contains(item)), "{tail} {length}: {found:?}");
                assert!(found.len() <= 4 * (tail + length), "{tail} {length}: {found:?}");
            }
        }
    }
}
