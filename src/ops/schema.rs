//! Signatures as PyTorch writes them, read from the table of operations.
//! Text to parameters; binding Python objects to them is `bind`.
//!
//! A form is the text between the parentheses of PyTorch's documentation, types first:
//! `Tensor input, int dim, *, dtype? dtype=None`. See [`Type`] for the words.
//!
//! An argument is honoured or refused: no word takes a value and ignores it. What an operation does not read is an
//! `only`, which is refused with anything but its default. A test looks for a call of every other parameter in which it
//! changes the result.

use std::rc::Rc;

use crate::tensor::Arg;

/// The types of parameters, and their words in a form.
macro_rules! types {
    ($($(#[$doc:meta])* $name:ident $word:literal,)*) => {
        /// What a parameter takes.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Type {
            $(#[doc = $word] $(#[$doc])* $name,)*
        }

        /// The words for [`Type`] in a form.
        const WORDS: &[(&str, Type)] = &[$(($word, Type::$name),)*];
    };
}

types! {
    Tensor "Tensor",
    /// A tensor or a Python number.
    Operand "Operand",
    /// A Python number, or a tensor of one element.
    Number "Number",
    Int "int",
    Float "float",
    Bool "bool",
    Str "str",
    Dtype "dtype",
    /// A sequence of ints, or one int.
    Ints "ints",
    /// A sequence of ints, or the ints one after the other.
    Sizes "sizes",
    /// A sequence of tensors.
    Tensors "Tensors",
    /// A sequence of tensors, or tensors one after the other.
    Several "Several",
    Generator "Generator",
    /// The CPU; all others are refused.
    Device "device",
    /// Strided; all others are refused.
    Layout "layout",
    /// The contiguous or the preserved memory format; all others are refused.
    Format "format",
    /// The default; anything else is refused. For what attn has no other of (`driver`, `pin_memory`).
    Only "only",
    /// A bool or a number; no result can depend on it (`non_blocking`).
    Hint "hint",
    /// Where the result is written; read before the arguments are bound.
    Out "out",
    /// An index expression, which Python's syntax gives.
    Index "index",
}

impl Type {
    /// Whether it is left out where PyTorch lists overloads.
    pub(crate) fn is_unlisted(self) -> bool {
        matches!(
            self,
            Type::Device | Type::Layout | Type::Format | Type::Only | Type::Hint | Type::Out | Type::Index
        )
    }
}

/// One parameter of a form.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name, which is its keyword.
    pub name: &'static str,
    pub(crate) kind: Type,
    /// Whether `None` may be given.
    pub(crate) optional: bool,
    /// Whether it can only be given by name.
    pub(crate) keyword_only: bool,
    /// The text of its default.
    pub(crate) default: Option<&'static str>,
}

/// The parameters of a form. Panics on a form that is not well written: the table's test reads all.
pub(crate) fn parse(form: &'static str) -> Vec<Param> {
    let mut keyword_only = false;
    let mut params = Vec::new();
    for part in form.split(", ").filter(|part| !part.is_empty()) {
        if part == "*" {
            keyword_only = true;
            continue;
        }
        let (word, rest) = part.split_once(' ').unwrap_or_else(|| panic!("no type in {part:?} of {form:?}"));
        let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
        let kind = WORDS.iter().find(|row| row.0 == word);
        let (_, kind) = kind.unwrap_or_else(|| panic!("unknown type {word:?} in {form:?}"));
        let (name, default) =
            rest.split_once('=').map_or((rest, None), |(name, default)| (name, Some(default)));
        params.push(Param { name, kind: *kind, optional, keyword_only, default });
    }
    params
}

/// The argument a default's text means.
pub(crate) fn default_arg(text: &'static str) -> Arg {
    match text {
        "None" => Arg::None,
        "True" => Arg::Bool(true),
        "False" => Arg::Bool(false),
        "()" => Arg::Ints(Vec::new()),
        _ => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(int), _) => Arg::Int(int),
            (_, Ok(float)) => Arg::Float(float),
            _ => Arg::Str(Rc::from(text.trim_matches('\''))),
        },
    }
}

/// The names of the parameters that a function in Python gets.
#[cfg_attr(private_layers, expect(dead_code, reason = "tests use it"))]
pub fn passed_on(form: &'static str) -> impl Iterator<Item = &'static str> {
    parse(form).into_iter().filter(|param| !param.kind.is_unlisted()).map(|param| param.name)
}

/// The form as documentation shows it: `input, dim, *, dtype=None`.
pub fn signature(form: &'static str) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut starred = false;
    for param in parse(form) {
        if param.keyword_only && !starred {
            starred = true;
            texts.push("*".to_owned());
        }
        let star = if matches!(param.kind, Type::Sizes | Type::Several) { "*" } else { "" };
        texts.push(match param.default {
            Some(default) => format!("{}={default}", param.name),
            None => format!("{star}{}", param.name),
        });
    }
    texts.join(", ")
}
