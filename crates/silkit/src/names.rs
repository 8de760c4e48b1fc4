//! Lookup of functions by user-supplied names: mangled, demangled, a unique part, or a pattern.
//!
//! ```
//! use silkit::names::FunctionNames;
//! let text = "sil @$s4main5greet4nameS2S_tF : $@convention(thin) () -> ()\nsil @main : $@convention(c) () -> ()\n";
//! let module = silkit::read("a.sil", text.as_bytes())?;
//! let names = FunctionNames::new(&module);
//! let greet = names.find_one("$s4main5greet4nameS2S_tF").unwrap();
//! for name in ["main.greet(name: Swift.String) -> Swift.String", "greet(name:)", "greet", "*greet*", "main.greet(…"] {
//!     assert_eq!(names.find_one(name), Ok(greet), "{name}");
//! }
//! assert_eq!(names.find("*").unwrap().len(), 2);
//! assert!(names.find_one("grete").unwrap_err().to_string().starts_with("unknown function `grete`"));
//! # Ok::<(), silkit::Unreadable>(())
//! ```

use silkit_demangle::{Style, demangle};
use silkit_diag::nearest;
use silkit_ir::{Function, FunctionId, Module};
use std::cell::OnceCell;
use std::fmt;

/// The functions of a module, with lookup by name.
#[derive(Debug)]
pub struct FunctionNames<'m> {
    functions: Vec<Named<'m>>,
    /// Functions without bodies, of which only the exact names are matched.
    declared: Vec<Named<'m>>,
}

#[derive(Debug)]
struct Named<'m> {
    id: FunctionId,
    mangled: &'m str,
    readable: OnceCell<Readable>,
}

/// The demangled forms of a name; the name itself if it is not mangled.
#[derive(Debug)]
struct Readable {
    full: String,
    simplified: String,
}

/// The reason why a name does not resolve to a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unresolved {
    /// No function has this name.
    Missing {
        /// The name.
        name: String,
        /// A similar name of a function.
        nearest: Option<String>,
    },
    /// The function with the name has no body.
    Declared {
        /// The name.
        name: String,
    },
    /// Several functions match the name.
    Ambiguous {
        /// The name.
        name: String,
        /// The number of functions.
        count: usize,
        /// Some of them, mangled and simplified.
        candidates: Vec<(String, String)>,
    },
}

/// The number of candidates in a message.
const NAMED: usize = 4;

impl Unresolved {
    /// Returns a suggestion.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::Missing { nearest: None, .. } => "`silkit nm --demangle FILE` lists the names".to_owned(),
            Self::Declared { .. } => "name the file that contains its body".to_owned(),
            Self::Ambiguous { count, candidates, .. } => {
                let all: Vec<String> = candidates
                    .iter()
                    .map(|(mangled, simplified)| match mangled == simplified {
                        true => format!("`{mangled}`"),
                        false => format!("`{mangled}` ({simplified})"),
                    })
                    .collect();
                let more = match count - all.len() {
                    0 => String::new(),
                    more => format!("\n… and {more} more"),
                };
                format!("use a longer part of the name, or the mangled name:\n{}{more}", all.join("\n"))
            }
        }
    }
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, .. } => write!(f, "unknown function `{name}`"),
            Self::Declared { name } => write!(f, "the function `{name}` has no body in this file"),
            Self::Ambiguous { name, count, .. } => {
                write!(f, "`{name}` is ambiguous: {count} functions match")
            }
        }
    }
}

impl std::error::Error for Unresolved {}

impl<'m> FunctionNames<'m> {
    /// Collects the functions of a module.
    pub fn new(module: &'m Module) -> Self {
        let named = |(id, f): (FunctionId, &'m Function)| Named {
            id,
            mangled: f.name.as_str(),
            readable: OnceCell::new(),
        };
        Self { functions: module.functions.iter().map(named).collect(), declared: Vec::new() }
    }

    /// Collects the functions of a module with bodies; the name of another function is an error.
    pub fn with_bodies(module: &'m Module) -> Self {
        let mut names = Self::new(module);
        let has_body = |named: &Named<'_>| module.functions[named.id].body.is_some();
        (names.functions, names.declared) = names.functions.into_iter().partition(has_body);
        names
    }

