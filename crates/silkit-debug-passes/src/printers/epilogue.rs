//! `sil-epilogue-arc-dumper`, `sil-epilogue-retain-release-dumper`: print the epilogue retains and releases of
//! functions.

use silkit_analysis::{BodyView, Dominators, Epilogue, EpilogueKind, RcIdentity};
use silkit_ir::{Body, Function, Inst, Value};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_text::Dump;

pub(crate) const FLOW: Pass<'static> =
    Pass::module("sil-epilogue-arc-dumper", "Prints the epilogue retains and releases of arguments", &flow);

pub(crate) const MATCHING: Pass<'static> = Pass::module(
    "sil-epilogue-retain-release-dumper",
    "Prints the epilogue retains of returned values and releases of owned arguments",
    &matching,
);

fn flow(cx: &mut ModuleContext<'_>) {
    let text = each(cx, &|function, body, epilogue, dump| {
        let mut text = String::new();
        for argument in arguments(body) {
            text += &format!("START: {}\n{}", function.name, dump.value(argument, ""));
            for kind in [EpilogueKind::Release, EpilogueKind::Retain] {
                let last = epilogue.last(argument, kind);
                text.extend(last.into_iter().map(|inst: Inst| dump.inst(inst, "") + "\n"));
            }
            text += &format!("FINISH: {}\n", function.name);
        }
        text
    });
    cx.print(&text);
}

fn matching(cx: &mut ModuleContext<'_>) {
    let text = each(cx, &|function, body, epilogue, dump| {
        let mut text = format!("START: sil @{}\n", function.name);
        text.extend(epilogue.returned().into_iter().map(|inst| dump.inst(inst, "")));
        let released = epilogue.released_arguments();
        for argument in arguments(body) {
            text += &dump.value(argument, "");
            let releases =
                released.iter().filter(|(of, _)| *of == argument).flat_map(|(_, releases)| releases);
            text.extend(releases.map(|&inst| dump.inst(inst, "")));
        }
        text + &format!("END: sil @{}\n", function.name)
    });
    cx.print(&text);
}

fn arguments(body: &Body) -> Vec<Value> {
    body.entry_arguments().to_vec()
}

/// Returns the output for each function, in module order.
fn each(
    cx: &ModuleContext<'_>,
    say: &dyn Fn(&Function, &Body, &Epilogue<'_>, &Dump<'_>) -> String,
) -> String {
    let program = cx.program();
    let mut text = String::new();
    for function in cx.module().functions.values() {
        let body = function.body.as_ref().filter(|body| body.entry_block().is_some());
        let Some(body) = body else { continue };
        let dominators = Dominators::compute(body);
        let view = BodyView::new(&program, function, body);
        let epilogue = Epilogue::new(view, RcIdentity::new(&view, &dominators));
        text += &say(function, body, &epilogue, &cx.dump(body));
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    const TEXT: &str = "\
sil_stage canonical
import Builtin
class C {}
struct Pair {
  var a: C
  var b: C
}
sil @parts : $@convention(thin) (@owned Pair) -> () {
bb0(%0 : $Pair):
  %1 = struct_extract %0, #Pair.a
  %2 = struct_extract %0, #Pair.b
  strong_release %1
  strong_release %2
  %5 = tuple ()
  return %5
}
sil @one_part : $@convention(thin) (@owned Pair) -> () {
bb0(%0 : $Pair):
  %1 = struct_extract %0, #Pair.a
  strong_release %1
  %3 = tuple ()
  return %3
}
sil @kept : $@convention(thin) (@guaranteed C, Builtin.Int1) -> @owned C {
bb0(%0 : $C, %1 : $Builtin.Int1):
  cond_br %1, bb1, bb2
bb1:
  strong_retain %0
  br bb3(%0)
bb2:
  retain_value %0
  br bb3(%0)
bb3(%7 : $C):
  return %7
}
";

    fn lines(tag: &str) -> Vec<String> {
        let text = printed(tag, Stream::Out, TEXT);
        let code = |line: &str| line.split("  //").next().unwrap_or_default().trim().to_owned();
        text.lines().map(code).filter(|l| !l.is_empty()).collect()
    }

    #[test]
    fn all_parts_of_an_argument_must_be_released() {
        let expected = [
            "START: sil @parts",
            "%0 = argument of bb0 : $Pair",
            "strong_release %2 : $C",
            "strong_release %1 : $C",
            "END: sil @parts",
            "START: sil @one_part",
            "%0 = argument of bb0 : $Pair",
            "END: sil @one_part",
            "START: sil @kept",
            "strong_retain %0 : $C",
            "retain_value %0 : $C",
            "%0 = argument of bb0 : $C",
            "%1 = argument of bb0 : $Builtin.Int1",
            "END: sil @kept",
        ];
        assert_eq!(lines("sil-epilogue-retain-release-dumper"), expected);
    }

    #[test]
    fn every_path_must_have_one() {
        let lines = lines("sil-epilogue-arc-dumper");
        let counts = lines.iter().filter(|l| l.contains("retain")).count();
        assert_eq!((counts, lines.iter().filter(|l| l.contains("release")).count()), (2, 0), "{lines:#?}");
    }
}
