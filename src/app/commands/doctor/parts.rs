//! A file that cannot run as a whole: its classes and functions run on made-up inputs, else its syntax is read.

use super::examined::{Examined, Partly, file_place, findings, read_cells};
use crate::app::cells::plan::Plan;
use crate::app::terminal::shell::Shell;
use crate::explain::doctor::{Reading, definitions, is_allowed, without};

/// How many statements of a cell that raise are left out.
const ATTEMPTS: usize = 24;
/// Runs what a namespace has, and binds the names of what ran: what the program prints on the way is not read.
const EXERCISE: &str = "from torch._made_up import exercise as _exercise; _exercised = _exercise(globals())";
const CELL: &str = "made-up inputs";

/// Examines what can run of a target that raised.
pub(super) fn examine_parts(whole: &mut Examined, plan: &Plan, shell: &Shell) {
    let Some(failed) = &whole.failed else { return };
    if failed.raised.interrupted || plan.cells.iter().any(|cell| cell.step.is_some()) {
        return;
    }
    let reason = match failed.raised.message.is_empty() {
        true => failed.raised.kind.clone(),
        false => format!("{}: {}", failed.raised.kind, failed.raised.message),
    };
    let mut workspace = plan.workspace(&shell.options);
    for cell in &plan.cells {
        let Some(mut source) = definitions(&cell.source) else { continue };
        for _ in 0..ATTEMPTS {
            let outcome = workspace.run(&source, &cell.name);
            let Some(raised) = outcome.error.filter(|raised| !raised.interrupted) else { break };
            let own = raised.frames.iter().find(|frame| frame.cell == cell.name).map(|frame| frame.line);
            let Some(next) = own.or(raised.line).and_then(|line| without(&source, line)) else { break };
            source = next;
        }
    }
    let (_, trace, calls) = workspace.examined(EXERCISE, CELL);
    let names = workspace.session.evaluate("_exercised", |it, vm| it.try_to_value::<Vec<String>>(vm).ok());
    let ran = names.ok().flatten().unwrap_or_default();
    let mut found = findings(&trace, &calls, &workspace.session);
    let is_read = ran.is_empty() || trace.steps.is_empty();
    let cells: Vec<(String, String)> =
        plan.cells.iter().map(|cell| (cell.name.clone(), cell.source.clone())).collect();
    found.extend(read_cells(&cells, if is_read { Reading::Instead } else { Reading::Ran }));
    for mut new in found {
        let Some(cell) = plan.cells.iter().find(|cell| Some(&cell.name) == new.finding.cell.as_ref()) else {
            continue;
        };
        let line = new.finding.line.and_then(|line| cell.source.lines().nth(line - 1));
        new.code = line.map(|line| line.trim().to_owned());
        if new.code.as_ref().is_some_and(|code| is_allowed(new.finding.mistake, code)) {
            continue;
        }
        file_place(&mut new, plan);
        if whole.found.iter().all(|(known, _)| !known.is_at_place_of(&new)) {
            whole.found.push((new, cell.name.clone()));
        }
    }
    whole.operations += trace.steps.len();
    let ran = if is_read { Vec::new() } else { ran };
    let before = whole.called.iter().filter(|name| !ran.contains(name)).cloned().collect();
    whole.partly = Some(Partly { reason, before, ran });
}
