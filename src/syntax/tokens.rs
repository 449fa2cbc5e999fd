//! Mistakes in tokens, in CPython's words: strings without an end, brackets that do not fit, indentation, numbers.
//! Source: CPython 3.11, `Parser/tokenizer.c`.

use ruff_python_ast::token::TokenKind as Kind;
use ruff_python_parser::{
    InterpolatedStringErrorType as InString, LexicalErrorType as Lexical, ParseErrorType as Error,
};

use super::error::{Class, Wording};
use super::literals;

/// A token: its kind, and its bytes.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Source, and its tokens without comments.
pub(super) struct Reading<'s> {
    pub(super) source: &'s str,
    pub(super) tokens: Vec<Token>,
}

impl Reading<'_> {
    pub(super) fn text(&self, token: Token) -> &str {
        self.source.get(token.start..token.end).unwrap_or("")
    }

    /// The line of a byte, from 1 on.
    pub(super) fn line(&self, at: usize) -> usize {
        self.source.as_bytes()[..at.min(self.source.len())].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// What CPython's tokenizer says of an error of the lexer.
    pub(super) fn lexical(&self, error: &Error, at: usize) -> Option<Wording> {
        let text = match error {
            Error::Lexical(Lexical::UnclosedStringError)
            | Error::FStringError(InString::UnterminatedString | InString::UnterminatedTripleQuotedString)
            | Error::Lexical(Lexical::FStringError(
                InString::UnterminatedString | InString::UnterminatedTripleQuotedString,
            )) => {
                let at = self.start_of_string(at);
                let quotes = self.source[at..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
                let text = match quotes.starts_with("\"\"\"") || quotes.starts_with("'''") {
                    true => format!(
                        "unterminated triple-quoted string literal (detected at line {})",
                        self.line(self.source.trim_end_matches('\n').len())
                    ),
                    false => format!("unterminated string literal (detected at line {})", self.line(at)),
                };
                return Some(Wording::new(at, text));
            }
            Error::Lexical(Lexical::UnrecognizedToken { tok }) if !tok.is_ascii() => {
                literals::odd_character(*tok)
            }
            Error::Lexical(Lexical::LineContinuationError) => {
                match self.source[at..].trim_end_matches('\n').len() < 2 {
                    true => "unexpected EOF while parsing",
                    false => "unexpected character after line continuation character",
                }
                .to_owned()
            }
            Error::Lexical(Lexical::IndentationError) => {
                let text = "unindent does not match any outer indentation level";
                let unindent = Wording { class: Class::Indentation, ..Wording::new(at, text) };
                return Some(self.tabs().unwrap_or(unindent));
            }
            Error::Lexical(Lexical::InvalidByteLiteral) => {
                "bytes can only contain ASCII literal characters".to_owned()
            }
            Error::Lexical(Lexical::OtherError(_)) => literals::number(&self.source[at..])?,
            Error::Lexical(
                Lexical::UnicodeError | Lexical::MissingUnicodeLbrace | Lexical::MissingUnicodeRbrace,
            ) => {
                let string = self.tokens.iter().rfind(|token| token.start <= at)?;
                literals::escape(self.text(*string))?
            }
            _ => return None,
        };
        Some(Wording::new(at, text))
    }

    /// The byte where the string begins that a byte is in.
    pub(super) fn start_of_string(&self, at: usize) -> usize {
        let inner = self.tokens.iter().rposition(|token| token.start <= at);
        let strings = self.tokens[..inner.map_or(0, |inner| inner + 1)].iter();
        let open = strings.fold(Vec::new(), |mut open, token| {
            match token.kind {
                Kind::FStringStart => open.push(token.start),
                Kind::FStringEnd => drop(open.pop()),
                _ => {}
            }
            open
        });
        open.last().copied().unwrap_or(at)
    }

    /// The first line whose indentation depends on how wide a tab is. Source: `tok_get` of CPython's tokenizer.
    pub(super) fn tabs(&self) -> Option<Wording> {
        let mut levels = vec![(0, 0)];
        let mut begins = true;
        for token in &self.tokens {
            let starts = std::mem::replace(&mut begins, token.kind == Kind::Newline);
            if matches!(token.kind, Kind::Indent | Kind::Dedent | Kind::Unknown) {
                begins = starts;
                continue;
            }
            if !starts || token.kind == Kind::Newline {
                continue;
            }
            let line = self.source[..token.start].rfind('\n').map_or(0, |at| at + 1);
            let indentation = self.source[line..token.start].bytes();
            let level = indentation.fold((0_usize, 0_usize), |(wide, narrow), byte| match byte {
                b'\t' => ((wide / 8 + 1) * 8, narrow + 1),
                _ => (wide + 1, narrow + 1),
            });
            while levels.len() > 1 && level.0 < levels[levels.len() - 1].0 {
                levels.pop();
            }
            let last = levels[levels.len() - 1];
            let agrees = match level.0.cmp(&last.0) {
                std::cmp::Ordering::Equal => level.1 == last.1,
                std::cmp::Ordering::Greater => level.1 > last.1,
                // No outer level is as deep.
                std::cmp::Ordering::Less => return None,
            };
            if !agrees {
                let text = "inconsistent use of tabs and spaces in indentation";
                return Some(Wording { class: Class::Tab, ..Wording::new(token.start, text) });
            }
            if level.0 > last.0 {
                levels.push(level);
            }
        }
        None
    }

    /// The first bracket that closes none, and the last one that is never closed.
    pub(super) fn brackets(&self) -> (Option<Wording>, Option<usize>) {
        let mut open: Vec<Token> = Vec::new();
        let mut strings = 0;
        for &token in &self.tokens {
            match token.kind {
                Kind::FStringStart => strings += 1,
                Kind::FStringEnd => strings -= 1,
                // Those around the fields of an f-string.
                Kind::Lbrace | Kind::Rbrace if strings > 0 => {}
                Kind::Lpar | Kind::Lsqb | Kind::Lbrace => open.push(token),
                Kind::Rpar | Kind::Rsqb | Kind::Rbrace => {
                    let closing = self.text(token);
                    let Some(opening) = open.pop() else {
                        return (Some(Wording::new(token.start, format!("unmatched '{closing}'"))), None);
                    };
                    let fits = [Kind::Lpar, Kind::Lsqb, Kind::Lbrace]
                        .iter()
                        .zip([Kind::Rpar, Kind::Rsqb, Kind::Rbrace])
                        .any(|(left, right)| opening.kind == *left && token.kind == right);
                    if !fits {
                        let line = self.line(opening.start);
                        let place = match line == self.line(token.start) {
                            true => String::new(),
                            false => format!(" on line {line}"),
                        };
                        let opening = self.text(opening);
                        let text = format!(
                            "closing parenthesis '{closing}' does not match opening parenthesis '{opening}'{place}"
                        );
                        return (Some(Wording::new(token.start, text)), None);
                    }
                }
                _ => {}
            }
        }
        (None, open.last().map(|token| token.start))
    }

    /// The first number that goes on as a name does.
    pub(super) fn number(&self) -> Option<Wording> {
        // A keyword may follow a number without a space.
        let may_follow =
            [Kind::And, Kind::Or, Kind::In, Kind::Is, Kind::If, Kind::Else, Kind::For, Kind::Not];
        let pairs = self.tokens.iter().zip(self.tokens.iter().skip(1));
        let joined = pairs.filter(|(number, name)| {
            matches!(number.kind, Kind::Int | Kind::Float | Kind::Complex)
                && number.end == name.start
                && (name.kind == Kind::Name || name.kind.is_keyword())
                && !may_follow.contains(&name.kind)
        });
        let wrong = joined.map(|(number, _)| {
            let text = literals::number(&self.source[number.start..]);
            Wording::new(number.start, text.unwrap_or_else(|| "invalid decimal literal".to_owned()))
        });
        wrong.min_by_key(|wrong| wrong.at)
    }
}
