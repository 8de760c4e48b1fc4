//! `dump-alias-info` and `dump-mem-behavior`: what alias analysis answers for all pairs.

use silkit_analysis::alias::Aliases;
use silkit_analysis::calls::{CalleeTables, Visibility};
use silkit_analysis::escape::{Escapes, Program};
use silkit_ir::{Body, FunctionId, Inst, Module, Opcode, Value};
use silkit_pass::Pass;
use silkit_pass::bottom_up;
use silkit_pass::interprocedural::{all_effects, memory_facts};
use silkit_pass::{FunctionsByName, ModuleContext};
use silkit_text::Dump;
use silkit_types::decl::Declarations;
use std::fmt::Write;

pub(crate) const ALIASES: Pass<'static> =
    Pass::module("dump-alias-info", "Prints for all pairs of values whether they may alias", &aliases)
        .with_options(&["wmo"]);

pub(crate) const MEMORY: Pass<'static> = Pass::module(
    "dump-mem-behavior",
    "Prints for all addresses and instructions whether these may read or write there",
    &memory,
)
.with_options(&["wmo"]);

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
                    // That something never comes to where a value is used says little where there is no use.
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

/// Whether an instruction is one of the kinds that optimizations ask about.
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

/// All values of a body: the arguments and results of each block in order.
fn values(body: &Body) -> Vec<Value> {
    let mut values = Vec::new();
    for block in body.blocks() {
        values.extend(body.arguments(block));
        values.extend(body.block_insts(block).flat_map(|inst| body.results(inst)));
    }
    values
}

/// The definition of a value on a line.
pub(super) fn shown(dump: &Dump<'_>, value: Value) -> String {
    format!("  {}", dump.value(value, ""))
}

/// What is printed for each function with a body, callees first.
pub(super) fn each_function(
    cx: &ModuleContext<'_>,
    print: impl Fn(&Body, &Aliases<'_>, &Dump<'_>, &mut String),
) -> String {
    let mut text = String::new();
    let all = bottom_up(cx.module, cx.declarations);
    let ids: Vec<FunctionId> = all.into_iter().filter(|&id| cx.module.functions[id].is_optimized()).collect();
    with_aliases(cx.module, cx.declarations, cx.options.is_on("wmo"), ids, |body, aliases| {
        print(body, aliases, &cx.dump(body), &mut text);
    });
    text
}

/// Hands out alias analysis of the bodies of some functions of a module, in their order. Of functions that they call,
/// only the effects are known that stand in the module; where this is the whole module (`-wmo`), all that may be called
/// is.
pub fn with_aliases(
    module: &Module,
    declarations: &Declarations,
    is_whole_module: bool,
    ids: impl IntoIterator<Item = FunctionId>,
    mut visit: impl FnMut(&Body, &Aliases<'_>),
) {
    let tables = CalleeTables::new(module, Visibility::new(declarations, is_whole_module));
    let effects = all_effects(module);
    let program = Program { tables: &tables, effects: &effects };
    let functions = FunctionsByName::of(module);
    for id in ids {
        let function = &module.functions[id];
        let Some(body) = &function.body else { continue };
        let escapes = Escapes { facts: memory_facts(function, body, declarations), program };
        visit(body, &Aliases::new(escapes, function, module, &functions));
    }
}
