//! The commands that show tensors: `:table`, `:heat`, `:shape`, `:diff`, `:axes`, `:strides`.

use super::super::cells::runner;
use super::super::terminal::shell::Shell;
use super::commands::required;
use super::state::{CommandError, CommandResult, InputResult, Repl};
use crate::explain::shape_steps::{ShapeStep, is_harmless, shape_steps};
use crate::explain::{self, difference};
use crate::tensor::Tensor;
use crate::tensor::show::shape_in_formula;
use crate::view::shape_table::{ShapeRow, shapes};
use crate::view::storage::{StorageView, storage};
use crate::view::{heat, table};

/// The most elements of a storage that is drawn.
const MAX_DRAWN: usize = 512;

impl Repl<'_> {
    /// `:table X`
    pub(super) fn table(&mut self, expression: &str, shell: &mut Shell) -> CommandResult {
        let tensor = self.tensor(required(expression, ":table attn_weights")?)?;
        let figure = self.workspace.borrow().figure(expression, &tensor);
        shell.show(&table::figure(&figure, shell.look))?;
        Ok(InputResult::Done)
    }

    /// `:heat X`
    pub(super) fn heat(&mut self, expression: &str, shell: &mut Shell) -> CommandResult {
        let tensor = self.tensor(required(expression, ":heat attn_weights")?)?;
        let figure = self.workspace.borrow().figure(expression, &tensor);
        shell.show(&heat::with_scale(&figure, shell.look))?;
        Ok(InputResult::Done)
    }

    /// `:shape EXPR`
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
        let mut failed = None;
        let row = |step: ShapeStep| {
            let result = match step.result {
                Ok(result) => Some(result),
                Err(raised) => {
                    failed = Some(raised);
                    None
                }
            };
            ShapeRow { code: step.code, algebra: step.algebra, result, remark: step.remark.to_owned() }
        };
        let rows: Vec<ShapeRow> = steps.into_iter().map(row).collect();
        let missing = failed.as_ref().is_some_and(|raised| raised.kind == "NameError");
        if !missing {
            shell.show(&shapes(&rows, shell.look))?;
        }
        match failed {
            Some(raised) => Err(self.expression_error(&raised, expression, copy.as_ref())),
            None => Ok(InputResult::Done),
        }
    }

    /// `:diff A B`
    pub(super) fn diff(&mut self, both: &str, shell: &mut Shell) -> CommandResult {
        let Some((one, other)) = two_expressions(both) else {
            return Err(CommandError::message(
                "Two tensors are compared: `:diff a b`, or with a comma `:diff a + 1, b`.",
            ));
        };
        let (a, b) = (self.tensor(one)?, self.tensor(other)?);
        let Some(found) = difference(&a, &b) else {
            let (left, right) = (shape_in_formula(a.shape()), shape_in_formula(b.shape()));
            let words = format!("The shapes differ: `{one}` is {left}, `{other}` is {right}.");
            return Ok(self.answer(&words, shell)?);
        };
        let dtypes = match a.dtype() == b.dtype() {
            true => String::new(),
            false => format!(" (`{one}` is {}, `{other}` {})", a.dtype().name(), b.dtype().name()),
        };
        if found.differing == 0 {
            let words = match found.count {
                1 => format!("Both are the same{dtypes}."),
                count => format!("All {count} elements are the same{dtypes}."),
            };
            return Ok(self.answer(&words, shell)?);
        }
        let mut words = match found.count {
            1 => format!("They differ{dtypes}."),
            count => format!("{} of {count} elements differ{dtypes}.", found.differing),
        };
        if let Some((place, before, after)) = &found.greatest {
            let place = place.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let figure = explain::figure;
            let by = explain::figure(after - before);
            let sign = if after > before { "+" } else { "" };
            words.push_str(&format!(
                " Most at [{place}]: {} and {}, which is {sign}{by}; on average by {}.",
                figure(*before),
                figure(*after),
                figure(found.mean)
            ));
        }
        let close = if found.is_close { "yes" } else { "no" };
        words.push_str(&format!(" `torch.allclose` with `atol={:e}`: {close}.", explain::ATOL));
        self.answer(&words, shell)?;
        if found.count > 1 {
            let values = found.values.iter().map(|value| *value as f32).collect();
            let by = Tensor::from_f32(values, a.shape());
            let lead = slice_to_show(a.shape(), found.greatest.as_ref().map(|greatest| &greatest.0[..]));
            let layout = lead.iter().fold(by.layout().clone(), |layout, at| layout.select(0, *at));
            let at: Vec<String> = lead.iter().map(usize::to_string).collect();
            let name = match at.is_empty() {
                true => format!("{other} - {one}"),
                false => format!("({other} - {one})[{}]", at.join(",")),
            };
            let mut figure = self.workspace.borrow().figure(&name, &by.with_layout(layout));
            let like = self.workspace.borrow().outline(one, &a);
            figure.axes = like.axes.into_iter().skip(lead.len()).collect();
            figure.labels = like.labels.into_iter().skip(lead.len()).collect();
            shell.show(&table::figure(&figure, shell.look))?;
        }
        Ok(InputResult::Done)
    }

    /// `:axes X NAME...`
    pub(super) fn axes(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let mut words = words.split([' ', ',', '(', ')']).filter(|word| !word.is_empty());
        let Some(name) = words.next() else {
            return Err(CommandError::message(
                "Which tensor, and what are its axes called? `:axes scores query key`",
            ));
        };
        let tensor = self.tensor(name)?;
        let axes: Vec<String> = words.map(str::to_owned).collect();
        if axes.len() != tensor.ndim() && !axes.is_empty() {
            let shape = shape_in_formula(tensor.shape());
            let count = tensor.ndim();
            let plural = if count == 1 { "axis" } else { "axes" };
            return Err(CommandError::Message(format!(
                "`{name}` has {count} {plural}, {shape}, not {}.",
                axes.len()
            )));
        }
        if !axes.is_empty() {
            self.workspace.borrow_mut().axes.insert(name.to_owned(), axes);
        }
        let words = super::cells::shape_words(&self.workspace.borrow(), name, &tensor);
        Ok(self.answer(&format!("`{name}` is {words}."), shell)?)
    }

    /// `:strides X`
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
        shell.show(&storage(&strips, &tokens, shell.look))?;
        Ok(InputResult::Done)
    }
}

