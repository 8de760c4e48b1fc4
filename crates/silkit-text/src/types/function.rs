//! The parser of function types, formal and lowered.

use super::attributes::{attributes, repeated_attribute};
use super::results::{formal_result, lifetime, lowered_results, plain_result};
use super::signature::parse_generic_sig;
use super::{parse_substitutions, parse_type};
use crate::cursor::Cursor;
use crate::error::{Parse, SyntaxError, err_at, err_here, expect};
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_types::{
    Convention, FnFlags, FunctionType, GenericSig, Param, ParamConvention, ParamFlags, ResultConvention,
    TupleElement, Type, TypeKind,
};

/// Returns true if `->`, `async` or `throws` comes next, so that the preceding parentheses contain parameters.
pub(crate) fn is_arrow_next(cur: &Cursor<'_>) -> bool {
    let mut next = cur.clone();
    match next.peek() {
        b'-' => next.looking_at("->"),
        b'a' | b't' | b'r' => matches!(next.peek_word(), Some("async" | "throws" | "rethrows")),
        _ => false,
    }
}

/// Parses a tuple, a parenthesized type, or a function type without attributes.
pub(crate) fn parenthesized(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    let start = cur.pos();
    let params = param_list(cur, env, lowered, true)?;
    if is_arrow_next(cur) {
        return function_of(cur, env, params, lowered);
    }
    let several = params.len() > 1;
    // `(_: T)` is a tuple, `(T)` is `T`.
    let is_spelled = params.iter().any(|p| p.flags.contains(ParamFlags::EXPLICIT_NO_LABEL));
    let mut elements = Vec::with_capacity(params.len());
    for param in params {
        let kept = ParamFlags::VARIADIC
            | ParamFlags::SIL
            | ParamFlags::NO_DERIVATIVE
            | ParamFlags::EXPLICIT_NO_LABEL;
        if param.convention != ParamConvention::Unowned
            || !kept.contains(param.flags)
            || param.lifetime.is_some()
        {
            let message = "only parameters have conventions; expected `->` and the results";
            return Err(err_at(start, cur.pos(), message));
        }
        let ty = if param.flags.contains(ParamFlags::NO_DERIVATIVE) {
            Type::new(TypeKind::Attributed(symbol("@noDerivative"), param.ty))
        } else {
            param.ty
        };
        let ty = if env.canonical && several { crate::existential::without_parens(ty) } else { ty };
        elements.push(TupleElement {
            label: param.label,
            ty,
            variadic: param.flags.contains(ParamFlags::VARIADIC),
        });
    }
    Ok(match elements[..] {
        [TupleElement { label: None, ty, variadic: false }] if !is_spelled => Type::new(TypeKind::Paren(ty)),
        _ => Type::new(TypeKind::Tuple(elements.into())),
    })
}

/// Parses the rest of a function type without attributes, after its parameters.
pub(crate) fn function_of(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    params: Box<[Param]>,
    lowered: bool,
) -> Parse<Type> {
    let mut f = FunctionType::lowered(Convention::Thick);
    f.lowered = lowered;
    f.params = params;
    effects_and_results(cur, env, &mut f)?;
    Ok(Type::new(TypeKind::Function(Box::new(f))))
}

/// Parses `label:` before a type.
pub(crate) fn label(cur: &mut Cursor<'_>) -> Option<Symbol> {
    let before = cur.pos();
    if let Some(name) = cur.ident() {
        // The second name is the internal name of the parameter: `_ x: Int`.
        if cur.peek() != b':' {
            cur.ident();
        }
        if cur.eat(":") {
            return Some(symbol(name));
        }
    }
    cur.set_pos(before);
    None
}

/// Parses a function type with its attributes.
pub(crate) fn parse(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool) -> Parse<Type> {
    let mut f = FunctionType::lowered(Convention::Thick);
    let mut kept = Vec::new();
    let is_lowered = attributes(cur, env, &mut f, &mut kept)?;
    let sendingish = cur.peek() == b's' && cur.peek_word() == Some("sending");
    if !kept.is_empty() || sendingish {
        if sendingish {
            cur.ident();
            kept.push(symbol("sending"));
        }
        let mut ty = parse_type(cur, env, lowered)?;
        for attribute in kept.into_iter().rev() {
            ty = Type::new(TypeKind::Attributed(attribute, ty));
        }
        return Ok(ty);
    }
    f.lowered = lowered || is_lowered;
    if f.pattern_sig.is_none() && cur.peek() == b'<' {
        let sig = parse_generic_sig(cur, env)?;
        f.sig = Some(sig);
        env.push(sig);
    }
    let is_witness = matches!(f.convention, Convention::WitnessMethod(_));
    let bare = env.protocols.as_ref().filter(|_| is_witness).map(|protocols| protocols.keep_bare(&f));
    let protocols = bare.and_then(|bare| env.protocols.replace(bare));
    // A type with its own signature keeps its names.
    let renames = env.renames;
    env.renames &= f.sig.is_none();
    let outcome = generic_part(cur, env, &mut f);
    env.renames = renames;
    if protocols.is_some() {
        env.protocols = protocols;
    }
    if f.sig.is_some() {
        env.pop();
    }
    outcome?;
    if env.canonical && f.lowered {
        make_canonical(&mut f, env);
    }
    Ok(Type::new(TypeKind::Function(Box::new(f))))
}

