//! Layouts of enums as data: the bits of a value that encode its case.

use crate::bits::Mask;
use crate::inhabitants::Xi;
use crate::ty::Ty;
use silkit_base::Symbol;
use std::rc::Rc;

/// The layout of an enum.
#[derive(Clone, Debug)]
pub struct EnumLayout {
    /// The cases in declaration order.
    pub cases: Box<[Case]>,
    /// The strategy that encodes the case.
    pub strategy: Strategy,
    /// The size of a value in bytes.
    pub size: u64,
}

/// A case of an enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// The name of the case.
    pub name: Symbol,
    /// The stored type of the payload; a box if the case is indirect.
    pub payload: Option<Ty>,
    /// True if the case is indirect: its payload is stored in a box.
    pub indirect: bool,
}

/// The strategy that encodes the case of an enum value.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// The enum has no cases.
    Empty,
    /// The enum has exactly one case.
    Single,
    /// No case has a payload: the value is the index of the case, an integer of this number of bytes.
    Numbers(u64),
    /// Exactly one of the cases has a payload.
    SinglePayload(SinglePayload),
    /// Two or more cases have payloads.
    MultiPayload(Rc<MultiPayload>),
}

/// The encoding of an enum in which exactly one case has a payload.
#[derive(Clone, Debug)]
pub struct SinglePayload {
    /// The case with the payload.
    pub payload_case: u32,
    /// The size of the payload in bytes.
    pub payload_size: u64,
    /// The cases without payloads, in order.
    pub empty: Box<[u32]>,
    /// The extra inhabitants of the payload, which represent the first cases without payloads.
    pub xi: Option<Xi>,
    /// The size in bytes of the tag after the payload.
    pub tag_size: u64,
}

/// The encoding of an enum in which two or more cases have payloads.
#[derive(Clone, Debug)]
pub struct MultiPayload {
    /// The cases with payloads.
    pub payloads: Box<[u32]>,
    /// The cases without payloads.
    pub empty: Box<[u32]>,
    /// The size in bytes of the largest payload.
    pub payload_size: u64,
    /// The spare bits common to all payloads.
    pub common: Mask,
    /// The bits of the payload that hold the low bits of the tag.
    pub tag_bits: Mask,
    /// The size in bytes of the tag after the payload.
    pub tag_size: u64,
    /// The number of cases without payloads that can share a tag.
    pub per_tag: u64,
}

impl EnumLayout {
    /// Returns the index of a case.
    pub fn case_named(&self, name: Symbol) -> Option<u32> {
        self.cases.iter().position(|c| c.name == name).map(|i| i as u32)
    }

    /// Returns the case of a value, or `None` if the bits are not a valid value.
    pub fn case_of(&self, value: &[u8]) -> Option<u32> {
        match &self.strategy {
            Strategy::Empty => None,
            Strategy::Single => Some(0),
            Strategy::Numbers(size) => {
                let number = read(value.get(..*size as usize)?);
                u32::try_from(number).ok().filter(|&n| (n as usize) < self.cases.len())
            }
            Strategy::SinglePayload(s) => s.case_of(value),
            Strategy::MultiPayload(m) => m.case_of(value),
        }
    }

    /// Injects a case into a value: sets the tag if the payload is already stored, or all bits if the case has no
    /// payload.
    pub fn inject(&self, case: u32, value: &mut [u8]) {
        match &self.strategy {
            Strategy::Empty | Strategy::Single => {}
            Strategy::Numbers(size) => write(&mut value[..*size as usize], u64::from(case)),
            Strategy::SinglePayload(s) => s.inject(case, value),
            Strategy::MultiPayload(m) => m.inject(case, value),
        }
    }

    /// Projects the payload of a case in place: clears the tag bits of the value.
    pub fn project(&self, case: u32, value: &mut [u8]) {
        if let Strategy::MultiPayload(m) = &self.strategy
            && m.payloads.contains(&case)
        {
            m.tag_bits.clear(value);
        }
    }

    /// Returns true if the projection of a payload does not change its bits.
    pub fn projects_in_place(&self) -> bool {
        !matches!(&self.strategy, Strategy::MultiPayload(m) if m.tag_bits.count() > 0)
    }
}

impl SinglePayload {
    fn xi_count(&self) -> u32 {
        self.xi.as_ref().map_or(0, |xi| xi.count)
    }

