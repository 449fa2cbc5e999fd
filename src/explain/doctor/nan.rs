//! A nan that an operation returns although no operand has one.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::first_nonfinite;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::explanation::{Explanation, Formula, SoftmaxKind};

pub(super) static MISTAKE: Mistake = Mistake::new("A901", "nan", "an operation returns nan", "0/0, inf - inf and the like are nan. Everything computed from a nan is nan too, up to the loss, and training \
          stops making progress.", &[Detector::Cell(detect)]).implied_by(&["scores-as-weights"]);

/// Tensors with more elements are not searched.
const MOST_ELEMENTS: usize = 1 << 20;

fn detect(cell: &TracedCell) -> Vec<Observation> {
    // Only the first one: the others follow from it.
    cell.steps().find_map(|step| first_nan(step, cell)).into_iter().collect()
}

fn has_nan(tensor: &TracedTensor) -> bool {
    if !tensor.dtype.is_float() || tensor.layout.numel() > MOST_ELEMENTS {
        return false;
    }
    tensor.floats().is_some_and(|values| values.iter().any(|it| it.is_nan()))
}

fn first_nan(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    // A softmax of a hidden row is a mistake of its own, and values that the code states are not computed.
    if matches!(
        step.operation.explanation,
        Explanation::Softmax(SoftmaxKind::Weights)
            | Explanation::Literal
            | Explanation::Constant(_)
            | Explanation::Assignment
            | Explanation::MaskedFill
    ) {
        return None;
    }
    let result = step.results.iter().find(|result| has_nan(result))?;
    if step.operands.iter().any(has_nan) {
        return None;
    }
    let origin = first_nonfinite(result.tensor.as_ref()?, cell.names)?;
    let fix = match step.operation.explanation {
        Explanation::Pointwise(Formula::Div) if origin.operands.iter().any(|it| it.is_infinite()) => {
            "exp exceeds the range of floats: subtract the largest score first, as torch.softmax does"
        }
        Explanation::Pointwise(Formula::Div) => "make sure that the divisor is never 0",
        Explanation::Pointwise(Formula::Log | Formula::Sqrt | Formula::Rsqrt) => {
            "make sure that its input is never below 0: clamp(min=1e-8)"
        }
        _ => "check its operands: one of them is infinite, or outside of the operation's domain",
    };
    let name = step.operation.called(step.in_place);
    Some(Observation::new(step.site(), format!("{name} returned nan: {}.", origin.because), fix))
}
