//! Members that tables and lookups reference: they exist and match their formal types.

use super::method_abi::{self, Called};
use super::place;
use super::stated_types;
use crate::context::{ModuleVerifier, Owner};
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{ClassRef, DeclRef, WitnessEntry};
use silkit_text::SourceEntity;
use silkit_types::decl::{
    Accessors, DeclBody, DeclFlags, Declarations, Lookup, MemberKind, NominalDecl, NominalKind,
};
use silkit_types::{FunctionType, ParamConvention, ParamFlags, SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&ENTRY_NAMES_MEMBER, &ENTRY_FITS_METHOD];

static ENTRY_NAMES_MEMBER: Rule = Rule {
    id: RuleId::new("SIL0625"),
    name: "EntryNamesMember",
    severity: Severity::Error,
    summary: "A table entry names a member of the class or protocol",
    details: "\
Calls look the function up by the member, so it must be declared in the type, in an extension or in a
supertype; getters and setters belong to properties or subscripts. Declare the member, or correct its
name.",
    failing: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.n: (C) -> () -> () : @m
}
",
    corrected: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    check: Check::Module(entry_names_member),
};

fn entry_names_member(cx: &ModuleVerifier<'_>) {
    for (entity, method, _, function) in entries(cx) {
        let is_missing = || has_member(cx.declarations, method) == Some(false);
        let wrong = wrong_part(method, !matches!(entity, SourceEntity::VTable(_)))
            .or_else(|| is_missing().then(|| format!("`{method}` is not declared")))
            .or_else(|| {
                let is_property = !method.is_foreign() && is_property(cx.declarations, method);
                is_property.then(|| format!("`{method}` is a property, whose getter is `{method}!getter`"))
            });
        if let Some(message) = wrong {
            let place =
                function.map_or_else(|| place::entity(cx, entity), |f| place::entry(cx, entity, f.as_str()));
            cx.report(cx.finding(&ENTRY_NAMES_MEMBER, Owner::Module, place, message));
        }
    }
}

/// The parts of declarations that tables have entries for, besides those of `init` and `deinit`.
const PARTS: &[&str] = &[
    "getter",
    "setter",
    "read",
    "modify",
    "read2",
    "modify2",
    "borrow",
    "mutate",
    "yielding_borrow",
    "yielding_mutate",
    "unsafeAddressor",
    "unsafeMutableAddressor",
    "addressor",
    "mutableAddressor",
    "willSet",
    "didSet",
    "init",
    "ivardestroyer",
    "ivarinitializer",
    "foreign",
    "jvp",
    "vjp",
    "distributed",
    "distributed_thunk",
    "backDeploymentThunk",
    "backDeploymentFallback",
];

/// Returns an error about a part, such as `!getter`, that no table has an entry for or that belongs to another declaration.
pub(crate) fn wrong_part(method: DeclRef, is_of_protocol: bool) -> Option<String> {
    let data = method.data();
    let part = data.kinds.first()?.as_str().split('(').next()?;
    let name = method.name().filter(|_| data.path.len() > 1).map(Symbol::as_str);
    let wants = match part {
        "allocator" | "initializer" => "init",
        "deallocator" | "isolatedDeallocator" | "destroyer" => "deinit",
        // Compilers before Swift 5.3 stated how many argument lists are applied: `#C.m!1`.
        _ if part.bytes().all(|byte| byte.is_ascii_digit()) => return None,
        _ if !PARTS.contains(&part) => return Some(format!("no method is `!{part}`")),
        "foreign"
        | "ivardestroyer"
        | "ivarinitializer"
        | "distributed"
        | "distributed_thunk"
        | "jvp"
        | "vjp"
        | "backDeploymentThunk"
        | "backDeploymentFallback" => return None,
        _ => {
            let is_other = name.is_some_and(|name| matches!(name, "init" | "deinit"));
            return is_other.then(|| format!("`{method}` names an accessor of a property"));
        }
    };
    if part == "initializer" && is_of_protocol && data.kinds.len() == 1 {
        return Some(format!("the requirement is `!allocator`, found `{method}`"));
    }
    (name.is_some_and(|name| name != wants) || data.path.len() == 1)
        .then(|| format!("`!{part}` is a part of `{wants}`, found `{method}`"))
}

