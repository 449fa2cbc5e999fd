//! Samples of a batch that influence each other: seen by changing one of them.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};
use crate::explain::terms::figure;
use crate::session::AxisReport;

pub(super) static MISTAKE: Mistake = Mistake::new("A305", "samples-mixed", "samples of a batch influence each other", "Each sample of a batch is a text of its own. If one moves another's output, results depend on what happens to \
          be in the same batch, and a model that is used on one text at a time computes something else.", &[Detector::Call(detect)]).implied_by(&["softmax-over-queries", "heads-by-view-alone", "heads-joined-by-view-alone"]);

fn detect(call: &RepeatedCall, _: &TracedCell) -> Option<Observation> {
    mixed(call).or_else(|| by_place(call))
}

/// A sample whose output depends on its place in the batch.
fn by_place(call: &RepeatedCall) -> Option<Observation> {
    // A mask of padding that is laid out wrong is one of the reasons, and says more.
    let leaks = call.report.padding.iter().any(|it| it.moved.iter().all(|far| *far > 0.0));
    let far = Some(call.report.by_place).filter(|far| *far > 0.0 && !leaks)?;
    let observed = format!(
        "{} was called again with its samples in the reverse order: their outputs moved by {}, beyond changing places.",
        call.function,
        figure(far)
    );
    let fix = "look for what is added along the batch, such as positions of shape (tokens, 1, width) where the batch comes first";
    Some(
        Observation::new(call.site.clone(), observed, fix)
            .titled("the output of a sample depends on its place in the batch"),
    )
}

fn mixed(call: &RepeatedCall) -> Option<Observation> {
    let batch = of_samples_and_tokens(call).or_else(|| of_samples_alone(call)).or_else(|| of_pooled(call))?;
    let other = |at: usize, moved: &[f64]| (0..moved.len()).find(|it| *it != at && moved[*it] > 0.0);
    let (change, sample) =
        batch.changes.iter().find_map(|change| Some((change, other(change.at, &change.moved)?)))?;
    let observed = format!(
        "Sample {} was changed, and the output of sample {sample} moved by {}.",
        change.at,
        figure(change.moved[sample])
    );
    let fix =
        "look for a softmax over the batch (dim=0, or no dim at all), and for a view that joins samples";
    Some(Observation::new(call.site.clone(), observed, fix))
}

/// The axis of the samples, where both samples and tokens influence each other.
fn of_samples_and_tokens<'r>(call: &RepeatedCall<'r>) -> Option<&'r AxisReport> {
    // Along one axis attention mixes the tokens. If it mixes along a second one, one of them is the batch.
    let mut mixing = call.report.axes.iter().filter(|axis| Reach::of(axis).mixes());
    let (batch, tokens) = (mixing.next()?, mixing.next()?);
    if batch.axis != 0 || tokens.axis != 1 || mixing.next().is_some() || call.is_outer {
        return None;
    }
    // One attention between the samples and another between the tokens are meant (rows and columns of a table).
    (call.lines <= 1).then_some(batch)
}

/// The axis of the samples, where tokens do not influence each other and samples do. That the second axis is that of
/// the tokens is known from the positions, which are added along it.
fn of_samples_alone<'r>(call: &RepeatedCall<'r>) -> Option<&'r AxisReport> {
    let reach =
        |at: usize| call.report.axes.iter().find(|axis| axis.axis == at).map(|axis| (axis, Reach::of(axis)));
    let ((batch, samples), (_, tokens)) = (reach(0)?, reach(1)?);
    (samples.mixes() && tokens == Reach::Own && call.report.varies == [1]).then_some(batch)
}

/// The axis of the samples, where each text becomes one vector: of numbered tokens, or of vectors by one attention. A second
/// one may be meant to combine the texts, as the sentences of a document.
fn of_pooled<'r>(call: &RepeatedCall<'r>) -> Option<&'r AxisReport> {
    let is_of_vectors = || call.report.ranks == [3, 2] && call.lines <= 1 && !call.is_outer;
    match call.report.axes.as_slice() {
        [only] if only.axis == 0 && (!call.report.tokens.is_empty() || is_of_vectors()) => {
            Some(only).filter(|it| Reach::of(it).mixes())
        }
        _ => None,
    }
}
