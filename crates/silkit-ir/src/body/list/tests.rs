//! Lists keep their order and increasing numbers under every operation, even when numbers run out.

use super::*;
use silkit_base::entity;

entity!(/// A member of a list.
    Node, "n");

#[derive(Debug)]
struct Data(Links<Node>);

impl Member<Node> for Data {
    fn links(&self) -> &Links<Node> {
        &self.0
    }

    fn links_mut(&mut self) -> &mut Links<Node> {
        &mut self.0
    }
}

/// A list and its expected members.
#[derive(Default)]
struct Model {
    table: IdVec<Node, Data>,
    list: List<Node>,
    expected: Vec<Node>,
}

impl Model {
    fn with_numbers(numbers: &[u32]) -> Self {
        let mut model = Self::default();
        for &number in numbers {
            let node = model.make();
            model.list.push_back(&mut model.table, node);
            model.expected.push(node);
            model.table[node].0.number = number;
        }
        model
    }

    fn of_length(count: usize) -> Self {
        let mut model = Self::default();
        for _ in 0..count {
            model.insert(model.expected.len());
        }
        model
    }

    fn make(&mut self) -> Node {
        self.table.push(Data(Links::NONE))
    }

    /// Inserts a new member at a position.
    fn insert(&mut self, at: usize) -> Node {
        let node = self.make();
        match (self.expected.get(at), at.checked_sub(1)) {
            (None, _) => self.list.push_back(&mut self.table, node),
            (Some(&next), None) => self.list.insert_before(&mut self.table, node, next),
            (Some(_), Some(prev)) => self.list.insert_after(&mut self.table, node, self.expected[prev]),
        }
        self.expected.insert(at, node);
        node
    }

    fn remove(&mut self, at: usize) -> Node {
        let node = self.expected.remove(at);
        self.list.remove(&mut self.table, node);
        node
    }

    fn check(&self) {
        let forward: Vec<Node> = self.list.members(&self.table).collect();
        let mut backward: Vec<Node> = self.list.members(&self.table).rev().collect();
        backward.reverse();
        assert_eq!(forward, self.expected);
        assert_eq!(backward, self.expected);
        let numbers = self.numbers();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    }

    fn numbers(&self) -> Vec<u32> {
        self.expected.iter().map(|&node| self.table[node].0.number).collect()
    }
}

#[test]
fn appends_in_constant_time_from_the_middle() {
    let model = Model::of_length(3);
    assert_eq!(model.numbers(), [MIDDLE, MIDDLE + STRIDE, MIDDLE + 2 * STRIDE]);
    model.check();
}

#[test]
fn inserts_at_the_front_between_and_at_the_end() {
    let mut model = Model::of_length(2);
    model.insert(0);
    model.insert(2);
    model.insert(4);
    model.check();
    assert_eq!(model.numbers()[0], MIDDLE - STRIDE);
    assert_eq!(model.numbers()[2], MIDDLE + STRIDE - NEAR, "near the newer neighbor");
}

#[test]
fn removes_the_first_a_middle_and_the_last_member() {
    let mut model = Model::of_length(5);
    for at in [2, 0, 2] {
        let node = model.remove(at);
        assert_eq!((model.table[node].0.prev, model.table[node].0.next), (Node::NONE, Node::NONE));
        model.check();
    }
    model.remove(0);
    model.remove(0);
    model.check();
    assert_eq!(model.list, List::default());
}

#[test]
fn a_removed_member_can_be_inserted_elsewhere() {
    let mut model = Model::of_length(4);
    let node = model.remove(3);
    let first = model.expected[0];
    model.list.insert_before(&mut model.table, node, first);
    model.expected.insert(0, node);
    model.check();
}

#[test]
fn numbers_run_out_between_neighbors() {
    let mut model = Model::with_numbers(&[100, 101, 102, 103, 5000]);
    model.insert(2);
    model.check();
    assert_eq!(model.numbers()[5], 5000, "only the crowded range is numbered anew");
}

