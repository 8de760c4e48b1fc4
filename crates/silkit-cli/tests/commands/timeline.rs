//! `silkit timeline`, its page, and `silkit bisect --compiler`.

use crate::*;

const LOG: &str = "examples/timeline/list.log";

#[test]
fn sums_and_lists_what_passes_changed() {
    let summary = stdout(&run(&["timeline", LOG]));
    assert!(summary.starts_with("53 steps of 1 function, 34 distinct texts; 33 change code\n"), "{summary}");
    let row = summary.lines().find(|line| line.starts_with("release-hoisting ")).expect("the pass");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["release-hoisting", "4", "4", "-3"]);
    let listed = stdout(&run(&["timeline", LOG, "--function", "sum"]));
    assert!(listed.starts_with("sum(_:) (@$s4list3sumySiAA4NodeCSgF)\n"), "{listed}");
    assert!(listed.contains("\nMidLevel,Function\n#1503 arc-sequence-opts"), "{listed}");
    let all = stdout(&run(&["timeline", LOG, "--function", "sum", "--all"]));
    assert!(all.lines().count() > listed.lines().count() && all.contains("no change"), "{all}");
    let last = stdout(&run(&["timeline", LOG, "-p", "release-hoisting", "--last"]));
    assert!(last.contains("#2014 release-hoisting") && !last.contains("#1523"), "{last}");
    let valid = run(&["timeline", LOG, "--verify"]);
    assert_eq!((stdout(&valid).as_str(), valid.status.code()), ("53 steps break no rule\n", Some(0)));
}

