//! `mandatory-inlining`: replaces calls of `[transparent]` functions by their bodies.
//!
//! ```text
//! sil [transparent] [ossa] @identity : $@convention(thin) <T> (@in_guaranteed T) -> @out T {
//! bb0(%0 : $*T, %1 : $*T):
//!   copy_addr %1 to [init] %0
//!   %3 = tuple ()
//!   return %3
//! }
//! sil [ossa] @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> @out Builtin.Int64 {
//! bb0(%0 : $*Builtin.Int64, %1 : $*Builtin.Int64):
//!   %2 = function_ref @identity : $@convention(thin) <T> (@in_guaranteed T) -> @out T
//!   %3 = apply %2<Builtin.Int64>(%0, %1) : $@convention(thin) <T> (@in_guaranteed T) -> @out T
//!   return %3
//! }
//! ---
//! sil [transparent] [ossa] @identity : $@convention(thin) <T> (@in_guaranteed T) -> @out T {
//! bb0(%0 : $*T, %1 : $*T):
//!   copy_addr %1 to [init] %0
//!   %3 = tuple ()
//!   return %3
//! }
//! sil [ossa] @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> @out Builtin.Int64 {
//! bb0(%0 : $*Builtin.Int64, %1 : $*Builtin.Int64):
//!   copy_addr %1 to [init] %0
//!   %3 = tuple ()
//!   return %3
//! }
//! ```
//!
//! Callees are completed before they are inlined. A call may reach its callee through a closure that the caller makes, as the
//! operators `&&` and `||` do; a closure without remaining calls is deleted. What is inlined gets the location of the call, and loses
//! its variables. Transparent functions that call each other in a circle are an error.

mod walk;

use silkit_base::{EntitySet, FxHashSet, Symbol};
use silkit_ir::{FunctionFlags, FunctionId, Inst};
use silkit_pass::{ModuleContext, OpenFunction, OpenFunctions, Pass, Severity, Spot};
use silkit_transform::linker;
use walk::{Step, Surroundings, Walk};

pub(super) const PASS: Pass<'static> =
    Pass::module("mandatory-inlining", "Inlines calls of transparent functions", &run).mandatory();

/// What is known of the functions.
#[derive(Default)]
struct Known {
    /// Those that are complete.
    done: EntitySet<FunctionId>,
    /// Those that the library does not have.
    missing: FxHashSet<Symbol>,
    /// The conformances whose tables the library was asked for.
    tables: FxHashSet<(Symbol, Symbol)>,
}

/// A function on the way to being complete.
struct Frame {
    open: OpenFunction,
    walk: Walk,
    /// The call of the function that is waited for.
    call: Option<Inst>,
}

impl Frame {
    fn new(open: OpenFunction) -> Self {
        let walk = Walk::new(open.function());
        Self { open, walk, call: None }
    }
}

fn run(cx: &mut ModuleContext<'_>) {
    let all: Vec<FunctionId> = cx.module().functions.keys().collect();
    let mut known = Known::default();
    let mut functions = cx.open_functions();
    for id in all {
        let function = &functions.module().functions[id];
        // What came from another module went through this pass there.
        let is_complete = function.attributes.thunk.is_some() || function.has(FunctionFlags::CANONICAL);
        if function.body.is_none() || is_complete {
            continue;
        }
        complete(&mut functions, id, &mut known);
    }
}

/// Inlines all that is transparent into a function, after the same was done in the transparent functions that it calls.
fn complete(functions: &mut OpenFunctions<'_, '_>, id: FunctionId, known: &mut Known) {
    if known.done.contains(id) {
        return;
    }
    let mut active: FxHashSet<FunctionId> = FxHashSet::default();
    active.insert(id);
    let mut frames = vec![Frame::new(functions.open(id))];
    while let Some(frame) = frames.last_mut() {
        let library = functions.library();
        let around =
            Surroundings { done: &known.done, library, missing: &known.missing, tables: &known.tables };
        match functions.work(&mut frame.open, |cx| frame.walk.advance(cx, &around)) {
            Step::Table(ty, protocol) => {
                functions.extend(|module, declarations, library| {
                    linker::load_witness_table(module, declarations, library, (ty, protocol))
                });
                known.tables.insert((ty, protocol));
            }
            Step::Load(name) => {
                let mut is_missing = true;
                functions.extend(|module, declarations, library| {
                    is_missing = linker::load(module, declarations, library, name).is_none();
                    false
                });
                if is_missing {
                    known.missing.insert(name);
                }
            }
            Step::Done => {
                let Some(mut frame) = frames.pop() else { break };
                functions.work(&mut frame.open, |cx| frame.walk.finish(cx));
                active.remove(&frame.open.id());
                known.done.insert(frame.open.id());
                functions.close(frame.open);
            }
            Step::Needs(call, callee) if active.contains(&callee) => {
                frame.call = Some(call);
                report_circle(functions, &mut frames);
                break;
            }
            Step::Needs(call, callee) => {
                frame.call = Some(call);
                active.insert(callee);
                let next = functions.open(callee);
                frames.push(Frame::new(next));
            }
        }
    }
    for frame in frames {
        functions.close(frame.open);
    }
}

/// Reports the call that closes a circle, and the calls that led there.
fn report_circle(functions: &mut OpenFunctions<'_, '_>, frames: &mut [Frame]) {
    let Some((last, others)) = frames.split_last_mut() else { return };
    let call = last.call;
    let circle = "inlining 'transparent' functions forms circular loop";
    let mut problem = functions.work(&mut last.open, |cx| cx.problem(Severity::Error, call, circle));
    for frame in others.iter_mut().rev() {
        let body = frame.open.function().body.as_ref();
        let spot = frame.call.zip(body).map_or_else(Spot::default, |(call, body)| Spot::of(body, call));
        let function = Some(frame.open.id());
        problem = problem.note(Spot { function, ..spot }, "while inlining here");
    }
    functions.work(&mut last.open, |cx| cx.diagnose(problem));
}

/// Returns true if a function is inlined wherever it is called.
fn is_transparent(flags: FunctionFlags) -> bool {
    flags.contains(FunctionFlags::TRANSPARENT)
}
