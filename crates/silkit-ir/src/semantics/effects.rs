//! Function effects: which arguments escape, and what is read, written, copied and destroyed.
//!
//! In the text form they follow a function's type, in brackets (`[%0: noescape **, read v**]`, `[global: read]`).

use crate::ProjectionPath;
use bitflags::bitflags;

/// The effects of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionEffects {
    /// The known escapes of arguments. Nothing is known about an argument, or a part of one, that is not listed.
    pub escapes: Vec<ArgumentEscape>,
    /// The side effects; `None` if they are not known.
    pub side: Option<SideEffects>,
}

/// An escape of an argument or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArgumentEscape {
    /// The index of the argument.
    pub argument: usize,
    /// The affected part of the argument.
    pub path: ProjectionPath,
    /// The destination of the escape.
    pub to: Escape,
    /// True if a pass computed it; effects that are written by hand are kept.
    pub is_derived: bool,
}

/// The destination of an escape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escape {
    /// Nowhere.
    Nowhere,
    /// To a part of the returned value.
    Return {
        /// The part.
        path: ProjectionPath,
        /// True if nothing else escapes to this part.
        is_exclusive: bool,
    },
    /// To a part of another argument.
    Argument {
        /// The index of the argument.
        argument: usize,
        /// The part.
        path: ProjectionPath,
    },
}

bitflags! {
    /// Side effects that are not specific to an argument.
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
        /// Allocates objects that are visible outside.
        const ALLOCATE = 1 << 4;
        /// A deinit barrier: destroys must not be moved across a call of the function.
        const DEINIT_BARRIER = 1 << 5;
        /// All effects on memory.
        const MEMORY = Self::READ.bits() | Self::WRITE.bits();
        /// All effects on ownership.
        const OWNERSHIP = Self::COPY.bits() | Self::DESTROY.bits();
    }
}

/// The side effects on an argument: the affected part for each effect.
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
    /// Returns the effects with their parts.
    pub fn parts(&self) -> impl Iterator<Item = (Effects, ProjectionPath)> {
        let parts = [
            (Effects::READ, self.read),
            (Effects::WRITE, self.write),
            (Effects::COPY, self.copy),
            (Effects::DESTROY, self.destroy),
        ];
        parts.into_iter().filter_map(|(effect, path)| Some((effect, path?)))
    }

    /// Returns the part that is affected by one effect; `None` for effects that arguments do not have.
    pub fn part_mut(&mut self, effect: Effects) -> Option<&mut Option<ProjectionPath>> {
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

/// The side effects of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SideEffects {
    /// Effects on its arguments and on the objects that direct arguments refer to. An argument that is not listed is
    /// not affected.
    pub arguments: Vec<ArgumentEffects>,
    /// Effects on anything else.
    pub global: Effects,
}

impl SideEffects {
    /// Removes the effects that are not in a set.
    pub fn retain(&mut self, kept: Effects) {
        self.global &= kept;
        for argument in &mut self.arguments {
            for effect in (Effects::all() - kept).iter() {
                if let Some(part) = argument.part_mut(effect) {
                    *part = None;
                }
            }
        }
    }

    /// Returns the side effects on an argument.
    pub fn argument(&self, index: usize) -> ArgumentEffects {
        self.arguments.get(index).copied().unwrap_or_default()
    }

    /// Returns the indices of arguments with their side effects, on any part.
    pub fn of_arguments(&self) -> impl Iterator<Item = (usize, Effects)> + '_ {
        let of = |argument: &ArgumentEffects| argument.parts().map(|(effect, _)| effect).collect();
        self.arguments.iter().enumerate().map(move |(index, argument)| (index, of(argument)))
    }

    /// Returns all effects, on arguments and globally.
    pub fn all(&self) -> Effects {
        self.of_arguments().fold(self.global, |all, (_, effects)| all | effects)
    }
}

impl FunctionEffects {
    /// Returns true if no effects are known.
    pub fn is_empty(&self) -> bool {
        self.escapes.is_empty() && self.side.is_none()
    }

    /// Returns true if a part of an argument may escape.
    pub fn may_escape(&self, argument: usize, path: ProjectionPath) -> bool {
        let stays =
            |e: &ArgumentEscape| e.to == Escape::Nowhere && e.argument == argument && path.matches(e.path);
        !self.escapes.iter().any(stays)
    }
}
