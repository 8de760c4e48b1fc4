//! Lets every function of a SIL file call `@entered` first, and prints the file.

use silkit::ir::{Function, Point};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: trace_entries FILE.sil")?;
    let mut module = silkit::read(&path, &std::fs::read(&path)?)?;
    let facts = silkit::declarations(&module);
    let hook = silkit::sil_type("$@convention(thin) () -> ()")?;
    let mut calls = 0;
    for function in module.functions.values_mut() {
        let Some(body) = &mut function.body else { continue };
        let Some(entry) = body.entry_block() else { continue };
        calls += body.insts().filter(|&inst| body.info(inst).apply.is_some()).count();
        let mut b = body.builder_at(Point::Start(entry), &facts);
        let callee = b.function_ref("entered", hook);
        b.apply(callee, &[], &[], hook);
    }
    module.functions.push(Function::new("entered", hook));
    print!("{}", silkit::print(&module));
    eprintln!("{} functions with {calls} apply sites", module.functions.len());
    Ok(())
}
