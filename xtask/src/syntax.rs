//! Syntax lines of reference pages: the text form of the table as readers of SIL know it.
//!
//! `%callee` stays as it is, an optional flag is `[flag]`, `(…)?` may be left out and `(…)*` repeats. Each kind of piece
//! is spelled here once; no page spells its own.

/// What the notation of [`syntax`] means, for the head of the reference.
pub(crate) const LEGEND: &str = "In a syntax line `%x` is an operand, `%x, …` a list of operands, `$x` a lowered type, \
`X` a formal type, `#x` a declaration, `@x` a function or a global variable, `bb_x` a block and `n` a number. `[x]` is a \
flag, which may be left out; `[a|b]` and `a|b` are one of several words. `(x)?` may be left out, and `(x)*` repeats.";

/// The spelling of each irregular piece; `{0}` is its first name in the table, `{0:T}` that name as a formal type.
const CUSTOM: &[(&str, &str)] = &[
    ("var", "(, let|var)?(, name \"{0}\")?(, argno n)?(, type $T)?(, expr e)?"),
    ("cast_target", " in %{0}"),
    ("tail_elems", "([tail_elems $T * %{1}] )*"),
    ("formal", "( : {0:T})?"),
    ("counts", "( !name(n))*"),
    ("align", "([align=n] )?"),
    ("isolation", "([{0}=k] )?([{1}=k] )?"),
    ("assigned", "([assign=n] )*"),
    ("self_or_type", "self|local %{1}|$T"),
    ("object", "%{1}, …(, [tail_elems] %{1}, …)?"),
    ("tuple", "(${0} )?(%{1}, …)"),
    ("select", "(, case #x: %{1})*(, default %{1})?"),
    ("open_pack", "%{0} of <T, …> at <Pack{…}, …>, shape $S, uuid \"…\""),
    ("invoke", "%{0}(<T, …>)? : $T"),
    ("apply", "%{0}(<T, …>)?(%{2}, …) : ${3}"),
    ("builtin", "\"{0}\"(<T, …>)?(%{2}, …)"),
    ("indices", "[parameters n n …] [results n n …] "),
    ("derivatives", "( with_derivative {%{0}, %{1}})?"),
    ("transpose", "( with_transpose %{0})?"),
    ("parameters", "[parameters n n …] "),
    ("as_type", "( as $T)?"),
    ("witness", "[{0}] [{1}] [parameters n n …] [results n n …] (<T, …> )?@{5}"),
    ("message", "(, \"{0}\")?"),
    ("yields", "%{0}|(%{0}, …)"),
    ("value_cases", "(, case %{0}: bb_x)*(, default bb_x)?"),
    ("cases", "(, case #x: bb_x)*(, default bb_x)?"),
    ("keypath", "${0}, ({1}) (<T, …>)? ((%{3}, …))?"),
];

/// Returns a text form of the table as a syntax line.
pub(crate) fn syntax(form: &str) -> Result<String, String> {
    let mut line = String::new();
    let mut rest = form.trim();
    while let Some(c) = rest.chars().next() {
        rest = match (c, piece(rest)?) {
            (_, Some((text, after))) => {
                line += &text;
                after
            }
            (c, None) => {
                line.push(c);
                &rest[c.len_utf8()..]
            }
        };
    }
    Ok(line.trim_end().to_owned())
}