type Entry = (SourceEntity, DeclRef, Option<Type>, Option<Symbol>);

/// Returns the methods of all tables with their formal types and functions.
fn entries<'a>(cx: &'a ModuleVerifier<'_>) -> impl Iterator<Item = Entry> + 'a {
    let module = cx.module;
    let of_classes =
        module.vtables.iter().filter(|(_, t)| matches!(t.class, ClassRef::Name(_))).flat_map(|(i, t)| {
            t.entries.iter().map(move |e| (SourceEntity::VTable(i), e.method, e.formal, Some(e.function)))
        });
    let witnesses = module.witness_tables.iter().map(|(i, t)| (SourceEntity::WitnessTable(i), t));
    let defaults =
        module.default_witness_tables.iter().map(|(i, t)| (SourceEntity::DefaultWitnessTable(i), t));
    let of_protocols = witnesses.chain(defaults).flat_map(|(entity, t)| {
        t.entries.iter().flatten().filter_map(move |entry| match entry {
            WitnessEntry::Method(method, formal, function) => Some((entity, *method, *formal, *function)),
            _ => None,
        })
    });
    of_classes.chain(of_protocols)
}

/// Protocols without members, which do not add members to the types that conform.
const WITHOUT_MEMBERS: &[&str] =
    &["AnyObject", "Sendable", "SendableMetatype", "Copyable", "Escapable", "BitwiseCopyable", "Error"];

/// A limit above the number of supertypes of any type.
const MOST_TYPES: usize = 256;

/// Returns whether a referenced member is declared, if the file has all declarations that may declare it.
pub(crate) fn has_member(declarations: &Declarations, named: DeclRef) -> Option<bool> {
    let data = named.data();
    // The destroyer of stored properties belongs to the class itself: `#C.Nested!ivardestroyer`.
    if data.kinds.iter().any(|kind| *kind == "ivardestroyer") {
        return None;
    }
    // Members without a name: `#<abstract function>C.x`.
    if data.path.len() < 2 || data.path.iter().any(|part| part.as_str().contains('<')) {
        return None;
    }
    let name = Symbol::new(named.name()?.as_str().trim_matches('"'));
    let mut work = vec![named.owner_path()?];
    let mut seen = Vec::new();
    while let Some(path) = work.pop() {
        if seen.contains(&path) {
            continue;
        }
        seen.push(path);
        let entry = declarations.own().get(path)?;
        // The name may mean a declaration of another module.
        if matches!(declarations.lookup_nominal(path), Lookup::Unknown) {
            return None;
        }
        let decl = entry.nominal.as_ref().filter(|decl| is_plain(decl))?;
        let bodies = std::iter::once(&decl.body).chain(entry.extensions.iter().map(|e| &e.body));
        for body in bodies {
            let accessor = data.kinds.first().map_or("", |kind| kind.as_str());
            if !declarations.own().is_printed_by_compiler && lacks_coroutine(body, name, accessor) {
                return Some(false);
            }
            match declares(body, name, accessor) {
                None => return None,
                Some(true) => return Some(true),
                Some(false) => {}
            }
        }
        // Every class has these, even implicitly.
        if matches!(name.as_str(), "init" | "deinit") && decl.is_class() {
            return None;
        }
        let inherited = decl.inherited.iter().chain(entry.extensions.iter().flat_map(|e| &e.inherited));
        for ty in inherited {
            let TypeKind::Named(above) = ty.kind() else { return None };
            if above.parent.is_none() && WITHOUT_MEMBERS.contains(&above.name.as_str()) {
                continue;
            }
            work.push(declarations.path_of(*ty)?);
        }
        if seen.len() > MOST_TYPES {
            return None;
        }
    }
    Some(false)
}

