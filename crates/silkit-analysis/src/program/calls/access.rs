//! Access control of members, as far as it determines which other functions may be called instead.

use silkit_base::Symbol;
use silkit_ir::DeclRef;
use silkit_types::decl::{Access, DeclBody, DeclFlags, Declarations, MemberKind, NominalDecl};

/// The visible part of a program: the module's declarations, and whether its files are compiled together.
#[derive(Clone, Copy, Debug)]
pub struct Visibility<'a> {
    declarations: &'a Declarations,
    /// True if the whole module is here, `-wmo`: what is internal is then called from here alone.
    pub is_whole_module: bool,
}

/// A member as a method reference names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Function,
    Initializer,
    Deinitializer,
    Storage,
}

impl Kind {
    /// Returns the kind of a method reference, by the text after its `!`.
    pub(super) fn of(method: DeclRef) -> Self {
        let data = method.data();
        let first = data.kinds.first().map_or("", |k| k.as_str());
        match (first, data.path.last().map_or("", |n| n.as_str())) {
            ("allocator" | "initializer", _) => Self::Initializer,
            (
                "getter" | "setter" | "read" | "modify" | "read2" | "modify2" | "addressor"
                | "mutableAddressor" | "init",
                _,
            ) => Self::Storage,
            (_, "deinit") => Self::Deinitializer,
            _ => Self::Function,
        }
    }

    pub(super) fn is(self, kind: MemberKind) -> bool {
        match self {
            Self::Function => kind == MemberKind::Function,
            Self::Initializer => kind == MemberKind::Initializer,
            Self::Deinitializer => kind == MemberKind::Deinitializer,
            Self::Storage => matches!(kind, MemberKind::Property | MemberKind::Subscript),
        }
    }
}

impl<'a> Visibility<'a> {
    /// Creates the visibility of a module with these declarations.
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
        let (name, outer) = method.data().path.split_last()?;
        let outer: Vec<&str> = outer.iter().map(|s| s.as_str()).collect();
        let bare = name.as_str().trim_matches(|c| c == '`' || c == '"');
        (!outer.is_empty()).then(|| (Symbol::new(&outer.join(".")), Symbol::new(bare)))
    }

    /// Returns the bodies of a type of the module and of its extensions.
    pub(super) fn bodies(&self, path: Symbol) -> impl Iterator<Item = &'a DeclBody> + use<'a> {
        let entry = self.declarations.own().get(path);
        let nominal = entry.and_then(|e| e.nominal.as_ref()).map(|n| &n.body);
        let extensions = entry.into_iter().flat_map(|e| e.extensions.iter().map(|x| &x.body));
        nominal.into_iter().chain(extensions)
    }

    /// Returns the effective access of a type of the module, at most that of the types around it.
    pub(super) fn access_of_type(&self, path: Symbol) -> Option<Access> {
        let mut access = self.effective(self.own(path)?);
        let mut around = path.as_str();
        while let Some((outer, _)) = around.rsplit_once('.') {
            // What stands before the first type is the name of the module.
            let Some(decl) = self.own(Symbol::new(outer)) else { break };
            access = access.min(self.effective(decl));
            around = outer;
        }
        Some(access)
    }

    fn effective(&self, decl: &NominalDecl) -> Access {
        public_if(decl.access, decl.flags)
    }

    /// Returns the effective access of a member of a type of the module, the widest one of several with its name;
    /// `None` if it is not known or the member may be replaced at run time.
    fn access_of_member(&self, owner: Symbol, name: Symbol, kind: Kind) -> Option<Access> {
        let of_type = self.access_of_type(owner)?;
        let decl = self.own(owner)?;
        let mut found = None;
        let mut add = |access: Access, flags: DeclFlags| {
            let access =
                if flags.contains(DeclFlags::DYNAMIC) { Access::Open } else { public_if(access, flags) };
            found = found.max(Some(access));
        };
        for body in self.bodies(owner) {
            let members = body.members.iter().filter(|m| kind.is(m.kind));
            members
                .filter(|m| m.name == name || kind == Kind::Deinitializer)
                .for_each(|m| add(m.access, m.flags));
            if kind == Kind::Storage {
                body.fields.iter().filter(|f| f.name == name).for_each(|f| add(f.access, f.flags));
            }
        }
        match (found, kind) {
            // Implied members, and requirements, are as visible as their type.
            (_, Kind::Deinitializer) => Some(of_type),
            (None, Kind::Initializer) => Some(of_type.min(Access::Internal)),
            (Some(_), _) if decl.kind == silkit_types::decl::NominalKind::Protocol => Some(of_type),
            (Some(access), _) => Some(access.min(of_type)),
            (None, _) => None,
        }
    }

    /// Returns true if all that may be called in the place of a member is in this module.
    pub fn is_closed(&self, method: DeclRef) -> bool {
        let is_foreign = method.data().kinds.iter().any(|k| *k == "foreign");
        let Some((owner, name)) = Self::split(method).filter(|_| !is_foreign) else { return false };
        self.is_member_closed(owner, name, Kind::of(method))
    }

    /// Returns true if code elsewhere may call a method by its name.
    pub fn may_be_called_elsewhere(&self, method: DeclRef) -> bool {
        let Some((owner, name)) = Self::split(method) else { return true };
        match self.access_of_member(owner, name, Kind::of(method)) {
            None | Some(Access::Open | Access::Public | Access::Package) => true,
            Some(Access::Internal) => !self.is_whole_module,
            Some(Access::FilePrivate | Access::Private) => false,
        }
    }

    /// Returns true if all types that conform to a protocol are in this module.
    pub(super) fn is_protocol_closed(&self, protocol: Symbol) -> bool {
        match self.access_of_type(protocol) {
            None | Some(Access::Open | Access::Public | Access::Package) => false,
            Some(Access::Internal) => self.is_whole_module,
            Some(Access::FilePrivate | Access::Private) => true,
        }
    }

    pub(super) fn is_member_closed(&self, owner: Symbol, name: Symbol, kind: Kind) -> bool {
        match self.access_of_member(owner, name, kind) {
            None | Some(Access::Open) => false,
            // A class elsewhere may override what makes an instance, though that itself is not open.
            Some(Access::Public | Access::Package)
                if kind == Kind::Initializer && self.access_of_type(owner) == Some(Access::Open) =>
            {
                false
            }
            Some(Access::Public | Access::Package | Access::Internal) => self.is_whole_module,
            Some(Access::FilePrivate | Access::Private) => true,
        }
    }
}

/// Returns what code elsewhere may have inlined is as visible as what is public.
fn public_if(access: Access, flags: DeclFlags) -> Access {
    if flags.contains(DeclFlags::USABLE_FROM_INLINE) { access.max(Access::Public) } else { access }
}
