//! Every byte of a text is read, reported or kept.

use silkit_testkit::mutate::{SPOILER, spoil, token_starts};
use silkit_text::{ParsedModule, PrintOptions, SourceEntity, format_module, parse_module, print_module};

const HEADER: &str = "sil @f : $@convention(thin) () -> () {";

fn errors(text: &str) -> Vec<String> {
    parse_module(text).errors.iter().map(|e| e.message.to_string()).collect()
}

fn print(parsed: &ParsedModule) -> String {
    print_module(&parsed.module, &PrintOptions::default(), &|_| None)
}

/// Checks the property on an accepted text, spoiling every `step`th token.
fn check(name: &str, text: &str, step: usize) {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{name}: {:?}", parsed.errors.first());
    let starts = token_starts(text);
    let mut entities = parsed.source_map.entities().iter().peekable();
    for (number, &at) in starts.iter().enumerate() {
        while entities.next_if(|p| (p.range.end as usize) <= at).is_some() {}
        let enclosing = entities.peek().filter(|p| (p.range.start as usize) <= at);
        let place = text[at..].lines().next().unwrap_or_default();
        let enclosing = enclosing.unwrap_or_else(|| panic!("{name}: in no entity: {place:?}"));
        match enclosing.entity {
            SourceEntity::Swift(i) => {
                let kept = &text[enclosing.range.as_usize()];
                assert_eq!(&*parsed.module.swift[i].text, kept.trim_end(), "{name}");
            }
            _ if number % step == 0 => {
                let spoiled = parse_module(&spoil(text, at));
                let is_kept = || print(&spoiled).contains(SPOILER.trim());
                assert!(
                    !spoiled.errors.is_empty() || is_kept(),
                    "{name}: nobody reads what is before {place:?}"
                );
            }
            _ => {}
        }
    }
}

#[test]
fn a_body_ends_where_its_braces_end() {
    let ends = [
        "\nbb0:\n  unreachable\n}",
        "\nbb0:\n  unreachable\n }",
        "\nbb0:\n  unreachable\n\t}",
        "\nbb0:\n  unreachable }",
        "\nbb0:\n  unreachable\n/* } */ }",
        "\nbb0:\n  unreachable /* {\n}\n*/\n}",
        "\nbb0:\n// }\n  unreachable // {\n}",
        "\n// {\n//}\nbb0:\n  unreachable\n}",
        " bb0: unreachable }",
        " // }\nbb0:\n  unreachable }",
        "\nbb0:\n  %0 = string_literal utf8 \"}\"\n  unreachable }",
        "\nbb0:\n  %0 = string_literal utf8 \"\\\"}\"\n  unreachable }",
        "\nbb0:\n  %0 = string_literal utf8 \"/*\"\n  unreachable\n}",
        "\nbb0:\n  %0 = alloc_box ${ var Builtin.Int1 }\n  unreachable\n  }",
        "\nbb0:\n  %0 = alloc_box ${\nvar Builtin.Int1\n}\n  unreachable\n  }",
        "\r\nbb0:\r\n  unreachable\r\n }",
    ];
    let g = "sil_global @g : $Builtin.Int1\nsil @h : $@convention(thin) () -> () {\nbb0:\n  unreachable\n }\nsil @i : $@convention(thin) () -> ()\n";
    for end in ends {
        let text = format!("{HEADER}{end}\n{g}");
        let parsed = parse_module(&text);
        assert!(parsed.errors.is_empty(), "{text}: {:?}", parsed.errors);
        assert_eq!(parsed.module.functions.len(), 3, "{text}");
        assert_eq!(parsed.module.globals.len(), 1, "{text}");
        let formatted = format_module(&text, &PrintOptions::default(), &|_| None).expect(end);
        assert_eq!(parse_module(&formatted).module.functions.len(), 3, "{formatted}");
        check(end, &text, 1);
        // What follows on the same line is read too.
        let text = format!("{HEADER}{end} {g}");
        assert_eq!(parse_module(&text).module.globals.len(), 1, "{text}");
    }
}

