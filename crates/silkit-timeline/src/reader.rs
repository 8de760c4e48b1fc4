//! The reader of logs: splits a stream into steps. Lines that are not SIL may be anywhere between the printed entities.

use crate::header::{Header, RunLine, StepKind};
use crate::store::BodyId;
use crate::timeline::{NameId, OtherLine, Pass, PassId, Run, StageId, Step, StepId, Timeline, Version};
use silkit::base::{Entity as _, FxHashMap, SecondaryMap};
use silkit::diff::function_name;

/// Reads a log in pieces of any length.
///
/// ```
/// use silkit_timeline::Reader;
/// let mut reader = Reader::new();
/// reader.feed(b"  *** SIL function after  #3, stage S, pass 1: DCE (dce)\nsil @f : $() -> ()");
/// reader.feed(b" {\nbb0:\n  unreachable\n}\n");
/// let timeline = reader.finish();
/// let (_, step) = timeline.steps().next().unwrap();
/// assert_eq!((step.number, timeline.tag(step)), (Some(3), "dce"));
/// ```
#[derive(Debug, Default)]
pub struct Reader {
    timeline: Timeline,
    /// The begin of a line whose end is not read yet.
    carry: Vec<u8>,
    mode: Mode,
    step: Option<Step>,
    unit: u32,
    phase: Phase,
    /// The number of the last step of this phase.
    last_number: u32,
    /// True if this unit does not optimize.
    is_unoptimized: bool,
    /// The last text of each function in this unit.
    current: SecondaryMap<NameId, Option<BodyId>>,
    /// The last text outside of functions in this unit.
    rest: Option<BodyId>,
    /// True if the last step printed the whole module: a function that the next module has besides is new.
    follows_module: bool,
    /// The functions of the module that is being read.
    in_module: Vec<NameId>,
    /// The steps of transformations, whose pass is named by the step that follows.
    transformations: Vec<StepId>,
    names: FxHashMap<String, NameId>,
    passes: FxHashMap<String, PassId>,
    stages: FxHashMap<String, StageId>,
}

/// The phases of a compiler process, in their order. Only the runs of the optimizer are counted by `-sil-opt-pass-count`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum Phase {
    #[default]
    SilGen,
    Diagnostics,
    Optimizer,
    Lowering,
    IrGen,
}

impl Phase {
    /// Returns the phase of a pipeline.
    fn of(stage: &str) -> Self {
        match stage {
            "SILGen Passes" => Self::SilGen,
            "Lowering" => Self::Lowering,
            "IRGen Preparation" => Self::IrGen,
            stage if stage.starts_with("Mandatory Diagnostic Passes") => Self::Diagnostics,
            _ => Self::Optimizer,
        }
    }
}

/// Where the reader is.
#[derive(Debug, Default)]
enum Mode {
    /// Outside of steps, or after the text of a step.
    #[default]
    Between,
    /// In a step that prints a function; with its name from the line that begins it.
    Function(Text),
    /// In a step that prints a module: what is outside of functions, comments that precede an entity, the open function.
    Module { rest: Text, comments: Text, function: Option<Text> },
}

#[derive(Debug, Default)]
struct Text {
    text: String,
    /// The line at which the text begins.
    line: u64,
    name: Option<NameId>,
    has_body: bool,
}

/// The number of lines that are not SIL and are kept.
const KEPT_LINES: usize = 1000;
/// The maximum length of a line that is not SIL and is kept.
const KEPT_LENGTH: usize = 2000;
/// The maximum size of the text of one function, and of what is outside of functions. What follows is dropped, and the step
/// is not readable.
const MAX_TEXT: usize = 1 << 30;

