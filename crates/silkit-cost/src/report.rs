//! The costs of a module: each instruction with costs, its kinds, its loop depth and its Swift position.

use crate::frequency::{self, Uses};
use crate::kind::CostKinds;
use crate::place::{BodyPlaces, Place, Way};
use crate::types::TypeLines;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use silkit::analysis::{BodyView, Cached, Dominators, Loops, ProgramFacts, ProgramView};
use silkit::base::{Entity, Symbol};
use silkit::ir::{Body, FunctionId, InlineStacks, Inst, Module, SwiftPosition, references};
use silkit::types::decl::Declarations;
use std::collections::BTreeMap;

/// An instruction with costs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Operation {
    /// The function that contains it.
    pub function: FunctionId,
    /// The instruction.
    pub inst: Inst,
    /// Its costs; not empty.
    pub kinds: CostKinds,
    /// The number of loops around it in its function.
    pub loop_depth: u32,
    /// The estimated number of executions for one run of the program, by which costs are ordered.
    pub frequency: f64,
    /// Its Swift position; `None` without debug information.
    pub place: Option<Place>,
}

/// The costs of a module.
#[derive(Clone, Debug, Default)]
pub struct CostReport {
    /// The instructions with costs, in the order of the module.
    pub operations: Vec<Operation>,
    /// The functions of the program itself, not of libraries: they have Swift positions of their own.
    pub own_functions: Vec<FunctionId>,
}

/// The costs of one body, and what other bodies need to know.
struct BodyCosts {
    operations: Vec<Operation>,
    /// A position of the function itself.
    own: Option<SwiftPosition>,
    uses: Uses,
    /// The functions that it references, with the position of the first reference.
    references: Vec<(Symbol, Option<SwiftPosition>)>,
}

impl CostReport {
    /// Computes the costs of a module.
    pub fn new(module: &Module, declarations: &Declarations) -> Self {
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(module, declarations, &facts);
        let stacks = InlineStacks::new(&module.scopes);
        let functions: Vec<FunctionId> = module.functions.keys().collect();
        let bodies: Vec<Option<BodyCosts>> = functions
            .par_iter()
            .map(|&id| Some(costs_of_body(id, &program.body_view(id)?, &stacks)))
            .collect();
        let callers = Callers::new(module, &bodies);
        let mut types = TypeLines::default();
        for ((_, function), costs) in module.functions.iter().zip(&bodies) {
            if let Some(position) = costs.as_ref().and_then(|costs| costs.own) {
                types.add(function.name.as_str(), position);
            }
        }
        let uses: Vec<Uses> = bodies
            .iter()
            .map(|costs| costs.as_ref().map_or_else(Vec::new, |costs| costs.uses.clone()))
            .collect();
        let calls = frequency::of_functions(module, &uses);
        let mut report = Self::default();
        for (id, costs) in functions.into_iter().zip(bodies) {
            let Some(costs) = costs else { continue };
            if costs.own.is_some() {
                report.own_functions.push(id);
            }
            let name = module.functions[id].name;
            let caller = callers.of(name);
            let of_type = types.of(name.as_str()).map(|position| Place { position, way: Way::Declaration });
            report.operations.extend(costs.operations.into_iter().map(|operation| {
                let frequency = operation.frequency * calls[id.index()];
                let place = match operation.place {
                    // The position of the declaration is the last one to try.
                    None | Some(Place { way: Way::Declaration, .. }) => {
                        caller.or(operation.place).or(of_type)
                    }
                    place => place,
                };
                Operation { place, frequency, ..operation }
            }));
        }
        report
    }

    /// Keeps the costs in some functions only.
    pub fn keep(&mut self, mut is_kept: impl FnMut(FunctionId) -> bool) {
        self.operations.retain(|operation| is_kept(operation.function));
        self.own_functions.retain(|&function| is_kept(function));
    }

    /// Returns true if a function is one of the program itself.
    pub fn is_own(&self, function: FunctionId) -> bool {
        self.own_functions.binary_search(&function).is_ok()
    }

