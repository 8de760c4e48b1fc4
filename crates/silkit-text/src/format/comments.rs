//! The comments of a text, and which of them the printer generates.

use crate::cursor::block_comment_end;
use crate::printer::width;
use silkit_base::TextRange;
use std::borrow::Cow;

/// A comment and its position.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) start: usize,
    pub(super) end: usize,
    /// True if only white space precedes it on its line.
    pub(super) is_leading: bool,
}

/// Returns all comments of a text outside of `skipped`, which is sorted.
pub(super) fn find(text: &str, skipped: &[TextRange]) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut skipped = skipped.iter().peekable();
    let (mut at, mut line_has_code) = (0, false);
    while at < bytes.len() {
        if let Some(range) = skipped.next_if(|r| r.start as usize <= at) {
            at = at.max(range.end as usize);
            line_has_code = true;
            continue;
        }
        match bytes[at] {
            b'\n' => {
                line_has_code = false;
                at += 1;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                let end = if bytes[at + 1] == b'/' {
                    line_end(bytes, at)
                } else {
                    block_comment_end(bytes, at).unwrap_or(bytes.len())
                };
                found.push(Comment { start: at, end, is_leading: !line_has_code });
                at = end;
            }
            b'"' => {
                at = string_end(bytes, at);
                line_has_code = true;
            }
            _ => {
                // Only these bytes change anything in the rest of a line that has code.
                let end = skipped.peek().map_or(bytes.len(), |r| (r.start as usize).min(bytes.len()));
                let rest = bytes.get(at + 1..end).unwrap_or_default();
                at = memchr::memchr3(b'\n', b'/', b'"', rest).map_or(end.max(at + 1), |n| at + 1 + n);
                line_has_code = true;
            }
        }
    }
    found
}

/// Returns a printed line without the comments that the printer adds to its end.
pub fn without_printed_comment(line: &str) -> &str {
    let comments = [" // user", " // id: %", " // type-defs: ", " // Preds:", " // end sil function"];
    comments.iter().filter_map(|comment| line.rfind(comment)).min().map_or(line, |at| &line[..at]).trim_end()
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n)
}

/// Returns the end of a string; if it is not closed on its line, the end of the quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            b'\n' => return start + 1,
            _ => at += 1,
        }
    }
    start + 1
}

/// Splits a printed line into code and comment.
pub(super) fn split_line(line: &str) -> (&str, Option<&str>) {
    match find(line, &[]).into_iter().next() {
        Some(comment) => (line[..comment.start].trim_end(), Some(&line[comment.start..])),
        None => (line.trim_end(), None),
    }
}

/// Returns the rest of a comment after code without the references that the printer generates: `// users: %1, %2`,
/// `// id: %3`, `// Preds: bb0`.
pub(super) fn without_references(comment: &str) -> Option<&str> {
    let mut rest = comment.strip_prefix("//").map(str::trim_start)?;
    let mut any = false;
    const LISTS: [(&str, &str); 5] =
        [("type-defs:", "%"), ("users:", "%"), ("user:", "%"), ("id:", "%"), ("Preds:", "bb")];
    while let Some((after, sign)) = LISTS.iter().find_map(|l| Some((rest.strip_prefix(l.0)?, l.1))) {
        let Some(listed) = after.trim_start().strip_prefix(sign) else { break };
        let end = list_end(listed);
        if end == 0 {
            break;
        }
        any = true;
        rest = listed[end..].trim_start_matches([';', ' ']);
    }
    if !any {
        return Some(comment);
    }
    match rest {
        "" => None,
        _ if rest.starts_with("//") || rest.starts_with("/*") => Some(rest),
        // Words after a list were written by hand.
        _ => Some(comment),
    }
}

/// Returns the end of `1, %2` or `1 bb2`: a list without its first sigil.
fn list_end(text: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    loop {
        let rest = &text[end..];
        let next = [", %", " %", " bb"].iter().find(|s| rest.starts_with(**s));
        let Some(separator) = next else { return end };
        let start = end + separator.len();
        let len = text[start..].find(|c| !is_name(c)).unwrap_or(text.len() - start);
        if len == 0 {
            return end;
        }
        end = start + len;
    }
}

/// Returns a printed line with the users or predecessors in its comment in the order of `given`, a comment of the source,
/// if both list the same ones: the order in which a compiler prints them does not follow from the text.
pub(super) fn in_given_order<'l>(line: &'l str, given: &str) -> Cow<'l, str> {
    fn list<'t>(text: &'t str, name: &str, sigil: &str) -> Option<(usize, &'t str)> {
        let at = text.rfind(name)? + name.len();
        let listed = text[at..].strip_prefix(sigil)?;
        Some((at, &text[at..at + sigil.len() + list_end(listed)]))
    }
    for (name, sigil) in [(" users: ", "%"), (" Preds: ", "bb")] {
        if let Some((at, printed)) = list(line, name, sigil)
            && let Some((_, given)) = list(given, name, sigil)
            && printed != given
            && sorted(printed) == sorted(given)
        {
            return format!("{}{given}{}", &line[..at], &line[at + printed.len()..]).into();
        }
    }
    line.into()
}

/// Returns the names in a list, sorted.
fn sorted(list: &str) -> Vec<&str> {
    let mut names: Vec<&str> = list.split([',', ' ']).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names
}

