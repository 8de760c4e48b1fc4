//! The attributes of Swift declarations, and the kinds of declarations that each may have.
//!
//! ```swift
//! @frozen class C {}        // `@frozen` is for structs and enums
//! ```

use super::modifiers::Modifiers;
use super::placement::Scope;
use silkit_types::decl::{AccessLevel, DeclFlags};

/// The attributes in alphabetical order, with the kinds of declarations of each, a letter for each kind (see [`letter`]);
/// `*` stands for all.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("GKInspectable", "v"),
    ("IBAction", "f"),
    ("IBDesignable", "cx"),
    ("IBInspectable", "v"),
    ("IBOutlet", "v"),
    ("IBSegueAction", "f"),
    ("LLDBDebuggerFunction", "f"),
    ("NSApplicationMain", "c"),
    ("NSCopying", "v"),
    ("NSManaged", "fv"),
    ("Sendable", "fi"),
    ("UIApplicationMain", "c"),
    ("_addressable", "*"),
    ("_addressableForDependencies", "scep"),
    ("_addressableSelf", "fib"),
    ("_alignment", "se"),
    ("_allowFeatureSuppression", "*"),
    ("_alwaysEmitIntoClient", "fvibd"),
    ("_assemblyVision", "*"),
    ("_backDeploy", "*"),
    ("_borrowed", "vb"),
    ("_cdecl", "f"),
    ("_compilerInitialized", "v"),
    ("_disallowFeatureSuppression", "*"),
    ("_disfavoredOverload", "fvibd"),
    ("_documentation", "*"),
    ("_dynamicReplacement", "fvibd"),
    ("_eagerMove", "scepfv"),
    ("_effects", "fid"),
    ("_exported", "m"),
    ("_expose", "scepfvi"),
    ("_extern", "f"),
    ("_fixed_layout", "scpv"),
    ("_functionBuilder", "*"),
    ("_hasInitialValue", "v"),
    ("_hasMissingDesignatedInitializers", "c"),
    ("_hasStorage", "v"),
    ("_implementationOnly", "mfvib"),
    ("_implements", "tfvb"),
    ("_implicitSelfCapture", "*"),
    ("_inheritActorContext", "*"),
    ("_inheritsConvenienceInitializers", "c"),
    ("_lexicalLifetimes", "f"),
    ("_lifetime", "*"),
    ("_marker", "p"),
    ("_moveOnly", "*"),
    ("_noAllocation", "fibd"),
    ("_noEagerMove", "scepfv"),
    ("_noExistentials", "fibd"),
    ("_noImplicitCopy", "fv"),
    ("_noLocks", "fibd"),
    ("_noMetadata", "*"),
    ("_noObjCBridging", "fibd"),
    ("_noRuntime", "fibd"),
    ("_nonEphemeral", "*"),
    ("_nonSendable", "scep"),
    ("_nonescapable", "*"),
    ("_nonoverride", "fviba"),
    ("_objcImplementation", "x"),
    ("_objcRuntimeName", "c"),
    ("_objc_non_lazy_realization", "c"),
    ("_opaqueReturnTypeOf", "*"),
    ("_optimize", "fvibd"),
    ("_originallyDefinedIn", "*"),
    ("_preInverseGenerics", "*"),
    ("_private", "*"),
    ("_projectedValueProperty", "*"),
    ("_propertyWrapper", "*"),
    ("_rawLayout", "s"),
    ("_section", "fvid"),
    ("_semantics", "scepfvibd"),
    ("_show_in_interface", "p"),
    ("_silgen_name", "fvid"),
    ("_specialize", "*"),
    ("_specializeExtension", "x"),
    ("_spi", "*"),
    ("_spi_available", "*"),
    ("_staticInitializeObjCMetadata", "*"),
    ("_swift_native_objc_runtime_base", "c"),
    ("_transparent", "fvid"),
    ("_typeEraser", "p"),
    ("_unavailableFromAsync", "fi"),
    ("_unavailableInEmbedded", "*"),
    ("_unsafeInheritExecutor", "f"),
    ("_unsafeNonescapableResult", "fibd"),
    ("_used", "fvid"),
    ("_weakLinked", "*"),
    ("abi", "*"),
    ("attached", "*"),
    ("available", "*"),
    ("backDeployed", "*"),
    ("concurrent", "*"),
    ("derivative", "f"),
    ("differentiable", "*"),
    ("discardableResult", "fi"),
    ("dynamicCallable", "scep"),
    ("dynamicMemberLookup", "scep"),
    ("exclusivity", "*"),
    ("freestanding", "*"),
    ("frozen", "se"),
    ("globalActor", "sce"),
    ("implementation", "*"),
    ("inlinable", "fvibd"),
    ("inline", "fvibd"),
    ("lifetime", "*"),
    ("main", "scex"),
    ("noDerivative", "fvibd"),
    ("nonexhaustive", "*"),
    ("nonobjc", "xfvib"),
    ("objc", "cepxfvibdk"),
    ("objcMembers", "c"),
    ("preconcurrency", "*"),
    ("propertyWrapper", "sce"),
    ("requires_stored_property_inits", "c"),
    ("resultBuilder", "scep"),
    ("rethrows", "*"),
    ("safe", "*"),
    ("sensitive", "*"),
    ("storageRestrictions", "*"),
    ("testable", "m"),
    ("transpose", "f"),
    ("unsafe", "*"),
    ("usableFromInline", "sceptfvibd"),
    ("warn_unqualified_access", "f"),
];