    fn case_of(&self, value: &[u8]) -> Option<u32> {
        let payload = self.payload_size as usize;
        let tag = read(value.get(payload..payload + self.tag_size as usize)?);
        if tag == 0 {
            let found = self.xi.as_ref().and_then(|xi| xi.find(&value[..payload]));
            // An extra inhabitant that no case uses can be a valid payload: unused tags of an enum payload count down
            // to the tags that the payload itself uses.
            let case = found.and_then(|index| self.empty.get(index as usize)).copied();
            return case.or(Some(self.payload_case));
        }
        let per_tag = if self.payload_size >= 4 { 0 } else { 1u64 << (self.payload_size * 8) };
        let low = read(&value[..payload.min(4)]);
        let index = u64::from(self.xi_count()) + (tag - 1) * per_tag + low;
        self.empty.get(usize::try_from(index).ok()?).copied()
    }

    fn inject(&self, case: u32, value: &mut [u8]) {
        let payload = self.payload_size as usize;
        let tag = payload..payload + self.tag_size as usize;
        if case == self.payload_case {
            write(&mut value[tag], 0);
            return;
        }
        let index = self.empty.iter().position(|&c| c == case).unwrap_or_default() as u64;
        let by_xi = u64::from(self.xi_count());
        value[..payload].fill(0);
        match &self.xi {
            Some(xi) if index < by_xi => {
                write(&mut value[tag], 0);
                xi.store(index as u32, &mut value[..payload]);
            }
            _ => {
                let index = index - by_xi;
                let (number, low) = if self.payload_size >= 4 {
                    (1, index)
                } else {
                    let per_tag = 1 << (self.payload_size * 8);
                    (1 + index / per_tag, index % per_tag)
                };
                write(&mut value[..payload.min(4)], low);
                write(&mut value[tag], number);
            }
        }
    }
}

impl MultiPayload {
    fn tag(&self, value: &[u8], bits: &Mask) -> u64 {
        let low = bits.gather(value);
        let payload = self.payload_size as usize;
        let behind = read(&value[payload..payload + self.tag_size as usize]);
        match bits.count() {
            0 => behind,
            count if count < 64 => low | behind << count,
            _ => low,
        }
    }

    fn set_tag(&self, value: &mut [u8], tag: u64, bits: &Mask, fill: bool) {
        let count = bits.count();
        bits.scatter(value, tag, fill);
        let payload = self.payload_size as usize;
        let behind = if count < 64 { tag >> count } else { 0 };
        write(&mut value[payload..payload + self.tag_size as usize], behind);
    }

    fn case_of(&self, value: &[u8]) -> Option<u32> {
        let tag = self.tag(value, &self.tag_bits);
        if let Some(case) = self.payloads.get(usize::try_from(tag).ok()?) {
            return Some(*case);
        }
        let low = self.common.complement().gather(&value[..self.payload_size as usize]) & 0xFFFF_FFFF;
        let index = (tag - self.payloads.len() as u64).checked_mul(self.per_tag)?.checked_add(low)?;
        self.empty.get(usize::try_from(index).ok()?).copied()
    }

    fn inject(&self, case: u32, value: &mut [u8]) {
        if let Some(tag) = self.payloads.iter().position(|&c| c == case) {
            // The spare bits of the payload's own type are zero in the stored payload.
            self.set_tag(value, tag as u64, &self.tag_bits, false);
            return;
        }
        let index = self.empty.iter().position(|&c| c == case).unwrap_or_default() as u64;
        let payload = self.payload_size as usize;
        value[..payload].fill(0);
        self.common.complement().scatter(&mut value[..payload], index % self.per_tag, false);
        self.set_tag(value, self.payloads.len() as u64 + index / self.per_tag, &self.tag_bits, false);
    }

    /// Writes an unused tag as an extra inhabitant; unused tags count down from all ones.
    pub(crate) fn store_unused_tag(&self, index: u32, value: &mut [u8]) {
        let payload = self.payload_size as usize;
        value[..payload].fill(0);
        self.set_tag(value, !u64::from(index), &self.common, true);
    }

    pub(crate) fn find_unused_tag(&self, value: &[u8]) -> Option<u32> {
        let bits = u64::from(self.common.count()) + self.tag_size * 8;
        let tag = self.tag(value, &self.common);
        let all = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        u32::try_from(all - (tag & all)).ok()
    }
}

pub(crate) fn tag_bytes(tags: u64) -> u64 {
    match tags {
        0..=1 => 0,
        2..=255 => 1,
        256..=65535 => 2,
        _ => 4,
    }
}

pub(crate) fn read(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}

pub(crate) fn write(bytes: &mut [u8], value: u64) {
    let len = bytes.len().min(8);
    bytes[..len].copy_from_slice(&value.to_le_bytes()[..len]);
    bytes[len..].fill(0);
}
