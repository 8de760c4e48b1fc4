//! Commands that answer questions about a module.

use crate::*;

#[test]
fn stats_of_several_files_add_up() {
    let output = run(&["stats", "--format", "json", "examples/shapes.raw.sil", "examples/effects.raw.sil"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let files = value["files"].as_array().expect("files");
    for key in ["bytes", "functions", "instructions"] {
        let sum: u64 = files.iter().map(|f| f[key].as_u64().expect("a number")).sum();
        assert_eq!(value["total"][key], sum, "{key}");
    }
    assert_eq!(files.len(), 2);
    assert_eq!(files[1]["file"], "examples/effects.raw.sil");
    let value = &value["total"];
    let kinds = value["kinds"].as_object().expect("kinds");
    let of_kinds: u64 = kinds.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(value["instructions"], of_kinds);
}

#[test]
fn numbers_of_stats_agree_with_their_nouns() {
    let text =
        b"sil_global @g : $Builtin.Int8\nsil @f : $@convention(thin) () -> () {\nbb0:\n  unreachable\n}\n";
    let shown = stdout(&run_with(&["stats", "--format", "text"], text));
    let expected = "1 function, 1 with a body 1 block 1 instruction 1 global 1 100.0 % unreachable";
    assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").ends_with(expected), "{shown}");
    let shown = stdout(&run(&["stats", "--format", "table", "crates/silkit/tests/data/tables.sil"]));
    assert!(shown.contains(" witness tables\n"), "{shown}");
}

#[test]
fn nm_names_tables_as_the_reference_does() {
    let listed = stdout(&run(&["nm", "crates/silkit/tests/data/tables.sil"]));
    assert_eq!(listed, text(&root().join("crates/silkit-cli/tests/data/tables.nm")));
    let json = stdout(&run(&["nm", "--format", "json", "crates/silkit/tests/data/tables.sil"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json.as_array().expect("rows").len(), listed.lines().count());
}

#[test]
fn nm_of_several_files_names_each() {
    let listed = stdout(&run(&["nm", "examples/shapes.raw.sil", "examples/effects.raw.sil"]));
    assert!(listed.starts_with("examples/shapes.raw.sil:\nF "), "{listed}");
    assert!(listed.contains("\n\nexamples/effects.raw.sil:\nF "), "{listed}");
}

#[test]
fn nm_demangles() {
    let listed = stdout(&run(&["nm", "-demangle", "examples/shapes.raw.sil"]));
    assert!(listed.contains("F shapes.Canvas.total() -> Swift.Double\n"), "{listed}");
}

#[test]
fn nm_lists_what_other_modules_can_refer_to_or_what_is_defined() {
    let text = b"sil @open : $@convention(thin) () -> () {\nbb0:\n  unreachable\n}\nsil @declared : $@convention(thin) () -> ()\n\
        sil hidden @own : $@convention(thin) () -> () {\nbb0:\n  unreachable\n}\n\
        sil_global public_external @far : $Builtin.Int8\nsil_global private @near : $Builtin.Int8\nsil_vtable C {\n}\nclass C {}\n";
    let list = |args: &[&str]| stdout(&run_with(&[&["nm"], args].concat(), text)).replace('\n', " ");
    assert_eq!(list(&[]), "F declared F open F own G far G near V C ");
    assert_eq!(list(&["-g"]), "F declared F open G far ");
    assert_eq!(list(&["--defined-only"]), "F open F own G near V C ");
    assert_eq!(list(&["-extern-only", "--defined-only"]), "F open ");
}

#[test]
fn demangle_takes_symbols_and_text() {
    let symbol = "$s4main5greet4nameS2S_tF";
    let told = stdout(&run(&["demangle", symbol, "main"]));
    let want = format!("{symbol} ---> main.greet(name: Swift.String) -> Swift.String\nmain ---> main\n");
    assert_eq!(told, want);
    assert_eq!(stdout(&run(&["demangle", "-compact", "-simplified", symbol])), "greet(name:)\n");
    // A shell takes `$s4main…` for a variable, so people leave the dollar out. A word stays a word.
    let cut = stdout(&run(&["demangle", &symbol[1..], "sS", "S2S", "s"]));
    assert_eq!(
        cut,
        format!(
            "{symbol} ---> main.greet(name: Swift.String) -> Swift.String\n$sS ---> Swift.String\nS2S ---> S2S\ns ---> s\n"
        )
    );
    let log = b"at $s4main5greet4nameS2S_tF + 12\n\xff\n";
    let copied = run_with(&["demangle", "--simplified"], log);
    assert_eq!(copied.stdout, b"at greet(name:) + 12\n\xff\n");
    let object = stdout(&run(&["demangle", "--format", "json", symbol, "x"]));
    let rows: Vec<serde_json::Value> =
        object.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(rows[0]["simplified"], "greet(name:)");
    assert!(rows[1]["demangled"].is_null());
}

/// Returns the interface files of the standard library, decompressed, in the order of the shipped facts.
fn interfaces() -> Option<Vec<PathBuf>> {
    let shared = std::env::var_os("SILKIT_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let folder = shared.join("corpus/interfaces");
    let target = scratch("interfaces");
    let header = silkit::types::stdlib::SWIFT.lines().next()?;
    let names = header.split(' ').skip(2);
    names
        .map(|name| {
            let packed = folder.join(format!("{name}.swiftinterface.zst"));
            let path = target.join(format!("{name}.swiftinterface"));
            let done = Command::new("zstd")
                .args(["-q", "-d", "--long=27"])
                .arg(packed)
                .arg("-o")
                .arg(&path)
                .status();
            done.is_ok_and(|s| s.success()).then_some(path)
        })
        .collect()
}

#[test]
fn the_shipped_facts_are_those_of_the_interfaces() {
    let Some(files) = interfaces() else {
        eprintln!("skipped: the interface files or zstd are not there");
        return;
    };
    let output = silkit().args(["interface", "--facts"]).args(files).output().expect("the command starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output) == silkit::types::stdlib::SWIFT,
        "swift.facts is stale: `silkit interface --facts`"
    );
}

#[test]
fn interface_shows_what_is_declared() {
    let text =
        b"// swift-module-flags: -module-name Geo\n@frozen public struct P {\n  public var x: Swift.Int\n}\n";
    let output = run_with(&["interface"], text);
    assert_eq!(stdout(&output), "// module Geo\n@frozen struct P { var x: Int }\n");
    assert_eq!(run_with(&["interface"], b"struct S {}").status.code(), Some(1));
    // Of another kind of file only that is said.
    let other = run_with(&["interface"], b"sil_stage raw\nsil @f : $()\n");
    assert_eq!((other.status.code(), stderr(&other).lines().count()), (Some(1), 1));
    assert!(stderr(&other).contains("this is not a module interface"), "{}", stderr(&other));
    // A byte order mark and the line ends of other systems are no part of the declarations.
    let shown = stdout(&output);
    let marked = [b"\xef\xbb\xbf", &text[..]].concat();
    let returns: Vec<u8> = text.iter().map(|&b| if b == b'\n' { b'\r' } else { b }).collect();
    for other in [marked, returns] {
        assert_eq!(stdout(&run_with(&["interface"], &other)), shown);
    }
    let shipped = stdout(&run(&["interface", "examples/geometry.swiftinterface"]));
    assert!(shipped.contains("extension Array: Area where Element : Area {}\n"), "{shipped}");
}

#[cfg(unix)]
#[test]
fn demangle_says_what_it_cannot_read() {
    let folder = std::fs::File::open(root()).expect("a folder");
    let output = silkit().arg("demangle").stdin(folder).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot read standard input: is a directory"), "{}", stderr(&output));
}

#[test]
fn the_library_is_listed_as_json() {
    let folder = scratch("library-json").display().to_string();
    let library = |args: &[&str]| {
        silkit().env("SILKIT_LIBRARY", &folder).arg("library").args(args).output().expect("it starts")
    };
    assert!(library(&["add", "examples/shapes.canonical.sil"]).status.success());
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&library(&["list", "--format", "json"]))).expect("JSON");
    assert_eq!(json[0]["module"], "shapes");
    assert!(json[0]["file"].as_str().expect("a path").ends_with("shapes.sib"));
}

#[test]
fn modules_are_removed_from_the_library() {
    let folder = scratch("library-remove");
    let library = |args: &[&str]| {
        silkit().env("SILKIT_LIBRARY", &folder).arg("library").args(args).output().expect("it starts")
    };
    for name in ["One", "Two", "Three"] {
        assert!(library(&["add", "--name", name, "examples/run/hello.sil"]).status.success());
    }
    let words = ["complete", "3", "silkit", "library", "remove", "T"];
    let completed = silkit().env("SILKIT_LIBRARY", &folder).args(words).output().expect("it starts");
    assert_eq!(stdout(&completed), "Three\nTwo\n");
    // Nothing is removed if one name is unknown.
    let output = library(&["remove", "One", "Tow"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("has no module `Tow` [CLI0003]\nnote: did you mean `Two`?"),
        "{output:?}"
    );
    let output = library(&["remove", "../library-remove/One"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&library(&["list"])), "One\nThree\nTwo\n");
    let output = library(&["remove", "Two", "One", "Two"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let path = |name: &str| folder.join(name).display().to_string();
    assert_eq!(
        stdout(&output),
        format!("Two: removed {}\nOne: removed {}\n", path("Two.sib"), path("One.sib"))
    );
    assert_eq!(stdout(&library(&["list"])), "Three\n");
    assert_eq!(library(&["remove"]).status.code(), Some(2));
    // A file in place of the directory.
    for args in [&["list"][..], &["remove", "One"]] {
        let file = root().join("README.md");
        let output = silkit().env("SILKIT_LIBRARY", file).arg("library").args(args).output();
        let output = output.expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains("README.md`: not a directory [CLI0001]"), "{output:?}");
    }
}

#[test]
fn effects_as_json_are_a_document() {
    let json = |args: &[&str]| {
        let text = stdout(&run(&[&["effects", "--format", "json"], args].concat()));
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(text, format!("{json:#}\n"));
        json["functions"].as_array().expect("functions").len()
    };
    let file = "examples/shapes.raw.sil";
    assert_eq!(json(&[file]), 13);
    assert_eq!(json(&[file, "main"]), 1);
    let two = run(&["effects", file, "examples/shapes.canonical.sil"]);
    assert_eq!(two.status.code(), Some(2));
    assert!(
        stderr(&two).contains("reads one file, and `examples/shapes.canonical.sil` is another"),
        "{two:?}"
    );
    // `--may` leaves nothing over.
    assert_eq!(json(&["examples/shapes.optimized.sil", "Shape.area.getter", "--may", "lock"]), 0);
}

#[test]
fn graphs_in_every_form() {
    let file = "examples/shapes.raw.sil";
    let dot = stdout(&run(&["graph", "--function", "main", file]));
    assert!(dot.starts_with("digraph {") && dot.contains("\"bb0\""), "{dot}");
    let json = stdout(&run(&["graph", "calls", "--format", "json", file]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(json["edges"].as_array().is_some_and(|e| !e.is_empty()));
    let target = scratch("graph").join("classes.svg");
    let output = run(&["graph", "classes", file, "--format", "svg", "-o", &target.display().to_string()]);
    assert!(output.status.success() && text(&target).ends_with("</svg>\n"));
    let output = run(&["graph", file]);
    assert!(stderr(&output).contains("has 13 functions with bodies"), "{}", stderr(&output));
    let output = run(&["graph", "-f", "mian", file]);
    assert!(stderr(&output).contains("did you mean `main`?"), "{}", stderr(&output));
}

#[test]
fn graphs_of_calls_have_a_limit() {
    let file = "examples/shapes.raw.sil";
    let nodes = |args: &[&str]| {
        let output = run(&[&["graph", "calls", file, "--format", "json"], args].concat());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (json["nodes"].as_array().expect("nodes").len(), json["omitted"].as_u64().expect("a number"))
    };
    let (all, _) = nodes(&["--limit", "0"]);
    assert_eq!(nodes(&[]), (all, 0));
    assert_eq!(nodes(&["--limit", "3"]), (3, all as u64 - 3));
    let text: String = (0..202)
        .map(|n| format!("sil @f{n} : $@convention(thin) () -> () {{\nbb0:\n  unreachable\n}}\n"))
        .collect();
    let drawn = run_with(&["graph", "calls", "-"], text.as_bytes());
    assert!(stderr(&drawn).contains("200 of 202 nodes are drawn; `--around NAME`"), "{}", stderr(&drawn));
    assert!(run_with(&["graph", "calls", "--limit", "0", "-"], text.as_bytes()).stderr.is_empty());
    for wrong in [&["classes", "--function", "main"][..], &["classes", "--limit", "3"], &["--limit", "3"]] {
        let output = run(&[&["graph"][..], wrong, &[file]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn stats_of_some_functions() {
    let file = "examples/shapes.raw.sil";
    let count = |name: &str| {
        let output = run(&["stats", "--format", "json", "--function", name, file]);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        value["total"]["functions"].as_u64().expect("a number")
    };
    assert_eq!(count("Canvas.total()"), 1);
    assert!(count("*Canvas*") > 3);
    assert_eq!(run(&["stats", "--function", "Canvas.totl()", file]).status.code(), Some(2));
}

#[test]
fn diff_knows_renumbering_from_change() {
    let file = "examples/shapes.raw.sil";
    let same = run(&["diff", file, file]);
    assert!(same.status.success() && stdout(&same).is_empty());
    let before = "sil @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 {\nbb0(%0 : $Builtin.Int1):\n  %1 = tuple ()\n  return %0\n}\n";
    let path = scratch("diff").join("a.sil").display().to_string();
    std::fs::write(&path, before).expect("written");
    let renamed = before.replace("%1", "%unit");
    assert!(run_with(&["diff", &path, "-"], renamed.as_bytes()).status.success());
    let changed = run_with(&["diff", &path, "-"], before.replace("  %1 = tuple ()\n", "").as_bytes());
    assert_eq!(changed.status.code(), Some(1));
    let text = stdout(&changed);
    assert!(text.contains("@@ @f\n") && text.contains("\n-  %old1 = tuple ()\n   return %0\n"), "{text}");
    assert!(text.ends_with("\n1 function changed, 0 added, 0 removed\n"), "{text}");
    let json = run_with(
        &["diff", "--format", "json", &path, "-"],
        before.replace("return %0", "return undef : $Builtin.Int1").as_bytes(),
    );
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let difference = &json["differences"][0];
    assert_eq!((&json["same"], &difference["function"]), (&false.into(), &"@f".into()));
    assert_eq!((&difference["side"], &difference["demangled"]), (&"both".into(), &serde_json::Value::Null));
    let stages = stdout(&run(&["diff", file, "examples/shapes.canonical.sil"]));
    assert!(stages.contains("\n@@ @$s6shapes6CanvasC5totalSdyF (Canvas.total())\n"), "{stages}");
    assert_eq!(run(&["diff", file, "nowhere.sil"]).status.code(), Some(2));
    assert_eq!(run(&["diff", "--function", "no such", file, file]).status.code(), Some(2));
}

#[test]
fn pages_of_instructions_show_syntax_as_sil_has_it() {
    let page = stdout(&run(&["explain", "apply"]));
    assert!(page.contains("%callee(<T, …>)?(%args, …) : $type"), "{page}");
    let all = stdout(&run(&["explain", "--list", "--format", "json"]));
    let all: serde_json::Value = serde_json::from_str(&all).expect("JSON");
    let lines: Vec<&str> =
        all.as_array().into_iter().flatten().filter_map(|p| p["syntax"].as_str()).collect();
    assert!(lines.len() > 200, "{}", lines.len());
    // The table has pieces such as `{apply:callee,subs}`, `T:target` and `bb:normal`.
    let is_table = |line: &&&str| {
        let line = line.replace("Pack{", "").replace("with_derivative {", "");
        ["{", "T:", "bb:", "N:", "S:", "@@"].iter().any(|mark| line.contains(mark))
    };
    assert_eq!(lines.iter().find(is_table), None);
}
