//! Generic requirements and dependent member types in mangled names.

use super::Mangler;
use super::writer::Key;
use silkit_base::Symbol;
use silkit_types::decl::NominalKind;
use silkit_types::{GenericSig, Requirement, RequirementKind, Type, TypeKind};

impl Mangler<'_> {
    /// Writes the requirements of a conformance that do not follow from the declaration of its type.
    pub(super) fn conditions(
        &mut self,
        sig: Option<GenericSig>,
        nominal: Symbol,
        protocol: Type,
    ) -> Option<()> {
        let Some(sig) = sig else { return Some(()) };
        // A conformance that the declaration of a type states is never conditional.
        let protocol = self.decls.path_of(self.decls.resolve(protocol));
        let declared = &self.known(nominal)?.inherited;
        if declared.iter().any(|t| self.decls.path_of(self.decls.resolve(*t)) == protocol) {
            return Some(());
        }
        let own = self.requirements_of(nominal);
        let is_new =
            |r: &&Requirement| !own.contains(&self.in_positions(r.subject, r.constraint, r.kind, nominal));
        let new: Vec<Requirement> = sig.data().requirements.iter().filter(is_new).copied().collect();
        if new.is_empty() { Some(()) } else { self.requirements(&new, nominal) }
    }

    /// Writes requirements and the end of a signature that extends the signature of a type.
    pub(super) fn requirements(&mut self, requirements: &[Requirement], nominal: Symbol) -> Option<()> {
        for requirement in requirements {
            self.requirement(requirement, nominal)?;
        }
        let lists = self.parameter_counts(nominal);
        // Repeating a single parameter without requirements is shorter than omitting it.
        let is_single = lists.iter().sum::<usize>() == 1 && self.requirements_of(nominal).is_empty();
        self.out.push(if is_single { "l" } else { "rl" });
        Some(())
    }

    /// Returns the numbers of generic parameters of a type and its enclosing types.
    fn parameter_counts(&self, nominal: Symbol) -> Vec<usize> {
        enclosing_paths(nominal).filter_map(|path| self.known(path)).map(|d| d.param_count()).collect()
    }

    /// Returns the requirements of a type and its enclosing types, as spelled.
    fn requirements_of(&self, nominal: Symbol) -> Vec<String> {
        let mut all: Vec<Requirement> = Vec::new();
        let mut bounds = Vec::new();
        for path in enclosing_paths(nominal) {
            let Some(decl) = self.known(path) else { continue };
            let extension = self.extension_around(path);
            all.extend(extension.iter().flat_map(|x| x.requirements.iter()));
            all.extend(&decl.requirements);
            let Some(sig) = decl.sig else { continue };
            all.extend(&sig.data().requirements);
            bounds.extend(sig.data().params.iter().filter_map(|p| Some((p.name, p.bound?))));
        }
        let is_inverse = |ty: Type| matches!(ty.kind(), TypeKind::Inverse(_));
        let bounds = bounds.into_iter().map(|(name, bound)| (Type::nominal(name.as_str()), bound, CONFORMS));
        let all = all.into_iter().map(|r| (r.subject, r.constraint, r.kind)).chain(bounds);
        let all = all.filter(|(_, constraint, _)| !is_inverse(*constraint));
        all.map(|(subject, constraint, kind)| self.in_positions(subject, constraint, kind, nominal)).collect()
    }

    /// Returns a requirement as text that does not depend on the names of parameters, for comparison.
    fn in_positions(
        &self,
        subject: Type,
        constraint: Type,
        kind: RequirementKind,
        nominal: Symbol,
    ) -> String {
        let at = |ty| {
            Some(self::subject(self.parameter(ty, nominal)?)?).map(|(depth, index, members)| {
                let members: Vec<&str> = members.iter().map(|m| m.1.as_str()).collect();
                format!("{depth}.{index}.{}", members.join("."))
            })
        };
        let side = |ty: Type| at(ty).unwrap_or_else(|| self.decls.resolve(ty).to_string());
        format!("{} {kind:?} {}", side(subject), side(constraint))
    }

    fn requirement(&mut self, requirement: &Requirement, nominal: Symbol) -> Option<()> {
        let constraint = self.decls.resolve(requirement.constraint);
        // Operators by the depth of the subject: a parameter, a member, a member of a member.
        let (letters, layout) = match requirement.kind {
            RequirementKind::SameType => {
                self.ty(constraint)?;
                (["Rs", "Rt", "RT"], "")
            }
            RequirementKind::Layout => return None,
            RequirementKind::Conforms => match constraint.kind() {
                TypeKind::Inverse(_) => return Some(()),
                TypeKind::Named(n) if n.name == "AnyObject" => (["Rl", "Rm", "RM"], "C"),
                _ => {
                    let path = self.decls.path_of(constraint)?;
                    if self.known(path)?.kind == NominalKind::Protocol {
                        self.protocol(constraint)?;
                        (["R", "Rp", "RP"], "")
                    } else {
                        self.ty(constraint)?;
                        (["Rb", "Rc", "RC"], "")
                    }
                }
            },
        };
        let (depth, index, members) = subject(self.parameter(requirement.subject, nominal)?)?;
        self.members(&members)?;
        self.out.operator(letters[members.len().min(2)], depth, index);
        self.out.push(layout);
        Some(())
    }

    /// Returns a subject in terms of the parameters of a type, which extensions spell by name.
    fn parameter(&self, ty: Type, nominal: Symbol) -> Option<Type> {
        match ty.kind() {
            TypeKind::Named(n) if n.args.is_empty() => match n.parent {
                Some(parent) => Some(Type::new(TypeKind::Member(self.parameter(parent, nominal)?, n.name))),
                None => {
                    let lists = enclosing_paths(nominal).filter_map(|path| self.known(path)?.sig);
                    let all: Vec<GenericSig> = lists.collect();
                    let (depth, index) = all.iter().enumerate().rev().find_map(|(depth, sig)| {
                        Some((depth, sig.data().params.iter().position(|p| p.name == n.name)?))
                    })?;
                    let (depth, index) = (u16::try_from(depth).ok()?, u16::try_from(index).ok()?);
                    Some(Type::new(TypeKind::Param { name: n.name, depth, index }))
                }
            },
            TypeKind::Member(base, name) => {
                Some(Type::new(TypeKind::Member(self.parameter(*base, nominal)?, *name)))
            }
            _ => Some(ty),
        }
    }

    /// Writes `T.A` and `T.A.B` as types.
    pub(super) fn member(&mut self, whole: Type, base: Type, name: Symbol) -> Option<()> {
        let key = Key::Type(whole);
        if self.out.reuse(&key) {
            return Some(());
        }
        let (depth, index, members) = subject(Type::new(TypeKind::Member(base, name)))?;
        self.members(&members)?;
        let letters = if members.len() > 1 { ["QZ", "QY"] } else { ["Qz", "Qy"] };
        if (depth, index) == (0, 0) {
            self.out.push(letters[0]);
        } else {
            self.out.operator(letters[1], depth, index);
        }
        self.out.remember(key);
        Some(())
    }

    /// Writes the names of associated types; in a path, the first is followed by `_`.
    fn members(&mut self, members: &[(Type, Symbol)]) -> Option<()> {
        for (i, (base, name)) in members.iter().enumerate() {
            self.out.identifier(name.as_str());
            if let Some(protocol) = self.ambiguous_member(*base, *name) {
                self.nominal(protocol)?;
            }
            self.out.push(if i == 0 && members.len() > 1 { "_" } else { "" });
        }
        Some(())
    }

    /// Returns the protocol of an associated type if its base conforms to several protocols.
    fn ambiguous_member(&self, base: Type, name: Symbol) -> Option<Symbol> {
        let all = self.sig?.data().requirements.iter();
        let mut protocols = all
            .filter(|r| r.kind == RequirementKind::Conforms && r.subject == base)
            .filter_map(|r| self.decls.path_of(self.decls.resolve(r.constraint)))
            .filter(|p| self.known(*p).is_some_and(|d| d.kind == NominalKind::Protocol));
        let first = protocols.next()?;
        let second = protocols.next()?;
        [first, second].into_iter().chain(protocols).find_map(|p| self.declaring(p, name, 0))
    }

    /// Returns the outermost protocol that declares an associated type: this one or one that it inherits from.
    fn declaring(&self, protocol: Symbol, name: Symbol, steps: u32) -> Option<Symbol> {
        let decl = self.known(protocol).filter(|_| steps < 16)?;
        let inherited = decl.inherited.iter().filter_map(|t| self.decls.path_of(*t));
        let above = inherited.filter(|p| *p != protocol).find_map(|p| self.declaring(p, name, steps + 1));
        above.or_else(|| decl.body.associated.iter().any(|a| a.name == name).then_some(protocol))
    }
}

