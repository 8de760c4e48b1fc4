//! The memory of a running program: allocations with addresses that are never reused, and the state of each byte.
//!
//! The upper bits of an address are the number of an allocation; the lower 16 bits contain an offset into it. An
//! allocation that is larger than 64 KiB uses several consecutive numbers, each of which is a window onto the same
//! bytes. Guard addresses between allocations are never valid. The bytes are stored in one vector and are reused; the
//! numbers are not reused.

mod access;
mod backing;
mod counts;
mod writers;

pub(crate) use access::Fault;

use backing::Backing;

/// The number of address bits that contain the offset into an allocation.
const WINDOW_BITS: u32 = 16;
const WINDOW: u64 = 1 << WINDOW_BITS;
/// The offset of an allocation in its first window, so that addresses are not more aligned than requested.
const START: u64 = 16;
/// The number of guard bytes after an allocation.
const GUARD: u64 = 64;
/// The first allocation number: lower addresses are never valid.
const FIRST: u32 = 16;
/// The end of the range of allocation numbers: addresses are smaller than 2^47.
const LAST: u32 = 1 << 31;
const PAGE_BITS: u32 = 8;
const PAGE: usize = 1 << PAGE_BITS;
/// The number of pages of freed allocations whose history is kept.
const KEPT_DEAD_PAGES: usize = 256;

/// The kind of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    /// Never allocated.
    #[default]
    None,
    /// Memory of `alloc_stack` and similar instructions.
    Stack,
    /// Memory of `malloc` and similar functions.
    Heap,
    /// An instance of a class.
    Object,
    /// A box for a captured variable.
    Box,
    /// The context of a closure.
    Context,
    /// A box that contains an error.
    ErrorBox,
    /// A box for a value that does not fit into the buffer of an existential container.
    ValueBox,
    /// A task.
    Task,
    /// A global variable.
    Global,
    /// The bytes of a literal.
    Literal,
    /// The code of a function.
    Code,
    /// The metadata of a type.
    Metadata,
    /// A part of an allocation that is larger than a window.
    Window,
}

impl Kind {
    /// Returns true if this kind of allocation is reference-counted.
    pub(crate) fn is_counted(self) -> bool {
        matches!(
            self,
            Self::Object | Self::Box | Self::Context | Self::ErrorBox | Self::ValueBox | Self::Task
        )
    }

    /// Returns the name of the kind in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "unallocated memory",
            Self::Stack => "stack memory",
            Self::Heap => "heap memory",
            Self::Object => "an object",
            Self::Box => "a box",
            Self::Context => "a closure context",
            Self::ErrorBox => "an error box",
            Self::ValueBox => "an existential's box",
            Self::Task => "a task",
            Self::Global => "a global variable",
            Self::Literal => "a literal",
            Self::Code => "code",
            Self::Metadata => "type metadata",
            Self::Window => "memory",
        }
    }
}

/// An allocation. `size` is zero after the allocation is freed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// The position of the bytes in the backing store, in units of 16.
    at: u32,
    /// The number of bytes from the start of the window to the end of the allocation.
    size: u32,
    /// The size of the allocation in bytes, which is kept after the allocation is freed.
    full_size: u32,
    /// The offset of the allocation in its window.
    start: u16,
    /// The kind of allocation.
    pub(crate) kind: Kind,
    /// True if the allocation is live.
    pub(crate) alive: bool,
    /// True if the memory is read-only.
    pub(crate) constant: bool,
    /// True if the allocation is never deallocated.
    pub(crate) immortal: bool,
    /// True if the deinit of the object is running.
    pub(crate) deiniting: bool,
    /// True if the memory belongs to a stack frame, which deallocates it in stack order.
    pub(crate) on_stack: bool,
    /// The type of an object, box or error; for code or metadata, the number of the function or type.
    pub(crate) ty: u32,
    /// The number of strong references.
    pub(crate) strong: u32,
    /// The number of unowned references.
    pub(crate) unowned: u32,
    /// The number of the operation that allocated the memory.
    pub(crate) born: u32,
    /// The number of the operation that freed the memory.
    pub(crate) died: u32,
    /// The number of the operation that last retained or released the object.
    pub(crate) counted: u32,
    /// For a window: the distance to the first window of the allocation.
    back: u32,
}

/// A request for an allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// The kind of allocation.
    pub(crate) kind: Kind,
    /// The size in bytes.
    pub(crate) size: u64,
    /// The alignment.
    pub(crate) align: u64,
    /// The type or number to record, depending on the kind.
    pub(crate) ty: u32,
    /// The number of the operation that allocates.
    pub(crate) by: u32,
}

