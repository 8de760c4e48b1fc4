//! Tests of what stops the motion of deinitializers.

use super::{Test, TestFn};
use silkit_analysis::access::{AccessFacts, GlobalInitializer, global_initializer};
use silkit_analysis::calls::{CalleeTables, Visibility};
use silkit_analysis::escape::{Escapes, Program};
use silkit_analysis::side_effects::Context;
use silkit_ir::Functions;
use silkit_pass::FunctionsByName;
use silkit_pass::interprocedural::{all_effects, memory_facts};

pub(super) const TESTS: &[(&str, TestFn)] = &[("is_deinit_barrier", is_deinit_barrier)];

/// Shows an instruction, and whether a deinitializer that runs after it must not run before it.
fn is_deinit_barrier(test: &mut Test<'_, '_>) -> Result<(), String> {
    let inst = test.instruction()?;
    let text = test.dump().inst(inst, "");
    let is_barrier = {
        let module = &*test.cx.module;
        let effects = all_effects(module);
        let tables =
            CalleeTables::new(module, Visibility::new(test.cx.declarations, test.cx.options.is_on("wmo")));
        let functions = FunctionsByName::of(module);
        let program = Program { tables: &tables, effects: &effects };
        let context = Context {
            function: test.function(),
            escapes: Escapes {
                facts: memory_facts(test.function(), test.body(), test.cx.declarations),
                program,
            },
            functions: &functions,
            accesses: AccessFacts {
                body: test.body(),
                declarations: test.cx.declarations,
                initializers: &|name| {
                    functions.function(name).map_or(GlobalInitializer::No, global_initializer)
                },
            },
        };
        context.is_deinit_barrier(inst)
    };
    test.say(format!("{text}{is_barrier}\n"));
    Ok(())
}
