//! `sil-debuginfo-gen`: makes debuggers step through SIL instead of Swift.
//!
//! With `-sil-based-debuginfo=NAME`, the functions with bodies are printed to `NAME.sil_dbg_0.sil`, `NAME.sil_dbg_1.sil`,
//! …, and each instruction gets the location of its line there. Each function has one debug scope, and no `debug_value`:
//! a variable of Swift is not one of the printed code. Without the option, nothing changes. The option stands for
//! `-sil-based-debuginfo` of the compiler, which takes the name from its output.
//!
//! ```text
//!   debug_value %0, let, name "x", loc "a.swift":1:8, scope 1
//!   return %0, loc "a.swift":2:3, scope 1
//! ---
//!   return %0, loc "a.sil_dbg_0.sil":8:1, scope 2
//! ```

use silkit_base::Symbol;
use silkit_ir::{Body, Function, FunctionId, Inst, LocData, Module, Opcode, Scope, ScopeParent, SourceLoc};
use silkit_pass::{ModuleContext, Pass, Printing, options};
use silkit_text::{PrintOptions, print_module};

pub(super) const PASS: Pass<'static> = Pass::module(
    "sil-debuginfo-gen",
    "Prints the functions to a file, and makes it the source of their debug information",
    &run,
)
.with_options(&[options::DEBUGINFO_FILE]);

/// The number of lines after which a file ends with the current function.
const MOST_LINES: usize = 10_000;

/// The start of the line after a function.
const END: &str = "} // end sil function";

fn run(cx: &mut ModuleContext<'_>) {
    let name = cx.options().text(options::DEBUGINFO_FILE);
    if name.is_empty() {
        return;
    }
    if !cx.may_change() {
        return;
    }
    let functions = defined(cx.module());
    for (number, functions) in files(cx, &functions).into_iter().enumerate() {
        let file = format!("{name}.sil_dbg_{number}.sil");
        let text = printed(cx.module(), functions, cx.printing());
        relocate(cx.module_mut(), functions, &places(&text), Symbol::new(&file));
        cx.count("functions", functions.len() as u64);
        cx.write_file(file, text);
    }
}

/// Divides functions into those of each file.
fn files<'f>(cx: &ModuleContext<'_>, functions: &'f [FunctionId]) -> Vec<&'f [FunctionId]> {
    let places = places(&printed(cx.module(), functions, cx.printing()));
    let mut files = Vec::new();
    let (mut first, mut start) = (0, 0);
    for (at, place) in places.iter().enumerate() {
        if place.end - start > MOST_LINES || at + 1 == functions.len() {
            files.push(&functions[first..=at]);
            (first, start) = (at + 1, place.end + 1);
        }
    }
    files
}

fn defined(module: &Module) -> Vec<FunctionId> {
    module.functions.iter().filter(|(_, function)| function.body.is_some()).map(|(id, _)| id).collect()
}

/// Returns functions as printed with debug information, without the head of a module.
fn printed(module: &Module, functions: &[FunctionId], printing: &Printing<'_>) -> String {
    let mut part = Module { stage: module.stage, scopes: module.scopes.clone(), ..Module::default() };
    for &function in functions {
        part.functions.push(module.functions[function].clone());
    }
    let options = PrintOptions { debug_info: true, ..printing.options.clone() };
    let text = print_module(&part, &options, printing.demangle);
    let start = [text.find("sil_scope"), text.find("// ")].into_iter().flatten().min().unwrap_or_default();
    text[start..].to_owned()
}

/// The lines of a printed function.
struct PrintedLines {
    /// The first line, with the scopes that the function is the first to use.
    start: usize,
    /// The line of each instruction, in order.
    insts: Vec<usize>,
    /// The last line.
    end: usize,
}

/// Returns the lines of the functions in a text. An instruction is one line, which begins with two spaces.
fn places(text: &str) -> Vec<PrintedLines> {
    let mut found = Vec::new();
    let (mut start, mut insts) = (0, Vec::new());
    for (line, content) in (1..).zip(text.lines()) {
        if start == 0 && !content.is_empty() {
            start = line;
        }
        if content.starts_with("  ") && !content.trim_start().starts_with("//") {
            insts.push(line);
        } else if content.starts_with(END) {
            found.push(PrintedLines { start, insts: std::mem::take(&mut insts), end: line });
            start = 0;
        }
    }
    found
}

