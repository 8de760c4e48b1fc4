//! The runtime: tables of the native functions that programs call, by name.

mod arrays;
mod atomics;
mod casts;
mod enums;
mod floats;
mod foreign;
mod globals;
mod key_paths;
mod math;
mod objects;
mod observation;
mod preconditions;
mod raw;
mod reflection;
mod scalars;
mod static_init;
mod stdio;
mod task_groups;
mod tasks;
mod text;
mod unicode;
mod vectors;

use crate::interp::Interp;
use crate::native::{BuiltinFn, Call, Effect, NativeFn};
use crate::sites::BuiltinSite;
use crate::violation::Run;
use silkit_base::Symbol;

/// Tables of functions by name.
type Table = &'static [(&'static str, NativeFn)];

const TABLES: &[Table] = &[
    stdio::FUNCTIONS,
    raw::FUNCTIONS,
    text::FUNCTIONS,
    unicode::FUNCTIONS,
    math::FUNCTIONS,
    math::UNARY,
    floats::FUNCTIONS,
    reflection::FUNCTIONS,
    objects::FUNCTIONS,
    observation::FUNCTIONS,
    casts::FUNCTIONS,
    atomics::FUNCTIONS,
    tasks::FUNCTIONS,
    task_groups::FUNCTIONS,
    key_paths::FUNCTIONS,
];

/// Returns the runtime function with this name.
pub(crate) fn native(name: &str) -> Option<NativeFn> {
    let overload = math::float_overload(name);
    let name = overload.as_deref().unwrap_or(name);
    TABLES.iter().find_map(|table| table.iter().find(|(n, _)| *n == name).map(|(_, f)| *f))
}

pub(crate) use foreign::width as int_width;

/// The runtime function that forwards the call of an unknown function to the host.
pub(crate) const FOREIGN: NativeFn = foreign::call;

/// Returns the runtime function that replaces the SIL function with this name.
pub(crate) fn overriding(name: &str) -> Option<NativeFn> {
    const TABLES: &[Table] = &[reflection::OVERRIDES, tasks::OVERRIDES];
    TABLES.iter().find_map(|table| table.iter().find(|(n, _)| *n == name).map(|(_, f)| *f))
}

/// Returns the runtime function that a builtin calls.
pub(crate) fn builtin_call(base: &str) -> Option<NativeFn> {
    tasks::BUILTIN_CALLS.iter().find(|(name, _)| *name == base).map(|(_, f)| *f)
}

/// Returns the builtin with this base name, which has no type suffix.
pub(crate) fn builtin(base: &str) -> Option<BuiltinFn> {
    const TABLES: &[&[(&str, BuiltinFn)]] = &[
        raw::BUILTINS,
        arrays::BUILTINS,
        enums::BUILTINS,
        objects::BUILTINS,
        preconditions::BUILTINS,
        tasks::BUILTINS,
        task_groups::BUILTINS,
        text::BUILTINS,
    ];
    let exact = TABLES.iter().find_map(|table| table.iter().find(|(n, _)| *n == base).map(|(_, f)| *f));
    exact.or_else(|| atomics::builtin(base))
}

pub(crate) use preconditions::{least_operands, nonzero_if};

/// Executes a builtin that does nothing here.
fn no_effect(_: &mut Interp<'_>, _: &BuiltinSite) -> Run<()> {
    Ok(())
}

/// Executes a builtin whose result is its first operand.
fn same(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let value = it.get(site.args[0]);
    it.set(site.to, value);
    Ok(())
}

impl Interp<'_> {
    /// Executes a builtin.
    pub(crate) fn builtin(&mut self, site: u32, pc: crate::op::Pc) -> Run<crate::exec::Next> {
        let _ = pc;
        let site = self.sites.builtins[site as usize].clone();
        (site.run)(self, &site)?;
        Ok(crate::exec::Next::Continue)
    }

    /// Returns an argument of a call as a word.
    pub(crate) fn arg(&self, call: &Call<'_>, index: usize) -> u64 {
        call.args.get(index).map_or(0, |&slot| self.get(slot))
    }

    /// Returns an argument of a call as 32 bits.
    pub(crate) fn arg32(&self, call: &Call<'_>, index: usize) -> u32 {
        call.args.get(index).map_or(0, |&slot| self.get_int(slot, 4) as u32)
    }

    /// Reads the bytes of C memory.
    pub(crate) fn c_bytes(&mut self, address: u64, len: u64) -> Run<Vec<u8>> {
        // The length is the program's: it is checked before memory of this length is allocated.
        let found = self.memory.bytes(address, len).map(|_| ());
        found.map_err(|fault| self.fault(fault, address, "reading"))?;
        let mut bytes = vec![0; len as usize];
        self.memory.load(address, &mut bytes).map_err(|fault| self.fault(fault, address, "reading"))?;
        Ok(bytes)
    }

    /// Reads a C string.
    pub(crate) fn c_string(&mut self, address: u64) -> Run<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let mut byte = [0];
            let at = address + bytes.len() as u64;
            self.memory.load(at, &mut byte).map_err(|fault| self.fault(fault, at, "reading"))?;
            if byte[0] == 0 {
                return Ok(bytes);
            }
            bytes.push(byte[0]);
        }
    }

    /// Writes the bytes of C memory.
    pub(crate) fn c_write(&mut self, address: u64, bytes: &[u8]) -> Run<()> {
        self.memory.store(address, bytes).map_err(|fault| self.fault(fault, address, "writing"))
    }

    /// Returns the address of a permanent, null-terminated copy of a text.
    pub(crate) fn permanent_text(&mut self, text: &str) -> Run<u64> {
        self.literal(3, Symbol::new(text), text.as_bytes())
    }
}
