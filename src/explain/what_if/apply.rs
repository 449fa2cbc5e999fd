//! Runs cells with changes: edited code, and values that are set right after their variables are bound.

use crate::syntax::{callee, parse_module};
use ruff_python_ast::Expr;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_text_size::{Ranged, TextRange};

use super::answer::AppliedChange;
use super::axes::LessonWords;
use super::bindings::{function_binding, loop_over, split};
use super::change::{Change, indices};
use crate::explain::terms::figure;
use crate::lesson::fault::listed;
use crate::ops::nearest;
use crate::session::{Outcome, Session};
use crate::tensor::show::shape_in_formula;

/// A run of cells with changes.
pub(super) struct ChangedRun {
    changes: Vec<(Change, AppliedChange)>,
    /// The names of the cells, and their edited sources.
    cells: Vec<(String, String)>,
}

impl ChangedRun {
    /// Edits the code of the cells. Errors: an edit or a seed that fits no cell.
    pub(super) fn new(changes: &[Change], cells: &[(String, String)]) -> Result<ChangedRun, String> {
        let mut run = ChangedRun { changes: Vec::new(), cells: cells.to_vec() };
        for change in changes {
            let applied = match change {
                Change::Seed(seed) => run.seed(*seed)?,
                Change::Edit { cell, old, new } => run.edit(cell.as_deref(), old, new)?,
                Change::Set { target, variable, value, .. } => {
                    if let Some((cell, over)) = loop_over(cells, variable) {
                        return Err(format!(
                            "the loop in {cell} sets {variable} in each round: change what it runs over, \
                             {cell}: in {over}: => in [{value}]:"
                        ));
                    }
                    AppliedChange { place: target.clone(), ..AppliedChange::default() }
                }
                Change::Token { .. } | Change::Drop(_) => {
                    unreachable!("Change::resolved made a setting of it")
                }
            };
            run.changes.push((change.clone(), applied));
        }
        Ok(run)
    }

    fn seed(&mut self, seed: i64) -> Result<AppliedChange, String> {
        let mut applied = AppliedChange {
            place: "torch.manual_seed".to_owned(),
            after: seed.to_string(),
            ..AppliedChange::default()
        };
        let mut before: Vec<String> = Vec::new();
        for (name, source) in &mut self.cells {
            let Ok(parsed) = parse_module(source) else { continue };
            let mut seeds = SeedFinder(Vec::new());
            seeds.visit_body(&parsed.syntax().body);
            if !seeds.0.is_empty() {
                applied.cells.push(name.clone());
            }
            // From the last to the first: a replacement moves the text after it.
            for range in seeds.0.into_iter().rev() {
                before.push(source[range].to_owned());
                source.replace_range(std::ops::Range::<usize>::from(range), &seed.to_string());
            }
        }
        before.sort();
        before.dedup();
        applied.before = before.join(", ");
        match applied.cells.is_empty() {
            true => {
                Err(format!("another seed changes nothing here: no torch.manual_seed runs (seed {seed})"))
            }
            false => Ok(applied),
        }
    }

    fn edit(&mut self, cell: Option<&str>, old: &str, new: &str) -> Result<AppliedChange, String> {
        let named = |name: &str| cell.is_none_or(|cell| name == cell);
        let found: Vec<(usize, usize)> = self
            .cells
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| named(name))
            .map(|(at, (_, source))| (at, source.matches(old).count()))
            .filter(|(_, count)| *count > 0)
            .collect();
        let places = || {
            let place = |(at, count): &(usize, usize)| match count {
                1 => self.cells[*at].0.clone(),
                many => format!("{} ({many} times)", self.cells[*at].0),
            };
            found.iter().map(place).collect::<Vec<_>>().join(", ")
        };
        let ran = || self.cells.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        match (found.as_slice(), cell) {
            ([], Some(cell)) if self.cells.iter().all(|(name, _)| name != cell) => {
                Err(format!("no cell called {cell} runs here; there are: {}", ran()))
            }
            ([], Some(cell)) => Err(format!("`{old}` is not in {cell}")),
            ([], None) => Err(format!("`{old}` is in none of the cells that run: {}", ran())),
            ([(at, 1)], _) => {
                let (name, source) = &mut self.cells[*at];
                *source = source.replacen(old, new, 1);
                Ok(AppliedChange {
                    place: "code".to_owned(),
                    before: old.to_owned(),
                    after: new.to_owned(),
                    cells: vec![name.clone()],
                    ..AppliedChange::default()
                })
            }
            _ => {
                let (cell, source) = found.first().map_or(("", ""), |(at, _)| {
                    let (cell, source) = &self.cells[*at];
                    (cell.as_str(), source.as_str())
                });
                // A cell that has it several times needs the line, too.
                let line = source.lines().map(str::trim).find(|line| line.contains(old)).unwrap_or(old);
                let old_code = if source.matches(old).count() > 1 { line } else { old };
                let new_code = old_code.replacen(old, new, 1);
                Err(format!(
                    "`{old}` is in several places: {}. Name the cell, and enough of the code: {cell}: {old_code} => {new_code}",
                    places()
                ))
            }
        }
    }

    /// Runs one cell with the changes. Errors: a setting that does not fit what it sets.
    pub(super) fn run(
        &mut self,
        at: usize,
        session: &mut Session,
        words: &dyn LessonWords,
    ) -> Result<Outcome, String> {
        let (name, source) = self.cells[at].clone();
        let variables: Vec<String> = self.changes.iter().filter_map(|(change, _)| variable(change)).collect();
        let mut whole = Outcome::default();
        for part in split(&source, &variables) {
            let outcome = session.run(&part.source, &name);
            whole.stdout.push_str(&outcome.stdout);
            whole.stderr.push_str(&outcome.stderr);
            whole.result = outcome.result;
            whole.elapsed += outcome.elapsed;
            whole.error = outcome.error;
            if whole.error.is_some() {
                return Ok(whole);
            }
            for (change, applied) in &mut self.changes {
                if let Some(line) = variable(change).and_then(|variable| part.binds(&variable)) {
                    set(change, applied, &name, line, session, words)?;
                }
            }
        }
        Ok(whole)
    }

    /// Checks that every setting took effect. Errors: a variable that no cell binds; `bound` are the names of the session.
    pub(super) fn check_all_bound(&self, bound: &[String]) -> Result<(), String> {
        for (change, applied) in &self.changes {
            let Some(name) = variable(change).filter(|_| applied.cells.is_empty()) else { continue };
            let inside = self.cells.iter().find_map(|(_, source)| function_binding(source, &name));
            let near = listed("; the nearest: ", &nearest(&name, bound, 3));
            return Err(match inside {
                Some(function) => format!(
                    "`{name}` is set only inside `{function}`, and each call sets it again: change the code there, as in \
                     `{name} = 2 => {name} = 3`{near}"
                ),
                None if self.cells.iter().any(|(_, source)| source.contains(&format!("{name}="))) => format!(
                    "`{name}` is an argument of a call: change the code there, as in `{name}=2 => {name}=3`"
                ),
                None => format!("no cell that runs here has a variable `{name}`{near}"),
            });
        }
        Ok(())
    }

    /// The changes, and where they took effect.
    pub(super) fn applied(&self) -> Vec<AppliedChange> {
        self.changes.iter().map(|(_, applied)| applied.clone()).collect()
    }

    /// The position of the token that was left out, and the number of tokens.
    pub(super) fn dropped(&self) -> Option<(usize, usize)> {
        self.changes.iter().find_map(|(change, _)| match change {
            Change::Set { drops, .. } => *drops,
            _ => None,
        })
    }
}

