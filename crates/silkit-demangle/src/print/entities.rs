//! Declarations, with their contexts before or after them.

use super::Printer;
use crate::node::{Kind, NodeId};

/// The format of a declaration's type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeStyle {
    None,
    /// `name : Type`.
    Colon,
    /// `name(Params) -> Result`.
    Function,
}

/// The parts of a declaration's text.
struct Parts<'a> {
    ty: TypeStyle,
    /// True if the second child is the name.
    named: bool,
    /// The fixed text in place of a name: `subscript`.
    fixed_name: &'a str,
    /// The text after the name, or before it if it has spaces: `getter`, `closure #`.
    extra: &'a str,
    /// The number after that.
    index: Option<u64>,
}

impl Parts<'_> {
    const fn new(ty: TypeStyle) -> Parts<'static> {
        Parts { ty, named: false, fixed_name: "", extra: "", index: None }
    }
}

fn accessor_name(kind: Kind) -> Option<&'static str> {
    use Kind::*;
    Some(match kind {
        Getter | GlobalGetter => "getter",
        Setter => "setter",
        MaterializeForSet => "materializeForSet",
        WillSet => "willset",
        DidSet => "didset",
        InitAccessor => "init",
        ReadAccessor => "read",
        ModifyAccessor => "modify",
        Read2Accessor => "read2",
        Modify2Accessor => "modify2",
        BorrowAccessor => "borrow",
        MutateAccessor => "mutate",
        UnsafeAddressor => "unsafeAddressor",
        UnsafeMutableAddressor => "unsafeMutableAddressor",
        OwningAddressor => "owningAddressor",
        OwningMutableAddressor => "owningMutableAddressor",
        NativeOwningAddressor => "nativeOwningAddressor",
        NativeOwningMutableAddressor => "nativeOwningMutableAddressor",
        NativePinningAddressor => "nativePinningAddressor",
        NativePinningMutableAddressor => "nativePinningMutableAddressor",
        _ => return None,
    })
}

