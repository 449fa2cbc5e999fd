//! Code that the learner writes: exercises, and the lesson's cell when they edit it. Each run has a new workspace, so that
//! the state of the lesson does not change.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::super::cells::machine;
use super::super::cells::step::plots;
use super::super::cells::workspace::Workspace;
use super::super::keeper::journal::{self, Entry};
use super::super::learner::stops::{Stop, StopKind};
use super::super::terminal::progress_bar::quietly;
use super::super::terminal::restore;
use super::super::terminal::shell::{Exit, Failure};
use super::editor::{self, EditedCode};
use super::failed_check::{FailedCheck, OWN_CODE};
use super::input::InputMode;
use super::lesson_state::LessonState;
use super::stop_page::PageStage;
use super::walk::{Flow, Walk};
use crate::lesson::Exercise;
use crate::lesson::progress::{ExerciseHelp, ProgressChange};
use crate::session::{Outcome, Variable};
use crate::shims::outside::fs;
use crate::syntax::binds;
use crate::view::learn::{hint, labelled_code, task};
use crate::view::panel::{LessonPlace, outcome as outcome_text};
use crate::view::prose::prose;
use crate::view::quiz::{AnswerVerdict, reply};
use crate::view::wrap::remark;
use crate::view::{Panel, Text};

/// How often a file is looked at.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

impl<'c> Walk<'c, '_, '_> {
    /// The page of an exercise: the task, the hints shown so far, the learner's code and the solution.
    pub(super) fn exercise_page(&mut self, exercise: &Exercise) -> Text {
        let look = self.shell.look;
        let place = self.lesson_place();
        let page = self.page();
        let words = format!("{}, {} min", place.words, exercise.minutes);
        let place = LessonPlace { title: exercise.heading(), section: String::new(), words, ..place };
        let mut text = task(&place, &exercise.task, &exercise.starter.source, look);
        for (at, words) in exercise.hints.iter().take(page.book.hints).enumerate() {
            text.section(hint(at + 1, exercise.hints.len(), words, look));
        }
        match (&page.book.passed, &page.book.attempt) {
            (Some(passed), _) => {
                text.section(labelled_code("Yours, which passed:", passed, look));
            }
            (None, Some(attempt)) => {
                text.section(labelled_code("Yours so far (e continues with it):", attempt, look));
            }
            (None, None) => {}
        }
        if page.book.solution {
            text.section(labelled_code("A solution:", &exercise.solution.source, look));
        }
        if page.stage == PageStage::Shown || page.book.solution {
            text.section(prose(&exercise.after, look));
        }
        text
    }

    /// Edits the cell, or writes the exercise.
    pub(crate) fn edit(&mut self) -> Result<Flow, Failure> {
        let text = self.text_to_edit();
        let mode = self.mode;
        let line = self.page().stopped_at.take();
        self.shell.say("\n")?;
        self.keep_at_end();
        let edited = editor::code(&text, line, mode, self.shell);
        match &edited {
            Ok(_) => restore::before_end(None),
            Err(_) => restore::save_now(),
        }
        let flow = match edited? {
            EditedCode::Run(code) => self.run_own(&code),
            // An empty page is no attempt: what was there before is worth more.
            EditedCode::Left(code) if code.trim().is_empty() || code.trim() == text.trim() => {
                self.note("Left without running it.")
            }
            EditedCode::Left(code) => {
                self.keep_written(&code);
                if let Some(exercise) = self.exercise() {
                    let id = self.stop().lesson.id.clone();
                    self.keep(ProgressChange::Written(id, exercise.slug.clone(), code))?;
                }
                self.note("Left without running it. `e` continues with what you wrote.")
            }
        };
        journal::note(&Entry::Draft(String::new()));
        flow
    }

    /// If the window is closed now, what is typed for an exercise is kept.
    fn keep_at_end(&self) {
        let Some(slug) = self.exercise().map(|it| it.slug.clone()) else { return };
        let (lesson, mut store) = (self.stop().lesson.id.clone(), self.store.again());
        restore::before_end(Some(Box::new(move || {
            let code = journal::draft();
            if !code.trim().is_empty() {
                store.change(ProgressChange::Written(lesson, slug, code));
            }
        })));
    }

