//! Notebook lines that are no Python: `%time`, `%matplotlib inline`, `!pip install`, `x?`, `%%time`.
//! Text to text, line for line, so that errors keep their lines. A cell that is
//! Python as it stands is never touched; where a command begins and ends, the parser says.

use ruff_python_ast::{
    Expr, IpyEscapeKind, Stmt,
    visitor::{Visitor, walk_expr, walk_stmt},
};
use ruff_python_parser::{Mode, parse, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

/// What a cell magic asks for the whole cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// No cell magic.
    Plain,
    /// `%%time`
    Timed,
    /// `%%timeit`
    TimedOften,
    /// `%%capture`: run, and show nothing.
    Captured,
    /// The cell is not Python, or does what attn does not do.
    Skipped,
}

/// A cell in plain Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prepared {
    pub(super) source: String,
    pub(super) whole: Whole,
    /// What was left out, and why.
    pub(super) remarks: Vec<String>,
}

/// Line magics that are run; each is a call of a builtin with the rest of the line as a string.
const CALLS: &[(&str, &str)] = &[("time", "__attn_time__"), ("timeit", "__attn_timeit__")];

/// Why other commands are left out.
const REASONS: &[(&[&str], &str)] = &[
    (&["matplotlib", "pylab"], "attn draws no charts"),
    (&["pip", "conda", "mamba", "uv"], "attn installs nothing; what it has is built in"),
    (
        &["load_ext", "reload_ext", "autoreload", "config", "env", "set_env", "precision"],
        "attn has no IPython settings",
    ),
    (
        &["cd", "ls", "pwd", "cat", "cp", "mv", "rm", "mkdir", "run", "load", "save", "writefile"],
        "attn runs lessons without files",
    ),
];

/// Turns notebook source into Python.
pub(super) fn prepare(source: &str) -> Prepared {
    let mut remarks = Vec::new();
    let first = source.lines().position(|line| !line.trim().is_empty());
    if let Some(first) = first
        && let Some(magic) = source.lines().nth(first).and_then(|line| line.trim_start().strip_prefix("%%"))
    {
        let name = magic.split_whitespace().next().unwrap_or_default();
        let whole = match name {
            "time" => Whole::Timed,
            "timeit" => Whole::TimedOften,
            "capture" => Whole::Captured,
            _ => Whole::Skipped,
        };
        if whole == Whole::Skipped {
            remarks.push(format!("skipped: the cell is for %%{name}, which attn does not have"));
            return Prepared { source: String::new(), whole, remarks };
        }
        let body: Vec<&str> = source
            .split('\n')
            .enumerate()
            .map(|(index, line)| if index == first { "" } else { line })
            .collect();
        let inner = python(&body.join("\n"), &mut remarks);
        return Prepared { source: inner, whole, remarks };
    }
    let source = python(source, &mut remarks);
    Prepared { source, whole: Whole::Plain, remarks }
}

fn is_python(source: &str) -> bool {
    parse(source, Mode::Module.into()).is_ok()
}

fn python(source: &str, remarks: &mut Vec<String>) -> String {
    if is_python(source) {
        return source.to_owned();
    }
    let plain = without_margin(source);
    if is_python(&plain) {
        return plain;
    }
    let mut commands = Commands::default();
    let parsed = parse_unchecked(&plain, Mode::Ipython.into());
    if let Some(module) = parsed.syntax().as_module() {
        module.body.iter().for_each(|statement| commands.visit_stmt(statement));
    }
    let mut result = plain.clone();
    // From the end, so that the places before stay where they are.
    for command in commands.found.into_iter().rev() {
        let range = command.range.start().to_usize()..command.range.end().to_usize();
        let lines = plain[range.clone()].matches('\n').count();
        let python = command.in_python(remarks) + &"\n".repeat(lines);
        result.replace_range(range, &python);
    }
    bare_commands(&result, remarks)
}

/// `pip install x` without a `%`, which IPython takes too.
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

