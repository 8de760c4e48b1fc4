//! Closures whose function is known: which function a call through them reaches, with which arguments; how a call keeps
//! what it took from the closure alive; and how closures go that nobody calls any more.

mod captures;
mod dead;
mod known;

pub use captures::keep_alive;
pub use dead::{delete_dead, delete_dead_box, look_through_ownership};
pub use known::KnownCallee;
