//! The scanner for directives (`CHECK-NEXT:`) in a check file.

/// The kind of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `CHECK:` and `CHECK-COUNT-n:`: the number of consecutive matches.
    Plain(u32),
    Next,
    Same,
    Not,
    Dag,
    Label,
    Empty,
    /// The end of the input, up to which trailing negative checks apply.
    End,
}

impl Kind {
    /// Returns the text after the prefix.
    pub(crate) fn suffix(self) -> String {
        match self {
            Kind::Plain(1) | Kind::End => String::new(),
            Kind::Plain(n) => format!("-COUNT-{n}"),
            Kind::Next => "-NEXT".to_owned(),
            Kind::Same => "-SAME".to_owned(),
            Kind::Not => "-NOT".to_owned(),
            Kind::Dag => "-DAG".to_owned(),
            Kind::Label => "-LABEL".to_owned(),
            Kind::Empty => "-EMPTY".to_owned(),
        }
    }
}

/// A directive in a check file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) found: Recognized,
    /// The offset of the prefix.
    pub(crate) start: usize,
    /// The offset of the pattern, after the colon.
    pub(crate) end: usize,
}

/// The recognized directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recognized {
    Check {
        kind: Kind,
        is_literal: bool,
    },
    Comment,
    /// `CHECK_NEXT:`.
    Misspelled,
    /// `CHECK-DAG-NOT:`.
    BadNot,
    /// `CHECK-COUNT-x:`.
    BadCount,
}

/// A scanner that finds the directives of a text from its beginning to its end.
pub(crate) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// The prefixes, with the offset of the next occurrence of each.
    prefixes: Vec<(&'a str, bool, Option<usize>)>,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a [u8], checks: &'a [String], comments: &'a [String]) -> Scanner<'a> {
        let checks = checks.iter().map(|p| (p.as_str(), false));
        let comments = comments.iter().map(|p| (p.as_str(), true));
        let first = |p: &str| memchr::memmem::find(text, p.as_bytes());
        let mut prefixes: Vec<_> =
            checks.chain(comments).map(|(p, is_comment)| (p, is_comment, first(p))).collect();
        // If several prefixes match at an offset, the longest is used.
        prefixes.sort_by_key(|(prefix, ..)| std::cmp::Reverse(prefix.len()));
        Scanner { text, at: 0, prefixes }
    }

    /// Returns the next directive, and moves after its colon.
    pub(crate) fn next(&mut self) -> Option<Directive<'a>> {
        loop {
            let (text, at) = (self.text, self.at);
            for (prefix, _, next) in &mut self.prefixes {
                if next.is_some_and(|n| n < at) {
                    *next = memchr::memmem::find(&text[at..], prefix.as_bytes()).map(|n| at + n);
                }
            }
            let candidates =
                self.prefixes.iter().filter_map(|(p, is_comment, n)| Some((n.as_ref()?, *p, *is_comment)));
            let (&start, prefix, is_comment) = candidates.min_by_key(|(n, ..)| **n)?;
            let rest = &text[start + prefix.len()..];
            let is_suffix = start > 0 && is_word(text[start - 1]);
            if !is_suffix && let Some((found, len)) = recognize(rest, is_comment) {
                let end = start + prefix.len() + len;
                self.at = end;
                return Some(Directive { prefix, found, start, end });
            }
            let word = rest.iter().take_while(|c| is_word(**c)).count();
            self.at = start + prefix.len() + word;
        }
    }

    /// Continues the scan after `at`.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'-' || c == b'_'
}

