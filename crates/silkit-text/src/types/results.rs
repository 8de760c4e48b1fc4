//! The parser of function results, formal and lowered.

use super::function::{function_of, is_arrow_next, label, param};
use super::{parse_type, postfix};
use crate::cursor::Cursor;
use crate::error::expect;
use crate::error::{Parse, err_here};
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_types::{
    FnFlags, FunctionType, Param, ParamConvention, ParamFlags, ResultConvention, ResultFlags, ResultInfo,
    Type, TypeKind,
};

/// Parses the result of a formal function type.
pub(crate) fn formal_result(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    if cur.eat_word("sending") {
        f.flags |= FnFlags::SENDING_RESULT;
    }
    let ty = parse_type(cur, env, false)?;
    f.results = Box::new([plain_result(ResultConvention::Unowned, ty)]);
    Ok(())
}

pub(crate) fn plain_result(convention: ResultConvention, ty: Type) -> ResultInfo {
    ResultInfo { convention, flags: ResultFlags::empty(), lifetime: None, ty }
}

/// Parses the parentheses of `@lifetime(copy 0)`.
pub(crate) fn lifetime(cur: &mut Cursor<'_>) -> Parse<Symbol> {
    expect(cur, "(")?;
    let start = cur.pos();
    while !matches!(cur.peek(), 0 | b')' | b'{') {
        cur.set_pos(cur.pos() + 1);
    }
    let text = cur.text().get(start..cur.pos()).unwrap_or_default();
    expect(cur, ")")?;
    Ok(symbol(text))
}

/// Parses the results of a lowered function type, including yields and error.
pub(crate) fn lowered_results(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    let base = env.results.len();
    let outcome = results_after(cur, env, f, base);
    env.results.truncate(base);
    outcome
}

/// Parses the results into `env.results`, from index `base` on, and moves them to the function type.
fn results_after(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType, base: usize) -> Parse<()> {
    let mut out = Results::default();
    // A dependence before the parentheses applies to all results.
    let before = cur.pos();
    let dependence = if cur.eat("@lifetime") { Some(lifetime(cur)?) } else { None };
    let listed = cur.peek() == b'(' && result_list(cur, env, &mut out)?;
    if !listed {
        cur.set_pos(before);
        out = Results::default();
        env.results.truncate(base);
        result(cur, env, &mut out)?;
    } else if let Some(ty) = type_after_results(cur, env, &out, base)? {
        out = Results::default();
        env.results.truncate(base);
        env.results.push(ResultInfo { lifetime: dependence, ..plain_result(ResultConvention::Unowned, ty) });
    } else {
        f.result_lifetime = dependence;
    }
    if !out.yields.is_empty() && !f.is_coroutine() {
        return Err(err_here(cur, "only a coroutine yields; write `@yield_once` before the convention"));
    }
    let results = &env.results[base..];
    f.results = match *results {
        [only] if env.canonical && out.error.is_none() && out.yields.is_empty() => exploded(only),
        _ => results.into(),
    };
    f.yields = out.yields.into();
    f.error = out.error;
    Ok(())
}

/// Returns the elements of a directly returned tuple as separate results.
fn exploded(result: ResultInfo) -> Box<[ResultInfo]> {
    match result.ty.kind() {
        TypeKind::Tuple(elements)
            if result.convention == ResultConvention::Unowned
                && elements
                    .iter()
                    .all(|e| e.label.is_none() && !matches!(e.ty.kind(), TypeKind::PackExpansion(_))) =>
        {
            elements.iter().map(|e| ResultInfo { ty: e.ty, ..result }).collect()
        }
        _ => Box::new([result]),
    }
}

/// Parses `(…)` as a list of results. Returns false if a label shows that it is a single tuple.
fn result_list(cur: &mut Cursor<'_>, env: &mut GenericEnv, out: &mut Results) -> Parse<bool> {
    cur.eat("(");
    while !cur.eat(")") {
        if label(cur).is_some() {
            return Ok(false);
        }
        result(cur, env, out)?;
        if !cur.eat(",") && !cur.looking_at(")") {
            return Err(err_here(cur, "expected `,` or `)` in the list of results"));
        }
    }
    Ok(true)
}

