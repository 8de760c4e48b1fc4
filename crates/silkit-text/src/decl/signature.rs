//! The types in the signatures of members, which are read on demand.
//!
//! ```text
//! <T>(_ x: T, y: Int = 0) throws -> Bool      // the types `T`, `Int` and `Bool`
//! ```

use crate::cursor::Cursor;
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use crate::types::parse_type;
use crate::types::signature::{parse_generic_sig, parse_requirements};
use silkit_base::{Symbol, TextRange};
use silkit_types::{GenericSig, Requirement, Type};

/// The types in the signature of a function, an initializer or a subscript, as spelled.
#[derive(Clone, Debug, Default)]
pub struct MemberSignature {
    /// The generic parameters of the member itself.
    pub sig: Option<GenericSig>,
    /// The label and type of each parameter; `_` stands for no label.
    pub params: Vec<(Symbol, Type)>,
    /// The types of the parameters that do not say who owns the argument, as `borrowing` and `inout` do.
    pub unspecified: Vec<Type>,
    /// True for each parameter that is `inout`.
    pub is_inout: Vec<bool>,
    /// The first attribute of each parameter with attributes, and its type.
    pub attributed: Vec<(Symbol, Type)>,
    /// The result type, if one is spelled.
    pub result: Option<Type>,
    /// True if the member is `async`.
    pub is_async: bool,
    /// True if the member may throw.
    pub throws: bool,
    /// True if the member throws only what its arguments throw.
    pub rethrows: bool,
    /// The type of the errors that it throws, if it is spelled.
    pub thrown: Option<Type>,
    /// The `where` clause after the result type.
    pub requirements: Vec<Requirement>,
    /// An effect, such as `throws`, that is spelled after the result type, where it has no place.
    pub late_effect: Option<Symbol>,
}

/// The words that say who owns an argument.
const SPECIFIERS: &[&str] = &["inout", "borrowing", "consuming", "__owned", "__shared", "sending"];

/// Returns the name of the attribute here.
fn attribute(cur: &Cursor<'_>) -> Option<Symbol> {
    let mut ahead = cur.clone();
    ahead.eat("@");
    ahead.ident().map(symbol)
}

/// Reads the signature of a member in the range of a text; `None` if it is not one.
///
/// ```
/// use silkit_text::decl::member_signature;
/// let text = "(from x: Int, _ y: String) async -> Bool";
/// let found = member_signature(text, silkit_base::TextRange::new(0, text.len())).unwrap();
/// assert_eq!(found.params.len(), 2);
/// assert_eq!(found.params[0].0, "from");
/// assert_eq!(found.result.unwrap().to_string(), "Bool");
/// ```
pub fn member_signature(text: &str, range: TextRange) -> Option<MemberSignature> {
    let mut env = GenericEnv::new();
    let mut cur = Cursor::in_range(text, range.as_usize());
    let mut found = MemberSignature::default();
    if cur.peek() == b'<' {
        let sig = parse_generic_sig(&mut cur, &mut env).ok()?;
        env.push(sig);
        found.sig = Some(sig);
    }
    if !cur.eat("(") {
        return None;
    }
    while !cur.eat(")") {
        let first = symbol(cur.ident()?.trim_matches('`'));
        if cur.peek() != b':' {
            cur.ident()?;
        }
        if !cur.eat(":") {
            return None;
        }
        let attribute = if cur.looking_at("@") { attribute(&cur) } else { None };
        let is_specified = cur.peek_word().is_some_and(|word| SPECIFIERS.contains(&word));
        let is_inout = cur.peek_word() == Some("inout");
        if is_specified && cur.peek_word() != Some("sending") {
            cur.ident();
        }
        found.is_inout.push(is_inout);
        let ty = parse_type(&mut cur, &mut env, false).ok()?;
        found.params.push((first, ty));
        found.attributed.extend(attribute.map(|attribute| (attribute, ty)));
        found.unspecified.extend((!is_specified && attribute.is_none()).then_some(ty));
        if cur.eat("...") || cur.looking_at("=") {
            // The type of a variadic parameter is an array, and a default value may be anything.
            return None;
        }
        if !cur.eat(",") && !cur.looking_at(")") {
            return None;
        }
    }
    loop {
        match cur.peek_word() {
            Some("async" | "reasync") => found.is_async = true,
            Some("throws") => found.throws = true,
            Some("rethrows") => (found.throws, found.rethrows) = (true, true),
            _ => break,
        }
        cur.ident();
        if cur.here() == b'(' {
            cur.eat("(");
            found.thrown = Some(parse_type(&mut cur, &mut env, false).ok()?);
            if !cur.eat(")") {
                return None;
            }
        }
    }
    if cur.eat("->") {
        found.result = Some(parse_type(&mut cur, &mut env, false).ok()?);
        let is_effect = |word: &&str| matches!(*word, "throws" | "rethrows" | "async" | "reasync");
        found.late_effect = cur.peek_word().filter(is_effect).map(symbol);
    }
    if cur.eat_word("where") {
        parse_requirements(&mut cur, &mut env, 0, &mut found.requirements).ok()?;
    }
    Some(found)
}
