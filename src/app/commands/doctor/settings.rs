//! The settings of a project: the table `[tool.attn]` of its `pyproject.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex_lite::{Regex, escape};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::terminal::shell::Failure;
use crate::shims::outside::fs;

/// What a project says once, so that no command line has to.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Settings {
    /// Report only these, as `--select` does.
    pub(super) select: Vec<String>,
    /// Do not report these, as `--ignore` does.
    pub(super) ignore: Vec<String>,
    /// Do not report these in files of this pattern.
    per_file_ignores: BTreeMap<String, Vec<String>>,
    /// Files of a folder that are not examined.
    exclude: Vec<String>,
    /// As `--strict`.
    pub(super) strict: bool,
    /// As `--baseline`.
    pub(super) baseline: Option<PathBuf>,
    /// Classes and functions that run alone if nothing calls them, whether or not they compute attention.
    entry: Vec<String>,
    /// What parameters get there: a number, or the shape of a tensor.
    sizes: BTreeMap<String, Value>,
    /// The folder of the `pyproject.toml`.
    #[serde(skip)]
    folder: PathBuf,
}

#[derive(Deserialize)]
struct Project {
    tool: Option<Tools>,
}

#[derive(Deserialize)]
struct Tools {
    attn: Option<Settings>,
}

impl Settings {
    /// Those of the nearest `pyproject.toml` above a file that has the table; without one, none. Errors: the table has what
    /// is not known, or the file is not TOML.
    pub(super) fn of(path: &Path) -> Result<Settings, Failure> {
        let Ok(full) = fs::canonicalize(path) else { return Ok(Settings::default()) };
        for folder in full.ancestors() {
            let file = folder.join("pyproject.toml");
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let project: Project = toml::from_str(&text).map_err(|error| {
                Failure::Usage(format!("{}: {}", file.display(), error.to_string().trim_end()))
            })?;
            if let Some(settings) = project.tool.and_then(|tools| tools.attn) {
                let baseline = settings.baseline.map(|path| folder.join(path));
                return Ok(Settings { folder: folder.to_owned(), baseline, ..settings });
            }
        }
        Ok(Settings::default())
    }

    /// Whether a file that a folder holds is left out.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.exclude.iter().any(|pattern| self.fits(pattern, path))
    }

    /// The codes that are not reported in a file.
    pub(super) fn ignored_in<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = &'s String> {
        let here = self.per_file_ignores.iter().filter(|(pattern, _)| self.fits(pattern, path));
        self.ignore.iter().chain(here.flat_map(|(_, codes)| codes))
    }

    /// How classes and functions run that nothing calls, as JSON for what makes their inputs up.
    pub(super) fn of_made_up(&self) -> String {
        json!({"entry": self.entry, "sizes": self.sizes}).to_string()
    }

    /// Whether a pattern means a file: its path in the project, a folder above it, or its name; `*` is any part of a name,
    /// `**` of a path.
    fn fits(&self, pattern: &str, path: &Path) -> bool {
        let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let inside = full.strip_prefix(&self.folder).unwrap_or(&full).to_string_lossy().replace('\\', "/");
        let begin = if pattern.trim_end_matches('/').contains('/') { "^" } else { "(^|/)" };
        let name = escape(pattern.trim_end_matches('/')).replace("/\\*\\*", "/.*").replace("\\*\\*", ".*");
        let name = name.replace("\\*", "[^/]*").replace("\\?", "[^/]");
        Regex::new(&format!("{begin}{name}(/|$)")).is_ok_and(|it| it.is_match(&inside))
    }
}
