//! Runtime functions for Unicode properties, which the standard library calls.

use crate::interp::Interp;
use crate::memory::Kind;
use crate::native::{Call, Decompositions, Effect, NativeFn};
use crate::violation::{Run, unsupported};
use icu_normalizer::properties::{
    CanonicalCombiningClassMapBorrowed, CanonicalCompositionBorrowed, CanonicalDecompositionBorrowed,
    Decomposed,
};
use icu_properties::props::{GeneralCategory, GraphemeClusterBreak, IndicConjunctBreak, WordBreak};
use icu_properties::{CodePointMapData, CodePointSetData, props};
use silkit_base::{FxHashMap, Symbol};
use std::collections::HashSet;
use std::sync::OnceLock;

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("_swift_stdlib_getNormData", norm_data),
    ("_swift_stdlib_getComposition", composition),
    ("_swift_stdlib_getDecompositionEntry", decomposition_entry),
    ("_swift_stdlib_getGraphemeBreakProperty", grapheme_break),
    ("_swift_stdlib_getWordBreakProperty", word_break),
    ("_swift_stdlib_isInCB_Consonant", is_consonant),
    ("_swift_stdlib_getBinaryProperties", binary_properties),
    ("_swift_stdlib_getGeneralCategory", general_category),
    ("_swift_stdlib_getNumericType", numeric_type),
    ("_swift_stdlib_getNumericValue", numeric_value),
    ("_swift_stdlib_getMapping", mapping),
    ("_swift_stdlib_getSpecialMapping", special_mapping),
    ("_swift_stdlib_getCaseMapping", case_folding),
];

/// The size of the table of decompositions in bytes. An entry has 14 bits for the offset in the table.
const TABLE: u64 = 1 << 14;

fn scalar(it: &Interp<'_>, call: &Call<'_>) -> Run<char> {
    let value = it.arg32(call, 0);
    match char::from_u32(value) {
        Some(scalar) => Ok(scalar),
        None => unsupported(format!("a Unicode property of U+{value:04X}, which is not a scalar value,")),
    }
}

/// Appends the canonical decomposition of a scalar.
fn decompose(scalar: char, into: &mut String) {
    match CanonicalDecompositionBorrowed::new().decompose(scalar) {
        Decomposed::Default => into.push(scalar),
        Decomposed::Singleton(one) => decompose(one, into),
        Decomposed::Expansion(first, second) => {
            decompose(first, into);
            into.push(second);
        }
    }
}

/// Returns the scalars that can compose with a preceding scalar.
fn seconds() -> &'static HashSet<char> {
    static FOUND: OnceLock<HashSet<char>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut found: HashSet<char> = ('\u{1161}'..='\u{1175}').chain('\u{11A8}'..='\u{11C2}').collect();
        for scalar in ('\u{C0}'..='\u{FFFF}').chain('\u{10000}'..='\u{1FFFF}') {
            if ('\u{AC00}'..='\u{D7A3}').contains(&scalar) {
                continue;
            }
            if let Decomposed::Expansion(first, second) =
                CanonicalDecompositionBorrowed::new().decompose(scalar)
                && CanonicalCompositionBorrowed::new().compose(first, second) == Some(scalar)
            {
                found.insert(second);
            }
        }
        found
    })
}

/// Returns the normalization data of a scalar. Bit 0 is set if the scalar is not its own decomposition, bit 1 if the
/// scalar does not occur in the composed form (NFC), and bit 2 if its occurrence depends on the context. The higher
/// bits are the combining class.
fn norm_data(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let value = it.arg32(call, 0);
    let mut data = 0u64;
    if value >= 0xC0 {
        let scalar = scalar(it, call)?;
        data = u64::from(CanonicalCombiningClassMapBorrowed::new().get_u8(scalar)) << 3;
        let parts = CanonicalDecompositionBorrowed::new().decompose(scalar);
        let is_composed = match parts {
            Decomposed::Default => true,
            Decomposed::Singleton(_) => false,
            Decomposed::Expansion(first, second) => {
                CanonicalCompositionBorrowed::new().compose(first, second) == Some(scalar)
            }
        };
        let is_hangul = ('\u{AC00}'..='\u{D7A3}').contains(&scalar);
        data |= u64::from(!matches!(parts, Decomposed::Default) && !is_hangul);
        data |= if !is_composed { 2 } else { 0 } | if seconds().contains(&scalar) { 4 } else { 0 };
    }
    it.set_int(call.result, 2, data);
    Ok(Effect::Done)
}

fn composition(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let pair = (char::from_u32(it.arg32(call, 0)), char::from_u32(it.arg32(call, 1)));
    let found = match pair {
        (Some(first), Some(second)) => CanonicalCompositionBorrowed::new().compose(first, second),
        _ => None,
    };
    it.set_int(call.result, 4, found.map_or(u64::from(u32::MAX), |c| u64::from(u32::from(c))));
    Ok(Effect::Done)
}

