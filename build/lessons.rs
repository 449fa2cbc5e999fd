//! Lists the lesson files for the program, so that a new lesson needs no line of Rust.
//! Reads the folder `lessons`, writes `OUT_DIR/lessons.rs`, which `src/lesson/embed.rs` includes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `lessons.rs` into `out_dir`: `LESSONS`, one entry for each Markdown file of `lessons` in the order of
/// their names, and `GLOSSARY`, the entry of `glossary.md`; and `model.rs`: `MODEL`, the files of `lessons/model`.
pub fn embed_lessons(lessons: &Path, out_dir: &Path) {
    println!("cargo::rerun-if-changed=build/lessons.rs");
    println!("cargo::rerun-if-changed={}", lessons.display());
    let (mut table, mut glossary) = (String::new(), None);
    for path in files(lessons).into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "md")) {
        let name = path.file_name().expect("a listed file has a name").to_string_lossy();
        let file = format!("({:?}, include_str!({:?}))", format!("lessons/{name}"), full(&path));
        match &*name {
            "glossary.md" => glossary = Some(file),
            _ => writeln!(table, "    {file},").expect("writing to a String cannot fail"),
        }
    }
    let glossary = glossary.unwrap_or_else(|| panic!("{} has no glossary.md", lessons.display()));
    let mut model = String::new();
    for path in files(&lessons.join("model")).into_iter().filter(|path| path.is_file()) {
        let name = path.file_name().expect("a listed file has a name").to_string_lossy();
        writeln!(model, "    ({:?}, include_bytes!({:?})),", format!("model/{name}"), full(&path))
            .expect("writing to a String cannot fail");
    }
    let source = format!(
        "pub(super) static LESSONS: &[EmbeddedFile] = &[\n{table}];\n\
         pub(super) static GLOSSARY: EmbeddedFile = {glossary};\n"
    );
    fs::write(out_dir.join("lessons.rs"), source).expect("OUT_DIR can be written");
    let source = format!("pub static MODEL: &[(&str, &[u8])] = &[\n{model}];\n");
    fs::write(out_dir.join("model.rs"), source).expect("OUT_DIR can be written");
}

/// The files of a folder in the order of their names; the build runs again when one changes.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("cannot list {}: {e}", folder.display()))
        .map(|entry| entry.expect("a folder that was listed can be read").path())
        .collect();
    files.sort();
    files.iter().for_each(|path| println!("cargo::rerun-if-changed={}", path.display()));
    files
}

fn full(path: &Path) -> String {
    let full = fs::canonicalize(path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    full.display().to_string()
}
