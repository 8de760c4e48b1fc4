//! All declarations of a corpus of SIL files and module interfaces are read, and the shipped facts are fresh.
//!
//! The corpus is found by the environment variable `SILKIT_SHARED` or at `../shared` beside the
//! workspace; without it, or without `zstd` to unpack it, the tests say so and pass.

use silkit_text::decl::{Dialect, parse_decls, parse_interface, with_stdlib, write_facts};
use silkit_types::decl::{DeclTable, Lookup};
use silkit_types::{Type, stdlib};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the unpacked files of a folder of the corpus whose names hold `part`.
fn corpus(folder: &str, part: &str) -> Vec<(PathBuf, String)> {
    let root = std::env::var_os("SILKIT_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(root.join("corpus").join(folder)) else {
        eprintln!("skipped: no corpus at {}", root.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.file_name().is_some_and(|n| n.to_string_lossy().contains(part)));
    paths.sort();
    paths.into_iter().filter_map(|p| Some((p.clone(), unpacked(&p)?))).collect()
}

fn unpacked(path: &Path) -> Option<String> {
    if path.extension().is_none_or(|e| e != "zst") {
        return std::fs::read_to_string(path).ok();
    }
    let output = Command::new("zstd").args(["-dc", "--long=27"]).arg(path).output();
    let Ok(output) = output else {
        eprintln!("skipped: no `zstd` to unpack {}", path.display());
        return None;
    };
    String::from_utf8(output.stdout).ok().filter(|t| !t.is_empty())
}

/// Returns the stretches of a printed file that hold no SIL entity.
fn swift_parts(text: &str) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut pos, mut inside) = (Vec::new(), 0, 0, false);
    for line in text.split_inclusive('\n') {
        let end = pos + line.len();
        if inside && line.starts_with('}') {
            (inside, start) = (false, end);
        } else if !inside && (line.starts_with("sil ") || line.starts_with("sil_")) {
            parts.push(start..pos);
            let code = line.split("//").next().unwrap_or_default();
            (inside, start) = (code.trim_end().ends_with('{'), end);
        }
        pos = end;
    }
    if !inside {
        parts.push(start..pos);
    }
    parts
}

fn declarations(text: &str) -> (DeclTable, usize, usize) {
    let (mut table, mut count, mut errors) = (DeclTable::new(), 0, 0);
    for part in swift_parts(text) {
        let parsed = parse_decls(text, part, Dialect::Sil);
        count += parsed.ranges.len();
        errors += parsed.errors.len();
        for error in parsed.errors.iter().take(3) {
            eprintln!("{} at {:?}", error.message, text.get(error.range.as_usize()));
        }
        table.append(parsed.table);
    }
    (table, count, errors)
}

#[test]
fn every_declaration_is_read_and_every_field_is_found() {
    let mut counted = 0;
    for folder in ["packages", "swift-6.0", "stdlib"] {
        for (path, text) in corpus(folder, ".sil") {
            let (table, count, errors) = declarations(&text);
            assert_eq!(errors, 0, "{}", path.display());
            counted += count;
            let decls = with_stdlib(table);
            let mut found = 0usize;
            for (base, field) in text.lines().filter_map(field_reference) {
                let Lookup::Known(_) = decls.lookup_nominal(base.into()) else { continue };
                // Arguments do not matter here: parameters stand for themselves.
                let mut ty: Option<Type> = None;
                let mut outer = String::new();
                for (depth, name) in (0..).zip(base.split('.')) {
                    outer = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
                    // A type around it may have the name of one of the library.
                    let args = match decls.lookup_nominal(outer.as_str().into()) {
                        Lookup::Known(decl) => {
                            (0..decl.param_count()).map(|i| Type::param(depth, i as u16)).collect()
                        }
                        _ => Box::default(),
                    };
                    ty = Some(Type::named(ty, name.into(), args));
                }
                let ty = ty.expect("the base was found");
                assert!(decls.stored_field(ty, field.into()).is_some(), "{}: {base}.{field}", path.display());
                found += 1;
            }
            eprintln!("{}: {count} declarations, {found} fields", path.display());
        }
    }
    eprintln!("{counted} declarations");
}

/// `#Path.field` of an instruction that projects a stored property.
fn field_reference(line: &str) -> Option<(&str, &str)> {
    let (_, instruction) = line.trim_start().strip_prefix('%')?.split_once(" = ")?;
    let opcode = instruction.split(' ').next()?;
    if !matches!(opcode, "struct_extract" | "struct_element_addr" | "ref_element_addr") {
        return None;
    }
    let (_, reference) = instruction.split_once('#')?;
    let end = reference.find([' ', ',']).unwrap_or(reference.len());
    reference[..end].rsplit_once('.').filter(|(_, field)| !field.contains('`'))
}

#[test]
fn shipped_facts_are_fresh() {
    let interfaces = corpus("interfaces", ".swiftinterface");
    if interfaces.is_empty() {
        return;
    }
    let mut tables = Vec::new();
    for (path, text) in &interfaces {
        let parsed = parse_interface(text);
        assert_eq!(parsed.errors, [], "{}", path.display());
        tables.push(parsed.table);
    }
    let facts = write_facts(&tables);
    assert!(
        facts == stdlib::SWIFT,
        "the shipped facts are stale: run `silkit interface` on the interface files"
    );
    tables.reverse();
    assert!(write_facts(&tables) == facts, "the order of the files does not matter");
}
