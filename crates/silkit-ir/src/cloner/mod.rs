//! Copying of instructions, blocks and bodies, into the same or another body: with substituted types and values,
//! remapped debug scopes, and opened types renamed as needed.

mod call_site;
mod import;
mod opened;
mod scopes;
mod types;

pub use opened::with_opened_id;

pub use call_site::CallSite;
pub use scopes::{ScopeIndex, ScopeMap, ScopeOverlay, shift_scopes, shifted_scope};

use crate::NONE;
use crate::body::{Block, Body, Edge, Inst, LocData, NewInst, Value, ValueDef};
use crate::debug::{DebugExpr, DebugVarData};
use crate::edit::{Editor, Point};
use crate::generated::Opcode;
use crate::info::{AttrKind, AttrSpec, InstInfo};
use silkit_base::{FxHashSet, Interned, SecondaryMap};
use silkit_types::{SilType, Substitution, Type, TypeFacts};
use std::borrow::Cow;
use types::TypeMap;

/// Clones instructions, blocks or a whole body.
///
/// A specialized copy of a whole body:
///
/// ```
/// use silkit_ir::{Body, Cloner};
/// use silkit_types::{NoFacts, SilType, Type};
///
/// let mut body = Body::new();
/// let mut b = body.builder(&NoFacts);
/// let entry = b.append_block();
/// b.move_to(silkit_ir::Point::End(entry));
/// let one = b.integer_literal(SilType::object(Type::builtin("Int64")), "1");
/// b.return_(one);
///
/// let copy = Cloner::of(&body).body();
/// assert_eq!(copy.insts().count(), 2);
/// ```
///
/// For inlining, map the values from outside the cloned blocks ([`Cloner::map_value`]) and clone the blocks into an
/// [`Editor`] ([`Cloner::blocks`]).
pub struct Cloner<'s> {
    /// The source body; `None` if it is the body being edited.
    source: Option<&'s Body>,
    values: SecondaryMap<Value, Value>,
    blocks: SecondaryMap<Block, Block>,
    insts: SecondaryMap<Inst, Inst>,
    types: TypeMap<'s>,
    scopes: Option<&'s ScopeMap>,
    /// The call site whose location the copies get.
    absorbed: Option<CallSite>,
    /// The values of the blocks being cloned.
    coming: FxHashSet<Value>,
    /// Values that were used before they were cloned, with their placeholders.
    waiting: Vec<(Value, Value)>,
}

impl<'s> Cloner<'s> {
    /// Creates a cloner from one body into others.
    pub fn of(source: &'s Body) -> Self {
        Self::new(Some(source))
    }

    /// Creates a cloner from a body into itself: a value or block without a mapping maps to itself.
    pub fn within() -> Self {
        Self::new(None)
    }

    fn new(source: Option<&'s Body>) -> Self {
        Self {
            source,
            values: SecondaryMap::with_default(Value::NONE),
            blocks: SecondaryMap::with_default(Block::NONE),
            insts: SecondaryMap::with_default(Inst::NONE),
            types: TypeMap::default(),
            scopes: None,
            absorbed: None,
            coming: FxHashSet::default(),
            waiting: Vec::new(),
        }
    }

    /// Replaces the generic parameters of the source by formal types. `facts` resolves their member types.
    #[must_use]
    pub fn with_substitution(mut self, subst: Substitution<'s>, facts: &'s dyn TypeFacts) -> Self {
        self.types.substitute(subst, facts);
        self
    }

    /// Sets the debug scopes of the copies: those of another module, or inlined scopes.
    #[must_use]
    pub fn with_scopes(mut self, scopes: &'s ScopeMap) -> Self {
        self.scopes = Some(scopes);
        self
    }

    /// Removes the sugar of formal types in the copies: `[Int]` becomes `Array<Int>`.
    #[must_use]
    pub fn without_sugar(mut self) -> Self {
        self.types.desugar();
        self
    }

    /// Gives the copies the location of a call, and drops the debug instructions of the source.
    #[must_use]
    pub fn absorbed_into(mut self, call: CallSite) -> Self {
        self.absorbed = Some(call);
        self
    }

    /// Maps a value of the source to a value of the target body.
    pub fn map_value(&mut self, from: Value, to: Value) {
        self.values[from] = to;
    }

    /// Maps a block of the source to a block of the target body.
    pub fn map_block(&mut self, from: Block, to: Block) {
        self.blocks[from] = to;
    }

    /// Returns the value that a value of the source is mapped to.
    pub fn value(&self, from: Value) -> Option<Value> {
        self.values[from].some()
    }

