//! The table of the options of `silkit opt`, by group, with the value, help and action of each.

use super::{Group, OptOption, OptionValue, Refusal, choice, switch, value};
use crate::color::{self, Color};
use crate::opt::passes::{known, tags_with};
use crate::opt::request::Request;
use crate::output;
use crate::session::Report;
use clap::ValueEnum;
use silkit::diag::nearest;
use silkit::ir::conventions::Addresses;
use silkit::pass::reference_pipelines::find_sequence;
use silkit::pass::{Limit, Pipeline};
use silkit::passes;
use silkit::reference::VerifierPart;

/// All options that have an effect, in the order of the help.
pub(super) const GROUPS: &[Group] = &[
    Group { title: "Output", options: OUTPUT },
    Group { title: "Input", options: INPUT },
    Group { title: "Verification", options: VERIFICATION },
    Group { title: "Passes", options: PASSES },
    Group { title: "Tracing passes", options: WATCHING },
    Group { title: "General", options: GENERAL },
];

const OUTPUT: &[OptOption] = &[
    value(
        "-o",
        "FILE",
        "Write to FILE instead of standard output; to a directory for several files",
        |r, path| {
            r.output = path.into();
            Ok(())
        },
    ),
    switch("-emit-sib", "Write binary SIL, which every command accepts instead of text", |r, on| {
        r.binary = on
    }),
    switch("-serialize", "The same as -emit-sib", |r, on| r.binary = on),
    switch("-sil-print-types", "Print the type of every operand", |r, on| {
        r.print.types = on;
        r.passes.set("sil-print-types", on);
    }),
    switch("-sil-print-debuginfo", "Print source locations and debug scopes", |r, on| {
        r.print.debug_info = on
    }),
    switch("-emit-verbose-sil", "Print the source location of each instruction", |r, on| {
        r.print.verbose = on
    }),
    value(
        "--dialect",
        "RELEASE",
        "Write the forms of this release of Swift: 6.2, 6.3, 6.4 or 6.5",
        |r, release| {
            let message = |message| (message, "expected a release of Swift, such as `6.3`".to_owned());
            r.dialect = Some(release.parse().map_err(message)?);
            Ok(())
        },
    ),
    switch("-emit-sorted-sil", "Sort functions, tables, users and predecessors", |r, on| r.print.sorted = on),
];

const INPUT: &[OptOption] = &[
    value(
        "-module-name",
        "NAME",
        "Set the module name; conformances that the file declares belong to it",
        |r, name| {
            r.module_name = Some(name.to_owned());
            Ok(())
        },
    ),
    value(
        "-swift-version",
        "N",
        "Check -enable-upcoming-feature against this version of the language",
        |r, version| {
            r.swift_version = version.split('.').next().and_then(|major| major.parse().ok());
            r.swift_version.map(|_| ()).ok_or_else(|| {
                (
                    format!("`{version}` is not a version of Swift"),
                    "expected a number, such as `6`".to_owned(),
                )
            })
        },
    ),
    value(
        "-enable-experimental-feature",
        "NAME",
        "Enable a language feature; SIL may use all of them, except `MoveOnlyClasses`",
        |r, name| {
            r.checking.has_noncopyable_classes |= name == "MoveOnlyClasses";
            Ok(())
        },
    ),
    value(
        "-enable-upcoming-feature",
        "NAME",
        "Enable a feature of a later version of the language",
        |r, name| {
            r.upcoming_features.push(name.to_owned());
            Ok(())
        },
    ),
    switch("-enable-sil-opaque-values", "Treat address-only values like any other value", |r, on| {
        r.checking.addresses = if on { Addresses::Opaque } else { Addresses::Lowered };
        r.passes.set("enable-sil-opaque-values", on);
    }),
];

