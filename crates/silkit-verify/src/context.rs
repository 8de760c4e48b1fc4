//! The contexts of checks: a module, or one body with its analyses, which are computed on demand.

use crate::finding::{Finding, Place};
use crate::names::Names;
use crate::rule::Rule;
use crate::sound_types::SoundTypes;
use silkit_analysis::{
    AnalysisCache, BlockOrder, BodyView, Cached, Components, DeadEnds, Dominators, PostDominators,
    ProgramView, value_dominates,
};
use silkit_base::{FxBuildHasher, FxHashMap, Symbol, TextRange};
use silkit_ir::conventions::Addresses;
use silkit_ir::ownership::BodyOwnership;
use silkit_ir::{
    Block, Body, DifferentiabilityWitness, Function, FunctionId, Global, GlobalId, Inst, Module, Opcode,
    Value,
};
use silkit_text::{BodySourceMap, MappedText, SourceEntity};
use silkit_types::GenericSig;
use silkit_types::decl::Declarations;
use std::any::{Any, TypeId};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::OnceLock;

/// The entity that a body belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The module itself.
    Module,
    /// A function.
    Function(FunctionId),
    /// A global variable.
    Global(GlobalId),
}

/// A check that a rule could not decide.
#[derive(Clone, Debug)]
pub struct Undecided {
    /// The rule.
    pub rule: &'static Rule,
    /// The entity.
    pub owner: Owner,
    /// The place in the entity.
    pub place: Place,
    /// The unknown fact, and why it is unknown.
    pub message: String,
}

/// Findings and undecided checks, in the order in which they are reported.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) findings: RefCell<Vec<Finding>>,
    pub(crate) unknown: RefCell<Vec<Undecided>>,
    pub(crate) records_unknown: bool,
}

/// A module that is verified.
#[derive(Debug)]
pub struct ModuleVerifier<'a> {
    /// The module.
    pub module: &'a Module,
    /// Its Swift declarations, and those of the standard library.
    pub declarations: &'a Declarations,
    pub(crate) program: &'a ProgramView<'a>,
    /// The text that it was parsed from.
    pub source: Option<MappedText<'a>>,
    pub(crate) found: Results,
    swift: &'a OnceLock<String>,
    places: OnceCell<FxHashMap<SourceEntity, TextRange>>,
}

impl<'a> ModuleVerifier<'a> {
    pub(crate) fn new(shared: Shared<'a>, records_unknown: bool) -> Self {
        let Shared { program, source, swift, .. } = shared;
        let (module, declarations) = (program.module, program.declarations);
        let found = Results { records_unknown, ..Results::default() };
        Self { module, declarations, program, source, found, swift, places: OnceCell::new() }
    }

    /// Returns the Swift text of the module, which the ranges of its declarations refer to.
    pub(crate) fn swift_text(&self) -> &'a str {
        self.swift.get_or_init(|| self.module.swift_text())
    }

    /// Returns the function with this name.
    pub fn function(&self, name: Symbol) -> Option<&'a Function> {
        self.program.function(name)
    }

    /// Returns the range of an entity in the source text of the module.
    pub fn place(&self, entity: SourceEntity) -> Option<TextRange> {
        let entities = || self.source.map_or(&[][..], |source| source.map.entities());
        let places = self.places.get_or_init(|| entities().iter().map(|p| (p.entity, p.range)).collect());
        places.get(&entity).copied()
    }

    /// Creates a finding for a rule, to be completed and reported.
    pub fn finding(
        &self,
        rule: &'static Rule,
        owner: Owner,
        place: Place,
        message: impl Into<String>,
    ) -> Finding {
        new_finding(rule, owner, place, message.into())
    }

    /// Reports a finding.
    pub fn report(&self, finding: Finding) {
        self.found.findings.borrow_mut().push(finding);
    }

    /// Records that a rule could not be decided.
    pub fn unknown(&self, rule: &'static Rule, owner: Owner, place: Place, message: impl FnOnce() -> String) {
        if self.found.records_unknown {
            self.found.unknown.borrow_mut().push(Undecided { rule, owner, place, message: message() });
        }
    }
}

pub(crate) fn new_finding(rule: &'static Rule, owner: Owner, place: Place, message: String) -> Finding {
    Finding {
        rule,
        owner,
        place,
        severity: rule.severity,
        message,
        label: String::new(),
        related: Vec::new(),
        path: Vec::new(),
        notes: Vec::new(),
        reference_messages: Vec::new(),
    }
}

/// Data about the module that the checks of all bodies share, on all threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) program: &'a ProgramView<'a>,
    pub(crate) source: Option<MappedText<'a>>,
    /// True if the module has mangled names, so that it was printed by a compiler.
    pub(crate) is_printed_by_compiler: bool,
    /// The differentiability witnesses of each function, computed on first use.
    pub(crate) witnesses: &'a OnceLock<FxHashMap<Symbol, Vec<usize>>>,
    pub(crate) sound_types: &'a SoundTypes,
    /// The Swift text of the module, joined on first use.
    pub(crate) swift: &'a OnceLock<String>,
}

