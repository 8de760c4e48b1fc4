//! Configuration of the thread pool.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The input size in bytes below which one thread is faster than starting more.
const SMALL: u64 = 16 << 10;

/// The requested number of threads; 0 means all cores.
static CHOSEN: OnceLock<usize> = OnceLock::new();

/// The maximum number of threads for each core. More threads take memory and time to start, and nothing is faster.
const PER_CORE: usize = 4;

/// Sets the number of threads; 0 means all cores. Only the first call has an effect.
pub(crate) fn choose(number: usize) {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let _ = CHOSEN.set(number.min(PER_CORE * cores));
}

/// Starts the thread pool for a command that reads these files. The calling thread is part of the pool, so it must not
/// block on threads it has spawned that use the pool.
pub(crate) fn start(paths: &[PathBuf]) {
    let size = |path: &PathBuf| path.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
    let sizes: Option<Vec<u64>> = paths.iter().map(size).collect();
    let is_small = sizes.is_some_and(|sizes| sizes.iter().sum::<u64>() < SMALL);
    let number = match CHOSEN.get() {
        None | Some(0) => usize::from(is_small),
        Some(number) => *number,
    };
    // Only the first call in a process starts the pool.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(number).use_current_thread().build_global();
}

/// Starts a thread pool without the calling thread, for a command that uses the pool from threads it spawns.
pub(crate) fn start_apart() {
    if let Some(&number @ 1..) = CHOSEN.get() {
        let _ = rayon::ThreadPoolBuilder::new().num_threads(number).build_global();
    }
}
