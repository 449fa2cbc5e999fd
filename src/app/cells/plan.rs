//! From a name or a file to the cells that should run, in order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::commands::options::GlobalOptions;
use super::super::terminal::shell::{Failure, Shell};
use super::course::similar;
use super::workspace::{RanCell, Workspace};
use crate::lesson::catalogue::FindError;
use crate::lesson::fault::listed;
use crate::lesson::notebook::{NotebookCell, RecordedOutput};
use crate::lesson::read_error::ReadErrorKind;
use crate::lesson::{Catalogue, LessonStep, Notebook, Target};

/// The cells to run, from a step, a lesson or a file.
#[derive(Clone, Default)]
pub(crate) struct Plan<'c> {
    /// The target as it was typed.
    pub(crate) target: String,
    /// The title of a file: its first heading or its name.
    pub(crate) title: String,
    /// The cells in order.
    pub(crate) cells: Vec<PlannedCell<'c>>,
    /// What the reader of the file should know.
    pub(crate) remarks: Vec<String>,
    /// Markdown after the last cell of a file.
    pub(crate) ending: String,
    /// A Python file without cell marks: the value of its last expression is not shown.
    pub(crate) script: bool,
    /// The folder of the file; `None` for steps.
    folder: Option<PathBuf>,
    /// The file itself; `None` for steps.
    path: Option<PathBuf>,
}

impl<'c> Plan<'c> {
    /// The cells of a session, to run again.
    pub(crate) fn of_session(cells: &[RanCell]) -> Plan<'static> {
        let cells = cells.iter().map(|ran| PlannedCell { silent: false, ..PlannedCell::again(ran) });
        Plan {
            target: "session".to_owned(),
            title: "A session with attn".to_owned(),
            cells: cells.collect(),
            ..Plan::default()
        }
    }

    /// A workspace for these cells, in which nothing has run. They see the files of their notebook's folder.
    pub(crate) fn workspace(&self, options: &GlobalOptions) -> Workspace<'c> {
        Workspace::new(&self.options(options))
    }

    /// The options of the command line, with the folder of these cells.
    pub(crate) fn options(&self, options: &GlobalOptions) -> GlobalOptions {
        let mut options = options.clone();
        options.folder = self.folder.clone().unwrap_or(options.folder);
        if let Some(path) = &self.path {
            options.modules = options.modules.of_file(path);
        }
        options
    }

    /// The plan for a program that is in no file.
    pub(crate) fn of_program(target: &str, source: &str) -> Plan<'c> {
        let cells = [RanCell { name: "cell 1".to_owned(), source: source.to_owned() }];
        Plan { target: target.to_owned(), title: target.to_owned(), script: true, ..Plan::of_session(&cells) }
    }

    /// The same plan with another source for one of its cells.
    pub(crate) fn with_source(&self, index: usize, source: &str) -> Plan<'c> {
        let mut plan = self.clone();
        plan.remarks.clear();
        for cell in &mut plan.cells {
            (cell.step, cell.recorded) = (None, None);
        }
        source.clone_into(&mut plan.cells[index].source);
        plan
    }

    /// Writes the remarks about the file.
    pub(crate) fn show_remarks(&self, shell: &mut Shell) {
        for remark in &self.remarks {
            shell.remark(&format!("{}: {remark}", self.target));
        }
    }
}

#[derive(Clone, Default)]
pub(crate) struct PlannedCell<'c> {
    /// The name it runs under: the step's number or `cell 4`.
    pub(crate) name: String,
    /// Markdown before it in its file; a step has its own.
    pub(crate) prose: String,
    pub(crate) source: String,
    /// The step it belongs to; `None` in a file.
    pub(crate) step: Option<LessonStep<'c>>,
    /// It prepares for later cells and is not shown.
    pub(crate) silent: bool,
    /// The output stored with it.
    pub(crate) recorded: Option<RecordedOutput>,
    /// The line where it begins in its file.
    pub(crate) line: usize,
    /// It raises an exception on purpose.
    pub(crate) raises: bool,
    /// Its output varies, as times do, and is not compared.
    pub(crate) varies: bool,
}

impl<'c> PlannedCell<'c> {
    pub(crate) fn of_step((step, lesson): LessonStep<'c>, silent: bool) -> PlannedCell<'c> {
        let recorded = |stdout| RecordedOutput { stdout, ..RecordedOutput::default() };
        PlannedCell {
            name: step.name(),
            source: step.code.clone(),
            step: Some((step, lesson)),
            silent,
            recorded: step.recorded.clone().map(recorded),
            line: step.line,
            raises: step.raises,
            varies: step.varies,
            ..PlannedCell::default()
        }
    }

    fn of_file(cell: NotebookCell) -> PlannedCell<'c> {
        PlannedCell {
            name: format!("cell {}", cell.index + 1),
            raises: cell.raises(),
            varies: cell.varies(),
            prose: cell.prose,
            source: cell.source,
            recorded: cell.recorded,
            line: cell.line,
            ..PlannedCell::default()
        }
    }

    /// A cell that has run before.
    pub(crate) fn again(ran: &RanCell) -> PlannedCell<'c> {
        let RanCell { name, source } = ran.clone();
        PlannedCell { name, source, silent: true, line: 1, ..PlannedCell::default() }
    }

    /// The title of the progress bar while the cell runs: `stepN dot-by-hand`, `cell 4`.
    pub(crate) fn title(&self) -> String {
        match self.step {
            Some((step, _)) => format!("{} {}", self.name, step.slug),
            None => self.name.clone(),
        }
    }
}

