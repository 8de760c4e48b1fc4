//! Aliases by definition: functions are followed along random paths with concrete addresses, and what is the same memory
//! somewhere on a path may alias.
//!
//! What is not followed makes new objects: then fewer addresses are equal than could be, never more.

use silkit_analysis::alias::{Aliases, Relation};
use silkit_analysis::{BodyView, Dominators, value_dominates};
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Block, Body, DeclRef, Inst, Opcode, Value};

/// A step from memory to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Property(DeclRef),
    BoxField(u32),
    Tail,
    Field(DeclRef),
    Element(u32),
    Payload(DeclRef),
    Existential,
}

/// A value as far as it is followed.
#[derive(Clone, PartialEq, Debug)]
enum Concrete {
    /// A reference to an object, or something of which nothing is known: a number of its own.
    Object(usize),
    /// The address of a part of memory.
    Address(usize, Vec<Step>),
    /// A struct or a tuple.
    Parts(Vec<Concrete>),
    /// An enum of a case.
    Case(DeclRef, Option<Box<Concrete>>),
}

/// One path through a function.
struct Walk<'a, 'b> {
    body: &'a Body,
    aliases: &'b Aliases<'a>,
    dominators: &'b Dominators,
    random: u64,
    objects: usize,
    globals: FxHashMap<Symbol, usize>,
    values: FxHashMap<Value, Concrete>,
    memory: FxHashMap<(usize, Vec<Step>), Concrete>,
    /// Addresses by the memory that they are in, as they are now.
    addresses: FxHashMap<usize, Vec<Value>>,
}

/// Follows a function along some paths: addresses that are the same memory on one may alias.
pub(crate) fn agree_with_paths(view: &BodyView<'_>, seed: u64) {
    let aliases = view.aliases();
    let dominators = Dominators::compute(view.body);
    for path in 0..6 {
        let mut walk = Walk {
            body: view.body,
            aliases: &aliases,
            dominators: &dominators,
            random: seed.wrapping_mul(1000).wrapping_add(path),
            objects: 0,
            globals: FxHashMap::default(),
            values: FxHashMap::default(),
            memory: FxHashMap::default(),
            addresses: FxHashMap::default(),
        };
        walk.follow(60);
    }
}

