//! Types, from their records into interned ones.

use crate::container::{Record, Stream};
use crate::decls::{Decoder, MAX_DEPTH};
use crate::error::{Damage, Result};
use silkit_base::Symbol;
use silkit_types::{
    BoxField, BoxType, CalleeConvention, Convention, FnFlags, FunctionType, MetatypeRepr, Param,
    ParamConvention, ParamFlags, RefStorage, ResultConvention, ResultFlags, ResultInfo, SilType,
    TupleElement, Type, TypeKind,
};

impl Decoder<'_> {
    /// Decodes a type. Its generic parameters have the names of signature `names`: those of their declarations for
    /// `u64::MAX`, canonical ones for 0.
    pub(crate) fn ty(&mut self, id: u64, names: u64) -> Result<Type> {
        if let Some(found) = self.types.get(&(id, names)) {
            return Ok(*found);
        }
        if self.depth > MAX_DEPTH {
            return Err(Damage::new("types are nested too deeply", 0));
        }
        self.depth += 1;
        let found = self.read_type(id, names);
        self.depth -= 1;
        self.types.insert((id, names), found.clone()?);
        found
    }

    pub(crate) fn sil_type(&mut self, id: u64, category: u64) -> Result<SilType> {
        Ok(SilType::new(self.ty(id, 0)?, category == 1))
    }

    /// Returns true if a type is a parameter pack.
    pub(crate) fn is_pack(&mut self, id: u64) -> Result<bool> {
        let mut stream = self.entry("TYPE_OFFSETS", id)?;
        let mut record = Record::default();
        let kind = self.record(&mut stream, &mut record)?;
        Ok(kind == "GENERIC_TYPE_PARAM_TYPE" && record.fields.first() == Some(&1))
    }

    #[expect(clippy::too_many_lines, reason = "one line or arm for each field or kind of record")]
    fn read_type(&mut self, id: u64, names: u64) -> Result<Type> {
        let mut stream = self.entry("TYPE_OFFSETS", id)?;
        let mut record = Record::default();
        let kind = self.record(&mut stream, &mut record)?;
        let field = |at: usize| record.fields.get(at).copied().unwrap_or(0);
        let rest = |at: usize| record.fields.get(at..).unwrap_or_default();
        Ok(match kind {
            "BUILTIN_ALIAS_TYPE" => Type::builtin(self.decl(field(0))?.name.as_str()),
            "NOMINAL_TYPE" => self.nominal(field(0), field(1), &[], names)?,
            "BOUND_GENERIC_TYPE" => self.nominal(field(0), field(1), rest(2), names)?,
            "UNBOUND_GENERIC_TYPE" => self.nominal(field(0), field(1), &[], names)?,
            "GENERIC_TYPE_PARAM_TYPE" => {
                let wide = self.file.control.format.1 >= 976;
                let (index, decl) = if wide { (field(4), field(5)) } else { (field(3), field(4)) };
                let (depth, index) = (field(2) as u16, index as u16);
                let name = match names {
                    // The parameters of `some P` have no name.
                    u64::MAX if field(1) == 1 && !self.decl(decl)?.name.as_str().is_empty() => {
                        self.decl(decl)?.name
                    }
                    u64::MAX | 0 => Symbol::new(&format!("τ_{depth}_{index}")),
                    sig => self.param_name(sig, depth, index)?,
                };
                Type::new(TypeKind::Param { name, depth, index })
            }
            "PRIMARY_ARCHETYPE_TYPE" => self.ty(field(1), field(0))?,
            "PACK_ARCHETYPE_TYPE" => self.ty(field(1), field(0))?,
            "DEPENDENT_MEMBER_TYPE" => {
                let base = self.ty(field(0), names)?;
                Type::new(TypeKind::Member(base, self.decl(field(1))?.name))
            }
            "TUPLE_TYPE" => self.tuple(&mut stream, names)?,
            "METATYPE_TYPE" | "EXISTENTIAL_METATYPE_TYPE" => {
                let repr = match field(1) {
                    1 => MetatypeRepr::Thin,
                    2 => MetatypeRepr::Thick,
                    3 => MetatypeRepr::ObjC,
                    _ => MetatypeRepr::Formal,
                };
                let mut instance = self.ty(field(0), names)?;
                // `(any P).Type` has one value; `any P.Type` is an existential.
                if kind == "METATYPE_TYPE" && matches!(instance.kind(), TypeKind::Any(_)) {
                    instance = Type::new(TypeKind::Paren(instance));
                }
                if kind == "EXISTENTIAL_METATYPE_TYPE" && !matches!(instance.kind(), TypeKind::Any(_)) {
                    instance = Type::new(TypeKind::Any(instance));
                }
                Type::new(TypeKind::Metatype(repr, instance))
            }
            "EXISTENTIAL_TYPE" => {
                let constraint = self.ty(field(0), names)?;
                // `Any` and `AnyObject` are spelled without `any`.
                match constraint.kind() {
                    TypeKind::Named(named)
                        if named.parent.is_none() && matches!(named.name.as_str(), "Any" | "AnyObject") =>
                    {
                        constraint
                    }
                    _ => Type::new(TypeKind::Any(constraint)),
                }
            }
            "PROTOCOL_COMPOSITION_TYPE" => {
                let mut parts = Vec::new();
                for &part in rest(3) {
                    parts.push(self.ty(part, names)?);
                }
                if field(0) == 1 {
                    parts.push(Type::nominal("AnyObject"));
                }
                for (at, name) in [(1, "Copyable"), (2, "Escapable")] {
                    if field(at) == 1 {
                        parts.push(Type::new(TypeKind::Inverse(Type::nominal(name))));
                    }
                }
                match parts[..] {
                    [] => Type::nominal("Any"),
                    [only] => only,
                    _ => Type::new(TypeKind::Composition(parts.into())),
                }
            }
            "PARAMETERIZED_PROTOCOL_TYPE" => {
                let base = self.ty(field(0), names)?;
                let args = self.all(rest(1), names)?;
                match base.kind() {
                    TypeKind::Named(named) => Type::named(named.parent, named.name, args.into()),
                    _ => base,
                }
            }
            "OPTIONAL_TYPE" => Type::new(TypeKind::Optional(self.ty(field(0), names)?)),
            "ARRAY_SLICE_TYPE" | "VARIADIC_SEQUENCE_TYPE" => {
                Type::new(TypeKind::Array(self.ty(field(0), names)?))
            }
            "DICTIONARY_TYPE" => {
                Type::new(TypeKind::Dictionary(self.ty(field(0), names)?, self.ty(field(1), names)?))
            }
            "EXISTENTIAL_ARCHETYPE_TYPE" => self.opened(field(0), field(1), names)?,
            "NAME_ALIAS_TYPE" => self.ty(field(2), names)?,
            "REFERENCE_STORAGE_TYPE" => {
                let storage = match field(0) {
                    1 => RefStorage::Weak,
                    2 => RefStorage::Unowned,
                    _ => RefStorage::Unmanaged,
                };
                Type::new(TypeKind::Storage(storage, self.ty(field(1), names)?))
            }
            "DYNAMIC_SELF_TYPE" => Type::new(TypeKind::DynamicSelf(self.ty(field(0), names)?)),
            "SIL_MOVE_ONLY_TYPE" => Type::new(TypeKind::MoveOnly(self.ty(field(0), names)?)),
            "SIL_BLOCK_STORAGE_TYPE" => Type::new(TypeKind::BlockStorage(self.ty(field(0), names)?)),
            "PACK_EXPANSION_TYPE" => Type::new(TypeKind::PackExpansion(self.ty(field(0), names)?)),
            "PACK_TYPE" => {
                let elements = self.all(rest(0), names)?.into();
                Type::new(TypeKind::Pack { direct: false, elements })
            }
            "SIL_PACK_TYPE" => {
                let elements = self.all(rest(1), names)?.into();
                Type::new(TypeKind::Pack { direct: field(0) == 0, elements })
            }
            "SIL_BOX_TYPE" => self.boxed(field(0), field(1), names)?,
            "BUILTIN_FIXED_ARRAY_TYPE" => {
                let args = [self.ty(field(0), names)?, self.ty(field(1), names)?];
                Type::new(TypeKind::Builtin(Symbol::new("FixedArray"), args.into()))
            }
            "SIL_FUNCTION_TYPE" => self.function(&record, &mut stream, names)?,
            other => {
                return Err(Damage::new(
                    format!("types of kind {other} are not supported"),
                    stream.position(),
                ));
            }
        })
    }

    fn all(&mut self, ids: &[u64], names: u64) -> Result<Vec<Type>> {
        ids.iter().map(|&id| self.ty(id, names)).collect()
    }

    fn nominal(&mut self, decl: u64, parent: u64, args: &[u64], names: u64) -> Result<Type> {
        let decl = self.decl(decl)?;
        let parent = match (parent, decl.path) {
            (0, None) => None,
            (0, Some(path)) => path
                .as_str()
                .split('.')
                .fold(None, |outer, name| Some(Type::named(outer, Symbol::new(name), Box::default()))),
            (parent, _) => Some(self.ty(parent, names)?),
        };
        let args = self.all(args, names)?;
        Ok(Type::named(parent, decl.name, args.into()))
    }

    fn tuple(&mut self, stream: &mut Stream<'_>, names: u64) -> Result<Type> {
        let mut elements = Vec::new();
        let mut record = Record::default();
        // The elements follow until another record.
        while self.record(stream, &mut record).is_ok_and(|kind| kind == "TUPLE_TYPE_ELT") {
            let [label, ty] = record.fields[..] else { break };
            let label = if label == 0 { None } else { Some(self.symbol(label)?) };
            elements.push(TupleElement { label, ty: self.ty(ty, names)?, variadic: false });
        }
        Ok(Type::new(TypeKind::Tuple(elements.into())))
    }

    fn boxed(&mut self, layout: u64, subs: u64, names: u64) -> Result<Type> {
        let mut stream = self.entry("SIL_LAYOUT_OFFSETS", layout)?;
        let mut record = Record::default();
        self.record(&mut stream, &mut record)?;
        let field = |at: usize| record.fields.get(at).copied().unwrap_or(0);
        let sig = if field(0) == 0 { None } else { Some(self.signature(field(0), 0)?) };
        let mut fields = Vec::new();
        for &packed in record.fields.get(3..).unwrap_or_default() {
            // The sign bit of 32 says that the field is mutable.
            let ty = self.ty(packed & 0x7FFF_FFFF, 0)?;
            fields.push(BoxField { mutable: packed >> 31 & 1 == 1, ty });
        }
        let args = self.substitutions(subs, names)?.into();
        let boxed = BoxType { sig, captures_generics: field(1) == 1, fields: fields.into(), args };
        Ok(Type::new(TypeKind::Box(Box::new(boxed))))
    }

    /// Decodes the type that an instruction opens. The environment in which it was opened tells it from others.
    fn opened(&mut self, interface: u64, environment: u64, names: u64) -> Result<Type> {
        let mut stream = self.entry("GENERIC_ENVIRONMENT_OFFSETS", environment)?;
        let mut record = Record::default();
        self.record(&mut stream, &mut record)?;
        let existential = self.ty(record.fields.get(1).copied().unwrap_or(0), names)?;
        let interface = of_self(self.ty(interface, 0)?);
        let id = Symbol::new(&format!("00000000-0000-0000-0000-{environment:012X}"));
        Ok(Type::new(TypeKind::Opened { id, existential, interface }))
    }

    #[expect(clippy::too_many_lines, reason = "one line or arm for each field or kind of record")]
    fn function(&mut self, record: &Record, stream: &mut Stream<'_>, names: u64) -> Result<Type> {
        let damage = || Damage::new("a function type is cut off", 0);
        let field = |at: usize| record.fields.get(at).copied().unwrap_or(0);
        let mut rest = record.fields.get(18..).unwrap_or_default().iter().copied();
        let (sig, subs, pattern) = (field(14), field(15), field(16));
        // A pattern has parameters of its own.
        let inner = if pattern != 0 || (sig != 0 && names == 0) { 0 } else { names };
        let mut ty = FunctionType::lowered(Convention::Thick);
        let mut set = |at: usize, flag: FnFlags| {
            if field(at) == 1 {
                ty.flags |= flag;
            }
        };
        set(0, FnFlags::SENDABLE);
        set(1, FnFlags::ASYNC);
        set(5, FnFlags::PSEUDOGENERIC);
        set(6, FnFlags::NOESCAPE);
        set(7, FnFlags::UNIMPLEMENTABLE);
        set(8, FnFlags::ISOLATED_ANY);
        match field(2) {
            1 => ty.flags |= FnFlags::YIELD_ONCE,
            2 => ty.flags |= FnFlags::YIELD_MANY,
            3 => ty.flags |= FnFlags::YIELD_ONCE_2,
            _ => {}
        }
        ty.callee = match field(3) {
            3 => CalleeConvention::Owned,
            5 => CalleeConvention::Guaranteed,
            _ => CalleeConvention::Unowned,
        };
        let params = field(11);
        let mut read = |decoder: &mut Self, with_options: bool| -> Result<Param> {
            let (id, convention) = (rest.next().ok_or_else(damage)?, rest.next().ok_or_else(damage)?);
            let options = if with_options { rest.next().ok_or_else(damage)? } else { 0 };
            use ParamConvention as P;
            let convention = match convention {
                0 => P::In,
                1 => P::Inout,
                2 => P::InoutAliasable,
                3 => P::Owned,
                4 => P::Unowned,
                5 => P::Guaranteed,
                6 => P::InGuaranteed,
                7 => P::PackGuaranteed,
                8 => P::PackOwned,
                9 => P::PackInout,
                10 => P::InCxx,
                _ => return Err(Damage::new("an unknown convention of a parameter", 0)),
            };
            let mut flags = ParamFlags::empty();
            let known = [
                ParamFlags::NO_DERIVATIVE,
                ParamFlags::SENDING,
                ParamFlags::ISOLATED,
                ParamFlags::IMPLICIT_LEADING,
                ParamFlags::CONST,
            ];
            for (bit, flag) in known.into_iter().enumerate() {
                if options >> bit & 1 == 1 {
                    flags |= flag;
                }
            }
            let ty = decoder.ty(id, inner)?;
            Ok(Param { convention, flags, label: None, lifetime: None, ty })
        };
        let mut list = Vec::new();
        for _ in 0..params {
            list.push(read(self, true)?);
        }
        ty.params = list.into();
        let mut list = Vec::new();
        for _ in 0..field(12) {
            list.push(read(self, false)?);
        }
        ty.yields = list.into();
        let mut list = Vec::new();
        for at in 0..field(13) + field(10) {
            let is_error = at == field(13);
            let (id, convention) = (rest.next().ok_or_else(damage)?, rest.next().ok_or_else(damage)?);
            let options = if is_error { 0 } else { rest.next().ok_or_else(damage)? };
            use ResultConvention as R;
            let convention = match convention {
                0 => R::Out,
                1 => R::Owned,
                2 => R::Unowned,
                3 => R::UnownedInnerPointer,
                4 => R::Autoreleased,
                5 => R::PackOut,
                6 => R::GuaranteedAddress,
                7 => R::Guaranteed,
                8 => R::Inout,
                _ => return Err(Damage::new("an unknown convention of a result", 0)),
            };
            let flags = ResultFlags::from_bits_truncate(options as u32);
            let result = ResultInfo { convention, flags, lifetime: None, ty: self.ty(id, inner)? };
            if is_error {
                ty.error = Some(result);
            } else {
                list.push(result);
            }
        }
        ty.results = list.into();
        use Convention as C;
        ty.convention = match field(4) {
            0 => C::Thick,
            1 => C::Block,
            2 => C::Thin,
            3 => C::C,
            8 => C::Method,
            9 => C::ObjCMethod,
            10 => C::WitnessMethod(self.conformance_protocol(rest.next().ok_or_else(damage)?)?),
            11 => C::Closure,
            12 => C::CxxMethod,
            13 => C::KeyPathGetter,
            14 => C::KeyPathSetter,
            15 => C::KeyPathEquals,
            16 => C::KeyPathHash,
            _ => return Err(Damage::new("an unknown representation of a function", 0)),
        };
        if pattern != 0 {
            let pattern_sig = self.substituted_signature(pattern)?;
            ty.pattern_sig = Some(pattern_sig);
            ty.pattern_args = self.substitutions(pattern, names)?.into();
        }
        if sig != 0 {
            ty.sig = Some(self.signature(sig, names)?);
        }
        let _ = subs;
        self.lifetimes(&mut ty, stream)?;
        Ok(Type::new(TypeKind::Function(Box::new(ty))))
    }

    /// Reads the lifetime dependences that follow a function type.
    fn lifetimes(&mut self, ty: &mut FunctionType, stream: &mut Stream<'_>) -> Result<()> {
        let mut record = Record::default();
        while self.record(stream, &mut record).is_ok_and(|kind| kind == "LIFETIME_DEPENDENCE") {
            let [target, count, is_immortal, copies, borrows, _addressable, bits @ ..] = &record.fields[..]
            else {
                return Err(Damage::new("a lifetime dependence is cut off", stream.position()));
            };
            let count = usize::try_from(*count).unwrap_or(usize::MAX);
            let mut words: Vec<String> = Vec::new();
            if *is_immortal == 1 {
                words.push("immortal".to_owned());
            }
            let mut lists = bits.chunks(count.max(1));
            for (has, word) in [(*copies, "copy"), (*borrows, "borrow")] {
                if has == 1 {
                    let list = lists.next().unwrap_or_default();
                    let set = list.iter().enumerate().filter(|(_, bit)| **bit == 1);
                    words.extend(set.map(|(at, _)| format!("{word} {at}")));
                }
            }
            let text = Symbol::new(&words.join(", "));
            let target = usize::try_from(*target).unwrap_or(usize::MAX);
            match ty.params.get_mut(target) {
                Some(param) => param.lifetime = Some(text),
                None => ty.result_lifetime = Some(text),
            }
        }
        Ok(())
    }

    /// Returns the signature that a substitution map is for. Patterns spell no requirements of copying.
    fn substituted_signature(&mut self, id: u64) -> Result<silkit_types::GenericSig> {
        let mut stream = self.entry("SUBSTITUTION_MAP_OFFSETS", id)?;
        let mut record = Record::default();
        self.record(&mut stream, &mut record)?;
        let sig = self.signature(record.fields.first().copied().unwrap_or(0), 0)?;
        let mut data = sig.data().clone();
        data.requirements = data
            .requirements
            .iter()
            .filter(|r| !matches!(r.constraint.kind(), TypeKind::Inverse(_)))
            .copied()
            .collect();
        Ok(silkit_types::GenericSig::new(data))
    }

    /// Returns the protocol of a conformance, whose id has its kind in the two lowest bits.
    pub(crate) fn conformance_protocol(&mut self, id: u64) -> Result<Type> {
        let table = match id & 3 {
            0 => "ABSTRACT_CONFORMANCE_OFFSETS",
            1 => "PROTOCOL_CONFORMANCE_OFFSETS",
            _ => "PACK_CONFORMANCE_OFFSETS",
        };
        let mut at = (table, id >> 2);
        for _ in 0..MAX_DEPTH {
            let mut stream = self.entry(at.0, at.1)?;
            let mut record = Record::default();
            let kind = self.record(&mut stream, &mut record)?;
            let field = |index: usize| record.fields.get(index).copied().unwrap_or(0);
            match kind {
                "NORMAL_PROTOCOL_CONFORMANCE" | "PROTOCOL_CONFORMANCE_XREF" | "SELF_PROTOCOL_CONFORMANCE" => {
                    return Ok(Type::nominal(self.decl(field(0))?.name.as_str()));
                }
                "BUILTIN_PROTOCOL_CONFORMANCE" | "ABSTRACT_CONFORMANCE" => {
                    return Ok(Type::nominal(self.decl(field(1))?.name.as_str()));
                }
                "SPECIALIZED_PROTOCOL_CONFORMANCE" | "INHERITED_PROTOCOL_CONFORMANCE" => {
                    let next = field(0);
                    at = ("PROTOCOL_CONFORMANCE_OFFSETS", next >> 2);
                }
                other => {
                    return Err(Damage::new(format!("a conformance of kind {other}"), stream.position()));
                }
            }
        }
        Err(Damage::new("conformances are nested too deeply", 0))
    }
}

/// Returns an interface type of an opened existential with its parameter called `Self`.
fn of_self(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Param { .. } => {
            Type::new(TypeKind::Param { name: Symbol::new("Self"), depth: 0, index: 0 })
        }
        TypeKind::Member(base, name) => Type::new(TypeKind::Member(of_self(*base), *name)),
        _ => ty,
    }
}