    /// Returns the block that a block of the source is mapped to.
    pub fn block(&self, from: Block) -> Option<Block> {
        self.blocks[from].some()
    }

    /// Returns the copy of an instruction of the source.
    pub fn inst(&self, from: Inst) -> Option<Inst> {
        self.insts[from].some()
    }

    /// Returns a type of the source as it is in the copies.
    pub fn sil_type(&mut self, ty: SilType) -> SilType {
        self.types.sil_type(ty)
    }

    /// Returns a copy of the whole body, with uses and predecessors in the order of the source.
    ///
    /// # Panics
    /// Panics if the cloner was created by [`Cloner::within`].
    pub fn body(mut self) -> Body {
        let source = self.source.expect("invariant: a body is copied into a new one");
        let mut copy = Body::new();
        let placed: FxHashSet<Block> = source.blocks().collect();
        let mut editor = copy.edit();
        let blocks: Vec<Block> = source.blocks().map(|_| editor.append_block()).collect();
        // Terminators may reference missing blocks, but only in a body that was read with errors.
        for inst in source.insts() {
            source.each_target(inst, |_, block| {
                if !placed.contains(&block) && self.block(block).is_none() {
                    self.blocks[block] = editor.make_block();
                }
            });
        }
        self.fill_blocks(&mut editor, &source.blocks().collect::<Vec<_>>(), &blocks);
        self.keep_order(source, &mut copy);
        copy.shrink_to_fit();
        copy.check_integrity();
        copy
    }

    /// Clones blocks, with their arguments, into new blocks after `after`, in the given order. Edges to other blocks
    /// are redirected to the blocks that these are mapped to.
    ///
    /// # Panics
    /// Panics if a value or block from outside is used and not mapped.
    pub fn blocks(&mut self, editor: &mut Editor<'_>, blocks: &[Block], after: Block) -> Vec<Block> {
        let copies = editor.insert_blocks_after(after, blocks.len());
        self.fill_blocks(editor, blocks, &copies);
        copies
    }

    fn fill_blocks(&mut self, editor: &mut Editor<'_>, blocks: &[Block], copies: &[Block]) {
        let insts: Vec<Inst> = {
            let source = self.source.unwrap_or(editor.body());
            blocks.iter().flat_map(|&b| source.block_insts(b)).collect()
        };
        self.note_opened(editor.body(), insts.iter().copied());
        let source = self.source.unwrap_or(editor.body());
        self.coming = insts.iter().flat_map(|&inst| source.results(inst)).collect();
        for &value in &self.coming {
            // The mapping is from an earlier copy.
            self.values[value] = Value::NONE;
        }
        for (&block, &copy) in blocks.iter().zip(copies) {
            self.map_block(block, copy);
            let args: Vec<_> = {
                let source = self.source.unwrap_or(editor.body());
                source.arguments(block).iter().map(|&arg| (arg, source.value(arg).clone())).collect()
            };
            for (arg, data) in args {
                let ty = self.types.sil_type(data.ty);
                let new = editor.add_argument(copy, ty, data.ownership, data.arg_flags);
                self.map_value(arg, new);
            }
        }
        for inst in insts {
            let block = self.source.unwrap_or(editor.body()).inst_block(inst);
            if self.is_left_out(self.source.unwrap_or(editor.body()).inst(inst).opcode) {
                continue;
            }
            let copy = self.block(block).expect("invariant: an instruction is copied with its block");
            self.copy_inst(editor, inst, Point::End(copy));
        }
        self.settle(editor);
        self.coming.clear();
    }

    /// Clones the instructions of a block, except for its terminator, before an instruction. The arguments of the
    /// block must be mapped.
    ///
    /// # Panics
    /// Panics if a value from outside is used and not mapped.
    pub fn straight_line(&mut self, editor: &mut Editor<'_>, block: Block, before: Inst) {
        let source = self.source.unwrap_or(editor.body());
        let mut insts: Vec<Inst> = source.block_insts(block).collect();
        insts.pop();
        insts.retain(|&inst| !self.is_left_out(source.inst(inst).opcode));
        self.note_opened(editor.body(), insts.iter().copied());
        for inst in insts {
            self.copy_inst(editor, inst, Point::Before(before));
        }
        self.settle(editor);
    }

    fn is_left_out(&self, opcode: Opcode) -> bool {
        self.absorbed.is_some_and(|call| match opcode {
            Opcode::DebugValue => true,
            Opcode::HopToExecutor => !call.is_async,
            _ => false,
        })
    }

