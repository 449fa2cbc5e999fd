//! Heat maps as SVG: one square for each element or block of elements, with the names of rows and columns.

use unicode_width::UnicodeWidthStr;

use super::escape::escape;
use super::styled::shade;
use crate::view::figure::Figure;
use crate::view::heat::block_means;
use crate::view::quantity::mean;
use crate::view::slice::{self, ellipsized};
use crate::view::statistics::Statistics;

/// The side of a square, and the width of a letter, in pixels.
const SIDE: usize = 16;
const LETTER: usize = 7;
/// The widest name of a row or a column.
const NAME: usize = 14;
/// The most rows and columns of the map of a large tensor, and the most slices that are drawn.
const MOST: usize = 32;
const SLICES: usize = 24;

/// Squares in rows and columns.
pub(super) struct SquareMap {
    /// The name above it; may be empty.
    pub(super) title: String,
    /// How many squares a row has.
    pub(super) across: usize,
    /// The class of each square, row by row; an element that dropout set to zero is [`DROPPED`].
    pub(super) squares: Vec<String>,
    /// The value of each square, as the page says it.
    pub(super) values: Vec<String>,
    /// The names of the rows and columns; empty if they have none.
    pub(super) names: [Vec<String>; 2],
}

/// The class of what is crossed out.
const DROPPED: &str = "x";

/// The map of a tensor's slices, by one scale. `dropped` says which elements are crossed out.
pub(super) fn slices(
    figure: &Figure,
    statistics: &Statistics,
    dropped: &dyn Fn(usize) -> bool,
) -> Vec<SquareMap> {
    let axes = figure.shape.len();
    if axes == 0 || figure.count() == 0 || !figure.has_values() {
        return Vec::new();
    }
    let (high, wide) = figure.rows_and_columns();
    let each = high * wide;
    let (down, across) = match figure.is_summarized() {
        true => (high.min(MOST), wide.min(MOST)),
        false => (high, wide),
    };
    let is_whole = (down, across) == (high, wide);
    let name = |axis: Option<usize>, count: usize| match axis {
        Some(axis) if is_whole && count <= MOST => {
            (0..count).map(|at| ellipsized(&figure.position(axis, at), NAME)).collect()
        }
        _ => Vec::new(),
    };
    let names = [name(axes.checked_sub(2), down), name(Some(axes - 1), across)];
    let blocks = (0..figure.count() / each).take(SLICES).map(|at| {
        let values = &figure.values[at * each..(at + 1) * each];
        block_means(values, high, wide, down, across)
    });
    let blocks: Vec<Vec<f64>> = blocks.collect();
    // Means of blocks have a scale of their own.
    let own = Statistics::of(blocks.iter().flatten().copied());
    let statistics = if is_whole { statistics } else { &own };
    let square = |at: usize, value: f64| match is_whole && dropped(at) {
        true => DROPPED.to_owned(),
        false => shade(figure.is_bool(), value, statistics).unwrap_or_else(|| "h4".to_owned()),
    };
    let map = |(at, means): (usize, &Vec<f64>)| SquareMap {
        title: match axes {
            0..=2 => String::new(),
            _ => slice::name(figure, &slice::index(figure, at)),
        },
        across,
        squares: means.iter().enumerate().map(|(i, mean)| square(at * each + i, *mean)).collect(),
        values: means.iter().map(|value| mean(*value)).collect(),
        names: names.clone(),
    };
    blocks.iter().enumerate().map(map).collect()
}

/// The whole of a large tensor, each square the mean of a block of its elements.
pub(super) fn whole(figure: &Figure) -> String {
    let maps = slices(figure, &figure.statistics(), &|_| false);
    let words = format!("The whole of {}, each square the mean of a block of elements.", figure.name);
    format!("<div class=\"maps\">{}</div>\n<p class=\"d\">{}</p>\n", drawn(&maps, &words), escape(&words))
}

/// The maps as one SVG each; `words` says what they show.
pub(super) fn drawn(maps: &[SquareMap], words: &str) -> String {
    let one = |(at, map): (usize, &SquareMap)| {
        // The words are said once, not for each slice.
        let words = if at == 0 { words } else { map.title.as_str() };
        svg(map, words)
    };
    maps.iter().enumerate().map(one).collect()
}

/// Names in an attribute, a line each.
fn names(names: &[String]) -> String {
    escape(&names.join("\n"))
}

fn svg(map: &SquareMap, words: &str) -> String {
    let [rows, columns] = &map.names;
    let longest = |names: &[String]| names.iter().map(|name| name.width()).max().unwrap_or(0) * LETTER;
    let left = if rows.is_empty() { 0 } else { longest(rows) + 6 };
    let title = if map.title.is_empty() { 0 } else { 18 };
    let is_upright = columns.iter().all(|name| name.width() <= 2);
    let above = match columns.is_empty() {
        true => 0,
        false if is_upright => 16,
        false => longest(columns) + 6,
    };
    let top = title + above;
    let down = map.squares.len().div_ceil(map.across.max(1));
    let width = (left + map.across * SIDE).max(map.title.width() * LETTER) + 2;
    let height = top + down * SIDE + 2;
    let mut out = format!(
        "<svg role=\"img\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"",
        escape(words.trim())
    );
    // What the page's script says of the square under the pointer.
    out.push_str(&format!(" data-map=\"{left} {top} {SIDE} {}\"", map.across));
    out.push_str(&format!(" data-values=\"{}\"", escape(&map.values.join(" "))));
    out.push_str(&format!(" data-rows=\"{}\" data-columns=\"{}\">", names(rows), names(columns)));
    if title > 0 {
        out.push_str(&format!("<text class=\"s\" x=\"0\" y=\"12\">{}</text>", escape(&map.title)));
    }
    for (at, name) in columns.iter().enumerate() {
        let x = left + at * SIDE + SIDE / 2;
        let y = top - 4;
        out.push_str(&match is_upright {
            true => format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape(name)),
            false => {
                format!("<text transform=\"translate({} {y}) rotate(-90)\">{}</text>", x + 4, escape(name))
            }
        });
    }
    for (at, name) in rows.iter().enumerate() {
        let y = top + at * SIDE + SIDE - 4;
        out.push_str(&format!(
            "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{}</text>",
            left.saturating_sub(5),
            escape(name)
        ));
    }
    // Squares of one class are one path: a page has thousands of them.
    let mut classes: Vec<(&str, String)> = Vec::new();
    for (at, class) in map.squares.iter().enumerate() {
        let (x, y) = (left + at % map.across * SIDE, top + at / map.across * SIDE);
        let inner = SIDE - 1;
        let path = match class == DROPPED {
            true => format!("M{} {}l9 9m0 -9l-9 9", x + 3, y + 3),
            false => format!("M{x} {y}h{inner}v{inner}h-{inner}z"),
        };
        match classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, all)) => all.push_str(&path),
            None => classes.push((class, path)),
        }
    }
    for (class, path) in classes {
        out.push_str(&format!("<path class=\"{class}\" d=\"{path}\"/>"));
    }
    out + "</svg>\n"
}
