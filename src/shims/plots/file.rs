//! What `savefig` writes: a figure as SVG or PNG, drawn by `plotters`.

use std::fmt::Display;
use std::sync::Once;

use plotters::chart::{ChartBuilder, ChartContext, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;

use super::figure::{Mark, MarkKind, PlottedAxes, PlottedAxis, PlottedFigure};
use super::scale::Scale;

/// The letters of a picture, so that it is the same on every system.
const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
const FAMILY: &str = "sans-serif";
/// Colours of curves, in the order in which matplotlib gives them.
const CYCLE: [RGBColor; 10] = [
    RGBColor(31, 119, 180),
    RGBColor(255, 127, 14),
    RGBColor(44, 160, 44),
    RGBColor(214, 39, 40),
    RGBColor(148, 103, 189),
    RGBColor(140, 86, 75),
    RGBColor(227, 119, 194),
    RGBColor(127, 127, 127),
    RGBColor(188, 189, 34),
    RGBColor(23, 190, 207),
];
/// The height of words, for each pixel of a picture's height, within limits.
const WORDS: f64 = 0.028;
/// How far the outermost points are from the edges, as a share of the axes.
const INSET: f64 = 0.05;

type Area<'a, B> = DrawingArea<B, Shift>;
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Ticked, Ticked>>;

/// From one end of an axis to the other, with ticks at these places.
#[derive(Clone)]
struct Ticked {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (value - self.from) / (self.to - self.from);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        self.ticks.iter().copied().filter(|tick| (low..=high).contains(tick)).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.from..self.to
    }
}

/// A figure as pixels, from the top left to the bottom right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotPixels {
    /// Pixels from left to right.
    pub wide: u32,
    /// Pixels from top to bottom.
    pub high: u32,
    /// Red, green and blue of each.
    pub rgb: Vec<u8>,
}

impl PlottedFigure {
    /// The figure as pixels, with letters of at least this height. Errors: what cannot be drawn.
    pub fn pixels(&self, (wide, high): (u32, u32), letters: f64) -> Result<PlotPixels, String> {
        let mut rgb = vec![255; 3 * wide as usize * high as usize];
        let area = BitMapBackend::with_buffer(&mut rgb, (wide, high)).into_drawing_area();
        draw(&area, self, height_of_letters(high).max(letters))?;
        drop(area);
        Ok(PlotPixels { wide, high, rgb })
    }
}

impl PlotPixels {
    /// The pixels as the bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.wide, self.high);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().map_err(said)?;
        writer.write_image_data(&self.rgb).map_err(said)?;
        writer.finish().map_err(said)?;
        Ok(bytes)
    }
}

/// The height of letters that suits a picture of this height.
fn height_of_letters(high: u32) -> f64 {
    (f64::from(high) * WORDS).clamp(9.0, 40.0)
}

/// The figure as the text of an SVG file.
pub(super) fn svg(figure: &PlottedFigure, size: (u32, u32)) -> Result<String, String> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    draw(&area, figure, height_of_letters(size.1))?;
    drop(area);
    Ok(text)
}

/// The figure as the bytes of a PNG file.
pub(super) fn png(figure: &PlottedFigure, size: (u32, u32)) -> Result<Vec<u8>, String> {
    figure.pixels(size, 0.0)?.png()
}

fn said(error: impl Display) -> String {
    error.to_string()
}

/// Draws a figure with letters of this height.
fn draw<B: DrawingBackend>(whole: &Area<'_, B>, figure: &PlottedFigure, words: f64) -> Result<(), String> {
    static FONT_IS_KNOWN: Once = Once::new();
    FONT_IS_KNOWN.call_once(|| {
        // An error means that the bytes are no font, which the test of this file would show.
        let _ = plotters::style::register_font(FAMILY, FontStyle::Normal, FONT);
    });
    whole.fill(&WHITE).map_err(said)?;
    let body = match figure.title.is_empty() {
        true => whole.clone(),
        false => whole.titled(&figure.title, (FAMILY, words * 1.3)).map_err(said)?,
    };
    let (rows, columns) = figure
        .axes
        .iter()
        .fold((1, 1), |(rows, columns), axes| (rows.max(axes.place[0]), columns.max(axes.place[1])));
    let cells = body.split_evenly((rows, columns));
    for (at, cell) in cells.iter().enumerate() {
        let inside = |axes: &&PlottedAxes| axes.place[2].clamp(1, cells.len()) == at + 1;
        draw_cell(cell, &figure.axes.iter().filter(inside).collect::<Vec<_>>(), words)?;
    }
    whole.present().map_err(said)
}

