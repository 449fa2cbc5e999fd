//! What `savefig` writes, and terminals show: a figure as pixels.

use super::figure::{Mark, MarkKind, PlottedAxes, PlottedAxis, PlottedFigure};
use super::pixels::{Anchor, BLACK, Colour, PlotPixels, Point, Raster, width};
use super::scale::Scale;

const WHITE: Colour = Colour([255; 3], 0.8);
/// Colours of curves, in the order in which matplotlib gives them.
const CYCLE: [[u8; 3]; 10] = [
    [31, 119, 180],
    [255, 127, 14],
    [44, 160, 44],
    [214, 39, 40],
    [148, 103, 189],
    [140, 86, 75],
    [227, 119, 194],
    [127, 127, 127],
    [188, 189, 34],
    [23, 190, 207],
];
/// The colour map viridis at equal distances.
const VIRIDIS: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];
/// The height of words, for each pixel of a picture's height, within limits.
const WORDS: f64 = 0.028;
/// How far the outermost points are from the edges, as a share of the axes.
const INSET: f64 = 0.05;

impl PlottedFigure {
    /// The figure as pixels, with letters of at least this height.
    pub fn pixels(&self, size: (u32, u32), letters: f64) -> PlotPixels {
        let mut canvas = Raster::new(size);
        draw(&mut canvas, self, size, height_of_letters(size.1).max(letters));
        canvas.finish()
    }
}

/// The height of letters that suits a picture of this height.
fn height_of_letters(high: u32) -> f64 {
    (f64::from(high) * WORDS).clamp(9.0, 40.0) * 0.86
}

/// Draws a figure with letters of this size.
fn draw(canvas: &mut Raster, figure: &PlottedFigure, (wide, high): (u32, u32), words: f64) {
    let (wide, high) = (f64::from(wide), f64::from(high));
    let mut top = 0.0;
    if !figure.title.is_empty() {
        top = 2.2 * words;
        canvas.words(&figure.title, (wide / 2.0, top / 2.0), 1.4 * words, Anchor::Middle);
    }
    let most = |at: usize| figure.axes.iter().map(|axes| axes.place[at]).max().unwrap_or(1).max(1);
    let (rows, columns) = (most(0), most(1));
    let size = (wide / columns as f64, (high - top) / rows as f64);
    for cell in 0..rows * columns {
        let inside = |axes: &&PlottedAxes| axes.place[2].clamp(1, rows * columns) == cell + 1;
        let over: Vec<_> = figure.axes.iter().filter(inside).collect();
        let corner = ((cell % columns) as f64 * size.0, top + (cell / columns) as f64 * size.1);
        draw_cell(canvas, corner, size, &over, words);
    }
}

/// The coordinate systems over one place. They share what is below; the first has its numbers at the left, others at the
/// right.
fn draw_cell(canvas: &mut Raster, corner: Point, size: Point, over: &[&PlottedAxes], words: f64) {
    let Some(first) = over.first() else { return };
    let marks: Vec<&Mark> = over.iter().flat_map(|axes| &axes.marks).collect();
    let x = Axis::of(&first.x, &marks, Mark::horizontal);
    let axis =
        |axes: &&PlottedAxes| Axis::of(&axes.y, &axes.marks.iter().collect::<Vec<_>>(), Mark::vertical);
    let beside: Vec<Axis> = over.iter().map(axis).collect();
    let room = |at: usize| {
        let widest = beside[at].texts.iter().map(|text| width(text, words)).fold(0.0, f64::max);
        widest + words * if over[at].y.label.is_empty() { 1.0 } else { 2.6 }
    };
    let right = (1..over.len()).map(room).fold(0.8 * words, f64::max);
    let left = (corner.0 + 0.6 * words + room(0)).round();
    let right = (corner.0 + size.0 - 0.6 * words - right).round();
    // Names that are too long to be side by side go upwards.
    let widest = x.texts.iter().map(|text| width(text, words)).fold(0.0, f64::max);
    let is_steep = first.x.names.is_some() && (widest + 0.3 * words) * x.texts.len() as f64 > right - left;
    let below = if is_steep { widest } else { words };
    let bottom = below + words * if first.x.label.is_empty() { 1.2 } else { 2.6 };
    let bottom = (corner.1 + size.1 - bottom).round();
    let mut frame = Frame {
        left,
        top: (corner.1 + 2.2 * words).round(),
        right,
        bottom,
        below,
        is_steep,
        inverted: false,
    };
    if frame.right <= frame.left || frame.bottom <= frame.top {
        return;
    }
    let mut colours = CYCLE.into_iter().cycle();
    let mut named = Vec::new();
    for (at, (axes, y)) in over.iter().zip(&beside).enumerate() {
        frame.inverted = axes.inverted;
        canvas.clip(Some([frame.left, frame.top, frame.right, frame.bottom]));
        for mark in &axes.marks {
            let colour = match mark.kind {
                MarkKind::Image | MarkKind::Text => BLACK,
                _ => Colour(colours.next().unwrap_or_default(), 1.0),
            };
            draw_mark(canvas, mark, colour, (&x, y), &frame, words);
            named.extend(mark.label.as_deref().map(|label| (label, colour)));
        }
        canvas.clip(None);
        draw_axes(canvas, axes, (&x, y), &frame, at > 0, words);
    }
    draw_legend(canvas, &named, &frame, words);
}

