//! Inference of property types from initial values: `var x = make()`.

use super::model::{DeclFlags, MemberKind};
use super::table::{DeclTable, FxMap};
use crate::kind::{Type, TypeKind};
use silkit_base::Symbol;

/// An initial value that is a name or a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialValue {
    /// The path of the type that the property is stored in; `None` at the top level of the module.
    pub owner: Option<Symbol>,
    /// The property.
    pub property: Symbol,
    /// The name that the initial value consists of, or that it calls, spelled as a type.
    pub named: Type,
    /// The arguments, if the initial value is a call.
    pub call: Option<Arguments>,
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// No arguments.
    None,
    /// Some arguments.
    Some,
}

/// The top-level declarations of one name in a module.
#[derive(Clone, Copy)]
struct TopLevelDecls {
    ty: Type,
    is_function: bool,
}

impl DeclTable {
    /// Infers the types of properties that have an initial value and no stated type, if the type follows from
    /// declarations: a call of a non-generic, non-overloaded function of this module, an initializer, an enum case,
    /// or another variable. `is_type` returns true for the names of types that other modules declare.
    pub(super) fn infer_types(&mut self, is_type: impl Fn(Symbol) -> bool) {
        let values = std::mem::take(&mut self.initial_values);
        if values.is_empty() {
            return;
        }
        let mut known: FxMap<Symbol, Option<TopLevelDecls>> = FxMap::default();
        for member in &self.top_level {
            let is_function = member.kind == MemberKind::Function;
            if !is_function && member.kind != MemberKind::Property {
                continue;
            }
            let named = member.ty.filter(|ty| !ty.is_unknown()).map(|ty| TopLevelDecls { ty, is_function });
            // The arguments decide which overload is called.
            known.entry(member.name).and_modify(|known| *known = None).or_insert(named);
        }
        let references: FxMap<Symbol, &InitialValue> = values
            .iter()
            .filter(|value| value.owner.is_none())
            .map(|value| (value.property, value))
            .collect();
        let mut inferred: Vec<(InitialValue, Type)> = Vec::new();
        for value in &values {
            // A variable may be initialized with another variable, and so on: all of them have the type of the last
            // one.
            let mut chain = vec![value];
            let mut found = None;
            while let Some(last) = chain.last() {
                found = self.type_of_value(last, &known, &is_type);
                let name = simple(last.named).filter(|_| last.call.is_none() && found.is_none());
                let next = name.and_then(|name| references.get(&name));
                match next {
                    Some(next) if chain.len() <= references.len() => chain.push(next),
                    _ => break,
                }
            }
            let Some(ty) = found else { continue };
            for link in chain {
                inferred.push((*link, ty));
                if link.owner.is_none() {
                    known.insert(link.property, Some(TopLevelDecls { ty, is_function: false }));
                }
            }
        }
        for (value, ty) in inferred {
            self.set_type(&value, ty);
        }
    }

    fn type_of_value(
        &self,
        value: &InitialValue,
        known: &FxMap<Symbol, Option<TopLevelDecls>>,
        is_type: &impl Fn(Symbol) -> bool,
    ) -> Option<Type> {
        let simple = simple(value.named);
        if let Some(named) = simple.and_then(|name| known.get(&name)) {
            return named.filter(|named| named.is_function == value.call.is_some()).map(|named| named.ty);
        }
        if value.call.is_some() {
            match value.named.kind() {
                TypeKind::Array(_) | TypeKind::Dictionary(..) => return Some(value.named),
                TypeKind::Named(named) if named.parent.is_none() => {
                    return self.initialized(value, is_type).then_some(value.named);
                }
                _ => {}
            }
            if self.initialized(value, is_type) {
                return Some(value.named);
            }
        }
        // An enum case has the type of the enum.
        let TypeKind::Named(named) = value.named.kind() else { return None };
        let parent = named.parent?;
        let body = &self.nominal(self.path_around(parent, value.owner)?)?.body;
        body.cases.iter().any(|case| case.name == named.name).then_some(parent)
    }

    /// Returns true if a call is of an initializer of `value`'s type that cannot fail.
    fn initialized(&self, value: &InitialValue, is_type: &impl Fn(Symbol) -> bool) -> bool {
        match self.path_around(value.named, value.owner).and_then(|path| self.nominal(path)) {
            Some(nominal) => {
                let may_fail = |m: &super::Member| {
                    m.kind == MemberKind::Initializer && m.flags.contains(DeclFlags::FAILABLE)
                };
                let is_generic = nominal.param_count() > 0;
                let TypeKind::Named(named) = value.named.kind() else { return false };
                (!is_generic || !named.args.is_empty()) && !nominal.body.members.iter().any(may_fail)
            }
            None => value.call == Some(Arguments::None) && value.named.path().is_some_and(is_type),
        }
    }

    fn nominal(&self, path: Symbol) -> Option<&super::NominalDecl> {
        let nominal = self.get(path)?.nominal.as_ref()?;
        (!nominal.flags.contains(DeclFlags::AMBIGUOUS)).then_some(nominal)
    }

    /// Returns the path of a type of this module, looked up from inside `owner`.
    fn path_around(&self, ty: Type, owner: Option<Symbol>) -> Option<Symbol> {
        let spelled = ty.path()?;
        let mut enclosing = owner.map(|owner| owner.as_str());
        while let Some(outer) = enclosing {
            let path = Symbol::new(&format!("{outer}.{spelled}"));
            if self.nominal(path).is_some() {
                return Some(path);
            }
            enclosing = outer.rsplit_once('.').map(|(outer, _)| outer);
        }
        self.nominal(spelled).map(|_| spelled)
    }

    fn set_type(&mut self, value: &InitialValue, ty: Type) {
        match value.owner {
            None => {
                let of_value = self
                    .top_level
                    .iter_mut()
                    .filter(|m| m.kind == MemberKind::Property && m.name == value.property);
                of_value.for_each(|member| member.ty = Some(ty));
            }
            Some(owner) => {
                for body in self.bodies_mut(owner) {
                    let fields = body.fields.iter_mut().filter(|field| field.name == value.property);
                    fields.for_each(|field| field.ty = ty);
                }
            }
        }
    }
}

/// Returns the name of a type that has neither a parent nor arguments.
fn simple(ty: Type) -> Option<Symbol> {
    match ty.kind() {
        TypeKind::Named(named) if named.parent.is_none() && named.args.is_empty() => Some(named.name),
        _ => None,
    }
}
