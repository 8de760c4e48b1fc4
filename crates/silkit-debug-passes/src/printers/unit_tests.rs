//! `run-unit-tests`: runs unit tests of data structures, independently of the input file.

use silkit_analysis::ProjectionPath;
use silkit_pass::ModuleContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> =
    Pass::module("run-unit-tests", "Runs unit tests of data structures", &run);

/// A unit test with its name.
type UnitTest = (&'static str, fn() -> Result<(), String>);

const ALL: &[UnitTest] = &[("ProjectionPath", projection_paths)];

fn run(cx: &mut ModuleContext<'_>) {
    let mut text = "--- Run unit tests ---\n".to_owned();
    for (name, test) in ALL {
        text += &format!("test {name}\n");
        if let Err(why) = test() {
            let message = format!("unit test {name} failed: {why}");
            cx.report(None, message);
        }
    }
    cx.print(&text);
}

fn check(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Paths with all kinds of components.
const PATHS: &[&str] =
    &["", "s0", "s3.c2", "c0.s1.e2", "ct.s7", "i*.s0", "s0.v**", "c1.c*.v**", "e0.**", "v**.c*.v**", "**"];

/// Checks that parsing, printing, patterns, merging and overlap tests are consistent.
fn projection_paths() -> Result<(), String> {
    let mut paths = Vec::new();
    for text in PATHS {
        let (path, rest) = ProjectionPath::parse(text).map_err(|e| format!("`{text}` is not read: {e:?}"))?;
        check(rest.is_empty(), || format!("`{rest}` is left of `{text}`"))?;
        check(path.to_string() == *text, || format!("`{text}` prints as `{path}`"))?;
        paths.push(path);
    }
    for &left in &paths {
        check(left.matches(left), || format!("`{left}` does not match itself"))?;
        for &right in &paths {
            let merged = left.merge(right);
            check(merged == right.merge(left), || format!("`{left}` and `{right}` merge in one order only"))?;
            check(left.matches(merged) && right.matches(merged), || {
                format!("`{left}` and `{right}` do not both match `{merged}`")
            })?;
            check(left.may_overlap(right) == right.may_overlap(left), || {
                format!("`{left}` and `{right}` overlap in one order only")
            })?;
            check(!left.matches(right) || left.may_overlap(right), || {
                format!("`{left}` matches `{right}` without overlapping it")
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_analysis::FunctionEffects;
    use silkit_pass::Stream;
    use silkit_text::{effect_texts, parse_effects};

    #[test]
    fn all_pass() {
        let text = printed("run-unit-tests", Stream::Out, "sil_stage canonical\n");
        assert_eq!(text, "--- Run unit tests ---\ntest ProjectionPath\n");
    }

    #[test]
    fn effects_print_as_they_are_spelled() {
        let texts = ["%0: noescape **, read v**.c*.v**", "%1: escape c*.v** -> %0.v**", "global: write,copy"];
        let mut effects = FunctionEffects::default();
        for text in texts {
            parse_effects(&mut effects, text).expect("effects");
        }
        assert_eq!(effect_texts(&effects), texts);
    }
}