/// Returns true if the printer generates a comment on its own line in a body: the users of an argument, the name of a
/// referenced function.
pub(super) fn is_reference(comment: &str, next_code: &str) -> bool {
    let Some(words) = comment.strip_prefix("// ") else { return false };
    if words.starts_with('%') {
        let users = ["// user: %", "// users: %"].iter().filter_map(|u| words.find(u)).min();
        return users.is_some_and(|at| without_references(&words[at..]).is_none());
    }
    ["function_ref", "dynamic_function_ref", "prev_dynamic_function_ref"].iter().any(|name| {
        words.strip_prefix(name).is_some_and(|w| w.starts_with(' '))
            && next_code.split_once(" = ").is_some_and(|(_, code)| {
                code.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '\n']))
            })
    })
}

/// Returns the value and the name in an argument comment, `// %0 "self"   // users: %2`. Any other text in such a
/// comment was written by hand.
pub(super) fn argument_name(comment: &str) -> Option<(&str, &str)> {
    let (value, rest) = comment.strip_prefix("// ")?.split_once(' ')?;
    let name = rest.strip_prefix('"')?.split('"').next()?;
    let (name, users) = rest.split_at(name.len() + 2);
    let users = users.trim_start();
    let is_own = value.starts_with('%') && (users.is_empty() || without_references(users).is_none());
    is_own.then_some((value, name))
}

/// Returns the printer's comments before a line; comments on block arguments include the names of the arguments.
pub(super) fn of_arguments<'l>(own: &[&'l str], names: &[(usize, &str)], label: &str) -> Vec<Cow<'l, str>> {
    if names.is_empty() {
        return own.iter().map(|&line| line.into()).collect();
    }
    let position = |line: &str| {
        let value = values(line).next()?;
        values(label).position(|v| v == value)
    };
    let mut lines: Vec<(Option<usize>, Cow<'_, str>)> = Vec::new();
    for &line in own {
        let at = position(line);
        let name = names.iter().find(|(named, _)| Some(*named) == at);
        lines.push((at, name.map_or(line.into(), |(_, name)| with_name(line, name).into())));
    }
    // Arguments without users.
    for &(at, name) in names {
        if let Some(value) = values(label).nth(at)
            && !lines.iter().any(|(known, _)| *known == Some(at))
        {
            lines.push((Some(at), format!("// {value} {name}").into()));
        }
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Returns the values that a text mentions, in order.
pub(super) fn values(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('%').map(|(at, _)| {
        let rest = &text[at..];
        let end = rest[1..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
        end.map_or(rest, |n| &rest[..n + 1])
    })
}

/// Returns a printer's comment on an argument, with the name of the argument.
fn with_name(own: &str, name: &str) -> String {
    let Some((value, rest)) = own.strip_prefix("// ").and_then(|o| o.split_once(' ')) else {
        return own.to_owned();
    };
    let rest = rest.trim_start();
    if rest.starts_with('"') {
        return own.to_owned();
    }
    let named = format!("// {value} {name}");
    let padding = crate::body::print::COMMENT_COLUMN.saturating_sub(width(&named)).max(1);
    format!("{named}{}{rest}", " ".repeat(padding))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_outside_of_strings_and_skipped_text() {
        let text = "a = \"// no\" // one\nb/c import d // skipped\n  /* two */ e \"/* // three\nf";
        let skip = text.find("import").expect("it is there");
        let end = skip + text[skip..].find('\n').expect("it ends");
        let skipped = [TextRange { start: skip as u32, end: end as u32 }];
        let found = find(text, &skipped);
        let found: Vec<_> = found.iter().map(|c| (&text[c.start..c.end], c.is_leading)).collect();
        // A quote that is not closed on its line begins no string.
        assert_eq!(found, [("// one", false), ("/* two */", true), ("/* // three\nf", false)]);
    }

    #[test]
    fn comments_on_arguments_begin_in_one_column() {
        let column = |name: &str| {
            let line = with_name("// %0                                             // user: %1", name);
            let at = line.rfind("// user").expect("the comment");
            width(&line[..at])
        };
        for name in ["\"self\"", "\"q\u{302}\"", "\"\u{65e5}\u{672c}\"", "\"\u{1f600}\""] {
            assert_eq!(column(name), crate::body::print::COMMENT_COLUMN, "{name}");
        }
    }

    #[test]
    fn strings_are_no_comments() {
        let text = "a \"// no\" // yes\n/* b /* c */ */ d\n  // e";
        let found: Vec<(&str, bool)> =
            find(text, &[]).iter().map(|c| (&text[c.start..c.end], c.is_leading)).collect();
        assert_eq!(found, [("// yes", false), ("/* b /* c */ */", true), ("// e", true)]);
    }

    #[test]
    fn the_order_of_references_stays() {
        let line = "  %1 = f() // users: %3, %2 // mine";
        assert_eq!(in_given_order(line, "// users: %2, %3"), "  %1 = f() // users: %2, %3 // mine");
        assert_eq!(in_given_order(line, "// users: %2, %4"), line);
        assert_eq!(in_given_order("bb2: // Preds: bb1 bb0", "// Preds: bb0 bb1"), "bb2: // Preds: bb0 bb1");
    }

    #[test]
    fn references_are_told_from_words() {
        assert_eq!(without_references("// users: %1, %22"), None);
        assert_eq!(without_references("// type-defs: %1; user: %2"), None);
        assert_eq!(without_references("// Preds: bb1 bb2"), None);
        assert_eq!(without_references("// id: %3 // mine"), Some("// mine"));
        assert_eq!(without_references("// users: are %1"), Some("// users: are %1"));
        assert_eq!(without_references("// id"), Some("// id"));
        assert!(is_reference("// %0 \"x\"   // users: %2, %1", "bb0(%0 : $Int):"));
        assert!(is_reference("// function_ref f()", "%1 = function_ref @f : $()"));
        assert!(!is_reference("// function_ref f()", "%1 = tuple ()"));
    }
}
