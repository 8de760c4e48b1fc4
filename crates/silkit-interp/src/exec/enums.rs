//! Enums in frames and in memory.

use crate::buffer::Buffer;
use crate::interp::Interp;
use crate::op::{NO_PC, Pc, Slot};
use crate::types::TypeId;
use crate::violation::{Run, ViolationKind};
use silkit_layout::layout::EnumLayout;
use std::rc::Rc;

impl Interp<'_> {
    pub(crate) fn enum_layout(&self, ty: TypeId) -> Run<Rc<EnumLayout>> {
        let info = self.types.get(ty);
        match info.layout.as_enum() {
            Some(layout) => Ok(layout.clone()),
            None => Err(self.violation(
                ViolationKind::TypeConfusion,
                format!("`{}` is not an enum", info.ty),
                None,
            )),
        }
    }

    fn case_of(&self, ty: TypeId, bytes: &[u8]) -> Run<u32> {
        let layout = self.enum_layout(ty)?;
        layout.case_of(bytes).ok_or_else(|| self.invalid_enum(ty, bytes))
    }

    pub(super) fn inject(&mut self, value: Slot, ty: TypeId, case: u32) {
        let info = self.types.get(ty).clone();
        if let Some(layout) = info.layout.as_enum() {
            layout.inject(case, self.bytes_mut(value, info.size));
        }
    }

    pub(super) fn project(&mut self, value: Slot, ty: TypeId, case: u32) -> Run<()> {
        let info = self.types.get(ty).clone();
        let found = self.case_of(ty, self.bytes(value, info.size))?;
        if found != case {
            return Err(self.wrong_case(ty, case, found));
        }
        if let Some(layout) = info.layout.as_enum() {
            layout.project(case, self.bytes_mut(value, info.size));
        }
        Ok(())
    }

    /// Returns the violation for taking the payload of a case that the value does not have.
    #[cold]
    fn wrong_case(&self, ty: TypeId, expected: u32, found: u32) -> crate::violation::Stop {
        let info = self.types.get(ty);
        let name = |case: u32| {
            let cases = info.layout.as_enum().map(|l| l.cases[case as usize].name.as_str());
            cases.unwrap_or("?")
        };
        let message = format!(
            "taking the payload of `{}` from a value of `{}`, which is `{}`",
            name(expected),
            info.ty,
            name(found)
        );
        self.violation(ViolationKind::InvalidEnum, message, None)
    }

    /// Checks that an enum in the frame has a case.
    pub(super) fn check_case(&self, value: Slot, ty: TypeId, case: u32) -> Run<()> {
        let size = self.types.get(ty).size;
        self.expect_case(ty, case, self.bytes(value, size))
    }

    /// Checks that an enum in memory has a case. Memory from which the enum was taken has none, and every use of the
    /// payload reports it.
    pub(super) fn check_case_addr(&mut self, address: Slot, ty: TypeId, case: u32) -> Run<()> {
        let address = self.get(address);
        let size = self.types.get(ty).size;
        if self.memory.is_touched(address, u64::from(size)) != Ok(true) {
            return Ok(());
        }
        let mut bytes = Buffer::zeroed(size as usize);
        self.memory.load_any(address, &mut bytes).map_err(|f| self.fault(f, address, "projecting"))?;
        self.expect_case(ty, case, &bytes)
    }

    fn expect_case(&self, ty: TypeId, case: u32, bytes: &[u8]) -> Run<()> {
        match self.case_of(ty, bytes) {
            Ok(found) if found == case => Ok(()),
            _ if !self.options.checks(ViolationKind::InvalidEnum) => Ok(()),
            Ok(found) => Err(self.wrong_case(ty, case, found)),
            Err(error) => Err(error),
        }
    }

    /// Reads the bytes of an enum in memory; bytes of the payload may be uninitialized.
    pub(crate) fn enum_bytes(&mut self, address: u64, ty: TypeId) -> Run<Buffer> {
        let size = self.types.get(ty).size;
        let mut bytes = Buffer::zeroed(size as usize);
        if size > 0 {
            match self.memory.is_touched(address, u64::from(size)) {
                Ok(true) => {}
                Ok(false) => {
                    return Err(self.fault(crate::memory::Fault::Uninitialized, address, "switching on"));
                }
                Err(fault) => return Err(self.fault(fault, address, "switching on")),
            }
            self.memory.load_any(address, &mut bytes).map_err(|f| self.fault(f, address, "switching on"))?;
        }
        Ok(bytes)
    }

    pub(super) fn inject_addr(&mut self, address: Slot, ty: TypeId, case: u32) -> Run<()> {
        let address = self.get(address);
        self.inject_at(address, ty, case)
    }

    /// Sets the tag of an enum in memory.
    pub(crate) fn inject_at(&mut self, address: u64, ty: TypeId, case: u32) -> Run<()> {
        let info = self.types.get(ty).clone();
        let layout = self.enum_layout(ty)?;
        let mut bytes = Buffer::zeroed(info.size as usize);
        self.memory.load_any(address, &mut bytes).map_err(|f| self.fault(f, address, "initializing"))?;
        let before = bytes.clone();
        layout.inject(case, &mut bytes);
        let has_payload = layout.cases[case as usize].payload.is_some();
        let payload_size = match layout.cases[case as usize].payload {
            Some(payload) => self.info(payload)?.size as usize,
            None => 0,
        };
        // The bytes outside the payload belong to the tag.
        for (i, (new, old)) in bytes.iter().zip(before.iter()).enumerate() {
            if !has_payload || new != old || i >= payload_size {
                let at = address + i as u64;
                self.memory.store(at, &[*new]).map_err(|fault| self.fault(fault, at, "initializing"))?;
            }
        }
        Ok(())
    }

    pub(super) fn project_addr(&mut self, address: Slot, ty: TypeId, case: u32) -> Run<()> {
        let address = self.get(address);
        let layout = self.enum_layout(ty)?;
        let bytes = self.enum_bytes(address, ty)?;
        let found = self.case_of(ty, &bytes)?;
        if found != case {
            return Err(self.wrong_case(ty, case, found));
        }
        let mut projected = bytes.clone();
        layout.project(case, &mut projected);
        for (i, (new, old)) in projected.iter().zip(bytes.iter()).enumerate() {
            if new != old {
                let at = address + i as u64;
                self.memory.store(at, &[*new]).map_err(|fault| self.fault(fault, at, "projecting"))?;
            }
        }
        Ok(())
    }

    fn target(&self, table: u32, case: u32) -> Pc {
        let table = &self.sites.switches[table as usize];
        match table.targets.get(case as usize) {
            Some(&pc) if pc != NO_PC => pc,
            _ => table.default,
        }
    }

    pub(super) fn switch_enum(&mut self, table: u32, value: Slot) -> Run<Pc> {
        let ty = self.sites.switches[table as usize].ty;
        let size = self.types.get(ty).size;
        let case = self.case_of(ty, self.bytes(value, size))?;
        self.taken(table, case)
    }

    fn taken(&self, table: u32, case: u32) -> Run<Pc> {
        match self.target(table, case) {
            NO_PC => {
                let message = "a switch has no destination for the case of its operand".to_owned();
                Err(self.violation(ViolationKind::InvalidEnum, message, None))
            }
            pc => Ok(pc),
        }
    }

    pub(super) fn switch_enum_addr(&mut self, table: u32, address: Slot) -> Run<Pc> {
        let ty = self.sites.switches[table as usize].ty;
        let address = self.get(address);
        let bytes = self.enum_bytes(address, ty)?;
        let case = self.case_of(ty, &bytes)?;
        self.taken(table, case)
    }

    pub(super) fn switch_value(&mut self, table: u32, value: Slot) -> Run<Pc> {
        let table = &self.sites.switches[table as usize];
        let wanted = self.bytes(value, table.len);
        let found = table.values.iter().position(|&slot| self.bytes(slot, table.len) == wanted);
        match found.map_or(table.default, |at| table.targets[at]) {
            NO_PC => {
                let message = "a switch has no destination for its operand".to_owned();
                Err(self.violation(ViolationKind::Precondition, message, None))
            }
            pc => Ok(pc),
        }
    }

    pub(super) fn select_enum(&mut self, site: u32, to: Slot) -> Run<()> {
        let site = self.sites.selects[site as usize].clone();
        let case = if site.by_address {
            let address = self.get(site.value);
            let bytes = self.enum_bytes(address, site.ty)?;
            self.case_of(site.ty, &bytes)?
        } else {
            self.case_of(site.ty, self.bytes(site.value, self.types.get(site.ty).size))?
        };
        let chosen = site.choices.get(case as usize).copied().flatten().or(site.default);
        let Some(from) = chosen else {
            let message = "a select has no value for the case of its operand".to_owned();
            return Err(self.violation(ViolationKind::InvalidEnum, message, None));
        };
        let at = self.base + from as usize;
        self.stack.bytes.copy_within(at..at + site.len as usize, self.base + to as usize);
        Ok(())
    }
}
