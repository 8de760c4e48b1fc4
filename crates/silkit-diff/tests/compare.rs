//! The lines of texts and modules that are compared, and how they are shown.

use silkit_diff::{Side, compare, compare_functions, compare_modules};

fn lines(count: usize, changed: &[usize]) -> String {
    let line = |n| match changed.contains(&n) {
        true => format!("  changed {n}\n"),
        false => format!("  line {n}\n"),
    };
    let body: String = (0..count).map(line).collect();
    format!("sil @f : $() -> () {{\n{body}}}\n")
}

#[test]
fn three_lines_around_a_difference_are_shown() {
    let text = compare(&lines(30, &[]), &lines(30, &[10])).unified("a", "b");
    let expected = "--- a\n+++ b\n@@ @f\n   line 7\n   line 8\n   line 9\n-  line 10\n+  changed 10\n   line 11\n   \
        line 12\n   line 13\n";
    assert_eq!(text, expected);
    // Near ones share what is between them, others have heads of their own.
    let near = compare(&lines(30, &[]), &lines(30, &[10, 16])).unified("a", "b");
    assert_eq!(near.matches("@@").count(), 1, "{near}");
    let far = compare(&lines(30, &[]), &lines(30, &[10, 18])).unified("a", "b");
    assert_eq!(far.matches("@@").count(), 2, "{far}");
    assert_eq!(compare("x\n", "x\n").unified("a", "b"), "");
    // What stands outside of functions has no name.
    assert_eq!(
        compare("import A\n", "import B\n").unified("a", "b"),
        "--- a\n+++ b\n@@\n-import A\n+import B\n"
    );
}

#[test]
fn declarations_comments_and_what_stands_between_functions() {
    let before = "// a comment\nimport A\nsil @declared : $() -> ()\nimport B\n\n\
        sil [ossa] @f : $() -> () {\nbb0:\n  %0 = tuple ()      // users: %1\n  return %0       // id: %1\n} // end sil function 'f'\n";
    let after = "import A\nimport B\nsil [ossa] @f : $() -> () {\nbb0:\n  %5 = tuple ()\n  return %5\n}\nsil @declared : $() -> ()\n";
    assert!(compare(before, after).is_same(), "{:?}", compare(before, after));
    let without = after.replace("sil @declared : $() -> ()\n", "");
    let differences = compare(after, &without).differences;
    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0].name, "@declared");
    assert_eq!(differences[0].lines[0].side, Side::Before);
    let attributes = compare(after, &after.replace("[ossa] ", ""));
    assert_eq!(attributes.differences[0].name, "@f");
}

#[test]
fn names_of_results_and_arguments_follow_their_definitions() {
    let before = "sil @f : $() -> () {\nbb0(%0 : $A, %1 : $A):\n  (%2, %3) = pair %0, %1\n  use %2\n  use %3\n  br bb1(%2)\n\
        bb1(%7 : $A):\n  use %7\n}\n";
    let renamed = "sil @f : $() -> () {\nbb0(%1 : $A, %0 : $A):\n  (%5, %6) = pair %1, %0\n  use %5\n  use %6\n  br bb9(%5)\n\
        bb9(%8 : $A):\n  use %8\n}\n";
    assert!(compare(before, renamed).is_same(), "{:?}", compare(before, renamed));
    let swapped = before.replace("use %2", "use %9").replace("use %3", "use %2").replace("use %9", "use %3");
    // One of the two lines moved.
    let changed = compare(before, &swapped).differences.remove(0).lines;
    assert_eq!(changed.iter().filter(|line| line.side != Side::Both).count(), 2, "{changed:?}");
    // A block that is defined anew keeps its uses.
    let block = before.replace("bb1(%7 : $A)", "bb1(%7 : $B)");
    let changed = compare(before, &block).differences.remove(0).lines;
    assert_eq!(changed.iter().filter(|line| line.side != Side::Both).count(), 2, "{changed:?}");
    // Another instruction in its place is another value.
    let other = before.replace("pair", "couple").replace("%2", "%12");
    let changed = compare(before, &other).differences.remove(0).lines;
    assert!(changed.iter().filter(|line| line.side != Side::Both).count() > 2, "{changed:?}");
}

#[test]
fn two_columns_show_replaced_removed_and_added_lines() {
    let before = "sil @f : $() -> () {\nbb0:\n  kept a\n  old b\n  gone c\n  kept d\n}\n";
    let after = "sil @f : $() -> () {\nbb0:\n  kept a\n  new b, which is long\n  kept d\n  more e\n}\n";
    let comparison = compare(before, after);
    let name = |symbol: &str| Some(format!("readable {symbol}"));
    let rows = [
        "@@ @f (readable f)",
        "sil @f : $( = sil @f : $(",
        "bb0:        = bb0:",
        "  kept a    =   kept a",
        "  old b     <",
        "  gone c    |   new b, wh",
        "  kept d    =   kept d",
        "            >   more e",
        "}           = }",
    ];
    let expected = rows.map(|row| row.replace('=', " ")).join("\n") + "\n";
    let trimmed = |text: &str| text.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>();
    assert_eq!(trimmed(&comparison.side_by_side(25, &name)), trimmed(&expected));
    assert_eq!(compare(before, before).side_by_side(25, &name), "");
}

#[test]
fn modules_are_compared_as_a_whole_or_by_functions() {
    let text = |first: &str, second: &str| {
        let body = |value: &str| {
            format!("{{\nbb0:\n  %0 = integer_literal $Builtin.Int1, {value}\n  unreachable\n}}\n")
        };
        let head = |name: &str| format!("sil @{name} : $@convention(thin) () -> () ");
        format!("import {first}\n{}{}{}{}", head("f"), body("0"), head("g"), body(second))
    };
    let parse = |text: &str| silkit_text::parse_module(text).module;
    let (before, after) = (parse(&text("A", "0")), parse(&text("B", "1")));
    let names = |comparison: &silkit_diff::Comparison| {
        comparison.differences.iter().map(|difference| difference.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&compare_modules(&before, &after, &|_| None)), ["", "@g"]);
    assert!(compare_modules(&before, &before, &|_| None).is_same());
    let ids = |module: &silkit_ir::Module| module.functions.keys().collect::<Vec<_>>();
    let (old, new) = (ids(&before), ids(&after));
    let compared = |at: std::ops::Range<usize>| {
        let (old, new) = ((&before, &old[at.clone()]), (&after, &new[at]));
        names(&compare_functions(old, new, &|_| None))
    };
    assert_eq!(compared(0..1), [""; 0]);
    assert_eq!(compared(0..2), ["@g"]);
}
