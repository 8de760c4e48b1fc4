//! Opened types of clones: a body opens each type only once, so that a second copy needs a new id.

use super::types::TypeMap;
use super::{Cloner, list_of};
use crate::body::{Body, Inst, Value};
use crate::edit::Editor;
use crate::generated::Opcode;
use silkit_base::{FxHashSet, Symbol, Worklist};
use silkit_types::SilType;

impl Cloner<'_> {
    /// Renames the types that the instructions open if the target body already opens a type with the same id.
    pub(super) fn note_opened(&mut self, target: &Body, insts: impl Iterator<Item = Inst>) {
        let source = self.source.unwrap_or(target);
        let ids: Vec<Symbol> = insts.filter_map(|inst| source.opened_id(inst)).collect();
        if ids.is_empty() {
            return;
        }
        let mut given: FxHashSet<Symbol> = FxHashSet::default();
        for &id in &ids {
            let mut new = id;
            while target.opened_value(new).is_some()
                || given.contains(&new)
                || (new != id && ids.contains(&new))
            {
                new = next_id(new);
            }
            given.insert(new);
            if new != id {
                self.types.rename(id, new);
            }
        }
    }

    /// Returns the attribute words of a copy of `open_pack_element`. The instruction holds the ids of the opened
    /// types itself, and its shape refers to its own signature.
    pub(super) fn opened_words(&self, opcode: Opcode, old: &[u32], mut words: Vec<u32>) -> Vec<u32> {
        if opcode != Opcode::OpenPackElement {
            return words;
        }
        if let Some(shape) = opcode.info().attr("shape") {
            words[shape] = old[shape];
        }
        if let Some(at) = opcode.info().attr("id")
            && let Some(id) = Body::symbol(words[at])
        {
            words[at] = self.types.id(id).as_u32();
        }
        words
    }
}

impl Editor<'_> {
    /// Replaces an opened type by another one that the same existential has: the value that opens it, and the type in all
    /// instructions and arguments that depend on it. The opening instruction stays, without uses.
    ///
    /// ```text
    ///   %1 = open_existential_ref %0 to $@opened("1", any P) Self
    ///   %2 = open_existential_ref %0 to $@opened("2", any P) Self
    ///   %3 = enum $Optional<@opened("2", any P) Self>, #Optional.some!enumelt, %2
    /// ---
    ///   %3 = enum $Optional<@opened("1", any P) Self>, #Optional.some!enumelt, %1
    /// ```
    pub fn merge_opened(&mut self, replaced: Inst, by: Inst) {
        let body = self.body();
        let (Some(old), Some(new)) = (body.opened_id(replaced), body.opened_id(by)) else { return };
        let (Some(from), Some(to)) = (body.first_result(replaced), body.first_result(by)) else { return };
        let mut cloner = Cloner::within();
        cloner.types.rename(old, new);
        let mut work: Worklist<Inst> = Worklist::new();
        body.users(from).for_each(|user| _ = work.push(user));
        while let Some(user) = work.pop() {
            cloner.rename_attributes(self, user);
            let arguments =
                self.body().successors(user).flat_map(|block| self.body().arguments(block).to_vec());
            let values: Vec<Value> = self.body().results(user).chain(arguments).collect();
            for value in values {
                let ty = self.body().value(value).ty;
                let renamed = cloner.types.sil_type(ty);
                if renamed != ty {
                    self.set_type(value, renamed);
                    self.body().users(value).for_each(|user| _ = work.push(user));
                }
            }
        }
        self.replace_all_uses(from, to);
    }
}

impl Editor<'_> {
    /// Replaces the id of an opened type in the attributes of an instruction.
    pub fn rename_opened(&mut self, inst: Inst, old: Symbol, new: Symbol) {
        let mut cloner = Cloner::within();
        cloner.types.rename(old, new);
        cloner.rename_attributes(self, inst);
    }
}

impl Cloner<'_> {
    /// Renames opened types in the attributes of an instruction.
    fn rename_attributes(&mut self, editor: &mut Editor<'_>, inst: Inst) {
        for at in 0..editor.body().words(inst).len() {
            let (info, word) = (editor.body().info(inst), editor.body().words(inst)[at]);
            let attr = &info.attrs[at];
            if !attr.kind.holds_types() {
                continue;
            }
            let list = list_of(editor.body(), attr.kind, word);
            let renamed = self.word(editor, info, attr, word, list.clone());
            let is_same = match attr.kind.is_list() && word != crate::NONE {
                true => editor.body().list(renamed) == list,
                false => renamed == word,
            };
            if !is_same {
                editor.set_word(inst, at, renamed);
            }
        }
    }
}

/// Returns a type with another id of an opened type in it.
pub fn with_opened_id(ty: SilType, old: Symbol, new: Symbol) -> SilType {
    let mut types = TypeMap::default();
    types.rename(old, new);
    types.sil_type(ty)
}

/// Returns the next id: increments the last group of hexadecimal digits.
fn next_id(id: Symbol) -> Symbol {
    let text = id.as_str();
    let (head, tail) = text.split_at(text.rfind('-').map_or(0, |at| at + 1));
    let width = tail.len();
    match u64::from_str_radix(tail, 16) {
        Ok(number) if (1..=15).contains(&width) => {
            let next = (number + 1) % (1 << (4 * width));
            Symbol::new(&format!("{head}{next:0width$X}"))
        }
        // An id that was not generated by a compiler.
        _ => Symbol::new(&format!("{text}-0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_count_up() {
        let next = |id: &str| next_id(Symbol::new(id)).as_str();
        assert_eq!(next("7984E9B4-E55D-11F1-AF57-02FC00000001"), "7984E9B4-E55D-11F1-AF57-02FC00000002");
        assert_eq!(next("7984E9B4-E55D-11F1-AF57-02FC0000000F"), "7984E9B4-E55D-11F1-AF57-02FC00000010");
        assert_eq!(next("7984E9B4-E55D-11F1-AF57-FFFFFFFFFFFF"), "7984E9B4-E55D-11F1-AF57-000000000000");
        assert_eq!(next("some name"), "some name-0");
        assert_eq!(next(""), "-0");
    }
}
