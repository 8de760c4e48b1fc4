//! FileCheck, RUN lines and generators for Silkit's tests.
pub mod filecheck;