/// Makes the lines of printed functions the locations of their instructions.
fn relocate(module: &mut Module, functions: &[FunctionId], places: &[PrintedLines], file: Symbol) {
    let at = |line: usize| {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Some(SourceLoc { file: Some(file), line, column: 1, is_auto: false, is_inlined: false })
    };
    let last_scope = module.scopes.iter().map(|scope| scope.id).max().unwrap_or(0);
    for ((&id, place), scope) in functions.iter().zip(places).zip(last_scope + 1..) {
        let Function { name, ty, .. } = module.functions[id];
        let parent = Some(ScopeParent::Function(name, ty));
        module.scopes.push(Scope { id: scope, loc: at(place.start), parent, inlined_at: None });
        let Some(body) = &mut module.functions[id].body else { continue };
        let insts: Vec<Inst> = body.insts().collect();
        for (&inst, &line) in insts.iter().zip(&place.insts) {
            if is_variable(body, inst) {
                body.edit().remove(inst);
            } else {
                let loc = body.edit().new_loc(LocData { source: at(line), scope });
                body.edit().set_loc(inst, loc);
            }
        }
    }
}

fn is_variable(body: &Body, inst: Inst) -> bool {
    body.inst(inst).opcode == Opcode::DebugValue
}

#[cfg(test)]
mod tests {
    use super::MOST_LINES;
    use crate::PASSES;
    use silkit_ir::{Module, Opcode};
    use silkit_pass::PassOutcome;
    use silkit_pass::testing;
    use std::fmt::Write;

    /// Returns a module with two functions between declarations, and many more.
    fn module(more: usize) -> String {
        let mut text = String::from(
            "sil_stage canonical\nimport Builtin\n\
             sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 }\n\
             sil @g : $@convention(thin) () -> ()\n\
             sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {\n\
             bb0(%0 : $Builtin.Int64):\n  debug_value %0, let, name \"x\", loc \"a.swift\":1:8, scope 1\n  \
             br bb1, loc \"a.swift\":2:3, scope 1\nbb1:\n  return %0, loc \"a.swift\":3:3, scope 1\n}\n\
             sil @h : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n",
        );
        for number in 0..more {
            let _ = writeln!(
                text,
                "sil @n{number} : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n  return %0\n}}"
            );
        }
        text
    }

    fn run(options: &[&str], text: &str) -> (Module, PassOutcome) {
        testing::run(|tag| PASSES.find(tag), "sil-debuginfo-gen", options, text)
    }

    /// Checks that each instruction has the location of its line.
    fn check(module: &Module, files: &[(&str, &str)]) {
        for function in module.functions.values() {
            let Some(body) = &function.body else { continue };
            let scope = module.scopes.iter().find(|scope| match &scope.parent {
                Some(silkit_ir::ScopeParent::Function(name, _)) => {
                    *name == function.name
                        && scope.loc.is_some_and(|at| at.file.is_some_and(|f| f != "a.swift"))
                }
                _ => false,
            });
            let scope = scope.expect("a scope");
            for inst in body.insts() {
                let at = body.loc(body.inst(inst).loc).expect("a location");
                let source = at.source.expect("a source location");
                let (_, text) =
                    files.iter().find(|(path, _)| source.file.is_some_and(|f| f == *path)).expect("a file");
                let line = text.lines().nth(source.line as usize - 1).expect("a line").trim_start();
                let opcode = body.inst(inst).opcode;
                let code = line.split_once(" = ").map_or(line, |(_, code)| code);
                assert!(code.starts_with(opcode.info().name), "{line}");
                assert_eq!((source.column, at.scope), (1, scope.id), "{line}");
                assert_ne!(opcode, Opcode::DebugValue);
            }
        }
    }

    #[test]
    fn instructions_get_the_locations_of_their_lines() {
        let (module, outcome) = run(&["sil-based-debuginfo=out/a"], &module(0));
        let files: Vec<(&str, &str)> = outcome.output.files().collect();
        let [(path, text)] = files[..] else { panic!("{files:?}") };
        assert_eq!(path, "out/a.sil_dbg_0.sil");
        // The text is that before the change, without the head and the declarations.
        assert!(
            text.starts_with("sil_scope 1 ") && text.contains("debug_value") && !text.contains("@g"),
            "{text}"
        );
        check(&module, &files);
    }

    #[test]
    fn long_files_are_divided_between_functions() {
        let (module, outcome) = run(&["sil-based-debuginfo=a"], &module(MOST_LINES / 4));
        let files: Vec<(&str, &str)> = outcome.output.files().collect();
        assert!(files.len() > 2 && files[1].0 == "a.sil_dbg_1.sil", "{}", files.len());
        for (_, text) in &files[..files.len() - 1] {
            let count = text.lines().filter(|line| !line.is_empty()).count();
            assert!(text.lines().count() > MOST_LINES && count < MOST_LINES + 20, "{count}");
            assert_eq!(text.matches("} // end").count(), text.matches("\nsil ").count());
        }
        check(&module, &files);
    }

    #[test]
    fn without_a_name_nothing_changes() {
        let (changed, outcome) = run(&[], &module(0));
        assert_eq!(outcome.output.files().count(), 0);
        assert_eq!(changed.scopes.len(), 1);
    }
}
