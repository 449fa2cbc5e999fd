//! The kinds of changes, and how they are typed.

use crate::syntax::{parse_expression, parse_module};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use super::axes::LessonWords;
use crate::ops::nearest;

/// The forms of a setting, for an error message.
pub const FORMS: &str = "a change is NAME=VALUE (d_k=64), NAME[INDEX]=VALUE (inputs[1,0]=0.9, inputs[1]=[0.5, 0.8, 0.6]) \
                         or NAME[INDEX]=OTHER (inputs[1]=inputs[4])";

/// A change to what cells compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A variable, or part of one, is set whenever a cell binds it.
    Set {
        /// What is set: `inputs[1,0]`.
        target: String,
        /// The variable in it: `inputs`.
        variable: String,
        /// The expression it is set to.
        value: String,
        /// Whether the expression is a list or a tuple.
        is_list: bool,
        /// The token whose row this leaves out: its position, and the number of tokens.
        drops: Option<(usize, usize)>,
    },
    /// Every `torch.manual_seed` gets this seed.
    Seed(i64),
    /// A token's row is replaced by the row of another token.
    Token {
        old: String,
        /// The token whose row replaces it.
        new: String,
    },
    /// A token is left out.
    Drop(String),
    /// Code is replaced.
    Edit {
        /// The cell, if it is named.
        cell: Option<String>,
        /// The code to replace.
        old: String,
        new: String,
    },
}

impl Change {
    /// Reads `NAME[INDEX]=VALUE`. Errors: a message with the allowed forms.
    pub fn set(text: &str) -> Result<Change, String> {
        let misread = || match text.trim() {
            "?" => FORMS.to_owned(),
            text => format!("`{text}` cannot be read as a change: {FORMS}"),
        };
        let parsed = parse_module(text.trim()).map_err(|_| misread())?;
        let [Stmt::Assign(assign)] = parsed.syntax().body.as_slice() else { return Err(misread()) };
        let [target] = assign.targets.as_slice() else { return Err(misread()) };
        let variable = root_of(target).ok_or_else(misread)?;
        let slice = |range: ruff_text_size::TextRange| text.trim()[range].to_owned();
        Ok(Change::Set {
            target: slice(target.range()),
            variable,
            value: slice(assign.value.range()),
            is_list: matches!(&*assign.value, Expr::List(_) | Expr::Tuple(_)),
            drops: None,
        })
    }

    /// Reads `OLD=NEW`, two tokens. Errors: a message with the form.
    pub(crate) fn token(text: &str) -> Result<Change, String> {
        match text.split_once('=').map(|(old, new)| (old.trim(), new.trim())) {
            Some((old, new)) if !old.is_empty() && !new.is_empty() => {
                Ok(Change::Token { old: old.to_owned(), new: new.to_owned() })
            }
            _ => Err(format!("`{text}` does not name two tokens: write OLD=NEW, as in journey=one")),
        }
    }

    /// Reads `[WHERE:] OLD => NEW`. Errors: a message with the form.
    pub fn edit(text: &str) -> Result<Change, String> {
        let misread =
            || format!("`{text}` is not an edit: write [STEP:] OLD => NEW, as in weights: dim=-1 => dim=0");
        let (left, new) = text.split_once("=>").or_else(|| text.split_once(" -> ")).ok_or_else(misread)?;
        let (cell, old) = match left.split_once(':') {
            Some((cell, old)) if is_cell(cell.trim()) => (Some(cell.trim().to_owned()), old),
            _ => (None, left),
        };
        let (old, new) = (old.trim(), new.trim());
        if old.is_empty() {
            return Err(misread());
        }
        Ok(Change::Edit { cell, old: old.to_owned(), new: new.to_owned() })
    }

    /// Reads a change as it is typed at a prompt: `seed 7`, `token journey=one`, `drop journey`, `edit OLD => NEW`, or a
    /// setting. Errors: a message with the form.
    pub fn typed(text: &str) -> Result<Change, String> {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        // `seed = 7` sets a variable of that name.
        match word {
            _ if rest.starts_with('=') && !text.contains("=>") => Change::set(text),
            "seed" => {
                rest.parse().map(Change::Seed).map_err(|_| format!("`{text}`: a seed is a whole number"))
            }
            "token" => Change::token(rest),
            "drop" if !rest.is_empty() => Ok(Change::Drop(rest.to_owned())),
            "edit" => Change::edit(rest),
            _ if text.contains("=>") => Change::edit(text),
            _ => Change::set(text)
                .map_err(|misread| format!("{misread}, or OLD => NEW for code (dim=-1 => dim=0), or seed 7")),
        }
    }

    /// Replaces tokens by the rows of the lesson's tensor that has a row for each token. Errors: there is no such token or
    /// tensor.
    pub(super) fn resolved(&self, words: &dyn LessonWords) -> Result<Change, String> {
        let tokens = words.tokens();
        let at = |word: &String| {
            tokens.iter().position(|token| token == word).ok_or_else(|| {
                let near = nearest(word, &tokens, 1);
                match (tokens.is_empty(), near.first()) {
                    (true, _) => "there are no tokens with names here".to_owned(),
                    (_, Some(near)) => format!("`{word}` is not a token here; the nearest: {near}"),
                    _ => format!("`{word}` is not a token here; there are: {}", tokens.join(", ")),
                }
            })
        };
        let token_tensor = || {
            let tensors = words.token_tensors();
            tensors.into_iter().next().ok_or_else(|| "no tensor here has a row for each token".to_owned())
        };
        match self {
            Change::Token { old, new } => {
                let (old, new) = (at(old)?, at(new)?);
                let variable = token_tensor()?;
                let (target, value) = (format!("{variable}[{old}]"), format!("{variable}[{new}]"));
                Ok(Change::Set { target, variable, value, is_list: false, drops: None })
            }
            Change::Drop(word) => {
                let (at, size) = (at(word)?, tokens.len());
                let variable = token_tensor()?;
                let kept: Vec<String> = (0..size).filter(|i| *i != at).map(|i| i.to_string()).collect();
                let value = format!("{variable}[[{}]]", kept.join(", "));
                let target = variable.clone();
                Ok(Change::Set { target, variable, value, is_list: false, drops: Some((at, size)) })
            }
            other => Ok(other.clone()),
        }
    }
}

/// Whether a word may be the name of a cell (`cell 4`, a slug) and not code.
fn is_cell(word: &str) -> bool {
    let word = word.strip_prefix("cell ").unwrap_or(word);
    !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "-.".contains(letter))
}

/// The variable at the root of `a`, `a[i]`, `a.b[i]`.
pub(super) fn root_of(target: &Expr) -> Option<String> {
    match target {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Subscript(part) => root_of(&part.value),
        Expr::Attribute(part) => root_of(&part.value),
        _ => None,
    }
}

/// The indices of a target if they are numbers: 1 and 0 for `inputs[1,0]`. Empty for other targets.
pub(super) fn indices(target: &str) -> Vec<usize> {
    let Ok(parsed) = parse_expression(target) else { return Vec::new() };
    let Expr::Subscript(part) = &*parsed.syntax().body else { return Vec::new() };
    let number = |index: &Expr| match index {
        Expr::NumberLiteral(_) => target[index.range()].parse().ok(),
        _ => None,
    };
    match &*part.slice {
        Expr::Tuple(tuple) => tuple.elts.iter().map(number).collect::<Option<_>>().unwrap_or_default(),
        index => number(index).into_iter().collect(),
    }
}
