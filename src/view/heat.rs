//! Heat maps and bars: the pattern of a tensor at a glance, in block characters that can be read without colour.

use std::slice::Chunks;

use unicode_width::UnicodeWidthStr;

use crate::view::figure::Figure;
use crate::view::quantity::{amount, mean};
use crate::view::rows::rows;
use crate::view::slice::{self, ellipsized};
use crate::view::statistics::{Statistics, block};
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::wrap;

/// The most rows of a large tensor's map, each the mean of a block of rows.
const ROWS: usize = 16;
/// The same for a tensor of several slices.
const ROWS_OF_SLICE: usize = 8;
/// The most slices of a large tensor that are shown.
const SLICES: usize = 12;
/// The widest name of a row or column.
const NAME: usize = 16;

/// The last two axes of a tensor as a map: tokens' names on both axes, two characters for an element, a dot for a masked
/// or dropped weight. One map for each slice, side by side where they fit.
pub(crate) fn map(figure: &Figure, look: Look) -> Text {
    if figure.shape.is_empty() || figure.count() == 0 || !figure.has_values() {
        return Text::new();
    }
    if look.plain {
        return plain(figure, look);
    }
    if figure.is_summarized() { whole(figure, look) } else { maps(figure, look, WHOLE, None, None).0 }
}

/// As [`map`], with its scale.
pub(crate) fn with_scale(figure: &Figure, look: Look) -> Text {
    let mut text = map(figure, look);
    // A map of means has its own scale.
    if !look.plain && !text.is_empty() && !figure.is_summarized() {
        text.append(legend(&[figure], &figure.statistics(), look));
    }
    text
}

/// The scale that maps of these tensors have together, or the signs of True and False.
fn legend(figures: &[&Figure], statistics: &Statistics, look: Look) -> Text {
    if figures.iter().all(|figure| figure.is_bool()) && !statistics.is_constant() {
        let signs = Line::new().with(Role::Heat(1.0), "█").with(Role::Dim, " True   · False");
        return Text { lines: vec![signs] };
    }
    match (statistics.least, statistics.greatest) {
        (Some((low, _)), Some((high, _))) => {
            scale([low, high].map(|at| number_among(figures, at)), statistics, look)
        }
        _ => Text::new(),
    }
}

/// A tensor for `--plain`: its rows, and the means of the whole if only edges are shown.
pub(super) fn plain(figure: &Figure, look: Look) -> Text {
    let mut text = rows(figure, look);
    if figure.is_summarized() {
        text.append(whole(figure, look));
    }
    text
}

/// Maps of several tensors side by side where they fit, each under its name, shaded by one scale.
pub fn beside(figures: &[Figure], look: Look) -> Text {
    let shown = figures.iter().filter(|f| f.count() > 0 && f.has_values() && !f.shape.is_empty());
    let shown: Vec<&Figure> = shown.collect();
    let mut text = Text::new();
    if look.plain {
        shown.iter().for_each(|figure| text.append(plain(figure, look)));
        return text;
    }
    let statistics = Statistics::of(shown.iter().flat_map(|f| f.values.iter().copied()));
    // Large tensors are drawn as the means of blocks.
    let most = if shown.iter().any(|figure| figure.is_summarized()) { (ROWS, ROWS) } else { WHOLE };
    let all: Vec<Text> = shown.iter().map(|figure| titled(figure, look, most, statistics, None)).collect();
    text.append(Text::in_rows(&all, 4, look));
    text.section(legend(&shown, &statistics, look));
    text
}

/// The maps of a tensor under its name.
fn titled(
    figure: &Figure,
    look: Look,
    most: (usize, usize),
    statistics: Statistics,
    mark: Option<&ElementMark>,
) -> Text {
    let mut text = Text::of(Role::Name, &ellipsized(&figure.name, look.width));
    text.append(maps(figure, look, most, Some(statistics), mark).0);
    text
}

/// The element at offset `at` of the tensors' values one after the other.
fn number_among(figures: &[&Figure], mut at: usize) -> String {
    for figure in figures {
        if at < figure.count() {
            return figure.end(at);
        }
        at -= figure.count();
    }
    unreachable!("the offset belongs to a value of these tensors")
}

