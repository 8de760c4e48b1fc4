//! Resolution of spelled constraints to existential types.

use crate::resolve::{Env, Resolved};
use crate::ty::{ExistentialTy, Nominal, Ty, TyKind};
use crate::world::{TypeError, World};
use silkit_types::{NamedType, Type, TypeKind};

impl World {
    /// Returns the existential type of a spelled constraint.
    pub(crate) fn resolve_existential(&self, ty: Type, env: &Env<'_>) -> Resolved {
        let mut e = ExistentialTy::default();
        self.constrain(ty, env, &mut e)?;
        if e.superclass.is_some() || e.protocols.iter().any(|&p| self.is_class_bound(p)) {
            e.is_class = true;
        }
        // A protocol that another protocol of the composition refines is redundant.
        let all = e.protocols.clone();
        e.protocols.retain(|&p| !all.iter().any(|&q| q != p && self.refines(q, p)));
        e.protocols.sort_by_key(|p| (p.name().path.as_str(), p.name().module.as_str()));
        e.protocols.dedup();
        Ok(Ty::new(TyKind::Existential(Box::new(e))))
    }

    fn constrain(&self, ty: Type, env: &Env<'_>, e: &mut ExistentialTy) -> Result<(), TypeError> {
        match ty.kind() {
            TypeKind::Composition(parts) => parts.iter().try_for_each(|&p| self.constrain(p, env, e)),
            TypeKind::Paren(t) | TypeKind::Any(t) | TypeKind::Attributed(_, t) => self.constrain(*t, env, e),
            TypeKind::Inverse(_) => Ok(()),
            TypeKind::Builtin(name, _) if *name == "AnyObject" => {
                e.is_class = true;
                Ok(())
            }
            TypeKind::Named(n) => {
                let path = self.named_path(env.module, ty);
                let nominal = path.and_then(|p| self.find_nominal(env.module, p));
                match nominal {
                    Some(protocol) if self.is_protocol(protocol) => self.constrain_to(protocol, n, env, e),
                    None if n.parent.is_none() && n.name == "Any" => Ok(()),
                    None if n.parent.is_none() && n.name == "AnyObject" => {
                        e.is_class = true;
                        Ok(())
                    }
                    _ => self.constrain_resolved(ty, env, e),
                }
            }
            _ => self.constrain_resolved(ty, env, e),
        }
    }

    fn constrain_to(
        &self,
        protocol: Nominal,
        n: &NamedType,
        env: &Env<'_>,
        e: &mut ExistentialTy,
    ) -> Result<(), TypeError> {
        if !self.is_marker(protocol) {
            e.protocols.push(protocol);
        }
        let primary = self.decl(protocol).and_then(|d| d.sig);
        for (param, &arg) in primary.iter().flat_map(|s| s.data().params.iter()).zip(&n.args) {
            e.same.push((protocol, param.name, self.resolve(arg, env, false)?));
        }
        Ok(())
    }

    /// Adds a superclass, or the constraints of an existential type that an alias names.
    fn constrain_resolved(&self, ty: Type, env: &Env<'_>, e: &mut ExistentialTy) -> Result<(), TypeError> {
        let resolved = self.resolve(ty, env, false)?;
        match resolved.kind() {
            TyKind::Existential(inner) => {
                e.protocols.extend(inner.protocols.iter().copied());
                e.same.extend(inner.same.iter().copied());
                e.is_class |= inner.is_class;
                e.superclass = e.superclass.or(inner.superclass);
            }
            _ => e.superclass = Some(resolved),
        }
        Ok(())
    }
}
