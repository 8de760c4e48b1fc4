//! The modules that a program needs beyond those that it imports: the compiler prints no `import` for `_Concurrency`,
//! and none for modules whose functions were inlined.

use crate::program::ProgramModule;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::Module;
use silkit_types::{Type, TypeKind};
use std::sync::Arc;

/// Returns the module that declares the entity with a mangled name, if the name begins with it: `main` for
/// `$s4main3fooyyF`, `Swift` for `$sSS5countSivg`.
pub fn module_of_symbol(symbol: &str) -> Option<&str> {
    let rest = silkit_ir::without_mangling_prefix(symbol)?;
    match rest.as_bytes() {
        [b'S', b'c', ..] => Some("_Concurrency"),
        // `So` and `SC` are declarations that are imported from C.
        [b'S', b'o' | b'C', ..] => None,
        [b's', b'0'..=b'9' | b'a' | b'A', ..] | [b'S', ..] => Some("Swift"),
        _ => crate::program::module_of_symbol(symbol),
    }
}

/// Returns true if a symbol of a module mentions another module, as specializations and calls do.
pub fn mentions(module: &Module, name: &str) -> bool {
    let functions = module.functions.values().map(|f| f.name.as_str());
    let mut symbols = functions.chain(module.globals.values().map(|g| g.name.as_str()));
    if name == "_Concurrency" {
        // The mangling has abbreviations for the types of this module.
        return symbols.any(|symbol| {
            symbol.as_bytes().windows(3).any(|w| w.starts_with(b"Sc") && w[2].is_ascii_uppercase())
        });
    }
    let spelled = format!("{}{name}", name.len());
    symbols.any(|symbol| symbol.contains(&spelled))
}

/// Returns the names of the types in the SIL of a module that none of the linked modules declares. For a nested type,
/// this is the name of the outermost one.
pub fn undeclared_types(module: &ProgramModule, linked: &[Arc<ProgramModule>]) -> Vec<Symbol> {
    let mut names = Names::default();
    for function in module.info.sil.functions.values() {
        names.add(function.ty.ty());
        let Some(body) = &function.body else { continue };
        for inst in body.insts() {
            crate::translate::for_each_type(body, inst, &mut |ty| names.add(ty));
            body.results(inst).for_each(|value| names.add(body.value(value).ty.ty()));
        }
    }
    let local = crate::local_names::local_types(&module.info.sil);
    let is_linked = |name: Symbol| {
        module.declares(name) || linked.iter().any(|l| l.declares(name) || l.info.name == name)
    };
    names.all.into_iter().filter(|name| !local.contains(name) && !is_linked(*name)).collect()
}

/// The names of types, in the order in which they were found.
#[derive(Default)]
struct Names {
    seen: FxHashSet<Type>,
    names: FxHashSet<Symbol>,
    all: Vec<Symbol>,
}

impl Names {
    fn add(&mut self, ty: Type) {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if !self.seen.insert(ty) {
                continue;
            }
            match ty.kind() {
                TypeKind::Named(named) if named.parent.is_none() && self.names.insert(named.name) => {
                    self.all.push(named.name);
                }
                _ => {}
            }
            ty.kind().for_each_part(&mut |part| work.push(part));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(name: &str, text: &str) -> ProgramModule {
        ProgramModule::new(name, silkit_text::parse_module(text).module)
    }

    #[test]
    fn symbols_begin_with_their_module() {
        assert_eq!(module_of_symbol("$s4main3fooyyF"), Some("main"));
        assert_eq!(module_of_symbol("$ss5print_9separator10terminatoryypd_S2StF"), Some("Swift"));
        assert_eq!(module_of_symbol("$sSS5countSivg"), Some("Swift"));
        assert_eq!(module_of_symbol("$sScT6cancelyyF"), Some("_Concurrency"));
        assert_eq!(module_of_symbol("$sSo8timespecV"), None);
        assert_eq!(module_of_symbol("malloc"), None);
    }

    #[test]
    fn symbols_mention_modules() {
        let of =
            |symbol: &str| linked("main", &format!("sil @{symbol} : $@convention(thin) () -> ()\n")).info;
        assert!(mentions(&of("$s15Synchronization5MutexV1xyyF").sil, "Synchronization"));
        assert!(!mentions(&of("$s15Synchronization5MutexV1xyyF").sil, "Observation"));
        assert!(mentions(&of("$sScT6cancelyyF").sil, "_Concurrency"));
        assert!(!mentions(&of("$s4main5ScopeVyyF").sil, "_Concurrency"));
    }

    #[test]
    fn types_that_no_module_declares_are_named() {
        let main = "struct Own {}\nsil @f : $@convention(thin) (Own, Array<Other>) -> () {\n\
                    bb0(%0 : $Own, %1 : $Array<Other>):\n  %2 = alloc_stack $Optional<Outer.Inner>\n  unreachable\n}\n";
        let library = Arc::new(linked("Swift", "struct Array<T> {}\nenum Optional<T> {}\n"));
        let names = undeclared_types(&linked("main", main), &[library]);
        assert_eq!(names.iter().map(|n| n.as_str()).collect::<Vec<_>>(), ["Other", "Outer"]);
    }
}
