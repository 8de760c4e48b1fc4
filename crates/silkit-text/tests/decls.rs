//! Declarations are read as Swift spells them, and answer questions about types.

use silkit_text::decl::{
    Dialect, FactsFile, ParsedDecls, parse_decls, parse_interface, with_stdlib, write_facts,
};
use silkit_text::{Cursor, GenericEnv, parse_generic_sig, parse_type};
use silkit_types::decl::{
    Accessors, DeclFlags, DeclTable, Declarations, Lookup, MAX_STEPS, MemberKind, NominalKind,
};
use silkit_types::{GenericSig, MAX_TYPE_DEPTH, MAX_TYPE_SIZE, Type};

fn read(text: &str) -> ParsedDecls {
    parse_decls(text, 0..text.len(), Dialect::Sil)
}

fn clean(text: &str) -> Declarations {
    let parsed = read(text);
    assert_eq!(parsed.errors, []);
    with_stdlib(parsed.table)
}

fn ty(text: &str) -> Type {
    parse_type(&mut Cursor::new(text), &mut GenericEnv::new(), false).expect("a type")
}

fn sig(text: &str) -> GenericSig {
    parse_generic_sig(&mut Cursor::new(text), &mut GenericEnv::new()).expect("a signature")
}

fn shown(ty: Option<Type>) -> String {
    ty.map_or("-".to_owned(), |t| t.to_string())
}

const TANK: &str = r#"
@frozen public struct Tank<Fish> where Fish : Hashable {
  public typealias Count = Int
  @_hasStorage internal var inhabitants: [Fish] { get set }
  @_hasStorage @_hasInitialValue var limit: Tank<Fish>.Count { get set }
  @_hasStorage unowned(unsafe) final let keeper: @sil_unmanaged Keeper { get }
  @_hasStorage weak var visitor: @sil_weak Keeper? { get set }
  @_hasStorage static var shared: Int { get set }
  var isFull: Bool { get }
  lazy var log: [Int] { mutating get set }
  subscript(i: Int) -> Fish { get set }
  init?(_ n: Int = (3, ["}"]).0)
  static func == (a: Tank<Fish>, b: Tank<Fish>) -> Bool
  @usableFromInline
  struct Lid { @_hasStorage let fish: Fish? { get } }
}
class Thing {}
class Keeper : Thing, Sendable { @_hasStorage final var age: Int { get set }; deinit }
final class Chief : Keeper { override func feed() }
extension Tank {
  enum Water { case none, level(Int), `default`(salt: Double, String = ","), nested(Lid); indirect case deep(Water) }
}
extension Tank : Sequence {
  typealias Element = Fish
  typealias Iterator = IndexingIterator<[Fish]>
}
extension Tank.Water : @unchecked Sendable where Fish : Sendable {}
indirect enum Tree<T> { case leaf, node(Tree<T>, T, Tree<T>) }
public typealias Pond<T> = Tank<T>
let depth: Int
prefix operator √
infix operator ** : Power
precedencegroup Power { higherThan: MultiplicationPrecedence }
func top(_ x: Int) -> Int
"#;

#[test]
fn declarations_of_every_kind() {
    let parsed = read(TANK);
    assert_eq!(parsed.errors, []);
    let tank = parsed.table.get("Tank".into()).and_then(|e| e.nominal.as_ref()).expect("Tank");
    assert_eq!(tank.kind, NominalKind::Struct);
    let names: Vec<_> = tank.body.fields.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["inhabitants", "limit", "keeper", "visitor"]);
    let members: Vec<_> = tank.body.members.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(members, ["shared", "isFull", "log", "subscript", "init", "=="]);
    assert_eq!(tank.body.members[1].accessors, Accessors::GET);
    let top: Vec<_> = parsed.table.top_level.iter().map(|m| (m.kind, m.name.as_str())).collect();
    assert_eq!(
        top,
        [
            (MemberKind::Property, "depth"),
            (MemberKind::Operator, "√"),
            (MemberKind::Operator, "**"),
            (MemberKind::PrecedenceGroup, "Power"),
            (MemberKind::Function, "top"),
        ]
    );
    let text: Vec<_> = parsed.ranges.iter().map(|r| &TANK[r.as_usize()]).collect();
    assert_eq!(text[1], "class Thing {}");
    assert_eq!(text[text.len() - 1], "func top(_ x: Int) -> Int");
}

