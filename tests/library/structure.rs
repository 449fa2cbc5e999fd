//! Structure checks on the sources: imports go down the layers, nothing below `src/app` prints, `unsafe` is in four
//! files, files stay small and begin with what they are for. A failure names the file, the line and the rule.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The layers from the ground up. A layer may use those before it and itself.
const LAYERS: [&str; 12] = [
    "syntax", "kernel", "tensor", "ops", "torch", "numpy", "shims", "session", "lesson", "explain", "view",
    "app",
];

/// Layers that are below and may not be used all the same: the view shows values and computes none, and modules of the
/// standard library need no tensors.
const NOT_FOR: [(&str, &str); 6] = [
    ("view", "torch"),
    ("view", "session"),
    ("view", "kernel"),
    ("shims", "torch"),
    ("shims", "ops"),
    ("shims", "tensor"),
];

/// Lines of code that a file may have: blank lines, comments and tests are not counted.
const LONGEST: usize = 500;

/// The files that may contain `unsafe`: the call into `matrixmultiply`, calls of functions that need processor features,
/// and vector instructions.
const UNSAFE: [&str; 4] =
    ["src/kernel/attention/tiles.rs", "src/kernel/blocked.rs", "src/kernel/peak.rs", "src/kernel/simd.rs"];

/// Names that name no idea.
const EMPTY_NAMES: [&str; 4] = ["utils", "util", "helpers", "common"];

/// A source file: where it is, and its lines of code without comments and strings.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) layer: Option<&'static str>,
    /// How many modules lie between it and the root of the crate.
    pub(crate) depth: usize,
    pub(crate) text: String,
    pub(crate) code: Vec<(usize, String)>,
}

pub(crate) fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&root.join("src"), &mut files);
    files.sort();
    files.iter().map(|file| read(root, file)).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources can be listed") {
        let path = entry.expect("a listed entry can be read").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

fn read(root: &Path, file: &Path) -> Source {
    let inside = file.strip_prefix(root).expect("it was found below the root");
    let parts: Vec<String> = inside.iter().skip(1).map(|part| part.to_string_lossy().into_owned()).collect();
    let layer = LAYERS.iter().copied().find(|layer| parts.first().is_some_and(|part| part == layer));
    let is_folder = parts.last().is_some_and(|name| name == "mod.rs");
    let text = fs::read_to_string(file).expect("a source file is text");
    Source {
        path: inside.to_string_lossy().replace('\\', "/"),
        layer,
        depth: parts.len() - usize::from(is_folder),
        code: code(&text),
        text,
    }
}

/// The lines that are code, numbered, up to the file's own tests; comments and strings taken out.
fn code(text: &str) -> Vec<(usize, String)> {
    let tests = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let (mut lines, mut quoted) = (Vec::new(), false);
    for (at, line) in text[..tests].lines().enumerate() {
        let bare = bare(line, &mut quoted);
        if !bare.trim().is_empty() {
            lines.push((at + 1, bare));
        }
    }
    lines
}

/// A line without its comment and without what stands in quotes on it. `quoted` says whether a text goes on from the line
/// before, and then whether it goes on in the next.
fn bare(line: &str, quoted: &mut bool) -> String {
    let mut out = String::new();
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if *quoted => drop(letters.next()),
            '"' => *quoted = !*quoted,
            '/' if !*quoted && line[at..].starts_with("//") => break,
            _ if *quoted => {}
            _ => out.push(letter),
        }
    }
    *quoted &= line.ends_with('\\');
    out
}

fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// What follows each `crate::`, and each chain of `super::` that climbs to the root.
fn roots<'s>(source: &'s Source, line: &'s str) -> Vec<&'s str> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        found.push(&line[at + "crate::".len()..]);
    }
    let mut rest = line;
    while let Some(at) = rest.find("super::") {
        let mut after = &rest[at..];
        let mut climbed = 0;
        while let Some(next) = after.strip_prefix("super::") {
            after = next;
            climbed += 1;
        }
        if climbed >= source.depth {
            found.push(after);
        }
        rest = after;
    }
    found
}

/// The first names of a path or of the paths in braces: `tensor::Error`, `{kernel, tensor::{a, b}}`.
fn first_names(path: &str) -> Vec<&str> {
    let Some(inside) = path.strip_prefix('{') else {
        return names(path).next().into_iter().collect();
    };
    let mut firsts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in inside.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                firsts.extend(names(&inside[start..at]).next());
                start = at + 1;
                if letter == '}' {
                    return firsts;
                }
            }
            _ => {}
        }
    }
    firsts.extend(names(&inside[start..]).next());
    firsts
}

fn report(broken: &[String]) {
    assert!(broken.is_empty(), "a structure check failed:\n{}\n", broken.join("\n"));
}

#[test]
fn imports_go_down_the_layers() {
    let sources = sources();
    let mut macros: BTreeMap<String, &str> = BTreeMap::new();
    for source in &sources {
        for (_, line) in &source.code {
            if let (Some((_, name)), Some(layer)) = (line.split_once("macro_rules! "), source.layer) {
                macros.extend(names(name).next().map(|name| (name.to_owned(), layer)));
            }
        }
    }
    let height = |layer: &str| LAYERS.iter().position(|other| *other == layer);
    let mut broken = Vec::new();
    for source in &sources {
        let Some(layer) = source.layer else { continue };
        // A path may go over several lines: braces are closed before it is read.
        let joined: Vec<(usize, String)> = statements(&source.code);
        for (number, line) in &joined {
            for name in roots(source, line).into_iter().flat_map(first_names) {
                let used = macros.get(name).copied().unwrap_or(name);
                let Some(target) = height(used) else { continue };
                let up = Some(target) > height(layer);
                if up || NOT_FOR.contains(&(layer, used)) {
                    broken.push(format!(
                        "{}:{number}: {layer} uses {used}; {layer} may use {}",
                        source.path,
                        allowed(layer)
                    ));
                }
            }
        }
    }
    report(&broken);
}

