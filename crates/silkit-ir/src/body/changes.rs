//! The change history of a body, which tells whether a cached analysis is stale.

use bitflags::bitflags;

bitflags! {
    /// Kinds of changes. Each analysis declares the kinds that invalidate it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Changes: u8 {
        /// Instructions, operands, attributes, values.
        const INSTRUCTIONS = 1;
        /// Calls: apply sites and the callees and closures that they use.
        const CALLS = 1 << 1;
        /// Blocks, terminators, edges.
        const BRANCHES = 1 << 2;
        /// Properties that are visible to callers: ownership form, effects, the arguments of the signature.
        const FUNCTION = 1 << 3;
    }
}

/// A point in the change history of a body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch(pub(crate) u64);

impl Epoch {
    /// Returns the number of changes until this point.
    pub fn number(self) -> u64 {
        self.0
    }

    /// Returns the point after a number of changes.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
}

/// The epoch of the last change of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    now: u64,
    last: [u64; Changes::all().bits().count_ones() as usize],
}

impl History {
    pub(crate) fn record(&mut self, changes: Changes) {
        self.now += 1;
        for (bit, last) in self.last.iter_mut().enumerate() {
            if changes.bits() & 1 << bit != 0 {
                *last = self.now;
            }
        }
    }

    pub(crate) fn now(&self) -> Epoch {
        Epoch(self.now)
    }

    pub(crate) fn since(&self, epoch: Epoch) -> Changes {
        let newer = |(bit, &last): (usize, &u64)| if last > epoch.0 { 1 << bit } else { 0 };
        Changes::from_bits_retain(self.last.iter().enumerate().map(newer).sum())
    }

    /// Returns the history of a body that replaces the body with this history.
    pub(crate) fn replaced(&self, new: &History) -> History {
        let mut history = History { now: self.now.max(new.now), ..History::default() };
        history.record(Changes::all());
        history
    }
}
