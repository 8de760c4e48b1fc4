//! `dump-ranges`: prints the range between the string literals "begin", "end" and "interior" of a function.

use silkit_analysis::{BlockRange, InstRange};
use silkit_ir::instructions::StringLiteral;
use silkit_ir::{Block, Body, Inst};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_text::Dump;

pub(crate) const PASS: Pass<'static> = Pass::function(
    "dump-ranges",
    "Prints the ranges between the string literals `begin`, `end` and `interior`",
    &run,
);

fn run(cx: &mut FunctionContext<'_>) {
    let body = cx.body();
    let Some(&begin) = named(body, "begin").first() else { return };
    let (ends, interiors) = (named(body, "end"), named(body, "interior"));
    let mut insts = InstRange::new(body, begin);
    ends.iter().chain(&interiors).for_each(|&inst| insts.insert(inst));
    let name = cx.function().name;
    let dump = cx.dump();
    let text = format!(
        "Instruction range in {name}:\n{}Block range in {name}:\n{}End function {name}\n\n",
        of_insts(&dump, &insts),
        of_blocks(&dump, insts.blocks()),
    );
    cx.print(&text);
}

/// Returns the string literals with this text.
fn named(body: &Body, text: &str) -> Vec<Inst> {
    let is_named = |&inst: &Inst| {
        body.view_as::<StringLiteral>(inst).is_some_and(|literal| literal.value.as_str() == text)
    };
    body.insts().filter(is_named).collect()
}

/// Returns a range of instructions as text: its begin, ends, exits and interior insertions.
pub(crate) fn of_insts(dump: &Dump<'_>, range: &InstRange<'_>) -> String {
    // The first instruction is after the key, the others are on the following lines.
    let list = |key: &str, insts: &mut dyn Iterator<Item = Inst>| {
        let lines: Vec<String> = insts.map(|inst| dump.inst(inst, "").trim_end().to_owned()).collect();
        format!("{key:<10}{}\n", lines.join("\n          "))
    };
    let mut text = list("begin:", &mut std::iter::once(range.begin()));
    text += &list("ends:", &mut range.ends());
    text += &list("exits:", &mut range.exits());
    text += &list("interiors:", &mut range.interiors());
    format!("{}{text}", validity(range.is_valid()))
}

fn of_blocks(dump: &Dump<'_>, range: &BlockRange<'_>) -> String {
    let list = |blocks: &mut dyn Iterator<Item = Block>| {
        blocks.map(|block| dump.block(block)).collect::<Vec<_>>().join(", ")
    };
    format!(
        "{}begin:     {}\nrange:     [{}]\ninclrange: [{}]\nends:      [{}]\nexits:     [{}]\ninteriors: [{}]\n",
        validity(range.is_valid()),
        dump.block(range.begin()),
        list(&mut range.blocks()),
        list(&mut range.inclusive().iter().copied()),
        list(&mut range.ends()),
        list(&mut range.exits()),
        list(&mut range.interiors()),
    )
}

fn validity(is_valid: bool) -> &'static str {
    if is_valid { "" } else { "<invalid>\n" }
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn a_range_ends_where_no_other_end_follows() {
        let text = "\
sil_stage canonical
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = string_literal utf8 \"begin\"
  cond_br undef, bb1, bb2
bb1:
  %2 = string_literal utf8 \"end\"
  %3 = string_literal utf8 \"end\"
  br bb3
bb2:
  %5 = string_literal utf8 \"outside\"
  br bb3
bb3:
  %7 = tuple ()
  return %7
}
";
        let expected = "\
Instruction range in f:
begin:      %0 = string_literal utf8 \"begin\"
ends:       %3 = string_literal utf8 \"end\"
exits:      %5 = string_literal utf8 \"outside\"
interiors:  %2 = string_literal utf8 \"end\"
Block range in f:
begin:     bb0
range:     [bb0]
inclrange: [bb1, bb0]
ends:      [bb1]
exits:     [bb2]
interiors: []
End function f

";
        assert_eq!(printed("dump-ranges", Stream::Out, text), expected);
    }
}
