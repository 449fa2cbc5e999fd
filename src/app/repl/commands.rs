//! The table of commands, which dispatch, `:help`, completion and `docs/repl.md` read.

use super::super::terminal::shell::Shell;
use super::state::{CommandError, CommandResult, InputResult, Repl};
use crate::ops::nearest;
use crate::tensor::descriptor::setters;
use ArgumentKind::{Anything, Expression, File, Nothing, Step};
use CommandGroup::{Ask, Go, Keep, Look};

pub struct ReplCommand {
    /// Its name, without the colon.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Its arguments, as the help shows them.
    pub args: &'static str,
    /// What it does, in one line without a full stop.
    pub line: &'static str,
    /// The details, as Markdown.
    pub more: &'static str,
    /// An example that works in the state after the step `two-kinds-of-weight`.
    pub example: &'static str,
    pub group: CommandGroup,
    /// What its argument is, for completion.
    pub(super) takes: ArgumentKind,
    run: Run,
}

type Run = fn(&mut Repl, &str, &mut Shell) -> CommandResult;

/// The groups of commands in the help.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CommandGroup {
    Look,
    Ask,
    Go,
    Keep,
}

impl CommandGroup {
    /// All groups with their titles, in order.
    pub const ALL: [(CommandGroup, &'static str); 4] = [
        (Look, "Look at tensors"),
        (Ask, "Ask why"),
        (Go, "Go through the chapter"),
        (Keep, "Keep, set, leave"),
    ];
}

/// The kind of a command's argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Nothing,
    Expression,
    Step,
    File,
    Anything,
}

const fn command(
    group: CommandGroup,
    name: &'static str,
    args: &'static str,
    takes: ArgumentKind,
    run: Run,
) -> ReplCommand {
    ReplCommand { name, aliases: &[], args, line: "", more: "", example: "", group, takes, run }
}

