//! `:vars` lists the variables.

use super::super::terminal::shell::Shell;
use super::state::{CommandResult, Repl, shown};
use crate::view::columns::columns;
use crate::view::{Line, Role, Text};

impl Repl<'_> {
    pub(super) fn vars(&mut self, shell: &mut Shell) -> CommandResult {
        let names = self.workspace.borrow().session.names();
        let (given, own): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| self.initial_names.contains(name));
        let mut text = Text::new();
        let both = !given.is_empty() && !own.is_empty();
        for (title, names) in [("From the start", given), ("Yours", own)] {
            if names.is_empty() {
                continue;
            }
            text.gap();
            if both {
                text.say(Role::Title, title);
            }
            let row = |name: &String| {
                let words = self.outline(name).unwrap_or_else(|| self.describe(name));
                (Line::new().with(Role::Name, name), Line::new().with(Role::Prose, words))
            };
            let rows: Vec<(Line, Line)> = names.iter().map(row).collect();
            text.append(columns(&rows, shell.look));
        }
        if text.is_empty() {
            text.say(Role::Prose, "Nothing is bound.");
        }
        shown(&text, shell)
    }

    /// A variable that is not a tensor in a few words: `int 2`, `module`, `class`. Empty if its `repr` raises.
    pub(super) fn describe(&self, name: &str) -> String {
        let mut workspace = self.workspace.borrow_mut();
        let code = format!("(type({name}).__name__, repr({name}))");
        let read = workspace.session.evaluate(&code, |pair, vm| pair.try_to_value::<Vec<String>>(vm).ok());
        let Some([kind, shown]) = read.ok().flatten().and_then(|pair| <[String; 2]>::try_from(pair).ok())
        else {
            return String::new();
        };
        match kind.as_str() {
            "type" => "class".to_owned(),
            "module" | "function" | "builtin_function_or_method" => kind.replace('_', " "),
            _ if shown.lines().count() == 1 && shown.chars().count() <= 48 => format!("{kind} {shown}"),
            _ => kind,
        }
    }
}
