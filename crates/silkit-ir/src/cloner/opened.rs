//! Opened types of copies: each is opened by one instruction of a body, so a second copy needs its own.

use super::Cloner;
use crate::body::{Body, Inst};
use crate::generated::Opcode;
use silkit_base::{FxHashSet, Symbol};

impl Cloner<'_> {
    /// Renames types that the instructions open if the target body opens a type with the same id already.
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

    /// Returns the attribute words of a copy of `open_pack_element`, which binds types of its own: it holds the id of
    /// the opened type itself, and its shape is in terms of its own signature.
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

/// Returns the id after another one: its last group of hexadecimal digits counts up.
fn next_id(id: Symbol) -> Symbol {
    let text = id.as_str();
    let (head, tail) = text.split_at(text.rfind('-').map_or(0, |at| at + 1));
    let width = tail.len();
    match u64::from_str_radix(tail, 16) {
        Ok(number) if (1..=15).contains(&width) => {
            let next = (number + 1) % (1 << (4 * width));
            Symbol::new(&format!("{head}{next:0width$X}"))
        }
        // No id that a compiler made.
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
