//! Names, attributes and keys that do not exist: suggests the nearest that do.
//! Suggests nothing if the error's message already does.

use super::evidence::{ErrorCase, Evidence};
use super::explanation::{ErrorExplanation, Fix};
use crate::ops::nearest;

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
    let message = case.raised.message.as_str();
    if message.to_lowercase().contains("did you mean") {
        return None;
    }
    let found = match case.raised.kind.as_str() {
        "NameError" | "UnboundLocalError" => name(case, quoted(message)?),
        "AttributeError" => attribute(case, message)?,
        "KeyError" => key(case, quoted(message)?),
        "RuntimeError" if message.contains("in state_dict") => state(message),
        _ => return None,
    };
    Some(ErrorExplanation { clash: None, ..found })
}

/// The text in the first quotes.
fn quoted(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once('\'')?;
    rest.split_once('\'').map(|(name, _)| name)
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

fn attribute(case: &ErrorCase, message: &str) -> Option<ErrorExplanation> {
    if message.contains("before Module.__init__() call") {
        let remarks = vec![
            "A module keeps its layers and parameters in tables that nn.Module's own __init__ makes; it has not run yet."
                .to_owned(),
        ];
        let fixes = vec![Fix::new("super().__init__()", "as the first line of __init__")];
        return Some(ErrorExplanation { remarks, fixes, clash: None });
    }
    let class = quoted(message)?;
    let wanted = message.rsplit_once(" attribute '").map(|(_, name)| name.trim_end_matches('\''))?;
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
    Some(ErrorExplanation {
        remarks,
        fixes: fixes(nearest(wanted, &case.scene.attributes, 2), ""),
        clash: None,
    })
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

/// `load_state_dict`: pairs unexpected keys with missing ones of a similar name.
fn state(message: &str) -> ErrorExplanation {
    let listed = |after: &str| -> Vec<String> {
        let line = message.lines().find_map(|line| line.trim().strip_prefix(after)).unwrap_or_default();
        line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let (missing, unexpected) =
        (listed("Missing key(s) in state_dict: "), listed("Unexpected key(s) in state_dict: "));
    let pairs = unexpected.iter().filter_map(|key| {
        let near = nearest(key, &missing, 1);
        near.first().map(|near| Fix::new(format!("\"{near}\""), format!("for \"{key}\"")))
    });
    ErrorExplanation { fixes: pairs.take(4).collect(), ..ErrorExplanation::default() }
}
