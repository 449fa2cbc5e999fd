//! The lessons that the commands work with.

use std::env;
use std::path::Path;

use super::super::terminal::shell::{Failure, Shell};
use crate::lesson::Catalogue;
use crate::lesson::course_folder::CourseError;
use crate::lesson::fault::listed;
use crate::lesson::front_matter::is_lesson;
use crate::ops::nearest;
use crate::shims::outside::fs;

/// The lessons that the words of a command line are about: those of a folder, if the first word is one, which is then
/// taken away; else those of [`catalogue`], with the lesson files among the words, each of which becomes the id of its
/// lesson. A file beside a `glossary.md` belongs to the course in that folder.
/// Errors: as [`catalogue`], a folder that is not there or has no lessons, a fault in the front matter of a file.
pub(crate) fn of_words(words: &mut Vec<String>, shell: &mut Shell) -> Result<Catalogue, Failure> {
    let mut catalogue = catalogue()?;
    if let Some(word) = words.first()
        && is_folder(word, &catalogue)?
    {
        let folder = words.remove(0);
        // The paths of cells begin where their lessons are.
        shell.options.folder = folder.as_str().into();
        return Catalogue::open_course(Path::new(&folder), catalogue).map_err(no_course);
    }
    for word in words {
        let path = Path::new(&*word);
        let is_file = word.ends_with(".md") && fs::read_to_string(path).is_ok_and(|text| is_lesson(&text));
        if !is_file {
            continue;
        }
        if let Some(folder) = course_folder(path)
            && catalogue.course().folder.as_deref() != Some(folder)
        {
            shell.options.folder = folder.to_owned();
            catalogue = Catalogue::open_course(folder, catalogue).map_err(no_course)?;
        }
        let (more, id) = catalogue.with(path)?;
        catalogue = more;
        *word = id;
    }
    Ok(catalogue)
}

/// The lessons that the words of a command line are about, as [`of_words`], and the place in them. Errors: there are two places.
pub(crate) fn of_place(words: &[String], shell: &mut Shell) -> Result<(Catalogue, Option<String>), Failure> {
    let mut words = words.to_vec();
    let catalogue = of_words(&mut words, shell)?;
    let [first, second, ..] = words.as_slice() else { return Ok((catalogue, words.pop())) };
    let path = Path::new(first);
    let words = match path.exists() || catalogue.find(first).is_ok() {
        true => {
            format!("`{second}` is one word too many: only after a folder of lessons comes a place in it")
        }
        false => absent(&format!("folder `{first}` here"), path),
    };
    Err(Failure::Usage(words))
}

/// Says that there is nothing at a path, and names the nearest folders.
fn absent(what: &str, path: &Path) -> String {
    format!("there is no {what}{}", listed("; the nearest: ", &similar(path, 3, Path::is_dir)))
}

/// The folder of a lesson's file, if it is a course's folder: it has a glossary.
pub(crate) fn course_folder(file: &Path) -> Option<&Path> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.join("glossary.md").is_file().then_some(folder)
}

/// The course in a folder. Errors: as [`of_words`].
pub(crate) fn in_folder(folder: &Path) -> Result<Catalogue, Failure> {
    Catalogue::open_course(folder, catalogue()?).map_err(no_course)
}

/// Whether a word means a folder: there is one, and no step or lesson has that name.
/// Errors: it is written as a folder or a file, and neither is there.
pub(crate) fn is_folder(word: &str, catalogue: &Catalogue) -> Result<bool, Failure> {
    let path = Path::new(word);
    let is_path = word.contains(['/', '\\']) || word == "." || word == "..";
    match path.is_dir() {
        true => Ok(is_path || catalogue.find(word).is_err()),
        false if is_path && path.extension().is_none() && !path.exists() => {
            Err(Failure::Usage(absent(&format!("folder or file {word}"), path)))
        }
        false => Ok(false),
    }
}

/// What lies beside a path and has a similar name, of all that fits: up to `count`, the nearest first.
pub(crate) fn similar(path: &Path, count: usize, fits: impl Fn(&Path) -> bool) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let fitting = entries.map(|entry| entry.path()).filter(|path| fits(path));
    let mut names: Vec<String> = fitting.map(|path| name(&path)).collect();
    names.sort();
    let near = nearest(&name(path), names, count).into_iter();
    near.map(|name| path.with_file_name(name).display().to_string()).collect()
}

/// The lessons in the folder `ATTN_LESSONS`, or those inside the program if it is not set.
/// Errors: a file of that folder that cannot be read.
pub(crate) fn catalogue() -> Result<Catalogue, Failure> {
    match env::var_os("ATTN_LESSONS").filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(Catalogue::open(Path::new(&folder))?),
        None => Ok(Catalogue::new()),
    }
}

fn no_course(error: CourseError) -> Failure {
    match error {
        CourseError::NoLesson { .. } => Failure::Usage(error.to_string()),
        CourseError::Broken(fault) => fault.into(),
    }
}
