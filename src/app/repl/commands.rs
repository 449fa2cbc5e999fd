//! The commands: one table for the parser, `:help`, completion and `docs/repl.md`.
//! A row says what is typed, what it does, and calls the function that does it.

use super::super::shell::Shell;
use super::state::{CommandError, CommandResult, InputResult, Repl};
use crate::ops::nearest;

/// A command.
pub(super) struct ReplCommand {
    /// As it is typed, without the colon.
    pub name: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// What follows it.
    pub args: &'static str,
    /// What it does, in a line.
    pub line: &'static str,
    /// More about it: sentences, as Markdown.
    pub more: &'static str,
    /// How it is used, in the state of the chapter's step 30.
    pub example: &'static str,
    /// Under which heading it stands.
    pub group: CommandGroup,
    /// What may be completed after it.
    pub takes: ArgumentKind,
    run: fn(&mut Repl, &str, &mut Shell) -> CommandResult,
}

/// The headings of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandGroup {
    Look,
    Ask,
    Go,
    Keep,
}

impl CommandGroup {
    /// All of them, in order, with their titles.
    pub(super) const ALL: [(CommandGroup, &'static str); 4] = [
        (CommandGroup::Look, "Look at tensors"),
        (CommandGroup::Ask, "Ask why"),
        (CommandGroup::Go, "Go through the chapter"),
        (CommandGroup::Keep, "Keep, set, leave"),
    ];
}

/// What a command's argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Nothing,
    Expression,
    Step,
    File,
    Setting,
    Anything,
}

