//! Key paths: objects of the library's classes with the layout of ABI/KeyPaths.md.
//!
//! The object header is followed by the pointer to the KVC string of Cocoa, a header with the length and flags, and the
//! components, separated by the metadata of the intermediate types. The last field is the size of the largest value on
//! the path.

use crate::interp::Interp;
use crate::native::{Call, Effect, NativeFn};
use crate::sites::{CodeTarget, ComponentShape, ComputedShape, KeyPathSite};
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_layout::{Nominal, Ty};
use std::rc::Rc;

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("swift_keyPath_copySymbolName", |it, call| {
        it.set(call.result, 0);
        Ok(Effect::Done)
    }),
    ("swift_keyPath_freeSymbolName", |_, _| Ok(Effect::Done)),
    ("swift_keyPathSourceString", |it, call| {
        it.set(call.result, 0);
        Ok(Effect::Done)
    }),
];

/// The offset of the header with the length and flags, and the offset of the components.
const BUFFER: u64 = 24;
const COMPONENTS: u64 = BUFFER + 8;

const TRIVIAL: u32 = 0x8000_0000;
const REFERENCE_PREFIX: u32 = 0x4000_0000;
const SINGLE: u32 = 0x2000_0000;

const STRUCT: u32 = 1 << 24;
const COMPUTED: u32 = 2 << 24;
const CLASS: u32 = 3 << 24;
const OPTIONAL: u32 = 4 << 24;
const END_OF_PREFIX: u32 = 0x8000_0000;
const STORED_MUTABLE: u32 = 0x0080_0000;
const LARGEST_OFFSET: u64 = 0x007F_FFFC;
const OFFSET_BEHIND: u32 = 0x007F_FFFF;
const MUTATING: u32 = 0x0080_0000;
const SETTABLE: u32 = 0x0040_0000;
const ARGUMENTS: u32 = 0x0008_0000;

/// The access that a key path allows, which selects its class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    WriteReference,
}

impl Access {
    /// Returns the access after a component is added, and true if the mutation of a reference-writable path begins at
    /// this component.
    fn then(self, shape: &ComponentShape) -> (Self, bool) {
        match shape {
            ComponentShape::Stored { class: true, mutable: true, .. } => (Self::WriteReference, true),
            ComponentShape::Stored { mutable: true, .. } | ComponentShape::Optional(2) => (self, false),
            ComponentShape::Computed(c) if c.setter.is_some() && c.is_mutating => (self, false),
            ComponentShape::Computed(c) if c.setter.is_some() => (Self::WriteReference, true),
            _ => (Self::Read, false),
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Read => "KeyPath",
            Self::Write => "WritableKeyPath",
            Self::WriteReference => "ReferenceWritableKeyPath",
        }
    }
}

/// The bytes of the components during their construction.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// The offsets and the operands of captured values, which are moved into the bytes later.
    captured: Vec<(usize, u32)>,
    is_trivial: bool,
}

impl Buffer {
    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    fn word(&mut self, word: u64) {
        self.align();
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn header(&mut self, header: u32) {
        self.bytes.extend_from_slice(&header.to_le_bytes());
    }
}

impl Interp<'_> {
    /// Creates the key path of a literal.
    pub(crate) fn key_path(&mut self, site: u32) -> Run<()> {
        let of = self.sites.key_paths[site as usize].clone();
        if of.made != 0 {
            self.set(of.to, of.made);
            return Ok(());
        }
        let object = self.new_key_path(&of)?;
        if of.operands.is_empty() {
            self.make_immortal(object);
            self.sites.key_paths[site as usize].made = object;
        }
        self.set(of.to, object);
        Ok(())
    }

    fn new_key_path(&mut self, of: &KeyPathSite) -> Run<u64> {
        let Some((_, &[root, value])) = of.class.as_nominal() else {
            return unsupported(format!("a key path of type `{}`", of.class));
        };
        let mut buffer = Buffer { is_trivial: true, ..Buffer::default() };
        let mut access = Access::Write;
        let (mut previous, mut end_of_prefix) = (None, None);
        let mut largest = self.info(root)?.size.max(8);
        for (number, (shape, ty)) in of.components.iter().enumerate() {
            let start = buffer.bytes.len();
            let (now, begins) = access.then(shape);
            access = now;
            if begins {
                end_of_prefix = previous;
            }
            self.component(&mut buffer, shape)?;
            previous = Some(start);
            largest = largest.max(self.info(*ty)?.size);
            if number + 1 < of.components.len() {
                let metadata = self.metadata(*ty)?;
                buffer.word(metadata);
            }
        }
        if of.components.is_empty() {
            // The identity key path is encoded as a stored property at offset 0.
            buffer.header(STRUCT | STORED_MUTABLE);
        }
        let mut flags = if of.components.len() <= 1 { SINGLE } else { 0 };
        if buffer.is_trivial {
            flags |= TRIVIAL;
        }
        if let Some(at) = end_of_prefix.filter(|_| access == Access::WriteReference) {
            flags |= REFERENCE_PREFIX;
            buffer.bytes[at + 3] |= (END_OF_PREFIX >> 24) as u8;
        }
        let class = Ty::nominal(Nominal::swift(access.class()), [root, value]);
        let len = buffer.bytes.len();
        let end = (len as u64).next_multiple_of(8);
        let object = self.new_object(class, COMPONENTS + end + 8, 16)?;
        self.write(object + 16, 0)?;
        self.write(object + BUFFER, u64::from(len as u32 | flags))?;
        self.c_write(object + COMPONENTS, &buffer.bytes)?;
        self.write(object + COMPONENTS + end, u64::from(largest))?;
        for &(at, operand) in &buffer.captured {
            self.capture(of, object + COMPONENTS + at as u64, operand)?;
        }
        Ok(object)
    }

