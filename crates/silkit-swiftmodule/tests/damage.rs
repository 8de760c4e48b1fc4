//! Files that are damaged or cut off are read or refused, without a panic. `data/shapes.sib` was written by
//! `swiftc -emit-sibgen` of Swift 6.2.3 from a source of 20 lines.

use silkit_swiftmodule::SwiftModule;

const FILE: &[u8] = include_bytes!("data/shapes.sib");

/// Reads everything that can be read; returns how many bodies were.
fn read(bytes: &[u8]) -> Option<usize> {
    let module = SwiftModule::open(bytes).ok()?;
    let _ = module.statistics();
    let mut out = Vec::new();
    let _ = module.write_records(&mut out);
    let read = module.module().ok()?;
    Some(read.module.functions.values().filter(|f| f.body.is_some()).count())
}

#[test]
fn the_whole_file_is_read() {
    let module = SwiftModule::open(FILE).unwrap();
    assert_eq!(module.control.format, (0, 967));
    assert_eq!(module.control.name, "shapes");
    assert!(module.control.is_sib());
    let imports: Vec<&str> = module.imports.iter().map(|i| i.path.as_str()).collect();
    assert!(imports.contains(&"Swift"), "{imports:?}");
    let statistics = module.statistics();
    assert_eq!(statistics.damage, None);
    let functions = statistics.kinds.iter().find(|k| k.record == "SIL_FUNCTION").map(|k| k.count);
    assert_eq!(functions, Some(module.functions().unwrap().len() as u64));
    assert!(read(FILE) >= Some(8), "{:?}", read(FILE));
}

#[test]
fn damaged_files_do_not_panic() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let (mut opened, mut refused) = (0, 0);
    for round in 0..400 {
        let mut bytes = FILE.to_vec();
        match round % 4 {
            0 => bytes.truncate(next(FILE.len())),
            1 => bytes[next(FILE.len())] ^= 1 << next(8),
            2 => (0..16).for_each(|_| bytes[next(FILE.len())] = next(256) as u8),
            _ => {
                let from = next(FILE.len());
                let to = (from + 64).min(FILE.len());
                bytes[from..to].fill(if round % 8 == 3 { 0 } else { 0xFF });
            }
        }
        match read(&bytes) {
            Some(_) => opened += 1,
            None => refused += 1,
        }
    }
    // Otherwise the damage does not reach the decoder, or is not noticed.
    assert!(opened > 50 && refused > 50, "{opened} {refused}");
}
