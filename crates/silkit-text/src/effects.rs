//! Function effects, parsed and printed: `[%0: noescape **, read v**]`, `[global: read]`.

use crate::cursor::Cursor;
use crate::error::{Parse, SyntaxError, err_at};
use silkit_ir::effects::{ArgumentEffects, ArgumentEscape, Effects, Escape, FunctionEffects};
use silkit_ir::{Indexed, PathErrorKind, ProjectionPath};
use std::fmt::Write as _;

/// The effects other than escapes; arguments have the first four.
const NAMES: [(Effects, &str); 6] = [
    (Effects::READ, "read"),
    (Effects::WRITE, "write"),
    (Effects::COPY, "copy"),
    (Effects::DESTROY, "destroy"),
    (Effects::ALLOCATE, "allocate"),
    (Effects::DEINIT_BARRIER, "deinit_barrier"),
];

/// The effects that an argument may have.
const OF_ARGUMENTS: [&str; 6] = ["noescape", "escape", "read", "write", "copy", "destroy"];

/// The limit of argument indices.
const MAX_ARGUMENTS: usize = 1 << 16;

/// Parses one effects attribute (the text between its brackets) and adds it to `effects`.
pub fn parse_effects(effects: &mut FunctionEffects, text: &str) -> Parse<()> {
    parse_effects_at(effects, text, 0)
}

/// Parses one effects attribute at an offset of the file.
///
/// Indices of arguments that the function does not have are accepted, since the compiler prints them for functions
/// with a specialized signature.
pub(crate) fn parse_effects_at(effects: &mut FunctionEffects, text: &str, start: usize) -> Parse<()> {
    EffectsParser { effects, rest: text, end: start + text.len() }.attribute()
}

struct EffectsParser<'e, 't> {
    effects: &'e mut FunctionEffects,
    /// The rest of the text.
    rest: &'t str,
    /// The offset of its end.
    end: usize,
}

