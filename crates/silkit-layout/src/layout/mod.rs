//! Layouts of concrete types (TypeLayout.rst): sizes, alignments, offsets, extra inhabitants and spare bits.

mod class;
mod enums;
mod raw;

pub use crate::enum_layout::{Case, EnumLayout, MultiPayload, SinglePayload, Strategy};
pub use crate::inhabitants::Xi;
pub use crate::type_layout::{ElementLayout, Layout, LayoutKind, RefKind};
pub use class::{ClassField, ClassLayout};

use crate::bits::Mask;
use crate::ty::{Builtin, FnRepr, Storage, Ty, TyKind};
use crate::world::{TypeError, World};
use silkit_base::Symbol;
use silkit_types::decl::{DeclFlags, NominalKind};
use std::rc::Rc;

type LayoutResult = Result<Rc<Layout>, TypeError>;

/// The maximum size of a type in bytes.
const MAX_SIZE: u64 = 1 << 40;

/// Returns the error for a type without a layout because it is too large.
fn too_large(what: &str) -> TypeError {
    TypeError::Unsupported(format!("{what} of more than {MAX_SIZE} bytes"))
}

impl World {
    /// Returns the layout of a type.
    ///
    /// # Errors
    /// Returns an error if the type is not concrete or its declaration is unknown.
    pub fn layout(&self, ty: Ty) -> LayoutResult {
        if let Some(found) = self.layouts.borrow().get(&ty) {
            return found.clone();
        }
        // A type that contains itself has no layout.
        let cyclic = TypeError::Unsupported(format!("the infinite layout of `{ty}`"));
        self.layouts.borrow_mut().insert(ty, Err(cyclic));
        let found = self.find_layout(ty).map(Rc::new);
        self.layouts.borrow_mut().insert(ty, found.clone());
        found
    }

    fn find_layout(&self, ty: Ty) -> Result<Layout, TypeError> {
        let pointer = self.target.pointer_size;
        Ok(match ty.kind() {
            TyKind::Builtin(builtin) => self.builtin_layout(*builtin)?,
            TyKind::Nominal(..) => return self.nominal_layout(ty),
            TyKind::Tuple(fields) => self.fields_layout(fields.iter().map(|f| (f.label, f.ty)))?,
            TyKind::Function(f) => self.function_layout(f.repr),
            TyKind::Lowered(repr) => self.function_layout(*repr),
            TyKind::ThinMetatype(_) => Layout::scalar(0, 1),
            TyKind::Metatype(_) => self.metadata_pointer(),
            TyKind::ExistentialMetatype(existential) => {
                let tables = self.witness_table_count(*existential);
                let mut layout = self.with_tables(self.metadata_pointer(), tables);
                layout.kind = LayoutKind::Scalar;
                layout
            }
            TyKind::Existential(e) => {
                let tables = self.witness_table_count(ty);
                if e.is_class {
                    let mut layout = self.with_tables(self.reference(RefKind::Strong), tables);
                    layout.kind = LayoutKind::ClassExistential(tables);
                    return Ok(layout);
                }
                if tables == 1 && e.protocols.iter().any(|p| p.is_swift("Error")) {
                    return Ok(Layout {
                        kind: LayoutKind::ErrorExistential,
                        ..self.reference(RefKind::Strong)
                    });
                }
                let buffer = self.target.existential_buffer;
                let size = buffer + pointer * (1 + tables);
                Layout {
                    trivial: false,
                    loadable: false,
                    xi: self.metadata_pointer().xi.map(|xi| xi.at(buffer)),
                    kind: LayoutKind::Existential(tables),
                    ..Layout::scalar(size, pointer)
                }
            }
            TyKind::Box(_) => self.reference(RefKind::Strong),
            TyKind::Storage(Storage::Unmanaged, _) => {
                let reference = self.referent_layout(ty)?;
                Layout { trivial: true, kind: LayoutKind::Scalar, ..reference }
            }
            TyKind::Storage(Storage::Unowned, _) => {
                let reference = self.referent_layout(ty)?;
                let kind = match reference.kind {
                    LayoutKind::Reference(_) | LayoutKind::ClassExistential(_) => {
                        LayoutKind::Reference(RefKind::Unowned)
                    }
                    _ => return Err(TypeError::Unsupported(format!("the layout of `{ty}`"))),
                };
                Layout { kind, ..reference }
            }
            TyKind::Storage(Storage::Weak, referent) => {
                let tables = self.weak_tables(*referent);
                // With a witness table after the reference, null and small integers in the table pointer are not valid
                // values.
                let xi = (tables > 0).then(|| Xi::values(1, pointer, i32::MAX as u32).at(pointer));
                let layout = Layout { xi, takable: false, loadable: false, ..self.reference(RefKind::Weak) };
                let size = layout.size + pointer * tables;
                Layout { size, spare: Mask::none(size), ..layout }
            }
            TyKind::Pack(_) | TyKind::Param(..) => return Err(TypeError::Unbound(ty.to_string())),
            TyKind::Integer(_) | TyKind::BlockStorage(_) => {
                return Err(TypeError::Unsupported(format!("the layout of `{ty}`")));
            }
        })
    }

