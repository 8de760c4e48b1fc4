//! Global variables of programs and of the C runtime.

use crate::interp::Interp;
use crate::memory::Kind;
use crate::types::type_error;
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_layout::{Env, ModuleId, Nominal, Ty};

/// Singleton objects that C defines: the symbol, the class, and the words after the object header.
const OBJECTS: &[(&str, &str, &[u64])] = &[
    ("_swiftEmptyArrayStorage", "__EmptyArrayStorage", &[0, 1]),
    // The count, the capacity, the scale and age, the seed, the absent keys and values, and one bucket.
    ("_swiftEmptyDictionarySingleton", "__EmptyDictionarySingleton", &[0, 0, 0, 0, 1, 1, !1]),
    ("_swiftEmptySetSingleton", "__EmptySetSingleton", &[0, 0, 0, 0, 1, !1]),
];

/// Constants that C defines: the symbol, the size in bytes, and the value.
const CONSTANTS: &[(&str, u8, u64)] = &[
    ("_SwiftKeyPath_ptrauth_Getter", 2, 0),
    ("_SwiftKeyPathComponentHeader_PayloadMask", 4, 0x00FF_FFFF),
    ("_SwiftKeyPathComponentHeader_DiscriminatorMask", 4, 0x7F00_0000),
    ("_SwiftKeyPathComponentHeader_DiscriminatorShift", 4, 24),
    ("_SwiftKeyPathComponentHeader_ExternalTag", 4, 0),
    ("_SwiftKeyPathComponentHeader_StructTag", 4, 1),
    ("_SwiftKeyPathComponentHeader_ComputedTag", 4, 2),
    ("_SwiftKeyPathComponentHeader_ClassTag", 4, 3),
    ("_SwiftKeyPathComponentHeader_OptionalTag", 4, 4),
    ("_SwiftKeyPathComponentHeader_OptionalChainPayload", 4, 0),
    ("_SwiftKeyPathComponentHeader_OptionalWrapPayload", 4, 1),
    ("_SwiftKeyPathComponentHeader_OptionalForcePayload", 4, 2),
    ("_SwiftKeyPathComponentHeader_EndOfReferencePrefixFlag", 4, 0x8000_0000),
    ("_SwiftKeyPathComponentHeader_StoredMutableFlag", 4, 0x0080_0000),
    ("_SwiftKeyPathComponentHeader_StoredOffsetPayloadMask", 4, 0x007F_FFFF),
    ("_SwiftKeyPathComponentHeader_OutOfLineOffsetPayload", 4, 0x007F_FFFF),
    ("_SwiftKeyPathComponentHeader_UnresolvedFieldOffsetPayload", 4, 0x007F_FFFE),
    ("_SwiftKeyPathComponentHeader_UnresolvedIndirectOffsetPayload", 4, 0x007F_FFFD),
    ("_SwiftKeyPathComponentHeader_MaximumOffsetPayload", 4, 0x007F_FFFC),
    ("_SwiftKeyPathComponentHeader_ComputedMutatingFlag", 4, 0x0080_0000),
    ("_SwiftKeyPathComponentHeader_ComputedSettableFlag", 4, 0x0040_0000),
    ("_SwiftKeyPathComponentHeader_ComputedIDByStoredPropertyFlag", 4, 0x0020_0000),
    ("_SwiftKeyPathComponentHeader_ComputedIDByVTableOffsetFlag", 4, 0x0010_0000),
    ("_SwiftKeyPathComponentHeader_ComputedHasArgumentsFlag", 4, 0x0008_0000),
    ("_SwiftKeyPathComponentHeader_ComputedInstantiatedFromExternalWithArgumentsFlag", 4, 0x10),
    ("_SwiftKeyPathComponentHeader_ComputedIDResolutionMask", 4, 0xF),
    ("_SwiftKeyPathComponentHeader_ComputedIDResolved", 4, 0),
    ("_SwiftKeyPathComponentHeader_ComputedIDResolvedAbsolute", 4, 3),
    ("_SwiftKeyPathComponentHeader_ComputedIDUnresolvedIndirectPointer", 4, 2),
    ("_SwiftKeyPathComponentHeader_ComputedIDUnresolvedFunctionCall", 4, 1),
    ("_SwiftKeyPathComponentHeader_TrivialPropertyDescriptorMarker", 4, 0),
    ("_SwiftKeyPathBufferHeader_SizeMask", 4, 0x00FF_FFFF),
    ("_SwiftKeyPathBufferHeader_ReservedMask", 4, 0x1F00_0000),
    ("_SwiftKeyPathBufferHeader_TrivialFlag", 4, 0x8000_0000),
    ("_SwiftKeyPathBufferHeader_HasReferencePrefixFlag", 4, 0x4000_0000),
    ("_SwiftKeyPathBufferHeader_IsSingleComponentFlag", 4, 0x2000_0000),
];

