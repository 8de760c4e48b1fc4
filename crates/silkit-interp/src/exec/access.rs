//! Exclusivity checks: detection of overlapping accesses.

use crate::frame::Access;
use crate::interp::Interp;
use crate::op::Slot;
use crate::violation::{Run, Stop, ViolationKind};

impl Interp<'_> {
    pub(super) fn begin_access(&mut self, site: u32) -> Run<()> {
        let site = self.sites.accesses[site as usize];
        let address = self.get(site.address);
        let frame = self.stack.frames.last().map_or(0, |frame| frame.serial);
        let access = Access {
            address,
            modifies: site.modifies,
            by: self.pc,
            buffer: 0,
            frame,
            is_dynamic: site.is_dynamic,
        };
        self.start_access(access, !site.no_nested_conflict)
    }

    /// Begins an access. An access that cannot have nested conflicts need not be recorded.
    pub(crate) fn start_access(&mut self, access: Access, record: bool) -> Run<()> {
        if access.is_dynamic {
            self.check_exclusivity(access)?;
        }
        if record {
            self.accesses.push(access);
        }
        Ok(())
    }

    fn check_exclusivity(&self, access: Access) -> Run<()> {
        let Access { address, modifies, .. } = access;
        let overlaps = |a: &&Access| a.address == address && (a.modifies || modifies) && a.is_dynamic;
        if let Some(other) = self.accesses.iter().find(overlaps)
            && self.options.checks(ViolationKind::Exclusivity)
        {
            let what = |modifies| if modifies { "modification" } else { "read" };
            let message = format!(
                "Simultaneous accesses to {address:#x}, but modification requires exclusive access: a {} during a {} that began at {}",
                what(modifies),
                what(other.modifies),
                self.place_of(other.by).map_or_else(String::new, |p| p.to_string())
            );
            let place = self.place_of(self.pc);
            return Err(Stop::Failure { code: 134, message, place, is_access_conflict: true });
        }
        Ok(())
    }

    pub(super) fn end_access(&mut self, address: Slot) -> Run<()> {
        let address = self.get(address);
        let frame = self.stack.frames.last().map_or(0, |frame| frame.serial);
        match self.accesses.iter().rposition(|a| a.address == address && a.frame == frame) {
            Some(at) => {
                self.accesses.remove(at);
                Ok(())
            }
            None if self.options.checks(ViolationKind::Exclusivity) => Err(self.no_access(address)),
            None => Ok(()),
        }
    }

    #[cold]
    fn no_access(&self, address: u64) -> Stop {
        let message = format!("ending an access to {address:#x} that has ended or never began");
        self.violation(ViolationKind::Exclusivity, message, Some(address))
    }

    /// Reports an access that the returning frame did not end.
    #[cold]
    pub(super) fn access_left(&mut self, frame: u64) -> Run<()> {
        let Some(access) = self.accesses.iter().rfind(|a| a.frame == frame).copied() else { return Ok(()) };
        if !self.options.checks(ViolationKind::Exclusivity) {
            self.accesses.retain(|a| a.frame != frame);
            return Ok(());
        }
        let began = self.place_of(access.by).map_or_else(String::new, |place| place.to_string());
        let message = format!(
            "a function returns before its access to {:#x} ends, which began at {began}",
            access.address
        );
        Err(self.violation(ViolationKind::Exclusivity, message, Some(access.address)))
    }

    pub(super) fn begin_unpaired(&mut self, site: u32) -> Run<()> {
        let site = self.sites.accesses[site as usize];
        let address = self.get(site.address);
        let buffer = site.buffer.map_or(0, |slot| self.get(slot));
        let (modifies, by) = (site.modifies, self.pc);
        let access = Access { address, modifies, by, buffer, frame: 0, is_dynamic: true };
        self.start_access(access, !site.no_nested_conflict)
    }

    pub(super) fn end_unpaired(&mut self, buffer: Slot) -> Run<()> {
        let buffer = self.get(buffer);
        if let Some(at) = self.accesses.iter().rposition(|a| a.buffer == buffer) {
            self.accesses.remove(at);
        }
        Ok(())
    }
}
