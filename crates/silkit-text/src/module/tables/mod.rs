//! Tables and the smaller entities of a module, parsed and printed.

mod conformance;
mod entities;
mod scope;
mod vtable;
mod witness_table;

use super::parse::ModuleParser;
use super::print::ModulePrinter;
use crate::cursor::is_ident_byte;
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

    /// Parses a dotted name.
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

    /// Parses a signature and enters it.
    fn enter_sig(&mut self) -> Parse<Option<GenericSig>> {
        if self.cur.peek() != b'<' {
            return Ok(None);
        }
        let sig = parse_generic_sig(&mut self.cur, &mut self.env)?;
        self.env.push(sig);
        Ok(Some(sig))
    }

    /// Returns true if the `@` here begins the name of a function, not an attribute of the formal type before it.
    ///
    /// A type goes on after its attribute; after the name of a function comes the next entry, one of `entries` if
    /// it begins with a word, or the end of the table.
    fn at_function_name(&self, entries: &[&str]) -> bool {
        let mut ahead = self.cur.clone();
        if global_name(&mut ahead).is_err() {
            return false;
        }
        let line_end = ahead.line_end();
        match ahead.peek() {
            b'(' | b'<' | b'@' => false,
            byte if is_ident_byte(byte) => {
                ahead.pos() > line_end || ahead.peek_word().is_some_and(|word| entries.contains(&word))
            }
            _ => true,
        }
    }

    pub(super) fn small_number(&mut self) -> Parse<u32> {
        let text = self.cur.integer();
        text.and_then(|t| t.parse().ok()).ok_or_else(|| err_here(&self.cur, "expected a number"))
    }
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
