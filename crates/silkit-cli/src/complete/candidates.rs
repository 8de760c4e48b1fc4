//! Completion candidates for a position of the command line.

use crate::opt::{KnownWord, known_words};
use clap::{Arg, Command, ValueHint};
use silkit::demangle::{Style, demangle};
use silkit::ir::Release;
use silkit::ir::{Module, Opcode};
use silkit::pass::reference_pipelines;
use silkit::passes;
use silkit::verify::rules;
use silkit_exec::mutate::Operator;
use silkit_interp::ViolationKind;
use std::path::Path;

/// The possible completions of a word.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Completion {
    /// A file name, which the shell completes.
    Files,
    /// One of the given words.
    Words(Vec<Candidate>),
    /// One of the given words, or a file if none of them matches.
    WordsOrFiles(Vec<Candidate>),
}

/// A candidate word for a completion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    /// The text of the word.
    pub(crate) text: String,
    /// The description of the word; may be empty.
    pub(crate) help: String,
}

fn word(text: impl Into<String>, help: impl Into<String>) -> Candidate {
    Candidate { text: text.into(), help: help.into() }
}

/// The maximum size in bytes of a file that is read for function names.
const MOST_BYTES: u64 = 32 << 20;

/// Returns the possible completions of the word at `index`.
pub(crate) fn complete(words: &[String], index: usize) -> Completion {
    let (words, index) = as_command(words, index);
    let (words, current) = unsplit(&words, index);
    // The shell keeps an opening quote.
    let current = current.trim_start_matches(['\'', '"']);
    let found = find(&words, current);
    // For `--option=value`, only the value is completed; some shells split the word at `=`, others do not.
    let (kept, part) = match current.split_once('=') {
        Some((option, value)) if current.starts_with('-') => (format!("{option}="), value),
        _ => (String::new(), current),
    };
    let is_split = words_are_split(&kept, index, &words);
    let matching = |found: Vec<Candidate>| -> Vec<Candidate> {
        let matching = found.into_iter().filter(|candidate| candidate.text.starts_with(part));
        let whole = |c: Candidate| {
            if kept.is_empty() || is_split { c } else { word(kept.clone() + &c.text, c.help) }
        };
        matching.map(whole).collect()
    };
    match found {
        Completion::Files => Completion::Files,
        Completion::Words(found) => Completion::Words(matching(found)),
        Completion::WordsOrFiles(found) => match matching(found) {
            found if found.is_empty() => Completion::Files,
            found => Completion::Words(found),
        },
    }
}

/// Returns the words and the index after a link name is replaced by its command: `silkit opt` for `sil-opt`.
fn as_command(words: &[String], index: usize) -> (Vec<String>, usize) {
    let name = words.first().and_then(|first| Path::new(first).file_stem()?.to_str());
    let link = crate::LINKS.iter().find(|(link, _)| Some(*link) == name);
    let Some((_, command)) = link else { return (words.to_vec(), index) };
    let begin = ["silkit", command].map(str::to_owned);
    (begin.into_iter().chain(words.iter().skip(1).cloned()).collect(), index + 1)
}

/// Returns true if the shell passed `--option`, `=` and `value` as separate words, so that it replaces only the value.
fn words_are_split(kept: &str, index: usize, words: &[String]) -> bool {
    !kept.is_empty() && index > words.len() + 1
}

/// Joins words that the shell split at `=`. Returns the words before the current one, and the current one.
fn unsplit(words: &[String], index: usize) -> (Vec<String>, String) {
    let mut joined: Vec<String> = Vec::new();
    let mut glue = false;
    for word in words.iter().take(index + 1).skip(1) {
        let ends_option = joined.last().is_some_and(|last| last.starts_with('-'));
        if word == "=" && ends_option {
            glue = true;
            if let Some(last) = joined.last_mut() {
                last.push('=');
            }
        } else if let (true, Some(last)) = (std::mem::take(&mut glue), joined.last_mut()) {
            last.push_str(word);
        } else {
            joined.push(word.clone());
        }
    }
    let is_present = words.len() > index;
    let current = if is_present { joined.pop().unwrap_or_default() } else { String::new() };
    (joined, current)
}

