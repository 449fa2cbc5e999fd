//! Dropout that is active while its module is in evaluation mode.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::Arg;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A701",
    "dropout-in-eval",
    "dropout is active in evaluation mode",
    "Dropout is for training. After eval() the same input should give the same output, but here some weights are \
          still dropped at random, and measurements and generated text differ from run to run.",
    &[Detector::Step(active_dropout)],
);

fn active_dropout(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let (p, fix) = match step.operation.explanation {
        Explanation::Dropout => {
            let is_active = matches!(step.args.get(2), Some(Arg::Bool(true)));
            let fix = "F.dropout(x, p, training=self.training), or an nn.Dropout kept as an attribute of the module";
            (step.args.get(1)?.number().filter(|p| is_active && *p > 0.0)?, fix)
        }
        Explanation::Attention => {
            let fix = "dropout_p=self.dropout if self.training else 0.0";
            (step.args.get(4)?.number().filter(|p| *p > 0.0)?, fix)
        }
        _ => return None,
    };
    let module = step.calls.iter().rev().find(|call| !call.library && call.training == Some(false))?;
    let class = module.class.as_deref().unwrap_or("the module");
    let result = step.results.first().filter(|_| step.operation.explanation == Explanation::Dropout);
    let zeros = result.and_then(|it| it.floats()).map(|values| {
        let zeros = values.iter().filter(|it| **it == 0.0).count();
        format!(" {zeros} of {} elements are 0 after it.", values.len())
    });
    let observed = format!(
        "{class} is in evaluation mode (training=False), and {} drops elements with p = {}.{}",
        step.operation.called(step.in_place),
        figure(p),
        zeros.unwrap_or_default()
    );
    Some(Observation::new(step.site(), observed, fix))
}
