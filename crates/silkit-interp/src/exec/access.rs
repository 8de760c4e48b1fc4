//! Exclusivity checks: detection of overlapping accesses.

use crate::frame::Access;
use crate::interp::Interp;
use crate::op::{Pc, Slot};
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
            exclusive: site.exclusive,
        };
        self.start_access(access, !site.no_nested_conflict)
    }

    /// Begins an access. An access that cannot have nested conflicts need not be recorded.
    pub(crate) fn start_access(&mut self, access: Access, record: bool) -> Run<()> {
        if access.is_dynamic {
            self.check_exclusivity(access)?;
        }
        if access.exclusive > 0 {
            self.check_overlap(access)?;
        }
        // Only accesses that never end are so many.
        if self.accesses.len() as u64 >= self.memory.limit / size_of::<Access>() as u64 {
            return Err(Stop::OutOfMemory);
        }
        if record {
            self.accesses.push(access);
        }
        Ok(())
    }

    /// Reports an access that overlaps another one of the same function. An access to a part of an accessed place is
    /// nested in that access, and does not overlap it.
    fn check_overlap(&self, access: Access) -> Run<()> {
        let end = |a: &Access| a.address + u64::from(a.exclusive);
        let same_frame = self.accesses.iter().rev().take_while(|other| other.frame == access.frame);
        let overlaps = |other: &&Access| {
            other.exclusive > 0
                && (other.modifies || access.modifies)
                && other.address < end(&access)
                && access.address < end(other)
        };
        let mut conflicts = same_frame.filter(overlaps).filter(|other| !self.is_nested(other.by));
        match conflicts.next() {
            Some(other) if self.options.checks(ViolationKind::Exclusivity) => {
                let what = |modifies| if modifies { "modification" } else { "read" };
                let message = format!(
                    "a {} of {:#x} overlaps a {} that began at {}",
                    what(access.modifies),
                    access.address,
                    what(other.modifies),
                    self.place_of(other.by).map_or_else(String::new, |place| place.to_string())
                );
                Err(self.violation(ViolationKind::Exclusivity, message, Some(access.address)))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if the address that is now accessed is derived from the access that began at an operation.
    #[cold]
    fn is_nested(&self, outer: Pc) -> bool {
        let (Some(&(instance, inner)), Some(&(_, outer))) =
            (self.origins.get(self.pc as usize), self.origins.get(outer as usize))
        else {
            return true;
        };
        let at = self.instances[instance.0 as usize].function.at;
        let Some(body) = self.program.function(at).body.as_ref() else { return true };
        let Some(address) = body.first_result(inner) else { return true };
        body.chain(address, |inst| body.operands(inst).first().map(|operand| operand.value))
            .skip(1)
            .any(|value| body.defining_inst(value) == Some(outer))
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
            let calls = self.calls();
            return Err(Stop::Failure { code: 134, message, place, calls, is_access_conflict: true });
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
        let access = Access { address, modifies, by, buffer, frame: 0, is_dynamic: true, exclusive: 0 };
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
