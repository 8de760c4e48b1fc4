//! The printer of function bodies, with the comments of the reference.

mod comments;
mod numbers;
mod pieces;

use crate::module::debug_info::{DebugInfo, ScopeKey, inst_scopes};
use crate::options::PrintOptions;
use crate::printer::Out;
pub(crate) use numbers::Numbers;
use silkit_ir::info::Results;
use silkit_ir::{ArgFlags, Block, Body, FunctionId, Inst, NONE, Ownership, Value, ValueDef};
use std::rc::Rc;

/// The column at which the reference puts comments.
pub(crate) const COMMENT_COLUMN: usize = 50;

/// The spellings of argument flags, in print order.
pub(super) const ARG_FLAGS: &[(ArgFlags, &str)] = &[
    (ArgFlags::NO_IMPLICIT_COPY, "@noImplicitCopy"),
    (ArgFlags::LEXICAL, "@_lexical"),
    (ArgFlags::EAGER_MOVE, "@_eagerMove"),
    (ArgFlags::CLOSURE_CAPTURE, "@closureCapture"),
    (ArgFlags::REBORROW, "@reborrow"),
    (ArgFlags::POINTER_ESCAPE, "@pointer_escape"),
    (ArgFlags::INFERRED_IMMUTABLE, "@inferredImmutable"),
];

/// Prints one body.
pub(crate) struct BodyPrinter<'a, 'o> {
    pub(super) body: &'a Body,
    pub(super) out: &'a mut Out<'o>,
    pub(super) options: &'a PrintOptions,
    numbers: Rc<Numbers>,
    current: u32,
    in_initializer: bool,
    /// True if parts are printed outside of a whole body.
    is_lone: bool,
    /// The scopes of the module, and the scope of each instruction.
    pub(super) debug_info: Option<(&'a DebugInfo<'a>, Vec<ScopeKey>)>,
}

impl<'a, 'o> BodyPrinter<'a, 'o> {
    /// Creates a printer that writes to `out`.
    pub(crate) fn new(body: &'a Body, out: &'a mut Out<'o>, options: &'a PrintOptions) -> Self {
        Self::with_numbers(body, out, options, Rc::new(Numbers::of(body, options.sorted)))
    }

    /// Creates a printer that numbers the body in the memory of `numbers`, unless another printer uses it.
    pub(crate) fn renumbering(
        numbers: &mut Rc<Numbers>,
        body: &'a Body,
        out: &'a mut Out<'o>,
        options: &'a PrintOptions,
    ) -> Self {
        Rc::make_mut(numbers).fill(body, options.sorted);
        Self::with_numbers(body, out, options, Rc::clone(numbers))
    }

    /// Creates a printer for a body with existing numbers.
    pub(super) fn with_numbers(
        body: &'a Body,
        out: &'a mut Out<'o>,
        options: &'a PrintOptions,
        numbers: Rc<Numbers>,
    ) -> Self {
        Self {
            body,
            out,
            options,
            numbers,
            current: 0,
            in_initializer: false,
            is_lone: false,
            debug_info: None,
        }
    }

    /// Enables printing of locations and scopes.
    pub(crate) fn with_debug_info(mut self, info: Option<(&'a DebugInfo<'a>, FunctionId)>) -> Self {
        self.debug_info = info.map(|(info, id)| {
            let mut scopes = vec![ScopeKey::Function(id); self.body.inst_bound()];
            for (inst, key) in self.body.insts().zip(inst_scopes(self.body, id)) {
                scopes[inst.as_u32() as usize] = key;
            }
            (info, scopes)
        });
        self
    }

    /// Prints all blocks.
    pub(crate) fn blocks(&mut self) {
        let numbers = Rc::clone(&self.numbers);
        for (i, &block) in numbers.order.iter().enumerate() {
            if i > 0 {
                self.out.push("\n");
            }
            self.block(block);
        }
    }

    pub(super) fn block(&mut self, block: Block) {
        self.current = self.numbers.block(block);
        let args = self.body.arguments(block);
        for &arg in args {
            if self.body.is_used(arg) {
                self.out.start_line();
                self.out.push("// ");
                self.value_name(arg);
                self.out.pad(COMMENT_COLUMN);
                self.out.push("// ");
                self.users(std::iter::once(arg));
                self.out.push("\n");
            }
        }
        self.out.start_line();
        self.block_name(block);
        if !args.is_empty() {
            self.out.push("(");
            for (i, &arg) in args.iter().enumerate() {
                self.out.push(if i > 0 { ", " } else { "" });
                self.argument(arg);
            }
            self.out.push(")");
        }
        self.out.push(":");
        if self.body.predecessors(block).next().is_some() {
            self.out.pad(COMMENT_COLUMN);
            self.out.push("// Preds:");
            let preds = self.body.predecessors(block).map(|pred| self.numbers.block(pred));
            if self.options.sorted {
                let mut preds: Vec<u32> = preds.collect();
                preds.sort_unstable();
                self.out.blocks(preds.into_iter());
            } else {
                self.out.blocks(preds);
            }
        }
        self.out.push("\n");
        for inst in self.body.block_insts(block) {
            self.inst(inst, "  ");
        }
    }

    fn argument(&mut self, arg: Value) {
        self.value_name(arg);
        self.out.push(" : ");
        let data = self.body.value(arg);
        for (flag, name) in ARG_FLAGS {
            if data.arg_flags.contains(*flag) {
                self.out.push(name);
                self.out.push(" ");
            }
        }
        self.out.push(match data.ownership {
            // A reborrow is guaranteed.
            _ if data.arg_flags.contains(ArgFlags::REBORROW) => "",
            Ownership::None => "",
            Ownership::Owned => "@owned ",
            Ownership::Guaranteed => "@guaranteed ",
            Ownership::Unowned => "@unowned ",
        });
        self.sil_type(data.ty);
    }

