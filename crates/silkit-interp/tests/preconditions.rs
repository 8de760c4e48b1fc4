//! Operands that the program has to rule out. Each is found in a small program, and a program with an allowed operand runs.

use silkit_interp::{Interp, Program, ProgramModule, RecordingHost, RunOptions, Stop, ViolationKind as K};
use std::rc::Rc;
use std::sync::Arc;

const PRELUDE: &str = "
sil_stage canonical
import Builtin
struct Int32 { @_hasStorage var _value: Builtin.Int32 { get set } }
class Cell { @_hasStorage final let id: Builtin.Int64 { get }
  init() }
struct Pair { @_hasStorage var first: Builtin.Int64 { get set }
  @_hasStorage var second: Builtin.Int64 { get set } }
enum Shape { case point
  case circle(Builtin.Int64)
  case label(Cell) }
";

fn run_with(body: &str, options: RunOptions) -> Stop {
    let end = "  %90 = integer_literal $Builtin.Int32, 0\n  %91 = struct $Int32 (%90)\n  return %91";
    let text = format!("{PRELUDE}sil @main : $@convention(c) () -> Int32 {{\nbb0:\n{body}\n{end}\n}}\n");
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let program = Program::link(vec![Arc::new(ProgramModule::new("main", parsed.module))]);
    let mut host = RecordingHost::default();
    Interp::new(Rc::new(program), options, &mut host).run_program("main").stop
}

fn run(body: &str) -> Stop {
    run_with(body, RunOptions::default())
}

/// Checks that a body runs, that another body violates a precondition, and that the check can be switched off.
#[track_caller]
fn check(kind: K, right: &str, wrong: &str, message: &str) {
    assert_eq!(run(right), Stop::Exit(0), "{right}");
    match run(wrong) {
        Stop::Violation(v) => {
            assert_eq!(v.kind, kind, "{v}");
            assert!(v.message.contains(message), "{v}");
            assert!(v.place.is_some(), "{v}");
        }
        other => panic!("{other}"),
    }
    let unchecked = [kind].into_iter().collect();
    let stop = run_with(wrong, RunOptions { unchecked, ..RunOptions::default() });
    assert!(!matches!(&stop, Stop::Violation(v) if v.kind == kind), "{stop}");
}

/// Checks a builtin with two integer operands of a type.
#[track_caller]
fn check_binary(name: &str, ty: &str, right: [&str; 2], wrong: [&str; 2], message: &str) {
    let body = |[a, b]: [&str; 2]| {
        format!(
            "  %0 = integer_literal $Builtin.{ty}, {a}\n  %1 = integer_literal $Builtin.{ty}, {b}\n  %2 = builtin \"{name}_{ty}\"(%0, %1) : $Builtin.{ty}"
        )
    };
    check(K::Precondition, &body(right), &body(wrong), message);
}

#[test]
fn shifts_are_by_less_than_the_width() {
    for name in ["shl", "lshr", "ashr"] {
        check_binary(name, "Int8", ["1", "7"], ["1", "8"], "shifting an integer of 8 bits by 8");
        check_binary(name, "Int64", ["1", "63"], ["1", "64"], "shifting an integer of 64 bits by 64");
        check_binary(name, "Int128", ["1", "127"], ["1", "128"], "shifting an integer of 128 bits by 128");
    }
}

#[test]
fn quotients_fit() {
    for name in ["sdiv", "srem"] {
        check_binary(
            name,
            "Int32",
            ["-2147483647", "-1"],
            ["-2147483648", "-1"],
            "smallest integer of 32 bits",
        );
        check_binary(
            name,
            "Int64",
            ["-9223372036854775807", "-1"],
            ["-9223372036854775808", "-1"],
            "smallest integer of 64 bits",
        );
    }
}

#[test]
fn exact_divisions_have_no_remainder() {
    check_binary("sdiv_exact", "Int64", ["-9", "3"], ["-9", "2"], "exact division of -9 by 2");
    check_binary("udiv_exact", "Int16", ["9", "3"], ["9", "2"], "exact division of 9 by 2");
}

