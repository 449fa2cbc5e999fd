//! The report of `attn bench`: a table of times, and how time and memory grow with the number of tokens.

use std::time::Duration;

use comfy_table::CellAlignment;
use serde::Serialize;

use crate::view::quantity::{counted, grouped};
use crate::view::styled_table::StyledTable;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// A measurement of one layer.
#[derive(Clone, Default, PartialEq)]
pub struct BenchReport {
    /// What was computed: "Multi-head attention, 768 wide, ...".
    pub layer: String,
    /// The machine: processor and threads.
    pub machine: String,
    pub rows: Vec<BenchRow>,
    /// The number of tokens of the largest materialised case, and its number of score matrices (batch times heads).
    pub scores: Option<(usize, usize)>,
    pub skipped: Vec<String>,
}

#[derive(Clone, Default, PartialEq)]
pub struct BenchRow {
    pub tokens: usize,
    /// The path: "fused, causal".
    pub name: String,
    pub median: Duration,
    /// The shortest time.
    pub best: Duration,
    /// Peak memory of the process.
    pub megabytes: Option<f64>,
}

/// A model of GPT-2's size that writes text: the document `attn.bench.decode/1`.
#[derive(Serialize)]
pub(crate) struct Decoding {
    pub(crate) schema: &'static str,
    pub(crate) cpu: String,
    pub(crate) threads: usize,
    pub(crate) layers: usize,
    pub(crate) width: usize,
    pub(crate) heads: usize,
    pub(crate) words: usize,
    pub(crate) tokens: usize,
    pub(crate) tokens_per_s_cached: f64,
    pub(crate) tokens_per_s_uncached: f64,
    /// The bytes of the weights that each token reads.
    pub(crate) weight_bytes: f64,
    /// Bytes of weights a second with the cache, and of numbers that are summed up; in 10^9.
    pub(crate) gb_per_s_cached: f64,
    pub(crate) gb_per_s_sum: f64,
    pub(crate) peak_rss_mb: Option<f64>,
}

/// The processor and the threads, in words.
pub(crate) fn machine(cpu: &str, threads: usize) -> String {
    format!("{cpu}, {}", counted(threads, "thread"))
}

/// Tokens a second, and what they are limited by.
pub(crate) fn decoding(report: &Decoding, look: Look) -> Text {
    let model = format!(
        "GPT-2's size, random weights: {} layers, {} wide, {} heads, {} words, float32",
        report.layers,
        report.width,
        report.heads,
        grouped(report.words as u64)
    );
    let mut text = title(&model, &machine(&report.cpu, report.threads), look);
    let tokens = grouped(report.tokens as u64);
    let peak = report.peak_rss_mb.map_or_else(String::new, |peak| format!(" Peak memory: {}.", memory(peak)));
    let facts = format!(
        "{tokens} tokens with a cache: {:.1} tokens/s\n{tokens} tokens without a cache: {:.1} tokens/s",
        report.tokens_per_s_cached, report.tokens_per_s_uncached
    );
    text.section(Text::of(Role::Prose, &facts));
    let why = format!(
        "With a cache, each token reads every weight once, {}: {:.1} GB/s, {:.0} % of the {:.1} GB/s at which this machine \
         sums up numbers in memory. Without one, each token computes the whole text again.{peak}",
        memory(report.weight_bytes / 1e6),
        report.gb_per_s_cached,
        100.0 * report.gb_per_s_cached / report.gb_per_s_sum,
        report.gb_per_s_sum
    );
    text.section(wrap((Role::Prose, why), look.text_width(), 0, 0));
    text
}

/// What was measured, and on which machine.
fn title(what: &str, machine: &str, look: Look) -> Text {
    let mut text = Text::new();
    for (role, words) in [(Role::Title, what), (Role::Dim, machine)] {
        let role = if look.plain { Role::Prose } else { role };
        text.append(wrap((role, words), look.width, 0, 0));
    }
    text
}

