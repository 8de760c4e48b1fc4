//! What an editor shows beside the pointer: of a value its type and users, of an instruction its page, of a symbol its
//! readable name.

use crate::locate::BodyAt;
use crate::{Document, code_at, readable};
use silkit_base::TextRange;
use silkit_demangle::{Style, demangle};
use silkit_ir::conventions::Addresses;
use silkit_ir::ownership::{OwnershipContext, value_ownership};
use silkit_ir::{Function, Inst, InstInfo, Opcode, Ownership, Value, ValueDef};
use silkit_text::{Token, TokenKind, symbol_text};
use silkit_verify::find_rule;
use std::fmt::Write;

/// The most users that are listed.
const MAX_USERS: usize = 8;
/// The longest line of code that is shown, in characters.
const MAX_COLUMNS: usize = 160;

/// What is shown about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The place that it is about.
    pub range: TextRange,
    /// The text, as Markdown.
    pub markdown: String,
}

impl Document {
    /// Returns what there is to say about the name at an offset, and about the findings there.
    pub fn hover(&self, offset: usize) -> Option<Hover> {
        let (index, token) = self.tokens().at(offset)?;
        let text = token.text(self.text());
        let own = match token.kind {
            TokenKind::Value => self.value(index, token),
            TokenKind::Block => self.block(index, token),
            TokenKind::Symbol => Some(self.symbol(symbol_text(text))),
            TokenKind::Member => Some(self.declared(text, self.definition(offset))),
            TokenKind::Type => Some(self.declared(text, self.definition(offset))),
            TokenKind::Instruction => self.instruction(token),
        };
        let mut markdown = own?;
        self.add_rules(offset, &mut markdown);
        Some(Hover { range: token.range(), markdown })
    }

    fn value(&self, index: usize, token: Token) -> Option<String> {
        let name = token.text(self.text());
        let Some((at, value)) = self.value_named_by(index, token) else {
            // The body does not parse: the line of the definition tells the most.
            let definition = self.tokens().definition(self.text(), index)?;
            return Some(sil(self.line_of(definition.start as usize)));
        };
        let mut out = sil(&format!("{name} : {}", at.body.value(value).ty));
        let mut facts = Vec::new();
        if let Some(ownership) = self.ownership(&at, value) {
            facts.push(format!("ownership: {ownership}"));
        }
        if let ValueDef::Argument(block, number) = at.body.def(value) {
            let of = match (at.body.is_entry_block(block), at.function) {
                (true, Some(_)) => "function".to_owned(),
                _ => format!("`{}`", self.block_name(&at, block)),
            };
            facts.push(format!("argument {number} of the {of}").replace("the `", "`"));
        }
        if !facts.is_empty() {
            let _ = writeln!(out, "{}\n", facts.join(", "));
        }
        if let ValueDef::Result(inst, _) = at.body.def(value)
            && let Some(start) = at.map.inst(inst)
        {
            out += &sil(self.line_of(start as usize));
        }
        out += &self.users(&at, value);
        out += &self.swift_note(token.start as usize, &at, value);
        Some(out)
    }

    fn ownership(&self, at: &BodyAt<'_>, value: Value) -> Option<String> {
        let (_, function) = at.function.filter(|(_, function)| function.has_ossa())?;
        let context = OwnershipContext::new(function, &self.analysis().declarations, Addresses::Lowered);
        Some(match value_ownership(at.body, value, context)? {
            Ownership::None => "none".to_owned(),
            Ownership::Owned => "`@owned`".to_owned(),
            Ownership::Guaranteed => "`@guaranteed`".to_owned(),
            Ownership::Unowned => "`@unowned`".to_owned(),
        })
    }

    /// Returns the list of the users of a value, in text order.
    fn users(&self, at: &BodyAt<'_>, value: Value) -> String {
        let mut places: Vec<u32> = at.body.users(value).filter_map(|user| at.map.inst(user)).collect();
        places.sort_unstable();
        places.dedup();
        let mut out = match places.len() {
            0 => return "no users\n\n".to_owned(),
            1 => "1 user\n\n".to_owned(),
            number => format!("{number} users\n\n"),
        };
        let lines: Vec<String> =
            places.iter().take(MAX_USERS).map(|&p| shortened(code_at(self.text(), p as usize))).collect();
        let more = places.len().saturating_sub(MAX_USERS);
        let more = if more > 0 { format!("\n// {more} more") } else { String::new() };
        out += &sil(&format!("{}{more}", lines.join("\n")));
        out
    }

