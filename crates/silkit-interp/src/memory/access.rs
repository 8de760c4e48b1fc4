//! Checked reads and writes of memory.

use super::{Kind, Memory, WINDOW, WINDOW_BITS};

/// The reason why memory cannot be accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The address belongs to no allocation.
    Wild,
    /// The allocation was freed.
    Dead,
    /// The access reaches beyond the allocation.
    OutOfBounds,
    /// A byte is uninitialized.
    Uninitialized,
    /// The address is not a multiple of the alignment.
    Misaligned,
    /// The memory is constant.
    Constant,
    /// The address points into an allocation, but must be its base address.
    NotABase,
    /// The memory holds data that cannot be read as bytes.
    Opaque,
}

type Located = Result<usize, Fault>;

impl Memory {
    /// Returns the position in the backing store of a range of bytes.
    #[inline]
    fn locate(&self, address: u64, len: u64) -> Located {
        if let Some(entry) = self.entry(address >> WINDOW_BITS) {
            let offset = (address & (WINDOW - 1)).wrapping_sub(u64::from(entry.start));
            if offset <= u64::from(entry.size) && len <= u64::from(entry.size) - offset && entry.alive {
                return Ok(entry.at as usize * 16 + offset as usize);
            }
        }
        Err(self.why_not(address, len))
    }

    #[cold]
    fn why_not(&self, address: u64, len: u64) -> Fault {
        match self.allocation(address) {
            None if self.was_used(address) => Fault::Dead,
            None => Fault::Wild,
            Some((entry, _)) if entry.kind == Kind::None => Fault::Wild,
            Some((entry, _)) if !entry.alive => Fault::Dead,
            Some((entry, _)) if matches!(entry.kind, Kind::Code | Kind::Metadata) && len > 0 => Fault::Opaque,
            Some(_) => Fault::OutOfBounds,
        }
    }

    #[inline]
    fn locate_to_write(&self, address: u64, len: u64) -> Located {
        if let Some(entry) = self.entry(address >> WINDOW_BITS) {
            let offset = (address & (WINDOW - 1)).wrapping_sub(u64::from(entry.start));
            if offset <= u64::from(entry.size) && len <= u64::from(entry.size) - offset && entry.alive {
                if entry.constant && len > 0 {
                    return Err(Fault::Constant);
                }
                return Ok(entry.at as usize * 16 + offset as usize);
            }
        }
        Err(self.why_not(address, len))
    }

    /// Reads 8 initialized bytes.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed, or is not initialized.
    #[inline]
    pub(crate) fn load_u64(&self, address: u64) -> Result<u64, Fault> {
        let at = self.locate(address, 8)?;
        if !self.backing.is_initialized(at, 8) {
            return Err(Fault::Uninitialized);
        }
        let mut word = [0; 8];
        word.copy_from_slice(self.backing.bytes(at, 8));
        Ok(u64::from_le_bytes(word))
    }

    /// Reads initialized bytes.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed, or is not initialized.
    #[inline]
    pub(crate) fn load(&self, address: u64, into: &mut [u8]) -> Result<(), Fault> {
        let at = self.locate(address, into.len() as u64)?;
        if !self.backing.is_initialized(at, into.len()) {
            return Err(Fault::Uninitialized);
        }
        into.copy_from_slice(self.backing.bytes(at, into.len()));
        Ok(())
    }

    /// Reads bytes, some of which may be uninitialized.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    #[inline]
    pub(crate) fn load_any(&self, address: u64, into: &mut [u8]) -> Result<(), Fault> {
        let at = self.locate(address, into.len() as u64)?;
        into.copy_from_slice(self.backing.bytes(at, into.len()));
        Ok(())
    }

    /// Returns the bytes of a range, which may be uninitialized.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    pub(crate) fn bytes(&self, address: u64, len: u64) -> Result<&[u8], Fault> {
        let at = self.locate(address, len)?;
        Ok(self.backing.bytes(at, len as usize))
    }

    /// Returns the bytes of a range, as [`Self::bytes`] does, but does not record that they are loaded.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    pub(crate) fn peek(&self, address: u64, len: u64) -> Result<&[u8], Fault> {
        let at = self.locate(address, len)?;
        Ok(self.backing.peek(at, len as usize))
    }

    /// Writes 8 bytes, and marks them as initialized.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    #[inline]
    pub(crate) fn store_u64(&mut self, address: u64, value: u64) -> Result<(), Fault> {
        let at = self.locate_to_write(address, 8)?;
        self.backing.bytes_mut(at, 8).copy_from_slice(&value.to_le_bytes());
        self.backing.initialize(at, 8);
        Ok(())
    }

    /// Writes bytes, and marks them as initialized.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    #[inline]
    pub(crate) fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let at = self.locate_to_write(address, bytes.len() as u64)?;
        self.backing.bytes_mut(at, bytes.len()).copy_from_slice(bytes);
        self.backing.initialize(at, bytes.len());
        Ok(())
    }

    /// Fills a range with one byte value.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    pub(crate) fn fill(&mut self, address: u64, len: u64, byte: u8) -> Result<(), Fault> {
        let at = self.locate_to_write(address, len)?;
        self.backing.bytes_mut(at, len as usize).fill(byte);
        self.backing.initialize(at, len as usize);
        Ok(())
    }

    /// Copies bytes together with their initialization state.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    pub(crate) fn copy(&mut self, from: u64, to: u64, len: u64) -> Result<(), Fault> {
        let source = self.locate(from, len)?;
        let target = self.locate_to_write(to, len)?;
        self.backing.copy(source, target, len as usize);
        Ok(())
    }

    /// Marks bytes as uninitialized. Values in an object that is never deallocated stay: optimized code destroys the
    /// elements of a static array each time it has used them, which has no effect on immortal values.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    #[inline]
    pub(crate) fn deinitialize(&mut self, address: u64, len: u64) -> Result<(), Fault> {
        let at = self.locate(address, len)?;
        if !self.entry(address >> WINDOW_BITS).is_some_and(|entry| entry.immortal) {
            self.backing.deinitialize(at, len as usize);
        }
        Ok(())
    }

    /// Returns true if all bytes of a range are initialized.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    pub(crate) fn is_initialized(&self, address: u64, len: u64) -> Result<bool, Fault> {
        let at = self.locate(address, len)?;
        Ok(self.backing.is_initialized(at, len as usize))
    }

    /// Returns true if at least one byte of a range is initialized.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be accessed.
    pub(crate) fn is_touched(&self, address: u64, len: u64) -> Result<bool, Fault> {
        let at = self.locate(address, len)?;
        Ok(self.backing.is_touched(at, len as usize))
    }
}
