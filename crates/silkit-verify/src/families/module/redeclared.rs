//! Names that a scope declares twice.
//!
//! ```swift
//! struct S { func f(_ x: Int); func f(_ y: Int) }
//! ```

use silkit_base::{FxHashMap, FxHashSet, Symbol, TextRange};
use silkit_types::decl::{DeclBody, DeclFlags, Member, MemberKind};
use silkit_types::{Type, TypeKind};

/// The declarations of a scope seen so far.
pub(super) struct Scope<'t> {
    text: &'t str,
    /// Keyed by `static`, name and normalized signature.
    seen: FxHashSet<(bool, Symbol, String)>,
    /// The properties, and the functions without parameters, by `static` and name: they exclude each other.
    /// The aliases and associated types.
    types: FxHashSet<Symbol>,
    properties: FxHashSet<(bool, Symbol)>,
    nullary: FxHashSet<(bool, Symbol)>,
}

impl<'t> Scope<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            seen: FxHashSet::default(),
            types: FxHashSet::default(),
            properties: FxHashSet::default(),
            nullary: FxHashSet::default(),
        }
    }

    pub(super) fn body(&mut self, body: &DeclBody, twice: &mut dyn FnMut(Symbol)) {
        let fields = body.fields.iter().map(|field| (false, field.name));
        let associated = body.associated.iter().map(|associated| associated.name);
        let types = body.aliases.iter().filter(|alias| alias.implements.is_none()).map(|alias| alias.name);
        for name in associated.chain(types) {
            if !self.types.insert(name) {
                twice(name);
            }
        }
        // Cases with payloads differ by their labels, one without a payload from no other.
        let mut is_bare = FxHashMap::default();
        for case in body.cases.iter() {
            let bare = case.payload.is_none();
            match is_bare.insert(case.name, bare) {
                Some(before) if before || bare => twice(case.name),
                _ => self.add(true, case.name, labels(case.payload), twice),
            }
        }
        self.properties.extend(body.fields.iter().map(|field| (false, field.name)));
        for (is_static, name) in fields {
            self.add(is_static, name, String::new(), twice);
        }
        self.members(&body.members, twice);
    }

    pub(super) fn members(&mut self, members: &[Member], twice: &mut dyn FnMut(Symbol)) {
        for member in members {
            let signature = match member.kind {
                MemberKind::Property | MemberKind::Deinitializer => String::new(),
                MemberKind::Function | MemberKind::Initializer | MemberKind::Subscript => {
                    signature(self.text, member.signature)
                }
                MemberKind::Operator => {
                    let fixity = member.flags & (DeclFlags::PREFIX | DeclFlags::POSTFIX | DeclFlags::INFIX);
                    format!("operator {}", fixity.bits())
                }
                MemberKind::PrecedenceGroup => "precedencegroup".to_owned(),
                MemberKind::Macro => continue,
            };
            let key = (member.flags.contains(DeclFlags::STATIC), member.name);
            let excludes = match member.kind {
                MemberKind::Property => {
                    self.properties.insert(key);
                    self.nullary.contains(&key)
                }
                MemberKind::Function if signature.starts_with("()") => {
                    self.nullary.insert(key);
                    self.properties.contains(&key)
                }
                _ => false,
            };
            if excludes {
                twice(member.name);
                continue;
            }
            self.add(key.0, member.name, signature, twice);
        }
    }

    fn add(&mut self, is_static: bool, name: Symbol, signature: String, twice: &mut dyn FnMut(Symbol)) {
        // A declaration without a name, such as a tuple pattern, redeclares nothing.
        if name != "_" && !self.seen.insert((is_static, name, signature)) {
            twice(name);
        }
    }
}

/// Returns the labels of the payload of a case.
fn labels(payload: Option<Type>) -> String {
    let Some(payload) = payload else { return String::new() };
    let TypeKind::Tuple(elements) = payload.kind() else { return "_:".to_owned() };
    elements.iter().map(|element| format!("{}:", element.label.map_or("_", Symbol::as_str))).collect()
}

/// Returns the argument labels and types of a signature without spaces, parameter names, `throws` and the body.
fn signature(text: &str, range: TextRange) -> String {
    let text = text.get(range.as_usize()).unwrap_or_default();
    let text = text.split('{').next().unwrap_or_default();
    let mut found = String::new();
    let mut word = String::new();
    // The first word of a parameter is its label, the last one before the colon its name.
    let (mut label, mut depth) = (None::<String>, 0_u32);
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        let last = std::mem::take(&mut word);
        match c {
            ' ' | '\n' | '\t' if depth == 1 && found.ends_with(['(', ',']) && !last.is_empty() => {
                label.get_or_insert(last);
                continue;
            }
            ':' if depth == 1 && found.ends_with(['(', ',']) => found += &label.take().unwrap_or(last),
            _ if last != "throws" && last != "rethrows" => {
                found += &label.take().unwrap_or_default();
                found += &last;
            }
            _ => {}
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !c.is_whitespace() {
            found.push(c);
        }
    }
    if word != "throws" && word != "rethrows" {
        found += &word;
    }
    found
}
