//! Parser for the text form language of the instruction table.
//!
//! | spelled | means |
//! |---|---|
//! | `[flag]` | an optional flag |
//! | `[x=a\|b]`, `[x=a\|b]?` | a keyword in brackets, required or not |
//! | `<x=a\|b>` | a keyword |
//! | `%x`, `%x:`, `%x!`, `%x*` | an operand; always with its type; never with its type; an operand list |
//! | `$x`, `T:x` | a lowered type, a formal type |
//! | `#x`, `@x`, `@@x` | a declaration, a function, a global |
//! | `N:x`, `I:x`, `S:x` | a number, an integer literal, a string |
//! | `bb:x`, `bb:x(args)` | a block, with arguments |
//! | `{opt:TEXT%x}`, `{opt:TEXT%x:}`, `{opt:TEXTbb:x}` | optional text with an operand (always typed) or a block |
//! | `{custom:a,b}` | an irregular piece |
//!
//! All other characters are literal text.

/// The parsed declarations of a text form.
#[derive(Default)]
pub(crate) struct Form {
    /// The pieces as Rust expressions.
    pub(crate) pieces: Vec<String>,
    /// The operands: name and arity.
    pub(crate) operands: Vec<(String, &'static str)>,
    /// The attributes: name, and kind as a Rust expression.
    pub(crate) attrs: Vec<(String, String)>,
    /// The flags.
    pub(crate) flags: Vec<String>,
    /// All named parts except the list counts, in text order.
    pub(crate) fields: Vec<Field>,
}

/// A named part of an instruction.
#[derive(Clone, Copy)]
pub(crate) enum Field {
    /// The operand at this index; the flag is true if the builder of the instruction can omit it.
    Operand(usize, bool),
    /// The attribute at this index.
    Attr(usize),
    /// The flag with this bit index.
    Flag(usize),
}

/// The attributes and operands of the custom pieces: a name is an attribute of that kind; `%` is an operand, with `?`
/// an operand that can be omitted when an instruction is built.
const CUSTOM: &[(&str, &str, &[&str])] = &[
    ("var", "Var", &["DebugVar"]),
    ("cast_target", "CastTarget", &["%One"]),
    ("tail_elems", "TailElems", &["ListSilType", "%Many?"]),
    ("formal", "Formal", &["OptType"]),
    ("counts", "Counts", &["ListOptSym"]),
    ("align", "Align", &["OptStr"]),
    ("isolation", "Isolation", &["OptStr", "OptStr"]),
    ("assigned", "Assigned", &["ListU32"]),
    ("self_or_type", "SelfOrType", &["OptSilType", "%Optional"]),
    ("object", "Object", &["OptU32", "%Many"]),
    ("tuple", "Tuple", &["OptSilType", "%Many"]),
    ("select", "Select", &["ListDecl", "%Many"]),
    ("open_pack", "OpenPack", &["%One", "OptSig", "ListType", "Type", "Sym"]),
    ("invoke", "Invoke", &["%One", "ListType"]),
    ("apply", "Apply", &["%One", "ListType", "%Many", "SilType"]),
    ("builtin", "Builtin", &["Sym", "ListType", "%Many"]),
    ("indices", "Indices", &["ListU32", "ListU32"]),
    ("derivatives", "Derivatives", &["%Optional", "%Optional"]),
    ("transpose", "Transpose", &["%Optional"]),
    ("parameters", "Parameters", &["ListU32"]),
    ("as_type", "AsType", &["OptSilType"]),
    ("witness", "Witness", &["Sym", "Sym", "ListU32", "ListU32", "OptSig", "Function"]),
    ("message", "Message", &["OptStr"]),
    ("yields", "Yields", &["%Many"]),
    ("value_cases", "ValueCases", &["%Many", "ListBlock", "OptBlock"]),
    ("cases", "Cases", &["ListDeclBlock", "OptBlock"]),
    ("keypath", "KeyPath", &["SilType", "KeyPath", "ListType", "%Many"]),
];

impl Form {
    /// Parses a text form.
    pub(crate) fn parse(text: &str) -> Result<Form, String> {
        let mut form = Form::default();
        let mut rest = text;
        let mut literal = String::new();
        while let Some(c) = rest.chars().next() {
            let before = rest;
            let piece = form.piece(&mut rest)?;
            match piece {
                Some(piece) => {
                    if !literal.is_empty() {
                        form.pieces.push(format!("Piece::Text({literal:?})"));
                        literal.clear();
                    }
                    form.pieces.push(piece);
                }
                None => {
                    literal.push(c);
                    rest = &before[c.len_utf8()..];
                }
            }
        }
        if !literal.is_empty() {
            form.pieces.push(format!("Piece::Text({literal:?})"));
        }
        // Each piece is pushed after the text before it, so the pieces are in text order by construction.
        form.count_lists();
        Ok(form)
    }

    /// Adds a count attribute for each operand list that is not last.
    fn count_lists(&mut self) {
        let varying: Vec<String> = self
            .operands
            .iter()
            .rev()
            .skip(1)
            .filter(|(_, arity)| *arity != "One")
            .map(|(name, _)| name.clone())
            .collect();
        for name in varying.into_iter().rev() {
            self.attrs.push((format!("{name}_count"), "AttrKind::Count".into()));
        }
    }

    fn operand(&mut self, name: &str, arity: &'static str) -> usize {
        self.fields.push(Field::Operand(self.operands.len(), arity == "Optional"));
        self.operands.push((name.to_string(), arity));
        self.operands.len() - 1
    }