#[test]
fn elements_of_vectors_are_computed_under_the_same_rules() {
    let body = |by: u32| {
        format!(
            "  %0 = builtin \"zeroInitializer\"() : $Builtin.Vec4xInt32
  %1 = integer_literal $Builtin.Int32, {by}
  %2 = integer_literal $Builtin.Int32, 3
  %3 = builtin \"insertelement_Vec4xInt32_Int32_Int32\"(%0, %1, %2) : $Builtin.Vec4xInt32
  %4 = builtin \"shl_Vec4xInt32\"(%3, %3) : $Builtin.Vec4xInt32"
        )
    };
    check(K::Precondition, &body(31), &body(32), "shifting an integer of 32 bits by 32");
    let element = |index: u32| {
        format!(
            "  %0 = builtin \"zeroInitializer\"() : $Builtin.Vec4xInt32
  %1 = integer_literal $Builtin.Int32, {index}
  %2 = builtin \"extractelement_Vec4xInt32_Int32\"(%0, %1) : $Builtin.Int32"
        )
    };
    check(K::Precondition, &element(3), &element(4), "index 4 of a vector of 4");
}

#[test]
fn converted_numbers_fit() {
    // 1.0, -1.0, 3e9 and NaN of 64 bits.
    let [one, minus_one, large, nan] =
        ["0x3FF0000000000000", "0xBFF0000000000000", "0x41E65A0BC0000000", "0x7FF8000000000000"];
    let body = |name: &str, bits: &str| {
        format!(
            "  %0 = float_literal $Builtin.FPIEEE64, {bits}\n  %1 = builtin \"{name}_FPIEEE64_Int32\"(%0) : $Builtin.Int32"
        )
    };
    check(K::Precondition, &body("fptosi", minus_one), &body("fptosi", large), "converting 3000000000");
    check(K::Precondition, &body("fptosi", one), &body("fptosi", nan), "converting NaN");
    check(
        K::Precondition,
        &body("fptoui", large),
        &body("fptoui", minus_one),
        "an unsigned integer of 32 bits",
    );
}

#[test]
fn assumptions_hold() {
    let body = |value: i32| {
        format!("  %0 = integer_literal $Builtin.Int1, {value}\n  %1 = builtin \"assume_Int1\"(%0) : $()")
    };
    check(K::Precondition, &body(-1), &body(0), "an assumption is false");
    let body = |value: i32| {
        format!(
            "  %0 = integer_literal $Builtin.Int64, {value}\n  %1 = builtin \"assumeNonNegative_Int64\"(%0) : $Builtin.Int64"
        )
    };
    check(K::Precondition, &body(0), &body(-5), "-5 is assumed not to be negative");
    let body = |offset: i32| {
        format!(
            "  %0 = alloc_stack $Pair
  %1 = address_to_pointer %0 to $Builtin.RawPointer
  %2 = integer_literal $Builtin.Word, {offset}
  %3 = index_raw_pointer %1, %2
  %4 = integer_literal $Builtin.Word, 8
  %5 = builtin \"assumeAlignment\"(%3, %4) : $Builtin.RawPointer
  dealloc_stack %0"
        )
    };
    check(K::Precondition, &body(8), &body(4), "is assumed to be a multiple of 8");
}

#[test]
fn zeros_are_counted_in_other_values_than_zero_if_zero_is_excluded() {
    for name in ["int_ctlz", "int_cttz"] {
        let body = |value: i32, excluded: i32| {
            format!(
                "  %0 = integer_literal $Builtin.Int64, {value}
  %1 = integer_literal $Builtin.Int1, {excluded}
  %2 = builtin \"{name}_Int64\"(%0, %1) : $Builtin.Int64"
            )
        };
        assert_eq!(run(&body(0, 0)), Stop::Exit(0));
        check(K::Precondition, &body(1, -1), &body(0, -1), "of zero");
    }
}

#[test]
fn branches_depend_on_defined_values() {
    let body = |condition: &str| {
        format!("  %0 = integer_literal $Builtin.Int1, 0\n{condition}\nbb1:\n  br bb2\nbb2:")
    };
    let right = body("  cond_br %0, bb1, bb2");
    check(K::Undef, &right, &body("  cond_br undef : $Builtin.Int1, bb1, bb2"), "undefined");
    let part = "  %1 = tuple (%0, undef : $Builtin.Int1)\n  %2 = tuple_extract %1, ";
    let of = |index: u32| body(&format!("{part}{index}\n  cond_br %2, bb1, bb2"));
    check(K::Undef, &of(0), &of(1), "undefined");
    let fail = |index: u32| {
        format!("  %0 = integer_literal $Builtin.Int1, 0\n{part}{index}\n  cond_fail %2, \"no\"")
    };
    check(K::Undef, &fail(0), &fail(1), "undefined");
    let frozen =
        "  %0 = builtin \"freeze_Int1\"(undef : $Builtin.Int1) : $Builtin.Int1\n  cond_fail %0, \"no\"";
    assert_eq!(run(frozen), Stop::Exit(0));
}

