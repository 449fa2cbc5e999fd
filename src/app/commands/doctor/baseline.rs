//! Findings that are known, in a file beside the code: only new ones are reported.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::examined::Examined;
use crate::app::file;
use crate::app::terminal::shell::Failure;
use crate::shims::outside::fs;
use crate::view::doctor::CodeFinding;

const SCHEMA: &str = "attn.baseline/1";

/// A finding that is known, by the text of its line: lines move.
#[derive(Clone, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Known {
    file: String,
    code: String,
    line: String,
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    findings: Vec<Known>,
}

/// The findings of a file that are known.
pub(super) struct Baseline {
    path: PathBuf,
    known: Vec<Known>,
}

impl Baseline {
    /// An empty one, which will be written to this file.
    pub(super) fn empty(path: &Path) -> Baseline {
        Baseline { path: path.to_owned(), known: Vec::new() }
    }

    /// Errors: there is no such file, or it is no baseline.
    pub(super) fn read(path: &Path) -> Result<Baseline, Failure> {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|_| {
            Failure::Usage(format!("the baseline {name} cannot be read; --write-baseline makes it"))
        })?;
        let document: Document = serde_json::from_str(&text).map_err(|error| {
            Failure::Usage(format!("{name} is no baseline ({error}); --write-baseline makes it anew"))
        })?;
        if document.schema != SCHEMA {
            return Err(Failure::Usage(format!(
                "{name} has the schema {}, not {SCHEMA}; --write-baseline makes it anew",
                document.schema
            )));
        }
        Ok(Baseline { path: path.to_owned(), known: document.findings })
    }

    /// Takes the known findings out of a report. Returns how many.
    pub(super) fn hide(&mut self, examined: &mut Examined) -> usize {
        let before = examined.found.len();
        let target = examined.target.clone();
        examined.found.retain(|(found, _)| {
            let known = self.entry(found, &target);
            // Each entry stands for one finding.
            self.known.iter().position(|it| *it == known).map(|at| self.known.swap_remove(at)).is_none()
        });
        before - examined.found.len()
    }

    /// The findings of a report, as entries.
    pub(super) fn entries(&self, examined: &Examined) -> Vec<Known> {
        examined.found.iter().map(|(found, _)| self.entry(found, &examined.target)).collect()
    }

    fn entry(&self, found: &CodeFinding, target: &str) -> Known {
        let file = Path::new(found.file.as_deref().unwrap_or(target));
        // Paths are those from the folder of the baseline, on each machine.
        let folder = fs::canonicalize(
            self.path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        );
        let full = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let file = folder.ok().and_then(|folder| full.strip_prefix(folder).ok()).unwrap_or(file);
        Known {
            file: file.to_string_lossy().replace('\\', "/"),
            code: found.finding.code.to_owned(),
            line: found.code.clone().unwrap_or_default(),
        }
    }

    /// Writes the file with these findings.
    pub(super) fn write(&self, mut findings: Vec<Known>) -> Result<(), Failure> {
        findings.sort();
        let document = Document { schema: SCHEMA.to_owned(), findings };
        let text =
            serde_json::to_string_pretty(&document).map_err(|error| Failure::Unwritable(error.into()))?;
        file::write(&self.path, &(text + "\n"))
            .map_err(|error| Failure::Unreadable(format!("{}: {error}", self.path.display())))
    }
}
