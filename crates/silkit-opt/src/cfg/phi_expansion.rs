//! `phi-expansion`: replaces a phi of struct type with a single used field by a phi of the field.
//!
//! ```text
//!   br bb1(%0)
//! bb1(%2 : $Int):
//!   %3 = struct_extract %2, #Int._value
//!   return %3
//! ---
//!   %2 = struct_extract %0, #Int._value
//!   br bb1(%2)
//! bb1(%4 : $Builtin.Int64):
//!   return %4
//! ```

use silkit_base::FxHashSet;
use silkit_ir::instructions::{AnyInst, DebugValue, StructExtract};
use silkit_ir::{Body, DeclRef, Edge, Editor, Inst, Loc, Opcode, Operand, Ownership, Point, Value, ValueDef};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::variables;
use silkit_types::SilType;

pub(super) const PASS: Pass<'static> =
    Pass::function("phi-expansion", "Replaces struct block arguments by their only used field", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let blocks: Vec<_> = cx.body().blocks().skip(1).collect();
    for block in blocks {
        for argument in cx.body().arguments(block).to_vec() {
            // The field may itself be a struct with a single used field.
            while let Some(web) = Web::of(cx.body(), argument) {
                if !cx.may_change() {
                    return;
                }
                web.expand(cx);
                cx.count("arguments expanded", web.arguments.len() as u64);
            }
        }
    }
}

/// Phis that are passed to one another, and the field that is used.
struct Web {
    arguments: Vec<Value>,
    field: DeclRef,
    ty: SilType,
    loc: Loc,
}

impl Web {
    fn of(body: &Body, argument: Value) -> Option<Self> {
        let mut arguments = vec![argument];
        let mut seen: FxHashSet<Value> = arguments.iter().copied().collect();
        let mut field: Option<(DeclRef, SilType, Loc)> = None;
        let mut next = 0;
        while let Some(&argument) = arguments.get(next) {
            next += 1;
            if !body.is_phi(argument) || body.value(argument).ownership != Ownership::None {
                return None;
            }
            for operand in body.uses(argument) {
                let user = body.operand(operand).user;
                match body.view(user) {
                    AnyInst::DebugValue(_) => {}
                    AnyInst::StructExtract(part) => {
                        let (loc, result) = (body.inst(user).loc, body.first_result(user)?);
                        if field.is_some_and(|(known, ..)| known != part.field) {
                            return None;
                        }
                        field = Some((part.field, body.value(result).ty, loc));
                    }
                    AnyInst::Branch(_) | AnyInst::CondBranch(_) => {
                        let passed = body.passed_to(operand)?;
                        arguments.extend(seen.insert(passed).then_some(passed));
                    }
                    _ => return None,
                }
            }
        }
        let (field, ty, loc) = field?;
        Some(Self { arguments, field, ty, loc })
    }

    fn expand(&self, cx: &mut FunctionContext<'_>) {
        let web: FxHashSet<Value> = self.arguments.iter().copied().collect();
        for &argument in &self.arguments {
            for operand in incoming(cx.body(), argument) {
                let passed = cx.body().operand(operand).value;
                if web.contains(&passed) {
                    continue;
                }
                let branch = cx.body().operand(operand).user;
                let mut builder = cx.at(Point::Before(branch));
                builder.set_default_loc(self.loc);
                let part = StructExtract::new(passed, self.field);
                let Ok(part) = builder.build_typed(part, &[self.ty]) else { continue };
                builder.set_operand(operand, part);
            }
        }
        for &argument in &self.arguments {
            let users: Vec<Inst> = cx.body().users(argument).collect();
            let whole = cx.body().value(argument).ty;
            let mut editor = cx.edit();
            for user in users {
                match editor.inst(user).opcode {
                    Opcode::DebugValue => fragment(&mut editor, user, self.field, whole),
                    Opcode::StructExtract => editor.replace(user, argument),
                    _ => {}
                }
            }
            editor.set_type(argument, self.ty);
        }
    }
}

/// Turns the variable of a `debug_value` into a fragment for a field.
fn fragment(editor: &mut Editor<'_>, inst: Inst, field: DeclRef, whole: SilType) {
    let Some(DebugValue { var: Some(var), .. }) = editor.view_as(inst) else { return };
    let new = variables::part(var, whole, &variables::VariablePart::Field(field));
    editor.set_attr(inst, "var", new.as_u32());
}

fn incoming(body: &Body, argument: Value) -> Vec<Operand> {
    let ValueDef::Argument(block, index) = body.def(argument) else { return Vec::new() };
    let operand = |edge: Edge| body.edge_operand(edge, index.into());
    body.incoming(block).filter_map(operand).collect()
}
