//! Types: nominal, bound, builtin, tuples, packs, metatypes, existentials, boxes.

use super::Parser;
use crate::node::{Kind, NodeId};

/// Returns the name of a `Builtin` type without parts by its letter.
pub(super) fn builtin_name(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'A' => "Builtin.ImplicitActor",
        b'B' => "Builtin.UnsafeValueBuffer",
        b'b' => "Builtin.BridgeObject",
        b'c' => "Builtin.RawUnsafeContinuation",
        b'D' => "Builtin.DefaultActorStorage",
        b'd' => "Builtin.NonDefaultDistributedActorStorage",
        b'e' => "Builtin.Executor",
        b'I' => "Builtin.IntLiteral",
        b'j' => "Builtin.Job",
        b'O' => "Builtin.UnknownObject",
        b'o' => "Builtin.NativeObject",
        b'P' => "Builtin.PackIndex",
        b'p' => "Builtin.RawPointer",
        b't' => "Builtin.SILToken",
        b'w' => "Builtin.Word",
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn nominal(&mut self, kind: Kind) -> Option<NodeId> {
        let name = self.pop_if(Kind::is_decl_name)?;
        let context = self.pop_context()?;
        let ty = self.typed(kind, &[context, name]);
        Some(self.substitutable(ty))
    }

    pub(super) fn builtin_type(&mut self) -> Option<NodeId> {
        let letter = self.next()?;
        match letter {
            b'f' | b'i' => {
                let size = self.index()?.checked_sub(1).filter(|&n| n > 0 && n <= 4096)?;
                let name = if letter == b'f' { "Builtin.FPIEEE" } else { "Builtin.Int" };
                let payload = self.tree.keep_formatted(format_args!("{name}{size}"));
                let node = self.tree.add(Kind::BuiltinTypeName, payload, &[]);
                Some(self.type_of(node))
            }
            b'v' => {
                let count = self.index()?.checked_sub(1).filter(|&n| n > 0 && n <= 4096)?;
                let element = self.pop_type_child()?;
                let element = self.tree.text(element)?.strip_prefix("Builtin.")?;
                let name = format!("Builtin.Vec{count}x{element}");
                let node = self.name(Kind::BuiltinTypeName, &name);
                Some(self.type_of(node))
            }
            b'V' => {
                let element = self.pop(Kind::Type)?;
                let size = self.pop(Kind::Type)?;
                Some(self.typed(Kind::BuiltinFixedArray, &[size, element]))
            }
            b'T' => Some(self.typed(Kind::BuiltinTuple, &[])),
            _ => {
                let node = self.name(Kind::BuiltinTypeName, builtin_name(letter)?);
                Some(self.type_of(node))
            }
        }
    }

    pub(super) fn integer_type(&mut self) -> Option<NodeId> {
        let kind = if self.eat(b'n') { Kind::NegativeInteger } else { Kind::Integer };
        let value = self.index()?;
        let node = self.number(kind, value);
        Some(self.type_of(node))
    }

    pub(super) fn debugger_type(&mut self) -> Option<NodeId> {
        let ty = self.pop(Kind::Type)?;
        let labels = self.param_labels(ty);
        Some(match labels {
            Some(labels) => self.node(Kind::TypeMangling, &[labels, ty]),
            None => self.node(Kind::TypeMangling, &[ty]),
        })
    }

    pub(super) fn tuple(&mut self) -> Option<NodeId> {
        let elements = self.pop_list(|p| {
            let variadic = p.pop(Kind::VariadicMarker);
            let name = p.pop(Kind::Identifier);
            let name = name.map(|n| p.tree.as_kind(n, Kind::TupleElementName));
            let ty = p.pop(Kind::Type)?;
            Some(p.node_of(Kind::TupleElement, variadic.into_iter().chain(name).chain([ty])))
        })?;
        let tuple = self.node_from(Kind::Tuple, elements);
        Some(self.type_of(tuple))
    }

    pub(super) fn pop_type_list(&mut self) -> Option<NodeId> {
        let types = self.pop_list(|p| p.pop(Kind::Type))?;
        Some(self.node_from(Kind::TypeList, types))
    }

    pub(super) fn pack(&mut self, kind: Kind) -> Option<NodeId> {
        let types = self.pop_list(|p| p.pop(Kind::Type))?;
        let pack = self.node_from(kind, types);
        Some(self.type_of(pack))
    }

    /// Parses type arguments: a list for each nesting level, innermost first, as parts from the returned index on; and
    /// the list of retroactive conformances.
    pub(super) fn generic_arguments(&mut self) -> Option<(usize, Option<NodeId>)> {
        let levels = self.pop_run(|k| k == Kind::RetroactiveConformance);
        let has_retroactive = self.lists.parts.len() > levels;
        let retroactive = has_retroactive.then(|| self.node_from(Kind::TypeList, levels));
        loop {
            let types = self.pop_run(|k| k == Kind::Type);
            let level = self.node_from(Kind::TypeList, types);
            self.lists.parts.push(level);
            if self.pop(Kind::EmptyList).is_some() {
                return Some((levels, retroactive));
            }
            self.pop(Kind::FirstElementMarker)?;
        }
    }

    pub(super) fn bound_generic_type(&mut self) -> Option<NodeId> {
        let (levels, retroactive) = self.generic_arguments()?;
        let nominal = self.pop_type_child().filter(|&n| self.kind(n).is_nominal())?;
        let mut bound = self.bind(nominal, levels, 0)?;
        self.lists.parts.truncate(levels);
        if retroactive.is_some() {
            bound = self.tree.with_more(bound, retroactive);
        }
        let ty = self.type_of(bound);
        Some(self.substitutable(ty))
    }

    /// Binds the generic arguments of a nominal type and its enclosing types. The lists of arguments are the parts from
    /// `levels` on.
    fn bind(&mut self, nominal: NodeId, levels: usize, depth: usize) -> Option<NodeId> {
        use Kind::*;
        let list = *self.lists.parts.get(levels)?;
        if depth > 200 {
            return None;
        }
        let kind = self.kind(nominal);
        let takes = !matches!(
            kind,
            Variable
                | Subscript
                | ImplicitClosure
                | ExplicitClosure
                | DefaultArgumentInitializer
                | Initializer
                | PropertyWrapperBackingInitializer
                | PropertyWrapperInitFromProjectedValue
                | PropertyWrappedFieldInitAccessor
                | Static
        );
        let outer = levels + usize::from(takes);
        let mut nominal = nominal;
        if outer < self.lists.parts.len() {
            let context = self.child(nominal, 0)?;
            let bound = if self.kind(context) == Extension {
                let extended = self.bind(self.child(context, 1)?, outer, depth + 1)?;
                self.tree.with_child(context, 1, extended)
            } else {
                self.bind(context, outer, depth + 1)?
            };
            nominal = self.tree.with_child(nominal, 0, bound);
        }
        if !takes || self.tree.children(list).is_empty() {
            return Some(nominal);
        }
        let bound = match kind {
            Class => BoundGenericClass,
            Structure => BoundGenericStructure,
            Enum => BoundGenericEnum,
            Protocol => BoundGenericProtocol,
            OtherNominalType => BoundGenericOtherNominalType,
            TypeAlias => BoundGenericTypeAlias,
            Function | Constructor => return Some(self.node(BoundGenericFunction, &[nominal, list])),
            _ => return None,
        };
        let ty = self.type_of(nominal);
        Some(self.node(bound, &[ty, list]))
    }

    pub(super) fn protocol_list(&mut self) -> Option<NodeId> {
        let protocols = self.pop_list(Self::pop_protocol)?;
        Some(self.node_from(Kind::TypeList, protocols))
    }

    pub(super) fn pop_protocol(&mut self) -> Option<NodeId> {
        if let Some(ty) = self.pop(Kind::Type) {
            let is_protocol = self.child(ty, 0).is_some_and(|n| self.kind(n) == Kind::Protocol);
            return is_protocol.then_some(ty);
        }
        let name = self.pop_if(Kind::is_decl_name)?;
        let context = self.pop_context()?;
        Some(self.typed(Kind::Protocol, &[context, name]))
    }

    /// Parses `X…`: special types.
    pub(super) fn special_type(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.next()? {
            b'A' => self.function_type(EscapingAutoClosureType, None),
            b'B' => self.function_type(ObjCBlock, None),
            b'C' => self.function_type(CFunctionPointer, None),
            b'E' => self.function_type(NoEscapeFunctionType, None),
            b'f' => self.function_type(ThinFunctionType, None),
            b'K' => self.function_type(AutoClosureType, None),
            b'L' => self.function_type(EscapingObjCBlock, None),
            b'U' => self.function_type(UncurriedFunctionType, None),
            b'z' => {
                let kind = match self.next()? {
                    b'B' => ObjCBlock,
                    b'C' => CFunctionPointer,
                    _ => return None,
                };
                let clang = self.clang_type()?;
                self.function_type(kind, Some(clang))
            }
            b'o' => self.modified_type_keeping(Unowned),
            b'u' => self.modified_type_keeping(Unmanaged),
            b'w' => self.modified_type_keeping(Weak),
            b'b' => self.modified_type_keeping(SILBoxType),
            b'D' => self.modified_type_keeping(DynamicSelf),
            b'M' => self.metatype_with_representation(Metatype),
            b'm' => self.metatype_with_representation(ExistentialMetatype),
            b'p' => {
                let ty = self.pop(Type)?;
                Some(self.typed(ExistentialMetatype, &[ty]))
            }
            b'P' => {
                let requirements = self.pop_requirements_of_existential()?;
                let base = self.pop(Type)?;
                Some(self.typed(ConstrainedExistential, &[base, requirements]))
            }
            b'c' => {
                let superclass = self.pop(Type)?;
                let protocols = self.protocol_list()?;
                let protocols = self.node(ProtocolList, &[protocols]);
                Some(self.typed(ProtocolListWithClass, &[protocols, superclass]))
            }
            b'l' => {
                let protocols = self.protocol_list()?;
                let protocols = self.node(ProtocolList, &[protocols]);
                Some(self.typed(ProtocolListWithAnyObject, &[protocols]))
            }
            b'G' => {
                let ty = self.pop(Type)?;
                let signature = self.pop(DependentGenericSignature)?;
                Some(self.node(ExtendedExistentialTypeShape, &[signature, ty]))
            }
            b'g' => self.with_type(ExtendedExistentialTypeShape),
            box_kind @ (b'X' | b'x') => self.box_type(box_kind == b'X'),
            b'Y' => self.nominal(OtherNominalType),
            b'Z' => {
                let types = self.pop_type_list()?;
                let name = self.pop(Identifier)?;
                let parent = self.pop_context()?;
                Some(self.node(AnonymousContext, &[name, parent, types]))
            }
            b'e' => Some(self.typed(ErrorType, &[])),
            b'S' => self.sugared_type(),
            _ => None,
        }
    }

    fn modified_type_keeping(&mut self, kind: Kind) -> Option<NodeId> {
        let ty = self.pop(Kind::Type)?;
        Some(self.typed(kind, &[ty]))
    }

    fn sugared_type(&mut self) -> Option<NodeId> {
        let (kind, arity) = match self.next()? {
            b'q' => (Kind::SugaredOptional, 1),
            b'a' => (Kind::SugaredArray, 1),
            b'p' => (Kind::SugaredParen, 1),
            b'D' => (Kind::SugaredDictionary, 2),
            b'A' => (Kind::SugaredInlineArray, 2),
            _ => return None,
        };
        let last = self.pop(Kind::Type)?;
        let first = if arity == 2 { Some(self.pop(Kind::Type)?) } else { None };
        Some(self.typed_of(kind, first.into_iter().chain([last])))
    }

    fn metatype_with_representation(&mut self, kind: Kind) -> Option<NodeId> {
        let text = match self.next()? {
            b't' => "@thin",
            b'T' => "@thick",
            b'o' => "@objc_metatype",
            _ => return None,
        };
        let representation = self.name(Kind::MetatypeRepresentation, text);
        let ty = self.pop(Kind::Type)?;
        Some(self.typed(kind, &[representation, ty]))
    }

    fn pop_requirements_of_existential(&mut self) -> Option<NodeId> {
        let requirements = self.pop_list(|p| p.pop_if(Kind::is_requirement))?;
        Some(self.node_from(Kind::ConstrainedExistentialRequirementList, requirements))
    }

    fn box_type(&mut self, generic: bool) -> Option<NodeId> {
        let mut rest = None;
        if generic {
            let signature = self.pop(Kind::DependentGenericSignature)?;
            let arguments = self.pop_type_list()?;
            rest = Some([signature, arguments]);
        }
        let fields = self.pop_list(|p| p.pop(Kind::Type))?;
        for at in fields..self.lists.parts.len() {
            let field = self.lists.parts[at];
            let inner = self.child(field, 0)?;
            self.lists.parts[at] = if self.kind(inner) == Kind::InOut {
                let bare = self.child(inner, 0)?;
                let ty = self.type_of(bare);
                self.node(Kind::SILBoxMutableField, &[ty])
            } else {
                self.node(Kind::SILBoxImmutableField, &[field])
            };
        }
        let layout = self.node_from(Kind::SILBoxLayout, fields);
        Some(
            self.typed_of(Kind::SILBoxTypeWithLayout, [layout].into_iter().chain(rest.into_iter().flatten())),
        )
    }

    /// Parses `Y…`: annotations of function types and parameters.
    pub(super) fn type_annotation(&mut self) -> Option<NodeId> {
        use Kind::*;
        match self.next()? {
            b'a' => Some(self.leaf(AsyncAnnotation)),
            b'A' => Some(self.leaf(IsolatedAnyFunctionType)),
            b'b' => Some(self.leaf(ConcurrentFunctionType)),
            b'C' => Some(self.leaf(NonIsolatedCallerFunctionType)),
            b'T' => Some(self.leaf(SendingResultFunctionType)),
            b'c' => self.with_type(GlobalActorFunctionType),
            b'K' => self.with_type(TypedThrowsAnnotation),
            b'i' => self.modified_type(Isolated),
            b'k' => self.modified_type(NoDerivative),
            b't' => self.modified_type(CompileTimeLiteral),
            b'g' => self.modified_type(ConstValue),
            b'u' => self.modified_type(Sending),
            b'j' => {
                let kind = self.next().filter(|c| b"fdlr".contains(c))?;
                Some(self.number(DifferentiableFunctionType, u64::from(kind)))
            }
            _ => None,
        }
    }
}
