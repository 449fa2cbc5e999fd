//! The state of the lesson: one workspace in which its steps run, and copies for work that must not change it.

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use super::super::cells::plan::PlannedCell;
use super::super::cells::runner::{Runner, prepare, replayed};
use super::super::cells::workspace::Workspace;
use super::super::commands::options::GlobalOptions;
use super::super::terminal::shell::Failure;
use super::failed_check::OWN_CODE;
use crate::kernel::random::Generator;
use crate::lesson::{Catalogue, Exercise, Lesson, LessonStep, Step};
use crate::session::{Outcome, dedent};
use crate::syntax::parse_module;

/// The lesson's own workspace. Work that Ctrl-C ends returns `Failure::Stopped`.
pub(crate) struct LessonState<'c> {
    catalogue: &'c Catalogue,
    options: GlobalOptions,
    main: Option<Main<'c>>,
}

struct Main<'c> {
    workspace: Workspace<'c>,
    lesson: &'c Lesson,
    last: LastRun,
}

/// What ran last in the lesson's workspace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastRun {
    /// No step of this lesson.
    Nothing,
    Step(usize),
    /// A step that did not complete: nothing may build on its state.
    Incomplete,
}

impl<'c> Main<'c> {
    /// Whether it is at some point of the step's lesson before the step.
    fn leads_to(&self, step: &Step) -> bool {
        let is_before = match self.last {
            LastRun::Nothing => true,
            LastRun::Step(last) => last < step.number,
            LastRun::Incomplete => false,
        };
        is_before && self.lesson.steps.iter().any(|it| std::ptr::eq(it, step))
    }

    /// The steps that are needed between the one that ran last, if there is one, and this one.
    fn between(&self, step: &Step) -> Vec<LessonStep<'c>> {
        let LastRun::Step(last) = self.last else { return Vec::new() };
        let is_between = |it: &&Step| it.number > last && it.number < step.number && !it.aside;
        self.lesson.steps.iter().filter(is_between).map(|it| (it, self.lesson)).collect()
    }
}

impl<'c> LessonState<'c> {
    /// A state in which nothing has run.
    pub(crate) fn new(catalogue: &'c Catalogue, options: &GlobalOptions) -> LessonState<'c> {
        LessonState { catalogue, options: options.clone(), main: None }
    }

    /// Runs a step in the lesson's workspace, after all steps that it needs. `own` is what the learner wrote in the
    /// exercises before it: its functions and classes are there too.
    pub(crate) fn run(
        &mut self,
        step: &'c Step,
        lesson: &'c Lesson,
        own: &[String],
    ) -> Result<(Outcome, &mut Workspace<'c>), Failure> {
        if !self.main.as_ref().is_some_and(|main| main.leads_to(step)) {
            let mut workspace = self.before(step)?;
            bind_own(&mut workspace, own);
            self.main = Some(Main { workspace, lesson, last: LastRun::Nothing });
        }
        let main = self.main.as_mut().expect("a workspace that leads to the step exists or was just made");
        let between = main.between(step).into_iter();
        let mut cells: Vec<PlannedCell> = between.map(|step| PlannedCell::of_step(step, true)).collect();
        cells.push(PlannedCell::of_step((step, lesson), false));
        main.last = LastRun::Incomplete;
        let last = Runner::new(&mut main.workspace, &cells).keep_going(true).last();
        let finished = last.filter(|it| it.index + 1 == cells.len()).ok_or(Failure::Stopped)?;
        if finished.failure().is_none() {
            main.last = LastRun::Step(step.number);
        }
        Ok((finished.outcome, &mut main.workspace))
    }

    /// A new workspace with the state before a step: that in which the lesson ran the step, or would run it now, with the names
    /// of the asides that were seen.
    pub(crate) fn before(&self, step: &'c Step) -> Result<Workspace<'c>, Failure> {
        if let Some(main) = self.main.as_ref().filter(|main| main.last == LastRun::Step(step.number)) {
            let ran = &main.workspace.ran;
            let at = ran.iter().rposition(|ran| ran.name == step.name());
            let before = &ran[..at.expect("the step has run in this workspace")];
            return replayed(&main.workspace, before).ok_or(Failure::Stopped);
        }
        if let Some(main) = self.main.as_ref().filter(|main| main.leads_to(step)) {
            let mut workspace = replayed(&main.workspace, &main.workspace.ran).ok_or(Failure::Stopped)?;
            prepare(&mut workspace, &main.between(step))?;
            return Ok(workspace);
        }
        let needed = self.catalogue.prelude(step)?;
        self.fresh(&needed)
    }

    /// A new workspace with the state after a step.
    pub(crate) fn after(&self, step: &'c Step, lesson: &'c Lesson) -> Result<Workspace<'c>, Failure> {
        let mut workspace = self.before(step)?;
        prepare(&mut workspace, &[(step, lesson)])?;
        Ok(workspace)
    }

    /// The lesson's workspace, if `step` is the last step that ran in it.
    pub(crate) fn at(&mut self, step: &Step) -> Option<&mut Workspace<'c>> {
        let main = self.main.as_mut().filter(|main| main.last == LastRun::Step(step.number));
        main.map(|main| &mut main.workspace)
    }

