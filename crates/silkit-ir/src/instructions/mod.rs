//! Typed instructions: one struct for each row of the table, to read an instruction by the names of its parts and to
//! build one.
//!
//! ```
//! use silkit_ir::instructions::{AnyInst, Load, LoadQualifier};
//! # use silkit_ir::{Body, Inst};
//!
//! fn takes(body: &Body, inst: Inst) -> bool {
//!     matches!(body.view(inst), AnyInst::Load(Load { qualifier: Some(LoadQualifier::Take), .. }))
//! }
//! fn loads_from(body: &Body, inst: Inst) -> Option<silkit_ir::Value> {
//!     body.view_as::<Load>(inst).map(|load| load.address)
//! }
//! ```
//!
//! The structs are generated from the table; this module contains the code that they share.

mod fields;

pub use crate::generated::instructions::*;
pub use crate::generated::keywords::*;
pub use fields::{Attribute, List, ListItem, OperandField, Values};

use crate::body::{Body, Inst, Value};
use crate::generated::Opcode;
use crate::info::InstInfo;

/// A typed instruction.
pub trait Instruction<'a>: Copy {
    /// The opcode.
    const OPCODE: Opcode;

    /// The return type of a builder call: the result, the results, or the instruction itself if it has none.
    type BuildOutput: BuildOutput;

    /// Reads an instruction of this kind.
    fn read(body: &'a Body, inst: Inst) -> Self;

    /// Writes the parts to an instruction under construction.
    fn write(&self, parts: &mut Parts<'_>);
}

/// The return type of a builder call.
pub trait BuildOutput {
    /// Returns the output for a new instruction.
    fn of(body: &Body, inst: Inst) -> Self;
}

impl BuildOutput for Inst {
    fn of(_: &Body, inst: Inst) -> Self {
        inst
    }
}

impl BuildOutput for Value {
    fn of(body: &Body, inst: Inst) -> Self {
        body.first_result(inst).expect("invariant: a kind with one result has one")
    }
}

impl BuildOutput for Vec<Value> {
    fn of(body: &Body, inst: Inst) -> Self {
        body.results(inst).collect()
    }
}

/// The parts of an instruction under construction, as the body will store them.
pub struct Parts<'b> {
    pub(crate) body: &'b mut Body,
    pub(crate) info: &'static InstInfo,
    pub(crate) flags: u8,
    pub(crate) words: Vec<u32>,
    pub(crate) operands: Vec<Value>,
}

impl Parts<'_> {
    pub(crate) fn operand<'v>(&mut self, spec: usize, values: impl OperandField<'v>) {
        let before = self.operands.len();
        values.write(&mut self.operands);
        if let Some(attr) = self.info.operands[spec].count {
            self.words[usize::from(attr)] = (self.operands.len() - before) as u32;
        }
    }

    pub(crate) fn attribute<'v>(&mut self, index: usize, value: impl Attribute<'v>) {
        self.words[index] = value.write(self.body);
    }

    pub(crate) fn flag(&mut self, bit: usize, is_set: bool) {
        self.flags |= u8::from(is_set) << bit;
    }
}

impl Body {
    /// Returns an instruction as a typed struct; `None` if it is of another kind.
    pub fn view_as<'a, I: Instruction<'a>>(&'a self, inst: Inst) -> Option<I> {
        (self.inst(inst).opcode == I::OPCODE).then(|| I::read(self, inst))
    }

    /// Returns the defining instruction of a value as a typed struct; `None` if it is of another kind.
    pub fn def_as<'a, I: Instruction<'a>>(&'a self, value: Value) -> Option<I> {
        self.view_as(self.defining_inst(value)?)
    }
}

