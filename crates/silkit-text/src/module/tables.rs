//! Tables and the smaller entities of a module, read and printed.

use super::parse::ModuleParser;
use super::print::ModulePrinter;
use crate::body::parse::BodyParser;
use crate::decl_ref;
use crate::error::{Parse, err_here};
use crate::generics::{GenericEnv, parse_generic_sig};
use crate::names::{global_name, source_loc};
use crate::symbols::symbol;
use crate::types::{parse_constraint, parse_sil_type, parse_substitutions, parse_type};
use silkit_base::Symbol;
use silkit_ir::{
    ClassRef, Conformance, CoverageMap, DefaultOverrideTable, DifferentiabilityWitness, Linkage, Module,
    MoveOnlyDeinit, Property, Scope, ScopeParent, VTable, VTableEntry, WitnessEntry, WitnessTable,
    WitnessTableOf,
};
use silkit_types::{GenericSig, Type};

impl ModuleParser<'_> {
    fn ty(&mut self) -> Parse<Type> {
        parse_type(&mut self.cur, &mut self.env, false)
    }

    fn protocol(&mut self) -> Parse<Type> {
        parse_constraint(&mut self.cur, &mut self.env)
    }

    pub(super) fn word(&mut self, what: &'static str) -> Parse<Symbol> {
        self.cur.ident().map(symbol).ok_or_else(|| err_here(&self.cur, format!("expected {what}")))
    }

    /// Returns a dotted name.
    fn path(&mut self, what: &'static str) -> Parse<Symbol> {
        self.cur.skip_trivia();
        let start = self.cur.pos();
        self.word(what)?;
        while self.cur.here() == b'.' {
            self.cur.eat(".");
            self.word(what)?;
        }
        Ok(symbol(self.cur.text().get(start..self.cur.pos()).unwrap_or_default()))
    }

    /// Reads a signature and enters it.
    fn enter_sig(&mut self) -> Parse<Option<GenericSig>> {
        if self.cur.peek() != b'<' {
            return Ok(None);
        }
        let sig = parse_generic_sig(&mut self.cur, &mut self.env)?;
        self.env.push(sig);
        Ok(Some(sig))
    }

    pub(super) fn vtable(&mut self) -> Parse<()> {
        let attributes = self.table_attributes()?;
        let class = if self.cur.peek() == b'$' {
            ClassRef::Type(parse_sil_type(&mut self.cur, &mut self.env)?)
        } else {
            ClassRef::Name(self.path("the name of a class")?)
        };
        // A specialized class prints its attributes behind its type too.
        self.expect("{")?;
        let mut entries = Vec::new();
        while !self.cur.eat("}") {
            let method = decl_ref::parse(&mut self.cur, &mut self.env)?;
            self.expect(":")?;
            let mut formal = None;
            if self.cur.peek() != b'@' || !self.at_function_name() {
                let linkage = self.linkage();
                if linkage != Linkage::Default && self.cur.peek() == b'@' {
                    entries.push(self.vtable_entry(method, None, linkage)?);
                    continue;
                }
                formal = Some(self.ty()?);
                self.expect(":")?;
            }
            let linkage = self.linkage();
            entries.push(self.vtable_entry(method, formal, linkage)?);
        }
        self.module.vtables.push(VTable { attributes, class, entries });
        Ok(())
    }

    /// Returns true if the `@` here begins the name of a function, not an attribute of a type.
    fn at_function_name(&self) -> bool {
        let mut ahead = self.cur.clone();
        global_name(&mut ahead).is_ok()
            && !matches!(ahead.here(), b' ' if !ends_line(&ahead))
            && ahead.here() != b'('
    }

    fn vtable_entry(
        &mut self,
        method: silkit_ir::DeclRef,
        formal: Option<Type>,
        linkage: Linkage,
    ) -> Parse<VTableEntry> {
        let function = global_name(&mut self.cur)?;
        let attributes = self.entry_attributes()?;
        Ok(VTableEntry { method, formal, linkage, function, attributes })
    }

    pub(super) fn witness_table(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.table_attributes()?;
        let (conformance, entered) = self.conformance_open()?;
        let entries = self.witness_entries();
        if entered {
            self.env.pop();
        }
        let of = WitnessTableOf::Conformance(conformance);
        self.module.witness_tables.push(WitnessTable { linkage, attributes, of, entries: entries? });
        Ok(())
    }

    pub(super) fn default_witness_table(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.table_attributes()?;
        let of = WitnessTableOf::Protocol(self.protocol()?);
        let entries = self.witness_entries()?;
        self.module.default_witness_tables.push(WitnessTable { linkage, attributes, of, entries });
        Ok(())
    }

    fn conformance(&mut self) -> Parse<Conformance> {
        let (conformance, entered) = self.conformance_open()?;
        if entered {
            self.env.pop();
        }
        Ok(conformance)
    }

    /// Reads a conformance; its signature stays entered where the answer says so.
    fn conformance_open(&mut self) -> Parse<(Conformance, bool)> {
        if self.cur.eat_word("dependent") {
            // Older compilers leave the type out; what follows on the next line is another entry.
            let ends_line = ends_line(&self.cur);
            let here = self.cur.peek();
            let ty = if !ends_line && (crate::cursor::is_ident_byte(here) || here == b'@' || here == b'(') {
                Some(self.ty()?)
            } else {
                None
            };
            return Ok((Conformance::Dependent(ty), false));
        }
        if matches!(self.cur.peek_word(), Some("specialize" | "inherit")) {
            return Ok((self.conformance_of(None)?, false));
        }
        let sig = self.enter_sig()?;
        let result = self.conformance_body(sig);
        match result {
            Ok(conformance) => Ok((conformance, sig.is_some())),
            Err(error) => {
                if sig.is_some() {
                    self.env.pop();
                }
                Err(error)
            }
        }
    }

    fn conformance_body(&mut self, sig: Option<GenericSig>) -> Parse<Conformance> {
        let at = self.cur.clone();
        let ty = self.ty()?;
        if ty == Type::void() {
            return Err(err_here(&at, "`()` conforms to nothing: expected a nominal type"));
        }
        self.expect(":")?;
        if matches!(self.cur.peek_word(), Some("specialize" | "inherit")) {
            return self.conformance_of(Some(ty));
        }
        let protocol = self.protocol()?;
        if !self.cur.eat_word("module") {
            return Ok(Conformance::Abstract { ty, protocol });
        }
        let module = self.word("the name of a module")?;
        Ok(Conformance::Normal { sig, ty, protocol, module })
    }

    fn conformance_of(&mut self, ty: Option<Type>) -> Parse<Conformance> {
        self.env.depth += 1;
        if self.env.depth > 100 {
            return Err(err_here(&self.cur, "this conformance nests too deeply"));
        }
        let is_specialized = self.cur.eat_word("specialize");
        let args = if is_specialized {
            parse_substitutions(&mut self.cur, &mut self.env)?
        } else {
            self.cur.eat_word("inherit");
            Box::default()
        };
        self.expect("(")?;
        let inner = Box::new(self.conformance()?);
        self.expect(")")?;
        self.env.depth -= 1;
        Ok(if is_specialized {
            Conformance::Specialized { ty, args, inner }
        } else {
            Conformance::Inherited { ty, inner }
        })
    }

    fn witness_entries(&mut self) -> Parse<Option<Vec<WitnessEntry>>> {
        if !self.cur.eat("{") {
            return Ok(None);
        }
        let mut entries = Vec::new();
        while !self.cur.eat("}") {
            let word = self
                .cur
                .ident()
                .ok_or_else(|| err_here(&self.cur, "expected an entry of a witness table"))?;
            entries.push(match word {
                "base_protocol" => {
                    let protocol = self.protocol()?;
                    self.expect(":")?;
                    WitnessEntry::Base(protocol, self.conformance()?)
                }
                "method" => self.witness_method_entry()?,
                "associated_type" => {
                    let name = self.path("the name of an associated type")?;
                    self.expect(":")?;
                    WitnessEntry::AssociatedType(name, self.ty()?)
                }
                "associated_conformance" | "associated_type_protocol" => {
                    let (ty, protocol) = self.requirement()?;
                    let conformance = self.conformance()?;
                    let old_spelling = word == "associated_type_protocol";
                    WitnessEntry::AssociatedConformance { old_spelling, ty, protocol, conformance }
                }
                "conditional_conformance" => {
                    let (ty, protocol) = self.requirement()?;
                    WitnessEntry::Conditional(ty, protocol, self.conformance()?)
                }
                "no_default" => WitnessEntry::NoDefault,
                _ => return Err(err_here(&self.cur, format!("unknown entry `{word}` of a witness table"))),
            });
        }
        Ok(Some(entries))
    }

    /// `(T: P):`.
    fn requirement(&mut self) -> Parse<(Type, Type)> {
        self.expect("(")?;
        // An associated type, which may have the name of a protocol: it is no existential for that.
        let protocols = self.env.protocols.take();
        let ty = self.ty();
        self.env.protocols = protocols;
        let ty = ty?;
        self.expect(":")?;
        let protocol = self.protocol()?;
        self.expect(")")?;
        self.expect(":")?;
        Ok((ty, protocol))
    }

    fn witness_method_entry(&mut self) -> Parse<WitnessEntry> {
        let method = decl_ref::parse(&mut self.cur, &mut self.env)?;
        self.expect(":")?;
        if self.cur.eat_word("nil") {
            return Ok(WitnessEntry::Method(method, None, None));
        }
        let mut formal = None;
        if self.cur.peek() != b'@' || !self.at_function_name() {
            formal = Some(self.ty()?);
            self.expect(":")?;
        }
        if self.cur.eat_word("nil") {
            return Ok(WitnessEntry::Method(method, formal, None));
        }
        Ok(WitnessEntry::Method(method, formal, Some(global_name(&mut self.cur)?)))
    }

    pub(super) fn default_override_table(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let class = self.path("the name of a class")?;
        self.expect("{")?;
        let mut entries = Vec::new();
        while !self.cur.eat("}") {
            let replacement = decl_ref::parse(&mut self.cur, &mut self.env)?;
            self.expect(":")?;
            let original = decl_ref::parse(&mut self.cur, &mut self.env)?;
            self.expect(":")?;
            let mut formal = None;
            if self.cur.peek() != b'@' || !self.at_function_name() {
                formal = Some(self.ty()?);
                self.expect(":")?;
            }
            entries.push((replacement, original, formal, global_name(&mut self.cur)?));
        }
        self.module.default_override_tables.push(DefaultOverrideTable { linkage, class, entries });
        Ok(())
    }

    pub(super) fn differentiability_witness(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.witness_attributes()?;
        let sig = if self.cur.peek() == b'<' {
            Some(parse_generic_sig(&mut self.cur, &mut self.env)?)
        } else {
            None
        };
        let function = global_name(&mut self.cur)?;
        self.expect(":")?;
        let ty = parse_sil_type(&mut self.cur, &mut self.env)?;
        let mut derivatives = None;
        if self.cur.eat("{") {
            let mut list = Vec::new();
            while !self.cur.eat("}") {
                let kind = self.word("`jvp` or `vjp`")?;
                self.expect(":")?;
                let name = global_name(&mut self.cur)?;
                self.expect(":")?;
                list.push((kind, name, parse_sil_type(&mut self.cur, &mut self.env)?));
            }
            derivatives = Some(list);
        }
        let witness = DifferentiabilityWitness { linkage, attributes, sig, function, ty, derivatives };
        self.module.differentiability_witnesses.push(witness);
        Ok(())
    }

    pub(super) fn property(&mut self) -> Parse<()> {
        let attributes = self.table_attributes()?;
        let decl = decl_ref::parse(&mut self.cur, &mut self.env)?;
        let sig = self.enter_sig()?;
        self.expect("(")?;
        let mut env = std::mem::take(&mut self.env);
        (env.renames, env.in_body) = (true, true);
        let outcome = self.component(&mut env);
        (env.renames, env.in_body) = (false, false);
        self.env = env;
        if sig.is_some() {
            self.env.pop();
        }
        let component = outcome?;
        self.expect(")")?;
        let sig = sig.map(GenericSig::canonical);
        self.module.properties.push(Property { attributes, decl, sig, component });
        Ok(())
    }

    fn component(&mut self, env: &mut GenericEnv) -> Parse<Option<silkit_ir::KeyPathComponent>> {
        if self.cur.looking_at(")") {
            return Ok(None);
        }
        let mut parser = BodyParser::new(self.cur.clone(), env, &silkit_types::NoFacts);
        let component = parser.lone_component();
        self.cur.set_pos(parser.cur.pos());
        component.map(Some)
    }

    pub(super) fn coverage_map(&mut self) -> Parse<()> {
        let mut names = Vec::new();
        while self.cur.peek() == b'"' {
            let name = self.cur.string().ok_or_else(|| err_here(&self.cur, "this string is not closed"))?;
            names.push(symbol(name));
        }
        let hash = self.cur.integer().map(symbol).ok_or_else(|| err_here(&self.cur, "expected the hash"))?;
        self.cur.skip_trivia();
        self.expect("{")?;
        let mut regions = Vec::new();
        while !self.cur.eat("}") {
            let start = {
                self.cur.skip_trivia();
                self.cur.pos()
            };
            let end = self.cur.line_end();
            if start >= end {
                return Err(err_here(&self.cur, "expected `}` at the end of the coverage map"));
            }
            let line = self.cur.text().get(start..end).unwrap_or_default();
            let line = line.split("//").next().unwrap_or_default();
            regions.push(symbol(&super::coverage::canonical(line)));
            self.cur.set_pos(end);
        }
        self.module.coverage_maps.push(CoverageMap { names, hash, regions });
        Ok(())
    }

    pub(super) fn deinit(&mut self) -> Parse<()> {
        let attributes = self.table_attributes()?;
        let nominal = self.path("the name of a type")?;
        self.expect("{")?;
        let function = global_name(&mut self.cur)?;
        self.expect("}")?;
        self.module.deinits.push(MoveOnlyDeinit { attributes, nominal, function });
        Ok(())
    }

    pub(super) fn scope(&mut self) -> Parse<()> {
        let id = self.small_number()?;
        self.expect("{")?;
        let mut scope = Scope { id, loc: None, parent: None, inlined_at: None };
        while !self.cur.eat("}") {
            match self.cur.ident() {
                Some("loc") => scope.loc = Some(source_loc(&mut self.cur)?),
                Some("parent") if self.cur.peek() == b'@' => {
                    let name = global_name(&mut self.cur)?;
                    self.expect(":")?;
                    let ty = parse_sil_type(&mut self.cur, &mut self.env)?;
                    scope.parent = Some(ScopeParent::Function(name, ty));
                }
                Some("parent") => scope.parent = Some(ScopeParent::Scope(self.small_number()?)),
                Some("inlined_at") => scope.inlined_at = Some(self.small_number()?),
                _ => return Err(err_here(&self.cur, "expected `loc`, `parent` or `inlined_at`")),
            }
        }
        self.module.scopes.push(scope);
        Ok(())
    }

    pub(super) fn small_number(&mut self) -> Parse<u32> {
        let text = self.cur.integer();
        text.and_then(|t| t.parse().ok()).ok_or_else(|| err_here(&self.cur, "expected a number"))
    }
}

