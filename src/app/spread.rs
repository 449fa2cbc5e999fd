//! `attn completions` and `attn man`: the command line for shells and for `man`.

use clap::Command;
use clap_complete::Shell as CompletionShell;

use super::shell::{Exit, Failure, Shell};
use crate::ops::nearest;

/// What `attn completions` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Completions {
    /// The shell that will read them
    #[arg(value_enum, value_name = "SHELL")]
    dialect: CompletionShell,
}

/// What `attn man` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Man {
    /// The command whose page it is; without one, attn itself
    #[arg(value_name = "COMMAND")]
    verb: Option<String>,
}

/// Writes a completion script.
pub(crate) fn completions(
    args: &Completions,
    mut command: Command,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.dialect, &mut command, "attn", &mut script);
    shell.bytes(&script)?;
    Ok(Exit::Good)
}

/// Writes a manual page.
pub(crate) fn man(args: &Man, command: Command, shell: &mut Shell) -> Result<Exit, Failure> {
    let mut root = command.disable_help_flag(true);
    let page = match &args.verb {
        None => root,
        Some(name) => {
            root.build();
            let Some(verb) = root.find_subcommand(name) else {
                let all = || root.get_subcommands().map(|verb| verb.get_name().to_owned());
                let near = nearest(name, all(), 2);
                let near = if near.is_empty() { all().collect() } else { near };
                return Err(Failure::Usage(format!(
                    "attn has no command `{name}`; the nearest: {}",
                    near.join(", ")
                )));
            };
            verb.clone().name(format!("attn-{name}"))
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff)?;
    shell.bytes(&roff)?;
    Ok(Exit::Good)
}
