//! The formatter: canonical printing that keeps comments and the order of entities.
//!
//! Every entity is printed by the printer; the comments of the source are then inserted at the printed lines of their
//! code. Generated comments (users, predecessors, demangled names) come from the printer.

mod body;
mod comments;

use crate::error::SyntaxError;
use crate::line_endings::{BYTE_ORDER_MARK, with_line_feeds};
use crate::module::{ParsedModule, parse_module, print_entity, print_module};
use crate::options::PrintOptions;
use crate::printer::{Demangle, Out, Shared, width};
use crate::source_map::SourceEntity;
use comments::Comment;
pub use comments::without_printed_comment;
use rayon::prelude::*;
use silkit_base::TextRange;
use std::collections::HashMap;

/// Formats a text: prints it in canonical form, with its comments.
///
/// ```
/// let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  // nothing\n  %x = tuple () // unit\n  return %x : $()\n}\n";
/// let formatted = silkit_text::format_module(text, &Default::default(), &|_| None).unwrap();
/// assert!(formatted.contains("  // nothing\n  %0 = tuple ()                                   // user: %1 // unit\n"));
/// ```
///
/// # Errors
/// Returns all errors of the text if it has any.
pub fn format_module(
    text: &str,
    options: &PrintOptions,
    demangle: &Demangle,
) -> Result<String, Vec<SyntaxError>> {
    formatted(text, options, demangle).map(|(formatted, _)| formatted)
}

/// Formats a text ([`format_module`]) and reads the result: returns `None` if it is not the same SIL.
///
/// # Errors
/// Returns all errors of the text if it has any.
pub fn format_module_checked(
    text: &str,
    options: &PrintOptions,
    demangle: &Demangle,
) -> Result<Option<String>, Vec<SyntaxError>> {
    let (formatted, before) = formatted(text, options, demangle)?;
    if formatted == text {
        return Ok(Some(formatted));
    }
    let after = parse_module(&formatted);
    if !after.errors.is_empty() {
        return Ok(None);
    }
    let options = PrintOptions { keep_locations: true, ..PrintOptions::default() };
    // Names in comments follow from the symbols.
    let print = |parsed: &ParsedModule| print_module(&parsed.module, &options, &|_| None);
    let (printed_before, printed_after) = rayon::join(|| print(&before), || print(&after));
    Ok((printed_before == printed_after).then_some(formatted))
}

