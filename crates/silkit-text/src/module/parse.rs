//! The parser of whole files: Swift declarations are kept as text, SIL entities are parsed.
//!
//! Headers are parsed sequentially, skipping bodies, which are then parsed in parallel, since they do not depend on
//! each other.

use super::ahead::{self, Ahead, Chunk};
use super::body_end::{BodyEnd, Openers, begins_entity, scan_line, unclosed_comment};
use crate::body::parse::{BodyParser, ParsedBody};
use crate::cursor::Cursor;
use crate::decl::formal::FormalTypes;
use crate::decl::{self, Dialect, parse_decls, with_stdlib};
use crate::effects::parse_effects_at;
use crate::error::{Parse, SyntaxError, err_at, err_here, err_unknown};
use crate::existential::Protocols;
use crate::generic_env::GenericEnv;
use crate::line_endings::{BYTE_ORDER_MARK, with_line_feeds};
use crate::names::global_name;
use crate::options::ParseOptions;
use crate::source_map::{BodySourceMap, MappedText, ModuleSourceMap, PlacedEntity, SourceEntity};
use crate::types::parse_sil_type;
use rayon::prelude::*;
use silkit_base::{Entity as _, TextRange};
use silkit_ir::conventions::Addresses;
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{
    Body, Editor, Function, FunctionEffects, FunctionFlags, FunctionId, Global, GlobalId, Linkage, Module,
    SilStage, SwiftText, VTableId, WitnessEntry, WitnessTableId,
};
use silkit_types::decl::DeclTable;
use silkit_types::{Convention, SilType, Type, TypeFacts, TypeKind, WithOpaqueValues};
use std::ops::Range;

/// A parsed module with its errors.
#[derive(Debug)]
pub struct ParsedModule {
    /// The module, as far as it could be parsed.
    pub module: Module,
    /// The positions of its entities in the text.
    pub source_map: ModuleSourceMap,
    /// All errors, in text order.
    pub errors: Vec<SyntaxError>,
    /// The declarations of the module's Swift text, for [`declarations_of`](decl::declarations_of). `None` if the text is
    /// in several pieces: the ranges of the declarations refer to the joined text.
    pub declared: Option<DeclTable>,
}

impl ParsedModule {
    /// Returns the source text with the positions of the entities.
    pub fn source<'a>(&'a self, text: &'a str) -> MappedText<'a> {
        MappedText { text, map: &self.source_map }
    }
}

/// Parses a file. Never fails: errors are reported, and invalid entities are left out.
pub fn parse_module(text: &str) -> ParsedModule {
    parse_module_with(text, &ParseOptions::default())
}

/// Parses a file with options.
pub fn parse_module_with(text: &str, options: &ParseOptions) -> ParsedModule {
    let openers = Openers::of(text);
    let unclosed = unclosed_comment(text, &openers);
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let cur = Cursor::in_range(text, start..unclosed.unwrap_or(text.len()));
    let mut parser = ModuleParser::new(cur.clone(), Protocols::new(decl::stdlib_alone()), &openers);
    parser.top_level();
    if parser.late_protocols {
        // Entities before the declaration of a protocol need to know of it as well.
        let protocols = parser.env.protocols.take().unwrap_or_else(|| Protocols::new(decl::stdlib_alone()));
        parser = ModuleParser::new(cur, protocols, &openers);
        parser.top_level();
    }
    if let Some(at) = unclosed {
        parser.errors.push(err_at(at, at + 2, "unterminated comment: expected `*/`"));
    }
    parser.read_bodies(options);
    parser.errors.sort_by_key(|e| e.range.start);
    let ModuleParser { mut module, source_map, errors, mut declared, swift_start, is_shortened, .. } = parser;
    module.note_serialized();
    declared.move_back(swift_start.unwrap_or_default());
    let declared = Some(declared).filter(|_| module.swift.len() < 2 && !is_shortened);
    ParsedModule { module, source_map, errors, declared }
}

/// The keywords that begin a SIL entity.
pub(crate) const ENTITIES: &[&str] = &[
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
    pub(super) openers: &'a Openers,
    pub(super) bodies: Vec<PendingBody>,
    pub(super) source_map: ModuleSourceMap,
    /// The declarations in the Swift text.
    declared: DeclTable,
    /// The offset of the first Swift text.
    swift_start: Option<usize>,
    /// True if line ends of the Swift text were replaced by shorter ones.
    is_shortened: bool,
    /// True if a protocol is declared after an entity that may refer to it.
    late_protocols: bool,
}

