//! Functions into a module: attributes, types and bodies.

use crate::bodies::BodyReader;
use crate::container::{Record, Stream};
use crate::decls::Decoder;
use crate::error::{Damage, Result};
use crate::file::SwiftModule;
use crate::functions::FunctionPlace;
use silkit_base::Symbol;
use silkit_ir::{
    EffectsKind, Function, FunctionFlags, InlineStrategy, Linkage, Module, OptimizationMode, Serialized,
    SilStage, SpecialPurpose, ThunkKind,
};
use silkit_types::{FunctionType, SilType, Type, TypeKind};

/// A module that was read, and the functions whose bodies were not, with the reasons.
#[derive(Debug, Default)]
pub struct ReadModule {
    /// The module. The functions of [`Self::refused`] are in it without bodies.
    pub module: Module,
    /// The names of the functions that could not be decoded, and why.
    pub refused: Vec<(String, Damage)>,
}

impl SwiftModule {
    /// Reads all functions.
    pub fn module(&self) -> Result<ReadModule> {
        let mut read = ReadModule::default();
        read.module.stage = Some(SilStage::Canonical);
        let mut decoder = Decoder::new(self)?;
        for place in self.functions()? {
            match decoder.function_at(&place) {
                Ok((function, refused)) => {
                    read.refused.extend(refused.map(|damage| (place.name.clone(), damage)));
                    let _ = read.module.functions.push(function);
                }
                Err(damage) => read.refused.push((place.name.clone(), damage)),
            }
        }
        Ok(read)
    }
}

impl Decoder<'_> {
    /// Reads one function. If its body cannot be decoded, returns it without one, and the reason.
    #[expect(clippy::too_many_lines, reason = "one line or arm for each field or kind of record")]
    pub fn function_at(&mut self, place: &FunctionPlace) -> Result<(Function, Option<Damage>)> {
        let block = self.file.sil.clone().ok_or_else(|| Damage::new("the file has no SIL", 0))?;
        let mut stream = Stream::at(self.file.bytes(), &block, place.at)?;
        let mut record = Record::default();
        let kind = self.record(&mut stream, &mut record)?;
        if kind != "SIL_FUNCTION" {
            return Err(Damage::new(format!("{kind} in place of a function"), place.at));
        }
        let mut fields = record.fields.clone();
        let minor = self.file.control.format.1;
        let is_used = match minor {
            967 => false,
            976 if fields.len() > 11 => fields.remove(11) == 1,
            _ => {
                return Err(Damage::new(
                    format!("functions of format 0.{minor} are not supported"),
                    place.at,
                ));
            }
        };
        let field = |at: usize| fields.get(at).copied().unwrap_or(0);
        let sig = field(29);
        let ty = self.ty(field(26), 0)?;
        let mut function =
            Function::new(place.name.as_str(), SilType::object(self.named_by(ty, field(26), sig)?));
        const LINKAGES: [Linkage; 10] = [
            Linkage::Public,
            Linkage::PublicNonAbi,
            Linkage::Package,
            Linkage::PackageNonAbi,
            Linkage::Hidden,
            Linkage::Shared,
            Linkage::Private,
            Linkage::PublicExternal,
            Linkage::PackageExternal,
            Linkage::HiddenExternal,
        ];
        let linkage = LINKAGES.get(field(0) as usize).copied();
        function.linkage = linkage.ok_or_else(|| Damage::new("an unknown linkage", place.at))?;
        let all = &mut function.attributes;
        let mut set = |at: usize, flag: FunctionFlags| {
            if field(at) == 1 {
                all.flags |= flag;
            }
        };
        set(1, FunctionFlags::TRANSPARENT);
        set(4, FunctionFlags::WITHOUT_ACTUALLY_ESCAPING);
        set(13, FunctionFlags::OSSA);
        set(20, FunctionFlags::DYNAMICALLY_REPLACEABLE);
        set(21, FunctionFlags::EXACT_SELF_CLASS);
        set(22, FunctionFlags::DISTRIBUTED);
        set(23, FunctionFlags::RUNTIME_ACCESSIBLE);
        set(24, FunctionFlags::LEXICAL_LIFETIMES);
        // As the reference prints what it takes from a library.
        if !self.file.control.is_sib() {
            all.flags |= FunctionFlags::CANONICAL;
        }
        if is_used {
            all.flags |= FunctionFlags::USED;
        }
        all.serialized = match field(2) {
            1 => Serialized::Fully,
            2 => Serialized::ForPackage,
            _ => Serialized::No,
        };
        all.thunk = match field(3) {
            1 => Some(ThunkKind::Thunk),
            2 => Some(ThunkKind::Reabstraction),
            3 => Some(ThunkKind::SignatureOptimized),
            4 => Some(ThunkKind::BackDeployed),
            5 => Some(ThunkKind::DistributedProxyAdapter),
            _ => None,
        };
        all.purpose = match field(5) {
            1 => Some(SpecialPurpose::GlobalInit),
            2 => Some(SpecialPurpose::GlobalInitOnce),
            3 => Some(SpecialPurpose::LazyGetter),
            _ => None,
        };
        all.inline = match (field(6), minor) {
            (1, _) => Some(InlineStrategy::Never),
            (2, 976) => Some(InlineStrategy::HeuristicAlways),
            (2 | 3, _) => Some(InlineStrategy::Always),
            _ => None,
        };
        all.optimization = match field(7) {
            1 => Some(OptimizationMode::None),
            2 => Some(OptimizationMode::Speed),
            3 => Some(OptimizationMode::Size),
            _ => None,
        };
        all.effects = match field(11) {
            0 => Some(EffectsKind::ReadNone),
            1 => Some(EffectsKind::ReadOnly),
            2 => Some(EffectsKind::ReleaseNone),
            3 => Some(EffectsKind::ReadWrite),
            _ => None,
        };
        for &semantics in fields.get(32..).unwrap_or_default() {
            all.semantics.push(Symbol::new(self.file.identifier(semantics)?));
        }
        match BodyReader::read(self, &mut stream, sig) {
            Ok(body) => {
                if body.is_none() {
                    function.attributes.flags.remove(FunctionFlags::OSSA);
                }
                function.body = body;
            }
            Err(damage) => {
                function.remove_body();
                return Ok((function, Some(damage)));
            }
        }
        Ok((function, None))
    }

    /// Returns the type of a function with the parameters named as its generic environment names them.
    fn named_by(&mut self, ty: Type, id: u64, sig: u64) -> Result<Type> {
        let TypeKind::Function(function) = ty.kind() else { return Ok(ty) };
        if sig == 0 || function.sig.is_none() {
            return Ok(ty);
        }
        let TypeKind::Function(named) = self.ty(id, sig)?.kind() else { return Ok(ty) };
        let mut named: FunctionType = (**named).clone();
        named.sig = Some(self.signature(sig, u64::MAX)?);
        Ok(Type::new(TypeKind::Function(Box::new(named))))
    }
}