    /// Returns the functions for a name: all with this mangled or demangled name, all that match a pattern with `*`
    /// (or `…`), or the only function whose name contains it.
    ///
    /// # Errors
    /// Returns an error if no function has the name, or if several functions contain it.
    pub fn find(&self, name: &str) -> Result<Vec<FunctionId>, Unresolved> {
        let plain = plain(name);
        let exact = |is: &dyn Fn(&Named<'_>) -> bool| -> Option<Vec<FunctionId>> {
            let found: Vec<FunctionId> = self.functions.iter().filter(|f| is(f)).map(|f| f.id).collect();
            (!found.is_empty()).then_some(found)
        };
        let has_name = |is: &dyn Fn(&str) -> bool| {
            exact(&|f| is(f.mangled) || is(&f.readable().full) || is(&f.readable().simplified))
        };
        let found = exact(&|f| f.mangled == plain)
            .or_else(|| exact(&|f| f.readable().full == plain))
            .or_else(|| exact(&|f| f.readable().simplified == plain));
        if let Some(found) = found {
            return Ok(found);
        }
        let is_named =
            |f: &&Named<'_>| [f.mangled, &f.readable().full, &f.readable().simplified].contains(&plain);
        if self.declared.iter().any(|f| is_named(&f)) {
            return Err(Unresolved::Declared { name: plain.to_owned() });
        }
        if plain.contains(['*', '…']) {
            let pattern: Vec<&str> = plain.split(['*', '…']).collect();
            return has_name(&|name| matches(&pattern, name)).ok_or_else(|| self.missing(plain));
        }
        let parts = if plain.is_empty() { None } else { has_name(&|name| name.contains(plain)) };
        match parts {
            None => Err(self.missing(plain)),
            Some(found) if found.len() > 1 => Err(self.ambiguous(plain, &found)),
            Some(found) => Ok(found),
        }
    }

    /// Returns the only function for a name.
    ///
    /// # Errors
    /// Returns an error if no function has the name, or several do.
    pub fn find_one(&self, name: &str) -> Result<FunctionId, Unresolved> {
        match self.find(name)?.as_slice() {
            [only] => Ok(*only),
            several => Err(self.ambiguous(plain(name), several)),
        }
    }

    fn missing(&self, name: &str) -> Unresolved {
        let names = self.functions.iter().flat_map(|f| [f.readable().simplified.as_str(), f.mangled]);
        Unresolved::Missing { name: name.to_owned(), nearest: nearest(name, names).map(str::to_owned) }
    }

    fn ambiguous(&self, name: &str, found: &[FunctionId]) -> Unresolved {
        let candidates = self.functions.iter().filter(|f| found.contains(&f.id)).take(NAMED);
        Unresolved::Ambiguous {
            name: name.to_owned(),
            count: found.len(),
            candidates: candidates.map(|f| (f.mangled.to_owned(), f.readable().simplified.clone())).collect(),
        }
    }
}

impl Named<'_> {
    fn readable(&self) -> &Readable {
        self.readable.get_or_init(|| {
            let name = |style| demangle(self.mangled, style).unwrap_or_else(|| self.mangled.to_owned());
            Readable { full: name(Style::Full), simplified: name(Style::Simplified) }
        })
    }
}

/// Returns a name without the `@` and the quotes that it has in SIL.
fn plain(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix('@').unwrap_or(name).trim_matches('"')
}

/// Returns true if a name consists of these parts in order, with arbitrary text between them.
fn matches(parts: &[&str], name: &str) -> bool {
    let [first, middle @ .., last] = parts else { return parts == [name] };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
sil @$s6shapes6CanvasC5totalSdyF : $@convention(thin) () -> ()
sil @$s6shapes6CanvasC3addyyAA5ShapeOF : $@convention(thin) () -> ()
sil @$s6shapes5ShapeO4areaSdvg : $@convention(thin) () -> ()
sil @main : $@convention(thin) () -> ()
sil @domain : $@convention(thin) () -> ()
";

    fn module() -> Module {
        silkit_text::parse_module(TEXT).module
    }

    #[test]
    fn exact_names_go_before_parts() {
        let module = module();
        let names = FunctionNames::new(&module);
        let found = |name: &str| module.functions[names.find_one(name).expect(name)].name.as_str();
        assert_eq!(found("main"), "main");
        assert_eq!(found("@main"), "main");
        assert_eq!(found("Canvas.total()"), "$s6shapes6CanvasC5totalSdyF");
        assert_eq!(found("total"), "$s6shapes6CanvasC5totalSdyF");
        assert_eq!(found("shapes.Canvas.add(…) -> ()"), "$s6shapes6CanvasC3addyyAA5ShapeOF");
        assert_eq!(found("\"$s6shapes5ShapeO4areaSdvg\""), "$s6shapes5ShapeO4areaSdvg");
    }

    #[test]
    fn what_is_not_unique_is_told_with_candidates() {
        let module = module();
        let names = FunctionNames::new(&module);
        let error = names.find_one("Canvas").expect_err("two functions");
        assert_eq!(error.to_string(), "`Canvas` is ambiguous: 2 functions match");
        assert!(error.hint().contains("`$s6shapes6CanvasC5totalSdyF` (Canvas.total())"), "{}", error.hint());
        assert_eq!(names.find("*Canvas*").map(|all| all.len()), Ok(2));
        assert_eq!(
            names.find_one("Canvas.totl()").expect_err("none").hint(),
            "did you mean `Canvas.total()`?"
        );
        assert!(names.find("*nothing*").is_err());
        assert!(names.find("").is_err());
    }

    #[test]
    fn patterns() {
        let matches = |pattern: &str, name| matches(&pattern.split('*').collect::<Vec<_>>(), name);
        assert!(
            matches("a*c", "abc") && matches("*", "") && matches("a*b*c", "aXbYc") && matches("*b", "ab")
        );
        assert!(!matches("a*c", "abcd") && !matches("ab*bc", "abc") && !matches("b*", "ab"));
    }
}
