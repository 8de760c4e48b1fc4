//! Generates `crates/silkit-ir/src/generated/*`, references and grammars of editors from the instruction table.

use crate::editors;
use crate::form::Form;
use crate::instructions;
use crate::reference;
use crate::syntax::syntax;
use crate::table::{self, Entry};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes the generated files, or only compares them if `check` is true.
pub(crate) fn run(check: bool) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?.to_path_buf();
    let entries = table::read(&root)?;
    let sets = table::read_keywords(&root)?;
    let files: Vec<(PathBuf, String)> = vec![
        (
            root.join("crates/silkit-ir/src/generated/keywords.rs"),
            format_rust(&root, &instructions::keywords(&sets))?,
        ),
        (
            root.join("crates/silkit-ir/src/generated/instructions.rs"),
            format_rust(&root, &instructions::structs(&entries, &sets)?)?,
        ),
        (
            root.join("crates/silkit-ir/src/generated/builder.rs"),
            format_rust(&root, &instructions::builder(&entries, &sets)?)?,
        ),
        (root.join("crates/silkit-ir/src/generated/mod.rs"), format_rust(&root, &rust_table(&entries)?)?),
        (root.join("crates/silkit-ir/src/generated/builtins.rs"), format_rust(&root, &builtins(&root)?)?),
        (root.join("docs/instructions.md"), reference::markdown(&entries)?),
        (root.join("docs/instructions.json"), reference::json_table(&entries)?),
        (root.join("editors/textmate/sil.tmLanguage.json"), editors::textmate(&entries)?),
        (root.join("editors/tree-sitter-sil/instructions.js"), editors::tree_sitter(&entries)?),
    ];
    let mut stale = Vec::new();
    for (path, text) in files {
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old == text {
            continue;
        }
        if check {
            stale.push(path.display().to_string());
        } else {
            std::fs::create_dir_all(path.parent().ok_or("no folder")?).map_err(|e| e.to_string())?;
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("not fresh, run `cargo xtask generate`: {}", stale.join(", ")))
    }
}

/// Formats Rust code with rustfmt, so that generated files pass the format check.
fn format_rust(root: &Path, code: &str) -> Result<String, String> {
    use std::io::Write as _;
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("rustfmt: {e}"))?;
    let mut stdin = child.stdin.take().ok_or("rustfmt has no input")?;
    let input = code.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(|e| format!("rustfmt: {e}"))?;
    writer.join().map_err(|_| "rustfmt: writer failed")?.map_err(|e| format!("rustfmt: {e}"))?;
    if !output.status.success() {
        return Err("rustfmt refused the generated code".into());
    }
    String::from_utf8(output.stdout).map_err(|e| e.to_string())
}

fn rust_table(entries: &[Entry]) -> Result<String, String> {
    let mut code = String::from(
        "//! The instruction table. Generated from `table/*.toml` by `cargo xtask generate`; do not edit.\n\n\
         mod builder;\nmod builtins;\npub mod instructions;\npub mod keywords;\n\npub use builtins::BUILTINS;\nuse crate::info::*;\nuse crate::release::*;\n\n\
         /// A kind of instruction.\n#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]\n#[repr(u8)]\n\
         pub enum Opcode {\n",
    );
    for e in entries {
        writeln!(code, "/// `{}`\n{},", e.name, e.row.class).map_err(|e| e.to_string())?;
    }
    code.push_str("}\n\n");
    code.push_str(&scope_kinds(entries)?);
    write!(
        code,
        "\nimpl Opcode {{\n/// All kinds in the order of the table.\npub const ALL: [Opcode; {}] = [{}];\n}}\n\n\
         /// The rows of the table, indexed by [`Opcode`].\npub static INFOS: [InstInfo; {}] = [\n",
        entries.len(),
        entries.iter().map(|e| format!("Opcode::{}", e.row.class)).collect::<Vec<_>>().join(", "),
        entries.len()
    )
    .map_err(|e| e.to_string())?;
    for e in entries {
        let row = info(e).map_err(|m| format!("[{}]: {m}", e.name))?;
        code.push_str(&row);
    }
    code.push_str("];\n");
    Ok(code)
}