impl Printer<'_> {
    pub(super) fn declaration(&mut self, node: NodeId, prefix: bool) -> Option<NodeId> {
        use Kind::*;
        let kind = self.kind(node);
        if let Some(name) = accessor_name(kind) {
            return self.storage(self.child(node, 0)?, prefix, name);
        }
        let of_class = self.child(node, 0).is_some_and(|c| self.kind(c) == Class);
        let index = self.child(node, 1).and_then(|i| self.tree.index(i)).unwrap_or_default();
        let parts = match kind {
            Structure | Class | Enum | Protocol | TypeAlias | OtherNominalType => {
                Parts { named: true, ..Parts::new(TypeStyle::None) }
            }
            Macro if self.tree.children(node).len() == 3 => {
                Parts { named: true, ..Parts::new(TypeStyle::Colon) }
            }
            Function | BoundGenericFunction | Macro => {
                Parts { named: true, ..Parts::new(TypeStyle::Function) }
            }
            Variable => Parts { named: true, ..Parts::new(TypeStyle::Colon) },
            Subscript => Parts { fixed_name: "subscript", ..Parts::new(TypeStyle::Function) },
            Static => {
                self.push("static ");
                self.nth(node, 0);
                return None;
            }
            Extension => {
                self.extension(node);
                return None;
            }
            AnonymousContext => {
                self.anonymous_context(node);
                return None;
            }
            OpaqueReturnTypeOf => {
                self.push("<<opaque return type of ");
                self.children(node, "");
                self.push(">>");
                return None;
            }
            AutoDiffFunction => {
                self.autodiff_function(node);
                return None;
            }
            Allocator => Parts {
                extra: if of_class { "__allocating_init" } else { "init" },
                ..Parts::new(TypeStyle::Function)
            },
            Constructor => Parts { extra: "init", ..Parts::new(TypeStyle::Function) },
            Destructor => Parts { extra: "deinit", ..Parts::new(TypeStyle::None) },
            Deallocator => Parts {
                extra: if of_class { "__deallocating_deinit" } else { "deinit" },
                ..Parts::new(TypeStyle::None)
            },
            IsolatedDeallocator => Parts {
                extra: if of_class { "__isolated_deallocating_deinit" } else { "deinit" },
                ..Parts::new(TypeStyle::None)
            },
            IVarInitializer => Parts { extra: "__ivar_initializer", ..Parts::new(TypeStyle::None) },
            IVarDestroyer => Parts { extra: "__ivar_destroyer", ..Parts::new(TypeStyle::None) },
            Initializer => {
                Parts { extra: "variable initialization expression", ..Parts::new(TypeStyle::None) }
            }
            PropertyWrapperBackingInitializer => {
                Parts { extra: "property wrapper backing initializer", ..Parts::new(TypeStyle::None) }
            }
            PropertyWrapperInitFromProjectedValue => {
                Parts { extra: "property wrapper init from projected value", ..Parts::new(TypeStyle::None) }
            }
            PropertyWrappedFieldInitAccessor => {
                Parts { extra: "property wrapped field init accessor", ..Parts::new(TypeStyle::None) }
            }
            DefaultArgumentInitializer => {
                Parts { extra: "default argument ", index: Some(index), ..Parts::new(TypeStyle::None) }
            }
            ExplicitClosure | ImplicitClosure => Parts {
                extra: if kind == ExplicitClosure { "closure #" } else { "implicit closure #" },
                index: Some(index.saturating_add(1)),
                ..Parts::new(if self.full { TypeStyle::Function } else { TypeStyle::None })
            },
            MacroExpansion => return self.macro_expansion(node, prefix),
            FreestandingMacroExpansion | MacroExpansionUniqueName => return self.freestanding(node, prefix),
            MacroExpansionLoc => {
                self.macro_location(node);
                return None;
            }
            _ => return None,
        };
        self.entity(node, prefix, &parts)
    }

    /// Prints an accessor as its storage followed by one word.
    fn storage(&mut self, storage: NodeId, prefix: bool, accessor: &str) -> Option<NodeId> {
        let parts = match self.kind(storage) {
            Kind::Variable => Parts { named: true, extra: accessor, ..Parts::new(TypeStyle::Colon) },
            Kind::Subscript => {
                Parts { fixed_name: "subscript", extra: accessor, ..Parts::new(TypeStyle::Colon) }
            }
            _ => return None,
        };
        self.entity(storage, prefix, &parts)
    }

    fn entity(&mut self, node: NodeId, prefix: bool, parts: &Parts<'_>) -> Option<NodeId> {
        let mut entity = node;
        let mut arguments = None;
        if self.kind(node) == Kind::BoundGenericFunction {
            entity = self.child(node, 0)?;
            arguments = self.child(node, 1);
        }
        let local = parts.named && self.child(entity, 1).is_some_and(|n| self.kind(n) == Kind::LocalDeclName);
        let words = parts.extra.contains(' ') || local;
        if prefix && (parts.ty != TypeStyle::None || words) {
            return Some(node);
        }
        let after;
        let context = self.child(entity, 0)?;
        if words {
            after = Some(context);
        } else {
            let before = self.out.len();
            after = self.node_as(context, true);
            if self.out.len() != before {
                self.push(".");
            }
        }
        let mut extra = parts.extra;
        if parts.named || !parts.fixed_name.is_empty() {
            if !extra.is_empty() && words {
                self.push(extra);
                self.push(" of ");
                extra = "";
            }
            let before = self.out.len();
            self.push(parts.fixed_name);
            if parts.named {
                let name = self.child(entity, 1)?;
                self.node(name);
            }
            if self.out.len() != before && !extra.is_empty() {
                self.push(".");
            }
        } else if self.kind(entity) == Kind::Constructor
            && let Some(private) = self.tree.child_of(entity, Kind::PrivateDeclName)
        {
            // The reference also prints the type here if the initializer has no parameters, and so no labels:
            // `C.().init()` in simplified form.
            let before = self.out.len();
            if let Some(ty) = self.child(entity, 1).filter(|&ty| self.kind(ty) == Kind::Type)
                && !self.has_parameters(ty)
            {
                self.node(ty);
            }
            self.node(private);
            if self.out.len() != before {
                self.push(".");
            }
        }
        self.push(extra);
        if let Some(index) = parts.index {
            self.number(index);
        }
        if parts.ty != TypeStyle::None {
            self.entity_type(entity, parts.ty, words, arguments)?;
        }
        if prefix {
            return after;
        }
        if let Some(context) = after {
            let of = matches!(
                self.kind(entity),
                Kind::DefaultArgumentInitializer
                    | Kind::Initializer
                    | Kind::PropertyWrapperBackingInitializer
                    | Kind::PropertyWrapperInitFromProjectedValue
                    | Kind::PropertyWrappedFieldInitAccessor
            );
            self.push(if of { " of " } else { " in " });
            self.node(context);
        }
        None
    }

    /// Returns true if a type is that of a function with parameters.
    fn has_parameters(&self, ty: NodeId) -> bool {
        let mut function = ty;
        while let Some(inner) = match self.kind(function) {
            Kind::Type => self.child(function, 0),
            Kind::DependentGenericType => self.child(function, 1),
            _ => None,
        } {
            function = inner;
        }
        let arguments = self.tree.child_of(function, Kind::ArgumentTuple);
        let params = arguments.and_then(|arguments| self.child(self.child(arguments, 0)?, 0));
        params
            .is_some_and(|params| self.kind(params) != Kind::Tuple || !self.tree.children(params).is_empty())
    }

    fn entity_type(
        &mut self,
        entity: NodeId,
        style: TypeStyle,
        words: bool,
        arguments: Option<NodeId>,
    ) -> Option<()> {
        let wrapped = self.tree.child_of(entity, Kind::Type)?;
        let ty = self.child(wrapped, 0)?;
        let mut style = style;
        if style == TypeStyle::Function {
            // A type that is not a function type is printed after a colon.
            let mut inner = ty;
            while self.kind(inner) == Kind::DependentGenericType {
                let next = self.child(inner, 1)?;
                inner = self.child(next, 0)?;
            }
            let called = matches!(
                self.kind(inner),
                Kind::FunctionType
                    | Kind::NoEscapeFunctionType
                    | Kind::UncurriedFunctionType
                    | Kind::CFunctionPointer
                    | Kind::ThinFunctionType
            );
            if !called {
                style = TypeStyle::Colon;
            }
        }
        if style == TypeStyle::Colon {
            if self.full {
                self.push(" : ");
                self.typed_entity(entity, ty, arguments);
            }
        } else {
            if words || self.needs_space(ty) {
                self.push(" ");
            }
            self.typed_entity(entity, ty, arguments);
        }
        Some(())
    }

    fn typed_entity(&mut self, entity: NodeId, ty: NodeId, arguments: Option<NodeId>) {
        let labels = self.tree.child_of(entity, Kind::LabelList);
        if labels.is_none() && arguments.is_none() {
            self.node(ty);
            return;
        }
        if let Some(arguments) = arguments {
            self.push("<");
            self.children(arguments, ", ");
            self.push(">");
        }
        let mut ty = ty;
        let mut packs = None;
        if self.kind(ty) == Kind::DependentGenericType {
            let signature = self.tree.children(ty)[0];
            packs = Some(self.enter(signature));
            if arguments.is_none() {
                self.node(signature);
            }
            let inner = self.tree.children(ty)[1];
            if self.needs_space(inner) {
                self.push(" ");
            }
            ty = self.child(inner, 0).unwrap_or(inner);
        }
        self.labelled_function(labels, ty);
        if let Some(packs) = packs {
            self.packs.truncate(packs);
        }
    }

    fn extension(&mut self, node: NodeId) {
        if self.full {
            self.push("(extension in ");
            self.nth(node, 0);
            self.push("):");
        }
        self.nth(node, 1);
        self.nth(node, 2);
    }

    fn anonymous_context(&mut self, node: NodeId) {
        if self.full {
            if let Some(parent) = self.child(node, 1) {
                self.node_as(parent, false);
                self.push(".");
            }
            self.push("(unknown context at ");
            self.nth(node, 0);
            self.push(")");
            if let Some(types) = self.child(node, 2).filter(|&t| !self.tree.children(t).is_empty()) {
                self.push("<");
                self.children(types, ", ");
                self.push(">");
            }
        }
    }

    fn macro_expansion(&mut self, node: NodeId, prefix: bool) -> Option<NodeId> {
        if prefix {
            return Some(node);
        }
        let index = self.child(node, 4).and_then(|i| self.tree.index(i)).unwrap_or_default();
        self.nth(node, 3);
        self.push(" macro @");
        self.nth(node, 2);
        self.push(" expansion #");
        self.number(index.saturating_add(1));
        self.push(" of ");
        self.nth(node, 1);
        self.push(" in ");
        self.nth(node, 0);
        None
    }

    fn freestanding(&mut self, node: NodeId, prefix: bool) -> Option<NodeId> {
        if prefix {
            return Some(node);
        }
        let unique = self.kind(node) == Kind::MacroExpansionUniqueName;
        let index =
            self.tree.child_of(node, Kind::Index).and_then(|i| self.tree.index(i)).unwrap_or_default();
        self.push(if unique { "unique name #" } else { "freestanding macro expansion #" });
        self.number(index.saturating_add(1));
        self.push(" of ");
        self.nth(node, 1);
        if let Some(private) = self.tree.child_of(node, Kind::PrivateDeclName) {
            self.node(private);
        }
        self.push(" in ");
        self.nth(node, 0);
        None
    }

    fn macro_location(&mut self, node: NodeId) {
        self.push("module ");
        self.nth(node, 0);
        self.push(" file ");
        self.nth(node, 1);
        self.push(" line ");
        let number = |p: &Self, n: usize| p.child(node, n).and_then(|i| p.tree.index(i)).unwrap_or_default();
        let (line, column) = (number(self, 2), number(self, 3));
        self.number(line);
        self.push(" column ");
        self.number(column);
    }
}
