//! The options of `silkit opt`, which accept one or two dashes, like those of LLVM's tools. The parser, the help,
//! completion and suggestions all use the same tables: `table.rs`, and `reference.rs` for options of the reference that
//! Silkit does not have.

mod help;
mod reference;
mod table;

pub(crate) use help::{KnownWord, help, known_words, manual_arguments};

use super::printers::PRINTERS;
use super::refusal::Refusal;
use super::request::Request;
use crate::color;
use silkit::diag::nearest;
use silkit::pass::{OptionType, Pass, PassOption};
use silkit::passes;
use std::ffi::OsString;
use std::path::PathBuf;

/// The kind of value that an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OptionValue {
    /// No value, or a boolean such as `=true` or `=false`.
    Nothing,
    /// No value, or one of the given words after `=`.
    Choice(&'static [&'static str]),
    /// A value, after `=` or as the next argument; restricted to the given words if there are any.
    Value(&'static str, &'static [&'static str]),
}

/// The action of an option.
#[derive(Clone, Copy)]
enum Action {
    Switch(fn(&mut Request, bool)),
    Choice(fn(&mut Request, Option<&str>)),
    Value(fn(&mut Request, &str) -> Result<(), Refusal>),
}

/// An option of `silkit opt`.
#[derive(Clone, Copy)]
struct OptOption {
    /// The name with its dashes: two if the reference does not have the option.
    name: &'static str,
    takes: OptionValue,
    help: &'static str,
    act: Action,
}

/// A group of options under one heading of the help.
struct Group {
    title: &'static str,
    options: &'static [OptOption],
}

const fn switch(name: &'static str, help: &'static str, act: fn(&mut Request, bool)) -> OptOption {
    OptOption { name, takes: OptionValue::Nothing, help, act: Action::Switch(act) }
}

const fn value(
    name: &'static str,
    meta: &'static str,
    help: &'static str,
    act: fn(&mut Request, &str) -> Result<(), Refusal>,
) -> OptOption {
    OptOption { name, takes: OptionValue::Value(meta, &[]), help, act: Action::Value(act) }
}

const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    help: &'static str,
    act: fn(&mut Request, Option<&str>),
) -> OptOption {
    OptOption { name, takes: OptionValue::Choice(words), help, act: Action::Choice(act) }
}

