//! Plots in the terminal: curves and points in braille characters, tables as heat maps, bars. For `--plain` in words.

use crate::shims::{Mark, MarkKind, PlottedAxes, PlottedAxis, PlottedFigure, Scale};
use crate::tensor::show::scientific;
use crate::view::figure::Figure;
use crate::view::heat::{self, Bar, bars};
use crate::view::quantity::{amount, counted};
use crate::view::text::{Line, Look, Role, Text, escape_controls};
use crate::view::wrap::wrap;

/// The height of a plot, in lines.
const LINES: usize = 12;
/// The widest plot, in columns.
const WIDEST: usize = 64;
const NARROWEST: usize = 8;
/// Signs of the curves of a plot without colours, where there are several.
const SIGNS: [char; 6] = ['•', '×', '+', 'o', '#', '~'];

/// A figure: its axes side by side where they fit.
pub fn plot(figure: &PlottedFigure, look: Look) -> Text {
    let mut text = Text::new();
    if !figure.title.is_empty() {
        text.append(words(Role::Title, &figure.title, look.width));
    }
    let parts = figure.axes.len().max(1);
    let each = if look.plain { look.width } else { part_width(look.text_width(), parts) };
    let look_of_part = Look { width: each, ..look };
    let drawn: Vec<Text> = figure.axes.iter().map(|axes| self::axes(axes, look_of_part)).collect();
    match look.plain {
        true => drawn.into_iter().for_each(|part| text.append(part)),
        false => text.append(Text::in_rows(&drawn, 3, look)),
    }
    text
}

/// The width of one of several parts: as many side by side as leave each room to be read.
fn part_width(width: usize, parts: usize) -> usize {
    let beside = (1..=parts.min(4)).rev().find(|beside| (width + 3) / beside >= 36 + 3).unwrap_or(1);
    ((width + 3) / beside - 3).max(NARROWEST)
}

fn words(role: Role, text: &str, width: usize) -> Text {
    wrap((role, escape_controls(text, &[])), width.max(NARROWEST), 0, 2)
}

/// One coordinate system.
fn axes(axes: &PlottedAxes, look: Look) -> Text {
    let mut text = Text::new();
    if !axes.title.is_empty() {
        text.append(words(Role::Name, &axes.title, look.width));
    }
    let (images, rest): (Vec<&Mark>, Vec<&Mark>) =
        axes.marks.iter().partition(|mark| mark.kind == MarkKind::Image);
    let (columns, rest): (Vec<&Mark>, Vec<&Mark>) =
        rest.into_iter().partition(|mark| mark.kind == MarkKind::Bars);
    images.iter().for_each(|image| text.append(table(image, axes, look)));
    columns.iter().for_each(|mark| text.append(bar_chart(mark, axes, look)));
    let curves: Vec<&Mark> = rest.into_iter().filter(|mark| mark.kind != MarkKind::Text).collect();
    if !curves.is_empty() {
        text.append(match look.plain {
            true => curves_in_words(&curves, axes, look),
            false => Canvas::new(&curves, axes, look).drawn(),
        });
    }
    // The labels of the axes, in one line.
    let named = [("→", &axes.x.label), ("↑", &axes.y.label)];
    let named = named.iter().filter(|(_, label)| !look.plain && !label.is_empty());
    let named: Vec<String> = named.map(|(arrow, label)| format!("{arrow} {label}")).collect();
    if !named.is_empty() {
        text.append(words(Role::Dim, &named.join("   "), look.width));
    }
    text
}

/// A table of numbers as a tensor, with the names of its rows and columns.
pub(super) fn table_figure(image: &Mark, axes: &PlottedAxes) -> Figure {
    let wide = image.rows.first().map_or(0, Vec::len);
    let rows: Vec<&Vec<f64>> = match axes.inverted {
        true => image.rows.iter().collect(),
        false => image.rows.iter().rev().collect(),
    };
    let mut row_names = names(&axes.y, rows.len());
    if let (Some(names), false) = (&mut row_names, axes.inverted) {
        names.reverse();
    }
    let values: Vec<f64> = rows.iter().flat_map(|row| row.iter().copied()).collect();
    Figure {
        name: Some(axes.title.as_str()).filter(|title| !title.is_empty()).unwrap_or("table").to_owned(),
        dtype: "float64".to_owned(),
        shape: vec![rows.len(), wide],
        texts: values.iter().map(|value| number(*value)).collect(),
        values,
        axes: vec![axes.y.label.clone(), axes.x.label.clone()],
        labels: vec![row_names, names(&axes.x, wide)],
    }
}

/// A table of numbers as a heat map.
fn table(image: &Mark, axes: &PlottedAxes, look: Look) -> Text {
    let figure = table_figure(image, axes);
    if !figure.has_values() || figure.count() == 0 {
        return words(Role::Dim, "an empty table", look.width);
    }
    heat::with_scale(&figure, look)
}

