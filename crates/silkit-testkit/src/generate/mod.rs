//! A generator of valid SIL: programs that the verifier accepts, that terminate, and whose runs depend only on their
//! arguments.
//!
//! Each program has a function `@run : $@convention(thin) (Builtin.Int64, Builtin.Int64) -> Builtin.Int64`, which
//! calls the others. The observable behavior of a run is its result and the sequence of its calls of `@sink`; a call
//! of `@halt` ends the program. No function reads uninitialized memory, no check fails, no loop runs more than four
//! times in a row and a whole run executes at most [`Profile::cost`] instructions in each function.
//!
//! ```
//! use silkit_testkit::generate::{Profile, generate};
//! let text = generate(7, &Profile::small());
//! assert!(text.contains("sil [ossa] @run"));
//! assert_eq!(text, generate(7, &Profile::small()));
//! ```

mod calls;
mod control;
mod library;
mod memory;
mod types;
mod values;
mod writer;

use crate::random::Random;
use calls::{Parameter, Signature};
use types::Ty;
use writer::{Entity, Exit, Kind, Role, Writer};

/// The parameters of generated programs: sizes, and the frequencies of statement families.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The number of functions.
    pub functions: usize,
    /// The approximate number of statements in a function.
    pub statements: usize,
    /// The maximum nesting of branches and loops.
    pub depth: usize,
    /// The maximum number of instructions executed by one call of a function.
    pub cost: u64,
    /// True if functions are in OSSA; otherwise values are retained and released.
    pub ossa: bool,
    /// The number of branches and loops per 24 statements, where these are allowed.
    pub control: usize,
    /// The number of branch arms per 24 that leave a loop or the function, or are dead ends.
    pub exits: usize,
    /// The weight of integer statements.
    pub arithmetic: usize,
    /// The weight of statements with owned and guaranteed values.
    pub ownership: usize,
    /// The weight of memory statements.
    pub memory: usize,
    /// The weight of calls, methods, closures and coroutines.
    pub calls: usize,
}

impl Profile {
    /// Returns a profile with all features, of medium size.
    pub fn new() -> Profile {
        Profile {
            functions: 4,
            statements: 40,
            depth: 4,
            cost: 20_000,
            ossa: true,
            control: 6,
            exits: 4,
            arithmetic: 3,
            ownership: 4,
            memory: 4,
            calls: 3,
        }
    }

    /// Returns a profile with all features, for programs that are short enough to read.
    pub fn small() -> Profile {
        Profile { functions: 1, statements: 12, depth: 3, ..Profile::new() }
    }

    /// Returns a profile of branches, loops and dead ends with integers.
    pub fn control_flow() -> Profile {
        Profile { control: 12, exits: 8, ownership: 0, memory: 0, calls: 0, depth: 6, ..Profile::new() }
    }

    /// Returns a profile of owned and guaranteed values.
    pub fn ownership() -> Profile {
        Profile { arithmetic: 1, ownership: 8, memory: 1, calls: 1, ..Profile::new() }
    }

    /// Returns a profile of stack slots and other memory.
    pub fn memory() -> Profile {
        Profile { arithmetic: 1, ownership: 1, memory: 8, calls: 1, ..Profile::new() }
    }

    /// Returns the profile for a seed: each of the above in turn, some in non-OSSA.
    pub fn of_seed(seed: u64) -> Profile {
        let profile = match seed % 5 {
            0 => Profile::small(),
            1 => Profile::control_flow().sized(20),
            2 => Profile::memory().sized(20),
            3 => Profile::ownership(),
            _ => Profile::new(),
        };
        if seed / 5 % 3 == 2 { profile.lowered() } else { profile }
    }

    /// Returns the profile for non-OSSA functions.
    #[must_use]
    pub fn lowered(self) -> Profile {
        Profile { ossa: false, ..self }
    }