fn find(words: &[String], current: &str) -> Completion {
    let mut command = crate::command(None);
    command.build();
    let words = match after_options(&command, words) {
        Some(words) => words,
        None => return of_command(&command, words, current),
    };
    let Some(name) = words.first() else {
        return if current.starts_with('-') {
            Completion::Words(options(&command))
        } else {
            Completion::Words(subcommands(&command))
        };
    };
    if name == "help" {
        return Completion::Words(subcommands(&command));
    }
    if name == "opt" {
        return of_opt(&words[1..], current);
    }
    match command.find_subcommand(name) {
        Some(command) if command.has_subcommands() && words.len() == 1 && !current.starts_with('-') => {
            Completion::Words(subcommands(command))
        }
        Some(command) => match words.get(1).and_then(|name| command.find_subcommand(name)) {
            Some(subcommand) => of_command(subcommand, &words[2..], current),
            None => of_command(command, &words[1..], current),
        },
        None => Completion::Files,
    }
}

/// Returns the words after the options that precede the name of the command; `None` if the last of them needs a value.
fn after_options<'w>(command: &Command, mut words: &'w [String]) -> Option<&'w [String]> {
    while let Some(option) = words.first().filter(|word| word.starts_with('-')) {
        let needs_value = named(command, option).is_some_and(|arg| arg.get_action().takes_values());
        words = words.get(if needs_value { 2 } else { 1 }..)?;
    }
    Some(words)
}

fn subcommands(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    shown.map(|c| word(c.get_name(), about(c))).collect()
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Returns the options of a command.
fn options(command: &Command) -> Vec<Candidate> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let named = shown.filter_map(|arg| {
        let name = arg.get_long().map(|long| format!("--{long}"));
        let name = name.or_else(|| arg.get_short().map(|short| format!("-{short}")))?;
        Some(word(name, arg.get_help().map(ToString::to_string).unwrap_or_default()))
    });
    named.collect()
}

/// Returns the argument of an option as it is spelled on the command line.
fn named<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| match name.strip_prefix("--") {
        Some(long) => {
            let aliases = arg.get_visible_aliases().unwrap_or_default();
            arg.get_long() == Some(long) || aliases.contains(&long)
        }
        None => name.strip_prefix('-').is_some_and(|rest| {
            arg.get_long() == Some(rest) || rest.parse().is_ok_and(|short| arg.get_short() == Some(short))
        }),
    })
}

fn of_command(command: &Command, words: &[String], current: &str) -> Completion {
    let named = |name: &str| named(command, name);
    let takes_value = |arg: &&Arg| arg.get_action().takes_values();
    if let Some((option, _)) = current.split_once('=')
        && let Some(arg) = named(option).filter(takes_value)
    {
        return values(command, arg, words, current);
    }
    if let Some(arg) = words.last().and_then(|last| named(last)).filter(takes_value) {
        return values(command, arg, words, current);
    }
    if current.starts_with('-') {
        return Completion::Words(options(command));
    }
    let mut positionals = command.get_positionals();
    let first = positionals.next();
    let has_file = words.iter().any(|word| Path::new(word).is_file());
    match positionals.next().filter(|_| has_file).or(first) {
        Some(arg) => values(command, arg, words, current),
        None => Completion::Files,
    }
}

/// Returns the possible values of an argument, whose value begins with the value in `current`.
fn values(command: &Command, arg: &Arg, words: &[String], current: &str) -> Completion {
    let value =
        current.split_once('=').filter(|_| current.starts_with('-')).map_or(current, |(_, value)| value);
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let help = |value: &clap::builder::PossibleValue| value.get_help().map(ToString::to_string);
        let shown = possible.iter().map(|value| word(value.get_name(), help(value).unwrap_or_default()));
        return Completion::Words(shown.collect());
    }
    match (command.get_name(), arg.get_id().as_str()) {
        (_, "only" | "allow") => Completion::Words(all_rules()),
        ("graph", "around") if words.iter().any(|word| word == "classes") => Completion::Words(types(words)),
        (_, "function" | "func" | "named" | "entry" | "around") => Completion::Words(functions(words)),
        (_, "pass") => Completion::Words(tags()),
        (_, "passes") => Completion::Words(in_list(value, pipelines())),
        (_, "no_check") => {
            Completion::Words(ViolationKind::ALL.iter().map(|kind| word(kind.name(), "")).collect())
        }
        (_, "operator") => {
            let all = Operator::ALL.iter().map(|operator| word(operator.name(), ""));
            Completion::Words(in_list(value, all.collect()))
        }
        ("remove", "modules") => {
            let names = crate::library::Directory::of_user().and_then(|folder| folder.names().ok());
            Completion::Words(names.into_iter().flatten().map(|name| word(name, "")).collect())
        }
        ("pipelines", "name") => Completion::Words(named_pipelines().collect()),
        ("explain", "names") => {
            let instructions = Opcode::ALL.iter().map(|opcode| opcode.info());
            let instructions = instructions.map(|info| word(info.name, info.summary));
            let passes = silkit::passes::all().iter().map(|pass| word(pass.tag, pass.summary));
            let others = all_rules().into_iter().chain(crate::explain::codes());
            Completion::Words(instructions.chain(passes).chain(others).collect())
        }
        ("graph", "what") if words.iter().all(|word| word.starts_with('-')) => {
            // The first argument may also be a file.
            Completion::WordsOrFiles(["calls", "cfg", "classes"].iter().map(|kind| word(*kind, "")).collect())
        }
        _ if matches!(
            arg.get_value_hint(),
            ValueHint::FilePath | ValueHint::AnyPath | ValueHint::DirPath
        ) =>
        {
            Completion::Files
        }
        _ => Completion::Words(Vec::new()),
    }
}

