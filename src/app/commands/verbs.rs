//! The table of commands, for the parser, the help and the completions; reading a command line and running it.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::super::cells::course;
use super::super::cells::machine;
use super::super::terminal::shell::{Exit, Failure, Shell, coloured, columns};
use super::super::{learn, repl};
use super::options::{GlobalOptions, When};
use super::{
    bench, check, compare, completions, doctor, export, faq, list, look, new, reset, review, run, show, why,
    write,
};
use crate::ops::nearest;
use crate::shims::wall;
use crate::view::text::commands_terminal;

pub struct Verb {
    pub name: &'static str,
    /// What it does, in one line without a full stop.
    pub line: &'static str,
    /// Examples, one per line.
    pub examples: &'static str,
    /// Adds its options.
    args: fn(Command) -> Command,
    run: fn(&ArgMatches, &mut Shell) -> Result<Exit, Failure>,
}

/// A command, by the module that has its `Args` and its `run`.
macro_rules! verb {
    ($module:ident, $line:expr, $examples:expr) => {
        Verb {
            name: stringify!($module),
            line: $line,
            examples: $examples,
            args: $module::Args::augment_args,
            run: |matches, shell| $module::run(&parsed(matches)?, shell),
        }
    };
}

/// All commands, in the order of the help.
pub static VERBS: &[Verb] = &[
    verb!(
        learn,
        "Walk through the chapter, from where it was left or from WHERE",
        "attn learn\nattn learn softmax-naive\nattn learn 3\nattn learn my-course"
    ),
    verb!(
        run,
        "Run a step, a lesson, a notebook or a script, and show its tensors",
        "attn run scores\nattn run 3.4.1 --until scaled-weights\nattn run notebook.ipynb --keep-going\n\
        attn run scores --trace\nattn run 3.3.2 --set inputs[1,0]=0.9\n\
        attn run scores --json"
    ),
    verb!(
        show,
        "Show the prose and the code of a step, not run, or the glossary",
        "attn show scores\nattn show softmax\nattn show 3.3.2\nattn show glossary\n\
        attn show glossary context vector\nattn show @gpt2"
    ),
    verb!(
        look,
        "See where the heads of a trained model look: a small one inside attn, or one in a folder",
        "attn look the keys on the table\nattn look the keys on the table --head 2.1\nattn look --without 2.4\n\
        attn look --why=fish\nattn look --model gpt2 the keys on the table\nattn look --model gpt2 --head 5.2"
    ),
    verb!(
        write,
        "Let a trained model go on with a text, token by token",
        "attn write the keys on\nattn write --model gpt2 The river --tokens 100\n\
        attn write --model gpt2 The river --temperature 0.8 --top-k 50 --seed 1"
    ),
    verb!(
        repl,
        "Work with the tensors of a step: your own code, and commands that inspect and explain",
        "attn repl scaled-weights\nattn repl 3.4.1\nattn repl notebook.ipynb\nattn repl"
    ),
    verb!(
        why,
        "Explain where a number comes from",
        "attn why scores attn_scores_2\nattn why 3.3.2 'attn_weights[1,2]' --depth 3\n\
        attn why 3.3.2 journey starts\nattn why 3.5.3 'forward: attn_scores[0,2,1]'\n\
        attn why notebook.ipynb 'scores[0,0]'"
    ),
    verb!(
        faq,
        "Answer a question that many readers ask, with a cell that shows it",
        "attn faq why view transpose\nattn faq mask before softmax\nattn faq 3\nattn faq"
    ),
    verb!(
        review,
        "Ask again what you have met; wrong answers come back sooner",
        "attn review\nattn review --count 3"
    ),
    verb!(list, "List the lessons and their steps", "attn list\nattn list 3\nattn list --json"),
    verb!(
        check,
        "Run a notebook again and compare with its recorded outputs",
        "attn check notebook.ipynb\nattn check notebook.ipynb --tolerance 1e-4\nattn check my-course --json\n\
        attn check"
    ),
    verb!(
        doctor,
        "Find what runs without an error and is wrong",
        "attn doctor attention.py\nattn doctor notebook.ipynb --json\nattn doctor 3.6.2"
    ),
    verb!(
        compare,
        "Compare two implementations with the same weights, and show where they part",
        "attn compare a.py:Attention b.py:Attention\nattn compare model.py:Attention @gpt2\n\
        attn compare 'model.py:Attention(64,4)' @mha --json"
    ),
    verb!(
        bench,
        "Measure attention on this machine, against the machine's own limit",
        "attn bench\nattn bench --tokens 1024 --causal --path fused\nattn bench --json"
    ),
    verb!(
        export,
        "Write steps, answers and tables as a page for a browser, as Markdown or as a notebook",
        "attn export -o summary.md\nattn export 3.6.2 -o page.html\nattn export notebook.ipynb -o page.html\nattn export script.py -o script.ipynb\n\
        attn export 3.3.1 --format ipynb -o lesson.ipynb\nattn export another-query"
    ),
    verb!(
        new,
        "Begin a course of your own: a folder with a first lesson that passes its check",
        "attn new my-course"
    ),
    verb!(
        reset,
        "Delete progress: all of it, or that of one lesson or step",
        "attn reset\nattn reset 3.3.1\nattn reset another-query --yes"
    ),
    Verb {
        name: "completions",
        line: "Write completions for a shell",
        examples: "attn completions bash > ~/.local/share/bash-completion/completions/attn\n\
                   attn completions zsh > ~/.zfunc/_attn",
        args: completions::Args::augment_args,
        run: |matches, shell| completions::run(&parsed(matches)?, command(), shell),
    },
];

