//! The in-memory form of SIL: modules, functions, bodies, instructions.