/// The layout in words: "shape (2, 6), strides (1, 2), not contiguous, the storage of keys".
fn layout_summary(tensor: &Tensor, shares: Option<&str>) -> String {
    let tuple = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let mut facts = format!("shape ({}), strides ({})", tuple(tensor.shape()), tuple(tensor.strides()));
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

/// Two expressions, separated by a comma or by spaces.
fn two_expressions(words: &str) -> Option<(&str, &str)> {
    use ruff_python_ast::Expr;
    use ruff_text_size::Ranged;
    if let Ok(parsed) = crate::syntax::parse_expression(words)
        && let Expr::Tuple(tuple) = &*parsed.syntax().body
        && let [one, other] = tuple.elts.as_slice()
    {
        let text = |expr: &Expr| &words[expr.range().start().to_usize()..expr.range().end().to_usize()];
        return Some((text(one), text(other)));
    }
    // Split at a space if both sides are expressions and the second cannot continue the first.
    let is_expression = |code: &str| crate::syntax::parse_expression(code).is_ok();
    let gaps = words.match_indices(' ').filter(|(at, _)| !words[..*at].ends_with(' '));
    let splits = gaps.map(|(at, _)| (words[..at].trim(), words[at..].trim()));
    let begins_expression = |code: &str| !code.starts_with(['+', '-', '*', '~', '(', '[']);
    let mut found = splits.filter(|(one, other)| {
        !one.is_empty() && begins_expression(other) && is_expression(one) && is_expression(other)
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The index of the part of a tensor that is shown for its greatest element: the last two axes, or the last one if those
/// have more rows than fit a screen. Empty if all of it is shown.
fn slice_to_show<'p>(shape: &[usize], greatest: Option<&'p [usize]>) -> &'p [usize] {
    const ROWS: usize = 16;
    let Some(place) = greatest else { return &[] };
    let shown = if shape.len() > 1 && shape[shape.len() - 2] > ROWS { 1 } else { 2 };
    &place[..place.len().saturating_sub(shown)]
}
