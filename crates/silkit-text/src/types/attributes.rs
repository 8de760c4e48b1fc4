//! The attributes of function types: conventions, effects, isolation.

use super::function::{CONVENTIONS, note_convention};
use super::parse_constraint;
use super::results::lifetime;
use super::signature::parse_generic_sig;
use crate::cursor::Cursor;
use crate::error::{Parse, err_here, err_unknown, expect};
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_types::{CalleeConvention, Convention, FnFlags, FunctionType, Type};

/// Parses the attributes. Returns true if one of them belongs to lowered types only.
pub(super) fn attributes(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    f: &mut FunctionType,
    kept: &mut Vec<Symbol>,
) -> Parse<bool> {
    let mut lowered = false;
    // Most types have one attribute, whose name needs no list.
    let (mut first, mut more) = (None, Vec::new());
    loop {
        if cur.peek() != b'@' {
            if cur.eat_word("nonisolated") {
                expect(cur, "(")?;
                cur.eat_word("nonsending");
                expect(cur, ")")?;
                f.flags |= FnFlags::NONISOLATED_NONSENDING;
                continue;
            }
            return Ok(lowered);
        }
        let at = cur.clone();
        cur.eat("@");
        let word = cur.ident().ok_or_else(|| err_here(cur, "expected the name of an attribute after `@`"))?;
        if let Some(&other) = first.iter().chain(&more).find(|&&other| exclude_each_other(other, word)) {
            return Err(err_here(&at, repeated_attribute(other, word)));
        }
        match first {
            None => first = Some(word),
            Some(_) => more.push(word),
        }
        let (flag, lowered_only) = match word {
            "escaping" => (FnFlags::ESCAPING, false),
            "autoclosure" => (FnFlags::AUTOCLOSURE, false),
            "Sendable" => (FnFlags::SENDABLE, false),
            "concurrent" => (FnFlags::CONCURRENT, false),
            "noescape" => (FnFlags::NOESCAPE, true),
            "async" => (FnFlags::ASYNC, true),
            "pseudogeneric" => (FnFlags::PSEUDOGENERIC, true),
            "yield_once" => (FnFlags::YIELD_ONCE, true),
            "yield_once_2" => (FnFlags::YIELD_ONCE_2, true),
            "yield_many" => (FnFlags::YIELD_MANY, true),
            "unimplementable" => (FnFlags::UNIMPLEMENTABLE, true),
            "caller_isolated" => (FnFlags::CALLER_ISOLATED, true),
            "called" => {
                expect(cur, "(")?;
                let flag = match cur.ident().unwrap_or_default() {
                    "atMostOnce" => FnFlags::CALLED_AT_MOST_ONCE,
                    "exactlyOnce" => FnFlags::CALLED_EXACTLY_ONCE,
                    "once" => FnFlags::CALLED_ONCE,
                    _ => {
                        return Err(err_here(
                            &at,
                            "expected `@called(atMostOnce)` or `@called(exactlyOnce)`",
                        ));
                    }
                };
                expect(cur, ")")?;
                (flag, true)
            }
            "isolated" => {
                expect(cur, "(")?;
                cur.eat_word("any");
                expect(cur, ")")?;
                (FnFlags::ISOLATED_ANY, false)
            }
            _ => {
                lowered |= other_attribute(cur, env, f, kept, word, &at)?;
                if f.pattern_sig.is_some() {
                    return Ok(true);
                }
                // What follows belongs to the attributed type.
                if !kept.is_empty() && more.is_empty() {
                    return Ok(lowered);
                }
                continue;
            }
        };
        f.flags |= flag;
        lowered |= lowered_only;
    }
}

/// The groups of attributes of which a function type has at most one.
const EXCLUSIVE: &[&[&str]] =
    &[&["callee_guaranteed", "callee_owned"], &["yield_once", "yield_once_2", "yield_many"]];

/// Returns true if a function type cannot have both attributes.
fn exclude_each_other(one: &str, other: &str) -> bool {
    one == other || EXCLUSIVE.iter().any(|group| group.contains(&one) && group.contains(&other))
}

pub(super) fn repeated_attribute(one: &str, other: &str) -> String {
    match one == other {
        true => format!("`@{one}` is repeated"),
        false => format!("`@{other}` contradicts `@{one}`"),
    }
}

