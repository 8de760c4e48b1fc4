//! The interface of native functions, which implement runtime functions and builtins, and their shared state.

use crate::interp::Interp;
use crate::op::{Pc, Slot};
use crate::sites::BuiltinSite;
use crate::violation::Run;
use silkit_base::{FxHashMap, Symbol};
use silkit_layout::Ty;
use std::rc::Rc;

/// A call of a function of the runtime.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The slots of the arguments.
    pub(crate) args: &'a [Slot],
    /// The slot of the result.
    pub(crate) result: Slot,
    /// The generic arguments.
    pub(crate) types: Rc<[Ty]>,
    /// The name of the function.
    pub(crate) name: Symbol,
    /// The operation at which the caller continues after a normal return.
    pub(crate) next: Pc,
    /// The operation at which the caller continues after an error, which is written to `error`.
    pub(crate) error_to: Pc,
    pub(crate) error: Slot,
}

/// The outcome of a call of a function of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The function wrote its result. Execution continues after the call.
    Done,
    /// Execution continues elsewhere: in another task or at another operation of the caller.
    Goto(Pc),
}

/// A function of the runtime.
pub(crate) type NativeFn = fn(&mut Interp<'_>, &Call<'_>) -> Run<Effect>;

/// The implementation of a builtin.
pub(crate) type BuiltinFn = fn(&mut Interp<'_>, &BuiltinSite) -> Run<()>;

/// The state of the runtime.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// The state of the random number generator.
    pub(crate) random: u64,
    /// The seed of hashing.
    pub(crate) seed: u64,
    /// The initializers that were executed, by the addresses of their tokens.
    pub(crate) once: FxHashMap<u64, bool>,
    /// The sites at which the active coroutines were started, by task and coroutine number.
    pub(crate) begin_sites: FxHashMap<(u32, u32), u32>,
    /// The number of the current task.
    pub(crate) current_task: u32,
    /// All tasks.
    pub(crate) tasks: crate::tasks::Tasks,
    /// The state of the generator that decides the order of tasks.
    pub(crate) choices: u64,
    /// Memory that C code allocates once and never frees.
    pub(crate) permanent: FxHashMap<Symbol, u64>,
    /// The canonical decompositions that the program has requested.
    pub(crate) decompositions: Decompositions,
    /// The number of the program's arguments, and the address of the array of their addresses.
    pub(crate) arguments: Option<(u64, u64)>,
    /// The variable of the thread that the module Observation uses.
    pub(crate) observation: u64,
}

impl Runtime {
    pub(crate) fn new(seed: u64, schedule: u64) -> Self {
        Self {
            random: seed ^ 0x9E37_79B9_7F4A_7C15,
            seed,
            once: FxHashMap::default(),
            begin_sites: FxHashMap::default(),
            current_task: 0,
            tasks: crate::tasks::Tasks::default(),
            choices: schedule,
            permanent: FxHashMap::default(),
            decompositions: Decompositions::default(),
            arguments: None,
            observation: 0,
        }
    }

    /// Returns the next random number (SplitMix64).
    pub(crate) fn next_random(&mut self) -> u64 {
        split_mix(&mut self.random)
    }

    /// Returns the next number that decides which task continues.
    pub(crate) fn next_choice(&mut self) -> u64 {
        split_mix(&mut self.choices)
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The canonical decompositions that the program has requested, in a table in the program's memory.
#[derive(Debug, Default)]
pub(crate) struct Decompositions {
    /// The address of the table, or 0 before the first use.
    pub(crate) table: u64,
    /// The number of bytes in use.
    pub(crate) used: u64,
    /// The table entries by scalar.
    pub(crate) entries: FxHashMap<u32, u32>,
}
