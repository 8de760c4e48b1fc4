//! Entities that the compiler derives from declarations: thunks (`T…`), witnesses (`W…`), metadata (`M…`), value
//! witnesses (`w…`).

use super::Parser;
use crate::node::{Kind, NodeId, Payload};

/// The stack operands of a simple operator.
#[derive(Clone, Copy)]
pub(super) enum StackOperands {
    Nothing,
    Anything,
    AType,
    AnEntity,
    AProtocol,
    AConformance,
    AContext,
    AModule,
    AnAssocTypeName,
}

/// Returns the meaning of the letter after `T` for nodes with at most one child.
fn simple_thunk(letter: u8) -> Option<(Kind, StackOperands)> {
    use Kind::*;
    use StackOperands::*;
    Some(match letter {
        b'A' => (PartialApplyForwarder, Nothing),
        b'a' => (PartialApplyObjCForwarder, Nothing),
        b'C' => (CoroutineContinuationPrototype, AType),
        b'c' => (CurryThunk, AnEntity),
        b'D' => (DynamicAttribute, Nothing),
        b'd' => (DirectMethodReferenceAttribute, Nothing),
        b'E' => (DistributedThunk, Nothing),
        b'F' => (DistributedAccessor, Nothing),
        b'I' => (DynamicallyReplaceableFunctionImpl, Nothing),
        b'j' => (DispatchThunk, AnEntity),
        b'L' => (ProtocolRequirementsBaseDescriptor, AProtocol),
        b'l' => (AssociatedTypeDescriptor, AnAssocTypeName),
        b'M' => (DefaultAssociatedTypeMetadataAccessor, AnAssocTypeName),
        b'm' => (MergedFunction, Nothing),
        b'O' => (NonObjCAttribute, Nothing),
        b'o' => (ObjCAttribute, Nothing),
        b'q' => (MethodDescriptor, AnEntity),
        b'S' => (ProtocolSelfConformanceWitness, AnEntity),
        b'u' => (AsyncFunctionPointer, Nothing),
        b'X' => (DynamicallyReplaceableFunctionVar, Nothing),
        b'x' => (DynamicallyReplaceableFunctionKey, Nothing),
        _ => return None,
    })
}

/// Returns the meaning of the letter after `W`.
pub(super) fn simple_witness(letter: u8) -> Option<(Kind, StackOperands)> {
    use Kind::*;
    use StackOperands::*;
    Some(match letter {
        b'a' => (ProtocolWitnessTableAccessor, AConformance),
        b'C' => (EnumCase, AnEntity),
        b'G' => (GenericProtocolWitnessTable, AConformance),
        b'I' => (GenericProtocolWitnessTableInstantiationFunction, AConformance),
        b'P' => (ProtocolWitnessTable, AConformance),
        b'p' => (ProtocolWitnessTablePattern, AConformance),
        b'r' => (ResilientProtocolWitnessTable, AConformance),
        b'S' => (ProtocolSelfConformanceWitnessTable, AProtocol),
        b'V' => (ValueWitnessTable, AType),
        _ => return None,
    })
}

/// Returns the meaning of the letter after `M`.
pub(super) fn simple_metadata(letter: u8) -> Option<(Kind, StackOperands)> {
    use Kind::*;
    use StackOperands::*;
    Some(match letter {
        b'A' => (ReflectionMetadataAssocTypeDescriptor, AConformance),
        b'a' => (TypeMetadataAccessFunction, AType),
        b'B' => (ReflectionMetadataBuiltinDescriptor, AType),
        b'b' => (CanonicalSpecializedGenericTypeMetadataAccessFunction, AType),
        b'C' => (ReflectionMetadataSuperclassDescriptor, AType),
        b'c' => (ProtocolConformanceDescriptor, AConformance),
        b'D' => (TypeMetadataDemanglingCache, AType),
        b'F' => (ReflectionMetadataFieldDescriptor, AType),
        b'f' => (FullTypeMetadata, AType),
        b'g' => (OpaqueTypeDescriptorAccessor, Anything),
        b'h' => (OpaqueTypeDescriptorAccessorImpl, Anything),
        b'I' => (TypeMetadataInstantiationCache, AType),
        b'i' => (TypeMetadataInstantiationFunction, AType),
        b'J' => (NoncanonicalSpecializedGenericTypeMetadataCache, Anything),
        b'j' => (OpaqueTypeDescriptorAccessorKey, Anything),
        b'K' => (MetadataInstantiationCache, Anything),
        b'k' => (OpaqueTypeDescriptorAccessorVar, Anything),
        b'L' => (TypeMetadataLazyCache, AType),
        b'l' => (TypeMetadataSingletonInitializationCache, AType),
        b'M' => (CanonicalSpecializedGenericMetaclass, AType),
        b'm' => (Metaclass, AType),
        b'N' => (NoncanonicalSpecializedGenericTypeMetadata, AType),
        b'n' => (NominalTypeDescriptor, AType),
        b'o' => (ClassMetadataBaseOffset, AType),
        b'P' => (GenericTypeMetadataPattern, AType),
        b'p' => (ProtocolDescriptor, AProtocol),
        b'Q' => (OpaqueTypeDescriptor, Anything),
        b'q' => (Uniquable, Anything),
        b'r' => (TypeMetadataCompletionFunction, AType),
        b'S' => (ProtocolSelfConformanceDescriptor, AProtocol),
        b's' => (ObjCResilientClassStub, AType),
        b't' => (FullObjCResilientClassStub, AType),
        b'U' => (ObjCMetadataUpdateFunction, AType),
        b'u' => (MethodLookupFunction, AType),
        b'V' => (PropertyDescriptor, AnEntity),
        b'z' => (CanonicalPrespecializedGenericTypeCachingOnceToken, AType),
        _ => return None,
    })
}