/// The treatment of the old value when a new value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Write {
    /// There is no old value: the memory is uninitialized.
    Init,
    /// The old value is destroyed.
    Assign,
    /// The old value is destroyed if there is one. Raw SIL does not distinguish initialization from assignment.
    Either,
}

/// Counters of memory and reference operations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Events {
    /// Allocations other than those on the stack, and their bytes.
    pub(crate) allocations: u64,
    pub(crate) bytes: u64,
    pub(crate) stack_allocations: u64,
    pub(crate) frees: u64,
    pub(crate) retains: u64,
    pub(crate) releases: u64,
}

impl Events {
    /// Returns the events since an earlier snapshot.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            allocations: self.allocations - before.allocations,
            bytes: self.bytes - before.bytes,
            stack_allocations: self.stack_allocations - before.stack_allocations,
            frees: self.frees - before.frees,
            retains: self.retains - before.retains,
            releases: self.releases - before.releases,
        }
    }

    /// Adds the counters of `other`.
    pub(crate) fn add(&mut self, other: Self) {
        self.allocations += other.allocations;
        self.bytes += other.bytes;
        self.stack_allocations += other.stack_allocations;
        self.frees += other.frees;
        self.retains += other.retains;
        self.releases += other.releases;
    }

    /// Returns the total number of allocations, frees, retains and releases.
    pub(crate) fn all(self) -> u64 {
        self.allocations + self.stack_allocations + self.frees + self.retains + self.releases
    }
}

/// The memory of a program.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) events: Events,
    pages: Vec<Option<Box<Page>>>,
    next: u32,
    backing: Backing,
    dead_pages: std::collections::VecDeque<usize>,
    /// A page without entries, to be used again.
    unused: Option<Box<Page>>,
    /// The number of bytes in use.
    pub(crate) live_bytes: u64,
    /// The number of live allocations.
    pub(crate) live_count: u64,
    /// The maximum number of bytes that the run takes from the system.
    pub(crate) limit: u64,
    /// The number of bytes that the run takes outside of this memory: stacks, and translated code.
    pub(crate) elsewhere: u64,
    /// The number of pages that exist.
    live_pages: u64,
}

#[derive(Debug)]
struct Page {
    entries: [Entry; PAGE],
    alive: u32,
}

/// The error for an allocation that exceeds the limit of memory or addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OutOfMemory;

