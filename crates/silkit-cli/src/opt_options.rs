//! The options of `sil-opt`, which begin with one dash or two, as LLVM's tools take them.

use crate::printers::PRINTERS;
use silkit::diag::nearest;
use silkit::passes;

/// What an option is followed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// Nothing, or `=true` and its like.
    Nothing,
    /// A value, after `=` or as the next argument.
    Value,
}

/// Options that change what is done.
const MEANT: &[(&str, Takes)] = &[
    ("o", Takes::Value),
    ("j", Takes::Value),
    ("format", Takes::Value),
    ("module-name", Takes::Value),
    ("enable-upcoming-feature", Takes::Value),
    ("swift-version", Takes::Value),
    ("verify", Takes::Nothing),
    ("verify-additional-prefix", Takes::Value),
    ("sil-disable-input-verify", Takes::Nothing),
    ("sil-verify-none", Takes::Nothing),
    ("disable-sil-ownership-verifier", Takes::Nothing),
    ("verify-continue-on-failure", Takes::Nothing),
    ("disable-swift-verification", Takes::Nothing),
    ("dont-abort-on-memory-lifetime-errors", Takes::Nothing),
    ("sil-ownership-verifier-enable-testing", Takes::Nothing),
    ("enable-sil-opaque-values", Takes::Nothing),
    ("emit-sib", Takes::Nothing),
    ("serialize", Takes::Nothing),
    ("sil-print-types", Takes::Nothing),
    ("sil-print-debuginfo", Takes::Nothing),
    ("emit-sorted-sil", Takes::Nothing),
    ("emit-verbose-sil", Takes::Nothing),
    ("help", Takes::Nothing),
    ("h", Takes::Nothing),
    ("list", Takes::Nothing),
    ("passes", Takes::Value),
    ("pipeline", Takes::Value),
    ("print-before", Takes::Value),
    ("print-after", Takes::Value),
    ("print-all", Takes::Nothing),
    ("print-changed", Takes::Nothing),
    ("sil-print-before", Takes::Value),
    ("sil-print-after", Takes::Value),
    ("sil-print-around", Takes::Value),
    ("sil-print-all", Takes::Nothing),
    ("sil-print-last", Takes::Nothing),
    ("sil-print-pass-name", Takes::Nothing),
    ("sil-print-function", Takes::Value),
    ("sil-print-functions", Takes::Value),
    ("sil-disable-pass", Takes::Value),
    ("sil-opt-pass-count", Takes::Value),
    ("verify-each", Takes::Nothing),
    ("time-passes", Takes::Nothing),
    ("stats", Takes::Nothing),
];

/// Options that take no value and change nothing here.
const IDLE: &[&str] = &[
    "bypass-resilience-checks",
    "debug-diagnostic-names",
    "disable-ast-verifier",
    "disable-callee-allocated-coro-abi",
    "disable-implicit-swift-modules",
    "disable-objc-interop",
    "enable-address-dependencies",
    "enable-ast-verifier",
    "enable-async-demotion",
    "enable-callee-allocated-coro-abi",
    "enable-copy-propagation",
    "enable-experimental-concurrency",
    "enable-experimental-cxx-interop",
    "enable-experimental-differentiable-programming",
    "enable-experimental-distributed",
    "enable-experimental-linear-map-transposition",
    "enable-experimental-move-only",
    "enable-experimental-static-assert",
    "enable-lexical-lifetimes",
    "enable-library-evolution",
    "enable-move-inout-stack-protector",
    "enable-noreturn-prediction",
    "enable-objc-interop",
    "enable-ossa-complete-lifetimes",
    "enable-ossa-modules",
    "enable-ossa-verify-complete",
    "enable-pack-metadata-stack-promotion",
    "enable-sil-verify-all",
    "enable-spec-devirt",
    "enable-throws-prediction",
    "enable-verify-exclusivity",
    "ignore-always-inline",
    "mergeable-traps",
    "parse-serialized-sil",
    "print-stats",
    "remove-runtime-asserts",
    "sil-disable-ast-dump",
    "sil-verify-all",
    "sil-verify-without-invalidation",
    "strict-implicit-module-context",
    "wmo",
];

