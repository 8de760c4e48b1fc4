//! The cloner, the editor and the builder together: calls are replaced by the bodies of their callees, and what
//! comes out is legal SIL that prints and reads back.

mod inputs;

use silkit::ir::conventions::{Addresses, ApplySite};
use silkit::ir::instructions::{Apply, FunctionRef, Return};
use silkit::ir::{Body, Cloner, Function, FunctionId, Inst, Module, Opcode, ScopeMap};
use silkit::text::parse_module;
use silkit::types::Substitution;
use silkit::types::decl::Declarations;
use silkit_testkit::or_skip;
use silkit_testkit::shared::Reference;

/// A call that can be replaced, with its callee.
fn find_call(module: &Module, caller: FunctionId, seen: &[Inst]) -> Option<(Inst, FunctionId)> {
    let function = &module.functions[caller];
    let body = function.body.as_ref()?;
    body.insts().filter(|inst| !seen.contains(inst)).find_map(|inst| {
        let apply: Apply<'_> = body.view_as(inst)?;
        let callee = module.function(body.def_as::<FunctionRef>(apply.callee)?.function)?;
        let target = &module.functions[callee];
        let source = target.body.as_ref()?;
        let exits = source.insts().filter(|&i| source.is_function_exit(i)).count();
        let ends_with_return =
            source.insts().filter(|&i| source.inst(i).opcode == Opcode::Return).count() == 1;
        let fits = callee != caller
            && exits == 1
            && ends_with_return
            && source.inst_count() < 60
            && body.inst_count() < 4000
            // What other modules may copy cannot refer to what a body that they do not have refers to.
            && (!function.has_attribute("serialized") || target.has_attribute("serialized"))
            && target.has_attribute("ossa") == function.has_attribute("ossa")
            && !apply.nothrow;
        fits.then_some((inst, callee))
    })
}

/// Replaces a call by a copy of the callee's body.
fn inline(module: &mut Module, facts: &Declarations, caller: FunctionId, call: Inst, callee: FunctionId) {
    let source: Function = module.functions[callee].clone();
    let source_body = source.body.as_ref().expect("a body");
    let mut body = module.functions[caller].body.take().expect("a body");
    let scope = body.loc(body.inst(call).loc).map_or(silkit::ir::NONE, |loc| loc.scope);
    let from = module.scopes.clone();
    let scopes = ScopeMap::inline(&mut module.scopes, &from, source_body.used_scopes(), scope);

    let site = ApplySite::new(&body, call, Addresses::Lowered).expect("an apply site");
    let args: Vec<_> = site.arguments().collect();
    let substitutions = site.substitutions();
    let sig = source.ty.ty().as_function().and_then(|ty| ty.sig);
    let result = body.results(call).next().expect("a result");
    let loc = body.inst(call).loc;

    let mut cloner = Cloner::of(source_body).with_scopes(&scopes);
    if let Some(sig) = sig {
        cloner = cloner.with_substitution(Substitution { sig, args: &substitutions }, facts);
    }
    let mut editor = body.edit();
    let next = editor.next_inst(call).expect("a terminator");
    let rest = editor.split_block(next);
    let before = editor.inst(call).block;
    let copies = cloner.blocks(&mut editor, source_body.block_order(), before);
    let entry = copies[0];
    for (index, &arg) in args.iter().enumerate().rev() {
        editor.replace_all_uses(editor.arguments(entry)[index], arg);
        editor.remove_argument(entry, index);
    }
    let exit = source_body.insts().find(|&i| source_body.inst(i).opcode == Opcode::Return).expect("a return");
    let exit = cloner.inst(exit).expect("its copy");
    let returned = editor.view_as::<Return>(exit).expect("a return").operand;
    let last = editor.inst(exit).block;
    editor.remove(exit);
    editor.insert_branch(last, rest, &[], loc);
    editor.insert_branch(before, entry, &[], loc);
    editor.replace_all_uses(result, returned);
    editor.remove(call);
    editor.merge_into_predecessor(rest);
    editor.merge_into_predecessor(entry);
    body.verify_integrity().unwrap_or_else(|e| panic!("{e}"));
    module.functions[caller].body = Some(body);
}

/// Inlines what can be, once each; gives the number of calls.
fn inline_all(module: &mut Module) -> usize {
    let facts = silkit::declarations(module);
    let mut done = 0;
    for caller in module.functions.keys().collect::<Vec<_>>() {
        // Calls that came with a callee stay: some callee may call itself.
        let old: Vec<Inst> = module.functions[caller].body.iter().flat_map(Body::insts).collect();
        loop {
            let body = module.functions[caller].body.as_ref();
            let new: Vec<Inst> =
                body.into_iter().flat_map(Body::insts).filter(|i| !old.contains(i)).collect();
            let Some((call, callee)) = find_call(module, caller, &new) else { break };
            inline(module, &facts, caller, call, callee);
            done += 1;
        }
    }
    done
}

fn findings(module: &Module) -> Vec<String> {
    let facts = silkit::declarations(module);
    let report = silkit::verify::verify(module, &facts, None, &Default::default());
    report.findings.iter().map(|f| format!("{f:?}")).collect()
}

#[test]
fn what_is_inlined_is_legal() {
    let mut total = 0;
    for (name, text) in inputs::all(60_000) {
        let mut module = parse_module(&text).module;
        let before = findings(&module).len();
        total += inline_all(&mut module);
        let after = findings(&module);
        assert!(after.len() <= before, "{name}: {:?}", after.first());
        assert_eq!(parse_module(&silkit::print(&module)).errors, [], "{name}");
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

/// What the reference says about a module.
fn reference_errors(reference: &Reference, module: &Module) -> String {
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
    let reference = or_skip!(Reference::find());
    let mut accepted = 0;
    for (name, text) in inputs::all(0) {
        let mut module = parse_module(&text).module;
        remove_debug_values(&mut module);
        if !reference_errors(&reference, &module).is_empty() {
            // It cannot read all that it prints.
            continue;
        }
        inline_all(&mut module);
        let errors = reference_errors(&reference, &module);
        assert!(errors.is_empty(), "{name}: {errors}");
        accepted += 1;
    }
    assert!(accepted > 3, "{accepted}");
}
