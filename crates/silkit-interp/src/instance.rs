//! Instances: functions with concrete types. An instance is the unit of translation and calls.

use crate::op::{NO_PC, Pc, Slot};
use crate::program::FunctionRef;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{Block, Inst, Value};
use silkit_layout::{ModuleId, Ty};
use silkit_types::{GenericSig, Type};
use std::rc::Rc;

/// The number of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct InstanceId(pub(crate) u32);

/// The number of a set of bindings of opened types; 0 is the empty set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct BindId(pub(crate) u32);

/// The binding of a type that an instruction opens.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Binding {
    /// The id that connects the opened type with the instruction.
    pub(crate) id: Symbol,
    /// The bound type.
    pub(crate) bound: Bound,
}

/// The type that an opened type is bound to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Bound {
    /// A type.
    Type(Ty),
    /// The elements of packs at an index.
    Element {
        /// The index.
        index: usize,
        /// The signature whose packs are opened.
        sig: Option<GenericSig>,
        /// The packs.
        args: Rc<[Ty]>,
    },
}

/// The facts about a function that do not depend on its types.
#[derive(Debug)]
pub(crate) struct FunctionInfo {
    /// The function.
    pub(crate) at: FunctionRef,
    /// The name of the function.
    pub(crate) name: Symbol,
    /// The module of the function.
    pub(crate) module: ModuleId,
    /// The generic signature of the function.
    pub(crate) sig: Option<GenericSig>,
    /// True if the module of the function is raw SIL.
    pub(crate) is_raw: bool,
    /// True if the function uses `undef`.
    pub(crate) has_undef: bool,
    /// True if the function is a coroutine.
    pub(crate) is_coroutine: bool,
    /// The live ranges of opened types.
    pub(crate) opened: Opened,
}

/// The live ranges of opened types.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// The ids whose types are live at the start of a block: used in the block or later.
    pub(crate) live_in: FxHashMap<Block, Vec<Symbol>>,
    /// The last instruction of a block that uses the type of an id.
    pub(crate) last_use: FxHashMap<(Block, Symbol), Inst>,
    /// The ids that are live at the end of a block.
    pub(crate) live_out: FxHashMap<Block, Vec<Symbol>>,
}

/// A function with concrete types.
#[derive(Debug)]
pub(crate) struct Instance {
    /// The function.
    pub(crate) function: Rc<FunctionInfo>,
    /// The types that replace the generic parameters.
    pub(crate) args: Rc<[Ty]>,
    /// The slot of each value in the frame.
    pub(crate) slots: Vec<Slot>,
    /// The number of bytes of a frame known so far. It grows when more code is translated.
    pub(crate) frame_size: u32,
    /// The code of the entry block.
    pub(crate) entry: Pc,
    /// The code of blocks, by the bindings of the opened types.
    pub(crate) versions: FxHashMap<(Block, BindId), Pc>,
    /// The code that follows an instruction that opens a type, by the bindings of the opened types.
    pub(crate) tails: FxHashMap<(Inst, BindId), Pc>,
    /// The concrete types of the types in SIL, in this instance.
    pub(crate) types: FxHashMap<(Type, bool), Ty>,
    /// The inferred types of values whose types the module does not contain.
    pub(crate) inferred: FxHashMap<Value, (Ty, bool)>,
    /// The slots of the flags that are set when a value was moved.
    pub(crate) moved: FxHashMap<Value, Slot>,
    /// The values that the move checker would destroy at the ends of blocks of raw SIL.
    pub(crate) ends: FxHashMap<Block, Vec<Value>>,
    /// The conversions in raw SIL whose closures the frame keeps alive, and the slots of these closures.
    pub(crate) kept_closures: Vec<(Inst, Slot)>,
    /// The destructions in raw SIL that come too early, the destruction after which each of them happens, and the value.
    pub(crate) postponed: Vec<(Inst, Inst, Value)>,
    /// True if the frame layout and the blocks were prepared.
    pub(crate) is_prepared: bool,
}

/// The slot of a value without storage in the frame.
pub(crate) const NO_SLOT: Slot = u32::MAX;

impl Instance {
    pub(crate) fn new(function: Rc<FunctionInfo>, args: Rc<[Ty]>, values: usize) -> Self {
        Self {
            function,
            args,
            slots: vec![NO_SLOT; values],
            frame_size: 0,
            entry: NO_PC,
            versions: FxHashMap::default(),
            tails: FxHashMap::default(),
            types: FxHashMap::default(),
            inferred: FxHashMap::default(),
            moved: FxHashMap::default(),
            ends: FxHashMap::default(),
            kept_closures: Vec::new(),
            postponed: Vec::new(),
            is_prepared: false,
        }
    }
}
