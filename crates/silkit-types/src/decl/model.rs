//! The facts about one declaration.
//!
//! Types are kept as spelled: a name may denote a generic parameter, a nested type, an alias or an associated type,
//! which is decided by lookup in the enclosing declarations.

use super::member_list::{MemberList, NamedMember};
use crate::{GenericSig, Requirement, Type};
use bitflags::bitflags;
use silkit_base::{Symbol, TextRange};

/// The kind of a nominal type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NominalKind {
    /// `struct`.
    Struct,
    /// `class`.
    Class,
    /// `actor`: a class with isolation.
    Actor,
    /// `enum`.
    Enum,
    /// `protocol`.
    Protocol,
}

/// The access level of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum AccessLevel {
    /// `private`.
    Private,
    /// `fileprivate`.
    FilePrivate,
    /// `internal`, spelled or not.
    #[default]
    Internal,
    /// `package`.
    Package,
    /// `public`.
    Public,
    /// `open`.
    Open,
}

bitflags! {
    /// Attributes and modifiers of a declaration that change its meaning here.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct DeclFlags: u64 {
        /// `@frozen`.
        const FROZEN = 1;
        /// `@_fixed_layout`.
        const FIXED_LAYOUT = 1 << 1;
        /// `@usableFromInline`.
        const USABLE_FROM_INLINE = 1 << 2;
        /// `@_hasStorage`.
        const HAS_STORAGE = 1 << 3;
        /// `@_rawLayout(…)`: the storage is described by the attribute.
        const RAW_LAYOUT = 1 << 4;
        /// `final`.
        const FINAL = 1 << 5;
        /// `static`, or `class` before a member.
        const STATIC = 1 << 6;
        /// `indirect`.
        const INDIRECT = 1 << 7;
        /// `lazy`.
        const LAZY = 1 << 8;
        /// `weak`.
        const WEAK = 1 << 9;
        /// `unowned`.
        const UNOWNED = 1 << 10;
        /// `unowned(unsafe)`.
        const UNMANAGED = 1 << 11;
        /// `override`.
        const OVERRIDE = 1 << 12;
        /// `@available(*, unavailable)`.
        const UNAVAILABLE = 1 << 13;
        /// `mutating`.
        const MUTATING = 1 << 14;
        /// `consuming` or `__consuming`.
        const CONSUMING = 1 << 15;
        /// `dynamic`.
        const DYNAMIC = 1 << 16;
        /// `@objc`.
        const OBJC = 1 << 17;
        /// The type has a `deinit`.
        const HAS_DEINIT = 1 << 18;
        /// The declaration comes from a module with library evolution, so its layout is hidden unless it is frozen.
        const RESILIENT_MODULE = 1 << 19;
        /// Several declarations share the path; a use does not tell which one is meant.
        const AMBIGUOUS = 1 << 20;
        /// `let` rather than `var`.
        const LET = 1 << 21;
        /// `required`.
        const REQUIRED = 1 << 22;
        /// `nonmutating`.
        const NONMUTATING = 1 << 23;
        /// `borrowing`.
        const BORROWING = 1 << 24;
        /// `@_transparent`.
        const TRANSPARENT = 1 << 25;
        /// `@_marker`.
        const MARKER = 1 << 26;
        /// `nonisolated`.
        const NONISOLATED = 1 << 27;
        /// `init?` or `init!`.
        const FAILABLE = 1 << 28;
        /// `@_eagerMove`.
        const EAGER_MOVE = 1 << 29;
        /// `@_noEagerMove`.
        const NO_EAGER_MOVE = 1 << 30;
        /// `@_semantics("defaultActor")`, on the `unownedExecutor` of an actor with the default executor.
        const DEFAULT_ACTOR = 1 << 31;
        /// `distributed`.
        const DISTRIBUTED = 1 << 32;
        /// `private(set)` or `fileprivate(set)`.
        const PRIVATE_SETTER = 1 << 33;
        /// `internal(set)`.
        const INTERNAL_SETTER = 1 << 34;
        /// The declaration of the property spells its initial value.
        const SPELLS_VALUE = 1 << 35;
        /// `@_compilerInitialized`.
        const COMPILER_INITIALIZED = 1 << 36;
        /// `convenience`.
        const CONVENIENCE = 1 << 37;
        /// `class` before a member, which is also [`DeclFlags::STATIC`].
        const CLASS_MEMBER = 1 << 38;
        /// `prefix`.
        const PREFIX = 1 << 39;
        /// `postfix`.
        const POSTFIX = 1 << 40;
        /// `infix`.
        const INFIX = 1 << 41;
        /// `@_borrowed`.
        const BORROWED = 1 << 42;
        /// `@propertyWrapper`.
        const PROPERTY_WRAPPER = 1 << 43;
        /// `@dynamicMemberLookup`.
        const DYNAMIC_MEMBER_LOOKUP = 1 << 44;
        /// `@dynamicCallable`.
        const DYNAMIC_CALLABLE = 1 << 45;
        /// `@main`.
        const MAIN = 1 << 46;
        /// `@resultBuilder`.
        const RESULT_BUILDER = 1 << 47;
        /// `@globalActor`.
        const GLOBAL_ACTOR = 1 << 48;
    }
}

