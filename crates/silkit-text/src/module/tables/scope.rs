//! `sil_scope`, parsed and printed.

use crate::error::{Parse, err_here};
use crate::module::parse::ModuleParser;
use crate::module::print::ModulePrinter;
use crate::names::{global_name, source_loc};
use crate::types::parse_sil_type;
use silkit_ir::{Scope, ScopeParent};

impl ModuleParser<'_> {
    pub(in crate::module) fn scope(&mut self) -> Parse<()> {
        self.cur.skip_trivia();
        let at = self.cur.clone();
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
        if scope.parent.is_none() {
            return Err(err_here(&at, "expected a scope with a `parent`, another scope or a function"));
        }
        self.module.scopes.push(scope);
        Ok(())
    }
}

impl ModulePrinter<'_, '_> {
    /// Prints a scope; `number` maps the numbers of scopes, and `None` to the scope's own number.
    pub(in crate::module) fn scope(&mut self, scope: &Scope, number: impl Fn(Option<u32>) -> u32) {
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