/// Returns true if the file contains the complete declaration of a type.
fn is_plain(decl: &NominalDecl) -> bool {
    !decl.flags.contains(DeclFlags::AMBIGUOUS)
        && matches!(decl.kind, NominalKind::Class | NominalKind::Actor | NominalKind::Protocol)
}

/// Returns true if a body declares the property with a name, and without the coroutine that is its accessor. The declarations
/// of a SIL file do not state coroutines: there is one to change a value that has a setter, and one to read a `@_borrowed`
/// value.
fn lacks_coroutine(body: &DeclBody, name: Symbol, accessor: &str) -> bool {
    let stated = match accessor {
        "read" => Accessors::READ,
        "read2" => Accessors::READ2,
        "modify2" => Accessors::MODIFY2,
        _ => return false,
    };
    let has = |flags: DeclFlags, accessors: Accessors| {
        accessors.intersects(stated | Accessors::READ2 | Accessors::MODIFY2)
            || accessor == "read" && flags.contains(DeclFlags::BORROWED)
    };
    let fields = body.fields.all_named(name).map(|field| has(field.flags, field.accessors));
    let is_value = |kind| matches!(kind, MemberKind::Property | MemberKind::Subscript);
    let members = body.members.all_named(name).filter(|member| is_value(member.kind));
    let mut all = fields.chain(members.map(|member| has(member.flags, member.accessors))).peekable();
    all.peek().is_some() && !all.any(|has| has)
}

/// Returns whether a body declares a member with the referenced accessor.
fn declares(body: &DeclBody, name: Symbol, accessor: &str) -> Option<bool> {
    // The declarations of a SIL file do not tell which of these there are.
    if matches!(accessor, "borrow" | "mutate" | "yielding_borrow" | "yielding_mutate") {
        return None;
    }
    let is_accessor = matches!(accessor, "getter" | "setter" | "modify" | "read" | "modify2" | "read2");
    let changes = matches!(accessor, "setter" | "modify" | "modify2");
    let fits = |accessors: Accessors| is_accessor && !(changes && accessors == Accessors::GET);
    if let Some(field) = body.fields.named(name) {
        return Some(!is_accessor || !field.accessors.is_empty() && fits(field.accessors));
    }
    let mut found = body.members.all_named(name).peekable();
    if found.peek().is_none() {
        return Some(false);
    }
    let has = |kind: MemberKind, accessors: Accessors| match kind {
        MemberKind::Property | MemberKind::Subscript => fits(accessors),
        _ => !is_accessor,
    };
    let found: Vec<bool> = found.map(|member| has(member.kind, member.accessors)).collect();
    // Key paths and Objective-C protocols reference properties without an accessor.
    if found.contains(&true) {
        Some(true)
    } else if is_accessor {
        Some(false)
    } else {
        None
    }
}

static ENTRY_FITS_METHOD: Rule = Rule {
    id: RuleId::new("SIL0626"),
    name: "EntryFitsMethod",
    severity: Severity::Error,
    summary: "A function in a table has the type of its method",
    details: "\
A call passes the arguments of the method and then `self`, and receives the results of the method. Use a
thunk that has the type of the method. The formal type of the method is that of its declaration: its `self` is an
instance of the type that declares it.",
    failing: "\
class C {
  func m()
}
sil @m : $@convention(method) (Builtin.Int64, @guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    corrected: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    check: Check::Module(entry_fits_method),
};

