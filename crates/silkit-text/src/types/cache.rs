//! A per-thread cache of parsed types by their text.
//!
//! A file spells the same few types many times. Parsing a type interns every part of it, while a cache lookup reads
//! each byte once.

use crate::cursor::{Cursor, prefix_len};
use crate::error::Parse;
use crate::generic_env::{GenericEnv, ParamPosition, Stamp};
use hashbrown::HashTable;
use silkit_base::{FxHasher, Symbol};
use silkit_types::{GenericSig, SilType, Type};
use std::cell::RefCell;
use std::hash::Hasher;
use std::rc::Rc;

/// The maximum length of a text in the cache.
const MAX_KEY: usize = 4096;
/// The number of bytes of text at which the cache is cleared.
const MAX_BYTES: usize = 8 << 20;

struct Entry<T> {
    hash: u64,
    stamp: Stamp,
    /// The names that were looked up among the parameters of the enclosing signature, with what they denote, and their
    /// mask. The text means the same type in every signature in which they denote the same.
    names: Box<[(Symbol, Option<ParamPosition>)]>,
    mask: u64,
    /// The length of the type within the key.
    len: u32,
    found: T,
    key: Box<str>,
}

struct Cache<T> {
    entries: HashTable<Entry<T>>,
    bytes: usize,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { entries: HashTable::new(), bytes: 0 }
    }
}

thread_local! {
    static TYPES: RefCell<Cache<SilType>> = RefCell::default();
    static LISTS: RefCell<Cache<Rc<[Type]>>> = RefCell::default();
    static SIGNATURES: RefCell<Cache<GenericSig>> = RefCell::default();
}

/// Returns a type from the cache, or parses it with `parse`.
///
/// `parse` must leave the cursor directly after the type and depend only on the text and `env`.
pub(crate) fn read<'a>(
    cur: &mut Cursor<'a>,
    env: &mut GenericEnv,
    parse: impl FnOnce(&mut Cursor<'a>, &mut GenericEnv) -> Parse<SilType>,
) -> Parse<SilType> {
    cur.skip_trivia();
    let key = env.stamp().zip(key_at(cur).filter(|key| key.len() > 1));
    remembered(&TYPES, cur, env, key, parse)
}

/// Returns a bracketed list of types from the cache, or parses it with `parse`.
pub(crate) fn read_list<'a>(
    cur: &mut Cursor<'a>,
    env: &mut GenericEnv,
    parse: impl FnOnce(&mut Cursor<'a>, &mut GenericEnv) -> Parse<Rc<[Type]>>,
) -> Parse<Rc<[Type]>> {
    cur.skip_trivia();
    let key = env.stamp().zip(list_at(cur));
    remembered(&LISTS, cur, env, key, parse)
}

/// Returns a generic signature from the cache, or parses it with `parse`. Function types with different parameters have
/// the same few signatures.
pub(crate) fn read_signature<'a>(
    cur: &mut Cursor<'a>,
    env: &mut GenericEnv,
    parse: impl FnOnce(&mut Cursor<'a>, &mut GenericEnv) -> Parse<GenericSig>,
) -> Parse<GenericSig> {
    cur.skip_trivia();
    let key = env.signature_stamp().zip(list_at(cur));
    remembered(&SIGNATURES, cur, env, key, parse)
}

