//! Construction of instructions: typed by the table, with inferred results, at an insertion point that advances.

use super::{Editor, Point};
use crate::body::{ArgFlags, Block, Body, Inst, Loc, NewInst, Ownership, Value, ValueDef};
use crate::generated::Opcode;
use crate::info::{Results, TypePredicate, TypeSubject};
use crate::instructions::{AnyInst, BuildOutput, Instruction, Parts};
use crate::module::Function;
use crate::semantics::conventions::{Addresses, ArgumentConvention, Conventions};
use crate::semantics::infer::inferred_types;
use silkit_types::{SilType, TypeFacts};
use std::fmt;

/// A builder of instructions at an insertion point, which is also an [`Editor`].
///
/// There is a method for each instruction that takes its required parts and returns its result. To set optional
/// parts, pass a struct of [`crate::instructions`] to [`Builder::build`]:
///
/// ```
/// use silkit_ir::instructions::{Load, LoadQualifier};
/// use silkit_ir::{Body, Point};
/// use silkit_types::{NoFacts, SilType, Type};
///
/// let int = SilType::object(Type::builtin("Int64"));
/// let mut body = Body::new();
/// let mut b = body.builder(&NoFacts);
/// let entry = b.append_block();
/// b.move_to(Point::End(entry));
/// let slot = b.alloc_stack(int);
/// let one = b.integer_literal(int, "1");
/// b.store(one, slot);
/// let value = b.build(Load { qualifier: Some(LoadQualifier::Trivial), ..Load::new(slot) });
/// b.dealloc_stack(slot);
/// b.return_(value);
/// assert_eq!(b.value(value).ty, int);
/// assert_eq!(body.insts().count(), 6);
/// ```
pub struct Builder<'b> {
    editor: Editor<'b>,
    facts: &'b dyn TypeFacts,
    point: Point,
    loc: Loc,
}

impl<'b> std::ops::Deref for Builder<'b> {
    type Target = Editor<'b>;

    fn deref(&self) -> &Editor<'b> {
        &self.editor
    }
}

impl std::ops::DerefMut for Builder<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.editor
    }
}

