//! Debug variables and source locations.

use crate::decl_ref::DeclRef;
use silkit_base::{Interned, Interner, Symbol};
use silkit_types::{SilType, Type};

static VARS: Interner<DebugVarData> = Interner::new();

/// A source position in a Swift file: `"a.swift":12:3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SourceLoc {
    /// The file as spelled; `None` for a compiler-generated location.
    pub file: Option<Symbol>,
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1.
    pub column: u32,
    /// True if it is spelled `* "file":line:column` (an auto-generated location).
    pub is_auto: bool,
    /// True if mandatory inlining gave an instruction the location of the call. Only comments show it: it is lost when
    /// the module is written.
    pub is_inlined: bool,
}

impl SourceLoc {
    /// The compiler-generated location, spelled `* "<compiler-generated>":0:0`.
    pub const NOWHERE: Self = Self { file: None, line: 0, column: 0, is_auto: true, is_inlined: false };
}

/// A hash-consed debug variable.
pub type DebugVar = Interned<DebugVarData>;

/// The debug variable of a `debug_value` or an allocation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DebugVarData {
    /// True for `let`, false for `var`; `None` if neither is spelled.
    pub is_let: Option<bool>,
    /// True if it is spelled in parentheses: `(name "x", …)`.
    pub parenthesized: bool,
    /// `name "x"`.
    pub name: Option<Symbol>,
    /// `loc "f":1:2` of the variable.
    pub loc: Option<SourceLoc>,
    /// `scope 3` of the variable.
    pub scope: Option<u32>,
    /// `argno 1`.
    pub argno: Option<u32>,
    /// `implicit`.
    pub implicit: bool,
    /// `type $T`.
    pub ty: Option<SilType>,
    /// `expr op_deref:…`.
    pub expr: Box<[DebugExpr]>,
    /// The text in the braces of `transform {…}`: a block that computes the variable from the operands (Swift 6.5).
    pub transform: Option<Symbol>,
}

/// An element of a debug expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DebugExpr {
    /// An operator: `op_deref`, `op_fragment`, ….
    Op(Symbol),
    /// A declaration: `#S.x`.
    Decl(DeclRef),
    /// A number.
    Int(Symbol),
    /// A type.
    Type(Type),
}

impl DebugVarData {
    /// Interns this variable and returns its handle.
    pub fn intern(self) -> DebugVar {
        VARS.intern(self)
    }

    /// Returns the data of a handle.
    pub fn of(var: DebugVar) -> &'static DebugVarData {
        VARS.get(var)
    }
}
