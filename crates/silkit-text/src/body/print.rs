//! Bodies of functions, from IR to text, with the reference's comments.

use crate::module::debug_info::{DebugInfo, ScopeKey, inst_scopes};
use crate::options::PrintOptions;
use crate::printer::Out;
use silkit_base::{SecondaryMap, Symbol};
use silkit_ir::info::{AttrKind, Piece, Results, Typed};
use silkit_ir::{
    ArgFlags, Block, Body, DeclRef, FunctionId, Inst, InstInfo, NONE, Ownership, SourceLoc, Value, ValueDef,
};
use silkit_types::{SilType, Type};
use std::rc::Rc;

/// The column at which the reference puts comments.
pub(crate) const COMMENT_COLUMN: usize = 50;

/// The spellings of argument flags, in the order of printing.
pub(super) const ARG_FLAGS: &[(ArgFlags, &str)] = &[
    (ArgFlags::NO_IMPLICIT_COPY, "@noImplicitCopy"),
    (ArgFlags::LEXICAL, "@_lexical"),
    (ArgFlags::EAGER_MOVE, "@_eagerMove"),
    (ArgFlags::CLOSURE_CAPTURE, "@closureCapture"),
    (ArgFlags::REBORROW, "@reborrow"),
    (ArgFlags::POINTER_ESCAPE, "@pointer_escape"),
    (ArgFlags::INFERRED_IMMUTABLE, "@inferredImmutable"),
];

/// The printed numbers of a body's parts.
#[derive(Debug)]
pub(super) struct Numbers {
    values: Vec<u32>,
    /// That of the first result, or the instruction's own.
    insts: Vec<u32>,
    /// The blocks in the order of printing.
    order: Vec<Block>,
    /// The position of each block in that order.
    blocks: SecondaryMap<Block, u32>,
}

impl Numbers {
    /// Numbers values in order, as the reference does: an instruction without a result takes a
    /// number too. Blocks are numbered as they print, which for sorted output is reverse postorder.
    pub(super) fn of(body: &Body, sorted: bool) -> Self {
        let mut numbers = Self {
            values: vec![NONE; body.value_bound()],
            insts: vec![NONE; body.inst_bound()],
            order: if sorted { body.reverse_postorder() } else { body.blocks().collect() },
            blocks: SecondaryMap::with_len(body.block_bound(), NONE),
        };
        for (i, &block) in numbers.order.iter().enumerate() {
            numbers.blocks[block] = i as u32;
        }
        let mut next = 0;
        for block in body.blocks() {
            for &arg in body.arguments(block) {
                numbers.values[arg.as_u32() as usize] = next;
                next += 1;
            }
            for inst in body.block_insts(block) {
                numbers.insts[inst.as_u32() as usize] = next;
                let results = body.results(inst);
                next += u32::from(results.len() == 0);
                for value in results {
                    numbers.values[value.as_u32() as usize] = next;
                    next += 1;
                }
            }
        }
        numbers
    }

    pub(super) fn value(&self, value: Value) -> u32 {
        self.values[value.as_u32() as usize]
    }

    pub(super) fn inst(&self, inst: Inst) -> u32 {
        self.insts[inst.as_u32() as usize]
    }
}

/// Prints one body.
pub(crate) struct BodyPrinter<'a, 'o> {
    pub(super) body: &'a Body,
    pub(super) out: &'a mut Out<'o>,
    pub(super) options: &'a PrintOptions,
    numbers: Rc<Numbers>,
    current: u32,
    in_initializer: bool,
    /// True if parts are shown alone.
    is_lone: bool,
    /// The scopes of the module, and that of each instruction.
    pub(super) debug_info: Option<(&'a DebugInfo<'a>, Vec<ScopeKey>)>,
}

impl<'a, 'o> BodyPrinter<'a, 'o> {
    /// Creates a printer that writes to `out`.
    pub(crate) fn new(body: &'a Body, out: &'a mut Out<'o>, options: &'a PrintOptions) -> Self {
        Self::with_numbers(body, out, options, Rc::new(Numbers::of(body, options.sorted)))
    }

    /// Creates a printer for a body whose parts are numbered already.
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

