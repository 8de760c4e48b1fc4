//! Type-dependent operands: an instruction whose attributes name an opened type uses the value
//! that opened it, so that the one cannot move before the other.

use super::parse::BodyParser;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::info::AttrKind;
use silkit_ir::{Inst, NONE, Opcode};
use silkit_types::{SilType, Type, TypeKind};
use std::cell::RefCell;

thread_local! {
    /// The ids of the opened types in each type that was asked about.
    static IDS: RefCell<FxHashMap<Type, Box<[Symbol]>>> = RefCell::new(FxHashMap::default());
}

impl BodyParser<'_, '_> {
    /// Remembers what an instruction opens.
    pub(super) fn note_opened(&mut self, inst: Inst, opcode: Opcode) {
        use Opcode as O;
        let value = self.body.results(inst).next();
        let id = match opcode {
            O::OpenExistentialAddr
            | O::OpenExistentialRef
            | O::OpenExistentialMetatype
            | O::OpenExistentialBox
            | O::OpenExistentialValue
            | O::OpenExistentialBoxValue => {
                opened_in(SilType::from_u32(self.body.words(inst).last().copied().unwrap_or(NONE)).ty())
                    .first()
                    .copied()
            }
            O::OpenPackElement => silkit_ir::Body::symbol(self.body.words(inst)[3]),
            _ => return,
        };
        if let (Some(id), Some(value)) = (id, value) {
            self.opened.insert(id, value);
        }
    }

    /// Finds the values that opened the types in the attributes of the instruction being read.
    pub(super) fn collect_type_operands(&mut self, opcode: Opcode) {
        let mut ids: Vec<Symbol> = Vec::new();
        for (spec, &word) in opcode.info().attrs.iter().zip(&self.inst.words) {
            if word == NONE || (spec.name == "type" && spec.kind == AttrKind::SilType && is_call(opcode)) {
                // The type of a callee is not substituted: it opens nothing.
                continue;
            }
            let types: Vec<Type> = match spec.kind {
                AttrKind::SilType | AttrKind::OptSilType => vec![SilType::from_u32(word).ty()],
                AttrKind::Type | AttrKind::OptType => vec![Type::from_u32(word)],
                AttrKind::ListType => self.body.type_list(word),
                AttrKind::ListSilType => {
                    self.body.list(word).iter().map(|&w| SilType::from_u32(w).ty()).collect()
                }
                _ => continue,
            };
            for id in types.into_iter().flat_map(opened_in) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        let found = ids.iter().filter_map(|id| self.opened.get(id).copied());
        self.inst.type_operands.extend(found);
    }
}

fn is_call(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Apply | Opcode::BeginApply | Opcode::TryApply | Opcode::PartialApply)
}

/// The ids of the opened types in a type, in order.
fn opened_in(ty: Type) -> Vec<Symbol> {
    if let Some(ids) = IDS.with_borrow(|cache| cache.get(&ty).map(|ids| ids.to_vec())) {
        return ids;
    }
    let mut ids = Vec::new();
    match ty.kind() {
        TypeKind::Opened { id, .. } | TypeKind::OpenedElement { id, .. } => ids.push(*id),
        _ => {
            ty.map(&mut |part| {
                for id in opened_in(part) {
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
                part
            });
        }
    }
    IDS.with_borrow_mut(|cache| cache.insert(ty, ids.clone().into()));
    ids
}