/// The whole of a large tensor, each cell the mean of a block of its elements.
pub(crate) fn whole(figure: &Figure, look: Look) -> Text {
    let axes = figure.shape.len();
    let (high, wide) = figure.rows_and_columns();
    // A block is about as wide as it is high: a cell is two characters wide.
    let most = match look.plain {
        true => (4, 4),
        false if high == 1 => (1, 2 * ROWS),
        false => (ROWS, (ROWS.min(high) * wide / high).clamp(8, 2 * ROWS)),
    };
    let most_of_slice = if axes > 2 { ROWS_OF_SLICE } else { usize::MAX };
    let most = (most.0.min(most_of_slice), most.1.min(most_of_slice));
    let (down, across) = blocks(figure, look, most);
    let (up_to, by) =
        (if high % down + wide % across > 0 { "up to " } else { "" }, if look.plain { "by" } else { "×" });
    let words = format!(
        "the whole of {}, each cell the mean of {up_to}{} {by} {} elements",
        figure.name,
        high.div_ceil(down),
        wide.div_ceil(across)
    );
    let mut text = wrap((Role::Dim, words), look.width, 0, 0);
    let (map, statistics) = maps(figure, look, most, None, None);
    text.append(map);
    if let (false, Some((_, low)), Some((_, high))) = (look.plain, statistics.least, statistics.greatest) {
        text.append(scale([low, high].map(mean), &statistics, look));
    }
    text
}

/// How many blocks a map has from top to bottom and from left to right, at most `most`.
fn blocks(figure: &Figure, look: Look, most: (usize, usize)) -> (usize, usize) {
    let (high, wide) = figure.rows_and_columns();
    let down = high.min(most.0);
    let names = row_names(figure, down);
    let free = look.width.saturating_sub(names.iter().map(|n| n.width()).max().unwrap_or(0) + 1);
    (down, wide.min(most.1).min((free / 2).max(1)))
}

/// Before and after dropout side by side, by one scale; a dropped weight is marked `×`.
pub(crate) fn dropped(before: &Figure, after: &Figure, look: Look) -> Text {
    let statistics = Statistics::of([before, after].iter().flat_map(|f| f.values.iter().copied()));
    let is_dropped =
        |at: usize| (before.values[at] != 0.0 && after.values[at] == 0.0).then_some(('×', Role::Bad));
    let titled = |figure: &Figure, mark: Option<&ElementMark>| titled(figure, look, WHOLE, statistics, mark);
    Text::in_rows(&[titled(before, None), titled(after, Some(&is_dropped))], 4, look)
}

/// The most rows and columns of a map that shows every element.
const WHOLE: (usize, usize) = (usize::MAX, usize::MAX);

/// The mark of the element at a row-major offset, where it is not shaded.
type ElementMark<'m> = dyn Fn(usize) -> Option<(char, Role)> + 'm;

/// The means of a slice of `high` by `wide` elements in `down` by `across` blocks, row by row, of the finite elements of each.
/// A block that has nan, or nothing finite, is nan or infinite itself.
pub(super) fn block_means(values: &[f64], high: usize, wide: usize, down: usize, across: usize) -> Vec<f64> {
    let mut means = Vec::with_capacity(down * across);
    for r in 0..down {
        for c in 0..across {
            let rows = r * high / down..(r + 1) * high / down;
            let columns = c * wide / across..(c + 1) * wide / across;
            let cells = rows.flat_map(|r| columns.clone().map(move |c| values[r * wide + c]));
            let all = Statistics::of(cells);
            means.push(match all.least {
                _ if all.nan > 0 => f64::NAN,
                Some(_) => all.mean,
                None if all.inf > 0 => f64::INFINITY,
                None => f64::NEG_INFINITY,
            });
        }
    }
    means
}

