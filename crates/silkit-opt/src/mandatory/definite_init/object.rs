//! The memory that a `mark_uninitialized` marks, and the elements that are initialized one by one.
//!
//! A tuple has the elements of its elements. `self` of an initializer that does not delegate has the elements of its
//! stored properties. Any other memory is one element:
//!
//! ```text
//! struct S { var a: C; var b: (C, Int) }
//!   %1 = mark_uninitialized [rootself] %0     // $*S: a, b.0, b.1
//!   %3 = mark_uninitialized [var] %2          // $*(S, Int): 0, 1
//! ```

use silkit_analysis::BodyView;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::instructions::{AnyInst, MarkUninitialized, UninitializedKind};
use silkit_ir::{Body, Builder, DeclRef, Inst, Value};
use silkit_transform::destroy::field_ref;
use silkit_types::decl::{Declarations, InitAccessor, NominalDecl, NominalKind};
use silkit_types::{Type, TypeKind};
use std::ops::Range;

/// The maximum number of elements of an object that is analyzed.
const MOST_ELEMENTS: usize = 1 << 12;

/// A step from memory to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A stored property of a struct.
    Field(DeclRef),
    /// A stored property of a class.
    Property(DeclRef),
    /// An element of a tuple.
    Element(u32),
}

/// How the result of the mark refers to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// It is the address.
    Address,
    /// It is a box.
    Box,
    /// It is an object, whose stored properties are the memory.
    Object,
}

/// Marked memory.
#[derive(Debug)]
pub(super) struct Object {
    /// The `mark_uninitialized`.
    pub(super) mark: Inst,
    /// Its kind.
    pub(super) kind: UninitializedKind,
    /// Its result.
    pub(super) value: Value,
    pub(super) storage: Storage,
    /// True if the memory refers to `self` of a class with a superclass, or of a class whose initializer delegates. The
    /// properties that the initializer has to initialize are followed by two elements: the first is initialized when the
    /// other initializer takes `self`, the second when `self` is back in memory.
    pub(super) is_derived: bool,
    /// The type of the memory, or of the object.
    pub(super) ty: Type,
    /// The projections to each element.
    pub(super) elements: Vec<Vec<Step>>,
    /// For each element, whether its type is trivial.
    pub(super) trivial: Vec<bool>,
    /// The elements of each stored property of `self`; empty for memory that is not divided into properties.
    pub(super) properties: FxHashMap<Symbol, Range<u32>>,
}

