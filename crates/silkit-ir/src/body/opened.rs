//! Opened types and type-dependent operands: an instruction with an opened type in its attributes uses the value that
//! opened the type, so that the opening instruction dominates it (SIL.md, type-dependent operands).

use crate::NONE;
use crate::body::{Body, Inst, Value};
use crate::generated::Opcode;
use crate::info::AttrKind;
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{SilType, Type, TypeKind};
use std::cell::RefCell;
use std::sync::LazyLock;

#[cfg(test)]
mod tests;

/// The id that represents `@dynamic_self T`, a type that the `self` argument opens.
static DYNAMIC_SELF: LazyLock<Symbol> = LazyLock::new(|| Symbol::new("@dynamic_self"));

thread_local! {
    /// A cache of the ids of the opened types in each type.
    static IDS: RefCell<FxHashMap<Type, Box<[Symbol]>>> = RefCell::new(FxHashMap::default());
}

/// The values that opened types, by type id. It is kept up to date as the body changes, so that the lookup of a value
/// takes constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenedTypes {
    values: FxHashMap<Symbol, Value>,
    /// Values that opened a type that another value opened later, in order. Valid SIL has such values only while an
    /// instruction is being replaced.
    hidden: Vec<(Symbol, Value)>,
}

impl OpenedTypes {
    fn add(&mut self, id: Symbol, value: Value) {
        if let Some(earlier) = self.values.insert(id, value) {
            self.hidden.push((id, earlier));
        }
    }

    fn remove(&mut self, id: Symbol, value: Value) {
        if self.values.get(&id) != Some(&value) {
            self.hidden.retain(|&hidden| hidden != (id, value));
            return;
        }
        match self.hidden.iter().rposition(|&(hidden, _)| hidden == id) {
            Some(at) => _ = self.values.insert(id, self.hidden.remove(at).1),
            None => _ = self.values.remove(&id),
        }
    }

    pub(crate) fn heap_size(&self) -> usize {
        self.values.capacity() * size_of::<(Symbol, Value)>()
            + self.hidden.capacity() * size_of::<(Symbol, Value)>()
    }
}

impl Body {
    /// Returns the value that opened the type with an id. For the id of `@dynamic_self` it is the `self` argument.
    pub fn opened_value(&self, id: Symbol) -> Option<Value> {
        match self.opened.values.get(&id) {
            None if id == *DYNAMIC_SELF => self.entry_arguments().last().copied(),
            value => value.copied(),
        }
    }

    /// Returns true if the body depends on the dynamic type of its `self` argument, `@dynamic_self T`.
    pub fn binds_self(&self) -> bool {
        self.insts().any(|inst| {
            opened_in_attributes(self, self.inst(inst).opcode, self.words(inst)).contains(&DYNAMIC_SELF)
        })
    }

    /// Returns the values that opened the types in the attributes of an instruction under construction: its
    /// type-dependent operands.
    pub fn opened_values(&self, opcode: Opcode, words: &[u32]) -> Vec<Value> {
        let ids = opened_in_attributes(self, opcode, words);
        ids.into_iter().filter_map(|id| self.opened_value(id)).collect()
    }

    /// Returns the value that opened the type of a `witness_method` with these attributes.
    pub(crate) fn opener_of_lookup(&self, words: &[u32]) -> Option<Value> {
        let lookup = SilType::from_u32(*words.first()?).ty();
        let is_opened = matches!(lookup.kind(), TypeKind::Opened { .. } | TypeKind::OpenedElement { .. });
        self.opened_value(*opened_in(lookup).first().filter(|_| is_opened)?)
    }

    /// Records the type that an instruction opens when it is added to a block.
    pub(crate) fn add_opened(&mut self, inst: Inst) {
        if let (Some(id), Some(value)) = (self.opened_id(inst), self.first_result(inst)) {
            self.opened.add(id, value);
        }
    }

    /// Removes the opened type of an instruction that is about to leave its block or to change.
    pub(crate) fn remove_opened(&mut self, inst: Inst) {
        if let (Some(id), Some(value)) = (self.opened_id(inst), self.first_result(inst)) {
            self.opened.remove(id, value);
        }
    }

    /// Returns the id of the type that an instruction opens.
    pub fn opened_id(&self, inst: Inst) -> Option<Symbol> {
        use Opcode as O;
        match self.inst(inst).opcode {
            O::OpenExistentialAddr
            | O::OpenExistentialRef
            | O::OpenExistentialMetatype
            | O::OpenExistentialBox
            | O::OpenExistentialValue
            | O::OpenExistentialBoxValue
            | O::OpenComExistential => {
                opened_in(SilType::from_u32(*self.words(inst).last()?).ty()).first().copied()
            }
            O::OpenPackElement => Body::symbol(self.word(inst, "id")?),
            _ => None,
        }
    }
}

/// Returns the ids of the opened types in the attributes of an instruction, in order: the types that need
/// type-dependent operands.
pub fn opened_in_attributes(body: &Body, opcode: Opcode, words: &[u32]) -> Vec<Symbol> {
    let mut ids: Vec<Symbol> = Vec::new();
    let info = opcode.info();
    if !info.type_dependent {
        return ids;
    }
    let mut add = |ty: Type| {
        if ty.holds_opened() {
            opened_in(ty).into_iter().for_each(|id| {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            });
        }
    };
    for (spec, &word) in info.attrs.iter().zip(words) {
        if word == NONE {
            continue;
        }
        match spec.kind {
            AttrKind::SilType | AttrKind::OptSilType => add(SilType::from_u32(word).ty()),
            AttrKind::Type | AttrKind::OptType => add(Type::from_u32(word)),
            AttrKind::ListType => body.list(word).iter().for_each(|&word| add(Type::from_u32(word))),
            AttrKind::ListSilType => {
                body.list(word).iter().for_each(|&word| add(SilType::from_u32(word).ty()));
            }
            _ => {}
        }
    }
    ids
}

/// Returns the ids of the opened types that a type contains, in order.
pub fn opened_in(ty: Type) -> Vec<Symbol> {
    if !ty.holds_opened() {
        return Vec::new();
    }
    // Only types that contain others are cached: each opened type is usually asked for a few times.
    let kind = match ty.kind() {
        TypeKind::Opened { id, .. } | TypeKind::OpenedElement { id, .. } => return vec![*id],
        TypeKind::DynamicSelf(_) => return vec![*DYNAMIC_SELF],
        kind => kind,
    };
    if let Some(ids) = IDS.with_borrow(|cache| cache.get(&ty).map(|ids| ids.to_vec())) {
        return ids;
    }
    let mut ids = Vec::new();
    kind.for_each_part(&mut |part| {
        for id in opened_in(part) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    });
    IDS.with_borrow_mut(|cache| cache.insert(ty, ids.clone().into()));
    ids
}
