//! How a learner names an element, wherever one is asked for: on the command line, in the REPL, in the walkthrough.
//!
//! | text | what it names |
//! |---|---|
//! | `attn_weights[1,2]`, `keys[-1][0]` | an element of a variable, or of any expression that returns a tensor |
//! | `attn_weights[journey, starts]`, `attn_weights["journey"]` | the same by tokens |
//! | `CausalAttention.forward: attn_scores[0,2,1]` | a tensor that a function named; `forward call 1: ...` of its first call |
//! | `attn_weights journey starts`, `journey starts` | words alone; without a tensor, the one that the step explains |

use rustpython_vm::builtins::{PyDict, PyList, PyTuple};
use rustpython_vm::{PyObjectRef, VirtualMachine};

use crate::syntax::parse_expression;

use super::super::terminal::shell::Failure;
use super::axis_names::AxisNames;
use super::element_text::{IndexItem, Scope, scope, split_index};
use super::step::element_of;
use super::workspace::Workspace;
use crate::explain::{LocalTensor, TensorNames};
use crate::lesson::fault::listed;
use crate::ops::nearest;
use crate::tensor::Tensor;
use crate::torch;

/// A tensor and the index of an element of it, or of a part if there are fewer numbers than axes.
pub(crate) struct NamedElement {
    /// The text of what is indexed.
    pub(crate) base: String,
    pub(crate) tensor: Tensor,
    /// The index, inside the shape.
    pub(crate) index: Vec<usize>,
    /// How the text was understood.
    pub(crate) remarks: Vec<String>,
}

impl NamedElement {
    /// The element or the part as a view of the tensor.
    pub(crate) fn part(&self) -> Tensor {
        let mut layout = self.tensor.layout().clone();
        for &at in &self.index {
            layout = layout.select(0, at);
        }
        self.tensor.with_layout(layout)
    }
}

/// The element that a text names. Errors: what is wrong with the text, and what would be right.
pub(crate) fn named(text: &str, workspace: &mut Workspace) -> Result<NamedElement, Failure> {
    let text = text.trim();
    let names = workspace.names();
    let (scope, text) = scope(text).map_or((None, text), |(scope, rest)| (Some(scope), rest));
    let (base, mut items) = in_words(text, &names).unwrap_or_else(|| split_index(text));
    let mut base = if base.is_empty() { usual_tensor(&items, &names, workspace)? } else { base };
    let (base, tensor, mut remarks) = loop {
        let found = match (&scope, names.get(&base)) {
            (Some(scope), _) => local(scope, &base, &names),
            (None, Some(tensor)) => Ok((base.clone(), tensor.clone(), Vec::new())),
            (None, None) => evaluated_or_local(&base, &names, workspace),
        };
        // The first items of an index may index a list or a dict that has tensors.
        match items.first().map(|item| item_of(&base, item)) {
            Some(inner) if found.is_err() && scope.is_none() && is_container(&base, workspace) => {
                base = inner;
                items.remove(0);
            }
            _ => break found?,
        }
    };
    let axes = AxisNames::of(&base, &tensor, &names);
    let (index, said) = axes.index(&base, &items, workspace)?;
    remarks.extend(said);
    Ok(NamedElement { base, tensor, index, remarks })
}

/// Words and numbers without any sign, such as `attn_weights journey starts`, or `journey, starts`: the tensor (empty
/// if none is named) and the index. `None` if the text is something else.
fn in_words(text: &str, names: &TensorNames) -> Option<(String, Vec<IndexItem>)> {
    let plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_,-'".contains(c);
    if !text.chars().all(plain) || text.is_empty() {
        return None;
    }
    let first = text.split([' ', ',']).next().unwrap_or_default();
    let (base, rest) = match names.get(first) {
        Some(_) => (first, text[first.len()..].trim_start_matches([' ', ','])),
        None => ("", text),
    };
    let item = |word: &str| match word.parse() {
        Ok(number) => IndexItem::Number(number),
        Err(_) => IndexItem::Word(word.to_owned()),
    };
    let items: Vec<IndexItem> = rest.split([' ', ',']).filter(|word| !word.is_empty()).map(item).collect();
    let is_token = |item: &IndexItem| match item {
        IndexItem::Number(_) => !base.is_empty(),
        IndexItem::Word(word) => names.tokens().contains(word),
    };
    // `a - b` is an expression, and so is a name alone.
    let fits = !items.is_empty() && items.iter().all(is_token);
    fits.then(|| (base.to_owned(), items))
}

