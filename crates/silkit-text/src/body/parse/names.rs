//! Names of values and blocks in the text of a body. Almost all are numbers, which need no hashing.

use silkit_base::FxHashMap;

/// A table from names to entities.
#[derive(Debug)]
pub(super) struct Names<'a, T> {
    /// The prefix before the number in a name.
    prefix: &'static [u8],
    numbered: Vec<Option<T>>,
    /// The entities of names without a number.
    others: FxHashMap<&'a str, T>,
    /// Numbers from this limit on are treated as other names.
    limit: usize,
}

impl<'a, T: Copy> Names<'a, T> {
    /// Creates an empty table for a text of this length, reusing the memory for numbered names.
    pub(super) fn new(prefix: &'static [u8], length: usize, numbered: Vec<Option<T>>) -> Self {
        Self { prefix, numbered, others: FxHashMap::default(), limit: length }
    }

    /// Returns the memory for numbered names, emptied.
    pub(super) fn into_memory(mut self) -> Vec<Option<T>> {
        self.numbered.clear();
        self.numbered
    }

    /// Returns the entity of a name.
    pub(super) fn get(&self, name: &str) -> Option<T> {
        match self.number(name) {
            Some(number) => self.numbered.get(number).copied().flatten(),
            None => self.others.get(name).copied(),
        }
    }

    /// Sets the entity of a name and returns the previous one.
    pub(super) fn insert(&mut self, name: &'a str, meant: T) -> Option<T> {
        let Some(number) = self.number(name) else { return self.others.insert(name, meant) };
        if number >= self.numbered.len() {
            self.numbered.resize(number + 1, None);
        }
        self.numbered[number].replace(meant)
    }

    /// Returns the number in a canonically spelled name. Numbers must be less than the length of the text, so that
    /// the size of the table is proportional to it.
    fn number(&self, name: &str) -> Option<usize> {
        let mut digits = name.as_bytes();
        for &byte in self.prefix {
            digits = digits.strip_prefix(&[byte])?;
        }
        if digits.is_empty() || digits.len() > 9 || digits[0] == b'0' && digits.len() > 1 {
            return None;
        }
        let mut number = 0;
        for &digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            number = number * 10 + usize::from(digit - b'0');
        }
        (number < self.limit).then_some(number)
    }
}

/// Returns the memory of a list of names with their positions, for names of another text.
pub(super) fn emptied(mut names: Vec<(&str, usize)>) -> Vec<(&'static str, usize)> {
    names.clear();
    // An iterator over a vector collects into the memory of the vector.
    names.into_iter().map(|(_, at)| ("", at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_names_is_kept() {
        let text = "x".to_owned();
        let names = vec![(text.as_str(), 1); 100];
        assert!(emptied(names).capacity() >= 100);
    }

    #[test]
    fn numbers_and_other_names_do_not_meet() {
        let mut names = Names::new(b"bb", 100, Vec::new());
        for (n, name) in
            ["bb0", "bb00", "bb7", "bb99", "bb100", "bb", "0", "entry", "bb-1"].iter().enumerate()
        {
            assert_eq!(names.insert(name, n), None, "{name}");
        }
        assert_eq!((names.get("bb7"), names.get("bb00"), names.get("bb100")), (Some(2), Some(1), Some(4)));
        assert_eq!((names.get("bb8"), names.get("x"), names.get("entry")), (None, None, Some(7)));
        assert_eq!(names.insert("bb7", 9), Some(2));
        let again = Names::new(b"", 8, names.into_memory());
        assert_eq!((again.get("7"), again.get("entry")), (None, None));
    }
}
