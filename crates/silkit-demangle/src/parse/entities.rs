//! Declarations with their contexts: functions, variables, accessors, closures, initializers, macros.

use super::Parser;
use crate::node::{Kind, NodeId};

fn accessor_kind(letter: u8, addressor: impl FnOnce() -> Option<u8>) -> Option<Kind> {
    use Kind::*;
    Some(match letter {
        b'm' => MaterializeForSet,
        b's' => Setter,
        b'g' => Getter,
        b'G' => GlobalGetter,
        b'w' => WillSet,
        b'W' => DidSet,
        b'i' => InitAccessor,
        b'r' => ReadAccessor,
        b'M' => ModifyAccessor,
        b'y' => Read2Accessor,
        b'x' => Modify2Accessor,
        b'b' => BorrowAccessor,
        b'z' => MutateAccessor,
        b'a' => match addressor()? {
            b'O' => OwningMutableAddressor,
            b'o' => NativeOwningMutableAddressor,
            b'P' => NativePinningMutableAddressor,
            b'u' => UnsafeMutableAddressor,
            _ => return None,
        },
        b'l' => match addressor()? {
            b'O' => OwningAddressor,
            b'o' => NativeOwningAddressor,
            b'p' => NativePinningAddressor,
            b'u' => UnsafeAddressor,
            _ => return None,
        },
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn pop_module(&mut self) -> Option<NodeId> {
        if let Some(name) = self.pop(Kind::Identifier) {
            return Some(self.tree.as_kind(name, Kind::Module));
        }
        self.pop(Kind::Module)
    }

    pub(super) fn pop_context(&mut self) -> Option<NodeId> {
        if let Some(module) = self.pop_module() {
            return Some(module);
        }
        if let Some(ty) = self.pop(Kind::Type) {
            return self.child(ty, 0).filter(|&n| self.kind(n).is_context());
        }
        self.pop_if(Kind::is_context)
    }

    pub(super) fn extension(&mut self) -> Option<NodeId> {
        let signature = self.pop(Kind::DependentGenericSignature);
        let module = self.pop_module()?;
        let extended = self.pop_type_child().filter(|&n| self.kind(n).is_nominal())?;
        Some(self.node_of(Kind::Extension, [module, extended].into_iter().chain(signature)))
    }

    pub(super) fn function(&mut self) -> Option<NodeId> {
        let signature = self.pop(Kind::DependentGenericSignature);
        let mut ty = self.function_type(Kind::FunctionType, None)?;
        let labels = self.param_labels(ty);
        if let Some(signature) = signature {
            ty = self.typed(Kind::DependentGenericType, &[signature, ty]);
        }
        let name = self.pop_if(Kind::is_decl_name)?;
        let context = self.pop_context()?;
        Some(self.node_of(Kind::Function, [context, name].into_iter().chain(labels).chain([ty])))
    }

    /// Parses a declaration with a name and a type.
    pub(super) fn entity(&mut self, kind: Kind) -> Option<NodeId> {
        let ty = self.pop(Kind::Type)?;
        let labels = self.param_labels(ty);
        let name = self.pop_if(Kind::is_decl_name)?;
        let context = self.pop_context()?;
        Some(self.node_of(kind, [context, name].into_iter().chain(labels).chain([ty])))
    }

    pub(super) fn accessor(&mut self, storage: NodeId) -> Option<NodeId> {
        let letter = self.next()?;
        if letter == b'p' {
            return Some(storage);
        }
        let kind = accessor_kind(letter, || self.next())?;
        Some(self.node(kind, &[storage]))
    }

    pub(super) fn subscript(&mut self) -> Option<NodeId> {
        let private = self.pop(Kind::PrivateDeclName);
        let ty = self.pop(Kind::Type)?;
        let labels = self.param_labels(ty);
        let context = self.pop_context()?;
        let subscript =
            self.node_of(Kind::Subscript, [context].into_iter().chain(labels).chain([ty]).chain(private));
        self.accessor(subscript)
    }

    /// Parses `f…`: unnamed functions.
    pub(super) fn function_entity(&mut self) -> Option<NodeId> {
        use Kind::*;
        let (kind, typed, indexed) = match self.next()? {
            b'D' => (Deallocator, false, false),
            b'd' => (Destructor, false, false),
            b'Z' => (IsolatedDeallocator, false, false),
            b'E' => (IVarDestroyer, false, false),
            b'e' => (IVarInitializer, false, false),
            b'i' => (Initializer, false, false),
            b'P' => (PropertyWrapperBackingInitializer, false, false),
            b'W' => (PropertyWrapperInitFromProjectedValue, false, false),
            b'F' => (PropertyWrappedFieldInitAccessor, false, false),
            b'A' => (DefaultArgumentInitializer, false, true),
            b'U' => (ExplicitClosure, true, true),
            b'u' => (ImplicitClosure, true, true),
            b'C' => return self.constructor(Allocator),
            b'c' => return self.constructor(Constructor),
            b'p' => return self.entity(GenericTypeParamDecl),
            b'm' => return self.entity(Macro),
            b'M' => return self.macro_expansion(),
            _ => return None,
        };
        let index = if indexed { Some(self.index_node()?) } else { None };
        let ty = if typed { Some(self.pop(Type)?) } else { None };
        let context = self.pop_context()?;
        Some(self.node_of(kind, [context].into_iter().chain(index).chain(ty)))
    }

    fn constructor(&mut self, kind: Kind) -> Option<NodeId> {
        let private = self.pop(Kind::PrivateDeclName);
        let ty = self.pop(Kind::Type)?;
        let labels = self.param_labels(ty);
        let context = self.pop_context()?;
        Some(self.node_of(kind, [context].into_iter().chain(labels).chain([ty]).chain(private)))
    }

    /// Parses `fM…`: macro expansions, by role.
    fn macro_expansion(&mut self) -> Option<NodeId> {
        let role = match self.next()? {
            b'a' => "accessor",
            b'r' => "member attribute",
            b'm' => "member",
            b'p' => "peer",
            b'c' => "conformance",
            b'e' => "extension",
            b'q' => "preamble",
            b'b' => "body",
            b'f' => return self.freestanding_expansion(Kind::FreestandingMacroExpansion),
            b'u' => return self.freestanding_expansion(Kind::MacroExpansionUniqueName),
            b'X' => {
                let line = self.index_node()?;
                let column = self.index_node()?;
                let buffer = self.pop(Kind::Identifier)?;
                let module = self.pop(Kind::Identifier)?;
                return Some(self.node(Kind::MacroExpansionLoc, &[module, buffer, line, column]));
            }
            _ => return None,
        };
        let index = self.index_node()?;
        let macro_name = self.pop(Kind::Identifier)?;
        let attached = self.pop_if(Kind::is_decl_name)?;
        let context = self.pop_context()?;
        let role = self.name(Kind::Identifier, role);
        Some(self.node(Kind::MacroExpansion, &[context, attached, macro_name, role, index]))
    }

    fn freestanding_expansion(&mut self, kind: Kind) -> Option<NodeId> {
        let index = self.index_node()?;
        let name = self.pop(Kind::Identifier)?;
        // The discriminator of the file precedes the name. Unique names have none.
        let private =
            if kind == Kind::MacroExpansionUniqueName { None } else { self.pop(Kind::PrivateDeclName) };
        let context = if let Some(location) = self.pop(Kind::MacroExpansionLoc) {
            location
        } else {
            self.pop_context()?
        };
        Some(self.node_of(kind, [context, name].into_iter().chain(private).chain([index])))
    }
}
