//! `silkit stats`: what a file holds, by kind of instruction.

use crate::output;
use silkit::ir::Opcode;
use silkit::text::parse_module;
use std::process::ExitCode;

const HELP: &str = "\
silkit stats: counts functions, blocks and instructions, by kind

USAGE: silkit stats [--format table|json] FILE.sil...

Example: silkit stats --format json examples/shapes.raw.sil";

#[derive(Default)]
struct Counts {
    bytes: usize,
    functions: usize,
    bodies: usize,
    blocks: usize,
    kinds: Vec<usize>,
    errors: usize,
}

/// Runs the command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let (mut json, mut files) = (false, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => {
                println!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--format" => match args.next().map(String::as_str) {
                Some("json") => json = true,
                Some("table") => json = false,
                _ => return fail("`--format` takes `table` or `json`"),
            },
            option if option.starts_with("--") => return fail(&format!("unknown option `{option}`")),
            file => files.push(file),
        }
    }
    if files.is_empty() {
        files.push("-");
    }
    let mut counts = Counts { kinds: vec![0; Opcode::ALL.len()], ..Counts::default() };
    for file in files {
        let text = match output::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => return fail(&format!("cannot read `{file}`: {e}")),
        };
        count(&text, &mut counts);
    }
    print!("{}", if json { as_json(&counts) } else { as_table(&counts) });
    ExitCode::from(u8::from(counts.errors > 0))
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

fn count(text: &str, counts: &mut Counts) {
    let parsed = parse_module(text);
    counts.bytes += text.len();
    counts.errors += parsed.errors.len();
    counts.functions += parsed.module.functions.len();
    for body in parsed.module.functions.values().filter_map(|f| f.body.as_ref()) {
        counts.bodies += 1;
        counts.blocks += body.block_order().len();
        for &block in body.block_order() {
            for inst in body.block_insts(block) {
                counts.kinds[body.inst(inst).opcode as usize] += 1;
            }
        }
    }
}

/// The kinds that occur, most frequent first.
fn ranked(counts: &Counts) -> Vec<(&'static str, usize)> {
    let mut rows: Vec<_> =
        Opcode::ALL.iter().map(|&o| (o.info().name, counts.kinds[o as usize])).filter(|r| r.1 > 0).collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    rows
}

fn as_table(counts: &Counts) -> String {
    let total: usize = counts.kinds.iter().sum();
    let mut out = format!(
        "{:>10} bytes\n{:>10} functions, {} with a body\n{:>10} blocks\n{total:>10} instructions\n\n",
        counts.bytes, counts.functions, counts.bodies, counts.blocks
    );
    for (name, n) in ranked(counts) {
        out += &format!("{n:>10} {:>5.1} %  {name}\n", n as f64 * 100.0 / total as f64);
    }
    out
}

fn as_json(counts: &Counts) -> String {
    // Names of instructions need no escapes.
    let kinds: Vec<String> = ranked(counts).iter().map(|(name, n)| format!("\"{name}\":{n}")).collect();
    format!(
        "{{\"bytes\":{},\"functions\":{},\"bodies\":{},\"blocks\":{},\"instructions\":{},\"errors\":{},\"kinds\":{{{}}}}}\n",
        counts.bytes,
        counts.functions,
        counts.bodies,
        counts.blocks,
        counts.kinds.iter().sum::<usize>(),
        counts.errors,
        kinds.join(",")
    )
}
