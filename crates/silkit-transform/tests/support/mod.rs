//! Shared support for tests of transformations: a transformation works on one function of a module from text.

pub(crate) mod blocks;
pub(crate) mod calls;
pub(crate) mod lifetimes;
pub(crate) mod values;

use silkit_analysis::testing::Names;
use silkit_pass::{FunctionContext, Pass, Runner, Stream, testing};
use silkit_text::{decl::declarations, parse_module};

/// The words of one comment line at the start of an input.
pub(crate) type Question = Vec<String>;

/// A transformation: it works on a function as the questions ask, and prints to the context what there is to say.
pub(crate) type Work = dyn Fn(&mut FunctionContext<'_>, &Names, &[Question]) + Sync;

/// Runs a transformation on the last function with a body; returns its answer, the function, and the rules that the
/// function violates.
pub(crate) fn changed(input: &str, work: &Work) -> String {
    let parsed = parse_module(input);
    assert!(parsed.errors.is_empty(), "{:?} in\n{input}", parsed.errors);
    let mut module = parsed.module;
    let declarations = declarations(&module);
    let questions = input.lines().map_while(|line| line.strip_prefix("// "));
    let questions: Vec<Question> =
        questions.map(|q| q.split_whitespace().map(str::to_owned).collect()).collect();
    let last = module.functions.iter().rev().find(|(_, function)| function.body.is_some());
    let id = last.expect("a function with a body").0;
    let run = |cx: &mut FunctionContext<'_>| {
        if cx.id() == id {
            let names = Names::of(cx.body());
            work(cx, &names, &questions);
            cx.body().verify_integrity().unwrap_or_else(|error| panic!("{error}"));
        }
    };
    let pass = Pass::function("work", "Works", &run).mandatory();
    let outcome = Runner::new().run(&mut module, &declarations, &[pass.into()]);
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    let mut text = outcome.output.text(Stream::Out);
    let code = testing::code(&module);
    let head = format!("@{} :", module.functions[id].name);
    let lines = code.lines().skip_while(|line| !(line.contains(&head) && line.ends_with('{')));
    for line in lines {
        text += &format!("{line}\n");
        if line == "}" {
            break;
        }
    }
    let report =
        silkit_verify::verify(&module, &declarations, None, &silkit_verify::VerifyOptions::default());
    let mut rules: Vec<String> =
        report.findings.iter().map(|f| format!("breaks {}\n", f.rule.name)).collect();
    rules.sort();
    rules.dedup();
    text + &rules.concat()
}
