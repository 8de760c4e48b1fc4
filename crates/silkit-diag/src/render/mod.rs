//! Renderers of diagnostics: for humans ([`Terminal`], [`short`]) and for programs ([`json_lines`], [`sarif`]).
//!
//! Every renderer takes diagnostics in output order, usually that of [`Diagnostics::sorted`]. Renderers do not fail: if
//! the file of a span is not in the map, or the span exceeds the end of the file, the parts that cannot be shown are
//! omitted. Text output for humans never contains control characters or bidirectional overrides from the input.
//!
//! ```
//! use silkit_diag::{Diagnostic, RuleId, SourceMap, Span, render::Terminal};
//! let mut sources = SourceMap::new();
//! let file = sources.add("a.sil", "  return %9 : $Int\n")?;
//! let d = Diagnostic::error(RuleId::new("SIL0102"), "use of an unknown value")
//!     .label(Span::new(file, 9, 11), "not defined");
//! assert_eq!(Terminal::plain().render(&d, &sources), "\
//! error[SIL0102]: use of an unknown value
//!  --> a.sil:1:10
//!   |
//! 1 |   return %9 : $Int
//!   |          ^^ not defined
//! ");
//! # Ok::<(), silkit_diag::TextTooLong>(())
//! ```

mod excerpt;
mod json;
mod sarif;
mod short;
mod terminal;
mod text;

pub use json::json_lines;
pub use sarif::{Tool, sarif, sarif_rules};
pub use short::short;
pub use terminal::Terminal;
pub use text::{escape_html, one_line, printable, printable_json};

use crate::{Diagnostic, Diagnostics, OriginFrame};

/// Returns the summary line of a run, such as `2 errors, 1 warning (1 not shown)`, or `None` if there were no errors or
/// warnings.
pub fn summary(diagnostics: &Diagnostics) -> Option<String> {
    let counted = |n: usize, word: &str| match n {
        0 => None,
        1 => Some(format!("1 {word}")),
        n => Some(format!("{n} {word}s")),
    };
    let parts: Vec<String> =
        [counted(diagnostics.error_count(), "error"), counted(diagnostics.warning_count(), "warning")]
            .into_iter()
            .flatten()
            .collect();
    let hidden = match diagnostics.suppressed_count() {
        0 => String::new(),
        n => format!(" ({n} not shown)"),
    };
    (!parts.is_empty()).then(|| parts.join(", ") + &hidden)
}

/// Returns a note that names the entity of a finding, if the entity has a readable name or the finding has no label.
fn entity_note(diagnostic: &Diagnostic) -> Option<String> {
    let entity = diagnostic.entity.as_deref()?;
    let has_place = !diagnostic.labels.is_empty();
    if has_place && entity.title.is_none() {
        return None;
    }
    let name = entity.title.as_deref().unwrap_or(&entity.name);
    let part = entity.part.as_deref().filter(|_| !has_place);
    let part = part.map(|part| format!(", at `{part}`")).unwrap_or_default();
    let origin = match entity.origin.as_slice() {
        [] => String::new(),
        frames => format!(", {}", OriginFrame::describe(frames)),
    };
    Some(format!("in {} `{name}`{part}{origin}", entity.kind.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuleId;

    #[test]
    fn entities() {
        let plain = Diagnostic::error(RuleId::new("R"), "m");
        assert_eq!(entity_note(&plain), None);
        let entity = crate::DiagnosedEntity::function("$s1f").value("%1");
        let frame = |function: Option<&str>, file: &str, line| OriginFrame {
            function: function.map(Into::into),
            file: file.into(),
            line,
            column: 4,
        };
        let origin = vec![frame(Some("f()"), "x/a.swift", 3)];
        let named = plain.clone().entity(entity.clone().title("f()").origin(origin));
        assert_eq!(entity_note(&named).as_deref(), Some("in function `f()`, at `%1`, a.swift:3:4"));
        let place = crate::Span::at(crate::FileId::new(0), 1);
        assert_eq!(entity_note(&named.at(place)).as_deref(), Some("in function `f()`, a.swift:3:4"));
        assert_eq!(entity_note(&plain.clone().at(place).entity(entity.clone())), None);
        let calls =
            vec![frame(Some("g()"), "b.swift", 5), frame(None, "c.swift", 6), frame(None, "a.swift", 3)];
        let inlined = plain.at(place).entity(entity.title("f()").origin(calls));
        let note = "in function `f()`, b.swift:5:4 in `g()`, inlined at c.swift:6:4, inlined at a.swift:3:4";
        assert_eq!(entity_note(&inlined).as_deref(), Some(note));
    }

    #[test]
    fn summaries() {
        let mut found = Diagnostics::new().with_max_errors(1);
        assert_eq!(summary(&found), None);
        found.push(Diagnostic::warning(RuleId::new("R"), "w"));
        assert_eq!(summary(&found).as_deref(), Some("1 warning"));
        found.push(Diagnostic::error(RuleId::new("R"), "e"));
        found.push(Diagnostic::error(RuleId::new("R"), "e"));
        assert_eq!(summary(&found).as_deref(), Some("2 errors, 1 warning (1 not shown)"));
    }
}