/// Converts a lowered function type to its canonical form. The signature of a function declaration keeps its names.
fn make_canonical(f: &mut FunctionType, env: &GenericEnv) {
    match f.convention {
        Convention::ExplicitThick => f.convention = Convention::Thick,
        // A function without context cannot escape.
        Convention::Thin => f.flags.remove(FnFlags::NOESCAPE),
        _ => {}
    }
    f.sig = f.sig.map(GenericSig::without_bounds);
    if f.sig.is_none() && f.pattern_sig.is_none() {
        return;
    }
    let spelled = std::mem::replace(f, FunctionType::lowered(f.convention));
    *f = match env.in_body || env.depth > 1 {
        true => spelled.with_canonical_signature(),
        false => spelled.with_canonical_pattern(),
    };
}

/// Parses the part after the function's own signature: `@substituted <…> (…) -> … for <…>`.
fn generic_part(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    if f.sig.is_some() && cur.eat("@substituted") {
        f.lowered = true;
        f.pattern_sig = Some(parse_generic_sig(cur, env)?);
    }
    let Some(pattern) = f.pattern_sig else {
        return signature(cur, env, f);
    };
    env.in_own_scope(cur, Some(pattern), |cur, env| signature(cur, env, f))?;
    if !cur.eat_word("for") {
        return Err(err_here(cur, "expected `for <…>` after an `@substituted` type"));
    }
    let at = cur.clone();
    f.pattern_args = parse_substitutions(cur, env)?;
    let (wanted, found) = (pattern.data().params.len(), f.pattern_args.len());
    if wanted != found {
        let message = format!("expected {wanted} types for the parameters of `@substituted`, found {found}");
        return Err(err_here(&at, message));
    }
    Ok(())
}

/// Parses parameters, effects and results.
fn signature(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    f.params = param_list(cur, env, f.lowered, !f.lowered)?;
    effects_and_results(cur, env, f)
}

fn param_list(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    lowered: bool,
    labels: bool,
) -> Parse<Box<[Param]>> {
    let base = env.params.len();
    let params = listed_params(cur, env, lowered, labels).map(|()| env.params[base..].into());
    env.params.truncate(base);
    params
}

/// Parses `(A, B)` and appends the parameters to `env.params`.
fn listed_params(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool, labels: bool) -> Parse<()> {
    expect(cur, "(")?;
    while !cur.eat(")") {
        let param = param(cur, env, lowered, labels)?;
        env.params.push(param);
        if !cur.eat(",") && !cur.looking_at(")") {
            return Err(err_here(cur, "expected `,` or `)` in the list"));
        }
    }
    Ok(())
}

fn effects_and_results(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    // Most types have no effects.
    if cur.peek() != b'-' {
        effects(cur, env, f)?;
    }
    // The interface type of a coroutine accessor: `(inout Self) -> @yield_once () yields (inout T) -> ()`.
    if f.is_coroutine() && cur.eat_word("yields") {
        f.lowered = false;
        f.yields = param_list(cur, env, false, false)?;
    }
    if !cur.eat("->") {
        return Err(err_here(cur, "expected `->` and the results"));
    }
    if f.lowered { lowered_results(cur, env, f) } else { formal_result(cur, env, f) }
}

fn effects(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    if cur.eat_word("async") {
        f.flags |= FnFlags::ASYNC;
    }
    if cur.eat_word("rethrows") {
        f.flags |= FnFlags::RETHROWS;
    } else if cur.eat_word("throws") {
        f.flags |= FnFlags::THROWS;
        if cur.eat("(") {
            let ty = parse_type(cur, env, false)?;
            f.error = Some(plain_result(ResultConvention::Owned, ty));
            expect(cur, ")")?;
        }
    }
    Ok(())
}

