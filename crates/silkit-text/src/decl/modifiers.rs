//! Attributes and modifiers before a declaration.

use super::scan::skip_brackets;
use crate::cursor::{Cursor, is_ident_byte};
use crate::error::{Parse, err_here};
use crate::symbols::symbol;
use silkit_base::{Symbol, TextRange};
use silkit_types::decl::{AccessLevel, DeclFlags};

/// The modifiers before the keyword of a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Modifiers {
    pub(super) access: AccessLevel,
    pub(super) flags: DeclFlags,
    /// The name in `@_implements(Protocol, Name)`.
    pub(super) implements: Option<Symbol>,
    /// `class` was parsed as a modifier or keyword; the following text decides which.
    pub(super) is_class_word: bool,
    /// A modifier is repeated, or there are two access levels.
    pub(super) is_repeated: bool,
    /// An access level is spelled.
    pub(super) has_access: bool,
    /// The argument of `unowned` is neither `safe` nor `unsafe`.
    pub(super) has_wrong_argument: bool,
    /// The range of the modifiers.
    pub(super) range: TextRange,
}

/// Parses attributes and modifiers up to the keyword of the declaration.
pub(super) fn parse(cur: &mut Cursor<'_>) -> Parse<Modifiers> {
    let mut m = Modifiers::default();
    cur.peek();
    m.range = TextRange::new(cur.pos(), cur.pos());
    loop {
        if cur.peek() == b'@' {
            attribute(cur, &mut m)?;
            continue;
        }
        let before = cur.pos();
        m.range = TextRange::new(m.range.start as usize, before);
        let Some(word) = cur.ident() else { return Ok(m) };
        if !modifier(word, cur, &mut m) {
            cur.set_pos(before);
            return Ok(m);
        }
        if cur.here() == b'(' {
            // `private(set)` does not restrict reading (see below); `unowned(unsafe)` is not reference-counted.
            let start = cur.pos();
            skip_brackets(cur);
            let argument = cur.text().get(start..cur.pos()).unwrap_or_default();
            if word == "unowned" && argument == "(unsafe)" {
                m.flags.remove(DeclFlags::UNOWNED);
                m.flags.insert(DeclFlags::UNMANAGED);
            }
            m.has_wrong_argument |= word == "unowned" && !matches!(argument, "(safe)" | "(unsafe)");
        }
    }
}

/// Records a modifier. Returns true if the word is one.
fn modifier(word: &str, cur: &mut Cursor<'_>, m: &mut Modifiers) -> bool {
    let is_set_only = cur.here() == b'(' && cur.looking_at("(set)");
    let access = match word {
        "public" => Some(AccessLevel::Public),
        "open" => Some(AccessLevel::Open),
        "package" => Some(AccessLevel::Package),
        "internal" => Some(AccessLevel::Internal),
        "fileprivate" => Some(AccessLevel::FilePrivate),
        "private" => Some(AccessLevel::Private),
        _ => None,
    };
    if let Some(access) = access {
        match access {
            AccessLevel::Private | AccessLevel::FilePrivate if is_set_only => {
                m.flags |= DeclFlags::PRIVATE_SETTER;
            }
            AccessLevel::Internal if is_set_only => m.flags |= DeclFlags::INTERNAL_SETTER,
            _ if is_set_only => {}
            _ => {
                m.is_repeated |= m.has_access;
                m.has_access = true;
                m.access = access;
            }
        }
        return true;
    }
    let flag = match word {
        "static" => DeclFlags::STATIC,
        "final" => DeclFlags::FINAL,
        "indirect" => DeclFlags::INDIRECT,
        "lazy" => DeclFlags::LAZY,
        "weak" => DeclFlags::WEAK,
        "unowned" => DeclFlags::UNOWNED,
        "override" => DeclFlags::OVERRIDE,
        "mutating" => DeclFlags::MUTATING,
        "nonmutating" => DeclFlags::NONMUTATING,
        "consuming" | "__consuming" => DeclFlags::CONSUMING,
        "borrowing" => DeclFlags::BORROWING,
        "dynamic" => DeclFlags::DYNAMIC,
        "required" => DeclFlags::REQUIRED,
        "nonisolated" => DeclFlags::NONISOLATED,
        "distributed" => DeclFlags::DISTRIBUTED,
        "convenience" => DeclFlags::CONVENIENCE,
        "prefix" => DeclFlags::PREFIX,
        "postfix" => DeclFlags::POSTFIX,
        "infix" => DeclFlags::INFIX,
        "optional" | "isolated" | "async" | "_const" | "_local" | "__shared" | "__owned"
        | "__setter_access" | "sending" | "unsafe" | "safe" | "reasync" | "rethrows" => DeclFlags::empty(),
        "class" => return class_word(cur, m),
        _ => return false,
    };
    m.is_repeated |= !flag.is_empty() && m.flags.contains(flag);
    m.flags |= flag;
    true
}