/// The name of each of `count` positions, where the cell named ticks.
fn names(axis: &PlottedAxis, count: usize) -> Option<Vec<String>> {
    let names = axis.names.as_ref().filter(|names| !names.is_empty())?;
    let at = |position: usize| match &axis.ticks {
        Some(ticks) => ticks.iter().position(|tick| (tick - position as f64).abs() <= 0.5),
        None => Some(position),
    };
    Some(
        (0..count)
            .map(|position| at(position).and_then(|at| names.get(at).cloned()).unwrap_or_default())
            .collect(),
    )
}

/// The bars of a mark, with their names.
pub(super) fn bars_of(mark: &Mark, axes: &PlottedAxes) -> Vec<Bar> {
    let named = match mark.names.iter().any(|name| name.parse::<f64>().is_err()) {
        true => None,
        false => names(&axes.x, mark.y.len()),
    };
    let names = named.unwrap_or_else(|| mark.names.clone());
    let bar = |(name, value): (&String, &f64)| Bar {
        name: escape_controls(name, &[]).into_owned(),
        value: value.abs(),
        text: number(*value),
    };
    names.iter().zip(&mark.y).map(bar).collect()
}

fn bar_chart(mark: &Mark, axes: &PlottedAxes, look: Look) -> Text {
    let mut text = Text::new();
    if let Some(label) = &mark.label {
        text.append(words(Role::Name, label, look.width));
    }
    text.append(bars(&bars_of(mark, axes), look));
    text
}

/// A number as text; a small one does not become 0.
pub(super) fn number(value: f64) -> String {
    match value {
        value if value.is_nan() => "nan".to_owned(),
        value if value != 0.0 && value.abs() < 1e-3 => scientific(value, 4),
        value => amount(value),
    }
}

/// The ends of an axis, or the names of its categories at their ends.
pub(super) fn ends(axis: &PlottedAxis, scale: &Scale) -> [String; 2] {
    match axis.names.as_deref() {
        Some([first, .., last]) => [first.clone(), last.clone()],
        _ => [number(scale.low), number(scale.high)],
    }
}

fn curves_in_words(curves: &[&Mark], axes: &PlottedAxes, look: Look) -> Text {
    let mut text = Text::new();
    for (at, mark) in curves.iter().enumerate() {
        let kind = match mark.kind {
            MarkKind::Points => "points",
            MarkKind::Band => "band",
            MarkKind::Level => "horizontal line",
            MarkKind::Upright => "vertical line",
            _ => "curve",
        };
        let name = mark.label.clone().unwrap_or_else(|| format!("{kind} {}", at + 1));
        let level = match mark.kind {
            MarkKind::Level => mark.y.first(),
            MarkKind::Upright => mark.x.first(),
            _ => None,
        };
        if let Some(level) = level {
            text.append(words(Role::Prose, &format!("{name}: at {}", number(*level)), look.width));
            continue;
        }
        let mut said = format!("{name}, {kind} of {}", counted(mark.y.len(), "point"));
        let points: Vec<(f64, f64)> = mark.x.iter().copied().zip(mark.y.iter().copied()).collect();
        let shown: Vec<usize> = match points.len() {
            0..=6 => (0..points.len()).collect(),
            count => (0..6).map(|part| part * (count - 1) / 5).collect(),
        };
        let place = |at: &usize| format!("{} at {}", number(points[*at].1), number(points[*at].0));
        said.push_str(": ");
        said.push_str(&shown.iter().map(place).collect::<Vec<_>>().join(", "));
        text.append(words(Role::Prose, &said, look.width));
    }
    for (axis, which) in [(&axes.x, "from left to right"), (&axes.y, "from bottom to top")] {
        if !axis.label.is_empty() {
            text.append(words(Role::Prose, &format!("{which}: {}", axis.label), look.width));
        }
    }
    text
}

/// A plane of dots: each character has two across and four down.
struct Canvas<'m> {
    curves: &'m [&'m Mark],
    axes: &'m PlottedAxes,
    look: Look,
    x: Scale,
    y: Scale,
    columns: usize,
    left: usize,
    /// The dots of each character, and the curve that drew last in it.
    cells: Vec<(u8, usize)>,
}

impl<'m> Canvas<'m> {
    fn new(curves: &'m [&'m Mark], axes: &'m PlottedAxes, look: Look) -> Canvas<'m> {
        let with = |kinds: &'static [MarkKind]| curves.iter().filter(move |mark| !kinds.contains(&mark.kind));
        let x = Scale::of(&axes.x, with(&[MarkKind::Level]).flat_map(|mark| mark.x.iter().copied()));
        let ys = with(&[MarkKind::Upright]).flat_map(|mark| mark.y.iter().chain(&mark.to).copied());
        let y = Scale::of(&axes.y, ys);
        let left = number(y.low).len().max(number(y.high).len()) + 2;
        let columns = look.width.saturating_sub(left).clamp(NARROWEST, WIDEST);
        let mut canvas =
            Canvas { curves, axes, look, x, y, columns, left, cells: vec![(0, 0); columns * LINES] };
        for (at, mark) in curves.iter().enumerate() {
            canvas.draw(at, mark);
        }
        canvas
    }

