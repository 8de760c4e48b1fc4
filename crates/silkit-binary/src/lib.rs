//! A compact binary container of SIL modules.