fn of_opt(words: &[String], current: &str) -> Completion {
    let known = known_words();
    let plain = |text: &str| text.trim_start_matches('-').to_owned();
    let named = |text: &str| {
        let is_option = text.starts_with('-') && text.len() > 1;
        known.iter().find(|option| is_option && plain(&option.name) == plain(text))
    };
    if let Some((option, _)) = current.split_once('=')
        && let Some(option) = named(option)
    {
        return of_opt_value(option, words, current.split_once('=').map_or("", |(_, value)| value));
    }
    if let Some(option) = words.last().and_then(|last| named(last)).filter(|option| !option.meta.is_empty()) {
        return of_opt_value(option, words, current);
    }
    if current.starts_with('-') {
        let dashes = if current.starts_with("--") { "--" } else { "-" };
        return Completion::Words(
            known
                .iter()
                .map(|option| word(dashes.to_owned() + &plain(&option.name), option.help.clone()))
                .collect(),
        );
    }
    Completion::Files
}

fn of_opt_value(option: &KnownWord, words: &[String], value: &str) -> Completion {
    if !option.words.is_empty() {
        return Completion::Words(option.words.iter().map(|value| word(*value, "")).collect());
    }
    match (option.name.as_str(), option.meta) {
        (_, "TAG") => Completion::Words(tags()),
        ("-sil-print-functions", _) | ("-sil-print-function", _) => Completion::Words(functions(words)),
        (_, "PART") => Completion::Words(tags()),
        (_, "PIPELINE") => Completion::Words(in_list(value, pipelines())),
        (_, "FILE") => Completion::Files,
        _ => Completion::Words(Vec::new()),
    }
}

fn tags() -> Vec<Candidate> {
    passes::all().iter().map(|pass| word(pass.tag, pass.summary)).collect()
}

/// Returns the pipelines of the reference, and the sequences of them from raw SIL.
fn named_pipelines() -> impl Iterator<Item = Candidate> {
    let all = reference_pipelines::of_release(Release::default())
        .map(|pipeline| word(pipeline.name, "a pipeline of the reference"));
    let sequences = reference_pipelines::PIPELINE_SEQUENCES.iter();
    all.chain(sequences.map(|sequence| word(sequence.name, "pipelines from raw SIL")))
}

fn pipelines() -> Vec<Candidate> {
    named_pipelines().chain(tags()).collect()
}

/// Returns the candidates for the last item of a list: `function(mem2reg,dce` for `function(mem2reg,d`.
fn in_list(list: &str, items: Vec<Candidate>) -> Vec<Candidate> {
    match list.rfind(['(', ',']) {
        Some(end) => {
            items.into_iter().map(|item| word(list[..=end].to_owned() + &item.text, item.help)).collect()
        }
        None => items,
    }
}

fn all_rules() -> Vec<Candidate> {
    let ids = rules().map(|rule| word(rule.id.as_str(), format!("{}: {}", rule.name, rule.summary)));
    ids.chain(rules().map(|rule| word(rule.name, rule.summary))).collect()
}

/// Returns the module in the first file among the words.
fn module(words: &[String]) -> Option<Module> {
    let is_small =
        |path: &&String| Path::new(path).metadata().is_ok_and(|m| m.is_file() && m.len() <= MOST_BYTES);
    let path = words.iter().find(is_small)?;
    silkit::read(path, &std::fs::read(path).ok()?).ok()
}

/// Returns the types of the module in the line.
fn types(words: &[String]) -> Vec<Candidate> {
    let graph = module(words).map(|module| silkit::graph::classes(&silkit::declarations(&module)));
    graph.into_iter().flat_map(|graph| graph.nodes).map(|node| word(node.id, "")).collect()
}

