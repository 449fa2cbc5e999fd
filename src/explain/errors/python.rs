//! Errors of Python itself: names, attributes and keys that do not exist, for which it suggests the nearest that do,
//! calls with too many or too few arguments or an unknown keyword, and packages for which something else serves.

use super::evidence::{ErrorCase, Evidence};
use super::explanation::{ErrorExplanation, Fix};
use crate::ops::nearest;
use crate::ops::op::FUNCTION;
use crate::ops::table::find;
use crate::session::PythonError;
use crate::tensor::ErrorFact;

/// Names that are usually imported, and how.
const IMPORTS: [(&str, &str); 9] = [
    ("torch", "import torch"),
    ("nn", "import torch.nn as nn"),
    ("F", "import torch.nn.functional as F"),
    ("math", "import math"),
    ("Parameter", "from torch.nn import Parameter"),
    ("random", "import random"),
    ("time", "import time"),
    ("inf", "from math import inf"),
    ("optim", "import torch.optim as optim"),
];

/// Functions of Python's own whose names a learner may type for a tensor's.
const FUNCTIONS: [&str; 8] = ["input", "id", "iter", "len", "max", "min", "sum", "vars"];

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let case = evidence.case;
    if let Some(ErrorFact::UnknownKeyword { function, wanted, known }) = case.raised.fact.as_deref() {
        return keyword(function, wanted, known);
    }
    Some(match PythonError::of(&case.raised.kind, &case.raised.message)? {
        PythonError::UnknownName(wanted) => name(case, wanted),
        PythonError::UnknownAttribute { class, name } => attribute(case, class, name),
        PythonError::UnknownKey(wanted) => key(case, wanted),
        PythonError::UnknownKeyword { function, name } => keyword(function, name, &case.scene.parameters)?,
        PythonError::UnknownModule(name) => module(name)?,
        PythonError::NoSelf => {
            remark("It was called on the class: make an object of it first, as in layer = Layer(...).")
        }
        PythonError::TooFewArguments => {
            remark("The object was called with fewer arguments than its def line names (self aside).")
        }
        PythonError::TooManyArguments => remark(
            "Python counts self as the first argument: one less of each is what stands between the brackets.",
        ),
        PythonError::Operands(classes) => {
            let own = classes.contains(&"builtin_function_or_method").then(|| mistyped(case)).flatten();
            own.or_else(|| classes.into_iter().find_map(no_operand).map(remark))?
        }
        PythonError::NotCallable("Tensor") => remark(
            "Round brackets call a function. Square ones take a part of a tensor, as in x[i]; * multiplies.",
        ),
        PythonError::NotCallable(_) => not_of_self(case)?,
    })
}

/// A function of Python's own in the line that raised whose name is nearly that of a tensor, as `input` is for `inputs`.
fn mistyped(case: &ErrorCase) -> Option<ErrorExplanation> {
    let (_, line) = case.line(case.place()?)?;
    let tensors: Vec<&str> = case.scene.tensors.iter().map(|it| it.name.as_str()).collect();
    let functions = words(&line).filter(|word| FUNCTIONS.contains(word) && !tensors.contains(word));
    let (word, near) =
        functions.map(|word| (word, nearest(word, &tensors, 1))).find(|(_, near)| !near.is_empty())?;
    Some(ErrorExplanation::new(vec![format!("{word} is a function of Python's own.")], fixes(near)))
}

/// Why an object of this class is no operand of an operator.
fn no_operand(class: &str) -> Option<&'static str> {
    Some(match class {
        "method" | "builtin_function_or_method" => {
            "One of the two is a method that was not called: it needs brackets, as in x.sum()."
        }
        "max" | "min" | "median" | "mode" | "sort" | "topk" | "kthvalue" => {
            "With a dim, it returns two tensors: .values has the numbers, .indices their places."
        }
        "NoneType" => "One of the two is None: that is what a function without a return gives.",
        _ => return None,
    })
}

fn remark(words: &str) -> ErrorExplanation {
    ErrorExplanation::new(vec![words.to_owned()], Vec::new())
}

fn fixes(names: Vec<String>) -> Vec<Fix> {
    names.into_iter().map(|name| Fix::new(name, "")).collect()
}

/// The names in a line of code, with their attributes.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && !"_.".contains(letter))
}

/// A name in the line that raised that the object has too: what was meant is the object's.
fn not_of_self(case: &ErrorCase) -> Option<ErrorExplanation> {
    let (_, line) = case.line(case.place()?)?;
    let called = |word: &&str| line.contains(&format!("{word}(")) && is_of_self(case, word);
    words(&line).filter(|word| !word.is_empty()).find(called).map(|word| name(case, word))
}

/// Whether the object whose method ran has an attribute of this name.
fn is_of_self(case: &ErrorCase, name: &str) -> bool {
    let own = format!("self.{name}");
    let rest =
        |known: &str| known.strip_prefix(&own).is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']));
    case.scene.tensors.iter().any(|variable| rest(&variable.name))
}