fn entry_fits_method(cx: &ModuleVerifier<'_>) {
    for (entity, method, formal, function) in entries(cx) {
        let Some(name) = function else { continue };
        let Some(f) = cx.function(name).and_then(|f| f.ty.ty().as_function()) else { continue };
        let is_foreign = matches!(entity, SourceEntity::VTable(_)) && method.is_foreign();
        let wrong = match is_foreign {
            true => Some(format!("`{method}` is a method of Objective-C, which no vtable has")),
            false => misstated(cx.declarations, method, formal).or_else(|| {
                let is_unclear = cx.declarations.own().is_printed_by_compiler;
                if is_unclear {
                    None
                } else {
                    stated_types::violation(cx.declarations, cx.swift_text(), method, formal)
                }
            }),
        };
        if let Some(message) = wrong {
            let place = place::entry(cx, entity, name.as_str());
            cx.report(cx.finding(&ENTRY_FITS_METHOD, Owner::Module, place, message));
            continue;
        }
        let called = match entity {
            SourceEntity::VTable(_) => Called::ByClass,
            _ => Called::ByWitness,
        };
        if let Some(why) = misfit(cx.declarations, method, formal, f)
            .or_else(|| method_abi::violation(cx.declarations, method, formal, f, called))
            .or_else(|| {
                let is_default = matches!(entity, SourceEntity::DefaultWitnessTable(_));
                (is_default && f.sig.is_none()).then(|| "it is not generic over `Self`".to_owned())
            })
        {
            let message = format!("`@{name}` cannot be called as `{method}`: {why}");
            let place = place::entry(cx, entity, name.as_str());
            let finding = cx.finding(&ENTRY_FITS_METHOD, Owner::Module, place, message);
            cx.report(match cx.program.function_id(name) {
                Some(id) => finding.also(crate::finding::Place::Function(id), "the function is here"),
                None => finding,
            });
        }
    }
}

/// Returns the reason why a function definitely does not match the formal type of a method.
pub(crate) fn misfit(
    declarations: &Declarations,
    method: DeclRef,
    formal: Option<Type>,
    f: &FunctionType,
) -> Option<String> {
    let kind = match &*method.data().kinds {
        [] => "",
        [kind] => kind.as_str(),
        _ => return None,
    };
    let own = f.params.split_last();
    // A method may also be called `deinit`, in backticks: it has a formal type.
    let is_deinit = formal.is_none() && method.name().is_some_and(|name| name == "deinit");
    if kind.is_empty() && is_deinit {
        let destroys = own.is_some_and(|(_, rest)| rest.is_empty()) && f.results.len() == 1;
        return (!destroys).then(|| "it does not release the memory of `self`".to_owned());
    }
    match kind {
        "" | "getter" | "setter" | "allocator" | "initializer" => {}
        "destroyer" => {
            return match (own, &*f.results) {
                (Some((this, [])), [_]) if this.convention == ParamConvention::Guaranteed => None,
                _ => Some("it does not return what remains of `self`".to_owned()),
            };
        }
        "ivardestroyer" => {
            return match own {
                Some((this, []))
                    if this.convention == ParamConvention::Guaranteed && f.results.is_empty() =>
                {
                    None
                }
                _ => Some("it does more than destroy the properties of `self`".to_owned()),
            };
        }
        "deallocator" => {
            return match own {
                Some((this, [])) if this.convention == ParamConvention::Owned && f.results.is_empty() => None,
                _ => Some("it consumes more than `self`".to_owned()),
            };
        }
        _ => return None,
    }
    let Some((_, given)) = own else { return Some("it takes no `self`".to_owned()) };
    // A tuple that replaces a parameter of a generic superclass is one argument.
    if method_abi::overrides_generic(declarations, method) {
        return None;
    }
    // A `nonisolated(nonsending)` method takes the isolation of its caller, which its formal type does not have.
    let given = match given {
        [first, rest @ ..] if first.flags.contains(ParamFlags::IMPLICIT_LEADING) => rest,
        all => all,
    };
    let inner = formal?.as_function()?.results.first()?.ty;
    if inner.as_function()?.sig.is_some() || holds_parameter(inner) {
        return None;
    }
    let lowered = declarations.lower(inner)?;
    let wanted = lowered.as_function()?;
    if wanted.params.iter().any(|p| holds_pack(p.ty)) || wanted.results.iter().any(|r| holds_pack(r.ty)) {
        return None;
    }
    if given.len() != wanted.params.len() {
        return Some(format!("it takes {} arguments, and the method {}", given.len(), wanted.params.len()));
    }
    if f.results.len() != wanted.results.len() {
        return Some(format!("it has {} results, and the method {}", f.results.len(), wanted.results.len()));
    }
    // A function that never throws may implement one that may throw.
    if (f.error.is_some() && wanted.error.is_none()) || f.is_async() != wanted.is_async() {
        return Some("only one of them throws or is asynchronous".to_owned());
    }
    let differ = |a: Type, b: Type| {
        let is_value = |t: Type| {
            matches!(t.kind(), TypeKind::Builtin(_, args) if args.is_empty())
                || declarations.is_class(t) == Some(false)
                    && matches!(t.kind(), TypeKind::Named(n) if n.args.is_empty())
        };
        (is_value(a) && is_value(b) && declarations.same_type(a, b, None) == Some(false))
            .then(|| (SilType::object(a), SilType::object(b)))
    };
    let is_object = |ty: Type| declarations.is_class(ty) == Some(true);
    let differs = f
        .results
        .iter()
        .zip(&wanted.results)
        .find(|(r, s)| is_object(s.ty) && is_object(r.ty) && r.convention != s.convention);
    if differs.is_some() {
        return Some("the convention of a result differs".to_owned());
    }
    // Whether a type is passed indirectly may depend on the module (library evolution).
    let params = given.iter().zip(&wanted.params).map(|(p, q)| (p.ty, q.ty));
    let results = f.results.iter().zip(&wanted.results).map(|(r, s)| (r.ty, s.ty));
    for (found, wanted) in params.chain(results) {
        if let Some((found, wanted)) = differ(found, wanted) {
            return Some(format!("it has `{found}` where the method has `{wanted}`"));
        }
    }
    None
}

