//! Coverage and profiling: execution counts of instructions, and costs of functions by call stack.
//!
//! If requested, the translation inserts an operation before each instruction. Otherwise there is no overhead.

use crate::instance::InstanceId;
use crate::interp::Interp;
use crate::memory::Events;
use crate::op::Slot;
use crate::program::FunctionRef;
use crate::types::TypeId;
use crate::violation::demangled;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::Inst;

/// The counters of a run.
#[derive(Debug, Default)]
pub(crate) struct Instruments {
    sites: Vec<Site>,
    by_place: FxHashMap<(InstanceId, Inst), u32>,
    nodes: Vec<Node>,
    /// The serial number of each frame and its node.
    stack: Vec<(u64, Option<u32>)>,
    /// The current instruction and the node of its call.
    current: Option<(u32, u32)>,
    /// The counters at the beginning of the current instruction.
    before: Events,
    has_tree: bool,
}

/// An instruction of an instance.
#[derive(Debug)]
struct Site {
    instance: InstanceId,
    inst: Inst,
    is_first: bool,
    runs: u64,
    effects: u64,
}

/// A node of the call tree: a function and the call stack that led to it.
#[derive(Debug)]
struct Node {
    parent: Option<u32>,
    instance: InstanceId,
    children: FxHashMap<InstanceId, u32>,
    calls: u64,
    instructions: u64,
    events: Events,
}

/// The execution count of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Runs {
    /// The number of executions.
    pub count: u64,
    /// The number of effects: retains and releases, allocations and deallocations, and stores that change the contents
    /// of memory. Immortal objects are not counted.
    pub effects: u64,
    /// True if a value that the instruction stores is loaded later.
    pub is_loaded: bool,
}

/// The execution count of each instruction; an instruction without an entry never ran.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The counts by instruction.
    pub runs: FxHashMap<(FunctionRef, Inst), Runs>,
}

impl Coverage {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        for (at, runs) in &other.runs {
            self.runs.entry(*at).or_default().add(*runs);
        }
    }
}

impl Runs {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.effects += other.effects;
        self.is_loaded |= other.is_loaded;
    }
}

/// The cost of a function for one call stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfileNode {
    /// The index of the caller's node.
    pub parent: Option<u32>,
    /// The function.
    pub function: Symbol,
    /// The demangled name of the function, with its generic arguments.
    pub name: String,
    /// The number of calls.
    pub calls: u64,
    /// The number of instructions executed in the function itself, without its callees.
    pub instructions: u64,
    /// The number of allocations, except those on the stack.
    pub allocations: u64,
    /// The number of allocated bytes.
    pub bytes: u64,
    /// The number of retains.
    pub retains: u64,
    /// The number of releases.
    pub releases: u64,
}

impl Instruments {
    /// Creates counters, with a call tree if `has_tree` is set.
    pub(crate) fn new(has_tree: bool) -> Self {
        Self { has_tree, ..Self::default() }
    }

    /// Returns the index of the counter of an instruction.
    pub(crate) fn site(&mut self, instance: InstanceId, inst: Inst, is_first: bool) -> u32 {
        *self.by_place.entry((instance, inst)).or_insert_with(|| {
            self.sites.push(Site { instance, inst, is_first, runs: 0, effects: 0 });
            self.sites.len() as u32 - 1
        })
    }

