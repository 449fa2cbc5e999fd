//! What the interpreter's messages say: its exceptions carry nothing but their text. This is the only place where a
//! message is read; errors of tensors and modules carry facts ([`ErrorFact`](crate::tensor::ErrorFact)).

/// An error of Python, as its message tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PythonError<'m> {
    /// A name that is not bound.
    UnknownName(&'m str),
    /// An attribute that an object lacks.
    UnknownAttribute {
        /// The class of the object.
        class: &'m str,
        /// The attribute.
        name: &'m str,
    },
    /// A key that a dict lacks.
    UnknownKey(&'m str),
    /// A method called on its class.
    NoSelf,
    /// A method called with fewer arguments than it takes.
    TooFewArguments,
    /// A method called with more arguments than it takes.
    TooManyArguments,
}

impl<'m> PythonError<'m> {
    /// Reads an exception of this type; `None` for what is not listed here, and where the message already has a
    /// suggestion.
    pub(crate) fn of(kind: &str, message: &'m str) -> Option<PythonError<'m>> {
        if message.to_lowercase().contains("did you mean") {
            return None;
        }
        match kind {
            "NameError" | "UnboundLocalError" => quoted(message).map(PythonError::UnknownName),
            "AttributeError" => {
                let (_, name) = message.rsplit_once(" attribute '")?;
                let name = name.trim_end_matches('\'');
                Some(PythonError::UnknownAttribute { class: quoted(message)?, name })
            }
            "KeyError" => quoted(message).map(PythonError::UnknownKey),
            "TypeError" => arguments(message),
            _ => None,
        }
    }
}

/// The text in the first quotes.
fn quoted(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once('\'')?;
    rest.split_once('\'').map(|(name, _)| name)
}

/// The class of an AttributeError's message: `'Linear' object has no attribute`.
pub(super) fn class_without_attribute(message: &str) -> Option<&str> {
    message.strip_prefix('\'')?.split_once('\'').map(|(class, _)| class)
}

fn arguments(message: &str) -> Option<PythonError<'_>> {
    let is_method = message.split_once("()").is_some_and(|(name, _)| name.contains('.'));
    let is_missing = message.contains("missing") && message.contains("required positional argument");
    if message.contains("positional argument") && message.contains("given") && is_method {
        Some(PythonError::TooManyArguments)
    } else if is_missing && message.contains("required positional argument: 'self'") {
        Some(PythonError::NoSelf)
    } else if is_missing && is_method {
        Some(PythonError::TooFewArguments)
    } else {
        None
    }
}

/// Whether the parser's message says that a block is missing: the body of a statement, or what follows that of `try`.
pub(super) fn lacks_block(message: &str) -> bool {
    message.starts_with("Expected an indented block after")
        || message == "Expected `except` or `finally` after `try` block"
}

/// CPython's message where RustPython's parser has another one. `parser` is the parser's own message, `line` where the
/// error is, from 1 on.
pub(super) fn syntax_message(message: String, parser: &str, source: &str, line: Option<usize>) -> String {
    let at = line.unwrap_or(1);
    let text = source.lines().nth(at - 1).unwrap_or("").trim();
    if text.starts_with("print ") && message == "invalid syntax" {
        return "Missing parentheses in call to 'print'. Did you mean print(...)?".to_owned();
    }
    if message == "invalid syntax" && parser.starts_with("Expected `:`") {
        return "expected ':'".to_owned();
    }
    match message.as_str() {
        "unexpected indentation" => "unexpected indent".to_owned(),
        "unterminated string" => format!("unterminated string literal (detected at line {at})"),
        _ if message.starts_with("expected an indented block") => {
            let earlier = source.lines().take(at.saturating_sub(1)).collect::<Vec<_>>();
            let block = earlier.iter().rposition(|line| !line.trim().is_empty());
            let after = block.map_or(String::new(), |block| format!(" on line {}", block + 1));
            format!("{}{after}", message.replace('`', "'"))
        }
        _ => message,
    }
}
