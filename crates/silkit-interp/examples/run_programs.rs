//! Runs programs of a folder and compares what they print with what is expected.
//!
//! Each program is a folder with `canonical.sil`, `optimized.sil`, `raw.sil`, `expected.txt` and `exit_code`.
//! `run_programs FOLDER --library NAME=FILE … [--stage STAGE] [--only TEXT] [--limit STEPS] [--verbose] [--output]`

use silkit_interp::{Host, Interp, Program, ProgramModule, RecordingHost, RunOptions, Stop, Trace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

struct Arguments {
    folder: PathBuf,
    libraries: Vec<(String, PathBuf)>,
    stage: String,
    only: Option<String>,
    verbose: bool,
    trace: bool,
    output: bool,
    limit: u64,
}

fn arguments() -> Arguments {
    let mut found = Arguments {
        folder: PathBuf::new(),
        libraries: Vec::new(),
        stage: "canonical".to_owned(),
        only: None,
        verbose: false,
        trace: false,
        output: false,
        limit: 400_000_000,
    };
    let mut all = std::env::args().skip(1);
    while let Some(argument) = all.next() {
        match argument.as_str() {
            "--library" => {
                let text = all.next().unwrap_or_default();
                if let Some((name, file)) = text.split_once('=') {
                    found.libraries.push((name.to_owned(), PathBuf::from(file)));
                }
            }
            "--stage" => found.stage = all.next().unwrap_or_default(),
            "--only" => found.only = all.next(),
            "--limit" => found.limit = all.next().and_then(|n| n.parse().ok()).unwrap_or(found.limit),
            "--verbose" => found.verbose = true,
            "--trace" => found.trace = true,
            "--output" => found.output = true,
            _ => found.folder = PathBuf::from(argument),
        }
    }
    found
}

fn read(file: &Path) -> Result<silkit_ir::Module, String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    if silkit_binary::is_binary(&bytes) {
        let module = silkit_binary::Reader::open(&bytes).and_then(|r| r.module());
        return module.map_err(|e| e.message().to_string());
    }
    let text = String::from_utf8_lossy(&bytes);
    let parsed = silkit_text::parse_module(&text);
    match parsed.errors.first() {
        None => Ok(parsed.module),
        Some(error) => Err(format!("{}: {}", file.display(), error.message)),
    }
}

/// Reads a library; bodies of a binary one are read when they are called.
fn library(name: &str, file: &Path) -> Result<ProgramModule, String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    if !silkit_binary::is_binary(&bytes) {
        return read(file).map(|module| ProgramModule::new(name, module));
    }
    let reader = silkit_binary::Reader::open(bytes).map_err(|e| e.message().to_string())?;
    let module = reader.without_bodies().map_err(|e| e.message().to_string())?;
    let body = move |id: silkit_ir::FunctionId| reader.function_at(id.as_u32() as usize).ok().flatten();
    Ok(ProgramModule::with_bodies(name, module, Box::new(body)))
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = Vec::new();
    for path in entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()) {
        if path.join("expected.txt").is_file() { found.push(path) } else { found.extend(programs(&path)) }
    }
    found.sort();
    found
}

fn expectation(folder: &Path, stage: &str) -> (Vec<u8>, i32) {
    let optimized = stage == "optimized";
    let text = |plain: &str, special: &str| {
        let special = folder.join(special);
        let file = if optimized && special.is_file() { special } else { folder.join(plain) };
        std::fs::read(file).unwrap_or_default()
    };
    let code = String::from_utf8_lossy(&text("exit_code", "exit_code_optimized")).trim().parse().unwrap_or(0);
    (text("expected.txt", "expected_optimized.txt"), code)
}