/// Returns true if only white space, a comment or attributes follow on the line.
fn ends_line(cur: &crate::cursor::Cursor<'_>) -> bool {
    let line = cur.text().get(cur.pos()..cur.line_end()).unwrap_or_default().trim_start();
    line.is_empty() || line.starts_with("//") || line.starts_with('[')
}

impl ModulePrinter<'_, '_> {
    /// Prints everything that comes after the functions.
    pub(super) fn tables(&mut self, module: &Module) {
        for table in module.vtables.values() {
            self.vtable(table);
        }
        for table in module.witness_tables.values() {
            self.witness_table("sil_witness_table ", table);
        }
        for table in module.default_witness_tables.values() {
            self.witness_table("sil_default_witness_table ", table);
        }
        for table in &module.default_override_tables {
            self.override_table(table);
        }
        for map in &module.coverage_maps {
            self.coverage_map(map);
        }
        for property in &module.properties {
            self.property(property);
        }
        for deinit in &module.deinits {
            self.deinit(deinit);
        }
    }

    pub(super) fn deinit(&mut self, deinit: &MoveOnlyDeinit) {
        self.out.push("sil_moveonlydeinit ");
        self.table_attributes(&deinit.attributes);
        self.out.push(deinit.nominal.as_str());
        self.out.push(" {\n  ");
        self.out.global_name(deinit.function);
        self.out.push("\t// ");
        self.out.demangled(deinit.function);
        self.out.push("\n}\n\n");
    }

