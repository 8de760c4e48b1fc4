//! Cases of comparisons.

use super::*;

const BEFORE: &str = "\
sil @f : $() -> () {
bb0(%0 : $Int, %1 : $Int):
  %2 = struct_extract %0, #Int._value             // user: %3
  %3 = use %2
  br bb1

bb1:                                              // Preds: bb0
  return %3                                       // id: %4
} // end sil function 'f'
";

#[test]
fn renumbering_and_comments_are_no_difference() {
    let after = BEFORE.replace("%3", "%9").replace("bb1", "bb7").replace("// Preds: bb0", "// Preds: bb5");
    assert!(compare(BEFORE, &after).is_same());
    assert!(compare(BEFORE, BEFORE).is_same());
}

#[test]
fn another_operand_is_a_difference() {
    let after = BEFORE.replace("struct_extract %0", "struct_extract %1");
    let comparison = compare(BEFORE, &after);
    let lines = &comparison.differences[0].lines;
    let changed: Vec<&str> = lines.iter().filter(|l| l.side != Side::Both).map(|l| l.text.as_str()).collect();
    assert_eq!(changed, ["  %2 = struct_extract %0, #Int._value", "  %2 = struct_extract %1, #Int._value"]);
}

#[test]
fn uses_of_what_is_defined_anew_are_no_difference() {
    let after = BEFORE.replace("%0 : $Int", "%0 : @owned $Int");
    let lines = compare(BEFORE, &after).differences.remove(0).lines;
    assert_eq!(lines.iter().filter(|line| line.side != Side::Both).count(), 2, "{lines:?}");
}

fn changed(before: &str, after: &str) -> Vec<String> {
    let lines = compare(before, after).differences.into_iter().flat_map(|difference| difference.lines);
    lines.filter(|line| line.side != Side::Both).map(|line| line.text).collect()
}

#[test]
fn a_new_name_of_what_is_defined_anew_is_no_difference() {
    let after = BEFORE.replace("%0", "%7").replace("%7 : $Int", "%7 : @owned $Int");
    assert_eq!(changed(BEFORE, &after), ["bb0(%7 : $Int, %1 : $Int):", "bb0(%7 : @owned $Int, %1 : $Int):"]);
    // The same instruction on something else.
    let after =
        BEFORE.replace("%2 = struct_extract %0", "%8 = struct_extract %1").replace("use %2", "use %8");
    assert_eq!(
        changed(BEFORE, &after),
        ["  %8 = struct_extract %0, #Int._value", "  %8 = struct_extract %1, #Int._value"]
    );
}

#[test]
fn a_block_is_not_paired_with_an_instruction() {
    let before = "sil @f : $() -> () {\nbb0:\n  store undef\nbb1(%0 : $Int):\n  use %0\n}\n";
    let after = "sil @f : $() -> () {\nbb0:\nbb1(%4 : @owned $Int):\n  use %4\n}\n";
    assert_eq!(changed(before, after), ["  store undef", "bb1(%4 : $Int):", "bb1(%4 : @owned $Int):"]);
}

#[test]
fn each_line_is_paired_once() {
    let before = "sil @f : $() -> () {\nbb0:\n  %0 = load a\n  %1 = load b\n  use %0\n  use %1\n}\n";
    let after = "sil @f : $() -> () {\nbb0:\n  %5 = load c\n  %6 = load d\n  use %5\n  use %6\n}\n";
    assert_eq!(changed(before, after), ["  %5 = load a", "  %6 = load b", "  %5 = load c", "  %6 = load d"]);
}