    /// Returns the profile with this approximate number of statements per function.
    #[must_use]
    pub fn sized(self, statements: usize) -> Profile {
        Profile { statements, ..self }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Profile::new()
    }
}

/// Shuffles items, depending only on the seed.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
}

/// Returns the program for a seed, as the text of a module.
pub fn generate(seed: u64, profile: &Profile) -> String {
    let mut random = Random::new(seed);
    let mut text = types::HEAD.to_owned() + &library::text(profile.ossa);
    let mut signatures: Vec<Signature> = Vec::new();
    for index in 0..profile.functions.max(1) {
        let is_last = index + 1 >= profile.functions;
        let mut signature =
            if is_last { run() } else { random_signature(&mut random, &format!("function_{index}")) };
        let mut writer = Writer::new(&mut random, profile, &signatures);
        let body = writer.function(&signature);
        signature.cost = writer.cost;
        let attributes = if profile.ossa { "[ossa] " } else { "" };
        text += &format!("\nsil {attributes}@{} : ${} {{\n{body}}}\n", signature.name, signature.ty());
        signatures.push(signature);
    }
    text + types::TABLES
}

/// Returns the signature of the function that runs a program.
fn run() -> Signature {
    let parameters = vec![Parameter::Int, Parameter::Int];
    Signature { name: "run".to_owned(), parameters, owned: None, throws: false, cost: 0 }
}

fn random_signature(random: &mut Random, name: &str) -> Signature {
    let mut parameters = Vec::new();
    let one_of = |random: &mut Random, types: &[Ty]| random.pick(types).copied().unwrap_or(Ty::Cell);
    if random.chance(1, 4) {
        parameters.push(Parameter::Out(one_of(random, &types::STORED)));
    }
    for _ in 0..1 + random.below(4) {
        parameters.push(match random.below(9) {
            0..=2 => Parameter::Int,
            3 => Parameter::Owned(one_of(random, &types::OWNED)),
            4 | 5 => Parameter::Guaranteed(one_of(random, &types::OWNED)),
            6 => Parameter::Inout(one_of(random, &types::STORED)),
            7 => Parameter::InGuaranteed(one_of(random, &types::STORED)),
            _ => Parameter::In(one_of(random, &types::STORED)),
        });
    }
    let owned = random.chance(1, 3).then(|| one_of(random, &types::OWNED));
    Signature { name: name.to_owned(), parameters, owned, throws: random.chance(1, 4), cost: 0 }
}