    pub(super) fn vtable(&mut self, table: &VTable) {
        self.out.push("sil_vtable ");
        self.table_attributes(&table.attributes);
        match &table.class {
            ClassRef::Name(name) => self.out.push(name.as_str()),
            ClassRef::Type(ty) => self.out.sil_type(*ty),
        }
        self.out.push(" {\n");
        for entry in &table.entries {
            self.out.push("  ");
            self.out.display(entry.method);
            if let Some(formal) = entry.formal {
                self.out.push(": ");
                self.out.ty(formal);
                self.out.push(" : ");
            } else {
                self.out.push(": ");
            }
            self.linkage(entry.linkage);
            self.out.global_name(entry.function);
            self.entry_attributes(&entry.attributes);
            self.out.push("\t// ");
            self.out.demangled(entry.function);
            self.out.push("\n");
        }
        self.out.push("}\n\n");
    }

    pub(super) fn witness_table(&mut self, keyword: &str, table: &WitnessTable) {
        self.out.push(keyword);
        if table.entries.is_some() || table.linkage != Linkage::PublicExternal {
            self.linkage(table.linkage);
        }
        self.table_attributes(&table.attributes);
        match &table.of {
            WitnessTableOf::Conformance(conformance) => self.conformance(conformance),
            WitnessTableOf::Protocol(protocol) => self.out.ty(*protocol),
        }
        let Some(entries) = &table.entries else {
            self.out.push("\n\n");
            return;
        };
        self.out.push(" {\n");
        for entry in entries {
            self.out.push("  ");
            self.witness_entry(entry);
            self.out.push("\n");
        }
        self.out.push("}\n\n");
    }