/// Where the marks of a coordinate system are, in pixels.
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    /// The height of the words at the ticks below, and whether they go upwards.
    below: f64,
    is_steep: bool,
    /// Whether the first row is at the top.
    inverted: bool,
}

impl Frame {
    fn across(&self, axis: &Axis, place: f64) -> f64 {
        self.left + (place - axis.low) / (axis.high - axis.low) * (self.right - self.left)
    }

    fn down(&self, axis: &Axis, place: f64) -> f64 {
        let share = (place - axis.low) / (axis.high - axis.low);
        self.top + if self.inverted { share } else { 1.0 - share } * (self.bottom - self.top)
    }
}

/// The frame of a coordinate system, its title, ticks and labels. Those of another over it are at the right.
fn draw_axes(
    canvas: &mut Raster,
    axes: &PlottedAxes,
    (x, y): (&Axis, &Axis),
    frame: &Frame,
    is_other: bool,
    words: f64,
) {
    let Frame { left, top, right, bottom, .. } = *frame;
    let around = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    canvas.line(&around, 1.0, BLACK);
    let middle = (f64::midpoint(left, right), f64::midpoint(top, bottom));
    canvas.words(&axes.title, (middle.0, top - words), 1.1 * words, Anchor::Middle);
    let tick = 0.3 * words;
    if !is_other {
        let mut free = f64::NEG_INFINITY;
        for (place, text) in x.ticks.iter().zip(&x.texts) {
            let at = frame.across(x, *place);
            let long = width(text, words);
            let half = if frame.is_steep { 0.0 } else { long / 2.0 };
            if (left..=right).contains(&at) && at - half > free {
                canvas.line(&[(at, bottom), (at, bottom + tick)], 1.0, BLACK);
                match frame.is_steep {
                    true => {
                        canvas.words(text, (at, bottom + 0.7 * words + long / 2.0), words, Anchor::Upwards)
                    }
                    false => canvas.words(text, (at, bottom + 1.2 * words), words, Anchor::Middle),
                }
                free = at + half + tick;
            }
        }
        canvas.words(&axes.x.label, (middle.0, bottom + frame.below + 1.7 * words), words, Anchor::Middle);
    }
    let (side, away, anchor) = if is_other { (right, 1.0, Anchor::Start) } else { (left, -1.0, Anchor::End) };
    for (place, text) in y.ticks.iter().zip(&y.texts) {
        let at = frame.down(y, *place);
        if (top..=bottom).contains(&at) {
            canvas.line(&[(side, at), (side + away * tick, at)], 1.0, BLACK);
            canvas.words(text, (side + away * 1.5 * tick, at), words, anchor);
        }
    }
    let widest = y.texts.iter().map(|text| width(text, words)).fold(0.0, f64::max);
    let label = (side + away * (widest + 1.5 * words), middle.1);
    canvas.words(&axes.y.label, label, words, Anchor::Upwards);
}

