//! The author's gate: a lesson is run, and everything it claims is tried.
//! Uses the session; gives findings with file and line, prints nothing.
//!
//! A starter has to fail its check, a solution to pass it, a wrong attempt to get its own message. A wrong
//! answer to a prediction must not be the right one. Invariants hold. Outputs are the recorded ones. Pictures can be
//! drawn, and words of the glossary are links where they are first used.

use crate::session::{Outcome, Raised, Session};

use super::compare::{self, Comparison, TOLERANCE, compare_step};
use super::exercise::{Answer, Exercise, Prediction};
use super::judge::{self, Verdict, judge};
use super::notebook::shown;
use super::{Catalogue, Fault, Glossary, Invariant, Lesson, Step, terms};
use crate::ops::nearest;

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
    glossary: &Glossary,
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
    let mut findings = gate.findings;
    findings.extend(terms::in_lesson(lesson, glossary));
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
            compare::Verdict::Same => {}
            compare::Verdict::Unrecorded => {
                self.found(step.line, format!("{} shows something, and nothing is recorded", step.name()));
            }
            verdict => {
                let differing = comparison.lines.first().and_then(|l| l.actual.as_ref());
                let shows = differing.map_or(String::new(), |s| format!(": it now shows `{}`", s.text));
                let words =
                    if verdict == compare::Verdict::Close { "is only close to" } else { "differs from" };
                self.found(step.line, format!("{} {words} what is recorded{shows}", step.name()));
            }
        }
        for sentence in &step.checks {
            self.invariant(session, step, sentence);
        }
        self.names(session, step);
        for view in &step.views {
            if let Err(what) = view.drawn(step, session) {
                self.found(view.line, format!("`:view: {}`: {what}", view.kind));
            }
        }
        for prediction in &step.predictions {
            self.prediction(session, prediction);
        }
    }

    /// What the options name is there: tensors to show, tensors with axes, the element to work out.
    fn names(&mut self, session: &mut Session, step: &Step) {
        let unknown = |name: &str, session: &Session| {
            let near = nearest(name, session.names(), 3);
            if near.is_empty() { String::new() } else { format!(" (nearest: {})", near.join(", ")) }
        };
        for name in step.show.iter().flatten() {
            if !matches!(session.tensor(name), Ok(Some(_))) {
                let near = unknown(name, session);
                self.found(step.line, format!("`:show:` names `{name}`, which is no tensor here{near}"));
            }
        }
        for named in &step.axes {
            let name = &named.tensor;
            match session.tensor(name) {
                Ok(Some(tensor)) if tensor.ndim() == named.axes.len() => {}
                Ok(Some(tensor)) => {
                    let (have, given) = (tensor.ndim(), named.axes.len());
                    self.found(
                        step.line,
                        format!("`:axes:` gives `{name}` {given} names, and it has {have} axes"),
                    );
                }
                _ => {
                    let near = unknown(name, session);
                    self.found(step.line, format!("`:axes:` names `{name}`, which is no tensor here{near}"));
                }
            }
        }
        if let Some(why) = &step.why {
            match judge::numbers_of(why, session) {
                Ok(one) if one.len() == 1 => {}
                Ok(_) => self.found(step.line, format!("`:why:` wants one element, and `{why}` is several")),
                Err(raised) => self.found(step.line, format!("`:why: {why}`: {}", said(&raised))),
            }
        }
    }

    fn invariant(&mut self, session: &mut Session, step: &Step, sentence: &str) {
        let Ok(invariant) = Invariant::parse(sentence) else {
            return;
        };
        let off = judge::numbers_of(&invariant.deviation(), session);
        match off.map(|v| v.first().copied().unwrap_or(f64::NAN)) {
            Ok(off) if off <= Invariant::TOLERANCE => {}
            Ok(off) if off < 1e-3 => self.found(step.line, format!("`{sentence}` is off by {off:.0e}")),
            Ok(off) => self.found(step.line, format!("`{sentence}` is off by {off:.4}")),
            Err(raised) => {
                self.found(step.line, format!("`{sentence}` cannot be measured: {}", said(&raised)));
            }
        }
    }

    /// The answer is judged right as it would be typed, and each usual wrong answer hears its own remark.
    fn prediction(&mut self, session: &mut Session, asked: &Prediction) {
        let line = asked.line;
        let right = match judge::truth(asked, session) {
            Ok(right) => right,
            Err(raised) => return self.found(line, format!("the answer fails: {}", said(&raised))),
        };
        match judge(asked, &right, session) {
            Ok(Verdict::Right) => {}
            _ => self.found(line, format!("the answer `{right}` is not taken as right")),
        }
        let words = |expr: &str, session: &mut Session| match &asked.answer {
            Answer::Shape(_) => {
                judge::shape_of(expr, session).map(|shape| crate::tensor::show::tuple_repr(&shape))
            }
            _ => judge::numbers_of(expr, session).map(|values| judge::value_words(&values)),
        };
        let mut wrong: Vec<(String, String, &str)> = Vec::new();
        for one in &asked.wrong {
            match words(&one.value, session) {
                Ok(answer) => wrong.push((one.value.clone(), answer, &one.because)),
                Err(raised) => {
                    self.found(line, format!("the wrong answer `{}` fails: {}", one.value, said(&raised)));
                }
            }
        }
        if let Answer::Choice(choices) = &asked.answer {
            let other = choices.iter().filter(|choice| !choice.right);
            wrong.extend(other.map(|c| (c.text.clone(), c.text.clone(), c.because.as_str())));
        }
        for (expr, answer, because) in wrong {
            match judge(asked, &answer, session) {
                Ok(Verdict::Wrong { because: heard }) if heard == because => {}
                Ok(Verdict::Right) => {
                    self.found(line, format!("the wrong answer `{expr}` is right: {answer}"))
                }
                _ => {
                    let what = format!("the wrong answer `{expr}` ({answer}) does not get its own remark");
                    self.found(line, what);
                }
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
        let mut heard: Vec<String> = Vec::new();
        for wrong in &exercise.attempts {
            let says = attempt(&wrong.code.source).unwrap_or_else(|| "nothing: it passes".to_string());
            if !says.contains(&wrong.says) {
                findings.push((
                    wrong.code.line,
                    format!("this attempt should hear `{}` and hears {says}", wrong.says),
                ));
            } else if heard.contains(&says) {
                findings.push((wrong.code.line, format!("another attempt hears the same: {says}")));
            }
            heard.push(says);
        }
        for (line, what) in findings {
            self.found(line, what);
        }
    }
}

/// What was raised, on one line.
fn said(raised: &Raised) -> String {
    format!("{}: {}", raised.kind, raised.message)
}
