//! What a cell plotted, as SVG: curves, points and bands by the scales of their axes; tables as heat maps, bars as a table.

use super::bar_table::bars;
use super::escape::escape;
use super::map;
use crate::shims::{Mark, MarkKind, PlottedAxes, PlottedFigure, Scale};
use crate::view::plot::{bars_of, ends, number, table_figure};

/// The size of the part that is drawn on, and the margins at its left and below it, in pixels.
const WIDE: f64 = 360.0;
const HIGH: f64 = 180.0;
const LEFT: f64 = 64.0;
const BELOW: f64 = 34.0;
const ABOVE: f64 = 8.0;
/// How far the outermost points are from the edges, as a share of the part.
const INSET: f64 = 0.03;

/// A figure; `words` says what it shows.
pub(super) fn plot(figure: &PlottedFigure, words: &str) -> String {
    let mut out = String::new();
    if !figure.title.is_empty() {
        out.push_str(&format!("<figcaption class=\"s\">{}</figcaption>\n", escape(&figure.title)));
    }
    let parts: Vec<String> = figure
        .axes
        .iter()
        .enumerate()
        // The words are said once, not for each part.
        .map(|(at, one)| axes(one, if at == 0 { words } else { &one.title }))
        .collect();
    out + &format!("<div class=\"maps\">{}</div>\n", parts.concat())
}

/// One coordinate system.
fn axes(axes: &PlottedAxes, words: &str) -> String {
    let mut out = String::from("<div>");
    if !axes.title.is_empty() {
        out.push_str(&format!("<p class=\"s\">{}</p>", escape(&axes.title)));
    }
    for image in axes.marks.iter().filter(|mark| mark.kind == MarkKind::Image) {
        let figure = table_figure(image, axes);
        if figure.has_values() && figure.count() > 0 {
            let maps = map::slices(&figure, &figure.statistics(), &|_| false);
            out.push_str(&map::drawn(&maps, words));
        }
    }
    for mark in axes.marks.iter().filter(|mark| mark.kind == MarkKind::Bars) {
        out.push_str(&bars(mark.label.as_deref().unwrap_or_default(), &bars_of(mark, axes)));
    }
    let drawn = |mark: &&Mark| !matches!(mark.kind, MarkKind::Image | MarkKind::Bars | MarkKind::Text);
    let marks: Vec<&Mark> = axes.marks.iter().filter(drawn).collect();
    if !marks.is_empty() {
        out.push_str(&lines(axes, &marks, words));
    }
    out + "</div>\n"
}

/// Curves, points, bands and straight lines.
fn lines(axes: &PlottedAxes, marks: &[&Mark], words: &str) -> String {
    let with = |kind: MarkKind| marks.iter().filter(move |mark| mark.kind != kind);
    let x = Scale::of(&axes.x, with(MarkKind::Level).flat_map(|mark| mark.x.iter().copied()));
    let y =
        Scale::of(&axes.y, with(MarkKind::Upright).flat_map(|mark| mark.y.iter().chain(&mark.to).copied()));
    let across = |value: f64| LEFT + WIDE * (INSET + x.place(value) * (1.0 - 2.0 * INSET));
    let down = |value: f64| ABOVE + HIGH * (1.0 - INSET - y.place(value) * (1.0 - 2.0 * INSET));
    let point = |x: f64, y: f64| {
        let place = (across(x), down(y));
        (place.0.is_finite() && place.1.is_finite()).then_some(place)
    };
    let (width, height) = (LEFT + WIDE + 8.0, ABOVE + HIGH + BELOW);
    let mut out = format!(
        "<svg role=\"img\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\
         <path class=\"frame\" d=\"M{LEFT} {ABOVE}v{HIGH}h{WIDE}\"/>",
        escape(words)
    );
    for (at, mark) in marks.iter().enumerate() {
        let class = format!("t{}", at % 8);
        let both = |ys: &[f64]| -> Vec<Option<(f64, f64)>> {
            mark.x.iter().zip(ys).map(|(x, y)| point(*x, *y)).collect()
        };
        match mark.kind {
            MarkKind::Points => {
                for (x, y) in both(&mark.y).into_iter().flatten() {
                    out.push_str(&format!(
                        "<circle class=\"{class} dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
                    ));
                }
            }
            MarkKind::Level => {
                let y = mark.y.first().map_or(f64::NAN, |y| down(*y));
                if y.is_finite() {
                    out.push_str(&format!("<path class=\"{class} curve\" d=\"M{LEFT} {y:.1}h{WIDE}\"/>"));
                }
            }
            MarkKind::Upright => {
                let x = mark.x.first().map_or(f64::NAN, |x| across(*x));
                if x.is_finite() {
                    out.push_str(&format!("<path class=\"{class} curve\" d=\"M{x:.1} {ABOVE}v{HIGH}\"/>"));
                }
            }
            MarkKind::Band => {
                let mut around: Vec<(f64, f64)> = both(&mark.y).into_iter().flatten().collect();
                around.extend(both(&mark.to).into_iter().flatten().rev());
                let around: Vec<Option<(f64, f64)>> = around.into_iter().map(Some).collect();
                out.push_str(&format!("<path class=\"{class} band\" d=\"{}z\"/>", path(&around)));
            }
            _ => out.push_str(&format!("<path class=\"{class} curve\" d=\"{}\"/>", path(&both(&mark.y)))),
        }
    }
    let ends = ends(&axes.x, &x);
    let bottom = ABOVE + HIGH + 14.0;
    for (at, text, anchor) in [
        (LEFT, &ends[0], "start"),
        (LEFT + WIDE, &ends[1], "end"),
        (LEFT + WIDE / 2.0, &axes.x.label, "middle"),
    ] {
        let text = escape(text);
        out.push_str(&format!("<text x=\"{at}\" y=\"{bottom}\" text-anchor=\"{anchor}\">{text}</text>"));
    }
    for (at, value) in [(ABOVE + 10.0, y.high), (ABOVE + HIGH, y.low)] {
        let (x, text) = (LEFT - 6.0, escape(&number(value)));
        out.push_str(&format!("<text x=\"{x}\" y=\"{at}\" text-anchor=\"end\">{text}</text>"));
    }
    out.push_str("</svg>");
    if !axes.y.label.is_empty() {
        out.push_str(&format!("<p class=\"legend\">↑ {}</p>", escape(&axes.y.label)));
    }
    let named = marks.iter().enumerate().filter_map(|(at, mark)| Some((at, mark.label.as_ref()?)));
    let named: Vec<String> =
        named.map(|(at, label)| format!("<i class=\"t{}\">━━</i> {}", at % 8, escape(label))).collect();
    if !named.is_empty() {
        out.push_str(&format!("<p class=\"legend\">{}</p>", named.join(" &nbsp; ")));
    }
    out
}

/// The path through points, with a gap where one has no place.
fn path(points: &[Option<(f64, f64)>]) -> String {
    let mut out = String::new();
    let mut is_open = false;
    for point in points {
        if let Some((x, y)) = point {
            out.push_str(&format!("{}{x:.1} {y:.1}", if is_open { 'L' } else { 'M' }));
        }
        is_open = point.is_some();
    }
    out
}