/// Returns true if `class` is a modifier (`class func`) and not a keyword (`class C`).
fn class_word(cur: &mut Cursor<'_>, m: &mut Modifiers) -> bool {
    let next = cur.peek_word().unwrap_or_default();
    let is_modifier = matches!(
        next,
        "func"
            | "var"
            | "let"
            | "subscript"
            | "typealias"
            | "final"
            | "override"
            | "public"
            | "internal"
            | "private"
            | "fileprivate"
            | "open"
            | "dynamic"
            | "nonisolated"
            | "mutating"
            | "async"
            | "class"
            | "weak"
            | "lazy"
    );
    if is_modifier {
        m.is_repeated |= m.flags.contains(DeclFlags::STATIC);
        m.flags |= DeclFlags::STATIC | DeclFlags::CLASS_MEMBER;
    } else {
        m.is_class_word = true;
    }
    is_modifier
}

fn attribute(cur: &mut Cursor<'_>, m: &mut Modifiers) -> Parse<()> {
    cur.eat("@");
    if !is_ident_byte(cur.here()) {
        return Err(err_here(cur, "expected the name of an attribute after `@`"));
    }
    let name = cur.ident().unwrap_or_default();
    // `@_Concurrency.MainActor`, `@Wrapper<Int>`.
    while cur.here() == b'.' {
        cur.set_pos(cur.pos() + 1);
        if cur.ident().is_none() {
            return Err(err_here(cur, "expected a name after `.`"));
        }
    }
    if cur.here() == b'<' {
        super::skip_angles(cur);
    }
    let mut argument = "";
    if cur.here() == b'(' {
        let start = cur.pos();
        if !skip_brackets(cur) {
            return Err(err_here(cur, "expected `)` at the end of the attribute's arguments"));
        }
        argument = cur.text().get(start + 1..cur.pos() - 1).unwrap_or_default();
    }
    m.flags |= match name {
        "frozen" => DeclFlags::FROZEN,
        "_fixed_layout" => DeclFlags::FIXED_LAYOUT,
        "_eagerMove" => DeclFlags::EAGER_MOVE,
        "_noEagerMove" => DeclFlags::NO_EAGER_MOVE,
        "usableFromInline" => DeclFlags::USABLE_FROM_INLINE,
        "_hasStorage" => DeclFlags::HAS_STORAGE,
        "_rawLayout" => DeclFlags::RAW_LAYOUT,
        "objc" => DeclFlags::OBJC,
        "_transparent" => DeclFlags::TRANSPARENT,
        "_marker" => DeclFlags::MARKER,
        "_borrowed" => DeclFlags::BORROWED,
        "_compilerInitialized" => DeclFlags::COMPILER_INITIALIZED,
        "propertyWrapper" => DeclFlags::PROPERTY_WRAPPER,
        "dynamicMemberLookup" => DeclFlags::DYNAMIC_MEMBER_LOOKUP,
        "dynamicCallable" => DeclFlags::DYNAMIC_CALLABLE,
        "main" => DeclFlags::MAIN,
        "resultBuilder" => DeclFlags::RESULT_BUILDER,
        "globalActor" => DeclFlags::GLOBAL_ACTOR,
        "_semantics" if argument == "\"defaultActor\"" => DeclFlags::DEFAULT_ACTOR,
        "available" if argument.replace(' ', "").starts_with("*,unavailable") => DeclFlags::UNAVAILABLE,
        _ => DeclFlags::empty(),
    };
    if name == "_implements" {
        let witnessed = argument.rsplit_once(',').map(|(_, name)| name.trim());
        m.implements = witnessed.filter(|n| n.bytes().all(is_ident_byte)).map(symbol);
    }
    Ok(())
}