/// Options that take a value and change nothing here.
const IDLE_WITH_VALUE: &[&str] = &[
    "F",
    "I",
    "Xcc",
    "assert-conf-id",
    "enable-experimental-feature",
    "enforce-exclusivity",
    "explicit-swift-module-map-file",
    "irgen-debuginfo-level",
    "module-cache-path",
    "opt-mode",
    "resource-dir",
    "save-optimization-record-format",
    "save-optimization-record-passes",
    "save-optimization-record-path",
    "sdk",
    "sil-inline-threshold",
    "sil-remarks",
    "sil-remarks-missed",
    "strict-concurrency",
    "target",
    "unavailable-decl-optimization",
    "vfsoverlay",
];

/// The upcoming features of the language that are on in Swift 6: there they cannot be asked for.
const ON_IN_SWIFT_6: &[&str] = &[
    "BareSlashRegexLiterals",
    "ConciseMagicFile",
    "DeprecateApplicationMain",
    "DisableOutwardActorInference",
    "DynamicActorIsolation",
    "ForwardTrailingClosures",
    "GlobalActorIsolatedTypesUsability",
    "GlobalConcurrency",
    "ImplicitOpenExistentials",
    "ImportObjcForwardDeclarations",
    "InferSendableFromCaptures",
    "IsolatedDefaultValues",
    "NonfrozenEnumExhaustivity",
    "RegionBasedIsolation",
    "StrictConcurrency",
];

/// Whether the upcoming features that are asked for fit the version of the language.
pub(crate) fn check_features(arguments: &[Argument]) -> Result<(), (String, String)> {
    let values = |wanted: &'static str| {
        arguments.iter().filter_map(move |argument| match argument {
            Argument::Value(name, value) if *name == wanted => Some(value.as_str()),
            _ => None,
        })
    };
    let version = values("swift-version").next_back().and_then(|v| v.split('.').next()?.parse::<u32>().ok());
    let on = values("enable-upcoming-feature").find(|feature| ON_IN_SWIFT_6.contains(feature));
    match (version, on) {
        (Some(6..), Some(feature)) => Err((
            format!("upcoming feature \"{feature}\" is already enabled as of Swift version 6"),
            format!("leave out `-enable-upcoming-feature {feature}`"),
        )),
        _ => Ok(()),
    }
}

/// An argument: an option that means something here, or a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// `-sil-print-types`; `false` where it is followed by `=false`.
    Flag(&'static str, bool),
    /// `-o x`.
    Value(&'static str, String),
    /// A path, or `-`.
    File(String),
}

/// Takes the arguments apart. What has no effect here is left out.
pub(crate) fn parse(args: &[String]) -> Result<Vec<Argument>, (String, String)> {
    let mut found = Vec::new();
    let mut only_files = false;
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        if !only_files && matches!(&**arg, "-Xllvm" | "--Xllvm") && args.peek().is_some() {
            // So the compiler is told the options that the tool takes by themselves.
            continue;
        }
        let option = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')).filter(|_| !only_files);
        let Some(option) = option.filter(|_| arg != "-") else {
            found.push(Argument::File(arg.clone()));
            continue;
        };
        if option.is_empty() {
            only_files = true;
            continue;
        }
        let (name, inline) = option.split_once('=').map_or((option, None), |(n, v)| (n, Some(v.to_owned())));
        if let Some(name) = pass_option(name) {
            found.push(Argument::Value(name, inline.unwrap_or_default()));
            continue;
        }
        let (meant, takes) = match lookup(name) {
            Some(known) => known,
            // `-Ipath`, `-j4`.
            None if option.starts_with(['I', 'F']) => continue,
            None => match option.strip_prefix('j').filter(|n| n.parse::<usize>().is_ok()) {
                Some(number) => {
                    found.push(Argument::Value("j", number.to_owned()));
                    continue;
                }
                None => return Err(unknown(arg, name)),
            },
        };
        if takes == Takes::Nothing {
            // The one form in which changes are printed may be named.
            let inline = inline.filter(|form| name != "print-changed" || form != "diff");
            let on = switch(inline.as_deref())
                .ok_or_else(|| (format!("`{arg}` takes no value"), format!("leave it at `-{name}`")))?;
            found.extend(meant.map(|name| Argument::Flag(name, on)));
            continue;
        }
        let value = inline.or_else(|| args.next().cloned()).ok_or_else(|| {
            (format!("`-{name}` needs a value"), "it follows as the next argument, or after `=`".to_owned())
        })?;
        found.extend(meant.map(|name| Argument::Value(name, value)));
    }
    Ok(found)
}

