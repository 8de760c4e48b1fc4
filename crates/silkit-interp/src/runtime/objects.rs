//! Runtime functions about objects.

use super::{BuiltinFn, Call, Effect, NativeFn};
use crate::interp::Interp;
use crate::memory::Kind;
use crate::sites::BuiltinSite;
use crate::violation::{Run, missing, unsupported};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("swift_bufferAllocate", buffer_allocate),
    ("_swift_getSwiftClassInstanceExtents", instance_extents),
    ("_swift_class_getSuperclass", superclass),
    ("swift_retainCount", retain_count),
    ("swift_unownedRetainCount", retain_count),
    ("swift_weakRetainCount", retain_count),
    ("swift_isClassType", is_class_type),
    ("_swift_isClassOrObjCExistentialType", is_class_or_existential),
    ("swift_willThrowTypedImpl", nothing),
    ("_swift_stdlib_threadLocalStorageGet", thread_local_storage),
    ("_swift_stdlib_getDefaultErrorCode", default_error_code),
    ("_swift_makeAnyHashableUpcastingToHashableBaseType", make_any_hashable),
    ("swift_retain", retain),
    ("swift_release", release),
];

pub(super) const BUILTINS: &[(&str, BuiltinFn)] =
    &[("errorInMain", error_in_main), ("unexpectedError", error_in_main)];

impl Interp<'_> {
    /// Calls the code at an address without a context.
    pub(crate) fn call_code(&mut self, code: u64, args: &[&[u8]], result_len: u32) -> Run<Vec<u8>> {
        self.call_closure(code, 0, args, result_len)
    }

    /// Calls a function value.
    pub(crate) fn call_closure(
        &mut self,
        code: u64,
        context: u64,
        args: &[&[u8]],
        result_len: u32,
    ) -> Run<Vec<u8>> {
        let target = self.code_at(code)?.clone();
        self.call_nested(&target, context, args, result_len)
    }
}

fn nothing(_: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    Ok(Effect::Done)
}

fn retain(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let reference = it.arg(call, 0);
    it.retain_reference(reference)?;
    it.set(call.result, reference);
    Ok(Effect::Done)
}

fn release(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let reference = it.arg(call, 0);
    it.release_reference(reference)?;
    Ok(Effect::Done)
}

fn buffer_allocate(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let class = it.type_at(it.arg(call, 0))?;
    let (size, mask) = (it.arg(call, 1), it.arg(call, 2));
    let object = it.new_object(class, size, (mask & 0xFFFF) + 1)?;
    it.set(call.result, object);
    Ok(Effect::Done)
}

fn instance_extents(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let class = it.type_at(it.arg(call, 0))?;
    let (size, _) = it.class_size(class)?;
    it.set(call.result, 0);
    it.set(call.result + 8, u64::from(size));
    Ok(Effect::Done)
}

fn superclass(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let class = it.type_at(it.arg(call, 0))?;
    let metadata = match it.world().superclass(class) {
        Some(superclass) => it.metadata(superclass)?,
        None => 0,
    };
    it.set(call.result, metadata);
    Ok(Effect::Done)
}

fn retain_count(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let reference = it.arg(call, 0);
    let count = it.memory.strong_count(reference);
    let count = count.map_err(|fault| it.count_fault(fault, reference, false))?;
    it.set(call.result, u64::from(count));
    Ok(Effect::Done)
}

fn is_class_type(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = it.type_at(it.arg(call, 0))?;
    let is_reference = it.is_single_reference(ty);
    it.set_byte(call.result, u8::from(is_reference));
    Ok(Effect::Done)
}

fn is_class_or_existential(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = match call.types.first() {
        Some(&ty) => ty,
        None => it.type_at(it.arg(call, 0))?,
    };
    let is_reference = it.is_single_reference(ty);
    it.set_byte(call.result, u8::from(is_reference));
    Ok(Effect::Done)
}

/// Returns the address of the thread-local storage. It is filled with zeros, and the library initializes it.
fn thread_local_storage(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let key = silkit_base::Symbol::new("thread-local storage");
    let known = it.runtime.permanent.get(&key).copied();
    let address = match known {
        Some(address) => address,
        None => {
            let address = it.allocate(Kind::Global, 64, 16, 0)?;
            it.memory.fill(address, 64, 0).map_err(|fault| it.fault(fault, address, "clearing"))?;
            it.runtime.permanent.insert(key, address);
            address
        }
    };
    it.set(call.result, address);
    Ok(Effect::Done)
}

/// Returns the default error code of a value: the case number for an enum, otherwise 1.
fn default_error_code(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let Some(&ty) = call.types.first() else { return unsupported("an error code without a type") };
    let id = it.type_id(ty)?;
    let address = it.arg(call, 0);
    let code = match it.types.get(id).layout.as_enum().cloned() {
        Some(layout) => {
            let bytes = it.enum_bytes(address, id)?;
            layout.case_of(&bytes).map_or(1, u64::from)
        }
        None => 1,
    };
    it.set(call.result, code);
    Ok(Effect::Done)
}

fn error_in_main(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let reference = it.get(site.args[0]);
    let ty = it.boxed_type(reference)?;
    let text = format!("Fatal error: Error raised at top level: {ty}\n");
    it.host.write_stderr(text.as_bytes());
    Err(it.failure(132, "Error raised at top level".to_owned()))
}

/// Creates an `AnyHashable`. An object is converted to the class that declares its conformance.
fn make_any_hashable(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let Some(&ty) = call.types.first() else { return unsupported("an `AnyHashable` without a type") };
    let (from, to) = (it.arg(call, 0), it.arg(call, 1));
    let mut target = ty;
    if it.is_class(ty) {
        let object = it.read(from)?;
        let class = it.class_of(object)?;
        let hashable = silkit_layout::Nominal::swift("Hashable");
        if let Some(conformance) = it.world().conformance(class, hashable) {
            target = conformance.ty;
        }
    }
    let name = silkit_base::Symbol::new("_swift_makeAnyHashableUsingDefaultRepresentation");
    let program = it.program.clone();
    let Some(at) = program.find(name) else {
        return missing("function", name);
    };
    let id = it.instance(at, std::rc::Rc::from([target]));
    it.call_instance(id, &[&from.to_le_bytes(), &to.to_le_bytes()], 0)?;
    Ok(Effect::Done)
}
