//! Parses any text: the result is a module and errors, never a panic or a hang. Every token of a text without errors
//! is read or kept: a byte that no reader accepts is detected before each of them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use silkit::text::{SourceEntity, ParsedModule, PrintOptions, parse_module, print_module};
use silkit_testkit::mutate::{SPOILER, spoil, token_starts};

/// The number of tokens of a text that are tried.
const TRIED: usize = 8;

fn print(parsed: &ParsedModule) -> String {
    print_module(&parsed.module, &PrintOptions::default(), &|_| None)
}

fuzz_target!(|text: &str| {
    let parsed = parse_module(text);
    // What was understood of a bad file can be printed as well.
    let _ = print(&parsed);
    if !parsed.errors.is_empty() || text.contains(SPOILER.trim()) {
        return;
    }
    let code = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (starts, mark) = (token_starts(code), text.len() - code.len());
    let step = (starts.len() / TRIED).max(1);
    for at in starts.into_iter().map(|at| at + mark).skip(text.len() % step).step_by(step) {
        let holds = |r: std::ops::Range<usize>| r.contains(&at);
        let entity = parsed.source_map.entities().iter().find(|p| holds(p.range.as_usize()));
        let entity = entity.unwrap_or_else(|| panic!("what stands at {at} is in no entity"));
        // Swift declarations are kept as they stand.
        if !matches!(entity.entity, SourceEntity::Swift(_)) {
            let spoiled = parse_module(&spoil(text, at));
            let is_noticed = !spoiled.errors.is_empty() || print(&spoiled).contains(SPOILER.trim());
            assert!(is_noticed, "what stands before {at} is not read");
        }
    }
});
