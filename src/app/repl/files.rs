//! `:save` writes the session to a file, and `:run` runs the cells of a file in the session.

use std::path::Path;

use super::super::cells::plan::{self, Plan};
use super::super::cells::workspace::RanCell;
use super::super::commands::export::cells::of_plan;
use super::super::commands::export::page;
use super::super::file;
use super::super::terminal::progress_bar::ProgressBar;
use super::super::terminal::shell::Shell;
use super::lines::statements;
use super::state::{CommandError, CommandResult, InputResult, Repl, UndoPoint, is_input};
use crate::lesson::notebook::{RecordedOutput, SavedCell};
use crate::lesson::{ipynb, script};
use crate::view::quantity::counted;

impl Repl<'_> {
    pub(super) fn save(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let (file, overwrite) =
            words.trim().strip_suffix('!').map_or((words.trim(), false), |file| (file.trim(), true));
        let file = unquoted(file);
        if file.is_empty() {
            return Err(CommandError::message("To which file? `:save notes.py` or `:save notes.ipynb`."));
        }
        let path = Path::new(&file);
        let cells = self.saved_cells();
        let text = match path.extension().and_then(|ending| ending.to_str()) {
            Some("py") => script::write(&cells),
            Some("ipynb") => ipynb::write(&cells),
            Some("html" | "htm") => self.page(&cells, shell)?,
            _ => {
                return Err(CommandError::Message(format!(
                    "`{file}`: the ending says what is written, `.py`, `.ipynb` or `.html`."
                )));
            }
        };
        if path.exists() && !overwrite {
            return Err(CommandError::Message(format!(
                "`{file}` is there already, and was left as it is. `:save {file} !` writes over it."
            )));
        }
        if let Err(error) = file::write(path, &text) {
            return Err(CommandError::Message(format!("`{file}` could not be written: {error}.")));
        }
        let next = if file.ends_with(".py") || file.ends_with(".ipynb") {
            format!("`attn run {file}` runs it.")
        } else {
            "A browser shows it.".to_owned()
        };
        self.say(&format!("`{file}` has {}. {next}", counted(cells.len(), "cell")), shell)?;
        Ok(InputResult::Done)
    }

    /// The page of these cells, which run again for it.
    fn page(&self, cells: &[SavedCell], shell: &Shell) -> Result<String, CommandError> {
        let mut again = self.workspace.borrow().empty();
        let cells = cells.iter().map(|cell| RanCell { name: cell.name.clone(), source: cell.source.clone() });
        let plan = Plan::of_session(&cells.collect::<Vec<_>>());
        let progress = ProgressBar::watch(plan.cells.len(), shell);
        let page = page(&plan.title, self.catalogue);
        let (text, _) = of_plan(&plan, page, &mut again, &progress)?;
        Ok(text)
    }

    /// The cells that led to this state, with their outcomes where they are known.
    fn saved_cells(&self) -> Vec<SavedCell> {
        let workspace = self.workspace.borrow();
        // A single statement that raised changed nothing. Without it the file runs to the end.
        let failed = |ran: &&RanCell| {
            let raised = self.outcomes.get(&ran.name).is_some_and(|outcome| outcome.error.is_some());
            raised && is_input(&ran.name) && statements(&ran.source) <= 1
        };
        let cells = workspace.ran.iter().filter(|ran| !failed(ran)).map(|ran| {
            let output = self.outcomes.get(&ran.name).map(RecordedOutput::from).unwrap_or_default();
            SavedCell { name: ran.name.clone(), source: ran.source.clone(), output }
        });
        cells.collect()
    }

    pub(super) fn run_file(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let file = unquoted(words);
        if file.is_empty() {
            return Err(CommandError::message("Which file? `:run notes.py`; also `.ipynb` and `.md`."));
        }
        let document = plan::open(Path::new(&file))?;
        for remark in &document.remarks {
            self.say(remark, shell)?;
        }
        let name = Path::new(&file)
            .file_name()
            .map_or_else(|| file.clone(), |name| name.to_string_lossy().into_owned());
        self.undo_points.push(UndoPoint::before(format!("`:run {file}`"), self));
        self.input_count += 1;
        for cell in document.cells {
            let name = format!("{name} {}.{}", self.input_count, cell.index + 1);
            match self.run_cell(&cell.source, &name, shell)? {
                InputResult::Done => {}
                result => return Ok(result),
            }
        }
        Ok(InputResult::Done)
    }
}

/// A file name without quotes around it and with `~` replaced by the home folder.
fn unquoted(word: &str) -> String {
    let word = word.trim();
    let bare = ['"', '\''].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
    let word = bare.unwrap_or(word);
    match word.strip_prefix("~/").zip(std::env::home_dir()) {
        Some((rest, home)) => home.join(rest).display().to_string(),
        None => word.to_owned(),
    }
}
