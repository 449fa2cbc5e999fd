//! All lessons of a course, and the names that find a step or a lesson.
//! A lesson is parsed when something of it is asked for, and once.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use super::course::Course;
use super::embed::{EmbeddedFile, GLOSSARY, LESSONS};
use super::fault::Fault;
use super::front_matter::{self, begins_part};
use super::glossary::Glossary;
use super::myst;
use super::step::{Lesson, Step};
use crate::ops::nearest;
use crate::shims::outside::fs;

/// The lessons of the course, in the order of their files' names, and the glossary.
pub struct Catalogue {
    entries: Vec<Entry>,
    glossary: CourseFile,
    faq: Option<Entry>,
    course: Course,
}

/// A file of the course: its name and its text.
#[derive(Clone, Default)]
pub struct CourseFile {
    /// The path, as faults show it.
    pub path: String,
    pub text: Cow<'static, str>,
}

/// A lesson, and what is known of it before it is parsed.
#[derive(Default)]
struct Entry {
    file: CourseFile,
    /// The number of its first step in the course.
    first: usize,
    /// The name of each of its steps.
    slugs: Vec<String>,
    /// The number of the lesson, from 1; 0 for the questions of readers.
    number: usize,
    /// The numbers of the last step and of the last lesson of its part of the course.
    total: (usize, usize),
    /// The lesson without its steps.
    front_matter: OnceLock<Result<Lesson, Fault>>,
    lesson: OnceLock<Result<Lesson, Fault>>,
}

impl Entry {
    fn lesson(&self) -> Result<&Lesson, Fault> {
        let parse = || {
            let lesson = myst::parse(&self.file.path, &self.file.text, self.first)?;
            let (total_steps, lessons) = self.total;
            Ok(Lesson { number: self.number, lessons, total_steps, ..lesson })
        };
        self.lesson.get_or_init(parse).as_ref().map_err(Clone::clone)
    }
}

/// Most threads that parse lessons.
const MOST_THREADS: usize = 4;

/// The file of the questions that readers ask.
const FAQ: &str = "faq.md";

pub type LessonStep<'c> = (&'c Step, &'c Lesson);

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'c> {
    /// One step: `scores`, or its number in the course.
    Step(&'c Step, &'c Lesson),
    /// One lesson: `3.3.1`, `simple-self-attention`, `exercise 3.1`.
    Lesson(&'c Lesson),
}

/// Why a name was not found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FindError {
    /// No step and no lesson has this name.
    #[error("no step or lesson is called `{wanted}`{}", suggestion(nearest, *steps))]
    Unknown {
        /// The name that was asked for.
        wanted: String,
        /// The nearest right names, best first.
        nearest: Vec<String>,
        /// The number of the last step.
        steps: usize,
    },
    #[error(transparent)]
    Broken(#[from] Fault),
}

fn suggestion(nearest: &[String], steps: usize) -> String {
    match nearest {
        [] => format!("; steps are step1 to step{steps}, and `attn list` shows all names"),
        names => format!("; the nearest: {}", names.join(", ")),
    }
}

impl From<&EmbeddedFile> for CourseFile {
    fn from((path, text): &EmbeddedFile) -> CourseFile {
        CourseFile { path: (*path).to_owned(), text: Cow::Borrowed(text) }
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        Catalogue::new()
    }
}

impl Catalogue {
    /// The lessons inside the program.
    pub fn new() -> Catalogue {
        Catalogue::of(LESSONS.iter().map(CourseFile::from), CourseFile::from(&GLOSSARY), Course::default())
    }

