//! Types as text, in the spelling of Swift 6.2.
//!
//! The reader of this form is `silkit_text`'s type parser.

use crate::function::{
    CalleeConvention, Convention, FnFlags, FunctionType, Param, ParamConvention, ParamFlags,
    ResultConvention, ResultFlags, ResultInfo,
};
use crate::generics::{GenericParamDecl, GenericSig, Requirement, RequirementKind};
use crate::kind::{BoxType, MetatypeRepr, NamedType, RefStorage, Type, TypeKind};
use silkit_base::Symbol;
use std::fmt::{self, Write};

/// The placeholder that prints for an unknown type; it is read back as [`TypeKind::Unknown`].
pub(crate) const UNKNOWN_SPELLING: &str = "Builtin.SILUnknown";

/// Writes types into any text sink.
pub struct PrintType<'a, W: Write> {
    out: &'a mut W,
}

impl<'a, W: Write> PrintType<'a, W> {
    /// Creates a writer into `out`.
    pub fn new(out: &'a mut W) -> Self {
        Self { out }
    }

    /// Writes a type.
    ///
    /// # Errors
    /// Returns an error only if the sink fails.
    pub fn ty(&mut self, ty: Type) -> fmt::Result {
        match ty.kind() {
            TypeKind::Unknown => self.out.write_str(UNKNOWN_SPELLING),
            TypeKind::Builtin(name, args) => {
                write!(self.out, "Builtin.{name}")?;
                self.args(args)
            }
            TypeKind::Named(named) => self.named(named),
            TypeKind::Param { name, .. } => self.out.write_str(name.as_str()),
            TypeKind::Member(base, name) => {
                self.ty(*base)?;
                write!(self.out, ".{name}")
            }
            TypeKind::Tuple(elements) => self.list("(", ")", elements, |p, e| {
                match e.label {
                    Some(label) => write!(p.out, "{label}: ")?,
                    // `(repeat each T)` is a tuple without a label.
                    None if matches!(e.ty.kind(), TypeKind::PackExpansion(_)) => {}
                    None if elements.len() == 1 && !e.variadic => p.out.write_str("_: ")?,
                    None => {}
                }
                p.ty(e.ty)?;
                p.out.write_str(if e.variadic { "..." } else { "" })
            }),
            TypeKind::Function(f) => self.function(f),
            TypeKind::Metatype(repr, instance) => self.metatype(*repr, *instance, ".Type"),
            TypeKind::ProtocolMetatype(repr, instance) => self.metatype(*repr, *instance, ".Protocol"),
            TypeKind::Any(t) => self.prefixed("any ", *t),
            TypeKind::Some(t) => self.prefixed("some ", *t),
            TypeKind::Composition(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    self.prefixed(if i > 0 { " & " } else { "" }, *part)?;
                }
                Ok(())
            }
            TypeKind::Inverse(t) => self.prefixed("~", *t),
            TypeKind::Optional(t) => self.suffixed(*t, "?"),
            TypeKind::ImplicitlyUnwrapped(t) => self.suffixed(*t, "!"),
            TypeKind::Array(t) => self.wrapped("[", *t, "]"),
            TypeKind::Dictionary(k, v) => {
                self.prefixed("[", *k)?;
                self.wrapped(" : ", *v, "]")
            }
            TypeKind::InlineArray(n, t) => {
                self.prefixed("[", *n)?;
                self.wrapped(" of ", *t, "]")
            }
            TypeKind::Paren(t) => self.wrapped("(", *t, ")"),
            other => self.lowered_only(other),
        }
    }

    /// Writes the kinds that only lowered types have.
    fn lowered_only(&mut self, kind: &TypeKind) -> fmt::Result {
        match kind {
            TypeKind::Box(layout) => self.boxed(layout),
            TypeKind::Pack { direct, elements } => {
                let open = if *direct { "@direct Pack{" } else { "Pack{" };
                self.list(open, "}", elements, |p, &t| p.ty(t))
            }
            TypeKind::PackExpansion(t) => match t.kind() {
                TypeKind::Attributed(shape, pattern) if shape.as_str().starts_with("/*") => {
                    self.out.write_str(shape.as_str())?;
                    self.prefixed(" repeat ", *pattern)
                }
                _ => self.prefixed("repeat ", *t),
            },
            TypeKind::PackElement(t) => self.prefixed("each ", *t),
            TypeKind::Opened { id, existential, interface } => {
                let mut members = Vec::new();
                let mut base = *interface;
                while let TypeKind::Member(of, name) = base.kind() {
                    members.push(*name);
                    base = *of;
                }
                // `(@opened("id", any P) Self).A`, as Swift 6.3 spells it.
                let is_in_parens = matches!(base.kind(), TypeKind::Paren(_));
                self.out.write_str(if is_in_parens { "(" } else { "" })?;
                write!(self.out, "@opened(\"{id}\", ")?;
                self.ty(*existential)?;
                self.prefixed(") ", if let TypeKind::Paren(inner) = base.kind() { *inner } else { base })?;
                self.out.write_str(if is_in_parens { ")" } else { "" })?;
                members.iter().rev().try_for_each(|name| write!(self.out, ".{name}"))
            }
            TypeKind::OpenedElement { id, interface } => {
                write!(self.out, "@pack_element(\"{id}\") ")?;
                self.ty(*interface)
            }
            TypeKind::OpaqueResult { decl, index, interface } => {
                write!(self.out, "@_opaqueReturnTypeOf(\"{decl}\", {index}) ")?;
                self.ty(*interface)
            }
            TypeKind::Storage(RefStorage::Weak, t) => self.prefixed("@sil_weak ", *t),
            TypeKind::Storage(RefStorage::Unowned, t) => self.prefixed("@sil_unowned ", *t),
            TypeKind::Storage(RefStorage::Unmanaged, t) => self.prefixed("@sil_unmanaged ", *t),
            TypeKind::BlockStorage(t) => self.prefixed("@block_storage ", *t),
            TypeKind::MoveOnly(t) => self.prefixed("@moveOnly ", *t),
            TypeKind::DynamicSelf(t) => self.prefixed("@dynamic_self ", *t),
            TypeKind::Integer(text) => self.out.write_str(text.as_str()),
            TypeKind::Attributed(attribute, t) => {
                write!(self.out, "{attribute} ")?;
                self.ty(*t)
            }
            _ => Ok(()),
        }
    }

    fn prefixed(&mut self, prefix: &str, ty: Type) -> fmt::Result {
        self.out.write_str(prefix)?;
        self.ty(ty)
    }

    fn suffixed(&mut self, ty: Type, suffix: &str) -> fmt::Result {
        let needs_parens = matches!(
            ty.kind(),
            TypeKind::Function(_) | TypeKind::Any(_) | TypeKind::Some(_) | TypeKind::Composition(_)
        );
        if needs_parens {
            self.wrapped("(", ty, ")")?;
        } else {
            self.ty(ty)?;
        }
        self.out.write_str(suffix)
    }

    fn wrapped(&mut self, open: &str, ty: Type, close: &str) -> fmt::Result {
        self.prefixed(open, ty)?;
        self.out.write_str(close)
    }

    fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        items: &[T],
        mut each: impl FnMut(&mut Self, &T) -> fmt::Result,
    ) -> fmt::Result {
        self.out.write_str(open)?;
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            each(self, item)?;
        }
        self.out.write_str(close)
    }

    /// Writes `<A, B>`, or nothing if there are no arguments.
    ///
    /// # Errors
    /// Returns an error only if the sink fails.
    pub fn args(&mut self, args: &[Type]) -> fmt::Result {
        if args.is_empty() { Ok(()) } else { self.list("<", ">", args, |p, &t| p.ty(t)) }
    }

    fn named(&mut self, named: &NamedType) -> fmt::Result {
        if let Some(parent) = named.parent {
            self.ty(parent)?;
            self.out.write_char('.')?;
        }
        self.out.write_str(named.name.as_str())?;
        // A parameter pack without elements is not spelled: `Product<>`.
        let is_empty_pack =
            |t: &Type| matches!(t.kind(), TypeKind::Pack { elements, .. } if elements.is_empty());
        match &*named.args {
            [only] if is_empty_pack(only) => self.out.write_str("<>"),
            args => self.args(args),
        }
    }

    fn metatype(&mut self, repr: MetatypeRepr, instance: Type, suffix: &str) -> fmt::Result {
        self.out.write_str(match repr {
            MetatypeRepr::Formal => "",
            MetatypeRepr::Thin => "@thin ",
            MetatypeRepr::Thick => "@thick ",
            MetatypeRepr::ObjC => "@objc_metatype ",
        })?;
        let needs_parens = matches!(
            instance.kind(),
            TypeKind::Function(_)
                | TypeKind::PackElement(_)
                | TypeKind::Composition(_)
                | TypeKind::Opened { .. }
                | TypeKind::OpenedElement { .. }
        );
        match instance.kind() {
            // Without parentheses the suffix would apply to the last protocol.
            TypeKind::Any(composition) if matches!(composition.kind(), TypeKind::Composition(_)) => {
                self.wrapped("any (", *composition, ")")?;
            }
            _ if needs_parens => self.wrapped("(", instance, ")")?,
            _ => self.ty(instance)?,
        }
        self.out.write_str(suffix)
    }

    fn boxed(&mut self, layout: &BoxType) -> fmt::Result {
        if layout.captures_generics {
            self.out.write_str("@captures_generics ")?;
        }
        if let Some(sig) = layout.sig {
            self.sig(sig)?;
            self.out.write_char(' ')?;
        }
        let close = if layout.fields.is_empty() { "}" } else { " }" };
        self.list("{ ", close, &layout.fields, |p, field| {
            p.prefixed(if field.mutable { "var " } else { "let " }, field.ty)
        })?;
        if layout.args.is_empty() {
            return Ok(());
        }
        self.out.write_char(' ')?;
        self.args(&layout.args)
    }

    /// Writes a generic signature: `<T, each U><V where T : P>`.
    ///
    /// # Errors
    /// Returns an error only if the sink fails.
    pub fn sig(&mut self, sig: GenericSig) -> fmt::Result {
        let data = sig.data();
        let lists = data.params.last().map_or(1, |p| p.depth + 1);
        for depth in 0..lists {
            let params: Vec<&GenericParamDecl> = data.params.iter().filter(|p| p.depth == depth).collect();
            self.parameter_list(&params, data.requirements.iter().filter(|r| r.depth == depth))?;
        }
        Ok(())
    }

    /// Writes `<T, U where T : P>`.
    fn parameter_list<'r>(
        &mut self,
        params: &[&GenericParamDecl],
        requirements: impl Iterator<Item = &'r Requirement>,
    ) -> fmt::Result {
        self.out.write_char('<')?;
        self.list("", "", params, |p, param| p.generic_param(param))?;
        let mut separator = if params.is_empty() { "where " } else { " where " };
        for requirement in requirements {
            self.out.write_str(separator)?;
            self.requirement(requirement)?;
            separator = ", ";
        }
        self.out.write_char('>')
    }

    fn generic_param(&mut self, param: &GenericParamDecl) -> fmt::Result {
        if let Some(attribute) = param.attribute {
            write!(self.out, "{attribute} ")?;
        }
        self.out.write_str(match (param.is_pack, param.value_type) {
            (true, _) => "each ",
            (_, Some(_)) => "let ",
            _ => "",
        })?;
        self.out.write_str(param.name.as_str())?;
        match param.value_type.or(param.bound) {
            Some(ty) => self.prefixed(" : ", ty),
            None => Ok(()),
        }
    }

    /// Writes one requirement: `T : P`.
    ///
    /// # Errors
    /// Returns an error only if the sink fails.
    pub fn requirement(&mut self, requirement: &Requirement) -> fmt::Result {
        self.prefixed(if requirement.is_repeat { "repeat " } else { "" }, requirement.subject)?;
        let relation = if requirement.kind == RequirementKind::SameType { " == " } else { " : " };
        self.prefixed(relation, requirement.constraint)
    }

    fn function(&mut self, f: &FunctionType) -> fmt::Result {
        self.function_attributes(f)?;
        if let Some(sig) = f.sig {
            self.sig(sig)?;
            self.out.write_char(' ')?;
        }
        if let Some(sig) = f.pattern_sig {
            self.out.write_str("@substituted ")?;
            self.sig(sig)?;
            self.out.write_char(' ')?;
        }
        self.list("(", ")", &f.params, |p, param| p.param(param))?;
        if f.lowered {
            self.lowered_results(f)?;
        } else {
            self.formal_results(f)?;
        }
        if f.pattern_args.is_empty() {
            return Ok(());
        }
        self.out.write_str(" for ")?;
        self.args(&f.pattern_args)
    }

    fn function_attributes(&mut self, f: &FunctionType) -> fmt::Result {
        let flag =
            |p: &mut Self, flag, text| if f.flags.contains(flag) { p.out.write_str(text) } else { Ok(()) };
        flag(self, FnFlags::AUTOCLOSURE, "@autoclosure ")?;
        flag(self, FnFlags::ESCAPING, "@escaping ")?;
        flag(self, FnFlags::YIELD_ONCE, "@yield_once ")?;
        flag(self, FnFlags::YIELD_ONCE_2, "@yield_once_2 ")?;
        flag(self, FnFlags::YIELD_MANY, "@yield_many ")?;
        match f.differentiable {
            Some(kind) if kind == "" => self.out.write_str("@differentiable ")?,
            Some(kind) => write!(self.out, "@differentiable({kind}) ")?,
            None => {}
        }
        self.convention(f)?;
        flag(self, FnFlags::PSEUDOGENERIC, "@pseudogeneric ")?;
        flag(self, FnFlags::CONCURRENT, "@concurrent ")?;
        flag(self, FnFlags::UNIMPLEMENTABLE, "@unimplementable ")?;
        flag(self, FnFlags::NONISOLATED_NONSENDING, "nonisolated(nonsending) ")?;
        if let Some(actor) = f.global_actor {
            write!(self.out, "@{actor} ")?;
        }
        flag(self, FnFlags::ISOLATED_ANY, "@isolated(any) ")?;
        flag(self, FnFlags::CALLER_ISOLATED, "@caller_isolated ")?;
        flag(self, FnFlags::NOESCAPE, "@noescape ")?;
        flag(self, FnFlags::SENDABLE, "@Sendable ")?;
        if f.lowered {
            flag(self, FnFlags::ASYNC, "@async ")?;
        }
        flag(self, FnFlags::CALLED_AT_MOST_ONCE, "@called(atMostOnce) ")?;
        flag(self, FnFlags::CALLED_EXACTLY_ONCE, "@called(exactlyOnce) ")?;
        flag(self, FnFlags::CALLED_ONCE, "@called(once) ")?;
        self.out.write_str(match f.callee {
            CalleeConvention::Unowned => "",
            CalleeConvention::Owned => "@callee_owned ",
            CalleeConvention::Guaranteed => "@callee_guaranteed ",
        })
    }

    fn convention(&mut self, f: &FunctionType) -> fmt::Result {
        let Some(name) = f.convention.spelling() else { return Ok(()) };
        write!(self.out, "@convention({name}")?;
        if let Convention::WitnessMethod(protocol) = f.convention {
            self.prefixed(": ", protocol)?;
        }
        if let Some(clang) = f.clang_type {
            write!(self.out, ", cType: \"{clang}\"")?;
        }
        self.out.write_str(") ")
    }

    fn param(&mut self, param: &Param) -> fmt::Result {
        let flag = |p: &mut Self, flag, text| {
            if param.flags.contains(flag) { p.out.write_str(text) } else { Ok(()) }
        };
        if let Some(label) = param.label {
            write!(self.out, "{label}: ")?;
        } else {
            flag(self, ParamFlags::EXPLICIT_NO_LABEL, "_: ")?;
        }
        self.lifetime(param.lifetime)?;
        flag(self, ParamFlags::NO_DERIVATIVE, "@noDerivative ")?;
        flag(self, ParamFlags::ADDRESSABLE, "@_addressable ")?;
        flag(self, ParamFlags::INHERIT_ACTOR_CONTEXT, "@_inheritActorContext ")?;
        flag(self, ParamFlags::AUTOCLOSURE, "@autoclosure ")?;
        let formal = param.convention.is_formal() || param.convention == ParamConvention::Unowned;
        let sil = !formal
            || param.flags.contains(ParamFlags::IMPLICIT_LEADING)
            || param.flags.contains(ParamFlags::SIL);
        flag(self, ParamFlags::SENDING, if sil { "@sil_sending " } else { "sending " })?;
        flag(self, ParamFlags::ISOLATED, if sil { "@sil_isolated " } else { "isolated " })?;
        flag(self, ParamFlags::IMPLICIT_LEADING, "@sil_implicit_leading_param ")?;
        flag(self, ParamFlags::CONST, "_const ")?;
        let spelling = param.convention.spelling();
        if !spelling.is_empty() {
            write!(self.out, "{spelling} ")?;
        }
        self.ty(param.ty)?;
        flag(self, ParamFlags::VARIADIC, "...")
    }

    fn formal_results(&mut self, f: &FunctionType) -> fmt::Result {
        if !f.yields.is_empty() {
            self.out.write_str(" yields (")?;
            for (at, param) in f.yields.iter().enumerate() {
                self.out.write_str(if at > 0 { ", " } else { "" })?;
                self.param(param)?;
            }
            self.out.write_str(")")?;
        }
        if f.flags.contains(FnFlags::ASYNC) {
            self.out.write_str(" async")?;
        }
        if f.flags.contains(FnFlags::RETHROWS) {
            self.out.write_str(" rethrows")?;
        } else if let Some(error) = f.error {
            self.wrapped(" throws(", error.ty, ")")?;
        } else if f.flags.contains(FnFlags::THROWS) {
            self.out.write_str(" throws")?;
        }
        self.out.write_str(" -> ")?;
        if f.flags.contains(FnFlags::SENDING_RESULT) {
            self.out.write_str("sending ")?;
        }
        match f.results.first() {
            Some(result) => self.ty(result.ty),
            None => self.out.write_str("()"),
        }
    }

    fn lowered_results(&mut self, f: &FunctionType) -> fmt::Result {
        self.out.write_str(" -> ")?;
        let count = f.yields.len() + f.results.len() + usize::from(f.error.is_some());
        // Parentheses distinguish a single unlabeled-tuple result from several results, and a function inside an
        // `@substituted` type from its `for <…>`.
        let lone = f.results.first().filter(|_| count == 1);
        let lone_tuple = lone.is_some_and(|r| match r.ty.kind() {
            TypeKind::Tuple(elements) => {
                r.convention == ResultConvention::Unowned && elements.iter().all(|e| e.label.is_none())
            }
            _ => false,
        });
        let lone_function = f.pattern_sig.is_some() && lone.is_some_and(|r| r.ty.as_function().is_some());
        let parens = count != 1 || lone_tuple || lone_function;
        self.lifetime(f.result_lifetime)?;
        if parens {
            self.out.write_char('(')?;
        }
        let mut separator = "";
        for y in &f.yields {
            self.out.write_str(separator)?;
            self.lifetime(y.lifetime)?;
            self.out.write_str("@yields ")?;
            self.param(&Param { lifetime: None, ..*y })?;
            separator = ", ";
        }
        for r in &f.results {
            self.out.write_str(separator)?;
            self.result(r)?;
            separator = ", ";
        }
        if let Some(error) = &f.error {
            self.out.write_str(separator)?;
            self.error(error)?;
        }
        self.out.write_str(if parens { ")" } else { "" })
    }

    fn lifetime(&mut self, lifetime: Option<Symbol>) -> fmt::Result {
        lifetime.map_or(Ok(()), |text| write!(self.out, "@lifetime({text}) "))
    }

    fn result(&mut self, r: &ResultInfo) -> fmt::Result {
        self.lifetime(r.lifetime)?;
        if r.flags.contains(ResultFlags::NO_DERIVATIVE) {
            self.out.write_str("@noDerivative ")?;
        }
        if r.flags.contains(ResultFlags::SENDING) {
            self.out.write_str("@sil_sending ")?;
        }
        let spelling = r.convention.spelling();
        if !spelling.is_empty() {
            write!(self.out, "{spelling} ")?;
        }
        self.ty(r.ty)
    }

    fn error(&mut self, error: &ResultInfo) -> fmt::Result {
        match error.convention {
            ResultConvention::Out => self.prefixed("@error_indirect ", error.ty),
            // An owned error is spelled without a convention.
            ResultConvention::Owned => self.prefixed("@error ", error.ty),
            _ => {
                self.out.write_str("@error ")?;
                self.result(error)
            }
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PrintType::new(f).ty(*self)
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for GenericSig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PrintType::new(f).sig(*self)
    }
}

/// A generic signature with the parameters of all depths in one list, as the signature of a key path pattern is spelled:
/// `<τ_0_0, τ_1_0 where τ_0_0 : P>`.
#[derive(Clone, Copy, Debug)]
pub struct OneList(pub GenericSig);

impl fmt::Display for OneList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = self.0.data();
        let params: Vec<&GenericParamDecl> = data.params.iter().collect();
        PrintType::new(f).parameter_list(&params, data.requirements.iter())
    }
}

impl fmt::Debug for GenericSig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