fn info(e: &Entry) -> Result<String, String> {
    let form = Form::parse(&e.row.form)?;
    let row = &e.row;
    let operands: Vec<String> = form
        .operands
        .iter()
        .map(|(name, arity)| {
            let count = form.attrs.iter().position(|(a, _)| *a == format!("{name}_count"));
            let ownership = use_rule(row.operand_ownership.as_deref(), name)?;
            let address = address_rule(row, name)?;
            Ok(format!(
                "OperandSpec {{ name: {name:?}, arity: Arity::{arity}, count: {count:?}, ownership: {ownership}, address: {address} }}"
            ))
        })
        .collect::<Result<_, String>>()?;
    for (name, _) in pairs(&row.address_use)? {
        form.operands.iter().find(|(own, _)| own == name).ok_or(format!("no operand `{name}`"))?;
    }
    let attrs: Vec<String> = form
        .attrs
        .iter()
        .map(|(name, kind)| format!("AttrSpec {{ name: {name:?}, kind: {kind} }}"))
        .collect();
    let scope = match scope(row)? {
        Some((edge, kind)) => format!("Some(ScopeEdge::{edge}(ScopeKind::{}))", camel(kind)),
        None => "None".into(),
    };
    Ok(format!(
        "InstInfo {{ opcode: Opcode::{class}, name: {name:?}, spelling: {spelling:?}, class: {class:?}, family: {family:?}, form: &[{pieces}], \
         operands: &[{operands}], attrs: &[{attrs}], flags: &{flags:?}, results: Results::{results}, type_dependent: {td}, apply: {apply}, role: {role}, \
         result: {result}, types: &[{types}], value_ownership: ValueOwnership::{vo}, \
         memory: MemoryBehavior::{memory}, memory_depends_on_instance: {mdi}, may_release: {rel}, may_trap: {trap}, runtime: {runtime}, \
         stage: Stage::{stage}, stack: StackEffect::{stack}, scope: {scope}, releases: {releases}, newer_flags: &[{newer}], summary: {summary:?}, syntax: {syntax:?}, details: {details:?}, example: {example:?}, see: &{see:?} }},\n",
        class = row.class,
        name = e.name,
        spelling = row.spelling.as_ref().unwrap_or(&e.name),
        family = e.family,
        pieces = form.pieces.join(", "),
        operands = operands.join(", "),
        attrs = attrs.join(", "),
        flags = form.flags,
        results = camel(&row.results),
        result = result_rule(&row.result, &form)?,
        types = type_rules(&row.types, &form)?,
        vo = value_ownership(row.value_ownership.as_deref(), &row.results)?,
        memory = row.memory,
        mdi = row.memory_depends_on_instance,
        rel = row.may_release,
        trap = row.may_trap,
        runtime = runtime(&row.runtime),
        stage = row.stage.as_deref().map_or("Any".into(), camel),
        stack = row.stack.as_deref().map_or("None".into(), camel),
        releases = releases(row.since.as_deref(), row.until.as_deref())?,
        newer = newer_flags(row, &form)?.join(", "),
        td = row.type_dependent,
        role = role(row.role.as_deref(), &form)?,
        apply = row.apply.as_deref().map_or("None".into(), |a| format!("Some(ApplyKind::{})", camel(a))),
        summary = row.summary,
        syntax = syntax(&row.form)?,
        details = row.details.trim(),
        example = row.example.trim(),
        see = row.see,
    ))
}

/// Returns the Rust expression of a range of releases.
fn releases(since: Option<&str>, until: Option<&str>) -> Result<String, String> {
    let end = |text: Option<&str>| match text {
        None => Ok::<String, String>("None".to_string()),
        Some(text) => Ok(format!("Some({})", release(text)?)),
    };
    Ok(format!("Releases {{ since: {}, until: {} }}", end(since)?, end(until)?))
}

fn release(text: &str) -> Result<String, String> {
    let number = |part: &str| part.parse::<u8>().map_err(|e| format!("release `{text}`: {e}"));
    let (major, minor) = text.split_once('.').ok_or(format!("no minor number in release `{text}`"))?;
    Ok(format!("Release::new({}, {})", number(major)?, number(minor)?))
}

/// Returns the bit numbers of the flags that are newer than the instruction, with their releases.
fn newer_flags(row: &table::Row, form: &Form) -> Result<Vec<String>, String> {
    let of = |(name, since): (&String, &String)| {
        let bit = form.flags.iter().position(|flag| flag == name).ok_or(format!("no flag `{name}`"))?;
        Ok(format!("({bit}, {})", release(since)?))
    };
    row.flags_since.iter().map(of).collect()
}

