//! Findings in the layout of the reference, compared with what it prints for the same files.

use silkit::ir::Module;
use silkit::ir::conventions::Addresses;
use silkit::reference::{ReferenceRenderer, VerifierPart, dump_ownership, part};
use silkit::verify::{Finding, VerifyOptions, verify};
use std::path::Path;

fn read(name: &str) -> Module {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = std::fs::read(&path).expect("a file");
    silkit::read(name, &text).expect("a module")
}

/// Reads a file, with the findings about it in the order of its text.
fn verified(name: &str) -> (Module, Vec<Finding>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = std::fs::read_to_string(&path).expect("a file");
    let parsed = silkit::text::parse_module(&text);
    assert_eq!(parsed.errors, [], "{name}");
    let declarations = silkit::declarations(&parsed.module);
    let report = verify(&parsed.module, &declarations, Some(parsed.source(&text)), &VerifyOptions::default());
    (parsed.module, report.findings.into_iter().filter(Finding::is_error).collect())
}

/// Compares a text with a file, or writes it there if `UPDATE_EXPECT` is set.
fn expect(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, found).expect("a file");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{name}:\n{}",
        similar::TextDiff::from_lines(&*expected, found).unified_diff()
    );
}

#[test]
fn errors_of_ownership_are_dumped_as_the_reference_does() {
    let (module, findings) = verified("lifetimes.sil");
    expect("lifetimes.errors", &ReferenceRenderer::new(&module).ownership_errors(&findings));
}

/// The reference prints each failure twice, as it verifies twice, and what follows from a crossed deallocation.
#[test]
fn failures_are_told_as_the_reference_does() {
    let (module, findings) = verified("failures.sil");
    expect("failures.errors", &ReferenceRenderer::new(&module).failures(&findings));
}

#[test]
fn errors_of_memory_are_told_as_the_reference_does() {
    let (module, findings) = verified("memory.sil");
    assert!(findings.iter().all(|f| part(f) == VerifierPart::Memory), "{findings:#?}");
    expect("memory.errors", &ReferenceRenderer::new(&module).memory_errors(&findings));
}

#[test]
fn ownership_is_dumped_as_the_reference_does() {
    let module = read("uses.sil");
    expect("uses.dump", &dump_ownership(&module, &silkit::declarations(&module), Addresses::Lowered));
}

#[test]
fn what_is_verified_in_swift_is_told_apart() {
    let (module, findings) = verified("lifetimes.sil");
    let swift: Vec<_> = findings.iter().filter(|f| part(f) == VerifierPart::Swift).collect();
    let rules: Vec<_> = swift.iter().map(|f| f.rule.id.as_str()).collect();
    assert_eq!(rules, ["SIL0409"], "the phi lacks its `borrowed … from`");
    let headline = ReferenceRenderer::new(&module).headline(swift[0]);
    assert_eq!(
        headline.as_deref(),
        Some("SIL verification failed: guaranteed phi has non borrowed-from use")
    );
}