fn remembered<'a, T: Clone>(
    cache: &'static std::thread::LocalKey<RefCell<Cache<T>>>,
    cur: &mut Cursor<'a>,
    env: &mut GenericEnv,
    key: Option<(Stamp, &'a str)>,
    parse: impl FnOnce(&mut Cursor<'a>, &mut GenericEnv) -> Parse<T>,
) -> Parse<T> {
    let start = cur.pos();
    let Some((stamp, key)) = key else { return parse(cur, env) };
    let mut hasher = FxHasher::default();
    hasher.write(key.as_bytes());
    let hash = stamp.mix(hasher.finish());
    let found = cache.with_borrow(|cache| {
        let is_same = |e: &Entry<T>| {
            e.hash == hash && e.stamp == stamp && *e.key == *key && env.denotes(&e.names, e.mask)
        };
        let entry = cache.entries.find(hash, is_same)?;
        env.note_names(&entry.names);
        Some((entry.found.clone(), entry.len as usize))
    });
    if let Some((found, len)) = found {
        cur.set_pos(start + len);
        if len < key.len() || !may_continue(cur) {
            return Ok(found);
        }
        cur.set_pos(start);
        return parse(cur, env);
    }
    let outer = env.watch();
    let found = parse(cur, env);
    let names = env.unwatch(outer);
    let found = found?;
    let len = cur.pos() - start;
    if len <= key.len() {
        let mask = names.iter().fold(0, |mask, &(name, _)| mask | GenericEnv::bit(name));
        let entry =
            Entry { hash, stamp, names, mask, len: len as u32, found: found.clone(), key: key.into() };
        cache.with_borrow_mut(|cache| cache.insert(entry));
    }
    Ok(found)
}

impl<T> Cache<T> {
    fn insert(&mut self, entry: Entry<T>) {
        if self.bytes > MAX_BYTES {
            *self = Self::default();
        }
        self.bytes += entry.key.len() + size_of::<Entry<T>>();
        self.entries.insert_unique(entry.hash, entry, |e| e.hash);
    }
}

/// Returns true if the type may continue on another line or after a comment.
fn may_continue(cur: &mut Cursor<'_>) -> bool {
    let end = cur.pos();
    let found = match cur.peek() {
        b'&' | b'-' | b'<' => true,
        b'a' | b't' | b'r' => matches!(cur.peek_word(), Some("async" | "throws" | "rethrows")),
        _ => false,
    };
    cur.set_pos(end);
    found
}

/// The class of a byte for finding the end of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Space,
    Open,
    Close,
    /// Ends a type outside of brackets.
    Separator,
    /// Ends the key everywhere.
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

/// Returns the text up to the end of the type, the end of the line, or a comment.
fn key_at<'a>(cur: &Cursor<'a>) -> Option<&'a str> {
    let text = cur.text();
    let rest = text.as_bytes().get(cur.pos()..cur.end())?;
    let mut depth = 0usize;
    let mut last = 0;
    let mut at = 0;
    while at < rest.len() {
        let byte = rest[at];
        match CLASSES[usize::from(byte)] {
            Class::Plain => {
                // Most bytes are letters.
                at += prefix_len(&rest[at + 1..], |byte| CLASSES[usize::from(byte)] == Class::Plain);
            }
            Class::Space => {
                at += 1;
                continue;
            }
            Class::Stop => break,
            Class::Open => depth += 1,
            Class::Close if byte == b'>' && at > 0 && rest[at - 1] == b'-' => {}
            Class::Close if depth == 0 => break,
            Class::Close => depth -= 1,
            Class::Separator if depth == 0 => break,
            Class::Separator => {}
        }
        at += 1;
        last = at;
        if last > MAX_KEY {
            return None;
        }
    }
    text.get(cur.pos()..cur.pos() + last)
}

/// Returns the text from `<` to the matching `>` on the same line, without comments.
fn list_at<'a>(cur: &Cursor<'a>) -> Option<&'a str> {
    let text = cur.text();
    let rest = text.as_bytes().get(cur.pos()..cur.end())?;
    let mut depth = 0usize;
    let rest = &rest[..rest.len().min(MAX_KEY)];
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match CLASSES[usize::from(byte)] {
            Class::Plain if depth > 0 => {
                at += 1 + prefix_len(&rest[at + 1..], |byte| CLASSES[usize::from(byte)] == Class::Plain);
                continue;
            }
            Class::Stop => return None,
            Class::Open => depth += 1,
            Class::Close if byte == b'>' && at > 0 && rest[at - 1] == b'-' => {}
            Class::Close => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return text.get(cur.pos()..cur.pos() + at + 1);
        }
        at += 1;
    }
    None
}