pub(crate) fn param(cur: &mut Cursor<'_>, env: &mut GenericEnv, lowered: bool, labels: bool) -> Parse<Param> {
    let mut flags = ParamFlags::empty();
    let name = if labels { label(cur) } else { None };
    let name = match name {
        Some(n) if n == "_" => {
            flags |= ParamFlags::EXPLICIT_NO_LABEL;
            None
        }
        other => other,
    };
    let mut convention = ParamConvention::Unowned;
    let mut dependence = None;
    if lowered {
        flags |= ParamFlags::SIL;
    }
    loop {
        let before = cur.pos();
        if cur.eat("@") {
            let word = cur.ident().unwrap_or_default();
            if let Some(found) = param_convention(env, word) {
                if convention != ParamConvention::Unowned {
                    cur.set_pos(before);
                    return Err(contradict(cur, convention, found));
                }
                convention = found;
                continue;
            }
            if word == "lifetime" {
                dependence = Some(lifetime(cur)?);
                continue;
            }
            let flag = match word {
                "noDerivative" => ParamFlags::NO_DERIVATIVE,
                "sil_sending" => ParamFlags::SENDING | ParamFlags::SIL,
                "sil_isolated" => ParamFlags::ISOLATED | ParamFlags::SIL,
                "sil_implicit_leading_param" => ParamFlags::IMPLICIT_LEADING | ParamFlags::SIL,
                "_addressable" => ParamFlags::ADDRESSABLE,
                "_inheritActorContext" => ParamFlags::INHERIT_ACTOR_CONTEXT,
                _ => {
                    cur.set_pos(before);
                    break;
                }
            };
            if flags.intersects(flag - ParamFlags::SIL) {
                cur.set_pos(before);
                return Err(err_here(cur, repeated_attribute(word, word)));
            }
            flags |= flag;
            continue;
        }
        // Most types begin with an upper-case letter or `τ`, none of these words does.
        if !matches!(cur.here(), b'a'..=b'z' | b'_') {
            break;
        }
        let Some(word) = cur.peek_word() else { break };
        let before_word = convention;
        match word {
            "inout" => convention = ParamConvention::FormalInout,
            "__owned" => convention = ParamConvention::FormalOwned,
            "__shared" => convention = ParamConvention::FormalShared,
            "borrowing" => convention = ParamConvention::Borrowing,
            "consuming" => convention = ParamConvention::Consuming,
            "isolated" => flags |= ParamFlags::ISOLATED,
            "sending" => flags |= ParamFlags::SENDING,
            "_const" => flags |= ParamFlags::CONST,
            _ => break,
        }
        cur.ident();
        // The word may also be the name of a type.
        if matches!(cur.peek(), b',' | b')' | b'.') {
            cur.set_pos(before);
            convention = before_word;
            break;
        }
        if before_word != ParamConvention::Unowned && convention != before_word {
            cur.set_pos(before);
            return Err(contradict(cur, before_word, convention));
        }
    }
    let at = cur.clone();
    let (ty, late) = env.with_late_convention(|env| parse_type(cur, env, lowered))?;
    if let Some(late) = late {
        if convention != ParamConvention::Unowned {
            return Err(contradict(&at, convention, late));
        }
        convention = late;
    }
    if cur.eat("...") {
        flags |= ParamFlags::VARIADIC;
    }
    Ok(Param { convention, flags, label: name, lifetime: dependence, ty })
}

fn contradict(at: &Cursor<'_>, one: ParamConvention, other: ParamConvention) -> SyntaxError {
    err_here(at, format!("`{}` and `{}` contradict", one.spelling(), other.spelling()))
}

/// Returns true if a word is the convention of the parameter or result whose type is being parsed.
pub(super) fn note_convention(env: &mut GenericEnv, word: &str) -> bool {
    param_convention(env, word).is_some_and(|convention| env.note_convention(convention))
}

fn param_convention(env: &GenericEnv, word: &str) -> Option<ParamConvention> {
    match *CONVENTIONS.iter().find(|c| &c.spelling()[1..] == word)? {
        // Older compilers distinguish it.
        ParamConvention::InConstant if env.protocols.is_some() => Some(ParamConvention::In),
        convention => Some(convention),
    }
}

pub(super) const CONVENTIONS: &[ParamConvention] = &[
    ParamConvention::Owned,
    ParamConvention::Guaranteed,
    ParamConvention::InGuaranteed,
    ParamConvention::In,
    ParamConvention::InConstant,
    ParamConvention::InCxx,
    ParamConvention::Inout,
    ParamConvention::InoutAliasable,
    ParamConvention::PackOwned,
    ParamConvention::PackGuaranteed,
    ParamConvention::PackInout,
];