fn allowed(layer: &str) -> String {
    let below = LAYERS.iter().take_while(|other| **other != layer);
    let open: Vec<&str> = below.copied().filter(|other| !NOT_FOR.contains(&(layer, other))).collect();
    if open.is_empty() { "no other layer".to_owned() } else { format!("only {}", open.join(", ")) }
}

/// Lines with `use` declarations that go over several lines put into one.
fn statements(code: &[(usize, String)]) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line) in code {
        match joined.last_mut().filter(|_| open) {
            Some((_, whole)) => whole.push_str(line.trim()),
            None => joined.push((*number, line.clone())),
        }
        let (_, whole) = joined.last().expect("a line was pushed");
        let is_use = whole.trim_start().trim_start_matches("pub ").starts_with("use ");
        open = is_use && !whole.contains(';');
    }
    joined
}

#[test]
fn nothing_below_the_shell_prints() {
    const PRINTING: [&str; 7] =
        ["println!", "print!", "eprintln!", "eprint!", "dbg!", "io::stdout", "io::stderr"];
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| source.layer.is_some_and(|layer| layer != "app")) {
        for (number, line) in &source.code {
            if let Some(found) = PRINTING.iter().find(|word| line.contains(**word)) {
                let path = &source.path;
                broken.push(format!("{path}:{number}: {found}; only src/app writes to the terminal"));
            }
        }
    }
    report(&broken);
}

#[test]
fn unsafe_is_in_the_listed_files_only() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !UNSAFE.contains(&source.path.as_str())) {
        for (number, line) in &source.code {
            if names(line).any(|name| name == "unsafe") {
                broken.push(format!(
                    "{}:{number}: unsafe; only {} may use it",
                    source.path,
                    UNSAFE.join(", ")
                ));
            }
        }
    }
    report(&broken);
}

/// Source that nests too deeply ends the process: `syntax` refuses it, and nothing else calls the parser.
#[test]
fn source_is_parsed_where_its_depth_is_checked() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| source.layer != Some("syntax")) {
        for (number, line) in statements(&source.code) {
            let path = line.split("ruff_python_parser").nth(1).unwrap_or_default();
            if names(path).any(|name| name.starts_with("parse")) {
                broken.push(format!("{}:{number}: calls the parser; `crate::syntax` does", source.path));
            }
        }
    }
    report(&broken);
}

#[test]
fn nothing_is_left_to_do_in_silence() {
    const UNDONE: [&str; 3] = ["todo!", "unimplemented!", ".unwrap()"];
    let mut broken = Vec::new();
    for source in sources() {
        for (number, line) in &source.code {
            if let Some(found) = UNDONE.iter().find(|word| line.contains(**word)) {
                let path = &source.path;
                broken.push(format!("{path}:{number}: {found}; give an error, or `expect` with the reason"));
            }
        }
    }
    report(&broken);
}

#[test]
fn files_are_small_and_say_what_they_are() {
    let mut broken = Vec::new();
    for source in sources() {
        let path = &source.path;
        if source.code.len() > LONGEST {
            let lines = source.code.len();
            broken.push(format!("{path}: {lines} lines of code; at most {LONGEST}: part it by ideas"));
        }
        if !source.text.starts_with("//!") {
            broken.push(format!("{path}:1: the first line says what this file is: //! ..."));
        }
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
        if EMPTY_NAMES.contains(&name) {
            broken.push(format!("{path}: `{name}` names no idea"));
        }
    }
    report(&broken);
}

/// A package that the program and the build need with other features is compiled twice, and so is all that uses it.
#[cfg(target_os = "linux")] // Elsewhere other packages are needed.
#[test]
fn no_package_is_compiled_twice() {
    let words =
        ["tree", "--offline", "--locked", "-d", "-e", "normal,build", "--depth", "0", "--prefix", "none"];
    let out = Command::new(env!("CARGO")).args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let out = out.expect("cargo runs these tests");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).expect("names of packages are text");
    let mut seen = BTreeSet::new();
    let twice = text.lines().filter(|line| line.contains(" v")).filter(|line| !seen.insert(*line));
    report(
        &twice.map(|line| format!("Cargo.toml: {line}: other features for the build")).collect::<Vec<_>>(),
    );
}

#[test]
fn the_checks_find_what_breaks_them() {
    assert_eq!(first_names("{kernel, tensor::{a, b}, torch}"), ["kernel", "tensor", "torch"]);
    assert_eq!(first_names("view::Text;"), ["view"]);
    assert_eq!(bare(r#"a("crate::app \" x") // crate::view"#, &mut false), "a() ");
    let mut quoted = false;
    let lines = ["a(\"one \\", "use two \\", "three\") // four"].map(|line| bare(line, &mut quoted));
    assert_eq!(lines, ["a(", "", ") "]);
    let source = Source { path: String::new(), layer: None, depth: 2, text: String::new(), code: Vec::new() };
    assert_eq!(roots(&source, "use super::super::view::Text;"), ["view::Text;"]);
    assert!(roots(&source, "use super::text::Text;").is_empty());
    let lines = [(1, "use crate::{".to_owned()), (2, "    view::Text,".to_owned()), (3, "};".to_owned())];
    assert_eq!(statements(&lines), [(1, "use crate::{view::Text,};".to_owned())]);
}
