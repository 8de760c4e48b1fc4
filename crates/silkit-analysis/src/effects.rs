//! The effects of functions as data: which arguments escape, and what is read, written, copied and destroyed.
//!
//! They stand in brackets behind a function's type (`[%0: noescape **, read v**]`, `[global: read]`).

use crate::ProjectionPath;
use bitflags::bitflags;
use silkit_base::Symbol;
use std::fmt;

/// The effects of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionEffects {
    /// What is known about the escape of arguments. Of an argument, or a part of one, of which nothing is said
    /// nothing is known.
    pub escapes: Vec<ArgumentEscape>,
    /// What else it does; `None` where that is not known.
    pub side: Option<SideEffects>,
}

/// Where an argument, or a part of it, escapes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArgumentEscape {
    /// The number of the argument.
    pub argument: usize,
    /// The part of it.
    pub path: ProjectionPath,
    /// Where it escapes to.
    pub to: Escape,
    /// Whether a pass found it; people wrote it otherwise, and it stays.
    pub is_derived: bool,
}

/// Where something escapes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escape {
    /// Nowhere.
    Nowhere,
    /// To a part of the returned value.
    Return {
        /// The part.
        path: ProjectionPath,
        /// Whether nothing else comes there.
        is_exclusive: bool,
    },
    /// To a part of another argument.
    Argument {
        /// The number of the argument.
        argument: usize,
        /// The part.
        path: ProjectionPath,
        /// Whether nothing else comes there.
        is_exclusive: bool,
    },
}

bitflags! {
    /// What a function does to no argument in particular.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Effects: u8 {
        /// Reads memory.
        const READ = 1;
        /// Writes to memory.
        const WRITE = 1 << 1;
        /// Copies or retains values.
        const COPY = 1 << 2;
        /// Destroys or releases values.
        const DESTROY = 1 << 3;
        /// Allocates objects that can be seen from outside.
        const ALLOCATE = 1 << 4;
        /// Destructions must not be moved over a call of it.
        const DEINIT_BARRIER = 1 << 5;
        /// What is done to memory.
        const MEMORY = Self::READ.bits() | Self::WRITE.bits();
        /// What is done to ownership.
        const OWNERSHIP = Self::COPY.bits() | Self::DESTROY.bits();
    }
}

impl Effects {
    const NAMES: [(Self, &'static str); 6] = [
        (Self::READ, "read"),
        (Self::WRITE, "write"),
        (Self::COPY, "copy"),
        (Self::DESTROY, "destroy"),
        (Self::ALLOCATE, "allocate"),
        (Self::DEINIT_BARRIER, "deinit_barrier"),
    ];
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Self::NAMES.iter().filter(|(flag, _)| self.contains(*flag)).map(|(_, name)| *name);
        f.write_str(&names.collect::<Vec<_>>().join(","))
    }
}

/// What is done to an argument: for each effect the part that it is done to, where it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ArgumentEffects {
    /// The part that is read.
    pub read: Option<ProjectionPath>,
    /// The part that is written to.
    pub write: Option<ProjectionPath>,
    /// The part that is copied.
    pub copy: Option<ProjectionPath>,
    /// The part that is destroyed.
    pub destroy: Option<ProjectionPath>,
}

impl ArgumentEffects {
    /// The effects with their parts.
    pub fn parts(&self) -> impl Iterator<Item = (Effects, ProjectionPath)> {
        let parts = [
            (Effects::READ, self.read),
            (Effects::WRITE, self.write),
            (Effects::COPY, self.copy),
            (Effects::DESTROY, self.destroy),
        ];
        parts.into_iter().filter_map(|(effect, path)| Some((effect, path?)))
    }

    fn part_mut(&mut self, effect: Effects) -> Option<&mut Option<ProjectionPath>> {
        match effect {
            Effects::READ => Some(&mut self.read),
            Effects::WRITE => Some(&mut self.write),
            Effects::COPY => Some(&mut self.copy),
            Effects::DESTROY => Some(&mut self.destroy),
            _ => None,
        }
    }

    /// Adds effects on a part.
    pub fn add(&mut self, effects: Effects, path: ProjectionPath) {
        for effect in effects.iter() {
            if let Some(part) = self.part_mut(effect) {
                *part = Some(part.map_or(path, |known| known.merge(path)));
            }
        }
    }
}

/// What a function does, escapes aside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SideEffects {
    /// What it does to its arguments, and to what direct arguments refer to. To one that is not listed nothing is done.
    pub arguments: Vec<ArgumentEffects>,
    /// What it does elsewhere.
    pub global: Effects,
}

impl SideEffects {
    /// What is done to an argument.
    pub fn argument(&self, index: usize) -> ArgumentEffects {
        self.arguments.get(index).copied().unwrap_or_default()
    }

    /// What is done to each argument, to any part of it.
    pub fn of_arguments(&self) -> impl Iterator<Item = (usize, Effects)> + '_ {
        let of = |argument: &ArgumentEffects| argument.parts().map(|(effect, _)| effect).collect();
        self.arguments.iter().enumerate().map(move |(index, argument)| (index, of(argument)))
    }

    /// All effects, to arguments or elsewhere.
    pub fn all(&self) -> Effects {
        self.of_arguments().fold(self.global, |all, (_, effects)| all | effects)
    }
}

impl FunctionEffects {
    /// Whether a part of an argument may escape.
    pub fn may_escape(&self, argument: usize, path: ProjectionPath) -> bool {
        let stays =
            |e: &ArgumentEscape| e.to == Escape::Nowhere && e.argument == argument && path.matches(e.path);
        !self.escapes.iter().any(stays)
    }

