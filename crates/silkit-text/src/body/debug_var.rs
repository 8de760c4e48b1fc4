//! Debug variables, parsed and printed: `, let, name "x", argno 1, expr op_deref`.

use super::parse::BodyParser;
use super::print::BodyPrinter;
use crate::decl_ref;
use crate::error::{Parse, err_here, err_unknown};
use crate::module::body_end::{BodyEnd, Openers};
use crate::module::debug_info::{DebugInfo, ScopeKey};
use crate::names::source_loc;
use crate::symbols::symbol;
use silkit_base::{Interned, Symbol};
use silkit_ir::{DebugExpr, DebugVarData, NONE, Opcode};
use std::sync::LazyLock;

impl BodyParser<'_, '_> {
    /// Parses an optional debug variable.
    pub(super) fn debug_var(&mut self) -> Parse<u32> {
        let mut var = DebugVarData::default();
        let mut found = false;
        while self.cur.peek() == b',' {
            let before = self.cur.pos();
            self.cur.eat(",");
            if self.cur.peek() == b'(' {
                self.cur.eat("(");
                var.parenthesized = true;
                self.parenthesized(&mut var)?;
                found = true;
                continue;
            }
            match self.cur.peek_word() {
                Some("let") => var.is_let = Some(true),
                Some("var") => var.is_let = Some(false),
                Some("implicit") => var.implicit = true,
                Some("loc" | "scope") | None => {
                    self.cur.set_pos(before);
                    break;
                }
                Some(word) => {
                    self.cur.ident();
                    self.debug_var_part(&mut var, word)?;
                    found = true;
                    continue;
                }
            }
            self.cur.ident();
            found = true;
        }
        Ok(if found { var.intern().as_u32() } else { NONE })
    }

    /// Canonicalizes a variable as the compiler represents it: a variable with a name is `let` or `var`, a
    /// `debug_value` with only an argument number is named after it, and an allocation without a name has no
    /// variable.
    pub(super) fn canonical_variable(&mut self, opcode: Opcode) {
        let Some(at) = opcode.info().attr("var").filter(|_| self.env.protocols.is_some()) else { return };
        let word = self.inst.words[at];
        if word == NONE {
            return;
        }
        let mut var = DebugVarData::of(Interned::from_u32(word)).clone();
        if opcode == Opcode::DebugValue && var.name.is_none() {
            var.name = var.argno.map(name_of_argument);
        }
        match (var.name, opcode) {
            (Some(_), _) => var.is_let = Some(var.is_let.unwrap_or(false)),
            (None, Opcode::DebugValue) => var.is_let = None,
            (None, _) => var = DebugVarData::default(),
        }
        self.inst.words[at] = if var == DebugVarData::default() { NONE } else { var.intern().as_u32() };
    }

    fn parenthesized(&mut self, var: &mut DebugVarData) -> Parse<()> {
        let mut is_open = !self.cur.eat(")");
        while is_open {
            let word = self.cur.ident().unwrap_or_default();
            match word {
                "loc" => var.loc = Some(source_loc(&mut self.cur)?),
                "scope" => var.scope = Some(self.number()?),
                _ => self.debug_var_part(var, word)?,
            }
            is_open = self.list_goes_on("expected `,` or `)` in the variable")?;
        }
        Ok(())
    }

    fn debug_var_part(&mut self, var: &mut DebugVarData, word: &str) -> Parse<()> {
        match word {
            "name" => var.name = Some(self.string_symbol()?),
            "argno" => var.argno = Some(self.number()?).filter(|&n| n > 0),
            "type" => var.ty = Some(self.sil_type()?),
            "expr" => var.expr = self.debug_expr()?,
            "transform" => var.transform = Some(self.transform()?),
            _ => return Err(err_here(&self.cur, format!("unknown part `{word}` of a debug variable"))),
        }
        Ok(())
    }

    /// Parses the braces of a block that computes the variable. Its values have numbers of their own, so the text
    /// is kept as it is.
    fn transform(&mut self) -> Parse<Symbol> {
        self.text("{")?;
        let start = self.cur.pos();
        let BodyEnd::Closed(end) = Openers::default().body_end(&self.cur, 1) else {
            return Err(err_here(&self.cur, "expected `}` after the block that computes the variable"));
        };
        self.cur.set_pos(end);
        Ok(symbol(self.cur.text().get(start..end - 1).unwrap_or_default()))
    }

