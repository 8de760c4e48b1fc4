//! What the verifier says about a module: its findings as they are shown, and what it could not decide.

use silkit_diag::{Diagnostic, FileId};
use silkit_ir::conventions::Addresses;
use silkit_text::{ParseOptions, decl::declarations, parse_module_with};
use silkit_verify::{Finding, ReferenceMessage, Renderer, VerifyOptions, verify};
use std::fmt::Write;
use std::path::Path;

/// Returns the findings in a module with the text that they point to, and the undecided checks.
pub(crate) fn told(text: &str, addresses: Addresses) -> String {
    let parsed = parse_module_with(text, &ParseOptions { opaque_values: addresses == Addresses::Opaque });
    if !parsed.errors.is_empty() {
        let messages = parsed.errors.iter().map(|error| format!("  not read: {}\n", error.message));
        return messages.collect();
    }
    let options = VerifyOptions { addresses, unknown: true, ..VerifyOptions::default() };
    let source = parsed.source(text);
    let report = verify(&parsed.module, &declarations(&parsed.module), Some(source), &options);
    let renderer = Renderer::new(&parsed.module, Some((FileId::new(0), source)));
    let mut told = String::new();
    for finding in &report.findings {
        let kind = if finding.is_error() { "" } else { "warning " };
        write!(told, "  {kind}{}", shown(&renderer.finding(finding), text)).expect("written");
        told += &reference(finding);
    }
    for undecided in &report.unknown {
        write!(told, "  undecided {}", shown(&renderer.unknown(undecided), text)).expect("written");
    }
    told
}

/// Returns a diagnostic with the text that each label points to.
fn shown(diagnostic: &Diagnostic, text: &str) -> String {
    let rule = diagnostic.rule.map(|rule| rule.as_str().to_owned()).unwrap_or_default();
    let mut shown = format!("{rule}: {}\n", diagnostic.message);
    for label in &diagnostic.labels {
        let (start, end) = (label.span.start as usize, label.span.end as usize);
        let place = text[start..end].lines().next().unwrap_or_default();
        writeln!(shown, "    `{place}` {}", label.text).expect("written");
    }
    for note in &diagnostic.notes {
        writeln!(shown, "    note: {}", note.message).expect("written");
    }
    shown
}

/// Returns the reference's messages about a finding.
fn reference(finding: &Finding) -> String {
    let line = |message: &ReferenceMessage| match message {
        ReferenceMessage::Failure(failure) | ReferenceMessage::SwiftFailure(failure) => {
            failure.message.to_owned()
        }
        ReferenceMessage::Ownership(_, error) => word(&format!("{error:?}")),
        ReferenceMessage::Memory(fault) => word(&format!("{:?}", fault.kind)),
    };
    finding.reference_messages.iter().map(|message| format!("    reference: {}\n", line(message))).collect()
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric()).collect()
}

/// Compares a text with a file of `tests`; `UPDATE_EXPECT=1` writes it.
pub(crate) fn expect(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, text).expect("written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let (mut old, mut new) = (known.lines(), text.lines());
    let mut heading = "";
    for number in 1.. {
        let (was, is) = (old.next(), new.next());
        if let Some(line) = is.filter(|line| !line.starts_with(' ')) {
            heading = line;
        }
        assert!(was == is, "tests/{file}:{number} ({heading}): expected {was:?}, found {is:?}");
        if is.is_none() {
            break;
        }
    }
}
