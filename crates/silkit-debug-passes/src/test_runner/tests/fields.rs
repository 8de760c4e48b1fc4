//! Tests of field-sensitive liveness.

use super::liveness::use_kind;
use super::{Test, TestFn};
use crate::test_runner::arguments::Argument;
use silkit_analysis::ossa::{BlockLiveness, Def, FieldBoundary, FieldLiveness, UseKind, leaf_count};
use std::ops::Range;

pub(super) const TESTS: &[(&str, TestFn)] =
    &[("fieldsensitive_multidefuse_liverange", several_definitions), ("fs_ssa_use_liveness", one_definition)];

impl Test<'_, '_> {
    /// Returns the next two numbers: the first leaf and the one after the last.
    fn leaves(&mut self) -> Result<Range<usize>, String> {
        let (first, end) = (self.arguments.number()?, self.arguments.number()?);
        Ok(first as usize..end as usize)
    }

    fn print_fields(&mut self, liveness: &FieldLiveness) {
        for &block in liveness.blocks() {
            let mut line = self.dump().block(block);
            line.push_str(": ");
            for how in liveness.block(block) {
                line.push_str(match how {
                    BlockLiveness::Dead => "Dead, ",
                    BlockLiveness::Within => "LiveWithin, ",
                    BlockLiveness::Out => "LiveOut, ",
                });
            }
            self.print(line + "\n");
        }
        for &user in liveness.users() {
            for (index, leaf) in liveness.leaves().iter().enumerate() {
                let how = match leaf.user(user) {
                    None => continue,
                    Some(UseKind::NonUse) => "non-user: ",
                    Some(UseKind::Ending) => "lifetime-ending user: ",
                    Some(UseKind::Regular) => "regular user: ",
                };
                self.print_inst(how, user);
                self.print(format!("\tat {index}\n"));
            }
        }
    }

    fn print_field_boundary(&mut self, boundary: &FieldBoundary, count: usize) {
        for (user, leaves) in &boundary.last_users {
            self.print_inst("last user: ", *user);
            self.print(format!("\tat {}\n", bits(leaves, count)));
        }
        for (block, leaves) in &boundary.edges {
            let name = self.dump().block(*block);
            self.print(format!("boundary edge: {name}\n\tat {}\n", bits(leaves, count)));
        }
        for (def, leaves) in &boundary.dead_defs {
            match *def {
                Def::Inst(inst) => self.print_inst("dead def: ", inst),
                Def::Argument(value) => self.print_value("dead def: ", value),
            }
            self.print(format!("\tat {}\n", bits(leaves, count)));
        }
    }
}

/// Returns leaves as bits, the first leaf first, and as a list.
fn bits(leaves: &[usize], count: usize) -> String {
    let bits: String = (0..count).map(|leaf| if leaves.contains(&leaf) { '1' } else { '0' }).collect();
    let list: Vec<String> = leaves.iter().map(usize::to_string).collect();
    format!("{bits}[{}]", list.join(","))
}

fn one_definition(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let count = leaf_count(test.body().value(value).ty, test.cx.declarations());
    let leaves = test.leaves()?;
    let mut liveness = FieldLiveness::of_value(test.body(), value, count, leaves);
    if test.arguments.text()? != "uses:" {
        return Err("expected `uses:` before the uses".to_owned());
    }
    while test.arguments.has_more() {
        let user = test.instruction()?;
        let kind = use_kind(&test.arguments.text()?)?;
        let leaves = test.leaves()?;
        liveness.use_at(test.body(), user, kind, leaves);
    }
    test.print_fields(&liveness);
    let boundary = liveness.boundary(test.body());
    test.print_field_boundary(&boundary, count);
    Ok(())
}

fn several_definitions(test: &mut Test<'_, '_>) -> Result<(), String> {
    test.print("FieldSensitive MultiDef lifetime analysis:\n");
    let root = test.value()?;
    let count = leaf_count(test.body().value(root).ty, test.cx.declarations());
    if test.arguments.text()? != "defs:" {
        return Err("expected `defs:` after the value".to_owned());
    }
    let mut liveness = FieldLiveness::of_several(count);
    loop {
        let (def, text) = match test.arguments.any()? {
            Argument::Text(text) if text == "uses:" => break,
            Argument::Instruction(_, inst) => {
                (Some(Def::Inst(inst)), format!("instruction: {}", test.dump().inst(inst, "")))
            }
            Argument::Value(_, value) | Argument::Passed(_, value) => {
                (Def::of(test.body(), value), format!("value: {}", test.dump().value(value, "")))
            }
            _ => return Err("expected a definition: a value or an instruction".to_owned()),
        };
        let leaves = test.leaves()?;
        test.print(format!("  def in range [{}, {}) {text}", leaves.start, leaves.end));
        if let Some(def) = def {
            liveness.define(test.body(), def, leaves);
        }
    }
    while test.arguments.has_more() {
        let user = test.instruction()?;
        let kind = if test.arguments.bool()? { UseKind::Ending } else { UseKind::Regular };
        let leaves = test.leaves()?;
        liveness.use_at(test.body(), user, kind, leaves);
    }
    test.print_fields(&liveness);
    let boundary = liveness.boundary(test.body());
    test.print_field_boundary(&boundary, count);
    Ok(())
}
