//! Conversion of verifier findings to diagnostics that name the function and, with debug info, the Swift source line.

use crate::codes;
use crate::input::{Input, name_of};
use crate::output;
use crate::session::Session;
use silkit::base::{FxHashMap, Symbol};
use silkit::demangle::{Style, demangle};
use silkit::diag::{DiagnosedEntity, Diagnostic, EntityKind, FileId, RuleId, Span};
use silkit::ir::conventions::Addresses;
use silkit::ir::{FunctionId, Module, SourceLoc, ValueDef};
use silkit::pass::{Problem, ProblemLocation};
use silkit::reference::{ReferenceRenderer, VerifierPart, part};
use silkit::types::decl::Declarations;
use silkit::verify::{Finding, Owner, Place, Renderer, VerifyOptions, verify};
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

/// Adds to a diagnostic the demangled name of its function and the Swift source line of `place`. If the input has no
/// text to point to, a note names the file.
pub(crate) fn placed(
    path: &Path,
    input: &Input,
    (owner, place): (Owner, Place),
    diagnostic: Diagnostic,
) -> Diagnostic {
    let diagnostic = named(&input.module, owner, place, diagnostic);
    match &input.text {
        Some(_) => diagnostic,
        None => diagnostic.note(format!(
            "in `{}`; `silkit opt` prints its text, which has lines to point to",
            path.display()
        )),
    }
}

/// Adds the demangled name and the Swift source location to the entity of a diagnostic.
pub(crate) fn named(module: &Module, owner: Owner, place: Place, diagnostic: Diagnostic) -> Diagnostic {
    let mut diagnostic = titled(diagnostic);
    if let Some(entity) = diagnostic.entity.as_mut().filter(|entity| entity.kind == EntityKind::Function) {
        entity.origin = origin(module, owner, place).map(Into::into);
    }
    diagnostic
}

/// Adds the demangled name of the diagnosed function.
fn titled(mut diagnostic: Diagnostic) -> Diagnostic {
    if let Some(entity) = diagnostic.entity.as_mut().filter(|entity| entity.kind == EntityKind::Function) {
        let readable = demangle(&entity.name, Style::Simplified);
        entity.title = Some(readable.map_or_else(|| entity.name.clone(), Into::into));
    }
    diagnostic
}

/// Returns the Swift source location from which an instruction was compiled.
fn origin(module: &Module, owner: Owner, place: Place) -> Option<String> {
    let Owner::Function(id) = owner else { return None };
    let body = module.functions[id].body.as_ref()?;
    let inst = match place {
        Place::Inst(inst) => inst,
        Place::Operand(operand) => body.operand(operand).user,
        Place::Block(block) => body.first_inst(block)?,
        Place::Value(value) => match body.def(value) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Argument(block, _) => body.first_inst(block)?,
            ValueDef::Undef | ValueDef::Pending => return None,
        },
        Place::Whole | Place::Function(_) | Place::Text(_) => return None,
    };
    swift_place(body.loc(body.inst(inst).loc)?.source?)
}

/// Formats a Swift source location for users.
fn swift_place(source: SourceLoc) -> Option<String> {
    // Line 0 marks compiler-generated code.
    let file = source.file.filter(|_| source.line > 0)?;
    let file = file.as_str().trim_matches('"');
    let name = Path::new(file).file_name().map_or(file.into(), |name| name.to_string_lossy());
    Some(format!("{name}:{}:{}", source.line, source.column))
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
        diagnostic = titled(diagnostic.entity(DiagnosedEntity::function(name.as_str())));
    }
    if let Some(entity) = diagnostic.entity.as_mut() {
        entity.origin = problem.place.source.and_then(swift_place).map(Into::into);
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
        let place = (finding.owner, finding.place);
        let diagnostic = placed(path, input, place, renderer.finding(finding));
        session.push(match reference.headline(finding) {
            Some(words) => diagnostic.note(format!("sil-opt says: {words}")),
            None => diagnostic,
        });
    }
    false
}
