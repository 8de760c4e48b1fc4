//! Steps, passes and differences as JSON.

use super::View;
use serde_json::{Value, json};
use silkit::diff::{Side, compare};
use silkit_timeline::{Change, Counts, Occurrence, StepId, Summary, Version};

fn counts(counts: &Counts) -> Value {
    json!({
        "blocks": counts.blocks,
        "instructions": counts.insts,
        "retains": counts.retains,
        "releases": counts.releases,
        "allocations": counts.allocations,
        "calls": counts.calls,
    })
}

impl View<'_> {
    pub(super) fn summary_as_json(&self) -> String {
        let summary = Summary::of(self.timeline, |_, _| true);
        let passes = summary.passes.iter().map(|row| {
            let pass = self.timeline.pass(row.pass);
            json!({
                "pass": pass.tag,
                "name": pass.name,
                "runs": row.runs,
                "steps": row.steps,
                "changed": row.changed,
                "gained": counts(&row.gained),
                "lost": counts(&row.lost),
                "milliseconds": (pass.milliseconds > 0.0).then_some(pass.milliseconds),
            })
        });
        let (lines, bytes) = self.timeline.size();
        let (text_bytes, stored_bytes) = self.timeline.stored_sizes();
        let others = self.timeline.other_lines().iter().map(|o| json!({"line": o.line, "text": o.text}));
        let all = json!({
            "lines": lines,
            "bytes": bytes,
            "steps": summary.steps,
            "changed": summary.changed,
            "first_printed": summary.unknown,
            "unread": summary.unread,
            "units": self.timeline.units(),
            "functions": summary.functions,
            "texts": {"count": summary.texts, "bytes": text_bytes, "stored_bytes": stored_bytes},
            "passes": passes.collect::<Vec<_>>(),
            "other_line_count": self.timeline.other_line_count(),
            "other_lines": others.collect::<Vec<_>>(),
        });
        format!("{all:#}\n")
    }

    /// Returns a step and one of its texts.
    fn step(&self, id: StepId, version: &Version) -> Value {
        let step = self.timeline.step(id);
        let function = version.function.map(|function| self.timeline.function(function));
        let of = |body: Option<_>| body.map(|body| counts(&self.timeline.counts(body)));
        json!({
            "run": step.number,
            "transformation": step.transformation,
            "is_mandatory": step.is_mandatory,
            "unit": step.unit,
            "kind": step.kind.name(),
            "pass": step.pass.map(|pass| &self.timeline.pass(pass).tag),
            "stage": step.stage.map(|stage| self.timeline.stage(stage)),
            "function": function,
            "demangled": function.and_then(silkit::comment_name),
            "line": step.line,
            "changed": match self.timeline.change(version) {
                Change::None => Some(false),
                Change::Changed => Some(true),
                Change::Unknown => None,
            },
            "milliseconds": self.timeline.milliseconds(step),
            "before": of(version.before),
            "after": of(version.after),
        })
    }

    pub(super) fn steps_as_json(&self, steps: &[(StepId, &Version)]) -> String {
        let steps: Vec<Value> = steps.iter().map(|(id, version)| self.step(*id, version)).collect();
        format!("{:#}\n", json!({"steps": steps}))
    }

    pub(super) fn occurrences_as_json(&self, found: &[Occurrence]) -> String {
        let found = found.iter().map(|one| {
            let mut step = self.step(one.step, &one.version);
            step["lines_before"] = json!(one.before);
            step["lines_after"] = json!(one.after);
            step
        });
        format!("{:#}\n", json!({"steps": found.collect::<Vec<_>>()}))
    }

    pub(super) fn differences_as_json(&self, steps: &[(StepId, &Version)]) -> String {
        let text = |body: Option<_>| body.map(|body| self.timeline.text(body)).unwrap_or_default();
        let steps = steps.iter().map(|(id, version)| {
            let mut step = self.step(*id, version);
            let comparison = compare(&text(version.before), &text(version.after));
            let lines = comparison.differences.iter().flat_map(|difference| &difference.lines);
            let lines = lines.map(|line| {
                let side = match line.side {
                    Side::Both => "both",
                    Side::Before => "before",
                    Side::After => "after",
                };
                json!({"side": side, "text": line.text})
            });
            step["lines"] = if version.is_first { Value::Null } else { lines.collect::<Vec<_>>().into() };
            step
        });
        format!("{:#}\n", json!({"steps": steps.collect::<Vec<_>>()}))
    }
}