    /// Prints locations and scopes.
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
        self.current = self.numbers.blocks[block];
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
            let mut preds: Vec<u32> = self.body.predecessors(block).map(|b| self.numbers.blocks[b]).collect();
            if self.options.sorted {
                preds.sort_unstable();
            }
            for pred in preds {
                self.out.push(" bb");
                self.out.number(pred);
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

    /// Prints an instruction on a line.
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

    /// Returns true for an `end_apply` without a type, as Swift 6.0 and earlier print it.
    fn hides_result(&self, inst: Inst) -> bool {
        self.body.inst(inst).opcode == silkit_ir::Opcode::EndApply && self.body.word(inst, "type").is_none()
    }

    /// Prints `(%0, %1) = `, one of the values in bold.
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

    /// Prints one instruction behind a prefix, which stands before the name of a function where that comes first.
    pub(super) fn lone_inst(&mut self, inst: Inst, prefix: &str) {
        self.current = self.numbers.blocks[self.body.inst_block(inst)];
        self.is_lone = true;
        let before = self.out.len();
        let indent = format!("{prefix}  ");
        self.callee_comment(inst, &indent);
        let has_comment = self.out.len() > before;
        self.line(inst, if has_comment { "  " } else { &indent });
    }

    /// Prints the definition of a value behind a prefix.
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
            _ => self.operand(value, true),
        }
        if self.body.is_used(value) {
            self.out.pad(COMMENT_COLUMN);
            self.out.push("// ");
            self.users(std::iter::once(value));
        }
        self.out.push("\n");
    }

    /// Prints `// type-defs: %1; users: %2`, `// id: %3`, or nothing.
    fn comment(&mut self, inst: Inst) {
        let mut results = self.body.results(inst);
        if self.hides_result(inst) {
            results.next();
        }
        let is_used = results.clone().any(|v| self.body.is_used(v));
        use silkit_ir::Opcode as O;
        let definitions = match self.body.inst(inst).opcode {
            // The one operand is there for the type that it looks up.
            O::WitnessMethod => self.body.operands(inst),
            // The index tells it already.
            O::PackElementGet | O::TuplePackElementAddr | O::TuplePackExtract => &[],
            _ => self.body.type_operands(inst),
        };
        let says_more = results.len() == 0 || is_used || !definitions.is_empty();
        let says_where = self.options.verbose && !self.in_initializer;
        if !says_more && !says_where {
            return;
        }
        self.out.pad(COMMENT_COLUMN);
        self.out.push("// ");
        self.default_case(inst);
        for (i, definition) in definitions.iter().enumerate() {
            self.out.push(if i == 0 { "type-defs: " } else { ", " });
            self.value_name(definition.value);
        }
        if !definitions.is_empty() && (is_used || results.len() == 0) {
            self.out.push("; ");
        }
        if results.len() == 0 {
            self.out.push("id: %");
            self.out.number(self.numbers.inst(inst));
        } else if is_used {
            self.users(results);
        }
        if says_where {
            self.out.push(if says_more { "; " } else { "" });
            self.place_comment(inst);
        }
    }

    /// Prints where an instruction stands in its file: `line:12:8:sil`.
    fn place_comment(&mut self, inst: Inst) {
        use silkit_ir::Opcode as O;
        let place = self.body.loc(self.body.inst(inst).loc).and_then(|loc| loc.source);
        let is_here = |place: &SourceLoc| {
            self.options.locations.as_ref().is_some_and(|locations| place.file == Some(locations.file()))
        };
        match place {
            Some(place) if place.is_auto => self.out.push("<invalid loc>:auto_gen"),
            Some(place) if is_here(&place) => {
                self.out.push("line:");
                self.out.number(place.line);
                self.out.push(":");
                self.out.number(place.column);
                self.out.push(":sil");
                if matches!(self.body.inst(inst).opcode, O::AllocStack | O::AllocBox) {
                    self.out.push(":in_prologue");
                }
            }
            // A location that does not come from this file.
            _ => self.out.push("<invalid loc>"),
        }
    }

    /// Prints the value of a float literal, `// 1.5`.
    fn decimal_comment(&mut self, inst: Inst) {
        if self.body.inst(inst).opcode != silkit_ir::Opcode::FloatLiteral {
            return;
        }
        let words = self.body.words(inst);
        let ty = SilType::from_u32(words[0]).ty();
        if let Some(text) = super::literal::decimal(ty, Symbol::from_u32(words[1]).as_str()) {
            self.out.push(" // ");
            self.out.push(&text);
        }
    }

    /// Names the one case of an enum that a `default` is left to, `#E.c!enumelt; `.
    fn default_case(&mut self, inst: Inst) {
        use silkit_ir::Opcode as O;
        if !matches!(self.body.inst(inst).opcode, O::SwitchEnum | O::SwitchEnumAddr) {
            return;
        }
        if self.body.word(inst, "default").is_none_or(|word| word == NONE) {
            return;
        }
        let ty = self.body.value(self.body.operand_value(inst, 0)).ty.ty();
        let declarations = self.out.declarations();
        let Some(cases) = declarations.enum_cases(ty) else { return };
        let listed = self.body.list(self.body.word(inst, "cases").unwrap_or(NONE));
        let named: Vec<Symbol> =
            listed.iter().step_by(2).filter_map(|&word| DeclRef::from_u32(word).name()).collect();
        let mut left = cases.iter().filter(|case| !named.contains(&case.name));
        if let (Some(case), None) = (left.next(), left.next())
            && let Some(path) = declarations.path_of(ty)
        {
            self.out.push("#");
            self.out.push(path.as_str());
            self.out.push(".");
            self.out.push(case.name.as_str());
            self.out.push("!enumelt; ");
        }
    }

    /// Returns true if this is the last instruction of a static initializer: its value prints as `%initval`.
    fn is_initial_value(&self, inst: Inst) -> bool {
        self.in_initializer && self.body.next_inst(inst).is_none()
    }

    /// The demangled name before a reference to a function.
    fn callee_comment(&mut self, inst: Inst, indent: &str) {
        let opcode = self.body.inst(inst).opcode;
        if !opcode.is_function_ref() {
            return;
        }
        let name = Symbol::from_u32(self.body.words(inst)[0]);
        self.out.push(indent);
        self.out.push("// ");
        self.out.push(opcode.info().name);
        self.out.push(" ");
        self.out.demangled(name);
        self.out.push("\n");
    }

    fn users(&mut self, values: impl Iterator<Item = Value>) {
        let mut ids: Vec<u32> = Vec::new();
        for value in values {
            ids.extend(self.body.users(value).map(|user| self.numbers.inst(user)));
        }
        if self.options.sorted {
            ids.sort_unstable();
        }
        self.out.push(if ids.len() == 1 { "user: " } else { "users: " });
        for (i, id) in ids.into_iter().enumerate() {
            self.out.push(if i > 0 { ", %" } else { "%" });
            self.out.number(id);
        }
    }

    /// Prints the name and the form of an instruction.
    pub(super) fn inst_text(&mut self, inst: Inst) {
        let info = self.body.info(inst);
        self.out.push(info.name);
        let before = self.out.len();
        self.out.push(" ");
        for &piece in info.form {
            self.piece(inst, info, piece);
        }
        self.out.trim_space(before);
    }

    fn piece(&mut self, inst: Inst, info: &'static InstInfo, piece: Piece) {
        let words = self.body.words(inst);
        match piece {
            Piece::Text(text) => self.out.push(text),
            Piece::Flag(bit) => {
                if self.body.inst(inst).flags & (1 << bit) != 0 {
                    self.bracketed(info.flags[bit as usize]);
                }
            }
            Piece::Choice { attr, bracketed } => {
                let AttrKind::Choice(options, _) = info.attrs[attr as usize].kind else { return };
                if let Some(option) = options.get(words[attr as usize] as usize) {
                    if bracketed { self.bracketed(option) } else { self.out.push(option) }
                }
            }
            Piece::Operand(spec) => self.operand_of(inst, spec as usize, false),
            Piece::TypedOperand(spec) => self.operand_of(inst, spec as usize, true),
            Piece::BareOperand(spec) => self.bare_operand_of(inst, spec as usize),
            Piece::Operands(spec) => self.operand_list(inst, spec as usize),
            Piece::Attr(attr) => self.attribute(info.attrs[attr as usize].kind, words[attr as usize]),
            Piece::Target(attr, args) => {
                self.block_name(Block::from_u32(words[attr as usize]));
                if args != 255 && !self.body.operand_range(inst, args as usize).is_empty() {
                    self.out.push("(");
                    self.operand_list(inst, args as usize);
                    self.out.push(")");
                }
            }
            Piece::OptOperand(text, spec, typed) => {
                if !self.body.operand_range(inst, spec as usize).is_empty() {
                    self.out.push(text);
                    match typed {
                        Typed::Never => self.bare_operand_of(inst, spec as usize),
                        _ => self.operand_of(inst, spec as usize, typed == Typed::Always),
                    }
                }
            }
            Piece::OptTarget(text, attr) => {
                if words[attr as usize] != NONE {
                    self.out.push(text);
                    self.block_name(Block::from_u32(words[attr as usize]));
                }
            }
            Piece::Custom(custom, attr, spec) => self.custom(inst, custom, attr as usize, spec as usize),
        }
    }

    fn bracketed(&mut self, word: &str) {
        self.out.push("[");
        self.out.push(word);
        self.out.push("] ");
    }

    fn attribute(&mut self, kind: AttrKind, word: u32) {
        match kind {
            AttrKind::U32 => self.out.number(word),
            AttrKind::Sym => self.out.push(Symbol::from_u32(word).as_str()),
            AttrKind::Str => self.quoted(word),
            AttrKind::SilType => self.sil_type(SilType::from_u32(word)),
            AttrKind::Type => self.out.ty(Type::from_u32(word)),
            AttrKind::Decl => self.decl(word),
            AttrKind::Function | AttrKind::Global => self.out.global_name(Symbol::from_u32(word)),
            _ => {}
        }
    }

    pub(super) fn decl(&mut self, word: u32) {
        self.out.display(DeclRef::from_u32(word));
    }

    pub(super) fn quoted(&mut self, word: u32) {
        self.out.push("\"");
        self.out.push(Symbol::from_u32(word).as_str());
        self.out.push("\"");
    }

    pub(super) fn sil_type(&mut self, ty: SilType) {
        self.out.sil_type(ty);
    }

    fn bare_operand_of(&mut self, inst: Inst, spec: usize) {
        let range = self.body.operand_range(inst, spec);
        self.bare_operand(self.body.operand_value(inst, range.start));
    }

    /// Prints the operand of a specification that stands for one.
    pub(super) fn operand_of(&mut self, inst: Inst, spec: usize, always_typed: bool) {
        let range = self.body.operand_range(inst, spec);
        if let Some(operand) = self.body.operands(inst).get(range.start) {
            self.operand(operand.value, always_typed);
        }
    }

    pub(super) fn operand_list(&mut self, inst: Inst, spec: usize) {
        for (i, index) in self.body.operand_range(inst, spec).enumerate() {
            self.out.push(if i > 0 { ", " } else { "" });
            self.operand(self.body.operand_value(inst, index), false);
        }
    }

    /// Prints a use of a value: with its type where types are asked for, where it is `undef`, or
    /// where its block is not printed yet.
    pub(super) fn operand(&mut self, value: Value, always_typed: bool) {
        let typed = always_typed
            || self.options.types
            || match self.body.def(value) {
                ValueDef::Undef => true,
                ValueDef::Argument(block, _) => self.numbers.blocks[block] > self.current,
                ValueDef::Result(inst, _) => self.numbers.blocks[self.body.inst_block(inst)] > self.current,
                ValueDef::Pending => true,
            };
        self.value_name(value);
        if typed {
            self.out.push(" : ");
            self.sil_type(self.body.value(value).ty);
        }
    }

    /// Prints `%3` or `undef`.
    pub(super) fn value_name(&mut self, value: Value) {
        match self.numbers.value(value) {
            NONE => self.out.push("undef"),
            id => {
                self.out.push("%");
                self.out.number(id);
            }
        }
    }

    pub(super) fn block_name(&mut self, block: Block) {
        self.out.push("bb");
        self.out.number(self.numbers.blocks[block]);
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
