//! Programs that depend on what a type is: opaque results, conformances of packs, class existentials, boxed errors.

mod common;

use common::run;
use silkit_interp::Stop;

/// Returns the exit code of a program whose function `value` returns a word.
fn word(declarations: &str, instructions: &str) -> Stop {
    run(&format!(
        "{declarations}
sil @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
{instructions}
}}
"
    ))
}

/// Returns the exit code of a program that returns the size of an opaque type.
fn size_of_opaque(declarations: &str, symbol: &str) -> Stop {
    let size = format!(
        "  %0 = builtin \"sizeof\"<@_opaqueReturnTypeOf(\"{symbol}\", 0) __>() : $Builtin.Word
  %1 = builtin \"truncOrBitCast_Word_Int32\"(%0) : $Builtin.Int32
  return %1"
    );
    word(declarations, &size)
}

#[test]
fn the_opaque_type_of_a_property_is_that_of_its_getter() {
    let getter = "
struct S {}
sil @$s4main1SV4bodyQrvg : $@convention(method) (S) -> @out @_opaqueReturnTypeOf(\"$s4main1SV4bodyQrvp\", 0) __ {
bb0(%0 : $*(Builtin.Int64, Builtin.Int8), %1 : $S):
  %2 = tuple ()
  return %2
}
";
    assert_eq!(size_of_opaque(getter, "$s4main1SV4bodyQrvp"), Stop::Exit(9));
}

#[test]
fn an_opaque_type_can_be_a_part_of_the_result() {
    let indirect = "
enum Optional<T> { case some(T) case none }
sil @$s4main4optsQrSgyF : $@convention(thin) @substituted <T> () -> @out Optional<T> for <@_opaqueReturnTypeOf(\"$s4main4optsQrSgyF\", 0) __> {
bb0(%0 : $*Optional<Builtin.Int16>):
  %1 = tuple ()
  return %1
}
";
    assert_eq!(size_of_opaque(indirect, "$s4main4optsQrSgyF"), Stop::Exit(2));
    let direct = "
sil @$s4main4pairyF : $@convention(thin) () -> (Builtin.Int8, @_opaqueReturnTypeOf(\"$s4main4pairyF\", 0) __) {
bb0:
  %0 = integer_literal $Builtin.Int8, 1
  %1 = integer_literal $Builtin.Int32, 1
  %2 = tuple (%0, %1)
  return %2
}
";
    assert_eq!(size_of_opaque(direct, "$s4main4pairyF"), Stop::Exit(4));
}

#[test]
fn the_function_of_an_opaque_type_can_have_another_symbol() {
    // The name of the declaration spells the protocol of `S.Unit`. The second function returns what the first returns.
    let declared = "$s4main5grownyQrx_4UnitAA5ShapePQztAaDRzlF";
    let functions = format!(
        "
sil @$s4main3twoQryF : $@convention(thin) () -> @out @_opaqueReturnTypeOf(\"{declared}\", 0) __<Builtin.Int8> {{
bb0(%0 : $*@_opaqueReturnTypeOf(\"{declared}\", 0) __<Builtin.Int8>):
  %1 = tuple ()
  return %1
}}
sil @$s4main5grownyQrx_4UnitQztAA5ShapeRzlF : $@convention(thin) <S> (@in_guaranteed S) -> @out @_opaqueReturnTypeOf(\"{declared}\", 0) __<S> {{
bb0(%0 : $*(S, S), %1 : $*S):
  %2 = tuple ()
  return %2
}}
"
    );
    let size = format!(
        "  %0 = builtin \"sizeof\"<@_opaqueReturnTypeOf(\"{declared}\", 0) __<Builtin.Int16>>() : $Builtin.Word
  %1 = builtin \"truncOrBitCast_Word_Int32\"(%0) : $Builtin.Int32
  return %1"
    );
    assert_eq!(word(&functions, &size), Stop::Exit(4));
}

#[test]
fn a_pack_satisfies_a_requirement_if_all_its_elements_do() {
    let declarations = "
protocol P {}
struct Yes : P {}
struct No {}
struct G<each T> {}
extension G : P where repeat each T : P {}
sil_witness_table Yes : P module main {}
sil_witness_table <each T where repeat each T : P> G<repeat each T> : P module main {}
";
    let is_p = |ty: &str| {
        let cast = format!(
            "  %0 = metatype $@thick {ty}.Type
  checked_cast_br {ty}.Type in %0 to any P.Type, bb1, bb2
bb1(%1 : $@thick any P.Type):
  %2 = integer_literal $Builtin.Int32, 1
  return %2
bb2:
  %3 = integer_literal $Builtin.Int32, 0
  return %3"
        );
        word(declarations, &cast)
    };
    assert_eq!(is_p("G<Pack{}>"), Stop::Exit(1));
    assert_eq!(is_p("G<Pack{Yes, Yes}>"), Stop::Exit(1));
    assert_eq!(is_p("G<Pack{Yes, No}>"), Stop::Exit(0));
    assert_eq!(is_p("G<Pack{Yes, G<Pack{Yes}>}>"), Stop::Exit(1));
}

#[test]
fn a_class_existential_with_witness_tables_is_not_a_class() {
    let declarations = "
protocol C : AnyObject {}
class K : C {}
";
    let is_object = |ty: &str| {
        let facts = format!(
            "  %0 = metatype $@thick {ty}.Type
  %1 = builtin \"canBeClass\"<{ty}>(%0) : $Builtin.Int8
  %2 = builtin \"zext_Int8_Int32\"(%1) : $Builtin.Int32
  checked_cast_br {ty}.Type in %0 to any AnyObject.Type, bb1, bb2
bb1(%4 : $@thick any AnyObject.Type):
  %5 = integer_literal $Builtin.Int32, 2
  %6 = builtin \"or_Int32\"(%2, %5) : $Builtin.Int32
  return %6
bb2:
  return %2"
        );
        word(declarations, &facts)
    };
    assert_eq!(is_object("K"), Stop::Exit(3));
    assert_eq!(is_object("(any C)"), Stop::Exit(0));
}
