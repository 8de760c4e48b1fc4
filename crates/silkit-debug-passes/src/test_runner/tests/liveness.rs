//! Tests of liveness.

use super::{Test, TestFn};
use crate::test_runner::arguments::Argument;
use silkit_analysis::DeadEnds;
use silkit_analysis::ossa::{BlockLiveness, Borrows, Boundary, Def, Incomplete, Liveness, UseKind};
use silkit_ir::{Inst, Operand, Value};

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("SSAPrunedLiveness__areUsesWithinBoundary", are_uses_within_boundary),
    ("linear_liveness", linear_liveness),
    ("liveness_partial_boundary_outside_users", users_outside_of_linear_liveness),
    ("multidef_liveness", multidef_liveness),
    ("multidefuse_liveness", multidefuse_liveness),
    ("pruned_liveness_boundary_with_list_of_last_users_insertion_points", insertion_points),
    ("scoped_address_liveness", scoped_address_liveness),
    ("ssa_liveness", ssa_liveness),
    ("ssa_use_liveness", ssa_use_liveness),
];

impl Test<'_, '_> {
    /// Prints the live blocks and the users.
    pub(super) fn print_liveness(&mut self, liveness: &Liveness) {
        for &block in liveness.blocks() {
            let name = self.dump().block(block);
            let how = match liveness.block(block) {
                BlockLiveness::Dead => "Dead",
                BlockLiveness::Within => "LiveWithin",
                BlockLiveness::Out => "LiveOut",
            };
            self.print(format!("{name}: {how}\n"));
        }
        for &(user, kind) in liveness.users() {
            let how = match kind {
                UseKind::NonUse => "non-user: ",
                UseKind::Ending => "lifetime-ending user: ",
                UseKind::Regular => "regular user: ",
            };
            self.print_inst(how, user);
        }
    }

    /// Prints liveness with its boundary.
    pub(super) fn print_life(&mut self, liveness: &Liveness) {
        self.print_liveness(liveness);
        let boundary = liveness.boundary(self.body());
        self.print_boundary(&boundary);
    }

    /// Prints a liveness boundary.
    pub(super) fn print_boundary(&mut self, boundary: &Boundary) {
        for &user in &boundary.last_users {
            self.print_inst("last user: ", user);
        }
        for &block in &boundary.edges {
            let name = self.dump().block(block);
            self.print(format!("boundary edge: {name}\n"));
        }
        for &def in &boundary.dead_defs {
            match def {
                Def::Inst(inst) => self.print_inst("dead def: ", inst),
                Def::Argument(value) => self.print_value("dead def: ", value),
            }
        }
    }

    pub(super) fn print_inst(&mut self, before: &str, inst: Inst) {
        let text = self.dump().inst(inst, "");
        self.print(format!("{before}{text}"));
    }

    pub(super) fn print_value(&mut self, before: &str, value: Value) {
        let text = self.dump().value(value, "");
        self.print(format!("{before}{text}"));
    }

    /// Prints an operand with its properties.
    pub(super) fn print_operand(&mut self, operand: Operand) {
        let body = self.body();
        let data = body.operand(operand);
        let (user, value, number) = (data.user, data.value, body.operand_index(operand));
        let is_type = if body.operand_spec(operand).is_none() { "yes" } else { "no" };
        self.print("Operand.\n");
        self.print_inst("Owner: ", user);
        self.print_value("Value: ", value);
        self.print(format!("Operand Number: {number}\nIs Type Dependent: {is_type}\n"));
    }

    fn define(&self, liveness: &mut Liveness, value: Value) {
        if let Some(def) = Def::of(self.body(), value) {
            liveness.define(self.body(), def);
        }
    }
}

/// Returns the lines that report why liveness is incomplete.
pub(super) fn incomplete(found: Incomplete) -> &'static str {
    match found {
        Incomplete::Complete => "",
        Incomplete::Reborrowed => "Incomplete liveness: Reborrowed inner scope\n",
        Incomplete::Escaping => "Incomplete liveness: Escaping address\n",
        Incomplete::Unknown => "Incomplete liveness: Unknown address use\n",
    }
}

fn ssa_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("SSA lifetime analysis: ", value);
    let (liveness, found) = {
        let ownership = test.ownership();
        let mut liveness = Liveness::of_value(test.body(), value);
        let found = Borrows::new(test.body(), &ownership).add_simple_uses(&mut liveness, value);
        (liveness, found)
    };
    test.print(incomplete(found));
    test.print_life(&liveness);
    Ok(())
}

fn multidef_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    test.print("MultiDef lifetime analysis:\n");
    let mut values = Vec::new();
    let mut liveness = Liveness::of_several();
    while test.arguments.has_more() {
        let value = test.value()?;
        test.print_value("  def value: ", value);
        test.define(&mut liveness, value);
        values.push(value);
    }
    let found = {
        let ownership = test.ownership();
        let borrows = Borrows::new(test.body(), &ownership);
        let found = values.iter().map(|&value| borrows.add_simple_uses(&mut liveness, value));
        found.max().unwrap_or_default()
    };
    test.print(incomplete(found));
    test.print_life(&liveness);
    Ok(())
}

