//! Rules for several modules: linked objects, which are treated as one.

use crate::context::Owner;
use crate::finding::Place;
use crate::linked::{LinkedFinding, LinkedModule};
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Linkage, Module};
use silkit_types::SilType;

pub(super) const RULES: &[&Rule] = &[&LINKED_TYPE, &LINKED_LINKAGE, &LINKED_ONCE];

static LINKED_TYPE: Rule = Rule {
    id: RuleId::new("SIL0631"),
    name: "LinkedType",
    severity: Severity::Error,
    summary: "Linked objects of several modules have the same type",
    details: "\
The linker merges functions and variables of the same name that are visible to each other. A module that
assumes another type calls the function incorrectly. Recompile it, or rename one of the two.",
    failing: "\
sil @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
// module Other
sil @g : $@convention(thin) (Builtin.Int64) -> ()
",
    corrected: "\
sil @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
// module Other
sil @g : $@convention(thin) () -> ()
",
    check: Check::Linked(linked),
};

static LINKED_LINKAGE: Rule = Rule {
    id: RuleId::new("SIL0632"),
    name: "LinkedLinkage",
    severity: Severity::Error,
    summary: "Linked objects have the same linkage, or one has its external form",
    details: "\
All modules must agree on the visibility of the object. An object that is `public` elsewhere is declared
`public_external`, a `package` one `package_external`, and in the same Swift module a `hidden` or
`non_abi` one `hidden_external`.",
    failing: "\
sil hidden @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
// module Main
sil shared @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil hidden @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
// module Main
sil hidden_external @g : $@convention(thin) () -> ()
",
    check: Check::With(&["SIL0631"]),
};

static LINKED_ONCE: Rule = Rule {
    id: RuleId::new("SIL0633"),
    name: "LinkedOnce",
    severity: Severity::Error,
    summary: "Of linked objects at most one is a definition, unless they are shared or external",
    details: "\
The linker would find two definitions of the symbol. Keep one definition and declare the other, or make
both `shared`.",
    failing: "\
sil @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
// module Other
sil @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
// module Other
sil @g : $@convention(thin) () -> ()
",
    check: Check::With(&["SIL0631"]),
};

/// The visibility of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Visibility {
    Everywhere,
    InPackage,
    InModule,
}

#[derive(Clone, Copy, Debug)]
struct Object {
    input: usize,
    owner: Owner,
    linkage: Linkage,
    ty: SilType,
    is_definition: bool,
    seen: Visibility,
}

/// Reports violations by objects of several modules. Each object is compared with the first one of its set of linked
/// objects, since being linked is an equivalence relation.
fn linked(inputs: &[LinkedModule<'_>], found: &mut Vec<LinkedFinding>) {
    let mut firsts: FxHashMap<Symbol, Vec<Object>> = FxHashMap::default();
    for (index, input) in inputs.iter().enumerate() {
        for (name, object) in objects(input.module, index) {
            let of_name = firsts.entry(name).or_default();
            let first = of_name.iter_mut().find(|first| are_linked(inputs, first, &object));
            match first {
                None => of_name.push(object),
                Some(first) if first.input == index => {}
                Some(first) => {
                    compare(inputs, name, first, &object, found);
                    if object.is_definition && !first.is_definition {
                        *first = object;
                    }
                }
            }
        }
    }
}

fn objects(module: &Module, input: usize) -> impl Iterator<Item = (Symbol, Object)> + '_ {
    let functions = module.functions.iter().map(|(id, f)| {
        let is_definition = f.body.is_some();
        (f.name, Owner::Function(id), spelled(f.linkage, is_definition), f.ty, is_definition)
    });
    let globals = module.globals.iter().map(|(at, g)| {
        let linkage = spelled(g.linkage, true);
        (g.name, Owner::Global(at), linkage, g.ty, !linkage.is_external())
    });
    functions.chain(globals).filter_map(move |(name, owner, linkage, ty, is_definition)| {
        let seen = seen(linkage)?;
        Some((name, Object { input, owner, linkage, ty, is_definition, seen }))
    })
}

