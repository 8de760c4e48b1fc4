//! `silkit verify`.

use crate::*;

#[test]
fn verify_finds_all_and_ends_with_status_1() {
    let all = run_with(&["verify", "-"], WRONG.as_bytes());
    assert_eq!(all.status.code(), Some(1));
    let told = stdout(&all);
    assert!(told.contains("-:3:3: error: the edge from `bb0` to `bb2` is critical"), "{told}");
    assert!(told.contains("-:8:10: note: the path is bb0 → bb2"), "{told}");
    let few = stdout(&run_with(&["verify", "--limit", "1", "-"], WRONG.as_bytes()));
    assert!(few.contains("is critical") && !few.contains("-:8:10"), "{few}");
    let only = stdout(&run_with(&["verify", "--only", "SIL0120", "-"], WRONG.as_bytes()));
    assert!(!only.contains("is critical") && only.contains("-:8:10"), "{only}");
    let allow = ["verify", "--allow", "sil0120", "--allow", "NoCriticalEdge", "-"];
    assert!(run_with(&allow, WRONG.as_bytes()).status.success());
    let unknown = run_with(&["verify", "--only", "NoCriticalEdges", "-"], WRONG.as_bytes());
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("did you mean `NoCriticalEdge`?"));
    let sarif = stdout(&run_with(&["verify", "--format", "sarif", "-"], WRONG.as_bytes()));
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][1]["ruleId"], "SIL0120");
    assert!(run(&["verify", "examples/shapes.raw.sil"]).status.success());
}

#[test]
fn verify_names_the_binary_file() {
    let folder = scratch("binary-findings");
    let file = folder.join("wrong.sib").display().to_string();
    let args = ["opt", "-sil-verify-none", "-emit-sib", "-o", &file];
    assert!(run_with(&args, WRONG.as_bytes()).status.success());
    let told = stdout(&run(&["verify", &file]));
    assert!(told.contains("the edge from `bb0` to `bb2` is critical") && told.contains(&file), "{told}");
}

#[test]
fn verify_compares_what_modules_share() {
    let folder = scratch("linked");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, format!("sil_stage canonical\n\nimport Builtin\n\n{text}")).expect("written");
        path.display().to_string()
    };
    const BODY: &str = " {\nbb0:\n  %0 = tuple ()\n  return %0 : $()\n}\n";
    let defined = format!(
        "sil @g : $@convention(thin) () -> (){BODY}sil package @h : $@convention(thin) () -> (){BODY}"
    );
    let one = file("One.raw.sil", &defined);
    let two = file("Two.sil", "sil @g : $@convention(thin) (Builtin.Int64) -> ()\n");
    let three = file("Three.sil", &format!("sil package @h : $@convention(thin) () -> (){BODY}"));
    let linked =
        |more: &[&str]| stdout(&run(&[&["verify", "--link", &one, &two, &three][..], more].concat()));
    let plain = linked(&[]);
    assert!(plain.contains("Two.sil:5:5: error: `@g` has type"), "{plain}");
    assert!(plain.contains("another one in module `One` [SIL0631]"), "{plain}");
    assert!(plain.contains("One.raw.sil:5:5: note: has type `$@convention(thin) () -> ()`"), "{plain}");
    assert!(!plain.contains("SIL0633"), "packages are not known: {plain}");
    let in_package = linked(&["--package-name", "tools"]);
    assert!(in_package.contains("`@h` is defined here and in module `One` [SIL0633]"), "{in_package}");
    let in_module = linked(&["--module-name", &format!("{three}=One")]);
    assert!(in_module.contains("SIL0633"), "{in_module}");
    let separate = stdout(&run(&["verify", &one, &two, &three]));
    assert_eq!(separate, "");
    let absent = run(&["verify", "--link", &one, "--module-name", "absent.sil=One"]);
    assert!(
        complaints(&absent).contains("does not name a verified file")
            || stdout(&absent).contains("names no file")
    );
}

/// Returns a module with many errors of one kind.
fn many_errors(count: usize) -> String {
    let calls = "  br bb1\n".to_owned();
    (0..count)
        .map(|i| format!("sil @f{i} : $@convention(thin) () -> () {{\nbb0:\n{calls}bb1:\n  return %0\n}}\n"))
        .collect()
}