/// The reason why an instruction cannot be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// No insertion point was set.
    NoPoint {
        /// The instruction.
        name: &'static str,
    },
    /// The instruction at the insertion point was removed.
    PointRemoved {
        /// The instruction.
        name: &'static str,
    },
    /// The instruction would come after a terminator, or is a terminator and would not be the last instruction.
    Terminator {
        /// The instruction.
        name: &'static str,
        /// The block of the insertion point.
        block: Block,
    },
    /// An operand is an address but must be an object, or the reverse.
    Category {
        /// The instruction.
        name: &'static str,
        /// The operand, by its table name.
        operand: &'static str,
        /// The type of the operand.
        ty: SilType,
    },
    /// The definition of an operand was removed.
    Removed {
        /// The instruction.
        name: &'static str,
        /// The value.
        value: Value,
    },
    /// The number of results differs from the number of given types.
    ResultCount {
        /// The instruction.
        name: &'static str,
        /// The number of given types.
        given: usize,
    },
    /// The type of a result cannot be inferred.
    UnknownType {
        /// The instruction.
        name: &'static str,
        /// The types of its operands.
        operands: Vec<SilType>,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPoint { name } => {
                write!(f, "cannot build `{name}`: the builder has no insertion point; set one with `move_to`")
            }
            Self::PointRemoved { name } => write!(
                f,
                "cannot build `{name}`: the instruction at the insertion point was removed; set another one with `move_to`"
            ),
            Self::Terminator { name, block } => write!(
                f,
                "cannot build `{name}` in {block}: a terminator must be the last instruction of its block; \
                 build before it, remove it first, or split the block"
            ),
            Self::Category { name, operand, ty } => {
                let (is, other) =
                    if ty.is_address() { ("an address", "load it") } else { ("not an address", "store it") };
                write!(
                    f,
                    "cannot build `{name}`: its operand `{operand}` has type `{ty}`, which is {is}; \
                     {other} first or use the instruction for the other category"
                )
            }
            Self::Removed { name, value } => write!(
                f,
                "cannot build `{name}`: its operand {value} has no definition in the body anymore; \
                 was it removed before this use was created?"
            ),
            Self::ResultCount { name, given } => {
                write!(
                    f,
                    "cannot build `{name}` with {given} results: pass as many types as the instruction has results"
                )
            }
            Self::UnknownType { name, operands } => {
                let types: Vec<String> = operands.iter().map(|t| format!("`{t}`")).collect();
                write!(
                    f,
                    "the type of a result of `{name}` with operands of types [{}] is unknown: \
                     pass facts that declare these types to the builder, or state it with `build_typed`",
                    types.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for BuildError {}

impl Body {
    /// Returns a builder without an insertion point. `facts` answers queries about declared types.
    pub fn builder<'b>(&'b mut self, facts: &'b dyn TypeFacts) -> Builder<'b> {
        self.edit().into_builder(facts)
    }

    /// Returns a builder at an insertion point. New instructions get the location of the instruction there
    /// ([`Builder::move_to`]).
    pub fn builder_at<'b>(&'b mut self, point: Point, facts: &'b dyn TypeFacts) -> Builder<'b> {
        let mut builder = self.builder(facts);
        builder.move_to(point);
        builder
    }
}

impl<'b> Editor<'b> {
    /// Returns a builder that works on this editor's body.
    pub fn builder_at<'s>(&'s mut self, point: Point, facts: &'s dyn TypeFacts) -> Builder<'s> {
        self.body.builder_at(point, facts)
    }

    fn into_builder(self, facts: &'b dyn TypeFacts) -> Builder<'b> {
        Builder { editor: self, facts, point: Point::End(Block::NONE), loc: Loc::NONE }
    }
}

impl Builder<'_> {
    /// Sets the insertion point. New instructions get the location of the instruction there: at the start of a block
    /// of its first instruction, at the end of its last one. In an empty block the default location is unchanged.
    pub fn move_to(&mut self, point: Point) {
        self.point = point;
        let near = match point {
            Point::Before(inst) | Point::After(inst) => Some(inst),
            Point::Start(block) => self.editor.first_inst(block),
            Point::End(block) => self.editor.last_inst(block),
        };
        if let Some(inst) = near {
            self.loc = self.editor.inst(inst).loc;
        }
    }

    /// Returns the insertion point.
    pub fn point(&self) -> Point {
        self.point
    }

    /// Sets the location of new instructions.
    pub fn set_default_loc(&mut self, loc: Loc) {
        self.loc = loc;
    }

    /// Creates the entry block of a function, with the arguments of its type.
    ///
    /// The types are in terms of the function's own generic parameters.
    pub fn append_entry_block(&mut self, function: &Function, addresses: Addresses) -> Block {
        let block = self.append_block();
        let Some(conventions) = Conventions::of(function, addresses) else { return block };
        let sig = conventions.ty.sig;
        for argument in 0..conventions.argument_count() {
            let ty = conventions.argument_type(argument).unwrap_or_else(SilType::unknown);
            let is_trivial = || self.facts.type_properties(ty.ty(), sig).trivial == Some(true);
            let ownership = match conventions.convention(argument) {
                _ if !function.has_ossa() => Ownership::None,
                Some(ArgumentConvention::Owned) => Ownership::Owned,
                Some(ArgumentConvention::Guaranteed) => Ownership::Guaranteed,
                Some(ArgumentConvention::Unowned) if !is_trivial() => Ownership::Unowned,
                _ => Ownership::None,
            };
            self.add_argument(block, ty, ownership, ArgFlags::empty());
        }
        self.move_to(Point::End(block));
        block
    }

    /// Creates an instruction. Its result has the unknown type if the type cannot be inferred.
    ///
    /// # Panics
    /// Panics if [`Builder::try_build`] returns another error, or the number of results cannot be inferred.
    pub fn build<'i, I: Instruction<'i>>(&mut self, inst: I) -> I::BuildOutput {
        let typing = if I::OPCODE.info().results == Results::Several { Typing::Known } else { Typing::Any };
        match self.make(I::OPCODE, typing, &|parts| inst.write(parts)) {
            Ok(made) => I::BuildOutput::of(&self.editor, made),
            Err(error) => panic!("invariant: what is built fits: {error}"),
        }
    }

    /// Creates an instruction, or returns an error and leaves the body unchanged.
    ///
    /// # Errors
    /// Returns an error if the instruction is not allowed at the insertion point, if it cannot use an operand, or if
    /// the type of a result cannot be inferred.
    pub fn try_build<'i, I: Instruction<'i>>(&mut self, inst: I) -> Result<I::BuildOutput, BuildError> {
        let made = self.make(I::OPCODE, Typing::Known, &|parts| inst.write(parts))?;
        Ok(I::BuildOutput::of(&self.editor, made))
    }

    /// Creates an instruction with results of these types, or returns an error.
    ///
    /// # Errors
    /// Returns the errors of [`Builder::try_build`], and an error if no type is given for an instruction with one
    /// result.
    pub fn build_typed<'i, I: Instruction<'i>>(
        &mut self,
        inst: I,
        types: &[SilType],
    ) -> Result<I::BuildOutput, BuildError> {
        let made = self.make(I::OPCODE, Typing::Given(types), &|parts| inst.write(parts))?;
        Ok(I::BuildOutput::of(&self.editor, made))
    }

    /// Creates an instruction of any kind, such as a changed [`Body::view`] of another one, with results of these
    /// types.
    ///
    /// # Errors
    /// Returns the errors of [`Builder::build_typed`].
    pub fn build_any(&mut self, inst: &AnyInst<'_>, types: &[SilType]) -> Result<Inst, BuildError> {
        self.make(inst.opcode(), Typing::Given(types), &|parts| inst.write(parts))
    }

    fn make(
        &mut self,
        opcode: Opcode,
        typing: Typing<'_>,
        write: &dyn Fn(&mut Parts<'_>),
    ) -> Result<Inst, BuildError> {
        self.check_point(opcode)?;
        let info = opcode.info();
        let words = vec![crate::NONE; info.attrs.len()];
        let mut parts = Parts { body: self.editor.body, info, flags: 0, words, operands: Vec::new() };
        write(&mut parts);
        let Parts { flags, words, operands, .. } = parts;
        self.check_values(info.name, &operands)?;
        let type_operands = self.editor.opened_values(opcode, &words);
        let new = NewInst {
            flags,
            operands: &operands,
            type_operands: &type_operands,
            words: &words,
            loc: self.loc,
            ..NewInst::new(opcode)
        };
        let inst = self.editor.body.make_inst(&new);
        match self.check_categories(inst).and_then(|()| self.types(inst, typing)) {
            Ok(types) => self.editor.body.make_results(inst, &types),
            Err(error) => {
                self.editor.drop_operands(inst);
                return Err(error);
            }
        }
        self.editor.link(inst, self.point);
        self.editor.touch(inst);
        if let Point::After(_) | Point::Start(_) = self.point {
            self.point = Point::After(inst);
        }
        Ok(inst)
    }

    fn check_point(&self, opcode: Opcode) -> Result<(), BuildError> {
        let name = opcode.info().name;
        let body = self.editor.body();
        let block = body.point_block(self.point);
        if block == Block::NONE {
            return Err(match self.point {
                Point::Before(_) | Point::After(_) => BuildError::PointRemoved { name },
                Point::Start(_) | Point::End(_) => BuildError::NoPoint { name },
            });
        }
        let fits = match (self.point, opcode.is_terminator()) {
            (Point::Before(_), false) => true,
            (Point::Before(_), true) => false,
            (Point::After(prev), is_last) => {
                !body.inst(prev).opcode.is_terminator() && (!is_last || body.next_inst(prev).is_none())
            }
            (Point::Start(_), false) => true,
            (Point::Start(_), true) => body.first_inst(block).is_none(),
            (Point::End(_), _) => body.terminator(block).is_none(),
        };
        if fits { Ok(()) } else { Err(BuildError::Terminator { name, block }) }
    }

    fn check_values(&self, name: &'static str, values: &[Value]) -> Result<(), BuildError> {
        let body = self.editor.body();
        let is_removed = |value: &&Value| match body.def(**value) {
            ValueDef::Result(inst, _) => body.inst_block(inst) == Block::NONE,
            ValueDef::Pending => true,
            ValueDef::Argument(..) | ValueDef::Undef => false,
        };
        match values.iter().find(is_removed) {
            Some(&value) => Err(BuildError::Removed { name, value }),
            None => Ok(()),
        }
    }

    /// Checks that each operand is an address or an object as the table requires.
    fn check_categories(&self, inst: Inst) -> Result<(), BuildError> {
        let body = self.editor.body();
        let info = body.info(inst);
        for rule in info.types {
            let TypeSubject::Operand(spec) = rule.of else { continue };
            let is_address = match rule.is {
                TypePredicate::Address => true,
                TypePredicate::Object => false,
                _ => continue,
            };
            for operand in &body.operands(inst)[body.operand_range(inst, usize::from(spec))] {
                let ty = body.value(operand.value).ty;
                if !ty.is_unknown() && ty.is_address() != is_address {
                    let operand = info.operands[usize::from(spec)].name;
                    return Err(BuildError::Category { name: info.name, operand, ty });
                }
            }
        }
        Ok(())
    }

    fn types(&self, inst: Inst, typing: Typing<'_>) -> Result<Vec<SilType>, BuildError> {
        let body = self.editor.body();
        let info = body.info(inst);
        if let Typing::Given(types) = typing {
            let fits = match info.results {
                Results::One => types.len() == 1,
                Results::Several => true,
                Results::None | Results::Terminator => types.is_empty(),
            };
            return match fits {
                true => Ok(types.to_vec()),
                false => Err(BuildError::ResultCount { name: info.name, given: types.len() }),
            };
        }
        let is_good = |types: &Vec<SilType>| typing == Typing::Any || !types.iter().any(|t| t.is_unknown());
        inferred_types(body, inst, self.facts).filter(is_good).ok_or_else(|| BuildError::UnknownType {
            name: info.name,
            operands: body.operands(inst).iter().map(|o| body.value(o.value).ty).collect(),
        })
    }
}

/// The source of result types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Typing<'t> {
    /// Inferred; may be unknown.
    Any,
    /// Inferred, and all must be known.
    Known,
    /// Given by the caller.
    Given(&'t [SilType]),
}
