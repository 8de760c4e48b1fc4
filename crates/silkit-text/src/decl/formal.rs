//! The formal types of members, as written after references to them: `#P.f : <Self where Self : P> (Self) -> (Int) ->
//! ()`.
//!
//! Older compilers and hand-written files omit them; they are computed from the declarations of the file.

use crate::cursor::Cursor;
use crate::existential::Protocols;
use crate::generic_env::GenericEnv;
use crate::symbols::symbol;
use crate::types::parse_type;
use crate::types::signature::parse_generic_sig;
use silkit_base::Symbol;
use silkit_ir::DeclRef;
use silkit_types::decl::{DeclFlags, Declarations, Member, MemberKind, NominalDecl, NominalKind};
use silkit_types::{
    Convention, FunctionType, GenericParamDecl, GenericSig, MetatypeRepr, Param, ParamConvention, ParamFlags,
    Requirement, RequirementKind, ResultConvention, ResultFlags, ResultInfo, SigData, Type, TypeKind,
};

/// The declarations of a file, with its text.
pub(crate) struct FormalTypes<'a> {
    pub(crate) declarations: &'a Declarations,
    pub(crate) text: &'a str,
    pub(crate) protocols: &'a Protocols,
}

/// The accessor that a reference denotes by its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accessor {
    None,
    Getter,
    Setter,
    Coroutine,
}

impl FormalTypes<'_> {
    /// Returns the type of a method, initializer or accessor; `None` if it does not follow from the file.
    pub(crate) fn of(&self, decl: DeclRef) -> Option<Type> {
        let data = decl.data();
        let (member, path) = (data.path.last()?, decl.owner_path()?);
        let nominal = self.declarations.own().get(path)?.nominal.as_ref()?;
        let accessor = match data.kinds.first().map(|k| k.as_str()) {
            None | Some("foreign" | "allocator" | "initializer") => Accessor::None,
            Some("getter") => Accessor::Getter,
            Some("setter") => Accessor::Setter,
            Some("modify" | "read" | "modify2" | "read2" | "yielding_borrow" | "yielding_mutate") => {
                Accessor::Coroutine
            }
            Some(_) => return None,
        };
        let name = decl.name().unwrap_or(*member);
        // An operator is quoted.
        let name = symbol(name.as_str().trim_matches('"'));
        let mut found = nominal.body.members.all_named(name);
        let stored = nominal.body.fields.named(name);
        let mut context = self.context(nominal, path.as_str())?;
        let modifies = matches!(accessor, Accessor::Setter)
            || data
                .kinds
                .first()
                .is_some_and(|k| matches!(k.as_str(), "modify" | "modify2" | "yielding_mutate"));
        let inner = match (found.next(), found.next(), stored) {
            (Some(m), None, None) => self.member(m, accessor, &mut context)?,
            (None, None, Some(field)) => accessor_type(accessor, &[], field.ty)?,
            (None, None, None) if nominal.kind == NominalKind::Class && name == "init" => {
                // Every class without an initializer has an implicit one.
                context.is_static = true;
                function(None, Vec::new(), context.instance)
            }
            _ => return None,
        };
        Some(context.method(inner, modifies))
    }

    fn member(&self, m: &Member, accessor: Accessor, context: &mut Context) -> Option<Type> {
        context.is_static |= m.flags.contains(DeclFlags::STATIC) || m.kind == MemberKind::Initializer;
        context.is_mutating |= m.flags.contains(DeclFlags::MUTATING);
        context.is_owned |= m.flags.contains(DeclFlags::CONSUMING);
        match (m.kind, accessor) {
            (MemberKind::Property, _) => accessor_type(accessor, &[], m.ty.filter(|t| !t.is_unknown())?),
            (MemberKind::Subscript, _) => {
                let function = self.signature(m, context)?;
                let f = function.as_function()?;
                accessor_type(accessor, &f.params, f.results.first()?.ty)
            }
            (MemberKind::Function, Accessor::None) => self.signature(m, context),
            (MemberKind::Initializer, Accessor::None) => {
                let function = self.signature(m, context)?;
                let mut f = function.as_function()?.clone();
                let before = self.text.get(..m.signature.start as usize)?.trim_end();
                let instance = context.instance;
                let made =
                    if before.ends_with('?') { Type::new(TypeKind::Optional(instance)) } else { instance };
                f.results = Box::new([plain(made)]);
                Some(Type::new(TypeKind::Function(Box::new(f))))
            }
            _ => None,
        }
    }

    /// Returns the type of a member's signature: `<T>(_ x: T) throws -> Int` is `(T) throws -> Int`.
    fn signature(&self, m: &Member, context: &mut Context) -> Option<Type> {
        let text = self.text.get(m.signature.as_usize())?;
        let text = text.split(['{', '\n']).next()?.split("//").next()?.replace(" = default", "");
        let text = text.trim();
        let mut env = GenericEnv::with_protocols(self.protocols.clone());
        context.sig.into_iter().for_each(|sig| env.push(sig));
        let mut cur = Cursor::new(text);
        if cur.peek() == b'<' {
            let own = parse_generic_sig(&mut cur, &mut env).ok()?;
            let own = if context.sig.is_some() { own.deeper() } else { own };
            env.push(own);
            context.method_sig = Some(own.without_bounds());
        }
        let mut rest = cur.text().get(cur.pos()..)?.to_owned();
        if let Some(at) = rest.find(" where ") {
            // Requirements on the method would be part of its signature.
            if !rest[at..].is_empty() {
                return None;
            }
        }
        if !rest.contains("->") {
            rest.push_str(" -> ()");
        }
        let mut cur = Cursor::new(&rest);
        let ty = parse_type(&mut cur, &mut env, false).ok()?;
        if !cur.at_end() {
            return None;
        }
        let ty = context.associated_types(ty);
        let mut f = ty.as_function()?.clone();
        for param in &mut f.params {
            param.label = None;
            param.flags.remove(ParamFlags::EXPLICIT_NO_LABEL);
        }
        Some(Type::new(TypeKind::Function(Box::new(f))))
    }

    /// Returns the type that a member belongs to.
    fn context(&self, nominal: &NominalDecl, path: &str) -> Option<Context> {
        if nominal.kind == NominalKind::Protocol {
            let name = symbol("Self");
            let instance = Type::new(TypeKind::Param { name, depth: 0, index: 0 });
            let param = GenericParamDecl {
                name,
                depth: 0,
                index: 0,
                is_pack: false,
                value_type: None,
                bound: None,
                attribute: None,
            };
            let conforms = Requirement {
                kind: RequirementKind::Conforms,
                depth: 0,
                is_repeat: false,
                subject: instance,
                constraint: Type::nominal(path),
            };
            let sig = GenericSig::new(SigData { params: [param].into(), requirements: [conforms].into() });
            let associated = nominal.body.associated.iter().map(|a| a.name).collect();
            return Some(Context { associated, ..Context::new(instance, Some(sig)) });
        }
        if path.contains('.') {
            // The parameters of enclosing types would be part of its signature as well.
            return None;
        }
        let args = nominal.sig.map(|sig| {
            let params = sig.data().params.iter();
            params
                .map(|p| Type::new(TypeKind::Param { name: p.name, depth: p.depth, index: p.index }))
                .collect()
        });
        let instance = Type::named(None, nominal.name, args.unwrap_or_default());
        Some(Context::new(instance, nominal.sig.map(GenericSig::without_bounds)))
    }
}

