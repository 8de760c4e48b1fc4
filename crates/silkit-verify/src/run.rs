//! The driver: runs the rules over a module.

use crate::catalog::{catalog, rules};
use crate::context::{FunctionVerifier, ModuleVerifier, Results, Shared, Undecided};
use crate::finding::{Finding, Place};
use crate::linked::{LinkedFinding, LinkedModule};
use crate::rule::{Check, Rule};
use crate::sound_types::SoundTypes;
use rayon::prelude::*;
use silkit_analysis::{ProgramFacts, ProgramView};
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::Addresses;
use silkit_ir::{Function, FunctionId, Inst, Module, Opcode};
use silkit_text::MappedText;
use silkit_types::decl::Declarations;
use silkit_types::{SilType, Type};
use std::sync::OnceLock;

/// Options of verification.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The rules to check; all rules if empty.
    pub only: Vec<RuleId>,
    /// Rules to skip.
    pub allow: Vec<RuleId>,
    /// True to collect undecided checks.
    pub unknown: bool,
    /// The representation of address-only values.
    pub addresses: Addresses,
}

impl VerifyOptions {
    fn is_enabled(&self, rule: &Rule) -> bool {
        (self.only.is_empty() || self.only.contains(&rule.id)) && !self.allow.contains(&rule.id)
    }
}

/// The result of verification.
#[derive(Debug, Default)]
pub struct VerifyReport {
    /// The findings, in the order of the module.
    pub findings: Vec<Finding>,
    /// The undecided checks, in the same order, if requested.
    pub unknown: Vec<Undecided>,
}

impl VerifyReport {
    fn take(&mut self, found: Results, options: &VerifyOptions) {
        self.findings.extend(found.findings.into_inner().into_iter().filter(|f| options.is_enabled(f.rule)));
        self.unknown.extend(found.unknown.into_inner().into_iter().filter(|u| options.is_enabled(u.rule)));
    }
}

