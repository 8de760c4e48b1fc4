//! Exclusivity: accesses that overlap.

use crate::interp::{Access, Interp};
use crate::op::Slot;
use crate::violation::{Run, ViolationKind};

impl Interp<'_> {
    pub(super) fn begin_access(&mut self, site: u32) -> Run<()> {
        let site = self.sites.accesses[site as usize];
        let address = self.get(site.address);
        self.start_access(address, site.modifies, 0, !site.no_nested_conflict)
    }

    /// Begins an access. One that cannot be nested needs no record.
    pub(crate) fn start_access(
        &mut self,
        address: u64,
        modifies: bool,
        buffer: u64,
        record: bool,
    ) -> Run<()> {
        let conflict =
            self.accesses.iter().find(|a| a.address == address && (a.modifies || modifies)).copied();
        if let Some(other) = conflict
            && self.options.checks(ViolationKind::Exclusivity)
        {
            let what = |modifies| if modifies { "modification" } else { "read" };
            let message = format!(
                "Simultaneous accesses to {address:#x}, but modification requires exclusive access: a {} during a {} that began at {}",
                what(modifies),
                what(other.modifies),
                self.place_of(other.by).map_or_else(String::new, |p| p.to_string())
            );
            return Err(self.failure(134, message));
        }
        if record {
            self.accesses.push(Access { address, modifies, by: self.pc, buffer });
        }
        Ok(())
    }

    pub(super) fn end_access(&mut self, address: Slot) -> Run<()> {
        let address = self.get(address);
        if let Some(at) = self.accesses.iter().rposition(|a| a.address == address && a.buffer == 0) {
            self.accesses.remove(at);
        }
        Ok(())
    }

    pub(super) fn begin_unpaired(&mut self, site: u32) -> Run<()> {
        let site = self.sites.accesses[site as usize];
        let address = self.get(site.address);
        let buffer = site.buffer.map_or(0, |slot| self.get(slot));
        self.start_access(address, site.modifies, buffer, true)
    }

    pub(super) fn end_unpaired(&mut self, buffer: Slot) -> Run<()> {
        let buffer = self.get(buffer);
        if let Some(at) = self.accesses.iter().rposition(|a| a.buffer == buffer) {
            self.accesses.remove(at);
        }
        Ok(())
    }
}
