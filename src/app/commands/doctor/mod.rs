//! `attn doctor`: mistakes that raise no error, found in the operations that cells run.
//!
//! | file | what it does |
//! |---|---|
//! | [`targets`] | files and folders, and which findings are asked for |
//! | [`examined`] | runs a target and gathers its findings |
//! | [`parts`] | what of a file that cannot run can be examined |
//! | [`fix`] | tries fixes, and shows as a diff the one that works |
//! | [`formats`] | findings as text, as JSON, for GitHub and as SARIF |

mod examined;
mod fix;
mod formats;
mod parts;
mod targets;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::cells::course;
use super::super::cells::plan::{Plan, plan};
use super::super::cells::processes;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::explain::doctor::{example_of, named};
use crate::view::doctor::{self as report, Place, Tally};
pub(crate) use examined::findings;
use formats::Format;
use targets::Selection;

/// The arguments of `attn doctor`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step (scores), a lesson (3.4.1), a .ipynb, .py or .md file, - for stdin, or a folder
    #[arg(required_unless_present = "explain", value_name = "WHERE|FILE|DIR", value_hint = clap::ValueHint::AnyPath)]
    targets: Vec<String>,
    /// Run on as far as this step; in a file, as far as this code cell
    #[arg(long, value_name = "STEP")]
    until: Option<String>,
    /// How findings are written: text, short (a line for each), json, github (annotations of a workflow) or sarif
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,
    /// Report only these: codes (A201), beginnings of codes (A1) or names (scale), with commas between them
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    select: Vec<String>,
    /// Do not report these
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Exit with 1 when something that computes attention was not examined
    #[arg(long)]
    strict: bool,
    /// Explain a mistake, with code that has it and code that does not
    #[arg(long, value_name = "CODE", conflicts_with = "targets")]
    explain: Option<String>,
}

/// A place with the full path of its file.
fn full((code, file, line): Place) -> Place {
    let path = std::fs::canonicalize(&file).map_or(file, |path| path.display().to_string());
    (code, path, line)
}

/// Runs each target and shows its silent mistakes.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    if let Some(word) = &args.explain {
        let Some(mistake) = named(word) else { return Err(targets::unknown(word)) };
        shell.show(&report::page(mistake, shell.look))?;
        return Ok(Exit::Good);
    }
    let selection = Selection::new(&args.select, &args.ignore)?;
    let format = match (args.format, shell.options.json) {
        (None, true) => Format::Json,
        (format, _) => format.unwrap_or_default(),
    };
    let words = targets::files(&args.targets)?;
    let folders = args.targets.iter().map(PathBuf::from).filter(|it| it.is_dir());
    shell.options.modules.roots = folders.collect();
    let folder = shell.options.folder.clone();
    let mut exit = Exit::Good;
    let mut log = formats::SarifLog::default();
    let mut known: HashSet<Place> = HashSet::new();
    let mut tally = Tally { targets: words.len(), ..Tally::default() };
    let one = |at: usize, shell: &mut Shell| {
        let word = &words[at];
        // A lesson runs after those before it in its folder.
        shell.options.folder.clone_from(&folder);
        let mut place = vec![word.clone()];
        let catalogue = course::of_words(&mut place, shell)?;
        let word = place.first().unwrap_or(word);
        // The code of a mistake: its own example.
        let plan = match named(word).filter(|it| it.code.eq_ignore_ascii_case(word)).and_then(example_of) {
            Some(example) => Plan::of_program(word, example.wrong),
            None => plan(word, args.until.as_deref(), &catalogue)?,
        };
        plan.show_remarks(shell);
        if at > 0 && format == Format::Text {
            shell.say("\n")?;
        }
        let mut examined = examined::examine_target(&plan, shell);
        parts::examine_parts(&mut examined, &plan, shell);
        let all = fix::places(&examined);
        examined.found.retain(|(found, _)| selection.has(&found.finding));
        fix::try_fixes(&mut examined, &all, &plan, shell);
        let mut log = formats::SarifLog::default();
        match format {
            Format::Text => formats::text(&examined, words.len() > 1, shell)?,
            Format::Short => formats::short(&examined, shell)?,
            Format::Json => formats::json(&examined, shell)?,
            Format::Github => formats::github(&examined, shell)?,
            Format::Sarif => log.add(&examined),
        }
        let places = examined.found.iter().filter_map(|(found, _)| found.place()).map(full).collect();
        let exit = match args.strict && !examined.is_complete() {
            true => examined.exit().max(Exit::Failed),
            false => examined.exit(),
        };
        Ok((exit, examined.tally(), log, places))
    };
    processes::each(&words, shell, one, |_, ran, shell| {
        let (ended, its_tally, its_log, places) = ran.unwrap_or_else(|failure| {
            shell.remark(&failure);
            (
                Exit::Raised,
                Tally { unchecked: 1, ..Tally::default() },
                formats::SarifLog::default(),
                Vec::new(),
            )
        });
        exit = exit.max(ended);
        tally.add(&its_tally);
        // A mistake in a module that several files import counts once.
        tally.mistakes -= places.iter().filter(|place| known.contains(place)).count();
        known.extend(places);
        log.append(its_log);
        Ok(exit != Exit::Interrupted)
    })?;
    if format == Format::Text && words.len() > 1 && exit != Exit::Interrupted {
        shell.say("\n")?;
        let noun = if words.iter().all(|word| Path::new(word).exists()) { "file" } else { "target" };
        shell.show(&report::tally(&tally, noun, shell.look))?;
    }
    if format == Format::Sarif {
        log.write(shell)?;
    }
    Ok(exit)
}
