//! The in-memory representation of SIL: modules, functions, bodies, instructions.
//!
//! A [`Body`] is dense and holds no pointers and no lifetimes: blocks, instructions, values and operands are `u32`
//! indices into tables that the body owns. Every instruction has the same shape (opcode, flags, operands, results,
//! attribute words); the instruction table ([`Opcode::info`]) declares the meaning of the parts.
//!
//! # The instruction table
//!
//! A row states, in TOML, the class, the text form, the result rule, ownership, memory and releasing behavior. The text
//! form is a list of pieces in a small language (`xtask/src/form.rs`), for example
//!
//! ```text
//! form = '[take] %source! to [init] %destination'
//! ```
//!
//! `BodyParser` and `BodyPrinter` interpret the same pieces, so the two cannot drift apart. Irregular pieces
//! (`{apply:…}`, `{cases:…}`) are named there and have one function to read and one to print, side by side in
//! `silkit-text/src/body/custom/`, `debug_var.rs` and `keypath.rs`.
//!
//! In memory every instruction has one shape: opcode, flags, a run of operands, a run of results, one word for each
//! attribute. The table gives the meaning of each word ([`AttrKind`](info::AttrKind)); lists live in a pool of the body.
//!
//! # Building and editing
//!
//! `BodyBuilder` creates a body in textual order (parser, binary reader, cloner). `Editor` changes a body that is in use.
//! The uses of a value and the edges into a block are intrusive lists with the newest entry first, as in the reference
//! compiler: the `// users:` and `// Preds:` comments show this order.
//!
//! The blocks of a body and the instructions of a block are linked lists with order numbers (`body/list.rs`). Inserting,
//! moving and removing take amortized constant time, and so do `block_precedes` and `inst_precedes`. An instruction
//! refers to its block through a number (its *home*) that two blocks can exchange. A split or merge renumbers the smaller
//! side, so splitting one block into n blocks takes at most n log n steps (`crates/silkit-ir/tests/growth.rs`).
//!
//! Removed entities keep their numbers, so tables indexed by entity stay valid; a clone has no removed entities. Each
//! change records its kinds (`Changes`) in the history of the body. An analysis stores the `Epoch` in which it was
//! computed and is stale if a kind of change that it depends on has happened since.
//!
//! # Typed instructions and roles
//!
//! `instructions/` has a generated struct for each row of the table. Its fields are operands, attributes and flags by
//! name. The same struct is read from a body (`Body::view`, `view_as`, `def_as`) and passed to a `Builder`, which has one
//! method for each instruction with its required parts. The macros of `instructions/mod.rs` define what the structs have
//! in common; `fields.rs` maps words to Rust types. Closed sets of keywords are enums (`table/keywords.toml`).
//!
//! `roles.rs` classifies instructions (allocation, deallocation, scope, projection, cast, marker, forwarding) by the
//! columns `role`, `scope`, `stack` and `operand_ownership` of the table. A body maps the ids of opened types to the
//! values that opened them (`body/opened.rs`), so parsers and builders find type-dependent operands in constant time, and
//! creating a builder is free.
//!
//! `address_use.rs` defines what an instruction does to the memory at each of its address operands: the column
//! `address_use` (`source: by_take, destination: by_init`), resolved for one instruction by `Body::address_use`. Alias,
//! access and escape analysis, memory lifetime, side effects, uses of variables and the verifier derive their answers
//! from it. Instructions that the reference treats as opaque although the table knows their effect are in one list,
//! `silkit_analysis::memory::is_opaque`. Exceptions of a single analysis are named arms in that analysis: `fix_lifetime`
//! reads for side effects, `is_unique` destroys there, and `load_borrow` reads all memory reachable from its address for
//! aliases. `function_value.rs` is the only walk from a function value to its definition; callers select the instructions
//! to look through. `ScopeKind` is generated from the column `scope`.
//!
//! `behavior.rs` computes the effects of an instruction on memory and on reference counts from the columns of the table
//! or, for rows marked `memory_depends_on_instance`, with a function for that kind of instruction. It finds callees
//! through the trait `FunctionLookup`.
//!
//! # Names
//!
//! Functions, global variables, vtables and witness tables are in `KeyedVec`s (`silkit-base`): dense tables with an index
//! by name, class or conformance, which pushing, removing and `rekey` maintain. There are no other maps of names. Debug
//! builds check the index after passes (`Module::is_index_right`).
//!
//! # Copies
//!
//! `Cloner` copies instructions, blocks or whole bodies, within a body or into another one. It visits attributes by their
//! kinds, so a new instruction needs no code here. Types go through a `TypeMap` (substitution of generic parameters, new
//! ids for opened types that the target already opens), debug scopes through a `ScopeMap` (imported, or inlined at a
//! call). A copy of a whole body preserves the order of uses and predecessors and therefore prints the same bytes.
//! `Module::import_function` copies a function together with declarations of everything that it references.
//!
//! # Ownership and conventions
//!
//! `ownership.rs` computes the ownership of values and operands. Constant answers are in the table; the others name a
//! rule (`UseRule`, `ValueOwnership`). Answers that depend on an unknown type are `None`. `conventions.rs` is the only
//! place that translates between parameters, SIL arguments, applied arguments and operands, in lowered SIL and with
//! opaque values.
//!
//! # Types of results
//!
//! Since Swift 6.1, printed SIL omits most types: result types follow from operands, attributes and declarations.
//! `silkit_ir::result_types` computes them by the `result` rule of the table (`infer.rs`; `calls.rs` for substitution at
//! calls). It queries declarations through the trait `TypeFacts`, which `silkit_types::decl::Declarations` implements:
//! first the declarations of the file, then the built-in facts about the standard library (`stdlib/*.facts`, parsed line
//! by line on demand). An unknown answer is `None`, and the type `Unknown`.
//!
//! An instruction that names a type opened by `open_existential_*` or `open_pack_element` uses the value that opened it:
//! a type-dependent operand, after all others (`body/opened.rs`).

