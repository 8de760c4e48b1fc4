//! The threads of a run.

use std::path::PathBuf;
use std::sync::OnceLock;

/// The size of input in bytes below which one thread is faster than to start another one.
const SMALL: u64 = 16 << 10;

/// The number of threads that was asked for; 0 is all cores.
static CHOSEN: OnceLock<usize> = OnceLock::new();

/// Chooses the number of threads; 0 stands for all cores. The first choice counts.
pub(crate) fn choose(number: usize) {
    let _ = CHOSEN.set(number);
}

/// Starts the threads for a command that reads these files. The thread that calls is one of them, so it must not wait for
/// threads of its own that use them.
pub(crate) fn start(paths: &[PathBuf]) {
    let size = |path: &PathBuf| path.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
    let sizes: Option<Vec<u64>> = paths.iter().map(size).collect();
    let is_small = sizes.is_some_and(|sizes| sizes.iter().sum::<u64>() < SMALL);
    let number = match CHOSEN.get() {
        None | Some(0) => usize::from(is_small),
        Some(number) => *number,
    };
    // Only the first call in a process starts them.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(number).use_current_thread().build_global();
}

/// Starts the threads for a command whose other threads use them.
pub(crate) fn start_apart() {
    if let Some(&number @ 1..) = CHOSEN.get() {
        let _ = rayon::ThreadPoolBuilder::new().num_threads(number).build_global();
    }
}
