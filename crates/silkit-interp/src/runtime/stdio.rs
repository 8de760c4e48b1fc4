//! Runtime functions for input and output, fatal errors, random numbers and time.

use super::{Call, Effect, NativeFn};
use crate::interp::Interp;
use crate::violation::{Run, Stop};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("_swift_stdlib_flockfile_stdout", nothing),
    ("_swift_stdlib_funlockfile_stdout", nothing),
    ("_swift_stdlib_fwrite_stdout", fwrite_stdout),
    ("_swift_stdlib_getUnsafeArgvArgc", unsafe_argv),
    ("_swift_stdlib_reportFatalError", fatal_error),
    ("_swift_stdlib_reportFatalErrorInFile", fatal_error_in_file),
    ("_swift_stdlib_reportUnimplementedInitializer", fatal_error),
    ("_swift_stdlib_reportUnimplementedInitializerInFile", fatal_error_in_file),
    ("swift_stdlib_random", random),
    ("swift_stdlib_readLine_stdin", read_line),
    ("putchar", put_char),
    ("puts", put_string),
    ("exit", exit),
    ("abort", abort),
    ("fflush", zero),
];

fn nothing(_: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    Ok(Effect::Done)
}

fn zero(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set_int(call.result, 4, 0);
    Ok(Effect::Done)
}

fn fwrite_stdout(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (from, size, count) = (it.arg(call, 0), it.arg(call, 1), it.arg(call, 2));
    let bytes = it.c_bytes(from, size.wrapping_mul(count))?;
    it.host.write_stdout(&bytes);
    it.set(call.result, count);
    Ok(Effect::Done)
}

fn unsafe_argv(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (argc, argv) = it.arguments()?;
    let to = it.arg(call, 0);
    let count = i32::try_from(argc).unwrap_or(i32::MAX).to_le_bytes();
    it.c_write(to, &count)?;
    it.set(call.result, argv);
    Ok(Effect::Done)
}

fn fatal_error(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let prefix = it.c_bytes(it.arg(call, 0), u64::from(it.arg32(call, 1)))?;
    let message = it.c_bytes(it.arg(call, 2), u64::from(it.arg32(call, 3)))?;
    report(it, &[&prefix, &message], None)
}

fn fatal_error_in_file(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let prefix = it.c_bytes(it.arg(call, 0), u64::from(it.arg32(call, 1)))?;
    let message = it.c_bytes(it.arg(call, 2), u64::from(it.arg32(call, 3)))?;
    let file = it.c_bytes(it.arg(call, 4), u64::from(it.arg32(call, 5)))?;
    let line = it.arg32(call, 6);
    report(it, &[&prefix, &message], Some((&file, line)))
}

fn report(it: &mut Interp<'_>, parts: &[&[u8]], place: Option<(&[u8], u32)>) -> Run<Effect> {
    let parts: Vec<String> = parts.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect();
    let message = parts.iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join(": ");
    let text = match place {
        Some((file, line)) => format!("{}:{line}: {message}\n", String::from_utf8_lossy(file)),
        None => format!("{message}\n"),
    };
    it.host.write_stderr(text.as_bytes());
    Ok(Effect::Done)
}

fn random(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (to, len) = (it.arg(call, 0), it.arg(call, 1));
    let mut bytes = Vec::with_capacity(len as usize + 8);
    while (bytes.len() as u64) < len {
        bytes.extend_from_slice(&it.runtime.next_random().to_le_bytes());
    }
    bytes.truncate(len as usize);
    it.c_write(to, &bytes)?;
    Ok(Effect::Done)
}

fn read_line(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let line = it.host.read_line();
    let into = it.arg(call, 0);
    if line.is_empty() {
        it.write(into, 0)?;
        it.set(call.result, u64::MAX);
        return Ok(Effect::Done);
    }
    let memory = it.malloc(line.len() as u64 + 1, 16)?;
    it.c_write(memory, &line)?;
    it.write(into, memory)?;
    it.set(call.result, line.len() as u64);
    Ok(Effect::Done)
}

fn put_char(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let byte = it.arg32(call, 0) as u8;
    it.host.write_stdout(&[byte]);
    it.set_int(call.result, 4, u64::from(byte));
    Ok(Effect::Done)
}

fn put_string(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let mut bytes = it.c_string(it.arg(call, 0))?;
    bytes.push(b'\n');
    it.host.write_stdout(&bytes);
    it.set_int(call.result, 4, 0);
    Ok(Effect::Done)
}

fn exit(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    Err(Stop::Exit(it.arg32(call, 0) as i32 & 0xFF))
}

fn abort(it: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    Err(it.failure(134, "the program called `abort`".to_owned()))
}