/// The variable that a change sets.
fn variable(change: &Change) -> Option<String> {
    match change {
        Change::Set { variable, .. } => Some(variable.clone()),
        _ => None,
    }
}

/// Sets a value in the session. Errors: the value does not fit the first time.
fn set(
    change: &Change,
    applied: &mut AppliedChange,
    cell: &str,
    line: usize,
    session: &mut Session,
    words: &dyn LessonWords,
) -> Result<(), String> {
    let Change::Set { target, variable, value, is_list, drops } = change else { return Ok(()) };
    let before = session.tensor(target).ok().flatten();
    let old = text_of(target, session);
    let value = match (is_list, &before) {
        (true, Some(_)) => format!("__import__('torch').tensor({value}).to({target}.dtype)"),
        _ => value.clone(),
    };
    let code = format!("with __import__('torch').no_grad():\n    {target} = {value}");
    let outcome = session.run(&code, "what-if");
    if let Some(raised) = outcome.error {
        let tensor = session.tensor(variable).ok().flatten();
        let shape = tensor
            .map(|it| format!("; {variable} is {} there", shape_in_formula(it.shape())))
            .unwrap_or_default();
        let message =
            format!("{target} = {value} does not fit in {cell}: {}: {}{shape}", raised.kind, raised.message);
        if applied.cells.is_empty() {
            return Err(message);
        }
        applied.remarks.push(message);
        return Ok(());
    }
    if applied.cells.is_empty() {
        applied.before = old;
        applied.after = text_of(target, session);
        let tensor = session.tensor(variable).ok().flatten();
        applied.description = match (drops, tensor) {
            (Some((at, _)), _) => format!("without \"{}\"", words.tokens()[*at]),
            (None, Some(tensor)) => words.axis_labels(variable, tensor.shape()).place(&indices(target)),
            (None, None) => String::new(),
        };
        applied.cells.push(cell.to_owned());
    } else if applied.cells.last().is_some_and(|last| last != cell) {
        let was = if old == applied.before { String::new() } else { format!(" (it was {old})") };
        let remark = format!("{cell}, line {line}, binds {variable} again: {target} is set there too{was}");
        applied.remarks.push(remark);
        applied.cells.push(cell.to_owned());
    }
    Ok(())
}

/// The text of a value: a number, a few numbers, or a shape.
fn text_of(target: &str, session: &mut Session) -> String {
    if let Ok(Some(tensor)) = session.tensor(target) {
        let values = tensor.to_f64_vec();
        return match (tensor.ndim(), values.len()) {
            (0, _) => figure(values[0]),
            (_, 2..) if values.iter().all(|value| *value == values[0]) => {
                format!("all {}", figure(values[0]))
            }
            (1, ..=6) => {
                format!("[{}]", values.iter().map(|value| figure(*value)).collect::<Vec<_>>().join(", "))
            }
            _ => shape_in_formula(tensor.shape()),
        };
    }
    let text = session.evaluate(target, |value, vm| value.repr(vm).map(|text| text.to_string()).ok());
    let text = text.ok().flatten().unwrap_or_default();
    match text.chars().count() {
        ..=40 => text,
        _ => format!("{}…", text.chars().take(40).collect::<String>()),
    }
}

/// Finds the first arguments of calls of `manual_seed`.
struct SeedFinder(Vec<TextRange>);

impl<'a> Visitor<'a> for SeedFinder {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            let seed = call.arguments.args.first().map(Ranged::range);
            self.0.extend(seed.filter(|_| callee(call) == Some("manual_seed")));
        }
        walk_expr(self, expression);
    }
}
