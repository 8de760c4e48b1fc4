//! `@box T`: the older spelling of a box that holds one variable.

use super::signature::parse_generic_sig;
use crate::cursor::Cursor;
use crate::error::Parse;
use crate::generic_env::GenericEnv;
use silkit_types::{BoxField, BoxType, Type, TypeKind};

/// Returns the box `<τ_0_0 where τ_0_0 : ~Copyable, τ_0_0 : ~Escapable> { var τ_0_0 } <T>`, which `@box T` stands for.
pub(super) fn holding(ty: Type) -> Parse<Type> {
    let signature = "<τ_0_0 where τ_0_0 : ~Copyable, τ_0_0 : ~Escapable>";
    let sig = parse_generic_sig(&mut Cursor::new(signature), &mut GenericEnv::new())?;
    let fields = Box::new([BoxField { mutable: true, ty: Type::param(0, 0) }]);
    let layout = BoxType { sig: Some(sig), captures_generics: false, fields, args: Box::new([ty]) };
    Ok(Type::new(TypeKind::Box(Box::new(layout))))
}
