//! The types of functions, initializers and subscripts, read when they are asked for.

use super::scan::{Stop, skip_rest};
use crate::cursor::Cursor;
use crate::error::{Parse, err_here};
use crate::generics::{GenericEnv, parse_generic_sig, parse_requirements};
use crate::types::parse_type;
use crate::types_fn;
use silkit_types::decl::Member;
use silkit_types::{
    Convention, FnFlags, FunctionType, GenericSig, ParamFlags, ResultConvention, ResultFlags, ResultInfo,
    Type, TypeKind,
};

/// The formal type of a member of `text`, as spelled: of a property its type, else a function type with the
/// member's own generic signature and the labels of its parameters. `Self` is not applied.
///
/// # Errors
/// Where the signature is no Swift.
///
/// ```
/// use silkit_text::decl::{Dialect, member_type, parse_decls};
/// let text = "struct S {\n  func f<T>(_ x: T, y: Int = 3) throws -> [T] where T : Equatable\n}\n";
/// let parsed = parse_decls(text, 0..text.len(), Dialect::Sil);
/// let member = parsed.table.nominals().next().unwrap().body.members[0];
/// let ty = member_type(text, &member).unwrap();
/// assert_eq!(ty.to_string(), "<T where T : Equatable> (T, y: Int) throws -> [T]");
/// ```
pub fn member_type(text: &str, member: &Member) -> Parse<Type> {
    if let Some(ty) = member.ty {
        return Ok(ty);
    }
    let mut cur = Cursor::in_range(text, member.signature.as_usize());
    let mut env = GenericEnv::new();
    let mut f = FunctionType::lowered(Convention::Thick);
    f.lowered = false;
    if cur.looking_at("<") {
        let sig = parse_generic_sig(&mut cur, &mut env)?;
        env.push(sig);
        f.sig = Some(sig);
    }
    params(&mut cur, &mut env, &mut f)?;
    effects(&mut cur, &mut env, &mut f)?;
    let result = if cur.eat("->") { parse_type(&mut cur, &mut env, false)? } else { Type::void() };
    f.results = Box::new([plain(result)]);
    if let Some(sig) = f.sig
        && cur.eat_word("where")
    {
        let mut data = sig.data().clone();
        let mut requirements = data.requirements.to_vec();
        parse_requirements(&mut cur, &mut env, 0, &mut requirements)?;
        data.requirements = requirements.into();
        f.sig = Some(GenericSig::new(data));
    }
    Ok(Type::new(TypeKind::Function(Box::new(f))))
}

fn params(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    if !cur.eat("(") {
        return Err(err_here(cur, "expected `(` and the parameters"));
    }
    let mut params = Vec::new();
    while !cur.eat(")") {
        let mut param = types_fn::param(cur, env, false, true)?;
        // Of a declaration `_` says that there is no label, as nothing does in a type.
        param.flags.remove(ParamFlags::EXPLICIT_NO_LABEL);
        params.push(param);
        cur.eat("...");
        if cur.eat("=") {
            skip_rest(cur, Stop::Item);
        }
        if !cur.eat(",") && !cur.looking_at(")") {
            return Err(err_here(cur, "expected `,` or `)` in the parameters"));
        }
    }
    f.params = params.into();
    Ok(())
}

fn effects(cur: &mut Cursor<'_>, env: &mut GenericEnv, f: &mut FunctionType) -> Parse<()> {
    loop {
        if cur.eat_word("async") || cur.eat_word("reasync") {
            f.flags |= FnFlags::ASYNC;
        } else if cur.eat_word("rethrows") {
            f.flags |= FnFlags::RETHROWS;
        } else if cur.eat_word("throws") {
            f.flags |= FnFlags::THROWS;
            if cur.eat("(") {
                f.error = Some(plain(parse_type(cur, env, false)?));
                cur.eat(")");
            }
        } else {
            return Ok(());
        }
    }
}

fn plain(ty: Type) -> ResultInfo {
    ResultInfo { convention: ResultConvention::Owned, flags: ResultFlags::empty(), lifetime: None, ty }
}
