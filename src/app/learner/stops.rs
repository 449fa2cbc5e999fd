//! The stops of the walkthrough in order: the steps of each lesson, its exercises where they belong, and its end.

use crate::lesson::progress::{Bookmark, Progress};
use crate::lesson::states::StopState;
use crate::lesson::{Catalogue, Exercise, Fault, Lesson, Step, Target};

#[derive(Clone, Copy)]
pub(crate) struct Stop<'c> {
    pub(crate) lesson: &'c Lesson,
    /// What the learner does there.
    pub(crate) kind: StopKind<'c>,
}

#[derive(Clone, Copy)]
pub(crate) enum StopKind<'c> {
    /// A cell with its text.
    Step(&'c Step),
    /// Code for the learner to write.
    Exercise(&'c Exercise),
    End,
}

impl<'c> Stop<'c> {
    /// All stops of the chapter. Errors: a fault in a lesson.
    pub(crate) fn all(catalogue: &'c Catalogue) -> Result<Vec<Stop<'c>>, Fault> {
        let mut stops = Vec::new();
        for lesson in catalogue.lessons() {
            let lesson = lesson?;
            for within in 0..=lesson.steps.len() {
                let here = lesson.exercises.iter().filter(|exercise| exercise.after_steps == within);
                stops.extend(here.map(|exercise| Stop { lesson, kind: StopKind::Exercise(exercise) }));
                let step = lesson.steps.get(within);
                stops.extend(step.map(|step| Stop { lesson, kind: StopKind::Step(step) }));
            }
            stops.push(Stop { lesson, kind: StopKind::End });
        }
        Ok(stops)
    }

    /// Whether a learner may leave it out.
    pub(crate) fn is_aside(&self) -> bool {
        matches!(self.kind, StopKind::Step(step) if step.is_optional())
    }

    /// The slug of the step or the exercise; empty at the end of a lesson.
    pub(crate) fn slug(&self) -> &'c str {
        match self.kind {
            StopKind::Step(step) => &step.slug,
            StopKind::Exercise(exercise) => &exercise.slug,
            StopKind::End => "",
        }
    }

    /// The stop as the progress file names it.
    pub(crate) fn place(&self) -> Bookmark {
        Bookmark { lesson: self.lesson.id.clone(), slug: self.slug().to_owned() }
    }

    /// The title in a sentence: "step N, softmax-overflow: Where the naive form breaks".
    pub(crate) fn title(&self) -> String {
        match self.kind {
            StopKind::Step(step) if step.title.is_empty() => format!("step {}, {}", step.number, step.slug),
            StopKind::Step(step) => format!("step {}, {}: {}", step.number, step.slug, step.title),
            StopKind::Exercise(exercise) => format!("exercise {}: {}", exercise.slug, exercise.title),
            StopKind::End => format!("the end of {}", self.lesson.place()),
        }
    }

    /// What the learner has done here; `None` at the end of a lesson.
    pub(crate) fn state(&self, progress: &Progress) -> Option<StopState> {
        match self.kind {
            StopKind::Step(step) => Some(progress.step_state(self.lesson, step)),
            StopKind::Exercise(exercise) => Some(progress.exercise_state(self.lesson, exercise)),
            StopKind::End => None,
        }
    }

    /// Whether the learner is done here: the step was run, or the exercise was passed or skipped.
    pub(crate) fn done(&self, progress: &Progress) -> bool {
        match self.kind {
            StopKind::Step(step) => progress.done(self.lesson, step),
            StopKind::Exercise(exercise) => {
                progress.tried(self.lesson, exercise).is_some_and(|it| it.passed.is_some() || it.skipped)
            }
            StopKind::End => false,
        }
    }

    /// Whether the progress file means this stop.
    pub(crate) fn is(&self, place: &Bookmark) -> bool {
        self.lesson.id == place.lesson && self.slug() == place.slug
    }
}

/// The end of a lesson, as the list names it.
pub(crate) fn end_of(lesson: &Lesson) -> String {
    format!("the end of {}", lesson.title)
}

/// Finds a stop by the slug of an exercise or by a name in the catalogue.
/// Errors: there is no such name, with the nearest ones.
pub(crate) fn find(stops: &[Stop], wanted: &str, catalogue: &Catalogue) -> Result<usize, String> {
    let plain = wanted.trim().to_lowercase().replace([' ', '_'], "-");
    let exercise = |stop: &Stop| matches!(stop.kind, StopKind::Exercise(exercise) if exercise.slug == plain);
    if let Some(at) = stops.iter().position(exercise) {
        return Ok(at);
    }
    let is_target = |stop: &Stop, target: &Target| match (stop.kind, target) {
        (StopKind::Step(here), Target::Step(step, _)) => here.number == step.number,
        (_, Target::Lesson(lesson)) => stop.lesson.id == lesson.id,
        _ => false,
    };
    match catalogue.find(wanted) {
        Ok(target) => {
            let at = stops.iter().position(|stop| is_target(stop, &target));
            at.ok_or_else(|| format!("nothing is at `{wanted}`"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The stop where the learner continues: where they left; if they are done there, the one after it. Asides are passed
/// over unless `all`.
pub(crate) fn resume(stops: &[Stop], progress: &Progress, all: bool) -> usize {
    let left = progress.place.as_ref().and_then(|place| stops.iter().position(|stop| stop.is(place)));
    let Some(left) = left else {
        let open = |stop: &Stop| !stop.done(progress) && (all || !stop.is_aside());
        return stops.iter().position(open).unwrap_or(0);
    };
    // The end of a lesson has been read when it was reached.
    let is_done = stops[left].done(progress) || matches!(stops[left].kind, StopKind::End);
    if is_done { after(stops, left, all).unwrap_or(left) } else { left }
}

/// The stops that typed words may mean, the best first: the one that has this name, those with a name that begins so, those
/// whose row in the list, which `row` returns, contains the text, then those whose row contains all its words. Each with
/// its rank, from 0.
pub(crate) fn matching(
    stops: &[Stop],
    typed: &str,
    catalogue: &Catalogue,
    row: &dyn Fn(&Stop) -> String,
) -> Vec<(u8, usize)> {
    let flat = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let typed = flat(typed);
    if typed.is_empty() {
        return (0..stops.len()).map(|at| (0, at)).collect();
    }
    let exact = find(stops, &typed, catalogue).ok();
    let words: Vec<&str> = typed.split(' ').collect();
    let rank = |at: usize| {
        let stop = &stops[at];
        let name = match stop.kind {
            StopKind::Step(step) => step.name(),
            StopKind::Exercise(exercise) => format!("exercise {}", exercise.slug),
            StopKind::End => end_of(stop.lesson),
        };
        let Lesson { section, id, title, .. } = stop.lesson;
        let begins = |name: &str| name.to_lowercase().starts_with(&typed);
        let row = flat(&row(stop));
        let all = format!("{row} {}", title.to_lowercase());
        match () {
            () if exact == Some(at) => Some(0),
            () if [stop.slug(), &name, section, id].into_iter().any(begins) => Some(1),
            () if row.contains(&typed) => Some(2),
            () if words.iter().all(|word| all.contains(word)) => Some(3),
            () => None,
        }
    };
    let mut found: Vec<(u8, usize)> = (0..stops.len()).filter_map(|at| Some((rank(at)?, at))).collect();
    found.sort();
    found
}

/// The stop after this one; asides are passed over unless `all`.
pub(crate) fn after(stops: &[Stop], at: usize, all: bool) -> Option<usize> {
    (at + 1..stops.len()).find(|next| all || !stops[*next].is_aside())
}
