//! Tests of answers about texts written here.

use super::*;

const BRANCHES: &str = "\
sil_stage canonical

import Builtin
import Swift

class Box {
  @_hasStorage var value: Builtin.Int64
  init()
}

// half
sil [ossa] @$s4main4halfyS2iF : $@convention(thin) (@owned Box, Builtin.Int1) -> Builtin.Int64 {
bb0(%0 : @owned $Box, %1 : $Builtin.Int1):
  %2 = begin_borrow %0 : $Box
  %3 = ref_element_addr %2 : $Box, #Box.value
  %4 = load [trivial] %3 : $*Builtin.Int64
  end_borrow %2 : $Box
  cond_br %1, bb1, bb2

bb1:
  destroy_value %0 : $Box
  br bb3

bb2:
  destroy_value %0 : $Box
  br bb3

bb3:
  return %4 : $Builtin.Int64 // id: %11
}
";

fn at(text: &str, part: &str) -> usize {
    text.find(part).unwrap_or_else(|| panic!("no `{part}`"))
}

fn last(text: &str, part: &str) -> usize {
    text.rfind(part).unwrap_or_else(|| panic!("no `{part}`"))
}

fn shown(document: &Document, range: TextRange) -> &str {
    slice(document.text(), range)
}

#[test]
fn hover_tells_type_ownership_users_and_page() {
    let document = Document::new(BRANCHES);
    assert_eq!(document.error_count(), 0, "{:?}", document.diagnostics());
    let hover = |place: usize| document.hover(place).unwrap().markdown;
    let argument = hover(last(BRANCHES, "%0 : $Box"));
    assert!(argument.contains("%0 : $Box\n"), "{argument}");
    assert!(argument.contains("ownership: `@owned`, argument 0 of the function"), "{argument}");
    assert!(argument.contains("3 users") && argument.contains("begin_borrow %0 : $Box\n"), "{argument}");
    let address = hover(at(BRANCHES, "%3 : $*"));
    assert!(address.contains("%3 : $*Builtin.Int64"), "{address}");
    assert!(address.contains("%3 = ref_element_addr %2 : $Box, #Box.value\n"), "{address}");
    let word = hover(at(BRANCHES, "cond_br"));
    assert!(word.contains("%1 : $Builtin.Int1") && word.contains("**cond_br**"), "{word}");
    let block = hover(at(BRANCHES, "bb3\n"));
    assert!(
        block.contains("from: `bb2`, `bb1`, to: none") || block.contains("from: `bb1`, `bb2`, to: none"),
        "{block}"
    );
    let symbol = hover(at(BRANCHES, "@$s4main"));
    assert!(symbol.contains("main.half(Swift.Int) -> Swift.Int") && symbol.contains("4 blocks"), "{symbol}");
    let member = hover(at(BRANCHES, "#Box.value"));
    assert!(member.contains("@_hasStorage var value: Builtin.Int64"), "{member}");
}

#[test]
fn hover_answers_where_the_body_does_not_parse() {
    let text = "sil @f : $@convention(thin) (Int) -> () {\nbb0(%0 : $Int):\n  %1 = struct_extrac %0, #Int.x\n  \
                %2 = tuple (%1)\n  return %2\n}\n";
    let document = Document::new(text);
    let used = at(text, "(%1)") + 1;
    assert_eq!(document.definition(used).map(|range| range.start as usize), Some(at(text, "%1 =")));
    assert!(document.hover(used).unwrap().markdown.contains("%1 = struct_extrac %0, #Int.x"));
    assert!(document.hover(at(text, "tuple")).unwrap().markdown.contains("**tuple**"));
}

#[test]
fn no_hover_text_closes_its_fence() {
    let text = "sil @\"a`b```c\" : $@convention(thin) () -> () {\nbb0:\n  %0 = string_literal utf8 \"```\\n<script>\"\n  %1 = tuple ()\n  \
                fix_lifetime %0\n  return %1\n}\n";
    let document = Document::new(text);
    let symbol = document.hover(at(text, "@\"a")).unwrap().markdown;
    assert!(symbol.ends_with("`a'b'''c`\n\n"), "{symbol}");
    let literal = document.hover(at(text, "%0 =")).unwrap().markdown;
    assert!(literal.contains("~~~~~~sil\n%0 = string_literal utf8 \"```"), "{literal}");
}