/// Attributes of types, which no declaration has.
const OF_TYPES: &[&str] = &[
    "autoclosure",
    "callee_guaranteed",
    "callee_owned",
    "convention",
    "escaping",
    "noescape",
    "retroactive",
];

/// Attributes with arguments.
const WITH_ARGUMENTS: &[&str] = &[
    "_alignment",
    "_allowFeatureSuppression",
    "_cdecl",
    "_disallowFeatureSuppression",
    "_documentation",
    "_dynamicReplacement",
    "_effects",
    "_expose",
    "_extern",
    "_implements",
    "_lifetime",
    "_objcRuntimeName",
    "_optimize",
    "_originallyDefinedIn",
    "_private",
    "_projectedValueProperty",
    "_rawLayout",
    "_section",
    "_semantics",
    "_silgen_name",
    "_specialize",
    "_spi",
    "_spi_available",
    "_swift_native_objc_runtime_base",
    "_typeEraser",
    "abi",
    "attached",
    "available",
    "backDeployed",
    "derivative",
    "exclusivity",
    "freestanding",
    "inline",
    "lifetime",
    "storageRestrictions",
    "transpose",
];

/// Attributes that a declaration has at most once.
const ONCE: &[&str] = &[
    "_alignment",
    "_borrowed",
    "_fixed_layout",
    "_hasInitialValue",
    "_hasStorage",
    "_optimize",
    "_section",
    "_silgen_name",
    "_transparent",
    "discardableResult",
    "dynamicCallable",
    "dynamicMemberLookup",
    "frozen",
    "globalActor",
    "inlinable",
    "inline",
    "main",
    "nonobjc",
    "objc",
    "propertyWrapper",
    "resultBuilder",
    "testable",
    "usableFromInline",
];

/// Returns true if a declaration has an attribute at most once.
pub(super) fn is_single(attribute: &str) -> bool {
    ONCE.binary_search(&attribute).is_ok()
}

/// Returns what is wrong with the arguments of an attribute of the language, given with their parentheses.
pub(super) fn problem_of_arguments(attribute: &str, arguments: &str) -> Option<String> {
    if arguments.is_empty() && WITH_ARGUMENTS.contains(&attribute) {
        return Some(format!("`@{attribute}` needs arguments in parentheses"));
    }
    let inside = arguments.trim_start_matches('(').trim_end_matches(')').trim();
    match attribute {
        "_semantics" | "_silgen_name" | "_cdecl" | "_section" if !inside.starts_with('"') => {
            Some(format!("the argument of `@{attribute}` is a string"))
        }
        "inline" if !matches!(inside, "never" | "__always" | "always") => {
            Some("the argument of `@inline` is `never` or `__always`".to_owned())
        }
        "_alignment" if !inside.parse::<u64>().is_ok_and(u64::is_power_of_two) => {
            Some("the argument of `@_alignment` is a power of two".to_owned())
        }
        "_optimize" if !matches!(inside, "none" | "speed" | "size") => {
            Some("the argument of `@_optimize` is `none`, `speed` or `size`".to_owned())
        }
        "available" if inside.is_empty() => {
            Some("the first argument of `@available` is a platform or `*`".to_owned())
        }
        _ => None,
    }
}

/// Returns what is wrong with an attribute of a declaration with an access level.
pub(super) fn problem_of_access(attribute: &str, m: &Modifiers, scope: Scope) -> Option<String> {
    use AccessLevel as A;
    // The access level of an extension is that of its members.
    if matches!(scope, Scope::Extension(_)) {
        return None;
    }
    let is_visible = m.access >= A::Package || m.flags.contains(DeclFlags::USABLE_FROM_INLINE);
    let is_wrong = match attribute {
        "frozen" => !is_visible,
        "inlinable" => m.has_access && m.access <= A::FilePrivate,
        "usableFromInline" => m.has_access && !matches!(m.access, A::Internal | A::Package),
        _ => false,
    };
    is_wrong.then(|| format!("`@{attribute}` is not for declarations with this access level"))
}