/// Parses the rest of a type that began with a list of results: a function type with these parameters, or `(any
/// P).Type`.
fn type_after_results(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    out: &Results,
    base: usize,
) -> Parse<Option<Type>> {
    if is_arrow_next(cur) {
        let message = "expected parameters before `->`, found attributes that only results have";
        let params = out.to_params(&env.results[base..]).ok_or_else(|| err_here(cur, message))?;
        return env.nested(cur, |cur, env| function_of(cur, env, params, true)).map(Some);
    }
    match env.results[base..] {
        [only]
            if matches!(cur.here(), b'.' | b'?' | b'!')
                && out.error.is_none()
                && out.yields.is_empty()
                && only == plain_result(ResultConvention::Unowned, only.ty) =>
        {
            postfix(cur, env, Type::new(TypeKind::Paren(only.ty))).map(Some)
        }
        _ => Ok(None),
    }
}

/// The yields and the error of a list of results; the results themselves are in [`GenericEnv::results`].
#[derive(Default)]
struct Results {
    yields: Vec<Param>,
    error: Option<ResultInfo>,
}

impl Results {
    /// Returns the results reinterpreted as parameters; `None` if they have attributes that only results can have.
    fn to_params(&self, results: &[ResultInfo]) -> Option<Box<[Param]>> {
        if self.error.is_some() || !self.yields.is_empty() {
            return None;
        }
        results.iter().map(param_of_result).collect()
    }
}

fn param_of_result(result: &ResultInfo) -> Option<Param> {
    let mut flags = ParamFlags::SIL;
    let pairs = [
        (ResultFlags::NO_DERIVATIVE, ParamFlags::NO_DERIVATIVE),
        (ResultFlags::SENDING, ParamFlags::SENDING),
    ];
    for (of_result, of_param) in pairs {
        flags.set(of_param, result.flags.contains(of_result));
    }
    let convention = match result.convention {
        ResultConvention::Unowned => ParamConvention::Unowned,
        ResultConvention::Owned => ParamConvention::Owned,
        ResultConvention::Guaranteed => ParamConvention::Guaranteed,
        ResultConvention::Inout => ParamConvention::Inout,
        _ => return None,
    };
    Some(Param { convention, flags, label: None, lifetime: result.lifetime, ty: result.ty })
}

fn result(cur: &mut Cursor<'_>, env: &mut GenericEnv, out: &mut Results) -> Parse<()> {
    let mut convention = None;
    let mut flags = ResultFlags::empty();
    let mut is_error = false;
    let mut dependence = None;
    loop {
        let at = cur.clone();
        if !cur.eat("@") {
            break;
        }
        let word = cur.ident().unwrap_or_default();
        let found = match word {
            "yields" => {
                let value = param(cur, env, true, false)?;
                out.yields.push(Param { lifetime: dependence.or(value.lifetime), ..value });
                return Ok(());
            }
            "lifetime" => {
                dependence = Some(lifetime(cur)?);
                continue;
            }
            "noDerivative" => {
                flags |= ResultFlags::NO_DERIVATIVE;
                continue;
            }
            "sil_sending" => {
                flags |= ResultFlags::SENDING;
                continue;
            }
            "out" | "error_indirect" => ResultConvention::Out,
            "pack_out" => ResultConvention::PackOut,
            "owned" | "error" => ResultConvention::Owned,
            "guaranteed" => ResultConvention::Guaranteed,
            "guaranteed_address" | "guaranteed_addr" => ResultConvention::GuaranteedAddress,
            "inout" => ResultConvention::Inout,
            "autoreleased" => ResultConvention::Autoreleased,
            "unowned_inner_pointer" => ResultConvention::UnownedInnerPointer,
            "error_unowned" => ResultConvention::Unowned,
            _ => {
                *cur = at;
                break;
            }
        };
        if convention.is_some() {
            return Err(err_here(&at, format!("`@{word}` contradicts the convention before it")));
        }
        convention = Some(found);
        is_error = word.starts_with("error");
    }
    let mut convention = convention.unwrap_or(ResultConvention::Unowned);
    let at = cur.clone();
    let (ty, late) = env.with_late_convention(|env| parse_type(cur, env, true))?;
    if let Some(late) = late {
        convention = match (late, convention) {
            (ParamConvention::Owned, ResultConvention::Unowned) => ResultConvention::Owned,
            (ParamConvention::Guaranteed, ResultConvention::Unowned) => ResultConvention::Guaranteed,
            _ => {
                return Err(err_here(
                    &at,
                    format!("`{}` is not a convention of this result", late.spelling()),
                ));
            }
        };
    }
    let info = ResultInfo { convention, flags, lifetime: dependence, ty };
    if is_error {
        if out.error.is_some() {
            return Err(err_here(cur, "expected one error result, found two"));
        }
        out.error = Some(info);
    } else {
        env.results.push(info);
    }
    Ok(())
}
