//! The binary form: exact in both directions, and an error for whatever is not right with a file.

use silkit::binary::{ReadError, ReadErrorKind, Reader, fuzzing, is_binary, write_module, write_module_of};
use silkit::ir::{Function, Module};
use silkit::text::{PrintOptions, parse_module, print_module};
use silkit::types::{SilType, Type};
use silkit_testkit::mutate::{mutate, mutate_bytes};
use silkit_testkit::{or_skip, shared};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the texts in a folder of the project, by name.
fn texts(folder: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder").map(|e| e.expect("entry").path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|p| p.is_file() && p.extension().is_none_or(|e| e != "swift")).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder}");
    paths.iter().map(|p| (p.display().to_string(), std::fs::read_to_string(p).expect("text"))).collect()
}

fn write(module: &Module) -> Vec<u8> {
    write_module(module).expect("what was read can be written")
}

fn read(file: &[u8]) -> Result<Module, ReadError> {
    Reader::open(file)?.module()
}

/// Returns a module in all the ways in which it prints.
fn prints(module: &Module) -> Vec<String> {
    let ways = [
        PrintOptions::default(),
        PrintOptions { types: true, debug_info: true, ..PrintOptions::default() },
        PrintOptions { keep_locations: true, ..PrintOptions::default() },
        PrintOptions { sorted: true, ..PrintOptions::default() },
    ];
    ways.iter().map(|options| print_module(module, options, &|_| None)).collect()
}

/// Returns a module without its bodies, which number their parts in another order.
fn frame(mut module: Module) -> String {
    module.functions.values_mut().for_each(|f| f.body = None);
    module.globals.values_mut().for_each(|g| g.initializer = None);
    format!("{module:?}")
}

