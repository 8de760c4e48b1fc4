//! `dump-alias-info` and `dump-mem-behavior`: print the results of alias analysis for all pairs.

use silkit_analysis::alias::Aliases;
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::bottom_up;
use silkit_pass::options;
use silkit_text::Dump;
use std::fmt::Write;

pub(crate) const ALIASES: Pass<'static> =
    Pass::module("dump-alias-info", "Prints the alias result of all pairs of values", &aliases)
        .with_options(&[options::WMO]);

pub(crate) const MEMORY: Pass<'static> = Pass::module(
    "dump-mem-behavior",
    "Prints the memory behavior of all instructions for all addresses",
    &memory,
)
.with_options(&[options::WMO]);

fn aliases(cx: &mut ModuleContext<'_>) {
    let text = each_function(cx, |body, aliases, dump, text| {
        let _ = writeln!(text, "@{}", aliases.function_name());
        let values = values(body);
        let mut number = 0;
        for (i, &a) in values.iter().enumerate() {
            for &b in &values[i..] {
                let may_alias = if a == b { aliases.meets_itself(a) } else { aliases.may_alias(a, b) };
                let answer = match may_alias {
                    true => "MayAlias",
                    false if body.is_used(a) && body.is_used(b) => "NoAlias",
                    // A value without uses is never reached, which proves little.
                    false => "noalias?",
                };
                let _ = write!(text, "PAIR #{number}.\n{}{}  {answer}\n", shown(dump, a), shown(dump, b));
                number += 1;
            }
        }
    });
    cx.print(&text);
}

fn memory(cx: &mut ModuleContext<'_>) {
    let text = each_function(cx, |body, aliases, dump, text| {
        let _ = writeln!(text, "@{}", aliases.function_name());
        let addresses: Vec<Value> =
            values(body).into_iter().filter(|&value| body.value(value).ty.is_address()).collect();
        let mut number = 0;
        for inst in body.insts().filter(|&i| is_shown(body, i)) {
            for &address in addresses.iter().filter(|&&a| body.defining_inst(a) != Some(inst)) {
                let _ = write!(
                    text,
                    "PAIR #{number}.\n  {}{}  r={},w={}\n",
                    dump.inst(inst, ""),
                    shown(dump, address),
                    u8::from(aliases.may_read(inst, address)),
                    u8::from(aliases.may_write(inst, address))
                );
                number += 1;
            }
        }
        text.push('\n');
    });
    cx.print(&text);
}

/// Returns true if an instruction is of a kind for which optimizations query memory behavior.
fn is_shown(body: &Body, inst: Inst) -> bool {
    use Opcode as O;
    matches!(
        body.inst(inst).opcode,
        O::Apply
            | O::TryApply
            | O::BeginApply
            | O::EndApply
            | O::AbortApply
            | O::PartialApply
            | O::BeginAccess
            | O::EndAccess
            | O::Load
            | O::LoadBorrow
            | O::EndBorrow
            | O::EndCOWMutation
            | O::Store
            | O::StoreBorrow
            | O::CopyAddr
            | O::CopyValue
            | O::DestroyValue
            | O::StrongRelease
            | O::Builtin
            | O::DebugValue
            | O::IsUnique
            | O::MarkDependence
            | O::MarkDependenceAddr
    )
}

/// Returns the values of a body: the arguments and results of each block in order. As in the reference, thunks are
/// left out.
fn values(body: &Body) -> Vec<Value> {
    let mut values = Vec::new();
    for block in body.blocks() {
        values.extend(body.arguments(block));
        let insts = body.block_insts(block).filter(|&inst| body.inst(inst).opcode != Opcode::Thunk);
        values.extend(insts.flat_map(|inst| body.results(inst)));
    }
    values
}

/// Returns the definition of a value as a line.
pub(super) fn shown(dump: &Dump<'_>, value: Value) -> String {
    format!("  {}", dump.value(value, ""))
}

/// Returns the output for each function with a body, callees first.
pub(super) fn each_function(
    cx: &ModuleContext<'_>,
    print: impl Fn(&Body, &Aliases<'_>, &Dump<'_>, &mut String),
) -> String {
    let program = cx.program();
    let mut text = String::new();
    for id in bottom_up(&program) {
        let Some(view) = program.body_view(id).filter(|view| view.function.is_optimized()) else { continue };
        print(view.body, &view.aliases(), &cx.dump(view.body), &mut text);
    }
    text
}