setters! { ReplCommand {
    aliases(names: &'static [&'static str]) aliases = names;
    line(text: &'static str) line = text;
    more(text: &'static str) more = text;
    example(input: &'static str) example = input;
} }

/// All commands, in the order of the help.
pub static COMMANDS: &[ReplCommand] = &[
    command(Look, "table", "X", Expression, |repl, words, shell| repl.table(words, shell))
        .aliases(&["t"])
        .line("Show a tensor as a table")
        .more(
            "`X` is a variable or any expression whose value is a tensor. Rows and columns have the \
             names of the step's axes and tokens.",
        )
        .example(":table keys"),
    command(Look, "heat", "X", Expression, |repl, words, shell| repl.heat(words, shell))
        .line("Show a tensor as a heat map")
        .more(
            "One map for each slice over the last two axes; for a large tensor it shows the means \
             of blocks.",
        )
        .example(":heat keys @ keys.T"),
    command(Look, "shape", "EXPR", Expression, |repl, words, shell| repl.shape(words, shell))
        .aliases(&["shapes"])
        .line("Show what happens to the shapes in an expression")
        .more(
            "Each operation on a line, innermost first. The expression runs on a copy of the \
             session: it changes no variable and uses up no random numbers.",
        )
        .example(":shape torch.softmax(keys @ keys.T / 2**0.5, dim=-1) @ values"),
    command(Look, "strides", "X", Expression, |repl, words, shell| repl.strides(words, shell))
        .aliases(&["storage"])
        .line("Show how a tensor lies in memory")
        .more(
            "Its elements in the order in which they are read, each with the sign of its token; its \
             strides; whether it is contiguous; and the variable with which it shares its storage.",
        )
        .example(":strides keys.T"),
    command(Look, "vars", "", Nothing, |repl, _, shell| repl.vars(shell))
        .aliases(&["who"])
        .line("List the variables")
        .more("First those of the step, then yours.")
        .example(":vars"),
    command(Ask, "why", "EXPR [DEPTH]", Expression, |repl, words, shell| repl.why(words, shell))
        .line("Explain where one number comes from")
        .more(
            "One element of a tensor, such as `keys[1, 0]`. The explanation reads the recorded \
             operations and runs nothing again. A number after the element is the number of levels \
             to go down.",
        )
        .example(":why keys[1,0] 2"),
    command(Ask, "trace", "[CELL]", Step, |repl, words, shell| repl.trace(words, shell))
        .line("Show every operation of a cell, in the order it ran")
        .more(
            "The last cell, or the one with this input number or step: `:trace 2`, `:trace \
             softmax`. It runs again on a copy of the state it ran in.",
        )
        .example(":trace two-kinds-of-weight"),
    command(Ask, "what-if", "CHANGE", Expression, |repl, words, shell| repl.what_if(words, shell))
        .aliases(&["if"])
        .line("Show what changes if something is different from the start")
        .more(
            "`inputs[1,0]=0.9`, `seed 7`, `token journey=one`, `drop journey`, or code: `dim=-1 => \
             dim=0`. All cells run again on copies, without and with the change; the session itself \
             does not change.",
        )
        .example(":what-if inputs[1,0]=0.9"),
    command(Ask, "doctor", "[CELL]", Step, |repl, words, shell| repl.doctor(words, shell))
        .line("Look for mistakes that raise no error")
        .more(
            "In all your inputs, or in one cell: `:doctor 2`, `:doctor softmax`. It finds a softmax \
             over the wrong axis, a mask after the softmax, weights that see later tokens, and the \
             like. The cells run again on a copy.",
        )
        .example(":doctor two-kinds-of-weight"),
    command(Ask, "faq", "[WORDS]", Anything, |repl, words, shell| repl.faq(words, shell))
        .line("Answer a question that many readers ask")
        .more(
            "Found by words of the question, or by its number. Without words: lists the questions. \
             The cell of the answer runs in a session of its own.",
        )
        .example(":faq mask before softmax"),
    command(Ask, "look", "[SENTENCE]", Anything, |repl, words, shell| repl.look(words, shell))
        .line("Show where the heads of the small trained model look in a sentence")
        .more(
            "With `--head 1.2`, `--weight K`, `--word K`, `--without 1.2`, `--why=WORD`, `--model \
             FOLDER` and `--words`, as `attn look` takes them.",
        )
        .example(":look the keys on the table"),
    command(Go, "step", "", Nothing, |repl, _, shell| repl.step(shell))
        .line("Show the current step again")
        .more("Its text, its code, its output, and the current values of its tensors.")
        .example(":step"),
    command(Go, "next", "", Nothing, |repl, _, shell| repl.next(shell))
        .aliases(&["n"])
        .line("Run the next step here, and show it")
        .more(
            "Your variables stay. If the next step needs another lesson, the state of that lesson \
             replaces this one.",
        )
        .example(":next"),
    command(Go, "goto", "WHERE", Step, |repl, words, shell| repl.goto(words, shell))
        .aliases(&["go"])
        .line("Go to the state after a step, a lesson or a file")
        .more("For example `softmax` or `3.4.1`. Your variables are removed; `:undo` restores them.")
        .example(":goto softmax"),
    command(Go, "reset", "", Nothing, |repl, _, shell| repl.reset(shell))
        .line("Restore the state of the step")
        .more("Your variables are removed; `:undo` restores them.")
        .example(":reset"),
    command(Go, "undo", "[N]", Anything, |repl, words, shell| repl.undo(words, shell))
        .aliases(&["u"])
        .line("Go back to the state before the last input, or the last N")
        .more(
            "An input that raised changed nothing: the one before it is undone with it. All earlier \
             inputs run again in a new session, with the same random numbers, so the state is \
             exactly what it was. An input that Ctrl-C stopped is not repeated.",
        )
        .example("x = 1\n:undo"),
    command(Keep, "save", "FILE [!]", File, |repl, words, shell| repl.save(words, shell))
        .aliases(&["w"])
        .line("Write the session to a .py, .ipynb or .html file")
        .more(
            "The file includes the cells of the step, so that it runs by itself, here or in \
             Jupyter. An existing file is overwritten only with `!` at the end. A single statement \
             that raised is left out. An .html file is a page for a browser, on which every number \
             says where it comes from.",
        )
        .example(":save attn-session.py !"),
    command(Keep, "run", "FILE", File, |repl, words, shell| repl.run_file(words, shell))
        .line("Run the cells of a .py, .ipynb or .md file here")
        .more("They run like typed inputs, up to the first that raises.")
        .example(":run attn-session.py"),
    command(Keep, "help", "[NAME]", Anything, |repl, words, shell| repl.help(words, shell))
        .aliases(&["h", "?"])
        .line("Explain a command, a function or a variable")
        .more("Without a name: lists all commands.")
        .example(":help softmax"),
    command(Keep, "quit", "", Nothing, |_, _, _| Ok(InputResult::Quit))
        .aliases(&["q", "exit"])
        .line("Leave; so does Ctrl-D")
        .example(":quit"),
];

impl ReplCommand {
    /// `:table X`
    pub fn usage(&self) -> String {
        format!(":{} {}", self.name, self.args).trim_end().to_owned()
    }
}

/// The command of this name.
pub(super) fn find(word: &str) -> Option<&'static ReplCommand> {
    COMMANDS.iter().find(|command| command.name == word || command.aliases.contains(&word))
}

/// Runs the command that was typed after the colon.
pub(super) fn call(repl: &mut Repl, typed: &str, shell: &mut Shell) -> CommandResult {
    let typed = typed.trim();
    let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    match find(word) {
        Some(command) if command.takes == Nothing && !rest.trim().is_empty() => {
            let words =
                format!("`:{}` takes nothing after it: `{}` was not understood.", command.name, rest.trim());
            Err(CommandError::Message(words))
        }
        Some(command) => (command.run)(repl, rest.trim(), shell),
        None => Err(unknown(word)),
    }
}

/// The argument of a command. Errors: it is missing; the message names `example`.
pub(super) fn required<'w>(argument: &'w str, example: &str) -> Result<&'w str, CommandError> {
    match argument.trim() {
        "" => Err(CommandError::Message(format!("What should it be about? For example: `{example}`"))),
        argument => Ok(argument),
    }
}

fn unknown(word: &str) -> CommandError {
    if word.is_empty() {
        return CommandError::message("A command's name follows the colon. `:help` lists them.");
    }
    let names =
        COMMANDS.iter().flat_map(|command| [command.name].into_iter().chain(command.aliases.iter().copied()));
    let started =
        COMMANDS.iter().map(|command| command.name).filter(|name| word.len() > 1 && name.starts_with(word));
    let near = match started.collect::<Vec<_>>() {
        found if found.is_empty() => nearest(word, names.filter(|name| name.len() > 2), 2),
        found => found.into_iter().map(str::to_owned).collect(),
    };
    let near: Vec<String> = near.iter().map(|name| format!("`:{name}`")).collect();
    CommandError::Message(match near.as_slice() {
        [] => format!("There is no command `:{word}`. `:help` lists those there are."),
        near => format!("There is no command `:{word}`. The nearest: {}.", near.join(", ")),
    })
}

/// Whether an input is a command that leaves the session as it is.
pub(super) fn only_looks(input: &str) -> bool {
    let word = input.trim().strip_prefix(':').and_then(|typed| typed.split_whitespace().next());
    word.is_some_and(|word| {
        let known = find(word);
        known.is_none_or(|it| matches!(it.group, Look | Ask) || it.name == "save")
    })
}
