//! What if: cells run without and with a change, for `attn run --set`, the walkthrough and the REPL.

use serde_json::{Value, json};

use super::super::commands::options::GlobalOptions;
use super::super::json::{self, write_json};
use super::super::terminal::shell::{Exit, Failure, Shell};
use super::element_text::with_positions;
use super::figures;
use super::machine;
use super::plan::Plan;
use super::workspace::Workspace;
use crate::explain::what_if::{AxisLabels, Change, ChangedTensor, LessonWords, WhatIf, what_if};
use crate::lesson::filled::is_uncalled;
use crate::lesson::{Catalogue, Lesson, Step, Target};
use crate::session::Raised;
use crate::tensor::{Buffer, DType};
use crate::view::compare;
use crate::view::{Look, Text};

/// The options that change something before cells run.
#[derive(clap::Args, Default, Clone)]
#[command(next_help_heading = "What if")]
pub(crate) struct Changes {
    /// Set a variable or a part of one right after it is made, and show what changes: inputs[1,0]=0.9
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Give every torch.manual_seed this seed
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Replace the row of a token by the row of another token: journey=one
    #[arg(long, value_name = "OLD=NEW")]
    token: Vec<String>,
    /// Leave a token out
    #[arg(long, value_name = "TOKEN")]
    drop_token: Option<String>,
    /// Change the code: 'dim=-1 => dim=0', or 'weights: dim=-1 => dim=0'
    #[arg(long, value_name = "[STEP:] OLD => NEW")]
    edit: Vec<String>,
}

impl Changes {
    /// Whether there are no changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
            && self.seed.is_none()
            && self.token.is_empty()
            && self.drop_token.is_none()
            && self.edit.is_empty()
    }

    /// Reads the changes. Errors: a message with the form of the option.
    fn read(&self, tokens: &[String], catalogue: &Catalogue) -> Result<Vec<Change>, Failure> {
        let mut changes = Vec::new();
        let read = |change: Result<Change, String>| change.map_err(Failure::Usage);
        for text in &self.edit {
            changes.push(with_step_name(read(Change::edit(text))?, catalogue));
        }
        changes.extend(self.seed.map(Change::Seed));
        for text in &self.token {
            changes.push(read(Change::token(text))?);
        }
        for text in &self.set {
            changes.push(read(Change::set(&with_positions(text, tokens)))?);
        }
        changes.extend(self.drop_token.clone().map(Change::Drop));
        Ok(changes)
    }
}

/// Replaces a slug in an edit by the name that the step's cell runs under.
fn with_step_name(change: Change, catalogue: &Catalogue) -> Change {
    match change {
        Change::Edit { cell: Some(cell), old, new } => {
            let cell = match catalogue.find(&cell) {
                Ok(Target::Step(step, _)) => step.name(),
                _ => cell,
            };
            Change::Edit { cell: Some(cell), old, new }
        }
        other => other,
    }
}

/// The steps that run and their lessons, in order.
struct StepWords<'c>(Vec<(&'c Step, &'c Lesson)>);

impl LessonWords for StepWords<'_> {
    fn axis_labels(&self, name: &str, shape: &[usize]) -> AxisLabels {
        for (step, lesson) in self.0.iter().rev() {
            let names = figures::StepNames::of(step, lesson);
            // An attribute has the axes of the variable with its name: sa_v1.W_query has the axes of W_query.
            let last = name.rsplit('.').next().unwrap_or(name);
            let axes = [name, last].map(|name| names.axes(name));
            let axes = axes.into_iter().find(|axes| !axes.is_empty()).unwrap_or_default();
            if axes.len() == shape.len() {
                return AxisLabels { labels: names.labels(&axes, shape), axes };
            }
        }
        AxisLabels::default()
    }

    fn tokens(&self) -> Vec<String> {
        self.0.last().map(|(_, lesson)| lesson.tokens.clone()).unwrap_or_default()
    }

    fn token_tensors(&self) -> Vec<String> {
        // A tensor of another lesson's words has other rows.
        let tokens = self.tokens();
        let of_same = self.0.iter().filter(|(_, lesson)| lesson.tokens.is_empty() || lesson.tokens == tokens);
        let axes = of_same.flat_map(|(step, _)| &step.axes);
        let of_tokens = axes.filter(|axes| axes.axes.first().is_some_and(|axis| axis == "token"));
        of_tokens.map(|axes| axes.tensor.clone()).collect()
    }
}

