//! The pictures of a step: evaluates their expressions in a session to tensors, numbers and times.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine, builtins::PyDict};

use super::fault::nearest_words;
use super::step::Step;
use super::views::View;
use crate::numpy::tensor_value;
use crate::ops::nearest;
use crate::session::{PythonError, Raised, Session, Variable};
use crate::tensor::explanation::Explanation;
use crate::tensor::{Arg, Tensor, layout::row_major, peak_memory};

pub(crate) enum PictureContent {
    /// Heat maps with one scale.
    Maps(Vec<Variable>),
    /// The elements that are not hidden.
    Triangle(Vec<Variable>),
    /// Before and after dropout.
    Dropped(Variable, Variable),
    /// One storage, read by several tensors.
    Strips(StorageStrips),
    /// The expression, and a name and a number for each bar.
    Bars(String, Vec<(String, f64)>),
    /// What the numbers are counted by, such as `step`; each expression, and its numbers in their order.
    Curves(String, Vec<(String, Vec<f64>)>),
    /// Expressions, the shorter of two times, and the peak of the bytes in tensors beyond those allocated before.
    Costs(Vec<(String, Duration, u64)>),
}

/// How several tensors read one storage.
pub(crate) struct StorageStrips {
    /// The axis of the first tensor that distinguishes tokens.
    pub(crate) axis: usize,
    /// The name of that axis, or `row`.
    pub(crate) unit: String,
    /// The size of that axis.
    pub(crate) tokens: usize,
    pub(crate) strips: Vec<StorageStrip>,
}

/// How one tensor reads the storage.
pub(crate) struct StorageStrip {
    pub(crate) of: Variable,
    /// The token of each element, in reading order.
    pub(crate) owners: Vec<usize>,
    /// Whether the tensor has a storage of its own.
    pub(crate) copied: bool,
}

/// An expression that takes longer than this is not measured a second time.
const LONG: Duration = Duration::from_secs(1);

impl View {
    /// Evaluates the picture's expressions in the state after its step. Binds no variable.
    /// Errors: a message, with the nearest names where a name is unknown.
    pub(crate) fn picture(&self, step: &Step, session: &mut Session) -> Result<PictureContent, String> {
        session.with_rng_restored(|session| match self.kind {
            "map" => self.tensors(session).map(PictureContent::Maps),
            "triangle" => self.tensors(session).map(PictureContent::Triangle),
            "dropped" => self.pair(session),
            "strip" => self.strips(step, session).map(PictureContent::Strips),
            "bars" => self.bars(session),
            "curve" => {
                let named = step.axes.iter().find(|axes| axes.tensor == self.expressions[0]);
                let unit = named.map_or("step", |axes| &axes.axes[0]).to_owned();
                self.curves(session).map(|curves| PictureContent::Curves(unit, curves))
            }
            _ => self
                .expressions
                .iter()
                .map(|one| cost(one, session))
                .collect::<Result<_, _>>()
                .map(PictureContent::Costs),
        })
    }

    fn tensors(&self, session: &mut Session) -> Result<Vec<Variable>, String> {
        self.expressions.iter().map(|one| tensor(one, session)).collect()
    }

    fn pair(&self, session: &mut Session) -> Result<PictureContent, String> {
        let mut both = self.tensors(session)?.into_iter();
        let (Some(before), Some(after)) = (both.next(), both.next()) else {
            return Err("`dropped` takes two expressions".to_owned());
        };
        if before.value.shape() != after.value.shape() {
            return Err(format!("`{}` and `{}` have different shapes", before.name, after.name));
        }
        Ok(PictureContent::Dropped(before, after))
    }

    fn strips(&self, step: &Step, session: &mut Session) -> Result<StorageStrips, String> {
        let all = self.tensors(session)?;
        let base = all[0].value.clone();
        let named = step.axes.iter().find(|axes| axes.tensor == all[0].name);
        let is_token = |name: &String| matches!(name.as_str(), "token" | "query" | "key");
        let axis = named.and_then(|axes| axes.axes.iter().position(is_token)).unwrap_or(0);
        let unit = named.and_then(|axes| axes.axes.get(axis)).map_or("row", String::as_str).to_owned();
        let tokens = *base.shape().get(axis).ok_or_else(|| format!("`{}` has no axes", all[0].name))?;
        let mut strips = Vec::new();
        for of in all {
            let positions = storage_positions(&of.value, &base, 8).ok_or_else(|| {
                format!("`{}` does not have the numbers of `{}`", of.name, self.expressions[0])
            })?;
            let owner = |place: &usize| base.layout().index_of(*place).map(|index| index[axis]);
            let owners: Option<Vec<usize>> = positions.iter().map(owner).collect();
            let owners = owners.ok_or_else(|| format!("`{}` has numbers of its own", of.name))?;
            let copied = !of.value.storage().same(base.storage());
            strips.push(StorageStrip { of, owners, copied });
        }
        Ok(StorageStrips { axis, unit, tokens, strips })
    }

