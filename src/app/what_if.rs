//! What if: steps run without and with a change, for `attn run --set`, the walkthrough and the REPL alike.
//! Reads what was typed, gives interpreters, writes the answer.

use serde::Serialize;

use super::figures;
use super::json::Values;
use super::json::write_json;
use super::machine;
use super::options::GlobalOptions;
use super::plan::Plan;
use super::shell::{Exit, Failure, Shell};
use super::workspace::{RanCell, Workspace};
use crate::explain::what_if::{Change, Moved, Names, Naming, Setting, WhatIf, what_if};
use crate::lesson::{Catalogue, Lesson, Step, Target};
use crate::tensor::Buffer;
use crate::view::compare;
use crate::view::{Look, Text};

/// The options that ask what would be if something were different.
#[derive(clap::Args, Debug, Default, Clone)]
#[command(next_help_heading = "What if")]
pub struct Changes {
    /// Set a variable or a part of one right after it is made, and show what moves: inputs[1,0]=0.9
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Give every torch.manual_seed this seed
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Let a token's row hold that of another token: journey=one
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
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
            && self.seed.is_none()
            && self.token.is_empty()
            && self.drop_token.is_none()
            && self.edit.is_empty()
    }

    /// What is asked for. Errors: it cannot be read, and how it is written.
    fn read(&self, catalogue: &Catalogue) -> Result<Vec<Change>, Failure> {
        let mut changes = Vec::new();
        let read = |change: Result<Change, String>| change.map_err(Failure::Usage);
        for text in &self.edit {
            changes.push(placed(read(Change::edit(text))?, catalogue));
        }
        changes.extend(self.seed.map(Change::Seed));
        for text in &self.token {
            changes.push(read(Change::token(text))?);
        }
        for text in &self.set {
            changes.push(read(Change::set(text))?);
        }
        changes.extend(self.drop_token.clone().map(Change::Drop));
        Ok(changes)
    }
}

/// An edit whose cell is a slug has the name that this step's cell runs under.
fn placed(change: Change, catalogue: &Catalogue) -> Change {
    match change {
        Change::Edit { cell: Some(cell), old, new } => {
            let cell = match catalogue.find(&cell) {
                Ok(Target::Step(step)) => step.name(),
                _ => cell,
            };
            Change::Edit { cell: Some(cell), old, new }
        }
        other => other,
    }
}

/// The lessons whose words name things in a run, in the order of their steps.
struct Lessons<'c>(Vec<(&'c Step, &'c Lesson)>);

impl Names for Lessons<'_> {
    fn naming(&self, name: &str, shape: &[usize]) -> Naming {
        for (step, lesson) in self.0.iter().rev() {
            let names = figures::StepNames::of(step, lesson);
            // An attribute has the axes of the variable of its name: sa_v1.W_query those of W_query.
            let last = name.rsplit('.').next().unwrap_or(name);
            let axes = [name, last].map(|name| names.axes(name));
            let axes = axes.into_iter().find(|axes| !axes.is_empty()).unwrap_or_default();
            if axes.len() == shape.len() {
                let label = |(axis, size): (&String, &usize)| names.labels(axis, *size);
                let labels = axes.iter().zip(shape).map(label).collect();
                return Naming { axes, labels };
            }
        }
        Naming::default()
    }

    fn tokens(&self) -> Vec<String> {
        let named = self.0.iter().rev().find(|(_, lesson)| !lesson.tokens.is_empty());
        named.map(|(_, lesson)| lesson.tokens.clone()).unwrap_or_default()
    }

    fn token_tensors(&self) -> Vec<String> {
        let axes = self.0.iter().flat_map(|(step, _)| &step.axes);
        let of_tokens = axes.filter(|axes| axes.axes.first().is_some_and(|axis| axis == "token"));
        of_tokens.map(|axes| axes.tensor.clone()).collect()
    }
}

/// Runs these cells without and with changes. `asked`: the cells that are asked for, none where all are; `at`: the steps whose lessons name things, in order.
/// Errors: a change that cannot be made, in words.
pub fn changed(
    cells: &[RanCell],
    asked: &[String],
    at: Vec<(&Step, &Lesson)>,
    changes: &[Change],
    options: &GlobalOptions,
) -> Result<WhatIf, Failure> {
    let cells: Vec<(String, String)> =
        cells.iter().map(|cell| (cell.name.clone(), cell.source.clone())).collect();
    what_if(&cells, changes, asked, &Lessons(at), &mut || machine::session(options)).map_err(Failure::Usage)
}