    fn witness_entry(&mut self, entry: &WitnessEntry) {
        match entry {
            WitnessEntry::Base(protocol, conformance) => {
                self.out.push("base_protocol ");
                self.out.ty(*protocol);
                self.out.push(": ");
                self.conformance(conformance);
            }
            WitnessEntry::Method(method, formal, function) => {
                self.out.push("method ");
                self.out.display(method);
                self.out.push(": ");
                if let Some(formal) = formal {
                    self.out.ty(*formal);
                    self.out.push(" : ");
                }
                match function {
                    Some(name) => {
                        self.out.global_name(*name);
                        self.out.push("\t// ");
                        self.out.demangled(*name);
                    }
                    None => self.out.push("nil"),
                }
            }
            WitnessEntry::AssociatedType(name, ty) => {
                self.out.push("associated_type ");
                self.out.push(name.as_str());
                self.out.push(": ");
                self.out.ty(*ty);
            }
            WitnessEntry::AssociatedConformance { old_spelling, ty, protocol, conformance } => {
                let keyword =
                    if *old_spelling { "associated_type_protocol (" } else { "associated_conformance (" };
                self.required(keyword, *ty, *protocol, conformance);
            }
            WitnessEntry::Conditional(ty, protocol, conformance) => {
                self.required("conditional_conformance (", *ty, *protocol, conformance);
            }
            WitnessEntry::NoDefault => self.out.push("no_default"),
        }
    }

