//! `test-runner`: runs the utility tests that `specify_test` instructions specify, with output in the reference's
//! format.

mod arguments;
mod tests;

use arguments::{Argument, Arguments, Place, words};
use silkit_analysis::{Analysis, AnalysisCache, BodyView, Cached};
use silkit_base::FxHashMap;
use silkit_ir::conventions::Addresses;
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{Body, Epoch, Function, FunctionId, Inst, Module, Opcode, Value};
use silkit_pass::{FunctionContext, ModuleContext, Pass, bottom_up, on_function, options};
use silkit_text::{Dump, Numbering, PrintOptions};
use std::cell::RefCell;

pub(crate) const PASS: Pass<'static> =
    Pass::module("test-runner", "Runs the unit tests that `specify_test` instructions name", &run)
        .with_options(&[options::OPAQUE_VALUES, options::PRINT_TYPES]);

/// The function that runs a test of a utility.
type TestFn = fn(&mut Test<'_, '_>) -> Result<(), String>;

/// The input of a test.
struct Test<'t, 'm> {
    cx: &'t mut ModuleContext<'m>,
    function: FunctionId,
    arguments: Arguments,
    cache: AnalysisCache,
    /// The numbering of the body that was printed last, while it is unchanged.
    numbering: RefCell<Option<(FunctionId, Epoch, Numbering)>>,
    output: String,
}

/// The values that `debug_value [trace]` instructions trace in each visited function.
#[derive(Debug, Default)]
struct Traces {
    known: FxHashMap<FunctionId, Vec<Value>>,
}

impl Traces {
    /// Returns the traced values of a function with a body, in order. The tracing instructions are removed.
    fn of(&mut self, module: &mut Module, function: FunctionId) -> &[Value] {
        self.known.entry(function).or_insert_with(|| {
            let Some(body) = &mut module.functions[function].body else { return Vec::new() };
            let is_trace = |&i: &Inst| body.inst(i).opcode == Opcode::DebugValue && body.has_flag(i, "trace");
            let traces: Vec<Inst> = body.insts().filter(is_trace).collect();
            let values = traces.iter().map(|&i| body.operand_value(i, 0)).collect();
            traces.into_iter().for_each(|inst| body.edit().remove(inst));
            values
        })
    }
}

fn run(cx: &mut ModuleContext<'_>) {
    let mut traces = Traces::default();
    for function in bottom_up(&cx.program()) {
        if let Err(message) = run_tests(cx, &mut traces, function) {
            cx.report(Some(function), message);
            return;
        }
    }
}

/// Passes that are not built, with the beginnings of the names of their tests.
const OTHER_PASSES: [(&str, &str); 7] = [
    ("closure_specialize_", "closure-specialize"),
    ("lifetime_dependence_", "lifetime-dependence-diagnostics"),
    ("sil-isolation-info-", "send-non-sendable"),
    ("sil_combine_", "sil-combine"),
    ("sil_isolation_info_", "send-non-sendable"),
    ("sil_regionanalysis_", "send-non-sendable"),
    ("simplify_cfg_", "simplify-cfg"),
];

/// Returns the error for a test that does not exist.
fn not_found(name: &str) -> String {
    match OTHER_PASSES.iter().find(|(start, _)| name.starts_with(start)) {
        Some((_, pass)) => format!("the test `{name}` runs parts of `{pass}`, which is not built"),
        None => format!("unknown test `{name}`"),
    }
}

/// Runs the tests of one function, after removing their instructions.
fn run_tests(cx: &mut ModuleContext<'_>, traces: &mut Traces, function: FunctionId) -> Result<(), String> {
    let Some(body) = &mut cx.module_mut().functions[function].body else { return Ok(()) };
    let all: Vec<Inst> = body.insts().filter(|&i| body.inst(i).opcode == Opcode::SpecifyTest).collect();
    let mut tests = Vec::with_capacity(all.len());
    // In reverse order, so that the instruction after a test is not a removed one.
    for inst in all.into_iter().rev() {
        let text = Body::symbol(body.words(inst)[0]).map_or("", |text| text.as_str());
        let next = body.next_inst(inst).ok_or("a test must be followed by an instruction")?;
        tests.push((words(text), next));
        body.edit().remove(inst);
    }
    tests.reverse();
    let count = tests.len();
    for (index, (words, next)) in tests.into_iter().enumerate() {
        let Some((name, words)) = words.split_first() else {
            return Err("expected the name of a test".to_owned());
        };
        let title = format!(
            "running test {} of {count} on {}: {name} with: {}",
            index + 1,
            cx.module().functions[function].name.as_str(),
            words.join(", ")
        );
        let run = tests::find(name).ok_or_else(|| not_found(name))?;
        cx.print(&format!("\nbegin {title}\n"));
        let source_map = cx.source_map();
        let mut place = Place { module: cx.module_mut(), source_map, traces, function, next };
        let arguments =
            words.iter().map(|word| place.argument(word)).collect::<Result<Vec<Argument>, String>>()?;
        let mut test = Test {
            cx,
            function,
            arguments: Arguments::new(arguments, function),
            cache: AnalysisCache::default(),
            numbering: RefCell::default(),
            output: String::new(),
        };
        let outcome = run(&mut test);
        let has_more = test.arguments.has_more();
        let output = test.output;
        cx.print(&output);
        outcome?;
        if has_more {
            return Err(format!("too many arguments for the test `{name}`"));
        }
        cx.print(&format!("end {title}\n"));
    }
    Ok(())
}

