//! Files that are not SIL: what they are, and what to type instead.

use std::path::Path;

/// What a file is, and a hint, in which `FILE` stands for its name.
type Known = (&'static str, &'static str);

const COMPILE: &str = "SIL is what `swiftc -emit-silgen` or `-emit-sil` prints";

/// The first bytes of files that are not SIL.
const BYTES: &[(&[u8], Known)] = &[
    (
        b"\x1f\x8b",
        ("compressed by gzip", "decompress it: `gzip -dc FILE`, and name `-` as the file in a pipe"),
    ),
    (
        b"\x28\xb5\x2f\xfd",
        (
            "compressed by zstd",
            "decompress it: `zstd -dc --long=31 FILE`, and name `-` as the file in a pipe",
        ),
    ),
    (b"\xfd7zXZ", ("compressed by xz", "decompress it: `xz -dc FILE`, and name `-` as the file in a pipe")),
    (b"BZh", ("compressed by bzip2", "decompress it: `bzip2 -dc FILE`, and name `-` as the file in a pipe")),
    (
        b"PK\x03\x04",
        ("a zip archive", "decompress it: `unzip -p FILE NAME`, and name `-` as the file in a pipe"),
    ),
    (b"\xff\xfe", ("text in UTF-16", "convert it: `iconv -f UTF-16 -t UTF-8 FILE`")),
    (b"\xfe\xff", ("text in UTF-16", "convert it: `iconv -f UTF-16 -t UTF-8 FILE`")),
    (b"BC\xc0\xde", ("LLVM bitcode", COMPILE)),
    (b"\xde\xc0\x17\x0b", ("LLVM bitcode", COMPILE)),
    (b"\x7fELF", ("an object file or program (ELF)", COMPILE)),
    (b"\xcf\xfa\xed\xfe", ("an object file or program (Mach-O)", COMPILE)),
    (b"\xca\xfe\xba\xbe", ("an object file or program (Mach-O)", COMPILE)),
    (b"MZ", ("a program (Windows)", COMPILE)),
    (b"!<arch>\n", ("an archive of object files", COMPILE)),
];

/// Returns what a file in a known other format is by its first bytes, and a hint.
pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Known> {
    BYTES.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, known)| *known)
}

/// The number of lines of a text that are searched.
const LINES: usize = 2000;

/// Starts of lines by which other texts are known.
const TEXTS: &[(&[&str], Known)] = &[
    (
        &["*** SIL function ", "*** SIL module ", "*** SIL before ", "*** SIL after "],
        (
            "a log of `-sil-print-all`, which has a module or function for each run of a pass",
            "`silkit timeline FILE` shows its steps; `swiftc -emit-sil` without that option prints one module",
        ),
    ),
    (&["; ModuleID = ", "source_filename = ", "target triple = "], ("LLVM IR", COMPILE)),
    (
        &["(source_file ", "(ast_dump", "(brace_stmt"],
        (
            "a dump of the compiler's syntax tree",
            "`swiftc -emit-silgen` prints SIL where `-dump-ast` prints the tree",
        ),
    ),
    (
        &["// swift-interface-format-version:"],
        ("a module interface", "it has no SIL; compile the module's sources with `swiftc -emit-sil`"),
    ),
    (&["\t.text", "\t.section\t", "\t.globl\t"], ("assembly", COMPILE)),
];

/// Starts of lines of Swift source that are not in SIL outside of functions.
const SWIFT: &[&str] = &[
    "import ",
    "func ",
    "let ",
    "var ",
    "struct ",
    "class ",
    "final class ",
    "enum ",
    "extension ",
    "protocol ",
    "actor ",
    "public ",
    "private ",
    "print(",
    "if ",
    "for ",
    "@main",
    "do {",
    "guard ",
];

/// Returns what a text that is not SIL is, and a hint; to be asked for texts that do not parse or have no SIL.
pub(crate) fn of_text(path: &Path, text: &str) -> Option<Known> {
    let lines = || text.lines().take(LINES);
    let begins = |starts: &[&str]| lines().any(|line| starts.iter().any(|start| line.starts_with(start)));
    let is_sil = lines().any(|line| line.starts_with("sil ") || line.starts_with("sil_"));
    let mut texts = TEXTS.iter();
    // Only a log has whole functions of SIL.
    let known = if is_sil {
        texts.next().filter(|(starts, _)| begins(starts))
    } else {
        texts.find(|(starts, _)| begins(starts))
    };
    let is_swift = || path.extension().is_some_and(|extension| extension == "swift");
    known.map(|(_, known)| *known).or_else(|| {
        let looks_like_swift = is_swift() || !is_sil && begins(SWIFT);
        looks_like_swift.then_some(("Swift source", "`swiftc -emit-silgen FILE` prints its SIL, `swiftc -emit-sil FILE` that after the diagnostic passes"))
    })
}

#[cfg(test)]
mod tests {
    use super::of_text;
    use std::path::Path;

    #[test]
    fn texts_are_known_by_their_lines() {
        let what = |text: &str| of_text(Path::new("a.sil"), text).map(|(what, _)| what);
        assert_eq!(what("; ModuleID = 'a'\nsource_filename = \"a\"\n"), Some("LLVM IR"));
        assert_eq!(what("// a\nimport Foundation\n\nprint(1)\n"), Some("Swift source"));
        let log = "*** SIL module before SILGen Passes ***\nsil_stage raw\n";
        assert!(what(log).is_some_and(|what| what.starts_with("a log")));
        // A mistake in SIL with declarations is a mistake in SIL.
        assert_eq!(
            what(
                "sil_stage canonical\nimport Builtin\nstruct S {}\nsil @f : $() -> () {\nbb0:\n  tupel\n}\n"
            ),
            None
        );
        assert_eq!(what("bb0:\n  %0 = tuple ()\n"), None);
    }
}