/// A body that was skipped and not parsed yet.
pub(super) struct PendingBody {
    pub(super) owner: Owner,
    range: Range<usize>,
    ty: SilType,
}

pub(super) enum Owner {
    Function(FunctionId),
    Global(GlobalId),
}

impl<'a> ModuleParser<'a> {
    pub(super) fn new(cur: Cursor<'a>, protocols: Protocols, openers: &'a Openers) -> Self {
        Self {
            cur,
            openers,
            env: GenericEnv::with_protocols(protocols),
            module: Module::default(),
            errors: Vec::new(),
            bodies: Vec::new(),
            source_map: ModuleSourceMap::default(),
            declared: DeclTable::new(),
            swift_start: None,
            is_shortened: false,
            late_protocols: false,
        }
    }

    /// Parses declarations and entities up to the end. Returns the number of chunks that were parsed ahead.
    pub(super) fn top_level(&mut self) -> usize {
        let (mut ahead, mut taken) = (None, 0);
        loop {
            self.swift();
            if self.cur.at_end() {
                return taken;
            }
            let start = self.cur.pos();
            // Declarations usually precede all entities except `sil_stage`, so the protocols are complete here.
            if ahead.is_none() && ahead::is_ahead(self.cur.peek_word().unwrap_or_default()) {
                let found = ahead.insert(Ahead::of(self));
                let count = found.function_count();
                self.module.functions.reserve(count);
                self.bodies.reserve(count);
            }
            if let Some(chunk) = ahead.as_mut().and_then(|ahead| ahead.take(self)) {
                self.append(chunk);
                taken += 1;
                continue;
            }
            let word = self.cur.ident().unwrap_or_default();
            match self.entity(word, start) {
                Ok(()) => self.place(word, start),
                Err(error) => {
                    self.errors.push(error);
                    self.skip_entity(start);
                }
            }
        }
    }

    /// Adds entities that were parsed ahead.
    fn append(&mut self, chunk: Chunk) {
        self.cur.set_pos(chunk.end);
        let Chunk { mut module, source_map, bodies, .. } = chunk;
        let own = &mut self.module;
        let (functions, globals) = (own.functions.len(), own.globals.len());
        let (vtables, witnesses) = (own.vtables.len(), own.witness_tables.len());
        let function = |id: FunctionId| FunctionId::from_index(functions + id.index());
        let global = |id: GlobalId| GlobalId::from_index(globals + id.index());
        self.source_map.entities.extend(source_map.entities.into_iter().map(
            |PlacedEntity { entity, range }| {
                let entity = match entity {
                    SourceEntity::Function(id) => SourceEntity::Function(function(id)),
                    SourceEntity::Global(id) => SourceEntity::Global(global(id)),
                    SourceEntity::VTable(id) => {
                        SourceEntity::VTable(VTableId::from_index(vtables + id.index()))
                    }
                    SourceEntity::WitnessTable(id) => {
                        SourceEntity::WitnessTable(WitnessTableId::from_index(witnesses + id.index()))
                    }
                    other => unreachable!("invariant: {other:?} is not parsed ahead"),
                };
                PlacedEntity { entity, range }
            },
        ));
        source_map.names.into_values().for_each(|name| _ = self.source_map.names.push(name));
        self.bodies.extend(bodies.into_iter().map(|body| {
            let owner = match body.owner {
                Owner::Function(id) => Owner::Function(function(id)),
                Owner::Global(id) => Owner::Global(global(id)),
            };
            PendingBody { owner, ..body }
        }));
        module.functions.take().into_values().for_each(|f| _ = own.functions.push(f));
        module.globals.take().into_values().for_each(|g| _ = own.globals.push(g));
        module.vtables.take().into_values().for_each(|table| _ = own.vtables.push(table));
        module.witness_tables.take().into_values().for_each(|table| _ = own.witness_tables.push(table));
    }

