//! The generic parameters in scope while types are parsed, and the nesting limits.

use crate::cursor::Cursor;
use crate::error::{Parse, err_here};
use crate::existential::Protocols;
use crate::named_types;
use silkit_base::Symbol;
use silkit_types::{GenericParamDecl, GenericSig, Param, ParamConvention, ResultInfo, Type};

/// The maximum nesting of types in the text.
const MAX_DEPTH: u32 = 128;

/// The maximum nesting at which the signature of a function type is cached. Within it, the limits of nesting hold for a
/// cached signature nearly as for one that is parsed.
const MAX_SIGNATURE_DEPTH: u32 = 2;

/// The maximum height of a type: suffixes such as `??` nest types without nesting in the text.
const MAX_HEIGHT: u32 = 256;

/// The generic signatures in scope, innermost last.
#[derive(Clone, Debug, Default)]
pub struct GenericEnv {
    sigs: Vec<GenericSig>,
    /// The name mask of the parameters of the outermost signature.
    mask: u64,
    /// The parameters of the signatures that are being parsed.
    pub(crate) open: Vec<GenericParamDecl>,
    pub(crate) depth: u32,
    /// The height of the type parsed so far at this depth.
    height: u32,
    /// The depth at which the attributes of a function type may contain the convention of the parameter or result of
    /// this type (`@noescape @guaranteed () -> ()`), and that convention.
    late: Option<(u32, Option<ParamConvention>)>,
    /// The protocols whose names denote existential types; `None` if names are kept as spelled.
    pub(crate) protocols: Option<Protocols>,
    /// True in a body, where all generic parameters of function types are `τ_d_i`.
    pub(crate) in_body: bool,
    /// True in a module that a compiler printed, whose spelling of members of opened types is kept.
    pub(crate) is_printed: bool,
    /// True in a lowered type, which has no sugar.
    pub(crate) canonical: bool,
    /// True in the arguments of a type that no known module declares: a specialization of a C++ template names its
    /// arguments by their C types (`cx.Box<CInt>`).
    pub(crate) keeps_c_types: bool,
    /// True if generic parameters with names are printed as `τ_d_i`.
    pub(crate) renames: bool,
    /// The number of outer signatures that are hidden, because a component of a type has its own scope.
    hidden: usize,
    /// The record of names that are looked up in the enclosing signatures while a type is parsed.
    watched: Option<LookupRecord>,
    /// The recorded names of all records that are being made, each with the parameter of the enclosing signatures that it
    /// denotes, if it denotes one.
    noted: Vec<(Symbol, Option<ParamPosition>)>,
    /// The elements of the lists of types that are being parsed, those of inner lists last.
    pub(crate) types: Vec<Type>,
    /// The parameters of the lists that are being parsed.
    pub(crate) params: Vec<Param>,
    /// The results of the function types that are being parsed.
    pub(crate) results: Vec<ResultInfo>,
}

/// The depth and index of a generic parameter.
pub(crate) type ParamPosition = (u16, u16);

/// A record of the names looked up in the enclosing signatures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookupRecord {
    /// The number of enclosing signatures.
    outer: usize,
    /// The position of its first name in [`GenericEnv::noted`]; the names of records made inside it come later.
    first: usize,
}

/// The state that the meaning of names depends on, besides the parameters in scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stamp {
    /// The names of protocols and aliases, and the protocol that is kept bare.
    protocols: (u32, u32),
    in_body: bool,
    is_printed: bool,
    canonical: bool,
}

impl Stamp {
    /// Combines the stamp with the hash of a text.
    pub(crate) fn mix(self, hash: u64) -> u64 {
        let names = u64::from(self.protocols.0) << 32 | u64::from(self.protocols.1);
        (hash ^ names).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26)
    }
}

impl GenericEnv {
    /// Creates an empty environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty environment in which the name of a protocol denotes its existential type.
    pub(crate) fn with_protocols(protocols: Protocols) -> Self {
        Self { protocols: Some(protocols), ..Self::default() }
    }

