//! `silkit explain`: the reference page of an instruction.

use silkit::diag::nearest;
use silkit::ir::Opcode;
use std::process::ExitCode;

const HELP: &str = "\
silkit explain: the reference page of an instruction

USAGE: silkit explain INSTRUCTION

Example: silkit explain struct_extract";

/// Runs the command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let [name] = args else {
        println!("{HELP}");
        return ExitCode::from(u8::from(args.is_empty()));
    };
    if name == "--help" || name == "-h" {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let Some(opcode) = Opcode::from_name(name) else {
        let hint = nearest(name, Opcode::ALL.iter().map(|o| o.info().name));
        let hint = hint.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        eprintln!("error: there is no instruction `{name}`{hint}");
        return ExitCode::FAILURE;
    };
    let info = opcode.info();
    println!("{} – {}\n", info.name, if info.summary.is_empty() { info.class } else { info.summary });
    println!("  {} {}\n", info.name, info.syntax);
    if !info.details.is_empty() {
        println!("{}\n", info.details);
    }
    println!("results            {:?}", info.results);
    println!("operand ownership  {:?}", info.operand_ownership);
    println!("value ownership    {:?}", info.value_ownership);
    println!("memory             {:?}", info.memory);
    println!("may release        {}", info.may_release);
    println!("may trap           {}", info.may_trap);
    println!("stage              {:?}", info.stage);
    if !info.example.is_empty() {
        println!("\nExample:\n  {}", info.example.replace('\n', "\n  "));
    }
    if !info.see.is_empty() {
        println!("\nSee also: {}", info.see.join(", "));
    }
    ExitCode::SUCCESS
}
