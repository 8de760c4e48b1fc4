//! What the ownership rules find and let pass, beside the examples on their pages.

use silkit_diag::Severity;
use silkit_verify::{VerifyOptions, verify};

const HEAD: &str = "\
import Builtin
class Base {}
protocol Shape { func area() }
sil @look : $@convention(thin) (@guaranteed Base) -> ()
";

/// Returns the rules that a function breaks, with a `~` before those that are warned of.
fn broken(function: &str) -> Vec<String> {
    let text = format!("{HEAD}{function}");
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let declarations = silkit_text::decl::declarations(&parsed.module);
    let report = verify(&parsed.module, &declarations, Some(parsed.source(&text)), &VerifyOptions::default());
    let name = |f: &silkit_verify::Finding| {
        let mark = if f.severity == Severity::Error { "" } else { "~" };
        format!("{mark}{}", f.rule.id.as_str())
    };
    report.findings.iter().map(name).collect()
}

#[test]
fn any_value_may_be_forwarded_as_unowned() {
    let found = broken(
        "sil [ossa] @f : $@convention(thin) (@owned Base) -> () {
bb0(%0 : @owned $Base):
  %1 = unchecked_ref_cast %0 : $Base to $Builtin.NativeObject, forwarding: @unowned
  %2 = copy_value %1
  destroy_value %2
  destroy_value %0
  %5 = tuple ()
  return %5
}
",
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_is_consumed_where_no_path_leads_is_warned_of() {
    let found = broken(
        "sil [ossa] @f : $@convention(thin) (@owned Base) -> () {
bb0(%0 : @owned $Base):
  br bb2
bb1:
  destroy_value %0
  unreachable
bb2:
  %4 = tuple ()
  return %4
}
",
    );
    assert_eq!(found, ["~SIL0402"]);
}

#[test]
fn a_phi_without_its_borrowed_from_is_followed_by_its_edges() {
    let found = broken(
        "sil [ossa] @f : $@convention(thin) (@owned Base) -> () {
bb0(%0 : @owned $Base):
  %1 = begin_borrow %0
  %2 = unchecked_ref_cast %1 to $Builtin.NativeObject
  br bb1(%2)
bb1(%4 : @guaranteed $Builtin.NativeObject):
  end_borrow %1
  fix_lifetime %4
  destroy_value %0
  %8 = tuple ()
  return %8
}
",
    );
    assert_eq!(found, ["SIL0407", "SIL0409"]);
    let found = broken(
        "sil [ossa] @f : $@convention(thin) (@owned Base) -> () {
bb0(%0 : @owned $Base):
  %1 = begin_borrow %0
  br bb1(%1)
bb1(%3 : @guaranteed $Base):
  br bb2(%3)
bb2(%5 : @guaranteed $Base):
  destroy_value %0
  end_borrow %5
  %8 = tuple ()
  return %8
}
",
    );
    assert_eq!(found.iter().filter(|id| *id == "SIL0408").count(), 1, "{found:?}");
}

#[test]
fn a_lookup_needs_no_memory() {
    let found = broken(
        "sil [ossa] @f : $@convention(thin) (@owned any Error) -> () {
bb0(%0 : @owned $any Error):
  %1 = begin_borrow %0
  %2 = open_existential_box %1 to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any Error) Self
  end_borrow %1
  %4 = witness_method $@opened(\"01234567-89AB-CDEF-0123-000000000000\", any Error) Self, #Error._code!getter, %2 : \
$*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any Error) Self : \
$@convention(witness_method: Error) <τ_0_0 where τ_0_0 : Error> (@in_guaranteed τ_0_0) -> Int
  destroy_value %0
  %6 = tuple ()
  return %6
}
",
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn who_asks_for_it_is_left_alone() {
    let body = "bb0(%0 : @guaranteed $Base):
  destroy_value %0
  %2 = tuple ()
  return %2
}
";
    let header = "@f : $@convention(thin) (@guaranteed Base) -> () {";
    assert_eq!(broken(&format!("sil [ossa] {header}\n{body}")), ["SIL0401"]);
    assert!(broken(&format!("sil [ossa] [_semantics \"sil.verify_none\"] {header}\n{body}")).is_empty());
}

/// Many short borrows of one variable, which is written between them: the quadratic way takes minutes.
#[test]
fn the_cost_of_borrows_from_memory_is_linear() {
    let mut text = "sil [ossa] @f : $@convention(thin) (@inout Base, @guaranteed Base) -> () {\n".to_owned();
    text += "bb0(%p : $*Base, %g : @guaranteed $Base):\n  br bb1\n";
    let count = 40_000;
    for i in 0..count {
        let (at, behind, next) = (2 * i + 1, 2 * i + 2, 2 * i + 3);
        text +=
            &format!("bb{at}:\n  %l{i} = load_borrow %p\n  br bb{behind}\nbb{behind}:\n  end_borrow %l{i}\n");
        text += &format!("  %c{i} = copy_value %g\n  store %c{i} to [assign] %p\n  br bb{next}\n");
    }
    text += &format!("bb{}:\n  %r = tuple ()\n  return %r\n}}\n", 2 * count + 1);
    let start = std::time::Instant::now();
    assert!(broken(&text).is_empty());
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}

