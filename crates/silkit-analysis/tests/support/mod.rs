//! What tests of analyses share: a module from text, names for its entities, and lists of names.

pub(crate) mod control;
pub(crate) mod memory;
pub(crate) mod program;
mod properties;
pub(crate) mod values;

use silkit_analysis::ossa::Borrows;
use silkit_analysis::{BodyView, ProgramFacts, ProgramView};
use silkit_base::FxHashMap;
use silkit_ir::{Block, Body, Function, Inst, Module, Operand, Value};
use silkit_types::decl::Declarations;

/// A module that a test asks about.
pub(crate) struct Subject {
    pub(crate) module: Module,
    pub(crate) declarations: Declarations,
    /// The words of the comment lines at the start of the text: what the case asks.
    pub(crate) questions: Vec<Vec<String>>,
}

impl Subject {
    /// Reads a module, which must have no errors.
    pub(crate) fn parse(text: &str) -> Subject {
        let parsed = silkit_text::parse_module(text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let declarations = silkit_text::decl::declarations(&parsed.module);
        let questions = text.lines().map_while(|line| line.strip_prefix("// "));
        let questions = questions.map(|q| q.split_whitespace().map(str::to_owned).collect()).collect();
        Subject { module: parsed.module, declarations, questions }
    }

    /// Returns the functions with bodies.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&Function, &Body)> {
        self.module.functions.values().filter_map(|f| Some((f, f.body.as_ref()?)))
    }

    /// Returns the last function with a body: the one that a case asks about.
    pub(crate) fn function(&self) -> (&Function, &Body) {
        self.functions().last().expect("a function with a body")
    }
}

/// Runs a function with a view of the body that a case asks about.
pub(crate) fn with_view<R>(subject: &Subject, then: impl FnOnce(&BodyView<'_>) -> R) -> R {
    let facts = ProgramFacts::new(false);
    let program = ProgramView::new(&subject.module, &subject.declarations, &facts);
    let mut bodies = subject.module.functions.iter().rev().filter(|(_, f)| f.body.is_some());
    let (id, _) = bodies.next().expect("a function with a body");
    then(&program.body_view(id).expect("a body"))
}

/// Runs a function with a view of the program.
pub(crate) fn with_program<R>(subject: &Subject, then: impl FnOnce(&ProgramView<'_>) -> R) -> R {
    let is_whole_module = subject.questions.iter().flatten().any(|word| word == "whole-module");
    let facts = ProgramFacts::new(is_whole_module);
    then(&ProgramView::new(&subject.module, &subject.declarations, &facts))
}

/// Returns what a function says of each body of a module, below the name of the function.
pub(crate) fn each_view(subject: &Subject, say: impl Fn(&BodyView<'_>, &Names<'_>) -> String) -> String {
    with_program(subject, |program| {
        let views = program.module.functions.keys().filter_map(|id| program.body_view(id));
        views.map(|v| format!("@{}\n{}", v.function.name, say(&v, &Names::of(v.body)))).collect()
    })
}

/// Runs a function with the borrows of a body.
pub(crate) fn with_borrows<R>(subject: &Subject, then: impl FnOnce(&Borrows<'_>) -> R) -> R {
    with_view(subject, |view| then(&Borrows::new(view.body, &view.all_ownership())))
}

/// The names of the entities of a body: `bb1` for a block, `%2` for a value, `bb1.0` for an instruction.
pub(crate) struct Names<'a> {
    body: &'a Body,
    blocks: Vec<Block>,
    values: Vec<Value>,
    insts: FxHashMap<Inst, String>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(body: &'a Body) -> Names<'a> {
        let blocks: Vec<Block> = body.blocks().collect();
        let (mut values, mut insts) = (Vec::new(), FxHashMap::default());
        for (number, &block) in blocks.iter().enumerate() {
            values.extend(body.arguments(block));
            for (index, inst) in body.block_insts(block).enumerate() {
                values.extend(body.results(inst));
                insts.insert(inst, format!("bb{number}.{index}"));
            }
        }
        Names { body, blocks, values, insts }
    }

    pub(crate) fn block(&self, block: Block) -> String {
        self.blocks.iter().position(|&b| b == block).map_or("?".to_owned(), |n| format!("bb{n}"))
    }

    pub(crate) fn value(&self, value: Value) -> String {
        self.values.iter().position(|&v| v == value).map_or("undef".to_owned(), |n| format!("%{n}"))
    }

    /// Returns an instruction, with its opcode: `bb1.0:load`.
    pub(crate) fn inst(&self, inst: Inst) -> String {
        let opcode = self.body.inst(inst).opcode.info().name;
        self.insts.get(&inst).map_or("?".to_owned(), |place| format!("{place}:{opcode}"))
    }

    /// Returns an operand: its user and its index.
    pub(crate) fn operand(&self, operand: Operand) -> String {
        format!("{}[{}]", self.inst(self.body.operand(operand).user), self.body.operand_index(operand))
    }

    pub(crate) fn blocks(&self, blocks: impl IntoIterator<Item = Block>) -> String {
        list(blocks.into_iter().map(|b| self.block(b)))
    }

    pub(crate) fn values(&self, values: impl IntoIterator<Item = Value>) -> String {
        list(values.into_iter().map(|v| self.value(v)))
    }

    pub(crate) fn insts(&self, insts: impl IntoIterator<Item = Inst>) -> String {
        list(insts.into_iter().map(|i| self.inst(i)))
    }

    pub(crate) fn all_values(&self) -> &[Value] {
        &self.values
    }

    pub(crate) fn find_block(&self, name: &str) -> Block {
        let number: usize = name.trim_start_matches("bb").parse().expect("a block");
        self.blocks[number]
    }

    pub(crate) fn find_value(&self, name: &str) -> Value {
        let number: usize = name.trim_start_matches('%').parse().expect("a value");
        self.values[number]
    }

    pub(crate) fn find_inst(&self, name: &str) -> Inst {
        let (block, index) = name.split_once('.').expect("an instruction");
        let index: usize = index.parse().expect("an index");
        self.body.block_insts(self.find_block(block)).nth(index).expect("an instruction")
    }
}

/// Names in a row, or `-`.
pub(crate) fn list(names: impl IntoIterator<Item = String>) -> String {
    let names: Vec<String> = names.into_iter().collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

/// Returns the name of something that there may be, or `-`.
pub(crate) fn optional(name: Option<String>) -> String {
    name.unwrap_or_else(|| "-".to_owned())
}
