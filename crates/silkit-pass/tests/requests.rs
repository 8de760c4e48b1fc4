//! Requests of function passes for bodies and tables of a library, on files of cases, `tests/cases/*.txt`.

use silkit_base::Symbol;
use silkit_ir::Module;
use silkit_link::ModuleLibrary;
use silkit_pass::{FunctionContext, Pass, Runner, Stream, testing};
use silkit_text::{decl::declarations, parse_module};
use silkit_types::decl::Declarations;

silkit_testkit::case_files! { "tests/cases": requests: requests_of; }

/// Requests a body, `request-body NAME`, or a table, `request-table TYPE PROTOCOL`, of the library that follows the line
/// `// library`. Prints the functions, with `{` at the end of those that have bodies.
fn requests_of(input: &str) -> String {
    let (input, library) = input.split_once("// library\n").expect("a library");
    let library = module(library);
    let mut module = module(input);
    let own = declarations(&module);
    let library = ModuleLibrary::new(&library, declarations(&library));
    let mut text = String::new();
    let questions = input.lines().map_while(|line| line.strip_prefix("// "));
    for words in questions.map(|question| question.split_whitespace().collect::<Vec<&str>>()) {
        let name = |index: usize| Symbol::new(words[index]);
        let request = |cx: &mut FunctionContext<'_>| match words[0] {
            "request-body" => cx.request_body(name(1)),
            "request-table" => cx.request_witness_table((name(1), name(2))),
            other => panic!("unknown word `{other}`"),
        };
        text += &format!("{}: {}\n", words[0], runs(&mut module, &own, &library, &request));
    }
    for line in testing::code(&module).lines().filter(|line| line.starts_with("sil ")) {
        text += &format!("{line}\n");
    }
    text
}

/// Runs a pass that requests something from a library. Returns for each run the function, and whether something was
/// requested.
fn runs(
    module: &mut Module,
    declarations: &Declarations,
    library: &ModuleLibrary<'_>,
    request: &(dyn Fn(&mut FunctionContext<'_>) -> bool + Sync),
) -> String {
    let run = |cx: &mut FunctionContext<'_>| {
        let is_new = request(cx);
        let name = cx.function().name;
        cx.print(&format!(" {name} {is_new}"));
    };
    let pass = Pass::function("request", "Requests", &run).mandatory();
    let runner = Runner::new().library(Some(library));
    runner.run(module, declarations, &[pass.into()]).output.text(Stream::Out)
}

fn module(text: &str) -> Module {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    parsed.module
}
