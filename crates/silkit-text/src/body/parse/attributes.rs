//! Instruction attributes of one word: numbers, strings, types, names.

use super::BodyParser;
use crate::cursor::Cursor;
use crate::error::{Parse, err_at, err_here};
use crate::generic_env::GenericEnv;
use crate::types::{argument, parse_formal_sil_type, parse_sil_type};
use silkit_base::Symbol;
use silkit_types::{SilType, Type, TypeKind};

impl<'a, 'e> BodyParser<'a, 'e> {
    /// Parses a reference to an enum case.
    pub(in crate::body) fn enum_case(&mut self) -> Parse<u32> {
        let decl = crate::decl_ref::parse(&mut self.cur, self.env)?;
        Ok(decl.with_kind("enumelt").as_u32())
    }

    pub(in crate::body) fn number(&mut self) -> Parse<u32> {
        let text = self.cur.integer().ok_or_else(|| err_here(&self.cur, "expected a number"))?;
        text.parse().map_err(|_| err_here(&self.cur, "expected a number below 4294967295"))
    }

    /// Parses an integer or floating-point literal as it is spelled.
    pub(in crate::body) fn integer_symbol(&mut self) -> Parse<Symbol> {
        let text = self.cur.integer().ok_or_else(|| err_here(&self.cur, "expected an integer"))?;
        Ok(crate::symbols::symbol(text))
    }

    pub(in crate::body) fn string_symbol(&mut self) -> Parse<Symbol> {
        let start = self.cur.pos();
        let text = self.cur.string().ok_or_else(|| err_here(&self.cur, "expected a string in quotes"))?;
        crate::body::literal::check_escapes(text)
            .map_err(|message| err_at(start, self.cur.pos(), message))?;
        Ok(crate::symbols::symbol(text))
    }

    pub(in crate::body) fn sil_type(&mut self) -> Parse<SilType> {
        self.sil_type_by(parse_sil_type)
    }

    /// Parses the type of the contents of an existential.
    pub(in crate::body) fn contents_type(&mut self) -> Parse<SilType> {
        self.sil_type_by(parse_formal_sil_type)
    }

    fn sil_type_by(
        &mut self,
        parse: fn(&mut Cursor<'_>, &mut GenericEnv) -> Parse<SilType>,
    ) -> Parse<SilType> {
        let saved = self.env.in_body;
        self.env.in_body &= !std::mem::take(&mut self.keeps_names);
        let ty = parse(&mut self.cur, self.env);
        self.env.in_body = saved;
        ty
    }

    /// Parses the pack type of an index or a length, whose elements are formal types: `$Pack{() async -> Int}`.
    pub(in crate::body) fn formal_pack(&mut self) -> Parse<SilType> {
        self.text("$")?;
        Ok(SilType::new(self.formal_type()?, false))
    }

    /// Parses the type of a `metatype` instruction. `P.Type` without `any` stays as it is: the compiler passes
    /// `Error.Type` in the calls of distributed actors.
    pub(in crate::body) fn metatype_type(&mut self) -> Parse<SilType> {
        let start = self.cur.pos();
        let ty = self.sil_type()?;
        Ok(match ty.ty().kind() {
            TypeKind::Metatype(repr, instance)
                if let TypeKind::Any(protocol) = instance.kind()
                    && matches!(protocol.kind(), TypeKind::Named(_))
                    && !self.cur.text()[start..self.cur.pos()].contains("any ") =>
            {
                ty.with_type(Type::new(TypeKind::Metatype(*repr, *protocol)))
            }
            _ => ty,
        })
    }

    /// Parses a formal type, which older compilers print with a `$`.
    pub(in crate::body) fn formal_type(&mut self) -> Parse<Type> {
        // Canonicalize the type in the same way as other types of the module.
        let saved = std::mem::replace(&mut self.env.canonical, self.env.protocols.is_some());
        let found = argument(&mut self.cur, self.env);
        self.env.canonical = saved;
        found
    }

    /// Parses `@name`.
    pub(in crate::body) fn global_name(&mut self) -> Parse<Symbol> {
        crate::names::global_name(&mut self.cur)
    }
}