/// Returns the meaning of the letter after `WO`.
fn outlined_kind(letter: u8) -> Option<Kind> {
    use Kind::*;
    Some(match letter {
        b'y' => OutlinedCopy,
        b'e' => OutlinedConsume,
        b'r' => OutlinedRetain,
        b's' => OutlinedRelease,
        b'b' | b'B' => OutlinedInitializeWithTake,
        b'c' | b'C' => OutlinedInitializeWithCopy,
        b'd' | b'D' => OutlinedAssignWithTake,
        b'f' | b'F' => OutlinedAssignWithCopy,
        b'h' | b'H' => OutlinedDestroy,
        b'i' => OutlinedEnumTagStore,
        b'j' => OutlinedEnumProjectDataForLoad,
        b'g' => OutlinedEnumGetTag,
        _ => return None,
    })
}

/// Returns the name of a value witness by its two letters.
pub(super) fn value_witness_name(letters: [u8; 2]) -> Option<&'static str> {
    Some(match &letters {
        b"al" => "allocateBuffer",
        b"ca" => "assignWithCopy",
        b"ta" => "assignWithTake",
        b"de" => "deallocateBuffer",
        b"xx" => "destroy",
        b"XX" => "destroyBuffer",
        b"Xx" => "destroyArray",
        b"CP" => "initializeBufferWithCopyOfBuffer",
        b"Cp" => "initializeBufferWithCopy",
        b"cp" => "initializeWithCopy",
        b"Tk" => "initializeBufferWithTake",
        b"TK" => "initializeBufferWithTakeOfBuffer",
        b"tk" => "initializeWithTake",
        b"pr" => "projectBuffer",
        b"xs" => "storeExtraInhabitant",
        b"xg" => "getExtraInhabitantIndex",
        b"Cc" => "initializeArrayWithCopy",
        b"Tt" => "initializeArrayWithTakeFrontToBack",
        b"tT" => "initializeArrayWithTakeBackToFront",
        b"ug" => "getEnumTag",
        b"up" => "destructiveProjectEnumData",
        b"ui" => "destructiveInjectEnumTag",
        b"et" => "getEnumTagSinglePayload",
        b"st" => "storeEnumTagSinglePayload",
        _ => return None,
    })
}

