//! Dialects: the releases of Swift that have the forms of a module.
//!
//! A form that some releases do not have is declared once, with these releases: an instruction, a flag or a builtin in
//! the instruction table, everything else in [`forms`]. The forms of a module tell which releases can read it.

mod convert;
mod forms;
mod scan;

pub use convert::convert;
use silkit_base::Symbol;
use silkit_ir::generated::BUILTINS;
use silkit_ir::{Module, Opcode, Release, Releases};
use std::fmt;

/// A kind of form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FormKind {
    /// An instruction.
    Instruction,
    /// A flag or keyword of an instruction.
    Flag,
    /// A builtin.
    Builtin,
    /// An attribute of functions.
    FunctionAttribute,
    /// An attribute of global variables.
    GlobalAttribute,
    /// A part of a type.
    Type,
    /// An accessor in a declaration reference.
    Accessor,
    /// A part of a table.
    Table,
    /// A part of a debug variable.
    DebugVariable,
}

impl FormKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instruction => "instruction",
            Self::Flag => "flag",
            Self::Builtin => "builtin",
            Self::FunctionAttribute => "attribute of functions",
            Self::GlobalAttribute => "attribute of variables",
            Self::Type => "part of types",
            Self::Accessor => "accessor",
            Self::Table => "part of tables",
            Self::DebugVariable => "part of debug variables",
        }
    }
}

/// A form that some releases do not have.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form {
    /// The kind of form.
    pub kind: FormKind,
    /// The form as spelled; a flag follows its instruction: `alloc_box [inferred_immutable]`.
    pub spelling: String,
    /// The first release that has the form.
    pub since: Option<Release>,
    /// The last release that has the form.
    pub until: Option<Release>,
}

impl Form {
    fn new(kind: FormKind, spelling: impl Into<String>, releases: Releases) -> Self {
        Self { kind, spelling: spelling.into(), since: releases.since, until: releases.until }
    }

    /// Returns the releases that have the form.
    pub fn releases(&self) -> Releases {
        Releases { since: self.since, until: self.until }
    }
}

impl fmt::Display for Form {
    /// Writes `` the instruction `return_borrow` (Swift 6.3 and later) ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} `{}` (Swift {})", self.kind.name(), self.spelling, self.releases())
    }
}

/// A form in a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundForm {
    /// The form.
    pub form: Form,
    /// The name of the first function, global variable or class that has it.
    pub owner: Symbol,
}

/// Returns all forms that some releases do not have, by kind and spelling.
pub fn forms() -> Vec<Form> {
    let mut all = Vec::new();
    for info in Opcode::ALL.iter().map(|opcode| opcode.info()) {
        all.push(Form::new(FormKind::Instruction, instruction(info), info.releases));
        all.extend(info.newer_flags.iter().map(|&(bit, since)| scan::flag(info, bit, since)));
    }
    let builtins = BUILTINS.iter().map(|builtin| (builtin.name, builtin.releases));
    all.extend(builtins.map(|(name, releases)| Form::new(FormKind::Builtin, name, releases)));
    all.extend(forms::all());
    all.retain(|form| form.releases() != Releases::ALL);
    all.sort();
    all
}

/// Returns the text form of an instruction whose name alone does not tell it.
fn instruction(info: &silkit_ir::InstInfo) -> String {
    match info.name == info.spelling {
        true => info.name.to_owned(),
        false => format!("{} (…)", info.spelling),
    }
}

/// Returns the forms of a module that some releases do not have, each once, by kind and spelling.
pub fn forms_of(module: &Module) -> Vec<FoundForm> {
    let mut found = scan::Forms::default();
    scan::scan(module, &mut found);
    found.into_found()
}

/// Returns the releases of Swift that have all forms of a module.
pub fn releases_of(module: &Module) -> Releases {
    let mut releases = Releases::ALL;
    scan::scan(module, &mut releases);
    releases
}

/// Returns the release whose behavior a module follows: the first one that has its forms, but not one before 6.2.
pub fn release_of(module: &Module) -> Release {
    releases_of(module).since.unwrap_or(Release::V6_2).max(Release::V6_2)
}
