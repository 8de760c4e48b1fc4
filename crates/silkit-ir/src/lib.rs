//! The in-memory form of SIL: modules, functions, bodies, instructions.
//!
//! A [`Body`] is dense and holds no pointers and no lifetimes: blocks, instructions, values and
//! operands are `u32` indices into tables that the body owns. Every instruction has the same
//! shape (opcode, flags, operands, results, attribute words); what the parts mean is said once,
//! in the instruction table ([`Opcode::info`]).

mod body;
mod calls;
mod debug;
mod decl_ref;
mod edit;

pub mod generated;
mod infer;
pub mod info;
mod keypath;
mod module;

pub use body::{
    ArgFlags, Block, BlockData, Body, BodyBuilder, Edge, EdgeData, Inst, InstData, Loc, LocData, NewInst,
    Operand, OperandData, Ownership, Value, ValueData, ValueDef,
};
pub use calls::{direct_result, substituted, yields};
pub use debug::{DebugExpr, DebugVar, DebugVarData, SourceLoc};
pub use decl_ref::{DeclRef, DeclRefData};
pub use edit::{Changes, Editor, Epoch, Point};
pub use generated::Opcode;
pub use infer::result_types;
pub use info::InstInfo;
pub use keypath::{KeyPath, KeyPathComponent, KeyPathData, KeyPathId, KeyPathIndex};
pub use module::*;

/// The word of an attribute that is missing.
pub const NONE: u32 = u32::MAX;

impl Opcode {
    /// The row of the instruction table.
    #[inline]
    pub fn info(self) -> &'static InstInfo {
        &generated::INFOS[self as usize]
    }

    /// The instruction with this name in the text form.
    pub fn from_name(name: &str) -> Option<Opcode> {
        use silkit_base::FxHashMap;
        use std::sync::OnceLock;
        static NAMES: OnceLock<FxHashMap<&'static str, Opcode>> = OnceLock::new();
        NAMES.get_or_init(|| Opcode::ALL.iter().map(|&o| (o.info().name, o)).collect()).get(name).copied()
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.info().results == info::Results::Terminator
    }
}
