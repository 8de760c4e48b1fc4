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
//! and the caller owns are borrowed around the copy. Passes decide whether inlining is profitable.

use super::merge_blocks;
use super::stack_nesting::fix_stack_nesting;
use super::unreachable::remove_unreachable_blocks;
use silkit_analysis::Definition;
use silkit_base::FxHashSet;
use silkit_ir::conventions::{Addresses, ApplySite, ArgumentConvention};
use silkit_ir::ownership::{OwnershipContext, value_ownership};
use silkit_ir::{
    Block, Body, Cloner, Editor, Function, FunctionId, Inst, Loc, Opcode, Ownership, Point, ScopeMap, Value,
};
use silkit_pass::FunctionContext;
use silkit_types::decl::Declarations;
use silkit_types::{Substitution, Type};

/// The reason why a call cannot be inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CannotInline {
    /// The instruction is no `apply`, `try_apply` or `begin_apply` with all arguments and generic arguments.
    NoCall,
    /// The callee has no body.
    NoBody,
    /// The callee is being worked on, so its body is not known.
    Busy,
    /// The caller is the callee.
    Recursive,
    /// One of both has ownership, and the other has not.
    Ownership,
    /// The callee leaves in several places of one kind, which no verifier accepts.
    Exits,
    /// The coroutine is ended in several places of one kind, or its frame is the caller's to deallocate.
    Coroutine,
    /// An argument has a lifetime that nobody promises.
    Unowned,
}

/// The callee of the inlined call.
struct Callee<'a> {
    function: &'a Function,
    body: &'a Body,
    exits: Exits,
}

/// The exits and suspension points of a function.
#[derive(Default)]
struct Exits {
    returns: Option<Inst>,
    throws: Option<Inst>,
    unwinds: Option<Inst>,
    yields: Option<Inst>,
}

/// Replaces a call by a copy of the body of its callee.
///
/// # Errors
/// Where that is not possible; then nothing is changed.
pub fn inline(cx: &mut FunctionContext<'_>, call: Inst, callee: FunctionId) -> Result<(), CannotInline> {
    if callee == cx.id() {
        return Err(CannotInline::Recursive);
    }
    let inliner = Inliner::new(cx, call, callee)?;
    let body = cx.body();
    let scope = body.loc(body.inst(call).loc).map_or(silkit_ir::NONE, |loc| loc.scope);
    let map = cx.inline_scopes(inliner.callee.body.used_scopes(), scope);
    inliner.run(cx, &map);
    Ok(())
}

struct Inliner<'a> {
    call: Inst,
    callee: Callee<'a>,
    /// The value that is called.
    reference: Value,
    declarations: &'a Declarations,
    has_ossa: bool,
    arguments: Vec<Value>,
    /// For each argument, true if it must be borrowed.
    is_borrowed: Vec<bool>,
    substitutions: Vec<Type>,
    /// The `end_apply` and the `abort_apply` of a coroutine.
    ends: [Option<Inst>; 2],
    context: OwnershipContext<'a>,
    addresses: Addresses,
}

impl<'a> Inliner<'a> {
    fn new(cx: &FunctionContext<'a>, call: Inst, callee: FunctionId) -> Result<Self, CannotInline> {
        let (body, program) = (cx.body(), cx.program());
        let source = match program.definition(callee) {
            Definition::Body(source) => source,
            Definition::Busy => return Err(CannotInline::Busy),
            Definition::Declared => return Err(CannotInline::NoBody),
        };
        let callee = &program.module.functions[callee];
        let has_ossa = cx.function().has_ossa();
        if callee.has_ossa() != has_ossa {
            return Err(CannotInline::Ownership);
        }
        let site = cx.view().apply_site(call).filter(ApplySite::is_full);
        let site = site.ok_or(CannotInline::NoCall)?;
        let arguments: Vec<Value> = site.arguments().collect();
        let substitutions = site.substitutions();
        let sig = callee.ty.ty().as_function().and_then(|ty| ty.sig);
        let params = sig.map_or(0, |sig| sig.data().params.len());
        if source.entry_arguments().len() != arguments.len() || params != substitutions.len() {
            return Err(CannotInline::NoCall);
        }
        let ownership_of = cx.ownership();
        let mut is_borrowed = Vec::with_capacity(arguments.len());
        for (index, &argument) in arguments.iter().enumerate() {
            let ownership = ownership_of.value(argument).filter(|_| has_ossa);
            let convention = site.convention_of_applied(index);
            is_borrowed.push(
                convention == Some(ArgumentConvention::Guaranteed) && ownership == Some(Ownership::Owned),
            );
            let has_lifetime = ownership.is_some_and(|ownership| ownership != Ownership::None);
            if convention == Some(ArgumentConvention::Unowned) && has_lifetime {
                return Err(CannotInline::Unowned);
            }
        }
        let callee = Callee { function: callee, body: source, exits: Exits::of(source)? };
        let ends = match body.inst(call).opcode {
            Opcode::BeginApply => ends_of_coroutine(body, call)?,
            _ if callee.exits.yields.is_some() => return Err(CannotInline::Coroutine),
            _ => [None; 2],
        };
        Ok(Self {
            call,
            callee,
            reference: site.callee(),
            declarations: cx.declarations(),
            has_ossa,
            arguments,
            is_borrowed,
            substitutions,
            ends,
            context: OwnershipContext::new(cx.function(), cx.declarations(), program.addresses()),
            addresses: program.addresses(),
        })
    }

