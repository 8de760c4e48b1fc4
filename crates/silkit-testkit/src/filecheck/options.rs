//! The command line of FileCheck.

use super::CheckFailure;

/// The options of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCheckOptions {
    /// Prefixes of directives; `CHECK` if empty.
    pub check_prefixes: Vec<String>,
    /// Prefixes of comments; `COM` and `RUN` if empty.
    pub comment_prefixes: Vec<String>,
    /// True if prefixes need not occur.
    pub allow_unused_prefixes: bool,
    /// True if empty input is allowed.
    pub allow_empty: bool,
    /// Patterns that must not occur between the matches of others.
    pub implicit_check_not: Vec<String>,
    /// True if a positive pattern must match whole lines.
    pub match_full_lines: bool,
    /// True if the amount of white space is significant.
    pub strict_whitespace: bool,
    /// True if letter case is ignored.
    pub ignore_case: bool,
    /// True if a label clears variables whose names do not begin with `$`.
    pub enable_var_scope: bool,
    /// Variables defined on the command line, as `NAME=text` or `#NAME=number`.
    pub definitions: Vec<String>,
    /// The check file.
    pub check_file: Option<String>,
    /// The input file; standard input if missing or `-`.
    pub input_file: Option<String>,
    has_default_prefix: bool,
}

impl Default for FileCheckOptions {
    fn default() -> Self {
        FileCheckOptions {
            check_prefixes: vec!["CHECK".to_owned()],
            comment_prefixes: vec!["COM".to_owned(), "RUN".to_owned()],
            allow_unused_prefixes: false,
            allow_empty: false,
            implicit_check_not: Vec::new(),
            match_full_lines: false,
            strict_whitespace: false,
            ignore_case: false,
            enable_var_scope: false,
            definitions: Vec::new(),
            check_file: None,
            input_file: None,
            has_default_prefix: true,
        }
    }
}

impl FileCheckOptions {
    /// Parses arguments, without the command name. Options may begin with one or two dashes, and have their value
    /// after `=` or as the next argument. Options that only change the report format of LLVM's tool are accepted and
    /// ignored.
    ///
    /// ```
    /// use silkit_testkit::filecheck::FileCheckOptions;
    /// let options = FileCheckOptions::parse(["--check-prefixes=A,B", "-check-prefix", "C", "x.sil"])?;
    /// assert_eq!(options.check_prefixes, ["A", "B", "C"]);
    /// assert_eq!(options.check_file.as_deref(), Some("x.sil"));
    /// # Ok::<(), silkit_testkit::filecheck::CheckFailure>(())
    /// ```
    pub fn parse<S: AsRef<str>>(args: impl IntoIterator<Item = S>) -> Result<FileCheckOptions, CheckFailure> {
        let mut options = FileCheckOptions::default();
        let (mut checks, mut comments) = (Vec::new(), Vec::new());
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let arg = arg.as_ref();
            let Some(option) = arg.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                if options.check_file.replace(arg.to_owned()).is_some() {
                    return Err(CheckFailure::usage(format!("too many check files: `{arg}`")));
                }
                continue;
            };
            let option = option.strip_prefix('-').unwrap_or(option);
            if let Some(definition) = option.strip_prefix('D') {
                let value = if definition.is_empty() {
                    args.next().map(|a| a.as_ref().to_owned())
                } else {
                    Some(definition.to_owned())
                };
                options.definitions.push(value.ok_or_else(|| missing(option))?);
                continue;
            }
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            if let Some(flag) = options.flag(name) {
                *flag = value.is_none_or(|v| v == "true" || v == "1");
                continue;
            }
            if matches!(name, "v" | "vv" | "color" | "no-color" | "allow-deprecated-dag-overlap") {
                continue;
            }
            let value = match value {
                Some(value) => value,
                None => args.next().map(|a| a.as_ref().to_owned()).ok_or_else(|| missing(name))?,
            };
            let list = || value.split(',').map(str::to_owned);
            match name {
                "check-prefix" => checks.push(value),
                "check-prefixes" => checks.extend(list()),
                "comment-prefixes" => comments.extend(list()),
                "implicit-check-not" => options.implicit_check_not.push(value),
                "input-file" => options.input_file = Some(value),
                "dump-input" | "dump-input-context" | "dump-input-filter" => {}
                _ => return Err(CheckFailure::usage(format!("unknown option `{arg}`"))),
            }
        }
        options.has_default_prefix = checks.is_empty();
        if !checks.is_empty() {
            options.check_prefixes = checks;
        }
        if !comments.is_empty() {
            options.comment_prefixes = comments;
        }
        Ok(options)
    }

    /// Sets the prefixes.
    #[must_use]
    pub fn with_prefixes<S: Into<String>>(mut self, prefixes: impl IntoIterator<Item = S>) -> Self {
        self.check_prefixes = prefixes.into_iter().map(Into::into).collect();
        self.has_default_prefix = false;
        self
    }

    /// Returns true if no prefix was given.
    pub(crate) fn has_default_prefix(&self) -> bool {
        self.has_default_prefix
    }

    fn flag(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "allow-unused-prefixes" => &mut self.allow_unused_prefixes,
            "allow-empty" => &mut self.allow_empty,
            "match-full-lines" => &mut self.match_full_lines,
            "strict-whitespace" => &mut self.strict_whitespace,
            "ignore-case" => &mut self.ignore_case,
            "enable-var-scope" => &mut self.enable_var_scope,
            _ => return None,
        })
    }

    /// Checks that prefixes are words, each with a single meaning.
    pub(crate) fn validate(&self) -> Result<(), CheckFailure> {
        let mut seen = Vec::new();
        for (prefixes, what) in [(&self.comment_prefixes, "comment"), (&self.check_prefixes, "check")] {
            for prefix in prefixes {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                if prefix.is_empty() {
                    return Err(CheckFailure::usage(format!(
                        "supplied {what} prefix must not be the empty string"
                    )));
                }
                if !prefix.starts_with(|c: char| c.is_ascii_alphabetic()) || !prefix.chars().all(is_word) {
                    let rule = "must start with a letter and contain only alphanumeric characters, hyphens, and underscores";
                    return Err(CheckFailure::usage(format!("supplied {what} prefix {rule}: '{prefix}'")));
                }
                if seen.contains(&prefix) {
                    let rule = "must be unique among check and comment prefixes";
                    return Err(CheckFailure::usage(format!("supplied {what} prefix {rule}: '{prefix}'")));
                }
                seen.push(prefix);
            }
        }
        Ok(())
    }
}

fn missing(option: &str) -> CheckFailure {
    CheckFailure::usage(format!("option `{option}` needs a value"))
}
