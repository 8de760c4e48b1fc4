//! The top level of a file: Swift declarations are kept as text, SIL entities are read.
//!
//! Headers are read one after the other; bodies are only measured on the way and then read in
//! parallel, since nothing in a body depends on another.

use crate::body::parse::{BodyParser, ParsedBody};
use crate::cursor::Cursor;
use crate::decl::{Dialect, parse_decls, with_stdlib};
use crate::error::{Parse, SyntaxError, err_at, err_here};
use crate::generics::GenericEnv;
use crate::names::global_name;
use crate::symbols::symbol;
use crate::types::parse_sil_type;
use rayon::prelude::*;
use silkit_base::TextRange;
use silkit_ir::{Attribute, Function, FunctionId, Global, Linkage, Module, SilStage, SwiftText};
use silkit_types::decl::{DeclTable, Declarations};
use silkit_types::{Convention, SilType, Type, TypeKind};
use std::ops::Range;

/// A module with what was wrong with its text.
#[derive(Debug)]
pub struct ParsedModule {
    /// What could be read.
    pub module: Module,
    /// All errors, in the order of the text.
    pub errors: Vec<SyntaxError>,
    /// Where each entity stands, in the order of the text.
    pub layout: Vec<Placed>,
}

/// An entity of a file and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Which one it is.
    pub entity: Entity,
    /// From its first word to its end, without the comments around it.
    pub range: TextRange,
}

/// An entity of a file, by its kind and number among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entity {
    /// `sil_stage`.
    Stage,
    /// Swift declarations.
    Swift(usize),
    /// `sil`.
    Function(FunctionId),
    /// `sil_global`.
    Global(usize),
    /// `sil_vtable`.
    VTable(usize),
    /// `sil_witness_table`.
    WitnessTable(usize),
    /// `sil_default_witness_table`.
    DefaultWitnessTable(usize),
    /// `sil_default_override_table`.
    DefaultOverrideTable(usize),
    /// `sil_differentiability_witness`.
    DifferentiabilityWitness(usize),
    /// `sil_property`.
    Property(usize),
    /// `sil_coverage_map`.
    CoverageMap(usize),
    /// `sil_moveonlydeinit`.
    Deinit(usize),
    /// `sil_scope`.
    Scope(usize),
}

/// Reads a file. Never fails: what cannot be read is reported and left out.
pub fn parse_module(text: &str) -> ParsedModule {
    let mut parser = ModuleParser {
        cur: Cursor::new(text),
        env: GenericEnv::new(),
        module: Module::default(),
        errors: Vec::new(),
        bodies: Vec::new(),
        layout: Vec::new(),
    };
    parser.top_level();
    parser.read_bodies();
    parser.errors.sort_by_key(|e| e.range.start);
    ParsedModule { module: parser.module, errors: parser.errors, layout: parser.layout }
}

/// The keywords that begin a SIL entity.
const ENTITIES: &[&str] = &[
    "sil",
    "sil_stage",
    "sil_global",
    "sil_vtable",
    "sil_witness_table",
    "sil_default_witness_table",
    "sil_default_override_table",
    "sil_differentiability_witness",
    "sil_property",
    "sil_coverage_map",
    "sil_moveonlydeinit",
    "sil_scope",
];

pub(super) struct ModuleParser<'a> {
    pub(super) cur: Cursor<'a>,
    pub(super) env: GenericEnv,
    pub(super) module: Module,
    pub(super) errors: Vec<SyntaxError>,
    bodies: Vec<PendingBody>,
    layout: Vec<Placed>,
}

/// A body that was found and not read yet.
struct PendingBody {
    owner: Owner,
    range: Range<usize>,
    ty: SilType,
}

enum Owner {
    Function(silkit_ir::FunctionId),
    Global(usize),
}

