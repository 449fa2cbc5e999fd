//! Mistakes in the loop of a training. `_training.py` watches `backward`, `step`, `zero_grad` and clipping while the program
//! runs; what it reports is read here.

use serde::Deserialize;

use super::mistake::{Detector, Finding, Mistake};
use crate::session::Session;

pub(super) static NOT_ZEROED: Mistake = Mistake::new(
    "A804",
    "gradients-not-zeroed",
    "the gradients are never set to zero",
    "backward() adds to the gradients that are there. Each step then follows the sum of all gradients so far, and not that of \
     its own batch.",
    &[],
);
pub(super) static CLEARED: Mistake = Mistake::new(
    "A805",
    "gradients-cleared",
    "the gradients are cleared before the step",
    "The step changes each parameter by its gradient. Without one nothing changes, and the loss stays where it is.",
    &[],
);
pub(super) static NOT_TRAINED: Mistake = Mistake::new(
    "A806",
    "parameters-not-trained",
    "parameters of a trained layer are in no optimizer",
    "Their gradients are computed at each step and never used: they keep the values that they began with.",
    &[],
);
pub(super) static CLIPPING: Mistake = Mistake::new(
    "A807",
    "clipping-without-effect",
    "gradients are clipped when it has no effect",
    "Clipping scales the gradients that are there. Only between backward() and the step does it bound the step.",
    &[],
);
pub(super) static CUT_OFF: Mistake = Mistake::new(
    "A808",
    "loss-cut-off",
    "the loss does not depend on the parameters",
    "detach(), .item() and new tensors made of numbers cut the graph: backward() then reaches no parameter.",
    &[],
);
pub(super) static IN_EVAL: Mistake = Mistake::new(
    "A809",
    "trained-in-eval",
    "the model is trained in evaluation mode",
    "Its dropout does nothing, so it is trained without the regularisation that it is built with. eval() lasts until train() \
     is called.",
    &[],
);
pub(super) static WITH_DROPOUT: Mistake = Mistake::new(
    "A810",
    "evaluated-with-dropout",
    "the model is evaluated with dropout",
    "Dropout sets random activations to zero. A measured loss is then too high and varies, and written text is worse.",
    &[],
);
pub(super) static SHARED: Mistake = Mistake::new(
    "A811",
    "layers-shared",
    "one layer is in a list several times",
    "[layer] * n has n references to one layer. The model has the parameters of one layer, whatever its depth.",
    &[],
);
pub(super) static PADDING: Mistake = Mistake::new(
    "A812",
    "padding-in-loss",
    "padding counts in the loss",
    "The model learns to predict padding, and texts that are padded much count less for their words.",
    &[],
);
pub(super) static UNREAD: Mistake = Mistake::new(
    "A813",
    "option-unread",
    "nothing reads an option that is set",
    "A group of an optimizer may have any key and a parameter any attribute, so a wrong name raises nothing, and what it was to \
     change stays as it is.",
    &[],
);
pub(super) static NOT_REACHED: Mistake = Mistake::new(
    "A814",
    "parameters-not-reached",
    "parameters never get a gradient",
    "What a layer computes has to reach the loss. A result that is not used, a table that is never added and two factors that \
     are both 0 leave parameters as they began.",
    &[],
);

pub(super) static NEVER_STEPPED: Mistake = Mistake::new(
    "A815",
    "never-stepped",
    "the optimizer never makes a step",
    "backward() only computes gradients. Parameters change where the optimizer's step() runs.",
    &[],
);
pub(super) static SCHEDULE: Mistake = Mistake::new(
    "A816",
    "schedule-outruns",
    "the schedule makes more steps than the optimizer",
    "A schedule counts in steps of the optimizer. Stepped more often, as with each part of a batch, it ends when a part of \
     the training is done: the warm-up is too short, and the rate too small for the rest.",
    &[],
);
pub(super) static OWN_STATE: Mistake = Mistake::new(
    "A817",
    "state-is-own",
    "the state that is loaded is the model's own",
    "A state dict has the parameters themselves, not copies. What was kept as the best model is the last one.",
    &[],
);
pub(super) static IN_INPUT: Mistake = Mistake::new(
    "A818",
    "targets-in-input",
    "the targets stand in the input",
    "A masked word is to be found from the words around it. If the model reads what it is to predict, it learns to copy.",
    &[],
);
pub(super) static RATE: Mistake = Mistake::new(
    "A819",
    "rate-squared",
    "the rate of the schedule is not the one that is meant",
    "LambdaLR multiplies the optimizer's rate with what its function returns: a function that returns a rate makes it far too \
     small. A warm-up rises first and then falls: a rate that does the opposite is largest where the training ends.",
    &[],
);
pub(super) static TABLES: Mistake = Mistake::new(
    "A408",
    "tables-share-numbers",
    "two tables are read with the same numbers",
    "A table of positions has a row for each place. Read with other numbers, such as those of tokens, it says nothing of \
     the order.",
    &[Detector::Step(super::positions::tables_added)],
);
pub(super) static START: Mistake = Mistake::new(
    "A821",
    "start-differs",
    "a text is begun with another token than in training",
    "A model has learned what follows the token that all texts began with. It never saw another one there.",
    &[],
);
pub(super) static NORM: Mistake = Mistake::new(
    "A409",
    "norm-depends-on-size",
    "a norm's result depends on the size of its input",
    "A norm makes all rows alike in size, so that a layer meets the same range everywhere. Without the root, large rows become \
     small and small rows large.",
    &[],
);
pub(super) static UNUSED: Mistake = Mistake::new(
    "A407",
    "layer-unused",
    "a layer is made and never used",
    "It is part of the model's parameters and of nothing that the model computes.",
    &[],
)
.implied_by(&["projection-unused", "projection-mixed-up", "no-positions"]);

/// Begins to watch the trainings of a session.
pub fn watch(session: &mut Session) {
    // What cannot be watched is not reported.
    let _ = session.evaluate("__import__('_training').install()", |_, _| ());
}

/// The mistakes in the trainings of a session that is watched; `named` finds a mistake by its name.
pub(super) fn watched(session: &mut Session, named: fn(&str) -> Option<&'static Mistake>) -> Vec<Finding> {
    let report =
        session.evaluate("__import__('_training').report()", |it, vm| it.try_to_value::<String>(vm).ok());
    let all: Vec<Watched> =
        serde_json::from_str(&report.ok().flatten().unwrap_or_default()).unwrap_or_default();
    let finding = |found: Watched| {
        let mistake = named(&found.mistake)?;
        Some(Finding {
            code: mistake.code,
            mistake: mistake.name,
            title: mistake.title,
            cell: Some(found.cell),
            line: Some(found.line),
            column: None,
            function: Some(found.function).filter(|name| !name.starts_with('<')),
            observed: found.observed,
            why: mistake.why.to_owned(),
            fix: found.fix,
        })
    };
    all.into_iter().filter_map(finding).collect()
}

/// What the watch found.
#[derive(Deserialize)]
struct Watched {
    mistake: String,
    cell: String,
    line: usize,
    function: String,
    observed: String,
    fix: String,
}
