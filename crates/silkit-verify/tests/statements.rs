//! Statements about SIL, each with modules that keep it and modules that break it.
//!
//! The files of `tests/statements` list them by chapter. A line that begins with `=` says what follows:
//!
//! | line | what follows |
//! |---|---|
//! | `= chapter NAME` | – |
//! | `= head` | SIL before each module of the file |
//! | `= statement SUBJECT: SENTENCE` | – |
//! | `= accepts` | a module without findings |
//! | `= rejects SIL0401 SIL0402` | a module with findings of these rules, and no others; `syntax` is a module that is not read |
//! | `= misses REASON` | a module that breaks the statement and has no error, and why |
//! | `= reference accepts`, `= reference rejects` | stands after a module where the reference's verdict differs from this one |
//! | `= opaque values` | stands after a module that is read with `-enable-sil-opaque-values` |
//!
//! `docs/statements.md` is made from them by `UPDATE_EXPECT=1 cargo test -p silkit-verify --test statements`. With
//! `SILKIT_ASK=1` the reference is asked about every module, where it is installed; its answers are remembered in the
//! file that `SILKIT_VERDICTS` names.

mod support;

use rayon::prelude::*;
use silkit_ir::conventions::Addresses;
use silkit_testkit::{shared, verdict::ReferenceVerdicts};
use silkit_text::ParseOptions;
use silkit_verify::{VerifyOptions, find_rule, verify};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    Accepts,
    Rejects(BTreeSet<String>),
    Misses(String),
}

struct Case {
    place: String,
    verdict: Verdict,
    text: String,
    has_opaque_values: bool,
    /// Whether the reference accepts the module, where its verdict is not this one.
    reference: Option<bool>,
}

impl Case {
    fn is_accepted_by_reference(&self) -> bool {
        self.reference.unwrap_or(!matches!(self.verdict, Verdict::Rejects(_)))
    }
}

struct Statement {
    subject: String,
    sentence: String,
    cases: Vec<Case>,
}

struct Chapter {
    name: String,
    statements: Vec<Statement>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statements")
}

