//! Inlining: replaces a call by a copy of the callee's body.
//!
//! A callee, and a caller that consists of `apply [nothrow]` of it, after inlining:
//!
//! ```text
//! bb0(%0 : @owned $any Error, %1 : $Builtin.Int1):
//!   cond_br %1, bb1, bb2
//! bb1:
//!   throw %0
//! bb2:
//!   destroy_value %0
//!   %5 = integer_literal $Builtin.Int64, 5
//!   return %5
//! ---
//! bb0(%0 : @owned $any Error, %1 : $Builtin.Int1):
//!   cond_br %1, bb1, bb2
//! bb1:
//!   unreachable
//! bb2:
//!   destroy_value %0
//!   %5 = integer_literal $Builtin.Int64, 5
//!   return %5
//! ```
//!
//! Arguments and results become values; `return`, `throw`, `yield` and `unwind` become branches. Values that the callee borrows
//! and the caller owns are borrowed around the copy. A `mark_unresolved_non_copyable_value` of a value that is only read, and
//! that is copyable with the types of the call, is not copied. Passes decide whether inlining is profitable.

mod arguments;
mod coroutine;
mod exits;
mod marks;

use self::arguments::{PassedArguments, Passing};
use self::coroutine::ends_of_coroutine;
use self::exits::{Exits, leave, operand_or_undef, stop};
use crate::cfg::merge_blocks;
use crate::cfg::unreachable::remove_unreachable_blocks;
use crate::lifetime::forwarded_ownership;
use crate::lifetime::lower_ownership::{self, Destroys};
use crate::values::scalar_casts::{self, CastContext};
use crate::values::stack_nesting::fix_stack_nesting;
use silkit_analysis::Definition;
use silkit_base::FxHashSet;
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::ownership::{OwnershipContext, value_ownership};
use silkit_ir::{
    ArgFlags, Block, Body, CallSite, Cloner, Editor, Function, FunctionId, Inst, Loc, Opcode, Ownership,
    Point, ScopeMap, Value,
};
use silkit_pass::FunctionContext;
use silkit_types::decl::Declarations;
use silkit_types::{FunctionType, Type};
use std::borrow::Cow;

/// The reason why a call cannot be inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CannotInline {
    /// The instruction is not an `apply`, `try_apply` or `begin_apply` with all arguments and generic arguments.
    NoCall,
    /// The callee has no body.
    NoBody,
    /// The callee is being worked on, so that its body is not readable.
    Busy,
    /// The caller is the callee.
    Recursive,
    /// The caller is in OSSA and the callee is not, or the callee cannot be lowered.
    Ownership,
    /// The callee has several exits of one kind, which the verifier does not accept.
    Exits,
    /// The coroutine has several ends of one kind, or the caller deallocates its frame.
    Coroutine,
    /// An argument has no guaranteed lifetime.
    Unowned,
    /// The callee awaits the move checker for memory whose type is copyable in the caller.
    Unresolved,
}

/// How debuggers see the inlined code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InlineStyle {
    /// The callee stays visible to debuggers: its scopes are inlined at the call, with its variables.
    #[default]
    Visible,
    /// The code gets the location of the call, as for `[transparent]` functions.
    Absorbed,
}

/// A call to be inlined, with its arguments.
#[derive(Clone, Debug)]
pub struct Request {
    /// The call.
    pub call: Inst,
    /// The callee, possibly through a closure.
    pub callee: FunctionId,
    /// The arguments of the callee's entry block: the arguments of the call, and the captures of a closure.
    pub arguments: Vec<Value>,
    /// The replacements of the callee's generic parameters.
    pub substitutions: Vec<Type>,
    /// The style of inlining.
    pub style: InlineStyle,
}

impl Request {
    /// Creates the request to inline a direct call.
    pub fn of_call(cx: &FunctionContext<'_>, call: Inst, callee: FunctionId) -> Option<Self> {
        let site = cx.view().apply_site(call).filter(ApplySite::is_full)?;
        let arguments = site.arguments().collect();
        Some(Self {
            call,
            callee,
            arguments,
            substitutions: site.substitutions(),
            style: InlineStyle::default(),
        })
    }
}

