//! Rules for types that are spelled in a body: they are declared and have the right number of generic arguments.

use super::facts::lowered_types;
use super::well_formed::{TYPE_IS_WELL_FORMED, TypeChecker};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_types::decl::{self, AliasDecl, Declarations, Lookup};
use silkit_types::stdlib;
use silkit_types::{Convention, GenericSig, NamedType, Requirement, RequirementKind, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&TYPE_IS_DECLARED, &TYPE_ARGUMENTS];

static TYPE_IS_DECLARED: Rule = Rule {
    id: RuleId::new("SIL0363"),
    name: "TypeIsDeclared",
    severity: Severity::Warning,
    summary: "A named type is declared in the file or in a module that it imports",
    details: "\
Nothing is known about an undeclared type, not even its size. Nothing is reported if the file imports a
module that Silkit does not know, because the type may be declared there, nor for the compiler's own
output (its symbols are mangled), because it omits types that are local to functions. Declare the type,
import its module, or correct its name.",
    failing: "\
sil_stage canonical

import Builtin
import Swift

sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Strng
  unreachable
}
",
    corrected: "\
sil_stage canonical

import Builtin
import Swift

sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $String
  unreachable
}
",
    check: Check::Body(written_types),
};

static TYPE_ARGUMENTS: Rule = Rule {
    id: RuleId::new("SIL0364"),
    name: "TypeArguments",
    severity: Severity::Error,
    summary: "A generic type has one argument for each of its parameters",
    details: "\
`Array<Int>` is a type, `Array<Int, Int>` is not. The number follows from the declaration, unless a
parameter is a pack. Write one argument for each parameter.",
    failing: "\
struct S<T> {
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $S<Builtin.Int8, Builtin.Int8>
  unreachable
}
",
    corrected: "\
struct S<T> {
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $S<Builtin.Int8>
  unreachable
}
",
    check: Check::With(&["SIL0363"]),
};

fn written_types(cx: &FunctionVerifier<'_>) {
    let is_printed = cx.is_printed_by_compiler();
    let (signature, sound) = (cx.signature(), cx.sound_types());
    let mut seen = FxHashSet::default();
    // Instructions that follow each other spell the same few types.
    let mut recent = [None; 64];
    let mut checker = TypeChecker::new(cx.declarations(), is_printed).except(&sound.formed);
    // Types with a problem are not visited again as parts of other types of the body, which may then seem sound.
    let mut has_findings = false;
    let mut check = |ty: Type, place: Place| {
        let at = ty.as_u32() as usize % recent.len();
        if recent[at].replace(ty) == Some(ty) || seen.contains(&ty) {
            return;
        }
        let is_declared = |ty: Type| sound.declared.contains(ty);
        if is_declared(ty) && checker.is_known(ty, signature) {
            return;
        }
        if let Some(found) = checker.violation(ty, signature) {
            has_findings = true;
            cx.report(found.graded(cx.finding(&TYPE_IS_WELL_FORMED, place, &*found.message)));
        }
        for (problem, message) in problems_besides(&is_declared, cx.declarations(), is_printed, ty, &mut seen)
        {
            has_findings = true;
            let rule = match problem {
                Problem::Undeclared => &TYPE_IS_DECLARED,
                Problem::Arguments => &TYPE_ARGUMENTS,
            };
            cx.report(cx.finding(rule, place, message));
        }
    };
    for inst in cx.insts() {
        for (_, ty) in lowered_types(cx, inst) {
            check(ty.ty(), Place::Inst(inst));
        }
    }
    if !has_findings && !seen.is_empty() {
        sound.declared.extend(seen);
        checker.add_known();
    }
}

/// A problem with a spelled type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Problem {
    /// No module declares it.
    Undeclared,
    /// The number of generic arguments differs from the declaration.
    Arguments,
}

/// Returns the problems of a type and its parts, without duplicates for a set of visited types.
pub(crate) fn problems(
    declarations: &Declarations,
    is_printed_by_compiler: bool,
    ty: Type,
    seen: &mut FxHashSet<Type>,
) -> Vec<(Problem, String)> {
    problems_besides(&|_| false, declarations, is_printed_by_compiler, ty, seen)
}

