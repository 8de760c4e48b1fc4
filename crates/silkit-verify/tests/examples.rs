//! The page of every rule: its failing example breaks this rule alone, the corrected one none.

mod support;

use silkit_diag::Severity;
use silkit_ir::conventions::Addresses;
use silkit_text::decl::declarations;
use silkit_verify::{Finding, LinkedModule, Rule, VerifyOptions, rules, verify, verify_linked};

/// What examples take for granted.
const HEAD: &str = "sil_stage canonical\n\nimport Builtin\nimport Swift\n\n";

/// Returns what is found in an example: in each of its modules, of which a line `// module Name` begins a further one
/// of this name, and in all of them together.
fn run(rule: &Rule, example: &str) -> (String, Vec<Finding>) {
    let id = rule.id;
    let mut parts = vec![("Main", String::new())];
    for line in example.split_inclusive('\n') {
        match line.strip_prefix("// module ") {
            Some(name) => parts.push((name.trim_end(), String::new())),
            None => parts.last_mut().expect("never empty").1.push_str(line),
        }
    }
    let (mut read, mut found) = (Vec::new(), Vec::new());
    for (name, text) in parts {
        let text = if text.contains("sil_stage") { text } else { format!("{HEAD}{text}") };
        let parsed = silkit_text::parse_module(&text);
        assert!(parsed.errors.is_empty(), "{id}: {:#?}\n{text}", parsed.errors);
        let declarations = declarations(&parsed.module);
        found.extend(
            verify(&parsed.module, &declarations, Some(parsed.source(&text)), &VerifyOptions::default())
                .findings,
        );
        read.push((name, parsed.module, declarations));
    }
    let modules: Vec<LinkedModule<'_>> = read
        .iter()
        .map(|(name, module, declarations)| LinkedModule {
            module,
            declarations,
            name: (*name).into(),
            package: None,
        })
        .collect();
    found.extend(verify_linked(&modules, &VerifyOptions::default()).into_iter().map(|f| f.finding));
    (example.to_owned(), found)
}

#[test]
fn examples_keep_their_word() {
    for rule in rules() {
        let id = rule.id;
        let (text, failing) = run(rule, rule.failing);
        let found: Vec<&str> = failing.iter().map(|f| f.rule.id.as_str()).collect();
        assert!(!found.is_empty(), "{id}: its failing example breaks no rule\n{text}");
        assert!(found.iter().all(|f| *f == id.as_str()), "{id}: {failing:#?}\n{text}");
        let is_lenient = rule.severity == Severity::Warning;
        assert!(!is_lenient || !failing.iter().any(Finding::is_error), "{id}: an error of a rule that warns");
        let (text, corrected) = run(rule, rule.corrected);
        assert!(corrected.is_empty(), "{id}: {corrected:#?}\n{text}");
    }
}

/// What is found in each example of one module is listed in `tests/messages/examples.txt`.
#[test]
fn messages_are_as_listed() {
    let mut all = String::new();
    for rule in rules() {
        for (name, example) in [("failing", rule.failing), ("corrected", rule.corrected)] {
            if example.contains("// module ") {
                continue;
            }
            let text =
                if example.contains("sil_stage") { example.to_owned() } else { format!("{HEAD}{example}") };
            let told = support::told(&text, Addresses::Lowered);
            if !told.is_empty() {
                all += &format!("{}, {name}\n{told}", rule.id);
            }
        }
    }
    support::expect("messages/examples.txt", &all);
}

#[test]
fn ids_and_names_are_unique_and_in_order() {
    let all: Vec<&Rule> = rules().collect();
    for (i, rule) in all.iter().enumerate() {
        for other in &all[..i] {
            assert!(rule.id != other.id && rule.name != other.name, "{} is declared twice", rule.id);
        }
        assert!(rule.id.as_str().starts_with("SIL0") && !rule.family().is_empty(), "{}", rule.id);
        for text in [rule.summary, rule.details, rule.failing, rule.corrected] {
            assert!(!text.is_empty(), "{} leaves a part of its page empty", rule.id);
        }
        assert!(!rule.summary.ends_with('.'), "{}: a summary ends without a full stop", rule.id);
        let silkit_verify::Check::With(ids) = rule.check else { continue };
        for id in ids {
            let with = all.iter().find(|r| r.id.as_str() == *id).expect("the other rule exists");
            assert!(!matches!(with.check, silkit_verify::Check::With(_)), "{}: {id} has no check", rule.id);
        }
    }
}

#[test]
fn the_page_of_rules_is_fresh() {
    let mut page = String::from(
        "# Rules of the verifier\n\nMade from the rules' own pages by `UPDATE_EXPECT=1 cargo test -p silkit-verify`. \
         `silkit explain ID` shows one with a\nfailing and a corrected example, `silkit verify --list` all.\n",
    );
    let mut family = "";
    for rule in rules() {
        if rule.family() != family {
            family = rule.family();
            page += &format!(
                "\n## {}{}\n\n| id | name | demands |\n|---|---|---|\n",
                &family[..1].to_uppercase(),
                &family[1..]
            );
        }
        page += &format!("| {} | {} | {} |\n", rule.id, rule.name, rule.summary.replace('|', "\\|"));
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let fresh = std::fs::read_to_string(&path).is_ok_and(|old| old == page);
    assert!(fresh, "docs/rules.md is not fresh: run `UPDATE_EXPECT=1 cargo test -p silkit-verify`");
}
