//! Heat maps and bars: a tensor's pattern at a glance, in block characters that read without colour.
//! Averages blocks of given values; computes nothing else.

use unicode_width::UnicodeWidthStr;

use crate::view::figure::{Facts, Figure, block, mean_text};
use crate::view::table::{body, clipped, in_rows, place, slice_name};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// Most blocks that the map of a large tensor has from top to bottom.
const ROWS: usize = 16;
/// The same where many maps stand abreast.
const SMALL: usize = 8;
/// Most maps shown of a tensor of many slices.
const MAPS: usize = 12;

/// The last two axes of a tensor as a map: tokens' names on both axes, two characters a cell, a dot
/// where a weight is nothing (hidden or dropped). One map a slice, side by side where they fit.
pub fn map(figure: &Figure, look: Look) -> Text {
    if figure.shape.is_empty() || figure.count() == 0 || !figure.has_values() {
        return Text::new();
    }
    if look.plain {
        return body(figure, look);
    }
    match figure.is_cut() {
        true => whole(figure, look),
        false => maps(figure, look, usize::MAX, usize::MAX, None, None),
    }
}

/// Maps of several tensors side by side where they fit, each under its name, shaded by one scale:
/// before and after, head by head.
pub fn beside(figures: &[Figure], look: Look) -> Text {
    let mut text = Text::new();
    if look.plain {
        figures.iter().for_each(|figure| text.append(body(figure, look)));
        return text;
    }
    let shown = figures.iter().filter(|f| f.count() > 0 && f.has_values() && !f.shape.is_empty());
    let shown: Vec<&Figure> = shown.collect();
    let together =
        Figure { values: shown.iter().flat_map(|f| f.values.iter().copied()).collect(), ..Figure::default() };
    let facts = together.facts();
    // Large tensors are drawn as the means of blocks of theirs.
    let most = if shown.iter().any(|figure| figure.is_cut()) { ROWS } else { usize::MAX };
    let titled = |figure: &&Figure| {
        let mut text = Text::of(Role::Name, &clipped(&figure.name, look.width));
        text.append(maps(figure, look, most, most, Some(facts), None));
        text
    };
    let all: Vec<Text> = shown.iter().map(titled).collect();
    text.append(in_rows(&all, 4, look));
    let number = |at: usize| {
        let mut before = 0;
        let holds = |f: &&&Figure| {
            before += f.count();
            at < before
        };
        let figure = shown.iter().find(holds)?;
        figure.numbers(&[at + figure.count() - before]).pop()
    };
    if let (Some((low, _)), Some((high, _))) = (facts.least, facts.greatest)
        && let (Some(low), Some(high)) = (number(low), number(high))
    {
        text.gap();
        text.line(scale(&low, &high));
    }
    text
}

/// The whole of a large tensor, each cell the mean of a block of its elements.
pub fn whole(figure: &Figure, look: Look) -> Text {
    let axes = figure.shape.len();
    let (high, wide) = (rows_of(figure), figure.shape[axes - 1]);
    // A block is about as wide as it is high: two columns to a line.
    let (most_rows, most_columns) = match look.plain {
        true => (4, 4),
        false if high == 1 => (1, 2 * ROWS),
        false => (ROWS, (ROWS.min(high) * wide / high).clamp(8, 2 * ROWS)),
    };
    let (most_rows, most_columns) = match axes > 2 && !look.plain {
        true => (most_rows.min(SMALL), most_columns.min(SMALL)),
        false => (most_rows, most_columns),
    };
    let (down, across) = (high.min(most_rows), wide.min(most_columns));
    let mut text = Text::new();
    let block = format!("{} × {}", high.div_ceil(down), wide.div_ceil(across));
    let block = if look.plain { block.replace('×', "by") } else { block };
    let words = format!("the whole of {}, each cell the mean of {block} elements", figure.name);
    text.append(wrap(&Line::new().with(Role::Dim, words), look.width, &Line::new(), &Line::new()));
    text.append(maps(figure, look, most_rows, most_columns, None, None));
    text
}

/// Before and after dropout side by side, by one scale; what was dropped bears a `×`.
pub fn dropped(before: &Figure, after: &Figure, look: Look) -> Text {
    let values = [before, after].iter().flat_map(|f| f.values.iter().copied()).collect();
    let facts = Figure { values, ..Figure::default() }.facts();
    let gone =
        |at: usize, _: f64| (before.values[at] != 0.0 && after.values[at] == 0.0).then_some(('×', Role::Bad));
    let titled = |figure: &Figure, mark: Option<&Mark>| {
        let mut text = Text::of(Role::Name, &clipped(&figure.name, look.width));
        text.append(maps(figure, look, usize::MAX, usize::MAX, Some(facts), mark));
        text
    };
    in_rows(&[titled(before, None), titled(after, Some(&gone))], 4, look)
}

