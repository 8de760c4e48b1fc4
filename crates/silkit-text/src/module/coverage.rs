//! The regions of coverage maps, `7:9 -> 7:16 : (0 + 1)`, in their canonical form.

use std::collections::BTreeMap;

/// The maximum nesting of the counter expression of a region, and the maximum number of counters in the output.
const MAX_DEPTH: usize = 64;
const MAX_TERMS: i64 = 64;

/// Returns a region with single spaces between its parts and its counters in order.
pub(super) fn canonical(region: &str) -> String {
    let joined = region.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((start, rest)) = joined.split_once("->") else { return joined };
    let rest = rest.trim_start();
    // The colon before the counter is the second one; it may directly follow the position before it.
    let Some((at, _)) = rest.match_indices(':').nth(1) else { return joined };
    let counter = rest[at + 1..].trim();
    let counter = simplified(counter).unwrap_or_else(|| counter.to_owned());
    format!("{} -> {} : {counter}", start.trim_end(), rest[..at].trim_end())
}

/// Returns a sum of counters, added ones first, each group sorted by number. A counter that is not a sum (`skipped`)
/// is kept.
fn simplified(counter: &str) -> Option<String> {
    let mut terms = BTreeMap::new();
    let rest = sum(counter, 1, &mut terms, 0)?;
    if !rest.trim().is_empty() {
        return None;
    }
    if terms.values().any(|n: &i64| n.abs() > MAX_TERMS) {
        return None;
    }
    let mut out: Option<String> = None;
    for sign in [1, -1] {
        for (counter, &count) in terms.iter().filter(|(_, n)| n.signum() == sign) {
            for _ in 0..count.abs() {
                out = Some(match (out, sign) {
                    (None, 1) => counter.to_string(),
                    (None, _) => format!("(zero - {counter})"),
                    (Some(sum), 1) => format!("({sum} + {counter})"),
                    (Some(sum), _) => format!("({sum} - {counter})"),
                });
            }
        }
    }
    Some(out.unwrap_or_else(|| "zero".to_owned()))
}

/// Parses `5`, `zero` or `(a + b)`, adds its counters to `terms`, and returns the remaining text.
fn sum<'a>(text: &'a str, sign: i64, terms: &mut BTreeMap<u64, i64>, depth: usize) -> Option<&'a str> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix("zero") {
        return Some(rest);
    }
    if let Some(inner) = text.strip_prefix('(').filter(|_| depth < MAX_DEPTH) {
        let rest = sum(inner, sign, terms, depth + 1)?.trim_start();
        let (operator, rest) = (rest.chars().next()?, rest.get(1..)?);
        let right = match operator {
            '+' => sign,
            '-' => -sign,
            _ => return None,
        };
        return sum(rest, right, terms, depth + 1)?.trim_start().strip_prefix(')');
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    *terms.entry(text[..end].parse().ok()?).or_insert(0) += sign;
    Some(&text[end..])
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn regions_print_as_the_reference_prints_them() {
        let asked = [
            ("17:9 -> 17:17: (0 + (2 - 3))", "17:9 -> 17:17 : ((0 + 2) - 3)"),
            ("1:1->1:2 : ((3 - 2) + 0)", "1:1 -> 1:2 : ((0 + 3) - 2)"),
            ("1:1 -> 1:2: ((3 - 2) - 1)", "1:1 -> 1:2 : ((3 - 1) - 2)"),
            ("1:1 -> 1:2: (3 - 3)", "1:1 -> 1:2 : zero"),
            ("1:1 -> 1:2: (3 + 3)", "1:1 -> 1:2 : (3 + 3)"),
            ("1:1 -> 1:2: (zero - 3)", "1:1 -> 1:2 : (zero - 3)"),
            ("1:1  -> 1:2  : ((3 + 2) - (2 + 1))", "1:1 -> 1:2 : (3 - 1)"),
            ("1:1 -> 1:2: (1 - (2 - 3))", "1:1 -> 1:2 : ((1 + 3) - 2)"),
            ("54:1 -> 55:1 : skipped", "54:1 -> 55:1 : skipped"),
        ];
        for (given, printed) in asked {
            assert_eq!(canonical(given), printed, "{given}");
        }
    }
}