/// Runs cells without and with changes. `asked` has the cells that were asked for, or none if all were; `at` has the steps
/// whose lessons name axes and tokens. Errors: a change that cannot be made, in words.
pub(crate) fn changed(
    cells: &[(String, String)],
    asked: &[String],
    at: Vec<(&Step, &Lesson)>,
    changes: &[Change],
    options: &GlobalOptions,
) -> Result<WhatIf, Failure> {
    what_if(cells, changes, asked, &StepWords(at), &mut || machine::session(options)).map_err(Failure::Usage)
}

/// The effect of a typed change (`inputs[1,0]=0.9`, `seed 7`, `drop journey`, `dim=-1 => dim=0`) on the cells of a workspace,
/// which itself does not change. Errors: a change that cannot be read or made, in words.
pub(crate) fn typed(workspace: &Workspace, text: &str, look: Look) -> Result<Text, Failure> {
    let steps = workspace.steps();
    let tokens = StepWords(steps.to_vec()).tokens();
    let change = Change::typed(&with_positions(text, &tokens)).map_err(Failure::Usage)?;
    let asked = asked(workspace);
    let cells: Vec<(String, String)> =
        workspace.ran.iter().map(|ran| (ran.name.clone(), ran.source.clone())).collect();
    let what = changed(&cells, &asked, steps.to_vec(), &[change], workspace.options())?;
    Ok(compare::what_if(&what, look))
}

/// One example of each kind of change that this lesson allows, with its label: "a number: `inputs[1,0]=0.9`".
pub(crate) fn examples(workspace: &mut Workspace) -> Vec<String> {
    let words = StepWords(workspace.steps().to_vec());
    let (tokens, of_tokens) = (words.tokens(), words.token_tensors());
    let lesson = words.0.last().map(|(_, lesson)| lesson.number);
    let own: Vec<&Step> =
        words.0.iter().filter(|(_, it)| Some(it.number) == lesson).map(|(step, _)| *step).collect();
    let is_letter = |c: char| c.is_alphanumeric() || "_.".contains(c);
    let reads = |name: &&String| {
        let mut words = own.iter().flat_map(|step| step.code.split(|c| !is_letter(c)));
        words.any(|word| word.split('.').next() == Some(name.as_str()))
    };
    let named = own.iter().flat_map(|step| &step.axes).map(|axes| &axes.tensor);
    let number = of_tokens.iter().filter(reads).chain(named).find_map(|name| {
        let tensor = workspace.session.tensor(name).ok()??;
        let is_known = tensor.dtype().is_float() && tensor.ndim() > 0 && tensor.numel() > 1;
        let place = |(axis, size): (usize, &usize)| usize::from(axis == 0 && *size > 1).to_string();
        let index: Vec<String> = tensor.shape().iter().enumerate().map(place).collect();
        is_known.then(|| (format!("{name}[{}]=0.9", index.join(",")), of_tokens.contains(name)))
    });
    let has_tokens = number.as_ref().is_some_and(|(_, has_tokens)| *has_tokens);
    let other = tokens.get(1).and_then(|token| tokens.iter().rev().skip(1).find(|other| *other != token));
    let word = other.filter(|_| has_tokens).map(|other| format!("token {}={other}", tokens[1]));
    // Sharper weights: no shape changes, so that all that follows runs. Where several cells have the code, one is named.
    let uses = |code: &str| code.matches(".softmax(").count();
    let is_only = workspace.ran.iter().map(|ran| uses(&ran.source)).sum::<usize>() == 1;
    // A class that nothing has called yet changes nothing.
    let leads_here = |step: &&Step| match workspace.at.is_some_and(|(at, _)| at.number == step.number) {
        true => !is_uncalled(&step.code),
        false => !step.aside,
    };
    let code = own.iter().rfind(|step| uses(&step.code) == 1 && leads_here(step)).map(|step| match is_only {
        true => ".softmax( => .softmax(3 *".to_owned(),
        false => format!("{}: .softmax( => .softmax(3 *", step.name()),
    });
    let is_random = own.iter().any(|step| step.code.contains("manual_seed("));
    let examples = [
        ("a number", number.map(|(text, _)| text)),
        ("a word", word),
        ("code", code),
        ("a seed", is_random.then(|| "seed 7".to_owned())),
    ];
    examples.into_iter().filter_map(|(label, text)| Some(format!("{label}: `{}`", text?))).take(3).collect()
}