    /// Enters a signature.
    pub fn push(&mut self, sig: GenericSig) {
        if self.sigs.is_empty() {
            self.mask = sig.data().params.iter().fold(0, |mask, p| mask | Self::bit(p.name));
        }
        self.sigs.push(sig);
    }

    /// Parses a component whose own signature, if it has one, is the only one in scope.
    pub(crate) fn in_own_scope<'a, T>(
        &mut self,
        cur: &mut Cursor<'a>,
        sig: Option<GenericSig>,
        read: impl FnOnce(&mut Cursor<'a>, &mut Self) -> Parse<T>,
    ) -> Parse<T> {
        let outer = std::mem::replace(&mut self.hidden, self.sigs.len());
        if let Some(sig) = sig {
            self.push(sig);
        }
        let outcome = read(cur, self);
        if sig.is_some() {
            self.pop();
        }
        self.hidden = outer;
        outcome
    }

    /// Returns true if the innermost signature has named parameters (not `τ_d_i`).
    pub(crate) fn names_parameters(&self) -> bool {
        let params = self.sigs.last().map(|sig| &sig.data().params);
        params.is_some_and(|params| params.iter().any(|p| !p.name.as_str().starts_with("τ_")))
    }

    /// Leaves the innermost signature.
    pub fn pop(&mut self) {
        self.sigs.pop();
        if self.sigs.is_empty() {
            self.mask = 0;
        }
    }

