//! Layouts against those that the reference compiler gives types at run time. Without the reference the test says so.

mod common;

use common::{Rng, generate, world};
use silkit_layout::{Env, ModuleId, Ty, World};
use silkit_testkit::or_skip;
use silkit_testkit::shared::{self, Reference};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints what the value witness table of a type says: size, stride, alignment, extra inhabitants, and whether it is
/// trivial.
const PRELUDE: &str = "\
func p<T: ~Copyable>(_ name: String, _ t: T.Type) {
  let table = unsafeBitCast(t, to: UnsafePointer<UnsafeRawPointer>.self)[-1]
  let size = table.load(fromByteOffset: 64, as: Int.self), stride = table.load(fromByteOffset: 72, as: Int.self)
  let flags = table.load(fromByteOffset: 80, as: UInt32.self), xi = table.load(fromByteOffset: 84, as: UInt32.self)
  print(name, size, stride, (flags & 255) + 1, xi, flags & 0x10000 == 0)
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

fn compile(reference: &Reference, source: &str, folder: &Path) -> (String, String) {
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

#[test]
fn layouts_are_those_of_the_reference() {
    let reference = or_skip!(Reference::find());
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
        let layout = match world.layout(*ty) {
            Ok(l) => {
                format!("{} {} {} {} {}", l.size, l.stride(), l.align, l.extra_inhabitants(), l.trivial)
            }
            Err(error) => error.to_string(),
        };
        if layout == expected {
            right[usize::from(at >= of_library)] += 1;
        } else {
            let _ = writeln!(wrong, "{name}: {layout}, expected {expected}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}{} of the library and {} generated ones are right", right[0], right[1]);
    assert!(right[0] >= 300 && right[1] >= 500, "{right:?}");
}