/// Returns the address of the table of decompositions, which is filled on demand.
pub(super) fn decompositions(it: &mut Interp<'_>) -> Run<u64> {
    if it.runtime.decompositions.table == 0 {
        let table = it.allocate(Kind::Global, TABLE, 16, 0)?;
        it.runtime.decompositions = Decompositions { table, used: 1, entries: FxHashMap::default() };
    }
    Ok(it.runtime.decompositions.table)
}

/// Returns the table entry of a scalar: the scalar in the upper 18 bits, and the offset of its decomposition in the
/// table. Returns zero if the scalar has no decomposition.
fn decomposition_entry(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let scalar = scalar(it, call)?;
    let table = decompositions(it)?;
    let value = u32::from(scalar);
    let mut text = String::new();
    decompose(scalar, &mut text);
    let entry = match it.runtime.decompositions.entries.get(&value) {
        Some(&known) => known,
        None if text.chars().eq([scalar]) => 0,
        None => {
            let at = it.runtime.decompositions.used;
            let bytes = [&[text.len() as u8][..], text.as_bytes()].concat();
            if at + bytes.len() as u64 > TABLE {
                return unsupported("more distinct Unicode decompositions than the table holds");
            }
            it.c_write(table + at, &bytes)?;
            let entry = value << 14 | at as u32;
            it.runtime.decompositions.used = at + bytes.len() as u64;
            it.runtime.decompositions.entries.insert(value, entry);
            entry
        }
    };
    it.set_int(call.result, 4, u64::from(entry));
    Ok(Effect::Done)
}

fn grapheme_break(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let scalar = scalar(it, call)?;
    let property = CodePointMapData::<GraphemeClusterBreak>::new().get(scalar);
    let number = match property {
        GraphemeClusterBreak::Control => 0,
        GraphemeClusterBreak::Extend => 1,
        GraphemeClusterBreak::Prepend => 2,
        GraphemeClusterBreak::SpacingMark => 3,
        _ if CodePointSetData::new::<props::ExtendedPictographic>().contains(scalar) => 4,
        _ => 0xFF,
    };
    it.set_byte(call.result, number);
    Ok(Effect::Done)
}

fn word_break(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let property = CodePointMapData::<WordBreak>::new().get(scalar(it, call)?);
    const ORDER: [WordBreak; 10] = [
        WordBreak::Extend,
        WordBreak::Format,
        WordBreak::Katakana,
        WordBreak::HebrewLetter,
        WordBreak::ALetter,
        WordBreak::MidNumLet,
        WordBreak::MidLetter,
        WordBreak::MidNum,
        WordBreak::Numeric,
        WordBreak::ExtendNumLet,
    ];
    let number = ORDER.iter().position(|p| *p == property).map_or(0xFF, |at| at as u8);
    it.set_byte(call.result, number);
    Ok(Effect::Done)
}

fn is_consonant(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let property = CodePointMapData::<IndicConjunctBreak>::new().get(scalar(it, call)?);
    it.set_byte(call.result, u8::from(property == IndicConjunctBreak::Consonant));
    Ok(Effect::Done)
}

/// The binary properties, in the order of the library's bits.
fn binary_properties(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let scalar = scalar(it, call)?;
    macro_rules! bits {
        ($($name:ident),*) => {{
            let (mut bits, mut bit) = (0u64, 0u32);
            $(
                bits |= u64::from(CodePointSetData::new::<props::$name>().contains(scalar)) << bit;
                bit += 1;
            )*
            let _ = bit;
            bits
        }};
    }
    let bits = bits!(
        ChangesWhenCasefolded,
        ChangesWhenCasemapped,
        ChangesWhenLowercased,
        ChangesWhenNfkcCasefolded,
        ChangesWhenTitlecased,
        ChangesWhenUppercased,
        AsciiHexDigit,
        Alphabetic,
        BidiControl,
        BidiMirrored,
        CaseIgnorable,
        Cased,
        Dash,
        DefaultIgnorableCodePoint,
        Deprecated,
        Diacritic,
        Emoji,
        EmojiModifier,
        EmojiModifierBase,
        EmojiPresentation,
        Extender,
        FullCompositionExclusion,
        GraphemeBase,
        GraphemeExtend,
        HexDigit,
        IdContinue,
        IdsBinaryOperator,
        IdsTrinaryOperator,
        IdStart,
        Ideographic,
        JoinControl,
        LogicalOrderException,
        Lowercase,
        Math,
        NoncharacterCodePoint,
        PatternSyntax,
        PatternWhiteSpace,
        QuotationMark,
        Radical,
        SentenceTerminal,
        SoftDotted,
        TerminalPunctuation,
        UnifiedIdeograph,
        Uppercase,
        VariationSelector,
        WhiteSpace,
        XidContinue,
        XidStart
    );
    it.set(call.result, bits);
    Ok(Effect::Done)
}

