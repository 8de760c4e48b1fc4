//! The first step of a log that breaks a rule of the verifier.
//!
//! A step that prints one function is verified with the declarations of the last module before it in the log. Functions
//! between two modules are verified together, in layers: each layer has one text of each function.

use crate::header::StepKind;
use crate::store::BodyId;
use crate::timeline::{NameId, StepId, Timeline, Version};
use rayon::prelude::*;
use silkit::base::{FxHashMap, FxHashSet};
use silkit::diag::RuleId;
use silkit::text::parse_module;
use silkit::verify::{Finding, Owner, VerifyOptions, verify};

/// A violation that a step brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The step.
    pub step: StepId,
    /// The function and its texts.
    pub version: Version,
    /// The rule.
    pub rule: RuleId,
    /// The message.
    pub message: String,
    /// A module to verify: the function, and the declarations around it.
    pub module: String,
}

/// What stands before functions where the log prints no module.
const PROLOGUE: &str = "sil_stage raw\n\nimport Builtin\nimport Swift\nimport SwiftShims\n\n";

/// The rules that need more than a function and the last module before it: that a function is declared, and defined once,
/// or declared before it is used.
const OF_MODULES: [RuleId; 2] = [RuleId::new("SIL0605"), RuleId::new("SIL0647")];

/// Returns the first violation that the text of its function before the step does not have; nothing if all steps are valid.
pub fn first_violation(timeline: &Timeline, options: &VerifyOptions) -> Option<Violation> {
    let mut options = options.clone();
    options.allow.extend(OF_MODULES);
    let mut search = Search { timeline, options, rest: None, open: Vec::new(), broken: FxHashMap::default() };
    // What a pass creates is printed before it has a body.
    for (id, step) in timeline.steps().filter(|(_, step)| step.kind != StepKind::NewFunction) {
        for version in timeline.versions(step) {
            match (version.function, version.after) {
                (Some(function), Some(body)) => search.open.push((id, *version, function, body)),
                (None, Some(body)) => {
                    // The declarations of a module also hold for its functions, which are recorded before them.
                    let of_module = search.open.iter().position(|open| open.0 == id);
                    let functions = search.open.split_off(of_module.unwrap_or(search.open.len()));
                    if let Some(found) = search.close() {
                        return Some(found);
                    }
                    search.rest = Some(body);
                    search.open = functions;
                }
                _ => {}
            }
        }
    }
    search.close()
}

struct Search<'t> {
    timeline: &'t Timeline,
    options: VerifyOptions,
    /// What is outside of functions, in the last module.
    rest: Option<BodyId>,
    /// The texts that are not verified yet.
    open: Vec<(StepId, Version, NameId, BodyId)>,
    /// The rules that texts break.
    broken: FxHashMap<BodyId, Vec<(RuleId, String)>>,
}

impl Search<'_> {
    /// Verifies the open texts, and returns the first violation.
    fn close(&mut self) -> Option<Violation> {
        let open = std::mem::take(&mut self.open);
        let mut layers: Vec<Vec<(NameId, BodyId)>> = Vec::new();
        let mut depth: FxHashMap<NameId, usize> = FxHashMap::default();
        let mut seen: FxHashSet<BodyId> = FxHashSet::default();
        for &(_, version, function, body) in &open {
            // The text before the first step between two modules is verified as well, to know what is not new.
            for body in [version.before, Some(body)].into_iter().flatten() {
                if self.broken.contains_key(&body) || !seen.insert(body) {
                    continue;
                }
                let layer = depth.entry(function).or_default();
                if layers.len() <= *layer {
                    layers.push(Vec::new());
                }
                layers[*layer].push((function, body));
                *layer += 1;
            }
        }
        let found: Vec<_> = layers.par_iter().map(|layer| self.layer(layer)).collect();
        self.broken.extend(found.into_iter().flatten());
        for (step, version, _, body) in open {
            let before = version.before.and_then(|body| self.broken.get(&body));
            let rules = self.broken.get(&body).into_iter().flatten();
            let is_new = |rule: RuleId| !before.is_some_and(|before| before.iter().any(|b| b.0 == rule));
            if let Some((rule, message)) = rules.clone().find(|(rule, _)| is_new(*rule)) {
                let module = self.declarations() + &self.timeline.text(body);
                return Some(Violation { step, version, rule: *rule, message: message.clone(), module });
            }
        }
        None
    }

    fn declarations(&self) -> String {
        self.rest.map_or_else(|| PROLOGUE.to_owned(), |rest| self.timeline.text(rest))
    }

    /// Returns the rules that the functions of a layer break.
    fn layer(&self, layer: &[(NameId, BodyId)]) -> Vec<(BodyId, Vec<(RuleId, String)>)> {
        let mut text = self.declarations();
        for (_, body) in layer.iter().filter(|(_, body)| self.timeline.unread(*body).is_none()) {
            text += &self.timeline.text(*body);
            text.push('\n');
        }
        let mut parsed = parse_module(&text);
        let declarations = silkit::declarations_of(&parsed.module, parsed.declared.take(), &[]);
        let report = verify(&parsed.module, &declarations, Some(parsed.source(&text)), &self.options);
        let mut found: FxHashMap<&str, Vec<(RuleId, String)>> = FxHashMap::default();
        for finding in report.findings.into_iter().filter(Finding::is_error) {
            if let Owner::Function(id) = finding.owner {
                let name = parsed.module.functions[id].name.as_str();
                found.entry(name).or_default().push((finding.rule.id, finding.message));
            }
        }
        let rules = |&(function, body): &(NameId, BodyId)| {
            (body, found.remove(self.timeline.function(function)).unwrap_or_default())
        };
        layer.iter().map(rules).collect()
    }
}