    /// Returns the layout of the reference in a storage type. If the reference is optional, `nil` uses an extra
    /// inhabitant.
    fn referent_layout(&self, ty: Ty) -> Result<Layout, TypeError> {
        let TyKind::Storage(_, referent) = ty.kind() else {
            return Err(TypeError::Unsupported(ty.to_string()));
        };
        match referent.optional_payload() {
            None => Ok((*self.layout(*referent)?).clone()),
            Some(payload) => {
                let layout = (*self.layout(payload)?).clone();
                Ok(Layout { xi: layout.xi.clone().and_then(|xi| xi.after(1)), ..layout })
            }
        }
    }

    fn weak_tables(&self, referent: Ty) -> u64 {
        let ty = referent.optional_payload().unwrap_or(referent);
        match ty.kind() {
            TyKind::Existential(_) => self.witness_table_count(ty),
            _ => 0,
        }
    }

    /// Returns the number of witness tables in the container of an existential type.
    pub fn witness_table_count(&self, existential: Ty) -> u64 {
        match existential.kind() {
            TyKind::Existential(e) => e.protocols.len() as u64,
            _ => 0,
        }
    }

    fn metadata_pointer(&self) -> Layout {
        let reference = self.reference(RefKind::Strong);
        Layout { trivial: true, kind: LayoutKind::Scalar, ..reference }
    }

    fn reference(&self, kind: RefKind) -> Layout {
        let size = self.target.pointer_size;
        let spare = match kind {
            RefKind::Bridge | RefKind::Weak => Mask::none(size),
            RefKind::Strong | RefKind::Unowned => Mask::of_word(self.target.object_spare_bits),
        };
        Layout {
            size,
            align: size,
            trivial: false,
            takable: kind != RefKind::Weak,
            loadable: kind != RefKind::Weak,
            xi: Some(Xi::values(0, size, self.target.least_valid_pointer)),
            spare,
            kind: LayoutKind::Reference(kind),
        }
    }

    fn with_tables(&self, mut first: Layout, tables: u64) -> Layout {
        for _ in 0..tables {
            first.size += self.target.pointer_size;
            first.spare.append(&Mask::of_word(self.target.object_spare_bits), first.size);
        }
        first
    }

    fn function_layout(&self, repr: FnRepr) -> Layout {
        let pointer = self.target.pointer_size;
        let xi = Some(Xi::values(0, pointer, self.target.least_valid_pointer));
        let thick = Layout { xi: xi.clone(), ..Layout::scalar(2 * pointer, pointer) };
        match repr {
            FnRepr::Thick => Layout { trivial: false, kind: LayoutKind::Closure, ..thick },
            FnRepr::NoEscape => thick,
            FnRepr::Thin => Layout { xi, ..Layout::scalar(pointer, pointer) },
            FnRepr::Block => self.reference(RefKind::Strong),
            FnRepr::Differentiable => {
                let part = Ty::new(TyKind::Lowered(FnRepr::Thick));
                let parts =
                    (0..3).map(|i| ElementLayout { name: None, ty: part, offset: i * 2 * pointer }).collect();
                let kind = LayoutKind::Fields(parts);
                Layout { trivial: false, kind, xi: thick.xi, ..Layout::scalar(6 * pointer, pointer) }
            }
        }
    }

    fn builtin_layout(&self, builtin: Builtin) -> Result<Layout, TypeError> {
        let pointer = self.target.pointer_size;
        Ok(match builtin {
            Builtin::Int(1) => {
                let spare = Mask::of_bytes(&[0xFE]);
                Layout { xi: Some(Xi::values(2, 1, 254)), spare, ..Layout::scalar(1, 1) }
            }
            Builtin::Int(bits) => {
                let size = u64::from(bits).div_ceil(8).next_power_of_two();
                let mut spare = Mask::none(size);
                spare.set_from(u64::from(bits));
                Layout { spare, ..Layout::scalar(size, size.min(16)) }
            }
            Builtin::IntLiteral => Layout::scalar(2 * pointer, pointer),
            Builtin::Float(80) => Layout::scalar(16, 16),
            Builtin::Float(bits) => Layout::scalar(u64::from(bits / 8), u64::from(bits / 8)),
            Builtin::RawPointer => {
                Layout { xi: Some(Xi::values(0, pointer, 1)), ..Layout::scalar(pointer, pointer) }
            }
            Builtin::Object => self.reference(RefKind::Strong),
            Builtin::BridgeObject => self.reference(RefKind::Bridge),
            Builtin::ValueBuffer => Layout::scalar(3 * pointer, pointer),
            Builtin::Vector(count, element) => {
                let bits = match element.kind() {
                    TyKind::Builtin(Builtin::Int(1)) => 1,
                    _ => self.layout(element)?.size * 8,
                };
                let size = u64::from(count).checked_mul(bits).filter(|&bits| bits / 8 < MAX_SIZE);
                let size = size.ok_or_else(|| too_large("a vector"))?.div_ceil(8).next_power_of_two();
                Layout::scalar(size, size.min(self.target.max_vector_align))
            }
            Builtin::FixedArray(count, element) => self.array_layout(count, element)?,
            Builtin::Token => Layout::scalar(0, 1),
            Builtin::PackIndex => Layout::scalar(pointer, pointer),
            Builtin::Job | Builtin::Continuation => {
                Layout { xi: self.metadata_pointer().xi, ..Layout::scalar(pointer, pointer) }
            }
            // As an optional actor: the reference may be null.
            Builtin::ImplicitActor => {
                let layout = self.with_tables(self.reference(RefKind::Strong), 1);
                Layout { kind: LayoutKind::ClassExistential(1), ..layout }
            }
            Builtin::Executor => {
                Layout { xi: self.metadata_pointer().xi, ..Layout::scalar(2 * pointer, pointer) }
            }
            Builtin::DefaultActorStorage | Builtin::DistributedActorStorage => {
                Layout { kind: LayoutKind::Raw, ..Layout::scalar(12 * pointer, 2 * pointer) }
            }
        })
    }

