//! Tests of reading, writing and refused files.

use crate::*;

#[test]
fn what_cannot_be_read_is_named_with_advice() {
    let folder = scratch("unreadable");
    let junk = folder.join("junk.sil");
    std::fs::write(&junk, [0x7f, b'E', b'L', b'f', 0, 0, 1]).expect("written");
    let latin = folder.join("latin.sil");
    std::fs::write(&latin, b"sil_stage raw\n// \xe9t\xe9\n").expect("written");
    let path = |p: &Path| p.display().to_string();
    let cases = [
        (path(&folder.join("jnk.sil")), "no such file", "did you mean"),
        (path(&folder.join("absent-altogether.sil")), "no such file", "check the path"),
        (path(&folder), "is a directory", "name the files in it"),
        (path(&junk), "is a binary file: it has a zero byte at offset 4", "SIL is UTF-8 text"),
        (path(&latin), "is not valid UTF-8: line 2 has the byte 0xE9 at offset 17", "SIL is UTF-8 text"),
    ];
    for reader in READERS {
        for (path, what, advice) in &cases {
            let output = run(&[reader, &[path.as_str()][..]].concat());
            let told = complaints(&output);
            assert_eq!(output.status.code(), Some(2), "{reader:?} {path}: {told}");
            assert!(stdout(&output).is_empty(), "{reader:?}: a diagnostic on standard output");
            assert!(told.contains(what) && told.contains(advice), "{reader:?} {path}: {told}");
        }
    }
}

#[test]
fn single_zero_bytes_are_white_space_and_utf_16_is_refused() {
    let text = "sil_stage\0canonical\nimport Builtin\nsil @f : $@convention(thin) () -> () { // a\0b\n\
        bb0:\n  %0 = tuple ()\0\n  return %0\n}\n\0";
    let output = run_with(&["opt", "-"], text.as_bytes());
    assert!(output.status.success(), "{}", complaints(&output));
    assert!(stdout(&output).contains("  %0 = tuple ()") && !stdout(&output).contains('\0'));
    let wide: Vec<u8> = text.bytes().flat_map(|b| [b, 0]).collect();
    let output = run_with(&["opt", "-"], &wide);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaints(&output).contains("is a binary file"), "{}", complaints(&output));
}

#[test]
fn bad_text_ends_with_errors() {
    let deep =
        format!("sil @f : $@convention(thin) ({}Int{}) -> ()\n", "[".repeat(50_000), "]".repeat(50_000));
    let body = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %9\n}\n";
    for reader in READERS {
        for bad in
            [deep.as_str(), body, "sil @f", "sil_stage rwa\n", "sil @f : $@convention(thin) () -> () {"]
        {
            let output = run_with(&[reader, &["-"][..]].concat(), bad.as_bytes());
            let told = complaints(&output);
            // For `fmt --check`, 1 means that a file is not in canonical form.
            let status = if reader[0] == "fmt" { 2 } else { 1 };
            assert_eq!(output.status.code(), Some(status), "{reader:?}: {told}");
            assert!(told.contains("-:1:") || told.contains("-:4:"), "{reader:?}: {told}");
            assert!(!told.contains("panicked"), "{told}");
        }
    }
}

#[test]
fn one_very_long_line_is_read_or_refused() {
    let comment = format!("// {}\nsil_stage raw\n", "x".repeat(20_000_000));
    let junk = "x".repeat(20_000_000);
    for reader in READERS {
        let output = run_with(reader, comment.as_bytes());
        assert!(!stderr(&output).contains("panicked"), "{reader:?}");
        assert!(output.status.success() || reader.contains(&"--check"), "{reader:?}");
        assert_ne!(run_with(reader, junk.as_bytes()).status.code(), None, "{reader:?}");
    }
}

#[test]
fn an_output_is_written_whole_or_not_at_all() {
    let folder = scratch("output");
    let target = folder.join("out.sil");
    std::fs::write(&target, "before").expect("written");
    let target_name = target.display().to_string();
    assert_eq!(run_with(&["opt", "-o", &target_name], b"sil @f").status.code(), Some(1));
    assert_eq!(text(&target), "before");
    assert!(run_with(&["opt", "-o", &target_name], b"sil_stage canonical\n").status.success());
    assert_eq!(without_file_ids(&text(&target)), "sil_stage canonical\n\n");
    assert_eq!(std::fs::read_dir(&folder).expect("folder").count(), 1, "something is left over");

    let nowhere = folder.join("no/such/place.sil").display().to_string();
    let output = run_with(&["opt", "-o", &nowhere], b"sil_stage canonical\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("create the directory first"), "{}", stderr(&output));
    if Path::new("/dev/full").exists() {
        let output = run_with(&["opt", "-o", "/dev/full"], b"sil_stage canonical\n");
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("no space is left"), "{}", stderr(&output));
    }
}