/// The number of values that the rules keep for most bodies.
const MOST_CACHED: usize = 14;

/// A function with a body that is verified.
#[derive(Debug)]
pub struct FunctionVerifier<'a> {
    /// The function.
    pub function: &'a Function,
    /// Its body.
    pub body: &'a Body,
    view: BodyView<'a>,
    shared: Shared<'a>,
    source: Option<(&'a str, &'a BodySourceMap)>,
    owner: Owner,
    names: Names<'a>,
    pub(crate) found: Results,
    is_broken: Cell<bool>,
    cache: AnalysisCache,
    order: OnceCell<Cached<BlockOrder>>,
    dominators: OnceCell<Cached<Dominators>>,
    dead_ends: OnceCell<Cached<DeadEnds>>,
    post_dominators: OnceCell<Cached<PostDominators>>,
    components: OnceCell<Cached<Components>>,
    ownership: OnceCell<BodyOwnership<'a>>,
    cached: RefCell<FxHashMap<TypeId, Rc<dyn Any>>>,
    insts: OnceCell<Insts>,
}

/// The instructions of a body in order, so that many checks go through them at little cost.
#[derive(Debug)]
struct Insts {
    all: Vec<Inst>,
    /// The set of their opcodes, one bit for each.
    opcodes: [u64; Opcode::ALL.len().div_ceil(u64::BITS as usize)],
}

impl Insts {
    fn new(body: &Body) -> Self {
        let mut this = Self { all: Vec::with_capacity(body.inst_bound()), opcodes: [0; _] };
        for block in body.blocks() {
            for inst in body.block_insts(block) {
                let opcode = body.inst(inst).opcode as usize;
                this.opcodes[opcode / 64] |= 1 << (opcode % 64);
                this.all.push(inst);
            }
        }
        this
    }

    fn has(&self, opcode: Opcode) -> bool {
        (self.opcodes[opcode as usize / 64] >> (opcode as usize % 64)) & 1 == 1
    }
}

impl<'a> FunctionVerifier<'a> {
    pub(crate) fn new(
        shared: Shared<'a>,
        id: FunctionId,
        function: &'a Function,
        body: &'a Body,
        records_unknown: bool,
    ) -> Self {
        let source = shared.source.and_then(|source| Some((source.text, source.map.function(id)?)));
        Self::of_body(shared, Owner::Function(id), function, body, source, records_unknown)
    }

    /// Creates the context of a static initializer, for the checks of single instructions. `function` stands for the code
    /// that is not there.
    pub(crate) fn of_initializer(
        shared: Shared<'a>,
        id: GlobalId,
        function: &'a Function,
        body: &'a Body,
        records_unknown: bool,
    ) -> Self {
        let source = shared.source.and_then(|source| Some((source.text, source.map.global(id)?)));
        Self::of_body(shared, Owner::Global(id), function, body, source, records_unknown)
    }

    fn of_body(
        shared: Shared<'a>,
        owner: Owner,
        function: &'a Function,
        body: &'a Body,
        source: Option<(&'a str, &'a BodySourceMap)>,
        records_unknown: bool,
    ) -> Self {
        Self {
            function,
            owner,
            body,
            view: BodyView::new(shared.program, function, body),
            shared,
            names: Names::new(body, source),
            source,
            found: Results { records_unknown, ..Results::default() },
            is_broken: Cell::new(false),
            cache: AnalysisCache::default(),
            order: OnceCell::new(),
            dominators: OnceCell::new(),
            dead_ends: OnceCell::new(),
            post_dominators: OnceCell::new(),
            components: OnceCell::new(),
            ownership: OnceCell::new(),
            cached: RefCell::new(FxHashMap::with_capacity_and_hasher(MOST_CACHED, FxBuildHasher)),
            insts: OnceCell::new(),
        }
    }

    // ---- what there is ----