    fn run(self, cx: &mut FunctionContext<'_>, scopes: &ScopeMap) {
        let body = cx.body_mut();
        let (loc, opcode) = (body.inst(self.call).loc, body.inst(self.call).opcode);
        let borrows = self.borrow(body);
        let mut editor = body.edit();
        let rest = editor.next_inst(self.call).map(|next| editor.split_block(next));
        let before = editor.inst_block(self.call);
        let mut cloner = Cloner::of(self.callee.body).with_scopes(scopes);
        if let Some(sig) = self.callee.function.ty.ty().as_function().and_then(|ty| ty.sig) {
            let substitution = Substitution { sig, args: &self.substitutions };
            cloner = cloner.with_substitution(substitution, self.declarations);
        }
        let copies = cloner.blocks(&mut editor, &order(self.callee.body), before);
        let entry = copies[0];
        for (index, &argument) in borrows.passed.iter().enumerate().rev() {
            editor.replace_all_uses(editor.arguments(entry)[index], argument);
            editor.remove_argument(entry, index);
        }
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
                if let Some(result) = editor.first_result(self.call) {
                    let value = operand_or_undef(&mut editor, exits.returns, result);
                    editor.replace_all_uses(result, value);
                }
                leave(&mut editor, exits.returns, rest, loc, false);
                stop(&mut editor, exits.throws, loc);
                editor.remove(self.call);
                ended.push(rest);
                joined.push(rest);
            }
            // Only a terminator has nothing behind it.
            (_, None) => {}
        }
        editor.insert_branch(before, entry, &[], loc);
        if let Some(reference) = editor.defining_inst(self.reference).filter(|&inst| {
            editor.inst(inst).opcode == Opcode::FunctionRef && !editor.is_used(self.reference)
        }) {
            editor.remove(reference);
        }
        self.end_borrows(body, &borrows.made, &ended, loc);
        self.clean_up(body, joined, opcode);
    }

    /// Borrows what the callee borrows and the caller owns.
    fn borrow(&self, body: &mut Body) -> Borrowed {
        let mut borrows = Borrowed { passed: Vec::new(), made: Vec::new() };
        let mut builder = body.builder_at(Point::Before(self.call), self.declarations);
        for (&argument, &is_borrowed) in self.arguments.iter().zip(&self.is_borrowed) {
            let passed = if is_borrowed { builder.begin_borrow(argument) } else { argument };
            borrows.passed.push(passed);
            borrows.made.extend(is_borrowed.then_some(passed));
        }
        borrows
    }

    fn end_borrows(&self, body: &mut Body, borrows: &[Value], ended: &[Block], loc: Loc) {
        let mut builder = body.builder(self.declarations);
        for &block in ended {
            builder.move_to(Point::Start(block));
            builder.set_default_loc(loc);
            for &borrow in borrows.iter().rev() {
                builder.end_borrow(borrow);
            }
        }
    }

    /// Continues in the caller at the yield of a coroutine; returns the values that must be borrowed meanwhile.
    fn resume(&self, editor: &mut Editor<'_>, exits: &Exits, rest: Block, loc: Loc) -> Resumed {
        let results: Vec<Value> = editor.results(self.call).collect();
        let Some(yields) = exits.yields else {
            for result in results {
                let undef = editor.undef(editor.value(result).ty);
                editor.replace_all_uses(result, undef);
            }
            return Resumed::default();
        };
        let values: Vec<Value> = editor.operands(yields).iter().map(|o| o.value).collect();
        let mut resumed =
            Resumed { targets: editor.successors(yields).map(Some).collect(), borrows: Vec::new() };
        let conventions = self.callee.function.ty.ty().as_function();
        for (index, (&result, value)) in results.iter().zip(values).enumerate() {
            let is_lent = conventions
                .and_then(|ty| ty.yields.get(index))
                .is_some_and(|y| self.addresses.param(y.convention) == ArgumentConvention::Guaranteed);
            let mut given = value;
            if self.has_ossa
                && is_lent
                && value_ownership(editor.body(), value, self.context) == Some(Ownership::Owned)
            {
                let mut builder = editor.builder_at(Point::Before(yields), self.declarations);
                given = builder.begin_borrow(value);
                resumed.borrows.push(given);
            }
            editor.replace_all_uses(result, given);
        }
        leave(editor, Some(yields), rest, loc, false);
        resumed
    }

    /// Continues in the callee where the coroutine is ended or aborted: returns the blocks after the end, the exits
    /// that lead there, and the blocks of the callee.
    fn end(
        &self,
        editor: &mut Editor<'_>,
        exits: &Exits,
        resumed: &Resumed,
        loc: Loc,
    ) -> Vec<(Block, Option<Inst>, Block)> {
        let mut made = Vec::new();
        for (index, exit) in [exits.returns, exits.unwinds].into_iter().enumerate() {
            let Some(end) = self.ends[index] else { continue };
            if let Some(result) = editor.first_result(end) {
                let value = operand_or_undef(editor, exit, result);
                editor.replace_all_uses(result, value);
            }
            let mut builder = editor.builder_at(Point::Before(end), self.declarations);
            for &borrow in resumed.borrows.iter().rev() {
                builder.end_borrow(borrow);
            }
            let Some(next) = editor.next_inst(end) else { continue };
            let behind = editor.split_block(next);
            let block = editor.inst_block(end);
            editor.remove(end);
            match resumed.targets.get(index).copied().flatten() {
                Some(target) => {
                    editor.insert_branch(block, target, &[], loc);
                    made.push((behind, exit, target));
                }
                None => {
                    let unreachable =
                        silkit_ir::NewInst { loc, ..silkit_ir::NewInst::new(Opcode::Unreachable) };
                    editor.insert(Point::End(block), &unreachable);
                }
            }
        }
        made
    }

    /// Removes what is not reached any more, and makes one block of blocks in a row.
    fn clean_up(&self, body: &mut Body, joined: Vec<Block>, opcode: Opcode) {
        remove_unreachable_blocks(body);
        for block in joined {
            merge_blocks::merge_into_predecessor(body, block);
        }
        // What a coroutine allocates and what its caller allocates meanwhile need not be nested.
        if opcode == Opcode::BeginApply {
            // Where they are not even deallocated on all paths, the input was wrong, and stays as it is.
            _ = fix_stack_nesting(body, self.has_ossa);
        }
    }
}

