//! `attn export`: writes a step, a lesson, a notebook, or a page on the chapter, with the learner's answers. The cells
//! run for it.
//!
//! | file | what it does |
//! |---|---|
//! | [`material`] | runs the steps, and adds the learner's answers |
//! | [`markdown`] | writes the page on the chapter |
//! | [`cells`] | writes cells, steps and exercises as Markdown or as a notebook |
//! | [`html`] | writes a page with every tensor, on which each number says where it comes from |
//! | [`lineage`] | the tensors of that page, and which elements an element was computed from |

pub(crate) mod cells;
mod html;
mod lineage;
mod markdown;
mod material;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::super::cells::course;
use super::super::cells::plan::{NamedOrFile, find, from_file};
use super::super::file;
use super::super::learner::store::Store;
use super::super::terminal::progress_bar::ProgressBar;
use super::super::terminal::prompt::confirmed;
use super::super::terminal::shell::{Exit, Failure, Shell};
use cells::{CellWriter, MarkdownCells, NotebookCells};
use html::PageBuilder;
use lineage::Lineage;
use material::gather;

use crate::lesson::Catalogue;

/// What `attn export` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step, an exercise or a lesson, or a notebook or script; without one, the chapter; before it or alone, a folder
    /// of lessons
    #[arg(value_name = "WHERE|FILE|FOLDER", num_args = 0..=2, value_hint = clap::ValueHint::AnyPath)]
    place: Vec<String>,
    /// The form: html, md or ipynb (default: by the name of OUT, else md)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,
    /// The file to write; without it, the text is a result like any other
    #[arg(long, short, value_name = "OUT", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Overwrite the file if it is there
    #[arg(long)]
    force: bool,
}

/// The format of the output.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A page for a browser.
    Html,
    /// Markdown.
    Md,
    /// A notebook.
    Ipynb,
}

/// Writes the export.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let format = format(args, shell.options.json)?;
    if let Some(file) = &args.output {
        may_write(file, args.force, shell)?;
    }
    let (catalogue, place) = course::of_place(&args.place, shell)?;
    let place = place.as_deref();
    let mut store = Store::read(catalogue.course());
    store.tell(shell);
    let page_on_chapter = place.is_none() && format == Format::Md;
    let progress = store.progress();
    let options = shell.options.clone();
    let mut exit = Exit::Good;
    let is_file =
        place.is_some_and(|place| [".ipynb", ".py", ".ipy", ".md"].iter().any(|it| place.ends_with(it)));
    let text = match place.map(|place| find(place, &catalogue)) {
        Some(Err(failure)) if is_file => return Err(failure),
        Some(Ok(NamedOrFile::File(file))) => {
            let plan = from_file(place.unwrap_or_default(), file, None)?;
            plan.show_remarks(shell);
            let mut workspace = plan.workspace(&shell.options);
            let progress = ProgressBar::watch(plan.cells.len(), shell);
            let writer: Box<dyn CellWriter> = match format {
                Format::Html => self::page(&plan.title, &catalogue),
                Format::Md => Box::<MarkdownCells>::default(),
                Format::Ipynb => Box::<NotebookCells>::default(),
            };
            let text;
            (text, exit) = cells::of_plan(&plan, writer, &mut workspace, &progress)?;
            text
        }
        _ => {
            let mut lineage = Lineage::default();
            let wanted = (format == Format::Html).then_some(&mut lineage);
            let mut parts = gather(place, page_on_chapter, &catalogue, progress, &options, wanted)?;
            // A notebook runs, so it has the cells that the others need.
            parts.retain(|part| format == Format::Ipynb || page_on_chapter || !part.is_silent());
            match format {
                Format::Html => html::of_material(&parts, lineage, &catalogue),
                Format::Md if page_on_chapter => markdown::of_chapter(&parts, &catalogue, progress),
                Format::Md => cells::write(&parts, Box::<MarkdownCells>::default()),
                Format::Ipynb => cells::write(&parts, Box::<NotebookCells>::default()),
            }
        }
    };
    match &args.output {
        None => shell.say(&text)?,
        Some(path) => write(path, &text, shell)?,
    }
    Ok(exit)
}

/// A page with this title that grows as cells run.
pub(crate) fn page(title: &str, catalogue: &Catalogue) -> Box<dyn CellWriter> {
    Box::new(PageBuilder::new(title, catalogue))
}

/// Writes a file, and says so.
fn write(path: &Path, text: &str, shell: &mut Shell) -> Result<(), Failure> {
    file::write(path, text)
        .map_err(|error| Failure::Unreadable(format!("{} cannot be written: {error}", path.display())))?;
    shell.say(&format!("Written: {}\n", path.display()))
}

/// The format that an option asks for, else the format that the file's name ends in.
/// Errors: the name ends in something else.
fn format(args: &Args, json: bool) -> Result<Format, Failure> {
    let ending =
        args.output.as_ref().and_then(|file| file.extension()).map(|it| it.to_string_lossy().to_lowercase());
    if let Some(asked) = args.format {
        return Ok(asked);
    }
    if json {
        let place = args.place.last().map_or("WHERE", String::as_str);
        return Err(Failure::Usage(format!("`attn run {place} --json` writes what cells show")));
    }
    match ending.as_deref() {
        None => Ok(Format::Md),
        Some("htm") => Ok(Format::Html),
        Some(ending) => Format::from_str(if ending == "markdown" { "md" } else { ending }, true).map_err(|_| {
            let known: Vec<String> = Format::value_variants()
                .iter()
                .filter_map(|format| Some(format!(".{}", format.to_possible_value()?.get_name())))
                .collect();
            Failure::Usage(format!(
                "nothing was written: attn writes {}, not .{ending}; --format says which, whatever the file is called",
                known.join(", ")
            ))
        }),
    }
}

/// Checks that the file may be written: it does not exist, or the user agrees.
fn may_write(file: &Path, force: bool, shell: &mut Shell) -> Result<(), Failure> {
    let name = file.display();
    if file.is_dir() {
        return Err(Failure::Usage(format!("{name} is a folder; name a file in it")));
    }
    if force || !file.exists() {
        return Ok(());
    }
    let refused =
        Failure::Usage(format!("{name} is there already, and was left as it is; --force overwrites it"));
    if shell.options.no_input || !io::stdin().is_terminal() || !shell.terminal {
        return Err(refused);
    }
    match confirmed(&format!("{name} is there already. Overwrite it?"), shell)? {
        true => Ok(()),
        false => Err(refused),
    }
}
