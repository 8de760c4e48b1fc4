//! Contexts and declarations: functions, variables, accessors, closures, initializers.

use super::OldParser;
use crate::node::{Kind, NodeId};

/// The parts that follow the context of an entity.
enum EntityForm {
    /// Neither a name nor a type: destructors.
    Bare(Kind),
    /// Only a type: initializers.
    Typed(Kind),
    /// An index and a type: closures.
    Indexed(Kind),
    /// A name and a type, of the accessed storage.
    Accessor(Kind),
}

fn addressor(letter: u8, mutable: bool) -> Option<Kind> {
    use Kind::*;
    Some(match (letter, mutable) {
        (b'O', true) => OwningMutableAddressor,
        (b'o', true) => NativeOwningMutableAddressor,
        (b'p', true) => NativePinningMutableAddressor,
        (b'u', true) => UnsafeMutableAddressor,
        (b'O', false) => OwningAddressor,
        (b'o', false) => NativeOwningAddressor,
        (b'p', false) => NativePinningAddressor,
        (b'u', false) => UnsafeAddressor,
        _ => return None,
    })
}

pub(super) fn nominal_kind(letter: u8) -> Option<Kind> {
    Some(match letter {
        b'V' => Kind::Structure,
        b'O' => Kind::Enum,
        b'C' => Kind::Class,
        b'P' => Kind::Protocol,
        _ => return None,
    })
}

impl OldParser<'_, '_> {
    pub(super) fn context(&mut self) -> Option<NodeId> {
        self.deeper(Self::any_context)
    }

    fn any_context(&mut self) -> Option<NodeId> {
        match self.p.peek() {
            letter @ (b'E' | b'e') => {
                self.p.pos += 1;
                let module = self.module()?;
                let signature = if letter == b'e' { Some(self.signature()?) } else { None };
                let extended = self.context()?;
                let parts: Vec<NodeId> = [module, extended].into_iter().chain(signature).collect();
                Some(self.p.node(Kind::Extension, &parts))
            }
            b'S' => {
                self.p.pos += 1;
                self.substitution()
            }
            b's' => {
                self.p.pos += 1;
                Some(self.swift_module())
            }
            b'G' => {
                self.p.pos += 1;
                self.bound_generic()
            }
            b'F' | b'I' | b'v' | b'Z' | b'P' | b'C' | b'V' | b'O' => self.entity(),
            _ => self.module(),
        }
    }

    pub(super) fn nominal(&mut self) -> Option<NodeId> {
        match self.p.next()? {
            b'S' => self.substitution(),
            letter => {
                let kind = nominal_kind(letter)?;
                self.declaration(kind)
            }
        }
    }

    pub(super) fn entity(&mut self) -> Option<NodeId> {
        let is_static = self.p.eat(b'Z');
        let kind = match self.p.peek() {
            b'F' => Kind::Function,
            b'v' => Kind::Variable,
            b'I' => Kind::Initializer,
            b'i' => Kind::Subscript,
            // The marker of a static type is ignored.
            _ => return self.nominal(),
        };
        self.p.pos += 1;
        let context = self.context()?;
        let entity = self.entity_in(kind, context)?;
        Some(if is_static { self.p.node(Kind::Static, &[entity]) } else { entity })
    }

    fn entity_in(&mut self, kind: Kind, context: NodeId) -> Option<NodeId> {
        match self.named()? {
            Some(EntityForm::Bare(kind)) => Some(self.p.node(kind, &[context])),
            Some(EntityForm::Typed(kind)) => {
                let ty = self.ty()?;
                Some(self.p.node(kind, &[context, ty]))
            }
            Some(EntityForm::Indexed(kind)) => {
                let index = self.index_node()?;
                let ty = self.ty()?;
                Some(self.p.node(kind, &[context, index, ty]))
            }
            Some(EntityForm::Accessor(kind)) => {
                let name = self.decl_name()?;
                let ty = self.ty()?;
                let storage = self.storage(context, name, ty);
                Some(self.p.node(kind, &[storage]))
            }
            None if kind == Kind::Initializer => match self.p.next()? {
                b'A' => {
                    let index = self.index_node()?;
                    Some(self.p.node(Kind::DefaultArgumentInitializer, &[context, index]))
                }
                b'i' => Some(self.p.node(Kind::Initializer, &[context])),
                _ => None,
            },
            None => {
                let name = self.decl_name()?;
                let ty = self.ty()?;
                Some(self.p.node(kind, &[context, name, ty]))
            }
        }
    }

    /// Returns the storage of an accessor. A subscript is named as such, even if it is private.
    fn storage(&mut self, context: NodeId, name: NodeId, ty: NodeId) -> NodeId {
        let private = self.p.kind(name) == Kind::PrivateDeclName;
        let written = if private { self.p.child(name, 1) } else { Some(name) };
        let subscript = written
            .is_some_and(|n| self.p.kind(n) == Kind::Identifier && self.p.tree.text(n) == Some("subscript"));
        match (subscript, private) {
            (false, _) => self.p.node(Kind::Variable, &[context, name, ty]),
            (true, false) => self.p.node(Kind::Subscript, &[context, ty]),
            (true, true) => {
                let discriminator: Vec<NodeId> = self.p.child(name, 0).into_iter().collect();
                let private = self.p.node(Kind::PrivateDeclName, &discriminator);
                self.p.node(Kind::Subscript, &[context, ty, private])
            }
        }
    }

    /// Parses the letter of a special entity, if there is one.
    fn named(&mut self) -> Option<Option<EntityForm>> {
        use Kind::*;
        let letter = self.p.peek();
        let named = match letter {
            b'D' => EntityForm::Bare(Deallocator),
            b'd' => EntityForm::Bare(Destructor),
            b'Z' => EntityForm::Bare(IsolatedDeallocator),
            b'e' => EntityForm::Bare(IVarInitializer),
            b'E' => EntityForm::Bare(IVarDestroyer),
            b'C' => EntityForm::Typed(Allocator),
            b'c' => EntityForm::Typed(Constructor),
            b'U' => EntityForm::Indexed(ExplicitClosure),
            b'u' => EntityForm::Indexed(ImplicitClosure),
            b'g' => EntityForm::Accessor(Getter),
            b'G' => EntityForm::Accessor(GlobalGetter),
            b's' => EntityForm::Accessor(Setter),
            b'm' => EntityForm::Accessor(MaterializeForSet),
            b'w' => EntityForm::Accessor(WillSet),
            b'W' => EntityForm::Accessor(DidSet),
            b'r' => EntityForm::Accessor(ReadAccessor),
            b'M' => EntityForm::Accessor(ModifyAccessor),
            b'a' | b'l' => {
                self.p.pos += 1;
                let which = self.p.next()?;
                return Some(Some(EntityForm::Accessor(addressor(which, letter == b'a')?)));
            }
            _ => return Some(None),
        };
        self.p.pos += 1;
        Some(Some(named))
    }
}
