//! The interpreter: the state of a run, which all parts of the interpreter share.

use crate::frame::{Access, Frame, NATIVE_PC, Stack};
use crate::host::Host;
use crate::instance::{BindId, Binding, Instance, InstanceId};
use crate::instruments::Instruments;
use crate::memory::{Kind, Memory, Request};
use crate::native::Runtime;
use crate::op::{NO_PC, Op, Pc, Slot};
use crate::options::RunOptions;
use crate::program::{FunctionRef, Program};
use crate::sites::{
    AccessSite, AllocSite, AwaitSite, BeginSite, BuiltinSite, CallSite, CastSite, ClosureShape, ClosureSite,
    CodeTarget, ContinuationSite, DynamicTypeSite, EndSite, GlobalSite, KeyPathSite, LazySite, MethodSite,
    Move, OpenPackSite, OpenSite, SelectSite, SwitchTable, TailSite, VectorSite, YieldSite,
};
use crate::types::{TypeId, TypeInfo, Types, type_error};
use crate::violation::{Run, Stop};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::Inst;
use silkit_layout::{Ty, TyKind, World};
use silkit_types::Type;
use std::rc::Rc;

/// Tables that operations refer to by index.
#[derive(Default)]
pub(crate) struct Sites {
    pub(crate) lazy: Vec<LazySite>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) moves: Vec<Box<[Move]>>,
    pub(crate) bytes: Vec<Box<[u8]>>,
    pub(crate) texts: Vec<String>,
    /// The reasons why instructions cannot be executed.
    pub(crate) stops: Vec<crate::violation::Stop>,
    pub(crate) calls: Vec<CallSite>,
    pub(crate) methods: Vec<(MethodSite, Slot)>,
    pub(crate) closures: Vec<Rc<ClosureSite>>,
    pub(crate) shapes: Vec<Rc<ClosureShape>>,
    /// The shapes of the closures that a site creates, by the site and by the implementation of a method.
    pub(crate) shape_ids: FxHashMap<(u32, Option<InstanceId>), u32>,
    pub(crate) allocs: Vec<AllocSite>,
    pub(crate) opens: Vec<OpenSite>,
    pub(crate) packs: Vec<OpenPackSite>,
    pub(crate) dynamic: Vec<DynamicTypeSite>,
    pub(crate) casts: Vec<CastSite>,
    pub(crate) accesses: Vec<AccessSite>,
    pub(crate) begins: Vec<BeginSite>,
    pub(crate) yields: Vec<YieldSite>,
    pub(crate) ends: Vec<EndSite>,
    pub(crate) selects: Vec<SelectSite>,
    pub(crate) vectors: Vec<VectorSite>,
    pub(crate) builtins: Vec<Rc<BuiltinSite>>,
    pub(crate) tails: Vec<TailSite>,
    pub(crate) key_paths: Vec<KeyPathSite>,
    pub(crate) globals: Vec<GlobalSite>,
    pub(crate) boxes: Vec<(Ty, u32, u32)>,
    pub(crate) continuations: Vec<ContinuationSite>,
    pub(crate) awaits: Vec<AwaitSite>,
}