#[test]
fn init_accessors_and_limits_of_setters() {
    let parsed = read(
        "struct S {\n  var `a`: Int\n  var b: Int\n  private(set) var c: Int\n  internal(set) var d: Int\n\
         \x20 var all: (Int, Int) {\n    @storageRestrictions(initializes: a, b, accesses: c) init(v)\n    get\n\
         \x20   set\n  }\n  var none: Int { get set }\n}\n",
    );
    assert_eq!(parsed.errors, []);
    let decl = parsed.table.get("S".into()).and_then(|entry| entry.nominal.as_ref()).expect("S");
    let storage = &decl.body.init_accessor("all".into()).expect("an accessor").storage;
    assert_eq!(storage.initializes.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(storage.accesses.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["c"]);
    assert_eq!(decl.body.init_accessor("none".into()), None);
    let limits = DeclFlags::PRIVATE_SETTER | DeclFlags::INTERNAL_SETTER;
    let limits: Vec<_> = decl.body.fields.iter().map(|field| field.flags & limits).collect();
    let none = DeclFlags::empty();
    assert_eq!(limits, [none, none, DeclFlags::PRIVATE_SETTER, DeclFlags::INTERNAL_SETTER]);
}

#[test]
fn fields_through_arguments() {
    let decls = clean(TANK);
    let field = |t: &str, name: &str| shown(decls.stored_field(ty(t), name.into()));
    assert_eq!(field("Tank<Int>", "inhabitants"), "Array<Int>");
    assert_eq!(field("Pond<String>", "inhabitants"), "Array<String>");
    assert_eq!(field("Tank<Int>", "limit"), "Int");
    assert_eq!(field("Tank<Int>", "keeper"), "@sil_unmanaged Keeper");
    assert_eq!(field("Tank<Int>", "visitor"), "@sil_weak Optional<Keeper>");
    assert_eq!(field("Tank<τ_0_1>.Lid", "fish"), "Optional<τ_0_1>");
    assert_eq!(field("Chief", "age"), "Int");
    assert_eq!(field("Tank<Int>", "isFull"), "-");
    assert_eq!(field("Nothing", "x"), "-");
    assert_eq!(shown(decls.superclass(ty("Chief"))), "Keeper");
    assert_eq!(shown(decls.superclass(ty("Thing"))), "-");
}

#[test]
fn initial_values_have_types() {
    let text = r#"
class Keeper { init() }
enum Color { case red
  case mixed(Int) }
struct Egg { init?(hatched: Bool) }
struct Shell<T> { init() }
struct Nest {
  struct Straw { var keeper = Keeper() }
  var keeper = Keeper(), count = -3, text = "a, b", ratio = 2.5e3, open = true
  var red = Color.red
  var mixed = Color.mixed(1)
  var straw = Straw()
  var shell = Shell<Int>()
  var list = [Int]()
  var called = keepers(of: ")", 1)
  var copied = third
  var egg = Egg(hatched: true)
  var overloaded = twice()
  var sum = 1 + 2
  var number = Int("3")
  var range = 0...
}
func keepers(of name: String, _ n: Int) throws -> [Keeper]
func twice() -> Int
func twice() -> Bool
let first = keepers(of: "", 2)
let third = second
let second = first
let endless = endless
"#;
    let decls = clean(text);
    let field = |name: &str| shown(decls.stored_field(ty("Nest"), name.into()));
    assert_eq!(field("keeper"), "Keeper");
    assert_eq!(field("count"), "Int");
    assert_eq!(field("text"), "String");
    assert_eq!(field("ratio"), "Double");
    assert_eq!(field("open"), "Bool");
    assert_eq!(field("red"), "Color");
    assert_eq!(field("mixed"), "Color");
    assert_eq!(field("straw"), "Nest.Straw");
    assert_eq!(field("shell"), "Shell<Int>");
    assert_eq!(field("list"), "Array<Int>");
    assert_eq!(field("called"), "Array<Keeper>");
    assert_eq!(field("copied"), "Array<Keeper>");
    for unknown in ["egg", "overloaded", "sum", "number", "range"] {
        let ty = decls.stored_field(ty("Nest"), unknown.into());
        assert!(ty.is_none_or(|ty| ty.is_unknown()), "{unknown}: {}", shown(ty));
    }
}

#[test]
fn payloads() {
    let decls = clean(TANK);
    let payload = |t: &str, case: &str| decls.enum_payload(ty(t), case.into());
    assert_eq!(payload("Tank<Int>.Water", "none"), None);
    assert_eq!(shown(payload("Tank<Int>.Water", "default").map(|p| p.ty)), "(salt: Double, String)");
    assert_eq!(shown(payload("Tank<Int>.Water", "nested").map(|p| p.ty)), "Tank<Int>.Lid");
    assert_eq!(payload("Tank<Int>.Water", "deep").map(|p| p.indirect), Some(true));
    assert_eq!(payload("Tree<Int>", "node").map(|p| p.indirect), Some(true));
    assert_eq!(shown(payload("[Int]?", "some").map(|p| p.ty)), "Array<Int>");
}

#[test]
fn members_and_conformances() {
    let decls = clean(TANK);
    let member = |t: &str, name: &str| shown(decls.member_type(ty(t), name.into()));
    assert_eq!(member("Tank<Int>", "Element"), "Int");
    assert_eq!(member("Tank<Int>", "Lid"), "Tank<Int>.Lid");
    assert_eq!(member("Tank<Int>", "Iterator"), "IndexingIterator<Array<Int>>");
    assert_eq!(member("[String]", "Element"), "String");
    assert_eq!(member("Array<Int>", "Index"), "Int");
    assert_eq!(member("ContiguousArray<Int>", "SubSequence"), "ArraySlice<Int>");
    assert_eq!(member("Range<Int>", "Bound"), "Int");
    assert_eq!(member("Dictionary<Int, String>", "Element"), "(key: Int, value: String)");
    assert_eq!(member("Dictionary<Int, String>", "Index"), "Dictionary<Int, String>.Index");
    assert_eq!(member("Slice<String>", "Index"), "String.Index");
    assert_eq!(member("τ_0_0", "Element"), "τ_0_0.Element");
    assert_eq!(member("Array<Int>", "Nothing"), "-");
    let conforms = |t: &str, p: &str| decls.conforms(ty(t), p.into());
    assert_eq!(conforms("Tank<Int>", "Sequence"), Some(true));
    assert_eq!(conforms("Tank<Int>.Water", "Sendable"), Some(true));
    assert_eq!(conforms("Chief", "Sendable"), Some(true));
    assert_eq!(conforms("Array<Int>", "Collection"), Some(true));
    assert_eq!(conforms("Array<Int>", "Equatable"), Some(true));
    assert_eq!(conforms("Array<Thing>", "Equatable"), Some(false));
    assert_eq!(conforms("Array<τ_0_0>", "Equatable"), None);
    assert_eq!(conforms("Int", "BinaryInteger"), Some(true));
    assert_eq!(conforms("Thing", "Hashable"), Some(false));
    assert_eq!(decls.is_class(ty("Chief")), Some(true));
    assert_eq!(decls.is_class(ty("Array<Int>")), Some(false));
    assert_eq!(decls.is_class(ty("Elsewhere")), None);
}

#[test]
fn library_storage_is_known() {
    let decls = with_stdlib(DeclTable::new());
    let path = |t: &str, fields: &[&str]| {
        shown(fields.iter().try_fold(ty(t), |t, f| decls.stored_field(t, (*f).into())))
    };
    assert_eq!(path("Array<Int>", &["_buffer"]), "_ContiguousArrayBuffer<Int>");
    assert_eq!(path("Array<Int>", &["_buffer", "_storage"]), "__ContiguousArrayStorageBase");
    assert_eq!(
        path("Array<Int>", &["_buffer", "_storage", "countAndCapacity", "_storage"]),
        "_SwiftArrayBodyStorage"
    );
    assert_eq!(path("String", &["_guts", "_object", "_object"]), "Builtin.BridgeObject");
    assert_eq!(path("Int", &["_value"]), "Builtin.Int64");
    assert_eq!(path("Swift.Bool", &["_value"]), "Builtin.Int1");
    assert_eq!(path("Range<Int>", &["lowerBound", "_value"]), "Builtin.Int64");
    assert_eq!(path("UnsafeMutablePointer<Int>", &["_rawValue"]), "Builtin.RawPointer");
    assert_eq!(path("Dictionary<Int, Int>", &["_variant"]), "Dictionary<Int, Int>._Variant");
    assert_eq!(path("_DictionaryStorage<Int, Int>", &["_count"]), "Int");
}

#[test]
fn packs_of_a_type_become_elements() {
    let swift = "struct Row<First, each Rest> {
  @_hasStorage var cells: (first: First, rest: repeat (each Rest)?)
  @_hasStorage var inner: Row<Int, repeat Array<each Rest>>
  @_hasStorage var only: (repeat each Rest)
}
struct Flat<each Cell> { @_hasStorage var cells: (repeat each Cell) }";
    let decls = clean(swift);
    let field = |row: &str, name: &str| shown(decls.stored_field(ty(row), name.into()));
    assert_eq!(
        field("Row<Int, Pack{Bool, String}>", "cells"),
        "(first: Int, rest: Optional<Bool>, Optional<String>)"
    );
    assert_eq!(field("Row<Int, Pack{Bool}>", "inner"), "Row<Int, Array<Bool>>");
    assert_eq!(field("Row<Int, Pack{Bool}>", "only"), "Bool");
    assert_eq!(field("Row<Int, Pack{}>", "only"), "()");
    assert_eq!(field("Row<Int, Bool>", "only"), "Bool");
    assert_eq!(field("Row<Int>", "only"), "()");
    assert_eq!(field("Row<Int, Bool, String>", "inner"), "Row<Int, Array<Bool>, Array<String>>");
    assert_eq!(decls.is_loadable(ty("Flat<Bool, String>"), None), Some(true));
    assert_eq!(decls.is_loadable(ty("Flat<Bool, Any>"), None), Some(false));
}

