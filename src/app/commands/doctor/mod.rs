//! `attn doctor`: mistakes that raise no error, found in the operations that cells run.
//!
//! | file | what it does |
//! |---|---|
//! | [`targets`] | files and folders, and which findings are asked for |
//! | [`settings`] | what a project's `pyproject.toml` says |
//! | [`change`] | a change of the lines of a cell |
//! | [`baseline`] | findings that are known |
//! | [`examined`] | runs a target and gathers its findings |
//! | [`parts`] | what of a file that cannot run can be examined |
//! | [`fix`] | tries fixes, shows as a diff the one that works, and writes it if that is wanted |
//! | [`formats`] | findings as text, as JSON, and for GitHub |

mod baseline;
mod change;
mod examined;
mod fix;
mod formats;
mod parts;
mod settings;
mod targets;

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::cells::course;
use super::super::cells::plan::{Plan, STDIN, plan};
use super::super::cells::processes;
use super::super::terminal::part;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::explain::doctor::{example_of, named};
use crate::kernel::threads;
use crate::view::doctor::{self as report, Place, Tally};
use crate::view::quantity::counted;
use baseline::{Baseline, Known};
use change::Change;
pub(crate) use examined::findings;
use formats::Format;
use settings::Settings;
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
    /// How findings are written: text, short (a line for each), json or github (annotations of a workflow)
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
    /// Write the changes that were tried and are right; asks before each
    #[arg(long)]
    fix: bool,
    /// Do not ask
    #[arg(long, requires = "fix")]
    yes: bool,
    /// Report only what is not in this file, which has the findings that are known
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    baseline: Option<PathBuf>,
    /// Write all findings to the file of known ones
    #[arg(long, conflicts_with = "fix")]
    write_baseline: bool,
    /// Explain a mistake, with code that has it and code that does not
    #[arg(long, value_name = "CODE", conflicts_with = "targets")]
    explain: Option<String>,
}

/// What is known of a target that was examined.
#[derive(Default, Serialize, Deserialize)]
struct Ran {
    /// How it ended, whatever was found.
    ended: Exit,
    tally: Tally,
    /// The places of its findings.
    places: Vec<Place>,
    /// All its findings, as a baseline has them.
    known: Vec<Known>,
    /// The changes that fix findings, and how many mistakes there are in all.
    changes: Vec<Change>,
    found: usize,
}

/// A place with the full path of its file.
fn full((code, file, line): Place) -> Place {
    let path = std::fs::canonicalize(&file).map_or(file, |path| path.display().to_string());
    (code, path, line)
}

/// What the command line asks for.
struct Run<'a> {
    args: &'a Args,
    format: Format,
    words: &'a [String],
    baseline: Option<PathBuf>,
    /// The folder of the lessons.
    folder: PathBuf,
}

impl Run<'_> {
    /// Does something with the cells of a target.
    fn with_plan<T>(
        &self,
        at: usize,
        shell: &mut Shell,
        work: impl FnOnce(&Plan, &mut Shell) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // A lesson runs after those before it in its folder.
        shell.options.folder.clone_from(&self.folder);
        let mut place = vec![self.words[at].clone()];
        let catalogue = course::of_words(&mut place, shell)?;
        let word = place.first().unwrap_or(&self.words[at]);
        // The code of a mistake: its own example.
        let plan = match named(word).filter(|it| it.code.eq_ignore_ascii_case(word)).and_then(example_of) {
            Some(example) => Plan::of_program(word, example.wrong),
            None => plan(word, self.args.until.as_deref(), &catalogue)?,
        };
        work(&plan, shell)
    }

    /// Examines a target and shows what is wrong in it.
    fn examine(&self, at: usize, plan: &Plan, shell: &mut Shell) -> Result<Ran, Failure> {
        let Run { args, format, .. } = *self;
        let word = Path::new(&self.words[at]);
        let settings = Settings::of(word)?;
        let select = if args.select.is_empty() { &settings.select } else { &args.select };
        let selection = Selection::new(select, args.ignore.iter().chain(settings.ignored_in(word)))?;
        plan.show_remarks(shell);
        if at > 0 && format == Format::Text && !args.write_baseline {
            shell.say("\n")?;
        }
        let mut examined = examined::examine_target(plan, &settings, shell);
        parts::examine_parts(&mut examined, plan, &settings, shell);
        let all = fix::places(&examined);
        examined.found.retain(|(found, _)| selection.has(&found.finding));
        let mut known = Vec::new();
        match &self.baseline {
            Some(path) if args.write_baseline => known = Baseline::empty(path).entries(&examined),
            baseline => {
                if let Some(path) = baseline {
                    hide_known(path, &mut examined, shell)?;
                }
                fix::try_fixes(&mut examined, &all, plan, &settings, shell);
                match format {
                    Format::Text => formats::text(&examined, self.words.len() > 1, shell)?,
                    Format::Short => formats::short(&examined, shell)?,
                    Format::Json => formats::json(&examined, shell)?,
                    Format::Github => formats::github(&examined, shell)?,
                }
            }
        }
        let places = examined.found.iter().filter_map(|(found, _)| found.place()).map(full).collect();
        let ended = match (args.strict || settings.strict) && !examined.is_complete() {
            true => examined.ended().max(Exit::Failed),
            false => examined.ended(),
        };
        let changes = if args.fix { std::mem::take(&mut examined.changes) } else { Vec::new() };
        Ok(Ran { ended, tally: examined.tally(), places, known, changes, found: all.len() })
    }

    /// Writes the changes of a target that are wanted.
    fn write_fixes(&self, at: usize, ran: &mut Ran, shell: &mut Shell) -> Result<(), Failure> {
        let changes = std::mem::take(&mut ran.changes);
        if changes.is_empty() {
            return Ok(());
        }
        let settings = Settings::of(Path::new(&self.words[at]))?;
        ran.tally.fixed = self.with_plan(at, shell, |plan, shell| {
            fix::write_fixes(changes, ran.found, plan, &settings, !self.args.yes, shell)
        })?;
        Ok(())
    }
}

