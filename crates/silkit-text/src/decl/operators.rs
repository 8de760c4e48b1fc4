//! Operators and precedence groups: how they are declared, and the parameters of the functions that implement them.
//!
//! ```swift
//! infix operator <+> : AdditionPrecedence
//! func <+> (a: Int, b: Int) -> Int
//! ```

use super::modifiers::Modifiers;
use super::placement::Scope;
use silkit_types::decl::{DeclFlags, NominalKind};

/// The modifiers that tell where the operands of an operator stand.
const FIXITIES: DeclFlags = DeclFlags::PREFIX.union(DeclFlags::POSTFIX).union(DeclFlags::INFIX);

/// Returns true if the name of a function is an operator.
pub(super) fn is_operator(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '`' | '$'))
}

/// Returns what is wrong with the declaration of an operator, given what follows its name.
pub(super) fn problem(m: &Modifiers, rest: &str) -> Option<&'static str> {
    let fixity = m.flags & FIXITIES;
    if fixity.bits().count_ones() != 1 {
        return Some("an operator is `prefix`, `postfix` or `infix`");
    }
    let has_group = rest.trim_start().starts_with(':');
    (has_group && fixity != DeclFlags::INFIX).then_some("only an infix operator has a precedence")
}

/// Returns what is wrong with the attributes of a precedence group.
pub(super) fn problem_of_group(rest: &str) -> Option<&'static str> {
    let (_, value) = rest.split_once("associativity")?;
    let value = value.trim_start().strip_prefix(':')?.trim_start();
    let word = value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    (!matches!(word, "left" | "right" | "none")).then_some("the associativity is `left`, `right` or `none`")
}

/// Returns what is wrong with a function that implements an operator and has `count` parameters.
pub(super) fn problem_of_function(m: &Modifiers, scope: Scope, count: usize) -> Option<&'static str> {
    if scope != Scope::File && !m.flags.contains(DeclFlags::STATIC) {
        return Some("an operator of a type is not `static`");
    }
    let is_unary = m.flags.intersects(DeclFlags::PREFIX | DeclFlags::POSTFIX);
    match count {
        1 if !is_unary => Some("an operator with one operand is neither `prefix` nor `postfix`"),
        1 => None,
        2 => is_unary.then_some("an operator with two operands is `prefix` or `postfix`"),
        _ => Some("an operator does not have one or two operands"),
    }
}

/// Returns true if an operator of a type, given the text of its parameters, has no operand of this type.
pub(super) fn lacks_own_operand(scope: Scope, owner: &str, parameters: &str) -> bool {
    let name = owner.rsplit('.').next().unwrap_or_default();
    let words = || parameters.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_value = matches!(scope, Scope::Type(NominalKind::Struct | NominalKind::Enum | NominalKind::Class));
    is_value && !words().any(|word| word == name || word == "Self")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modifiers(flags: DeclFlags) -> Modifiers {
        Modifiers { flags, ..Modifiers::default() }
    }

    #[test]
    fn an_operator_has_one_fixity() {
        assert!(problem(&modifiers(DeclFlags::empty()), "").is_some());
        assert!(problem(&modifiers(DeclFlags::PREFIX | DeclFlags::INFIX), "").is_some());
        assert!(problem(&modifiers(DeclFlags::INFIX), " : AdditionPrecedence").is_none());
        assert!(problem(&modifiers(DeclFlags::PREFIX), " : AdditionPrecedence").is_some());
        assert!(problem(&modifiers(DeclFlags::POSTFIX), "").is_none());
    }

    #[test]
    fn associativities() {
        assert!(problem_of_group(" { associativity: left }").is_none());
        assert!(problem_of_group(" { associativity : up }").is_some());
        assert!(problem_of_group(" { higherThan: A }").is_none());
    }

    #[test]
    fn operands() {
        let wrong = |flags, scope, count| problem_of_function(&modifiers(flags), scope, count).is_some();
        let none = DeclFlags::empty();
        let own = Scope::Type(NominalKind::Struct);
        assert!(wrong(none, own, 2) && !wrong(DeclFlags::STATIC, own, 2));
        assert!(wrong(none, Scope::File, 1) && !wrong(DeclFlags::PREFIX, Scope::File, 1));
        assert!(wrong(DeclFlags::POSTFIX, Scope::File, 2) && !wrong(none, Scope::File, 2));
        assert!(wrong(none, Scope::File, 0) && wrong(none, Scope::File, 3));
        assert!(lacks_own_operand(own, "A.S", "a: Int, b: Int"));
        assert!(!lacks_own_operand(own, "A.S", "a: S, b: Int"));
        assert!(!lacks_own_operand(own, "A.S", "a: Self, b: Int"));
        assert!(!lacks_own_operand(Scope::Extension(None), "A.S", "a: Int, b: Int"));
    }
}
