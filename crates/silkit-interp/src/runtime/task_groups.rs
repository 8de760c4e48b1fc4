//! Runtime functions for task groups.

use super::tasks::wait;
use super::{BuiltinFn, Call, Effect, NativeFn};
use crate::interp::Interp;
use crate::memory::Kind;
use crate::sites::BuiltinSite;
use crate::tasks::{Group, Waiting};
use crate::violation::{Run, unsupported};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("swift_taskGroup_wait_next_throwing", wait_next),
    ("swift_taskGroup_waitAll", wait_all),
    ("swift_taskGroup_addPending", add_pending),
    ("swift_taskGroup_isEmpty", is_empty),
    ("swift_taskGroup_isCancelled", is_cancelled),
    ("swift_taskGroup_cancelAll", cancel_all),
];

pub(super) const BUILTINS: &[(&str, BuiltinFn)] = &[
    ("createTaskGroup", create),
    ("createTaskGroupWithFlags", create_with_flags),
    ("destroyTaskGroup", destroy),
];

/// The flag bit of a group that discards results.
const DISCARDS: u64 = 1 << 8;

fn create(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let address = it.allocate(Kind::Heap, 8, 16, 0)?;
    it.runtime.tasks.groups.insert(address, Group::default());
    it.set(site.to, address);
    Ok(())
}

fn create_with_flags(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let flags = it.get(site.args[0]);
    create(it, site)?;
    let address = it.get(site.to);
    if let Some(group) = it.runtime.tasks.groups.get_mut(&address) {
        group.discards = flags & DISCARDS != 0;
    }
    Ok(())
}

fn destroy(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let address = it.get(site.args[0]);
    let group = it.runtime.tasks.groups.remove(&address);
    if group.is_some_and(|g| !g.pending.is_empty()) {
        return unsupported("destroying a task group before its tasks have finished");
    }
    it.free_object(address)
}

fn wait_next(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (out, group) = (it.arg(call, 0), it.arg(call, 1));
    it.wait_in_group(group, wait(call, out, Waiting::Group), call.types.first().copied())
}

fn wait_all(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (out, group, error) = (it.arg(call, 0), it.arg(call, 1), it.arg(call, 2));
    if error != 0
        && let Some(of) = it.runtime.tasks.groups.get_mut(&group)
        && of.error == 0
    {
        of.error = error;
        it.retain_reference(error)?;
    }
    it.wait_in_group(group, wait(call, out, Waiting::All), call.types.first().copied())
}

fn add_pending(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let group = it.arg(call, 0);
    let always = it.get_byte(call.args[1]) & 1 != 0;
    let is_cancelled = it.runtime.tasks.groups.get(&group).is_some_and(|g| g.is_cancelled);
    it.set_byte(call.result, u8::from(always || !is_cancelled));
    Ok(Effect::Done)
}

fn is_empty(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let group = it.arg(call, 0);
    let answer = it.runtime.tasks.groups.get(&group).is_none_or(|g| g.pending.is_empty());
    it.set_byte(call.result, u8::from(answer));
    Ok(Effect::Done)
}

fn is_cancelled(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let group = it.arg(call, 0);
    let answer = it.runtime.tasks.groups.get(&group).is_some_and(|g| g.is_cancelled);
    it.set_byte(call.result, u8::from(answer));
    Ok(Effect::Done)
}

fn cancel_all(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let group = it.arg(call, 0);
    it.cancel_group(group)?;
    Ok(Effect::Done)
}
