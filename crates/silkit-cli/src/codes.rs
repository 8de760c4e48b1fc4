//! Error codes other than verifier rules, each with a page for `silkit explain`.

use crate::wrap::prose;
use silkit::diag::RuleId;

/// An error code and its reference page.
pub(crate) struct Code {
    /// The identifier of the code, as printed.
    pub(crate) id: RuleId,
    /// A one-line description of the error.
    pub(crate) summary: &'static str,
    /// The cause and the remedy.
    pub(crate) details: &'static str,
    /// Commands that reproduce the error or help to fix it.
    pub(crate) example: &'static str,
}

/// The text is not SIL.
pub(crate) const SYNTAX: RuleId = RuleId::new("SIL0001");
/// A pass rejected its input as invalid.
pub(crate) const PASS: RuleId = RuleId::new("SIL0900");
/// A file could not be read.
pub(crate) const UNREADABLE: RuleId = RuleId::new("CLI0001");
/// A file could not be written.
pub(crate) const UNWRITABLE: RuleId = RuleId::new("CLI0002");
/// The arguments of the command are invalid or not supported.
pub(crate) const USAGE: RuleId = RuleId::new("CLI0003");
/// A function name is unknown or ambiguous.
pub(crate) const NO_FUNCTION: RuleId = RuleId::new("CLI0004");
/// A check failed.
pub(crate) const NOT_SO: RuleId = RuleId::new("CLI0005");

/// A function has more costs than its budget allows.
pub(crate) const OVER_BUDGET: RuleId = RuleId::new("COST0001");
/// A function is not in the budget.
pub(crate) const NO_BUDGET: RuleId = RuleId::new("COST0002");

/// A program has undefined behavior.
pub(crate) const UNDEFINED: RuleId = RuleId::new("RUN0001");
/// A program needs something that the interpreter does not support.
pub(crate) const NOT_SUPPORTED: RuleId = RuleId::new("RUN0002");
/// A program ended with a trap or a fatal error.
pub(crate) const STOPPED: RuleId = RuleId::new("RUN0003");
/// A program reached a limit.
pub(crate) const LIMIT: RuleId = RuleId::new("RUN0004");

/// The exit statuses of all commands, as a literal for help and reference pages.
macro_rules! exit_statuses {
    () => {
        "\
Exit status: 0 on success; 1 if errors or differences were found, syntax errors among them; 2 if
the command could not run (wrong usage, unreadable input, unwritable output). bisect,
check-passes, diff, fmt, mutate, reduce and run, for which 1 has another meaning, exit with 2 for
syntax errors too; run ends otherwise with the status of the program."
    };
}
pub(crate) use exit_statuses;