impl Interp<'_> {
    /// Creates a global variable and returns its address.
    pub(crate) fn make_global(&mut self, global: u32) -> Run<u64> {
        let name = self.sites.globals[global as usize].name;
        let address = match self.c_global(name)? {
            Some(address) => address,
            None => self.swift_global(name)?,
        };
        self.sites.globals[global as usize].address = address;
        Ok(address)
    }

    /// Returns the address of the global variable with this name.
    pub(crate) fn global_named(&mut self, name: Symbol) -> Run<u64> {
        if let Some(&global) = self.global_ids.get(&name) {
            return self.global_address(global);
        }
        self.sites.globals.push(crate::sites::GlobalSite { name, address: 0 });
        let number = self.sites.globals.len() as u32 - 1;
        self.global_ids.insert(name, number);
        self.make_global(number)
    }

    fn c_global(&mut self, name: Symbol) -> Run<Option<u64>> {
        let text = name.as_str();
        if let Some((_, class, words)) = OBJECTS.iter().find(|(n, ..)| *n == text) {
            let class = Ty::nominal(Nominal::swift(class), []);
            let object = self.new_object(class, 16 + 8 * words.len() as u64, 16)?;
            for (i, word) in words.iter().enumerate() {
                self.write(object + 16 + 8 * i as u64, *word)?;
            }
            self.make_immortal(object);
            return Ok(Some(object));
        }
        if let Some((_, size, value)) = CONSTANTS.iter().find(|(n, ..)| *n == text) {
            return self.c_constant(&value.to_le_bytes()[..usize::from(*size)]).map(Some);
        }
        if text.starts_with("_SwiftKeyPath_ptrauth_") {
            return self.c_constant(&[0, 0]).map(Some);
        }
        match text {
            "_swift_stdlib_Hashing_parameters" => {
                let seed = self.runtime.seed;
                let mut bytes = [seed.to_le_bytes(), (!seed).to_le_bytes(), [0; 8]].concat();
                bytes[16] = 1;
                self.c_constant(&bytes).map(Some)
            }
            "_swift_stdlib_nfd_decompositions" => {
                let table = super::unicode::decompositions(self)?;
                self.c_constant(&table.to_le_bytes()).map(Some)
            }
            "stdout" | "stderr" | "stdin" => self.c_constant(&[0; 8]).map(Some),
            _ => Ok(None),
        }
    }

    fn c_constant(&mut self, bytes: &[u8]) -> Run<u64> {
        let address = self.allocate(Kind::Global, bytes.len() as u64, 16, 0)?;
        self.c_write(address, bytes)?;
        Ok(address)
    }

    /// Marks an object as immortal, independent of its reference counts.
    pub(crate) fn make_immortal(&mut self, object: u64) {
        if let Some(entry) = self.memory.allocation_mut(object) {
            entry.immortal = true;
        }
    }

    fn swift_global(&mut self, name: Symbol) -> Run<u64> {
        let program = self.program.clone();
        let Some((module, global)) = program.global(name) else {
            return unsupported(format!("the global variable `{name}`"));
        };
        let ty = program.world.resolve(global.ty.ty(), &Env::top(module), true).map_err(type_error)?;
        let info = self.info(ty)?;
        if info.size == 0 && info.plan.is_trivial() {
            // A variable of size zero has no memory, so its address is null.
            return Ok(0);
        }
        if let Some(body) = &global.initializer {
            return self.initialized_global(module, ty, body);
        }
        if module == ModuleId(u32::MAX) {
            return unsupported(format!("the global variable `{name}`"));
        }
        let address =
            self.allocate(Kind::Global, u64::from(info.size), u64::from(info.align), ty.as_u32())?;
        // A token is zero until its initializer was executed.
        if name.as_str().ends_with("_Wz") {
            self.write(address, 0)?;
        }
        Ok(address)
    }
}