impl Parser<'_> {
    fn simple(&mut self, (kind, takes): (Kind, StackOperands)) -> Option<NodeId> {
        let child = match takes {
            StackOperands::Nothing => return Some(self.leaf(kind)),
            StackOperands::Anything => self.pop_any()?,
            StackOperands::AType => self.pop(Kind::Type)?,
            StackOperands::AnEntity => self.pop_if(Kind::is_entity)?,
            StackOperands::AProtocol => self.pop_protocol()?,
            StackOperands::AConformance => self.pop_protocol_conformance()?,
            StackOperands::AContext => self.pop_context()?,
            StackOperands::AModule => self.pop_module()?,
            StackOperands::AnAssocTypeName => self.assoc_type_name()?,
        };
        Some(self.node(kind, &[child]))
    }

    pub(super) fn metadata(&mut self) -> Option<NodeId> {
        let letter = self.next()?;
        if letter != b'X' {
            return self.simple(simple_metadata(letter)?);
        }
        match self.next()? {
            b'E' => self.simple((Kind::ExtensionDescriptor, StackOperands::AContext)),
            b'M' => self.simple((Kind::ModuleDescriptor, StackOperands::AModule)),
            b'X' => self.simple((Kind::AnonymousDescriptor, StackOperands::AContext)),
            b'Y' => {
                let name = self.pop_any()?;
                let context = self.pop_context()?;
                Some(self.node(Kind::AnonymousDescriptor, &[context, name]))
            }
            _ => None,
        }
    }

    pub(super) fn value_witness(&mut self) -> Option<NodeId> {
        let letters = [self.next()?, self.next()?];
        let name = self.name(Kind::Identifier, value_witness_name(letters)?);
        let ty = self.pop(Kind::Type)?;
        Some(self.node(Kind::ValueWitness, &[name, ty]))
    }

    pub(super) fn witness(&mut self) -> Option<NodeId> {
        use Kind::*;
        let letter = self.next()?;
        match letter {
            b'v' => {
                let directness = match self.next()? {
                    b'd' => "direct ",
                    b'i' => "indirect ",
                    _ => return None,
                };
                let directness = self.name(Identifier, directness);
                let entity = self.pop_if(Kind::is_entity)?;
                Some(self.node(FieldOffset, &[directness, entity]))
            }
            b'l' | b'L' => {
                let conformance = self.pop_protocol_conformance()?;
                let ty = self.pop(Type)?;
                let kind = if letter == b'l' {
                    LazyProtocolWitnessTableAccessor
                } else {
                    LazyProtocolWitnessTableCacheVariable
                };
                Some(self.node(kind, &[ty, conformance]))
            }
            b't' => {
                let name = self.pop_if(Kind::is_decl_name)?;
                let conformance = self.pop_protocol_conformance()?;
                Some(self.node(AssociatedTypeMetadataAccessor, &[conformance, name]))
            }
            b'T' => {
                let protocol = self.pop(Type)?;
                let path = self.pop_assoc_type_path()?;
                let conformance = self.pop_protocol_conformance()?;
                Some(self.node(AssociatedTypeWitnessTableAccessor, &[conformance, path, protocol]))
            }
            b'b' => {
                let protocol = self.pop(Type)?;
                let conformance = self.pop_protocol_conformance()?;
                Some(self.node(BaseWitnessTableAccessor, &[conformance, protocol]))
            }
            b'O' => self.outlined(),
            b'Z' | b'z' => {
                let names = self.lists.parts.len();
                while self.pop(FirstElementMarker).is_some() {
                    let name = self.pop_if(Kind::is_decl_name)?;
                    self.lists.parts.push(name);
                }
                self.lists.parts[names..].reverse();
                let list = self.node_from(GlobalVariableOnceDeclList, names);
                let context = self.pop_context()?;
                let kind = if letter == b'Z' { GlobalVariableOnceFunction } else { GlobalVariableOnceToken };
                Some(self.node(kind, &[context, list]))
            }
            b'J' => self.differentiability_witness(),
            _ => self.simple(simple_witness(letter)?),
        }
    }

    fn outlined(&mut self) -> Option<NodeId> {
        let kind = outlined_kind(self.next()?)?;
        if matches!(kind, Kind::OutlinedEnumTagStore | Kind::OutlinedEnumProjectDataForLoad) {
            let index = self.index_node()?;
            let signature = self.pop(Kind::DependentGenericSignature);
            let ty = self.pop(Kind::Type)?;
            return Some(self.node_of(kind, [ty].into_iter().chain(signature).chain([index])));
        }
        let signature = self.pop(Kind::DependentGenericSignature);
        let ty = self.pop(Kind::Type)?;
        Some(self.node_of(kind, [ty].into_iter().chain(signature)))
    }

    pub(super) fn thunk(&mut self) -> Option<NodeId> {
        use Kind::*;
        let letter = self.next()?;
        match letter {
            b'b' => {
                let requirement = self.pop_protocol()?;
                let protocol = self.pop(Type)?;
                Some(self.node(BaseConformanceDescriptor, &[protocol, requirement]))
            }
            b'n' | b'N' => {
                let requirement = self.pop_protocol()?;
                let path = self.pop_assoc_type_path()?;
                let protocol = self.pop(Type)?;
                let kind = if letter == b'n' {
                    AssociatedConformanceDescriptor
                } else {
                    DefaultAssociatedConformanceAccessor
                };
                Some(self.node(kind, &[protocol, path, requirement]))
            }
            b'V' => {
                let base = self.pop_if(Kind::is_entity)?;
                let derived = self.pop_if(Kind::is_entity)?;
                Some(self.node(VTableThunk, &[derived, base]))
            }
            b'W' => {
                let entity = self.pop_if(Kind::is_entity)?;
                let conformance = self.pop_protocol_conformance()?;
                Some(self.node(ProtocolWitness, &[conformance, entity]))
            }
            b'R' => self.reabstraction_thunk(ReabstractionThunkHelper),
            b'r' => self.reabstraction_thunk(ReabstractionThunk),
            b'y' => self.reabstraction_thunk(ReabstractionThunkHelperWithSelf),
            b'U' => {
                let actor = self.pop(Type)?;
                let thunk = self.pop_if(|k| matches!(k, ReabstractionThunk | ReabstractionThunkHelper))?;
                Some(self.node(ReabstractionThunkHelperWithGlobalActor, &[thunk, actor]))
            }
            b'K' => self.key_path_accessor(KeyPathGetterThunkHelper),
            b'k' => self.key_path_setter(),
            b'H' => self.key_path_operator(KeyPathEqualsThunkHelper),
            b'h' => self.key_path_operator(KeyPathHashThunkHelper),
            b'Q' => {
                let index = self.index_node()?;
                Some(self.node(AsyncAwaitResumePartialFunction, &[index]))
            }
            b'Y' => {
                let index = self.index_node()?;
                Some(self.node(AsyncSuspendResumePartialFunction, &[index]))
            }
            b'z' | b'Z' => self.completion_handler(letter == b'Z'),
            b'v' => {
                let index = self.index()?;
                Some(if self.eat(b'r') {
                    self.number(OutlinedReadOnlyObject, index)
                } else {
                    self.number(OutlinedVariable, index)
                })
            }
            b'e' => self.bridged_method(),
            b'w' => {
                let kind = match self.next()? {
                    b'b' => BackDeploymentThunk,
                    b'B' => BackDeploymentFallback,
                    b'S' => HasSymbolQuery,
                    b'c' => CoroFunctionPointer,
                    b'd' => DefaultOverride,
                    _ => return None,
                };
                Some(self.leaf(kind))
            }
            b'J' => self.autodiff(),
            b'f' | b'g' | b'G' | b'B' | b's' | b'i' | b'p' | b'P' | b't' => self.specialization(letter),
            _ => self.simple(simple_thunk(letter)?),
        }
    }

    /// Parses a key path setter, or a key path method, applied or not.
    fn key_path_setter(&mut self) -> Option<NodeId> {
        let rest = &self.text[self.pos..];
        let (kind, length) = if rest.starts_with("mu") {
            (Kind::KeyPathUnappliedMethodThunkHelper, 2)
        } else if rest.starts_with("MA") {
            (Kind::KeyPathAppliedMethodThunkHelper, 2)
        } else {
            (Kind::KeyPathSetterThunkHelper, 0)
        };
        self.pos += length;
        self.key_path_accessor(kind)
    }

    fn key_path_operator(&mut self, kind: Kind) -> Option<NodeId> {
        let signature = self.pop(Kind::DependentGenericSignature);
        let types = self.pop_run(|k| k == Kind::Type);
        self.lists.parts.extend(signature);
        Some(self.node_from(kind, types))
    }

    fn completion_handler(&mut self, predefined: bool) -> Option<NodeId> {
        let has_mode = self.peek() == b'_' || self.peek().is_ascii_digit();
        let mode = if has_mode { self.index_node() } else { None };
        let signature = self.pop(Kind::DependentGenericSignature);
        let result = self.pop(Kind::Type)?;
        let implementation = self.pop(Kind::Type)?;
        Some(self.tree.add_of(
            Kind::ObjCAsyncCompletionHandlerImpl,
            Payload::Index(u64::from(predefined)),
            [implementation, result].into_iter().chain(mode).chain(signature),
        ))
    }

    fn reabstraction_thunk(&mut self, kind: Kind) -> Option<NodeId> {
        let signature = self.pop(Kind::DependentGenericSignature);
        let with_self = kind == Kind::ReabstractionThunkHelperWithSelf;
        let receiver = if with_self { Some(self.pop(Kind::Type)?) } else { None };
        let to = self.pop(Kind::Type)?;
        let from = self.pop(Kind::Type)?;
        Some(self.node_of(kind, [from, to].into_iter().chain(receiver).chain(signature)))
    }

    fn key_path_accessor(&mut self, kind: Kind) -> Option<NodeId> {
        let serialized = self.eat(b'q').then(|| self.leaf(Kind::IsSerialized));
        let types = self.pop_run(|k| k == Kind::Type);
        if types == self.lists.parts.len() {
            return None;
        }
        let signature = self.pop(Kind::DependentGenericSignature);
        let entity = self.pop_any()?;
        let types = self.lists.parts.drain(types..);
        let parts = [entity].into_iter().chain(signature).chain(types).chain(serialized);
        Some(self.tree.add_of(kind, Payload::None, parts))
    }

    /// Parses `Te`, a kind, parameters and result: an outlined Objective-C call with its bridging.
    fn bridged_method(&mut self) -> Option<NodeId> {
        let start = self.pos;
        self.next().filter(|c| b"map".contains(c))?;
        loop {
            match self.next()? {
                b'n' | b'b' => {}
                b'_' => break,
                _ => return None,
            }
        }
        let text = &self.text[start..self.pos - 1];
        Some(self.name(Kind::OutlinedBridgedMethod, text))
    }
}
