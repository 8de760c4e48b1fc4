//! Layouts against those that the reference compiler gives types at run time. Without the reference the test says so.

mod common;

use common::{Rng, generate, world};
use silkit_layout::{Env, LayoutKind, ModuleId, Ty, TypeError, World};
use silkit_testkit::or_skip;
use silkit_testkit::shared::{self, ReferenceTools};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints what the value witness table of a type says: size, stride, alignment, extra inhabitants, and whether it is
/// trivial; then the offsets that metadata of structs and tuples have, and for a class those of all classes above it with
/// the size and the alignment of an instance.
const PRELUDE: &str = "\
func offsets(_ type: UnsafeRawPointer, _ word: Int, _ descriptor: UnsafeRawPointer, _ at: Int) -> [Int] {
  let fields = Int(descriptor.load(fromByteOffset: at, as: UInt32.self))
  let vector = Int(descriptor.load(fromByteOffset: at + 4, as: UInt32.self))
  return (0..<fields).map {
    word == 4 ? Int(type.load(fromByteOffset: vector * 8 + $0 * 4, as: UInt32.self))
      : type.load(fromByteOffset: (vector + $0) * 8, as: Int.self)
  }
}
func parts(_ type: UnsafeRawPointer) -> [Int] {
  switch type.load(as: UInt.self) {
  case 0x200:
    let descriptor = type.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
    return offsets(type, 4, descriptor, 20)
  case 0x301:
    let count = type.load(fromByteOffset: 8, as: Int.self)
    return (0..<count).map { Int(type.load(fromByteOffset: 24 + $0 * 16 + 8, as: UInt32.self)) }
  case 0, 0x800...:
    let above = type.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
    return (above.map(parts) ?? []) + offsets(type, 8, type.load(fromByteOffset: 40, as: UnsafeRawPointer.self), 36)
  default: return []
  }
}
func p<T: ~Copyable>(_ name: String, _ t: T.Type) {
  let type = unsafeBitCast(t, to: UnsafeRawPointer.self)
  let table = unsafeBitCast(t, to: UnsafePointer<UnsafeRawPointer>.self)[-1]
  let size = table.load(fromByteOffset: 64, as: Int.self), stride = table.load(fromByteOffset: 72, as: Int.self)
  let flags = table.load(fromByteOffset: 80, as: UInt32.self), xi = table.load(fromByteOffset: 84, as: UInt32.self)
  print(name, size, stride, (flags & 255) + 1, xi, flags & 0x10000 == 0, parts(type), terminator: \"\")
  let kind = type.load(as: UInt.self)
  if kind == 0 || kind >= 0x800 {
    print(\" of\", type.load(fromByteOffset: 24, as: UInt32.self), type.load(fromByteOffset: 28, as: UInt16.self) + 1, terminator: \"\")
  }
  print()
}
";

/// Types of the library, each with several arguments.
const GENERIC: &[&str] = &[
    "Array<%>",
    "ContiguousArray<%>",
    "ArraySlice<%>",
    "Optional<%>",
    "Optional<Optional<%>>",
    "Range<Int>",
    "ClosedRange<Int>",
    "UnsafePointer<%>",
    "UnsafeMutablePointer<%>?",
    "UnsafeBufferPointer<%>",
    "UnsafeMutableBufferPointer<%>",
    "Dictionary<String, %>",
    "Dictionary<Int, %>.Index",
    "Set<Int>.Index",
    "Dictionary<String, %>.Iterator",
    "IndexingIterator<[%]>",
    "LazySequence<[%]>",
    "LazyMapSequence<[%], Int>",
    "LazyFilterSequence<[%]>",
    "ReversedCollection<[%]>",
    "EnumeratedSequence<[%]>",
    "Zip2Sequence<[%], [Int]>",
    "Slice<[%]>",
    "Repeated<%>",
    "CollectionOfOne<%>",
    "EmptyCollection<%>",
    "AnySequence<%>",
    "AnyCollection<%>",
    "AnyIterator<%>",
    "Result<%, any Error>",
    "KeyPath<[%], Int>",
    "PartialKeyPath<[%]>",
    "(%, Bool)",
    "(Bool, %)",
    "(%) -> Int",
    "[%].Type",
    "InlineArray<3, %>",
    "JoinedSequence<[[%]]>",
    "FlattenSequence<[[%]]>",
    "DropFirstSequence<[%]>",
    "PrefixSequence<[%]>",
    "UnfoldSequence<%, Int>",
    "StrideTo<Int>",
    "StrideThrough<Int>",
    "DefaultIndices<[%]>",
    "Optional<(%, %)>",
    "Array<%>.Iterator",
    "ManagedBuffer<Int, %>",
    "CollectionDifference<Int>",
];
const ARGUMENTS: &[&str] =
    &["Int", "Bool", "String", "Character", "Int8", "Double", "AnyObject", "Any", "Float80"];
const PLAIN: &[&str] = &[
    "Int",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "UInt",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "UInt128",
    "Float",
    "Double",
    "Float16",
    "Float80",
    "Bool",
    "String",
    "Character",
    "Substring",
    "Unicode.Scalar",
    "String.Index",
    "String.UTF8View",
    "String.UTF16View",
    "String.UnicodeScalarView",
    "String.Iterator",
    "Substring.UTF8View",
    "StaticString",
    "AnyHashable",
    "AnyKeyPath",
    "ObjectIdentifier",
    "OpaquePointer",
    "UnsafeRawPointer",
    "UnsafeMutableRawPointer",
    "UnsafeRawBufferPointer",
    "Hasher",
    "Never",
    "Void",
    "SystemRandomNumberGenerator",
    "Duration",
    "Mirror",
    "Mirror.DisplayStyle",
    "DefaultStringInterpolation",
    "SIMD2<Int8>",
    "SIMD3<Float>",
    "SIMD4<Double>",
    "SIMD8<Int16>",
    "SIMD16<UInt8>",
    "SIMD64<UInt8>",
    "Any",
    "AnyObject",
    "any Error",
    "any Hashable",
    "any Sequence",
    "any Error & Hashable",
    "Any.Type",
    "any Hashable.Type",
    "Int.Type",
    "FloatingPointSign",
    "FloatingPointClassification",
    "FloatingPointRoundingRule",
    "Unicode.GeneralCategory",
    "Unicode.CanonicalCombiningClass",
    "LazyDropWhileSequence<[Int]>",
    "() -> ()",
    "(() -> ())?",
    "@convention(c) () -> ()",
    "CVaListPointer",
    "Set<Int>",
    "DecodingError",
    "EncodingError",
    "DecodingError.Context",
    "CollectionDifference<Int>.Change",
    "Unicode.UTF8.ForwardParser",
    "Unicode.ParseResult<Int>",
    "UTF8.ValidationError",
];

/// Declarations with what the generator does not make, and their types.
const SPECIAL: &str = "\
struct Once: ~Copyable { var a: Bool; var b: Int32; deinit {} }
struct Holds: ~Copyable { var a: UInt8; var once: Once; var last: UInt16 }
enum Either: ~Copyable { case one(Once), two(Holds), none }
struct Pack<each T> { var first: Bool = false; var all: (repeat each T); var last: UInt8 = 0 }
struct Rows<let n: Int, T> { var a: Bool; var rows: InlineArray<n, T>; var z: Bool }
@propertyWrapper struct Wrap<T> { var seen: Bool = false; var wrappedValue: T }
struct Wrapped { @Wrap var a: Int32 = 1; @Wrap var b: String = \"\"; lazy var c: Int16 = 2; var d: Bool = true; static var e = 3 }
class Base<T> { var a: Bool = false; let t: T; init(_ t: T) { self.t = t } }
class Derived: Base<Int16> { var b: UInt8 = 0; weak var w: K?; unowned(unsafe) var u: K? }
final class Last<U>: Base<U> { var c: Bool = false; var f: (@Sendable () -> U)?; var s: SIMD4<Float> = [] }
actor Act { var a: Bool = false; var s: String = \"\" }
class Elements: ManagedBuffer<Int8, Int> { }
enum Raws: Int { case a = 7, b, c }
enum Names: String { case a, b }
enum Wide { case a(Int, Bool), b(Bool, Int), c(UInt8), d }
enum Lots { case a(Bool), b(Bool), c(Bool), d(Bool), e(Bool), f(Raws), g, h }
enum Classes { case a(K), b(Derived), c(Act), d(K), e(K), f, g, h, i, j, k }
enum Strings { case a(String), b([Int]), c(Character), d, e }
enum Pieces { case a(Substring), b(Substring), c }
struct Unit {}
enum Lone { case a }
enum Nothing {}
enum Units { case a(Unit), b(Unit), c(Nothing), d(Int8) }
enum Never1 { case a(Never), b(Int) }
struct Funcs { var a: () -> (); var b: @convention(c) () -> Int32; var c: @convention(thin) () -> () = { }; var d: (Int) async throws -> Bool; var e: Bool }
struct Metas { var a: Int.Type; var b: Bool; var c: K.Type; var d: Any.Type; var e: (any P & Q).Type; var f: AnyClass }
struct Outer { struct Inner { var a: Int8; var b: Nested? ; enum Nested { case x(Bool), y(Bool) } }; var i: Inner; var o: Outer.Inner.Nested? }
extension Pack { struct In { var x: Int8; var y: (repeat Optional<each T>) } }
protocol Prim<A> { associatedtype A }
struct Exist { var a: any Prim<Int>; var b: (any Prim<Int>)?; var c: any K & P; var d: (any Error)?; var e: any C & P; weak var w: (any C)? }
";
const SPECIAL_TYPES: &[&str] = &[
    "Once",
    "Holds",
    "Either",
    "Optional<Holds>",
    "Optional<Either>",
    "Pack<Int>",
    "Pack<Int8, Int, Bool>",
    "Pack<String, Bool>.In",
    "Rows<3, Int16>",
    "Rows<0, Int>",
    "Rows<5, Bool>?",
    "Wrap<Int32>",
    "Wrapped",
    "Base<Int>",
    "Base<Bool>",
    "Derived",
    "Derived?",
    "Last<Int8>",
    "Last<String>",
    "Act",
    "Elements",
    "Raws",
    "Names",
    "Wide",
    "Wide?",
    "Lots",
    "Lots??",
    "Classes",
    "Classes?",
    "Strings",
    "Strings??",
    "Pieces",
    "Pieces?",
    "Unit",
    "Unit?",
    "Lone",
    "Lone?",
    "Nothing",
    "Nothing?",
    "Units",
    "Units?",
    "Never1",
    "Never1?",
    "Funcs",
    "Funcs?",
    "Metas",
    "Metas?",
    "Outer",
    "Outer.Inner",
    "Outer.Inner.Nested??",
    "Exist",
    "Exist?",
    "(Bool, Int, Int8)",
    "(a: Int8, b: (Bool, Int32), c: Bool)",
    "(Void, Int, Void)",
    "Optional<(Int, Bool)>",
    "(any Prim<Int>.Type, Bool)",
    "InlineArray<2, (Int8, Int)>",
    "InlineArray<4, K>?",
    "Result<Never, Never>",
    "Result<Int, Never>",
    "Optional<Optional<Optional<Optional<Optional<Bool>>>>>",
    "Optional<Optional<K>>",
    "Unmanaged<K>",
    "Unmanaged<K>?",
];

fn compile(reference: &ReferenceTools, source: &str, folder: &Path) -> (String, String) {
    let file = folder.join("types.swift");
    std::fs::write(&file, source).expect("written");
    let run = |tool: &str, options: &[&str]| {
        let mut command = reference.command(tool);
        let output =
            command.args(options).args(["-module-name", "main"]).arg(&file).output().expect("started");
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().count().saturating_sub(40);
        let told: Vec<_> =
            said.lines().enumerate().filter(|(i, l)| *i >= last || l.contains("error")).collect();
        assert!(output.status.success(), "{}: {told:#?}", output.status);
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    (run("swift-frontend", &["-interpret"]), run("swiftc", &["-emit-silgen"]))
}

fn library() -> Result<String, String> {
    let packed: PathBuf = shared::file("corpus/stdlib/Swift.canonical.sil.zst").map_err(|s| s.to_string())?;
    let output = Command::new("zstd").args(["-q", "-d", "-c", "--long=27"]).arg(packed).output();
    let output = output.map_err(|_| "skipped because zstd is not installed".to_owned())?;
    let text = String::from_utf8_lossy(&output.stdout);
    // Bodies say nothing about layouts.
    let end = text.find("\nsil ").unwrap_or(text.len());
    let tables = text.find("\nsil_witness_table").unwrap_or(text.len());
    Ok(format!("{}{}", &text[..end], &text[tables..]))
}

/// Returns the types that the calls of `p` are given, in the order of the text.
fn types_of(world: &World) -> Vec<Ty> {
    let main = world.module(ModuleId(0)).clone();
    let body =
        main.sil.functions.values().find(|f| f.name == "main").and_then(|f| f.body.as_ref()).expect("main");
    let mut found = Vec::new();
    for inst in body.insts() {
        if let silkit_ir::instructions::AnyInst::Apply(apply) = body.view(inst)
            && let Some(callee) = body.defining_inst(apply.callee)
            && let Some(f) = body.view_as::<silkit_ir::instructions::FunctionRef>(callee)
            && f.function == "$s4main1pyySS_xmtRi_zlF"
        {
            let spelled = apply.subs.get(0).expect("one argument");
            found.push(world.resolve(spelled, &Env::top(ModuleId(0)), false).expect("resolved"));
        }
    }
    found
}

/// Describes the layout of a type as the program does.
fn described(world: &World, ty: Ty) -> Result<String, TypeError> {
    let l = world.layout(ty)?;
    let (mut offsets, mut instance) = (l.parts().iter().map(|p| p.offset).collect::<Vec<_>>(), String::new());
    if matches!(l.kind, LayoutKind::Reference(_)) && world.is_class(ty) {
        let class = world.class_layout(ty)?;
        offsets = class.fields.iter().map(|f| f.offset).collect();
        instance = format!(" of {} {}", class.size, class.align);
    }
    let (size, stride, xi) = (l.size, l.stride(), l.extra_inhabitants());
    Ok(format!("{size} {stride} {} {xi} {} {offsets:?}{instance}", l.align, l.trivial))
}

#[test]
fn layouts_are_those_of_the_reference() {
    let reference = or_skip!(ReferenceTools::find());
    let library = match library() {
        Ok(text) => text,
        Err(skip) => return eprintln!("{skip}"),
    };
    let mut source = PRELUDE.to_owned();
    let mut rng = Rng(7);
    let generated = generate(&mut rng, 520, &mut source);
    let mut types: Vec<String> = PLAIN.iter().map(|s| (*s).to_owned()).collect();
    for generic in GENERIC {
        let arguments = if generic.contains('%') { ARGUMENTS } else { &ARGUMENTS[..1] };
        types.extend(arguments.iter().map(|a| generic.replace('%', a)));
    }
    let of_library = types.len();
    source.push_str(SPECIAL);
    types.extend(SPECIAL_TYPES.iter().map(|s| (*s).to_owned()));
    types.extend(generated);
    for ty in &types {
        let _ = writeln!(source, "p(\"{}\", ({ty}).self)", ty.replace(' ', "_"));
    }
    let folder = std::env::temp_dir().join(format!("silkit-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let (output, sil) = compile(&reference, &source, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    let world = world(&[("main", &sil), ("Swift", &library)]);
    let found = types_of(&world);
    assert_eq!(found.len(), types.len());
    let mut wrong = String::new();
    let mut right = [0; 2];
    for ((ty, line), at) in found.iter().zip(output.lines()).zip(0..) {
        let (name, expected) = line.split_once(' ').expect("several words");
        let layout = described(&world, *ty).unwrap_or_else(|error| error.to_string());
        if layout == expected {
            right[usize::from(at >= of_library)] += 1;
        } else {
            let _ = writeln!(wrong, "{name}: {layout}, expected {expected}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}{} of the library and {} generated ones are right", right[0], right[1]);
    assert!(right[0] >= 300 && right[1] >= 500, "{right:?}");
}
