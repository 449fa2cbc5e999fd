//! The lessons that the commands work with.

use std::env;
use std::path::Path;

use super::shell::Failure;
use crate::lesson::Catalogue;

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
