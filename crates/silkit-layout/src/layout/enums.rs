//! Layouts of enums: which bits say which case it is.

use super::bits::Mask;
use super::values::Xi;
use super::{Layout, LayoutKind};
use crate::ty::{BoxedField, Nominal, Ty, TyKind};
use crate::world::{ModuleId, TypeError, World};
use silkit_base::Symbol;
use silkit_types::decl::{Access, DeclFlags, NominalKind};
use std::rc::Rc;

/// The layout of an enum.
#[derive(Clone, Debug)]
pub struct EnumLayout {
    /// The cases in the order of the declaration.
    pub cases: Box<[Case]>,
    /// How the case is told.
    pub strategy: Strategy,
    /// The bytes of a value.
    pub size: u64,
}

/// One case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its name.
    pub name: Symbol,
    /// The type of its payload as stored; a box where the case is indirect.
    pub payload: Option<Ty>,
    /// True if the payload is in a box.
    pub indirect: bool,
}

/// How the case of an enum is told.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// There are no cases.
    Empty,
    /// There is one case.
    Single,
    /// The value is the number of the case, in so many bytes.
    Numbers(u64),
    /// One case has a payload.
    SinglePayload(SinglePayload),
    /// Several cases have payloads.
    MultiPayload(Rc<MultiPayload>),
}

/// An enum of which one case has a payload.
#[derive(Clone, Debug)]
pub struct SinglePayload {
    /// The case with the payload.
    pub payload_case: u32,
    /// The bytes of the payload.
    pub payload_size: u64,
    /// The other cases in order.
    pub empty: Box<[u32]>,
    /// The payload's extra inhabitants, which stand for the first other cases.
    pub xi: Option<Xi>,
    /// The bytes of the tag behind the payload.
    pub tag_size: u64,
}

/// An enum of which several cases have payloads.
#[derive(Clone, Debug)]
pub struct MultiPayload {
    /// The cases with payloads.
    pub payloads: Box<[u32]>,
    /// The other cases.
    pub empty: Box<[u32]>,
    /// The bytes of the largest payload.
    pub payload_size: u64,
    /// The spare bits that all payloads have.
    pub common: Mask,
    /// Those of them that hold the low bits of the tag.
    pub tag_bits: Mask,
    /// The bytes of the tag behind the payload.
    pub tag_size: u64,
    /// How many of the other cases share a tag.
    pub per_tag: u64,
}

