//! Small valid modules have no finding; broken by one edit, they are judged as the reference judges them.
//!
//! The reference is asked where it is installed. Modules to break are taken in turn from this test's own, the upstream
//! suite and the folders of `SILKIT_MODULES` (separated by `:`), as far as both find them valid.
//!
//! | variable | means |
//! |---|---|
//! | `SILKIT_MUTANTS=3000` | so many mutants, 60 otherwise |
//! | `SILKIT_SEED=7` | other mutants than those of seed 1 |
//! | `SILKIT_VERDICTS=file` | remembers the reference's answers from run to run |
//! | `SILKIT_KEEP=folder` | writes the mutants there that the two disagree about |
//!
//! What the two disagree about is printed, and which rule found what.

use rayon::prelude::*;
use silkit_testkit::{mutate::mutate, random::Random, shared, verdict::ReferenceVerdicts};
use silkit_text::decl::declarations;
use silkit_verify::{Finding, VerifyOptions, VerifyReport, rules, verify};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Larger modules take the reference too long.
const MAX_LEN: u64 = 300_000;
/// How many of a hundred verdicts are the reference's at least.
const LEAST_AGREEMENT: usize = 95;

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// Returns the SIL files below a folder that are not too large, in a fixed order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let data = entry.metadata().expect("known");
            if data.is_dir() {
                folders.push(entry.path());
            } else if data.len() <= MAX_LEN && entry.path().extension().is_some_and(|e| e == "sil") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Returns the findings, or what is wrong where the text is no SIL.
fn findings(text: &str) -> Result<VerifyReport, String> {
    let parsed = silkit_text::parse_module(text);
    match parsed.errors.first() {
        Some(error) => Err(format!("{error:?}")),
        None => Ok(verify(
            &parsed.module,
            &declarations(&parsed.module),
            Some(parsed.source(text)),
            &VerifyOptions::default(),
        )),
    }
}

#[test]
fn valid_modules_have_no_finding() {
    for path in files(&own()) {
        let text = std::fs::read_to_string(&path).expect("a file");
        let report = findings(&text).expect("SIL");
        assert!(report.findings.is_empty(), "{}: {:#?}", path.display(), report.findings);
    }
}

/// A module that may be broken.
struct Base {
    name: String,
    path: PathBuf,
    /// Its text, if both find it valid.
    text: OnceLock<Option<String>>,
}

impl Base {
    fn text(&self, verdicts: &ReferenceVerdicts) -> Option<&str> {
        let read = || {
            let text = std::fs::read_to_string(&self.path).ok()?;
            let is_good = findings(&text).is_ok_and(|r| !r.findings.iter().any(Finding::is_error));
            (is_good && verdicts.verdict(&text).expect("an answer").is_none()).then_some(text)
        };
        self.text.get_or_init(read).as_deref()
    }
}

fn bases() -> Vec<Vec<Base>> {
    let mut folders = vec![own()];
    folders.extend(shared::folder("conformance/suite").ok());
    folders.extend(std::env::var_os("SILKIT_MODULES").iter().flat_map(std::env::split_paths));
    let base = |folder: &Path, path: PathBuf| Base {
        name: path.strip_prefix(folder).unwrap_or(&path).display().to_string(),
        path,
        text: OnceLock::new(),
    };
    folders.iter().map(|f| files(f).into_iter().map(|path| base(f, path)).collect()).collect()
}

/// A mutant and the two verdicts on it.
struct Judged {
    what: String,
    text: String,
    /// The ids of the rules that it breaks, and the first finding; none for a text that is no SIL.
    ours: BTreeSet<String>,
    first: Option<String>,
    theirs: Option<String>,
}

/// Mutants by what is said of them.
type Classes<'a> = BTreeMap<String, Vec<&'a Judged>>;

/// Returns one mutant of a module chosen by a number, with what both say of it; nothing if the reference is
/// undecided.
fn judge_one(verdicts: &ReferenceVerdicts, groups: &[Vec<Base>], number: u64) -> Option<Judged> {
    let mut random = Random::new(number);
    let (name, text) = (0..1000).find_map(|_| {
        let group = pick_group(&mut random, groups)?;
        let base = random.pick(group)?;
        Some((&base.name, base.text(verdicts)?))
    })?;
    let seed = random.number();
    let mutant = mutate(text, seed);
    let what = format!("{name}: {}", mutant.description);
    let ours = std::panic::catch_unwind(|| findings(&mutant.text)).expect(&what);
    let theirs = verdicts.verdict(&mutant.text).expect("an answer");
    let (ours, first) = match ours {
        Err(error) => (BTreeSet::from(["text".to_owned()]), Some(error)),
        Ok(report) => {
            // A warning leaves open what the reference says, as those about Swift declarations do.
            let errors = || report.findings.iter().filter(|f| f.is_error() || theirs.is_some());
            let first = errors().next().map(|f| format!("{}: {}", f.rule.id, f.message));
            (errors().map(|f| f.rule.id.to_string()).collect(), first)
        }
    };
    let is_undecided =
        theirs.is_some() == first.is_none() && verdicts.is_undecided(&mutant.text).expect("an answer");
    (!is_undecided).then_some(Judged { what, text: mutant.text, ours, first, theirs })
}

