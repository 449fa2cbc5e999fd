//! The pictures that a step asks for: heat maps, causal masks, dropout, storage, bars, costs.
//! For `--plain` the contents of a picture are written in words.

use std::time::Duration;

use crate::shims::PlottedFigure;
use crate::tensor::layout::unravel;
use crate::tensor::size_in_words;
use crate::view::figure::Figure;
use crate::view::heat::{self, Bar, bars};
use crate::view::plot;
use crate::view::quantity::{amount, duration};
use crate::view::storage::{self, StorageView};
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::{remark, wrap};

/// A picture and what it shows.
#[derive(Clone, PartialEq)]
pub enum Picture {
    /// Heat maps with one scale.
    Maps(Vec<Figure>),
    /// Which elements are visible: all but 0, False, minus infinity and nan.
    Triangle(Vec<Figure>),
    /// Before and after dropout.
    Dropped(Box<(Figure, Figure)>),
    /// Several views of one storage.
    Strips {
        strips: Vec<StorageView>,
        /// The names of the tokens, if they have any.
        tokens: Vec<String>,
        /// What the signs mean, if the tokens have no names.
        legend: String,
    },
    /// A title, and bars with their names and values.
    Bars(String, Vec<(String, f64)>),
    /// For each computation its name, time, and bytes of tensors.
    Costs(Vec<(String, Duration, u64)>),
    Plot(Box<PlottedFigure>),
}

pub fn picture(picture: &Picture, look: Look) -> Text {
    match picture {
        Picture::Maps(figures) => maps(figures, look),
        Picture::Triangle(figures) => {
            let mut text = Text::new();
            figures.iter().for_each(|figure| text.section(triangle(figure, look)));
            text
        }
        Picture::Dropped(both) => dropped(&both.0, &both.1, look),
        Picture::Strips { strips, tokens, legend } => {
            let mut text = storage::storage(strips, tokens, look);
            if !legend.is_empty() {
                text.append(remark(legend, look));
            }
            text
        }
        Picture::Bars(name, all) => {
            let mut text = heading(name, look);
            text.append(bars(&all.iter().map(Bar::from).collect::<Vec<_>>(), look));
            text
        }
        Picture::Costs(costs) => self::costs(costs, look),
        Picture::Plot(figure) => plot::plot(figure, look),
    }
}

fn heading(name: &str, look: Look) -> Text {
    let role = Role::Name;
    wrap((role, if look.plain { format!("{name}:") } else { name.to_owned() }), look.width, 0, 2)
}

/// Heat maps, with their scale.
fn maps(figures: &[Figure], look: Look) -> Text {
    let mut text = Text::new();
    if look.plain {
        figures.iter().for_each(|figure| text.append(map_in_words(figure, look)));
        return text;
    }
    match figures {
        [one] if one.is_summarized() => text.append(heat::map(one, look)),
        [one] => {
            let mut words = Line::new().with(Role::Name, &one.name);
            if let [.., rows, columns] = one.shape.as_slice()
                && let Some(down) = one.axis(one.shape.len() - 2)
                && let Some(across) = one.axis(one.shape.len() - 1)
            {
                // An axis that is called "row" or "column" says nothing more.
                let axis = |name: &str| {
                    if matches!(name, "row" | "column") { String::new() } else { format!("{name} ") }
                };
                let [down, across] =
                    [format!("rows {}{rows},", axis(&down)), format!("columns {}{columns}", axis(&across))]
                        .map(|it| unbroken(&it));
                words.push(Role::Dim, format!("   {down} {across}"));
            }
            text.append(wrap(&words, look.width, 0, 2));
            text.append(heat::with_scale(one, look));
        }
        many => text.append(heat::beside(many, look)),
    }
    text
}

/// A map in words: the greatest and the least element of each row.
fn map_in_words(figure: &Figure, look: Look) -> Text {
    let mut text = Text::new();
    let Some((&wide, outer)) =
        figure.shape.split_last().filter(|_| figure.has_values() && figure.count() > 0)
    else {
        return text;
    };
    if figure.is_summarized() {
        return heat::whole(figure, look);
    }
    let rows = figure.values.chunks(wide);
    for (at, row) in rows.enumerate() {
        let name: Vec<String> = unravel(at, outer)
            .iter()
            .enumerate()
            .map(|(axis, place)| match figure.axis(axis) {
                Some(_) if figure.label(axis, *place).is_some() => figure.position(axis, *place),
                Some(axis) => format!("{axis} {place}"),
                None => format!("row {place}"),
            })
            .collect();
        let place = |at: usize| figure.position(outer.len(), at);
        let best = |better: fn(f64, f64) -> bool| {
            let seen = (0..wide).filter(|at| row[*at].is_finite() && row[*at] != 0.0);
            seen.reduce(|best, at| if better(row[at], row[best]) { at } else { best })
        };
        let number = |c: usize| figure.numbers(&[at * wide + c]).concat();
        let words = match (best(|a, b| a > b), best(|a, b| a < b)) {
            (Some(most), Some(least)) if most != least => {
                format!("most {} {}, least {} {}", place(most), number(most), place(least), number(least))
            }
            (Some(most), _) => format!("only {} {}", place(most), number(most)),
            _ => "nothing".to_owned(),
        };
        let head = if name.is_empty() {
            figure.name.clone()
        } else {
            format!("{}, {}", figure.name, name.join(", "))
        };
        text.append(remark(&format!("{head}: {words}"), look));
    }
    text
}

/// The elements that are visible, as True and False.
pub(crate) fn visible(figure: &Figure) -> Figure {
    let is_visible = |value: f64| value.is_finite() && value != 0.0;
    Figure {
        values: figure.values.iter().map(|v| f64::from(is_visible(*v))).collect(),
        texts: Vec::new(),
        dtype: "bool".into(),
        ..figure.clone()
    }
}

