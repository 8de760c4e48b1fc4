//! The linker on files of cases, `tests/cases/*.txt`.

use silkit_base::Symbol;
use silkit_ir::{Module, SourceLoc};
use silkit_link::ModuleLibrary;
use silkit_link::linker::{self, Mode};
use silkit_text::{PrintOptions, decl::declarations, parse_module, print_module};

silkit_testkit::case_files! { "tests/cases": linker: linked; }

/// Links: `needed`, `all`, `witnesses`, `load NAME`, `table TYPE PROTOCOL`, or `places NAME`: how many instructions of a
/// body have a location. The library follows a line `// library`. Prints the functions, with `{` at the end of those that
/// have bodies.
fn linked(input: &str) -> String {
    let (input, library) = input.split_once("// library\n").expect("a library");
    let library = module(library);
    let mut module = module(input);
    let own = declarations(&module);
    let library = ModuleLibrary::new(&library, declarations(&library));
    let mut text = String::new();
    let questions = input.lines().map_while(|line| line.strip_prefix("// "));
    for words in questions.map(|question| question.split_whitespace().collect::<Vec<&str>>()) {
        let name = |index: usize| Symbol::new(words[index]);
        let answer = match words[0] {
            "needed" => linker::link(&mut module, &own, &library, Mode::Needed).to_string(),
            "all" => linker::link(&mut module, &own, &library, Mode::All).to_string(),
            "witnesses" => linker::link_witnesses(&mut module, &own, &library).to_string(),
            "load" => linker::load(&mut module, &own, &library, name(1))
                .map_or("-".to_owned(), |id| format!("@{}", module.functions[id].name)),
            "places" => {
                let body = module.functions.by_key(&name(1)).and_then(|f| f.body.as_ref()).expect("a body");
                let at = |inst| body.loc(body.inst(inst).loc).map(|at| (at.source, at.scope));
                let is_nowhere = |inst| at(inst) == Some((Some(SourceLoc::NOWHERE), silkit_ir::NONE));
                body.insts().filter(|&inst| !is_nowhere(inst)).count().to_string()
            }
            "table" => {
                linker::load_witness_table(&mut module, &own, &library, (name(1), name(2))).to_string()
            }
            other => panic!("unknown word `{other}`"),
        };
        text += &format!("{}: {answer}\n", words[0]);
    }
    let printed = print_module(&module, &PrintOptions::default(), &|_| None);
    for line in printed.lines().filter(|line| line.starts_with("sil ")) {
        text += line.split("//").next().unwrap_or_default().trim_end();
        text.push('\n');
    }
    text
}

fn module(text: &str) -> Module {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    parsed.module
}