#[test]
fn how_values_are_handled() {
    let decls = clean(&format!(
        "{TANK}\nstruct File : ~Copyable {{ @_hasStorage let fd: Int32 {{ get }}; deinit }}\nprotocol Bound : AnyObject {{}}\nprotocol Free {{ associatedtype Ref : AnyObject }}"
    ));
    let generics = sig("<T, U where U : BitwiseCopyable, T : Free>");
    let handled = |t: &str| {
        let p = decls.properties(ty(t), Some(generics));
        (p.trivial, p.address_only, p.move_only)
    };
    let (yes, no) = (Some(true), Some(false));
    for trivial in [
        "Int",
        "Double?",
        "(Int, Bool)",
        "UnsafePointer<τ_0_0>",
        "Int.Type",
        "(any Sequence.Type)?",
        "Range<Int>",
    ] {
        assert_eq!(handled(trivial), (yes, no, no), "{trivial}");
    }
    for counted in [
        "String",
        "[Int]",
        "Keeper",
        "Tree<τ_0_0>",
        "() -> ()",
        "any Error",
        "any Bound",
        "AnyObject?",
        "τ_0_0.Ref",
    ] {
        assert_eq!(handled(counted), (no, no, no), "{counted}");
    }
    for opaque in ["τ_0_0", "Any", "any Sequence", "τ_0_0?", "(Int, any Free)", "Tank<τ_0_0>", "Mirror"] {
        assert_eq!(handled(opaque), (no, yes, no), "{opaque}");
    }
    assert_eq!(handled("τ_0_1"), (yes, yes, no));
    assert_eq!(handled("File"), (no, no, yes));
    assert_eq!(handled("File?"), (no, no, yes));
    assert_eq!(handled("Span<Int>"), (no, no, no));
    assert_eq!(handled("Elsewhere"), (None, None, None));
    assert_eq!(decls.is_trivial(ty("τ_0_0"), None), None);
}

