//! RC identity: values that share a reference count.
//!
//! Two values are RC-identical if a retain or release of one has the same effect as a retain or release of the other.

use super::object_casts::cast_keeps_object;
use crate::{BodyView, Dominators};
use silkit_ir::instructions::{CheckedCastBranch, SwitchEnum};
use silkit_ir::{Block, Body, Inst, Opcode, Value, ValueDef, chain};
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, SilType, Type, TypeFacts, TypeKind};

/// The RC-identity analysis of one body.
pub struct RcIdentity<'a> {
    body: &'a Body,
    sig: Option<GenericSig>,
    declarations: &'a Declarations,
    dominators: &'a Dominators,
}

impl std::fmt::Debug for RcIdentity<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RcIdentity").finish_non_exhaustive()
    }
}

impl<'a> RcIdentity<'a> {
    /// Creates the analysis of a body.
    pub fn new(view: &BodyView<'a>, dominators: &'a Dominators) -> Self {
        Self { body: view.body, sig: view.signature(), declarations: view.declarations(), dominators }
    }

    pub(crate) fn declarations(&self) -> &'a Declarations {
        self.declarations
    }

    /// Returns the RC root of a value: the earliest value with the same reference count.
    pub fn root(&self, value: Value) -> Value {
        Self::strip(value, |at| self.source(at).or_else(|| self.phi_source(at)))
    }

    /// Returns the first value without a source.
    fn strip(value: Value, source: impl Fn(Value) -> Option<Value>) -> Value {
        chain(value, source).last().unwrap_or(value)
    }

    /// Returns the value with the same reference count that an instruction forwards or a block argument receives.
    pub fn source(&self, value: Value) -> Option<Value> {
        match self.body.def(value) {
            ValueDef::Result(inst, _) => self.operand_of(inst, value),
            ValueDef::Argument(block, index) => self.passed(block, usize::from(index)),
            ValueDef::Undef | ValueDef::Pending => None,
        }
    }

    fn operand_of(&self, inst: Inst, value: Value) -> Option<Value> {
        let body = self.body;
        let first = body.operands(inst).first().map(|o| o.value);
        match body.inst(inst).opcode {
            Opcode::UnconditionalCheckedCast => first.filter(|&from| self.keeps_object(from, self.ty(value))),
            Opcode::Upcast
            | Opcode::UncheckedRefCast
            | Opcode::InitExistentialRef
            | Opcode::OpenExistentialRef
            | Opcode::RefToBridgeObject
            | Opcode::BridgeObjectToRef
            | Opcode::ConvertFunction
            | Opcode::UncheckedEnumData
            | Opcode::Enum => first.filter(|&whole| !self.is_move_only(whole) && !self.is_move_only(value)),
            Opcode::StructExtract | Opcode::TupleExtract => {
                first.filter(|&whole| !self.is_move_only(whole) && self.is_only_part(whole, value))
            }
            Opcode::Struct | Opcode::Tuple if !self.is_move_only(value) => {
                let mut counted =
                    body.operands(inst).iter().map(|o| o.value).filter(|&v| !self.is_trivial(v));
                counted.next().filter(|_| counted.next().is_none())
            }
            _ => None,
        }
    }

    /// Returns true if the type of a value is move-only: operations on the whole are not operations on its part.
    fn is_move_only(&self, value: Value) -> bool {
        self.declarations.is_move_only(self.body.value(value).ty.ty(), self.sig) == Some(true)
    }

    fn is_trivial(&self, value: Value) -> bool {
        self.is_trivial_type(self.body.value(value).ty)
    }

    /// Returns true if values of a type contain no reference-counted reference; addresses contain none.
    pub(crate) fn is_trivial_type(&self, ty: SilType) -> bool {
        ty.is_address() || self.declarations.type_properties(ty.ty(), self.sig).trivial == Some(true)
    }

    /// Returns true if a part of a value is non-trivial and all other parts are trivial.
    fn is_only_part(&self, whole: Value, part: Value) -> bool {
        let whole = self.body.value(whole).ty;
        let parts: Option<Vec<Type>> = match whole.ty().kind() {
            TypeKind::Tuple(elements) => Some(elements.iter().map(|e| e.ty).collect()),
            _ => TypeFacts::stored_fields(self.declarations, whole.ty()),
        };
        let counted = |parts: Vec<Type>| {
            parts.into_iter().filter(|&ty| !self.is_trivial_type(whole.with_type(ty))).count()
        };
        !self.is_trivial(part) && parts.map(counted) == Some(1)
    }

    /// Returns the value that the only incoming edge of a block passes for an argument.
    fn passed(&self, block: Block, index: usize) -> Option<Value> {
        let body = self.body;
        let edge = {
            let mut edges = body.incoming(block);
            edges.next().filter(|_| edges.next().is_none())?
        };
        if let Some(operand) = body.edge_operand(edge, index) {
            return Some(body.operand(operand).value);
        }
        let terminator = body.terminator(body.edge(edge).from)?;
        let first = body.operands(terminator).first().map(|o| o.value);
        match body.inst(terminator).opcode {
            Opcode::SwitchEnum => first,
            // On failure as well: a cast that might unbox a value hides what it returns.
            Opcode::CheckedCastBranch => {
                let to = body.view_as::<CheckedCastBranch>(terminator)?.target_type;
                first.filter(|&from| self.keeps_object(from, to))
            }
            _ => None,
        }
    }

    fn ty(&self, value: Value) -> Type {
        self.body.value(value).ty.ty()
    }

    fn keeps_object(&self, from: Value, to: Type) -> bool {
        cast_keeps_object(self.declarations, self.sig, self.ty(from), to)
    }

    /// Returns the common RC root that all incoming edges pass for a phi. As in the reference, phis among the incoming
    /// values are not looked through, so that each is a root here.
    fn phi_source(&self, phi: Value) -> Option<Value> {
        let body = self.body;
        let ValueDef::Argument(block, index) = body.def(phi) else { return None };
        let incoming: Option<Vec<(Block, Value)>> = body
            .incoming(block)
            .map(|edge| {
                let operand = body.edge_operand(edge, index.into())?;
                Some((body.edge(edge).from, body.operand(operand).value))
            })
            .collect();
        let incoming = incoming?;
        let &(_, one) = incoming.first()?;
        if incoming.iter().all(|&(_, value)| value == one) {
            return Some(one);
        }
        let (empty, counted): (Vec<_>, Vec<_>) =
            incoming.into_iter().partition(|&(_, value)| self.is_empty_enum(value));
        let &(_, first) = counted.first()?;
        let strip = |value| Self::strip(value, |at| self.source(at));
        let root = strip(first);
        if counted[1..].iter().any(|&(_, value)| strip(value) != root) {
            return None;
        }
        // If a case without payload is passed, the root must be known to be such a case as well.
        empty.iter().all(|&(from, _)| self.is_empty_at(from, root)).then_some(root)
    }

    fn is_empty_enum(&self, value: Value) -> bool {
        let inst = self.body.defining_inst(value);
        inst.is_some_and(|i| self.body.inst(i).opcode == Opcode::Enum && self.body.operands(i).is_empty())
    }

    /// Returns true if a value is known to be a case without payload at the end of a block, because a switch leads
    /// there.
    fn is_empty_at(&self, block: Block, value: Value) -> bool {
        let body = self.body;
        let home = match body.def(value) {
            ValueDef::Result(inst, _) => body.inst_block(inst),
            ValueDef::Argument(block, _) => block,
            ValueDef::Undef | ValueDef::Pending => return false,
        };
        if home == block || !self.dominators.dominates(home, block) {
            return false;
        }
        let mut at = Some(block);
        while let Some(block) = at {
            if let Some(answer) = self.tells_empty(block, value) {
                return answer;
            }
            at = self.dominators.immediate(block).filter(|_| block != home);
        }
        false
    }

    /// Returns whether the only incoming edge of a block implies that a value is a case without payload.
    fn tells_empty(&self, block: Block, value: Value) -> Option<bool> {
        let body = self.body;
        let terminator = body.terminator(body.single_predecessor(block)?)?;
        let switch = body.view_as::<SwitchEnum<'_>>(terminator)?;
        if switch.operand != value {
            return None;
        }
        let mut cases = switch.cases.iter().filter(|(_, to)| *to == block);
        let (case, _) =
            cases.next().filter(|_| cases.next().is_none() && switch.default_target != Some(block))?;
        let case = self.declarations.enum_case(body.value(value).ty.ty(), case.name()?);
        Some(case.is_some_and(|case| case.payload.is_none()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProgramFacts, ProgramView};

    const TEXT: &str = "\
import Builtin
class C {}
struct S {
  var a: Builtin.Int64
  var c: C
}
sil @f : $@convention(thin) (@owned C, Builtin.Int64, @guaranteed Optional<C>, Builtin.Int1) -> () {
bb0(%0 : $C, %1 : $Builtin.Int64, %2 : $Optional<C>, %3 : $Builtin.Int1):
  %4 = struct $S (%1, %0)
  %5 = struct_extract %4, #S.c
  %6 = tuple (%5, %0)
  %7 = tuple_extract %6, 0
  %8 = ref_to_raw_pointer %0 to $Builtin.RawPointer
  switch_enum %2, case #Optional.some!enumelt: bb1, case #Optional.none!enumelt: bb2
bb1(%10 : $C):
  %11 = enum $Optional<C>, #Optional.some!enumelt, %10
  br bb3(%11, %0)
bb2:
  %13 = enum $Optional<C>, #Optional.none!enumelt
  br bb3(%13, %5)
bb3(%15 : $Optional<C>, %16 : $C):
  %17 = tuple ()
  return %17
}
";

    #[test]
    fn roots_are_found_through_all_that_keeps_the_count() {
        let (module, declarations) = crate::testing::module(TEXT);
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&module, &declarations, &facts);
        let view = program.body_view(module.functions.keys().next().expect("a function")).expect("a body");
        let body = view.body;
        let dominators = Dominators::compute(body);
        let identity = RcIdentity::new(&view, &dominators);
        let mut values = Vec::new();
        for block in body.blocks() {
            values.extend(body.arguments(block));
            values.extend(body.block_insts(block).flat_map(|i| body.results(i)));
        }
        let number = |value| values.iter().position(|&v| v == value).unwrap_or(99);
        let roots: Vec<usize> = values.iter().map(|&v| number(identity.root(v))).collect();
        // The root of the first phi is `%2`, since `none` is passed for the case without payload; that of the second
        // is `%0`.
        assert_eq!(roots, [0, 1, 2, 3, 0, 0, 6, 7, 8, 2, 2, 11, 2, 0, 14]);
    }

    #[test]
    fn casts_of_what_may_be_a_box_have_counts_of_their_own() {
        let text = "class B {}\nclass D : B {}\nprotocol Q : AnyObject {}\n\
            sil @f : $@convention(thin) (@guaranteed B, @guaranteed AnyObject, @guaranteed any Q) -> () {\n\
            bb0(%0 : $B, %1 : $AnyObject, %2 : $any Q):\n\
            %3 = unconditional_checked_cast %0 to D\n  %4 = unconditional_checked_cast %1 to D\n\
            %5 = unconditional_checked_cast %2 to D\n  %6 = unconditional_checked_cast %0 to AnyObject\n\
            %7 = unconditional_checked_cast %1 to any Q\n  %8 = tuple ()\n  return %8\n}\n";
        let (module, declarations) = crate::testing::module(text);
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&module, &declarations, &facts);
        let view = program.body_view(module.functions.keys().next().expect("a function")).expect("a body");
        let body = view.body;
        let dominators = Dominators::compute(body);
        let identity = RcIdentity::new(&view, &dominators);
        let casts = body.insts().filter(|&i| body.inst(i).opcode == Opcode::UnconditionalCheckedCast);
        let is_same: Vec<bool> = casts
            .flat_map(|i| body.results(i).map(move |r| (r, body.operand_value(i, 0))))
            .map(|(result, operand)| identity.root(result) == operand)
            .collect();
        assert_eq!(is_same, [true, false, true, true, false]);
    }
}
