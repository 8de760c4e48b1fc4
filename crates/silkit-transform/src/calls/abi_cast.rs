//! Conversion of values between ABI-compatible types: the types of a method and of a method that overrides it may differ, but
//! not in the representation of their values.
//!
//! ```text
//!   %3 = upcast %2 to $Base                                     // a subclass, or an optional or metatype of one
//!   %3 = unchecked_ref_cast %2 to $Derived                      // a superclass
//!   %3 = enum $Optional<C>, #Optional.some!enumelt, %2          // the payload of an optional
//!   (%3, %4) = destructure_tuple %2                             // each element
//!   %3 = convert_function %2 to $@callee_guaranteed () -> @owned Base
//!   %3 = unchecked_addr_cast %2 to $*Base
//! ```

use silkit_ir::instructions::{Enum, SwitchEnum};
use silkit_ir::{ArgFlags, DeclRef, Inst, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_types::decl::Declarations;
use silkit_types::{FnFlags, FunctionType, SilType, Type, TypeKind};

/// A conversion between two ABI-compatible types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AbiCast {
    /// The types are the same.
    Same,
    /// Address types.
    Address(SilType),
    /// A subclass to a superclass, or their metatypes or optionals.
    Upcast(SilType),
    /// A superclass to a subclass, or their optionals.
    Downcast(SilType),
    /// The metatype of a superclass to that of a subclass.
    MetatypeDowncast(SilType),
    /// Function types.
    Function(SilType),
    /// The elements of a tuple, each with its conversion.
    Tuple(Vec<Self>),
    /// A payload to the optional type, which is converted then.
    Wrap(SilType, Box<Self>),
    /// The payload of an optional, to the optional type.
    Payload {
        /// The type of the payload.
        payload: SilType,
        /// The conversion of the payload.
        cast: Box<Self>,
        /// The new optional type.
        to: SilType,
    },
}

impl AbiCast {
    /// Returns the conversion of a type to another one, or `None` if no conversion is known.
    pub fn between(declarations: &Declarations, from: SilType, to: SilType) -> Option<Self> {
        if from.is_address() != to.is_address() {
            return None;
        }
        if from.ty().desugared() == to.ty().desugared() {
            return Some(Self::Same);
        }
        let cast = Self::between_objects(declarations, from.ty(), to)?;
        Some(if to.is_address() { Self::Address(to) } else { cast })
    }

