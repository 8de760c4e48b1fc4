//! The observable behavior of a program, and the comparison of two runs.

use silkit::base::Symbol;
use silkit::ir::{Body, Module};
use silkit_interp::{
    Coverage, Interp, Program, ProgramModule, RecordingHost, RunOptions, RunOutcome, Stop, ViolationKind,
};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// The stack size in bytes of an interpreter thread: casts and deinits of the program recurse on this stack.
const NATIVE_STACK: usize = 1 << 30;

/// Runs `work` on a thread with a stack that is large enough to interpret programs. Returns `None` if the thread cannot
/// be created or `work` panics.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(NATIVE_STACK).spawn_scoped(scope, work).ok()?;
        thread.join().ok()
    })
}

/// The entry point of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntryPoint {
    /// The function with this name, run as the main function of a program.
    Program(String),
    /// A function whose parameters are builtin integers, called once with each of the inputs. Calls of unknown
    /// functions are recorded.
    Function {
        /// The name of the function.
        name: String,
        /// The arguments of each call.
        inputs: Vec<Vec<u64>>,
    },
}

impl EntryPoint {
    /// Returns the entry point for the function with this name: a function with inputs if it has parameters and all of
    /// them are builtin integers, otherwise a program.
    pub fn of(module: &Module, name: &str, inputs: usize, seed: u64) -> Self {
        let ty = module.functions.by_key(&Symbol::new(name)).and_then(|f| f.ty.ty().as_function());
        let is_int = |ty: &silkit::types::Type| ty.to_string().starts_with("Builtin.Int");
        match ty.map(|ty| &ty.params) {
            Some(params) if !params.is_empty() && params.iter().all(|p| is_int(&p.ty)) => {
                Self::Function { name: name.to_owned(), inputs: numbers(params.len(), inputs, seed) }
            }
            _ => Self::Program(name.to_owned()),
        }
    }
}

/// Returns the next number of a random sequence, of 31 bits.
pub(crate) fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Returns arguments for calls: small and large integers first, then random integers.
fn numbers(count: usize, inputs: usize, seed: u64) -> Vec<Vec<u64>> {
    const USUAL: [u64; 6] = [0, 1, 7, u64::MAX, i64::MAX as u64, 1 << 63];
    let mut state = seed;
    let mut next = || next_random(&mut state);
    (0..inputs)
        .map(|input| {
            (0..count)
                .map(|at| match USUAL.get(input + at) {
                    Some(&number) if input < USUAL.len() => number,
                    _ if next() % 2 == 0 => next() % 16,
                    _ => next() << 32 | next(),
                })
                .collect()
        })
        .collect()
}

/// The setup of runs.
#[derive(Clone, Debug)]
pub struct ProgramSetup {
    /// The library modules that programs are linked with.
    pub libraries: Vec<Arc<ProgramModule>>,
    /// The entry point.
    pub entry: EntryPoint,
    /// The maximum number of instructions that a run executes.
    pub limit: u64,
    /// The maximum number of bytes of memory in use.
    pub memory: u64,
    /// True if `consume` of a copyable value in raw SIL copies. See [`RunOptions::consume_copies`].
    pub consume_copies: bool,
    /// The kinds of violations that are not checked.
    pub unchecked: Vec<ViolationKind>,
}

impl ProgramSetup {
    /// Creates a setup for programs with the entry point `main` and without libraries.
    pub fn new() -> Self {
        Self {
            libraries: Vec::new(),
            entry: EntryPoint::Program("main".to_owned()),
            limit: 400_000_000,
            memory: 2 << 30,
            consume_copies: false,
            unchecked: Vec::new(),
        }
    }

    /// Links a module with the library modules.
    pub fn link(&self, module: Module) -> Rc<Program> {
        let name = name_of(&module);
        self.link_as(&name, module)
    }

    /// Links a module of this name with the library modules.
    pub(crate) fn link_as(&self, name: &str, module: Module) -> Rc<Program> {
        let mut modules = vec![Arc::new(ProgramModule::new(name, module))];
        modules.extend(self.libraries.iter().filter(|l| l.info.name != name).cloned());
        Rc::new(Program::link(modules))
    }

