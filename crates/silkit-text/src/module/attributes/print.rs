//! Printing of attributes.

use super::{
    ENTRY, EntryAttribute, FUNCTION, FunctionAttribute, GLOBAL, GlobalAttribute, TABLE, TableAttribute,
    WITNESS, WitnessAttribute,
};
use crate::module::print::ModulePrinter;
use silkit_base::Symbol;
use silkit_ir::attributes::*;
use std::fmt::Write as _;

/// Prints known attributes with the names of a table, and unknown ones at their positions.
struct List<'p, 'a, 'o> {
    printer: &'p mut ModulePrinter<'a, 'o>,
    others: &'p [OtherAttribute],
    /// True if a space precedes each attribute instead of following it.
    is_space_first: bool,
}

impl List<'_, '_, '_> {
    fn put(&mut self, name: &str, argument: &str) {
        let out = &mut self.printer.out;
        out.push(if self.is_space_first { " [" } else { "[" });
        out.push(name);
        if !argument.is_empty() {
            out.push(" ");
            out.push(argument);
        }
        out.push(if self.is_space_first { "]" } else { "] " });
    }

    /// Prints the unknown attributes that follow a known one.
    fn others_after(&mut self, name: Option<&str>) {
        for other in self.others.iter().filter(|o| o.after.map(Symbol::as_str) == name) {
            self.put(other.text.as_str(), "");
        }
    }

    /// Prints the attributes of a table; `put` prints one if it is present.
    fn print<A: Copy>(mut self, known: &[(&str, A)], put: impl Fn(&mut Self, &str, A)) {
        self.others_after(None);
        for &(name, attribute) in known {
            put(&mut self, name, attribute);
            if !self.others.is_empty() {
                self.others_after(Some(name));
            }
        }
    }

    /// Prints an attribute without arguments if it is present.
    fn put_if(&mut self, name: &str, is_present: bool) {
        if is_present {
            self.put(name, "");
        }
    }

    fn put_quoted(&mut self, name: &str, text: Option<Symbol>) {
        if let Some(text) = text {
            self.put(name, &format!("\"{text}\""));
        }
    }
}

impl<'a, 'o> ModulePrinter<'a, 'o> {
    fn list<'p>(&'p mut self, others: &'p [OtherAttribute]) -> List<'p, 'a, 'o> {
        List { printer: self, others, is_space_first: false }
    }

    pub(in crate::module) fn function_attributes(&mut self, all: &FunctionAttributes) {
        use FunctionAttribute as A;
        self.list(&all.others).print(FUNCTION, |list, name, attribute| match attribute {
            A::Flag(flag) => list.put_if(name, all.flags.contains(flag)),
            A::Serialized(serialized) => list.put_if(name, all.serialized == serialized),
            A::Thunk(kind) => list.put_if(name, all.thunk == Some(kind)),
            A::Purpose(purpose) => list.put_if(name, all.purpose == Some(purpose)),
            A::Inline(strategy) => list.put_if(name, all.inline == Some(strategy)),
            A::Optimization(mode) => list.put_if(name, all.optimization == Some(mode)),
            A::Effects(kind) => list.put_if(name, all.effects == Some(kind)),
            A::Performance(constraint) => list.put_if(name, all.performance == Some(constraint)),
            A::Export(model) => list.put_if(name, all.export == Some(model)),
            A::Stage => {
                if let Some(stage) = all.stage {
                    list.put(&format!("{name}={}", stage.spelling()), "");
                }
            }
            A::Available => {
                if let Some(version) = all.availability {
                    list.put(name, &version_text(version));
                }
            }
            A::Quoted(quoted) => list.put_quoted(name, quoted.of(all)),
            A::Clang => {
                if let Some(clang) = all.clang {
                    list.put(name, clang.as_str());
                }
            }
            A::Semantics => all.semantics.iter().for_each(|s| list.put_quoted(name, Some(*s))),
            A::Specialize => all.specializations.iter().for_each(|s| list.put(name, &specialization_text(s))),
        });
    }

    pub(in crate::module) fn global_attributes(&mut self, all: &GlobalAttributes) {
        self.list(&all.others).print(GLOBAL, |list, name, attribute| match attribute {
            GlobalAttribute::Serialized(serialized) => list.put_if(name, all.serialized == serialized),
            GlobalAttribute::Let => list.put_if(name, all.is_let),
            GlobalAttribute::Used => list.put_if(name, all.is_used),
            GlobalAttribute::Export(model) => list.put_if(name, all.export == Some(model)),
            GlobalAttribute::Section => list.put_quoted(name, all.section),
            GlobalAttribute::AsmName => list.put_quoted(name, all.asmname),
        });
    }

    pub(in crate::module) fn table_attributes(&mut self, all: &TableAttributes) {
        self.list(&all.others).print(TABLE, |list, name, attribute| match attribute {
            TableAttribute::Serialized(serialized) => list.put_if(name, all.serialized == serialized),
            TableAttribute::Specialized => list.put_if(name, all.is_specialized),
        });
    }

    pub(in crate::module) fn entry_attributes(&mut self, all: &EntryAttributes) {
        let list = List { printer: self, others: &all.others, is_space_first: true };
        list.print(ENTRY, |list, name, attribute| match attribute {
            EntryAttribute::Kind(kind) => list.put_if(name, all.kind == kind),
            EntryAttribute::NonOverridden => list.put_if(name, all.is_nonoverridden),
        });
    }

    pub(in crate::module) fn witness_attributes(&mut self, all: &DifferentiabilityAttributes) {
        let numbers = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        self.list(&all.others).print(WITNESS, |list, name, attribute| match attribute {
            WitnessAttribute::Serialized(serialized) => list.put_if(name, all.serialized == serialized),
            WitnessAttribute::Kind(kind) => list.put_if(name, all.kind == Some(kind)),
            WitnessAttribute::Parameters => list.put(name, &numbers(&all.parameters)),
            WitnessAttribute::Results => list.put(name, &numbers(&all.results)),
        });
    }
}

fn version_text(version: Version) -> String {
    let parts = [Some(version.major), version.minor, version.patch];
    parts.iter().flatten().map(u32::to_string).collect::<Vec<_>>().join(".")
}

fn specialization_text(all: &Specialization) -> String {
    let kind = if all.is_partial { "partial" } else { "full" };
    let mut text = format!("exported: {}, ", all.is_exported);
    if let Some(spi) = all.spi {
        let _ = write!(text, "spi: {spi}, ");
    }
    if let Some(module) = all.spi_module {
        let _ = write!(text, "spiModule: {module}, ");
    }
    let _ = write!(text, "kind: {kind}, ");
    if let Some(target) = all.target {
        let _ = write!(text, "target: \"{target}\", ");
    }
    if let Some(version) = all.availability {
        let _ = write!(text, "available: {}, ", version_text(version));
    }
    let _ = write!(text, "where {}", all.requirements);
    text
}
