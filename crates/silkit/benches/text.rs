//! Reading and printing, in bytes of text a second and with the memory they take, on inputs that double.
//!
//! `cargo bench` runs it on the shipped example, many times over. With `SILKIT_BENCH_FILE=path.sil` it measures that
//! file instead. Figures of one run compare; figures of two machines do not.

#![allow(missing_docs, reason = "the benchmark macros make public functions")]

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use silkit::text::{PrintOptions, parse_module, print_module};
use std::fmt::Write;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// Returns the functions of the example `times` over, each time under other names, after its declarations.
fn input(times: usize) -> String {
    if let Some(path) = std::env::var_os("SILKIT_BENCH_FILE") {
        return std::fs::read_to_string(path).expect("SILKIT_BENCH_FILE names a file that can be read");
    }
    let text = include_str!("../../../examples/effects.raw.sil");
    let first = text.find("\nsil ").expect("invariant: the example has functions");
    let last = text.rfind("\n}\n\n\n").map_or(text.len(), |n| n + 3);
    let (declarations, functions) = text[..last].split_at(first);
    let mut out = declarations.to_string();
    for n in 0..times {
        let _ = write!(out, "{}", functions.replace("@$s", &format!("@n{n}_$s")));
    }
    out
}

const SIZES: &[usize] = &[16, 32, 64];

#[divan::bench(args = SIZES, sample_count = 20)]
fn parse(bencher: Bencher, times: usize) {
    let text = input(times);
    let errors = parse_module(&text).errors;
    assert!(errors.is_empty(), "{:?}", errors.first());
    bencher.counter(BytesCount::of_str(&text)).bench(|| parse_module(black_box(&text)));
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn print(bencher: Bencher, times: usize) {
    let text = input(times);
    let module = parse_module(&text).module;
    let print = || print_module(black_box(&module), &PrintOptions::default(), &|_| None);
    bencher.counter(BytesCount::of_str(&print())).bench(print);
}