    /// Links a module and runs it.
    pub fn run(&self, module: &Module) -> ProgramBehavior {
        self.run_linked(&self.link(module.clone()), self.limit)
    }

    /// Runs a linked program with the given step limit.
    pub fn run_linked(&self, program: &Rc<Program>, limit: u64) -> ProgramBehavior {
        self.run_all(program, limit, None)
    }

    /// Runs a linked program and counts the executed instructions.
    pub(crate) fn run_counted(&self, program: &Rc<Program>) -> (ProgramBehavior, Coverage) {
        let mut coverage = Coverage::default();
        let behavior = self.run_all(program, self.limit, Some(&mut coverage));
        (behavior, coverage)
    }

    fn run_all(
        &self,
        program: &Rc<Program>,
        limit: u64,
        mut coverage: Option<&mut Coverage>,
    ) -> ProgramBehavior {
        let calls = match &self.entry {
            EntryPoint::Program(name) => vec![self.run_once(program, limit, name, None, coverage)],
            EntryPoint::Function { name, inputs } => {
                let run = |input: &Vec<u64>| {
                    self.run_once(program, limit, name, Some(input), coverage.as_deref_mut())
                };
                inputs.iter().map(run).collect()
            }
        };
        ProgramBehavior { calls }
    }

    fn options(&self, limit: u64, foreign: bool, coverage: bool) -> RunOptions {
        RunOptions {
            limit,
            memory: self.memory,
            leaks: true,
            values_own: true,
            foreign,
            coverage,
            consume_copies: self.consume_copies,
            unchecked: self.unchecked.iter().copied().collect(),
            ..RunOptions::default()
        }
    }

    fn run_once(
        &self,
        program: &Rc<Program>,
        limit: u64,
        entry: &str,
        input: Option<&[u64]>,
        coverage: Option<&mut Coverage>,
    ) -> Call {
        let mut host = RecordingHost::default();
        let options = self.options(limit, input.is_some(), coverage.is_some());
        let mut interp = Interp::new(program.clone(), options, &mut host);
        let (result, outcome) = match input {
            Some(input) => interp.run_function(entry, input),
            None => (None, interp.run_program(entry)),
        };
        if let Some(coverage) = coverage {
            coverage.add(&interp.coverage());
        }
        let globals = if input.is_some() { interp.scalar_globals() } else { Vec::new() };
        let input = input.map_or(Vec::new(), <[u64]>::to_vec);
        let (references, open_lifetimes) = (interp.strong_references(), interp.open_lifetimes());
        drop(interp);
        Call { references, open_lifetimes, ..Call::new(input, result, globals, &outcome, host) }
    }
}

impl Default for ProgramSetup {
    fn default() -> Self {
        Self::new()
    }
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The program ended with an exit code: a normal exit, a trap or a fatal error.
    Exit(i32),
    /// The program ended with this exit code when accesses overlapped. Passes may remove a dead access, so that the
    /// program goes on.
    AccessConflict(i32),
    /// The run stopped at undefined behavior: the kind and the report.
    Violation(ViolationKind, String),
    /// The run stopped at an unsupported feature.
    Unsupported(String),
    /// The run reached the step limit or the memory limit.
    Limit(&'static str),
}

impl Ending {
    /// Returns the exit code if the program ended.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Exit(code) | Self::AccessConflict(code) => Some(*code),
            _ => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) | Self::AccessConflict(code) => write!(f, "exit code {code}"),
            Self::Violation(_, report) => f.write_str(report),
            Self::Unsupported(what) => write!(f, "{what} is not supported"),
            Self::Limit(what) => write!(f, "the {what} limit was reached"),
        }
    }
}

/// The observable behavior of one call of the entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    input: Vec<u64>,
    pub(crate) ending: Ending,
    result: Option<u64>,
    output: Vec<u8>,
    /// The calls of unknown functions.
    unknown: Vec<(String, Vec<u64>)>,
    globals: Vec<(Symbol, u64)>,
    leaks: Vec<String>,
    /// The number of strong references to the objects that are alive at the end.
    references: u64,
    /// The number of allocations that are alive and of accesses that have not ended at the end.
    open_lifetimes: u64,
    pub(crate) steps: u64,
}

