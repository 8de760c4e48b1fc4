//! `sil_vtable` and `sil_default_override_table`, parsed and printed.

use crate::decl_ref;
use crate::error::Parse;
use crate::module::parse::ModuleParser;
use crate::module::print::ModulePrinter;
use crate::names::global_name;
use crate::types::parse_sil_type;
use silkit_ir::{ClassRef, DefaultOverrideTable, Linkage, VTable, VTableConformance, VTableEntry};
use silkit_types::Type;

impl ModuleParser<'_> {
    pub(in crate::module) fn vtable(&mut self) -> Parse<()> {
        let attributes = self.table_attributes()?;
        let class = self.class("the name of a class")?;
        // The attributes of a specialized class may follow its type.
        self.expect("{")?;
        let mut conformances = Vec::new();
        loop {
            if self.cur.eat_word("conformance") {
                conformances.push(VTableConformance::Conforms(self.conformance()?));
            } else if self.cur.eat_word("no_conformance") {
                conformances.push(VTableConformance::Lacks(self.protocol()?));
            } else {
                break;
            }
        }
        let mut entries = Vec::new();
        while !self.cur.eat("}") {
            let method = decl_ref::parse(&mut self.cur, &mut self.env)?;
            self.expect(":")?;
            let mut formal = None;
            if self.cur.peek() != b'@' || !self.at_function_name(&[]) {
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
        self.module.vtables.push(VTable { attributes, class, conformances, entries });
        Ok(())
    }

    /// Parses a nominal type: a name, or a specialized type.
    pub(super) fn class(&mut self, expected: &'static str) -> Parse<ClassRef> {
        Ok(if self.cur.peek() == b'$' {
            ClassRef::Type(parse_sil_type(&mut self.cur, &mut self.env)?)
        } else {
            ClassRef::Name(self.path(expected)?)
        })
    }

    pub(super) fn vtable_entry(
        &mut self,
        method: silkit_ir::DeclRef,
        formal: Option<Type>,
        linkage: Linkage,
    ) -> Parse<VTableEntry> {
        let function = global_name(&mut self.cur)?;
        let attributes = self.entry_attributes()?;
        Ok(VTableEntry { method, formal, linkage, function, attributes })
    }

    pub(in crate::module) fn default_override_table(&mut self) -> Parse<()> {
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
            if self.cur.peek() != b'@' || !self.at_function_name(&[]) {
                formal = Some(self.ty()?);
                self.expect(":")?;
            }
            entries.push((replacement, original, formal, global_name(&mut self.cur)?));
        }
        self.module.default_override_tables.push(DefaultOverrideTable { linkage, class, entries });
        Ok(())
    }
}

impl ModulePrinter<'_, '_> {
    pub(in crate::module) fn vtable(&mut self, table: &VTable) {
        self.out.push("sil_vtable ");
        self.table_attributes(&table.attributes);
        self.class(table.class);
        self.out.push(" {\n");
        for conformance in &table.conformances {
            match conformance {
                VTableConformance::Conforms(conformance) => {
                    self.out.push("  conformance ");
                    self.conformance(conformance);
                }
                VTableConformance::Lacks(protocol) => {
                    self.out.push("  no_conformance ");
                    self.out.ty(*protocol);
                }
            }
            self.out.push("\n");
        }
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

    pub(super) fn class(&mut self, class: ClassRef) {
        match class {
            ClassRef::Name(name) => self.out.push(name.as_str()),
            ClassRef::Type(ty) => self.out.sil_type(ty),
        }
    }

    pub(in crate::module) fn override_table(&mut self, table: &DefaultOverrideTable) {
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
}
