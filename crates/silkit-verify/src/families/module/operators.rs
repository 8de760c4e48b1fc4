//! Operators and precedence groups that declarations name: the file or the standard library declares them.
//!
//! ```swift
//! infix operator <+> : AdditionPrecedence
//! func <+> (a: Int, b: Int) -> Int
//! ```

use super::declarations::report;
use crate::context::ModuleVerifier;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_types::decl::{DeclFlags, Member, MemberKind};

pub(super) const RULES: &[&Rule] = &[&OPERATOR_IS_DECLARED];

static OPERATOR_IS_DECLARED: Rule = Rule {
    id: RuleId::new("SIL0648"),
    name: "OperatorIsDeclared",
    severity: Severity::Warning,
    summary: "An operator that a function implements is declared, and so is a precedence group that is named",
    details: "\
`infix operator <+>` says how the operator is parsed; functions named `<+>` say what it does. The standard library declares the usual
operators and precedence groups. Nothing is reported of what a compiler printed, nor if an imported module is not known.",
    failing: "\
func <+> (a: Builtin.Int64, b: Builtin.Int64) -> Builtin.Int64
",
    corrected: "\
infix operator <+>
func <+> (a: Builtin.Int64, b: Builtin.Int64) -> Builtin.Int64
",
    check: Check::Module(operator_is_declared),
};

const PREFIX: &[&str] = &["!", "+", "++", "-", "--", ".!", "...", "..<", "~"];

const POSTFIX: &[&str] = &["++", "--", "..."];

const INFIX: &[&str] = &[
    "!=", "!==", "%", "%=", "&", "&&", "&*", "&*=", "&+", "&+=", "&-", "&-=", "&<<", "&<<=", "&=", "&>>",
    "&>>=", "*", "*=", "+", "+=", "-", "-=", ".!=", ".&", ".&=", "...", "..<", ".<", ".<=", ".==", ".>",
    ".>=", ".^", ".^=", ".|", ".|=", "/", "/=", "<", "<<", "<<=", "<=", "==", "===", ">", ">=", ">>", ">>=",
    "??", "^", "^=", "|", "|=", "||", "~=", "~>",
];

const GROUPS: &[&str] = &[
    "AdditionPrecedence",
    "AssignmentPrecedence",
    "BitwiseShiftPrecedence",
    "CastingPrecedence",
    "ComparisonPrecedence",
    "DefaultPrecedence",
    "FunctionArrowPrecedence",
    "LogicalConjunctionPrecedence",
    "LogicalDisjunctionPrecedence",
    "MultiplicationPrecedence",
    "NilCoalescingPrecedence",
    "RangeFormationPrecedence",
    "TernaryPrecedence",
];

fn operator_is_declared(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler || !cx.declarations.sees_known_modules_only() {
        return;
    }
    let text = cx.swift_text();
    let has_swift = own.imports.iter().any(|module| *module == "Swift");
    let has_group = |name: &str| {
        let is_own = |m: &Member| m.kind == MemberKind::PrecedenceGroup && m.name == name;
        has_swift && GROUPS.contains(&name) || own.top_level.iter().any(is_own)
    };
    let has_operator = |member: &Member| {
        let fixity = fixity(member);
        let is_own =
            |m: &Member| m.kind == MemberKind::Operator && m.name == member.name && self::fixity(m) == fixity;
        has_swift && of_library(fixity).contains(&member.name.as_str()) || own.top_level.iter().any(is_own)
    };
    for member in &own.top_level {
        let rest = text.get(member.signature.as_usize()).unwrap_or_default();
        let unknown = match member.kind {
            MemberKind::Operator => rest.trim_start().strip_prefix(':').map(first_word),
            MemberKind::PrecedenceGroup => ["higherThan", "lowerThan"]
                .into_iter()
                .find_map(|relation| related(rest, relation).find(|name| !has_group(name))),
            _ => None,
        };
        if let Some(group) = unknown.filter(|name| !name.is_empty() && !has_group(name)) {
            report(
                cx,
                &OPERATOR_IS_DECLARED,
                member.name,
                format!("the precedence group `{group}` is not declared"),
            );
        }
    }
    let bodies = own.entries().flat_map(|(_, entry)| {
        entry.nominal.iter().map(|decl| &decl.body).chain(entry.extensions.iter().map(|e| &e.body))
    });
    let members = bodies.flat_map(|body| body.members.iter()).chain(&own.top_level);
    for member in members.filter(|m| m.kind == MemberKind::Function && is_operator(m.name)) {
        if !has_operator(member) {
            let message = format!("the operator `{}` is not declared as {}", member.name, fixity(member));
            report(cx, &OPERATOR_IS_DECLARED, member.name, message);
        }
    }
}

fn is_operator(name: Symbol) -> bool {
    !name.as_str().starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '`' | '$'))
}

/// Returns where the operands of an operator stand.
fn fixity(member: &Member) -> &'static str {
    if member.flags.contains(DeclFlags::PREFIX) {
        "`prefix`"
    } else if member.flags.contains(DeclFlags::POSTFIX) {
        "`postfix`"
    } else {
        "`infix`"
    }
}

fn of_library(fixity: &str) -> &'static [&'static str] {
    match fixity {
        "`prefix`" => PREFIX,
        "`postfix`" => POSTFIX,
        _ => INFIX,
    }
}

fn first_word(text: &str) -> &str {
    text.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Returns the precedence groups that a relation of another group names: `higherThan: A, B`.
fn related<'t>(text: &'t str, relation: &str) -> impl Iterator<Item = &'t str> + use<'t> {
    let after = text.split_once(relation).and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    let line = after.unwrap_or_default().lines().next().unwrap_or_default();
    let names = line.split('}').next().unwrap_or_default();
    names.split(',').map(first_word).filter(|name| !name.is_empty())
}
