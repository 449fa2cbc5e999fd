//! Translates what a notebook adds to Python: `%time`, `%matplotlib inline`, `!pip install`, `x?`, `%%time`.
//!
//! Each line stays on its line, so that errors have the right line number. A cell that is valid Python is not changed.
//! The parser says where a command begins and ends.

use crate::syntax::{parse_module, parse_unchecked};
use ruff_python_ast::{
    Expr, IpyEscapeKind, Stmt,
    visitor::{Visitor, walk_expr, walk_stmt},
};
use ruff_python_parser::Mode;
use ruff_text_size::{Ranged, TextRange};

/// How a cell magic runs the cell.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum CellMode {
    /// The cell has no cell magic.
    Plain,
    /// `%%time`
    Timed,
    /// `%%timeit`, whose source is one call.
    TimedRepeatedly,
    /// `%%capture`: runs and shows nothing.
    Captured,
    /// A magic that attn does not have: the cell does not run.
    Skipped,
}

/// A cell translated to plain Python.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Translated {
    pub(super) source: String,
    pub(super) mode: CellMode,
    /// What was skipped, and why.
    pub(super) remarks: Vec<String>,
}

/// Line magics that run, and the builtin that each calls with the rest of the line as a string.
const LINE_MAGICS: &[(&str, &str)] = &[("time", "__attn_time__"), ("timeit", "__attn_timeit__")];

/// Commands that ask for what attn does anyway.
const QUIET: &[&str] = &["matplotlib", "pylab"];

/// Why other commands are skipped.
const SKIP_REASONS: &[(&[&str], &str)] = &[
    (
        &["wget", "curl", "gdown", "git", "kaggle"],
        "attn has no network: download it yourself, beside the notebook, and run with --allow-read",
    ),
    (&["pip", "conda", "mamba", "uv"], "attn installs nothing; what it has is built in"),
    (
        &["load_ext", "reload_ext", "autoreload", "config", "env", "set_env", "precision"],
        "attn has no IPython settings",
    ),
    (
        &["cd", "ls", "pwd", "cat", "cp", "mv", "rm", "mkdir", "run", "load", "save", "writefile"],
        "attn has no shell: `open`, `os` and `pathlib` read files, with --allow-read",
    ),
];

/// Translates the source of a notebook cell to Python.
pub(super) fn translate(source: &str) -> Translated {
    let mut remarks = Vec::new();
    let first = source.lines().position(|line| !line.trim().is_empty()).unwrap_or(0);
    let magic = source.lines().nth(first).and_then(|line| line.trim_start().strip_prefix("%%"));
    let mode = match magic.map(|magic| magic.split_whitespace().next().unwrap_or("")) {
        None => CellMode::Plain,
        Some("time") => CellMode::Timed,
        Some("timeit") => CellMode::TimedRepeatedly,
        Some("capture") => CellMode::Captured,
        Some(name) => {
            remarks.push(format!("skipped: the cell is for %%{name}, which attn does not have"));
            return Translated { source: String::new(), mode: CellMode::Skipped, remarks };
        }
    };
    let lines = source.split('\n').enumerate();
    let body = lines.map(|(index, line)| if magic.is_some() && index == first { "" } else { line });
    let mut source = python(&body.collect::<Vec<_>>().join("\n"), &mut remarks);
    if mode == CellMode::TimedRepeatedly {
        source = "\n".repeat(first) + &call("__attn_timeit__", &source);
    }
    Translated { source, mode, remarks }
}

fn is_python(source: &str) -> bool {
    parse_module(source).is_ok()
}

fn python(source: &str, remarks: &mut Vec<String>) -> String {
    if is_python(source) {
        return source.to_owned();
    }
    let plain = dedent(source);
    if is_python(&plain) {
        return plain;
    }
    let mut commands = EscapeCommands::default();
    let parsed = parse_unchecked(&plain, Mode::Ipython);
    if let Some(module) = parsed.syntax().as_module() {
        module.body.iter().for_each(|statement| commands.visit_stmt(statement));
    }
    let mut result = plain.clone();
    // Replacing from the end keeps the positions of earlier commands.
    for command in commands.found.into_iter().rev() {
        let range = command.range.start().to_usize()..command.range.end().to_usize();
        let lines = plain[range.clone()].matches('\n').count();
        let python = command.to_python(remarks) + &"\n".repeat(lines);
        result.replace_range(range, &python);
    }
    bare_commands(&result, remarks)
}

