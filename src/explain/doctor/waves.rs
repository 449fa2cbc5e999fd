//! Waves of positions: the angles of their sines and cosines, and tables of them.

use std::collections::HashSet;

use super::flow::{operand, operands, origin, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Record, Tensor};

/// Whether a tensor has the sines or cosines of angles, perhaps in another order.
pub(super) fn is_wave(tensor: &Tensor) -> bool {
    let (_, start) = source(tensor);
    let Some(record) = origin(&start) else { return false };
    match record.operation.explanation {
        Explanation::Pointwise(Formula::Trigonometric) => true,
        Explanation::Moved(_) => {
            let parts = operands(&record);
            !parts.is_empty() && parts.iter().all(|part| !part.is(tensor) && is_wave(part))
        }
        _ => false,
    }
}

/// Angles of positions that turn more than half a circle from one position to the next: their sines say nothing of distance.
/// Source: Vaswani et al. 2017, 3.5: the wavelengths go from 2π to 10,000 · 2π positions.
pub(super) static ANGLES: Mistake = Mistake::new(
    ("A504", "angles-turn"),
    "the angles of neighbouring positions are turns apart",
    "Sines and cosines tell positions apart, and show near ones as near, while an angle turns a little from one position \
     to the next. If it turns many times, the numbers of neighbours have nothing in common.",
    &[Detector::Step(turning), Detector::Step(other_exponents)],
);

/// Frequencies whose exponents go half as far as they should, or twice as far.
fn other_exponents(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let written = || {
        let site = step.site()?;
        let number: String =
            cell.line(&site)?.split_once("log(")?.1.chars().take_while(|it| *it != ')').collect();
        number.replace('_', "").parse::<f64>().ok()
    };
    let number = |at: usize| {
        let of_one = || step.operand(at)?.floats().filter(|it| it.len() == 1)?.first().copied();
        step.args.get(at)?.number().or_else(of_one)
    };
    let (base, scale) = match step.operation.explanation {
        Explanation::Pointwise(Formula::Pow) => (number(0)?, 1.0),
        Explanation::Pointwise(Formula::Exp) => (written()?, 1.0 / written()?.ln()),
        _ => return None,
    };
    let values = step.operands.last()?.floats()?;
    let mut exponents: Vec<f64> = values.iter().map(|it| (it * scale).abs()).collect();
    // A table may have each frequency twice, for its sine and its cosine.
    exponents.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let (count, end) = (exponents.len(), *exponents.last()?);
    let by = end / (count - 1) as f64;
    let is_even = exponents.iter().enumerate().all(|(at, it)| (it - at as f64 * by).abs() < 1e-4 * end);
    let far = by * count as f64;
    let is_other = [0.5, 2.0].iter().any(|it| (far / it - 1.0).abs() < 1e-3);
    if base < 50.0 || count < LEAST_OF_TABLE || !is_even || !is_other {
        return None;
    }
    let observed = format!(
        "{} is raised to {count} exponents from 0 to {}; with {count} frequencies they go to {}.",
        figure(base),
        figure(end),
        figure((count - 1) as f64 / count as f64)
    );
    let fix = "theta ** (-torch.arange(0, d, 2) / d): the numbers 0, 2, 4 ... are twice the places already";
    Some(Observation::new(step.site(), observed, fix).titled("the frequencies end at another wavelength").because(
        "The slowest wave is meant to be about 10,000 times as long as the quickest. With half the exponents it is 100 times \
         as long, and with twice the exponents most waves hardly move.",
    ))
}

/// The least positions and frequencies that are compared.
const LEAST: usize = 3;

fn is_trigonometric(step: &Traced) -> bool {
    step.operation.explanation == Explanation::Pointwise(Formula::Trigonometric)
}

/// The sines and cosines that are computed of the angles that a step takes, itself among them.
fn of_same_angles<'c>(step: &'c Traced, cell: &'c TracedCell) -> impl Iterator<Item = &'c Traced> {
    let angles = |it: &Traced| it.operand(0).and_then(|own| Some((own.shape().to_vec(), own.floats()?)));
    let own = angles(step);
    cell.steps().filter(move |it| is_trigonometric(it) && angles(it) == own)
}

