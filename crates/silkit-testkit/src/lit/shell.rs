//! The parser of command lines: words, pipes, redirections.

/// A list of pipelines.
pub(super) type Line = Vec<(Join, Vec<Simple>)>;

/// The condition under which a pipeline runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    Always,
    IfOk,
    IfFailed,
}

/// One command with its arguments and redirections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<String>,
    pub(super) redirects: Vec<Redirect>,
}

/// A redirection, in order of appearance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    /// `< file`
    Input(String),
    /// `> file`, `>> file`
    Output { file: String, appends: bool },
    /// `2> file`, `2>> file`
    Error { file: String, appends: bool },
    /// `&> file`
    Both(String),
    /// `2>&1`
    ErrorToOutput,
    /// `>&2`, `1>&2`
    OutputToError,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Operator(&'static str),
}

/// The operators, longer ones first.
const OPERATORS: [&str; 14] =
    ["2>&1", "1>&2", ">&2", "2>>", "&>", "2>", "1>", ">>", "&&", "||", "|", ";", "<", ">"];

/// Parses a command line.
pub(super) fn parse(line: &str) -> Result<Line, String> {
    let mut list: Line = vec![(Join::Always, vec![Simple::default()])];
    let mut tokens = tokens(line)?.into_iter();
    while let Some(token) = tokens.next() {
        let (_, pipeline) = list.last_mut().expect("invariant: a line has a pipeline");
        let command = pipeline.last_mut().expect("invariant: a pipeline has a command");
        let operator = match token {
            Token::Word(word) => {
                command.words.push(word);
                continue;
            }
            Token::Operator(operator) => operator,
        };
        let join = match operator {
            "&&" => Some(Join::IfOk),
            "||" => Some(Join::IfFailed),
            ";" => Some(Join::Always),
            _ => None,
        };
        if join.is_some() || operator == "|" {
            if command.words.is_empty() {
                return Err(format!("no command before `{operator}`"));
            }
            match join {
                Some(join) => list.push((join, vec![Simple::default()])),
                None => pipeline.push(Simple::default()),
            }
            continue;
        }
        let mut file = || match tokens.next() {
            Some(Token::Word(file)) => Ok(file),
            _ => Err(format!("no file name behind `{operator}`")),
        };
        command.redirects.push(match operator {
            "<" => Redirect::Input(file()?),
            ">" | "1>" => Redirect::Output { file: file()?, appends: false },
            ">>" => Redirect::Output { file: file()?, appends: true },
            "2>" => Redirect::Error { file: file()?, appends: false },
            "2>>" => Redirect::Error { file: file()?, appends: true },
            "&>" => Redirect::Both(file()?),
            "2>&1" => Redirect::ErrorToOutput,
            _ => Redirect::OutputToError,
        });
    }
    // A trailing `;` begins an empty command.
    if list.len() > 1
        && list.last().is_some_and(|(join, p)| *join == Join::Always && *p == [Simple::default()])
    {
        list.pop();
    }
    if list.iter().any(|(_, pipeline)| pipeline.iter().any(|c| c.words.is_empty())) {
        return Err("a command is missing".to_owned());
    }
    Ok(list)
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        // The digit of `2>` belongs to the operator only at the start of a word.
        let operator = OPERATORS.iter().find(|o| {
            rest.starts_with(**o) && !(word.is_some() && o.starts_with(|c: char| c.is_ascii_digit()))
        });
        if let Some(operator) = operator {
            tokens.extend(word.take().map(Token::Word));
            tokens.push(Token::Operator(operator));
            rest = &rest[operator.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            ' ' | '\t' => tokens.extend(word.take().map(Token::Word)),
            '\'' => {
                let end = rest.find('\'').ok_or("a single quote is not closed")?;
                word.get_or_insert_default().push_str(&rest[..end]);
                rest = &rest[end + 1..];
            }
            '"' => rest = quoted(rest, word.get_or_insert_default())?,
            '\\' => {
                let escaped = rest.chars().next().ok_or("nothing behind the last `\\`")?;
                word.get_or_insert_default().push(escaped);
                rest = &rest[escaped.len_utf8()..];
            }
            '&' | '`' => return Err(format!("`{c}` is not supported")),
            '$' if rest.starts_with(['(', '{']) => return Err("`$` is not supported".to_owned()),
            '(' | ')' | '{' | '}' if word.is_none() && rest.starts_with(' ') => {
                return Err(format!("`{c}` is not supported"));
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    tokens.extend(word.map(Token::Word));
    Ok(tokens)
}

/// Parses up to the closing double quote. Returns the rest.
fn quoted<'a>(text: &'a str, word: &mut String) -> Result<&'a str, String> {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(chars.as_str()),
            '\\' if chars.as_str().starts_with(['"', '\\', '$', '`']) => word.extend(chars.next()),
            _ => word.push(c),
        }
    }
    Err("a double quote is not closed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Vec<String>> {
        parse(line).unwrap().into_iter().flat_map(|(_, p)| p).map(|c| c.words).collect()
    }

    #[test]
    fn quoting() {
        assert_eq!(
            words(r#"a 'b c' "d \"e\" \n" f\ g x"y"z ''"#),
            [["a", "b c", "d \"e\" \\n", "f g", "xyz", ""]]
        );
        assert_eq!(words("a|b && c;d;"), [["a"], ["b"], ["c"], ["d"]]);
        assert_eq!(words("opt -x=2 %empty-directory(%t)"), [["opt", "-x=2", "%empty-directory(%t)"]]);
    }

    #[test]
    fn redirections() {
        let line = parse("a < i > o 2>&1 | b 2> e || c x2>f &> g").unwrap();
        let redirects: Vec<_> = line.iter().flat_map(|(_, p)| p).map(|c| c.redirects.clone()).collect();
        let output = |file: &str| Redirect::Output { file: file.to_owned(), appends: false };
        assert_eq!(redirects[0], [Redirect::Input("i".into()), output("o"), Redirect::ErrorToOutput]);
        assert_eq!(redirects[1], [Redirect::Error { file: "e".into(), appends: false }]);
        assert_eq!(redirects[2], [output("f"), Redirect::Both("g".into())]);
        assert_eq!(line[1].0, Join::IfFailed);
    }

    #[test]
    fn errors() {
        for line in
            ["", "| a", "a |", "a &&", "a >", "'a", "\"a", "a \\", "a & b", "$(a)", "( a )", "a ; ; b"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