#[test]
fn unknown_is_not_absent() {
    let lookup = |text: &str, path: &str| match clean(text).lookup_nominal(path.into()) {
        Lookup::Known(_) => "known",
        Lookup::Unknown => "unknown",
        Lookup::Absent => "absent",
    };
    assert_eq!(lookup("import Swift", "Int"), "known");
    assert_eq!(lookup("import Swift", "Swift.Int"), "known");
    assert_eq!(lookup("import Swift\nimport Builtin\nimport SwiftShims", "Other"), "absent");
    assert_eq!(lookup("import Elsewhere", "Other"), "unknown");
    assert_eq!(lookup("fileprivate struct A {}\nfileprivate struct A {}", "A"), "unknown");
    assert_eq!(lookup("typealias B = A\nstruct A {}\nextension B { struct C {} }", "A.C"), "known");
}

#[test]
fn imports_may_go_on_in_the_next_line() {
    let parsed =
        read("import\n  Swift\nimport struct\n  Swift.Int\n@_exported import\n\nBuiltin\nclass C {}\n");
    assert_eq!(parsed.errors, []);
    let names: Vec<&str> = parsed.table.imports.iter().map(|name| name.as_str()).collect();
    assert_eq!(names, ["Swift", "Swift", "Builtin"]);
    assert_eq!(read("import\n").errors.len(), 1);
}