/// The callee of the inlined call.
struct Callee<'a> {
    function: &'a Function,
    body: Cow<'a, Body>,
    exits: Exits,
}

/// Replaces a call by a copy of the body of its callee, removes unreachable code and merges blocks.
///
/// # Errors
/// Returns an error, without changing the caller, if the call cannot be inlined.
pub fn inline(cx: &mut FunctionContext<'_>, call: Inst, callee: FunctionId) -> Result<(), CannotInline> {
    let request = Request::of_call(cx, call, callee).ok_or(CannotInline::NoCall)?;
    let (opcode, reference) = (cx.body().inst(call).opcode, cx.view().apply_site(call).map(|s| s.callee()));
    let copy = inline_blocks(cx, request)?;
    let body = cx.body_mut();
    if let Some(reference) = reference
        && !body.is_used(reference)
        && let Some(inst) = body.defining_inst(reference)
        && body.inst(inst).opcode == Opcode::FunctionRef
    {
        body.edit().remove(inst);
    }
    if copy.last.is_some() {
        clean_up(cx, copy.joined, opcode);
    }
    Ok(())
}

/// Replaces a call by a copy of the body of its callee, without cleaning up blocks.
///
/// # Errors
/// Returns an error, without changing the caller, if the call cannot be inlined.
pub fn inline_blocks(cx: &mut FunctionContext<'_>, request: Request) -> Result<InlinedBody, CannotInline> {
    if request.callee == cx.id() {
        return Err(CannotInline::Recursive);
    }
    let inliner = Inliner::new(cx, request)?;
    let body = cx.body();
    let scope = body.loc(body.inst(inliner.call).loc).map_or(silkit_ir::NONE, |loc| loc.scope);
    let map = match inliner.style {
        InlineStyle::Visible => Some(cx.inline_scopes(inliner.callee.body.used_scopes(), scope)),
        InlineStyle::Absorbed => None,
    };
    inliner.make_storage_lexical(cx);
    Ok(inliner.run(cx, map.as_ref()))
}

/// Checks whether a call can be inlined.
///
/// # Errors
/// Returns the reason if the call cannot be inlined.
pub fn check(cx: &FunctionContext<'_>, request: Request) -> Result<(), CannotInline> {
    Inliner::new(cx, request).map(drop)
}

/// The position of an inlined body.
#[derive(Debug, Default)]
pub struct InlinedBody {
    /// The last block of the inlined body; `None` if it is in the block of the call, before the code after the call.
    pub last: Option<Block>,
    /// The blocks that may be merged into their predecessors.
    joined: Vec<Block>,
}

struct Inliner<'a> {
    call: Inst,
    style: InlineStyle,
    is_async: bool,
    callee: Callee<'a>,
    declarations: &'a Declarations,
    has_ossa: bool,
    arguments: Vec<Value>,
    /// How each argument is passed.
    passing: Vec<Passing>,
    substitutions: Vec<Type>,
    /// The marks of the callee that are not copied.
    vanishing: Vec<Inst>,
    /// The `end_apply` and the `abort_apply` of a coroutine.
    ends: [Option<Inst>; 2],
    context: OwnershipContext<'a>,
    addresses: Addresses,
    casts: CastContext<'a>,
}

impl<'a> Inliner<'a> {
    fn new(cx: &FunctionContext<'a>, request: Request) -> Result<Self, CannotInline> {
        let Request { call, callee, arguments, substitutions, style } = request;
        let (body, program) = (cx.body(), cx.program());
        let source = match program.definition(callee) {
            Definition::Body(source) => source,
            Definition::Busy => return Err(CannotInline::Busy),
            Definition::Declared => return Err(CannotInline::NoBody),
        };
        let callee = &program.module.functions[callee];
        let has_ossa = cx.function().has_ossa();
        let source = match callee.has_ossa() {
            true if !has_ossa => Cow::Owned(lowered(cx, callee, source)?),
            false if has_ossa => return Err(CannotInline::Ownership),
            _ => Cow::Borrowed(source),
        };
        let sig = callee.ty.ty().as_function().and_then(|ty| ty.sig);
        let params = sig.map_or(0, |sig| sig.data().params.len());
        if source.entry_arguments().len() != arguments.len() || params != substitutions.len() {
            return Err(CannotInline::NoCall);
        }
        let passing = Passing::of_arguments(cx, callee, &source, &arguments)?;
        let exits = Exits::of(&source)?;
        let callee = Callee { function: callee, body: source, exits };
        let ends = match body.inst(call).opcode {
            Opcode::BeginApply => ends_of_coroutine(body, call)?,
            _ if callee.exits.yields.is_some() => return Err(CannotInline::Coroutine),
            _ => [None; 2],
        };
        let mut inliner = Self {
            call,
            style,
            is_async: cx.view().function_type().is_some_and(FunctionType::is_async),
            callee,
            declarations: cx.declarations(),
            has_ossa,
            arguments,
            passing,
            substitutions,
            vanishing: Vec::new(),
            ends,
            context: cx.ownership_context(),
            addresses: program.addresses(),
            casts: CastContext {
                declarations: cx.declarations(),
                signature: cx.view().signature(),
                has_ossa,
            },
        };
        inliner.vanishing = inliner.vanishing_marks(cx.view().signature())?;
        Ok(inliner)
    }

