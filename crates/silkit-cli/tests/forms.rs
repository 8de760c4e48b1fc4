//! Tests of `opt` on files that are not in canonical form, against the output of the reference.
//!
//! Each `data/forms/NAME.sil` says its options in its first line; `NAME.expected` is what the reference
//! prints of its SIL, which is asked again where it is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/forms")
}

/// Returns the output from the first SIL entity on: what a file declares in Swift prints as it was read.
fn sil(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let end = text.find("\n\n// Mappings").unwrap_or(text.len());
    let is_entity = |block: &&str| block.lines().any(|l| l.starts_with("sil ") || l.starts_with("sil_scope"));
    let blocks = text[..end].split("\n\n");
    blocks.skip_while(|b| !is_entity(b)).map(|b| b.trim_matches('\n')).collect::<Vec<_>>().join("\n\n") + "\n"
}

fn cases() -> Vec<(String, Vec<String>)> {
    let mut cases: Vec<_> = std::fs::read_dir(folder())
        .expect("the folder is in the repository")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".sil"))
        .map(|name| {
            let text = std::fs::read_to_string(folder().join(&name)).expect("the case can be read");
            let options =
                text.lines().next().and_then(|l| l.strip_prefix("// options: ")).unwrap_or_default();
            (name, options.split(' ').map(str::to_owned).collect())
        })
        .collect();
    cases.sort();
    cases
}

fn expected(name: &str) -> PathBuf {
    folder().join(name).with_extension("expected")
}

#[test]
fn forms_print_as_the_reference_prints_them() {
    for (name, options) in cases() {
        let output = Command::new(env!("CARGO_BIN_EXE_silkit"))
            .arg("opt")
            .args(options)
            .arg(&name)
            .current_dir(folder())
            .output()
            .expect("the command starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let expected = std::fs::read_to_string(expected(&name)).expect("each case has its output");
        let printed = sil(&output.stdout);
        let differing = printed.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs);
        assert_eq!(differing, None, "{name}");
        assert_eq!(printed.len(), expected.len(), "{name}");
    }
}

#[test]
fn the_expected_output_is_the_references() {
    let shared = std::env::var_os("SILKIT_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let reference = shared.join("oracle/ref");
    for (name, options) in cases() {
        let output =
            Command::new(&reference).arg("sil-opt").args(options).arg(&name).current_dir(folder()).output();
        let Some(output) = output.ok().filter(|o| o.status.success()) else {
            eprintln!("skipped: the reference is not installed");
            return;
        };
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(expected(&name), sil(&output.stdout)).expect("the output can be written");
        }
        let expected = std::fs::read_to_string(expected(&name)).unwrap_or_default();
        assert_eq!(expected, sil(&output.stdout), "{name}");
    }
}

#[test]
fn types_that_differentiation_declares_stay_behind_its_witnesses() {
    let text = "sil_stage canonical\n\nimport Swift\n\n\
        // differentiability witness for f\n\
        sil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Double) -> Double {\n}\n\n\
        enum _AD__f_bb0 {\n}\n\nenum _AD__f_bb1 {\n  case bb0(())\n}\n\n\
        // f\nsil @f : $@convention(thin) (Double) -> Double\n\n";
    let module = silkit::read("f.sil", text.as_bytes()).expect("it reads");
    assert_eq!(silkit::print(&module), text);
}
