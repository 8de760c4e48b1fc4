//! The positions of a module's entities in its text.
//!
//! The IR stores no positions. The parser returns them beside the module; code that shows source positions or prints
//! debug locations receives both. A map describes the entities as parsed: entities that are created later have no
//! position.

use silkit_base::{Entity as _, IdVec, Symbol, TextRange};
use silkit_ir::{Block, FunctionId, GlobalId, Inst, Module, NONE, VTableId, Value, WitnessTableId};
use silkit_types::SilType;

/// An entity of a file, by kind and index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SourceEntity {
    /// `sil_stage`.
    Stage,
    /// Swift declarations.
    Swift(usize),
    /// `sil`.
    Function(FunctionId),
    /// `sil_global`.
    Global(GlobalId),
    /// `sil_vtable`.
    VTable(VTableId),
    /// `sil_witness_table`.
    WitnessTable(WitnessTableId),
    /// `sil_default_witness_table`.
    DefaultWitnessTable(WitnessTableId),
    /// `sil_default_override_table`.
    DefaultOverrideTable(usize),
    /// `sil_differentiability_witness`.
    DifferentiabilityWitness(usize),
    /// `sil_property`.
    Property(usize),
    /// `sil_coverage_map`.
    CoverageMap(usize),
    /// `sil_moveonlydeinit`.
    Deinit(usize),
    /// `sil_scope`.
    Scope(usize),
}

/// An entity with its range in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedEntity {
    /// The entity.
    pub entity: SourceEntity,
    /// The range from the first word to the end, without surrounding comments.
    pub range: TextRange,
}

impl PlacedEntity {
    /// Returns true if this is a SIL entity that may refer to types.
    pub(crate) fn names_types(&self) -> bool {
        !matches!(self.entity, SourceEntity::Stage | SourceEntity::Swift(_))
    }
}

/// A type that the text states at a use of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatedType {
    /// The used value.
    pub value: Value,
    /// The stated type.
    pub ty: SilType,
    /// The offset of the use.
    pub at: u32,
}

/// The positions of a module's entities in its text.
///
/// ```
/// let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
/// let parsed = silkit_text::parse_module(text);
/// let (id, function) = parsed.module.functions.iter().next().unwrap();
/// assert_eq!(&text[parsed.source_map.function_name(id).unwrap().as_usize()], "@f");
/// let first = function.body.as_ref().unwrap().insts().next().unwrap();
/// let at = parsed.source_map.function(id).unwrap().inst(first).unwrap();
/// assert!(text[at as usize..].starts_with("%0 = tuple ()\n"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModuleSourceMap {
    pub(crate) entities: Vec<PlacedEntity>,
    pub(crate) names: IdVec<FunctionId, TextRange>,
    pub(crate) functions: IdVec<FunctionId, BodySourceMap>,
    pub(crate) globals: IdVec<GlobalId, BodySourceMap>,
}

impl ModuleSourceMap {
    /// Returns the entities in text order.
    pub fn entities(&self) -> &[PlacedEntity] {
        &self.entities
    }

    /// Returns the range of a function's name, including the `@`.
    pub fn function_name(&self, function: FunctionId) -> Option<TextRange> {
        self.names.get(function).copied()
    }

    /// Returns the positions in the body of a function.
    pub fn function(&self, function: FunctionId) -> Option<&BodySourceMap> {
        self.functions.get(function)
    }

    /// Returns the range in `text`, which was parsed, of a range in the joined Swift declarations of its module
    /// ([`Module::swift_text`]).
    pub fn swift_range(&self, module: &Module, text: &str, range: TextRange) -> Option<TextRange> {
        let mut start = 0;
        for (index, swift) in module.swift.iter().enumerate() {
            let within = (range.start as usize).checked_sub(start)?;
            if within + range.len() <= swift.text.len() {
                let entity = self.entities.iter().find(|p| p.entity == SourceEntity::Swift(index))?;
                // A text with other line ends has other offsets.
                let is_same = text.get(entity.range.as_usize())?.starts_with(&*swift.text);
                let start = entity.range.start as usize + within;
                return is_same.then(|| TextRange::new(start, start + range.len()));
            }
            start += swift.text.len() + 1;
        }
        None
    }

