//! Compares a translated lesson with its original: the same steps, questions and exercises, with the same code, options,
//! outputs and answers. Prose, the words of questions, hints and the messages of checks are the translator's.

use super::exercise::{Exercise, Prediction, RightAnswer};
use super::fault::Fault;
use super::step::{Lesson, Step};
use crate::ops::nearest;

/// What differs between a translation and its original, in the order of the translation.
pub fn differences(translation: &Lesson, original: &Lesson) -> Vec<Fault> {
    let mut found = Differences { file: &translation.file, faults: Vec::new() };
    found.front_matter(translation, original);
    let own: Vec<&str> = translation.steps.iter().map(|step| step.slug.as_str()).collect();
    let wanted: Vec<&str> = original.steps.iter().map(|step| step.slug.as_str()).collect();
    let at = |slug: &str| translation.steps.iter().find(|step| step.slug == slug).map(|step| step.line);
    found.names("step", &own, &wanted, at);
    for step in &translation.steps {
        if let Some(same) = original.steps.iter().find(|other| other.slug == step.slug) {
            found.step(step, same);
        }
    }
    let own: Vec<&str> = translation.exercises.iter().map(|exercise| exercise.slug.as_str()).collect();
    let wanted: Vec<&str> = original.exercises.iter().map(|exercise| exercise.slug.as_str()).collect();
    let at = |slug: &str| translation.exercises.iter().find(|other| other.slug == slug).map(|it| it.line);
    found.names("exercise", &own, &wanted, at);
    for exercise in &translation.exercises {
        if let Some(same) = original.exercises.iter().find(|other| other.slug == exercise.slug) {
            found.exercise(exercise, same);
        }
    }
    found.faults
}

struct Differences<'t> {
    file: &'t str,
    faults: Vec<Fault>,
}