/// A struct, class, actor, enum or protocol.
#[derive(Clone, Debug)]
pub struct NominalDecl {
    /// The dotted path from the top of its module: `Heap._UnsafeHandle`.
    pub path: Symbol,
    /// The last part of the path.
    pub name: Symbol,
    /// The kind of nominal type.
    pub kind: NominalKind,
    /// Its access level.
    pub access: AccessLevel,
    /// Attributes and modifiers.
    pub flags: DeclFlags,
    /// The generic parameters that the declaration itself introduces, without those of enclosing types. For a
    /// protocol, its primary associated types.
    pub sig: Option<GenericSig>,
    /// The superclass, raw type and protocols, as spelled; `~Copyable` is an inverse type.
    pub inherited: Box<[Type]>,
    /// The isolated conformances: the global actor and the protocol of each, `@MainActor P`.
    pub isolated: Box<[(Symbol, Type)]>,
    /// The requirements of its `where` clause.
    pub requirements: Box<[Requirement]>,
    /// The contents of its braces.
    pub body: DeclBody,
    /// The range of its text in the source file.
    pub range: TextRange,
}

/// The contents of the braces of a type or an extension, except for nested types.
#[derive(Clone, Debug, Default)]
pub struct DeclBody {
    /// The stored properties of instances, in order.
    pub fields: MemberList<StoredProperty>,
    /// The cases of an enum, in order.
    pub cases: MemberList<EnumCase>,
    /// The type aliases.
    pub aliases: Vec<AliasDecl>,
    /// The associated types of a protocol.
    pub associated: Vec<AssociatedType>,
    /// All methods, initializers, subscripts and other properties.
    pub members: MemberList<Member>,
    /// The properties with an `init` accessor that states which stored properties it uses.
    pub init_accessors: Vec<InitAccessor>,
}

/// The stored properties that an `init` accessor uses: `@storageRestrictions(initializes: _a, accesses: _b)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageRestrictions {
    /// The stored properties that it initializes.
    pub initializes: Box<[Symbol]>,
    /// The stored properties that must be initialized before, which it reads and writes.
    pub accesses: Box<[Symbol]>,
}

/// An `init` accessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitAccessor {
    /// The computed property that it belongs to.
    pub property: Symbol,
    /// The stored properties that it uses.
    pub storage: StorageRestrictions,
}

/// A stored property of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredProperty {
    /// The name, without backticks.
    pub name: Symbol,
    /// The type as spelled; unknown if it has to be inferred from the initial value.
    pub ty: Type,
    /// Attributes and modifiers.
    pub flags: DeclFlags,
    /// Its access level.
    pub access: AccessLevel,
    /// The accessors that are spelled.
    pub accessors: Accessors,
    /// The attributes and modifiers as spelled, separated by single spaces: `@_hasInitialValue private final`.
    pub spelling: Symbol,
    /// The range of the keyword `let` or `var` that introduces it.
    pub introducer: TextRange,
    /// The range of its name, including backticks.
    pub name_range: TextRange,
}

/// A case of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumCase {
    /// The name, without backticks.
    pub name: Symbol,
    /// The type of the payload: a tuple if there are several values, with labels.
    pub payload: Option<Type>,
    /// True if the payload is in a box.
    pub indirect: bool,
}

impl NamedMember for StoredProperty {
    fn name(&self) -> Symbol {
        self.name
    }
}

impl NamedMember for EnumCase {
    fn name(&self) -> Symbol {
        self.name
    }
}

/// A type alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliasDecl {
    /// The name.
    pub name: Symbol,
    /// Its own generic parameters.
    pub sig: Option<GenericSig>,
    /// The aliased type, as spelled.
    pub target: Type,
    /// The name that it witnesses by `@_implements(Protocol, Name)`.
    pub implements: Option<Symbol>,
}

/// An associated type of a protocol.
#[derive(Clone, Debug)]
pub struct AssociatedType {
    /// The name.
    pub name: Symbol,
    /// The stated conformances.
    pub inherited: Box<[Type]>,
    /// The default type.
    pub default: Option<Type>,
    /// The requirements of its `where` clause.
    pub requirements: Box<[Requirement]>,
}