    /// Keeps code for the next time that the learner edits here.
    fn keep_written(&mut self, code: &str) {
        let code = Some(code.to_owned());
        match self.exercise() {
            Some(_) => self.page().book.attempt = code,
            None => self.page().edited = code,
        }
    }

    /// Writes the exercise as a file in the learner's editor. An editor with a window of its own leaves the terminal free:
    /// each save is run at once.
    pub(crate) fn edit_file(&mut self) -> Result<Flow, Failure> {
        let text = self.text_to_edit();
        self.shell.flush()?;
        let mut file = match editor::opened(self.stop().slug(), &text) {
            Ok(file) => file,
            Err(words) => return self.note(&words),
        };
        if file.has_window() {
            self.note("Open in your editor: each save runs it here. Close the file to come back.")?;
            self.shell.flush()?;
        }
        let mut runs = 0;
        loop {
            let ended = match file.ended() {
                Ok(ended) => ended,
                Err(words) => return self.note(&words),
            };
            if let Some(code) = (ended || file.has_window()).then(|| file.saved()).flatten() {
                runs += 1;
                journal::note(&Entry::Draft(code.clone()));
                self.lines_shown = 0;
                self.run_own(&code)?;
                self.shell.flush()?;
                journal::note(&Entry::Draft(String::new()));
            }
            match ended {
                true if runs == 0 => return self.note("Nothing was changed, so nothing was run."),
                true => return Ok(Flow::Stay),
                false => sleep(BETWEEN_LOOKS),
            }
        }
    }

    /// Runs a file each time it is saved, until the exercise is solved or Ctrl-C is pressed.
    pub(crate) fn watch(&mut self, path: &Path) -> Result<Exit, Failure> {
        let starter = self.text_to_edit();
        let name = path.display();
        self.show_page()?;
        let words = match path.exists() {
            true => format!("Each time you save `{name}`, it runs here. Ctrl-C ends."),
            false => {
                fs::write(path, format!("{}\n", starter.trim_end()))?;
                format!(
                    "`{name}` has the code to start from. Each time you save it, it runs here. Ctrl-C ends."
                )
            }
        };
        self.note(&words)?;
        self.shell.flush()?;
        let presses = machine::presses();
        let mut known = starter;
        while machine::presses() == presses {
            if let Some(code) = editor::changed(path, &mut known) {
                self.run_own(&code)?;
                self.shell.flush()?;
                if self.page().book.passed.as_ref() == Some(&code) {
                    return Ok(Exit::Good);
                }
            }
            sleep(BETWEEN_LOOKS);
        }
        Ok(Exit::Interrupted)
    }

    fn text_to_edit(&mut self) -> String {
        let kind = self.stop().kind;
        let page = self.page();
        let (kept, own) = match kind {
            StopKind::Step(step) => (&page.edited, &step.code),
            StopKind::Exercise(exercise) => (&page.book.attempt, &exercise.starter.source),
            StopKind::End => unreachable!("code is written at steps and exercises only"),
        };
        kept.as_ref().filter(|kept| !kept.trim().is_empty()).unwrap_or(own).clone()
    }

