//! Folders of lessons: a course of its own, or translations of the lessons of another course.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use super::catalogue::{Catalogue, CourseFile};
use super::course::Course;
use super::fault::{Fault, listed};
use super::front_matter::{self, is_meant_as_lesson};
use super::markdown::{BlockKind, blocks};
use super::notebook_file::runnable;
use super::step::Lesson;
use crate::shims::outside::fs;

/// The file of the terms.
const GLOSSARY: &str = "glossary.md";
/// The file whose heading is the title of a course. It is a lesson only if it has the front matter of one.
const README: &str = "README.md";

/// Why a folder is no course.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CourseError {
    #[error(
        "no lesson is in {}: a lesson is a .md file that begins with its front matter; `attn new` makes a first one{}",
        folder.display(),
        listed(". By their names, attn runs ", runnable)
    )]
    NoLesson {
        folder: PathBuf,
        /// Files in it that attn can run.
        runnable: Vec<String>,
    },
    /// A file of it has a fault.
    #[error(transparent)]
    Broken(#[from] Fault),
}

/// The files of a folder of lessons.
struct FolderFiles {
    lessons: Vec<CourseFile>,
    glossary: CourseFile,
    readme: String,
}

impl Catalogue {
    /// The lessons of a folder, as another text of the chapter, and `glossary.md`, if it is there.
    /// Errors: a file that cannot be read.
    pub fn open(folder: &Path) -> Result<Catalogue, Fault> {
        let FolderFiles { lessons, glossary, .. } = read(folder)?;
        Ok(Catalogue::of(lessons, glossary, Course::default()))
    }

    /// The course in a folder. If its lessons have a `lang`, they are translations: `original` with these lessons instead of
    /// those with the same ids. Errors: a file that cannot be read, no lesson at all, a translation of nothing.
    pub fn open_course(folder: &Path, original: Catalogue) -> Result<Catalogue, CourseError> {
        let files = read(folder)?;
        if files.lessons.is_empty() {
            let folder = folder.to_owned();
            let runnable = runnable(&folder);
            return Err(CourseError::NoLesson { folder, runnable });
        }
        let fronts: Vec<Option<Lesson>> =
            files.lessons.iter().map(|file| front_matter::read(&file.path, &file.text).ok()).collect();
        let title = title_of(&files.readme);
        if fronts.iter().flatten().any(|front| front.lang.is_some()) {
            return Ok(translated(folder, files, fronts, original)?);
        }
        let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let name = || whole.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let title = title.unwrap_or_else(name);
        let course = Course {
            heading: title.clone(),
            title,
            noun: "course",
            folder: Some(folder.to_owned()),
            own: Some(whole),
        };
        Ok(Catalogue::of(files.lessons, files.glossary, course))
    }
}

/// The original with its lessons replaced by their translations. The original and the translation share the progress: the ids are the same.
fn translated(
    folder: &Path,
    files: FolderFiles,
    fronts: Vec<Option<Lesson>>,
    original: Catalogue,
) -> Result<Catalogue, Fault> {
    let course = Course { folder: Some(folder.to_owned()), ..original.course().clone() };
    let ids = original.ids();
    let (mut all, glossary) = original.into_files();
    let mut taken: Vec<Option<String>> = vec![None; all.len()];
    for (file, front) in files.lessons.into_iter().zip(fronts) {
        // The fault of a front matter that cannot be read must be seen: the file comes last, as a lesson of its own.
        let Some(front) = front else {
            all.push(file);
            continue;
        };
        if front.lang.is_none() {
            let what = "this lesson has no `lang`, and other lessons of its folder are translations";
            return Err(Fault::new(&file.path, 1, what.to_owned()));
        }
        let Some(at) = ids.iter().position(|id| *id == front.id) else {
            let what =
                format!("`lang` says that this is a translation, and no lesson has the id `{}`", front.id);
            return Err(Fault::new(&file.path, 1, what).near(&front.id, &ids));
        };
        if let Some(other) = &taken[at] {
            return Err(Fault::new(&file.path, 1, format!("`{}` is translated in {other}, too", front.id)));
        }
        taken[at] = Some(file.path.clone());
        all[at] = file;
    }
    let glossary = if files.glossary.text.is_empty() { glossary } else { files.glossary };
    Ok(Catalogue::of(all, glossary, course))
}

/// Reads the Markdown files of a folder, in the order of their names. Errors: one that cannot be read.
fn read(folder: &Path) -> Result<FolderFiles, Fault> {
    let unreadable = |path: &Path, error: io::Error| {
        Fault::new(&path.display().to_string(), 1, format!("cannot be read: {error}"))
    };
    let listed = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let mut paths = Vec::new();
    for entry in listed {
        paths.push(entry.map_err(|error| unreadable(folder, error))?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md") && path.is_file());
    paths.sort();
    let glossary = CourseFile { path: folder.join(GLOSSARY).display().to_string(), text: Cow::Borrowed("") };
    let mut files = FolderFiles { lessons: Vec::new(), glossary, readme: String::new() };
    for path in paths {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        if name == GLOSSARY {
            files.glossary.text = Cow::Owned(text);
        } else if is_meant_as_lesson(&text) {
            files.lessons.push(CourseFile { path: path.display().to_string(), text: Cow::Owned(text) });
        } else if name == README {
            files.readme = text;
        }
    }
    Ok(files)
}

/// The first heading of a Markdown file.
fn title_of(text: &str) -> Option<String> {
    blocks(text).into_iter().find_map(|block| match block.kind {
        BlockKind::Heading(_, words) => Some(words),
        _ => None,
    })
}