fn parsed<T: FromArgMatches>(matches: &ArgMatches) -> Result<T, Failure> {
    T::from_arg_matches(matches).map_err(|error| Failure::Usage(error.to_string()))
}

/// The command line as clap parses it.
pub fn command() -> Command {
    let root = GlobalOptions::augment_args(Command::new("attn"))
        .version(env!("CARGO_PKG_VERSION"))
        .about("Learn self-attention by running it: the chapter's own code, its own numbers")
        .long_about(None)
        .after_help(
            "Environment:\n  ATTN_STATE_DIR  the folder for saved progress (default: the platform's)\n  \
             ATTN_THREADS    how many threads may compute (default: one for each processor)",
        )
        .disable_help_subcommand(true)
        .term_width(columns(io::stdout().is_terminal()).min(100));
    VERBS.iter().fold(root, |root, verb| {
        let examples: String = verb.examples.lines().map(|line| format!("\n  {line}")).collect();
        // Without this, clap shows the doc comment of the options' struct.
        let command = (verb.args)(Command::new(verb.name)).about(verb.line).long_about(None);
        root.subcommand(command.after_help(format!("Examples:{examples}")))
    })
}

/// A command line that was read.
pub(crate) enum Line {
    /// `--version --verbose`.
    Holds,
    /// A command with its options, or none.
    Command(ArgMatches),
    /// Help, the version, or what is wrong, and the arguments.
    Shown(clap::Error, Vec<OsString>),
    /// Something that the parser cannot read.
    Unreadable(String),
}

impl Line {
    /// Reads the command line.
    pub(crate) fn read(args: Vec<OsString>) -> Line {
        if let Some(odd) = args.iter().find(|arg| arg.to_str().is_none()) {
            // Python's `sys` takes over the arguments of the program as text.
            let words = format!("{}: an argument must be UTF-8 text; rename the file", odd.to_string_lossy());
            return Line::Unreadable(words);
        }
        let args = with_help_option(args);
        if asks_what_holds(&args) {
            return Line::Holds;
        }
        match command().try_get_matches_from(&args) {
            Ok(matches) => Line::Command(matches),
            Err(error) => Line::Shown(error, args),
        }
    }

    /// Its options, if it begins a session: that may take hours, and should outlive what a cell does to its process.
    pub(crate) fn session(&self) -> Option<GlobalOptions> {
        let Line::Command(matches) = self else { return None };
        let options: GlobalOptions = parsed(matches).ok()?;
        match matches.subcommand_name() {
            Some("repl") => Some(options),
            None | Some("learn") => options.can_ask().then_some(options),
            Some(_) => None,
        }
    }

