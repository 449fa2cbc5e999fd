//! The learner's progress in a file, which is read and written under a lock. [`crate::lesson::progress`] has the format,
//! the platform the folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::terminal::shell::Shell;
use super::state::state_dir;
use crate::lesson::Course;
use crate::lesson::progress::{Progress, ProgressChange, ProgressError};
use crate::shims::outside::outside;

/// The file in the state folder for a course; the chapter has one of its own. A course is known by its folder's path.
fn file_name(course: &Course) -> String {
    match &course.own {
        None => "progress.json".to_owned(),
        Some(folder) => {
            let name =
                folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let plain: String =
                name.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).take(40).collect();
            // FNV-1a, which is the same in every build: http://www.isthe.com/chongo/tech/comp/fnv/
            let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            let hash = folder.to_string_lossy().as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
            format!("courses/{plain}-{hash:016x}.json")
        }
    }
}

/// A learner's progress, and its file.
#[derive(Default)]
pub(crate) struct Store {
    folder: Option<PathBuf>,
    /// The file's path in that folder.
    name: String,
    progress: Progress,
    /// Changes that are not in the file yet.
    unsaved: Vec<ProgressChange>,
    remarks: Vec<String>,
    /// Whether a remark said that nothing can be written.
    reported: bool,
}

impl Store {
    /// Reads the file of a course. Nothing is written before [`Store::change`].
    pub(crate) fn read(course: &Course) -> Store {
        let mut store = Store { folder: state_dir(), name: file_name(course), ..Store::default() };
        if let Some(file) = store.file() {
            match read(&file) {
                Ok(progress) => store.progress = progress,
                Err(why) => store.remarks.push(format!(
                    "{}: {}; nothing is known of your progress until that is fixed. It is left as it is",
                    file.display(),
                    why
                )),
            }
        }
        store
    }

    /// Reads the file for the walkthrough. A file that cannot be used gets another name.
    pub(crate) fn open(course: &Course) -> Store {
        let mut store = Store::read(course);
        store.remarks.clear();
        if let Some(file) = store.file()
            && matches!(read(&file), Err(ReadError::Unread(_)))
        {
            let saved = store.save();
            store.report(saved);
        }
        store
    }

    /// Another value for the same file.
    pub(crate) fn again(&self) -> Store {
        Store { folder: self.folder.clone(), name: self.name.clone(), ..Store::default() }
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether some changes could not be saved.
    pub(crate) fn is_behind(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// The file; `None` if the platform has no folder for it.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(&self.name))
    }

    /// The remarks about the file since the last call.
    pub(crate) fn remarks(&mut self) -> Vec<String> {
        mem::take(&mut self.remarks)
    }

    /// Says the remarks about the file since the last call.
    pub(crate) fn tell(&mut self, shell: &mut Shell) {
        for remark in self.remarks() {
            shell.remark(&remark);
        }
    }

    /// Applies a change and saves it. A change that cannot be saved is lost when the program ends.
    pub(crate) fn change(&mut self, change: ProgressChange) {
        self.progress.apply(&change);
        self.unsaved.push(change);
        let saved = self.save();
        self.report(saved);
    }

    fn report(&mut self, saved: io::Result<()>) {
        if let Err(error) = saved
            && !mem::replace(&mut self.reported, true)
        {
            let place =
                self.folder.as_ref().map_or("the state folder".to_owned(), |it| it.display().to_string());
            self.remarks.push(format!(
                "progress cannot be kept in {place}: {error}. attn continues without; ATTN_STATE_DIR names another folder"
            ));
        }
    }

    /// Applies the unsaved changes to the progress that the file has now: another program may have changed it.
    fn save(&mut self) -> io::Result<()> {
        outside(|| self.save_here())
    }

    fn save_here(&mut self) -> io::Result<()> {
        let folder = self.folder.clone().ok_or_else(|| io::Error::other("this platform names none"))?;
        let file = folder.join(&self.name);
        fs::create_dir_all(file.parent().unwrap_or(&folder))?;
        let lock = File::options().create(true).append(true).open(folder.join("progress.lock"))?;
        wait_for(&lock)?;
        let mut progress = match read(&file) {
            Ok(progress) => progress,
            Err(ReadError::System(error)) => return Err(error),
            Err(ReadError::Unread(why)) => {
                let kept = rename_unusable(&file, &why)?;
                self.remarks.push(format!(
                    "{}: {}. It is kept as {}, and a new one begins",
                    file.display(),
                    why,
                    kept.display()
                ));
                Progress::default()
            }
        };
        for change in &self.unsaved {
            progress.apply(change);
        }
        super::super::file::write(&file, &progress.text())?;
        self.progress = progress;
        self.unsaved.clear();
        Ok(())
    }
}

/// How long another program may take with its change.
const PATIENCE: Duration = Duration::from_secs(3);

/// Takes the lock. On file systems without locks, a change by another program at the same time may be lost. Errors: another
/// program keeps the lock.
fn wait_for(lock: &File) -> io::Result<()> {
    let start = Instant::now();
    while let Err(TryLockError::WouldBlock) = lock.try_lock() {
        if start.elapsed() > PATIENCE {
            return Err(io::Error::other("another program holds progress.lock"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error(transparent)]
    Unread(#[from] ProgressError),
    #[error("it cannot be read: {0}")]
    System(io::Error),
}

fn read(file: &Path) -> Result<Progress, ReadError> {
    match outside(|| fs::read(file)) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Progress::read(&text)?),
            Err(_) => Err(ReadError::Unread(ProgressError::Damaged("it is no text".to_owned()))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Progress::default()),
        Err(error) => Err(ReadError::System(error)),
    }
}

/// Renames a file that cannot be used, so that no other file is overwritten.
fn rename_unusable(file: &Path, why: &ProgressError) -> io::Result<PathBuf> {
    let kind = match why {
        ProgressError::Newer(_) => "newer",
        ProgressError::Damaged(_) => "damaged",
    };
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = |n: usize| match n {
        1 => format!("{stem}.{kind}.json"),
        n => format!("{stem}.{kind}-{n}.json"),
    };
    let free = (1..).map(|n| file.with_file_name(name(n))).find(|path| !path.exists());
    let kept = free.expect("numbers do not end");
    fs::rename(file, &kept)?;
    Ok(kept)
}
