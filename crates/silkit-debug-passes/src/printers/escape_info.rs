//! `dump-escape-info` and `dump-addr-escape-info`: print the results of escape analysis.

use silkit_analysis::escape::{Direction, EscapePath, EscapeVisitor, Escapes};
use silkit_analysis::walk::{AtDef, AtUse};
use silkit_analysis::{Component, ProjectionPath};
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::FixLifetime;
use silkit_ir::{Body, Function, Inst, Opcode, Operand, Value, ValueDef};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::bottom_up;
use silkit_pass::options;
use silkit_text::Dump;
use std::collections::BTreeSet;

pub(crate) const OBJECTS: Pass<'static> =
    Pass::module("dump-escape-info", "Prints the escapes of newly allocated objects", &objects)
        .with_options(&[options::WMO]);

pub(crate) const ADDRESSES: Pass<'static> = Pass::module(
    "dump-addr-escape-info",
    "Prints the calls to which addresses marked by `fix_lifetime` escape, and which of the addresses may alias",
    &addresses,
)
.with_options(&[options::WMO]);

fn objects(cx: &mut ModuleContext<'_>) {
    let text = each_function(cx, |function, escapes, dump| {
        let mut text = format!("Escape information for {}:\n", function.name);
        for allocation in
            escapes.view.body.insts().filter(|&i| escapes.view.body.inst(i).opcode == Opcode::AllocRef)
        {
            text.push_str(&format!("{}: {}", places(escapes, allocation), dump.inst(allocation, "")));
        }
        text + &format!("End function {}\n\n", function.name)
    });
    cx.print(&text);
}

fn addresses(cx: &mut ModuleContext<'_>) {
    let text = each_function(cx, |function, escapes, dump| {
        let mut text = format!("Address escape information for {}:\n", function.name);
        let body = escapes.view.body;
        let marked: Vec<Value> =
            body.insts().filter_map(|i| body.view_as::<FixLifetime>(i)).map(|mark| mark.operand).collect();
        for &value in &marked {
            text.push_str(&format!("value:{}", dump.value(value, "")));
            for call in body.insts().filter(|&i| body.info(i).apply == Some(ApplyKind::Full)) {
                let mut visitor = ToInst { body, target: call };
                let path = escapes.view.addresses_in(value);
                let sign = match escapes.escapes(value, path, Direction::Up, &mut visitor) {
                    true => "==>",
                    false => "-  ",
                };
                text.push_str(&format!("  {sign} {}", dump.inst(call, "")));
            }
        }
        for (i, &a) in marked.iter().enumerate() {
            for (j, &b) in marked.iter().enumerate().skip(i + 1) {
                let at = |value| (value, escapes.view.addresses_in(value));
                let is_address = |value| body.value(value).ty.is_address();
                let reaches_all =
                    |a, b| escapes.may_alias(at(a), (b, ProjectionPath::of(Component::Anything)), u32::MAX);
                let answer = if escapes.may_alias(at(a), at(b), u32::MAX) {
                    "may"
                } else if is_address(a) && !is_address(b) && reaches_all(a, b) {
                    "address reachable but no"
                } else {
                    "no"
                };
                let (first, second) = (dump.value(a, ""), dump.value(b, ""));
                text.push_str(&format!("pair {i} - {j}\n{first}{second}{answer} alias\n"));
            }
        }
        text + &format!("End function {}\n\n", function.name)
    });
    cx.print(&text);
}

/// Returns the output for each function with a body, callees first.
fn each_function(
    cx: &ModuleContext<'_>,
    print: impl Fn(&Function, &Escapes<'_>, &Dump<'_>) -> String,
) -> String {
    let program = cx.program();
    let mut text = String::new();
    for id in bottom_up(&program) {
        let Some(view) = program.body_view(id).filter(|view| view.function.is_optimized()) else { continue };
        text.push_str(&print(view.function, &view.escapes(), &cx.dump(view.body)));
    }
    text
}

/// Returns the destinations to which a new object escapes.
fn places(escapes: &Escapes<'_>, allocation: Inst) -> String {
    let body = escapes.view.body;
    let Some(object) = body.first_result(allocation) else { return String::new() };
    let mut visitor = Places { body, found: BTreeSet::new() };
    if escapes.escapes(object, ProjectionPath::EMPTY, Direction::Up, &mut visitor) {
        return "global".to_owned();
    }
    match visitor.found.is_empty() {
        true => " -    ".to_owned(),
        false => visitor.found.into_iter().collect::<Vec<_>>().join(","),
    }
}

/// A visitor that records the returns and arguments that a value escapes to.
struct Places<'a> {
    body: &'a Body,
    found: BTreeSet<String>,
}

impl EscapeVisitor for Places<'_> {
    fn at_use(&mut self, operand: Operand, path: EscapePath) -> AtUse {
        if self.body.inst(self.body.operand(operand).user).opcode != Opcode::Return {
            return AtUse::Follow;
        }
        self.found.insert(format!("return[{}]", path.path));
        AtUse::Skip
    }

    fn at_def(&mut self, value: Value, path: EscapePath) -> AtDef {
        match self.body.def(value) {
            ValueDef::Argument(block, index) if self.body.is_entry_block(block) => {
                self.found.insert(format!("arg{index}[{}]", path.path));
                AtDef::Down
            }
            _ => AtDef::Follow,
        }
    }
}

/// A visitor that treats reaching one instruction as an escape.
struct ToInst<'a> {
    body: &'a Body,
    target: Inst,
}

impl EscapeVisitor for ToInst<'_> {
    fn at_use(&mut self, operand: Operand, _: EscapePath) -> AtUse {
        let user = self.body.operand(operand).user;
        match self.body.inst(user).opcode {
            _ if user == self.target => AtUse::Abort,
            Opcode::Return => AtUse::Skip,
            _ => AtUse::Follow,
        }
    }

    fn follows_trivial(&self) -> bool {
        true
    }

    fn follows_loads(&self) -> bool {
        false
    }
}