/// What marks the element at this place of a tensor in the place of its shade.
type Mark<'m> = dyn Fn(usize, f64) -> Option<(char, Role)> + 'm;

fn rows_of(figure: &Figure) -> usize {
    match figure.shape.len() {
        0 | 1 => 1,
        axes => figure.shape[axes - 2],
    }
}

/// The means of one slice in blocks, `down` by `across`, row-major.
struct Blocks {
    down: usize,
    across: usize,
    means: Vec<f64>,
}

fn blocks(values: &[f64], high: usize, wide: usize, down: usize, across: usize) -> Blocks {
    let mut means = Vec::with_capacity(down * across);
    for r in 0..down {
        for c in 0..across {
            let rows = r * high / down..(r + 1) * high / down;
            let columns = c * wide / across..(c + 1) * wide / across;
            let cells = rows.flat_map(|r| columns.clone().map(move |c| values[r * wide + c]));
            let (mut sum, mut count, mut odd) = (0.0, 0usize, f64::NEG_INFINITY);
            for v in cells {
                match v.is_finite() {
                    true => {
                        sum += v;
                        count += 1;
                    }
                    false if v.is_nan() || odd.is_nan() => odd = f64::NAN,
                    false => odd = odd.max(v),
                }
            }
            means.push(if count > 0 && !odd.is_nan() { sum / count as f64 } else { odd });
        }
    }
    Blocks { down, across, means }
}

fn maps(
    figure: &Figure,
    look: Look,
    most_rows: usize,
    most_columns: usize,
    shared: Option<Facts>,
    own: Option<&Mark>,
) -> Text {
    let axes = figure.shape.len();
    let outer = axes.saturating_sub(2);
    let (high, wide) = (rows_of(figure), figure.shape[axes - 1]);
    let each = high * wide;
    let count: usize = figure.shape[..outer].iter().product();
    let shown = if figure.is_cut() { count.min(MAPS) } else { count };
    let names = row_names(figure, high, high.min(most_rows));
    let room = look.width.saturating_sub(names.iter().map(|n| n.width()).max().unwrap_or(0) + 1);
    let (down, across) = (high.min(most_rows), wide.min(most_columns).min((room / 2).max(1)));
    let all: Vec<Blocks> = (0..shown)
        .map(|at| blocks(&figure.values[at * each..(at + 1) * each], high, wide, down, across))
        .collect();
    let facts = shared.unwrap_or_else(|| spread(&all, figure));
    let drawn: Vec<Text> = all
        .iter()
        .enumerate()
        .map(|(at, blocks)| {
            let mut text = Text::new();
            if outer > 0 {
                let role = Role::Strong;
                text.say(role, slice_name(figure, &place(figure, at)));
            }
            text.append(match look.plain {
                true => spoken(blocks, &names, look),
                false => {
                    let mark = |cell: usize, value: f64| {
                        own.and_then(|own| own(at * each + cell, value)).or_else(|| facts.mark(value))
                    };
                    drawn(figure, blocks, &names, wide, &mark, look)
                }
            });
            text
        })
        .collect();
    let mut text = Text::new();
    match look.plain {
        true => drawn.into_iter().for_each(|one| text.append(one)),
        false => text.append(in_rows(&drawn, 3, look)),
    }
    if shown < count {
        text.say(Role::Dim, format!("and {} more of these", count - shown));
    }
    text
}

/// The facts by which a map is shaded: of the means that it shows.
fn spread(all: &[Blocks], figure: &Figure) -> Facts {
    let means = all.iter().flat_map(|b| b.means.iter().copied()).collect();
    let shaded = Figure { values: means, dtype: figure.dtype.clone(), ..Figure::default() };
    shaded.facts()
}

/// A position's name, short enough to stand beside a map.
fn name_of(figure: &Figure, axis: usize, at: usize) -> String {
    clipped(&figure.place(axis, at), 16)
}

/// What stands before each row: tokens where every row has one, else where the block begins.
fn row_names(figure: &Figure, high: usize, down: usize) -> Vec<String> {
    if figure.shape.len() < 2 {
        return vec![String::new()];
    }
    let axis = figure.shape.len() - 2;
    let name = |r: usize| match down == high {
        true => name_of(figure, axis, r),
        false => (r * high / down).to_string(),
    };
    (0..down).map(name).collect()
}