/// What would be on a workspace if what was typed (`inputs[1,0]=0.9`, `seed 7`, `drop journey`, `dim=-1 => dim=0`) had held
/// from the start; the workspace itself is not touched. Errors: a change that cannot be read or made, in words.
pub fn typed(
    workspace: &Workspace,
    text: &str,
    options: &GlobalOptions,
    look: Look,
) -> Result<Text, Failure> {
    let change = Change::typed(text).map_err(Failure::Usage)?;
    let what = changed(&workspace.ran, &[], workspace.at.into_iter().collect(), &[change], options)?;
    Ok(compare::what_if(&what, look))
}

/// `attn run WHERE --set ...`
pub fn run(
    plan: &Plan,
    changes: &Changes,
    catalogue: &Catalogue,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let asked = changes.read(catalogue)?;
    let cells: Vec<RanCell> = plan
        .cells
        .iter()
        .map(|cell| RanCell { name: cell.name.clone(), source: cell.source.clone() })
        .collect();
    let shown: Vec<String> =
        plan.cells.iter().filter(|cell| !cell.silent).map(|cell| cell.name.clone()).collect();
    let at = plan.cells.iter().filter_map(|cell| cell.step).collect();
    let what = changed(&cells, &shown, at, &asked, &shell.options)?;
    match shell.options.json {
        true => write_json(&Document::of(&plan.target, &what), shell)?,
        false => shell.show(&compare::what_if(&what, shell.look))?,
    }
    Ok(match &what.raised {
        Some((_, raised)) if raised.interrupted => Exit::Interrupted,
        Some(_) => Exit::Raised,
        None => Exit::Good,
    })
}

/// `attn.whatif/1`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    target: &'a str,
    ok: bool,
    changes: Vec<Made<'a>>,
    error: Option<Error<'a>>,
    unreached: &'a [String],
    moved: Vec<Difference<'a>>,
    reshaped: Vec<Shape<'a>>,
    same: &'a [String],
    missing: &'a [String],
    added: &'a [String],
    words: &'a [String],
}

#[derive(Serialize)]
struct Made<'a> {
    place: &'a str,
    words: &'a str,
    before: &'a str,
    after: &'a str,
    at: &'a [String],
    remarks: &'a [String],
}

#[derive(Serialize)]
struct Error<'a> {
    step: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    message: &'a str,
    line: Option<usize>,
}

#[derive(Serialize)]
struct Difference<'a> {
    name: &'a str,
    cell: Option<&'a str>,
    dtype: &'static str,
    shape: &'a [usize],
    changed: usize,
    most: Vec<usize>,
    before: Option<Values>,
    after: Option<Values>,
}

#[derive(Serialize)]
struct Shape<'a> {
    name: &'a str,
    before: &'a [usize],
    after: &'a [usize],
}

impl<'a> Document<'a> {
    fn of(target: &'a str, what: &'a WhatIf) -> Document<'a> {
        let made = |setting: &'a Setting| Made {
            place: &setting.place,
            words: &setting.words,
            before: &setting.before,
            after: &setting.after,
            at: &setting.at,
            remarks: &setting.remarks,
        };
        let shape = |other: &'a crate::explain::what_if::Reshaped| Shape {
            name: &other.name,
            before: &other.before,
            after: &other.after,
        };
        Document {
            schema: "attn.whatif/1",
            target,
            ok: what.raised.is_none(),
            changes: what.settings.iter().map(made).collect(),
            error: what.raised.as_ref().map(|(step, raised)| Error {
                step,
                kind: &raised.kind,
                message: &raised.message,
                line: raised.line,
            }),
            unreached: &what.unreached,
            moved: what.moved.iter().map(difference).collect(),
            reshaped: what.reshaped.iter().map(shape).collect(),
            same: &what.stayed,
            missing: &what.missing,
            added: &what.added,
            words: &what.words,
        }
    }
}

fn difference(moved: &Moved) -> Difference<'_> {
    let values = |values: &[f64]| {
        let data = match (moved.dtype, moved.is_float) {
            ("bool", _) => Buffer::Bool(values.iter().map(|value| *value != 0.0).collect()),
            ("float64", _) => Buffer::F64(values.to_vec()),
            (_, true) => Buffer::F32(values.iter().map(|value| *value as f32).collect()),
            _ => Buffer::I64(values.iter().map(|value| *value as i64).collect()),
        };
        Values::of_few(&moved.shape, data)
    };
    Difference {
        name: &moved.name,
        cell: moved.cell.as_deref(),
        dtype: moved.dtype,
        shape: &moved.shape,
        changed: moved.changed.len(),
        most: moved.index(moved.most),
        before: values(&moved.before),
        after: values(&moved.after),
    }
}
