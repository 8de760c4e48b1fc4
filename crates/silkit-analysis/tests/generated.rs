//! Analyses of generated programs agree with their definitions.
//!
//! `SILKIT_SEEDS=5000` checks so many programs; the default keeps the test short.

mod properties;

use silkit_analysis::testing::Names;

#[test]
fn analyses_agree_with_their_definitions() {
    let seeds = std::env::var("SILKIT_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(32);
    (0..seeds).for_each(properties::check_seed);
}

#[test]
fn names_are_found_again() {
    let text = "sil @f : $@convention(thin) (Builtin.Int1) -> () {\nbb0(%0 : $Builtin.Int1):\n  br bb1\nbb1:\n  \
        %2 = tuple ()\n  return %2\n}\n";
    let module = silkit_text::parse_module(text).module;
    let body = module.functions.values().find_map(|f| f.body.as_ref()).expect("a body");
    let names = Names::of(body);
    for block in body.blocks() {
        assert_eq!(names.find_block(&names.block(block)), block);
        for inst in body.block_insts(block) {
            let name = names.inst(inst);
            assert_eq!(names.find_inst(name.split(':').next().expect("a place")), inst);
        }
    }
    let values = names.all_values();
    assert!(values.iter().all(|&value| names.find_value(&names.value(value)) == value));
    assert_eq!(names.values(values.iter().copied()), "%0 %1");
}
