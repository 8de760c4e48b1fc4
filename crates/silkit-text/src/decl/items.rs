//! Declarations of types, extensions and other entities at file scope.

use super::modifiers::{self, Modifiers};
use super::operators;
use super::placement::{self, Scope};
use super::raw_values::RawValues;
use super::scan::{Stop, skip_brackets, skip_line, skip_rest};
use super::{Dialect, skip_angles};
use super::{attributes, conditional};
use crate::cursor::Cursor;
use crate::error::{Parse, SyntaxError, err_at, err_here};
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use crate::types::parse_type;
use crate::types::signature::{parse_generic_sig, parse_requirements};
use silkit_base::{Symbol, TextRange};
use silkit_types::decl::{
    AliasDecl, DeclBody, DeclFlags, DeclTable, ExtensionDecl, MemberKind, NominalDecl, NominalKind,
    PartialImport,
};
use silkit_types::{GenericSig, Requirement, Type, TypeKind};

/// The maximum nesting of types.
const MAX_NESTING: u32 = 64;

/// A parser of consecutive declarations.
pub(super) struct DeclParser<'a> {
    pub(super) cur: Cursor<'a>,
    pub(super) dialect: Dialect,
    pub(super) table: DeclTable,
    pub(super) errors: Vec<SyntaxError>,
    pub(super) env: GenericEnv,
    /// The path of the enclosing type, empty at the top level.
    path: String,
    /// The raw values of the enum whose cases are being parsed.
    pub(super) raw_values: RawValues,
    nesting: u32,
}

/// Returns a name without the backticks that escape it.
pub(super) fn bare(name: &str) -> Symbol {
    symbol(name.trim_matches('`'))
}

/// The types after the `:` of a declaration.
#[derive(Default)]
pub(super) struct Inherited {
    pub(super) types: Box<[Type]>,
    /// The global actor and the protocol of each isolated conformance.
    pub(super) isolated: Box<[(Symbol, Type)]>,
}

impl<'a> DeclParser<'a> {
    pub(super) fn new(cur: Cursor<'a>, dialect: Dialect, table: DeclTable) -> Self {
        Self {
            cur,
            dialect,
            table,
            errors: Vec::new(),
            env: GenericEnv::new(),
            path: String::new(),
            raw_values: RawValues::default(),
            nesting: 0,
        }
    }

    /// Returns the path of the type whose members are being parsed.
    pub(super) fn owner(&self) -> Option<Symbol> {
        (!self.path.is_empty()).then(|| symbol(&self.path))
    }

    /// Sets the enclosing type of the following declarations.
    pub(super) fn set_outer(&mut self, path: &str) {
        path.clone_into(&mut self.path);
    }

    /// Recovers from an error: skips the declaration that begins at `start`.
    pub(super) fn recover(&mut self, start: usize) {
        // The lookahead may have gone to a later line, which belongs to another declaration.
        let read = self.cur.text().get(start..self.cur.pos()).unwrap_or_default();
        self.cur.set_pos(start + read.trim_end().len());
        skip_rest(&mut self.cur, Stop::Declaration);
        if self.cur.pos() <= start || matches!(self.cur.here(), b')' | b']') {
            skip_line(&mut self.cur);
        }
        if self.cur.here() == b'}' && self.nesting == 0 {
            self.cur.set_pos(self.cur.pos() + 1);
        }
        if self.cur.pos() <= start {
            self.cur.set_pos(start + 1);
        }
    }

    /// Parses one declaration at the top level of a module.
    pub(super) fn top_level(&mut self) -> Parse<()> {
        let mut body = DeclBody::default();
        self.item(&mut body, Scope::File)?;
        for alias in body.aliases {
            self.table.add_alias(alias);
        }
        self.table.top_level.extend(body.members);
        Ok(())
    }