    fn swift_note(&self, offset: usize, at: &BodyAt<'_>, value: Value) -> String {
        let place = match at.body.def(value) {
            ValueDef::Result(inst, _) => at.map.inst(inst).map(|start| start as usize),
            _ => Some(offset),
        };
        place.map_or_else(String::new, |place| self.swift(place))
    }

    /// Returns the Swift lines of the instruction at an offset.
    fn swift(&self, offset: usize) -> String {
        let lines = self.swift_lines(offset);
        let mut out = String::new();
        for (index, line) in lines.iter().enumerate() {
            let lead = if index == 0 { "Swift: " } else { ", inlined at " };
            let _ = write!(out, "{lead}{}", code(&line.position.short()));
            if let Some(function) = line.function.as_ref().filter(|_| index + 1 < lines.len()) {
                let _ = write!(out, " in {}", code(function));
            }
        }
        if out.is_empty() { out } else { out + "\n\n" }
    }

    fn block(&self, index: usize, token: Token) -> Option<String> {
        let definition = self.tokens().definition(self.text(), index)?;
        let start = definition.start as usize;
        let mut out = sil(self.line_of(start));
        let Some((at, block)) = self.body_at(start).and_then(|at| Some((at, at.block_at(start)?.0))) else {
            return Some(out);
        };
        let names = |blocks: Vec<silkit_ir::Block>| {
            let names: Vec<String> =
                blocks.iter().take(MAX_USERS).map(|b| format!("`{}`", self.block_name(&at, *b))).collect();
            let more = if blocks.len() > MAX_USERS { ", …" } else { "" };
            if names.is_empty() { "none".to_owned() } else { format!("{}{more}", names.join(", ")) }
        };
        let before: Vec<_> = at.body.predecessors(block).collect();
        let after: Vec<_> = at.body.block_successors(block).collect();
        let _ = writeln!(out, "from: {}, to: {}\n", names(before), names(after));
        let count = at.body.block_insts(block).count();
        let _ = writeln!(out, "{count} instruction{}\n", if count == 1 { "" } else { "s" });
        if token != definition
            && let Some(last) = at.body.last_inst(block).and_then(|inst| at.map.inst(inst))
        {
            out += &sil(&shortened(code_at(self.text(), last as usize)));
        }
        Some(out)
    }

    /// Returns the name of a block as the text spells it.
    pub(crate) fn block_name(&self, at: &BodyAt<'_>, block: silkit_ir::Block) -> String {
        let label = at.map.block(block).and_then(|start| self.text().get(start as usize..));
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let end = |label: &str| label.find(|c: char| !is_name(c)).unwrap_or(label.len());
        label.map_or_else(String::new, |label| label.get(..end(label)).unwrap_or_default().to_owned())
    }

    fn symbol(&self, name: &str) -> String {
        let mut out = String::new();
        if let Some(full) = demangle(name, Style::Full) {
            out += &fenced("swift", &full);
        }
        let module = &self.analysis().module;
        if let Some(function) = module.functions.by_key(&name.into()) {
            out += &header(function);
        } else if let Some(global) = module.globals.by_key(&name.into()) {
            out += &sil(&format!("sil_global {} : {}", readable(name), global.ty));
        }
        out + &format!("{}\n\n", code(name))
    }

    /// Returns a name with the line of the Swift text that declares it.
    fn declared(&self, text: &str, definition: Option<TextRange>) -> String {
        let mut out = sil(&shortened(text));
        if let Some(definition) = definition {
            let all = self.text();
            let start = all.get(..definition.start as usize).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
            let line = all.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
            out += &fenced("swift", &shortened(line.trim()));
        }
        out
    }

    fn instruction(&self, token: Token) -> Option<String> {
        let word = token.text(self.text());
        let found =
            self.body_at(token.start as usize).and_then(|at| Some((at, at.inst_at(token.start as usize)?)));
        let of_body =
            found.map(|(at, (inst, _))| (at, inst)).filter(|(at, i)| at.body.info(*i).spelling == word);
        let info = match of_body {
            Some((at, inst)) => at.body.info(inst),
            None => Opcode::from_name(word)?.info(),
        };
        let mut out = String::new();
        if let Some((at, inst)) = of_body {
            out += &self.operands(&at, inst);
            out += &self.swift(token.start as usize);
        }
        Some(out + &page(info))
    }