impl World {
    pub(super) fn enum_layout(&self, ty: Ty) -> Result<Layout, TypeError> {
        let (nominal, args) = ty.as_nominal().ok_or_else(|| TypeError::Unresolved(ty.to_string()))?;
        let cases = self.enum_cases(nominal, args)?;
        let mut with = Vec::new();
        let mut without = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            // A payload without bytes is none.
            let is_empty = match case.payload {
                Some(payload) => {
                    !case.indirect && self.layout(payload)?.size == 0 && self.is_known_empty(nominal, number)
                }
                None => true,
            };
            let list = if is_empty { &mut without } else { &mut with };
            list.push(number as u32);
        }
        let parts = EnumParts { ty, nominal, cases: &cases, with, without };
        let (mut layout, strategy) = if cases.is_empty() {
            (Layout::scalar(0, 1), Strategy::Empty)
        } else if cases.len() == 1 {
            self.single_case(&parts)?
        } else {
            match parts.with.len() {
                0 => numbers(cases.len() as u64),
                1 => self.single_payload(&parts)?,
                _ => self.multi_payload(&parts)?,
            }
        };
        let size = layout.size;
        if self.decl(nominal).is_some_and(|d| d.flags.contains(DeclFlags::HAS_DEINIT)) {
            layout.trivial = false;
        }
        layout.kind = LayoutKind::Enum(Rc::new(EnumLayout { cases, strategy, size }));
        Ok(layout)
    }

    /// Returns the cases of an enum with the types of their payloads.
    ///
    /// # Errors
    /// Where a type cannot be resolved.
    pub fn enum_cases(&self, nominal: Nominal, args: &[Ty]) -> Result<Box<[Case]>, TypeError> {
        let decl = self.decl(nominal).ok_or_else(|| TypeError::Unresolved(format!("{nominal:?}")))?;
        let all_indirect = decl.flags.contains(DeclFlags::INDIRECT);
        let mut cases = Vec::with_capacity(decl.body.cases.len());
        for case in &decl.body.cases {
            let indirect = (case.indirect || all_indirect) && case.payload.is_some();
            let payload = match case.payload {
                Some(payload) => {
                    let ty = self.resolve_in(payload, nominal, args, true)?;
                    let boxed = || Ty::new(TyKind::Box([BoxedField { mutable: true, ty }].into()));
                    Some(if indirect { boxed() } else { ty })
                }
                None => None,
            };
            cases.push(Case { name: case.name, payload, indirect });
        }
        Ok(cases.into())
    }

    fn single_case(&self, parts: &EnumParts<'_>) -> Result<(Layout, Strategy), TypeError> {
        let layout = match parts.cases[0].payload {
            Some(payload) => (*self.layout(payload)?).clone(),
            None => Layout::scalar(0, 1),
        };
        Ok((layout, Strategy::Single))
    }

    fn payload(&self, parts: &EnumParts<'_>, case: u32) -> Result<Rc<Layout>, TypeError> {
        let payload = parts.cases[case as usize].payload;
        self.layout(payload.ok_or_else(|| TypeError::Unresolved(parts.ty.to_string()))?)
    }

    fn single_payload(&self, parts: &EnumParts<'_>) -> Result<(Layout, Strategy), TypeError> {
        let payload = self.payload(parts, parts.with[0])?;
        let empty = parts.without.len() as u64;
        let by_xi = u64::from(payload.extra_inhabitants()).min(empty);
        let (tag_size, tag_bits) =
            if empty > by_xi { extra_tag(payload.size, empty - by_xi) } else { (0, 0) };
        let mut layout = (*payload).clone();
        layout.size = payload.size + tag_size;
        layout.xi = match (payload.xi.clone(), tag_size) {
            (Some(xi), 0) => xi.after(by_xi as u32),
            _ => None,
        };
        // Bits that extra inhabitants use are not spare.
        layout.spare = if by_xi > 0 { Mask::none(payload.size) } else { payload.spare.clone() };
        if tag_size > 0 {
            let mut spare = Mask::none(tag_size);
            spare.set_from(tag_bits);
            layout.spare.append(&spare, layout.size);
        }
        let strategy = SinglePayload {
            payload_case: parts.with[0],
            payload_size: payload.size,
            empty: parts.without.clone().into(),
            xi: payload.xi.clone(),
            tag_size,
        };
        Ok((layout, Strategy::SinglePayload(strategy)))
    }

    fn multi_payload(&self, parts: &EnumParts<'_>) -> Result<(Layout, Strategy), TypeError> {
        let mut whole = Layout::scalar(0, 1);
        for &case in &parts.with {
            let payload = self.payload(parts, case)?;
            whole.size = whole.size.max(payload.size);
            whole.align = whole.align.max(payload.align);
            whole.trivial &= payload.trivial;
            whole.takable &= payload.takable;
            whole.loadable &= payload.loadable;
        }
        let payload_size = whole.size;
        let mut common = Mask::none(payload_size);
        // Spare bits are used of loadable payloads alone.
        let is_dynamic = !self.has_fixed_payloads(parts) || !whole.loadable;
        if !is_dynamic {
            common = Mask::all(payload_size);
            for &case in &parts.with {
                common.intersect(&self.payload(parts, case)?.spare);
            }
        }
        let spare = common.count();
        let used = payload_size * 8 - u64::from(spare);
        let per_tag = if used >= 32 { 1 << 32 } else { 1 << used };
        let empty_tags = (parts.without.len() as u64).div_ceil(per_tag);
        let tags = parts.with.len() as u64 + empty_tags;
        let bits = u64::BITS - (tags - 1).leading_zeros();
        let (tag_bits, tag_size, extra) = if is_dynamic {
            (Mask::none(payload_size), tag_bytes(tags), u64::from(bits))
        } else if bits <= spare {
            (common.highest(bits), 0, 0)
        } else {
            let extra = u64::from(bits - spare);
            (common.clone(), extra.div_ceil(8).next_power_of_two(), extra)
        };
        whole.size = payload_size + tag_size;
        let total_bits = u64::from(spare) + tag_size * 8;
        let unused =
            if total_bits >= 32 { 0x7FFF_FFFF } else { ((1u64 << total_bits) - tags).min(0x7FFF_FFFF) };
        whole.spare = common.without(&tag_bits);
        let mut behind = Mask::none(tag_size);
        behind.set_from(extra);
        whole.spare.append(&behind, whole.size);
        let strategy = Rc::new(MultiPayload {
            payloads: parts.with.clone().into(),
            empty: parts.without.clone().into(),
            payload_size,
            common,
            tag_bits,
            tag_size,
            per_tag,
        });
        whole.xi = (unused > 0).then(|| Xi::tags(strategy.clone(), unused as u32));
        Ok((whole, Strategy::MultiPayload(strategy)))
    }

    /// Returns true if no payload's size depends on a generic parameter, or on another module's decisions.
    fn has_fixed_payloads(&self, parts: &EnumParts<'_>) -> bool {
        let params = self.abstract_args(parts.nominal);
        let Ok(cases) = self.enum_cases(parts.nominal, &params) else { return false };
        cases.iter().all(|c| c.payload.is_none_or(|ty| self.is_fixed(ty)))
    }

    /// Returns true if a payload is empty whatever the generic parameters are.
    fn is_known_empty(&self, nominal: Nominal, case: usize) -> bool {
        let params = self.abstract_args(nominal);
        let Ok(cases) = self.enum_cases(nominal, &params) else { return false };
        let payload = cases.get(case).and_then(|c| c.payload);
        payload.is_none_or(|ty| self.is_fixed(ty))
    }

    fn abstract_args(&self, nominal: Nominal) -> Vec<Ty> {
        (0..self.params(nominal).len()).map(|i| Ty::new(TyKind::Param(0, i as u16))).collect()
    }

    /// Returns true if the layout of a type depends on no generic parameter, and on no declaration that another
    /// module may change.
    fn is_fixed(&self, ty: Ty) -> bool {
        match ty.kind() {
            TyKind::Param(..) => false,
            TyKind::Tuple(fields) => fields.iter().all(|f| self.is_fixed(f.ty)),
            TyKind::Nominal(nominal, args) => {
                let Some(decl) = self.decl(*nominal) else { return false };
                if decl.is_class() {
                    return true;
                }
                let fixed = DeclFlags::FROZEN | DeclFlags::FIXED_LAYOUT;
                let is_visible =
                    decl.access >= Access::Package || decl.flags.contains(DeclFlags::USABLE_FROM_INLINE);
                let is_resilient = self.module_of(*nominal).is_some_and(|m| self.is_resilient(m));
                if is_resilient && is_visible && !decl.flags.intersects(fixed) {
                    return false;
                }
                match decl.kind {
                    NominalKind::Struct => {
                        self.stored_fields(ty).is_ok_and(|fields| fields.iter().all(|f| self.is_fixed(f.ty)))
                    }
                    NominalKind::Enum => self.enum_cases(*nominal, args).is_ok_and(|cases| {
                        cases.iter().all(|c| c.payload.is_none_or(|ty| self.is_fixed(ty)))
                    }),
                    _ => false,
                }
            }
            TyKind::Builtin(crate::ty::Builtin::FixedArray(_, element)) => self.is_fixed(*element),
            _ => true,
        }
    }

    /// Returns true if a module is compiled with library evolution.
    fn is_resilient(&self, module: ModuleId) -> bool {
        self.module(module).decls.nominals().any(|n| n.flags.contains(DeclFlags::FROZEN))
    }
}