impl Memory {
    /// Creates a memory with a limit for the number of bytes that the run takes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            events: Events::default(),
            pages: Vec::new(),
            next: FIRST,
            backing: Backing::with_limit(limit),
            dead_pages: std::collections::VecDeque::new(),
            unused: None,
            live_bytes: 0,
            live_count: 0,
            limit,
            elsewhere: 0,
            live_pages: 0,
        }
    }

    /// Returns the number of bytes that the run takes: bytes of allocations and of ranges that were freed, their
    /// initialization bits, the records of allocations, and memory elsewhere.
    pub(crate) fn taken(&self) -> u64 {
        let records = self.live_pages * size_of::<Page>() as u64 + self.pages.len() as u64 * 8;
        self.backing.taken() + records + self.elsewhere
    }

    /// Changes the number of bytes that the run takes elsewhere.
    ///
    /// # Errors
    /// Returns an error if the limit is exceeded.
    pub(crate) fn take_elsewhere(&mut self, before: u64, now: u64) -> Result<(), OutOfMemory> {
        self.elsewhere = self.elsewhere.saturating_sub(before) + now;
        if now > before && self.taken() > self.limit { Err(OutOfMemory) } else { Ok(()) }
    }

    /// Records that an allocation is on the stack. An object or a closure context there is a stack allocation too.
    pub(crate) fn put_on_stack(&mut self, address: u64) {
        let Some(entry) = self.allocation_mut(address) else { return };
        entry.on_stack = true;
        if entry.kind.is_counted() {
            let size = u64::from(entry.full_size);
            self.events.allocations -= 1;
            self.events.bytes -= size;
            self.events.stack_allocations += 1;
        }
    }

    /// Allocates uninitialized memory and returns its address.
    ///
    /// # Errors
    /// Returns an error if the limit is reached, or no addresses are left.
    pub(crate) fn allocate(&mut self, request: Request) -> Result<u64, OutOfMemory> {
        let Request { kind, size, align, ty, by } = request;
        let start = START.max(align).min(WINDOW / 2);
        // An allocation of this size fits into no limit, and its windows cannot be counted.
        if size > u64::from(u32::MAX) {
            return Err(OutOfMemory);
        }
        let windows = (start + size + GUARD).div_ceil(WINDOW);
        let records = windows.saturating_sub(1) * size_of::<Entry>() as u64;
        let needed = self.backing.growth(size) + records;
        if needed > self.limit.saturating_sub(self.taken()) || u64::from(LAST - self.next) < windows {
            return Err(OutOfMemory);
        }
        // Allocations that exist before the program starts are not counted.
        if kind == Kind::Stack {
            self.events.stack_allocations += 1;
        } else if kind.is_counted() || kind == Kind::Heap {
            self.events.allocations += 1;
            self.events.bytes += size;
        }
        let first = self.next;
        let at = self.backing.take(size);
        let entry = Entry {
            at,
            size: size as u32,
            full_size: size as u32,
            start: start as u16,
            kind,
            alive: true,
            ty,
            strong: 1,
            born: by,
            ..Entry::default()
        };
        self.add(entry);
        for back in 1..windows {
            let skipped = back * WINDOW - start;
            self.add(Entry {
                at: at + (skipped / 16) as u32,
                size: size.saturating_sub(skipped) as u32,
                start: 0,
                kind: Kind::Window,
                back: back as u32,
                ..entry
            });
        }
        self.live_bytes += size;
        self.live_count += 1;
        Ok((u64::from(first) << WINDOW_BITS) + start)
    }

    fn add(&mut self, entry: Entry) {
        let number = self.next as usize;
        let page = number >> PAGE_BITS;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let unused = &mut self.unused;
        let live_pages = &mut self.live_pages;
        let page = self.pages[page].get_or_insert_with(|| {
            *live_pages += 1;
            let new = || Box::new(Page { entries: [Entry::default(); PAGE], alive: 0 });
            unused.take().unwrap_or_else(new)
        });
        page.entries[number % PAGE] = entry;
        page.alive += 1;
        self.next += 1;
    }

    /// Returns the allocation with a number.
    #[inline]
    fn entry(&self, number: u64) -> Option<&Entry> {
        let page = self.pages.get((number >> PAGE_BITS) as usize)?.as_ref()?;
        Some(&page.entries[number as usize % PAGE])
    }

    #[inline]
    fn entry_mut(&mut self, number: u64) -> Option<&mut Entry> {
        let page = self.pages.get_mut((number >> PAGE_BITS) as usize)?.as_mut()?;
        Some(&mut page.entries[number as usize % PAGE])
    }

    /// Returns the number and the base address of the allocation that contains an address.
    fn head(&self, address: u64) -> Option<(u64, u64)> {
        let number = address >> WINDOW_BITS;
        let entry = self.entry(number)?;
        let number = number - u64::from(entry.back);
        let head = self.entry(number)?;
        Some((number, (number << WINDOW_BITS) + u64::from(head.start)))
    }

    /// Returns the allocation that contains an address, live or freed, and its base address.
    pub(crate) fn allocation(&self, address: u64) -> Option<(&Entry, u64)> {
        let (number, base) = self.head(address)?;
        Some((self.entry(number)?, base))
    }

    /// Returns a mutable reference to the allocation with a base address.
    pub(crate) fn allocation_mut(&mut self, address: u64) -> Option<&mut Entry> {
        let (number, base) = self.head(address)?;
        if base != address { None } else { self.entry_mut(number) }
    }

    /// Returns the size in bytes of the live allocation with a base address.
    pub(crate) fn size_of(&self, address: u64) -> Option<u64> {
        let (entry, base) = self.allocation(address)?;
        (entry.alive && base == address).then_some(u64::from(entry.size))
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// Returns an error if the address is not the base address of an allocation, or if the memory was already freed.
    pub(crate) fn free(&mut self, address: u64, by: u32) -> Result<Entry, Fault> {
        let (number, base) = self.head(address).ok_or(Fault::Wild)?;
        let entry = *self.entry(number).ok_or(Fault::Wild)?;
        if base != address {
            return Err(Fault::NotABase);
        }
        if !entry.alive {
            return Err(if entry.kind == Kind::None { Fault::Wild } else { Fault::Dead });
        }
        self.backing.give_back(entry.at, u64::from(entry.size));
        self.live_bytes -= u64::from(entry.size);
        self.live_count -= 1;
        self.events.frees += 1;
        let windows = (u64::from(entry.start) + u64::from(entry.size) + GUARD).div_ceil(WINDOW);
        for number in number..number + windows {
            self.kill(number, by);
        }
        Ok(entry)
    }

    fn kill(&mut self, number: u64, by: u32) {
        let index = (number >> PAGE_BITS) as usize;
        let Some(Some(page)) = self.pages.get_mut(index) else { return };
        let entry = &mut page.entries[number as usize % PAGE];
        entry.alive = false;
        entry.size = 0;
        entry.died = by;
        page.alive -= 1;
        if page.alive == 0 && (self.next as usize) >> PAGE_BITS > index {
            self.dead_pages.push_back(index);
            if self.dead_pages.len() > KEPT_DEAD_PAGES
                && let Some(oldest) = self.dead_pages.pop_front()
            {
                self.unused = self.pages[oldest].take();
                self.live_pages -= 1;
                if let Some(page) = &mut self.unused {
                    page.entries.fill(Entry::default());
                }
            }
        }
    }

    /// Records that the store with a number writes what is written next; 0 ends the store. Numbers start at 1.
    pub(crate) fn set_store(&mut self, number: u32) {
        self.backing.record_writers().current = number;
    }

    /// Returns the stores that have written values that were loaded later.
    pub(crate) fn loaded_stores(&self) -> Vec<u32> {
        self.backing.read_writers()
    }

    /// Returns true if an address was ever in use, even if its history is no longer kept.
    pub(crate) fn was_used(&self, address: u64) -> bool {
        let number = address >> WINDOW_BITS;
        number >= u64::from(FIRST) && number < u64::from(self.next)
    }

    /// Calls `each` with the address of every live allocation, and the allocation.
    pub(crate) fn for_each_alive(&self, each: &mut dyn FnMut(u64, &Entry)) {
        for (index, page) in self.pages.iter().enumerate() {
            let Some(page) = page else { continue };
            for (i, entry) in page.entries.iter().enumerate() {
                if entry.alive && entry.kind != Kind::Window {
                    let number = (index << PAGE_BITS | i) as u64;
                    each((number << WINDOW_BITS) + u64::from(entry.start), entry);
                }
            }
        }
    }
}

