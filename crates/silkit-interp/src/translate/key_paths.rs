//! Key path literals.

use super::Translator;
use crate::op::Op;
use crate::sites::KeyPathSite;
use crate::violation::Run;
use silkit_ir::instructions::KeyPath;
use silkit_ir::{Body, Inst};

impl Translator<'_, '_> {
    pub(super) fn key_path(&mut self, body: &Body, inst: Inst, i: KeyPath<'_>) -> Run<()> {
        let class = self.resolve(i.ty.ty())?;
        self.result(body, inst)?;
        self.it.sites.key_paths.push(KeyPathSite { class });
        let site = self.it.sites.key_paths.len() as u32 - 1;
        self.emit(Op::KeyPath { site });
        Ok(())
    }
}
