//! Types in mangled names.

use super::Mangler;
use super::writer::Key;
use silkit_base::Symbol;
use silkit_types::decl::{AccessLevel, ExtensionDecl, Lookup, NominalDecl, NominalKind};
use silkit_types::{MetatypeRepr, NamedType, Type, TypeKind};

/// The maximum nesting of types.
const MAX_DEPTH: u32 = 64;

/// Types of the standard library with a one-letter code (ABI/Mangling.rst, KNOWN-TYPE-KIND).
const KNOWN: &[(&str, &str)] = &[
    ("AutoreleasingUnsafeMutablePointer", "A"),
    ("Array", "a"),
    ("BinaryFloatingPoint", "B"),
    ("Bool", "b"),
    ("Dictionary", "D"),
    ("Double", "d"),
    ("Encodable", "E"),
    ("Decodable", "e"),
    ("FloatingPoint", "F"),
    ("Float", "f"),
    ("RandomNumberGenerator", "G"),
    ("Hashable", "H"),
    ("Set", "h"),
    ("DefaultIndices", "I"),
    ("Int", "i"),
    ("Character", "J"),
    ("Numeric", "j"),
    ("BidirectionalCollection", "K"),
    ("RandomAccessCollection", "k"),
    ("Comparable", "L"),
    ("Collection", "l"),
    ("MutableCollection", "M"),
    ("RangeReplaceableCollection", "m"),
    ("ClosedRange", "N"),
    ("Range", "n"),
    ("ObjectIdentifier", "O"),
    ("UnsafePointer", "P"),
    ("UnsafeMutablePointer", "p"),
    ("Equatable", "Q"),
    ("Optional", "q"),
    ("UnsafeBufferPointer", "R"),
    ("UnsafeMutableBufferPointer", "r"),
    ("String", "S"),
    ("Substring", "s"),
    ("Sequence", "T"),
    ("IteratorProtocol", "t"),
    ("UnsignedInteger", "U"),
    ("UInt", "u"),
    ("UnsafeRawPointer", "V"),
    ("UnsafeMutableRawPointer", "v"),
    ("UnsafeRawBufferPointer", "W"),
    ("UnsafeMutableRawBufferPointer", "w"),
    ("RangeExpression", "X"),
    ("Strideable", "x"),
    ("RawRepresentable", "Y"),
    ("StringProtocol", "y"),
    ("SignedInteger", "Z"),
    ("BinaryInteger", "z"),
    ("Actor", "cA"),
    ("CheckedContinuation", "cC"),
    ("UnsafeContinuation", "cc"),
    ("CancellationError", "cE"),
    ("UnownedSerialExecutor", "ce"),
    ("Executor", "cF"),
    ("SerialExecutor", "cf"),
    ("TaskGroup", "cG"),
    ("ThrowingTaskGroup", "cg"),
    ("AsyncIteratorProtocol", "cI"),
    ("AsyncSequence", "ci"),
    ("UnownedJob", "cJ"),
    ("MainActor", "cM"),
    ("TaskPriority", "cP"),
    ("AsyncStream", "cS"),
    ("AsyncThrowingStream", "cs"),
    ("Task", "cT"),
    ("UnsafeCurrentTask", "ct"),
];

