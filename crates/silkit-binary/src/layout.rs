//! The description of the instruction table in a file, so that a file written with another instruction table is
//! detected and not misread.

use crate::codec::Codec;
use crate::container::checksum;
use crate::sink::Sink;
use crate::source::{DecodeError, Source};
use silkit_base::Symbol;
use silkit_ir::Opcode;
use silkit_ir::info::{Arity, AttrKind};

/// Writes the name of an instruction and the checksum of its layout.
pub(crate) fn write_opcode(opcode: Opcode, sink: &mut Sink<'_>) {
    Symbol::new(opcode.info().name).write(sink);
    sink.raw(&layout(opcode).to_le_bytes());
}

/// Reads the output of [`write_opcode`] and returns the instruction with this layout.
pub(crate) fn read_opcode(source: &mut Source<'_, '_>) -> Result<Opcode, DecodeError> {
    let name = Symbol::read(source)?.as_str();
    let sum = source.take(4)?;
    let Some(opcode) = Opcode::from_name(name) else {
        return Err(source.damage(format!("the instruction `{name}`, which this Silkit does not know")));
    };
    if layout(opcode).to_le_bytes() != sum {
        return Err(
            source.damage(format!("`{name}` with operands or attributes that this Silkit does not know"))
        );
    }
    Ok(opcode)
}

/// Returns a checksum of all table properties of an instruction that the encoding depends on.
fn layout(opcode: Opcode) -> u32 {
    let info = opcode.info();
    let mut bytes = Vec::new();
    let words = |bytes: &mut Vec<u8>, words: &[&str]| {
        bytes.push(words.len() as u8);
        words.iter().for_each(|word| bytes.extend(word.bytes().chain([0])));
    };
    words(&mut bytes, info.flags);
    bytes.push(info.operands.len() as u8);
    for operand in info.operands {
        let arity = match operand.arity {
            Arity::One => 0,
            Arity::Optional => 1,
            Arity::Many => 2,
        };
        bytes.extend([arity, operand.count.map_or(u8::MAX, |attribute| attribute)]);
    }
    for attribute in info.attrs {
        bytes.push(kind_code(attribute.kind));
        if let AttrKind::Choice(keywords, _) = attribute.kind {
            words(&mut bytes, keywords);
        }
    }
    checksum(&bytes)
}

/// Returns the code of a kind of attribute, which includes whether a keyword is optional.
fn kind_code(kind: AttrKind) -> u8 {
    match kind {
        AttrKind::U32 => 0,
        AttrKind::OptU32 => 1,
        AttrKind::Count => 2,
        AttrKind::Choice(_, false) => 3,
        AttrKind::Choice(_, true) => 4,
        AttrKind::Sym => 5,
        AttrKind::Str => 6,
        AttrKind::OptStr => 7,
        AttrKind::SilType => 8,
        AttrKind::OptSilType => 9,
        AttrKind::Type => 10,
        AttrKind::OptType => 11,
        AttrKind::Decl => 12,
        AttrKind::Function => 13,
        AttrKind::Global => 14,
        AttrKind::Block => 15,
        AttrKind::OptBlock => 16,
        AttrKind::ListU32 => 17,
        AttrKind::ListType => 18,
        AttrKind::ListSilType => 19,
        AttrKind::ListBlock => 20,
        AttrKind::ListDecl => 21,
        AttrKind::ListDeclBlock => 22,
        AttrKind::DebugVar => 23,
        AttrKind::KeyPath => 24,
        AttrKind::OptSig => 25,
        AttrKind::ListOptSym => 26,
    }
}