#[test]
fn members_stand_on_their_own_lines() {
    let misplaced = |text: &str| read(text).table.misplaced.len();
    for together in [
        "class C { func m() func n() }",
        "enum E { case a case b }",
        "struct S { var x: Int { get } let y: Int }",
        "protocol P { func test(i: Int)  Bool }",
    ] {
        let parsed = read(together);
        assert!(parsed.table.misplaced.len() + parsed.errors.len() > 0, "{together}");
    }
    assert_eq!(misplaced("class C { func m(); func n() }"), 0);
    assert_eq!(misplaced("struct S { var x: Int // one\n  let y: Int /* two */\n\n  init() }"), 0);
    assert_eq!(misplaced("class C {\n  deinit\n  class D {}\n}\nclass F {}"), 0);
}

#[test]
fn bad_swift_is_found_and_the_rest_is_read() {
    let text = "struct A {}\nprint(1)\nx = 3\nstruct B { var x }\nfunc f\n@ struct C {}\nvar y: \nstruct D {\nstruct E {}\n";
    let parsed = read(text);
    let at: Vec<_> =
        parsed.errors.iter().map(|e| 1 + text[..e.range.start as usize].matches('\n').count()).collect();
    assert!([2, 3, 4].iter().all(|line| at.contains(line)), "{at:?}");
    assert!(at.len() >= 6, "{:?}", parsed.errors);
    assert!(parsed.table.get("A".into()).is_some() && parsed.table.get("D.E".into()).is_some());
    assert!(parsed.errors[0].message.contains("expected a declaration, not `print`"));
    assert!(parsed.errors[0].help.is_some());
}

#[test]
fn interfaces_become_facts() {
    let text = "// swift-module-flags: -module-name Geo -swift-version 6\nimport Swift\n\
        @frozen public struct Point<T> : Swift.Sendable where T : Swift.Numeric {\n  #if compiler(>=5.3) && $Feature\n  \
        public var x: T\n  #else\n  public var z: T\n  #endif\n  public var y: Geo.Point<T>.Part {\n    get { \"}\" }\n  }\n  \
        public typealias Part = Swift.Int?\n}\npublic struct Hidden { public let secret: Swift.Int }\n\
        extension Geo.Point : Swift.Equatable {\n  public static func == (a: Self, b: Self) -> Swift.Bool { return a.x == b.x }\n}\n\
        @_hasMissingDesignatedInitializers final public class Box { deinit }\n";
    let parsed = parse_interface(text);
    assert_eq!(parsed.errors, []);
    let point = parsed.table.nominals().next().expect("Point");
    assert!(point.flags.contains(DeclFlags::FROZEN | DeclFlags::RESILIENT_MODULE));
    let facts = write_facts(&[parsed.table]);
    assert_eq!(
        facts,
        "silkit-facts 1 Geo\nBox\tfinal class Box{}\nHidden\tstruct Hidden{}\nPoint\t@frozen struct Point<T>:Sendable where \
         T : Numeric{var x: T;typealias Part=Int?};extension Point:Equatable{}\n"
    );
    let file = std::sync::Arc::new(FactsFile::new(facts).expect("facts"));
    let decls = Declarations::new(DeclTable::new(), vec![file]);
    assert_eq!(shown(decls.stored_field(ty("Point<Int>"), "x".into())), "Int");
    assert_eq!(shown(decls.stored_field(ty("Geo.Point<Int>"), "x".into())), "Int");
    assert_eq!(shown(decls.member_type(ty("Point<Int>"), "Part".into())), "Optional<Int>");
    assert_eq!(decls.is_address_only(ty("Hidden"), None), Some(true));
    assert!(FactsFile::new("something else\n").is_none());
}