fn name(case: &ErrorCase, wanted: &str) -> ErrorExplanation {
    if is_of_self(case, wanted) {
        let remarks =
            vec![format!("{wanted} belongs to the object: inside a method it is reached through self.")];
        return ErrorExplanation::new(remarks, vec![Fix::new(format!("self.{wanted}"), "")]);
    }
    if let Some((_, import)) = IMPORTS.iter().find(|(name, _)| *name == wanted) {
        return ErrorExplanation::new(Vec::new(), vec![Fix::new(*import, "")]);
    }
    if let Some(line) = made_below(case, wanted) {
        return remark(&format!(
            "{wanted} is made in line {line}, below: that line has to run before this one."
        ));
    }
    let mut near = nearest(wanted, &case.scene.names, 2);
    if find(wanted).is_some_and(|op| op.places & FUNCTION != 0) {
        near.insert(0, format!("torch.{wanted}"));
    }
    ErrorExplanation::new(Vec::new(), fixes(near))
}

/// The line below the one that raised that binds this name, in the same block or around it.
fn made_below(case: &ErrorCase, wanted: &str) -> Option<usize> {
    let (cell, raised) = case.place()?;
    let source = (case.source)(cell)?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let outermost = indent(source.lines().nth(raised.checked_sub(1)?)?);
    let binds = |line: &str| {
        let rest = line.trim_start().strip_prefix(wanted).map(str::trim_start);
        let value = rest.and_then(|rest| rest.strip_prefix('='));
        indent(line) <= outermost && value.is_some_and(|value| !value.starts_with('='))
    };
    source.lines().enumerate().skip(raised).find(|(_, line)| binds(line)).map(|(at, _)| at + 1)
}

/// A keyword that a function does not take: the keywords that it takes, the nearest first.
fn keyword(function: &str, wanted: &str, known: &[String]) -> Option<ErrorExplanation> {
    const LISTED: usize = 12;
    if known.is_empty() {
        return None;
    }
    let initials = |name: &&String| {
        let initials: String = name.split('_').filter_map(|word| word.chars().next()).collect();
        wanted.len() > 1 && initials == wanted
    };
    let mut near: Vec<String> = known.iter().filter(initials).cloned().collect();
    if near.is_empty() {
        near = nearest(wanted, known, 2);
    }
    let more = if known.len() > LISTED { ", ..." } else { "" };
    let listed = known[..known.len().min(LISTED)].join(", ");
    let called = function.rsplit("<locals>.").next().unwrap_or(function);
    let called = called.strip_suffix(".__init__").unwrap_or(called);
    let remarks = vec![format!("{called} takes {listed}{more}.")];
    Some(ErrorExplanation::new(remarks, fixes(near)))
}

/// Packages for a GPU that attn does not have, and what computes the same.
const ELSEWHERE: [(&str, &str); 3] = [
    (
        "flash_attn",
        "flash_attn needs a GPU. F.scaled_dot_product_attention(q, k, v) computes the same here, and on a GPU by the same \
         method. It takes (batch, heads, tokens, width) where flash_attn takes (batch, tokens, heads, width): use \
         transpose(1, 2) before and after. For causal=True use is_causal=True, and with fewer queries than keys \
         attn_mask=torch.nn.attention.bias.causal_lower_right(queries, keys): its triangle ends at the last key.",
    ),
    (
        "xformers",
        "xformers needs a GPU. F.scaled_dot_product_attention(q, k, v) computes what memory_efficient_attention does. It takes \
         (batch, heads, tokens, width) where xformers takes (batch, tokens, heads, width): use transpose(1, 2) before and \
         after, and is_causal=True for LowerTriangularMask().",
    ),
    (
        "torch.nn.attention.flex_attention",
        "attn does not have flex_attention. F.scaled_dot_product_attention(q, k, v, attn_mask=mask) computes the same, with a mask \
         that is True where mask_mod would be; what score_mod adds can be an attn_mask of numbers.",
    ),
];

fn module(name: &str) -> Option<ErrorExplanation> {
    let is_within = |(package, _): &&(&str, &str)| {
        name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    ELSEWHERE.iter().find(is_within).map(|(_, words)| remark(words))
}

fn attribute(case: &ErrorCase, class: &str, wanted: &str) -> ErrorExplanation {
    let said = match class {
        "NoneType" => {
            "It is None: that is what a function gives that has no return, and what writes in place often give."
        }
        "tuple" => "It is a tuple, several results in one: take one of them, as in result[0].",
        "list" => "It is a Python list, not a tensor: torch.tensor(...) or torch.stack(...) makes one of it.",
        "int" | "float" => "It is a plain Python number, not a tensor.",
        _ => "",
    };
    let remarks = if said.is_empty() { Vec::new() } else { vec![said.to_owned()] };
    ErrorExplanation::new(remarks, fixes(nearest(wanted, &case.scene.attributes, 2)))
}

fn key(case: &ErrorCase, wanted: &str) -> ErrorExplanation {
    let parameters = case.scene.tensors.iter().filter_map(|variable| {
        let (_, path) = variable.name.split_once('.')?;
        Some(path.replace('[', ".").replace(']', ""))
    });
    let mut keys = case.scene.keys.clone();
    keys.extend(parameters);
    let near = nearest(wanted, keys, 2);
    ErrorExplanation::new(Vec::new(), fixes(near.into_iter().map(|key| format!("'{key}'")).collect()))
}
