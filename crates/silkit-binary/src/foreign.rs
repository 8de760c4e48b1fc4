//! Detection of Swift compiler files that could be mistaken for Silkit files.

use crate::error::{ReadError, ReadErrorKind};
use silkit_swiftmodule::Control;

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
        let found = Control::read(file);
        if !found.swift.is_empty() {
            message += &format!("; written by Swift {}", found.swift.escape_debug());
        }
        if found.format != (0, 0) {
            message += &format!(" (module format {}.{})", found.format.0, found.format.1);
        }
    }
    Some(ReadError::new(ReadErrorKind::Foreign, message, Some(0), kind.hint))
}
