//! Signatures as PyTorch writes them, read from the table of operations.
//! Text to parameters; binding Python objects to them is `bind`.
//!
//! A form is the text between the parentheses of PyTorch's documentation, types first:
//! `Tensor input, int dim, *, dtype? dtype=None`. See [`Type`] for the words.

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    /// `Tensor`
    Tensor,
    /// `Operand`: a tensor or a Python number.
    Operand,
    /// `Number`: a Python number, or a tensor of one element.
    Number,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `bool`
    Bool,
    /// `str`
    Str,
    /// `dtype`
    Dtype,
    /// `ints`: a sequence of ints, or one int.
    Ints,
    /// `sizes`: a sequence of ints, or the ints one after the other.
    Sizes,
    /// `dims`: as `sizes`, for dimensions.
    Floats,
    /// `Tensors`: a sequence of tensors.
    Tensors,
    /// `Several`: a sequence of tensors, or tensors one after the other.
    Several,
    /// `Generator`
    Generator,
    /// `any`: taken and not looked at (`device`, `layout`, `pin_memory`).
    Any,
}

/// One parameter of a form.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name, which is its keyword.
    pub name: &'static str,
    /// What it takes.
    pub(crate) kind: Type,
    /// Whether `None` may be given.
    pub(crate) optional: bool,
    /// Whether it can only be given by name.
    pub(crate) keyword_only: bool,
    /// The text of its default.
    pub(crate) default: Option<&'static str>,
}

/// The words for [`Type`] in a form.
const WORDS: [(&str, Type); 15] = [
    ("Tensor", Type::Tensor),
    ("Operand", Type::Operand),
    ("Number", Type::Number),
    ("int", Type::Int),
    ("float", Type::Float),
    ("bool", Type::Bool),
    ("str", Type::Str),
    ("dtype", Type::Dtype),
    ("ints", Type::Ints),
    ("sizes", Type::Sizes),
    ("floats", Type::Floats),
    ("Tensors", Type::Tensors),
    ("Several", Type::Several),
    ("Generator", Type::Generator),
    ("any", Type::Any),
];

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
        let (word, optional) = match word.strip_suffix('?') {
            Some(word) => (word, true),
            None => (word, false),
        };
        let kind = WORDS.iter().find(|row| row.0 == word);
        let (_, kind) = kind.unwrap_or_else(|| panic!("unknown type {word:?} in {form:?}"));
        let (name, default) = match rest.split_once('=') {
            Some((name, default)) => (name, Some(default)),
            None => (rest, None),
        };
        params.push(Param { name, kind: *kind, optional, keyword_only, default });
    }
    params
}

/// The form as documentation shows it: `input, dim, *, dtype=None`.
pub(crate) fn signature(form: &'static str) -> String {
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