/// Runs one program; gives why it is not as expected.
fn check(folder: &Path, libraries: &[Arc<ProgramModule>], a: &Arguments) -> (Result<(), String>, u64) {
    let module = match read(&folder.join(format!("{}.sil", a.stage))) {
        Ok(module) => module,
        Err(error) => return (Err(format!("unreadable: {error}")), 0),
    };
    let name = ProgramModule::guess_name(&module).unwrap_or_else(|| "main".to_owned());
    let mut modules = vec![Arc::new(ProgramModule::new(&name, module))];
    modules.extend(libraries.iter().cloned());
    let program = Rc::new(Program::link(modules));
    let mut host = Streamed(RecordingHost::default());
    let options = RunOptions {
        limit: a.limit,
        trace: if a.trace { Trace::Calls } else { Trace::Off },
        ..RunOptions::default()
    };
    let outcome = Interp::new(program, options, &mut host).run_program("main");
    let (expected, code) = expectation(folder, &a.stage);
    if a.output {
        println!("{}", String::from_utf8_lossy(&host.0.stdout));
    }
    let result = match outcome.exit_code {
        None => Err(match &outcome.stop {
            Stop::Unsupported(what) | Stop::Missing { what, .. } => format!("unsupported: {what}"),
            Stop::Violation(v) => format!("violation: {v}"),
            other => format!("stopped: {other}"),
        }),
        Some(found) if found != code => Err(format!("exit code {found}, expected {code}: {}", outcome.stop)),
        Some(_) if host.0.stdout != expected => Err(difference(&host.0.stdout, &expected)),
        Some(_) => Ok(()),
    };
    (result, outcome.steps)
}

/// Keeps what is written, and shows the trace at once.
struct Streamed(RecordingHost);

impl Host for Streamed {
    fn write_stdout(&mut self, bytes: &[u8]) {
        self.0.write_stdout(bytes);
    }

    fn write_stderr(&mut self, bytes: &[u8]) {
        self.0.write_stderr(bytes);
    }

    fn read_line(&mut self) -> Vec<u8> {
        self.0.read_line()
    }

    fn arguments(&self) -> Vec<String> {
        self.0.arguments()
    }

    fn nanoseconds(&mut self) -> u64 {
        self.0.nanoseconds()
    }

    fn trace(&mut self, line: &str) {
        eprintln!("{line}");
    }
}

fn difference(found: &[u8], expected: &[u8]) -> String {
    let (found, expected) = (String::from_utf8_lossy(found), String::from_utf8_lossy(expected));
    let pair = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
    match pair {
        Some((a, b)) => format!("prints {a:?}, expected {b:?}"),
        None => format!("prints {} lines, expected {}", found.lines().count(), expected.lines().count()),
    }
}

fn main() {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(run);
    if let Ok(thread) = thread {
        let _ = thread.join();
    }
}

fn run() {
    let a = arguments();
    let mut libraries = Vec::new();
    for (name, file) in &a.libraries {
        match library(name, file) {
            Ok(module) => libraries.push(Arc::new(module)),
            Err(error) => return eprintln!("{error}"),
        }
    }
    let mut totals: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for folder in programs(&a.folder) {
        let name = folder.display().to_string();
        if a.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let kind =
            folder.parent().and_then(Path::file_name).map_or(String::new(), |n| n.to_string_lossy().into());
        let start = std::time::Instant::now();
        let (result, steps) = check(&folder, &libraries, &a);
        let total = totals.entry(kind).or_default();
        total.1 += 1;
        let short = folder.file_name().map_or(String::new(), |n| n.to_string_lossy().into());
        match result {
            Ok(()) => {
                total.0 += 1;
                if a.verbose {
                    println!("ok   {short} ({steps} steps, {:?})", start.elapsed());
                }
            }
            Err(why) => {
                let line = if a.verbose { why } else { why.lines().next().unwrap_or_default().to_owned() };
                println!("FAIL {short}: {line} ({steps} steps, {:?})", start.elapsed());
            }
        }
    }
    for (kind, (right, all)) in totals {
        println!("{kind}: {right} of {all} as expected ({})", a.stage);
    }
}
