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
            Self::Missing { name, .. } if name.contains(['*', '…']) => {
                write!(f, "no function matches `{name}`")
            }
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
        Self::of(module.functions.iter().map(|(id, f): (FunctionId, &'m Function)| (id, f.name.as_str())))
    }

    /// Collects functions by their mangled names.
    pub fn of(names: impl Iterator<Item = (FunctionId, &'m str)>) -> Self {
        let named = |(id, mangled)| Named { id, mangled, readable: OnceCell::new() };
        Self { functions: names.map(named).collect(), declared: Vec::new() }
    }

    /// Collects the functions of a module with bodies; the name of another function is an error.
    pub fn with_bodies(module: &'m Module) -> Self {
        let mut names = Self::new(module);
        let has_body = |named: &Named<'_>| module.functions[named.id].body.is_some();
        (names.functions, names.declared) = names.functions.into_iter().partition(has_body);
        names
    }

    /// Returns the functions for a name: all with this mangled or demangled name, all that match a pattern with `*`
    /// (or `…`), or the only function whose name contains it. Among several of these, functions with this name go first:
    /// `Canvas.total` is `Canvas.total()`, and not a closure in it.
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
        let has_exactly =
            |f: &Named<'_>| [f.mangled, &f.readable().full, &f.readable().simplified].contains(&plain);
        if self.declared.iter().any(has_exactly) {
            return Err(Unresolved::Declared { name: plain.to_owned() });
        }
        if plain.contains(['*', '…']) {
            let pattern: Vec<&str> = plain.split(['*', '…']).collect();
            let is = |name: &str| matches(&pattern, name);
            return has_name(&is).ok_or_else(|| self.missing(plain, &is));
        }
        let is = |name: &str| !plain.is_empty() && name.contains(plain);
        let Some(parts) = has_name(&is) else { return Err(self.missing(plain, &is)) };
        let best = |is: fn(&str, &str) -> bool| {
            let all = self.functions.iter().filter(|f| parts.contains(&f.id));
            let all = all.filter(|f| is(&f.readable().full, plain) || is(&f.readable().simplified, plain));
            let found: Vec<FunctionId> = all.map(|f| f.id).collect();
            (!found.is_empty()).then_some(found)
        };
        let found = best(is_named).or_else(|| best(has_words)).unwrap_or(parts);
        if found.len() > 1 { Err(self.ambiguous(plain, &found)) } else { Ok(found) }
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

    /// Returns the error for a name of no function with a body, with a declaration that matches or a similar name.
    fn missing(&self, name: &str, is: &dyn Fn(&str) -> bool) -> Unresolved {
        let is_match =
            |f: &&Named<'_>| is(f.mangled) || is(&f.readable().full) || is(&f.readable().simplified);
        if let Some(declared) = self.declared.iter().find(is_match) {
            return Unresolved::Declared { name: declared.readable().simplified.clone() };
        }
        let names = self.functions.iter().flat_map(|f| [f.readable().simplified.as_str(), f.mangled]);
        let bases = || self.functions.iter().filter_map(|f| base(&f.readable().simplified));
        let nearest = nearest(name, names).or_else(|| nearest(name, bases())).map(str::to_owned);
        Unresolved::Missing { name: name.to_owned(), nearest }
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

/// Returns a name without the `@` and the quotes that it has in SIL, and without the underscore that linkers of some
/// platforms put before `$s`.
fn plain(name: &str) -> &str {
    let name = name.trim();
    let name = name.strip_prefix('@').unwrap_or(name).trim_matches('"');
    name.strip_prefix('_').filter(|symbol| symbol.starts_with('$')).unwrap_or(name)
}

/// Returns the name of a function without the types around it and without its labels: `total` of `Canvas.total()`.
fn base(name: &str) -> Option<&str> {
    let base = name.split(['(', '<']).next()?.rsplit('.').next()?;
    (!base.is_empty() && !base.contains(' ')).then_some(base)
}

/// Returns the parts of a name before and after each place where `part` begins and ends with whole words.
fn words_around<'n>(name: &'n str, part: &str) -> impl Iterator<Item = (&'n str, &'n str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (begins, ends) = (part.starts_with(is_word), part.ends_with(is_word));
    let sides = name.match_indices(part).map(|(at, part)| (&name[..at], &name[at + part.len()..]));
    sides.filter(move |(before, after)| {
        !(begins && before.ends_with(is_word) || ends && after.starts_with(is_word))
    })
}

/// Returns true if a demangled name contains `part` as whole words.
fn has_words(name: &str, part: &str) -> bool {
    words_around(name, part).next().is_some()
}

/// Returns true if `part` names the entity of a demangled name, with at most a module and types before it: not an entity
/// in it, as in `closure #1 in`, or one made from it, as in `protocol witness for`.
fn is_named(name: &str, part: &str) -> bool {
    words_around(name, part).any(|(before, _)| {
        let before = before.strip_prefix("static ").unwrap_or(before);
        let before = match before.strip_prefix("(extension in ").and_then(|rest| rest.split_once("):")) {
            Some((_, rest)) => rest,
            None => before,
        };
        before.is_empty() || before.ends_with('.') && !before.contains(' ')
    })
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
    fn what_matches_only_declarations_has_no_body() {
        let module = module();
        let names = FunctionNames::with_bodies(&module);
        let error = |name: &str| names.find_one(name).expect_err("no body").to_string();
        for name in ["Canvas.total()", "total", "Canvas.t*", "6CanvasC5total"] {
            assert_eq!(error(name), "the function `Canvas.total()` has no body in this file", "{name}");
        }
        assert_eq!(error("Canvas.u*"), "no function matches `Canvas.u*`");
        assert_eq!(error("Canvas.u"), "unknown function `Canvas.u`");
        assert_eq!(error(""), "unknown function ``");
    }

    #[test]
    fn a_misspelled_base_name_is_recognized() {
        let module = module();
        let names = FunctionNames::new(&module);
        let hint = |name: &str| names.find_one(name).expect_err("no such function").hint();
        assert_eq!(hint("totl"), "did you mean `total`?");
        // The whole name is nearer.
        assert_eq!(hint("Canvas.totl()"), "did you mean `Canvas.total()`?");
        assert_eq!(base("static Stack.push<A>(_:)"), Some("push"));
        assert_eq!(base("static Double.+ infix(_:_:)"), None);
    }

    #[test]
    fn a_name_goes_before_names_that_contain_it() {
        let text = "\
sil @$s6shapes6CanvasC5totalSdyF : $@convention(thin) () -> ()
sil @$s6shapes6CanvasC5totalSdyFSdSd_AA5ShapeOtXEfU_ : $@convention(thin) () -> ()
sil @$s1a15ParsableCommandPAAE4mainyyFZ : $@convention(thin) () -> ()
sil @$s1a20AsyncParsableCommandPAAE4mainyyFZ : $@convention(thin) () -> ()
";
        let module = silkit_text::parse_module(text).module;
        let names = FunctionNames::new(&module);
        let found = |name: &str| names.find_one(name).map(|id| module.functions[id].name.as_str());
        for name in ["Canvas.total", "total", "_$s6shapes6CanvasC5totalSdyF", "@_$s6shapes6CanvasC5totalSdyF"]
        {
            assert_eq!(found(name), Ok("$s6shapes6CanvasC5totalSdyF"), "{name}");
        }
        for name in ["ParsableCommand.main()", "ParsableCommand.main", "a.ParsableCommand.main"] {
            assert_eq!(found(name), Ok("$s1a15ParsableCommandPAAE4mainyyFZ"), "{name}");
        }
        assert_eq!(found("closure #1 in Canvas"), Ok("$s6shapes6CanvasC5totalSdyFSdSd_AA5ShapeOtXEfU_"));
        assert!(found("main").is_err() && found("otal").is_err());
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