/// The meaning of an option name.
enum KnownOption {
    Option(&'static OptOption),
    /// A pass, or a printer that runs as a pass.
    Pass(Pass<'static>),
    Printer(&'static super::printers::Printer),
    /// A pass option.
    OfPass(&'static PassOption),
    /// An option that is accepted without effect.
    Inert {
        takes_value: bool,
    },
    /// An option that is accepted without effect, alone or with one of the given values.
    InertChoice(&'static [&'static str]),
    /// A rejected option, with the reason.
    Refused(&'static str),
}

fn options() -> impl Iterator<Item = &'static OptOption> {
    table::GROUPS.iter().flat_map(|group| group.options)
}

/// Returns the options of passes that are not options of the command itself, sorted by name.
fn of_passes() -> impl Iterator<Item = &'static PassOption> {
    let is_own = |option: &PassOption| options().any(|own| plain(own.name) == option.name);
    let is_read = |option: &PassOption| passes::all().iter().any(|pass| pass.options.contains(&option));
    silkit::pass::options::ALL.iter().copied().filter(move |option| is_read(option) && !is_own(option))
}

fn plain(name: &str) -> &str {
    name.trim_start_matches('-')
}

fn lookup(name: &str) -> Option<KnownOption> {
    if let Some(option) = options().find(|option| plain(option.name) == name) {
        return Some(KnownOption::Option(option));
    }
    if let Some(option) = of_passes().find(|option| option.name == name) {
        return Some(KnownOption::OfPass(option));
    }
    if let Some(printer) = PRINTERS.iter().find(|printer| printer.name == name) {
        return Some(KnownOption::Printer(printer));
    }
    if let Some(pass) = passes::find(name) {
        return Some(KnownOption::Pass(pass));
    }
    for inert in reference::INERT {
        if inert.switches.contains(&name) {
            return Some(KnownOption::Inert { takes_value: false });
        }
        if inert.values.contains(&name) {
            return Some(KnownOption::Inert { takes_value: true });
        }
        if let Some((_, choices)) = inert.choices.iter().find(|(choice, _)| *choice == name) {
            return Some(KnownOption::InertChoice(choices));
        }
    }
    let refused = reference::REFUSED.iter().find(|refused| refused.options.contains(&name));
    if let Some(refused) = refused {
        return Some(KnownOption::Refused(refused.reason));
    }
    reference::TAGS.contains(&name).then_some(KnownOption::Refused(NOT_BUILT))
}

/// The message for a pass of the reference that is not implemented.
const NOT_BUILT: &str = "this pass of sil-opt is not implemented; `silkit opt --list` lists the passes";

/// Parses the arguments of `silkit opt`.
pub(crate) fn parse(args: &[OsString]) -> Result<Request, Refusal> {
    let mut request = Request::default();
    let mut only_files = false;
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        let text = arg.to_str();
        if !only_files && matches!(text, Some("-Xllvm" | "--Xllvm")) && rest.peek().is_some() {
            // The compiler passes LLVM options as `-Xllvm OPTION`; here they are plain options.
            continue;
        }
        let is_option = !only_files && arg != "-" && arg.as_encoded_bytes().starts_with(b"-");
        match text {
            _ if !is_option => request.inputs.push(PathBuf::from(arg)),
            Some("--") => only_files = true,
            // `--color always` as for all commands; `--color` alone as for sil-opt.
            Some("-color" | "--color") => {
                let word = rest.next_if(|next| color::WORDS.iter().any(|word| *next == word));
                let text = word.map_or("--color".to_owned(), |word| format!("--color={}", word.display()));
                option(&mut request, &text, &mut || None)?;
            }
            Some(text) => option(&mut request, text, &mut || rest.next())?,
            None => {
                let message = format!("the option `{}` is not valid UTF-8", arg.display());
                return Err((message, "put `--` before a file whose name begins with `-`".to_owned()));
            }
        }
    }
    request.check_features()?;
    request.passes.check_pipeline(request.dialect)?;
    Ok(request)
}

/// Parses one option, and its value if that is a separate argument.
fn option<'a>(
    request: &mut Request,
    arg: &str,
    next: &mut dyn FnMut() -> Option<&'a OsString>,
) -> Result<(), Refusal> {
    let body = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')).unwrap_or(arg);
    let (name, inline) = body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value)));
    let Some(known) = lookup(name) else {
        return joined(request, body).unwrap_or_else(|| Err(unknown(arg, name)));
    };
    let mut value = |what: &str| -> Result<String, Refusal> {
        let given = match inline {
            Some(value) => Some(value.to_owned()),
            None => next().map(|value| value.to_string_lossy().into_owned()),
        };
        given.ok_or_else(|| {
            (format!("`-{name}` needs a value"), format!("write `-{name} {what}` or `-{name}={what}`"))
        })
    };
    match known {
        KnownOption::Option(OptOption {
            takes: OptionValue::Value(meta, words),
            act: Action::Value(act),
            ..
        }) => {
            let value = value(meta)?;
            if !words.is_empty() && !words.contains(&value.as_str()) {
                return Err(table::wrong_word(name, &value, words));
            }
            act(request, &value)?;
        }
        KnownOption::Option(OptOption {
            takes: OptionValue::Choice(words),
            act: Action::Choice(act),
            ..
        }) => match inline {
            Some(word) if !words.contains(&word) => return Err(table::wrong_word(name, word, words)),
            word => act(request, word),
        },
        KnownOption::Option(OptOption { act: Action::Switch(act), .. }) => {
            act(request, is_on(arg, name, inline)?)
        }
        KnownOption::Option(_) => return Err(unknown(arg, name)),
        KnownOption::OfPass(PassOption { name, value: OptionType::Switch, .. }) => {
            request.passes.options.set(*name, inline.unwrap_or_default());
        }
        KnownOption::OfPass(option) => request.passes.options.set(option.name, &value("VALUE")?),
        KnownOption::Pass(pass) => {
            if is_on(arg, name, inline)? {
                request.passes.pipeline.steps.push(pass.into());
            }
        }
        KnownOption::Printer(printer) => {
            if is_on(arg, name, inline)? {
                request.printers.push(printer);
            }
        }
        KnownOption::Inert { takes_value: true } => _ = value("VALUE")?,
        KnownOption::Inert { takes_value: false } => _ = is_on(arg, name, inline)?,
        KnownOption::InertChoice(choices) if inline.is_some_and(|value| choices.contains(&value)) => {}
        KnownOption::InertChoice(choices) => {
            let of_choices =
                |(message, hint)| (message, format!("{hint}, or `-{name}={}`", choices.join("|")));
            _ = is_on(arg, name, inline).map_err(of_choices)?;
        }
        KnownOption::Refused(reason) => {
            return Err((format!("`-{name}` is not supported"), reason.to_owned()));
        }
    }
    Ok(())
}

/// Parses `-j4`, `-Ipath` and `-Fpath`, whose value follows without a separator.
fn joined(request: &mut Request, body: &str) -> Option<Result<(), Refusal>> {
    if let Some(number) = body.strip_prefix('j').and_then(|number| number.parse().ok()) {
        request.threads = number;
        return Some(Ok(()));
    }
    body.starts_with(['I', 'F']).then_some(Ok(()))
}

/// Parses the value of a switch after the `=`, as LLVM's tools do.
fn is_on(arg: &str, name: &str, value: Option<&str>) -> Result<bool, Refusal> {
    match value {
        None | Some("" | "true" | "TRUE" | "True" | "1") => Ok(true),
        Some("false" | "FALSE" | "False" | "0") => Ok(false),
        Some(_) => Err((format!("`{arg}` takes no value"), format!("write `-{name}` or `-{name}=false`"))),
    }
}

