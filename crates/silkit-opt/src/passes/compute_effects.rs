//! `compute-escape-effects` and `compute-side-effects`: what functions do, found callees first and written behind their
//! types.

use crate::context::{FunctionsByName, ModuleContext};
use crate::interprocedural::{all_effects, memory_facts};
use crate::pass::Pass;
use silkit_analysis::FunctionEffects;
use silkit_analysis::access::{AccessFacts, GlobalInitializer, global_initializer};
use silkit_analysis::calls::{BottomUp, CalleeTables, Visibility};
use silkit_analysis::escape::{Escapes, Program};
use silkit_analysis::escape_effects::escape_effects;
use silkit_analysis::side_effects::{self, has_computed_effects, side_effects};
use silkit_base::{IdVec, Symbol};
use silkit_ir::{FunctionId, Functions};

pub(super) const ESCAPES: Pass<'static> = Pass::module(
    "compute-escape-effects",
    "Finds out which arguments of functions escape, and where to",
    &compute_escapes,
)
.with_options(&["wmo"]);

pub(super) const SIDES: Pass<'static> = Pass::module(
    "compute-side-effects",
    "Finds out what functions read, write, copy, destroy and allocate",
    &compute_sides,
)
.with_options(&["wmo"]);

fn compute_escapes(cx: &mut ModuleContext<'_>) {
    compute(cx, &|work, id, effects| {
        let escapes = work.escapes(id, effects)?;
        let name = work.cx.module.functions[id].name;
        let found = escape_effects(&escapes, name, &effects[id].escapes);
        (found != effects[id].escapes).then(|| FunctionEffects { escapes: found, ..effects[id].clone() })
    });
}

fn compute_sides(cx: &mut ModuleContext<'_>) {
    compute(cx, &|work, id, effects| {
        let function = &work.cx.module.functions[id];
        if !has_computed_effects(function) {
            return None;
        }
        let escapes = work.escapes(id, effects)?;
        let accesses = AccessFacts {
            body: escapes.facts.body,
            declarations: work.cx.declarations,
            initializers: &|name| work.initializer(name),
        };
        let context = side_effects::Context { function, escapes, functions: &work.functions, accesses };
        let side = Some(side_effects(&context));
        (side != effects[id].side).then(|| FunctionEffects { side, ..effects[id].clone() })
    });
}

/// What is shared while functions are looked at.
struct Work<'a> {
    cx: &'a ModuleContext<'a>,
    tables: CalleeTables<'a>,
    functions: FunctionsByName<'a>,
}

impl<'a> Work<'a> {
    /// Escape analysis of a function that has a body.
    fn escapes<'e>(
        &'e self,
        id: FunctionId,
        effects: &'e IdVec<FunctionId, FunctionEffects>,
    ) -> Option<Escapes<'e>> {
        let function = &self.cx.module.functions[id];
        let body = function.body.as_ref().filter(|body| !body.block_order().is_empty())?;
        let program = Program { tables: &self.tables, effects };
        Some(Escapes { facts: memory_facts(function, body, self.cx.declarations), program })
    }

    fn initializer(&self, name: Symbol) -> GlobalInitializer {
        self.functions.function(name).map_or(GlobalInitializer::No, global_initializer)
    }
}

type Find<'f> =
    dyn Fn(&Work<'_>, FunctionId, &IdVec<FunctionId, FunctionEffects>) -> Option<FunctionEffects> + Sync + 'f;

/// Finds the new effects of all functions, callees first, and writes those down that changed.
fn compute(cx: &mut ModuleContext<'_>, find: &Find<'_>) {
    let mut effects = all_effects(cx.module);
    let mut changed = 0;
    {
        let cx = &*cx;
        let tables = CalleeTables::new(cx.module, Visibility::new(cx.declarations, cx.options.is_on("wmo")));
        let order = BottomUp::new(&tables);
        let work = Work { cx, tables, functions: FunctionsByName::of(cx.module) };
        for id in order.functions() {
            if let Some(new) = find(&work, id, &effects) {
                effects[id] = new;
                changed += 1;
            }
        }
    }
    cx.count("functions changed", changed);
    // What was there before is spelled anew as well.
    for (id, effects) in effects.iter().filter(|(_, effects)| **effects != FunctionEffects::default()) {
        cx.module.functions[id].effects = effects.texts();
    }
}