/// Returns the demangled and mangled names of the functions of the module in the line.
fn functions(words: &[String]) -> Vec<Candidate> {
    let Some(module) = module(words) else { return Vec::new() };
    let bodies = module.functions.values().filter(|function| function.body.is_some());
    let names = bodies.flat_map(|function| {
        let mangled = function.name.as_str();
        let readable = demangle(mangled, Style::Simplified);
        let help = readable.clone().unwrap_or_default();
        readable.map(|readable| word(readable, "")).into_iter().chain([word(mangled, help)])
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match complete(&words, words.len() - 1) {
            Completion::Files => vec![":files".to_owned()],
            Completion::WordsOrFiles(_) => panic!("decided by then"),
            Completion::Words(found) => found.into_iter().map(|candidate| candidate.text).collect(),
        }
    }

    #[test]
    fn commands_and_their_options() {
        assert_eq!(texts("silkit ver"), ["verify"]);
        assert_eq!(texts("silkit help ver"), ["verify"]);
        assert_eq!(texts("silkit verify --lim"), ["--limit"]);
        assert_eq!(texts("silkit stats --format j"), ["json"]);
        assert_eq!(texts("silkit stats --format=j"), ["--format=json"]);
        assert_eq!(texts("silkit verify a"), [":files"]);
        assert!(texts("silkit verify --only SIL0402").contains(&"SIL0402".to_owned()));
        assert_eq!(texts("silkit explain struct_ex"), ["struct_extract"]);
    }

    #[test]
    fn options_and_passes_of_opt() {
        assert!(texts("silkit opt --p").contains(&"--passes".to_owned()));
        assert!(texts("silkit opt -mem").contains(&"-mem2reg".to_owned()));
        assert_eq!(texts("silkit opt --format s"), ["sarif"]);
        assert_eq!(texts("silkit opt --print-changed=d"), ["--print-changed=diff"]);
        assert_eq!(texts("silkit opt --print-after mem2"), ["mem2reg"]);
        assert!(texts("silkit opt --passes On").contains(&"Onone".to_owned()));
        assert_eq!(texts("silkit opt x"), [":files"]);
        assert_eq!(texts("silkit bisect -p mem2"), ["mem2reg"]);
    }

    #[test]
    fn the_items_of_lists_and_the_commands_of_commands() {
        assert_eq!(texts("silkit opt --passes function(mem2reg,dce-"), [] as [&str; 0]);
        assert_eq!(texts("silkit opt --passes function(mem2"), ["function(mem2reg"]);
        assert_eq!(texts("silkit opt --passes=dce,mem2"), ["--passes=dce,mem2reg"]);
        assert_eq!(texts("silkit mutate --operator constant,rel"), ["constant,relational"]);
        assert_eq!(texts("silkit run --no-check mis"), ["misaligned"]);
        assert_eq!(texts("silkit pipelines perf"), ["performance"]);
        assert_eq!(texts("silkit library im"), ["import"]);
        assert_eq!(texts("silkit library import --tool"), ["--toolchain"]);
        assert_eq!(texts("silkit graph cal"), ["calls"]);
        assert_eq!(texts("silkit graph examples"), [":files"]);
        assert_eq!(texts("silkit --color alw"), ["always"]);
        assert_eq!(texts("silkit --color always ver"), ["verify"]);
    }

    #[test]
    fn links_complete_as_their_commands() {
        assert_eq!(texts("sil-opt -mem2"), ["-mem2reg"]);
        assert_eq!(texts("sil-nm --dem"), ["--demangle"]);
        assert!(texts("/usr/bin/sil-func-extractor --").contains(&"--invert".to_owned()));
    }

    #[test]
    fn words_that_bash_splits_are_joined() {
        let words: Vec<String> = ["silkit", "stats", "--format", "=", "te"].map(str::to_owned).to_vec();
        let Completion::Words(found) = complete(&words, 4) else { panic!("words") };
        assert_eq!(found.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["text"]);
    }

    #[test]
    fn functions_of_the_file_in_the_line() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/shapes.raw.sil");
        for line in
            ["alias FILE --function Canvas.tot", "graph FILE -f 'Canvas.tot", "run FILE --entry Canvas.tot"]
        {
            assert_eq!(
                texts(&format!("silkit {}", line.replace("FILE", file))),
                ["Canvas.total()"],
                "{line}"
            );
        }
        assert_eq!(texts(&format!("silkit graph classes {file} --around Sh")), ["Shape"]);
        assert_eq!(
            texts(&format!("silkit opt {file} -sil-print-function $s6shapes6CanvasC5totalSdyF")),
            ["$s6shapes6CanvasC5totalSdyF", "$s6shapes6CanvasC5totalSdyFS2d_AA5ShapeOtXEfU_"]
        );
    }
}