/// The context of a member's type: its signature and `self`.
struct Context {
    instance: Type,
    sig: Option<GenericSig>,
    method_sig: Option<GenericSig>,
    is_static: bool,
    is_mutating: bool,
    is_owned: bool,
    /// The names of a protocol's associated types.
    associated: Vec<Symbol>,
}

impl Context {
    fn new(instance: Type, sig: Option<GenericSig>) -> Self {
        Self {
            instance,
            sig,
            method_sig: None,
            is_static: false,
            is_mutating: false,
            is_owned: false,
            associated: Vec::new(),
        }
    }

    /// Replaces `E` in a protocol by `Self.E`.
    fn associated_types(&self, ty: Type) -> Type {
        match ty.kind() {
            TypeKind::Named(n) if n.parent.is_none() && self.associated.contains(&n.name) => {
                Type::new(TypeKind::Member(self.instance, n.name))
            }
            _ if self.associated.is_empty() => ty,
            _ => ty.map(&mut |part| self.associated_types(part)),
        }
    }

    /// Returns `<Self where Self : P> (inout Self) -> inner`.
    fn method(&self, inner: Type, modifies: bool) -> Type {
        let by_value = matches!(self.instance.kind(), TypeKind::Param { .. });
        let (mut convention, mut ty) = (ParamConvention::Unowned, self.instance);
        if self.is_static {
            ty = Type::new(TypeKind::Metatype(MetatypeRepr::Formal, ty));
        } else if self.is_mutating || (modifies && by_value) {
            convention = ParamConvention::Inout;
        } else if self.is_owned {
            convention = ParamConvention::Owned;
        }
        let sig = match (self.sig, self.method_sig) {
            (Some(outer), Some(own)) => Some(outer.followed_by(own)),
            (outer, own) => outer.or(own),
        };
        function(sig, vec![param(convention, ty)], inner)
    }
}

fn accessor_type(accessor: Accessor, indices: &[Param], value: Type) -> Option<Type> {
    Some(match accessor {
        Accessor::None => return None,
        Accessor::Getter => function(None, indices.to_vec(), value),
        Accessor::Setter => {
            let mut params = vec![param(ParamConvention::Unowned, value)];
            params.extend_from_slice(indices);
            function(None, params, Type::void())
        }
        Accessor::Coroutine => function(None, indices.to_vec(), Type::void()),
    })
}

fn param(convention: ParamConvention, ty: Type) -> Param {
    Param { convention, flags: ParamFlags::empty(), label: None, lifetime: None, ty }
}

fn plain(ty: Type) -> ResultInfo {
    ResultInfo { convention: ResultConvention::Unowned, flags: ResultFlags::empty(), lifetime: None, ty }
}

fn function(sig: Option<GenericSig>, params: Vec<Param>, result: Type) -> Type {
    let mut f = FunctionType::lowered(Convention::Thick);
    f.lowered = false;
    f.sig = sig;
    f.params = params.into();
    f.results = Box::new([plain(result)]);
    Type::new(TypeKind::Function(Box::new(f)))
}
