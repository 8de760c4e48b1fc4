//! `dump-access`: prints the base of each loaded or stored address, and the origin of its object.

use super::alias_info::each_function;
use silkit_analysis::alias::{AccessBase, Aliases};
use silkit_analysis::walk::{Walk, Walker};
use silkit_analysis::{BodyView, Component, ProjectionPath};
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Value};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::options;
use silkit_text::Dump;
use std::fmt::Write;
use std::ops::ControlFlow;

pub(crate) const PASS: Pass<'static> = Pass::module(
    "dump-access",
    "Prints the bases of accessed addresses and the roots of their objects",
    &run,
)
.with_options(&[options::WMO]);

fn run(cx: &mut ModuleContext<'_>) {
    let text = each_function(cx, |body, aliases, dump, text| {
        let _ = writeln!(text, "Accesses for {}", aliases.function_name());
        for inst in body.insts() {
            match body.view(inst) {
                AnyInst::Load(load) => access(aliases, dump, load.address, text),
                AnyInst::Store(store) => access(aliases, dump, store.destination, text),
                _ => {}
            }
        }
        let _ = writeln!(text, "End accesses for {}", aliases.function_name());
    });
    cx.print(&text);
}

fn access(aliases: &Aliases<'_>, dump: &Dump<'_>, address: Value, text: &mut String) {
    let view = aliases.view();
    let found = aliases.base_path(address);
    let _ = write!(text, "Value: {}", dump.value(address, ""));
    let _ = match found.scope {
        Some(scope) => write!(text, "  Scope: {}", dump.inst(scope, "")),
        None => writeln!(text, "  Scope: base"),
    };
    let shown = base(view.body, dump, found.base);
    let _ = match found.element {
        Some((element, path)) => writeln!(
            text,
            "  nonconst-base: {shown}  nonconst-path: \"{}\"\n  const-base: index - {}  const-path: \"{path}\"",
            found.path,
            dump.value(element, ""),
        ),
        None => writeln!(text, "  Base: {shown}  Path: \"{}\"", found.path),
    };
    let Some((object, component)) = object(&view, found.base) else {
        text.push_str("   no Storage paths\n");
        return;
    };
    let mut walk = Walk::new(view);
    walk.up(object, found.path.push(component));
    // The walk ends when there are no more uses.
    let _ = walk.run(&mut Roots { dump, text });
}

/// Returns a base in the reference's format.
pub(crate) fn base(body: &Body, dump: &Dump<'_>, base: AccessBase) -> String {
    let kind = base.kind_name();
    match base {
        AccessBase::Unidentified(_) => "?\n".to_owned(),
        AccessBase::Global(name) => format!("{kind} - @{name}\n"),
        AccessBase::Class(address) => format!("{kind}  - {}", dump.value(address, "")),
        AccessBase::Tail(address) => {
            format!("{kind} - {}", dump.value(base.object(body).unwrap_or(address), ""))
        }
        AccessBase::Box(value)
        | AccessBase::Stack(value)
        | AccessBase::Argument(value)
        | AccessBase::Yield(value)
        | AccessBase::StoreBorrow(value)
        | AccessBase::Pointer(value) => format!("{kind} - {}", dump.value(value, "")),
    }
}

/// Returns the object of a base, and the position in it.
fn object(view: &BodyView<'_>, base: AccessBase) -> Option<(Value, Component)> {
    let body = view.body;
    let (AccessBase::Box(address) | AccessBase::Class(address) | AccessBase::Tail(address)) = base else {
        return None;
    };
    match body.view(body.defining_inst(address)?) {
        AnyInst::ProjectBox(project) => Some((project.box_value, Component::ClassField(project.field))),
        AnyInst::RefElementAddr(project) => {
            let component = view.class_field(project.operand, project.field);
            Some((project.operand, component.unwrap_or(Component::AnyClassField)))
        }
        AnyInst::RefTailAddr(project) => Some((project.operand, Component::TailElements)),
        _ => None,
    }
}

/// Prints the origins of objects.
struct Roots<'p> {
    dump: &'p Dump<'p>,
    text: &'p mut String,
}

impl Walker<ProjectionPath> for Roots<'_> {
    fn at_root(
        &mut self,
        _: &mut Walk<'_, ProjectionPath>,
        value: Value,
        path: ProjectionPath,
    ) -> ControlFlow<()> {
        let _ = writeln!(self.text, "    Storage: {}    Path: \"{path}\"", self.dump.value(value, ""));
        ControlFlow::Continue(())
    }
}
