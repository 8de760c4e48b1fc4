//! The HTML report of `silkit mutate`: the lines of the program, each with its mutants.

use super::{STATUSES, function_name};
use crate::listing::Listing;
use silkit::diag::OriginFrame;
use silkit::diag::render::escape_html;
use silkit_exec::mutate::{Mutant, MutantStatus, MutationReport};
use std::collections::BTreeMap;
use std::fmt::Write;

const HEAD: &str = "\
<!DOCTYPE html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Mutants</title>
<style>
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; } th, td { text-align: right; padding: .1em .8em; } th:first-child { text-align: left; }
.line { font-family: ui-monospace, monospace; white-space: pre; display: block; padding-left: 5em; text-indent: -5em; }
.line > i { display: inline-block; width: 4em; text-indent: 0; color: #888; font-style: normal; text-align: right; padding-right: 1em; }
details { display: inline; } summary { display: inline; cursor: pointer; }
ul { margin: .2em 0 .4em 6em; white-space: normal; text-indent: 0; }
.survives { background: #f3363640; } .found { background: #2aa14b30; } .idle { background: #8883; }
</style></head><body>
";

/// Returns the HTML page for a report.
pub(super) fn page(listing: &Listing, report: &MutationReport) -> String {
    let mut page = HEAD.to_owned();
    let (found, ran) = report.score();
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "<h1>{}</h1>\n<p>{found} of {ran} mutants found.</p>\n<table><tr>",
        escape_html(&listing.name)
    );
    for status in STATUSES {
        let _ = write!(page, "<th>{status}</th>");
    }
    page += "</tr><tr>";
    for status in STATUSES {
        let _ = write!(page, "<td>{}</td>", report.count(status));
    }
    page += "</tr></table>\n";
    swift(&mut page, listing, report);
    let mut by_line: BTreeMap<usize, Vec<&Mutant>> = BTreeMap::new();
    for mutant in &report.mutants {
        if let Some(line) = listing.line(mutant.function, mutant.change.inst) {
            by_line.entry(line).or_default().push(mutant);
        }
    }
    // Only lines with mutants and this number of lines around them are shown; functions without mutants, declarations
    // and tables are omitted.
    const AROUND: usize = 4;
    let shown = |line: usize| by_line.range(line.saturating_sub(AROUND)..=line + AROUND).next().is_some();
    let mut was_shown = true;
    for (number, line) in listing.text.lines().enumerate() {
        if shown(number) {
            write_line(&mut page, number + 1, line, by_line.get(&number).map_or(&[], Vec::as_slice), listing);
        } else if was_shown {
            page += "<span class=\"line\"><i>⋮</i></span>\n";
        }
        was_shown = shown(number);
    }
    page + "</body></html>\n"
}

/// Lists the Swift source lines with surviving mutants, if there is debug information.
fn swift(page: &mut String, listing: &Listing, report: &MutationReport) {
    let stacks = listing.stacks();
    let mut lines: BTreeMap<(String, u32), Vec<&Mutant>> = BTreeMap::new();
    for mutant in report.mutants.iter().filter(|m| m.status == MutantStatus::Survives) {
        let origin = listing.origin(&stacks, mutant.function, mutant.change.inst).into_iter().next();
        if let Some(OriginFrame { file, line, .. }) = origin {
            lines.entry((file.into(), line)).or_default().push(mutant);
        }
    }
    if lines.is_empty() {
        return;
    }
    *page += "<h2>Swift lines with surviving mutants</h2>\n";
    for ((file, line), mutants) in lines {
        let text = std::fs::read_to_string(&file).ok();
        let text = text.as_deref().and_then(|text| text.lines().nth(line as usize - 1)).unwrap_or_default();
        let _ = writeln!(page, "<div>{}:{line}</div>", escape_html(&file));
        write_line(page, line as usize, text, &mutants, listing);
    }
    *page += "<h2>SIL</h2>\n";
}

fn write_line(page: &mut String, number: usize, line: &str, mutants: &[&Mutant], listing: &Listing) {
    let class = |mutant: &Mutant| match mutant.status {
        MutantStatus::Survives => "survives",
        MutantStatus::Reported(_) | MutantStatus::Noticed(_) => "found",
        _ => "idle",
    };
    let worst = ["survives", "found", "idle"].into_iter().find(|c| mutants.iter().any(|m| class(m) == *c));
    let line = escape_html(line);
    if mutants.is_empty() {
        let _ = writeln!(page, "<span class=\"line\"><i>{number}</i>{line}</span>");
        return;
    }
    let worst = worst.unwrap_or_default();
    let _ = write!(
        page,
        "<span class=\"line {worst}\"><i>{number}</i><details><summary>{line} <b>{}</b></summary><ul>",
        mutants.len()
    );
    for mutant in mutants {
        let reason = mutant.status.reason().and_then(|reason| reason.lines().next()).unwrap_or_default();
        let _ = write!(
            page,
            "<li class=\"{}\">{} in {}: {} — {} {}</li>",
            class(mutant),
            mutant.change.operator.name(),
            escape_html(&function_name(listing, mutant)),
            escape_html(&mutant.change.to_string()),
            mutant.status.name(),
            escape_html(reason),
        );
    }
    *page += "</ul></details></span>\n";
}
