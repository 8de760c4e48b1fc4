//! What the effects of functions cost grows as their bodies do, whatever the shape.

use silkit_analysis::side_effects::{NoWitness, side_effects};
use silkit_analysis::{ProgramFacts, ProgramView};
use silkit_testkit::growth::{Scenario, check};
use std::fmt::Write;
use std::hint::black_box;

/// Computes the effects of each function of a module with these declarations and functions.
fn effects(text: &str) -> Box<dyn FnOnce()> {
    let parsed =
        silkit_text::parse_module(&format!("sil_stage canonical\nimport Builtin\nimport Swift\n{text}"));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    let declarations = silkit_text::decl::declarations(&parsed.module);
    Box::new(move || {
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&parsed.module, &declarations, &facts);
        for view in parsed.module.functions.keys().filter_map(|id| program.body_view(id)) {
            black_box(side_effects(view, &mut NoWitness));
        }
    })
}

/// Returns a text for each number below `n`, one after the other.
fn each(n: usize, text: impl Fn(usize) -> String) -> String {
    (0..n).map(text).collect()
}

/// A switch whose cases have payloads, which are destroyed.
fn payloads(n: usize) -> Box<dyn FnOnce()> {
    let mut text = String::from("class Node {}\nsil_vtable Node {\n}\nenum Choice {\n");
    text += &each(n, |i| format!("  case c{i}(Node)\n"));
    text += "}\nsil [ossa] @f : $@convention(thin) (@owned Choice) -> () {\nbb0(%0 : @owned $Choice):\n  switch_enum %0";
    text += &each(n, |i| format!(", case #Choice.c{i}!enumelt: b{i}"));
    text += "\n";
    text += &each(n, |i| format!("b{i}(%p{i} : @owned $Node):\n  destroy_value %p{i}\n  br end\n"));
    text += "end:\n  %r = tuple ()\n  return %r\n}\n";
    effects(&text)
}

/// Loads from and stores to the fields of a structure, one field each.
fn fields(n: usize) -> Box<dyn FnOnce()> {
    let mut text = String::from("struct Many {\n");
    text += &each(n, |i| format!("  @_hasStorage var x{i}: Builtin.Int64 {{ get set }}\n"));
    text += "}\nsil [ossa] @f : $@convention(thin) (@inout Many) -> () {\nbb0(%0 : $*Many):\n";
    for i in 0..n {
        let _ =
            writeln!(text, "  %a{i} = struct_element_addr %0, #Many.x{i}\n  %l{i} = load [trivial] %a{i}");
    }
    text += "  %r = tuple ()\n  return %r\n}\n";
    effects(&text)
}

/// Functions that call each other in a ring.
fn ring(n: usize) -> Box<dyn FnOnce()> {
    effects(&each(n, |i| {
        let (ty, next) = ("$@convention(thin) () -> ()", (i + 1) % n);
        format!(
            "sil @f{i} : {ty} {{\nbb0:\n  %0 = function_ref @f{next} : {ty}\n  %1 = apply %0() : {ty}\n  return %1\n}}\n"
        )
    }))
}

#[test]
fn costs_grow_as_the_bodies() {
    let scenarios: [(&str, Scenario); 3] = [("payloads", payloads), ("fields", fields), ("ring", ring)];
    let wrong: Vec<String> = scenarios
        .iter()
        .filter_map(|(name, scenario)| Some(format!("{name}: {:?}", check(2_000, *scenario).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
