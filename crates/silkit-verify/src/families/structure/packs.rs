//! The placement of pack metadata markers.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::ApplySite;
use silkit_ir::info::AttrKind;
use silkit_ir::{Inst, NONE, Opcode, SilStage};
use silkit_types::decl::Declarations;
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&PACK_METADATA_IS_NEEDED];

static PACK_METADATA_IS_NEEDED: Rule = Rule {
    id: RuleId::new("SIL0136"),
    name: "PackMetadataIsNeeded",
    severity: Severity::Error,
    summary: "A marker of pack metadata directly precedes an instruction that may need it",
    details: "\
`alloc_pack_metadata` says that the next instruction may put metadata of packs on the stack. It does so
where a type of its operands, its results or its own names a pack. Remove the marker, or move it before
the instruction that needs it.",
    failing: "\
sil_stage lowered

sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_pack_metadata $()
  %1 = tuple ()
  dealloc_pack_metadata %0 : $*()
  return %1 : $()
}
",
    corrected: "\
sil_stage lowered

sil @f : $@convention(thin) <each T> () -> () {
bb0:
  %0 = alloc_pack_metadata $()
  %1 = metatype $@thick (repeat each T).Type
  dealloc_pack_metadata %0 : $*()
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(&[Opcode::AllocPackMetadata], pack_metadata_is_needed),
};

fn pack_metadata_is_needed(cx: &FunctionVerifier<'_>, inst: Inst) {
    // The markers exist only in lowered SIL.
    if cx.module().stage != Some(SilStage::Lowered) {
        return;
    }
    let Some(next) = cx.body.next_inst(inst).filter(|&next| !may_name_pack(cx, next)) else { return };
    let message = format!("the marker precedes `{}`, which has no pack type", cx.body.info(next).name);
    cx.report(
        cx.finding(&PACK_METADATA_IS_NEEDED, Place::Inst(inst), message)
            .also(Place::Inst(next), "needs no pack metadata")
            .reference_message(
                "Introduces instruction of kind which cannot emit on-stack pack metadata: \
                 apmi->getIntroducer()->mayRequirePackMetadata(*apmi->getFunction())",
            ),
    );
}

/// Returns true if an instruction may refer to a pack: it does, or its types are not known well enough. Generic types
/// may have parameter packs, and so may the callee of a call.
fn may_name_pack(cx: &FunctionVerifier<'_>, inst: Inst) -> bool {
    let body = cx.body;
    if ApplySite::new(body, inst, cx.addresses()).is_some() {
        return true;
    }
    let values = body.operands(inst).iter().map(|o| o.value).chain(body.results(inst));
    let may_hold = |ty: Type| may_hold_pack(cx.declarations(), ty);
    if values.into_iter().any(|value| may_hold(body.value(value).ty.ty())) {
        return true;
    }
    // An optional type is that of a result, or the formal type of a method whose lowered type is there too.
    body.info(inst).attrs.iter().zip(body.words(inst)).any(|(attr, &word)| match attr.kind {
        AttrKind::SilType => may_hold(SilType::from_u32(word).ty()),
        AttrKind::Type => may_hold(Type::from_u32(word)),
        AttrKind::ListType => body.type_list(word).into_iter().any(may_hold),
        AttrKind::ListSilType => word != NONE,
        _ => false,
    })
}

fn may_hold_pack(declarations: &Declarations, ty: Type) -> bool {
    let is_one = match ty.kind() {
        TypeKind::Unknown | TypeKind::Pack { .. } | TypeKind::PackExpansion(_) | TypeKind::PackElement(_) => {
            true
        }
        TypeKind::Named(named) => {
            let decl = declarations.nominal_of(ty).filter(|decl| !declarations.may_be_another(decl));
            let sig = decl.and_then(|decl| decl.sig);
            let has_no_pack = sig.is_some_and(|sig| sig.data().params.iter().all(|p| !p.is_pack));
            !(named.args.is_empty() || has_no_pack && named.parent.is_none())
        }
        _ => false,
    };
    let mut found = is_one;
    if !is_one {
        ty.kind().for_each_part(&mut |part| found |= may_hold_pack(declarations, part));
    }
    found
}
