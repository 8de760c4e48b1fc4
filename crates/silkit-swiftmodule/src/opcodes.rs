//! The numbers of instructions, which each version gives anew: the position in the compiler's list of nodes.

/// The list of a version: classes in order, from number 0.
#[derive(Debug, Clone, Copy)]
pub struct Opcodes {
    /// The first minor version that the list is for.
    minor: u32,
    text: &'static str,
}

/// The releases whose lists are known, by rising minor version.
const LISTS: [Opcodes; 3] = [
    Opcodes { minor: 871, text: include_str!("../data/opcodes-871.txt") },
    Opcodes { minor: 967, text: include_str!("../data/opcodes-967.txt") },
    Opcodes { minor: 976, text: include_str!("../data/opcodes-976.txt") },
];

impl Opcodes {
    /// Returns the list of a format version. Only released versions are known: between two, numbers move.
    pub fn of(minor: u32) -> Option<Self> {
        LISTS.iter().find(|list| list.minor == minor).copied()
    }

    /// Returns the format versions with a list.
    pub fn known() -> impl Iterator<Item = u32> {
        LISTS.iter().map(|list| list.minor)
    }

    /// Returns the classes in order of their numbers, with the suffix `Inst`.
    pub fn classes(self) -> impl Iterator<Item = &'static str> {
        self.text.lines()
    }
}

#[cfg(test)]
mod tests {
    use super::Opcodes;

    #[test]
    fn numbers_move_between_versions() {
        let number = |minor: u32, class: &str| Opcodes::of(minor)?.classes().position(|c| c == class);
        assert_eq!(number(871, "FunctionRefInst"), Some(16));
        assert_eq!(number(967, "FunctionRefInst"), Some(15));
        assert_eq!(number(976, "FunctionRefInst"), Some(15));
        assert_eq!(number(968, "FunctionRefInst"), None);
    }
}
