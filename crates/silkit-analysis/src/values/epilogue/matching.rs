//! The retains of a function's returned value, and the releases of its owned arguments.

use super::{Epilogue, EpilogueKind};
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::{Block, DeclRef, Inst, Opcode, Value, ValueDef};
use silkit_types::{SilType, Type, TypeFacts, TypeKind};

/// The maximum number of paths to follow at once.
const MOST_PATHS: usize = 4;

/// The result of searching for retains of the returned value: see [`Epilogue::returned`].
enum RetainSearch {
    At(Inst),
    Nothing,
    Blocked,
}

/// A projection step from a value to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProjectionStep {
    Field(Symbol),
    Element(u32),
    Case(DeclRef),
}

impl Epilogue<'_> {
    fn return_block(&self) -> Option<Block> {
        let returns =
            |b: &Block| self.body.terminator(*b).is_some_and(|t| self.body.inst(t).opcode == Opcode::Return);
        self.body.blocks().find(returns)
    }

    /// Returns the retains of the returned value that cannot be undone before the function returns: one on each path,
    /// or none.
    pub fn returned(&self) -> Vec<Inst> {
        let body = self.body;
        let Some(end) = self.return_block() else { return Vec::new() };
        let returned = body.terminator(end).and_then(|t| body.operands(t).first());
        let Some(returned) = returned.map(|o| o.value) else { return Vec::new() };
        let mut retains: Vec<Inst> = Vec::new();
        let (mut free, mut seen) = (FxHashSet::default(), FxHashSet::from_iter([end]));
        let mut work = vec![(end, returned)];
        while work.len() <= MOST_PATHS {
            let Some((block, value)) = work.pop() else {
                // No block after a retain may contain another retain.
                let homes = retains.iter().map(|&r| body.inst_block(r)).chain(free.iter().copied());
                let is_complete =
                    homes.flat_map(|b| body.block_successors(b)).all(|successor| free.contains(&successor));
                return if is_complete { retains } else { Vec::new() };
            };
            match self.retain_in(block, value) {
                RetainSearch::At(retain) => retains.push(retain),
                RetainSearch::Blocked => return Vec::new(),
                RetainSearch::Nothing if body.predecessors(block).next().is_none() => return Vec::new(),
                RetainSearch::Nothing => {
                    free.insert(block);
                    for edge in body.incoming(block) {
                        let from = body.edge(edge).from;
                        let passed = match body.def(value) {
                            ValueDef::Argument(of, index) if of == block => {
                                body.edge_operand(edge, index.into()).map(|o| body.operand(o).value)
                            }
                            _ => None,
                        };
                        if seen.insert(from) {
                            work.push((from, passed.unwrap_or(value)));
                        }
                    }
                }
            }
        }
        Vec::new()
    }

    /// Returns the last retain of a value in a block. A recursive call retains the returned value.
    fn retain_in(&self, block: Block, value: Value) -> RetainSearch {
        let root = self.identity.root(value);
        let mut at = self.body.last_inst(block);
        while let Some(inst) = at {
            if self.recurses(inst) {
                return RetainSearch::At(inst);
            }
            if self.is(inst, EpilogueKind::Retain) {
                return if self.root_of_operand(inst) == root {
                    RetainSearch::At(inst)
                } else {
                    RetainSearch::Nothing
                };
            }
            if self.blocks(inst, EpilogueKind::Retain, value) {
                return RetainSearch::Blocked;
            }
            at = self.body.prev_inst(inst);
        }
        RetainSearch::Nothing
    }

    /// Returns the owned arguments that the returning block releases completely, as a whole or by parts, with the
    /// releases, last first.
    pub fn released_arguments(&self) -> Vec<(Value, Vec<Inst>)> {
        let body = self.body;
        let mut found: Vec<(Value, Vec<Inst>)> = Vec::new();
        let end = self.return_block().and_then(|b| body.terminator(b));
        let mut at = end.and_then(|t| body.prev_inst(t));
        while let Some(inst) = at {
            at = body.prev_inst(inst);
            if !self.is(inst, EpilogueKind::Release) {
                // A deallocated object has been released before.
                if body.inst(inst).opcode == Opcode::DeallocRef || self.behavior.may_release(inst) {
                    break;
                }
                continue;
            }
            let whole = self.whole(self.root_of_operand(inst));
            if !self.is_owned_argument(whole) {
                break;
            }
            match found.iter_mut().find(|(argument, _)| *argument == whole) {
                None => found.push((whole, vec![inst])),
                Some((_, releases)) if self.is_separate(whole, releases, inst) => releases.push(inst),
                Some(_) => break,
            }
        }
        found.retain(|(argument, releases)| self.is_released(*argument, releases));
        found
    }

    /// Returns the aggregate that a value was extracted from.
    fn whole(&self, part: Value) -> Value {
        let extracts = |opcode| matches!(opcode, Opcode::StructExtract | Opcode::TupleExtract);
        self.body.look_through(part, extracts)
    }

    fn is_owned_argument(&self, value: Value) -> bool {
        let ValueDef::Argument(block, index) = self.body.def(value) else { return false };
        let conventions = Conventions::of(self.view.function, self.view.addresses());
        self.body.is_entry_block(block)
            && conventions.and_then(|c| c.convention(index.into())) == Some(ArgumentConvention::Owned)
    }

    /// Returns the path from a value to an extracted part.
    fn path(&self, whole: Value, part: Value) -> Option<Vec<ProjectionStep>> {
        let body = self.body;
        let mut steps = Vec::new();
        let up = |inst| {
            let word = |name| body.word(inst, name);
            steps.push(match body.inst(inst).opcode {
                Opcode::StructExtract => ProjectionStep::Field(DeclRef::from_u32(word("field")?).name()?),
                Opcode::TupleExtract => ProjectionStep::Element(word("field")?),
                Opcode::UncheckedEnumData => ProjectionStep::Case(DeclRef::from_u32(word("element")?)),
                _ => return None,
            });
            Some(body.operand_value(inst, 0))
        };
        body.chain(part, up).find(|&value| value == whole)?;
        steps.reverse();
        Some(steps)
    }

    /// Returns true if the part that an instruction releases does not overlap the parts that the other releases
    /// release.
    fn is_separate(&self, whole: Value, releases: &[Inst], inst: Inst) -> bool {
        let path = |i: Inst| self.path(whole, self.body.operand_value(i, 0));
        let Some(new) = path(inst) else { return false };
        releases
            .iter()
            .all(|&release| path(release).is_some_and(|old| !old.starts_with(&new) && !new.starts_with(&old)))
    }

    fn is_released(&self, argument: Value, releases: &[Inst]) -> bool {
        if let [release] = releases
            && self.root_of_operand(*release) == argument
        {
            return true;
        }
        let path = |&i: &Inst| self.path(argument, self.body.operand_value(i, 0));
        let Some(paths) = releases.iter().map(path).collect::<Option<Vec<_>>>() else { return false };
        let paths: Vec<&[ProjectionStep]> = paths.iter().map(Vec::as_slice).collect();
        self.is_covered(self.body.value(argument).ty, &paths)
    }

    /// Returns true if these paths cover all parts of a type that contain references.
    fn is_covered(&self, ty: SilType, paths: &[&[ProjectionStep]]) -> bool {
        if self.identity.is_trivial_type(ty) || paths.iter().any(|p| p.is_empty()) {
            return true;
        }
        if paths.is_empty() {
            return false;
        }
        let below = |part: ProjectionStep| -> Vec<&[ProjectionStep]> {
            paths.iter().filter(|p| p.first() == Some(&part)).map(|p| &p[1..]).collect()
        };
        let declarations = self.identity.declarations();
        let covered = |(part, of): (ProjectionStep, Type)| self.is_covered(ty.with_type(of), &below(part));
        match ty.ty().kind() {
            TypeKind::Tuple(elements) => {
                let parts =
                    elements.iter().enumerate().map(|(i, e)| (ProjectionStep::Element(i as u32), e.ty));
                parts.into_iter().all(covered)
            }
            _ => {
                let names = declarations.nominal_of(ty.ty()).map(|d| d.body.fields.iter().map(|f| f.name));
                let types = TypeFacts::stored_fields(declarations, ty.ty());
                let (Some(names), Some(types)) = (names, types) else { return false };
                names.map(ProjectionStep::Field).zip(types).all(covered)
            }
        }
    }
}
