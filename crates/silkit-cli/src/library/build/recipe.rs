//! How each module of the standard library is compiled: the directory of its sources, and the compiler's options.

/// A repository of sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Repository {
    /// The repository of the compiler and of the standard library.
    Swift,
    /// The repository of regular expressions.
    StringProcessing,
}

/// A platform that modules are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Platform {
    Linux,
    MacOs,
}

/// How a module is compiled.
#[derive(Debug)]
pub(super) struct Recipe {
    /// The name of the module.
    pub(super) name: &'static str,
    pub(super) repository: Repository,
    /// The directory of the sources in the repository.
    pub(super) folder: &'static str,
    /// Sources in the directory that belong to another platform or to another variant of the module.
    without: &'static [&'static str],
    /// Options for this module; `{folder}` is the path of `folder`.
    options: &'static [&'static str],
}

/// The modules, in the order in which they are built. The compiler reads the modules that they import from its own
/// installation, so that each can be built without the others.
pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "Swift",
        repository: Repository::Swift,
        folder: "stdlib/public/core",
        // A debugging aid that is compiled for Apple's platforms only.
        without: &["ObjectIdentifier+DebugDescription.swift"],
        options: &[
            "-parse-stdlib",
            "-nostdimport",
            "-Xfrontend",
            "-enable-experimental-concise-pound-file",
            "-Xfrontend",
            "-disable-objc-attr-requires-foundation-module",
        ],
    },
    Recipe {
        name: "_Concurrency",
        repository: Repository::Swift,
        folder: "stdlib/public/Concurrency",
        // The global executor is the one of Dispatch.
        without: &["PlatformExecutorCooperative.swift", "PlatformExecutorNone.swift"],
        options: &["-parse-stdlib", "-I{folder}/InternalShims"],
    },
    Recipe {
        name: "SwiftOnoneSupport",
        repository: Repository::Swift,
        folder: "stdlib/public/SwiftOnoneSupport",
        without: &[],
        options: &["-parse-stdlib", "-Xfrontend", "-disable-access-control"],
    },
    Recipe {
        name: "_RegexParser",
        repository: Repository::StringProcessing,
        folder: "Sources/_RegexParser",
        without: &[],
        options: &["-enable-experimental-feature", "AllowRuntimeSymbolDeclarations"],
    },
    Recipe {
        name: "_StringProcessing",
        repository: Repository::StringProcessing,
        folder: "Sources/_StringProcessing",
        without: &[],
        options: &["-DRESILIENT_LIBRARIES"],
    },
    Recipe {
        name: "RegexBuilder",
        repository: Repository::StringProcessing,
        folder: "Sources/RegexBuilder",
        without: &[],
        options: &[],
    },
    Recipe {
        name: "Synchronization",
        repository: Repository::Swift,
        folder: "stdlib/public/Synchronization",
        without: &["Mutex/MutexUnavailable.swift", "Mutex/WasmImpl.swift", "Mutex/WindowsImpl.swift"],
        options: &["-enable-builtin-module"],
    },
    Recipe {
        name: "Observation",
        repository: Repository::Swift,
        folder: "stdlib/public/Observation/Sources/Observation",
        without: &[],
        options: &[],
    },
    Recipe {
        name: "Distributed",
        repository: Repository::Swift,
        folder: "stdlib/public/Distributed",
        without: &[],
        options: &["-parse-stdlib"],
    },
    Recipe {
        name: "_Differentiation",
        repository: Repository::Swift,
        folder: "stdlib/public/Differentiation",
        without: &[],
        options: &["-parse-stdlib"],
    },
    Recipe {
        name: "_Volatile",
        repository: Repository::Swift,
        folder: "stdlib/public/Volatile",
        without: &[],
        options: &["-parse-stdlib"],
    },
];

impl Recipe {
    /// Returns true if a file, relative to the directory of the sources, is a source of the module on a platform.
    pub(super) fn contains(&self, file: &str, platform: Platform) -> bool {
        let of_other_platform: &[&str] = match platform {
            Platform::Linux => &["Mutex/DarwinImpl.swift"],
            Platform::MacOs => &["Mutex/LinuxImpl.swift", "Mutex/SpinLoopHint.swift"],
        };
        // Sources whose names begin with `Embedded` replace others in the library of Embedded Swift.
        !self.without.contains(&file) && !of_other_platform.contains(&file) && !file.starts_with("Embedded")
    }

    /// Returns the options for the compiler that come before the sources.
    pub(super) fn options(&self, folder: &str, platform: Platform) -> Vec<String> {
        let mut all: Vec<String> = vec!["-module-name".to_owned(), self.name.to_owned()];
        all.extend(COMMON.iter().map(|option| (*option).to_owned()));
        all.extend(CONDITIONS.iter().map(|condition| format!("-D{condition}")));
        all.extend(match platform {
            Platform::Linux => {
                ["-Xfrontend", "-disable-objc-interop", "-DSWIFT_THREADING_LINUX"].map(str::to_owned).to_vec()
            }
            Platform::MacOs => vec!["-DSWIFT_THREADING_DARWIN".to_owned()],
        });
        all.extend(self.options.iter().map(|option| option.replace("{folder}", folder)));
        all
    }
}

/// The options for every module, as the build of the standard library sets them: SIL of the diagnostic pipeline, for a
/// library with a stable binary interface.
const COMMON: &[&str] = &[
    "-emit-sil",
    "-Onone",
    "-whole-module-optimization",
    "-parse-as-library",
    "-swift-version",
    "5",
    "-suppress-warnings",
    "-enable-library-evolution",
    "-library-level",
    "api",
    "-runtime-compatibility-version",
    "none",
    "-Xfrontend",
    "-require-explicit-availability=ignore",
    "-Xfrontend",
    "-enforce-exclusivity=unchecked",
    "-Xfrontend",
    "-enable-ossa-modules",
    "-Xfrontend",
    "-enable-lexical-lifetimes=false",
    "-Xfrontend",
    "-disable-implicit-concurrency-module-import",
    "-Xfrontend",
    "-disable-implicit-string-processing-module-import",
    "-Xcc",
    "-DSWIFT_STDLIB_HAS_ENVIRON",
];

/// The compilation conditions of the standard library on Linux and macOS.
const CONDITIONS: &[&str] = &[
    "SWIFT_CONCURRENCY_USES_DISPATCH",
    "SWIFT_ENABLE_EXPERIMENTAL_CONCURRENCY",
    "SWIFT_ENABLE_EXPERIMENTAL_DIFFERENTIABLE_PROGRAMMING",
    "SWIFT_ENABLE_EXPERIMENTAL_DISTRIBUTED",
    "SWIFT_ENABLE_EXPERIMENTAL_OBSERVATION",
    "SWIFT_ENABLE_EXPERIMENTAL_STRING_PROCESSING",
    "SWIFT_ENABLE_REFLECTION",
    "SWIFT_ENABLE_SYNCHRONIZATION",
    "SWIFT_ENABLE_VOLATILE",
    "SWIFT_RUNTIME_OS_VERSIONING",
    "SWIFT_STDLIB_ENABLE_UNICODE_DATA",
    "SWIFT_STDLIB_ENABLE_VECTOR_TYPES",
    "SWIFT_STDLIB_HAS_COMMANDLINE",
    "SWIFT_STDLIB_HAS_ENVIRON",
    "SWIFT_STDLIB_HAS_STDIN",
];
