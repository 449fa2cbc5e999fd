//! The author's gate: runs a lesson and checks everything that it claims.
//!
//! A starter fails its check, a solution passes it, a wrong attempt gets its own message. A wrong answer to a prediction
//! is wrong. Invariants are true, outputs are the recorded ones, pictures can be drawn, and links to
//! terms of the glossary lead to one.

use crate::session::{Outcome, PythonError, Session};

use super::blank::Blank;
use super::catalogue::{Catalogue, LessonStep};
use super::choice::chosen;
use super::exercise::{Exercise, Prediction, RightAnswer};
use super::fault::{Fault, nearest_words};
use super::filled::{self, Computed};
use super::glossary::Glossary;
use super::invariant::Invariant;
use super::judge::{self, Judgement, judge};
use super::notebook::RecordedOutput;
use super::step::{Lesson, Step};
use super::terms;
use crate::ops::nearest;

pub struct StepReport<'c> {
    pub step: &'c Step,
    /// The text that it showed: printed text, last expression, exception.
    pub shown: String,
    pub outcome: Outcome,
}

pub struct LessonReport<'c> {
    /// Its steps in order.
    pub steps: Vec<StepReport<'c>>,
    /// All faults, but for outputs that differ from the recorded ones.
    pub faults: Vec<Fault>,
}

/// Runs a lesson in new sessions and checks everything that it claims. Errors: a fault in a lesson that it needs.
pub fn check<'c>(
    catalogue: &'c Catalogue,
    lesson: &'c Lesson,
    glossary: &Glossary,
    new_session: &dyn Fn() -> Session,
) -> Result<LessonReport<'c>, Fault> {
    let mut gate = Gate { lesson, new_session, faults: Vec::new() };
    let mut session = after(&catalogue.prelude_of(lesson, 0)?, new_session);
    let mut steps = Vec::with_capacity(lesson.steps.len());
    for step in &lesson.steps {
        steps.push(gate.step(&mut session, step));
        for asked in &step.predictions {
            if let Some(blank) = asked.blank() {
                gate.blank(step, asked, blank, &catalogue.prelude(step)?);
            }
        }
    }
    for exercise in &lesson.exercises {
        let before = catalogue.prelude_of(lesson, exercise.after_steps)?;
        gate.exercise(exercise, &before);
    }
    let Gate { mut faults, .. } = gate;
    faults.extend(terms::dead_links(&lesson.file, &lesson.text, terms::ADDRESS, glossary));
    faults.extend(reviews(catalogue, lesson)?);
    faults.extend(names_twice(catalogue, lesson));
    Ok(LessonReport { steps, faults })
}

/// Questions that go back to a step which is not in an earlier lesson. Errors: a fault in an earlier lesson.
fn reviews(catalogue: &Catalogue, lesson: &Lesson) -> Result<Vec<Fault>, Fault> {
    let mut earlier = Vec::new();
    for other in catalogue.lessons() {
        let other = other?;
        if other.id == lesson.id {
            break;
        }
        earlier.extend(other.steps.iter().map(|step| step.slug.as_str()));
    }
    let asked = lesson.steps.iter().flat_map(|step| &step.predictions);
    let fault = |asked: &Prediction| {
        let slug = asked.review.as_ref().filter(|slug| !earlier.contains(&slug.as_str()))?;
        let what = format!("the question goes back to `{slug}`, which is no step of an earlier lesson");
        Some(Fault::new(&lesson.file, asked.line, what).near(slug, &earlier))
    };
    Ok(asked.filter_map(fault).collect())
}

/// Names of a lesson that an earlier lesson of the course has, too. A fault in another lesson is its own.
fn names_twice(catalogue: &Catalogue, lesson: &Lesson) -> Vec<Fault> {
    let mut faults = Vec::new();
    let lessons: Vec<&Lesson> = catalogue.lessons().flatten().collect();
    let own = lessons.iter().position(|other| other.id == lesson.id);
    // A file that is checked instead of a lesson has that lesson's id; its copies come after it.
    for other in own.map_or(&[][..], |own| &lessons[own + 1..]).iter().filter(|other| other.id == lesson.id) {
        faults.push(Fault::new(&lesson.file, 1, format!("{} has the id `{}`, too", other.file, other.id)));
    }
    for other in &lessons[..own.unwrap_or(lessons.len())] {
        let names = |lesson: &Lesson| -> Vec<(String, usize)> {
            let steps = lesson.steps.iter().map(|step| (step.slug.clone(), step.line));
            steps.chain(lesson.exercises.iter().map(|it| (it.slug.clone(), it.line))).collect()
        };
        let theirs = names(other);
        for (slug, line) in names(lesson).iter().filter(|(slug, _)| theirs.iter().any(|(it, _)| it == slug)) {
            let what = format!("{} has a step or an exercise `{slug}`, too", other.file);
            faults.push(Fault::new(&lesson.file, *line, what));
        }
    }
    faults
}

