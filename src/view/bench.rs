//! What was measured: a table of times, how they grow with the tokens, and where the square is.
//! comfy-table lays out the columns; figures come from elsewhere.

use std::time::Duration;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

use crate::view::heat::bar_of;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// A measurement as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bench {
    /// What was computed: "Multi-head attention, 768 wide, ...".
    pub layer: String,
    /// On what: processor, threads, peak.
    pub machine: String,
    /// The cases.
    pub rows: Vec<Row>,
    /// How paths grow with the tokens.
    pub growth: Vec<Growth>,
    /// The largest materialised case: its tokens, and how many tables of scores there are (batch times heads).
    pub scores: Option<(usize, usize)>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
}

/// One case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// How many tokens.
    pub tokens: usize,
    /// The way it was computed.
    pub name: String,
    /// The middle time.
    pub median: Duration,
    /// The shortest.
    pub best: Duration,
    /// Useful arithmetic a second.
    pub gflops: f64,
    /// That, of the machine's peak.
    pub fraction: f64,
    /// The most memory the process took.
    pub megabytes: Option<f64>,
}

/// One path at several sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// The path.
    pub name: String,
    /// Tokens, milliseconds, megabytes.
    pub points: Vec<(usize, f64, Option<f64>)>,
}

/// Columns of the bar that shows the part of the peak.
const BAR: usize = 10;

/// The table, the growth, and what was left out.
pub fn bench(bench: &Bench, look: Look) -> Text {
    let mut text = Text::new();
    let none = Line::new();
    for (role, words) in [(Role::Title, &bench.layer), (Role::Dim, &bench.machine)] {
        let role = if look.plain { Role::Prose } else { role };
        text.append(wrap(&Line::new().with(role, words), look.width, &none, &none));
    }
    text.section(if look.plain { facts(bench) } else { table(bench, look) });
    if !bench.growth.is_empty() {
        text.section(growth(bench, look));
    }
    let remarks = bench.skipped.iter().map(|words| Line::new().with(Role::Dim, words));
    let mut left_out = Text::new();
    remarks.for_each(|line| left_out.append(wrap(&line, look.width, &none, &none)));
    if !left_out.is_empty() {
        text.section(left_out);
    }
    text
}

fn table(bench: &Bench, look: Look) -> Text {
    let narrow = look.width < 66;
    let bars = look.width >= 66 + BAR;
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let mut head = vec!["tokens", "", "median"];
    head.extend((!narrow).then_some(["best", "GFLOP/s"]).into_iter().flatten());
    head.push("of peak");
    head.extend((!narrow).then_some("memory"));
    table.set_header(head.iter().map(Cell::new));
    let mut before = 0;
    for row in &bench.rows {
        let tokens = if row.tokens == before { String::new() } else { grouped(row.tokens) };
        before = row.tokens;
        let mut cells = vec![tokens, row.name.clone(), time(row.median)];
        if !narrow {
            cells.extend([time(row.best), format!("{:.0}", row.gflops)]);
        }
        let bar = if bars { format!(" {:<BAR$}", bar_of(row.fraction, BAR)) } else { String::new() };
        cells.push(format!("{}{bar}", percent(row.fraction)));
        cells.extend((!narrow).then(|| row.megabytes.map_or_else(String::new, memory)));
        table.add_row(cells);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        let side = if at == 1 || (bars && at == 5) { CellAlignment::Left } else { CellAlignment::Right };
        column.set_cell_alignment(side);
    }
    let mut text = Text::new();
    for (at, line) in table.lines().enumerate() {
        let role = if at == 0 { Role::Dim } else { Role::Prose };
        text.say(role, line.trim_end().strip_prefix(' ').unwrap_or(&line).trim_end());
    }
    text
}

/// A line for each case.
fn facts(bench: &Bench) -> Text {
    let mut text = Text::new();
    for row in &bench.rows {
        let memory = row.megabytes.map_or_else(String::new, |megabytes| format!(", {}", memory(megabytes)));
        text.say(
            Role::Prose,
            format!(
                "{} tokens, {}: median {}, best {}, {:.0} GFLOP/s, {} of peak{memory}",
                row.tokens,
                row.name,
                time(row.median),
                time(row.best),
                row.gflops,
                percent(row.fraction)
            ),
        );
    }
    text
}

/// How each path grows, and which part of it grows with the square.
fn growth(bench: &Bench, look: Look) -> Text {
    let mut text = Text::new();
    text.say(Role::Strong, "Growth with the tokens");
    let shift = Line::spaces(2);
    for growth in &bench.growth {
        let mut line = Line::new().with(Role::Prose, format!("{}:", growth.name));
        for (at, pair) in growth.points.windows(2).enumerate() {
            let ((less, short, small), (more, long, large)) = (pair[0], pair[1]);
            let memory = small.zip(large).map(|(small, large)| format!(", memory ×{:.1}", large / small));
            line.push(Role::Prose, if at == 0 { " " } else { "; " });
            line.push(Role::Label, format!("{} to {}", grouped(less), grouped(more)));
            line.push(Role::Prose, format!(" time ×{:.1}{}", long / short, memory.unwrap_or_default()));
        }
        let first = if look.plain { Line::new() } else { shift.clone() };
        text.append(wrap(&line, look.width, &first, &shift));
    }
    let mut words =
        "Every query meets every key, so the time of attention grows with the square of the tokens on \
                     any path; projections grow with the tokens alone."
            .to_owned();
    if let Some((tokens, tables)) = bench.scores {
        let bytes = (tables * tokens * tokens * 4) as f64 / 1e6;
        words.push_str(&format!(
            " The materialised path keeps a table of {0} × {0} scores for each head, {1} together at {0} tokens: \
             its memory grows with the square too. The fused path keeps a block of them at a time.",
            grouped(tokens),
            memory(bytes)
        ));
    }
    let words = Line::new().with(Role::Prose, words);
    text.append(wrap(&words, look.text_width(), &Line::new(), &Line::new()));
    text
}

/// 16384 as 16,384.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn time(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        ms if ms >= 10_000.0 => format!("{:.1} s", ms / 1e3),
        ms if ms >= 1000.0 => format!("{:.2} s", ms / 1e3),
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 10.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.2} ms"),
    }
}

fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

fn memory(megabytes: f64) -> String {
    format!("{} MB", grouped(megabytes.round() as usize))
}