/// The name, where it means something here, and what follows.
fn lookup(name: &str) -> Option<(Option<&'static str>, Takes)> {
    if let Some(&(name, takes)) = MEANT.iter().find(|m| m.0 == name) {
        return Some((Some(name), takes));
    }
    if let Some(printer) = PRINTERS.iter().find(|p| p.name == name) {
        return Some((Some(printer.name), Takes::Nothing));
    }
    if let Some(pass) = passes::find(name) {
        return Some((Some(pass.tag), Takes::Nothing));
    }
    if IDLE.contains(&name) {
        return Some((None, Takes::Nothing));
    }
    IDLE_WITH_VALUE.contains(&name).then_some((None, Takes::Value))
}

/// The name of an option that a pass asks for.
pub(crate) fn pass_option(name: &str) -> Option<&'static str> {
    passes::all().iter().flat_map(|pass| pass.options).find(|option| **option == name).copied()
}

/// What LLVM's tools take after the `=` of a switch.
fn switch(value: Option<&str>) -> Option<bool> {
    match value {
        None | Some("" | "true" | "TRUE" | "True" | "1") => Some(true),
        Some("false" | "FALSE" | "False" | "0") => Some(false),
        // Switches of three values have words of their own; none of them means anything here.
        Some(_) => None,
    }
}

fn unknown(arg: &str, name: &str) -> (String, String) {
    let printers = PRINTERS.iter().map(|p| p.name);
    let all = MEANT
        .iter()
        .map(|m| m.0)
        .chain(printers)
        .chain(passes::all().iter().map(|p| p.tag))
        .chain(IDLE.iter().copied())
        .chain(IDLE_WITH_VALUE.iter().copied());
    let hint = nearest(name, all.filter(|n| n.len() > 1))
        .map_or("`silkit opt -help` lists the options".to_owned(), |n| format!("did you mean `-{n}`?"));
    (format!("unknown option `{arg}`"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn dashes_values_and_switches() {
        let found =
            parse(&args("--sil-print-types -o=x -I a -Ib -emit-sorted-sil=0 - -j4 -target t y -- -z"));
        let flag = |name, on| Argument::Flag(name, on);
        let value = |name, v: &str| Argument::Value(name, v.to_owned());
        let file = |v: &str| Argument::File(v.to_owned());
        let want = [
            flag("sil-print-types", true),
            value("o", "x"),
            flag("emit-sorted-sil", false),
            file("-"),
            value("j", "4"),
            file("y"),
            file("-z"),
        ];
        assert_eq!(found.expect("no error"), want);
    }

    #[test]
    fn errors_say_what_to_try() {
        let hint = |line| parse(&args(line)).expect_err("an error").1;
        assert_eq!(hint("-sil-print-type x"), "did you mean `-sil-print-types`?");
        assert_eq!(hint("-o"), "it follows as the next argument, or after `=`");
        assert_eq!(hint("-sil-print-types=7"), "leave it at `-sil-print-types`");
        assert_eq!(hint("-qqqqqqqq"), "`silkit opt -help` lists the options");
    }
}