impl ModuleParser<'_> {
    fn top_level(&mut self) {
        loop {
            let swift_start = self.cur.pos();
            self.skip_swift();
            self.keep_swift(swift_start..self.cur.pos());
            if self.cur.at_end() {
                return;
            }
            let start = self.cur.pos();
            let word = self.cur.ident().unwrap_or_default();
            match self.entity(word, start) {
                Ok(()) => self.place(word, start),
                Err(error) => {
                    self.errors.push(error);
                    self.skip_entity();
                }
            }
        }
    }

    /// Notes where the entity stands that was just read.
    fn place(&mut self, word: &str, start: usize) {
        let m = &self.module;
        let entity = match word {
            "sil" => m.functions.keys().next_back().map(Entity::Function),
            "sil_stage" => Some(Entity::Stage),
            "sil_global" => m.globals.len().checked_sub(1).map(Entity::Global),
            "sil_vtable" => m.vtables.len().checked_sub(1).map(Entity::VTable),
            "sil_witness_table" => m.witness_tables.len().checked_sub(1).map(Entity::WitnessTable),
            "sil_default_witness_table" => {
                m.default_witness_tables.len().checked_sub(1).map(Entity::DefaultWitnessTable)
            }
            "sil_default_override_table" => {
                m.default_override_tables.len().checked_sub(1).map(Entity::DefaultOverrideTable)
            }
            "sil_differentiability_witness" => {
                m.differentiability_witnesses.len().checked_sub(1).map(Entity::DifferentiabilityWitness)
            }
            "sil_property" => m.properties.len().checked_sub(1).map(Entity::Property),
            "sil_coverage_map" => m.coverage_maps.len().checked_sub(1).map(Entity::CoverageMap),
            "sil_moveonlydeinit" => m.deinits.len().checked_sub(1).map(Entity::Deinit),
            _ => m.scopes.len().checked_sub(1).map(Entity::Scope),
        };
        let range = TextRange::new(start, self.cur.pos());
        self.layout.extend(entity.map(|entity| Placed { entity, range }));
    }

    fn entity(&mut self, word: &str, start: usize) -> Parse<()> {
        match word {
            "sil" => self.function(),
            "sil_global" => self.global(),
            "sil_stage" => self.stage(start),
            "sil_vtable" => self.vtable(),
            "sil_witness_table" => self.witness_table(),
            "sil_default_witness_table" => self.default_witness_table(),
            "sil_default_override_table" => self.default_override_table(),
            "sil_differentiability_witness" => self.differentiability_witness(),
            "sil_property" => self.property(),
            "sil_coverage_map" => self.coverage_map(),
            "sil_moveonlydeinit" => self.deinit(),
            "sil_scope" => self.scope(),
            _ => Err(err_at(start, start + word.len(), format!("unknown entity `{word}`"))),
        }
    }

    /// Moves to the next SIL entity that begins a line outside of Swift's braces, or to the end.
    fn skip_swift(&mut self) {
        let mut depth = 0usize;
        let mut line_start = true;
        while self.cur.pos() < self.cur.end() {
            let before = self.cur.pos();
            if depth == 0 && line_start {
                let mut ahead = self.cur.clone();
                if ahead.peek() == b's' && ahead.ident().is_some_and(|w| ENTITIES.contains(&w)) {
                    self.cur.skip_trivia();
                    return;
                }
            }
            line_start = false;
            match self.cur.here() {
                b'\n' => line_start = true,
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                b'"' if self.cur.string().is_some() => continue,
                b'/' => {
                    let mut ahead = self.cur.clone();
                    ahead.skip_trivia();
                    if ahead.pos() > before {
                        self.cur.set_pos(ahead.pos());
                        line_start = true;
                        continue;
                    }
                }
                _ => {}
            }
            self.cur.set_pos(before + 1);
        }
    }

    /// Keeps the declarations of a stretch of text; comments after the last one belong to what follows.
    fn keep_swift(&mut self, range: Range<usize>) {
        let whole = self.cur.text().get(range.clone()).unwrap_or_default();
        let mut end = 0;
        let mut at = 0;
        let mut scan = Cursor::in_range(self.cur.text(), range.clone());
        // The end of the last line that holds more than comments.
        for line in whole.split_inclusive('\n') {
            scan.set_pos(range.start + at);
            scan.skip_trivia();
            at += line.len();
            if scan.pos() < range.start + at && scan.pos() < range.end {
                end = at;
            }
        }
        // Comments before the first declaration are not part of it.
        scan.set_pos(range.start);
        scan.skip_trivia();
        let start = scan.pos();
        let text = self.cur.text().get(start..range.start + end).unwrap_or_default().trim_end();
        if text.is_empty() {
            return;
        }
        let range = TextRange::new(start, start + text.len());
        self.layout.push(Placed { entity: Entity::Swift(self.module.swift.len()), range });
        self.module.swift.push(SwiftText { text: text.into(), range });
    }

    /// After an error: to the end of the line, and of the braces that were opened on it.
    fn skip_entity(&mut self) {
        let line_end = self.cur.line_end();
        let opens =
            self.cur.text().get(self.cur.pos()..line_end).unwrap_or_default().trim_end().ends_with('{');
        self.cur.set_pos(line_end);
        if opens {
            let rest = self.cur.text().get(line_end..).unwrap_or_default();
            let end = rest.find("\n}").map_or(self.cur.end(), |n| line_end + n + 2);
            self.cur.set_pos(end);
        }
    }

    fn stage(&mut self, start: usize) -> Parse<()> {
        let stage = match self.cur.ident() {
            Some("raw") => SilStage::Raw,
            Some("canonical") => SilStage::Canonical,
            Some("lowered") => SilStage::Lowered,
            _ => return Err(err_here(&self.cur, "expected `raw`, `canonical` or `lowered`")),
        };
        if self.module.stage.is_some() {
            return Err(err_at(start, self.cur.pos(), "sil_stage was already given"));
        }
        self.module.stage = Some(stage);
        Ok(())
    }

    pub(super) fn linkage(&mut self) -> Linkage {
        let word = self.cur.peek_word().unwrap_or_default();
        let found = Linkage::SPELLED.iter().find(|l| l.spelling() == word);
        if found.is_some() {
            self.cur.ident();
        }
        found.copied().unwrap_or_default()
    }

    /// Reads `[word …]`s.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        let mut attributes = Vec::new();
        while self.cur.peek() == b'[' {
            let text = self.bracketed()?;
            let key = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            attributes.push(Attribute { key: symbol(key), text: symbol(text) });
        }
        Ok(attributes)
    }

    /// Reads balanced brackets; gives what is between them.
    fn bracketed(&mut self) -> Parse<&'static str> {
        let start = self.cur.pos();
        let mut depth = 0usize;
        loop {
            match self.cur.here() {
                b'[' => depth += 1,
                b']' => depth -= 1,
                b'"' => {
                    if self.cur.string().is_none() {
                        return Err(err_here(&self.cur, "unterminated string"));
                    }
                    continue;
                }
                b'\n' | 0 => return Err(err_at(start, start + 1, "this `[` is not closed on its line")),
                _ => {}
            }
            self.cur.set_pos(self.cur.pos() + 1);
            if depth == 0 {
                let text = self.cur.text().get(start + 1..self.cur.pos() - 1).unwrap_or_default();
                return Ok(symbol(text).as_str());
            }
        }
    }

    fn function(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.attributes()?;
        self.cur.skip_trivia();
        let name_start = self.cur.pos();
        let name = global_name(&mut self.cur)?;
        let name_range = TextRange::new(name_start, self.cur.pos());
        self.expect(":")?;
        let ty = parse_sil_type(&mut self.cur, &mut self.env)?;
        let ty = thin_by_default(ty);
        let mut effects = Vec::new();
        let has_body = self.cur.eat("{");
        let open = self.cur.pos();
        while self.cur.peek() == b'[' {
            effects.push(symbol(self.bracketed()?));
        }
        let function = Function { name, linkage, attributes, ty, effects, body: None, name_range };
        let id = self.module.functions.push(function);
        if has_body {
            self.pending_body(Owner::Function(id), ty, open)?;
        }
        Ok(())
    }

    fn global(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.attributes()?;
        let name = global_name(&mut self.cur)?;
        self.expect(":")?;
        let ty = parse_sil_type(&mut self.cur, &mut self.env)?;
        self.module.globals.push(Global { name, linkage, attributes, ty, initializer: None });
        if self.cur.eat("=") {
            self.expect("{")?;
            let open = self.cur.pos();
            self.pending_body(Owner::Global(self.module.globals.len() - 1), ty, open)?;
        }
        Ok(())
    }

    /// Notes where a body is and moves behind it; `open` is the offset after its brace.
    fn pending_body(&mut self, owner: Owner, ty: SilType, open: usize) -> Parse<()> {
        let start = self.cur.pos();
        let end =
            self.body_end(start).ok_or_else(|| err_at(open - 1, open, "this body is never closed by `}`"))?;
        self.cur.set_pos(end);
        self.bodies.push(PendingBody { owner, range: start..end, ty });
        Ok(())
    }

    /// The offset after the `}` that closes a body. Printed bodies close at the start of a line.
    fn body_end(&self, start: usize) -> Option<usize> {
        let text = self.cur.text();
        let first_line = text.get(start..self.cur.line_end()).unwrap_or_default();
        if first_line.contains('}') && !first_line.trim_start().starts_with("//") {
            let mut cur = self.cur.clone();
            let mut depth = 1usize;
            while depth > 0 {
                match cur.peek() {
                    0 => return None,
                    b'"' if cur.string().is_some() => continue,
                    b'{' => depth += 1,
                    b'}' => depth -= 1,
                    _ => {}
                }
                cur.set_pos(cur.pos() + 1);
            }
            return Some(cur.pos());
        }
        memchr::memmem::find(&text.as_bytes()[start..self.cur.end()], b"\n}").map(|n| start + n + 2)
    }

    pub(super) fn expect(&mut self, punctuation: &'static str) -> Parse<()> {
        crate::types::expect(&mut self.cur, punctuation)
    }

    /// What the file declares, and what it imports.
    fn declarations(&mut self) -> Declarations {
        let mut table = DeclTable::new();
        for swift in &self.module.swift {
            let parsed = parse_decls(self.cur.text(), swift.range.as_usize(), Dialect::Sil);
            table.append(parsed.table);
            self.errors.extend(parsed.errors);
        }
        with_stdlib(table)
    }

    fn read_bodies(&mut self) {
        let text = self.cur.text();
        let declarations = self.declarations();
        let facts = &declarations;
        let bodies: Vec<ParsedBody> = self
            .bodies
            .par_iter()
            .map(|pending| {
                let mut env = GenericEnv::new();
                if let Some(sig) = pending.ty.ty().as_function().and_then(|f| f.sig) {
                    env.push(sig);
                }
                let parser = BodyParser::new(Cursor::in_range(text, pending.range.clone()), &mut env, facts);
                match pending.owner {
                    Owner::Function(_) => parser.function(),
                    Owner::Global(_) => parser.initializer(),
                }
            })
            .collect();
        for (pending, parsed) in std::mem::take(&mut self.bodies).into_iter().zip(bodies) {
            self.errors.extend(parsed.errors);
            match pending.owner {
                Owner::Function(id) => self.module.functions[id].body = Some(parsed.body),
                Owner::Global(index) => self.module.globals[index].initializer = Some(parsed.body),
            }
        }
    }
}

/// A function is never thick: `$() -> ()` of a declaration means the thin type.
fn thin_by_default(ty: SilType) -> SilType {
    match ty.ty().as_function() {
        Some(f) if f.convention == Convention::Thick => {
            let thin = silkit_types::FunctionType { convention: Convention::Thin, ..f.clone() };
            ty.with_type(Type::new(TypeKind::Function(Box::new(thin))))
        }
        _ => ty,
    }
}