/// Parses the directive after a prefix. Returns it with its length.
fn recognize(rest: &[u8], is_comment: bool) -> Option<(Recognized, usize)> {
    if is_comment {
        return rest.starts_with(b":").then_some((Recognized::Comment, 1));
    }
    let plain = |kind, from: usize| {
        let (is_literal, len) = modifiers(&rest[from..])?;
        Some((Recognized::Check { kind, is_literal }, from + len))
    };
    if matches!(rest.first(), Some(b':' | b'{')) {
        return plain(Kind::Plain(1), 0);
    }
    let is_misspelled = rest.first() == Some(&b'_');
    if !is_misspelled && rest.first() != Some(&b'-') {
        return None;
    }
    let word = &rest[1..];
    let (found, len) = if let Some(count) = word.strip_prefix(b"COUNT-") {
        let digits = count.iter().take_while(|c| c.is_ascii_digit()).count();
        let number = std::str::from_utf8(&count[..digits]).ok().and_then(|d| d.parse::<u32>().ok());
        let number = number.filter(|&n| n > 0 && i32::try_from(n).is_ok());
        match (number, count.get(digits)) {
            (Some(n), Some(b':' | b'{')) => plain(Kind::Plain(n), 7 + digits)?,
            _ => (Recognized::BadCount, 7 + digits),
        }
    } else {
        const COMBINATIONS: [&[u8]; 8] = [
            b"DAG-NOT:",
            b"NOT-DAG:",
            b"NEXT-NOT:",
            b"NOT-NEXT:",
            b"SAME-NOT:",
            b"NOT-SAME:",
            b"EMPTY-NOT:",
            b"NOT-EMPTY:",
        ];
        if let Some(bad) = COMBINATIONS.iter().find(|c| word.starts_with(c)) {
            (Recognized::BadNot, 1 + bad.len())
        } else {
            let kinds = [
                (&b"NEXT"[..], Kind::Next),
                (b"SAME", Kind::Same),
                (b"NOT", Kind::Not),
                (b"DAG", Kind::Dag),
                (b"LABEL", Kind::Label),
                (b"EMPTY", Kind::Empty),
            ];
            let (name, kind) = kinds.into_iter().find(|(name, _)| word.starts_with(name))?;
            plain(kind, 1 + name.len())?
        }
    };
    let is_check = matches!(found, Recognized::Check { .. });
    Some((if is_misspelled && is_check { Recognized::Misspelled } else { found }, len))
}

/// Parses `:` or `{LITERAL}:`. Returns whether it is literal, and the length.
fn modifiers(rest: &[u8]) -> Option<(bool, usize)> {
    if rest.starts_with(b":") {
        return Some((false, 1));
    }
    let inner = rest.strip_prefix(b"{")?;
    let len = inner.iter().position(|&c| c == b'}')?;
    let is_known = |word: &[u8]| word.trim_ascii() == b"LITERAL";
    let is_ended = inner.get(len + 1) == Some(&b':');
    (is_ended && inner[..len].split(|&c| c == b',').all(is_known)).then_some((true, len + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, prefixes: &[&str]) -> Vec<(String, Recognized, String)> {
        let checks: Vec<String> = prefixes.iter().map(|p| (*p).to_owned()).collect();
        let comments = ["COM".to_owned(), "RUN".to_owned()];
        let mut scanner = Scanner::new(text.as_bytes(), &checks, &comments);
        let mut out = Vec::new();
        while let Some(d) = scanner.next() {
            let eol = text[d.end..].find('\n').map_or(text.len(), |n| d.end + n);
            scanner.skip_to(eol);
            out.push((d.prefix.to_owned(), d.found, text[d.end..eol].to_owned()));
        }
        out
    }

    fn check(kind: Kind) -> Recognized {
        Recognized::Check { kind, is_literal: false }
    }

    #[test]
    fn kinds() {
        for (text, expected) in [
            ("CHECK: a", Some(check(Kind::Plain(1)))),
            ("//CHECK-NEXT: a", Some(check(Kind::Next))),
            ("CHECK-COUNT-3: a", Some(check(Kind::Plain(3)))),
            ("CHECK-COUNT-0: a", Some(Recognized::BadCount)),
            ("CHECK-COUNT-2 : a", Some(Recognized::BadCount)),
            ("CHECK{LITERAL}: a", Some(Recognized::Check { kind: Kind::Plain(1), is_literal: true })),
            ("CHECK-DAG-NOT: a", Some(Recognized::BadNot)),
            ("CHECK_NEXT: a", Some(Recognized::Misspelled)),
            ("CHECK_FOO: a", None),
            ("CHECK-NXT: a", None),
            ("CHECK : a", None),
            ("xCHECK: a", None),
            ("-CHECK: a", None),
            ("%CHECK: a", Some(check(Kind::Plain(1)))),
            ("CHECK{FOO}: a", None),
            ("CHECK", None),
        ] {
            assert_eq!(found(text, &["CHECK"]).first().map(|f| f.1), expected, "{text}");
        }
    }

    #[test]
    fn prefixes() {
        let text = "A: 1\nAB: 2\nCOM: A: 3\nXA: 4\nA-NOT: 5\n";
        let names = |p: &[&str]| found(text, p).into_iter().map(|f| f.0 + &f.2).collect::<Vec<_>>();
        assert_eq!(names(&["A"]), ["A 1", "COM A: 3", "A 5"]);
        assert_eq!(names(&["A", "AB"]), ["A 1", "AB 2", "COM A: 3", "A 5"]);
        assert_eq!(names(&["A", "A-NOT"]), ["A 1", "COM A: 3", "A-NOT 5"]);
    }
}
