//! Key path literals.

use super::Translator;
use crate::op::Op;
use crate::sites::{Callee, CodeTarget, ComponentShape, ComputedShape, KeyPathSite};
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::KeyPath;
use silkit_ir::{Body, DeclRef, Inst, KeyPathComponent, KeyPathData, KeyPathId, KeyPathIndex};
use silkit_layout::{Env, Ty, TyKind};
use silkit_types::{ParamConvention, SilType, Type};
use std::rc::Rc;

/// A key path pattern, and the generic arguments of its signature.
struct Pattern<'a> {
    data: &'a KeyPathData,
    args: Rc<[Ty]>,
}

impl Translator<'_, '_> {
    pub(super) fn key_path(&mut self, body: &Body, inst: Inst, i: KeyPath<'_>) -> Run<()> {
        let spelled = self.resolve(i.ty.ty())?;
        let class = match spelled.kind() {
            TyKind::Existential(e) => e.superclass.unwrap_or(spelled),
            _ => spelled,
        };
        let args: Rc<[Ty]> = self.formal_all(i.subs.iter())?.into();
        let pattern = Pattern { data: KeyPathData::of(i.pattern), args };
        let Some((_, [root, _])) = class.as_nominal() else {
            return unsupported(format!("a key path of type `{class}`"));
        };
        let mut operands = Vec::new();
        for value in i.operands.iter() {
            let (ty, is_address) = self.type_of(body, value)?;
            operands.push((self.use_value(body, value)?, self.type_id(ty)?, is_address));
        }
        let mut base = *root;
        let mut components = Vec::with_capacity(pattern.data.components.len());
        for component in &pattern.data.components {
            let (shape, ty) = self.component(&pattern, base, component)?;
            components.push((shape, ty));
            base = ty;
        }
        let to = self.result(body, inst)?;
        self.it.sites.key_paths.push(KeyPathSite {
            class,
            components: components.into(),
            operands: operands.into(),
            to,
            made: 0,
        });
        let site = self.it.sites.key_paths.len() as u32 - 1;
        self.emit(Op::KeyPath { site });
        Ok(())
    }

    fn pattern_type(&mut self, pattern: &Pattern<'_>, ty: Type) -> Run<Ty> {
        let env = Env { sig: pattern.data.sig, args: &pattern.args, ..Env::top(self.function.module) };
        self.program.world.resolve(ty, &env, false).map_err(crate::types::type_error)
    }

    /// Returns a component of a key path, applied to values of type `base`, and the type of its result.
    fn component(
        &mut self,
        pattern: &Pattern<'_>,
        base: Ty,
        component: &KeyPathComponent,
    ) -> Run<(ComponentShape, Ty)> {
        Ok(match component {
            KeyPathComponent::Stored { property, ty } => {
                let ty = self.pattern_type(pattern, *ty)?;
                (self.stored(base, *property)?, ty)
            }
            KeyPathComponent::Tuple { index, ty } => {
                let ty = self.pattern_type(pattern, *ty)?;
                let info = self.it.info(base)?;
                let Some(part) = info.layout.parts().get(*index as usize) else {
                    return unsupported(format!("the element {index} of `{base}`"));
                };
                (ComponentShape::Stored { class: false, mutable: true, offset: part.offset }, ty)
            }
            KeyPathComponent::Optional { kind, ty } => {
                let ty = self.pattern_type(pattern, *ty)?;
                let payload = match kind.as_str() {
                    "optional_chain" => 0,
                    "optional_wrap" => 1,
                    _ => 2,
                };
                (ComponentShape::Optional(payload), ty)
            }
            KeyPathComponent::Computed {
                settable, ty, id, getter, setter, indices, equals, hash, ..
            } => {
                let ty = self.pattern_type(pattern, *ty)?;
                let (kind, id) = computed_id(id);
                let Some(getter) = getter else {
                    return unsupported("a key path to a property without a getter");
                };
                let is_mutating = setter.as_ref().is_some_and(|(_, ty)| sets_in_place(*ty));
                let setter = setter.as_ref().filter(|_| *settable);
                let shape = ComputedShape {
                    kind,
                    id,
                    getter: self.accessor(pattern, getter.0)?,
                    setter: setter.map(|(f, _)| self.accessor(pattern, *f)).transpose()?,
                    is_mutating,
                    indices: self.indices(pattern, indices)?,
                    equals: equals.as_ref().map(|(f, _)| self.accessor(pattern, *f)).transpose()?,
                    hash: hash.as_ref().map(|(f, _)| self.accessor(pattern, *f)).transpose()?,
                };
                (ComponentShape::Computed(Box::new(shape)), ty)
            }
        })
    }