fn drawn(figure: &Figure, blocks: &Blocks, names: &[String], wide: usize, mark: &Mark, look: Look) -> Text {
    let label = names.iter().map(|n| n.width()).max().unwrap_or(0);
    let left = if label > 0 { label + 1 } else { 0 };
    let columns = figure.shape.len() - 1;
    let longest = (0..wide.min(ROWS)).map(|c| name_of(figure, columns, c).width()).max();
    let fits = left + 2 * blocks.across + longest.unwrap_or(0) <= look.width;
    let by_name = blocks.across == wide
        && wide <= ROWS
        && fits
        && figure.labels.get(columns).is_some_and(Option::is_some);
    let mut text = Text::new();
    // Names over the columns stand in steps, so that a cell can stay two characters wide.
    if by_name {
        for c in 0..blocks.across {
            let mut line = Line::spaces(left);
            line.push(Role::Dim, "│ ".repeat(c));
            line.push(Role::Label, name_of(figure, columns, c));
            text.line(line);
        }
    } else if wide > 1 {
        let last = (wide - 1).to_string();
        let mut line = Line::spaces(left);
        line.push(Role::Dim, "0");
        line.fill((left + 2 * blocks.across).saturating_sub(last.len()).max(left + 2));
        line.push(Role::Dim, last);
        text.line(line);
    }
    for (r, row) in blocks.means.chunks(blocks.across).enumerate() {
        let mut line = Line::new();
        if label > 0 {
            let role = if blocks.down == rows_of(figure) { Role::Label } else { Role::Dim };
            line.push(role, format!("{:>label$}", names[r]));
            line.push(Role::Prose, " ");
        }
        for (c, &mean) in row.iter().enumerate() {
            match mark(r * blocks.across + c, mean) {
                Some(('·', role)) => line.push(role, "· "),
                Some((mark, role)) => line.push(role, format!("{mark}{mark}")),
                None => line.push(Role::Heat(0.5), "▄▄"),
            }
        }
        text.line(line);
    }
    text
}

fn spoken(blocks: &Blocks, names: &[String], look: Look) -> Text {
    let mut text = Text::new();
    for (row, name) in blocks.means.chunks(blocks.across).zip(names) {
        let means: Vec<String> = row.iter().map(|m| mean_text(*m)).collect();
        let head = if name.is_empty() { String::new() } else { format!("rows from {name}: ") };
        let line = Line::new().with(Role::Prose, format!("{head}{}", means.join(", ")));
        let shift = Line::spaces(2);
        text.append(wrap(&line, look.width, &Line::new(), &shift));
    }
    text
}

/// One bar of a bar chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// Its length, 0 or more.
    pub value: f64,
    /// The value in words, at its right.
    pub text: String,
}

/// Bars of eighths of a character, the longest as long as the width allows.
pub fn bars(bars: &[Bar], look: Look) -> Text {
    let names = bars.iter().map(|b| b.name.width()).max().unwrap_or(0);
    let texts = bars.iter().map(|b| b.text.width()).max().unwrap_or(0);
    let greatest = bars.iter().map(|b| b.value).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let room = look.text_width().saturating_sub(names + texts + 3).max(4);
    let mut text = Text::new();
    for bar in bars {
        if look.plain {
            text.say(Role::Prose, format!("{}: {}", bar.name, bar.text));
            continue;
        }
        let level = if greatest > 0.0 { (bar.value / greatest).clamp(0.0, 1.0) } else { 0.0 };
        let mut line = Line::new().with(Role::Label, &bar.name);
        line.fill(names + 1);
        line.push(Role::Heat(0.4), bar_of(level, room));
        line.push(Role::Prose, " ");
        line.push(Role::Number, &bar.text);
        text.line(line);
    }
    text
}

/// A bar of `level` of `room` columns, to an eighth of a column.
pub fn bar_of(level: f64, room: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (level.clamp(0.0, 1.0) * (room * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

/// The scale in words, for a screen that shows maps without summaries: `▁ 0.0 … █ 0.4`.
pub fn scale(least: &str, greatest: &str) -> Line {
    Line::new()
        .with(Role::Heat(0.0), block(0.0).to_string())
        .with(Role::Dim, format!(" {least}   "))
        .with(Role::Heat(1.0), block(1.0).to_string())
        .with(Role::Dim, format!(" {greatest}"))
}
