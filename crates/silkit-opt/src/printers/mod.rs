//! Passes that print what analyses found and change nothing, for tests.

pub(crate) mod basic_instruction_property_dump;