#[test]
fn differences_are_shown_with_three_lines_around_each() {
    let line = |n: usize| format!("  line {n}\n");
    let text = |changed: &[usize]| {
        let lines = (0..24).map(|n| if changed.contains(&n) { "  new\n".to_owned() } else { line(n) });
        format!("sil @f : $() -> () {{\n{}}}\n", lines.collect::<String>())
    };
    let shown = compare(&text(&[]), &text(&[5, 12, 20])).unified("a", "b");
    let shown: Vec<&str> = shown.lines().collect();
    let expected = [
        "--- a",
        "+++ b",
        "@@ @f",
        "   line 2",
        "   line 3",
        "   line 4",
        "-  line 5",
        "+  new",
        "   line 6",
        "   line 7",
        "   line 8",
        "   line 9",
        "   line 10",
        "   line 11",
        "-  line 12",
        "+  new",
        "   line 13",
        "   line 14",
        "   line 15",
        "@@ @f",
        "   line 17",
        "   line 18",
        "   line 19",
        "-  line 20",
        "+  new",
        "   line 21",
        "   line 22",
        "   line 23",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn text_outside_of_functions_is_compared_apart() {
    let before = "sil_stage raw\n// a comment\n\nsil @f : $() -> ()\n\nimport A\nsil @g : $() -> () {\nbb0:\n}\nimport B\n";
    let after = before.replace("import A", "import C");
    let shown = compare(before, &after).unified("a", "b");
    assert_eq!(shown, "--- a\n+++ b\n@@\n sil_stage raw\n-import A\n+import C\n import B\n");
    assert_eq!(compare(before, before).unified("a", "b"), "");
    let shown =
        compare(before, &before.replace("sil @f : $() -> ()", "sil @f : $() -> Int")).unified("a", "b");
    assert_eq!(shown, "--- a\n+++ b\n@@ @f\n-sil @f : $() -> ()\n+sil @f : $() -> Int\n");
}

#[test]
fn attributes_do_not_name_a_function() {
    let header = |name: &str| {
        format!(
            "sil [_specialize kind: full, where @_noMetadata T : P, U == [Int]] [_semantics \"a] @b\"] {name} : $() -> () {{\n}}\n"
        )
    };
    for name in ["@$s1f", "@\"a : b\""] {
        assert_eq!(function_name(header(name).lines().next().expect("a line")), Some(name));
    }
    let text = header("@f") + &header("@g").replace("() ->", "Int ->");
    assert!(compare(&text, &text).is_same());
}

#[test]
fn no_name_stands_for_two_values() {
    let before =
        "sil @f : $() -> () {\nbb0:\n  %0 = a\n  %1 = dead %0\n  %2 = c %0\n  br bb1\nbb1:\n  return %2\n}\n";
    let after = "sil @f : $() -> () {\nbb0:\n  %0 = a\n  %1 = c %0\n  return %1\n}\n";
    assert_eq!(changed(before, after), ["  %old1 = dead %0", "  br bbold1", "bbold1:"]);
    // The operand is another value, though both have the number 1.
    let after = before.replace("dead", "live").replace("c %0", "c %1");
    assert_eq!(changed(&before.replace("c %0", "c %1").replace("dead", "was"), &after).len(), 4);
    // A removed function keeps its names: there are no others.
    assert_eq!(changed(before, "")[2], "  %0 = a");
}

#[test]
fn headers_and_counts() {
    let other = BEFORE.replace("@f", "@\"g h\"");
    let comparison = compare(BEFORE, &other);
    let count = |side| comparison.function_count(side);
    assert_eq!((count(Side::Both), count(Side::Before), count(Side::After)), (0, 1, 1));
    let demangle = |name: &str| (name == "g h").then(|| "g".to_owned());
    let headers: Vec<String> = comparison.differences.iter().map(|d| d.header(&demangle)).collect();
    assert_eq!(headers, ["@@ @\"g h\" (g)", "@@ @f"]);
}

const OPENED: &str = "\
sil @f : $() -> () {
bb0(%0 : $*any P):
  %1 = open_existential_addr immutable_access %0 to $*@opened(\"0032BE2E-E549-11F1-A100-02FC00000001\", any P) Self
  %2 = witness_method $@opened(\"0032BE2E-E549-11F1-A100-02FC00000001\", any P) Self, #P.f : <Self where Self : P>
  %3 = open_pack_element %2 of <each T> at <Pack{U}>, shape $each T, uuid \"0032BE2E-E549-11F1-A100-02FC00000002\"
  %4 = metatype $@thick (@pack_element(\"0032BE2E-E549-11F1-A100-02FC00000002\") each T).Type
  %5 = string_literal utf8 \"0032BE2E-E549-11F1-A100-02FC00000003\"
  return %5
}
";

#[test]
fn the_uuids_of_opened_types_are_numbers() {
    let other = |number: &str| OPENED.replace(number, &number.replace("-E549-", "-0000-"));
    assert!(compare(OPENED, &other("0032BE2E-E549-11F1-A100-02FC00000001")).is_same());
    assert!(compare(OPENED, &other("0032BE2E-E549-11F1-A100-02FC00000002")).is_same());
    // A string is no UUID of a type.
    assert_eq!(changed(OPENED, &other("0032BE2E-E549-11F1-A100-02FC00000003")).len(), 2);
    // The witness of another opened type.
    let (number, another) = ("0032BE2E-E549-11F1-A100-02FC00000001", "0032BE2E-0000-11F1-A100-02FC00000001");
    let after = OPENED.replace(
        &format!("witness_method $@opened(\"{number}"),
        &format!("witness_method $@opened(\"{another}"),
    );
    assert_eq!(changed(OPENED, &after).len(), 2);
    assert_eq!(defined("  (%1, %2) = begin_apply %0()"), ["%1", "%2"]);
    assert_eq!(defined(OPENED.lines().nth(2).expect("a line")).len(), 2);
    assert_eq!(defined(OPENED.lines().nth(4).expect("a line")).len(), 2);
}

#[test]
fn a_line_that_both_have_is_no_change() {
    // Without numbers, the end of `%0` may be aligned with that of `%1`.
    let before = "sil @f : $() -> () {\nbb0:\n  %0 = alloc_stack $A\n  %1 = partial_apply\n  try_apply %1\nbb1:\n  \
                  destroy_value %1\n  %3 = load %0\n  dealloc_stack %0\n  br bb3\nbb2:\n  destroy_value %1\n  \
                  dealloc_stack %0\n  throw\nbb3:\n  return\n}\n";
    let after = "sil @f : $() -> () {\nbb0:\n  %0 = alloc_stack $A\n  %1 = partial_apply\n  try_apply %1\nbb1:\n  \
                 dealloc_stack %1\n  dealloc_stack %0\n  br bb3\nbb2:\n  dealloc_stack %1\n  \
                 dealloc_stack %0\n  throw\nbb3:\n  return\n}\n";
    let expected = [
        "  destroy_value %1",
        "  %old3 = load %0",
        "  dealloc_stack %1",
        "  destroy_value %1",
        "  dealloc_stack %1",
    ];
    assert_eq!(changed(before, after), expected);
    let kept = |text: &str| without_kept(changes_of(text)).iter().map(shown).collect::<Vec<_>>().join(" ");
    assert_eq!(kept("-a +b -c +d"), "-a +b -c +d");
    assert_eq!(kept("-a +b -c +a +d"), "+b =a -c +d");
    assert_eq!(kept("-a -b +b -c +c"), "-a =b =c");
    assert_eq!(kept("+a -a"), "=a");
    assert_eq!(kept("-a -b"), "-a -b");
    assert_eq!(kept(""), "");
}

/// Reads `-a +b`: a removed and an added line.
fn changes_of(text: &str) -> Vec<ComparedLine> {
    let side = |sign| if sign == "-" { Side::Before } else { Side::After };
    let words = text.split_whitespace().map(|word| word.split_at(1));
    words.map(|(sign, text)| ComparedLine { side: side(sign), text: text.to_owned() }).collect()
}

fn shown(line: &ComparedLine) -> String {
    let sign = match line.side {
        Side::Both => '=',
        Side::Before => '-',
        Side::After => '+',
    };
    format!("{sign}{}", line.text)
}

#[test]
fn functions_are_matched_by_name() {
    let other = BEFORE.replace("@f", "@g");
    let comparison = compare(&format!("{BEFORE}\n{other}"), &format!("{other}\n{BEFORE}"));
    assert!(comparison.is_same(), "{comparison:?}");
    let comparison = compare(BEFORE, &other);
    let names: Vec<&str> = comparison.differences.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["@g", "@f"]);
}

#[test]
fn names_in_strings_and_words_stay() {
    assert_eq!(names("  %1 = string_literal \"bb1 %2\" // x"), ["%1"]);
    assert_eq!(names("  cond_br %1, bb1, bb22(%3)"), ["%1", "bb1", "bb22", "%3"]);
    assert_eq!(names("  function_ref @xbb1"), [""; 0]);
}
