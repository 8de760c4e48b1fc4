//! Pass sequences, as lists of tags and as text.

use crate::context::ModuleContext;
use crate::pass::{Pass, Run};
use crate::reference_pipelines::{self, ReferencePipeline};
use silkit_ir::{Release, Releases, SilStage};
use std::fmt;

/// A pass in a sequence.
#[derive(Clone, Copy, Debug)]
pub struct PipelineStep<'p> {
    /// The pass.
    pub pass: Pass<'p>,
    /// True if a function pass is repeated until it makes no more changes.
    pub repeats: bool,
    /// True if it only runs on raw SIL. It is skipped if the module is not raw when the sequence begins.
    pub is_for_raw: bool,
    /// The releases of Swift in whose modules it runs.
    pub releases: Releases,
}

impl<'p> From<Pass<'p>> for PipelineStep<'p> {
    fn from(pass: Pass<'p>) -> Self {
        Self { pass, repeats: false, is_for_raw: false, releases: Releases::ALL }
    }
}

/// A syntax error in a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PipelineError {
    /// The offset in the text.
    pub pos: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.pos + 1, self.message)
    }
}

impl std::error::Error for PipelineError {}

/// A sequence of passes.
#[derive(Clone, Debug, Default)]
pub struct Pipeline<'p> {
    /// The passes in order.
    pub steps: Vec<PipelineStep<'p>>,
    /// The passes of the reference's pipelines that are not implemented.
    pub left_out: Vec<LeftOut>,
}

/// The passes of a reference pipeline that are not implemented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The name of the pipeline.
    pub pipeline: &'static str,
    /// The tags, without duplicates.
    pub tags: Vec<&'static str>,
    /// The releases of Swift with this pipeline.
    pub releases: Releases,
    /// The offset of the pipeline's name in the text.
    pub pos: usize,
}

impl LeftOut {
    /// Returns an error for use where a complete pipeline is required.
    pub fn as_error(&self) -> PipelineError {
        let (name, first) = (self.pipeline, self.tags.first().unwrap_or(&""));
        let more = match self.tags.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let message = format!("`{name}` has passes that are not implemented yet: `{first}`{more}");
        PipelineError { pos: self.pos, message }
    }
}

/// A pass that marks the module as canonical.
const CANONICAL: Pass<'static> =
    Pass::module("canonical-stage", "Marks the module as canonical SIL", &say_canonical);

fn say_canonical(cx: &mut ModuleContext<'_>) {
    cx.module_mut().stage = Some(SilStage::Canonical);
}

impl<'p> Pipeline<'p> {
    /// Parses a pipeline: tags, `module(…)` with module passes and nested `function(…)` lists, and `function(…)` with
    /// function passes. A `*` after a function pass repeats it until it makes no more changes. The name of a
    /// reference pipeline, or of a sequence of them ([`crate::reference_pipelines`]), expands to its implemented
    /// passes, those of all releases: a runner runs those of the release that a module is of.
    ///
    /// ```
    /// use silkit_pass::{FunctionContext, Pass, Pipeline};
    /// fn nothing(_: &mut FunctionContext<'_>) {}
    /// let find = |tag: &str| (tag == "cleanup-debug-steps").then_some(Pass::function("any", "", &nothing));
    /// let pipeline = Pipeline::parse("Onone", find).unwrap().of_release(silkit_ir::Release::V6_2);
    /// assert_eq!(pipeline.steps.len(), 1);
    /// assert_eq!(pipeline.left_out[0].tags[0], "for-each-loop-unroll");
    /// ```
    ///
    /// # Errors
    /// Returns an error if the text is malformed, or names a pass that does not exist or is not allowed at its position.
    pub fn parse(text: &str, find: impl Fn(&str) -> Option<Pass<'p>>) -> Result<Self, PipelineError> {
        let mut reader = Reader { text, pos: 0, find: &find, pipeline: Self::default() };
        reader.list(Within::Anything)?;
        match reader.text[reader.pos..].chars().next() {
            None => Ok(reader.pipeline),
            Some(c) => Err(reader.error(format!("unexpected `{c}`"))),
        }
    }

    /// Returns the pipeline in the modules of a release of Swift.
    #[must_use]
    pub fn of_release(&self, release: Release) -> Self {
        let steps = self.steps.iter().filter(|step| step.releases.contains(release)).copied();
        let left_out = self.left_out.iter().filter(|left_out| left_out.releases.contains(release));
        Self { steps: steps.collect(), left_out: left_out.cloned().collect() }
    }

    /// Appends the passes of another pipeline.
    pub fn append(&mut self, other: Self) {
        self.steps.extend(other.steps);
        self.left_out.extend(other.left_out);
    }

    fn add(&mut self, pipeline: &ReferencePipeline, pos: usize, find: &dyn Fn(&str) -> Option<Pass<'p>>) {
        let is_for_raw = reference_pipelines::TO_CANONICAL.contains(&pipeline.name);
        let mut missing = Vec::new();
        for &tag in pipeline.groups.iter().flat_map(|group| &group.passes) {
            match find(tag) {
                Some(pass) => {
                    let releases = pipeline.releases;
                    self.steps.push(PipelineStep { is_for_raw, releases, ..pass.into() });
                }
                None if missing.contains(&tag) => {}
                None => missing.push(tag),
            }
        }
        if !missing.is_empty() {
            self.left_out.push(LeftOut {
                pipeline: pipeline.name,
                tags: missing,
                releases: pipeline.releases,
                pos,
            });
        }
    }
}

