//! The places of the walkthrough in order: each lesson's steps, its exercises where they stand, its end.
//! The catalogue in, a list out.

use crate::lesson::progress::{Bookmark, Progress};
use crate::lesson::{Catalogue, Exercise, Fault, Lesson, Step, Target};

/// A place of the walkthrough.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'c> {
    /// Its lesson.
    pub lesson: &'c Lesson,
    /// What is there.
    pub kind: Kind<'c>,
}

/// What is at a place.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'c> {
    /// A cell with all that is said about it.
    Step(&'c Step),
    /// Code to be written.
    Exercise(&'c Exercise),
    /// The lesson is over.
    End,
}

impl<'c> Stop<'c> {
    /// All of them. Errors: a fault in a lesson.
    pub fn all(catalogue: &'c Catalogue) -> Result<Vec<Stop<'c>>, Fault> {
        let mut stops = Vec::new();
        for lesson in catalogue.lessons() {
            let lesson = lesson?;
            for within in 0..=lesson.steps.len() {
                let here = lesson.exercises.iter().filter(|exercise| exercise.after_steps == within);
                stops.extend(here.map(|exercise| Stop { lesson, kind: Kind::Exercise(exercise) }));
                let step = lesson.steps.get(within);
                stops.extend(step.map(|step| Stop { lesson, kind: Kind::Step(step) }));
            }
            stops.push(Stop { lesson, kind: Kind::End });
        }
        Ok(stops)
    }

    /// Its slug; none for an end.
    pub fn slug(&self) -> &'c str {
        match self.kind {
            Kind::Step(step) => &step.slug,
            Kind::Exercise(exercise) => &exercise.slug,
            Kind::End => "",
        }
    }

    /// As it is kept.
    pub fn place(&self) -> Bookmark {
        Bookmark { lesson: self.lesson.id.clone(), slug: self.slug().to_owned() }
    }

    /// What it is called in a line: "step 7, softmax-overflow: Where the naive form breaks".
    pub fn title(&self) -> String {
        let Lesson { section, title, .. } = self.lesson;
        match self.kind {
            Kind::Step(step) if step.title.is_empty() => format!("step {}, {}", step.number, step.slug),
            Kind::Step(step) => format!("step {}, {}: {}", step.number, step.slug, step.title),
            Kind::Exercise(exercise) => format!("exercise {}: {}", exercise.slug, exercise.title),
            Kind::End => format!("the end of {section}, {title}"),
        }
    }

    /// Whether the learner is done here: the outcome was seen, the exercise passed or passed over.
    pub fn done(&self, progress: &Progress) -> bool {
        match self.kind {
            Kind::Step(step) => progress.done(self.lesson, step),
            Kind::Exercise(exercise) => {
                progress.tried(self.lesson, exercise).is_some_and(|it| it.passed.is_some() || it.skipped)
            }
            Kind::End => false,
        }
    }

    /// Whether it is the same place.
    pub fn is(&self, place: &Bookmark) -> bool {
        self.lesson.id == place.lesson && self.slug() == place.slug
    }
}

/// Where a name of the catalogue, or an exercise's, leads.
pub fn find(stops: &[Stop], wanted: &str, catalogue: &Catalogue) -> Result<usize, String> {
    let plain = wanted.trim().to_lowercase().replace([' ', '_'], "-");
    let exercise = |stop: &Stop| matches!(stop.kind, Kind::Exercise(exercise) if exercise.slug == plain);
    if let Some(at) = stops.iter().position(exercise) {
        return Ok(at);
    }
    let leads = |stop: &Stop, target: &Target| match (stop.kind, target) {
        (Kind::Step(here), Target::Step(step)) => here.number == step.number,
        (_, Target::Lesson(lesson)) => stop.lesson.id == lesson.id,
        _ => false,
    };
    match catalogue.find(wanted) {
        Ok(target) => {
            let at = stops.iter().position(|stop| leads(stop, &target));
            at.ok_or_else(|| format!("nothing is at `{wanted}`"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Where the learner goes on: where it was left, or the next place if that one is done.
pub fn resume(stops: &[Stop], progress: &Progress) -> usize {
    let left = progress.place.as_ref().and_then(|place| stops.iter().position(|stop| stop.is(place)));
    let from = left.unwrap_or_else(|| stops.iter().position(|stop| !stop.done(progress)).unwrap_or(0));
    let next = stops[from..].iter().position(|stop| !stop.done(progress));
    next.map_or(from, |ahead| from + ahead)
}