impl Writer<'_> {
    /// Generates the body of a function.
    fn function(&mut self, signature: &Signature) -> String {
        self.returns.owned = signature.owned.into_iter().collect();
        if signature.throws {
            let label = "bb2".to_owned();
            self.throws = Some(Exit { label, owned: Vec::new(), ..self.returns.clone() });
        }
        let arguments: Vec<String> = signature.parameters.iter().map(|&p| self.argument(p)).collect();
        self.text = format!("bb0({}):\n", arguments.join(", "));
        // Memory of the caller lives until the end.
        let is_memory = |e: &Entity| matches!(e.kind, Kind::Memory { .. });
        self.env.entities.sort_by_key(|e| !is_memory(e));
        self.floor = self.env.entities.iter().filter(|e| is_memory(e)).count();
        self.region(self.profile.statements);
        self.exit(signature);
        std::mem::take(&mut self.text)
    }

    /// Adds an argument, and returns its declaration.
    fn argument(&mut self, parameter: Parameter) -> String {
        let name = self.fresh();
        let (owned, guaranteed) = (self.either("@owned ", ""), self.either("@guaranteed ", ""));
        let mut memory = |ty: Ty, is_init: bool, ends_init: bool, is_mutable: bool| {
            let is_result = matches!(parameter, Parameter::Out(_));
            let role = Role::Argument { is_result, ends_init, is_mutable };
            let kind = Kind::Memory { is_init, role };
            self.add(name.clone(), ty, kind, Vec::new());
            format!("{name} : $*{}", ty.sil())
        };
        match parameter {
            Parameter::Inout(ty) => memory(ty, true, true, true),
            Parameter::InGuaranteed(ty) => memory(ty, true, true, false),
            Parameter::In(ty) => memory(ty, true, false, true),
            Parameter::Out(ty) => memory(ty, false, true, true),
            Parameter::Int => {
                self.add_value(name.clone(), Ty::Int);
                format!("{name} : $Builtin.Int64")
            }
            Parameter::Owned(ty) => {
                self.add_value(name.clone(), ty);
                format!("{name} : {owned}${}", ty.sil())
            }
            Parameter::Guaranteed(ty) => {
                self.add(name.clone(), ty, Kind::Forwarded, Vec::new());
                format!("{name} : {guaranteed}${}", ty.sil())
            }
        }
    }

    /// Generates the exits of the function: a return, and a throw if a branch leads to it.
    fn exit(&mut self, signature: &Signature) {
        let result = self.int();
        let owned: Vec<String> = signature.owned.into_iter().map(|ty| self.make(ty)).collect();
        if self.returns.is_used {
            let returns = self.returns.clone();
            self.leave(&returns, &[result], &owned);
            let names: Vec<String> = (0..=owned.len()).map(|_| self.fresh()).collect();
            let mut arguments = vec![format!("{} : $Builtin.Int64", names[0])];
            if let Some(ty) = signature.owned {
                arguments.push(format!("{} : {}${}", names[1], self.either("@owned ", ""), ty.sil()));
            }
            self.start("bb1", &arguments);
            self.return_values(&names);
        } else {
            self.close_to(0);
            self.return_values(&[&[result][..], &owned].concat());
        }
        if self.throws.as_ref().is_some_and(|exit| exit.is_used) {
            let code = self.fresh();
            self.start("bb2", &[format!("{code} : $Builtin.Int64")]);
            let error = self.call_library("make_error", &[&code]);
            self.line(format_args!("throw {error}"));
        }
    }

    fn return_values(&mut self, names: &[String]) {
        let value = match names {
            [number] => number.clone(),
            _ => self.def(format_args!("tuple ({})", names.join(", "))),
        };
        self.line(format_args!("return {value}"));
    }

    /// Generates a statement.
    fn statement(&mut self) {
        let p = self.profile;
        let families = [p.arithmetic, p.ownership, p.memory, p.calls, 1];
        for _ in 0..8 {
            let mut choice = self.random.below(families.iter().sum());
            let family = families.iter().position(|&weight| {
                let is_chosen = choice < weight;
                choice = choice.saturating_sub(weight);
                is_chosen
            });
            let is_done = match (family, self.random.below(8)) {
                (Some(0), 0..=3) => self.arithmetic(),
                (Some(0), 4 | 5) => self.sink(),
                (Some(0), 6) => self.checked_arithmetic(),
                (Some(0), _) => !self.boolean().is_empty(),
                (Some(1), 0..=2) => self.new_value(),
                (Some(1), 3 | 4) => self.copy_or_move(),
                (Some(1), 5) => self.begin_borrow(),
                (Some(1), 6) => self.take_apart(),
                (Some(2), 0 | 1) => self.new_slot(),
                (Some(2), 2 | 3) => self.write(),
                (Some(2), 4) => self.read(),
                (Some(2), 5) => self.deinitialize(),
                (Some(2), 6) => self.begin_access() || self.store_borrow(),
                (Some(2), _) => self.shared_memory(),
                (Some(3), 0 | 1) => self.call_generated(),
                (Some(3), 2..=4) => self.observe(),
                (Some(3), 5) => self.stack_closure(),
                (Some(3), 6) => self.begin_coroutine(),
                (Some(1 | 3), _) => self.store_borrow() || self.end_early(),
                _ => self.end_early() || self.sink(),
            };
            if is_done {
                return;
            }
        }
    }
}