/// Returns a text in canonical form, and what was read from it.
fn formatted(
    text: &str,
    options: &PrintOptions,
    demangle: &Demangle,
) -> Result<(String, ParsedModule), Vec<SyntaxError>> {
    let given = text;
    let text = &*with_line_feeds(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
    let parsed = parse_module(text);
    if !parsed.errors.is_empty() {
        // The offsets of errors refer to the given text.
        return Err(parse_module(given).errors);
    }
    let whole = format_parsed(text, &parsed, options, demangle);
    Ok((whole, parsed))
}

/// Prints a module in canonical form, with the comments of its text.
fn format_parsed(text: &str, parsed: &ParsedModule, options: &PrintOptions, demangle: &Demangle) -> String {
    let swift: Vec<TextRange> = parsed
        .source_map
        .entities
        .iter()
        .filter(|p| matches!(p.entity, SourceEntity::Swift(_)))
        .map(|p| p.range)
        .collect();
    let comments = comments::find(text, &swift);
    let places = parsed.source_map.entities.iter().map(|p| code_range(text, &comments, p.range)).collect();
    let shared = Shared::of_whole(&parsed.module, None, demangle);
    let formatter = Formatter { text, parsed, places, comments: &comments, options };
    let pieces: Vec<String> = (0..parsed.source_map.entities.len())
        .into_par_iter()
        .map_init(|| Out::new(&shared), |out, index| formatter.entity(index, out))
        .collect();
    let mut whole = pieces.concat();
    let tail = formatter.block(formatter.gap_after_last());
    whole.truncate(whole.trim_end().len());
    if !tail.is_empty() {
        whole.push_str(if whole.is_empty() { "" } else { "\n\n" });
        whole.push_str(&tail.join("\n"));
    }
    if !whole.is_empty() {
        whole.push('\n');
    }
    whole
}

/// Returns a range without trailing white space and comments, which the lookahead skips.
fn code_range(text: &str, comments: &[Comment], range: TextRange) -> (usize, usize) {
    let (start, mut end) = (range.start as usize, range.end as usize);
    let mut before = comments.partition_point(|c| c.start < end);
    loop {
        end = start + text[start..end].trim_end().len();
        match before.checked_sub(1).map(|i| &comments[i]) {
            Some(comment) if comment.start >= start && comment.end >= end => {
                end = comment.start;
                before -= 1;
            }
            _ => return (start, end),
        }
    }
}

/// The comments of one code line.
#[derive(Default)]
struct LineComments<'t> {
    /// The comments on the lines before it.
    before: Vec<&'t str>,
    /// The comments after it on the same line.
    after: Vec<&'t str>,
    /// The names of the arguments of a label, by position: `// %0 "self"`.
    names: Vec<(usize, &'t str)>,
    /// The comments that the printer generates, whose lists stay in their order.
    references: Vec<&'t str>,
}

struct Formatter<'t> {
    text: &'t str,
    parsed: &'t ParsedModule,
    /// The ranges of the entities, from the first to the last byte of code.
    places: Vec<(usize, usize)>,
    comments: &'t [Comment],
    options: &'t PrintOptions,
}