#[test]
fn static_initializers_end_where_their_braces_end() {
    let one = "integer_literal $Builtin.Int1, 1";
    for end in ["\n}", " }", "\n  }", " /* } */ }", " // }\n\t}"] {
        let text = format!(
            "sil_global @g : $Builtin.Int1 = {{\n  %initval = {one}{end}\n{HEADER}\nbb0:\n  unreachable\n }}\n"
        );
        let parsed = parse_module(&text);
        assert!(parsed.errors.is_empty(), "{text}: {:?}", parsed.errors);
        assert_eq!(parsed.module.functions.len(), 1, "{text}");
        check(end, &text, 1);
    }
}

#[test]
fn what_is_not_closed_is_reported_once() {
    let message = "unterminated comment: expected `*/`";
    for text in
        ["/* x", "sil_stage raw\n/* /* */", "sil_stage raw // a\n  /*", "struct S {}\n/* }", "import A /* }"]
    {
        assert_eq!(errors(text), [message], "{text}");
    }
    let text = format!("{HEADER}\nbb0:\n  unreachable /* \n}}\n{HEADER}\nbb0:\n");
    assert_eq!(errors(&text), ["unterminated body: expected `}`", message]);
    let text =
        format!("{HEADER}\nbb0:\n  unreachable\n{}\nbb0:\n  unreachable\n}}\n", HEADER.replace("@f", "@g"));
    let parsed = parse_module(&text);
    assert_eq!(errors(&text), ["unterminated body: expected `}`"]);
    assert_eq!(parsed.module.functions.len(), 2);
    // Comments and strings that only look open.
    for text in ["// /*\nsil_stage raw", "/* // */ sil_stage raw", "struct S {} // \"/*\n", "/* /* */\n */"] {
        assert_eq!(errors(text), [""; 0], "{text}");
    }
}

#[test]
fn code_after_a_body_is_reported() {
    for rest in ["}", "bb1:", "%0 = tuple ()", "; junk", "\u{0}"] {
        let text = format!("{HEADER}\nbb0:\n  unreachable\n}}\n{rest}\n");
        assert_ne!(errors(&text), [""; 0], "{text}");
        let text = format!("{HEADER}\nbb0:\n  unreachable\n{rest} junk\n}}\n");
        assert_ne!(errors(&text), [""; 0], "{text}");
    }
}

#[test]
fn commas_at_the_end_of_lists_are_reported() {
    let read = |label: &str, body: &str| {
        let body = format!("{label}:\n{body}\n%r = tuple ()\nreturn %r : $()\n");
        errors(&format!("import Builtin\nsil @f : $@convention(thin) (Builtin.Int64) -> () {{\n{body}}}\n"))
    };
    let entry = "bb0(%0 : $Builtin.Int64)";
    let (thin, two) = ("$@convention(thin) (Builtin.Int64) -> ()", "$(Builtin.Int64, Builtin.Int64)");
    let lists = [
        format!("%f = function_ref @f : {thin}\n%1 = apply %f(%0#) : {thin}"),
        format!("%f = function_ref @f : {thin}\n%1 = partial_apply %f(%0#) : {thin}"),
        "%1 = tuple (%0 : $Builtin.Int64, %0 : $Builtin.Int64#)".into(),
        "br bb1(%0 : $Builtin.Int64#)\nbb1(%1 : $Builtin.Int64):".into(),
        format!("%t = tuple (%0, %0)\n(%1, %2#) = destructure_tuple %t : {two}"),
        "debug_value %0 : $Builtin.Int64, let, (name \"x\"#), name \"y\"".into(),
        "%1 = borrowed %0 : $Builtin.Int64 from (%0 : $Builtin.Int64#)".into(),
    ];
    for list in lists {
        assert_eq!(read(entry, &list.replace('#', "")), Vec::<String>::new(), "{list}");
        assert_ne!(read(entry, &list.replace('#', ",")), Vec::<String>::new(), "{list}");
    }
    assert_eq!(read("bb0(%0 : $Builtin.Int64,)", ""), ["expected a value such as `%0`"]);
    assert!(
        errors(&format!("{HEADER}\nbb0():\nunreachable\n}}"))
            .contains(&"expected a value such as `%0`".into())
    );
    // As in the reference.
    let builtin = "%1 = builtin \"xor_Int64\"(%0 : $Builtin.Int64, %0 : $Builtin.Int64,) : $Builtin.Int64";
    assert_eq!(read(entry, builtin), Vec::<String>::new());
}