    /// Parses one declaration into `body`, or into the table if it is a type or an extension.
    fn item(&mut self, body: &mut DeclBody, scope: Scope) -> Parse<()> {
        self.cur.skip_trivia();
        let start = self.cur.pos();
        let m = modifiers::parse(&mut self.cur)?;
        self.cur.skip_trivia();
        let at = self.cur.pos();
        let word = self.cur.ident().unwrap_or_default();
        let is_file = scope == Scope::File;
        if self.dialect == Dialect::Sil
            && let Some(problem) = placement::problem(word, &m, scope)
        {
            self.misplaced(at, problem);
        }
        if self.dialect == Dialect::Sil {
            self.attributes(&m, word, scope);
        }
        match word {
            "struct" => self.nominal(NominalKind::Struct, m, start),
            "class" => self.nominal(NominalKind::Class, m, start),
            "actor" => self.nominal(NominalKind::Actor, m, start),
            "enum" => self.nominal(NominalKind::Enum, m, start),
            "protocol" => self.nominal(NominalKind::Protocol, m, start),
            "extension" if is_file => self.extension(m, start),
            "import" if is_file => self.import(&m),
            "typealias" => self.alias(m, body),
            "associatedtype" => self.associated(body),
            "var" | "let" => self.property(m, TextRange::new(at, at + word.len()), body, scope),
            "func" => self.function(m, body, scope),
            "init" => self.callable(m, MemberKind::Initializer, "init", body, scope),
            "subscript" => self.callable(m, MemberKind::Subscript, "subscript", body, scope),
            "deinit" => self.deinitializer(m, body),
            "case" if scope == Scope::Type(NominalKind::Enum) => self.cases(m, body),
            "macro" => self.named_rest(MemberKind::Macro, m, body),
            "operator" => self.operator(m, body),
            "precedencegroup" => self.named_rest(MemberKind::PrecedenceGroup, m, body),
            _ => Err(not_a_declaration(&self.cur, at, word)),
        }
    }

    /// Records the attributes in a range of modifiers that the declaration with this keyword cannot have, and those that
    /// the language does not define.
    fn attributes(&mut self, m: &Modifiers, keyword: &str, scope: Scope) {
        let (text, range) = (self.cur.text(), m.range);
        if memchr::memchr(b'@', text.get(range.as_usize()).unwrap_or_default().as_bytes()).is_none() {
            return;
        }
        let mut cur = Cursor::in_range(text, range.as_usize());
        let (mut seen, mut actors) = (Vec::new(), 0);
        while !cur.at_end() {
            let is_attribute = cur.eat("@");
            let at = cur.pos();
            let Some(name) = cur.ident() else { return };
            let is_qualified = cur.here() == b'.';
            while cur.here() == b'.' {
                cur.set_pos(cur.pos() + 1);
                let _ = cur.ident();
            }
            if cur.here() == b'<' {
                skip_angles(&mut cur);
            }
            let arguments = cur.pos();
            if cur.here() == b'(' && !skip_brackets(&mut cur) {
                return;
            }
            if !is_attribute || is_qualified {
                continue;
            }
            actors += usize::from(name == "MainActor");
            let problem =
                attributes::problem_of_isolation(actors, keyword, m).filter(|_| name == "MainActor");
            if let Some(problem) = problem {
                self.misplaced(at, problem.to_owned());
            }
            if attributes::is_single(name) && seen.contains(&name) {
                self.misplaced(at, format!("the attribute `@{name}` is repeated"));
            }
            seen.push(name);
            let arguments = text.get(arguments..cur.pos()).unwrap_or_default();
            let problem = attributes::problem(name, keyword);
            let problem = problem
                .or_else(|| attributes::problem_of_arguments(name, arguments))
                .or_else(|| attributes::problem_of_access(name, m, scope));
            if let Some(problem) = problem {
                self.misplaced(at, problem);
            } else if !attributes::is_language_attribute(name) {
                self.table.custom_attributes.push((TextRange::new(at, at), symbol(name)));
            }
        }
    }

    /// Records that the declaration at a position is not allowed there.
    pub(super) fn misplaced(&mut self, at: usize, problem: String) {
        if self.dialect == Dialect::Sil {
            self.table.misplaced.push((TextRange::new(at, at), problem));
        }
    }

