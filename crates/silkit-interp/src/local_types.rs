//! Declarations of local types. SIL uses the types that are declared inside functions, but does not declare them.
//!
//! A declaration of such a type is reconstructed from the instructions, tables and accessors of a module. Stored
//! properties have the order of their accessors, which is the source order, or without accessors the order of their
//! uses.

use crate::local_names::LocalMember;
use crate::violation::demangled;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, ClassRef, DeclRef, Function, Inst, Module, VTable, Value};
use silkit_types::decl::DeclTable;
use silkit_types::{Type, TypeKind};
use std::fmt::Write;

/// The known facts about a type.
#[derive(Default)]
struct Found {
    kind: Option<&'static str>,
    /// The names of the generic parameters in the functions of the type.
    params: Vec<Symbol>,
    members: Vec<Member>,
    superclass: Option<Symbol>,
    /// The types of the operands that a struct was constructed from.
    parts: Vec<Option<String>>,
}

/// A stored property or a case.
struct Member {
    name: Symbol,
    /// The type of the property or of the payload, as spelled.
    ty: Option<String>,
    /// `weak` or `unowned`.
    storage: &'static str,
}

struct Finder<'a> {
    decls: &'a DeclTable,
    found: FxHashMap<Symbol, Found>,
    order: Vec<Symbol>,
}

/// Returns declarations of the types that a module uses, but that are neither declared in it nor known to `is_known`.
/// Only the functions of which `is_own` is true tell something about local types.
pub(crate) fn declarations(
    module: &Module,
    decls: &DeclTable,
    is_known: &dyn Fn(Symbol) -> bool,
    is_own: &dyn Fn(&Function) -> bool,
) -> String {
    let mut finder = Finder { decls, found: FxHashMap::default(), order: Vec::new() };
    let of_functions = module.functions.values().filter_map(|f| f.body.as_ref());
    let of_globals = module.globals.values().filter_map(|g| g.initializer.as_ref());
    for body in of_functions.chain(of_globals) {
        for inst in body.insts() {
            finder.instruction(body, inst);
        }
    }
    for table in module.vtables.values() {
        finder.vtable(table);
    }
    finder.order.retain(|name| !is_known(*name));
    if finder.order.is_empty() {
        return String::new();
    }
    let own: Vec<&Function> =
        module.functions.values().filter(|f| f.name.as_str().contains('L') && is_own(f)).collect();
    finder.accessors(&own);
    finder.found.values_mut().for_each(Found::learn_from_parts);
    finder.drop_ambiguous(&own);
    finder.text()
}