#[test]
fn casts_that_always_fail() {
    let decls = clean(
        "protocol P {}\nclass A {}\nclass B : A {}\nclass C {}\nstruct S {}\nstruct G<T> {}\nenum E {}\n\
         protocol _ObjectiveCBridgeable {}\nstruct Bridged : _ObjectiveCBridgeable {}\n\
         private protocol Q {}\nclass GC<T> {}\nclass GS : GC<S> {}\nprivate struct PS {}\nprivate class PC {}\n\
         private final class PF {}\nprivate final class PB : A {}\nstruct SP : Q {}",
    );
    let fails = |from: &str, to: &str| decls.cast_always_fails(ty(from), ty(to));
    for (from, to) in [
        ("S", "E"),
        ("S", "A"),
        ("A", "S"),
        ("A", "C"),
        ("(S, S)", "(S, E)"),
        ("(S, S)", "(S, S, S)"),
        ("S", "(S, S)"),
        ("G<S>", "G<E>"),
        ("Optional<S>", "E"),
        ("S", "Optional<E>"),
        ("PS", "any P"),
        ("PF", "any P"),
        ("S", "any Q"),
        ("PS", "Optional<any P>"),
        ("GC<S>", "GC<E>"),
        ("GS", "GC<E>"),
        ("GC<E>", "GS"),
        ("S.Type", "E.Type"),
        ("A.Type", "C.Type"),
        ("S.Type", "S"),
        ("A", "A.Type"),
        ("Builtin.Int32", "Builtin.Int64"),
        ("Builtin.Int32", "S"),
    ] {
        assert!(fails(from, to), "{from} to {to}");
    }
    for (from, to) in [
        ("S", "S"),
        ("A", "B"),
        ("B", "A"),
        ("S", "any P"),
        ("any P", "S"),
        ("Bridged", "A"),
        ("A", "Bridged"),
        ("(S, A)", "(S, B)"),
        ("Optional<S>", "Optional<E>"),
        ("Array<S>", "Array<E>"),
        ("Unknown", "S"),
        ("PC", "any P"),
        ("PB", "any P"),
        ("A", "any Q"),
        ("SP", "any Q"),
        ("Optional<PS>", "any P"),
        ("PS", "any P & Q"),
        ("S", "AnyHashable"),
        ("AnyHashable", "S"),
        ("GC<S>", "GS"),
        ("S.Type", "A.Type"),
        ("S.Type", "any P"),
        ("Builtin.Int32", "Builtin.Int32"),
    ] {
        assert!(!fails(from, to), "{from} to {to}");
    }
}

#[test]
fn endless_things_end() {
    let decls = clean(
        "typealias A = B\ntypealias B = A\nstruct S { var x: A; var s: [S] }\nstruct R { var r: R }\nclass C : D {}\nclass D : C {}\n\
         protocol P : Q {}\nprotocol Q : P {}\nstruct W<T> { var w: W<W<T>>? }\nstruct U : P { typealias V = V.V; var v: V }",
    );
    let circle = decls.stored_field(ty("S"), "x".into()).unwrap_or(Type::unknown());
    assert_eq!(decls.is_trivial(circle, None), None);
    assert_eq!(decls.is_trivial(ty("S"), None), Some(false));
    assert_eq!(decls.stored_field(ty("C"), "x".into()), None);
    assert_eq!(decls.conforms(ty("U"), "Z".into()), Some(false));
    assert_eq!(decls.is_trivial(ty("R"), None), None);
    assert_eq!(decls.is_trivial(ty("W<Int>"), None), None);
    assert_eq!(decls.is_address_only(ty("U"), None), None);
    let member = decls.member_type(ty("U"), "V".into());
    assert_eq!(decls.is_trivial(member.unwrap_or(Type::unknown()), None), None);
    assert!(decls.most_steps() < MAX_STEPS, "{}", decls.most_steps());
}

/// Returns a question about a chain of `n` declarations takes steps in proportion to `n`.
fn steps(n: usize, link: &str, ask: impl Fn(&Declarations)) -> u32 {
    let text: String = (0..n)
        .map(|i| {
            let numbers = |s: &str| s.replace("$M", &(i + 1).to_string()).replace("$N", &i.to_string());
            numbers(link) + "\n"
        })
        .collect();
    let decls = clean(&text);
    ask(&decls);
    decls.most_steps()
}