    /// Returns the state that the meaning of names depends on; `None` if it has no compact representation.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        if !self.open.is_empty() || self.depth > 0 || self.renames || self.sigs.len() > 1 {
            return None;
        }
        Some(self.names_stamp())
    }

    /// Returns the state that the meaning of names in a signature depends on, which may also be that of a function type
    /// within another type; `None` if it has no compact representation.
    pub(crate) fn signature_stamp(&self) -> Option<Stamp> {
        let is_outer = self.watched.as_ref().is_none_or(|watched| watched.outer == self.sigs.len());
        if !self.open.is_empty()
            || self.depth > MAX_SIGNATURE_DEPTH
            || self.sigs.len() > 1
            || self.hidden > 0
            || self.keeps_c_types
            || !is_outer
        {
            return None;
        }
        Some(self.names_stamp())
    }

    /// Returns the state that the meaning of the names of nominal types depends on.
    pub(crate) fn names_stamp(&self) -> Stamp {
        Stamp {
            protocols: self.protocols.as_ref().map_or((u32::MAX, u32::MAX), Protocols::id),
            in_body: self.in_body,
            is_printed: self.is_printed,
            canonical: self.canonical,
        }
    }

    /// Returns the bit of a name in name masks.
    pub(crate) fn bit(name: Symbol) -> u64 {
        1 << (name.as_u32() % u64::BITS)
    }

    /// Returns true if each name denotes this parameter of the outermost signature, or none. `mask` is the mask of the names.
    pub(crate) fn denotes(&self, names: &[(Symbol, Option<ParamPosition>)], mask: u64) -> bool {
        if mask & self.mask == 0 {
            return names.iter().all(|(_, position)| position.is_none());
        }
        let Some(sig) = self.sigs.first() else { return false };
        names.iter().all(|&(name, position)| position_in(*sig, name) == position)
    }

    /// Begins to record lookups in the current signatures. Returns the record that was being made, for
    /// [`Self::unwatch`].
    pub(crate) fn watch(&mut self) -> Option<LookupRecord> {
        self.watched.replace(LookupRecord { outer: self.sigs.len(), first: self.noted.len() })
    }

    /// Ends recording. Returns the names that were looked up in the recorded signatures since [`Self::watch`], and adds
    /// them to the record that was being made around it.
    pub(crate) fn unwatch(&mut self, outer: Option<LookupRecord>) -> Box<[(Symbol, Option<ParamPosition>)]> {
        let first = std::mem::replace(&mut self.watched, outer).map_or(0, |watched| watched.first);
        let names: Box<[_]> = self.noted[first..].into();
        self.noted.truncate(first);
        self.note_names(&names);
        names
    }

    /// Records the lookup of a name, once.
    fn note(&mut self, named: (Symbol, Option<ParamPosition>)) {
        if let Some(watched) = &self.watched
            && !self.noted[watched.first..].contains(&named)
        {
            self.noted.push(named);
        }
    }

    /// Records lookups of names in the current signatures.
    pub(crate) fn note_names(&mut self, names: &[(Symbol, Option<ParamPosition>)]) {
        names.iter().for_each(|&named| self.note(named));
    }

    /// Parses the type of a parameter or result with `read`. Its convention may come after attributes of the type.
    pub(crate) fn with_late_convention<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<(T, Option<ParamConvention>)> {
        let outer = self.late.replace((self.depth + 1, None));
        let result = read(self);
        let late = std::mem::replace(&mut self.late, outer);
        result.map(|read| (read, late.and_then(|(_, convention)| convention)))
    }

    /// Records a convention among the attributes of a type. Returns false if none is allowed here.
    pub(crate) fn note_convention(&mut self, convention: ParamConvention) -> bool {
        match &mut self.late {
            Some((depth, slot)) if *depth == self.depth && slot.is_none() => {
                *slot = Some(convention);
                true
            }
            _ => false,
        }
    }

    /// Increments the height of the type at this depth.
    pub(crate) fn grow(&mut self, cur: &Cursor<'_>) -> Parse<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT { Err(err_here(cur, "this type nests too deeply")) } else { Ok(()) }
    }

    /// Returns true if a nested type is within the limits.
    pub(crate) fn may_nest(&self) -> bool {
        self.depth < MAX_DEPTH
    }

    /// Records a nested type without parts.
    pub(crate) fn note_leaf(&mut self) {
        self.height = if self.depth == 0 { 1 } else { self.height.max(1) };
    }

    /// Parses a nested type, within the limits.
    pub(crate) fn nested<'a, T>(
        &mut self,
        cur: &mut Cursor<'a>,
        read: impl FnOnce(&mut Cursor<'a>, &mut Self) -> Parse<T>,
    ) -> Parse<T> {
        if !self.may_nest() {
            return Err(err_here(cur, "this type nests too deeply"));
        }
        let outer = if self.depth == 0 { 0 } else { self.height };
        self.depth += 1;
        self.height = 0;
        let result = read(cur, self).and_then(|read| self.grow(cur).map(|()| read));
        self.depth -= 1;
        self.height = self.height.max(outer);
        result
    }

    /// Returns the depth and index of a parameter by name. `τ_d_i` needs no signature.
    pub(crate) fn lookup(&mut self, name: Symbol) -> Option<ParamPosition> {
        if name.as_str().starts_with("τ_") {
            return spelled_position(name);
        }
        if let Some(open) = self.open.iter().rev().find(|p| p.name == name) {
            return Some((open.depth, open.index));
        }
        let sigs = self.sigs.iter().enumerate().skip(self.hidden).rev();
        let found = sigs.into_iter().find_map(|(at, sig)| Some((at, position_in(*sig, name)?)));
        if let Some(watched) = self.watched
            && found.is_none_or(|(at, _)| at < watched.outer)
        {
            self.note((name, found.map(|(_, position)| position)));
        }
        found.map(|(_, position)| position)
    }

    /// Returns the parameter with this name.
    pub(crate) fn param(&mut self, name: Symbol) -> Option<Type> {
        let (depth, index) = self.lookup(name)?;
        let is_spelled = !self.renames || name.as_str().starts_with("τ_");
        Some(if is_spelled { named_types::param(name, (depth, index)) } else { Type::param(depth, index) })
    }
}

/// Returns the position that the name of a parameter states: `τ_d_i`.
pub(crate) fn spelled_position(name: Symbol) -> Option<ParamPosition> {
    let (depth, index) = name.as_str().strip_prefix("τ_")?.split_once('_')?;
    Some((depth.parse().ok()?, index.parse().ok()?))
}

/// Returns the position of the parameter of a signature with this name; the last one hides others.
fn position_in(sig: GenericSig, name: Symbol) -> Option<ParamPosition> {
    sig.data().params.iter().rev().find(|p| p.name == name).map(|p| (p.depth, p.index))
}