/// Translates `pip install x` without a `%`, which IPython accepts too.
fn bare_commands(source: &str, remarks: &mut Vec<String>) -> String {
    if is_python(source) {
        return source.to_owned();
    }
    let lines = source.split('\n').map(|line| {
        let mut words = line.split_whitespace();
        let installs = matches!((words.next(), words.next()), (Some("pip" | "conda"), Some("install")));
        if installs {
            remarks.push(skipped(line.trim(), "pip"));
        }
        if installs { "pass" } else { line }
    });
    let replaced = lines.collect::<Vec<_>>().join("\n");
    if is_python(&replaced) { replaced } else { source.to_owned() }
}

/// Removes the indentation of the first line from all lines, and pasted `>>>` prompts.
pub(crate) fn dedent(source: &str) -> String {
    let Some(first) = source.lines().find(|line| !line.trim().is_empty()) else { return source.to_owned() };
    let indentation = &first[..first.len() - first.trim_start().len()];
    let strip = |line: &str, prompt: &str| -> Option<String> {
        let rest = line.strip_prefix(prompt)?;
        Some(rest.strip_prefix(' ').unwrap_or(rest).to_owned())
    };
    let prompted = first.trim_start().starts_with(">>> ");
    let lines = source.split('\n').map(|line| {
        let line = line.strip_prefix(indentation).unwrap_or(line);
        if prompted {
            return strip(line, ">>>").or_else(|| strip(line, "...")).unwrap_or_else(|| line.to_owned());
        }
        line.to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Collects the commands of a cell in source order.
#[derive(Default)]
struct EscapeCommands {
    found: Vec<EscapeCommand>,
}

/// A command of IPython: a line magic, a shell command or a request for help.
struct EscapeCommand {
    range: TextRange,
    kind: IpyEscapeKind,
    text: String,
    /// Whether its value is used: `files = !ls`.
    assigned: bool,
}

impl EscapeCommands {
    fn add(&mut self, range: TextRange, kind: IpyEscapeKind, text: &str, assigned: bool) {
        self.found.push(EscapeCommand { range, kind, text: text.to_owned(), assigned });
    }
}

impl<'a> Visitor<'a> for EscapeCommands {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::IpyEscapeCommand(it) => self.add(it.range(), it.kind, &it.value, false),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::IpyEscapeCommand(it) => self.add(it.range(), it.kind, &it.value, true),
            _ => walk_expr(self, expression),
        }
    }
}

impl EscapeCommand {
    fn to_python(&self, remarks: &mut Vec<String>) -> String {
        let text = self.text.trim();
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match self.kind {
            IpyEscapeKind::Help | IpyEscapeKind::Help2 => return call("__attn_help__", text),
            IpyEscapeKind::Magic | IpyEscapeKind::Magic2 => {
                if let Some((_, function)) = LINE_MAGICS.iter().find(|(magic, _)| *magic == name) {
                    return call(function, rest.trim());
                }
            }
            _ => {}
        }
        if !QUIET.contains(&name) {
            remarks.push(skipped(&format!("{}{text}", self.kind.as_str()), name));
        }
        match (self.assigned, self.kind) {
            (true, IpyEscapeKind::Shell | IpyEscapeKind::ShCap) => "[]".to_owned(),
            (true, _) => "None".to_owned(),
            (false, _) => "pass".to_owned(),
        }
    }
}

fn call(function: &str, argument: &str) -> String {
    // A JSON string is also a valid Python string literal.
    format!("{function}({})", serde_json::Value::from(argument))
}

fn skipped(command: &str, name: &str) -> String {
    let reason = SKIP_REASONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, reason)| *reason);
    format!("skipped: {command} ({})", reason.unwrap_or("attn has no shell and few magics"))
}