struct EnumParts<'a> {
    ty: Ty,
    nominal: Nominal,
    cases: &'a [Case],
    with: Vec<u32>,
    without: Vec<u32>,
}

fn numbers(count: u64) -> (Layout, Strategy) {
    let size = match count {
        0..=256 => 1,
        257..=65536 => 2,
        _ => 4,
    };
    let bits = u64::from(u64::BITS - (count - 1).leading_zeros());
    let mut layout = Layout::scalar(size, size);
    layout.spare.set_from(bits);
    let unused = if size >= 4 { 0x7FFF_FFFF } else { (1 << (size * 8)) - count as u32 };
    layout.xi = (unused > 0).then(|| Xi::values(count, size, unused));
    (layout, Strategy::Numbers(size))
}

/// Returns the bytes of the tag behind a payload that tells so many further cases apart, and the bits of it in use.
fn extra_tag(payload_size: u64, cases: u64) -> (u64, u64) {
    let tags = if payload_size >= 4 { 2 } else { cases.div_ceil(1 << (payload_size * 8)) + 1 };
    (tag_bytes(tags), u64::from(u64::BITS - (tags - 1).leading_zeros()))
}

fn tag_bytes(tags: u64) -> u64 {
    match tags {
        0..=1 => 0,
        2..=255 => 1,
        256..=65535 => 2,
        _ => 4,
    }
}

