//! Counts the instructions that retain in each function of a SIL file.

use silkit::ir::info::Role;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: count_retains FILE.sil")?;
    let module = silkit::read(&path, &std::fs::read(&path)?)?;
    for function in module.functions.values() {
        let Some(body) = &function.body else { continue };
        let retains = |inst| matches!(body.role(inst), Role::Retain(_) | Role::Copy(_));
        let count = body.insts().filter(|&inst| retains(inst)).count();
        if count > 0 {
            println!("{count:5} {}", function.name);
        }
    }
    Ok(())
}