/// Returns a function with many blocks, in which lifetimes with one end are checked by dominance. `#` stands for many
/// branches.
fn large(body: &str) -> String {
    let branches: String = (0..100)
        .map(|i| format!("  cond_br %1, t{i}, e{i}\nt{i}:\n  br j{i}\ne{i}:\n  br j{i}\nj{i}:\n"))
        .collect();
    let head = "sil [ossa] @f : $@convention(thin) (@owned Base, Builtin.Int1) -> () {\n\
                bb0(%0 : @owned $Base, %1 : $Builtin.Int1):\n";
    format!("{head}{}  %r = tuple ()\n  return %r\n}}\n", body.replace('#', &branches))
}

const LOOK: &str = "  %l = function_ref @look : $@convention(thin) (@guaranteed Base) -> ()\n";

#[test]
fn long_lifetimes_of_large_functions_are_checked() {
    let call =
        |name: &str| format!("  %{name} = apply %l(%0) : $@convention(thin) (@guaranteed Base) -> ()\n");
    let (a, b) = (call("a"), call("b"));
    let end = "  destroy_value %0\n";
    let cases: &[(&str, String, &[&str])] = &[
        ("right", format!("{LOOK}{a}#{b}{end}"), &[]),
        ("used after its end", format!("{LOOK}#{end}{b}"), &["SIL0403"]),
        (
            "used behind its end",
            format!("{LOOK}#{end}  cond_br %1, x, y\nx:\n{b}  br z\ny:\n  br z\nz:\n"),
            &["SIL0403"],
        ),
        (
            "ended on one path",
            format!("#  cond_br %1, x, y\nx:\n{end}  br z\ny:\n  br z\nz:\n"),
            &["SIL0402"],
        ),
        ("ended in a loop", format!("#  br x\nx:\n{end}  cond_br %1, x, y\ny:\n"), &["SIL0401"]),
        ("used in a dead end", format!("{LOOK}  cond_br %1, x, y\nx:\n{a}  unreachable\ny:\n#{end}"), &[]),
        (
            "used in a dead end after its end",
            format!("{LOOK}#{end}  cond_br %1, x, y\nx:\n  br w\nw:\n{a}  unreachable\ny:\n"),
            &[],
        ),
    ];
    for (name, body, expected) in cases {
        let small = broken(&large(&body.replace('#', "")));
        let found = broken(&large(body));
        assert_eq!(found, small, "{name}: a large function is not checked as a small one");
        assert_eq!(found.is_empty(), expected.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn what_a_phi_lists_encloses_the_phis_that_follow() {
    let through = |last: &str| {
        broken(&format!(
            "sil [ossa] @f : $@convention(thin) (@owned Base) -> () {{
bb0(%0 : @owned $Base):
  %1 = begin_borrow %0
  br bb1(%1)
bb1(%3 : @reborrow $Base):
  %4 = borrowed %3 from (%0)
  br bb2(%4)
bb2(%6 : @reborrow $Base):
  %7 = borrowed %6 from ({last})
  end_borrow %7
  destroy_value %0
  %10 = tuple ()
  return %10
}}
"
        ))
    };
    assert!(through("%0").is_empty());
    assert_eq!(through(""), ["SIL0417"]);
}

#[test]
fn what_is_forwarded_from_no_borrow_may_end() {
    let found = broken(
        "enum Maybe { case no
 case yes(Base) }
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = enum $Maybe, #Maybe.no!enumelt
  %1 = unchecked_enum_data %0 : $Maybe, #Maybe.yes!enumelt, forwarding: @guaranteed
  end_borrow %1
  %3 = tuple ()
  return %3
}
",
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_stated_forwarding_ownership_goes_before_that_of_the_operands() {
    let two = |end: &str| {
        broken(&format!(
            "struct Two {{ var a: Base
 var b: Base }}
sil [ossa] @f : $@convention(thin) (@owned Base, @guaranteed Base) -> () {{
bb0(%0 : @owned $Base, %1 : @guaranteed $Base):
  %2 = struct $Two (%0, %1){end}
  destroy_value %2
  %4 = tuple ()
  return %4
}}
"
        ))
    };
    assert_eq!(two(""), ["SIL0411"]);
    assert_eq!(two(", forwarding: @owned"), ["SIL0401"]);
}

#[test]
fn types_are_inspected_to_a_depth() {
    let cast = |depth: usize| {
        let ty = format!("{}Base{}", "Box<".repeat(depth), ">".repeat(depth));
        broken(&format!(
            "struct Box<T> {{ var value: T }}
sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> () {{
bb0(%0 : $Builtin.Int64):
  %1 = unchecked_trivial_bit_cast %0 to ${ty}
  %2 = tuple ()
  return %2
}}
"
        ))
    };
    assert_eq!(cast(1), ["SIL0302"]);
    assert_eq!(cast(16), ["SIL0302"]);
    // It may be wrong, but nothing is said of it.
    assert!(cast(17).is_empty());
}
