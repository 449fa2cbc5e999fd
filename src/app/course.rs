//! The lessons that the commands work with.

use std::env;
use std::path::Path;

use super::shell::Failure;
use crate::lesson::Catalogue;
use crate::lesson::front_matter::is_lesson;

/// The lessons, with those of the lesson files among these words, each of which becomes the id of its lesson.
/// Errors: as [`catalogue`], and a fault in the front matter of a file.
pub(crate) fn catalogue_with(words: &mut [String]) -> Result<Catalogue, Failure> {
    let mut catalogue = catalogue()?;
    for word in words {
        let is_file =
            word.ends_with(".md") && std::fs::read_to_string(&*word).is_ok_and(|text| is_lesson(&text));
        if is_file {
            let (more, id) =
                catalogue.with(Path::new(&*word)).map_err(|fault| Failure::Unreadable(fault.to_string()))?;
            catalogue = more;
            *word = id;
        }
    }
    Ok(catalogue)
}

/// The lessons in the folder `ATTN_LESSONS`, or those inside the program if it is not set.
/// Errors: a file of that folder that cannot be read.
pub(crate) fn catalogue() -> Result<Catalogue, Failure> {
    match env::var_os("ATTN_LESSONS").filter(|folder| !folder.is_empty()) {
        Some(folder) => {
            Catalogue::open(Path::new(&folder)).map_err(|fault| Failure::Unreadable(fault.to_string()))
        }
        None => Ok(Catalogue::new()),
    }
}