fn chapters() -> Vec<Chapter> {
    let entries = std::fs::read_dir(folder()).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Chapter {
    let text = std::fs::read_to_string(file).expect("a file");
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    let mut chapter = Chapter { name: String::new(), statements: Vec::new() };
    let mut head = String::new();
    let mut is_in_head = false;
    for (number, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", number + 1);
        let Some(command) = line.strip_prefix("= ") else {
            if is_in_head {
                head += &format!("{line}\n");
            } else if let Some(case) = chapter.statements.last_mut().and_then(|s| s.cases.last_mut()) {
                case.text += &format!("{line}\n");
            } else {
                assert!(line.is_empty(), "{place}: belongs to no module");
            }
            continue;
        };
        is_in_head = false;
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let verdict = match word {
            "accepts" => Verdict::Accepts,
            "rejects" => Verdict::Rejects(rest.split(' ').map(str::to_owned).collect()),
            "misses" => Verdict::Misses(rest.to_owned()),
            "chapter" => {
                rest.clone_into(&mut chapter.name);
                continue;
            }
            "head" => {
                is_in_head = true;
                continue;
            }
            "statement" => {
                let (subject, sentence) = rest.split_once(": ").expect("a subject and a sentence");
                let (subject, sentence) = (subject.to_owned(), sentence.to_owned());
                chapter.statements.push(Statement { subject, sentence, cases: Vec::new() });
                continue;
            }
            "reference" | "opaque" => {
                let case = chapter.statements.last_mut().and_then(|s| s.cases.last_mut());
                let case = case.unwrap_or_else(|| panic!("{place}: stands after no module"));
                match (word, rest) {
                    ("opaque", "values") => case.has_opaque_values = true,
                    (_, "accepts") => case.reference = Some(true),
                    (_, "rejects") => case.reference = Some(false),
                    _ => panic!("{place}: unknown line"),
                }
                continue;
            }
            _ => panic!("{place}: unknown line"),
        };
        let statement = chapter.statements.last_mut().unwrap_or_else(|| panic!("{place}: of no statement"));
        let text = head.clone();
        statement.cases.push(Case { place, verdict, text, has_opaque_values: false, reference: None });
    }
    chapter
}

/// Returns the verdict on a module, with all that was found.
fn judge(case: &Case) -> (Verdict, String) {
    let options = ParseOptions { opaque_values: case.has_opaque_values };
    let parsed = silkit_text::parse_module_with(&case.text, &options);
    if !parsed.errors.is_empty() {
        return (Verdict::Rejects(BTreeSet::from(["syntax".to_owned()])), format!("{:#?}", parsed.errors));
    }
    let declarations = silkit_text::decl::declarations(&parsed.module);
    let addresses = if case.has_opaque_values { Addresses::Opaque } else { Addresses::Lowered };
    let options = VerifyOptions { addresses, ..VerifyOptions::default() };
    let report = verify(&parsed.module, &declarations, Some(parsed.source(&case.text)), &options);
    let errors: Vec<_> = report.findings.iter().collect();
    let mut told = String::new();
    for finding in &errors {
        writeln!(told, "    {}: {}", finding.rule.id, finding.message).expect("written");
    }
    let rules: BTreeSet<String> = errors.iter().map(|f| f.rule.id.as_str().to_owned()).collect();
    (if rules.is_empty() { Verdict::Accepts } else { Verdict::Rejects(rules) }, told)
}

#[test]
fn modules_are_judged_as_they_say() {
    let chapters = chapters();
    let cases: Vec<&Case> = chapters.iter().flat_map(|c| &c.statements).flat_map(|s| &s.cases).collect();
    let wrong: Vec<String> = cases
        .par_iter()
        .filter_map(|case| {
            let (found, told) = judge(case);
            let is_right = match &case.verdict {
                Verdict::Misses(_) => found == Verdict::Accepts,
                other => found == *other,
            };
            (!is_right)
                .then(|| format!("{}: expected {:?}, found {found:?}\n{told}", case.place, case.verdict))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What is found in each module, with messages and places, is listed in `tests/messages/statements.txt`.
#[test]
fn messages_are_as_listed() {
    let chapters = chapters();
    let statements = chapters.iter().flat_map(|c| &c.statements);
    let cases = statements.flat_map(|s| s.cases.iter().enumerate().map(move |(at, case)| (s, at, case)));
    let lines: Vec<String> = cases
        .collect::<Vec<_>>()
        .par_iter()
        .map(|(statement, at, case)| {
            let addresses = if case.has_opaque_values { Addresses::Opaque } else { Addresses::Lowered };
            let told = support::told(&case.text, addresses);
            match told.is_empty() {
                true => String::new(),
                false => format!("{}: {}, module {}\n{told}", statement.subject, statement.sentence, at + 1),
            }
        })
        .collect();
    support::expect("messages/statements.txt", &lines.concat());
}

#[test]
fn statements_have_modules_and_rules_exist() {
    for chapter in chapters() {
        assert!(!chapter.name.is_empty(), "a chapter without a name");
        for statement in &chapter.statements {
            let (mut keeps, mut breaks) = (false, false);
            for case in &statement.cases {
                match &case.verdict {
                    Verdict::Accepts => keeps = true,
                    Verdict::Misses(reason) => {
                        assert!(!reason.is_empty(), "{}: why?", case.place);
                        breaks = true;
                    }
                    Verdict::Rejects(rules) => {
                        let is_known = |rule: &String| rule == "syntax" || find_rule(rule).is_some();
                        assert!(rules.iter().all(is_known), "{}: no such rule", case.place);
                        breaks = true;
                    }
                }
            }
            let sentence = &statement.sentence;
            assert!(keeps, "`{sentence}` has no module that keeps it");
            assert!(breaks || sentence.contains("may"), "`{sentence}` has no module that breaks it");
            assert!(!sentence.ends_with('.'), "`{sentence}` ends with a full stop");
        }
    }
}

/// Returns what the page says of a statement: by which rules it is held, and what is not.
fn row(statement: &Statement) -> String {
    let mut rules = BTreeSet::new();
    let (mut reasons, mut is_stricter, mut is_laxer) = (BTreeSet::new(), false, false);
    for case in &statement.cases {
        match &case.verdict {
            Verdict::Accepts => is_laxer |= !case.is_accepted_by_reference(),
            Verdict::Rejects(found) => {
                is_stricter |= case.is_accepted_by_reference();
                rules.extend(found.iter().map(|rule| match rule.as_str() {
                    "syntax" => "the reader",
                    rule => rule,
                }));
            }
            Verdict::Misses(reason) => {
                reasons.insert(reason.as_str());
                is_laxer |= !case.is_accepted_by_reference();
            }
        }
    }
    let rule_list = rules.into_iter().collect::<Vec<_>>().join(", ");
    let left = reasons.into_iter().collect::<Vec<_>>().join("; ");
    let reference = match (is_stricter, is_laxer) {
        (true, true) => "differs both ways",
        (true, false) => "accepts more",
        (false, true) => "rejects more",
        (false, false) => "",
    };
    let cell = |text: &str| text.replace('|', "\\|");
    format!(
        "| {} | {} | {rule_list} | {} | {reference} |\n",
        cell(&statement.subject),
        cell(&statement.sentence),
        cell(&left)
    )
}

#[test]
fn the_page_of_statements_is_fresh() {
    let mut page = String::from(
        "# Statements that the verifier was tried on\n\nMade from `crates/silkit-verify/tests/statements` by \
         `UPDATE_EXPECT=1 cargo test -p silkit-verify --test statements`. Each statement\nhas modules that keep it and \
         modules that break it. *Held by* names the rules that reject the latter ([rules.md](rules.md)), *left* says what\n\
         is accepted nevertheless, and why. The last column says where Swift 6.2.3's own verifier differs.\n",
    );
    let chapters = chapters();
    let all: Vec<&Statement> = chapters.iter().flat_map(|c| &c.statements).collect();
    let modules: usize = all.iter().map(|s| s.cases.len()).sum();
    let is_missed = |s: &&&Statement| s.cases.iter().any(|c| matches!(c.verdict, Verdict::Misses(_)));
    let missed = all.iter().filter(is_missed).count();
    write!(
        page,
        "\n{} statements with {modules} modules: {} held, {missed} left wholly or in part.\n",
        all.len(),
        all.len() - missed
    )
    .expect("written");
    let mut by_name: BTreeMap<&str, Vec<&Statement>> = BTreeMap::new();
    for chapter in &chapters {
        by_name.entry(&chapter.name).or_default().extend(&chapter.statements);
    }
    for (name, statements) in by_name {
        write!(
            page,
            "\n## {name}\n\n| subject | statement | held by | left | the reference |\n|---|---|---|---|---|\n"
        )
        .expect("written");
        statements.iter().for_each(|statement| page += &row(statement));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/statements.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let fresh = std::fs::read_to_string(&path).is_ok_and(|old| old == page);
    assert!(
        fresh,
        "docs/statements.md is not fresh: run `UPDATE_EXPECT=1 cargo test -p silkit-verify --test statements`"
    );
}

#[test]
fn the_reference_says_what_the_table_says() {
    if std::env::var_os("SILKIT_ASK").is_none() {
        eprintln!("skipped because SILKIT_ASK is not set");
        return;
    }
    let tool = silkit_testkit::or_skip!(shared::ReferenceTools::find());
    let memory = std::env::var_os("SILKIT_VERDICTS").map(PathBuf::from);
    let verdicts = ReferenceVerdicts::new(tool, memory).expect("a folder");
    let chapters = chapters();
    let cases: Vec<&Case> = chapters.iter().flat_map(|c| &c.statements).flat_map(|s| &s.cases).collect();
    let wrong: Vec<String> = cases
        .par_iter()
        .filter_map(|case| {
            let complaint = if case.has_opaque_values {
                verdicts.verdict_with(&case.text, &["-enable-sil-opaque-values"])
            } else {
                verdicts.verdict(&case.text)
            };
            let complaint = complaint.expect("an answer");
            (complaint.is_none() != case.is_accepted_by_reference()).then(|| {
                let verdict =
                    complaint.map_or_else(|| "accepts it".to_owned(), |c| format!("rejects it: {c}"));
                format!("{}: the reference {verdict}", case.place)
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
