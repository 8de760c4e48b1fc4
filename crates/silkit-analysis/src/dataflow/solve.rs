//! Forward dataflow problems.

use super::Region;

/// A forward dataflow problem. Transfer functions and the meet must be monotone.
pub trait Problem {
    /// The facts at a point, usually rows of bits.
    type State: Clone + PartialEq;

    /// Returns the neutral element of the meet: the state of a point that no path reaches.
    fn unreached(&self) -> Self::State;

    /// Returns the state outside of the region.
    fn outside(&self) -> Self::State;

    /// Meets a state with one from another path.
    fn meet(&self, state: &mut Self::State, incoming: &Self::State);

    /// Changes the state by operations that the region names by this number.
    fn transfer(&self, operations: u32, state: &mut Self::State);
}

/// The solution of a problem on a region. The memory may be used for the next problem.
#[derive(Clone, Debug)]
pub struct Solution<S> {
    /// The states at the starts and ends of the nodes.
    states: Vec<(S, S)>,
    outside: S,
}

impl<S: Clone + PartialEq> Solution<S> {
    /// Creates a solution for an empty region, with this state outside of it.
    pub fn new(outside: S) -> Self {
        Self { states: Vec::new(), outside }
    }

    /// Solves a problem on a region.
    ///
    /// All nodes are visited in reverse postorder, and again while the end of a node changes that an earlier one
    /// depends on: as often as loops are nested, and twice more.
    pub fn solve<P: Problem<State = S>>(&mut self, region: &Region<'_>, problem: &P) {
        let unreached = problem.unreached();
        self.outside = problem.outside();
        self.states.clear();
        self.states.resize(region.blocks().len(), (unreached.clone(), unreached.clone()));
        while self.visit(region, problem, &unreached) {}
    }

    fn visit<P: Problem<State = S>>(&mut self, region: &Region<'_>, problem: &P, unreached: &S) -> bool {
        let mut again = false;
        for node in 0..self.states.len() {
            let mut start = unreached.clone();
            for input in region.inputs(node) {
                problem.meet(&mut start, self.end(input));
            }
            let mut end = start.clone();
            if let Some(operations) = region.operations(node) {
                problem.transfer(operations, &mut end);
            }
            again |= region.goes_back(node) && end != self.states[node].1;
            self.states[node] = (start, end);
        }
        again
    }

    /// Returns the state at the start of a node.
    pub fn start(&self, node: usize) -> &S {
        &self.states[node].0
    }

    /// Returns the state at the end of a node, or outside of the region.
    pub fn end(&self, node: Option<usize>) -> &S {
        node.map_or(&self.outside, |node| &self.states[node].1)
    }
}
