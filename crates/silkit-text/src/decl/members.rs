//! Members of types: properties, functions, cases, associated types.

use super::accessors;
use super::items::{DeclParser, bare, is_declaration_keyword};
use super::modifiers::Modifiers;
use super::operators;
use super::placement::{self, Scope};
use super::scan::{Stop, skip_brackets, skip_rest};
use crate::decl::Dialect;
use crate::error::{Parse, err_here};
use crate::symbols::symbol;
use silkit_base::{Symbol, TextRange};
use silkit_types::decl::{
    Accessors, AssociatedType, DeclBody, DeclFlags, EnumCase, InitAccessor, Member, MemberKind, NominalKind,
    StorageRestrictions, StoredProperty,
};
use silkit_types::{RefStorage, TupleElement, Type, TypeKind};

impl DeclParser<'_> {
    fn member(&self, kind: MemberKind, m: Modifiers, name: Symbol, start: usize) -> Member {
        Member {
            kind,
            name,
            flags: m.flags,
            access: m.access,
            accessors: Accessors::empty(),
            ty: None,
            signature: TextRange::new(start, self.cur.pos()),
        }
    }

    /// Records the name of a declaration and skips the rest of it.
    pub(super) fn push_named(&mut self, kind: MemberKind, m: Modifiers, name: &str, body: &mut DeclBody) {
        let start = self.cur.pos();
        skip_rest(&mut self.cur, Stop::Declaration);
        body.members.push(self.member(kind, m, bare(name), start));
    }

    pub(super) fn function(&mut self, m: Modifiers, body: &mut DeclBody, scope: Scope) -> Parse<()> {
        let name = self.cur.ident().or_else(|| self.cur.operator());
        let mut name = name.ok_or_else(|| err_here(&self.cur, "expected the name of the function"))?;
        if let Some(operator) = name.strip_suffix('<').filter(|n| !n.is_empty())
            && crate::cursor::is_ident_byte(self.cur.here())
        {
            // In `+<T>`, the last character opens the generic parameter list.
            name = operator;
            self.cur.set_pos(self.cur.pos() - 1);
        }
        self.callable(m, MemberKind::Function, name, body, scope)
    }

    /// Parses the rest of a declaration with parameters, after its name.
    pub(super) fn callable(
        &mut self,
        mut m: Modifiers,
        kind: MemberKind,
        name: &str,
        body: &mut DeclBody,
        scope: Scope,
    ) -> Parse<()> {
        if kind == MemberKind::Initializer && (self.cur.eat("?") || self.cur.eat("!")) {
            m.flags |= DeclFlags::FAILABLE;
        }
        let start = self.cur.pos();
        if !self.cur.looking_at("(") && !self.cur.looking_at("<") {
            return Err(err_here(&self.cur, format!("expected `(` and the parameters after `{name}`")));
        }
        let mut ahead = self.cur.clone();
        if ahead.looking_at("<") {
            super::skip_angles(&mut ahead);
        }
        if !ahead.looking_at("(") || !skip_brackets(&mut ahead) {
            return Err(err_here(&ahead, format!("expected the parameters of `{name}` in parentheses")));
        }
        let is_generic = self.cur.looking_at("<");
        let mut opening = self.cur.clone();
        if is_generic {
            super::skip_angles(&mut opening);
        }
        opening.eat("(");
        let parameters = self.cur.text().get(opening.pos()..ahead.pos() - 1).unwrap_or_default();
        let problem = placement::problem_of_parameters(parameters);
        if let Some(problem) = problem.or_else(|| {
            self.problem_of_operator(m, name, scope, parameters).filter(|_| kind == MemberKind::Function)
        }) {
            self.misplaced(start, format!("{problem}, of `{name}`"));
        }
        self.attributes_of_type(opening.pos(), ahead.pos());
        self.cur.set_pos(ahead.pos());
        let effects = ["async", "throws", "rethrows", "reasync", "where"];
        if self.cur.clone().peek_word().is_some_and(|word| !effects.contains(&word)) {
            self.check_separator(start);
        }
        if let Some(problem) = self.problem_of_effects(parameters, scope) {
            self.misplaced(start, format!("{problem}, of `{name}`"));
        }
        let is_async = self.cur.clone().peek_word().is_some_and(|word| matches!(word, "async" | "reasync"));
        let concurrent = ["nonisolated(nonsending)", "@concurrent"];
        let is_sync = !is_async && kind != MemberKind::Subscript;
        let concurrent = concurrent.into_iter().find(|text| is_sync && self.modifiers_hold(m, text));
        if let Some(modifier) = concurrent {
            self.misplaced(start, format!("`{modifier}` is for `async` functions, which `{name}` is not"));
        }
        let is_of_module = kind == MemberKind::Function && self.owner().is_none();
        let has_result = self.cur.clone().looking_at("->");
        if has_result && self.lacks_result_type() {
            self.misplaced(start, format!("a type is missing after `->`, of `{name}`"));
        }
        let ty = if is_of_module && !is_generic { self.result_type() } else { None };
        skip_rest(&mut self.cur, Stop::Declaration);
        let text = self.cur.text().get(start..self.cur.pos()).unwrap_or_default();
        let has_braces = text.trim_end().ends_with('}');
        if let Some(problem) = accessors::problem(text).filter(|_| kind == MemberKind::Subscript) {
            self.misplaced(start, problem.to_owned());
        }
        let is_set_only = text
            .rsplit_once('{')
            .is_some_and(|(_, inside)| inside.trim().trim_end_matches('}').trim() == "set");
        let problem = match kind {
            MemberKind::Subscript if is_set_only => Some("a subscript has a setter, but no getter"),
            MemberKind::Initializer if has_result => Some("an initializer has a result type"),
            MemberKind::Subscript if !has_result => Some("a subscript has no element type"),
            MemberKind::Subscript if !has_braces => Some("a subscript has no accessors"),
            MemberKind::Initializer | MemberKind::Function
                if has_braces && scope == Scope::Type(NominalKind::Protocol) =>
            {
                Some("a requirement of a protocol has a body")
            }
            MemberKind::Initializer
                if scope == Scope::Extension(Some(NominalKind::Class))
                    && !m.flags.contains(DeclFlags::CONVENIENCE) =>
            {
                Some("an initializer in an extension of a class is not `convenience`")
            }
            _ => None,
        };
        if let Some(problem) = problem {
            self.misplaced(start, problem.to_owned());
        }
        let member = Member { ty, ..self.member(kind, m, bare(name), start) };
        body.members.push(member);
        Ok(())
    }

    /// Returns what is wrong with a function that implements an operator.
    fn problem_of_operator(
        &self,
        m: Modifiers,
        name: &str,
        scope: Scope,
        text: &str,
    ) -> Option<&'static str> {
        if !operators::is_operator(name) {
            return None;
        }
        let count = placement::count_of_parameters(text)?;
        let owner = self.owner();
        let lacks_operand =
            || operators::lacks_own_operand(scope, owner.map_or("", |owner| owner.as_str()), text);
        operators::problem_of_function(&m, scope, count)
            .or_else(|| lacks_operand().then_some("an operator of a type has no operand of this type"))
    }

    /// Returns what is wrong with the effects here, which follow the parameters.
    fn problem_of_effects(&self, parameters: &str, scope: Scope) -> Option<&'static str> {
        let mut ahead = self.cur.clone();
        let (mut is_async, mut throws) = (false, false);
        while let Some(word @ ("async" | "reasync" | "throws" | "rethrows")) = ahead.peek_word() {
            ahead.ident();
            let repeated = if word.ends_with("async") { &mut is_async } else { &mut throws };
            if std::mem::replace(repeated, true) {
                return Some("an effect is repeated");
            }
            if word.ends_with("async") && throws {
                return Some("`async` follows `throws`");
            }
            let is_of_protocol =
                matches!(scope, Scope::Type(NominalKind::Protocol)) || matches!(scope, Scope::Extension(_));
            if word == "rethrows" && parameters.trim().is_empty() && !is_of_protocol {
                return Some("a function that rethrows has no function as a parameter");
            }
            if word == "throws" && ahead.here() == b'(' {
                skip_brackets(&mut ahead);
            }
        }
        None
    }

    /// Returns true if the line ends after the `->` here, or the declaration does.
    fn lacks_result_type(&self) -> bool {
        let mut ahead = self.cur.clone();
        ahead.eat("->");
        let rest = ahead.text().get(ahead.pos()..ahead.end()).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default().trim();
        let is_last = rest.trim().is_empty() || line.is_empty() && begins_declaration(rest.trim_start());
        is_last || line.starts_with(['}', '{', ';'])
    }

    pub(super) fn deinitializer(&mut self, m: Modifiers, body: &mut DeclBody) -> Parse<()> {
        if self.cur.here() == b'(' {
            self.misplaced(self.cur.pos(), "a `deinit` has no parameters".to_owned());
        }
        self.push_named(MemberKind::Deinitializer, m, "deinit", body);
        Ok(())
    }

    /// Parses the names, types, initial values and accessors after `var` or `let`.
    pub(super) fn property(
        &mut self,
        mut m: Modifiers,
        introducer: TextRange,
        body: &mut DeclBody,
        scope: Scope,
    ) -> Parse<()> {
        let is_let = self.cur.text().get(introducer.as_usize()) == Some("let");
        m.flags.set(DeclFlags::LET, is_let);
        if self.cur.peek() == b'(' {
            // The parts of a pattern are not recorded.
            skip_brackets(&mut self.cur);
            skip_rest(&mut self.cur, Stop::Declaration);
            return Ok(());
        }
        let first = body.fields.len();
        loop {
            self.one_property(m, introducer, body, scope)?;
            // In `var x, y: Int`, the type applies to all preceding names without a type.
            if let Some(ty) = body.fields.get(first..).and_then(|f| f.last()).map(|f| f.ty) {
                let before = body.fields.iter_mut().skip(first).rev().skip(1);
                before.take_while(|f| f.ty.is_unknown()).for_each(|f| f.ty = ty);
            }
            if !self.cur.eat(",") {
                return Ok(());
            }
        }
    }

    fn one_property(
        &mut self,
        m: Modifiers,
        introducer: TextRange,
        body: &mut DeclBody,
        scope: Scope,
    ) -> Parse<()> {
        self.cur.skip_trivia();
        let name_start = self.cur.pos();
        let name =
            self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected the name of the property"))?;
        let start = self.cur.pos();
        let ty = if self.cur.eat(":") { self.formal_type()? } else { Type::unknown() };
        let signature = TextRange::new(start, self.cur.pos());
        let has_value = self.cur.looking_at("=") && !self.cur.looking_at("==");
        let mut ty = ty;
        if has_value {
            self.cur.eat("=");
            let start = self.cur.pos();
            skip_rest(&mut self.cur, Stop::Item);
            let is_plain = !m.flags.intersects(DeclFlags::WEAK | DeclFlags::UNOWNED | DeclFlags::UNMANAGED);
            if ty.is_unknown() && is_plain && !m.flags.contains(DeclFlags::STATIC) {
                ty = self.type_of_value(bare(name), start);
            }
        }
        let mut storage_restrictions = None;
        let accessors = match self.cur.looking_at("{") {
            true => Some(self.accessors(&mut storage_restrictions)?),
            false => None,
        };
        if let Some(storage) = storage_restrictions {
            body.init_accessors.push(InitAccessor { property: bare(name), storage });
        }
        if ty.is_unknown() && !has_value && accessors.is_none() && !self.cur.looking_at(",") {
            return Err(err_here(&self.cur, format!("expected `:` and the type of `{name}`")));
        }
        let text = self.cur.text().get(signature.end as usize..self.cur.pos()).unwrap_or_default();
        if accessors.is_some()
            && !has_value
            && let Some(problem) = accessors::problem(text)
        {
            self.misplaced(start, format!("{problem}, `{name}`"));
        }
        let observers = Accessors::WILL_SET | Accessors::DID_SET;
        // Accessors make it computed, unless the compiler states that it has storage.
        let stored =
            m.flags.contains(DeclFlags::HAS_STORAGE) || accessors.is_none_or(|a| observers.contains(a));
        let is_static = m.flags.contains(DeclFlags::STATIC);
        let problem = match scope {
            Scope::Extension(_) if m.flags.contains(DeclFlags::HAS_STORAGE) || stored && !is_static => {
                Some("an extension contains a stored property")
            }
            Scope::Type(NominalKind::Enum) if stored && !is_static => {
                Some("an enum contains a stored property")
            }
            Scope::Type(NominalKind::Protocol) if accessors.is_none() => {
                Some("a property of a protocol does not state its accessors")
            }
            Scope::Type(_) if m.flags.contains(DeclFlags::LAZY) && !has_value => {
                Some("a lazy property has no initial value")
            }
            Scope::Type(_) if m.flags.contains(DeclFlags::LAZY) && accessors.is_some() => {
                Some("a lazy property has accessors")
            }
            _ if ty.is_unknown() && accessors.is_some() && !has_value => {
                Some("a computed property has no type")
            }
            Scope::Type(_) if stored && m.flags.contains(DeclFlags::CLASS_MEMBER) => {
                Some("a stored property is `class`")
            }
            _ => None,
        };
        if let Some(problem) = problem.or_else(|| self.problem_of_isolation(m, scope, stored)) {
            self.misplaced(start, format!("{problem}, `{name}`"));
        }
        let inside = scope != Scope::File;
        if inside && stored && !m.flags.intersects(DeclFlags::STATIC | DeclFlags::LAZY) {
            body.fields.push(StoredProperty {
                name: bare(name),
                ty: storage(ty, m),
                flags: if has_value { m.flags | DeclFlags::SPELLS_VALUE } else { m.flags },
                access: m.access,
                accessors: accessors.unwrap_or_default(),
                spelling: self.spelling(m),
                introducer,
                name_range: TextRange::new(name_start, start),
            });
            return Ok(());
        }
        body.members.push(Member {
            kind: MemberKind::Property,
            name: bare(name),
            flags: m.flags,
            access: m.access,
            accessors: accessors.unwrap_or_default(),
            ty: Some(ty),
            signature,
        });
        Ok(())
    }

    /// Returns what is wrong with the isolation of a property.
    fn problem_of_isolation(&self, m: Modifiers, scope: Scope, stored: bool) -> Option<&'static str> {
        let is_variable = stored && !m.flags.contains(DeclFlags::LET);
        let is_wrong = scope == Scope::Type(NominalKind::Actor)
            && is_variable
            && m.flags.contains(DeclFlags::NONISOLATED)
            && !self.modifiers_hold(m, "nonisolated(");
        is_wrong.then_some("a stored `var` of an actor is `nonisolated`")
    }

    /// Returns true if the attributes and modifiers contain a text.
    fn modifiers_hold(&self, m: Modifiers, text: &str) -> bool {
        self.cur.text().get(m.range.as_usize()).is_some_and(|modifiers| modifiers.contains(text))
    }

    /// Returns the attributes and modifiers, separated by single spaces.
    fn spelling(&self, m: Modifiers) -> Symbol {
        let text = self.cur.text().get(m.range.start as usize..m.range.end as usize).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        symbol(&words.join(" "))
    }

    /// Parses `{ get set }`, with or without bodies. A body without accessors belongs to a getter. `restrictions`
    /// receives the `@storageRestrictions` of an `init` accessor.
    fn accessors(&mut self, restrictions: &mut Option<StorageRestrictions>) -> Parse<Accessors> {
        let start = self.cur.pos();
        self.cur.eat("{");
        let mut found = Accessors::empty();
        loop {
            if super::conditional::directive(&mut self.cur) {
                continue;
            }
            if self.cur.eat("}") {
                if self.dialect == Dialect::Sil && found == Accessors::SET {
                    return Err(err_here(&self.cur, "expected a getter beside the setter"));
                }
                return Ok(found);
            }
            if self.cur.at_end() {
                return Err(err_here(&self.cur, "expected `}` after the accessors"));
            }
            if self.cur.eat("@") {
                let attribute = self.cur.ident();
                let start = self.cur.pos();
                if self.cur.here() == b'(' {
                    skip_brackets(&mut self.cur);
                }
                if attribute == Some("storageRestrictions") {
                    let text = self.cur.text().get(start..self.cur.pos()).unwrap_or_default();
                    *restrictions = Some(storage_restrictions(text));
                }
                continue;
            }
            let word = self.cur.ident().unwrap_or_default();
            let accessor = match word {
                "get" => Accessors::GET,
                "set" => Accessors::SET,
                "_read" => Accessors::READ,
                "_modify" => Accessors::MODIFY,
                "read" => Accessors::READ2,
                "modify" => Accessors::MODIFY2,
                "willSet" => Accessors::WILL_SET,
                "didSet" => Accessors::DID_SET,
                "unsafeAddress" | "address" | "addressWithOwner" | "addressWithNativeOwner" => {
                    Accessors::ADDRESS
                }
                "unsafeMutableAddress"
                | "mutableAddress"
                | "mutableAddressWithOwner"
                | "mutableAddressWithNativeOwner" => Accessors::MUTABLE_ADDRESS,
                "init" => Accessors::INIT,
                "mutating" | "nonmutating" | "__consuming" | "consuming" | "borrowing" | "yielding"
                | "async" => {
                    let next = self.cur.peek_word().unwrap_or_default();
                    if self.dialect == Dialect::Sil && matches!(next, "" | "mutating" | "nonmutating") {
                        return Err(err_here(&self.cur, format!("expected an accessor after `{word}`")));
                    }
                    continue;
                }
                "throws" => {
                    if self.cur.here() == b'(' {
                        skip_brackets(&mut self.cur);
                    }
                    continue;
                }
                _ => {
                    self.cur.set_pos(start);
                    skip_brackets(&mut self.cur);
                    return Ok(Accessors::GET);
                }
            };
            if self.dialect == Dialect::Sil && found.contains(accessor) {
                return Err(err_here(&self.cur, format!("the accessor `{word}` is declared twice")));
            }
            found |= accessor;
            if self.cur.peek() == b'(' {
                skip_brackets(&mut self.cur);
            }
            // Effects are between an accessor and its body.
            while self.cur.eat_word("async") || self.cur.eat_word("throws") {
                if self.cur.here() == b'(' {
                    skip_brackets(&mut self.cur);
                }
            }
            if self.cur.peek() == b'{' {
                skip_brackets(&mut self.cur);
            }
        }
    }

    pub(super) fn cases(&mut self, m: Modifiers, body: &mut DeclBody) -> Parse<()> {
        loop {
            let name =
                self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected the name of the case"))?;
            let payload = if self.cur.peek() == b'(' { self.payload()? } else { None };
            let has_literal = self.cur.eat("=");
            let at = self.cur.pos();
            if has_literal {
                skip_rest(&mut self.cur, Stop::Item);
            }
            let literal = self.cur.text().get(at..self.cur.pos()).filter(|_| has_literal);
            let problem = if payload.is_none() { self.raw_values.add(name, literal) } else { None };
            if let Some(problem) = problem {
                self.misplaced(at, problem);
            }
            let is_indirect = m.flags.contains(DeclFlags::INDIRECT);
            let indirect = payload.is_some() && is_indirect;
            if is_indirect && !indirect {
                self.misplaced(
                    self.cur.pos(),
                    format!("the case `{name}` is `indirect`, but has no payload"),
                );
            }
            body.cases.push(EnumCase { name: bare(name), payload, indirect });
            if !self.cur.eat(",") {
                return Ok(());
            }
        }
    }

    /// Parses `(a: Int, String = "")`. A single value without a label is not a tuple.
    fn payload(&mut self) -> Parse<Option<Type>> {
        self.cur.eat("(");
        let mut elements = Vec::new();
        while !self.cur.eat(")") {
            let label = crate::types::function::label(&mut self.cur).filter(|l| *l != "_");
            let ty = self.formal_type()?;
            elements.push(TupleElement { label, ty, variadic: false });
            if self.cur.eat("=") {
                skip_rest(&mut self.cur, Stop::Item);
            }
            if !self.cur.eat(",") && !self.cur.looking_at(")") {
                return Err(err_here(&self.cur, "expected `,` or `)` in the values of the case"));
            }
        }
        if elements.is_empty() {
            self.misplaced(self.cur.pos(), "a case has no values in its parentheses".to_owned());
        }
        Ok(Some(match elements[..] {
            [one] if one.label.is_none() => one.ty,
            _ => Type::new(TypeKind::Tuple(elements.into())),
        }))
    }

    pub(super) fn associated(&mut self, body: &mut DeclBody) -> Parse<()> {
        let name = self
            .cur
            .ident()
            .ok_or_else(|| err_here(&self.cur, "expected the name of the associated type"))?;
        let inherited = if self.cur.eat(":") { self.inherited()?.types } else { Box::default() };
        let default = if self.cur.eat("=") { Some(self.formal_type()?) } else { None };
        let requirements = self.where_clause()?;
        body.associated.push(AssociatedType { name: bare(name), inherited, default, requirements });
        Ok(())
    }
}

