//! The tree of a demangled symbol.
//!
//! Nodes are immutable and stored in one arena, so that a node that is referenced by substitutions has several
//! parents. Kinds are named as in Mangling.rst. Kinds that print as some words before their only child are declared
//! with those words.

use std::fmt::{self, Write};

/// The number of bytes of a symbol for which room is made at once.
const MOST_EXPECTED: usize = 512;

/// A node of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct NodeId(pub(crate) u32);

/// The data of a node in addition to its children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Payload {
    None,
    /// A range of the tree's text.
    Text(u32, u32),
    Index(u64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) payload: Payload,
    first: u32,
    count: u32,
}

/// A demangled symbol as a tree, or more precisely an acyclic graph.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    text: String,
    root: Option<NodeId>,
}

impl Tree {
    /// Empties the tree and makes room for what a symbol of so many bytes usually has.
    pub(crate) fn start(&mut self, len: usize) {
        let len = len.min(MOST_EXPECTED);
        self.nodes.clear();
        self.nodes.reserve(len);
        self.children.clear();
        self.children.reserve(len);
        self.text.clear();
        self.text.reserve(2 * len);
        self.root = None;
    }

    /// Returns the capacity of the largest list.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.capacity().max(self.children.capacity()).max(self.text.capacity())
    }

    /// Returns the root, of kind [`Kind::Global`].
    pub fn root(&self) -> NodeId {
        self.root.expect("invariant: a finished tree has a root")
    }

    pub(crate) fn set_root(&mut self, root: NodeId) {
        self.root = Some(root);
    }

    /// Returns the kind of a node.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node.0 as usize].kind
    }

    /// Returns the children of a node.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        let Node { first, count, .. } = self.nodes[node.0 as usize];
        &self.children[first as usize..(first + count) as usize]
    }

    /// Returns the child at an index.
    pub fn child(&self, node: NodeId, index: usize) -> Option<NodeId> {
        self.children(node).get(index).copied()
    }

    /// Returns the first child of a kind.
    pub fn child_of(&self, node: NodeId, kind: Kind) -> Option<NodeId> {
        self.children(node).iter().copied().find(|&c| self.kind(c) == kind)
    }

    /// Returns the text of a node, such as an identifier.
    pub fn text(&self, node: NodeId) -> Option<&str> {
        match self.nodes[node.0 as usize].payload {
            Payload::Text(start, end) => Some(&self.text[start as usize..end as usize]),
            _ => None,
        }
    }

    /// Returns the number of a node, such as an index.
    pub fn index(&self, node: NodeId) -> Option<u64> {
        match self.nodes[node.0 as usize].payload {
            Payload::Index(index) => Some(index),
            _ => None,
        }
    }

    /// Returns all nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if the tree is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn add(&mut self, kind: Kind, payload: Payload, children: &[NodeId]) -> NodeId {
        let first = self.children.len() as u32;
        self.children.extend_from_slice(children);
        self.nodes.push(Node { kind, payload, first, count: children.len() as u32 });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds a node whose children come one by one.
    pub(crate) fn add_of(
        &mut self,
        kind: Kind,
        payload: Payload,
        children: impl IntoIterator<Item = NodeId>,
    ) -> NodeId {
        let first = self.children.len() as u32;
        self.children.extend(children);
        let count = self.children.len() as u32 - first;
        self.nodes.push(Node { kind, payload, first, count });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Returns a copy of a node with other children.
    pub(crate) fn with_children(
        &mut self,
        node: NodeId,
        children: impl IntoIterator<Item = NodeId>,
    ) -> NodeId {
        let Node { kind, payload, .. } = self.nodes[node.0 as usize];
        self.add_of(kind, payload, children)
    }

    /// Returns a copy of a node with another child at an existing index.
    pub(crate) fn with_child(&mut self, node: NodeId, index: usize, child: NodeId) -> NodeId {
        let copy = self.with_more(node, None);
        let first = self.nodes[copy.0 as usize].first as usize;
        self.children[first + index] = child;
        copy
    }

    /// Returns a copy of a node with more children.
    pub(crate) fn with_more(&mut self, node: NodeId, more: Option<NodeId>) -> NodeId {
        let Node { kind, payload, first, count } = self.nodes[node.0 as usize];
        let copied = self.children.len() as u32;
        self.children.extend_from_within(first as usize..(first + count) as usize);
        self.children.extend(more);
        let count = self.children.len() as u32 - copied;
        self.nodes.push(Node { kind, payload, first: copied, count });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Returns a copy of a node with another kind.
    pub(crate) fn as_kind(&mut self, node: NodeId, kind: Kind) -> NodeId {
        let mut copy = self.nodes[node.0 as usize];
        copy.kind = kind;
        self.nodes.push(copy);
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn keep(&mut self, text: &str) -> Payload {
        let start = self.text_len();
        self.text.push_str(text);
        self.kept_since(start)
    }

    /// Keeps formatted text.
    pub(crate) fn keep_formatted(&mut self, text: fmt::Arguments<'_>) -> Payload {
        let start = self.text_len();
        let _ = self.text.write_fmt(text);
        self.kept_since(start)
    }

    /// Returns the length of the text that is kept, where the next text starts.
    pub(crate) fn text_len(&self) -> u32 {
        self.text.len() as u32
    }

    /// Returns the text that was kept from a start on.
    pub(crate) fn kept_since(&self, start: u32) -> Payload {
        Payload::Text(start, self.text_len())
    }

    /// Keeps the text of a node with each character replaced, if each has a replacement.
    pub(crate) fn keep_replaced(
        &mut self,
        node: NodeId,
        replace: impl Fn(char) -> Option<char>,
    ) -> Option<Payload> {
        let Payload::Text(from, to) = self.nodes[node.0 as usize].payload else { return None };
        let start = self.text_len();
        let mut at = from as usize;
        while at < to as usize {
            let c = self.text[at..].chars().next()?;
            at += c.len_utf8();
            self.text.push(replace(c)?);
        }
        Some(self.kept_since(start))
    }

    /// Keeps a copy of a range of the text that is kept.
    pub(crate) fn keep_again(&mut self, start: u32, end: u32) {
        self.text.extend_from_within(start as usize..end as usize);
    }
}

impl fmt::Display for Tree {
    /// Writes the tree, one node per line, indented by depth. Shared nodes are written once for each parent, up to a
    /// limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack = vec![(self.root(), 0usize)];
        let mut lines = 0;
        while let Some((node, depth)) = stack.pop() {
            lines += 1;
            if lines > 10_000 || depth > 1_000 {
                return writeln!(f, "…");
            }
            write!(f, "{:1$}kind={2:?}", "", depth * 2, self.kind(node))?;
            if let Some(text) = self.text(node) {
                write!(f, ", text=\"{text}\"")?;
            }
            if let Some(index) = self.index(node) {
                write!(f, ", index={index}")?;
            }
            writeln!(f)?;
            stack.extend(self.children(node).iter().rev().map(|&c| (c, depth + 1)));
        }
        Ok(())
    }
}

/// Declares the kinds: first those with specific print code, then those with words before their child.
macro_rules! kinds {
    ($($own:ident)* ; $($prefixed:ident $words:literal)*) => {
        /// The kind of a node.
        #[allow(missing_docs, reason = "the names are those of the mangling grammar")]
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        #[repr(u16)]
        pub enum Kind { $($own,)* $($prefixed,)* }

        impl Kind {
            /// Returns the words before the child, for kinds that print in this way.
            pub(crate) fn words(self) -> Option<&'static str> {
                match self {
                    $(Kind::$prefixed => Some($words),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    Global Suffix Type TypeMangling Module Identifier Index EmptyList FirstElementMarker VariadicMarker
    LocalDeclName PrivateDeclName RelatedEntityDeclName PrefixOperator PostfixOperator InfixOperator
    // Nominal types and contexts.
    Structure Class Enum Protocol TypeAlias OtherNominalType Extension AnonymousContext
    // Entities.
    Function Variable Subscript Static Macro LabelList BoundGenericFunction
    Getter GlobalGetter Setter MaterializeForSet WillSet DidSet InitAccessor
    ReadAccessor ModifyAccessor Read2Accessor Modify2Accessor BorrowAccessor MutateAccessor
    UnsafeAddressor UnsafeMutableAddressor OwningAddressor OwningMutableAddressor
    NativeOwningAddressor NativeOwningMutableAddressor NativePinningAddressor NativePinningMutableAddressor
    Allocator Constructor Destructor Deallocator IsolatedDeallocator IVarInitializer IVarDestroyer
    Initializer PropertyWrapperBackingInitializer PropertyWrapperInitFromProjectedValue
    PropertyWrappedFieldInitAccessor
    DefaultArgumentInitializer ExplicitClosure ImplicitClosure GenericTypeParamDecl
    MacroExpansion FreestandingMacroExpansion MacroExpansionUniqueName MacroExpansionLoc
    // Types.
    BuiltinTypeName BuiltinTuple BuiltinFixedArray Tuple TupleElement TupleElementName TypeList
    FunctionType NoEscapeFunctionType ThinFunctionType AutoClosureType EscapingAutoClosureType
    UncurriedFunctionType ObjCBlock EscapingObjCBlock CFunctionPointer ClangType
    ArgumentTuple ReturnType ThrowsAnnotation TypedThrowsAnnotation AsyncAnnotation ConcurrentFunctionType
    DifferentiableFunctionType GlobalActorFunctionType IsolatedAnyFunctionType NonIsolatedCallerFunctionType
    SendingResultFunctionType
    ImplFunctionType ImplAttribute ImplConvention ImplParameter ImplResult ImplErrorResult ImplYield
    ImplPatternSubstitutions ImplInvocationSubstitutions ImplSendingResult ImplParameterAttribute
    Metatype ExistentialMetatype MetatypeRepresentation DynamicSelf ErrorType
    ProtocolList ProtocolListWithAnyObject ProtocolListWithClass
    ConstrainedExistential ConstrainedExistentialRequirementList ConstrainedExistentialSelf
    ExtendedExistentialTypeShape
    BoundGenericClass BoundGenericEnum BoundGenericStructure BoundGenericProtocol BoundGenericTypeAlias
    BoundGenericOtherNominalType
    SILBoxTypeWithLayout SILBoxLayout SILBoxMutableField SILBoxImmutableField
    Pack SILPackDirect SILPackIndirect PackExpansion PackElement
    OpaqueReturnType OpaqueReturnTypeOf OpaqueType
    SugaredOptional SugaredArray SugaredDictionary SugaredInlineArray SugaredParen
    Integer NegativeInteger
    // Generics.
    DependentGenericType DependentGenericSignature DependentGenericParamCount DependentGenericParamType
    DependentGenericParamPackMarker DependentGenericParamValueMarker
    DependentMemberType DependentAssociatedTypeRef AssociatedTypeRef AssocTypePath
    DependentGenericConformanceRequirement DependentGenericSameTypeRequirement
    DependentGenericSameShapeRequirement DependentGenericLayoutRequirement
    DependentGenericInverseConformanceRequirement
    ProtocolConformance ConcreteProtocolConformance PackProtocolConformance AnyProtocolConformanceList
    DependentProtocolConformanceRoot DependentProtocolConformanceInherited
    DependentProtocolConformanceAssociated DependentProtocolConformanceOpaque DependentAssociatedConformance
    ProtocolConformanceRefInTypeModule ProtocolConformanceRefInProtocolModule ProtocolConformanceRefInOtherModule
    RetroactiveConformance
    // Compiler-generated entities.
    PartialApplyForwarder PartialApplyObjCForwarder ProtocolWitness VTableThunk
    ReabstractionThunk ReabstractionThunkHelper ReabstractionThunkHelperWithSelf
    ReabstractionThunkHelperWithGlobalActor
    KeyPathGetterThunkHelper KeyPathSetterThunkHelper KeyPathUnappliedMethodThunkHelper
    KeyPathAppliedMethodThunkHelper KeyPathEqualsThunkHelper KeyPathHashThunkHelper
    ObjCAsyncCompletionHandlerImpl
    OutlinedVariable OutlinedReadOnlyObject OutlinedBridgedMethod
    AsyncAwaitResumePartialFunction AsyncSuspendResumePartialFunction
    MergedFunction DynamicallyReplaceableFunctionImpl DynamicallyReplaceableFunctionKey
    DynamicallyReplaceableFunctionVar DistributedThunk DistributedAccessor AccessibleFunctionRecord
    BackDeploymentThunk
    AutoDiffFunction AutoDiffDerivativeVTableThunk AutoDiffSelfReorderingReabstractionThunk
    AutoDiffSubsetParametersThunk AutoDiffFunctionKind DifferentiabilityWitness IndexSubset
    GenericSpecialization GenericSpecializationNotReAbstracted GenericSpecializationInResilienceDomain
    GenericSpecializationPrespecialized InlinedGenericFunction GenericPartialSpecialization
    GenericPartialSpecializationNotReAbstracted GenericSpecializationParam DroppedArgument
    FunctionSignatureSpecialization FunctionSignatureSpecializationParam FunctionSignatureSpecializationReturn
    ParamKind ParamPayload IsSerialized AsyncRemoved RepresentationChanged SpecializationPassID
    ValueWitness FieldOffset
    AssociatedConformanceDescriptor DefaultAssociatedConformanceAccessor BaseConformanceDescriptor
    AssociatedTypeMetadataAccessor AssociatedTypeWitnessTableAccessor BaseWitnessTableAccessor
    LazyProtocolWitnessTableAccessor LazyProtocolWitnessTableCacheVariable
    GlobalVariableOnceFunction GlobalVariableOnceToken GlobalVariableOnceDeclList
    ;
    TypeMetadata "type metadata for "
    FullTypeMetadata "full type metadata for "
    TypeMetadataAccessFunction "type metadata accessor for "
    TypeMetadataInstantiationFunction "type metadata instantiation function for "
    TypeMetadataInstantiationCache "type metadata instantiation cache for "
    TypeMetadataSingletonInitializationCache "type metadata singleton initialization cache for "
    TypeMetadataCompletionFunction "type metadata completion function for "
    TypeMetadataDemanglingCache "demangling cache variable for type metadata for "
    TypeMetadataLazyCache "lazy cache variable for type metadata for "
    GenericTypeMetadataPattern "generic type metadata pattern for "
    CanonicalSpecializedGenericTypeMetadataAccessFunction "canonical specialized generic type metadata accessor for "
    CanonicalPrespecializedGenericTypeCachingOnceToken "flag for loading of canonical specialized generic type metadata for "
    NoncanonicalSpecializedGenericTypeMetadata "noncanonical specialized generic type metadata for "
    NoncanonicalSpecializedGenericTypeMetadataCache "cache variable for noncanonical specialized generic type metadata for "
    CanonicalSpecializedGenericMetaclass "specialized generic metaclass for "
    MetadataInstantiationCache "metadata instantiation cache for "
    Metaclass "metaclass for "
    ClassMetadataBaseOffset "class metadata base offset for "
    MethodLookupFunction "method lookup function for "
    ObjCMetadataUpdateFunction "ObjC metadata update function for "
    ObjCResilientClassStub "ObjC resilient class stub for "
    FullObjCResilientClassStub "full ObjC resilient class stub for "
    NominalTypeDescriptor "nominal type descriptor for "
    NominalTypeDescriptorRecord "nominal type descriptor runtime record for "
    OpaqueTypeDescriptor "opaque type descriptor for "
    OpaqueTypeDescriptorRecord "opaque type descriptor runtime record for "
    OpaqueTypeDescriptorAccessor "opaque type descriptor accessor for "
    OpaqueTypeDescriptorAccessorImpl "opaque type descriptor accessor impl for "
    OpaqueTypeDescriptorAccessorKey "opaque type descriptor accessor key for "
    OpaqueTypeDescriptorAccessorVar "opaque type descriptor accessor var for "
    ModuleDescriptor "module descriptor "
    ExtensionDescriptor "extension descriptor "
    AnonymousDescriptor "anonymous descriptor "
    PropertyDescriptor "property descriptor for "
    ProtocolDescriptor "protocol descriptor for "
    ProtocolDescriptorRecord "protocol descriptor runtime record for "
    ProtocolRequirementsBaseDescriptor "protocol requirements base descriptor for "
    ProtocolSelfConformanceDescriptor "protocol self-conformance descriptor for "
    ProtocolSelfConformanceWitnessTable "protocol self-conformance witness table for "
    ProtocolSelfConformanceWitness "protocol self-conformance witness for "
    ProtocolConformanceDescriptor "protocol conformance descriptor for "
    ProtocolConformanceDescriptorRecord "protocol conformance descriptor runtime record for "
    ProtocolWitnessTable "protocol witness table for "
    ProtocolWitnessTableAccessor "protocol witness table accessor for "
    ProtocolWitnessTablePattern "protocol witness table pattern for "
    GenericProtocolWitnessTable "generic protocol witness table for "
    GenericProtocolWitnessTableInstantiationFunction "instantiation function for generic protocol witness table for "
    ResilientProtocolWitnessTable "resilient protocol witness table for "
    AssociatedTypeDescriptor "associated type descriptor for "
    DefaultAssociatedTypeMetadataAccessor "default associated type metadata accessor for "
    ReflectionMetadataAssocTypeDescriptor "reflection metadata associated type descriptor "
    ReflectionMetadataBuiltinDescriptor "reflection metadata builtin descriptor "
    ReflectionMetadataFieldDescriptor "reflection metadata field descriptor "
    ReflectionMetadataSuperclassDescriptor "reflection metadata superclass descriptor "
    ValueWitnessTable "value witness table for "
    EnumCase "enum case for "
    CurryThunk "curry thunk of "
    DispatchThunk "dispatch thunk of "
    MethodDescriptor "method descriptor for "
    CoroutineContinuationPrototype "coroutine continuation prototype for "
    Uniquable "uniquable "
    OutlinedCopy "outlined copy of "
    OutlinedConsume "outlined consume of "
    OutlinedRetain "outlined retain of "
    OutlinedRelease "outlined release of "
    OutlinedInitializeWithTake "outlined init with take of "
    OutlinedInitializeWithCopy "outlined init with copy of "
    OutlinedAssignWithTake "outlined assign with take of "
    OutlinedAssignWithCopy "outlined assign with copy of "
    OutlinedDestroy "outlined destroy of "
    OutlinedEnumTagStore "outlined enum tag store of "
    OutlinedEnumGetTag "outlined enum get tag of "
    OutlinedEnumProjectDataForLoad "outlined enum project data for load of "
    // Markers for a whole symbol, without children.
    ObjCAttribute "@objc "
    NonObjCAttribute "@nonobjc "
    DynamicAttribute "dynamic "
    DirectMethodReferenceAttribute "super "
    VTableAttribute "override "
    AsyncFunctionPointer "async function pointer to "
    CoroFunctionPointer "coro function pointer to "
    DefaultOverride "default override of "
    HasSymbolQuery "#_hasSymbol query for "
    BackDeploymentFallback "back deployment fallback for "
    // Types with a word before them.
    InOut "inout "
    Shared "__shared "
    Owned "__owned "
    Isolated "isolated "
    Sending "sending "
    NoDerivative "@noDerivative "
    CompileTimeLiteral "_const "
    ConstValue "@const "
    Weak "weak "
    Unowned "unowned "
    Unmanaged "unowned(unsafe) "
    SILBoxType "@box "
}

impl Kind {
    /// Returns true if the node is a marker for the whole symbol, which is printed first.
    pub(crate) fn is_mark(self) -> bool {
        use Kind::*;
        matches!(
            self,
            PartialApplyForwarder
                | PartialApplyObjCForwarder
                | OutlinedVariable
                | OutlinedReadOnlyObject
                | OutlinedBridgedMethod
                | MergedFunction
                | DistributedThunk
                | DistributedAccessor
                | DynamicallyReplaceableFunctionImpl
                | DynamicallyReplaceableFunctionKey
                | DynamicallyReplaceableFunctionVar
                | AsyncAwaitResumePartialFunction
                | AsyncSuspendResumePartialFunction
                | AccessibleFunctionRecord
                | BackDeploymentThunk
                | BackDeploymentFallback
                | HasSymbolQuery
                | ObjCAttribute
                | NonObjCAttribute
                | DynamicAttribute
                | DirectMethodReferenceAttribute
                | AsyncFunctionPointer
                | CoroFunctionPointer
                | DefaultOverride
                | GenericSpecialization
                | GenericSpecializationNotReAbstracted
                | GenericSpecializationInResilienceDomain
                | GenericSpecializationPrespecialized
                | InlinedGenericFunction
                | GenericPartialSpecialization
                | GenericPartialSpecializationNotReAbstracted
                | FunctionSignatureSpecialization
        )
    }

    /// Returns true if the node can be the context of declarations.
    pub(crate) fn is_context(self) -> bool {
        let (low, high) = (Kind::Structure as u16, Kind::MacroExpansionLoc as u16);
        (low..=high).contains(&(self as u16))
            && !matches!(self, Kind::LabelList | Kind::BoundGenericFunction | Kind::GenericTypeParamDecl)
            || matches!(self, Kind::Module | Kind::OpaqueReturnTypeOf | Kind::AutoDiffFunction)
    }

    pub(crate) fn is_entity(self) -> bool {
        self == Kind::Type || self.is_context()
    }

    pub(crate) fn is_decl_name(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Identifier
                | LocalDeclName
                | PrivateDeclName
                | RelatedEntityDeclName
                | PrefixOperator
                | PostfixOperator
                | InfixOperator
        )
    }

    pub(crate) fn is_nominal(self) -> bool {
        use Kind::*;
        matches!(self, Structure | Class | Enum | Protocol | TypeAlias | OtherNominalType)
    }

    pub(crate) fn is_requirement(self) -> bool {
        use Kind::*;
        matches!(
            self,
            DependentGenericParamPackMarker
                | DependentGenericParamValueMarker
                | DependentGenericConformanceRequirement
                | DependentGenericSameTypeRequirement
                | DependentGenericSameShapeRequirement
                | DependentGenericLayoutRequirement
                | DependentGenericInverseConformanceRequirement
        )
    }
}
