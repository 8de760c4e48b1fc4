use super::*;
use silkit_base::Symbol;
use silkit_ir::FunctionId;
use silkit_text::decl::{Dialect, parse_decls, with_stdlib};

const CLASSES: &str = "\
open class Open {
  func f()
}
class Inner : Open {
  final class Leaf : Inner {}
}
private class Hidden {}
private class HiddenBelow : Hidden {}
";

#[test]
fn the_hierarchy_knows_what_may_be_elsewhere() {
    let table = parse_decls(CLASSES, 0..CLASSES.len(), Dialect::Sil).table;
    let declarations = with_stdlib(table);
    let path = |name: &str| Symbol::new(name);
    let classes = ClassHierarchy::new(Visibility::new(&declarations, false));
    assert_eq!(classes.subclasses(path("Open")), [path("Inner"), path("Inner.Leaf")]);
    assert_eq!(classes.superclasses(path("Inner.Leaf")).collect::<Vec<_>>(), [path("Inner"), path("Open")]);
    assert!(classes.inherits(path("Inner.Leaf"), path("Open")));
    assert!(!classes.inherits(path("Open"), path("Inner")));
    let closed = |classes: &ClassHierarchy| {
        let all = ["Open", "Inner", "Inner.Leaf", "Hidden", "HiddenBelow"];
        all.into_iter().filter(|name| classes.is_closed(path(name))).collect::<Vec<_>>()
    };
    assert_eq!(closed(&classes), ["Inner.Leaf", "Hidden", "HiddenBelow"]);
    let whole = ClassHierarchy::new(Visibility::new(&declarations, true));
    assert_eq!(closed(&whole), ["Inner", "Inner.Leaf", "Hidden", "HiddenBelow"]);
}

const CALLS: &str = "\
sil_stage canonical
import Builtin
sil @top : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @left : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  %2 = function_ref @right : $@convention(thin) () -> ()
  %3 = apply %2() : $@convention(thin) () -> ()
  %4 = tuple ()
  return %4
}
sil @left : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @leaf : $@convention(thin) () -> ()
  %1 = partial_apply [callee_guaranteed] %0() : $@convention(thin) () -> ()
  strong_release %1
  %3 = tuple ()
  return %3
}
sil @right : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @right : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  %2 = tuple ()
  return %2
}
sil @leaf : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
";

#[test]
fn steps_keep_what_is_seen_of_each_other() {
    let module = silkit_text::parse_module(CALLS).module;
    let declarations = with_stdlib(Default::default());
    let facts = crate::ProgramFacts::new(true);
    let program = crate::ProgramView::new(&module, &declarations, &facts);
    let tables = program.callee_analysis();
    let functions = module.functions.keys();
    let graph = CallGraph::from_edges(functions.map(|f| CallEdges::new(tables, f)).collect());
    let order = BottomUp::new(&graph);
    let one_by_one: Vec<FunctionId> = order.functions().collect();
    let place = |f: FunctionId| one_by_one.iter().position(|&other| other == f);
    let steps = order.steps(&graph);
    let step = |name: &str| {
        let id = tables.function(Symbol::new(name)).expect("a function");
        (steps.iter().position(|step| step.contains(&id)), place(id))
    };
    assert_eq!(steps.iter().map(Vec::len).sum::<usize>(), one_by_one.len());
    // A closure is not called where it is created, so that its function may come later, but in a step of its own.
    let pairs = [("left", "leaf"), ("top", "left"), ("top", "right")];
    for (a, b) in pairs {
        let ((step_a, at_a), (step_b, at_b)) = (step(a), step(b));
        assert_eq!(step_a.cmp(&step_b), at_a.cmp(&at_b), "{a} {b}: {steps:?}");
    }
    assert_eq!(step("right").0, Some(0));
}