/// Declares the struct of an instruction kind: its parts in text order, with their table indices, and the parameters
/// of `new`.
macro_rules! instruction {
    (
        $(#[$doc:meta])*
        $name:ident [$($lt:lifetime)?] -> $output:ty,
        { $($role:ident $index:literal $field:ident: $ty:ty,)* }
        new($($required:ident: $param:ty),*) [$($optional:ident),*]
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name<$($lt)?> {
            $(
                #[doc = concat!("The ", stringify!($role), " `", stringify!($field), "`.")]
                pub $field: $ty,
            )*
        }

        impl<$($lt)?> $name<$($lt)?> {
            /// Creates the instruction with its required parts; optional parts are absent.
            #[allow(clippy::too_many_arguments, clippy::new_without_default, reason = "one for each part")]
            pub fn new($($required: $param),*) -> Self {
                Self {
                    $($required: $required.into(),)*
                    $($optional: Default::default(),)*
                }
            }
        }

        impl<'a> crate::instructions::Instruction<'a> for $name<$($lt)?> {
            const OPCODE: crate::Opcode = crate::Opcode::$name;
            type BuildOutput = $output;

            #[allow(unused_variables, reason = "an instruction may have no parts")]
            fn read(body: &'a crate::Body, inst: Inst) -> Self {
                Self {
                    $($field: crate::instructions::part!($role $index of body inst),)*
                }
            }

            #[allow(unused_variables, reason = "an instruction may have no parts")]
            fn write(&self, parts: &mut crate::instructions::Parts<'_>) {
                $(parts.$role($index, self.$field);)*
            }
        }
    };
}

macro_rules! part {
    (operand $index:literal of $body:ident $inst:ident) => {
        crate::instructions::OperandField::read(&$body.operands($inst)[$body.operand_range($inst, $index)])
    };
    (attribute $index:literal of $body:ident $inst:ident) => {
        crate::instructions::Attribute::read($body, $body.words($inst)[$index])
    };
    (flag $index:literal of $body:ident $inst:ident) => {
        $body.inst($inst).flags & 1 << $index != 0
    };
}

macro_rules! any_instruction {
    ($($name:ident [$($lt:lifetime)?],)*) => {
        /// An instruction of any kind as a typed struct.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum AnyInst<'a> {
            $(
                #[doc = concat!("[`", stringify!($name), "`].")]
                $name($name<$($lt)?>),
            )*
        }

        impl AnyInst<'_> {
            /// Returns the opcode.
            pub fn opcode(&self) -> crate::Opcode {
                match self {
                    $(Self::$name(_) => crate::Opcode::$name,)*
                }
            }

            pub(crate) fn write(&self, parts: &mut crate::instructions::Parts<'_>) {
                use crate::instructions::Instruction;
                match self {
                    $(Self::$name(inst) => inst.write(parts),)*
                }
            }
        }

        impl crate::Body {
            /// Returns an instruction as a typed struct.
            pub fn view(&self, inst: Inst) -> AnyInst<'_> {
                use crate::instructions::Instruction;
                match self.inst(inst).opcode {
                    $(crate::Opcode::$name => AnyInst::$name($name::read(self, inst)),)*
                }
            }
        }
    };
}

macro_rules! keywords {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            #[repr(u32)]
            pub enum $name {
                $($(#[$vdoc])* $variant,)*
            }

            impl $name {
                /// All values, in table order.
                pub const ALL: &'static [Self] = &[$(Self::$variant),*];

                /// Returns the keyword in the text form.
                pub fn spelling(self) -> &'static str {
                    match self {
                        $(Self::$variant => $word,)*
                    }
                }
            }

            impl crate::instructions::Attribute<'_> for $name {
                fn read(_: &crate::Body, word: u32) -> Self {
                    // The verifier reports words that are out of range.
                    Self::ALL.get(word as usize).copied().unwrap_or(Self::ALL[0])
                }

                fn write(self, _: &mut crate::Body) -> u32 {
                    self as u32
                }
            }
        )*
    };
}

pub(crate) use {any_instruction, instruction, keywords, part};

impl From<crate::Ownership> for OwnershipKeyword {
    fn from(ownership: crate::Ownership) -> Self {
        match ownership {
            crate::Ownership::Owned => Self::Owned,
            crate::Ownership::Guaranteed => Self::Guaranteed,
            crate::Ownership::Unowned => Self::Unowned,
            crate::Ownership::None => Self::None,
        }
    }
}

impl From<OwnershipKeyword> for crate::Ownership {
    fn from(keyword: OwnershipKeyword) -> Self {
        match keyword {
            OwnershipKeyword::Owned => Self::Owned,
            OwnershipKeyword::Guaranteed => Self::Guaranteed,
            OwnershipKeyword::Unowned => Self::Unowned,
            OwnershipKeyword::None => Self::None,
        }
    }
}
