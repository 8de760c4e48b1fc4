//! Tests of interior liveness. Those whose names end in `_swift` print ranges of instructions.

use super::liveness::incomplete;
use super::{Test, TestFn};
use silkit_analysis::ossa::{BlockLiveness, Borrows, Def, Extent, Incomplete, Interior, Liveness, UseKind};
use silkit_base::FxHashSet;
use silkit_ir::{Block, Inst, Opcode, Value};

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("extended-liveness", extended_liveness),
    ("interior_liveness", interior_liveness),
    ("interior_liveness_swift", interior_range),
    ("linear_liveness_swift", linear_range),
    ("visit_inner_adjacent_phis", visit_inner_adjacent_phis),
];

fn interior_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    test.print_value("Interior liveness: ", value);
    let (liveness, found, uses) = {
        let ownership = test.ownership();
        let borrows = Borrows::new(test.body(), &ownership);
        let extent = Extent { enters_accesses: true, ..Extent::default() };
        let uses = borrows.interior_uses(value, extent);
        let mut liveness = Liveness::of_value(test.body(), value);
        let found = borrows.add_interior_uses(&mut liveness, &uses);
        (liveness, found, uses)
    };
    for found in uses {
        if let Interior::Scope(scope) = found
            && !scope.is_of_memory
        {
            test.print_value("Inner scope: ", scope.value);
        }
    }
    test.print_liveness(&liveness);
    test.print(if found == Incomplete::Complete { "Complete liveness\n" } else { incomplete(found) });
    let boundary = liveness.boundary(test.body());
    test.print_boundary(&boundary);
    Ok(())
}

fn extended_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    test.print_value("Extended liveness: ", value);
    let liveness = {
        let ownership = test.ownership();
        let mut liveness = Liveness::of_several();
        Borrows::new(test.body(), &ownership).add_extended_uses(&mut liveness, value);
        liveness
    };
    test.print_life(&liveness);
    Ok(())
}

fn visit_inner_adjacent_phis(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    let phis = {
        let ownership = test.ownership();
        Borrows::new(test.body(), &ownership).inner_adjacent_phis(value)
    };
    for phi in phis {
        test.print_value("", phi);
    }
    Ok(())
}

/// Prints the interior uses of a value; a second argument selects whether inner scopes are entered.
fn interior_range(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let enters_scopes = test.arguments.has_more() && test.arguments.bool()?;
    let title = if enters_scopes { "Interior liveness with inner uses: " } else { "Interior liveness: " };
    test.print_value(title, value);
    let uses = {
        let ownership = test.ownership();
        let extent = Extent { enters_scopes, enters_accesses: false, follows_dependences: true };
        Borrows::new(test.body(), &ownership).interior_uses(value, extent)
    };
    let mut liveness = Liveness::of_value(test.body(), value);
    for found in uses {
        let inst = match found {
            Interior::Use(inst, _) | Interior::Endless(inst) => inst,
            Interior::Scope(scope) => {
                // The memory of a `store_borrow` is no inner scope here.
                if test.body().inst(scope.begin).opcode != Opcode::StoreBorrow {
                    test.print_value("Inner scope: ", scope.value);
                }
                scope.begin
            }
            Interior::PassedOn(_) => continue,
            Interior::Escape(inst) => {
                test.print_inst("Pointer escape: ", inst);
                inst
            }
        };
        liveness.use_at(test.body(), inst, UseKind::Regular);
    }
    test.print_range(value, &liveness);
    Ok(())
}

fn linear_range(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("Linear liveness: ", value);
    test.print("Live blocks:\n");
    let liveness = {
        let ownership = test.ownership();
        let mut liveness = Liveness::of_value(test.body(), value);
        Borrows::new(test.body(), &ownership).add_linear_uses(&mut liveness, value);
        liveness
    };
    test.print_range(value, &liveness);
    Ok(())
}

impl Test<'_, '_> {
    /// Prints liveness as a range of instructions: its begin, ends and interior uses.
    fn print_range(&mut self, value: Value, liveness: &Liveness) {
        let body = self.body();
        let boundary = liveness.boundary(body);
        let ends: FxHashSet<Inst> = boundary.last_users.iter().copied().collect();
        let def = Def::of(body, value);
        let (def_block, begin) = match (def, body.def(value)) {
            (Some(Def::Inst(inst)), _) => (Some(body.inst_block(inst)), Some(inst)),
            (_, silkit_ir::ValueDef::Argument(block, _)) => {
                let is_inside = |i: &Inst| {
                    !ends.contains(i)
                        && (liveness.contains(body, *i) || liveness.block(block) == BlockLiveness::Out)
                };
                (Some(block), body.first_inst(block).filter(is_inside))
            }
            _ => (None, None),
        };
        // The blocks are in the order in which their uses are found.
        let mut blocks: Vec<Block> = Vec::new();
        for &(user, _) in liveness.users() {
            let block = body.inst_block(user);
            if !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        let mut interiors = Vec::new();
        for block in blocks {
            let insts = std::iter::successors(body.last_inst(block), |&i| body.prev_inst(i));
            interiors.extend(insts.filter(|&i| liveness.user(i).is_some() && !ends.contains(&i)));
        }
        let exits: Vec<Inst> = boundary.edges.iter().filter_map(|&b| body.first_inst(b)).collect();
        let begin = match (begin, def_block) {
            (Some(inst), _) => self.line(inst),
            (None, Some(block)) => self.dump().block(block),
            (None, None) => String::new(),
        };
        self.print(format!("begin:    {begin}\n"));
        self.print_list("ends:     ", &boundary.last_users);
        self.print_list("exits:    ", &exits);
        self.print_list("interiors:", &interiors);
        for &end in &boundary.last_users {
            self.print_inst("last user: ", end);
        }
        for &block in &boundary.edges {
            let text = self.dump().typed_block(block);
            self.print(format!("boundary edge:\n{text}"));
        }
        if boundary.last_users.is_empty() && boundary.edges.is_empty() {
            self.print_value("dead def: ", value);
        }
    }

    fn print_list(&mut self, title: &str, insts: &[Inst]) {
        let lines: Vec<String> = insts.iter().map(|&inst| self.line(inst)).collect();
        self.print(format!("{title}{}\n", lines.join("\n          ")));
    }

    /// Returns an instruction without a line break.
    fn line(&self, inst: Inst) -> String {
        self.dump().inst(inst, "").trim_end_matches('\n').to_owned()
    }
}
