//! References to declarations: `#Type.member!kind`.

use crate::cursor::Cursor;
use crate::error::{Parse, err_here};
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use silkit_ir::DeclRef;

/// The number of parts that most references have at most.
const USUAL_PARTS: usize = 8;

/// Parses a reference, including its `#`.
pub(crate) fn parse(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<DeclRef> {
    if !cur.eat("#") {
        return Err(err_here(cur, "expected a declaration that begins with `#`"));
    }
    parse_after_hash(cur, env)
}

/// Parses a reference after its `#`.
pub(crate) fn parse_after_hash(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<DeclRef> {
    let mut parts = Vec::with_capacity(USUAL_PARTS);
    loop {
        let start = cur.pos();
        let name = match cur.peek() {
            b'"' => cur.string().and_then(|_| cur.text().get(start..cur.pos())),
            b'<' | b'(' => angle(cur),
            _ => cur.ident(),
        };
        parts.push(symbol(name.ok_or_else(|| err_here(cur, "expected the name of a declaration"))?));
        if cur.here() != b'.' {
            break;
        }
        cur.eat(".");
    }
    let names = parts.len();
    if cur.here() == b'!' {
        cur.eat("!");
        loop {
            let start = cur.pos();
            if cur.ident().is_none() && cur.integer().is_none() {
                if cur.here() != b'<' {
                    return Err(err_here(cur, "expected a kind such as `getter` after `!`"));
                }
                crate::types::signature::parse_generic_sig(cur, env)?;
            }
            // The compiler prints the address of the declaration after some kinds: `!distributed(0x5653ed127318)`.
            if cur.here() == b'(' {
                angle(cur).ok_or_else(|| err_here(cur, "expected `)` after the address of a declaration"))?;
            }
            parts.push(symbol(cur.text().get(start..cur.pos()).unwrap_or_default()));
            if cur.here() != b'.' {
                break;
            }
            cur.eat(".");
        }
    }
    let (path, kinds) = parts.split_at(names);
    Ok(DeclRef::of_parts(path, kinds))
}

/// Returns a name in angle brackets or parentheses, which the compiler prints for contexts without a name.
fn angle<'a>(cur: &mut Cursor<'a>) -> Option<&'a str> {
    let start = cur.pos();
    let mut depth = 0usize;
    while cur.pos() < cur.end() {
        match cur.here() {
            b'<' | b'(' => depth += 1,
            b'>' | b')' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
        cur.set_pos(cur.pos() + 1);
        if depth == 0 {
            // In `<top level code>x`, the name follows without a dot.
            if crate::cursor::is_ident_byte(cur.here()) {
                cur.ident()?;
            }
            return cur.text().get(start..cur.pos());
        }
    }
    None
}