    /// Parses the `{ … }` of a type or an extension.
    fn braces(&mut self, scope: Scope) -> Parse<DeclBody> {
        let mut body = DeclBody::default();
        if !self.cur.eat("{") {
            return Err(err_here(&self.cur, "expected `{` and the members"));
        }
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            self.nesting -= 1;
            self.cur.set_pos(self.cur.pos() - 1);
            skip_brackets(&mut self.cur);
            return Err(err_here(&self.cur, "types nest too deeply here"));
        }
        loop {
            while self.cur.eat(";") || conditional::directive(&mut self.cur) {}
            if self.cur.eat("}") {
                break;
            }
            if self.cur.at_end() {
                self.nesting -= 1;
                return Err(err_here(&self.cur, "expected `}` at the end of the members"));
            }
            let start = self.cur.pos();
            match self.item(&mut body, scope) {
                Ok(()) => self.check_separator(start),
                Err(error) => {
                    self.errors.push(error);
                    self.recover(start);
                }
            }
        }
        self.nesting -= 1;
        Ok(body)
    }

    /// Records a declaration that follows the one at `start` on the same line without a `;`.
    pub(super) fn check_separator(&mut self, start: usize) {
        let mut next = self.cur.clone();
        if matches!(next.peek(), 0 | b';' | b'}' | b'#') {
            return;
        }
        next.skip_trivia();
        let before = &next.text()[start..next.pos()];
        let end = before.trim_ascii_end();
        if !before[end.len()..].contains('\n') && !end.ends_with("*/") {
            let of = if self.path.is_empty() { String::new() } else { format!(" of `{}`", self.path) };
            let problem = format!("expected `;` or a new line between declarations{of}");
            self.misplaced(next.pos(), problem);
        }
    }

    /// Parses the braces of the type at `path`.
    fn body_of(&mut self, path: &str, scope: Scope) -> Parse<DeclBody> {
        let outer = std::mem::replace(&mut self.path, path.to_owned());
        let body = self.braces(scope);
        self.path = outer;
        body
    }

    fn nominal(&mut self, kind: NominalKind, m: Modifiers, start: usize) -> Parse<()> {
        let name = self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected the name of the type"))?;
        let name = bare(name);
        let sig = self.generic_params()?;
        let Inherited { types: inherited, isolated } =
            if self.cur.eat(":") { self.inherited()? } else { Inherited::default() };
        let requirements = self.where_clause()?;
        let path =
            if self.path.is_empty() { name.as_str().to_owned() } else { format!("{}.{name}", self.path) };
        let raw_values = RawValues::new(inherited.first().copied());
        let outer = std::mem::replace(&mut self.raw_values, raw_values);
        let body = self.body_of(&path, Scope::Type(kind));
        self.raw_values = outer;
        let mut body = body?;
        let mut flags = m.flags;
        if self.dialect != Dialect::Sil {
            flags |= DeclFlags::RESILIENT_MODULE;
        }
        if body.members.iter().any(|m| m.kind == MemberKind::Deinitializer) {
            flags |= DeclFlags::HAS_DEINIT;
        }
        let copies = !inherited.iter().any(|ty| ty.suppresses_copying());
        let is_value = matches!(kind, NominalKind::Struct | NominalKind::Enum);
        if is_value && copies && flags.contains(DeclFlags::HAS_DEINIT) {
            self.misplaced(start, format!("`{name}` has a `deinit`, but is copyable"));
        }
        if kind == NominalKind::Enum
            && !copies
            && (flags.contains(DeclFlags::INDIRECT) || body.cases.iter().any(|case| case.indirect))
        {
            self.misplaced(start, format!("the enum `{name}` is not copyable, and has indirect cases"));
        }
        if let Some(problem) = placement::problem_of_body(kind, m.flags, sig, &inherited, &body) {
            self.misplaced(start, format!("`{name}` {problem}"));
        }
        if flags.contains(DeclFlags::INDIRECT) {
            body.cases.iter_mut().for_each(|c| c.indirect = c.payload.is_some());
        }
        let range = TextRange::new(start, self.cur.pos());
        self.table.add_nominal(NominalDecl {
            path: symbol(&path),
            name,
            kind,
            access: m.access,
            flags,
            sig,
            inherited,
            isolated,
            requirements,
            body,
            range,
        });
        Ok(())
    }

    fn extension(&mut self, m: Modifiers, start: usize) -> Parse<()> {
        let extended = parse_type(&mut self.cur, &mut self.env, false)?;
        let Some(path) = self.extended_path(extended) else {
            return Err(err_at(start, self.cur.pos(), "only a nominal type can be extended"));
        };
        let Inherited { types: inherited, isolated } =
            if self.cur.eat(":") { self.inherited()? } else { Inherited::default() };
        let requirements = self.where_clause()?;
        let kind = self.table.get(symbol(&path)).and_then(|e| e.nominal.as_ref()).map(|decl| decl.kind);
        let body = self.body_of(&path, Scope::Extension(kind))?;
        if inherited.iter().any(|ty| ty.suppresses_copying()) {
            self.misplaced(start, "an extension cannot suppress `Copyable`".to_owned());
        }
        let range = TextRange::new(start, self.cur.pos());
        let extension =
            ExtensionDecl { extended, flags: m.flags, inherited, isolated, requirements, body, range };
        self.table.add_extension(symbol(&path), extension);
        Ok(())
    }

    /// Returns the dotted path of an extended type.
    fn extended_path(&self, ty: Type) -> Option<String> {
        let path = dotted(ty)?;
        match path.split_once('.') {
            // Interface files qualify all names: `extension Swift.Array`.
            Some((_, rest)) if self.dialect == Dialect::Interface => Some(rest.to_owned()),
            _ => Some(path),
        }
    }

    fn import(&mut self, m: &Modifiers) -> Parse<()> {
        let at = self.cur.pos();
        let kind = self.cur.peek_word().unwrap_or_default();
        let mut stated = None;
        if matches!(kind, "struct" | "class" | "enum" | "protocol" | "func" | "var" | "let" | "typealias") {
            stated = self.cur.ident().map(symbol);
        }
        let name = self.cur.ident();
        let name = name.ok_or_else(|| err_here(&self.cur, "expected the name of a module"))?;
        if name == "Builtin" && self.cur.here() == b'.' {
            return Err(err_here(&self.cur, "there is no module in `Builtin`: expected `import Builtin`"));
        }
        self.table.imports.push(bare(name));
        let mut path = vec![bare(name)];
        while self.cur.here() == b'.' {
            self.cur.set_pos(self.cur.pos() + 1);
            path.extend(self.cur.ident().or_else(|| self.cur.operator()).map(bare));
        }
        let attributes = self.cur.text().get(m.range.as_usize()).unwrap_or_default();
        let is_testable = attributes.split_whitespace().any(|word| word == "@testable");
        if is_testable || path.len() > 1 {
            let at = TextRange::new(at, self.cur.pos());
            self.table.partial_imports.push(PartialImport {
                kind: stated,
                path: path.into(),
                is_testable,
                at,
            });
        }
        Ok(())
    }

    fn alias(&mut self, m: Modifiers, body: &mut DeclBody) -> Parse<()> {
        let name = self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected the name of the alias"))?;
        let sig = self.generic_params()?;
        if !self.cur.eat("=") {
            return Err(err_here(&self.cur, "expected `=` and a type"));
        }
        let target = self.formal_type()?;
        self.where_clause()?;
        body.aliases.push(AliasDecl { name: bare(name), sig, target, implements: m.implements });
        Ok(())
    }

    /// Parses `prefix operator √`, `infix operator ** : Power`.
    fn operator(&mut self, m: Modifiers, body: &mut DeclBody) -> Parse<()> {
        let name = self.cur.operator().or_else(|| self.cur.ident());
        let name = name.ok_or_else(|| err_here(&self.cur, "expected the name of the operator"))?;
        let at = self.cur.pos();
        self.push_named(MemberKind::Operator, m, name, body);
        let rest = self.cur.text().get(at..self.cur.pos()).unwrap_or_default();
        if let Some(problem) = operators::problem(&m, rest) {
            self.misplaced(at, format!("{problem}, `{name}`"));
        }
        Ok(())
    }

    /// Parses a declaration of which only the name is kept.
    fn named_rest(&mut self, kind: MemberKind, m: Modifiers, body: &mut DeclBody) -> Parse<()> {
        let name = self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected a name"))?;
        let at = self.cur.pos();
        self.push_named(kind, m, name, body);
        let rest = self.cur.text().get(at..self.cur.pos()).unwrap_or_default();
        if kind == MemberKind::PrecedenceGroup
            && let Some(problem) = operators::problem_of_group(rest)
        {
            self.misplaced(at, format!("{problem}, of `{name}`"));
        }
        Ok(())
    }

    /// Parses `<…>` after the name of a declaration.
    pub(super) fn generic_params(&mut self) -> Parse<Option<GenericSig>> {
        if !self.cur.looking_at("<") {
            return Ok(None);
        }
        parse_generic_sig(&mut self.cur, &mut self.env).map(Some)
    }

    /// Parses the types after `:`.
    pub(super) fn inherited(&mut self) -> Parse<Inherited> {
        let (mut types, mut isolated) = (Vec::new(), Vec::new());
        loop {
            // `@unchecked Sendable`, `@retroactive P`: relevant only for type checking.
            let mut actor = None;
            while self.cur.eat("@") {
                let attribute = self.cur.ident();
                actor = attribute.filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())).or(actor);
                if self.cur.here() == b'<' {
                    skip_angles(&mut self.cur);
                }
                if self.cur.here() == b'(' {
                    skip_brackets(&mut self.cur);
                }
            }
            self.cur.eat_word("nonisolated");
            // `class` is the older spelling of `AnyObject`.
            types.push(match self.cur.eat_word("class") {
                true => Type::nominal("AnyObject"),
                false => parse_type(&mut self.cur, &mut self.env, false)?,
            });
            isolated.extend(actor.zip(types.last()).map(|(actor, ty)| (symbol(actor), *ty)));
            if !self.cur.eat(",") {
                return Ok(Inherited { types: types.into(), isolated: isolated.into() });
            }
        }
    }

    /// Parses an optional `where …`.
    pub(super) fn where_clause(&mut self) -> Parse<Box<[Requirement]>> {
        let mut requirements = Vec::new();
        if self.cur.eat_word("where") {
            parse_requirements(&mut self.cur, &mut self.env, 0, &mut requirements)?;
        }
        Ok(requirements.into())
    }

    /// Parses the type of a declared value.
    pub(super) fn formal_type(&mut self) -> Parse<Type> {
        // Otherwise the next declaration would be parsed as the missing type.
        let next = self.cur.peek_word().unwrap_or_default();
        if is_declaration_keyword(next) && !matches!(next, "init" | "actor") {
            return Err(err_here(&self.cur, "expected a type"));
        }
        let at = self.cur.pos();
        if self.cur.looking_at("@escaping") {
            self.misplaced(at, "`@escaping` is only for the type of a parameter".to_owned());
        }
        let ty = parse_type(&mut self.cur, &mut self.env, false)?;
        self.attributes_of_type(at, self.cur.pos());
        Ok(ty)
    }

    /// Records the first attribute in the text of a formal type that is one of lowered types, or unknown.
    pub(super) fn attributes_of_type(&mut self, start: usize, end: usize) {
        let text = self.cur.text().get(start..end).unwrap_or_default();
        if let Some(problem) = attributes::problem_of_type(text) {
            self.misplaced(start, problem);
        }
    }
}

