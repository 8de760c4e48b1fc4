//! What reading and printing cost grows as the text does, whatever its shape: functions, and the declarations and comments
//! between them.

use silkit_testkit::growth::{Scenario, check};
use silkit_text::{PrintOptions, parse_module, print_module};
use std::fmt::Write;
use std::hint::black_box;

fn read(text: String) -> Box<dyn FnOnce()> {
    Box::new(move || {
        let parsed = parse_module(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
        black_box(parsed);
    })
}

/// Returns a text of so many pieces.
fn pieces(n: usize, piece: &str) -> String {
    let mut text = String::from("sil_stage canonical\nimport Builtin\nimport Swift\n");
    (0..n).for_each(|i| _ = writeln!(text, "{}", piece.replace('#', &i.to_string())));
    text
}

fn readings() -> Vec<(&'static str, Scenario)> {
    vec![
        ("declarations in a row", |n| read(pieces(n, "struct S# { var x: Builtin.Int64 }"))),
        ("declarations between functions", |n| {
            read(pieces(n, "protocol P# { func f() }\nsil @f# : $@convention(thin) () -> ()"))
        }),
        ("declarations with comments", |n| {
            read(pieces(
                n,
                "// one\n/* two */\n/// three\nclass C# {}\n// four\nsil @f# : $@convention(thin) () -> ()",
            ))
        }),
        ("comments alone", |n| read(pieces(n, "// a comment # of a line"))),
        ("comments in one declaration", |n| {
            read(format!(
                "class C {{\n{}}}\n",
                "  // a comment\n  var x#: Builtin.Int64\n".repeat(n).replace("x#", "x")
            ))
        }),
        ("members of one declaration", |n| {
            let members: String = (0..n).map(|i| format!("  var x{i}: Builtin.Int64\n")).collect();
            read(format!("import Builtin\nstruct S {{\n{members}}}\n"))
        }),
        ("functions", |n| {
            read(pieces(n, "sil @f# : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}"))
        }),
        ("blocks of one function", |n| {
            let mut text = String::from("sil @f : $@convention(thin) () -> () {\nbb0:\n  br bb1\n");
            (1..=n).for_each(|i| _ = writeln!(text, "bb{i}:\n  br bb{}", i + 1));
            _ = write!(text, "bb{}:\n  %0 = tuple ()\n  return %0\n}}\n", n + 1);
            read(text)
        }),
        ("instructions of one block, each used by the next", |n| {
            let mut text = String::from(
                "import Builtin\nsil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {\nbb0(%0 : $Builtin.Int64):\n",
            );
            (1..=n).for_each(|i| _ = writeln!(text, "  %{i} = copy_value %{}", i - 1));
            _ = write!(text, "  return %{n}\n}}\n");
            read(text)
        }),
        ("globals and tables", |n| {
            read(pieces(n, "class C# {}\nsil_global @g# : $Builtin.Int64\nsil_vtable C# {\n}"))
        }),
        ("debug scopes", |n| {
            let scope = "sil_scope 1# { loc \"a.swift\":1:1 parent @f# : $@convention(thin) () -> () }\nsil @f# : $@convention(thin) () -> () {\n\
                bb0:\n  %0 = tuple (), loc \"a.swift\":1:2, scope 1#\n  return %0, loc \"a.swift\":1:3, scope 1#\n}";
            read(pieces(n, scope))
        }),
        ("errors in a row", |n| {
            let text =
                pieces(n, "sil @f# : $@convention(thin) () -> () {\nbb0:\n  %0 = tupel ()\n  return %0\n}");
            Box::new(move || assert!(!parse_module(&text).errors.is_empty()))
        }),
    ]
}

fn printings() -> Vec<(&'static str, Scenario)> {
    fn print(text: &str) -> Box<dyn FnOnce()> {
        let parsed = parse_module(text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
        Box::new(move || _ = black_box(print_module(&parsed.module, &PrintOptions::default(), &|_| None)))
    }
    vec![
        ("functions", |n| {
            print(&pieces(
                n,
                "sil @f# : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}",
            ))
        }),
        ("uses of one value", |n| {
            let uses = "  fix_lifetime %0\n".repeat(n);
            print(&format!(
                "import Builtin\nsil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {{\nbb0(%0 : $Builtin.Int64):\n\
                 {uses}  return %0\n}}\n"
            ))
        }),
        ("predecessors of one block", |n| {
            let mut text = String::from(
                "import Builtin\nsil @f : $@convention(thin) (Builtin.Int1) -> () {\nbb0(%0 : $Builtin.Int1):\n  br bb1\n",
            );
            (1..=n).for_each(|i| {
                _ = writeln!(text, "bb{i}:\n  cond_br %0, bb{}, last{i}\nlast{i}:\n  br end", i + 1)
            });
            _ = write!(text, "bb{}:\n  br end\nend:\n  %r = tuple ()\n  return %r\n}}\n", n + 1);
            print(&text)
        }),
    ]
}

// One test: what runs at once would be measured, too.
#[test]
fn costs_grow_as_the_text() {
    let mut wrong = Vec::new();
    for (what, scenarios) in [("reading", readings()), ("printing", printings())] {
        for (name, scenario) in scenarios {
            if let Err(times) = check(2_000, scenario) {
                wrong.push(format!("{what} {name}: {times:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