fn general_category(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    use GeneralCategory as G;
    const ORDER: [GeneralCategory; 30] = [
        G::UppercaseLetter,
        G::LowercaseLetter,
        G::TitlecaseLetter,
        G::ModifierLetter,
        G::OtherLetter,
        G::NonspacingMark,
        G::SpacingMark,
        G::EnclosingMark,
        G::DecimalNumber,
        G::LetterNumber,
        G::OtherNumber,
        G::ConnectorPunctuation,
        G::DashPunctuation,
        G::OpenPunctuation,
        G::ClosePunctuation,
        G::InitialPunctuation,
        G::FinalPunctuation,
        G::OtherPunctuation,
        G::MathSymbol,
        G::CurrencySymbol,
        G::ModifierSymbol,
        G::OtherSymbol,
        G::SpaceSeparator,
        G::LineSeparator,
        G::ParagraphSeparator,
        G::Control,
        G::Format,
        G::Surrogate,
        G::PrivateUse,
        G::Unassigned,
    ];
    let category = CodePointMapData::<GeneralCategory>::new().get(scalar(it, call)?);
    let number = ORDER.iter().position(|c| *c == category).map_or(29, |at| at as u8);
    it.set_byte(call.result, number);
    Ok(Effect::Done)
}

/// The numeric type of a scalar.
#[derive(Clone, Copy)]
enum NumericType {
    Numeric,
    Digit,
    Decimal,
}

impl NumericType {
    /// Returns the number of the numeric type in the library.
    fn code(self) -> u8 {
        match self {
            Self::Numeric => 0,
            Self::Digit => 1,
            Self::Decimal => 2,
        }
    }
}

/// Returns the numeric type and the value of a numeric scalar.
fn number(scalar: char) -> Option<(NumericType, f64)> {
    let category = |c: char| CodePointMapData::<GeneralCategory>::new().get(c);
    // The digits of a script are consecutive, and are not adjacent to the digits of another script. The exceptions are
    // the mathematical digits, which are adjacent groups of ten.
    if category(scalar) == GeneralCategory::DecimalNumber {
        if ('\u{1D7CE}'..='\u{1D7FF}').contains(&scalar) {
            return Some((NumericType::Decimal, f64::from((u32::from(scalar) - 0x1D7CE) % 10)));
        }
        let before = (1..10).take_while(|&n| {
            let earlier = u32::from(scalar).checked_sub(n).and_then(char::from_u32);
            earlier.is_some_and(|c| category(c) == GeneralCategory::DecimalNumber)
        });
        return Some((NumericType::Decimal, before.count() as f64));
    }
    super::scalars::number(scalar)
        .map(|(is_digit, value)| (if is_digit { NumericType::Digit } else { NumericType::Numeric }, value))
}

fn numeric_type(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let code = number(scalar(it, call)?).map_or(0xFF, |(ty, _)| ty.code());
    it.set_byte(call.result, code);
    Ok(Effect::Done)
}

fn numeric_value(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let value = number(scalar(it, call)?).map_or(-1.0, |(_, value)| value);
    it.set(call.result, value.to_bits());
    Ok(Effect::Done)
}

/// Maps a scalar to another case: 0 is upper case, 1 is lower case, 2 is title case.
fn cased(scalar: char, mapping: u8) -> String {
    match mapping {
        0 => scalar.to_uppercase().collect(),
        1 => scalar.to_lowercase().collect(),
        _ => super::scalars::title_case(scalar).unwrap_or_else(|| scalar.to_uppercase().collect()),
    }
}

/// Returns the difference between the mapped scalar and the scalar, or 0 if the mapping is several scalars.
fn mapping(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let scalar = scalar(it, call)?;
    let to = cased(scalar, it.get_byte(call.args[1]));
    let mut all = to.chars();
    let distance = match (all.next(), all.next()) {
        (Some(one), None) => u32::from(one).wrapping_sub(u32::from(scalar)),
        _ => 0,
    };
    it.set_int(call.result, 4, u64::from(distance));
    Ok(Effect::Done)
}

/// Returns the text of a mapping to several scalars, or null if the mapping is a single scalar.
fn special_mapping(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let to = cased(scalar(it, call)?, it.get_byte(call.args[1]));
    let result = if to.chars().count() > 1 {
        let count = it.arg(call, 2);
        it.write(count, to.len() as u64)?;
        it.literal(4, Symbol::new(&to), to.as_bytes())?
    } else {
        0
    };
    it.set(call.result, result);
    Ok(Effect::Done)
}

/// Writes the case folding of a scalar in three words, of which unused words are all ones. Only ASCII is supported.
fn case_folding(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let scalar = scalar(it, call)?;
    if !scalar.is_ascii() {
        return unsupported(format!("the case folding of U+{:04X}", u32::from(scalar)));
    }
    let to = it.arg(call, 1);
    it.c_write(to, &u32::from(scalar.to_ascii_lowercase()).to_le_bytes())?;
    it.c_write(to + 4, &[0xFF; 8])?;
    Ok(Effect::Done)
}