/// Returns the use rule of the operand with this name. The text is one rule for all operands, or `operand: rule, …`.
fn use_rule(text: Option<&str>, operand: &str) -> Result<String, String> {
    let text = text.ok_or("`operand_ownership` is missing")?;
    let rule = match text.contains(':') {
        false => text,
        true => text
            .split(", ")
            .find_map(|part| part.split_once(": ").filter(|(name, _)| *name == operand))
            .map(|(_, rule)| rule)
            .ok_or(format!("`operand_ownership` leaves out `{operand}`"))?,
    };
    Ok(match rule {
        "Forwarded" | "Called" | "Captured" | "Builtin" | "Returned" | "Yielded" | "Passed"
        | "Dependence" | "AddressDependence" => format!("UseRule::{rule}"),
        _ => format!("UseRule::Always(OperandOwnership::{rule})"),
    })
}

/// Returns the scope effect of an instruction (`Begins` or `Ends`) and the kind of the scope.
fn scope(row: &table::Row) -> Result<Option<(&str, &str)>, String> {
    let Some(text) = row.scope.as_deref() else { return Ok(None) };
    match text.split_once(' ') {
        Some(("begins", kind)) => Ok(Some(("Begins", kind))),
        Some(("ends", kind)) => Ok(Some(("Ends", kind))),
        _ => Err(format!("expected `begins KIND` or `ends KIND`, found `{text}`")),
    }
}

/// Returns the Rust enum of the scope kinds.
fn scope_kinds(entries: &[Entry]) -> Result<String, String> {
    let mut kinds: BTreeMap<&str, [Vec<String>; 2]> = BTreeMap::new();
    for e in entries {
        if let Some((edge, kind)) = scope(&e.row)? {
            kinds.entry(kind).or_default()[usize::from(edge == "Ends")].push(format!("`{}`", e.name));
        }
    }
    let mut code = String::from(
        "/// A kind of scope, which instructions begin and others end.\n\
         #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\npub enum ScopeKind {\n",
    );
    for (kind, [begin, end]) in kinds {
        let (variant, begin, end) = (camel(kind), begin.join(", "), end.join(", "));
        writeln!(code, "/// Begun by {begin}; ended by {end}.\n{variant},").map_err(|e| e.to_string())?;
    }
    code.push_str("}\n");
    Ok(code)
}

/// Returns the parts of `operand: name, …`.
fn pairs(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let parts = text.split(", ").filter(|part| !part.is_empty());
    parts.map(|part| part.split_once(": ").ok_or(format!("no `: ` in `{part}`"))).collect()
}

/// Returns the address rule of the operand with this name: its effect on the memory. All address operands must have
/// one.
fn address_rule(row: &table::Row, operand: &str) -> Result<String, String> {
    let rule = pairs(&row.address_use)?.into_iter().find(|(name, _)| *name == operand).map(|(_, rule)| rule);
    let is_address = row.types.split(';').any(|part| {
        let part = part.trim().split_once(':');
        part.is_some_and(|(name, kinds)| name == operand && kinds.split_whitespace().any(|k| k == "address"))
    });
    Ok(match rule {
        Some(rule) if rule.starts_with("by_") => format!("AddressRule::{}", camel(rule)),
        Some(rule) => format!("AddressRule::Always(AddressUse::{})", camel(rule)),
        None if is_address => return Err(format!("`address_use` leaves out `{operand}`")),
        None => "AddressRule::Always(AddressUse::Unknown)".into(),
    })
}

/// Parses a role such as `projection of base`.
fn role(text: Option<&str>, form: &Form) -> Result<String, String> {
    let Some(text) = text else { return Ok("Role::None".into()) };
    let Some((kind, operand)) = text.split_once(" of ") else { return Ok(format!("Role::{}", camel(text))) };
    let spec = form.operands.iter().position(|(name, _)| name == operand);
    Ok(format!("Role::{}({})", camel(kind), spec.ok_or(format!("no operand `{operand}`"))?))
}

fn value_ownership(text: Option<&str>, results: &str) -> Result<String, String> {
    match text {
        None if results == "none" || results == "terminator" => Ok("None".into()),
        None => Err("`value_ownership` is missing".into()),
        Some(text) => Ok(text.to_string()),
    }
}