impl Object {
    /// Returns the memory that an instruction marks, or `None` if it is not understood.
    pub(super) fn new(view: &BodyView<'_>, mark: Inst) -> Option<Self> {
        use UninitializedKind as K;
        let body = view.body;
        let MarkUninitialized { kind, .. } = body.view_as(mark)?;
        let value = body.first_result(mark)?;
        let result = body.value(value).ty;
        let declarations = view.declarations();
        let (storage, ty) = match result.ty().kind() {
            _ if result.is_address() => (Storage::Address, result.ty()),
            TypeKind::Box(_) => (Storage::Box, box_content(body, value)?),
            _ if declarations.is_class(result.ty()) == Some(true) => (Storage::Object, result.ty()),
            _ => return None,
        };
        let (elements, trivial, properties) = (Vec::new(), Vec::new(), FxHashMap::default());
        let mut object =
            Self { mark, kind, value, storage, is_derived: false, ty, elements, trivial, properties };
        let is_class = declarations.is_class(ty);
        match kind {
            K::Var | K::Out if storage != Storage::Object => object.divide(view, ty, &mut Vec::new(), 0)?,
            K::Delegatingself if storage != Storage::Object => object.add(view, ty, &[]),
            K::Rootself if storage == Storage::Object => object.divide_properties(view, ty)?,
            K::Derivedself | K::Derivedselfonly | K::Delegatingselfallocated
                if storage != Storage::Object && is_class == Some(true) =>
            {
                object.is_derived = true;
                if kind == K::Derivedself {
                    object.divide_properties(view, ty)?;
                }
                let path = object.path_of_passed(view);
                object.add(view, ty, &path);
                object.add(view, ty, &[]);
            }
            K::Rootself | K::Crossmodulerootself if storage != Storage::Object => {
                match declaration(declarations, ty)?.kind {
                    NominalKind::Struct => object.divide_properties(view, ty)?,
                    // As in the reference, an enum has no properties that have to be initialized.
                    NominalKind::Enum => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(object)
    }

    fn add(&mut self, view: &BodyView<'_>, ty: Type, path: &[Step]) {
        self.elements.push(path.to_vec());
        self.trivial.push(view.declarations().is_trivial(ty, view.signature()) == Some(true));
    }

    /// Returns the projections to the element that is initialized when another initializer takes `self`: none. As in the
    /// reference, those to the first stored property if the initializer has to initialize none of them.
    fn path_of_passed(&self, view: &BodyView<'_>) -> Vec<Step> {
        if self.kind != UninitializedKind::Derivedselfonly {
            return Vec::new();
        }
        let (elements, trivial, properties) = (Vec::new(), Vec::new(), FxHashMap::default());
        let mut whole = Self { elements, trivial, properties, ..*self };
        whole.divide_properties(view, self.ty).and(whole.elements.into_iter().next()).unwrap_or_default()
    }

    /// Adds the elements of a tuple, or memory as one element.
    fn divide(&mut self, view: &BodyView<'_>, ty: Type, path: &mut Vec<Step>, depth: usize) -> Option<()> {
        const DEEPEST: usize = 64;
        if self.elements.len() > MOST_ELEMENTS || depth > DEEPEST {
            return None;
        }
        let TypeKind::Tuple(parts) = ty.kind() else {
            self.add(view, ty, path);
            return Some(());
        };
        if parts.iter().any(|part| matches!(part.ty.kind(), TypeKind::PackExpansion(..))) {
            self.add(view, ty, path);
            return Some(());
        }
        for (index, part) in parts.iter().enumerate() {
            path.push(Step::Element(u32::try_from(index).ok()?));
            self.divide(view, part.ty, path, depth + 1)?;
            path.pop();
        }
        Some(())
    }

    /// Adds the elements of the stored properties of `self`.
    fn divide_properties(&mut self, view: &BodyView<'_>, ty: Type) -> Option<()> {
        let declarations = view.declarations();
        for field in declaration(declarations, ty)?.body.fields.iter() {
            let property = field_ref(declarations, ty, field.name);
            let is_of_object = self.is_derived || self.storage == Storage::Object;
            let step = if is_of_object { Step::Property(property) } else { Step::Field(property) };
            let start = u32::try_from(self.elements.len()).ok()?;
            let part = declarations.stored_field(ty, field.name)?;
            self.divide(view, declarations.resolve(part), &mut vec![step], 0)?;
            let end = u32::try_from(self.elements.len()).ok()?;
            if self.properties.insert(field.name, start..end).is_some() {
                return None;
            }
        }
        Some(())
    }

    /// Returns the `init` accessor of a property of `self`.
    pub(super) fn init_accessor<'d>(
        &self,
        declarations: &'d Declarations,
        property: DeclRef,
    ) -> Option<&'d InitAccessor> {
        declaration(declarations, self.ty)?.body.init_accessor(property.name()?)
    }

    /// Returns the elements of stored properties.
    pub(super) fn stored(&self) -> Range<u32> {
        0..self.elements.len() as u32 - if self.is_derived { 2 } else { 0 }
    }

    /// Returns the elements that are destroyed one by one if `self` is not completely initialized. As in the reference,
    /// these include the one that another initializer initializes if there is no other.
    pub(super) fn destroyed(&self) -> Range<u32> {
        let stored = self.stored();
        match self.kind {
            UninitializedKind::Derivedselfonly => stored.start..stored.end + 1,
            _ => stored,
        }
    }

    /// Returns all elements.
    pub(super) fn all(&self) -> Range<u32> {
        0..self.elements.len() as u32
    }

    /// Builds the address at the end of steps from an address or an object.
    pub(super) fn project(&self, builder: &mut Builder<'_>, base: Value, steps: &[Step]) -> Value {
        steps.iter().fold(base, |base, step| match *step {
            Step::Field(field) => builder.struct_element_addr(base, field),
            Step::Property(property) => builder.ref_element_addr(base, property),
            Step::Element(index) => builder.tuple_element_addr(base, index),
        })
    }
}

/// Returns the declaration of the type of `self`. A module initializes only objects of its own types itself, whatever
/// other modules call theirs.
pub(super) fn declaration(declarations: &Declarations, ty: Type) -> Option<&NominalDecl> {
    declarations.nominal_of(ty).or_else(|| declarations.own_nominal_of(ty))
}

/// Returns the type of the memory in a box.
fn box_content(body: &Body, value: Value) -> Option<Type> {
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            let result = body.first_result(user);
            match body.view(user) {
                AnyInst::ProjectBox(_) => return Some(body.value(result?).ty.ty()),
                AnyInst::BeginBorrow(_) => work.extend(result),
                _ => {}
            }
        }
    }
    None
}
