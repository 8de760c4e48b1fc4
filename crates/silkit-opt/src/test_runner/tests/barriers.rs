//! Tests of what stops the motion of deinitializers.

use super::{Test, TestFn};
use crate::context::FunctionsByName;
use crate::interprocedural::{all_effects, memory_facts};
use silkit_analysis::access::{AccessFacts, GlobalInitializer, global_initializer};
use silkit_analysis::calls::{CalleeTables, Visibility};
use silkit_analysis::escape::{Escapes, Program};
use silkit_analysis::side_effects::Context;
use silkit_ir::Functions;

pub(super) const TESTS: &[(&str, TestFn)] = &[("is_deinit_barrier", is_deinit_barrier)];

/// Shows an instruction, and whether a deinitializer that runs after it must not run before it.
fn is_deinit_barrier(test: &mut Test<'_>) -> Result<(), String> {
    let inst = test.instruction()?;
    let text = test.dump().inst(inst, "");
    let is_barrier = {
        let module = &*test.module;
        let effects = all_effects(module);
        let tables = CalleeTables::new(module, Visibility::new(test.declarations, test.options.is_on("wmo")));
        let functions = FunctionsByName::of(module);
        let program = Program { tables: &tables, effects: &effects };
        let context = Context {
            function: test.function(),
            escapes: Escapes {
                facts: memory_facts(test.function(), test.body(), test.declarations),
                program,
            },
            functions: &functions,
            accesses: AccessFacts {
                body: test.body(),
                declarations: test.declarations,
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
