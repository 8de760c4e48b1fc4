//! The parser of directives in a test file.

use super::condition::holds;

/// The directives of a test file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// Command lines, each with its first line number.
    pub(super) runs: Vec<(usize, String)>,
    requires: Vec<String>,
    unsupported: Vec<String>,
    expected_failures: Vec<String>,
}

/// Parses the directives, which may be anywhere in a line.
pub(super) fn parse(text: &[u8]) -> Result<Script, String> {
    let mut script = Script::default();
    let mut is_continued = false;
    for (index, line) in text.split(|&c| c == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        if let Some(run) = after(&line, "RUN:") {
            let run = run.trim();
            let (run, continues) = match run.strip_suffix('\\') {
                Some(start) => (start.trim_end(), true),
                None => (run, false),
            };
            match script.runs.last_mut() {
                Some((_, whole)) if is_continued => {
                    whole.push(' ');
                    whole.push_str(run);
                }
                _ => script.runs.push((index + 1, run.to_owned())),
            }
            is_continued = continues;
            continue;
        }
        let lists = [
            ("REQUIRES:", &mut script.requires),
            ("UNSUPPORTED:", &mut script.unsupported),
            ("XFAIL:", &mut script.expected_failures),
        ];
        for (keyword, list) in lists {
            if let Some(conditions) = after(&line, keyword) {
                let parts = conditions.split(',').map(str::trim).filter(|part| !part.is_empty());
                list.extend(parts.map(str::to_owned));
            }
        }
        if after(&line, "END.").is_some() {
            break;
        }
    }
    if is_continued {
        return Err("the last RUN line ends with `\\`".to_owned());
    }
    Ok(script)
}

/// Returns the text after a keyword that is a separate word.
fn after<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let at = line.find(keyword)?;
    let is_suffix = line[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (!is_suffix).then(|| &line[at + keyword.len()..])
}

impl Script {
    /// Returns the reason why the test is skipped with these features, if any.
    pub(super) fn skip_reason(&self, features: &[String]) -> Option<String> {
        let lacks = |c: &&String| !holds(c, features).unwrap_or(true);
        if let Some(condition) = self.requires.iter().find(lacks) {
            return Some(format!("requires {condition}"));
        }
        let has = |c: &&String| holds(c, features).unwrap_or(false);
        self.unsupported.iter().find(has).map(|condition| format!("unsupported with {condition}"))
    }

    /// Returns true if the test must fail, or an error if a condition is malformed.
    pub(super) fn has_to_fail(&self, features: &[String]) -> Result<bool, String> {
        for condition in self.requires.iter().chain(&self.unsupported) {
            holds(condition, features)?;
        }
        let mut any = false;
        for condition in &self.expected_failures {
            any |= holds(condition, features)?;
        }
        Ok(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives() {
        let text = "// RUN: a \\\n// RUN:   b | c\nx\n; RUN: d\n// REQUIRES: p, q\n// XFAIL: *\n\
                    // NOTRUN: z\n// END.\n// RUN: e\n";
        let script = parse(text.as_bytes()).unwrap();
        assert_eq!(script.runs, [(1, "a b | c".to_owned()), (4, "d".to_owned())]);
        let features = ["p".to_owned()];
        assert_eq!(script.skip_reason(&features).as_deref(), Some("requires q"));
        assert_eq!(script.skip_reason(&["p".to_owned(), "q".to_owned()]), None);
        assert_eq!(script.has_to_fail(&features), Ok(true));
    }

    #[test]
    fn malformed() {
        assert!(parse(b"RUN: a \\\n").is_err());
        let script = parse(b"REQUIRES: a b\n").unwrap();
        assert!(script.has_to_fail(&[]).is_err());
    }
}