impl Walk<'_, '_> {
    fn below(&mut self, bound: usize) -> usize {
        // The generator of Java's `SplittableRandom`.
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn object(&mut self) -> usize {
        self.objects += 1;
        self.objects
    }

    fn follow(&mut self, blocks: usize) {
        let Some(mut block) = self.body.entry_block() else { return };
        for &argument in self.body.arguments(block) {
            self.define_new(argument, None);
        }
        for _ in 0..blocks {
            for inst in self.body.block_insts(block) {
                self.step(inst);
            }
            let edges: Vec<_> = self.body.outgoing(block).collect();
            if edges.is_empty() {
                return;
            }
            block = match self.case_taken(block) {
                Some((target, payload)) => self.enter_case(target, payload),
                None => {
                    let chosen = self.below(edges.len());
                    self.enter(block, chosen)
                }
            };
        }
    }

    /// Goes along an edge; returns the block behind it.
    fn enter(&mut self, from: Block, index: usize) -> Block {
        let body = self.body;
        let terminator = body.terminator(from).expect("a terminator");
        let to = body.successors(terminator).nth(index).expect("a successor");
        let passed: Vec<Value> = body.edge_args(terminator, index).collect();
        let passed: Vec<Concrete> = passed.into_iter().map(|value| self.value(value)).collect();
        let is_whole = passed.len() == body.arguments(to).len();
        for (at, &argument) in body.arguments(to).iter().enumerate() {
            match passed.get(at).filter(|_| is_whole) {
                Some(value) => self.define(argument, value.clone(), None),
                None => self.define_new(argument, None),
            }
        }
        to
    }

    /// Returns where a `switch_enum` goes whose operand is known, and what it passes on.
    fn case_taken(&mut self, block: Block) -> Option<(Block, Concrete)> {
        let terminator = self.body.terminator(block)?;
        let AnyInst::SwitchEnum(switch) = self.body.view(terminator) else { return None };
        let whole = self.value(switch.operand);
        let Concrete::Case(element, payload) = &whole else { return None };
        match switch.cases.iter().find(|(case, _)| case == element) {
            Some((_, target)) => {
                let payload = payload.clone().map(|payload| *payload);
                Some((target, payload.unwrap_or_else(|| Concrete::Object(self.object()))))
            }
            None => Some((switch.default_target?, whole)),
        }
    }

    fn enter_case(&mut self, to: Block, passed: Concrete) -> Block {
        if let Some(&argument) = self.body.arguments(to).first() {
            self.define(argument, passed, None);
        }
        to
    }

    fn value(&mut self, value: Value) -> Concrete {
        match self.values.get(&value) {
            Some(known) => known.clone(),
            None => Concrete::Object(self.object()),
        }
    }

    fn define_new(&mut self, value: Value, by: Option<Inst>) {
        let object = self.object();
        let is_address = self.body.value(value).ty.is_address();
        let new = if is_address { Concrete::Address(object, Vec::new()) } else { Concrete::Object(object) };
        self.define(value, new, by);
    }

    /// Gives a value; an address is compared with those that can be used together with it.
    fn define(&mut self, value: Value, concrete: Concrete, by: Option<Inst>) {
        self.values.insert(value, concrete.clone());
        let Concrete::Address(object, path) = concrete else { return };
        if !self.body.value(value).ty.is_address() {
            return;
        }
        let others = self.addresses.entry(object).or_default();
        others.retain(|&other| other != value);
        for &other in others.iter() {
            let Some(Concrete::Address(now, other_path)) = self.values.get(&other) else { continue };
            let is_together = by.is_none_or(|inst| value_dominates(self.body, self.dominators, other, inst));
            let is_same = *now == object && (path.starts_with(other_path) || other_path.starts_with(&path));
            if is_together && is_same {
                let relation = self.aliases.relation(value, other);
                assert!(
                    relation.may_alias() || matches!(relation, Relation::Unused),
                    "{value} (by {:?}) and {other} (by {:?}) of @{} are the same memory, but {relation:?}",
                    self.place(value),
                    self.place(other),
                    self.aliases.function_name()
                );
            }
        }
        others.push(value);
    }

    /// Returns a part of memory whose address a value is.
    fn part(&mut self, of: Value, step: Step) -> Concrete {
        match self.value(of) {
            Concrete::Address(object, mut path) => {
                path.push(step);
                Concrete::Address(object, path)
            }
            Concrete::Object(object) => Concrete::Address(object, vec![step]),
            Concrete::Parts(_) | Concrete::Case(..) => Concrete::Address(self.object(), Vec::new()),
        }
    }

    fn load(&mut self, address: Value) -> Concrete {
        if let Concrete::Address(object, path) = self.value(address) {
            let new = Concrete::Object(self.object());
            return self.memory.entry((object, path)).or_insert(new).clone();
        }
        Concrete::Object(self.object())
    }

    fn store(&mut self, value: Concrete, address: Value) {
        if let Concrete::Address(object, path) = self.value(address) {
            let is_apart = |(of, at): &(usize, Vec<Step>)| {
                *of != object || !(at.starts_with(&path) || path.starts_with(at))
            };
            self.memory.retain(|place, _| is_apart(place));
            self.memory.insert((object, path), value);
        }
    }

    fn step(&mut self, inst: Inst) {
        let body = self.body;
        let result = body.first_result(inst);
        let first = body.operands(inst).first().map(|operand| operand.value);
        let made = match body.view(inst) {
            AnyInst::GlobalAddr(global) => {
                let next = self.objects + 1;
                let object = *self.globals.entry(global.global).or_insert(next);
                self.objects = self.objects.max(object);
                Concrete::Address(object, Vec::new())
            }
            AnyInst::RefElementAddr(e) => self.part(e.operand, Step::Property(e.field)),
            AnyInst::RefTailAddr(e) => self.part(e.operand, Step::Tail),
            AnyInst::ProjectBox(e) => self.part(e.box_value, Step::BoxField(e.field)),
            AnyInst::StructElementAddr(e) => self.part(e.operand, Step::Field(e.field)),
            AnyInst::TupleElementAddr(e) => self.part(e.operand, Step::Element(e.field)),
            AnyInst::InitEnumDataAddr(e) => self.part(e.operand, Step::Payload(e.element)),
            AnyInst::UncheckedTakeEnumDataAddr(e) => self.part(e.operand, Step::Payload(e.element)),
            AnyInst::InitExistentialAddr(_)
            | AnyInst::OpenExistentialAddr(_)
            | AnyInst::ProjectExistentialBox(_) => self.part(body.operand_value(inst, 0), Step::Existential),
            AnyInst::Load(load) => self.load(load.address),
            AnyInst::LoadBorrow(load) => self.load(load.address),
            AnyInst::Store(store) => {
                let value = self.value(store.source);
                return self.store(value, store.destination);
            }
            AnyInst::StoreBorrow(store) => {
                let value = self.value(store.source);
                self.store(value, store.destination);
                self.value(store.destination)
            }
            AnyInst::CopyAddr(copy) => {
                let value = self.load(copy.source);
                return self.store(value, copy.destination);
            }
            AnyInst::Struct(_) | AnyInst::Tuple(_) => {
                let parts: Vec<Value> = body.operands(inst).iter().map(|operand| operand.value).collect();
                Concrete::Parts(parts.into_iter().map(|part| self.value(part)).collect())
            }
            AnyInst::Enum(e) => {
                Concrete::Case(e.element, e.payload.map(|payload| Box::new(self.value(payload))))
            }
            AnyInst::DestructureStruct(_) | AnyInst::DestructureTuple(_) => {
                return self.destructure(inst, first);
            }
            AnyInst::TupleExtract(e) => match self.value(e.operand) {
                Concrete::Parts(parts) if (e.field as usize) < parts.len() => parts[e.field as usize].clone(),
                _ => Concrete::Object(self.object()),
            },
            _ if keeps(body.inst(inst).opcode) => match first {
                Some(first) => self.value(first),
                None => return,
            },
            _ => {
                // What is called may write to all memory.
                if body.inst(inst).opcode.info().apply.is_some() {
                    self.memory.clear();
                }
                return body.results(inst).for_each(|result| self.define_new(result, Some(inst)));
            }
        };
        if let Some(result) = result {
            self.define(result, made, Some(inst));
        }
    }

    /// Returns where a value is defined: the number of the block and of the instruction in it.
    fn place(&self, value: Value) -> Option<(usize, usize)> {
        let inst = self.body.defining_inst(value)?;
        let home = self.body.inst_block(inst);
        let block = self.body.blocks().position(|block| block == home)?;
        Some((block, self.body.block_insts(home).position(|other| other == inst)?))
    }

    fn destructure(&mut self, inst: Inst, whole: Option<Value>) {
        let parts = match whole.map(|whole| self.value(whole)) {
            Some(Concrete::Parts(parts)) => parts,
            _ => Vec::new(),
        };
        for (at, result) in self.body.results(inst).enumerate() {
            match parts.get(at) {
                Some(part) => self.define(result, part.clone(), Some(inst)),
                None => self.define_new(result, Some(inst)),
            }
        }
    }
}

/// Returns true if the result of an instruction is its first operand.
fn keeps(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::CopyValue
            | Opcode::MoveValue
            | Opcode::BeginBorrow
            | Opcode::BorrowedFrom
            | Opcode::BeginAccess
            | Opcode::MarkDependence
            | Opcode::Upcast
            | Opcode::UncheckedRefCast
            | Opcode::AddressToPointer
            | Opcode::PointerToAddress
            | Opcode::OpenExistentialRef
            | Opcode::InitExistentialRef
            | Opcode::UncheckedOwnershipConversion
    )
}