/// The coordinate systems over one place. They share what is below; the first has its numbers at the left, others at the
/// right.
fn draw_cell<B: DrawingBackend>(area: &Area<'_, B>, over: &[&PlottedAxes], words: f64) -> Result<(), String> {
    let Some(first) = over.first() else {
        return Ok(());
    };
    let marks: Vec<&Mark> = over.iter().flat_map(|axes| &axes.marks).collect();
    let x = Axis::of(&first.x, &marks, Mark::horizontal);
    let beside: Vec<(&PlottedAxes, Axis)> = over
        .iter()
        .map(|axes| (*axes, Axis::of(&axes.y, &axes.marks.iter().collect::<Vec<_>>(), Mark::vertical)))
        .collect();
    let room = |(axes, y): &(&PlottedAxes, Axis)| {
        let wide = y.texts.iter().map(|text| text.chars().count()).max().unwrap_or(0) as f64;
        (words * (0.65 * wide + 1.0 + if axes.y.label.is_empty() { 0.0 } else { 1.5 })) as i32
    };
    let (margin, below) = ((words * 0.6) as i32, (words * 3.0) as i32);
    let left = room(&beside[0]);
    let right = beside[1..].iter().map(room).max().unwrap_or(margin);
    let mut colours = CYCLE.into_iter().cycle();
    for (at, (axes, y)) in beside.iter().enumerate() {
        let mut builder = ChartBuilder::on(area);
        builder.margin(margin);
        match at {
            0 => builder
                .set_label_area_size(LabelAreaPosition::Left, left)
                .set_label_area_size(LabelAreaPosition::Bottom, below)
                .margin_right(margin + right),
            _ => builder
                .set_label_area_size(LabelAreaPosition::Right, right)
                .margin_left(margin + left)
                .margin_bottom(margin + below),
        };
        // A title takes its room also where there is none, so that all frames are the same.
        builder.caption(if axes.title.is_empty() { " " } else { &axes.title }, (FAMILY, words * 1.1));
        let chart = builder.build_cartesian_2d(x.ticked(false), y.ticked(axes.inverted)).map_err(said)?;
        draw_axes(chart, axes, (&x, y), &mut colours, words)?;
    }
    Ok(())
}

/// One coordinate system.
fn draw_axes<'a, B: DrawingBackend + 'a>(
    mut chart: Chart<'a, B>,
    axes: &PlottedAxes,
    (x, y): (&Axis, &Axis),
    colours: &mut impl Iterator<Item = RGBColor>,
    words: f64,
) -> Result<(), String> {
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(x.ticks.len())
        .y_labels(y.ticks.len())
        .x_desc(axes.x.label.as_str())
        .y_desc(axes.y.label.as_str())
        .x_label_formatter(&|value| x.text_at(*value))
        .y_label_formatter(&|value| y.text_at(*value))
        .label_style((FAMILY, words))
        .axis_desc_style((FAMILY, words))
        .draw()
        .map_err(said)?;
    let frame = Rectangle::new([(x.low, y.low), (x.high, y.high)], BLACK.stroke_width(1));
    chart.draw_series([frame]).map_err(said)?;
    let mut is_named = false;
    for mark in &axes.marks {
        let colour = match mark.kind {
            MarkKind::Image | MarkKind::Text => BLACK,
            _ => colours.next().unwrap_or(BLACK),
        };
        is_named |= mark.label.is_some();
        draw_mark(&mut chart, mark, colour, (x, y), words)?;
    }
    if is_named {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .legend_area_size((words * 2.0) as u32)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font((FAMILY, words))
            .draw()
            .map_err(said)?;
    }
    Ok(())
}

