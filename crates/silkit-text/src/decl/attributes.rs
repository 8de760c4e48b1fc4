//! The attributes of Swift declarations, and the kinds of declarations that each may have.
//!
//! ```swift
//! @frozen class C {}        // `@frozen` is for structs and enums
//! ```

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

/// Returns what is wrong with the arguments of an attribute of the language, given with their parentheses.
pub(super) fn problem_of_arguments(attribute: &str, arguments: &str) -> Option<String> {
    if arguments.is_empty() && WITH_ARGUMENTS.contains(&attribute) {
        return Some(format!("`@{attribute}` needs arguments in parentheses"));
    }
    let is_string = arguments.trim_start_matches('(').trim_start().starts_with('"');
    (attribute == "_semantics" && !is_string).then(|| format!("the argument of `@{attribute}` is a string"))
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
    }
}
