//! `silkit library build`, with a compiler and a checkout that the test makes, and how `run` finds modules.

use super::*;

/// A module that a program needs.
const LETTERS: &str = "sil_stage canonical\nimport Builtin\n
struct Letter { @_hasStorage var code: Builtin.Int32 { get set } }
sil @$s7Letters5firstBi32_yF : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Int32, 7
  return %0 : $Builtin.Int32
}\n";

fn main_of(imports: &str, body: &str) -> String {
    format!(
        "sil_stage canonical\nimport Builtin\n{imports}
struct Int32 {{ @_hasStorage var _value: Builtin.Int32 {{ get set }} }}
sil @$s7Letters5firstBi32_yF : $@convention(thin) () -> Builtin.Int32
sil @main : $@convention(c) () -> Int32 {{
bb0:
{body}
}}\n"
    )
}

const CALL: &str = "  %0 = function_ref @$s7Letters5firstBi32_yF : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  %2 = struct $Int32 (%1 : $Builtin.Int32)
  return %2 : $Int32";

fn with_library(folder: &Path, args: &[&str]) -> Output {
    silkit().args(args).env("SILKIT_LIBRARY", folder).output().expect("the command starts")
}

#[test]
fn names_of_modules_do_not_become_paths() {
    let folder = scratch("library-names");
    let library = folder.join("library");
    let file = folder.join("attack.sil").display().to_string();
    let symbol = "@\"$s8../pwned1fyyF\"";
    let text =
        format!("sil {symbol} : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n  return %0\n}}\n");
    std::fs::write(&file, text).expect("a file");
    for args in [&["library", "add", &file][..], &["library", "add", "--name", "../x", &file]] {
        let output = with_library(&library, args);
        assert_eq!(output.status.code(), Some(2));
        let told = stderr(&output);
        assert!(told.contains("is not the name of a module: it is not an identifier"), "{told}");
    }
    let names: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(names, ["attack.sil"]);
    // An import does not lead out of the directory either.
    std::fs::create_dir_all(&library).expect("a folder");
    std::fs::write(folder.join("outside.sib"), "not a module").expect("a file");
    let program = folder.join("main.sil").display().to_string();
    std::fs::write(&program, main_of("import ../outside\n", CALL)).expect("a file");
    assert!(!complaints(&with_library(&library, &["run", &program])).contains("outside.sib"));
}

#[cfg(unix)]
#[test]
fn links_in_the_library_directory_are_replaced() {
    let folder = scratch("library-links");
    let (library, target) = (folder.join("library"), folder.join("precious"));
    std::fs::create_dir_all(&library).expect("a folder");
    std::fs::write(&target, "unchanged").expect("a file");
    std::os::unix::fs::symlink(&target, library.join("Letters.sib")).expect("a link");
    let file = folder.join("letters.sil").display().to_string();
    std::fs::write(&file, LETTERS).expect("a file");
    assert!(with_library(&library, &["library", "add", &file]).status.success());
    assert_eq!(text(&target), "unchanged");
    let metadata = std::fs::symlink_metadata(library.join("Letters.sib")).expect("a file");
    assert!(metadata.is_file());
    let names: Vec<_> = std::fs::read_dir(&library).expect("a folder").flatten().collect();
    assert_eq!(names.len(), 1, "no temporary file is left: {names:?}");
}

#[test]
fn modules_are_linked_that_symbols_and_types_need() {
    let folder = scratch("library-needs");
    let library = folder.join("library");
    let path = |name: &str| folder.join(name).display().to_string();
    std::fs::write(path("letters.sil"), LETTERS).expect("a file");
    assert!(with_library(&library, &["library", "add", &path("letters.sil")]).status.success());
    std::fs::write(path("call.sil"), main_of("", CALL)).expect("a file");
    let output = with_library(&library, &["run", &path("call.sil")]);
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    let body = "  %0 = integer_literal $Builtin.Int32, 9
  %1 = struct $Letter (%0 : $Builtin.Int32)
  %2 = struct_extract %1 : $Letter, #Letter.code
  %3 = struct $Int32 (%2 : $Builtin.Int32)
  return %3 : $Int32";
    let without_symbol = main_of("", body)
        .replace("sil @$s7Letters5firstBi32_yF : $@convention(thin) () -> Builtin.Int32\n", "");
    std::fs::write(path("type.sil"), without_symbol).expect("a file");
    let output = with_library(&library, &["run", &path("type.sil")]);
    assert_eq!(output.status.code(), Some(9), "{}", stderr(&output));
}

