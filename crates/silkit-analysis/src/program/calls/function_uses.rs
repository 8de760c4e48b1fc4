//! References to each function of a module.

use super::callers::is_visible_elsewhere;
use crate::ProgramView;
use silkit_base::{IdVec, Symbol};
use silkit_ir::{FunctionId, Inst, Opcode, WitnessEntry, references};

/// An instruction that references a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The function that contains the instruction.
    pub function: FunctionId,
    /// The instruction.
    pub inst: Inst,
}

/// The references to each function of a module: a `function_ref` (or a dynamic variant) references one, a `keypath`
/// several.
#[derive(Clone, Debug, Default)]
pub struct FunctionUses {
    /// All uses, in the order of the module.
    of: IdVec<FunctionId, Vec<Use>>,
    is_used_elsewhere: IdVec<FunctionId, bool>,
}

impl FunctionUses {
    /// Computes the uses of all functions.
    pub fn new(program: &ProgramView<'_>) -> Self {
        let (module, is_whole_module) = (program.module, program.is_whole_module());
        let mut this = Self {
            of: module.functions.values().map(|_| Vec::new()).collect(),
            is_used_elsewhere: module
                .functions
                .values()
                .map(|f| is_visible_elsewhere(f, is_whole_module))
                .collect(),
        };
        this.tables(program);
        for (function, body) in module.functions.iter().filter_map(|(id, f)| Some((id, f.body.as_ref()?))) {
            for inst in body.insts() {
                let opcode = body.inst(inst).opcode;
                if opcode.is_function_ref() || opcode == Opcode::KeyPath {
                    references::of_inst(body, inst, &mut |name| {
                        if let Some(named) = program.function_id(name) {
                            this.of[named].push(Use { function, inst });
                        }
                    });
                }
            }
        }
        this
    }

    /// Records the functions in tables, which may be called without a reference in a body.
    fn tables(&mut self, program: &ProgramView<'_>) {
        let module = program.module;
        let mut mark = |name: Symbol| {
            if let Some(function) = program.function_id(name) {
                self.is_used_elsewhere[function] = true;
            }
        };
        module.vtables.values().flat_map(|table| &table.entries).for_each(|entry| mark(entry.function));
        for table in module.witness_tables.values().chain(module.default_witness_tables.values()) {
            for entry in table.entries.iter().flatten() {
                if let WitnessEntry::Method(_, _, Some(function)) = entry {
                    mark(*function);
                }
            }
        }
    }

    /// Returns the known uses of a function, in the order of the module.
    pub fn of(&self, function: FunctionId) -> &[Use] {
        &self.of[function]
    }

    /// Returns true if a function may be used without a reference in a body: by a table, another file or another
    /// module.
    pub fn is_used_elsewhere(&self, function: FunctionId) -> bool {
        self.is_used_elsewhere[function]
    }
}
