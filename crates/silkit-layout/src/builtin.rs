//! Lookup of the types of the module `Builtin` by name.

use crate::ty::{Builtin, Ty};

/// Returns the type of the module `Builtin` with this name.
pub fn builtin(name: &str) -> Option<Ty> {
    let found = match name {
        "Word" => Builtin::Int(64),
        "IntLiteral" => Builtin::IntLiteral,
        "RawPointer" => Builtin::RawPointer,
        "NativeObject" | "AnyObject" | "UnknownObject" => Builtin::Object,
        "BridgeObject" => Builtin::BridgeObject,
        "UnsafeValueBuffer" => Builtin::ValueBuffer,
        "SILToken" => Builtin::Token,
        "PackIndex" => Builtin::PackIndex,
        "Job" => Builtin::Job,
        "Executor" => Builtin::Executor,
        "RawUnsafeContinuation" => Builtin::Continuation,
        "ImplicitActor" => Builtin::ImplicitActor,
        "DefaultActorStorage" => Builtin::DefaultActorStorage,
        "NonDefaultDistributedActorStorage" => Builtin::DistributedActorStorage,
        _ => {
            if let Some(bits) = name.strip_prefix("FPIEEE") {
                Builtin::Float(bits.parse().ok()?)
            } else if let Some(bits) = name.strip_prefix("Int") {
                Builtin::Int(bits.parse().ok()?)
            } else {
                let (count, element) = name.strip_prefix("Vec")?.split_once('x')?;
                Builtin::Vector(count.parse().ok()?, builtin(element)?)
            }
        }
    };
    Some(Ty::builtin(found))
}