/// Returns the problems of a type and its parts, leaving out types that are known to have none.
fn problems_besides(
    is_known: &dyn Fn(Type) -> bool,
    declarations: &Declarations,
    is_printed_by_compiler: bool,
    ty: Type,
    seen: &mut FxHashSet<Type>,
) -> Vec<(Problem, String)> {
    let (mut found, mut work) = (Vec::new(), Vec::new());
    let mut next = Some(ty).filter(|ty| !seen.contains(ty));
    while let Some(ty) = next.take().or_else(|| work.pop()) {
        if is_known(ty) || !seen.insert(ty) {
            continue;
        }
        match ty.kind() {
            TypeKind::Named(named) => {
                work.extend(&named.args);
                if named.parent.is_none() {
                    found.extend(named_type(declarations, is_printed_by_compiler, ty));
                }
            }
            TypeKind::Builtin(_, args) => {
                work.extend(args);
                if !is_printed_by_compiler && lacks_import(declarations, "Builtin") {
                    let message = format!("`{ty}` is used, but the file does not import `Builtin`");
                    found.push((Problem::Undeclared, message));
                }
            }
            TypeKind::Attributed(..) | TypeKind::OpaqueResult { .. } | TypeKind::Opened { .. } => {}
            TypeKind::Function(f) => {
                work.extend(f.component_types());
                work.extend(&f.pattern_args);
                let data = [f.sig, f.pattern_sig].into_iter().flatten().map(GenericSig::data);
                for data in data {
                    let named = data.requirements.iter().filter(|r| r.kind != RequirementKind::Layout);
                    let named: Vec<&Requirement> = named.collect();
                    let conforms = named.iter().filter(|r| r.kind == RequirementKind::Conforms);
                    let bounds = data.params.iter().filter_map(|p| p.bound);
                    let mut constraints = conforms.map(|r| r.constraint).chain(bounds);
                    let unknown =
                        constraints.find(|&ty| !is_printed_by_compiler && is_unknown(declarations, ty));
                    found.extend(unknown.map(|ty| {
                        (
                            Problem::Undeclared,
                            format!("`{ty}` is neither a layout nor a declared protocol or class"),
                        )
                    }));
                    work.extend(
                        named.iter().flat_map(|r| [r.subject, r.constraint]).filter(|&ty| !is_layout(ty)),
                    );
                    work.extend(data.params.iter().filter_map(|p| p.bound).filter(|&ty| !is_layout(ty)));
                }
                if let Convention::WitnessMethod(protocol) = f.convention {
                    work.push(protocol);
                }
            }
            TypeKind::Box(layout) => {
                let fields = layout.fields.iter().map(|field| field.ty);
                work.extend(fields.chain(layout.args.iter().copied()));
            }
            kind => kind.for_each_part(&mut |part| work.push(part)),
        }
    }
    found
}

/// The modules of the toolchain that do not export others.
pub(crate) const MODULES: &[&str] =
    &["Builtin", "SwiftShims", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "_Differentiation"];

/// The types of `_Concurrency` that files name most, whose declarations are kept with those of `Swift`.
const OF_CONCURRENCY: &[&str] = &[
    "Actor",
    "AnyActor",
    "AsyncIteratorProtocol",
    "AsyncSequence",
    "AsyncStream",
    "AsyncThrowingStream",
    "CancellationError",
    "CheckedContinuation",
    "Clock",
    "ContinuousClock",
    "Executor",
    "ExecutorJob",
    "GlobalActor",
    "MainActor",
    "SerialExecutor",
    "SuspendingClock",
    "Task",
    "TaskExecutor",
    "TaskGroup",
    "TaskLocal",
    "TaskPriority",
    "ThrowingTaskGroup",
    "UnownedJob",
    "UnownedSerialExecutor",
    "UnownedTaskExecutor",
    "UnsafeContinuation",
    "UnsafeCurrentTask",
    "UnsafeThrowingContinuation",
];

/// Returns true if a file imports neither a module nor another one that may export it. A SIL file has no implicit
/// imports.
pub(crate) fn lacks_import(declarations: &Declarations, module: &str) -> bool {
    let own = declarations.own();
    own.is_whole_file
        && own
            .imports
            .iter()
            .all(|name| *name != module && (name == "Swift" || MODULES.contains(&name.as_str())))
}

/// Returns true if a constraint is a layout: `_Trivial`, `_RefCountedObject`.
fn is_layout(constraint: Type) -> bool {
    matches!(constraint.kind(), TypeKind::Named(n) if n.name.as_str().starts_with('_'))
}

/// Returns true for a constraint that begins with an underscore and is neither a layout nor declared. The standard library
/// declares no such protocol that is internal.
fn is_unknown(declarations: &Declarations, constraint: Type) -> bool {
    let TypeKind::Named(named) = constraint.kind() else { return false };
    is_layout(constraint)
        && named.parent.is_none()
        && named.args.is_empty()
        && !decl::is_layout(named.name)
        && declarations.sees_known_modules_only()
        && matches!(declarations.lookup_nominal(named.name), Lookup::Absent)
        && declarations.alias(named.name).is_none()
}