/// How many elements are visible.
fn seen_words(shown: &Figure) -> String {
    let count = shown.values.iter().filter(|v| **v == 1.0).count();
    format!("{count} of {} seen, {} hidden", shown.count(), shown.count() - count)
}

/// How many visible elements are after the diagonal, and how many on it are hidden. Of a table that is not square the rows
/// may be any tokens, so that nothing can be said.
fn diagonal_words(shown: &Figure) -> Option<String> {
    let (rows, columns) = shown.rows_and_columns();
    if rows != columns {
        return None;
    }
    let each = (rows * columns).max(1);
    let later = |at: usize| at % each % columns.max(1) > at % each / columns.max(1);
    let after = shown.values.iter().enumerate().filter(|(at, v)| **v == 1.0 && later(*at)).count();
    let own = (0..shown.count()).filter(|at| at % each % columns.max(1) == at % each / columns.max(1));
    let hidden_own = own.filter(|at| shown.values[*at] == 0.0).count();
    let mut words = match after {
        0 => "nothing after the diagonal".to_owned(),
        some => format!("{some} after the diagonal: the future is seen"),
    };
    if hidden_own > 0 {
        words.push_str(&format!("; {hidden_own} on the diagonal are hidden"));
    }
    Some(words)
}

/// What a triangle shows, in one line.
pub(crate) fn triangle_words(figure: &Figure) -> String {
    let shown = visible(figure);
    [Some(seen_words(&shown)), diagonal_words(&shown)].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The elements that are visible in each row, and how many of them are after the diagonal.
fn triangle(figure: &Figure, look: Look) -> Text {
    let shown = visible(figure);
    let (rows, columns) = figure.rows_and_columns();
    let mut text = Text::new();
    let words = match look.plain {
        true => {
            text.append(remark(&format!("{}: {}", figure.name, seen_words(&shown)), look));
            for (at, row) in shown.values.chunks(columns.max(1)).enumerate() {
                let names = |at: usize| figure.position(figure.shape.len().saturating_sub(1), at);
                let seen: Vec<String> = (0..row.len()).filter(|c| row[*c] == 1.0).map(names).collect();
                let row = figure.position(figure.shape.len().saturating_sub(2), at % rows);
                let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") };
                text.append(remark(&format!("{row} sees {seen}"), look));
            }
            diagonal_words(&shown).unwrap_or_default()
        }
        false => {
            let mut head = Line::new().with(Role::Name, &figure.name);
            head.push(Role::Dim, format!("   {}  {}", unbroken("██ seen"), unbroken("· hidden")));
            text.append(wrap(&head, look.width, 0, 2));
            text.append(heat::map(&shown, look));
            triangle_words(figure)
        }
    };
    if !words.is_empty() {
        text.append(remark(&words, look));
    }
    text
}

/// Which elements dropout set to zero, and by how much the others grew.
fn dropped(before: &Figure, after: &Figure, look: Look) -> Text {
    let mut text = Text::new();
    if look.plain {
        let wide = before.shape.last().copied().unwrap_or(1).max(1);
        let rows = before.values.chunks(wide).zip(after.values.chunks(wide));
        for (at, (b, a)) in rows.enumerate() {
            let axis = before.shape.len().saturating_sub(1);
            let gone: Vec<String> = (0..wide.min(b.len()))
                .filter(|c| b[*c] != 0.0 && a[*c] == 0.0)
                .map(|c| before.position(axis, c))
                .collect();
            let gone = if gone.is_empty() { "nothing".to_owned() } else { gone.join(", ") };
            let row = match axis {
                0 => before.name.clone(),
                axis => before.position(axis - 1, at % before.shape[axis - 1]),
            };
            text.append(remark(&format!("{row} loses {gone}"), look));
        }
    } else {
        text.append(heat::dropped(before, after, look));
    }
    text.append(remark(&dropout_words(before, after, !look.plain), look));
    text
}

/// How many elements were dropped, and by how much the others grew; `marked`: with the mark of dropped elements.
pub(crate) fn dropout_words(before: &Figure, after: &Figure, marked: bool) -> String {
    let pairs = || before.values.iter().zip(&after.values).filter(|(b, _)| **b != 0.0);
    let all = pairs().count();
    let kept: Vec<f64> = pairs().filter(|(_, a)| **a != 0.0).map(|(b, a)| a / b).collect();
    let mark = if marked { " (×)" } else { "" };
    let mut words = format!("{} of {all} dropped{mark}, {} kept", all - kept.len(), kept.len());
    let (least, most) = kept.iter().fold((f64::INFINITY, 0f64), |(low, high), k| (low.min(*k), high.max(*k)));
    if !kept.is_empty() && most - least < 1e-3 {
        words.push_str(&format!(", each of them {} times as large", amount((least + most) / 2.0)));
    }
    words
}

/// The bars of the times, and of the memory, each under a title.
pub(crate) fn cost_bars(costs: &[(String, Duration, u64)]) -> [(&'static str, Vec<Bar>); 2] {
    let bar = |name: &String, value: f64, text: String| Bar { name: name.clone(), value, text };
    let times = costs.iter().map(|(name, time, _)| bar(name, time.as_secs_f64(), duration(*time)));
    let sizes = costs.iter().map(|(name, _, size)| bar(name, *size as f64, size_in_words(*size as f64)));
    [("time", times.collect()), ("most memory that its tensors took at once", sizes.collect())]
}

/// Bars of the times, and bars of the memory.
fn costs(costs: &[(String, Duration, u64)], look: Look) -> Text {
    let mut text = Text::new();
    for (title, all) in cost_bars(costs) {
        text.append(heading(title, look));
        text.append(bars(&all, look));
    }
    text
}
