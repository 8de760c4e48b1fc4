//! Attributes of instructions and the encoding of their words.

/// An attribute of an instruction.
#[derive(Debug)]
pub struct AttrSpec {
    /// Its name.
    pub name: &'static str,
    /// The meaning of its word.
    pub kind: AttrKind,
}

/// The encoding of the word of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttrKind {
    /// A number.
    U32,
    /// A number, or [`crate::NONE`].
    OptU32,
    /// The number of operands in a list.
    Count,
    /// The index of a keyword; [`crate::NONE`] if it is optional and missing.
    Choice(&'static [&'static str], bool),
    /// A symbol.
    Sym,
    /// The text of a string literal, with escapes as spelled.
    Str,
    /// A string, or [`crate::NONE`].
    OptStr,
    /// A lowered type with its category.
    SilType,
    /// A lowered type, or [`crate::NONE`].
    OptSilType,
    /// A formal type.
    Type,
    /// A formal type, or [`crate::NONE`].
    OptType,
    /// A reference to a declaration.
    Decl,
    /// The name of a function.
    Function,
    /// The name of a global variable.
    Global,
    /// A block.
    Block,
    /// A block, or [`crate::NONE`].
    OptBlock,
    /// A list of numbers among the body's words, or [`crate::NONE`].
    ListU32,
    /// A list of symbols or [`crate::NONE`]s among the body's words, or [`crate::NONE`].
    ListOptSym,
    /// A list of types among the body's words, or [`crate::NONE`].
    ListType,
    /// A list of lowered types among the body's words.
    ListSilType,
    /// A list of blocks among the body's words.
    ListBlock,
    /// A list of declarations among the body's words.
    ListDecl,
    /// A list that alternates declarations and blocks, among the body's words.
    ListDeclBlock,
    /// A debug variable, or [`crate::NONE`].
    DebugVar,
    /// The pattern of a key path.
    KeyPath,
    /// A generic signature, or [`crate::NONE`].
    OptSig,
}

impl AttrKind {
    /// Returns true if the attribute consists of types or may contain them.
    pub fn holds_types(self) -> bool {
        use AttrKind as K;
        matches!(
            self,
            K::SilType | K::OptSilType | K::Type | K::OptType | K::ListType | K::ListSilType | K::DebugVar
        )
    }

    /// Returns true if the word refers to a list among the body's words.
    pub fn is_list(self) -> bool {
        use AttrKind as K;
        matches!(
            self,
            K::ListU32
                | K::ListOptSym
                | K::ListType
                | K::ListSilType
                | K::ListBlock
                | K::ListDecl
                | K::ListDeclBlock
        )
    }
}
