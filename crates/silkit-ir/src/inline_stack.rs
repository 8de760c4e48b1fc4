//! Swift positions of instructions: the location of an instruction, its debug scope, and the calls that were inlined.
//!
//! ```text
//! sil_scope 1 { loc "main.swift":9:1 parent @main : $@convention(c) () -> Int32 }
//! sil_scope 2 { loc "main.swift":10:5 parent 1 }
//! sil_scope 3 { loc "add.swift":1:6 parent @add : $@convention(thin) (Int) -> Int inlined_at 2 }
//!   %3 = integer_literal $Builtin.Int64, 1, loc "add.swift":2:14, scope 3
//! ```
//!
//! The stack of `%3` is `add` at `add.swift:2:14`, inlined into `main` at `main.swift:10:5`. Findings, effects, traps,
//! mutants and costs show Swift lines with it.

use crate::cloner::ScopeIndex;
use crate::debug::SourceLoc;
use crate::module::{Scope, ScopeParent};
use crate::{Body, Inst, LocData, NONE};
use silkit_base::Symbol;
use std::fmt;

/// The maximum length of a stack. The compiler's inliner stays far below; a file may hold anything.
const MAX_FRAMES: usize = 128;

/// A position in a Swift file, which prints as `Sources/App/main.swift:12:3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SwiftPosition {
    /// The path of the file, as the compiler was called with it.
    pub file: &'static str,
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1; 0 if unknown.
    pub column: u32,
}

impl SwiftPosition {
    /// Returns the name of the file without its folders.
    pub fn file_name(&self) -> &'static str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(self.file)
    }

    /// Returns `main.swift:12:3`: the name of the file without its folders, line and column.
    pub fn short(&self) -> String {
        format!("{}:{}:{}", self.file_name(), self.line, self.column)
    }
}

impl fmt::Display for SwiftPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl SourceLoc {
    /// Returns the position in a Swift file; `None` for what the compiler generated, which has line 0 or no file.
    pub fn swift_position(&self) -> Option<SwiftPosition> {
        let file = self.file.filter(|_| self.line > 0)?.as_str().trim_matches('"');
        let is_file = !file.is_empty() && file != "<compiler-generated>";
        is_file.then_some(SwiftPosition { file, line: self.line, column: self.column })
    }
}

/// A function on an inline stack, and the place in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InlineFrame {
    /// The function that the code was written in. It need not be in the module. `None` if no scope tells it.
    pub function: Option<Symbol>,
    /// The Swift position; `None` for code that the compiler generated.
    pub position: Option<SwiftPosition>,
}

/// The debug scopes of a module, prepared for looking up inline stacks: in constant time for each frame.
#[derive(Clone, Debug)]
pub struct InlineStacks<'a> {
    scopes: &'a [Scope],
    index: ScopeIndex,
    /// The function of each scope, by its position in `scopes`.
    functions: Vec<Option<Symbol>>,
}

impl<'a> InlineStacks<'a> {
    /// Prepares the scopes of a module.
    pub fn new(scopes: &'a [Scope]) -> Self {
        let index = ScopeIndex::new(scopes);
        let functions = functions(scopes, &index);
        Self { scopes, index, functions }
    }

    /// Returns the frames of a location, the innermost first. There is always at least one; at most 128 are returned.
    pub fn frames(&self, loc: LocData) -> impl Iterator<Item = InlineFrame> + '_ {
        let first = Some((loc.source, loc.scope));
        let callers = std::iter::successors(first, |&(_, scope)| {
            let call_site = self.scope(scope)?.1.inlined_at?;
            Some((self.scope(call_site).and_then(|(_, scope)| scope.loc), call_site))
        });
        callers.take(MAX_FRAMES).map(|(source, scope)| InlineFrame {
            function: self.scope(scope).and_then(|(at, _)| self.functions[at]),
            position: source.and_then(|source| source.swift_position()),
        })
    }

    /// Returns the frames of an instruction, the innermost first; none if it has no location.
    pub fn frames_of(&self, body: &Body, inst: Inst) -> Vec<InlineFrame> {
        let loc = body.loc(body.inst(inst).loc);
        loc.map_or_else(Vec::new, |loc| self.frames(loc).collect())
    }

    /// Returns the Swift position that an instruction was compiled from: the innermost one on its stack. For code that the
    /// compiler generated in a callee, it is the position of the call.
    pub fn position(&self, body: &Body, inst: Inst) -> Option<SwiftPosition> {
        let loc = body.loc(body.inst(inst).loc)?;
        self.frames(loc).find_map(|frame| frame.position)
    }

    /// Returns the position of the nearest enclosing scope that has one: of a statement, or of the declaration of the function.
    pub fn scope_position(&self, loc: LocData) -> Option<SwiftPosition> {
        let mut at = loc.scope;
        for _ in 0..MAX_FRAMES {
            let (_, scope) = self.scope(at)?;
            if let Some(position) = scope.loc.and_then(|loc| loc.swift_position()) {
                return Some(position);
            }
            match scope.parent {
                Some(ScopeParent::Scope(parent)) => at = parent,
                _ => return None,
            }
        }
        None
    }

    fn scope(&self, id: u32) -> Option<(usize, &'a Scope)> {
        let at = self.index.position(id).filter(|_| id != NONE)?;
        Some((at, &self.scopes[at]))
    }
}

