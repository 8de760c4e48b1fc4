//! The parser of Swift declarations, in SIL files and in `.swiftinterface` files.
//!
//! Function bodies are skipped. The resulting tables are in [`silkit_types::decl`].
//!
//! ```
//! use silkit_text::decl::{Dialect, parse_decls};
//! let text = "struct Point { @_hasStorage var x: Int { get set } }\nextension Point : Sendable {}\n";
//! let parsed = parse_decls(text, 0..text.len(), Dialect::Sil);
//! assert!(parsed.errors.is_empty());
//! assert_eq!(parsed.ranges.len(), 2);
//! assert_eq!(parsed.table.nominals().next().unwrap().body.fields[0].name, "x");
//! ```

mod accessors;
mod attributes;
mod conditional;
mod facts;
pub(crate) mod formal;
mod initial;
mod items;
mod members;
mod modifiers;
mod operators;
mod other_names;
mod placement;
mod raw_values;
pub(crate) mod scan;
mod signature;
mod stdlib;

pub use facts::write_facts;
pub use signature::{MemberSignature, member_signature};
pub(crate) use stdlib::stdlib_alone;
pub use stdlib::{FactsFile, with_stdlib};

use crate::cursor::Cursor;
use crate::error::{SyntaxError, err_at};
use items::DeclParser;
use silkit_base::{Symbol, TextRange};
use silkit_ir::{Function, Module};
use silkit_types::Convention;
use silkit_types::decl::{DeclTable, Declarations};
use std::ops::Range;
use std::sync::Arc;

/// The source of the declarations, which decides the meaning of a property without accessors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Declarations in a SIL file.
    Sil,
    /// A `.swiftinterface` file: its types are resilient unless they are frozen.
    Interface,
    /// The generated facts, with one declaration per line.
    Facts,
}

/// The result of parsing a range of text.
#[derive(Clone, Debug, Default)]
pub struct ParsedDecls {
    /// The declarations.
    pub table: DeclTable,
    /// The ranges of the top-level declarations, with their attributes.
    pub ranges: Vec<TextRange>,
    /// The errors; the declarations around them are parsed nevertheless.
    pub errors: Vec<SyntaxError>,
}

/// Returns the Swift declarations visible to a module: its own and those of the standard library.
pub fn declarations(module: &Module) -> Declarations {
    declarations_with(module, &[])
}

/// Returns the Swift declarations visible to a module: its own, those of the modules in `libraries`, each a table
/// with its module name, and those of the standard library.
///
/// ```
/// use silkit_text::{decl::{declarations_with, library_table}, parse_module};
/// let library = parse_module("import Builtin\nstruct S {\n  @_hasStorage var x: Builtin.Int64\n}\n").module;
/// let app = parse_module("import Builtin\nimport Lib\n").module;
/// let found = declarations_with(&app, &[library_table(&library, "Lib".into())]);
/// assert!(found.sees_known_modules_only());
/// assert_eq!(found.stored_field(silkit_types::Type::nominal("S"), "x".into()).map(|t| t.to_string()).as_deref(), Some("Builtin.Int64"));
/// ```
pub fn declarations_with(module: &Module, libraries: &[Arc<DeclTable>]) -> Declarations {
    declarations_of(module, None, libraries)
}

/// Returns the Swift declarations visible to a module, as [`declarations_with`] does. `declared` are those of its Swift
/// text, as the parser of the module returned them ([`ParsedModule::declared`](crate::ParsedModule::declared)); they are
/// parsed again if it did not.
pub fn declarations_of(
    module: &Module,
    declared: Option<DeclTable>,
    libraries: &[Arc<DeclTable>],
) -> Declarations {
    let mut own = declared.unwrap_or_else(|| {
        // Parse the declarations as one text, so that their ranges show the nesting.
        let swift = module.swift_text();
        parse_decls(&swift, 0..swift.len(), Dialect::Sil).table
    });
    own.is_printed_by_compiler = is_printed_by_compiler(module);
    own.spells_whole_paths = own.is_printed_by_compiler;
    if own.is_printed_by_compiler {
        own.declared_elsewhere = other_names::declared_elsewhere(module, &own);
    }
    own.is_whole_file = module.stage.is_some();
    own.is_embedded =
        module.functions.values().any(|f| f.body.is_some() && f.name.as_str().starts_with("$e"));
    stdlib::with_libraries(own, libraries)
}

/// Returns the declarations of a module under this module name, for modules that import it.
pub fn library_table(module: &Module, name: Symbol) -> Arc<DeclTable> {
    let mut table = declarations(module).own().clone();
    table.module = Some(name);
    Arc::new(table)
}

