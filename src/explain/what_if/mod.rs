//! What would follow if something were different: cells run twice, as they are and with a change, and compared.
//! Both runs are in interpreters of their own; the learner's own is not touched.

mod apply;
mod change;
mod moved;
mod words;

pub use change::{Change, FORMS};
pub use moved::{Moved, Reshaped};
pub use words::sentences;

use std::collections::HashMap;

use crate::ops::nearest;
use crate::session::{Outcome, Raised, Session, Variable};
use apply::Applied;

/// What a change led to.
#[derive(Clone, Debug, Default)]
pub struct WhatIf {
    /// The changes, in the order in which they were asked for.
    pub settings: Vec<Setting>,
    /// The tensors that came out otherwise, the largest difference first.
    pub moved: Vec<Moved>,
    /// The tensors whose shape is another.
    pub reshaped: Vec<Reshaped>,
    /// The tensors that came out exactly as before.
    pub stayed: Vec<String>,
    /// The tensors that are there only without the change.
    pub missing: Vec<String>,
    /// The tensors that are there only with the change.
    pub added: Vec<String>,
    /// The cell that raised because of the change, and what.
    pub raised: Option<(String, Raised)>,
    /// The cells that did not run because one before them raised.
    pub unreached: Vec<String>,
    /// The cells that were asked for, where others ran before them only because they are needed; else none.
    pub asked: Vec<String>,
    /// What moved, in sentences.
    pub words: Vec<String>,
}

/// One change, and where it took effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// What was changed: `inputs[1,0]`, `torch.manual_seed`.
    pub place: String,
    /// Where in it, in words: `"journey", feature 0`.
    pub words: String,
    /// What it was, the first time.
    pub before: String,
    /// What it is now.
    pub after: String,
    /// The cells in which it took effect, in order.
    pub at: Vec<String>,
    /// What else is to be known of it.
    pub remarks: Vec<String>,
}

impl WhatIf {
    /// Whether a tensor was made in a cell that was asked for.
    pub fn is_asked(&self, moved: &Moved) -> bool {
        self.asked.is_empty() || moved.cell.as_ref().is_none_or(|cell| self.asked.contains(cell))
    }

    /// What stayed, for a reader: a module of which nothing moved stands once.
    pub fn still(&self) -> Vec<String> {
        let moved = self.moved.iter().map(|moved| &moved.name);
        let others: Vec<&String> =
            moved.chain(self.reshaped.iter().map(|other| &other.name)).chain(&self.missing).collect();
        let mut still: Vec<String> = Vec::new();
        for name in &self.stayed {
            let root = name.split_once('.').map(|(root, _)| root);
            let whole =
                root.filter(|root| !others.iter().any(|other| other.starts_with(&format!("{root}."))));
            let shown = whole.map_or_else(|| name.clone(), |root| format!("all of {root}"));
            if !still.contains(&shown) {
                still.push(shown);
            }
        }
        still
    }
}

/// What a tensor's axes and their positions are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// The axes' names; empty where there are none.
    pub axes: Vec<String>,
    /// Along each axis the names of its positions.
    pub labels: Vec<Option<Vec<String>>>,
}

/// The lesson's words, and names for the axes of its tensors.
pub trait Names {
    /// What the axes of a tensor of this name and shape are called.
    fn naming(&self, name: &str, shape: &[usize]) -> Naming;
    /// The words that rows stand for.
    fn tokens(&self) -> Vec<String>;
    /// The tensors whose first axis is one of tokens, as the lesson names them.
    fn token_tensors(&self) -> Vec<String>;
}