fn draw_legend(canvas: &mut Raster, named: &[(&str, Colour)], frame: &Frame, words: f64) {
    if named.is_empty() {
        return;
    }
    let widest = named.iter().map(|(label, _)| width(label, words)).fold(0.0, f64::max);
    let (right, top) = (frame.right - 0.5 * words, frame.top + 0.5 * words);
    let (left, bottom) = (right - widest - 3.0 * words, top + (1.5 * named.len() as f64 + 0.5) * words);
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
    canvas.area(&corners, WHITE);
    canvas.line(&[corners[0], corners[1], corners[2], corners[3], corners[0]], 1.0, Colour([190; 3], 1.0));
    for (at, (label, colour)) in named.iter().enumerate() {
        let y = top + (1.5 * at as f64 + 1.0) * words;
        canvas.line(&[(left + 0.5 * words, y), (left + 2.0 * words, y)], (words / 6.0).max(1.0), *colour);
        canvas.words(label, (left + 2.4 * words, y), words, Anchor::Start);
    }
}

fn draw_mark(
    canvas: &mut Raster,
    mark: &Mark,
    colour: Colour,
    (x, y): (&Axis, &Axis),
    frame: &Frame,
    words: f64,
) {
    let wide = (words / 6.0).max(1.0);
    let point = |(at, height): (&f64, &f64)| (frame.across(x, x.place(*at)), frame.down(y, y.place(*height)));
    let at = |heights: &[f64]| -> Vec<Point> { mark.x.iter().zip(heights).map(point).collect() };
    let is_there = |(x, y): &Point| x.is_finite() && y.is_finite();
    let rectangle = |from: Point, to: Point| [from, (to.0, from.1), to, (from.0, to.1)];
    match mark.kind {
        MarkKind::Line => {
            // A gap where a point has no place.
            at(&mark.y).split(|point| !is_there(point)).for_each(|run| canvas.line(run, wide, colour));
        }
        MarkKind::Level => {
            let height = frame.down(y, y.place(mark.y.first().copied().unwrap_or(f64::NAN)));
            if height.is_finite() {
                canvas.line(&[(frame.left, height), (frame.right, height)], wide, colour);
            }
        }
        MarkKind::Upright => {
            let place = frame.across(x, x.place(mark.x.first().copied().unwrap_or(f64::NAN)));
            if place.is_finite() {
                canvas.line(&[(place, frame.top), (place, frame.bottom)], wide, colour);
            }
        }
        MarkKind::Points => {
            at(&mark.y)
                .into_iter()
                .filter(is_there)
                .for_each(|point| canvas.disc(point, words / 4.0, colour));
        }
        MarkKind::Band => {
            let mut around = at(&mark.y);
            around.extend(at(&mark.to).into_iter().rev());
            around.retain(is_there);
            canvas.area(&around, Colour(colour.0, 0.25));
        }
        MarkKind::Bars => {
            let (places, half) = mark.bar_places();
            let foot = frame.down(y, y.place(0.0).max(y.low));
            for (place, height) in places.iter().zip(&mark.y) {
                let (left, right) = (frame.across(x, place - half), frame.across(x, place + half));
                let top = frame.down(y, y.place(*height));
                if top.is_finite() {
                    canvas.area(&rectangle((left.round(), top), (right.round(), foot)), colour);
                }
            }
        }
        MarkKind::Image => {
            let all = || mark.rows.iter().flatten().copied().filter(|value| value.is_finite());
            let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
            for (row, values) in mark.rows.iter().enumerate() {
                for (column, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                    // Whole pixels: nothing is between two cells.
                    let corner = |add: f64| {
                        let (column, row) = (column as f64 + add, row as f64 + add);
                        (frame.across(x, column).round(), frame.down(y, row).round())
                    };
                    let share = if high > low { (value - low) / (high - low) } else { 0.0 };
                    canvas.area(&rectangle(corner(-0.5), corner(0.5)), shade(share));
                }
            }
        }
        MarkKind::Text => {
            for place in at(&mark.y).into_iter().filter(is_there) {
                canvas.words(&mark.text, place, words, Anchor::Start);
            }
        }
    }
}