fn read(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}

fn write(bytes: &mut [u8], value: u64) {
    let len = bytes.len().min(8);
    bytes[..len].copy_from_slice(&value.to_le_bytes()[..len]);
    bytes[len..].fill(0);
}

impl EnumLayout {
    /// Returns the number of a case.
    pub fn case_named(&self, name: Symbol) -> Option<u32> {
        self.cases.iter().position(|c| c.name == name).map(|i| i as u32)
    }

    /// Returns the case that a value is; `None` where the bits are no value.
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

    /// Makes a value the case: sets its tag, where the payload is stored already, or all bits where it has none.
    pub fn inject(&self, case: u32, value: &mut [u8]) {
        match &self.strategy {
            Strategy::Empty | Strategy::Single => {}
            Strategy::Numbers(size) => write(&mut value[..*size as usize], u64::from(case)),
            Strategy::SinglePayload(s) => s.inject(case, value),
            Strategy::MultiPayload(m) => m.inject(case, value),
        }
    }

    /// Leaves the payload of the case in place of a value.
    pub fn project(&self, case: u32, value: &mut [u8]) {
        if let Strategy::MultiPayload(m) = &self.strategy
            && m.payloads.contains(&case)
        {
            m.tag_bits.clear(value);
        }
    }

    /// Returns true if projecting a payload changes none of its bits.
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
            return match found {
                Some(index) => self.empty.get(index as usize).copied(),
                None => Some(self.payload_case),
            };
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
            // What is spare in the payload's own type is zero there.
            self.set_tag(value, tag as u64, &self.tag_bits, false);
            return;
        }
        let index = self.empty.iter().position(|&c| c == case).unwrap_or_default() as u64;
        let payload = self.payload_size as usize;
        value[..payload].fill(0);
        self.common.complement().scatter(&mut value[..payload], index % self.per_tag, false);
        self.set_tag(value, self.payloads.len() as u64 + index / self.per_tag, &self.tag_bits, false);
    }

    /// Unused tags are counted down from all ones.
    pub(super) fn store_unused_tag(&self, index: u32, value: &mut [u8]) {
        let payload = self.payload_size as usize;
        value[..payload].fill(0);
        self.set_tag(value, !u64::from(index), &self.common, true);
    }

    pub(super) fn find_unused_tag(&self, value: &[u8]) -> Option<u32> {
        let bits = u64::from(self.common.count()) + self.tag_size * 8;
        let tag = self.tag(value, &self.common);
        let all = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        u32::try_from(all - (tag & all)).ok()
    }
}