fn turning(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let angles = step.operand(0).filter(|_| is_trigonometric(step))?;
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
    let is_one = turns.iter().all(|turn| (turn - turns[0]).abs() <= 1e-4 * turns[0]);
    let is_other = |it: &Traced| it.operation.name != step.operation.name;
    if is_linear && is_one && of_same_angles(step, cell).any(is_other) {
        let observed = format!(
            "All {frequencies} angles change by {} radians from one position to the next: they have one frequency.",
            figure(turns[0])
        );
        let fix = "frequencies from 1 down to 1/10000: theta ** (-torch.arange(0, d, 2) / d)";
        let found = Observation::new(step.site(), observed, fix).titled("all angles have the same frequency");
        return Some(found.because(
            "Quick waves tell neighbours apart, and slow ones what is far away. Of one frequency all columns say the same.",
        ));
    }
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

/// A table of waves that is added to embeddings, and half of whose columns say nothing.
/// Source: Vaswani et al. 2017, 3.5: with a sine and a cosine of each frequency, the row of a later position is a linear
/// function of the row of an earlier one.
pub(super) static WAVES: Mistake = Mistake::new(
    ("A505", "waves-repeat"),
    "half of a table of positions repeats the other half, or is 0",
    "Each frequency has a sine and a cosine: together they say where in a wave a position is, and how far two positions are \
     apart is the same everywhere. A sine alone has each number twice in a wave, and a copy of it adds nothing.",
    &[Detector::Step(repeating), Detector::Step(sines_alone)],
);

/// The sines of the same angles are computed twice in one call, or written into a table twice, and nothing computes the cosines.
fn sines_alone(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let angles = step.operand(0).filter(|_| is_trigonometric(step))?;
    let &[.., positions, frequencies] = angles.shape() else { return None };
    if positions < LEAST || frequencies < 2 || frequencies * positions > 1 << 16 {
        return None;
    }
    let values = angles.floats()?;
    let is_varied = values.iter().any(|it| (it - values[0]).abs() > 1e-9);
    let activation = |it: &Traced| it.place().map(|place| place.activation);
    let all: Vec<&Traced> = of_same_angles(step, cell).collect();
    let mut before = all.iter().take_while(|it| !std::ptr::eq(**it, step));
    if !before.any(|it| activation(it) == activation(step))
        || !is_varied
        || all.iter().any(|it| it.operation.name != step.operation.name)
    {
        return None;
    }
    let name = step.operation.name;
    let observed = format!(
        "The {name} of the same angles is computed twice, and nothing computes {}: half of the {} columns are there twice.",
        if name == "sin" { "their cosine" } else { "their sine" },
        2 * frequencies
    );
    Some(Observation::new(
        step.site(),
        observed,
        "one sine and one cosine of each angle: table[:, 0::2] and table[:, 1::2], or joined",
    ))
}

/// The least positions and columns of such a table: with fewer, two waves may be equal.
const LEAST_OF_TABLE: usize = 4;

fn repeating(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.explanation != Explanation::Pointwise(Formula::Add) {
        return None;
    }
    // In NumPy rows that were looked up.
    let is_lookup = |it: &Tensor| {
        let is_row = |it: &Record| it.operation.explanation == Explanation::Moved(Movement::LookedUp);
        origin(it).is_some_and(|it| is_row(&it)) && !is_wave(it)
    };
    let is_trained = |at: usize| step.tensor(at).is_some_and(|it| it.requires_grad() || is_lookup(it));
    let at = [0, 1].into_iter().find(|at| !is_trained(*at) && is_trained(1 - at))?;
    let operand = step.operand(at)?;
    let &[.., positions, columns] = operand.shape() else { return None };
    let table =
        operand.tensor.as_ref().filter(|it| it.numel() == positions * columns && it.numel() <= 1 << 20)?;
    if positions < LEAST_OF_TABLE || columns < LEAST_OF_TABLE || !is_table_of_waves(table) {
        return None;
    }
    let values = operand.floats()?;
    let column =
        |at: usize| -> Vec<u64> { values.iter().skip(at).step_by(columns).map(|it| it.to_bits()).collect() };
    let is_zero = |column: &Vec<u64>| column.iter().all(|it| f64::from_bits(*it) == 0.0);
    let different: HashSet<Vec<u64>> = (0..columns).map(column).filter(|it| !is_zero(it)).collect();
    if different.len() < 2 || 2 * different.len() > columns {
        return None;
    }
    let observed = format!(
        "{} has {columns} columns for each of {positions} positions, and {} of them equal another one or are 0.",
        cell.name_of(table, "The table of positions"),
        columns - different.len()
    );
    let fix = "table[:, 0::2] = torch.sin(angles) and table[:, 1::2] = torch.cos(angles)";
    Some(Observation::new(step.site(), observed, fix))
}

/// Whether a table has waves as they are, joined or written into it.
fn is_table_of_waves(table: &Tensor) -> bool {
    let (_, start) = source(table);
    let written = origin(&start).filter(|it| it.operation.explanation == Explanation::Assignment);
    written.map_or_else(|| is_wave(&start), |record| operand(&record, 1).is_some_and(|it| is_wave(&it)))
}
