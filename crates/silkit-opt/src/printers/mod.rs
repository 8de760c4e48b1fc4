//! Passes that print what analyses found and change nothing, for tests.

pub(crate) mod basic_instruction_property_dump;
pub(crate) mod callees;
pub(crate) mod callers;
pub(crate) mod compute;
pub(crate) mod function_order;
pub(crate) mod loop_info;
