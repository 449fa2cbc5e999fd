//! What other rooms do for the walk: one function each, so that the walk knows them by name only.
//! What they refuse is said in their words.

use super::super::options::GlobalOptions;
use super::super::shell::{Failure, Shell};
use super::super::workspace::Workspace;
use super::super::{repl as repl_room, trace as trace_room, what_if as what_if_room, why as why_room};
use crate::lesson::Catalogue;
use crate::lesson::glossary::Term;
use crate::view::glossary::{GlossaryEntry, entries};
use crate::view::prose::prose;
use crate::view::{Look, Text};

/// Where an element comes from, `depth` steps down.
pub fn why(element: &str, depth: usize, workspace: &mut Workspace, look: Look) -> Text {
    said(why_room::text(element, depth, workspace, look), look)
}

/// A REPL on this workspace, until the learner leaves it.
pub fn repl<'c>(
    workspace: Workspace<'c>,
    catalogue: &'c Catalogue,
    shell: &mut Shell,
) -> Result<(), Failure> {
    repl_room::open(workspace, catalogue, shell).map(drop)
}

/// Every operation of the cell that ran last on this workspace.
pub fn trace(workspace: &Workspace, look: Look) -> Text {
    match trace_room::rerun(workspace, workspace.ran.len()) {
        Some(trace) if trace.steps.is_empty() => prose("This cell runs no operation on tensors.", look),
        Some(trace) => trace_room::text(&trace, &workspace.session, trace_room::Detail::Folded, look),
        None => prose("Stopped.", look),
    }
}

/// What would be on this workspace if the change had held from the start.
pub fn what_if(workspace: &Workspace, change: &str, options: &GlobalOptions, look: Look) -> Text {
    said(what_if_room::typed(workspace, change, options, look), look)
}

/// A word of the field, or with `all` every one of them.
pub fn glossary(word: &str, catalogue: &Catalogue, look: Look) -> Text {
    let glossary = match catalogue.glossary() {
        Ok(glossary) => glossary,
        Err(fault) => return prose(&fault.to_string(), look),
    };
    let found: Vec<&Term> = match word {
        "all" => glossary.terms.iter().collect(),
        word => glossary.find(word).into_iter().collect(),
    };
    if found.is_empty() {
        let near = match glossary.nearest(word).as_slice() {
            [] => "`all` lists the words that are.".to_owned(),
            near => format!("The nearest: {}.", near.join(", ")),
        };
        return prose(&format!("`{word}` is not explained. {near}"), look);
    }
    let entry = |term: &&Term| GlossaryEntry {
        name: term.name.clone(),
        also: term.also.clone(),
        text: term.text.clone(),
        met: match catalogue.find(&term.step) {
            Ok(crate::lesson::Target::Step(step)) => {
                format!("{}, {} {}", step.section, step.name(), step.slug)
            }
            _ => term.step.clone(),
        },
    };
    entries("", &found.iter().map(entry).collect::<Vec<_>>(), look)
}

fn said(told: Result<Text, Failure>, look: Look) -> Text {
    told.unwrap_or_else(|failure| prose(&failure.to_string(), look))
}
