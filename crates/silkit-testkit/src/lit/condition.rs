//! The boolean expressions of `REQUIRES`, `UNSUPPORTED` and `XFAIL`.

/// Returns whether `expression` holds for these features. Names with `{{regex}}` are not supported.
pub(super) fn holds(expression: &str, features: &[String]) -> Result<bool, String> {
    let mut parser = Parser { rest: expression.trim_start(), features, depth: 0 };
    let value = parser.or()?;
    if parser.rest.is_empty() { Ok(value) } else { Err(parser.unexpected()) }
}

/// The maximum nesting of parentheses and negations.
const MAX_DEPTH: u32 = 100;

struct Parser<'a> {
    rest: &'a str,
    features: &'a [String],
    depth: u32,
}

impl Parser<'_> {
    fn unexpected(&self) -> String {
        format!("unexpected `{}` in a condition", self.rest)
    }

    fn eat(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn or(&mut self) -> Result<bool, String> {
        let mut value = self.and()?;
        while self.eat("||") {
            value |= self.and()?;
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<bool, String> {
        let mut value = self.not()?;
        while self.eat("&&") {
            value &= self.not()?;
        }
        Ok(value)
    }

    fn not(&mut self) -> Result<bool, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("a condition is nested too deeply".to_owned());
        }
        let value = if self.eat("!") {
            !self.not()?
        } else if self.eat("(") {
            let value = self.or()?;
            if !self.eat(")") {
                return Err(self.unexpected());
            }
            value
        } else {
            self.name()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn name(&mut self) -> Result<bool, String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '=' | '.' | '_' | '*');
        let len = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(len);
        if name.is_empty() {
            return Err(self.unexpected());
        }
        self.rest = rest.trim_start();
        Ok(matches!(name, "true" | "*") || self.features.iter().any(|f| f == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions() {
        let features = ["asserts".to_owned(), "OS=linux-gnu".to_owned()];
        let value = |text: &str| holds(text, &features).unwrap();
        assert!(value("asserts"));
        assert!(value("asserts && OS=linux-gnu"));
        assert!(!value("asserts && shell"));
        assert!(value("!(shell || windows) && true"));
        assert!(value(" * "));
        assert!(holds("asserts asserts", &features).is_err());
        assert!(holds("(asserts", &features).is_err());
        assert!(holds("", &features).is_err());
        assert!(holds(&"!".repeat(100_000), &features).is_err());
    }
}