/// The kind of the enclosing list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Anything,
    Modules,
    Functions,
}

/// Parses a pipeline like [`Pipeline::parse`], requiring that all its passes are implemented.
///
/// ```
/// use silkit_pass::{FunctionContext, Pass, parse_pipeline};
/// fn nothing(_: &mut FunctionContext<'_>) {}
/// let find = |tag: &str| ["dce", "mem2reg"].contains(&tag).then_some(Pass::function("any", "", &nothing));
/// let steps = parse_pipeline("function(mem2reg, dce*)", find).unwrap();
/// assert_eq!(steps.len(), 2);
/// assert!(!steps[0].repeats && steps[1].repeats);
/// let error = parse_pipeline("function(dcc)", find).unwrap_err();
/// assert_eq!(error.to_string(), "column 10: unknown pass `dcc`");
/// ```
///
/// # Errors
/// Returns the errors of [`Pipeline::parse`], and an error if a pass of a reference pipeline is not implemented.
pub fn parse_pipeline<'p>(
    text: &str,
    find: impl Fn(&str) -> Option<Pass<'p>>,
) -> Result<Vec<PipelineStep<'p>>, PipelineError> {
    let pipeline = Pipeline::parse(text, find)?;
    match pipeline.left_out.first() {
        Some(left_out) => Err(left_out.as_error()),
        None => Ok(pipeline.steps),
    }
}

struct Reader<'t, 'p, 'f> {
    text: &'t str,
    pos: usize,
    find: &'f dyn Fn(&str) -> Option<Pass<'p>>,
    pipeline: Pipeline<'p>,
}

impl<'p> Reader<'_, 'p, '_> {
    fn error(&self, message: impl Into<String>) -> PipelineError {
        PipelineError { pos: self.pos, message: message.into() }
    }

    fn skip_spaces(&mut self) {
        self.pos = self.text.len() - self.text[self.pos..].trim_start().len();
    }

    fn takes(&mut self, c: char) -> bool {
        self.skip_spaces();
        let is_present = self.text[self.pos..].starts_with(c);
        self.pos += if is_present { c.len_utf8() } else { 0 };
        is_present
    }

    fn list(&mut self, within: Within) -> Result<(), PipelineError> {
        loop {
            self.item(within)?;
            if !self.takes(',') {
                self.skip_spaces();
                return Ok(());
            }
        }
    }

    fn item(&mut self, within: Within) -> Result<(), PipelineError> {
        self.skip_spaces();
        let start = self.pos;
        let rest = &self.text[start..];
        let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c))).unwrap_or(rest.len());
        let tag = &rest[..len];
        if tag.is_empty() {
            return Err(self.error("expected the tag of a pass"));
        }
        let inner = match tag {
            "module" => Some(Within::Modules),
            "function" => Some(Within::Functions),
            _ => None,
        };
        if let Some(inner) = inner {
            if within == Within::Functions || (within == Within::Modules && inner == Within::Modules) {
                return Err(self.error(format!("`{tag}(…)` cannot be nested")));
            }
            self.pos += len;
            if !self.takes('(') {
                return Err(self.error(format!("expected `(` after `{tag}`")));
            }
            self.list(inner)?;
            return if self.takes(')') { Ok(()) } else { Err(self.error("expected `)`")) };
        }
        if within == Within::Anything && self.of_reference(tag) {
            self.pos += len;
            return Ok(());
        }
        let pass = (self.find)(tag).ok_or_else(|| self.error(format!("unknown pass `{tag}`")))?;
        let is_of_module = matches!(pass.run, Run::Module(_));
        match within {
            Within::Functions if is_of_module => {
                return Err(self.error(format!("`{tag}` is a module pass")));
            }
            Within::Modules if !is_of_module => {
                return Err(self.error(format!("`{tag}` is a function pass: write `function({tag})`")));
            }
            _ => {}
        }
        self.pos += len;
        let repeats = self.takes('*');
        if repeats && is_of_module {
            return Err(self.error(format!("`{tag}` is a module pass, which cannot be repeated")));
        }
        self.pipeline.steps.push(PipelineStep { repeats, ..pass.into() });
        Ok(())
    }

    /// Adds the passes of a reference pipeline in each release. Returns false if there is none with this name.
    fn add_pipeline(&mut self, name: &str) -> bool {
        let mut all = reference_pipelines::all().iter().filter(|pipeline| pipeline.name == name).peekable();
        let is_known = all.peek().is_some();
        all.for_each(|pipeline| self.pipeline.add(pipeline, self.pos, self.find));
        is_known
    }

    /// Adds the passes of a reference pipeline or sequence. Returns false if there is none with this name.
    fn of_reference(&mut self, name: &str) -> bool {
        if self.add_pipeline(name) {
            return true;
        }
        let Some(way) = reference_pipelines::find_sequence(name) else { return false };
        for name in way.pipelines {
            self.add_pipeline(name);
            // An incomplete sequence does not produce canonical SIL.
            let is_complete = || {
                !self
                    .pipeline
                    .left_out
                    .iter()
                    .any(|l| reference_pipelines::TO_CANONICAL.contains(&l.pipeline))
            };
            if reference_pipelines::TO_CANONICAL.last() == Some(name) && is_complete() {
                self.pipeline.steps.push(PipelineStep { is_for_raw: true, ..CANONICAL.into() });
            }
        }
        true
    }
}