/// All commands, in the order of the help.
pub(super) static COMMANDS: &[ReplCommand] = &[
    ReplCommand {
        name: "table",
        aliases: &["t"],
        args: "X",
        line: "Show a tensor as a table",
        more: "`X` is a variable or any expression that gives a tensor. Rows and columns bear the names of the \
               step's axes and tokens; `:axes` gives names to tensors of your own.",
        example: ":table keys",
        group: CommandGroup::Look,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.table(words, shell),
    },
    ReplCommand {
        name: "heat",
        aliases: &[],
        args: "X",
        line: "Show a tensor as a heat map",
        more: "One map for each slice over the last two axes; of a large tensor the means of blocks.",
        example: ":heat keys @ keys.T",
        group: CommandGroup::Look,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.heat(words, shell),
    },
    ReplCommand {
        name: "shape",
        aliases: &["shapes"],
        args: "EXPR",
        line: "Show what happens to the shapes in an expression",
        more: "Each operation on a line, innermost first. It is worked out on a copy of the session: nothing that \
               the expression does stays, and no random numbers are used up.",
        example: ":shape torch.softmax(keys @ keys.T / 2**0.5, dim=-1) @ values",
        group: CommandGroup::Look,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.shape(words, shell),
    },
    ReplCommand {
        name: "strides",
        aliases: &["storage"],
        args: "X",
        line: "Show how a tensor lies in memory",
        more: "Its elements in the order in which they are read, each with the sign of the token it belongs to; its \
               strides; whether it is contiguous, and with which variable it shares its storage.",
        example: ":strides keys.T",
        group: CommandGroup::Look,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.strides(words, shell),
    },
    ReplCommand {
        name: "diff",
        aliases: &["compare"],
        args: "A B",
        line: "Compare two tensors: where they differ, and by how much",
        more: "Two names, or two expressions with a comma between them.",
        example: ":diff keys, values",
        group: CommandGroup::Look,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.diff(words, shell),
    },
    ReplCommand {
        name: "axes",
        aliases: &[],
        args: "X NAME...",
        line: "Give names to the axes of a tensor",
        more: "From then on its tables bear them. An axis called `token`, `query` or `key` gets the lesson's words \
               where there are as many. Without names: says what they are.",
        example: ":axes keys token d_out",
        group: CommandGroup::Look,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.axes(words, shell),
    },
    ReplCommand {
        name: "vars",
        aliases: &["who"],
        args: "",
        line: "List the variables",
        more: "First those of the step, then yours.",
        example: ":vars",
        group: CommandGroup::Look,
        takes: ArgumentKind::Nothing,
        run: |repl, _, shell| repl.vars(shell),
    },
    ReplCommand {
        name: "why",
        aliases: &[],
        args: "EXPR [DEPTH]",
        line: "Say where one number comes from",
        more: "One element of a tensor, such as `keys[1, 0]`: from what was really run, not by running it again. A \
               number after it says how many levels to go down.",
        example: ":why keys[1,0] 2",
        group: CommandGroup::Ask,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.why(words, shell),
    },
    ReplCommand {
        name: "trace",
        aliases: &[],
        args: "[CELL]",
        line: "Show every operation of a cell, in the order it ran",
        more: "The last cell, or that of an input's number or of a step: `:trace 2`, `:trace step30`. It runs again on a \
               copy of the state it ran in.",
        example: ":trace step30",
        group: CommandGroup::Ask,
        takes: ArgumentKind::Step,
        run: |repl, words, shell| repl.trace(words, shell),
    },
    ReplCommand {
        name: "what-if",
        aliases: &["if"],
        args: "CHANGE",
        line: "Show what would move if something had been different from the start",
        more: "`inputs[1,0]=0.9`, `seed 7`, `token journey=one`, `drop journey`, or code: `dim=-1 => dim=0`. All cells run \
               again on copies, without and with the change; the session stays as it is.",
        example: ":what-if inputs[1,0]=0.9",
        group: CommandGroup::Ask,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.what_if(words, shell),
    },
    ReplCommand {
        name: "doctor",
        aliases: &[],
        args: "[CELL]",
        line: "Look for what runs without an error and is wrong",
        more: "In all that you typed, or in one cell: `:doctor 2`, `:doctor step30`. A softmax over the wrong axis, a mask \
               after it, weights that see what comes later, and the like; all of it runs again on a copy.",
        example: ":doctor step30",
        group: CommandGroup::Ask,
        takes: ArgumentKind::Step,
        run: |repl, words, shell| repl.doctor(words, shell),
    },
    ReplCommand {
        name: "time",
        aliases: &["timeit"],
        args: "EXPR",
        line: "Measure how long an expression takes",
        more: "It runs many times, on a copy of the session.",
        example: ":time keys @ keys.T",
        group: CommandGroup::Ask,
        takes: ArgumentKind::Expression,
        run: |repl, words, shell| repl.time(words, shell),
    },
    ReplCommand {
        name: "step",
        aliases: &[],
        args: "",
        line: "Show the current step again",
        more: "Its text, its code, what it printed, and its tensors as they are now.",
        example: ":step",
        group: CommandGroup::Go,
        takes: ArgumentKind::Nothing,
        run: |repl, _, shell| repl.step(shell),
    },
    ReplCommand {
        name: "next",
        aliases: &["n"],
        args: "",
        line: "Run the next step here, and show it",
        more: "Your variables stay. If the next step builds on another lesson, its state takes the place of this one.",
        example: ":next",
        group: CommandGroup::Go,
        takes: ArgumentKind::Nothing,
        run: |repl, _, shell| repl.next(shell),
    },
    ReplCommand {
        name: "goto",
        aliases: &["go"],
        args: "WHERE",
        line: "Go to the state after a step, a lesson or a file",
        more: "`step30`, `30`, `softmax`, `3.4.1`. What you made here is gone; `:undo` brings it back.",
        example: ":goto softmax",
        group: CommandGroup::Go,
        takes: ArgumentKind::Step,
        run: |repl, words, shell| repl.goto(words, shell),
    },
    ReplCommand {
        name: "reset",
        aliases: &[],
        args: "",
        line: "Make the state of the step anew",
        more: "What you made here is gone; `:undo` brings it back.",
        example: ":reset",
        group: CommandGroup::Go,
        takes: ArgumentKind::Nothing,
        run: |repl, _, shell| repl.reset(shell),
    },
    ReplCommand {
        name: "undo",
        aliases: &["u"],
        args: "",
        line: "Go back to the state before the last input",
        more: "All inputs but that one are run again in a fresh session, random numbers included; the state is exactly \
               what it was. What an input did before Ctrl-C stopped it is not repeated.",
        example: "x = 1\n:undo",
        group: CommandGroup::Go,
        takes: ArgumentKind::Nothing,
        run: |repl, _, shell| repl.undo(shell),
    },
    ReplCommand {
        name: "save",
        aliases: &["w"],
        args: "FILE [!]",
        line: "Write the session to a .py or .ipynb file",
        more: "With the cells of the step before it, so that the file runs by itself, here or in Jupyter. A file that \
               is there is written over only with `!` at the end. A single statement that raised is left out.",
        example: ":save attn-session.py !",
        group: CommandGroup::Keep,
        takes: ArgumentKind::File,
        run: |repl, words, shell| repl.save(words, shell),
    },
    ReplCommand {
        name: "run",
        aliases: &[],
        args: "FILE",
        line: "Run the cells of a .py, .ipynb or .md file here",
        more: "They run as if they were typed, up to the first that raises.",
        example: ":run attn-session.py",
        group: CommandGroup::Keep,
        takes: ArgumentKind::File,
        run: |repl, words, shell| repl.run_file(words, shell),
    },
    ReplCommand {
        name: "set",
        aliases: &[],
        args: "[NAME VALUE]",
        line: "Change a setting; alone: list them",
        more: "",
        example: ":set tables on",
        group: CommandGroup::Keep,
        takes: ArgumentKind::Setting,
        run: |repl, words, shell| repl.set(words, shell),
    },
    ReplCommand {
        name: "help",
        aliases: &["h", "?"],
        args: "[NAME]",
        line: "Say what a command, a function or a variable is",
        more: "Alone: all commands.",
        example: ":help softmax",
        group: CommandGroup::Keep,
        takes: ArgumentKind::Anything,
        run: |repl, words, shell| repl.help(words, shell),
    },
    ReplCommand {
        name: "quit",
        aliases: &["q", "exit"],
        args: "",
        line: "Leave; so does Ctrl-D",
        more: "",
        example: ":quit",
        group: CommandGroup::Keep,
        takes: ArgumentKind::Nothing,
        run: |_, _, _| Ok(InputResult::Quit),
    },
];