/// Computes liveness with several definitions, which are values or instructions.
fn multidefuse_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    test.print("MultiDef lifetime analysis:\n");
    if test.arguments.text()? != "defs:" {
        return Err("expected `defs:` first".to_owned());
    }
    let mut liveness = Liveness::of_several();
    loop {
        match test.arguments.any()? {
            Argument::Text(text) if text == "uses:" => break,
            Argument::Instruction(_, inst) => {
                test.print_inst("  def instruction: ", inst);
                liveness.define(test.body(), Def::Inst(inst));
            }
            Argument::Value(_, value) | Argument::Passed(_, value) => {
                test.print_value("  def value: ", value);
                test.define(&mut liveness, value);
            }
            _ => return Err("expected a definition: a value or an instruction".to_owned()),
        }
    }
    while test.arguments.has_more() {
        let user = test.instruction()?;
        liveness.use_at(test.body(), user, UseKind::Regular);
    }
    test.print_life(&liveness);
    Ok(())
}

/// Returns the kind of use for a word.
pub(super) fn use_kind(word: &str) -> Result<UseKind, String> {
    match word {
        "non-use" => Ok(UseKind::NonUse),
        "ending" => Ok(UseKind::Ending),
        "non-ending" => Ok(UseKind::Regular),
        other => Err(format!("unknown kind of use `{other}`")),
    }
}

fn ssa_use_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let mut liveness = Liveness::of_value(test.body(), value);
    if test.arguments.text()? != "uses:" {
        return Err("expected `uses:` before the uses".to_owned());
    }
    while test.arguments.has_more() {
        let user = test.instruction()?;
        let kind = use_kind(&test.arguments.text()?)?;
        liveness.use_at(test.body(), user, kind);
    }
    test.print_life(&liveness);
    Ok(())
}

fn are_uses_within_boundary(test: &mut Test<'_, '_>) -> Result<(), String> {
    let expect = |test: &mut Test<'_, '_>, word: &str| match test.arguments.text()? == word {
        true => Ok(()),
        false => Err(format!("expected `{word}`")),
    };
    expect(test, "def:")?;
    let value = test.value()?;
    let mut liveness = Liveness::of_value(test.body(), value);
    test.print("SSAPrunedLiveness:\n");
    test.print_value("\tdef: ", value);
    expect(test, "liveness-uses:")?;
    test.print("\tuses:\n");
    loop {
        match test.arguments.any()? {
            Argument::Text(text) if text == "uses:" => break,
            Argument::Instruction(_, user) => {
                let word = test.arguments.text()?;
                test.print_inst(&format!("\t\t{word} "), user);
                liveness.use_at(test.body(), user, use_kind(&word)?);
            }
            _ => return Err("expected a use: an instruction".to_owned()),
        }
    }
    test.print_life(&liveness);
    test.print("\noperands:\n");
    let mut uses = Vec::new();
    while test.arguments.has_more() {
        let operand = test.arguments.operand()?;
        test.print_operand(operand);
        uses.push(operand);
    }
    let dead_ends = test.get::<DeadEnds>();
    let body = test.body();
    let inside = liveness.contains_uses(body, dead_ends.of(body), &uses);
    test.print(format!("RESULT: {inside}\n"));
    Ok(())
}

/// Runs the utility; all arguments are last users.
fn insertion_points(test: &mut Test<'_, '_>) -> Result<(), String> {
    let mut boundary = Boundary::default();
    while test.arguments.has_more() {
        boundary.last_users.push(test.instruction()?);
    }
    for point in boundary.insertion_points(test.body()) {
        test.print_inst("", point);
    }
    Ok(())
}

fn scoped_address_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("Scoped address analysis: ", value);
    let (liveness, found) = {
        let ownership = test.ownership();
        let mut liveness = Liveness::of_value(test.body(), value);
        let borrows = Borrows::new(test.body(), &ownership);
        let found = borrows.add_address_uses(&mut liveness, value);
        (liveness, found)
    };
    test.print(incomplete(found));
    test.print_life(&liveness);
    Ok(())
}

fn linear_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    test.print_value("Linear liveness: ", value);
    let liveness = {
        let ownership = test.ownership();
        let mut liveness = Liveness::of_value(test.body(), value);
        Borrows::new(test.body(), &ownership).add_linear_uses(&mut liveness, value);
        liveness
    };
    test.print_life(&liveness);
    Ok(())
}

/// Prints the users of a value, and of what is borrowed from it, that follow the ends of its lifetime.
fn users_outside_of_linear_liveness(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let outside: Vec<Inst> = {
        let (body, ownership) = (test.body(), test.ownership());
        let borrows = Borrows::new(body, &ownership);
        let (mut all, mut linear) = (Liveness::of_value(body, value), Liveness::of_value(body, value));
        borrows.add_simple_uses(&mut all, value);
        borrows.add_linear_uses(&mut linear, value);
        let users = all.users().iter().map(|&(user, _)| user);
        users.filter(|&user| linear.user(user).is_none() && !linear.contains(body, user)).collect()
    };
    for user in outside {
        test.print_inst("", user);
    }
    Ok(())
}
