//! Mutation operators and the changes that they make.

use silkit::base::Symbol;
use silkit::ir::info::{Results, Role};
use silkit::ir::instructions::{AnyInst, Apply, Builtin, CondBranch, IntegerLiteral, Store, StoreQualifier};
use silkit::ir::{Body, Cloner, Inst, Opcode, Point, Value};
use std::fmt;

/// A mutation operator: the kind of change that a mutant makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operator {
    /// Replaces a comparison: `<` with `<=`, `==` with `!=`.
    Relational,
    /// Replaces an arithmetic operation: `+` with `-`, `*` with `+`.
    Arithmetic,
    /// Swaps the targets of a conditional branch.
    Condition,
    /// Replaces a constant.
    Constant,
    /// Removes a call whose result is unused.
    Call,
    /// Removes a retain, release, destruction, deallocation, store or end of an access.
    Removed,
    /// Duplicates a retain, release, destruction, deallocation, store or end of an access.
    Doubled,
}

impl Operator {
    /// All mutation operators.
    pub const ALL: &'static [Self] = &[
        Self::Relational,
        Self::Arithmetic,
        Self::Condition,
        Self::Constant,
        Self::Call,
        Self::Removed,
        Self::Doubled,
    ];

    /// Returns the name of the operator in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relational => "relational",
            Self::Arithmetic => "arithmetic",
            Self::Condition => "condition",
            Self::Constant => "constant",
            Self::Call => "call",
            Self::Removed => "removed",
            Self::Doubled => "doubled",
        }
    }

    /// Returns the operator with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|operator| operator.name() == name)
    }
}

/// An edit of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edit {
    /// Replaces a word of the instruction, such as the name of a builtin or a literal.
    Word { attr: usize, from: Symbol, to: Symbol },
    /// Swaps the edges of the terminator.
    Swap,
    /// Removes the instruction; uses of a copy are replaced with the original.
    Remove,
    /// Duplicates the instruction.
    Double,
}

/// A change of a single instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The instruction.
    pub inst: Inst,
    /// The operator that makes the change.
    pub operator: Operator,
    edit: Edit,
}

impl Change {
    /// Applies the change to `body`.
    pub fn apply(&self, body: &mut Body) {
        let inst = self.inst;
        match self.edit {
            Edit::Word { attr, to, .. } => body.edit().set_word(inst, attr, to.as_u32()),
            Edit::Swap => swap_edges(body, inst),
            Edit::Remove => {
                // Replace the result of a copy with its operand. The result of a removed call is unused.
                let copied = body.role_operand(inst).filter(|_| matches!(body.role(inst), Role::Copy(_)));
                match copied {
                    Some(original) => body.edit().replace(inst, original),
                    None => body.edit().remove(inst),
                }
            }
            Edit::Double => {
                let mut editor = body.edit();
                Cloner::within().inst_at(&mut editor, inst, Point::After(inst));
            }
        }
    }

    /// Returns true if the change has no effect wherever the instruction itself has no effect: the instruction counts
    /// references, or the change removes a store.
    pub fn is_idle_without_effects(&self, body: &Body) -> bool {
        match body.role(self.inst) {
            Role::Retain(_) | Role::Release(_) | Role::Copy(_) | Role::Destruction(_) => true,
            _ => self.removes_store(body),
        }
    }

    /// Returns true if the change removes a store.
    pub fn removes_store(&self, body: &Body) -> bool {
        self.edit == Edit::Remove && body.inst(self.inst).opcode == Opcode::Store
    }

    /// Returns true if the change has no effect: memory already holds the stored value, or the stored value is never
    /// loaded.
    pub fn is_idle(&self, body: &Body) -> bool {
        let Some(Store { destination, qualifier, .. }) = body.view_as(self.inst) else { return false };
        match self.edit {
            // An assignment also destroys the previous value.
            Edit::Double => qualifier != Some(StoreQualifier::Assign),
            Edit::Remove => is_never_loaded(body, destination),
            _ => false,
        }
    }
}

/// Returns true if an address is stack memory that is never loaded from.
fn is_never_loaded(body: &Body, address: Value) -> bool {
    let of_memory = |role| matches!(role, Role::Marker(_));
    let root = body.origin(address, of_memory).root;
    let is_local = body.defining_inst(root).is_some_and(|inst| body.inst(inst).opcode == Opcode::AllocStack);
    let mut uses = body.uses(root).map(|operand| body.operand(operand).user);
    is_local
        && uses.all(|user| match body.inst(user).opcode {
            Opcode::DeallocStack | Opcode::DebugValue | Opcode::EndAccess => true,
            Opcode::Store => body.view_as::<Store>(user).is_some_and(|store| store.destination == root),
            _ => false,
        })
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.edit {
            Edit::Word { from, to, .. } => write!(f, "{from} → {to}"),
            Edit::Swap => f.write_str("the branch targets are swapped"),
            Edit::Remove => f.write_str("removed"),
            Edit::Double => f.write_str("duplicated"),
        }
    }
}

fn swap_edges(body: &mut Body, inst: Inst) {
    let Some(CondBranch { true_target, false_target, true_args, false_args, .. }) = body.view_as(inst) else {
        return;
    };
    let (then, otherwise) = (true_args.iter().collect::<Vec<_>>(), false_args.iter().collect::<Vec<_>>());
    let mut editor = body.edit();
    editor.set_edge_args(inst, 0, &[]);
    editor.set_edge_args(inst, 1, &[]);
    editor.set_successor(inst, 0, false_target);
    editor.set_successor(inst, 1, true_target);
    editor.set_edge_args(inst, 0, &otherwise);
    editor.set_edge_args(inst, 1, &then);
}