#[test]
fn work_is_bounded() {
    let trivial = |d: &Declarations| _ = d.properties(ty("S0"), None);
    let field = |d: &Declarations| _ = d.stored_field(ty("S0"), "a".into());
    let conforms = |d: &Declarations| _ = d.conforms(ty("S0"), "Z".into());
    let bound = |d: &Declarations| _ = d.properties(ty("any S0"), None);
    let aliases = |d: &Declarations| _ = d.resolve(ty("S0"));
    let grown = |d: &Declarations| _ = d.properties(ty("S0<Int>"), None);
    type Ask<'a> = &'a dyn Fn(&Declarations);
    let chains: [(&str, Ask<'_>); 9] = [
        ("struct S$N { var a: S$M; var b: S$M; var c: S$M? }", &trivial),
        ("struct S$N { var a: (S$M, S$M)?; var b: [S$M]? }", &field),
        ("class S$N : S$M { var b: S$M }", &field),
        ("protocol S$N : S$M, T$M {}\nprotocol T$N : S$M, T$M {}", &conforms),
        ("protocol S$N : S$M, T$M {}\nprotocol T$N : S$M, T$M {}", &bound),
        ("typealias S$N = (S$M, S$M)", &aliases),
        ("struct S$N<T> { var a: S$N<S$N<T>>; var b: S$N<(T, T)>; var c: S$N<T?>? }", &grown),
        ("struct S$N<T> { typealias U = S$M<(T, T)>.U; var a: U; var b: S$M<U>.U }", &grown),
        (
            "enum S$N<T> : ~Copyable { case a(S$M<T>), b(S$M<T?>) }\nextension S$N : Copyable where T : Copyable {}",
            &grown,
        ),
    ];
    for (link, ask) in chains {
        for n in [10, 100, 3000] {
            let taken = steps(n, link, ask);
            assert!(taken <= MAX_STEPS + 1, "{link}: {n}: {taken}");
        }
    }
    // What programs have is answered in full and in proportion.
    let (once, twice) = (steps(20, chains[0].0, trivial), steps(40, chains[0].0, trivial));
    assert!(twice <= 2 * once + 8, "{once} {twice}");
}

#[test]
fn types_do_not_grow_without_end() {
    let mut wide = Type::nominal("Int");
    let mut deep = wide;
    for _ in 0..10_000 {
        wide = Type::tuple(&[wide, wide]);
        deep = Type::optional(deep);
        assert!(wide.size() <= MAX_TYPE_SIZE && deep.size() <= u32::from(MAX_TYPE_DEPTH));
    }
    let decls = clean("struct S<T> { var a: (T, T) }\ntypealias D<T> = (T, T)");
    let spelled = format!("{}Int{}", "D<".repeat(100), ">".repeat(100));
    assert!(decls.resolve(ty(&spelled)).size() <= MAX_TYPE_SIZE);
    assert!(decls.most_steps() <= MAX_STEPS + 1);
}

#[test]
fn no_text_panics() {
    let deep = format!("{}{}", "struct S { ".repeat(5_000), "}".repeat(5_000));
    assert!(!read(&deep).errors.is_empty());
    for odd in [
        "",
        "#",
        "#if",
        "@",
        "\"",
        "\"\\(",
        "`",
        "struct",
        "extension",
        "case a",
        "\u{3b1} \u{1f600}",
        "/*",
        ")]}",
        "var (",
        "func 🙂(",
    ] {
        let _ = read(odd);
        let _ = parse_interface(odd);
    }
    for end in (0..TANK.len()).filter(|&i| TANK.is_char_boundary(i)) {
        let _ = read(&TANK[..end]);
        let _ = read(&TANK[end..]);
    }
}

#[test]
fn what_somebody_wrote_refers_to_few_mangled_functions() {
    let is_printed = |names: &[&str]| {
        let functions = names.iter().map(|name| format!("sil @{name} : $@convention(thin) () -> ()\n"));
        let text: String = functions.collect();
        let parsed = silkit_text::parse_module(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        silkit_text::decl::declarations(&parsed.module).own().is_printed_by_compiler
    };
    assert!(is_printed(&["main", "$s1a1fyyF"]) && is_printed(&["$s1a1fyyF"]));
    assert!(!is_printed(&["f", "g", "$s1a1fyyF"]) && !is_printed(&["f"]) && !is_printed(&[]));
}