/// Parses the arguments of `@storageRestrictions(initializes: _a, _b, accesses: _c)`.
fn storage_restrictions(text: &str) -> StorageRestrictions {
    let (mut initializes, mut accesses, mut is_access) = (Vec::new(), Vec::new(), false);
    for word in text.split([',', ' ', '\n', '(', ')']).filter(|word| !word.is_empty()) {
        match word {
            "initializes:" => is_access = false,
            "accesses:" => is_access = true,
            name if is_access => accesses.push(bare(name)),
            name => initializes.push(bare(name)),
        }
    }
    StorageRestrictions { initializes: initializes.into(), accesses: accesses.into() }
}

/// Returns the storage type of a property with a `weak` or `unowned` modifier.
fn storage(ty: Type, m: Modifiers) -> Type {
    if matches!(ty.kind(), TypeKind::Storage(..)) {
        return ty;
    }
    let how = if m.flags.contains(DeclFlags::WEAK) {
        RefStorage::Weak
    } else if m.flags.contains(DeclFlags::UNOWNED) {
        RefStorage::Unowned
    } else if m.flags.contains(DeclFlags::UNMANAGED) {
        RefStorage::Unmanaged
    } else {
        return ty;
    };
    Type::new(TypeKind::Storage(how, ty))
}

/// Returns true if a text begins with the keyword of a declaration, a modifier or an attribute.
fn begins_declaration(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    text.starts_with(['@', '}', '/'])
        || is_declaration_keyword(word)
        || word == "sil"
        || word.starts_with("sil_")
}
