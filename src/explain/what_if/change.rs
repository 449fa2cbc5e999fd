//! The changes there are, and how they are typed.
//! The interpreter's parser reads them; nothing is run.

use ruff_python_ast::{Expr, Stmt};
use ruff_python_parser::{parse_expression, parse_module};
use ruff_text_size::Ranged;

use super::Names;
use crate::ops::nearest;

/// The forms that a change may have, for who typed something else.
pub const FORMS: &str = "a change is NAME=VALUE (d_k=64), NAME[INDEX]=VALUE (inputs[1,0]=0.9, inputs[1]=[0.5, 0.8, 0.6]) \
                         or NAME[INDEX]=OTHER (inputs[1]=inputs[4])";

/// Something that is to be different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A variable, or part of one, has this value from where it is made.
    Set {
        /// What is set: `inputs[1,0]`.
        target: String,
        /// The variable in it: `inputs`.
        root: String,
        /// The expression it is set to.
        value: String,
        /// Whether that is written as a list.
        listed: bool,
        /// The token whose row this drops: where, and of how many.
        drops: Option<(usize, usize)>,
    },
    /// Every `torch.manual_seed` gets this seed.
    Seed(i64),
    /// A token's row holds that of another token.
    Token {
        /// The token.
        old: String,
        /// The one that takes its place.
        new: String,
    },
    /// A token is left out.
    Drop(String),
    /// Code reads otherwise.
    Edit {
        /// The cell, if it is named.
        cell: Option<String>,
        /// What stands there.
        old: String,
        /// What is to stand there.
        new: String,
    },
}

impl Change {
    /// `NAME[INDEX]=VALUE`. Errors: it is none, in words.
    pub fn set(text: &str) -> Result<Change, String> {
        let misread = || format!("`{text}` cannot be read as a change: {FORMS}");
        let parsed = parse_module(text.trim()).map_err(|_| misread())?;
        let [Stmt::Assign(assign)] = parsed.syntax().body.as_slice() else { return Err(misread()) };
        let [target] = assign.targets.as_slice() else { return Err(misread()) };
        let root = root_of(target).ok_or_else(misread)?;
        let slice = |range: ruff_text_size::TextRange| text.trim()[range].to_owned();
        Ok(Change::Set {
            target: slice(target.range()),
            root,
            value: slice(assign.value.range()),
            listed: matches!(&*assign.value, Expr::List(_) | Expr::Tuple(_)),
            drops: None,
        })
    }

    /// `OLD=NEW`, two tokens. Errors: it is not that.
    pub fn token(text: &str) -> Result<Change, String> {
        match text.split_once('=').map(|(old, new)| (old.trim(), new.trim())) {
            Some((old, new)) if !old.is_empty() && !new.is_empty() => {
                Ok(Change::Token { old: old.to_owned(), new: new.to_owned() })
            }
            _ => Err(format!("`{text}` names no two tokens: write OLD=NEW, as in journey=one")),
        }
    }

    /// `[WHERE:] OLD => NEW`. Errors: it is not that.
    pub fn edit(text: &str) -> Result<Change, String> {
        let misread =
            || format!("`{text}` is no edit: write [STEP:] OLD => NEW, as in weights: dim=-1 => dim=0");
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

    /// A change as it is typed at a prompt: `seed 7`, `token journey=one`, `drop journey`, `edit OLD => NEW`, or
    /// a setting. Errors: in words.
    pub fn typed(text: &str) -> Result<Change, String> {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        // `seed = 7` sets a variable of that name.
        match word {
            _ if rest.starts_with('=') && !rest.starts_with("=>") => Change::set(text),
            "seed" => {
                rest.parse().map(Change::Seed).map_err(|_| format!("`{text}`: a seed is a whole number"))
            }
            "token" => Change::token(rest),
            "drop" if !rest.is_empty() => Ok(Change::Drop(rest.to_owned())),
            "edit" => Change::edit(rest),
            _ if text.contains("=>") => Change::edit(text),
            _ => Change::set(text),
        }
    }

    /// Words of the lesson as rows of its tensors. Errors: it has no such word, or no such tensor.
    pub(super) fn resolved(&self, names: &dyn Names) -> Result<Change, String> {
        let words = names.tokens();
        let at = |word: &String| {
            words.iter().position(|token| token == word).ok_or_else(|| {
                let near = nearest(word, &words, 1);
                match (words.is_empty(), near.first()) {
                    (true, _) => "there are no tokens with names here".to_owned(),
                    (_, Some(near)) => format!("`{word}` is no token here; the nearest: {near}"),
                    _ => format!("`{word}` is no token here; there are: {}", words.join(", ")),
                }
            })
        };
        let first = || {
            let tensors = names.token_tensors();
            tensors.into_iter().next().ok_or_else(|| "no tensor here has a row for each token".to_owned())
        };
        match self {
            Change::Token { old, new } => {
                let (old, new) = (at(old)?, at(new)?);
                let root = first()?;
                let (target, value) = (format!("{root}[{old}]"), format!("{root}[{new}]"));
                Ok(Change::Set { target, root, value, listed: false, drops: None })
            }
            Change::Drop(word) => {
                let (at, size) = (at(word)?, words.len());
                let root = first()?;
                let kept: Vec<String> = (0..size).filter(|i| *i != at).map(|i| i.to_string()).collect();
                let value = format!("{root}[[{}]]", kept.join(", "));
                Ok(Change::Set { target: root.clone(), root, value, listed: false, drops: Some((at, size)) })
            }
            other => Ok(other.clone()),
        }
    }
}

/// Whether a word names a cell by a slug or a number (`weights`, `cell 4`), not code.
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

/// The indices of a target where they are plain numbers: `inputs[1,0]` gives 1 and 0.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_python_reads_them() {
        let read = |text: &str| match Change::set(text) {
            Ok(Change::Set { target, root, value, .. }) => Ok((target, root, value)),
            Ok(_) => Err("another change".to_owned()),
            Err(words) => Err(words),
        };
        let set = |target: &str, root: &str, value: &str| Ok((target.into(), root.into(), value.into()));
        assert_eq!(read("inputs[1,0]=0.9"), set("inputs[1,0]", "inputs", "0.9"));
        assert_eq!(read(" d_k = 64 "), set("d_k", "d_k", "64"));
        assert_eq!(read("sa.W[0]=x==y"), set("sa.W[0]", "sa", "x==y"));
        for wrong in
            ["", "inputs", "inputs[1,0]", "inputs[1,0]==2", "a=b=c", "a, b = 1, 2", "f()=2", "a=1; b=2"]
        {
            assert!(read(wrong).is_err_and(|words| words.contains(FORMS)), "{wrong}");
        }
    }

    #[test]
    fn what_is_typed_at_a_prompt_is_told_apart() {
        assert_eq!(Change::typed("seed 7"), Ok(Change::Seed(7)));
        assert!(matches!(Change::typed("seed = 7"), Ok(Change::Set { .. })));
        assert_eq!(Change::typed("drop journey"), Ok(Change::Drop("journey".into())));
        let edit = |cell: Option<&str>| Change::Edit {
            cell: cell.map(str::to_owned),
            old: "dim=-1".into(),
            new: "dim=0".into(),
        };
        assert_eq!(Change::typed("dim=-1 => dim=0"), Ok(edit(None)));
        assert_eq!(Change::edit("weights: dim=-1 => dim=0"), Ok(edit(Some("weights"))));
        assert!(Change::typed("seed x").is_err() && Change::edit("a = b").is_err());
        assert_eq!(indices("inputs[1, 0]"), [1, 0]);
        assert!(indices("inputs[:, 0]").is_empty());
    }
}