#[test]
fn definitions_and_references() {
    let document = Document::new(BRANCHES);
    let definition = |place| document.definition(place).map(|range| range.start as usize);
    assert_eq!(definition(at(BRANCHES, "%2 : $Box, #")), Some(at(BRANCHES, "%2 = ")));
    assert_eq!(definition(at(BRANCHES, "bb2\n\n")), Some(at(BRANCHES, "bb2:")));
    assert_eq!(definition(last(BRANCHES, "$Box") + 2), Some(at(BRANCHES, "Box {")));
    assert_eq!(definition(at(BRANCHES, "#Box.value") + 1), Some(at(BRANCHES, "value: Builtin")));
    assert_eq!(definition(at(BRANCHES, "cond_br")), None);
    assert_eq!(document.references(at(BRANCHES, "%0 : @owned")).len(), 4);
    assert_eq!(document.highlights(at(BRANCHES, "bb3\n")).len(), 3);
}

#[test]
fn renaming_keeps_the_text_valid() {
    let document = Document::new(BRANCHES);
    let edits = document.rename(at(BRANCHES, "%0 : @owned"), "box").unwrap();
    assert_eq!(edits.len(), 4);
    let renamed = Document::new(apply(BRANCHES, &edits));
    assert_eq!(renamed.error_count(), 0, "{}", renamed.text());
    assert!(renamed.text().contains("begin_borrow %box : $Box"));
    let blocks = document.rename(at(BRANCHES, "bb3:"), "done").unwrap();
    assert_eq!(Document::new(apply(BRANCHES, &blocks)).error_count(), 0);
    let refused = |name: &str| document.rename(at(BRANCHES, "%0 : @owned"), name).unwrap_err().to_string();
    assert_eq!(refused("%4"), "`%4` is in use in this function");
    assert_eq!(refused("a b"), "`%a b` is not a name: letters, digits and `_` are");
    let symbol = document.rename(at(BRANCHES, "@$s4main"), "x").unwrap_err();
    assert_eq!(symbol.to_string(), "only values and blocks can be renamed");
}

#[test]
fn findings_have_both_ends_and_fixes() {
    let text = BRANCHES.replacen("  destroy_value %0 : $Box\n", "", 1);
    let document = Document::new(text.as_str());
    let [found] = document.diagnostics() else { panic!("{:?}", document.diagnostics()) };
    let diagnostic = &found.diagnostic;
    assert_eq!(diagnostic.rule.map(|rule| rule.as_str()), Some("SIL0402"));
    let place = |span: silkit_diag::Span| shown(&document, TextRange { start: span.start, end: span.end });
    assert!(place(diagnostic.primary().unwrap().span).starts_with("return %4"));
    assert_eq!(diagnostic.others().map(|label| place(label.span)).collect::<Vec<_>>(), ["%0"]);
    assert!(diagnostic.notes.iter().any(|note| &*note.message == "the path is bb0 → bb1 → bb3"));
    let everywhere = TextRange::new(0, text.len());
    let fixes = document.fixes(everywhere);
    assert_eq!(fixes[0].title, "Destroy `%0` on this path");
    let mended = Document::new(apply(&text, &fixes[0].edits));
    assert!(mended.diagnostics().is_empty() && mended.text().contains("bb1:\n  destroy_value %0\n  br bb3"));
    assert!(fixes[1].title.starts_with("Expect this error") && !fixes[1].is_preferred);
    // A rule is explained where it is violated.
    let hover = document.hover(last(&text, "return")).unwrap().markdown;
    assert!(hover.contains("**SIL0402** OwnedValueIsConsumed"), "{hover}");

    let twice = BRANCHES.replacen(
        "  destroy_value %0 : $Box\n",
        "  destroy_value %0 : $Box\n  destroy_value %0 : $Box\n",
        1,
    );
    let document = Document::new(twice.as_str());
    let fixes = document.fixes(everywhere);
    assert_eq!(fixes[0].title, "Remove `destroy_value %0 : $Box`");
    assert_eq!(apply(&twice, &fixes[0].edits), BRANCHES);
}

