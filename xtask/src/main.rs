//! Development tasks: generate code, check the house rules.

fn main() {}