    fn attr(&mut self, name: &str, kind: impl Into<String>) -> usize {
        self.fields.push(Field::Attr(self.attrs.len()));
        self.attrs.push((name.to_string(), kind.into()));
        self.attrs.len() - 1
    }

    fn piece(&mut self, rest: &mut &str) -> Result<Option<String>, String> {
        let text = *rest;
        if let Some(inner) = text.strip_prefix('[') {
            let (body, after) = inner.split_once(']').ok_or("`[` without `]`")?;
            let Some((name, options)) = body.split_once('=') else {
                *rest = after.strip_prefix(' ').unwrap_or(after);
                self.fields.push(Field::Flag(self.flags.len()));
                self.flags.push(body.to_string());
                return Ok(Some(format!("Piece::Flag({})", self.flags.len() - 1)));
            };
            let (optional, after) = after.strip_prefix('?').map_or((false, after), |a| (true, a));
            *rest = after.strip_prefix(' ').unwrap_or(after);
            let attr = self.attr(name, choice(options, optional));
            return Ok(Some(format!("Piece::Choice {{ attr: {attr}, bracketed: true }}")));
        }
        if let Some(inner) = text.strip_prefix('<') {
            let (body, after) = inner.split_once('>').ok_or("`<` without `>`")?;
            let (name, options) = body.split_once('=').ok_or("`<` without `=`")?;
            *rest = after;
            let attr = self.attr(name, choice(options, false));
            return Ok(Some(format!("Piece::Choice {{ attr: {attr}, bracketed: false }}")));
        }
        if let Some(inner) = text.strip_prefix('{') {
            let (body, after) = inner.split_once('}').ok_or("`{` without `}`")?;
            *rest = after;
            return self.braced(body).map(Some);
        }
        if let Some(after) = text.strip_prefix('%') {
            let (name, after) = word(after);
            let (kind, arity, after) = match after.as_bytes().first() {
                Some(b':') => ("TypedOperand", "One", &after[1..]),
                Some(b'!') => ("BareOperand", "One", &after[1..]),
                Some(b'*') => ("Operands", "Many", &after[1..]),
                _ => ("Operand", "One", after),
            };
            *rest = after;
            return Ok(Some(format!("Piece::{kind}({})", self.operand(name, arity))));
        }
        if let Some(after) = text.strip_prefix("bb:") {
            let (name, after) = word(after);
            *rest = after;
            let attr = self.attr(name, "AttrKind::Block");
            let mut args = 255;
            if let Some(inner) = after.strip_prefix('(') {
                let (list, after) = inner.split_once(')').ok_or("`(` without `)`")?;
                args = self.operand(list, "Many");
                *rest = after;
            }
            return Ok(Some(format!("Piece::Target({attr}, {args})")));
        }
        const KINDS: &[(&str, &str)] = &[
            ("$", "SilType"),
            ("T:", "Type"),
            ("#", "Decl"),
            ("@@", "Global"),
            ("@", "Function"),
            ("N:", "U32"),
            ("I:", "Sym"),
            ("S:", "Str"),
        ];
        for (prefix, kind) in KINDS {
            if let Some(after) = text.strip_prefix(prefix) {
                let (name, after) = word(after);
                if name.is_empty() {
                    continue;
                }
                *rest = after;
                return Ok(Some(format!("Piece::Attr({})", self.attr(name, format!("AttrKind::{kind}")))));
            }
        }
        Ok(None)
    }

    fn braced(&mut self, body: &str) -> Result<String, String> {
        let (kind, args) = body.split_once(':').ok_or("`{` without `:`")?;
        if kind == "opt" {
            if let Some((text, name)) = args.split_once('%') {
                let plain = name.trim_end_matches([':', '!']);
                let typed = match &name[plain.len()..] {
                    ":" => "Always",
                    "!" => "Never",
                    _ => "Asked",
                };
                let name = plain;
                return Ok(format!(
                    "Piece::OptOperand({text:?}, {}, Typed::{typed})",
                    self.operand(name, "Optional")
                ));
            }
            let (text, name) = args.split_once("bb:").ok_or("`{opt:` without `%` or `bb:`")?;
            return Ok(format!("Piece::OptTarget({text:?}, {})", self.attr(name, "AttrKind::OptBlock")));
        }
        let (_, variant, kinds) =
            CUSTOM.iter().find(|c| c.0 == kind).ok_or(format!("no custom piece `{kind}`"))?;
        let (first_attr, first_operand) = (self.attrs.len(), self.operands.len());
        let names: Vec<&str> = args.split(',').collect();
        if names.len() != kinds.len() {
            return Err(format!("`{{{kind}:…}}` takes {} names", kinds.len()));
        }
        for (name, kind) in names.iter().zip(*kinds) {
            match kind.strip_prefix('%') {
                Some("One") => _ = self.operand(name, "One"),
                Some("Optional") => _ = self.operand(name, "Optional"),
                Some("Many?") => {
                    let spec = self.operand(name, "Many");
                    self.fields.pop();
                    self.fields.push(Field::Operand(spec, true));
                }
                Some(_) => _ = self.operand(name, "Many"),
                None => _ = self.attr(name, format!("AttrKind::{kind}")),
            }
        }
        Ok(format!("Piece::Custom(CustomPiece::{variant}, {first_attr}, {first_operand})"))
    }
}

fn choice(options: &str, optional: bool) -> String {
    let list: Vec<String> = options.split('|').map(|o| format!("{o:?}")).collect();
    format!("AttrKind::Choice(&[{}], {optional})", list.join(", "))
}

fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.split_at(end)
}
