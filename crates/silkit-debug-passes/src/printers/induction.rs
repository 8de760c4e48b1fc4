//! `iv-info-printer`: prints the induction variables of functions.

use silkit_analysis::Induction;
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> =
    Pass::function("iv-info-printer", "Prints the induction variables", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let induction = cx.get::<Induction>();
    let body = cx.body();
    let induction = induction.of(body);
    let dump = cx.dump();
    let mut text = String::new();
    for block in body.blocks() {
        let results = body.block_insts(block).flat_map(|inst| body.results(inst));
        for value in body.arguments(block).iter().copied().chain(results) {
            let Some(header) = induction.header(value) else { continue };
            if text.is_empty() {
                text = format!("Induction variables for function: {}\n", cx.function().name);
            }
            if header == value {
                text += &format!("IV Header: {}", dump.value(value, ""));
            } else {
                text += &format!("IV: {}", dump.value(value, ""));
                text += &format!("with header: {}", dump.value(header, ""));
            }
        }
    }
    if !text.is_empty() {
        text += "\n";
    }
    cx.complain(&text);
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn variables_come_with_their_headers() {
        let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int8) -> () {
bb0(%0 : $Builtin.Int8):
  %1 = integer_literal $Builtin.Int8, 1
  %2 = integer_literal $Builtin.Int1, -1
  br bb1(%0)
bb1(%4 : $Builtin.Int8):
  %5 = builtin \"sadd_with_overflow_Int8\"(%4, %1, %2) : $(Builtin.Int8, Builtin.Int1)
  %6 = tuple_extract %5, 0
  br bb1(%6)
}
";
        let printed = printed("iv-info-printer", Stream::Err, text);
        let begins: Vec<String> =
            printed.lines().map(|l| l.split('=').next().unwrap_or_default().trim_end().to_owned()).collect();
        let expected = [
            "Induction variables for function: f",
            "IV Header: %4",
            "IV:   %5",
            "with header: %4",
            "IV:   %6",
            "with header: %4",
            "",
        ];
        assert_eq!(begins, expected);
    }
}
