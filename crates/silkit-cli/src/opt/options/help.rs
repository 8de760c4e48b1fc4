//! The help of `silkit opt`, generated from the table of its options.

use super::{Group, OptOption, OptionValue, plain, reference, table};
use crate::opt::printers::PRINTERS;
use clap::{Arg, ArgAction};
use silkit::passes;
use std::fmt::Write;

const HEAD: &str = "\
Read SIL, run passes on it, and print it, with the options of sil-opt

Usage: silkit opt [OPTIONS] [FILE]...

Without FILE, or where FILE is `-`, standard input is read. Options begin with one dash or two; a
value follows after `=` or as the next argument. `-Xllvm` may stand before an option.
";

const TAIL: &str = "
Exit status: 0 on success, 1 if errors were found in the SIL, 2 if the command could not run.
Invoked through a link named sil-opt: 1 for both.

Examples:
  silkit opt examples/shapes.raw.sil
  silkit opt -mem2reg -dce examples/shapes.raw.sil -o out.sil
  silkit opt --passes 'function(mem2reg,dce*)' --time-passes -o out.sil examples/shapes.raw.sil
  swiftc -emit-silgen examples/shapes.swift | silkit opt -emit-sorted-sil -
";

/// Lines of the help are at most so long, in characters.
const WIDTH: usize = 100;
/// The column at which the help of an option begins.
const COLUMN: usize = 30;

/// Returns the help; `hidden` adds what is refused.
pub(crate) fn help(hidden: bool) -> String {
    let mut out = HEAD.to_owned();
    for group in table::GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n{}:", group.title);
        if group.title == "Passes" {
            entry(&mut out, "-TAG", "Run the pass with this tag; several run in order (`silkit opt --list`)");
        }
        group.options.iter().for_each(|option| entry(&mut out, &spelling(option), option.help));
        if group.title == "Passes" {
            of_passes(&mut out);
            for printer in PRINTERS {
                entry(&mut out, &format!("-{}", printer.name), printer.summary);
            }
        }
    }
    out.push_str("\nOptions of sil-opt that are accepted and have no effect here:\n");
    for inert in reference::INERT {
        let names = inert.names().map(|name| format!("-{name}"));
        paragraph(&mut out, inert.reason, names);
    }
    if hidden {
        out.push_str("\nOptions of sil-opt that are refused:\n");
        for refused in reference::REFUSED {
            paragraph(&mut out, refused.reason, refused.options.iter().map(|name| format!("-{name}")));
        }
    } else {
        out.push_str(
            "\n-help-hidden also lists the options of sil-opt that are rejected, with the reason.\n",
        );
    }
    out + TAIL
}

/// The options that passes read, each with the passes that read it.
fn of_passes(out: &mut String) {
    let mut names: Vec<&str> = passes::all().iter().flat_map(|pass| pass.options).copied().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let readers: Vec<&str> =
            passes::all().iter().filter(|pass| pass.options.contains(&name)).map(|pass| pass.tag).collect();
        entry(out, &format!("-{name}"), &format!("Used by {}", readers.join(", ")));
    }
}

fn spelling(option: &OptOption) -> String {
    match option.takes {
        OptionValue::Nothing => option.name.to_owned(),
        OptionValue::Choice(words) => format!("{}[={}]", option.name, words.join("|")),
        OptionValue::Value(meta, _) => format!("{} {meta}", option.name),
    }
}

/// An option and its help, wrapped after a column.
fn entry(out: &mut String, name: &str, help: &str) {
    let mut line = format!("  {name}");
    if line.chars().count() + 2 > COLUMN {
        out.push_str(&line);
        out.push('\n');
        line.clear();
    }
    let padding = COLUMN - line.chars().count();
    line.extend(std::iter::repeat_n(' ', padding));
    wrap(out, line, help.split(' '), COLUMN);
}

/// A reason, and below it the names that it is about.
fn paragraph(out: &mut String, reason: &str, names: impl Iterator<Item = String>) {
    wrap(out, "  ".to_owned(), format!("({reason})").split(' '), 2);
    let names: Vec<String> = names.collect();
    wrap(out, "    ".to_owned(), names.iter().map(String::as_str), 4);
}

fn wrap<'w>(out: &mut String, mut line: String, words: impl Iterator<Item = &'w str>, indent: usize) {
    let mut is_first = true;
    for word in words {
        if !is_first && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(indent);
            is_first = true;
        }
        if !is_first {
            line.push(' ');
        }
        line.push_str(word);
        is_first = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Returns the options as arguments of a command, for its manual page.
pub(crate) fn manual_arguments() -> Vec<Arg> {
    let option = |group: &'static str, option: &OptOption| {
        let name = plain(option.name).to_owned();
        let arg = Arg::new(name.clone()).help(option.help).help_heading(group).action(ArgAction::SetTrue);
        let mut letters = name.chars();
        let arg = match (letters.next(), letters.next()) {
            (Some(letter), None) => arg.short(letter),
            _ => arg.long(name),
        };
        match option.takes {
            OptionValue::Nothing => arg,
            OptionValue::Choice(words) => {
                arg.action(ArgAction::Set).num_args(0..=1).value_name(words.join("|"))
            }
            OptionValue::Value(meta, _) => arg.action(ArgAction::Set).value_name(meta),
        }
    };
    let is_own = |option: &&OptOption| !INHERITED.contains(&plain(option.name));
    let of_group = |group: &'static Group| {
        group.options.iter().filter(is_own).map(move |declared| option(group.title, declared))
    };
    table::GROUPS.iter().flat_map(of_group).collect()
}

/// The options that all commands have.
const INHERITED: &[&str] = &["j", "h", "help", "color", "version"];

/// A word that a shell may complete after `silkit opt`: the option with its dashes, what it takes, and its help.
pub(crate) struct KnownWord {
    /// The option, as it is written.
    pub(crate) name: String,
    /// The placeholder for its value, or nothing.
    pub(crate) meta: &'static str,
    /// The words that its value may be.
    pub(crate) words: &'static [&'static str],
    /// The help.
    pub(crate) help: String,
}

/// Returns all options and tags that a shell may complete.
pub(crate) fn known_words() -> Vec<KnownWord> {
    let options = table::GROUPS.iter().flat_map(|group| group.options).map(|option| {
        let (meta, words): (_, &[&str]) = match option.takes {
            OptionValue::Nothing => ("", &[]),
            OptionValue::Choice(words) => ("", words),
            OptionValue::Value(meta, words) => (meta, words),
        };
        KnownWord { name: option.name.to_owned(), meta, words, help: option.help.to_owned() }
    });
    let word = |name: &str, help: &str| KnownWord {
        name: format!("-{name}"),
        meta: "",
        words: &[],
        help: help.to_owned(),
    };
    let tags = passes::all().iter().map(|pass| word(pass.tag, pass.summary));
    let printers = PRINTERS.iter().map(|printer| word(printer.name, printer.summary));
    let mut of_passes: Vec<&str> = passes::all().iter().flat_map(|pass| pass.options).copied().collect();
    of_passes.sort_unstable();
    of_passes.dedup();
    let of_passes = of_passes.into_iter().map(|name| word(name, "Pass option"));
    let mut all: Vec<KnownWord> = options.chain(tags).chain(printers).chain(of_passes).collect();
    all.sort_by(|a, b| plain(&a.name).cmp(plain(&b.name)));
    all
}