#[test]
fn payloads_are_those_of_the_case() {
    let value = |case: &str| {
        format!(
            "  %0 = integer_literal $Builtin.Int64, 3
  %1 = enum $Optional<Builtin.Int64>, #Optional.{case}
  %2 = unchecked_enum_data %1, #Optional.some!enumelt"
        )
    };
    check(
        K::InvalidEnum,
        &value("some!enumelt, %0"),
        &value("none!enumelt"),
        "taking the payload of `some` from a value of `Optional<Builtin.Int64>`, which is `none`",
    );
    let address = |case: &str| {
        format!(
            "  %0 = integer_literal $Builtin.Int64, 3
  %1 = alloc_stack $Optional<Builtin.Int64>
  %2 = enum $Optional<Builtin.Int64>, #Optional.{case}
  store %2 to %1
  %3 = unchecked_take_enum_data_addr %1, #Optional.some!enumelt
  dealloc_stack %1"
        )
    };
    check(K::InvalidEnum, &address("some!enumelt, %0"), &address("none!enumelt"), "which is `none`");
    let several = |case: &str| {
        format!(
            "  %0 = integer_literal $Builtin.Int64, 3
  %1 = enum $Shape, #Shape.{case}
  %2 = unchecked_enum_data %1, #Shape.circle!enumelt"
        )
    };
    check(K::InvalidEnum, &several("circle!enumelt, %0"), &several("point!enumelt"), "which is `point`");
    let tag = |tag: u32| {
        format!(
            "  %0 = alloc_stack $Optional<Builtin.Int64>
  %1 = integer_literal $Builtin.Int32, {tag}
  %2 = builtin \"injectEnumTag\"<Optional<Builtin.Int64>>(%0, %1) : $()
  dealloc_stack %0"
        )
    };
    check(K::InvalidEnum, &tag(1), &tag(2), "has no such case");
}

#[test]
fn copies_do_not_overlap() {
    let body = |name: &str, offset: u32| {
        format!(
            "  %0 = alloc_stack $(Pair, Pair)
  %1 = address_to_pointer %0 to $Builtin.RawPointer
  %2 = integer_literal $Builtin.Word, {offset}
  %3 = index_raw_pointer %1, %2
  %4 = integer_literal $Builtin.Int64, 16
  %5 = integer_literal $Builtin.Int1, 0
  %6 = builtin \"int_{name}_RawPointer_RawPointer_Int64\"(%3, %1, %4, %5) : $()
  dealloc_stack %0"
        )
    };
    check(K::Precondition, &body("memcpy", 16), &body("memcpy", 8), "copying 16 bytes");
    assert_eq!(run(&body("memcpy", 0)), Stop::Exit(0));
    assert_eq!(run(&body("memmove", 8)), Stop::Exit(0));
}

#[test]
fn arrays_overlap_only_in_the_direction_of_the_copy() {
    let body = |name: &str, to: u32, from: u32| {
        format!(
            "  %0 = alloc_stack $(Pair, Pair)
  %1 = address_to_pointer %0 to $Builtin.RawPointer
  %2 = integer_literal $Builtin.Word, {to}
  %3 = index_raw_pointer %1, %2
  %4 = integer_literal $Builtin.Word, {from}
  %5 = index_raw_pointer %1, %4
  %6 = integer_literal $Builtin.Word, 2
  %7 = metatype $@thick Pair.Type
  %8 = builtin \"{name}\"<Builtin.Int64>(%7, %3, %5, %6) : $()
  dealloc_stack %0"
        )
    };
    for name in ["copyArray", "takeArrayNoAlias"] {
        check(K::Precondition, &body(name, 16, 0), &body(name, 8, 0), "which overlap");
    }
    let (forward, backward) = ("takeArrayFrontToBack", "takeArrayBackToFront");
    check(K::Precondition, &body(forward, 0, 8), &body(forward, 8, 0), "which overlap");
    check(K::Precondition, &body(backward, 8, 0), &body(backward, 0, 8), "which overlap");
}

#[test]
fn moved_values_do_not_overlap() {
    let body = |offset: u32| {
        format!(
            "  %0 = alloc_stack $(Pair, Pair)
  %1 = integer_literal $Builtin.Int64, 1
  %2 = struct $Pair (%1, %1)
  %3 = tuple_element_addr %0, 0
  store %2 to %3
  %4 = address_to_pointer %0 to $Builtin.RawPointer
  %5 = integer_literal $Builtin.Word, {offset}
  %6 = index_raw_pointer %4, %5
  %7 = pointer_to_address %6 to [strict] $*Pair
  copy_addr %3 to [init] %7
  dealloc_stack %0"
        )
    };
    check(K::Precondition, &body(16), &body(8), "copying 16 bytes");
}

