//! Bisection of a pass sequence: finds the pass run, and the single transformation in it, that introduces a failure.

use crate::options::PassOptions;
use crate::pipeline::PipelineStep;
use crate::runner::{Limit, PassOutcome, PassRun, Runner};
use silkit_base::Symbol;
use silkit_diff::compare;
use silkit_ir::Module;
use silkit_link::LibrarySource;
use silkit_text::{PrintOptions, print_function, print_module};
use silkit_types::decl::Declarations;

/// The result of a bisection.
#[derive(Clone, Debug)]
pub enum BisectResult {
    /// The output of all passes is good.
    Never,
    /// The module is bad before any pass runs.
    Always,
    /// A change by a pass makes the module bad.
    Found(Box<FailingChange>),
}

/// The first change that makes a module bad.
#[derive(Clone, Debug)]
pub struct FailingChange {
    /// The first run after which the module is bad.
    pub run: PassRun,
    /// The number of the first transformation in that run, starting at 1, after which the module is bad; `None` if
    /// the pass does not count its transformations, or if a change that it does not count is bad.
    pub change: Option<usize>,
    /// The name of that transformation, if the pass names them.
    pub name: Option<&'static str>,
    /// The total number of runs.
    pub runs: usize,
    /// The change as a unified diff of the function, or of the module for a module pass.
    pub difference: String,
}

/// A search for the pass run, and the transformation, that makes a module bad.
///
/// ```
/// use silkit_pass::{Bisection, FunctionContext, Pass, BisectResult};
/// # let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  debug_value %0, let, name \"x\"\n  return %0\n}\n";
/// let module = silkit_text::parse_module(text).module;
/// let declarations = silkit_text::decl::with_stdlib(Default::default());
/// fn nothing(_: &mut FunctionContext<'_>) {}
/// fn strip(cx: &mut FunctionContext<'_>) {
///     let is_variable = |i: &_| cx.body().inst(*i).opcode == silkit_ir::Opcode::DebugValue;
///     let all: Vec<_> = cx.body().insts().filter(is_variable).collect();
///     all.into_iter().for_each(|i| cx.edit().remove(i));
/// }
/// let steps = [Pass::function("nothing", "", &nothing).into(), Pass::function("strip", "", &strip).into()];
/// let has_variables = |m: &silkit_ir::Module| {
///     let bodies = m.functions.values().filter_map(|f| f.body.as_ref());
///     Ok::<bool, ()>(bodies.flat_map(|b| b.insts().map(|i| b.inst(i).opcode)).any(|o| o == silkit_ir::Opcode::DebugValue))
/// };
/// let options = Default::default();
/// let bisection = Bisection { module: &module, declarations: &declarations, steps: &steps, options, library: None };
/// let Ok(BisectResult::Found(culprit)) = bisection.search(has_variables) else { panic!("it is found") };
/// assert_eq!((culprit.run.number, culprit.run.tag.as_str()), (2, "strip"));
/// ```
pub struct Bisection<'a> {
    /// The module. Passes run on copies of it.
    pub module: &'a Module,
    /// Its declarations and those of the standard library.
    pub declarations: &'a Declarations,
    /// The passes.
    pub steps: &'a [PipelineStep<'a>],
    /// The options of passes.
    pub options: PassOptions,
    /// The library from which passes load declarations and bodies.
    pub library: Option<&'a dyn LibrarySource>,
}

impl std::fmt::Debug for Bisection<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bisection")
            .field("steps", &self.steps)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Bisection<'_> {
    /// Runs the search. `is_good` is called on the output after some of the runs, about twice the logarithm of their
    /// number.
    ///
    /// # Errors
    /// Returns the first error of `is_good`.
    pub fn search<E>(&self, mut is_good: impl FnMut(&Module) -> Result<bool, E>) -> Result<BisectResult, E> {
        if !is_good(self.module)? {
            return Ok(BisectResult::Always);
        }
        let (module, outcome) = self.run(None);
        if is_good(&module)? {
            return Ok(BisectResult::Never);
        }
        // Runs that were skipped after a problem have numbers as well.
        let runs = outcome.runs.iter().map(|run| run.number).max().unwrap_or(0);
        let number = first_bad(0, runs, |runs| is_good(&self.run(Some(Limit { runs, changes: None })).0))?;
        let whole = Limit { runs: number, changes: None };
        let (after, outcome) = self.run(Some(whole));
        let Some(run) = outcome.runs.into_iter().find(|run| run.number == number) else {
            // There was no run, so nothing can have become bad: `is_good` is not deterministic.
            return Ok(BisectResult::Never);
        };
        let only = |changes| Some(Limit { runs: number, changes: Some(changes) });
        // Changes that a pass does not count happen even if it may do no transformation.
        let is_counted = run.changes > 0 && is_good(&self.run(only(0)).0)?;
        let (change, name, before, after) = if is_counted {
            let change = first_bad(0, run.changes, |changes| is_good(&self.run(only(changes)).0))?;
            let (after, outcome) = self.run(only(change));
            let name = outcome.runs.iter().find(|run| run.number == number).and_then(|run| run.last_change);
            (Some(change), name, self.run(only(change - 1)).0, after)
        } else {
            (None, None, self.run(Some(Limit { runs: number - 1, changes: None })).0, after)
        };
        let difference = difference(&run, &before, &after);
        Ok(BisectResult::Found(Box::new(FailingChange { run, change, name, runs, difference })))
    }

    fn run(&self, limit: Option<Limit>) -> (Module, PassOutcome) {
        let mut module = self.module.clone();
        let runner = Runner::new().options(self.options.clone()).library(self.library).limit(limit);
        let outcome = runner.run(&mut module, self.declarations, self.steps);
        (module, outcome)
    }
}

/// Returns the first number that is bad, where `good` is good and `bad` is bad.
fn first_bad<E>(
    mut good: usize,
    mut bad: usize,
    mut is_good: impl FnMut(usize) -> Result<bool, E>,
) -> Result<usize, E> {
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if is_good(middle)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(bad)
}

/// Returns the changes of a run.
fn difference(run: &PassRun, before: &Module, after: &Module) -> String {
    let (before, after) = (text_of(before, run.function), text_of(after, run.function));
    let of = run.function.map_or(String::new(), |f| format!(" on @{f}"));
    let title = format!("#{}: {}{of}", run.number, run.tag);
    compare(&before, &after).unified(&title, &title)
}

fn text_of(module: &Module, function: Option<Symbol>) -> String {
    let options = PrintOptions::default();
    let people = |name: &str| silkit_demangle::demangle(name, silkit_demangle::Style::Simplified);
    let named = |name| module.functions.by_key(&name);
    match function.and_then(named) {
        Some(function) => print_function(module, function, &options, &people),
        None => print_module(module, &options, &people),
    }
}