impl Finder<'_> {
    /// Returns the entry of the type with a dotted path, or `None` if the type is declared.
    fn entry(&mut self, path: &[Symbol], kind: &'static str) -> Option<&mut Found> {
        let [name] = path else { return None };
        let name = bare(*name);
        if self.decls.get(name).is_some_and(|e| e.nominal.is_some() || e.alias.is_some()) {
            return None;
        }
        if !self.found.contains_key(&name) {
            self.order.push(name);
        }
        let found = self.found.entry(name).or_default();
        if !kind.is_empty() {
            found.kind.get_or_insert(kind);
        }
        Some(found)
    }

    fn named(&mut self, ty: Type, kind: &'static str) -> Option<&mut Found> {
        match ty.kind() {
            TypeKind::Named(n) if n.parent.is_none() => self.entry(&[n.name], kind),
            _ => None,
        }
    }

    fn member(&mut self, of: DeclRef, kind: &'static str) -> Option<&mut Member> {
        let name = of.name()?;
        let (_, path) = of.data().path.split_last()?;
        let found = self.entry(path, kind)?;
        Some(member(&mut found.members, name))
    }

    fn field(&mut self, body: &Body, inst: Inst, of: DeclRef, kind: &'static str) {
        let Some(address) = body.first_result(inst) else { return };
        let (mut ty, mut storage) = (None, "");
        if self.member(of, kind).is_some() {
            learn_from_uses(body, address, &mut ty, &mut storage);
        }
        ty = ty.filter(|_| is_general(body.value(body.operand_value(inst, 0)).ty.ty()));
        if let Some(member) = self.member(of, kind) {
            member.learn(ty);
            if !storage.is_empty() {
                member.storage = storage;
            }
        }
    }

    fn case(&mut self, of: DeclRef, payload: Option<String>) {
        if let Some(member) = self.member(of, "enum") {
            member.learn(payload);
        }
    }

    /// Records a case from an instruction that returns the address of its payload.
    fn case_at(&mut self, body: &Body, inst: Inst, of: DeclRef) {
        let (mut ty, mut storage) = (None, "");
        if let Some(address) = body.first_result(inst)
            && is_general(body.value(body.operand_value(inst, 0)).ty.ty())
        {
            learn_from_uses(body, address, &mut ty, &mut storage);
        }
        self.case(of, ty);
    }

    fn instruction(&mut self, body: &Body, inst: Inst) {
        match body.view(inst) {
            AnyInst::StructElementAddr(i) => self.field(body, inst, i.field, "struct"),
            AnyInst::StructExtract(i) => self.field(body, inst, i.field, "struct"),
            AnyInst::RefElementAddr(i) => self.field(body, inst, i.field, "class"),
            AnyInst::Struct(i) => {
                let is_general = is_general(i.ty.ty());
                let parts = i.elements.iter().map(|v| spelled(body, v).filter(|_| is_general));
                let parts: Vec<Option<String>> = parts.collect();
                if let Some(found) = self.named(i.ty.ty(), "struct") {
                    found.parts = parts;
                }
            }
            AnyInst::AllocRef(i) => {
                let _ = self.named(i.ty.ty(), "class");
            }
            AnyInst::Metatype(_) => {
                let ty = body.first_result(inst).map(|v| body.value(v).ty.ty());
                if let Some(TypeKind::Metatype(_, of)) = ty.map(Type::kind) {
                    let _ = self.named(*of, "");
                }
            }
            AnyInst::Enum(i) => {
                let payload = i.payload.and_then(|p| spelled(body, p));
                self.case(i.element, payload.filter(|_| is_general(i.ty.ty())));
            }
            AnyInst::InjectEnumAddr(i) => self.case(i.element, None),
            AnyInst::InitEnumDataAddr(i) => self.case_at(body, inst, i.element),
            AnyInst::UncheckedTakeEnumDataAddr(i) => self.case_at(body, inst, i.element),
            AnyInst::SwitchEnum(i) => {
                let is_general = is_general(body.value(i.operand).ty.ty());
                for (element, block) in i.cases.iter() {
                    let payload = body.arguments(block).first().and_then(|&a| spelled(body, a));
                    self.case(element, payload.filter(|_| is_general));
                }
            }
            AnyInst::SwitchEnumAddr(i) => {
                i.cases.iter().for_each(|(element, _)| self.case(element, None));
            }
            _ => {}
        }
    }

    fn vtable(&mut self, table: &VTable) {
        let ClassRef::Name(name) = &table.class else { return };
        let own = *name;
        let base = table.entries.iter().find_map(|e| match e.method.data().path.split_last() {
            Some((_, [base])) if bare(*base) != own => Some(bare(*base)),
            _ => None,
        });
        if let Some(found) = self.entry(&[own], "class") {
            found.kind = Some("class");
            found.superclass = base;
        }
    }

    /// Collects the types and order of properties from their accessors, `x.getter in T #1 in f()`.
    fn accessors(&mut self, functions: &[&Function]) {
        let mut seen: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
        for function in functions {
            let name = demangled(function.name);
            let Some(LocalMember { member, owner, .. }) = LocalMember::parse(&name) else { continue };
            let owner = Symbol::new(owner);
            if !self.order.contains(&owner) {
                continue;
            }
            let Some(f) = function.ty.ty().as_function() else { continue };
            let Some(found) = self.found.get_mut(&owner) else { continue };
            if let Some(params) = f.params.last().and_then(|p| params_of(p.ty, owner)) {
                if found.params.is_empty() {
                    found.params = params;
                } else if found.params != params {
                    continue;
                }
            }
            let initial = member.strip_prefix("variable initialization expression of ");
            let (field, ty) = match (initial, member.rsplit_once('.')) {
                (Some(field), _) => (field, f.results.first().map(|r| r.ty)),
                (None, Some((field, "getter"))) => (field, f.results.first().map(|r| r.ty)),
                (None, Some((field, "setter"))) => (field, f.params.first().map(|p| p.ty)),
                _ => continue,
            };
            let (field, ty) = (Symbol::new(field), ty.map(|t| t.to_string()));
            let Some(known) = found.members.iter_mut().find(|m| m.name == field) else { continue };
            if let Some(ty) = ty.filter(|t| !t.is_empty()) {
                known.ty = Some(ty);
            }
            let order = seen.entry(owner).or_default();
            if !order.contains(&field) {
                order.push(field);
            }
        }
        for (owner, order) in seen {
            if let Some(found) = self.found.get_mut(&owner) {
                let at = |m: &Member| order.iter().position(|n| *n == m.name).unwrap_or(usize::MAX);
                found.members.sort_by_key(at);
            }
        }
    }

    /// Removes the types whose names several functions declare. SIL does not distinguish these names.
    fn drop_ambiguous(&mut self, functions: &[&Function]) {
        let mut declared_in: FxHashMap<Symbol, (String, String)> = FxHashMap::default();
        let mut ambiguous: FxHashSet<Symbol> = FxHashSet::default();
        for function in functions {
            let name = demangled(function.name);
            let Some(LocalMember { owner, number, context, .. }) = LocalMember::parse(&name) else {
                continue;
            };
            let owner = Symbol::new(owner);
            let place = (number.to_owned(), context.to_owned());
            if *declared_in.entry(owner).or_insert_with(|| place.clone()) != place {
                ambiguous.insert(owner);
            }
        }
        self.order.retain(|name| !ambiguous.contains(name));
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut written: FxHashSet<Symbol> = FxHashSet::default();
        for name in &self.order {
            let Some(found) = self.found.get(name).filter(|_| written.insert(*name)) else { continue };
            let kind = found.kind.unwrap_or("enum");
            let _ = write!(text, "\n{kind} {name}");
            if !found.params.is_empty() {
                let params: Vec<&str> = found.params.iter().map(|p| p.as_str()).collect();
                let _ = write!(text, "<{}>", params.join(", "));
            }
            if let Some(base) = found.superclass {
                let _ = write!(text, " : {base}");
            }
            text.push_str(" {\n");
            // Unnamed parts are never accessed individually.
            let unnamed = if found.members.is_empty() { &found.parts[..] } else { &[] };
            for (number, ty) in unnamed.iter().enumerate() {
                let ty = ty.as_deref().unwrap_or("_Unknown");
                let _ = writeln!(text, "  @_hasStorage var _{number}: {ty} {{ get set }}");
            }
            for m in &found.members {
                let _ = match (kind, &m.ty) {
                    ("enum", Some(ty)) if ty.starts_with('(') => writeln!(text, "  case {}{ty}", m.name),
                    ("enum", Some(ty)) => writeln!(text, "  case {}({ty})", m.name),
                    ("enum", None) => writeln!(text, "  case {}", m.name),
                    (_, ty) => {
                        let ty = ty.as_deref().unwrap_or("_Unknown");
                        writeln!(text, "  @_hasStorage {} var {}: {ty} {{ get set }}", m.storage, m.name)
                    }
                };
            }
            text.push_str("}\n");
        }
        text
    }
}

