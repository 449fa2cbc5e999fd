//! `attn repl`: the learner's own code over the tensors of a step, and commands that look at them.
//! Reads inputs one after another and hands each on; what an input does stands in the other files.
//!
//! | file | what it does |
//! |---|---|
//! | [`commands`] | the table of commands |
//! | [`cells`] | an input that is Python: run it, show what came |
//! | [`tensors`], [`names`], [`asks`], [`moves`], [`files`], [`settings`], [`help`] | what the commands do |
//! | [`editor`], [`keys`], [`complete`], [`hints`], [`past`] | typing on a terminal |
//! | [`lines`] | reading from a pipe, or where nothing may be redrawn |
//! | [`page`] | the table of commands as `docs/repl.md` |

mod asks;
mod cells;
mod commands;
mod complete;
mod editor;
mod files;
mod help;
mod hints;
mod keys;
mod lines;
mod moves;
mod names;
pub mod page;
mod past;
mod settings;
mod tensors;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;

use super::course;
use super::machine;
use super::shell::{Exit, Failure, Shell};
use super::workspace::Workspace;
use crate::lesson::Catalogue;
use crate::session::Outcome;
use crate::view::errors::ErrorNote;

/// What `attn repl` takes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A step (step3, scores), a lesson (3.4.1), or a .ipynb, .py or .md file whose state to start from
    #[arg(value_name = "WHERE|FILE", value_hint = clap::ValueHint::AnyPath)]
    target: Option<String>,
    /// Go on after an input that raises, also where inputs come through a pipe
    #[arg(long)]
    keep_going: bool,
}

/// Sets a workspace and works at it.
pub fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = course::catalogue()?;
    let (workspace, gave) = match &args.target {
        Some(word) => moves::workspace_at(word, &catalogue, shell)?,
        None => (moves::bare_workspace(shell), BTreeMap::new()),
    };
    let mut repl = Repl::new(workspace, &catalogue);
    repl.gave = gave;
    repl.source = args.target.clone();
    repl.work(args.keep_going, shell)
}

/// Works at a workspace until the learner leaves. The workspace is used up: hand in a copy ([`Workspace::again`])
/// where what happens here must not be seen elsewhere.
pub fn open<'c>(
    workspace: Workspace<'c>,
    catalogue: &'c Catalogue,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let mut repl = Repl::new(workspace, catalogue);
    repl.inside = true;
    repl.work(false, shell)
}

/// How an input went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Went {
    /// It did what was asked.
    Well,
    /// It raised, or it could not be done; that was said.
    Badly,
    /// Ctrl-C stopped it.
    Stopped,
    /// The learner leaves.
    Away,
}

/// Why a command was not done.
enum Refusal {
    /// What is wrong and what to try, as Markdown.
    Said(String),
    /// Ctrl-C: everything is as it was.
    Stopped,
    /// An expression raised.
    Raised(Box<ErrorNote>),
    /// The output cannot be written, or the like.
    Failed(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        match failure {
            Failure::Usage(words) | Failure::Unreadable(words) => Refusal::Said(words),
            Failure::Stopped => Refusal::Stopped,
            failure => Refusal::Failed(failure),
        }
    }
}

impl Refusal {
    fn said(words: impl Into<String>) -> Refusal {
        Refusal::Said(words.into())
    }
}

/// What a command answers.
type Answer = Result<Went, Refusal>;

/// Where the next input comes from.
enum Heard {
    /// An input.
    Input(String),
    /// The line was given up.
    Nothing,
    /// There is no more.
    End,
}

/// A session of the REPL.
struct Repl<'c> {
    /// Where the inputs run. Shared with the line editor, which completes names.
    workspace: Rc<RefCell<Workspace<'c>>>,
    catalogue: &'c Catalogue,
    settings: settings::Settings,
    /// How many inputs there were.
    count: usize,
    /// What the cells that ran gave, by the name they ran under.
    gave: BTreeMap<String, Outcome>,
    /// Where `:undo` goes back to, the last one last.
    before: Vec<moves::Before<'c>>,
    /// Names that were there before the first input.
    given: Vec<String>,
    /// The file or the step that was asked for.
    source: Option<String>,
    /// Whether the walkthrough opened it, and goes on when the learner leaves.
    inside: bool,
    /// Whether someone types, and sees what comes.
    typed: bool,
}

