//! The in-memory representation of SIL: modules, functions, bodies, instructions.
//!
//! A [`Body`] is dense and holds no pointers and no lifetimes: blocks, instructions, values and operands are `u32`
//! indices into tables that the body owns. Every instruction has the same shape (opcode, flags, operands, results,
//! attribute words); the instruction table ([`Opcode::info`]) declares the meaning of the parts.

mod address_use;
pub mod attributes;
pub mod behavior;
mod body;
pub use body::opened;
mod builtin_name;
mod calls;
mod cloner;
pub mod conventions;
mod debug;
mod decl_ref;
mod edit;
pub mod effects;
mod expected;
mod function_value;
pub mod generated;
mod identical;
mod infer;
pub mod info;
pub mod instructions;
mod keypath;
mod module;
pub mod ownership;
mod projection_path;
mod reborrow;
pub mod references;

pub mod roles;
mod runtime;
mod stack;
mod string_literal;

pub use attributes::{
    EffectsKind, FunctionAttributes, FunctionFlags, GlobalAttributes, InlineStrategy, OptimizationMode,
    Serialized, SpecialPurpose, TableAttributes, ThunkKind,
};
pub use behavior::{Behavior, FunctionLookup, NoFunctions};
pub use body::{
    ArgFlags, Block, BlockData, Body, BodyBuilder, Changes, Edge, EdgeData, Epoch, Inst, InstData, Loc,
    LocData, NewInst, Operand, OperandData, Ownership, Value, ValueData, ValueDef,
};
pub use builtin_name::BuiltinTypes;
pub use calls::{CalleeTypes, substitute_lowered, substituted, yields};
pub use cloner::{
    CallSite, Cloner, ScopeIndex, ScopeMap, ScopeOverlay, shift_scopes, shifted_scope, with_opened_id,
};
pub use debug::{DebugExpr, DebugVar, DebugVarData, SourceLoc};
pub use decl_ref::{DeclRef, DeclRefData};
pub use edit::{BuildError, Builder, Editor, Point};
pub use effects::FunctionEffects;
pub use expected::{expected_operand_type, expected_type};
pub use function_value::FunctionStep;
pub use generated::{Opcode, ScopeKind};
pub use identical::InstShape;
pub use infer::{box_field, inferred_types, result_type, result_types};
pub use info::{AddressUse, InstInfo, RuntimeEffects};
pub use keypath::{KeyPath, KeyPathComponent, KeyPathData, KeyPathId, KeyPathIndex};
pub use module::*;
pub use projection_path::{Component, Indexed, PathError, PathErrorKind, ProjectionPath};
pub use string_literal::unescape;

/// The word of an attribute that is missing.
pub const NONE: u32 = u32::MAX;

impl Opcode {
    /// Returns the row of the instruction table.
    #[inline]
    pub fn info(self) -> &'static InstInfo {
        &generated::INFOS[self as usize]
    }

    /// Returns true if it references a function: `function_ref` and its dynamic variants.
    pub fn is_function_ref(self) -> bool {
        matches!(self, Opcode::FunctionRef | Opcode::DynamicFunctionRef | Opcode::PreviousDynamicFunctionRef)
    }

    /// Returns the instruction with this name in the text form.
    pub fn from_name(name: &str) -> Option<Opcode> {
        use silkit_base::FxHashMap;
        use std::sync::OnceLock;
        static NAMES: OnceLock<FxHashMap<&'static str, Opcode>> = OnceLock::new();
        NAMES.get_or_init(|| Opcode::ALL.iter().map(|&o| (o.info().name, o)).collect()).get(name).copied()
    }

    /// Returns true if it exits the function (SIL.md, "Definition of a path").
    pub fn leaves_function(self) -> bool {
        matches!(self, Opcode::Return | Opcode::Throw | Opcode::ThrowAddr | Opcode::Unwind)
    }

    /// Returns true if it is a terminator.
    pub fn is_terminator(self) -> bool {
        self.info().results == info::Results::Terminator
    }
}