    /// Clones one instruction.
    ///
    /// # Panics
    /// Panics if it uses a value or block that is not mapped.
    pub fn inst_at(&mut self, editor: &mut Editor<'_>, inst: Inst, point: Point) -> Inst {
        self.note_opened(editor.body(), std::iter::once(inst));
        let copy = self.copy_inst(editor, inst, point);
        self.settle(editor);
        copy
    }

    fn copy_inst(&mut self, editor: &mut Editor<'_>, inst: Inst, point: Point) -> Inst {
        let source = self.source.unwrap_or(editor.body());
        let data = source.inst(inst).clone();
        let operands: Vec<Value> = source.operands(inst).iter().map(|o| o.value).collect();
        let type_operands = source.type_operands(inst).len();
        let results: Vec<(Value, SilType)> = source.results(inst).map(|v| (v, source.value(v).ty)).collect();
        let loc = source.loc(data.loc);
        let old_words = source.words(inst).to_vec();
        let info = source.info(inst);
        let lists: Vec<(&AttrSpec, u32, Vec<u32>)> = info
            .attrs
            .iter()
            .zip(source.words(inst))
            .map(|(attr, &word)| (attr, word, list_of(source, attr.kind, word)))
            .collect();

        let words: Vec<u32> =
            lists.into_iter().map(|(attr, word, list)| self.word(editor, info, attr, word, list)).collect();
        let words = self.opened_words(data.opcode, &old_words, words);
        let operands: Vec<Value> = operands.into_iter().map(|v| self.use_of(editor, v)).collect();
        let types: Vec<SilType> = results.iter().map(|&(_, ty)| self.types.sil_type(ty)).collect();
        let loc = match self.absorbed {
            Some(call) if !call.is_allocation(data.opcode) => call.loc,
            Some(call) => call.of_compiler(editor),
            None => self.loc(loc).map_or(crate::Loc::NONE, |loc| editor.new_loc(loc)),
        };
        let (operands, type_operands) = operands.split_at(operands.len() - type_operands);
        let (mut operands, mut type_operands) = (Cow::Borrowed(operands), Cow::Borrowed(type_operands));
        if self.types.substitutes() {
            // Generic parameters may have been replaced by opened types.
            for value in editor.opened_values(data.opcode, &words) {
                if !type_operands.contains(&value) {
                    type_operands.to_mut().push(value);
                }
            }
            if data.opcode == Opcode::WitnessMethod
                && operands.is_empty()
                && let Some(value) = editor.opener_of_lookup(&words)
            {
                operands.to_mut().push(value);
            }
        }
        let copy = editor.insert(
            point,
            &NewInst {
                opcode: data.opcode,
                flags: data.flags,
                forwarding: data.forwarding,
                operands: &operands,
                type_operands: &type_operands,
                words: &words,
                results: &types,
                loc,
            },
        );
        self.insts[inst] = copy;
        for ((from, _), to) in results.into_iter().zip(editor.results(copy)) {
            self.map_value(from, to);
        }
        copy
    }

    /// Returns the value that a copy uses in place of a value of the source.
    fn use_of(&mut self, editor: &mut Editor<'_>, value: Value) -> Value {
        if let Some(known) = self.value(value) {
            return known;
        }
        if self.source.is_none() && !self.coming.contains(&value) {
            return value;
        }
        let source = self.source.unwrap_or(editor.body());
        let ty = self.types.sil_type(source.value(value).ty);
        let new = match source.def(value) {
            ValueDef::Undef => editor.undef(ty),
            _ => {
                let pending = editor.pending(ty);
                self.waiting.push((value, pending));
                pending
            }
        };
        self.map_value(value, new);
        new
    }

    /// Resolves uses that were cloned before their definition.
    fn settle(&mut self, editor: &mut Editor<'_>) {
        for (value, pending) in std::mem::take(&mut self.waiting) {
            let definition = self.value(value).filter(|&v| v != pending);
            let was_pending = self.source.is_none_or(|s| s.def(value) == ValueDef::Pending);
            assert!(
                definition.is_some() || was_pending,
                "invariant: a value stands for each one from outside that a copied instruction uses, but none does for {value}"
            );
            if let Some(definition) = definition {
                editor.resolve(pending, definition);
            }
        }
    }

