//! Reading a module from its binary form and from its text, on the same number of threads.
//!
//! `cargo bench --bench binary` runs it on the shipped example. With `SILKIT_BENCH_FILE=path.sil` it measures that
//! file instead. Figures of one run compare; figures of two machines do not.

#![allow(missing_docs, reason = "the benchmark macros make public functions")]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use silkit::binary::{Reader, write_module};
use silkit::text::parse_module;

fn main() {
    divan::main();
}

fn input() -> String {
    match std::env::var_os("SILKIT_BENCH_FILE") {
        Some(path) => std::fs::read_to_string(path).expect("SILKIT_BENCH_FILE names a file that can be read"),
        None => include_str!("../../../examples/effects.raw.sil").to_owned(),
    }
}

fn file(text: &str) -> Vec<u8> {
    let file = write_module(&parse_module(text).module).expect("invariant: what is read can be written");
    eprintln!("{} bytes for {} of text: {:.1} %", file.len(), text.len(), percent(file.len(), text.len()));
    file
}

fn percent(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole as f64
}

#[divan::bench]
fn read_text(bencher: Bencher) {
    let text = input();
    bencher.counter(BytesCount::of_str(&text)).bench(|| parse_module(black_box(&text)));
}

#[divan::bench]
fn read_binary(bencher: Bencher) {
    let text = input();
    let file = file(&text);
    let read = || Reader::open(black_box(&file)).and_then(|reader| reader.module());
    bencher.counter(BytesCount::of_str(&text)).bench(read);
}

#[divan::bench]
fn read_one_function(bencher: Bencher) {
    let text = input();
    let module = parse_module(&text).module;
    let file = file(&text);
    let defined = module.functions.values().find(|f| f.body.is_some());
    let name = defined.map_or("", |f| f.name.as_str());
    bencher.bench(|| Reader::open(black_box(&file)).and_then(|reader| reader.function(name)));
}

#[divan::bench]
fn write_binary(bencher: Bencher) {
    let text = input();
    let module = parse_module(&text).module;
    bencher.counter(BytesCount::of_str(&text)).bench(|| write_module(black_box(&module)));
}
