//! Silkit: read, hold, write and inspect Swift Intermediate Language.
