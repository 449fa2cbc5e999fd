//! The author's gate: a lesson is run, and everything it claims is tried.
//! Room: lesson. Uses the session; gives findings with file and line, prints nothing.
//!
//! A starter has to fail its check, a solution to pass it, a wrong attempt to get its own message. A wrong
//! answer to a prediction must not be the right one. Invariants hold. Outputs are the recorded ones.

use crate::session::{Outcome, Session};

use super::compare::{Comparison, TOLERANCE, Verdict, compare_step};
use super::exercise::{Answer, Exercise, Prediction};
use super::notebook::shown;
use super::{Catalogue, Fault, Invariant, Lesson, Step};

/// Something that is off, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The lesson's file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is off.
    pub what: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// What one step did.
pub struct StepReport<'c> {
    /// The step.
    pub step: &'c Step,
    /// What it showed: printed text, last expression, exception.
    pub shown: String,
    /// That against what is recorded.
    pub comparison: Comparison,
    /// The whole outcome.
    pub outcome: Outcome,
}

/// What one lesson did.
pub struct LessonReport<'c> {
    /// The lesson.
    pub lesson: &'c Lesson,
    /// Its steps in order.
    pub steps: Vec<StepReport<'c>>,
    /// Everything that is off; empty for a sound lesson.
    pub findings: Vec<Finding>,
}

/// Runs a lesson on fresh sessions and tries all it claims. Errors: a fault in a lesson it needs.
pub fn check<'c>(
    catalogue: &'c Catalogue,
    lesson: &'c Lesson,
    new_session: &dyn Fn() -> Session,
) -> Result<LessonReport<'c>, Fault> {
    let mut gate = Gate { lesson, new_session, findings: Vec::new() };
    let mut session = new_session();
    if let Some(first) = lesson.steps.first() {
        for step in catalogue.prelude(first)? {
            session.run(&step.code, &step.name());
        }
    }
    let mut steps = Vec::with_capacity(lesson.steps.len());
    for step in &lesson.steps {
        steps.push(gate.step(&mut session, step));
    }
    for exercise in &lesson.exercises {
        let before = catalogue.prelude_of(lesson, exercise)?;
        gate.exercise(exercise, &before);
    }
    let findings = gate.findings;
    Ok(LessonReport { lesson, steps, findings })
}

struct Gate<'c> {
    lesson: &'c Lesson,
    new_session: &'c dyn Fn() -> Session,
    findings: Vec<Finding>,
}

