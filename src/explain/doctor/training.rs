//! Mistakes in the loop of a training. `_training.py` watches `backward`, `step`, `zero_grad` and clipping while the program
//! runs; what it reports is read here.

use serde::Deserialize;

use super::mistake::{Finding, Mistake};
use super::unread::unread;
use crate::session::Session;

/// The mistakes that are watched.
pub(super) static WATCHED: [Mistake; 21] = [
    // Source: Press and Wolf 2017, Using the output embedding to improve language models.
    Mistake::watched(
        ("A803", "tied-weights-copied"),
        "the output layer has a copy of the embedding's weight",
        "Tied weights are one tensor: each training step changes the embedding and the output layer together. A copy is \
     equal only until the first step; then the model has twice the parameters and is not tied.",
    ),
    Mistake::watched(
        ("A805", "gradients-cleared"),
        "the gradients are cleared before the step",
        "The step changes each parameter by its gradient. Without one nothing changes, and the loss stays where it is.",
    ),
    Mistake::watched(
        ("A806", "parameters-not-trained"),
        "parameters of a trained layer are in no optimizer",
        "Their gradients are computed at each step and never used: they keep the values that they began with.",
    ),
    Mistake::watched(
        ("A807", "clipping-without-effect"),
        "gradients are clipped when it has no effect",
        "Clipping scales the gradients that are there. Only between backward() and the step does it bound the step.",
    ),
    Mistake::watched(
        ("A809", "trained-in-eval"),
        "the model is trained in evaluation mode",
        "Its dropout does nothing, so it is trained without the regularisation that it is built with. eval() lasts until train() \
     is called.",
    ),
    Mistake::watched(
        ("A810", "evaluated-with-dropout"),
        "the model is evaluated with dropout",
        "Dropout sets random activations to zero. A measured loss is then too high and varies, and written text is worse.",
    ),
    Mistake::watched(
        ("A811", "layers-shared"),
        "one layer is in a list several times",
        "[layer] * n has n references to one layer. The model has the parameters of one layer, whatever its depth.",
    ),
    Mistake::watched(
        ("A812", "padding-in-loss"),
        "padding counts in the loss",
        "The model learns to predict padding, and texts that are padded much count less for their words.",
    ),
    Mistake::watched(
        ("A813", "option-unread"),
        "nothing reads an option that is set",
        "A group of an optimizer may have any key and a parameter any attribute, so a wrong name raises nothing, and what it was to \
     change stays as it is.",
    ),
    Mistake::watched(
        ("A814", "parameters-not-reached"),
        "parameters never get a gradient",
        "What a layer computes has to reach the loss. A result that is not used, a table that is never added and two factors that \
     are both 0 leave parameters as they began.",
    ),
    Mistake::watched(
        ("A816", "schedule-outruns"),
        "the schedule makes more steps than the optimizer",
        "A schedule counts in steps of the optimizer. Stepped more often, as with each part of a batch, it ends when a part of \
     the training is done: the warm-up is too short, and the rate too small for the rest.",
    ),
    Mistake::watched(
        ("A817", "state-is-own"),
        "the state that is loaded is the model's own",
        "A state dict has the parameters themselves, not copies. What was kept as the best model is the last one.",
    ),
    Mistake::watched(
        ("A818", "targets-in-input"),
        "the targets stand in the input",
        "A masked word is to be found from the words around it. If the model reads what it is to predict, it learns to copy.",
    ),
    Mistake::watched(
        ("A819", "rate-squared"),
        "the rate of the schedule is not the one that is meant",
        "LambdaLR multiplies the optimizer's rate with what its function returns: a function that returns a rate makes it far too \
     small. A warm-up rises first and then falls: a rate that does the opposite is largest where the training ends.",
    ),
    Mistake::watched(
        ("A821", "start-differs"),
        "a text is begun with another token than in training",
        "A model has learned what follows the token that all texts began with. It never saw another one there.",
    ),
    Mistake::watched(
        ("A822", "schedule-unused"),
        "nothing steps the schedule",
        "A schedule changes the rate where its step() runs. Without it the optimizer keeps the rate that it began with.",
    ),
    Mistake::watched(
        ("A824", "nothing-loaded"),
        "no entry of a state is loaded",
        "With strict=False, load_state_dict skips names that the model does not have. If it has none of them, the model stays as it \
     was made.",
    ),
    Mistake::watched(
        ("A827", "merged-differs"),
        "merging changes what the layer computes",
        "To merge is to have one matrix do what two parts did. What differs then is the model: it is no longer the one that was \
     trained.",
    ),
    Mistake::watched(
        ("A823", "state-not-passed"),
        "a decoder forgets what it has read",
        "A recurrent layer returns the state in which it has read its input. If the next call does not get it, each token is \
         predicted from the one before alone.",
    ),
    Mistake::watched(
        ("A412", "numbers-unregistered"),
        "numbers of a layer are neither trained nor saved",
        "A plain tensor is no part of what an optimizer trains, of what is saved, or of what moves to another device. A model \
     that is loaded again has other numbers there.",
    ),
    Mistake::implied(
        ("A407", "layer-unused"),
        "a layer is made and never used",
        "It is part of the model's parameters and of nothing that the model computes.",
        &["projection-unused", "projection-mixed-up", "no-positions"],
        &[],
    ),
];

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
            title: found.title.unwrap_or_else(|| mistake.title.to_owned()),
            cell: Some(found.cell),
            line: Some(found.line),
            column: None,
            function: Some(found.function).filter(|name| !name.starts_with('<')),
            observed: found.observed,
            why: found.why.unwrap_or_else(|| mistake.why.to_owned()),
            fix: found.fix,
        })
    };
    // A file that only defines a model may leave its numbers to the file that trains it.
    let trains =
        session.evaluate("__import__('_training')._watch.steps > 0", |it, vm| it.try_to_value(vm).ok());
    let sources: Vec<_> = session.sources().filter(|_| matches!(trains, Ok(Some(true)))).collect();
    let unread = unread(&sources).into_iter().map(|(cell, line, name)| Watched {
        mistake: "option-unread".to_owned(),
        cell: cell.to_owned(),
        line,
        observed: format!("{name} is set here, and nothing reads it."),
        fix: format!("use {name} where it is meant, or remove it"),
        why: Some("Someone who changes it expects an effect, and there is none.".to_owned()),
        ..Watched::default()
    });
    all.into_iter().chain(unread).filter_map(finding).collect()
}

/// What the watch found.
#[derive(Default, Deserialize)]
struct Watched {
    mistake: String,
    cell: String,
    line: usize,
    function: String,
    observed: String,
    fix: String,
    /// Where they are other ones than the mistake's.
    title: Option<String>,
    why: Option<String>,
}