/// The maps of all slices, of at most `most` rows and columns; shaded by `shared` statistics, or by those of the means
/// that are shown. Returns the statistics too.
fn maps(
    figure: &Figure,
    look: Look,
    most: (usize, usize),
    shared: Option<Statistics>,
    own_mark: Option<&ElementMark>,
) -> (Text, Statistics) {
    let axes = figure.shape.len();
    let outer = axes.saturating_sub(2);
    let (high, wide) = figure.rows_and_columns();
    let each = high * wide;
    let count: usize = figure.shape[..outer].iter().product();
    let shown = if figure.is_summarized() { count.min(SLICES) } else { count };
    let (down, across) = blocks(figure, look, most);
    let names = row_names(figure, down);
    let all: Vec<Vec<f64>> = (0..shown)
        .map(|at| block_means(&figure.values[at * each..(at + 1) * each], high, wide, down, across))
        .collect();
    let statistics = shared.unwrap_or_else(|| Statistics::of(all.iter().flatten().copied()));
    let slices = all.iter().enumerate().map(|(at, means)| {
        let mut text = Text::new();
        if outer > 0 {
            text.say(Role::Strong, slice::name(figure, &slice::index(figure, at)));
        }
        text.append(match look.plain {
            true => means_in_words(means.chunks(across), &names, look),
            false => {
                let mark = |cell: usize, value: f64| {
                    own_mark.and_then(|own| own(at * each + cell)).or_else(|| statistics.mark(value))
                };
                slice_map(figure, means.chunks(across), &names, &mark, look)
            }
        });
        text
    });
    let slices: Vec<Text> = slices.collect();
    let mut text = Text::new();
    match look.plain {
        true => slices.into_iter().for_each(|one| text.append(one)),
        false => text.append(Text::in_rows(&slices, 3, look)),
    }
    if shown < count {
        text.say(Role::Dim, format!("and {} more of these", count - shown));
    }
    (text, statistics)
}

/// A position's name, short enough to stand beside a map.
fn short_name(figure: &Figure, axis: usize, at: usize) -> String {
    ellipsized(&figure.position(axis, at), NAME)
}

/// The names of the rows of a map: the names of the positions, or the numbers at which blocks begin.
fn row_names(figure: &Figure, down: usize) -> Vec<String> {
    let Some(axis) = figure.shape.len().checked_sub(2) else { return vec![String::new()] };
    let high = figure.shape[axis];
    let name = |r: usize| match down == high {
        true => short_name(figure, axis, r),
        false => (r * high / down).to_string(),
    };
    (0..down).map(name).collect()
}

/// The map of one slice by its rows: `mark` has the character of each cell.
fn slice_map(
    figure: &Figure,
    rows: Chunks<f64>,
    names: &[String],
    mark: &dyn Fn(usize, f64) -> Option<(char, Role)>,
    look: Look,
) -> Text {
    let label = names.iter().map(|n| n.width()).max().unwrap_or(0);
    let left = if label > 0 { label + 1 } else { 0 };
    let across = rows.clone().next().map_or(0, <[f64]>::len);
    let axis = figure.shape.len() - 1;
    let wide = figure.shape[axis];
    let longest = (0..wide.min(ROWS)).map(|c| short_name(figure, axis, c).width()).max();
    let fits = left + 2 * across + longest.unwrap_or(0) <= look.width;
    let by_name =
        across == wide && wide <= ROWS && fits && figure.labels.get(axis).is_some_and(Option::is_some);
    let mut text = Text::new();
    // The names of columns stand in steps above them, because a cell is only two characters wide.
    if by_name {
        for c in 0..across {
            let mut line = Line::spaces(left);
            line.push(Role::Dim, "│ ".repeat(c));
            line.push(Role::Label, short_name(figure, axis, c));
            text.line(line);
        }
    } else if wide > 1 {
        let last = (wide - 1).to_string();
        let mut line = Line::spaces(left);
        line.push(Role::Dim, "0");
        line.fill((left + 2 * across).saturating_sub(last.len()).max(left + 2));
        line.push(Role::Dim, last);
        text.line(line);
    }
    for (r, row) in rows.enumerate() {
        let mut line = Line::new();
        if label > 0 {
            let role = if names.len() == figure.rows_and_columns().0 { Role::Label } else { Role::Dim };
            line.push(role, format!("{:>label$}", names[r]));
            line.push(Role::Prose, " ");
        }
        for (c, &mean) in row.iter().enumerate() {
            match mark(r * across + c, mean) {
                Some(('·', role)) => line.push(role, "· "),
                Some((mark, role)) => line.push(role, format!("{mark}{mark}")),
                None => line.push(Role::Heat(0.5), "▄▄"),
            }
        }
        text.line(line);
    }
    text
}

