//! Access control of members, which limits the functions that may be called in place of a member.

use silkit_base::Symbol;
use silkit_ir::DeclRef;
use silkit_types::decl::{AccessLevel, DeclBody, DeclFlags, Declarations, MemberKind, NominalDecl};

/// The declarations of a module and whether the whole module is visible.
#[derive(Clone, Copy, Debug)]
pub struct Visibility<'a> {
    declarations: &'a Declarations,
    /// True if all files of the module are compiled together (`-wmo`), so that internal declarations are used only
    /// here.
    pub is_whole_module: bool,
}

/// The kind of member that a method reference refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Function,
    Initializer,
    Deinitializer,
    Storage,
    /// A setter, or another accessor that writes.
    Setter,
}

impl Kind {
    /// Returns the kind of a method reference from the text after its `!`.
    pub(super) fn of(method: DeclRef) -> Self {
        let data = method.data();
        let first = data.kinds.first().map_or("", |k| k.as_str());
        match (first, data.path.last().map_or("", |n| n.as_str())) {
            ("allocator" | "initializer", _) => Self::Initializer,
            ("getter" | "read" | "read2" | "addressor" | "init", _) => Self::Storage,
            ("setter" | "modify" | "modify2" | "mutableAddressor", _) => Self::Setter,
            (_, "deinit") => Self::Deinitializer,
            _ => Self::Function,
        }
    }

    pub(super) fn is(self, kind: MemberKind) -> bool {
        match self {
            Self::Function => kind == MemberKind::Function,
            Self::Initializer => kind == MemberKind::Initializer,
            Self::Deinitializer => kind == MemberKind::Deinitializer,
            Self::Storage | Self::Setter => matches!(kind, MemberKind::Property | MemberKind::Subscript),
        }
    }
}

impl<'a> Visibility<'a> {
    /// Creates the visibility for these declarations.
    pub fn new(declarations: &'a Declarations, is_whole_module: bool) -> Self {
        Self { declarations, is_whole_module }
    }