    /// Runs what the learner wrote. The code is kept even if it fails.
    fn run_own(&mut self, code: &str) -> Result<Flow, Failure> {
        self.shell.flush()?;
        self.keep_written(code);
        let (stop, exercise) = (self.stop(), self.exercise());
        let ran = self.prepared(|state| {
            let mut workspace = scratch_workspace(state, stop)?;
            let (outcome, overwritten) = workspace.overwritten_by(code, OWN_CODE);
            let panel = own_panel(code, &outcome, &workspace);
            let failed = match (&outcome.error, exercise) {
                (Some(_), _) => {
                    let words = "Python stopped at this line. `e` continues with what you wrote.".to_owned();
                    Some(FailedCheck { words, error: None })
                }
                (None, Some(exercise)) => quietly(|| FailedCheck::of(exercise, code, &mut workspace)),
                (None, None) => None,
            };
            Ok((outcome, overwritten, panel, failed))
        })?;
        let Some((outcome, overwritten, panel, failed)) = ran else { return Ok(Flow::Stay) };
        let raised = outcome.error.as_ref().filter(|raised| !raised.interrupted);
        self.page().stopped_at = raised.and_then(|raised| raised.line);
        let Some(exercise) = exercise else {
            self.show_outcome(&outcome, &panel)?;
            return self.note(
                "That was yours, on a copy: the lesson's own state is as it was, and continues with its own cell. \
                 `e` edits further.",
            );
        };
        if outcome.error.as_ref().is_some_and(|raised| raised.interrupted) {
            self.show_outcome(&outcome, &panel)?;
            return self.note("Stopped. `e` continues with what you wrote.");
        }
        // The verdict first: the tables of a long attempt would hide it.
        let passed = failed.is_none();
        self.put_apart(match &failed {
            Some(check) => check.text(self.shell.look),
            None => reply(AnswerVerdict::Right, "it does what was asked.", self.shell.look),
        })?;
        // The verdict is enough where there is nothing to show.
        match outcome_text(&panel, self.shell.look).is_empty() {
            true => self.shell.aside(&outcome.stderr),
            false => self.show_outcome(&outcome, &panel)?,
        }
        // What the exercise begins with is not the learner's change.
        let starter = &exercise.starter.source;
        let own: Vec<String> = overwritten.into_iter().filter(|name| !binds(starter, name)).collect();
        self.tell_overwritten(&own)?;
        self.judge_own(exercise, code, passed.then_some(&outcome))
    }

    /// Names the tensors of the lesson that the learner's code bound again or wrote into.
    fn tell_overwritten(&mut self, names: &[String]) -> Result<(), Failure> {
        if names.is_empty() {
            return Ok(());
        }
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let (was, its) = if names.len() == 1 { ("was", "it") } else { ("were", "them") };
        self.note(&format!(
            "Your code changes {}, which {was} there before. The change stays in this exercise: the lesson continues with \
             {its} as before.",
            quoted.join(", ")
        ))
        .map(drop)
    }

    /// Shows what the exercise says once it is solved, or the solution was read.
    fn put_after(&mut self, exercise: &Exercise) -> Result<(), Failure> {
        if !exercise.after.trim().is_empty() {
            self.note(&exercise.after)?;
        }
        Ok(())
    }

    /// Keeps an attempt; `passed` is its outcome if it does what was asked. The lesson then goes on with its variables, or
    /// with those of the solution, if it changes what was there.
    fn judge_own(
        &mut self,
        exercise: &'c Exercise,
        code: &str,
        passed: Option<&Outcome>,
    ) -> Result<Flow, Failure> {
        let lesson = self.stop().lesson;
        let page = self.page();
        if passed.is_some() {
            page.book.passed = Some(code.to_owned());
            page.stage = PageStage::Shown;
            self.put_after(exercise)?;
        }
        let change = ProgressChange::Tried(
            lesson.id.clone(),
            exercise.slug.clone(),
            code.to_owned(),
            passed.is_some(),
        );
        self.keep(change)?;
        let added = |outcome| quietly(|| self.lesson.add(code, &exercise.slug, lesson, outcome));
        if passed.map(added) == Some(false) {
            self.run_solution(exercise)?;
        }
        Ok(Flow::Stay)
    }

    pub(crate) fn has_hints(&self) -> bool {
        self.exercise().is_some_and(|exercise| !exercise.hints.is_empty())
    }

    /// Shows the next hint; after the last one, the first one again.
    pub(crate) fn hint(&mut self) -> Result<Flow, Failure> {
        let Some(exercise) = self.exercise() else { return Ok(Flow::Stay) };
        let all = exercise.hints.len();
        let book = &mut self.page().book;
        let number = book.last_hint % all + 1;
        book.last_hint = number;
        book.hints = book.hints.max(number);
        self.put_apart(hint(number, all, &exercise.hints[number - 1], self.shell.look))?;
        if number == all {
            self.note(&format!("That was the last hint ({all} of {all}); `h` shows them again."))?;
        }
        self.help_taken(exercise, ExerciseHelp::Hints(number))?;
        Ok(Flow::Stay)
    }