fn check(name: &str, text: &str) {
    let module = parse_module(text).module;
    let file = write(&module);
    assert!(is_binary(&file), "{name}");
    let again = read(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (want, got) in prints(&module).iter().zip(prints(&again)) {
        for (number, (want, got)) in (1..).zip(want.lines().zip(got.lines())) {
            assert_eq!(want, got, "{name}: line {number}");
        }
        assert_eq!(want.len(), got.len(), "{name}");
    }
    assert!(file == write(&again), "{name}: writing what was read changes bytes");
    assert_eq!(frame(module), frame(again), "{name}");
}

#[test]
fn what_was_written_is_read() {
    for (name, text) in texts("examples") {
        check(&name, &text);
    }
    // Pieces of SIL with many forms of instructions and tables; some have errors, and keep what was
    // understood.
    for (name, text) in texts("fuzz/corpus/parse").into_iter().chain(texts("fuzz/corpus/round_trip")) {
        check(&name, &text);
    }
    check("tables.sil", include_str!("data/tables.sil"));
    check("comments.sil", include_str!("data/comments.sil"));
    check("nothing", "");
}

/// Chance makes many texts that no compiler writes: types that are not known, blocks and values that are
/// missing, uses before definitions.
#[test]
fn what_was_understood_of_damaged_text_is_kept() {
    for (name, text) in texts("fuzz/corpus/round_trip").iter().step_by(4) {
        for seed in 0..12 {
            let damaged = mutate(text, seed);
            check(&format!("{name}: {}", damaged.description), &damaged.text);
        }
    }
}

#[test]
fn one_function_is_read_without_the_others() {
    let (_, text) = texts("examples").swap_remove(0);
    let module = parse_module(&text).module;
    let mut file = write(&module);
    let reader = Reader::open(&file).expect("a file");
    assert!(reader.producer().starts_with("silkit ") && reader.source().is_empty());
    let named = write_module_of(&module, "a.sil").expect("a file");
    assert_eq!(Reader::open(&named).expect("a file").source(), "a.sil");
    assert_eq!(reader.functions().expect("an index").len(), module.functions.len());
    for function in module.functions.values() {
        let found = reader.function(function.name.as_str()).expect("a body").expect("a function");
        assert_eq!(found.name, function.name);
        assert_eq!(found.body.is_some(), function.body.is_some());
    }
    assert!(reader.function("no such function").expect("an index").is_none());
    let mut bare = reader.without_bodies().expect("a module");
    for (number, function) in module.functions.values().enumerate() {
        let found = reader.function_at(number).expect("a body").expect("a function");
        assert_eq!(found.name, function.name);
        let id = silkit::ir::FunctionId::from_u32(number as u32);
        let empty = std::mem::replace(&mut bare.functions[id].body, found.body);
        assert_eq!(empty.map(|body| body.insts().count()), function.body.as_ref().map(|_| 0));
    }
    assert!(reader.function_at(module.functions.len()).expect("an index").is_none());
    assert_eq!(write(&bare), write(&module), "the module with all bodies read one by one");

    let entries = reader.functions().expect("an index");
    let bodies: Vec<_> = entries.iter().filter(|entry| entry.body.is_some()).collect();
    let (first, second) = (bodies[0].clone(), bodies[1].name.as_str());
    let at = first.body.expect("a body").start;
    file[at] ^= 1;
    let reader = Reader::open(&file).expect("a directory");
    assert!(reader.function(second).expect("a body").is_some());
    let error = reader.function(first.name.as_str()).expect_err("damage");
    assert_eq!(error.kind(), ReadErrorKind::Checksum);
    assert_eq!(error.offset(), Some(at as u64));
    assert!(error.message().contains(first.name.as_str()), "{error}");
}

#[test]
fn one_header_is_read_with_the_types_that_it_needs() {
    let mut ty = Type::builtin("Int1");
    for _ in 0..250 {
        ty = Type::tuple(&[ty, Type::builtin("Int8")]);
    }
    let mut module = Module::default();
    for (name, ty) in [("b", Type::builtin("Int2")), ("c", ty), ("a", ty), ("", ty)] {
        module.functions.push(Function::new(name, SilType::object(ty)));
    }
    let file = write(&module);
    let reader = Reader::open(&file).expect("a file");
    reader.check().expect("tables");
    for function in module.functions.values() {
        let header = reader.header(function.name).expect("a header").expect("a function");
        assert_eq!((header.name, header.ty), (function.name, function.ty));
    }
    for name in ["aa", "d", "B"] {
        assert!(reader.header(name.into()).expect("an index").is_none(), "{name}");
    }
}

#[test]
fn damage_in_a_table_affects_only_what_refers_to_it() {
    let mut module = Module::default();
    for (name, width) in [("f", "Int11"), ("g", "Int22"), ("h", "Int33")] {
        module.functions.push(Function::new(name, SilType::object(Type::builtin(width))));
    }
    let mut file = fuzzing::unpacked(&write(&module)).expect("a good file");
    let start = file.windows(5).position(|bytes| bytes == b"Int22").expect("a name");
    // A character that begins in the preceding string.
    file[start - 1..=start].copy_from_slice("é".as_bytes());
    fuzzing::reseal(&mut file);
    let reader = Reader::open(&file).expect("a file");
    reader.check().expect("tables");
    let read: Vec<_> = (0..3).map(|number| reader.function_at(number)).collect();
    let errors: Vec<_> = read.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(!errors.is_empty() && errors.len() < 3, "{errors:?}");
    for error in errors {
        assert!(error.message().contains("in the middle of a character"), "{error}");
    }
    assert!(reader.module().is_err());
    file[start] = 0xFF;
    fuzzing::reseal(&mut file);
    let error = Reader::open(&file).expect("a file").check().expect_err("not UTF-8");
    assert!(error.message().contains("UTF-8"), "{error}");
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (_, text) = texts("examples").pop().expect("an example");
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("pool");
    let write = || write(&read(&write(&parse_module(&text).module)).expect("a module"));
    assert_eq!(pool(1).install(write), pool(4).install(write));
}

const SMALL: &str = "sil_stage raw\n\nimport Builtin\n\nsil_global private @g : $Builtin.Int64\n\n\
    sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {\nbb0(%0 : $Builtin.Int64):\n  \
    cond_br undef, bb1, bb2\nbb1:\n  br bb3(%0 : $Builtin.Int64)\nbb2:\n  br bb3(%0 : $Builtin.Int64)\n\
    bb3(%3 : $Builtin.Int64):\n  return %3 : $Builtin.Int64, loc \"a.swift\":3:7\n}\n";

#[test]
fn every_change_of_a_byte_is_noticed() {
    let file = write(&parse_module(SMALL).module);
    assert!(read(&file).is_ok());
    for at in 0..file.len() {
        for bits in [0x01, 0x80, 0xFF] {
            let mut damaged = file.clone();
            damaged[at] ^= bits;
            let error = read(&damaged).expect_err("damage");
            assert!(error.message().len() > 20 && error.hint().len() > 20, "byte {at}: {error}");
        }
    }
}

#[test]
fn a_file_that_was_cut_off_or_continued_is_told() {
    let file = write(&parse_module(SMALL).module);
    for length in 0..file.len() {
        let error = read(&file[..length]).expect_err("a part of a file");
        let wanted = if length == 0 { ReadErrorKind::NotSilkit } else { ReadErrorKind::Truncated };
        assert_eq!(error.kind(), wanted, "{length} bytes: {error}");
    }
    let error = read(&[&file[..], b"x"].concat()).expect_err("a longer file");
    assert_eq!(error.kind(), ReadErrorKind::Malformed, "{error}");
}

/// Reads what may be damaged, and prints what it says. Whether it was refused.
fn survives(file: &[u8]) -> bool {
    fuzzing::check(file);
    read(file).map(|module| drop(prints(&module))).is_err()
}

/// Damage whose checksums are right again comes to the parts behind them.
#[test]
fn wrong_contents_with_right_checksums_end_in_an_error_or_a_module() {
    let packed = write(&parse_module(SMALL).module);
    let plain = fuzzing::unpacked(&packed).expect("a good file");
    assert_eq!(frame(read(&plain).expect("a file")), frame(read(&packed).expect("a file")));
    for file in [packed, plain] {
        let mut refused = 0;
        for at in 0..file.len() {
            for bits in [0x01, 0x02, 0x10, 0x40, 0x80, 0xFF] {
                let mut damaged = file.clone();
                damaged[at] ^= bits;
                fuzzing::reseal(&mut damaged);
                refused += usize::from(survives(&damaged));
            }
        }
        assert!(refused > file.len(), "only {refused} of {} bytes mattered", file.len());
    }
}

#[test]
fn parts_of_other_files_end_in_an_error_or_a_module() {
    let examples = texts("examples");
    let file = |index: usize| {
        let packed = write(&parse_module(&examples[index].1).module);
        fuzzing::unpacked(&packed).expect("a good file")
    };
    let (file, other) = (file(6), file(0));
    for seed in 0..2000 {
        let mut damaged = mutate_bytes(&file, &other, seed).text;
        fuzzing::reseal(&mut damaged);
        survives(&damaged);
    }
}

/// Types share their parts, so that a small file can stand for more text than there is memory.
#[test]
fn a_small_file_of_very_much_text_is_refused() {
    let mut ty = Type::builtin("Int1");
    for _ in 0..15 {
        ty = Type::tuple(&[ty, ty]);
    }
    let mut module = Module::default();
    for number in 0..20_000 {
        let name = format!("f{number}");
        module.functions.push(Function::new(name.as_str(), SilType::object(ty)));
    }
    let file = write(&module);
    let error = read(&file).expect_err("too much text");
    assert_eq!(error.kind(), ReadErrorKind::Excessive, "{error}");
    assert!(file.len() < 250_000 && error.hint().contains("memory"), "{} bytes: {error}", file.len());
}

#[test]
fn files_of_other_versions_are_told_apart() {
    let of_version = |version: u8| {
        let mut file = write(&Module::default());
        file[8] = version;
        Reader::open(&file).expect_err("another version")
    };
    for (version, kind, hint) in
        [(9, ReadErrorKind::Newer, "a newer Silkit"), (1, ReadErrorKind::Older, "an older Silkit")]
    {
        let error = of_version(version);
        assert_eq!(error.kind(), kind);
        let expected = format!("version {version} of");
        assert!(error.message().contains(&expected) && error.message().contains("by silkit "), "{error}");
        assert!(error.hint().contains(hint), "{error}");
    }
    assert_eq!(of_version(0).kind(), ReadErrorKind::Malformed);
}

/// Returns a `.sib` that Swift 6.2.3 wrote.
fn swift_module() -> Vec<u8> {
    include_bytes!("../../silkit-swiftmodule/tests/data/shapes.sib").to_vec()
}

#[test]
fn a_module_of_swift_is_named_with_its_version() {
    let file = swift_module();
    assert!(is_binary(&file));
    let error = Reader::open(&file).expect_err("a foreign file");
    assert_eq!(error.kind(), ReadErrorKind::Foreign);
    for part in [".sib", "written by Swift 6.2.3", "(module format 0.9"] {
        assert!(error.message().contains(part), "{error}");
    }
    assert!(error.hint().contains("sil-opt"), "{error}");
    for seed in 0..400 {
        let damaged = mutate_bytes(&file, b"\xE2\x9C\xA8\x0E", seed).text;
        assert!(Reader::open(&damaged).is_err());
    }
}

#[test]
fn a_module_that_the_reference_wrote_is_named_with_its_version() {
    let reference = or_skip!(shared::ReferenceTools::find());
    let at = |ending| std::env::temp_dir().join(format!("silkit-small-{}.{ending}", std::process::id()));
    let (input, output) = (at("sil"), at("sib"));
    std::fs::write(&input, "sil_stage canonical\nimport Builtin\n").expect("written");
    let made = reference.command("sil-opt").arg(&input).arg("-emit-sib").arg("-o").arg(&output).output();
    let made = made.expect("the reference starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let file = std::fs::read(&output).expect("a file");
    for file in [&input, &output] {
        std::fs::remove_file(file).expect("the file");
    }
    let error = Reader::open(&file).expect_err("a foreign file");
    assert_eq!(error.kind(), ReadErrorKind::Foreign);
    assert!(
        error.message().contains("; written by Swift 6.") && error.message().contains("(module format "),
        "{error}"
    );
}

#[test]
fn corpus_is_kept() {
    let folder = or_skip!(shared::folder("corpus/packages"));
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("entry").path();
        let text = match Command::new("zstd").args(["-q", "-d", "-c", "--long=27"]).arg(&path).output() {
            Ok(output) if output.status.success() => String::from_utf8(output.stdout).expect("text"),
            _ => return eprintln!("skipped because zstd is not installed"),
        };
        check(&path.display().to_string(), &text);
        let file = write(&parse_module(&text).module);
        assert!(file.len() * 5 <= text.len(), "{}: {} of {} bytes", path.display(), file.len(), text.len());
    }
}

/// The seeds of the fuzz target `binary` are those of `round_trip` with the same names, in binary form without packing.
/// With `UPDATE_EXPECT=1` in the environment they are written again, as a new version of the format demands.
#[test]
fn seeds_of_the_fuzzer_are_of_this_version() {
    let folder = root().join("fuzz/corpus/binary");
    for (path, text) in texts("fuzz/corpus/round_trip") {
        let seed = folder.join(Path::new(&path).file_name().expect("a name"));
        if !seed.exists() {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            let file = fuzzing::unpacked(&write(&parse_module(&text).module)).expect("a good file");
            std::fs::write(&seed, file).expect("a folder");
        }
        let file = std::fs::read(&seed).expect("a seed");
        assert!(read(&file).is_ok(), "{}: {:?}", seed.display(), read(&file).err());
    }
}