#[test]
fn shows_one_run_and_finds_texts() {
    let difference = stdout(&run(&["timeline", LOG, "--diff", "1503"]));
    assert!(difference.starts_with("#1503 arc-sequence-opts on sum(_:), line "), "{difference}");
    assert!(difference.contains(", -2 instructions, -2 ARC\n--- before\n+++ after\n"), "{difference}");
    assert!(difference.lines().any(|line| line.starts_with("-  ")), "{difference}");
    let text = stdout(&run(&["timeline", LOG, "--print", "1503"]));
    assert!(text.contains("sil hidden ") && text.contains("bb0("), "{text}");
    let absent = run(&["timeline", LOG, "--diff", "1504"]);
    assert_eq!(absent.status.code(), Some(2));
    assert!(stderr(&absent).contains("the nearest with these options: #1503 and #"), "{}", stderr(&absent));
    let found = stdout(&run(&["timeline", LOG, "--find", "copy_value", "--last"]));
    assert!(found.starts_with("#936 ownership-model-eliminator on sum(_:): disappears from "), "{found}");
    let json = stdout(&run(&["timeline", LOG, "--diff", "1503", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["steps"][0]["pass"], "arc-sequence-opts");
    assert_eq!(json["steps"][0]["changed"], true);
}

#[test]
fn refuses_what_is_no_log() {
    for (args, message) in [
        (&["timeline", "examples/shapes.raw.sil"][..], "has no step of a pass"),
        (&["timeline", "examples/no.log"], "no such file"),
        (&["timeline", LOG, "--pass", "dcee"], "the log has no pass `dcee`"),
        (&["timeline", LOG, "--function", "summ"], "unknown function `summ`"),
        (&["timeline", LOG, "--diff", "1503", "--verify"], "cannot be used with"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
    }
    let log = "  *** SIL function after  #1, stage S, pass 1: A (a)\nsil @f : $() -> () {\nbb0:\n  %0 = tupel ()\x1b[2J\n}\n";
    let output = run_with(&["timeline", "-"], log.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot read #1 a on f"), "{}", stderr(&output));
    assert!(!complaints(&output).contains('\x1b'));
}

/// Returns a log with names and strings that are markup.
fn hostile_log() -> String {
    let name = "f</script><script>document.body.dataset.hurt=1</script>\x01\x1b<img src=x onerror=alert(1)>";
    let body = |text: &str| {
        format!(
            "sil @\"{name}\" : $@convention(thin) () -> () {{\nbb0:\n  %0 = string_literal utf8 \"{text}\"\n  %1 = tuple ()\n  return %1\n}}\n\n"
        )
    };
    let step = |number: u32| {
        format!("  *** SIL function after  #{number}, stage <b>S</b>, pass 1: A (a</script>)\n")
    };
    step(1) + &body("one</script>") + &step(2) + &body("two<!-- &amp; \u{202e}")
}

#[test]
fn the_page_is_one_harmless_file() {
    let folder = scratch("timeline-page");
    let page = folder.join("page.html");
    let path = page.display().to_string();
    let output = run_with(&["timeline", "-o", &path, "-"], hostile_log().as_bytes());
    assert!(stdout(&output).is_empty(), "{}", complaints(&output));
    let html = text(&page);
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("onerror") && !html.contains("http://localhost") && !html.contains("https:"));
    assert!(html.contains("default-src 'none'"));
    // The data of this log are smaller than the script.
    assert!(html.len() < 90_000, "{}", html.len());
}

/// Returns the page as a browser shows it; `None` without a browser.
fn shown(page: &Path, fragment: &str) -> Option<String> {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let profile = page.with_extension("profile");
    let start = |browser: &str| {
        Command::new(browser)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--virtual-time-budget=4000",
                "--dump-dom",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}#{fragment}", page.display()))
            .output()
            .ok()
    };
    let shown = browsers.iter().find_map(|browser| start(browser));
    if shown.is_none() {
        eprintln!("skipped: there is no Chromium");
    }
    shown.map(|output| stdout(&output))
}

#[test]
fn a_browser_shows_the_page() {
    let folder = scratch("timeline-browser");
    let page = folder.join("list.html");
    let path = page.display().to_string();
    let output = run(&["timeline", "-o", &path, "--swift", "examples/timeline/list.swift", LOG]);
    assert!(output.status.success(), "{}", complaints(&output));
    let Some(dom) = shown(&page, "") else { return };
    assert!(dom.contains("data-ready=\"true\""), "{dom}");
    assert!(dom.contains("passes printed, 33 changed it"), "{dom}");
    assert!(dom.contains("total += current.value") && dom.contains("1503 arc-sequence-opts"), "{dom}");
    assert!(dom.contains("class=\"graph\"") && dom.contains("row del") && dom.contains("row add"), "{dom}");
    let hostile = folder.join("hostile.html");
    run_with(&["timeline", "-o", &hostile.display().to_string(), "-"], hostile_log().as_bytes());
    let Some(dom) = shown(&hostile, "") else { return };
    assert!(dom.contains("data-ready=\"true\"") && dom.contains("two&lt;!-- &amp;amp;"), "{dom}");
    assert!(!dom.contains("data-hurt") && !dom.contains("<img") && !dom.contains("<b>S"), "{dom}");
    let shapes = folder.join("shapes.html");
    let path = shapes.display().to_string();
    assert!(run(&["graph", "examples/shapes.raw.sil", "--format", "html", "-o", &path]).status.success());
    let Some(dom) = shown(&shapes, "") else { return };
    assert!(dom.contains("data-ready=\"true\"") && dom.contains("class=\"graph\""), "{dom}");
}

#[test]
fn own_runs_have_a_page() {
    let page = scratch("timeline-opt").join("run.html");
    let path = page.display().to_string();
    let output =
        run(&["opt", "-mem2reg", "-dce", "--timeline", &path, "-o", "/dev/null", "examples/shapes.raw.sil"]);
    assert!(output.status.success(), "{}", complaints(&output));
    assert!(text(&page).contains("<title>shapes.raw.sil</title>"));
    assert_eq!(
        run(&["graph", "calls", "examples/shapes.raw.sil", "--format", "html"]).status.code(),
        Some(2)
    );
}

/// A compiler of 40 runs, whose 23rd (#22) breaks the program with its third transformation.
const COMPILER: &str = r#"#!/bin/sh
limit=999
for word; do case $word in -sil-opt-pass-count=*) limit=${word#*=};; -sil-print-around=*) around=1;; -sil-print-pass-name) names=1;; esac; done
runs=${limit%.*}; part=99; case $limit in *.*) part=${limit#*.};; esac
[ "$runs" -gt 40 ] && runs=40
if [ -n "$names" ]; then n=0; while [ $n -lt 40 ]; do echo "  Run #$n, stage S, pass 1: Pass (pass), Function: f" >&2; n=$((n+1)); done; fi
value=good; [ "$runs" -gt 23 ] && value=bad; [ "$runs" -eq 23 ] && [ "$part" -ge 3 ] && value=bad
if [ -n "$around" ]; then for when in "before" "after "; do
  echo "  *** SIL function $when #22, stage S, pass 1: Pass (pass)" >&2; old=good; [ "$when" = "after " ] && old=$value
  printf 'sil @f : $() -> () {\nbb0:\n  %%0 = string_literal utf8 "%s"\n  unreachable\n}\n' $old >&2; done; fi
echo $value > "$1"
"#;

#[cfg(unix)]
#[test]
fn a_compiler_is_bisected() {
    let folder = scratch("bisect-compiler");
    let script = folder.join("swiftc");
    std::fs::write(&script, COMPILER).expect("the script");
    let compiler = format!("sh '{}' {{out}}/app", script.display());
    let bisect = |check: &str, format: &str| {
        run(&["bisect", "--compiler", &compiler, "--check", check, "--format", format, "-j", "2"])
    };
    let output = bisect("grep -q good {out}/app", "text");
    assert!(output.status.success(), "{}", complaints(&output));
    assert!(
        stdout(&output).starts_with(
            "run 22 of 40: pass on @f, transformation 3\nfails from `-sil-opt-pass-count=23.3` on\n"
        ),
        "{}",
        stdout(&output)
    );
    assert!(
        stdout(&output)
            .contains("-  %0 = string_literal utf8 \"good\"\n+  %0 = string_literal utf8 \"bad\"\n"),
        "{}",
        stdout(&output)
    );
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&bisect("grep -q good {out}/app", "json"))).expect("JSON");
    assert_eq!((&json["run"], &json["limit"]), (&22.into(), &"23.3".into()));
    assert_eq!(bisect("true", "text").status.code(), Some(1));
    assert!(stdout(&bisect("false", "text")).contains("without any pass"));
    // A check that answers otherwise when it is asked about the same limit again.
    let asked = folder.join("asked");
    let flaky = format!(
        "grep -q good {{out}}/app; now=$?; echo >> '{0}'; [ $(wc -l < '{0}') -gt 7 ] && exit $((1 - now)); exit $now",
        asked.display()
    );
    let compiler = compiler.replace("{out}/app", &folder.join("app").display().to_string());
    let flaky = flaky.replace("{out}/app", &folder.join("app").display().to_string());
    let output = run(&["bisect", "--compiler", &compiler, "--check", &flaky]);
    assert_eq!(output.status.code(), Some(2), "{}", complaints(&output));
    assert!(stderr(&output).contains("the check is flaky"), "{}", complaints(&output));
}
