//! Tables of input and expected output.
//!
//! For a few short cases, [`table`] formats the text for an `expect!` of `expect-test`. For more or longer cases,
//! [`check`] reads a case file and rewrites it if the environment variable `UPDATE_EXPECT` is set, as in that crate:
//!
//! ```text
//! === an empty tuple
//! %0 = tuple ()
//! ---
//! tuple with 0 elements
//!
//! === the next case
//! ```
//!
//! [`case_files!`](crate::case_files) declares a test for each file of a folder.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::difference;

/// Formats rows below a header, in columns as wide as their widest cell.
///
/// ```
/// let rows = [["%0", "owned"], ["%10", "none"]];
/// let text = silkit_testkit::cases::table(["value", "ownership"], rows);
/// assert_eq!(text, "value | ownership\n------|----------\n%0    | owned\n%10   | none\n");
/// ```
pub fn table<const N: usize, H: AsRef<str>, C: AsRef<str>>(
    header: [H; N],
    rows: impl IntoIterator<Item = [C; N]>,
) -> String {
    let header = header.map(|cell| cell.as_ref().to_owned());
    let rows: Vec<[String; N]> =
        rows.into_iter().map(|row| row.map(|c| c.as_ref().replace('\n', "\\n"))).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&header]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |cells: &[String; N]| {
        let padded: Vec<String> = cells.iter().zip(widths).map(|(c, w)| format!("{c:w$}")).collect();
        padded.join(" | ").trim_end().to_owned() + "\n"
    };
    let rule = widths.map(|width| "-".repeat(width)).join("-|-");
    let body: String = rows.iter().map(line).collect();
    format!("{}{rule}\n{body}", line(&header))
}

/// Runs every case of a file. Returns a readable difference as the error.
///
/// Trailing line ends of the input and of the output are ignored.
pub fn check(file: &Path, run: impl Fn(&str) -> String) -> Result<(), String> {
    let updates = std::env::var_os("UPDATE_EXPECT").is_some();
    check_with(file, run, updates)
}

/// Declares a test for each case file, `FOLDER/NAME.txt` in the folder of the crate under test, with a function from
/// input to output: one for all files, or one for each.
///
/// ```
/// # fn fold(input: &str) -> String { input.to_owned() }
/// # fn hoist(input: &str) -> String { input.to_owned() }
/// silkit_testkit::case_files! { "tests/folding", fold: literals enums }
/// silkit_testkit::case_files! { "tests/cases": hoisting: hoist; more_folding: fold; }
/// ```
#[macro_export]
macro_rules! case_files {
    ($folder:literal, $run:path: $($name:ident)*) => {
        $crate::case_files! { $folder: $($name: $run;)* }
    };
    ($folder:literal: $($name:ident: $run:path;)*) => {
        $(
            #[test]
            fn $name() {
                let file = concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", stringify!($name), ".txt");
                if let Err(message) = $crate::cases::check(::std::path::Path::new(file), $run) {
                    panic!("{message}");
                }
            }
        )*
    };
}

fn check_with(file: &Path, run: impl Fn(&str) -> String, updates: bool) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let (preamble, cases) = parse(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut wrong = String::new();
    let mut fresh = preamble.to_owned();
    for (index, case) in cases.iter().enumerate() {
        let actual = run(case.input);
        let actual = actual.trim_end();
        if index > 0 {
            fresh.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(fresh, "=== {}\n{}\n---\n", case.name, case.input);
        if !actual.is_empty() {
            let _ = writeln!(fresh, "{actual}");
        }
        if actual != case.output {
            let names = ("expected", "actual");
            let shown = difference(with_end(case.output).as_bytes(), with_end(actual).as_bytes(), names);
            let _ = writeln!(wrong, "{}:{}: case `{}`\n{shown}", file.display(), case.line, case.name);
        }
    }
    if updates && fresh != text {
        return fs::write(file, fresh).map_err(|e| format!("{}: {e}", file.display()));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(wrong + "(with UPDATE_EXPECT=1 in the environment the file is rewritten)")
}

fn with_end(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

struct Case<'a> {
    name: &'a str,
    line: usize,
    input: &'a str,
    output: &'a str,
}

/// Returns the text before the first case, and the cases.
fn parse(text: &str) -> Result<(&str, Vec<Case<'_>>), String> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if line.starts_with("=== ") {
            starts.push((at, index + 1));
        }
        at += line.len();
    }
    let Some(&(first, _)) = starts.first() else {
        return Err("there is no case".to_owned());
    };
    let ends = starts.iter().skip(1).map(|s| s.0).chain([text.len()]);
    let cases = starts.iter().zip(ends).map(|(&(start, line), end)| {
        let whole = &text[start..end];
        let (head, rest) = whole.split_once('\n').unwrap_or((whole, ""));
        let name = head.trim_start_matches('=').trim();
        // The input may be empty; then the separator is the first line.
        let (input, output) = match rest.strip_prefix("---\n") {
            Some(output) => ("", output),
            None => rest
                .split_once("\n---\n")
                .or_else(|| rest.strip_suffix("\n---").map(|input| (input, "")))
                .ok_or_else(|| format!("line {line}: the case has no `---`"))?,
        };
        Ok(Case { name, line, input: input.trim_end(), output: output.trim_end() })
    });
    Ok((&text[..first], cases.collect::<Result<_, String>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(text: &str) -> String {
        text.to_uppercase()
    }

    #[test]
    fn checks_and_updates() {
        let dir = std::env::temp_dir().join(format!("silkit-cases-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let file = dir.join("upper.cases");
        fs::write(&file, "about\n\n=== one\na\nb\n---\nA\nB\n\n=== two\nc\n---\nwrong\n=== none\n---\n")
            .unwrap();
        let error = check_with(&file, upper, false).unwrap_err();
        assert!(error.contains("case `two`") && error.contains("-wrong\n+C"), "{error}");
        assert!(!error.contains("case `one`"));
        check_with(&file, upper, true).unwrap();
        check_with(&file, upper, false).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, "about\n\n=== one\na\nb\n---\nA\nB\n\n=== two\nc\n---\nC\n\n=== none\n\n---\n");
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn malformed() {
        assert!(parse("no case").is_err());
        assert!(parse("=== a\nno rule\n").is_err());
    }
}
