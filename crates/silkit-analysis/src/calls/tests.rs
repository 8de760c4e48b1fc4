use super::*;
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
