//! `docs/repl.md`, made from the tables of commands and settings.

use std::fmt::Write;

use super::commands::{COMMANDS, CommandGroup};
use super::settings::SETTINGS;

const HEAD: &str = "\
# The REPL

Generated from the table of commands (`src/app/repl/commands.rs`) by `UPDATE=1 cargo test --release --test library page::`.

`attn repl softmax` starts with the state after that step, `attn repl 3.4.1` after a lesson, `attn repl notebook.ipynb`
after a file, and `attn repl` with `torch` only. Inputs are Python and run as a notebook runs a cell: an input may have
several lines, and the value of its last line is shown. A line that begins with a colon is a command.

Inputs may also come through a pipe: `echo 'inputs.shape' | attn repl scores`. Then there are no prompts, results go to
stdout and errors to stderr, and the first input that raises ends the run with exit code 3 (`--keep-going` goes on).
";

/// The whole page as Markdown.
pub fn page() -> String {
    let mut text = HEAD.to_owned();
    for (group, title) in CommandGroup::ALL {
        let _ = write!(text, "\n## {title}\n\n| command | what it does |\n|---|---|\n");
        for command in COMMANDS.iter().filter(|command| command.group == group) {
            let also: Vec<String> = command.aliases.iter().map(|alias| format!("`:{alias}`")).collect();
            let also = if also.is_empty() { String::new() } else { format!(" Also {}.", also.join(", ")) };
            let more = if command.more.is_empty() { String::new() } else { format!(" {}", command.more) };
            let _ = writeln!(text, "| `{}` | {}.{more}{also} |", command.usage(), command.line);
        }
    }
    text.push_str("\n## ReplSettings\n\n| setting | values | what it does |\n|---|---|---|\n");
    for setting in SETTINGS {
        let _ = writeln!(text, "| `{}` | {} | {} |", setting.name, setting.values, setting.line);
    }
    text
}
