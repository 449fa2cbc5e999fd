//! A curve of numbers one after the other, such as the loss of each training step, in block characters.

use crate::view::quantity::{amount, counted};
use crate::view::statistics::Statistics;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// The height of a plot, in lines.
const LINES: usize = 6;
/// The widest plot, in columns, without the numbers at its left.
const COLUMNS: usize = 48;
/// The narrowest plot that still shows a shape.
const NARROWEST: usize = 12;
/// What the horizontal axis counts.
const UNIT: &str = "step";
/// How many numbers `--plain` reads out.
const READ_OUT: usize = 6;

/// A curve: its name, and its numbers in their order.
#[derive(Clone, PartialEq)]
pub struct Curve {
    /// The expression that has the numbers.
    pub name: String,
    /// One number for each step.
    pub values: Vec<f64>,
}

/// Plots side by side where they fit, by one scale that includes zero. A column is the mean of its steps.
pub fn curves(curves: &[Curve], look: Look) -> Text {
    let mut text = Text::new();
    if look.plain {
        curves.iter().for_each(|curve| text.append(in_words(curve, look)));
        return text;
    }
    let all = Statistics::of(curves.iter().flat_map(|curve| curve.values.iter().copied()));
    let end = |end: Option<(usize, f64)>| end.map_or(0.0, |(_, value)| value);
    let (low, high) = (end(all.least).min(0.0), end(all.greatest).max(0.0));
    let ends = (amount(low), amount(high));
    let left = ends.0.len().max(ends.1.len()) + 1;
    let share = look.text_width() / curves.len().clamp(1, 2);
    let columns = share.saturating_sub(left + 3).clamp(NARROWEST, COLUMNS);
    let plots: Vec<Text> = curves
        .iter()
        .map(|curve| plot(curve, (low, high), (&ends.0, &ends.1), left, columns, look))
        .collect();
    text.append(Text::in_rows(&plots, 3, look));
    text
}

/// One plot: the greatest number of the scale at its top, the steps under it.
fn plot(
    curve: &Curve,
    (low, high): (f64, f64),
    ends: (&str, &str),
    left: usize,
    columns: usize,
    look: Look,
) -> Text {
    let count = curve.values.len();
    let columns = columns.min(count.max(1));
    let mut text = Text::new();
    let title = Line::new().with(Role::Name, &curve.name);
    text.append(wrap(
        &title,
        (left + columns).max(NARROWEST).min(look.width),
        &Line::new(),
        &Line::spaces(2),
    ));
    let levels: Vec<Option<usize>> = (0..columns)
        .map(|column| {
            let steps = &curve.values[column * count / columns..(column + 1) * count / columns];
            let mean = steps.iter().sum::<f64>() / steps.len() as f64;
            let level = if high > low { (mean - low) / (high - low) } else { 0.0 };
            // Even the least number has a mark: an empty column would look like a missing one.
            mean.is_finite().then(|| ((level.clamp(0.0, 1.0) * (LINES * 8) as f64).round() as usize).max(1))
        })
        .collect();
    for row in (0..LINES).rev() {
        let label = match row {
            r if r == LINES - 1 => ends.1,
            0 => ends.0,
            _ => "",
        };
        let mut line = Line::new().with(Role::Dim, format!("{label:>width$} ", width = left - 1));
        for level in &levels {
            match level {
                Some(level) => {
                    let filled = level.saturating_sub(row * 8).min(8);
                    line.push(Role::Heat(0.4), [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][filled]);
                }
                None => line.push(Role::Bad, if row == 0 { "×" } else { " " }),
            }
        }
        text.line(line);
    }
    let last = count.saturating_sub(1).to_string();
    let mut line = Line::spaces(left).with(Role::Dim, "0");
    let space = columns.saturating_sub(last.len() + 1);
    if space > UNIT.len() + 1 {
        line.fill(left + 1 + (space - UNIT.len()).div_ceil(2));
        line.push(Role::Dim, UNIT);
    }
    line.fill((left + columns).saturating_sub(last.len()).max(left + 2));
    line.push(Role::Dim, last);
    text.line(line);
    text
}

/// A curve for `--plain`: its first and last number, some between, and the least.
fn in_words(curve: &Curve, look: Look) -> Text {
    let count = curve.values.len();
    let at = |step: usize| format!("{} at step {step}", amount(curve.values[step]));
    let mut steps: Vec<usize> = (0..READ_OUT).map(|part| part * (count - 1) / (READ_OUT - 1)).collect();
    steps.dedup();
    let read: Vec<String> = steps.into_iter().map(at).collect();
    let mut words = format!("{}, {}: {}", curve.name, counted(count, "step"), read.join(", "));
    let finite = || curve.values.iter().enumerate().filter(|(_, value)| value.is_finite());
    if let Some((least, _)) = finite().min_by(|a, b| a.1.total_cmp(b.1)) {
        words.push_str(&format!("; lowest {}", at(least)));
    }
    let broken = count - finite().count();
    if broken > 0 {
        words.push_str(&format!("; {broken} not finite"));
    }
    let line = Line::new().with(Role::Prose, words + ".");
    wrap(&line, look.width, &Line::new(), &Line::spaces(2))
}
