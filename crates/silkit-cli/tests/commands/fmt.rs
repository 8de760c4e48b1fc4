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
