//! Runtime information about types: layouts, and plans for copying and destroying values.

use crate::violation::{Run, Stop};
use silkit_base::{FxHashMap, Symbol};
use silkit_layout::layout::{EnumLayout, LayoutKind, RefKind, Strategy};
use silkit_layout::{Layout, Ty, TypeError, World};
use std::rc::Rc;

/// The index of a type in the type table of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TypeId(pub(crate) u32);

/// The runtime information about a type.
#[derive(Clone, Debug)]
pub(crate) struct TypeInfo {
    /// The type.
    pub(crate) ty: Ty,
    /// The size of a value in bytes.
    pub(crate) size: u32,
    /// The alignment.
    pub(crate) align: u32,
    /// The distance between consecutive elements of an array.
    pub(crate) stride: u32,
    /// True if every byte of a value is initialized: there is no padding and no payload that can be absent.
    pub(crate) is_dense: bool,
    /// The plan for copying and destroying a value.
    pub(crate) plan: Plan,
    /// The layout.
    pub(crate) layout: Rc<Layout>,
    /// True if a part has a deinit, so that values are not copyable.
    pub(crate) has_deinit: bool,
    /// True if a part is raw storage: memory that the type does not describe and that may be uninitialized.
    pub(crate) has_raw_part: bool,
}

/// The plan for the references in a value when it is copied or destroyed.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// No references.
    Trivial,
    /// The value is a reference to a native object.
    Strong,
    /// The value is a reference that contains extra bits.
    Bridge,
    /// The value is a code address and a reference-counted context.
    Closure,
    /// The value is an unowned reference.
    Unowned,
    /// The value is a weak reference.
    Weak,
    /// The value has non-trivial parts, given by their offsets and types.
    Parts(Rc<[(u32, TypeId)]>),
    /// The value is an enum, given by its layout and the payload types of its cases.
    Enum(Rc<EnumLayout>, Rc<[Option<TypeId>]>),
    /// The value is an array of fixed size, given by the number and the type of its elements.
    Array(u32, TypeId),
    /// The value is an opaque existential container.
    Existential,
    /// The value is not copyable and is destroyed by its deinit function.
    Deinit(Symbol),
    /// The value is memory whose contents the type does not describe.
    Raw,
}

impl Plan {
    pub(crate) fn is_trivial(&self) -> bool {
        matches!(self, Self::Trivial)
    }
}

/// The type table of a run.
#[derive(Default, Debug)]
pub(crate) struct Types {
    infos: Vec<Rc<TypeInfo>>,
    by_type: FxHashMap<Ty, TypeId>,
}

/// Converts a type error into the reason why the program stops.
pub(crate) fn type_error(error: TypeError) -> Stop {
    match error {
        TypeError::Unresolved(what) => {
            Stop::Missing { what: format!("type `{what}`, which no linked module declares,"), symbol: None }
        }
        TypeError::Unbound(what) => {
            Stop::Unsupported(format!("type `{what}`, which is not a concrete type,"))
        }
        TypeError::Unsupported(what) => Stop::Unsupported(what),
    }
}

/// Returns an error for a builtin number with more bits than the interpreter computes with.
fn refuse_wide(ty: Ty) -> Run<()> {
    use silkit_layout::{Builtin, TyKind};
    let what = match ty.kind() {
        TyKind::Builtin(Builtin::Int(bits)) if !(1..=128).contains(bits) => {
            format!("`{ty}`, an integer of other than 1 to 128 bits,")
        }
        TyKind::Builtin(Builtin::Float(bits)) if !matches!(bits, 16 | 32 | 64 | 80) => {
            format!("`{ty}`, a floating-point number of other than 16, 32, 64 or 80 bits,")
        }
        TyKind::Builtin(Builtin::Vector(_, element)) => return refuse_wide(*element),
        _ => return Ok(()),
    };
    Err(Stop::Unsupported(what))
}

impl Types {
    /// Returns the runtime information of a type.
    #[inline]
    pub(crate) fn get(&self, id: TypeId) -> &Rc<TypeInfo> {
        &self.infos[id.0 as usize]
    }

    /// Returns true if a type has a part with a deinit, so that its values are not copyable.
    pub(crate) fn has_deinit(&self, ty: TypeId) -> bool {
        self.get(ty).has_deinit
    }

    /// Returns true if a plan concerns a part with a deinit.
    fn plan_has_deinit(&self, plan: &Plan) -> bool {
        match plan {
            Plan::Deinit(_) => true,
            Plan::Parts(parts) => parts.iter().any(|&(_, part)| self.has_deinit(part)),
            Plan::Enum(_, payloads) => payloads.iter().flatten().any(|&p| self.has_deinit(p)),
            Plan::Array(_, element) => self.has_deinit(*element),
            _ => false,
        }
    }

