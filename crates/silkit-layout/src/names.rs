//! Printing of concrete types in the format of the Swift runtime.

use crate::ty::{Builtin, FnRepr, Nominal, Storage, Ty, TyKind};
use crate::world::World;
use std::fmt::{self, Write};

impl fmt::Display for Ty {
    /// Writes the name of the type without module names: `Array<Int>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name(false))
    }
}

impl Ty {
    /// Returns the name of the type. If `qualified` is true, declarations are qualified with their modules:
    /// `Swift.Array<Swift.Int>`.
    pub fn name(self, qualified: bool) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = Printer { out: &mut text, qualified, world: None }.ty(self);
        text
    }

    /// Returns the name of the type. In a nested type, the generic arguments of each declaration follow its own name:
    /// `Swift.Dictionary<Swift.Int, Swift.Bool>.Index`, or `Index`.
    pub fn name_in(self, world: &World, qualified: bool) -> String {
        let mut text = String::new();
        let _ = Printer { out: &mut text, qualified, world: Some(world) }.ty(self);
        text
    }
}

struct Printer<'a> {
    out: &'a mut String,
    qualified: bool,
    world: Option<&'a World>,
}

impl Printer<'_> {
    fn ty(&mut self, ty: Ty) -> fmt::Result {
        match ty.kind() {
            TyKind::Builtin(builtin) => self.builtin(*builtin),
            TyKind::Nominal(nominal, args) => self.nominal(*nominal, args),
            TyKind::Tuple(fields) => {
                self.out.write_char('(')?;
                for (i, field) in fields.iter().enumerate() {
                    if i > 0 {
                        self.out.write_str(", ")?;
                    }
                    if let Some(label) = field.label {
                        write!(self.out, "{label}: ")?;
                    }
                    self.ty(field.ty)?;
                }
                self.out.write_char(')')
            }
            TyKind::Function(f) => self.function(f),
            TyKind::Lowered(repr) => self.out.write_str(match repr {
                FnRepr::Thick => "@callee_guaranteed (…) -> …",
                FnRepr::NoEscape => "@noescape (…) -> …",
                FnRepr::Thin => "@convention(thin) (…) -> …",
                FnRepr::Block => "@convention(block) (…) -> …",
                FnRepr::Differentiable => "@differentiable (…) -> …",
            }),
            TyKind::ThinMetatype(t) | TyKind::Metatype(t) => {
                if matches!(t.kind(), TyKind::Existential(_) | TyKind::Function(_)) {
                    let is_plain = matches!(t.kind(), TyKind::Existential(e) if e.protocols.len() < 2);
                    self.parenthesized(*t, !is_plain)?;
                    return self.out.write_str(if is_plain { ".Protocol" } else { ".Type" });
                }
                self.ty(*t)?;
                self.out.write_str(".Type")
            }
            TyKind::ExistentialMetatype(t) => {
                self.parenthesized(*t, matches!(t.kind(), TyKind::Existential(e) if e.protocols.len() > 1))?;
                self.out.write_str(".Type")
            }
            TyKind::Existential(_) => self.existential(ty),
            TyKind::Box(fields) => {
                self.out.write_str("{ ")?;
                for (i, field) in fields.iter().enumerate() {
                    write!(
                        self.out,
                        "{}{} ",
                        if i > 0 { ", " } else { "" },
                        if field.mutable { "var" } else { "let" }
                    )?;
                    self.ty(field.ty)?;
                }
                self.out.write_str(" }")
            }
            TyKind::Pack(elements) => {
                self.out.write_str("Pack{")?;
                self.list(elements)?;
                self.out.write_char('}')
            }
            TyKind::Storage(storage, t) => {
                self.out.write_str(match storage {
                    Storage::Weak => "@sil_weak ",
                    Storage::Unowned => "@sil_unowned ",
                    Storage::Unmanaged => "@sil_unmanaged ",
                })?;
                self.ty(*t)
            }
            TyKind::Integer(n) => write!(self.out, "{n}"),
            TyKind::BlockStorage(t) => {
                self.out.write_str("@block_storage ")?;
                self.ty(*t)
            }
            TyKind::Param(depth, index) => write!(self.out, "τ_{depth}_{index}"),
        }
    }

    fn parenthesized(&mut self, ty: Ty, needed: bool) -> fmt::Result {
        if !needed {
            return self.ty(ty);
        }
        self.out.write_char('(')?;
        self.ty(ty)?;
        self.out.write_char(')')
    }

    fn list(&mut self, types: &[Ty]) -> fmt::Result {
        for (i, ty) in types.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            self.ty(*ty)?;
        }
        Ok(())
    }

    /// Writes a nominal type. The generic arguments of each type in the path follow its name. The declarations are
    /// needed to assign arguments to types; without them, all arguments are printed at the end.
    fn nominal(&mut self, nominal: Nominal, args: &[Ty]) -> fmt::Result {
        let name = nominal.name();
        if let Some(world) = self.world
            && !args.is_empty()
            && let Some(parent) = world.parent(nominal)
            && let Some((outer, own)) = args.split_at_checked(world.outer_param_count(nominal))
        {
            if self.qualified {
                self.nominal(parent, outer)?;
                self.out.write_char('.')?;
            }
            self.out.write_str(nominal.base_name())?;
            return self.arguments(own);
        }
        if self.qualified {
            write!(self.out, "{}.{}", name.module, name.path)?;
        } else {
            self.out.write_str(nominal.base_name())?;
        }
        self.arguments(args)
    }

    fn arguments(&mut self, args: &[Ty]) -> fmt::Result {
        if args.is_empty() {
            return Ok(());
        }
        self.out.write_char('<')?;
        self.list(args)?;
        self.out.write_char('>')
    }

    fn function(&mut self, f: &crate::ty::FunctionTy) -> fmt::Result {
        match f.repr {
            FnRepr::Thin => self.out.write_str("@convention(c) ")?,
            FnRepr::Block => self.out.write_str("@convention(block) ")?,
            _ => {}
        }
        if f.sendable {
            self.out.write_str("@Sendable ")?;
        }
        self.out.write_char('(')?;
        for (i, param) in f.params.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            let specifier = param.specifier.as_str();
            if !specifier.is_empty() {
                write!(self.out, "{specifier} ")?;
            }
            self.ty(param.ty)?;
            if param.variadic {
                self.out.write_str("...")?;
            }
        }
        self.out.write_char(')')?;
        if f.is_async {
            self.out.write_str(" async")?;
        }
        match f.throws {
            Some(error) if is_any_error(error) => self.out.write_str(" throws")?,
            Some(error) => {
                self.out.write_str(" throws(")?;
                self.ty(error)?;
                self.out.write_char(')')?;
            }
            None => {}
        }
        self.out.write_str(" -> ")?;
        self.ty(f.result)
    }

    fn existential(&mut self, ty: Ty) -> fmt::Result {
        let TyKind::Existential(e) = ty.kind() else { return Ok(()) };
        let mut first = true;
        let mut separator = |out: &mut String| {
            if !std::mem::take(&mut first) {
                out.push_str(" & ");
            }
        };
        if let Some(superclass) = e.superclass {
            separator(self.out);
            self.ty(superclass)?;
        }
        for protocol in &e.protocols {
            separator(self.out);
            self.nominal(*protocol, &[])?;
            let same: Vec<Ty> = e.same.iter().filter(|(p, _, _)| p == protocol).map(|(_, _, t)| *t).collect();
            if !same.is_empty() {
                self.out.write_char('<')?;
                self.list(&same)?;
                self.out.write_char('>')?;
            }
        }
        if e.protocols.is_empty() && e.superclass.is_none() {
            self.out.write_str(match (e.is_class, self.qualified) {
                (true, true) => "Swift.AnyObject",
                (true, false) => "AnyObject",
                (false, _) => "Any",
            })?;
        }
        Ok(())
    }

    fn builtin(&mut self, builtin: Builtin) -> fmt::Result {
        self.out.write_str("Builtin.")?;
        match builtin {
            Builtin::Int(bits) => write!(self.out, "Int{bits}"),
            Builtin::Float(bits) => write!(self.out, "FPIEEE{bits}"),
            Builtin::Vector(count, element) => {
                let name = element.name(false);
                write!(self.out, "Vec{count}x{}", name.trim_start_matches("Builtin."))
            }
            Builtin::FixedArray(count, element) => {
                write!(self.out, "FixedArray<{count}, ")?;
                self.ty(element)?;
                self.out.write_char('>')
            }
            other => self.out.write_str(match other {
                Builtin::IntLiteral => "IntLiteral",
                Builtin::RawPointer => "RawPointer",
                Builtin::Object => "NativeObject",
                Builtin::BridgeObject => "BridgeObject",
                Builtin::ValueBuffer => "UnsafeValueBuffer",
                Builtin::Token => "SILToken",
                Builtin::PackIndex => "PackIndex",
                Builtin::Job => "Job",
                Builtin::Executor => "Executor",
                Builtin::ImplicitActor => "ImplicitActor",
                Builtin::Continuation => "RawUnsafeContinuation",
                Builtin::DefaultActorStorage => "DefaultActorStorage",
                _ => "NonDefaultDistributedActorStorage",
            }),
        }
    }
}

fn is_any_error(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Existential(e) if e.protocols.iter().any(|p| p.is_swift("Error")))
}