impl<'t> Formatter<'t> {
    /// Returns the comments that begin in a range.
    fn comments_in(&self, start: usize, end: usize) -> &'t [Comment] {
        let from = self.comments.partition_point(|c| c.start < start);
        let to = self.comments.partition_point(|c| c.start < end);
        &self.comments[from..to.max(from)]
    }

    fn comment(&self, comment: &Comment) -> &'t str {
        self.text[comment.start..comment.end].trim_end()
    }

    /// Returns the range between an entity and the previous one.
    fn gap_before(&self, index: usize) -> (usize, usize) {
        (index.checked_sub(1).map_or(0, |i| self.places[i].1), self.places[index].0)
    }

    fn gap_after_last(&self) -> (usize, usize) {
        (self.places.last().map_or(0, |p| p.1), self.text.len())
    }

    /// Returns the comments between entities, one per line; empty lines separate groups.
    fn block(&self, (start, end): (usize, usize)) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut previous = start;
        for comment in self.comments_in(start, end) {
            let text = self.comment(comment);
            let gap = &self.text[previous..comment.start];
            previous = comment.end;
            // The printer generates the end comment of a function.
            if !comment.is_leading && text.starts_with("// end sil ") {
                continue;
            }
            if gap.matches('\n').count() > 1 && !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(text.lines().map(|l| l.trim_end().to_owned()));
        }
        let ends_apart = self.text[previous..end].matches('\n').count() > 1;
        if ends_apart && !lines.is_empty() {
            lines.push(String::new());
        }
        lines
    }

    fn entity(&self, index: usize, out: &mut Out<'_>) -> String {
        let placed = self.parsed.source_map.entities[index];
        let options = PrintOptions { keep_locations: true, ..self.options.clone() };
        print_entity(&self.parsed.module, placed.entity, &options, out);
        let printed = out.take();
        let before = self.block(self.gap_before(index));
        if let SourceEntity::Swift(_) = placed.entity {
            return before.iter().map(|l| format!("{l}\n")).collect::<String>() + &printed;
        }
        let (start, end) = self.places[index];
        let inside = self.comments_in(start, end);
        let (module, map) = (&self.parsed.module, &self.parsed.source_map);
        let body = match placed.entity {
            SourceEntity::Function(id) => module.functions[id].body.as_ref().zip(map.function(id)),
            SourceEntity::Global(i) => module.globals[i].initializer.as_ref().zip(map.global(i)),
            _ => None,
        };
        let woven = match body {
            Some(body) => body::weave(self, body, (start, end), inside, &printed),
            None if inside.is_empty() => printed,
            None => self.weave_lines((start, end), inside, &printed),
        };
        let mut whole = with_block(before, &woven);
        let next = self.parsed.source_map.entities.get(index + 1).map(|p| p.entity);
        let is_scope = |e| matches!(e, SourceEntity::Scope(_) | SourceEntity::Property(_));
        if is_scope(placed.entity) && !next.is_some_and(is_scope) {
            whole.push('\n');
        }
        whole
    }

    /// Inserts comments into a printed table, matching code lines by their count.
    fn weave_lines(&self, (start, end): (usize, usize), inside: &[Comment], printed: &str) -> String {
        let mut starts = Vec::new();
        let mut at = start;
        for line in self.text[start..end].split_inclusive('\n') {
            let blanked = self.without_comments(at, at + line.len());
            if !blanked.trim().is_empty() {
                starts.push(at + blanked.len() - blanked.trim_start().len());
            }
            at += line.len();
        }
        let is_code = |line: &str| !comments::split_line(line).0.is_empty();
        if starts.len() != printed.lines().filter(|l| is_code(l)).count() {
            // The lines do not match: all comments go before the entity.
            let lines = inside.iter().map(|c| self.comment(c).to_owned()).collect();
            return with_block(lines, printed);
        }
        let (attached, last) = self.attach(&starts, inside, end);
        put_back(printed, &attached, &last, |line| is_code(line))
    }

    /// Returns the text of a range with comments replaced by spaces.
    fn without_comments(&self, start: usize, end: usize) -> String {
        let mut text = self.text[start..end].to_owned();
        let first = self.comments.partition_point(|c| c.end <= start);
        for comment in self.comments[first..].iter().take_while(|c| c.start < end) {
            let range = comment.start.max(start) - start..comment.end.min(end) - start;
            let spaces = " ".repeat(range.len());
            text.replace_range(range, &spaces);
        }
        text
    }

    /// Assigns each comment to a code line by the line starts; the rest comes after the last line.
    fn attach(
        &self,
        starts: &[usize],
        inside: &[Comment],
        end: usize,
    ) -> (HashMap<usize, LineComments<'t>>, Vec<&'t str>) {
        let mut attached: HashMap<usize, LineComments<'t>> = HashMap::new();
        let mut last = Vec::new();
        for comment in inside {
            let next = starts.partition_point(|&s| s <= comment.start);
            let text = self.comment(comment);
            // A comment that spans lines cannot follow code.
            if !comment.is_leading && next > 0 && text.contains('\n') {
                attached.entry(next - 1).or_default().before.push(text);
                continue;
            }
            if !comment.is_leading && next > 0 {
                if comments::without_references(text) != Some(text) {
                    attached.entry(next - 1).or_default().references.push(text);
                }
                if let Some(rest) = comments::without_references(text) {
                    attached.entry(next - 1).or_default().after.push(rest);
                }
                continue;
            }
            match starts.get(next) {
                Some(&code) => {
                    let code_end = starts.get(next + 1).copied().unwrap_or(end);
                    let label = &self.text[code..code_end];
                    if text.starts_with("// %") && comments::is_reference(text, label) {
                        attached.entry(next).or_default().references.push(text);
                    }
                    if let Some((value, name)) = comments::argument_name(text)
                        && let Some(position) = comments::values(label).position(|v| v == value)
                    {
                        attached.entry(next).or_default().names.push((position, name));
                    } else if !comments::is_reference(text, label) {
                        attached.entry(next).or_default().before.push(text);
                    }
                }
                None => last.push(text),
            }
        }
        (attached, last)
    }
}