    /// Returns the declarations.
    pub fn declarations(&self) -> &'a Declarations {
        self.declarations
    }

    /// Returns a type that the module itself declares.
    pub(super) fn own(&self, path: Symbol) -> Option<&'a NominalDecl> {
        let own = self.declarations.own();
        let decl = own.get(path).and_then(|entry| entry.nominal.as_ref());
        let inner =
            || Some(Symbol::new(path.as_str().strip_prefix(own.module?.as_str())?.strip_prefix('.')?));
        decl.or_else(|| own.get(inner()?)?.nominal.as_ref())
            .filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS))
    }

    /// Returns the path of the type that declares a member, and the member's name.
    pub(super) fn split(method: DeclRef) -> Option<(Symbol, Symbol)> {
        let bare = method.data().path.last()?.as_str().trim_matches(|c| c == '`' || c == '"');
        Some((method.owner_path()?, Symbol::new(bare)))
    }

    /// Returns the bodies of a type and its extensions in the module.
    pub(super) fn bodies(&self, path: Symbol) -> impl Iterator<Item = &'a DeclBody> + use<'a> {
        let entry = self.declarations.own().get(path);
        let nominal = entry.and_then(|e| e.nominal.as_ref()).map(|n| &n.body);
        let extensions = entry.into_iter().flat_map(|e| e.extensions.iter().map(|x| &x.body));
        nominal.into_iter().chain(extensions)
    }

    /// Returns the effective access level of a type of the module, which is limited by its enclosing types.
    pub(super) fn access_of_type(&self, path: Symbol) -> Option<AccessLevel> {
        let mut access = self.effective(self.own(path)?);
        let mut enclosing = path.as_str();
        while let Some((outer, _)) = enclosing.rsplit_once('.') {
            // The first components of the path may be the module name.
            let Some(decl) = self.own(Symbol::new(outer)) else { break };
            access = access.min(self.effective(decl));
            enclosing = outer;
        }
        Some(access)
    }

    fn effective(&self, decl: &NominalDecl) -> AccessLevel {
        public_if(decl.access, decl.flags)
    }

    /// Returns the effective access level of a member of a type of the module, the most permissive one of overloads;
    /// `None` if it is not known or the member is dynamically replaceable.
    fn access_of_member(&self, owner: Symbol, name: Symbol, kind: Kind) -> Option<AccessLevel> {
        let of_type = self.access_of_type(owner)?;
        let decl = self.own(owner)?;
        let mut found = None;
        let mut add = |access: AccessLevel, flags: DeclFlags| {
            let access = match public_if(access, flags) {
                _ if flags.contains(DeclFlags::DYNAMIC) => AccessLevel::Open,
                access if kind == Kind::Setter => access.min(access_of_setter(flags)),
                access => access,
            };
            found = found.max(Some(access));
        };
        for body in self.bodies(owner) {
            let members = body.members.all_named(name).filter(|m| kind.is(m.kind));
            members.for_each(|m| add(m.access, m.flags));
            if matches!(kind, Kind::Storage | Kind::Setter) {
                body.fields.all_named(name).for_each(|f| add(f.access, f.flags));
            }
        }
        match (found, kind) {
            // Implicit members and protocol requirements have the access level of their type.
            (_, Kind::Deinitializer) => Some(of_type),
            (None, Kind::Initializer) => Some(of_type.min(AccessLevel::Internal)),
            (Some(_), _) if decl.kind == silkit_types::decl::NominalKind::Protocol => Some(of_type),
            (Some(access), _) => Some(access.min(of_type)),
            (None, _) => None,
        }
    }

    /// Returns true if all possible overrides of a member are in this module.
    pub fn is_closed(&self, method: DeclRef) -> bool {
        let Some((owner, name)) = Self::split(method).filter(|_| !method.is_foreign()) else { return false };
        self.is_member_closed(owner, name, Kind::of(method))
    }

    /// Returns true if code outside this module may call a method by its name.
    pub fn may_be_called_elsewhere(&self, method: DeclRef) -> bool {
        let Some((owner, name)) = Self::split(method) else { return true };
        match self.access_of_member(owner, name, Kind::of(method)) {
            None | Some(AccessLevel::Open | AccessLevel::Public | AccessLevel::Package) => true,
            Some(AccessLevel::Internal) => !self.is_whole_module,
            Some(AccessLevel::FilePrivate | AccessLevel::Private) => false,
        }
    }

    /// Returns true if all types that conform to a protocol are in this module.
    pub(super) fn is_protocol_closed(&self, protocol: Symbol) -> bool {
        match self.access_of_type(protocol) {
            None | Some(AccessLevel::Open | AccessLevel::Public | AccessLevel::Package) => false,
            Some(AccessLevel::Internal) => self.is_whole_module,
            Some(AccessLevel::FilePrivate | AccessLevel::Private) => true,
        }
    }

    pub(super) fn is_member_closed(&self, owner: Symbol, name: Symbol, kind: Kind) -> bool {
        match self.access_of_member(owner, name, kind) {
            None | Some(AccessLevel::Open) => false,
            // A class in another module may override an initializer even if it is not `open`.
            Some(AccessLevel::Public | AccessLevel::Package)
                if kind == Kind::Initializer && self.access_of_type(owner) == Some(AccessLevel::Open) =>
            {
                false
            }
            Some(AccessLevel::Public | AccessLevel::Package | AccessLevel::Internal) => self.is_whole_module,
            Some(AccessLevel::FilePrivate | AccessLevel::Private) => true,
        }
    }
}

/// Returns the access level; declarations that other modules may inline count as public.
fn public_if(access: AccessLevel, flags: DeclFlags) -> AccessLevel {
    if flags.contains(DeclFlags::USABLE_FROM_INLINE) { access.max(AccessLevel::Public) } else { access }
}

/// Returns the limit that modifiers such as `private(set)` put on the access level of the accessors that write.
fn access_of_setter(flags: DeclFlags) -> AccessLevel {
    match flags {
        _ if flags.contains(DeclFlags::PRIVATE_SETTER) => AccessLevel::FilePrivate,
        _ if flags.contains(DeclFlags::INTERNAL_SETTER) => AccessLevel::Internal,
        _ => AccessLevel::Open,
    }
}