/// Returns true if at least half of the functions of Swift have mangled names. What somebody wrote refers to few such
/// functions.
pub(crate) fn is_printed_by_compiler(module: &Module) -> bool {
    let of_swift = module.functions.values().filter(|f| !is_foreign(f)).count();
    if of_swift == 0 {
        // There are only declarations, after the compiler's own imports, and perhaps a `main` without anything to do.
        return module.swift_text().contains("import SwiftShims\n");
    }
    let mangled = module.functions.values().filter(|f| is_mangled(f.name)).count();
    mangled > 0 && mangled * 2 >= of_swift
}

/// Returns true if a module is of Embedded Swift, as the mangled names of its functions tell.
pub(crate) fn is_embedded(module: &Module) -> bool {
    module.functions.values().any(|function| function.name.as_str().starts_with("$e"))
}

/// Returns true for functions of C and of the runtime, whose names are not mangled.
fn is_foreign(function: &Function) -> bool {
    let is_c = function.ty.ty().as_function().is_some_and(|f| f.convention == Convention::C);
    let is_of_runtime = ["swift_", "_swift_"].iter().any(|prefix| function.name.as_str().starts_with(prefix));
    is_c || is_of_runtime
}

/// Returns true if this is the mangled name of a function of Swift, or of Embedded Swift.
pub(crate) fn is_mangled(name: Symbol) -> bool {
    silkit_ir::without_mangling_prefix(name.as_str()).is_some()
}

/// Parses the next declaration into `table` and returns its range. Errors go to `errors`; in any case the cursor is
/// moved past the declaration or past the text that could not be parsed.
pub fn parse_decl(
    cur: &mut Cursor<'_>,
    dialect: Dialect,
    table: &mut DeclTable,
    errors: &mut Vec<SyntaxError>,
) -> TextRange {
    cur.skip_trivia();
    let start = cur.pos();
    let mut parser = DeclParser::new(cur.clone(), dialect, std::mem::take(table));
    if let Err(error) = parser.top_level() {
        parser.errors.push(error);
        parser.recover(start);
    }
    cur.set_pos(parser.cur.pos());
    *table = parser.table;
    errors.append(&mut parser.errors);
    TextRange::new(start, cur.pos())
}

/// Parses all declarations in a range of a text.
pub fn parse_decls(text: &str, range: Range<usize>, dialect: Dialect) -> ParsedDecls {
    let mut parsed = ParsedDecls::default();
    let mut parser = DeclParser::new(Cursor::in_range(text, range), dialect, DeclTable::new());
    loop {
        while parser.cur.eat(";") || conditional::directive(&mut parser.cur) {}
        if parser.cur.at_end() {
            break;
        }
        let start = parser.cur.pos();
        if let Err(error) = parser.top_level() {
            parser.errors.push(error);
            parser.recover(start);
        }
        parsed.ranges.push(TextRange::new(start, parser.cur.pos()));
    }
    parsed.table = parser.table;
    parsed.errors = parser.errors;
    parsed
}

/// Parses a whole `.swiftinterface` file. The module's name comes from its `swift-module-flags`.
///
/// ```
/// let text = "// swift-module-flags: -module-name Geo\n@frozen public struct P {\n  public var x: Swift.Int\n}\n";
/// let parsed = silkit_text::decl::parse_interface(text);
/// assert_eq!(parsed.table.module.unwrap(), "Geo");
/// ```
pub fn parse_interface(text: &str) -> ParsedDecls {
    let mut parsed = parse_decls(text, 0..text.len(), Dialect::Interface);
    let flags = text.lines().take(16).find_map(|l| l.strip_prefix("// swift-module-flags:"));
    let mut words = flags.unwrap_or_default().split_whitespace();
    parsed.table.module =
        words.find(|w| *w == "-module-name").and_then(|_| words.next()).map(crate::symbols::symbol);
    parsed.table.follow_aliases();
    if parsed.table.module.is_none() {
        let message =
            "this is not a module interface: it has no `// swift-module-flags:` line with a `-module-name`";
        // Errors of another kind of file, such as SIL, would follow from this.
        parsed.errors = vec![err_at(0, 0, message)];
    }
    parsed
}

/// Skips `<…>`.
pub(crate) fn skip_angles(cur: &mut Cursor<'_>) {
    let mut depth = 0usize;
    loop {
        match cur.peek() {
            0 => return,
            b'-' if cur.eat("->") => continue,
            b'<' => depth += 1,
            b'>' if depth <= 1 => {
                cur.eat(">");
                return;
            }
            b'>' => depth -= 1,
            b'(' | b'[' | b'{' => {
                scan::skip_brackets(cur);
                continue;
            }
            _ => {}
        }
        let len = cur.text().get(cur.pos()..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8);
        cur.set_pos(cur.pos() + len);
    }
}