impl Differences<'_> {
    fn fault(&mut self, line: usize, what: String) {
        self.faults.push(Fault::new(self.file, line, what));
    }

    fn front_matter(&mut self, translation: &Lesson, original: &Lesson) {
        let pairs = [
            ("section", translation.section == original.section),
            ("tokens", translation.tokens == original.tokens),
            ("needs", translation.needs == original.needs),
        ];
        for (key, _) in pairs.iter().filter(|(_, same)| !same) {
            self.fault(1, format!("`{key}` is not that of the original"));
        }
    }

    /// Compares the names of steps or exercises, which are in the same order.
    fn names(&mut self, what: &str, own: &[&str], wanted: &[&str], line: impl Fn(&str) -> Option<usize>) {
        for slug in wanted.iter().filter(|slug| !own.contains(slug)) {
            self.fault(1, format!("the {what} `{slug}` of the original is missing"));
        }
        for slug in own.iter().filter(|slug| !wanted.contains(slug)) {
            let text = format!("the original has no {what} `{slug}`");
            let fault = Fault::new(self.file, line(slug).unwrap_or(1), text);
            self.faults.push(Fault { nearest: nearest(slug, wanted, 3), ..fault });
        }
        let both = |names: &[&str], others: &[&str]| -> Vec<String> {
            names.iter().filter(|name| others.contains(name)).map(|name| (*name).to_owned()).collect()
        };
        let (mine, theirs) = (both(own, wanted), both(wanted, own));
        if let Some((moved, other)) = mine.iter().zip(&theirs).find(|(one, other)| one != other) {
            let text = format!("the {what} `{moved}` is where the original has `{other}`");
            self.fault(line(moved).unwrap_or(1), text);
        }
    }

    fn step(&mut self, step: &Step, original: &Step) {
        let slug = &step.slug;
        self.code(&format!("the code of `{slug}`"), (&step.code, step.line), &original.code);
        match (&step.recorded, &original.recorded) {
            (own, wanted) if own == wanted => {}
            (Some(own), Some(wanted)) => {
                let (at, here, there) = first_difference(own, wanted);
                let text = format!(
                    "the output of `{slug}` differs in its line {at}: `{here}`, and `{there}` in the original"
                );
                self.fault(step.line, text);
            }
            (None, _) => self.fault(step.line, format!("the output of `{slug}` is missing")),
            (Some(_), None) => self.fault(step.line, format!("`{slug}` has no output in the original")),
        }
        let views = |step: &Step| -> Vec<(&str, Vec<String>)> {
            step.views.iter().map(|view| (view.kind, view.expressions.clone())).collect()
        };
        let options = [
            ("axes", step.axes == original.axes),
            ("show", step.show == original.show),
            ("view", views(step) == views(original)),
            ("why", step.why == original.why),
            ("check", step.checks == original.checks),
            ("random", step.random == original.random),
            ("aside", step.aside == original.aside),
            ("wrong", step.wrong == original.wrong),
            ("varies", step.varies == original.varies),
            ("tags", step.raises == original.raises),
        ];
        for (name, _) in options.iter().filter(|(_, same)| !same) {
            self.fault(step.line, format!("`:{name}:` of `{slug}` is not that of the original"));
        }
        let is_aside = |step: &Step| step.title.starts_with("Aside:");
        if is_aside(step) != is_aside(original) {
            let text = format!(
                "the heading of `{slug}` has to begin with `Aside:` as in the original, or as there not"
            );
            self.fault(step.line, text);
        }
        let (own, wanted) = (step.predictions.len(), original.predictions.len());
        if own != wanted {
            let line = step.predictions.first().map_or(step.line, |asked| asked.line);
            self.fault(line, format!("`{slug}` asks {own} questions, and the original {wanted}"));
        }
        for (number, (asked, same)) in step.predictions.iter().zip(&original.predictions).enumerate() {
            self.prediction(asked, same, &format!("question {} of `{slug}`", number + 1));
        }
    }

    fn prediction(&mut self, asked: &Prediction, original: &Prediction, name: &str) {
        let answers = match (&asked.answer, &original.answer) {
            (RightAnswer::Choice(own), RightAnswer::Choice(wanted)) => {
                let right = |choices: &[super::exercise::Choice]| -> Vec<bool> {
                    choices.iter().map(|choice| choice.right).collect()
                };
                right(own) == right(wanted)
            }
            (own, wanted) => own == wanted,
        };
        let wrong =
            |asked: &Prediction| -> Vec<String> { asked.wrong.iter().map(|one| one.value.clone()).collect() };
        if !answers {
            self.fault(asked.line, format!("the answer to {name} is not that of the original"));
        }
        if wrong(asked) != wrong(original) {
            self.fault(asked.line, format!("the wrong answers to {name} are not those of the original"));
        }
        if asked.review != original.review {
            self.fault(asked.line, format!("`review` of {name} is not that of the original"));
        }
    }

    /// The messages of checks are prose; that the checks are right is shown by running them.
    fn exercise(&mut self, exercise: &Exercise, original: &Exercise) {
        let slug = &exercise.slug;
        if exercise.after_steps != original.after_steps {
            self.fault(
                exercise.line,
                format!("the exercise `{slug}` comes after another step in the original"),
            );
        }
        for (name, own, wanted) in [
            ("starter", &exercise.starter, &original.starter),
            ("solution", &exercise.solution, &original.solution),
        ] {
            self.code(&format!("the {name} of `{slug}`"), (&own.source, own.line), &wanted.source);
        }
        let counts = [
            ("hints", exercise.hints.len(), original.hints.len()),
            ("checks", exercise.checks.len(), original.checks.len()),
            ("attempts", exercise.attempts.len(), original.attempts.len()),
        ];
        for (name, own, wanted) in counts.iter().filter(|(_, own, wanted)| own != wanted) {
            self.fault(exercise.line, format!("`{slug}` has {own} {name}, and the original {wanted}"));
        }
        for (own, wanted) in exercise.attempts.iter().zip(&original.attempts) {
            let what = format!("an attempt of `{slug}`");
            self.code(&what, (&own.code.source, own.code.line), &wanted.code.source);
        }
    }

    fn code(&mut self, what: &str, (own, line): (&str, usize), wanted: &str) {
        if own != wanted {
            let (at, here, there) = first_difference(own, wanted);
            let text = format!("{what} differs from the original: `{here}`, and `{there}` there");
            self.fault(line + at - 1, text);
        }
    }
}

fn is_blank(line: Option<&str>) -> bool {
    line.is_none_or(|line| line.trim().is_empty())
}

/// The first line in which two texts differ, from 1, and the line of each; empty behind the end of a text.
fn first_difference<'t>(own: &'t str, wanted: &'t str) -> (usize, &'t str, &'t str) {
    let (mut mine, mut theirs) = (own.lines(), wanted.lines());
    for at in 1.. {
        match (mine.next(), theirs.next()) {
            (Some(here), Some(there)) if here == there => {}
            // They differ in blanks at the end only.
            (None, None) => return (at - 1, "", ""),
            // A blank line says nothing: the line after it does.
            (here, there) if is_blank(here) && is_blank(there) => {}
            (here, there) => return (at, here.unwrap_or_default(), there.unwrap_or_default()),
        }
    }
    unreachable!("a text has an end")
}
