//! Prose for terminals: paragraphs are wrapped to the width of the terminal.

use textwrap::{Options, WordSeparator, WordSplitter};

/// The maximum width of prose in columns, and its width where standard output is not a terminal.
const WIDEST: usize = 100;

/// The minimum width of prose in columns.
const NARROWEST: usize = 20;

/// Wraps prose to the width of the terminal. Indented lines and tables are kept.
pub(crate) fn prose(text: &str) -> String {
    wrapped(text, terminal_width().unwrap_or(WIDEST).min(WIDEST))
}

/// Returns the width of the terminal that standard output is; `None` if it is not one.
pub(crate) fn terminal_width() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_, width)| usize::from(width).max(NARROWEST))
}

/// Returns the width of the terminal that standard error is; `None` if it is not one.
pub(crate) fn error_width() -> Option<usize> {
    console::Term::stderr().size_checked().map(|(_, width)| usize::from(width).max(NARROWEST))
}

/// Wraps text to a width in columns, indented.
pub(crate) fn indented(text: &str, width: usize) -> String {
    textwrap::fill(text, whole_words(width, "    ").initial_indent("    "))
}

/// Wraps the lines of a text that are wider than a terminal of `width` columns, and indents what follows. Text for anything but a
/// terminal (`None`) is kept.
pub(crate) fn fitted(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let line = |line: &str| {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        if textwrap::core::display_width(content) <= width {
            return line.to_owned();
        }
        let indent = " ".repeat(content.len() - content.trim_start().len());
        let options = whole_words(width, "").initial_indent(&indent);
        let further = format!("{indent}  ");
        textwrap::fill(content.trim_start(), options.subsequent_indent(&further)) + end
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Returns a list of names with their summaries, one each line. On a terminal, summaries are wrapped within their column, or
/// below their names if the terminal is too narrow for two columns.
pub(crate) fn listing<'a>(rows: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    columns(rows, terminal_width())
}

/// Returns true if a list shows summaries beside their names, whose column has the given width.
pub(crate) fn has_room_beside(names: usize) -> bool {
    terminal_width().is_none_or(|width| width >= names + 2 + COLUMN)
}

/// The minimum width of summaries beside their names.
const COLUMN: usize = 36;

fn columns<'a>(rows: impl Iterator<Item = (&'a str, &'a str)> + Clone, width: Option<usize>) -> String {
    let names = rows.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, summary) in rows {
        let Some(width) = width else {
            text += &format!("{name:names$}  {summary}\n");
            continue;
        };
        let is_beside = width >= names + 2 + COLUMN;
        let indent = " ".repeat(if is_beside { names + 2 } else { 4 });
        let first = if is_beside { format!("{name:names$}  ") } else { indent.clone() };
        let lines = textwrap::wrap(summary, whole_words(width, &indent).initial_indent(&first));
        if !is_beside {
            text += &format!("{name}\n");
        }
        text += &(lines.join("\n") + "\n");
    }
    text
}

/// Returns the options to wrap text without breaking words.
fn whole_words(width: usize, indent: &str) -> Options<'_> {
    Options::new(width)
        .subsequent_indent(indent)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
}

/// Wraps prose to a width in columns. The items of a list begin with `- `, and its further lines with two spaces.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut paragraph = String::new();
    let end = |paragraph: &mut String, lines: &mut Vec<String>| {
        let indent = if paragraph.starts_with("- ") { "  " } else { "" };
        if !paragraph.is_empty() {
            lines.extend(textwrap::wrap(paragraph, whole_words(width, indent)).into_iter().map(Into::into));
            paragraph.clear();
        }
    };
    for line in text.lines() {
        let continues_item = paragraph.starts_with("- ") && line.starts_with("  ");
        let is_kept = !continues_item && (line.is_empty() || line.starts_with([' ', '\t', '|']));
        if is_kept || line.starts_with("- ") {
            end(&mut paragraph, &mut lines);
        }
        if is_kept {
            lines.push(line.to_owned());
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line.trim_start());
    }
    end(&mut paragraph, &mut lines);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{columns, fitted, wrapped};

    #[test]
    fn only_lines_that_do_not_fit_are_wrapped() {
        let text = "short\n  a line of several words\n\x1b[1ma bold line\x1b[0m";
        assert_eq!(fitted(text, None), text);
        let narrow = "short\n  a line of\n    several\n    words\n\x1b[1ma bold line\x1b[0m";
        assert_eq!(fitted(text, Some(12)), narrow);
    }

    #[test]
    fn summaries_go_below_their_names_where_there_is_no_room_beside() {
        let rows = [("dce", "Eliminates dead instructions and branches"), ("mem2reg", "Promotes memory")];
        let shown = |width| columns(rows.into_iter(), width);
        let long = "dce      Eliminates dead instructions and branches\nmem2reg  Promotes memory\n";
        assert_eq!(shown(None), long);
        assert_eq!(shown(Some(80)), long);
        let wrapped =
            "dce      Eliminates dead instructions and\n         branches\nmem2reg  Promotes memory\n";
        assert_eq!(shown(Some(46)), wrapped);
        let below =
            "dce\n    Eliminates dead\n    instructions and\n    branches\nmem2reg\n    Promotes memory\n";
        assert_eq!(shown(Some(20)), below);
    }

    #[test]
    fn paragraphs_are_joined_and_wrapped() {
        assert_eq!(wrapped("one two\nthree four five\n\nsix", 10), "one two\nthree four\nfive\n\nsix");
        // A word that is longer than a line is not broken.
        assert_eq!(
            wrapped("a unchecked_take_enum_data_addr b-c", 10),
            "a\nunchecked_take_enum_data_addr\nb-c"
        );
    }

    #[test]
    fn items_of_a_list_are_indented() {
        let list = "Flags:\n- `a`: first of\n  them all\n- `b`: second";
        assert_eq!(wrapped(list, 12), "Flags:\n- `a`: first\n  of them\n  all\n- `b`:\n  second");
    }

    #[test]
    fn code_and_tables_are_kept() {
        let code = "so:\n  %1 = long_instruction %0\n| a | b and c |\nand";
        assert_eq!(wrapped(code, 8), code);
    }
}
