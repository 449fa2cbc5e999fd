//! The files that a session may open: none, or those below the folders that were named on the command line.
//!
//! A path is opened relative to an open folder by `cap-std`, which follows no `..`, no symbolic link and no absolute path
//! out of it, also while another program changes the links. No decision here is made on the text of a path: text only
//! finds the folder that is meant.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::model_files::MODEL;
use super::outside::outside;

/// What the command line allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// To look at a file.
    Read,
    /// To create, change or remove it.
    Write,
}

/// A folder that is open to the cells, or one file in it.
#[derive(Debug)]
struct Grant {
    /// The folder as it was named, and with all links resolved.
    names: [PathBuf; 2],
    folder: Dir,
    /// The only file that is open, if a file was named.
    only: Option<PathBuf>,
}

/// A file that a cell has opened.
#[derive(Debug)]
pub(crate) enum Opened {
    File(File),
    /// One inside the program, to read.
    BuiltIn(Cursor<&'static [u8]>),
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Opened::File(file) => file.read(buffer),
            Opened::BuiltIn(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Opened {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        match self {
            Opened::File(file) => file.seek(place),
            Opened::BuiltIn(bytes) => bytes.seek(place),
        }
    }
}

impl Opened {
    /// The file, if it can be changed.
    pub(crate) fn writable(&mut self) -> io::Result<&mut File> {
        match self {
            Opened::File(file) => Ok(file),
            Opened::BuiltIn(_) => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
}

/// The files that a session may open.
#[derive(Debug, Default)]
pub struct FileAccess {
    /// The folder in which relative paths begin: the notebook's.
    home: Option<PathBuf>,
    read: Vec<Grant>,
    write: Vec<Grant>,
    has_written: Arc<AtomicBool>,
}

/// Why a file is not opened.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Nothing is open for this.
    NotAllowed(Access),
    /// It is outside of what is open: the folders that are.
    Outside(Access, Vec<PathBuf>),
    /// The system says so.
    System(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::System(error)
    }
}

impl FileAccess {
    /// Opens the folders and files named in `read` and `write`; an empty path is `home`. Relative paths begin in `home`.
    /// Errors: one of them does not exist or cannot be opened, with its name.
    pub fn new(home: &Path, read: &[PathBuf], write: &[PathBuf]) -> Result<FileAccess, (PathBuf, io::Error)> {
        if read.is_empty() && write.is_empty() {
            return Ok(FileAccess::default());
        }
        let home = std::fs::canonicalize(home).map_err(|error| (home.to_owned(), error))?;
        let open = |paths: &[PathBuf]| -> Result<Vec<Grant>, (PathBuf, io::Error)> {
            let granted = |path: &PathBuf| Grant::new(&home, path).map_err(|error| (path.clone(), error));
            paths.iter().map(granted).collect()
        };
        let (read, write) = (open(read)?, open(write)?);
        Ok(FileAccess { home: Some(home), read, write, ..FileAccess::default() })
    }

    /// The folder in which relative paths begin, if any file is open at all.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Whether a file was opened or changed for [`Access::Write`]; it follows what is done from now on.
    pub(crate) fn has_written(&self) -> Arc<AtomicBool> {
        self.has_written.clone()
    }

    /// Opens a regular file for this access; to read, one inside the program if no other has its path. Errors: it is not
    /// open to cells, it is no regular file, or the system refuses.
    pub(crate) fn open(&self, path: &str, options: &OpenOptions, access: Access) -> Result<Opened, Refusal> {
        self.open_outside(path, options, access).map(Opened::File).or_else(|refusal| {
            let found = MODEL.iter().find(|(name, _)| access == Access::Read && *name == path);
            found.map(|(_, bytes)| Opened::BuiltIn(Cursor::new(*bytes))).ok_or(refusal)
        })
    }

    fn open_outside(&self, path: &str, options: &OpenOptions, access: Access) -> Result<File, Refusal> {
        let (folder, inside) = self.find(path, access)?;
        // A pipe or a device may never answer; it is found out before it is opened.
        if let Ok(found) = outside(|| folder.metadata(&inside))
            && !found.is_file()
        {
            let kind = if found.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::Unsupported };
            return Err(Refusal::System(kind.into()));
        }
        Ok(outside(|| folder.open_with(inside, options))?.into_std())
    }

    /// What is known of a file; of a link itself unless it is followed.
    pub(crate) fn metadata(&self, path: &str, follow: bool) -> Result<Metadata, Refusal> {
        let (folder, inside) = self.find(path, Access::Read)?;
        Ok(outside(|| if follow { folder.metadata(inside) } else { folder.symlink_metadata(inside) })?)
    }

    /// The names in a folder and whether each is a folder itself, sorted.
    pub(crate) fn names(&self, path: &str) -> Result<Vec<(String, bool)>, Refusal> {
        let (folder, inside) = self.find(path, Access::Read)?;
        let mut names = Vec::new();
        for entry in outside(|| folder.read_dir(inside))? {
            let entry = entry?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            names.push((entry.file_name().to_string_lossy().into_owned(), is_folder));
        }
        names.sort();
        Ok(names)
    }

    /// Changes what is at a path: `change` gets the open folder that contains it, and the path from there.
    pub(crate) fn change(
        &self,
        path: &str,
        change: impl FnOnce(&Dir, PathBuf) -> io::Result<()> + Send,
    ) -> Result<(), Refusal> {
        let (folder, inside) = self.find(path, Access::Write)?;
        Ok(outside(|| change(folder, inside))?)
    }

    /// Renames a file; one that has the new name is replaced.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Refusal> {
        let (from_folder, from) = self.find(from, Access::Write)?;
        let (to_folder, to) = self.find(to, Access::Write)?;
        Ok(outside(|| from_folder.rename(from, to_folder, to))?)
    }

    /// The open folder that contains a path, and the path from there.
    fn find(&self, path: &str, access: Access) -> Result<(&Dir, PathBuf), Refusal> {
        let grants = match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        };
        let Some(home) = self.home.as_ref().filter(|_| !grants.is_empty()) else {
            return Err(Refusal::NotAllowed(access));
        };
        let whole = without_dots(&home.join(path));
        let found = grants.iter().find_map(|grant| grant.inside(&whole));
        if found.is_some() && access == Access::Write {
            self.has_written.store(true, Ordering::Relaxed);
        }
        found.ok_or_else(|| Refusal::Outside(access, grants.iter().map(Grant::name).collect()))
    }
}

