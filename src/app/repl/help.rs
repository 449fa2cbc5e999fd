//! `:help` explains the commands, a function or a variable.

use super::super::commands::{faq, look};
use super::super::terminal::shell::{Exit, Shell};
use super::commands::{COMMANDS, CommandGroup, ReplCommand, find};
use super::state::{CommandError, CommandResult, InputResult, Repl, shown};
use crate::ops::nearest;
use crate::ops::schema::signature;
use crate::ops::table::{self, ALIASES, FUNCTION, FUNCTIONAL, LINALG, Op};
use crate::view::columns::columns;
use crate::view::prose::{prose, prose_line};
use crate::view::wrap::paragraph;
use crate::view::{Line, Look, Role, Text};

/// The keys of the line editor that are not obvious.
const KEYS: &[(&str, &str)] = &[
    ("Enter", "runs what is complete, else goes on to the next line; a blank line ends a block"),
    ("Alt-Enter", "runs it as it is"),
    ("Tab", "completes names, commands, files; again: shows all, with signatures"),
    ("Up, Down", "earlier inputs; Ctrl-R searches them; Right takes the grey hint"),
    ("Ctrl-C", "stops a cell that runs, or drops the line"),
];

impl Repl<'_> {
    pub(super) fn faq(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        let (text, exit) = faq::answer(words, self.catalogue, ":faq", &shell.options, shell.look)?;
        shell.show(&text)?;
        match exit {
            Exit::Good => Ok(InputResult::Done),
            Exit::Interrupted => Err(CommandError::Interrupted),
            _ => Ok(InputResult::Failed),
        }
    }

    pub(super) fn look(&mut self, words: &str, shell: &mut Shell) -> CommandResult {
        shown(&look::typed(words, &shell.options, shell.look, false)?.0, shell)
    }

    pub(super) fn help(&mut self, word: &str, shell: &mut Shell) -> CommandResult {
        if word.is_empty() {
            return shown(&overview(shell.look), shell);
        }
        if let Some(command) = find(word.trim_start_matches(':')).filter(|command| {
            word.starts_with(':')
                || !self.workspace.borrow().session.names().contains(&command.name.to_owned())
        }) {
            return shown(&command_help(command, shell.look), shell);
        }
        let last = word.rsplit('.').next().unwrap_or(word);
        let is_bound = self.workspace.borrow().session.names().iter().any(|name| name == word);
        let last = ALIASES.iter().find(|(alias, _)| *alias == last).map_or(last, |(_, name)| *name);
        if let Some(op) = table::find(last).filter(|_| !is_bound) {
            return shown(&operation_help(op, shell.look), shell);
        }
        let plain = word.chars().all(|letter| letter.is_alphanumeric() || "._".contains(letter));
        if is_bound {
            let workspace = &self.workspace;
            let callable = workspace
                .borrow_mut()
                .session
                .evaluate(&format!("callable({word})"), |it, vm| it.try_to_value::<bool>(vm).ok());
            if callable == Ok(Some(false)) {
                let words = self.outline(word).unwrap_or_else(|| self.describe(word));
                return Ok(self.answer(&format!("`{word}` is {words}."), shell)?);
            }
        }
        let outcome = match plain {
            true => self.workspace.borrow_mut().session.run(&format!("help({word})"), "help"),
            false => {
                return Err(CommandError::Message(format!(
                    "`:help` takes a name, such as `softmax`, not `{word}`."
                )));
            }
        };
        if outcome.error.is_none() {
            self.show_printed(&outcome.stdout, shell)?;
            return Ok(InputResult::Done);
        }
        let known = COMMANDS.iter().map(|command| format!(":{}", command.name));
        let ops = table::ops().map(|op| op.name.to_owned());
        let own = self.workspace.borrow().session.names();
        let near = nearest(word, own.into_iter().chain(known).chain(ops), 3);
        Err(CommandError::Message(match near.as_slice() {
            [] => format!(
                "Nothing is called `{word}`. `:help` lists the commands, `docs/torch.md` the functions."
            ),
            near => format!("Nothing is called `{word}`. The nearest: `{}`.", near.join("`, `")),
        }))
    }
}

fn overview(look: Look) -> Text {
    let mut text = Text::new();
    for (group, title) in CommandGroup::ALL {
        text.gap();
        text.say(Role::Title, title);
        let row = |command: &ReplCommand| {
            let mut head = Line::new().with(Role::Name, format!(":{}", command.name));
            if !command.args.is_empty() {
                head.push(Role::Prose, format!(" {}", command.args));
            }
            (head, Line::new().with(Role::Prose, command.line))
        };
        let rows: Vec<(Line, Line)> =
            COMMANDS.iter().filter(|command| command.group == group).map(row).collect();
        text.append(columns(&rows, look));
    }
    text.gap();
    text.say(Role::Title, "Keys");
    let row = |(key, line): &(&str, &str)| {
        (Line::new().with(Role::Name, *key), Line::new().with(Role::Prose, *line))
    };
    text.append(columns(&KEYS.iter().map(row).collect::<Vec<_>>(), look));
    text.gap();
    text.append(prose(
        "Everything else is Python. `:help table` says more of a command, `:help softmax` of a function.",
        look,
    ));
    text
}

fn command_help(command: &ReplCommand, look: Look) -> Text {
    let mut text = Text::new();
    text.say(Role::Name, command.usage());
    let mut words = format!("{}.", command.line);
    if !command.more.is_empty() {
        words.push_str(&format!(" {}", command.more));
    }
    if !command.aliases.is_empty() {
        let also: Vec<String> = command.aliases.iter().map(|alias| format!("`:{alias}`")).collect();
        words.push_str(&format!(" Also {}.", also.join(", ")));
    }
    text.append(prose(&words, look));
    text.gap();
    for line in command.example.lines() {
        text.say(Role::CodeInline, format!("{}{line}", if look.plain { "" } else { "  " }));
    }
    text
}

/// The signatures of an operation and its description.
fn operation_help(op: &Op, look: Look) -> Text {
    let mut text = Text::new();
    for form in op.forms {
        text.say(Role::Name, call_of(op, &signature(form)));
    }
    text.append(paragraph(prose_line(op.doc, look), look));
    text
}

/// The modules whose functions are operations, each with its place in their table.
pub(super) const MODULES: [(u8, &str); 3] =
    [(FUNCTION, "torch"), (FUNCTIONAL, "torch.nn.functional"), (LINALG, "torch.linalg")];

/// The call of an operation: `torch.softmax(input, dim)`, or a method call if it is only a method.
fn call_of(op: &Op, arguments: &str) -> String {
    match MODULES.iter().find(|(place, _)| op.is_in(*place)) {
        Some((_, module)) => format!("{module}.{}({arguments})", op.name.trim_start_matches("linalg_")),
        None => format!("tensor.{}({})", op.name, without_first(arguments)),
    }
}

/// The arguments without the first, as a method has them.
pub(super) fn without_first(arguments: &str) -> &str {
    arguments.split_once(", ").map_or("", |(_, rest)| rest)
}
