//! `sil_property`, `sil_moveonlydeinit`, `sil_coverage_map` and `sil_differentiability_witness`, parsed and printed.

use crate::body::parse::BodyParser;
use crate::decl_ref;
use crate::error::{Parse, err_here};
use crate::generic_env::GenericEnv;
use crate::module::parse::ModuleParser;
use crate::module::print::ModulePrinter;
use crate::names::global_name;
use crate::symbols::symbol;
use crate::types::parse_sil_type;
use crate::types::signature::parse_generic_sig;
use silkit_base::Symbol;
use silkit_ir::{CoverageMap, DifferentiabilityWitness, MoveOnlyDeinit, Property};
use silkit_types::GenericSig;

impl ModuleParser<'_> {
    pub(in crate::module) fn differentiability_witness(&mut self) -> Parse<()> {
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
            let mut list: Vec<(Symbol, _, _)> = Vec::new();
            while !self.cur.eat("}") {
                self.cur.skip_trivia();
                let at = self.cur.clone();
                let kind = self.word("`jvp` or `vjp`")?;
                if (kind != "jvp" && kind != "vjp") || list.iter().any(|(first, ..)| *first == kind) {
                    return Err(err_here(&at, "expected `jvp` or `vjp`, each at most once"));
                }
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

    pub(in crate::module) fn property(&mut self) -> Parse<()> {
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

    pub(super) fn component(&mut self, env: &mut GenericEnv) -> Parse<Option<silkit_ir::KeyPathComponent>> {
        if self.cur.looking_at(")") {
            return Ok(None);
        }
        let mut parser = BodyParser::new(self.cur.clone(), env, &silkit_types::NoFacts);
        let component = parser.lone_component();
        self.cur.set_pos(parser.cur.pos());
        component.map(Some)
    }

    pub(in crate::module) fn coverage_map(&mut self) -> Parse<()> {
        let mut names = Vec::new();
        while self.cur.peek() == b'"' {
            let name = self.cur.string().ok_or_else(|| err_here(&self.cur, "unterminated string"))?;
            names.push(symbol(name));
        }
        if names.len() != 3 {
            let message = "expected three strings: a file, a function and its name in profiles";
            return Err(err_here(&self.cur, message));
        }
        let hash = self.cur.integer().map(symbol).ok_or_else(|| err_here(&self.cur, "expected the hash"))?;
        self.cur.skip_trivia();
        self.expect("{")?;
        let mut regions = Vec::new();
        while !self.cur.eat("}") {
            regions.push(symbol(&self.region()?));
        }
        self.module.coverage_maps.push(CoverageMap { names, hash, regions });
        Ok(())
    }

    /// Reads a region of a coverage map, `7:9 -> 7:16 : (0 + 1)`.
    fn region(&mut self) -> Parse<String> {
        self.cur.skip_trivia();
        let start = self.cur.pos();
        self.place_in_file()?;
        self.expect("->")?;
        self.place_in_file()?;
        self.expect(":")?;
        self.counter()?;
        Ok(crate::module::coverage::canonical(&self.cur.on_one_line(start..self.cur.pos())))
    }

    fn place_in_file(&mut self) -> Parse<()> {
        self.small_number()?;
        self.expect(":")?;
        self.small_number()?;
        Ok(())
    }

    /// Skips a counter, `3`, `zero`, `skipped` or a sum in parentheses.
    fn counter(&mut self) -> Parse<()> {
        let mut depth = 0usize;
        loop {
            let is_word = self.cur.integer().is_some() || self.cur.ident().is_some();
            if !is_word {
                self.expect("(")?;
                depth += 1;
                continue;
            }
            while depth > 0 && self.cur.eat(")") {
                depth -= 1;
            }
            if depth == 0 {
                return Ok(());
            }
            if !self.cur.eat("+") {
                self.expect("-")?;
            }
        }
    }

    pub(in crate::module) fn deinit(&mut self) -> Parse<()> {
        let attributes = self.table_attributes()?;
        let of = self.class("the name of a type")?;
        self.expect("{")?;
        let function = global_name(&mut self.cur)?;
        self.expect("}")?;
        self.module.deinits.push(MoveOnlyDeinit { attributes, of, function });
        Ok(())
    }
}

impl ModulePrinter<'_, '_> {
    pub(in crate::module) fn deinit(&mut self, deinit: &MoveOnlyDeinit) {
        self.out.push("sil_moveonlydeinit ");
        self.table_attributes(&deinit.attributes);
        self.class(deinit.of);
        self.out.push(" {\n  ");
        self.out.global_name(deinit.function);
        self.out.push("\t// ");
        self.out.demangled(deinit.function);
        self.out.push("\n}\n\n");
    }

    pub(in crate::module) fn differentiability_witness(&mut self, witness: &DifferentiabilityWitness) {
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

    pub(in crate::module) fn property(&mut self, property: &Property) {
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

    pub(in crate::module) fn coverage_map(&mut self, map: &CoverageMap) {
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
}