impl Entry {
    /// Returns the size in bytes that the allocation has, or had before it was freed.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.full_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(size: u64) -> Request {
        Request { kind: Kind::Heap, size, align: 16, ty: 0, by: 7 }
    }

    #[test]
    fn addresses_are_never_used_again() {
        let mut memory = Memory::new(1 << 30);
        let first = memory.allocate(heap(24)).unwrap();
        assert_eq!(first % 16, 0);
        assert_ne!(first % 32, 0);
        memory.store(first, &[1; 24]).unwrap();
        memory.free(first, 9).unwrap();
        let second = memory.allocate(heap(24)).unwrap();
        assert_ne!(first, second);
        let mut bytes = [0; 8];
        assert_eq!(memory.load(first, &mut bytes), Err(Fault::Dead));
        assert_eq!(memory.load(second, &mut bytes), Err(Fault::Uninitialized));
        assert_eq!(memory.free(first, 9).unwrap_err(), Fault::Dead);
        assert_eq!(memory.allocation(first).map(|(e, _)| (e.born, e.died)), Some((7, 9)));
    }

    #[test]
    fn values_in_immortal_objects_stay() {
        let mut memory = Memory::new(1 << 30);
        let of = |memory: &mut Memory| {
            let at = memory.allocate(Request { kind: Kind::Object, ..heap(24) }).unwrap();
            memory.store(at, &[1; 24]).unwrap();
            at
        };
        let (object, immortal) = (of(&mut memory), of(&mut memory));
        memory.allocation_mut(immortal).unwrap().immortal = true;
        for at in [object, immortal] {
            memory.deinitialize(at + 8, 8).unwrap();
        }
        assert_eq!(memory.load_u64(object + 8), Err(Fault::Uninitialized));
        assert_eq!(memory.load_u64(immortal + 8), Ok(0x0101_0101_0101_0101));
    }

    #[test]
    fn large_allocations_are_whole() {
        let mut memory = Memory::new(1 << 30);
        let size = 3 * WINDOW + 100;
        let base = memory.allocate(heap(size)).unwrap();
        memory.fill(base, size, 5).unwrap();
        let at = base + 2 * WINDOW - 4;
        memory.store(at, &[1, 2, 3, 4, 6, 7, 8, 9]).unwrap();
        let mut bytes = [0; 10];
        memory.load(at - 1, &mut bytes).unwrap();
        assert_eq!(bytes, [5, 1, 2, 3, 4, 6, 7, 8, 9, 5]);
        assert_eq!(memory.load(base + size - 4, &mut bytes), Err(Fault::OutOfBounds));
        assert_eq!(memory.load(base - 1, &mut bytes), Err(Fault::OutOfBounds));
        assert_eq!(memory.size_of(base), Some(size));
        memory.free(base, 1).unwrap();
        assert_eq!(memory.load(at, &mut bytes), Err(Fault::Dead));
        assert_eq!(memory.live_bytes, 0);
    }
}
