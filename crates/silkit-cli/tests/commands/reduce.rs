//! `silkit reduce`.

use super::{run, scratch, silkit, stderr, stdout, text};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn prints_the_smallest_module_and_what_it_took() {
    let check = format!("{} verify --only SIL0402", env!("CARGO_BIN_EXE_silkit"));
    let output = run(&["reduce", "--check", &check, "docs/mistakes/leak.sil"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("return undef") && !stdout(&output).contains("bb1"),
        "{}",
        stdout(&output)
    );
    assert!(stderr(&output).contains("instructions          6 → 1"), "{}", stderr(&output));
}

#[test]
fn tells_as_json() {
    let output =
        run(&["reduce", "--check", "! grep -q store", "--format", "json", "docs/mistakes/memory.sil"]);
    let summary: serde_json::Value = serde_json::from_str(&stderr(&output)).expect("JSON");
    assert_eq!(summary["complete"], true);
    assert!(summary["after"]["bytes"].as_u64() < summary["before"]["bytes"].as_u64());
}

#[test]
fn a_check_that_succeeds_or_is_not_there_is_refused() {
    let output = run(&["reduce", "--check", "true", "docs/mistakes/leak.sil"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`true` succeeds on the input"), "{}", stderr(&output));
    let output = run(&["reduce", "--check", "no-such-command", "docs/mistakes/leak.sil"]);
    assert!(stderr(&output).contains("cannot run `no-such-command "), "{}", stderr(&output));
}

#[test]
fn a_check_that_is_too_slow_for_the_input_is_told_from_one_that_succeeds() {
    let output = run(&["reduce", "--check", "exec sleep 30 #", "--timeout", "1", "docs/mistakes/leak.sil"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did not end on the input within 1 s"), "{}", stderr(&output));
    assert!(stderr(&output).contains("`--timeout SECONDS`"), "{}", stderr(&output));
}

/// Returns true if the process whose number the file holds has ended, or ends within a few seconds.
fn has_ended(file: &Path) -> bool {
    let number = text(file).trim().to_owned();
    let is_alive = || match std::fs::read_to_string(format!("/proc/{number}/stat")) {
        // Its parent may not have asked for its status.
        Ok(stat) => !stat.contains(") Z "),
        Err(_) if Path::new("/proc/self/stat").exists() => false,
        Err(_) => Command::new("kill").args(["-0", &number]).status().is_ok_and(|status| status.success()),
    };
    let begin = Instant::now();
    while is_alive() && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(50));
    }
    !is_alive()
}

#[test]
fn the_programs_of_a_check_that_takes_too_long_end_with_it() {
    let file = scratch("reduce-group").join("number");
    let check = format!("sleep 600 & echo $! > '{}'; wait #", file.display());
    let output = run(&["reduce", "--check", &check, "--timeout", "1", "docs/mistakes/leak.sil"]);
    assert!(stderr(&output).contains("did not end on the input within 1 s"), "{}", stderr(&output));
    assert!(has_ended(&file));
}

#[test]
fn the_time_limit_holds_while_the_command_runs() {
    let folder = scratch("reduce-time");
    let output = folder.join("out.sil").display().to_string();
    let begin = Instant::now();
    // The command fails on the input and hangs from then on.
    let mark = folder.join("mark").display().to_string();
    let check = format!("if test -e {mark}; then exec sleep 60; fi; touch {mark}; false");
    let run = run(&["reduce", "--check", &check, "--time", "2", "-o", &output, "docs/mistakes/leak.sil"]);
    assert!(run.status.success(), "{}", stderr(&run));
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert!(stderr(&run).contains("the time limit was reached"), "{}", stderr(&run));
    assert!(text(output.as_ref()).contains("sil "));
}

#[test]
fn a_killed_run_leaves_the_best_result_and_no_other_file() {
    let folder = scratch("reduce-killed");
    let (temporary, output) = (folder.join("tmp"), folder.join("out.sil"));
    std::fs::create_dir(&temporary).expect("a folder");
    // Hangs after the first candidate that is smaller than the input and still fails.
    let path = |name: &str| folder.join(name).display().to_string();
    let (size, mark, number) = (path("size"), path("mark"), path("number"));
    let check = format!(
        "test -e {size} || {{ wc -c < {{}} > {size}; exit 1; }}; grep -q return {{}} || exit 0; \
         test -e {mark} && {{ echo $$ > {number}; exec sleep 600; }}; test $(wc -c < {{}}) -lt $(cat {size}) && touch {mark}; exit 1"
    );
    let mut child = silkit()
        .args(["reduce", "-j", "1", "--check", &check, "docs/mistakes/leak.sil", "-o"])
        .arg(&output)
        .env("TMPDIR", &temporary)
        .spawn()
        .expect("the command starts");
    let wait = |is_present: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is_present() && begin.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(50));
        }
        is_present()
    };
    assert!(wait(&|| output.exists()), "the result so far");
    assert_eq!(child.try_wait().expect("a status"), None, "it still runs");
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(
        wait(&|| temporary.read_dir().is_ok_and(|mut all| all.next().is_none())),
        "the directory is left"
    );
    assert!(text(&output).contains("sil"));
    assert!(!Path::new(&number).exists() || has_ended(number.as_ref()), "the command still runs");
}
