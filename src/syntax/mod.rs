//! Python's parser, for source that anyone may have written: source that nests too deeply is refused before it is parsed.
//!
//! The parser, the compiler and the syntax tree's own destructor call themselves for each level of nesting, so deep enough
//! source overflows the native stack, which ends the program. Everything in this crate parses through these functions.

mod nesting;
mod words;

use ruff_python_ast::{Expr, ExprCall, Mod, ModExpression, ModModule};
use ruff_python_parser::{Mode, ParseError, ParseErrorType, Parsed};
use ruff_text_size::{TextRange, TextSize};

pub(crate) use nesting::{Nesting, check, place};
pub(crate) use words::{INVALID, Wording, line, wording};

/// Errors: the source nests too deeply.
fn checked(source: &str) -> Result<(), ParseError> {
    check(source, Mode::Module).map_err(|nesting| ParseError {
        error: ParseErrorType::OtherError(nesting.to_string()),
        location: TextRange::empty(TextSize::try_from(place(source, Mode::Module)).unwrap_or_default()),
    })
}

/// As the parser's function of this name.
pub(crate) fn parse_module(source: &str) -> Result<Parsed<ModModule>, ParseError> {
    checked(source)?;
    ruff_python_parser::parse_module(source)
}

/// As the parser's function of this name.
pub(crate) fn parse_expression(source: &str) -> Result<Parsed<ModExpression>, ParseError> {
    checked(source)?;
    ruff_python_parser::parse_expression(source)
}

/// As the parser's function of this name. Source that nests too deeply has no tokens and no tree.
pub(crate) fn parse_unchecked(source: &str, mode: Mode) -> Parsed<Mod> {
    let source = if check(source, mode).is_err() { "" } else { source };
    ruff_python_parser::parse_unchecked(source, mode.into())
}

/// Whether a line of code at the left margin binds a name.
pub(crate) fn binds(code: &str, name: &str) -> bool {
    let value = |line: &str| line.strip_prefix(name)?.trim_start().strip_prefix('=').map(str::to_owned);
    code.lines().filter_map(value).any(|value| !value.starts_with('='))
}

/// The name of the function or method that a call calls, if it has one.
pub(crate) fn callee(call: &ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Attribute(method) => Some(method.attr.as_str()),
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}