    fn loc(&self, loc: Option<LocData>) -> Option<LocData> {
        match (loc, self.scopes) {
            (Some(loc), Some(scopes)) => Some(LocData { scope: scopes.get(loc.scope), ..loc }),
            (None, Some(scopes)) if scopes.get(NONE) != NONE => {
                Some(LocData { source: None, scope: scopes.get(NONE) })
            }
            (loc, _) => loc,
        }
    }

    fn word(
        &mut self,
        editor: &mut Editor<'_>,
        info: &InstInfo,
        attr: &AttrSpec,
        word: u32,
        mut list: Vec<u32>,
    ) -> u32 {
        if word == NONE {
            return NONE;
        }
        match attr.kind {
            AttrKind::SilType if info.is_formal(attr) => {
                let ty = SilType::from_u32(word);
                ty.with_type(self.types.formal(ty.ty())).as_u32()
            }
            AttrKind::SilType | AttrKind::OptSilType => self.types.sil_type(SilType::from_u32(word)).as_u32(),
            AttrKind::Type | AttrKind::OptType => self.types.formal(Type::from_u32(word)).as_u32(),
            AttrKind::Block | AttrKind::OptBlock => self.target(word),
            AttrKind::DebugVar if self.absorbed.is_some() => NONE,
            AttrKind::DebugVar => self.debug_var(word),
            AttrKind::ListType => {
                list.iter_mut().for_each(|w| *w = self.types.formal(Type::from_u32(*w)).as_u32());
                editor.new_list(&list)
            }
            AttrKind::ListSilType => {
                list.iter_mut().for_each(|w| *w = self.types.sil_type(SilType::from_u32(*w)).as_u32());
                editor.new_list(&list)
            }
            AttrKind::ListBlock => {
                list.iter_mut().for_each(|w| *w = self.target(*w));
                editor.new_list(&list)
            }
            AttrKind::ListDeclBlock => {
                list.iter_mut().skip(1).step_by(2).for_each(|w| *w = self.target(*w));
                editor.new_list(&list)
            }
            AttrKind::ListU32 | AttrKind::ListOptSym | AttrKind::ListDecl => editor.new_list(&list),
            // Attributes without types, blocks or values are copied unchanged.
            AttrKind::U32
            | AttrKind::OptU32
            | AttrKind::Count
            | AttrKind::Choice(..)
            | AttrKind::Sym
            | AttrKind::Str
            | AttrKind::OptStr
            | AttrKind::Decl
            | AttrKind::Function
            | AttrKind::Global
            | AttrKind::KeyPath
            | AttrKind::OptSig => word,
        }
    }

    fn target(&self, word: u32) -> u32 {
        let block = Block::from_u32(word);
        match (self.block(block), self.source) {
            (Some(copy), _) => copy.as_u32(),
            (None, None) => word,
            (None, Some(_)) => {
                panic!(
                    "invariant: a block stands for each one from outside that a copied terminator goes to, but none does for {block}"
                )
            }
        }
    }

    fn debug_var(&mut self, word: u32) -> u32 {
        let old = DebugVarData::of(Interned::from_u32(word));
        let mut new = old.clone();
        new.ty = old.ty.map(|ty| self.types.sil_type(ty));
        if let Some(scopes) = self.scopes {
            new.scope = old.scope.map(|scope| scopes.get(scope)).filter(|&scope| scope != NONE);
        }
        for step in &mut new.expr {
            if let DebugExpr::Type(ty) = step {
                *ty = self.types.formal(*ty);
            }
        }
        if new == *old { word } else { new.intern().as_u32() }
    }

    /// Restores the order of uses and predecessors of the source.
    fn keep_order(&self, source: &Body, copy: &mut Body) {
        let values = (0..source.value_bound() as u32).map(Value::from_u32);
        for (from, to) in values.filter_map(|v| Some((v, self.value(v)?))) {
            let uses: Vec<_> = source.uses(from).collect();
            for operand in uses.into_iter().rev() {
                let user = source.operand(operand).user;
                if let Some(user) = self.inst(user) {
                    copy.relink_operand(copy.operand_id(user, source.operand_index(operand)), to);
                }
            }
        }
        for block in source.blocks() {
            let edges: Vec<Edge> = source.incoming(block).collect();
            for edge in edges.into_iter().rev() {
                let (from, to) = (self.block(source.edge(edge).from), self.block(block));
                if let (Some(from), Some(to)) = (from, to) {
                    copy.relink_edge(from, source.edge_index(edge), to);
                }
            }
        }
    }
}

fn list_of(body: &Body, kind: AttrKind, word: u32) -> Vec<u32> {
    if kind.is_list() { body.list(word).to_vec() } else { Vec::new() }
}
