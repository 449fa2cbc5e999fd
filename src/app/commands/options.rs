//! The options that every command takes.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::kernel::random::Family;
use crate::shims::{FileAccess, LocalModules};

/// When colours are used.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR or TERM=dumb says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The options that every command takes.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Everywhere")]
pub struct GlobalOptions {
    /// When to use colours: auto, always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub(crate) color: When,
    /// Columns to fill (default: COLUMNS, or the terminal's)
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub(crate) width: Option<u16>,
    /// No colours, no borders, one fact a line: for screen readers and for diff
    #[arg(long, global = true)]
    pub(crate) plain: bool,
    /// Write JSON, for machines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Keep no record of operations, for large work: nothing can be asked why afterwards
    #[arg(long, global = true)]
    pub(crate) no_record: bool,
    /// Never ask anything
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// Whose random numbers dropout draws: book, or mkl for builds with Intel's library (default: book; in a file with
    /// recorded outputs, those that reproduce them)
    #[arg(long, global = true, value_name = "FAMILY", value_parser = families())]
    #[arg(hide_possible_values = true)]
    pub(crate) random: Option<Family>,
    /// Take the CPU for a device that is not here: cuda=cpu, mps=cpu or xpu=cpu
    #[arg(long, global = true, value_name = "NAME=cpu", value_parser = devices())]
    #[arg(hide_possible_values = true)]
    pub(crate) device: Vec<String>,
    /// Most memory that a cell may take, such as 512M or 2G (default: half of what there is)
    #[arg(long, global = true, value_name = "SIZE", value_parser = bytes)]
    pub(crate) max_memory: Option<u64>,
    /// Let cells read files: those of the notebook's folder, or of PATH
    #[arg(long, global = true, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "", value_parser = path(), value_hint = clap::ValueHint::AnyPath)]
    pub(crate) allow_read: Vec<PathBuf>,
    /// Let cells write files: those of the notebook's folder, or of PATH
    #[arg(long, global = true, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "", value_parser = path(), value_hint = clap::ValueHint::AnyPath)]
    pub(crate) allow_write: Vec<PathBuf>,
    /// The folder in which the paths of cells begin: the notebook's.
    #[arg(skip = ".")]
    pub(crate) folder: PathBuf,
    /// The folders whose modules cells import.
    #[arg(skip)]
    pub(crate) modules: LocalModules,
}

impl GlobalOptions {
    /// Whether the learner can be asked anything.
    pub(crate) fn can_ask(&self) -> bool {
        !self.json && !self.no_input
    }

    /// The files that cells may open. Errors: a path that cannot be opened, in words.
    pub(crate) fn files(&self) -> Result<FileAccess, String> {
        FileAccess::new(&self.folder, &self.allow_read, &self.allow_write).map_err(|(path, error)| {
            format!("cells cannot be given the files of {}: {error}", path.display())
        })
    }
}

/// A path; an empty one too, which clap's own parser refuses.
fn path() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    clap::builder::OsStringValueParser::new().map(PathBuf::from)
}

/// The words of the families; shells complete them.
fn families() -> impl clap::builder::TypedValueParser<Value = Family> {
    PossibleValuesParser::new(["book", "mkl"]).map(|word| match word.as_str() {
        "mkl" => Family::Mkl,
        _ => Family::Book,
    })
}

/// The kinds of devices for which the CPU may be taken.
fn devices() -> impl clap::builder::TypedValueParser<Value = String> {
    let known = PossibleValuesParser::new(["cuda=cpu", "mps=cpu", "xpu=cpu"]);
    known.map(|word| word.trim_end_matches("=cpu").to_owned())
}

/// Parses a number of bytes: `2G`, `512M`, `1.5 GiB`, `4096`. All units are powers of 1024
/// (`bytesize` would read `2G` as 2,000,000,000). Errors: what a size looks like.
pub fn bytes(word: &str) -> Result<u64, String> {
    let word = word.trim();
    let split = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
    let (digits, unit) = word.split_at(split);
    let power = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(10),
        "m" | "mb" | "mib" => Some(20),
        "g" | "gb" | "gib" => Some(30),
        "t" | "tb" | "tib" => Some(40),
        _ => None,
    };
    let number = digits.parse::<f64>().ok().filter(|number| *number > 0.0);
    match number.zip(power) {
        Some((number, power)) => Ok((number * (1u64 << power) as f64) as u64),
        None => Err("a size is a number and K, M, G or T: 512M, 2G".to_owned()),
    }
}