/// The state of a running program.
pub struct Interp<'h> {
    pub(crate) program: Rc<Program>,
    pub(crate) host: &'h mut dyn Host,
    pub(crate) options: RunOptions,
    pub(crate) memory: Memory,
    pub(crate) types: Types,
    pub(crate) code: Vec<Op>,
    pub(crate) origins: Vec<(InstanceId, Inst)>,
    pub(crate) sites: Sites,
    /// The number of values in the bodies of all instances.
    pub(crate) code_values: u64,
    /// The number of bytes that are counted for code.
    pub(crate) code_counted: u64,
    pub(crate) instances: Vec<Instance>,
    pub(crate) by_function: FxHashMap<(FunctionRef, Rc<[Ty]>), InstanceId>,
    pub(crate) functions: FxHashMap<FunctionRef, Rc<crate::instance::FunctionInfo>>,
    pub(crate) binds: Vec<Rc<[Binding]>>,
    pub(crate) bind_ids: FxHashMap<Rc<[Binding]>, BindId>,
    pub(crate) mentions_opened: FxHashMap<Type, bool>,
    pub(crate) stack: Stack,
    /// The stack offset of the values of the current frame.
    pub(crate) base: usize,
    pub(crate) pc: Pc,
    pub(crate) steps: u64,
    pub(crate) frames_made: u64,
    /// The number of active calls that the interpreter itself made.
    pub(crate) native_depth: u32,
    /// The addresses in raw SIL that hold no value of a type without bytes.
    pub(crate) empties_gone: FxHashSet<(u64, TypeId)>,
    /// True if a nested run ended with an error.
    pub(crate) threw: bool,
    pub(crate) codes: Vec<CodeTarget>,
    pub(crate) code_addresses: FxHashMap<(u8, u64), u64>,
    pub(crate) metadata: FxHashMap<Ty, u64>,
    pub(crate) literals: FxHashMap<(u8, Symbol), u64>,
    pub(crate) global_ids: FxHashMap<Symbol, u32>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) class_sizes: FxHashMap<Ty, (u32, u32)>,
    pub(crate) deallocators: FxHashMap<Ty, Option<InstanceId>>,
    pub(crate) runtime: Runtime,
    pub(crate) instruments: Option<Box<Instruments>>,
}

impl std::fmt::Debug for Interp<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interp")
            .field("program", &self.program)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// The reason why the program stopped.
    pub stop: Stop,
    /// The exit code that a native program would have, or `None` if it is not known.
    pub exit_code: Option<i32>,
    /// The leaked allocations, if leaks are checked.
    pub leaks: Vec<crate::violation::Violation>,
    /// The number of executed instructions.
    pub steps: u64,
}

impl<'h> Interp<'h> {
    /// Prepares to run a program.
    pub fn new(program: Rc<Program>, options: RunOptions, host: &'h mut dyn Host) -> Self {
        let memory = Memory::new(options.memory);
        let stack = options
            .stack
            .min(u32::try_from(options.memory).unwrap_or(u32::MAX))
            .min(crate::limits::MAX_FRAME);
        Self {
            program,
            host,
            memory,
            types: Types::default(),
            code: Vec::new(),
            origins: Vec::new(),
            sites: Sites::default(),
            code_values: 0,
            code_counted: 0,
            instances: Vec::new(),
            by_function: FxHashMap::default(),
            functions: FxHashMap::default(),
            binds: vec![Rc::from([])],
            bind_ids: FxHashMap::default(),
            mentions_opened: FxHashMap::default(),
            stack: Stack::with_limit(stack),
            base: 0,
            pc: 0,
            steps: 0,
            frames_made: 0,
            native_depth: 0,
            threw: false,
            codes: Vec::new(),
            code_addresses: FxHashMap::default(),
            metadata: FxHashMap::default(),
            literals: FxHashMap::default(),
            global_ids: FxHashMap::default(),
            empties_gone: FxHashSet::default(),
            accesses: Vec::new(),
            class_sizes: FxHashMap::default(),
            deallocators: FxHashMap::default(),
            runtime: Runtime::new(options.seed, options.schedule.unwrap_or_default()),
            instruments: (options.coverage || options.profile)
                .then(|| Box::new(Instruments::new(options.profile))),
            options,
        }
    }

    /// Returns the declarations of the modules.
    pub(crate) fn world(&self) -> &World {
        &self.program.world
    }