/// Returns the linkage, replacing the default one by its meaning.
fn spelled(linkage: Linkage, is_definition: bool) -> Linkage {
    match linkage {
        Linkage::Default if is_definition => Linkage::Public,
        Linkage::Default => Linkage::PublicExternal,
        other => other,
    }
}

/// Returns the visibility of an object with this linkage; `None` if it is only visible in its own SIL module.
fn seen(linkage: Linkage) -> Option<Visibility> {
    use Linkage as L;
    match linkage {
        L::Public | L::PublicExternal => Some(Visibility::Everywhere),
        L::Package | L::PackageExternal => Some(Visibility::InPackage),
        // A definition without an ABI is shared, except for the optimizer.
        L::Hidden | L::HiddenExternal | L::Shared | L::SharedExternal => Some(Visibility::InModule),
        L::PublicNonAbi | L::PackageNonAbi => Some(Visibility::InModule),
        L::Private | L::Default => None,
    }
}

/// Returns true if two objects with the same name are visible to each other.
fn are_linked(inputs: &[LinkedModule<'_>], a: &Object, b: &Object) -> bool {
    let (of_a, of_b) = (&inputs[a.input], &inputs[b.input]);
    [a.seen, b.seen].iter().all(|seen| match seen {
        Visibility::Everywhere => true,
        Visibility::InPackage => {
            of_a.name == of_b.name || of_a.package.is_some() && of_a.package == of_b.package
        }
        Visibility::InModule => of_a.name == of_b.name,
    })
}

/// Returns the linkage of the definition that an external linkage refers to.
fn base(linkage: Linkage) -> Linkage {
    use Linkage as L;
    match linkage {
        L::PublicExternal => L::Public,
        L::PackageExternal => L::Package,
        L::HiddenExternal => L::Hidden,
        L::SharedExternal | L::PublicNonAbi | L::PackageNonAbi => L::Shared,
        other => other,
    }
}

fn compare(
    inputs: &[LinkedModule<'_>],
    name: Symbol,
    first: &Object,
    second: &Object,
    found: &mut Vec<LinkedFinding>,
) {
    let other = inputs[first.input].name;
    let mut report = |rule: &'static Rule, message: String, label: String| {
        let finding = crate::context::new_finding(rule, second.owner, Place::Whole, message);
        found.push(LinkedFinding { module: second.input, finding, other: (first.input, first.owner), label });
    };
    let declarations = inputs[second.input].declarations;
    let same_category = first.ty.is_address() == second.ty.is_address();
    if !same_category || declarations.same_type(first.ty.ty(), second.ty.ty(), None) == Some(false) {
        report(
            &LINKED_TYPE,
            format!("`@{name}` has type `{}` here, but another one in module `{other}`", second.ty),
            format!("has type `{}`", first.ty),
        );
    }
    // In its own Swift module, an object without an ABI is referenced as hidden_external.
    let non_abi = |l| matches!(l, Linkage::PublicNonAbi | Linkage::PackageNonAbi);
    let refers = |a: &Object, b: &Object| non_abi(a.linkage) && b.linkage == Linkage::HiddenExternal;
    if base(first.linkage) != base(second.linkage) && !refers(first, second) && !refers(second, first) {
        let (here, there) = (second.linkage.spelling(), first.linkage.spelling());
        report(
            &LINKED_LINKAGE,
            format!("`@{name}` is `{here}` here, but `{there}` in module `{other}`"),
            format!("is `{there}`"),
        );
        return;
    }
    let is_shared = |o: &Object| base(o.linkage) == Linkage::Shared;
    let may_be_two =
        first.linkage.is_external() || second.linkage.is_external() || is_shared(first) && is_shared(second);
    if first.is_definition && second.is_definition && !may_be_two {
        report(
            &LINKED_ONCE,
            format!("`@{name}` is defined here and in module `{other}`"),
            "is defined here".to_owned(),
        );
    }
}