#[test]
fn syntax_errors_leave_the_findings_of_other_functions() {
    let leak = "sil [ossa] @leak : $@convention(thin) (@owned C) -> () {\nbb0(%0 : @owned $C):\n  %1 = tuple ()\n  return %1\n}\n";
    let wrong = "sil @wrong : $@convention(thin) () -> () {\nbb0:\n  %0 = tupel ()\n  return %0\n}\n";
    let text = format!("import Swift\nclass C {{}}\n{leak}{wrong}");
    let document = Document::new(text.as_str());
    let rules: Vec<&str> =
        document.diagnostics().iter().map(|d| d.diagnostic.rule.map_or("", |rule| rule.as_str())).collect();
    assert_eq!(rules[..2], ["SIL0402", "SIL0001"], "{:?}", document.diagnostics());
    let fixes = document.fixes(TextRange::new(at(&text, "tupel"), at(&text, "tupel")));
    let edits = fixes.iter().find(|fix| fix.title == "Replace by `tuple`").unwrap();
    assert!(apply(&text, &edits.edits).contains("%0 = tuple ()"));
    // An error outside bodies may be the reason of all others.
    let broken = Document::new(format!("{text}sil @x : $@convention(\n"));
    assert!(broken.diagnostics().iter().all(|d| d.finding.is_none()) && broken.error_count() > 0);
}

#[test]
fn outline_and_folds() {
    let document = Document::new(BRANCHES);
    let outline = document.outline();
    let names: Vec<&str> = outline.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["Box", "half(_:)"]);
    let function = &outline[1];
    assert_eq!(function.detail, "$s4main4halfyS2iF");
    let blocks: Vec<&str> = function.children.iter().map(|block| shown(&document, block.range)).collect();
    assert_eq!(blocks[2], "bb2:\n  destroy_value %0 : $Box\n  br bb3");
    assert!(
        function
            .children
            .iter()
            .all(|b| function.range.start < b.range.start && b.range.end < function.range.end)
    );
    let folds = document.folds();
    assert!(folds.iter().any(|fold| shown(&document, *fold).starts_with("{\nbb0")), "{folds:?}");
    assert!(folds.iter().any(|fold| shown(&document, *fold) == blocks[2]));
    let summary = document.function_summary(at(BRANCHES, "cond_br")).unwrap();
    assert_eq!((summary.blocks, summary.instructions, summary.releases), (4, 10, 2));
    let functions: Vec<&str> = document.functions().iter().map(|range| shown(&document, *range)).collect();
    assert_eq!(functions, ["@$s4main4halfyS2iF"]);
}

#[test]
fn hints_tell_types_and_predecessors() {
    let document = Document::new(BRANCHES);
    let hints = document.hints(TextRange::new(0, BRANCHES.len()));
    let of = |kind| hints.iter().filter(move |hint| hint.kind == kind).map(|hint| hint.text.as_str());
    assert_eq!(of(HintKind::Type).collect::<Vec<_>>(), [": $Box", ": $*Builtin.Int64", ": $Builtin.Int64"]);
    let preds: Vec<&str> = of(HintKind::Predecessors).collect();
    assert_eq!(preds[..2], ["// Preds: bb0", "// Preds: bb0"]);
    assert!(preds[2] == "// Preds: bb1, bb2" || preds[2] == "// Preds: bb2, bb1");
    let part = document.hints(TextRange::new(at(BRANCHES, "bb2:"), at(BRANCHES, "bb3:")));
    assert_eq!(part.len(), 1);
    let long = "  %9 = tuple ()\n".repeat(12).replace("%9", "%x");
    let mut number = 0;
    let long = long.split("%x").collect::<Vec<_>>().join("%x").replace("%x", "%v");
    let long: String = long
        .lines()
        .map(|line| {
            number += 1;
            format!("{}\n", line.replace("%v", &format!("%v{number}")))
        })
        .collect();
    let text = format!("sil @f : $@convention(thin) () -> () {{\nbb0:\n{long}  return %v1\n}}\n");
    let hints = Document::new(text.as_str()).hints(TextRange::new(0, text.len()));
    assert_eq!(hints.last().map(|hint| hint.text.as_str()), Some("// end of bb0"));
}

