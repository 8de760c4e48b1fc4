//! Entities of a module, found by their names.

use silkit::base::Symbol;
use silkit::ir::{ClassRef, Conformance, WitnessTableOf};
use silkit::types::Type;

const NAMED: &str = "\
protocol P {}
class C {}
struct S : P {}
sil_global @g : $Builtin.Int64
sil @f : $@convention(thin) () -> ()
sil @h : $@convention(thin) () -> ()
sil_vtable C {
}
sil_witness_table S: P module main {
}
";

#[test]
fn functions_are_found_by_name_after_changes() {
    let mut module = silkit::read("named.sil", NAMED.as_bytes()).expect("SIL");
    let [f, g, h, new] = ["f", "g", "h", "new"].map(Symbol::new);
    let id = module.functions.find(&f).expect("@f");
    module.functions.rekey(id, |function| function.name = new);
    assert_eq!((module.functions.find(&f), module.functions.find(&new)), (None, Some(id)));
    assert!(module.functions.by_key(&h).is_some() && module.functions.find(&g).is_none());
    module.functions.retain(|function| function.name != new);
    assert_eq!(module.functions.find(&h), Some(id));
    assert!(module.globals.find(&g).is_some() && module.is_index_right());
}

#[test]
fn tables_are_found_by_class_and_conformance() {
    let mut module = silkit::read("named.sil", NAMED.as_bytes()).expect("SIL");
    let declarations = silkit::declarations(&module);
    assert!(module.vtables.find(&ClassRef::Name("C".into())).is_some());
    let conformance = |module: &str| {
        WitnessTableOf::Conformance(Conformance::Normal {
            sig: None,
            ty: Type::nominal("S"),
            protocol: Type::nominal("P"),
            module: module.into(),
        })
    };
    assert!(module.witness_tables.find(&conformance("main")).is_some());
    silkit::set_module_name(&mut module, &declarations, "geo");
    assert!(module.witness_tables.find(&conformance("main")).is_none());
    assert!(module.witness_tables.find(&conformance("geo")).is_some());
    assert!(module.is_index_right());
}
