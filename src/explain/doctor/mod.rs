//! The silent mistakes: what runs without an error and is wrong, found from what ran and never from the text.
//! One row for each mistake, in a file of its own; adding one is a file and its row here.
//!
//! | file | what it does |
//! |---|---|
//! | [`flow`], [`axes`] | the way back through the records, and which axis becomes which on it |
//! | [`attention`] | scores, softmax, weights and values as they are found in a run |
//! | the others | one mistake each |

mod attention;
mod axes;
mod dropout;
mod dropped_scores;
mod flow;
mod heads;
mod joined;
mod leaks;
mod masked_late;
mod nan_rows;
mod not_a_number;
mod opposite;
mod query_axis;
mod row_sums;
mod scale;
mod softmax_twice;
mod thrown_away;
mod unused;

use std::collections::HashMap;

use attention::Attention;
use serde::Serialize;

use super::names::Names;
use crate::ops::trace::{Trace, Traced};
use crate::tensor::{Site, Tensor};

/// A silent mistake that can be found.
pub struct Mistake {
    /// A stable name: `softmax-over-queries`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    find: Find,
}

/// What a mistake is looked for in.
enum Find {
    /// In one attention: a softmax, what came before it, what became of it.
    Attention(fn(&Attention, &Run) -> Option<Seen>),
    /// In all that ran.
    Run(fn(&Run) -> Vec<Seen>),
}

/// All of them, in the order in which they are reported of one place.
pub const MISTAKES: &[&Mistake] = &[
    &nan_rows::MISTAKE,
    &not_a_number::MISTAKE,
    &query_axis::MISTAKE,
    &heads::MISTAKE,
    &joined::MISTAKE,
    &scale::MISTAKE,
    &opposite::MISTAKE,
    &leaks::MISTAKE,
    &softmax_twice::MISTAKE,
    &dropped_scores::MISTAKE,
    &masked_late::MISTAKE,
    &row_sums::MISTAKE,
    &thrown_away::MISTAKE,
    &unused::MISTAKE,
    &dropout::MISTAKE,
];

/// What a row found: where, what it saw, and what would be right.
struct Seen {
    site: Option<Site>,
    saw: String,
    fix: String,
    /// Another reason, where the row's own does not say it.
    why: Option<&'static str>,
}

impl Seen {
    fn new(site: Option<Site>, saw: impl Into<String>, fix: impl Into<String>) -> Seen {
        Seen { site, saw: saw.into(), fix: fix.into(), why: None }
    }
}

/// A mistake that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The row's name.
    pub mistake: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The cell of the line.
    pub cell: Option<String>,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// The function it stands in: `CausalAttention.forward`.
    pub function: Option<String>,
    /// What was seen, with its numbers.
    pub observed: String,
    /// Why it matters.
    pub why: String,
    /// What would be right.
    pub fix: String,
}

/// One cell's operations, and what things are called in it.
struct Run<'r> {
    trace: &'r Trace,
    names: &'r Names,
    known: HashMap<usize, String>,
}

impl<'r> Run<'r> {
    fn new(trace: &'r Trace, names: &'r Names) -> Run<'r> {
        let mut known = HashMap::new();
        for seen in trace.steps.iter().flat_map(|step| &step.operands) {
            if let (Some(tensor), Some(name)) = (&seen.tensor, &seen.name) {
                known.entry(tensor.id()).or_insert_with(|| name.clone());
            }
        }
        Run { trace, names, known }
    }

    /// What the learner calls a tensor, or `other`.
    fn called(&self, tensor: &Tensor, other: &str) -> String {
        if let Some(name) = self.known.get(&tensor.id()) {
            return name.clone();
        }
        match self.names.knows(tensor) {
            true => self.names.of(tensor).to_string(),
            false => other.to_owned(),
        }
    }

    /// Whether an operation of this trace computed with this tensor, or a view of it, after step `at`.
    fn is_used_after(&self, tensor: &Tensor, at: usize) -> bool {
        self.trace.steps.iter().skip(at + 1).filter(|step| !step.is_view).any(|step| {
            step.operands
                .iter()
                .any(|seen| seen.tensor.as_ref().is_some_and(|it| it.storage().same(tensor.storage())))
        })
    }

    /// The function that a line stands in, as the trace saw it.
    fn function(&self, site: &Site) -> Option<String> {
        let calls = self.trace.steps.iter().filter_map(Traced::place);
        let mut here = calls.filter(|call| call.cell == site.cell && call.span.start.line == site.line);
        here.next().map(|call| call.function).filter(|name| *name != "<module>").map(str::to_owned)
    }
}

/// The mistakes in what one cell ran; `names` are what its variables are called. Each line is reported once for each
/// mistake, however often it ran.
pub fn examined(trace: &Trace, names: &Names) -> Vec<Finding> {
    let run = Run::new(trace, names);
    let used: Vec<Attention> = trace.steps.iter().filter_map(Attention::used_by).collect();
    let mut found: Vec<Finding> = Vec::new();
    let alone = trace.steps.iter().filter_map(Attention::softmax).filter(|alone| {
        used.iter().all(|attention| !std::rc::Rc::ptr_eq(&attention.softmax, &alone.softmax))
    });
    let attentions: Vec<Attention> = alone.collect();
    for mistake in MISTAKES {
        let seen: Vec<Seen> = match mistake.find {
            Find::Attention(find) => {
                used.iter().chain(&attentions).filter_map(|attention| find(attention, &run)).collect()
            }
            Find::Run(find) => find(&run),
        };
        for seen in seen {
            let finding = Finding {
                mistake: mistake.name,
                title: mistake.title,
                cell: seen.site.as_ref().map(|site| site.cell.to_owned()),
                line: seen.site.as_ref().map(|site| site.line),
                function: seen.site.as_ref().and_then(|site| run.function(site)),
                observed: seen.saw,
                why: seen.why.unwrap_or(mistake.why).to_owned(),
                fix: seen.fix,
            };
            let known = |it: &Finding| {
                (it.mistake, &it.cell, it.line) == (finding.mistake, &finding.cell, finding.line)
            };
            if !found.iter().any(known) {
                found.push(finding);
            }
        }
    }
    found
}

/// `0.2333`, for a number in a sentence.
fn figure(value: f64) -> String {
    super::terms::figure(value)
}
