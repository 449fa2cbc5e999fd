//! The names of a tensor's axes and of the positions along them, and the index that words and numbers mean.

use super::super::terminal::shell::Failure;
use super::element_text::IndexItem;
use super::figures::{labels, usual_axes};
use super::workspace::Workspace;
use crate::explain::TensorNames;
use crate::ops::nearest;
use crate::tensor::Tensor;
use crate::tensor::show::tuple_repr;

/// The names of a tensor's axes and of the positions along them.
#[derive(Debug)]
pub(crate) struct AxisNames {
    shape: Vec<usize>,
    /// Empty where an axis has no name.
    axes: Vec<String>,
    /// The tokens along each axis that has them.
    pub(crate) labels: Vec<Option<Vec<String>>>,
}

impl AxisNames {
    pub(crate) fn of(name: &str, tensor: &Tensor, names: &TensorNames) -> AxisNames {
        let shape = tensor.shape().to_vec();
        let own = names.axes_of(name);
        // In a class, the axes of the batch and of the heads come before the axes that the lesson names.
        let before = shape.len().saturating_sub(own.len());
        let mut axes: Vec<String> = match own.is_empty() || own.len() > shape.len() {
            true => usual_axes(&shape, names.tokens().len()),
            false => ["batch", "head", ""]
                .iter()
                .take(before)
                .map(|axis| (*axis).to_owned())
                .chain(own.iter().cloned())
                .collect(),
        };
        axes.resize(shape.len(), String::new());
        let labels = labels(names.tokens(), &axes, &shape);
        AxisNames { shape, axes, labels }
    }

    /// The index that these items name. Errors: an item that fits no axis, in words.
    pub(crate) fn index(
        &self,
        base: &str,
        items: &[IndexItem],
        workspace: &mut Workspace,
    ) -> Result<(Vec<usize>, Vec<String>), Failure> {
        if items.len() > self.shape.len() {
            let numbers: Vec<i64> = vec![0; items.len()];
            inside(base, &numbers, &self.shape)?;
        }
        let mut places: Vec<Option<usize>> = vec![None; self.shape.len()];
        for item in items {
            let open = |place: &usize| places[*place].is_none();
            let labelled = |place: &usize| match (item, &self.labels[*place]) {
                (IndexItem::Word(word), Some(labels)) => labels.contains(word),
                _ => false,
            };
            let place = (0..places.len()).filter(open).find(labelled);
            let place = place.or_else(|| (0..places.len()).find(open));
            let axis = place.expect("there are not more items than axes");
            let at = self.position(base, axis, item, workspace)?;
            places[axis] = Some(at);
        }
        // What is named is a prefix; axes of size 1 before it have one position.
        let last = places.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let mut index = Vec::new();
        let mut remarks = Vec::new();
        for (axis, place) in places[..last].iter().enumerate() {
            index.push(place.unwrap_or(0));
            if place.is_none() && self.shape[axis] > 1 {
                let name =
                    if self.axes[axis].is_empty() { format!("axis {axis}") } else { self.axes[axis].clone() };
                remarks.push(format!("{name} 0 of {} is taken", self.shape[axis]));
            }
        }
        Ok((index, remarks))
    }

    /// The position of an item along an axis. Errors: it has none.
    fn position(
        &self,
        base: &str,
        axis: usize,
        item: &IndexItem,
        workspace: &mut Workspace,
    ) -> Result<usize, Failure> {
        let number = |at: i64| {
            let mut index = vec![0; axis];
            index.push(at);
            Ok(inside(base, &index, &self.shape)?[axis])
        };
        match item {
            IndexItem::Number(at) => number(*at),
            IndexItem::Word(word) => {
                let labels = self.labels[axis].as_deref().unwrap_or_default();
                if let Some(at) = labels.iter().position(|label| label == word) {
                    return Ok(at);
                }
                let read = |value: &rustpython_vm::PyObjectRef, vm: &rustpython_vm::VirtualMachine| {
                    value.try_to_value::<i64>(vm).ok()
                };
                if let Some(at) = workspace.session.evaluate(word, read).ok().flatten() {
                    return number(at);
                }
                Err(Failure::Usage(match labels {
                    [] => format!(
                        "{word} is no token along {} of {base}, and no variable",
                        self.axis_name(axis)
                    ),
                    labels => {
                        let near = nearest(word, labels.iter().map(String::as_str), 1);
                        let near =
                            near.first().map(|near| format!("; the nearest is {near}")).unwrap_or_default();
                        format!("{word} is no token here{near}: there are {}", labels.join(", "))
                    }
                }))
            }
        }
    }

    fn axis_name(&self, axis: usize) -> String {
        match self.axes[axis].as_str() {
            "" => format!("axis {axis}"),
            name => format!("the axis {name}"),
        }
    }
}

/// The index with negative numbers counted from the end.
/// Errors: it is out of range, or has too many numbers.
fn inside(base: &str, index: &[i64], shape: &[usize]) -> Result<Vec<usize>, Failure> {
    if index.len() > shape.len() {
        return Err(Failure::Usage(match shape.len() {
            0 => format!("{base} is one number: it takes no index"),
            axes => format!(
                "{base} has {axes} {}, shape {}: {} numbers are too many",
                if axes == 1 { "axis" } else { "axes" },
                tuple_repr(shape),
                index.len()
            ),
        }));
    }
    let one = |(axis, (&at, &size)): (usize, (&i64, &usize))| {
        let from_start = if at < 0 { at + size as i64 } else { at };
        usize::try_from(from_start).ok().filter(|&at| at < size).ok_or_else(|| {
            Failure::Usage(format!(
                "{base} has {size} along axis {axis}: {at} is outside; 0 to {} or -{size} to -1",
                size - 1
            ))
        })
    };
    index.iter().zip(shape).enumerate().map(one).collect()
}
