//! The parser of types. The printer is `silkit_types`' `Display`.

mod attributes;
pub(crate) mod cache;
pub(crate) mod function;
mod name;
pub(crate) mod results;
pub(crate) mod signature;
mod whole_box;

use crate::cursor::Cursor;
use crate::error::expect;
use crate::error::{Parse, err_here};
use crate::existential;
use crate::existential::without_parens;
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use name::{after_name, arguments_of, is_longer, is_type_word, named, starting_name, whole_name};
use signature::parse_generic_sig;

use silkit_base::Symbol;
use silkit_types::{BoxField, BoxType, MetatypeRepr, RefStorage, SilType, Type, TypeKind};
use std::rc::Rc;

/// Parses `$T` or `$*T`.
pub fn parse_sil_type(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<SilType> {
    cache::read(cur, env, sil_type)
}

/// Parses `$T`, where `T` is a type of Swift, such as that of the contents of an existential: `$(Int) throws -> Int`.
pub(crate) fn parse_formal_sil_type(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<SilType> {
    sil_type_of(cur, env, false)
}

fn sil_type(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<SilType> {
    sil_type_of(cur, env, true)
}

fn sil_type_of(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<SilType> {
    if !cur.eat("$") {
        return Err(err_here(cur, "expected a type that begins with `$`"));
    }
    let is_address = cur.eat("*");
    if is_address && cur.looking_at("*") {
        return Err(err_here(cur, "`$**T` is not a type: addresses do not nest"));
    }
    let saved = std::mem::replace(&mut env.canonical, env.protocols.is_some());
    let ty = parse_type(cur, env, lowered);
    env.canonical = saved;
    let ty = match &env.protocols {
        Some(protocols) => protocols.spelled(ty?),
        None => ty?,
    };
    Ok(SilType::new(ty, is_address))
}

/// Parses a type. Function types without attributes are lowered if `lowered` is set, otherwise formal.
pub fn parse_type(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    match starting_name(cur, env) {
        None => env.nested(cur, |cur, env| composition(cur, env, lowered)),
        Some(name) if !is_longer(cur) => Ok(whole_name(env, name)),
        Some(name) => env.nested(cur, |cur, env| {
            let first = after_name(cur, env, lowered, name)?;
            joined(cur, env, lowered, first, false)
        }),
    }
}

/// Parses a protocol or a composition as a constraint, not as a type.
pub(crate) fn parse_constraint(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    parse_type(cur, env, false).map(existential::constraint)
}

/// Parses `<A, B>`, cached by its text.
pub(crate) fn substitutions(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Rc<[Type]>> {
    cache::read_list(cur, env, |cur, env| parse_substitutions(cur, env).map(Into::into))
}

/// Parses `<A, B>`.
pub fn parse_substitutions(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Box<[Type]>> {
    let base = env.types.len();
    let types = arguments(cur, env).map(|()| env.types[base..].into());
    env.types.truncate(base);
    types
}

/// Parses `<A, B>` and appends the types to `env.types`.
fn arguments(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<()> {
    if !cur.eat("<") {
        return Err(err_here(cur, "expected `<`"));
    }
    while !cur.eat(">") {
        let ty = argument(cur, env)?;
        env.types.push(if env.canonical { without_parens(ty) } else { ty });
        if !cur.eat(",") && !cur.looking_at(">") {
            return Err(err_here(cur, "expected `,` or `>` in the list of types"));
        }
    }
    Ok(())
}

/// Parses a generic argument: a type or an integer.
pub(crate) fn argument(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    let first = cur.peek();
    if first == b'-' || first.is_ascii_digit() {
        let text = cur.integer().ok_or_else(|| err_here(cur, "expected an integer"))?;
        return Ok(Type::new(TypeKind::Integer(symbol(text))));
    }
    parse_type(cur, env, false)
}

fn composition(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    let is_spelled = matches!(cur.peek(), b'a' | b's') && matches!(cur.peek_word(), Some("any" | "some"));
    let first = unary(cur, env, lowered)?;
    joined(cur, env, lowered, first, is_spelled)
}

/// Parses the rest of a composition after its first type. `is_spelled` is true if `any` or `some` precedes it.
fn joined(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    lowered: bool,
    first: Type,
    is_spelled: bool,
) -> Parse<Type> {
    if !cur.is_next("&") {
        return Ok(first);
    }
    // In `any P & Q`, `any` applies to the whole composition.
    let (wrap, first) = match first.kind() {
        TypeKind::Any(t) => (Some(TypeKind::Any as fn(Type) -> TypeKind), *t),
        TypeKind::Some(t) => (Some(TypeKind::Some as fn(Type) -> TypeKind), *t),
        _ => (None, first),
    };
    let mut parts = vec![existential::constraint(first)];
    while cur.is_next("&") {
        cur.eat("&");
        parts.push(existential::constraint(unary(cur, env, lowered)?));
    }
    if let Some(protocols) = env.protocols.as_ref().filter(|_| !is_spelled) {
        existential::ordered(&mut parts, protocols);
        return Ok(Type::new(TypeKind::Any(Type::new(TypeKind::Composition(parts.into())))));
    }
    if let Some(protocols) = env.protocols.as_ref().filter(|_| env.canonical) {
        existential::order_spelled(&mut parts, protocols);
    }
    let whole = Type::new(TypeKind::Composition(parts.into()));
    Ok(wrap.map_or(whole, |w| Type::new(w(whole))))
}

fn unary(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    let first = cur.peek();
    match first {
        b'@' => return attributed(cur, env, lowered),
        b'~' => {
            cur.eat("~");
            let operand = unary_operand(cur, env, lowered)?;
            return Ok(Type::new(TypeKind::Inverse(existential::constraint(operand))));
        }
        _ => {}
    }
    let may_be_word = matches!(first, b'a' | b's' | b'r' | b'e' | b'n' | b'B');
    let word = if may_be_word { cur.peek_word().filter(|word| is_type_word(word)) } else { None };
    let wrap: Option<fn(Type) -> TypeKind> = match word {
        Some("any") => Some(TypeKind::Any),
        Some("some") => Some(TypeKind::Some),
        Some("repeat") => Some(TypeKind::PackExpansion),
        Some("each") => Some(TypeKind::PackElement),
        _ => None,
    };
    if let Some(wrap) = wrap {
        let before = cur.pos();
        cur.ident();
        let next = cur.peek();
        // `any` may also be the name of a type: then no type follows it.
        if crate::cursor::is_ident_byte(next) || matches!(next, b'(' | b'@' | b'~' | b'[' | b'{' | b'`') {
            let is_constraint = matches!(word, Some("any" | "some"));
            let protocols = if is_constraint { env.protocols.take() } else { None };
            let at = cur.clone();
            // `repeat any P & Q` repeats the whole composition.
            let operand = match word {
                Some("repeat") => parse_type(cur, env, lowered),
                _ => unary_operand(cur, env, lowered),
            };
            env.protocols = protocols.or(env.protocols.take());
            if word == Some("any") && operand.as_ref().is_ok_and(|ty| matches!(ty.kind(), TypeKind::Any(_))) {
                return Err(err_here(&at, "expected a protocol after `any`, found another `any`"));
            }
            let operand = match pack_shape(cur.text(), before).filter(|_| word == Some("repeat")) {
                Some(shape) => Type::new(TypeKind::Attributed(symbol(shape), operand?)),
                None => operand?,
            };
            return Ok(Type::new(wrap(operand)));
        }
        cur.set_pos(before);
    }
    if word == Some("nonisolated") || word == Some("sending") {
        return function::parse(cur, env, lowered);
    }
    let base = primary(cur, env, lowered)?;
    let ty = postfix(cur, env, base)?;
    // `Builtin.AnyObject` never refers to a protocol of the file.
    if word == Some("Builtin") && ty.is_builtin_constraint() {
        return Ok(ty);
    }
    Ok(env.protocols.as_ref().map_or(ty, |protocols| protocols.existential(ty)))
}

/// Returns the comment with the shape of an expansion whose pattern contains no pack: `/* shape: each T */ repeat
/// ()`.
fn pack_shape(text: &str, at: usize) -> Option<&str> {
    let start = text.get(..at)?.trim_end();
    let start = start.strip_suffix("*/").map(|_| start)?;
    let comment = &start[start.rfind("/*")?..];
    comment.starts_with("/* shape: ").then_some(comment)
}

fn unary_operand(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    match starting_name(cur, env) {
        None => env.nested(cur, |cur, env| unary(cur, env, lowered)),
        Some(name) if !is_longer(cur) => Ok(whole_name(env, name)),
        Some(name) => env.nested(cur, |cur, env| after_name(cur, env, lowered, name)),
    }
}

/// Parses a type that begins with an attribute.
fn attributed(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    if cur.is_here("@convention(") || cur.is_here("@callee_guaranteed") {
        return function::parse(cur, env, lowered);
    }
    let before = cur.pos();
    cur.eat("@");
    let word = cur.ident().ok_or_else(|| err_here(cur, "expected the name of an attribute after `@`"))?;
    let wrap: fn(Type) -> TypeKind = match word {
        "thin" => return metatype(cur, env, MetatypeRepr::Thin),
        "thick" => return metatype(cur, env, MetatypeRepr::Thick),
        "objc_metatype" => return metatype(cur, env, MetatypeRepr::ObjC),
        "opened" => return opened(cur, env),
        "pack_element" => return opened_element(cur, env),
        "_opaqueReturnTypeOf" => return opaque_result(cur, env),
        "direct" => {
            let pack = unary_operand(cur, env, lowered)?;
            return match pack.kind() {
                TypeKind::Pack { elements, .. } => {
                    Ok(Type::new(TypeKind::Pack { direct: true, elements: elements.clone() }))
                }
                _ => Err(err_here(cur, "`@direct` is for packs: `@direct Pack{…}`")),
            };
        }
        "box" => return whole_box::holding(unary_operand(cur, env, false)?),
        "captures_generics" => {
            let contents = unary_operand(cur, env, lowered)?;
            return match contents.kind() {
                TypeKind::Box(b) => {
                    let layout = BoxType { captures_generics: true, ..(**b).clone() };
                    Ok(Type::new(TypeKind::Box(Box::new(layout))))
                }
                _ => Err(err_here(cur, "`@captures_generics` is for boxes")),
            };
        }
        "sil_weak" => |t| TypeKind::Storage(RefStorage::Weak, t),
        "sil_unowned" => |t| TypeKind::Storage(RefStorage::Unowned, t),
        "sil_unmanaged" => |t| TypeKind::Storage(RefStorage::Unmanaged, t),
        "block_storage" => TypeKind::BlockStorage,
        "moveOnly" => TypeKind::MoveOnly,
        "dynamic_self" => TypeKind::DynamicSelf,
        _ => {
            cur.set_pos(before);
            return function::parse(cur, env, lowered);
        }
    };
    let at = cur.clone();
    let inner = unary_operand(cur, env, lowered)?;
    let is_storage = matches!(word, "sil_weak" | "sil_unowned" | "sil_unmanaged");
    match inner.kind() {
        TypeKind::Storage(..) if is_storage => {
            return Err(err_here(&at, "expected a type, found a second attribute for reference storage"));
        }
        TypeKind::MoveOnly(_) if word == "moveOnly" => return Err(err_here(&at, "`@moveOnly` is repeated")),
        _ => {}
    }
    // `@dynamic_self T.Type` is the metatype of the dynamic self type.
    Ok(Type::new(wrap(inner)))
}

fn metatype(cur: &mut Cursor<'_>, env: &mut GenericEnv, repr: MetatypeRepr) -> Parse<Type> {
    let at = cur.clone();
    // The instance type is formal in every metatype.
    let ty = unary_operand(cur, env, false)?;
    with_repr(ty, repr).ok_or_else(|| {
        err_here(&at, "`@thin`, `@thick` and `@objc_metatype` are for metatypes: `@thick T.Type`")
    })
}

/// Returns a metatype with a representation, which `any P.Type` and `@dynamic_self C.Type` have inside.
fn with_repr(ty: Type, repr: MetatypeRepr) -> Option<Type> {
    Some(Type::new(match ty.kind() {
        TypeKind::Metatype(_, t) => TypeKind::Metatype(repr, *t),
        TypeKind::ProtocolMetatype(_, t) => TypeKind::ProtocolMetatype(repr, *t),
        TypeKind::Any(t) => TypeKind::Metatype(repr, Type::new(TypeKind::Any(strip_metatype(*t)?))),
        TypeKind::DynamicSelf(t) => {
            TypeKind::Metatype(repr, Type::new(TypeKind::DynamicSelf(strip_metatype(*t)?)))
        }
        _ => return None,
    }))
}

fn strip_metatype(ty: Type) -> Option<Type> {
    match ty.kind() {
        TypeKind::Metatype(_, t) => Some(*t),
        _ => None,
    }
}

/// Parses `("id", any P) Self`.
fn opened(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    expect(cur, "(")?;
    let id = uuid(cur)?;
    // Swift 5.6 and earlier: `@opened("…") P`.
    if cur.eat(")") {
        let existential = parse_type(cur, env, false)?;
        let interface = Type::new(TypeKind::Param { name: symbol("Self"), depth: 0, index: 0 });
        return Ok(Type::new(TypeKind::Opened { id, existential, interface }));
    }
    expect(cur, ",")?;
    let existential = parse_type(cur, env, false)?;
    expect(cur, ")")?;
    let base = primary_self(cur, env)?;
    Ok(Type::new(TypeKind::Opened { id, existential, interface: base }))
}

/// Parses `Self` or a member of it, without suffixes.
fn primary_self(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    let name = cur.ident().ok_or_else(|| err_here(cur, "expected `Self`"))?;
    let found = if name == "Self" { None } else { env.lookup(symbol(name)) };
    let (depth, index) = found.unwrap_or_default();
    members(cur, env, Type::new(TypeKind::Param { name: symbol(name), depth, index }))
}

/// Parses the associated types after a parameter, excluding `.Type` and `.Protocol`.
fn members(cur: &mut Cursor<'_>, env: &mut GenericEnv, mut ty: Type) -> Parse<Type> {
    while cur.here() == b'.' {
        env.grow(cur)?;
        let before = cur.pos();
        cur.eat(".");
        match cur.ident() {
            Some("Type" | "Protocol") | None => {
                cur.set_pos(before);
                break;
            }
            Some(member) => ty = Type::new(TypeKind::Member(ty, symbol(member))),
        }
    }
    Ok(ty)
}

fn opened_element(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    expect(cur, "(")?;
    let id = uuid(cur)?;
    expect(cur, ")")?;
    // A member of the pack element: `(each T).Member`.
    if cur.is_next("(") {
        let element = primary(cur, env, false)?;
        let interface = members(cur, env, element)?;
        return Ok(Type::new(TypeKind::OpenedElement { id, interface }));
    }
    let each = cur.eat_word("each");
    let mut interface = primary_self(cur, env)?;
    // The opened type is a pack element, even if older compilers do not spell that.
    let is_pack = env.protocols.is_some() && matches!(interface.kind(), TypeKind::Param { .. });
    if each || is_pack {
        interface = Type::new(TypeKind::PackElement(interface));
    }
    Ok(Type::new(TypeKind::OpenedElement { id, interface }))
}

fn opaque_result(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    expect(cur, "(")?;
    let decl = string(cur)?;
    expect(cur, ",")?;
    let index =
        cur.integer().and_then(|t| t.parse().ok()).ok_or_else(|| err_here(cur, "expected a number"))?;
    expect(cur, ")")?;
    let interface = primary(cur, env, false)?;
    Ok(Type::new(TypeKind::OpaqueResult { decl, index, interface }))
}

fn string(cur: &mut Cursor<'_>) -> Parse<Symbol> {
    cur.string().map(symbol).ok_or_else(|| err_here(cur, "expected a string in quotes"))
}

/// Parses the id of an opened type, with upper-case letters.
pub(crate) fn uuid(cur: &mut Cursor<'_>) -> Parse<Symbol> {
    cur.skip_trivia();
    let at = cur.clone();
    let text = cur.string().ok_or_else(|| err_here(cur, "expected a UUID in quotes"))?;
    let digits =
        |length: usize, part: &str| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts = text.split('-').count() == 5;
    if !parts || !text.split('-').zip([8, 4, 4, 4, 12]).all(|(part, length)| digits(length, part)) {
        let message = "expected a UUID, such as \"01234567-89AB-CDEF-0123-000000000000\"";
        return Err(err_here(&at, message));
    }
    let is_lower = text.bytes().any(|b| b.is_ascii_lowercase());
    Ok(if is_lower { symbol(&text.to_ascii_uppercase()) } else { symbol(text) })
}

fn primary(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    match cur.peek() {
        b'(' => function::parenthesized(cur, env, lowered),
        b'[' => bracketed(cur, env),
        b'<' => generic(cur, env, lowered),
        b'{' => boxed(cur, env, None),
        _ => named(cur, env, lowered),
    }
}

/// Returns the name of the outermost type or module of a member type.
fn root(ty: Type) -> &'static str {
    match ty.kind() {
        TypeKind::Named(n) => n.parent.map_or(n.name.as_str(), root),
        _ => "",
    }
}

/// Parses members and suffixes: `.Element`, `.Type`, `?`, `!`.
pub(crate) fn postfix(cur: &mut Cursor<'_>, env: &mut GenericEnv, mut ty: Type) -> Parse<Type> {
    loop {
        if matches!(cur.here(), b'?' | b'!' | b'.') {
            env.grow(cur)?;
        }
        match cur.here() {
            b'?' => {
                cur.eat("?");
                ty = env.protocols.as_ref().map_or(ty, |protocols| protocols.operand(ty));
                ty = if env.canonical {
                    Type::optional(without_parens(ty))
                } else {
                    Type::new(TypeKind::Optional(ty))
                };
            }
            b'!' if !follows_ident(cur) => {
                cur.eat("!");
                ty = env.protocols.as_ref().map_or(ty, |protocols| protocols.operand(ty));
                ty = if env.canonical {
                    Type::optional(without_parens(ty))
                } else {
                    Type::new(TypeKind::ImplicitlyUnwrapped(ty))
                };
            }
            b'.' if !cur.looking_at("...") => {
                let before = cur.pos();
                cur.eat(".");
                let Some(name) = cur.ident() else {
                    cur.set_pos(before);
                    return Ok(ty);
                };
                ty = match name {
                    "Type" => Type::new(TypeKind::Metatype(MetatypeRepr::Formal, ty)),
                    "Protocol" => Type::new(TypeKind::ProtocolMetatype(MetatypeRepr::Formal, ty)),
                    _ if env.protocols.is_some() && opened_member(env, ty, name).is_some() => {
                        opened_member(env, ty, name).unwrap_or(ty)
                    }
                    _ if is_parameter(ty) => Type::new(TypeKind::Member(ty, symbol(name))),
                    _ => {
                        let args = if cur.here() == b'<' {
                            arguments_of(cur, env, symbol(root(ty)))?
                        } else {
                            Box::default()
                        };
                        Type::named(Some(ty), symbol(name), args)
                    }
                };
            }
            _ => return Ok(ty),
        }
    }
}

/// No identifier follows the `!` of `T!`; `!true_count` is not part of a type.
fn follows_ident(cur: &Cursor<'_>) -> bool {
    let mut next = cur.clone();
    next.set_pos(cur.pos() + 1);
    crate::cursor::is_ident_byte(next.here())
}

/// Returns the member `A` of `@opened("id", any P) Self`, which has the interface type `Self.A`. In the member of
/// `(@opened("id", any P) Self)`, which Swift 6.3 prints, the parentheses are kept around `Self`. Swift 6.2 reads them, too, but
/// does not print them.
fn opened_member(env: &GenericEnv, base: Type, name: &str) -> Option<Type> {
    match without_parens(base).kind() {
        TypeKind::Opened { id, existential, interface } => {
            let is_in_parens = env.is_printed && matches!(base.kind(), TypeKind::Paren(_));
            let within = if is_in_parens { Type::new(TypeKind::Paren(*interface)) } else { *interface };
            let interface = Type::new(TypeKind::Member(within, symbol(name)));
            Some(Type::new(TypeKind::Opened { id: *id, existential: *existential, interface }))
        }
        _ => None,
    }
}

fn is_parameter(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Param { .. }
        | TypeKind::Member(..)
        | TypeKind::Opened { .. }
        | TypeKind::OpenedElement { .. } => true,
        TypeKind::Paren(t) | TypeKind::PackElement(t) => is_parameter(*t),
        _ => false,
    }
}

/// Parses `[T]`, `[K : V]`, `[N of T]`.
fn bracketed(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Type> {
    cur.eat("[");
    let first = argument(cur, env)?;
    let kind = if cur.eat(":") {
        TypeKind::Dictionary(first, parse_type(cur, env, false)?)
    } else if cur.eat_word("of") {
        TypeKind::InlineArray(first, parse_type(cur, env, false)?)
    } else {
        TypeKind::Array(first)
    };
    expect(cur, "]")?;
    let ty = Type::new(kind);
    Ok(if env.canonical { ty.without_sugar() } else { ty })
}

/// Parses a box with a signature, or a generic function type.
fn generic(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    let before = cur.pos();
    let sig = parse_generic_sig(cur, env)?;
    if cur.peek() == b'{' {
        return boxed(cur, env, Some(sig));
    }
    cur.set_pos(before);
    function::parse(cur, env, lowered)
}

fn boxed(cur: &mut Cursor<'_>, env: &mut GenericEnv, sig: Option<silkit_types::GenericSig>) -> Parse<Type> {
    expect(cur, "{")?;
    let fields = env.in_own_scope(cur, sig, box_fields)?;
    // Only a layout with a signature has arguments.
    let args =
        if sig.is_some() && cur.is_next("<") { parse_substitutions(cur, env)? } else { Box::default() };
    let wanted = sig.map_or(0, |sig| sig.data().params.len());
    if wanted != args.len() {
        let message = format!("expected {wanted} types for the parameters of the box, found {}", args.len());
        return Err(err_here(cur, message));
    }
    let layout = BoxType { sig, captures_generics: false, fields, args };
    let layout = if env.canonical { layout.with_canonical_signature() } else { layout };
    Ok(Type::new(TypeKind::Box(Box::new(layout))))
}

fn box_fields(cur: &mut Cursor<'_>, env: &mut GenericEnv) -> Parse<Box<[BoxField]>> {
    let mut fields = Vec::new();
    while !cur.eat("}") {
        let mutable = cur.eat_word("var");
        if !mutable && !cur.eat_word("let") {
            return Err(err_here(cur, "expected `var` or `let` in the box"));
        }
        fields.push(BoxField { mutable, ty: parse_type(cur, env, true)? });
        if !cur.eat(",") && !cur.looking_at("}") {
            return Err(err_here(cur, "expected `,` or `}` in the box"));
        }
    }
    Ok(fields.into())
}
