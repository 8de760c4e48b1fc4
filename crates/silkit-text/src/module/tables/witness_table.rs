//! `sil_witness_table` and `sil_default_witness_table`, parsed and printed.

use crate::decl_ref;
use crate::error::{Parse, err_here};
use crate::module::parse::ModuleParser;
use crate::module::print::ModulePrinter;
use crate::names::global_name;
use silkit_ir::{Conformance, Linkage, WitnessEntry, WitnessTable, WitnessTableOf};
use silkit_types::Type;

/// The words that begin an entry.
pub(super) const ENTRIES: &[&str] = &[
    "base_protocol",
    "method",
    "associated_type",
    "associated_conformance",
    "associated_type_protocol",
    "conditional_conformance",
    "no_default",
];

impl ModuleParser<'_> {
    pub(in crate::module) fn witness_table(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.table_attributes()?;
        let (conformance, entered) = self.conformance_open()?;
        let entries = match &conformance {
            Conformance::Abstract { .. } => {
                Err(err_here(&self.cur, "expected `module` and the module that declares the conformance"))
            }
            _ => self.witness_entries(),
        };
        if entered {
            self.env.pop();
        }
        let of = WitnessTableOf::Conformance(conformance);
        self.module.witness_tables.push(WitnessTable { linkage, attributes, of, entries: entries? });
        Ok(())
    }

    pub(in crate::module) fn default_witness_table(&mut self) -> Parse<()> {
        let linkage = self.linkage();
        let attributes = self.table_attributes()?;
        let of = WitnessTableOf::Protocol(self.protocol()?);
        let entries = self.witness_entries()?;
        self.module.default_witness_tables.push(WitnessTable { linkage, attributes, of, entries });
        Ok(())
    }

    pub(super) fn witness_entries(&mut self) -> Parse<Option<Vec<WitnessEntry>>> {
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

    /// Parses `(T: P):`.
    pub(super) fn requirement(&mut self) -> Parse<(Type, Type)> {
        self.expect("(")?;
        // An associated type with the name of a protocol is not an existential.
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

    pub(super) fn witness_method_entry(&mut self) -> Parse<WitnessEntry> {
        let method = decl_ref::parse(&mut self.cur, &mut self.env)?;
        self.expect(":")?;
        if self.cur.eat_word("nil") {
            return Ok(WitnessEntry::Method(method, None, None));
        }
        let mut formal = None;
        if self.cur.peek() != b'@' || !self.at_function_name(ENTRIES) {
            formal = Some(self.ty()?);
            self.expect(":")?;
        }
        if self.cur.eat_word("nil") {
            return Ok(WitnessEntry::Method(method, formal, None));
        }
        Ok(WitnessEntry::Method(method, formal, Some(global_name(&mut self.cur)?)))
    }
}

impl ModulePrinter<'_, '_> {
    pub(in crate::module) fn witness_table(&mut self, keyword: &str, table: &WitnessTable) {
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

    pub(super) fn witness_entry(&mut self, entry: &WitnessEntry) {
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

    pub(super) fn required(&mut self, keyword: &str, ty: Type, protocol: Type, conformance: &Conformance) {
        self.out.push(keyword);
        self.out.ty(ty);
        self.out.push(": ");
        self.out.ty(protocol);
        self.out.push("): ");
        self.conformance(conformance);
    }
}