impl Found {
    /// Infers the type of the one property whose type is unknown: that of the part that belongs to no other property.
    fn learn_from_parts(&mut self) {
        if self.parts.len() != self.members.len() {
            return;
        }
        let mut parts: Vec<Option<&String>> = self.parts.iter().map(Option::as_ref).collect();
        for member in self.members.iter().filter(|m| m.ty.is_some()) {
            let Some(at) = parts.iter().position(|part| *part == member.ty.as_ref()) else { return };
            parts.remove(at);
        }
        if let [Some(ty)] = parts[..] {
            let ty = ty.clone();
            self.members.iter_mut().for_each(|member| member.learn(Some(ty.clone())));
        }
    }
}

impl Member {
    fn learn(&mut self, ty: Option<String>) {
        if self.ty.is_none() {
            self.ty = ty;
        }
    }
}

/// Returns the plain name of a type. A reference to a member of a local type marks the name with a prefix.
fn bare(name: Symbol) -> Symbol {
    let (_, bare) = name.as_str().split_once('>').filter(|(prefix, _)| prefix.starts_with('<')).unzip();
    bare.map_or(name, Symbol::new)
}

fn member(members: &mut Vec<Member>, name: Symbol) -> &mut Member {
    let at = members.iter().position(|m| m.name == name).unwrap_or_else(|| {
        members.push(Member { name, ty: None, storage: "" });
        members.len() - 1
    });
    &mut members[at]
}

/// Returns true if a type is not generic, or has generic parameters as arguments, as in the functions of the type.
fn is_general(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Named(n) => n.args.iter().all(|arg| matches!(arg.kind(), TypeKind::Param { .. })),
        _ => true,
    }
}

/// Returns the generic parameters of the type `owner`, from the type of `self` in one of its functions.
fn params_of(ty: Type, owner: Symbol) -> Option<Vec<Symbol>> {
    match ty.kind() {
        TypeKind::Metatype(_, of) => params_of(*of, owner),
        TypeKind::Named(n) if n.name == owner && n.parent.is_none() && is_general(ty) => {
            Some(n.args.iter().map(|arg| Symbol::new(&arg.to_string())).collect())
        }
        _ => None,
    }
}

/// Returns the spelled type of a value, or `None` if the module does not contain it.
fn spelled(body: &Body, value: Value) -> Option<String> {
    let ty = body.value(value).ty;
    (!ty.is_unknown()).then(|| ty.ty().to_string())
}

/// Infers from the uses of an address the type of a property and whether the property is weak or unowned.
fn learn_from_uses(body: &Body, value: Value, ty: &mut Option<String>, storage: &mut &'static str) {
    for user in body.users(value) {
        let other = match body.view(user) {
            AnyInst::BeginAccess(_) | AnyInst::MarkUninitialized(_) => {
                if let Some(inner) = body.first_result(user) {
                    learn_from_uses(body, inner, ty, storage);
                }
                None
            }
            AnyInst::Store(i) if i.destination == value => Some(i.source),
            AnyInst::Assign(i) if i.destination == value => Some(i.source),
            AnyInst::CopyAddr(i) => Some(if i.source == value { i.destination } else { i.source }),
            AnyInst::LoadWeak(_) => {
                *storage = "weak";
                body.first_result(user)
            }
            AnyInst::StoreWeak(i) => {
                *storage = "weak";
                Some(i.source)
            }
            AnyInst::LoadUnowned(_) | AnyInst::StrongCopyUnownedValue(_) => {
                *storage = "unowned";
                body.first_result(user)
            }
            AnyInst::StoreUnowned(i) => {
                *storage = "unowned";
                Some(i.source)
            }
            _ => None,
        };
        if ty.is_none() {
            *ty = other.and_then(|v| spelled(body, v));
        }
    }
}
