//! Reference counts.

use super::{Entry, Fault, Kind, Memory, WINDOW, WINDOW_BITS};

impl Memory {
    /// Returns the reference-counted allocation at a reference.
    #[inline]
    fn counted(&mut self, reference: u64) -> Result<&mut Entry, Fault> {
        let fault = match self.entry(reference >> WINDOW_BITS) {
            Some(entry) if entry.alive => {
                if entry.kind.is_counted() && reference & (WINDOW - 1) == u64::from(entry.start) {
                    return self.entry_mut(reference >> WINDOW_BITS).ok_or(Fault::Wild);
                }
                if entry.kind == Kind::Window || entry.kind.is_counted() {
                    Fault::NotABase
                } else {
                    Fault::Wild
                }
            }
            Some(entry) if entry.kind != Kind::None => Fault::Dead,
            None if self.was_used(reference) => Fault::Dead,
            _ => Fault::Wild,
        };
        Err(fault)
    }

    /// Adds strong references.
    ///
    /// # Errors
    /// Returns an error if the reference is not to a live object.
    #[inline]
    pub(crate) fn retain(&mut self, reference: u64, count: u32, by: u32) -> Result<(), Fault> {
        let entry = self.counted(reference)?;
        if !entry.immortal {
            entry.strong += count;
            entry.counted = by;
            self.events.retains += u64::from(count);
        }
        Ok(())
    }

    /// Removes a strong reference; returns true if it was the last.
    ///
    /// # Errors
    /// Returns an error if the reference is not to a live object, or if its reference count is already zero.
    #[inline]
    pub(crate) fn release(&mut self, reference: u64, by: u32) -> Result<bool, Fault> {
        let entry = self.counted(reference)?;
        if entry.immortal {
            return Ok(false);
        }
        if entry.strong == 0 {
            return Err(Fault::Dead);
        }
        entry.strong -= 1;
        // While the deinit runs, retains and releases of the object do not trigger another destruction.
        let is_last = entry.strong == 0 && !entry.deiniting;
        entry.counted = by;
        if is_last {
            entry.deiniting = true;
        }
        self.events.releases += 1;
        Ok(is_last)
    }

    /// Returns the number of strong references to an object.
    ///
    /// # Errors
    /// Returns an error if the reference is not to a live object.
    pub(crate) fn strong_count(&mut self, reference: u64) -> Result<u32, Fault> {
        self.counted(reference).map(|e| e.strong)
    }

    /// Returns true if an object has exactly one strong reference.
    ///
    /// # Errors
    /// Returns an error if the reference is not to a live object.
    #[inline]
    pub(crate) fn is_unique(&mut self, reference: u64) -> Result<bool, Fault> {
        self.counted(reference).map(|e| e.strong == 1 && !e.immortal)
    }

    /// Adds or removes unowned references.
    ///
    /// # Errors
    /// Returns an error if the address never was that of an object.
    pub(crate) fn change_unowned(&mut self, reference: u64, change: i32) -> Result<(), Fault> {
        match self.counted(reference) {
            Ok(entry) => {
                entry.unowned = entry.unowned.saturating_add_signed(change);
                Ok(())
            }
            Err(Fault::Dead) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Returns true if an object exists and its deinit has not begun.
    pub(crate) fn can_be_retained(&mut self, reference: u64) -> bool {
        self.counted(reference).is_ok_and(|e| !e.deiniting)
    }
}