#[test]
fn what_is_not_shown_is_counted_in_every_form() {
    let text = many_errors(120);
    let shown = |args: &[&str]| {
        let output = run_with(&[&["verify"], args].concat(), text.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        stdout(&output)
    };
    let plain = shown(&["--limit", "7", "-"]);
    assert_eq!(plain.matches(": error: ").count(), 7, "{plain}");
    assert!(plain.contains("113 more findings are not shown") && plain.contains("--limit 0"), "{plain}");
    let json = shown(&["--format", "json", "-"]);
    assert_eq!(json.lines().count(), 101);
    assert!(json.lines().last().is_some_and(|l| l.contains("20 more findings are not shown")), "{json}");
    let sarif: serde_json::Value = serde_json::from_str(&shown(&["--format", "sarif", "-"])).expect("JSON");
    let notice = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(
        notice.as_str().is_some_and(|text| text.starts_with("20 more findings are not shown")),
        "{notice}"
    );
    let all = shown(&["--limit", "0", "-"]);
    assert_eq!(all.matches(": error: ").count(), 120);
}

#[test]
fn what_keeps_from_verifying_goes_to_standard_error() {
    let output = run(&["verify", "no-such-file.sil", "docs/mistakes/leak.sil"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no-such-file.sil") && stdout(&output).contains("SIL0402"));
}

#[test]
fn findings_name_the_function_and_the_line_of_swift() {
    let text = "sil_stage canonical\nimport Builtin\nsil_scope 1 { loc \"src/Box.swift\":3:1 parent @$s4main5greet4nameS2S_tF : $@convention(thin) (Builtin.Int1) -> Builtin.Int64 }\n\
                sil @$s4main5greet4nameS2S_tF : $@convention(thin) (Builtin.Int1) -> Builtin.Int64 {\nbb0(%0 : $Builtin.Int1):\n  \
                cond_br %0, bb1, bb2\nbb1:\n  %2 = integer_literal $Builtin.Int64, 1\n  br bb3\nbb2:\n  br bb3\nbb3:\n  \
                return %2, loc \"src/Box.swift\":7:5, scope 1\n}\n";
    let told = stdout(&run_with(&["verify", "-"], text.as_bytes()));
    assert!(told.contains("note: in function `greet(name:)`, Box.swift:7:5\n"), "{told}");
    let json = stdout(&run_with(&["verify", "--format", "json", "-"], text.as_bytes()));
    let json: serde_json::Value = serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
    assert_eq!(json["entity"]["title"], "greet(name:)");
    assert_eq!(json["entity"]["origin"], "Box.swift:7:5");
    assert_eq!(json["entity"]["name"], "$s4main5greet4nameS2S_tF");
}

#[test]
fn the_rules_are_listed_as_json_and_sarif() {
    let rules = stdout(&run(&["verify", "--list", "--format", "json"]));
    let rules: serde_json::Value = serde_json::from_str(&rules).expect("JSON");
    assert_eq!(rules.as_array().expect("rules").len(), silkit::verify::rules().count());
    assert!(rules[0]["id"].as_str().is_some_and(|id| id.starts_with("SIL0")));
    let sarif = stdout(&run(&["verify", "--list", "--format", "sarif"]));
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    let listed = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(listed.len(), silkit::verify::rules().count());
    assert_eq!((&listed[0]["id"], &listed[0]["name"]), (&rules[0]["id"], &rules[0]["name"]));
    // Nothing was checked.
    assert!(sarif["runs"][0].get("results").is_none());
}

#[test]
fn verify_takes_declarations_from_libraries() {
    let folder = scratch("library-declarations");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, format!("sil_stage canonical\n\nimport Builtin\n{text}")).expect("written");
        path.display().to_string()
    };
    let library = file("Lib.raw.sil", "\nstruct S {\n  @_hasStorage var x: Builtin.Int64\n}\n");
    let app = file(
        "App.sil",
        "import Lib\n\nsil @f : $@convention(thin) (S) -> Builtin.Int64 {\nbb0(%0 : $S):\n  \
         %1 = struct_extract %0 : $S, #S.y\n  return %1 : $Builtin.Int64\n}\n",
    );
    assert!(run(&["verify", &app]).status.success());
    let told = stdout(&run(&["verify", "--library", &library, &app]));
    assert!(told.contains("`$S` has no stored property `y` [SIL0332]"), "{told}");
    let binary = folder.join("Lib.sib").display().to_string();
    assert!(run(&["opt", "-emit-sib", &library, "-o", &binary]).status.success());
    let told = stdout(&run(&["verify", "--library", &binary, &app]));
    assert!(told.contains("[SIL0332]"), "{told}");
    assert_eq!(run(&["verify", "--library", "missing.sil", &app]).status.code(), Some(2));
}

#[test]
fn types_that_contain_each_other_are_inspected_once() {
    let names: Vec<String> = (0..6).map(|n| format!("S{n}")).collect();
    let mut text = "sil_stage canonical\nimport Builtin\n".to_owned();
    for name in &names {
        let fields = names.iter().map(|ty| format!("  @_hasStorage var f{ty}: {ty} {{ get set }}\n"));
        text += &format!("struct {name} {{\n{}}}\n", fields.collect::<String>());
    }
    text += "sil [ossa] @f : $@convention(thin) (@in S0) -> () {
bb0(%0 : $*S0):
  %1 = alloc_stack $S0
  copy_addr [take] %0 to [init] %1
  destroy_addr %1
  dealloc_stack %1
  %5 = tuple ()
  return %5
}
";
    let begin = std::time::Instant::now();
    run_with(&["verify", "-"], text.as_bytes());
    assert!(begin.elapsed() < std::time::Duration::from_secs(20));
}

#[test]
fn carriage_returns_alone_count_as_lines() {
    let folder = scratch("verify-returns");
    let path = folder.join("leak.sil");
    let leak = text(&root().join("docs/mistakes/leak.sil"));
    std::fs::write(&path, leak.replace('\n', "\r")).expect("written");
    let found = stdout(&run(&["verify", &path.display().to_string()]));
    assert!(found.contains("leak.sil:21:3: error: the owned value `%0`"), "{found}");
}
