//! Tries fixes: the changed program is examined again, and a fix is shown if the finding is gone and no other came.

use super::examined::{Examined, examine_target};
use crate::app::cells::plan::Plan;
use crate::app::terminal::shell::{Exit, Shell};
use crate::explain::doctor::{fixed_sources, is_allowed};
use crate::ops::trace::Trace;
use crate::view::doctor::CodeFinding;

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
pub(super) fn try_fixes(examined: &mut Examined, all: &[Place], plan: &Plan, shell: &Shell) {
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
        for source in fixed_sources(&own.source, finding.mistake, line) {
            if work >= MOST_WORK {
                break;
            }
            let changed = plan.with_source(index, &source);
            let after = examine_target(&changed, shell);
            if after.exit() == Exit::Interrupted {
                return;
            }
            work += START + after.work;
            let left = places(&after);
            let is_gone = !left.contains(place);
            if after.failed.is_none() && is_gone && left.iter().all(|it| all.contains(it)) {
                let diff = diff(&own.source, &source, own.line);
                let mut removed = diff.lines().filter(|line| line.starts_with('-'));
                if removed.any(|line| is_allowed(finding.mistake, line)) {
                    meant.push(place.clone());
                }
                found.diff = Some(diff);
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

/// The changed lines: `-` before the old ones, `+` before the new ones.
fn diff(before: &str, after: &str, first: usize) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same..old.len() - tail], &new[same..new.len() - tail]);
    let mut text = format!("@@ -{},{} +{},{} @@\n", same + first, old.len(), same + first, new.len());
    old.iter().for_each(|line| text.push_str(&format!("-{line}\n")));
    new.iter().for_each(|line| text.push_str(&format!("+{line}\n")));
    text
}