impl<'c> Repl<'c> {
    fn new(workspace: Workspace<'c>, catalogue: &'c Catalogue) -> Repl<'c> {
        let given = workspace.session.names();
        Repl {
            workspace: Rc::new(RefCell::new(workspace)),
            catalogue,
            settings: settings::Settings::default(),
            count: 0,
            gave: BTreeMap::new(),
            before: Vec::new(),
            given,
            source: None,
            inside: false,
            typed: false,
        }
    }

    /// Reads inputs and does what they say, until there are no more or the learner leaves.
    fn work(mut self, keep_going: bool, shell: &mut Shell) -> Result<Exit, Failure> {
        self.typed = io::stdin().is_terminal();
        self.settings.shapes = self.typed && shell.terminal;
        let mut ear = Ear::new(&self, shell);
        if self.typed {
            machine::stay();
            self.greet(shell)?;
        }
        let _quiet = Quiet::new();
        let mut exit = Exit::Good;
        loop {
            if shell.has_said() && self.typed && !shell.look.plain {
                // What was said stands apart from the next prompt.
                shell.say("\n")?;
                shell.has_said();
            }
            shell.refit();
            let input = match ear.listen(&self, shell)? {
                Heard::Input(input) => input,
                Heard::Nothing => continue,
                Heard::End => break,
            };
            let went = panic::catch_unwind(AssertUnwindSafe(|| self.take(&input, shell)));
            let went = match went {
                Ok(went) => went?,
                Err(_) => {
                    self.say("This is a defect of attn, not of your code; the session goes on. Please report what you typed.", shell)?;
                    Went::Badly
                }
            };
            match went {
                Went::Away => break,
                Went::Well => {}
                Went::Badly | Went::Stopped if self.typed => {}
                Went::Stopped => return Ok(Exit::Interrupted),
                Went::Badly => {
                    exit = Exit::Raised;
                    if !keep_going {
                        break;
                    }
                }
            }
        }
        shell.flush()?;
        Ok(exit)
    }

    /// Does what one input says: a command, or Python.
    fn take(&mut self, input: &str, shell: &mut Shell) -> Result<Went, Failure> {
        let words = input.trim();
        let command = match words {
            "" => return Ok(Went::Well),
            "exit" | "quit" | "exit()" | "quit()" => return Ok(Went::Away),
            "help" | "?" | "help()" => Some("help"),
            _ => words.strip_prefix(':'),
        };
        let Some(command) = command else {
            return self.cell(input.trim_end(), shell);
        };
        match commands::call(self, command, shell) {
            Ok(went) => Ok(went),
            Err(Refusal::Failed(failure)) => Err(failure),
            Err(Refusal::Stopped) => {
                if shell.terminal {
                    // The terminal has echoed ^C.
                    shell.say("\n")?;
                }
                self.say("Stopped. Everything is as it was.", shell).map(|()| Went::Stopped)
            }
            Err(Refusal::Said(words)) => self.say(&words, shell).map(|()| Went::Badly),
            Err(Refusal::Raised(note)) => self.tell(&note, shell).map(|()| Went::Badly),
        }
    }
}

/// Where inputs come from: the line editor, or lines as they are.
enum Ear<'c> {
    Editor(Box<editor::Editor<'c>>),
    Lines(lines::Lines),
}

impl<'c> Ear<'c> {
    fn new(repl: &Repl<'c>, shell: &Shell) -> Ear<'c> {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let edits = repl.typed && shell.terminal && !shell.look.plain && !dumb;
        match edits.then(|| editor::Editor::new(repl, shell)).flatten() {
            Some(editor) => Ear::Editor(Box::new(editor)),
            None => Ear::Lines(lines::Lines::new(repl.typed)),
        }
    }

    fn listen(&mut self, repl: &Repl, shell: &mut Shell) -> Result<Heard, Failure> {
        shell.flush()?;
        match self {
            Ear::Editor(editor) => editor.listen(repl.count + 1, shell),
            Ear::Lines(lines) => lines.listen(repl.count + 1, shell),
        }
    }
}

/// While it lives, a panic says nothing of its own: whoever catches it tells the learner.
struct Quiet(Option<Hook>);

/// What a panic says.
type Hook = Box<dyn Fn(&panic::PanicHookInfo<'_>) + Sync + Send>;

impl Quiet {
    fn new() -> Quiet {
        let before = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        Quiet(Some(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // While a panic passes through, the hook cannot be changed.
        if let Some(before) = self.0.take().filter(|_| !std::thread::panicking()) {
            panic::set_hook(before);
        }
    }
}