    fn required(&mut self, keyword: &str, ty: Type, protocol: Type, conformance: &Conformance) {
        self.out.push(keyword);
        self.out.ty(ty);
        self.out.push(": ");
        self.out.ty(protocol);
        self.out.push("): ");
        self.conformance(conformance);
    }

    fn conformance(&mut self, conformance: &Conformance) {
        match conformance {
            Conformance::Normal { sig, ty, protocol, module } => {
                if let Some(sig) = sig {
                    self.out.display(sig);
                    self.out.push(" ");
                }
                self.out.ty(*ty);
                self.out.push(": ");
                self.out.ty(*protocol);
                self.out.push(" module ");
                self.out.push(module.as_str());
            }
            Conformance::Specialized { ty, args, inner } => {
                self.conforming(*ty);
                self.out.push("specialize <");
                for (i, &arg) in args.iter().enumerate() {
                    self.out.push(if i > 0 { ", " } else { "" });
                    self.out.ty(arg);
                }
                self.out.push("> (");
                self.conformance(inner);
                self.out.push(")");
            }
            Conformance::Inherited { ty, inner } => {
                self.conforming(*ty);
                self.out.push("inherit (");
                self.conformance(inner);
                self.out.push(")");
            }
            Conformance::Dependent(ty) => {
                self.out.push("dependent");
                if let Some(ty) = ty {
                    self.out.push(" ");
                    self.out.ty(*ty);
                }
            }
            Conformance::Abstract { ty, protocol } => {
                self.out.ty(*ty);
                self.out.push(": ");
                self.out.ty(*protocol);
            }
        }
    }

