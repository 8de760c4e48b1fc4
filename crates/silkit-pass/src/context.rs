//! What a pass sees and what it works with.

use crate::output::{Output, Stream};
use silkit_analysis::calls::functions_by_name;
use silkit_analysis::{Analysis, AnalysisCache, Fresh};
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{Body, Builder, Editor, Function, FunctionId, Functions, Inst, Module, Point};
use silkit_text::{Demangle, Dump, Numbering, PrintOptions};
use silkit_types::decl::Declarations;
use std::collections::BTreeMap;

/// Options of passes, by name without dashes: `enable-sil-opaque-values`, and the values of those that have one.
#[derive(Clone, Debug, Default)]
pub struct Options {
    values: BTreeMap<String, String>,
}

impl Options {
    /// Sets an option; a switch has no value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.values.insert(name.into(), value.into());
    }

    /// The value of an option that was given, empty for a switch without one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value, "0" | "false" | "FALSE" | "False"))
    }
}

/// How passes show the code that they speak of.
#[derive(Clone)]
pub struct Printing<'a> {
    /// The names for people that stand in comments.
    pub demangle: &'a Demangle,
    /// Of these, values and instructions that stand alone take whether locations are shown and the text that was read.
    pub options: PrintOptions,
}

impl Default for Printing<'_> {
    fn default() -> Self {
        Self { demangle: &|_| None, options: PrintOptions::default() }
    }
}

impl std::fmt::Debug for Printing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Printing").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Printing<'_> {
    /// What shows single values and instructions of a body of a module.
    pub fn dump<'b>(&'b self, module: &'b Module, body: &'b Body) -> Dump<'b> {
        Dump::new(module, body, self.demangle).with_options(&self.options)
    }

    /// The same for a body that was numbered before, and has not changed since.
    pub fn numbered_dump<'b>(
        &'b self,
        module: &'b Module,
        body: &'b Body,
        numbering: &Numbering,
    ) -> Dump<'b> {
        Dump::numbered(module, body, self.demangle, numbering).with_options(&self.options)
    }
}

/// What all functions share while they are worked on.
#[derive(Debug)]
pub struct World<'a> {
    /// The module. Bodies that are worked on have been taken out: functions with a body have an empty one here.
    pub module: &'a Module,
    /// Its Swift declarations and those of the standard library.
    pub declarations: &'a Declarations,
    /// What the command line says to passes.
    pub options: &'a Options,
    /// How code is shown.
    pub printing: &'a Printing<'a>,
    functions: &'a FxHashMap<Symbol, FunctionId>,
}

impl<'a> World<'a> {
    pub(crate) fn new(
        module: &'a Module,
        declarations: &'a Declarations,
        options: &'a Options,
        printing: &'a Printing<'a>,
        functions: &'a FxHashMap<Symbol, FunctionId>,
    ) -> Self {
        Self { module, declarations, options, printing, functions }
    }

    /// A function by its name.
    pub fn function(&self, name: Symbol) -> Option<&'a Function> {
        self.functions.get(&name).map(|&id| &self.module.functions[id])
    }
}

impl Functions for World<'_> {
    fn function(&self, name: Symbol) -> Option<&Function> {
        World::function(self, name)
    }
}

/// The functions of a module by their names.
#[derive(Debug)]
pub struct FunctionsByName<'a> {
    module: &'a Module,
    functions: FxHashMap<Symbol, FunctionId>,
}

impl<'a> FunctionsByName<'a> {
    /// Those of a module.
    pub fn of(module: &'a Module) -> Self {
        Self { module, functions: functions_by_name(module) }
    }
}

impl Functions for FunctionsByName<'_> {
    fn function(&self, name: Symbol) -> Option<&Function> {
        self.functions.get(&name).map(|&id| &self.module.functions[id])
    }
}

/// Something that a pass found wrong with its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The function.
    pub function: Symbol,
    /// The offset in the text that was read where it is, or [`silkit_ir::NONE`].
    pub pos: u32,
    /// What is wrong.
    pub message: String,
}

/// What is left of a run's allowance, and what it did.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) output: Output,
    pub(crate) problems: Vec<Problem>,
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// How many single transformations may still be done in this run.
    pub(crate) allowance: Option<usize>,
    pub(crate) changes: usize,
    pub(crate) new_functions: Vec<Function>,
}

impl Ledger {
    /// Takes one transformation off the allowance, if there is one left.
    fn may_change(&mut self) -> bool {
        match &mut self.allowance {
            Some(0) => return false,
            Some(left) => *left -= 1,
            None => {}
        }
        self.changes += 1;
        true
    }
}

/// A function that is worked on.
pub struct FunctionContext<'a> {
    /// What all functions share.
    pub world: &'a World<'a>,
    /// The id of the function.
    pub id: FunctionId,
    pub(crate) function: &'a mut Function,
    pub(crate) cache: &'a mut AnalysisCache,
    pub(crate) ledger: &'a mut Ledger,
}

impl<'a> FunctionContext<'a> {
    /// The function with its body.
    pub fn function(&self) -> &Function {
        self.function
    }

    /// The function, to change what stands before its body.
    pub fn function_mut(&mut self) -> &mut Function {
        self.function
    }

    /// The body.
    pub fn body(&self) -> &Body {
        self.function.body.as_ref().expect("invariant: passes see functions with bodies")
    }

