//! Mutation of SIL text, one line at a time, similar to a typing error or a bug in a pass.

use std::ops::Range;

use super::Mutation;
use crate::random::Random;

/// Groups of interchangeable words in instructions.
const QUALIFIERS: &[&[&str]] = &[
    &["[take]", "[copy]", "[trivial]"],
    &["[init]", "[assign]", "[trivial]"],
    &["[initialization]", ""],
    &["[read]", "[modify]", "[init]", "[deinit]"],
    &["[static]", "[dynamic]", "[unknown]", "[unsafe]", "[signed]"],
    &["[lexical]", ""],
    &["[var_decl]", ""],
    &["[on_stack]", ""],
    &["[callee_guaranteed]", ""],
    &["[nothrow]", ""],
    &["[poison]", ""],
    &["[dead_end]", ""],
    &["[stack]", ""],
    &["[strict]", "[invariant]"],
];

const OWNERSHIPS: &[&str] =
    &["@owned", "@guaranteed", "@unowned", "@none", "@inout", "@in_guaranteed", "@in", "@out"];

const TYPES: &[&str] = &[
    "$Builtin.Int64",
    "$Builtin.Int1",
    "$*Builtin.Int64",
    "$Builtin.NativeObject",
    "$()",
    "$AnyObject",
    "$@convention(thin) () -> ()",
    "$(Builtin.Int64, Builtin.NativeObject)",
];

/// A kind of change; returns `None` if it cannot be applied to the text.
type MutationKind = fn(&mut Sil<'_>, &mut Random) -> Option<String>;

const MUTATION_KINDS: [MutationKind; 11] = [
    delete,
    duplicate,
    swap,
    retarget,
    change_type,
    change_qualifier,
    change_ownership,
    change_value,
    rename_instruction,
    drop_word,
    move_line,
];

/// Applies one change to a SIL text, selected by the seed: deletes, duplicates, swaps or moves a line, redirects a
/// branch, changes a type, a qualifier, an ownership, an operand or an instruction name, or drops a word. Lines of
/// function bodies are preferred. The result may be valid SIL by chance; it differs from the input unless no change
/// is possible.
pub fn mutate(text: &str, seed: u64) -> Mutation {
    let mut random = Random::new(seed);
    let first = random.below(MUTATION_KINDS.len());
    for offset in 0..MUTATION_KINDS.len() {
        let mut sil = Sil::new(text);
        if let Some(description) =
            MUTATION_KINDS[(first + offset) % MUTATION_KINDS.len()](&mut sil, &mut random)
        {
            let changed: String = sil.lines.concat();
            if changed != text {
                return Mutation { text: changed, description };
            }
        }
    }
    Mutation { text: text.to_owned(), description: "nothing to change".to_owned() }
}

/// A text as lines, including line ends.
struct Sil<'a> {
    lines: Vec<std::borrow::Cow<'a, str>>,
    /// The lines of each function body, from after its header to its closing brace.
    bodies: Vec<Range<usize>>,
}

impl<'a> Sil<'a> {
    fn new(text: &'a str) -> Self {
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        let mut bodies = Vec::new();
        let mut start = None;
        for (index, line) in lines.iter().enumerate() {
            if line.starts_with("sil ") && line.trim_end().ends_with('{') {
                start = Some(index + 1);
            } else if line.starts_with('}')
                && let Some(start) = start.take()
            {
                bodies.push(start..index);
            }
        }
        Sil { lines: lines.into_iter().map(Into::into).collect(), bodies }
    }

    /// Returns a random line for which `fits` returns true, preferably in a body; never an empty line or a comment.
    fn line(&self, random: &mut Random, fits: impl Fn(&str) -> bool) -> Option<usize> {
        let is_code = |&index: &usize| {
            let line = self.lines[index].trim_start();
            !line.is_empty() && !line.starts_with("//") && fits(&self.lines[index])
        };
        let inside: Vec<usize> = self.bodies.iter().cloned().flatten().filter(is_code).collect();
        if !inside.is_empty() && random.chance(9, 10) {
            return random.pick(&inside).copied();
        }
        let all: Vec<usize> = (0..self.lines.len()).filter(is_code).collect();
        random.pick(&all).copied()
    }

    fn replace(&mut self, line: usize, range: Range<usize>, new: &str) {
        self.lines[line].to_mut().replace_range(range, new);
    }

    /// Returns the lines of the body that contains a line, or of the whole text.
    fn function_range(&self, line: usize) -> Range<usize> {
        let body = self.bodies.iter().find(|body| body.contains(&line));
        body.cloned().unwrap_or(0..self.lines.len())
    }

