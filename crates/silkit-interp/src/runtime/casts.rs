//! Dynamic casts (DynamicCasting.md).

use super::{Call, Effect, NativeFn};
use crate::exec::Next;
use crate::interp::Interp;
use crate::memory::Kind;
use crate::op::Write;
use crate::sites::{CastSite, CastTake};
use crate::violation::Run;
use silkit_base::Symbol;
use silkit_layout::{ExistentialTy, LayoutKind, Nominal, Ty, TyKind};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("_swift_extractDynamicValue", extract_dynamic_value),
    ("_swift_bridgeToObjectiveCUsingProtocolIfPossible", no_object),
];

/// Returns a null object, because no value is bridged to Objective-C.
fn no_object(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set(call.result, 0);
    Ok(Effect::Done)
}

/// Returns the object that the value in an existential is bridged to, or null if the type is not an existential.
fn extract_dynamic_value(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let object = match call.types.first() {
        Some(&ty) if matches!(ty.kind(), TyKind::Existential(_)) => {
            let (from, to) = (it.arg(call, 0), it.allocate(Kind::Stack, 8, 8, 0)?);
            it.cast_at(from, ty, to, any_object())?;
            let object = it.read(to)?;
            it.free_object(to)?;
            object
        }
        _ => 0,
    };
    it.set(call.result, object);
    Ok(Effect::Done)
}