#[test]
fn who_closes_the_pipe_is_not_told_off() {
    for args in [&["stats", "examples/shapes.raw.sil"][..], &["opt", "examples/shapes.raw.sil"], &["--help"]]
    {
        let mut child = silkit()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        assert_eq!(stderr(&output), "", "{args:?}");
        assert!(output.status.success(), "{args:?}");
    }
}

#[test]
fn several_files_go_into_a_folder() {
    let folder = scratch("several");
    let name = folder.display().to_string();
    let files = ["examples/shapes.raw.sil", "examples/effects.raw.sil"];
    assert!(run(&["opt", files[0], files[1], "-o", &name]).status.success());
    for file in files {
        let written = text(&folder.join(Path::new(file).file_name().expect("a name")));
        assert_eq!(written, stdout(&run(&["opt", file])));
    }
}

#[test]
fn every_command_reads_the_binary_form_in_place_of_text() {
    let folder = scratch("binary");
    let (text, file) = ("examples/shapes.raw.sil", folder.join("shapes.sib").display().to_string());
    assert!(run(&["opt", "-emit-sib", text, "-o", &file]).status.success());
    let bytes = std::fs::read(&file).expect("a file");
    assert!(silkit::binary::is_binary(&bytes));
    let function = "$s6shapes6CanvasC5totalSdyF";
    let commands: [&[&str]; 7] = [
        &["opt"],
        &["opt", "-sil-print-types"],
        &["opt", "-emit-sorted-sil"],
        &["opt", "-emit-sib"],
        &["nm"],
        &["extract", "-func", function],
        &["graph", "classes"],
    ];
    for command in commands {
        let from_text = run(&[command, &[text]].concat());
        let from_file = run(&[command, &[file.as_str()]].concat());
        let from_input = run_with(&[command, &["-"]].concat(), &bytes);
        assert!(from_text.status.success() && !from_text.stdout.is_empty(), "{command:?}");
        for output in [from_file, from_input] {
            assert!(output.status.success(), "{command:?}: {}", stderr(&output));
            assert!(output.stdout == from_text.stdout, "{command:?}");
        }
    }
    let counted = |path: &str| {
        let told = stdout(&run(&["stats", "--format", "json", path]));
        let mut counts: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        remove(&mut counts, "bytes");
        remove(&mut counts, "file");
        counts
    };
    assert_eq!(counted(text), counted(&file));

    let part = folder.join("part.sib").display().to_string();
    assert!(run(&["extract", "-func", function, "-emit-sib", "-o", &part, &file]).status.success());
    let opened = stdout(&run(&["opt", &part]));
    assert_eq!(without_file_ids(&opened), stdout(&run(&["extract", "-func", function, text])));

    let refused = run(&["fmt", &file]);
    assert!(!refused.status.success());
    assert!(stderr(&refused).contains("needs text") && stderr(&refused).contains("silkit opt"));
    assert_eq!(std::fs::read(&file).expect("a file"), bytes);
}

/// Takes a key out of objects at any level.
fn remove(value: &mut serde_json::Value, key: &str) {
    match value {
        serde_json::Value::Object(map) => {
            map.remove(key);
            map.values_mut().for_each(|v| remove(v, key));
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|v| remove(v, key)),
        _ => {}
    }
}

#[test]
fn a_damaged_or_foreign_binary_file_is_refused_by_every_command() {
    let folder = scratch("damaged");
    let good = folder.join("good.sib").display().to_string();
    assert!(run(&["opt", "-emit-sib", "examples/shapes.raw.sil", "-o", &good]).status.success());
    let bytes = std::fs::read(&good).expect("a file");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    let mut newer = bytes.clone();
    newer[8] += 1;
    let newer_version = format!("version {} of the format", newer[8]);
    let cases: [(&[u8], &str, &str); 4] = [
        (&bytes[..bytes.len() / 2], "the file ends in the middle of", "write it again"),
        (&flipped, "do not match their checksum", "write it again"),
        (&newer, &newer_version, "newer Silkit"),
        (b"\x7FELF\x02", "ELF", "-emit-sil"),
    ];
    for (bytes, what, advice) in cases {
        let path = folder.join("bad.sib").display().to_string();
        std::fs::write(&path, bytes).expect("written");
        for reader in READERS.iter().filter(|reader| reader[0] != "fmt") {
            let output = run(&[reader, &[path.as_str()][..]].concat());
            // Findings are what `verify` prints.
            let told = stdout(&output) + &stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{reader:?}: {told}");
            assert!(
                told.contains(what) && told.contains(advice) && told.contains(&path),
                "{reader:?}: {told}"
            );
            assert!(output.stdout.is_empty() || reader[0] == "verify", "{reader:?}");
        }
    }
}

