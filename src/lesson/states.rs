//! What a learner has done at a step, a question or an exercise, and how many of each there are: one meaning and one
//! count for all screens.

use super::exercise::{Exercise, Prediction, RightAnswer};
use super::progress::Progress;
use super::step::{Lesson, Step};

/// What a learner has done at an exercise, a question or a step.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum StopState {
    /// Seen, answered or passed.
    Finished,
    /// Skipped, or the solution was read, without an attempt.
    Skipped,
    /// Tried, and not right yet; it may have been skipped after that.
    Wrong,
    #[default]
    Open,
}

impl StopState {
    /// All, in the order in which they are counted.
    pub const ALL: [StopState; 4] =
        [StopState::Finished, StopState::Skipped, StopState::Wrong, StopState::Open];

    /// The state in a word.
    pub fn word(self) -> &'static str {
        match self {
            StopState::Finished => "finished",
            StopState::Skipped => "skipped",
            StopState::Wrong => "not right yet",
            StopState::Open => "open",
        }
    }
}

impl Progress {
    /// What the learner has done at a step.
    pub(crate) fn step_state(&self, lesson: &Lesson, step: &Step) -> StopState {
        if !self.done(lesson, step) {
            return StopState::Open;
        }
        // As the end of the lesson says; what is asked of earlier lessons is no part of the step.
        let own = || step.predictions.iter().filter(|asked| asked.review.is_none());
        let is = |state| own().any(|asked| self.question_state(lesson, step, asked) == state);
        [StopState::Wrong, StopState::Skipped]
            .into_iter()
            .find(|state| is(*state))
            .unwrap_or(StopState::Finished)
    }

    /// What the learner has done at an exercise.
    pub(crate) fn exercise_state(&self, lesson: &Lesson, exercise: &Exercise) -> StopState {
        match self.tried(lesson, exercise) {
            Some(tried) if tried.passed.is_some() => StopState::Finished,
            Some(tried) if tried.tries > 0 => StopState::Wrong,
            Some(tried) if tried.skipped || tried.solution => StopState::Skipped,
            _ => StopState::Open,
        }
    }

    /// What the learner has done at a question of a step.
    pub(crate) fn question_state(&self, lesson: &Lesson, step: &Step, asked: &Prediction) -> StopState {
        let known = self.seen(lesson, step).and_then(|seen| seen.predictions.get(&asked.ask));
        match known {
            Some(known)
                if known.answers.iter().any(|given| given.right)
                    || known.review.as_ref().is_some_and(|reviewed| reviewed.streak > 0) =>
            {
                StopState::Finished
            }
            Some(known) if !known.answers.is_empty() => StopState::Wrong,
            Some(known) if known.passed => StopState::Skipped,
            _ if self.done(lesson, step) => StopState::Skipped,
            _ => StopState::Open,
        }
    }

    /// The questions of a lesson that count, each with its step. Those of an aside that was left out were not asked; those
    /// about an earlier step belong to that step.
    pub(crate) fn questions<'l>(
        &self,
        lesson: &'l Lesson,
    ) -> impl Iterator<Item = (&'l Step, &'l Prediction)> {
        let counted = |step: &&Step| !step.is_optional() || self.done(lesson, step);
        let steps: Vec<&Step> = lesson.steps.iter().filter(counted).collect();
        let all = steps.into_iter().flat_map(|step| step.predictions.iter().map(move |asked| (step, asked)));
        all.filter(|(_, asked)| asked.review.is_none())
    }

    /// Counts the answers, the lines of code and the exercises of lessons.
    pub(crate) fn tally(&self, lessons: &[&Lesson]) -> Tally {
        let mut tally = Tally::default();
        let questions = lessons.iter().flat_map(|lesson| self.questions(lesson).map(move |it| (*lesson, it)));
        for (lesson, (step, asked)) in questions {
            let state = self.question_state(lesson, step, asked);
            if asked.blank().is_some() {
                tally.blanks.push(state);
                continue;
            }
            // Nobody judges an answer in one's own words.
            if matches!(asked.answer, RightAnswer::Open(_)) {
                continue;
            }
            tally.questions.push(state);
            let known = self.seen(lesson, step).and_then(|seen| seen.predictions.get(&asked.ask));
            let first = known.and_then(|known| known.answers.first());
            tally.at_once += usize::from(first.is_some_and(|given| given.right));
        }
        for lesson in lessons {
            let exercises = lesson.exercises.iter();
            tally.exercises.extend(exercises.map(|exercise| self.exercise_state(lesson, exercise)));
        }
        tally
    }
}

/// The questions and exercises of a lesson or of all lessons.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) questions: Vec<StopState>,
    /// Questions answered right at the first try.
    pub(crate) at_once: usize,
    /// Questions whose answer is code, in the place of a blank.
    pub(crate) blanks: Vec<StopState>,
    pub(crate) exercises: Vec<StopState>,
}

/// How many are in this state.
pub(crate) fn count(states: &[StopState], wanted: StopState) -> usize {
    states.iter().filter(|state| **state == wanted).count()
}

/// The steps of a lesson or of all lessons. Asides are counted apart, since they may be left out.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct StepCount {
    pub steps: usize,
    /// Those that the learner has seen.
    pub seen: usize,
    pub asides: usize,
    /// Those that the learner has seen.
    pub asides_seen: usize,
}

impl StepCount {
    pub(crate) fn of(lessons: &[&Lesson], progress: &Progress) -> StepCount {
        let mut count = StepCount::default();
        for (lesson, step) in
            lessons.iter().flat_map(|lesson| lesson.steps.iter().map(move |it| (lesson, it)))
        {
            let (all, seen) = match step.is_optional() {
                false => (&mut count.steps, &mut count.seen),
                true => (&mut count.asides, &mut count.asides_seen),
            };
            *all += 1;
            *seen += usize::from(progress.done(lesson, step));
        }
        count
    }

    /// How many there are: `11 steps`, `5 steps and 1 aside`.
    pub(crate) fn extent(&self) -> String {
        self.both(&|_, all, noun| format!("{all} {noun}"))
    }

    /// How many there are, and of those that are begun how many were seen: `3 of 11 steps`, `5 steps and 1 aside`.
    pub(crate) fn brief(&self) -> String {
        self.both(&|seen, all, noun| match seen == 0 || seen == all {
            true => format!("{all} {noun}"),
            false => format!("{seen} of {all} {noun}"),
        })
    }

    /// How many of them were seen: `5 of 5 steps and 0 of 1 aside`.
    pub(crate) fn seen_of_all(&self) -> String {
        self.both(&|seen, all, noun| format!("{seen} of {all} {noun}"))
    }

    /// The words for the steps, and for the asides if there are any.
    fn both(&self, words: &dyn Fn(usize, usize, &str) -> String) -> String {
        let steps = words(self.seen, self.steps, if self.steps == 1 { "step" } else { "steps" });
        match self.asides {
            0 => steps,
            1 => format!("{steps} and {}", words(self.asides_seen, 1, "aside")),
            many => format!("{steps} and {}", words(self.asides_seen, many, "asides")),
        }
    }
}