impl Mangler<'_> {
    /// Writes a type without aliases and sugar.
    pub(super) fn ty(&mut self, ty: Type) -> Option<()> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let written = self.ty_inside(ty);
        self.depth -= 1;
        written
    }

    fn ty_inside(&mut self, ty: Type) -> Option<()> {
        match ty.kind() {
            TypeKind::Param { depth: 0, index: 0, .. } => self.out.push("x"),
            TypeKind::Param { depth, index, .. } => self.out.operator("q", *depth, *index),
            TypeKind::Named(named) if named.name == "AnyObject" && named.parent.is_none() => {
                self.out.push("yXl");
            }
            TypeKind::Named(named) if named.name == "Any" && named.parent.is_none() => self.out.push("yp"),
            TypeKind::Named(_) => return self.nominal_type(ty),
            TypeKind::Member(base, name) => return self.member(ty, *base, *name),
            TypeKind::Tuple(elements) if elements.is_empty() => self.out.push("yt"),
            TypeKind::Tuple(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    self.ty(element.ty)?;
                    if let Some(label) = element.label {
                        self.out.identifier(label.as_str());
                    }
                    self.out.push(if i == 0 { "_" } else { "" });
                }
                self.out.push("t");
            }
            TypeKind::Metatype(MetatypeRepr::Formal, instance) => {
                self.ty(*instance)?;
                self.out.push("m");
            }
            TypeKind::Any(inner) => return self.existential(*inner),
            TypeKind::PackExpansion(pattern) => {
                let TypeKind::PackElement(param) = pattern.kind() else { return None };
                self.ty(*param)?;
                self.ty(*param)?;
                self.out.push("Qp");
            }
            TypeKind::Optional(_)
            | TypeKind::Array(_)
            | TypeKind::Dictionary(..)
            | TypeKind::Paren(_)
            | TypeKind::ImplicitlyUnwrapped(_) => return self.ty(self.decls.resolve(ty)),
            _ => return None,
        }
        Some(())
    }

    fn existential(&mut self, inner: Type) -> Option<()> {
        let parts = match inner.kind() {
            TypeKind::Composition(parts) => parts.to_vec(),
            _ => vec![inner],
        };
        for (i, part) in parts.iter().enumerate() {
            self.protocol(*part)?;
            self.out.push(if i == 0 { "_" } else { "" });
        }
        self.out.push("p");
        Some(())
    }

    /// Writes a nominal type with its arguments and those of its enclosing types.
    fn nominal_type(&mut self, ty: Type) -> Option<()> {
        let levels = argument_levels(ty)?;
        let path = self.decls.path_of(ty)?;
        let decl = self.known(path)?;
        if decl.kind == NominalKind::Protocol {
            return self.existential(ty);
        }
        if levels.iter().all(|args| args.is_empty()) {
            return self.nominal(path);
        }
        let key = Key::Type(ty);
        if self.out.reuse(&key) {
            return Some(());
        }
        if path == "Optional" {
            self.ty(*levels.first()?.first()?)?;
            self.out.push("Sg");
        } else {
            self.nominal(path)?;
            self.out.push("y");
            for (i, args) in levels.iter().enumerate() {
                self.out.push(if i > 0 { "_" } else { "" });
                for &arg in *args {
                    self.argument(arg)?;
                }
            }
            self.out.push("G");
        }
        self.out.remember(key);
        Some(())
    }

    /// Writes a generic argument. The arguments of a pack parameter form a pack.
    fn argument(&mut self, arg: Type) -> Option<()> {
        self.ty(arg)?;
        if matches!(arg.kind(), TypeKind::PackExpansion(_)) {
            self.out.push("_QP");
        }
        Some(())
    }

    /// Returns the declaration at a path, if it is known.
    pub(super) fn known(&self, path: Symbol) -> Option<&NominalDecl> {
        match self.decls.lookup_nominal(path) {
            Lookup::Known(decl) => Some(decl),
            _ => None,
        }
    }

    /// Returns true if the file itself declares the type at a path.
    pub(super) fn is_own(&self, path: Symbol) -> bool {
        self.decls.own().get(path).is_some_and(|e| e.nominal.is_some())
    }

    /// Returns the code of a standard type.
    fn standard(&self, path: Symbol) -> Option<&'static str> {
        KNOWN.iter().find(|k| path == k.0).map(|k| k.1).filter(|_| !self.is_own(path))
    }

    /// Writes a nominal type without arguments.
    pub(super) fn nominal(&mut self, path: Symbol) -> Option<()> {
        if let Some(code) = self.standard(path) {
            self.out.standard(code);
            return Some(());
        }
        let key = Key::Nominal(path);
        if self.out.reuse(&key) {
            return Some(());
        }
        self.name_in_context(path)?;
        self.out.push(match self.known(path)?.kind {
            NominalKind::Struct => "V",
            NominalKind::Enum => "O",
            NominalKind::Class | NominalKind::Actor => "C",
            NominalKind::Protocol => "P",
        });
        self.out.remember(key);
        Some(())
    }

    /// Writes the name of a protocol, without a letter for its kind.
    pub(super) fn protocol(&mut self, ty: Type) -> Option<()> {
        let path = self.decls.path_of(self.decls.resolve(ty))?;
        match self.standard(path) {
            Some(code) => {
                self.out.standard(code);
                Some(())
            }
            None => self.name_in_context(path),
        }
    }

    fn name_in_context(&mut self, path: Symbol) -> Option<()> {
        let (access, name) = self.known(path).map(|d| (d.access, d.name))?;
        match path.as_str().rsplit_once('.') {
            Some((outer, _)) => self.context(path, Symbol::new(outer))?,
            None => self.module(path),
        }
        self.out.identifier(name.as_str().trim_matches('`'));
        if self.is_own(path) && access <= AccessLevel::FilePrivate {
            self.discriminator();
        }
        Some(())
    }

    /// Writes the module that declares the type at a path.
    fn module(&mut self, path: Symbol) {
        if self.is_own(path) {
            self.out.identifier(&self.naming.module);
        } else {
            self.out.push("s");
        }
    }

    /// Returns the extension in which a type is declared.
    pub(super) fn extension_around(&self, path: Symbol) -> Option<&ExtensionDecl> {
        let (outer, _) = path.as_str().rsplit_once('.')?;
        let range = self.known(path).filter(|_| self.is_own(path))?.range;
        let extensions = &self.decls.own().get(Symbol::new(outer))?.extensions;
        extensions.iter().find(|x| x.range.start <= range.start && range.end <= x.range.end)
    }

    /// Writes the context of a nested type: a type, or an extension of one.
    fn context(&mut self, path: Symbol, outer: Symbol) -> Option<()> {
        self.nominal(outer)?;
        let Some(extension) = self.extension_around(path) else { return Some(()) };
        if self.is_own(outer) && extension.requirements.is_empty() {
            return Some(());
        }
        let requirements = extension.requirements.clone();
        self.out.identifier(&self.naming.module);
        if !requirements.is_empty() {
            self.requirements(&requirements, outer)?;
        }
        self.out.push("E");
        Some(())
    }

    /// Writes the discriminator of file-private declarations.
    fn discriminator(&mut self) {
        let digits = md5::compute(self.naming.module.clone() + &self.naming.file);
        self.out.identifier(&format!("_{digits:X}"));
        self.out.push("LL");
    }
}

/// Returns the arguments of a named type by nesting level, outermost first.
fn argument_levels(ty: Type) -> Option<Vec<&'static [Type]>> {
    let TypeKind::Named(NamedType { parent, args, name }) = ty.kind() else { return None };
    let mut levels = match parent {
        Some(parent) => argument_levels(*parent)?,
        None => Vec::new(),
    };
    debug_assert!(!name.as_str().is_empty());
    levels.push(args);
    Some(levels)
}
