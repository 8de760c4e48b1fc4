//! Types that instructions open, and the uses that other instructions make of them for that: an
//! instruction whose attributes name an opened type uses the value that opened it, so that the one
//! cannot move before the other (SIL.md, type-dependent operands).

use crate::NONE;
use crate::body::{Body, Inst, Value};
use crate::generated::Opcode;
use crate::info::AttrKind;
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{SilType, Type, TypeKind};
use std::cell::RefCell;

/// What stands for the id of `@dynamic_self T`, which the argument for `self` opens, so to say.
const DYNAMIC_SELF: &str = "@dynamic_self";

thread_local! {
    /// The ids of the opened types in each type that was asked about.
    static IDS: RefCell<FxHashMap<Type, Box<[Symbol]>>> = RefCell::new(FxHashMap::default());
}

/// The values that opened types come from.
#[derive(Clone, Debug, Default)]
pub struct OpenedTypes {
    values: FxHashMap<Symbol, Value>,
}

impl OpenedTypes {
    /// Those of a whole body.
    pub fn of(body: &Body) -> Self {
        let mut all = Self::default();
        all.note_self(body);
        body.insts().for_each(|inst| all.note(body, inst));
        all
    }

    /// Whether nothing is opened.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value that opened the type with an id.
    pub fn value(&self, id: Symbol) -> Option<Value> {
        self.values.get(&id).copied()
    }

    /// Remembers what an instruction opens.
    pub fn note(&mut self, body: &Body, inst: Inst) {
        if let (Some(id), Some(value)) = (body.opened_id(inst), body.first_result(inst)) {
            self.values.insert(id, value);
        }
    }

    /// Remembers the `self` of a method, from which instructions that name `@dynamic_self` take its type.
    pub fn note_self(&mut self, body: &Body) {
        let entry = body.entry_block().map(|entry| body.arguments(entry));
        if let Some(&value) = entry.and_then(|arguments| arguments.last()) {
            self.values.insert(Symbol::new(DYNAMIC_SELF), value);
        }
    }

    /// The values that opened the types in the attributes of an instruction that is being made.
    pub fn type_operands(&self, body: &Body, opcode: Opcode, words: &[u32]) -> Vec<Value> {
        if self.is_empty() {
            return Vec::new();
        }
        opened_in_attributes(body, opcode, words).iter().filter_map(|&id| self.value(id)).collect()
    }
}

impl Body {
    /// The id of the type that an instruction opens.
    pub fn opened_id(&self, inst: Inst) -> Option<Symbol> {
        use Opcode as O;
        match self.inst(inst).opcode {
            O::OpenExistentialAddr
            | O::OpenExistentialRef
            | O::OpenExistentialMetatype
            | O::OpenExistentialBox
            | O::OpenExistentialValue
            | O::OpenExistentialBoxValue => {
                opened_in(SilType::from_u32(*self.words(inst).last()?).ty()).first().copied()
            }
            O::OpenPackElement => Body::symbol(self.word(inst, "id")?),
            _ => None,
        }
    }
}

/// The ids of the opened types for which an instruction with these attributes uses values, in order.
pub fn opened_in_attributes(body: &Body, opcode: Opcode, words: &[u32]) -> Vec<Symbol> {
    let mut ids: Vec<Symbol> = Vec::new();
    let info = opcode.info();
    if !info.type_dependent {
        return ids;
    }
    for (spec, &word) in info.attrs.iter().zip(words) {
        if word == NONE {
            continue;
        }
        let types: Vec<Type> = match spec.kind {
            AttrKind::SilType | AttrKind::OptSilType => vec![SilType::from_u32(word).ty()],
            AttrKind::Type | AttrKind::OptType => vec![Type::from_u32(word)],
            AttrKind::ListType => body.type_list(word),
            AttrKind::ListSilType => body.list(word).iter().map(|&w| SilType::from_u32(w).ty()).collect(),
            _ => continue,
        };
        for id in types.into_iter().flat_map(opened_in) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    ids
}

/// The ids of the opened types in a type, in order.
pub fn opened_in(ty: Type) -> Vec<Symbol> {
    if let Some(ids) = IDS.with_borrow(|cache| cache.get(&ty).map(|ids| ids.to_vec())) {
        return ids;
    }
    let mut ids = Vec::new();
    match ty.kind() {
        TypeKind::Opened { id, .. } | TypeKind::OpenedElement { id, .. } => ids.push(*id),
        TypeKind::DynamicSelf(_) => ids.push(Symbol::new(DYNAMIC_SELF)),
        kind => kind.for_each_part(&mut |part| {
            for id in opened_in(part) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }),
    }
    IDS.with_borrow_mut(|cache| cache.insert(ty, ids.clone().into()));
    ids
}