impl Reader {
    /// Creates a reader.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a piece of the log.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        self.timeline.bytes += bytes.len() as u64;
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            if self.carry.is_empty() {
                self.bytes_of_line(line);
            } else {
                self.carry.extend_from_slice(line);
                let line = std::mem::take(&mut self.carry);
                self.bytes_of_line(&line);
                self.carry = line;
                self.carry.clear();
            }
            bytes = rest;
        }
        let room = MAX_TEXT.saturating_sub(self.carry.len());
        self.carry.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Ends the log, and returns its steps.
    pub fn finish(mut self) -> Timeline {
        if !self.carry.is_empty() {
            let line = std::mem::take(&mut self.carry);
            self.bytes_of_line(&line);
        }
        self.end_step(false);
        self.timeline.store.pack();
        self.timeline
    }

    fn bytes_of_line(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(line) => self.line(line),
            Err(_) => self.line(&String::from_utf8_lossy(line)),
        }
    }

    fn line(&mut self, line: &str) {
        self.timeline.lines += 1;
        if line.contains("*** ")
            && let Some(header) = Header::parse(line)
        {
            return self.begin_step(&header);
        }
        let at = self.timeline.lines;
        match &mut self.mode {
            Mode::Between => self.other(line),
            Mode::Function(open) if open.name.is_some() => {
                open.push(line, at);
                if line.starts_with('}') {
                    self.end_step(true);
                }
            }
            Mode::Function(open) => {
                if line.starts_with("sil ") {
                    open.push(line, at);
                    let name = function_name(line).map(unquoted).map(str::to_owned);
                    let is_declared = !line.ends_with('{');
                    let name = name.map(|name| self.name(&name));
                    if let Mode::Function(open) = &mut self.mode {
                        (open.name, open.has_body) = (name, !is_declared);
                    }
                    if is_declared || name.is_none() {
                        self.end_step(name.is_some());
                    }
                } else if line.starts_with("//") {
                    open.push(line, at);
                } else {
                    self.other(line);
                }
            }
            Mode::Module { rest, comments, function } => match function {
                Some(open) => {
                    open.push(line, at);
                    if line.starts_with('}') {
                        self.end_function_of_module();
                    }
                }
                None if line.starts_with("//") => comments.push(line, at),
                None if line.starts_with("sil ") && line.ends_with('{') => {
                    let mut text = std::mem::take(comments);
                    text.push(line, at);
                    let name = function_name(line).map(unquoted).map(str::to_owned);
                    let name = name.map(|name| self.name(&name));
                    if let (Mode::Module { function, .. }, Some(_)) = (&mut self.mode, name) {
                        *function = Some(Text { name, ..text });
                    }
                }
                None if is_of_compiler(line) => self.other(line),
                None => {
                    for line in std::mem::take(comments).text.lines() {
                        rest.push(line, at);
                    }
                    rest.push(line, at);
                }
            },
        }
    }

    fn begin_step(&mut self, header: &Header<'_>) {
        self.end_step(false);
        let phase = Phase::of(header.stage);
        if header.kind != StepKind::Transformation {
            // The phases of a process follow each other; each numbers its runs from 0.
            let is_behind = phase < self.phase;
            if is_behind
                || phase == self.phase && header.number.is_some_and(|number| number < self.last_number)
            {
                self.begin_unit();
            }
            if phase != self.phase {
                (self.phase, self.last_number) = (phase, 0);
            }
            self.last_number = header.number.unwrap_or(self.last_number);
            self.is_unoptimized |=
                header.stage == "Rest of Onone" || header.stage.starts_with("Non-Diagnostic Mandatory");
        }
        let is_mandatory = self.phase != Phase::Optimizer || self.is_unoptimized;
        let pass = (!header.tag.is_empty()).then(|| self.pass(header.pass, header.tag));
        let stage = (!header.stage.is_empty()).then(|| self.stage(header.stage));
        let step = Step {
            line: self.timeline.lines,
            unit: self.unit,
            kind: header.kind,
            number: header.number,
            transformation: header.transformation,
            is_mandatory,
            stage,
            pass,
            printed: 0,
            is_cut: false,
            first_version: self.timeline.versions.len() as u32,
            version_count: 0,
        };
        if header.kind != StepKind::Transformation {
            for id in self.transformations.drain(..) {
                let earlier = &mut self.timeline.steps[id];
                (earlier.number, earlier.stage, earlier.pass) = (step.number, step.stage, step.pass);
                earlier.is_mandatory = step.is_mandatory;
            }
        }
        self.step = Some(step);
        self.mode = match header.kind.is_module() {
            true => Mode::Module { rest: Text::default(), comments: Text::default(), function: None },
            false => Mode::Function(Text::default()),
        };
    }

    /// Forgets the state of the previous compiler process.
    fn begin_unit(&mut self) {
        self.unit += 1;
        (self.phase, self.last_number, self.is_unoptimized) = (Phase::default(), 0, false);
        self.current.clear();
        (self.rest, self.follows_module) = (None, false);
        self.transformations.clear();
    }

    /// Ends the open step. Without `is_complete`, an open function is cut.
    fn end_step(&mut self, is_complete: bool) {
        let mode = std::mem::take(&mut self.mode);
        let Some(mut step) = self.step.take() else { return };
        match mode {
            Mode::Between => {}
            Mode::Function(open) => {
                step.is_cut = !is_complete;
                if let Some(function) = open.name {
                    let has_body = open.has_body || step.is_cut;
                    step.printed = u32::from(has_body);
                    self.add_function(&step, function, &open, has_body);
                }
            }
            Mode::Module { rest, comments: _, function } => {
                if let Some((name, open)) = function.and_then(|open| Some((open.name?, open))) {
                    step.is_cut = true;
                    self.add_function(&step, name, &open, true);
                    self.in_module.push(name);
                }
                self.end_module(&mut step, &rest);
            }
        }
        self.follows_module = step.kind.is_module();
        step.version_count = self.timeline.versions.len() as u32 - step.first_version;
        let id = self.timeline.steps.push(step);
        if self.timeline.steps[id].kind == StepKind::Transformation {
            self.transformations.push(id);
        }
    }

    /// Records the text of a function that a step prints. Without `has_body` it is the declaration of a new function.
    fn add_function(&mut self, step: &Step, function: NameId, printed: &Text, has_body: bool) {
        let body = self.timeline.store.add(&printed.text);
        let line = printed.line;
        if !has_body {
            // What a pass creates begins without a body.
            self.timeline.versions.push(Version {
                function: Some(function),
                before: None,
                after: Some(body),
                line,
                is_first: false,
            });
            return;
        }
        let before = self.current[function];
        self.current[function] = Some(body);
        let is_first = before.is_none() && !(self.follows_module && step.kind.is_module());
        // Of a module, only what differs is kept: most functions stay as they are.
        if !step.kind.is_module() || before != Some(body) {
            let function = Some(function);
            self.timeline.versions.push(Version { function, before, after: Some(body), line, is_first });
        }
    }

    fn end_function_of_module(&mut self) {
        let Mode::Module { function, .. } = &mut self.mode else { return };
        let Some(open) = function.take() else { return };
        let Some(name) = open.name else { return };
        if let Some(step) = self.step.take() {
            self.add_function(&step, name, &open, true);
            self.step = Some(step);
        }
        self.in_module.push(name);
    }

    fn end_module(&mut self, step: &mut Step, rest: &Text) {
        let printed = std::mem::take(&mut self.in_module);
        step.printed = printed.len() as u32;
        let mut is_printed = vec![false; self.timeline.functions.len()];
        for name in printed {
            is_printed[name.index()] = true;
        }
        // A filter for functions (`-sil-print-function`) leaves out the rest of the module.
        if !rest.text.trim().is_empty() {
            for name in self.timeline.functions.keys() {
                if let Some(before) = self.current[name].filter(|_| !is_printed[name.index()]) {
                    self.current[name] = None;
                    self.timeline.versions.push(Version {
                        function: Some(name),
                        before: Some(before),
                        after: None,
                        line: step.line,
                        is_first: false,
                    });
                }
            }
            let body = self.timeline.store.add(&rest.text);
            if self.rest != Some(body) {
                let is_first = self.rest.is_none();
                let (before, line) = (self.rest, rest.line);
                self.timeline.versions.push(Version {
                    function: None,
                    before,
                    after: Some(body),
                    line,
                    is_first,
                });
            }
            self.rest = Some(body);
        }
    }

    /// Records a line that is not SIL.
    fn other(&mut self, line: &str) {
        // The debug scopes of a function precede it; its text is read without them.
        if line.trim().is_empty() || line.starts_with("sil_scope ") {
            return;
        }
        match RunLine::parse(line) {
            Some(RunLine::Begins(run)) => {
                let pass = self.pass(run.pass, run.tag);
                self.timeline.passes[pass].named_runs += 1;
                if let Some(number) = run.number.filter(|_| Phase::of(run.stage) == Phase::Optimizer) {
                    let function = run.function.map(|function| self.name(function));
                    self.timeline.runs.push(Run { number, pass, function });
                }
            }
            Some(RunLine::Took(tag, number, time)) => {
                let pass = self.pass(tag, tag);
                self.timeline.passes[pass].milliseconds += f64::from(time);
                self.timeline.times.insert((self.unit, number), time);
            }
            None if line.starts_with("Start function passes at stage: ") => {}
            None => {
                self.timeline.other_count += 1;
                if self.timeline.others.len() < KEPT_LINES {
                    let text = line.chars().take(KEPT_LENGTH).collect();
                    self.timeline.others.push(OtherLine { line: self.timeline.lines, text });
                }
            }
        }
    }

    fn name(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.timeline.functions.push(name.to_owned());
        self.names.insert(name.to_owned(), id);
        id
    }

    fn pass(&mut self, name: &str, tag: &str) -> PassId {
        if let Some(&id) = self.passes.get(tag) {
            return id;
        }
        let pass = Pass { name: name.to_owned(), tag: tag.to_owned(), ..Pass::default() };
        let id = self.timeline.passes.push(pass);
        self.passes.insert(tag.to_owned(), id);
        id
    }

    fn stage(&mut self, name: &str) -> StageId {
        if let Some(&id) = self.stages.get(name) {
            return id;
        }
        let id = self.timeline.stages.push(name.to_owned());
        self.stages.insert(name.to_owned(), id);
        id
    }
}

impl Text {
    /// Appends a line, unless the text is too large.
    fn push(&mut self, line: &str, at: u64) {
        if self.text.is_empty() {
            self.line = at;
        }
        if self.text.len() + line.len() < MAX_TEXT {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

/// Returns a name in SIL without `@` and quotes.
fn unquoted(name: &str) -> &str {
    name.strip_prefix('@').unwrap_or(name).trim_matches('"')
}

/// Returns true for a line in a printed module that the compiler printed for another reason: a diagnostic, the excerpt below
/// it, the name of a run.
fn is_of_compiler(line: &str) -> bool {
    let text = line.trim_start();
    let is_excerpt = || {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        rest.starts_with('|') && line.starts_with([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    };
    let is_diagnostic = || {
        [": error: ", ": warning: ", ": note: ", ": remark: "].iter().any(|word| line.contains(word))
            && !text.starts_with("//")
    };
    RunLine::parse(line).is_some()
        || line.starts_with("Start function passes at stage: ")
        || is_excerpt()
        || is_diagnostic()
        || ["Stack dump:", "Assertion failed", "Please submit a bug report"]
            .iter()
            .any(|w| line.starts_with(w))
}