#[test]
fn completion_knows_the_table_and_the_names() {
    let complete = |marked: &str| {
        let offset = at(marked, "|");
        let document = Document::new(marked.replacen('|', "", 1));
        let all = document.completions(offset);
        assert!(all.iter().all(|c| c.range.end as usize == offset));
        all.into_iter().map(|c| c.label).collect::<Vec<_>>()
    };
    let with = |line: &str| BRANCHES.replacen("  end_borrow %2 : $Box\n", &format!("{line}\n"), 1);
    assert_eq!(complete(&with("  %9 = struct_e|")).len(), silkit_ir::Opcode::ALL.len());
    let values = complete(&with("  end_borrow %|"));
    assert_eq!(values, ["%4", "%3", "%2", "%1", "%0"]);
    assert_eq!(complete(&with("  br b|")), ["bb3", "bb2", "bb1", "bb0"]);
    assert!(
        complete(&with("  %9 = load [|")).contains(&"take".to_owned())
            || !complete(&with("  %9 = begin_borrow [|")).is_empty()
    );
    assert!(complete(&with("  %9 = metatype $B|")).contains(&"Box".to_owned()));
    assert_eq!(complete(&with("  %9 = function_ref @|")), ["@$s4main4halfyS2iF"]);
    assert_eq!(complete(&with("  %9 = ref_element_addr %2, #|")), ["#Box.value"]);
    assert!(complete(&with("  // %|")).is_empty());
    assert!(complete("sil_st|").contains(&"sil_stage".to_owned()));
    assert!(Document::instruction_page("load").unwrap().contains("**load**"));
}

#[test]
fn formatting_is_one_edit() {
    let text = BRANCHES.replacen("  %2 = begin_borrow %0 : $Box", "    %2   =  begin_borrow   %0 : $Box", 1);
    let document = Document::new(text.as_str());
    let formatted = apply(&text, &[document.format().unwrap()]);
    assert!(formatted.contains("\n  %2 = begin_borrow %0"), "{formatted}");
    assert_eq!(Document::new(formatted.as_str()).format(), None);
    assert_eq!(Document::new("sil @f : $(").format(), None);
}

const LOCATED: &str = "\
sil_stage canonical

import Builtin
import Swift

sil_scope 1 { loc \"Sources/main.swift\":9:1 parent @$s4main1fyyF : $@convention(thin) () -> () }
sil_scope 2 { loc \"Sources/main.swift\":10:5 parent 1 }
sil_scope 3 { loc \"Sources/add.swift\":1:6 parent @$s4main3addyyF : $@convention(thin) () -> () inlined_at 2 }

sil @$s4main1fyyF : $@convention(thin) () -> () {
bb0:
  %0 = integer_literal $Builtin.Int64, 1, loc \"Sources/add.swift\":2:14, scope 3
  %1 = tuple (), loc \"Sources/main.swift\":11:2, scope 1
  return %1, loc \"Sources/main.swift\":11:2, scope 1
}
";

#[test]
fn instructions_lead_to_swift_and_back() {
    let document = Document::new(LOCATED);
    assert_eq!(document.error_count(), 0, "{:?}", document.diagnostics());
    let lines = document.swift_lines(at(LOCATED, "integer_literal"));
    let shown: Vec<String> = lines.iter().map(|line| line.position.to_string()).collect();
    assert_eq!(shown, ["Sources/add.swift:2:14", "Sources/main.swift:10:5"]);
    assert_eq!(lines[0].function.as_deref(), Some("add()"));
    let hover = document.hover(at(LOCATED, "%0 =")).unwrap().markdown;
    assert!(hover.contains("Swift: `add.swift:2:14` in `add()`, inlined at `main.swift:10:5`"), "{hover}");
    let back = document.sil_of_swift("/tmp/Sources/main.swift", 11);
    assert_eq!(back.len(), 2);
    assert!(slice(LOCATED, back[0]).starts_with("%1 = tuple ()"));
    assert_eq!(document.sil_of_swift("main.swift", 10).len(), 1);
    assert!(document.sil_of_swift("other.swift", 10).is_empty());
}

#[test]
fn functions_are_drawn_with_their_lines() {
    let document = Document::new(BRANCHES);
    let (name, svg) = document.control_flow(at(BRANCHES, "cond_br")).unwrap();
    let line = BRANCHES[..at(BRANCHES, "cond_br")].lines().count();
    assert_eq!(name, "half(_:)");
    assert!(svg.contains("<svg") && svg.contains(&format!("href=\"#L{line}\"")), "{svg}");
    assert_eq!(document.control_flow(0), None);
}

#[test]
fn damaged_text_is_answered() {
    for end in (0..BRANCHES.len()).filter(|end| BRANCHES.is_char_boundary(*end)) {
        let document = Document::new(&BRANCHES[..end]);
        document.diagnostics();
        document.hover(end.saturating_sub(1));
        document.completions(end);
        document.outline();
        document.folds();
        document.fixes(TextRange::new(0, end));
        document.hints(TextRange::new(0, end));
    }
}