const VERIFICATION: &[OptOption] = &[
    switch("-sil-verify-none", "Do not verify the module", |r, on| r.verify = !on),
    switch("-sil-disable-input-verify", "The same as -sil-verify-none", |r, on| r.verify = !on),
    switch(
        "-verify-continue-on-failure",
        "Report errors in the format of sil-opt, and print the module",
        |r, on| {
            r.checking.continues_after_errors = on;
        },
    ),
    switch("-disable-sil-ownership-verifier", "Ignore ownership errors", |r, on| {
        r.checking.skip(VerifierPart::Ownership, on)
    }),
    switch(
        "-sil-ownership-verifier-enable-testing",
        "The same as -disable-sil-ownership-verifier",
        |r, on| {
            r.checking.skip(VerifierPart::Ownership, on);
        },
    ),
    switch(
        "-disable-swift-verification",
        "Ignore errors of the verifier's part that is written in Swift",
        |r, on| {
            r.checking.skip(VerifierPart::Swift, on);
        },
    ),
    switch(
        "-dont-abort-on-memory-lifetime-errors",
        "Report memory lifetime errors in the format of sil-opt, and continue",
        |r, on| r.checking.tells_memory = on,
    ),
    switch(
        "-verify",
        "Check errors against the `// expected-error {{…}}` comments in the file",
        |r, on| r.expects = on,
    ),
    value(
        "-verify-additional-prefix",
        "PREFIX",
        "With -verify, read `// expected-PREFIXerror {{…}}` too",
        |r, prefix| {
            r.prefixes.push(prefix.to_owned());
            Ok(())
        },
    ),
];

const PASSES: &[OptOption] = &[
    value(
        "--passes",
        "PIPELINE",
        "Run a pipeline, such as `function(mem2reg,dce*)`; `*` repeats a pass until it changes nothing, \
         and a name that `silkit pipelines` lists stands for its passes",
        pipeline,
    ),
    value(
        "--pipeline",
        "PIPELINE",
        "The same as --passes; `onone` and `performance` run all pipelines of a build on raw SIL",
        pipeline,
    ),
    switch(
        "-diagnostics",
        "Run the diagnostic passes, which turn raw SIL into canonical SIL, as far as they are implemented",
        |r, on| add(r, "diagnostics", on),
    ),
    switch("-Onone-performance", "Run the passes that follow in unoptimized builds", |r, on| {
        add(r, "Onone", on);
    }),
    switch(
        "-O",
        "Run the passes that follow in optimized builds, as far as they are implemented",
        |r, on| {
            add(r, "Performance", on);
        },
    ),
    switch("--strict-pipeline", "Reject pipelines with passes that are not implemented", |r, on| {
        r.passes.is_strict = on;
    }),
    value(
        "--library",
        "FILE",
        "Let passes take declarations and bodies from FILE, text or binary; several may be given",
        |r, path| {
            r.passes.libraries.push(path.into());
            Ok(())
        },
    ),
    value(
        "-sil-disable-pass",
        "PART",
        "Leave out passes whose tags contain PART; several after commas",
        |r, parts| {
            r.passes.disabled.extend(tags_with(parts)?);
            Ok(())
        },
    ),
    value(
        "-sil-opt-pass-count",
        "N.M",
        "Stop after N runs of passes, the last of them after M transformations",
        |r, text| {
            let limit = Limit::parse(text).ok_or_else(|| {
                (format!("`{text}` is not a number of runs"), "expected `10` or `10.3`".to_owned())
            })?;
            r.passes.limit = Some(limit);
            Ok(())
        },
    ),
    switch("--list", "List the passes with a summary of each", |r, on| r.lists = on),
];

