//! Extra inhabitants: bit patterns of a type that do not represent valid values.

use crate::enum_layout::MultiPayload;
use std::rc::Rc;

/// The extra inhabitants of a type.
#[derive(Clone, Debug)]
pub struct Xi {
    /// The byte offset of the field that provides the extra inhabitants.
    pub offset: u64,
    /// The number of leading extra inhabitants of the field that are already in use.
    pub skip: u32,
    /// The number of extra inhabitants.
    pub count: u32,
    kind: XiKind,
}

#[derive(Clone, Debug)]
enum XiKind {
    /// Consecutive integers of `size` bytes, starting with `first`.
    Values { first: u64, size: u64 },
    /// Unused tags of a multi-payload enum.
    Tags(Rc<MultiPayload>),
}

impl Xi {
    pub(crate) fn values(first: u64, size: u64, count: u32) -> Self {
        Self { offset: 0, skip: 0, count, kind: XiKind::Values { first, size } }
    }

    pub(crate) fn tags(of: Rc<MultiPayload>, count: u32) -> Self {
        Self { offset: 0, skip: 0, count, kind: XiKind::Tags(of) }
    }

    /// Returns the extra inhabitants moved by `offset` bytes.
    pub(crate) fn at(self, offset: u64) -> Self {
        Self { offset: self.offset + offset, ..self }
    }

    /// Returns the extra inhabitants that remain after the first `used` are taken, or `None` if none remain.
    pub(crate) fn after(self, used: u32) -> Option<Self> {
        let count = self.count.checked_sub(used).filter(|&n| n > 0)?;
        Some(Self { skip: self.skip + used, count, ..self })
    }

    /// Returns true if the extra inhabitants are the addresses 0, 1, 2, … at an offset, starting with null.
    pub fn is_null_pointer(&self) -> bool {
        self.skip == 0 && matches!(self.kind, XiKind::Values { first: 0, size: 8 })
    }

    /// Writes the extra inhabitant with this index into `value`.
    pub fn store(&self, index: u32, value: &mut [u8]) {
        let index = index + self.skip;
        let value = &mut value[self.offset as usize..];
        match &self.kind {
            XiKind::Values { first, size } => {
                let bits = first + u64::from(index);
                value[..*size as usize].copy_from_slice(&bits.to_le_bytes()[..*size as usize]);
            }
            XiKind::Tags(of) => of.store_unused_tag(index, value),
        }
    }

    /// Returns the index of the extra inhabitant that `value` holds, or `None` if it holds none.
    pub fn find(&self, value: &[u8]) -> Option<u32> {
        let value = value.get(self.offset as usize..)?;
        let index = match &self.kind {
            XiKind::Values { first, size } => {
                let mut bytes = [0; 8];
                bytes[..*size as usize].copy_from_slice(value.get(..*size as usize)?);
                u64::from_le_bytes(bytes).checked_sub(*first)?
            }
            XiKind::Tags(of) => u64::from(of.find_unused_tag(value)?),
        };
        let index = index.checked_sub(u64::from(self.skip))?;
        u32::try_from(index).ok().filter(|&i| i < self.count)
    }
}