#[test]
fn swift_declarations_that_are_not_closed_are_reported() {
    let entity = "sil_stage raw\n";
    for open in
        ["struct S {", "struct S { func f() {", "func f() {", "var x: Int {", "class C { var x = [1, 2\n"]
    {
        assert_ne!(errors(&format!("{open}\n{entity}")), [""; 0], "{open}");
    }
    for closed in [
        "func f() { g(\"}\") }",
        "func f() { g(#\"}\"{\"#) }",
        "func f() { g(\"\\(h(\"}\"))\") }",
        "func f() /* { */ {}",
    ] {
        let text = format!("{closed}\n{entity}");
        let parsed = parse_module(&text);
        assert!(parsed.errors.is_empty(), "{closed}: {:?}", parsed.errors);
        assert!(parsed.module.stage.is_some(), "{closed}");
    }
}

#[test]
fn line_endings_and_the_byte_order_mark_do_not_matter() {
    let text = format!(
        "// first\nsil_stage raw\n\nstruct S {{\n  var x: Builtin.Int1\n}}\n\n// f\n{HEADER}\nbb0:\n  // note\n  %0 = tuple () // unit\n  unreachable\n}}\n"
    );
    let printed = print(&parse_module(&text));
    let formatted = format_module(&text, &PrintOptions::default(), &|_| None).expect("formats");
    let mixed: String = text
        .split_inclusive('\n')
        .enumerate()
        .map(|(i, l)| if i % 2 == 0 { l.replace('\n', "\r\n") } else { l.to_owned() })
        .collect();
    for other in [format!("\u{feff}{text}"), text.replace('\n', "\r\n"), text.replace('\n', "\r"), mixed] {
        assert_eq!(errors(&other), [""; 0], "{other:?}");
        assert_eq!(print(&parse_module(&other)), printed);
        assert_eq!(format_module(&other, &PrintOptions::default(), &|_| None).expect("formats"), formatted);
    }
}

#[test]
fn an_empty_file_stays_empty() {
    assert_eq!(format_module("", &PrintOptions::default(), &|_| None).expect("formats"), "");
}

#[test]
fn every_token_of_the_examples_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for entry in std::fs::read_dir(folder).expect("examples") {
        let path = entry.expect("entry").path();
        if path.extension().is_some_and(|e| e == "sil") {
            let text = std::fs::read_to_string(&path).expect("text");
            check(&path.display().to_string(), &text, text.len() / 600 + 97);
        }
    }
}

#[test]
fn names_of_arguments_in_comments_stay() {
    let text = "class C {\n}\nsil @f : $@convention(thin) (@guaranteed C, @guaranteed C, @guaranteed C) -> () {\n\
        // %0 \"first\"                                   // user: %3\n\
        // %1                                             // user: %4\n\
        // %2 \"unused\"\n\
        bb0(%0 : $C, %1 : $C, %2 : $C):\n\
        \x20 fix_lifetime %0\n\
        \x20 fix_lifetime %1\n\
        \x20 br bb1(%0)\n\
        // %x \"later\"                                   // user: %4\n\
        bb1(%x : $C):\n\
        \x20 fix_lifetime %x\n\
        \x20 unreachable\n}\n";
    let formatted = format_module(text, &PrintOptions::default(), &|_| None).expect("formats");
    let lines = [
        "// %0 \"first\"                                     // users: %5, %3\n\
         // %1                                             // user: %4\n\
         // %2 \"unused\"\n\
         bb0(",
        "// %6 \"later\"                                     // user: %7\n",
    ];
    for line in lines {
        assert!(formatted.contains(line), "no {line:?} in\n{formatted}");
    }
    assert_eq!(format_module(&formatted, &PrintOptions::default(), &|_| None).expect("formats"), formatted);
}
