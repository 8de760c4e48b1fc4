//! Mangled names computed from declarations: witness tables and specializations.
//!
//! A witness table has no name in the text form; its name in an object file is computed from its conformance
//! (ABI/Mangling.rst, "protocol witness table").
//!
//! ```
//! let text = "protocol P {}\nstruct S<T> {}\nextension S : P {}\nsil_witness_table <T> S<T>: P module main {\n}\n";
//! let module = silkit_text::parse_module(text).module;
//! let declarations = silkit_text::decl::declarations(&module);
//! let table = module.witness_tables.values().next().expect("a table");
//! let name = silkit_mangle::witness_table(table, &declarations, &Default::default());
//! assert_eq!(name.as_deref(), Some("$s4main1SVyxGAA1PAAWP"));
//! ```

mod signature;
mod types;
mod writer;

use silkit_ir::{Conformance, WitnessTable, WitnessTableOf};
use silkit_types::decl::Declarations;
use silkit_types::{NamedType, Type, TypeKind};
use writer::Writer;

/// The module and file that declarations belong to.
#[derive(Clone, Debug)]
pub struct Naming {
    /// The name of the module of a file's own declarations.
    pub module: String,
    /// The name of the file, which distinguishes file-private declarations.
    pub file: String,
}

impl Default for Naming {
    /// Creates the naming for the module `main`, which the reference's tools use for their input.
    fn default() -> Self {
        Self { module: "main".to_owned(), file: String::new() }
    }
}

/// Returns the mangled name of a witness table; `None` if it depends on unknown declarations.
pub fn witness_table(table: &WitnessTable, decls: &Declarations, naming: &Naming) -> Option<String> {
    let WitnessTableOf::Conformance(conformance) = &table.of else { return None };
    let mut mangler = Mangler { out: Writer::default(), decls, naming, sig: None, depth: 0 };
    mangler.conformance(conformance)?;
    Some(format!("$s{}WP", mangler.out.take()))
}

/// Returns the mangled name of the (not serialized) specialization of a generic function for these types; `None` if it
/// depends on unknown declarations.
///
/// No substitutions refer from the types to the name of the function.
///
/// ```
/// use silkit_types::Type;
/// let declarations = silkit_text::decl::declarations(&silkit_ir::Module::default());
/// let name = silkit_mangle::generic_specialization(
///     "$sSayxSicig", &[Type::nominal("String")], &declarations, &Default::default(),
/// );
/// assert_eq!(name.as_deref(), Some("$sSayxSicigSS_Tg5"));
/// ```
pub fn generic_specialization(
    function: &str,
    types: &[Type],
    decls: &Declarations,
    naming: &Naming,
) -> Option<String> {
    let mut mangler = Mangler { out: Writer::default(), decls, naming, sig: None, depth: 0 };
    for (index, ty) in types.iter().enumerate() {
        mangler.ty(*ty)?;
        mangler.out.push(if index == 0 { "_" } else { "" });
    }
    Some(format!("{function}{}Tg5", mangler.out.take()))
}

/// Returns the mangled name of a copy of a function to which the addresses in boxes are passed for some arguments. A name
/// that is not mangled becomes an identifier.
///
/// ```
/// let name = silkit_mangle::boxes_to_addresses;
/// assert_eq!(name("$s4main1fyyF", &[false, true], false), "$s4main1fyyFTf0ns_n");
/// assert_eq!(name("make", &[true], true), "$s4makeTfq0s_n");
/// ```
pub fn boxes_to_addresses(function: &str, is_passed: &[bool], is_serialized: bool) -> String {
    let arguments: String = is_passed.iter().map(|&is_passed| if is_passed { 's' } else { 'n' }).collect();
    let serialized = if is_serialized { "q" } else { "" };
    format!("{}Tf{serialized}0{arguments}_n", mangled(function))
}

/// Returns the name of a function as a mangled name.
fn mangled(function: &str) -> String {
    if ["$s", "$S", "$e", "_T0", "_T"].iter().any(|prefix| function.starts_with(prefix)) {
        return function.to_owned();
    }
    let mut out = Writer::default();
    out.identifier(function);
    format!("$s{}", out.take())
}

/// A writer of one mangled name. Methods return `None` if the name cannot be computed.
struct Mangler<'a> {
    out: Writer,
    decls: &'a Declarations,
    naming: &'a Naming,
    /// The signature that the generic parameters belong to.
    sig: Option<silkit_types::GenericSig>,
    /// The current depth in the type.
    depth: u32,
}

impl Mangler<'_> {
    fn conformance(&mut self, conformance: &Conformance) -> Option<()> {
        match conformance {
            Conformance::Normal { sig, ty, protocol, module } => {
                self.sig = *sig;
                let ty = self.conforming_class(self.decls.resolve(*ty), *protocol);
                self.ty(ty)?;
                self.protocol(*protocol)?;
                let nominal = self.decls.path_of(ty)?;
                // All declarations of a file belong to one module, whatever its name there.
                if *module == "Swift" && !self.is_own(nominal) {
                    self.out.push("s");
                } else {
                    self.out.identifier(&self.naming.module);
                }
                self.conditions(*sig, nominal, *protocol)
            }
            Conformance::Inherited { inner, .. } | Conformance::Specialized { inner, .. } => {
                self.conformance(inner)
            }
            Conformance::Dependent(_) | Conformance::Abstract { .. } => None,
        }
    }

    /// Returns the superclass whose conformance a class inherits, or the type itself.
    fn conforming_class(&self, ty: Type, protocol: Type) -> Type {
        let Some(protocol) = self.decls.path_of(self.decls.resolve(protocol)) else { return ty };
        let above = |ty: &Type| {
            let above = self.decls.superclass(*ty)?;
            (self.decls.conforms(above, protocol) == Some(true)).then_some(above)
        };
        match std::iter::successors(above(&ty), above).take(64).last() {
            Some(class) => in_own_parameters(class, &mut 0),
            None => ty,
        }
    }
}

/// Returns a type with its own parameters as arguments: the type that its declaration declares.
fn in_own_parameters(ty: Type, depth: &mut u16) -> Type {
    let TypeKind::Named(NamedType { parent, name, args }) = ty.kind() else { return ty };
    let parent = parent.map(|parent| in_own_parameters(parent, depth));
    let param = |(index, _)| Type::new(TypeKind::Param { name: *name, depth: *depth, index });
    let args: Box<[Type]> = (0u16..).zip(args).map(param).collect();
    *depth += u16::from(!args.is_empty());
    Type::named(parent, *name, args)
}