    fn conforming(&mut self, ty: Option<Type>) {
        if let Some(ty) = ty {
            self.out.ty(ty);
            self.out.push(": ");
        }
    }

    pub(super) fn override_table(&mut self, table: &DefaultOverrideTable) {
        self.out.push("sil_default_override_table ");
        self.linkage(table.linkage);
        self.out.push(table.class.as_str());
        self.out.push(" {\n");
        for (replacement, original, formal, function) in &table.entries {
            self.out.push("  ");
            self.out.display(replacement);
            self.out.push(": ");
            self.out.display(original);
            self.out.push(": ");
            if let Some(formal) = formal {
                self.out.ty(*formal);
                self.out.push(" : ");
            }
            self.out.global_name(*function);
            self.out.push("\t// ");
            self.out.demangled(*function);
            self.out.push("\n");
        }
        self.out.push("}\n\n");
    }

    pub(super) fn differentiability_witness(&mut self, witness: &DifferentiabilityWitness) {
        self.out.push("// differentiability witness for ");
        self.out.demangled(witness.function);
        self.out.push("\nsil_differentiability_witness ");
        self.linkage(witness.linkage);
        self.witness_attributes(&witness.attributes);
        if let Some(sig) = witness.sig {
            self.out.display(sig);
            self.out.push(" ");
        }
        self.out.global_name(witness.function);
        self.out.push(" : ");
        self.out.sil_type(witness.ty);
        if let Some(derivatives) = &witness.derivatives {
            self.out.push(" {\n");
            for (kind, name, ty) in derivatives {
                self.out.push("  ");
                self.out.push(kind.as_str());
                self.out.push(": ");
                self.out.global_name(*name);
                self.out.push(" : ");
                self.out.sil_type(*ty);
                self.out.push("\n");
            }
            self.out.push("}");
        }
        self.out.push("\n\n");
    }

    pub(super) fn property(&mut self, property: &Property) {
        self.out.push("sil_property ");
        self.table_attributes(&property.attributes);
        self.out.display(property.decl);
        if let Some(sig) = property.sig {
            self.out.display(sig);
        }
        self.out.push(" (");
        if let Some(component) = &property.component {
            let body = silkit_ir::Body::new();
            crate::body::print::BodyPrinter::new(&body, self.out, self.options).component(component);
        }
        self.out.push(")\n");
    }

    pub(super) fn coverage_map(&mut self, map: &CoverageMap) {
        self.out.push("sil_coverage_map");
        for name in &map.names {
            self.out.push(" \"");
            self.out.push(name.as_str());
            self.out.push("\"");
        }
        self.out.push(" ");
        self.out.push(map.hash.as_str());
        self.out.push(" {");
        if let Some(name) = map.names.get(1) {
            self.out.push("\t// ");
            self.out.demangled(*name);
        }
        self.out.push("\n");
        for region in &map.regions {
            self.out.push("  ");
            self.out.push(region.as_str());
            self.out.push("\n");
        }
        self.out.push("}\n\n");
    }

    /// Prints a scope; `number` gives the numbers of scopes, and its own for `None`.
    pub(super) fn scope(&mut self, scope: &Scope, number: impl Fn(Option<u32>) -> u32) {
        self.out.push("sil_scope ");
        self.out.number(number(None));
        self.out.push(" { ");
        if let Some(loc) = scope.loc {
            self.out.push("loc ");
            self.out.source_loc(loc);
        }
        match &scope.parent {
            Some(ScopeParent::Scope(id)) => {
                self.out.push(" parent ");
                self.out.number(number(Some(*id)));
            }
            Some(ScopeParent::Function(name, ty)) => {
                self.out.push(" parent ");
                self.out.global_name(*name);
                self.out.push(" : ");
                self.out.sil_type(*ty);
            }
            None => {}
        }
        if let Some(id) = scope.inlined_at {
            self.out.push(" inlined_at ");
            self.out.number(number(Some(id)));
        }
        self.out.push(" }\n");
    }
}
