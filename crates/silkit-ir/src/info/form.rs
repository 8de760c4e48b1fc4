//! The text form of instructions: the pieces that the instruction table composes it from.

/// A piece of a text form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Fixed text, spaces included.
    Text(&'static str),
    /// An optional `[name] `, with the number of the flag.
    Flag(u8),
    /// A keyword of a fixed set.
    Choice {
        /// The attribute that holds the index of the keyword.
        attr: u8,
        /// True if it is in brackets and followed by a space.
        bracketed: bool,
    },
    /// One operand.
    Operand(u8),
    /// One operand whose type is always printed.
    TypedOperand(u8),
    /// One operand whose type is never printed.
    BareOperand(u8),
    /// A comma-separated list of operands.
    Operands(u8),
    /// An attribute, in the syntax of its kind.
    Attr(u8),
    /// A block with its arguments; the second number is the operand list, or 255.
    Target(u8, u8),
    /// An optional operand with the text before it and the rule for printing its type.
    OptOperand(&'static str, u8, Typed),
    /// An optional block with the text before it.
    OptTarget(&'static str, u8),
    /// An irregular piece with its own parse and print functions, its first attribute and its first operand.
    Custom(CustomPiece, u8, u8),
}

/// When the type of an operand is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// If types are requested, or if the definition of the operand has not determined its type yet.
    Asked,
    /// Always.
    Always,
    /// Never.
    Never,
}

named! {
    /// The irregular pieces of text forms.
    CustomPiece {
        /// `, var, name "x", argno 1, …` of `debug_value` and allocations.
        Var = "var",
        /// ` in %target` of `checked_cast_addr_br`, which a test has not.
        CastTarget = "cast_target",
        /// `[tail_elems $T * %n : $Builtin.Word] `.
        TailElems = "tail_elems",
        /// `, type parameter` of instructions such as `witness_method`: ` : <Self> (Self) -> ()`.
        Formal = "formal",
        /// `!true_count(1) !false_count(2)`.
        Counts = "counts",
        /// `[align=8] `.
        Align = "align",
        /// `[callee_isolation=nonisolated] [caller_isolation=global_actor] ` of calls.
        Isolation = "isolation",
        /// `[assign=0] ` of `assign_or_init`.
        Assigned = "assigned",
        /// `self %x` or `self $T` of `assign_or_init`.
        SelfOrType = "self_or_type",
        /// The fields of `object`, with `[tail_elems]` before the tail.
        Object = "object",
        /// The optional type and the elements of `tuple`.
        Tuple = "tuple",
        /// The cases of `select_enum`.
        Select = "select",
        /// `open_pack_element`.
        OpenPack = "open_pack",
        /// The function of `init_block_storage_header`.
        Invoke = "invoke",
        /// Callee, substitutions, arguments and type.
        Apply = "apply",
        /// Name, substitutions and arguments of `builtin`.
        Builtin = "builtin",
        /// `[parameters 0] [results 0] `.
        Indices = "indices",
        /// ` with_derivative {%jvp, %vjp}`.
        Derivatives = "derivatives",
        /// ` with_transpose %t`.
        Transpose = "transpose",
        /// `[parameters 0] `.
        Parameters = "parameters",
        /// ` as $T`.
        AsType = "as_type",
        /// `differentiability_witness_function`.
        Witness = "witness",
        /// `, "message"` of `cond_fail`.
        Message = "message",
        /// The operands of `yield`, in parentheses unless there is exactly one.
        Yields = "yields",
        /// The cases of `switch_value`.
        ValueCases = "value_cases",
        /// The cases of `switch_enum`.
        Cases = "cases",
        /// `keypath`.
        KeyPath = "keypath",
    }
}
