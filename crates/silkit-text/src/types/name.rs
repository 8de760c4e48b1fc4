//! The parser of types that begin with a name: generic parameters, nominal types, builtin types and packs.

use super::{parse_substitutions, parse_type, postfix};
use crate::cursor::Cursor;
use crate::error::{Parse, err_here};
use crate::existential;
use crate::generic_env::GenericEnv;
use crate::named_types;
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_types::{Type, TypeKind};

/// Returns true for the words that have a meaning at the start of a type.
pub(super) fn is_type_word(word: &str) -> bool {
    matches!(word, "any" | "some" | "repeat" | "each" | "nonisolated" | "sending" | "Builtin")
}

/// Consumes the name at the start of a nested type. Returns `None` without consuming it if it may be a word with a
/// meaning, or if no more types can be nested.
pub(super) fn starting_name<'a>(cur: &mut Cursor<'a>, env: &GenericEnv) -> Option<&'a str> {
    if !env.may_nest() || matches!(cur.peek(), b'@' | b'$' | b'(') {
        return None;
    }
    let before = cur.pos();
    let name = cur.ident().filter(|name| !is_type_word(name));
    if name.is_none() {
        cur.set_pos(before);
    }
    name
}

/// Returns true if a type goes on after the name that was consumed last.
pub(super) fn is_longer(cur: &Cursor<'_>) -> bool {
    matches!(cur.here(), b'.' | b'<' | b'?' | b'!' | b'{') || is_selector(cur) || cur.is_next("&")
}

/// Returns true if the name that was consumed last is that of a module: `Swift::Int`.
fn is_selector(cur: &Cursor<'_>) -> bool {
    cur.here() == b':' && cur.text().get(cur.pos()..cur.end()).is_some_and(|rest| rest.starts_with("::"))
}

/// Returns the nested type that consists of a name.
pub(super) fn whole_name(env: &mut GenericEnv, name: &str) -> Type {
    env.note_leaf();
    let name = symbol(name);
    if let Some(param) = env.param(name) {
        return param;
    }
    named_types::nominal(name, env.names_stamp(), env.keeps_c_types, || {
        let ty = nominal(env, name);
        env.protocols.as_ref().map_or(ty, |protocols| protocols.existential(ty))
    })
}

/// Parses the rest of a type after the name at its start.
pub(super) fn after_name(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    lowered: bool,
    name: &str,
) -> Parse<Type> {
    let base = from_name(cur, env, lowered, name)?;
    let ty = postfix(cur, env, base)?;
    Ok(env.protocols.as_ref().map_or(ty, |protocols| protocols.existential(ty)))
}

/// Parses the arguments of a type with a name, or of a member of it.
pub(super) fn arguments_of(cur: &mut Cursor<'_>, env: &mut GenericEnv, name: Symbol) -> Parse<Box<[Type]>> {
    let is_unknown = env.protocols.as_ref().is_some_and(|names| names.is_unknown(name));
    let saved = std::mem::replace(&mut env.keeps_c_types, is_unknown);
    let types = parse_substitutions(cur, env);
    env.keeps_c_types = saved;
    types
}

/// Parses a name with its generic arguments and members.
pub(super) fn named(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    let before = cur.pos();
    let is_marked = cur.peek() == b'$';
    // A name may begin with `$` if it is that of a generic parameter that a macro made; otherwise `$` marks a lowered
    // type.
    let name = cur.ident().filter(|name| !is_marked || env.lookup(symbol(name)).is_some());
    if name.is_none() {
        cur.set_pos(before);
    }
    let name = name.ok_or_else(|| err_here(cur, "expected a type"))?;
    from_name(cur, env, lowered, name)
}

/// Parses the rest of a type that begins with this name, without members and suffixes.
fn from_name(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool, name: &str) -> Parse<Type> {
    // The name of the module is not printed.
    let mut name = name;
    while is_selector(cur) {
        cur.eat("::");
        name = cur.ident().ok_or_else(|| err_here(cur, "expected the name of a type after `::`"))?;
    }
    if name == "Pack" && cur.here() == b'{' {
        cur.eat("{");
        let mut elements = Vec::new();
        while !cur.eat("}") {
            elements.push(parse_type(cur, env, lowered)?);
            if !cur.eat(",") && !cur.looking_at("}") {
                return Err(err_here(cur, "expected `,` or `}` in the pack"));
            }
        }
        return Ok(Type::new(TypeKind::Pack { direct: false, elements: elements.into() }));
    }
    // `Builtin.Type` is the metatype of a program's own type.
    let is_metatype = || {
        let mut next = cur.clone();
        next.eat(".") && matches!(next.peek_word(), Some("Type" | "Protocol"))
    };
    if name == "Builtin" && cur.here() == b'.' && !is_metatype() {
        cur.eat(".");
        let name = cur.ident().ok_or_else(|| err_here(cur, "expected the name of a builtin type"))?;
        if name == "AnyObject" {
            return Ok(Type::nominal(name));
        }
        if name == "SILUnknown" {
            return Ok(Type::unknown());
        }
        let args = if cur.here() == b'<' { parse_substitutions(cur, env)? } else { Box::default() };
        return Ok(Type::new(TypeKind::Builtin(symbol(name), args)));
    }
    // A parameter has no arguments: in a function with a parameter `Range`, `Range<Int>` is a nominal type.
    if cur.here() != b'<' {
        let name = symbol(name);
        return Ok(env.param(name).unwrap_or_else(|| nominal(env, name)));
    }
    let mut args = arguments_of(cur, env, symbol(name))?;
    if args.is_empty() {
        // `Product<>` has a parameter pack without elements.
        args = Box::new([Type::new(TypeKind::Pack { direct: false, elements: Box::default() })]);
    }
    if env.canonical && name == "ImplicitlyUnwrappedOptional" && args.len() == 1 {
        return Ok(Type::optional(args[0]));
    }
    Ok(Type::named(None, symbol(name), args))
}

/// Returns the type without generic arguments that a name denotes which is not that of a parameter.
fn nominal(env: &GenericEnv, name: Symbol) -> Type {
    let keeps_name = !env.canonical || env.keeps_c_types && existential::is_c_type(name.as_str());
    let names = env.protocols.as_ref().filter(|_| !keeps_name);
    names.and_then(|names| names.alias(name)).unwrap_or_else(|| Type::named(None, name, Box::default()))
}