/// A session in which these steps ran.
fn after(before: &[LessonStep], new_session: &dyn Fn() -> Session) -> Session {
    let mut session = new_session();
    before.iter().for_each(|(step, _)| drop(session.run(&step.code, &step.name())));
    session
}

struct Gate<'c> {
    lesson: &'c Lesson,
    new_session: &'c dyn Fn() -> Session,
    faults: Vec<Fault>,
}

impl Gate<'_> {
    fn fault(&mut self, line: usize, what: String) {
        self.faults.push(Fault::new(&self.lesson.file, line, what));
    }

    fn step<'c>(&mut self, session: &mut Session, step: &'c Step) -> StepReport<'c> {
        let outcome = session.run(&step.code, &step.name());
        let error = outcome.error.as_ref();
        let shown = RecordedOutput::from(&outcome).shown();
        let raised = error.filter(|_| !step.raises);
        if let Some(e) = raised {
            let line = step.line + e.line.unwrap_or(1) - 1;
            let what = format!("`{}` raised {e}", step.slug);
            self.fault(line, what);
        } else if step.raises && error.is_none() {
            self.fault(step.line, format!("`{}` should raise an exception", step.slug));
        }
        if raised.is_none() {
            self.claims(session, step);
        }
        StepReport { step, shown, outcome }
    }

    /// Invariants and predictions of a step that ran.
    fn claims(&mut self, session: &mut Session, step: &Step) {
        for invariant in &step.checks {
            self.invariant(session, step, invariant);
        }
        self.names(session, step);
        for view in &step.views {
            if let Err(what) = view.picture(step, session) {
                self.fault(view.line, format!("`:view: {}`: {what}", view.kind));
            }
        }
        for prediction in step.predictions.iter().filter(|asked| asked.blank().is_none()) {
            self.prediction(session, prediction);
        }
    }

    /// The names in the options exist: tensors to show, tensors with axes, the element to explain.
    fn names(&mut self, session: &mut Session, step: &Step) {
        let shown = step.show.iter().flatten().map(|name| (":show:", name, None));
        let named = step.axes.iter().map(|named| (":axes:", &named.tensor, Some(named.axes.len())));
        for (option, name, axes) in shown.chain(named) {
            let what = match (session.tensor(name), axes) {
                (Ok(Some(tensor)), Some(given)) if tensor.ndim() != given => {
                    format!("`:axes:` has {given} names for `{name}`, which has {} axes", tensor.ndim())
                }
                (Ok(Some(_)), _) => continue,
                _ => {
                    let near = nearest_words(&nearest(name, session.names(), 3));
                    format!("`{option}` names `{name}`, which is not a tensor here{near}")
                }
            };
            self.fault(step.line, what);
        }
        if let Some(why) = &step.why {
            match judge::numbers_of(why, session) {
                Ok(one) if one.len() == 1 => {}
                Ok(_) => self.fault(step.line, format!("`:why:` takes one element, and `{why}` has several")),
                Err(raised) => self.fault(step.line, format!("`:why: {why}`: {raised}")),
            }
        }
    }

    fn invariant(&mut self, session: &mut Session, step: &Step, invariant: &Invariant) {
        match judge::deviation(invariant, session) {
            Ok(off) if off <= Invariant::TOLERANCE => {}
            Ok(off) => {
                self.fault(step.line, format!("`{invariant}` is off by {}", Invariant::figure(off)));
            }
            Err(raised) => {
                self.fault(step.line, format!("`{invariant}` cannot be measured: {raised}"));
            }
        }
    }

    /// The typed answer is judged right, and each usual wrong answer gets its own remark.
    fn prediction(&mut self, session: &mut Session, asked: &Prediction) {
        let line = asked.line;
        let right = match judge::truth(asked, session) {
            Ok(right) => right,
            Err(raised) => return self.fault(line, format!("the answer fails: {raised}")),
        };
        match judge(asked, &right, session) {
            Ok(Judgement::Right) => {}
            _ => self.fault(line, format!("the answer `{right}` is not judged right")),
        }
        let mut wrong: Vec<(String, String, &str)> = Vec::new();
        for one in &asked.wrong {
            match judge::numbers_of(&one.value, session) {
                Ok(values) => wrong.push((one.value.clone(), judge::value_words(&values), &one.because)),
                Err(raised) => {
                    self.fault(line, format!("the wrong answer `{}` fails: {raised}", one.value));
                }
            }
        }
        if let RightAnswer::Choice(choices) = &asked.answer {
            for (at, choice) in choices.iter().enumerate() {
                for words in choice.also.iter().filter(|words| chosen(choices, words) != Ok(at)) {
                    self.fault(line, format!("`also` of `{}`: `{words}` does not select it", choice.text));
                }
            }
            let other = choices.iter().filter(|choice| !choice.right);
            wrong.extend(other.map(|c| (c.text.clone(), c.text.clone(), c.because.as_str())));
        }
        for (expr, answer, because) in wrong {
            match judge(asked, &answer, session) {
                Ok(Judgement::Wrong { because: remark }) if remark == because => {}
                Ok(Judgement::Right) => {
                    self.fault(line, format!("the wrong answer `{expr}` is right: {answer}"))
                }
                _ => {
                    let what = format!("the wrong answer `{expr}` ({answer}) does not get its own remark");
                    self.fault(line, what);
                }
            }
        }
    }

    /// The cell computes what the question asks for, and with each usual mistake it computes something else.
    fn blank(&mut self, step: &Step, asked: &Prediction, blank: &Blank, before: &[LessonStep]) {
        let new_session = self.new_session;
        let run =
            |code: &str| filled::run(blank, code, &mut after(before, new_session), &|_, _| String::new());
        let truth = run(&step.code);
        if let Computed::Raised(what) = &truth
            && !step.raises
        {
            self.fault(asked.line, format!("`gives: {}` fails: {what}", blank.gives));
        }
        let mut others: Vec<(&str, Computed)> = vec![(&blank.hidden, truth)];
        for wrong in &asked.wrong {
            let computed = run(&blank.filled(&step.code, &wrong.value));
            match others.iter().find(|(_, other)| filled::same(&computed, other)) {
                Some((other, _)) => {
                    let what = format!("the wrong code `{}` computes the same as `{other}`", wrong.value);
                    self.fault(asked.line, what);
                }
                None => others.push((&wrong.value, computed)),
            }
        }
    }

    fn exercise(&mut self, exercise: &Exercise, before: &[LessonStep]) {
        let new_session = self.new_session;
        // What the code shows, what the first failing check says, and where it ran.
        let attempt = |code: &str| -> (Outcome, Option<String>, Session) {
            let mut session = after(before, new_session);
            let outcome = session.run(code, "exercise");
            let failed = match &outcome.error {
                Some(error) => Some(error.to_string()),
                None => exercise.checks.iter().find_map(|it| {
                    session.run(&it.code.source, "exercise").error.as_ref().map(ToString::to_string)
                }),
            };
            (outcome, failed, session)
        };
        // Where code raised, and whether it lacks a name that the starter defines.
        let place = |outcome: &Outcome| {
            let Some(error) = &outcome.error else { return String::new() };
            let line = error.line.map_or(String::new(), |line| format!(", in its line {line}"));
            let Some(PythonError::UnknownName(name)) = PythonError::of(&error.kind, &error.message) else {
                return line;
            };
            match attempt(&exercise.starter.source).2.names().iter().any(|defined| defined == name) {
                true => format!(
                    "{line}; the starter defines `{name}`, and is not run before a solution or an attempt: define it there too"
                ),
                false => line,
            }
        };
        if attempt(&exercise.starter.source).1.is_none() {
            self.fault(exercise.starter.line, format!("the starter of `{}` passes its check", exercise.slug));
        }
        let (solved, failed, _) = attempt(&exercise.solution.source);
        if let Some(says) = failed {
            let what = format!("the solution of `{}` fails: {says}{}", exercise.slug, place(&solved));
            self.fault(exercise.solution.line, what);
        } else if !solved.shows_something() {
            let what = format!("the solution of `{}` shows no result: print one", exercise.slug);
            self.fault(exercise.solution.line, what);
        }
        let mut messages: Vec<String> = Vec::new();
        for wrong in &exercise.attempts {
            let (outcome, failed, _) = attempt(&wrong.code.source);
            let says = failed.unwrap_or_else(|| "nothing: it passes".to_string());
            if !says.contains(&wrong.says) {
                let what =
                    format!("this attempt should get `{}` and gets {says}{}", wrong.says, place(&outcome));
                self.fault(wrong.code.line, what);
            } else if messages.contains(&says) {
                self.fault(wrong.code.line, format!("another attempt gets the same message: {says}"));
            }
            messages.push(says);
        }
    }
}