    fn run(self, cx: &mut FunctionContext<'_>, scopes: Option<&ScopeMap>) -> InlinedBody {
        let body = cx.body_mut();
        let (loc, opcode) = (body.inst(self.call).loc, body.inst(self.call).opcode);
        let borrows = self.pass(body);
        let mut cloner = Cloner::of(&self.callee.body).without_sugar();
        if let Some(scopes) = scopes {
            cloner = cloner.with_scopes(scopes);
        }
        if self.style == InlineStyle::Absorbed {
            cloner = cloner.absorbed_into(CallSite::new(&mut body.edit(), loc, self.is_async));
        }
        cloner = self.substituting(cloner);
        match (opcode, self.callee.exits.returns) {
            (Opcode::Apply, Some(exit)) if self.callee.body.block_count() == 1 => {
                self.straight(body, cloner, exit, &borrows)
            }
            _ => self.blocks(body, cloner, &borrows, opcode, loc),
        }
    }

    /// Copies the single block of the callee to the call.
    fn straight(
        &self,
        body: &mut Body,
        mut cloner: Cloner<'_>,
        exit: Inst,
        borrows: &PassedArguments,
    ) -> InlinedBody {
        let source = &*self.callee.body;
        for (&argument, &passed) in source.entry_arguments().iter().zip(&borrows.passed) {
            cloner.map_value(argument, passed);
        }
        let mut editor = body.edit();
        cloner.straight_line(&mut editor, source.inst_block(exit), self.call);
        self.remove_marks(&mut editor, &mut cloner);
        if let Some(result) = editor.first_result(self.call) {
            let returned = cloner.value(source.operand_value(exit, 0));
            let ty = editor.value(result).ty;
            let value = returned.unwrap_or_else(|| editor.undef(ty));
            forwarded_ownership::replace_all_uses(&mut editor, self.context, result, value);
        }
        let mut builder = body.builder_at(Point::Before(self.call), self.declarations);
        for &borrow in borrows.made.iter().rev() {
            builder.end_borrow(borrow);
        }
        body.edit().remove(self.call);
        InlinedBody::default()
    }

