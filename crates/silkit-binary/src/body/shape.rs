//! Shapes: the common parts of many instructions of a module, written once.
//!
//! An instruction begins with the number of its shape, which encodes everything with few possible values: opcode,
//! flags, numbers of operands and results, missing attributes, and data that is derived from preceding data.

use crate::codec::{Codec, record, variants};
use crate::sink::Sink;
use crate::source::{DecodeError, Source};
use crate::tables::Table;
use silkit_ir::info::{Arity, AttrKind, CustomPiece, Piece, Results};
use silkit_ir::{NONE, Opcode, Ownership};

/// The common parts of instructions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    pub(crate) opcode: Opcode,
    pub(crate) flags: u8,
    pub(crate) forwarding: Option<Ownership>,
    pub(crate) operands: u32,
    pub(crate) type_operands: u8,
    pub(crate) results: u16,
    pub(crate) words: Box<[Word]>,
    pub(crate) result_types: ResultTypes,
    pub(crate) location: Location,
}

/// The source of an attribute word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Word {
    /// Missing.
    Absent,
    /// This number: a count or the index of a keyword.
    Fixed(u32),
    /// Written after the operands.
    Written,
    /// The type of the first operand.
    FirstOperand,
}

/// The source of the result types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ResultTypes {
    /// Written after the attributes.
    Written,
    /// The single result has the type of the first operand, in this category.
    FirstOperand(Category),
    /// The single result has the type in an attribute, in this category.
    Attribute(u8, Category),
}

/// The category of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Category {
    Same,
    Object,
    Address,
}

/// The source of the location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Location {
    /// No location.
    None,
    /// The location of the previous instruction.
    Same,
    /// Written after the instruction.
    Written,
}

variants! {
    Ownership { 0 = None, 1 = Owned, 2 = Guaranteed, 3 = Unowned }
    Word { 0 = Absent, 1 = Fixed(number), 2 = Written, 3 = FirstOperand }
    ResultTypes { 0 = Written, 1 = FirstOperand(category), 2 = Attribute(index, category) }
    Category { 0 = Same, 1 = Object, 2 = Address }
    Location { 0 = None, 1 = Same, 2 = Written }
}

record! {
    Shape {
        opcode, flags, forwarding, operands, type_operands, results, words, result_types, location,
    }
}

impl Codec for Opcode {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.reference(Table::Opcodes, *self as u32);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        let number = source.number()?;
        source.locals().opcode(number).ok_or_else(|| source.unknown("kind of instruction", number))
    }
}

impl Shape {
    /// Checks that the shape is valid for the instruction table.
    pub(crate) fn check(&self) -> Result<(), String> {
        let info = self.opcode.info();
        let fault = |what: &str| Err(format!("`{}` with {what}", info.name));
        let fits = match info.results {
            Results::None | Results::Terminator => self.results == 0,
            Results::One => self.results == 1,
            Results::Several => true,
        };
        if !fits {
            return fault("a wrong number of results");
        }
        if u32::from(self.flags) >> info.flags.len() != 0 {
            return fault("unknown flags");
        }
        if self.words.len() != info.attrs.len() {
            return fault("a wrong number of attributes");
        }
        for (spec, &word) in info.attrs.iter().zip(&self.words) {
            if !self.fits(spec.kind, word) {
                return Err(format!("`{}` with an invalid `{}`", info.name, spec.name));
            }
        }
        if !self.operands_fit() {
            return fault("a wrong number of operands");
        }
        match self.result_types {
            ResultTypes::Written => Ok(()),
            _ if self.results != 1 => fault("one type for several results"),
            ResultTypes::FirstOperand(_) if self.operands == 0 => fault("no operand to take a type from"),
            ResultTypes::Attribute(index, _) if !self.is_type(index) => {
                fault("no attribute to take a type from")
            }
            _ => Ok(()),
        }
    }

    /// Returns true if the word of this kind of attribute may have this source.
    fn fits(&self, kind: AttrKind, word: Word) -> bool {
        let needs_signature =
            || self.opcode.info().form.iter().any(|p| matches!(p, Piece::Custom(CustomPiece::OpenPack, ..)));
        match (kind, word) {
            (AttrKind::Count, Word::Fixed(count)) => count <= self.operands,
            (AttrKind::Choice(words, _), Word::Fixed(index)) => (index as usize) < words.len(),
            (AttrKind::Choice(_, optional), Word::Absent) => optional,
            (AttrKind::Count | AttrKind::Choice(..), _) | (_, Word::Fixed(_)) => false,
            (AttrKind::SilType | AttrKind::OptSilType, Word::FirstOperand) => self.operands > 0,
            (_, Word::FirstOperand) => false,
            (_, Word::Written) => true,
            (AttrKind::OptSig, Word::Absent) => !needs_signature(),
            (kind, Word::Absent) => may_be_absent(kind),
        }
    }

    fn is_type(&self, index: u8) -> bool {
        use AttrKind as K;
        let kind = self.opcode.info().attrs.get(usize::from(index)).map(|a| a.kind);
        let is_present = self.words.get(usize::from(index)).is_some_and(|&w| w != Word::Absent);
        is_present && matches!(kind, Some(K::SilType | K::OptSilType | K::Type | K::OptType))
    }

    /// Returns true if the number of operands matches the operand specifications.
    fn operands_fit(&self) -> bool {
        let specs = self.opcode.info().operands;
        let mut left = u64::from(self.operands);
        let mut open = None;
        for spec in specs {
            let count = match (spec.arity, spec.count.map(|attr| self.words.get(usize::from(attr)))) {
                (Arity::One, _) => 1,
                (Arity::Optional, Some(Some(&Word::Fixed(count @ 0..=1)))) => u64::from(count),
                (Arity::Many, Some(Some(&Word::Fixed(count)))) => u64::from(count),
                (arity, None) if open.is_none() => {
                    open = Some(arity);
                    continue;
                }
                _ => return false,
            };
            match left.checked_sub(count) {
                Some(rest) => left = rest,
                None => return false,
            }
        }
        match open {
            None => left == 0,
            Some(Arity::Optional) => left <= 1,
            Some(_) => true,
        }
    }
}

fn may_be_absent(kind: AttrKind) -> bool {
    use AttrKind as K;
    match kind {
        K::OptU32 | K::OptStr | K::OptSilType | K::OptType | K::OptBlock | K::OptSig | K::DebugVar => true,
        K::ListU32 | K::ListOptSym | K::ListType | K::ListSilType => true,
        K::ListBlock | K::ListDecl | K::ListDeclBlock => true,
        K::U32 | K::Count | K::Sym | K::Str | K::SilType | K::Type | K::Decl => false,
        K::Function | K::Global | K::Block | K::KeyPath => false,
        K::Choice(_, optional) => optional,
    }
}

/// Returns how an attribute word is encoded.
pub(crate) fn word_of(kind: AttrKind, word: u32, first_operand: Option<u32>) -> Word {
    match kind {
        AttrKind::Count => Word::Fixed(word),
        AttrKind::Choice(..) if word != NONE => Word::Fixed(word),
        AttrKind::U32 => Word::Written,
        _ if word == NONE => Word::Absent,
        AttrKind::SilType | AttrKind::OptSilType if Some(word) == first_operand => Word::FirstOperand,
        _ => Word::Written,
    }
}
