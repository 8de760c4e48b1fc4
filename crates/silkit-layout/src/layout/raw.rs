//! Layouts of structs with a raw layout attribute: `@_rawLayout(size: 16, alignment: 8)`, `@_rawLayout(like: T)`,
//! `@_rawLayout(like: T.Member)`.

use crate::resolve::Env;
use crate::ty::{Ty, TyKind};
use crate::type_layout::{Layout, LayoutKind};
use crate::world::{TypeError, World};
use silkit_base::Symbol;
use silkit_types::Type;

impl World {
    pub(super) fn raw_layout(&self, ty: Ty) -> Result<Layout, TypeError> {
        let unsupported = || TypeError::Unsupported(format!("the raw layout of `{ty}`"));
        let (nominal, args) = ty.as_nominal().ok_or_else(unsupported)?;
        let module = self.module_of(nominal).ok_or_else(unsupported)?;
        let decl = self.decl(nominal).ok_or_else(unsupported)?;
        let range = decl.range.start as usize..decl.range.end as usize;
        let text = self.module(module).text.get(range).ok_or_else(unsupported)?;
        let (_, rest) = text.split_once("@_rawLayout(").ok_or_else(unsupported)?;
        let attribute = &rest[..closing(rest).ok_or_else(unsupported)?];
        let value = |name: &str| {
            let (_, rest) = attribute.split_once(&format!("{name}:"))?;
            Some(rest.split(',').next().unwrap_or(rest).trim())
        };
        let raw = |size: u64, align: u64| Layout {
            kind: LayoutKind::Raw,
            takable: false,
            loadable: false,
            trivial: false,
            ..Layout::scalar(size, align)
        };
        if let (Some(size), Some(align)) = (value("size"), value("alignment")) {
            let size = size.parse().ok().filter(|&size: &u64| size <= super::MAX_SIZE);
            let align = align.parse().ok().filter(|align: &u64| align.is_power_of_two() && *align <= 1 << 16);
            return Ok(raw(size.ok_or_else(unsupported)?, align.ok_or_else(unsupported)?));
        }
        let env = Env { nominal: Some((nominal, args)), ..Env::top(module) };
        // `T`, or an associated type `T.Member`.
        let named = |name: &str| {
            let mut parts = name.split('.').map(str::trim);
            let first = Type::named(None, Symbol::new(parts.next().unwrap_or(name)), Box::default());
            let base = self.resolve(first, &env, true)?;
            parts.try_fold(base, |base, part| {
                self.member_type(base, Symbol::new(part), &[]).ok_or_else(unsupported)
            })
        };
        if let Some(like) = value("likeArrayOf") {
            let element = self.layout(named(like)?)?;
            let count = value("count").ok_or_else(unsupported)?;
            let count = match count.parse() {
                Ok(count) => count,
                Err(_) => match named(count)?.kind() {
                    TyKind::Integer(n) => u64::try_from(*n).unwrap_or(0),
                    _ => return Err(unsupported()),
                },
            };
            let size = element.stride().checked_mul(count).filter(|&size| size <= super::MAX_SIZE);
            return Ok(raw(size.ok_or_else(unsupported)?, element.align));
        }
        let like = self.layout(named(value("like").ok_or_else(unsupported)?)?)?;
        Ok(raw(like.size, like.align))
    }
}

/// Returns the offset of the closing parenthesis.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at)
    })
}