/// Takes the known findings out of a report, and says how many.
fn hide_known(baseline: &Path, examined: &mut examined::Examined, shell: &mut Shell) -> Result<(), Failure> {
    let hidden = Baseline::read(baseline)?.hide(examined);
    if hidden > 0 {
        let what = format!("{} of {} not shown", counted(hidden, "finding"), baseline.display());
        shell.remark(&format!("{}: {what}", examined.target));
    }
    Ok(())
}

/// Runs each target and shows its silent mistakes.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    if let Some(word) = &args.explain {
        let Some(mistake) = named(word) else { return Err(targets::unknown(word)) };
        shell.show(&report::page(mistake, shell.look))?;
        return Ok(Exit::Good);
    }
    let format = match (args.format, shell.options.json) {
        (None, true) => Format::Json,
        (format, _) => format.unwrap_or_default(),
    };
    let can_ask =
        shell.options.can_ask() && io::stdin().is_terminal() && shell.terminal && format.is_for_people();
    // A process for one of several targets does not ask: the one that started it does.
    if args.fix && !args.yes && !can_ask && part::own().is_none() {
        let advice = "--fix asks before each change; where nobody can answer, add --yes";
        return Err(Failure::Usage(advice.to_owned()));
    }
    if args.fix && args.targets.iter().any(|word| word == STDIN) {
        return Err(Failure::Usage("--fix changes files; what comes through stdin is in none".to_owned()));
    }
    let words = targets::files(&args.targets)?;
    let first = Settings::of(Path::new(&words[0]))?;
    let baseline = args.baseline.clone().or(first.baseline);
    if args.write_baseline && baseline.is_none() {
        let advice = "--write-baseline needs a file: --baseline attn-baseline.json";
        return Err(Failure::Usage(advice.to_owned()));
    }
    let folders = args.targets.iter().map(PathBuf::from).filter(|it| it.is_dir());
    shell.options.modules.roots = folders.collect();
    let run = Run { args, format, words: &words, baseline, folder: shell.options.folder.clone() };
    let mut exit = Exit::Good;
    let mut known: HashSet<Place> = HashSet::new();
    let mut tally = Tally { targets: words.len(), ..Tally::default() };
    let mut all_known = Vec::new();
    processes::each(
        &words,
        threads::count(),
        shell,
        |at, shell| run.with_plan(at, shell, |plan, shell| run.examine(at, plan, shell)),
        |at, ran, shell| {
            let mut ran = ran.unwrap_or_else(|failure| {
                shell.remark(&failure);
                let tally = Tally { unchecked: 1, ..Tally::default() };
                Ran { ended: Exit::Raised, tally, ..Ran::default() }
            });
            run.write_fixes(at, &mut ran, shell)?;
            let Ran { ended, tally: its_tally, places, known: its_known, .. } = ran;
            let is_left = its_tally.mistakes > its_tally.fixed;
            exit = exit.max(ended).max(if is_left { Exit::Failed } else { Exit::Good });
            tally.add(&its_tally);
            all_known.extend(its_known);
            // A mistake in a module that several files import counts once.
            tally.mistakes -= places.iter().filter(|place| known.contains(place)).count();
            known.extend(places);
            Ok(exit != Exit::Interrupted)
        },
    )?;
    if let Some(path) = run.baseline.filter(|_| args.write_baseline) {
        let count = counted(all_known.len(), "finding");
        Baseline::empty(&path).write(all_known)?;
        shell.remark(&format!("{}: {count} written; what is found besides is new", path.display()));
        return Ok(if exit == Exit::Failed { Exit::Good } else { exit });
    }
    if format == Format::Text && words.len() > 1 && exit != Exit::Interrupted {
        shell.say("\n")?;
        let noun = if words.iter().all(|word| Path::new(word).exists()) { "file" } else { "target" };
        shell.show(&report::tally(&tally, noun, shell.look))?;
    }
    Ok(exit)
}
