//! One version of a text, with what is known about it.

use silkit_base::TextRange;
use silkit_diag::{DiagnosedEntity, Diagnostic, EntityKind, FileId, RuleId, Severity, Span};
use silkit_ir::Module;
use silkit_text::decl::declarations_of;
use silkit_text::{MappedText, ModuleSourceMap, SyntaxError, TokenIndex, TokenScope};
use silkit_types::decl::Declarations;
use silkit_verify::{Finding, Renderer, VerifyOptions, verify};
use std::sync::OnceLock;

/// The longest text in bytes that is read as a module. Longer ones have an outline, navigation and folding only.
pub const MAX_ANALYZED: usize = 20 << 20;

/// The file of all spans: a document is one text.
pub(crate) const FILE: FileId = FileId::new(0);

/// The most errors and warnings of one document. What follows them is seldom read, and an editor shows each one.
const MAX_DIAGNOSTICS: usize = 500;

/// A version of a text.
#[derive(Debug, Default)]
pub struct Document {
    text: Box<str>,
    tokens: OnceLock<TokenIndex>,
    analysis: OnceLock<Analysis>,
    diagnosed: OnceLock<Vec<Diagnosed>>,
}

/// A module with its positions and the declarations that it sees.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) module: Module,
    pub(crate) map: ModuleSourceMap,
    pub(crate) errors: Vec<SyntaxError>,
    pub(crate) declarations: Declarations,
}

/// A diagnostic, with the finding of the verifier that it shows.
#[derive(Debug)]
pub struct Diagnosed {
    /// What is shown. All its spans are in the document.
    pub diagnostic: Diagnostic,
    /// The finding; `None` for a syntax error.
    pub finding: Option<Finding>,
    /// The replacement that a syntax error suggests.
    pub(crate) suggestion: Option<(TextRange, String)>,
}

impl Document {
    /// Creates a document. Takes no time: everything else is computed when it is asked for.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the lexical index; of a text that is too long to be read, only the outline.
    pub fn tokens(&self) -> &TokenIndex {
        self.tokens.get_or_init(|| match self.is_analyzed() {
            true => TokenIndex::of(&self.text),
            false => TokenIndex::outline(&self.text),
        })
    }

    /// Returns true if the text is short enough to be read as a module.
    pub fn is_analyzed(&self) -> bool {
        self.text.len() <= MAX_ANALYZED
    }

    /// Returns the module, as far as the text could be read.
    pub(crate) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| {
            let mut parsed = silkit_text::parse_module(if self.is_analyzed() { &self.text } else { "" });
            let declarations = declarations_of(&parsed.module, parsed.declared.take(), &[]);
            Analysis { module: parsed.module, map: parsed.source_map, errors: parsed.errors, declarations }
        })
    }

    /// Returns the text with the positions of its entities.
    pub(crate) fn mapped(&self) -> MappedText<'_> {
        MappedText { text: &self.text, map: &self.analysis().map }
    }

    /// Returns syntax errors and the findings of the verifier, in text order. Functions in which a syntax error stands are
    /// not verified; nor is anything if one stands outside bodies, because all else may follow from it.
    pub fn diagnostics(&self) -> &[Diagnosed] {
        self.diagnosed.get_or_init(|| {
            let analysis = self.analysis();
            let mut found: Vec<Diagnosed> = analysis.errors.iter().map(|e| self.syntax(e)).collect();
            if let Some(broken) = self.broken_functions() {
                found.extend(self.findings(&broken));
            }
            found.sort_by_key(|d| d.diagnostic.primary().map_or(0, |label| label.span.start));
            found.truncate(MAX_DIAGNOSTICS);
            found
        })
    }

    /// Returns the ranges of the functions with syntax errors; `None` if an error is not in the body of a function.
    fn broken_functions(&self) -> Option<Vec<TextRange>> {
        let mut broken: Vec<TextRange> = Vec::new();
        for error in &self.analysis().errors {
            let start = error.range.start;
            let scope = self.tokens().scope_at(start as usize)?;
            let is_in_body = |scope: &TokenScope| scope.body.is_some_and(|body| body.start < start);
            if !scope.is_function() || !is_in_body(scope) {
                return None;
            }
            broken.push(scope.range);
        }
        Some(broken)
    }

    fn syntax(&self, error: &SyntaxError) -> Diagnosed {
        let mut range = error.range;
        // An empty range at the end of a line is widened to its last character, so that something is underlined.
        if range.is_empty() {
            let before = self.text.get(..range.start as usize).unwrap_or_default();
            let last = before.chars().next_back().filter(|c| !matches!(c, '\n' | '\r'));
            range.start -= last.map_or(0, char::len_utf8) as u32;
        }
        let mut diagnostic = error.diagnostic(FILE);
        if let Some(label) = diagnostic.labels.first_mut() {
            label.span = Span::new(FILE, range.start, range.end);
        }
        let near = error.help.as_ref().and_then(|help| help.strip_prefix("did you mean `"));
        let near = near.and_then(|near| near.strip_suffix("`?"));
        Diagnosed { diagnostic, finding: None, suggestion: near.map(|near| (error.range, near.to_owned())) }
    }

    fn findings(&self, broken: &[TextRange]) -> Vec<Diagnosed> {
        let analysis = self.analysis();
        let source = self.mapped();
        let report =
            verify(&analysis.module, &analysis.declarations, Some(source), &VerifyOptions::default());
        let renderer = Renderer::new(&analysis.module, Some((FILE, source)));
        let is_sound = |d: &Diagnostic| match d.primary() {
            Some(label) => !broken.iter().any(|b| b.start <= label.span.start && label.span.start < b.end),
            None => true,
        };
        let shown = report.findings.into_iter().map(|finding| {
            let mut diagnostic = renderer.finding(&finding);
            if diagnostic.primary().is_none() {
                diagnostic = diagnostic.at(Span::new(FILE, 0, 0));
            }
            if let Some(entity) = &mut diagnostic.entity {
                name(entity);
            }
            Diagnosed { diagnostic, finding: Some(finding), suggestion: None }
        });
        // While something is not read, what is missing elsewhere may be a consequence.
        let is_certain = |d: &Diagnosed| {
            let rule = d.diagnostic.rule;
            broken.is_empty() || !FOLLOWING.iter().any(|following| rule == Some(*following))
        };
        shown.filter(|d| is_sound(&d.diagnostic) && is_certain(d)).collect()
    }

    /// Returns the number of errors.
    pub fn error_count(&self) -> usize {
        self.diagnostics().iter().filter(|d| d.diagnostic.severity == Severity::Error).count()
    }
}

/// The rules that a function which was not read lets others break: that what is named is declared.
const FOLLOWING: &[RuleId] = &[RuleId::new("SIL0605")];

/// Adds the demangled names of a function and of those that were inlined.
fn name(entity: &mut DiagnosedEntity) {
    if entity.kind == EntityKind::Function {
        entity.title = Some(crate::readable(&entity.name).into());
        for function in entity.origin.iter_mut().filter_map(|frame| frame.function.as_mut()) {
            *function = crate::readable(function).into();
        }
    }
}
