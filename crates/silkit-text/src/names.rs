//! Names of functions and globals, and source locations.

use crate::cursor::{Cursor, is_ident_byte, prefix_len};
use crate::error::{Parse, SyntaxError, err_at, err_here};
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_ir::SourceLoc;

/// Parses `@name` or `@"name"`.
pub(crate) fn global_name(cur: &mut Cursor<'_>) -> Parse<Symbol> {
    if !cur.eat("@") {
        return Err(err_here(cur, "expected a name that begins with `@`"));
    }
    cur.skip_trivia();
    let start = cur.pos();
    if cur.here() == b'"' {
        let name = cur.string().ok_or_else(|| err_here(cur, "expected a name in quotes"))?;
        return Ok(symbol(name));
    }
    let mut pos = cur.ident_end(start);
    cur.set_pos(pos);
    while cur.here() == b'.' {
        pos = cur.ident_end(pos + 1);
        cur.set_pos(pos);
    }
    match cur.text().get(start..pos) {
        Some(name) if !name.is_empty() && matches!(cur.here(), b'(' | b'<') => Err(demangled(start, pos)),
        Some(name) if !name.is_empty() => Ok(symbol(name)),
        _ => Err(err_here(cur, "expected a name after `@`")),
    }
}

/// Returns the error about `@main.f() -> ()`, the text of a symbol.
#[cold]
fn demangled(start: usize, end: usize) -> SyntaxError {
    let error = err_at(
        start,
        end,
        "the name is demangled: text such as `main.f() -> ()` does not tell where it ends",
    );
    error.with_help("give the SIL as `swiftc` prints it, without `swift-demangle`")
}

/// Returns true if a name prints without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii() && is_ident_byte(b) || b == b'.';
    !name.is_empty() && prefix_len(name.as_bytes(), is_plain) == name.len()
}

/// Parses `"file":12:3` after `loc`.
pub(crate) fn source_loc(cur: &mut Cursor<'_>) -> Parse<SourceLoc> {
    let is_auto = cur.eat("*");
    let file = cur.string().map(symbol);
    if file.is_none() {
        return Err(err_here(cur, "expected a location such as `\"a.swift\":1:2`"));
    }
    let mut number = || -> Parse<u32> {
        let found = cur.eat(":");
        let text = cur.integer().filter(|_| found);
        text.and_then(|t| t.parse().ok()).ok_or_else(|| err_here(cur, "expected `:` and a number"))
    };
    let line = number()?;
    let column = number()?;
    Ok(SourceLoc { file, line, column, is_auto, is_inlined: false })
}
