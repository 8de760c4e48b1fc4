//! The comments at the ends of lines: users, ids, locations, values of literals.

use super::{BodyPrinter, COMMENT_COLUMN};
use silkit_base::Symbol;
use silkit_ir::{DeclRef, Inst, NONE, SourceLoc, Value};
use silkit_types::SilType;

impl<'a, 'o> BodyPrinter<'a, 'o> {
    /// Prints `// type-defs: %1; users: %2`, `// id: %3`, or nothing.
    pub(super) fn comment(&mut self, inst: Inst) {
        let mut results = self.body.results(inst);
        if self.hides_result(inst) {
            results.next();
        }
        let is_used = results.clone().any(|v| self.body.is_used(v));
        use silkit_ir::Opcode as O;
        let definitions = match self.body.inst(inst).opcode {
            // The only operand is the type-dependent operand of the lookup.
            O::WitnessMethod => self.body.operands(inst),
            // The index operand already has the type-dependent operand.
            O::PackElementGet | O::TuplePackElementAddr | O::TuplePackExtract => &[],
            _ => self.body.type_operands(inst),
        };
        let says_more = results.len() == 0 || is_used || !definitions.is_empty();
        let says_where = self.options.verbose && !self.in_initializer;
        if !says_more && !says_where {
            return;
        }
        self.out.pad(COMMENT_COLUMN);
        self.out.push("// ");
        self.default_case(inst);
        for (i, definition) in definitions.iter().enumerate() {
            self.out.push(if i == 0 { "type-defs: " } else { ", " });
            self.value_name(definition.value);
        }
        if !definitions.is_empty() && (is_used || results.len() == 0) {
            self.out.push("; ");
        }
        if results.len() == 0 {
            self.out.push("id: %");
            self.out.number(self.numbers.inst(inst));
        } else if is_used {
            self.users(results);
        }
        if says_where {
            self.out.push(if says_more { "; " } else { "" });
            self.place_comment(inst);
        }
    }

    /// Prints the position of an instruction in its file, and how it was made: `line:12:8:minlined:sil`.
    pub(super) fn place_comment(&mut self, inst: Inst) {
        use silkit_ir::Opcode as O;
        let place = self.body.loc(self.body.inst(inst).loc).and_then(|loc| loc.source);
        let is_here = |place: &SourceLoc| {
            self.options.locations.as_ref().is_some_and(|locations| place.file == Some(locations.file()))
        };
        let here = place.filter(|place| !place.is_auto && is_here(place));
        match here {
            Some(place) => {
                self.out.push("line:");
                self.out.number(place.line);
                self.out.push(":");
                self.out.number(place.column);
            }
            // A location that does not come from this file.
            None => self.out.push("<invalid loc>"),
        }
        let is_allocation = matches!(self.body.inst(inst).opcode, O::AllocStack | O::AllocBox);
        let marks = [
            (place.is_some_and(|place| place.is_inlined), ":minlined"),
            (place.is_some_and(|place| place.is_auto), ":auto_gen"),
            (here.is_some(), ":sil"),
            (is_allocation, ":in_prologue"),
        ];
        marks.iter().filter(|(holds, _)| *holds).for_each(|&(_, mark)| self.out.push(mark));
    }

    /// Prints the value of a float literal, `// 1.5`.
    pub(super) fn decimal_comment(&mut self, inst: Inst) {
        if self.body.inst(inst).opcode != silkit_ir::Opcode::FloatLiteral {
            return;
        }
        let words = self.body.words(inst);
        let ty = SilType::from_u32(words[0]).ty();
        if let Some(text) = crate::body::literal::decimal(ty, Symbol::from_u32(words[1]).as_str()) {
            self.out.push(" // ");
            self.out.push(&text);
        }
    }

    /// Prints the only enum case that a `default` covers: `#E.c!enumelt; `.
    pub(super) fn default_case(&mut self, inst: Inst) {
        use silkit_ir::Opcode as O;
        if !matches!(self.body.inst(inst).opcode, O::SwitchEnum | O::SwitchEnumAddr) {
            return;
        }
        if self.body.word(inst, "default").is_none_or(|word| word == NONE) {
            return;
        }
        let ty = self.body.value(self.body.operand_value(inst, 0)).ty.ty();
        let declarations = self.out.declarations();
        let listed = self.body.list(self.body.word(inst, "cases").unwrap_or(NONE));
        let named: Vec<Symbol> =
            listed.iter().step_by(2).filter_map(|&word| DeclRef::from_u32(word).name()).collect();
        if let Some(case) = declarations.only_other_case(ty, &named)
            && let Some(path) = declarations.path_of(ty)
        {
            self.out.push("#");
            self.out.push(path.as_str());
            self.out.push(".");
            let mark = if is_keyword(case.as_str()) { "`" } else { "" };
            self.out.push(mark);
            self.out.push(case.as_str());
            self.out.push(mark);
            self.out.push("!enumelt; ");
        }
    }

    /// Prints the demangled name before a reference to a function.
    pub(super) fn callee_comment(&mut self, inst: Inst, indent: &str) {
        let opcode = self.body.inst(inst).opcode;
        if !opcode.is_function_ref() {
            return;
        }
        let name = Symbol::from_u32(self.body.words(inst)[0]);
        self.out.push(indent);
        self.out.push("// ");
        self.out.push(opcode.info().spelling);
        self.out.push(" ");
        self.out.demangled(name);
        self.out.push("\n");
    }

    pub(super) fn users(&mut self, values: impl Iterator<Item = Value> + Clone) {
        let body = self.body;
        let count: usize = values.clone().map(|value| body.users(value).take(2).count()).sum();
        self.out.push(if count > 1 { "users: " } else { "user: " });
        if self.options.sorted {
            let users = values.flat_map(|value| body.users(value));
            let mut ids: Vec<u32> = users.map(|user| self.numbers.inst(user)).collect();
            ids.sort_unstable();
            self.out.values(ids.into_iter());
            return;
        }
        let mut before = "%";
        for value in values {
            for user in body.users(value) {
                self.out.push(before);
                self.out.number(self.numbers.inst(user));
                before = ", %";
            }
        }
    }
}

/// Returns true for a name that references to enum cases have in backticks: a keyword of Swift other than `init`.
fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &str = "associatedtype class deinit enum extension func import inout let operator precedencegroup \
        protocol struct subscript typealias var fileprivate internal private public static defer if guard do repeat else \
        for in while return break continue fallthrough switch case default where catch throw as Any false is nil rethrows \
        super self Self true try throws";
    KEYWORDS.split(' ').any(|keyword| keyword == name)
}
