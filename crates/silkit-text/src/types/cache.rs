//! A per-thread cache of types by their text.
//!
//! A file spells the same few types again and again. Reading one means to intern every part of it;
//! finding its text again costs one look at each byte.

use crate::cursor::Cursor;
use crate::error::Parse;
use crate::generic_env::GenericEnv;
use hashbrown::HashTable;
use silkit_base::FxHasher;
use silkit_types::SilType;
use std::cell::RefCell;
use std::hash::Hasher;

/// The longest text that is looked up.
const MAX_KEY: usize = 4096;
/// The number of bytes of text at which the cache is cleared.
const MAX_BYTES: usize = 8 << 20;

struct Entry {
    hash: u64,
    /// The generic environment that the names were looked up in.
    stamp: (u32, u32),
    /// The length of the type within the key.
    len: u32,
    ty: SilType,
    key: Box<str>,
}

#[derive(Default)]
struct Cache {
    entries: HashTable<Entry>,
    bytes: usize,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// Reads a type by `parse`, or finds it in the cache.
///
/// `parse` must leave the cursor right after the type and depend on nothing but the text and `env`.
pub(crate) fn read<'a>(
    cur: &mut Cursor<'a>,
    env: &mut GenericEnv,
    parse: impl FnOnce(&mut Cursor<'a>, &mut GenericEnv) -> Parse<SilType>,
) -> Parse<SilType> {
    cur.skip_trivia();
    let start = cur.pos();
    let key = env.stamp().zip(key_at(cur));
    let Some((stamp, key)) = key else { return parse(cur, env) };
    let mut hasher = FxHasher::default();
    hasher.write(key.as_bytes());
    hasher.write_u32(stamp.0);
    hasher.write_u32(stamp.1);
    let hash = hasher.finish();
    let found = CACHE.with_borrow(|cache| {
        let same = |e: &Entry| e.hash == hash && e.stamp == stamp && *e.key == *key;
        cache.entries.find(hash, same).map(|e| (e.ty, e.len as usize))
    });
    if let Some((ty, len)) = found {
        cur.set_pos(start + len);
        if len < key.len() || !may_continue(cur) {
            return Ok(ty);
        }
        cur.set_pos(start);
        return parse(cur, env);
    }
    let ty = parse(cur, env)?;
    let len = cur.pos() - start;
    if len <= key.len() {
        CACHE.with_borrow_mut(|cache| {
            cache.insert(Entry { hash, stamp, len: len as u32, ty, key: key.into() })
        });
    }
    Ok(ty)
}

impl Cache {
    fn insert(&mut self, entry: Entry) {
        if self.bytes > MAX_BYTES {
            *self = Self::default();
        }
        self.bytes += entry.key.len() + size_of::<Entry>();
        self.entries.insert_unique(entry.hash, entry, |e| e.hash);
    }
}

/// Returns true if what follows the key on other lines or after a comment might belong to the type.
fn may_continue(cur: &Cursor<'_>) -> bool {
    let mut next = cur.clone();
    match next.peek() {
        b'&' | b'-' | b'<' => true,
        b'a' | b't' | b'r' => matches!(next.peek_word(), Some("async" | "throws" | "rethrows")),
        _ => false,
    }
}

/// The meaning of a byte for the end of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Space,
    Open,
    Close,
    /// Ends a type that is not in brackets.
    Separator,
    /// Ends the key wherever it is.
    Stop,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut at = 0;
    while at < 256 {
        classes[at] = match at as u8 {
            b'(' | b'[' | b'{' | b'<' => Class::Open,
            b')' | b']' | b'}' | b'>' => Class::Close,
            b',' | b':' | b'=' | b'%' | b';' => Class::Separator,
            b'\n' | b'\r' | b'/' | 0 => Class::Stop,
            b' ' | b'\t' => Class::Space,
            _ => Class::Plain,
        };
        at += 1;
    }
    classes
};

/// Returns the text from here up to something that ends a type, or the line, or begins a comment.
fn key_at<'a>(cur: &Cursor<'a>) -> Option<&'a str> {
    let text = cur.text();
    let rest = text.as_bytes().get(cur.pos()..cur.end())?;
    let mut depth = 0usize;
    let mut last = 0;
    for (at, &byte) in rest.iter().enumerate() {
        match CLASSES[usize::from(byte)] {
            Class::Space => continue,
            Class::Stop => break,
            Class::Open => depth += 1,
            Class::Close if byte == b'>' && at > 0 && rest[at - 1] == b'-' => {}
            Class::Close if depth == 0 => break,
            Class::Close => depth -= 1,
            Class::Separator if depth == 0 => break,
            Class::Separator | Class::Plain => {}
        }
        if at >= MAX_KEY {
            return None;
        }
        last = at + 1;
    }
    text.get(cur.pos()..cur.pos() + last).filter(|key| key.len() > 1)
}