    fn debug_expr(&mut self) -> Parse<Box<[DebugExpr]>> {
        let mut steps = Vec::new();
        loop {
            steps.push(match self.cur.peek() {
                b'#' => DebugExpr::Decl(decl_ref::parse(&mut self.cur, self.env)?),
                b'$' => DebugExpr::Type(self.sil_type()?.ty()),
                b'-' | b'0'..=b'9' => DebugExpr::Int(self.integer_symbol()?),
                _ => {
                    let word = self
                        .cur
                        .ident()
                        .ok_or_else(|| err_here(&self.cur, "expected an operator such as `op_deref`"))?;
                    if !OPERATORS.contains(&word) {
                        let start = self.cur.pos() - word.len();
                        let message = format!("unknown operator `{word}` of a debug expression");
                        return Err(err_unknown(start, word, message, OPERATORS.iter().copied()));
                    }
                    if WITH_OPERAND.contains(&word) && !self.cur.looking_at(":") {
                        return Err(err_here(&self.cur, format!("expected `:` and the operand of `{word}`")));
                    }
                    DebugExpr::Op(symbol(word))
                }
            });
            if !self.cur.eat(":") {
                return Ok(steps.into());
            }
        }
    }
}

/// The operators of debug expressions.
const OPERATORS: &[&str] =
    &["op_deref", "op_fragment", "op_tuple_fragment", "op_constu", "op_consts", "op_plus", "op_minus"];

/// The operators that an operand follows.
const WITH_OPERAND: &[&str] = &["op_fragment", "op_tuple_fragment", "op_constu", "op_consts"];

/// Returns the name of the variable for an argument that has none: `_0` for the first.
fn name_of_argument(number: u32) -> Symbol {
    /// The names that most files need, which are looked up once.
    static NAMES: LazyLock<[Symbol; 16]> =
        LazyLock::new(|| std::array::from_fn(|at| symbol(&format!("_{at}"))));
    let at = number.saturating_sub(1);
    NAMES.get(at as usize).copied().unwrap_or_else(|| symbol(&format!("_{at}")))
}

impl BodyPrinter<'_, '_> {
    /// Prints a variable.
    pub(super) fn debug_var(&mut self, word: u32) {
        if word == NONE {
            return;
        }
        let var = DebugVarData::of(Interned::from_u32(word));
        if let Some(is_let) = var.is_let {
            self.out.push(if is_let { ", let" } else { ", var" });
        }
        // The location and scope of the variable are debug information.
        let is_placed = self.options.keep_locations || var.loc.is_some() || var.scope.is_some();
        let parenthesized = var.parenthesized && self.prints_locations() && is_placed;
        self.out.push(if parenthesized { ", (" } else { ", " });
        let mark = self.out.len();
        if let Some(name) = var.name {
            self.out.push("name \"");
            self.out.push(name.as_str());
            self.out.push("\"");
        }
        if let Some(loc) = var.loc.filter(|_| parenthesized) {
            self.separate(mark);
            self.out.push("loc ");
            self.out.source_loc(loc);
        }
        if let Some(scope) = var.scope.filter(|_| parenthesized) {
            self.separate(mark);
            self.out.push("scope ");
            let number = |(info, _): &(&DebugInfo<'_>, _)| info.number(ScopeKey::Scope(scope));
            self.out.number(self.debug_info.as_ref().map_or(scope, number));
        }
        if parenthesized {
            self.out.push(")");
        }
        if let Some(argno) = var.argno {
            self.separate(mark);
            self.out.push("argno ");
            self.out.number(argno);
        }
        if var.implicit {
            self.separate(mark);
            self.out.push("implicit");
        }
        if let Some(ty) = var.ty {
            self.separate(mark);
            self.out.push("type ");
            self.sil_type(ty);
        }
        if !var.expr.is_empty() {
            self.separate(mark);
            self.out.push("expr ");
            for (i, step) in var.expr.iter().enumerate() {
                self.out.push(if i > 0 { ":" } else { "" });
                match step {
                    DebugExpr::Op(text) | DebugExpr::Int(text) => self.out.push(text.as_str()),
                    DebugExpr::Decl(decl) => self.out.display(decl),
                    DebugExpr::Type(ty) => {
                        self.out.push("$");
                        self.out.ty(*ty);
                    }
                }
            }
        }
        if let Some(text) = var.transform {
            self.separate(mark);
            self.out.push("transform {");
            self.out.push(text.as_str());
            self.out.push("}");
        }
        self.out.trim_separator(mark);
    }

    fn separate(&mut self, mark: usize) {
        if self.out.len() > mark {
            self.out.push(", ");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::name_of_argument;

    #[test]
    fn arguments_are_named_by_their_number() {
        let names = [0, 1, 2, 16, 17, 300].map(|number| name_of_argument(number).as_str());
        assert_eq!(names, ["_0", "_0", "_1", "_15", "_16", "_299"]);
    }
}