fn draw_mark<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    mark: &Mark,
    colour: RGBColor,
    (x, y): (&Axis, &Axis),
    words: f64,
) -> Result<(), String> {
    let thick = colour.stroke_width((words / 7.0).max(1.0) as u32);
    let at = |places: &[f64], heights: &[f64]| -> Vec<(f64, f64)> {
        places.iter().zip(heights).map(|(at, height)| (x.place(*at), y.place(*height))).collect()
    };
    let mut series = Vec::new();
    match mark.kind {
        MarkKind::Line => {
            let points = at(&mark.x, &mark.y);
            // A gap where a point has no place.
            let runs = points.split(|(x, y)| !x.is_finite() || !y.is_finite());
            series.extend(runs.map(|run| PathElement::new(run.to_vec(), thick).into_dyn()));
        }
        MarkKind::Level => {
            let height = y.place(mark.y.first().copied().unwrap_or(f64::NAN));
            series.push(PathElement::new(vec![(x.low, height), (x.high, height)], thick).into_dyn());
        }
        MarkKind::Upright => {
            let place = x.place(mark.x.first().copied().unwrap_or(f64::NAN));
            series.push(PathElement::new(vec![(place, y.low), (place, y.high)], thick).into_dyn());
        }
        MarkKind::Points => {
            let points = at(&mark.x, &mark.y).into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            series.extend(points.map(|point| Circle::new(point, words / 4.0, colour.filled()).into_dyn()));
        }
        MarkKind::Band => {
            let mut around = at(&mark.x, &mark.y);
            around.extend(at(&mark.x, &mark.to).into_iter().rev());
            around.retain(|(x, y)| x.is_finite() && y.is_finite());
            series.push(Polygon::new(around, colour.mix(0.25).filled()).into_dyn());
        }
        MarkKind::Bars => {
            let (places, half) = mark.bar_places();
            for (place, height) in places.iter().zip(&mark.y) {
                let corners = [(place - half, y.place(0.0).max(y.low)), (place + half, y.place(*height))];
                series.push(Rectangle::new(corners, colour.filled()).into_dyn());
            }
        }
        MarkKind::Image => {
            let all = || mark.rows.iter().flatten().copied().filter(|value| value.is_finite());
            let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
            for (row, values) in mark.rows.iter().enumerate() {
                for (column, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                    let (left, top) = (column as f64 - 0.5, row as f64 - 0.5);
                    let shade =
                        ViridisRGB.get_color_normalized(*value, low, high.max(low + f64::MIN_POSITIVE));
                    let cell = [(left, top), (left + 1.0, top + 1.0)];
                    series.push(Rectangle::new(cell, shade.filled()).into_dyn());
                }
            }
        }
        MarkKind::Text => {
            for point in at(&mark.x, &mark.y) {
                series.push(Text::new(mark.text.clone(), point, (FAMILY, words)).into_dyn());
            }
        }
    }
    let drawn = chart.draw_series(series).map_err(said)?;
    if let Some(label) = &mark.label {
        let long = (words * 1.5) as i32;
        drawn.label(label).legend(move |(x, y)| PathElement::new(vec![(x, y), (x + long, y)], thick));
    }
    Ok(())
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

    /// The axis for `plotters`; from the other end if the first row is at the top.
    fn ticked(&self, inverted: bool) -> Ticked {
        let (from, to) = if inverted { (self.high, self.low) } else { (self.low, self.high) };
        Ticked { from, to, ticks: self.ticks.clone() }
    }

    /// The place of a number on the axis; not finite where it has none.
    fn place(&self, value: f64) -> f64 {
        let place = self.scale.place(value);
        if place.is_finite() { if self.log { value.log10() } else { value } } else { f64::NAN }
    }

    fn text_at(&self, place: f64) -> String {
        let found = self.ticks.iter().position(|tick| *tick == place);
        found.map(|at| self.texts[at].clone()).unwrap_or_default()
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
