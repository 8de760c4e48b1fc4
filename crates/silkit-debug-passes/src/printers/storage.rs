//! Printing of access storage.

use silkit_analysis::BodyView;
use silkit_analysis::access::{AccessStorage, StorageKind};
use silkit_base::Symbol;
use silkit_ir::Module;
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

    /// Returns the lines for a storage: its kind, the value that identifies it, and the property of an object.
    pub(crate) fn storage(&self, storage: &AccessStorage) -> String {
        let mut text = format!("{} ", storage.kind_name());
        match (storage.kind, storage.value) {
            (StorageKind::Global(name), _) => text.push_str(&self.global(name)),
            (_, Some(value)) => text.push_str(&self.dump.value(value, "")),
            _ => text.push('\n'),
        }
        text + &self.property(storage).unwrap_or_default()
    }

    /// Returns the global variable with this name as it prints in the module.
    fn global(&self, name: Symbol) -> String {
        let demangle = |name: &str| silkit_demangle::demangle(name, silkit_demangle::Style::Simplified);
        match self.module.globals.by_key(&name) {
            Some(global) => print_global(self.module, global, &PrintOptions::default(), &demangle),
            None => format!("@{name}\n"),
        }
    }

    /// Returns a line for the property of an object. As in the reference, the property is the one with this index in
    /// the class of the root, which may be another one than that of the address.
    fn property(&self, storage: &AccessStorage) -> Option<String> {
        let StorageKind::Class(Some(index)) = storage.kind else { return None };
        let class = self.view.body.value(storage.value?).ty.ty();
        let Some((class, property)) = self.view.class_property_at(class, index) else {
            return Some(format!(" Index: {index}\n"));
        };
        let is_final = class.flags.contains(DeclFlags::FINAL);
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