    fn between_objects(declarations: &Declarations, from: Type, to: SilType) -> Option<Self> {
        let is_subclass = |sub, class| declarations.is_subclass(sub, class);
        if let (Some(class), Some(wanted)) = (reference(declarations, from), reference(declarations, to.ty()))
            && declarations.optional_payload(from).is_some()
                == declarations.optional_payload(to.ty()).is_some()
        {
            return match (is_subclass(class, wanted), is_subclass(wanted, class)) {
                (true, _) => Some(Self::Upcast(to)),
                (_, true) => Some(Self::Downcast(to)),
                _ => None,
            };
        }
        if let Some(wanted) = declarations.optional_payload(to.ty()) {
            let Some(payload) = declarations.optional_payload(from) else {
                let wrapped = SilType::object(Type::optional(from));
                let cast = Self::between(declarations, wrapped, to)?;
                return Some(Self::Wrap(wrapped, Box::new(cast)));
            };
            let payload = SilType::object(payload);
            let cast = Box::new(Self::between(declarations, payload, SilType::object(wanted))?);
            return Some(Self::Payload { payload, cast, to });
        }
        match (from.kind(), to.ty().kind()) {
            (TypeKind::Metatype(repr, from), TypeKind::Metatype(wanted, instance)) if repr == wanted => {
                let (class, wanted) = (reference(declarations, *from)?, reference(declarations, *instance)?);
                match (is_subclass(class, wanted), is_subclass(wanted, class)) {
                    (true, _) => Some(Self::Upcast(to)),
                    (_, true) => Some(Self::MetatypeDowncast(to)),
                    _ => None,
                }
            }
            (TypeKind::Function(from), TypeKind::Function(wanted)) => {
                let escapes = |ty: &FunctionType| ty.flags.contains(FnFlags::NOESCAPE);
                let fits = from.convention == wanted.convention
                    && escapes(from) == escapes(wanted)
                    && from.params.len() == wanted.params.len()
                    && from.results.len() == wanted.results.len();
                fits.then_some(Self::Function(to))
            }
            (TypeKind::Tuple(from), TypeKind::Tuple(wanted)) if from.len() == wanted.len() => {
                let object = SilType::object;
                let casts = from
                    .iter()
                    .zip(wanted)
                    .map(|(a, b)| Self::between(declarations, object(a.ty), object(b.ty)));
                Some(Self::Tuple(casts.collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// Returns true if the conversion changes nothing.
    pub fn is_same(&self) -> bool {
        *self == Self::Same
    }

    /// Returns true if the conversion changes the control flow.
    pub fn branches(&self) -> bool {
        match self {
            Self::Payload { .. } => true,
            Self::Wrap(_, cast) => cast.branches(),
            Self::Tuple(casts) => casts.iter().any(Self::branches),
            _ => false,
        }
    }

    /// Converts a value before an instruction.
    pub fn convert(&self, cx: &mut FunctionContext<'_>, value: Value, before: Inst) -> Value {
        let has_ossa = cx.function().has_ossa();
        let mut builder = cx.at(Point::Before(before));
        match self {
            Self::Same => value,
            Self::Address(to) => builder.unchecked_addr_cast(value, *to),
            Self::Upcast(to) => builder.upcast(value, *to),
            Self::Downcast(to) => builder.unchecked_ref_cast(value, *to),
            Self::MetatypeDowncast(to) => builder.unchecked_trivial_bit_cast(value, *to),
            Self::Function(to) => builder.convert_function(value, *to),
            Self::Tuple(casts) => {
                let elements = match has_ossa {
                    true => builder.destructure_tuple(value),
                    false => {
                        let indices = 0..u32::try_from(casts.len()).unwrap_or(u32::MAX);
                        indices.map(|index| builder.tuple_extract(value, index)).collect()
                    }
                };
                let converted: Vec<Value> = elements
                    .into_iter()
                    .zip(casts)
                    .map(|(element, cast)| cast.convert(cx, element, before))
                    .collect();
                cx.at(Point::Before(before)).tuple(&converted[..])
            }
            Self::Wrap(ty, cast) => {
                let wrapped = builder.build(some(*ty, value));
                cast.convert(cx, wrapped, before)
            }
            Self::Payload { payload, cast, to } => convert_payload(cx, value, before, (*payload, cast, *to)),
        }
    }
}

/// Converts the payload of an optional, if it has one:
///
/// ```text
///   switch_enum %2, case #Optional.some!enumelt: bb1, default bb2
/// bb1(%4 : $(Derived, Int)):
///   …
///   br bb3(%8)
/// bb2:
///   %10 = enum $Optional<(Base, Int)>, #Optional.none!enumelt
///   br bb3(%10)
/// bb3(%12 : $Optional<(Base, Int)>):
/// ```
fn convert_payload(
    cx: &mut FunctionContext<'_>,
    value: Value,
    before: Inst,
    (payload, cast, to): (SilType, &AbiCast, SilType),
) -> Value {
    let has_ossa = cx.function().has_ossa();
    let is_trivial = cx.declarations().is_trivial(payload.ty(), cx.view().signature()) == Some(true);
    let ownership = match cx.ownership().value(value) {
        Some(ownership) if has_ossa && !is_trivial => ownership,
        _ => Ownership::None,
    };
    let loc = cx.body().inst(before).loc;
    let start = cx.body().inst_block(before);
    let end = cx.edit().split_block(before);
    let present = cx.edit().insert_block_after(start);
    let absent = cx.edit().insert_block_after(present);

    let mut builder = cx.at(Point::End(start));
    builder.set_default_loc(loc);
    let cases = [(case("some"), present)];
    let switch =
        builder.build(SwitchEnum { default_target: Some(absent), ..SwitchEnum::new(value, &cases[..]) });
    if !has_ossa && !is_trivial {
        builder.set_forwarding(switch, Some(Ownership::Owned));
    }
    let result = builder.add_argument(end, to, ownership, ArgFlags::empty());
    builder.move_to(Point::End(absent));
    builder.set_default_loc(loc);
    let none = builder.enum_(to, case("none"));
    builder.br(end, &[none][..]);

    builder.move_to(Point::End(present));
    builder.set_default_loc(loc);
    let found = match has_ossa {
        true => builder.add_argument(present, payload, ownership, ArgFlags::empty()),
        false => builder.unchecked_enum_data(value, case("some")),
    };
    // The branch is inserted first, since conversions are inserted before an instruction.
    let branch = builder.br(end, &[found][..]);
    let converted = cast.convert(cx, found, branch);
    let wrapped = cx.at(Point::Before(branch)).build(some(to, converted));
    let operand = cx.body().operand_ids(branch).next();
    operand.into_iter().for_each(|operand| cx.edit().set_operand(operand, wrapped));
    result
}

/// Returns the class of an object reference or of an optional one.
fn reference(declarations: &Declarations, ty: Type) -> Option<Type> {
    let ty = declarations.optional_payload(ty).unwrap_or(ty);
    let class = match ty.kind() {
        TypeKind::DynamicSelf(class) => *class,
        _ => ty,
    };
    declarations.nominal_of(class).filter(|decl| decl.is_class())?;
    Some(class)
}

fn some(ty: SilType, payload: Value) -> Enum {
    Enum { payload: Some(payload), ..Enum::new(ty, case("some")) }
}

fn case(name: &str) -> DeclRef {
    DeclRef::of(&["Optional", name]).with_kind("enumelt")
}
