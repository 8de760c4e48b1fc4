//! The options of passes: one table, and typed access to their values.

use silkit_analysis::ProgramFacts;
use silkit_ir::{Module, Release};
use std::collections::BTreeMap;

/// The type of an option's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionType {
    /// On or off.
    Switch,
    /// A number.
    Number,
    /// A text.
    Text,
}

/// An option of passes.
#[derive(PartialEq, Eq, Debug)]
pub struct PassOption {
    /// The name without dashes.
    pub name: &'static str,
    /// The type of its value.
    pub value: OptionType,
    /// The value if the option is not given; empty if the pass decides.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Declares the options: name, type, default, help.
macro_rules! pass_options {
    ($($constant:ident: $name:literal, $value:ident, $default:literal, $help:literal;)*) => {
        $(#[doc = $help]
        pub const $constant: &PassOption =
            &PassOption { name: $name, value: OptionType::$value, default: $default, help: $help };)*

        /// All options, sorted by name.
        pub const ALL: &[&PassOption] = &[$($constant),*];
    };
}

pass_options! {
    ASSERT_CONF_ID: "assert-conf-id", Number, "0",
        "The build configuration of assertions: 0 for debug builds, 1 for release, 4294967295 to leave it open";
    DUMP_STORAGE_USES: "enable-access-storage-dump-uses", Switch, "false", "Print the uses of each storage, too";
    EXPAND_ALL: "enable-expand-all", Switch, "false", "Lower every aggregate to its fields";
    LEXICAL_LIFETIMES: "enable-lexical-lifetimes", Switch, "true", "Keep lexical lifetimes";
    LIBRARY_EVOLUTION: "enable-library-evolution", Switch, "false", "Compile for a library with a stable interface";
    MOVE_INOUT: "enable-move-inout-stack-protector", Switch, "false",
        "Move the values of inout arguments to protected temporaries";
    COMPLETE_LIFETIMES: "enable-ossa-complete-lifetimes", Switch, "false", "End all lifetimes, also on dead-end paths";
    OPAQUE_VALUES: "enable-sil-opaque-values", Switch, "false", "Treat address-only values like any other value";
    EXCLUSIVITY: "enforce-exclusivity", Text, "checked", "Whether dynamic exclusivity is `checked` or `unchecked`";
    IMPLICIT_IMPORT: "implicit-import", Text, "", "A module that is imported implicitly";
    INLINING_LIMIT: "mandatory-inlining-limit", Number, "1048576",
        "The number of instructions up to which transparent functions are inlined into a function";
    MERGEABLE_TRAPS: "mergeable-traps", Switch, "false", "Merge conditions of traps with different messages";
    OPT_MODE: "opt-mode", Text, "", "The optimization mode of the build: `none`, `speed` or `size`";
    DEBUGINFO_FILE: "sil-based-debuginfo", Text, "", "The file that SIL is written to for debugging of SIL";
    LOWER_ALL_AGGREGATES: "sil-lower-agg-instrs-expand-all", Switch, "false", "Lower every aggregate to its fields";
    KEEP_LIFETIMES: "sil-mem2reg-disable-lifetime-canonicalization", Switch, "false",
        "Keep the lifetimes of promoted values as long as those of their memory";
    OPTIMIZED_MARKERS: "sil-optimized-access-markers", Switch, "false", "Keep access markers in optimized builds";
    PRINT_TYPES: "sil-print-types", Switch, "false", "Print the type of every operand";
    SIMPLIFY_INSTRUCTION: "simplify-instruction", Text, "", "The only instruction that is simplified";
    WMO: "wmo", Switch, "false", "The module is the whole program that sees its internal entities";
}

/// The given options with their values, by name.
#[derive(Clone, Debug, Default)]
pub struct PassOptions {
    values: BTreeMap<String, String>,
    release: Option<Release>,
}

impl PassOptions {
    /// Sets the release of Swift whose compiler the passes follow. By default it is the one that the module is of.
    pub fn follow(&mut self, release: Release) {
        self.release = Some(release);
    }

    /// Returns the release of Swift whose compiler the passes follow on a module.
    pub(crate) fn release(&self, module: &Module) -> Release {
        self.release.unwrap_or_else(|| silkit_text::dialect::release_of(module))
    }

    /// Sets an option. A switch has an empty value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.values.insert(name.into(), value.into());
    }

