//! The parsed arguments of `silkit opt`.

use super::passes::Passes;
use super::printers::Printer;
use super::refusal::Refusal;
use crate::findings::Checking;
use crate::session::Report;
use silkit::ir::Release;
use silkit::text::PrintOptions;
use std::path::PathBuf;

/// The parsed arguments of `silkit opt`.
pub(crate) struct Request {
    /// True if only the help is printed.
    pub(crate) helps: bool,
    /// True if the help includes the rejected options.
    pub(crate) shows_hidden: bool,
    /// True if the version is printed.
    pub(crate) shows_version: bool,
    /// True if the passes are listed.
    pub(crate) lists: bool,
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) output: PathBuf,
    pub(crate) print: PrintOptions,
    /// The release of Swift whose forms are written.
    pub(crate) dialect: Option<Release>,
    pub(crate) binary: bool,
    pub(crate) report: Report,
    pub(crate) threads: usize,
    pub(crate) verify: bool,
    pub(crate) checking: Checking,
    /// The printers that run before the module is printed, in the requested order.
    pub(crate) printers: Vec<&'static Printer>,
    pub(crate) passes: Passes,
    /// The module name, if given.
    pub(crate) module_name: Option<String>,
    /// True if the findings are compared with the expected-error annotations in the files, including those with one of
    /// `prefixes`.
    pub(crate) expects: bool,
    pub(crate) prefixes: Vec<String>,
    /// The major language version of Swift.
    pub(crate) swift_version: Option<u32>,
    pub(crate) upcoming_features: Vec<String>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            helps: false,
            shows_hidden: false,
            shows_version: false,
            lists: false,
            inputs: Vec::new(),
            output: "-".into(),
            print: PrintOptions::default(),
            dialect: None,
            binary: false,
            report: Report::Text,
            threads: 0,
            verify: true,
            checking: Checking::default(),
            printers: Vec::new(),
            passes: Passes::default(),
            module_name: None,
            expects: false,
            prefixes: Vec::new(),
            swift_version: None,
            upcoming_features: Vec::new(),
        }
    }
}

/// The upcoming language features that are enabled by default in Swift 6, where requesting them is an error.
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

impl Request {
    /// Returns an error if a requested upcoming feature is already enabled by the language version.
    pub(super) fn check_features(&self) -> Result<(), Refusal> {
        let on = self.upcoming_features.iter().find(|feature| ON_IN_SWIFT_6.contains(&feature.as_str()));
        match (self.swift_version, on) {
            (Some(6..), Some(feature)) => Err((
                format!("upcoming feature \"{feature}\" is already enabled as of Swift version 6"),
                format!("leave out `-enable-upcoming-feature {feature}`"),
            )),
            _ => Ok(()),
        }
    }
}