/// The attributes of formal types that begin with a small letter or an underscore.
const OF_FORMAL_TYPES: &[&str] = &[
    "_addressable",
    "_const",
    "_implicitSelfCapture",
    "_inheritActorContext",
    "_lifetime",
    "_local",
    "_noDerivative",
    "_noImplicitCopy",
    "_noMetadata",
    "_nonEphemeral",
    "_opaqueReturnTypeOf",
    "_spi_available",
    "_unsafeMainActor",
    "_unsafeSendable",
    "async",
    "autoclosure",
    "available",
    "concurrent",
    "convention",
    "differentiable",
    "dynamic_self",
    "escaping",
    "execution",
    "isolated",
    "lifetime",
    "noDerivative",
    "nonisolated",
    "preconcurrency",
    "reparented",
    "retroactive",
    "thick",
    "thin",
    "unchecked",
    "unsafe",
    "yield_once",
    "yield_once_2",
];

/// Returns what is wrong with the attributes in the text of formal types. Those with a capital letter may be global
/// actors, property wrappers and result builders.
pub(super) fn problem_of_type(text: &str) -> Option<String> {
    if text.contains(['"', '/']) {
        return None;
    }
    text.match_indices('@').find_map(|(at, _)| {
        let name = text[at + 1..].split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        let may_be_declared =
            name.is_empty() || name.starts_with(|c: char| c.is_uppercase()) || name.starts_with("sil_");
        (!may_be_declared && !OF_FORMAL_TYPES.contains(&name) && !is_language_attribute(name)
            || is_lowered(name))
        .then(|| format!("`@{name}` is not an attribute of types in declarations"))
    })
}

/// Returns true for attributes of lowered function types.
fn is_lowered(name: &str) -> bool {
    matches!(name, "callee_guaranteed" | "callee_owned" | "noescape")
}

/// Returns what is wrong with the isolation that the attributes and modifiers of a declaration state. `actors` are those of the
/// attributes that are known to be global actors.
pub(super) fn problem_of_isolation(actors: usize, keyword: &str, m: &Modifiers) -> Option<&'static str> {
    match keyword {
        _ if actors == 0 => None,
        _ if actors > 1 => Some("a declaration has two global actors"),
        "actor" => Some("an actor has no global actor"),
        "typealias" | "import" | "case" | "associatedtype" => Some("this declaration has no global actor"),
        _ if m.flags.contains(DeclFlags::NONISOLATED) => {
            Some("a declaration has a global actor and is `nonisolated`")
        }
        _ => None,
    }
}

/// Returns the letter of the declarations that begin with a keyword.
fn letter(keyword: &str) -> Option<char> {
    Some(match keyword {
        "struct" => 's',
        "class" | "actor" => 'c',
        "enum" => 'e',
        "protocol" => 'p',
        "extension" => 'x',
        "import" => 'm',
        "typealias" => 't',
        "func" => 'f',
        "var" | "let" => 'v',
        "init" => 'i',
        "subscript" => 'b',
        "deinit" => 'd',
        "case" => 'k',
        "associatedtype" => 'a',
        _ => return None,
    })
}

/// Returns the kinds of declarations of an attribute of the language.
fn kinds(attribute: &str) -> Option<&'static str> {
    let at = ATTRIBUTES.binary_search_by_key(&attribute, |&(name, _)| name).ok()?;
    Some(ATTRIBUTES[at].1)
}

/// Returns what is wrong with an attribute of a declaration that begins with a keyword, if the attribute is one of the
/// language. [`is_language_attribute`] tells about the others.
pub(super) fn problem(attribute: &str, keyword: &str) -> Option<String> {
    if OF_TYPES.contains(&attribute) {
        return Some(format!("`@{attribute}` is an attribute of types, not of declarations"));
    }
    if attribute == "_moveOnly" {
        return Some("`@_moveOnly` is no longer supported: suppress `Copyable`".to_owned());
    }
    let kinds = kinds(attribute)?;
    let letter = letter(keyword)?;
    (kinds != "*" && !kinds.contains(letter)).then(|| format!("`@{attribute}` is not for this `{keyword}`"))
}

/// Returns true if the language defines an attribute. Others are those of macros, property wrappers, result builders and
/// global actors.
pub(super) fn is_language_attribute(name: &str) -> bool {
    OF_TYPES.contains(&name) || kinds(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::ATTRIBUTES;

    #[test]
    fn attributes_are_in_order() {
        assert!(ATTRIBUTES.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(super::ONCE.is_sorted());
    }
}