/// Kinds of members.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemberKind {
    /// `func`.
    Function,
    /// `init`.
    Initializer,
    /// `deinit`.
    Deinitializer,
    /// `subscript`.
    Subscript,
    /// `var` or `let`.
    Property,
    /// `macro`.
    Macro,
    /// `operator`.
    Operator,
    /// `precedencegroup`.
    PrecedenceGroup,
}

bitflags! {
    /// The accessors that a property or subscript spells.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Accessors: u16 {
        /// `get`.
        const GET = 1;
        /// `set`.
        const SET = 1 << 1;
        /// `_read`.
        const READ = 1 << 2;
        /// `_modify`.
        const MODIFY = 1 << 3;
        /// `willSet`.
        const WILL_SET = 1 << 4;
        /// `didSet`.
        const DID_SET = 1 << 5;
        /// `unsafeAddress`.
        const ADDRESS = 1 << 6;
        /// `unsafeMutableAddress`.
        const MUTABLE_ADDRESS = 1 << 7;
        /// `init`.
        const INIT = 1 << 8;
        /// `read`.
        const READ2 = 1 << 9;
        /// `modify`.
        const MODIFY2 = 1 << 10;
    }
}

/// A method, initializer, subscript or property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The kind of member.
    pub kind: MemberKind,
    /// The base name: `foo`, `init`, `subscript`, `+`.
    pub name: Symbol,
    /// Attributes and modifiers.
    pub flags: DeclFlags,
    /// Its access level.
    pub access: AccessLevel,
    /// The accessors that are spelled.
    pub accessors: Accessors,
    /// The type of a property, as spelled, or the result type of a non-generic top-level function. The types of other
    /// members are read from [`Self::signature`] on demand.
    pub ty: Option<Type>,
    /// The range of the generic parameters, parameters and results.
    pub signature: TextRange,
}

impl NamedMember for Member {
    fn name(&self) -> Symbol {
        self.name
    }
}

/// An extension.
#[derive(Clone, Debug)]
pub struct ExtensionDecl {
    /// The extended type, as spelled.
    pub extended: Type,
    /// Attributes and modifiers.
    pub flags: DeclFlags,
    /// The protocols that the extension adds, as spelled.
    pub inherited: Box<[Type]>,
    /// The isolated conformances: the global actor and the protocol of each, `@MainActor P`.
    pub isolated: Box<[(Symbol, Type)]>,
    /// The requirements of its `where` clause.
    pub requirements: Box<[Requirement]>,
    /// The contents of its braces.
    pub body: DeclBody,
    /// The range of its text in the source file.
    pub range: TextRange,
}

impl DeclBody {
    /// Returns the alias with this name, or the alias that witnesses an associated type with this name.
    pub fn alias(&self, name: Symbol) -> Option<&AliasDecl> {
        let named = self.aliases.iter().find(|a| a.name == name);
        named.or_else(|| self.aliases.iter().find(|a| a.implements == Some(name)))
    }

    /// Returns the `init` accessor of a property.
    pub fn init_accessor(&self, property: Symbol) -> Option<&InitAccessor> {
        self.init_accessors.iter().find(|accessor| accessor.property == property)
    }
}

impl NominalDecl {
    /// Returns true if this is a class or an actor.
    pub fn is_class(&self) -> bool {
        matches!(self.kind, NominalKind::Class | NominalKind::Actor)
    }

    /// Returns true if this is an actor whose instances begin with the storage of the default executor: it does not
    /// define `unownedExecutor` itself.
    pub fn is_default_actor(&self) -> bool {
        let executor = self.body.members.named(Symbol::new("unownedExecutor"));
        self.kind == NominalKind::Actor
            && executor.is_none_or(|member| member.flags.contains(DeclFlags::DEFAULT_ACTOR))
    }

    /// Returns true if other modules may rely on the stored properties and cases.
    pub fn has_known_layout(&self) -> bool {
        let fixed = DeclFlags::FROZEN | DeclFlags::FIXED_LAYOUT;
        !self.flags.contains(DeclFlags::RESILIENT_MODULE) || self.flags.intersects(fixed)
    }

    /// Returns true if the listed stored properties are the complete layout of the values.
    pub fn lists_fields(&self) -> bool {
        self.has_known_layout() && self.kind != NominalKind::Protocol
    }

    /// Returns the number of generic parameters that the declaration itself introduces.
    pub fn param_count(&self) -> usize {
        match self.kind {
            NominalKind::Protocol => 0,
            _ => self.sig.map_or(0, |s| s.data().params.len()),
        }
    }

    /// Returns the index of a generic parameter that the declaration itself introduces.
    pub fn param_index(&self, name: Symbol) -> Option<usize> {
        match self.kind {
            NominalKind::Protocol => None,
            _ => self.sig?.data().params.iter().position(|p| p.name == name),
        }
    }
}