/// Runs these cells (name and source each) without and with the changes, and compares what they leave behind.
/// `asked`: the names of those that are asked for; none where all are.
/// Errors: a change that cannot be made, in words.
pub fn what_if(
    cells: &[(String, String)],
    changes: &[Change],
    asked: &[String],
    names: &dyn Names,
    fresh: &mut dyn FnMut() -> Session,
) -> Result<WhatIf, String> {
    let changes: Vec<Change> =
        changes.iter().map(|change| change.resolved(names)).collect::<Result<_, String>>()?;
    let mut applied = Applied::new(&changes, cells)?;
    let (mut before, mut after) = (fresh(), fresh());
    let mut what = WhatIf { asked: asked.to_vec(), ..WhatIf::default() };
    let mut made: HashMap<String, String> = HashMap::new();
    // A cell that raises by itself may be the reason why something is not there.
    let mut failing: Option<String> = None;
    for (at, (name, source)) in cells.iter().enumerate() {
        let plain = before.run(source, name);
        let changed = applied.run(at, &mut after, names)?;
        made.extend(plain.changed.iter().map(|variable| (variable.name.clone(), name.clone())));
        if differs(&plain, &changed) {
            what.raised = changed.error.map(|raised| (name.clone(), raised));
            what.unreached = cells[at + 1..].iter().map(|(name, _)| name.clone()).collect();
            break;
        }
        match plain.error {
            Some(raised) if raised.interrupted => {
                what.raised = Some((name.clone(), raised));
                break;
            }
            Some(raised) => {
                failing.get_or_insert_with(|| format!("{name} raises {} without any change", raised.kind));
            }
            None => {}
        }
    }
    if what.raised.is_none() {
        applied.all_made(&nearest_to(&before)).map_err(|words| match failing {
            Some(failing) => format!("{words}; {failing}"),
            None => words,
        })?;
    }
    what.settings = applied.settings();
    let counters = apply::counters(cells);
    compare(&mut what, before.tensors(), after.tensors(), &counters, applied.dropped(), names);
    for moved in &mut what.moved {
        moved.cell = made.get(&moved.name).cloned();
    }
    what.words = sentences(&what);
    Ok(what)
}

/// Whether a cell raises with the change and does not raise so without it.
fn differs(plain: &Outcome, changed: &Outcome) -> bool {
    match (&plain.error, &changed.error) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(plain), Some(changed)) => plain.kind != changed.kind || changed.interrupted,
    }
}

/// How a name that nobody binds is answered.
fn nearest_to(session: &Session) -> impl Fn(&str) -> Vec<String> {
    let bound = session.names();
    move |name| nearest(name, bound.iter(), 3)
}

/// Sorts the tensors of both runs by what became of them.
fn compare(
    what: &mut WhatIf,
    before: Vec<Variable>,
    after: Vec<Variable>,
    counters: &[String],
    dropped: Option<(usize, usize)>,
    names: &dyn Names,
) {
    for variable in before.iter().filter(|variable| !counters.contains(&variable.name)) {
        let name = &variable.name;
        let Some(other) = after.iter().find(|other| other.name == *name) else {
            what.missing.push(name.clone());
            continue;
        };
        let shape = variable.value.shape();
        if shape != other.value.shape() {
            let naming = names.naming(name, shape);
            let (old, new) = (shape.to_vec(), other.value.shape().to_vec());
            what.reshaped.push(Reshaped { name: name.clone(), before: old, after: new });
            if let Some((at, size)) = dropped
                && let Some(moved) = Moved::without(name, &variable.value, &other.value, at, size, naming)
            {
                what.moved.push(moved);
            }
            continue;
        }
        match Moved::between(name, &variable.value, &other.value, names.naming(name, shape)) {
            Some(moved) => what.moved.push(moved),
            None => what.stayed.push(name.clone()),
        }
    }
    let known =
        |name: &String| before.iter().any(|variable| variable.name == *name) || counters.contains(name);
    what.added = after.into_iter().map(|variable| variable.name).filter(|name| !known(name)).collect();
    // Of two that moved as far, but for the last digits of their sums, the one with more axes tells more.
    let far = |moved: &Moved| format!("{:.4e}", moved.largest()).parse().unwrap_or(f64::INFINITY);
    what.moved.sort_by(|a, b| far(b).total_cmp(&far(a)).then(b.shape.len().cmp(&a.shape.len())));
}
