//! Layouts, conformances and members of types that the test declares itself. The numbers are those that the reference
//! compiler gives the same declarations.

mod common;

use common::world;
use silkit_layout::{Env, ModuleId, Nominal, Ty, World};
use silkit_text::{Cursor, GenericEnv, parse_sil_type};

const LIBRARY: &str = "
import Builtin
@frozen public struct Int { @_hasStorage public var _value: Builtin.Int64 { get set } }
@frozen public struct UInt8 { @_hasStorage public var _value: Builtin.Int8 { get set } }
@frozen public struct UInt16 { @_hasStorage public var _value: Builtin.Int16 { get set } }
@frozen public struct Int32 { @_hasStorage public var _value: Builtin.Int32 { get set } }
@frozen public struct Bool { @_hasStorage public var _value: Builtin.Int1 { get set } }
@frozen public struct Text {
  @_hasStorage var count: Builtin.Int64 { get set }
  @_hasStorage var object: Builtin.BridgeObject { get set }
}
@frozen public struct UnsafeRawPointer { @_hasStorage let _rawValue: Builtin.RawPointer { get } }
@frozen public enum Optional<Wrapped> : ~Copyable where Wrapped : ~Copyable {
  case none
  case some(Wrapped)
}
@frozen public struct InlineArray<let count : Int, Element> { @_hasStorage let _storage: Builtin.FixedArray<count, Element> { get } }
public protocol Error { }
public protocol Sequence<Element> { associatedtype Element }
public final class Storage<Element> { }
@frozen public struct Array<Element> { @_hasStorage var _storage: Storage<Element> { get set } }
extension Array : Sequence { typealias Index = Int }
public protocol Equatable { }
extension Int : Equatable { }
extension Array : Equatable where Element : Equatable { }
public struct Hidden { @_hasStorage var x: Storage<Int> { get set } }
sil_witness_table <Element> Array<Element>: Sequence module Swift {
  associated_type Element: Element
}
sil_witness_table Int: Equatable module Swift {
}
sil_witness_table <Element where Element : Equatable> Array<Element>: Equatable module Swift {
}
";

const PROGRAM: &str = "
import Builtin
import Swift
protocol P { }
protocol C : AnyObject { }
class K { @_hasStorage var a: Bool { get set } }
class L : K { @_hasStorage var b: Int { get set }
  @_hasStorage final var c: Bool { get set } }
enum C3 { case a
  case b
  case c }
enum Two { case a(K)
  case b([Int])
  case c }
enum Generic<T> { case a(T)
  case b([T])
  case c }
enum Maybes { case a(K?)
  case b(K?) }
enum Tags { case a(C3)
  case b(Bool)
  case c
  case d
  case e }
enum Nested { case a(Tags)
  case b(Tags) }
indirect enum Tree { case leaf
  case node(Tree, Tree) }
struct Pad { @_hasStorage var a: Bool { get set }
  @_hasStorage var b: Int32 { get set }
  @_hasStorage var c: Bool { get set } }
enum Pads { case a(Pad)
  case b(Pad) }
struct Refs { @_hasStorage weak var w: @sil_weak K? { get set }
  @_hasStorage unowned var u: @sil_unowned K { get set } }
enum Classy { case a(any C)
  case b(any C) }
enum Anys { case a(Any)
  case b(Any) }
enum Hiddens { case a(Hidden)
  case b(Hidden) }
enum Texts { case a(Text)
  case b([Int]) }
enum Small { case a(UInt16)
  case b(UInt8)
  case c
  case d }
struct Late { @_hasStorage var x: Int { get set }
  @_hasStorage var t: Int.Type { get set } }
struct Last<T> { @_hasStorage var x: T { get set }
  @_hasStorage var t: Int.Type { get set } }