/// Returns true if a word begins a declaration, after its modifiers.
pub(super) fn is_declaration_keyword(word: &str) -> bool {
    matches!(
        word,
        "struct"
            | "class"
            | "actor"
            | "enum"
            | "protocol"
            | "extension"
            | "func"
            | "init"
            | "var"
            | "let"
            | "import"
            | "typealias"
    )
}

fn dotted(ty: Type) -> Option<String> {
    Some(match ty.kind() {
        TypeKind::Named(n) => match n.parent {
            Some(parent) => format!("{}.{}", dotted(parent)?, bare(n.name.as_str())),
            None => bare(n.name.as_str()).as_str().to_owned(),
        },
        TypeKind::Optional(_) => "Optional".to_owned(),
        TypeKind::Array(_) => "Array".to_owned(),
        TypeKind::Dictionary(..) => "Dictionary".to_owned(),
        TypeKind::Paren(t) => return dotted(*t),
        _ => return None,
    })
}

fn not_a_declaration(cur: &Cursor<'_>, at: usize, word: &str) -> SyntaxError {
    if word.is_empty() {
        return err_here(cur, "expected a declaration");
    }
    let error = err_at(at, at + word.len(), format!("expected a declaration, not `{word}`"));
    let statement = matches!(cur.clone().peek(), b'(' | b'=' | b'.' | b'[')
        || matches!(
            word,
            "if" | "for" | "while" | "return" | "guard" | "switch" | "do" | "try" | "repeat" | "defer"
        );
    if statement {
        return error.with_help("a SIL file holds declarations only; statements belong in functions");
    }
    if word == "case" || word == "extension" {
        return error.with_help(if word == "case" {
            "a case is allowed only in an enum"
        } else {
            "an extension is allowed only at file scope"
        });
    }
    error
}
