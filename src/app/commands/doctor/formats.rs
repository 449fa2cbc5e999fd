//! Findings as text, as JSON, and as annotations of a GitHub workflow.

use serde_json::json;

use super::examined::Examined;
use crate::app::json::write_json;
use crate::app::terminal::shell::{Exit, Failure, Shell};
use crate::view::Role;
use crate::view::doctor::{self as report, CodeFinding, Unexamined};
use crate::view::errors::error;

/// How findings are written.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people.
    #[default]
    Text,
    /// `file:line:column: A201 message` for each finding, as compilers write them.
    Short,
    /// One `attn.doctor/4` document for each target.
    Json,
    /// `::error file=..,line=..` for each finding.
    Github,
}

impl Format {
    /// Whether people read it, and not machines alone.
    pub(super) fn is_for_people(self) -> bool {
        matches!(self, Format::Text | Format::Short)
    }
}

/// Shows what was found; of several targets, each with its name.
pub(super) fn text(examined: &Examined, is_one_of_several: bool, shell: &mut Shell) -> Result<(), Failure> {
    for (found, _) in &examined.found {
        let mut text = report::found(found, shell.look);
        text.say(Role::Prose, "");
        shell.show(&text)?;
    }
    for reason in &examined.skipped {
        shell.remark(&format!("{reason}: skipped"));
    }
    if let Some(partly) = &examined.partly {
        shell.show(&report::partly(&examined.target, partly, shell.look))?;
    }
    match &examined.failed {
        Some(failed) if examined.partly.is_none() || examined.exit() == Exit::Raised => {
            shell.remark(&format!("{} raised: the cells after it did not run", failed.name));
            shell.note(&error(&failed.note, shell.look));
        }
        _ => {
            if is_one_of_several {
                shell.say(&format!("{}: ", examined.target))?;
            }
            shell.show(&report::summary(
                &examined.looked,
                examined.found.len(),
                &examined.unexamined,
                shell.look,
            ))?;
        }
    }
    Ok(())
}

/// Writes a line for each finding, and for each part that was not examined.
pub(super) fn short(examined: &Examined, shell: &mut Shell) -> Result<(), Failure> {
    for (found, _) in &examined.found {
        let finding = &found.finding;
        let place = match (&found.file, found.file_line, finding.line) {
            (Some(file), Some(line), _) => format!("{file}:{line}:{}", finding.column.unwrap_or(1)),
            (_, _, line) => {
                let cell = finding.cell.as_deref().unwrap_or_default();
                format!("{} ({cell}):{}:{}", examined.target, line.unwrap_or(1), finding.column.unwrap_or(1))
            }
        };
        shell.say(&format!("{place}: {} {}: {}\n", finding.code, finding.title, finding.observed))?;
    }
    for missed in &examined.unexamined {
        let Unexamined { name, line, reason } = missed;
        shell.say(&format!("{}:{line}:1: not examined: {name}: {reason}\n", examined.target))?;
    }
    if let Some(failed) = &examined.failed {
        let raised = &failed.raised;
        let line = raised.line.unwrap_or(1);
        shell.say(&format!("{}:{line}:1: raised {raised}\n", examined.target))?;
    }
    Ok(())
}

/// Writes a document.
pub(super) fn json(examined: &Examined, shell: &mut Shell) -> Result<(), Failure> {
    let finding = |(found, ran_in): &(CodeFinding, String)| {
        let mut entry = json!(found.finding);
        entry["code_line"] = json!(found.code);
        entry["file_line"] = json!(found.file_line);
        entry["diff"] = json!(found.diff);
        entry["ran_in"] = json!(ran_in);
        entry
    };
    let error = examined.failed.as_ref().map(|failed| {
        let raised = &failed.raised;
        json!({"type": raised.kind, "message": raised.message, "cell": failed.name, "line": raised.line})
    });
    let document = json!({
        "schema": "attn.doctor/4",
        "target": examined.target,
        "ok": examined.exit() == Exit::Good,
        "cells": examined.looked.cells,
        "operations": examined.looked.operations,
        "repeats": examined.looked.repeats,
        "lost": examined.looked.lost,
        "alone": examined.looked.alone,
        "unexamined": examined.unexamined,
        "findings": examined.found.iter().map(finding).collect::<Vec<_>>(),
        "skipped": examined.skipped,
        "partly": examined.partly,
        "error": error,
    });
    write_json(&document, shell)
}

/// Writes an annotation for each finding.
/// Source: GitHub's documentation, "Workflow commands for GitHub Actions".
pub(super) fn github(examined: &Examined, shell: &mut Shell) -> Result<(), Failure> {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    for (found, _) in &examined.found {
        let finding = &found.finding;
        let line = found.file_line.map(|line| format!(",line={line}")).unwrap_or_default();
        let column = finding.column.filter(|_| found.file_line.is_some());
        let column = column.map(|column| format!(",col={column}")).unwrap_or_default();
        let place = match (found.file_line, &finding.cell, finding.line) {
            (None, Some(cell), Some(line)) => format!("{cell}, line {line}: "),
            _ => String::new(),
        };
        let message = format!("{place}{}\n{}\nBetter: {}", finding.observed, finding.why, finding.fix);
        shell.say(&format!(
            "::error file={}{line}{column},title={}::{}\n",
            property(&examined.target),
            property(&format!("{} {}: {}", finding.code, finding.mistake, finding.title)),
            data(&message)
        ))?;
    }
    if let Some(failed) = &examined.failed {
        let raised = &failed.raised;
        let message = format!("{} raised {raised}", failed.name);
        shell.say(&format!("::warning file={}::{}\n", property(&examined.target), data(&message)))?;
    }
    Ok(())
}