/// The tensor that is meant where only tokens are named: the one that the step explains if it has so many axes of
/// tokens, else the last one that has. Errors: there is none.
fn usual_tensor(items: &[IndexItem], names: &TensorNames, workspace: &Workspace) -> Result<String, Failure> {
    let wanted = items.len();
    let fits = |name: &str| {
        names.get(name).is_some_and(|tensor| {
            let axes = AxisNames::of(name, tensor, names);
            axes.labels.iter().filter(|labels| labels.is_some()).count() >= wanted
        })
    };
    // What the last steps explain or name, without those that show a mistake.
    for (step, _) in workspace.steps().iter().rev().filter(|(step, _)| !step.wrong) {
        let explained = step.why.as_deref().and_then(element_of).map(|(name, _)| name.to_owned());
        let named = step.axes.iter().rev().map(|axes| axes.tensor.clone());
        if let Some(name) = explained.into_iter().chain(named).find(|name| fits(name)) {
            return Ok(name);
        }
    }
    let all: Vec<&str> = names.all().collect();
    let found = all.iter().rev().find(|name| !names.axes_of(name).is_empty() && fits(name));
    found.or_else(|| all.iter().rev().find(|name| fits(name))).map(|name| (*name).to_owned()).ok_or_else(
        || {
            Failure::Usage(
                "no tensor here has an axis of tokens for each of these words; name the tensor first".into(),
            )
        },
    )
}

/// A tensor that a function named. Errors: there is no such function or name, with those that there are.
fn local(scope: &Scope, name: &str, names: &TensorNames) -> Result<(String, Tensor, Vec<String>), Failure> {
    let all = names.locals();
    let of_function = |local: &&LocalTensor| {
        local.function == scope.function || local.function.ends_with(&format!(".{}", scope.function))
    };
    let inside: Vec<&LocalTensor> = all.iter().filter(of_function).collect();
    let listed = |words: Vec<&str>| {
        let mut known: Vec<&str> = Vec::new();
        for word in words {
            if !known.contains(&word) {
                known.push(word);
            }
        }
        if known.is_empty() { String::new() } else { format!("; there are {}", known.join(", ")) }
    };
    if inside.is_empty() {
        let functions = listed(all.iter().map(|local| local.function.as_str()).collect());
        return Err(Failure::Usage(format!(
            "no tensor here comes from a function called {}{functions}",
            scope.function
        )));
    }
    let found: Vec<&&LocalTensor> = inside.iter().filter(|local| local.name == name).collect();
    let Some(last) = found.last() else {
        let known = listed(inside.iter().map(|local| local.name.as_str()).collect());
        return Err(Failure::Usage(format!("{} names no tensor {name}{known}", scope.function)));
    };
    let function = &last.function;
    let of_last = found.iter().copied().filter(|it| it.function == *function);
    let last = of_last.max_by_key(|it| it.call).unwrap_or(last);
    let mut calls: Vec<usize> =
        found.iter().filter(|it| it.function == *function).map(|local| local.call).collect();
    let call = scope.call.unwrap_or(last.call);
    let in_call = |it: &&&LocalTensor| it.function == *function && it.call == call;
    let values = calls.iter().filter(|it| **it == call).count();
    calls.sort_unstable();
    calls.dedup();
    let Some(chosen) = found.iter().copied().rfind(|it| in_call(it)) else {
        return Err(Failure::Usage(format!(
            "no {name} of {} call {call} is kept: a tensor is kept as long as a variable was computed from it; ask \
             about {}, as in `{} call {}: {name}`",
            scope.function,
            calls.iter().map(|call| format!("call {call}")).collect::<Vec<_>>().join(", "),
            scope.function,
            last.call
        )));
    };
    let mut remarks = Vec::new();
    if scope.call.is_none() && call > 1 {
        let others = match calls.as_slice() {
            [_] => "; no earlier one is".to_owned(),
            [first, ..] => format!("; `{} call {first}: {name}` is of call {first}", scope.function),
            [] => String::new(),
        };
        remarks
            .push(format!("this is {name} of call {call} of {function}, the last one that is kept{others}"));
    }
    if values > 1 {
        remarks
            .push(format!("{function} bound {name} {values} times in call {call}: this is the last value"));
    }
    Ok((name.to_owned(), chosen.tensor.clone(), remarks))
}

