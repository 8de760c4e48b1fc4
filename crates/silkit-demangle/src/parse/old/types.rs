//! Types.

use super::OldParser;
use super::entities::nominal_kind;
use crate::node::{Kind, NodeId};
use crate::parse::types::builtin_name;

impl OldParser<'_, '_> {
    pub(super) fn ty(&mut self) -> Option<NodeId> {
        let inner = self.deeper(Self::bare_type)?;
        Some(self.p.type_of(inner))
    }

    fn bare_type(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.p.next()? {
            b'B' => self.builtin(),
            b'a' => self.declaration(TypeAlias),
            b'b' => self.function(ObjCBlock),
            b'c' => self.function(CFunctionPointer),
            b'D' => self.with_type(DynamicSelf),
            b'E' => {
                self.expect_word("RR")?;
                Some(self.p.leaf(ErrorType))
            }
            b'F' => self.function(FunctionType),
            b'f' => self.function(UncurriedFunctionType),
            b'G' => self.bound_generic(),
            b'K' => self.function(AutoClosureType),
            b'k' => self.with_type(NoDerivative),
            b'M' => self.with_type(Metatype),
            b'P' if self.p.eat(b'M') => self.with_type(ExistentialMetatype),
            b'P' => self.protocols(),
            b'Q' if self.p.eat(b'u') => Some(self.p.leaf(OpaqueReturnType)),
            b'Q' if self.p.eat(b'U') => {
                let index = self.index_node()?;
                Some(self.p.node(OpaqueReturnType, &[index]))
            }
            b'Q' => self.archetype(),
            b'q' => self.param(),
            b'R' => {
                let ty = self.ty()?;
                let inner = self.p.child(ty, 0)?;
                Some(self.p.node(InOut, &[inner]))
            }
            b'S' => self.substitution(),
            b'T' => self.tuple(false),
            b't' => self.tuple(true),
            b'u' => {
                let signature = self.signature()?;
                let ty = self.ty()?;
                Some(self.p.node(DependentGenericType, &[signature, ty]))
            }
            b'w' => self.member(),
            b'W' => self.member_path(),
            b'X' => self.special(),
            b'x' => Some(self.p.param_type(0, 0)),
            letter => {
                let kind = nominal_kind(letter)?;
                self.declaration(kind)
            }
        }
    }

    fn protocols(&mut self) -> Option<NodeId> {
        let protocols = self.until_end(Self::protocol)?;
        let list = self.p.node(Kind::TypeList, &protocols);
        Some(self.p.node(Kind::ProtocolList, &[list]))
    }

    fn builtin(&mut self) -> Option<NodeId> {
        let letter = self.p.next()?;
        let name = match letter {
            b'b' | b'B' | b'O' | b'o' | b'p' | b't' | b'w' => builtin_name(letter)?.to_string(),
            b'f' | b'i' => format!("Builtin.{}", self.number_type(letter)?),
            b'v' => {
                let count = self.p.natural()?;
                self.expect_word("B")?;
                let element = match self.p.next()? {
                    b'p' => "RawPointer".to_string(),
                    letter => self.number_type(letter)?,
                };
                format!("Builtin.Vec{count}x{element}")
            }
            _ => return None,
        };
        Some(self.p.name(Kind::BuiltinTypeName, &name))
    }

    fn number_type(&mut self, letter: u8) -> Option<String> {
        let name = match letter {
            b'i' => "Int",
            b'f' => "FPIEEE",
            _ => return None,
        };
        let size = self.p.natural()?;
        self.expect_word("_")?;
        Some(format!("{name}{size}"))
    }

    fn function(&mut self, kind: Kind) -> Option<NodeId> {
        use Kind::*;
        let mut children = Vec::new();
        if self.p.eat(b'z') {
            children.push(self.p.leaf(ThrowsAnnotation));
        }
        let sendable = self.p.eat(b'y');
        if self.p.eat(b'Z') {
            children.push(self.p.leaf(AsyncAnnotation));
        }
        if sendable {
            children.push(self.p.leaf(ConcurrentFunctionType));
        }
        if self.p.eat(b'D') {
            // Other letters are ignored.
            let letter = self.p.next()?;
            if b"fdlr".contains(&letter) {
                children.push(self.p.number(DifferentiableFunctionType, u64::from(letter)));
            }
        }
        if self.p.eat(b'Y') {
            children.push(self.with_type(GlobalActorFunctionType)?);
        }
        children.push(self.with_type(ArgumentTuple)?);
        children.push(self.with_type(ReturnType)?);
        Some(self.p.node(kind, &children))
    }

    fn tuple(&mut self, variadic: bool) -> Option<NodeId> {
        let mut last = Vec::new();
        let mut elements = self.until_end(|old| {
            last.clear();
            if old.p.peek().is_ascii_digit() || old.p.peek() == b'o' {
                last.push(old.identifier(Some(Kind::TupleElementName))?);
            }
            last.push(old.ty()?);
            Some(old.p.node(Kind::TupleElement, &last))
        })?;
        if variadic && let Some(element) = elements.last_mut() {
            last.insert(0, self.p.leaf(Kind::VariadicMarker));
            *element = self.p.node(Kind::TupleElement, &last);
        }
        Some(self.p.node(Kind::Tuple, &elements))
    }

