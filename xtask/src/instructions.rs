//! Generates the typed instructions: a struct and a builder method for each row of the instruction table.

use crate::form::{Field, Form};
use crate::table::{Entry, Keywords};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the keyword sets as Rust enums.
pub(crate) fn keywords(sets: &BTreeMap<String, Keywords>) -> String {
    let mut code = String::from(
        "//! The closed sets of keywords. Generated from `table/keywords.toml` by `cargo xtask generate`; do not edit.\n\n\
         use crate::instructions::keywords;\n\nkeywords! {\n",
    );
    for (name, set) in sets {
        write!(code, "    /// {}\n    {name} {{\n", set.summary).unwrap_or_default();
        for word in set.words.split('|') {
            let variant = crate::generate::camel(word.trim_start_matches('@'));
            write!(code, "        /// `{word}`.\n        {variant} = {word:?},\n").unwrap_or_default();
        }
        code.push_str("    }\n");
    }
    code.push_str("}\n");
    code
}

/// Returns the instruction structs and the enum of all instructions.
pub(crate) fn structs(entries: &[Entry], sets: &BTreeMap<String, Keywords>) -> Result<String, String> {
    let mut code = String::from(
        "//! The typed instructions. Generated from `table/*.toml` by `cargo xtask generate`; do not edit.\n\n\
         use super::keywords::*;\nuse crate::instructions::{List, Values, any_instruction, instruction};\n\
         use crate::{Block, DebugVar, DeclRef, Inst, Value};\nuse silkit_base::Symbol;\n\
         use silkit_types::{GenericSig, SilType, Type};\n\n",
    );
    let mut variants = String::new();
    for e in entries {
        let fields = fields(e, sets).map_err(|m| format!("[{}]: {m}", e.name))?;
        let lifetime = lifetime(&fields);
        let mut parts = String::new();
        let (mut required, mut optional) = (Vec::new(), Vec::new());
        for f in &fields {
            writeln!(parts, "        {} {} {}: {},", f.role, f.index, f.name, f.ty)
                .map_err(|e| e.to_string())?;
            match f.is_required {
                true => required.push(format!("{}: {}", f.name, f.param())),
                false => optional.push(f.name.clone()),
            }
        }
        let (required, optional) = (required.join(", "), optional.join(", "));
        write!(
            code,
            "instruction! {{\n    /// {}\n    {} [{lifetime}] -> {},\n    {{\n{parts}    }}\n    new({required}) [{optional}]\n}}\n\n",
            doc(e),
            e.row.class,
            output(e)?
        )
        .map_err(|e| e.to_string())?;
        writeln!(variants, "    {} [{lifetime}],", e.row.class).map_err(|e| e.to_string())?;
    }
    write!(code, "any_instruction! {{\n{variants}}}\n").map_err(|e| e.to_string())?;
    Ok(code)
}

/// Returns the builder methods.
pub(crate) fn builder(entries: &[Entry], sets: &BTreeMap<String, Keywords>) -> Result<String, String> {
    let mut code = String::from(
        "//! A method of the builder for each instruction. Generated from `table/*.toml` by `cargo xtask generate`; do not edit.\n\n\
         use super::instructions as i;\nuse super::keywords::*;\nuse crate::edit::Builder;\nuse crate::instructions::{List, Values};\n\
         use crate::{Block, DeclRef, Inst, Value};\nuse silkit_base::Symbol;\nuse silkit_types::{GenericSig, SilType, Type};\n\n\
         impl Builder<'_> {\n",
    );
    for e in entries {
        let fields = fields(e, sets).map_err(|m| format!("[{}]: {m}", e.name))?;
        let required = || fields.iter().filter(|f| f.is_required);
        let name = match e.name.as_str() {
            keyword @ ("return" | "yield" | "struct" | "enum") => format!("{keyword}_"),
            name => name.to_string(),
        };
        let lifetime = match lifetime(&required().cloned().collect::<Vec<_>>()) {
            "" => "",
            _ => "<'a>",
        };
        let params: Vec<String> = required().map(|f| format!("{}: {}", f.name, f.param())).collect();
        let args: Vec<&str> = required().map(|f| f.name.as_str()).collect();
        let optional: Vec<String> =
            fields.iter().filter(|f| !f.is_required).map(|f| format!("`{}`", f.name)).collect();
        let more = match optional.len() {
            0 => String::new(),
            _ => format!(
                "\n///\n/// For {}, [`build`](Builder::build) an [`i::{}`].",
                list(&optional),
                e.row.class
            ),
        };
        let allow = if args.len() > 6 {
            "#[expect(clippy::too_many_arguments, reason = \"one for each part\")]\n"
        } else {
            ""
        };
        write!(
            code,
            "/// Makes `{}`. {}{more}\n{allow}pub fn {name}{lifetime}(&mut self, {}) -> {} {{ self.build(i::{}::new({})) }}\n\n",
            e.name,
            doc(e),
            params.join(", "),
            output(e)?,
            e.row.class,
            args.join(", ")
        )
        .map_err(|e| e.to_string())?;
    }
    code.push_str("}\n");
    Ok(code)
}

fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [many @ .., last] => format!("{} or {last}", many.join(", ")),
    }
}

fn doc(e: &Entry) -> String {
    let text = if e.row.summary.is_empty() { format!("`{}`.", e.name) } else { e.row.summary.clone() };
    text.replace('[', "\\[").replace(']', "\\]").replace('<', "\\<")
}

fn output(e: &Entry) -> Result<&'static str, String> {
    match e.row.results.as_str() {
        "one" => Ok("Value"),
        "several" => Ok("Vec<Value>"),
        "none" | "terminator" => Ok("Inst"),
        other => Err(format!("[{}]: no number of results `{other}`", e.name)),
    }
}

/// A field of an instruction struct.
#[derive(Clone)]
struct StructField {
    role: &'static str,
    index: usize,
    name: String,
    ty: String,
    is_required: bool,
}

impl StructField {
    /// Returns the parameter type of the field.
    fn param(&self) -> String {
        match self.ty == "Symbol" || self.ty.contains("'a") {
            true => format!("impl Into<{}>", self.ty),
            false => self.ty.clone(),
        }
    }
}

fn lifetime(fields: &[StructField]) -> &'static str {
    if fields.iter().any(|f| f.ty.contains("'a")) { "'a" } else { "" }
}

fn fields(e: &Entry, sets: &BTreeMap<String, Keywords>) -> Result<Vec<StructField>, String> {
    let form = Form::parse(&e.row.form)?;
    let mut fields = Vec::new();
    for &field in &form.fields {
        fields.push(match field {
            Field::Flag(bit) => StructField {
                role: "flag",
                index: bit,
                name: form.flags[bit].clone(),
                ty: "bool".into(),
                is_required: false,
            },
            Field::Operand(index, is_optional) => {
                let (name, arity) = &form.operands[index];
                let ty = match *arity {
                    "One" => "Value",
                    "Optional" => "Option<Value>",
                    _ => "Values<'a>",
                };
                StructField {
                    role: "operand",
                    index,
                    name: identifier(name),
                    ty: ty.into(),
                    is_required: !is_optional,
                }
            }
            Field::Attr(index) => {
                let (name, kind) = &form.attrs[index];
                let (ty, is_required) = attribute(kind.trim_start_matches("AttrKind::"), sets)?;
                StructField { role: "attribute", index, name: identifier(name), ty, is_required }
            }
        });
    }
    Ok(fields)
}

/// Returns the Rust type of an attribute, and true if the attribute is required.
fn attribute(kind: &str, sets: &BTreeMap<String, Keywords>) -> Result<(String, bool), String> {
    if let Some(choice) = kind.strip_prefix("Choice(&[") {
        let (words, optional) = choice.trim_end_matches(')').rsplit_once("], ").ok_or("no choice")?;
        let words = words.replace(['"', ' '], "").replace(',', "|");
        let set = sets.iter().find(|(_, set)| set.words == words);
        let (name, _) = set.ok_or(format!("`table/keywords.toml` has no set `{words}`"))?;
        return Ok(match optional {
            "true" => (format!("Option<{name}>"), false),
            _ => (name.clone(), true),
        });
    }
    let (ty, is_required) = match kind {
        "U32" => ("u32", true),
        "OptU32" => ("Option<u32>", false),
        "Sym" | "Str" | "Function" | "Global" => ("Symbol", true),
        "OptStr" => ("Option<Symbol>", false),
        "SilType" => ("SilType", true),
        "OptSilType" => ("Option<SilType>", false),
        "Type" => ("Type", true),
        "OptType" => ("Option<Type>", false),
        "Decl" => ("DeclRef", true),
        "Block" => ("Block", true),
        "OptBlock" => ("Option<Block>", false),
        "ListU32" => ("List<'a, u32>", false),
        "ListOptSym" => ("List<'a, Option<Symbol>>", false),
        "ListType" => ("List<'a, Type>", true),
        "ListSilType" => ("List<'a, SilType>", false),
        "ListBlock" => ("List<'a, Block>", true),
        "ListDecl" => ("List<'a, Option<DeclRef>>", true),
        "ListDeclBlock" => ("List<'a, (DeclRef, Block)>", true),
        "DebugVar" => ("Option<DebugVar>", false),
        "KeyPath" => ("crate::KeyPath", true),
        "OptSig" => ("Option<GenericSig>", true),
        other => return Err(format!("no Rust type for the attribute kind `{other}`")),
    };
    Ok((ty.to_string(), is_required))
}

/// Returns the Rust identifier for a name in the table.
fn identifier(name: &str) -> String {
    match name {
        "type" => "ty".into(),
        "self" => "self_value".into(),
        "box" => "box_value".into(),
        "default" => "default_target".into(),
        _ => name.into(),
    }
}