/// All codes, sorted by identifier.
pub(crate) const ALL: &[Code] = &[
    Code {
        id: SYNTAX,
        summary: "Syntax error",
        details: concat!(
            "\
The parser expected something else here. It continues after an error, so one run reports several;
look at the first error in a function first, because the others may follow from it.

The message names what was found and what was expected; a note suggests the nearest known word if
one is misspelled. Truncated SIL, or SIL that an editor wrapped, causes this error where the text
ends too early.

",
            exit_statuses!()
        ),
        example: "\
silkit verify a.sil
silkit explain --list | grep alloc      # how instructions are spelled",
    },
    Code {
        id: PASS,
        summary: "A pass found an error in its input",
        details: "\
Diagnostic passes report errors in the program, as the compiler does. The message refers to the
function that it names; with debug information, or if the input is text, it has a location.

`silkit opt` stops after the pass; it continues after warnings and, with `-verify`, after errors.
`--verify-each` shows whether an earlier pass broke the module.",
        example: "silkit opt -TAG --verify-each a.sil -o /dev/null",
    },
    Code {
        id: UNREADABLE,
        summary: "A file cannot be read",
        details: "\
The file does not exist, is a directory, is not readable, or does not contain SIL: UTF-8 text or
the binary form that `silkit opt -emit-sib` writes. A `.swiftmodule` or a `.sib` of the compiler
has another format; the toolchain's `sil-opt` prints it as text.

`-` stands for standard input. The exit status is 2.",
        example: "\
swiftc -emit-silgen a.swift | silkit stats -
sil-opt Library.swiftmodule | silkit nm -",
    },
    Code {
        id: UNWRITABLE,
        summary: "A file cannot be written",
        details: "\
Files are written atomically: the text goes to a temporary file in the same directory, which then
replaces the old file. The directory must therefore exist and be writable, and the device needs
space for both.

If the reader of standard output stops early, as `head` does, that is not an error. The exit
status is 2.",
        example: "silkit opt examples/shapes.raw.sil -o out/shapes.sil     # the directory must exist",
    },
    Code {
        id: USAGE,
        summary: "Invalid arguments",
        details: "\
An option, a value or a name is unknown, options exclude each other, or the command can do nothing
with the file that is named. The note suggests what to try.

`silkit help COMMAND` shows the options of a command with examples. The exit status is 2.",
        example: "silkit help opt",
    },
    Code {
        id: NO_FUNCTION,
        summary: "A function name is unknown or ambiguous",
        details: "\
All commands take a function by its mangled name, with or without the `@`; by its demangled name,
in full (`main.greet(name: Swift.String) -> Swift.String`) or as in SIL comments
(`greet(name:)`); by a part of either that is unique; or by a pattern in which `*` matches
anything. A pattern may match several functions if the command accepts several.

The function needs a body in the file. The exit status is 2.",
        example: "\
silkit nm --demangle examples/shapes.raw.sil
silkit extract -func 'Canvas.total()' examples/shapes.raw.sil
silkit extract -func '*Canvas*' examples/shapes.raw.sil",
    },
    Code {
        id: NOT_SO,
        summary: "A check of the command failed",
        details: "\
`silkit fmt --check` found files that are not in canonical form; it lists them with the first
lines that differ. The exit status is 1, as for other findings.",
        example: "silkit fmt --check examples/shapes.raw.sil",
    },
    Code {
        id: OVER_BUDGET,
        summary: "A function has more costs than its budget allows",
        details: "\
`silkit cost --check BUDGET` compares the numbers of retains, allocations, dynamic calls and other
costs of each function with the limits of a budget. Either remove the cost (`--why LINE` explains
it), or raise the limit: edit the number, or write the budget again. The exit status is 1.",
        example: "\
silkit cost examples/inventory.debug.sil --write-budget budget.toml
silkit cost examples/inventory.debug.sil --check budget.toml",
    },
    Code {
        id: NO_BUDGET,
        summary: "A function with costs is not in the budget",
        details: "\
It is new, or its name changed. That is no regression; write the budget again to include it.",
        example: "silkit cost examples/inventory.debug.sil --write-budget budget.toml",
    },
    Code {
        id: UNDEFINED,
        summary: "Undefined behavior in a program",
        details: "\
`silkit run` checks every access to memory, every reference and every instruction while the program
runs. The message names the violation and its location; the notes show the history of the memory or
value, and the call stack. docs/run.md lists the kinds of violations.

`--no-check=KIND` ignores a kind of violation that is intended. The exit status is 1.",
        example: "silkit run examples/run/dangling.sil",
    },
    Code {
        id: NOT_SUPPORTED,
        summary: "The interpreter does not support something that a program needs",
        details: "\
The usual reason is a module that the program is not linked with. `silkit library build` builds the
standard library from its sources, which almost every program needs. `silkit library list` lists the
modules in the library directory, `--library FILE` links with others. Otherwise the message names a
runtime function, an instruction or a kind of type that is not implemented. The exit status is 2.",
        example: "\
silkit library build                   # which sources are needed, and how to get them
silkit library list
silkit run --library Shapes.sil main.sil",
    },
    Code {
        id: STOPPED,
        summary: "A program ended with a trap or a fatal error",
        details: "\
The program trapped, reported a fatal error or did not catch an error. This is defined behavior.
The exit status is that of a native program: 132 or 134.",
        example: "silkit run examples/run/hello.sil; echo $?",
    },
    Code {
        id: LIMIT,
        summary: "A program reached a limit",
        details: "\
`--steps` sets how many instructions may be executed, `--memory` how many bytes may be in use at
once. The exit status is 2.",
        example: "silkit run --steps 100 examples/run/hello.sil",
    },
];

/// Returns the code with the given name.
pub(crate) fn find(name: &str) -> Option<&'static Code> {
    ALL.iter().find(|code| code.id.as_str().eq_ignore_ascii_case(name))
}

/// Returns the reference page of a code.
pub(crate) fn page(code: &Code, bold: bool) -> String {
    let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let example = code.example.replace('\n', "\n  ");
    let head = prose(&format!("{on}{}{off} – {}", code.id, code.summary));
    format!("{head}\n\n{}\n\n{on}Try{off}\n  {example}\n", prose(code.details))
}
