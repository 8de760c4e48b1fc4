//! Functions of C that the module Observation calls: locks, which one thread never waits for, and a variable of the thread.

use super::{Call, Effect, NativeFn};
use crate::interp::Interp;
use crate::violation::Run;

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("_swift_observation_lock_size", lock_size),
    ("_swift_observation_lock_init", nothing),
    ("_swift_observation_lock_lock", nothing),
    ("_swift_observation_lock_unlock", nothing),
    ("_swift_observation_tls_get", thread_variable),
    ("_swift_observation_tls_set", set_thread_variable),
];

fn lock_size(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set(call.result, 8);
    Ok(Effect::Done)
}

fn nothing(_: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    Ok(Effect::Done)
}

fn thread_variable(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let value = it.runtime.observation;
    it.set(call.result, value);
    Ok(Effect::Done)
}

fn set_thread_variable(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.runtime.observation = it.arg(call, 0);
    Ok(Effect::Done)
}
