//! `attn new`: a folder with a first lesson that passes its check and says what to write where.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::file;
use super::super::terminal::shell::{Exit, Failure, Shell, printable};
use crate::lesson::course::quoted;

/// What `attn new` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to make; it must not exist, or be empty
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
}

/// The files of a new course: the name and the text of each.
const FILES: [(&str, &str); 4] = [
    ("01-first-lesson.md", include_str!("new/01-first-lesson.md")),
    ("glossary.md", include_str!("new/glossary.md")),
    ("README.md", include_str!("new/README.md")),
    ("writing-lessons.md", include_str!("../../../docs/lessons.md")),
];

/// Writes the files, and says what to do next.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let folder = args.folder.as_path();
    may_fill(folder)?;
    let name = folder.display();
    let unwritable = |error: io::Error| Failure::Unreadable(format!("{name} cannot be written: {error}"));
    fs::create_dir_all(folder).map_err(unwritable)?;
    let whole = fs::canonicalize(folder).map_err(unwritable)?;
    let title = whole.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    for (file, text) in FILES {
        file::write(&folder.join(file), &text.replace("{title}", &title)).map_err(unwritable)?;
    }
    let [lesson, glossary, readme, writing] = FILES.map(|(file, _)| folder.join(file));
    let typed = quoted(&name.to_string());
    let words = format!(
        "Written:\n  {}  a lesson with a step, a question and an exercise; its text says what to write where\n  \
         {}  the terms that the lessons link to\n  {}  the title of the course\n  {}  every option of a lesson; attn does not read it\n\nNext:\n  \
         attn learn {typed}  to see it as a learner\n  attn check {typed}  after each change: it runs every cell, \
         and names the file and the line of each fault\n",
        lesson.display(),
        glossary.display(),
        readme.display(),
        writing.display(),
    );
    shell.say(&printable(&words))?;
    Ok(Exit::Good)
}

/// Checks that nothing is there. Errors: the folder has files, or it is none.
fn may_fill(folder: &Path) -> Result<(), Failure> {
    let name = folder.display();
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(Failure::Usage(format!("nothing was written: {name} has files already; name a new folder")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) if folder.exists() && !folder.is_dir() => {
            Err(Failure::Usage(format!("nothing was written: {name} is a file; name a new folder")))
        }
        Err(error) => Err(Failure::Unreadable(format!("{name} cannot be read: {error}"))),
    }
}
