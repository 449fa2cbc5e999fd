//! The commands that show tensors: `:table`, `:heat`, `:shape`, `:strides`.

use super::super::cells::runner;
use super::super::terminal::shell::Shell;
use super::commands::required;
use super::state::{CommandError, CommandResult, InputResult, Repl, shown};
use crate::explain::shape_steps::{is_harmless, shape_steps};
use crate::tensor::Tensor;
use crate::tensor::show::joined;
use crate::view::shape_table::shapes;
use crate::view::storage::{StorageView, storage};
use crate::view::{heat, table};

/// The most elements of a storage that is drawn.
const MAX_DRAWN: usize = 512;

impl Repl<'_> {
    pub(super) fn table(&mut self, expression: &str, shell: &mut Shell) -> CommandResult {
        let tensor = self.tensor(required(expression, ":table attn_weights")?)?;
        let figure = self.workspace.borrow().figure(expression, &tensor);
        shown(&table::figure(&figure, shell.look), shell)
    }

    pub(super) fn heat(&mut self, expression: &str, shell: &mut Shell) -> CommandResult {
        let tensor = self.tensor(required(expression, ":heat attn_weights")?)?;
        let figure = self.workspace.borrow().figure(expression, &tensor);
        shown(&heat::with_scale(&figure, shell.look), shell)
    }

    pub(super) fn shape(&mut self, expression: &str, shell: &mut Shell) -> CommandResult {
        let expression = required(expression, ":shape keys @ keys.T")?;
        let expression = right_side(expression);
        let (steps, copy) = {
            let workspace = &mut *self.workspace.borrow_mut();
            // An expression that may change the state runs on a copy.
            let mut copy = match is_harmless(expression, &mut workspace.session) {
                true => None,
                false => Some(runner::copy(workspace).ok_or(CommandError::Interrupted)?),
            };
            let steps = match &mut copy {
                Some(copy) => shape_steps(expression, &mut copy.session),
                None => workspace.session.with_rng_restored(|session| shape_steps(expression, session)),
            };
            (steps, copy)
        };
        let steps = match steps {
            Ok(steps) => steps,
            Err(raised) => return Err(self.expression_error(&raised, expression, copy.as_ref())),
        };
        let failed = steps.last().and_then(|step| step.result.as_ref().err());
        let missing = failed.is_some_and(|raised| raised.kind == "NameError" || raised.interrupted);
        if !missing {
            shell.show(&shapes(&steps, shell.look))?;
        }
        match failed {
            Some(raised) => Err(self.expression_error(raised, expression, copy.as_ref())),
            None => Ok(InputResult::Done),
        }
    }

    pub(super) fn strides(&mut self, expression: &str, shell: &mut Shell) -> CommandResult {
        let expression = required(expression, ":strides keys.T")?;
        let tensor = self.tensor(expression)?;
        let workspace = self.workspace.borrow();
        // The largest contiguous variable on the storage names its elements.
        let sharing = workspace.session.variables().into_iter().filter(|variable| {
            variable.value.storage().same(tensor.storage()) && variable.value.is_contiguous()
        });
        let owner = sharing.max_by_key(|variable| (variable.value.numel(), variable.value.ndim()));
        let (owner_name, whole) = match &owner {
            Some(owner) => (owner.name.as_str(), &owner.value),
            None => (expression, &tensor),
        };
        let outline = workspace.outline(owner_name, whole);
        let is_tokens = |axis: &String| matches!(axis.as_str(), "token" | "query" | "key");
        let axis = outline.axes.iter().position(is_tokens).unwrap_or(0);
        let size = whole.shape().get(axis).copied().unwrap_or(1);
        let kind = outline.axis(axis).unwrap_or_else(|| format!("index of axis {axis}"));
        let tokens: Vec<String> = match outline.labels.get(axis).cloned().flatten() {
            Some(names) => names,
            None if size <= 36 => (0..size).map(|at| format!("{kind} {at}")).collect(),
            None => Vec::new(),
        };
        let drawn = tensor.numel() <= MAX_DRAWN && size <= 36;
        let strip = |name: &str, tensor: &Tensor, shares: Option<&str>| {
            let place = |at: usize| {
                let index = whole.layout().index_of(tensor.layout().position(at));
                index.and_then(|index| index.get(axis).copied()).unwrap_or(0)
            };
            StorageView {
                name: name.to_owned(),
                facts: layout_summary(tensor, shares),
                tokens: if drawn { (0..tensor.numel()).map(place).collect() } else { Vec::new() },
                run: tensor.shape().last().copied().unwrap_or(1),
                page: if tensor.ndim() > 2 { tensor.shape().iter().rev().take(2).product() } else { 0 },
            }
        };
        let mut strips = Vec::new();
        if let Some(owner) =
            owner.as_ref().filter(|owner| !owner.value.is(&tensor) && owner.name != expression)
        {
            strips.push(strip(&owner.name, &owner.value, None));
            strips.push(strip(expression, &tensor, Some(&owner.name)));
        } else {
            strips.push(strip(expression, &tensor, None));
        }
        let tokens = if drawn { tokens } else { Vec::new() };
        shown(&storage(&strips, &tokens, shell.look), shell)
    }
}

/// The layout in words: "shape (2, 6), strides (1, 2), not contiguous, the storage of keys".
fn layout_summary(tensor: &Tensor, shares: Option<&str>) -> String {
    let (shape, strides) = (joined(tensor.shape(), ", "), joined(tensor.strides(), ", "));
    let mut facts = format!("shape ({shape}), strides ({strides})");
    if tensor.layout().offset > 0 {
        facts.push_str(&format!(", offset {}", tensor.layout().offset));
    }
    facts.push_str(if tensor.is_contiguous() { ", contiguous" } else { ", not contiguous" });
    if let Some(owner) = shares {
        facts.push_str(&format!(", the storage of {owner}"));
    }
    facts
}

/// The right side of an assignment; other code as it is.
fn right_side(code: &str) -> &str {
    use ruff_python_ast::Stmt;
    use ruff_text_size::Ranged;
    let parsed = crate::syntax::parse_module(code).ok();
    let only = parsed.as_ref().and_then(|parsed| match parsed.syntax().body.as_slice() {
        [Stmt::Assign(assign)] => Some(assign.value.range()),
        _ => None,
    });
    only.map_or(code, |range| &code[range.start().to_usize()..range.end().to_usize()])
}
