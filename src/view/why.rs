//! Where a number comes from: each element with its value at the right, under it the formula in names and in numbers,
//! then, indented, the elements that it was computed from.

use unicode_width::UnicodeWidthStr;

use crate::explain::{AxisPlace, Statement, Why, WhyEnd};
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// The explanation of an element, and of the elements that it was computed from.
pub fn explanation(why: &Why, look: Look) -> Text {
    let mut text = Text::new();
    explained(why, 0, look, &mut text);
    text
}

/// Columns by which each level is indented.
const INDENT: usize = 2;

/// Appends the explanation of one element at `depth`.
fn explained(why: &Why, depth: usize, look: Look, text: &mut Text) {
    let width = look.text_width();
    let indent = if look.plain { 0 } else { (INDENT * depth).min(width / 3) };
    let account = &why.account;
    let ending = account.end.is_some() && account.statements.len() == 1;
    let beside = |words: &str| {
        let along = places(why).join(", ");
        indent + why.what.width() + 2 + along.width() + 2 + words.width() + 4 + why.shown.width() <= width
    };
    let single = match account.statements.as_slice() {
        [Statement::Words(words)] if ending && (look.plain || beside(words)) => Some(words.as_str()),
        _ => None,
    };
    head(why, depth, indent, single, look, text);
    let inner = if look.plain { 0 } else { indent + INDENT };
    if let (0, Some(site), Some(line)) = (depth, &why.site, &why.line) {
        let words = format!("{}, line {}: {line}", site.cell, site.line);
        let is_shown = matches!(account.end, Some(WhyEnd::Given)) && why.below.is_empty();
        if single.is_none() && !is_shown {
            body(&words, Role::Dim, inner, width, text);
        }
    }
    let mut rest = account.statements.iter().filter(|_| single.is_none()).peekable();
    while let Some(line) = rest.next() {
        match line {
            Statement::Words(words) => {
                let figures = match rest.peek() {
                    Some(Statement::Figures(calc)) => Some(calc.text()),
                    _ => None,
                };
                match figures.filter(|it| inner + words.width() + 3 + it.width() <= width) {
                    Some(figures) => {
                        rest.next();
                        body(&format!("{words} = {figures}"), Role::Prose, inner, width, text);
                    }
                    None => body(words, Role::Prose, inner, width, text),
                }
            }
            Statement::Figures(calc) => {
                body(&format!("= {}", calc.text()), Role::Prose, inner, width, text);
            }
            Statement::Note(note) => body(note, Role::Dim, inner, width, text),
        }
    }
    if let Some(lead) = account.lead.filter(|_| account.links.len() > account.follow && !why.below.is_empty())
    {
        body(&format!("{lead}:"), Role::Dim, inner, width, text);
    }
    for below in &why.below {
        explained(below, depth + 1, look, text);
    }
}

/// The line with the name of an element and its value.
fn head(why: &Why, depth: usize, indent: usize, single: Option<&str>, look: Look, text: &mut Text) {
    let width = look.text_width();
    let mut words = Line::new();
    if look.plain {
        if depth > 0 {
            words.push(Role::Prose, format!("level {depth}: "));
        }
        words.push(Role::Prose, format!("{} = {}", why.what, why.shown));
        for along in places(why) {
            words.push(Role::Prose, format!(", {along}"));
        }
        if let Some(single) = single {
            words.push(Role::Prose, format!(", {single}"));
        }
        text.append(wrap(&words, look.width, 0, 2));
        return;
    }
    words.push(Role::Name, &why.what);
    let along = places(why).join(", ");
    if !along.is_empty() {
        words.push(Role::Prose, "  ");
        words.push(Role::Label, along);
    }
    if let Some(single) = single {
        words.push(Role::Prose, "  ");
        words.push(Role::Dim, single);
    }
    let value = Line::new().with(Role::Dim, "= ").with(Role::Strong, &why.shown);
    let mut part = wrap(&words, width, indent, indent + INDENT);
    if let Some(last) = part.lines.last_mut() {
        match last.ending_in(value.clone(), width) {
            Some(line) => *last = line,
            None => part.append(wrap(&value, width, width.saturating_sub(value.width()), 0)),
        }
    }
    text.append(part);
}

/// `query "journey"`, `feature 1`
fn places(why: &Why) -> Vec<String> {
    let one = |place: &AxisPlace| match &place.token {
        Some(token) => format!("{} \"{token}\"", place.axis),
        None => format!("{} {}", place.axis, place.at),
    };
    why.place.iter().map(one).collect()
}

/// A line of the explanation; wrapped parts are indented further.
fn body(words: &str, role: Role, indent: usize, width: usize, text: &mut Text) {
    text.append(wrap((role, words), width, indent, indent + INDENT));
}
