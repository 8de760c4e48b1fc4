//! Output formats of `silkit effects`: table, text and JSON.

use crate::effects::Effect;
use crate::excerpt;
use crate::input::Input;
use crate::output::counted;
use crate::swift;
use crate::wrap;
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use silkit::analysis::proofs::{Fact, Proof, ProofStep, Proofs, Reason, UnknownCode};
use silkit::demangle::{Style, demangle};
use silkit::diag::render::printable_json;
use silkit::diag::{OriginFrame, SourceFile};
use silkit::ir::{EffectsKind, FunctionId, InlineStacks, Inst, Module, RuntimeEffects};
use silkit::text::{ModuleSourceMap, effect_texts};
use std::collections::HashMap;
use std::fmt::Write;
use std::io;

/// A module and the effects of its functions.
pub(crate) struct EffectsView<'a> {
    module: &'a Module,
    proofs: &'a Proofs,
    path: &'a str,
    text: Option<SourceFile<'static>>,
    source_map: &'a ModuleSourceMap,
    stacks: InlineStacks<'a>,
}

impl<'a> EffectsView<'a> {
    pub(crate) fn new(input: &'a Input, proofs: &'a Proofs) -> Self {
        Self {
            module: &input.module,
            proofs,
            path: &input.source,
            text: input.source_file(),
            source_map: &input.source_map,
            stacks: InlineStacks::new(&input.module.scopes),
        }
    }

    /// Returns `Some(true)` if a function is proven to have an effect, `Some(false)` if the effect is possible but not
    /// proven, and `None` if the function does not have it.
    pub(crate) fn verdict(&self, function: FunctionId, effect: Effect) -> Option<bool> {
        let facts = self.facts(function, effect);
        facts.map(|fact| self.proofs.verdict(function, fact) == Some(true)).reduce(|a, b| a || b)
    }

