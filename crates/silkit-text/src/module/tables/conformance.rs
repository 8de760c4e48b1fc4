//! Conformances in witness tables, parsed and printed.

use super::witness_table::ENTRIES;
use crate::error::{Parse, err_here};
use crate::module::parse::ModuleParser;
use crate::module::print::ModulePrinter;
use crate::types::parse_substitutions;
use silkit_ir::Conformance;
use silkit_types::{GenericSig, Type};

impl ModuleParser<'_> {
    pub(super) fn conformance(&mut self) -> Parse<Conformance> {
        let (conformance, entered) = self.conformance_open()?;
        if entered {
            self.env.pop();
        }
        Ok(conformance)
    }

    /// Parses a conformance. Its signature stays entered if the second result is true.
    pub(super) fn conformance_open(&mut self) -> Parse<(Conformance, bool)> {
        if self.cur.eat_word("dependent") {
            // Older compilers omit the type; the next entry follows.
            let here = self.cur.peek();
            let is_entry = self.cur.peek_word().is_some_and(|word| ENTRIES.contains(&word));
            let ty = if !is_entry && (crate::cursor::is_ident_byte(here) || here == b'@' || here == b'(') {
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

    pub(super) fn conformance_body(&mut self, sig: Option<GenericSig>) -> Parse<Conformance> {
        let at = self.cur.clone();
        let ty = self.ty()?;
        if ty == Type::void() {
            return Err(err_here(&at, "expected a nominal type, found `()`"));
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

    pub(super) fn conformance_of(&mut self, ty: Option<Type>) -> Parse<Conformance> {
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
}

impl ModulePrinter<'_, '_> {
    pub(super) fn conformance(&mut self, conformance: &Conformance) {
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

    pub(super) fn conforming(&mut self, ty: Option<Type>) {
        if let Some(ty) = ty {
            self.out.ty(ty);
            self.out.push(": ");
        }
    }
}
