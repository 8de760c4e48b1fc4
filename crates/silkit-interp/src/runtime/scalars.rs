//! Numeric values and title case of Unicode scalars, which no used crate provides. The table was generated with Swift
//! 6.2.3 (Unicode 16).

use std::sync::LazyLock;

const TABLE: &str = include_str!("scalars.txt");

/// A range of numeric scalars whose values increase by a constant step.
struct Numbers {
    first: u32,
    count: u32,
    is_digit: bool,
    value: f64,
    step: f64,
}

/// A range of scalars with a special title case. `None` if each scalar is its own title case.
struct Titles {
    first: u32,
    count: u32,
    to: Option<String>,
}

static NUMBERS: LazyLock<Vec<Numbers>> = LazyLock::new(|| TABLE.lines().filter_map(numbers).collect());
static TITLES: LazyLock<Vec<Titles>> = LazyLock::new(|| TABLE.lines().filter_map(titles).collect());

fn numbers(line: &str) -> Option<Numbers> {
    let mut words = line.split(' ');
    let first = u32::from_str_radix(words.next()?, 16).ok()?;
    let count = words.next()?.parse().ok()?;
    let is_digit = words.next()? == "d";
    Some(Numbers { first, count, is_digit, value: fraction(words.next()?)?, step: fraction(words.next()?)? })
}

fn fraction(text: &str) -> Option<f64> {
    match text.split_once('/') {
        Some((above, below)) => Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?),
        None => text.parse().ok(),
    }
}

fn titles(line: &str) -> Option<Titles> {
    let mut words = line.strip_prefix("t ")?.split(' ');
    let first = u32::from_str_radix(words.next()?, 16).ok()?;
    let count = words.next()?.parse().ok()?;
    let to: Option<String> =
        words.map(|w| u32::from_str_radix(w, 16).ok().and_then(char::from_u32)).collect();
    Some(Titles { first, count, to })
}

/// Returns the value of a numeric scalar that is not a decimal digit, and true if the scalar is a digit.
pub(super) fn number(scalar: char) -> Option<(bool, f64)> {
    let scalar = u32::from(scalar);
    let at = NUMBERS.partition_point(|n| n.first <= scalar).checked_sub(1)?;
    let found = &NUMBERS[at];
    let offset = scalar - found.first;
    (offset < found.count).then(|| (found.is_digit, found.value + f64::from(offset) * found.step))
}

/// Returns the title case of a scalar, or `None` if it equals the upper case.
pub(super) fn title_case(scalar: char) -> Option<String> {
    let value = u32::from(scalar);
    let at = TITLES.partition_point(|t| t.first <= value).checked_sub(1)?;
    let found = &TITLES[at];
    (value - found.first < found.count).then(|| found.to.clone().unwrap_or_else(|| scalar.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_values_of_the_unicode_standard() {
        assert_eq!(number('½'), Some((false, 0.5)));
        assert_eq!(number('⅞'), Some((false, 0.875)));
        assert_eq!(number('²'), Some((true, 2.0)));
        assert_eq!(number('Ⅻ'), Some((false, 12.0)));
        assert_eq!(number('三'), Some((false, 3.0)));
        assert_eq!(number('億'), Some((false, 1e8)));
        assert_eq!(number('༳'), Some((false, -0.5)));
        assert_eq!(number('a'), None);
        assert_eq!(number('5'), None);
    }

    #[test]
    fn title_case_differs_from_upper_case_for_some() {
        assert_eq!(title_case('ǆ').as_deref(), Some("ǅ"));
        assert_eq!(title_case('ß').as_deref(), Some("Ss"));
        assert_eq!(title_case('ა').as_deref(), Some("ა"));
        assert_eq!(title_case('a'), None);
    }
}
