//! Parsing of attributes.

use super::{
    ENTRY, EntryAttribute, FUNCTION, FunctionAttribute, GLOBAL, GlobalAttribute, TABLE, TableAttribute,
    WITNESS, WitnessAttribute,
};
use crate::error::{Parse, err_at, err_here};
use crate::module::body_end::begins_entity;
use crate::module::parse::ModuleParser;
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_ir::SilStage;
use silkit_ir::attributes::*;
use std::borrow::Cow;

impl<'a> ModuleParser<'a> {
    /// Parses the attributes of a function.
    pub(in crate::module) fn function_attributes(&mut self) -> Parse<FunctionAttributes> {
        use FunctionAttribute as A;
        let mut all = FunctionAttributes::default();
        all.others = self.list(FUNCTION, |parser, attribute| {
            match attribute {
                A::Flag(flag) => all.flags |= flag,
                A::Serialized(serialized) => all.serialized = serialized,
                A::Thunk(kind) => all.thunk = Some(kind),
                A::Purpose(purpose) => all.purpose = Some(purpose),
                A::Inline(strategy) => all.inline = Some(strategy),
                A::Optimization(mode) => all.optimization = Some(mode),
                A::Effects(kind) => all.effects = Some(kind),
                A::Performance(constraint) => all.performance = Some(constraint),
                A::Export(model) => all.export = Some(model),
                A::Stage => all.stage = Some(parser.function_stage()?),
                A::Available => all.availability = Some(parser.version()?),
                A::Quoted(quoted) => *quoted.of_mut(&mut all) = Some(parser.quoted()?),
                A::Clang => all.clang = Some(parser.rest_of_brackets()?),
                A::Semantics => {
                    let semantics = parser.quoted()?;
                    if !all.semantics.contains(&semantics) {
                        all.semantics.push(semantics);
                    }
                }
                A::Specialize => all.specializations.push(parser.specialization()?),
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Parses `=canonical`.
    fn function_stage(&mut self) -> Parse<SilStage> {
        self.expect("=")?;
        let word = self.word("the name of a stage")?;
        let message = "expected `raw`, `canonical` or `lowered` as the stage of the function";
        SilStage::spelled(word.as_str()).ok_or_else(|| err_here(&self.cur, message))
    }

    /// Parses the attributes of a global variable.
    pub(in crate::module) fn global_attributes(&mut self) -> Parse<GlobalAttributes> {
        let mut all = GlobalAttributes::default();
        all.others = self.list(GLOBAL, |parser, attribute| {
            match attribute {
                GlobalAttribute::Serialized(serialized) => all.serialized = serialized,
                GlobalAttribute::Let => all.is_let = true,
                GlobalAttribute::Used => all.is_used = true,
                GlobalAttribute::Export(model) => all.export = Some(model),
                GlobalAttribute::Section => all.section = Some(parser.quoted()?),
                GlobalAttribute::AsmName => all.asmname = Some(parser.quoted()?),
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Parses the attributes of a table.
    pub(in crate::module) fn table_attributes(&mut self) -> Parse<TableAttributes> {
        let mut all = TableAttributes::default();
        all.others = self.list(TABLE, |_, attribute| {
            match attribute {
                TableAttribute::Serialized(serialized) => all.serialized = serialized,
                TableAttribute::Specialized => all.is_specialized = true,
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Parses the attributes of a vtable entry.
    pub(in crate::module) fn entry_attributes(&mut self) -> Parse<EntryAttributes> {
        let mut all = EntryAttributes::default();
        all.others = self.list(ENTRY, |_, attribute| {
            match attribute {
                EntryAttribute::Kind(kind) => all.kind = kind,
                EntryAttribute::NonOverridden => all.is_nonoverridden = true,
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Parses the attributes of a differentiability witness, two of which are required.
    pub(in crate::module) fn witness_attributes(&mut self) -> Parse<DifferentiabilityAttributes> {
        self.cur.skip_trivia();
        let at = self.cur.clone();
        let mut all = DifferentiabilityAttributes::default();
        let (mut has_parameters, mut has_results) = (false, false);
        all.others = self.list(WITNESS, |parser, attribute| {
            match attribute {
                WitnessAttribute::Serialized(serialized) => all.serialized = serialized,
                WitnessAttribute::Kind(kind) => all.kind = Some(kind),
                WitnessAttribute::Parameters => {
                    has_parameters = true;
                    all.parameters = parser.numbers()?;
                }
                WitnessAttribute::Results => {
                    has_results = true;
                    all.results = parser.numbers()?;
                }
            }
            Ok(())
        })?;
        for (name, is_present) in [("parameters", has_parameters), ("results", has_results)] {
            if !is_present {
                let message = format!("expected `[{name} …]` with a list of indices");
                return Err(err_here(&at, message));
            }
        }
        if all.kind.is_none() {
            let message = "expected the kind: `[forward]`, `[reverse]`, `[normal]` or `[linear]`";
            return Err(err_here(&at, message));
        }
        Ok(all)
    }

    /// Parses bracketed attributes; `read` parses the text after a known name. Returns the unknown attributes.
    ///
    /// An error in an attribute is reported, and parsing continues with the next one.
    fn list<A: Copy>(
        &mut self,
        known: &[(&'static str, A)],
        mut read: impl FnMut(&mut Self, A) -> Parse<()>,
    ) -> Parse<Vec<OtherAttribute>> {
        let mut others = Vec::new();
        let mut after = None;
        while self.cur.peek() == b'[' {
            let start = self.cur.pos();
            let text = self.bracketed()?;
            let end = self.cur.pos();
            self.cur.set_pos(start + 1);
            let name = match self.cur.ident().unwrap_or_default() {
                // Swift 5.10 and earlier distinguish `serializable` from `serialized`.
                "serializable" => "serialized",
                name => name,
            };
            let outcome = match known.iter().find(|(known, _)| *known == name) {
                Some((known, attribute)) => {
                    after = Some(symbol(known));
                    read(self, *attribute).and_then(|()| self.expect("]"))
                }
                None => unknown(name, text, start + 1, known).map(|()| {
                    let cur = &self.cur;
                    others.push(OtherAttribute { after, text: symbol(&cur.on_one_line(start + 1..end - 1)) });
                }),
            };
            self.errors.extend(outcome.err());
            self.cur.set_pos(end);
        }
        Ok(others)
    }

    /// Parses balanced brackets and returns the text between them.
    pub(in crate::module) fn bracketed(&mut self) -> Parse<&'a str> {
        let start = self.cur.pos();
        let unclosed = || err_at(start, start + 1, "unterminated attribute: expected `]`");
        let mut depth = 0usize;
        loop {
            match self.cur.here() {
                b'[' => depth += 1,
                b']' => depth -= 1,
                b'"' => {
                    if self.cur.string().is_none() {
                        return Err(err_here(&self.cur, "unterminated string"));
                    }
                    continue;
                }
                b'\n' => {
                    self.cur.skip_trivia();
                    if begins_entity(&self.cur) {
                        return Err(unclosed());
                    }
                    continue;
                }
                b'/' if self.skips_comment() => continue,
                0 if self.cur.pos() >= self.cur.end() => return Err(unclosed()),
                _ => {}
            }
            self.cur.set_pos(self.cur.pos() + 1);
            if depth == 0 {
                return Ok(self.cur.text().get(start + 1..self.cur.pos() - 1).unwrap_or_default());
            }
        }
    }

    /// Skips the comment that begins here, if one does.
    fn skips_comment(&mut self) -> bool {
        let start = self.cur.pos();
        self.cur.skip_trivia();
        self.cur.pos() > start
    }

    /// Consumes the text up to the closing bracket of the attribute, without surrounding white space.
    fn rest_of_brackets(&mut self) -> Parse<Symbol> {
        self.cur.skip_trivia();
        match self.up_to_bracket().trim() {
            "" => Err(err_here(&self.cur, "expected a name")),
            text => Ok(symbol(text)),
        }
    }

    /// Consumes the text up to the closing bracket of the attribute.
    fn up_to_bracket(&mut self) -> Cow<'a, str> {
        let start = self.cur.pos();
        let mut depth = 0usize;
        loop {
            match self.cur.here() {
                b'[' => depth += 1,
                b']' if depth == 0 => break,
                b']' => depth -= 1,
                b'/' if self.skips_comment() => continue,
                0 => break,
                _ => {}
            }
            self.cur.set_pos(self.cur.pos() + 1);
        }
        self.cur.on_one_line(start..self.cur.pos())
    }

    fn quoted(&mut self) -> Parse<Symbol> {
        self.cur.string().map(symbol).ok_or_else(|| err_here(&self.cur, "expected a string in quotes"))
    }

    /// Parses a version with up to three numbers.
    fn version(&mut self) -> Parse<Version> {
        self.cur.skip_trivia();
        let at = self.cur.clone();
        let error = || err_here(&at, "expected a version of up to three numbers, such as `10.15`");
        let mut parts = [None; 3];
        for (index, part) in parts.iter_mut().enumerate() {
            if index > 0 && !self.cur.eat(".") {
                break;
            }
            let start = self.cur.pos();
            while self.cur.here().is_ascii_digit() {
                self.cur.set_pos(self.cur.pos() + 1);
            }
            let digits = self.cur.text().get(start..self.cur.pos()).unwrap_or_default();
            *part = Some(digits.parse::<u32>().map_err(|_| error())?);
        }
        let [major, minor, patch] = parts;
        Ok(Version { major: major.ok_or_else(error)?, minor, patch })
    }

    /// Parses the arguments of `_specialize`: parameters followed by commas, and a `where` clause.
    fn specialization(&mut self) -> Parse<Specialization> {
        let mut all = Specialization {
            is_exported: false,
            is_partial: false,
            spi: None,
            spi_module: None,
            availability: None,
            target: None,
            requirements: symbol(""),
        };
        loop {
            self.cur.skip_trivia();
            let at = self.cur.clone();
            let label = self.cur.ident().unwrap_or_default();
            if label == "where" {
                let text = self.up_to_bracket();
                // The compiler prints two spaces before `@_noMetadata`.
                let text = symbol(text.strip_prefix(' ').unwrap_or(&text).trim_end());
                if text.as_str().is_empty() {
                    return Err(err_here(&self.cur, "expected the requirements"));
                }
                all.requirements = text;
                return Ok(all);
            }
            const LABELS: [&str; 7] =
                ["exported", "kind", "target", "spi", "spiModule", "available", "where"];
            if !LABELS.contains(&label) {
                let error = err_here(&at, "expected a parameter of `_specialize` or its `where` clause");
                let near = silkit_diag::nearest(label, LABELS);
                return Err(error.with_help(near.map_or_else(
                    || {
                        "parameters are `exported`, `kind`, `target`, `spi`, `spiModule` and `available`"
                            .to_owned()
                    },
                    |name| format!("did you mean `{name}`?"),
                )));
            }
            self.expect(":")?;
            match label {
                "exported" => all.is_exported = self.one_of("true", "false")?,
                "kind" => all.is_partial = self.one_of("partial", "full")?,
                "target" => all.target = Some(self.quoted()?),
                "spi" => all.spi = Some(self.word("the name of a group")?),
                "spiModule" => all.spi_module = Some(self.word("the name of a module")?),
                _ => all.availability = Some(self.version()?),
            }
            self.expect(",")?;
        }
    }

    /// Parses one of two words. Returns true if it is the first one.
    fn one_of(&mut self, first: &str, second: &str) -> Parse<bool> {
        if self.cur.eat_word(first) {
            return Ok(true);
        }
        if self.cur.eat_word(second) {
            return Ok(false);
        }
        Err(err_here(&self.cur, format!("expected `{first}` or `{second}`")))
    }

    fn numbers(&mut self) -> Parse<Vec<u32>> {
        let mut numbers = Vec::new();
        while self.cur.peek() != b']' {
            numbers.push(self.small_number()?);
        }
        Ok(numbers)
    }
}

/// Reports an unknown attribute if its name resembles a known one or is not a valid attribute name.
fn unknown<A>(name: &str, text: &str, start: usize, known: &[(&'static str, A)]) -> Parse<()> {
    let end = start + text.len();
    if name.is_empty() {
        return Err(err_at(start, end, "expected the name of an attribute"));
    }
    match silkit_diag::nearest(name, known.iter().map(|(known, _)| *known)) {
        Some(near) => Err(err_at(start, end, format!("unknown attribute `[{text}]`"))
            .with_help(format!("did you mean `[{near}]`?"))),
        None => Ok(()),
    }
}
