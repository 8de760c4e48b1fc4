//! Values of unreachable blocks that define each other, which dominance allows: every pass must end on them.

use silkit_opt::PASSES;
use silkit_pass::testing::changed_by_named;

/// The definitions of two values in terms of each other, and the instructions that use the second one.
struct Circle {
    name: &'static str,
    first: &'static str,
    second: &'static str,
    uses: &'static str,
    has_ossa: bool,
}

const CIRCLES: &[Circle] = &[
    circle("copies", "copy_value %5 : $C", "copy_value %2 : $C", "destroy_value %5 : $C", true),
    circle(
        "copies of a function",
        "copy_value %5 : $@callee_guaranteed () -> ()",
        "copy_value %2 : $@callee_guaranteed () -> ()",
        "%6 = apply %5() : $@callee_guaranteed () -> ()",
        true,
    ),
    circle(
        "borrows",
        "begin_borrow %5 : $C",
        "begin_borrow %2 : $C",
        "debug_value %5 : $C, let, name \"x\"",
        true,
    ),
    circle("moves", "move_value %5 : $C", "move_value [lexical] %2 : $C", "", true),
    circle(
        "casts",
        "upcast %5 : $C to $B",
        "unchecked_ref_cast %2 : $B to $C",
        "strong_retain %5 : $C",
        false,
    ),
    circle(
        "casts of metatypes",
        "upcast %5 : $@thick C.Type to $@thick B.Type",
        "unchecked_trivial_bit_cast %2 : $@thick B.Type to $@thick C.Type",
        "%6 = alloc_ref_dynamic %5 : $@thick C.Type, $C",
        false,
    ),
    circle(
        "struct and its field",
        "struct $S (%5 : $C)",
        "struct_extract %2 : $S, #S.c",
        "retain_value %2 : $S",
        false,
    ),
    circle("struct and its parts", "struct $S (%5 : $C)", "destructure_struct %2 : $S", "", true),
    circle(
        "tuple and its element",
        "tuple (%5 : $Builtin.Int64, %5 : $Builtin.Int64)",
        "tuple_extract %2 : $(Builtin.Int64, Builtin.Int64), 1",
        "",
        false,
    ),
    circle(
        "case and its payload",
        "enum $Optional<C>, #Optional.some!enumelt, %5 : $C",
        "unchecked_enum_data %2 : $Optional<C>, #Optional.some!enumelt",
        "release_value %2 : $Optional<C>",
        false,
    ),
    circle(
        "pointer and its address",
        "address_to_pointer %5 : $*Builtin.Int64 to $Builtin.RawPointer",
        "pointer_to_address %2 : $Builtin.RawPointer to [strict] $*Builtin.Int64",
        "%6 = load %5 : $*Builtin.Int64",
        false,
    ),
    circle(
        "address at an index from itself",
        "index_addr %5 : $*Builtin.Int64, %1 : $Builtin.Word",
        "index_addr %2 : $*Builtin.Int64, %1 : $Builtin.Word",
        "%6 = load %5 : $*Builtin.Int64",
        false,
    ),
    circle(
        "bits of numbers",
        "builtin \"bitcast_Int64_FPIEEE64\"(%5 : $Builtin.Int64) : $Builtin.FPIEEE64",
        "builtin \"bitcast_FPIEEE64_Int64\"(%2 : $Builtin.FPIEEE64) : $Builtin.Int64",
        "",
        false,
    ),
];

const fn circle(
    name: &'static str,
    first: &'static str,
    second: &'static str,
    uses: &'static str,
    has_ossa: bool,
) -> Circle {
    Circle { name, first, second, uses, has_ossa }
}

/// A pass that removes the circle replaces what its values forward by `undef`, or keeps it; none panics or runs forever.
#[test]
fn every_pass_ends_on_values_that_define_each_other() {
    for Circle { name, first, second, uses, has_ossa } in CIRCLES {
        let ossa = if *has_ossa { "[ossa] " } else { "" };
        for pass in PASSES.iter() {
            let text = format!(
                "// {}\nsil_stage canonical\nimport Builtin\nimport Swift\nclass B {{}}\nclass C : B {{}}\n\
                 struct S {{ var c: C }}\nsil {ossa}@f : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n  \
                 return %0\nbb3:\n  %1 = integer_literal $Builtin.Word, 1\n  br bb1\nbb1:\n  %2 = {first}\n  br bb2\nbb2:\n  %5 = {second}\n  {uses}\n  br bb1\n}}\n",
                pass.tag
            );
            let changed = changed_by_named(|tag| PASSES.find(tag), &text);
            assert!(changed.contains("return"), "{name}, {}:\n{changed}", pass.tag);
        }
    }
}
