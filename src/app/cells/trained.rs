//! A trained model in a session of its own: the one inside the program, or one in a folder.

use std::path::{Path, PathBuf};

use super::super::commands::options::GlobalOptions;
use super::super::terminal::shell::Failure;
use super::course::similar;
use super::machine;
use crate::lesson::trained::{self, Looked, Question, Sizes, Writing};
use crate::session::{Outcome, Session};
use crate::shims::outside::fs;
use crate::tensor::size_in_words;
use crate::view::quantity::grouped;

/// A session in which a model is loaded.
pub(crate) struct TrainedModel {
    session: Session,
    /// What is named in messages.
    name: String,
}

/// A model in a folder, of which only the config was read.
pub(crate) struct ModelFolder {
    model: TrainedModel,
    pub(crate) sizes: Sizes,
    memory: u64,
}

impl TrainedModel {
    /// Runs the code of the model inside the program and loads its weights.
    pub(crate) fn load(options: &GlobalOptions) -> Result<TrainedModel, Failure> {
        let options = GlobalOptions { no_record: true, ..options.clone() };
        let mut model =
            TrainedModel { session: machine::session(&options), name: "the trained model".to_owned() };
        model.run_all(trained::cells())?;
        Ok(model)
    }

    /// What the model makes of a sentence.
    pub(crate) fn look(&mut self, question: &Question) -> Result<Looked, Failure> {
        let outcome = self.run(&question.source(), "look")?;
        trained::read(&outcome.stdout).map_err(Failure::Unreadable)
    }

    /// The tokens of a text, as they are shown.
    pub(crate) fn tokens(&mut self, text: &str) -> Result<Vec<String>, Failure> {
        let outcome = self.run(&trained::tokens_source(text), "tokens")?;
        serde_json::from_str(outcome.stdout.trim()).map_err(|error| Failure::Unreadable(error.to_string()))
    }

    /// Begins to write; [`next_piece`](TrainedModel::next_piece) writes. Returns how many tokens the text has.
    pub(crate) fn begin(&mut self, writing: &Writing) -> Result<usize, Failure> {
        let outcome = self.run(&writing.source(), "write")?;
        outcome.stdout.trim().parse().map_err(|_| Failure::Unreadable(outcome.stdout.clone()))
    }

    /// The next piece of the text, and how many tokens it is; `None` at the end.
    pub(crate) fn next_piece(&mut self) -> Result<Option<(String, usize)>, Failure> {
        let outcome = self.run(trained::NEXT_PIECE, "write")?;
        trained::read(&outcome.stdout).map_err(Failure::Unreadable)
    }

    fn run_all<const N: usize>(&mut self, cells: [(&'static str, String); N]) -> Result<String, Failure> {
        let mut printed = String::new();
        for (name, source) in cells {
            printed = self.run(&source, name)?.stdout;
        }
        Ok(printed)
    }

    fn run(&mut self, source: &str, name: &str) -> Result<Outcome, Failure> {
        let outcome = self.session.run(source, name);
        match &outcome.error {
            Some(raised) if raised.interrupted => Err(Failure::Stopped),
            Some(raised) if raised.kind == "QuestionError" => Err(Failure::Usage(raised.message.clone())),
            Some(raised) if raised.kind == "ModelError" => {
                Err(Failure::Unreadable(format!("{}: {}", self.name, raised.message)))
            }
            Some(raised) => Err(Failure::Unreadable(format!("{}: {raised}", self.name))),
            None => Ok(outcome),
        }
    }
}

impl ModelFolder {
    /// Reads the config of a model in a folder. Nothing outside of the folder is read, and nothing in it is run.
    pub(crate) fn new(folder: &Path, options: &GlobalOptions) -> Result<ModelFolder, Failure> {
        if !folder.is_dir() {
            return Err(Failure::Usage(missing(folder)));
        }
        let (root, inside) = parted(folder);
        let options = GlobalOptions {
            no_record: true,
            allow_read: vec![PathBuf::new()],
            folder: root,
            ..options.clone()
        };
        options.files().map_err(Failure::Usage)?;
        let memory = machine::memory(&options) as u64;
        let mut model =
            TrainedModel { session: machine::session(&options), name: folder.display().to_string() };
        let printed = model.run_all(trained::config_cells(&inside))?;
        let sizes = trained::read::<Sizes>(&printed).map_err(Failure::Unreadable)?;
        Ok(ModelFolder { model, sizes, memory })
    }

    /// Loads its tokenizer and its weights. Errors: they do not fit the config, or the memory.
    pub(crate) fn load(mut self) -> Result<TrainedModel, Failure> {
        let needed = self.sizes.bytes();
        if needed > self.memory {
            let parameters = grouped(self.sizes.parameters);
            let [needed, memory] = [needed, self.memory].map(|bytes| size_in_words(bytes as f64));
            return Err(Failure::Unreadable(format!(
                "{}: the {parameters} parameters of config.json take {needed} in float32, and cells may take {memory}; \
                 --max-memory sets that",
                self.model.name
            )));
        }
        self.model.run_all(trained::folder_cells(self.sizes.kind))?;
        Ok(self.model)
    }
}

/// What is said of a folder that is not there.
fn missing(folder: &Path) -> String {
    let shown = folder.display();
    if folder.is_file() {
        return format!(
            "{shown} is a file; --model takes the folder that has config.json and model.safetensors"
        );
    }
    match similar(folder, 1, Path::is_dir).as_slice() {
        [near] => format!("there is no folder {shown}; the nearest: {near}"),
        _ => format!(
            "there is no folder {shown}; attn downloads nothing: --model takes a folder on this machine, with config.json, \
             model.safetensors and the tokenizer's files"
        ),
    }
}

/// The folder that is opened, and the path of the model in it. The files of Hugging Face's cache are links from
/// `snapshots/VERSION` into the folder `blobs` beside it: there, the folder of both is opened.
fn parted(folder: &Path) -> (PathBuf, String) {
    let version = |folder: &Path| -> Option<(PathBuf, String)> {
        let folder = fs::canonicalize(folder).ok()?;
        let snapshots = folder.parent().filter(|parent| parent.ends_with("snapshots"))?;
        let root = snapshots.parent().filter(|root| root.join("blobs").is_dir())?;
        Some((root.to_owned(), format!("snapshots/{}", folder.file_name()?.to_str()?)))
    };
    let newest = |folder: &Path| -> Option<(PathBuf, String)> {
        let main = fs::read_to_string(folder.join("refs/main")).ok()?;
        version(&folder.join("snapshots").join(main.trim()))
    };
    version(folder).or_else(|| newest(folder)).unwrap_or_else(|| (folder.to_owned(), ".".to_owned()))
}
