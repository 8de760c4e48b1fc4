//! Printing of access storage.

use silkit_analysis::BodyView;
use silkit_analysis::access::{AccessStorage, StorageKind};
use silkit_base::Symbol;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Module, Value, ValueDef};
use silkit_pass::ModuleContext;
use silkit_text::{Dump, PrintOptions, print_global};
use silkit_types::TypeKind;
use silkit_types::decl::{DeclFlags, StoredProperty};

/// A printer of storages of one body.
pub(crate) struct StoragePrinter<'a> {
    pub(super) module: &'a Module,
    pub(super) view: BodyView<'a>,
    pub(super) dump: Dump<'a>,
}

impl<'a> StoragePrinter<'a> {
    pub(crate) fn new(cx: &'a ModuleContext<'_>, view: BodyView<'a>) -> Self {
        Self { module: cx.module(), view, dump: cx.dump(view.body) }
    }

    /// Returns the lines for a storage: its kind and the value that identifies it.
    pub(crate) fn storage(&self, storage: &AccessStorage) -> String {
        let mut text = format!("{} ", storage.kind_name());
        match (storage.kind, storage.value) {
            (StorageKind::Global(name), _) => text.push_str(&self.global(name)),
            (_, Some(value)) => text.push_str(&self.value(value)),
            _ => text.push('\n'),
        }
        text
    }

    /// Returns the definition of a value as a line.
    pub(super) fn value(&self, value: Value) -> String {
        match self.view.body.def(value) {
            ValueDef::Undef => format!("undef<{}>\n", self.view.body.value(value).ty),
            _ => self.dump.value(value, ""),
        }
    }

    /// Returns the global variable with this name as it prints in the module.
    fn global(&self, name: Symbol) -> String {
        let demangle = |name: &str| silkit_demangle::demangle(name, silkit_demangle::Style::Simplified);
        match self.module.globals.by_key(&name) {
            Some(global) => print_global(self.module, global, &PrintOptions::default(), &demangle),
            None => format!("@{name}\n"),
        }
    }

    /// Returns a line for the property of an object; `base` is its address.
    pub(crate) fn property(&self, storage: &AccessStorage, base: Value) -> Option<String> {
        let StorageKind::Class(_) = storage.kind else { return None };
        let body = self.view.body;
        let AnyInst::RefElementAddr(project) = body.view(body.defining_inst(base)?) else { return None };
        let ty = body.value(project.operand).ty.ty();
        let (index, property) = self.view.class_property(ty, project.field)?;
        let class = self.view.declarations().nominal_of(ty);
        let is_final = class.is_some_and(|class| class.flags.contains(DeclFlags::FINAL));
        Some(format!("  Field: {} Index: {index}\n", declaration(property, is_final)))
    }
}

/// Returns the declaration of a stored property in the reference's format, which shows whether it is final, as are
/// the properties of a final class and `let` properties. `@_hasStorage` is shown only if the property appears to have
/// accessors, because its setter is less accessible.
fn declaration(property: &StoredProperty, is_final: bool) -> String {
    let is_let = property.flags.contains(DeclFlags::LET);
    let spelled = property.spelling.as_str();
    let is_set_by_fewer = spelled.split(' ').any(|word| word.ends_with("(set)"));
    let mut text = String::new();
    for word in spelled.split(' ').filter(|w| !w.is_empty() && (is_set_by_fewer || *w != "@_hasStorage")) {
        text.push_str(word);
        text.push(' ');
    }
    if (is_final || is_let) && !property.flags.contains(DeclFlags::FINAL) {
        text.push_str("final ");
    }
    let ty = match property.ty.kind() {
        TypeKind::Storage(_, referent) => *referent,
        _ => property.ty,
    };
    text.push_str(&format!("{} {}: {ty}", if is_let { "let" } else { "var" }, property.name));
    if is_set_by_fewer {
        text.push_str(" {\n  get\n}");
    }
    text
}
