//! Which build's random numbers reproduce what a file has recorded. Builds of PyTorch differ in what dropout and a few other
//! operations draw; a notebook does not say which build it ran on, but its outputs do.

use std::cmp::Ordering;

use super::options::GlobalOptions;
use super::plan::Plan;
use super::progress::ProgressBar;
use super::runner::Runner;
use super::shell::{Failure, Shell};
use crate::kernel::random::Family;
use crate::lesson::notebook::shown;
use crate::session::{Outcome, Session};

/// Parts of the names of operations whose draws differ between builds.
const DRAWS: [&str; 6] =
    ["ropout", "ernoulli", "ultinomial", "xponential", "MultiheadAttention", "TransformerEncoder"];

/// How many such numbers are drawn in search of a family.
const MOST_DRAWS: u64 = 30_000_000;

/// How many lines a cell may print after such a draw before its next one ends it: the first lines of a long training decide.
const MOST_LINES: usize = 2;

/// After how many cells that neither family reproduces the search ends.
const MOST_MISSES: usize = 3;

/// The options for the cells of a file: where no family of random numbers is asked for, that which its recorded outputs
/// show. Says so where it is not the usual one. Errors: Ctrl-C.
pub(crate) fn options(plan: &Plan, shell: &mut Shell) -> Result<GlobalOptions, Failure> {
    let mut options = shell.options.clone();
    if options.random.is_none() && may_differ(plan, &options) {
        let family = family(plan, &options, shell)?;
        if family == Family::Mkl {
            shell.remark(&format!(
                "{}: random numbers are drawn as in builds with Intel's library (--random mkl), since that is what \
                 the recorded outputs show",
                plan.target
            ));
        }
        options.random = Some(family);
    }
    Ok(options)
}

/// Whether a file has recorded outputs, and cells that draw what differs between builds and may run more than once.
pub(crate) fn may_differ(plan: &Plan, options: &GlobalOptions) -> bool {
    let is_file = plan.cells.iter().all(|cell| cell.step.is_none());
    let draws = |source: &str| DRAWS.iter().any(|word| source.contains(word));
    // Cells that may write files run once.
    options.allow_write.is_empty()
        && is_file
        && plan.cells.iter().any(|cell| draws(&cell.source))
        && plan.cells.iter().any(|cell| cell.recorded.is_some())
}

/// Everything that a cell showed, in the form of recorded outputs.
pub(crate) fn output_of(outcome: &Outcome) -> String {
    let error = outcome.error.as_ref().map(|raised| (raised.kind.as_str(), raised.message.as_str()));
    shown(&outcome.stdout, outcome.result.as_deref(), error)
}

/// Runs the cells with both families, as far as it takes to tell which one reproduces the recorded outputs.
fn family(plan: &Plan, options: &GlobalOptions, shell: &mut Shell) -> Result<Family, Failure> {
    let workspace = |family| plan.workspace(&GlobalOptions { random: Some(family), ..options.clone() });
    let (mut book, mut mkl) = (workspace(Family::Book), workspace(Family::Mkl));
    let mut book = Runner::new(&mut book, &plan.cells).keep_going(true);
    let mut mkl = Runner::new(&mut mkl, &plan.cells).keep_going(true);
    let progress = ProgressBar::watch(plan.cells.len(), shell);
    let mut misses = 0;
    let mut found = Family::Book;
    while let Some(cell) = book.upcoming() {
        progress.at(book.done(), &format!("{}: which random numbers", cell.title()));
        bound(&mut book.workspace.session);
        let Some(one) = book.next() else { break };
        if book.workspace.session.state().family_draws.get() == 0 {
            continue;
        }
        // Until something was drawn, both families run alike; the other one catches up.
        let other = loop {
            bound(&mut mkl.workspace.session);
            match mkl.next() {
                Some(earlier) if earlier.index < one.index => {}
                last => break last,
            }
        };
        let Some(other) = other else { break };
        let Some(recorded) = one.cell.recorded.as_ref().map(|recorded| recorded.shown()) else { continue };
        let (one, other) = (output_of(&one.outcome), output_of(&other.outcome));
        match agreeing_lines(&recorded, &one).cmp(&agreeing_lines(&recorded, &other)) {
            Ordering::Greater => break,
            Ordering::Less => {
                found = Family::Mkl;
                break;
            }
            Ordering::Equal => misses += usize::from(one != other),
        }
        let state = book.workspace.session.state();
        let ended_early = state.family_draws.get() > state.family_limit.get();
        if misses == MOST_MISSES || ended_early {
            break;
        }
    }
    progress.hide();
    match book.is_interrupted() || mkl.is_interrupted() {
        true => Err(Failure::Stopped),
        false => Ok(found),
    }
}

/// Ends the next cell if it draws too much, or goes on drawing after it has printed enough.
fn bound(session: &mut Session) {
    let state = session.state().clone();
    let before = state.family_draws.get();
    state.family_limit.set(MOST_DRAWS);
    let mut lines = 0;
    session.set_listener(Some(Box::new(move |_, text: &str| {
        let drawn = state.family_draws.get();
        if drawn > before {
            lines += text.matches('\n').count();
        }
        if lines >= MOST_LINES {
            state.family_limit.set(drawn);
        }
    })));
}

/// How many lines are the same from the beginning.
fn agreeing_lines(recorded: &str, output: &str) -> usize {
    let pairs = recorded.lines().zip(output.lines());
    pairs.take_while(|(one, other)| one.trim_end() == other.trim_end()).count()
}
