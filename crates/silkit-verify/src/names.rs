//! The names of values and blocks in messages: those of the source text, or those that the printer would assign.

use silkit_base::FxHashMap;
use silkit_ir::{Block, Body, Value, ValueDef};
use silkit_text::BodySourceMap;
use std::sync::OnceLock;

/// The names in one body.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    body: &'a Body,
    source: Option<(&'a str, &'a BodySourceMap)>,
    printed: OnceLock<Printed>,
}

/// The numbers that the printer assigns.
#[derive(Debug)]
struct Printed {
    blocks: FxHashMap<Block, usize>,
    values: FxHashMap<Value, usize>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(body: &'a Body, source: Option<(&'a str, &'a BodySourceMap)>) -> Self {
        Self { body, source, printed: OnceLock::new() }
    }

    /// Returns the name of a block: `bb1`.
    pub(crate) fn block(&self, block: Block) -> String {
        let spelled = self.at(|map| map.block(block)).map(word);
        match spelled {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => match self.printed().blocks.get(&block) {
                Some(number) => format!("bb{number}"),
                None => block.to_string(),
            },
        }
    }

    /// Returns the name of a value: `%1`.
    pub(crate) fn value(&self, value: Value) -> String {
        let spelled = match self.body.def(value) {
            ValueDef::Undef => return "undef".to_owned(),
            ValueDef::Pending => return "a value without a definition".to_owned(),
            ValueDef::Argument(block, index) => {
                self.at(|map| map.block(block)).and_then(|text| nth_value(text, index.into(), b':'))
            }
            ValueDef::Result(inst, index) => {
                self.at(|map| map.inst(inst)).and_then(|text| nth_value(text, index.into(), b'='))
            }
        };
        match spelled {
            Some(name) => name.to_owned(),
            None => match self.printed().values.get(&value) {
                Some(number) => format!("%{number}"),
                None => value.to_string(),
            },
        }
    }

    /// Returns the text from the position of an entity.
    fn at(&self, place: impl FnOnce(&BodySourceMap) -> Option<u32>) -> Option<&'a str> {
        let (text, map) = self.source?;
        text.get(place(map)? as usize..)
    }

    /// Numbers blocks and values as the printer does: an instruction without a result takes a number as well.
    fn printed(&self) -> &Printed {
        self.printed.get_or_init(|| {
            let mut printed = Printed { blocks: FxHashMap::default(), values: FxHashMap::default() };
            let mut next = 0;
            for (number, block) in self.body.blocks().enumerate() {
                printed.blocks.insert(block, number);
                let arguments = self.body.arguments(block).iter().copied();
                for value in arguments {
                    printed.values.insert(value, next);
                    next += 1;
                }
                for inst in self.body.block_insts(block) {
                    let results = self.body.results(inst);
                    next += usize::from(results.len() == 0);
                    for value in results {
                        printed.values.insert(value, next);
                        next += 1;
                    }
                }
            }
            printed
        })
    }
}

/// Returns the word at the start of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Returns the value at an index of a list `%a : …, %b : …` or `(%a, %b) =`; each value is followed by the character
/// `follows`.
fn nth_value(text: &str, index: usize, follows: u8) -> Option<&str> {
    // A label is on one line and contains no other `%`.
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let line = if follows == b'=' { &line[..line.find('=')?] } else { line };
    let at = line.match_indices('%').nth(index)?.0;
    let name = &line[at..at + 1 + word(&line[at + 1..]).len()];
    (name.len() > 1).then_some(name)
}