/// Returns why a function surely is not called as a method of Objective-C is.
pub(crate) fn objc_misfit(
    declarations: &Declarations,
    method: DeclRef,
    formal: Option<Type>,
    f: &FunctionType,
) -> Option<String> {
    let (this, given) = f.params.split_last()?;
    // Initializers take over `self`, and so may methods that Objective-C declares.
    is_own(declarations, method)?;
    if !matches!(&*method.data().kinds, [kind] if *kind == "foreign") || method.name()? == "init" {
        return None;
    }
    if matches!(this.convention, ParamConvention::Owned | ParamConvention::Guaranteed) {
        return Some("`self` is not owned there".to_owned());
    }
    let inner = formal?.as_function()?.results.first()?.ty;
    let wanted = declarations.lower(inner)?;
    let wanted = wanted.as_function()?;
    // Errors are an argument more there, and so is what is called at the end.
    if wanted.error.is_some() || wanted.is_async() || inner.as_function()?.sig.is_some() {
        return None;
    }
    let is_called = given.len() == wanted.params.len() && f.results.len() == wanted.results.len();
    (!is_called).then(|| "it has other arguments or results".to_owned())
}

/// Returns true if a reference without an accessor names a property of a type of the file.
pub(crate) fn is_property(declarations: &Declarations, named: DeclRef) -> bool {
    let (Some(owner), Some(name)) = (is_own(declarations, named), named.name()) else { return false };
    let mut members = owner.body.members.all_named(name).peekable();
    let is_stored = owner.body.fields.named(name).is_some() && members.peek().is_none();
    let is_computed = members.peek().is_some() && members.all(|m| m.kind == MemberKind::Property);
    named.data().kinds.is_empty() && (is_stored || is_computed)
}