#[test]
fn several_modules_are_not_written_as_one() {
    let files = ["examples/shapes.raw.sil", "examples/effects.raw.sil"];
    let output = run(&["opt", files[0], files[1]]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).is_empty() && stderr(&output).contains("`-o DIR`"), "{}", stderr(&output));
    assert!(run(&["opt", files[0], files[1], "-o", "/dev/null"]).status.success());
}

#[test]
fn what_does_not_parse_is_no_difference() {
    let path = scratch("unparsed").join("bad.sil").display().to_string();
    std::fs::write(&path, "sil @f : $@convention(thin) () -> () {\nbb0:\n  retrun\n}\n").expect("written");
    let good = "examples/shapes.raw.sil";
    let commands: [&[&str]; 7] = [
        &["diff", good],
        &["fmt", "--check"],
        &["fmt"],
        &["run"],
        &["mutate"],
        &["bisect", "--check", "true", "-p", "dce"],
        &["reduce", "--check", "true"],
    ];
    for command in commands {
        let output = silkit().args(command).arg(&path).output().expect("the command starts");
        assert_eq!(output.status.code(), Some(2), "{command:?}: {}", complaints(&output));
        assert!(stderr(&output).contains("retrun"), "{}", stderr(&output));
    }
    for command in ["verify", "opt"] {
        assert_eq!(run(&[command, &path]).status.code(), Some(1), "{command}");
    }
}

#[test]
fn standard_input_is_read_once() {
    let text = b"sil @f : $@convention(thin) () -> ()\n";
    for command in [&["diff", "-", "-"][..], &["verify", "-", "-"], &["stats", "-", "-"]] {
        let output = run_with(command, text);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(stderr(&output).contains("standard input is named twice"), "{}", stderr(&output));
    }
}

#[test]
fn sarif_of_an_unreadable_file_is_not_clean() {
    for command in [&["verify"][..], &["extract", "-func", "f"]] {
        let output = run(&[command, &["--format", "sarif", "nowhere.sil"]].concat());
        // The findings of `verify` are its result.
        let text = if command == ["verify"] { stdout(&output) } else { stderr(&output) };
        let sarif: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let invocation = &sarif["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false, "{text}");
        let notification = &invocation["toolExecutionNotifications"][0];
        assert!(notification["message"]["text"].as_str().is_some_and(|text| text.contains("nowhere.sil")));
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn an_empty_file_is_named() {
    let output = run_with(&["verify", "-"], b"\n");
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(
        stderr(&output),
        "note: standard input is empty; a compiler that found errors prints no SIL\n"
    );
    assert_eq!(stderr(&run_with(&["verify", "--quiet", "-"], b"")), "");
}

#[test]
fn files_of_other_formats_are_named() {
    let folder = scratch("foreign");
    for (name, bytes, message) in [
        ("a.gz", &b"\x1f\x8b\x08\x00"[..], "is compressed by gzip"),
        ("a.zst", &b"\x28\xb5\x2f\xfd\x04"[..], "is compressed by zstd"),
        ("a.sil", &b"\xff\xfes\x00i\x00"[..], "is text in UTF-16"),
        ("a.swift", &b"struct S {}\n"[..], "`swiftc -emit-silgen"),
        ("b.swift", &b"print(1)\n"[..], "`swiftc -emit-silgen"),
        ("c.sil", &b"// a\nimport Foundation\n\nlet a = [1, 2]\nprint(a)\n"[..], "is Swift source"),
        ("a.ll", &b"; ModuleID = 'a.ll'\nsource_filename = \"a.ll\"\n\n%swift.type = type { i64 }\n"[..], "is LLVM IR"),
        ("a.bc", &b"BC\xc0\xde5\x14\0\0"[..], "LLVM bitcode"),
        ("a.o", &b"\xcf\xfa\xed\xfe\x07\0\0\x01"[..], "an object file or program (Mach-O)"),
        ("a.a", &b"!<arch>\n/               0\n"[..], "an archive of object files"),
        ("a.s", &b"\t.text\n\t.file\t\"a.s\"\n"[..], "is assembly"),
        ("a.ast", &b"(source_file \"a.swift\"\n  (struct_decl \"P\"))\n"[..], "a dump of the compiler's syntax tree"),
        ("a.swiftinterface", &b"// swift-interface-format-version: 1.0\nimport Swift\n"[..], "is a module interface"),
        (
            "a.log",
            &b"*** SIL module before SILGen Passes ***\nsil_stage raw\n\nimport Builtin\n\n  *** SIL function after  #1, \
               stage SILGen Passes, pass 1: SILGenCleanup (silgen-cleanup)\n"[..],
            "is a log of `-sil-print-all`",
        ),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        let output = run(&["stats", &path.display().to_string()]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        // One message and a hint, not an error for each line.
        assert_eq!(stderr(&output).lines().count(), 2, "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{name}: {}", stderr(&output));
    }
}
