//! Error codes other than verifier rules, each with a page for `silkit explain`.

use silkit::diag::RuleId;

/// A code with its page.
pub(crate) struct Code {
    /// The code as it is printed.
    pub(crate) id: RuleId,
    /// One line: what went wrong.
    pub(crate) summary: &'static str,
    /// The cause and the remedy.
    pub(crate) details: &'static str,
    /// Commands that show it, or help.
    pub(crate) example: &'static str,
}

/// The text is not SIL.
pub(crate) const SYNTAX: RuleId = RuleId::new("SIL0001");
/// A pass found that its input is wrong.
pub(crate) const PASS: RuleId = RuleId::new("SIL0900");
/// A file could not be read.
pub(crate) const UNREADABLE: RuleId = RuleId::new("CLI0001");
/// A file could not be written.
pub(crate) const UNWRITABLE: RuleId = RuleId::new("CLI0002");
/// The command was asked for something that it cannot do.
pub(crate) const USAGE: RuleId = RuleId::new("CLI0003");
/// A function name that is unknown or ambiguous.
pub(crate) const NO_FUNCTION: RuleId = RuleId::new("CLI0004");
/// A failed check.
pub(crate) const NOT_SO: RuleId = RuleId::new("CLI0005");

/// A program that ran met undefined behaviour.
pub(crate) const UNDEFINED: RuleId = RuleId::new("RUN0001");
/// A program needs something that the interpreter does not have.
pub(crate) const NOT_SUPPORTED: RuleId = RuleId::new("RUN0002");
/// A program stopped itself: a trap or a fatal error.
pub(crate) const STOPPED: RuleId = RuleId::new("RUN0003");
/// A program went beyond a limit.
pub(crate) const LIMIT: RuleId = RuleId::new("RUN0004");

/// All codes, in the order of their ids.
pub(crate) const ALL: &[Code] = &[
    Code {
        id: SYNTAX,
        summary: "The text is not SIL",
        details: "\
The parser expected something else at this place. It goes on after the error, so one run reports
several; the first error in a function is the one to look at, because others may follow from it.

The message says what was found and what was expected; a note names the nearest word where one is
misspelled. SIL that was cut off, or that an editor wrapped, gives this error at the place where
the text ends too early.",
        example: "\
silkit verify a.sil
silkit explain --list | grep alloc      # how instructions are spelled",
    },
    Code {
        id: PASS,
        summary: "A pass found an error in its input",
        details: "\
Diagnostic passes report errors of the program, as the compiler does. The message is about the
function that it names; with debug information, or with the text at hand, it has a place.

`silkit opt` stops after the pass; warnings stop nothing. `--verify-each` tells whether a pass before it broke the
module.",
        example: "silkit opt -TAG --verify-each a.sil -o /dev/null",
    },
    Code {
        id: UNREADABLE,
        summary: "A file cannot be read",
        details: "\
The file does not exist, is a directory, may not be read, or holds something other than SIL: text
in UTF-8, or the binary form that `silkit opt -emit-sib` writes. A `.swiftmodule` or a `.sib` of
the compiler is another format; `sil-opt` of the toolchain prints it as text.

`-` stands for standard input. The exit status is 2.",
        example: "\
swiftc -emit-silgen a.swift | silkit stats -
sil-opt Library.swiftmodule | silkit nm -",
    },
    Code {
        id: UNWRITABLE,
        summary: "A file cannot be written",
        details: "\
A file is written whole or not at all: the text goes to a temporary file in the same directory,
which then takes the place of the old one. So the directory must exist and be writable, and the
device must have room for both.

A reader of standard output that stops early, such as `head`, is not an error. The exit status is
2.",
        example: "silkit opt examples/shapes.raw.sil -o out/shapes.sil     # the directory must exist",
    },
    Code {
        id: USAGE,
        summary: "The command cannot be carried out with these arguments",
        details: "\
An option, a value or a name is unknown, or things were asked for together that exclude each
other. The note says what to try.

`silkit help COMMAND` shows the options of a command with examples. The exit status is 2.",
        example: "silkit help opt",
    },
    Code {
        id: NO_FUNCTION,
        summary: "A function name is unknown or ambiguous",
        details: "\
All commands take a function by its mangled name, with or without the `@`; by its demangled name,
in full (`main.greet(name: Swift.String) -> Swift.String`) or as in the comments of SIL
(`greet(name:)`); by a part of either that no other function has; or by a pattern, in which `*`
stands for anything. A pattern may mean several functions where a command takes several.

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
        id: UNDEFINED,
        summary: "A program met undefined behaviour",
        details: "\
`silkit run` checks every access to memory, every reference and every instruction while the program
runs. The message says what was violated and where; the notes say what happened to the memory or the
value before, and which calls led there. docs/run.md lists the kinds.

`--no-check=KIND` goes on where a kind of violation is meant to be there. The exit status is 1.",
        example: "silkit run examples/run/dangling.sil",
    },
    Code {
        id: NOT_SUPPORTED,
        summary: "A program needs something that the interpreter does not have",
        details: "\
A function without SIL is the usual reason: it belongs to a module that the program is not linked
with. `silkit library list` shows the modules in the library folder, `--library FILE` links with
others. What is left is a function of the runtime, an instruction or a kind of type that is refused
by its name and never guessed. The exit status is 2.",
        example: "\
silkit library list
silkit run --library Shapes.sil main.sil",
    },
    Code {
        id: STOPPED,
        summary: "A program stopped itself",
        details: "\
The program trapped, called a fatal error or did not catch an error: no undefined behaviour, but an
end that it asks for itself. The exit status is that of a native program: 132 or 134.",
        example: "silkit run examples/run/hello.sil; echo $?",
    },
    Code {
        id: LIMIT,
        summary: "A program went beyond a limit",
        details: "\
`--limit` says how many instructions may be executed, `--memory` how many bytes may be in use at
once. The exit status is 2.",
        example: "silkit run --limit 100 examples/run/hello.sil",
    },
];

/// Returns the code with this name.
pub(crate) fn find(name: &str) -> Option<&'static Code> {
    ALL.iter().find(|code| code.id.as_str().eq_ignore_ascii_case(name))
}

/// Returns the page of a code.
pub(crate) fn page(code: &Code, bold: bool) -> String {
    let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let example = code.example.replace('\n', "\n  ");
    format!("{on}{}{off} – {}\n\n{}\n\n{on}Try{off}\n  {example}\n", code.id, code.summary, code.details)
}