pub mod attributes;
mod body;
pub use body::opened;
mod builtin_name;
mod cloner;
mod debug;
mod decl_ref;
mod edit;
pub mod generated;
pub mod info;
mod inline_stack;
pub mod instructions;
mod keypath;
mod linkage;
mod module;
mod place;
mod projection_path;
mod release;

mod semantics;
mod string_literal;
mod symbol_name;

pub use attributes::{
    EffectsKind, FunctionAttributes, FunctionFlags, GlobalAttributes, InlineStrategy, OptimizationMode,
    Serialized, SpecialPurpose, TableAttributes, ThunkKind,
};
pub use body::{
    ArgFlags, Block, BlockData, Body, BodyBuilder, Changes, Edge, EdgeData, EditLog, Epoch, Inst, InstData,
    Loc, LocData, NewInst, Operand, OperandData, Ownership, Value, ValueData, ValueDef,
};
pub use builtin_name::BuiltinTypes;
pub use cloner::{
    CallSite, Cloner, ScopeIndex, ScopeMap, ScopeOverlay, shift_scopes, shifted_scope, with_opened_id,
};
pub use debug::{DebugExpr, DebugVar, DebugVarData, SourceLoc};
pub use decl_ref::{DeclRef, DeclRefData};
pub use edit::{BuildError, Builder, Editor, Point};
pub use generated::{Opcode, ScopeKind};
pub use info::{AddressUse, InstInfo, RuntimeEffects};
pub use inline_stack::{InlineFrame, InlineStacks, SwiftPosition};
pub use keypath::{KeyPath, KeyPathComponent, KeyPathData, KeyPathId, KeyPathIndex};
pub use linkage::Linkage;
pub use module::*;
pub use projection_path::{Component, Indexed, PathError, PathErrorKind, ProjectionPath};
pub use release::{Release, Releases};
pub use semantics::behavior::{Behavior, FunctionLookup, NoFunctions};
pub use semantics::calls::{CalleeTypes, substitute_lowered, substituted, yields};
pub use semantics::chain::chain;
pub use semantics::effects::FunctionEffects;
pub use semantics::expected::{expected_operand_type, expected_type};
pub use semantics::function_value::FunctionStep;
pub use semantics::identical::InstShape;
pub use semantics::infer::{box_field, inferred_types, result_type, result_types};
pub use semantics::{behavior, conventions, effects, ownership, references, roles};
pub use string_literal::unescape;
pub use symbol_name::without_mangling_prefix;

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
        matches!(
            self,
            Opcode::Return | Opcode::ReturnBorrow | Opcode::Throw | Opcode::ThrowAddr | Opcode::Unwind
        )
    }

    /// Returns true if it is a terminator.
    pub fn is_terminator(self) -> bool {
        self.info().results == info::Results::Terminator
    }
}