    fn facts(&self, function: FunctionId, effect: Effect) -> impl Iterator<Item = Fact> + '_ {
        self.proofs.facts(function).filter(move |&fact| Effect::of(fact) == effect)
    }

    /// Returns the demangled name of a function.
    fn name(&self, function: FunctionId) -> String {
        let name = self.module.functions[function].name;
        demangle(name.as_str(), Style::Simplified).unwrap_or_else(|| name.to_string())
    }

    /// Returns a table with one line for each function.
    pub(crate) fn as_table(&self, functions: &[FunctionId]) -> String {
        let heads = Effect::ALL.map(|effect| format!("{effect:?}").to_lowercase());
        let mut out = heads.join("  ") + "  function\n";
        for &id in functions {
            for (effect, head) in Effect::ALL.into_iter().zip(&heads) {
                let answer = match self.verdict(id, effect) {
                    Some(true) => "yes",
                    Some(false) => "?",
                    None => "-",
                };
                // Writing to a string cannot fail.
                let _ = write!(out, "{answer:<width$}  ", width = head.len());
            }
            out += &self.name(id);
            out.push('\n');
        }
        out
    }

    /// Returns how many functions have each effect, cannot be excluded to have it, and do not have it.
    fn counts(&self, functions: &[FunctionId]) -> Vec<(String, [usize; 3])> {
        let count = |effect: Effect| {
            let mut counts = [0; 3];
            for &id in functions {
                let place = match self.verdict(id, effect) {
                    Some(true) => 0,
                    Some(false) => 1,
                    None => 2,
                };
                counts[place] += 1;
            }
            (format!("{effect:?}").to_lowercase(), counts)
        };
        Effect::ALL.into_iter().map(count).collect()
    }

    /// Returns a table with one line for each effect: the numbers of functions.
    pub(crate) fn as_stat(&self, functions: &[FunctionId]) -> String {
        let mut out = format!("{:10}{:>9}{:>9}{:>9}\n", "", "yes", "?", "-");
        for (effect, [yes, unknown, no]) in self.counts(functions) {
            let _ = writeln!(out, "{effect:10}{yes:>9}{unknown:>9}{no:>9}");
        }
        let _ = writeln!(out, "{}", counted(functions.len(), "function"));
        out
    }

    /// Returns the same as [`Self::as_stat`] as JSON.
    pub(crate) fn stat_json(&self, path: &str, functions: &[FunctionId]) -> Json {
        let effects = self.counts(functions).into_iter().map(|(effect, [yes, unknown, no])| {
            json!({"effect": effect, "proven": yes, "possible": unknown, "excluded": no})
        });
        json!({"file": path, "functions": functions.len(), "effects": Json::from_iter(effects)})
    }

    /// Returns the same as [`Self::as_table`] for narrow terminals: the name of each function, then its effects.
    pub(crate) fn as_list(&self, functions: &[FunctionId], width: usize) -> String {
        let mut out = String::new();
        for &id in functions {
            out += &wrap::fitted(&(self.name(id) + "\n"), Some(width));
            for (head, verdict) in [("  yes  ", Some(true)), ("  ?    ", Some(false))] {
                let effects = Effect::ALL.into_iter().filter(|&effect| self.verdict(id, effect) == verdict);
                let effects: Vec<String> = effects.map(|e| format!("{e:?}").to_lowercase()).collect();
                if !effects.is_empty() {
                    let text = effects.join(", ");
                    let options =
                        textwrap::Options::new(width).initial_indent(head).subsequent_indent("       ");
                    out += &(textwrap::fill(&text, options) + "\n");
                }
            }
        }
        out
    }

    /// Returns the text for one function, with a proof of each of its effects.
    pub(crate) fn as_text(&self, id: FunctionId) -> String {
        let function = &self.module.functions[id];
        let mut out = self.name(id);
        if out != function.name.as_str() {
            let _ = write!(out, "\n{}", function.name);
        }
        out.push('\n');
        for effects in effect_texts(&function.effects) {
            let _ = writeln!(out, "[{effects}]");
        }
        let mut not = Vec::new();
        for effect in Effect::ALL {
            let mut is_done = false;
            for fact in self.facts(id, effect) {
                if let Some(proof) = self.proofs.proof(id, fact) {
                    is_done = true;
                    self.put_proof(&mut out, fact, &proof);
                }
            }
            if !is_done {
                not.push(match effect {
                    Effect::Unknown => "run unknown code".to_owned(),
                    known => format!("{known:?}").to_lowercase(),
                });
            }
        }
        if !not.is_empty() {
            let _ = writeln!(out, "\ndoes not {}", not.join(", "));
        }
        out
    }

    fn put_proof(&self, out: &mut String, fact: Fact, proof: &Proof) {
        let proven = if proof.is_proved { "" } else { " (not proven)" };
        let verb = if proof.is_proved { "may" } else { "might" };
        let _ = writeln!(out, "\n{verb} {fact}{proven}");
        for step in &proof.steps {
            let place = self.line(step).map_or(String::new(), |line| format!("{}:{line}: ", self.path));
            let swift = match self.origin(step) {
                frames if frames.is_empty() => String::new(),
                frames => format!(" ({})", OriginFrame::describe(&frames)),
            };
            let _ = write!(out, "  {place}in {}{swift}", self.name(step.function));
            let _ = match self.instruction(step) {
                Some(text) => writeln!(out, ": {text}"),
                None => writeln!(out),
            };
        }
        let _ = writeln!(out, "  {}", self.reason(proof.reason));
    }

    /// Returns the line number of a step in the file.
    fn line(&self, step: &ProofStep) -> Option<u32> {
        let at = self.source_map.function(step.function)?.inst(step.inst?)?;
        Some(self.text.as_ref()?.line_column(at).line)
    }

    /// Returns the Swift positions of a step, the innermost first.
    fn origin(&self, step: &ProofStep) -> Vec<OriginFrame> {
        let body = self.module.functions[step.function].body.as_ref();
        body.zip(step.inst).map_or_else(Vec::new, |(body, inst)| swift::origin(&self.stacks, body, inst))
    }

    /// Returns the instruction of a step on one line, without its comment.
    fn instruction(&self, step: &ProofStep) -> Option<String> {
        let body = self.module.functions[step.function].body.as_ref()?;
        Some(excerpt::instruction(self.module, body, step.inst?))
    }

    /// Describes the reason that ends a proof.
    fn reason(&self, reason: Reason) -> String {
        let name = |id| self.name(id);
        match reason {
            Reason::Runtime(effects) => {
                let all = RUNTIME.iter().filter(|(kind, _)| effects.contains(*kind));
                all.map(|(_, text)| *text).collect::<Vec<_>>().join(", ")
            }
            Reason::Reads => "reads memory".to_owned(),
            Reason::Writes => "writes to memory".to_owned(),
            Reason::ConsumesArgument => "takes what is passed to it in memory".to_owned(),
            Reason::Declares(id) => format!("calls {}, whose effects are declared", name(id)),
            Reason::Terminates(id) => format!("calls {}, which ends the program", name(id)),
            Reason::Unknown(UnknownCode::Function(id)) => self.unknown(id),
            Reason::Unknown(UnknownCode::Callee) => "may do anything: what it calls is not known".to_owned(),
            Reason::Unknown(UnknownCode::Deinit) => {
                "may do anything: the deinitializer is not known".to_owned()
            }
        }
    }

    /// Describes why the effects of a function are unknown.
    fn unknown(&self, id: FunctionId) -> String {
        let (function, name) = (&self.module.functions[id], self.name(id));
        let promise = match function.attributes.effects {
            Some(EffectsKind::ReadNone) => "[readnone]",
            Some(EffectsKind::ReadOnly) => "[readonly]",
            Some(EffectsKind::ReleaseNone) => "[releasenone]",
            Some(EffectsKind::ReadWrite) | None if function.body.is_some() => {
                return format!("may do anything: calls {name}, whose effects are not computed");
            }
            _ if function.effects.side.is_some() => "its declared effects",
            Some(EffectsKind::ReadWrite) | None => {
                return format!("may do anything: calls {name}, which has no body in this file");
            }
        };
        format!("calls {name}, which has no body in this file; {promise} does not exclude it")
    }

    /// Writes all effects as JSON, each with its proof, some functions at a time: those of a library take more memory than
    /// its module. `omitted` is the number of functions that `functions` leaves out.
    pub(crate) fn write_json(
        &self,
        path: &str,
        functions: &[FunctionId],
        omitted: usize,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        write!(
            out,
            "{{\n  \"file\": {},\n  \"omitted\": {omitted},\n  \"functions\": [",
            printable_json(&Json::from(path).to_string())
        )?;
        let mut separator = "\n";
        for part in functions.chunks(PART) {
            let text = |steps: &mut StepTexts, id: &FunctionId| nested(&self.function_json(*id, steps));
            let texts: Vec<String> = part.par_iter().map_init(StepTexts::new, text).collect();
            for text in texts {
                write!(out, "{separator}{}", printable_json(&text))?;
                separator = ",\n";
            }
        }
        out.write_all(if functions.is_empty() { b"]\n}\n" } else { b"\n  ]\n}\n" })
    }

    fn function_json(&self, id: FunctionId, texts: &mut StepTexts) -> String {
        let function = &self.module.functions[id];
        let effects = self
            .proofs
            .facts(id)
            .filter_map(|fact| Some(nested(&self.proof_json(fact, &self.proofs.proof(id, fact)?, texts))));
        let json = json!({
            "function": function.name.as_str(),
            "demangled": demangle(function.name.as_str(), Style::Full),
            "side_effects": effect_texts(&function.effects),
            "effects": [],
        });
        with_items(&json, "effects", &effects.collect::<Vec<_>>())
    }

    fn proof_json(&self, fact: Fact, proof: &Proof, texts: &mut StepTexts) -> String {
        for step in &proof.steps {
            texts.entry((step.function, step.inst)).or_insert_with(|| nested(&self.step_json(step)));
        }
        let steps: Vec<&str> =
            proof.steps.iter().map(|step| texts[&(step.function, step.inst)].as_str()).collect();
        let about = proof.reason.function().map(|id| self.module.functions[id].name.as_str());
        let json = json!({
            "effect": fact.name(),
            "argument": fact.argument(),
            "is_proved": proof.is_proved,
            "steps": [],
            "reason": self.reason(proof.reason),
            "reason_function": about,
        });
        with_items(&json, "steps", &steps)
    }

    fn step_json(&self, step: &ProofStep) -> String {
        let origin = self.origin(step);
        let json = json!({
            "function": self.module.functions[step.function].name.as_str(),
            "line": self.line(step),
            "source": swift::position_json(&origin),
            "stack": swift::stack_json(&origin),
            "instruction": self.instruction(step),
        });
        format!("{json:#}")
    }
}