    /// Replaces one of the words of a line that `find` returns by another one of the same body.
    fn exchange(
        &mut self,
        random: &mut Random,
        find: fn(&str) -> Vec<Range<usize>>,
        extra: &[&str],
    ) -> Option<String> {
        let line = self.line(random, |text| !find(text).is_empty())?;
        let places = find(&self.lines[line]);
        let place = random.pick(&places)?.clone();
        let old = self.lines[line][place.clone()].to_owned();
        let mut others: Vec<String> = self.lines[self.function_range(line)]
            .iter()
            .flat_map(|text| find(text).into_iter().map(|range| text[range].to_owned()))
            .chain(extra.iter().map(|&text| text.to_owned()))
            .filter(|other| *other != old)
            .collect();
        others.sort_unstable();
        others.dedup();
        let new = random.pick(&others)?.clone();
        self.replace(line, place, &new);
        Some(format!("line {}: `{old}` changed to `{new}`", line + 1))
    }
}

fn delete(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    let line = sil.line(random, |_| true)?;
    let old = sil.lines.remove(line);
    Some(format!("line {}: deleted `{}`", line + 1, old.trim()))
}

fn duplicate(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    let line = sil.line(random, |_| true)?;
    let mut copy = sil.lines[line].clone();
    if !copy.ends_with('\n') {
        copy.to_mut().insert(0, '\n');
    }
    sil.lines.insert(line + 1, copy);
    Some(format!("line {}: duplicated `{}`", line + 1, sil.lines[line].trim()))
}

fn swap(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    let line = sil.line(random, |_| true).filter(|line| line + 1 < sil.lines.len())?;
    sil.lines.swap(line, line + 1);
    Some(format!("line {}: swapped with the next", line + 1))
}

fn move_line(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    let line = sil.line(random, |_| true)?;
    let function_range = sil.function_range(line);
    let to = function_range.start + random.below(function_range.len());
    let moved = sil.lines.remove(line);
    sil.lines.insert(to.min(sil.lines.len()), moved);
    Some(format!("line {}: moved to line {}", line + 1, to + 1))
}

fn retarget(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    // A nonexistent block is a separate kind of error.
    let extra: &[&str] = if random.chance(1, 10) { &["bb9999"] } else { &[] };
    sil.exchange(random, |line| words(line, |word| is_numbered(word, "bb")), extra)
}

fn change_value(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    let extra: &[&str] = if random.chance(1, 10) { &["%9999"] } else { &[] };
    sil.exchange(random, |line| words(line, |word| is_numbered(word, "%")), extra)
}

fn change_ownership(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    sil.exchange(random, |line| words(line, |word| OWNERSHIPS.contains(&word)), OWNERSHIPS)
}

fn change_type(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    sil.exchange(random, types, TYPES)
}

fn rename_instruction(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    sil.exchange(random, instruction, &["struct_extract", "copy_value", "destroy_value", "unreachable"])
}

fn change_qualifier(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    let line = sil.line(random, |text| !qualifiers(text).is_empty())?;
    let places = qualifiers(&sil.lines[line]);
    let place = random.pick(&places)?.clone();
    let old = sil.lines[line][place.clone()].to_owned();
    let family = QUALIFIERS.iter().copied().filter(|family| family.contains(&old.as_str()));
    let others: Vec<&str> = family.flatten().copied().filter(|other| *other != old).collect();
    // A qualifier without alternatives is dropped.
    let new = random.pick(&others).copied().unwrap_or("");
    sil.replace(line, place, new);
    Some(format!("line {}: `{old}` changed to `{new}`", line + 1))
}

fn drop_word(sil: &mut Sil<'_>, random: &mut Random) -> Option<String> {
    let spans = |text: &str| {
        let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        text.split_whitespace().map(|word| start(word)..start(word) + word.len()).collect::<Vec<_>>()
    };
    let line = sil.line(random, |_| true)?;
    let places = spans(code(&sil.lines[line]));
    let place = random.pick(&places)?.clone();
    let old = sil.lines[line][place.clone()].to_owned();
    sil.replace(line, place, "");
    Some(format!("line {}: dropped `{old}`", line + 1))
}

fn is_numbered(word: &str, prefix: &str) -> bool {
    word.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()))
}

/// Returns the part of a line before its comment, if it is easy to find.
fn code(line: &str) -> &str {
    line.split_once(" //").map_or(line, |(code, _)| code)
}

/// Returns the ranges of the words with a sigil for which `fits` returns true.
fn words(line: &str, fits: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let code = code(line);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let rest = &code[at..];
        let sign = usize::from(rest.starts_with(['%', '@', '#']));
        let letters = rest[sign..].find(|c| !is_word(c)).unwrap_or(rest.len() - sign);
        let len = (sign + letters).max(rest.chars().next().map_or(1, char::len_utf8));
        if letters > 0 && fits(&rest[..len]) {
            found.push(at..at + len);
        }
        at += len;
    }
    found
}

/// Returns the ranges of types: from a `$` that is not inside a name to the end of the type.
fn types(line: &str) -> Vec<Range<usize>> {
    let code = code(line);
    let is_name = |c: char| c == '@' || c == '"' || c == '%' || c == '_' || c.is_ascii_alphanumeric();
    code.match_indices('$')
        .filter(|(at, _)| !code[..*at].ends_with(is_name))
        .map(|(at, _)| at..at + type_len(&code[at..]))
        .filter(|r| r.len() > 1)
        .collect()
}

