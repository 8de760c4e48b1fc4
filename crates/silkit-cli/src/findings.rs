//! Conversion of verifier findings to diagnostics with the demangled names of functions.

use crate::codes;
use crate::input::{Input, name_of};
use crate::output;
use crate::session::Session;
use silkit::base::{FxHashMap, Symbol};
use silkit::demangle::{Style, demangle};
use silkit::diag::{DiagnosedEntity, Diagnostic, EntityKind, FileId, OriginFrame, RuleId, Span};
use silkit::ir::conventions::Addresses;
use silkit::ir::{FunctionId, SwiftPosition};
use silkit::pass::{Problem, ProblemLocation};
use silkit::reference::{ReferenceRenderer, VerifierPart, part};
use silkit::types::decl::Declarations;
use silkit::verify::{Finding, Renderer, VerifyOptions, verify};
use std::path::Path;

/// Returns a renderer for the findings in a file.
pub(crate) fn renderer<'a>(session: &mut Session, path: &Path, input: &'a Input) -> Renderer<'a> {
    let file =
        input.text.as_ref().and_then(|text| Some((file_of(session, path, text)?, input.mapped_text()?)));
    Renderer::new(&input.module, file)
}

/// Returns the id of a text in the session's sources, and adds the text if needed. Adding succeeds for any text that
/// was parsed, because its offsets fit.
fn file_of(session: &mut Session, path: &Path, text: &str) -> Option<FileId> {
    let name = name_of(path);
    let known = session.sources.files().find(|(_, f)| f.name() == name).map(|(id, _)| id);
    known.or_else(|| session.sources.add(name, text.to_owned()).ok())
}

/// Adds to a diagnostic the demangled names of its functions. If the input has no text to point to, a note names the file.
pub(crate) fn placed(path: &Path, input: &Input, diagnostic: Diagnostic) -> Diagnostic {
    let diagnostic = named(diagnostic);
    match &input.text {
        Some(_) => diagnostic,
        None => diagnostic.note(format!(
            "in `{}`; `silkit opt` prints its text, which has lines to point to",
            path.display()
        )),
    }
}

/// Returns the demangled name of a function, or its symbol if that is not mangled.
pub(crate) fn readable(symbol: &str) -> Box<str> {
    demangle(symbol, Style::Simplified).map_or_else(|| symbol.into(), Into::into)
}

/// Adds the demangled names of the diagnosed function, and of the functions that were inlined there.
pub(crate) fn named(mut diagnostic: Diagnostic) -> Diagnostic {
    if let Some(entity) = diagnostic.entity.as_mut().filter(|entity| entity.kind == EntityKind::Function) {
        entity.title = Some(readable(&entity.name));
        for function in entity.origin.iter_mut().filter_map(|frame| frame.function.as_mut()) {
            *function = readable(function);
        }
    }
    diagnostic
}

/// Returns the diagnostic for a problem that a pass reported.
/// `functions` are the functions that the input had before passes ran, by name.
pub(crate) fn problem(
    session: &mut Session,
    path: &Path,
    input: &Input,
    functions: &FxHashMap<Symbol, FunctionId>,
    problem: &Problem,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(problem.severity, problem.message.as_str());
    diagnostic.rule = Some(codes::PASS);
    if let Some(name) = problem.function {
        let origin = problem.place.source.and_then(|source| source.swift_position());
        let origin = origin.map(|SwiftPosition { file, line, column }| OriginFrame {
            function: None,
            file: file.into(),
            line,
            column,
        });
        let entity = DiagnosedEntity::function(name.as_str()).origin(origin.into_iter().collect());
        diagnostic = named(diagnostic.entity(entity));
    }
    let mut span = |spot: &ProblemLocation| {
        let text = input.text.as_ref()?;
        if let Some(range) = spot.declaration {
            let range = input.source_map.swift_range(&input.module, text, range)?;
            return Some(Span::new(file_of(session, path, text)?, range.start, range.end));
        }
        let function = functions.get(&spot.function.or(problem.function)?)?;
        let map = input.source_map.function(*function)?;
        let pos = map.inst(spot.inst?)?;
        let within = instruction(text.get(pos as usize..)?);
        let file = file_of(session, path, text)?;
        Some(Span::new(file, pos + within.start as u32, pos + within.end as u32))
    };
    if let Some(span) = span(&problem.place) {
        diagnostic = diagnostic.at(span);
    }
    for (spot, message) in &problem.notes {
        diagnostic = match span(spot) {
            Some(span) => diagnostic.note_at(span, message.as_str()),
            None => diagnostic.note(message.as_str()),
        };
    }
    diagnostic
}