#[test]
fn numbers_run_out_at_both_ends() {
    for start in [0, u32::MAX - 2] {
        let mut model = Model::with_numbers(&[start, start + 1, start + 2]);
        model.insert(3);
        model.check();
        model.insert(0);
        model.check();
    }
    let mut model = Model::with_numbers(&[u32::MAX - 10]);
    model.insert(1);
    assert_eq!(model.numbers(), [u32::MAX - 10, u32::MAX - 5], "what is left is halved");
    let mut model = Model::with_numbers(&[10]);
    model.insert(0);
    assert_eq!(model.numbers(), [5, 10]);
}

#[test]
fn many_insertions_at_one_place_cost_little_each() {
    type Place = fn(usize) -> usize;
    let places: [(Place, usize); 5] = [(|_| 0, 1), (|_| 1, 2), (|n| n - 1, 2), (|n| n, 1), (|n| n / 2, 20)];
    for (at, most) in places {
        let mut model = Model::of_length(4);
        let (mut before, mut changed) = (model.numbers(), 0);
        for _ in 0..2_000 {
            let position = at(model.expected.len());
            model.insert(position);
            let mut now = model.numbers();
            let all = now.clone();
            now.remove(position);
            changed += now.iter().zip(&before).filter(|(a, b)| a != b).count();
            before = all;
        }
        model.check();
        assert!(changed < 2_000 * most, "{changed} members were numbered anew");
    }
}

#[test]
fn splits_at_the_first_a_middle_and_the_last_member() {
    for at in 0..4 {
        let mut model = Model::of_length(4);
        let numbers = model.numbers();
        let rest = model.list.split_off(&mut model.table, model.expected[at]);
        let tail = model.expected.split_off(at);
        assert!(rest.members(&model.table).eq(tail.iter().copied()));
        assert!(rest.members(&model.table).rev().eq(tail.iter().rev().copied()));
        assert_eq!(model.numbers(), numbers[..at], "numbers stay");
        model.check();
        assert_eq!(model.list.is_shorter(&model.table, rest), at < 2);
        assert_eq!(rest.is_shorter(&model.table, model.list), at > 2);
    }
}

/// Appends a list with the numbers `second` to one with the numbers `first` and returns the resulting numbers.
fn appended(first: &[u32], second: &[u32]) -> Vec<u32> {
    let mut model = Model::with_numbers(&[first, second].concat());
    let Some(&start) = model.expected.get(first.len()) else {
        model.list.append(&mut model.table, List::default());
        model.check();
        return model.numbers();
    };
    let rest = model.list.split_off(&mut model.table, start);
    model.list.append(&mut model.table, rest);
    model.check();
    model.numbers()
}

#[test]
fn appends_a_list() {
    assert_eq!(appended(&[10, 20], &[30, 40]), [10, 20, 30, 40], "in order already");
    assert_eq!(appended(&[], &[30, 40]), [30, 40]);
    assert_eq!(appended(&[10, 20], &[]), [10, 20]);
    assert_eq!(appended(&[], &[]), []);
    assert_eq!(appended(&[1000, 2000, 3000], &[5, 7]), [1000, 2000, 3000, 3000 + STRIDE, 3000 + 2 * STRIDE]);
    assert_eq!(appended(&[9000], &[5000, 6000]), [5000 - STRIDE, 5000, 6000], "the shorter one is numbered");
    // No numbers are left after the first list or before the second one.
    let middle = appended(&[1, u32::MAX - STRIDE], &[5, 7]);
    assert_eq!(middle, [MIDDLE - 2 * STRIDE, MIDDLE - STRIDE, MIDDLE, MIDDLE + STRIDE]);
    assert_eq!(appended(&[5, 7], &[3, STRIDE, STRIDE + 1]).len(), 5);
}

#[test]
fn a_list_of_members_in_another_order() {
    let mut model = Model::of_length(4);
    model.expected.reverse();
    model.list = List::of(&mut model.table, &model.expected);
    model.check();
}