/// The cells that a change is asked about: the step, and what the learner ran after it. Of a file, all cells.
fn asked(workspace: &Workspace) -> Vec<String> {
    let step =
        workspace.at.and_then(|(step, _)| workspace.ran.iter().rposition(|ran| ran.name == step.name()));
    let asked = step.map(|at| &workspace.ran[at..]).unwrap_or_default();
    asked.iter().map(|ran| ran.name.clone()).collect()
}

/// `attn run WHERE --set ...`
pub(crate) fn run(
    plan: &Plan,
    changes: &Changes,
    catalogue: &Catalogue,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let cells: Vec<(String, String)> =
        plan.cells.iter().map(|cell| (cell.name.clone(), cell.source.clone())).collect();
    let shown: Vec<String> =
        plan.cells.iter().filter(|cell| !cell.silent).map(|cell| cell.name.clone()).collect();
    let at: Vec<(&Step, &Lesson)> = plan.cells.iter().filter_map(|cell| cell.step).collect();
    let asked = changes.read(&StepWords(at.clone()).tokens(), catalogue)?;
    let what = changed(&cells, &shown, at, &asked, &plan.options(&shell.options))?;
    match shell.options.json {
        true => write_json(&document(&plan.target, &what), shell)?,
        false => shell.show(&compare::what_if(&what, shell.look))?,
    }
    Ok(match &what.raised {
        Some((_, raised)) if raised.interrupted => Exit::Interrupted,
        Some(_) => Exit::Raised,
        None => Exit::Good,
    })
}

/// `attn.whatif/2`.
fn document(target: &str, what: &WhatIf) -> Value {
    let error = |(cell, raised): &(String, Raised)| json!({"cell": cell, "type": raised.kind, "message": raised.message, "line": raised.line});
    json!({
        "schema": "attn.whatif/2",
        "target": target,
        "ok": what.raised.is_none(),
        "changes": what.changes,
        "error": what.raised.as_ref().map(error),
        "not_run": what.not_run,
        "differences": what.differences.iter().map(difference).collect::<Value>(),
        "reshaped": what.reshaped,
        "unchanged": what.unchanged,
        "missing": what.missing,
        "added": what.added,
        "printed": what.printed,
        "summary": what.summary,
    })
}

fn difference(tensor: &ChangedTensor) -> Value {
    let values = |values: &[f64]| {
        let data = match tensor.dtype {
            DType::Bool => Buffer::Bool(values.iter().map(|value| *value != 0.0).collect()),
            DType::Float64 => Buffer::F64(values.to_vec()),
            dtype if dtype.is_float() => Buffer::F32(values.iter().map(|value| *value as f32).collect()),
            _ => Buffer::I64(values.iter().map(|value| *value as i64).collect()),
        };
        json::values(&tensor.shape, &data)
    };
    json!({
        "name": tensor.name,
        "cell": tensor.cell,
        "dtype": tensor.dtype.name(),
        "shape": tensor.shape,
        "elements": tensor.differing.len(),
        "largest_at": tensor.index(tensor.largest_at),
        "before": values(&tensor.before),
        "after": values(&tensor.after),
    })
}
