//! Sequences of passes: as lists of tags, and as text.

use crate::pass::{Pass, Run};
use crate::reference_pipelines::{self, ReferencePipeline};
use std::fmt;

/// One pass of a sequence.
#[derive(Clone, Copy, Debug)]
pub struct Step<'p> {
    /// The pass.
    pub pass: Pass<'p>,
    /// True if a pass of functions is run again until it changes nothing more.
    pub repeats: bool,
}

impl<'p> From<Pass<'p>> for Step<'p> {
    fn from(pass: Pass<'p>) -> Self {
        Self { pass, repeats: false }
    }
}

/// The reason why a text is not a pipeline.
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

/// The kind of list that passes are nested in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Anything,
    Modules,
    Functions,
}

/// Reads a pipeline: tags, `module(…)` with passes of modules and lists of functions' passes, `function(…)`. A `*` behind a
/// pass of functions repeats it until it changes nothing more. The name of a pipeline of the reference
/// ([`crate::reference_pipelines`]) stands for its passes.
///
/// ```
/// use silkit_pass::{FunctionContext, Pass, parse_pipeline};
/// fn nothing(_: &mut FunctionContext<'_>) {}
/// let find = |tag: &str| ["dce", "mem2reg"].contains(&tag).then_some(Pass::function("any", "", &nothing));
/// let steps = parse_pipeline("function(mem2reg, dce*)", find).unwrap();
/// assert_eq!(steps.len(), 2);
/// assert!(!steps[0].repeats && steps[1].repeats);
/// let error = parse_pipeline("function(dcc)", find).unwrap_err();
/// assert_eq!(error.to_string(), "column 10: no pass has the tag `dcc`");
/// ```
///
/// # Errors
/// Where the text has another form, or names a pass that does not exist or does not belong there.
pub fn parse_pipeline<'p>(
    text: &str,
    find: impl Fn(&str) -> Option<Pass<'p>>,
) -> Result<Vec<Step<'p>>, PipelineError> {
    let mut reader = Reader { text, pos: 0, find: &find, steps: Vec::new() };
    reader.list(Within::Anything)?;
    match reader.text[reader.pos..].chars().next() {
        None => Ok(reader.steps),
        Some(c) => Err(reader.error(format!("`{c}` is not expected here"))),
    }
}

struct Reader<'t, 'p, 'f> {
    text: &'t str,
    pos: usize,
    find: &'f dyn Fn(&str) -> Option<Pass<'p>>,
    steps: Vec<Step<'p>>,
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
        let is_there = self.text[self.pos..].starts_with(c);
        self.pos += if is_there { c.len_utf8() } else { 0 };
        is_there
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
            return Err(self.error("the tag of a pass is missing"));
        }
        let inner = match tag {
            "module" => Some(Within::Modules),
            "function" => Some(Within::Functions),
            _ => None,
        };
        if let Some(inner) = inner {
            if within == Within::Functions || (within == Within::Modules && inner == Within::Modules) {
                return Err(self.error(format!("`{tag}(…)` cannot stand inside")));
            }
            self.pos += len;
            if !self.takes('(') {
                return Err(self.error(format!("`{tag}` is followed by `(`")));
            }
            self.list(inner)?;
            return if self.takes(')') { Ok(()) } else { Err(self.error("a `)` is missing")) };
        }
        if let Some(pipeline) = reference_pipelines::find(tag).filter(|_| within == Within::Anything) {
            return self.pipeline(pipeline);
        }
        let pass = (self.find)(tag).ok_or_else(|| self.error(format!("no pass has the tag `{tag}`")))?;
        let is_of_module = matches!(pass.run, Run::Module(_));
        match within {
            Within::Functions if is_of_module => {
                return Err(self.error(format!("`{tag}` is a pass of modules")));
            }
            Within::Modules if !is_of_module => {
                return Err(self.error(format!("`{tag}` is a pass of functions: write `function({tag})`")));
            }
            _ => {}
        }
        self.pos += len;
        let repeats = self.takes('*');
        if repeats && is_of_module {
            return Err(self.error(format!("`{tag}` is a pass of modules, which cannot be repeated")));
        }
        self.steps.push(Step { pass, repeats });
        Ok(())
    }

    /// Takes the passes of a pipeline of the reference, which must all be there.
    fn pipeline(&mut self, pipeline: &ReferencePipeline) -> Result<(), PipelineError> {
        let tags = || pipeline.groups.iter().flat_map(|group| group.passes);
        let missing: Vec<&str> = tags().copied().filter(|tag| (self.find)(tag).is_none()).collect();
        if let [first, rest @ ..] = missing.as_slice() {
            let name = pipeline.name;
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            return Err(self.error(format!("`{name}` needs passes that are not built yet: `{first}`{more}")));
        }
        self.steps.extend(tags().filter_map(|tag| (self.find)(tag)).map(Step::from));
        self.pos += pipeline.name.len();
        Ok(())
    }
}
