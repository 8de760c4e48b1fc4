//! Counts the instructions that retain in each function of a SIL file.

use silkit::ir::Opcode;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: count_retains FILE.sil")?;
    let text = std::fs::read_to_string(path)?;
    let parsed = silkit::text::parse_module(&text);
    for error in &parsed.errors {
        eprintln!("{}: {}", error.range.start, error.message);
    }
    for function in parsed.module.functions.values() {
        let Some(body) = &function.body else { continue };
        let retains = |inst: &silkit::ir::Inst| {
            matches!(
                body.inst(*inst).opcode,
                Opcode::StrongRetain | Opcode::RetainValue | Opcode::CopyValue | Opcode::UnownedRetain
            )
        };
        let insts = body.block_order().iter().flat_map(|&block| body.block_insts(block));
        let count = insts.filter(retains).count();
        if count > 0 {
            println!("{count:5} {}", function.name);
        }
    }
    Ok(())
}