    /// Returns the positions in the static initializer of a global variable.
    pub fn global(&self, id: GlobalId) -> Option<&BodySourceMap> {
        self.globals.get(id)
    }

    /// Returns the number of bytes that the map has allocated.
    pub fn heap_size(&self) -> usize {
        let bodies = self.functions.values().chain(self.globals.values());
        self.entities.capacity() * size_of::<PlacedEntity>()
            + self.names.heap_size()
            + self.functions.heap_size()
            + self.globals.heap_size()
            + bodies.map(BodySourceMap::heap_size).sum::<usize>()
    }
}

/// The positions of the entities of a body, and types stated in the text that the body does not store.
#[derive(Clone, Debug, Default)]
pub struct BodySourceMap {
    /// The offset of each instruction.
    insts: Vec<u32>,
    /// The offset of the label of each block, or [`NONE`].
    blocks: Vec<u32>,
    stated: Vec<StatedType>,
    named: Vec<(Symbol, Value)>,
}

impl BodySourceMap {
    /// Returns the offset of an instruction, including its result names.
    pub fn inst(&self, inst: Inst) -> Option<u32> {
        self.insts.get(inst.index()).copied().filter(|&at| at != NONE)
    }

    /// Returns the offset of the label of a block.
    pub fn block(&self, block: Block) -> Option<u32> {
        self.blocks.get(block.index()).copied().filter(|&at| at != NONE)
    }

    /// Returns the types stated at uses whose spelling differs from the type of the definition. The verifier checks
    /// whether they are the same.
    pub fn stated_types(&self) -> &[StatedType] {
        &self.stated
    }

    /// Returns a value that a `specify_test` refers to by name: `x` for `%x`.
    pub fn named_value(&self, name: Symbol) -> Option<Value> {
        self.named.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
    }

    /// Records the start of an instruction.
    pub(crate) fn place_inst(&mut self, inst: Inst, at: usize) {
        place(&mut self.insts, inst.index(), at);
    }

    /// Records the position of a block label.
    pub(crate) fn place_block(&mut self, block: Block, at: usize) {
        place(&mut self.blocks, block.index(), at);
    }

    /// Records a type that the text states at a use.
    pub(crate) fn note_stated_type(&mut self, stated: StatedType) {
        self.stated.push(stated);
    }

    /// Records a name that a string, such as that of a test, uses for a value.
    pub(crate) fn note_named_value(&mut self, name: Symbol, value: Value) {
        self.named.push((name, value));
    }

    /// Moves the positions to a map of exactly their size and keeps this map's capacity for reuse.
    pub(crate) fn take_exact(&mut self) -> Self {
        fn exact<T>(items: &mut Vec<T>) -> Vec<T> {
            let mut taken = Vec::with_capacity(items.len());
            taken.append(items);
            taken
        }
        Self {
            insts: exact(&mut self.insts),
            blocks: exact(&mut self.blocks),
            stated: exact(&mut self.stated),
            named: std::mem::take(&mut self.named),
        }
    }

    fn heap_size(&self) -> usize {
        (self.insts.capacity() + self.blocks.capacity()) * size_of::<u32>()
            + self.stated.capacity() * size_of::<StatedType>()
            + self.named.capacity() * size_of::<(Symbol, Value)>()
    }
}

fn place(table: &mut Vec<u32>, index: usize, at: usize) {
    if index >= table.len() {
        table.resize(index + 1, NONE);
    }
    table[index] = u32::try_from(at).unwrap_or(NONE);
}

/// The source text of a module with the positions of its entities.
#[derive(Clone, Copy, Debug)]
pub struct MappedText<'a> {
    /// The text.
    pub text: &'a str,
    /// The positions of the entities.
    pub map: &'a ModuleSourceMap,
}