    fn draw(&mut self, at: usize, mark: &Mark) {
        let points: Vec<(f64, f64)> = match mark.kind {
            MarkKind::Level => vec![(self.x.low, mark.y[0]), (self.x.high, mark.y[0])],
            MarkKind::Upright => vec![(mark.x[0], self.y.low), (mark.x[0], self.y.high)],
            _ => mark.x.iter().copied().zip(mark.y.iter().copied()).collect(),
        };
        match mark.kind {
            MarkKind::Points => points.iter().for_each(|(x, y)| self.dot(at, *x, *y)),
            MarkKind::Band => {
                let other: Vec<(f64, f64)> = mark.x.iter().copied().zip(mark.to.iter().copied()).collect();
                self.line(at, &points);
                self.line(at, &other);
            }
            _ => self.line(at, &points),
        }
    }

    /// The dots of a line through points; a gap where one has no place.
    fn line(&mut self, at: usize, points: &[(f64, f64)]) {
        if let [(x, y)] = points {
            self.dot(at, *x, *y);
        }
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let (from, to) = ((self.x.place(x0), self.y.place(y0)), (self.x.place(x1), self.y.place(y1)));
            if ![from.0, from.1, to.0, to.1].iter().all(|place| place.is_finite()) {
                continue;
            }
            let across = (to.0 - from.0).abs() * (self.columns * 2) as f64;
            let down = (to.1 - from.1).abs() * (LINES * 4) as f64;
            let steps = across.max(down).ceil().clamp(1.0, 4096.0) as usize;
            for step in 0..=steps {
                let share = step as f64 / steps as f64;
                self.mark(at, from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            }
        }
    }

    fn dot(&mut self, at: usize, x: f64, y: f64) {
        let (x, y) = (self.x.place(x), self.y.place(y));
        self.mark(at, x, y);
    }

    /// Marks the dot at these places between 0 and 1; what lies outside is not drawn.
    fn mark(&mut self, at: usize, x: f64, y: f64) {
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            return;
        }
        let column = (x * (self.columns * 2 - 1) as f64).round() as usize;
        let row = ((1.0 - y) * (LINES * 4 - 1) as f64).round() as usize;
        let cell = &mut self.cells[row / 4 * self.columns + column / 2];
        // The bits of braille's dots: 1, 2, 3, 7 at the left and 4, 5, 6, 8 at the right.
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        *cell = (cell.0 | BITS[column % 2][row % 4], at);
    }

    /// Curves are told apart by colours, or by signs where there are none.
    fn has_signs(&self) -> bool {
        self.curves.len() > 1 && !self.look.coloured()
    }

    fn drawn(&self) -> Text {
        let mut text = Text::new();
        let (high, low) = (number(self.y.high), number(self.y.low));
        for row in 0..LINES {
            let label = match row {
                0 => &*high,
                row if row == LINES - 1 => &*low,
                _ => "",
            };
            let mut line = Line::new().with(Role::Dim, format!("{label:>width$} │", width = self.left - 2));
            for (dots, curve) in &self.cells[row * self.columns..(row + 1) * self.columns] {
                match (dots, self.has_signs()) {
                    (0, _) => line.push(Role::Prose, " "),
                    (_, true) => line.push(Role::Prose, SIGNS[curve % SIGNS.len()].to_string()),
                    (dots, false) => {
                        let braille = char::from_u32(0x2800 + u32::from(*dots)).expect("a braille character");
                        line.push(Role::Token(*curve), braille.to_string());
                    }
                }
            }
            text.line(line);
        }
        let mut rule = Line::spaces(self.left - 1);
        rule.push(Role::Dim, format!("└{}", "─".repeat(self.columns)));
        text.line(rule);
        text.line(self.ticks());
        let named: Vec<(usize, &String)> = self
            .curves
            .iter()
            .enumerate()
            .filter_map(|(at, mark)| Some((at, mark.label.as_ref()?)))
            .collect();
        if !named.is_empty() {
            let mut legend = Line::new();
            for (at, label) in named {
                let sign =
                    if self.has_signs() { SIGNS[at % SIGNS.len()].to_string() } else { "──".to_owned() };
                legend.push(Role::Token(at), sign);
                legend.push(Role::Prose, format!(" {}   ", escape_controls(label, &[])));
            }
            let indent = Line::spaces(self.left);
            text.append(wrap(&legend, self.look.width.max(self.left + NARROWEST), &indent, &indent));
        }
        text
    }

    fn ticks(&self) -> Line {
        let [first, last] = ends(&self.axes.x, &self.x).map(|end| escape_controls(&end, &[]).into_owned());
        let mut line = Line::spaces(self.left);
        line.push(Role::Dim, first);
        let wide = Line::new().with(Role::Dim, &last).width();
        line.fill((self.left + self.columns).saturating_sub(wide).max(line.width() + 1));
        line.push(Role::Dim, last);
        line
    }
}
