//! A name or a file to the cells that are to run, in order.
//! Reads files and the catalogue; runs nothing.

use std::collections::BTreeMap;
use std::path::Path;

use super::shell::Failure;
use crate::lesson::catalogue::FindError;
use crate::lesson::notebook::{Cause, Recorded};
use crate::lesson::{Catalogue, Document, Lesson, Step, Target, names};

/// What is to run.
pub struct Plan<'c> {
    /// As it was asked for.
    pub target: String,
    /// The cells in order.
    pub cells: Vec<Planned<'c>>,
    /// What the reader of the file should know.
    pub remarks: Vec<String>,
    /// A Python file without cell marks: nothing is shown of its last expression.
    pub script: bool,
}

/// One cell that is to run.
pub struct Planned<'c> {
    /// The name it runs under: `step3`, `cell 4`.
    pub name: String,
    /// Its code.
    pub source: String,
    /// The step it is, if it is one.
    pub step: Option<(&'c Step, &'c Lesson)>,
    /// It only makes what later cells need, and shows nothing.
    pub silent: bool,
    /// The output stored with it.
    pub recorded: Option<Recorded>,
    /// Where it begins in its file.
    pub line: usize,
}

impl Planned<'_> {
    /// What to call it while it runs: `step91 gpt2-fused`, `cell 4`.
    pub fn title(&self) -> String {
        match self.step {
            Some((step, _)) => format!("{} {}", self.name, step.slug),
            None => self.name.clone(),
        }
    }
}

/// What a word on the command line stands for.
pub enum Found<'c> {
    /// A step or a lesson.
    Named(Target<'c>),
    /// A file that was read.
    File(Document),
}

/// Follows a word: a file by its look, else a name of the catalogue, else a file by being there.
/// Errors: nothing is called so, or the file cannot be read.
pub fn find<'c>(word: &str, catalogue: &'c Catalogue) -> Result<Found<'c>, Failure> {
    let path = Path::new(word);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let ending = ending.as_deref().unwrap_or_default();
    let looks_like_file =
        matches!(ending, "ipynb" | "py" | "ipy" | "md" | "json" | "txt") || word.contains(['/', '\\']);
    if looks_like_file {
        return open(path).map(Found::File);
    }
    match catalogue.find(word) {
        Ok(target) => Ok(Found::Named(target)),
        Err(FindError::Unknown { .. }) if path.exists() => open(path).map(Found::File),
        Err(unknown @ FindError::Unknown { .. }) => Err(Failure::Usage(unknown.to_string())),
        Err(broken) => Err(Failure::Unreadable(broken.to_string())),
    }
}

/// Reads a file as cells. A file that is not there is answered with those beside it that are like it.
/// Errors: a wrong name is wrong usage; a file that is not what it claims to be is unreadable.
pub fn open(path: &Path) -> Result<Document, Failure> {
    Document::open(path).map_err(|error| {
        let near = match error.cause {
            Cause::Missing => beside(path),
            _ => Vec::new(),
        };
        let near = match near.as_slice() {
            [] => String::new(),
            names => format!("; the nearest: {}", names.join(", ")),
        };
        let words = format!("nothing was run: {error}{near}");
        match error.cause {
            Cause::Missing | Cause::Folder { .. } | Cause::UnknownKind => Failure::Usage(words),
            _ => Failure::Unreadable(words),
        }
    })
}

/// Files in the same folder whose names are like the one asked for.
fn beside(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return Vec::new();
    };
    let mut all: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| [".ipynb", ".py", ".md"].iter().any(|ending| name.ends_with(ending)))
        .collect();
    all.sort();
    let near = names::nearest(&name, all, 3);
    let full = |name: String| folder.map_or(name.clone(), |folder| folder.join(name).display().to_string());
    near.into_iter().map(full).collect()
}

/// The plan for one word of the command line, up to `until` if that is given.
pub fn plan<'c>(word: &str, until: Option<&str>, catalogue: &'c Catalogue) -> Result<Plan<'c>, Failure> {
    match find(word, catalogue)? {
        Found::File(document) => from_file(word, document, until),
        Found::Named(target) => {
            let shown = shown_steps(target, until, catalogue)?;
            let cells = steps(&shown, catalogue)?;
            Ok(Plan { target: word.to_owned(), cells, remarks: Vec::new(), script: false })
        }
    }
}

/// The plan for a file's cells, up to cell `until`.
pub fn from_file<'c>(word: &str, document: Document, until: Option<&str>) -> Result<Plan<'c>, Failure> {
    let all = document.cells.len();
    let last = match until {
        None => all,
        Some(number) => {
            let digits = number.trim().trim_start_matches("cell").trim();
            digits.parse().ok().filter(|last| (1..=all).contains(last)).ok_or_else(|| {
                Failure::Usage(format!("--until {number}: {word} has the code cells 1 to {all}"))
            })?
        }
    };
    let is_python = document.path.extension().is_some_and(|ending| ending == "py" || ending == "pyw");
    let cell = |cell: crate::lesson::notebook::Cell| Planned {
        name: format!("cell {}", cell.index + 1),
        source: cell.source,
        step: None,
        silent: false,
        recorded: cell.recorded,
        line: cell.line,
    };
    Ok(Plan {
        target: word.to_owned(),
        script: is_python && all == 1,
        remarks: document.remarks,
        cells: document.cells.into_iter().take(last).map(cell).collect(),
    })
}

/// The steps that are to be shown, in order.
fn shown_steps<'c>(
    target: Target<'c>,
    until: Option<&str>,
    catalogue: &'c Catalogue,
) -> Result<Vec<&'c Step>, Failure> {
    let (first, last) = match target {
        Target::Step(step) => (step.number, step.number),
        Target::Lesson(lesson) => match lesson.steps.as_slice() {
            [] => return Ok(Vec::new()),
            [first, .., last] => (first.number, last.number),
            [only] => (only.number, only.number),
        },
    };
    let last = match until.map(|name| catalogue.find(name)).transpose() {
        Ok(None) => last,
        Ok(Some(Target::Step(step))) => step.number,
        Ok(Some(Target::Lesson(lesson))) => lesson.steps.last().map_or(last, |step| step.number),
        Err(error) => return Err(Failure::Usage(format!("--until: {error}"))),
    };
    if last < first {
        return Err(Failure::Usage(format!(
            "--until step{last}: that is before step{first}, where the run begins"
        )));
    }
    let step = |number| match catalogue.step(number) {
        Some(Ok(step)) => Some(Ok(step)),
        Some(Err(fault)) => Some(Err(Failure::Unreadable(fault.to_string()))),
        None => None,
    };
    (first..=last).filter_map(step).collect()
}

/// These steps and, silently, all that they need before them.
pub fn steps<'c>(shown: &[&'c Step], catalogue: &'c Catalogue) -> Result<Vec<Planned<'c>>, Failure> {
    let mut wanted: BTreeMap<usize, (&Step, bool)> = BTreeMap::new();
    for step in shown {
        let before = catalogue.prelude(step).map_err(|fault| Failure::Unreadable(fault.to_string()))?;
        for need in before {
            wanted.entry(need.number).or_insert((need, true));
        }
        wanted.insert(step.number, (step, false));
    }
    let planned = |(step, silent): (&'c Step, bool)| Planned {
        name: step.name(),
        source: step.code.clone(),
        step: catalogue.lesson_of(step).map(|lesson| (step, lesson)),
        silent,
        recorded: step.recorded.clone().map(|stdout| Recorded { stdout, ..Recorded::default() }),
        line: step.line,
    };
    Ok(wanted.into_values().map(planned).collect())
}
