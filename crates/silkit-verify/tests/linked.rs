//! What is found between modules: which objects with one name are the same object, and with which one each is compared.

use silkit_text::decl::declarations;
use silkit_verify::{LinkedModule, VerifyOptions, verify_linked};

/// Returns the rules that are broken between modules, given by their name, package and text, each with the module of
/// the finding and the one that it is compared with.
fn broken(modules: &[(&str, Option<&str>, &str)]) -> Vec<(&'static str, usize, usize)> {
    let read: Vec<_> = modules
        .iter()
        .map(|(.., text)| {
            let parsed = silkit_text::parse_module(&format!("sil_stage canonical\nimport Builtin\n{text}"));
            assert!(parsed.errors.is_empty(), "{:#?}\n{text}", parsed.errors);
            let declarations = declarations(&parsed.module);
            (parsed.module, declarations)
        })
        .collect();
    let inputs: Vec<LinkedModule<'_>> = read
        .iter()
        .zip(modules)
        .map(|((module, declarations), (name, package, _))| LinkedModule {
            module,
            declarations,
            name: (*name).into(),
            package: package.map(Into::into),
        })
        .collect();
    let found = verify_linked(&inputs, &VerifyOptions::default());
    found.iter().map(|f| (f.finding.rule.id.as_str(), f.module, f.other.0)).collect()
}

/// A definition with this linkage.
fn defined(linkage: &str) -> String {
    format!(
        "sil {linkage} @f : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n  return %0 : $()\n}}\n"
    )
}

/// A declaration with this linkage, and another type than that of [`defined`].
fn declared(linkage: &str) -> String {
    format!("sil {linkage} @f : $@convention(thin) (Builtin.Int64) -> ()\n")
}

#[test]
fn objects_are_compared_where_they_see_each_other() {
    let is_compared = |a: (&str, Option<&str>, &str), b: (&str, Option<&str>, &str)| {
        let found = broken(&[(a.0, a.1, &defined(a.2)), (b.0, b.1, &declared(b.2))]);
        assert!(found.iter().all(|f| *f == ("SIL0631", 1, 0)), "{found:?}");
        !found.is_empty()
    };
    let (p, q) = (Some("P"), Some("Q"));
    assert!(is_compared(("A", None, ""), ("B", None, "")));
    assert!(is_compared(("A", p, "public"), ("B", q, "public_external")));
    // In a package, or in a module of it.
    assert!(is_compared(("A", p, "package"), ("B", p, "package_external")));
    assert!(is_compared(("A", None, "package"), ("A", None, "package_external")));
    assert!(!is_compared(("A", None, "package"), ("B", None, "package_external")));
    assert!(!is_compared(("A", p, "package"), ("B", q, "package_external")));
    assert!(!is_compared(("A", p, "package"), ("B", None, "package_external")));
    // In a module.
    for (a, b) in
        [("hidden", "hidden_external"), ("shared", "shared_external"), ("non_abi", "hidden_external")]
    {
        assert!(is_compared(("A", None, a), ("A", None, b)), "{a}");
        assert!(!is_compared(("A", p, a), ("B", p, b)), "{a}");
    }
    assert!(!is_compared(("A", None, "private"), ("A", None, "hidden_external")));
    // Each must see the other.
    assert!(!is_compared(("A", p, "hidden"), ("B", p, "package_external")));
    assert!(!is_compared(("A", None, ""), ("B", None, "hidden_external")));
}

#[test]
fn what_is_declared_first_is_compared_by_its_definition() {
    let (define, declare) = (defined(""), "sil @f : $@convention(thin) () -> ()\n");
    let once = |at, other| ("SIL0633", at, other);
    let of = |texts: &[&str]| broken(&texts.iter().map(|t| ("A", None, *t)).collect::<Vec<_>>());
    assert!(of(&[declare, &define]).is_empty());
    assert!(of(&[&define, declare]).is_empty());
    assert_eq!(of(&[declare, &define, &define]), [once(2, 1)]);
    assert_eq!(of(&[&define, declare, &define]), [once(2, 0)]);
    assert_eq!(of(&[&define, &define, &define]), [once(1, 0), once(2, 0)]);
    // Any number of copies may be shared.
    let shared = defined("shared");
    assert!(of(&[&shared, &shared]).is_empty());
}