    fn bars(&self, session: &mut Session) -> Result<PictureContent, String> {
        let name = &self.expressions[0];
        let read = |value: &PyObjectRef, vm: &VirtualMachine| match value.downcast_ref::<PyDict>() {
            Some(dict) => dict
                .into_iter()
                .map(|(key, value)| {
                    let key = key.str(vm).ok()?.as_wtf8().to_string_lossy().into_owned();
                    Some((key, number(&value, vm)?))
                })
                .collect(),
            None => {
                let tensor = tensor_value(value)?;
                let numbers = tensor.to_f64_vec();
                Some(numbers.into_iter().enumerate().map(|(at, v)| (at.to_string(), v)).collect())
            }
        };
        let bars: Option<Vec<(String, f64)>> =
            session.evaluate(name, read).map_err(|raised| explained(&raised, session))?;
        match bars {
            Some(bars) if !bars.is_empty() => Ok(PictureContent::Bars(name.clone(), bars)),
            _ => Err(format!("`{name}` is neither a dict of numbers nor a tensor")),
        }
    }

    fn curves(&self, session: &mut Session) -> Result<Vec<(String, Vec<f64>)>, String> {
        let curve = |name: &String| match session.evaluate(name, numbers) {
            Ok(Some(values)) if !values.is_empty() => Ok((name.clone(), values)),
            Ok(_) => Err(format!("`{name}` is neither a list of numbers nor a tensor with one axis")),
            Err(raised) => Err(explained(&raised, session)),
        };
        self.expressions.iter().map(curve).collect()
    }
}

/// The numbers of a list or of a tensor with one axis.
fn numbers(value: &PyObjectRef, vm: &VirtualMachine) -> Option<Vec<f64>> {
    if let Some(tensor) = tensor_value(value) {
        return (tensor.ndim() == 1).then(|| tensor.to_f64_vec());
    }
    let numbers = vm.extract_elements_with(value, |one| Ok(number(&one, vm)));
    numbers.ok()?.into_iter().collect()
}

fn number(value: &PyObjectRef, vm: &VirtualMachine) -> Option<f64> {
    match tensor_value(value) {
        Some(tensor) => tensor.item().ok(),
        None => value.as_object().try_float(vm).ok().map(|number| number.to_f64()),
    }
}

fn tensor(expression: &str, session: &mut Session) -> Result<Variable, String> {
    match session.tensor(expression) {
        Ok(Some(value)) => Ok(Variable { name: expression.to_owned(), value }),
        Ok(None) => Err(format!("`{expression}` is not a tensor")),
        Err(raised) => Err(explained(&raised, session)),
    }
}

/// The message of an exception; for an unknown name, with the nearest names.
fn explained(raised: &Raised, session: &Session) -> String {
    let said = raised.to_string();
    match PythonError::of(&raised.kind, &raised.message) {
        Some(PythonError::UnknownName(name)) => said + &nearest_words(&nearest(name, session.names(), 3)),
        _ => said,
    }
}

/// The positions in the storage of `base` that the elements of `tensor` come from, in reading order.
fn storage_positions(tensor: &Tensor, base: &Tensor, depth: usize) -> Option<Vec<usize>> {
    let layout = tensor.layout();
    let own: Vec<usize> = (0..layout.numel()).map(|flat| layout.position(flat)).collect();
    if tensor.storage().same(base.storage()) {
        return Some(own);
    }
    // A copy: follow it to its source.
    let record = tensor.origin().filter(|_| depth > 0)?;
    let args = record.args();
    let Some(Arg::Tensor(source)) = args.first() else { return None };
    if source.storage().same(tensor.storage()) {
        // A view of a copy: its positions in the copy, followed from there.
        let from = storage_positions(source, base, depth - 1)?;
        let at: HashMap<usize, usize> =
            (0..source.numel()).map(|flat| (source.layout().position(flat), from[flat])).collect();
        return own.iter().map(|place| at.get(place).copied()).collect();
    }
    let copies = record.operation.explanation == Explanation::Copy;
    let same_count = source.numel() == tensor.numel();
    if !(copies && same_count) {
        return None;
    }
    // Each of these copies reads its source row by row, whatever the shape of the result.
    let from = storage_positions(source, base, depth - 1)?;
    let strides = row_major(tensor.shape());
    let in_order = |flat: usize| {
        let index = tensor.layout().index_of(own[flat])?;
        let place: usize = index.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
        from.get(place).copied()
    };
    (0..tensor.numel()).map(in_order).collect()
}

fn cost(expression: &str, session: &mut Session) -> Result<(String, Duration, u64), String> {
    let mut once = || {
        let start = Instant::now();
        let (worked, bytes) = peak_memory(|| session.evaluate(expression, |_, _| ()));
        (start.elapsed(), bytes, worked)
    };
    let (mut time, bytes, worked) = once();
    if let Err(raised) = worked {
        return Err(explained(&raised, session));
    }
    if time < LONG {
        time = time.min(once().0);
    }
    Ok((expression.to_owned(), time, bytes))
}
