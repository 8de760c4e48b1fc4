//! The help of `silkit opt`, generated from the table of its options.

use super::{Group, OptOption, OptionValue, of_passes, plain, reference, table};
use crate::opt::printers::PRINTERS;
use crate::wrap;
use clap::{Arg, ArgAction};
use silkit::pass::OptionType;
use silkit::passes;
use std::fmt::Write;

const HEAD: &str = "\
Read SIL, run passes on it, and print it, with the options of sil-opt

Usage: silkit opt [OPTIONS] [FILE]...

Without FILE, or if FILE is `-`, standard input is read. Options begin with one dash or two; a \
value follows after `=` or as the next argument. `-Xllvm` may precede an option.
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

/// The maximum length of a line of the help, in characters.
const WIDTH: usize = 100;
/// The column at which the description of an option begins.
const COLUMN: usize = 30;
/// The value of `COLUMN` for terminals narrower than `NARROW` columns.
const NARROW_COLUMN: usize = 10;
const NARROW: usize = 70;

/// A builder for the help text, wrapped to a width.
struct HelpText {
    out: String,
    width: usize,
    column: usize,
}

/// Returns the help, wrapped to the width of the terminal; `hidden` adds the options that are rejected.
pub(crate) fn help(hidden: bool) -> String {
    let terminal = console::Term::stdout();
    let columns = if terminal.is_term() { usize::from(terminal.size().1) } else { WIDTH };
    help_of_width(hidden, columns)
}

fn help_of_width(hidden: bool, columns: usize) -> String {
    let width = columns.clamp(2 * NARROW_COLUMN, WIDTH);
    let column = if width < NARROW { NARROW_COLUMN } else { COLUMN };
    let mut text = HelpText { out: String::new(), width, column };
    HEAD.lines().for_each(|line| text.wrap(String::new(), line.split(' '), 0));
    for group in table::GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text.out, "\n{}:", group.title);
        if group.title == "Passes" {
            text.entry("-TAG", "Run the pass with this tag; several run in order (`silkit opt --list`)");
        }
        group.options.iter().for_each(|option| text.entry(&spelling(option), option.help));
        if group.title == "Passes" {
            text.of_passes();
            for printer in PRINTERS {
                text.entry(&format!("-{}", printer.name), printer.summary);
            }
        }
    }
    text.heading("Options of sil-opt that are accepted and have no effect here:");
    for inert in reference::INERT {
        let names = inert.names().map(|name| format!("-{name}"));
        text.paragraph(inert.reason, names);
    }
    if hidden {
        text.heading("Options of sil-opt that are rejected:");
        for refused in reference::REFUSED {
            text.paragraph(refused.reason, refused.options.iter().map(|name| format!("-{name}")));
        }
    } else {
        let line = "-help-hidden also lists the options of sil-opt that are rejected, with the reason.";
        text.out.push('\n');
        text.wrap(String::new(), line.split(' '), 0);
    }
    text.out + &wrap::fitted(TAIL, Some(width))
}

fn spelling(option: &OptOption) -> String {
    match option.takes {
        OptionValue::Nothing => option.name.to_owned(),
        OptionValue::Choice(words) => format!("{}[={}]", option.name, words.join("|")),
        OptionValue::Value(meta, _) => format!("{} {meta}", option.name),
    }
}

impl HelpText {
    /// Begins a group of options.
    fn heading(&mut self, title: &str) {
        self.out.push('\n');
        self.wrap(String::new(), title.split(' '), 0);
    }

    /// Adds the pass options, each with the passes that read it.
    fn of_passes(&mut self) {
        for option in of_passes() {
            let readers: Vec<&str> = passes::all()
                .iter()
                .filter(|pass| pass.options.contains(&option))
                .map(|pass| pass.tag)
                .collect();
            let name = match option.value {
                OptionType::Switch => format!("-{}", option.name),
                OptionType::Number => format!("-{} N", option.name),
                OptionType::Text => format!("-{} VALUE", option.name),
            };
            let default = match option.default {
                "" | "false" => String::new(),
                default => format!(" (default: {default})"),
            };
            self.entry(&name, &format!("{}{default}; used by {}", option.help, readers.join(", ")));
        }
    }

    /// Adds an option and its description, which is wrapped from `self.column` on.
    fn entry(&mut self, name: &str, help: &str) {
        let mut line = format!("  {name}");
        if line.chars().count() + 2 > self.column {
            self.out.push_str(&line);
            self.out.push('\n');
            line.clear();
        }
        let padding = self.column - line.chars().count();
        line.extend(std::iter::repeat_n(' ', padding));
        self.wrap(line, help.split(' '), self.column);
    }

    /// Adds a reason, followed by the names to which it applies.
    fn paragraph(&mut self, reason: &str, names: impl Iterator<Item = String>) {
        self.wrap("  ".to_owned(), format!("({reason})").split(' '), 2);
        let names: Vec<String> = names.collect();
        self.wrap("    ".to_owned(), names.iter().map(String::as_str), 4);
    }

    /// Appends words to the start of a line, with wrapping; continuation lines are indented by `indent`.
    fn wrap<'w>(&mut self, mut line: String, words: impl Iterator<Item = &'w str>, indent: usize) {
        let mut is_first = true;
        for word in words {
            if !is_first && line.chars().count() + 1 + word.chars().count() > self.width {
                self.out.push_str(line.trim_end());
                self.out.push('\n');
                line = " ".repeat(indent);
                is_first = true;
            }
            if !is_first {
                line.push(' ');
            }
            line.push_str(word);
            is_first = false;
        }
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

/// Returns the options as clap arguments, for the manual page.
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

/// The options that `opt` shares with all commands.
const INHERITED: &[&str] = &["j", "threads", "h", "help", "color", "version", "q", "quiet"];

/// A completion candidate after `silkit opt`: an option with its dashes, value and help.
pub(crate) struct KnownWord {
    /// The option, as written on the command line.
    pub(crate) name: String,
    /// The placeholder for the value; empty if the option takes none.
    pub(crate) meta: &'static str,
    /// The possible values.
    pub(crate) words: &'static [&'static str],
    /// The description.
    pub(crate) help: String,
}

/// Returns all options and pass tags for shell completion.
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
    let of_passes = of_passes().map(|option| word(option.name, option.help));
    let mut all: Vec<KnownWord> = options.chain(tags).chain(printers).chain(of_passes).collect();
    all.sort_by(|a, b| plain(&a.name).cmp(plain(&b.name)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_fits_the_terminal() {
        for (columns, column) in [(40, NARROW_COLUMN), (80, COLUMN), (200, COLUMN)] {
            let text = help_of_width(true, columns);
            let (body, tail) = text.split_once("\nExit status:").expect("the end");
            assert!(tail.lines().all(|line| line.chars().count() <= columns.min(WIDTH)), "{tail}");
            let is_wrapped =
                |line: &&str| line.trim_start().contains(' ') && line.starts_with(&" ".repeat(column));
            let longest = body.lines().filter(is_wrapped).map(|line| line.chars().count()).max();
            assert!(longest.is_some_and(|longest| longest <= columns.min(WIDTH)), "{columns}: {longest:?}");
        }
    }
}
