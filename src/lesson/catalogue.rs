//! All lessons of this program, and names to steps.
//! A lesson is parsed when something of it is asked for, and once.

use std::cell::OnceCell;
use std::fmt;

use super::embed::{Embedded, LESSONS};
use super::myst;
use super::{Exercise, Fault, Lesson, Step};
use crate::ops::nearest;

/// The lessons in the order of the chapter.
pub struct Catalogue {
    entries: Vec<Entry>,
}

struct Entry {
    embedded: &'static Embedded,
    first: usize,
    lesson: OnceCell<Result<Lesson, Fault>>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'c> {
    /// One step: `step3`, `3`, `scores`.
    Step(&'c Step),
    /// One lesson: `3.3.1`, `simple-self-attention`, `exercise 3.1`.
    Lesson(&'c Lesson),
}

/// Why a name could not be followed.
#[derive(Clone, Debug, PartialEq)]
pub enum FindError {
    /// Nothing is called so.
    Unknown {
        /// The name that was asked for.
        wanted: String,
        /// The nearest right names, best first.
        nearest: Vec<String>,
        /// The last step there is, e.g. 58.
        steps: usize,
    },
    /// The lesson that it stands in has a fault.
    Broken(Fault),
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Unknown { wanted, nearest, steps } => {
                write!(f, "no step or lesson is called `{wanted}`")?;
                match nearest.as_slice() {
                    [] => write!(f, "; steps are step1 to step{steps}, and `attn list` shows all names"),
                    names => write!(f, "; the nearest: {}", names.join(", ")),
                }
            }
            FindError::Broken(fault) => write!(f, "{fault}"),
        }
    }
}

impl std::error::Error for FindError {}

impl From<Fault> for FindError {
    fn from(fault: Fault) -> Self {
        FindError::Broken(fault)
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        Catalogue::new()
    }
}

impl Catalogue {
    /// All embedded lessons; nothing is parsed yet.
    pub fn new() -> Catalogue {
        let mut first = 1;
        let entries = LESSONS
            .iter()
            .map(|embedded| {
                let entry = Entry { embedded, first, lesson: OnceCell::new() };
                first += embedded.slugs.len();
                entry
            })
            .collect();
        Catalogue { entries }
    }

    /// How many lessons there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many steps the chapter has.
    pub fn total_steps(&self) -> usize {
        self.entries.iter().map(|e| e.embedded.slugs.len()).sum()
    }

    /// The lesson at this place, from 0. Errors: the fault in its file.
    pub fn lesson(&self, index: usize) -> Result<&Lesson, Fault> {
        let entry = &self.entries[index];
        let parsed =
            entry.lesson.get_or_init(|| myst::parse(entry.embedded.file, entry.embedded.text, entry.first));
        parsed.as_ref().map_err(Clone::clone)
    }

    /// All lessons in order, each with its fault if it has one.
    pub fn lessons(&self) -> impl Iterator<Item = Result<&Lesson, Fault>> {
        (0..self.len()).map(|i| self.lesson(i))
    }

    /// All steps in order. Errors: the first fault in any lesson.
    pub fn steps(&self) -> Result<Vec<&Step>, Fault> {
        let mut steps = Vec::with_capacity(self.total_steps());
        for lesson in self.lessons() {
            steps.extend(&lesson?.steps);
        }
        Ok(steps)
    }

    /// The step with this number, from 1.
    pub fn step(&self, number: usize) -> Option<Result<&Step, Fault>> {
        let at = self.entries.iter().rposition(|e| e.first <= number)?;
        let within = number - self.entries[at].first;
        if number == 0 || within >= self.entries[at].embedded.slugs.len() {
            return None;
        }
        match self.lesson(at) {
            Ok(lesson) => lesson.steps.get(within).map(Ok),
            Err(fault) => Some(Err(fault)),
        }
    }

    /// The lesson a step belongs to. `None` for a step of another catalogue.
    pub fn lesson_of(&self, step: &Step) -> Option<&Lesson> {
        let at = self.entries.iter().rposition(|e| e.first <= step.number)?;
        self.lesson(at).ok()
    }