    pub(super) fn bound_generic(&mut self) -> Option<NodeId> {
        let nominal = self.nominal()?;
        self.bind(nominal)
    }

    /// Parses the arguments of a nominal type, those of its enclosing types first.
    fn bind(&mut self, nominal: NodeId) -> Option<NodeId> {
        use Kind::*;
        let mut nominal = nominal;
        let parent = self.p.child(nominal, 0)?;
        if !matches!(self.p.kind(parent), Module | Function | Extension) {
            let bound = self.deeper(|old| old.bind(parent))?;
            let name = self.p.child(nominal, 1)?;
            nominal = self.p.tree.with_children(nominal, [bound, name]);
        }
        let arguments = self.until_end(Self::ty)?;
        if arguments.is_empty() {
            return Some(nominal);
        }
        let kind = match self.p.kind(nominal) {
            Class => BoundGenericClass,
            Structure => BoundGenericStructure,
            Enum => BoundGenericEnum,
            _ => return None,
        };
        let ty = self.p.type_of(nominal);
        let list = self.p.node(TypeList, &arguments);
        Some(self.p.node(kind, &[ty, list]))
    }

    /// Parses a type after `X`.
    fn special(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.p.next()? {
            b'b' => self.with_type(SILBoxType),
            b'B' => self.layout_box(),
            b'F' => self.lowered_function(),
            b'f' => self.function(ThinFunctionType),
            b'M' => self.metatype(Metatype),
            b'o' => self.with_type(Unowned),
            b'P' if self.p.eat(b'M') => self.metatype(ExistentialMetatype),
            b'P' => self.protocols(),
            b'u' => self.with_type(Unmanaged),
            b'w' => self.with_type(Weak),
            _ => None,
        }
    }

    fn metatype(&mut self, kind: Kind) -> Option<NodeId> {
        let representation = match self.p.next()? {
            b't' => "@thin",
            b'T' => "@thick",
            b'o' => "@objc_metatype",
            _ => return None,
        };
        let representation = self.p.name(Kind::MetatypeRepresentation, representation);
        let ty = self.ty()?;
        Some(self.p.node(kind, &[representation, ty]))
    }

    fn layout_box(&mut self) -> Option<NodeId> {
        use Kind::*;
        let signature = if self.p.eat(b'G') { Some(self.signature()?) } else { None };
        let fields = self.until_end(|old| match old.p.next()? {
            b'm' => old.with_type(SILBoxMutableField),
            b'i' => old.with_type(SILBoxImmutableField),
            _ => None,
        })?;
        let mut children = vec![self.p.node(SILBoxLayout, &fields)];
        if let Some(signature) = signature {
            let arguments = self.until_end(Self::ty)?;
            children.push(signature);
            children.push(self.p.node(TypeList, &arguments));
        }
        Some(self.p.node(SILBoxTypeWithLayout, &children))
    }

    fn lowered_function(&mut self) -> Option<NodeId> {
        use Kind::*;
        let attribute = |old: &mut Self, text: &str| old.p.name(ImplAttribute, text);
        let callee = match self.p.next()? {
            b't' => "@convention(thin)",
            b'd' => "@callee_unowned",
            b'g' => "@callee_guaranteed",
            b'o' => "@callee_owned",
            _ => return None,
        };
        let mut children = vec![attribute(self, callee)];
        if self.p.eat(b'C') {
            let convention = match self.p.next()? {
                b'b' => "@convention(block)",
                b'c' => "@convention(c)",
                b'm' => "@convention(method)",
                b'O' => "@convention(objc_method)",
                b'w' => "@convention(witness_method)",
                _ => return None,
            };
            children.push(attribute(self, convention));
        }
        for (letter, text) in [(b'h', "@Sendable"), (b'H', "@async")] {
            if self.p.eat(letter) {
                children.push(attribute(self, text));
            }
        }
        // A signature with erased parameters prints like others.
        if self.p.eat(b'G') || self.p.eat(b'g') {
            children.push(self.signature()?);
        }
        self.expect_word("_")?;
        children.extend(self.until_end(|old| {
            let convention = match old.p.next()? {
                b'd' => "@unowned",
                b'g' => "@guaranteed",
                b'e' => "@deallocating",
                b'i' => "@in",
                b'l' => "@inout",
                b'o' => "@owned",
                _ => return None,
            };
            old.slot(ImplParameter, convention)
        })?);
        children.extend(self.until_end(|old| {
            let kind = if old.p.eat(b'z') { ImplErrorResult } else { ImplResult };
            let convention = match old.p.next()? {
                b'a' => "@autoreleased",
                b'd' => "@unowned",
                b'D' => "@unowned_inner_pointer",
                b'i' => "@out",
                b'o' => "@owned",
                _ => return None,
            };
            old.slot(kind, convention)
        })?);
        Some(self.p.node(ImplFunctionType, &children))
    }

    fn slot(&mut self, kind: Kind, convention: &str) -> Option<NodeId> {
        let convention = self.p.name(Kind::ImplConvention, convention);
        let ty = self.ty()?;
        Some(self.p.node(kind, &[convention, ty]))
    }
}