    fn stored(&mut self, base: Ty, property: DeclRef) -> Run<ComponentShape> {
        let Some(&name) = property.data().path.last() else {
            return unsupported("a key path to a property without a name");
        };
        let program = self.program.clone();
        let world = &program.world;
        let is_let = |ty: Ty| {
            let fields = world.stored_fields(ty).map_err(crate::types::type_error)?;
            Ok(fields.iter().find(|f| f.name == name).is_none_or(|f| f.is_let))
        };
        if self.it.is_class(base) {
            let layout = world.class_layout(base).map_err(crate::types::type_error)?;
            if let Some(field) = layout.fields.iter().rev().find(|f| f.name == name) {
                let mutable = !is_let(field.class)?;
                return Ok(ComponentShape::Stored { class: true, mutable, offset: field.offset });
            }
        } else if let Some(part) = self.it.info(base)?.layout.parts().iter().find(|p| p.name == Some(name)) {
            return Ok(ComponentShape::Stored { class: false, mutable: !is_let(base)?, offset: part.offset });
        }
        unsupported(format!("the stored property `{property}` of `{base}` in a key path"))
    }

    /// Returns an accessor of a pattern as the target of a code address.
    fn accessor(&mut self, pattern: &Pattern<'_>, symbol: Symbol) -> Run<CodeTarget> {
        let count = self
            .program
            .find(symbol)
            .and_then(|at| self.program.function(at).ty.ty().as_function()?.sig)
            .map_or(0, |sig| sig.data().params.len());
        let types: Rc<[Ty]> = if count == 0 { Rc::from([]) } else { pattern.args.clone() };
        match self.function_callee(symbol, types.clone(), false)? {
            Callee::Instance(id) => Ok(CodeTarget::Instance(id)),
            Callee::Native(native) => Ok(CodeTarget::Native(native, symbol, types)),
        }
    }

    /// Returns the operands that a component captures, and the tuple of their types.
    fn indices(&mut self, pattern: &Pattern<'_>, indices: &[KeyPathIndex]) -> Run<Option<(Rc<[u32]>, Ty)>> {
        if indices.is_empty() {
            return Ok(None);
        }
        let mut types = Vec::new();
        for index in indices {
            types.push(self.pattern_type(pattern, index.formal)?);
        }
        Ok(Some((indices.iter().map(|i| i.operand).collect(), Ty::tuple(&types))))
    }
}

/// Returns the flags for the kind of identifier of a computed component, and the identifier as a number.
fn computed_id(id: &KeyPathId) -> (u32, u64) {
    match id {
        KeyPathId::Function(name, _) => (0, u64::from(name.as_u32())),
        KeyPathId::Property(decl) => (0x0020_0000, u64::from(decl.as_u32())),
        KeyPathId::Method(decl, ..) => (0x0010_0000, u64::from(decl.as_u32())),
    }
}

/// Returns true if a setter is mutating: it takes the base value `inout`.
fn sets_in_place(setter: SilType) -> bool {
    let base = setter.ty().as_function().and_then(|f| f.params.get(1));
    base.is_some_and(|p| matches!(p.convention, ParamConvention::Inout | ParamConvention::InoutAliasable))
}
