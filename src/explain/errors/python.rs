//! Errors of Python itself: names, attributes and keys that do not exist, for which it suggests the nearest that do,
//! and calls of methods with too many or too few arguments.

use super::evidence::{ErrorCase, Evidence};
use super::explanation::{ErrorExplanation, Fix};
use crate::ops::nearest;
use crate::session::PythonError;

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

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let case = evidence.case;
    Some(match PythonError::of(&case.raised.kind, &case.raised.message)? {
        PythonError::UnknownName(wanted) => name(case, wanted),
        PythonError::UnknownAttribute { class, name } => attribute(case, class, name),
        PythonError::UnknownKey(wanted) => key(case, wanted),
        PythonError::NoSelf => {
            remark("It was called on the class: make an object of it first, as in layer = Layer(...).")
        }
        PythonError::TooFewArguments => {
            remark("The object was called with fewer arguments than its def line names (self aside).")
        }
        PythonError::TooManyArguments => remark(
            "Python counts self as the first argument: one less of each is what stands between the brackets.",
        ),
    })
}

fn remark(words: &str) -> ErrorExplanation {
    ErrorExplanation { remarks: vec![words.to_owned()], ..ErrorExplanation::default() }
}

fn fixes(names: Vec<String>, reason: &str) -> Vec<Fix> {
    names.into_iter().map(|name| Fix::new(name, reason)).collect()
}

fn name(case: &ErrorCase, wanted: &str) -> ErrorExplanation {
    let own = format!("self.{wanted}");
    let is_own =
        |name: &str| name == own || name.strip_prefix(&own).is_some_and(|rest| rest.starts_with(['.', '[']));
    if case.scene.tensors.iter().any(|variable| is_own(&variable.name)) {
        let remarks =
            vec![format!("{wanted} belongs to the object: inside a method it is reached through self.")];
        return ErrorExplanation { remarks, fixes: vec![Fix::new(own, "")], clash: None };
    }
    if let Some((_, import)) = IMPORTS.iter().find(|(name, _)| *name == wanted) {
        return ErrorExplanation { fixes: vec![Fix::new(*import, "")], ..ErrorExplanation::default() };
    }
    ErrorExplanation {
        fixes: fixes(nearest(wanted, &case.scene.names, 2), ""),
        ..ErrorExplanation::default()
    }
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
    ErrorExplanation { remarks, fixes: fixes(nearest(wanted, &case.scene.attributes, 2), ""), clash: None }
}

fn key(case: &ErrorCase, wanted: &str) -> ErrorExplanation {
    let parameters = case.scene.tensors.iter().filter_map(|variable| {
        let (_, path) = variable.name.split_once('.')?;
        Some(path.replace('[', ".").replace(']', ""))
    });
    let mut keys = case.scene.keys.clone();
    keys.extend(parameters);
    let near = nearest(wanted, keys, 2);
    ErrorExplanation {
        fixes: fixes(near.into_iter().map(|key| format!("'{key}'")).collect(), ""),
        ..ErrorExplanation::default()
    }
}