    fn blocks(
        &self,
        body: &mut Body,
        mut cloner: Cloner<'_>,
        borrows: &PassedArguments,
        opcode: Opcode,
        loc: Loc,
    ) -> InlinedBody {
        let mut editor = body.edit();
        let rest = editor.next_inst(self.call).map(|next| editor.split_block(next));
        let before = editor.inst_block(self.call);
        let copies = cloner.blocks(&mut editor, &order(&self.callee.body), before);
        let entry = copies[0];
        for (index, &argument) in borrows.passed.iter().enumerate().rev() {
            let parameter = editor.arguments(entry)[index];
            forwarded_ownership::replace_all_uses(&mut editor, self.context, parameter, argument);
            editor.remove_argument(entry, index);
        }
        self.remove_marks(&mut editor, &mut cloner);
        let casts = self.copied_casts(&cloner);
        let exits = self.callee.exits.copied(&cloner);
        let (mut joined, mut ended) = (vec![entry], Vec::new());
        match (opcode, rest) {
            (Opcode::TryApply, _) => {
                let targets: Vec<Block> = editor.block_successors(before).collect();
                editor.remove(self.call);
                for (exit, &target) in [exits.returns, exits.throws].into_iter().zip(&targets) {
                    leave(&mut editor, exit, target, loc, true);
                    ended.push(target);
                }
                joined.extend(targets);
            }
            (Opcode::BeginApply, Some(rest)) => {
                let yielded = self.resume(&mut editor, &exits, rest, loc);
                joined.push(rest);
                for (end, exit, next) in self.end(&mut editor, &exits, &yielded, loc) {
                    leave(&mut editor, exit, end, loc, false);
                    ended.push(end);
                    joined.extend([end, next]);
                }
                editor.remove(self.call);
            }
            (_, Some(rest)) => {
                self.give_result(&mut editor, exits.returns, rest);
                leave(&mut editor, exits.returns, rest, loc, false);
                stop(&mut editor, exits.throws, loc);
                editor.remove(self.call);
                ended.push(rest);
                joined.push(rest);
            }
            // Only a terminator is the last instruction of its block.
            (_, None) => {}
        }
        editor.insert_branch(before, entry, &[], loc);
        self.end_borrows(body, &borrows.made, &ended, loc);
        for cast in casts {
            scalar_casts::make_scalar(body, cast, self.casts);
        }
        InlinedBody { last: copies.last().copied(), joined }
    }

    /// Returns the copies of the callee's casts in memory.
    fn copied_casts(&self, cloner: &Cloner<'_>) -> Vec<Inst> {
        let source = &*self.callee.body;
        let casts = source.insts().filter(|&inst| source.inst(inst).opcode == Opcode::CheckedCastAddrBranch);
        casts.filter_map(|cast| cloner.inst(cast)).collect()
    }

    /// Replaces the result of the call by the returned value. If the callee never returns, the unreachable rest of
    /// the block gets an argument instead.
    fn give_result(&self, editor: &mut Editor<'_>, exit: Option<Inst>, rest: Block) {
        let Some(result) = editor.first_result(self.call) else { return };
        let value = match exit {
            Some(_) => operand_or_undef(editor, exit, result),
            None => {
                let ty = editor.value(result).ty;
                let ownership = match value_ownership(editor.body(), result, self.context) {
                    Some(ownership) if self.has_ossa => ownership,
                    _ => Ownership::None,
                };
                editor.add_argument(rest, ty, ownership, ArgFlags::default())
            }
        };
        forwarded_ownership::replace_all_uses(editor, self.context, result, value);
    }
}

/// Returns the body of a callee in OSSA as it is without OSSA.
fn lowered(cx: &FunctionContext<'_>, callee: &Function, body: &Body) -> Result<Body, CannotInline> {
    let declarations = cx.declarations();
    let context = OwnershipContext::new(callee, declarations, cx.program().addresses());
    let mut body = body.clone();
    lower_ownership::lower(&mut body, context, declarations, Destroys::AsValues)
        .map_err(|_| CannotInline::Ownership)?;
    Ok(body)
}

/// Removes unreachable code and merges chains of blocks.
fn clean_up(cx: &mut FunctionContext<'_>, joined: Vec<Block>, opcode: Opcode) {
    let (context, has_ossa) = (cx.ownership_context(), cx.function().has_ossa());
    let body = cx.body_mut();
    remove_unreachable_blocks(body);
    for block in joined {
        if body.has_block(block) {
            merge_blocks::merge_into_predecessor(body, context, block);
        }
    }
    // Allocations of a coroutine and of its caller need not be nested.
    if opcode == Opcode::BeginApply {
        // If they are not even deallocated on all paths, the input is invalid and is left as it is.
        _ = fix_stack_nesting(body, has_ossa);
    }
}

/// Returns the reachable blocks, each after its first predecessor, in the reference's order of copies.
fn order(body: &Body) -> Vec<Block> {
    let mut order: Vec<Block> = body.entry_block().into_iter().collect();
    let mut seen: FxHashSet<Block> = order.iter().copied().collect();
    let mut work = order.clone();
    while let Some(block) = work.pop() {
        let new: Vec<Block> = body.block_successors(block).filter(|&to| seen.insert(to)).collect();
        order.extend(&new);
        work.extend(new.iter().rev());
    }
    order
}