impl Gate<'_> {
    fn found(&mut self, line: usize, what: String) {
        let file = self.lesson.file.clone();
        self.findings.push(Finding { file, line, what });
    }

    fn step<'c>(&mut self, session: &mut Session, step: &'c Step) -> StepReport<'c> {
        let outcome = session.run(&step.code, &step.name());
        let error = outcome.error.as_ref();
        let shown = shown(
            &outcome.stdout,
            outcome.result.as_deref(),
            error.map(|e| (e.kind.as_str(), e.message.as_str())),
        );
        let raised = error.filter(|_| !step.raises);
        if let Some(e) = raised {
            let line = step.line + e.line.unwrap_or(1) - 1;
            let what = format!("{} raised {}: {}", step.name(), e.kind, e.message);
            self.found(line, what);
        } else if step.raises && error.is_none() {
            self.found(step.line, format!("{} should end in an exception", step.name()));
        }
        let recorded = if step.varies { Some(shown.as_str()) } else { step.recorded.as_deref() };
        let comparison = compare_step(recorded, &shown, TOLERANCE);
        if raised.is_none() {
            self.claims(session, step, &comparison);
        }
        StepReport { step, shown, comparison, outcome }
    }

    /// Output, invariants and predictions of a step that ran.
    fn claims(&mut self, session: &mut Session, step: &Step, comparison: &Comparison) {
        match comparison.verdict {
            Verdict::Same => {}
            Verdict::Unrecorded => {
                self.found(step.line, format!("{} shows something, and nothing is recorded", step.name()));
            }
            verdict => {
                let differing = comparison.lines.first().and_then(|l| l.actual.as_ref());
                let shows = differing.map_or(String::new(), |s| format!(": it now shows `{}`", s.text));
                let words = if verdict == Verdict::Close { "is only close to" } else { "differs from" };
                self.found(step.line, format!("{} {words} what is recorded{shows}", step.name()));
            }
        }
        for sentence in &step.checks {
            self.invariant(session, step, sentence);
        }
        for prediction in &step.predictions {
            self.prediction(session, prediction);
        }
    }

    fn invariant(&mut self, session: &mut Session, step: &Step, sentence: &str) {
        let Ok(invariant) = Invariant::parse(sentence) else {
            return;
        };
        match value(session, &invariant.deviation()).map(|v| v.first().copied().unwrap_or(f64::NAN)) {
            Ok(off) if off <= Invariant::TOLERANCE => {}
            Ok(off) => self.found(step.line, format!("`{sentence}` is off by {off:e}")),
            Err(why) => self.found(step.line, format!("`{sentence}` cannot be measured: {why}")),
        }
    }

    fn prediction(&mut self, session: &mut Session, asked: &Prediction) {
        let (right, of_shape, near) = match &asked.answer {
            Answer::Shape(expr) => (expr, true, 0.0),
            Answer::Value { expr, tolerance } => (expr, false, tolerance.unwrap_or(1e-3)),
            Answer::Choice(_) => return,
        };
        let mut measure =
            |expr: &str| value(session, &if of_shape { shape_of(expr) } else { numbers_of(expr) });
        let truth = match measure(right) {
            Ok(truth) => truth,
            Err(why) => {
                return self.found(asked.line, format!("the answer `{right}` fails: {why}"));
            }
        };
        let wrong: Vec<_> = asked.wrong.iter().map(|w| (&w.value, measure(&w.value))).collect();
        for (expr, found) in wrong {
            match found {
                Ok(found) if alike(&found, &truth, near) => {
                    self.found(asked.line, format!("the wrong answer `{expr}` is right: {found:?}"));
                }
                Ok(_) => {}
                Err(why) => self.found(asked.line, format!("the wrong answer `{expr}` fails: {why}")),
            }
        }
    }

    fn exercise(&mut self, exercise: &Exercise, before: &[&Step]) {
        let attempt = |code: &str| -> Option<String> {
            let mut session = (self.new_session)();
            for step in before {
                session.run(&step.code, &step.name());
            }
            let checks = exercise.checks.iter().map(|c| c.source.as_str());
            [code].into_iter().chain(checks).find_map(|source| {
                let error = session.run(source, "exercise").error?;
                Some(format!("{}: {}", error.kind, error.message))
            })
        };
        let mut findings = Vec::new();
        if attempt(&exercise.starter.source).is_none() {
            findings.push((
                exercise.starter.line,
                format!("the starter of `{}` passes its check", exercise.slug),
            ));
        }
        if let Some(says) = attempt(&exercise.solution.source) {
            findings
                .push((exercise.solution.line, format!("the solution of `{}` fails: {says}", exercise.slug)));
        }
        for wrong in &exercise.attempts {
            let says = attempt(&wrong.code.source).unwrap_or_else(|| "nothing: it passes".to_string());
            if !says.contains(&wrong.says) {
                findings.push((
                    wrong.code.line,
                    format!("this attempt should hear `{}` and hears {says}", wrong.says),
                ));
            }
        }
        for (line, what) in findings {
            self.found(line, what);
        }
    }
}

/// Evaluates an expression that gives a number or a list of numbers; binds nothing.
fn value(session: &mut Session, expr: &str) -> Result<Vec<f64>, String> {
    let outcome = session.run(expr, "check");
    if let Some(error) = outcome.error {
        return Err(format!("{}: {}", error.kind, error.message));
    }
    let text = outcome.result.unwrap_or_default();
    text.split([',', '[', ']', '(', ')'])
        .map(str::trim)
        .filter(|n| !n.is_empty())
        .map(|n| n.parse().map_err(|_| format!("`{n}` is no number")))
        .collect()
}

fn shape_of(expr: &str) -> String {
    format!("(lambda v: tuple(v.shape) if hasattr(v, 'shape') else tuple(v))({expr})")
}

fn numbers_of(expr: &str) -> String {
    format!("(lambda v: v.detach().tolist() if hasattr(v, 'detach') else [float(v)])({expr})")
}

fn alike(a: &[f64], b: &[f64], near: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y || (x - y).abs() <= near)
}