/// Returns the range of the instruction at the start of a text, without its results and its comment.
fn instruction(text: &str) -> std::ops::Range<usize> {
    let line = text.lines().next().unwrap_or_default();
    let code = line.split_once(" //").map_or(line, |(code, _)| code).trim_end();
    let has_results = code.starts_with(['%', '(']);
    let start = code.find(" = ").filter(|_| has_results).map_or(0, |at| at + 3);
    start..code.len()
}

/// Options for the verification of the input by `silkit opt`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checking {
    pub(crate) addresses: Addresses,
    /// True if classes may suppress `Copyable`.
    pub(crate) has_noncopyable_classes: bool,
    /// The parts of the reference's verifier whose errors are ignored.
    pub(crate) skipped: Vec<VerifierPart>,
    /// True if passes have changed the module, so that the order of the text is not that of the module.
    pub(crate) is_output: bool,
    /// True if errors are reported in the reference's format, and processing continues after them.
    pub(crate) continues_after_errors: bool,
    /// True if memory lifetime errors are reported only in the reference's format, and are not fatal.
    pub(crate) tells_memory: bool,
}

impl Checking {
    /// Returns the options of the verifier, for the input and after each pass.
    pub(crate) fn options(&self) -> VerifyOptions {
        let mut allow = if self.has_noncopyable_classes { vec![COPYABLE_CLASSES] } else { Vec::new() };
        allow.extend(self.is_output.then_some(DECLARED_BEFORE));
        VerifyOptions { addresses: self.addresses, allow, ..VerifyOptions::default() }
    }

    /// Enables or disables ignoring the errors of a verifier part.
    pub(crate) fn skip(&mut self, part: VerifierPart, is_skipped: bool) {
        self.skipped.retain(|skipped| *skipped != part);
        if is_skipped {
            self.skipped.push(part);
        }
    }
}

/// The rule that classes do not suppress `Copyable`.
const COPYABLE_CLASSES: RuleId = RuleId::new("SIL0641");

/// The rule about the order of the entities in a text.
const DECLARED_BEFORE: RuleId = RuleId::new("SIL0647");

/// Returns the verifier errors in the input, without warnings, for `silkit opt`.
pub(crate) fn errors(input: &Input, declarations: &Declarations, checking: &Checking) -> Vec<Finding> {
    let mut report = verify(&input.module, declarations, input.mapped_text(), &checking.options());
    report.findings.retain(Finding::is_error);
    report.findings
}

/// Records the verifier errors of a module. Returns true if the module may still be used.
pub(crate) fn check(
    session: &mut Session,
    path: &Path,
    input: &Input,
    findings: &[Finding],
    how: &Checking,
) -> bool {
    let is_told = |f: &&Finding| how.tells_memory && part(f) == VerifierPart::Memory;
    let found = findings.iter().filter(|f| !how.skipped.contains(&part(f)) && !is_told(f));
    let told: Vec<Finding> = findings.iter().filter(is_told).cloned().collect();
    let findings: Vec<Finding> = found.cloned().collect();
    let reference = ReferenceRenderer::new(&input.module);
    output::complain(&reference.memory_errors(&told));
    if how.continues_after_errors {
        output::complain(&reference.failures(&findings));
        output::complain(&reference.memory_errors(&findings));
        // The reference continues after other failures, but always stops at ownership and memory lifetime errors.
        if findings.iter().any(|f| matches!(part(f), VerifierPart::Ownership | VerifierPart::Memory)) {
            session.fail();
            return false;
        }
        return true;
    }
    if findings.is_empty() {
        return true;
    }
    let renderer = renderer(session, path, input);
    for finding in &findings {
        let diagnostic = placed(path, input, renderer.finding(finding));
        session.push(match reference.headline(finding) {
            Some(words) => diagnostic.note(format!("sil-opt says: {words}")),
            None => diagnostic,
        });
    }
    false
}