    /// Records the position of the entity that was just parsed.
    pub(super) fn place(&mut self, word: &str, start: usize) {
        let m = &self.module;
        let entity = match word {
            "sil" => m.functions.keys().next_back().map(SourceEntity::Function),
            "sil_stage" => Some(SourceEntity::Stage),
            "sil_global" => m.globals.keys().next_back().map(SourceEntity::Global),
            "sil_vtable" => m.vtables.keys().next_back().map(SourceEntity::VTable),
            "sil_witness_table" => m.witness_tables.keys().next_back().map(SourceEntity::WitnessTable),
            "sil_default_witness_table" => {
                m.default_witness_tables.keys().next_back().map(SourceEntity::DefaultWitnessTable)
            }
            "sil_default_override_table" => {
                m.default_override_tables.len().checked_sub(1).map(SourceEntity::DefaultOverrideTable)
            }
            "sil_differentiability_witness" => {
                m.differentiability_witnesses.len().checked_sub(1).map(SourceEntity::DifferentiabilityWitness)
            }
            "sil_property" => m.properties.len().checked_sub(1).map(SourceEntity::Property),
            "sil_coverage_map" => m.coverage_maps.len().checked_sub(1).map(SourceEntity::CoverageMap),
            "sil_moveonlydeinit" => m.deinits.len().checked_sub(1).map(SourceEntity::Deinit),
            _ => m.scopes.len().checked_sub(1).map(SourceEntity::Scope),
        };
        let range = TextRange::new(start, self.cur.pos());
        self.source_map.entities.extend(entity.map(|entity| PlacedEntity { entity, range }));
    }

