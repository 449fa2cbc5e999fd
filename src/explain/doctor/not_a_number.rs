//! A nan that arose where no operand had one.

use super::{Find, Mistake, Run, Seen};
use crate::explain::first_nonfinite;
use crate::ops::trace::{Seen as Tensor, Traced};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "nan",
    title: "a nan arises, and goes on from there",
    why: "nan is what comes of 0/0, of inf - inf and the like. Everything computed with it is nan too, up to the loss, and \
          training is over.",
    find: Find::Run(find),
};

/// Elements beyond which a tensor is not looked through.
const ELEMENTS: usize = 1 << 20;

fn find(run: &Run) -> Vec<Seen> {
    // The first tells where to look; what follows from it is no other mistake.
    run.trace.steps.iter().find_map(|step| arose(step, run)).into_iter().collect()
}

fn has_nan(seen: &Tensor) -> bool {
    if !seen.dtype.is_float() || seen.layout.numel() > ELEMENTS {
        return false;
    }
    seen.values().is_some_and(|values| (0..values.len()).any(|at| values.float(at).is_nan()))
}

fn arose(step: &Traced, run: &Run) -> Option<Seen> {
    // A row of a softmax that is hidden throughout has a row of its own here; what is given is not computed.
    if matches!(step.op, "softmax" | "tensor" | "full" | "fill_" | "setitem" | "masked_fill" | "masked_fill_")
    {
        return None;
    }
    let result = step.results.iter().find(|result| has_nan(result))?;
    if step.operands.iter().any(has_nan) {
        return None;
    }
    let arisen = first_nonfinite(result.tensor.as_ref()?, run.names)?;
    let fix = match step.op.trim_end_matches('_') {
        "div" if arisen.because.contains("inf") => {
            "exp grew beyond what floats hold: subtract the largest score first, as torch.softmax does"
        }
        "div" => "see that the divisor is never 0",
        "log" | "sqrt" | "rsqrt" => "see that it is handed nothing below 0: clamp(min=1e-8)",
        _ => "look at its operands: one of them is infinite, or beyond what the operation takes",
    };
    Some(Seen::new(step.site(), format!("{} gave nan: {}.", step.op, arisen.because), fix))
}
