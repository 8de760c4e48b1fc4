//! `sil-diagnostic-dead-function-elim`: removes the bodies of unused functions that an earlier pass marked.
//!
//! ```text
//! sil private [_semantics "sil.optimizer.delete_if_unused"] [ossa] @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = tuple ()
//!   return %0
//! }
//! ---
//! sil private [_semantics "sil.optimizer.delete_if_unused"] [ossa] @f : $@convention(thin) () -> () {
//! bb0:
//!   unreachable
//! }
//! ```
//!
//! This avoids duplicate diagnostics for a closure that was inlined. The function is kept for debuggers. A shared
//! function becomes private, since its body must not replace that of another module.

use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{Body, Function, FunctionId, Linkage, NewInst, Opcode, Point, Serialized, references};
use silkit_pass::{ModuleContext, Pass, bottom_up};

pub(super) const PASS: Pass<'static> = Pass::module(
    "sil-diagnostic-dead-function-elim",
    "Removes the bodies of unused functions that are marked for deletion",
    &run,
)
.mandatory();

/// The attribute of such functions.
const MARK: &str = "sil.optimizer.delete_if_unused";

fn run(cx: &mut ModuleContext<'_>) {
    let program = cx.program();
    let is_marked = |function: &Function| {
        let is_internal = match function.linkage {
            Linkage::Private | Linkage::Shared => true,
            Linkage::Hidden => program.is_whole_module(),
            _ => false,
        };
        function.body.is_some() && function.has_semantics(MARK) && is_internal
    };
    let marked: Vec<FunctionId> =
        bottom_up(&program).into_iter().filter(|&id| is_marked(&program.module.functions[id])).collect();
    if marked.is_empty() {
        return;
    }
    let mut counts = references::counts(program.module);
    for id in marked {
        let module = cx.module();
        if counts.get(&module.functions[id].name).is_some_and(|&count| count > 0) {
            continue;
        }
        if let Some(body) = &module.functions[id].body {
            references::of_body(body, &mut |name| drop_one(&mut counts, name));
        }
        let function = &mut cx.module_mut().functions[id];
        if function.linkage == Linkage::Shared {
            function.linkage = Linkage::Private;
            function.attributes.serialized = Serialized::No;
        }
        if let Some(body) = &mut function.body {
            empty(body);
        }
        cx.count("functions", 1);
    }
}

fn drop_one(counts: &mut FxHashMap<Symbol, usize>, name: Symbol) {
    if let Some(count) = counts.get_mut(&name) {
        *count = count.saturating_sub(1);
    }
}

/// Removes the contents of a body, except for its arguments.
fn empty(body: &mut Body) {
    let Some(entry) = body.entry_block() else { return };
    let loc = body.first_inst(entry).map_or(silkit_ir::Loc::NONE, |inst| body.inst(inst).loc);
    let others: Vec<_> = body.blocks().skip(1).collect();
    let insts: Vec<_> = body.block_insts(entry).collect();
    let mut editor = body.edit();
    for inst in insts.into_iter().rev() {
        let results: Vec<_> = editor.results(inst).collect();
        for result in results.into_iter().filter(|&value| editor.is_used(value)).collect::<Vec<_>>() {
            let ty = editor.value(result).ty;
            let undef = editor.undef(ty);
            editor.replace_all_uses(result, undef);
        }
        editor.remove(inst);
    }
    editor.remove_blocks(&others);
    editor.insert(Point::End(entry), &NewInst { loc, ..NewInst::new(Opcode::Unreachable) });
}