    /// Reads effects, each as spelled between its brackets. Those that nobody understands are left out.
    pub fn parse(texts: &[Symbol]) -> Self {
        let mut effects = Self::default();
        for text in texts {
            effects.read(text.as_str());
        }
        effects
    }

    fn read(&mut self, text: &str) -> Option<()> {
        let (subject, body) = text.split_once(':')?;
        if subject.trim() == "global" {
            let names = body.split(',').map(str::trim);
            let flags = names.filter_map(|name| Effects::NAMES.iter().find(|(_, n)| *n == name));
            self.side.get_or_insert_default().global = flags.map(|(flag, _)| *flag).collect();
            return Some(());
        }
        let argument: usize = subject.trim().strip_prefix('%')?.parse().ok()?;
        body.split(',').try_for_each(|effect| self.read_one(argument, effect.trim()))
    }

    fn read_one(&mut self, argument: usize, text: &str) -> Option<()> {
        let (word, rest) = text.split_once([' ', '!']).unwrap_or((text, ""));
        let is_derived = text[word.len()..].strip_prefix('!').is_none();
        let (path, rest) = ProjectionPath::parse(rest)?;
        let to = match word {
            "noescape" => Escape::Nowhere,
            "escape" => {
                let rest = rest.trim_start();
                let is_exclusive = rest.starts_with("=>");
                let target = rest.strip_prefix("=>").or_else(|| rest.strip_prefix("->"))?.trim();
                let (name, to) = target.split_once('.').unwrap_or((target, ""));
                let (path, _) = ProjectionPath::parse(to)?;
                match name.strip_prefix('%')? {
                    "r" => Escape::Return { path, is_exclusive },
                    number => Escape::Argument { argument: number.parse().ok()?, path, is_exclusive },
                }
            }
            _ => {
                let (flag, _) = Effects::NAMES.iter().find(|(_, name)| *name == word)?;
                let side = self.side.get_or_insert_default();
                if side.arguments.len() <= argument {
                    side.arguments.resize(argument + 1, ArgumentEffects::default());
                }
                *side.arguments[argument].part_mut(*flag)? = Some(path);
                return Some(());
            }
        };
        self.escapes.push(ArgumentEscape { argument, path, to, is_derived });
        Some(())
    }

    /// The effects as they are spelled between brackets, in their order in the text.
    pub fn texts(&self) -> Vec<Symbol> {
        let of_sides = self.side.as_ref().map_or(0, |side| side.arguments.len());
        let count = self.escapes.iter().map(|e| e.argument + 1).fold(of_sides, usize::max);
        let mut texts = Vec::new();
        for argument in 0..count {
            let escapes = self.escapes.iter().filter(|e| e.argument == argument).map(ToString::to_string);
            let sides = self.side.iter().flat_map(|side| {
                side.argument(argument).parts().map(|(effect, path)| spaced(effect, path)).collect::<Vec<_>>()
            });
            let parts: Vec<String> = escapes.chain(sides).collect();
            if !parts.is_empty() {
                texts.push(Symbol::new(&format!("%{argument}: {}", parts.join(", "))));
            }
        }
        texts.extend(self.side.as_ref().map(|side| Symbol::new(&format!("global: {}", side.global))));
        texts
    }
}

fn spaced(word: impl fmt::Display, path: ProjectionPath) -> String {
    format!("{word} {path}")
}

impl fmt::Display for ArgumentEscape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_derived { "" } else { "!" };
        let from = if self.path.is_empty() { String::new() } else { spaced("", self.path) };
        let arrow = |is_exclusive| if is_exclusive { "=>" } else { "->" };
        let behind = |path: ProjectionPath| if path.is_empty() { String::new() } else { format!(".{path}") };
        match self.to {
            Escape::Nowhere => write!(f, "noescape{mark}{from}"),
            Escape::Return { path, is_exclusive } => {
                write!(f, "escape{mark}{from} {} %r{}", arrow(is_exclusive), behind(path))
            }
            Escape::Argument { argument, path, is_exclusive } => {
                write!(f, "escape{mark}{from} {} %{argument}{}", arrow(is_exclusive), behind(path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_and_printed() {
        let texts = [
            "%0: noescape **, read v**.c*.v**, write s0, copy v**, destroy c*",
            "%1: escape => %r, escape c*.v** -> %0.c*.v**, noescape! v**",
            "%3: escape! s1 => %12.s0",
            "global: read,write,copy,destroy,allocate,deinit_barrier",
        ];
        let effects = FunctionEffects::parse(&texts.map(Symbol::new));
        assert_eq!(effects.texts(), texts.map(Symbol::new));
        assert_eq!(effects.escapes.len(), 5);
        assert!(!effects.may_escape(0, ProjectionPath::EMPTY));
        assert!(effects.may_escape(1, ProjectionPath::parse("c1").expect("a path").0));
        let nothing = FunctionEffects::parse(&[Symbol::new("global: ")]);
        assert_eq!(nothing.side.as_ref().map(SideEffects::all), Some(Effects::empty()));
        assert_eq!(nothing.texts(), [Symbol::new("global: ")]);
    }

    #[test]
    fn what_is_wrong_is_left_out() {
        for text in ["", "x", "%: read", "%0: frobnicate s0", "%0: escape s0", "%0: noescape **.s0"] {
            assert_eq!(FunctionEffects::parse(&[Symbol::new(text)]), FunctionEffects::default(), "{text}");
        }
    }
}
