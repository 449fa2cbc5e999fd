//! What is wrong with source that is not Python: the parser's words, and CPython's for what people mistype most: brackets,
//! texts without an end, a colon or a comma that is missing, indentation.

use ruff_python_ast::token::TokenKind as Kind;
use ruff_python_parser::{LexicalErrorType as Lexical, Mode, ParseErrorType as Error};
use ruff_text_size::Ranged;

use super::parse_unchecked;

/// What is said where nothing more particular is known.
pub(crate) const INVALID: &str = "invalid syntax";

/// An error of syntax.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    pub(crate) text: String,
    /// The byte that it is about.
    pub(crate) at: usize,
    /// Whether it is an `IndentationError`.
    pub(crate) is_indentation: bool,
}

/// What is wrong with source. `None` if the parser finds nothing, and if the source nests too deeply.
pub(crate) fn wording(source: &str, mode: Mode) -> Option<Wording> {
    let parsed = parse_unchecked(source, mode);
    let first = parsed.errors().first()?;
    let at = first.location.start().to_usize().min(source.len());
    let said = |text: &str| Wording { text: text.to_owned(), at, is_indentation: false };
    let of_indentation = |text: &str| Wording { is_indentation: true, ..said(text) };
    let worded = match &first.error {
        Error::SimpleStatementsOnSameLine | Error::ExpectedExpression | Error::UnexpectedExpressionToken => {
            said(INVALID)
        }
        Error::UnexpectedIndentation => of_indentation("unexpected indent"),
        Error::Lexical(Lexical::IndentationError) => of_indentation(&first.error.to_string()),
        Error::Lexical(Lexical::UnclosedStringError) => {
            said(&format!("unterminated string literal (detected at line {})", line(source, at)))
        }
        Error::Lexical(Lexical::UnrecognizedToken { tok }) if tok.is_ascii() => {
            let is_fence = source[at..].starts_with("```");
            said(if is_fence {
                "``` is Markdown around code, not Python: leave these lines out"
            } else {
                INVALID
            })
        }
        Error::Lexical(Lexical::UnrecognizedToken { tok }) => {
            said(&format!("invalid character '{tok}' (U+{:04X})", *tok as u32))
        }
        Error::ExpectedToken { expected: Kind::Colon, .. } => said("expected ':'"),
        Error::ExpectedToken { expected: Kind::Comma, .. } => {
            said("invalid syntax. Perhaps you forgot a comma?")
        }
        Error::OtherError(message) if message.starts_with("Expected an indented block") => {
            of_indentation(&message.replacen('E', "e", 1).replace('`', "'"))
        }
        other => {
            let text = other.to_string().replace('`', "'");
            said(&(text[..1].to_lowercase() + &text[1..]))
        }
    };
    let tokens = parsed.tokens().iter().map(|token| (token.kind(), token.start().to_usize()));
    match brackets(source, tokens.clone()) {
        Some(Bracket::Wrong(at, text)) => Some(Wording { text, at, is_indentation: false }),
        // A bracket that is open since an earlier line is likelier to be the mistake. A keyword at the start of a line ends
        // the statement for this parser: then the error is at the end of the line before.
        Some(Bracket::Open(open)) => {
            let is_layout = |kind: Kind| {
                matches!(kind, Kind::Newline | Kind::NonLogicalNewline | Kind::Indent | Kind::Dedent)
            };
            let met = tokens
                .clone()
                .find(|(kind, start)| *start >= at && !is_layout(*kind))
                .map(|(_, start)| start);
            let is_last = first.error == Error::Lexical(Lexical::Eof);
            let is_open = is_last || line(source, open) < line(source, met.unwrap_or(source.len()));
            let text = format!("'{}' was never closed", &source[open..=open]);
            Some(if is_open { Wording { text, at: open, is_indentation: false } } else { worded })
        }
        None => Some(worded),
    }
}

/// The line of a byte, from 1 on.
pub(crate) fn line(source: &str, at: usize) -> usize {
    source.as_bytes()[..at.min(source.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

enum Bracket {
    /// One that closes none, or another one than was opened: its byte, and what is wrong.
    Wrong(usize, String),
    /// The last one that is never closed.
    Open(usize),
}

/// The first bracket that does not fit, or the last one that is never closed.
fn brackets(source: &str, tokens: impl Iterator<Item = (Kind, usize)>) -> Option<Bracket> {
    let mut open: Vec<(Kind, usize)> = Vec::new();
    let mut strings = 0;
    for (kind, at) in tokens {
        match kind {
            Kind::FStringStart => strings += 1,
            Kind::FStringEnd => strings -= 1,
            // Those around the fields of an f-string.
            Kind::Lbrace | Kind::Rbrace if strings > 0 => {}
            Kind::Lpar => open.push((Kind::Rpar, at)),
            Kind::Lsqb => open.push((Kind::Rsqb, at)),
            Kind::Lbrace => open.push((Kind::Rbrace, at)),
            Kind::Rpar | Kind::Rsqb | Kind::Rbrace => {
                let closing = &source[at..=at];
                let Some((wanted, opening)) = open.pop() else {
                    return Some(Bracket::Wrong(at, format!("unmatched '{closing}'")));
                };
                if wanted != kind {
                    let opening = &source[opening..=opening];
                    let text = format!(
                        "closing parenthesis '{closing}' does not match opening parenthesis '{opening}'"
                    );
                    return Some(Bracket::Wrong(at, text));
                }
            }
            _ => {}
        }
    }
    open.last().map(|(_, at)| Bracket::Open(*at))
}