/// Returns the function at the root of each scope; `None` where the parents end in a circle or nowhere.
fn functions(scopes: &[Scope], index: &ScopeIndex) -> Vec<Option<Symbol>> {
    let mut roots: Vec<Option<Symbol>> = vec![None; scopes.len()];
    let mut is_visited = vec![false; scopes.len()];
    let mut path = Vec::new();
    for start in 0..scopes.len() {
        let mut next = Some(start);
        let mut root = None;
        while let Some(at) = next {
            if is_visited[at] {
                root = roots[at];
                break;
            }
            is_visited[at] = true;
            path.push(at);
            next = match &scopes[at].parent {
                Some(ScopeParent::Scope(parent)) => index.position(*parent),
                Some(ScopeParent::Function(name, _)) => {
                    root = Some(*name);
                    None
                }
                None => None,
            };
        }
        path.drain(..).for_each(|at| roots[at] = root);
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use silkit_types::SilType;

    fn loc(file: &str, line: u32) -> Option<SourceLoc> {
        Some(SourceLoc { file: Some(Symbol::new(file)), line, column: 5, is_auto: false, is_inlined: false })
    }

    fn scope(id: u32, line: u32, parent: Result<u32, &str>, inlined_at: Option<u32>) -> Scope {
        let parent = match parent {
            Ok(id) => ScopeParent::Scope(id),
            Err(name) => ScopeParent::Function(Symbol::new(name), SilType::unknown()),
        };
        Scope { id, loc: loc("\"src/a.swift\"", line), parent: Some(parent), inlined_at }
    }

    fn shown(scopes: &[Scope], source: Option<SourceLoc>, scope: u32) -> Vec<String> {
        let stacks = InlineStacks::new(scopes);
        let frames = stacks.frames(LocData { source, scope });
        let text = |frame: InlineFrame| {
            let position = frame.position.map_or("-".to_owned(), |position| position.short());
            format!("{} {position}", frame.function.map_or("?", Symbol::as_str))
        };
        frames.map(text).collect()
    }

    #[test]
    fn callers_follow_their_callees() {
        // `inner`, inlined into `outer` in line 20, inlined into `main` in line 30.
        let scopes = [
            scope(1, 1, Err("main"), None),
            scope(2, 30, Ok(1), None),
            scope(3, 10, Err("outer"), Some(2)),
            scope(4, 20, Ok(3), Some(2)),
            scope(5, 2, Err("inner"), Some(4)),
            scope(6, 3, Ok(5), Some(4)),
        ];
        let stack = ["inner a.swift:7:5", "outer a.swift:20:5", "main a.swift:30:5"];
        assert_eq!(shown(&scopes, loc("\"src/a.swift\"", 7), 6), stack);
        assert_eq!(shown(&scopes, loc("\"src/a.swift\"", 8), 2), ["main a.swift:8:5"]);
        assert_eq!(shown(&scopes, loc("\"src/a.swift\"", 8), NONE), ["? a.swift:8:5"]);
    }

    #[test]
    fn generated_code_has_no_position() {
        assert_eq!(SourceLoc::NOWHERE.swift_position(), None);
        assert_eq!(loc("\"<compiler-generated>\"", 0).unwrap().swift_position(), None);
        assert_eq!(loc("\"<compiler-generated>\"", 3).unwrap().swift_position(), None);
        let position = loc("\"src/a.swift\"", 3).unwrap().swift_position().unwrap();
        assert_eq!(
            (position.to_string(), position.short()),
            ("src/a.swift:3:5".into(), "a.swift:3:5".into())
        );
        let scopes = [scope(1, 4, Err("main"), None), scope(2, 0, Err("thunk"), Some(1))];
        assert_eq!(shown(&scopes, Some(SourceLoc::NOWHERE), 2), ["thunk -", "main a.swift:4:5"]);
    }

    #[test]
    fn circles_and_missing_scopes_end() {
        let circle = [scope(1, 1, Ok(2), Some(2)), scope(2, 2, Ok(1), Some(1))];
        let stack = shown(&circle, loc("\"a.swift\"", 3), 1);
        assert_eq!(stack.len(), MAX_FRAMES);
        assert_eq!(stack[1], "? a.swift:2:5");
        let dangling = [scope(1, 1, Ok(9), Some(8))];
        assert_eq!(shown(&dangling, loc("\"a.swift\"", 3), 1), ["? a.swift:3:5", "? -"]);
    }
}
