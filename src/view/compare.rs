//! What changed when an input was set otherwise: the counts, and one row before and after.
//! Room: view. Differences are worked out elsewhere; here they are lined up.

use unicode_width::UnicodeWidthStr;

use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::{Fit, wrap};

/// An element that was set: `inputs[1,0]`, from, to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// The element: "inputs[1,0]".
    pub place: String,
    /// Its position in words: "\"journey\", feature 0".
    pub words: String,
    /// Its number before.
    pub before: String,
    /// Its number now.
    pub after: String,
}

/// A tensor that came out otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// How much of it: "11 of 36 changed: row and column \"journey\"".
    pub extent: String,
    /// Where it changed most, and by how much: "[1,1] +0.5075".
    pub most: String,
    /// One row in full.
    pub row: Option<ChangedRow>,
}

/// One row before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedRow {
    /// Which: "row \"journey\"".
    pub place: String,
    /// Names of the columns.
    pub labels: Vec<String>,
    /// Numbers before.
    pub before: Vec<String>,
    /// Numbers after.
    pub after: Vec<String>,
    /// Differences, with their signs.
    pub difference: Vec<String>,
}

/// The settings, and tensor by tensor what came of them.
pub fn what_if(settings: &[Setting], changes: &[Change], look: Look) -> Text {
    let mut text = Text::new();
    let none = Line::new();
    let shift = Line::new().with(Role::Prose, "  ");
    for set in settings {
        let mut line = Line::new().with(Role::Name, &set.place);
        let arrow = if look.plain { "to" } else { "→" };
        line.push(Role::Prose, format!(" {}:  {} {arrow} ", set.words, set.before));
        line.push(Role::Strong, &set.after);
        text.append(wrap(&line, look.width, &none, &shift, Fit::First));
    }
    if !look.plain {
        text.gap();
    }
    let names = changes.iter().map(|c| c.name.width()).max().unwrap_or(0);
    for change in changes {
        let mut line = Line::new().with(Role::Name, &change.name);
        match look.plain {
            true => line.push(Role::Prose, ": "),
            false => line.fill(names + 2),
        }
        line.push(Role::Prose, &change.extent);
        if !change.most.is_empty() {
            let most = Line::new().with(Role::Dim, "most ").with(Role::Prose, &change.most);
            let width = look.measure().min(look.width);
            if !look.plain && line.width() + 2 + most.width() <= width {
                line.fill(width - most.width());
            } else {
                line.push(Role::Prose, ", ");
            }
            line.join(most);
        }
        text.append(wrap(&line, look.width, &none, &shift, Fit::First));
        if let Some(row) = &change.row {
            text.append(changed_row(row, look));
        }
    }
    text
}

fn changed_row(row: &ChangedRow, look: Look) -> Text {
    let numbers = [&row.before, &row.after, &row.difference];
    let cell = row.labels.iter().chain(numbers.into_iter().flatten()).map(|t| t.width()).max().unwrap_or(0);
    let lead = row.place.width().max("  difference".len()) + 4;
    let wide = lead + row.labels.len() * (cell + 2);
    let mut text = Text::new();
    if look.plain || wide > look.width {
        return by_column(row, look);
    }
    let mut say = |name: &str, cells: &[String], role: Role, head: bool| {
        let mut line = Line::new().with(Role::Prose, "  ");
        line.push(if head { Role::Prose } else { Role::Dim }, name);
        line.fill(lead);
        for (at, one) in cells.iter().enumerate() {
            let left = if head { one.clone() } else { format!("{one:>cell$}") };
            line.fill(lead + at * (cell + 2));
            line.push(role, left);
        }
        text.line(line);
    };
    say(&row.place, &row.labels, Role::Label, true);
    say("  before", &row.before, Role::Number, false);
    say("  after", &row.after, Role::Number, false);
    say("  difference", &row.difference, Role::Strong, false);
    text
}

/// The row turned on its side: a line for each column.
fn by_column(row: &ChangedRow, look: Look) -> Text {
    let mut text = Text::new();
    text.say(Role::Prose, if look.plain { format!("{}:", row.place) } else { format!("  {}", row.place) });
    let names = row.labels.iter().map(|l| l.width()).max().unwrap_or(0);
    for (at, label) in row.labels.iter().enumerate() {
        let of = |all: &[String]| all.get(at).cloned().unwrap_or_default();
        let (before, after, difference) = (of(&row.before), of(&row.after), of(&row.difference));
        if look.plain {
            text.say(Role::Prose, format!("{label}: {before} to {after}, {difference}"));
            continue;
        }
        let mut line = Line::new().with(Role::Label, format!("    {label}"));
        line.fill(names + 6);
        line.push(Role::Number, format!("{before} → {after}  "));
        line.push(Role::Strong, difference);
        text.line(line);
    }
    text
}