impl ReplCommand {
    /// `:table X`
    pub(super) fn usage(&self) -> String {
        format!(":{} {}", self.name, self.args).trim_end().to_owned()
    }
}

/// The command of this name.
pub(super) fn find(word: &str) -> Option<&'static ReplCommand> {
    COMMANDS.iter().find(|command| command.name == word || command.aliases.contains(&word))
}

/// Does what was typed after the colon.
pub(super) fn call(repl: &mut Repl, typed: &str, shell: &mut Shell) -> CommandResult {
    let typed = typed.trim();
    let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    // `:save!` as in editors.
    let (word, rest) = match word.strip_suffix('!') {
        Some(word) if !word.is_empty() => (word, format!("{rest} !")),
        _ => (word, rest.to_owned()),
    };
    match find(word) {
        Some(command) => (command.run)(repl, rest.trim(), shell),
        None => Err(unknown(word)),
    }
}

/// The argument of a command. Errors: it is missing; the message names `example`.
pub(super) fn required<'w>(argument: &'w str, example: &str) -> Result<&'w str, CommandError> {
    match argument.trim() {
        "" => Err(CommandError::Message(format!("Of what? For example `{example}`"))),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::repl::moves::workspace_at;
    use crate::lesson::Catalogue;

    #[test]
    fn no_word_stands_for_two_commands() {
        let mut words: Vec<&str> =
            COMMANDS.iter().flat_map(|it| [it.name].into_iter().chain(it.aliases.iter().copied())).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }

    /// Every row has its help, and its example does what it says.
    #[test]
    fn the_whole_table_works() {
        let folder = std::env::temp_dir().join(format!("attn-commands-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        let catalogue = Catalogue::new();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut shell = Shell::new(&mut out, &mut err, false);
        let (workspace, _) =
            workspace_at("step30", &catalogue, &mut shell).expect("the chapter has a step 30");
        let mut repl = Repl::new(workspace, &catalogue);
        for command in COMMANDS {
            assert!(!command.line.is_empty() && !command.line.ends_with('.'), "{}", command.name);
            for line in command.example.lines() {
                let line = line.replace("attn-session", &folder.join("attn-session").display().to_string());
                let expected = if command.name == "quit" { InputResult::Quit } else { InputResult::Done };
                let last = line.starts_with(':');
                let went = repl.take(&line, &mut shell).expect("there is room for the output");
                assert_eq!(went, if last { expected } else { InputResult::Done }, "{line}");
            }
            let went = repl.take(&format!(":help :{}", command.name), &mut shell);
            assert_eq!(went.expect("there is room for the output"), InputResult::Done, "{}", command.name);
        }
        std::fs::remove_dir_all(&folder).expect("the folder can go");
        assert!(!String::from_utf8_lossy(&err).contains("raised"));
    }
}