type InstCheck = fn(&FunctionVerifier<'_>, Inst);

/// The checks to run, by kind.
#[derive(Default)]
struct Plan {
    /// For each opcode, the checks of its instructions.
    insts: Vec<Vec<InstCheck>>,
    bodies: Vec<fn(&FunctionVerifier<'_>)>,
    paths: Vec<fn(&FunctionVerifier<'_>)>,
    /// For each opcode, the checks of single instructions of the families that check static initializers.
    constants: Vec<Vec<InstCheck>>,
    modules: Vec<fn(&ModuleVerifier<'_>)>,
}

impl Plan {
    fn new(options: &VerifyOptions) -> Self {
        let none = || vec![Vec::new(); Opcode::ALL.len()];
        let mut plan = Plan { insts: none(), constants: none(), ..Plan::default() };
        for (family, rule) in catalog() {
            match rule.check {
                Check::Inst([], check) => plan.insts.iter_mut().for_each(|of| of.push(check)),
                Check::Inst(opcodes, check) if is_wanted(rule, options) => {
                    opcodes.iter().for_each(|&o| plan.insts[o as usize].push(check));
                    if family.checks_initializers {
                        opcodes.iter().for_each(|&o| plan.constants[o as usize].push(check));
                    }
                }
                // These checks always run, since they determine whether paths can be followed.
                Check::Body(check) => plan.bodies.push(check),
                Check::Paths(check) if is_wanted(rule, options) => plan.paths.push(check),
                Check::Module(check) if is_wanted(rule, options) => plan.modules.push(check),
                _ => {}
            }
        }
        plan
    }

    fn function(&self, cx: &FunctionVerifier<'_>) {
        self.bodies.iter().for_each(|check| check(cx));
        for inst in cx.insts() {
            for check in &self.insts[cx.body.inst(inst).opcode as usize] {
                check(cx, inst);
            }
        }
        if !cx.is_broken() {
            self.paths.iter().for_each(|check| check(cx));
        }
    }

    fn initializer(&self, cx: &FunctionVerifier<'_>) {
        for inst in cx.insts() {
            self.constants[cx.body.inst(inst).opcode as usize].iter().for_each(|check| check(cx, inst));
        }
    }
}

/// Returns true if a rule is enabled, or another rule that its check reports.
fn is_wanted(rule: &Rule, options: &VerifyOptions) -> bool {
    let id = rule.id.as_str();
    options.is_enabled(rule)
        || rules()
            .any(|r| matches!(r.check, Check::With(with) if with.contains(&id)) && options.is_enabled(r))
}

/// The rules that `[_semantics "sil.verify_none"]` exempts no function from: the reference holds to them while it reads.
const RULES_OF_READING: &[&str] = &[
    "SIL0102", "SIL0104", "SIL0121", "SIL0131", "SIL0132", "SIL0137", "SIL0303", "SIL0304", "SIL0308",
    "SIL0310", "SIL0311", "SIL0312", "SIL0313", "SIL0316", "SIL0332", "SIL0335", "SIL0336", "SIL0340",
    "SIL0342", "SIL0347", "SIL0348", "SIL0350", "SIL0360", "SIL0361", "SIL0363", "SIL0364", "SIL0367",
    "SIL0368", "SIL0373", "SIL0413", "SIL0609",
];

/// Returns true if a function asks to be left alone.
fn is_exempt(function: &Function) -> bool {
    function.has_semantics("sil.verify_none")
}

/// Verifies a module. `source` is the text that it was parsed from: messages use its names, and types stated at uses
/// are compared with those of the definitions.
pub fn verify(
    module: &Module,
    declarations: &Declarations,
    source: Option<MappedText<'_>>,
    options: &VerifyOptions,
) -> VerifyReport {
    let plan = Plan::new(options);
    let has_opaque_values = options.addresses == Addresses::Opaque;
    let facts = ProgramFacts::new(false).with_opaque_values(has_opaque_values);
    let program = &ProgramView::new(module, declarations, &facts);
    let is_printed_by_compiler = declarations.own().is_printed_by_compiler;
    let witnesses = OnceLock::new();
    let sound_types = SoundTypes::default();
    let swift = OnceLock::new();
    let shared = Shared {
        program,
        source,
        is_printed_by_compiler,
        witnesses: &witnesses,
        sound_types: &sound_types,
        swift: &swift,
    };
    let ids: Vec<FunctionId> =
        module.functions.keys().filter(|&id| module.functions[id].body.is_some()).collect();
    let of_modules = || -> Vec<Results> {
        let checks = plan.modules.par_iter();
        checks
            .map(|check| {
                let cx = ModuleVerifier::new(shared, options.unknown);
                check(&cx);
                cx.found
            })
            .collect()
    };
    let of_functions = || -> Vec<Results> {
        ids.par_iter()
            .with_max_len(16)
            .filter_map(|&id| {
                let function = &module.functions[id];
                let body = function.body.as_ref()?;
                let cx = FunctionVerifier::new(shared, id, function, body, options.unknown);
                plan.function(&cx);
                let mut found = cx.found;
                if is_exempt(function) {
                    let is_kept = |f: &Finding| RULES_OF_READING.contains(&f.rule.id.as_str());
                    found.findings.get_mut().retain(is_kept);
                    found.unknown.get_mut().clear();
                }
                if let Some(source) = source {
                    let position = |f: &Finding| crate::render::position(source.map, id, body, f.place);
                    // Findings without a position come last.
                    found.findings.get_mut().sort_by_key(|f| position(f).unwrap_or(silkit_ir::NONE));
                }
                Some(found)
            })
            .collect()
    };
    let of_initializers = || -> Vec<Results> {
        let no_function = Function::new("", SilType::object(Type::unknown()));
        let initialized = module.globals.iter().filter_map(|(id, g)| Some((id, g.initializer.as_ref()?)));
        let checked = initialized.map(|(id, body)| {
            let cx = FunctionVerifier::of_initializer(shared, id, &no_function, body, options.unknown);
            plan.initializer(&cx);
            let mut found = cx.found;
            // The reference checks only that the elements of a vector agree.
            let is_vector = |f: &Finding| match f.place {
                Place::Inst(inst) => body.inst(inst).opcode == Opcode::Vector,
                Place::Operand(operand) => body.inst(body.operand(operand).user).opcode == Opcode::Vector,
                _ => false,
            };
            if is_printed_by_compiler {
                found.findings.get_mut().retain(is_vector);
            }
            let lenient = found.findings.get_mut().iter_mut().filter(|f| !is_vector(f));
            lenient.for_each(|f| f.severity = Severity::Warning);
            found
        });
        checked.collect()
    };
    let (of_modules, of_functions) = rayon::join(of_modules, of_functions);
    let mut report = VerifyReport::default();
    of_modules
        .into_iter()
        .chain(of_initializers())
        .chain(of_functions)
        .for_each(|found| report.take(found, options));
    report
}

/// Verifies the objects that several modules share; [`verify`] checks each module by itself.
pub fn verify_linked(modules: &[LinkedModule<'_>], options: &VerifyOptions) -> Vec<LinkedFinding> {
    let mut found = Vec::new();
    for rule in rules() {
        if let Check::Linked(check) = rule.check
            && is_wanted(rule, options)
        {
            check(modules, &mut found);
        }
    }
    found.retain(|f| options.is_enabled(f.finding.rule));
    found
}
