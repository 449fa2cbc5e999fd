//! How deeply source nests, from its tokens: no tree is needed, and nothing is recursive.
//!
//! Each level of a syntax tree has a token of its own. So the tokens of an expression, without those in its brackets,
//! are at least as many as its levels, and the levels of a bracket come on top. Commas separate parts that stand side by
//! side.

use std::fmt;

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer::lex};

/// The most brackets within each other, as in Python.
const BRACKETS: usize = 200;
/// The most levels of indentation, as in Python.
const INDENTATION: usize = 100;
/// The most levels of a syntax tree. Python's own bound depends on its version (3,000 in Python 3.11).
const LEVELS: usize = 3000;
/// The most bytes of source in which a line is looked for.
const MOST_PLACED: usize = 1 << 20;

/// What source has too much of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// Brackets within brackets.
    Brackets,
    /// Blocks within blocks.
    Indentation,
    /// Operators, calls, attributes, conditions within each other.
    Levels,
}

impl fmt::Display for Nesting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Nesting::Brackets => "too many nested parentheses",
            Nesting::Indentation => "too many levels of indentation",
            Nesting::Levels => "maximum recursion depth exceeded during compilation",
        })
    }
}

/// One bracket, or the line outside all brackets.
#[derive(Default)]
struct Part {
    /// The tokens of the current part, which bound its levels.
    levels: usize,
    /// The lambdas around the current part.
    lambdas: usize,
    /// Whether this is the text of an f-string: its fields stand side by side.
    is_text: bool,
}

/// Whether source nests little enough to be parsed and compiled. Errors: what there is too much of.
pub(crate) fn check(source: &str, mode: Mode) -> Result<(), Nesting> {
    // No tree has more levels than its source has bytes.
    if source.len() < BRACKETS.min(INDENTATION) {
        return Ok(());
    }
    let mut lexer = lex(source, mode);
    let mut parts = vec![Part::default()];
    // The levels of the parts around the current one.
    let mut levels = 0;
    // For each block, how many `elif` follow each other: the compiler takes each as part of the one before.
    let mut chains = vec![0_usize];
    let mut before = TokenKind::Newline;
    loop {
        let kind = lexer.next_token();
        let Some(part) = parts.last_mut() else { return Ok(()) };
        match kind {
            TokenKind::EndOfFile => return Ok(()),
            TokenKind::Comment | TokenKind::NonLogicalNewline => continue,
            TokenKind::Indent => chains.push(0),
            TokenKind::Dedent => {
                chains.truncate(chains.len().saturating_sub(1).max(1));
            }
            TokenKind::Newline => {
                parts.truncate(1);
                parts[0] = Part::default();
                levels = 0;
            }
            TokenKind::Semi => *part = Part::default(),
            TokenKind::Comma => part.levels = part.lambdas,
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                match part.is_text {
                    true => part.levels = 1,
                    false => part.levels += 1,
                }
                levels += part.levels;
                let is_text = matches!(kind, TokenKind::FStringStart | TokenKind::TStringStart);
                parts.push(Part { is_text, ..Part::default() });
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                if parts.len() > 1 {
                    parts.pop();
                    levels -= parts[parts.len() - 1].levels;
                }
            }
            TokenKind::FStringMiddle | TokenKind::TStringMiddle => {}
            // Strings that follow each other are one.
            TokenKind::String if before == TokenKind::String => {}
            TokenKind::Elif => {
                if let Some(chain) = chains.last_mut() {
                    *chain += 1;
                }
            }
            TokenKind::Lambda => {
                part.levels += 1;
                part.lambdas += 1;
            }
            TokenKind::If | TokenKind::Else => {
                let begins = matches!(before, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent);
                match begins {
                    true if kind == TokenKind::If => *chains.last_mut().unwrap_or(&mut 0) = 0,
                    true => {}
                    false => part.levels += 1,
                }
            }
            _ => part.levels += 1,
        }
        before = kind;
        let inner = parts.last().map_or(0, |part| part.levels);
        let chain = chains.last().copied().unwrap_or(0);
        let too_much = if parts.len() > BRACKETS {
            Some(Nesting::Brackets)
        } else if chains.len() > INDENTATION {
            Some(Nesting::Indentation)
        } else if levels + inner + chain > LEVELS {
            Some(Nesting::Levels)
        } else {
            None
        };
        if let Some(nesting) = too_much {
            return Err(nesting);
        }
    }
}

/// The byte at which the line begins that makes source nest too deeply; 0 in a very long source.
pub(crate) fn place(source: &str, mode: Mode) -> usize {
    // It takes longer than the check, and nobody reads so much source.
    if source.len() > MOST_PLACED {
        return 0;
    }
    let ends: Vec<usize> = source
        .split_inclusive('\n')
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect();
    let line = ends.partition_point(|&end| check(&source[..end], mode).is_ok());
    line.checked_sub(1).map_or(0, |before| ends[before])
}