#[test]
fn memory_is_deallocated_with_its_size() {
    let body = |size: i32| {
        format!(
            "  %0 = integer_literal $Builtin.Word, 16
  %1 = builtin \"allocRaw\"(%0, %0) : $Builtin.RawPointer
  %2 = integer_literal $Builtin.Word, {size}
  %3 = builtin \"deallocRaw\"(%1, %2, %0) : $()"
        )
    };
    check(K::Precondition, &body(16), &body(8), "deallocating 16 bytes");
    assert_eq!(run(&body(-1)), Stop::Exit(0));
    let body = |align: i32| {
        format!(
            "  %0 = integer_literal $Builtin.Word, 16
  %1 = integer_literal $Builtin.Word, {align}
  %2 = builtin \"stackAlloc\"(%0, %0, %1) : $Builtin.RawPointer
  %3 = builtin \"stackDealloc\"(%2) : $()"
        )
    };
    check(K::Precondition, &body(8), &body(3), "stack memory with the alignment 3");
}

#[test]
fn immutable_memory_is_not_written() {
    let body = |immutable: &str| {
        format!(
            "  %0 = alloc_ref $Cell
  %1 = ref_element_addr {immutable} %0, #Cell.id
  %2 = integer_literal $Builtin.Int64, 7
  store %2 to %1
  dealloc_ref %0"
        )
    };
    check(K::ConstantWrite, &body(""), &body("[immutable]"), "ref_element_addr [immutable]");
    let body = |immutable: &str| {
        format!(
            "  %0 = integer_literal $Builtin.Word, 1
  %1 = alloc_ref [tail_elems $Pair * %0] $Cell
  %2 = ref_tail_addr {immutable} %1, $Pair
  %3 = struct_element_addr %2, #Pair.second
  %4 = integer_literal $Builtin.Int64, 7
  store %4 to %3
  dealloc_ref %1"
        )
    };
    check(K::ConstantWrite, &body(""), &body("[immutable]"), "ref_tail_addr [immutable]");
}

#[test]
fn accesses_that_read_do_not_write() {
    let body = |kind: &str| {
        format!(
            "  %0 = alloc_stack $Builtin.Int64
  %1 = integer_literal $Builtin.Int64, 7
  %2 = begin_access [{kind}] [static] %0
  store %1 to %2
  end_access %2
  dealloc_stack %0"
        )
    };
    check(K::Exclusivity, &body("modify"), &body("read"), "begin_access [read]");
}

#[test]
fn static_accesses_do_not_overlap() {
    let body = |first: &str, second: &str, of: &str| {
        format!(
            "  %0 = alloc_stack $Pair
  %1 = begin_access [{first}] [static] %0
  {of}
  %3 = begin_access [{second}] [static] %2
  end_access %3
  end_access %1
  dealloc_stack %0"
        )
    };
    let (same, nested) =
        ("%2 = struct_element_addr %0, #Pair.second", "%2 = struct_element_addr %1, #Pair.second");
    check(K::Exclusivity, &body("read", "read", same), &body("read", "modify", same), "a modification of");
    check(
        K::Exclusivity,
        &body("modify", "modify", nested),
        &body("modify", "read", same),
        "overlaps a modification",
    );
    let fields = |second: &str| {
        format!(
            "  %0 = alloc_stack $Pair
  %1 = struct_element_addr %0, #Pair.first
  %2 = struct_element_addr %0, #Pair.{second}
  %3 = begin_access [modify] [static] %1
  %4 = begin_access [modify] [static] %2
  end_access %4
  end_access %3
  dealloc_stack %0"
        )
    };
    check(K::Exclusivity, &fields("second"), &fields("first"), "overlaps");
}

#[test]
fn switches_have_a_destination() {
    let body = |value: u32| {
        format!(
            "  %0 = integer_literal $Builtin.Int8, {value}
  %1 = integer_literal $Builtin.Int8, 1
  switch_value %0, case %1: bb1
bb1:"
        )
    };
    assert_eq!(run(&body(1)), Stop::Exit(0));
    assert!(matches!(run(&body(2)), Stop::Violation(v) if v.kind == K::Precondition));
}