/// Returns one of the groups: those after the first, which is small, ten times as often.
fn pick_group<'a, T>(random: &mut Random, groups: &'a [Vec<T>]) -> Option<&'a [T]> {
    let at = random.below(groups.len().saturating_sub(1) * 10 + 1);
    groups.get(at.div_ceil(10)).map(Vec::as_slice)
}

/// Returns a complaint without what differs from mutant to mutant.
fn class_of(complaint: &str) -> String {
    let mut class = String::new();
    for (index, part) in complaint.split(['\'', '`', '"']).enumerate() {
        class += if index % 2 == 1 { "…" } else { part };
    }
    let is_digit = |c: char| c.is_ascii_digit();
    class.split(is_digit).filter(|p| !p.is_empty()).collect::<Vec<_>>().join("#")
}

#[test]
fn mutants_are_judged_as_the_reference_judges_them() {
    let tool = silkit_testkit::or_skip!(shared::ReferenceTools::find());
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (count, seed) = (number("SILKIT_MUTANTS", 60), number("SILKIT_SEED", 1));
    let verdicts = ReferenceVerdicts::new(tool, std::env::var_os("SILKIT_VERDICTS").map(PathBuf::from))
        .expect("a judge");
    let groups = bases();
    let all: Vec<Judged> = (0..count)
        .into_par_iter()
        .filter_map(|n| judge_one(&verdicts, &groups, seed.wrapping_mul(1_000_003).wrapping_add(n)))
        .collect();
    assert!(!all.is_empty(), "no module is valid");
    let (mut good, mut bad) = (0, 0);
    let (mut missed, mut wrong) = (Classes::new(), Classes::new());
    let mut caught: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for judged in &all {
        match (&judged.first, &judged.theirs) {
            (None, None) => good += 1,
            (Some(_), Some(_)) => bad += 1,
            (None, Some(theirs)) => missed.entry(class_of(theirs)).or_default().push(judged),
            (Some(ours), None) => wrong.entry(class_of(ours)).or_default().push(judged),
        }
        for rule in &judged.ours {
            let (times, alone) = caught.entry(rule).or_default();
            *times += 1;
            *alone += usize::from(judged.ours.len() == 1);
        }
    }
    let agreed = good + bad;
    eprintln!(
        "seed {seed}: {count} mutants, {} left out as the reference is undecided; {agreed} of {} agree ({:.2} %): \
         {good} good and {bad} bad by both",
        count as usize - all.len(),
        all.len(),
        100.0 * agreed as f64 / all.len() as f64
    );
    for (title, classes) in [("bad by the reference alone", &missed), ("bad by Silkit alone", &wrong)] {
        eprintln!("{title}: {}", classes.values().map(Vec::len).sum::<usize>());
        for (why, mutants) in classes {
            eprintln!("  {:4} {why}", mutants.len());
            mutants.iter().take(6).for_each(|m| eprintln!("         {}", m.what));
        }
    }
    eprintln!("rule: mutants caught, by it alone");
    for rule in ["text"].into_iter().chain(rules().map(|r| r.id.as_str())) {
        if let Some((times, alone)) = caught.get(rule) {
            eprintln!("  {rule} {times:5} {alone:5}");
        }
    }
    if let Some(keep) = std::env::var_os("SILKIT_KEEP").map(PathBuf::from) {
        std::fs::create_dir_all(&keep).expect("a folder");
        for (kind, classes) in [("missed", &missed), ("wrong", &wrong)] {
            for (index, judged) in classes.values().flatten().enumerate() {
                let why = judged.theirs.as_ref().or(judged.first.as_ref()).map_or("", String::as_str);
                let text = format!("{}\n// {}\n// {}\n", judged.text, judged.what, why.replace('\n', " "));
                std::fs::write(keep.join(format!("{kind}-{index:03}.sil")), text).expect("written");
            }
        }
    }
    assert!(agreed * 100 >= all.len() * LEAST_AGREEMENT, "{agreed} of {} verdicts agree", all.len());
}
