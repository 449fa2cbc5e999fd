//! Reads one fenced block of a lesson: its option lines or its YAML.

use serde::de::DeserializeOwned;

use super::axis_names::AxisNames;
use super::exercise::Snippet;
use super::fault::Fault;
use super::invariant::Invariant;
use super::step::Step;
use super::views::View;
use super::vocabulary::{AXES, VIEWS};

/// The most bytes of YAML that are read in one place: the library's time grows with the square of nested braces.
const MOST_YAML: usize = 32 << 10;

/// The lesson file that is being read, for its faults.
#[derive(Default)]
pub(super) struct LessonSource<'t> {
    pub(crate) file: &'t str,
}

/// `:option: value` lines in order: key, value, line.
pub(super) struct DirectiveOptions(Vec<(String, String, usize)>);

impl DirectiveOptions {
    /// The value of `key` and its line.
    pub(crate) fn get(&self, key: &str) -> Option<(&str, usize)> {
        self.0.iter().find(|(k, _, _)| k == key).map(|(_, value, line)| (value.as_str(), *line))
    }
}

impl LessonSource<'_> {
    /// A fault in line `line`.
    pub(crate) fn fault<T>(&self, line: usize, what: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(self.file, line, what.into()))
    }

    /// Reads YAML below line `line` as a record whose keys are among `known`; `name` is what faults call it.
    /// Errors: no mapping, an unknown key, a missing or wrong value.
    pub(crate) fn record<T: DeserializeOwned>(
        &self,
        yaml: &str,
        line: usize,
        name: &str,
        known: &'static [&'static str],
    ) -> Result<T, Fault> {
        if yaml.len() > MOST_YAML {
            let what = format!("{name} has {} kB; up to {} kB are read", yaml.len() >> 10, MOST_YAML >> 10);
            return self.fault(line + 1, what);
        }
        let table = match yaml_serde::from_str::<yaml_serde::Value>(yaml) {
            Ok(yaml_serde::Value::Mapping(table)) => table,
            Ok(_) => return self.fault(line + 1, "expected `key: value` lines here"),
            Err(e) => {
                let within = e.location().map_or(0, |place| place.line().saturating_sub(1));
                return self.fault(line + 1 + within, format!("not readable as YAML: {e}"));
            }
        };
        for key in table.keys().filter_map(|key| key.as_str()) {
            if !known.contains(&key) {
                let within = yaml.lines().position(|l| l.starts_with(key)).unwrap_or(0);
                let what = format!("{name} has no key `{key}`");
                return Err(Fault::new(self.file, line + 1 + within, what).near(key, known));
            }
        }
        yaml_serde::from_value(yaml_serde::Value::Mapping(table))
            .or_else(|e| self.fault(line, format!("{name}: {e}")))
    }

    /// Splits the body of a fence into its `:option: value` lines and the code below them.
    pub(crate) fn options(
        &self,
        body: &str,
        fence: usize,
        name: &str,
        known: &'static [&'static str],
    ) -> Result<(DirectiveOptions, Snippet), Fault> {
        let mut options: Vec<(String, String, usize)> = Vec::new();
        let mut rest = body;
        let mut line = fence + 1;
        while let Some(option) = rest.strip_prefix(':') {
            let (this, next) = option.split_once('\n').unwrap_or((option, ""));
            let Some((key, value)) = this.split_once(':') else {
                return self.fault(line, format!("`:{this}`: an option is written `:name: value`"));
            };
            if !known.contains(&key) {
                let what = format!("{{{name}}} has no option `:{key}:`");
                return Err(Fault::new(self.file, line, what).near(key, known));
            }
            if options.iter().any(|(k, _, _)| k == key) {
                return self.fault(line, format!("`:{key}:` is given twice"));
            }
            let value = value.trim();
            let wrapped = |q: char| value.len() >= 2 && value.starts_with(q) && value.ends_with(q);
            let quoted = wrapped('"') || wrapped('\'');
            if !quoted && (value.contains(": ") || value.contains(" #")) {
                let what = format!("put the value of `:{key}:` in double quotes: Jupyter reads it as YAML");
                return self.fault(line, what);
            }
            let value = if quoted { &value[1..value.len() - 1] } else { value };
            options.push((key.to_string(), value.to_string(), line));
            rest = next;
            line += 1;
        }
        let blank = rest.len() - rest.trim_start_matches('\n').len();
        let source = rest[blank..].trim_end().to_string();
        Ok((DirectiveOptions(options), Snippet { source, line: line + blank }))
    }

    /// A step with what the options of its cell say. The caller adds prose, code and number.
    pub(crate) fn step(&self, options: &DirectiveOptions) -> Result<Step, Fault> {
        let mut step = Step::default();
        for (key, value, at) in &options.0 {
            match key.as_str() {
                "axes" => step.axes = self.axes(value, *at)?,
                "show" => {
                    let names = value.split([',', ' ']).filter(|n| !n.is_empty() && *n != "none");
                    step.show = Some(names.map(str::to_string).collect());
                }
                "view" => step.views = self.views(value, *at)?,
                "why" => step.why = Some(value.clone()),
                "check" => {
                    for sentence in value.split(';').map(str::trim).filter(|s| !s.is_empty()) {
                        match Invariant::parse(sentence) {
                            Ok(invariant) => step.checks.push(invariant),
                            Err(what) => return self.fault(*at, what),
                        }
                    }
                }
                "random" if value == "book" || value == "mkl" => step.random = Some(value.clone()),
                "random" => {
                    return self.fault(*at, format!("`:random:` is book or mkl, not `{value}`"));
                }
                "aside" => step.aside = self.boolean(value, *at)?,
                "wrong" => step.wrong = self.boolean(value, *at)?,
                "varies" => step.varies = self.boolean(value, *at)?,
                "tags" => step.raises = value.contains("raises-exception"),
                _ => {}
            }
        }
        Ok(step)
    }

    fn axes(&self, value: &str, line: usize) -> Result<Vec<AxisNames>, Fault> {
        let mut all = Vec::new();
        for part in value.split(';').map(str::trim).filter(|p| !p.is_empty()) {
            let Some((tensor, axes)) = part.rsplit_once(':') else {
                return self.fault(line, format!("`{part}`: axes are written `tensor: first second`"));
            };
            let axes: Vec<String> = axes.split_whitespace().map(str::to_string).collect();
            if let Some(wrong) = axes.iter().find(|a| !AXES.iter().any(|axis| axis == a)) {
                let what = format!("no axis is called `{wrong}`");
                return Err(Fault::new(self.file, line, what).near(wrong, AXES));
            }
            all.push(AxisNames { tensor: tensor.trim().to_string(), axes });
        }
        Ok(all)
    }

    fn views(&self, value: &str, line: usize) -> Result<Vec<View>, Fault> {
        let mut all = Vec::new();
        for part in value.split(';').map(str::trim).filter(|p| !p.is_empty()) {
            let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
            let Some(kind) = VIEWS.iter().find(|kind| **kind == word) else {
                let what = format!("no view is called `{word}`");
                return Err(Fault::new(self.file, line, what).near(word, VIEWS));
            };
            match View::new(kind, rest, line) {
                Ok(view) => all.push(view),
                Err(what) => return self.fault(line, what),
            }
        }
        Ok(all)
    }

    fn boolean(&self, value: &str, line: usize) -> Result<bool, Fault> {
        value.parse().or_else(|_| self.fault(line, format!("expected true or false, not `{value}`")))
    }
}