    /// Attributes the events since the beginning of the last instruction to that instruction.
    fn settle(&mut self, now: Events) {
        let events = now.since(self.before);
        self.before = now;
        let Some((site, node)) = self.current else { return };
        self.sites[site as usize].effects += events.all();
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.events.add(events);
        }
    }

    /// Returns the node of the innermost frame.
    fn node(&mut self, frames: &[crate::frame::Frame]) -> u32 {
        // The serial numbers show which frames were popped and replaced.
        let mut known = self.stack.len().min(frames.len());
        while known > 0 && self.stack[known - 1].0 != frames[known - 1].serial {
            known -= 1;
        }
        self.stack.truncate(known);
        for frame in &frames[self.stack.len()..] {
            let parent = self.stack.last().and_then(|&(_, node)| node);
            // The interpreter itself is not a function.
            let is_native = frame.instance == InstanceId(u32::MAX);
            let node = if is_native { parent } else { Some(self.child(parent, frame.instance)) };
            self.stack.push((frame.serial, node));
        }
        self.stack.last().and_then(|&(_, node)| node).unwrap_or_default()
    }

    fn child(&mut self, parent: Option<u32>, instance: InstanceId) -> u32 {
        let known = match parent {
            Some(parent) => self.nodes[parent as usize].children.get(&instance).copied(),
            None => {
                self.nodes.iter().position(|n| n.parent.is_none() && n.instance == instance).map(|n| n as u32)
            }
        };
        if let Some(known) = known {
            return known;
        }
        let new = self.nodes.len() as u32;
        let children = FxHashMap::default();
        self.nodes.push(Node {
            parent,
            instance,
            children,
            calls: 0,
            instructions: 0,
            events: Events::default(),
        });
        if let Some(parent) = parent {
            self.nodes[parent as usize].children.insert(instance, new);
        }
        new
    }
}

impl Interp<'_> {
    /// Records that an instruction begins.
    pub(crate) fn observe(&mut self, site: u32) {
        let Some(instruments) = &mut self.instruments else { return };
        instruments.settle(self.memory.events);
        self.memory.set_store(0);
        let at = &mut instruments.sites[site as usize];
        at.runs += 1;
        let is_first = at.is_first;
        let node = if instruments.has_tree { instruments.node(&self.stack.frames) } else { 0 };
        if let Some(node) = instruments.nodes.get_mut(node as usize) {
            node.instructions += 1;
            node.calls += u64::from(is_first);
        }
        instruments.current = Some((site, node));
    }

    /// Records an effect if a store changes the contents of memory, and that the store begins.
    pub(crate) fn observe_store(&mut self, from: Slot, address: Slot, ty: TypeId) {
        let size = self.types.get(ty).size;
        let (target, len) = (self.get(address), u64::from(size));
        let is_present = self.memory.is_initialized(target, len) == Ok(true);
        let is_same = is_present && self.memory.peek(target, len) == Ok(self.bytes(from, size));
        if let Some(instruments) = &mut self.instruments
            && let Some((site, _)) = instruments.current
        {
            instruments.sites[site as usize].effects += u64::from(!is_same);
            self.memory.set_store(site + 1);
        }
    }

    /// Returns the execution count of each instruction, if [`crate::RunOptions::coverage`] or
    /// [`crate::RunOptions::profile`] was set.
    pub fn coverage(&mut self) -> Coverage {
        let mut coverage = Coverage::default();
        let Some(instruments) = &mut self.instruments else { return coverage };
        instruments.settle(self.memory.events);
        let loaded: FxHashSet<u32> = self.memory.loaded_stores().into_iter().collect();
        for (number, site) in (1..).zip(&instruments.sites) {
            let at = self.instances[site.instance.0 as usize].function.at;
            let runs = coverage.runs.entry((at, site.inst)).or_default();
            runs.is_loaded |= loaded.contains(&number);
            runs.count += site.runs;
            runs.effects += site.effects;
        }
        coverage.runs.retain(|_, runs| runs.count > 0);
        coverage
    }

    /// Returns the costs of functions, if [`crate::RunOptions::profile`] was set. Parents precede their children.
    pub fn profile(&mut self) -> Vec<ProfileNode> {
        let Some(instruments) = &mut self.instruments else { return Vec::new() };
        instruments.settle(self.memory.events);
        let instances = &self.instances;
        let nodes = instruments.nodes.iter().map(|node| {
            let instance = instances.get(node.instance.0 as usize);
            let function = instance.map_or(Symbol::new("the runtime"), |i| i.function.name);
            let types = instance.map_or(&[][..], |i| &i.args);
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            let types = if types.is_empty() { String::new() } else { format!("<{}>", types.join(", ")) };
            ProfileNode {
                parent: node.parent,
                function,
                name: demangled(function) + &types,
                calls: node.calls,
                instructions: node.instructions,
                allocations: node.events.allocations,
                bytes: node.events.bytes,
                retains: node.events.retains,
                releases: node.events.releases,
            }
        });
        nodes.collect()
    }
}
