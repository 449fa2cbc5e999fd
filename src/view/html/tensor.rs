//! A tensor as tables: one for each slice of its last two axes, each cell shaded by its value.

use super::escape::escape;
use super::map;
use super::parts::ExplainedFigure;
use super::styled::shade;
use crate::tensor::show::joined;
use crate::view::figure::{Figure, summary};
use crate::view::slice::{self, Slice};
use crate::view::statistics::Statistics;
use crate::view::text::Look;

/// A summary's look: words without alignment.
const WORDS: Look = Look { width: 88, colour: false, plain: true };

/// The tables of a tensor, under its name, dtype, shape and statistics. `number` is its place among the page's tensors.
pub(super) fn tensor(number: usize, explained: &ExplainedFigure) -> String {
    let figure = &explained.figure;
    let mut out = format!("<figure class=\"tensor\" id=\"tensor-{number}\">\n{}", heading(figure));
    if figure.count() == 0 || !figure.has_values() {
        return out + "</figure>\n";
    }
    let statistics = figure.statistics();
    let (slices, left_out) = slice::shown(figure);
    let outer = figure.shape.len().saturating_sub(2);
    let axes: Vec<String> =
        (0..outer).map(|axis| figure.axis(axis).unwrap_or_else(|| format!("axis {axis}"))).collect();
    let axes = match outer {
        0 => String::new(),
        _ => format!(" data-axes=\"{}\"", escape(&axes.join("\n"))),
    };
    out.push_str(&format!("<div class=\"slices\"{axes}>\n"));
    for slice in &slices {
        out.push_str(&table(number, figure, slice, &statistics));
    }
    out.push_str("</div>\n");
    if left_out > 0 {
        out.push_str(&format!("<p class=\"d\">… {left_out} more between the first and the last</p>\n"));
    }
    if figure.is_summarized() {
        out.push_str(&map::whole(figure));
    }
    out + "</figure>\n"
}

/// Name, dtype and shape, then the facts of the values.
fn heading(figure: &Figure) -> String {
    let words = summary(figure, WORDS);
    let facts = words.lines.get(1).map(|line| line.text()).unwrap_or_default();
    format!(
        "<figcaption><code class=\"n\">{}</code> <span class=\"d\">{}</span> {} <span class=\"facts\">{}</span></figcaption>\n",
        escape(&figure.name),
        escape(&figure.dtype),
        escape(&figure.named_shape()),
        escape(&facts),
    )
}

/// The row-major offsets of the elements that the tables of a tensor have.
pub(crate) fn shown_offsets(figure: &Figure) -> Vec<usize> {
    if figure.count() == 0 || !figure.has_values() {
        return Vec::new();
    }
    let (slices, _) = slice::shown(figure);
    slices.iter().flat_map(|slice| slice::offsets(figure, slice)).collect()
}

/// The table of one slice. Its cells follow each other in the order of the elements; where elements are left out, each
/// cell says which it is.
fn table(number: usize, figure: &Figure, slice: &Slice, statistics: &Statistics) -> String {
    let axes = figure.shape.len();
    let column_axis = axes.checked_sub(1);
    let row_axis = axes.checked_sub(2);
    let rows = row_axis.map_or(vec![Some(0)], |axis| figure.shown(axis));
    let columns = column_axis.map_or(vec![Some(0)], |axis| figure.shown(axis));
    let offsets = slice::offsets(figure, slice);
    let numbers = figure.numbers(&offsets);
    let mut cells = offsets.iter().zip(numbers);
    let mut out = String::from("<div class=\"scroll\"><table");
    out.push_str(&format!(" data-t=\"{number}\" data-from=\"{}\"", slice.start));
    out.push_str(&format!(" data-slice=\"{}\">", joined(&slice.index, ",")));
    if slice.index.is_empty() {
        out.push_str(&format!("<caption class=\"hidden\">{}</caption>", escape(&figure.name)));
    } else {
        out.push_str(&format!("<caption>{}</caption>", escape(&slice::name(figure, &slice.index))));
    }
    if let Some(axis) = column_axis {
        let corner: Vec<String> = row_axis.into_iter().chain([axis]).filter_map(|a| figure.axis(a)).collect();
        out.push_str("<thead><tr>");
        if row_axis.is_some() {
            out.push_str(&format!("<td class=\"corner\">{}</td>", escape(&corner.join(" \\ "))));
        }
        for column in &columns {
            let name = column.map_or("…".to_owned(), |at| figure.position(axis, at));
            out.push_str(&format!("<th scope=\"col\">{}</th>", escape(&name)));
        }
        out.push_str("</tr></thead>");
    }
    out.push_str("<tbody>\n");
    for row in &rows {
        out.push_str("<tr>");
        if let Some(axis) = row_axis {
            let name = row.map_or("…".to_owned(), |at| figure.position(axis, at));
            out.push_str(&format!("<th scope=\"row\">{}</th>", escape(&name)));
        }
        for column in &columns {
            match (row, column) {
                (Some(_), Some(_)) => {
                    let (&offset, text) = cells.next().expect("there is a number for each offset");
                    out.push_str(&cell(figure, offset, &text, statistics));
                }
                _ => out.push_str("<td class=\"gap\">…</td>"),
            }
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody></table></div>\n"
}

/// One element: its number, and the class of its shade.
fn cell(figure: &Figure, offset: usize, text: &str, statistics: &Statistics) -> String {
    let class = shade(figure.is_bool(), figure.values[offset], statistics);
    let class = class.map_or(String::new(), |class| format!(" class=\"{class}\""));
    let place = if figure.is_summarized() { format!(" data-e=\"{offset}\"") } else { String::new() };
    format!("<td{class}{place}>{}</td>", escape(text))
}
