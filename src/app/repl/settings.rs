//! The table of settings, which `:set`, completion and `docs/repl.md` read.

use super::super::terminal::shell::Shell;
use super::state::{CommandError, CommandResult, InputResult, Repl};
use crate::ops::nearest;
use crate::view::columns::columns;
use crate::view::prose::prose_line;
use crate::view::{Line, Role};

pub struct ReplSetting {
    pub name: &'static str,
    pub values: &'static str,
    pub line: &'static str,
    set: fn(&mut Repl, &mut Shell, &str) -> bool,
    get: fn(&Repl, &Shell) -> String,
}

pub static SETTINGS: &[ReplSetting] = &[
    ReplSetting {
        name: "tables",
        values: "on, off",
        line: "Show tensors as tables instead of as PyTorch prints them",
        set: |repl, _, word| switch(&mut repl.settings.tables, word),
        get: |repl, _| switched(repl.settings.tables),
    },
    ReplSetting {
        name: "shapes",
        values: "on, off",
        line: "Show the shapes of the tensors that an input binds",
        set: |repl, _, word| switch(&mut repl.settings.shapes, word),
        get: |repl, _| switched(repl.settings.shapes),
    },
    ReplSetting {
        name: "width",
        values: "20 to 1000, auto",
        line: "Columns to fill",
        set: |_, shell, word| {
            let columns = word.parse().ok().filter(|columns| (20..=1000).contains(columns));
            if word == "auto" || columns.is_some() {
                shell.options.width = columns;
                shell.refit();
            }
            word == "auto" || columns.is_some()
        },
        get: |_, shell| shell.options.width.map_or("auto".to_owned(), |columns| columns.to_string()),
    },
];

fn switch(setting: &mut bool, word: &str) -> bool {
    match word {
        "on" | "yes" | "true" | "True" | "1" => *setting = true,
        "off" | "no" | "false" | "False" | "0" => *setting = false,
        _ => return false,
    }
    true
}

fn switched(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

impl Repl<'_> {
    /// `:set NAME VALUE`
    pub(super) fn set(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let mut words = words.split([' ', '=']).filter(|word| !word.is_empty());
        let Some(name) = words.next() else {
            let row = |setting: &ReplSetting| {
                let name =
                    Line::new().with(Role::Name, format!("{} {}", setting.name, (setting.get)(self, shell)));
                (name, prose_line(&format!("{} ({})", setting.line, setting.values), shell.look))
            };
            let rows: Vec<(Line, Line)> = SETTINGS.iter().map(row).collect();
            shell.show(&columns(&rows, shell.look))?;
            return Ok(InputResult::Done);
        };
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
            let near = match nearest(name, SETTINGS.iter().map(|setting| setting.name), 1).pop() {
                Some(near) => near,
                None => SETTINGS.iter().map(|setting| setting.name).collect::<Vec<_>>().join("`, `"),
            };
            return Err(CommandError::Message(format!("There is no setting `{name}`; there is `{near}`.")));
        };
        match words.next() {
            Some(word) if (setting.set)(self, shell, word) => Ok(InputResult::Done),
            Some(word) => Err(CommandError::Message(format!(
                "`{name}` cannot be `{word}`; it can be {}.",
                setting.values
            ))),
            None => {
                let words = format!(
                    "`{name}` is {}. {}: {}.",
                    (setting.get)(self, shell),
                    setting.line,
                    setting.values
                );
                Ok(self.answer(&words, shell)?)
            }
        }
    }
}
