//! Angles of positions that turn more than half a circle from one position to the next: their sines say nothing of distance.
//! Source: Vaswani et al. 2017, 3.5: the wavelengths go from 2π to 10,000 · 2π positions.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A504",
    "angles-turn",
    "the angles of neighbouring positions are turns apart",
    "Sines and cosines tell positions apart, and show near ones as near, while an angle turns a little from one position \
          to the next. If it turns many times, the numbers of neighbours have nothing in common.",
    &[Detector::Step(turning)],
);

/// The least positions and frequencies that are compared.
const LEAST: usize = 3;

fn turning(step: &Traced, _: &TracedCell) -> Option<Observation> {
    if step.operation.explanation != Explanation::Pointwise(Formula::Trigonometric) {
        return None;
    }
    let angles = step.operand(0)?;
    let &[.., positions, frequencies] = angles.shape() else { return None };
    let values = angles.floats()?;
    if positions < LEAST || frequencies < LEAST || values.len() > 1 << 20 {
        return None;
    }
    let turn = |position: usize, at: usize| {
        values[(position + 1) * frequencies + at] - values[position * frequencies + at]
    };
    // Angles of positions are multiples of frequencies: each position is one turn further.
    let is_linear = (0..frequencies).all(|at| {
        let first = turn(0, at);
        first != 0.0
            && (1..positions - 1).all(|position| (turn(position, at) - first).abs() <= 1e-3 * first.abs())
    });
    let turns: Vec<f64> = (0..frequencies).map(|at| turn(0, at).abs()).collect();
    let many = turns.iter().filter(|turn| **turn > std::f64::consts::PI).count();
    if !is_linear || many * 2 <= frequencies {
        return None;
    }
    let largest = turns.iter().copied().fold(0.0, f64::max);
    let observed = format!(
        "From one position to the next, {many} of {frequencies} angles change by more than half a turn, one by {} radians.",
        figure(largest)
    );
    let fix =
        "frequencies from 1 down to 1/10000: torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))";
    Some(Observation::new(step.site(), observed, fix))
}