const WATCHING: &[OptOption] = &[
    value("--print-before", "TAG", "Print functions before this pass", |r, tag| {
        r.passes.printer.before.tags.push(known(tag)?.tag.to_owned());
        Ok(())
    }),
    value("--print-after", "TAG", "Print functions after this pass", |r, tag| {
        r.passes.printer.after.tags.push(known(tag)?.tag.to_owned());
        Ok(())
    }),
    switch("--print-all", "Print functions after each pass that changed them", |r, on| {
        r.passes.printer.after.all = on
    }),
    value(
        "--timeline",
        "FILE",
        "Write a page that shows what each run of a pass changes (HTML)",
        |r, path| {
            r.passes.timeline = Some(path.into());
            Ok(())
        },
    ),
    switch("-sil-print-all", "The same as --print-all", |r, on| r.passes.printer.after.all = on),
    value(
        "-sil-print-before",
        "PART",
        "Print functions before passes whose tags contain PART",
        |r, parts| {
            r.passes.printer.before.tags.extend(tags_with(parts)?.map(str::to_owned));
            Ok(())
        },
    ),
    value("-sil-print-after", "PART", "Print functions after passes whose tags contain PART", |r, parts| {
        r.passes.printer.after.tags.extend(tags_with(parts)?.map(str::to_owned));
        Ok(())
    }),
    value(
        "-sil-print-around",
        "PART",
        "Print functions before and after passes whose tags contain PART",
        |r, parts| {
            r.passes.printer.before.tags.extend(tags_with(parts)?.map(str::to_owned));
            r.passes.printer.after.tags.extend(tags_with(parts)?.map(str::to_owned));
            Ok(())
        },
    ),
    value(
        "-sil-print-function",
        "NAME",
        "Print only functions with this name; several after commas",
        |r, names| {
            r.passes.printer.functions.names.extend(names.split(',').map(str::to_owned));
            Ok(())
        },
    ),
    value("-sil-print-functions", "PART", "Print only functions whose names contain PART", |r, parts| {
        r.passes.printer.functions.parts.extend(parts.split(',').map(str::to_owned));
        Ok(())
    }),
    switch(
        "-sil-print-pass-name",
        "Print the number, the tag and the function of each run of a pass",
        |r, on| {
            r.passes.printer.names_runs = on;
        },
    ),
    switch(
        "-sil-print-last",
        "Print the function before and after the last run of -sil-opt-pass-count",
        |r, on| {
            r.passes.prints_last = on;
        },
    ),
    choice("--print-changed", &["diff"], "Print the changes of each pass", |r, _| {
        r.passes.prints_changes = true
    }),
    switch("--verify-each", "Verify after each pass, and stop at the first error", |r, on| {
        r.passes.verifies_each = on;
    }),
    switch("--time-passes", "Print the run time of each pass", |r, on| r.passes.tells_times = on),
    switch("--stats", "Print the statistics of each pass", |r, on| r.passes.tells_counts = on),
];

const GENERAL: &[OptOption] = &[
    OptOption {
        takes: OptionValue::Value("FORMAT", &["text", "json", "sarif"]),
        ..value("--format", "", "Report errors as text, json or sarif [default: text]", |r, word| {
            r.report = Report::from_str(word, false).unwrap_or_default();
            Ok(())
        })
    },
    choice("--color", color::WORDS, "Use colors: auto, always or never [default: auto]", |_, word| {
        color::choose(word.and_then(Color::from_word).unwrap_or(Color::Always));
    }),
    switch("--quiet", "Print results and errors only: no notes and no progress", |_, on| {
        output::set_quiet(on)
    }),
    switch("-q", "The same as --quiet", |_, on| output::set_quiet(on)),
    value("-j", "N", "Use N threads [default: all cores]", threads),
    value("--threads", "N", "The same as -j", threads),
    switch("-help", "Print this help; -help-hidden adds the options that are rejected", |r, on| r.helps = on),
    switch("-h", "The same as -help", |r, on| r.helps = on),
    switch("-help-hidden", "Print this help and the options of sil-opt that are rejected", |r, on| {
        r.helps = on;
        r.shows_hidden = on;
    }),
    switch("--version", "Print the version, and the versions of Swift whose SIL is read", |r, on| {
        r.shows_version = on
    }),
];

fn threads(r: &mut Request, number: &str) -> Result<(), Refusal> {
    r.threads = number
        .parse()
        .map_err(|_| (format!("`-j {number}`: `{number}` is not a number"), "try `-j 4`".to_owned()))?;
    Ok(())
}

fn pipeline(r: &mut Request, text: &str) -> Result<(), Refusal> {
    let refused = |error| crate::opt::refused_pipeline(text, &error);
    let pipeline = Pipeline::parse(text, passes::find).map_err(refused)?;
    r.passes.pipeline.append(pipeline);
    let of_build = find_sequence(text).map_or(&[][..], |sequence| sequence.options);
    for (name, value) in of_build {
        if r.passes.options.get(name).is_none() {
            r.passes.options.set(*name, *value);
        }
    }
    Ok(())
}

/// Adds a compiler pipeline for which `sil-opt` has an option.
fn add(r: &mut Request, name: &str, is_on: bool) {
    if is_on {
        r.passes.pipeline.append(Pipeline::parse(name, passes::find).unwrap_or_default());
    }
}

/// Returns the error for a value that is not one of the accepted words.
pub(super) fn wrong_word(option: &str, word: &str, words: &[&str]) -> Refusal {
    let hint = match nearest(word, words.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected {}", crate::output::either(words)),
    };
    (format!("unknown {option} `{word}`"), hint)
}