struct Weak { @_hasStorage weak var w: @sil_weak (any C)? { get set } }
actor Act { @_hasStorage var a: Bool { get set }
  @_semantics(\"defaultActor\") nonisolated final var unownedExecutor: Int { get } }
actor Own { @_hasStorage var a: Bool { get set }
  nonisolated final var unownedExecutor: Int { get } }
struct Around<T> { struct Inside<U> { } }
struct Many<each T> { @_hasStorage var x: (repeat each T) { get set } }
struct Thin { @_hasStorage var t: Int.Type { get set }
  @_hasStorage var x: Int { get set } }
";

fn ty(world: &World, spelled: &str) -> Ty {
    let mut cursor = Cursor::new(spelled);
    let ty = parse_sil_type(&mut cursor, &mut GenericEnv::new()).expect("a type");
    world.resolve(ty.ty(), &Env::top(ModuleId(0)), true).unwrap_or_else(|e| panic!("{spelled}: {e}"))
}

#[test]
fn layouts_are_as_declared() {
    let world = world(&[("main", PROGRAM), ("Swift", LIBRARY)]);
    // Size, stride, alignment, extra inhabitants.
    let expected: &[(&str, [u64; 4])] = &[
        ("$Int", [8, 8, 8, 0]),
        ("$Bool", [1, 1, 1, 254]),
        ("$Optional<Optional<Bool>>", [1, 1, 1, 252]),
        ("$Optional<Int>", [9, 16, 8, 0]),
        ("$Optional<Optional<Int>>", [10, 16, 8, 0]),
        ("$Optional<UInt8>", [2, 2, 1, 0]),
        ("$K", [8, 8, 8, 4096]),
        ("$Optional<K>", [8, 8, 8, 4095]),
        ("$UnsafeRawPointer", [8, 8, 8, 1]),
        ("$Optional<UnsafeRawPointer>", [8, 8, 8, 0]),
        ("$Text", [16, 16, 8, 4096]),
        ("$Any", [32, 32, 8, 4096]),
        ("$any P", [40, 40, 8, 4096]),
        ("$any C", [16, 16, 8, 4096]),
        ("$any Error", [8, 8, 8, 4096]),
        ("$@thick any P.Type", [16, 16, 8, 4096]),
        ("$@thick K.Type", [8, 8, 8, 4096]),
        ("$@thin Int.Type", [0, 1, 1, 0]),
        ("$@callee_guaranteed () -> ()", [16, 16, 8, 4096]),
        ("$@convention(thin) () -> ()", [8, 8, 8, 4096]),
        ("$(Int, Bool)", [9, 16, 8, 254]),
        ("$(Bool, Int)", [16, 16, 8, 254]),
        ("$C3", [1, 1, 1, 253]),
        ("$Two", [8, 8, 8, 2045]),
        ("$Generic<Int>", [9, 16, 8, 253]),
        ("$Generic<K>", [9, 16, 8, 253]),
        ("$Maybes", [9, 16, 8, 254]),
        ("$Tags", [1, 1, 1, 61]),
        ("$Nested", [1, 1, 1, 14]),
        ("$Tree", [8, 8, 8, 4095]),
        ("$Pad", [9, 12, 4, 254]),
        ("$Pads", [9, 12, 4, 0x7FFF_FFFF]),
        ("$Refs", [16, 16, 8, 4096]),
        ("$Classy", [16, 16, 8, 4_194_302]),
        ("$Anys", [33, 40, 8, 254]),
        ("$Hiddens", [9, 16, 8, 254]),
        ("$Texts", [17, 24, 8, 254]),
        ("$Small", [3, 4, 2, 253]),
        ("$Thin", [8, 8, 8, 0]),
        ("$InlineArray<3, Bool>", [3, 3, 1, 254]),
        // `nil` takes an extra inhabitant of the reference.
        ("$@sil_unmanaged K", [8, 8, 8, 4096]),
        ("$@sil_unmanaged Optional<K>", [8, 8, 8, 4095]),
        ("$@sil_unowned Optional<K>", [8, 8, 8, 4095]),
        ("$@sil_unowned any C", [16, 16, 8, 4096]),
        ("$@sil_unowned Optional<any C>", [16, 16, 8, 4095]),
        ("$Builtin.Job", [8, 8, 8, 4096]),
        ("$Optional<Builtin.RawUnsafeContinuation>", [8, 8, 8, 4095]),
        ("$Weak", [16, 16, 8, i32::MAX as u64]),
        ("$InlineArray<0, Int>", [0, 1, 1, 0]),
        ("$Builtin.Executor", [16, 16, 8, 4096]),
    ];
    for (spelled, numbers) in expected {
        let layout = world.layout(ty(&world, spelled)).unwrap_or_else(|e| panic!("{spelled}: {e}"));
        let found = [layout.size, layout.stride(), layout.align, layout.extra_inhabitants().into()];
        assert_eq!(found, *numbers, "{spelled}");
    }
    let class = world.class_layout(ty(&world, "$L")).expect("known");
    let offsets: Vec<_> = class.fields.iter().map(|f| (f.name.as_str(), f.offset)).collect();
    assert_eq!(offsets, [("a", 16), ("b", 24), ("c", 32)]);
    assert_eq!((class.size, class.align), (33, 8));
    let actor = world.class_layout(ty(&world, "$Act")).expect("known");
    let offsets: Vec<_> = actor.fields.iter().map(|f| (f.name.as_str(), f.offset)).collect();
    assert_eq!((offsets, actor.align), (vec![("$defaultActor", 16), ("a", 112)], 16));
    let actor = world.class_layout(ty(&world, "$Own")).expect("known");
    assert_eq!((actor.fields.len(), actor.size, actor.align), (1, 17, 8));
}

#[test]
fn names_tell_packs_and_the_arguments_of_each_declaration() {
    let world = world(&[("main", PROGRAM), ("Swift", LIBRARY)]);
    assert_eq!(ty(&world, "$Many<Int, Bool>").to_string(), "Many<Pack{Int, Bool}>");
    let inside = ty(&world, "$Around<Int>.Inside<Bool>");
    assert_eq!(inside.name_in(&world, false), "Inside<Bool>");
    assert_eq!(inside.name_in(&world, true), "main.Around<Swift.Int>.Inside<Swift.Bool>");
}

#[test]
fn fields_without_bytes_come_first_where_offsets_are_fixed() {
    let world = world(&[("main", PROGRAM), ("Swift", LIBRARY)]);
    for (spelled, expected) in [("$Late", [0, 0]), ("$Last<Int>", [0, 8]), ("$Thin", [0, 0])] {
        let layout = world.layout(ty(&world, spelled)).expect("known");
        assert_eq!(layout.parts().iter().map(|p| p.offset).collect::<Vec<_>>(), expected, "{spelled}");
    }
}

#[test]
fn cases_are_told_as_they_were_injected() {
    let world = world(&[("main", PROGRAM), ("Swift", LIBRARY)]);
    for spelled in [
        "$Optional<Optional<Bool>>",
        "$Optional<Int>",
        "$C3",
        "$Two",
        "$Generic<Int>",
        "$Tags",
        "$Nested",
        "$Pads",
        "$Small",
    ] {
        let layout = world.layout(ty(&world, spelled)).expect("known");
        let of = layout.as_enum().expect("an enum");
        for case in 0..of.cases.len() as u32 {
            let mut value = vec![0u8; layout.size as usize];
            let payload = of.cases[case as usize].payload;
            if payload.is_some() {
                value[0] = 1;
            }
            let before = value.clone();
            of.inject(case, &mut value);
            assert_eq!(of.case_of(&value), Some(case), "{spelled} {case}: {value:?}");
            if let Some(payload) = payload {
                of.project(case, &mut value);
                let size = world.layout(payload).expect("known").size as usize;
                assert_eq!(value[..size], before[..size], "{spelled} {case}");
            }
        }
        for index in 0..layout.extra_inhabitants().min(300) {
            let mut value = vec![0u8; layout.size as usize];
            let xi = layout.xi.as_ref().expect("extra inhabitants");
            xi.store(index, &mut value);
            assert_eq!(xi.find(&value), Some(index), "{spelled} {index}: {value:?}");
        }
    }
}

#[test]
fn members_and_conformances_follow_from_tables() {
    let world = world(&[("main", PROGRAM), ("Swift", LIBRARY)]);
    let ints = ty(&world, "$Array<Int>");
    let classes = ty(&world, "$Array<K>");
    assert_eq!(world.member_type(ints, "Element".into(), &[]), Some(ty(&world, "$Int")));
    assert_eq!(world.member_type(classes, "Index".into(), &[]), Some(ty(&world, "$Int")));
    assert!(world.conformance(ints, Nominal::swift("Sequence")).is_some());
    assert!(world.conformance(ints, Nominal::swift("Equatable")).is_some());
    assert!(world.conformance(classes, Nominal::swift("Equatable")).is_none());
    assert!(world.inherits(ty(&world, "$L"), ty(&world, "$K")));
    assert_eq!(ty(&world, "$Array<Optional<K>>").name(true), "Swift.Array<Swift.Optional<main.K>>");
    assert_eq!(ty(&world, "$Int").as_nominal().map(|(n, _)| n), Some(Nominal::swift("Int")));
    assert!(world.resolve(silkit_types::Type::nominal("Nowhere"), &Env::top(ModuleId(0)), true).is_err());
}

#[test]
fn only_an_error_alone_conforms_to_itself() {
    let world = world(&[("main", PROGRAM), ("Swift", LIBRARY)]);
    let error = ty(&world, "$any Error").formal();
    let silkit_layout::TyKind::Existential(e) = error.kind() else { panic!("{error}") };
    let protocol = e.protocols[0];
    let conforms = |spelled: &str| world.conforms(ty(&world, spelled).formal(), protocol);
    assert!(!conforms("$any Error & P"));
    assert!(!conforms("$any P"));
}

#[test]
fn copyability_depends_on_arguments() {
    let program = "
struct Once : ~Copyable { @_hasStorage var x: Int { get set } }
struct Holder<T> : ~Copyable where T : ~Copyable { @_hasStorage var x: Int { get set } }
extension Holder : Copyable where T : Copyable { }
struct Tag<T> : Copyable where T : ~Copyable { }
struct Pair<T, U> : Copyable where T : ~Copyable, U : ~Copyable { }
protocol Q { }
sil_witness_table <T> Tag<T>: Q module main { }
sil_witness_table <T, U where U : ~Copyable> Pair<T, U>: Q module main { }
";
    let world = world(&[("main", program), ("Swift", LIBRARY)]);
    let is_copyable = |spelled: &str| world.is_copyable(ty(&world, spelled));
    assert!(is_copyable("$Int") && is_copyable("$Holder<Int>") && is_copyable("$Tag<Once>"));
    assert!(!is_copyable("$Once") && !is_copyable("$Holder<Once>") && !is_copyable("$(Int, Once)"));
    let protocol = world.find_nominal(ModuleId(0), silkit_base::Symbol::new("Q")).expect("declared");
    let conforms = |spelled: &str| world.conforms(ty(&world, spelled), protocol);
    assert!(conforms("$Tag<Int>") && conforms("$Tag<Holder<Int>>") && conforms("$Pair<Int, Once>"));
    assert!(!conforms("$Tag<Once>") && !conforms("$Tag<Holder<Once>>") && !conforms("$Pair<Once, Int>"));
}