    fn array_layout(&self, count: u64, element: Ty) -> Result<Layout, TypeError> {
        let of = self.layout(element)?;
        if count == 0 {
            return Ok(Layout::scalar(0, 1));
        }
        let size = of.stride().checked_mul(count).filter(|&n| n <= MAX_SIZE);
        let size = size.ok_or_else(|| TypeError::Unsupported(format!("an array of {count} elements")))?;
        Ok(Layout {
            size,
            align: of.align,
            trivial: of.trivial,
            takable: of.takable,
            loadable: of.loadable,
            xi: of.xi.clone(),
            spare: of.spare.repeated(of.stride(), size),
            kind: LayoutKind::Array(count, element),
        })
    }

    fn nominal_layout(&self, ty: Ty) -> Result<Layout, TypeError> {
        let unknown = || TypeError::Unresolved(ty.to_string());
        let (nominal, _) = ty.as_nominal().ok_or_else(unknown)?;
        let decl = self.decl(nominal).ok_or_else(unknown)?;
        match decl.kind {
            NominalKind::Class | NominalKind::Actor => Ok(self.reference(RefKind::Strong)),
            NominalKind::Enum => self.enum_layout(ty),
            NominalKind::Protocol => Err(TypeError::Unsupported(format!("the layout of protocol `{ty}`"))),
            NominalKind::Struct if decl.flags.contains(DeclFlags::RAW_LAYOUT) => self.raw_layout(ty),
            NominalKind::Struct => {
                let fields = self.stored_fields(ty)?;
                let mut layout = self.fields_layout(fields.iter().map(|f| (Some(f.name), f.ty)))?;
                if decl.flags.contains(DeclFlags::HAS_DEINIT) {
                    layout.trivial = false;
                }
                if let LayoutKind::Fields(parts) = &mut layout.kind
                    && fields.iter().any(|f| self.layout(f.ty).is_ok_and(|l| l.size == 0))
                    && self.has_fixed_offsets(ty)
                {
                    for part in parts {
                        let is_empty = self.layout(part.ty)?.size == 0;
                        part.offset = if is_empty { 0 } else { part.offset };
                    }
                }
                Ok(layout)
            }
        }
    }

    /// Lays out the fields of a struct or tuple in order.
    fn fields_layout(&self, fields: impl Iterator<Item = (Option<Symbol>, Ty)>) -> Result<Layout, TypeError> {
        let mut whole = Layout::scalar(0, 1);
        let mut parts = Vec::new();
        for (name, ty) in fields {
            let part = self.layout(ty)?;
            let offset = whole.size.next_multiple_of(part.align);
            if offset + part.size > MAX_SIZE {
                return Err(too_large("a type"));
            }
            // The padding between two fields is spare.
            whole.spare.append(&Mask::all(offset - whole.size), offset);
            whole.spare.append(&part.spare, offset + part.size);
            whole.size = offset + part.size;
            whole.align = whole.align.max(part.align);
            whole.trivial &= part.trivial;
            whole.takable &= part.takable;
            whole.loadable &= part.loadable;
            if part.extra_inhabitants() > whole.extra_inhabitants() {
                whole.xi = part.xi.clone().map(|xi| xi.at(offset));
            }
            parts.push(ElementLayout { name, ty, offset });
        }
        whole.kind = LayoutKind::Fields(parts.into());
        Ok(whole)
    }

    /// Returns the offset and the type of a stored property of a struct.
    ///
    /// # Errors
    /// Returns an error if the struct has no such property or its layout cannot be determined.
    pub fn struct_field(&self, ty: Ty, name: Symbol) -> Result<ElementLayout, TypeError> {
        let layout = self.layout(ty)?;
        let found = layout.parts().iter().find(|p| p.name == Some(name));
        found.copied().ok_or_else(|| TypeError::Unresolved(format!("{ty}.{name}")))
    }
}
