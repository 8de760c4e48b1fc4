//! Layouts of class instances and boxes.

use crate::ty::{Builtin, Ty, TyKind};
use crate::world::{TypeError, World};
use silkit_base::Symbol;
use silkit_types::decl::NominalKind;

/// The layout of the instances of a class.
#[derive(Clone, Debug)]
pub struct ClassLayout {
    /// The stored properties, including those of superclasses, which come first.
    pub fields: Vec<ClassField>,
    /// The size of an instance in bytes, including its header but not tail-allocated elements.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
}

/// A stored property of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassField {
    /// The class that declares the property.
    pub class: Ty,
    /// The name of the property.
    pub name: Symbol,
    /// The type of the property.
    pub ty: Ty,
    /// The offset in an instance, in bytes.
    pub offset: u64,
}

impl World {
    /// Returns the layout of the instances of a class.
    ///
    /// # Errors
    /// Returns an error if the type of a stored property cannot be determined.
    pub fn class_layout(&self, class: Ty) -> Result<ClassLayout, TypeError> {
        let mut layout = match self.superclass(class) {
            Some(superclass) => self.class_layout(superclass)?,
            None => ClassLayout {
                fields: Vec::new(),
                size: self.target.object_header,
                align: self.target.pointer_size,
            },
        };
        let fields = self.stored_fields(class)?;
        let storage = self
            .is_default_actor(class)
            .then(|| (Symbol::new("$defaultActor"), Ty::new(TyKind::Builtin(Builtin::DefaultActorStorage))));
        for (name, ty) in storage.into_iter().chain(fields.iter().map(|f| (f.name, f.ty))) {
            let part = self.layout(ty)?;
            let offset = layout.size.next_multiple_of(part.align);
            layout.size = offset + part.size;
            layout.align = layout.align.max(part.align);
            let is_first = part.size == 0 && self.has_fixed_offsets(class);
            layout.fields.push(ClassField { class, name, ty, offset: if is_first { 0 } else { offset } });
        }
        Ok(layout)
    }

    /// Returns true if a class is an actor with the default executor: its instances begin with default actor storage.
    fn is_default_actor(&self, class: Ty) -> bool {
        let Some((nominal, _)) = class.as_nominal() else { return false };
        let Some(decl) = self.decl(nominal).filter(|d| d.kind == NominalKind::Actor) else { return false };
        let text = self.module_of(nominal).map(|m| self.module(m).text.as_str());
        let text = text.and_then(|t| t.get(decl.range.start as usize..decl.range.end as usize));
        text.is_some_and(|t| t.contains("@_semantics(\"defaultActor\")"))
    }

    /// Returns the field offsets of a box and its size in bytes.
    ///
    /// # Errors
    /// Returns an error if the type of a field cannot be determined.
    pub fn box_layout(&self, ty: Ty) -> Result<(Vec<u64>, u64), TypeError> {
        let TyKind::Box(fields) = ty.kind() else {
            return Err(TypeError::Unsupported(format!("the box `{ty}`")));
        };
        let mut size = self.target.object_header;
        let mut offsets = Vec::with_capacity(fields.len());
        for field in fields {
            let part = self.layout(field.ty)?;
            let offset = size.next_multiple_of(part.align);
            offsets.push(offset);
            size = offset + part.size;
        }
        Ok((offsets, size))
    }
}