impl Grant {
    fn new(home: &Path, path: &Path) -> io::Result<Grant> {
        let named = if path.as_os_str().is_empty() { home.to_owned() } else { std::path::absolute(path)? };
        let real = std::fs::canonicalize(&named)?;
        if real.is_dir() {
            let folder = outside(|| Dir::open_ambient_dir(&real, ambient_authority()))?;
            return Ok(Grant { names: [without_dots(&named), real], folder, only: None });
        }
        let (Some(above), Some(file)) = (real.parent(), real.file_name()) else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let folder = outside(|| Dir::open_ambient_dir(above, ambient_authority()))?;
        let named_above = named.parent().map_or_else(|| above.to_owned(), without_dots);
        Ok(Grant { names: [named_above, above.to_owned()], folder, only: Some(PathBuf::from(file)) })
    }

    /// What was named on the command line.
    fn name(&self) -> PathBuf {
        self.only.as_ref().map_or_else(|| self.names[0].clone(), |only| self.names[0].join(only))
    }

    /// This folder and the path from it, if the path is below.
    fn inside(&self, whole: &Path) -> Option<(&Dir, PathBuf)> {
        let inside = self.names.iter().find_map(|name| whole.strip_prefix(name).ok())?;
        if self.only.as_ref().is_some_and(|only| only != inside) {
            return None;
        }
        let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
        Some((&self.folder, inside.to_owned()))
    }
}

/// A path without `.` and with each `..` taken as text, to find the folder that it is below.
fn without_dots(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