    /// Returns the types of the operands and results of an instruction, which the text often leaves out.
    fn operands(&self, at: &BodyAt<'_>, inst: Inst) -> String {
        let Some(start) = at.map.inst(inst) else { return String::new() };
        let line = code_at(self.text(), start as usize);
        let range = start as usize..start as usize + line.len();
        let mut names: Vec<&str> = Vec::new();
        let mut lines = Vec::new();
        for (index, token) in self.indexed_within(range) {
            let name = token.text(self.text());
            if token.kind != TokenKind::Value || names.contains(&name) || lines.len() == MAX_USERS {
                continue;
            }
            names.push(name);
            if let Some((at, value)) = self.value_named_by(index, token) {
                lines.push(shortened(&format!("{name} : {}", at.body.value(value).ty)));
            }
        }
        if lines.is_empty() { String::new() } else { sil(&lines.join("\n")) }
    }

    /// Returns the tokens in a range with their indices.
    pub(crate) fn indexed_within(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (usize, Token)> + '_ {
        let tokens = self.tokens().tokens();
        let first = tokens.partition_point(|token| (token.start as usize) < range.start);
        let all = tokens.iter().copied().enumerate().skip(first);
        all.take_while(move |(_, token)| (token.start as usize) < range.end)
    }

    /// Adds the rules that findings at an offset violate.
    fn add_rules(&self, offset: usize, out: &mut String) {
        let spans = |d: &crate::Diagnosed| {
            let span = d.diagnostic.primary().map(|label| label.span);
            span.is_some_and(|span| span.start as usize <= offset && offset < span.end as usize)
        };
        let here = self.diagnostics().iter().filter(|d| spans(d));
        for rule in here.filter_map(|d| find_rule(d.diagnostic.rule?.as_str())) {
            let _ = write!(
                out,
                "---\n**{}** {}: {}\n\n{}\n\n",
                rule.id,
                rule.name,
                rule.summary,
                prose(rule.details)
            );
        }
    }

    fn line_of(&self, start: usize) -> &str {
        let text = self.text();
        let from = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        code_at(text, from).trim_start()
    }
}

fn header(function: &Function) -> String {
    let linkage = function.linkage.spelling();
    let space = if linkage.is_empty() { "" } else { " " };
    let ossa = if function.has_ossa() { "[ossa] " } else { "" };
    let mut out = sil(&shortened(&format!("sil {linkage}{space}{ossa}: {}", function.ty)));
    if let Some(body) = &function.body {
        let (blocks, insts) = (body.block_count(), body.inst_count());
        let _ = writeln!(out, "{blocks} blocks, {insts} instructions\n");
    } else {
        out += "declared here, defined elsewhere\n\n";
    }
    out
}

/// Returns the page of an instruction.
pub(crate) fn page(info: &InstInfo) -> String {
    let mut out = format!("**{}**: {}\n\n", info.name, info.summary);
    out += &sil(&format!("{} {}", info.name, info.syntax));
    if !info.details.is_empty() {
        let _ = write!(out, "{}\n\n", prose(info.details));
    }
    let uses: Vec<String> = info.operands.iter().map(|o| format!("{}: {:?}", o.name, o.ownership)).collect();
    if !uses.is_empty() {
        let _ = write!(out, "operands: `{}`; ", uses.join("`, `"));
    }
    let _ = write!(out, "results: `{:?}`; memory: `{:?}`", info.value_ownership, info.memory);
    for (is_so, what) in [(info.may_release, "may release"), (info.may_trap, "may trap")] {
        if is_so {
            let _ = write!(out, "; {what}");
        }
    }
    out += "\n\n";
    if !info.example.is_empty() {
        out += &sil(info.example.trim_end());
    }
    if !info.see.is_empty() {
        let _ = write!(out, "See also: `{}`\n\n", info.see.join("`, `"));
    }
    out
}

/// Returns lines of prose as Markdown: what looks like HTML stays text.
fn prose(text: &str) -> String {
    text.trim_end().replace('<', "&lt;")
}

fn sil(code: &str) -> String {
    fenced("sil", code)
}

/// Returns code in a fence that it cannot close.
fn fenced(language: &str, code: &str) -> String {
    let fence = if code.contains("```") { "~~~~~~" } else { "```" };
    format!("{fence}{language}\n{code}\n{fence}\n\n")
}

/// Returns text as inline code, which nothing in it can close.
fn code(text: &str) -> String {
    format!("`{}`", text.replace(['`', '\n'], "'"))
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= MAX_COLUMNS {
        return line.to_owned();
    }
    line.chars().take(MAX_COLUMNS - 1).chain(['…']).collect()
}
