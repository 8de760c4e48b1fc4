//! Tables and the smaller entities of a module, read and printed.

mod conformance;
mod entities;
mod scope;
mod vtable;
mod witness_table;

use super::parse::ModuleParser;
use super::print::ModulePrinter;
use crate::error::{Parse, err_here};
use crate::names::global_name;
use crate::symbols::symbol;
use crate::types::signature::parse_generic_sig;
use crate::types::{parse_constraint, parse_type};
use silkit_base::Symbol;
use silkit_ir::Module;
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

    /// Returns true if the `@` here begins the name of a function, not an attribute of a type.
    fn at_function_name(&self) -> bool {
        let mut ahead = self.cur.clone();
        global_name(&mut ahead).is_ok()
            && !matches!(ahead.here(), b' ' if !ends_line(&ahead))
            && ahead.here() != b'('
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
    /// Prints everything that comes after the witness tables.
    pub(super) fn tail(&mut self, module: &Module) {
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
}