impl Call {
    pub(crate) fn new(
        input: Vec<u64>,
        result: Option<u64>,
        globals: Vec<(Symbol, u64)>,
        outcome: &RunOutcome,
        host: RecordingHost,
    ) -> Self {
        let ending = match &outcome.stop {
            Stop::Failure { code, is_access_conflict: true, .. } => Ending::AccessConflict(*code),
            Stop::Exit(code) | Stop::Failure { code, .. } => Ending::Exit(*code),
            Stop::Violation(violation) => Ending::Violation(violation.kind, violation.to_string()),
            Stop::Unsupported(what) | Stop::Missing { what, .. } => Ending::Unsupported(what.clone()),
            Stop::Limit => Ending::Limit("instruction"),
            Stop::OutOfMemory => Ending::Limit("memory"),
        };
        let leaks = outcome.leaks.iter().map(ToString::to_string).collect();
        Self {
            input,
            ending,
            result,
            output: host.stdout,
            unknown: host.calls,
            globals,
            leaks,
            references: 0,
            open_lifetimes: 0,
            steps: outcome.steps,
        }
    }

    /// Returns true if another call does the same until accesses overlap, and then goes on, possibly to other accesses that
    /// overlap.
    fn goes_on_in(&self, after: &Self) -> bool {
        let does_more = after.output.len() > self.output.len() || after.unknown.len() > self.unknown.len();
        matches!(self.ending, Ending::AccessConflict(_))
            && (self.ending != after.ending || does_more)
            && after.output.starts_with(&self.output)
            && after.unknown.starts_with(&self.unknown)
    }

    /// Returns a description of the difference to another call, or `None` if there is none.
    fn difference(&self, after: &Self) -> Option<String> {
        let is_cut = matches!(self.ending, Ending::Limit(_));
        if is_cut && (after.output.starts_with(&self.output) || self.output.starts_with(&after.output)) {
            return None;
        }
        let is_same_end = match (&self.ending, &after.ending) {
            (Ending::Violation(a, _), Ending::Violation(b, _)) => a == b,
            (a, b) => a == b,
        };
        if !is_same_end {
            return Some(format!("the run ended with {}, now with {}", self.ending, after.ending));
        }
        if self.result != after.result {
            let shown = |result: Option<u64>| result.map_or("nothing".to_owned(), |r| (r as i64).to_string());
            return Some(format!("the result was {}, now it is {}", shown(self.result), shown(after.result)));
        }
        if self.output != after.output && without_addresses(&self.output) != without_addresses(&after.output)
        {
            return Some(lines(&self.output, &after.output));
        }
        if self.unknown != after.unknown {
            return Some(calls(&self.unknown, &after.unknown));
        }
        let mut globals = self.globals.iter().filter_map(|(name, old)| {
            let (_, new) = after.globals.iter().find(|(other, _)| other == name)?;
            (old != new).then(|| format!("@{name} was {}, now it is {}", *old as i64, *new as i64))
        });
        if let Some(text) = globals.next() {
            return Some(text);
        }
        match after.leaks.len() > self.leaks.len() {
            true => Some(format!(
                "leaked allocations: {}, now {}: {}",
                self.leaks.len(),
                after.leaks.len(),
                after.leaks[0]
            )),
            false => None,
        }
    }
}

/// Replaces the digits of addresses in a text with zeros. An address is `0x` and 16 digits, the format in which the
/// library prints it; addresses depend on earlier allocations.
fn without_addresses(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for at in 2..text.len() {
        if text[..at].ends_with(b"0x") {
            let digits = text[at..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if digits == 16 {
                text[at..at + digits].fill(b'0');
            }
        }
    }
    text
}

fn lines(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let pairs = before.lines().zip(after.lines()).enumerate();
    match { pairs }.find(|(_, (a, b))| a != b) {
        Some((at, (a, b))) => format!("line {} of the output was {a:?}, now it is {b:?}", at + 1),
        None => {
            format!("the output had {} lines, now it has {}", before.lines().count(), after.lines().count())
        }
    }
}

fn calls(before: &[(String, Vec<u64>)], after: &[(String, Vec<u64>)]) -> String {
    let shown = |call: Option<&(String, Vec<u64>)>| {
        call.map_or("missing".to_owned(), |(name, arguments)| {
            let arguments: Vec<String> = arguments.iter().map(|a| (*a as i64).to_string()).collect();
            format!("@{name}({})", arguments.join(", "))
        })
    };
    let at = (0..before.len().max(after.len())).find(|&at| before.get(at) != after.get(at)).unwrap_or(0);
    format!(
        "call {} of an external function was {}, now it is {}",
        at + 1,
        shown(before.get(at)),
        shown(after.get(at))
    )
}

/// The observable behavior of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramBehavior {
    pub(crate) calls: Vec<Call>,
}

