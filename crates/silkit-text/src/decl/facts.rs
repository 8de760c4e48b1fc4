//! The compact facts format: one line for each type, sorted, so that lines are parsed on demand.
//!
//! The first line names the format and the modules. Every other line is a dotted path, a tab, and
//! declarations as Swift spells them: of a type with its generic parameters, stored properties, cases,
//! associated types and aliases, and of its extensions. Methods and computed properties are left out.

use silkit_base::Symbol;
use silkit_types::decl::{DeclBody, DeclEntry, DeclFlags, DeclTable, NominalDecl, NominalKind};
use silkit_types::{
    GenericParamDecl, GenericSig, NamedType, PrintType, Requirement, SigData, Type, TypeKind,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The name and version of the format.
pub(super) const HEADER: &str = "silkit-facts 1";

/// Writes the declarations of some modules in the facts format. The output does not depend on the order of the
/// tables.
///
/// ```
/// use silkit_text::decl::{FactsFile, parse_interface, write_facts};
/// let text = "// swift-module-flags: -module-name Geo\n@frozen public struct P { public var x: Swift.Int }\n";
/// let facts = write_facts(&[parse_interface(text).table]);
/// assert_eq!(facts, "silkit-facts 1 Geo\nP\t@frozen struct P{var x: Int}\n");
/// ```
pub fn write_facts(tables: &[DeclTable]) -> String {
    let mut tables: Vec<&DeclTable> = tables.iter().collect();
    tables.sort_by_key(|t| t.module.map_or("", Symbol::as_str));
    let modules: Vec<Symbol> = tables.iter().filter_map(|t| t.module).collect();
    let imports = tables.iter().flat_map(|t| t.imports.iter().copied());
    let mut names: Vec<Symbol> = modules.iter().copied().chain(imports).collect();
    names.push(Symbol::new("Swift"));
    let writer = Writer { modules: names };
    let mut lines: BTreeMap<&'static str, String> = BTreeMap::new();
    for (path, entry) in tables.iter().flat_map(|t| t.entries()) {
        let line = lines.entry(path.as_str()).or_default();
        let Ok(()) = writer.entry(line, path, entry) else { continue };
    }
    let mut out = HEADER.to_owned();
    for module in modules {
        out.push(' ');
        out.push_str(module.as_str());
    }
    out.push('\n');
    for (path, line) in lines.iter().filter(|(_, l)| !l.is_empty()) {
        out.push_str(path);
        out.push('\t');
        out.push_str(line);
        out.push('\n');
    }
    out
}

struct Writer {
    modules: Vec<Symbol>,
}

impl Writer {
    fn entry(&self, out: &mut String, path: Symbol, entry: &DeclEntry) -> std::fmt::Result {
        if let Some(alias) = &entry.alias {
            separate(out);
            self.alias(out, alias)?;
        }
        if let Some(nominal) = &entry.nominal {
            separate(out);
            self.nominal(out, nominal)?;
        }
        for extension in &entry.extensions {
            let says_nothing = extension.inherited.is_empty() && extension.body.aliases.is_empty();
            if says_nothing || extension.flags.contains(DeclFlags::UNAVAILABLE) {
                continue;
            }
            separate(out);
            write!(out, "extension {path}")?;
            self.inherited(out, &extension.inherited)?;
            self.requirements(out, &extension.requirements)?;
            self.body(out, &extension.body, false)?;
        }
        Ok(())
    }

    fn nominal(&self, out: &mut String, decl: &NominalDecl) -> std::fmt::Result {
        for (flag, spelling) in [
            (DeclFlags::FROZEN, "@frozen "),
            (DeclFlags::FIXED_LAYOUT, "@_fixed_layout "),
            (DeclFlags::EAGER_MOVE, "@_eagerMove "),
            (DeclFlags::NO_EAGER_MOVE, "@_noEagerMove "),
            (DeclFlags::RAW_LAYOUT, "@_rawLayout "),
            (DeclFlags::MARKER, "@_marker "),
            (DeclFlags::OBJC, "@objc "),
            (DeclFlags::FINAL, "final "),
        ] {
            if decl.flags.contains(flag) {
                out.push_str(spelling);
            }
        }
        let keyword = match decl.kind {
            NominalKind::Struct => "struct",
            NominalKind::Class => "class",
            NominalKind::Actor => "actor",
            NominalKind::Enum => "enum",
            NominalKind::Protocol => "protocol",
        };
        write!(out, "{keyword} {}", decl.name)?;
        if let Some(sig) = decl.sig {
            PrintType::new(out).sig(self.plain_sig(sig))?;
        }
        self.inherited(out, &decl.inherited)?;
        self.requirements(out, &decl.requirements)?;
        // If the layout is hidden, the list of fields is not complete.
        self.body(out, &decl.body, decl.has_known_layout())?;
        if decl.flags.contains(DeclFlags::HAS_DEINIT) && decl.kind != NominalKind::Class {
            out.insert_str(out.len() - 1, ";deinit");
        }
        Ok(())
    }

    fn body(&self, out: &mut String, body: &DeclBody, with_fields: bool) -> std::fmt::Result {
        let start = out.len() + 1;
        out.push('{');
        let next = |out: &mut String| {
            if out.len() > start {
                out.push(';');
            }
        };
        for case in &body.cases {
            next(out);
            write!(out, "{}case {}", if case.indirect { "indirect " } else { "" }, case.name)?;
            match case.payload.map(|p| self.plain(p)) {
                Some(ty) if matches!(ty.kind(), TypeKind::Tuple(e) if !e.is_empty()) => write!(out, "{ty}")?,
                Some(ty) => write!(out, "({ty})")?,
                None => {}
            }
        }
        for field in body.fields.iter().filter(|_| with_fields) {
            next(out);
            let keyword = if field.flags.contains(DeclFlags::LET) { "let" } else { "var" };
            write!(out, "{keyword} {}: {}", field.name, self.plain(field.ty))?;
        }
        for associated in &body.associated {
            next(out);
            write!(out, "associatedtype {}", associated.name)?;
            self.inherited(out, &associated.inherited)?;
            if let Some(default) = associated.default {
                write!(out, "={}", self.plain(default))?;
            }
            self.requirements(out, &associated.requirements)?;
        }
        for alias in &body.aliases {
            next(out);
            self.alias(out, alias)?;
        }
        out.push('}');
        Ok(())
    }

    fn alias(&self, out: &mut String, alias: &silkit_types::decl::AliasDecl) -> std::fmt::Result {
        if let Some(name) = alias.implements {
            write!(out, "@_implements(_,{name}) ")?;
        }
        write!(out, "typealias {}", alias.name)?;
        if let Some(sig) = alias.sig {
            PrintType::new(out).sig(self.plain_sig(sig))?;
        }
        write!(out, "={}", self.plain(alias.target))
    }

    fn inherited(&self, out: &mut String, types: &[Type]) -> std::fmt::Result {
        for (i, ty) in types.iter().enumerate() {
            write!(out, "{}{}", if i == 0 { ":" } else { "," }, self.plain(*ty))?;
        }
        Ok(())
    }

    fn requirements(&self, out: &mut String, requirements: &[Requirement]) -> std::fmt::Result {
        for (i, requirement) in requirements.iter().enumerate() {
            out.push_str(if i == 0 { " where " } else { "," });
            PrintType::new(out).requirement(&self.plain_requirement(requirement))?;
        }
        Ok(())
    }

    /// Returns the type without module qualifiers.
    fn plain(&self, ty: Type) -> Type {
        if let TypeKind::Named(NamedType { parent: Some(parent), name, args }) = ty.kind()
            && let TypeKind::Named(p) = parent.kind()
            && p.parent.is_none()
            && p.args.is_empty()
            && self.modules.contains(&p.name)
        {
            return Type::named(None, *name, args.iter().map(|&t| self.plain(t)).collect());
        }
        ty.map(&mut |t| self.plain(t))
    }

    fn plain_requirement(&self, r: &Requirement) -> Requirement {
        Requirement { subject: self.plain(r.subject), constraint: self.plain(r.constraint), ..*r }
    }

    fn plain_sig(&self, sig: GenericSig) -> GenericSig {
        let data = sig.data();
        let param = |p: &GenericParamDecl| GenericParamDecl {
            bound: p.bound.map(|t| self.plain(t)),
            value_type: p.value_type.map(|t| self.plain(t)),
            attribute: None,
            ..*p
        };
        GenericSig::new(SigData {
            params: data.params.iter().map(param).collect(),
            requirements: data.requirements.iter().map(|r| self.plain_requirement(r)).collect(),
        })
    }
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push(';');
    }
}
