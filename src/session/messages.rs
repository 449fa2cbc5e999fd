//! What the interpreter's messages say: its exceptions carry nothing but their text. This is the only place where a
//! message is read; errors of tensors and modules carry facts ([`ErrorFact`](crate::tensor::ErrorFact)).

/// An error of Python, as its message tells it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PythonError<'m> {
    /// A name that is not bound.
    UnknownName(&'m str),
    /// An attribute that an object lacks.
    UnknownAttribute {
        class: &'m str,
        name: &'m str,
    },
    /// A key that a dict lacks.
    UnknownKey(&'m str),
    /// A keyword that a function does not take.
    UnknownKeyword {
        /// The function, qualified: `AdamW.__init__`.
        function: &'m str,
        name: &'m str,
    },
    UnknownModule(&'m str),
    /// A method called on its class.
    NoSelf,
    /// A method called with fewer arguments than it takes.
    TooFewArguments,
    /// A method called with more arguments than it takes.
    TooManyArguments,
    /// An operator whose operands have these classes.
    Operands([&'m str; 2]),
    /// A call of an object of this class, which is none.
    NotCallable(&'m str),
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
            "ModuleNotFoundError" => quoted(message).map(PythonError::UnknownModule),
            "TypeError" => operands(message).or_else(|| arguments(message)),
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

/// The function and the keyword that it does not take.
pub(super) fn unknown_keyword(message: &str) -> Option<(&str, &str)> {
    let (function, rest) = message.split_once("() got an unexpected keyword argument '")?;
    Some((function, rest.split_once('\'')?.0))
}

/// Operands that do not fit an operator, and objects that cannot be called.
fn operands(message: &str) -> Option<PythonError<'_>> {
    if let Some(class) = message.strip_suffix(" object is not callable") {
        return Some(PythonError::NotCallable(class.trim_matches('\'')));
    }
    let (_, classes) = message.strip_prefix("unsupported operand type(s) for ")?.split_once(": ")?;
    let (left, right) = classes.split_once(" and ")?;
    Some(PythonError::Operands([left.trim_matches('\''), right.trim_matches('\'')]))
}

fn arguments(message: &str) -> Option<PythonError<'_>> {
    if let Some((function, name)) = unknown_keyword(message) {
        return Some(PythonError::UnknownKeyword { function, name });
    }
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

/// Whether the parser's message says that a block is missing: the body of a statement, or what follows the body of `try`.
pub(super) fn lacks_block(message: &str) -> bool {
    message.starts_with("Expected an indented block after")
        || message == "Expected `except` or `finally` after `try` block"
}
