//! Generic signatures, and the parameters that are in scope.

use crate::cursor::Cursor;
use crate::error::{Parse, err_here};
use crate::symbols::symbol;
use crate::types::parse_type;
use silkit_base::Symbol;
use silkit_types::{GenericParamDecl, GenericSig, Requirement, RequirementKind, SigData, Type};

/// The generic signatures in scope, innermost last.
#[derive(Clone, Debug, Default)]
pub struct GenericEnv {
    sigs: Vec<GenericSig>,
    /// Parameters of a signature that is being read.
    open: Vec<GenericParamDecl>,
    pub(crate) depth: u32,
}

impl GenericEnv {
    /// An empty environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters a signature.
    pub fn push(&mut self, sig: GenericSig) {
        self.sigs.push(sig);
    }

    /// Leaves the innermost signature.
    pub fn pop(&mut self) {
        self.sigs.pop();
    }

    /// The depth and index of a parameter by its name. `τ_d_i` needs no signature.
    pub fn lookup(&self, name: &str) -> Option<(u16, u16)> {
        if let Some(rest) = name.strip_prefix("τ_") {
            let (depth, index) = rest.split_once('_')?;
            return Some((depth.parse().ok()?, index.parse().ok()?));
        }
        let open = self.open.iter().rev();
        let closed = self.sigs.iter().rev().flat_map(|s| s.data().params.iter().rev());
        open.chain(closed).find(|p| p.name == name).map(|p| (p.depth, p.index))
    }
}

/// Reads one or more adjacent `<…>` lists: `<T><U where U : P>`.
pub fn parse_generic_sig(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<GenericSig> {
    let outer = std::mem::take(&mut env.open);
    let result = sig_data(cur, env);
    env.open = outer;
    result.map(GenericSig::new)
}

fn sig_data(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<SigData> {
    let mut requirements = Vec::new();
    let mut depth = 0u16;
    // Bounds and requirements may name parameters that come later: names are read first.
    let start = cur.pos();
    while cur.looking_at("<") {
        declare_names(cur, env, depth)?;
        depth += 1;
        let after_close = cur.pos();
        if cur.here() != b'<' {
            cur.set_pos(after_close);
            break;
        }
    }
    let mut params = env.open.clone();
    cur.set_pos(start);
    let mut next = 0;
    for list in 0..depth {
        cur.eat("<");
        while !cur.eat(">") {
            if cur.eat_word("where") {
                parse_requirements(cur, env, list, &mut requirements)?;
                if !cur.eat(">") {
                    return Err(err_here(cur, "expected `>` after the requirements"));
                }
                break;
            }
            let param = params.get_mut(next).ok_or_else(|| err_here(cur, "expected `>`"))?;
            next += 1;
            bound(cur, env, param)?;
            cur.eat(",");
        }
    }
    Ok(SigData { params: params.into(), requirements: requirements.into() })
}

/// Reads the names of one list and skips the rest of it.
fn declare_names(cur: &mut Cursor<'_>, env: &mut GenericEnv, depth: u16) -> Parse<()> {
    cur.eat("<");
    let mut index = 0;
    loop {
        if cur.eat(">") {
            return Ok(());
        }
        if cur.eat_word("where") {
            skip_to(cur, b"");
            cur.eat(">");
            return Ok(());
        }
        let attribute = attribute(cur);
        let is_pack = cur.eat_word("each");
        let is_value = !is_pack && cur.eat_word("let");
        let name = cur.ident().ok_or_else(|| err_here(cur, "expected the name of a generic parameter"))?;
        env.open.push(GenericParamDecl {
            name: symbol(name),
            depth,
            index,
            is_pack,
            value_type: is_value.then(Type::unknown),
            bound: None,
            attribute,
        });
        index += 1;
        if cur.eat(":") {
            skip_to(cur, b",");
        }
        if !cur.eat(",") && !cur.looking_at(">") && !matches!(cur.peek_word(), Some("where")) {
            return Err(err_here(cur, "expected `,` or `>` in the list of generic parameters"));
        }
    }
}

fn attribute(cur: &mut Cursor<'_>) -> Option<Symbol> {
    if cur.peek() != b'@' {
        return None;
    }
    let start = cur.pos();
    cur.eat("@");
    cur.ident()?;
    if cur.here() == b'(' {
        cur.eat("(");
        while !matches!(cur.peek(), 0 | b')') {
            cur.set_pos(cur.pos() + 1);
        }
        cur.eat(")");
    }
    cur.text().get(start..cur.pos()).map(symbol)
}

/// Skips to the `>` that closes the list, to `where`, or to one of `stops` outside brackets.
fn skip_to(cur: &mut Cursor<'_>, stops: &[u8]) {
    let mut depth = 0usize;
    loop {
        let byte = cur.peek();
        match byte {
            0 => return,
            b'-' if cur.eat("->") => continue,
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' if depth == 0 => return,
            b'>' | b')' | b']' | b'}' => depth -= 1,
            _ if depth == 0 && stops.contains(&byte) => return,
            _ if crate::cursor::is_ident_byte(byte) => {
                if depth == 0 && !stops.is_empty() && cur.peek_word() == Some("where") {
                    return;
                }
                if cur.ident().is_some() {
                    continue;
                }
            }
            _ => {}
        }
        let len = cur.text().get(cur.pos()..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8);
        cur.set_pos(cur.pos() + len);
    }
}

/// Reads a declared parameter again, now with its bound.
fn bound(cur: &mut Cursor<'_>, env: &mut GenericEnv, param: &mut GenericParamDecl) -> Parse<()> {
    attribute(cur);
    let _ = cur.eat_word("each") || cur.eat_word("let");
    cur.ident();
    if cur.eat(":") {
        let ty = parse_type(cur, env, false)?;
        if param.value_type.is_some() {
            param.value_type = Some(ty);
        } else {
            param.bound = Some(ty);
        }
    }
    Ok(())
}

/// Reads requirements up to something that is not a comma.
///
/// `depth` is that of the list that they stand in.
pub fn parse_requirements(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    depth: u16,
    into: &mut Vec<Requirement>,
) -> Parse<()> {
    loop {
        let is_repeat = cur.eat_word("repeat");
        let subject = parse_type(cur, env, false)?;
        let kind = if cur.eat("==") {
            RequirementKind::SameType
        } else if cur.eat(":") {
            RequirementKind::Conforms
        } else {
            return Err(err_here(cur, "expected `:` or `==` in a requirement"));
        };
        let start = {
            cur.skip_trivia();
            cur.pos()
        };
        let mut constraint = parse_type(cur, env, false)?;
        let mut kind = kind;
        if cur.here() == b'(' {
            // A layout with arguments: `_Trivial(64, 8)`.
            kind = RequirementKind::Layout;
            cur.eat("(");
            while cur.integer().is_some() && cur.eat(",") {}
            if !cur.eat(")") {
                return Err(err_here(cur, "expected `)` after the layout's size"));
            }
            constraint = Type::nominal(cur.text().get(start..cur.pos()).unwrap_or_default());
        }
        into.push(Requirement { kind, depth, is_repeat, subject, constraint });
        if !cur.eat(",") {
            return Ok(());
        }
    }
}