/// The colour of a number between 0 and 1.
fn shade(share: f64) -> Colour {
    let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let before = (place as usize).min(VIRIDIS.len() - 2);
    let [low, high] = [VIRIDIS[before], VIRIDIS[before + 1]];
    let part = |at: usize| {
        let (low, high) = (f64::from(low[at]), f64::from(high[at]));
        (low + (place - before as f64) * (high - low)).round() as u8
    };
    Colour([part(0), part(1), part(2)], 1.0)
}

/// One axis: its ends and ticks as numbers, or as logarithms of them.
struct Axis {
    scale: Scale,
    log: bool,
    low: f64,
    high: f64,
    /// The places of ticks, and what is written there.
    ticks: Vec<f64>,
    texts: Vec<String>,
}

impl Axis {
    /// The axis on which the numbers that `values` takes from each mark have a place.
    fn of(axis: &PlottedAxis, marks: &[&Mark], values: fn(&Mark) -> Vec<f64>) -> Axis {
        let scale = Scale::of(axis, marks.iter().flat_map(|mark| values(mark)));
        let fills = axis.limits.is_some() || marks.iter().any(|mark| mark.kind == MarkKind::Image);
        let log = axis.log && scale.low > 0.0;
        let transformed = |value: f64| if log { value.log10() } else { value };
        let (low, high) = (transformed(scale.low), transformed(scale.high));
        let inset = if fills { 0.0 } else { (high - low) * INSET };
        let numbers = match (&axis.ticks, &axis.names) {
            (Some(ticks), _) => ticks.clone(),
            (None, Some(names)) => (0..names.len()).map(|at| at as f64).collect(),
            (None, None) => scale.ticks(6),
        };
        let text = |(at, number): (usize, &f64)| match &axis.names {
            Some(names) => names.get(at).cloned().unwrap_or_default(),
            None => short(*number, scale.high - scale.low),
        };
        let texts = numbers.iter().enumerate().map(text).collect();
        let ticks = numbers.iter().map(|number| transformed(*number)).collect();
        Axis { log, low: low - inset, high: high + inset, ticks, texts, scale }
    }

    /// The place of a number on the axis; not finite where it has none.
    fn place(&self, value: f64) -> f64 {
        let place = self.scale.place(value);
        if place.is_finite() { if self.log { value.log10() } else { value } } else { f64::NAN }
    }
}

/// A number with as many digits as tell ticks apart on an axis of this length.
fn short(number: f64, length: f64) -> String {
    if number != 0.0 && !(1e-4..1e6).contains(&number.abs()) {
        return format!("{number:e}");
    }
    let digits = (2.0 - length.abs().log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{number:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

impl Mark {
    /// The numbers that need a place from left to right.
    fn horizontal(&self) -> Vec<f64> {
        match self.kind {
            MarkKind::Level | MarkKind::Text => Vec::new(),
            MarkKind::Image => vec![-0.5, self.rows.first().map_or(0, Vec::len) as f64 - 0.5],
            MarkKind::Bars => {
                let (places, half) = self.bar_places();
                places.iter().flat_map(|place| [place - half, place + half]).collect()
            }
            _ => self.x.clone(),
        }
    }

    /// The numbers that need a place from bottom to top.
    fn vertical(&self) -> Vec<f64> {
        match self.kind {
            MarkKind::Upright | MarkKind::Text => Vec::new(),
            MarkKind::Image => vec![-0.5, self.rows.len() as f64 - 0.5],
            MarkKind::Bars => self.y.iter().copied().chain([0.0]).collect(),
            _ => self.y.iter().chain(&self.to).copied().collect(),
        }
    }

    /// The places of the middles of bars, and half of the width of one.
    fn bar_places(&self) -> (Vec<f64>, f64) {
        let numbers: Option<Vec<f64>> = self.names.iter().map(|name| name.parse().ok()).collect();
        let places = numbers.unwrap_or_else(|| (0..self.y.len()).map(|at| at as f64).collect());
        let apart = places.windows(2).map(|pair| (pair[1] - pair[0]).abs()).filter(|apart| *apart > 0.0);
        let apart = apart.fold(f64::INFINITY, f64::min);
        (places, 0.4 * if apart.is_finite() { apart } else { 1.0 })
    }
}
