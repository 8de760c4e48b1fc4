//! Descriptions of memory, callees and values, in the words of the Swift source where debug information has them.

use super::Demangle;
use silkit::ir::conventions::{Addresses, ApplySite};
use silkit::ir::instructions::{
    AllocBox, AllocStack, DebugValue, GlobalAddr, RefElementAddr, StructElementAddr,
};
use silkit::ir::{Body, DebugVar, DebugVarData, DeclRef, Inst, Opcode, Value, ValueDef};

/// Describes entities of one body.
pub(super) struct Names<'a> {
    pub(super) body: &'a Body,
    pub(super) demangle: Demangle<'a>,
}

/// What memory is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Memory {
    /// A property of an object, a global variable, an element, or the contents of a box: memory that other code can change.
    Shared,
    /// Memory on the stack.
    Stack,
    /// Memory that an argument refers to.
    Argument,
    /// Anything else.
    Other,
}

impl Names<'_> {
    /// Describes the memory that an address points to.
    pub(super) fn memory(&self, address: Value) -> (Memory, String) {
        let body = self.body;
        let step = |inst: Inst| match body.inst(inst).opcode {
            Opcode::IndexAddr
            | Opcode::PointerToAddress
            | Opcode::AddressToPointer
            | Opcode::BeginAccess
            | Opcode::MarkDependence
            | Opcode::InitExistentialAddr
            | Opcode::OpenExistentialAddr
            | Opcode::IndexRawPointer => body.operands(inst).first().map(|o| o.value),
            Opcode::RefElementAddr | Opcode::RefTailAddr | Opcode::ProjectBox => None,
            _ => body.role_operand(inst),
        };
        let path: Vec<Value> = body.chain(address, step).collect();
        let field = path.iter().find_map(|&value| {
            body.view_as::<StructElementAddr>(body.defining_inst(value)?).map(|at| member(at.field))
        });
        let root = path.last().copied().unwrap_or(address);
        let (memory, text) = self.root_memory(root);
        match field.filter(|_| memory != Memory::Shared || text == "memory") {
            Some(field) => (memory, format!("field `{field}`")),
            None => (memory, text),
        }
    }

    fn root_memory(&self, root: Value) -> (Memory, String) {
        let body = self.body;
        let named = |what: &str, value| match self.variable(value) {
            Some(name) => format!("{what} `{name}`"),
            None => what.to_owned(),
        };
        let inst = match body.def(root) {
            ValueDef::Argument(block, _) if body.is_entry_block(block) => {
                return (Memory::Argument, named("argument", root));
            }
            ValueDef::Result(inst, _) => inst,
            _ => return (Memory::Other, "memory".to_owned()),
        };
        let operand = body.operands(inst).first().map(|o| o.value);
        match body.inst(inst).opcode {
            Opcode::RefElementAddr => {
                let field = body.view_as::<RefElementAddr>(inst).map(|at| member(at.field));
                (Memory::Shared, format!("property `{}`", field.unwrap_or_default()))
            }
            Opcode::RefTailAddr => (Memory::Shared, "an element of an array".to_owned()),
            Opcode::GlobalAddr => {
                let global = body.view_as::<GlobalAddr>(inst).map(|at| (self.demangle)(at.global.as_str()));
                (Memory::Shared, format!("global variable `{}`", global.unwrap_or_default()))
            }
            Opcode::ProjectBox if operand.is_some_and(|value| self.is_payload(value)) => {
                (Memory::Shared, "the payload of an indirect enum case".to_owned())
            }
            Opcode::ProjectBox => {
                let named_box = operand.filter(|&value| self.variable(value).is_some());
                (Memory::Shared, named("captured variable", named_box.unwrap_or(root)))
            }
            Opcode::AllocStack => (Memory::Stack, named("variable", root)),
            Opcode::Apply => match self.callee(inst) {
                Some(callee) => (Memory::Shared, format!("memory that `{callee}` returns")),
                None => (Memory::Shared, "memory".to_owned()),
            },
            _ => (Memory::Other, "memory".to_owned()),
        }
    }

    /// Returns true if a box is the payload of an enum, not a captured variable.
    fn is_payload(&self, value: Value) -> bool {
        let body = self.body;
        match body.def(value) {
            ValueDef::Result(inst, _) => body.inst(inst).opcode == Opcode::UncheckedEnumData,
            ValueDef::Argument(block, _) => !body.is_entry_block(block),
            ValueDef::Undef | ValueDef::Pending => false,
        }
    }

    /// Returns the name of the variable that a value is.
    pub(super) fn variable(&self, value: Value) -> Option<String> {
        let body = self.body;
        let own = body.defining_inst(value).and_then(|inst| {
            let stack = body.view_as::<AllocStack>(inst).and_then(|alloc| alloc.var);
            stack.or_else(|| body.view_as::<AllocBox>(inst).and_then(|alloc| alloc.var))
        });
        let name = |var: DebugVar| DebugVarData::of(var).name.map(|name| name.as_str().to_owned());
        let marked = || {
            let mut users = body.users(value).take(64);
            users.find_map(|user| name(body.view_as::<DebugValue>(user)?.var?))
        };
        own.and_then(name).or_else(marked).filter(|name| !name.starts_with('$'))
    }

    /// Returns the readable name of the function or method that an apply site calls or captures.
    pub(super) fn callee(&self, site: Inst) -> Option<String> {
        let body = self.body;
        if let Some(function) = body.called_function(site) {
            return Some((self.demangle)(function.as_str()));
        }
        let callee = ApplySite::new(body, site, Addresses::Lowered)?.callee();
        let origin = body.function_origin(callee, |_, _| true);
        let lookup = body.defining_inst(origin)?;
        body.looked_up_member(lookup).map(member)
    }

    /// Returns the callee in quotes, or "a function value".
    pub(super) fn called(&self, site: Inst) -> String {
        self.callee(site).map_or("a function value".to_owned(), |callee| format!("`{callee}`"))
    }

    /// Returns the type of a value without its SIL sigils.
    pub(super) fn type_of(&self, value: Value) -> String {
        self.body.value(value).ty.ty().to_string()
    }
}

/// Returns the name of a member without its sigil and kind: `Node.next`.
pub(super) fn member(member: DeclRef) -> String {
    let text = member.to_string();
    let text = text.trim_start_matches('#');
    text.split('!').next().unwrap_or(text).to_owned()
}
