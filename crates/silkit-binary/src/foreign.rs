//! Detection of Swift compiler files that could be mistaken for Silkit files.

use crate::bitstream::{Bitstream, Item};
use crate::error::{ReadError, ReadErrorKind};

/// A file format of another program, with the tool to use instead.
struct Kind {
    magic: &'static [u8],
    name: &'static str,
    hint: &'static str,
    /// True if it has a control block with the Swift version.
    has_control_block: bool,
}

const KINDS: &[Kind] = &[
    Kind {
        magic: &[0xE2, 0x9C, 0xA8, 0x0E],
        name: "a serialized module of the Swift compiler (`.swiftmodule` or `.sib`)",
        hint: "print it as text with the Swift that wrote it: `sil-opt FILE.sib -o FILE.sil`, or compile \
               its sources with `swiftc -emit-sil`",
        has_control_block: true,
    },
    Kind {
        magic: &[0xE2, 0x9C, 0xA8, 0x07],
        name: "a documentation file of the Swift compiler (`.swiftdoc`)",
        hint: "it contains no SIL; compile the module's sources with `swiftc -emit-sil`",
        has_control_block: true,
    },
    Kind {
        magic: &[0xF0, 0x9F, 0x8F, 0x8E],
        name: "a source location file of the Swift compiler (`.swiftsourceinfo`)",
        hint: "it contains no SIL; compile the module's sources with `swiftc -emit-sil`",
        has_control_block: true,
    },
    Kind {
        magic: &[b'B', b'C', 0xC0, 0xDE],
        name: "LLVM bitcode",
        hint: "compile with `swiftc -emit-sil` instead of `-emit-bc` to get SIL",
        has_control_block: false,
    },
    Kind {
        magic: &[0x7F, b'E', b'L', b'F'],
        name: "an object file or program (ELF)",
        hint: "compile with `swiftc -emit-sil` to get SIL",
        has_control_block: false,
    },
    Kind {
        magic: &[0xCF, 0xFA, 0xED, 0xFE],
        name: "an object file or program (Mach-O)",
        hint: "compile with `swiftc -emit-sil` to get SIL",
        has_control_block: false,
    },
];

/// Returns the error for a file with the magic number of another format.
pub(crate) fn identify(file: &[u8]) -> Option<ReadError> {
    let kind = KINDS.iter().find(|kind| file.starts_with(kind.magic))?;
    let mut message = format!("the file is {}, not binary SIL written by Silkit", kind.name);
    if kind.has_control_block {
        let found = control_block(file);
        if let Some(version) = found.swift {
            message += &format!("; written by Swift {}", version.escape_debug());
        }
        if let Some((major, minor)) = found.format {
            message += &format!(" (module format {major}.{minor})");
        }
    }
    Some(ReadError::new(ReadErrorKind::Foreign, message, Some(0), kind.hint))
}

/// The contents of a control block.
#[derive(Default)]
struct Control {
    format: Option<(u64, u64)>,
    swift: Option<String>,
}

/// Ids of the bitstream in a module file: the outer block, the control block inside it, and the record with the
/// versions, whose blob begins with the short Swift version.
const CONTROL_BLOCK: u64 = 9;
const METADATA: u64 = 1;

fn control_block(file: &[u8]) -> Control {
    let mut stream = Bitstream::new(&file[4..]);
    let mut control = Control::default();
    let mut block = 0;
    while let Some(item) = stream.next() {
        match item {
            Item::Enter(id) => block = id,
            Item::Leave => {
                if block == CONTROL_BLOCK {
                    break;
                }
            }
            Item::Record { code: METADATA, fields, blob } if block == CONTROL_BLOCK => {
                if let [major, minor, ..] = fields[..] {
                    control.format = Some((major, minor));
                }
                let text = String::from_utf8_lossy(blob);
                // The text is `6.1.2(5.8)/Swift version …`; fields give the lengths of its parts.
                let short = fields.get(2).and_then(|&n| text.get(..usize::try_from(n).ok()?));
                let short = short.filter(|s| !s.is_empty()).map(str::to_owned);
                control.swift = short
                    .or_else(|| Some(text.split(['/', '(']).next()?.to_owned()).filter(|s| !s.is_empty()));
                break;
            }
            Item::Record { .. } => {}
        }
    }
    control
}
