//! Parallel printing of pieces, written in order.

use crate::printer::{Out, Shared};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The sink of the printed text.
type Write<'w, E> = dyn FnMut(&str) -> Result<(), E> + Send + 'w;

/// The pieces that are printed but not yet written.
struct Writer<'w, E> {
    write: &'w mut Write<'w, E>,
    /// The index of the next piece to write.
    turn: usize,
    /// Pieces that were printed before their turn.
    waiting: BTreeMap<usize, String>,
    /// Buffers of written pieces, for reuse.
    free: Vec<String>,
    outcome: Result<(), E>,
}

impl<E> Writer<'_, E> {
    /// Writes a piece and the pieces waiting for it, or stores it until its turn. The text of `out` is empty
    /// afterwards.
    fn put(&mut self, index: usize, out: &mut Out<'_>) {
        if index != self.turn {
            let buffer = self.free.pop().unwrap_or_default();
            self.waiting.insert(index, out.replace(buffer));
            return;
        }
        self.write(out.text());
        out.clear();
        while let Some(mut text) = self.waiting.remove(&self.turn) {
            self.write(&text);
            text.clear();
            self.free.push(text);
        }
    }

    fn write(&mut self, text: &str) {
        if self.outcome.is_ok() {
            self.outcome = (self.write)(text);
        }
        self.turn += 1;
    }
}

/// Prints pieces in parallel, and writes them in order.
///
/// # Errors
/// Returns the first error of `write`, after which nothing more is printed.
pub(crate) fn in_order<T: Sync, E: Send>(
    pieces: &[T],
    shared: &Shared<'_>,
    print: &(dyn Fn(&T, &mut Out<'_>) + Sync),
    write: &mut Write<'_, E>,
) -> Result<(), E> {
    let threads = rayon::current_num_threads().min(pieces.len());
    if threads < 2 {
        let mut out = Out::new(shared);
        return pieces.iter().try_for_each(|piece| {
            out.clear();
            print(piece, &mut out);
            write(out.text())
        });
    }
    let next = AtomicUsize::new(0);
    let writer = Writer { write, turn: 0, waiting: BTreeMap::new(), free: Vec::new(), outcome: Ok(()) };
    let writer = Mutex::new(writer);
    let work = || {
        let mut out = Out::new(shared);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(index) else { return };
            print(piece, &mut out);
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.put(index, &mut out);
            if writer.outcome.is_err() {
                return;
            }
        }
    };
    rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
    writer.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
}
