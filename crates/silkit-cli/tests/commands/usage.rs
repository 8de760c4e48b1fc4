//! Help, completion, exit statuses, links.

use crate::*;

#[test]
fn explain_shows_a_page_or_the_nearest_name() {
    let page = stdout(&run(&["explain", "struct_extract"]));
    assert!(page.starts_with("struct_extract – ") && page.contains("\nExample\n"), "{page}");
    let output = run(&["explain", "struct_extrakt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `struct_extract`?"));
    let listed = stdout(&run(&["explain", "--list"]));
    assert!(listed.lines().count() > silkit::ir::Opcode::ALL.len() + silkit::verify::rules().count());
    // Whatever is listed has a page.
    for name in
        listed.lines().filter_map(|line| line.split(' ').next()).filter(|name| name.starts_with("CLI"))
    {
        let page = stdout(&run(&["explain", name]));
        assert!(page.starts_with(name) && page.contains("\nTry\n  "), "{page}");
    }
    for code in ["SIL0001", "SIL0900", "sil0402"] {
        assert!(run(&["explain", code]).status.success(), "{code}");
    }
    let number = stderr(&run(&["explain", "402"]));
    assert!(number.contains("did you mean `SIL0402`?"), "{number}");
    let json = stdout(&run(&["explain", "--format", "json", "load", "store"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[1]["name"], "store");
}

#[test]
fn explain_knows_concepts_and_messages_of_the_compiler() {
    for (name, head) in [
        ("ossa", "ownership-ssa – "),
        ("Ownership kinds", "ownership-kinds – "),
        ("vtable", "vtables – "),
        ("witness-table", "witness-tables – "),
        ("lexical lifetimes", "lexical-lifetimes – "),
        ("debug_value", "debug_value – "),
        ("Found over consume?!", "SIL0403 "),
        ("Error! Found a leak due to a consuming post-dominance failure!", "SIL0402 "),
        (
            "SIL verification failed: instruction isn't dominated by its operand: properlyDominates(valueI, I)",
            "SIL0120 ",
        ),
        ("a.swift:3:9: error: variable 'x' used before being initialized", "definite-init – "),
        ("error: 'file' consumed more than once", "noncopyable-types – "),
        ("sending 'box' risks causing data races [#SendingRisksDataRace]", "region-isolation – "),
        ("SIL memory lifetime failure in @f: memory is not initialized, but should be", "SIL0501 "),
    ] {
        let output = run(&["explain", name]);
        assert!(
            output.status.success() && stdout(&output).starts_with(head),
            "{name}: {}",
            complaints(&output)
        );
    }
    let several = stderr(&run(&["explain", "Found outside of lifetime use?!"]));
    assert_eq!(several, "note: `SIL0407` and `SIL0408` explain this message too\n");
    let unknown = run(&["explain", "the moon is not full"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("unknown message `the moon is not full`"), "{}", stderr(&unknown));
    assert!(stderr(&run(&["explain", "lexical-lifetmes"])).contains("did you mean `lexical-lifetimes`?"));
    assert!(stdout(&run(&["explain", "--list"])).contains("\nwitness-tables  "));
}

#[test]
fn explain_has_a_page_for_each_pass() {
    let page = stdout(&run(&["explain", "mem2reg"]));
    assert!(page.starts_with("mem2reg – Promotes stack allocations"), "{page}");
    assert!(page.contains("runs on            each function\n"), "{page}");
    assert!(page.contains("\npipelines          "), "{page}");
    assert!(page.contains("options            -enable-library-evolution, "), "{page}");
    assert!(page.contains("silkit opt -mem2reg --print-changed=diff FILE"), "{page}");
    let page = stdout(&run(&["explain", "silgen-cleanup"]));
    assert!(page.contains("also those that must not be optimized\n"), "{page}");
    assert!(stdout(&run(&["explain", "mandatory-inlining"])).contains("runs on            the module\n"));
    let listed = stdout(&run(&["explain", "--list"]));
    assert!(
        silkit::passes::all().iter().all(|pass| listed.contains(&format!("\n{} ", pass.tag))),
        "{listed}"
    );
    let json = stdout(&run(&["explain", "--format", "json", "mem2reg"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json[0]["kind"], &json[0]["is_mandatory"]), (&"function".into(), &false.into()));
    let output = run(&["explain", "sil-move-only-checker"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("a pass of the pipeline `Diagnostic` that is not implemented"));
}

#[test]
fn usage_errors_name_all_ways_to_choose_passes() {
    let message = stderr(&run(&["check-passes", "a.sil"]));
    assert!(message.contains("<--passes <PIPELINE>|--pass <TAG>|--each|--random <N>>"), "{message}");
    let message = stderr(&run(&["bisect", "--check", "true", "a.sil"]));
    assert!(message.contains("<--passes <PIPELINE>|--pass <TAG>|--compiler <CMD>>"), "{message}");
    let both = run(&["bisect", "--check", "true", "-p", "dce", "--passes", "dce", "a.sil"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn every_command_has_a_help_with_examples() {
    let help = stdout(&run(&["--help"]));
    let commands = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let mut seen = 0;
    for command in commands.filter_map(|l| l.strip_prefix("  ")?.split(' ').next()).filter(|c| !c.is_empty())
    {
        let long = run(&["help", command]);
        assert!(long.status.success() && !long.stdout.is_empty(), "help {command}");
        if command == "help" {
            continue;
        }
        let help = run(&[command, "--help"]);
        assert!(help.status.success(), "{command}");
        assert!(stdout(&help).contains("Examples:\n  silkit "), "{command}: {}", stdout(&help));
        seen += 1;
    }
    assert!(seen >= 4, "{help}");
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&["completions", shell]);
        assert!(output.status.success() && stdout(&output).contains("silkit complete"), "{shell}");
    }
}

#[test]
fn a_manual_page_for_every_command() {
    let directory = scratch("man");
    let output = run(&["man", &directory.join("man1").display().to_string()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let page = |name: &str| {
        std::fs::read_to_string(directory.join("man1").join(format!("silkit{name}.1")))
            .expect("the page exists")
    };
    let help = stdout(&run(&["--help"]));
    let commands = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    for command in commands.filter_map(|l| l.strip_prefix("  ")?.split(' ').next()).filter(|c| !c.is_empty())
    {
        if command != "help" {
            let title = format!("silkit\\-{}", command.replace('-', "\\-"));
            assert!(page(&format!("-{command}")).contains(&title), "{command}");
            assert!(page("").contains(&format!("{title}(1)")), "{command}");
        }
    }
    assert!(page("-opt").contains("emit\\-sorted\\-sil"), "{}", page("-opt"));
    assert!(page("-opt").is_ascii() && page("-opt").contains("{{\\[u2026]}}"), "{}", page("-opt"));
    // Examples keep their lines, paragraphs are filled.
    assert!(page("-verify").contains("\nFindings go to standard output."), "{}", page("-verify"));
    assert!(page("-verify").contains(".nf\n"), "{}", page("-verify"));
    assert!(page("-verify").contains("\n  silkit verify \\-\\-list\n"), "{}", page("-verify"));
    // A directory that cannot be made.
    let output = run(&["man", "README.md/pages"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write to `README.md/pages`"), "{}", stderr(&output));
}

#[test]
fn usage_errors_have_status_2() {
    for args in [&["opt", "-sil-print-type"][..], &["stat"], &["stats", "--formt", "json"], &[]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    for (args, hint) in [
        (&["opt", "-sil-print-type"][..], "did you mean `-sil-print-types`?"),
        (&["opt", "--passes", "function(mem2rg)", "-"], "did you mean `mem2reg`?"),
        (&["help", "verfy"], "did you mean `verify`?"),
        (&["verify", "--only", "valueisconsumed", "-"], "did you mean `OwnedValueIsConsumed`?"),
        (&["run", "--no-check", "misalignd", "-"], "did you mean `misaligned`?"),
        (&["verify", "-j", "x"], "expected a whole number"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(hint), "{args:?}: {}", stderr(&output));
    }
    assert!(run(&["opt", "--threads", "2", "examples/shapes.raw.sil"]).status.success());
}

#[cfg(unix)]
#[test]
fn links_stand_for_commands() {
    let link = scratch("links").join("sil-opt");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silkit"), &link).expect("a link");
    let file = root().join("examples/shapes.raw.sil");
    let output = Command::new(&link).arg("-sil-verify-none").arg(&file).output().expect("it starts");
    let plain = stdout(&run(&["opt", "examples/shapes.raw.sil"]));
    assert_eq!(without_file_ids(&stdout(&output)), without_file_ids(&plain));
    let link = link.with_file_name("sil-func-extractor");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silkit"), &link).expect("a link");
    let output =
        Command::new(&link).args(["-func=main", "-sdk", "any"]).arg(&file).output().expect("it starts");
    let whole = ["extract", "--whole", "-func", "main", "examples/shapes.raw.sil"];
    assert_eq!(stdout(&output), stdout(&run(&whole)));
    let link = link.with_file_name("sil-nm");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silkit"), &link).expect("a link");
    // The help names the link.
    let help = Command::new(&link).arg("--help").output().expect("it starts");
    assert!(stdout(&help).contains("Usage: sil-nm [OPTIONS]"), "{}", stdout(&help));
    let output = Command::new(&link).args(["-target", "any", "-I."]).arg(&file).output().expect("it starts");
    assert_eq!(stdout(&output), stdout(&run(&["nm", "examples/shapes.raw.sil"])));
}

#[test]
fn the_help_of_opt_is_made_from_the_table_of_its_options() {
    let help = stdout(&run(&["opt", "-help"]));
    assert_eq!(help, stdout(&run(&["help", "opt"])));
    assert_eq!(help, stdout(&run(&["opt", "--help"])));
    assert!(help.lines().all(|line| line.chars().count() <= 100), "a line is too long");
    // What is read by a pass, what has no effect, and why.
    assert!(help.contains("-enable-access-storage-dump-uses"), "{help}");
    assert!(help.contains("-module-cache-path") && help.contains("no module is imported"), "{help}");
    let hidden = stdout(&run(&["opt", "-help-hidden"]));
    assert!(hidden.contains("-sil-view-cfg") && hidden.contains("`silkit graph` draws"), "{hidden}");
}

#[test]
fn nothing_is_accepted_and_ignored_in_silence() {
    let cases = [
        (&["opt", "--pipeline", "nonsense((("][..], "unknown pass"),
        (&["opt", "-sil-view-cfg"], "silkit graph"),
        (&["opt", "-differentiation"], "not implemented"),
        (&["opt", "--format", "yaml"], "expected `text`, `json` or `sarif`"),
        (&["opt", "--print-changed=dif"], "did you mean `diff`?"),
        (&["opt", "-j", "many"], "`many` is not a number"),
        (&["graph", "callz", "examples/shapes.raw.sil"], "did you mean `calls`?"),
        (&["graph", "calls", "--depth", "2", "examples/shapes.raw.sil"], "none is named"),
        (&["opt", "--list", "--format", "sarif"], "expected `text` or `json`"),
        (&["graph", "calls", "a.sil", "b.sil"], "Usage: silkit graph [OPTIONS] [KIND] [FILE]"),
        (&["graph", "pie", "examples/shapes.raw.sil"], "expected `cfg`, `calls` or `classes`"),
    ];
    for (args, told) in cases {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).contains(told) && stdout(&output).is_empty(),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[cfg(unix)]
#[test]
fn the_names_of_the_reference_tools_have_their_exit_status() {
    let link = scratch("status").join("sil-opt");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silkit"), &link).expect("a link");
    for args in [&["-no-such-option"][..], &["no-such-file.sil"]] {
        let status = Command::new(&link).args(args).output().expect("it starts").status;
        assert_eq!(status.code(), Some(1), "{args:?}");
        assert_eq!(run(&[&["opt"], args].concat()).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn colors_are_chosen() {
    let colored = |args: &[&str]| stdout(&run(args)).contains("\x1b[");
    assert!(!colored(&["explain", "load"]));
    assert!(colored(&["explain", "load", "--color", "always"]));
    assert!(!colored(&["explain", "load", "--color=never"]));
    // Findings for a pager: colored excerpts.
    let leak = ["verify", "--color", "always", "docs/mistakes/leak.sil"];
    assert!(colored(&leak) && stdout(&run(&leak)).contains("still alive here"));
    assert!(!colored(&["verify", "docs/mistakes/leak.sil"]));
    assert_eq!(run(&["explain", "load", "--color", "pink"]).status.code(), Some(2));
    assert!(run(&["opt", "--color=never", "examples/shapes.raw.sil"]).status.success());
}

#[test]
fn the_version_says_what_is_read() {
    let long = stdout(&run(&["--version"]));
    assert!(long.starts_with(&format!("silkit {}", env!("CARGO_PKG_VERSION"))), "{long}");
    assert!(long.contains("swiftc 6.2") && long.contains("6.2.3"), "{long}");
    assert_eq!(stdout(&run(&["opt", "--version"])).trim(), long.trim());
    assert_eq!(stdout(&run(&["-V"])).lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let path = scratch("paths").join(std::ffi::OsStr::from_bytes(b"caf\xe9.sil"));
    std::fs::copy(root().join("examples/shapes.raw.sil"), &path).expect("copied");
    for command in
        [&["opt"][..], &["verify"], &["stats"], &["nm"], &["graph", "classes"], &["extract", "-func", "main"]]
    {
        let output = silkit().args(command).arg(&path).output().expect("it starts");
        assert!(output.status.success(), "{command:?}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_full_device_is_an_error_of_every_answer() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let demangle = ["demangle", "$s4main5greet4nameS2S_tF"];
    for args in [
        &["completions", "bash"][..],
        &demangle,
        &["--help"],
        &["opt", "--list"],
        &["explain", "load"],
        &["verify", "docs/mistakes/leak.sil"],
        &["stats", "examples/shapes.raw.sil"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("the device");
        let output = silkit().args(args).stdout(full).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).contains("cannot write to standard output: no space is left"),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn every_code_that_is_printed_has_a_page() {
    let mut files = vec![root().join("crates/silkit/src/read.rs")];
    let mut folders = vec![root().join("crates/silkit-cli/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let mut seen = 0;
    for file in files {
        for code in text(&file).split("RuleId::new(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(run(&["explain", code]).status.success(), "{code} of {} has no page", file.display());
            seen += 1;
        }
    }
    assert!(seen >= 7, "{seen}");
}

#[test]
fn colors_are_chosen_alike_everywhere() {
    let is_colored = |args: &[&str]| complaints(&run(args)).contains("\x1b[");
    for command in ["opt", "verify", "diff"] {
        for color in [&["--color", "always"][..], &["--color=always"], &["-color", "always"]] {
            assert!(is_colored(&[&[command][..], color, &["--bogus"]].concat()), "{command} {color:?}");
            assert!(is_colored(&[&[command, "--bogus"][..], color].concat()), "{command} {color:?}");
        }
        assert!(!is_colored(&[command, "--color", "never", "--bogus"]), "{command}");
        assert!(!is_colored(&[command, "--bogus", "--", "--color=always"]), "{command}");
    }
    assert!(is_colored(&["diff", "--help", "--color", "always"]));
    // `always` is no file.
    let output = run(&["opt", "--color", "always", "examples/shapes.raw.sil"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(run(&["opt", "--color", "examples/shapes.raw.sil"]).status.success());
}

#[test]
fn notes_of_several_lines_are_readable_in_a_pipe() {
    let output = run(&["extract", "-func", "Canvas.", "examples/shapes.raw.sil"]);
    let told = stderr(&output);
    assert!(told.contains("mangled name:\n  `$s6shapes6CanvasCACycfC`") && !told.contains("\\n"), "{told}");
}
