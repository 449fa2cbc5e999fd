//! Writing files: a file has all of its new content, or it keeps the old one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::shims::outside::outside;

/// Writes a file as a whole: to a temporary file beside it, which then takes its name. An existing file keeps its
/// permissions, a link stays a link, and what is no regular file (such as `/dev/stdout`) is written directly.
pub(crate) fn write(path: &Path, content: &str) -> io::Result<()> {
    outside(|| write_here(path, content))
}

fn write_here(path: &Path, content: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        return fs::write(&target, content);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary().tempfile_in(folder).map_err(|error| match folder.is_dir() {
        false => io::Error::new(error.kind(), format!("there is no folder {}", folder.display())),
        true => io::Error::from(error.kind()),
    })?;
    // The file itself: errors of the wrapper, and of making it, name a path that says nothing to the user.
    file.as_file_mut().write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    if let Some(existing) = existing {
        fs::set_permissions(file.path(), existing.permissions())?;
    }
    file.persist(&target).map(|_| ()).map_err(|error| error.error)
}

/// A builder of temporary files with the permissions of ordinary files; the default is access for the owner only.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".attn-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}