/// Returns the spelling of the piece at the start of a form, and what follows it; `None` for literal text.
fn piece(text: &str) -> Result<Option<(String, &str)>, String> {
    if let Some(inner) = text.strip_prefix('{') {
        let (body, after) = inner.split_once('}').ok_or("`{` without `}`")?;
        return Ok(Some((braced(body)?, after)));
    }
    for (open, close) in [('[', ']'), ('<', '>')] {
        let Some(inner) = text.strip_prefix(open) else { continue };
        let Some((body, after)) = inner.split_once(close) else { continue };
        // A flag has no `=`, and is copied as it is.
        let Some((_, words)) = body.split_once('=') else { continue };
        return Ok(Some(match (open, after.strip_prefix('?')) {
            ('[', Some(after)) => (format!("([{words}])?"), after),
            ('[', None) => (format!("[{words}]"), after),
            (_, _) => (words.to_owned(), after),
        }));
    }
    if let Some((name, after)) = text.strip_prefix('%').map(word) {
        let operand = format!("%{name}");
        return Ok(Some(match after.as_bytes().first() {
            Some(b':') => (format!("{operand} : $T"), &after[1..]),
            Some(b'!') => (operand, &after[1..]),
            Some(b'*') => (format!("{operand}, …"), &after[1..]),
            _ => (operand, after),
        }));
    }
    if let Some((name, after)) = text.strip_prefix("bb:").map(word) {
        let Some((list, after)) = after.strip_prefix('(').and_then(|inner| inner.split_once(')')) else {
            return Ok(Some((format!("bb_{name}"), after)));
        };
        return Ok(Some((format!("bb_{name}((%{list}, …))?"), after)));
    }
    let named = |prefix: &str| text.strip_prefix(prefix).map(word).filter(|(name, _)| !name.is_empty());
    let marked = |(name, after), spelling: &dyn Fn(&str) -> String| Ok(Some((spelling(name), after)));
    if let Some(found) = named("T:") {
        return marked(found, &formal);
    }
    if let Some(found) = named("N:").or_else(|| named("I:")) {
        return marked(found, &str::to_owned);
    }
    if let Some(found) = named("S:") {
        return marked(found, &|name| format!("\"{name}\""));
    }
    if let Some(found) = named("@@") {
        return marked(found, &|name| format!("@{name}"));
    }
    Ok(None)
}

fn braced(body: &str) -> Result<String, String> {
    let (kind, args) = body.split_once(':').ok_or("`{` without `:`")?;
    if kind == "opt" {
        return Ok(format!("({})?", syntax_inside(args)?));
    }
    let spelling = CUSTOM.iter().find(|(name, _)| *name == kind);
    let (_, spelling) = spelling.ok_or(format!("no spelling for the piece `{kind}`"))?;
    let mut text = (*spelling).to_owned();
    for (index, name) in args.split(',').enumerate() {
        text = text.replace(&format!("{{{index}}}"), name).replace(&format!("{{{index}:T}}"), &formal(name));
    }
    Ok(text)
}

/// Returns the spelling of optional text, which keeps its spaces.
fn syntax_inside(form: &str) -> Result<String, String> {
    let start = form.len() - form.trim_start().len();
    Ok(format!("{}{}", &form[..start], syntax(form)?))
}

/// Returns a name of the table as that of a formal type: `source_type` becomes `SourceType`.
fn formal(name: &str) -> String {
    let part = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split('_').filter(|part| !part.is_empty()).map(part).collect()
}

/// Splits a name of the table from what follows it.
fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_spelled_as_in_sil() {
        let cases = [
            ("[take] %source! to [init] %destination", "[take] %source to [init] %destination"),
            ("[nothrow] {apply:callee,subs,args,type}", "[nothrow] %callee(<T, …>)?(%args, …) : $type"),
            ("%operand : $x, N:field", "%operand : $x, field"),
            ("%condition!, bb:yes(args){counts:counts}", "%condition, bb_yes((%args, …))?( !name(n))*"),
            ("$type, #element{opt:, %payload}", "$type, #element(, %payload)?"),
            ("[mode=init|set]? %x:", "([init|set])? %x : $T"),
            ("<encoding=bytes|utf8> S:value", "bytes|utf8 \"value\""),
            ("T:source_type in %source", "SourceType in %source"),
            ("@@global : $type{opt: depends_on %token!}", "@global : $type( depends_on %token)?"),
            ("%operand, #member{formal:formal}, $type", "%operand, #member( : Formal)?, $type"),
        ];
        for (form, expected) in cases {
            assert_eq!(syntax(form).as_deref(), Ok(expected), "{form}");
        }
        assert!(syntax("{what:a}").is_err());
    }

    #[test]
    fn no_line_shows_the_notation_of_the_table() {
        for (name, spelling) in CUSTOM {
            let names = ["a", "b", "c", "d", "e", "f"].join(",");
            let line = syntax(&format!("{{{name}:{names}}}")).unwrap();
            let is_left = (0..6).any(|index| line.contains(&format!("{{{index}")));
            assert!(!is_left, "{name}: {spelling}");
        }
    }
}