impl Test<'_, '_> {
    fn function(&self) -> &Function {
        &self.cx.module().functions[self.function]
    }

    fn body(&self) -> &Body {
        self.body_of(self.function)
    }

    /// Returns the body of a function that is known to have one.
    fn body_of(&self, function: FunctionId) -> &Body {
        self.cx.module().functions[function]
            .body
            .as_ref()
            .expect("invariant: tests and what they name stand in bodies")
    }

    fn dump(&self) -> Dump<'_> {
        self.dump_of(self.function)
    }

    fn dump_of(&self, function: FunctionId) -> Dump<'_> {
        let body = self.body_of(function);
        let mut known = self.numbering.borrow_mut();
        if let Some((of, epoch, numbering)) = &*known
            && *of == function
            && *epoch == body.epoch()
        {
            return self.cx.printing().numbered_dump(self.cx.module(), body, numbering);
        }
        let dump = self.cx.printing().dump(self.cx.module(), body);
        *known = Some((function, body.epoch(), dump.numbering()));
        dump
    }

    /// Runs a utility on the function in a function context.
    fn with_context<R>(&mut self, work: impl FnOnce(&mut FunctionContext<'_>) -> R) -> R {
        on_function(self.cx, self.function, &mut self.cache, work)
    }

    fn get<A: Analysis>(&self) -> Cached<A> {
        self.with_view(|view| view.with_cache(&self.cache).get())
    }

    /// Calls `look` with a view of the body.
    fn with_view<R>(&self, look: impl FnOnce(&BodyView<'_>) -> R) -> R {
        let program = self.cx.program();
        look(&BodyView::new(&program, self.function(), self.body()))
    }

    /// Returns the representation of address-only values.
    fn addresses(&self) -> Addresses {
        match self.cx.options().is_on(options::OPAQUE_VALUES) {
            true => Addresses::Opaque,
            false => Addresses::Lowered,
        }
    }

    fn ownership(&self) -> BodyOwnership<'_> {
        let context = OwnershipContext::new(self.function(), self.cx.declarations(), self.addresses());
        BodyOwnership::new(self.body(), context)
    }

    /// Returns the next argument, which must be a value.
    fn value(&mut self) -> Result<Value, String> {
        self.arguments.value(self.cx.module())
    }

    /// Returns the next argument, which must be an instruction or the value that it defines.
    fn instruction(&mut self) -> Result<Inst, String> {
        self.arguments.instruction(self.cx.module())
    }

    /// Appends text to the output of the test.
    fn print(&mut self, text: impl AsRef<str>) {
        self.output.push_str(text.as_ref());
    }

    /// Appends the function in its current state.
    fn print_function(&mut self) {
        let types = self.cx.options().is_on(options::PRINT_TYPES);
        let options = PrintOptions { types, ..PrintOptions::default() };
        let text = silkit_text::print_function(
            self.cx.module(),
            self.function(),
            &options,
            self.cx.printing().demangle,
        );
        self.print(text);
    }
}

#[cfg(test)]
mod messages {
    use super::{OTHER_PASSES, not_found, tests};

    #[test]
    fn tests_of_passes_that_are_not_built_name_them() {
        let found = not_found("simplify_cfg_simplify_argument");
        assert_eq!(
            found,
            "the test `simplify_cfg_simplify_argument` runs parts of `simplify-cfg`, which is not built"
        );
        assert_eq!(not_found("simplify"), "unknown test `simplify`");
        assert!(OTHER_PASSES.iter().all(|(start, _)| tests::find(start).is_none()));
    }
}