/// Returns the names of all accepted options and passes, as written on the command line.
fn names() -> impl Iterator<Item = String> {
    let of_passes = of_passes().map(|option| option.name);
    let tags = passes::all().iter().map(|pass| pass.tag).chain(PRINTERS.iter().map(|p| p.name));
    let inert = reference::INERT.iter().flat_map(|inert| inert.names());
    let dashed = of_passes.chain(tags).chain(inert).map(|name| format!("-{name}"));
    options().map(|option| option.name.to_owned()).chain(dashed)
}

fn unknown(arg: &str, name: &str) -> Refusal {
    let names: Vec<String> = names().filter(|name| name.len() > 3).collect();
    let near = nearest(name, names.iter().map(|name| plain(name)));
    let near = near.and_then(|near| names.iter().find(|name| plain(name) == near));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`silkit opt -help` lists the options".to_owned(),
    };
    (format!("unknown option `{arg}`"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn dashes_values_and_switches() {
        let line = "--sil-print-types -o=x -I a -Ib -emit-sorted-sil=0 - -j4 -target t y -dce -sroa=0 -- -z";
        let request = parse(&args(&line.replace("-sroa=0", "-mem2reg=false"))).expect("no error");
        assert!(request.print.types && !request.print.sorted);
        assert_eq!(request.output, PathBuf::from("x"));
        assert_eq!(request.threads, 4);
        assert_eq!(request.inputs, ["-", "y", "-z"].map(PathBuf::from));
        assert_eq!(
            request.passes.pipeline.steps.iter().map(|step| step.pass.tag).collect::<Vec<_>>(),
            ["dce"]
        );
    }

    #[test]
    fn options_of_passes_have_their_values_alone_too() {
        let request = parse(&args("-opt-mode none -assert-conf-id=1 x")).expect("no error");
        assert_eq!(request.passes.options.get("opt-mode"), Some("none"));
        assert_eq!(request.passes.options.get("assert-conf-id"), Some("1"));
        assert_eq!(request.inputs, [PathBuf::from("x")]);
        assert!(of_passes().all(|option| matches!(lookup(option.name), Some(KnownOption::OfPass(_)))));
    }

    #[test]
    fn the_pipelines_of_a_build_set_its_options() {
        let get = |line: &str, name: &str| {
            parse(&args(line)).expect("no error").passes.options.get(name).map(str::to_owned)
        };
        assert_eq!(get("--pipeline onone x", "opt-mode").as_deref(), Some("none"));
        assert_eq!(get("--pipeline onone x", "implicit-import").as_deref(), Some("SwiftOnoneSupport"));
        assert_eq!(get("--pipeline diagnostics x", "opt-mode"), None);
        assert_eq!(get("-opt-mode=speed --pipeline onone x", "opt-mode").as_deref(), Some("speed"));
        assert_eq!(get("--pipeline onone -opt-mode=size x", "opt-mode").as_deref(), Some("size"));
    }

    #[test]
    fn a_switch_without_effect_may_have_a_value() {
        for line in ["", "=true", "=requested-passes-only"] {
            assert!(parse(&args(&format!("-enable-copy-propagation{line} x"))).is_ok(), "{line}");
        }
    }

    #[test]
    fn errors_say_what_to_try() {
        let error = |line| parse(&args(line)).err().expect("an error");
        assert_eq!(error("-sil-print-type x").1, "did you mean `-sil-print-types`?");
        assert_eq!(error("--tme-passes").1, "did you mean `--time-passes`?");
        assert_eq!(error("-o").1, "write `-o FILE` or `-o=FILE`");
        assert_eq!(error("-sil-print-types=7").1, "write `-sil-print-types` or `-sil-print-types=false`");
        assert!(error("-enable-copy-propagation=maybe").1.ends_with("=requested-passes-only`"));
        assert_eq!(error("-qqqqqqqq").1, "`silkit opt -help` lists the options");
        assert_eq!(error("--print-changed=dif").1, "did you mean `diff`?");
        assert_eq!(error("--format yaml").0, "unknown format `yaml`");
        assert!(error("--pipeline nonsense(((").0.contains("unknown pass"));
        assert!(error("-sil-view-cfg").1.contains("silkit graph"));
        assert!(error("-swift-version x").0.contains("not a version"));
    }

    #[test]
    fn every_name_means_one_thing() {
        let mut names: Vec<String> = names().map(|name| plain(&name).to_owned()).collect();
        names.extend(reference::REFUSED.iter().flat_map(|refused| refused.options).map(|&n| n.to_owned()));
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn passes_of_the_reference_that_are_not_built_in_are_told_from_typing_errors() {
        let missing =
            reference::TAGS.iter().filter(|tag| matches!(lookup(tag), Some(KnownOption::Refused(NOT_BUILT))));
        for tag in missing.take(3) {
            let error = parse(&args(&format!("-{tag}"))).err().expect("an error");
            assert!(error.1.contains("not implemented"), "{error:?}");
        }
    }
}