const CONFORMS: RequirementKind = RequirementKind::Conforms;

/// Returns the paths of a type and of its enclosing types, outermost first.
fn enclosing_paths(path: Symbol) -> impl Iterator<Item = Symbol> {
    let text = path.as_str();
    let dots = text.match_indices('.').map(|(at, _)| Symbol::new(&text[..at]));
    dots.chain(std::iter::once(path))
}

/// Associated types, each with its base type.
type Members = Vec<(Type, Symbol)>;

/// Returns the root parameter of a subject and the associated types after it.
fn subject(ty: Type) -> Option<(u16, u16, Members)> {
    let mut members = Vec::new();
    let mut base = ty;
    loop {
        match base.kind() {
            TypeKind::Member(inner, name) => {
                members.push((*inner, *name));
                base = *inner;
            }
            TypeKind::Param { depth, index, .. } => {
                members.reverse();
                return Some((*depth, *index, members));
            }
            _ => return None,
        }
    }
}

/// Encodes a name in Swift's variant of Punycode: `_` as delimiter, letters for digits (RFC 3492, ABI/Mangling.rst).
pub(super) fn punycode(name: &str) -> String {
    let mut out: String = name.chars().filter(char::is_ascii).collect();
    let basic = out.len() as u32;
    if basic > 0 {
        out.push('_');
    }
    let digit = |d: u32| char::from(if d < 26 { b'a' + d as u8 } else { b'A' + (d - 26) as u8 });
    let (mut code, mut delta, mut bias, mut handled) = (128u32, 0u32, 72u32, basic);
    let total = name.chars().count() as u32;
    while handled < total {
        let next = name.chars().map(u32::from).filter(|&c| c >= code).min().unwrap_or(code);
        delta = delta.saturating_add((next - code).saturating_mul(handled + 1));
        code = next;
        for c in name.chars().map(u32::from) {
            if c < code {
                delta = delta.saturating_add(1);
            }
            if c != code {
                continue;
            }
            let (mut q, mut k) = (delta, 36);
            loop {
                let t = if k <= bias { 1 } else { (k - bias).min(26) };
                if q < t {
                    break;
                }
                out.push(digit(t + (q - t) % (36 - t)));
                q = (q - t) / (36 - t);
                k += 36;
            }
            out.push(digit(q));
            // Adapt the bias to the size of the steps.
            delta = if handled == basic { delta / 700 } else { delta / 2 };
            delta += delta / (handled + 1);
            bias = 0;
            while delta > 455 {
                delta /= 35;
                bias += 36;
            }
            bias += 36 * delta / (delta + 38);
            delta = 0;
            handled += 1;
        }
        delta += 1;
        code += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn letters_beyond_ascii() {
        assert_eq!(super::punycode("vergüenza"), "vergenza_JFa");
    }
}
