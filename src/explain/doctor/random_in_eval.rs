//! A layer whose output in evaluation mode is random.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, RandomKind};

pub(super) static MISTAKE: Mistake = Mistake::new("A702", "random-in-eval", "the output in evaluation mode is random", "After eval() the same input should give the same output. Here it depends on the random numbers that are drawn, \
          so measurements and generated text differ from run to run.", &[Detector::Call(detect)]).implied_by(&["dropout-in-eval"]);

/// Whether the call draws zeros and ones, or numbers that it may compare to get such: a dropout of its own. Other random
/// numbers, such as the start of an iteration, may well be wanted in evaluation mode.
fn drops(call: &RepeatedCall, cell: &TracedCell) -> bool {
    let own = |step: &&Traced| call.has(step);
    let draws = |step: &Traced| {
        let kinds = [RandomKind::Bernoulli, RandomKind::Uniform, RandomKind::UniformFill];
        matches!(step.operation.explanation, Explanation::Random(kind) if kinds.contains(&kind))
            || step.operation.explanation == Explanation::Dropout
    };
    cell.steps().filter(own).any(draws)
}

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    if call.report.unsteady == 0.0 || call.is_outer || !drops(call, cell) {
        return None;
    }
    let observed = format!(
        "{} was run twice on the same input, in evaluation mode and with two seeds: the outputs differ by {}.",
        call.function,
        figure(call.report.unsteady)
    );
    let fix = "F.dropout(x, p, training=self.training), or an nn.Dropout kept as an attribute of the module";
    Some(Observation::new(call.site.clone(), observed, fix))
}