    // ---- the current frame ----

    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot) -> u64 {
        let at = self.base + slot as usize;
        let mut word = [0; 8];
        word.copy_from_slice(&self.stack.bytes[at..at + 8]);
        u64::from_le_bytes(word)
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, slot: Slot, value: u64) {
        let at = self.base + slot as usize;
        self.stack.bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }

    #[inline(always)]
    pub(crate) fn get_byte(&self, slot: Slot) -> u8 {
        self.stack.bytes[self.base + slot as usize]
    }

    #[inline(always)]
    pub(crate) fn set_byte(&mut self, slot: Slot, value: u8) {
        self.stack.bytes[self.base + slot as usize] = value;
    }

    #[inline]
    pub(crate) fn bytes(&self, slot: Slot, len: u32) -> &[u8] {
        let at = self.base + slot as usize;
        &self.stack.bytes[at..at + len as usize]
    }

    #[inline]
    pub(crate) fn bytes_mut(&mut self, slot: Slot, len: u32) -> &mut [u8] {
        let at = self.base + slot as usize;
        &mut self.stack.bytes[at..at + len as usize]
    }

    /// Reads an integer of up to 8 bytes.
    pub(crate) fn get_int(&self, slot: Slot, len: u32) -> u64 {
        let mut word = [0; 8];
        word[..len as usize].copy_from_slice(self.bytes(slot, len));
        u64::from_le_bytes(word)
    }

    pub(crate) fn set_int(&mut self, slot: Slot, len: u32, value: u64) {
        let bytes = value.to_le_bytes();
        self.bytes_mut(slot, len).copy_from_slice(&bytes[..len as usize]);
    }

    // ---- types ----

    /// Returns the number of a type.
    pub(crate) fn type_id(&mut self, ty: Ty) -> Run<TypeId> {
        let program = self.program.clone();
        let deinits = |ty: Ty| ty.as_nominal().and_then(|(n, _)| program.deinit(n));
        self.types.id(&program.world, &deinits, ty)
    }

    /// Returns the runtime information of a type.
    pub(crate) fn info(&mut self, ty: Ty) -> Run<Rc<TypeInfo>> {
        let id = self.type_id(ty)?;
        Ok(self.types.get(id).clone())
    }

    /// Returns the size and alignment of the instances of a class.
    pub(crate) fn class_size(&mut self, class: Ty) -> Run<(u32, u32)> {
        if let Some(found) = self.class_sizes.get(&class) {
            return Ok(*found);
        }
        let layout = self.world().class_layout(class).map_err(type_error)?;
        let size = u32::try_from(layout.size).ok().filter(|&size| size <= u32::MAX / 2);
        let size = size.ok_or_else(|| Stop::Unsupported(format!("an object of {} bytes", layout.size)))?;
        let found = (size, layout.align as u32);
        self.class_sizes.insert(class, found);
        Ok(found)
    }

    /// Returns the address of the metadata of a type.
    pub(crate) fn metadata(&mut self, ty: Ty) -> Run<u64> {
        if let Some(found) = self.metadata.get(&ty) {
            return Ok(*found);
        }
        let formal = ty.formal();
        let address = match self.metadata.get(&formal) {
            Some(found) => *found,
            None => self.allocate(Kind::Metadata, 0, 16, formal.as_u32())?,
        };
        self.metadata.insert(formal, address);
        self.metadata.insert(ty, address);
        Ok(address)
    }

    /// Returns the type whose metadata is at an address.
    pub(crate) fn type_at(&self, metadata: u64) -> Run<Ty> {
        match self.memory.allocation(metadata) {
            Some((entry, base)) if entry.kind == Kind::Metadata && base == metadata => {
                Ok(Ty::from_u32(entry.ty))
            }
            _ => Err(self.confusion(format!("{metadata:#x} is used as the metadata of a type"), metadata)),
        }
    }

    // ---- memory ----

    /// Allocates memory.
    pub(crate) fn allocate(&mut self, kind: Kind, size: u64, align: u64, ty: u32) -> Run<u64> {
        let request = Request { kind, size, align, ty, by: self.pc };
        self.memory.allocate(request).map_err(|_| Stop::OutOfMemory)
    }

    /// Returns the address of a literal's bytes.
    pub(crate) fn literal(&mut self, kind: u8, text: Symbol, bytes: &[u8]) -> Run<u64> {
        if let Some(found) = self.literals.get(&(kind, text)) {
            return Ok(*found);
        }
        let address = self.allocate(Kind::Literal, bytes.len() as u64 + 1, 16, 0)?;
        let stored = self
            .memory
            .store(address, bytes)
            .and_then(|()| self.memory.store(address + bytes.len() as u64, &[0]));
        stored.map_err(|fault| self.fault(fault, address, "storing a literal"))?;
        if let Some(entry) = self.memory.allocation_mut(address) {
            entry.constant = true;
        }
        self.literals.insert((kind, text), address);
        Ok(address)
    }

    /// Returns a code address for a target.
    pub(crate) fn code_address(&mut self, target: CodeTarget) -> Run<u64> {
        let key = match &target {
            CodeTarget::Instance(id) => Some((0, u64::from(id.0))),
            CodeTarget::Closure(shape) => Some((1, u64::from(*shape))),
            CodeTarget::Native(_, name, types) if types.is_empty() => Some((3, u64::from(name.as_u32()))),
            CodeTarget::Native(..) | CodeTarget::Captured => None,
        };
        if let Some(found) = key.and_then(|key| self.code_addresses.get(&key)) {
            return Ok(*found);
        }
        let number = self.codes.len() as u32;
        self.codes.push(target);
        let address = self.allocate(Kind::Code, 0, 16, number)?;
        if let Some(key) = key {
            self.code_addresses.insert(key, address);
        }
        Ok(address)
    }

    /// Returns the target of a code address.
    pub(crate) fn code_at(&self, address: u64) -> Run<&CodeTarget> {
        match self.memory.allocation(address) {
            Some((entry, base)) if entry.kind == Kind::Code && base == address => {
                Ok(&self.codes[entry.ty as usize])
            }
            _ => Err(self.confusion(format!("{address:#x} is called as a function"), address)),
        }
    }

    // ---- calls of code by the interpreter ----

    /// Returns the stack offset at which the next frame begins.
    #[inline]
    pub(crate) fn next_base(&self) -> u32 {
        if let Some(base) = self.stack.next {
            return base;
        }
        match self.stack.frames.last() {
            Some(frame) if frame.coroutine > 0 => frame.top.next_multiple_of(16),
            Some(frame) => {
                let size = self.instances.get(frame.instance.0 as usize).map_or(0, |i| i.frame_size);
                frame.top.max(frame.base + size).next_multiple_of(16)
            }
            None => 0,
        }
    }

    /// Calls an instance, runs it until it returns, and returns the bytes of its result. Each argument begins at a
    /// multiple of 8.
    ///
    /// If the instance throws, returns the bytes of the error and sets `threw`.
    pub(crate) fn call_instance(&mut self, id: InstanceId, args: &[&[u8]], result_len: u32) -> Run<Vec<u8>> {
        let saved = (self.base, self.pc);
        let base = self.next_base();
        let space = result_len.max(16).next_multiple_of(16);
        self.push_native_frame(base, space);
        let frame = base + space;
        self.write_arguments(frame, args);
        self.threw = false;
        let entry = self.enter(id, frame, NATIVE_PC, 0, NATIVE_PC, 0)?;
        self.run(entry)?;
        Ok(self.leave_native_frame(saved, base, result_len))
    }

    /// Calls the target of a code address, runs it until it returns, and returns the bytes of its result.
    pub(crate) fn call_nested(
        &mut self,
        target: &CodeTarget,
        context: u64,
        args: &[&[u8]],
        result_len: u32,
    ) -> Run<Vec<u8>> {
        let saved = (self.base, self.pc);
        let base = self.next_base();
        let space = result_len.max(16).next_multiple_of(16);
        self.push_native_frame(base, space);
        self.base = base as usize;
        let frame = base + space;
        let len = self.write_arguments(frame, args);
        self.threw = false;
        let entry = self.call_target(target, context, frame, len, (NATIVE_PC, 0, NATIVE_PC, 0))?;
        if entry != NATIVE_PC {
            self.run(entry)?;
        }
        Ok(self.leave_native_frame(saved, base, result_len))
    }

    /// Writes arguments consecutively, each at a multiple of 8, and returns the number of bytes that they occupy.
    fn write_arguments(&mut self, frame: u32, args: &[&[u8]]) -> u32 {
        let mut len = 0;
        for arg in args {
            self.reserve(frame + len + arg.len() as u32 + 8);
            let at = (frame + len) as usize;
            self.stack.bytes[at..at + arg.len()].copy_from_slice(arg);
            len += (arg.len() as u32).next_multiple_of(8);
        }
        len
    }

    /// Pops a native frame and returns the bytes of the result or the error in it.
    fn leave_native_frame(&mut self, saved: (usize, Pc), base: u32, result_len: u32) -> Vec<u8> {
        let len = result_len.max(if self.threw { 16 } else { 0 });
        self.native_depth -= 1;
        self.stack.frames.pop();
        (self.base, self.pc) = saved;
        self.stack.bytes[base as usize..(base + len) as usize].to_vec()
    }

    fn push_native_frame(&mut self, base: u32, space: u32) {
        self.native_depth += 1;
        self.reserve(base + space);
        self.frames_made += 1;
        self.stack.frames.push(Frame {
            instance: InstanceId(u32::MAX),
            base,
            top: base + space,
            return_to: NATIVE_PC,
            result: 0,
            error_to: NO_PC,
            error: 0,
            serial: self.frames_made,
            has_temporaries: false,
            coroutine: 0,
        });
    }

    /// Ensures that the stack has at least `end` bytes.
    #[inline]
    pub(crate) fn reserve(&mut self, end: u32) {
        let end = end as usize;
        if self.stack.bytes.len() < end {
            self.grow_stack(end);
        }
    }

    /// Grows the stack. Untouched memory costs nothing, so the first frame of a coroutine, which is located after all
    /// other frames, reserves space for all of them.
    #[cold]
    fn grow_stack(&mut self, end: usize) {
        const PAGE: usize = 1 << 12;
        let len = (end * 2).max(1 << 13);
        let old = std::mem::replace(&mut self.stack.bytes, vec![0; len]);
        for (page, bytes) in old.chunks(PAGE).enumerate() {
            if bytes.iter().any(|&byte| byte != 0) {
                self.stack.bytes[page * PAGE..page * PAGE + bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    /// Pushes the frame of a call whose arguments are already written, and returns the entry point of the code.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        id: InstanceId,
        base: u32,
        return_to: Pc,
        result: Slot,
        error_to: Pc,
        error: Slot,
    ) -> Run<Pc> {
        let mut entry = self.instances[id.0 as usize].entry;
        if entry == NO_PC {
            entry = self.translate_entry(id)?;
        }
        let size = self.instances[id.0 as usize].frame_size;
        if base + size > self.stack.counted_to {
            self.count_stack(base + size)?;
        }
        self.reserve(base + size + 64);
        self.frames_made += 1;
        self.stack.frames.push(Frame {
            instance: id,
            base,
            top: base + size,
            return_to,
            result,
            error_to,
            error,
            serial: self.frames_made,
            has_temporaries: false,
            coroutine: 0,
        });
        self.base = base as usize;
        Ok(entry)
    }

    /// Returns true if a type is a class.
    pub(crate) fn is_class(&self, ty: Ty) -> bool {
        match ty.kind() {
            TyKind::Nominal(..) => self.world().is_class(ty),
            _ => false,
        }
    }

    /// Returns true if the values of a type are single references: it is a class or `AnyObject`. A class existential
    /// with witness tables is more than a reference.
    pub(crate) fn is_single_reference(&self, ty: Ty) -> bool {
        match ty.kind() {
            TyKind::Existential(e) => e.is_class && e.protocols.is_empty(),
            _ => self.is_class(ty),
        }
    }
}