/// The table, the growth, and what was skipped.
pub fn bench(report: &BenchReport, look: Look) -> Text {
    let mut text = title(&report.layer, &report.machine, look);
    text.section(if look.plain { facts(report) } else { table(report, look) });
    text.section(growth(report, look));
    let mut left_out = Text::new();
    report.skipped.iter().for_each(|words| left_out.append(wrap((Role::Dim, words), look.width, 0, 0)));
    text.section(left_out);
    text
}

fn table(report: &BenchReport, look: Look) -> Text {
    // A narrow screen has room for the median alone.
    let columns = if look.width < 60 { 3 } else { 5 };
    let header = ["tokens", "", "median", "best", "memory"];
    let mut rows = vec![header.map(|name| Line::new().with(Role::Dim, name))[..columns].to_vec()];
    let mut before = 0;
    for row in &report.rows {
        let tokens = if row.tokens == before { String::new() } else { grouped(row.tokens as u64) };
        before = row.tokens;
        let memory = row.megabytes.map_or_else(String::new, memory);
        let cells = [tokens, row.name.clone(), time(row.median), time(row.best), memory];
        rows.push(cells.map(|cell| Line::new().with(Role::Prose, cell))[..columns].to_vec());
    }
    let mut table = StyledTable::new(rows);
    for (at, column) in table.table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if at == 1 { CellAlignment::Left } else { CellAlignment::Right });
        if at == 0 {
            column.set_padding((0, 1));
        }
    }
    table.draw()
}

/// The cases for `--plain`, one on each line.
fn facts(report: &BenchReport) -> Text {
    let mut text = Text::new();
    for row in &report.rows {
        let memory = row.megabytes.map_or_else(String::new, |megabytes| format!(", {}", memory(megabytes)));
        text.say(
            Role::Prose,
            format!(
                "{} tokens, {}: median {}, best {}{memory}",
                row.tokens,
                row.name,
                time(row.median),
                time(row.best)
            ),
        );
    }
    text
}

/// How each path grows from one number of tokens to the next, and why; nothing where no path has two.
fn growth(report: &BenchReport, look: Look) -> Text {
    let mut text = Text::new();
    for (at, first) in report.rows.iter().enumerate() {
        let of_path: Vec<&BenchRow> = report.rows.iter().filter(|row| row.name == first.name).collect();
        if of_path.len() < 2 || report.rows[..at].iter().any(|row| row.name == first.name) {
            continue;
        }
        let mut line = Line::new().with(Role::Prose, format!("{}:", first.name));
        for (at, pair) in of_path.windows(2).enumerate() {
            let memory = pair[0].megabytes.zip(pair[1].megabytes);
            let memory =
                memory.map_or_else(String::new, |(less, more)| format!(", memory ×{:.1}", more / less));
            let time = pair[1].median.as_secs_f64() / pair[0].median.as_secs_f64();
            let [less, more] = [pair[0], pair[1]].map(|row| grouped(row.tokens as u64));
            line.push(Role::Prose, if at == 0 { " " } else { "; " });
            line.push(Role::Label, format!("{less} to {more}"));
            line.push(Role::Prose, format!(" time ×{time:.1}{memory}"));
        }
        if text.is_empty() {
            text.say(Role::Strong, "Growth with the tokens");
        }
        text.append(wrap(&line, look.width, if look.plain { 0 } else { 2 }, 2));
    }
    if text.is_empty() {
        return text;
    }
    let mut words =
        "Every query meets every key, so the time of attention grows with the square of the tokens on \
                     any path; projections grow with the tokens alone."
            .to_owned();
    if let Some((tokens, tables)) = report.scores {
        let bytes = (tables * tokens * tokens * 4) as f64 / 1e6;
        words.push_str(&format!(
            " The materialised path keeps a table of {0} × {0} scores for each head, {1} together at {0} tokens: \
             its memory grows with the square too. The fused path keeps a block of them at a time.",
            grouped(tokens as u64),
            memory(bytes)
        ));
    }
    text.append(wrap((Role::Prose, words), look.text_width(), 0, 0));
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

fn memory(megabytes: f64) -> String {
    format!("{} MB", grouped(megabytes.round() as u64))
}