    /// Returns the numbers of reference counts and allocations in the program's own functions, by the way in which their line was
    /// found, and the number without a line.
    pub fn ways(&self) -> ([usize; Way::ALL.len()], usize) {
        let mut ways = [0; Way::ALL.len()];
        let mut without = 0;
        let counted = CostKinds::COUNTING | CostKinds::ALLOCATION;
        for operation in &self.operations {
            if !operation.kinds.intersects(counted) || !self.is_own(operation.function) {
                continue;
            }
            match operation.place {
                Some(place) => ways[place.way as usize] += 1,
                None => without += 1,
            }
        }
        (ways, without)
    }
}

fn costs_of_body(id: FunctionId, view: &BodyView<'_>, stacks: &InlineStacks<'_>) -> BodyCosts {
    let body = view.body;
    let mut costs = BodyCosts { operations: Vec::new(), own: None, uses: Vec::new(), references: Vec::new() };
    let kinds = |inst| (inst, CostKinds::of(view, inst));
    let found: Vec<(Inst, CostKinds)> =
        body.insts().map(kinds).filter(|(_, kinds)| !kinds.is_empty()).collect();
    let has_locations = body.insts().any(|inst| body.loc(body.inst(inst).loc).is_some());
    let dominators: Cached<Dominators> = view.get();
    let loops: Cached<Loops> = view.get();
    let loops = loops.of(body);
    let blocks = frequency::of_blocks(view, loops);
    costs.uses = frequency::uses(view, &blocks);
    let places = has_locations.then(|| BodyPlaces::new(view, stacks, dominators.of(body)));
    costs.operations = found
        .into_iter()
        .map(|(inst, kinds)| Operation {
            function: id,
            inst,
            kinds,
            loop_depth: loops.depth(body.inst_block(inst)),
            frequency: blocks[body.inst_block(inst).index()],
            place: places.as_ref().and_then(|places| places.of(inst)),
        })
        .collect();
    if let Some(places) = places {
        costs.own = places.own();
        costs.references = referenced(body, &places);
    }
    costs
}

/// Returns the functions that a body references, each once, with the position of the first reference.
fn referenced(body: &Body, places: &BodyPlaces<'_>) -> Vec<(Symbol, Option<SwiftPosition>)> {
    let mut all: FxHashMap<Symbol, Option<SwiftPosition>> = FxHashMap::default();
    for inst in body.insts() {
        references::of_inst(body, inst, &mut |name| {
            let position = places.direct(inst).map(|place| place.position);
            let known = all.entry(name).or_insert(position);
            *known = known.iter().copied().chain(position).min();
        });
    }
    all.into_iter().collect()
}

/// The positions of the calls of functions that have no positions of their own.
struct Callers {
    positions: FxHashMap<Symbol, SwiftPosition>,
}

impl Callers {
    fn new(module: &Module, bodies: &[Option<BodyCosts>]) -> Self {
        let mut positions: FxHashMap<Symbol, SwiftPosition> = FxHashMap::default();
        // The functions that are referenced without a position, by the function that references them.
        let mut passed_on: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
        for ((_, function), costs) in module.functions.iter().zip(bodies) {
            for &(name, position) in costs.iter().flat_map(|costs| &costs.references) {
                match position {
                    Some(position) => {
                        let known = positions.entry(name).or_insert(position);
                        *known = position.min(*known);
                    }
                    None => passed_on.entry(function.name).or_default().push(name),
                }
            }
        }
        // In rounds, so that the result does not depend on the order of the functions: each round is one call further away.
        let mut newest: Vec<Symbol> = positions.keys().copied().collect();
        while !newest.is_empty() {
            let mut next: BTreeMap<&'static str, (Symbol, SwiftPosition)> = BTreeMap::new();
            for caller in newest {
                let Some(&position) = positions.get(&caller) else { continue };
                for &callee in passed_on.get(&caller).into_iter().flatten() {
                    if !positions.contains_key(&callee) {
                        let known = next.entry(callee.as_str()).or_insert((callee, position));
                        known.1 = position.min(known.1);
                    }
                }
            }
            newest = next.values().map(|(name, _)| *name).collect();
            positions.extend(next.into_values());
        }
        Self { positions }
    }

    fn of(&self, name: Symbol) -> Option<Place> {
        self.positions.get(&name).map(|&position| Place { position, way: Way::Caller })
    }
}
