//! Helpers for tests of analyses and transformations: short names for the entities of a body.

use silkit_base::FxHashMap;
use silkit_ir::{Block, Body, Inst, Operand, Value};

/// The names of the entities of a body, in the order of its text: `bb1` for a block, `%2` for an argument or a result,
/// `bb1.0` for an instruction.
///
/// Names are assigned once and do not change when the body is changed afterwards.
#[derive(Debug)]
pub struct Names {
    blocks: Vec<Block>,
    values: Vec<Value>,
    insts: FxHashMap<Inst, String>,
    by_place: FxHashMap<String, Inst>,
}

impl Names {
    /// Assigns names to the entities of a body.
    pub fn of(body: &Body) -> Names {
        let blocks: Vec<Block> = body.blocks().collect();
        let (mut values, mut insts, mut by_place) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        for (number, &block) in blocks.iter().enumerate() {
            values.extend(body.arguments(block));
            for (index, inst) in body.block_insts(block).enumerate() {
                values.extend(body.results(inst));
                let place = format!("bb{number}.{index}");
                insts.insert(inst, format!("{place}:{}", body.inst(inst).opcode.info().name));
                by_place.insert(place, inst);
            }
        }
        Names { blocks, values, insts, by_place }
    }

    /// Returns the name of a block.
    pub fn block(&self, block: Block) -> String {
        self.blocks.iter().position(|&b| b == block).map_or("?".to_owned(), |n| format!("bb{n}"))
    }

    /// Returns the name of a value.
    pub fn value(&self, value: Value) -> String {
        self.values.iter().position(|&v| v == value).map_or("undef".to_owned(), |n| format!("%{n}"))
    }

    /// Returns the name of an instruction, with its opcode: `bb1.0:load`.
    pub fn inst(&self, inst: Inst) -> String {
        self.insts.get(&inst).cloned().unwrap_or_else(|| "?".to_owned())
    }

    /// Returns the name of an operand: its user and its index.
    pub fn operand(&self, body: &Body, operand: Operand) -> String {
        format!("{}[{}]", self.inst(body.operand(operand).user), body.operand_index(operand))
    }

    /// Returns the names of blocks, as [`list`] shows them.
    pub fn blocks(&self, blocks: impl IntoIterator<Item = Block>) -> String {
        list(blocks.into_iter().map(|b| self.block(b)))
    }

    /// Returns the names of values, as [`list`] shows them.
    pub fn values(&self, values: impl IntoIterator<Item = Value>) -> String {
        list(values.into_iter().map(|v| self.value(v)))
    }

    /// Returns the names of instructions, as [`list`] shows them.
    pub fn insts(&self, insts: impl IntoIterator<Item = Inst>) -> String {
        list(insts.into_iter().map(|i| self.inst(i)))
    }

    /// Returns all named values.
    pub fn all_values(&self) -> &[Value] {
        &self.values
    }

    /// Returns the block with this name.
    ///
    /// # Panics
    /// Panics if there is none, as all `find_` functions do.
    pub fn find_block(&self, name: &str) -> Block {
        let number: usize = name.trim_start_matches("bb").parse().expect("a block");
        self.blocks[number]
    }

    /// Returns the value with this name.
    pub fn find_value(&self, name: &str) -> Value {
        let number: usize = name.trim_start_matches('%').parse().expect("a value");
        self.values[number]
    }

    /// Returns the instruction with this name, which does not include the opcode.
    pub fn find_inst(&self, name: &str) -> Inst {
        *self.by_place.get(name).unwrap_or_else(|| panic!("no instruction {name}"))
    }
}

/// Returns names separated by spaces, or `-` if there are none.
pub fn list(names: impl IntoIterator<Item = String>) -> String {
    let names: Vec<String> = names.into_iter().collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

/// Returns the name of an optional entity, or `-`.
pub fn optional(name: Option<String>) -> String {
    name.unwrap_or_else(|| "-".to_owned())
}

#[cfg(test)]
pub(crate) use text::{each_view, module};

#[cfg(test)]
mod text {
    use crate::{BodyView, ProgramFacts, ProgramView};
    use silkit_ir::Module;
    use silkit_types::decl::Declarations;

    /// Reads a module, with its declarations.
    pub(crate) fn module(text: &str) -> (Module, Declarations) {
        let parsed = silkit_text::parse_module(text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let declarations = silkit_text::decl::declarations(&parsed.module);
        (parsed.module, declarations)
    }

    /// Calls `look` with a view of each body of a module.
    pub(crate) fn each_view(text: &str, mut look: impl FnMut(&BodyView<'_>)) {
        let (module, declarations) = module(text);
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&module, &declarations, &facts);
        module.functions.keys().filter_map(|id| program.body_view(id)).for_each(|view| look(&view));
    }
}