    pub(super) fn entity(&mut self, word: &str, start: usize) -> Parse<()> {
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

    /// Moves to the next SIL entity at the start of a line outside of Swift braces, or to the end; records the
    /// declarations before it.
    fn swift(&mut self) {
        self.cur.skip_trivia();
        let start = self.cur.pos();
        let mut end = start;
        let mut line_start = true;
        let mut unclosed = None;
        while self.cur.pos() < self.cur.end() {
            let before = self.cur.pos();
            if line_start && begins_entity(&self.cur) {
                break;
            }
            // Comments after the last declaration belong to the next entity, unless they are on the same line.
            self.cur.skip_trivia();
            if self.cur.pos() > before {
                let skipped = self.cur.text().get(before..self.cur.pos()).unwrap_or_default();
                if !line_start {
                    end = before + rest_of_line(skipped).len();
                }
                line_start = skipped.contains(['\n', '\r']);
                continue;
            }
            if unclosed.is_some() || !decl::scan::skip_token(&mut self.cur) {
                unclosed = unclosed.or(Some(before));
                self.cur.set_pos(before + 1);
            }
            end = self.cur.pos();
            line_start = false;
        }
        let reported = self.errors.len();
        self.keep_swift(start..end);
        if let Some(at) = unclosed.filter(|_| self.errors.len() == reported) {
            self.errors.push(err_at(at, at + 1, "unterminated: expected the closing bracket"));
        }
    }

    /// Records the declarations in a range of text.
    fn keep_swift(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let parsed = parse_decls(self.cur.text(), range.clone(), Dialect::Sil);
        let text = self.cur.text().get(range.clone()).unwrap_or_default();
        let is_late = !self.module.differentiability_witnesses.is_empty();
        let synthesized = is_late && declares_synthesized_type(text);
        let whole = [TextRange::new(range.start, range.end)];
        self.swift_start.get_or_insert(range.start);
        for &range in if synthesized { &*parsed.ranges } else { &whole } {
            let text = self.cur.text().get(range.as_usize()).unwrap_or_default().trim_end();
            let entity = SourceEntity::Swift(self.module.swift.len());
            self.source_map.entities.push(PlacedEntity { entity, range });
            let kept = with_line_feeds(text);
            self.is_shortened |= kept.len() < text.len();
            self.module.swift.push(SwiftText { text: kept.into(), synthesized });
        }
        self.errors.extend(parsed.errors);
        let has_protocols = self
            .env
            .protocols
            .get_or_insert_with(|| Protocols::new(decl::stdlib_alone()))
            .declare(&parsed.table);
        self.late_protocols |= has_protocols && self.source_map.entities.iter().any(|p| p.names_types());
        self.declared.append(parsed.table);
    }

    /// Recovers from an error: skips to the end of the entity's first line, and past the braces that were opened on
    /// it.
    fn skip_entity(&mut self, start: usize) {
        let mut depth = 0;
        self.cur.set_pos(start);
        let is_closed = scan_line(&mut self.cur, &mut depth);
        if depth > 0 && !is_closed {
            let (BodyEnd::Closed(end) | BodyEnd::Open(end)) = self.openers.body_end(&self.cur, depth);
            self.cur.set_pos(end);
        }
    }

    fn stage(&mut self, start: usize) -> Parse<()> {
        let Some(stage) = self.cur.ident().and_then(SilStage::spelled) else {
            return Err(err_here(&self.cur, "expected `raw`, `canonical` or `lowered`"));
        };
        if self.module.stage.is_some() {
            return Err(err_at(start, self.cur.pos(), "`sil_stage` is given twice"));
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

    fn function(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let mut attributes = self.function_attributes()?;
        self.cur.skip_trivia();
        let name_start = self.cur.pos();
        if let Some(word) = self.cur.peek_word() {
            let known = Linkage::SPELLED.iter().map(|linkage| linkage.spelling());
            let error = err_unknown(name_start, word, format!("unknown linkage `{word}`"), known);
            if error.help.is_some() {
                return Err(error);
            }
        }
        let name = global_name(&mut self.cur)?;
        let name_range = TextRange::new(name_start, self.cur.pos());
        self.expect(":")?;
        self.cur.skip_trivia();
        let at = self.cur.clone();
        let ty = parse_sil_type(&mut self.cur, &mut self.env)?;
        if ty.is_address() || ty.ty().as_function().is_none() {
            return Err(err_here(
                &at,
                "expected the type of a function, such as `$@convention(thin) () -> ()`",
            ));
        }
        let ty = thin_by_default(ty);
        let opens = self.cur.eat("{");
        let open = self.cur.pos();
        let effects = self.effects()?;
        // A function without blocks is a declaration, even if braces contain effects.
        let has_body = opens && !self.cur.eat("}");
        if !has_body {
            // Only definitions have ownership.
            attributes.flags.remove(FunctionFlags::OSSA);
        }
        let function = Function { name, linkage, attributes, ty, effects, body: None };
        let id = self.module.functions.push(function);
        self.source_map.names.push(name_range);
        if has_body {
            self.pending_body(Owner::Function(id), ty, open)?;
        }
        Ok(())
    }

    /// Parses the effects of a function. An error in one is reported, and parsing continues with the next one.
    fn effects(&mut self) -> Parse<FunctionEffects> {
        let mut effects = FunctionEffects::default();
        while self.cur.peek() == b'[' {
            let start = self.cur.pos() + 1;
            let text = self.bracketed()?;
            self.errors.extend(parse_effects_at(&mut effects, text, start).err());
        }
        Ok(effects)
    }

    fn global(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.global_attributes()?;
        let name = global_name(&mut self.cur)?;
        self.expect(":")?;
        let ty = parse_sil_type(&mut self.cur, &mut self.env)?;
        let id = self.module.globals.push(Global { name, linkage, attributes, ty, initializer: None });
        if self.cur.eat("=") {
            self.expect("{")?;
            let open = self.cur.pos();
            self.pending_body(Owner::Global(id), ty, open)?;
        }
        Ok(())
    }

    /// Records the range of a body and skips it; `open` is the offset after its brace.
    fn pending_body(&mut self, owner: Owner, ty: SilType, open: usize) -> Parse<()> {
        let start = self.cur.pos();
        let (end, is_closed) = match self.openers.body_end(&self.cur, 1) {
            BodyEnd::Closed(end) => (end, true),
            BodyEnd::Open(end) => (end, false),
        };
        self.cur.set_pos(end);
        self.bodies.push(PendingBody { owner, range: start..end, ty });
        if !is_closed {
            self.errors.push(err_at(open - 1, open, "unterminated body: expected `}`"));
        }
        Ok(())
    }

    pub(super) fn expect(&mut self, punctuation: &'static str) -> Parse<()> {
        crate::error::expect(&mut self.cur, punctuation)
    }

    /// Adds the formal types of members that table entries omit.
    fn formal_types(&mut self, formals: &FormalTypes<'_>) {
        for entry in self.module.vtables.values_mut().flat_map(|t| &mut t.entries) {
            entry.formal = match entry.method.data().kinds.first() {
                // A deinitializer overrides by name alone.
                Some(kind) if *kind == "deallocator" => None,
                _ => entry.formal.or_else(|| formals.of(entry.method)),
            };
        }
        let tables =
            self.module.witness_tables.values_mut().chain(self.module.default_witness_tables.values_mut());
        for entry in tables.flat_map(|t| t.entries.iter_mut().flatten()) {
            if let WitnessEntry::Method(method, formal @ None, _) = entry {
                *formal = formals.of(*method);
            }
        }
    }

    fn read_bodies(&mut self, options: &ParseOptions) {
        let text = self.cur.text();
        self.declared.spells_whole_paths = decl::is_printed_by_compiler(&self.module);
        self.declared.is_embedded = decl::is_embedded(&self.module);
        let declarations = with_stdlib(std::mem::take(&mut self.declared));
        let opaque = WithOpaqueValues(&declarations);
        let facts: &dyn TypeFacts = if options.opaque_values { &opaque } else { &declarations };
        let protocols = self.env.protocols.clone().unwrap_or_else(|| Protocols::new(decl::stdlib_alone()));
        let formals = FormalTypes { declarations: &declarations, text, protocols: &protocols };
        let is_printed = declarations.own().spells_whole_paths;
        self.formal_types(&formals);
        let bodies: Vec<ParsedBody> = self
            .bodies
            .par_iter()
            .with_max_len(16)
            .map(|pending| {
                let ty = pending.ty.ty().as_function();
                let protocols = ty.map_or_else(|| protocols.clone(), |f| protocols.keep_bare(f));
                let mut env = GenericEnv::with_protocols(protocols);
                env.in_body = true;
                env.is_printed = is_printed;
                if let Some(sig) = ty.and_then(|f| f.sig) {
                    env.push(sig);
                }
                let parser = BodyParser::new(Cursor::in_range(text, pending.range.clone()), &mut env, facts)
                    .with_formals(&formals)
                    .with_signature(ty.and_then(|f| f.sig));
                match pending.owner {
                    Owner::Function(id) => {
                        parser.with_ownership(self.module.functions[id].has_ossa()).function()
                    }
                    Owner::Global(_) => parser.initializer(),
                }
            })
            .collect();
        self.source_map.functions =
            self.module.functions.values().map(|_| BodySourceMap::default()).collect();
        self.source_map.globals = self.module.globals.keys().map(|_| BodySourceMap::default()).collect();
        for (pending, mut parsed) in std::mem::take(&mut self.bodies).into_iter().zip(bodies) {
            if parsed.errors.is_empty() && parsed.end < pending.range.end {
                // The search for the end and the parser disagree; report it so that no text is dropped silently.
                parsed.errors.push(err_at(
                    parsed.end,
                    pending.range.end,
                    "unexpected text after the end of the body",
                ));
            }
            self.errors.extend(parsed.errors);
            match pending.owner {
                Owner::Function(id) => {
                    let mut body = parsed.body;
                    if parsed.has_forwarding {
                        forget_needless(&mut body, &self.module.functions[id], facts);
                    }
                    self.module.functions[id].body = Some(body);
                    self.source_map.functions[id] = parsed.source_map;
                }
                Owner::Global(index) => {
                    self.module.globals[index].initializer = Some(parsed.body);
                    self.source_map.globals[index] = parsed.source_map;
                }
            }
        }
        self.declared = declarations.into_own();
    }
}

/// Removes forwarding ownership that equals the ownership of the operands.
fn forget_needless(body: &mut Body, function: &Function, facts: &dyn TypeFacts) {
    let context = OwnershipContext::new(function, facts, Addresses::Lowered);
    let needless = BodyOwnership::new(body, context).needless_forwarding();
    let mut editor = Editor::new(body);
    needless.into_iter().for_each(|inst| editor.set_forwarding(inst, None));
}

/// Returns a function type with the thin convention by default: the type of a declared function is never thick, and
/// `$() -> ()` means the thin type.
fn thin_by_default(ty: SilType) -> SilType {
    match ty.ty().as_function() {
        Some(f) if f.convention == Convention::Thick => {
            let thin = silkit_types::FunctionType { convention: Convention::Thin, ..f.clone() };
            ty.with_type(Type::new(TypeKind::Function(Box::new(thin))))
        }
        _ => ty,
    }
}

/// Returns the comments at the beginning of some trivia that are on the same line.
fn rest_of_line(trivia: &str) -> &str {
    let line = trivia.split(['\n', '\r']).next().unwrap_or_default().trim_end();
    let is_closed = line.starts_with("//") || line.matches("/*").count() == line.matches("*/").count();
    if is_closed { line } else { "" }
}

/// Returns true if the first declaration of a text is a type that differentiation synthesizes; the names of these types
/// begin with `_AD__`.
fn declares_synthesized_type(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace().skip_while(|word| word.starts_with('@'));
    matches!(words.next(), Some("enum" | "struct"))
        && words.next().is_some_and(|name| name.starts_with("_AD__"))
}