/// The tensor that an expression returns; if it has no such name, the tensor that a function gave this name.
fn evaluated_or_local(
    base: &str,
    names: &TensorNames,
    workspace: &mut Workspace,
) -> Result<(String, Tensor, Vec<String>), Failure> {
    parse_expression(base)
        .map_err(|error| Failure::Usage(format!("'{base}' is no expression: {}", error.error)))?;
    let failure = match evaluated(base, workspace) {
        Ok(tensor) => return Ok((base.to_owned(), tensor, Vec::new())),
        Err(failure) => failure,
    };
    let is_name = base.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    let found = is_name.then(|| names.locals().into_iter().rev().find(|local| local.name == base)).flatten();
    let Some(LocalTensor { function, name, tensor, .. }) = found else { return Err(failure) };
    let remark = format!("{name} is a tensor inside {function}: `{function}: {name}`");
    Ok((name, tensor, vec![remark]))
}

/// An item of what a text names, in Python: `states[1]`, `cache['k']`.
fn item_of(base: &str, item: &IndexItem) -> String {
    match item {
        IndexItem::Number(at) => format!("{base}[{at}]"),
        IndexItem::Word(key) => format!("{base}[{key:?}]"),
    }
}

/// Whether an expression returns a list, a tuple or a dict.
fn is_container(base: &str, workspace: &mut Workspace) -> bool {
    let read = |object: &PyObjectRef, _: &VirtualMachine| {
        let is_sequence =
            object.downcast_ref::<PyList>().is_some() || object.downcast_ref::<PyTuple>().is_some();
        is_sequence || object.downcast_ref::<PyDict>().is_some()
    };
    workspace.session.evaluate(base, read).unwrap_or(false)
}

/// The tensor that an expression returns.
/// Errors: it raises, or returns something else.
fn evaluated(base: &str, workspace: &mut Workspace) -> Result<Tensor, Failure> {
    let read = |object: &PyObjectRef, vm: &VirtualMachine| {
        let tensor = crate::numpy::tensor_value(object);
        let kind = object.class().name().to_string();
        let text = object.repr(vm).map(|text| text.to_string()).unwrap_or_default();
        tensor.ok_or((kind, text, torch::takes_part(object, vm)))
    };
    match workspace.session.evaluate(base, read) {
        Ok(Ok(tensor)) => Ok(tensor),
        Ok(Err((_, _, true))) => Err(Failure::Usage(format!(
            "{base} is a complex tensor: ask about one of its parts, {base}.real or {base}.imag"
        ))),
        Ok(Err((kind, text, false))) => {
            let short: String = text.chars().take(40).collect();
            let shown = if short.len() < text.len() || text.starts_with('<') {
                String::new()
            } else {
                format!(", {short}")
            };
            let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            Err(Failure::Usage(format!(
                "{base} is {article} {kind}{shown}: only elements of tensors can be asked why"
            )))
        }
        Err(raised) if raised.interrupted => Err(Failure::Stopped),
        Err(raised) => {
            let known = workspace.names();
            let is_name = matches!(raised.kind.as_str(), "NameError" | "AttributeError");
            let mut near = if is_name { nearest(base, known.all(), 3) } else { Vec::new() };
            if near.is_empty() && raised.kind == "NameError" {
                near = known.all().filter(|name| !name.contains('.')).take(6).map(str::to_owned).collect();
            }
            let near = listed("; there are ", &near);
            Err(Failure::Usage(format!("{base}: {raised}{near}")))
        }
    }
}