/// Inserts comments before an entity, whose text begins with generated comments.
fn with_block(mut block: Vec<String>, printed: &str) -> String {
    let header: Vec<&str> = printed.lines().take_while(|l| l.starts_with("//")).collect();
    block.retain(|line| line.is_empty() || !header.contains(&line.as_str()));
    while block.first().is_some_and(String::is_empty) {
        block.remove(0);
    }
    // Comments that the compiler adds to the name come after it: the isolation, then the name in C.
    let is_clang = |line: &str| line.starts_with("// clang name: ");
    let is_added = |line: &&String| line.starts_with("// Isolation:") || is_clang(line);
    let added = block.iter().rev().take_while(is_added).count();
    let added = block.split_off(block.len() - added);
    let (clang, names): (Vec<&str>, Vec<&str>) = header.iter().copied().partition(|line| is_clang(line));
    let mut whole = String::with_capacity(printed.len() + 64);
    let lines = block.iter().map(String::as_str).chain(names);
    for line in lines.chain(added.iter().map(String::as_str)).chain(clang) {
        whole.push_str(line);
        whole.push('\n');
    }
    let header_len: usize = header.iter().map(|l| l.len() + 1).sum();
    whole.push_str(printed.get(header_len..).unwrap_or_default());
    whole
}

/// Writes a printed entity with the comments of its code lines, which `counts` selects.
fn put_back(
    printed: &str,
    attached: &HashMap<usize, LineComments<'_>>,
    last: &[&str],
    mut counts: impl FnMut(&str) -> bool,
) -> String {
    let mut out = String::with_capacity(printed.len() + 256);
    // Generated comments before a line come after the inserted ones.
    let mut own: Vec<&str> = Vec::new();
    let mut number = 0;
    let total = printed.lines().count();
    for (i, line) in printed.lines().enumerate() {
        let (code, comment) = comments::split_line(line);
        if code.is_empty() && comment.is_some() {
            own.push(line);
            continue;
        }
        let is_counted = counts(line);
        let here = attached.get(&number).filter(|_| is_counted);
        let closes = code == "}" && (i + 2 >= total || !is_counted);
        let indent = if line.starts_with(' ') || code == "}" { "  " } else { "" };
        let before = here.map_or(&[][..], |a| &a.before);
        for text in before {
            push_comment(&mut out, text, indent);
        }
        if closes {
            last.iter().for_each(|text| push_comment(&mut out, text, "  "));
        }
        let names = here.map_or(&[][..], |a| &a.names);
        // A reference on its own line is about the value that it begins with.
        let references = here.map_or(&[][..], |a| &a.references);
        let (of_arguments, of_line): (Vec<&str>, Vec<&str>) =
            references.iter().copied().partition(|text| text.starts_with("// %"));
        for line in comments::of_arguments(&own, names, code) {
            let value = comments::values(&line).next();
            let given = of_arguments.iter().find(|text| comments::values(text).next() == value);
            out.push_str(&given.map_or(line.as_ref().into(), |given| comments::in_given_order(&line, given)));
            out.push('\n');
        }
        own.clear();
        out.push_str(&of_line.first().map_or(line.into(), |given| comments::in_given_order(line, given)));
        let mut has_comment = comment.is_some();
        for text in here.map_or(&[][..], |a| &a.after) {
            let kept = comment.and_then(|c| text.strip_prefix(c)).map_or(*text, str::trim_start);
            if kept.is_empty() {
                continue;
            }
            let column = crate::body::print::COMMENT_COLUMN;
            let padding = if has_comment { 1 } else { column.saturating_sub(width(line)).max(1) };
            out.push_str(&" ".repeat(padding));
            out.push_str(kept);
            has_comment = true;
        }
        out.push('\n');
        number += usize::from(is_counted);
    }
    for line in own {
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn push_comment(out: &mut String, text: &str, indent: &str) {
    for line in text.lines() {
        out.push_str(indent);
        out.push_str(line.trim());
        out.push('\n');
    }
}