    /// A new workspace with the state in which an exercise starts.
    pub(crate) fn exercise(&self, exercise: &Exercise, lesson: &'c Lesson) -> Result<Workspace<'c>, Failure> {
        let needed = self.catalogue.prelude_of(lesson, exercise.after_steps)?;
        let mut workspace = self.fresh(&needed)?;
        workspace.at = needed.last().map(|(step, _)| (*step, lesson)).or(workspace.at);
        Ok(workspace)
    }

    /// Runs the code of an exercise in the lesson's workspace if it only adds variables: the tensors that are there and the
    /// stream of random numbers stay as they are. `tried` is its outcome in a copy. Returns whether it was added.
    pub(crate) fn add(&mut self, code: &str, name: &str, lesson: &Lesson, tried: &Outcome) -> bool {
        let Some(main) = self.main.as_mut() else { return false };
        if main.lesson.id != lesson.id || main.last == LastRun::Incomplete {
            return false;
        }
        let known = main.workspace.session.names();
        let overwrites = tried.changed.iter().any(|changed| known.contains(&changed.name));
        if tried.error.is_some() || overwrites {
            return false;
        }
        let stream = main.workspace.session.state().generator.clone();
        let before: Generator = stream.borrow().clone();
        main.workspace.run(code, name);
        *stream.borrow_mut() = before;
        true
    }

    fn fresh(&self, needed: &[LessonStep<'c>]) -> Result<Workspace<'c>, Failure> {
        let mut workspace = Workspace::new(&self.options);
        prepare(&mut workspace, needed)?;
        Ok(workspace)
    }
}

/// Adds the functions and classes of what the learner wrote, but for those that are there.
pub(super) fn bind_own(workspace: &mut Workspace, own: &[String]) {
    for code in own {
        let new = definitions(code, &workspace.session.names());
        if !new.is_empty() {
            workspace.run(&new, OWN_CODE);
        }
    }
}

/// The functions and classes of a program that are not known yet, and its imports; nothing of it that computes.
fn definitions(source: &str, known: &[String]) -> String {
    // A pasted class may stand further to the right: so it ran, too.
    let source = dedent(source);
    let Ok(parsed) = parse_module(&source) else { return String::new() };
    let is_new = |name: &str| !known.iter().any(|other| other == name);
    let kept = parsed.syntax().body.iter().filter(|statement| match statement {
        Stmt::FunctionDef(function) => is_new(&function.name),
        Stmt::ClassDef(class) => is_new(&class.name),
        Stmt::Import(_) | Stmt::ImportFrom(_) => true,
        _ => false,
    });
    let texts: Vec<&str> = kept.map(|statement| &source[statement.range()]).collect();
    texts.join("\n")
}
