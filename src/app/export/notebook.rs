//! What is exported, as a notebook that Jupyter opens: cells in order, with the outputs they gave here.
//! Source: the nbformat 4.5 description; every cell has an id, text is kept as lists of lines.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::material::{Material, Part, Run, Written};
use crate::view::markdown::{before, joined, question};

/// The notebook.
pub fn of(material: &Material) -> Value {
    let mut cells = Cells::default();
    let mut lesson = "";
    for part in &material.parts {
        let own = match part {
            Part::Step(run) => run.lesson,
            Part::Exercise(written) => written.lesson,
        };
        if own.id != lesson {
            lesson = &own.id;
            cells.text(&format!("{}-title", own.id), &format!("# {} {}\n", own.section, own.title));
        }
        match part {
            Part::Step(run) => step(run, &mut cells),
            Part::Exercise(written) => exercise(written, &mut cells),
        }
    }
    json!({
        "cells": cells.made,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    })
}

fn step(run: &Run, cells: &mut Cells) {
    let slug = &run.step.slug;
    if !run.silent {
        let mut parts = vec![before(&run.panel)];
        parts.extend(run.asked.iter().map(question));
        cells.text(&format!("{slug}-before"), &joined(&parts));
    }
    let outputs = outputs(run, cells.count + 1);
    let metadata = match run.step.raises {
        true => json!({"tags": ["raises-exception"]}),
        false => json!({}),
    };
    cells.code(slug, &run.step.code, outputs, metadata);
    if !run.silent {
        cells.text(&format!("{slug}-after"), &run.panel.after);
    }
}

fn exercise(written: &Written, cells: &mut Cells) {
    let exercise = written.exercise;
    let head = format!("## Exercise: {}\n\n{}", exercise.title, exercise.task.trim());
    cells.text(&format!("{}-task", exercise.slug), &head);
    cells.unrun(&exercise.slug, written.code());
    if written.tried.passed.is_some() {
        cells.text(&format!("{}-after", exercise.slug), &exercise.after);
    }
}

/// What a cell gave, as Jupyter keeps it.
fn outputs(run: &Run, count: usize) -> Vec<Value> {
    let outcome = &run.outcome;
    let mut outputs = Vec::new();
    for (name, text) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        if !text.is_empty() {
            outputs.push(json!({"output_type": "stream", "name": name, "text": lines(text)}));
        }
    }
    if let Some(result) = &outcome.result {
        outputs.push(json!({
            "output_type": "execute_result",
            "execution_count": count,
            "data": {"text/plain": lines(result)},
            "metadata": {},
        }));
    }
    if let Some(raised) = &outcome.error {
        let line = format!("{}: {}", raised.kind, raised.message);
        outputs.push(json!({
            "output_type": "error",
            "ename": raised.kind,
            "evalue": raised.message,
            "traceback": line.lines().collect::<Vec<_>>(),
        }));
    }
    outputs
}

/// Text as nbformat keeps it: its lines, each with its end.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The cells so far.
#[derive(Default)]
struct Cells {
    made: Vec<Value>,
    ids: HashSet<String>,
    /// Code cells that ran.
    count: usize,
}

impl Cells {
    fn text(&mut self, id: &str, text: &str) {
        if !text.trim().is_empty() {
            let id = self.id(id);
            let source = lines(text.trim());
            self.made.push(json!({"cell_type": "markdown", "id": id, "metadata": {}, "source": source}));
        }
    }

    /// A cell that ran here.
    fn code(&mut self, id: &str, code: &str, outputs: Vec<Value>, metadata: Value) {
        self.count += 1;
        self.cell(id, code, json!(self.count), outputs, metadata);
    }

    /// A cell that is there to be run: what the learner wrote.
    fn unrun(&mut self, id: &str, code: &str) {
        self.cell(id, code, Value::Null, Vec::new(), json!({}));
    }

    fn cell(&mut self, id: &str, code: &str, count: Value, outputs: Vec<Value>, metadata: Value) {
        let id = self.id(id);
        self.made.push(json!({
            "cell_type": "code",
            "execution_count": count,
            "id": id,
            "metadata": metadata,
            "outputs": outputs,
            "source": lines(code.trim_end()),
        }));
    }

    /// An id of the signs and the length that nbformat allows, used once.
    fn id(&mut self, wanted: &str) -> String {
        let sign =
            |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
        let short: String = wanted.chars().map(sign).take(56).collect();
        let numbered = (1..).map(|n| if n == 1 { short.clone() } else { format!("{short}-{n}") });
        let free = numbered.into_iter().find(|id| !self.ids.contains(id)).expect("numbers do not end");
        self.ids.insert(free.clone());
        free
    }
}
