//! The parser of generic signatures and requirements.

use super::{argument, cache, parse_constraint, parse_type};
use crate::cursor::Cursor;
use crate::error::expect;
use crate::error::{Parse, err_here};
use crate::existential::constraint;
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_types::{GenericParamDecl, GenericSig, Requirement, RequirementKind, SigData, Type, TypeKind};

/// The maximum number of parameters or lists of a signature.
const MAX_PARAMS: usize = 4096;

/// Parses one or more adjacent `<…>` lists: `<T><U where U : P>`.
pub fn parse_generic_sig(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<GenericSig> {
    cache::read_signature(cur, env, generic_sig)
}

fn generic_sig(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<GenericSig> {
    let base = env.open.len();
    let start = cur.pos();
    let renames = std::mem::take(&mut env.renames);
    let mut result = lists(cur, env, base);
    // A bound may refer to a later parameter of the list, so that all names must be known first. Only the outermost
    // signature is parsed twice, which keeps the time linear.
    let bounds_first = env.open[base..].split_last().is_some_and(|(_, rest)| rest.iter().any(has_bound));
    if result.is_ok() && base == 0 && bounds_first {
        cur.set_pos(start);
        result = lists(cur, env, base);
    }
    env.renames = renames;
    let params = env.open.drain(base..).collect();
    result.map(|requirements| GenericSig::new(SigData { params, requirements: requirements.into() }))
}

fn has_bound(param: &GenericParamDecl) -> bool {
    param.bound.is_some() || param.value_type.is_some()
}

/// Parses the lists. Their parameters are in `env.open` from index `base` on.
fn lists(cur: &mut Cursor<'_>, env: &mut GenericEnv, base: usize) -> Parse<Vec<Requirement>> {
    let mut requirements = Vec::new();
    let mut depth = 0u16;
    let mut next = base;
    expect(cur, "<")?;
    if cur.looking_at(">") {
        return Err(err_here(cur, "expected the name of a generic parameter"));
    }
    loop {
        let mut index = 0u16;
        while !cur.eat(">") {
            if cur.eat_word("where") {
                parse_requirements(cur, env, depth, &mut requirements)?;
                if !cur.eat(">") {
                    return Err(err_here(cur, "expected `>` after the requirements"));
                }
                break;
            }
            if next - base >= MAX_PARAMS {
                return Err(err_here(cur, "too many generic parameters"));
            }
            declare(cur, env, next, depth, index)?;
            next += 1;
            index += 1;
            if !cur.eat(",") && cur.peek() != b'>' && cur.peek_word() != Some("where") {
                return Err(err_here(cur, "expected `,` or `>` in the list of generic parameters"));
            }
        }
        if cur.here() != b'<' {
            return Ok(requirements);
        }
        cur.eat("<");
        depth += 1;
        if usize::from(depth) >= MAX_PARAMS {
            return Err(err_here(cur, "too many lists of generic parameters"));
        }
    }
}

/// Parses one parameter, `each T` or `let N : Int` or `T : P`, into `env.open[at]`.
fn declare(cur: &mut Cursor<'_>, env: &mut GenericEnv, at: usize, depth: u16, index: u16) -> Parse<()> {
    let attribute = attribute(cur);
    let is_pack = cur.eat_word("each");
    let is_value = !is_pack && cur.eat_word("let");
    let name = cur.ident().ok_or_else(|| err_here(cur, "expected the name of a generic parameter"))?;
    // In the second pass the name is already present.
    if at == env.open.len() {
        let name = symbol(name);
        env.open.push(GenericParamDecl {
            name,
            depth,
            index,
            is_pack,
            value_type: None,
            bound: None,
            attribute,
        });
    }
    let bound = if cur.eat(":") { Some(bound_of_parameter(cur, env)?) } else { None };
    if is_value {
        let Some(value) = bound else {
            return Err(err_here(cur, "expected `:` and the type of the value parameter"));
        };
        env.open[at].value_type = Some(value);
    } else {
        env.open[at].bound = bound;
    }
    Ok(())
}

fn bound_of_parameter(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    if cur.peek_word() == Some("any") {
        return Err(err_here(cur, "expected a protocol or a class, found an existential type"));
    }
    parse_constraint(cur, env)
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
        let line_end = cur.line_end();
        while cur.pos() < line_end && cur.here() != b')' {
            cur.set_pos(cur.pos() + 1);
        }
        cur.eat(")");
    }
    cur.text().get(start..cur.pos()).map(symbol)
}

/// Returns true for `_Class`, the layout that `AnyObject` stands for.
fn is_class_layout(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Named(n) if n.name == "_Class" && n.parent.is_none() && n.args.is_empty())
}

/// Parses requirements separated by commas.
///
/// `depth` is the depth of the enclosing parameter list.
pub fn parse_requirements(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    depth: u16,
    into: &mut Vec<Requirement>,
) -> Parse<()> {
    loop {
        let is_repeat = cur.eat_word("repeat");
        let subject = argument(cur, env)?;
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
        if kind == RequirementKind::Conforms && cur.peek_word() == Some("any") {
            return Err(err_here(cur, "expected a protocol or a class, found an existential type"));
        }
        // A value parameter may be equal to an integer.
        let mut bound = match kind {
            RequirementKind::SameType => argument(cur, env)?,
            _ => parse_type(cur, env, false)?,
        };
        if kind == RequirementKind::Conforms {
            bound = constraint(bound);
            if env.protocols.is_some() && is_class_layout(bound) {
                bound = Type::nominal("AnyObject");
            }
        }
        let mut kind = kind;
        if cur.here() == b'(' {
            // A layout with arguments: `_Trivial(64, 8)`.
            kind = RequirementKind::Layout;
            cur.eat("(");
            while cur.integer().is_some() && cur.eat(",") {}
            if !cur.eat(")") {
                return Err(err_here(cur, "expected `)` after the layout's size"));
            }
            bound = Type::nominal(cur.text().get(start..cur.pos()).unwrap_or_default());
        }
        into.push(Requirement { kind, depth, is_repeat, subject, constraint: bound });
        if !cur.eat(",") {
            return Ok(());
        }
    }
}
