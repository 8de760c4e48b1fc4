//! Layout computation for enums.

use crate::bits::Mask;
use crate::enum_layout::{Case, EnumLayout, MultiPayload, SinglePayload, Strategy, tag_bytes};
use crate::inhabitants::Xi;
use crate::ty::{BoxedField, Nominal, Ty, TyKind};
use crate::type_layout::{Layout, LayoutKind};
use crate::world::{ModuleId, TypeError, World};
use silkit_types::decl::{AccessLevel, DeclFlags, NominalKind};
use std::rc::Rc;

impl World {
    pub(super) fn enum_layout(&self, ty: Ty) -> Result<Layout, TypeError> {
        let (nominal, args) = ty.as_nominal().ok_or_else(|| TypeError::Unresolved(ty.to_string()))?;
        let cases = self.enum_cases(nominal, args)?;
        let mut with = Vec::new();
        let mut without = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            // A case with an empty payload counts as a case without a payload.
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

    /// Returns the cases of an enum and their payload types.
    ///
    /// # Errors
    /// Returns an error if a type cannot be resolved.
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
        // If extra inhabitants encode cases, the spare bits of the payload are no longer spare.
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
        // Only the spare bits of loadable payloads are used.
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

    /// Returns true if no payload size depends on a generic parameter or on a resilient type of another module.
    fn has_fixed_payloads(&self, parts: &EnumParts<'_>) -> bool {
        let params = self.abstract_args(parts.nominal);
        let Ok(cases) = self.enum_cases(parts.nominal, &params) else { return false };
        cases.iter().all(|c| c.payload.is_none_or(|ty| self.is_fixed(ty)))
    }

    /// Returns true if a payload that is empty for some generic arguments is empty for all of them.
    fn is_known_empty(&self, nominal: Nominal, case: usize) -> bool {
        let params = self.abstract_args(nominal);
        let Ok(cases) = self.enum_cases(nominal, &params) else { return false };
        let payload = cases.get(case).and_then(|c| c.payload);
        payload.is_none_or(|ty| self.is_fixed(ty))
    }

    /// Returns true if the field offsets of a struct or class are the same for all generic arguments. An empty field
    /// then has the offset 0.
    pub(super) fn has_fixed_offsets(&self, ty: Ty) -> bool {
        let Some((nominal, _)) = ty.as_nominal() else { return false };
        self.fields_are_fixed(Ty::nominal(nominal, self.abstract_args(nominal)))
    }

    fn fields_are_fixed(&self, ty: Ty) -> bool {
        self.stored_fields(ty).is_ok_and(|fields| fields.iter().all(|f| self.is_fixed(f.ty)))
            && self.superclass(ty).is_none_or(|above| self.fields_are_fixed(above))
    }

    fn abstract_args(&self, nominal: Nominal) -> Vec<Ty> {
        (0..self.params(nominal).len()).map(|i| Ty::new(TyKind::Param(0, i as u16))).collect()
    }

    /// Returns true if the layout of a type does not depend on a generic parameter or a resilient declaration.
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
                    decl.access >= AccessLevel::Package || decl.flags.contains(DeclFlags::USABLE_FROM_INLINE);
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

/// Returns the size in bytes of an extra tag that distinguishes `cases` additional cases, and the number of its bits in
/// use.
fn extra_tag(payload_size: u64, cases: u64) -> (u64, u64) {
    let tags = if payload_size >= 4 { 2 } else { cases.div_ceil(1 << (payload_size * 8)) + 1 };
    (tag_bytes(tags), u64::from(u64::BITS - (tags - 1).leading_zeros()))
}