#[test]
fn a_run_names_the_module_that_is_missing_and_how_to_get_it() {
    let folder = scratch("library-missing");
    let library = folder.join("library");
    let program = folder.join("main.sil").display().to_string();
    let swift = "sil_stage canonical\nimport Swift\n
sil @main : $@convention(c) () -> () {
bb0:
  %0 = alloc_stack $String
  dealloc_stack %0 : $*String
  %2 = tuple ()
  return %2 : $()
}\n";
    std::fs::write(&program, swift).expect("a file");
    let output = with_library(&library, &["run", &program]);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    let wanted = [
        &format!(
            "the program needs the module `Swift`, which is not in the library directory `{}`",
            library.display()
        ),
        "`silkit library build --sources swift`",
        "git clone --depth 1 --branch swift-6.2.3-RELEASE https://github.com/swiftlang/swift",
    ];
    assert!(
        wanted.iter().all(|part| told.contains(part)) && !told.contains("which no linked module"),
        "{told}"
    );
    let output = with_library(&library, &["run", "--format", "json", &program]);
    assert!(
        stderr(&output).contains("\"message\":\"the program needs the module `Swift`"),
        "{}",
        stderr(&output)
    );
    let told = stderr(&with_library(&library, &["run", "--no-libraries", &program]));
    assert!(told.contains("`Swift`, which is not linked") && told.contains("--no-libraries"), "{told}");
    // The symbol tells the module, with and without an import.
    for imports in ["import Letters\n", ""] {
        std::fs::write(&program, main_of(imports, CALL)).expect("a file");
        let told = stderr(&with_library(&library, &["run", &program]));
        assert!(told.contains("needs the module `Letters`"), "{told}");
    }
    let told = stderr(&with_library(&library, &["run", &program]));
    assert!(
        told.contains("needs the module `Letters`") && told.contains("`silkit library add Letters.sil`"),
        "{told}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let args = ["run", "--no-libraries", "examples/run/hello.sil"];
    let output = silkit().args(args).stdout(full).output().expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write to standard output"), "{}", stderr(&output));
}

/// A compiler, a checkout and a library directory in a folder of their own.
#[cfg(unix)]
struct Fake {
    folder: PathBuf,
}

#[cfg(unix)]
impl Fake {
    fn new(name: &str) -> Self {
        let fake = Self { folder: scratch(name) };
        let swiftc = "#!/bin/sh\n\
            if [ \"$1\" = --version ]; then echo 'Swift version 6.2.3 (swift-6.2.3-RELEASE)'; echo 'Target: x86_64-unknown-linux-gnu'; exit 0; fi\n\
            echo \"$@\" >> \"$(dirname \"$0\")/log\"\n\
            module=; for word in \"$@\"; do [ \"$last\" = -module-name ] && module=$word; last=$word; done; to=$last\n\
            if [ $module = Distributed ]; then echo 'warning: odd' >&2; echo 'a.swift:1:1: error: it is broken' >&2; exit 1; fi\n\
            printf 'sil_stage canonical\\n\\nimport Builtin\\n\\nsil @%s_f : $@convention(thin) () -> () {\\nbb0:\\n  %%%%0 = tuple ()\\n  return %%%%0\\n}\\n' $module > \"$to\"\n\
            if [ $module = _Volatile ] && [ -e \"$(dirname \"$0\")/empty\" ]; then echo 'sil_stage canonical' > \"$to\"; fi\n";
        let python = "#!/bin/sh\n# gyb.py --line-directive '' -D… -o TO FROM\nsed 's/template/source/' \"$7\" > \"$6\"\n";
        fake.script("bin/swiftc", &swiftc.replace("%%%%", "%%"));
        fake.script("bin/python3", python);
        fake.file(
            "swift/utils/build_swift/build_swift/defaults.py",
            "SWIFT_USER_VISIBLE_VERSION = Version('6.2.3')\n",
        );
        fake.file("swift/utils/availability-macros.def", "# a comment\n\nSwiftStdlib 6.2:macOS 26.0\n");
        let features = "list(APPEND swift_flags \"-enable-experimental-feature\" \"Marvels\")\n";
        fake.file("swift/stdlib/cmake/modules/SwiftSource.cmake", features);
        let core = "  EMBEDDED A.swift # Gone.swift\n  NORMAL T.swift.gyb\n  EmbeddedOnly.swift\n";
        fake.module("core", core, &["A.swift", "T.swift.gyb", "EmbeddedOnly.swift", "Unlisted.swift"]);
        fake.module("Distributed", "D.swift\n", &["D.swift"]);
        fake.module("Volatile", "V.swift\n", &["V.swift"]);
        fake
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn script(&self, path: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.file(path, text);
        std::fs::set_permissions(self.folder.join(path), std::fs::Permissions::from_mode(0o755))
            .expect("allowed");
    }

    fn module(&self, name: &str, list: &str, files: &[&str]) {
        self.file(&format!("swift/stdlib/public/{name}/CMakeLists.txt"), list);
        for file in files {
            self.file(&format!("swift/stdlib/public/{name}/{file}"), "// template\n");
        }
    }

    /// Runs `silkit library` with the scripts and the usual tools.
    fn library(&self, args: &[&str]) -> Output {
        let tools = format!("{}:/usr/bin:/bin", self.folder.join("bin").display());
        let mut command = silkit();
        command.arg("library").args(args).env("PATH", tools);
        command.env("SILKIT_LIBRARY", self.folder.join("library")).output().expect("the command starts")
    }

    fn build(&self, args: &[&str]) -> Output {
        let sources = self.folder.join("swift").display().to_string();
        self.library(&[&["build", "--sources", &sources][..], args].concat())
    }
}

#[cfg(unix)]
#[test]
fn the_standard_library_is_built_from_sources() {
    let fake = Fake::new("build");
    let output = fake.build(&[]);
    let (told, said) = (stderr(&output), stdout(&output));
    assert_eq!(output.status.code(), Some(2), "a module cannot be compiled: {told}");
    assert!(
        told.contains("the module `Distributed` cannot be compiled: a.swift:1:1: error: it is broken"),
        "{told}"
    );
    assert!(told.contains("git clone --depth 1 --branch swift-6.2.3-RELEASE https://github.com/swiftlang/swift-experimental-string-processing"), "{told}");
    assert!(said.contains("Swift                    1 functions") && said.contains("_Volatile"), "{said}");
    assert!(said.contains("2 modules built in "), "{said}");
    assert_eq!(stdout(&fake.library(&["list"])), "Swift\n_Volatile\n");
    let log = text(&fake.folder.join("bin/log"));
    let of_swift = log.lines().find(|line| line.contains("-module-name Swift ")).expect("it was compiled");
    let wanted = [
        "-emit-sil -Onone",
        "-parse-stdlib -nostdimport",
        "-enable-experimental-feature Marvels",
        "-define-availability -Xfrontend SwiftStdlib 6.2:macOS 26.0",
        "-define-availability -Xfrontend StdlibDeploymentTarget 6.2:macOS 26.0",
        "core/A.swift",
        "/T.swift ",
    ];
    assert!(wanted.iter().all(|part| of_swift.contains(part)), "{of_swift}");
    assert!(
        ["Embedded", "Unlisted", "Gone", ".gyb"].iter().all(|part| !of_swift.contains(part)),
        "{of_swift}"
    );
    // A second build skips what has not changed.
    let runs = || text(&fake.folder.join("bin/log")).lines().count();
    let before = runs();
    let said = stdout(&fake.build(&["--module", "Swift", "--module", "_Volatile"]));
    assert!(
        said.contains("Swift              is up to date\n") && said.contains("0 modules built"),
        "{said}"
    );
    assert_eq!(runs(), before);
    // It builds again what has: a source, the file in the library directory, or everything if that is asked for.
    fake.file("swift/stdlib/public/core/A.swift", "// another template\n");
    assert!(stdout(&fake.build(&["--module", "Swift"])).contains("1 module built"));
    fake.file("library/Swift.sib", "damaged");
    assert!(stdout(&fake.build(&["--module", "Swift"])).contains("1 module built"));
    assert!(stdout(&fake.build(&["--module", "Swift", "--force"])).contains("1 module built"));
    assert_eq!(runs(), before + 3);
    assert!(fake.library(&["remove", "Swift"]).status.success());
    assert!(!fake.folder.join("library/Swift.built").exists());
}

#[cfg(unix)]
#[test]
fn what_a_build_needs_is_named() {
    let fake = Fake::new("build-needs");
    let told = |output: &Output| {
        assert_eq!(output.status.code(), Some(2), "{}", complaints(output));
        stderr(output)
    };
    let clone = "git clone --depth 1 --branch swift-6.2.3-RELEASE https://github.com/swiftlang/swift`";
    let none = told(&fake.library(&["build"]));
    assert!(none.contains("the sources of Swift 6.2.3 are needed") && none.contains(clone), "{none}");
    let elsewhere = told(&fake.library(&["build", "--sources", "docs"]));
    assert!(
        elsewhere.contains("`docs` is not a checkout of Swift") && elsewhere.contains(clone),
        "{elsewhere}"
    );
    let no_compiler = told(&fake.build(&["--swiftc", "/no/such/swiftc"]));
    assert!(
        no_compiler.contains("cannot run `/no/such/swiftc`") && no_compiler.contains("--swiftc PATH"),
        "{no_compiler}"
    );
    let other = told(&fake.build(&["--swiftc", "/bin/true"]));
    assert!(other.contains("`/bin/true` is not a Swift compiler"), "{other}");
    let unknown = told(&fake.build(&["--module", "Swfit"]));
    assert!(unknown.contains("did you mean `Swift`?"), "{unknown}");
    let absent = told(&fake.build(&["--module", "Observation"]));
    assert!(absent.contains("the sources of `Observation` are not there"), "{absent}");
    fake.script("bin/python3", "#!/bin/sh\necho Traceback >&2\necho 'ValueError: odd' >&2\nexit 1\n");
    let broken = told(&fake.build(&["--module", "Swift"]));
    assert!(
        broken.contains("`python3` cannot expand") && broken.contains("it says: ValueError: odd"),
        "{broken}"
    );
    fake.file("bin/empty", "");
    let empty = told(&fake.build(&["--module", "_Volatile"]));
    assert!(empty.contains("wrote no functions of the module `_Volatile`"), "{empty}");
    assert_eq!(stdout(&fake.library(&["list"])), "");
    std::fs::remove_file(fake.folder.join("bin/empty")).expect("a file");
    // The versions of the compiler and of the sources.
    let version = |text: &str| fake.file("swift/utils/build_swift/build_swift/defaults.py", text);
    version("SWIFT_USER_VISIBLE_VERSION = Version('6.2')\n");
    let output = fake.build(&["--module", "_Volatile"]);
    assert!(
        output.status.success()
            && stderr(&output).contains("warning: the sources are of Swift 6.2, the compiler is 6.2.3")
    );
    version("SWIFT_USER_VISIBLE_VERSION = Version('6.1.2')\n");
    let old = told(&fake.build(&[]));
    assert!(
        old.contains("are of Swift 6.1.2, the compiler `swiftc` is 6.2.3") && old.contains(clone),
        "{old}"
    );
}

/// Builds the library and runs a program with a real compiler, if `SILKIT_SWIFT_SOURCES` names a checkout and
/// `SILKIT_SWIFTC` a compiler of its version.
#[test]
fn an_ordinary_program_runs_with_the_library_that_was_built() {
    let of = |name: &str| std::env::var(name).ok();
    let (Some(sources), Some(swiftc)) = (of("SILKIT_SWIFT_SOURCES"), of("SILKIT_SWIFTC")) else {
        eprintln!("skipped because SILKIT_SWIFT_SOURCES and SILKIT_SWIFTC are not set");
        return;
    };
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("swift-library");
    let build = with_library(&library, &["library", "build", "--sources", &sources, "--swiftc", &swiftc]);
    assert!(build.status.success(), "{}", complaints(&build));
    let folder = scratch("ordinary");
    let program = folder.join("main.swift");
    let texts = [
        ("print(\"hi\")\n", "hi\n"),
        ("for word in CommandLine.arguments.dropFirst() { print(word) }\n", "one\ntwo\n"),
        ("let t = Task { 6 * 7 }\nprint(await t.value)\n", "42\n"),
        ("import Synchronization\nlet m = Mutex(3)\nprint(m.withLock { $0 + 4 })\n", "7\n"),
        ("print(\"a1b22\".matches(of: #/[0-9]+/#).map { String($0.output) })\n", "[\"1\", \"22\"]\n"),
    ];
    for (text, expected) in texts {
        std::fs::write(&program, text).expect("a file");
        let sil = Command::new(&swiftc).arg("-emit-sil").arg(&program).output().expect("the compiler");
        let file = folder.join("main.sil");
        std::fs::write(&file, sil.stdout).expect("a file");
        let ran =
            with_library(&library, &["run", "--leaks", &file.display().to_string(), "--", "one", "two"]);
        assert_eq!((stdout(&ran).as_str(), stderr(&ran).as_str()), (expected, ""), "{text}");
    }
}
