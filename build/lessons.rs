//! Lists the lesson files for the program, so that a new lesson needs no line of Rust.
//! Reads `lessons/*.md`, writes `OUT_DIR/lessons.rs`, which `src/lesson/embed.rs` takes in.
//!
//! `lessons/glossary.md` is no lesson and stands beside them.
//!
//! Beside each text stands a small index (its `id`, its sections, the names of its cells) made by looking
//! at the first characters of lines. It only says which file to parse: what a step is, the Markdown parser
//! in `src/lesson/myst.rs` decides, and a test holds the two against each other.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Writes `lessons.rs` into `out_dir`: one `Embedded` for each Markdown file of `lessons`, by name.
pub fn embed_lessons(lessons: &Path, out_dir: &Path) {
    println!("cargo::rerun-if-changed=build/lessons.rs");
    println!("cargo::rerun-if-changed={}", lessons.display());
    let mut files: Vec<_> = fs::read_dir(lessons)
        .unwrap_or_else(|e| panic!("cannot list {}: {e}", lessons.display()))
        .map(|entry| entry.expect("a folder that could be listed can be read").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "md"))
        .collect();
    files.sort();
    let mut table = String::from("pub(super) static LESSONS: &[Embedded] = &[\n");
    for path in files {
        if path.file_name().is_some_and(|name| name == "glossary.md") {
            continue;
        }
        println!("cargo::rerun-if-changed={}", path.display());
        let text =
            fs::read_to_string(&path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
        let name = path.file_name().expect("a listed file has a name").to_string_lossy();
        let full = fs::canonicalize(&path).expect("a file that was read has a place");
        let index = Index::of(&text);
        writeln!(
            table,
            "    Embedded {{ file: {:?}, text: include_str!({:?}), id: {:?}, section: {:?}, also: &{:?}, slugs: &{:?} }},",
            format!("lessons/{name}"),
            full.display().to_string(),
            index.id,
            index.section,
            index.also,
            index.slugs,
        )
        .expect("writing to a String cannot fail");
    }
    table.push_str("];\n");
    let glossary = fs::canonicalize(lessons.join("glossary.md")).expect("the lessons have a glossary");
    println!("cargo::rerun-if-changed={}", glossary.display());
    let text = glossary.display().to_string();
    writeln!(
        table,
        "pub(super) static GLOSSARY: (&str, &str) = (\"lessons/glossary.md\", include_str!({text:?}));"
    )
    .expect("writing to a String cannot fail");
    fs::write(out_dir.join("lessons.rs"), table).expect("OUT_DIR can be written");
}

#[derive(Default)]
struct Index {
    id: String,
    section: String,
    also: Vec<String>,
    slugs: Vec<String>,
}

impl Index {
    fn of(text: &str) -> Index {
        let mut index = Index::default();
        let mut front = 0; // how many of the two `---` lines of the front matter have passed
        let mut in_cell = false;
        let bare = |v: &str| v.trim().trim_matches(['"', '\'']).to_string();
        for line in text.lines() {
            if line.trim_end() == "---" && front < 2 {
                front += 1;
            } else if front == 1 {
                if let Some(v) = line.strip_prefix("id:") {
                    index.id = bare(v);
                } else if let Some(v) = line.strip_prefix("section:") {
                    index.section = bare(v);
                } else if let Some(v) = line.strip_prefix("also:") {
                    index.also = v.trim().trim_matches(['[', ']']).split(',').map(bare).collect();
                }
            } else if line.starts_with("```{code-cell}") {
                in_cell = true;
                index.slugs.push(String::new());
            } else if line.starts_with("```") {
                in_cell = false;
            } else if in_cell
                && let Some(name) = line.strip_prefix(":name:")
                && let Some(last) = index.slugs.last_mut()
            {
                *last = bare(name);
            }
        }
        index
    }
}