    /// These lessons and the lesson in a file, in the place of one with the same id, else last.
    /// Errors: the file cannot be read, or the fault in its front matter.
    pub(crate) fn with(self, path: &Path) -> Result<(Catalogue, String), Fault> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path)
            .map_err(|error| Fault::new(&name, 1, format!("cannot be read: {error}")))?;
        let id = front_matter::read(&name, &text)?.id;
        let at = self.position(self.lesson_count(), |front| front.id == id)?;
        let mut files: Vec<CourseFile> = self.entries.into_iter().map(|entry| entry.file).collect();
        let file = CourseFile { path: name, text: Cow::Owned(text) };
        match at {
            Some(at) => files[at] = file,
            None => files.push(file),
        }
        files.extend(self.faq.map(|entry| entry.file));
        Ok((Catalogue::of(files, self.glossary, self.course), id))
    }

    /// A catalogue of these files, the questions of readers among them.
    pub(super) fn of(
        lessons: impl IntoIterator<Item = CourseFile>,
        glossary: CourseFile,
        course: Course,
    ) -> Catalogue {
        let mut first = 1;
        let mut entry = |file: CourseFile| {
            let slugs = cell_names(&file.text);
            let own = first;
            first += slugs.len();
            Entry { file, first: own, slugs, ..Entry::default() }
        };
        let is_faq = |file: &CourseFile| Path::new(&file.path).file_name().is_some_and(|name| name == FAQ);
        let (faq, lessons): (Vec<_>, Vec<_>) = lessons.into_iter().partition(is_faq);
        let mut entries: Vec<Entry> = lessons.into_iter().map(&mut entry).collect();
        let mut total = (entries.iter().map(|entry| entry.slugs.len()).sum(), entries.len());
        for (at, entry) in entries.iter_mut().enumerate().rev() {
            entry.number = at + 1;
            entry.total = total;
            if begins_part(&entry.file.text) {
                total = (entry.first - 1, at);
            }
        }
        // Its steps come after the steps of all lessons.
        let faq = faq.into_iter().next().map(entry);
        Catalogue { entries, glossary, faq, course }
    }

    /// The course that these lessons make.
    pub(crate) fn course(&self) -> &Course {
        &self.course
    }

    /// The ids of the files in the order of [`Catalogue::into_files`]; empty for a file whose front matter cannot be read.
    pub(super) fn ids(&self) -> Vec<String> {
        let id =
            |entry: &Entry| front_matter::read(&entry.file.path, &entry.file.text).unwrap_or_default().id;
        self.entries.iter().chain(&self.faq).map(id).collect()
    }

    /// The files of the lessons, the file of the questions of readers, and the glossary.
    pub(super) fn into_files(self) -> (Vec<CourseFile>, CourseFile) {
        let files = self.entries.into_iter().chain(self.faq).map(|entry| entry.file).collect();
        (files, self.glossary)
    }

    pub fn lesson_count(&self) -> usize {
        self.entries.len()
    }

    /// The number of steps in the course.
    pub fn total_steps(&self) -> usize {
        self.entries.iter().map(|e| e.slugs.len()).sum()
    }

    /// The lesson at this index, from 0. Errors: the fault in its file.
    pub(crate) fn lesson(&self, index: usize) -> Result<&Lesson, Fault> {
        self.entries[index].lesson()
    }

    /// All lessons in order, each with its fault if it has one.
    pub fn lessons(&self) -> impl Iterator<Item = Result<&Lesson, Fault>> {
        self.parse();
        (0..self.lesson_count()).map(|i| self.lesson(i))
    }

    /// Parses the lessons that were not parsed yet, on several threads: all together take several milliseconds.
    fn parse(&self) {
        let open: Vec<&Entry> = self.entries.iter().filter(|entry| entry.lesson.get().is_none()).collect();
        thread::scope(|scope| {
            for part in open.chunks(open.len().div_ceil(MOST_THREADS).max(1)) {
                let parse = move || part.iter().for_each(|entry| drop(entry.lesson()));
                // Without this thread, its lessons are parsed when they are asked for.
                let _ = thread::Builder::new().spawn_scoped(scope, parse);
            }
        });
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
    pub fn step(&self, number: usize) -> Option<Result<LessonStep<'_>, Fault>> {
        let at = self.owner(number)?;
        let within = number - self.entries[at].first;
        self.entries[at].slugs.get(within)?;
        self.lesson(at).map(|lesson| Some((lesson.steps.get(within)?, lesson))).transpose()
    }

    /// The index of the lesson that has the step with this number, or of the last one before it.
    fn owner(&self, number: usize) -> Option<usize> {
        self.entries.iter().rposition(|e| e.first <= number)
    }

    /// The glossary of the course. Errors: the first fault in its file.
    pub fn glossary(&self) -> Result<Glossary, Fault> {
        Glossary::parse(&self.glossary.path, &self.glossary.text)
    }

    /// The questions that readers ask, as steps after the steps of all lessons; `None` if the course has none.
    /// Errors: the fault in their file.
    pub(crate) fn faq(&self) -> Option<Result<&Lesson, Fault>> {
        self.faq.as_ref().map(Entry::lesson)
    }

    pub fn glossary_file(&self) -> &CourseFile {
        &self.glossary
    }

    /// Whether some of the lessons are translations, also where one cannot be read to its end.
    pub(crate) fn has_translations(&self) -> bool {
        (0..self.lesson_count()).any(|at| self.front_matter(at).is_ok_and(|front| front.lang.is_some()))
    }

    fn front_matter(&self, index: usize) -> Result<&Lesson, Fault> {
        let entry = &self.entries[index];
        let read = entry.front_matter.get_or_init(|| front_matter::read(&entry.file.path, &entry.file.text));
        read.as_ref().map_err(Clone::clone)
    }

    /// The index of the first of the lessons before `end` whose front matter `fits`.
    fn position(&self, end: usize, fits: impl Fn(&Lesson) -> bool) -> Result<Option<usize>, Fault> {
        for at in 0..end {
            if fits(self.front_matter(at)?) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The step or the lesson with this name: a slug, a section, a lesson's id or other name, a lesson's number with or
    /// without the word `lesson`, `step` and a step's number. Case and the kind of separators do not count.
    /// Errors: an unknown name, with the nearest ones, or a fault in a lesson.
    pub fn find(&self, wanted: &str) -> Result<Target<'_>, FindError> {
        let plain = normal(wanted);
        let number_after = |word: &str| {
            let digits = plain.strip_prefix(word)?.trim_start_matches('-');
            (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
        };
        if let Some(digits) = number_after("lesson").or(number_after("")) {
            let lesson = digits.parse::<usize>().ok();
            let lesson = lesson.filter(|number| (1..=self.lesson_count()).contains(number));
            let number = lesson.ok_or_else(|| self.unknown(wanted))?;
            return Ok(Target::Lesson(self.lesson(number - 1)?));
        }
        if let Some(digits) = number_after("step") {
            // More digits than a number can have are no step either.
            let step = digits.parse().ok().and_then(|number| self.step(number));
            let (step, lesson) = step.ok_or_else(|| self.unknown(wanted))??;
            return Ok(Target::Step(step, lesson));
        }
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(within) = entry.slugs.iter().position(|slug| *slug == plain)
                && let lesson = self.lesson(at)?
                && let Some(step) = lesson.steps.get(within)
            {
                return Ok(Target::Step(step, lesson));
            }
        }
        let called = |front: &Lesson| {
            normal(&front.id) == plain || front.also.iter().any(|name| normal(name) == plain)
        };
        let section = wanted.trim().trim_start_matches('§').trim_end_matches('.');
        let of_section = |front: &Lesson| !section.is_empty() && front.section == section;
        for fits in [&called as &dyn Fn(&Lesson) -> bool, &of_section] {
            if let Some(at) = self.position(self.lesson_count(), fits)? {
                return Ok(Target::Lesson(self.lesson(at)?));
            }
        }
        Err(self.unknown(wanted))
    }

    fn unknown(&self, wanted: &str) -> FindError {
        let steps = self.total_steps();
        let plain = normal(wanted);
        let asks_for_number = plain.trim_start_matches("step").bytes().all(|b| b.is_ascii_digit());
        let is_step = plain.parse().is_ok_and(|number: usize| (1..=steps).contains(&number));
        let nearest = match asks_for_number && steps > 0 {
            true if is_step => vec![format!("step{plain}")],
            true => vec![format!("step{steps}")],
            false => self.names_like(wanted),
        };
        FindError::Unknown { wanted: wanted.to_string(), nearest, steps }
    }

    fn names_like(&self, wanted: &str) -> Vec<String> {
        let mut names: Vec<&str> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            // A lesson whose front matter cannot be read has only the names of its steps.
            if let Ok(front) = self.front_matter(at) {
                names.extend([front.section.as_str(), &front.id]);
                names.extend(front.also.iter().map(String::as_str));
            }
            names.extend(entry.slugs.iter().map(String::as_str));
        }
        let mut near = nearest(wanted, names, 3);
        // A misspelt `step` with a number that exists.
        let digits: String = wanted.chars().skip_while(|c| !c.is_ascii_digit()).collect();
        if wanted.starts_with(['s', 'S'])
            && digits.parse::<usize>().is_ok_and(|n| n >= 1 && n <= self.total_steps())
        {
            near.insert(0, format!("step{digits}"));
            near.truncate(3);
        }
        near
    }

    /// Every name that [`Catalogue::find`] accepts, for completion: numbers, slugs, sections, ids.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = (1..=self.total_steps()).map(|n| format!("step{n}")).collect();
        for (at, entry) in self.entries.iter().enumerate() {
            names.extend(entry.slugs.iter().cloned());
            if let Ok(front) = self.front_matter(at) {
                for name in [&front.section, &front.id] {
                    if !name.is_empty() && !names.contains(name) {
                        names.push(name.clone());
                    }
                }
            }
        }
        names
    }

    /// The steps that run before `step`, in order: those of the lessons that its lesson needs, then the earlier
    /// ones of its own lesson. Steps marked `:aside:` are left out. Errors: a fault in one of those lessons.
    pub fn prelude(&self, step: &Step) -> Result<Vec<LessonStep<'_>>, Fault> {
        match self.owner(step.number) {
            Some(own) => self.prelude_at(self.lesson(own)?, own, step.number - self.entries[own].first),
            None => Ok(Vec::new()),
        }
    }

    /// The steps that run before the `within`-th step of `lesson`, which may be a file outside of the catalogue. Errors: a
    /// fault in a lesson that it needs.
    pub fn prelude_of<'c>(&'c self, lesson: &'c Lesson, within: usize) -> Result<Vec<LessonStep<'c>>, Fault> {
        self.prelude_at(lesson, self.index_of(lesson)?, within)
    }

    /// The index of a lesson, by its id; a lesson from elsewhere comes after all others.
    fn index_of(&self, lesson: &Lesson) -> Result<usize, Fault> {
        Ok(self.position(self.lesson_count(), |front| front.id == lesson.id)?.unwrap_or(self.lesson_count()))
    }

    /// Numbers the steps of a lesson as the lesson of the same id in the catalogue, or after all others.
    pub(crate) fn renumber(&self, lesson: &mut Lesson) -> Result<(), Fault> {
        let first = match self.index_of(lesson)? {
            at if at < self.lesson_count() => self.entries[at].first,
            _ => self.total_steps() + 1,
        };
        for (within, step) in lesson.steps.iter_mut().enumerate() {
            step.number = first + within;
        }
        Ok(())
    }

    /// The steps before the `within`-th of `lesson`, the one at index `own`, after the lessons that it needs.
    fn prelude_at<'c>(
        &'c self,
        lesson: &'c Lesson,
        own: usize,
        within: usize,
    ) -> Result<Vec<LessonStep<'c>>, Fault> {
        let mut needed = vec![false; self.lesson_count()];
        self.mark_needs(lesson, own, &mut needed)?;
        let mut steps: Vec<LessonStep> = Vec::new();
        for at in (0..self.lesson_count()).filter(|at| needed[*at]) {
            let needed = self.lesson(at)?;
            steps.extend(needed.steps.iter().map(|step| (step, needed)));
        }
        steps.extend(lesson.steps[..within].iter().map(|step| (step, lesson)));
        steps.retain(|(step, _)| !step.aside);
        Ok(steps)
    }

    fn mark_needs(&self, lesson: &Lesson, own: usize, needed: &mut [bool]) -> Result<(), Fault> {
        for need in &lesson.needs {
            let Some(found) = self.position(own, |front| front.id == *need)? else {
                let mut earlier = Vec::new();
                for at in 0..own {
                    earlier.push(&self.front_matter(at)?.id);
                }
                let what = format!("`needs` names `{need}`, and no earlier lesson has that id");
                return Err(Fault::new(&lesson.file, 1, what).near(need, earlier));
            };
            if !std::mem::replace(&mut needed[found], true) {
                self.mark_needs(self.lesson(found)?, found, needed)?;
            }
        }
        Ok(())
    }
}

/// The `:name:` of each code cell of a lesson, in order, read from the starts of lines alone: every command needs the
/// names of all steps, and parsing all lessons would double the time it takes to start. A test compares these names
/// with the parser's.
fn cell_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut in_cell = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_cell = line.starts_with("```{code-cell}");
            if in_cell {
                names.push(String::new());
            }
        } else if in_cell
            && let Some(name) = line.strip_prefix(":name:")
            && let Some(last) = names.last_mut()
        {
            *last = name.trim().trim_matches(['"', '\'']).to_string();
        }
    }
    names
}

/// A name in lower case with `-` between its words.
fn normal(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let words: Vec<&str> = name.split([' ', '_', '-']).filter(|word| !word.is_empty()).collect();
    words.join("-")
}