    /// Returns the given value of an option, empty for a switch; `None` if it is not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Returns true if a switch is on.
    pub fn is_on(&self, option: &PassOption) -> bool {
        debug_assert_eq!(option.value, OptionType::Switch, "{}", option.name);
        !matches!(self.get(option.name).unwrap_or(option.default), "0" | "false" | "FALSE" | "False")
    }

    /// Returns the number of an option, or its default if it is not given or not a number of that type.
    pub fn number<N: std::str::FromStr + Default>(&self, option: &PassOption) -> N {
        debug_assert_eq!(option.value, OptionType::Number, "{}", option.name);
        let given = self.get(option.name).and_then(|value| value.parse().ok());
        given.or_else(|| option.default.parse().ok()).unwrap_or_default()
    }

    /// Returns the text of an option, or its default.
    pub fn text(&self, option: &PassOption) -> &str {
        debug_assert_eq!(option.value, OptionType::Text, "{}", option.name);
        self.get(option.name).unwrap_or(option.default)
    }

    /// Returns true if the program is built without optimization (`opt-mode=none`).
    pub(crate) fn is_unoptimized(&self) -> bool {
        self.text(OPT_MODE) == "none"
    }

    /// Creates the facts of a program for these options.
    pub fn program_facts(&self) -> ProgramFacts {
        ProgramFacts::new(self.is_on(WMO))
            .with_opaque_values(self.is_on(OPAQUE_VALUES))
            .with_release(self.release.unwrap_or_default())
    }
}

/// The options that a pass declares. In debug builds, a read of any other option panics.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredOptions<'a> {
    pub(crate) values: &'a PassOptions,
    pub(crate) declared: &'a [&'static PassOption],
}

impl<'a> DeclaredOptions<'a> {
    fn check(self, option: &PassOption) {
        debug_assert!(
            self.declared.contains(&option),
            "the pass does not declare the option `{}`",
            option.name
        );
    }

    /// Returns true if a switch is on.
    pub fn is_on(self, option: &PassOption) -> bool {
        self.check(option);
        self.values.is_on(option)
    }

    /// Returns the number of an option, or its default if it is not given or not a number of that type.
    pub fn number<N: std::str::FromStr + Default>(self, option: &PassOption) -> N {
        self.check(option);
        self.values.number(option)
    }

    /// Returns the text of an option, or its default.
    pub fn text(self, option: &PassOption) -> &'a str {
        self.check(option);
        self.values.get(option.name).unwrap_or(option.default)
    }

    /// Returns true if debug variables are kept when their values are not needed otherwise: in builds without
    /// optimization (`opt-mode=none`).
    pub fn keeps_variables(self) -> bool {
        self.text(OPT_MODE) == "none"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_defaults_have_their_types() {
        assert!(ALL.windows(2).all(|pair| pair[0].name < pair[1].name));
        for option in ALL {
            match option.value {
                OptionType::Switch => assert!(["false", "true"].contains(&option.default), "{}", option.name),
                OptionType::Number => assert!(option.default.parse::<u64>().is_ok(), "{}", option.name),
                OptionType::Text => {}
            }
            assert!(!option.help.is_empty() && !option.help.ends_with('.'), "{}", option.name);
        }
    }

    #[test]
    fn switches_are_on_unless_they_say_no() {
        let mut options = PassOptions::default();
        assert!(!options.is_on(WMO) && options.is_on(LEXICAL_LIFETIMES));
        for (value, is_on) in
            [("", true), ("1", true), ("true", true), ("0", false), ("false", false), ("FALSE", false)]
        {
            options.set("wmo", value);
            assert_eq!((options.get("wmo"), options.is_on(WMO)), (Some(value), is_on));
        }
    }

    #[test]
    fn numbers_and_texts_have_defaults() {
        let mut options = PassOptions::default();
        assert_eq!((options.number::<u32>(INLINING_LIMIT), options.text(EXCLUSIVITY)), (1 << 20, "checked"));
        options.set("mandatory-inlining-limit", "7");
        options.set("enforce-exclusivity", "unchecked");
        assert_eq!((options.number::<u32>(INLINING_LIMIT), options.text(EXCLUSIVITY)), (7, "unchecked"));
        options.set("mandatory-inlining-limit", "many");
        assert_eq!(options.number::<u32>(INLINING_LIMIT), 1 << 20);
    }

    #[test]
    #[should_panic(expected = "does not declare the option `wmo`")]
    fn a_pass_reads_only_what_it_declares() {
        let values = PassOptions::default();
        let options = DeclaredOptions { values: &values, declared: &[OPT_MODE] };
        assert!(!options.keeps_variables());
        options.is_on(WMO);
    }
}
