//! A lesson's fences: option lines, YAML, and the faults that name file and line.
//! What [`super::myst`] needs to read one block; knows nothing of the order of blocks.

use super::exercise::Code;
use super::vocabulary::{AXES, VIEWS, Word};
use super::{AxisNames, Fault, Invariant, Step, View};
use crate::ops::nearest;

/// The file that is being read, for its faults.
pub(super) struct Source<'t> {
    pub file: &'t str,
}

/// `:option: value` lines in order: key, value, line.
pub(super) struct Options(Vec<(String, String, usize)>);

impl Options {
    /// The value of `key` and its line.
    pub fn get(&self, key: &str) -> Option<(&str, usize)> {
        self.0.iter().find(|(k, _, _)| k == key).map(|(_, value, line)| (value.as_str(), *line))
    }
}

impl Source<'_> {
    pub fn fault<T>(&self, line: usize, what: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { file: self.file.to_string(), line, what: what.into(), nearest: Vec::new() })
    }

    pub fn unknown<T>(
        &self,
        line: usize,
        what: String,
        name: &str,
        right: impl IntoIterator<Item = &'static str>,
    ) -> Result<T, Fault> {
        let nearest = nearest(name, right, 3);
        Err(Fault { file: self.file.to_string(), line, what, nearest })
    }

    /// YAML that has to be a mapping; `line` is that of its first line.
    pub fn mapping(&self, yaml: &str, line: usize) -> Result<yaml_serde::Mapping, Fault> {
        match yaml_serde::from_str::<yaml_serde::Value>(yaml) {
            Ok(yaml_serde::Value::Mapping(table)) => Ok(table),
            Ok(_) => self.fault(line, "expected `key: value` lines here"),
            Err(e) => {
                let at = line + e.location().map_or(0, |l| l.line().saturating_sub(1));
                self.fault(at, format!("not readable as YAML: {e}"))
            }
        }
    }

    /// Splits the `:option: value` lines from what follows them.
    pub fn options(
        &self,
        body: &str,
        fence: usize,
        name: &str,
        known: &'static [Word],
    ) -> Result<(Options, Code), Fault> {
        let mut options: Vec<(String, String, usize)> = Vec::new();
        let mut rest = body;
        let mut line = fence + 1;
        while let Some(option) = rest.strip_prefix(':') {
            let (this, next) = option.split_once('\n').unwrap_or((option, ""));
            let Some((key, value)) = this.split_once(':') else {
                return self.fault(line, format!("`:{this}`: an option is written `:name: value`"));
            };
            if !known.iter().any(|w| w.name == key) {
                let what = format!("{{{name}}} has no option `:{key}:`");
                return self.unknown(line, what, key, known.iter().map(|w| w.name));
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
        Ok((Options(options), Code { source, line: line + blank }))
    }

    /// A step with what the options of its cell say; prose, code and number come later.
    pub fn step(&self, options: &Options) -> Result<Step, Fault> {
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
                        if let Err(what) = Invariant::parse(sentence) {
                            return self.fault(*at, what);
                        }
                        step.checks.push(sentence.to_string());
                    }
                }
                "random" if value == "book" || value == "mkl" => step.random = Some(value.clone()),
                "random" => {
                    return self.fault(*at, format!("`:random:` is book or mkl, not {value}"));
                }
                "aside" => step.aside = self.yes(value, *at)?,
                "wrong" => step.wrong = self.yes(value, *at)?,
                "varies" => step.varies = self.yes(value, *at)?,
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
            if let Some(wrong) = axes.iter().find(|a| !AXES.iter().any(|w| w.name == a.as_str())) {
                let what = format!("no axis is called `{wrong}`");
                return self.unknown(line, what, wrong, AXES.iter().map(|w| w.name));
            }
            all.push(AxisNames { tensor: tensor.trim().to_string(), axes });
        }
        Ok(all)
    }

    fn views(&self, value: &str, line: usize) -> Result<Vec<View>, Fault> {
        let mut all = Vec::new();
        for part in value.split(';').map(str::trim).filter(|p| !p.is_empty()) {
            let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
            if !VIEWS.iter().any(|known| known.name == word) {
                let what = format!("no view is called `{word}`");
                return self.unknown(line, what, word, VIEWS.iter().map(|w| w.name));
            }
            match View::new(word, rest, line) {
                Ok(view) => all.push(view),
                Err(what) => return self.fault(line, what),
            }
        }
        Ok(all)
    }

    fn yes(&self, value: &str, line: usize) -> Result<bool, Fault> {
        match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => self.fault(line, format!("true or false is wanted here, not `{value}`")),
        }
    }
}