    /// The body, to be changed. All changes go through its editor.
    pub fn body_mut(&mut self) -> &mut Body {
        self.function.body.as_mut().expect("invariant: passes see functions with bodies")
    }

    /// The body, to be changed, and what is known about its types: for helpers that make instructions.
    pub fn body_mut_with_declarations(&mut self) -> (&mut Body, &'a Declarations) {
        let declarations = self.world.declarations;
        (self.body_mut(), declarations)
    }

    /// What changes the body.
    pub fn edit(&mut self) -> Editor<'_> {
        self.body_mut().edit()
    }

    /// What makes instructions in the body.
    pub fn builder(&mut self) -> Builder<'_> {
        let declarations = self.world.declarations;
        self.body_mut().builder(declarations)
    }

    /// What makes instructions at a point of the body, with the location of the one that is there.
    pub fn builder_at(&mut self, point: Point) -> Builder<'_> {
        let declarations = self.world.declarations;
        self.body_mut().builder_at(point, declarations)
    }

    /// An analysis of the body, made now unless it was made since the body changed.
    pub fn get<A: Analysis>(&mut self) -> Fresh<A> {
        let body = self.function.body.as_ref().expect("invariant: passes see functions with bodies");
        self.cache.get(body)
    }

    /// Whether one more transformation may be done. A pass that counts its transformations asks before each,
    /// and leaves the code as it is where not: so can be found which one breaks something.
    pub fn may_change(&mut self) -> bool {
        self.ledger.may_change()
    }

    /// Lets a helper change the body, and ask before each single transformation as [`Self::may_change`] is asked.
    pub fn changing<R>(&mut self, change: impl FnOnce(&mut Body, &mut dyn FnMut() -> bool) -> R) -> R {
        let body = self.function.body.as_mut().expect("invariant: passes see functions with bodies");
        let ledger = &mut *self.ledger;
        change(body, &mut || ledger.may_change())
    }

    /// Adds to a counter, shown by `--stats`.
    pub fn count(&mut self, what: &'static str, number: u64) {
        *self.ledger.counts.entry(what).or_default() += number;
    }

    /// Adds a function to the module, which will be worked on too.
    pub fn add_function(&mut self, function: Function) {
        self.ledger.new_functions.push(function);
    }

    /// Prints to standard output.
    pub fn print(&mut self, text: &str) {
        self.ledger.output.print(Stream::Out, text);
    }

    /// Prints to standard error.
    pub fn complain(&mut self, text: &str) {
        self.ledger.output.print(Stream::Err, text);
    }

    /// Reports that the input is wrong at an instruction.
    pub fn report(&mut self, at: Option<Inst>, message: impl Into<String>) {
        let pos = at.map_or(silkit_ir::NONE, |inst| self.body().inst(inst).pos);
        self.ledger.problems.push(Problem { function: self.function.name, pos, message: message.into() });
    }

    /// What shows single values and instructions of the body as it is now.
    pub fn dump(&self) -> Dump<'_> {
        self.world.printing.dump(self.world.module, self.body())
    }
}

/// Lets a utility work on one function of a module as it does for a pass.
///
/// # Panics
/// Where the function has no body.
pub fn on_function<R>(
    cx: &mut ModuleContext<'_>,
    id: FunctionId,
    cache: &mut AnalysisCache,
    work: impl FnOnce(&mut FunctionContext<'_>) -> R,
) -> R {
    let header = cx.module.functions[id].header();
    let mut function = std::mem::replace(&mut cx.module.functions[id], header);
    let names = functions_by_name(cx.module);
    let world = World::new(cx.module, cx.declarations, cx.options, cx.printing, &names);
    let ledger = &mut *cx.ledger;
    let result = work(&mut FunctionContext { world: &world, id, function: &mut function, cache, ledger });
    cx.module.functions[id] = function;
    result
}

/// A module that is worked on.
pub struct ModuleContext<'a> {
    /// The module.
    pub module: &'a mut Module,
    /// Its Swift declarations and those of the standard library.
    pub declarations: &'a Declarations,
    /// What the command line says to passes.
    pub options: &'a Options,
    /// How code is shown.
    pub printing: &'a Printing<'a>,
    pub(crate) ledger: &'a mut Ledger,
}

impl ModuleContext<'_> {
    /// Reports that the input is wrong in a function, or elsewhere.
    pub fn report(&mut self, function: Option<FunctionId>, message: impl Into<String>) {
        let function = function.map_or(Symbol::new(""), |function| self.module.functions[function].name);
        self.ledger.problems.push(Problem { function, pos: silkit_ir::NONE, message: message.into() });
    }

    /// Prints to standard output.
    pub fn print(&mut self, text: &str) {
        self.ledger.output.print(Stream::Out, text);
    }

    /// Prints to standard error.
    pub fn complain(&mut self, text: &str) {
        self.ledger.output.print(Stream::Err, text);
    }

    /// Adds to a counter, shown by `--stats`.
    pub fn count(&mut self, what: &'static str, number: u64) {
        *self.ledger.counts.entry(what).or_default() += number;
    }

    /// What shows single values and instructions of a body of the module.
    pub fn dump<'b>(&'b self, body: &'b Body) -> Dump<'b> {
        self.printing.dump(self.module, body)
    }
}
