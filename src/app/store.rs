//! Progress in a file: read, and written under a lock, whole or not at all.
//! Its form is the lessons' ([`crate::lesson::progress`]); where it lies is the platform's.

use std::fs::{self, File};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::state::state_dir;
use crate::lesson::progress::{Progress, ProgressChange, ProgressError};

/// The file's name in the state folder.
const FILE: &str = "progress.json";

/// A learner's progress, and the file it is kept in.
pub struct Store {
    folder: Option<PathBuf>,
    progress: Progress,
    /// Changes that are not in the file yet.
    unsaved: Vec<ProgressChange>,
    remarks: Vec<String>,
    /// Whether it was said that nothing can be written.
    told: bool,
}

impl Store {
    /// Reads what is kept; writes nothing, now or later, until [`Store::change`].
    pub fn read() -> Store {
        let folder = state_dir();
        let mut store = Store {
            folder,
            progress: Progress::default(),
            unsaved: Vec::new(),
            remarks: Vec::new(),
            told: false,
        };
        if let Some(file) = store.file() {
            match read(&file) {
                Ok(progress) => store.progress = progress,
                Err(why) => store.remarks.push(format!(
                    "{}: {}; nothing is known of your progress until that is fixed. It is left as it is",
                    file.display(),
                    why.words()
                )),
            }
        }
        store
    }

    /// Reads what is kept, for someone who goes on: a file that cannot be used is put aside.
    pub fn open() -> Store {
        let mut store = Store::read();
        store.remarks.clear();
        if let Some(file) = store.file()
            && matches!(read(&file), Err(Trouble::Unread(_)))
        {
            let saved = store.save();
            store.hear(saved);
        }
        store
    }

    /// What is known of the learner.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether there is something that could not be saved.
    pub fn is_behind(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// The file, if the platform has a place for it.
    pub fn file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(FILE))
    }

    /// What the learner should hear of the file; each remark once.
    pub fn remarks(&mut self) -> Vec<String> {
        mem::take(&mut self.remarks)
    }

    /// Takes over what the learner did, and saves it. What cannot be saved holds until the program ends.
    pub fn change(&mut self, change: ProgressChange) {
        self.progress.apply(&change);
        self.unsaved.push(change);
        let saved = self.save();
        self.hear(saved);
    }

    fn hear(&mut self, saved: io::Result<()>) {
        if let Err(error) = saved
            && !mem::replace(&mut self.told, true)
        {
            let place =
                self.folder.as_ref().map_or("the state folder".to_owned(), |it| it.display().to_string());
            self.remarks.push(format!(
                "progress cannot be kept in {place}: {error}. It goes on without; ATTN_STATE_DIR names another folder"
            ));
        }
    }

    /// Puts the unsaved changes on top of what the file holds by now.
    fn save(&mut self) -> io::Result<()> {
        let folder = self.folder.clone().ok_or_else(|| io::Error::other("this platform names none"))?;
        fs::create_dir_all(&folder)?;
        let lock = File::options().create(true).append(true).open(folder.join("progress.lock"))?;
        // Where files cannot be locked, two programs at once may still miss each other's changes.
        let _ = lock.lock();
        let file = folder.join(FILE);
        let mut progress = match read(&file) {
            Ok(progress) => progress,
            Err(Trouble::System(error)) => return Err(error),
            Err(Trouble::Unread(why)) => {
                let kept = aside(&file, &why)?;
                self.remarks.push(format!(
                    "{}: {}. It is kept as {}, and a new one begins",
                    file.display(),
                    why.words(),
                    kept.display()
                ));
                Progress::default()
            }
        };
        for change in &self.unsaved {
            progress.apply(change);
        }
        let mut new = NamedTempFile::new_in(&folder)?;
        new.write_all(progress.text().as_bytes())?;
        new.as_file().sync_data()?;
        new.persist(&file).map_err(|error| error.error)?;
        self.progress = progress;
        self.unsaved.clear();
        Ok(())
    }
}

/// Why a file could not be used.
enum Trouble {
    Unread(ProgressError),
    System(io::Error),
}

impl Trouble {
    fn words(&self) -> String {
        match self {
            Trouble::Unread(why) => why.words(),
            Trouble::System(error) => format!("it cannot be read: {error}"),
        }
    }
}

impl ProgressError {
    fn words(&self) -> String {
        match self {
            ProgressError::Newer(form) => format!("it was written by a newer attn ({form})"),
            ProgressError::Damaged(why) => format!("it is damaged ({why})"),
        }
    }
}

fn read(file: &Path) -> Result<Progress, Trouble> {
    match fs::read(file) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Progress::read(&text).map_err(Trouble::Unread),
            Err(_) => Err(Trouble::Unread(ProgressError::Damaged("it is no text".to_owned()))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Progress::default()),
        Err(error) => Err(Trouble::System(error)),
    }
}

/// Gives a file that cannot be used a name that no other has.
fn aside(file: &Path, why: &ProgressError) -> io::Result<PathBuf> {
    let kind = match why {
        ProgressError::Newer(_) => "newer",
        ProgressError::Damaged(_) => "damaged",
    };
    let name = |n: usize| match n {
        1 => format!("progress.{kind}.json"),
        n => format!("progress.{kind}-{n}.json"),
    };
    let free = (1..).map(|n| file.with_file_name(name(n))).find(|path| !path.exists());
    let kept = free.expect("numbers do not end");
    fs::rename(file, &kept)?;
    Ok(kept)
}
