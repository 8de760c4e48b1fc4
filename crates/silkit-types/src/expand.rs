//! Substitution in lists with pack expansions: `(repeat each T)` with `Pack{Int, String}` for `T` is `(Int, String)`.

use crate::generics::{GenericParamDecl, GenericSig, SigData};
use crate::kind::{MAX_TYPE_SIZE, TupleElement, Type, TypeKind};
use crate::substitute::Substitution;
use silkit_base::Symbol;

impl Substitution<'_> {
    /// Returns the items of a list with `each` applied to every item; `each` also receives the substitution for that
    /// item. An expansion over packs that the substitution replaces becomes as many items as the packs have. Returns
    /// `None` if packs that are expanded together have different lengths, or if the list would be too large for a
    /// type.
    pub fn expand(
        &self,
        items: &[Type],
        each: &mut dyn FnMut(Type, Substitution<'_>) -> Type,
    ) -> Option<Vec<Type>> {
        let mut new = Vec::with_capacity(items.len());
        for &item in items {
            self.expand_item(item, each, &mut new)?;
        }
        Some(new)
    }

    /// Expands the elements of a tuple in the same way. The label of an expansion belongs to its first element.
    pub fn expand_tuple(
        &self,
        elements: &[TupleElement],
        each: &mut dyn FnMut(Type, Substitution<'_>) -> Type,
    ) -> Type {
        let mut new: Vec<TupleElement> = Vec::with_capacity(elements.len());
        for element in elements {
            let mut items = Vec::new();
            if self.expand_item(element.ty, each, &mut items).is_none() {
                return Type::unknown();
            }
            if new.len() + items.len() > MAX_TYPE_SIZE as usize {
                return Type::unknown();
            }
            let label = |index| if index == 0 { element.label } else { None };
            new.extend(items.into_iter().enumerate().map(|(i, ty)| TupleElement {
                label: label(i),
                ty,
                ..*element
            }));
        }
        match new[..] {
            // A tuple with a single pack expansion is spelled like a parenthesized type.
            [TupleElement { label: None, ty, variadic: false }] if expands(&[ty]) => {
                Type::new(TypeKind::Paren(ty))
            }
            [TupleElement { label: None, ty, variadic: false }] => ty,
            _ => Type::new(TypeKind::Tuple(new.into())),
        }
    }

    fn expand_item(
        &self,
        item: Type,
        each: &mut dyn FnMut(Type, Substitution<'_>) -> Type,
        into: &mut Vec<Type>,
    ) -> Option<()> {
        let TypeKind::PackExpansion(pattern) = *item.kind() else {
            into.push(each(item, *self));
            return Some(());
        };
        let mut packs = Vec::new();
        self.packs_in(pattern, &mut packs);
        let Some(&pack) = packs.first() else {
            into.push(Type::new(TypeKind::PackExpansion(each(pattern, *self))));
            return Some(());
        };
        let length = self.length(pack);
        let size = self.least_size(item).saturating_add(into.len() as u64);
        if packs.iter().any(|&at| self.length(at) != length) || size > u64::from(MAX_TYPE_SIZE) {
            return None;
        }
        // Each `each T` becomes a new parameter beside `T`, since inner expansions still refer to `T`.
        let mut sig: SigData = self.sig.data().clone();
        let mut params = sig.params.into_vec();
        let first = params.len();
        params.extend((first..first + packs.len()).map(placeholder));
        sig.params = params.into();
        let sig = GenericSig::new(sig);
        let pattern = self.with_placeholders(pattern, &packs);
        let mut args = self.args.to_vec();
        args.resize(first + packs.len(), Type::unknown());
        for index in 0..length {
            let mut is_expansion = false;
            for (arg, &at) in args[first..].iter_mut().zip(&packs) {
                let element = elements_of(self.args[at]).and_then(|e| e.get(index)).copied();
                *arg = match element.map(Type::kind) {
                    Some(TypeKind::PackExpansion(inner)) => {
                        is_expansion = true;
                        *inner
                    }
                    _ => element.unwrap_or_else(Type::unknown),
                };
            }
            let ty = each(pattern, Substitution { sig, args: &args });
            into.push(if is_expansion { Type::new(TypeKind::PackExpansion(ty)) } else { ty });
        }
        Some(())
    }

    /// Returns the number of elements of the pack that replaces the parameter at a position.
    fn length(&self, at: usize) -> usize {
        self.args.get(at).and_then(|&arg| elements_of(arg)).map_or(0, <[Type]>::len)
    }

    /// Returns a lower bound on the size of the substituted type, so that no work is done for a type that is too
    /// large.
    fn least_size(&self, ty: Type) -> u64 {
        match ty.kind() {
            TypeKind::PackExpansion(pattern) => {
                let mut packs = Vec::new();
                self.packs_in(*pattern, &mut packs);
                let times = packs.first().map_or(1, |&at| self.length(at) as u64);
                times.saturating_mul(self.least_size(*pattern))
            }
            kind => {
                let mut size = 1u64;
                kind.for_each_part(&mut |part| size = size.saturating_add(self.least_size(part)));
                size
            }
        }
    }

    /// Adds the positions of the parameters that a pattern expands and that packs replace, without duplicates.
    fn packs_in(&self, pattern: Type, into: &mut Vec<usize>) {
        match pattern.kind() {
            TypeKind::PackElement(inner) => {
                if let Some(at) = self.position(*inner)
                    && !into.contains(&at)
                    && self.args.get(at).is_some_and(|&arg| elements_of(arg).is_some())
                {
                    into.push(at);
                }
            }
            // A nested expansion is handled separately.
            TypeKind::PackExpansion(_) => {}
            kind => kind.for_each_part(&mut |part| self.packs_in(part, into)),
        }
    }

    /// Returns the pattern with placeholders for each `each T` that a pack replaces.
    fn with_placeholders(&self, pattern: Type, packs: &[usize]) -> Type {
        match pattern.kind() {
            TypeKind::PackElement(inner) => {
                let at = self.position(*inner);
                match packs.iter().position(|&pack| Some(pack) == at) {
                    Some(number) => {
                        with_root(*inner, placeholder_type(self.sig.data().params.len() + number))
                    }
                    None => pattern,
                }
            }
            TypeKind::PackExpansion(_) => pattern,
            _ => pattern.map(&mut |part| self.with_placeholders(part, packs)),
        }
    }

    /// Returns the position of the parameter that is the root of a type.
    fn position(&self, ty: Type) -> Option<usize> {
        let mut ty = ty;
        while let TypeKind::Member(base, _) = ty.kind() {
            ty = *base;
        }
        let TypeKind::Param { depth, index, .. } = *ty.kind() else { return None };
        self.sig.data().params.iter().position(|p| p.depth == depth && p.index == index)
    }
}

/// Expands packs that have replaced their parameters (`repeat each Pack{Int, String}`) in a list. Returns `None` if
/// packs that are expanded together have different lengths, or if the list would be too large.
pub(crate) fn written_out(items: Vec<Type>) -> Option<Vec<Type>> {
    if !expands(&items) {
        return Some(items);
    }
    let mut new = Vec::with_capacity(items.len());
    for item in items {
        let TypeKind::PackExpansion(pattern) = *item.kind() else {
            new.push(item);
            continue;
        };
        let mut lengths = Vec::new();
        pack_lengths(pattern, &mut lengths);
        let Some(&length) = lengths.first() else {
            new.push(item);
            continue;
        };
        if lengths.iter().any(|&other| other != length) || new.len() + length > MAX_TYPE_SIZE as usize {
            return None;
        }
        for index in 0..length {
            let mut is_expansion = false;
            let ty = at_index(pattern, index, &mut is_expansion);
            new.push(if is_expansion { Type::new(TypeKind::PackExpansion(ty)) } else { ty });
        }
    }
    Some(new)
}

/// Adds the lengths of the packs whose elements a pattern refers to.
fn pack_lengths(pattern: Type, into: &mut Vec<usize>) {
    match pattern.kind() {
        TypeKind::PackElement(inner) => into.extend(elements_of(*inner).map(<[Type]>::len)),
        TypeKind::PackExpansion(_) => {}
        kind => kind.for_each_part(&mut |part| pack_lengths(part, into)),
    }
}

/// Returns the pattern for the elements at `index`; sets `is_expansion` if such an element is itself an expansion.
fn at_index(pattern: Type, index: usize, is_expansion: &mut bool) -> Type {
    match pattern.kind() {
        TypeKind::PackElement(inner) => {
            match elements_of(*inner).and_then(|e| e.get(index)).map(|t| (*t, t.kind())) {
                Some((_, TypeKind::PackExpansion(inner))) => {
                    *is_expansion = true;
                    *inner
                }
                Some((element, _)) => element,
                None => pattern,
            }
        }
        TypeKind::PackExpansion(_) => pattern,
        _ => pattern.map(&mut |part| at_index(part, index, is_expansion)),
    }
}

/// Returns the placeholder parameter for the element of a pack. Its depth differs from that of every parameter list,
/// and placeholders that are in use at the same time have different numbers.
fn placeholder(number: usize) -> GenericParamDecl {
    GenericParamDecl {
        name: Symbol::new("each"),
        depth: u16::MAX,
        index: u16::try_from(number).unwrap_or(u16::MAX),
        is_pack: false,
        value_type: None,
        bound: None,
        attribute: None,
    }
}

fn placeholder_type(number: usize) -> Type {
    let GenericParamDecl { name, depth, index, .. } = placeholder(number);
    Type::new(TypeKind::Param { name, depth, index })
}

/// Returns a dependent type with its root parameter replaced.
fn with_root(ty: Type, root: Type) -> Type {
    match ty.kind() {
        TypeKind::Member(base, name) => Type::new(TypeKind::Member(with_root(*base, root), *name)),
        _ => root,
    }
}

fn elements_of(ty: Type) -> Option<&'static [Type]> {
    match ty.kind() {
        TypeKind::Pack { elements, .. } => Some(elements),
        _ => None,
    }
}

/// Returns true if a list contains a pack expansion.
pub(crate) fn expands(items: &[Type]) -> bool {
    items.iter().any(|t| matches!(t.kind(), TypeKind::PackExpansion(_)))
}