/// Returns the blocks that can be reached, each behind the first one that goes to it, as the reference orders copies.
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

/// The arguments as the copy uses them, and the borrows among them.
struct Borrowed {
    passed: Vec<Value>,
    made: Vec<Value>,
}

/// The continuation of a coroutine, and the values that were borrowed for its caller.
#[derive(Default)]
struct Resumed {
    targets: Vec<Option<Block>>,
    borrows: Vec<Value>,
}

impl Exits {
    fn of(body: &Body) -> Result<Self, CannotInline> {
        let mut exits = Self::default();
        for inst in body.insts() {
            let exit = match body.inst(inst).opcode {
                Opcode::Return => &mut exits.returns,
                Opcode::Throw | Opcode::ThrowAddr => &mut exits.throws,
                Opcode::Unwind => &mut exits.unwinds,
                Opcode::Yield => &mut exits.yields,
                _ if body.is_function_exit(inst) => return Err(CannotInline::Exits),
                _ => continue,
            };
            if exit.replace(inst).is_some() {
                return Err(CannotInline::Exits);
            }
        }
        Ok(exits)
    }

    /// Returns the copies.
    fn copied(&self, cloner: &Cloner<'_>) -> Self {
        let copy = |inst: Option<Inst>| inst.and_then(|inst| cloner.inst(inst));
        Self {
            returns: copy(self.returns),
            throws: copy(self.throws),
            unwinds: copy(self.unwinds),
            yields: copy(self.yields),
        }
    }
}

/// Returns the `end_apply` and the `abort_apply` of a coroutine.
fn ends_of_coroutine(body: &Body, call: Inst) -> Result<[Option<Inst>; 2], CannotInline> {
    let mut ends = [None; 2];
    for user in body.results(call).flat_map(|result| body.users(result)) {
        let end = match body.inst(user).opcode {
            Opcode::EndApply => &mut ends[0],
            Opcode::AbortApply => &mut ends[1],
            Opcode::DeallocStack => return Err(CannotInline::Coroutine),
            _ => continue,
        };
        if end.replace(user).is_some() {
            return Err(CannotInline::Coroutine);
        }
    }
    Ok(ends)
}

/// Returns what an exit gives, or nothing where it is not there, in place of a value.
fn operand_or_undef(editor: &mut Editor<'_>, exit: Option<Inst>, instead_of: Value) -> Value {
    let given = exit.and_then(|exit| editor.operands(exit).first().map(|operand| operand.value));
    given.unwrap_or_else(|| editor.undef(editor.value(instead_of).ty))
}

/// Replaces an exit by a branch, which passes the exit's operand if the block takes an argument.
fn leave(editor: &mut Editor<'_>, exit: Option<Inst>, target: Block, loc: Loc, passes: bool) {
    let Some(exit) = exit else { return };
    let block = editor.inst_block(exit);
    let mut given: Vec<Value> = editor.operands(exit).iter().map(|operand| operand.value).collect();
    given.truncate(if passes { editor.arguments(target).len() } else { 0 });
    editor.remove(exit);
    editor.insert_branch(block, target, &given, loc);
}

/// Replaces an exit that is not reached by `unreachable`.
fn stop(editor: &mut Editor<'_>, exit: Option<Inst>, loc: Loc) {
    let Some(exit) = exit else { return };
    let block = editor.inst_block(exit);
    editor.remove(exit);
    let unreachable = silkit_ir::NewInst { loc, ..silkit_ir::NewInst::new(Opcode::Unreachable) };
    editor.insert(Point::End(block), &unreachable);
}
