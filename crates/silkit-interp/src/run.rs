//! Runs a program from its entry to its end.

use crate::interp::{Interp, RunOutcome};
use crate::memory::Kind;
use crate::violation::{Run, Stop, Violation, ViolationKind};
use silkit_base::Symbol;
use std::rc::Rc;

impl Interp<'_> {
    /// Runs the function `entry`, usually `main`, to the end of the program.
    pub fn run_program(&mut self, entry: &str) -> RunOutcome {
        let result = self.arguments().and_then(|(argc, argv)| self.run_entry(entry, &[argc, argv]));
        let code = |result: Option<u64>| result.map_or(0, |code| (code & 0xFF) as i32);
        self.outcome(result.map(|result| Stop::Exit(code(result))))
    }

    /// Runs the function `entry` with these arguments, each of which occupies at most 8 bytes. The program ends with
    /// exit code 0 when the function returns.
    pub fn run_function(&mut self, entry: &str, arguments: &[u64]) -> (Option<u64>, RunOutcome) {
        let result = self.run_entry(entry, arguments);
        let value = result.as_ref().ok().copied().flatten();
        (value, self.outcome(result.map(|_| Stop::Exit(0))))
    }

    /// Returns the values of the global variables of the program itself that are builtin integers. A variable that the
    /// run did not use has its initial value.
    pub fn scalar_globals(&mut self) -> Vec<(Symbol, u64)> {
        let program = self.program.clone();
        let own = program.world.modules().next().map(|(_, module)| module.sil.clone());
        let globals = own.iter().flat_map(|sil| sil.globals.values());
        let widths = globals.filter_map(|g| Some((g.name, crate::runtime::int_width(g.ty.ty())?)));
        let values = widths.filter_map(|(name, bits)| {
            let address = self.global_named(name).ok()?;
            let mut word = [0; 8];
            self.memory.load(address, &mut word[..bits.div_ceil(8) as usize]).ok()?;
            Some((name, u64::from_le_bytes(word)))
        });
        values.collect()
    }

    /// Returns the number of strong references to the objects that are alive.
    pub fn strong_references(&mut self) -> u64 {
        let mut count = 0;
        self.memory.for_each_alive(&mut |_, entry| {
            count += if entry.kind.is_counted() && !entry.immortal { u64::from(entry.strong) } else { 0 };
        });
        count
    }

    /// Returns the number of lifetimes that have not ended: allocations that are alive, except immortal ones, and accesses.
    pub fn open_lifetimes(&self) -> u64 {
        let mut count = self.accesses.len() as u64;
        self.memory.for_each_alive(&mut |_, entry| {
            let can_end = entry.kind.is_counted() || matches!(entry.kind, Kind::Stack | Kind::Heap);
            count += u64::from(can_end && !entry.immortal);
        });
        count
    }

    fn outcome(&mut self, stop: Run<Stop>) -> RunOutcome {
        let stop = stop.unwrap_or_else(|stop| stop);
        let exit_code = match &stop {
            Stop::Exit(code) => Some(*code),
            Stop::Failure { code, .. } => Some(*code),
            _ => None,
        };
        let leaks = if self.options.leaks && exit_code == Some(0) { self.find_leaks() } else { Vec::new() };
        RunOutcome { stop, exit_code, leaks, steps: self.steps }
    }

    /// Calls a function with as many of the arguments as it has parameters, and returns its result.
    fn run_entry(&mut self, entry: &str, arguments: &[u64]) -> Run<Option<u64>> {
        let symbol = Symbol::new(entry);
        let Some(at) = self.program.find(symbol) else {
            return crate::violation::unsupported(format!("a program without the function `{entry}`"));
        };
        let program = self.program.clone();
        let signature = program.function(at).ty.ty().as_function();
        let count = signature.map_or(0, |f| f.params.len());
        let has_result = signature.is_some_and(|f| !f.results.is_empty());
        let id = self.instance(at, Rc::from([]));
        let all: Vec<[u8; 8]> = arguments.iter().map(|a| a.to_le_bytes()).collect();
        let args: Vec<&[u8]> = all.iter().take(count).map(|a| &a[..]).collect();
        let result = self.call_instance(id, &args, 8)?;
        Ok(has_result.then(|| crate::exec::word(&result, 0)))
    }

    /// Returns the program's arguments as `argc` and `argv` of C. They are written to memory at the first use.
    pub(crate) fn arguments(&mut self) -> Run<(u64, u64)> {
        if let Some(written) = self.runtime.arguments {
            return Ok(written);
        }
        let all = self.host.arguments();
        let argv = self.allocate(Kind::Global, 8 * (all.len() as u64 + 1), 16, 0)?;
        for (i, argument) in all.iter().enumerate() {
            let text = self.permanent_text(argument)?;
            self.write(argv + 8 * i as u64, text)?;
        }
        self.write(argv + 8 * all.len() as u64, 0)?;
        self.runtime.arguments = Some((all.len() as u64, argv));
        Ok((all.len() as u64, argv))
    }

    /// Returns the words in the frames of active calls and suspended coroutines.
    fn active_words(&self) -> Vec<u64> {
        let suspended = self.stack.coroutines.iter().filter(|coroutine| !coroutine.is_over);
        let frames = self.stack.frames.iter().chain(suspended.map(|coroutine| &coroutine.frame));
        let bytes = frames.filter_map(|frame| {
            // Blocks that were translated after the frame was made have enlarged it.
            let size =
                self.instances.get(frame.instance.0 as usize).map_or(0, |instance| instance.frame_size);
            self.stack.bytes.get(frame.base as usize..(frame.base + size) as usize)
        });
        bytes.flat_map(|bytes| bytes.chunks_exact(8)).map(|word| crate::exec::word(word, 0)).collect()
    }

    /// Returns the allocations that are no longer reachable from global variables, or from stack memory: the functions
    /// that are active when the program exits still own the contents of theirs.
    fn find_leaks(&mut self) -> Vec<Violation> {
        let mut reachable = silkit_base::FxHashSet::default();
        let mut work = Vec::new();
        self.memory.for_each_alive(&mut |address, entry| {
            if entry.immortal || matches!(entry.kind, Kind::Global | Kind::Literal | Kind::Stack) {
                work.push(address);
            }
        });
        let mut words = if self.options.values_own { self.active_words() } else { Vec::new() };
        words.extend(self.runtime.tasks.unfinished());
        loop {
            for word in words.drain(..) {
                // A string stores extra bits in the reference to its object, and an address located before the string's
                // contents.
                for candidate in [word, word & 0x00FF_FFFF_FFFF_FFF8] {
                    if let Some((entry, base)) = self.memory.allocation(candidate)
                        && entry.alive
                        && !reachable.contains(&base)
                    {
                        work.push(base);
                    }
                }
            }
            let Some(address) = work.pop() else { break };
            if !reachable.insert(address) {
                continue;
            }
            words.extend(self.runtime.tasks.words_of(address));
            if let Some(size) = self.memory.size_of(address)
                && let Ok(bytes) = self.memory.peek(address, size)
            {
                words.extend(bytes.chunks_exact(8).map(|w| crate::exec::word(w, 0)));
            }
        }
        let mut leaks = Vec::new();
        self.memory.for_each_alive(&mut |address, entry| {
            if (entry.kind.is_counted() || entry.kind == Kind::Heap) && !reachable.contains(&address) {
                leaks.push((address, entry.kind, entry.bytes(), entry.born));
            }
        });
        let place = |pc| self.place_of(pc);
        leaks
            .into_iter()
            .map(|(address, kind, bytes, born)| Violation {
                kind: ViolationKind::Leak,
                message: format!("{} of {bytes} bytes at {address:#x} was never freed", kind.name()),
                place: place(born),
                history: Vec::new(),
                calls: Vec::new(),
            })
            .collect()
    }
}
