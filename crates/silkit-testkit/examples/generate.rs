//! Prints a generated program: `cargo run -p silkit-testkit --example generate -- SEED [PROFILE] [lowered]`, where a
//! profile is `all`, `small`, `control_flow`, `ownership` or `memory`, and that of the fuzz targets by default.

use silkit_testkit::generate::{Profile, generate};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let profile = match arguments.next().as_deref() {
        Some("small") => Profile::small(),
        Some("control_flow") => Profile::control_flow(),
        Some("ownership") => Profile::ownership(),
        Some("memory") => Profile::memory(),
        Some("all") => Profile::new(),
        _ => Profile::of_seed(seed),
    };
    let profile = if arguments.any(|argument| argument == "lowered") { profile.lowered() } else { profile };
    print!("{}", generate(seed, &profile));
}