    /// Moves a captured value into a key path.
    fn capture(&mut self, of: &KeyPathSite, to: u64, operand: u32) -> Run<()> {
        let Some(&(slot, ty, is_address)) = of.operands.get(operand as usize) else {
            return unsupported(format!("the operand {operand} of a key path"));
        };
        if is_address {
            let from = self.get(slot);
            return self.copy_value(true, crate::op::Write::Init, from, to, ty);
        }
        let size = self.types.get(ty).size;
        let bytes = self.bytes(slot, size).to_vec();
        self.c_write(to, &bytes)
    }

    fn component(&mut self, buffer: &mut Buffer, shape: &ComponentShape) -> Run<()> {
        buffer.align();
        match shape {
            ComponentShape::Stored { class, mutable, offset } => {
                let kind = if *class { CLASS } else { STRUCT };
                let flags = kind | if *mutable { STORED_MUTABLE } else { 0 };
                if *offset <= LARGEST_OFFSET {
                    buffer.header(flags | *offset as u32);
                } else {
                    buffer.header(flags | OFFSET_BEHIND);
                    buffer.header(*offset as u32);
                }
                Ok(())
            }
            ComponentShape::Optional(payload) => {
                buffer.header(OPTIONAL | payload);
                Ok(())
            }
            ComponentShape::Computed(computed) => self.computed(buffer, computed),
        }
    }

    fn computed(&mut self, buffer: &mut Buffer, of: &ComputedShape) -> Run<()> {
        let mut flags = COMPUTED | of.kind;
        if of.setter.is_some() {
            flags |= SETTABLE | if of.is_mutating { MUTATING } else { 0 };
        }
        if of.indices.is_some() {
            flags |= ARGUMENTS;
        }
        buffer.header(flags);
        buffer.word(of.id);
        let getter = self.code_address(of.getter.clone())?;
        buffer.word(getter);
        if let Some(setter) = &of.setter {
            let setter = self.code_address(setter.clone())?;
            buffer.word(setter);
        }
        let Some((operands, ty)) = &of.indices else { return Ok(()) };
        let info = self.info(*ty)?;
        buffer.word(u64::from(info.size.next_multiple_of(8)));
        let witnesses = self.argument_witnesses(of, *ty, !info.plan.is_trivial())?;
        buffer.word(witnesses);
        buffer.is_trivial &= info.plan.is_trivial();
        let start = buffer.bytes.len();
        let parts = info.layout.parts();
        for (number, &operand) in operands.iter().enumerate() {
            let offset = if operands.len() == 1 { 0 } else { parts.get(number).map_or(0, |p| p.offset) };
            buffer.captured.push((start + offset as usize, operand));
        }
        buffer.bytes.resize(start + info.size.next_multiple_of(8) as usize, 0);
        Ok(())
    }

    /// Creates the witness table of the captured values.
    fn argument_witnesses(&mut self, of: &ComputedShape, ty: Ty, is_counted: bool) -> Run<u64> {
        let native =
            |function: NativeFn, name: &str| CodeTarget::Native(function, Symbol::new(name), Rc::from([ty]));
        let destroy = if is_counted {
            self.code_address(native(destroy_arguments, "destroying key path indices"))?
        } else {
            0
        };
        let copy = self.code_address(native(copy_arguments, "copying key path indices"))?;
        let equals = self.optional_code(of.equals.as_ref())?;
        let hash = self.optional_code(of.hash.as_ref())?;
        let table = self.allocate(crate::memory::Kind::Global, 32, 16, 0)?;
        for (number, word) in [destroy, copy, equals, hash].into_iter().enumerate() {
            self.write(table + 8 * number as u64, word)?;
        }
        Ok(table)
    }

    fn optional_code(&mut self, target: Option<&CodeTarget>) -> Run<u64> {
        target.map_or(Ok(0), |target| self.code_address(target.clone()))
    }
}

fn destroy_arguments(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let id = it.type_id(call.types[0])?;
    it.destroy_addr(it.arg(call, 0), id)?;
    Ok(Effect::Done)
}

fn copy_arguments(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let id = it.type_id(call.types[0])?;
    it.copy_value(false, crate::op::Write::Init, it.arg(call, 0), it.arg(call, 1), id)?;
    Ok(Effect::Done)
}