/// The meaning of a word on the command line.
pub(crate) enum NamedOrFile<'c> {
    /// A step or a lesson.
    Named(Target<'c>),
    File(Notebook),
}

/// The word for what comes through stdin.
pub(crate) const STDIN: &str = "-";

/// Finds what a word means: stdin, a file if it looks like one, else a name in the catalogue, else an existing file.
/// Errors: there is no such name, or the file cannot be read.
pub(crate) fn find<'c>(word: &str, catalogue: &'c Catalogue) -> Result<NamedOrFile<'c>, Failure> {
    let path = Path::new(word);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let ending = ending.as_deref().unwrap_or_default();
    let looks_like_file = matches!(ending, "ipynb" | "py" | "ipy" | "md" | "json" | "txt")
        || word.contains(['/', '\\'])
        || word == STDIN;
    if looks_like_file {
        return open(path).map(NamedOrFile::File);
    }
    match catalogue.find(word) {
        Ok(target) => Ok(NamedOrFile::Named(target)),
        Err(FindError::Unknown { .. }) if path.exists() => open(path).map(NamedOrFile::File),
        Err(unknown @ FindError::Unknown { .. }) => Err(Failure::Usage(unknown.to_string())),
        Err(broken) => Err(Failure::Unreadable(broken.to_string())),
    }
}

/// Reads a file, or stdin, as cells. Errors: `Usage` if there is no such file, with similar names in its folder;
/// `Unreadable` if the file is not what its name says.
pub(crate) fn open(path: &Path) -> Result<Notebook, Failure> {
    let read = match path.to_str() {
        Some(STDIN) => Notebook::from_unnamed(std::io::stdin().lock(), "stdin"),
        _ => Notebook::open(path),
    };
    read.map_err(|error| {
        let near = match error.kind {
            ReadErrorKind::Missing => similar(path, 3, |path| {
                path.extension().is_some_and(|ending| ["ipynb", "py", "md"].iter().any(|it| ending == *it))
            }),
            _ => Vec::new(),
        };
        let words = format!("nothing was run: {error}{}", listed("; the nearest: ", &near));
        match error.kind {
            ReadErrorKind::Missing | ReadErrorKind::NoFile(_) => Failure::Usage(words),
            ReadErrorKind::Unreadable(_) => Failure::Unreadable(words),
        }
    })
}

/// The plan for one word of the command line, up to `until` if that is given.
pub(crate) fn plan<'c>(
    word: &str,
    until: Option<&str>,
    catalogue: &'c Catalogue,
) -> Result<Plan<'c>, Failure> {
    match find(word, catalogue)? {
        NamedOrFile::File(document) => from_file(word, document, until),
        NamedOrFile::Named(target) => {
            let shown = shown_steps(target, until, catalogue)?;
            let cells = steps(&shown, catalogue)?;
            Ok(Plan { target: word.to_owned(), cells, ..Plan::default() })
        }
    }
}

/// The plan for a file's cells, up to cell `until`.
pub(crate) fn from_file<'c>(
    word: &str,
    document: Notebook,
    until: Option<&str>,
) -> Result<Plan<'c>, Failure> {
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
    let folder = document.path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
    let is_python = document.path.extension().is_some_and(|ending| ending == "py" || ending == "pyw");
    Ok(Plan {
        target: if word == STDIN { document.path.display().to_string() } else { word.to_owned() },
        title: document.title,
        script: is_python && all == 1,
        folder,
        path: Some(document.path),
        remarks: document.remarks,
        ending: if last == all { document.ending } else { String::new() },
        cells: document.cells.into_iter().take(last).map(PlannedCell::of_file).collect(),
    })
}

/// The steps to show, in order.
fn shown_steps<'c>(
    target: Target<'c>,
    until: Option<&str>,
    catalogue: &'c Catalogue,
) -> Result<Vec<LessonStep<'c>>, Failure> {
    let (first, last) = match target {
        Target::Step(step, _) => (step.number, step.number),
        Target::Lesson(lesson) => match (lesson.steps.first(), lesson.steps.last()) {
            (Some(first), Some(last)) => (first.number, last.number),
            _ => return Ok(Vec::new()),
        },
    };
    let last = match until.map(|name| catalogue.find(name)).transpose() {
        Ok(None) => last,
        Ok(Some(Target::Step(step, _))) => step.number,
        Ok(Some(Target::Lesson(lesson))) => lesson.steps.last().map_or(last, |step| step.number),
        Err(error) => return Err(Failure::Usage(format!("--until: {error}"))),
    };
    if last < first {
        return Err(Failure::Usage(format!(
            "--until step{last}: that is before step{first}, where the run begins"
        )));
    }
    let steps = (first..=last).filter_map(|number| catalogue.step(number));
    steps.map(|step| Ok(step?)).collect()
}

/// The cells of these steps, and silently of all steps that they need.
pub(crate) fn steps<'c>(
    shown: &[LessonStep<'c>],
    catalogue: &'c Catalogue,
) -> Result<Vec<PlannedCell<'c>>, Failure> {
    let mut wanted: BTreeMap<usize, (LessonStep, bool)> = BTreeMap::new();
    for shown in shown {
        let before = catalogue.prelude(shown.0)?;
        for need in before {
            wanted.entry(need.0.number).or_insert((need, true));
        }
        wanted.insert(shown.0.number, (*shown, false));
    }
    Ok(wanted.into_values().map(|(step, silent)| PlannedCell::of_step(step, silent)).collect())
}