    /// Runs it. Without a command: the walkthrough on a terminal, the list elsewhere.
    pub(crate) fn run(self, shell: &mut Shell) -> Result<Exit, Failure> {
        let matches = match self {
            Line::Holds => return what_holds(shell),
            Line::Command(matches) => matches,
            Line::Shown(error, args) => return show_error(error, &args, shell),
            Line::Unreadable(words) => return Err(Failure::Usage(words)),
        };
        shell.set(parsed(&matches)?);
        machine::threads()?;
        shell.options.files().map_err(Failure::Usage)?;
        match matches.subcommand() {
            Some((name, matches)) => {
                let verb = VERBS.iter().find(|verb| verb.name == name);
                (verb.expect("the parser knows the table's names only").run)(matches, shell)
            }
            None if learn::can_start(shell) => learn::resume(shell),
            None => {
                if !shell.options.json {
                    shell.remark(
                        "the walkthrough needs a terminal; here are the lessons, and `attn --help` has the commands",
                    );
                }
                list::all(shell)
            }
        }
    }
}

/// `attn help` is `attn --help`, and `attn help why` is `attn why --help`.
fn with_help_option(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_some_and(|word| word == "help") {
        args.remove(1);
        args.truncate(2);
        args.push("--help".into());
    }
    args
}

/// Whether these are `--version --verbose`.
fn asks_what_holds(args: &[OsString]) -> bool {
    let is = |at: usize, words: [&str; 2]| words.iter().any(|word| args[at] == *word);
    let (version, verbose) = (["--version", "-V"], ["--verbose", "-v"]);
    args.len() == 3 && (is(1, version) && is(2, verbose) || is(1, verbose) && is(2, version))
}

/// The version, and what the system holds back from cells besides what attn does.
fn what_holds(shell: &mut Shell) -> Result<Exit, Failure> {
    let held = wall::raise();
    let here = |held: bool, what: &str| match held {
        true => format!("the system refuses cells {what}"),
        false => format!("only attn, not the system, refuses cells {what}"),
    };
    let words = format!(
        "attn {}\n{} (Landlock)\n{} (seccomp)\n",
        env!("CARGO_PKG_VERSION"),
        here(held.files, "files that no option names"),
        here(held.calls, "programs, the network and other processes"),
    );
    shell.say(&words).map(|()| Exit::Good)
}

/// Shows what the parser says: help and the version as a result, everything else as a usage error.
fn show_error(mut error: clap::Error, args: &[OsString], shell: &mut Shell) -> Result<Exit, Failure> {
    let is_result = !error.use_stderr();
    let word = |words: [&str; 2]| args.windows(2).any(|pair| pair[0] == words[0] && pair[1] == words[1]);
    let when = match () {
        () if word(["--color", "always"]) || args.iter().any(|arg| arg == "--color=always") => When::Always,
        () if word(["--color", "never"]) || args.iter().any(|arg| arg == "--color=never") => When::Never,
        () => When::Auto,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => hint(&mut error),
        ErrorKind::MissingRequiredArgument => example(&mut error, args),
        _ => {}
    }
    let terminal = if is_result { shell.terminal } else { io::stderr().is_terminal() };
    let styled = error.render();
    // Styles are for a message whose arguments have none of their own.
    let is_plain = args.iter().all(|arg| !arg.to_string_lossy().contains(commands_terminal));
    let text = match is_plain && coloured(when, terminal) {
        true => styled.ansi().to_string(),
        false => styled.to_string(),
    };
    match is_result {
        true => shell.say(&text).map(|()| Exit::Good),
        false => {
            match is_plain {
                true => shell.styled_aside(&text),
                false => shell.aside(&text),
            }
            Ok(Exit::Usage)
        }
    }
}

/// Adds an example of the command to the message that an argument is missing.
fn example(error: &mut clap::Error, args: &[OsString]) {
    let mut words = args.iter().skip(1).filter_map(|arg| arg.to_str());
    let Some(verb) = words.find_map(|word| VERBS.iter().find(|verb| verb.name == word)) else { return };
    let tip = format!("for example: {}", verb.examples.lines().next().unwrap_or(verb.name));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

/// Adds a suggestion to an unknown command: a similar command, or how to run the step or file of that name.
fn hint(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let is_name = course::catalogue().is_ok_and(|catalogue| catalogue.find(word).is_ok());
    let can_run = is_name || Path::new(word).is_file();
    let tip = match nearest(word, VERBS.iter().map(|verb| verb.name), 1).as_slice() {
        _ if can_run => format!("to run it: attn run {word}"),
        [name] if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            format!("a similar subcommand exists: '{name}'")
        }
        _ => return,
    };
    error.remove(ContextKind::SuggestedSubcommand);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}