    /// Returns the view of the body.
    pub fn view(&self) -> BodyView<'a> {
        self.view
    }

    /// Returns the module.
    pub fn module(&self) -> &'a Module {
        self.shared.program.module
    }

    /// Returns the Swift text of the module, which the ranges of its declarations refer to.
    pub(crate) fn swift_text(&self) -> &'a str {
        self.shared.swift.get_or_init(|| self.module().swift_text())
    }

    /// Returns true if the module was printed by a compiler, which omits local types.
    pub(crate) fn is_printed_by_compiler(&self) -> bool {
        self.shared.is_printed_by_compiler
    }

    /// Returns the types that were found to have no problem in a body of the module.
    pub(crate) fn sound_types(&self) -> &'a SoundTypes {
        self.shared.sound_types
    }

    /// Returns the differentiability witnesses of a function.
    pub(crate) fn witnesses(&self, function: Symbol) -> impl Iterator<Item = &'a DifferentiabilityWitness> {
        let all = &self.module().differentiability_witnesses;
        let index = self.shared.witnesses.get_or_init(|| {
            let mut index: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
            for (at, witness) in all.iter().enumerate() {
                index.entry(witness.function).or_default().push(at);
            }
            index
        });
        index.get(&function).into_iter().flatten().map(|&at| &all[at])
    }

    /// Returns the Swift declarations that the module sees.
    pub fn declarations(&self) -> &'a Declarations {
        self.shared.program.declarations
    }

    /// Returns another function of the module by name.
    pub fn callee(&self, name: Symbol) -> Option<&'a Function> {
        self.shared.program.function(name)
    }

    /// Returns the id of another function of the module by name.
    pub fn callee_id(&self, name: Symbol) -> Option<FunctionId> {
        self.shared.program.function_id(name)
    }

    /// Returns a global variable of the module by name.
    pub fn global(&self, name: Symbol) -> Option<&'a Global> {
        self.shared.program.module.globals.by_key(&name)
    }

    /// Returns the representation of address-only values.
    pub fn addresses(&self) -> Addresses {
        self.shared.program.addresses()
    }

    /// Returns the source text of the module with the positions in this body.
    pub fn source(&self) -> Option<(&'a str, &'a BodySourceMap)> {
        self.source
    }

    /// Returns the generic signature of the function.
    pub fn signature(&self) -> Option<GenericSig> {
        self.function.ty.ty().as_function().and_then(|f| f.sig)
    }

    /// Returns true if the function is in OSSA.
    pub fn is_ossa(&self) -> bool {
        self.function.has_ossa()
    }

    /// Returns the name of a value in messages: `%1`.
    pub fn value(&self, value: Value) -> String {
        self.names.value(value)
    }

    /// Returns the name of a block in messages: `bb1`.
    pub fn block(&self, block: Block) -> String {
        self.names.block(block)
    }

    // ---- analyses ----

    /// Returns the blocks in reverse postorder.
    pub fn block_order(&self) -> &BlockOrder {
        self.order.get_or_init(|| self.cache.get(&self.view)).of(self.body)
    }

    /// Returns the dominator tree.
    pub fn dominators(&self) -> &Dominators {
        self.dominators.get_or_init(|| self.cache.get(&self.view)).of(self.body)
    }

    /// Returns the dead-end blocks.
    pub fn dead_ends(&self) -> &DeadEnds {
        self.dead_ends.get_or_init(|| self.cache.get(&self.view)).of(self.body)
    }

    /// Returns the post-dominator tree.
    pub fn post_dominators(&self) -> &PostDominators {
        self.post_dominators.get_or_init(|| self.cache.get(&self.view)).of(self.body)
    }

    /// Returns the strongly connected components.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| self.cache.get(&self.view)).of(self.body)
    }

    /// Returns the ownership of values and operands.
    pub fn ownership(&self) -> &BodyOwnership<'a> {
        self.ownership.get_or_init(|| self.view.all_ownership())
    }

    /// Returns the cached value of a type, an analysis that a rule family defines, creating it on the first request.
    pub fn cached<T: 'static>(&self, make: impl FnOnce() -> T) -> Rc<T> {
        let found = self.cached.borrow().get(&TypeId::of::<T>()).cloned();
        if let Some(found) = found.and_then(|any| any.downcast().ok()) {
            return found;
        }
        // The cache is not borrowed here, since `make` may request other values.
        let made = Rc::new(make());
        self.cached.borrow_mut().insert(TypeId::of::<T>(), made.clone());
        made
    }

    /// Returns true if the definition of a value dominates an instruction.
    pub fn value_dominates(&self, value: Value, inst: Inst) -> bool {
        value_dominates(self.body, self.dominators(), value, inst)
    }

    /// Returns all instructions, in order.
    pub fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        self.all_insts().all.iter().copied()
    }

    /// Returns the instructions with one of these opcodes, in order. If the body has none, nothing is visited.
    pub fn insts_with<'b>(&'b self, opcodes: &'b [Opcode]) -> impl Iterator<Item = Inst> + 'b {
        let insts = self.all_insts();
        let some: &[Inst] = if opcodes.iter().any(|&opcode| insts.has(opcode)) { &insts.all } else { &[] };
        some.iter().copied().filter(|&inst| opcodes.contains(&self.body.inst(inst).opcode))
    }

    fn all_insts(&self) -> &Insts {
        self.insts.get_or_init(|| Insts::new(self.body))
    }

    // ---- reports ----

    /// Creates a finding for a rule, to be completed and reported.
    pub fn finding(&self, rule: &'static Rule, place: Place, message: impl Into<String>) -> Finding {
        new_finding(rule, self.owner, place, message.into())
    }

    /// Reports a finding.
    pub fn report(&self, finding: Finding) {
        self.found.findings.borrow_mut().push(finding);
    }

    /// Reports a finding after which paths cannot be followed: [`crate::Check::Paths`] checks do not run.
    pub fn report_broken(&self, finding: Finding) {
        self.is_broken.set(true);
        self.report(finding);
    }

    /// Returns true if paths cannot be followed.
    pub fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    /// Records that a rule could not be decided.
    pub fn unknown(&self, rule: &'static Rule, place: Place, message: impl FnOnce() -> String) {
        if self.found.records_unknown {
            let owner = self.owner;
            self.found.unknown.borrow_mut().push(Undecided { rule, owner, place, message: message() });
        }
    }
}
