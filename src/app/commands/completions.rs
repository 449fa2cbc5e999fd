//! `attn completions`: the command line for shells.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::Shell as CompletionShell;

use super::super::terminal::shell::{Exit, Failure, Shell};

/// What `attn completions` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell that will read them
    #[arg(value_enum, value_name = "SHELL")]
    dialect: CompletionShell,
}

/// Writes a completion script.
pub(crate) fn run(args: &Args, mut command: Command, shell: &mut Shell) -> Result<Exit, Failure> {
    if args.dialect == CompletionShell::Bash {
        command = without_placeholders(command);
    }
    let mut script = Vec::new();
    clap_complete::generate(args.dialect, &mut command, "attn", &mut script);
    shell.say(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Good)
}

/// The command line whose arguments without fixed values have no values: clap's script for bash offers a placeholder,
/// `<WHERE|FILE>`, among the words that can be typed.
fn without_placeholders(command: Command) -> Command {
    let is_open = |arg: &Arg| arg.is_positional() && arg.get_value_parser().possible_values().is_none();
    command.mut_subcommands(|verb| {
        verb.mut_args(|arg| match is_open(&arg) {
            true => arg.value_parser(PossibleValuesParser::new(Vec::<&str>::new())),
            false => arg,
        })
    })
}