impl<'t> EffectsParser<'_, 't> {
    fn attribute(mut self) -> Parse<()> {
        if self.eat("global") {
            self.colon()?;
            return self.global();
        }
        if !self.eat("%") {
            return Err(self.error("expected `%` and the number of an argument, or `global`"));
        }
        let argument = self.argument()?;
        self.colon()?;
        loop {
            self.of_argument(argument)?;
            if !self.eat(",") {
                return self.finish();
            }
        }
    }

    fn global(&mut self) -> Parse<()> {
        let mut global = Effects::empty();
        while !self.is_done() || !global.is_empty() {
            let names = NAMES.map(|(_, name)| name);
            let name = self.effect(&names)?;
            global.extend(NAMES.iter().filter(|(_, n)| *n == name).map(|(flag, _)| *flag));
            if !self.eat(",") {
                break;
            }
        }
        self.finish()?;
        self.effects.side.get_or_insert_default().global = global;
        Ok(())
    }

    fn of_argument(&mut self, argument: usize) -> Parse<()> {
        let name = self.effect(&OF_ARGUMENTS)?;
        let Some((flag, _)) = NAMES.iter().find(|(_, n)| *n == name) else {
            let is_derived = !self.eat_here("!");
            self.skip_trivia();
            let path = self.path()?;
            let to = if name == "noescape" { Escape::Nowhere } else { self.target()? };
            self.effects.escapes.push(ArgumentEscape { argument, path, to, is_derived });
            return Ok(());
        };
        self.skip_trivia();
        let path = self.path()?;
        let side = self.effects.side.get_or_insert_default();
        if side.arguments.len() <= argument {
            side.arguments.resize(argument + 1, ArgumentEffects::default());
        }
        if let Some(part) = side.arguments[argument].part_mut(*flag) {
            *part = Some(path);
        }
        Ok(())
    }

    /// Parses the destination of an escape: `-> %1.v**` or `=> %r`.
    fn target(&mut self) -> Parse<Escape> {
        self.skip_trivia();
        let start = self.offset();
        let is_exclusive = self.eat("=>");
        if !is_exclusive && !self.eat("->") {
            return Err(self
                .error("expected `->` or `=>` and where it escapes to")
                .with_help("`-> %r` is the result, `-> %1` the argument with this number"));
        }
        if !self.eat("%") {
            return Err(self.error("expected `%r` or `%` and the number of an argument"));
        }
        if self.eat_here("r") {
            let path = self.path_of_target()?;
            return Ok(Escape::Return { path, is_exclusive });
        }
        let argument = self.argument()?;
        let path = self.path_of_target()?;
        if is_exclusive {
            return Err(err_at(start, start + 2, "an escape to an argument is never exclusive")
                .with_help("write `->`; `=>` is for escapes to the result"));
        }
        Ok(Escape::Argument { argument, path })
    }

    fn path_of_target(&mut self) -> Parse<ProjectionPath> {
        if !self.eat_here(".") {
            return Ok(ProjectionPath::EMPTY);
        }
        match self.path()? {
            path if path.is_empty() => Err(self.error("expected a component of a path")),
            path => Ok(path),
        }
    }

    fn path(&mut self) -> Parse<ProjectionPath> {
        let (path, rest) = ProjectionPath::parse(self.rest).map_err(|e| {
            let start = self.offset() + e.offset;
            let rest = self.rest.get(e.offset..).unwrap_or_default();
            let len = rest.find([',', ' ', '-', '=']).unwrap_or(rest.len());
            path_error(start, start + len, e.kind)
        })?;
        self.rest = rest;
        Ok(path)
    }

    /// Parses the index of an argument.
    fn argument(&mut self) -> Parse<usize> {
        let len = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(len);
        if digits.is_empty() {
            return Err(self.error("expected the number of an argument"));
        }
        let Some(number) = digits.parse().ok().filter(|number| *number < MAX_ARGUMENTS) else {
            let start = self.offset();
            let message = format!("`%{digits}` is not an argument: the number is too large");
            return Err(err_at(start.saturating_sub(1), start + len, message));
        };
        self.rest = rest;
        Ok(number)
    }

    /// Parses one of these words.
    fn effect(&mut self, names: &[&'static str]) -> Parse<&'static str> {
        self.skip_trivia();
        let len = self.rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let (word, rest) = self.rest.split_at(len);
        let expected = || {
            let all: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            let (last, first) = all.split_last().map(|(l, f)| (l.as_str(), f.join(", "))).unwrap_or_default();
            format!("expected {first} or {last}")
        };
        if word.is_empty() {
            return Err(self.error("expected an effect").with_help(expected()));
        }
        let Some(name) = names.iter().find(|n| **n == word) else {
            let start = self.offset();
            let help = match silkit_diag::nearest(word, names.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => expected(),
            };
            return Err(err_at(start, start + len, format!("unknown effect `{word}`")).with_help(help));
        };
        self.rest = rest;
        Ok(name)
    }

    fn colon(&mut self) -> Parse<()> {
        if self.eat(":") { Ok(()) } else { Err(self.error("expected `:`")) }
    }

    fn finish(&mut self) -> Parse<()> {
        if self.is_done() {
            return Ok(());
        }
        let start = self.offset();
        let message = format!("expected `,` or `]`, found `{}`", self.rest.trim_end());
        Err(err_at(start, self.end, message).with_help(PATHS))
    }

    fn is_done(&mut self) -> bool {
        self.skip_trivia();
        self.rest.is_empty()
    }

    /// Skips white space and comments.
    fn skip_trivia(&mut self) {
        let mut cur = Cursor::new(self.rest);
        cur.skip_trivia();
        self.rest = self.rest.get(cur.pos()..).unwrap_or_default();
    }

    /// Consumes these bytes, after white space.
    fn eat(&mut self, text: &str) -> bool {
        self.skip_trivia();
        self.eat_here(text)
    }

    /// Consumes these bytes at the current position.
    fn eat_here(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Returns the offset of the rest.
    fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    fn error(&mut self, message: &'static str) -> SyntaxError {
        self.skip_trivia();
        let start = self.offset();
        err_at(start, start + self.rest.chars().next().map_or(0, char::len_utf8), message)
    }
}

const PATHS: &str = "a path has components such as `s0` (a field of a struct), `1` (an element of a tuple), \
                     `e0` (the payload of an enum), `c1` (a field of a class), `v**` (anything in a value) and \
                     `**` (anything), with dots between them";

fn path_error(start: usize, end: usize, kind: PathErrorKind) -> SyntaxError {
    match kind {
        PathErrorKind::NoComponent => err_at(start, end, "expected a component of a path").with_help(PATHS),
        PathErrorKind::NoNumber(kind) => {
            let what = match kind {
                Indexed::StructField => "field of a struct",
                Indexed::TupleElement => "element of a tuple",
                Indexed::EnumCase => "case of an enum",
                Indexed::ClassField => "field of a class",
                Indexed::Element => "element behind an address",
            };
            err_at(start, end, format!("expected the number of a {what}")).with_help(PATHS)
        }
        PathErrorKind::AnythingNotLast => err_at(start, end, "`**` must be the last component of a path"),
        PathErrorKind::TooLong => err_at(start, end, "this path is too long")
            .with_help("end it with `**`, which stands for any number of components"),
    }
}

/// Returns the effects as spelled between brackets, in text order.
pub fn effect_texts(effects: &FunctionEffects) -> Vec<String> {
    let of_sides = effects.side.as_ref().map_or(0, |side| side.arguments.len());
    let count = effects.escapes.iter().map(|e| e.argument + 1).fold(of_sides, usize::max);
    let mut texts = Vec::new();
    for argument in 0..count {
        let escapes = effects.escapes.iter().filter(|e| e.argument == argument).map(escape_text);
        let own = effects.side.as_ref().map(|side| side.argument(argument)).unwrap_or_default();
        let sides = own.parts().map(|(effect, path)| format!("{} {path}", effects_text(effect)));
        let parts: Vec<String> = escapes.chain(sides).collect();
        if !parts.is_empty() {
            texts.push(format!("%{argument}: {}", parts.join(", ")));
        }
    }
    texts.extend(effects.side.as_ref().map(|side| format!("global: {}", effects_text(side.global))));
    texts
}

/// Returns the names of effects, separated by commas.
fn effects_text(effects: Effects) -> String {
    let names = NAMES.iter().filter(|(flag, _)| effects.contains(*flag)).map(|(_, name)| *name);
    names.collect::<Vec<_>>().join(",")
}

fn escape_text(escape: &ArgumentEscape) -> String {
    let mut text = if escape.to == Escape::Nowhere { "noescape" } else { "escape" }.to_owned();
    if !escape.is_derived {
        text.push('!');
    }
    if !escape.path.is_empty() {
        let _ = write!(text, " {}", escape.path);
    }
    let path = match escape.to {
        Escape::Nowhere => ProjectionPath::EMPTY,
        Escape::Return { path, is_exclusive } => {
            text.push_str(if is_exclusive { " => %r" } else { " -> %r" });
            path
        }
        Escape::Argument { argument, path } => {
            let _ = write!(text, " -> %{argument}");
            path
        }
    };
    if !path.is_empty() {
        let _ = write!(text, ".{path}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(texts: &[&str]) -> FunctionEffects {
        let mut effects = FunctionEffects::default();
        texts.iter().for_each(|text| parse_effects(&mut effects, text).expect(text));
        effects
    }

    #[test]
    fn text_is_read_and_printed() {
        let texts = [
            "%0: noescape **, read v**.c*.v**, write s0, copy v**, destroy c*",
            "%1: escape => %r, escape c*.v** -> %0.c*.v**, noescape! v**",
            "%3: escape! s1 -> %12.s0, escape v** -> %r.s1.e2",
            "global: read,write,copy,destroy,allocate,deinit_barrier",
        ];
        let read = effects(&texts);
        assert_eq!(effect_texts(&read), texts);
        assert_eq!(read.escapes.len(), 6);
        assert!(!read.may_escape(0, ProjectionPath::EMPTY));
        assert!(read.may_escape(1, ProjectionPath::parse("c1").expect("a path").0));
        let nothing = effects(&["global: "]);
        assert!(nothing.side.as_ref().is_some_and(|side| side.all().is_empty()));
        assert_eq!(effect_texts(&nothing), ["global: "]);
    }

    /// The spellings that the reference accepts, with the canonical one.
    #[test]
    fn spellings_become_canonical() {
        for (texts, printed) in [
            (&["global:"] as &[&str], &["global: "] as &[&str]),
            (&["global: write, read"], &["global: read,write"]),
            (&["global: read,read"], &["global: read"]),
            (&["global: read", "global: write"], &["global: write"]),
            (&["%0: read"], &["%0: read ", "global: "]),
            (&["%0: write v**, read v**"], &["%0: read v**, write v**", "global: "]),
            (&["%0: read v**, read s0"], &["%0: read s0", "global: "]),
            (&["%0: read v**, noescape **"], &["%0: noescape **, read v**", "global: "]),
            (&["%0: noescape s1, noescape s0"], &["%0: noescape s1, noescape s0"]),
            (&[" %0 : noescape , read v** "], &["%0: noescape, read v**", "global: "]),
            (&["%0:noescape,read v**"], &["%0: noescape, read v**", "global: "]),
            (&["%1: noescape", "%0: noescape"], &["%0: noescape", "%1: noescape"]),
            (&["%0: noescape", "%0: read v**"], &["%0: noescape, read v**", "global: "]),
            (&["global: read", "%0: read v**"], &["%0: read v**", "global: read"]),
            (&["%0: escape -> %0"], &["%0: escape -> %0"]),
            (&["%0: noescape!"], &["%0: noescape!"]),
            (&["%0: noescape x.i3.ct"], &["%0: noescape x.i3.ct"]),
            (&["%0: noescape s70000"], &["%0: noescape s70000"]),
        ] {
            assert_eq!(effect_texts(&effects(texts)), printed, "{texts:?}");
        }
    }

    /// Checks texts that the reference rejects, with the range of the error.
    #[test]
    fn wrong_effects_are_errors() {
        for (text, place, message) in [
            ("%0: frobnicate v**", "frobnicate", "unknown effect `frobnicate`"),
            ("%0: deinit_barrier v**", "deinit_barrier", "unknown effect `deinit_barrier`"),
            ("%0: ", "", "expected an effect"),
            ("%0: noescape,", "", "expected an effect"),
            ("global: zzz", "zzz", "unknown effect `zzz`"),
            ("global: read, foo", "foo", "unknown effect `foo`"),
            ("global: read,", "", "expected an effect"),
            ("global: read read", "read", "expected `,` or `]`, found `read`"),
            ("global read", "r", "expected `:`"),
            ("%0: noescape q7", "q7", "expected `,` or `]`, found `q7`"),
            ("%0: noescape v*.c*", "v*.c*", "expected `,` or `]`, found `v*.c*`"),
            ("%0: noescape s", "s", "expected the number of a field of a struct"),
            ("%0: noescape e*", "e*", "expected the number of a case of an enum"),
            ("%0: noescape s0.q, read v**", "q", "expected a component of a path"),
            ("%0: noescape **.s0", "**.s0", "`**` must be the last component of a path"),
            (
                "%0: noescape s0.s1.s2.s3.s4.s5.s6.s7.s8",
                "s0.s1.s2.s3.s4.s5.s6.s7.s8",
                "this path is too long",
            ),
            ("%0: read! v**", "! v**", "expected `,` or `]`, found `! v**`"),
            ("%0: escape v**", "", "expected `->` or `=>` and where it escapes to"),
            ("%0: escape v** > %r", ">", "expected `->` or `=>` and where it escapes to"),
            ("%0: escape v** -> r", "r", "expected `%r` or `%` and the number of an argument"),
            ("%0: escape v** -> %x", "x", "expected the number of an argument"),
            ("%0: escape v** -> %r.q", "q", "expected a component of a path"),
            ("%0: escape v** => %1", "=>", "an escape to an argument is never exclusive"),
            ("%0: escape v** -> %65536", "%65536", "`%65536` is not an argument: the number is too large"),
            ("%9999999999: read", "%9999999999", "`%9999999999` is not an argument: the number is too large"),
            ("%0 noescape", "n", "expected `:`"),
            ("%r: noescape", "r", "expected the number of an argument"),
            ("0: noescape", "0", "expected `%` and the number of an argument, or `global`"),
            ("", "", "expected `%` and the number of an argument, or `global`"),
        ] {
            let error = parse_effects(&mut FunctionEffects::default(), text).expect_err(text);
            let found = (&text[error.range.as_usize()], &*error.message);
            assert_eq!(found, (place, message), "{text}");
        }
    }

    #[test]
    fn errors_say_what_to_try() {
        let help = |text| parse_effects(&mut FunctionEffects::default(), text).expect_err(text).help;
        assert_eq!(help("%0: noescpe v**").as_deref(), Some("did you mean `noescape`?"));
        let all = "expected `noescape`, `escape`, `read`, `write`, `copy` or `destroy`";
        assert_eq!(help("%0: frobnicate v**").as_deref(), Some(all));
        assert!(help("%0: noescape q7").is_some_and(|help| help.contains("`s0` (a field of a struct)")));
        assert!(help("%0: escape v**").is_some_and(|help| help.contains("`-> %r`")));
    }
}
