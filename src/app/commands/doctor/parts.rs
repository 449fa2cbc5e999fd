//! A file that cannot run as a whole: its classes and functions run on made-up inputs.

use super::examined::{Examined, run_alone};
use super::settings::Settings;
use crate::app::cells::plan::Plan;
use crate::app::terminal::shell::Shell;
use crate::explain::doctor::{definitions, without};
use crate::view::doctor::Partly;

/// How many statements of a cell that raise are left out.
const ATTEMPTS: usize = 24;

/// Examines what can run of a target that raised.
pub(super) fn examine_parts(whole: &mut Examined, plan: &Plan, settings: &Settings, shell: &Shell) {
    let Some(failed) = &whole.failed else { return };
    if failed.raised.interrupted || plan.cells.iter().any(|cell| cell.step.is_some()) {
        return;
    }
    let reason = failed.raised.to_string();
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
    let before = std::mem::take(&mut whole.called);
    let ran = run_alone(whole, plan, settings, &mut workspace);
    let before = before.into_iter().filter(|name| !ran.contains(name)).collect();
    whole.partly = Some(Partly { reason, before, ran });
}
