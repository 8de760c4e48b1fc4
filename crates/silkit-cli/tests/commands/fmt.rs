//! `silkit fmt`.

use crate::*;

#[test]
fn fmt_keeps_comments_and_order() {
    let data = root().join("crates/silkit/tests/data");
    let want = text(&own_data().join("comments.formatted.sil"));
    let source = text(&data.join("comments.sil"));
    assert_eq!(stdout(&run_with(&["fmt", "-"], source.as_bytes())), want);
    assert_eq!(stdout(&run_with(&["fmt"], want.as_bytes())), want, "printing again changes bytes");
    let (before, after) = (run_with(&["opt"], source.as_bytes()), run_with(&["opt"], want.as_bytes()));
    assert_eq!(stdout(&before), stdout(&after));
}

#[test]
fn fmt_rewrites_files_and_checks_them() {
    let folder = scratch("fmt");
    let (one, two) = (folder.join("one.sil"), folder.join("two.sil"));
    let data = root().join("crates/silkit/tests/data");
    for path in [&one, &two] {
        std::fs::copy(data.join("comments.sil"), path).expect("copied");
    }
    let names = [one.display().to_string(), two.display().to_string()];
    let check = run(&["fmt", "--check", &names[0], &names[1]]);
    assert_eq!(check.status.code(), Some(1));
    assert!(names.iter().all(|n| stdout(&check).contains(n.as_str())), "{}", stdout(&check));
    assert!(stderr(&check).contains("2 files are not in canonical form"), "{}", stderr(&check));
    assert!(run(&["fmt", &names[0], &names[1]]).status.success());
    assert_eq!(text(&one), text(&own_data().join("comments.formatted.sil")));
    let check = run(&["fmt", "--check", &names[0], &names[1]]);
    assert!(check.status.success() && stdout(&check).is_empty());
}

#[test]
fn a_check_tells_what_no_line_shows() {
    let folder = scratch("fmt-check");
    let path = folder.join("marked.sil");
    std::fs::write(&path, "\u{feff}sil_stage raw\r\r").expect("written");
    let name = path.display().to_string();
    let check = run(&["fmt", "--check", &name]);
    let shown = stdout(&check);
    assert!(shown.contains("byte order mark") && shown.contains("carriage returns"), "{shown}");
    assert!(stderr(&check).contains("rewrites it"), "{}", stderr(&check));
    // Lines are numbered as in the file.
    let text =
        "sil_stage raw\nimport Builtin\nsil @f : $@convention(thin) () -> () {\nbb0:\n\n  unreachable\n}\n";
    std::fs::write(&path, text).expect("written");
    let shown = stdout(&run(&["fmt", "--check", &name]));
    let numbers: Vec<usize> =
        shown.lines().skip(1).filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    assert!(numbers.len() > 3 && numbers.is_sorted(), "{shown}");
    assert!(shown.contains("       3 +// f\n") && shown.contains("       5 -\n"), "{shown}");
    // Machines get one document.
    let check = run(&["fmt", "--check", "--format", "json", &name]);
    assert_eq!(stdout(&check), "");
    let json: serde_json::Value = serde_json::from_str(&stderr(&check)).expect("JSON");
    assert_eq!(json["notes"][1]["message"], name);
}

#[test]
fn what_a_compiler_printed_stays() {
    let text = "\
sil_stage canonical

import Builtin

// getenv
// Isolation: unspecified
// clang name: getenv
sil [clang getenv] @getenv : $@convention(c) () -> ()

// stderr
// clang name: stderr
sil_global public_external @stderr : $Builtin.Int1

// f
sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> () {
// %0 \"x\"                                         // users: %2, %3
bb0(%0 : $Builtin.Int1):
  // function_ref getenv
  %1 = function_ref @getenv : $@convention(c) () -> () // users: %4, %5
  cond_fail %0, \"a\"                               // id: %2
  cond_br %0, bb1, bb2                            // id: %3

bb1:                                              // Preds: bb0
  %4 = apply %1() : $@convention(c) () -> ()
  br bb3                                          // id: %5

bb2:                                              // Preds: bb0
  %6 = apply %1() : $@convention(c) () -> ()
  br bb3                                          // id: %7

bb3:                                              // Preds: bb1 bb2
  %8 = tuple ()                                   // user: %9
  return %8                                       // id: %9
} // end sil function 'f'
";
    let text = text.replace("users: %4, %5", "users: %4, %6");
    assert_eq!(stdout(&run_with(&["fmt", "-"], text.as_bytes())), text);
}