    /// Follows a name: `step3`, `3`, a slug, a section, a lesson's id or other name.
    /// Case and the kind of separators do not count. Errors: unknown, with the nearest names; or a fault.
    pub fn find(&self, wanted: &str) -> Result<Target<'_>, FindError> {
        let plain = normal(wanted);
        let digits = plain.strip_prefix("step").unwrap_or(&plain).trim_start_matches('-');
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            let number = digits.parse().unwrap_or(usize::MAX);
            return match self.step(number) {
                Some(step) => Ok(Target::Step(step?)),
                None => Err(self.unknown(wanted)),
            };
        }
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(within) = entry.embedded.slugs.iter().position(|s| *s == plain)
                && let Some(step) = self.lesson(at)?.steps.get(within)
            {
                return Ok(Target::Step(step));
            }
        }
        let e = |at: usize| self.entries[at].embedded;
        let by_name = (0..self.len())
            .find(|at| normal(e(*at).id) == plain || e(*at).also.iter().any(|a| normal(a) == plain));
        let by_section = || {
            let section = wanted.trim().trim_start_matches('§').trim_end_matches('.');
            (0..self.len()).find(|at| e(*at).section == section)
        };
        match by_name.or_else(by_section) {
            Some(at) => Ok(Target::Lesson(self.lesson(at)?)),
            None => Err(self.unknown(wanted)),
        }
    }

    fn unknown(&self, wanted: &str) -> FindError {
        let steps = self.total_steps();
        let mut near = self.names_like(wanted);
        let plain = normal(wanted);
        let asks_for_number = plain.trim_start_matches("step").bytes().all(|b| b.is_ascii_digit());
        if asks_for_number && steps > 0 {
            near = vec![format!("step{steps}")];
        }
        FindError::Unknown { wanted: wanted.to_string(), nearest: near, steps }
    }

    fn names_like(&self, wanted: &str) -> Vec<String> {
        let names = self.entries.iter().flat_map(|e| {
            let lesson = [e.embedded.section, e.embedded.id];
            let also = e.embedded.also.iter().copied();
            lesson.into_iter().chain(also).chain(e.embedded.slugs.iter().copied())
        });
        let mut near = nearest(wanted, names, 3);
        // "stp3": a slip in the word, but the number is there.
        let digits: String = wanted.chars().skip_while(|c| !c.is_ascii_digit()).collect();
        if wanted.starts_with(['s', 'S'])
            && digits.parse::<usize>().is_ok_and(|n| n >= 1 && n <= self.total_steps())
        {
            near.insert(0, format!("step{digits}"));
            near.truncate(3);
        }
        near
    }

    /// Every name that [`Catalogue::find`] follows, for completion: steps, slugs, sections, ids.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = (1..=self.total_steps()).map(|n| format!("step{n}")).collect();
        for entry in &self.entries {
            names.extend(entry.embedded.slugs.iter().map(|s| s.to_string()));
            for name in [entry.embedded.section, entry.embedded.id] {
                if !names.iter().any(|n| n == name) {
                    names.push(name.to_string());
                }
            }
        }
        names
    }

    /// What has to run before `step`, in order: the lessons that its own goes on with, then its own
    /// earlier steps; those marked `:aside:` are left out. Errors: a fault in one of those lessons.
    pub fn prelude(&self, step: &Step) -> Result<Vec<&Step>, Fault> {
        match self.entries.iter().rposition(|e| e.first <= step.number) {
            Some(own) => self.state_at(own, step.number - self.entries[own].first),
            None => Ok(Vec::new()),
        }
    }

    /// What has to run for the state in which an exercise starts: one of this lesson's own.
    /// Errors: a fault in one of the lessons it builds on.
    pub fn prelude_of(&self, lesson: &Lesson, exercise: &Exercise) -> Result<Vec<&Step>, Fault> {
        match self.entries.iter().position(|e| e.embedded.id == lesson.id) {
            Some(own) => self.state_at(own, exercise.after_steps),
            None => Ok(Vec::new()),
        }
    }

    /// The steps before the `within`-th of lesson `own`, asides left out, after those it needs.
    fn state_at(&self, own: usize, within: usize) -> Result<Vec<&Step>, Fault> {
        let before = self.entries[own].first + within;
        let mut wanted = vec![false; self.len()];
        self.mark_needs(own, &mut wanted)?;
        let mut steps = Vec::new();
        for at in (0..self.len()).filter(|at| wanted[*at]) {
            let lesson = self.lesson(at)?;
            steps.extend(lesson.steps.iter().filter(|s| !s.aside && (at != own || s.number < before)));
        }
        Ok(steps)
    }

    fn mark_needs(&self, at: usize, wanted: &mut [bool]) -> Result<(), Fault> {
        if std::mem::replace(&mut wanted[at], true) {
            return Ok(());
        }
        let lesson = self.lesson(at)?;
        for need in &lesson.needs {
            let Some(found) = self.entries[..at].iter().position(|e| e.embedded.id == need) else {
                let earlier = self.entries[..at].iter().map(|e| e.embedded.id);
                return Err(Fault {
                    file: lesson.file.clone(),
                    line: 1,
                    what: format!("`needs` names `{need}`, and no earlier lesson has that id"),
                    nearest: nearest(need, earlier, 3),
                });
            };
            self.mark_needs(found, wanted)?;
        }
        Ok(())
    }
}

/// Small letters, one kind of separator.
fn normal(name: &str) -> String {
    let words: Vec<String> = name
        .trim()
        .to_lowercase()
        .split([' ', '_', '-'])
        .filter(|w| !w.is_empty())
        .map(str::to_string)
        .collect();
    words.join("-")
}