    /// Prints one instruction with its comments.
    fn inst(&mut self, inst: Inst, indent: &str) {
        self.callee_comment(inst, indent);
        self.line(inst, indent);
    }

    /// Prints an instruction as a line.
    fn line(&mut self, inst: Inst, indent: &str) {
        self.out.start_line();
        self.out.push(indent);
        let results = self.body.results(inst);
        match results.len() {
            0 => {}
            _ if self.hides_result(inst) => {}
            1 => {
                if self.is_initial_value(inst) {
                    self.out.push("%initval");
                } else {
                    results.clone().for_each(|v| self.value_name(v));
                }
                self.out.push(" = ");
            }
            _ => self.result_list(inst, None),
        }
        self.inst_text(inst);
        self.location(inst);
        self.decimal_comment(inst);
        self.comment(inst);
        self.out.push("\n");
    }

    /// Returns true for an `end_apply` without a result type, as Swift 6.0 and earlier print it.
    fn hides_result(&self, inst: Inst) -> bool {
        self.body.inst(inst).opcode == silkit_ir::Opcode::EndApply && self.body.word(inst, "type").is_none()
    }

    /// Prints `(%0, %1) = `, with one of the values in bold.
    fn result_list(&mut self, inst: Inst, bold: Option<Value>) {
        let are_several = self.body.results(inst).len() != 1;
        self.out.push(if are_several { "(" } else { "" });
        for (i, v) in self.body.results(inst).enumerate() {
            self.out.push(if i > 0 { ", " } else { "" });
            self.out.push(if bold == Some(v) { "**" } else { "" });
            self.value_name(v);
            self.out.push(if bold == Some(v) { "**" } else { "" });
        }
        self.out.push(if are_several { ") = " } else { " = " });
    }

    /// Prints one instruction after a prefix. The name of a function that precedes it follows the prefix.
    pub(super) fn lone_inst(&mut self, inst: Inst, prefix: &str) {
        self.current = self.numbers.block(self.body.inst_block(inst));
        self.is_lone = true;
        let before = self.out.len();
        let indent = format!("{prefix}  ");
        self.callee_comment(inst, &indent);
        let has_comment = self.out.len() > before;
        self.line(inst, if has_comment { "  " } else { &indent });
    }

    /// Prints the definition of a value after a prefix.
    pub(super) fn lone_value(&mut self, value: Value, prefix: &str) {
        let inst = match self.body.def(value) {
            ValueDef::Result(inst, _) if self.body.info(inst).results != Results::Several => {
                return self.lone_inst(inst, prefix);
            }
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        };
        self.out.start_line();
        self.out.push(prefix);
        self.is_lone = true;
        match (inst, self.body.def(value)) {
            (Some(inst), _) => {
                self.result_list(inst, Some(value));
                self.inst_text(inst);
            }
            (None, ValueDef::Argument(block, _)) => {
                self.value_name(value);
                self.out.push(" = argument of ");
                self.block_name(block);
                self.out.push(" : ");
                self.sil_type(self.body.value(value).ty);
            }
            // The type tells one `undef` from another; the uses of all of a type would tell nothing.
            _ => {
                self.out.push("undef<");
                self.sil_type(self.body.value(value).ty);
                self.out.push(">\n");
                return;
            }
        }
        if self.body.is_used(value) {
            self.out.pad(COMMENT_COLUMN);
            self.out.push("// ");
            self.users(std::iter::once(value));
        }
        self.out.push("\n");
    }

    /// Returns true if this is the last instruction of a static initializer, whose value prints as `%initval`.
    fn is_initial_value(&self, inst: Inst) -> bool {
        self.in_initializer && self.body.next_inst(inst).is_none()
    }

    fn location(&mut self, inst: Inst) {
        if let Some(ownership) = self.body.inst(inst).forwarding {
            self.out.push(match ownership {
                Ownership::None => ", forwarding: @none",
                Ownership::Owned => ", forwarding: @owned",
                Ownership::Guaranteed => ", forwarding: @guaranteed",
                Ownership::Unowned => ", forwarding: @unowned",
            });
        }
        if !self.prints_locations() {
            return;
        }
        let loc = self.body.loc(self.body.inst(inst).loc);
        let (source, mut scope) = loc.map_or((None, NONE), |loc| (loc.source, loc.scope));
        if let Some((info, scopes)) = &self.debug_info {
            scope = info.number(scopes[inst.as_u32() as usize]);
        } else if self.is_lone && self.options.debug_info {
            scope = 0;
        }
        if self.out.ends_with(self.body.info(inst).name) && (source.is_some() || scope != NONE) {
            self.out.push(" ");
        }
        if let Some(source) = source {
            self.out.push(", loc ");
            self.out.source_loc(source);
        }
        if scope != NONE {
            self.out.push(", scope ");
            self.out.number(scope);
        }
    }

    pub(super) fn prints_locations(&self) -> bool {
        let is_lone = self.is_lone && self.options.debug_info;
        self.debug_info.is_some() || is_lone || self.options.keep_locations
    }

    /// Prints the instructions of a static initializer.
    pub(crate) fn initializer(&mut self) {
        self.in_initializer = true;
        for block in self.body.blocks() {
            for inst in self.body.block_insts(block) {
                self.inst(inst, "  ");
            }
        }
    }
}
