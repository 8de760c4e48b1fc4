//! Prose for terminals: paragraphs are wrapped to the width of the terminal.

use textwrap::{Options, WordSeparator, WordSplitter};

/// The maximum width of prose in columns, and its width where standard output is not a terminal.
const WIDEST: usize = 100;

/// The minimum width of prose in columns.
const NARROWEST: usize = 20;

/// Wraps prose to the width of the terminal. Indented lines and tables are kept.
pub(crate) fn prose(text: &str) -> String {
    let size = console::Term::stdout().size_checked();
    let width = size.map_or(WIDEST, |(_, width)| usize::from(width));
    wrapped(text, width.clamp(NARROWEST, WIDEST))
}

/// Wraps prose to a width in columns. The items of a list begin with `- `, and its further lines with two spaces.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut paragraph = String::new();
    let end = |paragraph: &mut String, lines: &mut Vec<String>| {
        let indent = if paragraph.starts_with("- ") { "  " } else { "" };
        let options = Options::new(width)
            .subsequent_indent(indent)
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        if !paragraph.is_empty() {
            lines.extend(textwrap::wrap(paragraph, options).into_iter().map(Into::into));
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
    use super::wrapped;

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
