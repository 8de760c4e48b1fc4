//! The runtime effects of an instruction, as far as the types of its operands decide them.

use super::BodyView;
use silkit_ir::{Inst, Opcode, RuntimeEffects};
use silkit_types::{Type, TypeFacts, TypeKind};

/// The number of words in the inline buffer of an opaque existential container (TypeLayout.rst). Larger values are boxed.
const INLINE_WORDS: usize = 3;

/// The maximum nesting of a type whose size is bounded.
const MAX_NESTING: usize = 16;

impl BodyView<'_> {
    /// Returns the runtime effects of an instruction, without those of its callees.
    ///
    /// They are those of [`silkit_ir::Behavior::runtime`], without counting and releasing for operands of trivial types, and without
    /// the allocation of an existential value that fits into the inline buffer of its container.
    pub fn runtime(&self, inst: Inst) -> RuntimeEffects {
        use RuntimeEffects as R;
        let mut effects = self.behavior().runtime(inst);
        if effects.intersects(R::COUNT | R::RELEASE) && !self.concerns_references(inst) {
            effects -= R::COUNT | R::RELEASE;
        }
        if effects.contains(R::ALLOCATE) && self.is_inline_existential(inst) {
            effects -= R::ALLOCATE;
        }
        effects
    }

    /// Returns true if an operand may contain references.
    fn concerns_references(&self, inst: Inst) -> bool {
        let operands = self.body.operands(inst);
        operands.is_empty() || operands.iter().any(|o| self.is_trivial(self.ty(o.value)) != Some(true))
    }

    /// Returns true if an instruction initializes an existential container with a value that is stored inline.
    fn is_inline_existential(&self, inst: Inst) -> bool {
        if self.body.inst(inst).opcode != Opcode::InitExistentialAddr {
            return false;
        }
        let Some(stored) = self.body.first_result(inst) else { return false };
        self.words(self.ty(stored).ty(), MAX_NESTING).is_some_and(|words| words <= INLINE_WORDS)
    }

    /// Returns an upper bound of the size of a type in words: each scalar takes at most one. `None` if it is not known.
    fn words(&self, ty: Type, nesting: usize) -> Option<usize> {
        let nesting = nesting.checked_sub(1)?;
        let all = |parts: Vec<Type>| {
            parts
                .into_iter()
                .try_fold(0_usize, |sum, part| Some(sum.saturating_add(self.words(part, nesting)?)))
        };
        match ty.kind() {
            TypeKind::Tuple(elements) => all(elements.iter().map(|e| e.ty).collect()),
            TypeKind::Builtin(name, _) => is_scalar(name.as_str()).then_some(1),
            // The case without payload needs at most one more byte.
            TypeKind::Optional(payload) => Some(self.words(*payload, nesting)? + 1),
            TypeKind::Metatype(..) => Some(1),
            _ if self.declarations().is_class(ty) == Some(true) => Some(1),
            _ => all(TypeFacts::stored_fields(self.declarations(), ty)?),
        }
    }
}

/// Returns true for names of builtin types of at most 8 bytes.
fn is_scalar(name: &str) -> bool {
    matches!(
        name,
        "Word"
            | "RawPointer"
            | "NativeObject"
            | "BridgeObject"
            | "Int64"
            | "Int32"
            | "Int16"
            | "Int8"
            | "Int1"
    ) || matches!(
        name,
        "FPIEEE64" | "FPIEEE32" | "FPIEEE16" | "UnknownObject" | "RawUnsafeContinuation" | "Job"
    )
}
