//! Expected diagnostics annotated in a file: `// expected-error@+1 {{part of the message}}`, the syntax of the tests of
//! the Swift compiler.
//!
//! `expected-` is followed by the severity; optionally the line as `@+1`, `@-1` or `@12` (the default is the line of
//! the comment); optionally the number of findings (`2`, or `*` for any number); and a part of the message.

use crate::{Diagnostic, FileId, Severity, SourceMap, Span};

/// An annotation of an expected diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The span of the annotation, starting at `expected`.
    pub span: Span,
    /// The expected severity.
    pub severity: Severity,
    /// The expected line, starting at 1.
    pub line: u32,
    /// The number of expected findings; `None` for any number.
    pub count: Option<u32>,
    /// The expected part of the message.
    pub part: String,
}

/// Returns the annotations in a text. Each of `prefixes` can appear between `expected-` and the severity.
pub fn annotations(file: FileId, text: &str, prefixes: &[String]) -> Vec<Expected> {
    let mut found = Vec::new();
    let mut line_start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let mut from = 0;
        while let Some(at) = line[from..].find("expected-").map(|at| from + at) {
            from = at + "expected-".len();
            if let Some((mut expected, length)) = annotation(&line[from..], index as u32 + 1, prefixes) {
                let start = (line_start + at) as u32;
                expected.span = Span::new(file, start, (line_start + from + length) as u32);
                from += length;
                found.push(expected);
            }
        }
        line_start += line.len();
    }
    found
}

/// Parses the text after `expected-`; also returns its length.
fn annotation(text: &str, own_line: u32, prefixes: &[String]) -> Option<(Expected, usize)> {
    let bare = prefixes.iter().find_map(|p| text.strip_prefix(p.as_str())).unwrap_or(text);
    let severities = [
        ("error", Severity::Error),
        ("warning", Severity::Warning),
        ("note", Severity::Note),
        ("remark", Severity::Note),
    ];
    let (mut rest, severity) =
        severities.iter().find_map(|(word, severity)| Some((bare.strip_prefix(word)?, *severity)))?;
    rest = rest.trim_start_matches(' ');
    let mut line = own_line;
    if let Some(after) = rest.strip_prefix('@') {
        let sign = after.chars().next().filter(|c| matches!(c, '+' | '-'));
        let digits = after.trim_start_matches(['+', '-']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number: u32 = digits[..end].parse().ok()?;
        line = match sign {
            Some('+') => own_line.checked_add(number)?,
            Some(_) => own_line.checked_sub(number)?,
            None => number,
        };
        rest = digits[end..].trim_start_matches(' ');
    }
    let mut count = Some(1);
    if let Some(after) = rest.strip_prefix('*') {
        (count, rest) = (None, after.trim_start_matches(' '));
    } else {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if end > 0 {
            count = Some(rest[..end].parse().ok()?);
            rest = rest[end..].trim_start_matches(' ');
        }
    }
    let part = rest.strip_prefix("{{")?;
    let end = part.find("}}")?;
    let length = text.len() - part.len() + end + 2;
    let span = Span::at(FileId::new(0), 0);
    Some((Expected { span, severity, line, count, part: part[..end].to_owned() }, length))
}

/// Compares the actual diagnostics with the expected ones. Returns an error for each missing or unexpected diagnostic.
pub fn mismatches(found: &[Diagnostic], expected: &[Expected], sources: &SourceMap<'_>) -> Vec<Diagnostic> {
    let mut left: Vec<(usize, bool)> =
        expected.iter().map(|e| (e.count.unwrap_or(0) as usize, false)).collect();
    let mut wrong = Vec::new();
    for diagnostic in found {
        let place = diagnostic.primary().map(|l| l.span);
        let line = place.and_then(|s| Some((s.file, sources.file(s.file)?.line_column(s.start).line)));
        let fits = |e: &Expected| {
            e.severity == diagnostic.severity
                && line == Some((e.span.file, e.line))
                && plain(&diagnostic.message).contains(&plain(&e.part))
        };
        let matching = expected
            .iter()
            .zip(&mut left)
            .find(|(e, (count, _))| fits(e) && (*count > 0 || e.count.is_none()));
        match matching {
            Some((_, (count, seen))) => (*count, *seen) = (count.saturating_sub(1), true),
            None => {
                let message = format!("unexpected {} produced: {}", diagnostic.severity, diagnostic.message);
                let mut unexpected = Diagnostic::new(Severity::Error, message);
                if let Some(span) = place {
                    unexpected = unexpected.at(span);
                }
                wrong.push(unexpected);
            }
        }
    }
    for (e, (count, _)) in expected.iter().zip(&left) {
        for _ in 0..*count {
            let message = format!("expected {} not produced", e.severity);
            wrong.push(Diagnostic::new(Severity::Error, message).at(e.span));
        }
    }
    wrong
}

/// Replaces backquotes with single quotes, so that messages compare equal with either kind.
fn plain(message: &str) -> String {
    message.replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\n// expected-error@-1 {{bad `x`}} expected-note @+2 2 {{why}}\n// expected-foo-error * {{any}}\ntwo\n";

    fn error(file: FileId, at: u32, message: &str) -> Diagnostic {
        Diagnostic::new(Severity::Error, message).at(Span::at(file, at))
    }

    #[test]
    fn annotations_are_read() {
        let all = annotations(FileId::new(0), TEXT, &["foo-".to_owned()]);
        let told: Vec<_> = all.iter().map(|e| (e.severity, e.line, e.count, e.part.as_str())).collect();
        let want = [
            (Severity::Error, 1, Some(1), "bad `x`"),
            (Severity::Note, 4, Some(2), "why"),
            (Severity::Error, 3, None, "any"),
        ];
        assert_eq!(told, want);
        assert_eq!(annotations(FileId::new(0), TEXT, &[]).len(), 2);
    }

    #[test]
    fn missing_and_surplus_findings_are_told() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.sil", TEXT).expect("it fits");
        let expected = annotations(file, TEXT, &[]);
        let found = [error(file, 0, "very bad 'x' here"), error(file, 0, "other")];
        let told: Vec<_> =
            mismatches(&found, &expected, &sources).iter().map(|d| d.message.to_string()).collect();
        let missing = "expected note not produced";
        assert_eq!(told, ["unexpected error produced: other", missing, missing]);
    }
}
