//! Failures of the verifier, each with the instruction in its context.

use super::ReferenceRenderer;
use silkit_base::FxHashSet;
use silkit_ir::{Body, Inst, Value, ValueDef};
use silkit_text::Dump;
use silkit_verify::{Finding, Owner, Place, ReferenceMessage};

/// Returns the first line of a failure.
pub(super) fn headline(message: &str) -> String {
    format!("SIL verification failed: {message}")
}

impl ReferenceRenderer<'_> {
    /// Writes the reference's failures for findings at one place, without duplicates. Silkit's message is used for a
    /// finding that the reference does not have.
    pub(super) fn failures_of(&self, findings: &[Finding], out: &mut String) {
        let (name, body) = match findings[0].owner {
            Owner::Function(id) => {
                let function = &self.module.functions[id];
                (function.name.as_str(), function.body.as_ref())
            }
            Owner::Module | Owner::Global(_) => ("?", None),
        };
        let parts = body.map(|body| (self.dump(body), body));
        let mut told = FxHashSet::default();
        let mut tell = |message: &str, at: Place, shown: &[(&str, Inst)]| {
            let mut text = String::new();
            if let Some((dump, _)) = &parts {
                shown.iter().for_each(|(words, inst)| text += &format!("{words}{}", dump.inst(*inst, "")));
            }
            text += &format!("Begin Error in function {name}\n{}\n", headline(message));
            if let Some((dump, body)) = &parts {
                text += &context(dump, body, at);
            }
            text += &format!("End Error in function {name}\n");
            if !told.contains(&text) {
                *out += &text;
                told.insert(text);
            }
        };
        for finding in findings {
            if finding.reference_messages.is_empty() {
                tell(&finding.message, finding.place, &[]);
            }
            for told in &finding.reference_messages {
                if let ReferenceMessage::Failure(failure) | ReferenceMessage::SwiftFailure(failure) = told {
                    tell(failure.message, failure.at, &failure.shown);
                }
            }
        }
    }
}

/// Returns an instruction or an argument, with its operands and users.
fn context(dump: &Dump<'_>, body: &Body, at: Place) -> String {
    let inst = match at {
        Place::Inst(inst) => inst,
        Place::Operand(operand) => body.operand(operand).user,
        Place::Value(value) => match body.def(value) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Argument(..) => {
                let users = users(dump, body, std::iter::once(value));
                return format!("Verifying argument:\n{}{users}", dump.value(value, "-> "));
            }
            ValueDef::Undef | ValueDef::Pending => return String::new(),
        },
        Place::Whole | Place::Function(_) | Place::Block(_) | Place::Text(_) => return String::new(),
    };
    let mut out = "Verifying instruction:\n".to_owned();
    let mut used: Vec<Value> = body.operands(inst).iter().map(|o| o.value).collect();
    used.retain(|&value| !matches!(body.def(value), ValueDef::Undef | ValueDef::Pending));
    used.sort_by_key(|&value| dump.value_number(value));
    used.iter().for_each(|&value| out += &dump.value(value, "   "));
    out += &dump.inst(inst, "-> ");
    out + &users(dump, body, body.results(inst))
}

fn users(dump: &Dump<'_>, body: &Body, values: impl Iterator<Item = Value>) -> String {
    let mut users: Vec<Inst> = values.flat_map(|value| body.users(value)).collect();
    users.sort_by_key(|&inst| dump.inst_number(inst));
    users.into_iter().map(|inst| dump.inst(inst, "   ")).collect()
}
