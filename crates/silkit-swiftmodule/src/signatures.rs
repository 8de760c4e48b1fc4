//! Generic signatures and substitutions.

use crate::container::Record;
use crate::decls::Decoder;
use crate::error::{Damage, Result};
use silkit_base::Symbol;
use silkit_types::{GenericParamDecl, GenericSig, Requirement, RequirementKind, SigData, Type, TypeKind};

impl Decoder<'_> {
    /// Decodes a signature. Its parameters have the names that they have in signature `names`, or canonical ones if
    /// that is 0.
    #[expect(clippy::too_many_lines, reason = "one line or arm for each field or kind of record")]
    pub(crate) fn signature(&mut self, id: u64, names: u64) -> Result<GenericSig> {
        if let Some(found) = self.sigs.get(&(id, names)) {
            return Ok(*found);
        }
        let mut stream = self.entry("GENERIC_SIGNATURE_OFFSETS", id)?;
        let mut record = Record::default();
        let kind = self.record(&mut stream, &mut record)?;
        if kind != "GENERIC_SIGNATURE" {
            return Err(Damage::new(format!("{kind} in place of a generic signature"), stream.position()));
        }
        let fields = record.fields;
        let damage = || Damage::new("a generic signature is cut off", stream.position());
        let mut at = 1;
        let mut raw = Vec::new();
        for _ in 0..*fields.first().ok_or_else(damage)? {
            // A layout stands before its subject, and has a size and an alignment after it.
            let (requirement, length) = match *fields.get(at..at + 3).ok_or_else(damage)? {
                [4, layout, subject] => ((4, subject, layout), 5),
                [kind, subject, constraint] => ((kind, subject, constraint), 3),
                _ => return Err(damage()),
            };
            raw.push(requirement);
            at += length;
        }
        let mut params = Vec::new();
        for &param in fields.get(at..).ok_or_else(damage)? {
            let ty = self.ty(param, names)?;
            let TypeKind::Param { name, depth, index } = *ty.kind() else { return Err(damage()) };
            let pack = self.is_pack(param)?;
            params.push(GenericParamDecl {
                name,
                depth,
                index,
                is_pack: pack,
                value_type: None,
                bound: None,
                attribute: None,
            });
        }
        let depth_of = |ty: Type| -> u16 {
            let mut ty = ty;
            while let TypeKind::Member(base, _) = ty.kind() {
                ty = *base;
            }
            match ty.kind() {
                TypeKind::Param { depth, .. } => *depth,
                _ => 0,
            }
        };
        let mut requirements = Vec::new();
        // The types whose conformance to Copyable and Escapable is not to be suppressed.
        let (mut copyable, mut escapable, mut implied) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, subject, constraint) in raw {
            let subject = self.ty(subject, names)?;
            let (kind, constraint) = match kind {
                0 | 1 => (RequirementKind::Conforms, self.ty(constraint, names)?),
                2 => (RequirementKind::SameType, self.ty(constraint, names)?),
                4 => {
                    let layout = match constraint {
                        3 => "_Trivial",
                        4 => "_RefCountedObject",
                        5 => "_NativeRefCountedObject",
                        6 => "AnyObject",
                        7 => "_NativeClass",
                        _ => return Err(Damage::new("a layout requirement", stream.position())),
                    };
                    (RequirementKind::Conforms, Type::nominal(layout))
                }
                _ => return Err(Damage::new(format!("a requirement of kind {kind}"), stream.position())),
            };
            if constraint == Type::nominal("Copyable") {
                copyable.push(subject);
                continue;
            }
            if constraint == Type::nominal("Escapable") {
                escapable.push(subject);
                continue;
            }
            implied.push(subject);
            if kind == RequirementKind::SameType {
                implied.push(constraint);
            }
            let depth = match kind {
                RequirementKind::SameType => depth_of(subject).max(depth_of(constraint)),
                _ => depth_of(subject),
            };
            requirements.push(Requirement { kind, depth, is_repeat: false, subject, constraint });
        }
        let mut all = Vec::new();
        for param in &params {
            let subject =
                Type::new(TypeKind::Param { name: param.name, depth: param.depth, index: param.index });
            for (known, name) in [(&copyable, "Copyable"), (&escapable, "Escapable")] {
                if !known.contains(&subject) && !implied.contains(&subject) {
                    let constraint = Type::new(TypeKind::Inverse(Type::nominal(name)));
                    let (kind, depth) = (RequirementKind::Conforms, param.depth);
                    all.push(Requirement { kind, depth, is_repeat: false, subject, constraint });
                }
            }
        }
        requirements.extend(all);
        let sig = GenericSig::new(SigData { params: params.into(), requirements: requirements.into() });
        self.sigs.insert((id, names), sig);
        Ok(sig)
    }

    /// Returns the name of a parameter in a signature.
    pub(crate) fn param_name(&mut self, sig: u64, depth: u16, index: u16) -> Result<Symbol> {
        if sig != 0 {
            // The names of a signature are those of the declarations that its parameters have.
            let found = self.signature(sig, u64::MAX)?;
            let param = found.data().params.iter().find(|p| (p.depth, p.index) == (depth, index));
            if let Some(param) = param {
                return Ok(param.name);
            }
        }
        Ok(Symbol::new(&format!("τ_{depth}_{index}")))
    }

    /// Returns the replacement types of a substitution map; none for id 0.
    pub(crate) fn substitutions(&mut self, id: u64, names: u64) -> Result<Vec<Type>> {
        if id == 0 {
            return Ok(Vec::new());
        }
        let mut stream = self.entry("SUBSTITUTION_MAP_OFFSETS", id)?;
        let mut record = Record::default();
        self.record(&mut stream, &mut record)?;
        let sig = self.signature(record.fields.first().copied().unwrap_or(0), 0)?;
        let count = sig.data().params.len();
        let types = record.fields.get(2..2 + count);
        let types = types.ok_or_else(|| Damage::new("substitutions are cut off", stream.position()))?;
        types.iter().map(|&ty| self.ty(ty, names)).collect()
    }
}