/// The modules whose internal types are known by name.
const WITH_INTERNAL_TYPES: &[&str] = &["Builtin", "Swift", "SwiftShims", "SwiftOnoneSupport", "_Concurrency"];

/// Returns true if a name that begins with an underscore may be one of an internal type of the library, or of a layout.
fn may_be_internal(declarations: &Declarations, name: Symbol) -> bool {
    let text = name.as_str();
    if !text.starts_with('_') {
        return false;
    }
    let own = declarations.own();
    let is_known = |module: &Symbol| WITH_INTERNAL_TYPES.contains(&module.as_str());
    let is_of_c = text.starts_with("__") || text.starts_with("_Swift") || text.starts_with("_swift");
    let may_be_of_c = is_of_c && own.imports.iter().any(|module| *module == "SwiftShims");
    !own.is_whole_file
        || may_be_of_c
        || !own.imports.iter().all(is_known)
        || decl::is_layout(name)
        || stdlib::INTERNAL_TYPES.binary_search(&text).is_ok()
}

/// Returns an error about the number of generic arguments of an alias that the file declares.
fn alias_arguments(declarations: &Declarations, named: &NamedType) -> Option<String> {
    let entry = declarations.own().get(named.name).filter(|entry| entry.nominal.is_none())?;
    let wanted = alias_parameters(declarations, entry.alias.as_ref()?)?;
    (!named.args.is_empty() && named.args.len() != wanted).then(|| {
        format!("`{}` takes {wanted} generic arguments, but {} are given", named.name, named.args.len())
    })
}

/// Returns the number of generic arguments that an alias takes; nothing if that is not known. An alias may stand for a generic
/// type: `typealias List = Array`.
pub(crate) fn alias_parameters(declarations: &Declarations, alias: &AliasDecl) -> Option<usize> {
    if let Some(sig) = alias.sig {
        let params = &sig.data().params;
        return (!params.iter().any(|p| p.is_pack)).then_some(params.len());
    }
    let TypeKind::Named(target) = alias.target.kind() else { return Some(0) };
    if !target.args.is_empty() {
        return Some(0);
    }
    let decl = declarations.nominal_of(alias.target).filter(|decl| !declarations.may_be_another(decl))?;
    let takes_packs = decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.is_pack));
    (target.parent.is_none() && !takes_packs && decl.name != alias.name).then(|| decl.param_count())
}

fn named_type(declarations: &Declarations, is_printed: bool, ty: Type) -> Option<(Problem, String)> {
    let TypeKind::Named(named) = ty.kind() else { return None };
    let is_given = match named.name.as_str() {
        "Any" | "Self" | "Builtin" | "Copyable" | "Escapable" | "Deinitable" => true,
        // These are known without a declaration, but only as names of the standard library.
        "AnyObject" => {
            let own = declarations.own();
            own.imports.iter().any(|module| *module == "Swift") || !declarations.sees_known_modules_only()
        }
        _ => false,
    };
    if is_given {
        return None;
    }
    if let Some(found) = alias_arguments(declarations, named).filter(|_| !is_printed) {
        return Some((Problem::Arguments, found));
    }
    match declarations.lookup_nominal(named.name) {
        Lookup::Absent
            if !may_be_internal(declarations, named.name)
                && declarations.alias(named.name).is_none()
                && !is_printed =>
        {
            let message = format!("`{}` is not declared, here or in an imported module", named.name);
            Some((Problem::Undeclared, message))
        }
        Lookup::Known(decl)
            if !is_printed
                && !named.name.as_str().starts_with('_')
                && declarations.own().get(decl.path).is_none()
                && lacks_import(declarations, "Swift") =>
        {
            let message = format!("`{}` is used, but the file does not import `Swift`", named.name);
            Some((Problem::Undeclared, message))
        }
        Lookup::Known(decl)
            if !is_printed
                && OF_CONCURRENCY.contains(&decl.path.as_str())
                && declarations.own().get(decl.path).is_none()
                && lacks_import(declarations, "_Concurrency") =>
        {
            let message = format!("`{}` is used, but the file does not import `_Concurrency`", named.name);
            Some((Problem::Undeclared, message))
        }
        Lookup::Known(decl) if !declarations.may_be_another(decl) => {
            let takes_packs = decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.is_pack));
            let (given, wanted) = (named.args.len(), decl.param_count());
            let is_protocol = decl.kind == silkit_types::decl::NominalKind::Protocol;
            let is_wrong = given > 0
                && given != wanted
                && !takes_packs
                && !is_protocol
                && declarations.alias(named.name).is_none();
            is_wrong.then(|| {
                let message =
                    format!("`{}` takes {wanted} generic arguments, but {given} are given", decl.path);
                (Problem::Arguments, message)
            })
        }
        _ => None,
    }
}
