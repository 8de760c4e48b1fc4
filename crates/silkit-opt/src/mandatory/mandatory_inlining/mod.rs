//! `mandatory-inlining`: replaces calls of `[transparent]` functions by their bodies.
//!
//! `inline-always-inlining` (Swift 6.3) does the same for `[always_inline]` functions, which stay visible to debuggers.
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
//! Inlining in a callee is completed before the callee is inlined. A call may reach its callee through a closure that
//! the caller creates, as for the operators `&&` and `||`; a closure without remaining calls is deleted. Inlined
//! instructions get the location of the call, and debug variables are dropped. Recursion between transparent
//! functions is an error, and so are more than about a million instructions in one function, since a chain of functions
//! that call the next one twice grows exponentially. (The reference has no bound.) A call with copyable types remains if
//! its callee awaits the move checker for memory of noncopyable types that it may consume or assign.

mod walk;

use silkit_base::{EntitySet, FxHashSet, Symbol};
use silkit_ir::{Function, FunctionFlags, FunctionId, InlineStrategy, Inst};
use silkit_link::linker;
use silkit_pass::options;
use silkit_pass::{ModuleContext, OpenFunction, OpenFunctions, Pass, ProblemLocation, Severity};
use silkit_transform::inliner::InlineStyle;
use walk::{Step, Walk, WalkContext};

pub(super) const PASS: Pass<'static> =
    Pass::module("mandatory-inlining", "Inlines calls of transparent functions", &run)
        .mandatory()
        .with_options(&[options::INLINING_LIMIT]);

pub(super) const ALWAYS: Pass<'static> =
    Pass::module("inline-always-inlining", "Inlines calls of `@inline(always)` functions", &run_always)
        .mandatory()
        .with_options(&[options::INLINING_LIMIT]);

/// The functions whose calls a pass inlines.
#[derive(Clone, Copy, Default)]
enum Inlined {
    #[default]
    Transparent,
    AlwaysInline,
}

impl Inlined {
    fn contains(self, function: &Function) -> bool {
        match self {
            Self::Transparent => function.has(FunctionFlags::TRANSPARENT),
            Self::AlwaysInline => function.attributes.inline == Some(InlineStrategy::Always),
        }
    }

    /// Returns their name in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Transparent => "'transparent'",
            Self::AlwaysInline => "'@inline(always)'",
        }
    }

    fn style(self) -> InlineStyle {
        match self {
            Self::Transparent => InlineStyle::Absorbed,
            Self::AlwaysInline => InlineStyle::Visible,
        }
    }
}

/// The state of the pass for the whole module.
#[derive(Default)]
struct InliningState {
    inlined: Inlined,
    /// The functions in which inlining is complete.
    done: EntitySet<FunctionId>,
    /// Functions without a body in the library.
    missing: FxHashSet<Symbol>,
    /// The conformances whose tables were requested from the library.
    tables: FxHashSet<(Symbol, Symbol)>,
    /// The maximum number of instructions of a function with inlined calls.
    most_insts: usize,
}

/// A function in which inlining is in progress.
struct Frame {
    open: OpenFunction,
    walk: Walk,
    /// The call whose callee must be completed first.
    call: Option<Inst>,
}

impl Frame {
    fn new(open: OpenFunction) -> Self {
        let walk = Walk::new(open.function());
        Self { open, walk, call: None }
    }
}

fn run(cx: &mut ModuleContext<'_>) {
    run_on(cx, Inlined::Transparent);
}

fn run_always(cx: &mut ModuleContext<'_>) {
    run_on(cx, Inlined::AlwaysInline);
}

fn run_on(cx: &mut ModuleContext<'_>, inlined: Inlined) {
    let all: Vec<FunctionId> = cx.module().functions.keys().collect();
    let most_insts = cx.options().number(options::INLINING_LIMIT);
    let mut state = InliningState { inlined, most_insts, ..InliningState::default() };
    let mut functions = cx.open_functions();
    for id in all {
        let function = &functions.module().functions[id];
        // In functions of other modules, this pass has already run.
        let is_complete = function.attributes.thunk.is_some() || function.has(FunctionFlags::CANONICAL);
        if function.body.is_none() || is_complete {
            continue;
        }
        complete(&mut functions, id, &mut state);
    }
}

/// Inlines all such calls in a function, after completing the callees.
fn complete(functions: &mut OpenFunctions<'_, '_>, id: FunctionId, state: &mut InliningState) {
    if state.done.contains(id) {
        return;
    }
    let mut active: FxHashSet<FunctionId> = FxHashSet::default();
    active.insert(id);
    let mut frames = vec![Frame::new(functions.open(id))];
    while let Some(frame) = frames.last_mut() {
        let library = functions.library();
        let around = WalkContext {
            inlined: state.inlined,
            done: &state.done,
            library,
            missing: &state.missing,
            tables: &state.tables,
            most_insts: state.most_insts,
        };
        match functions.work(&mut frame.open, |cx| frame.walk.advance(cx, &around)) {
            Step::Table(ty, protocol) => {
                functions.extend(|module, declarations, library| {
                    linker::load_witness_table(module, declarations, library, (ty, protocol))
                });
                state.tables.insert((ty, protocol));
            }
            Step::Load(name) => {
                let mut is_missing = true;
                functions.extend(|module, declarations, library| {
                    is_missing = linker::load(module, declarations, library, name).is_none();
                    false
                });
                if is_missing {
                    state.missing.insert(name);
                }
            }
            Step::Done => {
                let Some(mut frame) = frames.pop() else { break };
                functions.work(&mut frame.open, |cx| frame.walk.finish(cx));
                active.remove(&frame.open.id());
                state.done.insert(frame.open.id());
                functions.close(frame.open);
            }
            Step::Needs(call, callee) if active.contains(&callee) => {
                frame.call = Some(call);
                report_circle(functions, &mut frames, state.inlined);
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

/// Reports the call that closes a recursive cycle, and the calls that led there.
fn report_circle(functions: &mut OpenFunctions<'_, '_>, frames: &mut [Frame], inlined: Inlined) {
    let Some((last, others)) = frames.split_last_mut() else { return };
    let call = last.call;
    let circle = format!("inlining {} functions forms circular loop", inlined.name());
    let mut problem = functions.work(&mut last.open, |cx| cx.problem(Severity::Error, call, circle));
    for frame in others.iter_mut().rev() {
        let body = frame.open.function().body.as_ref();
        let spot = frame
            .call
            .zip(body)
            .map_or_else(ProblemLocation::default, |(call, body)| ProblemLocation::of(body, call));
        let function = Some(frame.open.function().name);
        problem = problem.note(ProblemLocation { function, ..spot }, "while inlining here");
    }
    functions.work(&mut last.open, |cx| cx.diagnose(problem));
}
