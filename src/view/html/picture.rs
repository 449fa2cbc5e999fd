//! The pictures of a step as SVG, each with its words.

use super::bar_table::bars;
use super::escape::escape;
use super::map::{self, SquareMap};
use super::plot;
use crate::view::figure::Figure;
use crate::view::heat::Bar;
use crate::view::picture::{Picture, cost_bars, dropout_words, picture, triangle_words, visible};
use crate::view::statistics::Statistics;
use crate::view::storage::{StorageView, sign};
use crate::view::text::Look;

const PLAIN: Look = Look { width: 88, colour: false, plain: true };

/// A picture and what it shows.
pub(super) fn drawing(shown: &Picture) -> String {
    let words = in_words(shown);
    let words = words.as_str();
    let body = match shown {
        Picture::Maps(figures) => maps(figures, words),
        Picture::Triangle(figures) => figures.iter().map(triangle).collect(),
        Picture::Dropped(both) => dropped(&both.0, &both.1, words),
        Picture::Strips { strips, tokens, legend } => self::strips(strips, tokens, legend),
        Picture::Bars(name, all) => bars(name, &all.iter().map(Bar::from).collect::<Vec<_>>()),
        Picture::Plot(figure) => plot::plot(figure, words),
        Picture::Costs(costs) => cost_bars(costs).iter().map(|(name, all)| bars(name, all)).collect(),
    };
    format!("<figure class=\"picture\">\n{body}</figure>\n")
}

/// What a picture shows, as `--plain` says it.
fn in_words(shown: &Picture) -> String {
    let words = picture(shown, PLAIN).characters();
    words.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Heat maps by one scale, each under its name.
fn maps(figures: &[Figure], words: &str) -> String {
    let statistics = Statistics::of(figures.iter().flat_map(|figure| figure.values.iter().copied()));
    let one = |(at, figure): (usize, &Figure)| {
        let maps = map::slices(figure, &statistics, &|_| false);
        let words = if at == 0 { words } else { figure.name.as_str() };
        titled(figure, &maps, words)
    };
    let all: String = figures.iter().enumerate().map(one).collect();
    format!("<div class=\"maps\">{all}</div>\n")
}

fn titled(figure: &Figure, maps: &[SquareMap], words: &str) -> String {
    format!(
        "<div><p><code class=\"n\">{}</code></p><div class=\"maps\">{}</div></div>\n",
        escape(&figure.name),
        map::drawn(maps, words)
    )
}

/// The elements that each query sees.
fn triangle(figure: &Figure) -> String {
    let seen = visible(figure);
    let words = in_words(&Picture::Triangle(vec![figure.clone()]));
    let maps = map::slices(&seen, &seen.statistics(), &|_| false);
    format!(
        "{}<p class=\"legend\"><span class=\"swatch on\"></span> seen <span class=\"swatch m\"></span> hidden. {}</p>\n",
        titled(figure, &maps, &words),
        escape(&triangle_words(figure))
    )
}

/// Before and after dropout, by one scale.
fn dropped(before: &Figure, after: &Figure, words: &str) -> String {
    let statistics = Statistics::of([before, after].iter().flat_map(|f| f.values.iter().copied()));
    let is_dropped = |at: usize| before.values[at] != 0.0 && after.values[at] == 0.0;
    let first = map::slices(before, &statistics, &|_| false);
    let second = map::slices(after, &statistics, &is_dropped);
    format!(
        "<div class=\"maps\">{}{}</div>\n<p class=\"legend\">{}</p>\n",
        titled(before, &first, words),
        titled(after, &second, &after.name),
        escape(&dropout_words(before, after, true))
    )
}

/// Views of one storage: for each element the sign of its token.
fn strips(strips: &[StorageView], tokens: &[String], legend: &str) -> String {
    let mut out = String::new();
    for strip in strips {
        out.push_str(&format!(
            "<p class=\"strip\"><code class=\"n\">{}</code> <span class=\"d\">{}</span><br>",
            escape(&strip.name),
            escape(&strip.facts)
        ));
        for (at, run) in strip.tokens.chunks(strip.run.max(1)).enumerate() {
            let new_slice = at > 0 && strip.page > 0 && (at * strip.run.max(1)).is_multiple_of(strip.page);
            out.push_str(if new_slice { "<span class=\"bar\">│</span>" } else { "" });
            out.push_str("<span class=\"run\">");
            for &token in run {
                out.push_str(&format!("<i class=\"t{}\">{}</i>", token % 8, sign(token)));
            }
            out.push_str("</span> ");
        }
        out.push_str("</p>\n");
    }
    if !tokens.is_empty() {
        let one = |(at, name): (usize, &String)| {
            format!("<i class=\"t{}\">{}</i> {}", at % 8, sign(at), escape(name))
        };
        let names: Vec<String> = tokens.iter().enumerate().map(one).collect();
        out.push_str(&format!("<p class=\"legend strip\">{}</p>\n", names.join(" &nbsp; ")));
    }
    if !legend.is_empty() {
        out.push_str(&format!("<p class=\"legend\">{}</p>\n", escape(legend)));
    }
    out
}