/// Returns the changes that the operators can make in a body, in instruction order.
pub fn changes(body: &Body, operators: &[Operator]) -> Vec<Change> {
    let mut all = Vec::new();
    for inst in body.insts() {
        let of = |operator: &Operator| edits(body, inst, *operator);
        for operator in operators {
            all.extend(of(operator).into_iter().map(|edit| Change { inst, operator: *operator, edit }));
        }
    }
    all
}

fn edits(body: &Body, inst: Inst, operator: Operator) -> Vec<Edit> {
    let word = |attr: &str, from: Symbol, to: String| {
        let attr = body.info(inst).attr(attr);
        attr.map(|attr| Edit::Word { attr, from, to: Symbol::new(&to) })
    };
    match (operator, body.view(inst)) {
        (Operator::Relational, AnyInst::Builtin(Builtin { name, .. })) => {
            replaced(name.as_str(), RELATIONAL).and_then(|to| word("name", name, to)).into_iter().collect()
        }
        (Operator::Arithmetic, AnyInst::Builtin(Builtin { name, .. })) => {
            replaced(name.as_str(), ARITHMETIC).and_then(|to| word("name", name, to)).into_iter().collect()
        }
        (Operator::Condition, AnyInst::CondBranch(_)) => vec![Edit::Swap],
        (Operator::Constant, AnyInst::IntegerLiteral(IntegerLiteral { value, ty })) => {
            let is_bit = ty.ty().to_string() == "Builtin.Int1";
            other_constant(value.as_str(), is_bit)
                .and_then(|to| word("value", value, to))
                .into_iter()
                .collect()
        }
        (Operator::Call, AnyInst::Apply(Apply { ty, .. })) => {
            let is_unused = !body.results(inst).any(|result| body.is_used(result));
            // Without the call, its indirect results would be uninitialized.
            let initializes =
                ty.ty().as_function().is_some_and(|f| f.results.iter().any(|r| r.convention.is_indirect()));
            if is_unused && !initializes { vec![Edit::Remove] } else { Vec::new() }
        }
        (Operator::Removed, _) if manages(body, inst) => vec![Edit::Remove],
        (Operator::Doubled, _) if manages(body, inst) => vec![Edit::Double],
        _ => Vec::new(),
    }
}

/// Returns true if an instruction manages memory or references and either is a `copy_value` or has no results.
fn manages(body: &Body, inst: Inst) -> bool {
    let info = body.info(inst);
    let is_candidate = match info.role {
        Role::Retain(_) | Role::Release(_) | Role::Destruction(_) | Role::Deallocation(_) => true,
        Role::Copy(_) => info.opcode == Opcode::CopyValue,
        _ => matches!(info.opcode, Opcode::Store | Opcode::EndAccess),
    };
    is_candidate && (info.results == Results::None || info.opcode == Opcode::CopyValue)
}

/// Comparisons and their replacements.
const RELATIONAL: &[(&str, &str)] = &[
    ("cmp_slt", "cmp_sle"),
    ("cmp_sle", "cmp_slt"),
    ("cmp_sgt", "cmp_sge"),
    ("cmp_sge", "cmp_sgt"),
    ("cmp_ult", "cmp_ule"),
    ("cmp_ule", "cmp_ult"),
    ("cmp_ugt", "cmp_uge"),
    ("cmp_uge", "cmp_ugt"),
    ("cmp_eq", "cmp_ne"),
    ("cmp_ne", "cmp_eq"),
    ("fcmp_olt", "fcmp_ole"),
    ("fcmp_ole", "fcmp_olt"),
    ("fcmp_ogt", "fcmp_oge"),
    ("fcmp_oge", "fcmp_ogt"),
    ("fcmp_oeq", "fcmp_une"),
    ("fcmp_une", "fcmp_oeq"),
];

/// Arithmetic operations and their replacements.
const ARITHMETIC: &[(&str, &str)] = &[
    ("sadd_with_overflow", "ssub_with_overflow"),
    ("ssub_with_overflow", "sadd_with_overflow"),
    ("smul_with_overflow", "sadd_with_overflow"),
    ("uadd_with_overflow", "usub_with_overflow"),
    ("usub_with_overflow", "uadd_with_overflow"),
    ("umul_with_overflow", "uadd_with_overflow"),
    ("add", "sub"),
    ("sub", "add"),
    ("mul", "add"),
    ("sdiv", "mul"),
    ("udiv", "mul"),
    ("srem", "sdiv"),
    ("urem", "udiv"),
    ("and", "or"),
    ("or", "and"),
    ("xor", "and"),
    ("shl", "lshr"),
    ("lshr", "shl"),
    ("ashr", "shl"),
    ("fadd", "fsub"),
    ("fsub", "fadd"),
    ("fmul", "fadd"),
    ("fdiv", "fmul"),
];

/// Returns the name of the builtin that replaces the builtin `name`, for the same types.
fn replaced(name: &str, table: &[(&str, &str)]) -> Option<String> {
    let (base, types) = name.split_at(name.find("_Int").or_else(|| name.find("_FP"))?);
    let (_, to) = table.iter().find(|(from, _)| *from == base)?;
    Some(format!("{to}{types}"))
}

/// Returns a different constant: the next integer, or the inverted bit.
fn other_constant(text: &str, is_bit: bool) -> Option<String> {
    if is_bit {
        return Some(if text == "0" { "-1" } else { "0" }.to_owned());
    }
    let value: i64 = text.parse().ok()?;
    // Decrement large values: the value may be the maximum of a narrow type.
    Some(if value > 100 { value - 1 } else { value + 1 }.to_string())
}
