//! Closures whose function is known: the function that a call through them reaches and its arguments, keeping
//! captured values alive for the call, and removal of closures that are no longer called.

mod captures;
mod dead;
mod known;

pub use captures::{after_call, keep_alive};
pub use dead::{delete_dead, delete_dead_box, look_through_ownership};
pub use known::KnownCallee;
