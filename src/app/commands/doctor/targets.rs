//! What `attn doctor` looks at, and which findings it reports.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use crate::app::terminal::shell::Failure;
use crate::explain::doctor::{Finding, mistakes, named};
use crate::lesson::front_matter::is_lesson;
use crate::ops::nearest;
use crate::shims::outside::fs;

/// Folders that are not searched: they belong to tools or have installed packages.
const SKIPPED: [&str; 5] = ["__pycache__", "node_modules", "site-packages", "venv", "build"];

/// The targets, folders replaced by the scripts and notebooks in them that mention torch, and by the lessons. Of several files, those that do
/// not are left out, so that a hook can pass all that changed. Errors: a folder cannot be read, or has no such file.
pub(super) fn files(targets: &[String]) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for target in targets {
        let path = Path::new(target);
        if !path.is_dir() {
            if targets.len() == 1 || !is_code(path) || mentions_torch(path) {
                found.push(target.clone());
            }
            continue;
        }
        let mut inside = Vec::new();
        let settings = Settings::of(path)?;
        search(path, &settings, &mut inside)
            .map_err(|error| Failure::Unreadable(format!("{target}: {error}")))?;
        if inside.is_empty() {
            return Err(Failure::Usage(format!(
                "{target}: no .py or .ipynb file in it mentions torch, and no .md file in it is a lesson"
            )));
        }
        inside.sort();
        found.extend(inside.into_iter().map(|path| path.display().to_string()));
    }
    Ok(found)
}

fn search(folder: &Path, settings: &Settings, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('.')
            || SKIPPED.contains(&name.as_str())
            || path.is_symlink()
            || settings.excludes(&path)
        {
            continue;
        }
        if path.is_dir() {
            search(&path, settings, found)?;
        } else if is_code(&path) && mentions_torch(&path) || is_lesson_file(&path) {
            found.push(path);
        }
    }
    Ok(())
}

fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "py" || ending == "ipynb")
}

fn is_lesson_file(path: &Path) -> bool {
    let is_markdown = path.extension().is_some_and(|ending| ending == "md");
    is_markdown && fs::read_to_string(path).is_ok_and(|text| is_lesson(&text))
}

/// Whether a file has the word; true if it cannot be read, so that reading it says why.
fn mentions_torch(path: &Path) -> bool {
    fs::read(path).map_or(true, |text| String::from_utf8_lossy(&text).contains("torch"))
}

/// The findings that `--select` and `--ignore` ask for.
pub(super) struct Selection {
    selected: Vec<String>,
    ignored: Vec<String>,
}

impl Selection {
    /// Errors: a word that no code begins with and no mistake is named.
    pub(super) fn new<'s>(
        select: &'s [String],
        ignore: impl Iterator<Item = &'s String>,
    ) -> Result<Selection, Failure> {
        let known = |word: &String| {
            let begins = |code: &str| !word.is_empty() && code.starts_with(&word.to_uppercase());
            let is_known = named(word).is_some() || mistakes().any(|it| begins(it.code));
            if is_known { Ok(word.clone()) } else { Err(unknown(word)) }
        };
        let ignored = ignore.map(known).collect::<Result<_, _>>()?;
        Ok(Selection { selected: select.iter().map(known).collect::<Result<_, _>>()?, ignored })
    }

    /// Whether a finding is reported.
    pub(super) fn has(&self, finding: &Finding) -> bool {
        let fits = |word: &String| finding.mistake == word || finding.code.starts_with(&word.to_uppercase());
        (self.selected.is_empty() || self.selected.iter().any(fits)) && !self.ignored.iter().any(fits)
    }
}

/// A code or name that no mistake has.
pub(super) fn unknown(word: &str) -> Failure {
    let names = mistakes().flat_map(|it| [it.name, it.code]);
    let near = match nearest(word, names, 3).as_slice() {
        [] => "docs/mistakes.md lists them".to_owned(),
        near => format!("the nearest: {}", near.join(", ")),
    };
    Failure::Usage(format!("no mistake has the code or name {word}; {near}"))
}
