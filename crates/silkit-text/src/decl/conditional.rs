//! Conditional compilation: `#if compiler(>=5.3) && $Feature`.
//!
//! Conditions are evaluated for Swift 6.2 with all its features, on 64-bit Linux, not embedded.

use super::scan::{skip_brackets, skip_line};
use crate::cursor::Cursor;

/// The version that `compiler(>=…)` and `swift(>=…)` are compared with.
const VERSION: [u32; 2] = [6, 2];

/// The maximum nesting of conditions.
const MAX_DEPTH: u32 = 32;

/// Consumes a directive that begins with `#` at the cursor. In a conditional block, the first branch whose condition
/// holds is parsed and the others are skipped. Returns true if there was a directive.
pub(super) fn directive(cur: &mut Cursor<'_>) -> bool {
    if cur.peek() != b'#' {
        return false;
    }
    let start = cur.pos();
    cur.eat("#");
    match cur.ident() {
        Some("if") => enter(cur),
        // The active branch ends here; the other branches are skipped.
        Some("else" | "elseif") => {
            skip_line(cur);
            skip_branches(cur, false);
        }
        Some("endif") => {}
        Some("error" | "warning" | "sourceLocation") => {
            if cur.here() == b'(' {
                skip_brackets(cur);
            }
        }
        _ => {
            cur.set_pos(start);
            return false;
        }
    }
    true
}

/// After `#if` or `#elseif`, moves the cursor to the active branch.
fn enter(cur: &mut Cursor<'_>) {
    let mut line = Cursor::in_range(cur.text(), cur.pos()..cur.line_end());
    let holds = disjunction(&mut line, 0);
    skip_line(cur);
    if !holds {
        skip_branches(cur, true);
    }
}

/// Skips to the `#endif`, or, if `look` is set, to the next branch whose condition holds.
fn skip_branches(cur: &mut Cursor<'_>, look: bool) {
    let mut depth = 0usize;
    while cur.pos() < cur.end() {
        let end = cur.line_end();
        let line_text = cur.text().get(cur.pos()..end).unwrap_or_default().trim_start();
        let directive = line_text.strip_prefix('#').map(|r| {
            let len = r.bytes().take_while(u8::is_ascii_alphabetic).count();
            &r[..len]
        });
        let after = |cur: &mut Cursor<'_>, word: &str| {
            let at = end - line_text.len() + 1 + word.len();
            cur.set_pos(at);
        };
        match directive {
            Some("if") => depth += 1,
            Some("endif") if depth == 0 => return after(cur, "endif"),
            Some("endif") => depth -= 1,
            Some("else") if depth == 0 && look => return after(cur, "else"),
            Some("elseif") if depth == 0 && look => {
                after(cur, "elseif");
                let mut line = Cursor::in_range(cur.text(), cur.pos()..end);
                if disjunction(&mut line, 0) {
                    cur.set_pos(end);
                    return;
                }
            }
            _ => {}
        }
        cur.set_pos(end + 1);
    }
}

fn disjunction(cur: &mut Cursor<'_>, depth: u32) -> bool {
    let mut holds = conjunction(cur, depth);
    while cur.eat("||") {
        holds |= conjunction(cur, depth);
    }
    holds
}

fn conjunction(cur: &mut Cursor<'_>, depth: u32) -> bool {
    let mut holds = condition(cur, depth);
    while cur.eat("&&") {
        holds &= condition(cur, depth);
    }
    holds
}

fn condition(cur: &mut Cursor<'_>, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    if cur.eat("!") {
        return !condition(cur, depth + 1);
    }
    if cur.eat("(") {
        let holds = disjunction(cur, depth + 1);
        cur.eat(")");
        return holds;
    }
    let Some(name) = cur.ident() else { return false };
    if cur.here() != b'(' {
        // `$Feature`: all features are supported except for Embedded Swift.
        return name == "true" || name.starts_with('$') && name != "$Embedded";
    }
    let start = cur.pos() + 1;
    skip_brackets(cur);
    let argument = cur.text().get(start..cur.pos().saturating_sub(1)).unwrap_or_default().trim();
    match name {
        "compiler" | "swift" | "_compiler_version" => version_holds(argument),
        "hasFeature" => argument != "Embedded",
        "hasAttribute" => true,
        "os" => argument == "Linux",
        "arch" => argument == "x86_64",
        "_pointerBitWidth" => argument == "_64",
        "_endian" => argument == "little",
        "_runtime" => argument == "_Native",
        "_ptrauth" | "canImport" | "targetEnvironment" => false,
        _ => false,
    }
}

/// Evaluates a version comparison such as `>=5.3` or `<6`.
fn version_holds(argument: &str) -> bool {
    let (less, version) = match (argument.strip_prefix(">="), argument.strip_prefix('<')) {
        (Some(v), _) => (false, v),
        (_, Some(v)) => (true, v),
        _ => return false,
    };
    let mut parts = version.trim().split('.').map(|p| p.parse::<u32>().unwrap_or(0));
    let wanted = [parts.next().unwrap_or(0), parts.next().unwrap_or(0)];
    if less { VERSION < wanted } else { VERSION >= wanted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions() {
        let holds = |text: &str| disjunction(&mut Cursor::new(text), 0);
        assert!(holds("compiler(>=5.3) && $NonescapableTypes"));
        assert!(!holds("compiler(<5.3)") && !holds("$Embedded") && holds("!$Embedded"));
        assert!(holds("!(os(Windows) || os(Android) || ($Embedded && !os(Linux)))"));
        assert!(holds("_pointerBitWidth(_64) && !$Embedded"));
        assert!(!holds(&"(".repeat(10_000)) && !holds("") && !holds("&&"));
    }

    #[test]
    fn the_branch_that_holds_is_left() {
        for (text, expected) in [
            ("#if $Embedded\nlet a\n#elseif os(Linux)\nlet b\n#else\nlet c\n#endif\nlet d", "bd"),
            ("#if os(Linux)\nlet a\n#else\n#if true\nlet b\n#endif\n#endif\nlet d", "ad"),
            ("#if os(Windows)\nlet a\n#if true\n#else\n#endif\n#endif\nlet d", "d"),
            ("#if os(Windows)\nlet a", ""),
        ] {
            let mut cur = Cursor::new(text);
            let mut names = String::new();
            while !cur.at_end() {
                if !directive(&mut cur) {
                    names.extend(cur.eat_word("let").then(|| cur.ident().unwrap_or_default()));
                }
            }
            assert_eq!(names, expected, "{text}");
        }
    }
}