/// Returns something if the file declares the type of a method.
fn is_own(declarations: &Declarations, method: DeclRef) -> Option<&NominalDecl> {
    let decl = declarations.own().get(method.owner_path()?)?.nominal.as_ref()?;
    (!decl.flags.contains(DeclFlags::AMBIGUOUS)).then_some(decl)
}

/// Returns the reason that the vtable of a class has no entry for a method that the file declares; `None` if it may have one.
pub(crate) fn is_not_in_vtable(declarations: &Declarations, method: DeclRef) -> Option<&'static str> {
    const REASON_FINAL: &str = "is final";
    let decl = is_own(declarations, method).filter(|decl| decl.is_class())?;
    let name = method.name()?;
    if name == "deinit" {
        return Some("is a deinitializer");
    }
    let is_final = |flags: DeclFlags| {
        flags.contains(DeclFlags::FINAL)
            || flags.contains(DeclFlags::STATIC) && !flags.contains(DeclFlags::CLASS_MEMBER)
            || decl.flags.contains(DeclFlags::FINAL) && name != "init"
    };
    let reason = |flags: DeclFlags| match () {
        () if flags.contains(DeclFlags::OVERRIDE) => None,
        () if is_final(flags) => Some(REASON_FINAL),
        () if flags.contains(DeclFlags::CONVENIENCE) && !flags.contains(DeclFlags::REQUIRED) => {
            Some("is a convenience initializer")
        }
        () => None,
    };
    let fields = decl.body.fields.all_named(name).map(|field| reason(field.flags));
    let mut reasons = fields.chain(decl.body.members.all_named(name).map(|member| reason(member.flags)));
    // Of overloads, any one may be meant.
    let first = reasons.next()??;
    reasons.all(|reason| reason.is_some()).then_some(first)
}

/// Returns whether a method can be looked up at run time, where the file says it all.
pub(crate) fn is_objc(declarations: &Declarations, method: DeclRef) -> Option<bool> {
    let decl = is_own(declarations, method)?;
    // `@objc` comes from a superclass too, and from protocols, extensions and `@objcMembers`.
    let is_plain = decl.kind == NominalKind::Class && decl.inherited.is_empty()
        || decl.kind == NominalKind::Protocol && !decl.flags.contains(DeclFlags::OBJC);
    let name = method.name()?;
    let mut flags = decl.body.members.all_named(name).map(|m| m.flags).peekable();
    if !is_plain || flags.peek().is_none() || name == "init" {
        return None;
    }
    Some(flags.any(|f| f.intersects(DeclFlags::OBJC | DeclFlags::DYNAMIC | DeclFlags::OVERRIDE)))
}

/// Returns why the formal type that is stated for a method is not that of its declaration.
pub(crate) fn misstated(
    declarations: &Declarations,
    method: DeclRef,
    formal: Option<Type>,
) -> Option<String> {
    let owner = is_own(declarations, method)?;
    let [this] = &*formal?.as_function()?.params else { return None };
    let mut instance = this.ty;
    while let TypeKind::Metatype(_, inner) | TypeKind::Paren(inner) = instance.kind() {
        instance = *inner;
    }
    let found = declarations.nominal_of(instance)?;
    if owner.kind == NominalKind::Protocol || found.path == owner.path {
        return None;
    }
    Some(format!("`{method}` is stated as a method of `{}`, and `{}` declares it", found.path, owner.path))
}

fn holds_pack(ty: Type) -> bool {
    let mut found = matches!(ty.kind(), TypeKind::Pack { .. } | TypeKind::PackExpansion(_));
    ty.kind().for_each_part(&mut |part| found |= holds_pack(part));
    found
}

fn holds_parameter(ty: Type) -> bool {
    let mut found = matches!(ty.kind(), TypeKind::Param { .. } | TypeKind::Member(..) | TypeKind::Unknown);
    ty.kind().for_each_part(&mut |part| found |= holds_parameter(part));
    found
}