/// The map of one slice for `--plain`: the means of each row of blocks.
fn means_in_words(rows: Chunks<f64>, names: &[String], look: Look) -> Text {
    let mut text = Text::new();
    for (row, name) in rows.zip(names) {
        let means: Vec<String> = row.iter().map(|m| mean(*m)).collect();
        let head = if name.is_empty() { String::new() } else { format!("rows from {name}: ") };
        text.append(wrap((Role::Prose, format!("{head}{}", means.join(", "))), look.width, 0, 2));
    }
    text
}

/// One bar of a bar chart.
#[derive(Clone, PartialEq)]
pub struct Bar {
    pub name: String,
    /// Its length; a negative one is drawn in another pattern.
    pub value: f64,
    /// The value as text, at its right.
    pub text: String,
}

impl From<&(String, f64)> for Bar {
    fn from((name, value): &(String, f64)) -> Bar {
        Bar { name: name.clone(), value: *value, text: amount(*value) }
    }
}

/// A bar chart: the longest bar is as long as the width allows. Bars of negative values are hatched.
pub fn bars(bars: &[Bar], look: Look) -> Text {
    let greatest = bars.iter().map(|b| b.value.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let names = bars.iter().map(|b| b.name.width()).max().unwrap_or(0);
    let texts = bars.iter().map(|b| b.text.width()).max().unwrap_or(0);
    let longest = look.text_width().saturating_sub(names + texts + 3).max(4);
    let mut text = Text::new();
    for bar in bars {
        if look.plain {
            text.say(Role::Prose, format!("{}: {}", bar.name, bar.text));
            continue;
        }
        let level = if greatest > 0.0 { (bar.value.abs() / greatest).clamp(0.0, 1.0) } else { 0.0 };
        let mut line = Line::new().with(Role::Label, &bar.name);
        line.fill(names + 1);
        line.push(
            Role::Heat(0.4),
            match bar.value < 0.0 {
                true => "▒".repeat((level * longest as f64).round() as usize),
                false => bar_of(level, longest),
            },
        );
        line.push(Role::Prose, " ");
        line.push(Role::Number, &bar.text);
        text.line(line);
    }
    text
}

/// A bar that fills `level` of `columns`, to an eighth of a column.
pub(crate) fn bar_of(level: f64, columns: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (level.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

/// The scale of a map: the numbers at its ends, and what the marks mean that are not on it.
/// `▁ 0.0000   █ 0.4000   · -inf`
pub(crate) fn scale(ends: [String; 2], statistics: &Statistics, look: Look) -> Text {
    let mut signs: Vec<(char, Role, String)> = Vec::new();
    let [low, high] = ends;
    let zeros = statistics.zero > 0 && statistics.is_masked(0.0);
    match () {
        // A map of one value has a character of its own.
        () if statistics.is_constant() && statistics.not_finite() > 0 => {
            signs.push((block(1.0), Role::Number, high));
        }
        () if statistics.is_constant() => signs.push(('▄', Role::Heat(0.5), high)),
        () => {
            // A zero among weights is a dot: the lowest block is the least that is not zero.
            let low = if zeros { "just above 0".to_owned() } else { low };
            signs.push((block(0.0), Role::Heat(0.0), low));
            signs.push((block(1.0), Role::Heat(1.0), high));
        }
    }
    let zeros = zeros && !statistics.is_constant();
    let infinite = match statistics.is_constant() {
        true => statistics.inf + statistics.minus_inf > 0,
        false => statistics.minus_inf > 0,
    };
    let dot = match (zeros, infinite, statistics.inf > 0 && statistics.is_constant()) {
        (true, true, _) => Some("0 or -inf"),
        (true, false, _) => Some("exactly 0"),
        (false, true, true) => Some("inf or -inf"),
        (false, true, false) => Some("-inf"),
        (false, false, _) => None,
    };
    signs.extend(dot.map(|words| ('·', Role::Dim, words.to_owned())));
    if statistics.nan > 0 {
        signs.push(('!', Role::Bad, "nan".to_owned()));
    }
    let mut line = Line::new();
    for (at, (sign, role, words)) in signs.into_iter().enumerate() {
        if at > 0 {
            line.push(Role::Dim, "   ");
        }
        line.push(role, sign.to_string());
        line.push(Role::Dim, unbroken(&format!(" {words}")));
    }
    wrap(&line, look.width, 0, 0)
}
