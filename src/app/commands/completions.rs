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
    let verbs: Vec<&str> = command.get_subcommands().filter(takes_names).map(Command::get_name).collect();
    let (cases, words) = (verbs.join("|"), verbs.join(" "));
    let names = names_of_steps(args.dialect).replace("VERBS|", &cases).replace("VERBS", &words);
    if args.dialect == CompletionShell::Bash {
        command = without_placeholders(command);
    }
    let mut script = Vec::new();
    clap_complete::generate(args.dialect, &mut command, "attn", &mut script);
    script.extend_from_slice(names.as_bytes());
    shell.bytes(&script)?;
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

/// Whether a command takes a step or a lesson: its argument is called so.
fn takes_names(verb: &&Command) -> bool {
    let mut values = verb.get_positionals().filter_map(clap::Arg::get_value_names).flatten();
    values.any(|name| name.split('|').any(|word| word == "WHERE"))
}

/// The part of a completion script that completes the names of steps, lessons and exercises.
fn names_of_steps(dialect: CompletionShell) -> &'static str {
    match dialect {
        CompletionShell::Bash => BASH,
        CompletionShell::Zsh => ZSH,
        CompletionShell::Fish => FISH,
        _ => "",
    }
}

const BASH: &str = r#"
_attn_with_names() {
    _attn "$@"
    local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    case "${COMP_WORDS[1]}" in
        VERBS|) ;;
        *) return 0 ;;
    esac
    [[ "$word" == -* ]] && return 0
    [[ "$previous" == -* && "$previous" != --until && "$previous" != --trace ]] && return 0
    COMPREPLY+=($(compgen -W "$(attn list --names 2>/dev/null)" -- "$word"))
}
complete -F _attn_with_names -o nosort -o bashdefault -o default attn
"#;

const ZSH: &str = r#"
_attn_with_names() {
    _attn "$@"
    case "${words[2]}" in
        VERBS|)
            [[ "${words[CURRENT]}" == -* ]] || compadd -- ${(f)"$(attn list --names 2>/dev/null)"} ;;
    esac
}
compdef _attn_with_names attn
"#;

const FISH: &str = r#"
complete -c attn -n "__fish_seen_subcommand_from VERBS" -a "(attn list --names 2>/dev/null)"
"#;