/// The source without the margin of its first line, and without pasted `>>>` prompts.
fn without_margin(source: &str) -> String {
    let Some(first) = source.lines().find(|line| !line.trim().is_empty()) else {
        return source.to_owned();
    };
    let margin = &first[..first.len() - first.trim_start().len()];
    let strip = |line: &str, mark: &str| -> Option<String> {
        let rest = line.strip_prefix(mark)?;
        Some(rest.strip_prefix(' ').unwrap_or(rest).to_owned())
    };
    let prompted = first.trim_start().starts_with(">>> ");
    let lines = source.split('\n').map(|line| {
        let line = line.strip_prefix(margin).unwrap_or(line);
        if prompted {
            return strip(line, ">>>").or_else(|| strip(line, "...")).unwrap_or_else(|| line.to_owned());
        }
        line.to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// All commands of a cell, in order.
#[derive(Default)]
struct Commands {
    found: Vec<Command>,
}

struct Command {
    range: TextRange,
    kind: IpyEscapeKind,
    text: String,
    /// Whether its value is assigned: `files = !ls`.
    assigned: bool,
}

impl<'a> Visitor<'a> for Commands {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::IpyEscapeCommand(command) => self.found.push(Command {
                range: command.range(),
                kind: command.kind,
                text: command.value.to_string(),
                assigned: false,
            }),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::IpyEscapeCommand(command) => self.found.push(Command {
                range: command.range(),
                kind: command.kind,
                text: command.value.to_string(),
                assigned: true,
            }),
            _ => walk_expr(self, expression),
        }
    }
}

impl Command {
    fn in_python(&self, remarks: &mut Vec<String>) -> String {
        let text = self.text.trim();
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match self.kind {
            IpyEscapeKind::Help | IpyEscapeKind::Help2 => return call("__attn_help__", text),
            IpyEscapeKind::Magic | IpyEscapeKind::Magic2 => {
                if let Some((_, function)) = CALLS.iter().find(|(magic, _)| *magic == name) {
                    return call(function, rest.trim());
                }
            }
            _ => {}
        }
        remarks.push(skipped(&format!("{}{text}", self.kind.as_str()), name));
        match (self.assigned, self.kind) {
            (true, IpyEscapeKind::Shell | IpyEscapeKind::ShCap) => "[]".to_owned(),
            (true, _) => "None".to_owned(),
            (false, _) => "pass".to_owned(),
        }
    }
}

fn call(function: &str, argument: &str) -> String {
    // A JSON string is a Python string.
    format!("{function}({})", serde_json::Value::from(argument))
}

fn skipped(command: &str, name: &str) -> String {
    let reason = REASONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, reason)| *reason);
    format!("skipped: {command} ({})", reason.unwrap_or("attn has no shell and few magics"))
}

#[cfg(test)]
mod tests {
    use super::{Whole, prepare};

    #[test]
    fn python_stays_as_it_is() {
        for source in ["x = 5\n", "s = '''\n%time x\n!ls\n'''", "y = (3\n % 2)", "", "a != b"] {
            let prepared = prepare(source);
            assert_eq!((prepared.source.as_str(), prepared.remarks.len()), (source, 0));
        }
    }

    #[test]
    fn commands_become_python_on_their_own_lines() {
        for (source, python, remarks) in [
            ("%matplotlib inline\nx = 1", "pass\nx = 1", 1),
            ("!pip install torch\nx = '''\n!ls\n'''", "pass\nx = '''\n!ls\n'''", 1),
            ("if x:\n    !ls\n", "if x:\n    pass\n", 1),
            ("%time f(1)", "__attn_time__(\"f(1)\")", 0),
            ("t = %timeit -o f(1)", "t = __attn_timeit__(\"-o f(1)\")", 0),
            ("files = !ls", "files = []", 1),
            ("torch.softmax?", "__attn_help__(\"torch.softmax\")", 0),
            ("?len", "__attn_help__(\"len\")", 0),
            ("  x = 1\n  y = 2", "x = 1\ny = 2", 0),
            (">>> x = 1\n>>> if x:\n...     y = 2", "x = 1\nif x:\n    y = 2", 0),
            ("pip install torch\nx = 1", "pass\nx = 1", 1),
        ] {
            let prepared = prepare(source);
            assert_eq!((prepared.source.as_str(), prepared.remarks.len()), (python, remarks), "{source}");
        }
    }

    #[test]
    fn cell_magics_say_how_the_cell_is_run() {
        for (source, whole, python) in [
            ("%%time\nx = 1", Whole::Timed, "\nx = 1"),
            ("%%capture\nx = 1", Whole::Captured, "\nx = 1"),
            ("%%bash\nls", Whole::Skipped, ""),
        ] {
            let prepared = prepare(source);
            assert_eq!((prepared.whole, prepared.source.as_str()), (whole, python));
        }
    }
}
