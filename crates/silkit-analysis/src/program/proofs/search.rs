//! Shortest call chains from facts to the instructions that prove them.

use super::record::{Edge, Leaf, Records, arguments};
use super::{Fact, Reason};
use silkit_base::{Entity, IdVec};
use silkit_ir::{FunctionId, Inst, Module};
use std::collections::VecDeque;

/// The last step of the proof of a fact.
#[derive(Clone, Copy, Debug)]
enum LastStep {
    /// No proof.
    None,
    /// An instruction of the function.
    Leaf,
    /// A call, by the number of its edge.
    Edge(u32),
}

/// The possible effects of the functions of a module, with proofs.
#[derive(Debug)]
pub struct Proofs {
    records: IdVec<FunctionId, Records>,
    /// The index of the first fact about each function.
    first: IdVec<FunctionId, u32>,
    /// All edges, each with the index of the fact that it implies.
    edges: Vec<(Edge, u32)>,
    ways: Vec<LastStep>,
    /// True if the chain ends at an instruction with the effect, false if it ends at one that does not exclude it.
    is_proved: Vec<bool>,
}

/// A proof that a function may have an effect.
#[derive(Clone, Debug)]
pub struct Proof {
    /// True if an instruction has the effect; otherwise the effect is merely not excluded.
    pub is_proved: bool,
    /// The calls, each in the callee of the previous one, then the final instruction.
    pub steps: Vec<ProofStep>,
    /// The reason for the effect of the final instruction.
    pub reason: Reason,
}

/// A step of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofStep {
    /// The function.
    pub function: FunctionId,
    /// The call, or the final instruction; `None` if the function itself has the effect.
    pub inst: Option<Inst>,
}

impl Proofs {
    /// Computes the proofs from the records of the bodies of a module.
    pub fn new(module: &Module, recorded: Vec<(FunctionId, Records)>) -> Self {
        let mut records: IdVec<FunctionId, Records> =
            module.functions.values().map(|_| Records::default()).collect();
        for (id, of) in recorded {
            records[id] = of;
        }
        let (mut first, mut count) = (IdVec::new(), 0);
        for function in module.functions.values() {
            first.push(count);
            count += Fact::count(arguments(function)) as u32;
        }
        let mut edges = Vec::new();
        for (of, base) in records.values_mut().zip(first.values()) {
            edges.extend(std::mem::take(&mut of.edges).into_iter().map(|edge| (edge, base + edge.fact)));
        }
        let mut this = Self {
            records,
            first,
            edges,
            ways: vec![LastStep::None; count as usize],
            is_proved: vec![false; count as usize],
        };
        this.search();
        this
    }

    /// Searches breadth-first from all instructions, first those that prove an effect, then the others.
    fn search(&mut self) {
        let (starts, by_source) = self.by_source();
        let mut queue = VecDeque::new();
        for certainty in [0, 1] {
            for (id, of) in self.records.iter() {
                for (fact, leaves) in of.leaves.iter().enumerate() {
                    let at = self.first[id] as usize + fact;
                    if leaves[certainty].is_some() && matches!(self.ways[at], LastStep::None) {
                        self.ways[at] = LastStep::Leaf;
                        self.is_proved[at] = certainty == 0;
                        queue.push_back(at);
                    }
                }
            }
            while let Some(from) = queue.pop_front() {
                for &edge in &by_source[starts[from] as usize..starts[from + 1] as usize] {
                    let at = self.edges[edge as usize].1 as usize;
                    if matches!(self.ways[at], LastStep::None) {
                        self.ways[at] = LastStep::Edge(edge);
                        self.is_proved[at] = certainty == 0;
                        queue.push_back(at);
                    }
                }
            }
        }
    }

    /// Returns the edges sorted by source fact: the start of the edges of each fact, and the edges.
    fn by_source(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0; self.ways.len() + 1];
        for (edge, _) in &self.edges {
            starts[self.source(edge) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0; self.edges.len()];
        for (number, (edge, _)) in self.edges.iter().enumerate() {
            let place = &mut next[self.source(edge)];
            sorted[*place as usize] = number as u32;
            *place += 1;
        }
        (starts, sorted)
    }

    fn source(&self, edge: &Edge) -> usize {
        (self.first[edge.callee] + edge.callee_fact) as usize
    }

    /// Returns the facts about a function that are proved or not excluded.
    pub fn facts(&self, function: FunctionId) -> impl Iterator<Item = Fact> + '_ {
        let base = self.first[function] as usize;
        let count = self.records[function].leaves.len();
        (0..count).filter(move |at| !matches!(self.ways[base + at], LastStep::None)).map(Fact::at)
    }

    /// Returns `Some(true)` if an effect of a function is proved, `Some(false)` if it is not excluded, and `None` if
    /// it is excluded.
    pub fn verdict(&self, function: FunctionId, fact: Fact) -> Option<bool> {
        let at = self.node(function, fact)?;
        (!matches!(self.ways[at], LastStep::None)).then(|| self.is_proved[at])
    }

    /// Returns a proof of an effect of a function; `None` if the effect is excluded.
    pub fn proof(&self, function: FunctionId, fact: Fact) -> Option<Proof> {
        let mut at = self.node(function, fact)?;
        let is_proved = self.is_proved[at];
        let (mut function, mut fact, mut steps) = (function, fact.index(), Vec::new());
        // The remaining chain gets shorter with each step.
        loop {
            match self.ways[at] {
                LastStep::None => return None,
                LastStep::Leaf => {
                    let [proving, other] = self.records[function].leaves[fact];
                    let Leaf { inst, reason } = if is_proved { proving? } else { other? };
                    steps.push(ProofStep { function, inst });
                    return Some(Proof { is_proved, steps, reason });
                }
                LastStep::Edge(edge) => {
                    let (edge, _) = self.edges[edge as usize];
                    if edge.inst.is_some() {
                        steps.push(ProofStep { function, inst: edge.inst });
                    }
                    (function, fact) = (edge.callee, edge.callee_fact as usize);
                    at = self.source(&edge);
                }
            }
        }
    }

    fn node(&self, function: FunctionId, fact: Fact) -> Option<usize> {
        let of = (function.index() < self.records.len()).then(|| &self.records[function])?;
        (fact.index() < of.leaves.len()).then(|| self.first[function] as usize + fact.index())
    }
}
