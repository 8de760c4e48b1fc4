//! Single values and instructions as text with types and comments, for debuggers and tests.

use super::print::{BodyPrinter, Numbers};
use crate::options::PrintOptions;
use crate::printer::{Demangle, Out, Shared};
use silkit_ir::{Block, Body, Inst, Module, Value};
use std::rc::Rc;

/// Prints parts of a body, numbered as in the whole body, with the type of every operand.
///
/// ```
/// let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %x = tuple ()\n  return %x\n}\n";
/// let module = silkit_text::parse_module(text).module;
/// let body = module.functions.values().find_map(|f| f.body.as_ref()).unwrap();
/// let dump = silkit_text::Dump::new(&module, body, &|_| None);
/// let last = body.last_inst(body.entry_block().unwrap()).unwrap();
/// assert_eq!(dump.inst(last, "-> "), "->   return %0 : $()                              // id: %1\n");
/// ```
pub struct Dump<'a> {
    module: &'a Module,
    body: &'a Body,
    demangle: &'a Demangle,
    options: PrintOptions,
    numbers: Rc<Numbers>,
}

/// The numbers of the values, instructions and blocks of a body at one epoch. Computing them takes a walk over the
/// body.
#[derive(Clone)]
pub struct Numbering(Rc<Numbers>);

impl std::fmt::Debug for Numbering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Numbering").finish_non_exhaustive()
    }
}

impl<'a> Dump<'a> {
    /// Creates a printer for parts of a body with existing numbers. The body must not have changed since it was
    /// numbered.
    pub fn numbered(
        module: &'a Module,
        body: &'a Body,
        demangle: &'a Demangle,
        numbering: &Numbering,
    ) -> Self {
        let options = PrintOptions { types: true, ..PrintOptions::default() };
        Self { module, body, demangle, options, numbers: numbering.0.clone() }
    }

    /// Prints locations if the printer options request them. Scope numbers exist only in a whole module: here all are
    /// 0.
    pub fn with_options(mut self, options: &PrintOptions) -> Self {
        self.options.debug_info = options.debug_info;
        self
    }

    /// Returns the numbers of the body.
    pub fn numbering(&self) -> Numbering {
        Numbering(self.numbers.clone())
    }

    /// Creates a printer for parts of a body of a module.
    pub fn new(module: &'a Module, body: &'a Body, demangle: &'a Demangle) -> Self {
        let options = PrintOptions { types: true, ..PrintOptions::default() };
        Self { module, body, demangle, options, numbers: Rc::new(Numbers::of(body, false)) }
    }

    /// Returns an instruction as a line after a prefix. Comments are in the same column as in a whole body.
    pub fn inst(&self, inst: Inst, prefix: &str) -> String {
        self.print(|printer| printer.lone_inst(inst, prefix))
    }

    /// Returns the definition of a value as a line after a prefix: an argument with its block, a result with its
    /// instruction. Among several results it is highlighted (`**%1**`).
    pub fn value(&self, value: Value, prefix: &str) -> String {
        self.print(|printer| printer.lone_value(value, prefix))
    }

    /// Returns a block with its instructions as it prints in the whole body.
    pub fn whole_block(&self, block: Block) -> String {
        self.print_with(&PrintOptions::default(), |printer| printer.block(block))
    }

    /// Returns a block with its instructions and the types of their operands.
    pub fn typed_block(&self, block: Block) -> String {
        self.print(|printer| printer.block(block))
    }

    /// Returns the number of a value in the whole body.
    pub fn value_number(&self, value: Value) -> u32 {
        self.numbers.value(value)
    }

    /// Returns the number of an instruction: the number of its first result, or its own if it has none.
    pub fn inst_number(&self, inst: Inst) -> u32 {
        self.numbers.inst(inst)
    }

    /// Returns the name of a block: `bb1`.
    pub fn block(&self, block: Block) -> String {
        self.print(|printer| printer.block_name(block))
    }

    fn print(&self, print: impl FnOnce(&mut BodyPrinter<'_, '_>)) -> String {
        self.print_with(&self.options, print)
    }

    fn print_with(&self, options: &PrintOptions, print: impl FnOnce(&mut BodyPrinter<'_, '_>)) -> String {
        let shared = Shared::of(self.module, self.demangle);
        let mut out = Out::new(&shared);
        print(&mut BodyPrinter::with_numbers(self.body, &mut out, options, self.numbers.clone()));
        out.take()
    }
}

impl std::fmt::Debug for Dump<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dump").field("options", &self.options).finish_non_exhaustive()
    }
}