impl Interp<'_> {
    /// Executes a checked cast.
    pub(crate) fn cast(&mut self, site: u32) -> Run<Next> {
        let site = self.sites.casts[site as usize].clone();
        let done = if site.by_address { self.cast_addresses(&site)? } else { self.cast_values(&site)? };
        if site.unconditional {
            if done {
                return Ok(Next::Continue);
            }
            let code = if site.by_address { 134 } else { 132 };
            let message = format!("Could not cast value of type '{}' to '{}'.", site.source, site.target);
            self.host.write_stderr(format!("{message}\n").as_bytes());
            return Err(self.failure(code, message));
        }
        Ok(Next::Goto(if done { site.success } else { site.failure }))
    }

    fn cast_addresses(&mut self, site: &CastSite) -> Run<bool> {
        let (from, to) = (self.get(site.from), self.get(site.to));
        let done = self.cast_at(from, site.source, to, site.target)?;
        let destroys = match site.take {
            CastTake::Always => true,
            CastTake::OnSuccess => done,
            CastTake::Copy | CastTake::Never => false,
        };
        if destroys {
            self.destroy_addr(from, site.source_info)?;
        }
        Ok(done)
    }

    /// Casts a value and returns true if the cast succeeds. References and metatypes keep their bits.
    fn cast_values(&mut self, site: &CastSite) -> Run<bool> {
        let value = self.get(site.from);
        let is_metatype = matches!(site.source.kind(), TyKind::Metatype(_) | TyKind::ExistentialMetatype(_));
        let source_len = self.types.get(site.source_info).size;
        if !is_metatype && !self.is_reference(site.source) && !is_error(site.source) {
            return self.cast_through_memory(site, source_len);
        }
        if is_error(site.source) || is_error(site.target) {
            return self.cast_through_memory(site, source_len);
        }
        let dynamic = if is_metatype { self.type_at(value)? } else { self.class_of(value)? };
        let done = match site.target.kind() {
            TyKind::Metatype(of) if is_metatype => self.is_metatype_of(dynamic, *of, site.exact),
            TyKind::ExistentialMetatype(existential) if is_metatype => match existential.kind() {
                TyKind::Existential(e) => self.satisfies(dynamic, e),
                _ => false,
            },
            TyKind::Existential(e) if !is_metatype && e.is_class => self.satisfies(dynamic, e),
            _ if is_metatype => return self.cast_through_memory(site, source_len),
            _ if !self.is_class(site.target) => return self.cast_through_memory(site, source_len),
            _ if site.exact => dynamic == site.target,
            _ => self.world().inherits(dynamic, site.target),
        };
        if done {
            let len = self.types.get(site.target_info).size;
            self.set(site.to, value);
            let metadata = self.metadata(dynamic)?;
            for at in (8..len).step_by(8) {
                self.set(site.to + at, metadata);
            }
        }
        Ok(done)
    }

    /// Casts a value through memory: moves it to a temporary, casts it there, and loads the result.
    fn cast_through_memory(&mut self, site: &CastSite, source_len: u32) -> Run<bool> {
        let target = self.known(site.target_info);
        let (align, size) = (u64::from(target.align).max(16), u64::from(target.size));
        let from = self.allocate(Kind::Stack, u64::from(source_len), 16, 0)?;
        let to = self.allocate(Kind::Stack, size, align, 0)?;
        let bytes = self.bytes(site.from, source_len).to_vec();
        self.c_write(from, &bytes)?;
        let done = self.cast_at(from, site.source, to, site.target)?;
        if done {
            self.destroy_addr(from, site.source_info)?;
            let result = self.read_value(to, site.target_info)?;
            self.bytes_mut(site.to, target.size).copy_from_slice(&result);
        }
        self.free_object(from)?;
        self.free_object(to)?;
        Ok(done)
    }

    fn is_metatype_of(&self, dynamic: Ty, target: Ty, exact: bool) -> bool {
        dynamic == target || (!exact && self.is_class(dynamic) && self.world().inherits(dynamic, target))
    }

    /// Returns true if a type satisfies the constraints of an existential.
    pub(crate) fn satisfies(&self, ty: Ty, e: &ExistentialTy) -> bool {
        let world = self.world();
        // A class existential is not itself a class: `(any P).self` is not an `AnyObject.Type`.
        if e.is_class && !self.is_class(ty) {
            return false;
        }
        if e.superclass.is_some_and(|superclass| !world.inherits(ty, superclass)) {
            return false;
        }
        let same = |(protocol, name, wanted): &(Nominal, Symbol, Ty)| {
            let found = world.conformance(ty, *protocol).and_then(|c| world.associated_type(&c, *name));
            found.or_else(|| world.member_type(ty, *name, &[])) == Some(*wanted)
        };
        e.protocols.iter().all(|&p| self.can_use(ty, p)) && e.same.iter().all(same)
    }

    /// Returns true if a type conforms to a protocol, and the current executor is that of the global actor that the
    /// conformance is isolated to.
    fn can_use(&self, ty: Ty, protocol: Nominal) -> bool {
        let world = self.world();
        world.conforms(ty, protocol)
            && world.isolation(ty, protocol).is_none_or(|actor| self.is_on_actor(actor))
    }

    /// Returns true if the running code is isolated to a global actor. Code outside of tasks runs on the main thread.
    fn is_on_actor(&self, actor: Nominal) -> bool {
        let tasks = &self.runtime.tasks;
        if tasks.current == 0 {
            return actor.name().path.as_str() == "MainActor";
        }
        let executor = tasks.all.get(&tasks.current).map_or(0, |task| task.executor);
        let class = if executor == 0 { None } else { self.class_of(executor).ok() };
        class.and_then(Ty::as_nominal).is_some_and(|(class, _)| class == actor)
    }

    /// Copies the value at `from` to `to` as another type, and returns true if the cast succeeds.
    pub(crate) fn cast_at(&mut self, from: u64, source: Ty, to: u64, target: Ty) -> Run<bool> {
        let (source, target) = (source.formal(), target.formal());
        if source == target && !self.is_class(source) {
            let id = self.type_id(source)?;
            self.copy_value(false, Write::Init, from, to, id)?;
            return Ok(true);
        }
        if let Some(payload) = source.optional_payload() {
            return self.cast_optional(from, source, payload, to, target);
        }
        if let TyKind::Existential(e) = source.kind() {
            let e = e.clone();
            return self.cast_existential(from, source, &e, to, target);
        }
        if let Some(payload) = target.optional_payload() {
            if !self.cast_at(from, source, to, payload)? {
                return Ok(false);
            }
            return self.inject_some(to, target).map(|()| true);
        }
        if let TyKind::Existential(e) = target.kind() {
            let e = e.clone();
            return self.cast_to_existential(from, source, to, target, &e);
        }
        self.cast_concrete(from, source, to, target)
    }

    pub(crate) fn inject_some(&mut self, at: u64, optional: Ty) -> Run<()> {
        let id = self.type_id(optional)?;
        let case = self.enum_layout(id)?.case_named(Symbol::new("some")).unwrap_or(1);
        self.inject_at(at, id, case)
    }

    pub(crate) fn inject_none(&mut self, at: u64, optional: Ty) -> Run<()> {
        let id = self.type_id(optional)?;
        let case = self.enum_layout(id)?.case_named(Symbol::new("none")).unwrap_or(0);
        self.inject_at(at, id, case)
    }

    fn cast_optional(&mut self, from: u64, source: Ty, payload: Ty, to: u64, target: Ty) -> Run<bool> {
        let id = self.type_id(source)?;
        let layout = self.enum_layout(id)?;
        let bytes = self.enum_bytes(from, id)?;
        let case = layout.case_of(&bytes).ok_or_else(|| self.invalid_enum(id, &bytes))?;
        let is_some = layout.cases[case as usize].payload.is_some();
        if let Some(inner) = target.optional_payload() {
            if !is_some {
                // `nil` becomes the innermost `nil` that the optional depth of the source allows.
                if inner.optional_payload().is_some() && payload.optional_payload().is_none() {
                    self.inject_none(to, inner)?;
                    self.inject_some(to, target)?;
                } else {
                    self.inject_none(to, target)?;
                }
                return Ok(true);
            }
            if self.cast_at(from, payload, to, inner)? {
                return self.inject_some(to, target).map(|()| true);
            }
            return Ok(false);
        }
        if let TyKind::Existential(e) = target.kind()
            && !e.is_class
            && self.satisfies(source, e)
        {
            let e = e.clone();
            return self.cast_to_existential(from, source, to, target, &e);
        }
        if is_some { self.cast_at(from, payload, to, target) } else { Ok(false) }
    }

    fn cast_existential(
        &mut self,
        from: u64,
        source: Ty,
        e: &ExistentialTy,
        to: u64,
        target: Ty,
    ) -> Run<bool> {
        let (at, ty) = if e.is_class {
            let reference = self.read(from)?;
            let class = self.class_of(reference)?;
            match self.value_in_object(reference, class)? {
                Some(value) if !is_any_object(target) => (value, Ty::any()),
                _ => (from, class),
            }
        } else if is_error(source) {
            let reference = self.read(from)?;
            let ty = self.boxed_type(reference)?;
            let id = self.type_id(ty)?;
            (self.boxed_value(reference, id), ty)
        } else {
            let ty = self.container_type(from)?;
            let id = self.type_id(ty)?;
            (self.container_value(from, id, false)?, ty)
        };
        self.cast_at(at, ty, to, target)
    }

    fn cast_to_existential(
        &mut self,
        from: u64,
        source: Ty,
        to: u64,
        target: Ty,
        e: &ExistentialTy,
    ) -> Run<bool> {
        let dynamic = if self.is_class(source) {
            let reference = self.read(from)?;
            self.class_of(reference)?
        } else {
            source
        };
        if is_any_object(target) && !self.is_class(dynamic) {
            return self.put_into_object(from, source, to);
        }
        if !self.satisfies(dynamic, e) {
            return Ok(false);
        }
        let info = self.info(target)?;
        let id = self.type_id(source)?;
        match info.layout.kind {
            LayoutKind::Existential(tables) => {
                let id = self.type_id(dynamic)?;
                let place = self.fill_container(to, id, tables)?;
                self.copy_value(false, Write::Init, from, place, id)?;
            }
            LayoutKind::ErrorExistential => {
                let id = self.type_id(dynamic)?;
                let reference = self.new_value_box(Kind::ErrorBox, id)?;
                let place = self.boxed_value(reference, id);
                self.copy_value(false, Write::Init, from, place, id)?;
                self.write(to, reference)?;
            }
            LayoutKind::ClassExistential(tables) => {
                self.copy_value(false, Write::Init, from, to, id)?;
                let metadata = self.metadata(dynamic)?;
                for i in 0..tables {
                    self.write(to + 8 + 8 * i, metadata)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Boxes a value that is not an object in an object, for a cast to `AnyObject`.
    fn put_into_object(&mut self, from: u64, source: Ty, to: u64) -> Run<bool> {
        let any = Ty::any();
        let size = u64::from(self.info(any)?.size);
        let container = self.allocate(Kind::Stack, size, 8, 0)?;
        self.cast_at(from, source, container, any)?;
        let object = self.call_library(MAKE_SWIFT_VALUE, vec![], &[&container.to_le_bytes()], 8)?;
        let id = self.type_id(any)?;
        self.destroy_addr(container, id)?;
        self.free_object(container)?;
        self.c_write(to, &object)?;
        Ok(true)
    }

    /// Returns the address of the value that is boxed in an object, or `None` if the object is not such a box.
    fn value_in_object(&mut self, reference: u64, class: Ty) -> Run<Option<u64>> {
        if !class.is_swift("__SwiftValue") {
            return Ok(None);
        }
        let layout = self.world().class_layout(class).map_err(crate::types::type_error)?;
        Ok(layout.fields.first().map(|field| reference + field.offset))
    }

    fn cast_concrete(&mut self, from: u64, source: Ty, to: u64, target: Ty) -> Run<bool> {
        if self.is_class(source) && self.is_class(target) {
            let reference = self.read(from)?;
            let class = self.class_of(reference)?;
            if !self.world().inherits(class, target) {
                return Ok(false);
            }
            self.retain_reference(reference)?;
            self.write(to, reference)?;
            return Ok(true);
        }
        match (source.kind(), target.kind()) {
            (TyKind::Metatype(_) | TyKind::ExistentialMetatype(_), TyKind::Metatype(of)) => {
                let metadata = self.read(from)?;
                let dynamic = self.type_at(metadata)?;
                if !self.is_metatype_of(dynamic, *of, false) {
                    return Ok(false);
                }
                self.write(to, metadata)?;
                return Ok(true);
            }
            (TyKind::Metatype(_) | TyKind::ExistentialMetatype(_), TyKind::ExistentialMetatype(of)) => {
                let metadata = self.read(from)?;
                let dynamic = self.type_at(metadata)?;
                let TyKind::Existential(e) = of.kind() else { return Ok(false) };
                if !self.satisfies(dynamic, e) {
                    return Ok(false);
                }
                let size = u64::from(self.info(target)?.size);
                for at in (0..size).step_by(8) {
                    self.write(to + at, metadata)?;
                }
                return Ok(true);
            }
            (TyKind::Tuple(from_fields), TyKind::Tuple(to_fields)) => {
                if from_fields.len() != to_fields.len() {
                    return Ok(false);
                }
                return self.cast_tuples(from, source, to, target);
            }
            (TyKind::Function(a), TyKind::Function(b))
                if a.repr == b.repr && source.name(true) == target.name(true) =>
            {
                let id = self.type_id(target)?;
                self.copy_value(false, Write::Init, from, to, id)?;
                return Ok(true);
            }
            _ => {}
        }
        self.cast_collections(from, source, to, target)
    }

    fn cast_tuples(&mut self, from: u64, source: Ty, to: u64, target: Ty) -> Run<bool> {
        let (a, b) = (self.info(source)?, self.info(target)?);
        let labels = a.layout.parts().iter().zip(b.layout.parts());
        if { labels }.any(|(a, b)| a.name.is_some() && b.name.is_some() && a.name != b.name) {
            return Ok(false);
        }
        let parts: Vec<_> = a.layout.parts().iter().zip(b.layout.parts()).map(|(a, b)| (*a, *b)).collect();
        for (number, (x, y)) in parts.iter().enumerate() {
            if !self.cast_at(from + x.offset, x.ty, to + y.offset, y.ty)? {
                for (_, y) in &parts[..number] {
                    let id = self.type_id(y.ty)?;
                    self.destroy_addr(to + y.offset, id)?;
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Casts arrays, dictionaries and sets, and values from and to `AnyHashable`, by calls of library functions.
    fn cast_collections(&mut self, from: u64, source: Ty, to: u64, target: Ty) -> Run<bool> {
        let (Some((a, from_args)), Some((b, to_args))) = (source.as_nominal(), target.as_nominal()) else {
            return self.cast_any_hashable(from, source, to, target);
        };
        let name = match () {
            () if a.is_swift("Array") && b.is_swift("Array") => "_swift_arrayDownCastConditionalIndirect",
            () if a.is_swift("Set") && b.is_swift("Set") => "_swift_setDownCastConditionalIndirect",
            () if a.is_swift("Dictionary") && b.is_swift("Dictionary") => {
                "_swift_dictionaryDownCastConditionalIndirect"
            }
            () => return self.cast_any_hashable(from, source, to, target),
        };
        let types: Vec<Ty> = from_args.iter().chain(to_args).copied().collect();
        self.call_library(name, types, &[&from.to_le_bytes(), &to.to_le_bytes()], 1).map(|r| r[0] & 1 != 0)
    }

    fn cast_any_hashable(&mut self, from: u64, source: Ty, to: u64, target: Ty) -> Run<bool> {
        if target.is_swift("AnyHashable") && self.world().conforms(source, Nominal::swift("Hashable")) {
            let name = "_swift_convertToAnyHashableIndirect";
            self.call_library(name, vec![source], &[&from.to_le_bytes(), &to.to_le_bytes()], 0)?;
            return Ok(true);
        }
        if source.is_swift("AnyHashable") {
            let name = "_swift_anyHashableDownCastConditionalIndirect";
            let result =
                self.call_library(name, vec![target], &[&from.to_le_bytes(), &to.to_le_bytes()], 1)?;
            return Ok(result[0] & 1 != 0);
        }
        Ok(false)
    }

    /// Calls a library function by its name.
    pub(crate) fn call_library(
        &mut self,
        name: &str,
        types: Vec<Ty>,
        args: &[&[u8]],
        len: u32,
    ) -> Run<Vec<u8>> {
        let Some(at) = self.program.find(Symbol::new(name)) else {
            return crate::violation::missing("function", Symbol::new(name));
        };
        let id = self.instance(at, types.into());
        self.call_instance(id, args, len)
    }
}

/// The library function that boxes a value in an object: `_makeSwiftValue(_:)`.
const MAKE_SWIFT_VALUE: &str = "$ss15_makeSwiftValueyyXlypF";

/// Returns the type `AnyObject`.
fn any_object() -> Ty {
    Ty::new(TyKind::Existential(Box::new(ExistentialTy { is_class: true, ..ExistentialTy::default() })))
}

/// Returns true if a type is `AnyObject`.
fn is_any_object(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Existential(e) if e.is_class && e.protocols.is_empty() && e.superclass.is_none())
}

/// Returns true if a type is `any Error`.
pub(crate) fn is_error(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Existential(e) if !e.is_class && e.superclass.is_none() && matches!(e.protocols[..], [p] if p.is_swift("Error")))
}
