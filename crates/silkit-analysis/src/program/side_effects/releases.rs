//! Instructions that may release references.

use super::collect::Collector;
use silkit_ir::Inst;
use silkit_ir::instructions::{AnyInst, CastConsumption};
use silkit_types::Type;

impl Collector<'_> {
    /// Returns true if an instruction may release a reference. A cast between classes forwards or keeps the same
    /// reference.
    pub(super) fn may_release(&self, inst: Inst) -> bool {
        let AnyInst::CheckedCastAddrBranch(cast) = self.body().view(inst) else {
            return self.behavior.may_release(inst);
        };
        let declarations = self.view.declarations();
        let is_class = |ty| declarations.is_class(ty) == Some(true);
        let payload = |ty: Type| declarations.optional_payload(ty).unwrap_or(ty);
        let is_any = |ty| declarations.path_of(ty).is_some_and(|path| path == "AnyObject");
        let (from, to) = (cast.source_type, cast.target_type);
        let keeps_reference = is_class(payload(from)) && is_class(to) || is_class(from) && is_any(to);
        let values = [cast.source, cast.target];
        let is_trivial = values.iter().all(|&v| self.view.is_trivial(self.body().value(v).ty) == Some(true));
        cast.consumption == CastConsumption::TakeAlways || !keeps_reference && !is_trivial
    }
}
