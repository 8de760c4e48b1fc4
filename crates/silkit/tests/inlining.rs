//! The cloner, the editor and the builder together: calls are replaced by the bodies of their callees, and what
//! comes out is legal SIL that prints and reads back.

mod inputs;

use silkit::base::FxHashSet;
use silkit::ir::conventions::ApplySite;
use silkit::ir::instructions::FunctionRef;
use silkit::ir::{FunctionId, Inst, Module, Opcode, Serialized};
use silkit::pass::{FunctionContext, Pass, Runner};
use silkit::text::parse_module;
use silkit::transform::inliner;
use silkit_testkit::or_skip;
use silkit_testkit::shared::ReferenceTools;

/// Returns a call that can be replaced, with its callee.
fn find_call(cx: &FunctionContext<'_>, seen: &FxHashSet<Inst>) -> Option<(Inst, FunctionId)> {
    let (body, program) = (cx.body(), cx.program());
    body.insts().filter(|inst| !seen.contains(inst)).find_map(|inst| {
        let site = cx.view().apply_site(inst).filter(ApplySite::is_full)?;
        let callee = program.function_id(body.def_as::<FunctionRef>(site.callee())?.function)?;
        let source = program.definition(callee).body()?;
        let fits = source.inst_bound() < 60
            && body.inst_bound() < 4000
            // Definite initialization lowers these, and runs before any inlining.
            && source.insts().all(|inst| source.inst(inst).opcode != Opcode::MarkUninitialized)
            // What other modules may copy cannot refer to what a body that they do not have refers to.
            && (cx.function().attributes.serialized != Serialized::Fully
                || program.module.functions[callee].attributes.serialized == Serialized::Fully);
        fits.then_some((inst, callee))
    })
}

/// Inlines what can be inlined, once each.
fn inline_all(cx: &mut FunctionContext<'_>) {
    // Calls that came with a callee stay: some callee may call itself. So do those that cannot be inlined.
    let old: FxHashSet<Inst> = cx.body().insts().collect();
    let mut refused: FxHashSet<Inst> = FxHashSet::default();
    loop {
        let new = cx.body().insts().filter(|i| !old.contains(i));
        let seen: FxHashSet<Inst> = new.chain(refused.iter().copied()).collect();
        let Some((call, callee)) = find_call(cx, &seen) else { break };
        match inliner::inline(cx, call, callee) {
            Ok(()) => cx.count("calls", 1),
            Err(_) => _ = refused.insert(call),
        }
        cx.body().verify_integrity().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Inlines in all functions of a module, and returns the number of calls.
fn inline_module(module: &mut Module) -> usize {
    let declarations = silkit::declarations(module);
    let pass = Pass::function("inline-all", "Inlines all calls once", &inline_all).mandatory();
    let outcome = Runner::new().run(module, &declarations, &[pass.into()]);
    outcome.counts.values().map(|&count| count as usize).sum()
}

fn findings(module: &Module) -> Vec<String> {
    let facts = silkit::declarations(module);
    let report = silkit::verify::verify(module, &facts, None, &Default::default());
    report.findings.iter().map(|f| format!("{f:?}")).collect()
}

/// Returns the line of a text that a position is on.
fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    text[start..].lines().next().unwrap_or_default()
}

#[test]
fn what_is_inlined_is_legal() {
    let mut total = 0;
    for (name, text) in inputs::all(60_000) {
        let mut module = parse_module(&text).module;
        let before = findings(&module).len();
        total += inline_module(&mut module);
        let after = findings(&module);
        assert!(after.len() <= before, "{name}: {:?}", after.first());
        let printed = silkit::print(&module);
        let errors = parse_module(&printed).errors;
        let shown: Vec<&str> = errors.iter().map(|e| line_of(&printed, e.range.start as usize)).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}\n{}", shown.join("\n"));
    }
    eprintln!("{total} calls");
    assert!(total > 50, "{total}");
}

/// Removes what names the variables of a function: without debug scopes, which the examples do not have, those of
/// an inlined one clash with them.
fn remove_debug_values(module: &mut Module) {
    for body in module.functions.values_mut().filter_map(|f| f.body.as_mut()) {
        let names: Vec<Inst> = body.insts().filter(|&i| body.inst(i).opcode == Opcode::DebugValue).collect();
        let mut editor = body.edit();
        names.into_iter().for_each(|inst| editor.remove(inst));
    }
}

/// Returns what the reference says about a module.
fn reference_errors(reference: &ReferenceTools, module: &Module) -> String {
    let file = std::env::temp_dir().join(format!("silkit-inlined-{}.sil", std::process::id()));
    std::fs::write(&file, silkit::print(module)).expect("a file");
    let output = reference.command("sil-opt").args(["-o", "/dev/null"]).arg(&file).output().expect("sil-opt");
    std::fs::remove_file(&file).expect("the file");
    match output.status.success() {
        true => String::new(),
        false => format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn the_reference_accepts_what_is_inlined() {
    let reference = or_skip!(ReferenceTools::find());
    let mut accepted = 0;
    for (name, text) in inputs::all(0) {
        let mut module = parse_module(&text).module;
        remove_debug_values(&mut module);
        if !reference_errors(&reference, &module).is_empty() {
            // It cannot read all that it prints.
            continue;
        }
        inline_module(&mut module);
        let errors = reference_errors(&reference, &module);
        assert!(errors.is_empty(), "{name}: {errors}");
        accepted += 1;
    }
    assert!(accepted > 3, "{accepted}");
}