    /// Shows the solution of an exercise, or the answer to a question.
    pub(crate) fn solution(&mut self) -> Result<Flow, Failure> {
        let Some(exercise) = self.exercise() else { return self.show_answer(false) };
        // A key that was hit by mistake takes nothing away.
        let book = &mut self.page().book;
        let is_begun = book.attempt.is_some() || book.hints > 0 || book.offered;
        book.offered = true;
        if self.mode == InputMode::Keys && !is_begun {
            return self.note("You have not tried it yet: `s` again shows a solution.");
        }
        self.put_apart(labelled_code("A solution:", &exercise.solution.source, self.shell.look))?;
        self.shell.flush()?;
        self.page().book.solution = true;
        if let Some((outcome, panel)) = self.run_solution(exercise)? {
            self.show_outcome(&outcome, &panel)?;
        }
        self.put_after(exercise)?;
        self.help_taken(exercise, ExerciseHelp::Solution)?;
        self.note("`e` still writes your own; Enter continues.")?;
        self.page().warned = true;
        Ok(Flow::Stay)
    }

    /// Skips a question or an exercise. The solution of a skipped exercise is not shown.
    pub(crate) fn skip(&mut self) -> Result<Flow, Failure> {
        let Some(exercise) = self.exercise() else { return self.show_answer(true) };
        self.put_apart(remark("Skipped; you can come back to it.", self.shell.look))?;
        self.help_taken(exercise, ExerciseHelp::Skip)?;
        self.go_on()
    }

    fn help_taken(&mut self, exercise: &Exercise, help: ExerciseHelp) -> Result<(), Failure> {
        let id = self.stop().lesson.id.clone();
        self.keep(ProgressChange::Helped(id, exercise.slug.clone(), help))
    }

    /// Runs the solution and adds its variables to the state of the lesson.
    fn run_solution(&mut self, exercise: &'c Exercise) -> Result<Option<(Outcome, Panel)>, Failure> {
        let stop = self.stop();
        self.prepared(|state| {
            let mut workspace = scratch_workspace(state, stop)?;
            let source = &exercise.solution.source;
            let outcome = quietly(|| workspace.run(source, &exercise.slug));
            let panel = own_panel(source, &outcome, &workspace);
            quietly(|| state.add(source, &exercise.slug, stop.lesson, &outcome));
            Ok((outcome, panel))
        })
    }
}

/// Whether a line of this code begins with an assignment to the name.
/// A new workspace with the state before this step or exercise.
pub(super) fn scratch_workspace<'c>(
    state: &LessonState<'c>,
    stop: Stop<'c>,
) -> Result<Workspace<'c>, Failure> {
    match stop.kind {
        StopKind::Exercise(exercise) => state.exercise(exercise, stop.lesson),
        StopKind::Step(step) => {
            let mut workspace = state.before(step)?;
            workspace.at = Some((step, stop.lesson));
            Ok(workspace)
        }
        StopKind::End => unreachable!("code is written at steps and exercises only"),
    }
}

/// The panel of the learner's own code: its output and the tensors that it bound.
fn own_panel(code: &str, outcome: &Outcome, workspace: &Workspace) -> Panel {
    let names = workspace.names();
    let changed: Vec<&Variable> = outcome.changed.iter().filter(|it| !names.is_counter(&it.name)).collect();
    Panel {
        stdout: outcome.stdout.clone(),
        result: outcome.result.clone(),
        error: outcome.error.as_ref().map(|raised| workspace.error_note(raised, code)),
        figures: changed.iter().map(|it| workspace.labelled_figure(&it.name, &it.value)).collect(),
        pictures: plots(outcome).collect(),
        ..Panel::default()
    }
}
