//! How passes are run.

use silkit_base::Symbol;
use silkit_pass::{FunctionContext, Pass, Runner, Step};

/// Makes a copy of each function that is no copy itself.
fn copy(cx: &mut FunctionContext<'_>) {
    let name = cx.function().name;
    if !name.as_str().ends_with("_copy") {
        let mut function = cx.function().clone();
        function.name = Symbol::new(&format!("{name}_copy"));
        cx.add_function(function);
    }
}

#[test]
fn functions_that_a_pass_makes_are_worked_on_too() {
    let text = "sil_stage canonical\n\
        sil @a : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n\
        sil @b : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    let mut module = silkit_text::parse_module(text).module;
    let declarations = silkit_text::decl::declarations(&module);
    let note = |_: &mut FunctionContext<'_>| ();
    let steps: [Step<'_>; 2] = [
        Pass::function("copy", "Copies functions", &copy).into(),
        Pass::function("note", "Does nothing", &note).into(),
    ];
    let outcome = Runner::new().run(&mut module, &declarations, &steps);
    let runs: Vec<String> = outcome
        .runs
        .iter()
        .map(|run| format!("{} {} {}", run.number, run.tag, run.function.expect("a pass of functions")))
        .collect();
    let expected = [
        "1 copy a",
        "2 note a",
        "3 copy b",
        "4 note b",
        "5 copy a_copy",
        "6 note a_copy",
        "7 copy b_copy",
        "8 note b_copy",
    ];
    assert_eq!(runs, expected);
    assert_eq!(module.functions.len(), 4);
    assert!(outcome.runs.iter().all(|run| !run.has_changed), "no body was changed");
}