fn type_len(text: &str) -> usize {
    let mut depth = 0i32;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '<' | '[' => depth += 1,
            // The tip of an arrow is not a closing bracket.
            '>' if last == '-' => {}
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
        // The end of a line's code, or an attribute and its arrow, is part of the type.
        let ends = depth < 0
            || (depth == 0
                && (matches!(c, ',' | '\n' | '=' | '{')
                    || (c == ' ' && !continues(&text[..at], &text[at..]))));
        if at > 0 && ends {
            return at;
        }
        last = c;
    }
    text.len()
}

/// Returns true if a type continues after a space outside of all brackets.
fn continues(before: &str, rest: &str) -> bool {
    let last = before.rsplit([' ', '$', '*']).next().unwrap_or_default();
    let joins = ["->", "any", "some", "for", "throws", "async", "where"];
    let starts = ["->", "@", "(", "<", "any ", "some ", "for ", "throws", "async", "where "];
    let rest = rest.trim_start_matches(' ');
    joins.contains(&last) || last.starts_with('@') || starts.iter().any(|start| rest.starts_with(start))
}

/// Returns the ranges of qualifiers in brackets.
fn qualifiers(line: &str) -> Vec<Range<usize>> {
    let code = code(line);
    let starts = code.match_indices(" [").map(|(at, _)| at + 1);
    starts.filter_map(|at| Some(at..at + code[at..].find(']')? + 1)).collect()
}

/// Returns the range of an instruction name: after `=`, or at the beginning.
fn instruction(line: &str) -> Vec<Range<usize>> {
    if !line.starts_with("  ") {
        return Vec::new();
    }
    let start = match line.find(" = ") {
        Some(at) => at + 3,
        None => line.len() - line.trim_start().len(),
    };
    let len = line[start..].find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(line.len() - start);
    (len > 2).then_some(start..start + len).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const TEXT: &str = "\
sil_stage canonical

import Builtin

// f
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject, Builtin.Int1) -> Builtin.Int64 {
bb0(%0 : @owned $Builtin.NativeObject, %1 : $Builtin.Int1):
  cond_br %1, bb1, bb2                            // id: %2

bb1:                                              // Preds: bb0
  %3 = alloc_stack [lexical] $Builtin.NativeObject // users: %4, %6
  store %0 to [init] %3 : $*Builtin.NativeObject  // id: %4
  %5 = integer_literal $Builtin.Int64, 1
  br bb3(%5 : $Builtin.Int64)

bb2:
  br bb3(%5 : $Builtin.Int64)
}
";

    #[test]
    fn every_way_is_taken() {
        let mut found = BTreeSet::new();
        for seed in 0..8000 {
            let mutation = mutate(TEXT, seed);
            assert_ne!(mutation.text, TEXT);
            assert_eq!(mutation, mutate(TEXT, seed));
            let (_, what) = mutation.description.split_once(": ").unwrap();
            found.insert(what.to_owned());
        }
        for what in [
            "deleted `br bb3(%5 : $Builtin.Int64)`",
            "duplicated `bb2:`",
            "swapped with the next",
            "`bb1` changed to `bb3`",
            "`bb1` changed to `bb9999`",
            "`%0` changed to `%5`",
            "`@owned` changed to `@guaranteed`",
            "`$Builtin.Int64` changed to `$Builtin.NativeObject`",
            "`[init]` changed to `[assign]`",
            "`[lexical]` changed to ``",
            "`cond_br` changed to `store`",
            "dropped `alloc_stack`",
        ] {
            assert!(found.contains(what), "{what} is not among {found:#?}");
        }
    }

    #[test]
    fn whole_types() {
        let head = "sil @f : $@convention(thin) (@owned A, B) -> C {";
        assert_eq!(&head[types(head).remove(0)], "$@convention(thin) (@owned A, B) -> C");
        let shown = |line: &'static str| -> Vec<&str> { types(line).into_iter().map(|r| &line[r]).collect() };
        assert_eq!(
            shown("  store %0 to [init] %3 : $*Builtin.NativeObject  // id"),
            ["$*Builtin.NativeObject"]
        );
        assert_eq!(shown("bb0(%0 : $A<B, C>, %1 : $D):"), ["$A<B, C>", "$D"]);
        let function = "$@convention(thin) <T where T : P> (@in T) -> (@out T, @error any Error)";
        assert_eq!(types(&format!("  %1 = function_ref @f : {function}\n")).len(), 1);
        assert_eq!(shown("  apply %1() : $@thin () -> ()\n"), ["$@thin () -> ()"]);
        assert_eq!(shown("  %1 = function_ref @$s1fyyF : $@thin () -> ()\n"), ["$@thin () -> ()"]);
    }

    #[test]
    fn texts_without_sil() {
        for text in ["", "\n", "x", "é\n// c", "}\n{", "sil @f {\n"] {
            for seed in 0..300 {
                mutate(text, seed);
            }
        }
        assert_eq!(mutate("", 1).description, "nothing to change");
    }
}