fn other_attribute(
    cur: &mut Cursor<'_>,
    env: &mut GenericEnv,
    f: &mut FunctionType,
    kept: &mut Vec<Symbol>,
    word: &str,
    at: &Cursor<'_>,
) -> Parse<bool> {
    match word {
        "callee_guaranteed" => f.callee = CalleeConvention::Guaranteed,
        "callee_owned" => f.callee = CalleeConvention::Owned,
        "substituted" => f.pattern_sig = Some(parse_generic_sig(cur, env)?),
        "convention" => return convention(cur, env, f),
        // The dependences of the results of a formal type: `(borrowing Self) -> @lifetime(borrow 0) () -> Span<Int>`.
        "lifetime" => {
            kept.push(symbol(&format!("@lifetime({})", lifetime(cur)?)));
            return Ok(false);
        }
        "differentiable" => {
            let kind = if cur.here() == b'(' {
                cur.eat("(");
                let kind = cur.ident().unwrap_or_default();
                expect(cur, ")")?;
                kind
            } else {
                ""
            };
            f.differentiable = Some(symbol(kind));
            return Ok(false);
        }
        // Declaration attributes in formal types are kept as spelled.
        "noDerivative" | "_nonEphemeral" | "retroactive" | "preconcurrency" | "unchecked" | "unsafe"
        | "reparented" => {
            kept.push(symbol(&format!("@{word}")));
            return Ok(false);
        }
        _ if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
            // A global actor.
            let mut actor = Type::nominal(word);
            while cur.here() == b'.' {
                cur.eat(".");
                let name = cur.ident().ok_or_else(|| err_here(cur, "expected a name"))?;
                actor = Type::named(Some(actor), symbol(name), Box::default());
            }
            f.global_actor = Some(actor);
            return Ok(false);
        }
        _ if note_convention(env, word) => return Ok(false),
        _ => {
            let mut at = at.clone();
            at.skip_trivia();
            let message = format!("unknown attribute `@{word}` of a type");
            let conventions = CONVENTIONS.iter().map(|convention| convention.spelling());
            let known = KNOWN.iter().copied().chain(conventions);
            return Err(err_unknown(at.pos(), &format!("@{word}"), message, known));
        }
    }
    Ok(true)
}

/// Attributes that a suggestion may mention.
const KNOWN: &[&str] = &[
    "@escaping",
    "@autoclosure",
    "@Sendable",
    "@noescape",
    "@async",
    "@pseudogeneric",
    "@yield_once",
    "@yield_many",
    "@unimplementable",
    "@isolated",
    "@caller_isolated",
    "@called",
    "@callee_guaranteed",
    "@callee_owned",
    "@substituted",
    "@convention",
    "@differentiable",
    "@thin",
    "@thick",
    "@objc_metatype",
    "@opened",
    "@pack_element",
    "@direct",
    "@sil_weak",
    "@sil_unowned",
    "@sil_unmanaged",
    "@block_storage",
    "@moveOnly",
    "@dynamic_self",
];

/// The conventions of function types, for suggestions.
const FUNCTION_CONVENTIONS: [&str; 15] = [
    "thick",
    "swift",
    "thin",
    "method",
    "c",
    "objc_method",
    "block",
    "closure",
    "cxx_method",
    "com_method",
    "keypath_accessor_getter",
    "keypath_accessor_setter",
    "keypath_accessor_equals",
    "keypath_accessor_hash",
    "witness_method",
];

fn convention(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<bool> {
    expect(cur, "(")?;
    let word = cur.ident().ok_or_else(|| err_here(cur, "expected the name of a convention"))?;
    f.convention = match word {
        "thick" => Convention::ExplicitThick,
        "swift" => Convention::Swift,
        "thin" => Convention::Thin,
        "method" => Convention::Method,
        "c" => Convention::C,
        "objc_method" => Convention::ObjCMethod,
        "block" => Convention::Block,
        "closure" => Convention::Closure,
        "cxx_method" => Convention::CxxMethod,
        "com_method" => Convention::ComMethod,
        "keypath_accessor_getter" => Convention::KeyPathGetter,
        "keypath_accessor_setter" => Convention::KeyPathSetter,
        "keypath_accessor_equals" => Convention::KeyPathEquals,
        "keypath_accessor_hash" => Convention::KeyPathHash,
        "witness_method" => {
            expect(cur, ":")?;
            Convention::WitnessMethod(parse_constraint(cur, env)?)
        }
        _ => {
            let start = cur.pos() - word.len();
            return Err(err_unknown(
                start,
                word,
                format!("unknown convention `{word}`"),
                FUNCTION_CONVENTIONS,
            ));
        }
    };
    if cur.eat(",") {
        cur.eat_word("cType");
        expect(cur, ":")?;
        f.clang_type = cur.string().map(symbol);
    }
    expect(cur, ")")?;
    Ok(!matches!(word, "c" | "block" | "swift" | "thin"))
}