impl ProgramBehavior {
    /// Returns the reason if the run is inconclusive because it needs an unsupported feature.
    pub fn inconclusive(&self) -> Option<String> {
        let is_inconclusive = |call: &&Call| matches!(call.ending, Ending::Unsupported(_));
        self.calls.iter().find(is_inconclusive).map(|call| call.ending.to_string())
    }

    /// Returns the number of executed instructions.
    pub fn steps(&self) -> u64 {
        self.calls.iter().map(|call| call.steps).sum()
    }

    /// Returns the ending of the run with the last input.
    pub fn ending(&self) -> Option<&Ending> {
        self.calls.last().map(|call| &call.ending)
    }

    /// Returns the bytes written to standard output.
    pub fn output(&self) -> Vec<u8> {
        self.calls.iter().flat_map(|call| call.output.iter().copied()).collect()
    }

    /// Returns the number of leaked allocations.
    pub fn leaks(&self) -> usize {
        self.calls.iter().map(|call| call.leaks.len()).sum()
    }

    /// Returns the report of undefined behavior, if any.
    pub fn violation(&self) -> Option<&str> {
        self.calls.iter().find_map(|call| match &call.ending {
            Ending::Violation(_, report) => Some(report.as_str()),
            _ => None,
        })
    }

    /// Returns the report of the first leak, if any.
    pub fn first_leak(&self) -> Option<&str> {
        self.calls.iter().find_map(|call| call.leaks.first()).map(String::as_str)
    }

    /// Returns the number of strong references to the objects that are alive at the end.
    pub fn references(&self) -> u64 {
        self.calls.iter().map(|call| call.references).sum()
    }

    /// Returns the number of allocations that are alive and of accesses that have not ended at the end.
    pub fn open_lifetimes(&self) -> u64 {
        self.calls.iter().map(|call| call.open_lifetimes).sum()
    }

    /// Returns a description of the difference to another run, or `None` if both behave the same. Fewer leaks do not
    /// count as a difference. If a limit ended this run, only the output up to that point is compared.
    pub fn difference(&self, after: &Self) -> Option<String> {
        self.first_difference(after, |_, _| false)
    }

    /// Returns a description of a difference to a run after passes that must not exist, as [`Self::difference`] does.
    /// Passes may remove dead accesses, so that a program goes on where they overlapped.
    pub fn difference_after_passes(&self, after: &Self) -> Option<String> {
        self.first_difference(after, Call::goes_on_in)
    }

    fn first_difference(&self, after: &Self, is_allowed: fn(&Call, &Call) -> bool) -> Option<String> {
        let calls = self.calls.iter().zip(&after.calls);
        let mut compared = calls.filter(|(before, after)| !is_allowed(before, after));
        compared.find_map(|(before, after)| {
            let difference = before.difference(after)?;
            let input: Vec<String> = before.input.iter().map(|n| (*n as i64).to_string()).collect();
            Some(if input.is_empty() {
                difference
            } else {
                format!("with ({}): {difference}", input.join(", "))
            })
        })
    }
}

/// Returns the name of a program's module.
pub(crate) fn name_of(module: &Module) -> String {
    ProgramModule::guess_name(module).unwrap_or_else(|| "main".to_owned())
}

/// Returns true if a module defines the function of the entry point.
pub(crate) fn has_entry(module: &Module, entry: &EntryPoint) -> bool {
    let (EntryPoint::Program(name) | EntryPoint::Function { name, .. }) = entry;
    let function = module.functions.by_key(&Symbol::new(name));
    function.and_then(|f| f.body.as_ref()).and_then(Body::entry_block).is_some()
}
