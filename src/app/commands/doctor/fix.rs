//! Tries fixes: the changed program is examined again, and a fix is shown if the finding is gone and no other came.
//! `--fix` writes those that are wanted.

use std::cmp::Reverse;
use std::path::Path;

use super::change::Change;
use super::examined::{Examined, examine_target};
use super::settings::Settings;
use crate::app::cells::plan::Plan;
use crate::app::file;
use crate::app::terminal::prompt::confirmed;
use crate::app::terminal::shell::{Exit, Failure, Shell};
use crate::explain::doctor::{fixed_sources, is_allowed};
use crate::lesson::with_source;
use crate::ops::trace::Trace;
use crate::shims::outside::fs;
use crate::view::doctor::CodeFinding;
use crate::view::quantity::counted;

/// Another fix is tried while the runs before it did less work than this, in the unit of [`Trace::work`]. A bound in
/// seconds would make the findings depend on what else the machine does.
const MOST_WORK: usize = 6_000_000;
/// The work of starting a run.
const START: usize = 100 * Trace::WORK_OF_CALL;

/// What was found and where.
type Place = (&'static str, Option<String>, Option<usize>);

/// The places of all findings.
pub(super) fn places(examined: &Examined) -> Vec<Place> {
    examined.found.iter().map(|(it, _)| place(it)).collect()
}

/// Adds to each finding the fix that works, if there is one: the finding is gone, and none came that is not among `all`.
pub(super) fn try_fixes(
    examined: &mut Examined,
    all: &[Place],
    plan: &Plan,
    settings: &Settings,
    shell: &Shell,
) {
    if examined.exit() == Exit::Interrupted
        || examined.failed.is_some()
        || plan.cells.iter().any(|cell| cell.step.is_some())
    {
        return;
    }
    let before = places(examined);
    let mut meant = Vec::new();
    let mut work = 0;
    for ((found, _), place) in examined.found.iter_mut().zip(&before) {
        let finding = &found.finding;
        let Some(line) = finding.line else { continue };
        let Some(index) = plan.cells.iter().position(|cell| Some(&cell.name) == finding.cell.as_ref()) else {
            continue;
        };
        let own = &plan.cells[index];
        for source in fixed_sources(&own.source, finding, line) {
            if work >= MOST_WORK {
                break;
            }
            let changed = plan.with_source(index, &source);
            let after = examine_target(&changed, settings, shell);
            if after.exit() == Exit::Interrupted {
                return;
            }
            work += START + after.work;
            let left = places(&after);
            let is_gone = !left.contains(place);
            if after.failed.is_none() && is_gone && left.iter().all(|it| all.contains(it)) {
                let what = format!("line {} {}", own.line + line - 1, finding.code);
                let change = Change::between(index, &own.source, &source, what);
                if change.removed.iter().any(|line| is_allowed(finding.mistake, line)) {
                    meant.push(place.clone());
                } else {
                    found.diff = Some(change.diff(own.line));
                    match examined.changes.iter_mut().find(|known| known.is(&change)) {
                        Some(known) => known.fixes += 1,
                        None => examined.changes.push(change),
                    }
                }
                break;
            }
        }
    }
    examined.found.retain(|(it, _)| !meant.contains(&self::place(it)));
}

fn place(found: &CodeFinding) -> Place {
    let finding = &found.finding;
    (finding.mistake, finding.cell.clone(), finding.line)
}

/// Writes the changes that are wanted to the file, in which `found` mistakes are. Returns how many mistakes they fix.
/// Several are examined together first, for each was tried alone. Errors: the file is not what was examined, or cannot be written.
pub(super) fn write_fixes(
    changes: Vec<Change>,
    found: usize,
    plan: &Plan,
    settings: &Settings,
    ask: bool,
    shell: &mut Shell,
) -> Result<usize, Failure> {
    let target = &plan.target;
    let mut wanted: Vec<Change> = Vec::new();
    for change in changes {
        if wanted.iter().any(|it| it.overlaps(&change)) {
            shell.remark(&format!(
                "{target}: {}: its lines have changed; examine the file again",
                change.what
            ));
            continue;
        }
        if ask {
            // The report may have one line for each finding, and no changes.
            shell.say(&change.diff(plan.cells[change.cell].line))?;
        }
        if !ask || confirmed(&format!("{target}: {}: write this change?", change.what), shell)? {
            wanted.push(change);
        }
    }
    // From the last to the first, so that those before keep their lines.
    wanted.sort_by_key(|it| Reverse((it.cell, it.first)));
    let mut changed = plan.clone();
    for change in &wanted {
        let mut lines: Vec<&str> = changed.cells[change.cell].source.lines().collect();
        let old = change.first..change.first + change.removed.len();
        if lines.get(old.clone()).is_none_or(|lines| lines != change.removed) {
            return Err(Failure::Unreadable(format!(
                "{target} has changed since it was examined; nothing was written"
            )));
        }
        lines.splice(old, change.added.iter().map(String::as_str));
        changed = changed.with_source(change.cell, &(lines.join("\n") + "\n"));
    }
    if wanted.len() > 1 {
        let after = examine_target(&changed, settings, shell);
        if after.failed.is_some() || after.found.len() + wanted.len() > found {
            shell.remark(&format!(
                "{target}: the changes are right one by one and not together; write one at a time"
            ));
            return Ok(0);
        }
    }
    if !wanted.is_empty() {
        let unlike =
            || Failure::Unreadable(format!("{target} has changed since it was read; nothing was written"));
        let mut text = fs::read_to_string(target).map_err(|_| unlike())?;
        let mut cells: Vec<usize> = wanted.iter().map(|it| it.cell).collect();
        cells.dedup();
        for cell in cells {
            let (old, new) = (&plan.cells[cell], &changed.cells[cell]);
            text = with_source(Path::new(target), &text, (cell, old.line), &old.source, &new.source)
                .ok_or_else(unlike)?;
        }
        file::write(Path::new(target), &text)
            .map_err(|error| Failure::Unreadable(format!("{target} cannot be written: {error}")))?;
        shell.remark(&format!("{target}: {} written", counted(wanted.len(), "change")));
    }
    Ok(wanted.iter().map(|it| it.fixes).sum())
}