/// The JSON of the steps of proofs, as an item of a list: many proofs end alike.
type StepTexts = HashMap<(FunctionId, Option<Inst>), String>;

/// The number of functions whose JSON is made in parallel before it is written.
const PART: usize = 1024;

/// Returns JSON as an item of a list in an object. No string of JSON contains a line feed.
fn nested(json: &str) -> String {
    format!("    {}", json.replace('\n', "\n    "))
}

/// Returns the text of an object whose list `key` is empty, with the texts of its items: copying the values of a library
/// takes longer than to find them.
fn with_items<T: AsRef<str>>(object: &Json, key: &str, items: &[T]) -> String {
    let text = format!("{object:#}");
    // In strings, quotes have a backslash before them.
    let list = format!("\"{key}\": [");
    match text.split_once(&format!("{list}]")).filter(|_| !items.is_empty()) {
        Some((before, after)) => {
            let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
            format!("{before}{list}\n{}\n  ]{after}", items.join(",\n"))
        }
        None => text,
    }
}

const RUNTIME: [(RuntimeEffects, &str); 10] = [
    (RuntimeEffects::ALLOCATE, "allocates memory on the heap"),
    (RuntimeEffects::COUNT, "counts references"),
    (RuntimeEffects::RELEASE, "ends a lifetime, which may run a deinitializer"),
    (RuntimeEffects::METADATA, "needs type metadata, whose creation may take a lock"),
    (RuntimeEffects::CAST, "looks up a type or a conformance"),
    (RuntimeEffects::EXCLUSIVITY, "checks that the access is exclusive"),
    (RuntimeEffects::ONCE, "initializes something once for all threads"),
    (RuntimeEffects::OBJC, "sends a message to Objective-C"),
    (RuntimeEffects::CONCURRENCY, "schedules tasks"),
    (RuntimeEffects::TRAP, "stops the program where it fails"),
];