    /// Returns the index of a type.
    pub(crate) fn id(
        &mut self,
        world: &World,
        deinits: &dyn Fn(Ty) -> Option<Symbol>,
        ty: Ty,
    ) -> Run<TypeId> {
        if let Some(found) = self.by_type.get(&ty) {
            return Ok(*found);
        }
        refuse_wide(ty)?;
        let layout = world.layout(ty).map_err(type_error)?;
        let plan = self.plan(world, deinits, ty, &layout)?;
        let is_dense = self.is_dense(world, deinits, &layout)?;
        let to_u32 = |n: u64| {
            let fits = u32::try_from(n).ok().filter(|&n| n <= u32::MAX / 2);
            fits.ok_or_else(|| Stop::Unsupported(format!("a value of {n} bytes (type `{ty}`)")))
        };
        let mut has_raw_part = matches!(layout.kind, LayoutKind::Raw);
        for part in layout.parts() {
            let id = self.id(world, deinits, part.ty)?;
            has_raw_part |= self.get(id).has_raw_part;
        }
        let info = TypeInfo {
            ty,
            size: to_u32(layout.size)?,
            align: to_u32(layout.align)?,
            stride: to_u32(layout.stride())?,
            is_dense,
            has_deinit: self.plan_has_deinit(&plan),
            has_raw_part,
            plan,
            layout,
        };
        let id = TypeId(self.infos.len() as u32);
        self.infos.push(Rc::new(info));
        self.by_type.insert(ty, id);
        Ok(id)
    }

    fn plan(
        &mut self,
        world: &World,
        deinits: &dyn Fn(Ty) -> Option<Symbol>,
        ty: Ty,
        layout: &Layout,
    ) -> Run<Plan> {
        if let Some(function) = deinits(ty) {
            return Ok(Plan::Deinit(function));
        }
        if layout.trivial {
            return Ok(Plan::Trivial);
        }
        Ok(match &layout.kind {
            LayoutKind::Scalar => Plan::Trivial,
            LayoutKind::Reference(RefKind::Strong) => Plan::Strong,
            LayoutKind::Reference(RefKind::Bridge) => Plan::Bridge,
            LayoutKind::Reference(RefKind::Unowned) => Plan::Unowned,
            LayoutKind::Reference(RefKind::Weak) => Plan::Weak,
            LayoutKind::ClassExistential(_) | LayoutKind::ErrorExistential => Plan::Strong,
            LayoutKind::Closure => Plan::Closure,
            LayoutKind::Fields(parts) => {
                let mut counted = Vec::new();
                for part in parts {
                    let id = self.id(world, deinits, part.ty)?;
                    if !self.get(id).plan.is_trivial() {
                        counted.push((part.offset as u32, id));
                    }
                }
                if counted.is_empty() { Plan::Trivial } else { Plan::Parts(counted.into()) }
            }
            LayoutKind::Enum(of) => {
                let mut payloads = Vec::with_capacity(of.cases.len());
                for case in &of.cases {
                    let id = case.payload.map(|p| self.id(world, deinits, p)).transpose()?;
                    payloads.push(id.filter(|&id| !self.get(id).plan.is_trivial()));
                }
                Plan::Enum(of.clone(), payloads.into())
            }
            LayoutKind::Array(count, element) => {
                let id = self.id(world, deinits, *element)?;
                if self.get(id).plan.is_trivial() { Plan::Trivial } else { Plan::Array(*count as u32, id) }
            }
            LayoutKind::Existential(_) => Plan::Existential,
            LayoutKind::Raw => Plan::Raw,
        })
    }

    fn is_dense(
        &mut self,
        world: &World,
        deinits: &dyn Fn(Ty) -> Option<Symbol>,
        layout: &Layout,
    ) -> Run<bool> {
        Ok(match &layout.kind {
            LayoutKind::Fields(parts) => {
                let mut end = 0;
                for part in parts {
                    let id = self.id(world, deinits, part.ty)?;
                    let info = self.get(id);
                    if part.offset != end || !info.is_dense {
                        return Ok(false);
                    }
                    end = part.offset + u64::from(info.size);
                }
                true
            }
            LayoutKind::Enum(of) => match &of.strategy {
                Strategy::Empty | Strategy::Single | Strategy::Numbers(_) => {
                    of.cases.iter().all(|c| c.payload.is_none())
                }
                Strategy::SinglePayload(s) => {
                    // If extra inhabitants encode the other cases and span the whole payload, every bit encodes the
                    // case.
                    let payload = of.cases[s.payload_case as usize].payload;
                    match payload {
                        Some(ty) if s.tag_size == 0 && layout.size <= 8 => {
                            let id = self.id(world, deinits, ty)?;
                            self.get(id).is_dense
                        }
                        _ => false,
                    }
                }
                Strategy::MultiPayload(_) => false,
            },
            LayoutKind::Scalar => true,
            LayoutKind::Reference(_)
            | LayoutKind::Closure
            | LayoutKind::ClassExistential(_)
            | LayoutKind::ErrorExistential => true,
            LayoutKind::Array(..) | LayoutKind::Existential(_) | LayoutKind::Raw => false,
        })
    }
}
