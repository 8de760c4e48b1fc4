//! Why memory is allocated, calls are dispatched at run time, and the runtime checks or looks up something.

use super::names::member;
use super::{Explainer, Found, Reason};
use silkit::ir::instructions::{
    AccessKind, BeginAccess, BeginUnpairedAccess, InitExistentialAddr, WitnessMethod,
};
use silkit::ir::{Inst, Opcode, Value, ValueDef};

/// The maximum number of captured values that are named.
const MAX_NAMED: usize = 4;

impl Explainer<'_> {
    /// Explains an allocation.
    pub(super) fn allocated(&self, inst: Inst) -> Found {
        let body = self.view.body;
        let result = body.first_result(inst);
        let ty = result.map_or(String::new(), |value| self.names.type_of(value));
        let text = match body.inst(inst).opcode {
            Opcode::AllocBox => {
                let captured = result.and_then(|value| {
                    let mut users = body.users(value);
                    users.find(|&user| body.inst(user).opcode == Opcode::PartialApply)
                });
                let variable = result.and_then(|value| self.names.variable(value));
                let what = variable.map_or(format!("a box `{ty}`"), |name| format!("variable `{name}`"));
                return match captured {
                    Some(closure) => {
                        let name = self.names.called(closure);
                        Found::new(
                            Reason::Captured,
                            format!("{what} is captured by escaping closure {name}"),
                            closure,
                        )
                    }
                    None => Found::new(
                        Reason::Allocated,
                        format!("{what} outlives its function, or is indirect"),
                        None,
                    ),
                };
            }
            Opcode::PartialApply => self.context(inst),
            Opcode::AllocExistentialBox => format!("a box for the error or existential value `{ty}`"),
            Opcode::InitExistentialAddr => {
                let concrete =
                    body.view_as::<InitExistentialAddr>(inst).map(|init| init.concrete.ty().to_string());
                let concrete = concrete.unwrap_or_default();
                format!(
                    "`{concrete}` may be larger than the three words that an existential value holds inline"
                )
            }
            Opcode::OpenExistentialAddr => {
                "a shared existential value is copied before it is changed".to_owned()
            }
            Opcode::AllocRef | Opcode::AllocRefDynamic => {
                let has_elements = body.operands(inst).len() > body.type_operands(inst).len();
                let elements = if has_elements { " with elements" } else { "" };
                format!("an instance of `{ty}`{elements}")
            }
            Opcode::KeyPath => "a key path".to_owned(),
            Opcode::StoreWeak | Opcode::WeakCopyValue => {
                "the side table of an object with weak references".to_owned()
            }
            _ => format!("heap memory of `{}`", body.info(inst).name),
        };
        Found::new(Reason::Allocated, text, None)
    }

    /// Describes the context of a closure by what it captures.
    fn context(&self, closure: Inst) -> String {
        let function = self.names.called(closure);
        let captured: Vec<Value> =
            self.view.apply_site(closure).map_or(Vec::new(), |site| site.arguments().collect());
        let mut names: Vec<String> = captured
            .iter()
            .take(MAX_NAMED)
            .map(|&value| match self.names.variable(value) {
                Some(name) => format!("`{name}`"),
                None => format!("a `{}`", self.names.type_of(value)),
            })
            .collect();
        if captured.len() > MAX_NAMED {
            names.push(format!("{} more", captured.len() - MAX_NAMED));
        }
        format!("the context of escaping closure {function}, which captures {}", names.join(", "))
    }

    /// Explains a dynamic call.
    pub(super) fn dispatched(&self, inst: Inst) -> Found {
        let body = self.view.body;
        let callee = self.view.apply_site(inst).map(|site| body.function_origin(site.callee(), |_, _| true));
        let lookup = callee.and_then(|callee| body.defining_inst(callee));
        let method = lookup.and_then(|lookup| body.looked_up_member(lookup)).map(member).unwrap_or_default();
        let text = match lookup.map(|lookup| body.inst(lookup).opcode) {
            Some(Opcode::ClassMethod | Opcode::SuperMethod) => {
                let overrides = self.view.program.callee_analysis().of_site(body, inst);
                let known = overrides.known.len();
                let more = if overrides.is_complete { "" } else { ", and others outside of the module" };
                format!("method `{method}` is not final: {known} known implementations{more}")
            }
            Some(Opcode::WitnessMethod) => {
                let ty = lookup
                    .and_then(|at| body.view_as::<WitnessMethod>(at))
                    .map(|at| at.lookup.ty().to_string());
                let ty = ty.unwrap_or_default();
                match ty.contains("@opened") {
                    true => format!("requirement `{method}` of an existential value"),
                    false => {
                        format!("requirement `{method}` of generic type `{ty}`, which is not specialized")
                    }
                }
            }
            Some(Opcode::ObjCMethod | Opcode::ObjCSuperMethod) => format!("Objective-C method `{method}`"),
            _ => format!("a function value{}", self.origin_of(callee)),
        };
        Found::new(Reason::Dispatched, text, lookup)
    }

    /// Describes where a function value comes from.
    fn origin_of(&self, callee: Option<Value>) -> String {
        let body = self.view.body;
        let Some(callee) = callee else { return String::new() };
        match body.def(callee) {
            ValueDef::Argument(block, _) if body.is_entry_block(block) => match self.names.variable(callee) {
                Some(name) => format!(" that argument `{name}` passes"),
                None => " that an argument passes".to_owned(),
            },
            ValueDef::Result(inst, _) if body.inst(inst).opcode == Opcode::Load => {
                format!(" loaded from {}", self.names.memory(body.operand_value(inst, 0)).1)
            }
            ValueDef::Result(inst, _) if body.info(inst).apply.is_some() => {
                format!(" that {} returns", self.names.called(inst))
            }
            _ => String::new(),
        }
    }

    /// Explains a check or a lookup of the runtime.
    pub(super) fn checked(&self, inst: Inst) -> Found {
        let body = self.view.body;
        let operand = body.operands(inst).first().map(|o| o.value);
        let of = operand.map_or(String::new(), |value| self.names.type_of(value));
        let text = match body.inst(inst).opcode {
            Opcode::BeginAccess | Opcode::BeginUnpairedAccess => {
                let kind = body.view_as::<BeginAccess>(inst).map(|access| access.kind);
                let kind = kind.or_else(|| Some(body.view_as::<BeginUnpairedAccess>(inst)?.kind));
                let verb = match kind {
                    Some(AccessKind::Read) => "reading",
                    _ => "changing",
                };
                let (_, memory) =
                    operand.map_or((super::names::Memory::Other, String::new()), |at| self.names.memory(at));
                format!("{verb} {memory}, which other code may access at the same time")
            }
            Opcode::UnconditionalCheckedCast
            | Opcode::UnconditionalCheckedCastAddr
            | Opcode::CheckedCastBranch
            | Opcode::CheckedCastAddrBranch => format!("the dynamic type of `{of}` is looked up"),
            Opcode::Builtin => "a global variable is initialized on first use".to_owned(),
            Opcode::InitExistentialAddr
            | Opcode::InitExistentialRef
            | Opcode::InitExistentialValue
            | Opcode::InitExistentialMetatype => {
                let result = body.first_result(inst).map_or(of.clone(), |value| self.names.type_of(value));
                format!("the existential value needs the metadata of `{result}`")
            }
            Opcode::Metatype => {
                let result = body.first_result(inst).map_or(of.clone(), |value| self.names.type_of(value));
                format!("the metadata of `{result}` is used as a value")
            }
            _ => format!("`{}` needs the runtime", body.info(inst).name),
        };
        Found::new(Reason::Checked, text, None)
    }
}