/// Returns a set of effects from a space-separated list of names.
fn runtime(names: &str) -> String {
    names.split_whitespace().fold("RuntimeEffects::empty()".into(), |all, name| {
        format!("{all}.union(RuntimeEffects::{})", name.to_uppercase())
    })
}

/// Returns the table of builtins as Rust code.
fn builtins(root: &Path) -> Result<String, String> {
    let mut code = String::from(
        "//! The builtins. Generated from `table/builtins.toml` by `cargo xtask generate`; do not edit.\n\n\
         use crate::builtin_name::BuiltinTypes;\nuse crate::info::*;\nuse crate::release::*;\n\n/// The builtins, sorted by name.\npub static BUILTINS: &[BuiltinInfo] = &[\n",
    );
    for (name, row) in table::read_builtins(root)? {
        let last = row.last.as_ref().unwrap_or(&row.operands);
        let at: Vec<String> =
            row.at.iter().map(|(i, how)| format!("({i}, OperandOwnership::{how})")).collect();
        writeln!(
            code,
            "BuiltinInfo {{ name: {name:?}, id: {:?}, types: BuiltinTypes::{}, stack: StackEffect::{}, reads_and_writes: {}, operands: \
             OperandOwnership::{}, last: OperandOwnership::{last}, at: &[{}], result: ValueOwnership::{}, runtime: {}, releases: {} }},",
            row.id,
            row.types,
            row.stack.as_deref().unwrap_or("None"),
            row.reads_and_writes,
            row.operands,
            at.join(", "),
            row.result.as_deref().unwrap_or("UnownedOrNone"),
            runtime(&row.runtime),
            releases(row.since.as_deref(), row.until.as_deref())?,
        )
        .map_err(|e| e.to_string())?;
    }
    code.push_str("];\n");
    Ok(code)
}

fn result_rule(rule: &str, form: &Form) -> Result<String, String> {
    let (kind, arg) = rule.split_once(':').unwrap_or((rule, ""));
    let operand = || form.operands.iter().position(|(n, _)| n == arg).ok_or(format!("no operand `{arg}`"));
    let attr = || form.attrs.iter().position(|(n, _)| n == arg).ok_or(format!("no attribute `{arg}`"));
    Ok(match kind {
        "none" | "terminator" => "ResultRule::None".into(),
        "same" => format!("ResultRule::SameAs({})", operand()?),
        "object_of" => format!("ResultRule::ObjectOf({})", operand()?),
        "type" => format!("ResultRule::Type({})", attr()?),
        "address_of" => format!("ResultRule::AddressOf({})", attr()?),
        "fixed" => format!("ResultRule::Fixed({arg:?})"),
        "fn" => format!("ResultRule::Computed(Computed::{})", camel(arg)),
        _ => return Err(format!("no result rule `{rule}`")),
    })
}

/// Parses type requirements such as `address: address loadable; source: object same(type)`.
fn type_rules(text: &str, form: &Form) -> Result<String, String> {
    let subject = |name: &str| -> Result<String, String> {
        if let Some(i) = form.operands.iter().position(|(n, _)| n == name) {
            return Ok(format!("TypeSubject::Operand({i})"));
        }
        let attr = form.attrs.iter().position(|(n, _)| n == name);
        attr.map(|i| format!("TypeSubject::Attr({i})")).ok_or(format!("no operand or attribute `{name}`"))
    };
    let mut rules = String::new();
    for part in text.split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, kinds) = part.split_once(':').ok_or(format!("no `:` in `{part}`"))?;
        let of = subject(name.trim())?;
        for kind in kinds.split_whitespace() {
            let is = match kind.trim_end_matches(')').split_once('(') {
                Some((kind, other)) => format!("{}({})", camel(kind), subject(other)?),
                None => match kind.strip_prefix("Builtin.") {
                    Some(builtin) => format!("Builtin({builtin:?})"),
                    None => camel(kind),
                },
            };
            rules.push_str(&format!("TypeRule {{ of: {of}, is: TypePredicate::{is} }}, "));
        }
    }
    Ok(rules)
}

pub(crate) fn camel(snake: &str) -> String {
    snake
        .split('_')
        .map(|w| {
            let mut c = w.chars();
            c.next().map(|f| f.to_ascii_uppercase()).into_iter().chain(c).collect::<String>()
        })
        .collect()
}
