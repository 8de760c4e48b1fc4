//! The marks of noncopyable values whose types become copyable in the inlined copy.

use super::{CannotInline, Inliner};
use silkit_ir::instructions::{MarkUnresolvedNonCopyableValue, MoveOnlyCheckKind};
use silkit_ir::{Cloner, Editor, Inst};
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, Substitution};

impl Inliner<'_> {
    /// Returns the marks of the callee that cannot be copied, because the marked type becomes copyable.
    ///
    /// # Errors
    /// Returns an error if the mark is of memory that may be consumed or assigned: raw SIL destroys such memory even where
    /// it has been consumed, and only the move checker, which removes the mark, decides which destructions remain.
    pub(super) fn vanishing_marks(&self, sig: Option<GenericSig>) -> Result<Vec<Inst>, CannotInline> {
        let source = &*self.callee.body;
        let marks = source.insts().filter_map(|inst| {
            let mark = source.view_as::<MarkUnresolvedNonCopyableValue>(inst)?;
            Some((inst, mark.kind, source.value(mark.operand).ty))
        });
        let mut vanishing = Vec::new();
        for (inst, kind, ty) in marks {
            let mut types = self.substituting(Cloner::of(source));
            if self.declarations.is_move_only(types.sil_type(ty).ty(), sig) != Some(false) {
                continue;
            }
            if ty.is_address() && kind != MoveOnlyCheckKind::NoConsumeOrAssign {
                return Err(CannotInline::Unresolved);
            }
            vanishing.push(inst);
        }
        Ok(vanishing)
    }

    /// Makes a cloner replace the callee's generic parameters.
    pub(super) fn substituting<'c>(&'c self, cloner: Cloner<'c>) -> Cloner<'c> {
        match self.callee.function.ty.ty().as_function().and_then(|ty| ty.sig) {
            Some(sig) => {
                let declarations: &Declarations = self.declarations;
                cloner.with_substitution(Substitution { sig, args: &self.substitutions }, declarations)
            }
            None => cloner,
        }
    }

    /// Replaces the copies of marks by their operands.
    pub(super) fn remove_marks(&self, editor: &mut Editor<'_>, cloner: &mut Cloner<'_>) {
        for &mark in &self.vanishing {
            if let Some(copy) = cloner.inst(mark) {
                let operand = editor.operand_value(copy, 0);
                if let Some(marked) = self.callee.body.first_result(mark) {
                    cloner.map_value(marked, operand);
                }
                editor.replace(copy, operand);
            }
        }
    }
}
